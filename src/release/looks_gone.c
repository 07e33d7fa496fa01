/*
 * looks_gone.c
 *		What draws tell that no row of now was drawn by.
 *
 * What the policy remembers is more than looks at the values of now: rows are
 * gone whose persons have others, and values are others than when they were
 * drawn for.  Both become a table with one row for each draw, or person, that
 * is attacked as rows that a person ties together are, see tied.c.
 */
#include "postgres.h"

#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "release/gate.h"
#include "release/publish.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"

/* ----------------------------------------------------------------------
 * Rows that are gone.
 *
 * Where rows come and go, as in a table of the last days, each night draws
 * for other rows of the same persons.  A published column that ties them, as
 * the pseudonym of a person, does so over nights, and what is remembered of a
 * row has a digest of whose it was.  So all draws for the rows of those who
 * are here now are put together, whether the rows are here or gone.
 * ----------------------------------------------------------------------
 */

/* Was such a table made before, for an attack with other params? */
static bool
is_made(struct SdcVersions *versions, const char *suffix)
{
	return sdcpg_params_is_listed(versions->tables,
								  sdcpg_versions_name(versions, suffix));
}

/* Whose rows of now go by which digest: a table, whose name is returned. */
static const char *
make_whose(struct SdcVersions *versions, const SdcRelationColumn *tie)
{
	char *suffix = psprintf("whose%d", tie->number);

	if (is_made(versions, suffix))
		return sdcpg_versions_name(versions, suffix);
	return sdcpg_versions_table(
		versions, suffix,
		psprintf("SELECT DISTINCT %s AS name, %s AS whose FROM %s AS o"
				 " WHERE num_nulls(o.%s) = 0",
				 sdcpg_query_cast_from(tie->base, psprintf("o.%s", tie->sql),
									   "text"),
				 sdcpg_versions_whose(versions, tie, "o"),
				 versions->original->sql, tie->sql));
}

/* What share of names has rows that are gone, by one column. */
typedef struct Gone
{
	AttrNumber number;
	double share;
} Gone;

/* The share of names, or of their rows of now, whichever is more. */
static double
share_gone(struct SdcVersions *versions, const SdcRelationColumn *tie)
{
	const char *whose = make_whose(versions, tie);
	const char *name =
		sdcpg_query_cast_from(tie->base, psprintf("o.%s", tie->sql), "text");

	return sdcpg_versions_ask(psprintf(
		"WITH g AS (SELECT DISTINCT w.name FROM %s AS m"
		" CROSS JOIN LATERAL unnest(m.whose) AS u (whose)"
		" JOIN %s AS w ON w.whose = u.whose"
		" WHERE m.first IS DISTINCT FROM m.last"
		" AND NOT EXISTS (SELECT FROM %s AS n WHERE n.%s = m.person))"
		" SELECT GREATEST((SELECT count(*) FROM g)::float8"
		" / GREATEST(1, (SELECT count(DISTINCT w.name) FROM %s AS w)),"
		" (SELECT count(g.name)::float8 / GREATEST(1, count(*))"
		" FROM %s AS o LEFT JOIN g ON g.name = %s))",
		sdcpg_versions_kept(versions), whose,
		sdcpg_versions_name(versions, "now"), versions->own.person, whose,
		versions->original->sql, name));
}

double
sdcpg_versions_gone(struct SdcVersions *versions, const SdcRelationColumn *tie)
{
	Gone *gone;
	ListCell *cell;

	if (!versions->remembers)
		return 0;
	foreach (cell, versions->gone)
	{
		gone = lfirst(cell);
		if (gone->number == tie->number)
			return gone->share;
	}
	gone = palloc(sizeof(Gone));
	gone->number = tie->number;
	gone->share = share_gone(versions, tie);
	versions->gone = lappend(versions->gone, gone);
	return gone->share;
}

/* Has a part draws of its own for rows that may be gone? */
static bool
is_drawn(const SdcPart *part)
{
	return part->policy == NULL && part->fixed == NULL && !part->sample &&
		   part->number != 0 && part->columns.count > 0;
}

/* Columns that are published of a row that is here, and are in no part. */
static SdcRelationColumns
undrawn_columns(const struct SdcVersions *versions,
				const SdcRelationColumn *tie, List *published)
{
	SdcRelationColumns all =
		sdcpg_relation_all_columns(versions->staging->masked);
	SdcRelationColumns undrawn = {0};
	int c;
	int p;

	undrawn.column = palloc(sizeof(SdcRelationColumn) * (all.count + 1));
	for (c = 0; c < all.count; c++)
	{
		AttrNumber number =
			get_attnum(versions->original->oid, all.column[c].name);
		bool drawn = number == InvalidAttrNumber || number == tie->number ||
					 number == versions->id.number;

		for (p = 0; p < versions->parts; p++)
			drawn |= sdcpg_relation_lists(&versions->part[p].columns, number);
		if (!drawn && (published == NIL ||
					   sdcpg_params_is_listed(published, all.column[c].name)))
			undrawn.column[undrawn.count++] = all.column[c];
	}
	return undrawn;
}

