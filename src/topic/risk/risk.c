/*
 * risk.c
 *		sdc.risk_report: the measures of risk of a relation.
 *
 * The relation is counted into one frequency table of its keys and sensitive
 * columns, with the rights of the caller.  Everything else follows from this
 * table: the sizes of the classes, the risk that a record is found again, in
 * the file and in the population behind it, and what the classes give away of
 * each sensitive column.  Each figure is returned with a sentence.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/datum.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/posterior.h"
#include "kernel/risk/risk.h"
#include "kernel/risk/separation.h"
#include "kernel/risk/suda2.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "topic/generalization/hierarchy.h"
#include "topic/generalization/generalization.h"
#include "topic/registry/measures.h"
#include "topic/registry/roles.h"
#include "topic/risk/risk.h"

/* A sensitive column in all parts. */
typedef struct RiskColumn
{
	SdcFrequencyTable totals; /* how often each value occurs in all */
	SdcClassRequest request;
	SdcClassMeasuring *measuring;
	SdcClassReport report; /* the number of a class is 0 */
	char *example[SDC_CLASS_MEASURES];
	Datum *key[SDC_CLASS_MEASURES]; /* of the worst class, NULL as below */
	bool *isnull[SDC_CLASS_MEASURES];
	double background; /* NAN: not measured */
} RiskColumn;

/* What parts of a relation add up to. */
typedef struct RiskParts
{
	SdcRisk sum;
	RiskColumn *column; /* of each sensitive one */
	Oid *collation;     /* of it */
	SdcColumnType *type;
	SortSupportData *order; /* of the keys; not of unordered ones */
} RiskParts;

