/*
 * log_linear.c
 *		Log-linear models: closed forms, and Newton's method on the likelihood.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/log_linear.c"
#include "kernel/table/frequency.h"

#define COLUMNS 3

/* A random sparse table; code values[j] - 1 of column 1 becomes NULL. */
static SdcFrequency *
random_table(uint64_t seed, const int32_t *values, int records, bool weighted)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), COLUMNS, weighted);
	int32_t known[COLUMNS];
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, seed, 0);
	for (j = 0; j < COLUMNS; j++)
		known[j] = j == 1 ? values[j] - 1 : values[j];
	for (i = 0; i < records; i++)
	{
		int32_t codes[COLUMNS];
		double weight = sdc_random_unit(&random) * 30;

		for (j = 0; j < COLUMNS; j++)
		{
			codes[j] = (int32_t) sdc_random_below(&random, values[j]);
			/* skewed, and dependent */
			if (sdc_random_below(&random, 2) == 0)
				codes[j] = j > 0 ? codes[0] % values[j] : 0;
		}
		if (codes[1] == known[1])
			codes[1] = SDC_CODE_NULL;
		sdc_frequency_add(counting, codes, 1, weight);
	}
	return sdc_frequency_finish(counting, NULL, known, NULL);
}

/* Sum of the counts of cells that agree with one in the given columns. */
static double
margin(const SdcFrequency *table, int32_t cell, int a, int b)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (table->code[a][i] == table->code[a][cell] &&
			table->code[b][i] == table->code[b][cell])
			sum += table->count[i];
	return sum;
}

/* Records with a code in a column. */
static double
records_with(const SdcFrequency *table, int column, int32_t code)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (table->code[column][i] == code)
			sum += table->count[i];
	return sum;
}

/* Expected uniques of independent columns; -1, NULL, is the first code. */
static double
uniques_of(const SdcFrequency *table)
{
	double n = table->records;
	double sum = 0;
	int32_t a;
	int32_t b;
	int32_t c;

	for (a = -1; a < table->values[0]; a++)
		for (b = -1; b < table->values[1]; b++)
			for (c = -1; c < table->values[2]; c++)
			{
				double mean = records_with(table, 0, a) *
							  records_with(table, 1, b) *
							  records_with(table, 2, c) / n / n;

				sum += mean * exp(-mean);
			}
	return sum;
}

static void
check_closed_forms(void)
{
	const int32_t values[] = {5, 4, 7};
	const SdcLogLinearTerm chain[] = {{0, 1}, {2, 1}};
	const SdcLogLinearTerm pair[] = {{2, 0}};
	SdcFrequency *table = random_table(1, values, 200, false);
	double n = table->records;
	SdcLogLinear *main_effects =
		sdc_log_linear_fit(unit_host(), table, NULL, 0);
	SdcLogLinear *paired = sdc_log_linear_fit(unit_host(), table, pair, 1);
	SdcLogLinear *chained = sdc_log_linear_fit(unit_host(), table, chain, 2);
	double worst[3] = {0};
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		double a = margin(table, i, 0, 0);
		double b = margin(table, i, 1, 1);
		double c = margin(table, i, 2, 2);

		worst[0] = fmax(worst[0],
						fabs(main_effects->mean[i] / (a * b * c / n / n) - 1));
		worst[1] =
			fmax(worst[1],
				 fabs(paired->mean[i] / (margin(table, i, 0, 2) * b / n) - 1));
		worst[2] = fmax(worst[2],
						fabs(chained->mean[i] / (margin(table, i, 0, 1) *
												 margin(table, i, 1, 2) / b) -
							 1));
	}
	unit_check(fabs(main_effects->uniques / uniques_of(table) - 1) < 1e-12,
			   "main effects: %g uniques expected", main_effects->uniques);
	unit_check(worst[0] < 1e-13 && main_effects->converged,
			   "main effects: product of margins, error %g", worst[0]);
	unit_check(worst[1] < 1e-13 && paired->converged,
			   "one pair: joint margin and the third, error %g", worst[1]);
	unit_check(worst[2] < 1e-9 && chained->converged,
			   "a chain of pairs: error %g", worst[2]);
	unit_check(sdc_log_linear_cells(unit_host(), table, NULL, 0) == 0 &&
				   sdc_log_linear_cells(unit_host(), table, pair, 1) == 35 &&
				   sdc_log_linear_cells(unit_host(), table, chain, 2) == 140,
			   "cells of the tables, NULL being a value");
}