/*
 * The names and types of the columns of such rows: whose, those of all parts
 * that draw, and of the rows that are here.  A list for a part, or for the
 * others (p < 0), has values of its own, and NULL for the rest.
 */
static char *
gone_list(const struct SdcVersions *versions, int p,
		  const SdcRelationColumns *undrawn)
{
	StringInfoData list;
	int q;
	int i;

	initStringInfo(&list);
	for (q = 0; q < versions->all_parts; q++)
	{
		const SdcPart *part = &versions->part[q];

		for (i = 0; is_drawn(part) && i < part->columns.count; i++)
		{
			const char *name = part->columns.column[i].name;

			if (q >= versions->parts)
				name = makeObjectName(name, psprintf("before%d", q), NULL);
			appendStringInfo(&list, ", CAST(%s AS %s) AS %s",
							 p == q ? psprintf("m.value[%d]", i + 1) : "NULL",
							 part->type[i], quote_identifier(name));
		}
	}
	for (i = 0; i < undrawn->count; i++)
		appendStringInfo(&list, ", CAST(%s AS %s) AS %s",
						 p < 0 ? psprintf("m.%s", undrawn->column[i].sql)
							   : "NULL",
						 sdcpg_relation_type(versions->staging->masked,
											 &undrawn->column[i]),
						 undrawn->column[i].sql);
	return list.data;
}

/* What was drawn of a part for rows that are gone, or still looks at the value
 * of now. */
static char *
gone_sql(struct SdcVersions *versions, int p, const SdcRelationColumn *tie,
		 const SdcRelationColumns *undrawn)
{
	const SdcPart *part = &versions->part[p];

	return psprintf(
		"SELECT m.name AS %s%s FROM (SELECT DISTINCT w.name, m.person,"
		" m.drawn, m.value FROM %s AS m"
		" CROSS JOIN LATERAL unnest(m.whose) AS u (whose)"
		" JOIN %s AS w ON w.whose = u.whose"
		" LEFT JOIN (SELECT %s AS person, %s AS cell FROM %s AS r OFFSET 0)"
		" AS x ON x.person = m.person WHERE m.part = " INT64_FORMAT
		" AND m.first IS DISTINCT FROM m.last"
		" AND (x.person IS NULL OR m.last IS NULL OR %s)) AS m",
		versions->own.person, gone_list(versions, p, undrawn),
		sdcpg_versions_kept(versions), make_whose(versions, tie),
		sdcpg_versions_person(versions, "r"),
		sdcpg_versions_cell(versions, part), versions->original->sql,
		part->number, sdcpg_versions_still_looks(versions, part));
}

SdcRelation *
sdcpg_versions_show_gone(struct SdcVersions *versions,
						 const SdcRelationColumn *tie, List *published)
{
	SdcRelationColumns undrawn = undrawn_columns(versions, tie, published);
	const char *id = versions->id.sql;
	char *suffix = psprintf("gone%d", tie->number);
	StringInfoData sql;
	int p;

	if (sdcpg_versions_gone(versions, tie) == 0)
		return NULL;
	if (is_made(versions, suffix))
		return sdcpg_versions_find(versions, suffix);
	initStringInfo(&sql);
	appendStringInfo(
		&sql,
		"SELECT %s AS %s%s FROM %s AS m JOIN %s AS o ON o.%s = m.%s"
		" WHERE num_nulls(o.%s) = 0",
		sdcpg_query_cast_from(tie->base, psprintf("o.%s", tie->sql), "text"),
		versions->own.person, gone_list(versions, -1, &undrawn),
		versions->staging->masked->sql, versions->original->sql, id, id,
		tie->sql);
	for (p = 0; p < versions->all_parts; p++)
		if (is_drawn(&versions->part[p]))
			appendStringInfo(&sql, " UNION ALL %s",
							 gone_sql(versions, p, tie, &undrawn));
	sdcpg_versions_table(versions, suffix, sql.data);
	return sdcpg_versions_find(versions, suffix);
}

