/*
 * relation.c
 *		Relations and columns as arguments: found, checked, quoted.
 *
 * A column is looked up in the catalog under a lock before its name enters a
 * query, so a name can be nothing but a column: never an expression, a
 * function in disguise (r.f means f(r) when r has no column f) or a column
 * that was renamed meanwhile.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/varlena.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"

static void
check_kind(const char *name, char kind)
{
	switch (kind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
			return;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is not a table or view", name),
					 errdetail("Tables, partitioned tables, foreign tables, "
							   "views and materialized views can be read.")));
	}
}

/*
 * What lies below a relation, itself included: views, what they read, and the
 * parts of tables.
 */
#define BELOW                                                       \
	"WITH RECURSIVE seen(oid) AS (SELECT $1 UNION"                  \
	" SELECT x.oid FROM seen AS s CROSS JOIN LATERAL ("             \
	" SELECT c.oid FROM pg_catalog.pg_rewrite AS w"                 \
	" JOIN pg_catalog.pg_class AS v"                                \
	" ON v.oid OPERATOR(pg_catalog.=) w.ev_class"                   \
	" AND v.relkind OPERATOR(pg_catalog.=) 'v'"                     \
	" JOIN pg_catalog.pg_depend AS d"                               \
	" ON d.classid OPERATOR(pg_catalog.=)"                          \
	" 'pg_catalog.pg_rewrite'::pg_catalog.regclass"                 \
	" AND d.objid OPERATOR(pg_catalog.=) w.oid"                     \
	" AND d.refclassid OPERATOR(pg_catalog.=)"                      \
	" 'pg_catalog.pg_class'::pg_catalog.regclass"                   \
	" JOIN pg_catalog.pg_class AS c"                                \
	" ON c.oid OPERATOR(pg_catalog.=) d.refobjid"                   \
	" WHERE w.ev_class OPERATOR(pg_catalog.=) s.oid"                \
	" UNION ALL SELECT i.inhrelid FROM pg_catalog.pg_inherits AS i" \
	" WHERE i.inhparent OPERATOR(pg_catalog.=) s.oid) AS x)"

/* A relation below that somebody owns who is no superuser: c, his name a. */
#define OF_OTHERS                                   \
	" FROM seen AS s JOIN pg_catalog.pg_class AS c" \
	" ON c.oid OPERATOR(pg_catalog.=) s.oid"        \
	" JOIN pg_catalog.pg_roles AS a"                \
	" ON a.oid OPERATOR(pg_catalog.=) c.relowner AND NOT a.rolsuper"

/*
 * Tables with functions of others: in an index, its condition, statistics, a
 * CHECK or a partition key.
 */
#define CODE                                                                \
	" JOIN LATERAL ("                                                       \
	" SELECT 'pg_catalog.pg_class'::pg_catalog.regclass AS class, c.oid"    \
	" UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass,"         \
	" i.indexrelid FROM pg_catalog.pg_index AS i"                           \
	" WHERE i.indrelid OPERATOR(pg_catalog.=) c.oid"                        \
	" UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass," \
	" e.oid FROM pg_catalog.pg_statistic_ext AS e"                          \
	" WHERE e.stxrelid OPERATOR(pg_catalog.=) c.oid"                        \
	" UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass,"    \
	" k.oid FROM pg_catalog.pg_constraint AS k"                             \
	" WHERE k.conrelid OPERATOR(pg_catalog.=) c.oid"                        \
	" AND k.contype OPERATOR(pg_catalog.=) 'c') AS o ON true"               \
	" JOIN pg_catalog.pg_depend AS d"                                       \
	" ON d.classid OPERATOR(pg_catalog.=) o.class"                          \
	" AND d.objid OPERATOR(pg_catalog.=) o.oid"                             \
	" LEFT JOIN pg_catalog.pg_operator AS q"                                \
	" ON d.refclassid OPERATOR(pg_catalog.=)"                               \
	" 'pg_catalog.pg_operator'::pg_catalog.regclass"                        \
	" AND q.oid OPERATOR(pg_catalog.=) d.refobjid"                          \
	" JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=)"         \
	" CASE WHEN d.refclassid OPERATOR(pg_catalog.=)"                        \
	" 'pg_catalog.pg_proc'::pg_catalog.regclass THEN d.refobjid"            \
	" ELSE q.oprcode::pg_catalog.oid END"                                   \
	" JOIN pg_catalog.pg_roles AS f"                                        \
	" ON f.oid OPERATOR(pg_catalog.=) p.proowner AND NOT f.rolsuper"        \
	" WHERE c.relkind OPERATOR(pg_catalog.<>) 'v'"

