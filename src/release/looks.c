/*
 * looks.c
 *		What all versions of a release together show an intruder.
 *
 * What the policy remembers becomes two tables that the attack likelihood
 * reads as any others: each release that drew something has columns of its
 * own, or of many draws of noise there is a mean.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/server/compat.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/publish.h"
#include "release/versions.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"
#include "topic/transaction/purchases.h"

/*
 * Columns of versions that an intruder looks at: those with the most rows.
 * Each may be two terms of the likelihood, which has SDC_INTRUDER_TERMS.
 */
#define LOOKS_LIMIT 30

/* ----------------------------------------------------------------------
 * What all versions together show.
 *
 * Each draw of a part is a look at the values that it was made from.  Looks
 * become columns, one for each release that drew, NULL for persons it did not
 * draw for; on the side of the original the same persons have the value as it
 * is.  So an intruder who weighs records column by column adds up what the
 * versions tell him, compares the drawn rows of a night with each other only,
 * and knows who came and changed when.  A value whose original has changed
 * since is left out: the look was at another value.
 * ----------------------------------------------------------------------
 */

/* One release that drew a part, or a mean of several. */
typedef struct Look
{
	int p;
	int64 drawn; /* the release; below 0: a mean, see MEAN_OF */
	double rows;
} Look;

/*
 * Means are told apart by how many draws they are of, as the number of half
 * powers of two: one of 11 and one of 12 are nearly as good.
 */
#define MEAN_OF(look) pow(2, (-1 - (look)->drawn) / 2.0)

/* Does a list of names (name[]), which may be NULL, have this one? */
static bool
lists_name(ArrayType *names, const char *name)
{
	return sdcpg_params_is_listed(sdcpg_policy_list_of(names), name);
}

/* Is this column of a part one of the keys? */
static bool
is_key(const SdcPart *part, int i, ArrayType *keys)
{
	return lists_name(part->keys != NULL ? part->keys : keys,
					  part->columns.column[i].name);
}

bool
sdcpg_versions_has_key(const SdcPart *part, ArrayType *keys)
{
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (is_key(part, i, keys))
			return true;
	return false;
}

const char *
sdcpg_versions_still_looks(const struct SdcVersions *versions,
						   const SdcPart *part)
{
	ListCell *cell;

	foreach (cell, part->rules)
		if (((const SdcRule *) lfirst(cell))->method->likelihood ==
				SDC_LIKELIHOOD_NOISE &&
			versions->staging->params.grid < 1)
			return "true";
	return "m.cell = x.cell";
}

/* What the other policy that published a part remembers, as SQL. */
static char *
values_of(const SdcPart *part)
{
	return psprintf("sdc.release_values(%s, '%u'::regclass)",
					quote_literal_cstr(part->policy), part->relation);
}

/*
 * The looks of one part, as SQL.  What another policy published last may be of
 * values that have changed since.
 */
static char *
part_looks(struct SdcVersions *versions, int p, const char *kept)
{
	const SdcPart *part = &versions->part[p];
	const char *still = sdcpg_versions_still_looks(versions, part);

	if (part->fixed != NULL)
		return psprintf("SELECT %d AS p, %s AS person, " INT64_FORMAT
						"::int8 AS drawn, %s AS value FROM %s AS r",
						p, sdcpg_versions_person(versions, "r"), part->release,
						sdcpg_versions_values(part, "r"),
						sdcpg_versions_name(versions, part->fixed));
	if (part->policy == NULL)
		still = psprintf("(m.last IS NULL OR %s)", still);
	else
		kept = values_of(part);
	return psprintf("SELECT DISTINCT %d AS p, x.own AS person, m.drawn,"
					" m.value FROM %s AS m JOIN (SELECT %s AS own,"
					" %s AS person, %s AS cell FROM %s AS r OFFSET 0) AS x"
					" ON x.person = m.person WHERE m.part = " INT64_FORMAT
					" AND %s AND m.first IS DISTINCT FROM m.last",
					p, kept, sdcpg_versions_person(versions, "r"),
					sdcpg_versions_part_person(versions, part, "r"),
					sdcpg_versions_cell(versions, part),
					versions->original->sql, part->number, still);
}

const char *
sdcpg_versions_kept(struct SdcVersions *versions)
{
	if (versions->kept == NULL)
		versions->kept = sdcpg_versions_table(versions, "kept", NULL);
	return versions->kept;
}

/* The rows of all looks: place of the part, person, release, values. */
static void
make_looks(struct SdcVersions *versions, ArrayType *keys)
{
	StringInfoData sql;
	const char *kept = sdcpg_versions_kept(versions);
	int p;

	initStringInfo(&sql);
	for (p = 0; p < versions->seen_parts; p++)
		if (sdcpg_versions_has_key(&versions->part[p], keys) ||
			versions->part[p].fixed != NULL)
			appendStringInfo(&sql, "%s%s", sql.len > 0 ? " UNION ALL " : "",
							 part_looks(versions, p, kept));
	sdcpg_versions_table(versions, "looks",
						 sql.len > 0
							 ? sql.data
							 : "SELECT 0 AS p, NULL::bytea AS person,"
							   " 0::int8 AS drawn, NULL::text[] AS value"
							   " WHERE false");
}

