/*
 * superpopulation.c
 *		Estimators of population uniqueness: against their formulas taken
 *		literally, against other solvers, and against ARX on adult.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/random.h"
#include "kernel/superpopulation.h"

/* A sample with so many classes of each size from 1 on. */
static SdcSuperpopulation
sample_of(const int *classes, int sizes, double population)
{
	int64_t count[20000];
	int32_t n = 0;
	int size;
	int i;

	for (size = sizes; size >= 1; size--)
		for (i = 0; i < classes[size - 1]; i++)
			count[n++] = size;
	return sdc_superpopulation_sample(unit_host(), count, n, population);
}

static const int typical[] = {300, 90, 41, 22, 17, 9, 5, 3, 0, 2, 1, 0, 1};
#define TYPICAL 13

static void
check_sample(void)
{
	SdcSuperpopulation sample = sample_of(typical, TYPICAL, 9700);
	bool same = sample.n == 11;
	int64_t records = 0;
	int32_t i;

	for (i = 0; i < sample.n; i++)
	{
		same = same &&
			   (i == 0 || sample.sizes[i].size > sample.sizes[i - 1].size) &&
			   sample.sizes[i].classes == typical[sample.sizes[i].size - 1];
		records += sample.sizes[i].size * sample.sizes[i].classes;
	}
	unit_check(same && sample.records == records && sample.classes == 491 &&
				   sample.uniques == 300 && sample.pairs == 90,
			   "sizes are tallied");
	unit_check(sample.fraction == records / 9700.0, "sampling fraction");
}

/* EX-POP-1: three sample uniques, one pair, half of the population: 0.6. */
static void
check_dis(void)
{
	const int example[] = {3, 1};
	const int no_uniques[] = {0, 4};
	const int no_pairs[] = {4, 0, 1};
	SdcSuperpopulation sample = sample_of(example, 2, 10);
	double theta;

	unit_check(sdc_superpopulation_dis(&sample, &theta) ==
					   SDC_SUPERPOPULATION_FOUND &&
				   fabs(theta - 0.6) < 1e-15,
			   "DIS: EX-POP-1");
	sample = sample_of(example, 2, 5);
	unit_check(sdc_superpopulation_dis(&sample, &theta) ==
					   SDC_SUPERPOPULATION_WHOLE &&
				   theta == 1,
			   "DIS: the whole population");
	sample = sample_of(no_uniques, 2, 10);
	unit_check(sdc_superpopulation_dis(&sample, &theta) ==
				   SDC_SUPERPOPULATION_NO_UNIQUES,
			   "DIS: no uniques");
	sample = sample_of(no_pairs, 3, 10);
	unit_check(sdc_superpopulation_dis(&sample, &theta) ==
				   SDC_SUPERPOPULATION_NO_PAIRS,
			   "DIS: no pairs");
}

/* C(n, k) in long double. */
static long double
binomial(int n, int k)
{
	long double value = 1;
	int i;

	if (k < 0 || k > n)
		return 0;
	for (i = 1; i <= k; i++)
		value = value * (n - k + i) / i;
	return value;
}

static void
check_zayatz(void)
{
	const int populations[] = {933, 934, 1100, 2000, 5000};
	bool same = true;
	size_t p;
	int i;

	for (p = 0; p < 5; p++)
	{
		SdcSuperpopulation sample =
			sample_of(typical, TYPICAL, populations[p]);
		int n = (int) sample.records;
		int population = populations[p];
		SdcSuperpopulationEstimate estimate =
			sdc_superpopulation_zayatz(unit_host(), &sample);
		long double whole = 0;
		long double risk;

		for (i = 1; i <= TYPICAL; i++)
			whole += typical[i - 1] * i * binomial(population - i, n - 1);
		risk = typical[0] * binomial(population - 1, n - 1) / whole;
		same =
			same && fabs(estimate.risk / (double) risk - 1) < 1e-12 &&
			fabs(estimate.uniques * n / (300.0 * population * (double) risk) -
				 1) < 1e-12;
	}
	unit_check(same, "Zayatz: Bayes' rule with binomial coefficients");
}

