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

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/mask/donut.h"
#include "topic/generalization/hierarchy.h"
#include "topic/mask/inside.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/pseudonym.h"
#include "topic/mask/rules.h"

/* ----------------------------------------------------------------------
 * Each masking method as an SQL expression.
 *
 * One writer for each method, in its row (masks.c).  A writer reads the
 * keys of its rule, binds them, and sets what is written in place of each
 * column; r is the alias of the relation.
 * ----------------------------------------------------------------------
 */

/* The only column of a rule. */
static SdcRelationColumn *
only(const SdcRule *rule)
{
	return &rule->columns.column[0];
}

static void
set_value(SdcMaskPlan *plan, const SdcRelationColumn *column, char *sql)
{
	sdcpg_mask_plan_column(plan, column->number)->value = sql;
}

/* Of a distributed relation values trade places over all servers. */
static bool
move_spread(SdcMaskPlan *plan, const SdcRule *rule, SdcSpreadMethod method)
{
	if (!plan->spread)
		return false;
	sdcpg_mask_type_need_order(plan, rule, only(rule));
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  sdcpg_mask_spread_draw(
					  plan, rule, psprintf("r.%s", only(rule)->sql), method)));
	return true;
}

void
sdcpg_write_rank_swap(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *p;
	char *variant;
	char *seed;

	if (move_spread(plan, rule, sdcpg_spread_rank_swap))
		return;
	p = sdcpg_mask_bind_float(plan, rule, "p");
	variant = sdcpg_mask_bind_variant(plan, rule);
	seed = sdcpg_mask_bind_draws(plan, rule);
	sdcpg_mask_type_need_order(plan, rule, only(rule));
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  psprintf("sdc.rank_swap(r.%s, %s, %s, %s) OVER %s",
						   only(rule)->sql, p, variant, seed,
						   sdcpg_mask_plan_window(plan, rule))));
}

void
sdcpg_write_shuffle(SdcMaskPlan *plan, const SdcRule *rule)
{
	if (move_spread(plan, rule, sdcpg_spread_shuffle))
		return;
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  psprintf("sdc.shuffle(r.%s, %s) OVER %s", only(rule)->sql,
						   sdcpg_mask_bind_draws(plan, rule),
						   sdcpg_mask_plan_window(plan, rule))));
}

/* The rows are scanned in the order of the id, and groups are closed as soon
 * as they are diverse; then values are shuffled within each. */
void
sdcpg_write_anatomize(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *l = sdcpg_mask_bind_float(plan, rule, "l");
	char *group = sdcpg_mask_plan_helper(
		plan, psprintf("sdc.diverse_group(r.%s, %s) OVER %s", only(rule)->sql,
					   l, sdcpg_mask_plan_window(plan, rule)));

	sdcpg_mask_type_need_order(plan, rule, only(rule));
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  psprintf("sdc.shuffle(r.%s, %s) OVER %s", only(rule)->sql,
						   sdcpg_mask_bind_draws(plan, rule),
						   sdcpg_mask_plan_window_of(plan, rule, group, ""))));
}

/* Appends a column as a number to "ROW(a, b". */
static void
add_to_record(SdcMaskPlan *plan, const SdcRule *rule,
			  const SdcRelationColumn *column, StringInfo sql)
{
	sdcpg_mask_type_need(plan, rule, column,
						 SDC_MASK_NUMBERS | SDC_MASK_TIMES);
	appendStringInfo(sql, "%s%s", sql->len == 0 ? "ROW(" : ", ",
					 sdcpg_mask_type_number(column));
}

/* ROW(a, b, ...) of the columns of a rule, and of those it is given. */
static char *
record_of(SdcMaskPlan *plan, const SdcRule *rule)
{
	StringInfoData sql;
	ListCell *cell;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < rule->columns.count; j++)
		add_to_record(plan, rule, &rule->columns.column[j], &sql);
	foreach (cell, sdcpg_params_names(rule->params, "given"))
	{
		SdcRelationColumn *column = palloc(sizeof(SdcRelationColumn));

		*column = sdcpg_relation_column(plan->relation, lfirst(cell));
		add_to_record(plan, rule, column, &sql);
	}
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* One column: the mean of neighbours. */
static void
write_alone(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *k;
	char *variant;

	sdcpg_mask_type_need(plan, rule, only(rule),
						 SDC_MASK_NUMBERS | SDC_MASK_TIMES);
	if (plan->spread)
	{
		set_value(
			plan, only(rule),
			sdcpg_mask_type_from_number(
				plan, only(rule),
				sdcpg_mask_spread_draw(
					plan, rule, sdcpg_mask_type_number(only(rule)), NULL)));
		return;
	}
	k = sdcpg_mask_bind_integer(plan, rule, "k");
	variant = sdcpg_mask_bind_variant(plan, rule);
	set_value(plan, only(rule),
			  sdcpg_mask_type_from_number(
				  plan, only(rule),
				  psprintf("sdc.microaggregate(%s, %s, %s, %s) OVER %s",
						   sdcpg_mask_type_number(only(rule)), k, variant,
						   sdcpg_mask_bind_draws(plan, rule),
						   sdcpg_mask_plan_window(plan, rule))));
}

