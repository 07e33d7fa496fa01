/*
 * document.c
 *		JSON documents written piece by piece.
 *
 * They are written as text and read as jsonb at the end, so that what is
 * stored is what the parser of PostgreSQL accepts.  Numbers have the shortest
 * form that reads back as the same number.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "pg/call/params.h"
#include "pg/release/document.h"

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

void
sdcpg_document_names(StringInfo document, const char *key, List *names)
{
	ListCell *cell;

	sdcpg_document_open(document, key, '[');
	foreach (cell, names)
		sdcpg_document_text(document, NULL, lfirst(cell));
	sdcpg_document_close(document, '[');
}

Jsonb *
sdcpg_document_end(StringInfo document)
{
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(document->data)));
}

Jsonb *
sdcpg_document_part(Jsonb *document, const char *key)
{
	JsonbValue value;

	if (!sdcpg_params_find(document, key, &value) || value.type != jbvBinary)
		return NULL;
	return JsonbValueToJsonb(&value);
}
