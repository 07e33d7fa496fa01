/*
 * microaggregate_group.c
 *		Every method of multivariate microaggregation.
 *
 * Oracles: the best of all partitions of very small tables, and one recorded
 * signature of the groups of many tables, which every compiler, instruction
 * set and optimisation level must reproduce.
 */
#include "microaggregate_data.h"
#include "microaggregate_loss.h"

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/microaggregation/microaggregate_group.h"

#define METHODS  5
#define ROUNDING 1e-9

static const char *const method_name[METHODS] = {"mdav", "vmdav", "fast",
												 "best", "pca"};

static int32_t
group_rows(const SdcMatrix *matrix, int k, int method, int32_t *group)
{
	SdcRandom random;

	sdc_random_seed(&random, 5, 0);
	return sdc_microaggregate_group(
		unit_host(), matrix, k, (SdcGroupMethod) method, true, &random, group);
}

static double
loss_of(const SdcMatrix *matrix, const int32_t *group, int32_t groups)
{
	return microaggregate_loss(unit_host(), matrix, true, group, groups);
}

/* Sizes, losses and bounds of all methods on a table; returns the faults. */
static int
count_faults(const SdcMatrix *matrix, int k)
{
	int32_t rows = (int32_t) matrix->rows;
	int32_t *group = malloc(matrix->rows * sizeof(*group));
	double bound = sdc_microaggregate_bound(unit_host(), matrix, k, true);
	double loss[METHODS];
	int faults = 0;
	int method;

	for (method = 0; method < METHODS; method++)
	{
		int32_t groups = group_rows(matrix, k, method, group);
		int32_t least;
		int32_t most;

		faults += !data_sizes(group, rows, groups, &least, &most);
		faults += least < k;
		faults += method != SDC_GROUP_VMDAV && most > 2 * k - 1;
		loss[method] = loss_of(matrix, group, groups);
		faults += loss[method] < 0 || loss[method] > 1 + ROUNDING;
		faults += bound > loss[method];
	}
	faults += loss[SDC_GROUP_BEST] > loss[SDC_GROUP_MDAV] + ROUNDING;
	free(group);
	return faults;
}

static void
check_partitions(void)
{
	static const int ks[] = {1, 2, 3, 5, 10};
	SdcRandom random;
	int shape;
	int i;

	sdc_random_seed(&random, 11, 0);
	for (shape = 0; shape < DATA_SHAPES; shape++)
	{
		int faults = 0;

		for (i = 0; i < 10; i += unit_sparing() ? 3 : 1)
		{
			int k = ks[i % 5];
			int rows = k + (int) sdc_random_below(&random, 60);
			SdcMatrix matrix = data_random(&random, shape, rows, 1 + i);

			faults += count_faults(&matrix, k);
			unit_release_all();
		}
		unit_check(faults == 0, "shape %d: sizes, losses, bounds", shape);
	}
}

/* Row i joins one of the groups formed so far or starts one. */
static double
least_loss(const SdcMatrix *matrix, int k, int32_t *group, int32_t row,
		   int32_t groups)
{
	double least = INFINITY;
	int32_t smallest;
	int32_t largest;
	int32_t i;

	if (row == (int32_t) matrix->rows)
	{
		data_sizes(group, row, groups, &smallest, &largest);
		return smallest < k ? INFINITY : loss_of(matrix, group, groups);
	}
	for (i = 0; i <= groups && i < (int32_t) matrix->rows / k; i++)
	{
		double loss;

		group[row] = i;
		loss =
			least_loss(matrix, k, group, row + 1, groups > i ? groups : i + 1);
		least = loss < least ? loss : least;
	}
	return least;
}

