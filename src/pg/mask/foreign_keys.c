/*
 * foreign_keys.c
 *		Foreign keys of a table that is masked in place.
 *
 * A rewritten table fires no trigger, so nobody but this file looks whether
 * foreign keys still hold.  One query for each, with the operators of the
 * constraint itself.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/call/catalog.h"
#include "pg/mask/foreign_keys.h"
#include "pg/server/compat.h"

static SdcForeignKey *
read_key(HeapTuple tuple)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	SdcForeignKey *key = palloc0(sizeof(SdcForeignKey));

	key->parent = form->conparentid;
	key->name = pstrdup(NameStr(form->conname));
	key->from = form->conrelid;
	key->to = form->confrelid;
	key->match = form->confmatchtype;
#if PG_VERSION_NUM >= 150000
	DeconstructFkConstraintRow(tuple, &key->columns, key->from_column,
							   key->to_column, key->operator, NULL, NULL, NULL,
							   NULL);
#else
	DeconstructFkConstraintRow(tuple, &key->columns, key->from_column,
							   key->to_column, key->operator, NULL, NULL);
#endif
	return key;
}

List *
sdcpg_foreign_keys_find(Oid table, bool from)
{
	Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
	List *keys = NIL;
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key,
				from ? Anum_pg_constraint_conrelid
					 : Anum_pg_constraint_confrelid,
				BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
	scan = systable_beginscan(
		catalog, from ? ConstraintRelidTypidNameIndexId : InvalidOid, from,
		NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (((Form_pg_constraint) GETSTRUCT(tuple))->contype ==
			CONSTRAINT_FOREIGN)
			keys = lappend(keys, read_key(tuple));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return keys;
}

/* Does the plan mask one of these columns of the table? */
static bool
masks_any(const SdcMaskPlan *plan, Oid table, const AttrNumber *column,
		  int columns)
{
	int i;
	int j;

	for (j = 0; j < columns; j++)
	{
		char *name = get_attname(table, column[j], false);

		for (i = 0; i < plan->columns; i++)
			if (strcmp(plan->column[i].column.name, name) == 0 &&
				plan->column[i].masked)
				return true;
	}
	return false;
}

/* Appends an operand with the type that the operator takes. */
static void
append_operand(StringInfo sql, const char *alias, Oid table, AttrNumber column,
			   Oid type)
{
	const char *name = quote_identifier(get_attname(table, column, false));

	if (type == get_atttype(table, column) || IsPolymorphicType(type))
		appendStringInfo(sql, "%s.%s", alias, name);
	else
		appendStringInfo(
			sql, "CAST(%s.%s AS %s)", alias, name,
			format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY));
}

/* Appends "p.a OPERATOR(schema.=) f.b". */
static void
append_equality(StringInfo sql, const SdcForeignKey *key, int column)
{
	HeapTuple tuple =
		SearchSysCache1(OPEROID, ObjectIdGetDatum(key->operator[column]));
	Form_pg_operator form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "operator %u does not exist", key->operator[column]);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	append_operand(sql, "p", key->to, key->to_column[column], form->oprleft);
	appendStringInfo(sql, " OPERATOR(%s.%s) ",
					 quote_identifier(get_namespace_name(form->oprnamespace)),
					 NameStr(form->oprname));
	append_operand(sql, "f", key->from, key->from_column[column],
				   form->oprright);
	ReleaseSysCache(tuple);
}

static char *
qualified_name(Oid table)
{
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

/* A SELECT that finds one row that the foreign key does not allow. */
static char *
orphan_query(const SdcForeignKey *key)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT 1 FROM %s AS f WHERE (",
					 qualified_name(key->from));
	for (i = 0; i < key->columns; i++)
		appendStringInfo(&sql, "%sf.%s IS NOT NULL",
						 i == 0 ? "" : (key->match == 'f' ? " OR " : " AND "),
						 quote_identifier(get_attname(
							 key->from, key->from_column[i], false)));
	appendStringInfo(&sql, ") AND NOT EXISTS (SELECT FROM %s AS p WHERE ",
					 qualified_name(key->to));
	for (i = 0; i < key->columns; i++)
	{
		appendStringInfoString(&sql, i == 0 ? "" : " AND ");
		append_equality(&sql, key, i);
	}
	appendStringInfoString(&sql, ") LIMIT 1");
	return sql.data;
}

/*
 * The table that a foreign key references as it was written.  A constraint
 * that references a partitioned table has a part for each partition, which
 * alone need not hold.
 */
static Oid
references(const SdcForeignKey *key)
{
	Oid parent = key->parent;
	Oid to = key->to;

	while (OidIsValid(parent))
	{
		HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(parent));

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "constraint %u does not exist", parent);
		to = ((Form_pg_constraint) GETSTRUCT(tuple))->confrelid;
		parent = ((Form_pg_constraint) GETSTRUCT(tuple))->conparentid;
		ReleaseSysCache(tuple);
	}
	return to;
}

void
sdcpg_foreign_keys_verify(const SdcMaskPlan *plan, Oid table)
{
	ListCell *cell;

	foreach (cell, sdcpg_foreign_keys_find(table, true))
	{
		const SdcForeignKey *key = lfirst(cell);

		if (references(key) != key->to ||
			!masks_any(plan, table, key->from_column, key->columns) ||
			sdcpg_catalog_read(orphan_query(key), NULL)->count == 0)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("masking relation \"%s\" would violate foreign key "
						"\"%s\"",
						plan->relation->name, key->name),
				 errdetail("A masked row has no partner in relation \"%s\". "
						   "Nothing was changed.",
						   get_rel_name(key->to)),
				 errhint("Methods that only move values keep partners, as "
						 "shuffle does. Pseudonyms are passed on from the "
						 "column that is referenced.")));
	}
}
