/*
 * mask_plan.c
 *		What rules make of a relation, as one SELECT.
 *
 * The columns are looked up, and each rule says what is written in place of
 * its own (mask_select.c).  What is done to rows, and to the table as a
 * whole, is only noted.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/* ----------------------------------------------------------------------
 * What rules say, as parameters of the statement.
 *
 * A value for a column is read by the input function of the column's type
 * before the statement is run, so that neither a cast of the user nor text of
 * the rules is ever part of it.
 * ----------------------------------------------------------------------
 */

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
sdcpg_mask_bind_float(SdcMaskPlan *plan, const SdcRule *rule, const char *key)
{
	double value = sdcpg_rule_number(rule, key);
	char *sql = bind_value(plan, FLOAT8OID, Float8GetDatum(value), false);

	note(plan, rule, key, psprintf("%g", value));
	return sql;
}

char *
sdcpg_mask_bind_integer(SdcMaskPlan *plan, const SdcRule *rule,
						const char *key)
{
	int32 value = (int32) sdcpg_rule_number(rule, key);
	char *sql = bind_value(plan, INT4OID, Int32GetDatum(value), false);

	note(plan, rule, key, psprintf("%d", value));
	return sql;
}

/* A text as a parameter, with its note. */
static char *
bind_text(SdcMaskPlan *plan, const SdcRule *rule, const char *key,
		  const char *value)
{
	char *sql = bind_value(plan, TEXTOID,
						   value != NULL ? CStringGetTextDatum(value) : 0,
						   value == NULL);

	note(plan, rule, key,
		 value != NULL ? quote_literal_cstr(value) : pstrdup("NULL"));
	return sql;
}

char *
sdcpg_mask_bind_text(SdcMaskPlan *plan, const SdcRule *rule, const char *key)
{
	return bind_text(plan, rule, key, sdcpg_rule_text(rule, key));
}

char *
sdcpg_mask_bind_object(SdcMaskPlan *plan, const SdcRule *rule, const char *key)
{
	return bind_value(plan, JSONBOID,
					  JsonbPGetDatum(sdcpg_params_object(rule->params, key)),
					  false);
}

char *
sdcpg_mask_bind_number(SdcMaskPlan *plan, int32 value)
{
	return bind_value(plan, INT4OID, Int32GetDatum(value), value == 0);
}

char *
sdcpg_mask_bind_variant(SdcMaskPlan *plan, const SdcRule *rule)
{
	return bind_text(
		plan, rule, "variant",
		sdcpg_mask_variants(rule->method,
							rule->columns.count)[sdcpg_rule_variant(rule)]);
}

char *
sdcpg_mask_bind_value(SdcMaskPlan *plan, const SdcRule *rule, const char *key,
					  const SdcRelationColumn *column)
{
	char *string = sdcpg_params_scalar(rule->params, key);
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
sdcpg_mask_bind_draws(SdcMaskPlan *plan, const SdcRule *rule)
{
	if (plan->seeded)
		return sdcpg_mask_bind_seed(plan, rule);
	return bind_value(plan, INT8OID, (Datum) 0, true);
}

char *
sdcpg_mask_bind_key(SdcMaskPlan *plan)
{
	bytea *key = palloc(VARHDRSZ + SDC_RANDOM_KEY);

	SET_VARSIZE(key, VARHDRSZ + SDC_RANDOM_KEY);
	sdcpg_strong_bytes(VARDATA(key), SDC_RANDOM_KEY);
	return bind_value(plan, BYTEAOID, PointerGetDatum(key), false);
}

char *
sdcpg_mask_bind_secret(SdcMaskPlan *plan, double value)
{
	return bind_value(plan, FLOAT8OID, Float8GetDatum(value), false);
}

/* ----------------------------------------------------------------------
 * Values of columns as numbers or text, and back, as SQL.
 *
 * A date is days since 2000-01-01, a timestamp seconds since 1970.  A length
 * is enforced as an assignment would do it: an explicit cast to varchar(n)
 * would cut the value without a word.
 * ----------------------------------------------------------------------
 */

/* Not by date - date, which knows no infinity. */
#define DAY_0 "10957::pg_catalog.float8"
#define DAY   "86400::pg_catalog.float8"

static int
class_of(Oid type)
{
	if (sdcpg_number_is_arithmetic(type))
		return SDC_MASK_NUMBERS;
	switch (type)
	{
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return SDC_MASK_TIMES;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return SDC_MASK_TEXTS;
		case BOOLOID:
		case UUIDOID:
			return SDC_MASK_WORDS;
		case INETOID:
		case CIDROID:
			return SDC_MASK_ADDRESSES;
		case POINTOID:
			return SDC_MASK_PLACES;
		default:
			return 0;
	}
}

/* Stops because a method cannot do with the type of a column; says why. */
pg_noreturn static void
refuse_type(const SdcMaskPlan *plan, const SdcRule *rule,
			const SdcRelationColumn *column, const char *why)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_DATATYPE_MISMATCH),
		 errmsg("method \"%s\" cannot mask column \"%s\" of relation "
				"\"%s\"",
				rule->method->name, column->name, plan->relation->name),
		 errdetail("Its type is %s%s.", format_type_be(column->type), why)));
}