/* Has a look of the list been drawn by this release? */
static bool
has_night(List *looks, int64 drawn)
{
	ListCell *cell;

	foreach (cell, looks)
		if (((const Look *) lfirst(cell))->drawn == drawn)
			return true;
	return false;
}

char *
sdcpg_versions_number(const SdcRelation *table, const char *name,
					  const char *alias)
{
	SdcRelationColumn column;

	if (get_attnum(table->oid, name) == InvalidAttrNumber)
		return "NULL::float8";
	column = sdcpg_relation_column(table, name);
	if (!sdcpg_number_is_arithmetic(column.base))
		return "NULL::float8";
	/* a numeric may be too large */
	return psprintf("CASE WHEN %s.%s > -1e300 AND %s.%s < 1e300"
					" THEN (%s.%s)::float8 END",
					alias, column.sql, alias, column.sql, alias, column.sql);
}

/* ----------------------------------------------------------------------
 * Means.
 *
 * The likelihood looks at so many columns, and of noise what is drawn anew
 * each night is forgotten after some nights; who has kept all of them takes
 * means.  Of noise the mean of a person's draws says all that these say.  So
 * where there are more looks than columns, or draws that are forgotten, each
 * person has one mean of each part, among those with about as many draws.
 * What is forgotten was as far from the original as what is kept: the mean of
 * all is nearer to it by the root of how many more they are.
 * ----------------------------------------------------------------------
 */

/* Is the mean of the draws of a part as good as all of them? */
static bool
has_means(const SdcPart *part)
{
	ListCell *cell;
	int i;

	foreach (cell, part->rules)
	{
		const SdcMask *method = ((const SdcRule *) lfirst(cell))->method;

		if (method->likelihood == SDC_LIKELIHOOD_ROUND &&
			list_length(part->rules) == 1)
			continue;
		if (method->likelihood != SDC_LIKELIHOOD_NOISE ||
			method->leaves == SDC_MASK_LEAVES_MOMENTS)
			return false;
	}
	for (i = 0; i < part->columns.count; i++)
		if (!sdcpg_number_is_arithmetic(part->columns.column[i].base))
			return false;
	return part->fixed == NULL;
}

/* The first release of which draws of a part are kept. */
static int64
first_kept(struct SdcVersions *versions, const SdcPart *part)
{
	return (int64) sdcpg_versions_ask(psprintf(
		"SELECT CAST(min(m.drawn) AS float8) FROM %s AS m"
		" WHERE m.part = " INT64_FORMAT,
		part->policy != NULL ? values_of(part) : sdcpg_versions_kept(versions),
		part->number));
}

/*
 * Releases of a policy that draw everything anew and were before the first of
 * which the draws of a part are kept.  Rows that came later were in none.
 */
static int64
count_forgotten(struct SdcVersions *versions, int p)
{
	const SdcPart *part = &versions->part[p];
	SdcCatalogParameters parameters = {0};
	int64 first = first_kept(versions, part);

	if (sdcpg_versions_ask(psprintf(
			"SELECT CAST(min(l.drawn) AS float8) FROM %s AS l WHERE l.p = %d",
			sdcpg_versions_name(versions, "looks"), p)) > first)
		return 0;
	sdcpg_catalog_bind_text(
		&parameters, part->policy != NULL ? part->policy : versions->policy);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(part->document),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(first), false);
	return DatumGetInt64(
		sdcpg_catalog_read_owned(
			"release_history",
			"SELECT pg_catalog.count(DISTINCT h.release)"
			" FROM sdc.release_history AS h CROSS JOIN LATERAL"
			" pg_catalog.jsonb_array_elements(h.relations) AS e (value)"
			" WHERE h.policy OPERATOR(pg_catalog.=) $1"
			" AND h.status OPERATOR(pg_catalog.=) 'published'"
			" AND h.release OPERATOR(pg_catalog.<) $3"
			" AND (e.value OPERATOR(pg_catalog.->) 'rules')"
			" OPERATOR(pg_catalog.@>) $2"
			" AND (e.value OPERATOR(pg_catalog.->) 'params')"
			" OPERATOR(pg_catalog.@>) '{\"fresh\": true}'::pg_catalog.jsonb",
			&parameters)
			->value[0][0]);
}

