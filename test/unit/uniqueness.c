/*
 * uniqueness.c
 *		The estimators of uniqueness on samples of a population that is known.
 *
 * Keys are independent, so the log-linear model of main effects is true; the
 * superpopulation models are not.  Each replicate draws a population of
 * 200,000 and a sample from it, counts what is estimated (P(PU|SU), theta,
 * tau1, tau2), and compares.
 *
 * Where an estimator should be unbiased, the mean difference of 40 replicates
 * must be within 4.9 standard errors, which a correct program would fail for
 * about one seed in 50,000.  Where it is biased, the test says by how much.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/individual_risk.h"
#include "kernel/log_linear.h"
#include "kernel/random.h"
#include "kernel/superpopulation.h"
#include "statistics.h"

#define KEYS       5
#define POPULATION 200000
#define REPLICATES 40

static const int32_t values[KEYS] = {12, 10, 8, 7, 5};
#define CELLS (12 * 10 * 8 * 7 * 5)

/* What there is to know of a sample, and the estimates. */
enum
{
	UNIQUES,    /* of the sample */
	TAU1,       /* sample uniques that are unique in the population */
	TAU2,       /* sum of 1/F over sample uniques */
	THETA,      /* unique matches that are right */
	MODEL_TAU1, /* log-linear */
	MODEL_TAU2,
	SAMPLE_MEAN, /* log-linear tau1, sample means taken for the population's */
	DIS,         /* theta */
	PITMAN,      /* tau1 of the others */
	ZAYATZ,
	SNB,
	BENEDETTI, /* tau2, each record weighing 1 / pi */
	FIGURES
};

static const char *const names[FIGURES] = {"sample uniques",
										   "true tau1",
										   "true tau2",
										   "true theta",
										   "Poisson tau1",
										   "Poisson tau2",
										   "tau1 with sample means",
										   "DIS theta",
										   "Pitman tau1",
										   "Zayatz tau1",
										   "SNB tau1",
										   "Benedetti tau2"};

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

