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
 *
 * A column is made of others when it is a sum of so much of each in all
 * records, as points are 7 for each a and 3 for each b.  How much follows from
 * the sums of squares and products.
 */
#include "postgres.h"

#include <math.h>

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