static inline const char *
sdcpg_risk_plural(int64 count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* ----------------------------------------------------------------------
 * Lines of sdc.risk_report that follow from the sizes of the classes.
 * ----------------------------------------------------------------------
 */

/* "3 of 6 records (50.00 %) are ..." */
static void
put_share(const RiskReport *risk, const char *measure, double value,
		  int64 part, int64 whole, const char *what)
{
	sdcpg_report_put(
		risk->report, measure, risk->subject, value,
		INT64_FORMAT " of " INT64_FORMAT " %s (%.2f %%) %s %s.", part, whole,
		sdcpg_risk_plural(whole, "record", "records"), 100.0 * part / whole,
		sdcpg_risk_plural(part, "is", "are"), what);
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
		sdcpg_risk_plural(sum->records, "record was", "records were"),
		risk->relation->row_security
			? "; row-level security may hide others from you"
			: "");
	sdcpg_report_put(report, "classes", subject, sum->classes,
					 "The records form " INT64_FORMAT " %s of equal keys.",
					 sum->classes,
					 sdcpg_risk_plural(sum->classes, "class", "classes"));
	sdcpg_report_put(report, "k_anonymity", subject, sum->smallest,
					 "The smallest class has " INT64_FORMAT
					 " %s, so the relation is " INT64_FORMAT "-anonymous.",
					 sum->smallest,
					 sdcpg_risk_plural(sum->smallest, "record", "records"),
					 sum->smallest);
	put_share(risk, "unique_count", sum->uniques, sum->uniques, sum->records,
			  "unique in the keys");
	put_share(risk, "unique_share", (double) sum->uniques / sum->records,
			  sum->uniques, sum->records, "unique in the keys");
	sdcpg_report_put(report, "average_class", subject, average,
					 "A class has %.2f records on average.", average);
	sdcpg_report_put(report, "largest_class", subject, sum->largest,
					 "The largest class has " INT64_FORMAT " %s.",
					 sum->largest,
					 sdcpg_risk_plural(sum->largest, "record", "records"));
	put_share(risk, "below_3", sum->below_3, sum->below_3, sum->records,
			  "in classes of fewer than 3");
	put_share(risk, "below_5", sum->below_5, sum->below_5, sum->records,
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

	sdcpg_report_put(
		risk->report, "prosecutor_highest", risk->subject, 1.0 / sum->smallest,
		"Somebody who knows that a person is in the file finds the right "
		"record with a probability of up to %.2f %%.",
		100.0 / sum->smallest);
	sdcpg_report_put(
		risk->report, "prosecutor_average", risk->subject, average,
		"Somebody who guesses for everyone finds %.2f %% of the records, "
		"about %.0f.",
		100 * average, sum->expected);
	put_share(risk, "at_risk", (double) sum->at_risk / sum->records,
			  sum->at_risk, sum->records,
			  psprintf("found with a probability above %g %%",
					   100 * risk->threshold));
}

static SdcRisk
sum_classes(const RiskReport *risk)
{
	return sdc_risk_summarize(&risk->host->kernel, risk->classes,
							  risk->alike.records, risk->threshold);
}

/* How many records look alike, and how likely one is found in the file. */
void
sdcpg_risk_classes(RiskReport *risk)
{
	SdcRisk sum = risk->parts != NULL ? risk->parts->sum : sum_classes(risk);

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
	double target =
		sdcpg_keys_number(sdcpg_risk_params, risk->params, "target");
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
	if (risk->nulls == SDC_NULLS_WILDCARD || people < risk->classes->records)
		return;
	sample =
		sdc_superpopulation_sample(&risk->host->kernel, risk->classes->size,
								   risk->classes->classes, people);
	answer = sdc_superpopulation_dis(&sample, &theta);
	if (answer == SDC_SUPERPOPULATION_FOUND ||
		answer == SDC_SUPERPOPULATION_WHOLE)
		sdcpg_report_put(risk->report, "correct_match", risk->subject, theta,
						 "Somebody of the population who alone matches a "
						 "unique record is its person with a probability of "
						 "%.2f %%.",
						 100 * theta);
	else
		sdcpg_report_put(risk->report, "correct_match", risk->subject, NAN,
						 "There are too few small classes to say.");
}

/* The people who are estimated to be alone in the population. */
static void
put_unique_people(const RiskReport *risk, double people)
{
	SdcSizeBounds bounds = sdc_size_bounds();
	SdcSizes sizes = {risk->classes->classes, risk->classes->size, NULL, 0,
					  risk->classes->records};
	double share;

	if (!sdcpg_report_wants(risk->report, "population_unique_share") ||
		risk->nulls == SDC_NULLS_WILDCARD || people < risk->classes->records)
		return;
	bounds.people = people;
	share = sdc_size_measure(&risk->host->kernel, &bounds, &sizes,
							 SDC_SIZE_POPULATION_UNIQUES);
	if (isnan(share))
		sdcpg_report_put(risk->report, "population_unique_share",
						 risk->subject, NAN,
						 "There are too few small classes to say.");
	else
		sdcpg_report_put(
			risk->report, "population_unique_share", risk->subject, share,
			"About %.4f %% of the population are unique.", 100 * share);
}

/* The same in the population: from weights or a sampling fraction. */
void
sdcpg_risk_population(RiskReport *risk)
{
	int64 records;
	double people = 0;
	int32 c;

	if (risk->weight == NULL && isnan(risk->sampling_fraction))
		return;
	records = risk->classes->records;
	for (c = 0; c < risk->classes->classes; c++)
		people += estimate_people(risk, c, false);
	sdcpg_report_put(risk->report, "population", risk->subject, people,
					 "The records stand for %.0f people.", people);
	sdcpg_report_put(
		risk->report, "sampling_fraction", risk->subject, records / people,
		"A record stands for %.2f people on average.", people / records);
	put_individual(risk);
	put_dis(risk, people);
	put_unique_people(risk, people);
}

/* What a register of the population tells. */
/* The same in the population: from a register of it. */
void
sdcpg_risk_register(RiskReport *risk)
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
		sdcpg_risk_plural(presence.outside, "record has", "records have"));
	sdcpg_report_put(report, "delta_presence_lowest", subject, presence.lowest,
					 "Of every class of the population at least %.2f %% are "
					 "in the file.",
					 100 * presence.lowest);
	sdcpg_report_put(report, "delta_presence_highest", subject,
					 presence.highest,
					 "Of a class of the population up to %.2f %% are in the "
					 "file.",
					 100 * presence.highest);
	sdcpg_report_put(
		report, "journalist_highest", subject, journalist.highest,
		"Somebody who does not know who is in the file finds a record "
		"with a probability of up to %.2f %%.",
		100 * journalist.highest);
	sdcpg_report_put(report, "journalist_average", subject, journalist.average,
					 "On average it is %.4f %%.", 100 * journalist.average);
	sdcpg_report_put(
		report, "marketer", subject, marketer,
		"Somebody who guesses for everyone finds %.4f %% of the records.",
		100 * marketer);
}

/* ----------------------------------------------------------------------
 * Lines of sdc.risk_report about what classes give away.
 *
 * For each sensitive column the frequency table is reduced to the keys and
 * this column, and all measures are taken in one pass over its classes.  A
 * line tells the figure of the worst class and which one it is.
 * ----------------------------------------------------------------------
 */

/* Bytes of a value that a sentence shows. */
#define SHOWN_BYTES 40

