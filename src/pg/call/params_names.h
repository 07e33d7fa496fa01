/*
 * params_names.h
 *		Names of columns in the argument "params": lists and renamings.
 */
#ifndef SDC_PG_PARAMS_NAMES_H
#define SDC_PG_PARAMS_NAMES_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* Is the key there, whatever its value? */
extern bool sdcpg_params_has(Jsonb *params, const char *key);

/*
 * The strings (char *) of an array under a key, or the one string there; NIL
 * when the key is absent.  An empty array stops with an error.
 */
extern List *sdcpg_params_names(Jsonb *params, const char *key);

/*
 * What the object under a key renames a name to; the name itself when it says
 * nothing of it.
 */
extern const char *sdcpg_params_renamed(Jsonb *params, const char *key,
										const char *name);

/* Stops when the object under a key renames what is not in a list of names. */
extern void sdcpg_params_check_renaming(Jsonb *params, const char *key,
										List *names);

/* Is a name among those of a list of strings? */
extern bool sdcpg_params_is_listed(List *names, const char *name);

#endif
