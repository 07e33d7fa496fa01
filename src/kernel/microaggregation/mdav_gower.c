/*
 * mdav_gower.c
 *		MDAV on columns that mix numbers and categories.
 *
 * The plain algorithm: per two groups the centre of the rows that are left,
 * the row farthest from it, that row's nearest k - 1, the row farthest from
 * it, and that row's nearest k - 1.  Rows that are left stay in canonical
 * order, so every sum and every tie is settled by the values alone.
 */
#include "kernel/microaggregation/mdav_gower.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"

typedef struct Mixed
{
	SdcHost *host;
	int columns;
	const bool *category;
	double *value[SDC_MAX_COLUMNS]; /* rows left, in canonical order */
	double half_range[SDC_MAX_COLUMNS];
	int32_t *level_count[SDC_MAX_COLUMNS];
	int32_t levels[SDC_MAX_COLUMNS];
	int32_t *row; /* canonical number of the rows left */
	int32_t left;
	int32_t total;
	double *distance;
	int32_t *heap; /* places of the nearest rows so far, farthest on top */
	bool *leaves;
} Mixed;

/* Copies the rows in canonical order and measures the columns. */
static void
start(Mixed *mixed, SdcHost *host, const SdcMatrix *rows, const bool *category,
	  int32_t k, const int32_t *order)
{
	int32_t n = (int32_t) rows->rows;
	int32_t i;
	int j;

	mixed->host = host;
	mixed->columns = rows->columns;
	mixed->category = category;
	mixed->left = mixed->total = n;
	mixed->row = sdc_new(host, int32_t, n);
	mixed->distance = sdc_new(host, double, n);
	mixed->heap = sdc_new(host, int32_t, k);
	mixed->leaves = sdc_new(host, bool, n);
	memset(mixed->leaves, 0, n * sizeof(bool));
	for (i = 0; i < n; i++)
		mixed->row[i] = i;
	for (j = 0; j < rows->columns; j++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		mixed->value[j] = sdc_new(host, double, n);
		for (i = 0; i < n; i++)
		{
			double x = rows->column[j][order[i]];

			mixed->value[j][i] = x;
			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		mixed->half_range[j] = high / 2 - low / 2;
		mixed->levels[j] = category[j] ? (int32_t) high + 1 : 0;
		mixed->level_count[j] = sdc_new(host, int32_t, mixed->levels[j]);
	}
}

static double
most_frequent(Mixed *mixed, int column)
{
	int32_t *count = mixed->level_count[column];
	int32_t best = 0;
	int32_t i;

	memset(count, 0, mixed->levels[column] * sizeof(int32_t));
	for (i = 0; i < mixed->left; i++)
		count[(int32_t) mixed->value[column][i]]++;
	for (i = 1; i < mixed->levels[column]; i++)
		if (count[i] > count[best])
			best = i;
	return best;
}

/* The mean of the rows left, around the first so that nothing overflows. */
static double
mean(const Mixed *mixed, int column)
{
	const double *value = mixed->value[column];
	double sum = 0;
	int32_t i;

	for (i = 0; i < mixed->left; i++)
		sum += value[i] / 2 - value[0] / 2;
	return value[0] + 2 * (sum / mixed->left);
}

static void
centre_of(Mixed *mixed, double *centre)
{
	int j;

	for (j = 0; j < mixed->columns; j++)
		centre[j] =
			mixed->category[j] ? most_frequent(mixed, j) : mean(mixed, j);
}

/* Distances of all rows left from a point. */
static void
measure(Mixed *mixed, const double *point)
{
	double *distance = mixed->distance;
	int32_t i;
	int j;

	for (i = 0; i < mixed->left; i++)
		distance[i] = 0;
	for (j = 0; j < mixed->columns; j++)
	{
		const double *value = mixed->value[j];
		double range = mixed->half_range[j];

		if (mixed->category[j])
			for (i = 0; i < mixed->left; i++)
				distance[i] += value[i] != point[j];
		else if (range > 0)
			for (i = 0; i < mixed->left; i++)
				distance[i] += fabs(value[i] / 2 - point[j] / 2) / range;
	}
	mixed->host->poll(mixed->host, mixed->total - mixed->left, mixed->total);
}

static int32_t
farthest(const Mixed *mixed)
{
	const double *distance = mixed->distance;
	int32_t best = 0;
	int32_t i;

	for (i = 1; i < mixed->left; i++)
		if (distance[i] > distance[best])
			best = i;
	return best;
}

static void
point_of(const Mixed *mixed, int32_t place, double *point)
{
	int j;

	for (j = 0; j < mixed->columns; j++)
		point[j] = mixed->value[j][place];
}

/* Takes the rows that leave out, keeping the order of the others. */
static void
compact(Mixed *mixed)
{
	int32_t kept = 0;
	int32_t i;
	int j;

	for (i = 0; i < mixed->left; i++)
	{
		if (mixed->leaves[i])
		{
			mixed->leaves[i] = false;
			continue;
		}
		mixed->row[kept] = mixed->row[i];
		for (j = 0; j < mixed->columns; j++)
			mixed->value[j][kept] = mixed->value[j][i];
		kept++;
	}
	mixed->left = kept;
}

/* Is one place farther than another?  Of equal ones the later row is. */
static inline bool
is_farther(const Mixed *mixed, int32_t a, int32_t b)
{
	double x = mixed->distance[a];
	double y = mixed->distance[b];

	return x > y || (x == y && a > b);
}

/* Puts a place where it belongs at or below a node of the heap. */
static void
sift(Mixed *mixed, int32_t size, int32_t node, int32_t place)
{
	int32_t *heap = mixed->heap;

	while (node < size / 2)
	{
		int32_t child = 2 * node + 1;

		if (child + 1 < size &&
			is_farther(mixed, heap[child + 1], heap[child]))
			child++;
		if (!is_farther(mixed, heap[child], place))
			break;
		heap[node] = heap[child];
		node = child;
	}
	heap[node] = place;
}

/* Groups the k rows nearest to a point; distances must be those from it. */
static void
take_nearest(Mixed *mixed, int32_t k, int32_t group_number, int32_t *group)
{
	int32_t *heap = mixed->heap;
	int32_t i;

	for (i = 0; i < k; i++)
		heap[i] = i;
	for (i = k / 2 - 1; i >= 0; i--)
		sift(mixed, k, i, heap[i]);
	for (i = k; i < mixed->left; i++)
		if (is_farther(mixed, heap[0], i))
			sift(mixed, k, 0, i);
	for (i = 0; i < k; i++)
	{
		group[mixed->row[heap[i]]] = group_number;
		mixed->leaves[heap[i]] = true;
	}
	compact(mixed);
}

/* One group around the row farthest from a point, which it becomes. */
static void
group_farthest(Mixed *mixed, double *point, int32_t k, int32_t group_number,
			   int32_t *group)
{
	measure(mixed, point);
	point_of(mixed, farthest(mixed), point);
	measure(mixed, point);
	take_nearest(mixed, k, group_number, group);
}

int32_t
sdc_mdav_gower_group(SdcHost *host, const SdcMatrix *rows,
					 const bool *category, int32_t k, int32_t *group)
{
	int32_t *order = sdc_sort_matrix(host, rows);
	int32_t *ordered = sdc_new(host, int32_t, rows->rows);
	double point[SDC_MAX_COLUMNS];
	int32_t groups = 0;
	Mixed mixed;
	int32_t i;

	start(&mixed, host, rows, category, k, order);
	host->stage(host, "grouping");
	while (mixed.left >= 3 * (int64_t) k)
	{
		centre_of(&mixed, point);
		group_farthest(&mixed, point, k, groups++, ordered);
		group_farthest(&mixed, point, k, groups++, ordered);
	}
	if (mixed.left >= 2 * (int64_t) k)
	{
		centre_of(&mixed, point);
		group_farthest(&mixed, point, k, groups++, ordered);
	}
	for (i = 0; i < mixed.left; i++)
		ordered[mixed.row[i]] = groups;
	groups += mixed.left > 0;
	for (i = 0; i < (int32_t) rows->rows; i++)
		group[order[i]] = ordered[i];
	return groups;
}
