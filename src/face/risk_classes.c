/*
 * risk_classes.c
 *		Lines of sdc.risk_report that follow from the sizes of the classes.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/risk/individual_risk.h"
#include "kernel/risk/presence.h"
#include "kernel/risk/reidentification.h"
#include "kernel/risk/superpopulation.h"
#include "pg/call/params.h"
#include "face/risk.h"

/* "3 of 6 records (50.00 %) are ..." */
static void
put_share(const RiskReport *risk, const char *measure, double value,
		  int64 part, const char *what)
{
	int64 whole = risk->classes->records;

	sdcpg_report_put(risk->report, measure, risk->subject, value,
					 INT64_FORMAT " of " INT64_FORMAT " %s (%.2f %%) %s %s.",
					 part, whole, sdcf_risk_plural(whole, "record", "records"),
					 100.0 * part / whole, sdcf_risk_plural(part, "is", "are"),
					 what);
}

/* How many records look alike. */
static void
put_classes(const RiskReport *risk, const SdcRisk *sum)
{
	SdcReport *report = risk->report;
	const char *subject = risk->subject;
	double average = (double) sum->records / sum->classes;

	sdcpg_report_put(
		report, "records", subject, sum->records,
		INT64_FORMAT " %s counted%s.", sum->records,
		sdcf_risk_plural(sum->records, "record was", "records were"),
		risk->relation->row_security
			? "; row-level security may hide others from you"
			: "");
	sdcpg_report_put(report, "classes", subject, sum->classes,
					 "The records form " INT64_FORMAT " %s of equal keys.",
					 sum->classes,
					 sdcf_risk_plural(sum->classes, "class", "classes"));
	sdcpg_report_put(report, "k_anonymity", subject, sum->smallest,
					 "The smallest class has " INT64_FORMAT
					 " %s, so the relation is " INT64_FORMAT "-anonymous.",
					 sum->smallest,
					 sdcf_risk_plural(sum->smallest, "record", "records"),
					 sum->smallest);
	put_share(risk, "unique_count", sum->uniques, sum->uniques,
			  "unique in the keys");
	put_share(risk, "unique_share", (double) sum->uniques / sum->records,
			  sum->uniques, "unique in the keys");
	sdcpg_report_put(report, "average_class", subject, average,
					 "A class has %.2f records on average.", average);
	sdcpg_report_put(report, "largest_class", subject, sum->largest,
					 "The largest class has " INT64_FORMAT " %s.",
					 sum->largest,
					 sdcf_risk_plural(sum->largest, "record", "records"));
	put_share(risk, "below_3", sum->below_3, sum->below_3,
			  "in classes of fewer than 3");
	put_share(risk, "below_5", sum->below_5, sum->below_5,
			  "in classes of fewer than 5");
	sdcpg_report_put(report, "discernibility", subject, sum->discernibility,
					 "A record looks like %.2f records on average, itself "
					 "included.",
					 sum->discernibility / sum->records);
}

/* The intruder who knows that a person is in the file. */
static void
put_prosecutor(const RiskReport *risk, const SdcRisk *sum)
{
	double average = sum->expected / sum->records;

	sdcpg_report_put(risk->report, "prosecutor_highest", risk->subject,
					 1.0 / sum->smallest,
					 "Who knows that a person is in the file finds the right "
					 "record with a probability of up to %.2f %%.",
					 100.0 / sum->smallest);
	sdcpg_report_put(risk->report, "prosecutor_average", risk->subject,
					 average,
					 "Who guesses for everyone finds %.2f %% of the records, "
					 "about %.0f.",
					 100 * average, sum->expected);
	put_share(risk, "at_risk", (double) sum->at_risk / sum->records,
			  sum->at_risk,
			  psprintf("found with a probability above %g %%",
					   100 * risk->threshold));
}

void
sdcf_risk_classes(RiskReport *risk)
{
	SdcRisk sum = sdc_risk_summarize(&risk->host->kernel, risk->classes,
									 risk->alike.records, risk->threshold);

	put_classes(risk, &sum);
	put_prosecutor(risk, &sum);
}

/* People that a class stands for; those that look like them if alike. */
static double
estimate_people(const RiskReport *risk, int32 c, bool alike)
{
	if (risk->weight != NULL)
		return alike ? risk->alike.weight[c] : risk->classes->weight[c];
	return (alike ? risk->alike.records[c] : risk->classes->size[c]) /
		   risk->sampling_fraction;
}

/* Benedetti and Franconi's risk of the records of each class. */
static double *
measure_individual(const RiskReport *risk)
{
	SdcHost *host = &risk->host->kernel;
	int32 classes = risk->classes->classes;
	double *individual = sdc_new(host, double, classes);
	int32 c;

	for (c = 0; c < classes; c++)
	{
		if (c % (SDC_POLL_STEPS / 16) == 0)
			host->poll(host, c, classes);
		individual[c] = sdc_individual_risk_expect(
			risk->alike.records[c], estimate_people(risk, c, true),
			SDC_INDIVIDUAL_RISK_EXACT);
	}
	return individual;
}

