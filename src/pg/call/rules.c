/*
 * rules.c
 *		The argument "rules": what is published of how columns were masked.
 *
 * A rule for a column that does not exist would protect nobody and be noticed
 * by nobody, so every name is looked up.
 */
#include "postgres.h"

#include "pg/server/compat.h"
#include "pg/call/rules.h"

/* Stops unless the key of a rule names columns. */
static void
check_columns(const SdcRelation *relation, const JsonbValue *key)
{
	char *name = pnstrdup(key->val.string.val, key->val.string.len);
	char *end;

	while (name != NULL)
	{
		end = strchr(name, ',');
		if (end != NULL)
			*end++ = '\0';
		while (*name == ' ')
			name++;
		(void) sdcpg_relation_column(relation, name);
		name = end;
	}
}

/* Stops unless the value of a rule is an object with a method. */
static void
check_method(const JsonbValue *value)
{
	JsonbValue method;

	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each rule in argument \"rules\" must be a JSON "
						"object")));
	if (getKeyJsonValueFromContainer(value->val.binary.data, "method",
									 strlen("method"), &method) == NULL ||
		method.type != jbvString)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each rule in argument \"rules\" must have a string "
						"\"method\""),
				 errhint("Write {\"income\": {\"method\": \"rank_swap\", "
						 "\"p\": 15}}, say.")));
}

void
sdcpg_rules_check(Jsonb *rules, const SdcRelation *relation)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (rules == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(rules))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" must be a JSON object")));
	iterator = JsonbIteratorInit(&rules->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			check_columns(relation, &value);
		else if (token == WJB_VALUE)
			check_method(&value);
	}
}