/* Appends a value, shortened if it is long. */
static void
append_value(StringInfo text, SdcDictionary *dictionary, int32 code)
{
	const char *value = sdcpg_dictionary_text(dictionary, code);
	int length;

	if (value == NULL)
	{
		appendStringInfoString(text, "NULL");
		return;
	}
	length = strlen(value);
	if (length <= SHOWN_BYTES)
	{
		appendStringInfoString(text, value);
		return;
	}
	appendBinaryStringInfo(text, value,
						   pg_mbcliplen(value, length, SHOWN_BYTES));
	appendStringInfoString(text, "...");
}

/* "age 30, sex f": the keys of a class. */
static char *
describe_class(const RiskReport *risk, int32 class)
{
	const SdcFrequency *frequency = risk->table[0].frequency;
	int32 cell = risk->classes->first[class];
	StringInfoData text;
	int j;

	initStringInfo(&text);
	for (j = 0; j < risk->keys.count; j++)
	{
		appendStringInfo(&text, "%s%s ", j > 0 ? ", " : "",
						 risk->keys.column[j].name);
		append_value(&text, risk->table[0].dictionary[j],
					 frequency->code[j][cell]);
	}
	return text.data;
}

SdcFrequency *
sdcpg_risk_reduce(const RiskReport *risk, int sensitive)
{
	int column[SDC_FREQUENCY_MAX_COLUMNS];
	int j;

	if (risk->sensitive.count == 1)
		return risk->table[0].frequency;
	for (j = 0; j < risk->keys.count; j++)
		column[j] = j;
	column[j] = risk->keys.count + sensitive;
	return sdc_frequency_project(&risk->host->kernel, risk->table[0].frequency,
								 column, risk->keys.count + 1, NULL);
}

/* Values that a key of params lists for a sensitive column; NIL for none. */
static List *
risk_list(const RiskReport *risk, const char *key, int sensitive)
{
	Jsonb *lists = sdcpg_params_object(risk->params, key);

	return lists == NULL ? NIL
						 : sdcpg_params_names(
							   lists, risk->sensitive.column[sensitive].name);
}

/* The hierarchy that params names for a sensitive column, or NULL. */
static SdcHierarchy *
find_hierarchy(const RiskReport *risk, int sensitive,
			   SdcDictionary *dictionary)
{
	char *name = sdcpg_params_member(risk->params, "hierarchy",
									 risk->sensitive.column[sensitive].name);

	return name == NULL ? NULL
						: sdcpg_hierarchy_map(risk->host, name, dictionary);
}

static SdcClassRequest
make_request(const RiskReport *risk, int sensitive, SdcDictionary *dictionary)
{
	const SdcHierarchy *hierarchy =
		find_hierarchy(risk, sensitive, dictionary);
	SdcClassRequest request = sdc_class_measures_request();
	const SdcMeasure *row = NULL;

	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
		if (row->model == SDC_MODEL_VALUES &&
			sdcpg_report_wants(risk->report, row->name) &&
			(row->line != SDC_CLASS_T_HIERARCHICAL || hierarchy != NULL))
			request.wanted |= SDC_CLASS_WANT(row->line);
	request.ignore_nulls = risk->nulls == SDC_NULLS_IGNORE;
	request.c = sdcpg_keys_number(sdcpg_risk_params, risk->params, "c");
	request.hierarchy = hierarchy;
	sdcpg_model_lists(&risk->host->kernel, &request, dictionary,
					  risk_list(risk, "allowed", sensitive),
					  risk_list(risk, "protected", sensitive));
	return request;
}

SdcClasses *
sdcpg_risk_look_alike(const RiskReport *risk, SdcFrequency **frequency)
{
	SdcHost *host = &risk->host->kernel;
	SdcClasses *classes =
		sdc_frequency_classes(host, *frequency, risk->keys.count);
	SdcFrequency *expanded;
	SdcClasses *sets;

	if (risk->nulls != SDC_NULLS_WILDCARD)
		return classes;
	expanded =
		sdc_wildcard_expand(host, *frequency, classes, risk->keys.count);
	sets = sdc_frequency_classes(host, expanded, 1);
	memcpy(sets->size, classes->size, sizeof(*sets->size) * sets->classes);
	sets->records = classes->records;
	sdc_classes_release(host, classes);
	if (*frequency != risk->table[0].frequency)
		sdc_frequency_release(host, *frequency);
	*frequency = expanded;
	return sets;
}

