/*
 * marginal.c
 *		Models of marginals against enumeration, and the account of a release.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp_stream.h"
#include "kernel/base/random.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/synthetic/marginal_model.h"
#include "kernel/synthetic/marginal_release.h"

#define COLUMNS 6
#define MOST    4096 /* cells of all columns together */

static SdcRandom generator;

static int
below(int bound)
{
	return (int) sdc_random_below(&generator, (uint64_t) bound);
}

/* ----------------------------------------------------------------------
 * Junction trees: every marginal is that of the product of all potentials.
 * ----------------------------------------------------------------------
 */

/* The place in an array over some columns of a cell over all. */
static int64_t
place(const int32_t *size, int columns, SdcColumnSet set, int64_t cell)
{
	int digit[COLUMNS];
	int64_t at = 0;
	int v;

	for (v = columns - 1; v >= 0; v--)
	{
		digit[v] = (int) (cell % size[v]);
		cell /= size[v];
	}
	for (v = 0; v < columns; v++)
		if (set & SDC_COLUMN_BIT(v))
			at = at * size[v] + digit[v];
	return at;
}

/* The product of the potentials of all cliques, normalized. */
static void
enumerate(const SdcMarginalModel *model, double *p)
{
	int64_t cells =
		sdc_marginal_cells(model->size, SDC_COLUMN_BIT(model->columns) - 1);
	double sum = 0;
	int64_t c;
	int k;

	for (c = 0; c < cells; c++)
	{
		p[c] = 1;
		for (k = 0; k < model->cliques; k++)
			p[c] *= model->clique[k]
						.given.value[place(model->size, model->columns,
										   model->clique[k].given.columns, c)];
		sum += p[c];
	}
	for (c = 0; c < cells; c++)
		p[c] /= sum;
}

/* The greatest difference of a query and the sum over all cells. */
static double
query_error(const SdcMarginalModel *model, const double *p, SdcColumnSet set)
{
	int64_t cells =
		sdc_marginal_cells(model->size, SDC_COLUMN_BIT(model->columns) - 1);
	SdcMarginal found = sdc_marginal_query(unit_host(), model, set);
	double *sum = calloc((size_t) found.cells, sizeof(double));
	double worst = 0;
	int64_t c;

	for (c = 0; c < cells; c++)
		sum[place(model->size, model->columns, set, c)] += p[c];
	for (c = 0; c < found.cells; c++)
		worst = fmax(worst, fabs(sum[c] - found.value[c]));
	free(sum);
	return worst;
}

static int
draw_sets(int columns, SdcColumnSet *set)
{
	int sets = 1 + below(columns + 1);
	int i;

	for (i = 0; i < sets; i++)
	{
		set[i] = SDC_COLUMN_BIT(below(columns));
		set[i] |= SDC_COLUMN_BIT(below(columns));
		set[i] |= SDC_COLUMN_BIT(below(columns));
	}
	return sets;
}

static void
test_trees(void)
{
	static double p[MOST];
	double worst = 0;
	double moved = 0;
	int model_count;

	for (model_count = 0; model_count < 200; model_count++)
	{
		int columns = 1 + below(COLUMNS);
		int32_t size[COLUMNS];
		SdcColumnSet set[2 * COLUMNS];
		SdcMarginalModel *model;
		SdcMarginalModel *larger;
		SdcColumnSet q;
		int64_t c;
		int sets;
		int k;
		int v;

		for (v = 0; v < columns; v++)
			size[v] = 1 + below(4);
		sets = draw_sets(columns, set);
		model =
			sdc_marginal_model(unit_host(), size, columns, set, sets, NULL);
		for (k = 0; k < model->cliques; k++)
			for (c = 0; c < model->clique[k].given.cells; c++)
				model->clique[k].given.value[c] =
					below(8) == 0 && c > 0
						? 0
						: 0.01 + sdc_random_unit(&generator);
		enumerate(model, p);
		sdc_marginal_calibrate(model);
		for (q = 0; q < SDC_COLUMN_BIT(columns); q++)
			worst = fmax(worst, query_error(model, p, q));
		/* the same distribution over larger cliques */
		set[sets] = set[sets - 1] | SDC_COLUMN_BIT(below(columns));
		larger = sdc_marginal_model(unit_host(), size, columns, set, sets + 1,
									model);
		for (q = 0; q < SDC_COLUMN_BIT(columns); q++)
			moved = fmax(moved, query_error(larger, p, q));
		sdc_marginal_model_release(unit_host(), larger);
		sdc_marginal_model_release(unit_host(), model);
		unit_release_all();
	}
	unit_check(worst < 1e-13,
			   "all marginals of 200 models are those of enumeration (%g)",
			   worst);
	unit_check(moved < 1e-13, "a model with one clique more is the same (%g)",
			   moved);
}

