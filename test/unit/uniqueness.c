/*
 * uniqueness.c
 *		The estimators of uniqueness on samples of a population that is known.
 *
 * Keys are independent, so that the log-linear model of main effects is true
 * and the superpopulation models are not; then two of them go together.  Each
 * replicate draws a population of 200,000 and a sample from it, counts what is
 * estimated (P(PU|SU), theta, tau1, tau2), and compares.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/risk/log_linear.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
#include "uniqueness_bias.h"

#define KEYS       5
#define POPULATION 200000

static const int32_t values[KEYS] = {12, 10, 8, 7, 5};
#define CELLS (12 * 10 * 8 * 7 * 5)

/* chance[j][v]: of a value of key j up to v, each rarer than the one before */
static double chance[KEYS][12];

static void
set_chances(void)
{
	int32_t v;
	int j;

	for (j = 0; j < KEYS; j++)
	{
		double total = 0;

		for (v = 0; v < values[j]; v++)
			chance[j][v] = total += pow(v + 1, -1.3);
		for (v = 0; v < values[j]; v++)
			chance[j][v] /= total;
	}
}

static int32_t
draw_value(SdcRandom *random, int key)
{
	double at = sdc_random_unit(random);
	int32_t v = 0;

	while (v < values[key] - 1 && chance[key][v] <= at)
		v++;
	return v;
}

/*
 * Draws people and, without replacement, which n of them are the sample.  The
 * second key is that share of times a function of the first.
 */
static void
draw(SdcRandom *random, int n, double dependent, int32_t *population,
	 int32_t *sample)
{
	int left = POPULATION;
	int j;

	memset(population, 0, sizeof(int32_t) * CELLS);
	memset(sample, 0, sizeof(int32_t) * CELLS);
	for (; left > 0; left--)
	{
		int32_t first = draw_value(random, 0);
		int32_t cell = first;

		for (j = 1; j < KEYS; j++)
		{
			int32_t value = draw_value(random, j);

			if (j == 1 && sdc_random_unit(random) < dependent)
				value = first * 7 % values[1];
			cell = cell * values[j] + value;
		}
		population[cell]++;
		if (sdc_random_below(random, left) < (uint64_t) n)
		{
			sample[cell]++;
			n--;
		}
	}
}

static SdcFrequency *
frequency_of(const int32_t *sample)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), KEYS, false);
	int32_t cell;
	int j;

	for (cell = 0; cell < CELLS; cell++)
		if (sample[cell] > 0)
		{
			int32_t codes[KEYS];
			int32_t rest = cell;

			for (j = KEYS - 1; j >= 0; j--)
			{
				codes[j] = rest % values[j];
				rest /= values[j];
			}
			sdc_frequency_add(counting, codes, sample[cell], 0);
		}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

static void
count_truth(const int32_t *population, const int32_t *sample, double *figure)
{
	double people = 0;
	int32_t cell;

	for (cell = 0; cell < CELLS; cell++)
		if (sample[cell] == 1)
		{
			figure[UNIQUES]++;
			figure[TAU1] += population[cell] == 1;
			figure[TAU2] += 1.0 / population[cell];
			people += population[cell];
		}
	figure[THETA] = figure[UNIQUES] / people;
}

static void
estimate(const SdcFrequency *frequency, double pi, double *figure)
{
	SdcHost *host = unit_host();
	SdcLogLinear *model = sdc_log_linear_fit(host, frequency, NULL, 0);
	SdcLogLinearRisk risk = sdc_log_linear_risk(host, frequency, model, pi);
	SdcSuperpopulation sample = sdc_superpopulation_sample(
		host, frequency->count, frequency->cells, POPULATION);
	int32_t cell;

	figure[MODEL_TAU1] = risk.tau1;
	figure[MODEL_TAU2] = risk.tau2;
	figure[MODEL_UNIQUES] = model->uniques;
	for (cell = 0; cell < frequency->cells; cell++)
		if (frequency->count[cell] == 1)
			figure[SAMPLE_MEAN] += exp(-model->mean[cell] * (1 - pi));
	sdc_superpopulation_dis(&sample, &figure[DIS]);
	figure[PITMAN] = pi * sdc_superpopulation_pitman(host, &sample).uniques;
	figure[ZAYATZ] = pi * sdc_superpopulation_zayatz(host, &sample).uniques;
	figure[SNB] = pi * sdc_superpopulation_snb(host, &sample).uniques;
	figure[BENEDETTI] =
		figure[UNIQUES] *
		sdc_individual_risk_expect(1, 1 / pi, SDC_INDIVIDUAL_RISK_EXACT);
}

