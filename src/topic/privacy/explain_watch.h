/*
 * explain_watch.h
 *		Is somebody measuring what the present query does?
 */
#ifndef SDC_PG_EXPLAIN_WATCH_H
#define SDC_PG_EXPLAIN_WATCH_H

#include "postgres.h"

/* Starts to watch; called once, when the library is loaded. */
extern void sdcpg_explain_watch(void);

/*
 * Is the call within EXPLAIN ANALYZE, at whatever depth: of functions, cursors
 * and loops, prepared statements, statements that a function makes up?
 */
extern bool sdcpg_explain_is_running(void);

#endif