bool
sdcpg_mask_type_is(const SdcRelationColumn *column, int classes)
{
	return (class_of(column->base) & classes) != 0;
}

void
sdcpg_mask_type_need(const SdcMaskPlan *plan, const SdcRule *rule,
					 const SdcRelationColumn *column, int classes)
{
	if (!sdcpg_mask_type_is(column, classes))
		refuse_type(plan, rule, column, "");
}

void
sdcpg_mask_type_need_order(const SdcMaskPlan *plan, const SdcRule *rule,
						   const SdcRelationColumn *column)
{
	if (!sdcpg_column_type(column->type, InvalidOid).ordered)
		refuse_type(plan, rule, column, ", which has no order");
}

void
sdcpg_mask_type_need_equality(const SdcMaskPlan *plan, const SdcRule *rule)
{
	int i;

	for (i = 0; i < rule->columns.count; i++)
		if (!sdcpg_type_has_equality(rule->columns.column[i].base))
			refuse_type(plan, rule, &rule->columns.column[i],
						", whose values cannot be compared");
}

char *
sdcpg_mask_type_number(const SdcRelationColumn *column)
{
	switch (column->base)
	{
		case FLOAT8OID:
			return psprintf("CAST(r.%s AS pg_catalog.float8)", column->sql);
		case DATEOID:
			return psprintf("pg_catalog.float8mi(pg_catalog.float8div("
							"pg_catalog.date_part('epoch', r.%s), " DAY
							"), " DAY_0 ")",
							column->sql);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return psprintf("pg_catalog.date_part('epoch', r.%s)",
							column->sql);
		default:
			return psprintf("CAST(r.%s AS pg_catalog.float8)", column->sql);
	}
}

/* The type of a column in the result as SQL, with its length. */
static char *
type_name(const SdcMaskPlan *plan, const SdcRelationColumn *column)
{
	return plan->in_place ? sdcpg_relation_type(plan->relation, column)
						  : sdcpg_relation_base_type(plan->relation, column);
}

char *
sdcpg_mask_type_cast(const SdcMaskPlan *plan, const SdcRelationColumn *column,
					 const char *sql)
{
	return psprintf("CAST(%s AS %s)", sql, type_name(plan, column));
}

char *
sdcpg_mask_type_from_number(const SdcMaskPlan *plan,
							const SdcRelationColumn *column, const char *sql)
{
	char *value;

	switch (column->base)
	{
		case DATEOID:
			value =
				psprintf("CAST(pg_catalog.timezone('UTC'::pg_catalog.text, "
						 "pg_catalog.to_timestamp(pg_catalog.float8mul("
						 "pg_catalog.float8pl(pg_catalog.round(%s), " DAY_0
						 "), " DAY "))) AS pg_catalog.date)",
						 sql);
			break;
		case TIMESTAMPOID:
			value = psprintf("pg_catalog.timezone('UTC'::pg_catalog.text, "
							 "pg_catalog.to_timestamp(%s))",
							 sql);
			break;
		case TIMESTAMPTZOID:
			value = psprintf("pg_catalog.to_timestamp(%s)", sql);
			break;
		default:
			value = (char *) sql;
	}
	return sdcpg_mask_type_cast(plan, column, value);
}

