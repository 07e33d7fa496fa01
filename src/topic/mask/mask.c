/*
 * mask.c
 *		sdc.mask: rules applied to a table, into a copy or in place.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/target.h"
#include "host/data/window.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_in_place.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/mask_write.h"
#include "topic/mask/pseudonym.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_mask);
PG_FUNCTION_INFO_V1(sdcf_mask_seed);

/* A call, as its arguments say. */
typedef struct Mask
{
	ReturnSetInfo *result;
	SdcPgHost *host;
	Oid table;
	SdcMaskPlan *plan;  /* of the table, or of one that is masked with it */
	const char *prefix; /* of columns of such a table, or "" */
	const text *target; /* NULL: in place */
	bool dry_run;
	int structure; /* that a copy is to have, see mask_copy.h */
} Mask;

static const char *const params_keys[] = {"keep", NULL};

/* A rule that changes nothing protects nobody: that must not go unnoticed. */
static void
warn_unchanged(const Mask *mask, const SdcMaskCount *count, int i)
{
	const SdcMaskColumn *column = &mask->plan->column[i];

	if (sdcpg_window_silent || column->rule == NULL ||
		count->changed[i] != 0 || count->rows == 0)
		return;
	ereport(
		WARNING,
		(errmsg("the rule of \"%s\" leaves every value of column "
				"\"%s%s\" as it was",
				column->rule->subject, mask->prefix, column->column.name),
		 errdetail("Method \"%s\" has changed none of " INT64_FORMAT " rows.",
				   column->rule->method->name, count->rows)));
}

/* Says how many values of a column take no part; once, whatever the strata. */
static void
tell_unusual(const Mask *mask, const SdcMaskCount *count, int i)
{
	const SdcMaskColumn *column = &mask->plan->column[i];
	int64 unusual = count->unusual[i];

	if (sdcpg_window_silent || unusual == 0)
		return;
	ereport(NOTICE,
			(errmsg_plural("column \"%s%s\" holds " INT64_FORMAT
						   " value that is not finite, and takes no part",
						   "column \"%s%s\" holds " INT64_FORMAT
						   " values that are not finite, and take no part",
						   (unsigned long) unusual, mask->prefix,
						   column->column.name, unusual),
			 column->rule->columns.count == 1
				 ? errdetail("NaN and infinity have no place in a mean or a "
							 "sum.")
				 : errdetail("NaN and infinity have no place in a mean or a "
							 "sum. A record with one becomes NULL in all "
							 "columns of its rule.")));
}

/* Does a rule put new records in the place of all? */
static bool
replaces_rows(const SdcMaskPlan *plan)
{
	return plan->table != NULL &&
		   (plan->table->method->traits & SDC_MASK_REPLACES) != 0;
}

/* Rows for a column: that it is masked, suppressed, and examples. */
static void
put_column(const Mask *mask, const SdcMaskCount *count, int i)
{
	const SdcMaskColumn *column = &mask->plan->column[i];
	SdcStep step = SDC_STEP("mask");
	const SdcRule *table;
	ListCell *cell;

	step.subject = psprintf("%s%s", mask->prefix, column->column.name);
	step.rows = count->rows;
	if (column->value != NULL)
	{
		warn_unchanged(mask, count, i);
		tell_unusual(mask, count, i);
		step.method =
			column->rule != NULL ? column->rule->method->name : "null";
		step.changed = count->changed[i];
		step.sql = column->value;
		if (column->rule == NULL)
			step.detail = "Generated from a masked column.";
		sdcpg_step_put(mask->result, &step);
	}
	table = sdcpg_rules_of_table(&mask->plan->rules, column->column.number);
	if (table != NULL)
	{
		step.method = table->method->name;
		step.changed = replaces_rows(mask->plan) ? -1 : count->suppressed[i];
		step.sql = NULL;
		step.detail = table->method->sentence;
		sdcpg_step_put(mask->result, &step);
	}
	foreach (cell, count->example[i])
	{
		SdcStep example = SDC_STEP("example");

		example.subject = column->column.name;
		example.detail = lfirst(cell);
		sdcpg_step_put(mask->result, &example);
	}
}