/* Several columns: groups first, then the mean of each. */
void
sdcpg_write_microaggregate(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *k;
	char *variant;
	char *standardize =
		sdcpg_rule_boolean(rule, "standardize") ? "true" : "false";
	char *record;
	char *parted;
	char *group;
	char *window;
	int j;

	if (rule->columns.count == 1)
	{
		write_alone(plan, rule);
		return;
	}
	k = sdcpg_mask_bind_integer(plan, rule, "k");
	variant = sdcpg_mask_bind_variant(plan, rule);
	record = record_of(plan, rule);
	parted = sdcpg_mask_parted_record(plan, rule, &standardize);
	group = sdcpg_mask_plan_helper(
		plan, psprintf("sdc.microaggregate_group(%s, %s, %s, %s, %s) OVER %s",
					   parted != NULL ? parted : record, k, variant,
					   standardize, sdcpg_mask_bind_draws(plan, rule),
					   sdcpg_mask_plan_window(plan, rule)));
	/* in an order that sums do not depend on */
	window = sdcpg_mask_plan_window_of(plan, rule, group,
									   " ROWS BETWEEN UNBOUNDED PRECEDING "
									   "AND UNBOUNDED FOLLOWING");
	for (j = 0; j < rule->columns.count; j++)
	{
		SdcRelationColumn *column = &rule->columns.column[j];

		/* a record with a NULL is in no group: nothing of it may stay */
		set_value(
			plan, column,
			sdcpg_mask_type_from_number(
				plan, column,
				psprintf("CASE WHEN %s IS NOT NULL THEN "
						 "pg_catalog.avg(%s) OVER %s END",
						 group, sdcpg_mask_type_number(column), window)));
	}
}

static void
noise_spread(SdcMaskPlan *plan, const SdcRule *rule)
{
	char **value = palloc(sizeof(char *) * rule->columns.count);
	int j;

	for (j = 0; j < rule->columns.count; j++)
		value[j] = sdcpg_mask_type_number(&rule->columns.column[j]);
	sdcpg_mask_spread_noise(plan, rule, value);
}

void
sdcpg_write_add_noise(SdcMaskPlan *plan, const SdcRule *rule)
{
	bool several = rule->columns.count > 1;
	char *values = record_of(plan, rule);
	char *alpha;
	char *law;
	char *seed;
	char *noise;
	int j;

	if (plan->spread)
	{
		noise_spread(plan, rule);
		return;
	}
	alpha = sdcpg_mask_bind_float(plan, rule, "alpha");
	law = sdcpg_mask_bind_variant(plan, rule);
	seed = sdcpg_mask_bind_draws(plan, rule);
	noise = psprintf("sdc.add_noise(%s, %s, %s, %s) OVER %s",
					 several ? values : sdcpg_mask_type_number(only(rule)),
					 alpha, law, seed, sdcpg_mask_plan_window(plan, rule));
	if (several)
		noise = sdcpg_mask_plan_helper(plan, noise);
	for (j = 0; j < rule->columns.count; j++)
		set_value(plan, &rule->columns.column[j],
				  sdcpg_mask_type_from_number(
					  plan, &rule->columns.column[j],
					  several ? psprintf("%s[%d]", noise, j + 1) : noise));
}

void
sdcpg_write_outlier_noise(SdcMaskPlan *plan, const SdcRule *rule)
{
	sdcpg_mask_type_need(plan, rule, only(rule),
						 SDC_MASK_NUMBERS | SDC_MASK_TIMES);
	set_value(plan, only(rule),
			  sdcpg_mask_type_from_number(
				  plan, only(rule),
				  psprintf("sdc.outlier_noise(%s, %s, %s, %s) OVER %s",
						   sdcpg_mask_type_number(only(rule)),
						   sdcpg_mask_bind_float(plan, rule, "alpha"),
						   sdcpg_mask_bind_float(plan, rule, "threshold"),
						   sdcpg_mask_bind_draws(plan, rule),
						   sdcpg_mask_plan_window(plan, rule))));
}