/* Against all partitions of tables of up to 8 rows. */
static void
check_optimum(void)
{
	SdcRandom random;
	int below_bound = 0;
	int beaten = 0;
	int line_missed = 0;
	int best_found = 0;
	int tables = 0;
	int i;

	sdc_random_seed(&random, 12, 0);
	for (i = 0; i < 36; i += unit_sparing() ? 5 : 1)
	{
		int k = 2 + i % 2;
		int columns = 1 + i % 3;
		int32_t group[8];
		SdcMatrix matrix =
			data_random(&random, i % 6, 2 * k + i % (9 - 2 * k), columns);
		double bound = sdc_microaggregate_bound(unit_host(), &matrix, k, true);
		double optimum = least_loss(&matrix, k, group, 0, 0);
		int method;

		below_bound += bound > optimum;
		for (method = 0; method < METHODS; method++)
		{
			int32_t groups = group_rows(&matrix, k, method, group);
			double loss = loss_of(&matrix, group, groups);

			beaten += loss < optimum - ROUNDING;
			line_missed += method == SDC_GROUP_PCA && columns == 1 &&
						   loss > optimum + ROUNDING;
			best_found +=
				method == SDC_GROUP_BEST && loss < optimum + ROUNDING;
		}
		tables++;
		unit_release_all();
	}
	unit_check(below_bound == 0, "the bound is below the optimum");
	unit_check(beaten == 0, "no method beats the optimum");
	unit_check(line_missed == 0, "pca of one column is the optimum");
	unit_check(best_found == tables, "best finds %d of %d optima", best_found,
			   tables);
}

static void
check_permutation(void)
{
	SdcRandom random;
	int method;
	int shape;

	sdc_random_seed(&random, 14, 0);
	for (method = 0; method < METHODS; method++)
	{
		int differ = 0;

		for (shape = 0; shape < DATA_SHAPES; shape += unit_sparing() ? 3 : 1)
		{
			SdcMatrix matrix = data_random(&random, shape, 120, 3);
			int32_t order[120];
			int32_t group[120];
			SdcMatrix permuted;
			uint64_t expected;
			int32_t groups = group_rows(&matrix, 3, method, group);

			expected = data_signature(&matrix, group, groups);
			data_shuffle(&random, order, 120);
			permuted = data_permuted(&matrix, order);
			groups = group_rows(&permuted, 3, method, group);
			differ += data_signature(&permuted, group, groups) != expected;
			unit_release_all();
		}
		unit_check(differ == 0, "%s: the order of the rows is no matter",
				   method_name[method]);
	}
}

/* Recorded once; no build may give another (test/instruction_sets.sh). */
#define RECORDED UINT64_C(0x2b752cadb54bb292)

static void
check_recorded(void)
{
	static const enum DataShape shapes[] = {DATA_NORMAL, DATA_INTEGERS,
											DATA_CONSTANT, DATA_SPHERE};
	uint64_t signature = 0;
	SdcRandom random;
	int method;
	int i;

	sdc_random_seed(&random, 15, 0);
	for (method = 0; method < METHODS; method++)
		for (i = 0; i < 12; i++)
		{
			int rows = i == 0 ? 4500 : 150;
			int columns = i == 11 ? 20 : 1 + i;
			int32_t *group = sdc_new(unit_host(), int32_t, (size_t) rows);
			SdcMatrix matrix =
				data_random(&random, shapes[i % 4], rows, columns);
			int32_t groups;

			if (i == 0 && method == SDC_GROUP_BEST)
				continue;
			groups = group_rows(&matrix, 3, method, group);
			signature = sdc_random_mix(signature +
									   data_signature(&matrix, group, groups));
			unit_release_all();
		}
	unit_check(signature == RECORDED, "recorded signature: %016llx",
			   (unsigned long long) signature);
}

/*
 * Twenty clusters of 25 rows: groups of 3 do not add up to 25, and rows of two
 * clusters in one group, which are what mdav loses by, can only be parted with
 * groups of both.
 */
static void
check_clusters(void)
{
	int32_t *group = sdc_new(unit_host(), int32_t, 500);
	SdcMatrix matrix = {500, 4, sdc_new(unit_host(), double *, 4)};
	SdcRandom random;
	double loss[2];
	int i;
	int j;

	sdc_random_seed(&random, 17, 0);
	for (j = 0; j < 4; j++)
	{
		matrix.column[j] = sdc_new(unit_host(), double, 500);
		for (i = 0; i < 500; i++)
			matrix.column[j][i] = 0.2 * sdc_random_normal(&random) +
								  (double) (i % 20 * (j + 3) % 17);
	}
	for (i = 0; i < 2; i++)
	{
		int32_t groups = group_rows(
			&matrix, 3, i == 0 ? SDC_GROUP_BEST : SDC_GROUP_MDAV, group);

		loss[i] =
			microaggregate_loss(unit_host(), &matrix, true, group, groups);
	}
	unit_check(5 * loss[0] < loss[1],
			   "clusters: best loses %g, less than a fifth of mdav's %g",
			   loss[0], loss[1]);
	unit_release_all();
}

