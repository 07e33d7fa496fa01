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
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/points.h"
#include "kernel/linear/square.h"
#include "kernel/microaggregation/microaggregate.h"

const char *const sdc_microaggregate_words[] = {"optimal", "sorted", NULL};

/* ----------------------------------------------------------------------
 * The best partition of an order of rows into runs.
 *
 * least[i] is the least cost of the first i rows.  For every end the run is
 * lengthened backwards, row by row, and its cost kept up to date with the
 * running mean (Welford 1962), which loses no digits to far offsets.
 * ----------------------------------------------------------------------
 */

/* Numbers read between two polls. */
#define POLL_NUMBERS (1 << 20)

/* Rows along the first principal component. */
static int32_t *
order_rows(SdcHost *host, const SdcPoints *points)
{
	int d = points->columns;
	size_t n = (size_t) points->rows;
	double *axes = sdc_new(host, double, (size_t) d *(size_t) d);
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *order = sdc_new(host, int32_t, n);
	int32_t row;
	int j;

	sdc_principal_axes(host, n, d, (const double *const *) points->column, n,
					   axes);
	for (row = 0; row < points->rows; row++)
	{
		double along = 0;

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < d; j++)
			along += axes[j] * points->column[j][row];
		key[row] = sdc_sort_key(along);
		order[row] = row;
	}
	sdc_sort_keys(host, key, order, n);
	host->release(host, axes);
	host->release(host, key);
	return order;
}

/* Adds a row to a run of count rows: what it adds to the cost. */
static double
extend_run(const double *coordinates, int columns, int count, double *mean)
{
	double added = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		double difference = coordinates[j] - mean[j];

		mean[j] += difference / (count + 1);
		added += difference * (coordinates[j] - mean[j]);
	}
	return added;
}

/*
 * Finds the best last run of the first end rows; returns its length.  Rows lie
 * one after the other in value[].
 */
static int
best_run(const double *value, int columns, int32_t end, int k, double *least)
{
	double mean[SDC_MAX_COLUMNS] = {0};
	double cost = 0;
	int best = 0;
	int length;

	least[end] = INFINITY;
	for (length = 1; length <= 2 * k - 1 && length <= end; length++)
	{
		int32_t row = end - length;

		cost += extend_run(value + (size_t) row * (size_t) columns, columns,
						   length - 1, mean);
		if (length >= k && least[row] + cost < least[end])
		{
			least[end] = least[row] + cost;
			best = length;
		}
	}
	return best;
}

/* Labels the rows run by run, from the end of the order. */
static int32_t
label_runs(const int32_t *order, int32_t n, const int32_t *run, int32_t *group)
{
	int32_t groups = 0;
	int32_t end;
	int32_t i;

	for (end = n; end > 0; end -= run[end])
	{
		for (i = 1; i <= run[end]; i++)
			group[order[end - i]] = groups;
		groups++;
	}
	return groups;
}

int32_t
sdc_ordered_partition(SdcHost *host, const SdcPoints *points, int k,
					  int32_t *group)
{
	size_t n = (size_t) points->rows;
	size_t d = (size_t) points->columns;
	int32_t *order = order_rows(host, points);
	double *value = sdc_new(host, double, n *d);
	double *least = sdc_new(host, double, n + 1);
	int32_t *run = sdc_new(host, int32_t, n + 1);
	int64_t numbers = 0;
	int32_t groups;
	int32_t i;

	for (i = 0; i < points->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sdc_points_get(points, order[i], value + (size_t) i * d);
		least[i] = INFINITY;
	}
	least[0] = 0;
	for (i = k; i <= points->rows; i++)
	{
		run[i] = best_run(value, points->columns, i, k, least);
		numbers += (int64_t) 2 * k * points->columns;
		if (numbers > POLL_NUMBERS)
		{
			numbers = 0;
			host->poll(host, (uint64_t) i, n);
		}
	}
	groups = label_runs(order, points->rows, run, group);
	host->release(host, order);
	host->release(host, value);
	host->release(host, least);
	host->release(host, run);
	return groups;
}

/* ----------------------------------------------------------------------
 * Univariate microaggregation: groups of at least k neighbours get their
 * mean.
 * ----------------------------------------------------------------------
 */

