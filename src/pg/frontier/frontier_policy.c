/*
 * frontier_policy.c
 *		A policy as what candidates are measured by.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "pg/frontier/frontier_loss.h"
#include "pg/frontier/frontier_policy.h"
#include "pg/release/policy_params.h"
#include "pg/server/compat.h"

#define REPEATS     3
#define ALL_COLUMNS "{\"subject\": \"all columns\"}"

/* The constraint at a place, from 1, without its bound. */
static Jsonb *
without_bound(Jsonb *constraints, int place)
{
	static const char *const bounds[] = {"<=", "<"};
	Datum object = JsonbPGetDatum(JsonbValueToJsonb(
		getIthJsonbValueFromContainer(&constraints->root, place - 1)));
	int i;

	for (i = 0; i < lengthof(bounds); i++)
		object = DirectFunctionCall2(jsonb_delete, object,
									 CStringGetTextDatum(bounds[i]));
	return DatumGetJsonbP(object);
}

/* The first constraint that bounds a risk, or a loss, from above. */
static Jsonb *
first_bounded(const SdcGate *gate, Jsonb *constraints, bool loss)
{
	int i;

	for (i = 0; i < gate->count; i++)
	{
		const SdcGateConstraint *constraint = &gate->constraint[i];

		if ((constraint->kind == SDC_GATE_UTILITY) == loss &&
			(constraint->comparison == SDC_GATE_AT_MOST ||
			 constraint->comparison == SDC_GATE_LESS) &&
			sdcpg_frontier_is_fit(constraint))
			return without_bound(constraints, constraint->place);
	}
	return NULL;
}

static bool
asks_for_worst(const SdcGate *gate)
{
	int i;

	for (i = 0; i < gate->count; i++)
		if (gate->constraint[i].kind == SDC_GATE_ATTACK &&
			strcmp(gate->constraint[i].word, SDC_GATE_WORST) == 0)
			return true;
	return false;
}

/* What the policy says of its table. */
static void
read_case(SdcFrontier *frontier, const SdcGate *gate)
{
	SdcGateCase *of = &frontier->of;
	SdcPolicyParams params;

	of->original = sdcpg_relation_find(frontier->policy->oid);
	params = sdcpg_policy_params_read(frontier->policy->params, of->original);
	of->id = params.id == NULL ? NULL : params.id->name;
	of->attacks = params.attacks;
	if (of->attacks == NULL && !asks_for_worst(gate))
		of->attacks = sdcpg_frontier_attacks();
}

void
sdcpg_frontier_policy(SdcFrontier *frontier, const char *name)
{
	SdcPolicy *policy = sdcpg_policy_find(name);
	Jsonb *constraints;
	Jsonb *loss;
	SdcGate gate;

	sdcpg_policy_need_owner(policy);
	if (policy->count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("policy \"%s\" is not for one table only", name),
				 errhint("Compare rules of each table by sdc.frontier.")));
	frontier->policy = &policy->relation[0];
	frontier->memory = CurrentMemoryContext;
	frontier->repeats = REPEATS;
	frontier->tolerant = true;
	constraints = frontier->policy->constraints;
	gate = sdcpg_gate_read(constraints);
	read_case(frontier, &gate);
	loss = first_bounded(&gate, constraints, true);
	if (loss != NULL)
		loss = DatumGetJsonbP(DirectFunctionCall2(
			jsonb_concat, JsonbPGetDatum(loss),
			DirectFunctionCall1(jsonb_in, CStringGetDatum(ALL_COLUMNS))));
	else
		loss =
			sdcpg_frontier_loss_usual(frontier->of.original, frontier->of.id,
									  list_make1(frontier->policy->rules));
	sdcpg_frontier_measures(frontier, constraints,
							first_bounded(&gate, constraints, false), loss);
}
