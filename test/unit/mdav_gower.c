/*
 * mdav_gower.c
 *		MDAV with Gower's distance against a naive second writing.
 *
 * The oracle marks rows as used and looks for every maximum and minimum by
 * scanning all of them, ties to the first row in canonical order.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/mdav.h"

#define MAX_D 6

enum Shape
{
	NUMBERS,
	CATEGORIES,
	MIXED,
	TIES,   /* small integers with a range that is a power of two */
	EQUAL,  /* one row again and again */
	OFFSET, /* numbers far from zero */
	SHAPES
};

typedef struct Oracle
{
	const SdcMatrix *rows;
	const bool *category;
	double range[MAX_D];
	int *order; /* canonical */
	bool *used;
	int left;
	int32_t *group;
} Oracle;

static const SdcMatrix *compared;

static int
by_row(const void *a, const void *b)
{
	int x = *(const int *) a;
	int y = *(const int *) b;
	int j;

	for (j = 0; j < compared->columns; j++)
		if (compared->column[j][x] != compared->column[j][y])
			return compared->column[j][x] < compared->column[j][y] ? -1 : 1;
	return (x > y) - (x < y);
}

static double
gower(const Oracle *oracle, int row, const double *point)
{
	double sum = 0;
	int j;

	for (j = 0; j < oracle->rows->columns; j++)
	{
		double x = oracle->rows->column[j][row];

		if (oracle->category[j])
			sum += x != point[j];
		else if (oracle->range[j] > 0)
			sum += fabs(x - point[j]) / oracle->range[j];
	}
	return sum;
}

/* The mean, or of a category the most frequent value, of what is left. */
static double
centre(const Oracle *oracle, int j)
{
	const double *column = oracle->rows->column[j];
	int n = (int) oracle->rows->rows;
	int count[100] = {0};
	double base = NAN;
	double sum = 0;
	int best = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		double x = column[oracle->order[i]];

		if (oracle->used[i])
			continue;
		if (isnan(base))
			base = x;
		sum += x - base;
		if (oracle->category[j])
			count[(int) x]++;
	}
	for (i = 1; i < 100; i++)
		if (count[i] > count[best])
			best = i;
	return oracle->category[j] ? best : base + sum / oracle->left;
}

/* The unused place with the largest or smallest distance from the point. */
static int
extreme(const Oracle *oracle, const double *point, int sign)
{
	int best = -1;
	double best_distance = 0;
	int i;

	for (i = 0; i < (int) oracle->rows->rows; i++)
	{
		double distance;

		if (oracle->used[i])
			continue;
		distance = sign * gower(oracle, oracle->order[i], point);
		if (best < 0 || distance > best_distance)
		{
			best = i;
			best_distance = distance;
		}
	}
	return best;
}

static void
group_around(Oracle *oracle, double *point, int k, int number)
{
	int row = oracle->order[extreme(oracle, point, 1)];
	int i;
	int j;

	for (j = 0; j < oracle->rows->columns; j++)
		point[j] = oracle->rows->column[j][row];
	for (i = 0; i < k; i++)
	{
		int place = extreme(oracle, point, -1);

		oracle->group[oracle->order[place]] = number;
		oracle->used[place] = true;
		oracle->left--;
	}
}

static int
run_oracle(const SdcMatrix *rows, const bool *category, int k, int32_t *group)
{
	int n = (int) rows->rows;
	Oracle oracle = {rows, category, {0}, NULL, NULL, n, group};
	double point[MAX_D];
	int groups = 0;
	int i;
	int j;

	oracle.order = malloc(n * sizeof(int));
	oracle.used = calloc(n, sizeof(bool));
	for (i = 0; i < n; i++)
		oracle.order[i] = i;
	compared = rows;
	qsort(oracle.order, n, sizeof(int), by_row);
	for (j = 0; j < rows->columns; j++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		for (i = 0; i < n; i++)
		{
			low = fmin(low, rows->column[j][i]);
			high = fmax(high, rows->column[j][i]);
		}
		oracle.range[j] = high - low;
	}
	while (oracle.left >= 2 * k)
	{
		bool two = oracle.left >= 3 * k;

		for (j = 0; j < rows->columns; j++)
			point[j] = centre(&oracle, j);
		group_around(&oracle, point, k, groups++);
		if (two)
			group_around(&oracle, point, k, groups++);
	}
	for (i = 0; i < n; i++)
		if (!oracle.used[i])
			group[oracle.order[i]] = groups;
	groups += oracle.left > 0;
	free(oracle.order);
	free(oracle.used);
	return groups;
}

