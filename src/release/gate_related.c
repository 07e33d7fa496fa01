/*
 * gate_related.c
 *		What readers of several tables know of the records: relations whose
 *		records have to do with each other, as orders and their customers, and
 *		columns that are made of others.
 *
 * Who has a table of customers and one of their orders compares them by the
 * customers: what is the same in all orders of a customer is his, and so are
 * the number of his orders and their sums.  Customers and orders are joined by
 * a foreign key, two relations that refer to the same third one are, too, and
 * so are relations of which two tables of cells name the same respondent.
 * Partitions, and tables that inherit, have records of the table above them.
 *
 * A column is made of others when it is a sum of so much of each in all
 * records, as points are 7 for each a and 3 for each b.  How much follows from
 * the sums of squares and products.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "release/document.h"
#include "release/gate_beside.h"
#include "topic/mask/rules.h"
#include "topic/tabular/tabular_topic.h"

/*
 * Ways in which relations are joined, as SQL: a and b, and the numbers of the
 * columns by which they are, in the order of those that a key refers to, as
 * two keys may list them in different ones.
 */
#define FOREIGN_KEYS                                               \
	"(WITH f AS (SELECT c.conrelid, c.confrelid, k.own, k.other"   \
	" FROM pg_constraint AS c, LATERAL (SELECT"                    \
	" array_agg(k.own ORDER BY k.other) AS own,"                   \
	" array_agg(k.other ORDER BY k.other) AS other"                \
	" FROM unnest(c.conkey, c.confkey) AS k (own, other)) AS k"    \
	" WHERE c.contype = 'f')"                                      \
	" SELECT f.conrelid AS a, f.confrelid AS b, f.own AS by_a,"    \
	" f.other AS by_b FROM f"                                      \
	" UNION SELECT f.confrelid, f.conrelid, f.other, f.own FROM f" \
	" UNION SELECT f.conrelid, g.conrelid, f.own, g.own FROM f"    \
	" JOIN f AS g ON g.confrelid = f.confrelid AND g.other = f.other)"

/*
 * The relations (oids) of which records are joined with those of one by a
 * foreign key, or by foreign keys to a third one.
 */
static List *
related_to(const SdcRelation *relation)
{
	SdcCatalogRows *rows = sdcpg_beside_read(
		psprintf("SELECT DISTINCT w.b FROM " FOREIGN_KEYS
				 " AS w WHERE w.a = %u AND w.b <> w.a ORDER BY 1",
				 relation->oid));
	List *related = NIL;
	int i;

	for (i = 0; i < rows->count; i++)
		related = lappend_oid(related, DatumGetObjectId(rows->value[i][0]));
	return related;
}

/* The names of columns of a relation, of an array of their numbers. */
static List *
column_names(Oid relation, Datum numbers)
{
	Datum *number;
	int count;
	List *names = NIL;
	int i;

	deconstruct_array(DatumGetArrayTypeP(numbers), INT2OID, sizeof(int16),
					  true, TYPALIGN_SHORT, &number, NULL, &count);
	for (i = 0; i < count; i++)
		names = lappend(
			names, get_attname(relation, DatumGetInt16(number[i]), false));
	return names;
}

int
sdcpg_related_by(SdcRelatedSide *side, const char *respondent[2], int number)
{
	Oid a = side[0].relation->oid;
	Oid b = side[1].relation->oid;
	SdcCatalogRows *rows = sdcpg_beside_read(
		psprintf("SELECT w.by_a, w.by_b FROM " FOREIGN_KEYS
				 " AS w WHERE w.a = %u AND w.b = %u ORDER BY 1, 2",
				 a, b));
	int s;

	if (number < rows->count)
	{
		side[0].by = column_names(a, rows->value[number][0]);
		side[1].by = column_names(b, rows->value[number][1]);
	}
	if (rows->count > 0)
		return rows->count;
	if (respondent[0] == NULL || respondent[1] == NULL ||
		strcmp(respondent[0], respondent[1]) != 0)
		return 0;
	for (s = 0; s < 2; s++)
		side[s].by = list_make1(pstrdup(respondent[s]));
	return 1;
}

/* Values of a key at the most of which each is looked at. */
#define MOST_LABELS 40

