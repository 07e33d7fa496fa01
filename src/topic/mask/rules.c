/*
 * rules.c
 *		The argument "rules": how columns are, or were, masked.
 *
 * A rule for a column that does not exist, or with an unknown key, would
 * protect nobody and be noticed by nobody, so every word is looked up.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "topic/generalization/generalization.h"
#include "topic/mask/inside.h"
#include "topic/mask/rules.h"

/* ----------------------------------------------------------------------
 * The seed of each rule, from the seed of the call.
 *
 * FNV-1a over the bytes of the names, mixed with the seed; the same on every
 * machine.
 * ----------------------------------------------------------------------
 */

uint64
sdcpg_mask_seed(uint64 seed, const char *subject)
{
	uint64 hash = UINT64CONST(0xcbf29ce484222325);

	for (; *subject != '\0'; subject++)
		hash = (hash ^ (unsigned char) *subject) * UINT64CONST(0x100000001b3);
	return sdc_random_mix(seed ^ sdc_random_mix(hash));
}

/* ----------------------------------------------------------------------
 * A stratified sample of a relation, as SQL.
 *
 * The rows are numbered, the numbers shuffled, the rows put in the order of
 * strata and shuffled numbers, and numbered again: i.  Row i is taken when
 * i * share + start passes a whole number that (i - 1) * share + start has not
 * reached.  That is systematic sampling from a random order; its start is
 * uniform, so each row is as likely as any other, in small strata, too.
 * ----------------------------------------------------------------------
 */

/* Appends "prefix r.a, r.b". */
static void
append_columns(StringInfo sql, const char *prefix,
			   const SdcRelationColumns *columns)
{
	int i;

	for (i = 0; i < columns->count; i++)
		appendStringInfo(sql, "%sr.%s", i == 0 ? prefix : ", ",
						 columns->column[i].sql);
}

void
sdcpg_mask_sample(StringInfo sql, const SdcRelation *relation,
				  const SdcRelationColumns *columns,
				  const SdcRelationColumns *strata,
				  const SdcRelationColumns *order, const char *unused,
				  const char *share, const char *seed, const char *start)
{
	append_columns(sql, "(SELECT ", columns);
	append_columns(sql, " FROM (SELECT ", columns);
	appendStringInfoString(sql, ", pg_catalog.row_number() OVER (ORDER BY ");
	append_columns(sql, "", strata);
	appendStringInfo(sql, "%sr.%s) AS %s", strata->count > 0 ? ", " : "",
					 unused, unused);
	append_columns(sql, " FROM (SELECT ", columns);
	appendStringInfo(sql, ", sdc.shuffle(r.%s, %s) OVER (ORDER BY r.%s) AS %s",
					 unused, seed, unused, unused);
	append_columns(sql, " FROM (SELECT ", columns);
	appendStringInfoString(sql, ", pg_catalog.row_number() OVER (");
	append_columns(sql, "ORDER BY ", order);
	appendStringInfo(sql, ") AS %s FROM %s AS r) AS r) AS r) AS r WHERE ",
					 unused, relation->sql);
	appendStringInfo(
		sql,
		"pg_catalog.floor((CAST(r.%s AS pg_catalog.float8) "
		"OPERATOR(pg_catalog.*) %s) OPERATOR(pg_catalog.+) %s) "
		"OPERATOR(pg_catalog.>) pg_catalog.floor((CAST(r.%s "
		"OPERATOR(pg_catalog.-) 1 AS pg_catalog.float8) "
		"OPERATOR(pg_catalog.*) %s) OPERATOR(pg_catalog.+) %s)) AS r",
		unused, share, start, unused, share, start);
}

double
sdcpg_mask_sample_start(bool seeded, uint64 seed)
{
	SdcRandom random;

	if (seeded)
		sdc_random_seed(&random, seed, 1);
	else
		sdcpg_strong_random(&random);
	return (double) sdc_random_below(&random, 1 << 20) / (1 << 20);
}

/* ----------------------------------------------------------------------
 * The argument "rules": how columns are, or were, masked.
 * ----------------------------------------------------------------------
 */

