/*
 * log_linear_populations.h
 *		Samples of populations that are known, and what models say of them.
 *
 * Five kinds of populations of five keys: independent ones; two pairs that go
 * together; a chain, each key hanging on the one before; a circle, three keys
 * of which each two go together and all three no more than that; and hidden
 * kinds of people, in each of which keys are independent, so that no model of
 * pairs is true.  And adult as a population.
 */
#ifndef SDC_TEST_UNIT_LOG_LINEAR_POPULATIONS_H
#define SDC_TEST_UNIT_LOG_LINEAR_POPULATIONS_H

#include <math.h>
#include <string.h>

#include "adult_data.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/risk/log_linear.h"
#include "kernel/table/frequency.h"
#include "unit.h"

#define POPULATION_KEYS  5
#define POPULATION_SIZE  100000
#define POPULATION_CELLS (12 * 10 * 8 * 7 * 5)

static const int32_t population_values[POPULATION_KEYS] = {12, 10, 8, 7, 5};

typedef enum PopulationKind
{
	INDEPENDENT,
	PAIRS,
	CHAIN,
	HIDDEN,
	CIRCLE,
	KINDS
} PopulationKind;

static const char *const population_names[KINDS] = {
	"independent", "two pairs", "chain", "hidden kinds", "circle"};

/* A skewed value: v has a chance like 1 / (v + 1)^1.3. */
static inline int32_t
draw_skewed(SdcRandom *random, int32_t n)
{
	static double weight[12];
	double total = 0;
	double at;
	int32_t v;

	for (v = 0; v < 12 && weight[11] == 0; v++)
		weight[v] = pow(v + 1, -1.3);
	for (v = 0; v < n; v++)
		total += weight[v];
	at = sdc_random_unit(random) * total;
	for (v = 0; v < n - 1; v++)
		if ((at -= weight[v]) < 0)
			break;
	return v;
}

static inline void
draw_person(SdcRandom *random, PopulationKind kind, int32_t *code)
{
	int hidden = kind == HIDDEN ? (int) sdc_random_below(random, 3) : 0;
	int j;

	for (j = 0; j < POPULATION_KEYS; j++)
	{
		double linked = kind == CHAIN && j > 0                ? 0.4
						: kind == PAIRS && (j == 1 || j == 3) ? 0.6
															  : 0;

		code[j] =
			(draw_skewed(random, population_values[j]) + hidden * (j + 2)) %
			population_values[j];
		if (linked > 0 && sdc_random_unit(random) < linked)
			code[j] = (code[j - 1] * 3 + 1) % population_values[j];
	}
}

/* Each two of three keys, drawn anew until all agree or chance lets them. */
static inline void
draw_circle(SdcRandom *random, int32_t *code)
{
	bool stays;
	int j;

	do
	{
		stays = true;
		draw_person(random, INDEPENDENT, code);
		for (j = 0; j < 3; j++)
			stays = stays && (code[j] % 3 == code[(j + 1) % 3] % 3 ||
							  sdc_random_unit(random) < 0.25);
	} while (!stays);
}

static inline int32_t
population_cell(const int32_t *code)
{
	int32_t cell = 0;
	int j;

	for (j = 0; j < POPULATION_KEYS; j++)
		cell = cell * population_values[j] + code[j];
	return cell;
}

/* One sample: tau1 and tau2. */
typedef struct PopulationRun
{
	double truth[2];
	double main_effects[2];
	double found[2];
	double error[2];
	int terms;
	SdcLogLinearTest test;
} PopulationRun;

/* Main effects, and the model that is searched for. */
static inline void
population_estimate(const SdcFrequency *table, double fraction,
					PopulationRun *run)
{
	SdcLogLinearTerm *terms;
	SdcLogLinearRisk risk;
	int left_out;
	SdcLogLinear *model = sdc_log_linear_fit(unit_host(), table, NULL, 0);

	risk = sdc_log_linear_risk(unit_host(), table, model, fraction);
	run->main_effects[0] = risk.tau1;
	run->main_effects[1] = risk.tau2;
	run->terms =
		sdc_log_linear_search(unit_host(), table, fraction, &terms, &left_out);
	model = sdc_log_linear_fit(unit_host(), table, terms, run->terms);
	risk = sdc_log_linear_risk(unit_host(), table, model, fraction);
	run->found[0] = risk.tau1;
	run->found[1] = risk.tau2;
	run->error[0] = risk.error1;
	run->error[1] = risk.error2;
	run->test = sdc_log_linear_test(unit_host(), table, model, fraction);
}

