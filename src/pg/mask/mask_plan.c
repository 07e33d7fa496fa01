/*
 * mask_plan.c
 *		What rules make of a relation, as one SELECT.
 *
 * The columns are looked up, and each rule says what is written in place of
 * its own (mask_expression.c).  What rules do to rows, sampling and
 * suppression, is only noted.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "utils/lsyscache.h"

#include "pg/call/roles.h"
#include "pg/mask/mask_expression.h"
#include "pg/mask/mask_plan.h"
#include "pg/mask/mask_type.h"
#include "pg/server/compat.h"
#include "pg/server/generated.h"

SdcMaskColumn *
sdcpg_mask_plan_column(SdcMaskPlan *plan, AttrNumber number)
{
	int i;

	for (i = 0; i < plan->columns; i++)
		if (plan->column[i].column.number == number)
			return &plan->column[i];
	elog(ERROR, "column %d is not in the plan", number);
}

char *
sdcpg_mask_plan_subject(const SdcRule *rule)
{
	StringInfoData subject;
	int i;

	initStringInfo(&subject);
	for (i = 0; i < rule->columns.count; i++)
		appendStringInfo(&subject, "%s%s", i > 0 ? "," : "",
						 rule->columns.column[i].name);
	if (rule->columns.count == 0)
		appendStringInfoChar(&subject, '*');
	return subject.data;
}

char *
sdcpg_mask_plan_window(const SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcRelationColumns strata = sdcpg_rule_strata(rule, plan->relation);
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoChar(&sql, '(');
	for (i = 0; i < strata.count; i++)
		appendStringInfo(&sql, "%sr.%s", i == 0 ? "PARTITION BY " : ", ",
						 strata.column[i].sql);
	for (i = 0; i < plan->order.count; i++)
		appendStringInfo(
			&sql, "%s%sr.%s", i == 0 && strata.count > 0 ? " " : "",
			i == 0 ? "ORDER BY " : ", ", plan->order.column[i].sql);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

char *
sdcpg_mask_plan_unused(const SdcMaskPlan *plan, int n)
{
	int number = 0;

	for (;;)
	{
		char *name = psprintf("sdc_%d", ++number);

		if (get_attnum(plan->relation->oid, name) == InvalidAttrNumber &&
			n-- == 0)
			return name;
	}
}

char *
sdcpg_mask_plan_helper(SdcMaskPlan *plan, const char *sql)
{
	/* name 0 is for the numbers of sampled rows */
	char *name = sdcpg_mask_plan_unused(plan, ++plan->helper_count);

	appendStringInfo(&plan->helpers, ", %s AS %s", sql, name);
	return psprintf("r.%s", name);
}

SdcRelationColumns
sdcpg_mask_plan_order(const SdcRelation *relation, const char *id)
{
	SdcRelationColumns order = {0};
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRelationColumn *column =
		sdcpg_roles_column(relation, "id", id, SDC_ROLE_ID);
	Bitmapset *key;
	Oid constraint;
	int i;

	if (column != NULL)
	{
		order.column = column;
		order.count = 1;
		return order;
	}
	key = get_primary_key_attnos(relation->oid, true, &constraint);
	order.column = palloc(sizeof(SdcRelationColumn) * (all.count + 1));
	for (i = 0; i < all.count; i++)
		if (bms_is_member(all.column[i].number -
							  FirstLowInvalidHeapAttributeNumber,
						  key))
			order.column[order.count++] = all.column[i];
	return order;
}

/* Takes the columns of the relation in. */
static void
add_columns(SdcMaskPlan *plan)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(plan->relation);
	int i;

	plan->column = palloc0(sizeof(SdcMaskColumn) * (all.count + 1));
	plan->columns = all.count;
	for (i = 0; i < all.count; i++)
	{
		SdcMaskColumn *column = &plan->column[i];

		column->column = all.column[i];
		column->rule = sdcpg_rules_of(&plan->rules, column->column.number);
		column->generated =
			get_attgenerated(plan->relation->oid, column->column.number);
		column->read = true;
		if (column->generated != '\0' && column->rule != NULL &&
			column->rule->method->kind != SDC_MASK_KEEP)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of relation \"%s\" is generated",
							column->column.name, plan->relation->name),
					 errhint("Mask the columns that it is generated from.")));
	}
}

/* Is the column one of a list? */
static bool
is_among(const SdcRelationColumns *columns, AttrNumber number)
{
	int i;

	for (i = 0; i < columns->count; i++)
		if (columns->column[i].number == number)
			return true;
	return false;
}

/* Is the column needed to form strata or to settle ties? */
static bool
is_needed(const SdcMaskPlan *plan, AttrNumber number)
{
	int i;

	for (i = 0; i < plan->rules.count; i++)
	{
		SdcRelationColumns strata =
			sdcpg_rule_strata(&plan->rules.rule[i], plan->relation);

		if (is_among(&strata, number))
			return true;
	}
	return is_among(&plan->order, number);
}

