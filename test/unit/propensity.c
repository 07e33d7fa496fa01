/*
 * propensity.c
 *		pMSE: EX-UT, two factors in closed form, and its mean and spread for
 *		files of one source.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/model/logistic.h"
#include "kernel/utility/propensity.h"

#define ROWS  400
#define FILES 300

static void
check_published(void)
{
	const double a[] = {10, 20, 30, 40, 50, 60, 12, 18, 33, 40, 47, 62};
	const double b[] = {1, 3, 2, 5, 4, 6, 1, 2, 3, 4, 5, 6};
	const SdcPropensityColumn column[] = {{a, NULL, 0}, {b, NULL, 0}};
	SdcPropensity result =
		sdc_propensity_measure(unit_host(), 6, 6, 2, column, 50, false, NULL);

	unit_check(fabs(result.pmse - 0.000201) < 5e-7 &&
				   fabs(result.expected - 0.020833) < 5e-7 &&
				   fabs(result.ratio - 0.00965) < 5e-6 &&
				   fabs(result.deviation - result.expected) < 1e-15,
			   "EX-UT: %.6f, %.6f, %.5f", result.pmse, result.expected,
			   result.ratio);
}

/* A saturated model predicts the share of each cell. */
static void
check_cells(void)
{
	static int32_t code[2][ROWS];
	const SdcPropensityColumn column[] = {{NULL, code[0], 3},
										  {NULL, code[1], 2}};
	double cell[3][2][2] = {{{0}}};
	double pmse = 0;
	SdcPropensity result;
	SdcRandom random;
	int64_t parameters;
	int i;
	int j;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < ROWS; i++)
	{
		code[0][i] = (int32_t) sdc_random_below(&random, 3) - 1;
		code[1][i] = (int32_t) sdc_random_below(&random, 2);
		cell[code[0][i] + 1][code[1][i]][i >= 150]++;
	}
	for (i = 0; i < 3; i++)
		for (j = 0; j < 2; j++)
		{
			double all = cell[i][j][0] + cell[i][j][1];
			double shift = cell[i][j][1] / all - 250.0 / ROWS;

			pmse += all * shift * shift / ROWS;
		}
	result = sdc_propensity_measure(unit_host(), 150, 250, 2, column, 50, true,
									&parameters);
	unit_check(parameters == 6 && result.parameters == 6 &&
				   fabs(result.pmse - pmse) < 1e-12,
			   "all products of factors: %g", result.pmse);
	result = sdc_propensity_measure(unit_host(), 150, 250, 2, column, 2, false,
									&parameters);
	unit_check(parameters == 3 && result.parameters == 3,
			   "rare values share an effect");
}

/*
 * Levels that only one file has, some of them only when others are gone: the
 * limit of the likelihood, as a fit to the end finds it, too.
 */
static void
check_certain(void)
{
	const int32_t a[] = {0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 1, 1, 1};
	const int32_t b[] = {0, 1, 0, 1, 0, 1, 3, 0, 0, 1, 1, 2, 0, 2};
	const double x[] = {1, 5, 3, 2, 5, 4, 7, 2, 4, 9, 1, 3, 5, 6};
	double success[14];
	double probability[14];
	const SdcPropensityColumn column[] = {
		{NULL, a, 3}, {NULL, b, 4}, {x, NULL, 0}};
	const SdcLogisticColumn plain[] = {
		{NULL, a, 3}, {NULL, b, 4}, {x, NULL, 0}};
	const SdcLogisticData data = {14, 3, plain, success, NULL};
	SdcPropensity result =
		sdc_propensity_measure(unit_host(), 7, 7, 3, column, 50, false, NULL);
	SdcLogistic *model;
	double sum = 0;
	int i;

	for (i = 0; i < 14; i++)
		success[i] = i >= 7;
	model = sdc_logistic_fit(unit_host(), &data);
	sdc_logistic_predict(unit_host(), model, &data, probability);
	for (i = 0; i < 14; i++)
		sum += (probability[i] - 0.5) * (probability[i] - 0.5) / 14;
	unit_check(fabs(result.pmse - sum) < 1e-9 &&
				   result.parameters == model->rank &&
				   result.end == SDC_LOGISTIC_SEPARATED &&
				   model->end == SDC_LOGISTIC_SEPARATED,
			   "levels of one file: %.12f, and by %d steps %.12f", result.pmse,
			   model->steps, sum);
}

