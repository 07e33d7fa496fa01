/*
 * module.c
 *		What PostgreSQL sees when it loads the library.
 *
 * No hook is set and nothing is preloaded: sdc is functions, and its settings
 * have defaults that need no attention.
 */
#include "postgres.h"

#include "fmgr.h"

#include "host/server/host.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	sdcpg_settings_define();
}