/* The rows as a whole, or a column of that name: the method says which. */
#define ROWS "*"

/* Adds a column to a list of columns. */
static void
add_column(SdcRelationColumns *columns, const SdcRelation *relation,
		   const char *name)
{
	columns->column =
		columns->count == 0
			? palloc(sizeof(SdcRelationColumn))
			: repalloc(columns->column,
					   (columns->count + 1) * sizeof(SdcRelationColumn));
	columns->column[columns->count++] = sdcpg_relation_column(relation, name);
}

/*
 * The columns in the key of a rule: one, or several with commas; none where a
 * method is for the rows, or there is no column "*".
 */
static void
read_columns(SdcRule *rule, const SdcRelation *relation)
{
	char *rest = pstrdup(rule->subject);
	bool named = get_attnum(relation->oid, rest) != InvalidAttrNumber;
	char *name;

	if (strcmp(rest, ROWS) == 0 && (!named || rule->method->columns == 0))
		return;
	if (named)
	{
		add_column(&rule->columns, relation, rest);
		return;
	}
	while ((name = sdcpg_params_next_name(&rest)) != NULL)
		add_column(&rule->columns, relation, name);
}

/* How a rule is written. */
#define RULE_HINT \
	"Write {\"income\": {\"method\": \"rank_swap\", \"p\": 15}}, say."

/* The method of a rule. */
static void
read_method(SdcRule *rule)
{
	JsonbValue name;

	if (!sdcpg_params_find(rule->params, "method", &name) ||
		name.type != jbvString)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each rule in argument \"rules\" must have a string "
						"\"method\""),
				 errhint(RULE_HINT)));
	rule->method = sdcpg_mask_find(name.val.string.val, name.val.string.len);
	if (rule->method == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unknown method \"%.*s\" in the rule of \"%s\"",
							   name.val.string.len, name.val.string.val,
							   rule->subject),
						errhint("Methods are %s.", sdcpg_mask_names())));
}

/* The keys of a rule, with its variants; the last has no name. */
static const SdcKey *
keys_of(const SdcRule *rule)
{
	const SdcMask *mask = rule->method;
	const char *const *words = sdcpg_mask_variants(mask, rule->columns.count);
	SdcKey *keys;
	int count = 0;

	if (words == NULL)
		return mask->keys;
	while (mask->keys[count].name != NULL)
		count++;
	keys = palloc0(sizeof(SdcKey) * (count + 2));
	memcpy(keys, mask->keys, sizeof(SdcKey) * count);
	keys[count].name = "variant";
	keys[count].type = SDC_KEY_WORD;
	keys[count].words = words;
	return keys;
}

/* Stops unless the models of a rule, and what they name, are there. */
static void
check_models(const SdcRule *rule, const SdcRelation *relation)
{
	List *models =
		sdcpg_models_read(rule->params, rule->method->searches, NULL);
	ListCell *cell;

	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->column != NULL)
			(void) sdcpg_relation_column(relation, model->column);
	}
	(void) sdcpg_models_register(models, rule->params);
}

/* Stops unless the keys of a rule are those of its method, with columns. */
static void
check_keys(const SdcRule *rule, const SdcRelation *relation)
{
	const SdcKey *keys = keys_of(rule);
	char *place = psprintf("the rule of \"%s\"", rule->subject);

	sdcpg_keys_check(rule->params, keys, place,
					 psprintf("Method \"%s\"", rule->method->name));
	sdcpg_keys_check_columns(rule->params, keys, relation, &rule->columns,
							 place);
	if (rule->method->searches != 0)
		check_models(rule, relation);
	if (rule->method->check != NULL)
		rule->method->check(rule, relation);
}

void
sdcpg_rules_check_names(const SdcRules *rules)
{
	int i;

	for (i = 0; i < rules->count; i++)
	{
		const SdcRule *rule = &rules->rule[i];

		sdcpg_keys_check_names(rule->params, rule->method->keys,
							   psprintf("the rule of \"%s\"", rule->subject));
	}
}

