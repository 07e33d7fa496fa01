/*
 * suda2.c
 *		Special uniques: minimal sample uniques, SUDA and DIS-SUDA scores.
 *
 * The search works on a block of cells at a time: all of them when the sets
 * of unique records fit the budget, else a quarter of the block that did not.
 * What a block gave is forgotten when it turns out too large, so records and
 * sums do not depend on the blocks.
 */
#include "kernel/risk/suda2.h"

#include <math.h>
#include <string.h>

#include "kernel/risk/suda2_search.h"
#include "kernel/table/wildcard.h"

/* libm: DIS-SUDA is a measure, and its definition has a power. */

#define BUDGET ((size_t) 64 * 1024 * 1024)

/* Fills weight[1 .. keys]. */
static void
fill_weights(const SdcSuda2Options *options, int keys, double *weight)
{
	int last = options->max_size < keys - 1 ? options->max_size : keys - 1;
	double subsets = 1;
	int s;
	int i;

	if (options->score == SDC_SUDA2_FACTORIAL)
		last = keys - 1;
	for (s = 1; s <= keys; s++)
	{
		/* C(keys, s), exact while it fits a double */
		subsets = subsets * (keys - s + 1) / s;
		weight[s] = 1;
		if (options->score == SDC_SUDA2_IHSN)
			weight[s] = (ldexp(1, keys - s) - 1) / subsets;
		else
			for (i = s; i <= last; i++)
				weight[s] *= keys - i;
	}
}

/* Counts who agrees in all keys with nobody, and with one other. */
static void
count_matches(SdcHost *host, const SdcFrequency *frequency,
			  SdcSuda2Nulls nulls, SdcSuda2 *suda)
{
	SdcClasses *classes =
		sdc_frequency_classes(host, frequency, frequency->columns);
	int64_t *matches = classes->size;
	int32_t i;

	if (nulls == SDC_SUDA2_NULL_IS_WILDCARD)
	{
		matches = sdc_new(host, int64_t, classes->classes);
		sdc_wildcard_match(host, frequency, classes, frequency->columns,
						   matches, NULL);
	}
	for (i = 0; i < classes->classes; i++)
	{
		suda->singles += matches[i] == 1;
		suda->doubles += matches[i] == 2 ? classes->size[i] : 0;
	}
	if (matches != classes->size)
		host->release(host, matches);
	sdc_classes_release(host, classes);
}

/* Numbers the unique records. */
static SdcSuda2 *
start_result(SdcHost *host, const SdcFrequency *frequency)
{
	SdcSuda2 *suda = sdc_new(host, SdcSuda2, 1);
	size_t count;
	int32_t i;

	memset(suda, 0, sizeof(*suda));
	suda->keys = frequency->columns;
	suda->unique = sdc_new(host, int32_t, frequency->cells);
	for (i = 0; i < frequency->cells; i++)
		suda->unique[i] = frequency->count[i] == 1 ? suda->uniques++ : -1;
	count = (size_t) suda->uniques;
	suda->score = sdc_new(host, double, count);
	suda->msus = sdc_new(host, int64_t, count);
	suda->size = sdc_new(host, uint8_t, count);
	suda->part = sdc_new(host, double, count *(size_t) suda->keys);
	suda->of_size = sdc_new(host, int64_t, (size_t) suda->keys + 1);
	memset(suda->of_size, 0, sizeof(int64_t) * ((size_t) suda->keys + 1));
	return suda;
}

/* Forgets what a block has given. */
static void
clear_block(SdcSuda2 *suda, SdcSuda2Block block)
{
	int32_t i;
	int j;

	for (i = block.first; i < block.first + block.cells; i++)
	{
		int32_t u = suda->unique[i];

		if (u < 0)
			continue;
		suda->score[u] = 0;
		suda->msus[u] = 0;
		suda->size[u] = 0;
		for (j = 0; j < suda->keys; j++)
			suda->part[(size_t) u * suda->keys + j] = 0;
	}
}