/* Beyond this k the queue of candidates is quicker than trying every size. */
#define MAX_DIRECT_K 127

/* Below 2 to this power, and above its inverse, squares need no scaling. */
#define SAFE_EXPONENT 400

/* Numbers of ranks looked at together; they must not need one another. */
#define LANES 8

typedef double Lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t LaneBits __attribute__((vector_size(8 * LANES)));

typedef struct Sizes
{
	const double *x;
	int32_t k;
	double inverse[2 * MAX_DIRECT_K]; /* inverse[m] is 1 / m */
	double *cost;                     /* of the best partition of j ranks */
	uint8_t *size;                    /* of its last group */
} Sizes;

/*
 * The longest last group worth trying for j ranks.  The squared error of an
 * interval being Monge, the best start never moves back as j grows.
 */
static inline int
longest_group(const Sizes *sizes, int32_t j)
{
	int longest = sizes->size[j - 1] + 1;

	return longest < 2 * sizes->k - 1 ? longest : 2 * sizes->k - 1;
}

/* The best last group of j >= 2 k ranks. */
static inline void
find_size(Sizes *sizes, int32_t j)
{
	const double *x = sizes->x;
	double base = x[j - 1];
	double sum = 0;
	double squares = 0;
	double best = INFINITY;
	int best_size = sizes->k;
	int longest = longest_group(sizes, j);
	int m;

	for (m = 2; m <= longest; m++)
	{
		double shift = x[j - m] - base;
		double total;

		sum += shift;
		squares += shift * shift;
		if (m < sizes->k)
			continue;
		total = sizes->cost[j - m] + (squares - sum * sum * sizes->inverse[m]);
		best_size = total < best ? m : best_size;
		best = total < best ? total : best;
	}
	if (sizes->k == 1 && sizes->cost[j - 1] <= best)
	{
		best = sizes->cost[j - 1];
		best_size = 1;
	}
	sizes->cost[j] = best;
	sizes->size[j] = (uint8_t) best_size;
}

/* The same for j .. j + LANES - 1 at once, in the same arithmetic. */
static inline void
find_lanes(Sizes *sizes, int32_t j)
{
	const double *x = sizes->x;
	Lanes base;
	Lanes shift;
	Lanes sum = {0};
	Lanes squares = {0};
	Lanes best = sum + INFINITY;
	LaneBits best_size = (LaneBits) sum + sizes->k;
	int longest = sizes->size[j - 1] + LANES;
	int m;

	if (longest > 2 * sizes->k - 1)
		longest = 2 * sizes->k - 1;
	memcpy(&base, x + j - 1, sizeof(base));
	for (m = 2; m < sizes->k; m++)
	{
		memcpy(&shift, x + j - m, sizeof(shift));
		shift -= base;
		sum += shift;
		squares += shift * shift;
	}
	for (; m <= longest; m++)
	{
		Lanes total;
		LaneBits better;

		memcpy(&shift, x + j - m, sizeof(shift));
		memcpy(&total, sizes->cost + j - m, sizeof(total));
		shift -= base;
		sum += shift;
		squares += shift * shift;
		total += squares - sum * sum * sizes->inverse[m];
		better = total < best;
		best = (Lanes) ((better & (LaneBits) total) |
						(~better & (LaneBits) best));
		best_size = (better & m) | (~better & best_size);
	}
	memcpy(sizes->cost + j, &best, sizeof(best));
	for (m = 0; m < LANES; m++)
		sizes->size[j + m] = (uint8_t) best_size[m];
}

/*
 * Writes the last group's size for every number of ranks j >= k.  Fewer than
 * 2 k ranks are one group.
 */
