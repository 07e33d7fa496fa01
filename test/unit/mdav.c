/*
 * mdav.c
 *		The plain and the tree MDAV against a textbook oracle.
 *
 * The oracle below is written from the definition in
 * kernel/microaggregation/mdav.h with none of the kernel's structures: flags
 * of free rows, full passes, a mean summed anew in every round.
 */
#include "microaggregate_data.h"

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/index/points.h"
#include "kernel/microaggregation/mdav.c"

typedef struct Oracle
{
	const SdcPoints *points;
	bool *free;
	int32_t left;
	int32_t groups;
	int32_t *group;
} Oracle;

static double
oracle_distance(const Oracle *oracle, int32_t row, const double *to)
{
	double sum = 0;
	int j;

	for (j = 0; j < oracle->points->columns; j++)
	{
		double difference = oracle->points->column[j][row] - to[j];

		sum += difference * difference;
	}
	return sum;
}

static int32_t
oracle_extreme(const Oracle *oracle, const double *to, bool farthest)
{
	double best = 0;
	int32_t found = -1;
	int32_t row;

	for (row = 0; row < oracle->points->rows; row++)
	{
		double distance = oracle_distance(oracle, row, to);

		if (!oracle->free[row])
			continue;
		if (found < 0 || (farthest ? distance > best : distance < best))
		{
			best = distance;
			found = row;
		}
	}
	return found;
}

/* Mean of the free rows, in multiples of 2^-40 before the division. */
static void
oracle_mean(const Oracle *oracle, double *mean)
{
	int j;

	for (j = 0; j < oracle->points->columns; j++)
	{
		__int128 sum = 0;
		int32_t row;

		for (row = 0; row < oracle->points->rows; row++)
			if (oracle->free[row])
			{
				double scaled = oracle->points->column[j][row] * 0x1p40;

				sum += (int64_t) (scaled < 0 ? scaled - 0.5 : scaled + 0.5);
			}
		mean[j] = (double) sum / oracle->left * 0x1p-40;
	}
}

static void
oracle_group(Oracle *oracle, const double *around, int k)
{
	int i;

	for (i = 0; i < k; i++)
	{
		int32_t row = oracle_extreme(oracle, around, false);

		oracle->group[row] = oracle->groups;
		oracle->free[row] = false;
		oracle->left--;
	}
	oracle->groups++;
}

static int32_t
oracle_mdav(const SdcPoints *points, int k, int32_t *group)
{
	Oracle oracle = {points, NULL, points->rows, 0, group};
	double mean[SDC_MAX_COLUMNS];
	double r[SDC_MAX_COLUMNS];
	double s[SDC_MAX_COLUMNS];
	int32_t row;

	oracle.free = malloc((size_t) points->rows);
	memset(oracle.free, true, (size_t) points->rows);
	while (oracle.left >= 2 * k)
	{
		bool two = oracle.left >= 3 * k;

		oracle_mean(&oracle, mean);
		sdc_points_get(points, oracle_extreme(&oracle, mean, true), r);
		oracle_group(&oracle, r, k);
		if (!two)
			break;
		sdc_points_get(points, oracle_extreme(&oracle, r, true), s);
		oracle_group(&oracle, s, k);
	}
	for (row = 0; row < points->rows; row++)
		if (oracle.free[row])
			group[row] = oracle.groups;
	free(oracle.free);
	return oracle.groups + 1;
}

/* Compares the three on one table; returns how many differ. */
static int
compare(const SdcMatrix *matrix, int k, bool standardize)
{
	SdcHost *host = unit_host();
	SdcPoints *points = sdc_points_create(host, matrix, standardize);
	size_t bytes = matrix->rows * sizeof(int32_t);
	int32_t *expected = malloc(bytes);
	int32_t *plain = malloc(bytes);
	int32_t *tree = malloc(bytes);
	int32_t groups = oracle_mdav(points, k, expected);
	int differ = 0;

	differ += sdc_mdav_plain(host, points, k, plain) != groups ||
			  memcmp(plain, expected, bytes) != 0;
	differ += sdc_mdav_tree(host, points, k, tree) != groups ||
			  memcmp(tree, expected, bytes) != 0;
	free(expected);
	free(plain);
	free(tree);
	return differ;
}