static void
put_homogeneous(const RiskReport *risk, const char *subject,
				const SdcClassReport *report)
{
	int64 records = report->homogeneous_records;

	sdcpg_report_put(
		risk->report, "homogeneous_records", subject, records,
		INT64_FORMAT " %s in %d %s with a single value: who knows the keys "
					 "knows the value.",
		records, sdcpg_risk_plural(records, "record is", "records are"),
		report->homogeneous_classes,
		sdcpg_risk_plural(report->homogeneous_classes, "class", "classes"));
}

static void
put_column(const RiskReport *risk, const char *subject,
		   const SdcClassRequest *request, const SdcClassReport *report,
		   char *const *example)
{
	const SdcMeasure *row = NULL;
	const SdcClassWorst *worst;

	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
	{
		if (row->model != SDC_MODEL_VALUES ||
			(request->wanted & SDC_CLASS_WANT(row->line)) == 0)
			continue;
		worst = &report->worst[row->line];
		if (worst->number < 0)
			sdcpg_report_put(risk->report, row->name, subject, NAN,
							 "No class has a value.");
		else
			sdcpg_report_example(
				risk->report, row->name, subject, worst->value,
				example != NULL ? example[row->line]
								: describe_class(risk, worst->number),
				"%s %.4g.", psprintf(row->figure, request->c), worst->value);
	}
	put_homogeneous(risk, subject, report);
}

/* How sure somebody is who can rule out some values; NAN: nobody asks. */
static double
measure_background(const RiskReport *risk, const SdcFrequency *frequency,
				   const SdcClasses *classes)
{
	SdcPosteriorOptions options = {risk->nulls == SDC_NULLS_IGNORE, false, 0};

	if (!sdcpg_report_wants(risk->report, "background_knowledge"))
		return NAN;
	options.exclude =
		sdcpg_keys_integer(sdcpg_risk_params, risk->params, "exclude");
	return sdc_posterior_summarize(&risk->host->kernel, frequency, classes,
								   &options, NAN, NULL)
		.highest;
}

/* The intruder who can rule out some values, say from knowing the person. */
static void
put_background(const RiskReport *risk, const char *subject, double highest)
{
	int exclude =
		(int) sdcpg_keys_integer(sdcpg_risk_params, risk->params, "exclude");

	if (!sdcpg_report_wants(risk->report, "background_knowledge"))
		return;
	sdcpg_report_put(risk->report, "background_knowledge", subject, highest,
					 "Who can rule out %d %s is sure of another one up to "
					 "%.2f %%.",
					 exclude, sdcpg_risk_plural(exclude, "value", "values"),
					 100 * highest);
}

static void
measure_column(const RiskReport *risk, int sensitive)
{
	SdcHost *host = &risk->host->kernel;
	SdcFrequency *frequency = sdcpg_risk_reduce(risk, sensitive);
	SdcClassRequest request =
		make_request(risk, sensitive,
					 risk->table[0].dictionary[risk->keys.count + sensitive]);
	SdcClassMeasuring *measuring =
		sdc_class_measures_start(host, frequency, &request);
	SdcClasses *classes = sdcpg_risk_look_alike(risk, &frequency);
	const char *subject = risk->sensitive.column[sensitive].sql;
	SdcClassReport report;

	sdc_class_measures_walk(host, measuring, frequency, classes, &report);
	put_column(risk, subject, &request, &report, NULL);
	put_background(risk, subject,
				   measure_background(risk, frequency, classes));
	sdc_class_measures_release(host, measuring);
	sdc_classes_release(host, classes);
	if (frequency != risk->table[0].frequency)
		sdc_frequency_release(host, frequency);
}

/* What the parts have found about a sensitive column. */
static void
put_parts(const RiskReport *risk, int sensitive)
{
	const RiskColumn *column = &risk->parts->column[sensitive];
	const char *subject = risk->sensitive.column[sensitive].sql;

	put_column(risk, subject, &column->request, &column->report,
			   column->example);
	put_background(risk, subject, column->background);
}

/* What the classes give away of each sensitive column. */
void
sdcpg_risk_sensitive(RiskReport *risk)
{
	int s;

	for (s = 0; s < risk->sensitive.count; s++)
		if (risk->parts != NULL)
			put_parts(risk, s);
		else
			measure_column(risk, s);
}

