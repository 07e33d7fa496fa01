/*
 * posterior.c
 *		sdc.posterior: beliefs of an intruder before and after a release.
 *
 * The release and the intruder's knowledge are counted with shared
 * dictionaries, so that equal codes are equal values.  Both have the keys
 * first and the sensitive columns second; what the intruder knows besides
 * comes third.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/risk/posterior.h"
#include "kernel/table/frequency.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_posterior);

#define COLUMNS 7

static const char *const params_keys[] = {
	"known", "map",  "weight", "exclude", "delta",          "epsilon",
	"rho1",  "rho2", "zeros",  "nulls",   "only_disclosed", NULL};

/* The call, and the rows that are being returned. */
typedef struct Report
{
	ReturnSetInfo *result;
	SdcPgHost *host;
	SdcAttributes columns; /* of the release */
	SdcPosteriorOptions options;
	SdcPosteriorThresholds thresholds;
	bool only_disclosed;
	bool informed;
	int known; /* columns of external besides keys and sensitive */
	SdcFrequencyRequest request[2]; /* release, intruder */
	SdcFrequencyTable table[2];
	/* of the columns that name a person: names and dictionaries */
	int named;
	const char **name;
	SdcDictionary **dictionary;
	StringInfoData subject;
} Report;

static void
read_thresholds(Report *report, Jsonb *params)
{
	SdcPosteriorThresholds *thresholds = &report->thresholds;

	thresholds->delta = sdcpg_params_number(params, "delta", NAN, 0, 1);
	thresholds->epsilon = sdcpg_params_number(params, "epsilon", NAN, 0, 1);
	thresholds->rho1 = sdcpg_params_number(params, "rho1", NAN, 0, 1);
	thresholds->rho2 = sdcpg_params_number(params, "rho2", NAN, 0, 1);
	if (isnan(thresholds->rho1) != isnan(thresholds->rho2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"params\" must set both \"rho1\" and "
						"\"rho2\" or neither"),
				 errhint("A breach is a prior below rho1 and a posterior "
						 "above rho2.")));
	if (thresholds->rho1 > thresholds->rho2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"rho1\" in argument \"params\" must not "
							   "be greater than \"rho2\"")));
}

/*
 * Are records left out whose sensitive value is NULL?  The posterior belief is
 * defined for classes, and with wildcards a record belongs to several.
 */
static bool
read_nulls(const SdcRelation *relation, Jsonb *params)
{
	return sdcpg_nulls_read(relation, params,
							SDC_NULLS_AS(SDC_NULLS_CATEGORY) |
								SDC_NULLS_AS(SDC_NULLS_IGNORE),
							SDC_NULLS_CATEGORY) == SDC_NULLS_IGNORE;
}

static void
read_params(Report *report, Jsonb *params)
{
	static const char *const of_external[] = {"known", "map", "weight"};
	int i;

	sdcpg_params_check(params, params_keys);
	read_thresholds(report, params);
	report->only_disclosed =
		sdcpg_params_boolean(params, "only_disclosed", false);
	report->options.exclude =
		sdcpg_params_integer(params, "exclude", 0, 0, PG_INT32_MAX);
	report->options.zeros = sdcpg_params_boolean(
		params, "zeros", !isnan(report->thresholds.epsilon));
	for (i = 0; i < lengthof(of_external) && !report->informed; i++)
		if (sdcpg_params_has(params, of_external[i]))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("key \"%s\" in argument \"params\" needs "
								   "argument \"external\"",
								   of_external[i])));
}

/* Where a request has a column, or -1. */
static int
find_column(const SdcFrequencyRequest *request,
			const SdcRelationColumn *column)
{
	int j;

	for (j = 0; j < request->columns; j++)
		if (request->column[j].number == column->number)
			return j;
	return -1;
}

static void
want_column(SdcFrequencyRequest *request, const SdcRelationColumn *column)
{
	SdcRelationColumns one = {1, (SdcRelationColumn *) column};

	if (find_column(request, column) >= 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
						errmsg("column \"%s\" of relation \"%s\" is used "
							   "twice",
							   column->name, request->relation->name),
						errdetail("Each key, sensitive and known column must "
								  "be a column of its own.")));
	sdcpg_frequency_want(request, &one);
}