static inline PopulationRun
population_simulated(PopulationKind kind, double fraction, int replicate)
{
	static int32_t people[POPULATION_CELLS];
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), POPULATION_KEYS, false);
	SdcFrequency *table;
	SdcRandom random;
	PopulationRun run = {0};
	int left = POPULATION_SIZE;
	int wanted = (int) (fraction * POPULATION_SIZE);
	int32_t cell;

	sdc_random_seed(&random, 7100 + replicate, kind);
	memset(people, 0, sizeof(people));
	for (; left > 0; left--)
	{
		int32_t code[POPULATION_KEYS];

		if (kind == CIRCLE)
			draw_circle(&random, code);
		else
			draw_person(&random, kind, code);
		people[population_cell(code)]++;
		if (sdc_random_below(&random, left) < (uint64_t) wanted)
		{
			sdc_frequency_add(counting, code, 1, 0);
			wanted--;
		}
	}
	table = sdc_frequency_finish(counting, NULL, population_values, NULL);
	for (cell = 0; cell < table->cells; cell++)
		if (table->count[cell] == 1)
		{
			int32_t code[POPULATION_KEYS];
			int j;

			for (j = 0; j < POPULATION_KEYS; j++)
				code[j] = table->code[j][cell];
			run.truth[0] += people[population_cell(code)] == 1;
			run.truth[1] += 1.0 / people[population_cell(code)];
		}
	population_estimate(table, fraction, &run);
	return run;
}

/* The sample alone, and what is true of its uniques; people are weights. */
static inline SdcFrequency *
population_sampled(const SdcFrequency *table, PopulationRun *run)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), table->columns, false);
	int32_t cell;

	for (cell = 0; cell < table->cells; cell++)
	{
		int32_t code[ADULT_COLUMNS];
		int j;

		if (table->count[cell] == 0)
			continue;
		for (j = 0; j < table->columns; j++)
			code[j] = table->code[j][cell];
		sdc_frequency_add(counting, code, table->count[cell], 0);
		if (table->count[cell] == 1)
		{
			run->truth[0] += table->weight[cell] == 1;
			run->truth[1] += 1 / table->weight[cell];
		}
	}
	return sdc_frequency_finish(counting, NULL, table->values, NULL);
}

/* A sample of adult, drawn without replacement. */
static inline PopulationRun
population_adult(const AdultData *data, const int *key, int keys,
				 double fraction, int replicate)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), keys, true);
	int32_t known[ADULT_COLUMNS];
	PopulationRun run = {0};
	SdcRandom random;
	int wanted = (int) (fraction * ADULT_ROWS);
	int32_t row;
	int j;

	sdc_random_seed(&random, 7200 + replicate, keys);
	for (j = 0; j < keys; j++)
		known[j] = data->column[key[j]].hierarchy.values;
	for (row = 0; row < ADULT_ROWS; row++)
	{
		int32_t code[ADULT_COLUMNS];
		bool drawn =
			sdc_random_below(&random, ADULT_ROWS - row) < (uint64_t) wanted;

		for (j = 0; j < keys; j++)
			code[j] = data->code[key[j]][row];
		sdc_frequency_add(counting, code, drawn, 1);
		wanted -= drawn;
	}
	population_estimate(
		population_sampled(sdc_frequency_finish(counting, NULL, known, NULL),
						   &run),
		fraction, &run);
	return run;
}

/* Many runs, of tau1 or tau2. */
typedef struct PopulationSummary
{
	double truth;        /* mean */
	double main_effects; /* over the truth */
	double found;        /* over the truth */
	int covered;         /* runs whose interval of 95 % holds the truth */
	double error;        /* said, mean */
	double off;          /* root of the mean square of what it was */
	double terms;        /* mean */
	double bias;         /* of tau1, as tested, mean */
} PopulationSummary;

static inline PopulationSummary
population_summarize(const PopulationRun *run, int runs, int tau)
{
	PopulationSummary summary = {0};
	int r;

	for (r = 0; r < runs; r++)
	{
		double off = run[r].found[tau] - run[r].truth[tau];

		summary.truth += run[r].truth[tau] / runs;
		summary.main_effects += run[r].main_effects[tau] / runs;
		summary.found += run[r].found[tau] / runs;
		summary.error += run[r].error[tau] / runs;
		summary.off += off * off / runs;
		summary.terms += run[r].terms / (double) runs;
		summary.bias += run[r].test.bias / runs;
		summary.covered += fabs(off) <= 1.96 * run[r].error[tau];
	}
	summary.main_effects /= summary.truth;
	summary.found /= summary.truth;
	summary.off = sqrt(summary.off);
	return summary;
}

#endif
