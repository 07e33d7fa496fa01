/*
 * args.h
 *		Checks of arguments: one clear error each, with the argument's name.
 */
#ifndef SDC_HOST_ARGS_H
#define SDC_HOST_ARGS_H

#include "host/server/compat.h"

/* Stops because the named argument is NULL. */
pg_noreturn extern void sdcpg_args_null(const char *argument);

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
