/*
 * candidate.h
 *		The masked records that every part of a mask leaves possible.
 *
 * The intersection of the sets B_j(x) (Nin, Herranz and Torra 2008).
 */
#ifndef SDC_KERNEL_CANDIDATE_H
#define SDC_KERNEL_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/base/host.h"

/* The code of a missing value. */
#define SDC_CANDIDATE_MISSING UINT32_MAX

/* Keys low to high; none when low > high. */
typedef struct SdcCandidateRange
{
	uint64_t low;
	uint64_t high;
} SdcCandidateRange;

/* The keys of all records of one file, ascending. */
typedef struct SdcCandidateKeys
{
	int32_t count;
	const uint64_t *key;
} SdcCandidateKeys;

/* Where a value stands in its stratum, missing values left out. */
typedef struct SdcCandidateRank
{
	int32_t values; /* in the stratum */
	int32_t low;    /* rank of the first record with the value, from 0 */
	int32_t high;   /* rank of the last; low - 1 when no record has it */
} SdcCandidateRank;

/* The key of a value: its stratum above its code. */
static inline uint64_t
sdc_candidate_key(uint32_t stratum, uint32_t code)
{
	return (uint64_t) stratum << 32 | code;
}

/* How many keys of a file are below a key.  O(log count). */
extern int32_t sdc_candidate_range_below(const SdcCandidateKeys *keys,
										 uint64_t key);

/* The range of no key, of every key, and of one key. */
extern SdcCandidateRange sdc_candidate_range_none(void);
extern SdcCandidateRange sdc_candidate_range_all(void);
extern SdcCandidateRange sdc_candidate_range_one(uint64_t key);

/*
 * What a mask that moves values inside their stratum, and leaves missing ones
 * in their place, can make of the value with a key.
 */
extern SdcCandidateRange sdc_candidate_range_stratum(uint64_t key);

/* The rank of the value with a key in its stratum.  O(log count). */
extern SdcCandidateRank sdc_candidate_range_rank(const SdcCandidateKeys *keys,
												 uint64_t key);

/*
 * Classic rank swapping with a window of p percent (0 to 100) of the values
 * of the stratum, rounded down: a value goes to no rank further than the
 * window from its lowest or highest rank, in either direction (Nin, Herranz
 * and Torra 2008; the sources' window in one direction only misses half).
 * keys are those of a file with the same values in each stratum as the masked
 * one, mostly of that file itself.  A missing value stays missing; a value
 * that no record has can have become nothing.  O(log count).
 */
extern SdcCandidateRange sdc_candidate_range_swap(const SdcCandidateKeys *keys,
												  uint64_t key, double p);

/*
 * From the largest value of a stratum with a code below "below" to the
 * smallest with a code from "above" on, below <= above + 1; an end that has
 * no such value is open.  With the codes of released centroids, and x the
 * value: what univariate microaggregation can make of x.  O(log count).
 */
extern SdcCandidateRange
sdc_candidate_range_adjacent(const SdcCandidateKeys *keys, uint32_t stratum,
							 uint32_t below, uint32_t above);

/* Ranges of keys that a part leaves of each original record. */
#define SDC_CANDIDATE_RANGES 2

/* Parts that can be intersected at the most. */
#define SDC_CANDIDATE_PARTS 128

/*
 * The masked records in the order of their keys, row[position], where each of
 * them is in that order, position[row], and the places between which those of
 * original record i lie: first[r][i] .. end[r][i] - 1 for each range r.
 */
typedef struct SdcCandidateSet
{
	int32_t originals;
	int32_t masked;
	int32_t *row;
	int32_t *position;
	int32_t *first[SDC_CANDIDATE_RANGES];
	int32_t *end[SDC_CANDIDATE_RANGES];
} SdcCandidateSet;

/*
 * Sorts the keys of the masked records; sorted->key is allocated.  The order
 * is kept in set, which has no ranges yet.  O(masked).
 */
extern void sdc_candidate_set_sort(SdcHost *host, const uint64_t *key,
								   int32_t masked, SdcCandidateSet *set,
								   SdcCandidateKeys *sorted);

/* Makes room for the ranges of so many original records. */
extern void sdc_candidate_set_begin(SdcHost *host, SdcCandidateSet *set,
									int32_t originals);

/*
 * Says what record i can have become: keys in a or in b, which may overlap.
 * sorted is what sdc_candidate_set_sort returned.  O(log masked).
 */
extern void sdc_candidate_set_put(SdcCandidateSet *set,
								  const SdcCandidateKeys *sorted, int32_t i,
								  SdcCandidateRange a, SdcCandidateRange b);

