/*
 * args.h
 *		Checks of arguments: one clear error each, with the argument's name.
 */
#ifndef SDC_HOST_ARGS_H
#define SDC_HOST_ARGS_H

#include "fmgr.h"

#include "host/server/compat.h"

/* Stops because the named argument is NULL. */
pg_noreturn extern void sdcpg_args_null(const char *argument);

/*
 * The name of an argument, counted from 0, of the function that is called: the
 * one that SQL gives it; "$1" where it gives none.
 */
extern char *sdcpg_args_name(FunctionCallInfo fcinfo, int argument);

/* Stops when an argument of the function that is called is NULL. */
extern void sdcpg_args_need(FunctionCallInfo fcinfo, int argument);

/* Stops when one of its first arguments is. */
extern void sdcpg_args_need_first(FunctionCallInfo fcinfo, int count);

/* A text argument, which must not be NULL. */
extern char *sdcpg_args_text(FunctionCallInfo fcinfo, int argument);

/* Stops unless low <= value <= high; NaN never is. */
extern void sdcpg_args_range(const char *argument, double value, double low,
							 double high);

/*
 * The position of a word in a list that ends with NULL; any other word stops
 * with a hint that lists the valid ones.
 */
extern int sdcpg_args_choice(const char *argument, const text *word,
							 const char *const *choices);

/*
 * Stops unless the partition or table has at least k rows to work on; none
 * at all is fine, for then there is nothing to do.
 */
extern void sdcpg_args_group_size(int32 k, int64 rows);

/* Stops unless the value is a finite number. */
extern void sdcpg_args_finite(double value);

/* Stops because a masked value would leave the range of float8. */
extern void sdcpg_args_result_finite(double value);

#endif
