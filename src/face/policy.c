/*
 * policy.c
 *		sdc.create_policy and its kin; sdc.check_release.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "pg/call/args.h"
#include "pg/release/gate.h"
#include "pg/release/gate_case.h"
#include "pg/release/policy.h"
#include "pg/release/policy_document.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_create_policy);
PG_FUNCTION_INFO_V1(sdcf_create_policy_json);
PG_FUNCTION_INFO_V1(sdcf_drop_policy);
PG_FUNCTION_INFO_V1(sdcf_policy_json);
PG_FUNCTION_INFO_V1(sdcf_check_release);

/* The name of the policy, argument 0. */
static char *
policy_name(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		sdcpg_args_null("policy");
	return text_to_cstring(PG_GETARG_TEXT_PP(0));
}

/*
 * create_policy(policy text, rel regclass, rules jsonb, constraints jsonb,
 *               params jsonb)
 */
Datum
sdcf_create_policy(PG_FUNCTION_ARGS)
{
	static const char *const needed[] = {"policy", "rel", "rules",
										 "constraints"};
	int i;

	for (i = 0; i < lengthof(needed); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(needed[i]);
	sdcpg_policy_write(policy_name(fcinfo), PG_GETARG_OID(1),
					   PG_GETARG_JSONB_P(2), PG_GETARG_JSONB_P(3),
					   PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4));
	PG_RETURN_VOID();
}

/*
 * create_policy(policy jsonb)
 */
Datum
sdcf_create_policy_json(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		sdcpg_args_null("policy");
	sdcpg_policy_write_document(PG_GETARG_JSONB_P(0));
	PG_RETURN_VOID();
}

/*
 * drop_policy(policy text)
 */
Datum
sdcf_drop_policy(PG_FUNCTION_ARGS)
{
	sdcpg_policy_drop(policy_name(fcinfo));
	PG_RETURN_VOID();
}

/*
 * policy_json(policy text)
 */
Datum
sdcf_policy_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(
		sdcpg_policy_document(sdcpg_policy_find(policy_name(fcinfo))));
}

static void
put_result(ReturnSetInfo *rows, const SdcRelation *relation,
		   const SdcGateResult *result)
{
	const SdcGateConstraint *constraint = result->constraint;
	Datum values[7];
	bool isnull[7] = {false, false, false, isnan(result->value)};

	values[0] = ObjectIdGetDatum(relation->oid);
	values[1] = Int32GetDatum(constraint->place);
	values[2] = CStringGetTextDatum(constraint->sentence);
	values[3] = Float8GetDatum(result->value);
	values[4] = Float8GetDatum(constraint->bound);
	values[5] = BoolGetDatum(result->passed);
	values[6] = CStringGetTextDatum(result->detail);
	sdcpg_result_put(rows, values, isnull);
}

/*
 * check_release(policy text, masked regclass, params jsonb)
 */
Datum
sdcf_check_release(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = sdcpg_result_begin(fcinfo);
	SdcPolicy *policy = sdcpg_policy_find(policy_name(fcinfo));
	const SdcPolicyRelation *chosen;
	SdcGateCase *of;
	SdcGate gate;
	SdcGateResult *results;
	Jsonb *params = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	int i;

	if (PG_ARGISNULL(1))
		sdcpg_args_null("masked");
	sdcpg_policy_need_owner(policy);
	chosen = sdcpg_gate_case_choose(policy, params);
	of = sdcpg_gate_case(chosen, PG_GETARG_OID(1));
	sdcpg_gate_case_seed(of, params);
	gate = sdcpg_gate_read(chosen->constraints);
	results = sdcpg_gate_evaluate(&gate, of);
	for (i = 0; i < gate.count; i++)
		put_result(rows, of->original, &results[i]);
	return (Datum) 0;
}
