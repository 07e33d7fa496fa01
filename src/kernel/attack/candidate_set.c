/*
 * candidate_set.c
 *		The masked records that one part of a mask leaves possible.
 */
#include "kernel/attack/candidate_set.h"

#include <string.h>

#include "kernel/base/sort.h"

void
sdc_candidate_set_sort(SdcHost *host, const uint64_t *key, int32_t masked,
					   SdcCandidateSet *set, SdcCandidateKeys *sorted)
{
	uint64_t *keys = sdc_new(host, uint64_t, masked);
	int32_t i;

	memset(set, 0, sizeof(*set));
	set->masked = masked;
	set->row = sdc_new(host, int32_t, masked);
	set->position = sdc_new(host, int32_t, masked);
	for (i = 0; i < masked; i++)
	{
		keys[i] = key[i];
		set->row[i] = i;
	}
	sdc_sort_keys(host, keys, set->row, masked);
	for (i = 0; i < masked; i++)
		set->position[set->row[i]] = i;
	sorted->count = masked;
	sorted->key = keys;
}

void
sdc_candidate_set_begin(SdcHost *host, SdcCandidateSet *set, int32_t originals)
{
	int r;

	set->originals = originals;
	for (r = 0; r < SDC_CANDIDATE_RANGES; r++)
	{
		set->first[r] = sdc_new(host, int32_t, originals);
		set->end[r] = sdc_new(host, int32_t, originals);
	}
}

/* The places of a range; 0 and 0 when it holds nothing. */
static void
find_places(const SdcCandidateKeys *sorted, SdcCandidateRange range,
			int32_t *first, int32_t *end)
{
	*first = 0;
	*end = 0;
	if (range.low > range.high)
		return;
	*first = sdc_candidate_range_below(sorted, range.low);
	*end = range.high == UINT64_MAX
			   ? sorted->count
			   : sdc_candidate_range_below(sorted, range.high + 1);
	if (*first == *end)
		*first = *end = 0;
}

static int32_t
larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

void
sdc_candidate_set_put(SdcCandidateSet *set, const SdcCandidateKeys *sorted,
					  int32_t i, SdcCandidateRange a, SdcCandidateRange b)
{
	int32_t first[2];
	int32_t end[2];

	find_places(sorted, a, &first[0], &end[0]);
	find_places(sorted, b, &first[1], &end[1]);
	/* no record may be counted twice */
	if (first[0] < end[1] && first[1] < end[0])
	{
		first[0] = first[0] < first[1] ? first[0] : first[1];
		end[0] = larger(end[0], end[1]);
		first[1] = end[1] = 0;
	}
	set->first[0][i] = first[0];
	set->end[0][i] = end[0];
	set->first[1][i] = first[1];
	set->end[1][i] = end[1];
}