/* ----------------------------------------------------------------------
 * sdc.risk_report: the measures of risk of a relation.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_risk_report);

const SdcKey sdcpg_risk_params[] = {
	{"nulls", SDC_KEY_WORD, .words = sdc_nulls_words},
	{"threshold", SDC_KEY_NUMBER, .low = 0, .high = 1, .absent = "0.2"},
	{"c", SDC_KEY_NUMBER, .low = 1e-9, .high = 1e9, .absent = "2"},
	{"hierarchy", SDC_KEY_TEXT, .shape = SDC_KEY_ONE_OR_BY_COLUMN,
	 .need = sdcpg_hierarchy_need},
	{"allowed", SDC_KEY_NAMES, .shape = SDC_KEY_BY_COLUMN},
	{"protected", SDC_KEY_NAMES, .shape = SDC_KEY_BY_COLUMN},
	{"population", SDC_KEY_TEXT, .need = sdcpg_relation_need},
	{"sampling_fraction", SDC_KEY_NUMBER, .low = 1e-12, .high = 1},
	{"target", SDC_KEY_NUMBER, .low = 0, .high = 1},
	{"exclude", SDC_KEY_INTEGER, .low = 0, .high = PG_INT32_MAX,
	 .absent = "1"},
	{"max_size", SDC_KEY_INTEGER, .low = 1, .high = SDC_SUDA2_MAX_SIZE},
	{"score", SDC_KEY_WORD, .words = sdc_suda2_score_words},
	{"m", SDC_KEY_INTEGER, .low = 1, .high = SDC_SUBSET_MAX_SIZE,
	 .absent = "2"},
	{"worst", SDC_KEY_INTEGER, .low = 1, .high = 1000, .absent = "5"},
	{NULL}};

/* Reads the arguments (rel, keys, sensitive, weight, methods, params). */
static RiskReport *
read_arguments(FunctionCallInfo fcinfo)
{
	RiskReport *risk = palloc0(sizeof(RiskReport));
	int usual;
	const char *const *lines =
		sdcpg_measure_asked(SDC_MEASURE_RISK, 0, &usual);
	SdcRelation *relation;

	sdcpg_args_need(fcinfo, 0);
	risk->params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check_keys(risk->params, sdcpg_risk_params);
	risk->threshold =
		sdcpg_keys_number(sdcpg_risk_params, risk->params, "threshold");
	risk->sampling_fraction = sdcpg_keys_number(
		sdcpg_risk_params, risk->params, "sampling_fraction");
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	risk->relation = relation;
	risk->nulls = sdcpg_nulls_read(relation, risk->params, SDC_NULLS_ANY,
								   SDC_NULLS_CATEGORY);
	risk->keys = sdcpg_roles_need_columns(
		relation, "keys", PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1),
		SDC_ROLE_KEY);
	risk->sensitive = sdcpg_roles_columns(
		relation, "sensitive",
		PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2), SDC_ROLE_SENSITIVE);
	risk->weight = sdcpg_roles_column(
		relation, "weight",
		PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3)), SDC_ROLE_WEIGHT);
	sdcpg_attributes_disjoint(&risk->keys, &risk->sensitive);
	sdcpg_params_members_check(risk->params, "hierarchy", &risk->sensitive,
							   true);
	sdcpg_params_members_check(risk->params, "allowed", &risk->sensitive,
							   false);
	sdcpg_params_members_check(risk->params, "protected", &risk->sensitive,
							   false);
	risk->population = sdcpg_params_relation(risk->params, "population");
	risk->report =
		sdcpg_report_begin(fcinfo, lines, usual,
						   PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	risk->subject = sdcpg_relation_list(&risk->keys);
	return risk;
}

/* The columns of the register that have the names of the keys. */
static SdcRelationColumns
register_keys(const RiskReport *risk)
{
	SdcRelationColumns columns;
	int i;

	columns.count = risk->keys.count;
	columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
	for (i = 0; i < columns.count; i++)
		columns.column[i] =
			sdcpg_relation_column(risk->population, risk->keys.column[i].name);
	return columns;
}

void
sdcpg_risk_count(RiskReport *risk, const SdcRelationColumn *id,
				 const SdcRelationColumn *household)
{
	SdcHost *host = &risk->host->kernel;
	SdcFrequencyRequest request[2];
	SdcRelationColumns columns;

	memset(request, 0, sizeof(request));
	request[0].relation = risk->relation;
	request[0].weight = risk->weight;
	request[0].id = id;
	request[0].household = household;
	request[0].part = risk->part;
	sdcpg_frequency_want(&request[0], &risk->keys);
	sdcpg_frequency_want(&request[0], &risk->sensitive);
	if (risk->population != NULL)
	{
		columns = register_keys(risk);
		request[1].relation = risk->population;
		sdcpg_frequency_want(&request[1], &columns);
	}
	sdcpg_frequency_load(risk->host, request, risk->population ? 2 : 1,
						 risk->table);
	risk->classes = sdc_frequency_classes(host, risk->table[0].frequency,
										  risk->keys.count);
	risk->alike = sdc_wildcard_alike(host, risk->table[0].frequency,
									 risk->classes, risk->keys.count,
									 risk->nulls == SDC_NULLS_WILDCARD);
}