/* One file of three columns, drawn or taken from rows of the file before. */
static void
draw_rows(SdcRandom *random, double (*x)[ROWS], int32_t *code, int first,
		  int last, bool again)
{
	int i;

	for (i = first; i < last; i++)
	{
		int from = (int) sdc_random_below(random, (uint64_t) ROWS / 4);

		x[0][i] = again ? x[0][from] : sdc_random_normal(random);
		x[1][i] = again ? x[1][from] : x[0][i] + sdc_random_normal(random);
		code[i] = again ? code[from] : (int32_t) sdc_random_below(random, 3);
	}
}

/*
 * A masked file drawn from the original one has the mean and deviation that
 * Snoke et al. give; two samples of one population have a mean that is 1 / (1
 * - share) times as large.
 */
static void
check_null(bool again)
{
	static double x[2][ROWS];
	static int32_t code[ROWS];
	const SdcPropensityColumn column[] = {
		{x[0], NULL, 0}, {x[1], NULL, 0}, {NULL, code, 3}};
	double times = again ? 1 : 4;
	SdcPropensity result;
	SdcRandom random;
	double sum = 0;
	double squares = 0;
	int file;

	sdc_random_seed(&random, 2, again);
	for (file = 0; file < FILES; file++)
	{
		double shift;

		draw_rows(&random, x, code, 0, ROWS / 4, false);
		draw_rows(&random, x, code, ROWS / 4, ROWS, again);
		result = sdc_propensity_measure(unit_host(), ROWS / 4, ROWS * 3 / 4, 3,
										column, 50, false, NULL);
		shift = (result.pmse / times - result.expected) / result.deviation;
		sum += shift;
		squares += shift * shift;
	}
	/* 4.9 standard errors, and a little for the small file */
	unit_check(result.parameters == 5 &&
				   fabs(sum / FILES) < 4.9 / sqrt(FILES) + 0.1,
			   "mean of the standardized pMSE: %.3f", sum / FILES);
	unit_check(fabs(sqrt(squares / FILES) - 1) < 0.35,
			   "its standard deviation: %.3f", sqrt(squares / FILES));
}

static void
check_edges(void)
{
	const double x[] = {1, 2, NAN, 1, 2, NAN};
	const int32_t none[] = {-1, -1, -1, -1, -1, -1};
	const int32_t apart[] = {0, 0, 0, 1, 1, 1};
	const SdcPropensityColumn same = {x, NULL, 0};
	const SdcPropensityColumn missing = {NULL, none, 0};
	const SdcPropensityColumn told = {NULL, apart, 2};
	SdcPropensity result =
		sdc_propensity_measure(unit_host(), 3, 3, 1, &same, 50, false, NULL);

	unit_check(result.pmse < 1e-25 && result.parameters == 3,
			   "equal files: %g", result.pmse);
	result = sdc_propensity_measure(unit_host(), 3, 3, 1, &missing, 50, false,
									NULL);
	unit_check(result.pmse == 0 && result.parameters == 1 &&
				   isnan(result.ratio),
			   "nothing to tell records apart by");
	result =
		sdc_propensity_measure(unit_host(), 3, 3, 1, &told, 50, false, NULL);
	unit_check(fabs(result.pmse - 0.25) < 1e-8 &&
				   result.end == SDC_LOGISTIC_SEPARATED,
			   "files without a value in common: %g", result.pmse);
	result =
		sdc_propensity_measure(unit_host(), 3, 0, 1, &told, 50, false, NULL);
	unit_check(isnan(result.pmse), "an empty file");
}