/* Rows of a query about a relation, with what is committed by now. */
static SdcCatalogRows *
ask_latest(const char *sql, Oid oid)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(oid), false);
	PushActiveSnapshot(GetLatestSnapshot());
	rows = sdcpg_catalog_read(sql, &parameters);
	PopActiveSnapshot();
	return rows;
}

/* The names of the first row; NULL: no row. */
static char **
ask_names(const char *sql, Oid oid)
{
	SdcCatalogRows *rows = ask_latest(sql, oid);
	char **name;
	int i;

	if (rows->count == 0)
		return NULL;
	name = palloc(sizeof(char *) * rows->columns);
	for (i = 0; i < rows->columns; i++)
		name[i] = NameStr(*DatumGetName(rows->value[0][i]));
	return name;
}

/*
 * The functions in a view run with the rights of who reads it: a superuser
 * must not lend his to whoever owns one without saying so.
 */
static void
check_view(const char *name, Oid oid)
{
	char **view;

	if (sdcpg_allow_views || !superuser())
		return;
	view = ask_names(BELOW
					 " SELECT c.relname, a.rolname" OF_OTHERS
					 " WHERE c.relkind OPERATOR(pg_catalog.=) 'v'"
					 " ORDER BY (c.oid OPERATOR(pg_catalog.=) $1) DESC, c.oid"
					 " LIMIT 1",
					 oid);
	if (view != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("view \"%s\" is not read with the rights of a "
						"superuser",
						name),
				 errdetail("View \"%s\" belongs to role \"%s\", and the "
						   "functions in a view run with the rights of the "
						   "role that reads it.",
						   view[0], view[1]),
				 errhint("SET ROLE to its owner first, or set "
						 "sdc.allow_views when you trust the owner.")));
}

/* Is it a table of a superuser, without parts? */
static bool
is_trusted(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	Form_pg_class form;
	bool trusted;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", oid);
	form = (Form_pg_class) GETSTRUCT(tuple);
	trusted = (form->relkind == RELKIND_RELATION ||
			   form->relkind == RELKIND_MATVIEW) &&
			  !form->relhassubclass && superuser_arg(form->relowner);
	ReleaseSysCache(tuple);
	return trusted;
}

/*
 * Whoever owns a foreign table or its server says what is read there and as
 * whom: without a password as the user who runs this server, for one.
 */
static void
check_foreign(const SdcRelation *relation)
{
	char **foreign =
		ask_names(BELOW " SELECT c.relname, a.rolname FROM seen AS s"
						" JOIN pg_catalog.pg_class AS c"
						" ON c.oid OPERATOR(pg_catalog.=) s.oid"
						" JOIN pg_catalog.pg_foreign_table AS t"
						" ON t.ftrelid OPERATOR(pg_catalog.=) c.oid"
						" JOIN pg_catalog.pg_foreign_server AS v"
						" ON v.oid OPERATOR(pg_catalog.=) t.ftserver"
						" JOIN pg_catalog.pg_roles AS a ON NOT a.rolsuper"
						" AND (a.oid OPERATOR(pg_catalog.=) c.relowner"
						" OR a.oid OPERATOR(pg_catalog.=) v.srvowner)"
						" ORDER BY c.oid, a.oid LIMIT 1",
				  relation->oid);

	if (foreign != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("relation \"%s\" is not read with the rights of a "
						"superuser",
						relation->name),
				 errdetail("Foreign table \"%s\", or its server, belongs to "
						   "role \"%s\", which says what is read there and "
						   "as whom.",
						   foreign[0], foreign[1]),
				 errhint("SET ROLE to its owner first, or set "
						 "sdc.allow_views when you trust the owner.")));
}

