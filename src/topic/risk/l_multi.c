/*
 * l_multi.c
 *		sdc.l_multi: l-diversity of several sensitive columns together.
 *
 * Who learns one sensitive value of a person may use it to look for the next.
 * So each sensitive column in turn is measured in the classes of the keys and
 * all other sensitive columns (Machanavajjhala et al. 2007, section 5), and,
 * to compare, in the classes of the keys alone.  One frequency table of all
 * columns is counted; each of these is a projection of it.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "host/call/args.h"
#include "host/call/relation.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_l_multi);

/* Words for the argument method, in the order of SdcClassMeasure. */
static const char *const methods[] = {"distinct", "entropy", "frequency",
									  "recursive", NULL};
static const char *const measures[] = {"l_distinct", "l_entropy",
									   "l_frequency", "l_recursive"};

typedef struct Multi
{
	SdcPgHost *host;
	ReturnSetInfo *result;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcFrequency *frequency; /* keys, then sensitive */
	SdcClassMeasure measure;
	SdcClassRequest request;
	double l; /* NAN: no bound */
	double worst;
} Multi;

/* What the classes of some columns say of a sensitive one. */
typedef struct Found
{
	double l; /* of the worst class, NAN without records */
	int32 classes;
	int32 failing_classes;
	int64 failing_records;
} Found;

/* What c and l mean to the method, or that they mean nothing. */
static void
read_bounds(FunctionCallInfo fcinfo, Multi *multi)
{
	if (multi->measure == SDC_CLASS_RECURSIVE && PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("variant \"recursive\" needs argument \"c\""),
				 errhint("The largest count of a class must be below c times "
						 "the sum of the counts from the l-th on.")));
	if (multi->measure != SDC_CLASS_RECURSIVE && !PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"c\" is only for variant \"recursive\"")));
	if (!PG_ARGISNULL(3))
	{
		multi->request.c = PG_GETARG_FLOAT8(3);
		sdcpg_args_range("c", multi->request.c, 1e-9, 1e9);
	}
	multi->l = NAN;
	if (!PG_ARGISNULL(4))
	{
		multi->l = PG_GETARG_FLOAT8(4);
		sdcpg_args_range("l", multi->l, 1, 1e9);
	}
	multi->request.bound[multi->measure] = multi->l;
}

/* Reads (rel, keys, sensitive, c, l, method). */
static Multi *
read_arguments(FunctionCallInfo fcinfo, const SdcRelation **relation)
{
	Multi *multi = palloc0(sizeof(Multi));
	ArrayType *names[2];
	int i;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 5);
	for (i = 0; i < 2; i++)
		names[i] = PG_ARGISNULL(1 + i) ? NULL : PG_GETARG_ARRAYTYPE_P(1 + i);
	multi->measure =
		sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(5), methods);
	multi->request = sdc_class_measures_request();
	multi->request.wanted = SDC_CLASS_WANT(multi->measure);
	read_bounds(fcinfo, multi);
	*relation = sdcpg_relation_find(PG_GETARG_OID(0));
	multi->keys =
		sdcpg_roles_need_columns(*relation, "keys", names[0], SDC_ROLE_KEY);
	multi->sensitive = sdcpg_roles_need_columns(*relation, "sensitive",
												names[1], SDC_ROLE_SENSITIVE);
	sdcpg_attributes_disjoint(&multi->keys, &multi->sensitive);
	return multi;
}

static void
count(Multi *multi, const SdcRelation *relation)
{
	SdcFrequencyRequest request;
	SdcFrequencyTable table;

	memset(&request, 0, sizeof(request));
	request.relation = relation;
	sdcpg_frequency_want(&request, &multi->keys);
	sdcpg_frequency_want(&request, &multi->sensitive);
	sdcpg_frequency_load(multi->host, &request, 1, &table);
	multi->frequency = table.frequency;
}

/*
 * Measures sensitive column s in the classes of the keys and, if together,
 * the other sensitive columns.
 */