/* The means of a part, as rows of looks. */
static char *
means_sql(struct SdcVersions *versions, int p, int64 forgotten)
{
	const SdcRelationColumns *columns = &versions->part[p].columns;
	StringInfoData means;
	StringInfoData values;
	int i;

	initStringInfo(&means);
	initStringInfo(&values);
	for (i = 0; i < columns->count; i++)
	{
		char *x = sdcpg_versions_number(versions->original,
										columns->column[i].name, "r");

		appendStringInfo(&means, ", avg(CAST(l.value[%d] AS float8)) AS m_%d",
						 i + 1, i);
		appendStringInfo(&values,
						 "%sCAST(%s + (a.m_%d - %s)"
						 " * sqrt(a.kept / power(2, a.size / 2)) AS text)",
						 i > 0 ? ", " : "", x, i, x);
	}
	return psprintf(
		"SELECT %d, a.person, CAST(-1 - a.size AS int8), ARRAY[%s] FROM"
		" (SELECT l.person, CAST(count(*) AS float8) AS kept, round(2 *"
		/* who was not in the first release that is kept was in none before */
		" ln(CAST(count(*) + CASE WHEN min(l.drawn) = min(min(l.drawn))"
		" OVER () THEN " INT64_FORMAT
		" ELSE 0 END AS float8)) / ln(2::float8))"
		" AS size%s FROM %s AS l WHERE l.p = %d GROUP BY l.person) AS a"
		" JOIN %s AS r ON %s = a.person",
		p, values.data, forgotten, means.data,
		sdcpg_versions_name(versions, "looks"), p, versions->original->sql,
		sdcpg_versions_person(versions, "r"));
}

/* ----------------------------------------------------------------------
 * What is forgotten of other masks is drawn again, for the attack only: it
 * tells as much as what was published, on average.
 * ----------------------------------------------------------------------
 */

/* The parts that fresh has forgotten draws of, and their columns. */
typedef struct Forgotten
{
	List *parts; /* int */
	Jsonb *rules;
	SdcRelationColumns columns; /* and strata */
	int drawn;                  /* columns that are drawn */
	int64 nights;               /* that are forgotten, at the most */
} Forgotten;

static Forgotten
list_forgotten(struct SdcVersions *versions, const int64 *forgotten)
{
	Forgotten list = {0};
	int p;

	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];

		if (forgotten[p] == 0 || part->sample || has_means(part))
			continue;
		list.parts = lappend_int(list.parts, p);
		list.rules = list.rules == NULL
						 ? part->document
						 : DatumGetJsonbP(DirectFunctionCall2(
							   jsonb_concat, JsonbPGetDatum(list.rules),
							   JsonbPGetDatum(part->document)));
		sdcpg_versions_add_columns(&list.columns, &part->columns, NULL);
		sdcpg_versions_add_columns(&list.columns, &part->strata, NULL);
		list.drawn += part->columns.count;
		list.nights = Max(list.nights, forgotten[p]);
	}
	return list;
}

/* Masks the originals once more; returns the name of the table. */
static char *
mask_again(struct SdcVersions *versions, const Forgotten *list, int64 night)
{
	int64 seed = versions->seed;
	char *name;

	/* the same seed would draw the same */
	versions->seed += night;
	name = sdcpg_versions_mask_table(versions, "again", list->rules,
									 psprintf("again_" INT64_FORMAT, night));
	versions->seed = seed;
	return name;
}

/*
 * The rows of all looks with as many nights of what is forgotten as there are
 * columns for, beside so many; the name of the table.
 */
static const char *
draw_again(struct SdcVersions *versions, const char *table,
		   const Forgotten *list, int columns)
{
	int64 nights = Min(list->nights, (LOOKS_LIMIT - columns) / list->drawn);
	double first = sdcpg_versions_ask(
		psprintf("SELECT CAST(min(l.drawn) AS float8) FROM %s AS l", table));
	SdcRelationColumns id = {1, &versions->id};
	SdcRelationColumns kept = {0};
	StringInfoData sql;
	ListCell *cell;
	int64 night;

	if (nights <= 0)
		return table;
	sdcpg_versions_add_columns(&kept, &id, NULL);
	sdcpg_versions_add_columns(&kept, &list->columns, NULL);
	sdcpg_versions_table(versions, "again",
						 psprintf("SELECT %s FROM %s",
								  sdcpg_relation_list(&kept),
								  versions->original->sql));
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT l.* FROM %s AS l", table);
	for (night = 1; night <= nights; night++)
	{
		char *masked = mask_again(versions, list, night);

		foreach (cell, list->parts)
			appendStringInfo(
				&sql,
				" UNION ALL SELECT %d, %s, CAST(%.0f AS int8), %s"
				" FROM %s AS r",
				lfirst_int(cell), sdcpg_versions_person(versions, "r"),
				first - night,
				sdcpg_versions_values(&versions->part[lfirst_int(cell)], "r"),
				masked);
	}
	return sdcpg_versions_table(versions, "redrawn", sql.data);
}

/* The rows of looks with means of what is drawn in the parts of a list. */
static const char *
take_means(struct SdcVersions *versions, const char *table, List *parts,
		   const int64 *forgotten)
{
	StringInfoData sql;
	StringInfoData numbers;
	ListCell *cell;

	initStringInfo(&sql);
	initStringInfo(&numbers);
	foreach (cell, parts)
	{
		int p = lfirst_int(cell);

		appendStringInfo(&numbers, "%s%d", numbers.len > 0 ? "," : "", p);
		appendStringInfo(&sql, " UNION ALL %s",
						 means_sql(versions, p, forgotten[p]));
	}
	return sdcpg_versions_table(
		versions, "means",
		psprintf("SELECT l.* FROM %s AS l WHERE l.p <> ALL ('{%s}'::int[])%s",
				 table, numbers.data, sql.data));
}