/* ----------------------------------------------------------------------
 * Fits.
 * ----------------------------------------------------------------------
 */

/* Marginals of a chain, without noise: the fit must find them. */
static void
test_fit(void)
{
	int32_t size[4] = {3, 4, 2, 5};
	SdcColumnSet set[3] = {3, 6, 12};
	SdcMarginalModel *truth;
	SdcMarginalModel *model;
	SdcMeasurements all = {0};
	double total = 5000;
	double worst = 0;
	int64_t c;
	int k;

	truth = sdc_marginal_model(unit_host(), size, 4, set, 3, NULL);
	for (k = 0; k < truth->cliques; k++)
		for (c = 0; c < truth->clique[k].given.cells; c++)
			truth->clique[k].given.value[c] =
				0.1 + sdc_random_unit(&generator);
	sdc_marginal_calibrate(truth);
	for (k = 0; k < 3; k++)
	{
		SdcMarginal m = sdc_marginal_query(unit_host(), truth, set[k]);

		for (c = 0; c < m.cells; c++)
			m.value[c] *= total;
		sdc_measurements_add(unit_host(), &all, size, set[k], m.value,
							 k == 1 ? 0.2 : 1, NULL);
	}
	unit_check(fabs(sdc_measurements_total(&all) - total) < 1e-8,
			   "the total is that of the measurements");
	model = sdc_marginal_model(unit_host(), size, 4, set, 3, NULL);
	(void) sdc_marginal_fit(unit_host(), model, &all, 20000, 0);
	for (k = 0; k < 3; k++)
	{
		SdcMarginal a = sdc_marginal_query(unit_host(), truth, set[k]);
		SdcMarginal b = sdc_marginal_query(unit_host(), model, set[k]);

		for (c = 0; c < a.cells; c++)
			worst = fmax(worst, fabs(a.value[c] - b.value[c]));
	}
	unit_check(worst < 1e-9, "a fit without noise finds the marginals (%g)",
			   worst);
	unit_release_all();
}

/* Two measurements of one cell, with different precision. */
static void
test_weights(void)
{
	int32_t size[1] = {2};
	SdcColumnSet set[1] = {1};
	double first[2] = {10, 30};
	double second[2] = {20, 60};
	double weight[2] = {3, 1};
	SdcMeasurements all = {0};

	sdc_measurements_add(unit_host(), &all, size, 1, first, 1, NULL);
	sdc_measurements_add(unit_host(), &all, size, set[0], second, 0, weight);
	unit_check(all.count == 1 && all.item[0].count[0] == 17.5 &&
				   all.item[0].count[1] == 45 && all.item[0].weight[0] == 4 &&
				   all.item[0].weight[1] == 2,
			   "measurements are weighed by their precision");
	/* variances 1/4 and 1/2 of cells, 3/4 of the sum */
	unit_check(fabs(sdc_measurements_total(&all) - 62.5) < 1e-12,
			   "and so is the total");
	unit_release_all();
}

/* ----------------------------------------------------------------------
 * Records.
 * ----------------------------------------------------------------------
 */

static void
test_sample(void)
{
	int32_t size[3] = {3, 4, 2};
	SdcColumnSet set[2] = {3, 6};
	uint16_t *code[3];
	SdcStrongBits bits;
	SdcMarginalModel *model;
	double count[12] = {0};
	double worst = 0;
	int impossible = 0;
	SdcMarginal pair;
	int64_t c;
	int k;
	int i;

	dp_stream(&bits, 4);
	model = sdc_marginal_model(unit_host(), size, 3, set, 2, NULL);
	for (k = 0; k < 2; k++)
		for (c = 0; c < model->clique[k].given.cells; c++)
			model->clique[k].given.value[c] =
				c % 5 == 4 ? 0 : 0.1 + sdc_random_unit(&generator);
	sdc_marginal_calibrate(model);
	for (k = 0; k < 3; k++)
		code[k] = malloc(sizeof(uint16_t) * 10000);
	sdc_marginal_sample(unit_host(), &bits, model, 10000, code);
	pair = sdc_marginal_query(unit_host(), model, 3);
	for (i = 0; i < 10000; i++)
		count[code[0][i] * 4 + code[1][i]]++;
	for (c = 0; c < 12; c++)
	{
		worst = fmax(worst, fabs(count[c] - 10000 * pair.value[c]));
		impossible += pair.value[c] <= 0 && count[c] > 0;
	}
	unit_check(worst < 5, "records of a clique are its shares, rounded (%g)",
			   worst);
	unit_check(impossible == 0, "what has no probability is not drawn");
	for (k = 0; k < 3; k++)
		free(code[k]);
	unit_release_all();
}

