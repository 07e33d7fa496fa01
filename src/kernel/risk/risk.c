/*
 * risk.c
 *		Risk of a file, from the sizes of its classes; of a cell, when some of
 *		its members put together what they know.
 *
 * Sums are taken in the order of the classes, which is that of their values,
 * so they do not depend on the order of the records.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * Probabilities that a record is linked to its person.
 *
 * Sums of fractions are taken in the order of the classes, which does not
 * depend on the order of the records.
 * ----------------------------------------------------------------------
 */

/* Adds the records of a class, each linked with probability 1 / among. */
static void
reidentification_add_class(SdcReidentification *risk, int64_t size,
						   int64_t among, double threshold)
{
	double probability = 1.0 / (double) among;

	if (risk->records == 0 || probability > risk->highest)
		risk->highest = probability;
	if (risk->records == 0 || probability < risk->lowest)
		risk->lowest = probability;
	if (probability > threshold)
		risk->at_risk += size;
	risk->records += size;
}

/* The class among whose records the intruder must choose. */
static int64_t
choice(const int64_t *size, const int64_t *population, int32_t c)
{
	bool more = population != NULL && population[c] > size[c];

	return more ? population[c] : size[c];
}

static SdcReidentification
measure(SdcHost *host, const int64_t *size, const int64_t *population,
		int32_t classes, double threshold)
{
	SdcReidentification risk = {0, 0, 0, 0, 0};
	int32_t c;

	for (c = 0; c < classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) classes);
		reidentification_add_class(&risk, size[c], choice(size, population, c),
								   threshold);
	}
	return risk;
}

SdcReidentification
sdc_reidentification_journalist(SdcHost *host, const int64_t *size,
								const int64_t *population, int32_t classes,
								double threshold)
{
	SdcReidentification risk =
		measure(host, size, population, classes, threshold);
	double marketer =
		sdc_reidentification_marketer(host, size, population, classes);
	int64_t records = 0;
	int32_t c;

	for (c = 0; c < classes; c++)
		records += choice(size, population, c);
	if (records > 0)
		risk.average = (double) classes / (double) records;
	if (marketer > risk.average)
		risk.average = marketer;
	return risk;
}

double
sdc_reidentification_marketer(SdcHost *host, const int64_t *size,
							  const int64_t *population, int32_t classes)
{
	int64_t records = 0;
	double links = 0;
	int32_t c;

	for (c = 0; c < classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) classes);
		links += (double) size[c] / (double) choice(size, population, c);
		records += size[c];
	}
	return records > 0 ? links / (double) records : 0;
}

/* ----------------------------------------------------------------------
 * What classes cost the user of a file: the discernibility metric.
 *
 * Squares of sizes pass 64 bits from 3 billion records in one class on.
 * ----------------------------------------------------------------------
 */

unsigned __int128
sdc_discernibility_cost(SdcHost *host, const int64_t *size, int32_t classes,
						int64_t k)
{
	unsigned __int128 cost = 0;
	int64_t suppressed = 0;
	int64_t records = 0;
	int32_t c;

	for (c = 0; c < classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) classes);
		records += size[c];
		if (size[c] < k)
			suppressed += size[c];
		else
			cost += (unsigned __int128) size[c] * (uint64_t) size[c];
	}
	return cost + (unsigned __int128) suppressed * (uint64_t) records;
}

/* ----------------------------------------------------------------------
 * What a register of the population tells about a sample.
 *
 * Classes of both tables come in the order of their codes, so a match is found
 * by walking both at once.
 * ----------------------------------------------------------------------
 */

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

/* How sure one can be of who is in a class of the register. */
static double
presence_share(int64_t size, int64_t match)
{
	return (double) size / (double) match;
}

/* Notes the share of one class of the sample. */
static void
add_class(SdcPresence *presence, int64_t size, int64_t match, int64_t k)
{
	double share = presence_share(size, match);

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

/* ----------------------------------------------------------------------
 * Risk of a file, from the sizes of its classes.
 * ----------------------------------------------------------------------
 */

SdcRisk
sdc_risk_summarize(SdcHost *host, const SdcClasses *classes,
				   const int64_t *alike, double threshold)
{
	SdcRisk risk;
	unsigned __int128 pairs = 0;
	int32_t c;

	memset(&risk, 0, sizeof(risk));
	risk.records = classes->records;
	risk.classes = classes->classes;
	for (c = 0; c < classes->classes; c++)
	{
		int64_t size = classes->size[c];
		int64_t same = alike[c];

		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, c, classes->classes);
		if (risk.smallest == 0 || same < risk.smallest)
			risk.smallest = same;
		if (same > risk.largest)
			risk.largest = same;
		risk.uniques += same == 1 ? size : 0;
		risk.below_3 += same < 3 ? size : 0;
		risk.below_5 += same < 5 ? size : 0;
		risk.at_risk += 1.0 / (double) same > threshold ? size : 0;
		risk.expected += (double) size / (double) same;
		pairs += (unsigned __int128) size * (uint64_t) same;
	}
	risk.discernibility = (double) pairs;
	return risk;
}