/* Solves the n equations of a in place, by elimination with pivots. */
static void
solve(double *a, double *b, int n)
{
	int i;
	int j;
	int k;

	for (i = 0; i < n; i++)
	{
		int pivot = i;

		for (j = i + 1; j < n; j++)
			if (fabs(a[j * n + i]) > fabs(a[pivot * n + i]))
				pivot = j;
		for (k = 0; k < n; k++)
		{
			double swap = a[i * n + k];

			a[i * n + k] = a[pivot * n + k];
			a[pivot * n + k] = swap;
		}
		{
			double swap = b[i];

			b[i] = b[pivot];
			b[pivot] = swap;
		}
		for (j = i + 1; j < n; j++)
		{
			double ratio = a[j * n + i] / a[i * n + i];

			for (k = i; k < n; k++)
				a[j * n + k] -= ratio * a[i * n + k];
			b[j] -= ratio * b[i];
		}
	}
	for (i = n - 1; i >= 0; i--)
	{
		for (k = i + 1; k < n; k++)
			b[i] -= a[i * n + k] * b[k];
		b[i] /= a[i * n + i];
	}
}

/* The row of the design matrix for a cell: 1, main effects, all pairs. */
static int
design(const int32_t *values, const int32_t *code, double *x)
{
	int n = 0;
	int a;
	int b;
	int32_t u;
	int32_t v;

	x[n++] = 1;
	for (a = 0; a < COLUMNS; a++)
		for (u = 1; u < values[a]; u++)
			x[n++] = code[a] == u;
	for (a = 0; a < COLUMNS; a++)
		for (b = a + 1; b < COLUMNS; b++)
			for (u = 1; u < values[a]; u++)
				for (v = 1; v < values[b]; v++)
					x[n++] = code[a] == u && code[b] == v;
	return n;
}

#define PARAMETERS 64

/* Means of all cells by Newton's method for Poisson regression. */
static void
regression(const int32_t *values, const double *count, double *mean)
{
	double beta[PARAMETERS] = {0};
	double x[PARAMETERS];
	int32_t code[COLUMNS];
	int parameters = 0;
	int step;
	int i;
	int j;

	for (step = 0; step < 60; step++)
	{
		static double hessian[PARAMETERS * PARAMETERS];
		double gradient[PARAMETERS] = {0};
		int cell = 0;

		memset(hessian, 0, sizeof(hessian));
		for (code[0] = 0; code[0] < values[0]; code[0]++)
			for (code[1] = 0; code[1] < values[1]; code[1]++)
				for (code[2] = 0; code[2] < values[2]; code[2]++, cell++)
				{
					double eta = 0;

					parameters = design(values, code, x);
					for (i = 0; i < parameters; i++)
						eta += beta[i] * x[i];
					mean[cell] = exp(eta);
					for (i = 0; i < parameters; i++)
					{
						gradient[i] += x[i] * (count[cell] - mean[cell]);
						for (j = 0; j < parameters; j++)
							hessian[i * parameters + j] +=
								x[i] * x[j] * mean[cell];
					}
				}
		solve(hessian, gradient, parameters);
		for (i = 0; i < parameters; i++)
			beta[i] += fmax(-1, fmin(1, gradient[i]));
	}
}

static void
check_two_way(void)
{
	const SdcLogLinearTerm all[] = {{0, 1}, {0, 2}, {1, 2}};
	const int32_t values[] = {4, 3, 5};
	double worst = 0;
	int empty = 0;
	int seed;

	for (seed = 2; seed < 7; seed++)
	{
		SdcFrequency *table = random_table(seed, values, 300, false);
		SdcLogLinear *model = sdc_log_linear_fit(unit_host(), table, all, 3);
		double count[60] = {0};
		double uniques = 0;
		double mean[60];
		int32_t i;

		for (i = 0; i < table->cells; i++)
		{
			int32_t b = table->code[1][i];

			count[(table->code[0][i] * 3 + (b == SDC_CODE_NULL ? 2 : b)) * 5 +
				  table->code[2][i]] = table->count[i];
		}
		regression(values, count, mean);
		empty += 60 - table->cells;
		for (i = 0; i < table->cells; i++)
		{
			int32_t b = table->code[1][i];
			double other =
				mean[(table->code[0][i] * 3 + (b == SDC_CODE_NULL ? 2 : b)) *
						 5 +
					 table->code[2][i]];

			worst = fmax(worst, fabs(model->mean[i] / other - 1));
		}
		for (i = 0; i < 60; i++)
			uniques += mean[i] * exp(-mean[i]);
		unit_check(model->converged &&
					   fabs(model->uniques / uniques - 1) < 1e-7,
				   "all pairs: %d sweeps, %g uniques expected", model->sweeps,
				   model->uniques);
	}
	unit_check(worst < 1e-7 && empty > 0,
			   "all pairs: as Newton's method, error %g; %d cells were empty",
			   worst, empty);
}

