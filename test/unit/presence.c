/*
 * presence.c
 *		Matching a sample with a population, delta-presence and k-map, against
 *		a search of all pairs of classes.
 */
#include "unit.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"

#define ROUNDS 2000
#define KEYS   2

/* Both tables, counted, with their classes. */
typedef struct Pair
{
	SdcFrequency *sample;
	SdcFrequency *population;
	SdcClasses *sample_classes;
	SdcClasses *population_classes;
} Pair;

/* Values 0 to 3 and NULL; the sample is drawn from the population, mostly. */
static Pair
draw(SdcRandom *random, int records, bool stranger)
{
	const int32_t values[KEYS] = {4, 4};
	SdcFrequencyCount *sample = sdc_frequency_start(unit_host(), KEYS, false);
	SdcFrequencyCount *population =
		sdc_frequency_start(unit_host(), KEYS, false);
	Pair pair;
	int i;

	for (i = 0; i < records; i++)
	{
		int32_t code[KEYS];

		code[0] = (int32_t) sdc_random_below(random, 5) - 1;
		code[1] = (int32_t) sdc_random_below(random, 5) - 1;
		if (!stranger || i % 7 != 0)
			sdc_frequency_add(population, code, 1, 1);
		if (sdc_random_below(random, 3) == 0)
			sdc_frequency_add(sample, code, 1, 1);
	}
	pair.sample = sdc_frequency_finish(sample, NULL, values, NULL);
	pair.population = sdc_frequency_finish(population, NULL, values, NULL);
	pair.sample_classes =
		sdc_frequency_classes(unit_host(), pair.sample, KEYS);
	pair.population_classes =
		sdc_frequency_classes(unit_host(), pair.population, KEYS);
	return pair;
}

/* Records of the class of b that has the codes of a cell of a. */
static int64_t
find(const SdcFrequency *a, int32_t cell, const SdcFrequency *b)
{
	int32_t other;

	for (other = 0; other < b->cells; other++)
		if (a->code[0][cell] == b->code[0][other] &&
			a->code[1][cell] == b->code[1][other])
			return b->count[other];
	return 0;
}

static bool
same_match(const Pair *pair, const int64_t *match)
{
	bool same = true;
	int32_t c;

	for (c = 0; c < pair->sample->cells; c++)
		same = same && match[c] == find(pair->sample, c, pair->population);
	return same;
}

static SdcPresence
brute(const Pair *pair, int64_t k)
{
	SdcPresence expected;
	bool first = true;
	int32_t c;

	memset(&expected, 0, sizeof(expected));
	for (c = 0; c < pair->population->cells; c++)
	{
		int64_t size = find(pair->population, c, pair->sample);
		int64_t among = pair->population->count[c];
		double share = (double) size / (double) among;

		if (first || share < expected.lowest)
			expected.lowest = share;
		if (first || share > expected.highest)
			expected.highest = share;
		first = false;
		expected.larger += size > among;
		expected.matched += size > 0;
		if (size > 0 && (expected.map == 0 || among < expected.map))
			expected.map = among;
	}
	for (c = 0; c < pair->sample->cells; c++)
	{
		int64_t among = find(pair->sample, c, pair->population);
		int64_t size = pair->sample->count[c];

		expected.outside += among == 0 ? size : 0;
		expected.below += among < k;
		expected.records_below += among < k ? size : 0;
	}
	if (expected.outside > 0)
		expected.map = 0;
	return expected;
}

static bool
same_presence(SdcPresence a, SdcPresence b)
{
	return a.lowest == b.lowest && a.highest == b.highest && a.map == b.map &&
		   a.matched == b.matched && a.outside == b.outside &&
		   a.larger == b.larger && a.below == b.below &&
		   a.records_below == b.records_below;
}

static void
check_random(bool stranger)
{
	bool matched = true;
	bool measured = true;
	int64_t outside = 0;
	SdcRandom random;
	int round;

	sdc_random_seed(&random, 35, stranger);
	for (round = 0; round < ROUNDS; round++)
	{
		Pair pair = draw(&random, round % 60, stranger);
		int64_t k = 1 + (int64_t) sdc_random_below(&random, 4);
		int64_t *match =
			sdc_presence_match(unit_host(), pair.sample, pair.sample_classes,
							   pair.population, pair.population_classes, KEYS);
		SdcPresence got =
			sdc_presence_measure(unit_host(), pair.sample_classes, match,
								 pair.population_classes, k);
		SdcPresence expected = brute(&pair, k);

		matched = matched && same_match(&pair, match);
		measured = measured && same_presence(got, expected);
		outside += got.outside;
		unit_release_all();
	}
	unit_check(matched, "%d pairs of tables matched", ROUNDS);
	unit_check(measured, "delta-presence and k-map");
	unit_check((outside > 0) == stranger, "%lld records are strangers",
			   (long long) outside);
}

int
main(void)
{
	unit_start("presence");
	check_random(false);
	check_random(true);
	return unit_finish();
}