static void
put_individual(const RiskReport *risk)
{
	const SdcClasses *classes = risk->classes;
	double *individual = measure_individual(risk);
	double expected = 0;
	double highest = 0;
	double target = sdcpg_params_number(risk->params, "target", NAN, 0, 1);
	double threshold;
	int32 c;

	for (c = 0; c < classes->classes; c++)
	{
		expected += classes->size[c] * individual[c];
		highest = Max(highest, individual[c]);
	}
	sdcpg_report_put(risk->report, "individual_risk_highest", risk->subject,
					 highest,
					 "A record is found again in the population with a "
					 "probability of up to %.4f %%.",
					 100 * highest);
	sdcpg_report_put(risk->report, "expected_reids", risk->subject, expected,
					 "About %.2f records are expected to be found again in "
					 "the population.",
					 expected);
	sdcpg_report_put(risk->report, "global_risk", risk->subject,
					 expected / classes->records,
					 "That is %.4f %% of the records.",
					 100 * expected / classes->records);
	if (isnan(target))
		return;
	threshold =
		sdc_individual_risk_threshold(&risk->host->kernel, individual,
									  classes->size, classes->classes, target);
	sdcpg_report_put(risk->report, "risk_threshold", risk->subject, threshold,
					 "The global risk is at most %g %% once no record has a "
					 "risk above %.4f %%.",
					 100 * target, 100 * threshold);
}

/* How often a unique match with the population is the right one. */
static void
put_dis(const RiskReport *risk, double people)
{
	SdcSuperpopulation sample;
	SdcSuperpopulationAnswer answer;
	double theta = NAN;

	/* sets of compatible records are no classes, and a part is no larger */
	if (risk->nulls == NULLS_WILDCARD || people < risk->classes->records)
		return;
	sample =
		sdc_superpopulation_sample(&risk->host->kernel, risk->classes->size,
								   risk->classes->classes, people);
	answer = sdc_superpopulation_dis(&sample, &theta);
	if (answer == SDC_SUPERPOPULATION_FOUND ||
		answer == SDC_SUPERPOPULATION_WHOLE)
		sdcpg_report_put(risk->report, "dis", risk->subject, theta,
						 "Somebody of the population who alone matches a "
						 "unique record is its person with a probability of "
						 "%.2f %%.",
						 100 * theta);
	else
		sdcpg_report_put(risk->report, "dis", risk->subject, NAN,
						 "There are too few small classes to say.");
}

void
sdcf_risk_population(RiskReport *risk)
{
	int64 records = risk->classes->records;
	double people = 0;
	int32 c;

	if (risk->weight == NULL && isnan(risk->sampling_fraction))
		return;
	for (c = 0; c < risk->classes->classes; c++)
		people += estimate_people(risk, c, false);
	sdcpg_report_put(risk->report, "population", risk->subject, people,
					 "The records stand for %.0f people.", people);
	sdcpg_report_put(
		risk->report, "sampling_fraction", risk->subject, records / people,
		"A record stands for %.2f people on average.", people / records);
	put_individual(risk);
	put_dis(risk, people);
}

/* What a register of the population tells. */
void
sdcf_risk_register(RiskReport *risk)
{
	SdcHost *host = &risk->host->kernel;
	SdcReport *report = risk->report;
	const char *subject = risk->subject;
	SdcClasses *people;
	SdcPresence presence;
	SdcReidentification journalist;
	int64_t *match;
	double marketer;

	if (risk->population == NULL)
		return;
	people = sdc_frequency_classes(host, risk->table[1].frequency,
								   risk->keys.count);
	match =
		sdc_presence_match(host, risk->table[0].frequency, risk->classes,
						   risk->table[1].frequency, people, risk->keys.count);
	presence = sdc_presence_measure(host, risk->classes, match, people, 0);
	journalist = sdc_reidentification_journalist(host, risk->classes->size,
												 match, risk->classes->classes,
												 risk->threshold);
	marketer = sdc_reidentification_marketer(host, risk->classes->size, match,
											 risk->classes->classes);
	sdcpg_report_put(
		report, "k_map", subject, presence.map,
		"Every record looks like at least " INT64_FORMAT
		" of the population; " INT64_FORMAT " %s no match there.",
		(int64) presence.map, (int64) presence.outside,
		sdcf_risk_plural(presence.outside, "record has", "records have"));
	sdcpg_report_put(report, "delta_presence_lowest", subject, presence.lowest,
					 "Of every class of the population at least %.2f %% are "
					 "in the file.",
					 100 * presence.lowest);
	sdcpg_report_put(report, "delta_presence_highest", subject,
					 presence.highest,
					 "Of a class of the population up to %.2f %% are in the "
					 "file.",
					 100 * presence.highest);
	sdcpg_report_put(report, "journalist_highest", subject, journalist.highest,
					 "Who does not know who is in the file finds a record "
					 "with a probability of up to %.2f %%.",
					 100 * journalist.highest);
	sdcpg_report_put(report, "journalist_average", subject, journalist.average,
					 "On average it is %.4f %%.", 100 * journalist.average);
	sdcpg_report_put(report, "marketer", subject, marketer,
					 "Who guesses for everyone finds %.4f %% of the records.",
					 100 * marketer);
}
