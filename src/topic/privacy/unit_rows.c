/*
 * unit_rows.c
 *		The query that reads the rows of a request, sorted by unit.
 *
 * Identifiers come from the catalog, categories are written as quoted
 * literals of the type of their column, and the predicate was written anew
 * from a checked tree (predicate.c).  Nothing in the query fails for any
 * value: it is run after the charge, and an error would tell.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "topic/privacy/unit_rows.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/figure.h"
#include "topic/privacy/request.h"

/* The name of a type without any modifier, as it is known everywhere. */
static const char *
type_name(Oid type)
{
	return format_type_extended(
		type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* The number of the category of a row, from 1; NULL when it is none. */
static void
append_category(StringInfo sql, const SdcDatasetColumn *column)
{
	const char *type = type_name(column->column.base);
	int i;

	appendStringInfoString(sql, "pg_catalog.array_position(ARRAY[");
	for (i = 0; i < column->categories; i++)
		appendStringInfo(sql, "%s%s::%s", i > 0 ? ", " : "",
						 quote_literal_cstr(column->category[i]), type);
	appendStringInfo(sql, "], r.%s::%s)", column->column.sql, type);
}

static void
append_group(StringInfo sql, const SdcDatasetColumn *column)
{
	if (column->categories > 0)
		append_category(sql, column);
	else
		appendStringInfo(sql, "(r.%s)::pg_catalog.text COLLATE \"C\"",
						 column->column.sql);
}

static void
append_value(StringInfo sql, const SdcFigure *figure)
{
	if (figure->kind == SDC_FIGURE_COUNT)
	{
		appendStringInfoString(sql, "NULL::pg_catalog.int8");
		return;
	}
	if (figure->kind == SDC_FIGURE_MODE)
	{
		append_category(sql, figure->column);
		appendStringInfoString(sql, "::pg_catalog.int8");
		return;
	}
	appendStringInfo(sql, "r.%s::", figure->column->column.sql);
	switch (figure->column->column.base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			appendStringInfoString(sql, "pg_catalog.int8");
			break;
		case NUMERICOID:
			appendStringInfoString(sql, "pg_catalog.numeric");
			break;
		default:
			appendStringInfoString(sql, "pg_catalog.float8");
	}
}

static void
append_from(StringInfo sql, const SdcRequest *request)
{
	const char *unit = request->dataset->unit != NULL
						   ? quote_identifier(request->dataset->unit)
						   : NULL;

	appendStringInfo(sql, " FROM %s AS r", request->relation->sql);
	if (unit != NULL || request->predicate != NULL)
		appendStringInfoString(sql, " WHERE ");
	if (unit != NULL)
		appendStringInfo(sql, "r.%s IS NOT NULL", unit);
	if (request->predicate != NULL)
		appendStringInfo(sql, "%s(%s)", unit != NULL ? " AND " : "",
						 request->predicate);
}

char *
sdcpg_unit_rows_query(const SdcRequest *request)
{
	const char *joined = " WHERE ";
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT * FROM (SELECT ");
	if (request->dataset->unit != NULL)
		appendStringInfo(&sql, "r.%s AS u, ",
						 quote_identifier(request->dataset->unit));
	for (i = 0; i < request->groups; i++)
	{
		append_group(&sql, request->group[i]);
		appendStringInfo(&sql, " AS g%d, ", i);
	}
	for (i = 0; i < request->figures; i++)
	{
		append_value(&sql, request->figure[i]);
		appendStringInfo(&sql, " AS v%d%s", i,
						 i + 1 < request->figures ? ", " : "");
	}
	append_from(&sql, request);
	/* OFFSET 0: the categories are looked up once */
	appendStringInfoString(&sql, " OFFSET 0) AS s");
	for (i = 0; i < request->groups; i++)
		if (request->group[i]->categories > 0)
		{
			appendStringInfo(&sql, "%ss.g%d IS NOT NULL", joined, i);
			joined = " AND ";
		}
	if (request->dataset->unit == NULL)
		return sql.data;
	appendStringInfoString(&sql, " ORDER BY s.u");
	for (i = 0; i < request->groups; i++)
		appendStringInfo(&sql, ", s.g%d", i);
	return sql.data;
}
