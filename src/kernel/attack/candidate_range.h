/*
 * candidate_range.h
 *		Which masked values can be the masked version of a value.
 *
 * A value is known by its key: the number of its stratum above that of the
 * value among the values that occur, in their order.  Missing values come
 * last in their stratum.  What a mask can make of a value is then a range of
 * keys, and the masked records in it lie side by side when sorted.
 */
#ifndef SDC_KERNEL_CANDIDATE_RANGE_H
#define SDC_KERNEL_CANDIDATE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

static inline uint64_t
sdc_candidate_key(uint32_t stratum, uint32_t code)
{
	return (uint64_t) stratum << 32 | code;
}

/* How many keys of a file are below a key.  O(log count). */
extern int32_t sdc_candidate_range_below(const SdcCandidateKeys *keys,
										 uint64_t key);

/* No key, every key, and one key. */
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

#endif
