/*
 * microaggregate_group.c
 *		Multivariate microaggregation: groups of at least k similar rows.
 *
 * Brings rows into canonical order, lets a method group them and carries the
 * groups back to the rows of the input.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/index/norm_shell.h"
#include "kernel/index/points.h"
#include "kernel/linear/moments.h"
#include "kernel/microaggregation/local_search.h"
#include "kernel/microaggregation/mdav.h"
#include "kernel/microaggregation/microaggregate.h"
#include "kernel/microaggregation/microaggregate_group.h"
#include "kernel/microaggregation/mondrian.h"
#include "kernel/microaggregation/vmdav.h"

const char *const sdc_group_words[] = {"mdav", "vmdav",    "fast", "best",
									   "pca",  "mondrian", NULL};

/* ----------------------------------------------------------------------
 * The optimal univariate partition for large k in O(n log n).
 *
 * Let f(i, j) be the loss of the best partition of j ranks whose last group
 * starts at rank i.  The squared error of an interval of sorted values is
 * Monge, so once a later start i is at least as good as an earlier one, it
 * stays so for every larger j.  The starts that are best for some j therefore
 * form a queue with the ends from which each takes over; a new start removes
 * those it beats at once and finds its own end by bisection.
 *
 * The squared error comes from prefix sums.  They cancel badly in plain
 * doubles, so they are kept as unevaluated sums of two doubles (Dekker 1971),
 * about 32 digits.
 * ----------------------------------------------------------------------
 */

typedef struct Twofold
{
	double high;
	double low;
} Twofold;

typedef struct Queue
{
	int32_t n;
	int32_t k;
	Twofold *sum;
	Twofold *squares;
	double *cost;
	int32_t *start; /* candidate starts, best first */
	int32_t *since; /* smallest j at which the candidate is best */
	int32_t head;
	int32_t tail;
} Queue;

/* high + low without loss, for any a and b. */
static Twofold
twofold_sum(double a, double b)
{
	Twofold result;
	double part;

	result.high = a + b;
	part = result.high - a;
	result.low = (a - (result.high - part)) + (b - part);
	return result;
}

static Twofold
twofold_add(Twofold a, Twofold b)
{
	Twofold result = twofold_sum(a.high, b.high);

	return twofold_sum(result.high, result.low + a.low + b.low);
}

static Twofold
twofold_subtract(Twofold a, Twofold b)
{
	b.high = -b.high;
	b.low = -b.low;
	return twofold_add(a, b);
}

/* The two halves of a double's digits (Dekker's splitting). */
static Twofold
twofold_split(double a)
{
	Twofold result;
	double scaled = 134217729.0 * a; /* 2^27 + 1 */

	result.high = scaled - (scaled - a);
	result.low = a - result.high;
	return result;
}

/* a * b without loss. */
static Twofold
twofold_product(double a, double b)
{
	Twofold x = twofold_split(a);
	Twofold y = twofold_split(b);
	Twofold result;

	result.high = a * b;
	result.low =
		((x.high * y.high - result.high) + x.high * y.low + x.low * y.high) +
		x.low * y.low;
	return result;
}

/* Sum of squared errors of the ranks start .. end - 1. */
static double
interval_error(const Queue *queue, int32_t start, int32_t end)
{
	Twofold sum = twofold_subtract(queue->sum[end], queue->sum[start]);
	Twofold squares =
		twofold_subtract(queue->squares[end], queue->squares[start]);
	Twofold product = twofold_product(sum.high, sum.high);
	double m = end - start;
	double quotient;
	Twofold rest;

	product.low += 2 * sum.high * sum.low;
	quotient = product.high / m;
	rest = twofold_subtract(product, twofold_product(quotient, m));
	squares = twofold_subtract(squares, twofold_sum(quotient, rest.high / m));
	return squares.high > 0 ? squares.high : 0;
}

static double
total_cost(const Queue *queue, int32_t start, int32_t end)
{
	return queue->cost[start] + interval_error(queue, start, end);
}