char *
sdcpg_mask_type_from_text(const SdcMaskPlan *plan,
						  const SdcRelationColumn *column, const char *sql)
{
	int length = sdcpg_relation_characters(plan->relation, column);
	const char *name = column->base == VARCHAROID ? "varchar" : "bpchar";

	if (column->base == TIMESTAMPTZOID)
		sql = psprintf("pg_catalog.timezone('UTC'::pg_catalog.text, "
					   "CAST(%s AS pg_catalog.timestamp))",
					   sql);
	if (length == 0)
		return sdcpg_mask_type_cast(plan, column, sql);
	return sdcpg_mask_type_cast(
		plan, column,
		psprintf("pg_catalog.\"%s\"(CAST(%s AS pg_catalog.\"%s\"), %d, false)",
				 name, sql, name, length + (int) VARHDRSZ));
}

/* ----------------------------------------------------------------------
 * What rules make of a relation, as one SELECT.
 * ----------------------------------------------------------------------
 */

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
sdcpg_mask_plan_window_of(const SdcMaskPlan *plan, const SdcRule *rule,
						  const char *group, const char *frame)
{
	SdcRelationColumns strata = sdcpg_rule_strata(rule, plan->relation);
	const char *before = "PARTITION BY ";
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoChar(&sql, '(');
	for (i = -2; i < strata.count; i++)
	{
		const char *by = i == -2   ? plan->part
						 : i == -1 ? group
								   : psprintf("r.%s", strata.column[i].sql);

		if (by == NULL)
			continue;
		appendStringInfo(&sql, "%s%s", before, by);
		before = ", ";
	}
	for (i = 0; i < plan->order.count; i++)
		appendStringInfo(&sql, "%s%sr.%s", i == 0 && sql.len > 1 ? " " : "",
						 i == 0 ? "ORDER BY " : ", ",
						 plan->order.column[i].sql);
	appendStringInfo(&sql, "%s)", frame);
	return sql.data;
}

char *
sdcpg_mask_plan_window(const SdcMaskPlan *plan, const SdcRule *rule)
{
	return sdcpg_mask_plan_window_of(plan, rule, NULL, "");
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
			(column->rule->method->traits & SDC_MASK_IDLE) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of relation \"%s\" is generated",
							column->column.name, plan->relation->name),
					 errhint("Mask the columns that it is generated from.")));
	}
}

/* Does a key of a rule name the column: a person, a sex, what is known? */
static bool
is_named(const SdcMaskPlan *plan, const SdcRule *rule, AttrNumber number)
{
	ListCell *cell;

	foreach (cell, sdcpg_rule_names(rule))
		if (sdcpg_relation_column(plan->relation, lfirst(cell)).number ==
			number)
			return true;
	return false;
}