/* The records of one relation by unit, as SQL. */
static char *
units_of(const SdcRelatedSide *side, int s)
{
	StringInfoData sql;
	StringInfoData known;
	ListCell *item;
	int i = 0;

	initStringInfo(&sql);
	initStringInfo(&known);
	appendStringInfoString(&sql, "(SELECT ARRAY[");
	foreach (item, side->by)
	{
		const char *column = quote_identifier(lfirst(item));

		appendStringInfo(&sql, "%sconcat(r.%s) COLLATE \"C\"",
						 known.len > 0 ? ", " : "", column);
		appendStringInfo(&known, "%sr.%s IS NOT NULL",
						 known.len > 0 ? " AND " : "", column);
	}
	appendStringInfo(&sql, "] AS unit, count(*) AS n%d", s);
	foreach (item, side->values)
		appendStringInfo(&sql,
						 ", COALESCE(sum(CAST(r.%s AS numeric)), 0) AS v%d_%d",
						 quote_identifier(lfirst(item)), s, i++);
	i = 0;
	foreach (item, side->keys)
	{
		char *text = sdcpg_beside_text(lfirst(item));

		appendStringInfo(&sql,
						 ", min(%s) AS k%d_%d, min(%s) = max(%s) AS o%d_%d",
						 text, s, i, text, text, s, i);
		i++;
	}
	appendStringInfo(&sql, " FROM %s AS r WHERE %s AND %s GROUP BY 1)",
					 side->relation->sql, known.data,
					 side->only == NULL ? "true" : side->only);
	return sql.data;
}

/*
 * Which keys of a side say which of its units are joined, where only some are,
 * as months say which sales are in a window of them.
 */
static bool *
find_deciding(const SdcRelatedSide *side, int s, const char *made, bool some)
{
	bool *decides = palloc0(sizeof(bool) * (list_length(side->keys) + 1));
	int i;

	for (i = 0; i < list_length(side->keys) && some; i++)
		decides[i] =
			side->constant[i] &&
			sdcpg_beside_read(
				psprintf("SELECT FROM %s AS u LEFT JOIN %s AS w"
						 " ON w.unit = u.unit GROUP BY u.k%d_%d"
						 " HAVING count(w.unit) BETWEEN 1 AND count(*) - 1"
						 " LIMIT 1",
						 units_of(side, s), made, s, i))
					->count == 0;
	return decides;
}

char *
sdcpg_related_join(SdcBeside *beside, SdcRelatedSide *side)
{
	char *made = sdcpg_beside_table(beside);
	StringInfoData sql;
	int i;
	int s;

	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "CREATE UNLOGGED TABLE %s AS SELECT"
					 " COALESCE(u0.unit, u1.unit) AS unit",
					 made);
	for (s = 0; s < 2; s++)
	{
		appendStringInfo(&sql, ", COALESCE(u%d.n%d, 0) AS n%d", s, s, s);
		for (i = 0; i < list_length(side[s].values); i++)
			appendStringInfo(&sql, ", COALESCE(u%d.v%d_%d, 0) AS v%d_%d", s, s,
							 i, s, i);
		for (i = 0; i < list_length(side[s].keys); i++)
			appendStringInfo(&sql, ", u%d.k%d_%d, u%d.o%d_%d", s, s, i, s, s,
							 i);
	}
	appendStringInfo(
		&sql, " FROM %s AS u0 %s JOIN %s AS u1 ON u0.unit = u1.unit",
		units_of(&side[0], 0),
		side[0].only == NULL && side[1].only == NULL ? "FULL" : "",
		units_of(&side[1], 1));
	(void) sdcpg_beside_run(sql.data);
	for (s = 0; s < 2; s++)
	{
		side[s].constant =
			palloc0(sizeof(bool) * (list_length(side[s].keys) + 1));
		for (i = 0; i < list_length(side[s].keys); i++)
			side[s].constant[i] =
				sdcpg_beside_read(psprintf("SELECT FROM %s AS r"
										   " WHERE NOT r.o%d_%d LIMIT 1",
										   made, s, i))
					->count == 0;
		side[s].decides =
			find_deciding(&side[s], s, made, side[1 - s].only != NULL);
	}
	return made;
}

