/*
 * owner.h
 *		Work done as the owner of a table.
 */
#ifndef SDC_PG_OWNER_H
#define SDC_PG_OWNER_H

#include "postgres.h"

/*
 * Calls work(arg) as the owner of a table in a security-restricted operation,
 * as CLUSTER and ANALYZE do: code of the user that runs in there has no more
 * rights than the owner, whoever calls.  Settings that it changes are put
 * back.
 */
extern void sdcpg_owner_run(Oid table, void (*work)(void *arg), void *arg);

#endif
