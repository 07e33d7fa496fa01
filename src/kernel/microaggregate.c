/*
 * microaggregate.c
 *		Univariate microaggregation: groups of at least k neighbours get their
 *		mean.
 *
 * The best partition of the first j ranks ends with a group of k .. 2k - 1
 * ranks (a longer one could be cut in two at no loss) behind the best
 * partition of the rest, which gives a dynamic programme over j.  Sums are
 * taken around the group's own last value, so a large common offset costs no
 * digits, and values are scaled by a power of two, so that squares neither
 * overflow nor vanish.
 */
#include "kernel/microaggregate.h"

#include <math.h>

/* Beyond this k the queue of candidates is quicker than trying every size. */
#define MAX_DIRECT_K 64

/*
 * Writes the last group's size for every number of ranks j >= k.  inverse[m]
 * is 1 / m.
 */
static void
find_sizes(SdcHost *host, const double *x, int32_t n, int32_t k, double *cost,
		   uint8_t *size)
{
	double inverse[2 * MAX_DIRECT_K];
	int32_t j;
	int m;

	for (m = 1; m < 2 * k; m++)
		inverse[m] = 1.0 / m;
	cost[0] = 0;
	for (j = 1; j < k; j++)
		cost[j] = INFINITY;
	for (j = k; j <= n; j++)
	{
		double base = x[j - 1];
		double sum = 0;
		double squares = 0;
		double best = INFINITY;
		int best_size = k;
		int longest = j < 2 * k - 1 ? j : 2 * k - 1;

		if (j % SDC_POLL_STEPS == 0)
			host->poll(host, j, n);
		for (m = 2; m < k; m++)
		{
			double shift = x[j - m] - base;

			sum += shift;
			squares += shift * shift;
		}
		for (m = k; m <= longest; m++)
		{
			double shift = x[j - m] - base;
			double total;
			bool better;

			sum += shift;
			squares += shift * shift;
			total = cost[j - m] + (squares - sum * sum * inverse[m]);
			better = total < best;
			best = better ? total : best;
			best_size = better ? m : best_size;
		}
		cost[j] = best;
		size[j] = (uint8_t) best_size;
	}
}

/*
 * Gives the ranks first .. last - 1 their mean.  A second pass adds what the
 * rounding of the first has lost.
 */
static void
put_mean(const double *sorted, int32_t first, int32_t last, int exponent,
		 double *masked)
{
	double mean = ldexp(sorted[first + (last - first) / 2], -exponent);
	int pass;
	int32_t r;

	for (pass = 0; pass < 2; pass++)
	{
		double rest = 0;

		for (r = first; r < last; r++)
			rest += ldexp(sorted[r], -exponent) - mean;
		mean += rest / (last - first);
	}
	mean = ldexp(mean, exponent);
	for (r = first; r < last; r++)
		masked[r] = mean;
}

/* A power of two that brings the largest magnitude near 1. */
static int
scale_exponent(const double *sorted, int32_t n)
{
	double low = fabs(sorted[0]);
	double high = fabs(sorted[n - 1]);
	int exponent;

	frexp(low > high ? low : high, &exponent);
	return exponent;
}

static void
put_fixed_groups(SdcHost *host, const double *sorted, int32_t n, int32_t k,
				 int exponent, double *masked)
{
	int32_t first = 0;

	while (first < n)
	{
		int32_t last = n - first < 2 * (int64_t) k ? n : first + k;

		if (first % SDC_POLL_STEPS < k)
			host->poll(host, first, n);
		put_mean(sorted, first, last, exponent, masked);
		first = last;
	}
}

static void
put_optimal_groups(SdcHost *host, const double *sorted, int32_t n, int32_t k,
				   int exponent, double *masked)
{
	double *x = sdc_new(host, double, n);
	double *cost = NULL;
	uint8_t *size = NULL;
	int32_t *previous = NULL;
	int32_t last = n;
	int32_t r;

	for (r = 0; r < n; r++)
		x[r] = ldexp(sorted[r], -exponent);
	if (k <= MAX_DIRECT_K)
	{
		cost = sdc_new(host, double, (size_t) n + 1);
		size = sdc_new(host, uint8_t, (size_t) n + 1);
		find_sizes(host, x, n, k, cost, size);
	}
	else
	{
		previous = sdc_new(host, int32_t, (size_t) n + 1);
		sdc_microaggregate_queue(host, x, n, k, previous);
	}
	while (last > 0)
	{
		int32_t first = size != NULL ? last - size[last] : previous[last];

		put_mean(sorted, first, last, exponent, masked);
		last = first;
	}
	host->release(host, x);
	host->release(host, cost);
	host->release(host, size);
	host->release(host, previous);
}

void
sdc_microaggregate(SdcHost *host, SdcMicroaggregateMethod method,
				   const double *sorted, int32_t n, int32_t k, double *masked)
{
	int exponent;

	if (n == 0)
		return;
	host->stage(host, "grouping");
	exponent = scale_exponent(sorted, n);
	if (method == SDC_MICROAGGREGATE_SORTED)
		put_fixed_groups(host, sorted, n, k, exponent, masked);
	else
		put_optimal_groups(host, sorted, n, k, exponent, masked);
}
