/*
 * vmdav.c
 *		V-MDAV against a textbook oracle.
 *
 * The oracle is written from the definition in
 * sdc_vmdav: full passes, no tree, nothing remembered
 * from one step to the next.
 */
#include "microaggregate_data.h"
#include "microaggregate_loss.h"

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/index/points.h"
#include "kernel/microaggregation/microaggregate_group.h"

typedef struct Oracle
{
	const SdcPoints *points;
	int32_t *group; /* -1: free */
	int32_t free;
} Oracle;

static double
row_distance(const Oracle *oracle, int32_t row, const double *to)
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

/* Nearest (sign 1) or farthest (sign -1) free row but one. */
static int32_t
extreme_free(const Oracle *oracle, const double *to, int sign, int32_t but,
			 double *distance)
{
	int32_t found = -1;
	int32_t row;

	*distance = INFINITY;
	for (row = 0; row < oracle->points->rows; row++)
	{
		double here = row_distance(oracle, row, to);

		if (oracle->group[row] >= 0 || row == but)
			continue;
		if (found < 0 || sign * here < sign * *distance)
		{
			found = row;
			*distance = here;
		}
	}
	return found;
}

/* The free row nearest to a group. */
static int32_t
nearest_to(const Oracle *oracle, int32_t own, double *distance)
{
	double coordinates[SDC_MAX_COLUMNS];
	int32_t found = -1;
	int32_t row;

	for (row = 0; row < oracle->points->rows; row++)
	{
		double here;
		int32_t near;

		if (oracle->group[row] != own)
			continue;
		sdc_points_get(oracle->points, row, coordinates);
		near = extreme_free(oracle, coordinates, 1, -1, &here);
		if (near >= 0 && (found < 0 || here < *distance ||
						  (here == *distance && near < found)))
		{
			found = near;
			*distance = here;
		}
	}
	return found;
}

static void
oracle_group(Oracle *oracle, const double *mean, int32_t own, int k,
			 double gamma)
{
	double start[SDC_MAX_COLUMNS];
	double to[SDC_MAX_COLUMNS];
	double inside;
	double outside;
	int size;

	sdc_points_get(oracle->points, extreme_free(oracle, mean, -1, -1, &inside),
				   start);
	for (size = 0; size < k; size++, oracle->free--)
		oracle->group[extreme_free(oracle, start, 1, -1, &inside)] = own;
	for (; size < 2 * k - 1 && oracle->free > 0; size++, oracle->free--)
	{
		int32_t row = nearest_to(oracle, own, &inside);

		sdc_points_get(oracle->points, row, to);
		extreme_free(oracle, to, 1, row, &outside);
		if (!(inside < gamma * gamma * outside))
			break;
		oracle->group[row] = own;
	}
}

/* Leftover rows join the group with the nearest mean. */
static void
oracle_leftovers(Oracle *oracle, int32_t groups)
{
	int d = oracle->points->columns;
	double *mean = calloc((size_t) (groups * d), sizeof(double));
	int32_t *count = calloc((size_t) groups, sizeof(int32_t));
	int32_t row;
	int32_t i;
	int j;

	for (row = 0; row < oracle->points->rows; row++)
		if (oracle->group[row] >= 0)
			count[oracle->group[row]]++;
	for (row = 0; row < oracle->points->rows; row++)
		for (j = 0; j < d && oracle->group[row] >= 0; j++)
			mean[oracle->group[row] * d + j] +=
				oracle->points->column[j][row] / count[oracle->group[row]];
	for (row = 0; row < oracle->points->rows; row++)
	{
		double least = INFINITY;

		if (oracle->group[row] >= 0)
			continue;
		for (i = 0; i < groups; i++)
			if (row_distance(oracle, row, mean + i * d) < least)
			{
				least = row_distance(oracle, row, mean + i * d);
				oracle->group[row] = i;
			}
	}
	free(mean);
	free(count);
}