static void
check_edges(void)
{
	const int32_t values[] = {3, 3, 3};
	const int32_t wide[] = {600, 700, 800};
	const SdcLogLinearTerm all[] = {{0, 1}, {1, 2}};
	SdcFrequency *nothing = random_table(3, values, 0, false);
	SdcFrequency *one = random_table(3, values, 1, false);
	SdcFrequency *large = random_table(3, wide, 5000, false);
	SdcLogLinear *model = sdc_log_linear_fit(unit_host(), nothing, all, 2);
	SdcLogLinearRisk risk =
		sdc_log_linear_risk(unit_host(), nothing, model, 0.5);

	unit_check(model->converged && risk.uniques == 0 && risk.tau1 == 0 &&
				   model->uniques == 0,
			   "no records");
	model = sdc_log_linear_fit(unit_host(), one, all, 2);
	unit_check(fabs(model->mean[0] - 1) < 1e-12, "one record");
	unit_check(isnan(sdc_log_linear_fit(unit_host(), large, NULL, 0)->uniques),
			   "uniques of too many combinations are not counted");
	unit_check(sdc_log_linear_cells(unit_host(), large, all, 2) ==
				   SDC_LOG_LINEAR_MAX_CELLS + 1,
			   "a table that is too large is told");
}

/*
 * Two opposite cells of a 2 x 2 x 2 table are empty: no margin is, but there
 * are no finite effects of all pairs (Haberman 1974).
 */
static void
check_without_maximum(void)
{
	const SdcLogLinearTerm all[] = {{0, 1}, {0, 2}, {1, 2}};
	const int32_t values[] = {2, 2, 2};
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), COLUMNS, false);
	SdcLogLinear *model;
	double worst = 0;
	SdcFrequency *table;
	int32_t cell;
	int i;

	for (i = 1; i < 7; i++)
	{
		const int32_t codes[] = {i / 4, i / 2 % 2, i % 2};

		sdc_frequency_add(counting, codes, i, 0);
	}
	table = sdc_frequency_finish(counting, NULL, values, NULL);
	model = sdc_log_linear_fit(unit_host(), table, all, 3);
	/* at the limit the six means are the counts */
	for (cell = 0; cell < table->cells; cell++)
		worst = fmax(worst, fabs(model->mean[cell] / table->count[cell] - 1));
	unit_check(!model->converged && worst < 0.01,
			   "no maximum: told, and near the limit (%g)", worst);
}

/* P(F = 1 | f = 1) and E(1/F | f = 1), as the head of figure1 has them. */
static void
add_figures(double mean, double x, double v, double *tau1, double *tau2)
{
	if (x * v >= 1)
	{
		*tau1 += exp(-x);
		*tau2 += fmin(1 / (x * (1 + mean * v)), 1);
		return;
	}
	*tau1 += pow(1 - x * v, 1 / v - 1 + mean);
	*tau2 +=
		x > 0 ? (1 - pow(1 - x * v, 1 / v + mean)) / (x * (1 + mean * v)) : 1;
}