/* Draws people and, without replacement, which n of them are the sample. */
static void
draw(SdcRandom *random, int n, int32_t *population, int32_t *sample)
{
	int left = POPULATION;
	int j;

	memset(population, 0, sizeof(int32_t) * CELLS);
	memset(sample, 0, sizeof(int32_t) * CELLS);
	for (; left > 0; left--)
	{
		int32_t cell = 0;

		for (j = 0; j < KEYS; j++)
			cell = cell * values[j] + draw_value(random, j);
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
	SdcLogLinearRisk risk =
		sdc_log_linear_risk(host, frequency, model->mean, pi);
	SdcSuperpopulation sample = sdc_superpopulation_sample(
		host, frequency->count, frequency->cells, POPULATION);
	int32_t cell;

	figure[MODEL_TAU1] = risk.tau1;
	figure[MODEL_TAU2] = risk.tau2;
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

/*
 * How far an estimate is off on average, relative to the truth, and how many
 * standard errors that is.
 */
static double
bias(double figures[][FIGURES], int replicates, int truth, int guess,
	 double *sigmas)
{
	double difference = 0;
	double squares = 0;
	double whole = 0;
	int r;

	for (r = 0; r < replicates; r++)
	{
		double d = figures[r][guess] - figures[r][truth];

		difference += d;
		squares += d * d;
		whole += figures[r][truth];
	}
	squares -= difference * difference / replicates;
	*sigmas = difference / sqrt(squares * replicates / (replicates - 1));
	return difference / whole;
}

/* An estimator whose assumptions hold here. */
static void
check_unbiased(double figures[][FIGURES], int replicates, const char *where,
			   int truth, int guess, double limit)
{
	double sigmas;
	double off = bias(figures, replicates, truth, guess, &sigmas);

	unit_check(fabs(sigmas) < SIGMAS && fabs(off) < limit,
			   "%s: %s is off by %.2f %%, %.1f standard errors", where,
			   names[guess], 100 * off, sigmas);
}

/* An estimator whose assumptions do not hold: off by low to high times. */
static void
check_biased(double figures[][FIGURES], const char *where, int truth,
			 int guess, double low, double high)
{
	double sigmas;
	double ratio = 1 + bias(figures, REPLICATES, truth, guess, &sigmas);

	unit_check(ratio > low && ratio < high, "%s: %s is %.2f times the truth",
			   where, names[guess], ratio);
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
			draw(&random, (int) (POPULATION * pi), population, sample);
			count_truth(population, sample, figures[r]);
			estimate(frequency_of(sample), pi, figures[r]);
			over = over && figures[r][ZAYATZ] > 1.15 * figures[r][TAU1];
			unit_release_all();
		}
		check_unbiased(figures, REPLICATES, where, TAU1, MODEL_TAU1, 0.02);
		check_unbiased(figures, REPLICATES, where, TAU2, MODEL_TAU2, 0.02);
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

/* Counts a population of classes, the first n members being the sample. */
static void
estimate_classes(const int32_t *class, int members, int n, int32_t classes,
				 double *figure)
{
	int64_t *count = calloc(classes, sizeof(int64_t));
	int32_t *people = calloc(classes, sizeof(int32_t));
	SdcSuperpopulation sample;
	int32_t seen = 0;
	int i;

	for (i = 0; i < members; i++)
		people[class[i]]++;
	for (i = 0; i < n; i++)
		count[class[i]]++;
	for (i = 0; i < classes; i++)
	{
		figure[TAU1] += count[i] == 1 && people[i] == 1;
		if (count[i] > 0)
			count[seen++] = count[i];
	}
	sample = sdc_superpopulation_sample(unit_host(), count, seen, members);
	figure[PITMAN] = sample.fraction *
					 sdc_superpopulation_pitman(unit_host(), &sample).uniques;
	figure[SNB] = sample.fraction *
				  sdc_superpopulation_snb(unit_host(), &sample).uniques;
	free(count);
	free(people);
}

#define MEMBERS 40000

/*
 * A population that follows Pitman's formula: the next member joins the class
 * of an earlier one, picked in proportion to size - alpha, or starts a new
 * class.  Every first part of it is a sample.
 */
static void
check_pitman_population(double alpha, double theta, int n)
{
	static double figures[REPLICATES][FIGURES];
	int32_t *class = malloc(sizeof(int32_t) * MEMBERS);
	int32_t *size = malloc(sizeof(int32_t) * MEMBERS);
	char where[60];
	SdcRandom random;
	int r;
	int i;

	memset(figures, 0, sizeof(figures));
	for (r = 0; r < REPLICATES; r++)
	{
		int32_t classes = 0;

		sdc_random_seed(&random, 500 + r, n);
		for (i = 0; i < MEMBERS; i++)
		{
			int32_t c = classes;

			if (sdc_random_unit(&random) * (theta + i) >=
				theta + classes * alpha)
				do
					c = class[sdc_random_below(&random, i)];
				while (sdc_random_unit(&random) * size[c] < alpha);
			if (c == classes)
				size[classes++] = 0;
			class[i] = c;
			size[c]++;
		}
		estimate_classes(class, MEMBERS, n, classes, figures[r]);
		unit_release_all();
	}
	snprintf(where, sizeof(where), "Pitman's population (%g, %g), n = %d",
			 alpha, theta, n);
	check_unbiased(figures, REPLICATES, where, TAU1, PITMAN, 0.06);
	free(class);
	free(size);
}

/* A population of classes of 1 + negative binomial sizes. */
static void
check_snb_population(double pi, double low, double high)
{
	const int32_t classes = 10000;
	const double alpha = 0.5;
	const double beta = 0.1;
	static double figures[REPLICATES][FIGURES];
	int32_t *class = malloc(sizeof(int32_t) * classes * 100);
	char where[60];
	SdcRandom random;
	int r;

	memset(figures, 0, sizeof(figures));
	for (r = 0; r < REPLICATES; r++)
	{
		int members = 0;
		int32_t c;
		int i;

		sdc_random_seed(&random, 900 + r, 0);
		for (c = 0; c < classes; c++)
		{
			double at = sdc_random_unit(&random);
			double part = pow(beta, alpha);
			int x;

			for (x = 0; x < 99 && at >= part; x++)
			{
				at -= part;
				part *= (alpha + x) / (x + 1) * (1 - beta);
				class[members++] = c;
			}
			class[members++] = c;
		}
		for (i = members - 1; i > 0; i--)
		{
			int j = (int) sdc_random_below(&random, i + 1);
			int32_t swap = class[i];

			class[i] = class[j];
			class[j] = swap;
		}
		estimate_classes(class, members, (int) (members * pi), classes,
						 figures[r]);
		unit_release_all();
	}
	snprintf(where, sizeof(where), "SNB's population, pi = %g", pi);
	check_biased(figures, where, TAU1, SNB, low, high);
	free(class);
}

int
main(void)
{
	unit_start("uniqueness");
	check_independent();
	check_pitman_population(0.5, 100, 2000);
	check_pitman_population(0.2, 1000, 8000);
	/* for a small pi the number of classes is already off */
	check_snb_population(0.1, 2.0, 2.5);
	check_snb_population(0.5, 0.97, 1.03);
	return unit_finish();
}
