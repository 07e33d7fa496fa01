/*
 * mask.c
 *		sdc.mask: rules applied to a table, into a copy or in place.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "pg/call/args.h"
#include "pg/mask/mask_copy.h"
#include "pg/mask/mask_plan.h"
#include "pg/mask/mask_refuse.h"
#include "pg/mask/mask_rewrite.h"
#include "pg/mask/mask_seed.h"
#include "pg/mask/mask_step.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_mask);
PG_FUNCTION_INFO_V1(sdcf_mask_seed);

/* A row for each column that is masked. */
static void
put_columns(ReturnSetInfo *result, const SdcMaskPlan *plan,
			const SdcMaskCount *count)
{
	int i;

	for (i = 0; i < plan->columns; i++)
	{
		const SdcMaskColumn *column = &plan->column[i];
		SdcMaskStep step = SDC_MASK_STEP("mask");

		if (column->value == NULL)
			continue;
		step.subject = column->column.name;
		step.method =
			column->rule != NULL ? column->rule->method->name : "null";
		step.rows = count->rows;
		step.changed = count->changed[i];
		step.sql = column->value;
		if (column->rule == NULL)
			step.detail = "Generated from a masked column.";
		sdcpg_mask_step_put(result, &step);
	}
}

/* The statement, with what its parameters are. */
static void
put_statement(ReturnSetInfo *result, const SdcMaskPlan *plan,
			  const SdcMaskCount *count, const char *written)
{
	SdcMaskStep step = SDC_MASK_STEP("write");

	step.subject = written;
	step.rows = count->rows;
	step.seconds = count->seconds;
	step.detail = plan->legend.data;
	step.sql = count->sql;
	sdcpg_mask_step_put(result, &step);
}

/* What the call asks for; see sdcf_mask. */
static SdcMaskPlan *
make_plan(FunctionCallInfo fcinfo)
{
	bool seeded = !PG_ARGISNULL(4);

	return sdcpg_mask_plan(
		sdcpg_relation_find(PG_GETARG_OID(0)), PG_GETARG_JSONB_P(1),
		PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)), PG_ARGISNULL(3),
		seeded, seeded ? (uint64) PG_GETARG_INT64(4) : sdcpg_strong_seed());
}

static void
mask_copy(FunctionCallInfo fcinfo, ReturnSetInfo *result, SdcPgHost *host)
{
	SdcMaskPlan *plan = make_plan(fcinfo);
	SdcTarget *target;
	SdcMaskCount *count;

	sdcpg_target_need_all_rows(plan->relation, false);
	target = sdcpg_target_find(PG_GETARG_TEXT_PP(3));
	count = sdcpg_mask_copy(host, plan, target);
	put_columns(result, plan, count);
	put_statement(result, plan, count, target->sql);
}

static void
mask_in_place(FunctionCallInfo fcinfo, ReturnSetInfo *result, SdcPgHost *host)
{
	SdcMaskPlan *plan;
	SdcMaskCount *count;

	sdcpg_mask_refuse_table(PG_GETARG_OID(0));
	plan = make_plan(fcinfo);
	count = sdcpg_mask_rewrite(host, plan, sdcpg_mask_refuse_plan(plan));
	put_columns(result, plan, count);
	put_statement(result, plan, count, plan->relation->sql);
}

/* mask(rel, rules, id, target, seed, dry_run) returns setof sdc.mask_step */
Datum
sdcf_mask(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcPgHost *host;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("rel");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("rules");
	host = sdcpg_host_begin("mask", CurrentMemoryContext);
	if (PG_ARGISNULL(3))
		mask_in_place(fcinfo, result, host);
	else
		mask_copy(fcinfo, result, host);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* mask_seed(subject text, seed bigint) returns bigint */
Datum
sdcf_mask_seed(PG_FUNCTION_ARGS)
{
	char *subject = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_INT64(
		(int64) sdcpg_mask_seed((uint64) PG_GETARG_INT64(1), subject));
}