List *
sdcpg_related_labels(const SdcRelatedSide *side, int i)
{
	SdcCatalogRows *rows =
		sdcpg_beside_read(psprintf("SELECT DISTINCT %s FROM %s AS r LIMIT %d",
								   sdcpg_beside_text(list_nth(side->keys, i)),
								   side->relation->sql, MOST_LABELS + 1));
	List *labels = NIL;
	int k;

	for (k = 0; k < rows->count && rows->count <= MOST_LABELS; k++)
		labels = lappend(labels, TextDatumGetCString(rows->value[k][0]));
	return labels;
}

/* ----------------------------------------------------------------------
 * Relations that have records in common: partitions and their tables, and
 * tables that inherit.
 * ----------------------------------------------------------------------
 */

/*
 * The relations that a relation is a part of, and its parts; beside these also
 * the other parts of the former, or only such as have records of its own.
 */
static List *
kin_of(Oid oid, bool own)
{
	List *kin = sdcpg_relation_kin(oid);
	ListCell *cell;

	foreach (cell, own ? NIL : sdcpg_relation_above(oid))
		kin = list_concat_unique_oid(
			kin, find_all_inheritors(lfirst_oid(cell), NoLock, NULL));
	return list_delete_oid(kin, oid);
}

bool
sdcpg_related_within(Oid part, Oid whole)
{
	return list_member_oid(sdcpg_relation_above(part), whole);
}

/* Is an oid one of these?  As SQL. */
static char *
is_one_of(const char *oid, List *oids)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, oids)
		appendStringInfo(&list, "%s%u", list.len > 0 ? "," : "",
						 lfirst_oid(cell));
	return psprintf("%s = ANY (CAST('{%s}' AS oid[]))", oid, list.data);
}

char *
sdcpg_related_records(Oid part)
{
	return is_one_of("r.tableoid", find_all_inheritors(part, NoLock, NULL));
}

/* Columns of a record (r) as a list of texts, as SQL. */
static char *
text_of_columns(List *columns)
{
	StringInfoData list;
	ListCell *item;

	initStringInfo(&list);
	foreach (item, columns)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 sdcpg_beside_text(lfirst(item)));
	return list.data;
}

/* Do columns of records say together which of them are some? */
static bool
decide(const char *records, List *columns, const char *only)
{
	return columns != NIL &&
		   sdcpg_beside_read(
			   psprintf("SELECT FROM %s AS r GROUP BY %s HAVING count(*)"
						" FILTER (WHERE %s) BETWEEN 1 AND count(*) - 1"
						" LIMIT 1",
						records, text_of_columns(columns), only))
				   ->count == 0;
}

List *
sdcpg_related_deciding(const char *records, List *columns, const char *only)
{
	List *left = list_copy(columns);
	ListCell *item;

	if (!decide(records, columns, only))
		return NIL;
	foreach (item, columns)
	{
		List *fewer = list_delete_ptr(list_copy(left), lfirst(item));

		if (decide(records, fewer, only))
			left = fewer;
	}
	return left;
}

/*
 * The columns by which a relation is a part of another one, of those that
 * these columns have: partition keys on the way, and what checks of it name.
 */
static List *
columns_of_part(Oid part, Oid whole, List *columns)
{
	List *up = lcons_oid(part, sdcpg_relation_above(part));
	SdcCatalogRows *rows = sdcpg_beside_read(psprintf(
		"SELECT DISTINCT CAST(a.attname AS text) FROM"
		" (SELECT p.partrelid, unnest(CAST(p.partattrs AS int2[])) FROM"
		" pg_partitioned_table AS p WHERE %s"
		" UNION SELECT c.conrelid, unnest(c.conkey) FROM pg_constraint AS c"
		" WHERE %s AND c.contype = 'c')"
		" AS k (oid, number) JOIN pg_attribute AS a ON a.attrelid = k.oid"
		" AND a.attnum = k.number ORDER BY 1",
		is_one_of("p.partrelid", up), is_one_of("c.conrelid", up)));
	List *names = NIL;
	int i;

	for (i = 0; i < rows->count; i++)
	{
		char *name = TextDatumGetCString(rows->value[i][0]);

		if (sdcpg_params_is_listed(columns, name) &&
			get_attnum(whole, name) > 0)
			names = lappend(names, name);
	}
	return names;
}