/* All looks of a table, the largest first. */
static List *
read_looks(struct SdcVersions *versions, const char *table)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT l.p, l.drawn,"
				 " CAST(pg_catalog.count(*) AS pg_catalog.float8) FROM %s AS l"
				 " GROUP BY l.p, l.drawn ORDER BY 3 DESC, l.drawn DESC, l.p",
				 table),
		NULL);
	List *looks = NIL;
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		Look *look = palloc(sizeof(Look));

		look->p = DatumGetInt32(rows->value[i][0]);
		look->drawn = DatumGetInt64(rows->value[i][1]);
		look->rows = DatumGetFloat8(rows->value[i][2]);
		looks = lappend(looks, look);
	}
	return looks;
}

/* The first looks of a list: as many as the likelihood has columns for. */
static List *
that_fit(const struct SdcVersions *versions, List *looks)
{
	List *fit = NIL;
	int columns = 0;
	ListCell *cell;

	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);

		columns += versions->part[look->p].columns.count;
		if (columns > LOOKS_LIMIT)
			break;
		fit = lappend(fit, lfirst(cell));
	}
	return fit;
}

/*
 * Counts what is forgotten of each part of a list of looks; lists the parts
 * with means; returns how many releases drew something.
 */
static int64
count_draws(struct SdcVersions *versions, List *looks, int64 *forgotten,
			List **means)
{
	List *drew = NIL;
	List *parts = NIL;
	ListCell *cell;
	int64 most = 0;

	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);

		if (!has_night(drew, look->drawn))
			drew = lappend(drew, lfirst(cell));
		if (list_member_int(parts, look->p) ||
			versions->part[look->p].fixed != NULL)
			continue;
		parts = lappend_int(parts, look->p);
		if (has_means(&versions->part[look->p]))
			*means = lappend_int(*means, look->p);
		forgotten[look->p] = count_forgotten(versions, look->p);
		most = Max(most, forgotten[look->p]);
	}
	return list_length(drew) + most;
}

/* The columns of looks but for those of parts of a list, which have means. */
static int
count_columns(const struct SdcVersions *versions, List *looks, List *means)
{
	int columns = 0;
	ListCell *cell;

	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);

		if (!list_member_int(means, look->p))
			columns += versions->part[look->p].columns.count;
	}
	foreach (cell, means)
		columns += versions->part[lfirst_int(cell)].columns.count;
	return columns;
}

static bool
has_forgotten_means(List *means, const int64 *forgotten)
{
	ListCell *cell;

	foreach (cell, means)
		if (forgotten[lfirst_int(cell)] > 0)
			return true;
	return false;
}

/*
 * The looks that the likelihood is run on, from *table; *nights is how many
 * releases drew what there is.
 */
static List *
list_looks(struct SdcVersions *versions, int64 *nights, const char **table)
{
	int64 *forgotten = palloc0(sizeof(int64) * (versions->seen_parts + 1));
	Forgotten others;
	List *looks;
	List *means = NIL;

	*table = sdcpg_versions_name(versions, "looks");
	looks = read_looks(versions, *table);
	*nights = count_draws(versions, looks, forgotten, &means);
	if (*nights <= 1)
		return looks;
	others = list_forgotten(versions, forgotten);
	if (others.parts != NIL)
		*table = draw_again(versions, *table, &others,
							count_columns(versions, looks, means));
	if (means != NIL && (has_forgotten_means(means, forgotten) ||
						 count_columns(versions, looks, NIL) > LOOKS_LIMIT))
		*table = take_means(versions, *table, means, forgotten);
	return that_fit(versions, read_looks(versions, *table));
}

/* In place of a column: was the person drawn for? */
#define DRAWN 1664

/* The name of a column in a look. */
static char *
look_name(const struct SdcVersions *versions, const Look *look, int i)
{
	return psprintf("%s_%d_%d_%s" INT64_FORMAT, versions->own.look, look->p, i,
					look->drawn < 0 ? "m" : "",
					look->drawn < 0 ? -look->drawn : look->drawn);
}

/*
 * The columns that are the same in each version: keys, strata, and what else
 * is published, which may tell of a key.
 */
