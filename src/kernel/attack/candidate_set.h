/*
 * candidate_set.h
 *		The masked records that one part of a mask leaves possible.
 *
 * A part is what was done to one column, or to several together.  It leaves
 * each original record a set of masked records, B_j(x): those whose keys lie
 * in one or two ranges (candidate_range.h).
 */
#ifndef SDC_KERNEL_CANDIDATE_SET_H
#define SDC_KERNEL_CANDIDATE_SET_H

#include "kernel/attack/candidate_range.h"
#include "kernel/base/host.h"

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

#endif
