/*
 * document.c
 *		JSON documents of the history: written piece by piece, and read.
 *
 * They are written as text and read as jsonb at the end, so that what is
 * stored is what the parser of PostgreSQL accepts.  Numbers have the shortest
 * form that reads back as the same number.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "release/document.h"

void
sdcpg_document_begin(StringInfo document)
{
	initStringInfo(document);
}

/* The comma before a piece that is not the first, and its key. */
static void
start_piece(StringInfo document, const char *key)
{
	char before = document->len > 0 ? document->data[document->len - 1] : '[';

	if (before != '[' && before != '{')
		appendStringInfoString(document, ", ");
	if (key != NULL)
	{
		escape_json(document, key);
		appendStringInfoString(document, ": ");
	}
}

void
sdcpg_document_open(StringInfo document, const char *key, char bracket)
{
	start_piece(document, key);
	appendStringInfoChar(document, bracket);
}

void
sdcpg_document_close(StringInfo document, char bracket)
{
	appendStringInfoChar(document, bracket == '{' ? '}' : ']');
}

void
sdcpg_document_text(StringInfo document, const char *key, const char *value)
{
	start_piece(document, key);
	if (value == NULL)
		appendStringInfoString(document, "null");
	else
		escape_json(document, value);
}

void
sdcpg_document_number(StringInfo document, const char *key, double value)
{
	start_piece(document, key);
	if (isfinite(value))
		appendStringInfoString(document, float8out_internal(value));
	else
		appendStringInfoString(document, "null");
}

void
sdcpg_document_integer(StringInfo document, const char *key, int64 value)
{
	start_piece(document, key);
	appendStringInfo(document, INT64_FORMAT, value);
}

void
sdcpg_document_boolean(StringInfo document, const char *key, bool value)
{
	start_piece(document, key);
	appendStringInfoString(document, value ? "true" : "false");
}

void
sdcpg_document_jsonb(StringInfo document, const char *key, Jsonb *value)
{
	start_piece(document, key);
	if (value == NULL)
		appendStringInfoString(document, "null");
	else
		(void) JsonbToCString(document, &value->root, VARSIZE(value));
}

Jsonb *
sdcpg_document_end(StringInfo document)
{
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(document->data)));
}

/* ----------------------------------------------------------------------
 * Members of a document.
 * ----------------------------------------------------------------------
 */

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
sdcpg_document_elements(Jsonb *array)
{
	return elements(array, false);
}

List *
sdcpg_document_texts(Jsonb *array)
{
	return elements(array, true);
}

List *
sdcpg_document_keys(Jsonb *object)
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
sdcpg_document_part(Jsonb *object, const char *key)
{
	JsonbValue value;

	if (!find(object, key, &value) || value.type != jbvBinary)
		return NULL;
	return JsonbValueToJsonb(&value);
}

char *
sdcpg_document_string(Jsonb *object, const char *key)
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
sdcpg_document_float(Jsonb *object, const char *key)
{
	JsonbValue value;

	if (!find(object, key, &value) || value.type != jbvNumeric)
		return NAN;
	return DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
}

bool
sdcpg_document_true(Jsonb *object, const char *key)
{
	JsonbValue value;

	return find(object, key, &value) && value.type == jbvBool &&
		   value.val.boolean;
}