/* Nobody adds an index or statistics to the tables of others that are read. */
static void
lock_code(Oid oid)
{
	SdcCatalogRows *rows;
	int64 i;

	if (RecoveryInProgress())
		return;
	rows =
		ask_latest(BELOW " SELECT c.oid" OF_OTHERS
						 " WHERE c.relkind OPERATOR(pg_catalog.=) ANY"
						 " ('{r,p,m}'::pg_catalog.\"char\"[]) ORDER BY c.oid",
				   oid);
	for (i = 0; i < rows->count; i++)
		LockRelationOid(DatumGetObjectId(rows->value[i][0]),
						ShareUpdateExclusiveLock);
}

/*
 * Whoever reads a table has PostgreSQL plan a query, and then calls of
 * functions of constants are worked out in the expressions of its indexes,
 * statistics and constraints: with the rights of the reader.
 */
static void
check_code(const SdcRelation *relation)
{
	char **code;

	if (sdcpg_allow_views || !superuser() || is_trusted(relation->oid))
		return;
	check_foreign(relation);
	lock_code(relation->oid);
	code = ask_names(BELOW
					 " SELECT c.relname, p.proname, f.rolname" OF_OTHERS CODE
					 " ORDER BY c.oid, p.oid LIMIT 1",
					 relation->oid);
	if (code != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("relation \"%s\" is not read with the rights of a "
						"superuser",
						relation->name),
				 errdetail("An index, a constraint or a statistics object of "
						   "table \"%s\" calls function \"%s\" of role "
						   "\"%s\", which PostgreSQL may run with the rights "
						   "of the role that reads the table.",
						   code[0], code[1], code[2]),
				 errhint("SET ROLE to the owner of the table first, or set "
						 "sdc.allow_views when you trust the owner.")));
}

/*
 * Tables that sdc makes for itself and drops again, and what they are called
 * in messages.  There are few at a time; the oldest make room.
 */
#define HIDDEN 16

typedef struct Hidden
{
	char name[NAMEDATALEN];
	char shown[NAMEDATALEN];
} Hidden;

static Hidden hidden[HIDDEN];
static int hidden_next;

void
sdcpg_relation_hide(const char *name, const char *shown)
{
	strlcpy(hidden[hidden_next].name, name, NAMEDATALEN);
	strlcpy(hidden[hidden_next].shown, shown, NAMEDATALEN);
	hidden_next = (hidden_next + 1) % HIDDEN;
}

static const char *
shown_name(const char *name)
{
	int i;

	for (i = 0; i < HIDDEN; i++)
		if (hidden[i].name[0] != '\0' && strcmp(hidden[i].name, name) == 0)
			return hidden[i].shown;
	return name;
}

char *
sdcpg_relation_conceal(char *text)
{
	StringInfoData shown;
	char *found;
	int i;

	for (i = 0; i < HIDDEN && text != NULL; i++)
	{
		if (hidden[i].name[0] == '\0' || strstr(text, hidden[i].name) == NULL)
			continue;
		initStringInfo(&shown);
		while ((found = strstr(text, hidden[i].name)) != NULL)
		{
			appendBinaryStringInfo(&shown, text, found - text);
			appendStringInfoString(&shown, hidden[i].shown);
			text = found + strlen(hidden[i].name);
		}
		appendStringInfoString(&shown, text);
		text = shown.data;
	}
	return text;
}

SdcRelation *
sdcpg_relation_find(Oid oid)
{
	SdcRelation *relation = sdcpg_relation_look_up(oid);

	check_code(relation);
	return relation;
}