char *
sdcpg_related_rows(const SdcRelation *part, const SdcRelation *whole,
				   List *columns)
{
	List *by = sdcpg_related_deciding(
		whole->sql, columns_of_part(part->oid, whole->oid, columns),
		sdcpg_related_records(part->oid));
	char *list = by == NIL ? NULL : text_of_columns(by);

	return list == NULL ? "true"
						: psprintf("(%s) IN (SELECT %s FROM %s AS r)", list,
								   list, part->sql);
}

char *
sdcpg_related_constant(const SdcRelation *part, const char *column)
{
	SdcCatalogRows *rows =
		get_attnum(part->oid, column) <= 0
			? NULL
			: sdcpg_beside_read(psprintf(
				  "SELECT DISTINCT %s FROM %s AS r LIMIT 2",
				  sdcpg_beside_text(unconstify(char *, column)), part->sql));

	return rows == NULL || rows->count != 1
			   ? NULL
			   : TextDatumGetCString(rows->value[0][0]);
}

/* ----------------------------------------------------------------------
 * Tables of cells that were made without a policy
 *
 * Nothing says of what they are; but they have columns as of
 * sdc.protect_table, and most of the values that they show are those of the
 * relation.
 * ----------------------------------------------------------------------
 */

/* The last ones of them, at the most. */
#define MOST_MADE 20

/* Such a table that somebody else may read. */
typedef struct Made
{
	Oid oid;
	const char *table; /* as SQL */
	List *keys;        /* char * */
	const char *cells; /* the column of the values of cells */
	const char *total; /* the label of totals */
} Made;

/* The names of an array. */
static List *
names_of(Datum array)
{
	Datum *name;
	bool *isnull;
	int count;
	List *names = NIL;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &name, &isnull, &count);
	for (i = 0; i < count; i++)
		names = lappend(names, TextDatumGetCString(name[i]));
	return names;
}

/* All of them that have keys of the relation: Made *. */
static List *
list_made(const SdcRelation *relation)
{
	SdcCatalogRows *rows = sdcpg_beside_read(psprintf(
		"SELECT c.oid, k.keys, v.name FROM pg_class AS c, LATERAL (SELECT"
		" array_agg(CAST(k.attname AS text) ORDER BY k.attnum) AS keys"
		" FROM pg_attribute AS k JOIN pg_attribute AS p"
		" ON p.attrelid = k.attrelid AND p.attname ="
		" CAST(concat(k.attname, '_parent') AS name)"
		" JOIN pg_attribute AS r ON r.attname = k.attname"
		" WHERE k.attrelid = c.oid AND r.attrelid = %u AND r.attnum > 0"
		" AND CAST(k.atttypid AS regtype) = CAST('text' AS regtype)"
		" AND p.atttypid = k.atttypid) AS k, LATERAL (SELECT count(*) AS n,"
		" min(CAST(v.attname AS text)) AS name FROM pg_attribute AS v"
		" WHERE v.attrelid = c.oid AND v.attnum > 0 AND"
		" CAST(v.atttypid AS regtype) = CAST('numeric' AS regtype)) AS v"
		" WHERE c.relkind IN ('r', 'p', 'm') AND c.relowner = %u"
		" AND cardinality(k.keys) <= 8 AND v.n = 1"
		" AND NOT EXISTS (SELECT FROM pg_attribute AS n"
		" WHERE n.attrelid = c.oid AND n.attname = '" SDC_TABULAR_NUMBER "')"
		" AND EXISTS (SELECT FROM pg_attribute AS s WHERE"
		" s.attrelid = c.oid AND CAST(s.atttypid AS regtype)"
		" = CAST('text' AS regtype) AND s.attnum > 2 * cardinality(k.keys))"
		" AND EXISTS (SELECT FROM aclexplode(c.relacl) AS a WHERE"
		" a.privilege_type = 'SELECT' AND a.grantee <> c.relowner UNION ALL"
		" SELECT FROM pg_attribute AS g, LATERAL aclexplode(g.attacl) AS a"
		" WHERE g.attrelid = c.oid AND a.privilege_type = 'SELECT'"
		" AND a.grantee <> c.relowner) ORDER BY c.oid DESC",
		relation->oid, GetUserId()));
	List *list = NIL;
	int i;

	for (i = 0; i < rows->count && list_length(list) < MOST_MADE; i++)
	{
		Made *made = palloc0(sizeof(Made));

		made->oid = DatumGetObjectId(rows->value[i][0]);
		/* dropped since the snapshot of the release, which still lists it */
		LockRelationOid(made->oid, AccessShareLock);
		if (get_rel_name(made->oid) == NULL || sdcpg_history_has(made->oid))
			continue;
		/* a part of it may be somebody's, with code in an index */
		made->table = sdcpg_relation_find(made->oid)->sql;
		made->keys = names_of(rows->value[i][1]);
		made->cells = TextDatumGetCString(rows->value[i][2]);
		list = lappend(list, made);
	}
	return list;
}

