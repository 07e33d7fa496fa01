/*
 * link_assignment.c
 *		One-to-one linkage: the assignment of least total cost.
 *
 * The rows of the shorter side are added one by one.  Each looks for the
 * cheapest path, in reduced costs, through what is assigned to a column that
 * is free, by Dijkstra's method on the dense matrix; prices are updated so
 * that no reduced cost ever falls below zero.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/linkage/link_assignment.h"

/* Cells looked at between two polls. */
#define POLL_CELLS 262144

/* The problem with its shorter side as rows, and its state. */
typedef struct Assignment
{
	SdcHost *host;
	const double *cost;
	int32_t rows;
	int32_t columns;
	size_t row_step; /* between the costs of two rows */
	size_t column_step;
	double *row_price;
	double *column_price;
	int32_t *row_of; /* of a column, or -1 */

	/* of one search */
	double *distance; /* to each column */
	int32_t *before;  /* the column before it on the path, or -1 */
	int32_t *left;    /* columns not yet reached, the first so many */
	int32_t *reached; /* columns reached, in their order */
	int64_t cells;
} Assignment;

static void
poll_cells(Assignment *a, int32_t cells, int32_t row)
{
	a->cells += cells;
	if (a->cells < POLL_CELLS)
		return;
	a->cells = 0;
	a->host->poll(a->host, (uint64_t) row, (uint64_t) a->rows);
}

/* Improves the distances of n columns by paths through a row. */
static void
relax_columns(Assignment *a, int32_t row, int32_t from, double so_far,
			  int32_t n)
{
	const double *cost = a->cost + (size_t) row * a->row_step;
	double base = so_far - a->row_price[row];
	int32_t i;

	for (i = 0; i < n; i++)
	{
		int32_t column = a->left[i];
		double distance = base + cost[(size_t) column * a->column_step] -
						  a->column_price[column];

		if (distance < a->distance[column])
		{
			a->distance[column] = distance;
			a->before[column] = from;
		}
	}
}

/* The place in left[] of the nearest of n columns, the first of them. */
static int32_t
find_nearest(const Assignment *a, int32_t n)
{
	int32_t best = 0;
	int32_t i;

	for (i = 1; i < n; i++)
	{
		double x = a->distance[a->left[i]];
		double least = a->distance[a->left[best]];

		if (x < least || (x == least && a->left[i] < a->left[best]))
			best = i;
	}
	return best;
}

/*
 * Reaches columns, nearest first, until one is free; returns it, and how many
 * were reached before it.
 */
static int32_t
find_free_column(Assignment *a, int32_t row, int32_t *reached)
{
	int32_t from = -1;
	int32_t at = row;
	double so_far = 0;
	int32_t n = a->columns;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		a->left[i] = i;
		a->distance[i] = INFINITY;
		a->before[i] = -1;
	}
	for (*reached = 0;; (*reached)++)
	{
		int32_t place;

		poll_cells(a, n, row);
		relax_columns(a, at, from, so_far, n);
		place = find_nearest(a, n);
		from = a->left[place];
		a->left[place] = a->left[--n];
		so_far = a->distance[from];
		if (a->row_of[from] < 0)
			return from;
		a->reached[*reached] = from;
		at = a->row_of[from];
	}
}

/* Changes the prices so that the path costs nothing and nothing less. */
static void
update_prices(Assignment *a, int32_t row, int32_t reached, double length)
{
	int32_t i;

	a->row_price[row] += length;
	for (i = 0; i < reached; i++)
	{
		int32_t column = a->reached[i];
		double change = length - a->distance[column];

		a->row_price[a->row_of[column]] += change;
		a->column_price[column] -= change;
	}
}

/* Assigns one more row: every column of the path gets the row before. */
static void
add_row(Assignment *a, int32_t row)
{
	int32_t reached;
	int32_t column = find_free_column(a, row, &reached);

	update_prices(a, row, reached, a->distance[column]);
	while (a->before[column] >= 0)
	{
		a->row_of[column] = a->row_of[a->before[column]];
		column = a->before[column];
	}
	a->row_of[column] = row;
}

/* Turns the problem so that it has no more rows than columns. */
static void
start(Assignment *a, SdcHost *host, const double *cost, int32_t rows,
	  int32_t columns)
{
	bool turned = rows > columns;
	int32_t i;

	a->host = host;
	a->cost = cost;
	a->rows = turned ? columns : rows;
	a->columns = turned ? rows : columns;
	a->row_step = turned ? 1 : (size_t) columns;
	a->column_step = turned ? (size_t) columns : 1;
	a->row_price = sdc_new(host, double, (size_t) a->rows);
	a->column_price = sdc_new(host, double, (size_t) a->columns);
	a->row_of = sdc_new(host, int32_t, (size_t) a->columns);
	a->distance = sdc_new(host, double, (size_t) a->columns);
	a->before = sdc_new(host, int32_t, (size_t) a->columns);
	a->left = sdc_new(host, int32_t, (size_t) a->columns);
	a->reached = sdc_new(host, int32_t, (size_t) a->columns);
	a->cells = 0;
	for (i = 0; i < a->rows; i++)
		a->row_price[i] = 0;
	for (i = 0; i < a->columns; i++)
	{
		a->column_price[i] = 0;
		a->row_of[i] = -1;
	}
}

static void
release(Assignment *a)
{
	a->host->release(a->host, a->row_price);
	a->host->release(a->host, a->column_price);
	a->host->release(a->host, a->row_of);
	a->host->release(a->host, a->distance);
	a->host->release(a->host, a->before);
	a->host->release(a->host, a->left);
	a->host->release(a->host, a->reached);
}

void
sdc_link_assignment_solve(SdcHost *host, const double *cost, int32_t rows,
						  int32_t columns, int32_t *assigned)
{
	Assignment a;
	int32_t i;

	for (i = 0; i < rows; i++)
		assigned[i] = -1;
	start(&a, host, cost, rows, columns);
	for (i = 0; i < a.rows; i++)
		add_row(&a, i);
	for (i = 0; i < a.columns; i++)
	{
		if (a.row_of[i] < 0)
			continue;
		if (rows > columns)
			assigned[i] = a.row_of[i];
		else
			assigned[a.row_of[i]] = i;
	}
	release(&a);
}
