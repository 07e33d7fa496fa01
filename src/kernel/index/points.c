/*
 * points.c
 *		Rows as points: in canonical order, standardised, duplicates known.
 *
 * The order is found column by column: a radix sort on the first column, then
 * the runs of equal values are sorted on the next one, and so on.  Long runs
 * take the radix sort, short ones a merge sort that compares the remaining
 * columns.  Standardising may make different values equal by rounding; should
 * that break the order, it is restored on the standardised values, so that
 * rows which ended up equal are adjacent.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/points.h"
#include "kernel/linear/moments.h"

/* Shorter runs are not worth the counters of a radix sort. */
#define RADIX_ROWS 4096

/* With |value| < 2^15 the fixed-point sums of 2^31 rows fit (centroid.h). */
#define LARGEST_EXPONENT 15

typedef struct RowOrder
{
	SdcHost *host;
	double **column;
	int columns;
	int from;       /* first column to compare */
	uint64_t *keys; /* scratch of the radix sort */
	uint32_t steps; /* comparisons, to poll now and then */
} RowOrder;

static int
compare_rows(int32_t a, int32_t b, void *arg)
{
	RowOrder *order = arg;
	int j;

	if (++order->steps % SDC_POLL_STEPS == 0)
		order->host->poll(order->host, 0, 0);
	for (j = order->from; j < order->columns; j++)
	{
		double x = order->column[j][a];
		double y = order->column[j][b];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/*
 * Sorts rows[0..n), which are equal in the columns before from.  Recursion is
 * at most one level per column.
 */
static void
sort_run(RowOrder *order, int32_t *rows, size_t n, int from)
{
	const double *value;
	size_t start;
	size_t end;
	size_t i;

	if (n < 2 || from == order->columns)
		return;
	order->from = from;
	if (n < RADIX_ROWS)
	{
		sdc_sort_rows(order->host, rows, n, compare_rows, order);
		return;
	}
	value = order->column[from];
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			order->host->poll(order->host, 0, 0);
		order->keys[i] = sdc_sort_key(value[rows[i]]);
	}
	sdc_sort_keys(order->host, order->keys, rows, n);
	for (start = 0; start < n; start = end)
	{
		end = start + 1;
		while (end < n && value[rows[end]] == value[rows[start]])
		{
			if (end % SDC_POLL_STEPS == 0)
				order->host->poll(order->host, 0, 0);
			end++;
		}
		if (end - start > 1)
			sort_run(order, rows + start, end - start, from + 1);
	}
}

static void
sort_rows(SdcHost *host, double **column, int columns, int32_t *rows, size_t n)
{
	RowOrder order = {host, column, columns, 0, NULL, 0};

	order.keys = sdc_new(host, uint64_t, n);
	sort_run(&order, rows, n, 0);
	host->release(host, order.keys);
}

/* to[i] = from[rows[i]] */
static void
gather(SdcHost *host, const double *from, const int32_t *rows, size_t n,
	   double *to)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		to[i] = from[rows[i]];
	}
}

