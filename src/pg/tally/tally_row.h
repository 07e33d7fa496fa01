/*
 * tally_row.h
 *		Rows that an aggregate is given, counted in its state.
 */
#ifndef SDC_PG_TALLY_ROW_H
#define SDC_PG_TALLY_ROW_H

#include "postgres.h"

#include "fmgr.h"

/*
 * The whole of a transition function: argument 0 is the state, then come keys
 * arguments that make the classes, then others that are counted, both of any
 * type, and then the constant arguments (float8, integer, text or text[]).
 * Row values are taken apart into their fields, at any depth.  Stops when a
 * constant argument is NULL, not finite, or varies, and when it is not called
 * by an aggregate.
 */
extern Datum sdcpg_tally_row(FunctionCallInfo fcinfo, int keys, int others);

/*
 * The whole of a combine function: both arguments are states, either may be
 * NULL.
 */
extern Datum sdcpg_tally_combine(FunctionCallInfo fcinfo);

#endif
