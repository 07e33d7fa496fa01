/*
 * mask_guard.h
 *		Errors that would print values of the data.
 */
#ifndef SDC_PG_MASK_GUARD_H
#define SDC_PG_MASK_GUARD_H

#include "postgres.h"

/*
 * Calls work(arg).  An error that may quote values (a violated constraint, a
 * value that cannot be read, what a function of the user raises) becomes one
 * that only names the relation, the constraint and the column; other errors
 * pass as they are.
 */
extern void sdcpg_mask_guard(const char *relation, void (*work)(void *arg),
							 void *arg);

#endif