/* The columns of external that stand for some of the release. */
static void
want_counterparts(SdcFrequencyRequest *request,
				  const SdcRelationColumns *columns, Jsonb *params,
				  List **names)
{
	int j;

	for (j = 0; j < columns->count; j++)
	{
		const char *name =
			sdcpg_params_renamed(params, "map", columns->column[j].name);
		SdcRelationColumn column =
			sdcpg_relation_column(request->relation, name);

		want_column(request, &column);
		*names = lappend(*names, columns->column[j].name);
	}
}

/* Asks for the columns of external; a key that is known is not known twice. */
static void
want_external(Report *report, Oid external, Jsonb *params)
{
	SdcFrequencyRequest *request = &report->request[1];
	SdcRelation *relation = sdcpg_relation_find(external);
	int keys = report->columns.keys.count;
	List *names = NIL;
	ListCell *cell;

	request->relation = relation;
	request->weight = sdcpg_roles_column(relation, "weight",
										 sdcpg_params_text(params, "weight"),
										 SDC_ROLE_WEIGHT);
	if (request->weight != NULL)
	{
		SdcRelationColumns weight = {1, (SdcRelationColumn *) request->weight};

		sdcpg_relation_need_numbers(relation, &weight);
	}
	want_counterparts(request, &report->columns.keys, params, &names);
	want_counterparts(request, &report->columns.sensitive, params, &names);
	sdcpg_params_check_renaming(params, "map", names);
	foreach (cell, sdcpg_params_names(params, "known"))
	{
		SdcRelationColumn column =
			sdcpg_relation_column(relation, lfirst(cell));
		int found = find_column(request, &column);

		if (found >= 0 && found < keys)
			continue;
		want_column(request, &column);
		report->known++;
	}
}

static void
want_masked(Report *report, const SdcRelation *masked)
{
	report->request[0].relation = masked;
	sdcpg_frequency_want(&report->request[0], &report->columns.keys);
	sdcpg_frequency_want(&report->request[0], &report->columns.sensitive);
}

/* Stops unless the weights have a sum. */
static void
check_weights(const Report *report)
{
	const SdcFrequency *external = report->table[1].frequency;
	double total = 0;
	int32 i;

	if (external->weight == NULL)
		return;
	for (i = 0; i < external->cells; i++)
		total += external->weight[i];
	if (isinf(total) || isnan(total))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("weights of relation \"%s\" are too large to "
							   "be summed",
							   report->request[1].relation->name)));
}

/* A column of the table that names the persons. */
static int
named_column(const Report *report, int j)
{
	int keys = report->columns.keys.count;

	return j < keys ? j : j + report->columns.sensitive.count;
}

static void
name_persons(Report *report)
{
	int side = report->informed ? 1 : 0;
	int j;

	report->named = report->columns.keys.count + report->known;
	report->name = palloc(sizeof(char *) * report->named);
	report->dictionary = palloc(sizeof(SdcDictionary *) * report->named);
	for (j = 0; j < report->named; j++)
	{
		int column = named_column(report, j);

		report->name[j] = report->request[side].column[column].name;
		report->dictionary[j] = report->table[side].dictionary[column];
	}
}

/* The table of the columns that name persons, and one sensitive column. */
static SdcFrequency *
take_columns(Report *report, int side, int named, int sensitive)
{
	SdcHost *host = &report->host->kernel;
	int *column = sdc_new(host, int, named + 1);
	SdcFrequency *taken;
	int j;

	for (j = 0; j < named; j++)
		column[j] = named_column(report, j);
	column[named] = report->columns.keys.count + sensitive;
	taken = sdc_frequency_project(host, report->table[side].frequency, column,
								  named + 1, NULL);
	host->release(host, column);
	return taken;
}