static SdcRelationColumns
plain_columns(const struct SdcVersions *versions, ArrayType *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	SdcRelationColumns plain = {0};
	int c;
	int p;

	for (c = 0; c < all.count; c++)
	{
		SdcRelationColumns one = {1, &all.column[c]};
		const char *name = all.column[c].name;
		bool wanted =
			lists_name(keys, name) ||
			sdcpg_params_is_listed(versions->staging->published, name);
		bool drawn = false;

		for (p = 0; p < versions->parts; p++)
		{
			wanted |= sdcpg_relation_lists(&versions->part[p].strata,
										   all.column[c].number);
			drawn |= sdcpg_relation_lists(&versions->part[p].columns,
										  all.column[c].number);
		}
		if (wanted && !drawn && all.column[c].number != versions->id.number &&
			get_attnum(versions->staging->masked->oid, name) !=
				InvalidAttrNumber)
			sdcpg_versions_add_columns(&plain, &one, NULL);
	}
	return plain;
}

/*
 * Strata that are not published as they are, or not by this policy: whoever
 * has what is published of them knows them, so they are taken from the
 * original.
 */
static SdcRelationColumns
hidden_strata(const struct SdcVersions *versions,
			  const SdcRelationColumns *plain)
{
	SdcRelationColumns hidden = {0};
	SdcRelationColumns except = {0};
	SdcRelationColumns id = {1, (SdcRelationColumn *) &versions->id};
	int p;

	sdcpg_versions_add_columns(&except, plain, NULL);
	sdcpg_versions_add_columns(&except, &id, NULL);
	for (p = 0; p < versions->seen_parts; p++)
		sdcpg_versions_add_columns(&hidden, &versions->part[p].strata,
								   &except);
	return hidden;
}

/*
 * The releases that published something else for a person than the one before,
 * as SQL: each person of what is kept (m) and a text.  Of a value that has
 * changed since nothing is left to be compared but when that was, and who
 * changed twice may be the only one who did so in these two nights.
 */
static char *
when_sql(struct SdcVersions *versions)
{
	StringInfoData samples;
	int p;

	initStringInfo(&samples);
	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			appendStringInfo(&samples, " AND m.part <> " INT64_FORMAT,
							 versions->part[p].number);
	return psprintf(
		"SELECT m.person, string_agg(DISTINCT m.first::text, ' ') AS %s"
		" FROM %s AS m WHERE m.first IS DISTINCT FROM m.last%s"
		" GROUP BY m.person",
		versions->own.when, sdcpg_versions_name(versions, "kept"),
		samples.data);
}

/* One row for each person: the columns of all looks, and when he changed. */
static void
make_seen(struct SdcVersions *versions, List *looks, const char *table)
{
	StringInfoData list;
	ListCell *cell;
	int i;

	initStringInfo(&list);
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];
		char *where =
			psprintf("(WHERE l.p = %d AND l.drawn = " INT64_FORMAT ")",
					 look->p, look->drawn);

		appendStringInfo(&list, ", count(*) FILTER %s > 0 AS %s", where,
						 look_name(versions, look, DRAWN));
		for (i = 0; i < part->columns.count; i++)
			appendStringInfo(&list,
							 ", CAST(max(l.value[%d]) FILTER %s AS %s)"
							 " AS %s",
							 i + 1, where,
							 look->drawn < 0 ? "float8" : part->type[i],
							 look_name(versions, look, i));
	}
	sdcpg_versions_table(
		versions, "seen",
		psprintf("SELECT s.*, w.%s FROM (SELECT l.person%s FROM %s AS l"
				 " GROUP BY l.person) AS s LEFT JOIN (%s) AS w USING (person)",
				 versions->own.when, list.data, table, when_sql(versions)));
}

/*
 * One side: columns (", r.a, s.b, h.c") of its rows (r), with the looks (s)
 * and the original (h).
 */
static void
make_side(struct SdcVersions *versions, const char *suffix,
		  const SdcRelation *table, const char *columns)
{
	sdcpg_versions_table(
		versions, suffix,
		psprintf("SELECT r.%s%s FROM %s AS r LEFT JOIN %s AS s"
				 " ON s.person = %s JOIN %s AS h ON h.%s = r.%s",
				 versions->id.sql, columns, table->sql,
				 sdcpg_versions_name(versions, "seen"),
				 sdcpg_versions_person(versions, "r"), versions->original->sql,
				 versions->id.sql, versions->id.sql));
}

/* The two sides: the masked columns of the looks, and the originals. */
static void
make_sides(struct SdcVersions *versions, List *looks,
		   const SdcRelationColumns *plain)
{
	SdcRelationColumns hidden = hidden_strata(versions, plain);
	StringInfoData masked;
	StringInfoData original;
	ListCell *cell;
	int i;

	initStringInfo(&masked);
	initStringInfo(&original);
	appendStringInfo(&masked, ", s.%s", versions->own.when);
	appendStringInfo(&original, ", s.%s", versions->own.when);
	for (i = 0; i < hidden.count; i++)
	{
		appendStringInfo(&masked, ", h.%s", hidden.column[i].sql);
		appendStringInfo(&original, ", h.%s", hidden.column[i].sql);
	}
	for (i = 0; i < plain->count; i++)
	{
		appendStringInfo(&masked, ", r.%s", plain->column[i].sql);
		appendStringInfo(&original, ", r.%s", plain->column[i].sql);
	}
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
		{
			appendStringInfo(&masked, ", s.%s", look_name(versions, look, i));
			appendStringInfo(&original, ", CASE WHEN s.%s THEN r.%s END AS %s",
							 look_name(versions, look, DRAWN),
							 part->columns.column[i].sql,
							 look_name(versions, look, i));
		}
	}
	make_side(versions, "masked", versions->staging->masked, masked.data);
	make_side(versions, "original", versions->original, original.data);
}

