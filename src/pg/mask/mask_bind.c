/*
 * mask_bind.c
 *		What rules say, as parameters of the statement.
 *
 * A value for a column is read by the input function of the column's type
 * before the statement is run, so that neither a cast of the user nor text of
 * the rules is ever part of it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "pg/call/params.h"
#include "pg/mask/mask_bind.h"
#include "pg/mask/mask_seed.h"
#include "pg/server/compat.h"

static char *
bind_value(SdcMaskPlan *plan, Oid type, Datum value, bool isnull)
{
	sdcpg_catalog_bind(&plan->parameters, type, value, isnull);
	return psprintf("$%d", plan->parameters.count);
}

/* Says in the legend what the last parameter is. */
static void
note(SdcMaskPlan *plan, const SdcRule *rule, const char *key,
	 const char *value)
{
	appendStringInfo(&plan->legend, "%s$%d = %s (%s of %s)",
					 plan->legend.len > 0 ? ", " : "", plan->parameters.count,
					 value, key, rule->subject);
}

char *
sdcpg_mask_bind_float(SdcMaskPlan *plan, const SdcRule *rule, const char *key,
					  double low, double high)
{
	double value = sdcpg_params_number(rule->params, key, low, low, high);
	char *sql = bind_value(plan, FLOAT8OID, Float8GetDatum(value), false);

	note(plan, rule, key, psprintf("%g", value));
	return sql;
}

char *
sdcpg_mask_bind_integer(SdcMaskPlan *plan, const SdcRule *rule,
						const char *key, int32 low, int32 high)
{
	int32 value =
		(int32) sdcpg_params_integer(rule->params, key, low, low, high);
	char *sql = bind_value(plan, INT4OID, Int32GetDatum(value), false);

	note(plan, rule, key, psprintf("%d", value));
	return sql;
}

char *
sdcpg_mask_bind_text(SdcMaskPlan *plan, const SdcRule *rule, const char *key,
					 const char *absent)
{
	const char *value = sdcpg_params_text(rule->params, key);
	char *sql;

	if (value == NULL)
		value = absent;
	sql = bind_value(plan, TEXTOID,
					 value != NULL ? CStringGetTextDatum(value) : 0,
					 value == NULL);
	note(plan, rule, key,
		 value != NULL ? quote_literal_cstr(value) : pstrdup("NULL"));
	return sql;
}

/* A string, number or boolean as its text; NULL for null. */
static char *
scalar_text(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value) || value.type == jbvNull)
		return NULL;
	switch (value.type)
	{
		case jbvString:
			return pnstrdup(value.val.string.val, value.val.string.len);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(
				numeric_out, NumericGetDatum(value.val.numeric)));
		case jbvBool:
			return pstrdup(value.val.boolean ? "true" : "false");
		default:
			sdcpg_params_wrong(key, "a string, a number, true or false");
	}
}

char *
sdcpg_mask_bind_value(SdcMaskPlan *plan, const SdcRule *rule, const char *key,
					  const SdcRelationColumn *column)
{
	char *string = scalar_text(rule->params, key);
	Oid input;
	Oid parameter;
	Datum value = (Datum) 0;
	char *sql;

	/* the input of a composite type, say, may run code of its owner */
	if (column->base >= FirstNormalObjectId && !type_is_enum(column->base))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" cannot mask column \"%s\"",
						rule->method->name, column->name),
				 errdetail("Its type %s is not one of PostgreSQL itself.",
						   format_type_be(column->type))));
	getTypeInputInfo(column->base, &input, &parameter);
	if (string != NULL)
		value = OidInputFunctionCall(input, string, parameter, -1);
	sql = bind_value(plan, column->base, value, string == NULL);
	note(plan, rule, key,
		 string != NULL ? quote_literal_cstr(string) : pstrdup("NULL"));
	return sql;
}

char *
sdcpg_mask_bind_seed(SdcMaskPlan *plan, const SdcRule *rule)
{
	uint64 seed = sdcpg_mask_seed(plan->seed, sdcpg_mask_plan_subject(rule));

	return bind_value(plan, INT8OID, Int64GetDatum((int64) seed), false);
}

char *
sdcpg_mask_bind_secret(SdcMaskPlan *plan, double value)
{
	return bind_value(plan, FLOAT8OID, Float8GetDatum(value), false);
}
