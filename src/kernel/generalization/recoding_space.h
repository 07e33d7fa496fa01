/*
 * recoding_space.h
 *		Generalized tuples: what several records have in common, and its loss.
 *
 * A tuple is a combination of key values that occurs.  A generalized tuple is
 * a tuple and a level for each key: the group that the value is in there.
 * Two of them meet, key by key, in the lowest group that holds both.  Where a
 * hierarchy's top level is not one group, and where a key has NULLs, a root
 * above the top level makes sure that any two values meet.
 */
#ifndef SDC_KERNEL_RECODING_SPACE_H
#define SDC_KERNEL_RECODING_SPACE_H

#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

/* How one key may be generalized. */
typedef struct SdcRecodingKey
{
	const SdcHierarchy *hierarchy;
	double *const *share; /* share[level][group] of the domain, 0 to 1 */
	double weight;        /* at least 0; 1: as important as any other */
} SdcRecodingKey;

/* The same, ready for the search; values are codes, NULL is the last one. */
typedef struct SdcRecodingColumn
{
	int32_t values; /* NULL counted */
	int levels;     /* the root counted, where it is needed */
	int32_t groups; /* numbers of groups are below this, on all levels */
	int32_t *group; /* group[value * levels + level] */
	double *cost;   /* cost[value * levels + level]: weight * share */
	double weight;  /* the cost of the root */
	/* meet[v * values + w]: lowest common level; NULL: too many values */
	uint8_t *meet;
} SdcRecodingColumn;

/* All tuples of a table, and how their keys may be generalized. */
typedef struct SdcRecodingSpace
{
	int keys;
	int32_t tuples;
	int32_t *code; /* code[tuple * keys + j] */
	int64_t *size; /* size[tuple]: its records */
	int64_t records;
	SdcRecodingColumn *column;
} SdcRecodingSpace;

/* A generalized tuple of size records. */
typedef struct SdcRecodingBox
{
	int32_t tuple;        /* one that it covers */
	const uint8_t *level; /* of each key */
	int64_t size;
	double cost; /* of each record: the sum of its groups' costs */
} SdcRecodingBox;

/*
 * The space of the classes of a frequency table, which are those of its first
 * columns: class c is tuple c.  Memory 4 bytes a key and tuple.
 */
extern SdcRecodingSpace *sdc_recoding_space_new(SdcHost *host,
												const SdcFrequency *frequency,
												const SdcClasses *classes,
												const SdcRecodingKey *key,
												int keys);

/*
 * The lowest level on which two values of a key are in one group, found level
 * by level.  O(levels).
 */
extern int sdc_recoding_space_climb(const SdcRecodingColumn *column, int32_t v,
									int32_t w);

/* The same, from the table of all pairs where there is one.  O(1) then. */
static inline int
sdc_recoding_space_meet(const SdcRecodingColumn *column, int32_t v, int32_t w)
{
	if (column->meet != NULL)
		return column->meet[v * column->values + w];
	return sdc_recoding_space_climb(column, v, w);
}

/* The group that a value is in on a level. */
static inline int32_t
sdc_recoding_space_group(const SdcRecodingColumn *column, int32_t v, int level)
{
	return column
		->group[(size_t) v * (size_t) column->levels + (size_t) level];
}

/* What a value costs on a level. */
static inline double
sdc_recoding_space_share(const SdcRecodingColumn *column, int32_t v, int level)
{
	return column->cost[(size_t) v * (size_t) column->levels + (size_t) level];
}

/*
 * The cost of a record in the lowest generalized tuple that covers both; its
 * levels go to level unless that is NULL.  O(keys).
 */
extern double sdc_recoding_space_join(const SdcRecodingSpace *space,
									  const SdcRecodingBox *a,
									  const SdcRecodingBox *b, uint8_t *level);

/* The cost of a record of a generalized tuple.  O(keys). */
extern double sdc_recoding_space_cost(const SdcRecodingSpace *space,
									  int32_t tuple, const uint8_t *level);

/* A partition of the tuples; a class has the number of one of its tuples. */
typedef struct SdcRecodingClasses
{
	const SdcRecodingSpace *space;
	int32_t *of;      /* of[tuple]: its class; a class is its own */
	int32_t *next;    /* next[tuple]: the next member, round */
	int32_t *members; /* of each class */
	int64_t *size;    /* records */
	double *cost;     /* of each record */
	uint8_t *level;   /* level[class * keys + j] */
} SdcRecodingClasses;

