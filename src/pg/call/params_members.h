/*
 * params_members.h
 *		Objects by column in the argument "params": {"age": 2, "sex": 1}.
 */
#ifndef SDC_PG_PARAMS_MEMBERS_H
#define SDC_PG_PARAMS_MEMBERS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "pg/call/relation.h"

/*
 * Stops when what lies under a key is not an object, or one with a member that
 * is not the name of one of the columns.  With plain, a string may stand in
 * place of the object (see sdcpg_params_member).
 */
extern void sdcpg_params_members_check(Jsonb *params, const char *key,
									   const SdcRelationColumns *columns,
									   bool plain);

/* A number between low and high; absent is the default. */
extern double sdcpg_params_member_number(Jsonb *params, const char *key,
										 const char *member, double absent,
										 double low, double high);

/*
 * A range [first, last] of whole numbers from 0, or one number that is both.
 * False when there is none.
 */
extern bool sdcpg_params_member_range(Jsonb *params, const char *key,
									  const char *member, int *first,
									  int *last);

#endif
