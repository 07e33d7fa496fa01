/*
 * superpopulation_simulated.c
 *		Pitman and SNB where their own model is true.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/superpopulation.h"
#include "uniqueness_bias.h"

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
	unit_start("superpopulation_simulated");
	check_pitman_population(0.5, 100, 2000);
	check_pitman_population(0.2, 1000, 8000);
	/* for a small pi the number of classes is already off */
	check_snb_population(0.1, 2.0, 2.5);
	check_snb_population(0.5, 0.97, 1.03);
	return unit_finish();
}