/* No overflow, no rounding away: a population of 2^40. */
static void
check_zayatz_large(void)
{
	const int64_t count[] = {1, 1, 1, 2, 5, 1000000};
	SdcSuperpopulation sample =
		sdc_superpopulation_sample(unit_host(), count, 6, 1099511627776.0);
	SdcSuperpopulationEstimate estimate =
		sdc_superpopulation_zayatz(unit_host(), &sample);
	double expected = 0;
	long double log_share = 0;
	int32_t i;

	for (i = 1; i <= 1000000; i++)
	{
		if (i > 1)
			log_share +=
				log1pl(-(sample.records - 1) / (1099511627776.0L - (i - 1)));
		if (i == 1 || i == 2 || i == 5 || i == 1000000)
			expected += (i == 1 ? 3 : i) * (double) expl(log_share);
	}
	expected = 3 / expected;
	unit_check(estimate.answer == SDC_SUPERPOPULATION_FOUND &&
				   fabs(estimate.risk / expected - 1) < 1e-9,
			   "Zayatz: N = 2^40: %.10g, expected %.10g", estimate.risk,
			   expected);
}

/* The logarithm of the Ewens-Pitman likelihood, term by term. */
static long double
pitman_likelihood(const SdcSuperpopulation *sample, long double alpha,
				  long double theta)
{
	long double sum = 0;
	int64_t i;
	int32_t k;

	for (i = 1; i < sample->classes; i++)
		sum += logl(theta + i * alpha);
	for (i = 1; i < sample->records; i++)
		sum -= logl(theta + i);
	for (k = 0; k < sample->n; k++)
		for (i = 1; i < sample->sizes[k].size; i++)
			sum += sample->sizes[k].classes * logl(i - alpha);
	return sum;
}

/* Is there a higher likelihood anywhere? */
static bool
is_maximum(const SdcSuperpopulation *sample, double alpha, double theta)
{
	long double best = pitman_likelihood(sample, alpha, theta);
	double step;
	int i;
	int j;

	for (i = 0; i < 40; i++)
		for (j = -20; j <= 40; j++)
		{
			double a = i / 40.0;
			double t = exp(j / 2.0) - a;

			if (pitman_likelihood(sample, a, t) > best)
				return false;
		}
	/* close by, where rounding would show */
	for (step = 1e-2; step > 1e-5; step /= 10)
		for (i = -1; i <= 1; i++)
			for (j = -1; j <= 1; j++)
			{
				double a = alpha + i * step;
				double t = (theta + alpha) * (1 + j * step) - a;

				if ((i != 0 || j != 0) && a >= 0 && a < 1 && t > -a &&
					pitman_likelihood(sample, a, t) >= best)
					return false;
			}
	return true;
}

static void
check_pitman(void)
{
	/* a long tail; even sizes; nearly all unique; nearly one class */
	const int even[] = {5, 9, 20, 31, 40, 28, 17, 11, 3};
	const int sparse[] = {700, 6, 1};
	static const int heavy[400] = {[0] = 30, [1] = 1, [399] = 3};
	const struct
	{
		const int *classes;
		int sizes;
		bool inside; /* is alpha above 0? */
	} cases[] = {
		{typical, TYPICAL, true},
		{even, 9, false},
		{sparse, 3, true},
		{heavy, 400, true},
	};
	size_t c;

	for (c = 0; c < 4; c++)
	{
		SdcSuperpopulation sample =
			sample_of(cases[c].classes, cases[c].sizes, 20000);
		SdcSuperpopulationEstimate estimate =
			sdc_superpopulation_pitman(unit_host(), &sample);
		double alpha = estimate.alpha;
		double theta = estimate.theta;
		long double uniques =
			20000 * expl(lgammal((long double) theta + 1) -
						 lgammal((long double) theta + alpha) +
						 lgammal((long double) theta + alpha + 19999) -
						 lgammal((long double) theta + 20000));

		unit_check((alpha > 0) == cases[c].inside &&
					   is_maximum(&sample, alpha, theta),
				   "Pitman, case %zu: (%g, %g) is the maximum", c, alpha,
				   theta);
		unit_check(fabs(estimate.uniques / (double) uniques - 1) < 1e-10 &&
					   estimate.uniques <= 20000,
				   "Pitman, case %zu: %g expected uniques", c,
				   estimate.uniques);
	}
}

/* Expected sample uniques and pairs of SNB, class size by class size. */
static void
snb_sum(double alpha, double beta, double pi, double *uniques, double *pairs)
{
	double chance = pow(beta, alpha); /* of x others */
	double missed = 1;                /* (1 - pi)^x */
	int x;

	*uniques = 0;
	*pairs = 0;
	for (x = 0; x < 200000; x++)
	{
		*uniques += chance * (x + 1) * pi * missed;
		if (x > 0)
			*pairs += chance * (x + 1) * x / 2.0 * pi * pi * missed / (1 - pi);
		chance *= (alpha + x) / (x + 1) * (1 - beta);
		missed *= 1 - pi;
	}
}

