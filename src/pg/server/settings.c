/*
 * settings.c
 *		The settings (GUCs) of sdc.
 */
#include "postgres.h"

#include "pg/server/compat.h"
#include "pg/server/settings.h"

int sdcpg_memory_limit = 1024 * 1024;
double sdcpg_progress_interval = 2;
int sdcpg_count_with = SDC_COUNT_AUTO;

static const struct config_enum_entry count_with[] = {
	{"auto", SDC_COUNT_AUTO, false},
	{"rows", SDC_COUNT_ROWS, false},
	{"groups", SDC_COUNT_GROUPS, false},
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
	MarkGUCPrefixReserved("sdc");
}
