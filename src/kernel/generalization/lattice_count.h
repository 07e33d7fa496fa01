/*
 * lattice_count.h
 *		What the parts of the lattice search share.
 *
 * lattice_count.c turns codes into groups that occur, level by level, holds
 * the classes of a node and rolls them up; lattice_values.c does the same for
 * sensitive values; lattice_score.c judges, bounds and scores; lattice.c
 * walks, and is what callers see.
 *
 * Levels in here count from the lowest that a key may take.
 */
#ifndef SDC_KERNEL_LATTICE_COUNT_H
#define SDC_KERNEL_LATTICE_COUNT_H

#include "kernel/base/host.h"
#include "kernel/generalization/lattice.h"
#include "kernel/risk/class_measures.h"

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

/* A key; a slot is the code of a value, or the number of values for NULL. */
typedef struct SdcLatticeColumn
{
	int32_t values;
	int lowest; /* level of the hierarchy, 0 in here */
	int levels; /* that may be taken */
	int height; /* of the whole hierarchy */
	double weight;
	double domain;  /* values, 0 when shares are widths */
	int32_t *first; /* of a slot, its group on the lowest level; -1: none */
	SdcLatticeLevel *level;
	int64_t *marginal; /* scratch: records of each group */
} SdcLatticeColumn;

/*
 * The sensitive values of the classes of a table, as runs or, where there are
 * few values, as rows with a place for each.
 */