static void
fill(SdcRandom *random, enum Shape shape, SdcMatrix *rows, bool *category,
	 int n, int d)
{
	int i;
	int j;

	rows->rows = n;
	rows->columns = d;
	for (j = 0; j < d; j++)
	{
		category[j] = shape == CATEGORIES || (shape == MIXED && j % 2 == 1);
		for (i = 0; i < n; i++)
		{
			double *x = &rows->column[j][i];

			if (category[j])
				*x = (double) sdc_random_below(random, 2 + 3 * j);
			else if (shape == TIES)
				*x = i < 2 ? 8 * i : (double) sdc_random_below(random, 9);
			else if (shape == EQUAL)
				*x = 3.25;
			else if (shape == OFFSET)
				*x = 1e9 + sdc_random_normal(random);
			else
				*x = pow(10, j) * sdc_random_normal(random);
		}
	}
}

static void
check_against_oracle(const SdcMatrix *rows, const bool *category, int k,
					 enum Shape shape)
{
	int n = (int) rows->rows;
	int32_t *got = malloc(n * sizeof(int32_t));
	int32_t *want = malloc(n * sizeof(int32_t));
	int *size = calloc(n + 1, sizeof(int));
	int wanted = run_oracle(rows, category, k, want);
	int groups = sdc_mdav_gower_group(unit_host(), rows, category, k, got);
	bool sized = true;
	int i;

	for (i = 0; i < n; i++)
		size[got[i]]++;
	for (i = 0; i < groups; i++)
		sized = sized && size[i] >= k && (size[i] == k || i == groups - 1) &&
				size[i] < 2 * k;
	unit_check(groups == wanted && memcmp(got, want, n * sizeof(int32_t)) == 0,
			   "shape %d, %d x %d, k = %d: %d groups as the oracle's",
			   (int) shape, n, rows->columns, k, wanted);
	unit_check(sized, "shape %d, %d x %d, k = %d: groups of k, the last < 2 k",
			   (int) shape, n, rows->columns, k);
	free(got);
	free(want);
	free(size);
}

/* The rows in another order: the same groups, as sets of values. */
static void
check_permutation(SdcMatrix *rows, const bool *category, int k,
				  SdcRandom *random)
{
	int n = (int) rows->rows;
	int32_t *group = malloc(n * sizeof(int32_t));
	int32_t *moved_group = malloc(n * sizeof(int32_t));
	int *to = malloc(n * sizeof(int));
	double *column[MAX_D];
	SdcMatrix moved = {n, rows->columns, column};
	bool same = true;
	int i;
	int j;

	for (i = 0; i < n; i++)
	{
		int other = (int) sdc_random_below(random, i + 1);

		to[i] = to[other];
		to[other] = i;
	}
	for (j = 0; j < rows->columns; j++)
	{
		column[j] = malloc(n * sizeof(double));
		for (i = 0; i < n; i++)
			column[j][to[i]] = rows->column[j][i];
	}
	sdc_mdav_gower_group(unit_host(), rows, category, k, group);
	sdc_mdav_gower_group(unit_host(), &moved, category, k, moved_group);
	/* equal rows may change places; distinct ones may not */
	for (i = 0; i < n; i++)
		same = same && group[i] == moved_group[to[i]];
	unit_check(same, "%d x %d, k = %d: rows in another order", n,
			   rows->columns, k);
	for (j = 0; j < rows->columns; j++)
		free(column[j]);
	free(group);
	free(moved_group);
	free(to);
}

int
main(void)
{
	static const int sizes[] = {1, 2, 3, 7, 20, 61, 300};
	double *column[MAX_D];
	bool category[MAX_D];
	SdcMatrix rows = {0, 0, column};
	SdcRandom random;
	int shape;
	int s;
	int d;
	int k;
	int j;

	unit_start("mdav_gower");
	sdc_random_seed(&random, 41, 0);
	for (j = 0; j < MAX_D; j++)
		column[j] = malloc(1000 * sizeof(double));
	for (shape = 0; shape < SHAPES; shape++)
		for (s = 0; s < 7; s++)
			for (d = 1; d <= MAX_D; d += 2)
				for (k = 1; k <= sizes[s]; k = k < 5 ? k + 1 : 2 * k)
				{
					fill(&random, (enum Shape) shape, &rows, category,
						 sizes[s], d);
					check_against_oracle(&rows, category, k,
										 (enum Shape) shape);
				}
	fill(&random, NUMBERS, &rows, category, 1000, 4);
	check_permutation(&rows, category, 3, &random);
	fill(&random, MIXED, &rows, category, 1000, 4);
	check_permutation(&rows, category, 7, &random);
	for (j = 0; j < MAX_D; j++)
		free(column[j]);
	return unit_finish();
}