/* ----------------------------------------------------------------------
 * Values that have moved.
 *
 * A draw for another value than that of now is no look at it, unless the one
 * goes with the other: where everybody was credited the same, or all are a
 * month older, who keeps all nights takes that off again, and averages.  So of
 * each release the line is fitted on which what it drew lies by the values of
 * now.  Where that holds nearly as well as for what is published now, each
 * draw says by its line what the value of now may be, and these are averaged,
 * each by how well its line holds.
 * ----------------------------------------------------------------------
 */

/* Of all rows, the share that must have such draws. */
#define MOVED_ROWS 0.1
/* Rows that a line is fitted to, at least. */
#define LINE_ROWS 20
/* How well a line holds (R2), as a share of that of now. */
#define LINE_HOLDS 0.5

/* Columns of a part that have numbers on both sides: their places, as int. */
static List *
list_numbers(const struct SdcVersions *versions, const SdcPart *part)
{
	const SdcRelation *masked = versions->staging->masked;
	List *places = NIL;
	int i;

	for (i = 0; is_drawn(part) && i < part->columns.count; i++)
	{
		const SdcRelationColumn *column = &part->columns.column[i];

		if ((sdcpg_number_is_arithmetic(column->base) ||
			 sdcpg_time_is(column->base)) &&
			get_attnum(masked->oid, column->name) != InvalidAttrNumber &&
			sdcpg_relation_column(masked, column->name).base == column->base)
			places = lappend_int(places, i);
	}
	return places;
}

/*
 * What was drawn of a part, and the value of now, as SQL: rows of the number
 * of the column (k), a person, the release, whether it is published now, the
 * draw (v) and the value (x).
 */
static char *
pairs_sql(struct SdcVersions *versions, const SdcPart *part, List *places,
		  int k)
{
	const SdcVersionsNames *own = &versions->own;
	StringInfoData drawn, numbers, values, rows;
	ListCell *cell;

	initStringInfo(&drawn);
	initStringInfo(&numbers);
	initStringInfo(&values);
	initStringInfo(&rows);
	foreach (cell, places)
	{
		const SdcRelationColumn *column =
			&part->columns.column[lfirst_int(cell)];

		appendStringInfo(&drawn, ", CAST(m.value[%d] AS %s) AS %s",
						 lfirst_int(cell) + 1, part->type[lfirst_int(cell)],
						 column->sql);
		appendStringInfo(&numbers, ", %s AS v%d",
						 sdcpg_mask_type_number(column), k);
		appendStringInfo(&values, ", %s AS x%d",
						 sdcpg_mask_type_number(column), k);
		appendStringInfo(&rows, "%s(%d, d.v%d, n.x%d)",
						 rows.len > 0 ? ", " : "", k, k, k);
		k++;
	}
	return psprintf(
		"SELECT y.k, d.person, d.drawn, d.now, y.v, y.x FROM"
		" (SELECT r.%s AS person, r.%s AS drawn, r.%s AS now%s FROM"
		" (SELECT m.person AS %s, m.drawn AS %s, m.now AS %s%s FROM"
		" (SELECT m.person, m.drawn, m.value, bool_or(m.last IS NULL) AS now"
		" FROM %s AS m WHERE m.part = " INT64_FORMAT
		" AND m.first IS DISTINCT FROM m.last"
		" GROUP BY m.person, m.drawn, m.value) AS m) AS r) AS d"
		" JOIN (SELECT r.%s AS person%s FROM %s AS r) AS n USING (person)"
		" CROSS JOIN LATERAL (VALUES %s) AS y (k, v, x)"
		" WHERE y.v > '-Infinity' AND y.v < 'Infinity'"
		" AND y.x > '-Infinity' AND y.x < 'Infinity'",
		own->person, own->when, own->alone, numbers.data, own->person,
		own->when, own->alone, drawn.data, sdcpg_versions_kept(versions),
		part->number, own->person, values.data,
		sdcpg_versions_name(versions, "now"), rows.data);
}

/* Have enough persons something that was drawn for another value?  What was
 * drawn anew for the same one is a look as any other. */
static bool
have_moved(struct SdcVersions *versions)
{
	return versions->remembers &&
		   sdcpg_versions_ask(psprintf(
			   "SELECT count(DISTINCT d.person)::float8 FROM"
			   " (SELECT m.person FROM %s AS m JOIN %s AS n ON n.%s = m.person"
			   " WHERE m.first IS DISTINCT FROM m.last"
			   " GROUP BY m.person, m.part, m.cell"
			   " HAVING bool_and(m.last IS NOT NULL)) AS d",
			   sdcpg_versions_kept(versions),
			   sdcpg_versions_name(versions, "now"), versions->own.person)) >=
			   MOVED_ROWS * versions->tally.rows;
}

