/*
 * kernel_univariate.c
 *		Speed of the masks of one column: optimal microaggregation and rank
 *		swapping.
 *
 * Each figure covers all that a mask does to a column of doubles in memory:
 * sort it, work on the ranks, write the result back in the order of the rows.
 * The reference is the textbook version of the same mask on qsort: the
 * shortest path over prefix sums, and swapping with a partner that is drawn
 * until it is free.  The remark gives million rows a second and how many
 * times slower the reference was.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/microaggregation/microaggregate.h"

/* What is masked: one of the two kernels with its parameter. */
typedef struct Job
{
	const char *name;
	int32_t k; /* 0: rank swapping */
	SdcRankSwapMethod method;
	double p;
} Job;

/* ---------- the product ---------- */

static int32_t *
sort_column(SdcHost *host, const double *value, int32_t n)
{
	uint64_t *keys = sdc_new(host, uint64_t, n);
	int32_t *rows = sdc_new(host, int32_t, n);
	int32_t i;

	for (i = 0; i < n; i++)
	{
		keys[i] = sdc_sort_key(value[i]);
		rows[i] = i;
	}
	sdc_sort_keys(host, keys, rows, n);
	host->release(host, keys);
	return rows;
}

static void
run_kernel(const Job *job, const double *value, int32_t n, double *masked)
{
	SdcHost *host = bench_host();
	int32_t *rows = sort_column(host, value, n);
	double *sorted = sdc_new(host, double, n);
	int32_t i;

	for (i = 0; i < n; i++)
		sorted[i] = value[rows[i]];
	if (job->k > 0)
	{
		double *mean = sdc_new(host, double, n);

		sdc_microaggregate(host, SDC_MICROAGGREGATE_OPTIMAL, sorted, n, job->k,
						   mean);
		for (i = 0; i < n; i++)
			masked[rows[i]] = mean[i];
		host->release(host, mean);
	}
	else
	{
		int32_t *from = sdc_new(host, int32_t, n);
		SdcRandom random;

		sdc_random_seed(&random, 1, 1);
		sdc_rank_swap(host, job->method, n, sdc_rank_swap_window(job->p, n),
					  &random, from);
		for (i = 0; i < n; i++)
			masked[rows[i]] = sorted[from[i]];
		host->release(host, from);
	}
	host->release(host, sorted);
	host->release(host, rows);
}

/* ---------- the textbook ---------- */

typedef struct Pair
{
	double value;
	int32_t row;
} Pair;

static int
compare_pairs(const void *a, const void *b)
{
	const Pair *x = a;
	const Pair *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static Pair *
sorted_pairs(const double *value, int32_t n)
{
	Pair *pairs = malloc(n * sizeof(Pair));
	int32_t i;

	for (i = 0; i < n; i++)
	{
		pairs[i].value = value[i];
		pairs[i].row = i;
	}
	qsort(pairs, n, sizeof(Pair), compare_pairs);
	return pairs;
}

/* The shortest path of Hansen and Mukherjee over prefix sums. */
static void
reference_microaggregate(const double *value, int32_t n, int32_t k,
						 double *masked)
{
	Pair *pairs = sorted_pairs(value, n);
	double *sum = calloc((size_t) n + 1, sizeof(double));
	double *squares = calloc((size_t) n + 1, sizeof(double));
	double *cost = malloc(((size_t) n + 1) * sizeof(double));
	int32_t *start = malloc(((size_t) n + 1) * sizeof(int32_t));
	int32_t last;
	int32_t i;
	int32_t j;

	for (i = 0; i < n; i++)
	{
		sum[i + 1] = sum[i] + pairs[i].value;
		squares[i + 1] = squares[i] + pairs[i].value * pairs[i].value;
	}
	cost[0] = 0;
	for (j = 1; j <= n; j++)
	{
		cost[j] = INFINITY;
		for (i = j - k; i >= 0 && i > j - 2 * k; i--)
		{
			double s = sum[j] - sum[i];
			double c = cost[i] + squares[j] - squares[i] - s * s / (j - i);

			if (c < cost[j])
			{
				cost[j] = c;
				start[j] = i;
			}
		}
	}
	for (last = n; last > 0; last = start[last])
		for (i = start[last]; i < last; i++)
			masked[pairs[i].row] =
				(sum[last] - sum[start[last]]) / (last - start[last]);
	free(pairs);
	free(sum);
	free(squares);
	free(cost);
	free(start);
}

/* A free rank of low .. high, drawn until one is found, or -1. */
static int32_t
draw_free(const bool *taken, int32_t low, int32_t high, SdcRandom *random)
{
	int32_t i;
	int tries;

	if (low > high)
		return -1;
	for (tries = 0; tries < 1000; tries++)
	{
		i = low + (int32_t) sdc_random_below(random, high - low + 1);
		if (!taken[i])
			return i;
	}
	for (i = low; i <= high; i++)
		if (!taken[i])
			return i;
	return -1;
}

static int32_t
reference_partner(const Job *job, const bool *taken, int32_t n, int32_t w,
				  int32_t i, SdcRandom *random)
{
	int tries;

	if (job->method == SDC_RANK_SWAP_CLASSIC)
		return draw_free(taken, i + 1, i + w < n ? i + w : n - 1, random);
	for (tries = 0; tries < 100; tries++)
	{
		int64_t j;

		if (job->method == SDC_RANK_SWAP_DISTRIBUTION)
			j = i +
				(int64_t) rint(0.5 * w + 0.5 * w * sdc_random_normal(random));
		else
		{
			int64_t bucket = i / w;
			int64_t low;

			while (sdc_random_bits(random) >> 63)
				bucket++;
			low = bucket * w > i ? bucket * w : i + 1;
			if (low >= n)
				continue;
			j = bucket * w + w - 1;
			j = draw_free(taken, (int32_t) low, j < n ? (int32_t) j : n - 1,
						  random);
		}
		if (j >= 0 && j < n && j != i && !taken[j])
			return (int32_t) j;
	}
	return -1;
}

static void
reference_rank_swap(const Job *job, const double *value, int32_t n,
					double *masked)
{
	Pair *pairs = sorted_pairs(value, n);
	bool *taken = calloc(n, sizeof(bool));
	int32_t w = sdc_rank_swap_window(job->p, n);
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, 1, 1);
	for (i = 0; i < n; i++)
		masked[i] = value[i];
	for (i = 0; i < n; i++)
	{
		int32_t j;

		if (taken[i])
			continue;
		taken[i] = true;
		j = reference_partner(job, taken, n, w, i, &random);
		if (j < 0)
			continue;
		taken[j] = true;
		masked[pairs[i].row] = pairs[j].value;
		masked[pairs[j].row] = pairs[i].value;
	}
	free(pairs);
	free(taken);
}

