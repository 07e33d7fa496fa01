/*
 * dp_ledger.c
 *		sdc.remaining_budget: what is left of the budgets that the caller has.
 *
 * A role sees its own budgets and those of the data sets they are part of;
 * who owns the table sees those of all.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "host/call/args.h"
#include "host/call/catalog.h"
#include "topic/privacy/ledger.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "topic/privacy/budget.h"

PG_FUNCTION_INFO_V1(sdcf_remaining_budget);

/* $1: name of the data set or NULL; $2: the caller. */
static const char *const budgets_query =
	"WITH data AS (SELECT d.*, EXISTS (SELECT FROM pg_catalog.pg_class AS c "
	"WHERE c.oid OPERATOR(pg_catalog.=) d.rel::pg_catalog.oid AND "
	"pg_catalog.pg_has_role($2, c.relowner, 'USAGE')) AS own "
	"FROM sdc.dp_dataset AS d "
	"WHERE $1 IS NULL OR d.name OPERATOR(pg_catalog.=) $1), "
	"budget AS (SELECT b.* FROM sdc.dp_budget AS b "
	"JOIN data ON data.id OPERATOR(pg_catalog.=) b.dataset "
	"WHERE data.own OR b.role::pg_catalog.oid OPERATOR(pg_catalog.=) $2) "
	"SELECT data.name, NULL::pg_catalog.text AS role, data.accounting, "
	"data.id, data.epsilon, data.delta, (SELECT "
	"pg_catalog.sum(l.cost)::pg_catalog.int8 FROM sdc.dp_log AS l WHERE "
	"l.dataset OPERATOR(pg_catalog.=) data.id) FROM data WHERE data.own OR "
	"EXISTS (SELECT FROM budget WHERE budget.dataset "
	"OPERATOR(pg_catalog.=) data.id) "
	"UNION ALL "
	"SELECT data.name, budget.role::pg_catalog.text, data.accounting, "
	"budget.id, budget.epsilon, budget.delta, (SELECT "
	"pg_catalog.sum(l.cost)::pg_catalog.int8 FROM sdc.dp_log AS l WHERE "
	"l.budget OPERATOR(pg_catalog.=) budget.id) FROM budget JOIN data ON "
	"data.id OPERATOR(pg_catalog.=) budget.dataset "
	"ORDER BY 1, 2 NULLS FIRST";

/* The row of one budget; the amounts follow name, role and unit. */
static void
put_budget(ReturnSetInfo *result, const Datum *row, const bool *rownull)
{
	SdcAccounting accounting = (SdcAccounting) sdcpg_args_choice(
		"accounting", DatumGetTextPP(row[2]), sdcpg_budget_accounting);
	SdcAmount limit = sdcpg_budget_limit(accounting, DatumGetNumeric(row[4]),
										 DatumGetNumeric(row[5]));
	SdcAmount spent = sdcpg_ledger_spent(DatumGetInt64(row[3]));
	int64 logged = rownull[6] ? 0 : DatumGetInt64(row[6]);
	Datum values[10];
	bool isnull[10] = {false, rownull[1]};

	values[0] = row[0];
	values[1] = row[1];
	values[2] = CStringGetTextDatum(
		accounting == SDC_ACCOUNTING_ZCDP ? "rho" : "epsilon");
	values[3] = sdcpg_budget_numeric(limit.first, 9);
	values[4] = sdcpg_budget_numeric(spent.first, 9);
	values[5] =
		sdcpg_budget_numeric(Max(limit.first - spent.first, INT64CONST(0)), 9);
	values[6] = sdcpg_budget_numeric(limit.second, 18);
	values[7] = sdcpg_budget_numeric(spent.second, 18);
	values[8] = sdcpg_budget_numeric(
		Max(limit.second - spent.second, INT64CONST(0)), 18);
	values[9] = sdcpg_budget_numeric(spent.first - logged, 9);
	sdcpg_result_put(result, values, isnull);
}

/* remaining_budget(dataset text) */
Datum
sdcf_remaining_budget(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, TEXTOID,
					   PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0),
					   PG_ARGISNULL(0));
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(GetUserId()),
					   false);
	rows = sdcpg_catalog_read_owned("dp_dataset", budgets_query, &parameters);
	for (i = 0; i < rows->count; i++)
		put_budget(result, rows->value[i], rows->isnull[i]);
	return (Datum) 0;
}