/* Is the column needed by other rules, for strata, or to settle ties? */
static bool
is_needed(const SdcMaskPlan *plan, AttrNumber number)
{
	int i;

	for (i = 0; i < plan->rules.count; i++)
	{
		SdcRelationColumns strata =
			sdcpg_rule_strata(&plan->rules.rule[i], plan->relation);

		if (sdcpg_relation_lists(&strata, number) ||
			is_named(plan, &plan->rules.rule[i], number))
			return true;
	}
	return sdcpg_relation_lists(&plan->order, number);
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
			(column->rule->method->traits & SDC_MASK_UNREAD) != 0 &&
			!plan->in_place && !is_needed(plan, column->column.number))
			column->read = false;
	}
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

			if ((plan->rules.rule[i].method->traits & SDC_MASK_IDLE) != 0 ||
				sdcpg_relation_lists(&masked, column->number))
				continue;
			masked.column[masked.count++] = *column;
		}
	for (i = 0; i < plan->columns; i++)
	{
		SdcMaskColumn *column = &plan->column[i];

		column->masked =
			sdcpg_relation_lists(&masked, column->column.number) ||
			(column->generated != '\0' &&
			 sdcpg_generated_from(plan->relation, &column->column, &masked) !=
				 NULL);
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

/* Notes what is done to rows, and to the table when columns are masked. */
static void
pick_rule(SdcMaskPlan *plan, const SdcRule *rule)
{
	const SdcMask *mask = rule->method;

	if (plan->in_place && (mask->traits & SDC_MASK_IN_PLACE) == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("method \"%s\" is not for masking in place",
							   mask->name),
						errdetail("It leaves other rows or other columns."),
						errhint("Name a new table in argument \"target\".")));
	if (mask->stage == SDC_MASK_OF_ROWS)
		plan->sample = rule;
	if (mask->stage != SDC_MASK_OF_TABLE)
		return;
	sdcpg_mask_type_need_equality(plan, rule);
	if (plan->table != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("argument \"rules\" has more than one rule for the "
						"table as a whole"),
				 errdetail("What \"%s\" leaves need not be what \"%s\" is to "
						   "leave.",
						   mask->name, plan->table->method->name)));
	plan->table = rule;
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
	/* some take what others write */
	for (i = 0; i < 2 * plan->rules.count; i++)
	{
		const SdcRule *rule = &plan->rules.rule[i % plan->rules.count];
		bool last = (rule->method->traits & SDC_MASK_LAST) != 0;

		if (last != (i >= plan->rules.count))
			continue;
		context.arg = rule->subject;
		pick_rule(plan, rule);
		if (plan->spread && sdcpg_mask_is_parted(plan->relation, rule))
			sdcpg_mask_write_parted(plan, rule);
		else if (rule->method->write != NULL)
			rule->method->write(plan, rule);
	}
	error_context_stack = context.previous;
}

/* Does a rule leave no value at all? */
static bool
leaves_nothing(const SdcRule *rule)
{
	return strcmp(rule->method->name, "null") == 0 ||
		   (strcmp(rule->method->name, "constant") == 0 &&
			sdcpg_params_scalar(rule->params, "value") == NULL);
}

/* Stops if a rule leaves no value in the column that tells shards apart. */
static void
need_home(const SdcRelation *relation, const SdcRule *rule, const char *home)
{
	int i;

	if (!leaves_nothing(rule))
		return;
	for (i = 0; i < rule->columns.count; i++)
		if (strcmp(rule->columns.column[i].name, home) == 0)
			sdcpg_mask_refuse_spread(
				relation, rule,
				psprintf("Column \"%s\" says in which shard a row is, and "
						 "cannot be NULL.",
						 home));
}

/*
 * Do the servers that hold the rows make the copy of that name, or is it made
 * here, as a temporary one is, and one of a single shard?  Stops when the rows
 * are spread over servers, the copy would be, and these cannot carry a rule
 * out, or are not all alike.
 */
static bool
is_spread(const SdcMaskPlan *plan, const text *target)
{
	char *column;
	int i;

	if (sdcpg_home_of(plan->relation->oid, &column) != SDC_HOME_SPREAD ||
		column == NULL || sdcpg_target_is_temporary(target))
		return false;
	for (i = 0; i < plan->rules.count; i++)
	{
		sdcpg_mask_check_spread(plan->relation, &plan->rules.rule[i]);
		need_home(plan->relation, &plan->rules.rule[i], column);
	}
	sdcpg_workers_need_same();
	return true;
}

SdcMaskPlan *
sdcpg_mask_plan(const SdcRelation *relation, Jsonb *rules, const char *id,
				const text *target, bool seeded, uint64 seed)
{
	SdcMaskPlan *plan = palloc0(sizeof(SdcMaskPlan));
	bool in_place = target == NULL;

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
	{
		blank_generated(plan);
		plan->spread = is_spread(plan, target);
	}
	plan_rules(plan);
	return plan;
}
