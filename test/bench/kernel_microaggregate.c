/*
 * kernel_microaggregate.c
 *		Speed of multivariate microaggregation against the textbook algorithm.
 *
 * ./run bench kernel microaggregate [--large] [--only NAME]
 *
 * One line per case: seconds of CPU, the most memory the kernel held besides
 * its input and its result, and as a remark the information loss and, where
 * the reference is run, how many times slower that is.  --large adds ten
 * million rows.
 *
 * Memory of MDAV in bytes per row of d columns, no duplicates: 8 d + 12 for
 * the ordered points and their groups, 8 d + 16 to 16 d + 20 for the tree of
 * boxes, and 8 d + 8 while it is built.
 */
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/microaggregate_group.h"

#include "bench.h"
#include "bench_matrix.h"
#include "microaggregate_loss.h"
#include "reference_mdav.h"
#include "published_table.h"

#include <float.h>
#include <math.h>

/* ---------- data ---------- */

/* Two common factors and noise. */
static SdcMatrix
correlated_normal(size_t rows, int columns)
{
	SdcMatrix matrix = new_matrix(rows, columns);
	SdcRandom random;
	size_t i;
	int j;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < rows; i++)
	{
		double f = sdc_random_normal(&random);
		double g = sdc_random_normal(&random);

		for (j = 0; j < columns; j++)
			matrix.column[j][i] = 0.7 * f + (j % 2 ? 0.4 : -0.4) * g +
								  0.6 * sdc_random_normal(&random);
	}
	standardize(&matrix);
	return matrix;
}

#define NEIGHBOURS 8

/* The nearest rows of a small table. */
static void
find_neighbours(const SdcMatrix *table, size_t row, size_t *neighbour)
{
	double distance[NEIGHBOURS];
	int count = 0;
	size_t other;

	for (other = 0; other < table->rows; other++)
	{
		double sum = 0;
		int t;

		for (t = 0; t < table->columns; t++)
			sum += (table->column[t][row] - table->column[t][other]) *
				   (table->column[t][row] - table->column[t][other]);
		if (other == row ||
			(count == NEIGHBOURS && sum >= distance[NEIGHBOURS - 1]))
			continue;
		t = count < NEIGHBOURS ? count++ : NEIGHBOURS - 1;
		for (; t > 0 && distance[t - 1] > sum; t--)
		{
			distance[t] = distance[t - 1];
			neighbour[t] = neighbour[t - 1];
		}
		distance[t] = sum;
		neighbour[t] = other;
	}
}

/*
 * Many rows with the skew and the correlation of a small real table: points
 * near the line from a row to one of its neighbours, with a little noise.
 */
static SdcMatrix
interpolated(const char *name, size_t rows)
{
	SdcMatrix table;
	SdcMatrix matrix;
	SdcRandom random;
	size_t(*neighbour)[NEIGHBOURS];
	size_t i;
	int j;

	published_table_read(name, &table);
	standardize(&table);
	neighbour = malloc(table.rows * sizeof(*neighbour));
	for (i = 0; i < table.rows; i++)
		find_neighbours(&table, i, neighbour[i]);
	matrix = new_matrix(rows, table.columns);
	sdc_random_seed(&random, 7, 0);
	for (i = 0; i < rows; i++)
	{
		size_t from = sdc_random_below(&random, table.rows);
		size_t to = neighbour[from][sdc_random_below(&random, NEIGHBOURS)];
		double part = sdc_random_unit(&random);

		for (j = 0; j < table.columns; j++)
			matrix.column[j][i] =
				table.column[j][from] +
				(part + 0.15 * sdc_random_normal(&random)) *
					(table.column[j][to] - table.column[j][from]) +
				0.02 * sdc_random_normal(&random);
	}
	free(neighbour);
	published_table_free(&table);
	standardize(&matrix);
	return matrix;
}