/* Keys that are independent. */
static void
check_independent(void)
{
	/* pi, then the ranges of Pitman, Zayatz, SNB, and Benedetti's tau2 */
	static const double cases[][9] = {
		{0.02, 2.9, 3.3, 5.3, 5.9, 3.5, 4.1, 0.38, 0.42},
		{0.1, 1.9, 2.05, 2.0, 2.15, 1.4, 1.55, 0.70, 0.73},
		{0.3, 1.44, 1.5, 1.23, 1.28, 1.15, 1.22, 0.89, 0.91},
	};
	static double figures[REPLICATES][FIGURES];
	int32_t *population = malloc(sizeof(int32_t) * CELLS);
	int32_t *sample = malloc(sizeof(int32_t) * CELLS);
	SdcRandom random;
	int c;
	int r;

	set_chances();
	for (c = 0; c < 3; c++)
	{
		double pi = cases[c][0];
		bool over = true;
		char where[40];

		snprintf(where, sizeof(where), "independent keys, pi = %g", pi);
		memset(figures, 0, sizeof(figures));
		for (r = 0; r < REPLICATES; r++)
		{
			sdc_random_seed(&random, 100 + r, c);
			draw(&random, (int) (POPULATION * pi), 0, population, sample);
			count_truth(population, sample, figures[r]);
			estimate(frequency_of(sample), pi, figures[r]);
			over = over && figures[r][ZAYATZ] > 1.15 * figures[r][TAU1];
			unit_release_all();
		}
		check_unbiased(figures, REPLICATES, where, TAU1, MODEL_TAU1, 0.02);
		check_unbiased(figures, REPLICATES, where, TAU2, MODEL_TAU2, 0.02);
		check_unbiased(figures, REPLICATES, where, UNIQUES, MODEL_UNIQUES,
					   0.02);
		check_unbiased(figures, REPLICATES, where, THETA, DIS, 0.02);
		/* what sdcMicro's modRisk takes lambda to be */
		check_biased(figures, where, TAU1, SAMPLE_MEAN, 1.8, 11);
		check_biased(figures, where, TAU1, PITMAN, cases[c][1], cases[c][2]);
		check_biased(figures, where, TAU1, ZAYATZ, cases[c][3], cases[c][4]);
		check_biased(figures, where, TAU1, SNB, cases[c][5], cases[c][6]);
		check_biased(figures, where, TAU2, BENEDETTI, cases[c][7],
					 cases[c][8]);
		unit_check(over, "%s: Zayatz overestimates in every replicate", where);
	}
	free(population);
	free(sample);
}

/*
 * Keys of which two go together: main effects alone expect too many uniques,
 * in the sample, where it shows, and in the population; the pair nearly
 * cures it.
 */
static void
check_dependent(void)
{
	static const SdcLogLinearTerm terms[] = {{0, 1}};
	static double main_effects[REPLICATES][FIGURES];
	static double pair[REPLICATES][FIGURES];
	int32_t *population = malloc(sizeof(int32_t) * CELLS);
	int32_t *sample = malloc(sizeof(int32_t) * CELLS);
	SdcRandom random;
	int r;

	for (r = 0; r < REPLICATES; r++)
	{
		double *figure[] = {main_effects[r], pair[r]};
		SdcFrequency *frequency;
		int n;

		sdc_random_seed(&random, 300 + r, 0);
		draw(&random, POPULATION / 50, 0.8, population, sample);
		frequency = frequency_of(sample);
		for (n = 0; n < 2; n++)
		{
			SdcLogLinear *model =
				sdc_log_linear_fit(unit_host(), frequency, terms, n);
			SdcLogLinearRisk risk =
				sdc_log_linear_risk(unit_host(), frequency, model, 0.02);

			count_truth(population, sample, figure[n]);
			figure[n][MODEL_TAU1] = risk.tau1;
			figure[n][MODEL_TAU2] = risk.tau2;
			figure[n][MODEL_UNIQUES] = model->uniques;
		}
		unit_release_all();
	}
	check_biased(main_effects, "two keys together, main effects", TAU1,
				 MODEL_TAU1, 1.7, 1.95);
	check_biased(main_effects, "two keys together, main effects", UNIQUES,
				 MODEL_UNIQUES, 1.6, 1.7);
	/* though the sample of 4,000 tells the pair's 120 means with an error */
	check_unbiased(pair, REPLICATES, "two keys together, their pair", TAU1,
				   MODEL_TAU1, 0.05);
	check_unbiased(pair, REPLICATES, "two keys together, their pair", TAU2,
				   MODEL_TAU2, 0.02);
	check_biased(pair, "two keys together, their pair", UNIQUES, MODEL_UNIQUES,
				 0.98, 0.99);
	free(population);
	free(sample);
}

int
main(void)
{
	unit_start("uniqueness");
	check_independent();
	check_dependent();
	return unit_finish();
}
