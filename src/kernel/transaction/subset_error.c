/*
 * subset_error.c
 *		The measure subset: how wrong the turnover of few customers can be.
 *
 * A window slides over the days; sums are whole numbers, so that nothing is
 * lost as days enter and leave.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/transaction/subset_error.h"

/* The middle one of three. */
static int64_t
median(int64_t a, int64_t b, int64_t c)
{
	if (a < b)
		return b < c ? b : (a < c ? c : a);
	return a < c ? a : (b < c ? c : b);
}

static void
swap(int64_t *value, int32_t a, int32_t b)
{
	int64_t moved = value[a];

	value[a] = value[b];
	value[b] = moved;
}

/* Moves the k largest of n values to the front. */
static void
part_largest(int64_t *value, int32_t n, int32_t k)
{
	int32_t low = 0;
	int32_t high = n;

	while (high - low > 1)
	{
		int64_t pivot =
			median(value[low], value[low + (high - low) / 2], value[high - 1]);
		int32_t above = low; /* values before it are larger */
		int32_t below = high;
		int32_t i = low;

		while (i < below)
			if (value[i] > pivot)
				swap(value, i++, above++);
			else if (value[i] < pivot)
				swap(value, i, --below);
			else
				i++;
		if (k <= above)
			high = above;
		else if (k >= below)
			low = below;
		else
			return;
	}
}

/* The sum of the k largest of n values, which are put in another order. */
static int64_t
largest_sum(int64_t *value, int32_t n, int32_t k)
{
	int64_t sum = 0;
	int32_t i;

	part_largest(value, n, k);
	for (i = 0; i < k; i++)
		sum += value[i];
	return sum;
}

static int64_t
worst_choice(const int64_t *sum, int64_t *scratch, int32_t n, int32_t k)
{
	int64_t high;
	int64_t low;
	int32_t i;

	memcpy(scratch, sum, sizeof(int64_t) * (size_t) n);
	high = largest_sum(scratch, n, k);
	for (i = 0; i < n; i++)
		scratch[i] = -sum[i];
	low = largest_sum(scratch, n, k);
	return high > low ? high : low;
}

int64_t
sdc_subset_error(SdcHost *host, const SdcSubsetDay *days, int64_t count,
				 int32_t customers, int32_t k, int64_t span)
{
	int64_t *sum = sdc_new(host, int64_t, (size_t) customers);
	int64_t *scratch = sdc_new(host, int64_t, (size_t) customers);
	int64_t worst = 0;
	int64_t in = 0;  /* the first that has not entered */
	int64_t out = 0; /* the first that has not left */

	host->stage(host, "sliding windows");
	memset(sum, 0, sizeof(int64_t) * (size_t) customers);
	while (in < count)
	{
		int64_t last; /* day of the window that changes next */
		int64_t found;

		last = days[in].day;
		if (out < in && days[out].day + span < last)
			last = days[out].day + span;
		while (out < in && days[out].day + span <= last)
		{
			sum[days[out].customer] -= days[out].difference;
			out++;
		}
		while (in < count && days[in].day <= last)
		{
			sum[days[in].customer] += days[in].difference;
			in++;
		}
		host->poll(host, (uint64_t) in, (uint64_t) count);
		found = worst_choice(sum, scratch, customers, k);
		worst = found > worst ? found : worst;
	}
	/* no day enters any more */
	while (out < in)
	{
		int64_t day = days[out].day;
		int64_t found;

		for (; out < in && days[out].day == day; out++)
			sum[days[out].customer] -= days[out].difference;
		host->poll(host, (uint64_t) in, (uint64_t) count);
		found = worst_choice(sum, scratch, customers, k);
		worst = found > worst ? found : worst;
	}
	host->release(host, sum);
	host->release(host, scratch);
	return worst;
}

SdcSubsetDay *
sdc_subset_sort(SdcHost *host, const SdcSubsetDay *days, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	SdcSubsetDay *sorted = sdc_new(host, SdcSubsetDay, (size_t) n + 1);
	int32_t r;

	for (r = 0; r < n; r++)
	{
		key[r] = sdc_sort_key((double) days[r].day);
		row[r] = r;
	}
	sdc_sort_keys(host, key, row, (size_t) n);
	for (r = 0; r < n; r++)
		sorted[r] = days[row[r]];
	host->release(host, key);
	host->release(host, row);
	return sorted;
}
