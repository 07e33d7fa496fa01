/*
 * tally_parameter.h
 *		The constant arguments of an aggregate, inside its state.
 *
 * An argument is a number or a list of strings (a word is a list of one).
 * Equal arguments are equal bytes.
 */
#ifndef SDC_PG_TALLY_PARAMETER_H
#define SDC_PG_TALLY_PARAMETER_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "pg/tally/tally.h"

/* Appends a finite number; must come before all lists. */
extern void sdcpg_tally_put_number(StringInfo parameters, double number);

/* Starts a list of that many strings, and appends one; NULL is a NULL. */
extern void sdcpg_tally_put_list(StringInfo parameters, int count);
extern void sdcpg_tally_put_string(StringInfo parameters, const char *string,
								   int length);

/*
 * A state without cells, with the arguments of a transition function from
 * number first on as its constant arguments.  Stops when one of them is NULL
 * or not finite.
 */
extern SdcTally *sdcpg_tally_empty(FunctionCallInfo fcinfo, int first,
								   const SdcTallyShape *shape);

/* The number with an index; stops when the state has no such one. */
extern double sdcpg_tally_number(const SdcTally *tally, int index);

/*
 * The strings of the list with an index, in the current context, NULL where
 * one is NULL; stops when the state has no such list.
 */
extern char **sdcpg_tally_list(const SdcTally *tally, int index, int *count);

#endif