/* Finds the label of totals; false: it is another one of each key. */
static bool
find_total(Made *made)
{
	StringInfoData sql;
	SdcCatalogRows *rows;
	ListCell *item;

	initStringInfo(&sql);
	foreach (item, made->keys)
		appendStringInfo(&sql,
						 "%sSELECT p.%s COLLATE \"C\" AS label FROM %s AS p"
						 " WHERE p.%s IS NULL",
						 sql.len > 0 ? " UNION " : "",
						 quote_identifier(lfirst(item)), made->table,
						 sdcpg_beside_parent(lfirst(item)));
	rows = sdcpg_beside_read(sql.data);
	if (rows->count != 1 || rows->isnull[0][0])
		return false;
	made->total = TextDatumGetCString(rows->value[0][0]);
	return true;
}

/* The columns of a relation that may have been summed: char *. */
static List *
list_numbers(const SdcRelation *relation)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(relation);
	List *numbers = NIL;
	int i;

	for (i = 0; i < columns.count; i++)
		if (sdcpg_number_is_arithmetic(columns.column[i].base))
			numbers = lappend(numbers, columns.column[i].name);
	return numbers;
}

/* Sets of keys by which records are grouped, besides all, at the most. */
#define MOST_SETS 15

/*
 * By which keys cells with a value are, the others being at their totals, as
 * SQL: all, and those of the fewest cells.
 */
static char *
sets_of(const Made *made)
{
	StringInfoData all;
	StringInfoData own;
	SdcCatalogRows *rows;
	int i;

	initStringInfo(&all);
	initStringInfo(&own);
	for (i = 0; i < list_length(made->keys); i++)
	{
		appendStringInfo(&all, "%sr.k%d", i > 0 ? ", " : "", i);
		appendStringInfo(
			&own, ", CASE WHEN p.%s COLLATE \"C\" <> %s THEN 'r.k%d' END",
			quote_identifier(list_nth(made->keys, i)),
			quote_literal_cstr(made->total), i);
	}
	rows = sdcpg_beside_read(psprintf(
		"SELECT concat('(%s)', string_agg(', (' || s.own || ')', '')) FROM"
		" (SELECT p.own FROM (SELECT concat_ws(', '%s) AS own FROM %s AS p"
		" WHERE p.%s IS NOT NULL) AS p WHERE p.own <> '%s' GROUP BY 1"
		" ORDER BY count(*), 1 LIMIT %d) AS s",
		all.data, own.data, made->table, quote_identifier(made->cells),
		all.data, MOST_SETS));
	return TextDatumGetCString(rows->value[0][0]);
}

/*
 * Finds the sum that most of the shown cells are of: a column, NULL for
 * numbers of records; false: none.
 */
