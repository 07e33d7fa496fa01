/*
 * candidate_range.c
 *		Which masked values can be the masked version of a value.
 *
 * Everything is a binary search in the sorted keys of a file; a stratum is a
 * run of keys.
 */
#include "kernel/attack/candidate_range.h"

#include <math.h>

int32_t
sdc_candidate_range_below(const SdcCandidateKeys *keys, uint64_t key)
{
	int32_t low = 0;
	int32_t high = keys->count;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (keys->key[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t
stratum_of(uint64_t key)
{
	return (uint32_t) (key >> 32);
}

static bool
is_missing(uint64_t key)
{
	return (uint32_t) key == SDC_CANDIDATE_MISSING;
}

SdcCandidateRange
sdc_candidate_range_none(void)
{
	return (SdcCandidateRange){1, 0};
}

SdcCandidateRange
sdc_candidate_range_all(void)
{
	return (SdcCandidateRange){0, UINT64_MAX};
}

SdcCandidateRange
sdc_candidate_range_one(uint64_t key)
{
	return (SdcCandidateRange){key, key};
}

SdcCandidateRange
sdc_candidate_range_stratum(uint64_t key)
{
	SdcCandidateRange range;

	if (is_missing(key))
		return sdc_candidate_range_one(key);
	range.low = sdc_candidate_key(stratum_of(key), 0);
	range.high = sdc_candidate_key(stratum_of(key), SDC_CANDIDATE_MISSING - 1);
	return range;
}

SdcCandidateRank
sdc_candidate_range_rank(const SdcCandidateKeys *keys, uint64_t key)
{
	SdcCandidateRange stratum = sdc_candidate_range_stratum(key >> 32 << 32);
	int32_t start = sdc_candidate_range_below(keys, stratum.low);
	SdcCandidateRank rank;

	rank.values = sdc_candidate_range_below(keys, stratum.high + 1) - start;
	rank.low = sdc_candidate_range_below(keys, key) - start;
	rank.high = sdc_candidate_range_below(keys, key + 1) - start - 1;
	return rank;
}

SdcCandidateRange
sdc_candidate_range_swap(const SdcCandidateKeys *keys, uint64_t key, double p)
{
	SdcCandidateRank rank;
	SdcCandidateRange range;
	int32_t start;
	int64_t window;
	int64_t low;
	int64_t high;

	if (is_missing(key))
		return sdc_candidate_range_one(key);
	rank = sdc_candidate_range_rank(keys, key);
	if (rank.high < rank.low)
		return sdc_candidate_range_none();
	window = (int64_t) floor(p * rank.values / 100);
	low = rank.low - window;
	high = rank.high + window;
	start = sdc_candidate_range_below(keys, key) - rank.low;
	range.low = keys->key[start + (low < 0 ? 0 : low)];
	range.high =
		keys->key[start + (high < rank.values ? high : rank.values - 1)];
	return range;
}

SdcCandidateRange
sdc_candidate_range_adjacent(const SdcCandidateKeys *keys, uint32_t stratum,
							 uint32_t below, uint32_t above)
{
	SdcCandidateRange range =
		sdc_candidate_range_stratum(sdc_candidate_key(stratum, 0));
	int32_t start = sdc_candidate_range_below(keys, range.low);
	int32_t end = sdc_candidate_range_below(keys, range.high + 1);
	int32_t before =
		sdc_candidate_range_below(keys, sdc_candidate_key(stratum, below));
	int32_t after =
		sdc_candidate_range_below(keys, sdc_candidate_key(stratum, above));

	if (start == end)
		return sdc_candidate_range_none();
	if (before > start)
		range.low = keys->key[before - 1];
	if (after < end)
		range.high = keys->key[after];
	return range;
}