/* The statement, with what its parameters are. */
static void
put_statement(const Mask *mask, const SdcMaskCount *count, const char *written)
{
	SdcStep step = SDC_STEP(mask->dry_run ? "dry run" : "write");

	step.subject = written;
	step.rows = count->rows;
	step.seconds = count->seconds;
	step.detail = mask->plan->legend.data;
	step.sql = count->sql;
	sdcpg_step_put(mask->result, &step);
}

/* A column that new records do not have. */
static void
put_withheld(const Mask *mask, const SdcMaskColumn *column)
{
	SdcStep step = SDC_STEP("withhold");

	step.subject = column->column.name;
	step.detail = "The new records have the columns of their rule only.";
	sdcpg_step_put(mask->result, &step);
}

/* Is a key written in one form for equal values that print differently? */
static bool
is_made_alike(const SdcMaskPlan *plan, const SdcMaskColumn *column)
{
	return sdcpg_params_is_listed(plan->keys, column->column.name) &&
		   sdcpg_column_has_forms(plan->relation->oid, column->column.number);
}

static void
put_result(const Mask *mask, const SdcMaskCount *count, const char *written)
{
	SdcRoles *declared = sdcpg_roles_find(mask->table);
	int i;

	for (i = 0; i < mask->plan->columns; i++)
		put_column(mask, count, i);
	for (i = 0; i < mask->plan->columns; i++)
	{
		const SdcMaskColumn *column = &mask->plan->column[i];

		if (column->value != NULL || column->masked)
			continue;
		if (replaces_rows(mask->plan))
			put_withheld(mask, column);
		else
			sdcpg_roles_step_kept(
				mask->result, declared, column->column.name,
				column->rule != NULL ? column->rule->method->name : NULL,
				is_made_alike(mask->plan, column));
	}
	put_statement(mask, count, written);
	sdcpg_mask_survey(mask->result, mask->plan);
}

/*
 * Stops when a column without a rule, of which nobody has said what it is,
 * determines a key that is masked: it would give the key away.
 */
static void
refuse_revealing(const SdcMaskPlan *plan)
{
	SdcRelationColumns declared =
		sdcpg_roles_columns(plan->relation, "keys", NULL, SDC_ROLE_KEY);
	SdcRelationColumns keys = {0};
	List *known = NIL;
	int i;

	keys.column = palloc(sizeof(SdcRelationColumn) * (declared.count + 1));
	for (i = 0; i < declared.count; i++)
		if (sdcpg_mask_plan_column((SdcMaskPlan *) plan,
								   declared.column[i].number)
				->masked)
			keys.column[keys.count++] = declared.column[i];
	for (i = 0; i < plan->columns; i++)
		if (plan->column[i].rule != NULL || plan->column[i].masked)
			known = lappend(known, plan->column[i].column.name);
	if (keys.count > 0)
		sdcpg_revealing_refuse(plan->relation, &keys, known);
}

/* Tells where the rows of a copy are, unless it is here. */
static void
tell_home(ReturnSetInfo *result, const SdcTarget *target)
{
	SdcStep step = SDC_STEP("distribute");
	char *column;
	SdcHome home = sdcpg_home_of(sdcpg_target_open(target)->oid, &column);

	sdcpg_target_close();
	switch (home)
	{
		case SDC_HOME_SPREAD:
			step.detail =
				column == NULL
					? "All rows are in one shard."
					: psprintf("Column \"%s\" says in which shard a row is. "
							   "Each server has masked its own rows; how many "
							   "values changed was not counted.",
							   column);
			break;
		case SDC_HOME_EVERYWHERE:
			step.detail = "It is a reference table: all servers have it.";
			break;
		default:
			return;
	}
	step.subject = target->sql;
	sdcpg_step_put(result, &step);
}

static void
mask_copy(Mask *mask)
{
	SdcTarget *target;
	SdcMaskCount *count;

	sdcpg_mask_refuse_view(mask->plan->relation);
	sdcpg_mask_refuse_rows(mask->plan->relation);
	refuse_revealing(mask->plan);
	target = sdcpg_target_find(mask->target);
	sdcpg_mask_gather(mask->host, mask->plan, target->schema);
	if (mask->dry_run)
		count = sdcpg_mask_preview(mask->host, mask->plan);
	else
	{
		count = sdcpg_mask_copy(mask->host, mask->plan, target);
		sdcpg_copy_structure(mask->plan->relation, target, mask->structure);
	}
	sdcpg_mask_end_gathered(mask->plan);
	put_result(mask, count, target->sql);
	if (!mask->dry_run)
		tell_home(mask->result, target);
}