static void
check_blocks(void)
{
	SdcRandom random;
	SdcMatrix matrix;
	int32_t *group = sdc_new(unit_host(), int32_t, 31000);
	double loss[2];
	int method;

	sdc_random_seed(&random, 16, 0);
	matrix = data_random(&random, DATA_NORMAL, 31000, 2);
	for (method = unit_sparing() ? SDC_GROUP_FAST : SDC_GROUP_MDAV;
		 method <= SDC_GROUP_FAST; method += 2)
	{
		int32_t groups = group_rows(&matrix, 3, method, group);
		int32_t least;
		int32_t most;

		unit_check(data_sizes(group, 31000, groups, &least, &most) &&
					   least >= 3 && most <= 5,
				   "%s: 31000 rows", method_name[method]);
		loss[method / 2] = loss_of(&matrix, group, groups);
	}
	if (!unit_sparing())
		unit_check(loss[1] < 1.15 * loss[0] && loss[1] != loss[0],
				   "blocks lose %.1f %% more", 100 * (loss[1] / loss[0] - 1));
	unit_release_all();
}

/* Values at the ends of what a double can hold. */
static void
check_extremes(void)
{
	static const double scales[] = {1e300, 1.7e308, 1e-300, 4.9e-324};
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 17, 0);
	for (i = 0; i < 4; i += unit_sparing() ? 3 : 1)
	{
		SdcMatrix matrix = data_new(200, 2);
		int32_t group[200];
		int faults = 0;
		int method;
		int row;

		for (row = 0; row < 200; row++)
		{
			double sign = row % 2 ? 1 : -1;

			matrix.column[0][row] =
				sign * scales[i] * (double) (1 + sdc_random_below(&random, 9));
			if (!isfinite(matrix.column[0][row]))
				matrix.column[0][row] = sign * scales[i];
			matrix.column[1][row] = sdc_random_unit(&random);
		}
		for (method = 0; method < METHODS; method++)
		{
			int32_t groups = group_rows(&matrix, 3, method, group);
			SdcRandom random;
			double loss = loss_of(&matrix, group, groups);

			faults += !(loss >= 0 && loss < 0.5);
			sdc_random_seed(&random, 1, 0);
			groups = sdc_microaggregate_group(unit_host(), &matrix, 3,
											  (SdcGroupMethod) method, false,
											  &random, group);
			loss = microaggregate_loss(unit_host(), &matrix, false, group,
									   groups);
			faults += !(loss >= 0 && loss < 0.5);
		}
		unit_check(faults == 0, "values of about %g", scales[i]);
		unit_release_all();
	}
}

/* What is known beforehand. */
static void
check_known(void)
{
	double first[] = {0, 0, 0, 10, 10, 10};
	double second[] = {0, 1, 2, 0, 1, 2};
	double *columns[] = {first, second};
	SdcMatrix matrix = {6, 2, columns};
	int32_t group[6];
	SdcRandom random;
	int method;

	sdc_random_seed(&random, 0, 0);
	for (method = 0; method < METHODS; method++)
	{
		int32_t groups = sdc_microaggregate_group(unit_host(), &matrix, 3,
												  (SdcGroupMethod) method,
												  false, &random, group);

		unit_check(groups == 2 && group[0] == group[1] &&
					   group[1] == group[2] && group[3] == group[4] &&
					   group[4] == group[5] && group[0] != group[3],
				   "%s: two clusters", method_name[method]);
	}
	unit_check(
		fabs(microaggregate_loss(unit_host(), &matrix, false, group, 2) -
			 4.0 / 154) < 1e-12,
		"SSE 4 of SST 154");
	unit_release_all();
}

int
main(void)
{
	unit_start("microaggregate_group");
	check_known();
	check_partitions();
	check_optimum();
	check_permutation();
	if (!unit_sparing())
		check_clusters();
	check_blocks();
	check_extremes();
	if (!unit_sparing())
		check_recorded();
	return unit_finish();
}