/* ----------------------------------------------------------------------
 * The account: what the noise that was really used costs, in all.
 * ----------------------------------------------------------------------
 */

#define ROWS 400

typedef struct Case
{
	SdcMarginalTask task;
	int32_t size[COLUMNS];
	uint16_t store[COLUMNS][ROWS];
	uint16_t *code[COLUMNS];
	uint8_t counted[ROWS];
} Case;

/* A table whose columns hang together two by two. */
static void
make_case(Case *c, int columns, SdcStrongBits *bits)
{
	int i;
	int v;

	memset(c, 0, sizeof(*c));
	for (v = 0; v < columns; v++)
	{
		c->size[v] = 2 + below(5);
		c->code[v] = c->store[v];
		for (i = 0; i < ROWS; i++)
			c->store[v][i] = v % 2 == 1 && below(10) > 0
								 ? c->store[v - 1][i] % (uint16_t) c->size[v]
								 : (uint16_t) below(c->size[v]);
	}
	memset(c->counted, 1, ROWS);
	c->task.columns = columns;
	c->task.size = c->size;
	c->task.unit_rows = 1;
	c->task.most_cells = 100000;
	c->task.bits = bits;
	c->task.rows = ROWS;
	c->task.code = c->code;
	c->task.counted = c->counted;
}

/*
 * By the steps alone: rho, or epsilon, of what was done.  A unit of r rows
 * changes a marginal by r, or with replace by r in each of two cells.
 */
static double
cost(const SdcMarginalTask *task, const SdcMarginalStep *step)
{
	double r = task->unit_rows;
	double sides = task->neighbours == SDC_NEIGHBOURS_REPLACE ? 2 : 1;
	double scale = ldexp((double) step->numerator, -(int) step->shift);

	if (step->choice)
		return task->pure ? step->epsilon : step->epsilon * step->epsilon / 8;
	return task->pure ? sides * r / scale : sides * r * r / (2 * scale);
}

static void
test_account(void)
{
	static Case c;
	SdcStrongBits bits;
	int over = 0;
	int wasted = 0;
	int releases = 0;
	int i;
	int s;

	dp_stream(&bits, 5);
	for (i = 0; i < 150; i++)
	{
		SdcMarginalRelease *release;
		double sum = 0;

		make_case(&c, 1 + below(COLUMNS), &bits);
		c.task.method = (SdcMarginalMethod) below(3);
		c.task.pure = below(2);
		c.task.neighbours = (SdcNeighbours) below(2);
		c.task.unit_rows = 1 + (uint32_t) below(5);
		c.task.budget = exp(8 * sdc_random_unit(&generator) - 5);
		if (!sdc_marginal_affordable(&c.task))
			continue;
		release = sdc_marginal_release(unit_host(), &c.task);
		for (s = 0; s < release->steps; s++)
			sum += cost(&c.task, &release->step[s]);
		over += sum > c.task.budget;
		/* a tree of joined columns can need no choice at the end */
		wasted += sum < c.task.budget * (1 - 1e-6);
		releases++;
		unit_release_all();
	}
	unit_check(releases > 120 && over == 0,
			   "no release of %d costs more than its budget", releases);
	unit_check(wasted == 0, "and none leaves any of it (%d do)", wasted);
}

/* rho of (epsilon, delta) of the design, to three digits there. */
static void
test_rho(void)
{
	double worst = 0;
	double bound = 0;
	int i;

	unit_check(fabs(sdc_zcdp_rho(0.1, 1e-9) / .000177 - 1) < 3e-3 &&
				   fabs(sdc_zcdp_rho(1, 1e-9) / .01497 - 1) < 3e-4 &&
				   fabs(sdc_zcdp_rho(10, 1e-9) / 1.0908 - 1) < 5e-5,
			   "rho of three epsilons");
	for (i = 0; i < 500; i++)
	{
		double epsilon = exp(10 * sdc_random_unit(&generator) - 6);
		double delta = exp(-30 * sdc_random_unit(&generator) - 1);
		double rho = sdc_zcdp_rho(epsilon, delta);
		double least = INFINITY;
		int j;

		/* the bound by a slow search over all a */
		for (j = -400; j < 1200; j++)
		{
			double a = 1 + exp(j / 40.0);

			least = fmin(least, (a - 1) * (a * rho - epsilon) +
									a * log1p(-1 / a) - log(a - 1));
		}
		worst = fmax(worst, log(sdc_zcdp_delta(rho, epsilon)) - least);
		bound = fmax(bound, sdc_zcdp_delta(rho, epsilon) / delta);
		if (rho < epsilon)
			bound = fmax(bound, delta * (1 - 1e-6) /
									sdc_zcdp_delta(rho * (1 + 1e-3), epsilon));
	}
	unit_check(worst < 1e-9, "delta is the least over all orders (%g)", worst);
	unit_check(bound <= 1, "rho is the largest that delta allows (%g)", bound);
}

