/*
 * settings.c
 *		The settings (GUCs) of sdc.
 */
#include "postgres.h"

#include "kernel/privacy/neighbours.h"
#include "pg/server/compat.h"
#include "pg/server/settings.h"

int sdcpg_memory_limit = 1024 * 1024;
double sdcpg_progress_interval = 2;
int sdcpg_dp_memory_limit = 1024 * 1024;
int sdcpg_dp_neighbours = SDC_NEIGHBOURS_ADD_REMOVE;
int sdcpg_dp_cells = 65536;
int sdcpg_count_with = SDC_COUNT_AUTO;

static const struct config_enum_entry count_with[] = {
	{"auto", SDC_COUNT_AUTO, false},
	{"rows", SDC_COUNT_ROWS, false},
	{"groups", SDC_COUNT_GROUPS, false},
	{NULL, 0, false}};

static const struct config_enum_entry neighbours[] = {
	{"add_remove", SDC_NEIGHBOURS_ADD_REMOVE, false},
	{"replace", SDC_NEIGHBOURS_REPLACE, false},
	{NULL, 0, false}};

void
sdcpg_settings_define(void)
{
	DefineCustomIntVariable(
		"sdc.memory_limit", "Sets the memory one call of sdc may hold.",
		"A call that needs more fails before it takes it. "
		"The memory is given back when the call ends.",
		&sdcpg_memory_limit, 1024 * 1024, 1024, MAX_KILOBYTES, PGC_USERSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomRealVariable(
		"sdc.progress_interval",
		"Sets the time between two progress lines of a long call.",
		"Zero turns the lines off; the view sdc.progress goes on.",
		&sdcpg_progress_interval, 2, 0, 86400, PGC_USERSET, GUC_UNIT_S, NULL,
		NULL, NULL);
	DefineCustomEnumVariable(
		"sdc.count_with", "Sets who counts the records of a relation.",
		"rows: sdc reads all rows and counts. groups: PostgreSQL counts with "
		"GROUP BY. The result is the same; auto takes the faster way.",
		&sdcpg_count_with, SDC_COUNT_AUTO, count_with, PGC_USERSET, 0, NULL,
		NULL, NULL);
	DefineCustomIntVariable(
		"sdc.dp_memory_limit",
		"Sets the memory a request to a data set may hold.",
		"It takes the place of sdc.memory_limit, which who asks could set.",
		&sdcpg_dp_memory_limit, 1024 * 1024, 1024, MAX_KILOBYTES, PGC_SUSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"sdc.dp_neighbours",
		"Sets the tables that aggregates with noise make hard to tell apart.",
		"add_remove: one record more or less. replace: other values of one "
		"record. Data sets have neighbours of their own.",
		&sdcpg_dp_neighbours, SDC_NEIGHBOURS_ADD_REMOVE, neighbours,
		PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"sdc.dp_cells",
		"Sets how many cells dp_median and dp_quantile cut their bounds into.",
		NULL, &sdcpg_dp_cells, 65536, 2, 1 << 20, PGC_USERSET, 0, NULL, NULL,
		NULL);
	MarkGUCPrefixReserved("sdc");
}
