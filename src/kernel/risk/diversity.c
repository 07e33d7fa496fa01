/*
 * diversity.c
 *		l-diversity: how evenly the sensitive values of a class are spread.
 *
 * The entropy is a sum of counts times logarithms.  Each logarithm is turned
 * into a whole number of 2^-57, which loses nothing that a double holds, and
 * the sum is a 128-bit integer: so it is the same for any order of the counts.
 */
#include "kernel/risk/diversity.h"

#include <math.h>

/* libm: log and exp, in a measure, not in a mask. */

/* Logarithms of counts are below 44, so 6 bits stand before the point. */
#define UNIT 0x1p-57

/* How many values, how many records, and the most frequent value. */
typedef struct Summary
{
	int64_t records;
	int64_t most;
	int32_t values;
} Summary;

static Summary
summarize(const int64_t *count, int32_t n)
{
	Summary summary = {0, 0, 0};
	int32_t i;

	for (i = 0; i < n; i++)
	{
		summary.records += count[i];
		summary.values += count[i] > 0;
		if (count[i] > summary.most)
			summary.most = count[i];
	}
	return summary;
}

int64_t
sdc_diversity_records(const int64_t *count, int32_t n)
{
	return summarize(count, n).records;
}

int32_t
sdc_diversity_distinct(const int64_t *count, int32_t n)
{
	return summarize(count, n).values;
}

/* x ln x in units of 2^-57; x is at least 1. */
static __int128
fixed_x_ln_x(int64_t x)
{
	return (__int128) x * (int64_t) (log((double) x) / UNIT);
}

double
sdc_diversity_entropy(const int64_t *count, int32_t n)
{
	Summary summary = summarize(count, n);
	__int128 sum;
	int32_t i;

	/* equal counts are a tie that must not hang on the last bit */
	if ((__int128) summary.most * summary.values == summary.records)
		return summary.values;
	sum = fixed_x_ln_x(summary.records);
	for (i = 0; i < n; i++)
	{
		if (count[i] > 1)
			sum -= fixed_x_ln_x(count[i]);
	}
	return exp((double) sum * UNIT / (double) summary.records);
}

bool
sdc_diversity_is_entropy(const int64_t *count, int32_t n, double l)
{
	return sdc_diversity_entropy(count, n) >=
		   l * (1 - SDC_DIVERSITY_TOLERANCE);
}

double
sdc_diversity_frequency(const int64_t *count, int32_t n)
{
	Summary summary = summarize(count, n);

	return summary.records > 0
			   ? (double) summary.records / (double) summary.most
			   : 0;
}

/* Moves the root of a heap with the smallest on top to its place. */
static void
sift(int64_t *heap, int32_t n, int32_t root)
{
	int64_t count = heap[root];
	int32_t child;

	/* the left child is 2 root + 1, which must not overflow */
	while (root < n / 2)
	{
		child = 2 * root + 1;
		if (child + 1 < n && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= count)
			break;
		heap[root] = heap[child];
		root = child;
	}
	heap[root] = count;
}

/* Turns such a heap into descending order: the smallest goes to the end. */
static void
unroll(int64_t *heap, int32_t n)
{
	int32_t end;

	for (end = n - 1; end > 0; end--)
	{
		int64_t smallest = heap[0];

		heap[0] = heap[end];
		heap[end] = smallest;
		sift(heap, end, 0);
	}
}

int32_t
sdc_diversity_top(const int64_t *count, int32_t n, int64_t *top, int32_t k)
{
	int32_t filled = 0;
	int32_t i;

	for (i = 0; i < k; i++)
		top[i] = 0;
	for (i = 0; i < n && k > 0; i++)
	{
		if (count[i] > top[0])
		{
			top[0] = count[i];
			sift(top, k, 0);
		}
	}
	unroll(top, k);
	while (filled < k && top[filled] > 0)
		filled++;
	return filled;
}

/* Insertion for the few values of most classes, a heap for the others. */
void
sdc_diversity_rank(int64_t *count, int32_t n)
{
	int32_t i;
	int32_t j;

	if (n > 32)
	{
		for (i = n / 2 - 1; i >= 0; i--)
			sift(count, n, i);
		unroll(count, n);
		return;
	}
	for (i = 1; i < n; i++)
	{
		int64_t moving = count[i];

		for (j = i; j > 0 && count[j - 1] < moving; j--)
			count[j] = count[j - 1];
		count[j] = moving;
	}
}

/*
 * The first rank that is not eliminated, from 1; n + 1 when l is beyond the n
 * ranks there are.
 */
static int32_t
first_rank(double l, int32_t n)
{
	if (l > n)
		return n + 1;
	return l > 1 ? (int32_t) ceil(l) : 1;
}

/* r_l + ... + r_m */
static int64_t
tail(const int64_t *ranked, int32_t n, int32_t l)
{
	return l > n ? 0 : sdc_diversity_records(ranked + l - 1, n - l + 1);
}

bool
sdc_diversity_is_recursive(const int64_t *ranked, int32_t n, double c,
						   double l)
{
	return n > 0 &&
		   (double) ranked[0] < c * (double) tail(ranked, n, first_rank(l, n));
}

/* The tail grows from the last rank on; the first that is enough is it. */
int32_t
sdc_diversity_recursive(const int64_t *ranked, int32_t n, double c)
{
	int64_t sum = 0;
	int32_t l;

	for (l = n; l > 0; l--)
	{
		sum += ranked[l - 1];
		if ((double) ranked[0] < c * (double) sum)
			return l;
	}
	return 0;
}

/* Is the count among the first n ranks?  Ranks are descending. */
static bool
has_rank(const int64_t *ranked, int32_t n, int64_t count)
{
	return n > 0 && ranked[n - 1] <= count;
}

bool
sdc_diversity_is_pd_recursive(const int64_t *ranked, int32_t n, int64_t most,
							  double c, double l)
{
	int32_t first = first_rank(l, n);
	int64_t rest;

	if (most == 0)
		return true;
	if (first == 1 || has_rank(ranked, first - 1, most))
		rest = tail(ranked, n, first);
	else
		rest = tail(ranked, n, first - 1) - most;
	return (double) most < c * (double) rest;
}

int64_t
sdc_diversity_most(const int64_t *count, const bool *allowed, int32_t n)
{
	int64_t most = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		if (!allowed[i] && count[i] > most)
			most = count[i];
	}
	return most;
}

double
sdc_diversity_protected(const int64_t *count, const bool *marked, int32_t n,
						int32_t wanted)
{
	int64_t records = sdc_diversity_records(count, n);
	int64_t fewest = records;
	int32_t found = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		if (!marked[i])
			continue;
		found++;
		if (count[i] < fewest)
			fewest = count[i];
	}
	if (wanted == 0)
		return 100;
	if (found < wanted || records == 0)
		return 0;
	return 100.0 * (double) fewest / (double) records;
}