/* Nine distinct rows, very often. */
static SdcMatrix
few_distinct(size_t rows)
{
	SdcMatrix matrix = new_matrix(rows, 2);
	SdcRandom random;
	size_t i;

	sdc_random_seed(&random, 3, 0);
	for (i = 0; i < rows; i++)
	{
		matrix.column[0][i] = (double) sdc_random_below(&random, 3);
		matrix.column[1][i] = (double) sdc_random_below(&random, 3);
	}
	return matrix;
}

/* ---------- cases ---------- */

static const char *only;

static void
run_case(const char *name, SdcMatrix (*make)(size_t), size_t rows, int k,
		 SdcGroupMethod method, bool against_reference)
{
	SdcMatrix matrix;
	SdcRandom random;
	int32_t *group;
	int32_t groups;
	double start;
	double seconds;
	double loss;
	char what[64];

	if (only != NULL && strstr(name, only) == NULL)
		return;
	matrix = make(rows);
	group = malloc(rows * sizeof(int32_t));
	start = bench_start();
	sdc_random_seed(&random, 1, 0);
	groups = sdc_microaggregate_group(bench_host(), &matrix, k, method, true,
									  &random, group);
	seconds = bench_stop(start);
	snprintf(what, sizeof(what), "%s k = %d", name, k);
	loss =
		100 * microaggregate_loss(bench_host(), &matrix, true, group, groups);
	if (against_reference)
	{
		double reference;

		start = bench_cpu();
		reference_mdav(&matrix, k, group);
		reference = bench_cpu() - start;
		bench_line("microaggregate", what, rows, matrix.columns, seconds,
				   "loss %.4f %%; textbook %.3f s: %.1f x", loss, reference,
				   reference / seconds);
	}
	else
		bench_line("microaggregate", what, rows, matrix.columns, seconds,
				   "loss %.4f %%", loss);
	free(group);
	published_table_free(&matrix);
}

static SdcMatrix
normal_4(size_t rows)
{
	return correlated_normal(rows, 4);
}

static SdcMatrix
census_like(size_t rows)
{
	return interpolated("census.csv", rows);
}

static SdcMatrix
tarragona_like(size_t rows)
{
	return interpolated("tarragona.csv", rows);
}

int
main(int argc, char **argv)
{
	bool large = false;
	int i;

	for (i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--large") == 0)
			large = true;
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only = argv[++i];
	}
	run_case("mdav_normal", normal_4, 10000, 3, SDC_GROUP_MDAV, true);
	run_case("mdav_normal", normal_4, 100000, 3, SDC_GROUP_MDAV, true);
	run_case("mdav_normal", normal_4, 100000, 10, SDC_GROUP_MDAV, true);
	run_case("mdav_census", census_like, 100000, 3, SDC_GROUP_MDAV, true);
	run_case("mdav_tarragona", tarragona_like, 100000, 3, SDC_GROUP_MDAV,
			 true);
	run_case("mdav_few_distinct", few_distinct, 300000, 3, SDC_GROUP_MDAV,
			 false);
	run_case("mdav_normal", normal_4, 1000000, 3, SDC_GROUP_MDAV, false);
	run_case("vmdav_normal", normal_4, 100000, 3, SDC_GROUP_VMDAV, false);
	run_case("fast_normal", normal_4, 1000000, 3, SDC_GROUP_FAST, false);
	run_case("fast_census", census_like, 100000, 3, SDC_GROUP_FAST, false);
	run_case("best_normal", normal_4, 100000, 3, SDC_GROUP_BEST, false);
	run_case("best_census", census_like, 100000, 3, SDC_GROUP_BEST, false);
	run_case("pca_normal", normal_4, 1000000, 3, SDC_GROUP_PCA, false);
	if (large)
	{
		run_case("fast_normal", normal_4, 10000000, 3, SDC_GROUP_FAST, false);
		run_case("mdav_normal", normal_4, 10000000, 3, SDC_GROUP_MDAV, false);
	}
	return 0;
}