/*
 * Leaves of a tree that has only one question to ask: two cells, by hand; a
 * rule of two columns that no single column shows; equal files.
 */
static void
check_tree(void)
{
	static int32_t code[2][ROWS];
	static double x[ROWS];
	const SdcPropensityColumn both[] = {{NULL, code[0], 2},
										{NULL, code[1], 2}};
	const SdcPropensityColumn number = {x, NULL, 0};
	const SdcPropensityTree settings = {5, 1e-8, 20, 1};
	double yes = 0;
	double masked = 0;
	double shift;
	SdcPropensity result;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 3, 0);
	for (i = 0; i < ROWS; i++)
	{
		bool below = i < 150 ? i % 5 == 0 : i % 3 == 0;

		x[i] = i % 7 == 0 ? NAN : below;
		yes += x[i] == 1;
		masked += x[i] == 1 && i >= 150;
		code[0][i] = (int32_t) sdc_random_below(&random, 2);
		code[1][i] = i < 150 ? code[0][i] : 1 - code[0][i];
	}
	result = sdc_propensity_by_tree(unit_host(), 150, 250, 2, both, &settings);
	unit_check(result.parameters == 4 &&
				   fabs(result.pmse - 0.375 * 0.625) < 1e-12 &&
				   result.ratio > 20,
			   "what only two columns show: %g of %d leaves, ratio %.1f",
			   result.pmse, result.parameters, result.ratio);
	result = sdc_propensity_by_tree(unit_host(), 150, 250, 1, &number,
									&(SdcPropensityTree){60, 0.01, 20, 1});
	shift = masked / yes - 0.625;
	shift = shift * shift * yes +
			pow((250 - masked) / (ROWS - yes) - 0.625, 2) * (ROWS - yes);
	unit_check(
		result.parameters == 2 && fabs(result.pmse - shift / ROWS) < 1e-12,
		"one question: %.12f, by hand %.12f", result.pmse, shift / ROWS);
	for (i = 0; i < ROWS; i++)
		x[i] = i % (ROWS / 2);
	result = sdc_propensity_by_tree(unit_host(), ROWS / 2, ROWS / 2, 1,
									&number, &settings);
	unit_check(result.pmse < 0.2 * result.expected && result.expected > 0,
			   "equal files: %g of %g", result.pmse, result.expected);
	result =
		sdc_propensity_by_tree(unit_host(), ROWS, 0, 1, &number, &settings);
	unit_check(isnan(result.pmse), "an empty file, to a tree");
}

/* A file drawn from the original one has a ratio near 1, as it should. */
static void
check_tree_null(bool again)
{
	static double x[2][ROWS];
	static int32_t code[ROWS];
	const SdcPropensityColumn column[] = {
		{x[0], NULL, 0}, {x[1], NULL, 0}, {NULL, code, 3}};
	double sum = 0;
	SdcRandom random;
	int file;

	sdc_random_seed(&random, 4, again);
	for (file = 0; file < FILES / 3; file++)
	{
		draw_rows(&random, x, code, 0, ROWS / 4, false);
		draw_rows(&random, x, code, ROWS / 4, ROWS, again);
		sum += sdc_propensity_by_tree(
				   unit_host(), ROWS / 4, ROWS * 3 / 4, 3, column,
				   &(SdcPropensityTree){20, 1e-8, 10, (uint64_t) file})
				   .ratio;
	}
	sum /= FILES / 3;
	unit_check(again ? fabs(sum - 1) < 0.3 : fabs(sum - 4) < 0.4,
			   "mean ratio of a tree, %s: %.3f",
			   again ? "drawn from the original" : "of one population", sum);
}

int
main(void)
{
	unit_start("propensity");
	check_published();
	check_cells();
	check_certain();
	check_null(true);
	check_null(false);
	check_edges();
	check_tree();
	check_tree_null(true);
	check_tree_null(false);
	return unit_finish();
}