static bool
find_value(const Made *made, const SdcRelation *relation, const char **value)
{
	List *numbers = list_numbers(relation);
	StringInfoData sql;
	StringInfoData records;
	StringInfoData same;
	SdcCatalogRows *rows;
	int64 most = 0;
	int i;

	initStringInfo(&sql);
	initStringInfo(&records);
	initStringInfo(&same);
	appendStringInfoString(&sql, "SELECT count(*)");
	for (i = -1; i < list_length(numbers); i++)
	{
		appendStringInfo(&sql,
						 ", count(*) FILTER (WHERE abs(p.%s - g.v%d) <="
						 " " SDC_BESIDE_SAME " * abs(g.v%d))",
						 quote_identifier(made->cells), i + 1, i + 1);
		if (i < 0)
			appendStringInfoString(&records, "1 AS v0");
		else
		{
			const char *column = quote_identifier(list_nth(numbers, i));

			/* before PostgreSQL 14 no numeric is infinite */
			appendStringInfo(&records,
							 ", CAST(CASE WHEN r.%s - r.%s = 0 THEN r.%s END"
							 " AS numeric) AS v%d",
							 column, column, column, i + 1);
		}
	}
	appendStringInfoString(&sql, " FROM (SELECT ");
	for (i = 0; i < list_length(made->keys); i++)
	{
		char *key = list_nth(made->keys, i);

		appendStringInfo(&sql,
						 "CASE WHEN grouping(r.k%d) = 1 THEN %s ELSE r.k%d"
						 " END AS k%d, ",
						 i, quote_literal_cstr(made->total), i, i);
		appendStringInfo(&records, ", %s AS k%d", sdcpg_beside_text(key), i);
		appendStringInfo(&same, "%sp.%s COLLATE \"C\" = g.k%d",
						 i > 0 ? " AND " : "", quote_identifier(key), i);
	}
	for (i = 0; i <= list_length(numbers); i++)
		appendStringInfo(&sql, "%ssum(r.v%d) AS v%d", i > 0 ? ", " : "", i, i);
	appendStringInfo(&sql,
					 " FROM (SELECT %s FROM %s AS r) AS r GROUP BY"
					 " GROUPING SETS (%s)) AS g JOIN %s AS p ON %s WHERE p.%s"
					 " IS NOT NULL",
					 records.data, relation->sql, sets_of(made), made->table,
					 same.data, quote_identifier(made->cells));
	rows = sdcpg_beside_read(sql.data);
	for (i = 0; i <= list_length(numbers); i++)
	{
		int64 equal = DatumGetInt64(rows->value[0][i + 1]);

		if (equal <= most)
			continue;
		most = equal;
		*value = i == 0 ? NULL : list_nth(numbers, i - 1);
	}
	return most > 1 && 2 * most >= DatumGetInt64(rows->value[0][0]);
}

/* What protect_table would be asked for its cells. */
static Jsonb *
protect_of(const Made *made, const char *value)
{
	StringInfoData document;
	ListCell *item;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "protect", '{');
	sdcpg_document_open(&document, "keys", '[');
	foreach (item, made->keys)
		sdcpg_document_text(&document, NULL, lfirst(item));
	sdcpg_document_close(&document, '[');
	if (value != NULL)
		sdcpg_document_text(&document, "value", value);
	sdcpg_document_open(&document, "params", '{');
	sdcpg_document_text(&document, "total", made->total);
	sdcpg_document_open(&document, "names", '{');
	sdcpg_document_text(&document, "value", made->cells);
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/*
 * The tables of cells of a relation that the caller has made without a policy
 * and that somebody else may read: SdcPublishedBeside *, without a policy.
 */
static List *
related_made(const SdcRelation *relation)
{
	Jsonb *none =
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("[]")));
	List *others = NIL;
	ListCell *item;

	foreach (item, list_made(relation))
	{
		Made *made = lfirst(item);
		SdcPublishedBeside *other = palloc0(sizeof(SdcPublishedBeside));
		const char *value = NULL;

		CHECK_FOR_INTERRUPTS();
		if (!find_total(made) || !find_value(made, relation, &value))
			continue;
		other->target = pstrdup(made->table);
		other->relation.oid = relation->oid;
		other->relation.constraints = none;
		other->relation.params = protect_of(made, value);
		other->protect =
			sdcpg_params_object(other->relation.params, "protect");
		other->table = made->oid;
		others = lappend(others, other);
	}
	return others;
}

/* ----------------------------------------------------------------------
 * What is out there
 * ----------------------------------------------------------------------
 */

bool
sdcpg_related_makes_records(const SdcPolicyRelation *relation)
{
	SdcRules rules =
		sdcpg_rules_read(relation->rules, sdcpg_relation_find(relation->oid));
	int i;

	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].method->traits & SDC_MASK_REPLACES)
			return true;
	return false;
}

/*
 * Tables of cells that the policy publishes in the same run, of relations that
 * are joined with that of one.
 */
