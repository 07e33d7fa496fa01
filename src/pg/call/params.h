/*
 * params.h
 *		The argument "params": a JSON object of named settings.
 */
#ifndef SDC_PG_PARAMS_H
#define SDC_PG_PARAMS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/server/compat.h"

/* Stops because the value of a key is not what it must be. */
pg_noreturn extern void sdcpg_params_wrong(const char *key, const char *what);

/* The value of a key; false when it is absent. */
extern bool sdcpg_params_find(Jsonb *params, const char *key,
							  JsonbValue *value);

/*
 * Stops unless params is NULL or an object with no other keys than those
 * listed; the list ends with NULL.
 */
extern void sdcpg_params_check(Jsonb *params, const char *const *keys);

/* A whole number between low and high; absent is the default. */
extern int64 sdcpg_params_integer(Jsonb *params, const char *key, int64 absent,
								  int64 low, int64 high);

/* A number between low and high; absent is the default. */
extern double sdcpg_params_number(Jsonb *params, const char *key,
								  double absent, double low, double high);

extern bool sdcpg_params_boolean(Jsonb *params, const char *key, bool absent);

/* A string; NULL when the key is absent. */
extern char *sdcpg_params_text(Jsonb *params, const char *key);

/*
 * The same of a member of an object: params is {key: {member: "string"}}.  A
 * plain string instead of the object holds for every member.
 */
extern char *sdcpg_params_member(Jsonb *params, const char *key,
								 const char *member);

/* The position of a word in a list that ends with NULL; absent is 0. */
extern int sdcpg_params_choice(Jsonb *params, const char *key,
							   const char *const *choices);

#endif