void
sdcpg_donut_check(const SdcRule *rule, const SdcRelation *relation)
{
	double reach = sdc_donut_reach((SdcDonutSurface) sdcpg_rule_variant(rule));
	double inner = sdcpg_rule_number(rule, "inner");
	double outer = sdcpg_rule_number(rule, "outer");

	if (inner <= outer && outer <= reach)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("key \"%s\" in the rule of \"%s\" must be at most %g",
					inner <= outer ? "outer" : "inner", rule->subject,
					inner <= outer ? reach : outer),
			 errdetail("Places are moved by at least \"inner\" and at most "
					   "\"outer\", on the earth in metres.")));
}

void
sdcpg_write_donut(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *inner = sdcpg_mask_bind_float(plan, rule, "inner");
	char *outer = sdcpg_mask_bind_float(plan, rule, "outer");
	char *surface = sdcpg_mask_bind_variant(plan, rule);

	sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_PLACES);
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  psprintf("sdc.donut(r.%s, %s, %s, %s, %s) OVER %s",
						   only(rule)->sql, inner, outer, surface,
						   sdcpg_mask_bind_draws(plan, rule),
						   sdcpg_mask_plan_window(plan, rule))));
}

/* Sets the columns of a rule to the elements of an array of numbers. */
static void
set_elements(SdcMaskPlan *plan, const SdcRule *rule, char *array)
{
	char *masked = sdcpg_mask_plan_helper(plan, array);
	int j;

	for (j = 0; j < rule->columns.count; j++)
		set_value(
			plan, &rule->columns.column[j],
			sdcpg_mask_type_from_number(plan, &rule->columns.column[j],
										psprintf("%s[%d]", masked, j + 1)));
}

void
sdcpg_write_romm(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *alpha = sdcpg_mask_bind_float(plan, rule, "alpha");

	set_elements(plan, rule,
				 psprintf("sdc.romm(%s, %s, %s) OVER %s",
						  record_of(plan, rule), alpha,
						  sdcpg_mask_bind_draws(plan, rule),
						  sdcpg_mask_plan_window(plan, rule)));
}

/* Stops when a column that is masked is given as well. */
static void
check_given(const SdcRule *rule)
{
	List *given = sdcpg_params_names(rule->params, "given");
	int j;

	for (j = 0; j < rule->columns.count; j++)
		if (sdcpg_params_is_listed(given, rule->columns.column[j].name))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" is masked and given",
							rule->columns.column[j].name),
					 errdetail("Draws would depend on the values that they "
							   "are to hide.")));
}

void
sdcpg_write_data_shuffle(SdcMaskPlan *plan, const SdcRule *rule)
{
	check_given(rule);
	set_elements(
		plan, rule,
		psprintf("sdc.data_shuffle(%s, %d, %s) OVER %s", record_of(plan, rule),
				 list_length(sdcpg_params_names(rule->params, "given")),
				 sdcpg_mask_bind_draws(plan, rule),
				 sdcpg_mask_plan_window(plan, rule)));
}

/* A call of a method whose function takes the text of a value. */
static void
write_categories(SdcMaskPlan *plan, const SdcRule *rule, const char *parameter)
{
	char *variant = sdcpg_mask_bind_variant(plan, rule);

	sdcpg_mask_type_need(plan, rule, only(rule),
						 SDC_MASK_TEXTS | SDC_MASK_WORDS | SDC_MASK_NUMBERS |
							 SDC_MASK_TIMES);
	set_value(
		plan, only(rule),
		sdcpg_mask_type_from_text(
			plan, only(rule),
			psprintf("sdc.%s(%s, %s, %s, %s) OVER %s", rule->method->name,
					 sdcpg_query_text(only(rule)), parameter, variant,
					 sdcpg_mask_bind_draws(plan, rule),
					 sdcpg_mask_plan_window(plan, rule))));
}

void
sdcpg_write_pram(SdcMaskPlan *plan, const SdcRule *rule)
{
	if (!move_spread(plan, rule, sdcpg_spread_pram))
		write_categories(plan, rule, sdcpg_mask_bind_float(plan, rule, "p"));
}

void
sdcpg_write_pram_matrix(SdcMaskPlan *plan, const SdcRule *rule)
{
	write_categories(plan, rule, sdcpg_mask_bind_object(plan, rule, "matrix"));
}

