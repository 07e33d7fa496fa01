/*
 * error.h
 *		Where an error of the server came from, in whatever language it tells;
 *		work that may fail.
 */
#ifndef SDCPG_ERROR_H
#define SDCPG_ERROR_H

#include "utils/elog.h"

/*
 * Takes the lines of statements out of the context of an error, those before
 * the line that starts with outside, or all (NULL).  Says whether one of the
 * others before it is that of a function that is not written in C.
 */
extern bool sdcpg_error_drop_statements(ErrorData *error, const char *outside);

/*
 * Is the message one of PostgreSQL or sdc with nothing inserted?  What a
 * function raises is inserted whole, whatever its code; so may be a value that
 * it makes a name or a statement of.
 */
extern bool sdcpg_error_is_fixed(const ErrorData *error);

/*
 * Calls work; an error of it does not show the statement sql, which sdc has
 * written for it, nor do debug_print_plan and its kin.
 */
extern void sdcpg_error_hidden(const char *sql, void (*work)(void *arg),
							   void *arg);

/*
 * Calls work in a subtransaction and the context memory.  What it did stays if
 * it returns true, and is undone if it returns false or fails.  Returns the
 * error that ended it, in the context of the caller, or NULL.
 */
extern ErrorData *sdcpg_error_attempt(MemoryContext memory,
									  bool (*work)(void *arg), void *arg);

/* Does an error say nothing of what was tried, so that it must not pass? */
extern bool sdcpg_error_is_of_server(const ErrorData *failure);

#endif
