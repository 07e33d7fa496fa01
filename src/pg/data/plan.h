/*
 * plan.h
 *		Who would do the work of a query.
 */
#ifndef SDC_PG_PLAN_H
#define SDC_PG_PLAN_H

#include "postgres.h"

/* Parallel workers from which on PostgreSQL counts faster than one reader. */
#define SDC_PLAN_MANY_WORKERS 4

/*
 * Would PostgreSQL hand much of the query to others: to a foreign server, to
 * the custom scan of an extension (a distributed table), or to at least
 * SDC_PLAN_MANY_WORKERS parallel workers?  Plans the query, with the caller's
 * settings, and looks at the plan; runs nothing.
 */
extern bool sdcpg_plan_is_shared(const char *sql);

#endif