/* ----------------------------------------------------------------------
 * Bounds on the sizes of classes, as models of a search.
 *
 * Each figure is that of the function above, or of superpopulation.h, which
 * the reports show, too.
 * ----------------------------------------------------------------------
 */

/* A relative error that is accepted. */
#define TOLERANCE 1e-9

SdcSizeBounds
sdc_size_bounds(void)
{
	SdcSizeBounds bounds;
	int m;

	memset(&bounds, 0, sizeof(bounds));
	for (m = 0; m < SDC_SIZE_MEASURES; m++)
		bounds.bound[m] = NAN;
	bounds.threshold = 0.2;
	return bounds;
}

bool
sdc_size_bounds_any(const SdcSizeBounds *bounds, int first, int end)
{
	int m;

	for (m = first; m < end; m++)
		if (!isnan(bounds->bound[m]))
			return true;
	return false;
}

SdcGrowth
sdc_size_growth(SdcSizeMeasure measure)
{
	switch (measure)
	{
		case SDC_SIZE_K_MAP:
		case SDC_SIZE_JOURNALIST_HIGHEST:
			return SDC_GROWS_ALWAYS;
		case SDC_SIZE_JOURNALIST_AVERAGE:
		case SDC_SIZE_MARKETER:
		case SDC_SIZE_POPULATION_UNIQUES:
			return SDC_GROWS_NEVER;
		default:
			return SDC_GROWS_PASSING;
	}
}

bool
sdc_size_low_is_bad(SdcSizeMeasure measure)
{
	return measure == SDC_SIZE_K_MAP || measure == SDC_SIZE_PRESENCE_LOWEST ||
		   measure == SDC_SIZE_AVERAGE;
}

bool
sdc_size_fails(const SdcSizeBounds *bounds, SdcSizeMeasure measure,
			   double value)
{
	double bound = bounds->bound[measure];

	if (isnan(bound))
		return false;
	if (isnan(value))
		return true;
	return sdc_size_low_is_bad(measure) ? value < bound * (1 - TOLERANCE)
										: value > bound * (1 + TOLERANCE);
}

bool
sdc_size_class_fails(const SdcSizeBounds *bounds, int64_t size, int64_t match)
{
	if (match == 0)
		return sdc_size_bounds_any(bounds, 0, SDC_SIZE_OF_CLASSES);
	return sdc_size_fails(bounds, SDC_SIZE_K_MAP, (double) match) ||
		   sdc_size_fails(bounds, SDC_SIZE_PRESENCE_HIGHEST,
						  presence_share(size, match)) ||
		   sdc_size_fails(bounds, SDC_SIZE_JOURNALIST_HIGHEST,
						  1 / (double) choice(&size, &match, 0));
}

int64_t
sdc_size_class_lost(const SdcSizeBounds *bounds, int64_t size, int64_t match)
{
	double most = bounds->bound[SDC_SIZE_PRESENCE_HIGHEST];
	double lost;

	if (!sdc_size_class_fails(bounds, size, match))
		return 0;
	if (match == 0 || isnan(most) ||
		sdc_size_fails(bounds, SDC_SIZE_K_MAP, (double) match) ||
		sdc_size_fails(bounds, SDC_SIZE_JOURNALIST_HIGHEST,
					   1 / (double) choice(&size, &match, 0)))
		return size;
	/* with a margin for rounding */
	lost = ((double) size - most * (double) match) * (1 - 1e-6) - 1e-6;
	return lost > 0 ? (int64_t) ceil(lost - 1e-3) : 0;
}

bool
sdc_size_presence_fails(const SdcSizeBounds *bounds, int64_t size,
						int64_t match)
{
	return match > 0 && sdc_size_fails(bounds, SDC_SIZE_PRESENCE_LOWEST,
									   presence_share(size, match));
}

/* The share of the people who are unique, see Dankar's rule. */
static double
population_uniques(SdcHost *host, const SdcSizeBounds *bounds,
				   const SdcSizes *sizes)
{
	SdcSuperpopulation sample = sdc_superpopulation_sample(
		host, sizes->size, sizes->classes, bounds->people);
	SdcSuperpopulationModel model;
	SdcSuperpopulationEstimate estimate =
		sdc_superpopulation_dankar(host, &sample, &model);

	host->release(host, (void *) sample.sizes);
	switch (estimate.answer)
	{
		case SDC_SUPERPOPULATION_FOUND:
		case SDC_SUPERPOPULATION_WHOLE:
			return estimate.uniques / bounds->people;
		case SDC_SUPERPOPULATION_NO_UNIQUES:
			return 0;
		default:
			return NAN;
	}
}

