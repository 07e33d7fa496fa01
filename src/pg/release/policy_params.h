/*
 * policy_params.h
 *		What a policy says of a table besides rules and constraints.
 */
#ifndef SDC_PG_POLICY_PARAMS_H
#define SDC_PG_POLICY_PARAMS_H

#include "postgres.h"

#include "utils/array.h"
#include "utils/jsonb.h"

#include "pg/call/relation.h"

/*
 * Columns that the params do not name are those of sdc.declare; id is NULL and
 * counts are 0 when neither names any.
 */
typedef struct SdcPolicyParams
{
	SdcRelationColumn *id;
	SdcRelationColumns keys;
	SdcRelationColumns sensitive;
	SdcRelationColumns drop; /* never published; only of the params */
	char *schema;            /* of the published table, or NULL */
	char *table;             /* its name: that of the table unless given */
	ArrayType *attacks;      /* text[]; NULL: all */
	double p;
} SdcPolicyParams;

/* Reads params, which may be NULL; stops at what it does not know. */
extern SdcPolicyParams sdcpg_policy_params_read(Jsonb *params,
												const SdcRelation *relation);

/* The names of columns as name[]; NULL for none. */
extern ArrayType *sdcpg_policy_names(const SdcRelationColumns *columns);

#endif
