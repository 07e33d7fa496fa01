/*
 * mask_select.c
 *		The SELECT that masks a relation.
 *
 * From the inside out: the relation or a sample of it, then what must be
 * computed before the columns (groups, arrays of noise), then the columns.
 * The masks are window functions, so PostgreSQL sorts once for all that share
 * strata.
 */
#include "postgres.h"

#include "pg/call/params.h"
#include "pg/mask/mask_bind.h"
#include "pg/mask/mask_sample.h"
#include "pg/mask/mask_seed.h"
#include "pg/mask/mask_select.h"
#include "pg/mask/mask_type.h"

bool
sdcpg_mask_select_has(const SdcMaskPlan *plan, const SdcMaskColumn *column)
{
	return !plan->in_place || column->generated == '\0';
}

bool
sdcpg_mask_select_compares(const SdcMaskColumn *column)
{
	return column->value != NULL && column->read;
}

/* The columns that are read. */
static SdcRelationColumns
read_columns(const SdcMaskPlan *plan)
{
	SdcRelationColumns columns = {0};
	int i;

	columns.column = palloc(sizeof(SdcRelationColumn) * (plan->columns + 1));
	for (i = 0; i < plan->columns; i++)
		if (plan->column[i].read)
			columns.column[columns.count++] = plan->column[i].column;
	return columns;
}

static void
append_sample(StringInfo sql, SdcMaskPlan *plan,
			  const SdcRelationColumns *columns)
{
	const SdcRule *rule = plan->sample;
	SdcRelationColumns strata = sdcpg_rule_strata(rule, plan->relation);
	double p = sdcpg_params_number(rule->params, "p", 100, 0, 100);
	char *share;
	char *seed;

	if (p == 0)
		sdcpg_params_wrong("p", "more than 0");
	share = sdcpg_mask_bind_secret(plan, p / 100);
	seed = sdcpg_mask_bind_seed(plan, rule);
	sdcpg_mask_sample(
		sql, plan->relation, columns, &strata, &plan->order,
		sdcpg_mask_plan_unused(plan, 0), share, seed,
		sdcpg_mask_bind_secret(
			plan, sdcpg_mask_sample_start(sdcpg_mask_seed(plan->seed, "*"))));
}

/* FROM: the relation, or a sample of it, with what is computed first. */
static void
append_source(StringInfo sql, SdcMaskPlan *plan)
{
	SdcRelationColumns columns = read_columns(plan);
	int i;

	appendStringInfoString(sql, " FROM ");
	if (plan->helpers.len > 0)
	{
		appendStringInfoString(sql, "(SELECT ");
		if (plan->in_place)
			appendStringInfoString(sql, "r.tableoid, ");
		for (i = 0; i < columns.count; i++)
			appendStringInfo(sql, "%sr.%s", i > 0 ? ", " : "",
							 columns.column[i].sql);
		appendStringInfo(sql, "%s FROM ", plan->helpers.data);
	}
	if (plan->sample != NULL)
		append_sample(sql, plan, &columns);
	else
		appendStringInfo(sql, "%s AS r", plan->relation->sql);
	if (plan->helpers.len > 0)
		appendStringInfoString(sql, ") AS r");
}

char *
sdcpg_mask_select(SdcMaskPlan *plan, bool originals)
{
	StringInfoData sql;
	const char *comma = "";
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	if (plan->in_place)
	{
		appendStringInfo(&sql, "r.tableoid AS %s",
						 sdcpg_mask_plan_unused(plan, 0));
		comma = ", ";
	}
	for (i = 0; i < plan->columns; i++)
	{
		const SdcMaskColumn *column = &plan->column[i];

		if (!sdcpg_mask_select_has(plan, column))
			continue;
		if (column->value != NULL)
			appendStringInfo(&sql, "%s%s AS %s", comma, column->value,
							 column->column.sql);
		else
			appendStringInfo(&sql, "%sr.%s", comma, column->column.sql);
		comma = ", ";
	}
	for (i = 0; originals && i < plan->columns; i++)
		if (sdcpg_mask_select_compares(&plan->column[i]))
			appendStringInfo(&sql, "%sr.%s", comma,
							 plan->column[i].column.sql);
	append_source(&sql, plan);
	return sql.data;
}

char *
sdcpg_mask_select_again(const SdcMaskPlan *plan, const char *table)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT r.%s", sdcpg_mask_plan_unused(plan, 0));
	for (i = 0; i < plan->columns; i++)
	{
		const SdcRelationColumn *column = &plan->column[i].column;

		if (sdcpg_mask_select_has(plan, &plan->column[i]))
			appendStringInfo(&sql, ", %s AS %s",
							 sdcpg_mask_type_cast(
								 plan, column, psprintf("r.%s", column->sql)),
							 column->sql);
	}
	appendStringInfo(&sql, " FROM %s AS r", table);
	return sql.data;
}