/* Each tuple is a class.  Memory 28 bytes and one a key for each tuple. */
extern SdcRecodingClasses *
sdc_recoding_classes_new(SdcHost *host, const SdcRecodingSpace *space);

/* A class as a generalized tuple. */
extern SdcRecodingBox
sdc_recoding_classes_box(const SdcRecodingClasses *classes, int32_t number);

/*
 * Makes one class of two and returns its number, that of the one with more
 * members.  O(members of the smaller + keys).
 */
extern int32_t sdc_recoding_classes_merge(SdcRecodingClasses *classes,
										  int32_t a, int32_t b);

/*
 * Makes a class of these tuples, which must be all that are left of the
 * classes they were in or about to get a class as well: nothing is done about
 * who stays behind.  Its number is member[0].  O(count * keys).
 */
extern void sdc_recoding_classes_set(SdcRecodingClasses *classes,
									 const int32_t *member, int32_t count);

/*
 * Writes the members of a class to member[], in the order of the ring, from
 * the one that it has its number from; returns how many.  O(members).
 */
extern int32_t sdc_recoding_classes_list(const SdcRecodingClasses *classes,
										 int32_t number, int32_t *member);

/* What classes must satisfy. */
typedef struct SdcRecodingDemand SdcRecodingDemand;

/*
 * Classes need k records, and the bounds that sensitive[s] sets on the s-th of
 * the last columns of the table, of which there are so many.  The classes are
 * those of its other columns.  O(cells * sensitives).
 */
extern SdcRecodingDemand *
sdc_recoding_demand_new(SdcHost *host, const SdcFrequency *frequency,
						const SdcClasses *classes, int64_t k,
						const SdcClassRequest *sensitive, int sensitives);

/* No class of fewer records satisfies it. */
extern int64_t sdc_recoding_demand_least(const SdcRecodingDemand *demand);

/*
 * Would these tuples, of size records in all, be a class that satisfies it?
 * O(1) without a sensitive column, else O(their cells * log of that).
 */
extern bool sdc_recoding_demand_met(SdcRecodingDemand *demand,
									const int32_t *member, int32_t count,
									int64_t size);

/* The nodes of the lattice, the cheapest first. */
typedef struct SdcRecodingNodes SdcRecodingNodes;

/* Starts before the lowest node.  O(tuples * sum of levels). */
extern SdcRecodingNodes *sdc_recoding_nodes_new(SdcHost *host,
												const SdcRecodingSpace *space);

/*
 * The next node by the cost of all records at it; of equal ones the one that
 * was reached first.  NULL after the last.  *cost is the mean over the
 * records.  The levels stay until the next call.  O(keys log n) when
 * n nodes were given; memory up to (keys + 16) * keys bytes for each.
 */
extern const uint8_t *sdc_recoding_nodes_next(SdcRecodingNodes *nodes,
											  double *cost);

/* Gives back the queue and its nodes. */
extern void sdc_recoding_nodes_release(SdcHost *host, SdcRecodingNodes *nodes);

/* Tuples of a partition by what they generalize to. */
typedef struct SdcRecodingTree SdcRecodingTree;

/*
 * The tree of all tuples of a partition; a class is found at the tuple that it
 * is known by.  O(tuples * sum of levels * keys); memory at most 2 * (49 +
 * keys) bytes a tuple.
 */
extern SdcRecodingTree *
sdc_recoding_tree_new(SdcHost *host, const SdcRecodingClasses *classes);

/*
 * Tells how many records any class to be found has at least, 1 unless told:
 * the more, the faster searches end.
 */
extern void sdc_recoding_tree_expect(SdcRecodingTree *tree, int64_t least);

/* Tells that a class came about, or changed. */
extern void sdc_recoding_tree_add(SdcRecodingTree *tree, int32_t number);

/* Tells that a class is no more, or is not to be found. */
extern void sdc_recoding_tree_remove(SdcRecodingTree *tree, int32_t number);

/*
 * The class whose joining with the box costs least, and less than limit:
 * *increase is by how much the cost of all records of both rises.  The box is
 * no class of the tree.  -1 when there is none; of equal ones the least number
 * among those that were looked at.
 */
extern int32_t sdc_recoding_tree_nearest(SdcRecodingTree *tree,
										 const SdcRecodingBox *box,
										 double limit, double *increase);

/* Gives the tree back before the host ends. */
extern void sdc_recoding_tree_release(SdcRecodingTree *tree);

#endif
