/*
 * module.c
 *		What PostgreSQL sees when it loads the library.
 *
 * Nothing is preloaded, and settings have defaults that need no attention.
 * One hook is set: it only counts EXPLAIN ANALYZE, for
 * topic/privacy/oblivious_scan.h.
 */
#include "postgres.h"

#include "fmgr.h"

#include "host/server/host.h"
#include "topic/privacy/dp_aggregates.h"
#include "topic/privacy/tabulate.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	sdcpg_privacy_settings();
	sdcpg_settings_define();
	sdcpg_explain_watch();
}