/* Rows for tables that foreign keys tie to the first of the plans. */
static void
put_others(const Mask *mask, List *plans, List *counts)
{
	int i;

	for (i = 1; i < list_length(plans); i++)
	{
		Mask other = *mask;
		int j;

		other.plan = list_nth(plans, i);
		other.prefix = psprintf("%s.", other.plan->relation->sql);
		for (j = 0; j < other.plan->columns; j++)
			put_column(&other, list_nth(counts, i), j);
		put_statement(&other, list_nth(counts, i), other.plan->relation->sql);
	}
}

/* What each plan would do, without doing it. */
static List *
preview_all(const Mask *mask, List *plans)
{
	List *counts = NIL;
	ListCell *cell;

	foreach (cell, plans)
	{
		(void) sdcpg_mask_refuse_plan(lfirst(cell), AccessShareLock);
		counts = lappend(counts, sdcpg_mask_preview(mask->host, lfirst(cell)));
	}
	return counts;
}

static void
mask_in_place(Mask *mask)
{
	LOCKMODE lock = mask->dry_run ? AccessShareLock : AccessExclusiveLock;
	List *plans = sdcpg_mask_cascade(mask->plan, lock);
	List *counts;

	refuse_revealing(mask->plan);
	counts = mask->dry_run ? preview_all(mask, plans)
						   : sdcpg_mask_rewrite(mask->host, plans);
	put_result(mask, linitial(counts), mask->plan->relation->sql);
	put_others(mask, plans, counts);
}

/* Reads params: what a copy takes over. */
static int
read_structure(FunctionCallInfo fcinfo, bool in_place)
{
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);

	sdcpg_params_check(params, params_keys);
	if (in_place && params != NULL && sdcpg_params_has(params, "keep"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key \"keep\" in argument \"params\" is for copies"),
				 errdetail("In place the table keeps all it has.")));
	return sdcpg_copy_structure_read(params);
}

/*
 * Stops when a column that names people has no rule: "keep" is the word for
 * one that is to stay.
 */
static void
need_decisions(const SdcMaskPlan *plan)
{
	SdcRelationColumns identifiers = sdcpg_roles_columns(
		plan->relation, "identifiers", NULL, SDC_ROLE_IDENTIFIER);
	int i;

	for (i = 0; i < identifiers.count; i++)
		if (sdcpg_rules_of(&plan->rules, identifiers.column[i].number) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of relation \"%s\" is a declared "
							"identifier and has no rule",
							identifiers.column[i].name, plan->relation->name),
					 errdetail("Its values would %s as they are.",
							   plan->in_place ? "stay" : "be copied"),
					 errhint("Write a rule for it; {\"method\": \"keep\"} if "
							 "that is what you want.")));
}

/* What values of formats that keep their form look like. */
static const struct
{
	const char *format;
	const char *pattern;
	const char *why;
} forms[] = {
	{"digits", "^[-0-9 +./(),]*[0-9][-0-9 +./(),]*$",
	 "A value has no digit, or has something that is neither a digit nor a "
	 "blank nor one of \"+-./(),\", which would stay readable."},
	{"same", "^[ -~]*[0-9A-Za-z][ -~]*$",
	 "A value has neither a letter nor a digit, or has a letter that is not "
	 "of ASCII, which would stay readable."},
	{"card", "^([ .-]*[0-9]){12,19}[ .-]*$",
	 "A value has not the form of a card."},
	{"iban", "^([ .-]*[A-Z]){2}([ .-]*[0-9]){2}([ .-]*[0-9A-Z]){11,30}[ .-]*$",
	 "A value has not the form of an IBAN."},
	{"de_tax", "^([ .-]*[0-9]){11}[ .-]*$", "A value has not 11 digits."},
	{"fr_nir",
	 "^([ .-]*[0-9]){5}[ .-]*([0-9][ .-]*[0-9]|2[ .-]*[AB])"
	 "([ .-]*[0-9]){8}[ .-]*$",
	 "A value has not the form of such a number."},
	{"es_dni", "^[ .-]*[0-9X-Z]([ .-]*[0-9]){7}[ .-]*[A-Z][ .-]*$",
	 "A value has not the form of such a number."},
	{"jp_my", "^([ .-]*[0-9]){12}[ .-]*$", "A value has not 12 digits."}};