/* ----------------------------------------------------------------------
 * A relation whose cells are too many, by parts.
 *
 * A class is in one part, so figures of classes are taken part by part, and
 * the worst is kept.  What a sensitive column holds in all is counted before.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
rows_have_changed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("rows of the relation have changed while they were "
					"counted by parts"),
			 errhint("Try again, in a transaction with the isolation level "
					 "REPEATABLE READ.")));
}

static Oid
collation_of(const SdcRelation *relation, const SdcRelationColumn *column)
{
	int32 modifier;
	Oid collation;
	Oid type;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	return collation;
}

/* Codes of a sensitive column of a part become those of all. */
static void
recode(RiskReport *part, const RiskColumn *column, int sensitive)
{
	int j = part->keys.count + sensitive;
	SdcDictionary *own = part->table[0].dictionary[j];
	SdcDictionary *all = column->totals.dictionary[0];
	SdcFrequency *frequency = part->table[0].frequency;
	int32 *code =
		sdc_new(&part->host->kernel, int32, sdcpg_dictionary_values(own) + 1);
	SdcEquality equality;
	int32 next = 0;
	int32 i;

	sdcpg_equality_find(&equality, sdcpg_dictionary_type(own),
						part->parts->collation[sensitive], part->host->work);
	for (i = 0; i < sdcpg_dictionary_values(own); i++, next++)
	{
		while (next < sdcpg_dictionary_values(all) &&
			   !sdcpg_equality_same(&equality, sdcpg_dictionary_value(own, i),
									sdcpg_dictionary_value(all, next)))
			next++;
		if (next == sdcpg_dictionary_values(all))
			rows_have_changed();
		code[i] = next;
	}
	for (i = 0; i < frequency->cells; i++)
		if (frequency->code[j][i] != SDC_CODE_NULL)
			frequency->code[j][i] = code[frequency->code[j][i]];
	frequency->values[j] = sdcpg_dictionary_values(all);
}

/* Does a class of a part come before another one, in the order of keys? */
static bool
comes_first(const RiskReport *part, int32 class, const Datum *key,
			const bool *isnull)
{
	const SdcFrequency *frequency = part->table[0].frequency;
	int32 cell = part->classes->first[class];
	int j;

	for (j = 0; j < part->keys.count; j++)
	{
		int32 code = frequency->code[j][cell];
		Datum value;
		int order;

		if ((code == SDC_CODE_NULL) != isnull[j])
			return isnull[j];
		if (isnull[j])
			continue;
		value = sdcpg_dictionary_value(part->table[0].dictionary[j], code);
		order = part->parts->type[j].ordered
					? ApplySortComparator(value, false, key[j], false,
										  &part->parts->order[j])
					: sdcpg_column_compare_bytes(&part->parts->type[j], value,
												 key[j]);
		if (order != 0)
			return order < 0;
	}
	return false;
}

/* Keeps the keys of a class, and how it is shown. */
static void
keep_class(const RiskReport *part, RiskColumn *column, int measure,
		   int32 class)
{
	const SdcFrequency *frequency = part->table[0].frequency;
	int32 cell = part->classes->first[class];
	int j;

	column->example[measure] = describe_class(part, class);
	if (column->key[measure] == NULL)
	{
		column->key[measure] = palloc(sizeof(Datum) * part->keys.count);
		column->isnull[measure] = palloc(sizeof(bool) * part->keys.count);
	}
	for (j = 0; j < part->keys.count; j++)
	{
		const SdcColumnType *type = &part->parts->type[j];
		int32 code = frequency->code[j][cell];

		column->isnull[measure][j] = code == SDC_CODE_NULL;
		if (code != SDC_CODE_NULL)
			column->key[measure][j] = datumCopy(
				sdcpg_dictionary_value(part->table[0].dictionary[j], code),
				type->by_value, type->length);
	}
}

/* Is a part's worst class worse than, or as bad and before, the others'? */
static bool
is_worse(const RiskReport *part, const RiskColumn *column, int measure,
		 const SdcClassWorst *worst)
{
	double before = column->report.worst[measure].value;

	if (worst->number < 0)
		return false;
	if (column->report.worst[measure].number < 0)
		return true;
	if (worst->value != before)
		return sdc_class_measures_low_is_bad((SdcClassMeasure) measure)
				   ? worst->value < before
				   : worst->value > before;
	return comes_first(part, worst->number, column->key[measure],
					   column->isnull[measure]);
}

