/*
 * settings.c
 *		The settings (GUCs) of differential privacy.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "kernel/privacy/dp_noise.h"
#include "topic/privacy/settings.h"

int sdcpg_dp_memory_limit = 1024 * 1024;
int sdcpg_dp_neighbours = SDC_NEIGHBOURS_ADD_REMOVE;
int sdcpg_dp_cells = 65536;

static const struct config_enum_entry neighbours[] = {
	{"add_remove", SDC_NEIGHBOURS_ADD_REMOVE, false},
	{"replace", SDC_NEIGHBOURS_REPLACE, false},
	{NULL, 0, false}};

void
sdcpg_privacy_settings(void)
{
	DefineCustomIntVariable(
		"sdc.dp_memory_limit",
		"Sets the memory a request to a data set may hold.",
		"It takes the place of sdc.memory_limit, which the role that asks "
		"could set.",
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
}