/*
 * Stops when a column that is to have pseudonyms of digits, or of its form,
 * holds something else, before anything is masked: then it can be named.
 */
static void
need_form(const SdcMaskPlan *plan, const SdcRule *rule)
{
	const char *format = strcmp(rule->method->name, "pseudonym") == 0
							 ? sdcpg_params_text(rule->params, "format")
							 : NULL;
	int i;

	for (i = 0; format != NULL && i < lengthof(forms); i++)
		if (strcmp(format, forms[i].format) == 0 &&
			sdcpg_catalog_read(
				/* patterns are refused where unequal texts may be equal */
				psprintf("SELECT 1 FROM %s AS r WHERE %s "
						 "COLLATE pg_catalog.\"C\" "
						 "OPERATOR(pg_catalog.!~) '%s' LIMIT 1",
						 plan->relation->sql,
						 sdcpg_query_text(&rule->columns.column[0]),
						 forms[i].pattern),
				NULL)
					->count > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("pseudonyms of format \"%s\" do not fit column "
							"\"%s\" of relation \"%s\"",
							format, rule->columns.column[0].name,
							plan->relation->name),
					 errdetail_internal("%s", forms[i].why),
					 errhint("Use the format hex.")));
}

static void
need_forms(const SdcMaskPlan *plan)
{
	int i;

	for (i = 0; i < plan->rules.count; i++)
		need_form(plan, &plan->rules.rule[i]);
}

/*
 * Makes the keys of the pseudonyms of a plan, so that all servers have them,
 * before anything is read.
 */
static void
spread_keys(const SdcMaskPlan *plan)
{
	int i;

	for (i = 0; i < plan->rules.count; i++)
		if (strcmp(plan->rules.rule[i].method->name, "pseudonym") == 0)
			sdcpg_pseudonym_spread(
				sdcpg_params_text(plan->rules.rule[i].params, "domain"));
}

/* Reads the arguments, see sdcf_mask; locks the table. */
static void
read_arguments(FunctionCallInfo fcinfo, Mask *mask)
{
	bool seeded = !PG_ARGISNULL(6);

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	mask->table = PG_GETARG_OID(0);
	mask->target = PG_ARGISNULL(2) ? NULL : PG_GETARG_TEXT_PP(2);
	mask->dry_run = PG_GETARG_BOOL(4);
	mask->structure = read_structure(fcinfo, mask->target == NULL);
	if (mask->target == NULL)
		sdcpg_mask_refuse_table(mask->table, mask->dry_run
												 ? AccessShareLock
												 : AccessExclusiveLock);
	mask->plan = sdcpg_mask_plan(
		mask->target == NULL ? sdcpg_relation_look_up(mask->table)
							 : sdcpg_relation_find(mask->table),
		PG_GETARG_JSONB_P(1),
		PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3)), mask->target,
		seeded, seeded ? (uint64) PG_GETARG_INT64(6) : sdcpg_strong_seed());
	if (mask->plan->spread)
		spread_keys(mask->plan);
	need_decisions(mask->plan);
	need_forms(mask->plan);
}

/*
 * mask(relation regclass, rules jsonb, target text, id name, dry_run boolean,
 *		params jsonb, seed bigint) returns setof sdc.mask_step
 */
Datum
sdcf_mask(PG_FUNCTION_ARGS)
{
	Mask mask = {0};
	int level = NewGUCNestLevel();

	/* categories and keyed values are made of texts */
	sdcpg_print_alike();
	mask.prefix = "";
	mask.result = sdcpg_result_begin(fcinfo);
	read_arguments(fcinfo, &mask);
	mask.host = sdcpg_host_begin("mask", CurrentMemoryContext);
	if (mask.target == NULL)
		mask_in_place(&mask);
	else
		mask_copy(&mask);
	sdcpg_host_end(mask.host);
	AtEOXact_GUC(true, level);
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