/* Does Citus know a relation, or one below it? */
static bool
is_of_citus(Oid oid)
{
	return ask_latest(
			   BELOW " SELECT 1 FROM seen AS s"
					 " JOIN pg_catalog.pg_dist_partition AS p"
					 " ON p.logicalrelid OPERATOR(pg_catalog.=) s.oid LIMIT 1",
			   oid)
			   ->count > 0;
}

SdcRelation *
sdcpg_relation_look_up(Oid oid)
{
	bool is_view;

	SdcRelation *relation = palloc0(sizeof(SdcRelation));
	HeapTuple tuple;
	Form_pg_class form;

	LockRelationOid(oid, AccessShareLock);
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	form = (Form_pg_class) GETSTRUCT(tuple);
	relation->oid = oid;
	relation->name = pstrdup(shown_name(NameStr(form->relname)));
	relation->sql = quote_qualified_identifier(
		get_namespace_name(form->relnamespace), NameStr(form->relname));
	check_kind(relation->name, form->relkind);
	is_view = form->relkind == RELKIND_VIEW;
	ReleaseSysCache(tuple);
	if (is_view)
		check_view(relation->name, oid);
	relation->row_security =
		check_enable_rls(oid, InvalidOid, true) == RLS_ENABLED;
	sdcpg_catalog_name_safely(oid, is_of_citus);
	return relation;
}

Oid
sdcpg_relation_oid(const char *name)
{
	List *names = textToQualifiedNameList(cstring_to_text(name));
	Oid oid = RangeVarGetRelid(makeRangeVarFromNameList(names), NoLock, true);

	if (!OidIsValid(oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation \"%s\" does not exist", name),
						errhint("Write schema.name where the schema is not in "
								"search_path.")));
	return oid;
}

void
sdcpg_relation_need(const char *name)
{
	(void) sdcpg_relation_oid(name);
}

SdcRelation *
sdcpg_relation_named(const char *name)
{
	return sdcpg_relation_find(sdcpg_relation_oid(name));
}

/* The name of a column that a misspelt name may have meant, or NULL. */
static const char *
nearest_name(const SdcRelation *relation, const char *name)
{
	int length = strlen(name);
	int best = Min(length / 2, 3);
	const char *nearest = NULL;
	AttrNumber number;

	for (number = 1;; number++)
	{
		HeapTuple tuple = SearchSysCache2(
			ATTNUM, ObjectIdGetDatum(relation->oid), Int16GetDatum(number));
		Form_pg_attribute form;
		char *other;
		bool dropped;
		int distance;

		if (!HeapTupleIsValid(tuple))
			break;
		form = (Form_pg_attribute) GETSTRUCT(tuple);
		other = pstrdup(NameStr(form->attname));
		dropped = form->attisdropped;
		ReleaseSysCache(tuple);
		if (dropped)
			continue;
		distance = varstr_levenshtein_less_equal(
			name, length, other, strlen(other), 1, 1, 1, best, true);
		if (distance > best || (distance == best && nearest != NULL))
			continue;
		best = distance;
		nearest = other;
	}
	return nearest;
}

static void
unknown_column(const SdcRelation *relation, const char *name)
{
	const char *nearest = nearest_name(relation, name);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
					relation->name),
			 nearest != NULL
				 ? errhint("Perhaps you meant the column \"%s\".", nearest)
				 : errhint("Names are case-sensitive here and are written "
						   "without quotes of their own.")));
}

SdcRelationColumn
sdcpg_relation_column(const SdcRelation *relation, const char *name)
{
	SdcRelationColumn column;

	column.number = get_attnum(relation->oid, name);
	if (column.number == InvalidAttrNumber)
		unknown_column(relation, name);
	if (column.number < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
						errmsg("system column \"%s\" cannot be used", name)));
	column.type = get_atttype(relation->oid, column.number);
	column.base = getBaseType(column.type);
	column.name = pstrdup(name);
	column.sql = pstrdup(quote_identifier(name));
	return column;
}