/* Stops unless the method takes as many columns as the rule names. */
static void
check_count(const SdcRule *rule)
{
	const SdcMask *method = rule->method;

	if (method->columns == 0 && rule->columns.count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" is for the rows as a whole, not for "
						"\"%s\"",
						method->name, rule->subject),
				 errhint("Write it under \"%s\".", ROWS)));
	if (method->columns > 0 && rule->columns.count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" is for columns, not for the "
							   "rows as a whole",
							   method->name)));
	if (rule->columns.count > method->columns)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" in the rule of \"%s\" masks one column",
						method->name, rule->subject),
				 errhint("Give each column a rule of its own.")));
}

/* Reads one rule from its key and its value. */
static SdcRule
read_rule(const SdcRelation *relation, const JsonbValue *key,
		  JsonbValue *value)
{
	SdcRule rule = {0};

	rule.subject = pnstrdup(key->val.string.val, key->val.string.len);
	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each rule in argument \"rules\" must be a JSON "
						"object"),
				 errhint(RULE_HINT)));
	rule.params = JsonbValueToJsonb(value);
	read_method(&rule);
	read_columns(&rule, relation);
	check_count(&rule);
	check_keys(&rule, relation);
	return rule;
}

/*
 * Stops when a column has two rules, or one rule names it twice.  A rule of
 * the table is applied to what the others leave, so it may come on top of one.
 */
static void
check_twice(const SdcRules *rules, const SdcRelation *relation)
{
	Bitmapset *seen[2] = {NULL, NULL};
	int i;
	int j;

	for (i = 0; i < rules->count; i++)
		for (j = 0; j < rules->rule[i].columns.count; j++)
		{
			SdcRelationColumn *column = &rules->rule[i].columns.column[j];
			int table = rules->rule[i].method->stage == SDC_MASK_OF_TABLE;

			if (bms_is_member(column->number, seen[table]))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("column \"%s\" of relation \"%s\" has more "
								"than one rule",
								column->name, relation->name)));
			seen[table] = bms_add_member(seen[table], column->number);
		}
}

/*
 * Stops when a rule of the table that needs values as they are has columns
 * that other rules mask.
 */
static void
check_combined(const SdcRules *rules, const SdcRelation *relation)
{
	int i;
	int j;

	for (i = 0; i < rules->count; i++)
		for (j = 0; j < rules->rule[i].columns.count; j++)
		{
			const SdcRule *rule = &rules->rule[i];
			SdcRelationColumn *column = &rule->columns.column[j];
			const SdcRule *other = sdcpg_rules_of(rules, column->number);

			if (rule->method->stage == SDC_MASK_OF_TABLE &&
				(rule->method->traits & SDC_MASK_ON_TOP) == 0 && other != rule)
				ereport(
					ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of relation \"%s\" has more "
							"than one rule",
							column->name, relation->name),
					 errdetail("Method \"%s\" cannot come on top of method "
							   "\"%s\".",
							   rule->method->name, other->method->name)));
		}
}

static int
compare_rules(const void *a, const void *b)
{
	const SdcRule *x = a;
	const SdcRule *y = b;
	int first = x->columns.count > 0 ? x->columns.column[0].number : 0;
	int second = y->columns.count > 0 ? y->columns.column[0].number : 0;

	return first < second ? -1 : first > second;
}

SdcRules
sdcpg_rules_read(Jsonb *rules, const SdcRelation *relation)
{
	SdcRules result = {0};
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue key;
	JsonbValue value;

	if (rules == NULL)
		return result;
	if (!JB_ROOT_IS_OBJECT(rules))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" must be a JSON object")));
	result.rule = palloc(sizeof(SdcRule) * (JB_ROOT_COUNT(rules) + 1));
	iterator = JsonbIteratorInit(&rules->root);
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
		if (token == WJB_KEY)
		{
			(void) JsonbIteratorNext(&iterator, &value, true);
			result.rule[result.count++] = read_rule(relation, &key, &value);
		}
	check_twice(&result, relation);
	check_combined(&result, relation);
	qsort(result.rule, result.count, sizeof(SdcRule), compare_rules);
	return result;
}

