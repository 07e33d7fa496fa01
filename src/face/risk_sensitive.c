/*
 * risk_sensitive.c
 *		Lines of sdc.risk_report about what classes give away.
 *
 * For each sensitive column the frequency table is reduced to the keys and
 * this column, and all measures are taken in one pass over its classes.  A
 * line tells the figure of the worst class and which one it is.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "face/risk.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/posterior.h"
#include "pg/generalization/hierarchy.h"
#include "pg/call/params.h"

/* Bytes of a value that a sentence shows. */
#define SHOWN_BYTES 40

/* A line about the worst class of a sensitive column. */
typedef struct Line
{
	const char *measure;
	SdcClassMeasure kernel;
	const char *sentence; /* ends with the figure; %g is c */
} Line;

static const Line lines[] = {
	{"l_distinct", SDC_CLASS_DISTINCT,
	 "The smallest number of different values is"},
	{"l_entropy", SDC_CLASS_ENTROPY,
	 "The least diverse class is worth as many equally frequent values as"},
	{"l_frequency", SDC_CLASS_FREQUENCY,
	 "The most frequent value has a share of at most 1 /"},
	{"l_recursive", SDC_CLASS_RECURSIVE,
	 "All classes are recursive (%g, l)-diverse for l up to"},
	{"t_equal", SDC_CLASS_T_EQUAL,
	 "The largest distance to the whole table, any two values being 1 apart, "
	 "is"},
	{"t_ordered", SDC_CLASS_T_ORDERED,
	 "The largest distance to the whole table, values being apart by rank, "
	 "is"},
	{"t_hierarchical", SDC_CLASS_T_HIERARCHICAL,
	 "The largest distance to the whole table, values being apart by the "
	 "hierarchy, is"},
	{"beta_likeness", SDC_CLASS_BETA,
	 "The largest gain of a share, relative to that in the whole table, is"},
	{"enhanced_beta", SDC_CLASS_BETA_ENHANCED,
	 "The smallest beta that satisfies enhanced beta-likeness is"},
	{"delta_disclosure", SDC_CLASS_DELTA,
	 "The largest change of a share against the whole table is a factor of 2 "
	 "to the power of"}};

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
sdcf_risk_reduce(const RiskReport *risk, int sensitive)
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

static SdcClassRequest
make_request(const RiskReport *risk, const SdcHierarchy *hierarchy)
{
	SdcClassRequest request = sdc_class_measures_request();
	int i;

	for (i = 0; i < (int) lengthof(lines); i++)
		if (sdcpg_report_wants(risk->report, lines[i].measure) &&
			(lines[i].kernel != SDC_CLASS_T_HIERARCHICAL || hierarchy != NULL))
			request.wanted |= SDC_CLASS_WANT(lines[i].kernel);
	request.ignore_nulls = risk->nulls == NULLS_IGNORE;
	request.c = sdcpg_params_number(risk->params, "c", 2, 1e-9, 1e9);
	request.hierarchy = hierarchy;
	return request;
}

SdcClasses *
sdcf_risk_look_alike(const RiskReport *risk, SdcFrequency **frequency)
{
	SdcHost *host = &risk->host->kernel;
	SdcClasses *classes =
		sdc_frequency_classes(host, *frequency, risk->keys.count);
	SdcFrequency *expanded;
	SdcClasses *sets;

	if (risk->nulls != NULLS_WILDCARD)
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
		records, sdcf_risk_plural(records, "record is", "records are"),
		report->homogeneous_classes,
		sdcf_risk_plural(report->homogeneous_classes, "class", "classes"));
}

static void
put_column(const RiskReport *risk, const char *subject,
		   const SdcClassRequest *request, const SdcClassReport *report)
{
	int i;

	for (i = 0; i < (int) lengthof(lines); i++)
	{
		const SdcClassWorst *worst = &report->worst[lines[i].kernel];

		if ((request->wanted & SDC_CLASS_WANT(lines[i].kernel)) == 0)
			continue;
		if (worst->number < 0)
			sdcpg_report_put(risk->report, lines[i].measure, subject, NAN,
							 "No class has a value.");
		else
			sdcpg_report_put(
				risk->report, lines[i].measure, subject, worst->value,
				"%s %.4g; worst: %s.", psprintf(lines[i].sentence, request->c),
				worst->value, describe_class(risk, worst->number));
	}
	put_homogeneous(risk, subject, report);
}

/* The intruder who can rule out some values, say from knowing the person. */
static void
put_background(const RiskReport *risk, const char *subject,
			   const SdcFrequency *frequency, const SdcClasses *classes)
{
	SdcPosteriorOptions options = {risk->nulls == NULLS_IGNORE, false, 0};
	SdcPosteriorSummary sum;

	if (!sdcpg_report_wants(risk->report, "background_knowledge"))
		return;
	options.exclude =
		sdcpg_params_integer(risk->params, "exclude", 1, 0, PG_INT32_MAX);
	sum = sdc_posterior_summarize(&risk->host->kernel, frequency, classes,
								  &options, NAN, NULL);
	sdcpg_report_put(
		risk->report, "background_knowledge", subject, sum.highest,
		"Who can rule out %d %s is sure of another one up to "
		"%.2f %%.",
		options.exclude, sdcf_risk_plural(options.exclude, "value", "values"),
		100 * sum.highest);
}

/* The hierarchy that params names for a sensitive column, or NULL. */
static SdcHierarchy *
find_hierarchy(const RiskReport *risk, int sensitive)
{
	char *name = sdcpg_params_member(risk->params, "hierarchy",
									 risk->sensitive.column[sensitive].name);

	if (name == NULL)
		return NULL;
	return sdcpg_hierarchy_map(
		risk->host, name,
		risk->table[0].dictionary[risk->keys.count + sensitive]);
}

static void
measure_column(const RiskReport *risk, int sensitive)
{
	SdcHost *host = &risk->host->kernel;
	SdcFrequency *frequency = sdcf_risk_reduce(risk, sensitive);
	SdcClassRequest request =
		make_request(risk, find_hierarchy(risk, sensitive));
	SdcClassMeasuring *measuring =
		sdc_class_measures_start(host, frequency, &request);
	SdcClasses *classes = sdcf_risk_look_alike(risk, &frequency);
	const char *subject = risk->sensitive.column[sensitive].sql;
	SdcClassReport report;

	sdc_class_measures_walk(host, measuring, frequency, classes, &report);
	put_column(risk, subject, &request, &report);
	put_background(risk, subject, frequency, classes);
	sdc_class_measures_release(host, measuring);
	sdc_classes_release(host, classes);
	if (frequency != risk->table[0].frequency)
		sdc_frequency_release(host, frequency);
}

void
sdcf_risk_sensitive(RiskReport *risk)
{
	int s;

	for (s = 0; s < risk->sensitive.count; s++)
		measure_column(risk, s);
}