/* Columns that become a constant need not be read: no right is asked for. */
static void
find_unread(SdcMaskPlan *plan)
{
	int i;

	for (i = 0; i < plan->columns; i++)
	{
		SdcMaskColumn *column = &plan->column[i];

		if (column->rule != NULL &&
			(column->rule->method->kind == SDC_MASK_NULL ||
			 column->rule->method->kind == SDC_MASK_CONSTANT) &&
			!plan->in_place && !is_needed(plan, column->column.number))
			column->read = false;
	}
}

/* Is a generated column made from one of these? */
static bool
derives(const SdcMaskPlan *plan, const SdcMaskColumn *column,
		const SdcRelationColumns *masked)
{
	int first;

	/* sdcpg_generated_from looks for 64 columns at a time */
	for (first = 0; first < masked->count; first += 64)
	{
		SdcRelationColumns some = {Min(64, masked->count - first),
								   masked->column + first};

		if (sdcpg_generated_from(plan->relation, &column->column, &some) != 0)
			return true;
	}
	return false;
}

/* Finds the columns that will not be what they were. */
static void
find_masked(SdcMaskPlan *plan)
{
	SdcRelationColumns masked = {0};
	int i;
	int j;

	masked.column = palloc(sizeof(SdcRelationColumn) * (plan->columns + 1));
	for (i = 0; i < plan->rules.count; i++)
		for (j = 0; j < plan->rules.rule[i].columns.count; j++)
		{
			SdcRelationColumn *column = &plan->rules.rule[i].columns.column[j];

			if (plan->rules.rule[i].method->kind == SDC_MASK_KEEP ||
				is_among(&masked, column->number))
				continue;
			masked.column[masked.count++] = *column;
		}
	for (i = 0; i < plan->columns; i++)
	{
		SdcMaskColumn *column = &plan->column[i];

		column->masked =
			is_among(&masked, column->column.number) ||
			(column->generated != '\0' && derives(plan, column, &masked));
	}
}

/*
 * A copy takes generated columns over as plain ones.  Where they are made from
 * a masked column they would give it away, so they are NULL there.
 */
static void
blank_generated(SdcMaskPlan *plan)
{
	int i;

	for (i = 0; i < plan->columns; i++)
	{
		SdcMaskColumn *column = &plan->column[i];

		if (column->generated == '\0' || !column->masked)
			continue;
		column->value = sdcpg_mask_type_cast(plan, &column->column, "NULL");
		column->read = false;
	}
}

static void
pick_rows(SdcMaskPlan *plan, const SdcRule *rule)
{
	if (rule->method->kind == SDC_MASK_SAMPLE_ROWS)
	{
		if (plan->in_place)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("method \"sample_rows\" deletes rows, which "
							"masking in place does not do"),
					 errhint("Name a new table in argument \"target\".")));
		plan->sample = rule;
	}
	if (rule->method->kind == SDC_MASK_SUPPRESS)
	{
		if (plan->suppress != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("argument \"rules\" has more than one rule of "
							"method \"suppress\""),
					 errdetail("What one suppresses could leave the other "
							   "without its k.")));
		plan->suppress = rule;
	}
}

/* Says which rule an error is about. */
static void
tell_rule(void *subject)
{
	errcontext("rule of \"%s\"", (char *) subject);
}

static void
plan_rules(SdcMaskPlan *plan)
{
	ErrorContextCallback context;
	int i;

	context.callback = tell_rule;
	context.previous = error_context_stack;
	error_context_stack = &context;
	for (i = 0; i < plan->rules.count; i++)
	{
		context.arg = plan->rules.rule[i].subject;
		pick_rows(plan, &plan->rules.rule[i]);
		sdcpg_mask_expression(plan, &plan->rules.rule[i]);
	}
	error_context_stack = context.previous;
}

SdcMaskPlan *
sdcpg_mask_plan(const SdcRelation *relation, Jsonb *rules, const char *id,
				bool in_place, bool seeded, uint64 seed)
{
	SdcMaskPlan *plan = palloc0(sizeof(SdcMaskPlan));

	plan->relation = relation;
	plan->rules = sdcpg_rules_read(rules, relation);
	plan->in_place = in_place;
	plan->seeded = seeded;
	plan->seed = seed;
	plan->order = sdcpg_mask_plan_order(relation, id);
	initStringInfo(&plan->helpers);
	initStringInfo(&plan->legend);
	add_columns(plan);
	find_unread(plan);
	find_masked(plan);
	if (!in_place)
		blank_generated(plan);
	plan_rules(plan);
	return plan;
}
