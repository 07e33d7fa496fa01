/*
 * superpopulation.c
 *		How many sample uniques are unique in the population, too.
 *
 * What needs no optimisation: DIS, Zayatz, and the rule that chooses.  Pitman
 * and SNB have files of their own.
 */
#include "kernel/risk/superpopulation.h"

#include <math.h>

#include "kernel/base/sort.h"

/* The different sizes, ascending, with the number of classes of each. */
static SdcSuperpopulationSize *
tally(SdcHost *host, const int64_t *count, int32_t classes, int32_t *n)
{
	uint64_t *keys = sdc_new(host, uint64_t, classes);
	int32_t *order = sdc_new(host, int32_t, classes);
	SdcSuperpopulationSize *sizes;
	int32_t i;

	for (i = 0; i < classes; i++)
	{
		keys[i] = count[i];
		order[i] = i;
	}
	sdc_sort_keys(host, keys, order, classes);
	host->release(host, order);
	*n = 0;
	for (i = 0; i < classes; i++)
		*n += i == 0 || keys[i] != keys[i - 1];
	sizes = sdc_new(host, SdcSuperpopulationSize, *n);
	*n = 0;
	for (i = 0; i < classes; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, classes);
		if (i == 0 || keys[i] != keys[i - 1])
		{
			sizes[*n].size = keys[i];
			sizes[*n].classes = 0;
			++*n;
		}
		sizes[*n - 1].classes++;
	}
	host->release(host, keys);
	return sizes;
}

SdcSuperpopulation
sdc_superpopulation_sample(SdcHost *host, const int64_t *count,
						   int32_t classes, double population)
{
	SdcSuperpopulation sample = {0};
	int32_t i;

	sample.sizes = tally(host, count, classes, &sample.n);
	sample.classes = classes;
	sample.population = population;
	for (i = 0; i < sample.n; i++)
	{
		const SdcSuperpopulationSize *size = &sample.sizes[i];

		sample.records += size->size * size->classes;
		if (size->size == 1)
			sample.uniques = size->classes;
		if (size->size == 2)
			sample.pairs = size->classes;
	}
	sample.fraction = sample.records / population;
	return sample;
}

SdcSuperpopulationAnswer
sdc_superpopulation_dis(const SdcSuperpopulation *sample, double *theta)
{
	double pi = sample->fraction;
	double whole = pi * sample->uniques;
	double split = 2 * (1 - pi) * sample->pairs;

	*theta = 0;
	if (sample->uniques == 0)
		return SDC_SUPERPOPULATION_NO_UNIQUES;
	if (pi < 1 && sample->pairs == 0)
		return SDC_SUPERPOPULATION_NO_PAIRS;
	*theta = whole / (whole + split);
	return pi < 1 ? SDC_SUPERPOPULATION_FOUND : SDC_SUPERPOPULATION_WHOLE;
}

bool
sdc_superpopulation_settle(const SdcSuperpopulation *sample,
						   SdcSuperpopulationEstimate *estimate)
{
	*estimate = (SdcSuperpopulationEstimate){0};
	if (sample->uniques == 0)
		estimate->answer = SDC_SUPERPOPULATION_NO_UNIQUES;
	else if (sample->fraction >= 1)
	{
		estimate->answer = SDC_SUPERPOPULATION_WHOLE;
		estimate->uniques = sample->uniques;
		estimate->risk = 1;
	}
	else if (sample->uniques == sample->classes)
		estimate->answer = SDC_SUPERPOPULATION_ALL_UNIQUE;
	else
		return false;
	return true;
}

/*
 * The denominator of Bayes' rule over its first term.  The probability that
 * a class of i shows one record, over i, is C(N - i, n - 1) / C(N, n); from i
 * to i + 1 it shrinks by (N - i - n + 1) / (N - i).
 */
static double
shown_once(SdcHost *host, const SdcSuperpopulation *sample)
{
	double population = sample->population;
	double records = sample->records;
	double share = 1;
	double sum = 0;
	int64_t i = 1;
	int32_t k;

	for (k = 0; k < sample->n && share > 0; k++)
	{
		for (; i < sample->sizes[k].size && share > 0; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, i, sample->sizes[sample->n - 1].size);
			/* at the end of the population only rounding makes it negative */
			share *= fmax(population - i - records + 1, 0) / (population - i);
		}
		sum += share * sample->sizes[k].size * sample->sizes[k].classes;
	}
	return sum / sample->uniques;
}

SdcSuperpopulationEstimate
sdc_superpopulation_zayatz(SdcHost *host, const SdcSuperpopulation *sample)
{
	SdcSuperpopulationEstimate estimate;

	host->stage(host, "estimating");
	if (sdc_superpopulation_settle(sample, &estimate))
		return estimate;
	estimate.answer = SDC_SUPERPOPULATION_FOUND;
	estimate.risk = 1 / shown_once(host, sample);
	estimate.uniques = sample->uniques * estimate.risk / sample->fraction;
	return estimate;
}

void
sdc_superpopulation_found(const SdcSuperpopulation *sample, double uniques,
						  SdcSuperpopulationEstimate *estimate)
{
	estimate->answer = SDC_SUPERPOPULATION_FOUND;
	estimate->uniques = uniques;
	estimate->risk = sample->fraction * uniques / sample->uniques;
	estimate->capped = estimate->risk > 1;
	if (estimate->capped)
		estimate->risk = 1;
}

SdcSuperpopulationEstimate
sdc_superpopulation_dankar(SdcHost *host, const SdcSuperpopulation *sample,
						   SdcSuperpopulationModel *model)
{
	SdcSuperpopulationEstimate zayatz;
	SdcSuperpopulationEstimate snb;

	*model = SDC_SUPERPOPULATION_PITMAN;
	if (sample->fraction <= 0.1)
		return sdc_superpopulation_pitman(host, sample);
	zayatz = sdc_superpopulation_zayatz(host, sample);
	snb = sdc_superpopulation_snb(host, sample);
	*model = SDC_SUPERPOPULATION_ZAYATZ;
	if (snb.answer != SDC_SUPERPOPULATION_FOUND ||
		zayatz.uniques <= snb.uniques)
		return zayatz;
	*model = SDC_SUPERPOPULATION_SNB;
	return snb;
}