SdcRelationColumns
sdcpg_relation_columns(const SdcRelation *relation, const char *argument,
					   ArrayType *names)
{
	SdcRelationColumns columns;
	Datum *element;
	bool *isnull;
	int i;
	int j;

	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, &isnull, &columns.count);
	if (columns.count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must name at least one column",
							   argument)));
	columns.column = palloc(sizeof(SdcRelationColumn) * columns.count);
	for (i = 0; i < columns.count; i++)
	{
		if (isnull[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("argument \"%s\" must not contain nulls",
								   argument)));
		columns.column[i] = sdcpg_relation_column(
			relation, NameStr(*DatumGetName(element[i])));
		for (j = 0; j < i; j++)
			if (columns.column[i].number == columns.column[j].number)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" appears twice in argument "
								"\"%s\"",
								columns.column[i].name, argument)));
	}
	return columns;
}

SdcRelationColumns
sdcpg_relation_all_columns(const SdcRelation *relation)
{
	SdcRelationColumns columns = {0};
	AttrNumber number;

	columns.column =
		palloc(sizeof(SdcRelationColumn) * MaxHeapAttributeNumber);
	for (number = 1; number <= MaxHeapAttributeNumber; number++)
	{
		HeapTuple tuple = SearchSysCache2(
			ATTNUM, ObjectIdGetDatum(relation->oid), Int16GetDatum(number));
		Form_pg_attribute form;
		NameData name;
		bool dropped;

		if (!HeapTupleIsValid(tuple))
			break;
		form = (Form_pg_attribute) GETSTRUCT(tuple);
		name = form->attname;
		dropped = form->attisdropped;
		ReleaseSysCache(tuple);
		if (!dropped)
			columns.column[columns.count++] =
				sdcpg_relation_column(relation, NameStr(name));
	}
	return columns;
}

void
sdcpg_relation_need_numbers(const SdcRelation *relation,
							const SdcRelationColumns *columns)
{
	int i;

	for (i = 0; i < columns->count; i++)
	{
		const SdcRelationColumn *column = &columns->column[i];

		if (!sdcpg_number_is(column->base))
			ereport(
				ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation \"%s\" is not a number",
						column->name, relation->name),
				 errdetail("Its type is %s.", format_type_be(column->type)),
				 errhint("Numbers, booleans, dates and timestamps can be "
						 "used.")));
	}
}

void
sdcpg_relation_need_equality(const SdcRelation *relation,
							 const SdcRelationColumns *columns)
{
	int i;

	for (i = 0; i < columns->count; i++)
	{
		const SdcRelationColumn *column = &columns->column[i];

		if (!sdcpg_type_is_counted(column->base))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_FUNCTION),
					 errmsg("column \"%s\" of relation \"%s\" cannot be "
							"counted",
							column->name, relation->name),
					 errdetail("Values of type %s cannot be compared.",
							   format_type_be(column->type)),
					 errhint("Leave it out, or cast it to text in a "
							 "view.")));
	}
}

int
sdcpg_relation_place(const SdcRelationColumns *columns, AttrNumber number)
{
	int i;

	for (i = 0; i < columns->count; i++)
		if (columns->column[i].number == number)
			return i;
	return -1;
}

char *
sdcpg_relation_list(const SdcRelationColumns *columns)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < columns->count; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "",
						 columns->column[i].sql);
	return list.data;
}

/*
 * What a view is made of, as a number: it changes when the view is redefined,
 * and not when what it reads is renamed, nor with the layout of the statement.
 */
