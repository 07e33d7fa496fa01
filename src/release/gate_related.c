/*
 * gate_related.c
 *		Relations whose records have to do with each other: orders and their
 *		customers.
 *
 * Who has a table of customers and one of their orders compares them by the
 * customers: what is the same in all orders of a customer is his, and so are
 * the number of his orders and their sums.  Customers and orders are joined by
 * a foreign key, two relations that refer to the same third one are, too, and
 * so are relations of which two tables of cells name the same respondent.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "release/gate_beside.h"

/*
 * Ways in which relations are joined, as SQL: a and b, and the numbers of the
 * columns by which they are.
 */
#define FOREIGN_KEYS                                                   \
	"(SELECT f.conrelid AS a, f.confrelid AS b, f.conkey AS by_a,"     \
	" f.confkey AS by_b FROM pg_constraint AS f WHERE f.contype = 'f'" \
	" UNION SELECT f.confrelid, f.conrelid, f.confkey, f.conkey"       \
	" FROM pg_constraint AS f WHERE f.contype = 'f'"                   \
	" UNION SELECT f.conrelid, g.conrelid, f.conkey, g.conkey"         \
	" FROM pg_constraint AS f JOIN pg_constraint AS g"                 \
	" ON g.confrelid = f.confrelid AND g.confkey = f.confkey"          \
	" WHERE f.contype = 'f' AND g.contype = 'f')"

List *
sdcpg_related_names(const SdcRelation *relation)
{
	SdcCatalogRows *rows = sdcpg_beside_read(
		psprintf("SELECT DISTINCT w.b FROM " FOREIGN_KEYS
				 " AS w WHERE w.a = %u AND w.b <> w.a ORDER BY 1",
				 relation->oid));
	List *names = NIL;
	int i;

	for (i = 0; i < rows->count; i++)
	{
		Oid oid = DatumGetObjectId(rows->value[i][0]);
		char *schema = get_namespace_name(get_rel_namespace(oid));
		char *name = get_rel_name(oid);

		if (schema != NULL && name != NULL)
			names = lappend(names, quote_qualified_identifier(schema, name));
	}
	return names;
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

		appendStringInfo(&sql, "%sconcat(r.%s)", known.len > 0 ? ", " : "",
						 column);
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
						 ", min(%s COLLATE \"C\") AS k%d_%d,"
						 " min(%s COLLATE \"C\") = max(%s COLLATE \"C\")"
						 " AS o%d_%d",
						 text, s, i, text, text, s, i);
		i++;
	}
	appendStringInfo(&sql, " FROM %s AS r WHERE %s GROUP BY 1)",
					 side->relation->sql, known.data);
	return sql.data;
}

char *
sdcpg_related_join(SdcBeside *beside, SdcRelatedSide *side)
{
	char *made = sdcpg_beside_table(beside);
	StringInfoData sql;
	int i;
	int s;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE UNLOGGED TABLE %s AS SELECT 1 AS unit",
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
	appendStringInfo(&sql,
					 " FROM %s AS u0 FULL JOIN %s AS u1 ON u0.unit = u1.unit",
					 units_of(&side[0], 0), units_of(&side[1], 1));
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
	}
	return made;
}