typedef struct SdcLatticeRuns
{
	int32_t *row;   /* classes * width of the merger; NULL: runs */
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

/* Parts of a table at the most. */
#define SDC_LATTICE_PARTS 16

/*
 * The classes of a node; groups are packed into words, see lattice_count.c.
 * They may be counted part by part, as far as somebody wants to look.
 */
typedef struct SdcLatticeTable
{
	bool filled;
	int parts;
	int done;  /* parts that are counted */
	int known; /* parts of which the sensitive values are put together */
	/* classes before each part, and those of the origin that it is made of */
	int32_t end[SDC_LATTICE_PARTS + 1];
	int32_t used[SDC_LATTICE_PARTS + 1];
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int32_t classes;
	int32_t room;
	uint64_t *key; /* words of the lattice for each class */
	int64_t *count;
	int64_t *people; /* of the register; NULL without one */
	int64_t least;   /* records of the classes that are kept */
	/*
	 * Of each class, what is known of its sensitive values, and how many of
	 * its records fail in every node below where it fails, -1 when that is not
	 * known; NULL without sensitive columns.
	 */
	uint8_t *state;
	int64_t *lost;
	SdcLatticeRuns *runs; /* of each sensitive column */
	/*
	 * The table that this one was rolled up from, which was of that node, and
	 * the class in here of each class of it.  Runs and what is known are put
	 * together from there when they are asked for first.
	 */
	struct SdcLatticeTable *origin;
	uint8_t below[SDC_LATTICE_MAX_KEYS];
	int32_t *target;
	bool judged; /* is anything known of the values of its classes */
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
	int32_t width; /* of a row; 0: runs */
	int32_t *code; /* of one class, when there are rows */
	int64_t *held;
	uint64_t *touched; /* a bit for each slot */
	uint64_t *words;   /* a bit for each word of touched */
} SdcLatticeMerger;

/* What a pass over the classes of a table finds. */
typedef struct SdcLatticeTally
{
	bool complete;
	bool refused;       /* what is kept fails a bound on the file */
	int64_t small;      /* records in classes below the group size */
	int64_t suppressed; /* records in all classes that fail */
	int64_t certain;    /* records that fail in every node below */
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
	int64_t stride[SDC_LATTICE_MAX_KEYS]; /* a level more adds to the number */
	int64_t records;
	int64_t group_size; /* records that k and the bounds on values demand */
	bool monotone;      /* does raising a feasible node keep it feasible */
	bool bounded;  /* is there a bound on the classes that are kept together */
	int32_t cells; /* of the frequency table and of the register */

	/* packing: the words of a class, and the one that has each key */
	int words;
	int word[SDC_LATTICE_MAX_KEYS];

	/*
	 * The key that divides tables into parts, -1 if none does; of each of its
	 * levels, the parts, and the one that each group lies in.
	 */
	int part_key;
	int *parts;
	uint8_t **part;

	SdcLatticeTable base; /* of the node of the lowest levels */
	int32_t *place;       /* class of the base of each cell */
	SdcLatticeTable one;  /* scratch of a check */

	/* scratch of rolling up */
	uint64_t *block;
	uint32_t *dense; /* by key, all 0 between calls */
	int dense_bits;
	uint32_t *hashed;
	int32_t **map;  /* group on the new level, of each key */
	int32_t *start; /* classes by their target */
	int32_t *order;
	int64_t *size; /* of classes that are kept, and their people */
	int64_t *match;

	SdcClassMeasuring **measuring; /* of each sensitive column */
	SdcLatticeMerger *merger;
};

/* ---------- keys: groups that occur, level by level ---------- */

/* Prepares the keys; on an error *key is the one at fault. */
extern SdcLatticeStatus sdc_lattice_keys_start(SdcLattice *lattice, int *key);

/* Gives back what was prepared of the keys. */
extern void sdc_lattice_keys_release(SdcLattice *lattice);

/* Where the groups of a node lie. */
extern void sdc_lattice_pack_layout(const SdcLattice *lattice,
									const uint8_t *level,
									SdcLatticeLayout *layout);

/* ---------- the classes of a node ---------- */

/* Counts the base table and takes the scratch for rolling up. */
extern void sdc_lattice_table_start(SdcLattice *lattice);

/* Gives both back. */
extern void sdc_lattice_table_finish(SdcLattice *lattice);

/*
 * Makes to the table of a node that is nowhere below from, which it keeps in
 * mind and which must stay until all parts are counted.  Counts none.
 */
extern void sdc_lattice_table_begin(SdcLattice *lattice, SdcLatticeTable *from,
									const uint8_t *level, SdcLatticeTable *to);

/* Counts that many of its parts, unless they are.  O(classes of from). */
extern void sdc_lattice_table_extend(SdcLattice *lattice,
									 SdcLatticeTable *table, int parts);

/* Are the parts of a table made of the same parts of its origin? */
extern bool sdc_lattice_table_alike(const SdcLattice *lattice,
									const SdcLatticeTable *table);

/* Begins a table and counts all of it. */
extern void sdc_lattice_table_roll(SdcLattice *lattice, SdcLatticeTable *from,
								   const uint8_t *level, SdcLatticeTable *to);

/* Gives the arrays of a table back; it is all zero then, not filled. */
extern void sdc_lattice_table_release(SdcLattice *lattice,
									  SdcLatticeTable *table);

/* The group of a key in a class. */
static inline int32_t
sdc_lattice_group(const SdcLattice *lattice, const SdcLatticeTable *table,
				  const SdcLatticeLayout *layout, int32_t c, int j)
{
	size_t word =
		(size_t) c * (size_t) lattice->words + (size_t) lattice->word[j];

	return (int32_t) (table->key[word] >> layout->shift[j] & layout->mask[j]);
}

/* ---------- their sensitive values ---------- */

/* Are the values of all sensitive columns kept as rows? */
extern bool sdc_lattice_runs_rows(const SdcLattice *lattice);

/* Prepares the sensitive columns of the base table; needs its place. */
extern void sdc_lattice_runs_start(SdcLattice *lattice);

/* Gives back what the checks of the models remember. */
extern void sdc_lattice_runs_finish(SdcLattice *lattice);

/* Gives back the values of a table. */
extern void sdc_lattice_runs_release(SdcLattice *lattice,
									 SdcLatticeTable *table);

/* Puts the values of that many parts together, unless they are. */
extern void sdc_lattice_runs_know(SdcLattice *lattice, SdcLatticeTable *table,
								  int parts);

/* Does a class fail, of a table that knows?  Remembers what it finds out. */
extern bool sdc_lattice_runs_fail(SdcLattice *lattice, SdcLatticeTable *table,
								  int32_t c);

/*
 * So many records at least of a class that fails do so in every node below.
 * Remembers it, too.
 */
extern int64_t sdc_lattice_runs_lost(SdcLattice *lattice,
									 SdcLatticeTable *table, int32_t c);

/* ---------- the classes judged ---------- */

/*
 * Does the least score of all nodes above one hang on the classes of that one?
 */
extern bool sdc_lattice_score_floored(const SdcLattice *lattice);

/* What a tally is made for. */
typedef enum SdcLatticeWanted
{
	SDC_LATTICE_WHETHER, /* is the node feasible */
	SDC_LATTICE_CERTAIN, /* that, and do too many records fail below it */
	SDC_LATTICE_ALL      /* every class is judged */
} SdcLatticeWanted;

/*
 * Judges the classes of a table.  Unless all is wanted, only until it is sure
 * that more records fail than the limit: then the tally is not complete, and
 * suppressed is a number above the limit that is certain.  What is certain is
 * counted until it is above the limit or sure not to be.
 */
extern void sdc_lattice_tally(SdcLattice *lattice, SdcLatticeTable *table,
							  SdcLatticeWanted wanted, SdcLatticeTally *tally);

/* Does a class fail a bound on its people? */
static inline bool
sdc_lattice_too_few(const SdcLattice *lattice, const SdcLatticeTable *table,
					int32_t c)
{
	return table->people != NULL &&
		   sdc_size_class_fails(lattice->problem.sizes, table->count[c],
								table->people[c]);
}

/* Is a class of a table that was judged in full suppressed? */
static inline bool
sdc_lattice_fails(const SdcLattice *lattice, const SdcLatticeTable *table,
				  int32_t c)
{
	return table->count[c] < table->least ||
		   (table->known > 0 && table->state[c] == SDC_LATTICE_FAILS) ||
		   sdc_lattice_too_few(lattice, table, c);
}

/* ---------- bounds and scores ---------- */

/* Fills in the parts of the score of each level of each key. */
extern SdcLatticeStatus sdc_lattice_score_start(SdcLattice *lattice, int *key);

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

/* ---------- what is known of nodes ---------- */

/* What is known of a node; one byte each. */
enum
{
	SDC_LATTICE_UNDER = 1, /* few enough records are certain to fail */
	SDC_LATTICE_OVER = 2,  /* too many */
	SDC_LATTICE_SEEN = 4   /* checked, or known not to be among the best */
};

/* The number of a node, from 0: its levels in mixed radix.  O(keys). */
extern int64_t sdc_lattice_tags_number(const SdcLattice *lattice,
									   const uint8_t *level);

/*
 * Marks the node of that number and all below it, on no key higher, as those
 * where too many records fail.  O(nodes marked * keys).
 */
extern void sdc_lattice_tags_over(const SdcLattice *lattice, uint8_t *tag,
								  const uint8_t *level, int64_t number);

/* ---------- pairs of keys ---------- */

/* What is known of all pairs of keys; private to lattice_score.c. */
typedef struct SdcLatticePairs SdcLatticePairs;

/*
 * Counts all pairs of keys and tags nodes that are certain to suppress too
 * many records; NULL when that would tell nothing.  O(pairs * (classes +
 * levels * cells)).
 */
extern SdcLatticePairs *sdc_lattice_pairs_start(SdcLattice *lattice,
												uint8_t *tag);

/* Gives back what was counted of the pairs; NULL is ignored. */
extern void sdc_lattice_pairs_release(SdcLattice *lattice,
									  SdcLatticePairs *all);

/* The node has no lower score; those above it may.  O(pairs * keys). */
extern double sdc_lattice_pairs_bound(const SdcLattice *lattice,
									  const SdcLatticePairs *all,
									  const uint8_t *level);

/* ---------- witnesses ---------- */

/* Records whose classes were judged in all nodes; private to their file. */
typedef struct SdcLatticeWitnesses SdcLatticeWitnesses;

/*
 * Needs sensitive values as rows, and no bounds on sizes; NULL where the
 * lattice has too many nodes.  Memory: 24 bytes a node and 4 a place of a row.
 */
extern SdcLatticeWitnesses *sdc_lattice_witnesses_start(SdcLattice *lattice);

/* Gives them back; NULL is ignored. */
extern void sdc_lattice_witnesses_release(SdcLattice *lattice,
										  SdcLatticeWitnesses *all);

/* ---------- the best nodes so far ---------- */

/* The best nodes so far. */
typedef struct SdcLatticeOptima
{
	bool found;
	double score; /* the least; INFINITY before one is found */
	SdcLatticeNode best;
	SdcLatticeNode *list; /* nodes of that score, up to MAX_OPTIMA of them */
	int64_t count;        /* of all of them */
	int64_t room;         /* of list[] */
} SdcLatticeOptima;

/* ---------- the search ---------- */

/* A depth-first walk; its depth is the sum of the levels of the node. */
typedef struct SdcLatticeSearch
{
	SdcLattice *lattice;
	const SdcLatticeBudget *budget;
	uint8_t *tag; /* NULL: not tagged */
	bool falling; /* are nodes checked after all that are above them */
	SdcLatticeWitnesses *witnesses;      /* NULL: there are none */
	SdcLatticePairs *pairs;              /* NULL: they do not pay */
	bool considered;                     /* whether they would */
	int order[SDC_LATTICE_MAX_KEYS];     /* keys with many groups first */
	uint8_t level[SDC_LATTICE_MAX_KEYS]; /* of the current node */
	int64_t number;                      /* of the same */
	SdcLatticeTable *table;              /* of the path, from depth 1 on */
	size_t depths;                       /* the depth of the top node */
	SdcLatticeTable probe[2]; /* of nodes that are not on the path */
	uint8_t *raised;          /* the key that each depth of the path raised */
	bool *wanted;             /* is the table of each depth worth it */
	uint8_t *path;            /* keys that a path to the top raises */
	int64_t checked;
	int64_t passed; /* nodes that were looked at */
	bool stopped;
	double open; /* the least bound of what was not looked at */
	SdcLatticeOptima optima;
} SdcLatticeSearch;

/*
 * Is the current node not feasible for what the witnesses tell and for the
 * classes that are too small in the nodes above it?  To be asked of a node
 * after those above.  O(keys).
 */
extern bool sdc_lattice_witnesses_refuse(SdcLatticeSearch *search);

/* Notes what was found of a node. */
extern void sdc_lattice_witnesses_note(SdcLatticeSearch *search,
									   int64_t number,
									   const SdcLatticeTally *tally);

/*
 * After a node of that table was found infeasible: may make a record of its
 * largest failing class a witness, and mark as seen all nodes that are not
 * feasible for what the witnesses tell.  O(classes of the base * keys + nodes
 * * keys * places of a row).
 */
extern void sdc_lattice_witnesses_ask(SdcLatticeSearch *search,
									  const SdcLatticeTable *table);

#endif
