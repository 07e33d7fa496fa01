/*
 * revealing.c
 *		Columns that give a key away.
 *
 * Who generalizes a key and copies a column made from it has generalized
 * nothing.  PostgreSQL knows of generated columns; those that an application
 * fills are found by counting: for each value of the column, do the records
 * have one value of the key?
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "topic/registry/revealing.h"
#include "topic/registry/roles.h"

/*
 * The keys that a column determines: for each a boolean, in one row.  concat
 * calls the output function of a type, which every type has, and no cast.
 */
static char *
dependency_query(const SdcRelation *relation, const SdcRelationColumns *keys,
				 const SdcRelationColumn *column)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql,
						   "SELECT pg_catalog.sum(g.n) OPERATOR(pg_catalog.>=)"
						   " (pg_catalog.count(*) OPERATOR(pg_catalog.*) 2)");
	for (j = 0; j < keys->count; j++)
		appendStringInfo(
			&sql,
			", pg_catalog.bool_and(g.l%d OPERATOR(pg_catalog.=) g.h%d) AND "
			"(pg_catalog.min(g.l%d) OPERATOR(pg_catalog.<>) "
			"pg_catalog.max(g.h%d))",
			j, j, j, j);
	appendStringInfoString(&sql, " FROM (SELECT pg_catalog.count(*) AS n");
	for (j = 0; j < keys->count; j++)
		appendStringInfo(&sql,
						 ", pg_catalog.min(pg_catalog.concat(r.%s) COLLATE "
						 "pg_catalog.\"C\") AS l%d, "
						 "pg_catalog.max(pg_catalog.concat(r.%s) COLLATE "
						 "pg_catalog.\"C\") AS h%d",
						 keys->column[j].sql, j, keys->column[j].sql, j);
	appendStringInfo(&sql,
					 " FROM %s AS r GROUP BY pg_catalog.concat(r.%s) COLLATE "
					 "pg_catalog.\"C\") AS g",
					 relation->sql, column->sql);
	return sql.data;
}

/* The first key that a column determines, or NULL. */
static const SdcRelationColumn *
find_key(const SdcRelation *relation, const SdcRelationColumns *keys,
		 const SdcRelationColumn *column)
{
	SdcCatalogRows *rows =
		sdcpg_catalog_read(dependency_query(relation, keys, column), NULL);
	int j;

	if (rows->isnull[0][0] || !DatumGetBool(rows->value[0][0]))
		return NULL;
	for (j = 0; j < keys->count; j++)
		if (!rows->isnull[0][1 + j] && DatumGetBool(rows->value[0][1 + j]))
			return &keys->column[j];
	return NULL;
}

/* Columns that nobody has said anything about. */
static List *
find_unknown(const SdcRelation *relation, const SdcRelationColumns *keys,
			 List *known)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	SdcRoles *roles = sdcpg_roles_find(relation->oid);
	List *unknown = NIL;
	int i;
	int j;

	for (i = 0; i < all.count; i++)
	{
		for (j = 0; j < keys->count; j++)
			if (keys->column[j].number == all.column[i].number)
				break;
		if (j == keys->count &&
			sdcpg_generated_from(relation, &all.column[i], keys) == 0 &&
			sdcpg_roles_declared(roles, all.column[i].name) == NULL &&
			!sdcpg_params_is_listed(known, all.column[i].name))
			unknown = lappend(unknown, &all.column[i]);
	}
	return unknown;
}

List *
sdcpg_revealing_find(const SdcRelation *relation,
					 const SdcRelationColumns *keys, List *known)
{
	List *revealing = NIL;
	ListCell *cell;

	foreach (cell, find_unknown(relation, keys, known))
		if (find_key(relation, keys, lfirst(cell)) != NULL)
			revealing = lappend(revealing, lfirst(cell));
	return revealing;
}

void
sdcpg_revealing_refuse(const SdcRelation *relation,
					   const SdcRelationColumns *keys, List *known)
{
	ListCell *cell;

	if (sdcpg_roles_find(relation->oid)->count == 0)
		return;
	foreach (cell, find_unknown(relation, keys, known))
	{
		const SdcRelationColumn *column = lfirst(cell);
		const SdcRelationColumn *key = find_key(relation, keys, column);

		if (key != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" of relation \"%s\" gives away the "
							"key \"%s\"",
							column->name, relation->name, key->name),
					 errdetail("Its value determines that of the key in every "
							   "record, and it would be left as it is."),
					 errhint("Declare what it is with sdc.declare, name it "
							 "among the keys, give it a rule where rules are "
							 "taken, or leave it out.")));
	}
}