/* A function of the value and of the first key, as it is in SQL. */
void
sdcpg_write_bound(SdcMaskPlan *plan, const SdcRule *rule)
{
	const SdcMask *mask = rule->method;
	char *bound =
		sdcpg_mask_bind_value(plan, rule, mask->keys[0].name, only(rule));

	sdcpg_mask_type_need_order(plan, rule, only(rule));
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(plan, only(rule),
								   psprintf("sdc.%s(r.%s, %s)", mask->name,
											only(rule)->sql, bound)));
}

/*
 * What rounds a number.  Equal values are rounded alike, so without a seed of
 * the caller the bits of a value depend on it and on a strong key: one seed
 * for all would be one secret of 64 bits behind the column.
 */
void
sdcpg_write_round_to(SdcMaskPlan *plan, const SdcRule *rule)
{
	static const SdcRelationColumn base = {.base = NUMERICOID, .name = "base"};
	char *to = sdcpg_mask_bind_value(plan, rule, "base", &base);
	bool random = sdcpg_rule_boolean(rule, "random");
	bool strong = random && !plan->seeded;
	char *bits = strong   ? sdcpg_mask_bind_key(plan)
				 : random ? sdcpg_mask_bind_seed(plan, rule)
						  : "NULL::pg_catalog.int8";

	sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_NUMBERS);
	if (!random && only(rule)->base == FLOAT8OID)
	{
		set_value(plan, only(rule),
				  sdcpg_mask_type_cast(plan, only(rule),
									   psprintf("sdc.round_float(r.%s, %s)",
												only(rule)->sql, to)));
		return;
	}
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  psprintf("%s(CAST(r.%s AS pg_catalog.numeric), %s, %s)",
						   strong ? "sdc.round_by_key" : "sdc.round_to",
						   only(rule)->sql, to, bits)));
}

void
sdcpg_write_generalize(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *hierarchy = sdcpg_mask_bind_text(plan, rule, "hierarchy");
	char *level = sdcpg_mask_bind_integer(plan, rule, "level");
	char *sql = psprintf("sdc.generalize(r.%s, %s, %s)", only(rule)->sql,
						 hierarchy, level);

	if (plan->in_place)
	{
		sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_TEXTS);
		sql = sdcpg_mask_type_from_text(plan, only(rule), sql);
	}
	else
		sdcpg_mask_plan_column(plan, only(rule)->number)->is_text = true;
	sdcpg_hierarchy_need_fit(sdcpg_params_text(rule->params, "hierarchy"),
							 only(rule)->type,
							 (int32) sdcpg_rule_number(rule, "level"));
	set_value(plan, only(rule), sql);
}

void
sdcpg_write_mask_text(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *keep = sdcpg_mask_bind_integer(plan, rule, "keep");
	char *fill = sdcpg_mask_bind_text(plan, rule, "fill");

	sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_TEXTS);
	set_value(plan, only(rule),
			  sdcpg_mask_type_from_text(plan, only(rule),
										psprintf("sdc.mask_text(%s, %s, %s)",
												 sdcpg_query_text(only(rule)),
												 keep, fill)));
}

void
sdcpg_write_mask_inet(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *keep = sdcpg_mask_bind_integer(plan, rule, "keep");

	sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_ADDRESSES);
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  psprintf("sdc.mask_inet(CAST(r.%s AS pg_catalog.inet), %s)",
						   only(rule)->sql, keep)));
}

/* Is there a function sdc.pseudonym with that many texts? */
static bool
has_pseudonym(int texts)
{
	Oid type[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};

	return OidIsValid(
		LookupFuncName(list_make2(makeString("sdc"), makeString("pseudonym")),
					   texts, type, true));
}

/*
 * Letters of a pseudonym of a format; as many as the value has: 0, or -1 where
 * the first digit may become a zero.
 */
static int
pseudonym_length(const char *format)
{
	if (strcmp(format, "hex") == 0)
		return 32;
	if (strcmp(format, "uuid") == 0)
		return 36;
	if (strcmp(format, "email") == 0)
		return 40;
	return strcmp(format, "digits") == 0 ? 0 : -1;
}

/* The type of a column as it was declared. */
static char *
declared_type(const SdcMaskPlan *plan, const SdcRelationColumn *column)
{
	Oid type;
	Oid collation;
	int32 modifier;

	get_atttypetypmodcoll(plan->relation->oid, column->number, &type,
						  &modifier, &collation);
	return format_type_with_typemod(type, modifier);
}