static void
check_random_tables(void)
{
	static const int ks[] = {2, 3, 5, 10, 1, 37};
	static const int columns[] = {1, 2,  3,  4,  5,  6,  7, 8,
								  9, 10, 11, 12, 13, 14, 20};
	SdcRandom random;
	int shape;
	size_t c;

	sdc_random_seed(&random, 1, 0);
	for (shape = 0; shape < DATA_SHAPES; shape++)
		for (c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
		{
			int step = unit_sparing() ? 5 : 1;
			int differ = 0;
			int i;

			for (i = 0; i < 12; i += step)
			{
				int k = ks[i % 6];
				int rows = k + (int) sdc_random_below(&random, 300);
				SdcMatrix matrix =
					data_random(&random, shape, rows, columns[c]);

				differ += compare(&matrix, k, i % 3 != 0);
				unit_release_all();
			}
			unit_check(differ == 0, "shape %d, %d columns: %d tables", shape,
					   columns[c], (11 + step) / step);
		}
}

/* Sizes at which the algorithm ends differently. */
static void
check_small_sizes(void)
{
	static const int ks[] = {2, 3, 5, 10};
	SdcRandom random;
	int differ = 0;
	int i;
	int rows;

	sdc_random_seed(&random, 2, 0);
	for (i = 0; i < 4; i++)
		for (rows = ks[i]; rows <= 4 * ks[i] + 1; rows++)
		{
			SdcMatrix normal = data_random(&random, DATA_NORMAL, rows, 3);
			SdcMatrix few = data_random(&random, DATA_FEW, rows, 2);

			differ += compare(&normal, ks[i], true);
			differ += compare(&few, ks[i], true);
			unit_release_all();
		}
	unit_check(differ == 0, "every number of rows from k to 4k + 1");
}

/*
 * Enough rows for two levels of nodes, rebuilding and new lists; with many
 * columns, for going over from the tree to passes over all rows.
 */
static void
check_larger_tables(int columns, int rows)
{
	SdcRandom random;
	int shape;

	sdc_random_seed(&random, 3, (uint64_t) columns);
	for (shape = 0; shape < DATA_SHAPES; shape++)
	{
		SdcMatrix matrix = data_random(&random, shape, rows, columns);
		SdcHost *host = unit_host();
		SdcPoints *points = sdc_points_create(host, &matrix, true);
		int32_t *plain = sdc_new(host, int32_t, (size_t) rows);
		int32_t *tree = sdc_new(host, int32_t, (size_t) rows);
		int32_t groups = sdc_mdav_plain(host, points, 3, plain);

		unit_check(sdc_mdav_tree(host, points, 3, tree) == groups &&
					   memcmp(plain, tree, (size_t) rows * sizeof(*tree)) == 0,
				   "shape %d: %d rows of %d columns, tree as plain", shape,
				   rows, columns);
		unit_release_all();
	}
}

/*
 * Few distinct points must not make it quadratic: 60000 rows of 9 distinct
 * points have to be as many polls as other tables of that size, not millions.
 */
static void
check_duplicates(void)
{
	SdcHost *host = unit_host();
	SdcRandom random;
	SdcMatrix matrix;
	SdcPoints *points;
	int32_t *group = sdc_new(host, int32_t, 60000);
	uint64_t polls;
	int32_t least;
	int32_t most;
	int32_t groups;

	sdc_random_seed(&random, 4, 0);
	matrix = data_random(&random, DATA_FEW, 60000, 2);
	points = sdc_points_create(host, &matrix, true);
	polls = unit_polls();
	groups = sdc_mdav_tree(host, points, 3, group);
	unit_check(points->distinct == 9, "9 distinct points");
	unit_check(data_sizes(group, 60000, groups, &least, &most) && least >= 3 &&
				   most <= 5,
			   "groups of 3 to 5 rows");
	unit_check(unit_polls() - polls < 1000, "few polls: %d",
			   (int) (unit_polls() - polls));
	unit_release_all();
}

int
main(void)
{
	unit_start("mdav");
	check_random_tables();
	check_small_sizes();
	check_larger_tables(2, unit_sparing() ? 1500 : 5000);
	check_larger_tables(20, unit_sparing() ? 700 : 1500);
	check_duplicates();
	return unit_finish();
}
