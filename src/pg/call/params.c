/*
 * params.c
 *		The argument "params": a JSON object of named settings.
 *
 * A key that a function does not know is an error: a misspelt setting must
 * not silently be the default.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/call/params.h"

static bool
is_listed(const JsonbValue *key, const char *const *keys)
{
	int i;

	for (i = 0; keys[i] != NULL; i++)
		if (strlen(keys[i]) == key->val.string.len &&
			memcmp(keys[i], key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

static void
unknown_key(const JsonbValue *key, const char *const *keys)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; keys[i] != NULL; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "", keys[i]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized key \"%s\" in argument \"params\"",
						   pnstrdup(key->val.string.val, key->val.string.len)),
					errhint("Valid keys are %s.", list.data)));
}

void
sdcpg_params_check(Jsonb *params, const char *const *keys)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (params == NULL)
		return;
	if (!JB_ROOT_IS_OBJECT(params))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"params\" must be a JSON object")));
	iterator = JsonbIteratorInit(&params->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY && !is_listed(&value, keys))
			unknown_key(&value, keys);
}

bool
sdcpg_params_find(Jsonb *params, const char *key, JsonbValue *value)
{
	return params != NULL &&
		   getKeyJsonValueFromContainer(&params->root, key, strlen(key),
										value) != NULL;
}

void
sdcpg_params_wrong(const char *key, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("key \"%s\" in argument \"params\" must be %s", key,
						   what)));
}

static double
number_of(const JsonbValue *value, const char *key)
{
	if (value->type != jbvNumeric)
		sdcpg_params_wrong(key, "a number");
	return DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

int64
sdcpg_params_integer(Jsonb *params, const char *key, int64 absent, int64 low,
					 int64 high)
{
	JsonbValue value;
	double number;

	if (!sdcpg_params_find(params, key, &value))
		return absent;
	number = number_of(&value, key);
	if (number != rint(number) || number < low || number > high)
		sdcpg_params_wrong(key, psprintf("a whole number between " INT64_FORMAT
										 " and " INT64_FORMAT,
										 low, high));
	return (int64) number;
}

double
sdcpg_params_number(Jsonb *params, const char *key, double absent, double low,
					double high)
{
	JsonbValue value;
	double number;

	if (!sdcpg_params_find(params, key, &value))
		return absent;
	number = number_of(&value, key);
	if (!(number >= low && number <= high))
		sdcpg_params_wrong(key,
						   psprintf("a number between %g and %g", low, high));
	return number;
}

bool
sdcpg_params_boolean(Jsonb *params, const char *key, bool absent)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value))
		return absent;
	if (value.type != jbvBool)
		sdcpg_params_wrong(key, "true or false");
	return value.val.boolean;
}

char *
sdcpg_params_text(Jsonb *params, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type != jbvString)
		sdcpg_params_wrong(key, "a string");
	return pnstrdup(value.val.string.val, value.val.string.len);
}

char *
sdcpg_params_member(Jsonb *params, const char *key, const char *member)
{
	JsonbValue value;
	JsonbValue *found;

	if (!sdcpg_params_find(params, key, &value))
		return NULL;
	if (value.type == jbvString)
		return sdcpg_params_text(params, key);
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, "a string or an object of strings");
	found = getKeyJsonValueFromContainer(value.val.binary.data, member,
										 strlen(member), NULL);
	if (found == NULL)
		return NULL;
	if (found->type != jbvString)
		sdcpg_params_wrong(key, "a string or an object of strings");
	return pnstrdup(found->val.string.val, found->val.string.len);
}

int
sdcpg_params_choice(Jsonb *params, const char *key, const char *const *choices)
{
	char *word = sdcpg_params_text(params, key);

	if (word == NULL)
		return 0;
	return sdcpg_args_choice(key, cstring_to_text(word), choices);
}
