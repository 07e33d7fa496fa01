/*
 * probabilistic_linkage.h
 *		Two relations linked by the patterns in which their records agree.
 */
#ifndef SDC_TOPIC_PROBABILISTIC_LINKAGE_H
#define SDC_TOPIC_PROBABILISTIC_LINKAGE_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/frame.h"
#include "host/server/host.h"
#include "kernel/linkage/fellegi_sunter.h"
#include "kernel/linkage/link_measure.h"
#include "topic/registry/attacks.h"

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
	/*
	 * NULL, or by whose seed a sample of file 0 is drawn when there are more
	 * pairs than that; row[i] then is the row of record i of the comparison.
	 */
	const SdcAttackCase *sample;
	double most_pairs;
	int32 *row;
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

/* Two files, what their pairs look like, and what that says. */
typedef struct SdcProbabilisticLinkage
{
	SdcComparisonFiles files;
	SdcComparisonPatterns patterns;
	SdcFellegiSunter model;
	double link;     /* the least weight of a link, or infinity */
	double non_link; /* the largest of a non-link, or minus infinity */
} SdcProbabilisticLinkage;

/*
 * Reads the two files of a described comparison and estimates the model:
 *		estimate	all: prior, m and u; m: only m, while u is that of all
 *					pairs and the prior says that all of the smaller file
 *					are in the other.  Unless given it is m where matches are
 *					rare, fewer than one of 20 pairs by that prior, or where
 *					fewer than three keys leave too much unknown.
 *		prior		share of pairs that match, instead of those
 *		mu, lambda	share of other pairs that may be linked, and of matches
 *					that may be lost; 0.001 and 0.01 unless given
 *		iterations	of EM at the most, 1000 unless given
 * Returns NULL, or why nothing can be told, a sentence.
 */
extern const char *
sdcpg_probabilistic_linkage_run(SdcProbabilisticLinkage *linkage,
								SdcPgHost *host, Jsonb *params);

/* The row "probabilistic" of the attacks, and keys of its params. */
extern void sdcpg_attack_probabilistic(const SdcAttack *attack,
									   const SdcAttackCase *of,
									   SdcPgHost *host,
									   SdcAttackOutcome *outcome);
extern const char *const sdcpg_probabilistic_params[];

#endif
