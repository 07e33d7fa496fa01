/*
 * superpopulation.c
 *		Estimators of population uniqueness: DIS and Zayatz by their formulas,
 *		all of them on the edges.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/risk/superpopulation.h"
#include "superpopulation_sample.h"

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
	check_edges();
	check_random();
	check_dankar();
	return unit_finish();
}
