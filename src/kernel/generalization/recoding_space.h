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

#include "kernel/table/frequency.h"
#include "kernel/generalization/hierarchy.h"

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
	uint8_t *meet;  /* meet[v * values + w]: their lowest common level */
} SdcRecodingColumn;

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

/* Their lowest common level without the table of all pairs. */
extern int sdc_recoding_space_climb(const SdcRecodingColumn *column, int32_t v,
									int32_t w);

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

/*
 * The least cost of a record in any generalized tuple that covers a and
 * something that b covers.  O(keys).
 */
extern double sdc_recoding_space_bound(const SdcRecodingSpace *space,
									   const SdcRecodingBox *a,
									   const SdcRecodingBox *b);

/* The cost of a record of a generalized tuple.  O(keys). */
extern double sdc_recoding_space_cost(const SdcRecodingSpace *space,
									  int32_t tuple, const uint8_t *level);

#endif