/* The rule of a column: of the table, or else of columns. */
static const SdcRule *
find_rule(const SdcRules *rules, AttrNumber number, bool table)
{
	int i;

	for (i = 0; i < rules->count; i++)
		if (sdcpg_relation_lists(&rules->rule[i].columns, number) &&
			(rules->rule[i].method->stage == SDC_MASK_OF_TABLE) == table)
			return &rules->rule[i];
	return NULL;
}

const SdcRule *
sdcpg_rules_of(const SdcRules *rules, AttrNumber number)
{
	const SdcRule *rule = find_rule(rules, number, false);

	return rule != NULL ? rule : find_rule(rules, number, true);
}

const SdcRule *
sdcpg_rules_of_table(const SdcRules *rules, AttrNumber number)
{
	return find_rule(rules, number, true);
}

/* What the method says of a key. */
static const SdcKey *
need_key(const SdcRule *rule, const char *name)
{
	const SdcKey *key =
		sdcpg_keys_find(rule->method->keys, name, strlen(name));

	if (key == NULL)
		elog(ERROR, "method \"%s\" has no key \"%s\"", rule->method->name,
			 name);
	return key;
}

double
sdcpg_rule_number(const SdcRule *rule, const char *key)
{
	double number = sdcpg_keys_number(rule->method->keys, rule->params, key);

	return isnan(number) ? need_key(rule, key)->low : number;
}

bool
sdcpg_rule_boolean(const SdcRule *rule, const char *key)
{
	return sdcpg_keys_boolean(rule->method->keys, rule->params, key);
}

char *
sdcpg_rule_text(const SdcRule *rule, const char *key)
{
	const SdcKey *known = need_key(rule, key);
	char *text = sdcpg_params_text(rule->params, key);

	if (text != NULL)
		return text;
	if (known->words != NULL)
		return pstrdup(known->words[0]);
	return known->absent == NULL ? NULL : pstrdup(known->absent);
}

int
sdcpg_rule_variant(const SdcRule *rule)
{
	return sdcpg_params_choice(
		rule->params, "variant",
		sdcpg_mask_variants(rule->method, rule->columns.count));
}

List *
sdcpg_rule_names(const SdcRule *rule)
{
	static const char *const keys[] = {"by", "sex", "household"};
	static const char *const lists[] = {"known", "risk", "match"};
	List *names = NIL;
	int i;

	for (i = 0; i < lengthof(keys); i++)
	{
		char *name = sdcpg_keys_find(rule->method->keys, keys[i],
									 strlen(keys[i])) != NULL
						 ? sdcpg_rule_text(rule, keys[i])
						 : NULL;

		if (name != NULL)
			names = lappend(names, name);
	}
	for (i = 0; i < lengthof(lists); i++)
		if (sdcpg_keys_find(rule->method->keys, lists[i], strlen(lists[i])) !=
			NULL)
			names =
				list_concat(names, sdcpg_params_names(rule->params, lists[i]));
	if (rule->method->check == sdcpg_inside_check)
		names = sdcpg_inside_columns(rule, names);
	return names;
}

void
sdcpg_sample_check(const SdcRule *rule, const SdcRelation *relation)
{
	bool by = sdcpg_params_has(rule->params, "by");

	if (by != sdcpg_params_has(rule->params, "domain") ||
		(!by && sdcpg_params_has(rule->params, "period")))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" in the rule of \"%s\" needs both "
						"\"by\" and \"domain\" to draw persons",
						rule->method->name, rule->subject),
				 errdetail("A person is drawn by the key of a domain, so that "
						   "the same persons are drawn in other tables and "
						   "releases.")));
	if (by && sdcpg_params_has(rule->params, "strata"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" in the rule of \"%s\" draws persons, "
						"and has strata of rows",
						rule->method->name, rule->subject),
				 errhint("Leave \"strata\" out.")));
}

SdcRelationColumns
sdcpg_rule_strata(const SdcRule *rule, const SdcRelation *relation)
{
	SdcRelationColumns columns = {0};
	ListCell *cell;

	foreach (cell, sdcpg_params_names(rule->params, "strata"))
		add_column(&columns, relation, lfirst(cell));
	return columns;
}
