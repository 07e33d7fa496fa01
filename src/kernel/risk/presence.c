/*
 * presence.c
 *		What a register of the population tells about a sample.
 *
 * Classes of both tables come in the order of their codes, so a match is found
 * by walking both at once.
 */
#include "kernel/risk/presence.h"

#include <string.h>

/*
 * Negative, zero or positive as the codes of a cell of a come before, equal or
 * come after those of a cell of b.  NULL, the largest unsigned, is last.
 */
static int
compare(const SdcFrequency *a, int32_t cell_a, const SdcFrequency *b,
		int32_t cell_b, int keys)
{
	int j;

	for (j = 0; j < keys; j++)
	{
		uint32_t code_a = (uint32_t) a->code[j][cell_a];
		uint32_t code_b = (uint32_t) b->code[j][cell_b];

		if (code_a != code_b)
			return code_a < code_b ? -1 : 1;
	}
	return 0;
}

int64_t *
sdc_presence_match(SdcHost *host, const SdcFrequency *sample,
				   const SdcClasses *sample_classes,
				   const SdcFrequency *population,
				   const SdcClasses *population_classes, int keys)
{
	int64_t *match = sdc_new(host, int64_t, (size_t) sample_classes->classes);
	int32_t theirs = 0;
	int32_t ours;
	uint64_t steps = 0;

	for (ours = 0; ours < sample_classes->classes; ours++)
	{
		match[ours] = 0;
		while (theirs < population_classes->classes)
		{
			int order = compare(population, population_classes->first[theirs],
								sample, sample_classes->first[ours], keys);

			if (steps++ % SDC_POLL_STEPS == 0)
				host->poll(host, (uint64_t) ours,
						   (uint64_t) sample_classes->classes);
			if (order == 0)
				match[ours] = population_classes->size[theirs];
			if (order >= 0)
				break;
			theirs++;
		}
	}
	return match;
}

/* Notes the share of one class of the sample. */
static void
add_class(SdcPresence *presence, int64_t size, int64_t match, int64_t k)
{
	double share = (double) size / (double) match;

	presence->larger += size > match && match > 0;
	if (match < k)
	{
		presence->below++;
		presence->records_below += size;
	}
	if (match == 0)
	{
		presence->outside += size;
		return;
	}
	if (presence->matched == 0 || share < presence->lowest)
		presence->lowest = share;
	if (presence->matched == 0 || share > presence->highest)
		presence->highest = share;
	if (presence->matched == 0 || match < presence->map)
		presence->map = match;
	presence->matched++;
}

SdcPresence
sdc_presence_measure(SdcHost *host, const SdcClasses *sample,
					 const int64_t *match, const SdcClasses *population,
					 int64_t k)
{
	SdcPresence presence;
	int32_t c;

	memset(&presence, 0, sizeof(presence));
	for (c = 0; c < sample->classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) sample->classes);
		add_class(&presence, sample->size[c], match[c], k);
	}
	if (presence.matched < population->classes)
		presence.lowest = 0;
	if (presence.outside > 0)
		presence.map = 0;
	return presence;
}

void
sdc_presence_failing(SdcHost *host, const SdcClasses *sample,
					 const int64_t *match, const SdcClasses *population,
					 double lowest, double highest, int64_t failing[2])
{
	int64_t matched = 0;
	int32_t c;

	failing[0] = 0;
	for (c = 0; c < sample->classes; c++)
	{
		double share = (double) sample->size[c] / (double) match[c];

		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) sample->classes);
		matched += match[c];
		if (match[c] == 0 || share < lowest || share > highest)
			failing[0] += sample->size[c];
	}
	failing[1] = lowest > 0 ? population->records - matched : 0;
}
