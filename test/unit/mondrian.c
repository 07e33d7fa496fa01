/*
 * mondrian.c
 *		The k-partition by median cuts against its definition.
 *
 * The oracle cuts recursively and tries every column and every place; it
 * shares no code with the kernel.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/microaggregate_group.h"

#define MAX_D 5

enum Shape
{
	NORMAL,
	INTEGERS,
	SKEWED, /* one value in nine of ten rows */
	EQUAL,
	STAIRS, /* column j is constant in all but a shrinking share of rows */
	SHAPES
};

static double
shape_value(SdcRandom *random, enum Shape shape, size_t i, int j)
{
	switch (shape)
	{
		case NORMAL:
			return sdc_random_normal(random) * pow(10, j);
		case INTEGERS:
			return (double) sdc_random_below(random, 6) - 3;
		case SKEWED:
			return sdc_random_below(random, 10) == 0 ? sdc_random_unit(random)
													 : 1;
		case EQUAL:
			return -4.5;
		default:
			return (i & ((1U << j) - 1)) == 0 ? (double) (i >> j) : 0;
	}
}

static void
fill(SdcRandom *random, enum Shape shape, SdcMatrix *rows, size_t n, int d)
{
	size_t i;
	int j;

	rows->rows = n;
	rows->columns = d;
	for (i = 0; i < n; i++)
		for (j = 0; j < d; j++)
			rows->column[j][i] = shape_value(random, shape, i, j);
}

typedef struct Oracle
{
	const SdcMatrix *rows;
	int k;
	double width[MAX_D];
	int groups;
	int *group;
} Oracle;

static const double *sort_column;

static int
by_column(const void *a, const void *b)
{
	double x = sort_column[*(const int *) a];
	double y = sort_column[*(const int *) b];

	return (x > y) - (x < y);
}

static double
width_of(const SdcMatrix *rows, int j, const int *row, int n)
{
	double low = INFINITY;
	double high = -INFINITY;
	int i;

	for (i = 0; i < n; i++)
	{
		low = fmin(low, rows->column[j][row[i]]);
		high = fmax(high, rows->column[j][row[i]]);
	}
	return high - low;
}

/* The allowed cut of the sorted rows nearest to their middle, 0 if none. */
static int
nearest_cut(const double *column, const int *row, int n, int k)
{
	int best = 0;
	int cut;

	for (cut = k; cut <= n - k; cut++)
		if (column[row[cut - 1]] != column[row[cut]] &&
			(best == 0 || abs(cut - n / 2) < abs(best - n / 2)))
			best = cut;
	return best;
}

static void
cut_oracle(Oracle *oracle, int *row, int n)
{
	bool tried[MAX_D] = {false};
	int round;
	int i;
	int j;

	for (round = 0; round < oracle->rows->columns; round++)
	{
		double widest = 0;
		int chosen = -1;
		int cut;

		for (j = 0; j < oracle->rows->columns; j++)
		{
			double width = width_of(oracle->rows, j, row, n);

			if (tried[j] || width == 0)
				continue;
			if (width / oracle->width[j] > widest)
			{
				widest = width / oracle->width[j];
				chosen = j;
			}
		}
		if (chosen < 0)
			break;
		tried[chosen] = true;
		sort_column = oracle->rows->column[chosen];
		qsort(row, n, sizeof(int), by_column);
		cut = nearest_cut(sort_column, row, n, oracle->k);
		if (cut > 0)
		{
			cut_oracle(oracle, row, cut);
			cut_oracle(oracle, row + cut, n - cut);
			return;
		}
	}
	for (i = 0; i < n; i++)
		oracle->group[row[i]] = oracle->groups;
	oracle->groups++;
}

static int
run_oracle(const SdcMatrix *rows, int k, int *group)
{
	int n = (int) rows->rows;
	int *row = malloc(n * sizeof(int));
	Oracle oracle = {rows, k, {0}, 0, group};
	int i;
	int j;

	for (i = 0; i < n; i++)
		row[i] = i;
	for (j = 0; j < rows->columns; j++)
		oracle.width[j] = width_of(rows, j, row, n);
	cut_oracle(&oracle, row, n);
	free(row);
	return oracle.groups;
}

static bool
rows_equal(const SdcMatrix *rows, size_t a, size_t b)
{
	int j;

	for (j = 0; j < rows->columns; j++)
		if (rows->column[j][a] != rows->column[j][b])
			return false;
	return true;
}