static Found
measure(Multi *multi, int s, bool together)
{
	SdcHost *host = &multi->host->kernel;
	int column[SDC_FREQUENCY_MAX_COLUMNS];
	int columns = 0;
	SdcClassMeasuring *measuring;
	SdcClassReport report;
	SdcFrequency *frequency;
	SdcClasses *classes;
	Found found;
	int j;

	for (j = 0; j < multi->keys.count; j++)
		column[columns++] = j;
	for (j = 0; j < multi->sensitive.count && together; j++)
		if (j != s)
			column[columns++] = multi->keys.count + j;
	column[columns] = multi->keys.count + s;
	frequency = sdc_frequency_project(host, multi->frequency, column,
									  columns + 1, NULL);
	classes = sdc_frequency_classes(host, frequency, columns);
	measuring = sdc_class_measures_start(host, frequency, &multi->request);
	sdc_class_measures_walk(host, measuring, frequency, classes, &report);
	found.l = report.worst[multi->measure].value;
	found.classes = classes->classes;
	found.failing_classes = report.worst[multi->measure].classes;
	found.failing_records = report.worst[multi->measure].records;
	sdc_class_measures_release(host, measuring);
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, frequency);
	return found;
}

/* The names of the columns, without one of them, as a reader writes them. */
static void
append_columns(StringInfo text, const SdcRelationColumns *columns, int except)
{
	int i;

	for (i = 0; i < columns->count; i++)
		if (i != except)
			appendStringInfo(text, "%s%s", text->len > 0 ? ", " : "",
							 columns->column[i].sql);
}

static void
put(const Multi *multi, const char *measure, const char *subject, double value,
	const char *detail)
{
	bool nothing = multi->frequency->records == 0;

	sdcpg_result_measure(multi->result, measure, subject, value,
						 nothing || isnan(value),
						 nothing ? "There are no records." : detail);
}

/* "The worst of 3 classes of equal a, b has l = 2." */
static char *
describe(const char *known, const Found *found)
{
	return psprintf("The worst of %d %s of equal %s has l = %.6g.",
					found->classes, found->classes == 1 ? "class" : "classes",
					known, found->l);
}

/* The rows about one sensitive column. */
static void
put_column(Multi *multi, int s)
{
	const char *subject = multi->sensitive.column[s].sql;
	Found together = measure(multi, s, true);
	Found alone = measure(multi, s, false);
	StringInfoData known;

	if (!(multi->worst <= together.l))
		multi->worst = together.l;
	initStringInfo(&known);
	append_columns(&known, &multi->keys, -1);
	put(multi, psprintf("%s_alone", measures[multi->measure]), subject,
		alone.l, describe(known.data, &alone));
	append_columns(&known, &multi->sensitive, s);
	put(multi, measures[multi->measure], subject, together.l,
		describe(known.data, &together));
	if (!isnan(multi->l))
		put(multi, "failing_records", subject, together.failing_records,
			psprintf(
				INT64_FORMAT " of " INT64_FORMAT " %s in %d %s below l = %g.",
				together.failing_records, multi->frequency->records,
				multi->frequency->records == 1 ? "record is" : "records are",
				together.failing_classes,
				together.failing_classes == 1 ? "class" : "classes",
				multi->l));
}

/* The last row: l of the relation. */
static void
put_relation(const Multi *multi)
{
	StringInfoData subject;
	const char *detail = "The smallest l of the sensitive columns.";

	initStringInfo(&subject);
	append_columns(&subject, &multi->sensitive, -1);
	if (!isnan(multi->l))
		detail =
			sdc_class_measures_fails(&multi->request, multi->measure,
									 multi->worst)
				? psprintf("The relation is not diverse for l = %g.", multi->l)
				: psprintf("The relation is diverse for l = %g.", multi->l);
	put(multi, measures[multi->measure], subject.data, multi->worst, detail);
}

/*
 * l_multi(relation regclass, keys columns, sensitive columns, c float8,
 *         l float8, variant text)
 */
Datum
sdcf_l_multi(PG_FUNCTION_ARGS)
{
	const SdcRelation *relation;
	Multi *multi = read_arguments(fcinfo, &relation);
	int s;

	multi->result = sdcpg_result_begin(fcinfo);
	multi->host = sdcpg_host_begin("l_multi", CurrentMemoryContext);
	multi->worst = NAN;
	count(multi, relation);
	for (s = 0; s < multi->sensitive.count; s++)
		put_column(multi, s);
	put_relation(multi);
	sdcpg_host_end(multi->host);
	return (Datum) 0;
}