static char *
number_of_view(Oid view)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(view), false);
	rows = sdcpg_catalog_read(
		"SELECT pg_catalog.hashtextextended(pg_catalog.regexp_replace("
		"CAST(w.ev_action AS pg_catalog.text), "
		"':(stmt_location|stmt_len|location) -?[0-9]+', '', 'g'), 0) "
		"FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class "
		"OPERATOR(pg_catalog.=) $1 AND w.rulename OPERATOR(pg_catalog.=) "
		"'_RETURN'",
		&parameters);
	return rows->count == 0
			   ? ""
			   : psprintf(":" INT64_FORMAT, DatumGetInt64(rows->value[0][0]));
}

char *
sdcpg_relation_column_place(Oid oid, AttrNumber number)
{
	char kind = get_rel_relkind(oid);

	return psprintf(UINT64_FORMAT ".%u.%u.%d%s", GetSystemIdentifier(),
					MyDatabaseId, oid, number,
					kind == RELKIND_VIEW || kind == RELKIND_MATVIEW
						? number_of_view(oid)
						: "");
}

bool
sdcpg_relation_column_moved(const char *known, Oid oid, AttrNumber number)
{
	char *now = sdcpg_relation_column_place(oid, number);
	size_t relation = strrchr(now, '.') + 1 - now;

	return number != InvalidAttrNumber && known != NULL &&
		   strncmp(now, known, relation) == 0 && strcmp(now, known) != 0;
}

/* Adds the relations that a relation is a partition or a child of. */
static List *
add_parents(List *relations, Oid oid)
{
	Relation catalog = table_open(InheritsRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(oid));
	scan = systable_beginscan(catalog, InheritsRelidSeqnoIndexId, true, NULL,
							  1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		relations = list_append_unique_oid(
			relations, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return relations;
}

List *
sdcpg_relation_above(Oid oid)
{
	List *above = add_parents(NIL, oid);
	int i;

	/* the list grows on the way */
	for (i = 0; i < list_length(above); i++)
		above = add_parents(above, list_nth_oid(above, i));
	return above;
}

List *
sdcpg_relation_kin(Oid oid)
{
	List *kin = list_concat(sdcpg_relation_above(oid),
							find_all_inheritors(oid, NoLock, NULL));

	list_sort(kin, list_oid_cmp);
	return kin;
}

List *
sdcpg_relation_parts(Oid oid)
{
	List *parts = list_delete_oid(find_all_inheritors(oid, NoLock, NULL), oid);

	list_sort(parts, list_oid_cmp);
	return parts;
}

Oid
sdcpg_relation_owner(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", oid);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

static char *
type_sql(const SdcRelation *relation, const SdcRelationColumn *column,
		 bool below_domains)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	if (below_domains)
		type = getBaseTypeAndTypmod(type, &modifier);
	return format_type_extended(
		type, modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

int
sdcpg_relation_characters(const SdcRelation *relation,
						  const SdcRelationColumn *column)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	type = getBaseTypeAndTypmod(type, &modifier);
	return (type == VARCHAROID || type == BPCHAROID) && modifier >= VARHDRSZ
			   ? modifier - (int) VARHDRSZ
			   : 0;
}

char *
sdcpg_relation_type(const SdcRelation *relation,
					const SdcRelationColumn *column)
{
	return type_sql(relation, column, false);
}

char *
sdcpg_relation_base_type(const SdcRelation *relation,
						 const SdcRelationColumn *column)
{
	return type_sql(relation, column, true);
}

/* ----------------------------------------------------------------------
 * What types of columns are.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_type_has_equality(Oid base)
{
	return OidIsValid(lookup_type_cache(base, TYPECACHE_EQ_OPR)->eq_opr);
}

bool
sdcpg_type_is_counted(Oid base)
{
	return base == POINTOID || sdcpg_type_has_equality(base);
}

bool
sdcpg_number_is(Oid base)
{
	switch (base)
	{
		case BOOLOID:
		case CASHOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return sdcpg_number_is_arithmetic(base);
	}
}

bool
sdcpg_number_is_arithmetic(Oid base)
{
	switch (base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

bool
sdcpg_time_is(Oid base)
{
	return base == DATEOID || base == TIMESTAMPOID || base == TIMESTAMPTZOID;
}