static void
check_against_oracle(SdcMatrix *rows, int k, enum Shape shape)
{
	int n = (int) rows->rows;
	int32_t *group = malloc(n * sizeof(int32_t));
	int *want = malloc(n * sizeof(int));
	int *size = calloc(n + 1, sizeof(int));
	int wanted = run_oracle(rows, k, want);
	int got = sdc_mondrian_group(unit_host(), rows, k, group);
	bool same = got == wanted;
	bool together = true;
	int smallest = n;
	int i;
	int l;

	for (i = 0; i < n; i++)
	{
		same = same && group[i] == want[i];
		if (group[i] >= 0 && group[i] < n)
			size[group[i]]++;
	}
	for (i = 0; i < got; i++)
		smallest = size[i] < smallest ? size[i] : smallest;
	for (i = 0; i < n; i++)
		for (l = 0; l < i; l++)
			together =
				together && (group[i] == group[l] || !rows_equal(rows, i, l));
	unit_check(same, "shape %d, %d x %d, k = %d: %d groups as the oracle's",
			   (int) shape, n, rows->columns, k, wanted);
	unit_check(smallest >= k, "shape %d, %d x %d, k = %d: smallest group %d",
			   (int) shape, n, rows->columns, k, smallest);
	unit_check(together, "shape %d, %d x %d, k = %d: equal rows together",
			   (int) shape, n, rows->columns, k);
	free(group);
	free(want);
	free(size);
}

/* The rows in another order get the same groups. */
static void
check_permutation(SdcMatrix *rows, int k, SdcRandom *random)
{
	size_t n = rows->rows;
	int32_t *group = malloc(n * sizeof(int32_t));
	int32_t *moved_group = malloc(n * sizeof(int32_t));
	size_t *to = malloc(n * sizeof(size_t));
	double *column[MAX_D];
	SdcMatrix moved = {n, rows->columns, column};
	bool same = true;
	size_t i;
	int j;

	for (i = 0; i < n; i++)
	{
		size_t other = sdc_random_below(random, i + 1);

		to[i] = to[other];
		to[other] = i;
	}
	for (j = 0; j < rows->columns; j++)
	{
		column[j] = malloc(n * sizeof(double));
		for (i = 0; i < n; i++)
			column[j][to[i]] = rows->column[j][i];
	}
	sdc_mondrian_group(unit_host(), rows, k, group);
	sdc_mondrian_group(unit_host(), &moved, k, moved_group);
	for (i = 0; i < n; i++)
		same = same && group[i] == moved_group[to[i]];
	unit_check(same, "%d x %d, k = %d: rows in another order", (int) n,
			   rows->columns, k);
	for (j = 0; j < rows->columns; j++)
		free(column[j]);
	free(group);
	free(moved_group);
	free(to);
}

/*
 * The work grows with n log n, not with n^2, on data where the median cannot
 * be cut.  Polls count it: there is one for every box and every 8192 rows, so
 * a quadratic case would take millions.
 */
static uint64_t
polls_for(SdcMatrix *rows, size_t n, enum Shape shape, SdcRandom *random)
{
	int32_t *group = malloc(n * sizeof(int32_t));
	uint64_t before;

	fill(random, shape, rows, n, MAX_D);
	before = unit_polls();
	sdc_mondrian_group(unit_host(), rows, 2, group);
	free(group);
	return unit_polls() - before;
}

int
main(void)
{
	static const int sizes[] = {1, 2, 3, 5, 10, 37, 200};
	enum
	{
		large = 200000
	};
	double *column[MAX_D];
	SdcMatrix rows = {0, 0, column};
	SdcRandom random;
	uint64_t polls;
	int shape;
	int s;
	int d;
	int k;
	int j;

	unit_start("mondrian");
	sdc_random_seed(&random, 31, 0);
	for (j = 0; j < MAX_D; j++)
		column[j] = malloc(large * sizeof(double));
	for (shape = 0; shape < SHAPES; shape++)
		for (s = 0; s < 7; s++)
			for (d = 1; d <= MAX_D; d += 2)
				for (k = 1; k <= sizes[s]; k = k < 4 ? k + 1 : 3 * k)
				{
					fill(&random, (enum Shape) shape, &rows, sizes[s], d);
					check_against_oracle(&rows, k, (enum Shape) shape);
				}
	for (shape = 0; shape < SHAPES; shape++)
	{
		fill(&random, (enum Shape) shape, &rows, 1000, 3);
		check_permutation(&rows, 5, &random);
	}
	for (shape = 0; shape < SHAPES; shape++)
	{
		polls = polls_for(&rows, large, (enum Shape) shape, &random);
		unit_check(polls <= 2 * large, "shape %d, %d rows: %d polls", shape,
				   (int) large, (int) polls);
	}
	for (j = 0; j < MAX_D; j++)
		free(column[j]);
	return unit_finish();
}