/* Makes the table of all pairs; returns the columns by number. */
static List *
make_pairs(struct SdcVersions *versions)
{
	List *names = NIL;
	StringInfoData sql;
	ListCell *cell;
	int p;

	initStringInfo(&sql);
	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];
		List *places = list_numbers(versions, part);

		if (places == NIL)
			continue;
		appendStringInfo(
			&sql, "%s%s", sql.len > 0 ? " UNION ALL " : "",
			pairs_sql(versions, part, places, list_length(names)));
		foreach (cell, places)
			names = lappend(names,
							(void *) &part->columns.column[lfirst_int(cell)]);
	}
	if (names != NIL)
		sdcpg_versions_table(versions, "pairs", sql.data);
	return names;
}

/*
 * The lines that hold: number of the column, release, constant (a), slope (b)
 * and weight (w); false where hardly a row has another draw than that of now.
 */
static bool
make_lines(struct SdcVersions *versions)
{
	const char *pairs = sdcpg_versions_name(versions, "pairs");
	const char *lines = sdcpg_versions_table(
		versions, "lines",
		psprintf("SELECT l.k, l.drawn, l.a, l.b,"
				 " l.r2 / (1.000001::float8 - l.r2) AS w FROM"
				 " (SELECT p.k, p.drawn, regr_intercept(p.v, p.x) AS a,"
				 " regr_slope(p.v, p.x) AS b, regr_r2(p.v, p.x) AS r2"
				 " FROM %s AS p GROUP BY p.k, p.drawn HAVING count(*) >= %d)"
				 " AS l JOIN (SELECT p.k, regr_r2(p.v, p.x) AS r2 FROM %s AS p"
				 " WHERE p.now GROUP BY p.k) AS n USING (k)"
				 " WHERE l.b <> 0 AND l.r2 > 0 AND l.r2 >= %g * n.r2",
				 pairs, LINE_ROWS, pairs, LINE_HOLDS));

	return sdcpg_versions_ask(psprintf(
			   "SELECT count(DISTINCT p.person)::float8 FROM %s AS p JOIN %s"
			   " AS l USING (k, drawn) WHERE NOT p.now",
			   pairs, lines)) >= MOVED_ROWS * versions->tally.rows;
}

bool
sdcpg_versions_has_moved(struct SdcVersions *versions)
{
	if (!versions->asked)
	{
		versions->asked = true;
		if (have_moved(versions))
			versions->numbers = make_pairs(versions);
		if (versions->numbers != NIL && !make_lines(versions))
			versions->numbers = NIL;
	}
	return versions->numbers != NIL;
}

SdcRelation *
sdcpg_versions_show_moved(struct SdcVersions *versions, List *published,
						  List **said)
{
	const SdcRelationColumn *id = &versions->id;
	SdcRelationColumns undrawn;
	StringInfoData list, means;
	ListCell *cell;
	int k = 0;
	int i;

	if (!sdcpg_versions_has_moved(versions))
		return NULL;
	*said = versions->numbers;
	if (is_made(versions, "moved"))
		return sdcpg_versions_find(versions, "moved");
	initStringInfo(&list);
	initStringInfo(&means);
	foreach (cell, versions->numbers)
	{
		appendStringInfo(&means,
						 ", sum(l.w * (p.v - l.a) / l.b) FILTER (WHERE k = %d)"
						 " / sum(l.w) FILTER (WHERE k = %d) AS e%d",
						 k, k, k);
		appendStringInfo(&list, ", e.e%d AS %s", k,
						 ((const SdcRelationColumn *) lfirst(cell))->sql);
		k++;
	}
	undrawn = undrawn_columns(versions, id, published);
	for (i = 0; i < undrawn.count; i++)
		appendStringInfo(&list, ", m.%s", undrawn.column[i].sql);
	sdcpg_versions_table(
		versions, "moved",
		psprintf(
			"SELECT %s AS %s%s FROM (SELECT p.person%s FROM %s AS p"
			" JOIN %s AS l USING (k, drawn) GROUP BY p.person) AS e"
			" JOIN %s AS n ON n.%s = e.person JOIN %s AS m ON m.%s = n.%s",
			sdcpg_query_cast_from(id->base, psprintf("m.%s", id->sql), "text"),
			versions->own.person, list.data, means.data,
			sdcpg_versions_name(versions, "pairs"),
			sdcpg_versions_name(versions, "lines"),
			sdcpg_versions_name(versions, "now"), versions->own.person,
			versions->staging->masked->sql, id->sql, id->sql));
	return sdcpg_versions_find(versions, "moved");
}