static void
check_vmdav(void)
{
	SdcRandom random;
	int differ = 0;
	int extended = 0;
	int i;

	sdc_random_seed(&random, 13, 0);
	for (i = 0; i < 60; i++)
	{
		static const double gammas[] = {0.2, 1.1, 0};
		static const enum DataShape shapes[] = {DATA_NORMAL, DATA_LOGNORMAL,
												DATA_SPHERE};
		int k = 2 + i % 4;
		int rows = k + (int) sdc_random_below(&random, 80);
		SdcMatrix matrix =
			data_random(&random, shapes[i % 3], rows, 1 + i % 5);
		SdcPoints *points = sdc_points_create(unit_host(), &matrix, true);
		Oracle oracle = {points, NULL, points->rows};
		double mean[SDC_MAX_COLUMNS] = {0};
		int32_t *group = malloc(sizeof(int32_t) * (size_t) rows);
		int32_t groups = 0;
		int32_t least;
		int32_t most;

		oracle.group = malloc(sizeof(int32_t) * (size_t) rows);
		memset(oracle.group, -1, sizeof(int32_t) * (size_t) rows);
		while (oracle.free >= k)
			oracle_group(&oracle, mean, groups++, k, gammas[i / 3 % 3]);
		oracle_leftovers(&oracle, groups);
		differ +=
			sdc_vmdav(unit_host(), points, k, gammas[i / 3 % 3], group) !=
				groups ||
			memcmp(group, oracle.group, sizeof(int32_t) * (size_t) rows) != 0;
		data_sizes(group, rows, groups, &least, &most);
		extended += most > k;
		free(group);
		free(oracle.group);
		unit_release_all();
	}
	unit_check(differ == 0, "V-MDAV as the textbook says, 60 tables");
	unit_check(extended > 20, "groups grew in %d of them", extended);
}

/* The loss of V-MDAV with one gamma, by the definition. */
static double
loss_with(const SdcMatrix *matrix, int k, double gamma)
{
	SdcPoints *points = sdc_points_create(unit_host(), matrix, true);
	int32_t *canonical = malloc(sizeof(int32_t) * matrix->rows);
	int32_t *group = malloc(sizeof(int32_t) * matrix->rows);
	int32_t groups = sdc_vmdav(unit_host(), points, k, gamma, canonical);
	double loss;
	int32_t row;

	for (row = 0; row < points->rows; row++)
		group[points->position[row]] = canonical[row];
	loss = microaggregate_loss(unit_host(), matrix, true, group, groups);
	free(canonical);
	free(group);
	return loss;
}

/* The gamma that is chosen loses as little as any that is tried. */
static void
check_choice(void)
{
	static const double gammas[] = {0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2};
	SdcRandom random;
	int worse = 0;
	int better = 0;
	int i;
	size_t g;

	sdc_random_seed(&random, 17, 0);
	for (i = 0; i < 30; i++)
	{
		static const enum DataShape shapes[] = {DATA_NORMAL, DATA_LOGNORMAL,
												DATA_SPHERE};
		int k = 2 + i % 4;
		int rows = 2 * k + (int) sdc_random_below(&random, 80);
		SdcMatrix matrix =
			data_random(&random, shapes[i % 3], rows, 1 + i % 3);
		int32_t *group = malloc(sizeof(int32_t) * (size_t) rows);
		int32_t groups = sdc_microaggregate_group(
			unit_host(), &matrix, k, SDC_GROUP_VMDAV, true, &random, group);
		double chosen =
			microaggregate_loss(unit_host(), &matrix, true, group, groups);
		double least = INFINITY;

		for (g = 0; g < sizeof(gammas) / sizeof(gammas[0]); g++)
			least = fmin(least, loss_with(&matrix, k, gammas[g]));
		worse += !(fabs(chosen - least) <= 1e-12);
		better += chosen < loss_with(&matrix, k, 0.2) - 1e-12;
		free(group);
		unit_release_all();
	}
	unit_check(worse == 0, "the gamma with the least loss, in 30 tables");
	unit_check(better > 10, "less than with 0.2 in %d of them", better);
}

int
main(void)
{
	unit_start("vmdav");
	check_vmdav();
	check_choice();
	return unit_finish();
}
