/*
 * rules.c
 *		The argument "rules": how columns are, or were, masked.
 *
 * A rule for a column that does not exist, or with a key that nobody reads,
 * would protect nobody and be noticed by nobody, so every word is looked up.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/mask/rules.h"
#include "pg/server/compat.h"

/* What a rule says of the rows as a whole. */
#define ROWS "*"

static const char *const method_key[] = {"method", NULL};

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

/* The columns in the key of a rule: one, or several with commas. */
static void
read_columns(SdcRule *rule, const SdcRelation *relation)
{
	char *name = pstrdup(rule->subject);
	char *end;

	if (strcmp(name, ROWS) == 0)
		return;
	if (get_attnum(relation->oid, name) != InvalidAttrNumber)
	{
		add_column(&rule->columns, relation, name);
		return;
	}
	while (name != NULL)
	{
		end = strchr(name, ',');
		if (end != NULL)
			*end++ = '\0';
		while (*name == ' ')
			name++;
		add_column(&rule->columns, relation, name);
		name = end;
	}
}

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
				 errhint("Write {\"income\": {\"method\": \"rank_swap\", "
						 "\"p\": 15}}, say.")));
	rule->method =
		sdcpg_mask_method_find(name.val.string.val, name.val.string.len);
	if (rule->method == NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown method \"%.*s\" in the rule of \"%s\"",
					name.val.string.len, name.val.string.val, rule->subject),
			 errhint("Methods are %s.", sdcpg_mask_method_names())));
}

static bool
is_listed(const char *const *list, const JsonbValue *key)
{
	for (; *list != NULL; list++)
		if (strlen(*list) == key->val.string.len &&
			memcmp(*list, key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

/* The words of a list: "p, variant, strata". */
static char *
list_words(const char *const *word)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; word[i] != NULL; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", word[i]);
	return list.data;
}

/* Stops unless the keys of a rule are those of its method. */
static void
check_keys(const SdcRule *rule)
{
	const SdcMaskMethod *method = rule->method;
	const char *const *needed;
	JsonbIterator *iterator = JsonbIteratorInit(&rule->params->root);
	JsonbIteratorToken token;
	JsonbValue key;

	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
		if (token == WJB_KEY && !is_listed(method->keys, &key) &&
			!is_listed(method_key, &key))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown key \"%.*s\" in the rule of \"%s\"",
						key.val.string.len, key.val.string.val, rule->subject),
				 method->keys[0] == NULL
					 ? errhint("Method \"%s\" has no keys.", method->name)
					 : errhint("Keys of method \"%s\" are %s.", method->name,
							   list_words(method->keys))));
	for (needed = method->needed; *needed != NULL; needed++)
		if (!sdcpg_params_has(rule->params, *needed))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the rule of \"%s\" lacks the key \"%s\"",
							rule->subject, *needed),
					 errdetail("Method \"%s\" needs it.", method->name)));
}

/* Stops unless the method takes as many columns as the rule names. */
static void
check_count(const SdcRule *rule)
{
	const SdcMaskMethod *method = rule->method;

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
						"object")));
	rule.params = JsonbValueToJsonb(value);
	read_columns(&rule, relation);
	read_method(&rule);
	check_keys(&rule);
	check_count(&rule);
	return rule;
}

/*
 * Stops when a column has two rules, or one rule names it twice.  Suppression
 * is applied to what the other rules leave, so it may come on top of one.
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
			int kind = rules->rule[i].method->kind == SDC_MASK_SUPPRESS;

			if (bms_is_member(column->number, seen[kind]))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("column \"%s\" of relation \"%s\" has more "
								"than one rule",
								column->name, relation->name)));
			seen[kind] = bms_add_member(seen[kind], column->number);
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
	qsort(result.rule, result.count, sizeof(SdcRule), compare_rules);
	return result;
}

/* The rule of a column that suppresses, or else the one that does not. */
static const SdcRule *
find_rule(const SdcRules *rules, AttrNumber number, bool suppress)
{
	int i;
	int j;

	for (i = 0; i < rules->count; i++)
		for (j = 0; j < rules->rule[i].columns.count; j++)
			if (rules->rule[i].columns.column[j].number == number &&
				(rules->rule[i].method->kind == SDC_MASK_SUPPRESS) == suppress)
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
sdcpg_rules_suppress(const SdcRules *rules, AttrNumber number)
{
	return find_rule(rules, number, true);
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
