/*
 * comparison.h
 *		Two relations read for a comparison of their records field by field.
 */
#ifndef SDC_TOPIC_COMPARISON_H
#define SDC_TOPIC_COMPARISON_H

#include "postgres.h"

#include <float.h>

#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/linkage/agreement.h"
#include "kernel/linkage/link_measure.h"
#include "topic/registry/words.h"

/* The keys of params that are read here. */
/* clang-format off */
#define SDC_COMPARISON_KEYS \
	{"compare", SDC_KEY_WORD, .words = sdcpg_comparison_words, \
	 .shape = SDC_KEY_BY_COLUMN, .names = SDC_NAMES_KEYS}, \
	{"within", SDC_KEY_NUMBERS, .low = 0, .high = DBL_MAX, \
	 .shape = SDC_KEY_BY_COLUMN, .names = SDC_NAMES_KEYS}, \
	{"block", SDC_KEY_NAMES, .names = SDC_NAMES_COLUMNS}, \
	SDC_TAKES_MAP, SDC_TAKES_SCALE, SDC_TAKES_RULES
/* clang-format on */

/* The words of SdcComparisonBy; ends with NULL. */
extern const char *const sdcpg_comparison_words[];

/* Stops at distances of params.within that are not levels; reads no data. */
extern void sdcpg_comparison_check(Jsonb *params);

/* How a column is compared. */
typedef enum SdcComparisonBy
{
	SDC_COMPARE_EQUAL,
	SDC_COMPARE_RANK,      /* numbers, by percent of the ranks between them */
	SDC_COMPARE_DEVIATION, /* numbers, on one scale for both files */
	SDC_COMPARE_TEXT       /* by edits, as a share of the longer text */
} SdcComparisonBy;

/* One column, and the distances up to which each level of agreement goes. */
typedef struct SdcComparisonColumn
{
	SdcRelationColumn column[2];
	SdcComparisonBy by;
	int levels;
	double within[SDC_COMPARISON_LEVELS];
} SdcComparisonColumn;

/*
 * The files: [0] is searched from, [1] is searched.  Rows are in the order of
 * their ids where there is an id, whose texts are in the column id.
 */
typedef struct SdcComparisonFiles
{
	SdcPgHost *host;
	const SdcRelation *relation[2];
	SdcRelationColumn id[2];
	bool has_id;
	int columns;
	SdcComparisonColumn *column;
	int blocks;
	SdcRelationColumn *block[2];
	SdcFrame *frame[2];
	SdcComparison comparison;
	int original;       /* which of the two it is */
	SdcLinkScale scale; /* of deviations */
	/* keys and blocks of the original, as the rules make them */
	SdcRelationColumns known;
} SdcComparisonFiles;

/*
 * Finds relations and columns and says how each is compared, before any row
 * is read.  id may be NULL.
 *		compare {column: equal | rank | deviation | text}
 *		within {column: [numbers, ascending]}
 *		block [columns]
 *		map {original column: masked column}
 *		scale masked | pooled | rank | robust | own: what deviations count
 * rules, unless NULL, are those by which the original is read (known.h).
 * Without them numbers are compared by rank within 0, 2, 5, 10 and 20 percent,
 * texts within 0 and 25 percent of edits, all else by equality, and every
 * record with every other.
 */
extern void sdcpg_comparison_describe(SdcComparisonFiles *files, Oid original,
									  Oid masked, const char *id,
									  ArrayType *keys, Jsonb *rules,
									  Jsonb *params, bool to_original);

/*
 * Reads both files of a described comparison as the caller, and prepares it.
 * Codes are ranks of values, so that nothing depends on the order of the rows.
 */
extern void sdcpg_comparison_load(SdcComparisonFiles *files, SdcPgHost *host);

/* A level of a column in words. */
extern char *sdcpg_comparison_level_name(const SdcComparisonColumn *column,
										 int level);

#endif