/* How many masked records record i can have become. */
static inline int32_t
sdc_candidate_set_size(const SdcCandidateSet *set, int32_t i)
{
	return set->end[0][i] - set->first[0][i] + set->end[1][i] -
		   set->first[1][i];
}

/* Can original record i have become this masked record? */
static inline bool
sdc_candidate_set_has(const SdcCandidateSet *set, int32_t i, int32_t row)
{
	int32_t position = set->position[row];

	return (position >= set->first[0][i] && position < set->end[0][i]) ||
		   (position >= set->first[1][i] && position < set->end[1][i]);
}

/* a is the coordinate of an original record, b of a masked one, s a scale. */
typedef enum SdcCandidateLaw
{
	SDC_CANDIDATE_GAUSSIAN, /* normal noise with standard deviation s */
	SDC_CANDIDATE_LAPLACE,  /* Laplace noise with standard deviation s */
	SDC_CANDIDATE_BUCKETS,  /* 2^-|a - b|, a and b being numbers of buckets */
	SDC_CANDIDATE_RANKS,    /* normal density of the difference of the ranks
							 * a and b, mean and standard deviation s / 2 */
	SDC_CANDIDATE_ROUNDING, /* 1 - |a - b|, a and b in units of the base */
	SDC_CANDIDATE_RETENTION /* s [a = b] + (1 - s) share of b */
} SdcCandidateLaw;

/*
 * The weights of one part.  A coordinate that is NaN is missing and tells
 * nothing.  scale is by original record; share, of RETENTION only, by masked.
 */
typedef struct SdcCandidateWeight
{
	SdcCandidateLaw law;
	const double *original;
	const double *masked;
	const double *scale;
	const double *share;
} SdcCandidateWeight;

/*
 * What candidates are compared by.  original[j][i] and masked[j][m] are
 * standard scores of numeric columns, NaN being missing.  A column counts in
 * the cost as its squared difference divided by divisor[j], or not at all
 * when that is 0.
 */
typedef struct SdcCandidateScore
{
	int columns;
	double *const *original;
	double *const *masked;
	double *divisor;
	int weights;
	const SdcCandidateWeight *weight;
} SdcCandidateScore;

/*
 * The squared difference in standard scores of a column between an original
 * record and those that a part leaves possible, on the average: the divisor
 * that makes a column comparable with likelihoods.  Without set, over all
 * pairs.  O(originals + masked).
 */
extern double sdc_candidate_score_spread(SdcHost *host,
										 const SdcCandidateSet *set,
										 const double *original,
										 int32_t originals,
										 const double *masked, int32_t rows);

/*
 * For each of count candidates of original record i: the squared distance
 * over all columns, first to last; the deviance of the weights; and the cost,
 * the sum of that and of the columns that count.  The least cost is the best
 * candidate.  A value missing on one side counts as a squared difference of 2,
 * what two independent records have on the average.  O(count * (columns +
 * weights)).
 */
extern void sdc_candidate_score_run(const SdcCandidateScore *score, int32_t i,
									const int32_t *row, int32_t count,
									double *squared, double *deviance,
									double *cost);

/* The parts that are intersected, and what the last run has found. */
typedef struct SdcCandidateSearch
{
	SdcHost *host;
	int parts;
	const SdcCandidateSet *const *part;
	int32_t masked;
	/* the part with the smallest sets; -1 without parts */
	int pivot;
	/*
	 * at[j][t]: the position in part j of the record at t of the pivot, or,
	 * when there is a tree, at place t of the tree
	 */
	int32_t **at;
	struct SdcCandidateTree *tree; /* NULL: sets are scanned */
	/* records of the scan that are looked at together, and whether they fit */
	int32_t *fits;
	/* what the last run found */
	int32_t count;
	int32_t *row;
	/* masked records looked at since the last poll */
	int64_t looked;
} SdcCandidateSearch;

/*
 * Prepares to intersect these parts, which must stay where they are; without
 * parts every masked record is possible.  Where sets are large and some
 * records show that boxes of records are looked at sooner than runs of the
 * smallest sets, a tree of boxes is made.  O(parts * masked) time, the tree in
 * O(masked log masked); 4 (parts + 1) bytes per masked record, the tree 60
 * more.
 */
extern SdcCandidateSearch *
sdc_candidate_search_create(SdcHost *host, int parts,
							const SdcCandidateSet *const *part,
							int32_t masked);

/*
 * Finds the masked records that original record i can have become: row[0] ..
 * row[count - 1], each once.  Stops, with count > limit, when there are more
 * than limit.  Looks at the records that one part leaves possible, the one
 * with the smallest sets, or at boxes: about as many records as there are
 * candidates and near ones; polls.
 */
extern void sdc_candidate_search_run(SdcCandidateSearch *search, int32_t i,
									 int32_t limit);

#endif