static List *
list_run(const SdcStaging *staging, const char *policy, List *relations,
		 const char *respondent)
{
	List *others = NIL;
	ListCell *cell;

	foreach (cell, staging->run)
	{
		const SdcStaging *table = lfirst(cell);
		Jsonb *protect = table->params.protect;
		const char *own = sdcpg_beside_respondent(protect);
		SdcPublishedBeside *other;

		if (table == staging || protect == NULL ||
			(!list_member_oid(relations, table->original->oid) &&
			 (own == NULL || respondent == NULL ||
			  strcmp(own, respondent) != 0)))
			continue;
		other = palloc0(sizeof(SdcPublishedBeside));
		other->policy = pstrdup(policy);
		other->target = table->target;
		other->relation = *table->policy;
		other->protect = protect;
		other->table = table->masked->oid;
		others = lappend(others, other);
	}
	return others;
}

/*
 * Tables of cells that were made without a policy.  Those of this run are
 * none, even where default privileges let others read them already.
 */
static List *
list_other_made(const SdcStaging *staging)
{
	List *others = NIL;
	ListCell *made;
	ListCell *cell;

	foreach (made, related_made(staging->original))
	{
		const SdcPublishedBeside *other = lfirst(made);
		bool own = false;

		foreach (cell, staging->run)
			own |= ((const SdcStaging *) lfirst(cell))->masked->oid ==
				   other->table;
		if (!own)
			others = lappend(others, lfirst(made));
	}
	return others;
}

/*
 * Stops when a relation, or a part of it, was a part of what something was
 * published of, and is none any more: its records are in what is out, but what
 * both say together cannot be worked out.
 */
static void
refuse_former_part(const SdcStaging *staging, const SdcPublishedBeside *other)
{
	Oid oid = staging->original->oid;
	List *own = lcons_oid(oid, sdcpg_relation_parts(oid));
	bool common = false;
	ListCell *cell;

	foreach (cell, other->parts)
		common |= list_member_oid(own, lfirst_oid(cell));
	if (!common || other->relation.oid == oid ||
		list_member_oid(kin_of(oid, true), other->relation.oid))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("relation \"%s\" was a part of what policy \"%s\" has "
				"published",
				staging->original->name, other->policy),
		 errdetail("It was detached since, so nobody can tell what it "
				   "gives away of \"%s\".",
				   other->target),
		 errhint("Attach it again, drop that table or publish it anew, or "
				 "name the policy in params.apart when nobody has both.")));
}

List *
sdcpg_related_published(const SdcStaging *staging, const char *policy,
						Jsonb *protect, bool cells)
{
	Oid oid = staging->original->oid;
	List *relations = list_concat(list_make1_oid(oid), kin_of(oid, !cells));
	const char *respondent = NULL;
	List *others = NIL;
	ListCell *cell;

	if (cells && protect != NULL)
	{
		relations = list_concat(relations, related_to(staging->original));
		respondent = sdcpg_beside_respondent(protect);
	}
	foreach (cell, sdcpg_history_beside(policy, staging->target, relations,
										respondent))
	{
		SdcPublishedBeside *other = lfirst(cell);

		if ((other->protect != NULL) == cells &&
			OidIsValid(other->relation.oid) &&
			!sdcpg_params_is_listed(staging->params.apart, other->policy) &&
			(cells || !sdcpg_related_makes_records(&other->relation)))
		{
			refuse_former_part(staging, other);
			others = lappend(others, other);
		}
	}
	if (cells && protect != NULL)
	{
		others = list_concat(others, list_other_made(staging));
		others = list_concat(others,
							 list_run(staging, policy, relations, respondent));
	}
	return others;
}

/* ----------------------------------------------------------------------
 * Sums that are made of others
 * ----------------------------------------------------------------------
 */

/* Sums at the most that are looked at. */
#define MOST_SUMS 16

/* Factors at the most. */
#define MOST_FACTOR 10000

/* Sums of products of sums, by records. */
typedef struct Products
{
	int count;
	double records;
	double of[MOST_SUMS][MOST_SUMS];
} Products;