/* Haas and Stokes' estimate with powers as they are written. */
static double
shlosser(const SdcSuperpopulation *sample)
{
	double q = sample->fraction;
	double a = 0;
	double b = 0;
	double c = 0;
	double d = 0;
	int32_t k;

	for (k = 0; k < sample->n; k++)
	{
		double i = sample->sizes[k].size;
		double f = sample->sizes[k].classes;

		a += i * q * q * pow(1 - q * q, i - 1) * f;
		b += pow(1 - q, i) * (pow(1 + q, i) - 1) * f;
		c += pow(1 - q, i) * f;
		d += i * q * pow(1 - q, i - 1) * f;
	}
	return sample->classes + sample->uniques * (a / b) * (c / d) * (c / d);
}

static void
check_snb(void)
{
	const double fractions[] = {0.02, 0.1, 0.3, 0.9};
	size_t p;

	for (p = 0; p < 4; p++)
	{
		SdcSuperpopulation sample =
			sample_of(typical, TYPICAL, 933 / fractions[p]);
		SdcSuperpopulationEstimate estimate =
			sdc_superpopulation_snb(unit_host(), &sample);
		double uniques;
		double pairs;
		double closed_uniques;
		double closed_pairs;

		snb_sum(estimate.alpha, estimate.beta, sample.fraction, &uniques,
				&pairs);
		sdc_superpopulation_snb_expect(estimate.alpha, estimate.beta,
									   sample.fraction, &closed_uniques,
									   &closed_pairs);
		unit_check(fabs(closed_uniques / uniques - 1) < 1e-9 &&
					   fabs(closed_pairs / pairs - 1) < 1e-9,
				   "SNB, pi = %g: closed form of the expectations",
				   fractions[p]);
		unit_check(fabs(estimate.classes / shlosser(&sample) - 1) < 1e-12,
				   "SNB, pi = %g: %g classes", fractions[p], estimate.classes);
		unit_check(
			fabs(estimate.classes * uniques / 300 - 1) < 1e-9 &&
				fabs(estimate.classes * pairs / 90 - 1) < 1e-9 &&
				fabs(estimate.uniques / (estimate.classes *
										 pow(estimate.beta, estimate.alpha)) -
					 1) < 1e-9,
			"SNB, pi = %g: solves both equations at (%g, %g)", fractions[p],
			estimate.alpha, estimate.beta);
	}
}

static void
check_edges(void)
{
	const int all_unique[] = {50};
	const int no_uniques[] = {0, 20, 3};
	const int no_pairs[] = {20, 0, 7};
	const int one[] = {0, 0, 1};
	SdcSuperpopulationEstimate (*const models[])(
		SdcHost *, const SdcSuperpopulation *) = {sdc_superpopulation_zayatz,
												  sdc_superpopulation_pitman,
												  sdc_superpopulation_snb};
	const char *const names[] = {"Zayatz", "Pitman", "SNB"};
	SdcSuperpopulation sample;
	SdcSuperpopulationEstimate estimate;
	int m;

	for (m = 0; m < 3; m++)
	{
		sample = sample_of(all_unique, 1, 1000);
		unit_check(models[m](unit_host(), &sample).answer ==
					   SDC_SUPERPOPULATION_ALL_UNIQUE,
				   "%s: all unique", names[m]);
		sample = sample_of(no_uniques, 3, 1000);
		unit_check(models[m](unit_host(), &sample).answer ==
					   SDC_SUPERPOPULATION_NO_UNIQUES,
				   "%s: no uniques", names[m]);
		sample = sample_of(one, 3, 1000);
		unit_check(models[m](unit_host(), &sample).answer ==
					   SDC_SUPERPOPULATION_NO_UNIQUES,
				   "%s: one class", names[m]);
		sample = sample_of(typical, TYPICAL, 933);
		estimate = models[m](unit_host(), &sample);
		unit_check(estimate.answer == SDC_SUPERPOPULATION_WHOLE &&
					   estimate.uniques == 300 && estimate.risk == 1,
				   "%s: the whole population", names[m]);
		sample = sample_of(typical, 0, 1000);
		unit_check(models[m](unit_host(), &sample).answer ==
					   SDC_SUPERPOPULATION_NO_UNIQUES,
				   "%s: no records", names[m]);
	}
	sample = sample_of(no_pairs, 3, 1000);
	unit_check(sdc_superpopulation_snb(unit_host(), &sample).answer ==
				   SDC_SUPERPOPULATION_NO_PAIRS,
			   "SNB: no pairs");
	estimate = sdc_superpopulation_pitman(unit_host(), &sample);
	unit_check(estimate.answer == SDC_SUPERPOPULATION_FOUND &&
				   estimate.uniques > 0 && estimate.uniques <= 1000,
			   "Pitman: no pairs, %g", estimate.uniques);
}

