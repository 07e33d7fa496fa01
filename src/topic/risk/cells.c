/*
 * cells.c
 *		sdc.risk_cells: attacks on the cells of equal keys.
 *
 * The relation is counted once; each sensitive column is measured on the
 * table of the keys and itself, and the cells of all columns are sorted
 * together.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/risk/cells.h"
#include "kernel/table/frequency.h"
#include "kernel/table/wildcard.h"
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
		MemoryContext caller = MemoryContextSwitchTo(scratch);

		/* sorted: no cell after this one is disclosed */
		if (report->only_disclosed &&
			sdc_cells_coalition(&cell[i]) > report->coalition)
			break;
		if (i % 1024 == 0)
			host->poll(host, i, count);
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