/* Stops when pseudonyms of the rule cannot be values of the column. */
static void
check_pseudonym(SdcMaskPlan *plan, const SdcRule *rule)
{
	const SdcRelationColumn *column = only(rule);
	const char *format = sdcpg_params_text(rule->params, "format");
	bool fits = true;
	int length;
	int size = sdcpg_relation_characters(plan->relation, column);

	format = format == NULL ? "hex" : format;
	length = pseudonym_length(format);
	if (length < 0)
		fits = column->base == TEXTOID || column->base == VARCHAROID ||
			   column->base == BPCHAROID;
	else if (column->base == UUIDOID && strcmp(format, "uuid") != 0)
		fits = false;
	else if (length > 0 &&
			 (column->base == INT2OID || column->base == INT4OID ||
			  column->base == INT8OID || column->base == NUMERICOID ||
			  column->base == FLOAT4OID || column->base == FLOAT8OID))
		fits = false;
	else if (column->base == BOOLOID)
		fits = false;
	else if (size > 0 && size < length)
		fits = false;
	if (!fits)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("pseudonyms of format \"%s\" do not fit column \"%s\" "
					"of relation \"%s\"",
					format, column->name, plan->relation->name),
			 errdetail("Its type is %s.", declared_type(plan, column)),
			 errhint("Use the format digits for numbers and uuid for uuid; "
					 "hex needs 32 letters, uuid 36 and email 40, and the "
					 "others a text.")));
}

void
sdcpg_write_pseudonym(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *domain = sdcpg_mask_bind_text(plan, rule, "domain");
	char *period = sdcpg_mask_bind_text(plan, rule, "period");
	char *format = sdcpg_mask_bind_text(plan, rule, "format");

	if (!has_pseudonym(4))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("this version of sdc has no pseudonyms")));
	sdcpg_mask_type_need(plan, rule, only(rule),
						 SDC_MASK_TEXTS | SDC_MASK_WORDS | SDC_MASK_NUMBERS);
	check_pseudonym(plan, rule);
	set_value(
		plan, only(rule),
		sdcpg_mask_type_from_text(
			plan, only(rule),
			psprintf("sdc.%s(%s, %s, %s, %s)",
					 plan->spread ? "known_pseudonym" : "pseudonym",
					 sdcpg_query_text(only(rule)), domain, period, format)));
}

/* A column of that name as text of r. */
static char *
text_of_column(SdcMaskPlan *plan, const SdcRule *rule, const char *name)
{
	SdcRelationColumn *column = palloc(sizeof(SdcRelationColumn));

	*column = sdcpg_relation_column(plan->relation, name);
	sdcpg_mask_type_need(plan, rule, column,
						 SDC_MASK_TEXTS | SDC_MASK_WORDS | SDC_MASK_NUMBERS |
							 SDC_MASK_TIMES);
	return sdcpg_query_text(column);
}

/* The column that a key of a rule names, as text of r, or NULL. */
static char *
named_text(SdcMaskPlan *plan, const SdcRule *rule, const char *key)
{
	char *name = sdcpg_rule_text(rule, key);

	return name == NULL ? "NULL::pg_catalog.text"
						: text_of_column(plan, rule, name);
}

/* "ARRAY[a, b]" of the columns that a key of a rule lists, as text of r. */
static char *
listed_texts(SdcMaskPlan *plan, const SdcRule *rule, const char *key)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach (cell, sdcpg_params_names(rule->params, key))
		appendStringInfo(&sql, "%s%s", sql.len > 0 ? ", " : "",
						 text_of_column(plan, rule, lfirst(cell)));
	return psprintf("ARRAY[%s]::pg_catalog.text[]", sql.data);
}

/* Tells that an id in the clear undoes what moving households protects. */
static void
tell_household(const SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcRelationColumn column = sdcpg_relation_column(
		plan->relation, sdcpg_rule_text(rule, "household"));
	const SdcRule *own = sdcpg_rules_of(&plan->rules, column.number);

	if (own == NULL || own->method->traits & SDC_MASK_IDLE)
		ereport(NOTICE,
				(errmsg("column \"%s\" stays as it is beside the swapped "
						"places of its households",
						column.name),
				 errdetail("Who knows whose household has which value finds "
						   "it wherever it has moved."),
				 errhint("Give it a pseudonym.")));
}