/* Adds what a part says of a sensitive column. */
static void
add_column(RiskReport *part, int sensitive)
{
	SdcHost *host = &part->host->kernel;
	RiskColumn *column = &part->parts->column[sensitive];
	SdcFrequency *frequency = sdcpg_risk_reduce(part, sensitive);
	SdcClasses *classes =
		sdc_frequency_classes(host, frequency, part->keys.count);
	SdcClassReport report;
	double background;
	int m;

	sdc_class_measures_walk(host, column->measuring, frequency, classes,
							&report);
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		if ((column->request.wanted & SDC_CLASS_WANT(m)) != 0 &&
			is_worse(part, column, m, &report.worst[m]))
		{
			column->report.worst[m].value = report.worst[m].value;
			column->report.worst[m].number = 0;
			keep_class(part, column, m, report.worst[m].number);
		}
	column->report.homogeneous_classes += report.homogeneous_classes;
	column->report.homogeneous_records += report.homogeneous_records;
	background = measure_background(part, frequency, classes);
	if (!(column->background >= background))
		column->background = background;
}

static void
add_sum(SdcRisk *sum, const SdcRisk *part)
{
	if (sum->smallest == 0 || part->smallest < sum->smallest)
		sum->smallest = part->smallest;
	sum->largest = Max(sum->largest, part->largest);
	sum->records += part->records;
	sum->classes += part->classes;
	sum->uniques += part->uniques;
	sum->below_3 += part->below_3;
	sum->below_5 += part->below_5;
	sum->at_risk += part->at_risk;
	sum->expected += part->expected;
	sum->discernibility += part->discernibility;
}

/* Counts a part, adds what it says, and gives its memory back. */
static void
add_part(RiskReport *risk, SdcRelation *relation)
{
	RiskReport part = *risk;
	SdcRisk sum;
	int s;

	part.host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	part.relation = relation;
	part.part = true;
	sdcpg_risk_count(&part, NULL, NULL);
	if (part.classes->records > 0)
	{
		sum = sum_classes(&part);
		add_sum(&risk->parts->sum, &sum);
		for (s = 0; s < risk->sensitive.count; s++)
			recode(&part, &risk->parts->column[s], s);
		for (s = 0; s < risk->sensitive.count; s++)
			add_column(&part, s);
	}
	sdcpg_host_end(part.host);
}

/* Counts a sensitive column of the whole relation. */
static void
start_column(RiskReport *risk, int sensitive)
{
	RiskColumn *column = &risk->parts->column[sensitive];
	SdcFrequencyRequest request = {.relation = risk->relation};
	int m;

	sdcpg_frequency_want_one(&request, risk->sensitive.column[sensitive]);
	sdcpg_frequency_load(risk->host, &request, 1, &column->totals);
	column->request =
		make_request(risk, sensitive, column->totals.dictionary[0]);
	column->measuring = sdc_class_measures_start(
		&risk->host->kernel, column->totals.frequency, &column->request);
	column->background = NAN;
	memset(&column->report, 0, sizeof(column->report));
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		column->report.worst[m].number = -1;
}

static void
start_parts(RiskReport *risk)
{
	RiskParts *parts = risk->parts = palloc0(sizeof(RiskParts));
	int s;
	int j;

	parts->column = palloc0(sizeof(RiskColumn) * (risk->sensitive.count + 1));
	parts->collation = palloc0(sizeof(Oid) * (risk->sensitive.count + 1));
	parts->type = palloc0(sizeof(SdcColumnType) * risk->keys.count);
	parts->order = palloc0(sizeof(SortSupportData) * risk->keys.count);
	for (j = 0; j < risk->keys.count; j++)
	{
		SortSupport order = &parts->order[j];

		parts->type[j] = sdcpg_column_type(
			risk->keys.column[j].type,
			collation_of(risk->relation, &risk->keys.column[j]));
		order->ssup_cxt = CurrentMemoryContext;
		order->ssup_collation = parts->type[j].collation;
		if (parts->type[j].ordered)
			PrepareSortSupportFromOrderingOp(
				lookup_type_cache(parts->type[j].base, TYPECACHE_LT_OPR)
					->lt_opr,
				order);
	}
	for (s = 0; s < risk->sensitive.count; s++)
	{
		parts->collation[s] =
			collation_of(risk->relation, &risk->sensitive.column[s]);
		start_column(risk, s);
	}
}

