/*
 * fake_functions.c
 *		A mask and a report that exist in this file only, for
 *		t/033_registry.pl.
 *
 * They follow the recipes "a new mask" and "a new report" of
 * doc/architecture.md: a callback and an entry of one line; arguments, rows
 * and lines through the headers that the recipe names.
 */
#include "postgres.h"

#include "host/call/args.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/column.h"
#include "host/data/frequency.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/table/frequency.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_fake_add);
PG_FUNCTION_INFO_V1(sdcf_fake_report);

static void
fake_add(SdcWindow *window)
{
	double by = sdcpg_window_float8(window, 1, "by");
	SdcColumn *column = sdcpg_window_column(window, 0);
	int32 *order = sdcpg_column_order(window->host, column);
	SdcWindowFloats floats = sdcpg_window_sorted_floats(window, column, order);
	int32 i;

	for (i = 0; i < floats.count; i++)
		floats.value[i] += by;
	sdcpg_window_put_floats(window, column, order, &floats, floats.value, 1);
}

/* fake_add(value float8, by float8) OVER w */
Datum
sdcf_fake_add(PG_FUNCTION_ARGS)
{
	return sdcpg_window_call(fcinfo, "fake_add", 1, fake_add);
}

/* fake_report(relation regclass, keys columns, measures columns) */
Datum
sdcf_fake_report(PG_FUNCTION_ARGS)
{
	static const char *const lines[] = {"cells", "records", NULL};
	SdcReport *report = sdcpg_report_begin(
		fcinfo, lines, 1, PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2));
	SdcFrequencyRequest request = {0};
	SdcFrequencyTable table;
	SdcRelationColumns keys;
	SdcPgHost *host;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("relation");
	request.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	keys = sdcpg_roles_need_columns(
		request.relation, "keys",
		PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1), SDC_ROLE_KEY);
	sdcpg_frequency_want(&request, &keys);
	host = sdcpg_host_begin("fake_report", CurrentMemoryContext);
	sdcpg_frequency_load(host, &request, 1, &table);
	sdcpg_report_put(report, "cells", sdcpg_relation_list(&keys),
					 table.frequency->cells, "%d cells.",
					 table.frequency->cells);
	sdcpg_report_put(report, "records", sdcpg_relation_list(&keys),
					 (double) table.frequency->records, "All of them.");
	sdcpg_host_end(host);
	return (Datum) 0;
}
