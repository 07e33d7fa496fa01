/*
 * query.c
 *		The SQL that sdc reads with: nothing in it depends on search_path.
 *
 * Relations are written with their schema, columns with the alias r of their
 * relation, functions and types with pg_catalog.  GROUP BY and ORDER BY take
 * their operators from the operator class of the type, so no operator is
 * looked up by name.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/query.h"
#include "host/call/relation.h"

/* Appends ", r.a, r.b" or, without the leading comma, "r.a, r.b". */
static void
append_columns(StringInfo sql, const SdcRelationColumns *columns, bool comma)
{
	int i;

	for (i = 0; i < columns->count; i++)
		appendStringInfo(sql, "%sr.%s", comma || i > 0 ? ", " : "",
						 columns->column[i].sql);
}

char *
sdcpg_query_cast_from(Oid base, const char *sql, const char *type)
{
	if (base < FirstNormalObjectId)
		return psprintf("CAST(%s AS pg_catalog.%s)", sql, type);
	return psprintf("CAST(CASE WHEN %s IS NULL THEN NULL "
					"ELSE pg_catalog.concat(%s) END AS pg_catalog.%s)",
					sql, sql, type);
}

char *
sdcpg_query_cast(const SdcRelationColumn *column, const char *type)
{
	return sdcpg_query_cast_from(column->base, psprintf("r.%s", column->sql),
								 type);
}

char *
sdcpg_query_text(const SdcRelationColumn *column)
{
	const char *sql = psprintf("r.%s", column->sql);

	switch (column->base)
	{
		case TIMESTAMPTZOID:
			sql = psprintf("pg_catalog.timezone('UTC'::pg_catalog.text, %s)",
						   sql);
			/* FALLTHROUGH */
		case DATEOID:
		case TIMESTAMPOID:
			/* in JSON, no setting has a part in it */
			return psprintf("pg_catalog.translate(pg_catalog.to_jsonb(%s) "
							"OPERATOR(pg_catalog.#>>) "
							"'{}'::pg_catalog.text[], 'T', ' ')",
							sql);
		default:
			return sdcpg_query_cast(column, "text");
	}
}

void
sdcpg_query_need_casts(const SdcRelation *relation,
					   const SdcRelationColumn *column)
{
	SdcCatalogParameters parameters = {0};

	if (column->base < FirstNormalObjectId)
		return;
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(column->base),
					   false);
	if (sdcpg_catalog_read(
			"SELECT 1 FROM pg_catalog.pg_cast AS c"
			" JOIN pg_catalog.pg_proc AS p"
			" ON p.oid OPERATOR(pg_catalog.=) c.castfunc"
			" JOIN pg_catalog.pg_language AS l"
			" ON l.oid OPERATOR(pg_catalog.=) p.prolang"
			" WHERE c.casttarget OPERATOR(pg_catalog.=) $1"
			" AND l.lanname OPERATOR(pg_catalog.<>) ALL ('{internal,c}')",
			&parameters)
			->count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of relation \"%s\" has a type with "
						"casts that are functions of users",
						column->name, relation->name),
				 errdetail("They would run with your rights.")));
}

void
sdcpg_query_order(StringInfo sql, const SdcRelationColumn *id)
{
	TypeCacheEntry *cache = lookup_type_cache(id->base, TYPECACHE_LT_OPR);

	appendStringInfoString(sql, "ORDER BY ");
	if (OidIsValid(cache->lt_opr))
		appendStringInfo(sql, "r.%s, ", id->sql);
	/* values that are equal may still differ as text: 1.0 and 1.00 */
	appendStringInfo(sql, "%s COLLATE pg_catalog.\"C\"",
					 sdcpg_query_cast(id, "text"));
}

char *
sdcpg_query_records(const SdcRelation *relation, const SdcRelationColumn *id,
					const SdcRelationColumns *columns)
{
	StringInfoData sql;

	initStringInfo(&sql);
	if (id == NULL)
		appendStringInfoString(&sql, "SELECT CAST(NULL AS pg_catalog.text)");
	else
		appendStringInfo(&sql, "SELECT %s", sdcpg_query_cast(id, "text"));
	append_columns(&sql, columns, true);
	appendStringInfo(&sql, " FROM %s AS r ", relation->sql);
	if (id != NULL)
		sdcpg_query_order(&sql, id);
	return sql.data;
}

/* What rows are grouped by: points, which SQL cannot group, are texts. */
static void
append_groups(StringInfo sql, const SdcRelationColumns *columns)
{
	const SdcRelationColumn *column = columns->column;
	int i;

	for (i = 0; i < columns->count; i++)
		appendStringInfo(sql, "%s%s", i > 0 ? ", " : "",
						 sdcpg_type_has_equality(column[i].base)
							 ? psprintf("r.%s", column[i].sql)
							 : sdcpg_query_cast(&column[i], "text"));
}

char *
sdcpg_query_class_sizes(const SdcRelation *relation, const char *sample,
						const SdcRelationColumns *columns)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT c.size, pg_catalog.count(*) FROM "
					 "(SELECT pg_catalog.count(*) AS size FROM %s AS r "
					 "%sGROUP BY ",
					 relation->sql, sample);
	append_groups(&sql, columns);
	appendStringInfoString(&sql, ") AS c GROUP BY c.size ORDER BY c.size");
	return sql.data;
}

char *
sdcpg_query_groups(const SdcRelation *relation,
				   const SdcRelationColumn *column, int columns)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "r.%s, ", column[i].sql);
	appendStringInfo(&sql, "pg_catalog.count(*) FROM %s AS r GROUP BY ",
					 relation->sql);
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%sr.%s", i > 0 ? ", " : "", column[i].sql);
	return sql.data;
}

char *
sdcpg_query_rows(const SdcRelation *relation, const SdcRelationColumn *column,
				 int columns, const SdcRelationColumn *weight,
				 const SdcRelationColumn *id,
				 const SdcRelationColumn *household)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%sr.%s", i > 0 ? ", " : "", column[i].sql);
	if (weight != NULL)
		appendStringInfo(&sql, ", r.%s", weight->sql);
	if (id != NULL)
		appendStringInfo(&sql, ", %s", sdcpg_query_cast(id, "text"));
	if (household != NULL)
		appendStringInfo(&sql, ", r.%s", household->sql);
	appendStringInfo(&sql, " FROM %s AS r", relation->sql);
	return sql.data;
}