/* Negative, zero or positive as row comes before, with or after the next. */
static int
compare_next(const SdcPoints *points, int32_t row)
{
	int j;

	for (j = 0; j < points->columns; j++)
	{
		double x = points->column[j][row];
		double y = points->column[j][row + 1];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* Fills in distinct and first; false if the rows are out of order. */
static bool
find_distinct(SdcHost *host, SdcPoints *points)
{
	int32_t row;

	points->distinct = 1;
	points->first[0] = 0;
	for (row = 0; row + 1 < points->rows; row++)
	{
		int step = compare_next(points, row);

		if (row % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (step > 0)
			return false;
		if (step < 0)
			points->first[points->distinct++] = row + 1;
	}
	points->first[points->distinct] = points->rows;
	return true;
}

/* Sorts the rows again on the values they have now. */
static void
restore_order(SdcHost *host, SdcPoints *points)
{
	size_t n = (size_t) points->rows;
	int32_t *rows = sdc_new(host, int32_t, n);
	int32_t *position = sdc_new(host, int32_t, n);
	double *value = sdc_new(host, double, n);
	size_t i;
	int j;

	for (i = 0; i < n; i++)
		rows[i] = (int32_t) i;
	sort_rows(host, points->column, points->columns, rows, n);
	for (i = 0; i < n; i++)
		position[i] = points->position[rows[i]];
	for (j = 0; j < points->columns; j++)
	{
		double *sorted = value;

		gather(host, points->column[j], rows, n, sorted);
		value = points->column[j];
		points->column[j] = sorted;
	}
	host->release(host, value);
	host->release(host, rows);
	host->release(host, points->position);
	points->position = position;
}

static SdcPoints *
new_points(SdcHost *host, size_t rows, int columns)
{
	SdcPoints *points = sdc_new(host, SdcPoints, 1);

	points->rows = (int32_t) rows;
	points->columns = 0;
	points->column = sdc_new(host, double *, (size_t) columns + 1);
	points->position = sdc_new(host, int32_t, rows);
	points->first = sdc_new(host, int32_t, rows + 1);
	return points;
}

/* Brings the largest magnitude of all columns into [2^14, 2^15). */
static void
scale_all(SdcHost *host, SdcPoints *points)
{
	size_t n = (size_t) points->rows;
	bool seen = false;
	int largest = 0;
	int j;

	for (j = 0; j < points->columns; j++)
	{
		int exponent = sdc_standardize_exponent(host, points->column[j], n);

		if (!seen || exponent > largest)
			largest = exponent;
		seen = true;
	}
	for (j = 0; j < points->columns; j++)
		sdc_standardize_shift(host, points->column[j], n,
							  LARGEST_EXPONENT - largest);
}

static bool
is_constant(const double *value, size_t n)
{
	size_t i = 1;

	while (i < n && value[i] == value[0])
		i++;
	return i >= n;
}

/* Adds the columns, in canonical order, that tell rows apart. */
static void
add_columns(SdcHost *host, SdcPoints *points, const SdcMatrix *matrix,
			bool standardize)
{
	size_t n = matrix->rows;
	double *value = sdc_new(host, double, n);
	int j;

	for (j = 0; j < matrix->columns; j++)
	{
		host->poll(host, 0, 0);
		if (is_constant(matrix->column[j], n))
			continue;
		gather(host, matrix->column[j], points->position, n, value);
		if (standardize && !sdc_standardize_column(host, value, n))
			continue;
		points->column[points->columns++] = value;
		value = sdc_new(host, double, n);
	}
	if (points->columns > 0)
		host->release(host, value);
	else
	{
		memset(value, 0, n * sizeof(*value));
		points->column[points->columns++] = value;
	}
}

SdcPoints *
sdc_points_create(SdcHost *host, const SdcMatrix *matrix, bool standardize)
{
	SdcPoints *points = new_points(host, matrix->rows, matrix->columns);
	size_t i;

	for (i = 0; i < matrix->rows; i++)
		points->position[i] = (int32_t) i;
	sort_rows(host, matrix->column, matrix->columns, points->position,
			  matrix->rows);
	add_columns(host, points, matrix, standardize);
	if (!standardize)
		scale_all(host, points);
	if (!find_distinct(host, points))
	{
		restore_order(host, points);
		find_distinct(host, points);
	}
	return points;
}

SdcPoints *
sdc_points_subset(SdcHost *host, const SdcPoints *points, const int32_t *rows,
				  int32_t count)
{
	SdcPoints *subset = new_points(host, (size_t) count, points->columns);
	int j;

	memcpy(subset->position, rows, (size_t) count * sizeof(*rows));
	for (j = 0; j < points->columns; j++)
	{
		double *value = sdc_new(host, double, (size_t) count);

		gather(host, points->column[j], rows, (size_t) count, value);
		subset->column[subset->columns++] = value;
	}
	find_distinct(host, subset);
	return subset;
}

void
sdc_points_release(SdcHost *host, SdcPoints *points)
{
	int j;

	for (j = 0; j < points->columns; j++)
		host->release(host, points->column[j]);
	host->release(host, points->column);
	host->release(host, points->position);
	host->release(host, points->first);
	host->release(host, points);
}
