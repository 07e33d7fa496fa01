/*
 * lattice_parts.h
 *		What the parts of the lattice search share.
 *
 * lattice_keys.c turns codes into groups that occur, level by level;
 * lattice_table.c holds the classes of a node and rolls them up;
 * lattice_runs.c does the same for sensitive values; lattice_score.c bounds
 * and scores; lattice_search.c walks; lattice.c is what callers see.
 *
 * Levels in here count from the lowest that a key may take.
 */
#ifndef SDC_KERNEL_LATTICE_PARTS_H
#define SDC_KERNEL_LATTICE_PARTS_H

#include "kernel/lattice.h"

/* One level of a key: only groups that occur, numbered from 0. */
typedef struct SdcLatticeLevel
{
	int32_t groups;
	int bits;       /* that a group number takes; 0 for a single group */
	int32_t *up;    /* group on the next level; NULL on the highest */
	double *share;  /* part of the domain */
	int64_t *total; /* records in the group */
	double share_sum;
	double log_sum; /* sum over the records of ln share */
	double entropy; /* non-uniform, in bits */
	double part;    /* of the score when nothing is suppressed */
} SdcLatticeLevel;

typedef struct SdcLatticeColumn
{
	int32_t values;
	int lowest;
	int levels;
	int height; /* of the whole hierarchy */
	double weight;
	double domain;  /* values, 0 when shares are widths */
	int32_t *first; /* group on the lowest level of a slot; -1: not there */
	SdcLatticeLevel *level;
	int64_t *marginal; /* scratch: records of each group */
} SdcLatticeColumn;

/* The sensitive values of the classes of a table, as runs. */
typedef struct SdcLatticeRuns
{
	int32_t *first; /* classes + 1 */
	int32_t *code;  /* ascending in a run, NULL last */
	int64_t *count;
	int32_t classes_room;
	int32_t cells_room;
} SdcLatticeRuns;

/* What is known of the sensitive values of a class. */
enum
{
	SDC_LATTICE_UNKNOWN,
	SDC_LATTICE_PASSES,
	SDC_LATTICE_FAILS
};

/* The classes of a node; groups are packed into words, see lattice_table.c. */
typedef struct SdcLatticeTable
{
	bool filled;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int32_t classes;
	int32_t room;
	uint64_t *key; /* words of the lattice for each class */
	int64_t *count;
	uint8_t *state;       /* NULL without sensitive columns */
	SdcLatticeRuns *runs; /* of each sensitive column */
} SdcLatticeTable;

/* Where the groups of a table lie in its words. */
typedef struct SdcLatticeLayout
{
	int shift[SDC_LATTICE_MAX_KEYS];
	uint64_t mask[SDC_LATTICE_MAX_KEYS];
	int bits; /* of the first word */
} SdcLatticeLayout;

/* Scratch to add up the sensitive values of a class. */
typedef struct SdcLatticeMerger
{
	int32_t slots;
	int64_t *held;
	uint64_t *touched; /* a bit for each slot */
	uint64_t *words;   /* a bit for each word of touched */
} SdcLatticeMerger;

/* What a pass over the classes of a table finds. */
typedef struct SdcLatticeTally
{
	int64_t small;      /* records in classes below the group size */
	int64_t suppressed; /* records in all classes that fail */
	int64_t kept;       /* classes */
	int64_t failing;
	int64_t smallest; /* of the classes kept */
	int64_t largest;
	__int128 squares; /* of the sizes kept */
	__int128 squares_all;
} SdcLatticeTally;

struct SdcLattice
{
	SdcHost *host;
	SdcLatticeProblem problem;
	int keys;
	SdcLatticeColumn *column;
	int64_t nodes;
	int64_t stride[SDC_LATTICE_MAX_KEYS];
	int64_t records;
	int64_t group_size;
	bool monotone; /* does raising a feasible node keep it feasible */

	/* packing */
	int words;
	int word[SDC_LATTICE_MAX_KEYS];

	SdcLatticeTable base; /* of the node of the lowest levels */
	int32_t *place;       /* class of the base of each cell */
	SdcLatticeTable one;  /* scratch of a check */

