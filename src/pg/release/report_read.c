/*
 * report_read.c
 *		Members of the documents that the history of releases keeps.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "pg/release/report_read.h"

/* The value under a key of an object; false without one. */
static bool
find(Jsonb *object, const char *key, JsonbValue *value)
{
	JsonbValue name;
	JsonbValue *found;

	if (object == NULL || !JB_ROOT_IS_OBJECT(object))
		return false;
	name.type = jbvString;
	name.val.string.val = unconstify(char *, key);
	name.val.string.len = strlen(key);
	found = findJsonbValueFromContainer(&object->root, JB_FOBJECT, &name);
	if (found == NULL || found->type == jbvNull)
		return false;
	*value = *found;
	return true;
}

static char *
string_of(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* The elements of an array that are of one kind. */
static List *
elements(Jsonb *array, bool strings)
{
	List *all = NIL;
	uint32 i;

	if (array == NULL || !JB_ROOT_IS_ARRAY(array))
		return NIL;
	for (i = 0; i < JB_ROOT_COUNT(array); i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(&array->root, i);

		if (strings && value->type == jbvString)
			all = lappend(all, string_of(value));
		if (!strings && value->type == jbvBinary)
			all = lappend(all, JsonbValueToJsonb(value));
	}
	return all;
}

List *
sdcpg_report_read_elements(Jsonb *array)
{
	return elements(array, false);
}

List *
sdcpg_report_read_texts(Jsonb *array)
{
	return elements(array, true);
}

List *
sdcpg_report_read_keys(Jsonb *object)
{
	List *keys = NIL;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (object == NULL || !JB_ROOT_IS_OBJECT(object))
		return NIL;
	iterator = JsonbIteratorInit(&object->root);
	token = JsonbIteratorNext(&iterator, &value, true);
	while (token != WJB_DONE)
	{
		if (token == WJB_KEY)
			keys = lappend(keys, string_of(&value));
		token = JsonbIteratorNext(&iterator, &value, true);
	}
	return keys;
}

Jsonb *
sdcpg_report_read_part(Jsonb *object, const char *key)
{
	JsonbValue value;

	if (!find(object, key, &value) || value.type != jbvBinary)
		return NULL;
	return JsonbValueToJsonb(&value);
}

char *
sdcpg_report_read_text(Jsonb *object, const char *key)
{
	JsonbValue value;

	if (!find(object, key, &value))
		return NULL;
	switch (value.type)
	{
		case jbvString:
			return string_of(&value);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(
				numeric_out, NumericGetDatum(value.val.numeric)));
		case jbvBool:
			return value.val.boolean ? "true" : "false";
		default:
			return NULL;
	}
}

double
sdcpg_report_read_number(Jsonb *object, const char *key)
{
	JsonbValue value;

	if (!find(object, key, &value) || value.type != jbvNumeric)
		return NAN;
	return DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
}

bool
sdcpg_report_read_true(Jsonb *object, const char *key)
{
	JsonbValue value;

	return find(object, key, &value) && value.type == jbvBool &&
		   value.val.boolean;
}