/* The smallest end in low .. high at which later is as good as earlier. */
static int32_t
take_over(const Queue *queue, int32_t earlier, int32_t later, int32_t low,
		  int32_t high)
{
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (total_cost(queue, later, middle) <=
			total_cost(queue, earlier, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Offers a new start, whose groups may end at start + k or later. */
static void
offer_start(Queue *queue, int32_t start)
{
	int32_t earliest = start + queue->k;
	int32_t since = earliest;

	while (queue->tail > queue->head)
	{
		int32_t last = queue->start[queue->tail - 1];
		int32_t from = queue->since[queue->tail - 1];

		if (from < earliest)
			from = earliest;
		if (total_cost(queue, start, from) > total_cost(queue, last, from))
		{
			since = take_over(queue, last, start, from, queue->n + 1);
			break;
		}
		since = from;
		queue->tail--;
	}
	if (since > queue->n)
		return;
	queue->start[queue->tail] = start;
	queue->since[queue->tail] = since;
	queue->tail++;
}

/* Prefix sums of the values around the middle one. */
static void
sum_up(const double *sorted, Queue *queue)
{
	double middle = sorted[queue->n / 2];
	Twofold zero = {0, 0};
	int32_t r;

	queue->sum[0] = queue->squares[0] = zero;
	for (r = 0; r < queue->n; r++)
	{
		double shift = sorted[r] - middle;

		queue->sum[r + 1] = twofold_add(queue->sum[r], twofold_sum(shift, 0));
		queue->squares[r + 1] =
			twofold_add(queue->squares[r], twofold_product(shift, shift));
	}
}

void
sdc_microaggregate_queue(SdcHost *host, const double *sorted, int32_t n,
						 int32_t k, int32_t *previous)
{
	Queue queue;
	size_t room = (size_t) n + 1;
	int32_t end;

	queue.n = n;
	queue.k = k;
	queue.sum = sdc_new(host, Twofold, room);
	queue.squares = sdc_new(host, Twofold, room);
	queue.cost = sdc_new(host, double, room);
	queue.start = sdc_new(host, int32_t, room);
	queue.since = sdc_new(host, int32_t, room);
	queue.head = queue.tail = 0;
	sum_up(sorted, &queue);
	queue.cost[0] = 0;
	for (end = k; end <= n; end++)
	{
		if (end % 1024 == 0)
			host->poll(host, end, n);
		/* a start is of use only if it can itself end a partition */
		if (end == k || end - k >= k)
			offer_start(&queue, end - k);
		while (queue.head + 1 < queue.tail &&
			   queue.since[queue.head + 1] <= end)
			queue.head++;
		previous[end] = queue.start[queue.head];
		queue.cost[end] = total_cost(&queue, queue.start[queue.head], end);
	}
	host->release(host, queue.sum);
	host->release(host, queue.squares);
	host->release(host, queue.cost);
	host->release(host, queue.start);
	host->release(host, queue.since);
}

/* ----------------------------------------------------------------------
 * Multivariate microaggregation: groups of at least k similar rows.
 *
 * Brings rows into canonical order, lets a method group them and carries the
 * groups back to the rows of the input.
 * ----------------------------------------------------------------------
 */

/* Rows of a block of the fast method. */
#define BLOCK_ROWS 30000

/* More rows than this are grouped in blocks before the local search. */
#define MOST_EXACT_ROWS 2000000

#define VMDAV_GAMMA 0.2

/*
 * Iterations of the local search: so many per row and group size that small
 * tables come close to what the search can reach, and a fixed number per row
 * for large ones.
 */
static int64_t
search_iterations(int32_t rows, int k)
{
	int64_t thorough = (int64_t) 150 * rows / k;
	int64_t brief = (int64_t) 2 * rows;

	if (thorough > 500000)
		thorough = 500000;
	return thorough > brief ? thorough : brief;
}

/* MDAV, then the local search. */
static int32_t
group_best(SdcHost *host, const SdcPoints *points, int k,
		   const SdcRandom *random, int32_t *group)
{
	int32_t groups;

	if (points->rows > MOST_EXACT_ROWS)
		groups = sdc_blocks_group(host, points, k, BLOCK_ROWS, group);
	else
		groups = sdc_mdav(host, points, k, group);
	host->stage(host, "improving groups");
	return sdc_local_search(host, points, k,
							search_iterations(points->rows, k), random, group,
							groups);
}

/* Every row is a group. */
static int32_t
group_alone(const SdcPoints *points, int32_t *group)
{
	int32_t row;

	for (row = 0; row < points->rows; row++)
		group[row] = row;
	return points->rows;
}

/* Groups the rows of points, numbered in canonical order. */
static int32_t
group_points(SdcHost *host, const SdcPoints *points, int k,
			 SdcGroupMethod method, const SdcRandom *random, int32_t *group)
{
	if (k == 1)
		return group_alone(points, group);
	switch (method)
	{
		case SDC_GROUP_VMDAV:
			return sdc_vmdav(host, points, k, VMDAV_GAMMA, group);
		case SDC_GROUP_FAST:
			return sdc_blocks_group(host, points, k, BLOCK_ROWS, group);
		case SDC_GROUP_BEST:
			return group_best(host, points, k, random, group);
		case SDC_GROUP_PCA:
			return sdc_ordered_partition(host, points, k, group);
		case SDC_GROUP_MONDRIAN: /* on the rows as they are, see below */
		case SDC_GROUP_MDAV:
			break;
	}
	return sdc_mdav(host, points, k, group);
}

int32_t
sdc_microaggregate_group(SdcHost *host, const SdcMatrix *rows, int k,
						 SdcGroupMethod method, bool standardize,
						 const SdcRandom *random, int32_t *group)
{
	SdcPoints *points;
	int32_t *canonical;
	int32_t groups;
	int32_t row;

	if (method == SDC_GROUP_MONDRIAN)
		return sdc_mondrian_group(host, rows, k, group);
	host->stage(host, "ordering rows");
	points = sdc_points_create(host, rows, standardize);
	canonical = sdc_new(host, int32_t, rows->rows);
	host->stage(host, "grouping rows");
	groups = group_points(host, points, k, method, random, canonical);
	for (row = 0; row < points->rows; row++)
		group[points->position[row]] = canonical[row];
	host->release(host, canonical);
	sdc_points_release(host, points);
	return groups;
}

/* Sum of squared deviations from the mean of all rows. */
static double
total_squares(SdcHost *host, const SdcPoints *points)
{
	double total = 0;
	int j;

	for (j = 0; j < points->columns; j++)
	{
		SdcScale scale = sdc_scale_measure(host, points->column[j], NULL,
										   (size_t) points->rows, 1);

		total += ldexp(scale.squares, 2 * scale.exponent);
	}
	return total;
}

double
sdc_microaggregate_bound(SdcHost *host, const SdcMatrix *rows, int k,
						 bool standardize)
{
	SdcPoints *points = sdc_points_create(host, rows, standardize);
	double total = total_squares(host, points);
	double bound = 0;

	host->stage(host, "bounding the loss");
	if (total > 0)
		bound = sdc_neighbour_distances(host, points, k) / (2.0 * k) / total;
	sdc_points_release(host, points);

	/* Less what rounding may have added. */
	return bound * (1 - 0x1p-40);
}