void
sdcpg_write_record_swap(SdcMaskPlan *plan, const SdcRule *rule)
{
	StringInfoData place;
	char *moved;
	int j;

	initStringInfo(&place);
	for (j = 0; j < rule->columns.count; j++)
		appendStringInfo(
			&place, "%s%s", j > 0 ? ", " : "",
			text_of_column(plan, rule, rule->columns.column[j].name));
	moved = sdcpg_mask_plan_helper(
		plan, psprintf("sdc.record_swap(ARRAY[%s]::pg_catalog.text[], %s, %s, "
					   "%s, %s, %s, %s) OVER %s",
					   place.data, named_text(plan, rule, "household"),
					   listed_texts(plan, rule, "risk"),
					   listed_texts(plan, rule, "match"),
					   sdcpg_mask_bind_float(plan, rule, "p"),
					   sdcpg_mask_bind_integer(plan, rule, "k"),
					   sdcpg_mask_bind_draws(plan, rule),
					   sdcpg_mask_plan_window(plan, rule)));
	if (sdcpg_rule_text(rule, "household") != NULL)
		tell_household(plan, rule);
	for (j = 0; j < rule->columns.count; j++)
		set_value(plan, &rule->columns.column[j],
				  sdcpg_mask_type_from_text(plan, &rule->columns.column[j],
											psprintf("%s[%d]", moved, j + 1)));
}

/* Is there a unique index on the column alone? */
static bool
is_unique(const SdcMaskPlan *plan, const SdcRelationColumn *column)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(plan->relation->oid), false);
	sdcpg_catalog_bind(&parameters, INT2OID, Int16GetDatum(column->number),
					   false);
	return sdcpg_catalog_read(
			   "SELECT 1 FROM pg_catalog.pg_index AS i "
			   "WHERE i.indrelid OPERATOR(pg_catalog.=) $1 AND i.indisunique "
			   "AND i.indnkeyatts OPERATOR(pg_catalog.=) 1 "
			   "AND i.indkey[0] OPERATOR(pg_catalog.=) $2",
			   &parameters)
			   ->count > 0;
}

/* That two of n values share a fake may be as likely as this. */
#define SHARED 1e-3

/* Among how many fakes a value of a column gets its own. */
static double
variety_of(const SdcMaskPlan *plan, const SdcRule *rule, SdcFakeKind kind,
		   SdcFakeLocale locale)
{
	SdcPgHost *host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	double variety = sdc_fake_variety(
		&host->kernel, kind, locale, sdcpg_fake_lists(locale),
		sdcpg_relation_characters(plan->relation, only(rule)));

	sdcpg_host_end(host);
	return variety;
}

/* Stops when the fakes of a column that is unique need not be. */
static void
need_variety(SdcMaskPlan *plan, const SdcRule *rule, SdcFakeKind kind,
			 SdcFakeLocale locale)
{
	static const SdcCatalogParameters none;
	double n;

	if (!is_unique(plan, only(rule)))
		return;
	n = DatumGetInt64(
		sdcpg_catalog_read(psprintf("SELECT pg_catalog.count(%s) FROM %s AS r",
									psprintf("r.%s", only(rule)->sql),
									plan->relation->sql),
						   &none)
			->value[0][0]);
	if (n * (n - 1) / 2 < SHARED * variety_of(plan, rule, kind, locale))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("fakes of kind \"%s\" are not different enough for column "
				"\"%s\" of relation \"%s\"",
				sdc_fake_words[kind], only(rule)->name, plan->relation->name),
		 errdetail("The column is unique, and two of its %.0f values "
				   "might get the same fake.",
				   n),
		 errhint("Method \"pseudonym\" keeps values apart; fakes of kind "
				 "email and login do in any table, where the column has "
				 "room for 48 characters.")));
}

/* Stops when a column has no room for fakes that cannot be cut. */
static void
need_room(SdcMaskPlan *plan, const SdcRule *rule, SdcFakeKind kind,
		  SdcFakeLocale locale)
{
	int size = sdcpg_relation_characters(plan->relation, only(rule));
	int least = sdc_fake_least(kind, locale);

	if (size == 0 || size >= least)
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_DATATYPE_MISMATCH),
		 errmsg("fakes of kind \"%s\" do not fit column \"%s\" of "
				"relation \"%s\"",
				sdc_fake_words[kind], only(rule)->name, plan->relation->name),
		 errdetail("They have at least %d characters, and its type is %s.",
				   least, declared_type(plan, only(rule)))));
}

