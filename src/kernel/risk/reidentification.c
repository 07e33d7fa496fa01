/*
 * reidentification.c
 *		Probabilities that a record is linked to its person.
 *
 * Sums of fractions are taken in the order of the classes, which does not
 * depend on the order of the records.
 */
#include "kernel/risk/reidentification.h"

/* Adds the records of a class, each linked with probability 1 / among. */
static void
add_class(SdcReidentification *risk, int64_t size, int64_t among,
		  double threshold)
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
		add_class(&risk, size[c], choice(size, population, c), threshold);
	}
	return risk;
}

SdcReidentification
sdc_reidentification_prosecutor(SdcHost *host, const int64_t *size,
								int32_t classes, double threshold)
{
	SdcReidentification risk = measure(host, size, NULL, classes, threshold);

	if (risk.records > 0)
		risk.average = (double) classes / (double) risk.records;
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
