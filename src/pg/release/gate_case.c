/*
 * gate_case.c
 *		What a policy says of a table, set against its masked form.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "pg/call/params.h"
#include "pg/release/gate_case.h"
#include "pg/release/policy_params.h"
#include "pg/release/published.h"
#include "pg/server/compat.h"

static const char *const params_keys[] = {"rel", "seed", NULL};

const SdcPolicyRelation *
sdcpg_gate_case_choose(const SdcPolicy *policy, Jsonb *params)
{
	char *name;
	Oid oid;
	int i;

	sdcpg_params_check(params, params_keys);
	name = sdcpg_params_text(params, "rel");
	if (name == NULL && policy->count == 1)
		return &policy->relation[0];
	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("policy \"%s\" is not for one table only",
							   policy->name),
						errhint("Name the table that was masked: params => "
								"'{\"rel\": \"schema.table\"}'.")));
	oid = DatumGetObjectId(
		DirectFunctionCall1(regclassin, CStringGetDatum(name)));
	for (i = 0; i < policy->count; i++)
		if (policy->relation[i].oid == oid)
			return &policy->relation[i];
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("policy \"%s\" is not for relation \"%s\"",
						   policy->name, get_rel_name(oid))));
}

/* The columns that are published, but for the id, as name[]; NULL for none. */
static ArrayType *
compared_columns(const SdcGateCase *of, const SdcPolicyRelation *relation,
				 const SdcPolicyParams *params)
{
	List *published =
		sdcpg_published_columns(relation, params, of->original, of->masked);
	SdcRelationColumns columns = {0};
	ListCell *cell;

	columns.column =
		palloc(sizeof(SdcRelationColumn) * (list_length(published) + 1));
	foreach (cell, published)
		if (of->id == NULL || strcmp(of->id, lfirst(cell)) != 0)
			columns.column[columns.count++] =
				sdcpg_relation_column(of->masked, lfirst(cell));
	return sdcpg_policy_names(&columns);
}

SdcGateCase *
sdcpg_gate_case(const SdcPolicyRelation *relation, Oid masked)
{
	SdcGateCase *of = palloc0(sizeof(SdcGateCase));
	SdcPolicyParams params;

	of->original = sdcpg_relation_find(relation->oid);
	of->masked = sdcpg_relation_find(masked);
	params = sdcpg_policy_params_read(relation->params, of->original);
	of->id = params.id == NULL ? NULL : params.id->name;
	of->keys = sdcpg_policy_names(&params.keys);
	of->sensitive = sdcpg_policy_names(&params.sensitive);
	of->columns = compared_columns(of, relation, &params);
	of->rules = relation->rules;
	of->attacks = params.attacks;
	of->p = params.p;
	return of;
}

void
sdcpg_gate_case_seed(SdcGateCase *of, Jsonb *params)
{
	JsonbValue value;

	of->seeded = sdcpg_params_find(params, "seed", &value);
	if (of->seeded)
		of->seed = sdcpg_params_integer(params, "seed", 0, -((int64) 1 << 53),
										(int64) 1 << 53);
}