static bool
has_unique(const SdcSuda2 *suda, SdcSuda2Block block)
{
	int32_t i;

	for (i = block.first; i < block.first + block.cells; i++)
		if (suda->unique[i] >= 0)
			return true;
	return false;
}

static void
search_blocks(SdcHost *host, const SdcFrequency *frequency,
			  const SdcSuda2Options *options, const double *weight,
			  SdcSuda2 *suda)
{
	SdcSuda2Block block = {0, frequency->cells};
	int32_t cells = frequency->cells;

	while (block.first < frequency->cells)
	{
		block.cells = frequency->cells - block.first < cells
						  ? frequency->cells - block.first
						  : cells;
		clear_block(suda, block);
		if (has_unique(suda, block) &&
			!sdc_suda2_search(host, frequency, options, weight, block, suda))
		{
			cells = (block.cells / 4 + 63) / 64 * 64;
			continue;
		}
		block.first += block.cells;
	}
}

SdcSuda2 *
sdc_suda2_find(SdcHost *host, const SdcFrequency *frequency,
			   const SdcSuda2Options *options)
{
	SdcSuda2Options chosen = *options;
	SdcSuda2 *suda = start_result(host, frequency);
	double weight[SDC_SUDA2_MAX_KEYS + 1];
	int32_t u;

	if (chosen.budget == 0)
		chosen.budget = BUDGET;
	fill_weights(&chosen, suda->keys, weight);
	host->stage(host, "looking for special uniques");
	search_blocks(host, frequency, &chosen, weight, suda);
	count_matches(host, frequency, chosen.nulls, suda);
	for (u = 0; u < suda->uniques; u++)
		suda->total += suda->score[u];
	return suda;
}

double
sdc_suda2_match(const SdcSuda2 *suda, double p)
{
	double right = p * (double) suda->singles;

	return right / (right + (1 - p) * (double) suda->doubles);
}

void
sdc_suda2_dis(SdcHost *host, const SdcSuda2 *suda, double p, double *dis)
{
	double match = sdc_suda2_match(suda, p);
	double q = 1 + (8 - suda->keys) / 20.0;
	double odds = (double) suda->singles / match - (double) suda->singles;
	double sum = 0;
	int32_t u;

	for (u = 0; u < suda->uniques; u++)
	{
		if (u % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		dis[u] = suda->score[u] > 0 ? pow(suda->score[u], q) : 0;
		if (dis[u] > 0)
			sum += 1 / dis[u];
	}
	for (u = 0; u < suda->uniques; u++)
		if (dis[u] > 0)
			dis[u] = 1 / (1 + odds / (dis[u] * sum));
}

void
sdc_suda2_contributions(SdcHost *host, const SdcSuda2 *suda, double *share)
{
	int32_t u;
	int j;

	for (j = 0; j < suda->keys; j++)
		share[j] = 0;
	for (u = 0; u < suda->uniques; u++)
	{
		if (u % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < suda->keys; j++)
			share[j] += suda->part[(size_t) u * suda->keys + j];
	}
	for (j = 0; j < suda->keys; j++)
		if (suda->total > 0)
			share[j] /= suda->total;
}

void
sdc_suda2_value_contributions(SdcHost *host, const SdcSuda2 *suda,
							  const SdcFrequency *frequency, int j,
							  double *share)
{
	int32_t values = frequency->values[j];
	int32_t i;

	for (i = 0; i <= values; i++)
		share[i] = 0;
	for (i = 0; i < frequency->cells; i++)
	{
		int32_t u = suda->unique[i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (u >= 0)
			share[1 + frequency->code[j][i]] +=
				suda->part[(size_t) u * suda->keys + j];
	}
	for (i = 0; i <= values; i++)
		if (suda->total > 0)
			share[i] /= suda->total;
}

void
sdc_suda2_release(SdcHost *host, SdcSuda2 *suda)
{
	if (suda == NULL)
		return;
	host->release(host, suda->unique);
	host->release(host, suda->score);
	host->release(host, suda->msus);
	host->release(host, suda->size);
	host->release(host, suda->part);
	host->release(host, suda->of_size);
	host->release(host, suda);
}