static void
check_risk(void)
{
	const int32_t values[] = {9, 8, 7};
	SdcFrequency *table = random_table(8, values, 150, true);
	SdcLogLinear *model = sdc_log_linear_fit(unit_host(), table, NULL, 0);
	SdcLogLinearRisk global =
		sdc_log_linear_risk(unit_host(), table, model, 0.1);
	SdcLogLinearRisk whole = sdc_log_linear_risk(unit_host(), table, model, 1);
	SdcLogLinearRisk weighted =
		sdc_log_linear_risk(unit_host(), table, model, 0);
	double tau1[2] = {0};
	double tau2[2] = {0};
	int uniques = 0;
	int light = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (table->count[i] == 1)
		{
			double mean = model->mean[i];
			double v = 1 / margin(table, i, 0, 0) +
					   1 / margin(table, i, 1, 1) +
					   1 / margin(table, i, 2, 2) - 3 / 150.0;

			uniques++;
			light += table->weight[i] < 1;
			add_figures(mean, mean * 9, fmin(v, 1), &tau1[0], &tau2[0]);
			add_figures(mean, mean * fmax(table->weight[i] - 1, 0), fmin(v, 1),
						&tau1[1], &tau2[1]);
		}
	unit_check(global.uniques == uniques &&
				   fabs(global.tau1 / tau1[0] - 1) < 1e-12 &&
				   fabs(global.tau2 / tau2[0] - 1) < 1e-12,
			   "pi = 0.1: tau1 %g, tau2 %g", global.tau1, global.tau2);
	unit_check(light > 0 && fabs(weighted.tau1 / tau1[1] - 1) < 1e-10 &&
				   fabs(weighted.tau2 / tau2[1] - 1) < 1e-10,
			   "weights: tau1 %g, tau2 %g", weighted.tau1, weighted.tau2);
	unit_check(whole.tau1 == uniques && whole.tau2 == uniques &&
				   whole.error1 == 0 && whole.error2 == 0,
			   "pi = 1: all sample uniques are population uniques");
	unit_check(fabs(sdc_log_linear_reciprocal(1e-9, 0.5) - (1 - 0.5e-9)) <
					   1e-16 &&
				   sdc_log_linear_reciprocal(1e300, 1e-300) == 0 &&
				   sdc_log_linear_unique(1e300, 1e-300) == 0,
			   "small and large means");
}

/* E(1/F^2) term by term. */
static void
check_squares(void)
{
	static const double means[] = {1e-6, 0.3, 5, 99, 101, 300};
	double worst = 0;
	size_t i;

	for (i = 0; i < sizeof(means) / sizeof(means[0]); i++)
	{
		double x = means[i];
		double sum = 0;
		int j;

		for (j = 0; j < 2000; j++)
			sum += exp(j * log(x) - x - lgamma(j + 1)) / (j + 1.0) / (j + 1);
		worst = fmax(worst, fabs(squared_reciprocal(x, 0.5) / sum - 1));
	}
	unit_check(worst < 1e-5, "E(1/F^2) within %g", worst);
}

/* The place of a cell of three columns in the order of regression. */
static int
place_of(const SdcFrequency *table, const int32_t *values, int32_t cell)
{
	int32_t at = 0;
	int j;

	for (j = 0; j < COLUMNS; j++)
	{
		int32_t code = table->code[j][cell];

		at = at * values[j] + (code == SDC_CODE_NULL ? values[j] - 1 : code);
	}
	return at;
}

/* g'X (X'MX)^-1 X'g less the share of the mean, by elimination. */
static double
explained_dense(const int32_t *values, const double *mean, const double *g,
				double records)
{
	static double hessian[PARAMETERS * PARAMETERS];
	double right[PARAMETERS] = {0};
	double solution[PARAMETERS];
	double x[PARAMETERS];
	double sum = 0;
	double total = 0;
	int32_t code[COLUMNS];
	int n = 0;
	int cell = 0;
	int i;
	int j;

	memset(hessian, 0, sizeof(hessian));
	for (code[0] = 0; code[0] < values[0]; code[0]++)
		for (code[1] = 0; code[1] < values[1]; code[1]++)
			for (code[2] = 0; code[2] < values[2]; code[2]++, cell++)
			{
				n = design(values, code, x);
				total += g[cell];
				for (i = 0; i < n; i++)
				{
					right[i] += x[i] * g[cell];
					for (j = 0; j < n; j++)
						hessian[i * n + j] += x[i] * x[j] * mean[cell];
				}
			}
	memcpy(solution, right, sizeof(solution));
	solve(hessian, solution, n);
	for (i = 0; i < n; i++)
		sum += right[i] * solution[i];
	return sum - total * total / records;
}