void
sdcpg_write_fake(SdcMaskPlan *plan, const SdcRule *rule)
{
	SdcFakeKind kind = (SdcFakeKind) sdcpg_params_choice(rule->params, "kind",
														 sdc_fake_words);
	SdcFakeLocale locale = (SdcFakeLocale) sdcpg_params_choice(
		rule->params, "locale", sdc_fake_locales);
	char *words;

	sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_TEXTS);
	need_room(plan, rule, kind, locale);
	need_variety(plan, rule, kind, locale);
	words = psprintf("%s, %s", sdcpg_mask_bind_text(plan, rule, "kind"),
					 sdcpg_mask_bind_text(plan, rule, "domain"));
	words = psprintf("%s, %s, %s", words,
					 sdcpg_mask_bind_text(plan, rule, "period"),
					 sdcpg_mask_bind_text(plan, rule, "locale"));
	set_value(plan, only(rule),
			  sdcpg_mask_type_from_text(
				  plan, only(rule),
				  psprintf("sdc.fake(%s, %s, %s, %s, %s)",
						   sdcpg_query_text(only(rule)), words,
						   named_text(plan, rule, "sex"),
						   named_text(plan, rule, "by"),
						   sdcpg_mask_bind_number(
							   plan, sdcpg_relation_characters(plan->relation,
															   only(rule))))));
}

/* A day has 24 hours here, so that no time zone of the session matters. */
void
sdcpg_write_shift(SdcMaskPlan *plan, const SdcRule *rule)
{
	const SdcRelationColumn *column = only(rule);
	char *domain = sdcpg_mask_bind_text(plan, rule, "domain");
	char *period = sdcpg_mask_bind_text(plan, rule, "period");
	char *days = sdcpg_mask_bind_integer(plan, rule, "days");
	char *person;

	sdcpg_mask_type_need(plan, rule, column, SDC_MASK_TIMES);
	person = sdcpg_rule_text(rule, "by") != NULL
				 ? psprintf("COALESCE(%s, %s)", named_text(plan, rule, "by"),
							sdcpg_query_text(column))
				 : sdcpg_query_text(column);
	days = psprintf("sdc.shift_days(%s, %s, %s, %s)", person, domain, period,
					days);
	if (column->base != DATEOID)
		days = psprintf("pg_catalog.make_interval(hours => 24 "
						"OPERATOR(pg_catalog.*) %s)",
						days);
	set_value(
		plan, column,
		sdcpg_mask_type_cast(
			plan, column,
			psprintf("CAST(r.%s AS %s) OPERATOR(pg_catalog.+) %s", column->sql,
					 format_type_extended(column->base, -1,
										  FORMAT_TYPE_FORCE_QUALIFY),
					 days)));
}

/*
 * Is a column one that scrub knows: named by the rule, or masked by a key?
 * What it becomes must be made of its own row.
 */
static bool
is_known(const SdcMaskPlan *plan, const SdcRule *rule, List *names,
		 const SdcMaskColumn *column)
{
	const SdcRule *other = column->rule;
	bool named = sdcpg_params_is_listed(names, column->column.name);

	if (column->column.number == only(rule)->number)
		return false;
	if (named && (other == NULL || column->value == NULL ||
				  !(other->method->traits & SDC_MASK_ROW_LOCAL)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is not masked row by row, so \"%s\" "
						"cannot follow it",
						column->column.name, only(rule)->name),
				 errhint("Give it a rule of its own, as fake or null, or "
						 "leave it out of \"known\".")));
	if (names != NIL)
		return named;
	return other != NULL && column->value != NULL &&
		   (other->method->traits & SDC_MASK_KEYED) != 0 &&
		   sdcpg_mask_type_is(&column->column, SDC_MASK_TEXTS |
												   SDC_MASK_WORDS |
												   SDC_MASK_NUMBERS);
}

/* "ARRAY[values that are known], ARRAY[what they become]" of a row. */
static char *
known_arrays(const SdcMaskPlan *plan, const SdcRule *rule)
{
	List *names = sdcpg_params_names(rule->params, "known");
	StringInfoData known;
	StringInfoData become;
	const char *comma = "";
	int i;

	initStringInfo(&known);
	initStringInfo(&become);
	for (i = 0; i < plan->columns; i++)
	{
		const SdcMaskColumn *column = &plan->column[i];

		if (!is_known(plan, rule, names, column))
			continue;
		appendStringInfo(&known, "%s%s", comma,
						 sdcpg_query_text(&column->column));
		appendStringInfo(&become, "%sCAST(%s AS pg_catalog.text)", comma,
						 column->value);
		comma = ", ";
	}
	return psprintf("ARRAY[%s]::pg_catalog.text[], "
					"ARRAY[%s]::pg_catalog.text[]",
					known.data, become.data);
}