/* In how many parts is the relation counted? */
static int
count_parts(const RiskReport *risk, SdcFrequencyRequest *request)
{
	const SdcMeasure *row = NULL;

	if (risk->weight != NULL || risk->population != NULL ||
		risk->nulls == SDC_NULLS_WILDCARD || !isnan(risk->sampling_fraction))
		return 1;
	/* what asks for the cells themselves */
	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
		if ((row->risk == sdcpg_risk_special ||
			 row->risk == sdcpg_risk_subsets) &&
			sdcpg_report_wants(risk->report, row->name))
			return 1;
	request->relation = risk->relation;
	sdcpg_frequency_want(request, &risk->keys);
	sdcpg_frequency_want(request, &risk->sensitive);
	return sdcpg_frequency_parts(request, risk->keys.count);
}

/* Counts by parts, if there are several; else returns false. */
static bool
count_by_parts(RiskReport *risk)
{
	SdcFrequencyRequest request = {0};
	int parts = count_parts(risk, &request);
	int s;
	int i;

	if (parts == 1)
		return false;
	start_parts(risk);
	for (i = 0; i < parts; i++)
		add_part(risk,
				 sdcpg_frequency_part(&request, risk->keys.count, parts, i));
	for (s = 0; s < risk->sensitive.count; s++)
		if (risk->parts->column[s].totals.frequency->records !=
			risk->parts->sum.records)
			rows_have_changed();
	return true;
}

/* Without records there is nothing to say but that. */
static void
put_nothing(RiskReport *risk)
{
	const SdcMeasure *row = NULL;

	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
		if (row->always)
			sdcpg_report_put(risk->report, row->name, risk->subject,
							 strcmp(row->name, "records") == 0 ? 0 : NAN,
							 "There are no records.");
	sdcpg_risk_special(risk);
	sdcpg_risk_subsets(risk);
}

/* Puts all lines; those of one function stand side by side. */
static void
put_lines(RiskReport *risk)
{
	void (*last)(RiskReport * report) = NULL;
	const SdcMeasure *row = NULL;

	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
	{
		if (row->risk != last)
			row->risk(risk);
		last = row->risk;
	}
}

SdcClassSizes *sdcpg_risk_wants_sizes = NULL;

/* How many classes there are of each size, NULL as a value like others. */
static void
tell_sizes(const RiskReport *risk, SdcClassSizes *sizes)
{
	SdcHost *host = &risk->host->kernel;
	const SdcClasses *classes = risk->classes;
	uint64_t *size;
	int32 *unused;
	int32 c;

	sizes->count = -1;
	if (risk->parts != NULL)
		return;
	size = sdc_new(host, uint64_t, classes->classes + 1);
	unused = sdc_new(host, int32, classes->classes + 1);
	for (c = 0; c < classes->classes; c++)
		size[c] = (uint64_t) classes->size[c];
	memset(unused, 0, sizeof(int32) * classes->classes);
	sdc_sort_keys(host, size, unused, classes->classes);
	sizes->count = 0;
	for (c = 0; c < classes->classes; c++)
		sizes->count += c == 0 || size[c] != size[c - 1];
	sizes->size =
		MemoryContextAlloc(sizes->memory, sizeof(int64) * (sizes->count + 1));
	sizes->classes = MemoryContextAllocZero(
		sizes->memory, sizeof(int64) * (sizes->count + 1));
	sizes->count = 0;
	for (c = 0; c < classes->classes; c++)
	{
		if (c == 0 || size[c] != size[c - 1])
			sizes->size[sizes->count++] = (int64) size[c];
		sizes->classes[sizes->count - 1]++;
	}
	host->release(host, unused);
	host->release(host, size);
}

/*
 * risk_report(relation regclass, keys columns, sensitive columns, weight name,
 *             measures text[], params jsonb)
 */
Datum
sdcf_risk_report(PG_FUNCTION_ARGS)
{
	SdcClassSizes *sizes = sdcpg_risk_wants_sizes;
	RiskReport *risk;

	sdcpg_risk_wants_sizes = NULL;
	risk = read_arguments(fcinfo);
	risk->host = sdcpg_host_begin("risk_report", CurrentMemoryContext);
	if (!count_by_parts(risk))
		sdcpg_risk_count(risk, NULL, NULL);
	if (sizes != NULL)
		tell_sizes(risk, sizes);
	if (risk->parts == NULL && risk->classes->records == 0)
		put_nothing(risk);
	else
		put_lines(risk);
	sdcpg_host_end(risk->host);
	return (Datum) 0;
}