/* The name of a column of a part in a look; NULL for another column. */
static const char *
name_in_look(const struct SdcVersions *versions, const Look *look,
			 const char *name)
{
	const SdcPart *part = &versions->part[look->p];
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (strcmp(part->columns.column[i].name, name) == 0)
			return look_name(versions, look, i);
	return NULL;
}

/* An object whose keys are columns of a part, as they are called in a look. */
static Jsonb *
rename_members(const struct SdcVersions *versions, const Look *look,
			   Jsonb *object)
{
	JsonbIterator *iterator = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue value;
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *key;
		const char *name;

		if (token != WJB_KEY)
			continue;
		key = pnstrdup(value.val.string.val, value.val.string.len);
		name = name_in_look(versions, look, key);
		(void) JsonbIteratorNext(&iterator, &value, true);
		sdcpg_document_jsonb(&document, name != NULL ? name : key,
							 JsonbValueToJsonb(&value));
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/*
 * What is rounded at random is right on average: its mean is as with noise, of
 * so many times the variance of the column.
 */
static double
rounding_noise(struct SdcVersions *versions, int p)
{
	const SdcRelationColumns *columns = &versions->part[p].columns;
	char *x = sdcpg_versions_number(versions->original,
									columns->column[0].name, "r");

	return sdcpg_versions_ask(psprintf(
		"SELECT avg((CAST(l.value[1] AS float8) - %s) ^ 2::float8)"
		" / nullif(var_pop(%s), 0) FROM %s AS l JOIN %s AS r"
		" ON %s = l.person WHERE l.p = %d",
		x, x, sdcpg_versions_name(versions, "looks"), versions->original->sql,
		sdcpg_versions_person(versions, "r"), p));
}

/* What is said of a mean of what is rounded at random. */
static Jsonb *
rounding_params(struct SdcVersions *versions, const Look *look)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "method", "add_noise");
	sdcpg_document_number(&document, "alpha",
						  rounding_noise(versions, look->p) / MEAN_OF(look));
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* What a rule says of a look. */
static Jsonb *
look_params(struct SdcVersions *versions, const Look *look,
			const SdcRule *rule)
{
	Jsonb *params = rule->params;
	const SdcKey *key;

	if (look->drawn < 0 && rule->method->likelihood == SDC_LIKELIHOOD_ROUND)
		return rounding_params(versions, look);
	for (key = rule->method->keys; key->name != NULL; key++)
	{
		Datum changed;

		if (!sdcpg_params_has(rule->params, key->name))
			continue;
		changed = DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(params),
									  CStringGetTextDatum(key->name));
		if (strcmp(key->name, "sensitive") == 0)
			params = DatumGetJsonbP(changed);
		if (key->type == SDC_KEY_OBJECT)
		{
			StringInfoData one;

			sdcpg_document_begin(&one);
			sdcpg_document_open(&one, NULL, '{');
			sdcpg_document_jsonb(
				&one, key->name,
				rename_members(versions, look,
							   sdcpg_params_object(rule->params, key->name)));
			sdcpg_document_close(&one, '{');
			params = DatumGetJsonbP(
				DirectFunctionCall2(jsonb_concat, changed,
									JsonbPGetDatum(sdcpg_document_end(&one))));
		}
	}
	/* of a mean the law is near a normal one, whatever it is of one draw */
	if (look->drawn < 0)
		params = sdcpg_versions_with_number(
			DatumGetJsonbP(
				DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(params),
									CStringGetTextDatum("variant"))),
			"alpha", sdcpg_rule_number(rule, "alpha") / MEAN_OF(look));
	if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
		params = sdcpg_versions_with_number(
			params, "p",
			Min(100, sdcpg_rule_number(rule, "p") *
						 Max(1, versions->tally.rows / Max(look->rows, 1))));
	return params;
}