/* ---------- measuring ---------- */

/* The smallest CPU time of a few runs. */
static double
measure(const Job *job, bool reference, const double *value, int32_t n,
		double *masked, int runs)
{
	double best = INFINITY;
	int run;

	for (run = 0; run < runs; run++)
	{
		double start = bench_start();
		double seconds;

		if (!reference)
			run_kernel(job, value, n, masked);
		else if (job->k > 0)
			reference_microaggregate(value, n, job->k, masked);
		else
			reference_rank_swap(job, value, n, masked);
		seconds = bench_stop(start);
		best = seconds < best ? seconds : best;
	}
	return best;
}

/* Rows, and how often the kernel and the reference run. */
static void
measure_all(const Job *jobs, int count, int32_t n, int runs,
			int reference_runs)
{
	double *value = malloc(n * sizeof(double));
	double *masked = malloc(n * sizeof(double));
	SdcRandom random;
	int32_t i;
	int j;

	/* incomes: skewed, to the cent, so that about half are not unique */
	sdc_random_seed(&random, 1, n);
	for (i = 0; i < n; i++)
		value[i] = rint(100 * exp(8 + sdc_random_normal(&random))) / 100;
	for (j = 0; j < count; j++)
	{
		double reference = 0;
		double seconds;
		char remark[100] = "";

		/* the kernel last: its peak is what the line reports */
		if (reference_runs > 0)
			reference =
				measure(&jobs[j], true, value, n, masked, reference_runs);
		seconds = measure(&jobs[j], false, value, n, masked, runs);
		if (reference_runs > 0)
			snprintf(remark, sizeof(remark), "; reference %.1f times",
					 reference / seconds);
		bench_line("univariate", jobs[j].name, n, 1, seconds,
				   "%.1f M rows/s%s", n / seconds / 1e6, remark);
	}
	free(value);
	free(masked);
}

int
main(void)
{
	static const Job jobs[] = {
		{"optimal k = 3", 3, 0, 0},
		{"optimal k = 5", 5, 0, 0},
		{"optimal k = 10", 10, 0, 0},
		{"optimal k = 100", 100, 0, 0},
		{"rank swap p = 0.5", 0, SDC_RANK_SWAP_CLASSIC, 0.5},
		{"rank swap p = 5", 0, SDC_RANK_SWAP_CLASSIC, 5},
		{"rank swap p = 15", 0, SDC_RANK_SWAP_CLASSIC, 15},
		{"rank swap p = 50", 0, SDC_RANK_SWAP_CLASSIC, 50},
		{"rank swap p = 100", 0, SDC_RANK_SWAP_CLASSIC, 100},
		{"rank swap buckets p = 5", 0, SDC_RANK_SWAP_BUCKETS, 5},
		{"rank swap distribution p = 5", 0, SDC_RANK_SWAP_DISTRIBUTION, 5},
	};
	const int count = sizeof(jobs) / sizeof(*jobs);

	measure_all(jobs, count, 1000000, 5, 2);
	measure_all(jobs, count, 10000000, 2, 0);
	return 0;
}
