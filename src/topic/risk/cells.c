/*
 * cells.c
 *		sdc.risk_cells: attacks on the cells of equal keys; sdc.l_multi:
 *		diversity of several sensitive columns at once.
 *
 * The relation is counted once; each sensitive column is measured on the
 * table of the keys and itself, and the cells of all columns are sorted
 * together.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
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
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_risk_cells);

#define COLUMNS 10

static const char *const params_keys[] = {"only_disclosed", "limit", "nulls",
										  NULL};

/* The call, and the rows that are being returned. */
typedef struct Report
{
	ReturnSetInfo *result;
	SdcPgHost *host;
	SdcAttributes columns;
	SdcFrequencyTable table;
	SdcClasses *classes; /* of the keys */
	SdcNulls nulls;
	bool only_disclosed;
	int64 limit;
	int64 coalition;
	const char **key; /* names */
	StringInfoData subject;
} Report;

/*
 * The cells of a sensitive column.  With wildcards a cell is the records that
 * are compatible with a class, and the first column is the class's number.
 */
static void
measure_column(Report *report, const SdcFrequency *frequency, int keys,
			   int32 sensitive, SdcCell *cell)
{
	SdcHost *host = &report->host->kernel;
	int *column = sdc_new(host, int, keys + 1);
	SdcFrequency *part;
	SdcClasses *classes;
	int j;

	for (j = 0; j < keys; j++)
		column[j] = j;
	column[keys] = keys + sensitive;
	part = sdc_frequency_project(host, frequency, column, keys + 1, NULL);
	classes = sdc_frequency_classes(host, part, keys);
	sdc_cells_measure(host, part, classes, report->nulls == SDC_NULLS_IGNORE,
					  sensitive, cell);
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, part);
	host->release(host, column);
}

/* The cells of all sensitive columns, the worst first. */
static SdcCell *
measure_cells(Report *report, int32 *count)
{
	SdcHost *host = &report->host->kernel;
	SdcFrequency *frequency = report->table.frequency;
	int64 cells =
		(int64) report->classes->classes * report->columns.sensitive.count;
	int keys = report->columns.keys.count;
	SdcCell *cell;
	int32 j;

	if (cells > SDC_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d cells", SDC_MAX_ROWS)));
	cell = sdc_new(host, SdcCell, cells);
	if (report->nulls == SDC_NULLS_WILDCARD)
	{
		frequency =
			sdc_wildcard_expand(host, frequency, report->classes, keys);
		keys = 1;
	}
	for (j = 0; j < report->columns.sensitive.count; j++)
		measure_column(report, frequency, keys, j,
					   cell + (int64) j * report->classes->classes);
	*count = sdc_cells_sort(host, cell, cells);
	return cell;
}

static Datum
cell_datum(Report *report, const SdcCell *cell)
{
	sdcpg_subject_write(&report->subject, report->columns.keys.count,
						report->key, report->table.dictionary,
						report->table.frequency,
						report->classes->first[cell->number]);
	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(report->subject.data));
}

static void
put_cell(Report *report, const SdcCell *cell)
{
	int64 coalition = sdc_cells_coalition(cell);
	char *value = sdcpg_dictionary_text(
		report->table.dictionary[report->columns.keys.count + cell->column],
		cell->value);
	Datum values[COLUMNS];
	bool isnull[COLUMNS] = {false};

	values[0] = cell_datum(report, cell);
	values[1] = CStringGetTextDatum(
		report->columns.sensitive.column[cell->column].name);
	values[2] = Int64GetDatum(cell->records);
	values[3] = Int64GetDatum(cell->values);
	isnull[4] = value == NULL;
	values[4] = isnull[4] ? (Datum) 0 : CStringGetTextDatum(value);
	values[5] = Int64GetDatum(cell->largest);
	values[6] = Float8GetDatum((double) cell->largest / cell->records);
	values[7] = Int64GetDatum(coalition);
	values[8] = BoolGetDatum(coalition == 0);
	values[9] = BoolGetDatum(coalition <= report->coalition);
	sdcpg_result_put(report->result, values, isnull);
}

static void
put_cells(Report *report, const SdcCell *cell, int32 count)
{
	SdcHost *host = &report->host->kernel;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc cell", ALLOCSET_SMALL_SIZES);
	int32 i;

	initStringInfo(&report->subject);
	for (i = 0; i < count && i < report->limit; i++)
	{
		MemoryContext caller;

		/* sorted: no cell after this one is disclosed */
		if (report->only_disclosed &&
			sdc_cells_coalition(&cell[i]) > report->coalition)
			break;
		if (i % 1024 == 0)
			host->poll(host, i, count);
		caller = MemoryContextSwitchTo(scratch);
		put_cell(report, &cell[i]);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

static void
read_params(Report *report, Jsonb *params)
{
	sdcpg_params_check(params, params_keys);
	report->only_disclosed =
		sdcpg_params_boolean(params, "only_disclosed", false);
	report->limit =
		sdcpg_params_integer(params, "limit", SDC_MAX_ROWS, 1, SDC_MAX_ROWS);
}

/*
 * risk_cells(relation regclass, keys columns, sensitive columns,
 *            coalition integer, params jsonb)
 */
Datum
sdcf_risk_cells(PG_FUNCTION_ARGS)
{
	Report report = {sdcpg_result_begin(fcinfo)};
	SdcFrequencyRequest request = {0};
	SdcRelation *relation;
	SdcCell *cell;
	int32 count;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 3);
	report.coalition = PG_GETARG_INT32(3);
	sdcpg_args_range("coalition", report.coalition, 0, INFINITY);
	read_params(&report, PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4));
	relation = sdcpg_relation_find(PG_GETARG_OID(0));
	report.nulls = sdcpg_nulls_read(
		relation, PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4), SDC_NULLS_ANY,
		SDC_NULLS_CATEGORY);
	report.columns = sdcpg_attributes_find(
		relation, PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1),
		PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2));
	report.key = sdcpg_attributes_names(&report.columns.keys);
	request.relation = relation;
	sdcpg_frequency_want(&request, &report.columns.keys);
	sdcpg_frequency_want(&request, &report.columns.sensitive);
	report.host = sdcpg_host_begin("risk_cells", CurrentMemoryContext);
	sdcpg_frequency_load(report.host, &request, 1, &report.table);
	report.classes =
		sdc_frequency_classes(&report.host->kernel, report.table.frequency,
							  report.columns.keys.count);
	cell = measure_cells(&report, &count);
	put_cells(&report, cell, count);
	sdcpg_host_end(report.host);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.l_multi: l-diversity of several sensitive columns together.
 *
 * Who learns one sensitive value of a person may use it to look for the next.
 * So each sensitive column in turn is measured in the classes of the keys and
 * all other sensitive columns (Machanavajjhala et al. 2007, section 5), and,
 * to compare, in the classes of the keys alone.  One frequency table of all
 * columns is counted; each of these is a projection of it.
 * ----------------------------------------------------------------------
 */

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