/* The rules of all looks, and of the plain columns. */
static Jsonb *
look_rules(struct SdcVersions *versions, List *looks,
		   const SdcRelationColumns *plain)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, versions->original);
	StringInfoData document;
	ListCell *cell;
	ListCell *member;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, versions->own.when, '{');
	sdcpg_document_text(&document, "method", "keep");
	sdcpg_document_close(&document, '{');
	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].columns.count == 1 &&
			!sdcpg_versions_draws(&rules.rule[i]) &&
			sdcpg_relation_lists(plain, rules.rule[i].columns.column->number))
			sdcpg_document_jsonb(&document, rules.rule[i].subject,
								 rules.rule[i].params);
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);

		foreach (member, versions->part[look->p].rules)
		{
			const SdcRule *rule = lfirst(member);
			StringInfoData subject;

			initStringInfo(&subject);
			for (i = 0; i < rule->columns.count; i++)
				appendStringInfo(&subject, "%s%s", i > 0 ? "," : "",
								 name_in_look(versions, look,
											  rule->columns.column[i].name));
			sdcpg_document_jsonb(&document, subject.data,
								 look_params(versions, look, rule));
		}
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The keys of all looks, and the plain ones, as name[]. */
static ArrayType *
look_keys(const struct SdcVersions *versions, List *looks,
		  const SdcRelationColumns *plain, ArrayType *keys)
{
	Datum *element = palloc(sizeof(Datum) * (LOOKS_LIMIT + plain->count + 2));
	int count = 0;
	ListCell *cell;
	int i;

	element[count++] =
		DirectFunctionCall1(namein, CStringGetDatum(versions->own.when));
	for (i = 0; i < plain->count; i++)
		if (lists_name(keys, plain->column[i].name))
			element[count++] = DirectFunctionCall1(
				namein, CStringGetDatum(plain->column[i].name));
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
			if (is_key(part, i, keys))
				element[count++] = DirectFunctionCall1(
					namein, CStringGetDatum(look_name(versions, look, i)));
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

const SdcAttackCase *
sdcpg_versions_show(struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcRelationColumns plain;
	SdcAttackCase *seen;
	const char *table;
	List *looks;

	if (versions->shown)
		return versions->seen;
	versions->shown = true;
	make_looks(versions, of->keys);
	looks = list_looks(versions, &versions->versions, &table);
	/* what a function makes of the values of now is a version, too */
	versions->versions += versions->fixed > 0 || versions->parts == 0;
	if (looks == NIL || versions->versions < 2)
		return NULL;
	plain = plain_columns(versions, of->keys);
	make_seen(versions, looks, table);
	make_sides(versions, looks, &plain);
	seen = palloc0(sizeof(SdcAttackCase));
	seen->original = sdcpg_versions_find(versions, "original");
	seen->masked = sdcpg_versions_find(versions, "masked");
	seen->id = of->id;
	seen->keys = look_keys(versions, looks, &plain, of->keys);
	seen->rules = look_rules(versions, looks, &plain);
	seen->p = of->p;
	seen->seeded = of->seeded;
	seen->seed = of->seed;
	versions->seen = seen;
	versions->looks = looks;
	return seen;
}

char *
sdcpg_versions_rename(char *text, const char *name, const char *other)
{
	StringInfoData renamed;
	char *found;

	initStringInfo(&renamed);
	while ((found = strstr(text, name)) != NULL)
	{
		char *end = found + strlen(name);

		appendBinaryStringInfo(&renamed, text, found - text);
		if (isdigit((unsigned char) *end))
			appendStringInfoString(&renamed, name);
		else
			appendStringInfoString(&renamed, other);
		text = end;
	}
	appendStringInfoString(&renamed, text);
	return renamed.data;
}

/* The columns of looks in a sentence, as what they are. */
static void
tell_looks(const struct SdcVersions *versions, SdcAttackOutcome *outcome)
{
	ListCell *cell;
	int i;

	foreach (cell, versions->looks)
	{
		const Look *look = lfirst(cell);
		const SdcRelationColumns *columns = &versions->part[look->p].columns;

		for (i = 0; i < columns->count; i++)
			outcome->sentence = sdcpg_versions_rename(
				outcome->sentence, look_name(versions, look, i),
				look->drawn < 0
					? psprintf("%s (mean)", columns->column[i].name)
					: psprintf("%s (release " INT64_FORMAT ")",
							   columns->column[i].name, look->drawn));
	}
}

void
sdcpg_versions_tell(const struct SdcVersions *versions,
					SdcAttackOutcome *outcome)
{
	StringInfoData names;
	ListCell *cell;

	if (outcome->sentence != NULL)
		tell_looks(versions, outcome);
	if (versions->others == NIL || outcome->reason != NULL)
		return;
	initStringInfo(&names);
	foreach (cell, versions->others)
		appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "",
						 (const char *) lfirst(cell));
	outcome->parts =
		psprintf("%s%sIt has seen what is published of the same people by "
				 "policy %s.",
				 outcome->parts == NULL ? "" : outcome->parts,
				 outcome->parts == NULL ? "" : " ", names.data);
}

/* ----------------------------------------------------------------------
 * Columns besides the id by which tables of two policies can be joined.
 * ----------------------------------------------------------------------
 */