static SDC_CLONES void
find_sizes(SdcHost *host, Sizes *sizes, int32_t n)
{
	int32_t k = sizes->k;
	int32_t polled = 0;
	int32_t j;

	for (j = 1; j < 2 * k; j++)
		sizes->inverse[j] = 1.0 / j;
	for (j = 0; j < 2 * k && j <= n; j++)
	{
		double sum = 0;
		double squares = 0;
		int32_t r;

		for (r = 0; r < j; r++)
		{
			double shift = sizes->x[r] - sizes->x[j - 1];

			sum += shift;
			squares += shift * shift;
		}
		sizes->cost[j] = j == 0  ? 0
						 : j < k ? INFINITY
								 : squares - sum * sum * sizes->inverse[j];
		sizes->size[j] = (uint8_t) j;
	}
	while (j <= n)
	{
		if (j - polled >= SDC_POLL_STEPS)
		{
			host->poll(host, j, n);
			polled = j;
		}
		if (k > LANES && j + LANES - 1 <= n)
		{
			find_lanes(sizes, j);
			j += LANES;
		}
		else
			find_size(sizes, j++);
	}
}

/*
 * Gives the ranks first .. last - 1 their mean, times unit.  A second pass
 * adds what the rounding of the first has lost.
 */
static void
put_mean(const double *x, int32_t first, int32_t last, double unit,
		 double *masked)
{
	double mean = x[first + (last - first) / 2];
	int pass;
	int32_t r;

	for (pass = 0; pass < 2; pass++)
	{
		double rest = 0;

		for (r = first; r < last; r++)
			rest += x[r] - mean;
		mean += rest / (last - first);
	}
	for (r = first; r < last; r++)
		masked[r] = mean * unit;
}

/*
 * The values, or where squares could overflow or vanish a copy of them times
 * a power of two; *unit undoes that.
 */
static const double *
scaled(SdcHost *host, const double *sorted, int32_t n, double *unit,
	   double **copy)
{
	double low = fabs(sorted[0]);
	double high = fabs(sorted[n - 1]);
	double inverse;
	int exponent;
	int32_t r;

	*copy = NULL;
	*unit = 1;
	frexp(low > high ? low : high, &exponent);
	if (exponent > -SAFE_EXPONENT && exponent < SAFE_EXPONENT)
		return sorted;
	/* both powers are normal numbers */
	exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
	*unit = ldexp(1, exponent);
	inverse = ldexp(1, -exponent);
	*copy = sdc_new(host, double, n);
	for (r = 0; r < n; r++)
		(*copy)[r] = sorted[r] * inverse;
	return *copy;
}

static void
put_fixed_groups(SdcHost *host, const double *x, int32_t n, int32_t k,
				 double unit, double *masked)
{
	int32_t first = 0;

	while (first < n)
	{
		int32_t last = n - first < 2 * (int64_t) k ? n : first + k;

		if (first % SDC_POLL_STEPS < k)
			host->poll(host, first, n);
		put_mean(x, first, last, unit, masked);
		first = last;
	}
}

static void
put_optimal_groups(SdcHost *host, const double *x, int32_t n, int32_t k,
				   double unit, double *masked)
{
	Sizes sizes = {x, k, {0}, NULL, NULL};
	int32_t *previous = NULL;
	int32_t last = n;

	if (k <= MAX_DIRECT_K)
	{
		sizes.cost = sdc_new(host, double, (size_t) n + 1);
		sizes.size = sdc_new(host, uint8_t, (size_t) n + 1);
		find_sizes(host, &sizes, n);
	}
	else
	{
		previous = sdc_new(host, int32_t, (size_t) n + 1);
		sdc_microaggregate_queue(host, x, n, k, previous);
	}
	while (last > 0)
	{
		int32_t first =
			previous == NULL ? last - sizes.size[last] : previous[last];

		put_mean(x, first, last, unit, masked);
		last = first;
	}
	host->release(host, sizes.cost);
	host->release(host, sizes.size);
	host->release(host, previous);
}

void
sdc_microaggregate(SdcHost *host, SdcMicroaggregateMethod method,
				   const double *sorted, int32_t n, int32_t k, double *masked)
{
	const double *x;
	double *copy;
	double unit;

	if (n == 0)
		return;
	host->stage(host, "grouping");
	x = scaled(host, sorted, n, &unit, &copy);
	if (method == SDC_MICROAGGREGATE_SORTED)
		put_fixed_groups(host, x, n, k, unit, masked);
	else
		put_optimal_groups(host, x, n, k, unit, masked);
	host->release(host, copy);
}
