/*
 * risk.h
 *		The parts that sdc.risk_report is made of.
 */
#ifndef SDC_TOPIC_RISK_H
#define SDC_TOPIC_RISK_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/frequency.h"
#include "host/server/host.h"
#include "kernel/risk/separation.h"
#include "kernel/table/frequency.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

/* A report being made. */
typedef struct RiskReport
{
	SdcPgHost *host;
	SdcReport *report;
	Jsonb *params;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcRelationColumn *weight; /* or NULL */
	SdcNulls nulls;
	double threshold;
	double sampling_fraction; /* NAN: not known */
	SdcRelation *population;  /* a register, or NULL */
	/* what was counted: the relation, then the register */
	SdcFrequencyTable table[2];
	SdcClasses *classes; /* of the keys */
	SdcAlike alike;
	struct RiskParts *parts; /* the same by parts instead, or NULL */
	bool part;               /* relation is one of them */
	char *subject;           /* names of the keys */
} RiskReport;

/* How many classes have each number of records. */
typedef struct SdcClassSizes
{
	int count; /* of different sizes; -1: not known */
	int64 *size;
	int64 *classes;
	MemoryContext memory; /* of the arrays */
} SdcClassSizes;

/*
 * Who wants the sizes of the classes of the next risk_report: they were
 * counted anyway.  The report takes it back to NULL when it begins; it says
 * that it does not know them where the classes were counted by parts.
 */
extern SdcClassSizes *sdcpg_risk_wants_sizes;

/* Keys of params of sdc.risk_report; ends with NULL. */
extern const SdcKey sdcpg_risk_params[];

/*
 * Counts the relation, and the register if there is one, and finds classes and
 * records that look alike; id and household may be NULL.
 */
extern void sdcpg_risk_count(RiskReport *risk, const SdcRelationColumn *id,
							 const SdcRelationColumn *household);

/* The frequency table of the keys and one of the sensitive columns. */
extern SdcFrequency *sdcpg_risk_reduce(const RiskReport *risk, int sensitive);

/*
 * The classes of such a table or, when NULLs match everything, the sets of
 * records that look like those of each class: *frequency then becomes a table
 * of these, made anew.  The size of a class is that of the class itself.
 */
extern SdcClasses *sdcpg_risk_look_alike(const RiskReport *risk,
										 SdcFrequency **frequency);

/*
 * Puts lines of the report: how many records look alike, and how likely one is
 * found in the file.
 */
extern void sdcpg_risk_classes(RiskReport *risk);

/* The same in the population, from weights or a sampling fraction. */
extern void sdcpg_risk_population(RiskReport *risk);

/* The same from a register of the population. */
extern void sdcpg_risk_register(RiskReport *risk);

/* What the classes give away of each sensitive column. */
extern void sdcpg_risk_sensitive(RiskReport *risk);

/*
 * Special uniques (suda2.c), which are searched only when a line of them is
 * wanted.
 */
extern void sdcpg_risk_special(RiskReport *risk);

/* Subsets of the keys and their smallest classes, when wanted. */
extern void sdcpg_risk_subsets(RiskReport *risk);

/* ----------------------------------------------------------------------
 * Roles for columns that have none, as rows of sdc.role_suggestion.
 * ----------------------------------------------------------------------
 */

/* One row; role and counts may be NULL. */
extern void sdcpg_suggestion_put(ReturnSetInfo *result, const char *name,
								 const char *role, const char *reason,
								 const SdcSeparation *counts);

/*
 * A row for each column that differs from its declaration: without a role,
 * of another type, gone.
 */
extern void sdcpg_suggestion_put_drift(ReturnSetInfo *result, SdcPgHost *host,
									   const SdcRelation *relation,
									   const SdcRoles *declared);

#endif