/* Errors and tests of the model of all pairs, by elimination. */
static void
check_errors(void)
{
	const SdcLogLinearTerm all[] = {{0, 1}, {0, 2}, {1, 2}};
	const int32_t values[] = {4, 3, 5};
	SdcFrequency *table = random_table(4, values, 120, false);
	SdcLogLinear *model = sdc_log_linear_fit(unit_host(), table, all, 3);
	SdcLogLinearRisk risk =
		sdc_log_linear_risk(unit_host(), table, model, 0.2);
	SdcLogLinearTest test =
		sdc_log_linear_test(unit_host(), table, model, 0.2);
	double count[60] = {0};
	double mean[60];
	double g[60] = {0};
	double a[60];
	double error = 0;
	double bias = 0;
	double variance = 0;
	double squares = 0;
	double dispersion = 0;
	double total = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		count[place_of(table, values, i)] = table->count[i];
	regression(values, count, mean);
	for (i = 0; i < 60; i++)
	{
		double l = mean[i] / 0.2;
		double b = 0.8 * exp(-l) * (1 - 1.2 * l / 2) / 0.2;
		double beyond = pow(count[i] - mean[i], 2) - count[i];

		if (count[i] == 1)
		{
			g[i] = -4 * mean[i] * exp(-4 * mean[i]);
			error += exp(-4 * mean[i]) * (1 - exp(-4 * mean[i]));
		}
		a[i] = 0.8 * exp(-l) * l * mean[i];
		bias += a[i] / mean[i] * (count[i] - mean[i]) + b * beyond;
		variance += a[i] * a[i] / mean[i] + 2 * pow(b * mean[i], 2);
		dispersion += beyond;
		squares += 2 * mean[i] * mean[i];
	}
	error = sqrt(error + explained_dense(values, mean, g, 120));
	for (i = 0; i < 60; i++)
		total += a[i];
	variance -= explained_dense(values, mean, a, 120) + total * total / 120;
	unit_check(fabs(risk.error1 / error - 1) < 1e-4, "error of tau1 %g, %g",
			   risk.error1, error);
	unit_check(fabs(test.bias / bias - 1) < 1e-6, "bias of tau1 %g, %g",
			   test.bias, bias);
	unit_check(fabs(test.dispersion / (dispersion / sqrt(squares)) - 1) < 1e-6,
			   "dispersion %g", test.dispersion);
	unit_check(fabs(test.deviation / (bias / sqrt(variance)) - 1) < 1e-4,
			   "that is %g standard errors", test.deviation);
}

/*
 * A search among a constant column, two that are nearly one, and two with so
 * many values that their pair has too large a table.
 */
static void
check_search(void)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 5, false);
	const int32_t values[] = {1, 6, 6, 3000, 3000};
	SdcFrequency *table;
	SdcLogLinearTerm *terms;
	SdcRandom random;
	int left_out;
	int n;
	int i;

	sdc_random_seed(&random, 77, 0);
	for (i = 0; i < 3000; i++)
	{
		int32_t codes[5] = {0};

		codes[1] = (int32_t) sdc_random_below(&random, 6);
		codes[2] =
			i % 3 == 0 ? (int32_t) sdc_random_below(&random, 6) : 5 - codes[1];
		codes[3] = (int32_t) sdc_random_below(&random, 3000);
		codes[4] = (int32_t) sdc_random_below(&random, 3000);
		sdc_frequency_add(counting, codes, 1, 0);
	}
	table = sdc_frequency_finish(counting, NULL, values, NULL);
	n = sdc_log_linear_search(unit_host(), table, 0.1, &terms, &left_out);
	unit_check(n == 1 && terms[0].first == 1 && terms[0].second == 2,
			   "the one pair is found among %d", n);
	unit_check(left_out == 1, "%d pair is too large", left_out);
}

/*
 * Two pairs that hang together: the first one found does not end the search.
 * The last column stays a part of its own, so that there is always more than
 * one, and fewer than columns.
 */
static void
check_two_pairs(void)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 5, false);
	const int32_t values[] = {6, 6, 6, 6, 2};
	SdcFrequency *table;
	SdcLogLinearTerm *terms;
	SdcRandom random;
	int found = 0;
	int left_out;
	int n;
	int i;

	sdc_random_seed(&random, 78, 0);
	for (i = 0; i < 3000; i++)
	{
		int32_t codes[5];
		int j;

		for (j = 0; j < 5; j++)
			codes[j] =
				(int32_t) sdc_random_below(&random, (uint64_t) values[j]);
		for (j = 1; j < 4 && i % 3 != 0; j += 2)
			codes[j] = 5 - codes[j - 1];
		sdc_frequency_add(counting, codes, 1, 0);
	}
	table = sdc_frequency_finish(counting, NULL, values, NULL);
	n = sdc_log_linear_search(unit_host(), table, 0.1, &terms, &left_out);
	for (i = 0; i < n; i++)
		found += terms[i].second == terms[i].first + 1 &&
				 (terms[i].first == 0 || terms[i].first == 2);
	unit_check(found == 2 && left_out == 0,
			   "both pairs are found among %d, %d left out", n, left_out);
	unit_release_all();
}

int
main(void)
{
	unit_start("log_linear");
	check_closed_forms();
	check_two_way();
	check_edges();
	check_without_maximum();
	check_risk();
	check_squares();
	check_errors();
	check_search();
	check_two_pairs();
	return unit_finish();
}
