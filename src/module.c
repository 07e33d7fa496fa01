/*
 * module.c
 *		What PostgreSQL sees when it loads the library.
 *
 * Nothing is preloaded, and settings have defaults that need no attention.
 * One hook is set: it only counts EXPLAIN ANALYZE, for
 * pg/privacy/explain_watch.h.
 */
#include "postgres.h"

#include "fmgr.h"

#include "pg/privacy/explain_watch.h"
#include "pg/server/settings.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	sdcpg_settings_define();
	sdcpg_explain_watch();
}