/* No figure is ever NaN, infinite or beyond the population. */
static void
check_random(void)
{
	SdcSuperpopulationEstimate (*const models[])(
		SdcHost *, const SdcSuperpopulation *) = {sdc_superpopulation_zayatz,
												  sdc_superpopulation_pitman,
												  sdc_superpopulation_snb};
	const double fractions[] = {1e-9, 1e-4, 0.01, 0.3, 0.9, 0.999999};
	SdcRandom random;
	int bad = 0;
	int found = 0;
	int trial;
	int m;
	int f;

	sdc_random_seed(&random, 11, 0);
	for (trial = 0; trial < 300; trial++)
	{
		int32_t n = 1 + (int32_t) sdc_random_below(&random, 60);
		int64_t range = INT64_C(1) << sdc_random_below(&random, 14);
		int64_t count[60];
		int64_t records = 0;
		int32_t i;

		for (i = 0; i < n; i++)
		{
			count[i] = sdc_random_below(&random, 2) == 0
						   ? 1
						   : 1 + (int64_t) sdc_random_below(&random, range);
			records += count[i];
		}
		for (f = 0; f < 6; f++)
			for (m = 0; m < 3; m++)
			{
				SdcSuperpopulation sample = sdc_superpopulation_sample(
					unit_host(), count, n, records / fractions[f]);
				SdcSuperpopulationEstimate e = models[m](unit_host(), &sample);

				found += e.answer == SDC_SUPERPOPULATION_FOUND;
				bad += !(e.risk >= 0 && e.risk <= 1 && e.uniques >= 0 &&
						 e.uniques <= sample.population * (1 + 1e-12) &&
						 isfinite(e.alpha) && isfinite(e.theta) &&
						 isfinite(e.beta) && isfinite(e.classes));
			}
	}
	unit_check(bad == 0 && found > 3000,
			   "%d estimates for random class sizes are sound, %d not", found,
			   bad);
}

static void
check_dankar(void)
{
	const int no_pairs[] = {20, 0, 7};
	SdcSuperpopulationModel model;
	SdcSuperpopulation sample = sample_of(typical, TYPICAL, 9330);
	double uniques =
		sdc_superpopulation_dankar(unit_host(), &sample, &model).uniques;
	double zayatz;
	double snb;

	unit_check(
		model == SDC_SUPERPOPULATION_PITMAN &&
			uniques ==
				sdc_superpopulation_pitman(unit_host(), &sample).uniques,
		"Dankar: Pitman at pi = 0.1");
	sample = sample_of(typical, TYPICAL, 3000);
	uniques = sdc_superpopulation_dankar(unit_host(), &sample, &model).uniques;
	zayatz = sdc_superpopulation_zayatz(unit_host(), &sample).uniques;
	snb = sdc_superpopulation_snb(unit_host(), &sample).uniques;
	unit_check(uniques == (zayatz < snb ? zayatz : snb) &&
				   model == (zayatz < snb ? SDC_SUPERPOPULATION_ZAYATZ
										  : SDC_SUPERPOPULATION_SNB),
			   "Dankar: the smaller of Zayatz %g and SNB %g", zayatz, snb);
	sample = sample_of(no_pairs, 3, 100);
	unit_check(
		sdc_superpopulation_dankar(unit_host(), &sample, &model).answer ==
				SDC_SUPERPOPULATION_FOUND &&
			model == SDC_SUPERPOPULATION_ZAYATZ,
		"Dankar: Zayatz where SNB has no answer");
}

int
main(void)
{
	unit_start("superpopulation");
	check_sample();
	check_dis();
	check_zayatz();
	check_zayatz_large();
	check_pitman();
	check_snb();
	check_edges();
	check_random();
	check_dankar();
	return unit_finish();
}