/* Is a column published by the rules of now, so that it stays as different? */
static bool
stays_apart(const struct SdcVersions *versions, const SdcRules *rules,
			const SdcRoles *declared, const SdcRelationColumn *column)
{
	const SdcRule *rule = sdcpg_rules_of(rules, column->number);
	const SdcRoleColumn *said = sdcpg_roles_declared(declared, column->name);

	if (column->number == versions->id.number ||
		sdcpg_relation_lists(&versions->staging->params.drop, column->number))
		return false;
	if (rule == NULL)
		return said != NULL && (said->role == SDC_ROLE_KEY ||
								said->role == SDC_ROLE_SENSITIVE ||
								said->role == SDC_ROLE_INSENSITIVE);
	return (rule->method->traits & (SDC_MASK_KEYED | SDC_MASK_IDLE)) != 0;
}

/* Has a column different values in most rows?  Looked at once. */
static bool
tells_rows(struct SdcVersions *versions, const SdcRelationColumn *column)
{
	SdcCatalogRows *rows;

	if (sdcpg_params_is_listed(versions->telling, column->name))
		return true;
	if (sdcpg_params_is_listed(versions->repeated, column->name))
		return false;
	rows = sdcpg_catalog_read(
		psprintf("SELECT 2 OPERATOR(pg_catalog.*) pg_catalog.count(DISTINCT "
				 "%s) OPERATOR(pg_catalog.>) pg_catalog.count(*) FROM %s AS r",
				 sdcpg_query_cast(column, "text"), versions->original->sql),
		NULL);
	if (!DatumGetBool(rows->value[0][0]))
	{
		versions->repeated = lappend(versions->repeated, column->name);
		return false;
	}
	versions->telling = lappend(versions->telling, column->name);
	return true;
}

bool
sdcpg_versions_tells_rows(struct SdcVersions *versions,
						  const SdcPolicyRelation *other)
{
	List *dropped = sdcpg_params_names(other->params, "drop");
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	SdcRoles *declared = sdcpg_roles_find(versions->original->oid);
	SdcRules rules = sdcpg_rules_read(versions->rules, versions->original);
	int i;

	for (i = 0; i < all.count; i++)
	{
		const char *name = all.column[i].name;
		Jsonb *own = sdcpg_versions_rule_of(versions->rules, name);
		Jsonb *rule = sdcpg_versions_rule_of(other->rules, name);

		if (!sdcpg_params_is_listed(dropped, name) &&
			(own == NULL) == (rule == NULL) &&
			(own == NULL || sdcpg_params_same(own, rule)) &&
			stays_apart(versions, &rules, declared, &all.column[i]) &&
			tells_rows(versions, &all.column[i]))
			return true;
	}
	return false;
}

/*
 * Policies that have published another table with pseudonyms of a domain of
 * which this one has some: name or, of another owner, NULL.  $1 is the table,
 * $2 its rules, $3 the policy, $4 its owner.
 */
static const char *const joinable_query =
	"SELECT DISTINCT CASE WHEN p.owner OPERATOR(pg_catalog.=) "
	"$4::pg_catalog.name THEN p.policy END FROM sdc.policy_relation AS r "
	"JOIN sdc.policy AS p ON p.policy OPERATOR(pg_catalog.=) r.policy WHERE "
	"r.policy OPERATOR(pg_catalog.<>) $3 AND r.relation::pg_catalog.oid "
	"OPERATOR(pg_catalog.<>) $1 AND EXISTS (SELECT FROM "
	"pg_catalog.jsonb_each($2) AS a JOIN pg_catalog.jsonb_each(r.rules) AS b "
	"ON (a.value OPERATOR(pg_catalog.->>) 'domain') OPERATOR(pg_catalog.=) "
	"(b.value OPERATOR(pg_catalog.->>) 'domain') WHERE (a.value "
	"OPERATOR(pg_catalog.->>) 'method') OPERATOR(pg_catalog.=) 'pseudonym' "
	"AND (b.value OPERATOR(pg_catalog.->>) 'method') "
	"OPERATOR(pg_catalog.=) 'pseudonym') AND EXISTS (SELECT FROM "
	"sdc.release_history AS h WHERE h.policy OPERATOR(pg_catalog.=) r.policy "
	"AND h.status OPERATOR(pg_catalog.=) 'published') ORDER BY 1";

void
sdcpg_joinable_warn(const SdcStaging *staging, const char *policy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	StringInfoData names;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(staging->original->oid), false);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(staging->policy->rules), false);
	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	rows = sdcpg_catalog_read_owned("policy", joinable_query, &parameters);
	initStringInfo(&names);
	for (i = 0; i < rows->count; i++)
	{
		char *name =
			rows->isnull[i][0] ? NULL : TextDatumGetCString(rows->value[i][0]);

		if (name == NULL)
			appendStringInfo(&names, "%sa policy of another owner",
							 names.len > 0 ? ", " : "");
		else if (!sdcpg_params_is_listed(staging->params.apart, name))
			appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "",
							 name);
	}
	if (names.len > 0)
		ereport(WARNING,
				(errmsg("relation \"%s\" has pseudonyms of a domain of "
						"which tables of other policies have some",
						staging->original->name),
				 errdetail("What they tell together is not attacked: %s.",
						   names.data),
				 errhint("Put them into one policy; where nobody has both, "
						 "name the other policy in params.apart.")));
}