static void
read_products(const char *records, List *sums, Products *products)
{
	StringInfoData sql;
	SdcCatalogRows *rows;
	int at = 1;
	int i;
	int j;

	products->count = Min(list_length(sums), MOST_SUMS);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT CAST(count(*) AS float8)");
	for (i = 0; i < products->count; i++)
		for (j = 0; j <= i; j++)
			appendStringInfo(
				&sql, ", CAST(COALESCE(sum(r.s%d * r.s%d), 0) AS float8)", i,
				j);
	appendStringInfoString(&sql, " FROM (SELECT 1 AS one");
	for (i = 0; i < products->count; i++)
		appendStringInfo(&sql, ", CAST(%s AS numeric) AS s%d",
						 (char *) list_nth(sums, i), i);
	appendStringInfo(&sql, " FROM %s AS r) AS r", records);
	rows = sdcpg_beside_read(sql.data);
	products->records = DatumGetFloat8(rows->value[0][0]);
	for (i = 0; i < products->count; i++)
		for (j = 0; j <= i; j++)
			products->of[i][j] = products->of[j][i] =
				DatumGetFloat8(rows->value[0][at++]);
}

/*
 * How much of each of other sums the first one is, by least squares; false
 * when that leaves anything, or they hang together themselves.
 */
static bool
solve(const Products *products, const SdcRelatedSums *sums, double *much)
{
	double row[SDC_RELATED_SUMS][SDC_RELATED_SUMS + 1];
	double whole = products->of[sums->sum[0]][sums->sum[0]];
	double left = whole;
	int count = sums->count - 1;
	int i;
	int j;
	int k;

	for (i = 0; i < count; i++)
	{
		for (j = 0; j < count; j++)
			row[i][j] = products->of[sums->sum[i + 1]][sums->sum[j + 1]];
		row[i][count] = products->of[sums->sum[i + 1]][sums->sum[0]];
	}
	for (k = 0; k < count; k++)
	{
		if (row[k][k] <=
			1e-9 * products->of[sums->sum[k + 1]][sums->sum[k + 1]])
			return false;
		for (i = k + 1; i < count; i++)
			for (j = count; j >= k; j--)
				row[i][j] -= row[k][j] * row[i][k] / row[k][k];
	}
	for (k = count - 1; k >= 0; k--)
	{
		much[k] = row[k][count];
		for (j = k + 1; j < count; j++)
			much[k] -= row[k][j] * much[j];
		much[k] /= row[k][k];
	}
	for (k = 0; k < count; k++)
		left -= much[k] * products->of[sums->sum[k + 1]][sums->sum[0]];
	return fabs(left) <= 1e-9 * whole;
}

/* Brings numbers above 0 to whole factors, not all 1; false: it cannot. */
static bool
make_whole(SdcRelatedSums *sums, const double *much)
{
	int count = sums->count - 1;
	int factor;
	int k;

	for (factor = 1; factor <= MOST_FACTOR; factor++)
	{
		bool whole = true;
		bool ones = factor == 1;

		for (k = 0; k < count && whole; k++)
		{
			double own = factor * much[k];

			whole = own > 0.5 && own <= MOST_FACTOR &&
					fabs(own - rint(own)) <= 1e-6 * Min(own, 100);
			sums->factor[k + 1] = whole ? (int) rint(own) : 0;
			ones = ones && sums->factor[k + 1] == 1;
		}
		sums->factor[0] = factor;
		if (whole)
			return !ones;
	}
	return false;
}

/* Adds what one sum is of others, from place on. */
static List *
add_sums(const Products *products, SdcRelatedSums *sums, int place,
		 List *found)
{
	double much[SDC_RELATED_SUMS];

	for (; place < products->count; place++)
	{
		if (place == sums->sum[0])
			continue;
		sums->sum[sums->count++] = place;
		if (sums->count > 2 && solve(products, sums, much) &&
			make_whole(sums, much))
		{
			SdcRelatedSums *copy = palloc(sizeof(SdcRelatedSums));

			*copy = *sums;
			found = lappend(found, copy);
		}
		if (sums->count < SDC_RELATED_SUMS)
			found = add_sums(products, sums, place + 1, found);
		sums->count--;
	}
	return found;
}

List *
sdcpg_related_sums(const char *records, List *sums)
{
	Products products;
	List *found = NIL;
	int i;

	if (list_length(sums) < 3)
		return NIL;
	read_products(records, sums, &products);
	/* few records have such numbers by chance */
	if (products.records < 3 * SDC_RELATED_SUMS)
		return NIL;
	for (i = 0; i < products.count; i++)
	{
		SdcRelatedSums of = {1, {i}};

		found = add_sums(&products, &of, 0, found);
	}
	return found;
}
