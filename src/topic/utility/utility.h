/*
 * utility.h
 *		The parts of sdc.utility_report, one function for each family.
 */
#ifndef SDC_TOPIC_UTILITY_H
#define SDC_TOPIC_UTILITY_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/server/host.h"
#include "kernel/model/logistic.h"
#include "kernel/utility/propensity.h"
#include "topic/utility/contrast.h"

/* A line of the report. */
typedef struct SdcUtilityLine
{
	int measure; /* its place: measures are shown in the order first added */
	bool all;    /* of all columns: shown before the single ones */
	const char *name;
	const char *subject;
	double value; /* NaN is shown as NULL */
	double worse; /* what lines of a measure are sorted by, descending */
	const char *detail;
	int number; /* in the order in which lines were added */
} SdcUtilityLine;

/* The lines so far; all zero to begin with. */
typedef struct SdcUtilityLines
{
	SdcUtilityLine *line;
	int count;
	int room;
	int measures;
} SdcUtilityLines;

/*
 * Appends a line; the detail is a sentence made from format.  subject NULL is
 * all columns.  name and subject must last as long as the lines, which start
 * as zeros.
 */
extern void sdcpg_utility_lines_add(SdcUtilityLines *lines, const char *name,
									const char *subject, double value,
									const char *format, ...)
	pg_attribute_printf(5, 6);

/* "1 column" or "3 columns". */
extern const char *sdcpg_utility_lines_columns(int columns);

/* The last line belongs to a measure of which small values are the worse. */
extern void sdcpg_utility_lines_turn(SdcUtilityLines *lines);

/* Columns of the largest tables that are compared. */
#define SDC_UTILITY_MOST_ORDER 3

/* clang-format off */
/* Keys of params that other functions of utility have, too. */
#define SDC_SMOOTHING_KEY \
	{"smoothing", SDC_KEY_NUMBER, .low = 0, .high = 1e6, .absent = "0"}
#define SDC_CATEGORIES_KEY \
	{"categories", SDC_KEY_NAMES, .names = SDC_NAMES_COLUMNS}
#define SDC_PROPENSITY_KEYS \
	{"interactions", SDC_KEY_BOOLEAN}, \
	{"max_levels", SDC_KEY_INTEGER, .low = 2, \
	 .high = SDC_LOGISTIC_MAX_PARAMETERS, .absent = "50"}, \
	{"minbucket", SDC_KEY_INTEGER, .low = 1, .high = 1000000, \
	 .absent = "5"}, \
	{"cp", SDC_KEY_NUMBER, .low = 0, .high = 1, .absent = "1e-8"}, \
	{"permutations", SDC_KEY_INTEGER, .low = 2, .high = 1000, \
	 .absent = "10"}
/* clang-format on */

/* Keys of params of sdc.utility_report; ends with NULL. */
extern const SdcKey sdcpg_utility_params[];

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
	uint64 seed;
	SdcPgHost *host;
} SdcUtility;

/* Appends a line, as above, if its measure is wanted. */
extern void sdcpg_utility_add(SdcUtility *utility, const char *measure,
							  const char *subject, double value,
							  const char *sentence);

/* The columns that params.categories and params.ordinal name. */
extern List *sdcpg_utility_categories(Jsonb *params);

/*
 * Adds the lines of pairs of records, if they are wanted: information_loss,
 * value_change, relative_squared_error, relative_change.  The functions below
 * do so for other measures.
 */
extern void sdcpg_utility_pairs(SdcUtility *utility);

/* Differences of means, variances, covariances and correlations. */
extern void sdcpg_utility_moments(SdcUtility *utility);

/* The pMSE, of a model that tells masked records from original ones. */
extern void sdcpg_utility_propensity(SdcUtility *utility);

/* The same of a tree. */
extern void sdcpg_utility_propensity_tree(SdcUtility *utility);

/* discernibility, average_class, normalized_average_class. */
extern void sdcpg_utility_classes(SdcUtility *utility);

/* hellinger, kl, tv of single columns, and tables of several. */
extern void sdcpg_utility_tables(SdcUtility *utility);

/* ncp, loss, precision, height, entropy, ambiguity. */
extern void sdcpg_utility_generalized(SdcUtility *utility);

/* accuracy_loss, accuracy_masked, _original and _baseline (topic/model). */
extern void sdcpg_utility_models(SdcUtility *utility);

/* Counting queries of the caller. */
extern void sdcpg_utility_queries(SdcUtility *utility);

#endif