	/* scratch of rolling up */
	uint64_t *block;
	uint32_t *dense; /* by key, all 0 between calls */
	int dense_bits;
	uint32_t *hashed;
	int32_t *target; /* class in the new table of each class */
	int32_t **map;   /* group on the new level, of each key */
	int32_t *start;  /* lattice_runs.c: classes by their target */
	int32_t *order;

	SdcClassMeasuring **measuring; /* of each sensitive column */
	SdcLatticeMerger *merger;
};

/* ---------- lattice_keys.c ---------- */

/* Prepares the keys; on an error *key is the one at fault. */
extern SdcLatticeStatus sdc_lattice_keys_start(SdcLattice *lattice, int *key);
extern void sdc_lattice_keys_release(SdcLattice *lattice);

/* ---------- lattice_table.c ---------- */

/* Counts the base table and takes the scratch for rolling up. */
extern void sdc_lattice_table_start(SdcLattice *lattice);
extern void sdc_lattice_table_finish(SdcLattice *lattice);

/*
 * Fills to with the classes of a node that is nowhere below from.  Leaves
 * lattice->target.  O(classes of from).
 */
extern void sdc_lattice_table_roll(SdcLattice *lattice,
								   const SdcLatticeTable *from,
								   const uint8_t *level, SdcLatticeTable *to);
extern void sdc_lattice_table_release(SdcLattice *lattice,
									  SdcLatticeTable *table);
extern void sdc_lattice_table_layout(const SdcLattice *lattice,
									 const uint8_t *level,
									 SdcLatticeLayout *layout);

/* The group of a key in a class. */
static inline int32_t
sdc_lattice_group(const SdcLattice *lattice, const SdcLatticeTable *table,
				  const SdcLatticeLayout *layout, int32_t c, int j)
{
	size_t word =
		(size_t) c * (size_t) lattice->words + (size_t) lattice->word[j];

	return (int32_t) (table->key[word] >> layout->shift[j] & layout->mask[j]);
}

/* ---------- lattice_runs.c ---------- */

/* Prepares the sensitive columns of the base table; needs its place. */
extern void sdc_lattice_runs_start(SdcLattice *lattice);
extern void sdc_lattice_runs_finish(SdcLattice *lattice);

/* Joins the runs of the classes of from by lattice->target. */
extern void sdc_lattice_runs_roll(SdcLattice *lattice,
								  const SdcLatticeTable *from,
								  SdcLatticeTable *to);
extern void sdc_lattice_runs_release(SdcLattice *lattice,
									 SdcLatticeTable *table);

/* Does a class fail?  Remembers what it finds out. */
extern bool sdc_lattice_runs_fail(SdcLattice *lattice, SdcLatticeTable *table,
								  int32_t c);

/* ---------- lattice_score.c ---------- */

/* Fills in the parts of the score of each level of each key. */
extern SdcLatticeStatus sdc_lattice_score_start(SdcLattice *lattice,
												int *key);

/* No node at or above these levels has a lower score.  O(keys). */
extern double sdc_lattice_score_bound(const SdcLattice *lattice,
									  const uint8_t *level);

/*
 * The same, of what a table shows that the levels do not; 0 when nothing.
 */
extern double sdc_lattice_score_floor(SdcLattice *lattice,
									  const SdcLatticeTable *table,
									  const SdcLatticeTally *tally);

/* The score of a table whose classes are all judged. */
extern double sdc_lattice_score(SdcLattice *lattice, SdcLatticeTable *table,
								const SdcLatticeTally *tally);

/* ---------- lattice.c ---------- */

/*
 * Judges the classes of a table; with small above the limit only their sizes
 * when all is false: then suppressed is at least small, and no more is known.
 */
extern void sdc_lattice_tally(SdcLattice *lattice, SdcLatticeTable *table,
							  bool all, SdcLatticeTally *tally);

/* Describes a node: everything but the score. */
extern void sdc_lattice_describe(const SdcLattice *lattice,
								 const uint8_t *level,
								 const SdcLatticeTally *tally,
								 SdcLatticeNode *node);

#endif