/* ----------------------------------------------------------------------
 * Neighbours: what is chosen, and the number of records, are as probable.
 * ----------------------------------------------------------------------
 */

#define RUNS 1000

/*
 * How often each pair is chosen first, of tables that differ in the last
 * records: counted[] leaves them out.
 */
static void
first_pairs(Case *c, int missing, double *count)
{
	int i;

	memset(c->counted, 1, ROWS);
	memset(c->counted + ROWS - missing, 0, missing);
	memset(count, 0, sizeof(double) * 64);
	for (i = 0; i < RUNS; i++)
	{
		SdcMarginalRelease *release =
			sdc_marginal_release(unit_host(), &c->task);
		int s = 0;

		while (!release->step[s].choice)
			s++;
		count[release->step[s].columns]++;
		unit_release_all();
	}
}

/* The largest ratio of frequencies beyond chance, as a logarithm. */
static double
ratio(const double *a, const double *b)
{
	double worst = 0;
	int i;

	for (i = 0; i < 64; i++)
	{
		double low = fmin(a[i], b[i]);
		double high = fmax(a[i], b[i]);

		/* four deviations on both sides */
		high -= 4 * sqrt(high);
		low += 4 * sqrt(low + 1);
		if (high > 0)
			worst = fmax(worst, log(high / low));
	}
	return worst;
}

static void
test_neighbours(void)
{
	static Case c;
	SdcStrongBits bits;
	double all[64];
	double less[64];
	double few[64];

	dp_stream(&bits, 6);
	make_case(&c, 4, &bits);
	c.task.pure = true;
	c.task.budget = 1;
	first_pairs(&c, 0, all);
	first_pairs(&c, 1, less);
	first_pairs(&c, ROWS - 20, few);
	unit_check(ratio(all, less) < 1,
			   "a record less changes no choice by more than e^epsilon");
	unit_check(ratio(all, few) > 0.2, "which many records do change (%g)",
			   ratio(all, few));
}

/* With next to no noise the release is the table. */
static void
test_exact(void)
{
	static Case c;
	SdcStrongBits bits;
	int method;

	for (method = 0; method < 3; method++)
	{
		SdcMarginalRelease *release;
		double worst = 0;
		int v;
		int i;

		dp_stream(&bits, 7);
		make_case(&c, 5, &bits);
		memset(c.counted + 350, 0, 50);
		c.task.method = (SdcMarginalMethod) method;
		c.task.budget = 1000;
		release = sdc_marginal_release(unit_host(), &c.task);
		for (v = 0; v < 5; v++)
		{
			double count[8] = {0};

			for (i = 0; i < 350; i++)
				count[c.store[v][i]]++;
			for (i = 0; i < release->drawn; i++)
				count[release->code[v][i]]--;
			for (i = 0; i < c.size[v]; i++)
				worst = fmax(worst, fabs(count[i]));
		}
		unit_check(release->drawn == 350 && worst <= 4,
				   "%s without noise has the counts of columns (%g)",
				   sdc_marginal_methods[method], worst);
		unit_release_all();
	}
}

/*
 * Without noise the first pair of a tree is the one that is furthest from
 * independence, also where its excess lies in few records: of 400, 40 have a
 * 1 in each of three columns, never in the first two together (16 apart in
 * sum), in others 5 times instead of 4 (4 apart).
 */
static void
test_first_pair(void)
{
	static Case c;
	SdcStrongBits bits;
	SdcMarginalRelease *release;
	int s = 0;
	int i;

	dp_stream(&bits, 8);
	make_case(&c, 3, &bits);
	for (i = 0; i < ROWS; i++)
	{
		c.store[0][i] = i < 40;
		c.store[1][i] = i >= 40 && i < 80;
		c.store[2][i] = i < 5 || (i >= 75 && i < 110);
	}
	c.size[0] = c.size[1] = c.size[2] = 2;
	c.task.method = SDC_MARGINAL_MST;
	c.task.budget = 1e6;
	release = sdc_marginal_release(unit_host(), &c.task);
	while (s < release->steps && !release->step[s].choice)
		s++;
	unit_check(s < release->steps &&
				   release->step[s].columns ==
					   (SDC_COLUMN_BIT(0) | SDC_COLUMN_BIT(1)),
			   "the pair that is furthest from independence comes first");
	unit_release_all();
}

int
main(void)
{
	unit_start("marginal");
	sdc_random_seed(&generator, 23, 1);
	test_trees();
	test_fit();
	test_weights();
	test_sample();
	test_rho();
	test_account();
	test_neighbours();
	test_exact();
	test_first_pair();
	return unit_finish();
}