void
sdcpg_write_scrub(SdcMaskPlan *plan, const SdcRule *rule)
{
	char *domain = sdcpg_mask_bind_text(plan, rule, "domain");
	char *period = sdcpg_mask_bind_text(plan, rule, "period");
	char *locale = sdcpg_mask_bind_text(plan, rule, "locale");

	sdcpg_mask_type_need(plan, rule, only(rule), SDC_MASK_TEXTS);
	set_value(plan, only(rule),
			  sdcpg_mask_type_from_text(
				  plan, only(rule),
				  psprintf("sdc.scrub(%s, %s, %s, %s, %s, %s)",
						   sdcpg_query_text(only(rule)), domain, period,
						   locale, known_arrays(plan, rule),
						   sdcpg_mask_bind_number(
							   plan, sdcpg_relation_characters(plan->relation,
															   only(rule))))));
}

/* "ARRAY[names], ARRAY[texts]" of the columns that rules of paths name. */
static char *
named_arrays(SdcMaskPlan *plan, const SdcRule *rule)
{
	List *names = sdcpg_inside_columns(rule, NIL);
	StringInfoData name;
	StringInfoData value;
	ListCell *cell;

	initStringInfo(&name);
	initStringInfo(&value);
	foreach (cell, names)
	{
		const char *comma = name.len > 0 ? ", " : "";

		appendStringInfo(&name, "%s%s", comma,
						 quote_literal_cstr(lfirst(cell)));
		appendStringInfo(&value, "%s%s", comma,
						 text_of_column(plan, rule, lfirst(cell)));
	}
	return psprintf("ARRAY[%s]::pg_catalog.text[], "
					"ARRAY[%s]::pg_catalog.text[]",
					name.data, value.data);
}

void
sdcpg_write_inside(SdcMaskPlan *plan, const SdcRule *rule)
{
	const SdcRelationColumn *column = only(rule);

	if (!sdcpg_inside_has(column->base))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("method \"%s\" cannot mask column \"%s\" of relation "
					"\"%s\"",
					rule->method->name, column->name, plan->relation->name),
			 errdetail("Its type is %s.", declared_type(plan, column)),
			 errhint("It is for JSON, XML, hstore, arrays and composite "
					 "types.")));
	set_value(
		plan, column,
		sdcpg_mask_type_cast(
			plan, column,
			psprintf("sdc.mask_inside(CAST(r.%s AS %s), %s, %s, %s)",
					 column->sql,
					 format_type_extended(column->base, -1,
										  FORMAT_TYPE_FORCE_QUALIFY),
					 sdcpg_mask_bind_object(plan, rule, "paths"),
					 named_arrays(plan, rule), known_arrays(plan, rule))));
}

void
sdcpg_write_constant(SdcMaskPlan *plan, const SdcRule *rule)
{
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(
				  plan, only(rule),
				  sdcpg_mask_bind_value(plan, rule, "value", only(rule))));
}

void
sdcpg_write_null(SdcMaskPlan *plan, const SdcRule *rule)
{
	set_value(plan, only(rule),
			  sdcpg_mask_type_cast(plan, only(rule), "NULL"));
}

/* ----------------------------------------------------------------------
 * The SELECT that masks a relation.
 * ----------------------------------------------------------------------
 */

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

/* All rows of the persons that the key of a domain draws. */
static void
append_persons(StringInfo sql, SdcMaskPlan *plan,
			   const SdcRelationColumns *columns)
{
	const SdcRule *rule = plan->sample;
	char *person = named_text(plan, rule, "by");
	char *domain = sdcpg_mask_bind_text(plan, rule, "domain");
	char *period = sdcpg_mask_bind_text(plan, rule, "period");

	appendStringInfo(
		sql,
		"(SELECT %s FROM %s AS r WHERE sdc.in_sample(%s, %s, %s, %s)) AS r",
		sdcpg_relation_list(columns), plan->relation->sql, person, domain,
		period, sdcpg_mask_bind_secret(plan, sdcpg_rule_number(rule, "p")));
}

static void
append_sample(StringInfo sql, SdcMaskPlan *plan,
			  const SdcRelationColumns *columns)
{
	const SdcRule *rule = plan->sample;
	SdcRelationColumns strata = sdcpg_rule_strata(rule, plan->relation);
	char *share;
	char *seed;

	if (sdcpg_rule_text(rule, "by") != NULL)
	{
		append_persons(sql, plan, columns);
		return;
	}
	share = sdcpg_mask_bind_secret(plan, sdcpg_rule_number(rule, "p") / 100);
	seed = sdcpg_mask_bind_draws(plan, rule);
	sdcpg_mask_sample(
		sql, plan->relation, columns, &strata, &plan->order,
		sdcpg_mask_plan_unused(plan, 0), share, seed,
		sdcpg_mask_bind_secret(
			plan, sdcpg_mask_sample_start(plan->seeded,
										  sdcpg_mask_seed(plan->seed, "*"))));
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
