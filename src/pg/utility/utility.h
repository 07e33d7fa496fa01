/*
 * utility.h
 *		The parts of sdc.utility_report, one function for each family.
 */
#ifndef SDC_PG_UTILITY_H
#define SDC_PG_UTILITY_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/call/report.h"
#include "pg/utility/contrast.h"
#include "pg/utility/utility_lines.h"

/* One call of the report. */
typedef struct SdcUtility
{
	SdcReport *report;
	bool named; /* did the caller name the measures? */
	SdcContrast comparison;
	SdcRelationColumns columns;
	SdcRelationColumns keys; /* count 0: none are named or declared */
	SdcUtilityLines lines;
	Jsonb *params;
	SdcPgHost *host;
} SdcUtility;

/* Values of params that several functions share. */
extern double sdcpg_utility_smoothing(Jsonb *params);
extern int32 sdcpg_utility_bins(Jsonb *params);

/* Differences of pairs: il1s, il1, il_variables, sse_sst. */
extern void sdcpg_utility_pairs(SdcUtility *utility);

/* mean, variance, covariance, correlation, eigen, il_correl. */
extern void sdcpg_utility_moments(SdcUtility *utility);

/* hellinger, kl, tv of single columns, and tables of several. */
extern void sdcpg_utility_tables(SdcUtility *utility);

/* The pMSE and what it is held against. */
extern void sdcpg_utility_propensity(SdcUtility *utility);

/* discernibility, average_class, c_avg of the classes of the keys. */
extern void sdcpg_utility_classes(SdcUtility *utility);

/* ncp, loss, precision, height, entropy, ambiguity. */
extern void sdcpg_utility_generalized(SdcUtility *utility);

/* Counting queries of the caller. */
extern void sdcpg_utility_queries(SdcUtility *utility);

#endif
