/*
 * row_check.c
 *		What a table asks of a row: generated columns, NOT NULL, CHECK.
 *
 * Expressions come from the catalog and are evaluated as ALTER TABLE does it
 * when it rewrites a table.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/datum.h"

#include "pg/mask/row_check.h"
#include "pg/server/compat.h"

struct SdcRowCheck
{
	char *table;
	TupleDesc descriptor;
	EState *executor;
	TupleTableSlot *slot;
	int generated;
	AttrNumber *generated_column;
	ExprState **generated_value;
	int checks;
	char **check_name;
	ExprState **check;
};

static void
add_generated(SdcRowCheck *check, Relation table)
{
	TupleDesc descriptor = check->descriptor;
	int i;

	check->generated_column = palloc(sizeof(AttrNumber) * descriptor->natts);
	check->generated_value = palloc(sizeof(ExprState *) * descriptor->natts);
	for (i = 0; i < descriptor->natts; i++)
	{
		Expr *value;

		if (TupleDescAttr(descriptor, i)->attgenerated !=
			ATTRIBUTE_GENERATED_STORED)
			continue;
		value = (Expr *) build_column_default(table, i + 1);
		if (value == NULL)
			elog(ERROR, "column %d has no generation expression", i + 1);
		check->generated_column[check->generated] = i + 1;
		check->generated_value[check->generated++] =
			ExecPrepareExpr(value, check->executor);
	}
}

static void
add_checks(SdcRowCheck *check, Relation table)
{
	TupleConstr *constraints = check->descriptor->constr;
	int count = constraints != NULL ? constraints->num_check : 0;
	int i;

	check->check = palloc(sizeof(ExprState *) * (count + 1));
	check->check_name = palloc(sizeof(char *) * (count + 1));
	for (i = 0; i < count; i++)
	{
		const ConstrCheck *constraint = &constraints->check[i];
		Node *condition;

		/* NOT VALID: there may be rows that do not hold it already */
		if (!constraint->ccvalid)
			continue;
		check->check_name[check->checks] = constraint->ccname;
		condition = stringToNode(constraint->ccbin);
#if PG_VERSION_NUM >= 180000
		condition = expand_generated_columns_in_expr(condition, table, 1);
#endif
		check->check[check->checks++] =
			ExecPrepareExpr((Expr *) condition, check->executor);
	}
}

SdcRowCheck *
sdcpg_row_check_new(Relation table)
{
	SdcRowCheck *check = palloc0(sizeof(SdcRowCheck));

	check->table = pstrdup(RelationGetRelationName(table));
	check->descriptor = CreateTupleDescCopyConstr(RelationGetDescr(table));
	check->executor = CreateExecutorState();
	check->slot = MakeSingleTupleTableSlot(check->descriptor, &TTSOpsVirtual);
	add_generated(check, table);
	add_checks(check, table);
	return check;
}

bool
sdcpg_row_check_evaluates(const SdcRowCheck *check)
{
	return check->generated + check->checks > 0;
}

/* Puts a row where expressions read it. */
static ExprContext *
set_row(SdcRowCheck *check, const Datum *values, const bool *isnull)
{
	ExprContext *context = GetPerTupleExprContext(check->executor);
	int count = check->descriptor->natts;

	ResetExprContext(context);
	ExecClearTuple(check->slot);
	memcpy(check->slot->tts_values, values, sizeof(Datum) * count);
	memcpy(check->slot->tts_isnull, isnull, sizeof(bool) * count);
	ExecStoreVirtualTuple(check->slot);
	context->ecxt_scantuple = check->slot;
	return context;
}

void
sdcpg_row_check_generate(SdcRowCheck *check, Datum *values, bool *isnull)
{
	ExprContext *context;
	int i;

	if (check->generated == 0)
		return;
	context = set_row(check, values, isnull);
	for (i = 0; i < check->generated; i++)
	{
		int place = check->generated_column[i] - 1;
		Form_pg_attribute column = TupleDescAttr(check->descriptor, place);
		Datum value = ExecEvalExprSwitchContext(check->generated_value[i],
												context, &isnull[place]);

		/* the memory of the expression goes with the next row */
		if (!isnull[place])
			value = datumCopy(value, column->attbyval, column->attlen);
		values[place] = value;
	}
}

void
sdcpg_row_check(SdcRowCheck *check, const Datum *values, const bool *isnull)
{
	ExprContext *context;
	int i;

	for (i = 0; i < check->descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(check->descriptor, i);

		if (column->attnotnull && !column->attisdropped && isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("masking would leave a null in column \"%s\" of "
							"relation \"%s\"",
							NameStr(column->attname), check->table),
					 err_generic_string(PG_DIAG_COLUMN_NAME,
										NameStr(column->attname))));
	}
	if (check->checks == 0)
		return;
	context = set_row(check, values, isnull);
	for (i = 0; i < check->checks; i++)
		if (!ExecCheck(check->check[i], context))
			ereport(ERROR,
					(errcode(ERRCODE_CHECK_VIOLATION),
					 errmsg("masking would violate a check of relation \"%s\"",
							check->table),
					 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
										check->check_name[i])));
}