/* Of what a register tells. */
static double
measure_register(SdcHost *host, const SdcSizes *sizes, SdcSizeMeasure measure)
{
	SdcClasses sample = {sizes->classes, NULL, (int64_t *) sizes->size, NULL,
						 sizes->records};
	SdcClasses people = {sizes->people, NULL, NULL, NULL, 0};
	SdcReidentification journalist;
	SdcPresence presence;

	if (measure == SDC_SIZE_MARKETER)
		return sdc_reidentification_marketer(host, sizes->size, sizes->match,
											 sizes->classes);
	if (measure == SDC_SIZE_JOURNALIST_HIGHEST ||
		measure == SDC_SIZE_JOURNALIST_AVERAGE)
	{
		journalist = sdc_reidentification_journalist(
			host, sizes->size, sizes->match, sizes->classes, 1);
		return measure == SDC_SIZE_JOURNALIST_AVERAGE ? journalist.average
													  : journalist.highest;
	}
	presence = sdc_presence_measure(host, &sample, sizes->match, &people, 0);
	if (measure == SDC_SIZE_K_MAP)
		return (double) presence.map;
	return measure == SDC_SIZE_PRESENCE_LOWEST ? presence.lowest
											   : presence.highest;
}

double
sdc_size_measure(SdcHost *host, const SdcSizeBounds *bounds,
				 const SdcSizes *sizes, SdcSizeMeasure measure)
{
	SdcClasses classes = {sizes->classes, NULL, (int64_t *) sizes->size, NULL,
						  sizes->records};
	double records = (double) sizes->records;
	SdcRisk risk;

	if (measure == SDC_SIZE_PRESENCE_LOWEST && sizes->people == 0)
		return NAN;
	if (measure < SDC_SIZE_AVERAGE)
		return measure_register(host, sizes, measure);
	if (sizes->classes == 0)
		return NAN;
	if (measure == SDC_SIZE_POPULATION_UNIQUES)
		return population_uniques(host, bounds, sizes);
	risk = sdc_risk_summarize(host, &classes, sizes->size, bounds->threshold);
	switch (measure)
	{
		case SDC_SIZE_AVERAGE:
			return records / (double) sizes->classes;
		case SDC_SIZE_PROSECUTOR_AVERAGE:
			return risk.expected / records;
		case SDC_SIZE_AT_RISK:
			return (double) risk.at_risk / records;
		default:
			return (double) risk.uniques / records;
	}
}

/* ----------------------------------------------------------------------
 * Attribute disclosure in the cells of a table.
 *
 * The histogram of the sensitive values of a cell is a run of a frequency
 * table, so one pass over the table measures all cells.
 * ----------------------------------------------------------------------
 */

static SdcCell
measure_cell(const SdcFrequency *frequency, int32_t first, int32_t end,
			 bool ignore_null)
{
	const int32_t *code = frequency->code[frequency->columns - 1];
	SdcCell cell = {0, 0, 0, SDC_CODE_NULL, 0, 0};
	int32_t i;

	for (i = first; i < end; i++)
	{
		int64_t count = frequency->count[i];

		if (ignore_null && code[i] == SDC_CODE_NULL)
			continue;
		cell.values++;
		cell.records += count;
		if (count > cell.largest)
		{
			cell.largest = count;
			cell.value = code[i];
		}
	}
	return cell;
}

void
sdc_cells_measure(SdcHost *host, const SdcFrequency *frequency,
				  const SdcClasses *classes, bool ignore_null, int32_t column,
				  SdcCell *cell)
{
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, c, classes->classes);
		cell[c] = measure_cell(frequency, classes->first[c],
							   classes->first[c + 1], ignore_null);
		cell[c].number = c;
		cell[c].column = column;
	}
}

/* Sorts by a key, keeping the order of equal ones. */
static void
sort_by(SdcHost *host, const SdcCell *cell, int32_t *order, uint64_t *keys,
		int32_t n, uint64_t (*key_of)(const SdcCell *cell))
{
	int32_t i;

	for (i = 0; i < n; i++)
		keys[i] = key_of(&cell[order[i]]);
	sdc_sort_keys(host, keys, order, n);
}

static uint64_t
key_of_records(const SdcCell *cell)
{
	return UINT64_MAX - (uint64_t) cell->records;
}

static uint64_t
key_of_coalition(const SdcCell *cell)
{
	return cell->records == 0 ? UINT64_MAX
							  : (uint64_t) sdc_cells_coalition(cell);
}

int32_t
sdc_cells_sort(SdcHost *host, SdcCell *cell, int32_t n)
{
	SdcCell *old = sdc_new(host, SdcCell, n);
	int32_t *order = sdc_new(host, int32_t, n);
	uint64_t *keys = sdc_new(host, uint64_t, n);
	int32_t counted = 0;
	int32_t i;

	memcpy(old, cell, sizeof(SdcCell) * n);
	for (i = 0; i < n; i++)
		order[i] = i;
	sort_by(host, old, order, keys, n, key_of_records);
	sort_by(host, old, order, keys, n, key_of_coalition);
	for (i = 0; i < n; i++)
	{
		cell[i] = old[order[i]];
		counted += cell[i].records > 0;
	}
	host->release(host, keys);
	host->release(host, order);
	host->release(host, old);
	return counted;
}