/* "positive, breach", say; NULL when there is none. */
static const char *
disclosure_words(int disclosure)
{
	static const char *const word[] = {"positive", "negative", "breach"};
	StringInfoData words;
	int i;

	if (disclosure == 0)
		return NULL;
	initStringInfo(&words);
	for (i = 0; i < lengthof(word); i++)
		if (disclosure >> i & 1)
			appendStringInfo(&words, "%s%s", words.len > 0 ? ", " : "",
							 word[i]);
	return words.data;
}

static Datum
text_or_null(const char *text, bool *isnull)
{
	*isnull = text == NULL;
	return text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
}

static Datum
number_or_null(double number, bool *isnull)
{
	*isnull = isnan(number);
	return Float8GetDatum(number);
}

static void
put_belief(Report *report, int sensitive, const SdcBelief *belief)
{
	int disclosure = sdc_posterior_disclosure(
		&report->thresholds, belief->prior, belief->posterior);
	int column = report->columns.keys.count + sensitive;
	Datum values[COLUMNS];
	bool isnull[COLUMNS] = {false};

	if (report->only_disclosed && disclosure == 0)
		return;
	values[0] = CStringGetTextDatum(report->subject.data);
	values[1] =
		text_or_null(sdcpg_dictionary_text(report->table[0].dictionary[column],
										   belief->value),
					 &isnull[1]);
	values[2] = number_or_null(belief->prior, &isnull[2]);
	values[3] = number_or_null(belief->posterior, &isnull[3]);
	values[4] =
		CStringGetTextDatum(report->columns.sensitive.column[sensitive].name);
	values[5] = Int64GetDatum(belief->count);
	values[6] = text_or_null(disclosure_words(disclosure), &isnull[6]);
	sdcpg_result_put(report->result, values, isnull);
}

static void
put_beliefs(Report *report, int sensitive, MemoryContext scratch)
{
	SdcHost *host = &report->host->kernel;
	int keys = report->columns.keys.count;
	SdcFrequency *masked = take_columns(report, 0, keys, sensitive);
	SdcFrequency *external =
		report->informed ? take_columns(report, 1, report->named, sensitive)
						 : NULL;
	SdcPosterior *posterior =
		sdc_posterior_start(host, masked, external, keys, &report->options);
	int32 i;

	while (sdc_posterior_next(posterior))
	{
		MemoryContext caller = MemoryContextSwitchTo(scratch);

		sdcpg_subject_write(
			&report->subject, report->named, report->name, report->dictionary,
			report->informed ? external : masked, posterior->cell);
		for (i = 0; i < posterior->beliefs; i++)
			put_belief(report, sensitive, &posterior->belief[i]);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
	}
	sdc_frequency_release(host, masked);
	sdc_frequency_release(host, external);
}

static void
put_all(Report *report)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc belief", ALLOCSET_SMALL_SIZES);
	int j;

	initStringInfo(&report->subject);
	for (j = 0; j < report->columns.sensitive.count; j++)
		put_beliefs(report, j, scratch);
	MemoryContextDelete(scratch);
}

/*
 * posterior(masked regclass, external regclass, keys columns,
 *           sensitive columns, params jsonb)
 */
Datum
sdcf_posterior(PG_FUNCTION_ARGS)
{
	Report report = {sdcpg_result_begin(fcinfo)};
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcRelation *masked;

	sdcpg_args_need(fcinfo, 0);
	report.informed = !PG_ARGISNULL(1);
	read_params(&report, params);
	masked = sdcpg_relation_find(PG_GETARG_OID(0));
	report.options.ignore_null = read_nulls(masked, params);
	report.columns = sdcpg_attributes_find(
		masked, PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2),
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3));
	want_masked(&report, masked);
	if (report.informed)
		want_external(&report, PG_GETARG_OID(1), params);
	report.host = sdcpg_host_begin("posterior", CurrentMemoryContext);
	sdcpg_frequency_load(report.host, report.request, report.informed ? 2 : 1,
						 report.table);
	if (report.informed)
		check_weights(&report);
	name_persons(&report);
	put_all(&report);
	sdcpg_host_end(report.host);
	return (Datum) 0;
}
