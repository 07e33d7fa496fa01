/*
 * settings.c
 *		The settings (GUCs) of sdc.
 */
#include "postgres.h"

#include "pg/compat.h"
#include "pg/settings.h"

int sdcpg_memory_limit = 1024 * 1024;
double sdcpg_progress_interval = 2;

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
	MarkGUCPrefixReserved("sdc");
}
