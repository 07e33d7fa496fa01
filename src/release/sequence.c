/*
 * sequence.c
 *		What all versions of a release together show an intruder, and what
 *		attacks found of those before.
 *
 * What the policy remembers becomes two tables that the attack likelihood
 * reads as any others: each release that drew something has columns of its
 * own.
 *
 * An attack on everybody costs the same every night, however little changed.
 * Who is as he was, and his record, is found as before but for what the change
 * does: who changed may be found; and who was hidden by one of them may be
 * found when that one is gone, but nobody whom others hide as well.  That is
 * about twice the share of the changed rows.  So what an attack found then is
 * carried over with CHANGE_COUNTS times that share on top, and the gate judges
 * by the sum.  Where that does not hold, the attack is run on everybody, and
 * decides.  So a release far from its bounds is not attacked again, and one
 * near to them is.  test/bench/sql_nights.sh compares what is carried over
 * with attacks on everybody.
 *
 * How many rows changed is counted by what the attacks read, not by what masks
 * said: each person adds a keyed digest of the rows that he has in the
 * original and in the masked table to one of many sums, and the sums that
 * differ from those of then say how many persons do, whatever the reason.  No
 * value and no person can be told from a sum.
 *
 * A few rows can have others look all alike to who measures by deviations: as
 * soon as those who are far off leave, everybody is found.  So the deviations
 * of numbers, and how far masks move them, are kept, too, and where one is not
 * nearly what it was then everybody is attacked.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"

/*
 * Columns of versions that an intruder looks at: those with the most rows.
 * Each may be two terms of the likelihood, which has SDC_INTRUDER_TERMS.
 */
#define LOOKS_LIMIT 30

/*
 * How many times the share that changed is added to what was found, and what
 * is added at least: a search takes another way when a row changes.
 */
#define CHANGE_COUNTS 3
#define CHANGE_LEAST  0.01

/*
 * The share of changed rows beyond which everybody is attacked again, and the
 * same of the scale of a column.
 */
#define CHANGE_MOST 0.1

/* Sums at least and at the most; about one for two rows. */
#define SUMS_LEAST 1024
#define SUMS_MOST  (1 << 20)

/* One release that attacks were run on. */
typedef struct Carried
{
	int64 release;
	double changed; /* share of the rows since, from above */
	Jsonb *found;   /* {"attacks": [...], "knowing": {...}} */
} Carried;

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

/* One release that drew a part. */
typedef struct Look
{
	int p;
	int64 drawn;
	double rows;
} Look;

bool
sdcpg_versions_lists_name(ArrayType *names, const char *name)
{
	Datum *element;
	int count;
	int i;

	if (names == NULL)
		return false;
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, NULL, &count);
	for (i = 0; i < count; i++)
		if (strcmp(NameStr(*DatumGetName(element[i])), name) == 0)
			return true;
	return false;
}

static bool
has_key(const SdcPart *part, ArrayType *keys)
{
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (sdcpg_versions_lists_name(keys, part->columns.column[i].name))
			return true;
	return false;
}

/*
 * Which closed draws of a part (m) are looks at the value of now (x), as SQL.
 * Noise that is new after moves smaller than itself averages out, so it is at
 * nearly the same value.
 */
static const char *
still_looks(const struct SdcVersions *versions, const SdcPart *part)
{
	ListCell *cell;

	foreach (cell, part->rules)
		if (((const SdcRule *) lfirst(cell))->method->likelihood ==
				SDC_LIKELIHOOD_NOISE &&
			versions->staging->params.grid < 1)
			return "true";
	return "m.cell = x.cell";
}

/*
 * The looks of one part, as SQL.  What another policy published last may be of
 * values that have changed since.
 */
static char *
part_looks(struct SdcVersions *versions, int p, const char *kept)
{
	const SdcPart *part = &versions->part[p];
	const char *still = still_looks(versions, part);

	if (part->fixed != NULL)
		return psprintf("SELECT %d AS p, %s AS person, " INT64_FORMAT
						"::int8 AS drawn, %s AS value FROM %s AS r",
						p, sdcpg_versions_person(versions, "r"), part->release,
						sdcpg_versions_values(part, "r"),
						sdcpg_versions_name(versions, part->fixed));
	if (part->policy == NULL)
		still = psprintf("(m.last IS NULL OR %s)", still);
	else
		kept = psprintf("sdc.release_values(%s, '%u'::regclass)",
						quote_literal_cstr(part->policy), part->relation);
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

/* The rows of all looks: place of the part, person, release, values. */
static void
make_looks(struct SdcVersions *versions, ArrayType *keys)
{
	StringInfoData sql;
	const char *kept = sdcpg_versions_table(versions, "kept", NULL);
	int p;

	initStringInfo(&sql);
	for (p = 0; p < versions->seen_parts; p++)
		if (has_key(&versions->part[p], keys))
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

/* The looks, the largest first; *nights is how many releases drew them. */
static List *
list_looks(struct SdcVersions *versions, int64 *nights)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT l.p, l.drawn,"
				 " CAST(pg_catalog.count(*) AS pg_catalog.float8) FROM %s AS l"
				 " GROUP BY l.p, l.drawn ORDER BY 3 DESC, l.drawn DESC, l.p",
				 sdcpg_versions_name(versions, "looks")),
		NULL);
	List *looks = NIL;
	int columns = 0;
	int64 i;

	*nights = 0;
	for (i = 0; i < rows->count; i++)
	{
		Look *look = palloc(sizeof(Look));

		look->p = DatumGetInt32(rows->value[i][0]);
		look->drawn = DatumGetInt64(rows->value[i][1]);
		look->rows = DatumGetFloat8(rows->value[i][2]);
		columns += versions->part[look->p].columns.count;
		if (columns > LOOKS_LIMIT)
			break;
		*nights += !has_night(looks, look->drawn);
		looks = lappend(looks, look);
	}
	return looks;
}

/* In place of a column: was the person drawn for? */
#define DRAWN 1664

/* The name of a column in a look. */
static char *
look_name(const struct SdcVersions *versions, const Look *look, int i)
{
	return psprintf("%s_%d_%d_" INT64_FORMAT, versions->own.look, look->p, i,
					look->drawn);
}

/* The columns that are the same in each version: keys and strata. */
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
		bool wanted = sdcpg_versions_lists_name(keys, name);
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
make_seen(struct SdcVersions *versions, List *looks)
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
							 i + 1, where, part->type[i],
							 look_name(versions, look, i));
	}
	sdcpg_versions_table(
		versions, "seen",
		psprintf("SELECT s.*, w.%s FROM (SELECT l.person%s FROM %s AS l"
				 " GROUP BY l.person) AS s LEFT JOIN (%s) AS w USING (person)",
				 versions->own.when, list.data,
				 sdcpg_versions_name(versions, "looks"), when_sql(versions)));
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

/* What a rule says of a look. */
static Jsonb *
look_params(const struct SdcVersions *versions, const Look *look,
			const SdcRule *rule)
{
	Jsonb *params = rule->params;
	const SdcKey *key;

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
	if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
		params = sdcpg_versions_with_number(
			params, "p",
			Min(100, sdcpg_rule_number(rule, "p") *
						 Max(1, versions->tally.rows / Max(look->rows, 1))));
	return params;
}

/* The rules of all looks, and of the plain columns. */
static Jsonb *
look_rules(const struct SdcVersions *versions, List *looks,
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
		if (sdcpg_versions_lists_name(keys, plain->column[i].name))
			element[count++] = DirectFunctionCall1(
				namein, CStringGetDatum(plain->column[i].name));
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
			if (sdcpg_versions_lists_name(keys, part->columns.column[i].name))
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
	List *looks;

	if (versions->shown)
		return versions->seen;
	versions->shown = true;
	make_looks(versions, of->keys);
	looks = list_looks(versions, &versions->versions);
	/* what a function makes of the values of now is a version, too */
	versions->versions += versions->fixed > 0 || versions->parts == 0;
	if (looks == NIL || versions->versions < 2)
		return NULL;
	plain = plain_columns(versions, of->keys);
	make_seen(versions, looks);
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
	return seen;
}

void
sdcpg_versions_tell(const struct SdcVersions *versions,
					SdcAttackOutcome *outcome)
{
	StringInfoData names;
	ListCell *cell;

	if (versions->others == NIL || outcome->reason != NULL)
		return;
	initStringInfo(&names);
	foreach (cell, versions->others)
		appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "",
						 (const char *) lfirst(cell));
	outcome->parts =
		psprintf("%s%sIt has seen what is published of the same columns by "
				 "policy %s.",
				 outcome->parts == NULL ? "" : outcome->parts,
				 outcome->parts == NULL ? "" : " ", names.data);
}

/* ----------------------------------------------------------------------
 * Marks: sums of digests, by which changed rows are counted.
 * ----------------------------------------------------------------------
 */

/* The squares of one column about a middle: Welford's sums. */
typedef struct Scale
{
	double count;
	double mean;
	double squares;
} Scale;

/* Of a number: the original, the masked one, and what is between them. */
#define SCALES 3
#define MOVES  2

/* Marks that are being made; in network order in a bytea. */
struct SdcMarks
{
	int64 rows;
	uint32 sums; /* a power of 2 */
	uint32 *sum;
	Jsonb *question; /* what the attacks were asked with */
	int numbers;
	Scale *scale; /* SCALES for each number */
};

static uint32
first_bytes(Datum digest)
{
	const uint8 *byte = (const uint8 *) VARDATA_ANY(DatumGetByteaPP(digest));

	return (uint32) byte[0] << 24 | (uint32) byte[1] << 16 |
		   (uint32) byte[2] << 8 | byte[3];
}

static void
start_rows(void *arg, TupleDesc descriptor)
{
}

static void
add_square(Scale *scale, double x)
{
	double move = x - scale->mean;

	if (!isfinite(x))
		return;
	scale->count++;
	scale->mean += move / scale->count;
	scale->squares += move * (x - scale->mean);
}

/* The root of the mean square. */
static double
deviation(const Scale *scale)
{
	return scale->count > 0 ? sqrt(scale->squares / scale->count) : 0;
}

/* The person, digests of his rows of both sides, and numbers of both. */
static void
add_row(void *arg, TupleDesc descriptor, const Datum *values,
		const bool *isnull)
{
	struct SdcMarks *marks = arg;
	uint32 *sum = &marks->sum[first_bytes(values[0]) & (marks->sums - 1)];
	int side;
	int i;

	for (side = 1; side <= 2; side++)
		if (!isnull[side])
			*sum += first_bytes(values[side]);
	marks->rows += !isnull[1];
	for (i = 0; i < marks->numbers; i++)
	{
		Scale *scale = &marks->scale[SCALES * i];
		double x = isnull[3 + 2 * i] ? NAN : DatumGetFloat8(values[3 + 2 * i]);
		double y = isnull[4 + 2 * i] ? NAN : DatumGetFloat8(values[4 + 2 * i]);

		add_square(&scale[0], x);
		add_square(&scale[1], y);
		add_square(&scale[2], y - x);
	}
}

/* The row of a table (alias) as a digest; NULL where it has none. */
static char *
row_digest(const struct SdcVersions *versions, const SdcRelation *table,
		   const SdcRelationColumns *columns, const char *subject,
		   const char *alias)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < columns->count; i++)
		if (get_attnum(table->oid, columns->column[i].name) !=
			InvalidAttrNumber)
			appendStringInfo(&list, "%s%s.%s", list.len > 0 ? ", " : "", alias,
							 columns->column[i].sql);
	return psprintf("CASE WHEN %s.%s IS NOT NULL THEN"
					" sdc.release_digest(%s, '%s',"
					" record_out(ROW(%s.%s))::text,"
					" record_out(ROW(%s))::text, NULL, NULL) END",
					alias, versions->own.person,
					quote_literal_cstr(versions->policy), subject, alias,
					versions->id.sql, list.data);
}

/* A number of a table (alias) as float8; NULL where it is none. */
static char *
number_sql(const SdcRelation *table, const char *name, const char *alias)
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

/* Adds the rows of both tables; the columns are of those of the original. */
static void
add_rows(struct SdcVersions *versions, struct SdcMarks *marks,
		 const SdcGateCase *of, const SdcRelationColumns *columns)
{
	SdcRows rows = {start_rows, add_row, marks};
	SdcPgHost *host = sdcpg_host_begin("release", CurrentMemoryContext);
	int settings = NewGUCNestLevel();
	const char *person = versions->own.person;
	StringInfoData numbers;
	int i;

	initStringInfo(&numbers);
	marks->scale = palloc0(sizeof(Scale) * SCALES * (columns->count + 1));
	for (i = 0; i < columns->count; i++)
		if (sdcpg_number_is_arithmetic(columns->column[i].base))
		{
			const char *name = columns->column[i].name;

			appendStringInfo(&numbers, ", %s, %s",
							 number_sql(of->original, name, "o"),
							 number_sql(of->masked, name, "m"));
			marks->numbers++;
		}
	sdcpg_seal_pin_settings();
	sdcpg_rows_receive(
		host,
		psprintf("SELECT COALESCE(o.%s, m.%s), %s, %s%s FROM"
				 " (SELECT r.*, %s AS %s FROM %s AS r) AS o FULL JOIN"
				 " (SELECT r.*, %s AS %s FROM %s AS r) AS m ON m.%s = o.%s",
				 person, person,
				 row_digest(versions, of->original, columns, "original", "o"),
				 row_digest(versions, of->masked, columns, "masked", "m"),
				 numbers.data, sdcpg_versions_person(versions, "r"), person,
				 of->original->sql, sdcpg_versions_person(versions, "r"),
				 person, of->masked->sql, person, person),
		&rows);
	AtEOXact_GUC(false, settings);
	sdcpg_host_end(host);
}

/*
 * The columns that attacks may read: keys, sensitive ones, and those that they
 * are masked with.
 */
static SdcRelationColumns
read_columns(const struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, of->original);
	SdcRelationColumns columns = {0};
	SdcRelationColumns some;
	int told;
	int i;
	int j;

	if (of->keys != NULL)
	{
		some = sdcpg_relation_columns(of->original, "keys", of->keys);
		sdcpg_versions_add_columns(&columns, &some, NULL);
	}
	if (of->sensitive != NULL)
	{
		some =
			sdcpg_relation_columns(of->original, "sensitive", of->sensitive);
		sdcpg_versions_add_columns(&columns, &some, NULL);
	}
	told = columns.count;
	for (i = 0; i < rules.count; i++)
	{
		const SdcRelationColumns *own = &rules.rule[i].columns;
		bool read = own->count == 0;

		for (j = 0; j < told; j++)
			read |= sdcpg_relation_lists(own, columns.column[j].number);
		if (!read)
			continue;
		some = sdcpg_rule_strata(&rules.rule[i], of->original);
		sdcpg_versions_add_columns(&columns, own, NULL);
		sdcpg_versions_add_columns(&columns, &some, NULL);
	}
	return columns;
}

/* The names of a list (name[]) as an array of the document. */
static void
put_names(StringInfo document, const char *key, ArrayType *names)
{
	Datum *element;
	int count;
	int i;

	sdcpg_document_open(document, key, '[');
	if (names != NULL)
	{
		deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
						  &element, NULL, &count);
		for (i = 0; i < count; i++)
			sdcpg_document_text(document, NULL,
								NameStr(*DatumGetName(element[i])));
	}
	sdcpg_document_close(document, '[');
}

/* What attacks are asked with but for themselves: other words, other risk. */
static Jsonb *
make_question(const struct SdcVersions *versions, const SdcGateCase *of)
{
	StringInfoData document;
	SdcNulls meaning;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "mark", versions->mark);
	sdcpg_document_text(&document, "id", of->id);
	sdcpg_document_jsonb(&document, "rules", of->rules);
	put_names(&document, "keys", of->keys);
	put_names(&document, "sensitive", of->sensitive);
	sdcpg_document_number(&document, "p", of->p);
	if (sdcpg_nulls_declared(of->original->oid, &meaning))
		sdcpg_document_integer(&document, "nulls", meaning);
	if (sdcpg_nulls_declared(of->masked->oid, &meaning))
		sdcpg_document_integer(&document, "masked_nulls", meaning);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

static struct SdcMarks *
make_marks(struct SdcVersions *versions, const SdcGateCase *of)
{
	struct SdcMarks *marks = palloc0(sizeof(*marks));
	SdcRelationColumns columns = read_columns(versions, of);

	marks->sums = SUMS_LEAST;
	while (marks->sums < SUMS_MOST && marks->sums < versions->tally.rows / 2)
		marks->sums *= 2;
	marks->sum = palloc0(sizeof(uint32) * marks->sums);
	marks->question = make_question(versions, of);
	add_rows(versions, marks, of, &columns);
	return marks;
}

static bytea *
marks_bytes(const struct SdcMarks *marks)
{
	bytea *bytes = palloc(VARHDRSZ + sizeof(uint32) * marks->sums);
	uint8 *byte = (uint8 *) VARDATA(bytes);
	uint32 i;

	SET_VARSIZE(bytes, VARHDRSZ + sizeof(uint32) * marks->sums);
	for (i = 0; i < 4 * marks->sums; i++)
		byte[i] = (uint8) (marks->sum[i / 4] >> (24 - 8 * (i % 4)));
	return bytes;
}

/*
 * The share of rows that differ from those of marks before: from the share of
 * sums that do, and three standard deviations of it, as several rows may be
 * in one sum.  1 where it cannot be told.
 */
static double
changed_share(const struct SdcMarks *marks, bytea *before, int64 rows)
{
	const uint8 *byte = (const uint8 *) VARDATA_ANY(before);
	double sums = marks->sums;
	double differ = 0;
	double changed;
	uint32 i;

	if (VARSIZE_ANY_EXHDR(before) != sizeof(uint32) * marks->sums)
		return 1;
	for (i = 0; i < marks->sums; i++)
		differ +=
			marks->sum[i] !=
			((uint32) byte[4 * i] << 24 | (uint32) byte[4 * i + 1] << 16 |
			 (uint32) byte[4 * i + 2] << 8 | (uint32) byte[4 * i + 3]);
	if (differ == 0)
		return 0;
	if (differ > sums / 2)
		return 1;
	changed = -sums * log(1 - differ / sums);
	changed += 3 * changed / sqrt(2 * sums);
	return Min(1, changed / Max(1, Min(rows, marks->rows)));
}

/*
 * The scales of all numbers, for what is kept; in few digits, as more would
 * tell of those who leave.
 */
static void
put_scales(StringInfo document, const struct SdcMarks *marks)
{
	int i;

	sdcpg_document_open(document, "scales", '[');
	for (i = 0; i < SCALES * marks->numbers; i++)
		sdcpg_document_text(document, NULL,
							psprintf("%.3g", deviation(&marks->scale[i])));
	sdcpg_document_close(document, '[');
}

/*
 * Is each number about as far spread as then, and moved as far or farther?  A
 * batch of a few rows is moved farther than a file is, night after night: that
 * has others look more alike to who measures by moves, never less.
 */
static bool
has_scales(const struct SdcMarks *marks, Jsonb *found)
{
	Jsonb *scales = sdcpg_document_part(found, "scales");
	int i;

	if (scales == NULL || JB_ROOT_COUNT(scales) != SCALES * marks->numbers)
		return false;
	for (i = 0; i < SCALES * marks->numbers; i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(&scales->root, i);
		char *text = pnstrdup(value->val.string.val, value->val.string.len);
		double then = strtod(text, NULL);
		double now = deviation(&marks->scale[i]);

		if (fabs(now - then) > CHANGE_MOST * Max(now, then) &&
			(i % SCALES != MOVES || now < then))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------------------
 * What was found before.
 * ----------------------------------------------------------------------
 */

/* The rows of a policy's table in sdc.release_finding. */
static void
bind_table(SdcCatalogParameters *parameters, struct SdcVersions *versions)
{
	sdcpg_catalog_bind_text(parameters, versions->policy);
	sdcpg_catalog_bind(parameters, REGCLASSOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	sdcpg_catalog_bind_text(parameters, GetUserNameFromId(GetUserId(), false));
}

/*
 * Finds what attacks found of releases before, under the same rules, keys and
 * meaning of NULL, whose rows and scales are still as they were but for a
 * tenth at the most.  Nothing where everything was drawn anew.  O(rows).
 */
static void
find_carried(struct SdcVersions *versions, SdcGateCase *of)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	if (of->id == NULL || versions->staging->params.fresh ||
		sdcpg_policy_attacks_none(versions->staging->policy->params))
		return;
	versions->marks = make_marks(versions, of);
	if (!versions->remembers || versions->anew)
		return;
	bind_table(&parameters, versions);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(versions->marks->question), false);
	rows = sdcpg_catalog_read_owned(
		"release_finding",
		"SELECT f.release, f.rows, f.marks, f.found"
		" FROM sdc.release_finding AS f"
		" WHERE f.policy OPERATOR(pg_catalog.=) $1"
		" AND f.relation OPERATOR(pg_catalog.=) $2"
		" AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
		" AND f.question OPERATOR(pg_catalog.=) $4"
		" ORDER BY f.release DESC",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		Carried *carried = palloc(sizeof(Carried));

		carried->release = DatumGetInt64(rows->value[i][0]);
		carried->changed =
			changed_share(versions->marks, DatumGetByteaPP(rows->value[i][2]),
						  DatumGetInt64(rows->value[i][1]));
		carried->found = DatumGetJsonbP(rows->value[i][3]);
		if (carried->changed > CHANGE_MOST ||
			!has_scales(versions->marks, carried->found))
			continue;
		of->carried = lappend(of->carried, carried);
		if (of->knowing == NULL)
			of->knowing = sdcpg_document_part(carried->found, "knowing");
	}
}

/*
 * Is what an attack finds carried over?  Not what costs little, which so is
 * looked at every time; nor what may read more than is counted as changed.
 */
static bool
is_carried(const SdcAttack *attack, Jsonb *params)
{
	const SdcKey *key;

	if (attack->anew || !(attack->usual || attack->over_time))
		return false;
	for (key = attack->params; params != NULL && key->name != NULL; key++)
		if ((key->type == SDC_KEY_NAMES || key->type == SDC_KEY_OBJECT ||
			 key->type == SDC_KEY_TEXT) &&
			sdcpg_params_has(params, key->name))
			return false;
	return true;
}

/* Is this one of the attacks of a document, an object? */
static bool
is_attack(Jsonb *object, const SdcAttack *attack, const char *method,
		  Jsonb *params)
{
	return sdcpg_params_same_word(sdcpg_params_text(object, "attack"),
								  attack->name) &&
		   sdcpg_params_same_word(sdcpg_params_text(object, "variant"),
								  method) &&
		   sdcpg_params_same(sdcpg_params_object(object, "params"), params);
}

/* The attacks of a document: Jsonb *. */
static List *
attacks_of(Jsonb *found)
{
	return sdcpg_document_elements(sdcpg_document_part(found, "attacks"));
}

/* A figure of an attack; NaN when it has none. */
static double
figure_of(Jsonb *object, const char *key)
{
	return sdcpg_params_has(object, key)
			   ? sdcpg_params_number(object, key, NAN, 0, 1e300)
			   : NAN;
}

static void
read_outcome(const Carried *carried, Jsonb *object, SdcAttackOutcome *outcome)
{
	double more = carried->changed == 0
					  ? 0
					  : Max(CHANGE_COUNTS * carried->changed, CHANGE_LEAST);
	char *sample = sdcpg_params_text(object, "sample");
	int i;

	memset(outcome, 0, sizeof(*outcome));
	outcome->records = figure_of(object, "records");
	outcome->people = figure_of(object, "people");
	outcome->linked = sdcpg_params_boolean(object, "linked", false);
	for (i = 0; i < SDC_ATTACK_STATS; i++)
	{
		outcome->stat[i] = figure_of(object, sdcpg_attack_stats[i]);
		outcome->upper[i] =
			Min(1, more + figure_of(object, psprintf("%s_upper",
													 sdcpg_attack_stats[i])));
	}
	outcome->sentence = sdcpg_params_text(object, "sentence");
	outcome->sample = psprintf(
		"%s%sThat was in release " INT64_FORMAT
		"; at most %.3g %% of the rows have changed since, so the share found "
		"now is taken to be at most %.4g.",
		sample == NULL ? "" : sample, sample == NULL ? "" : " ",
		carried->release, 100 * carried->changed,
		outcome->upper[SDC_STAT_FOUND]);
}

bool
sdcpg_versions_carried(const SdcGateCase *of, const SdcAttack *attack,
					   const char *method, Jsonb *params,
					   SdcAttackOutcome *outcome)
{
	ListCell *cell;
	ListCell *member;

	if (!is_carried(attack, params))
		return false;
	/* what other policies drew since is in no mark */
	if (attack->over_time && of->versions != NULL &&
		of->versions->others != NIL)
		return false;
	foreach (cell, of->carried)
	{
		const Carried *carried = lfirst(cell);

		foreach (member, attacks_of(carried->found))
			if (is_attack(lfirst(member), attack, method, params))
			{
				read_outcome(carried, lfirst(member), outcome);
				return true;
			}
	}
	return false;
}

/* ----------------------------------------------------------------------
 * What is found now.
 * ----------------------------------------------------------------------
 */

static void
put_outcome(StringInfo document, const char *name,
			const SdcEvidenceAttack *run)
{
	const SdcAttackOutcome *outcome = &run->outcome;
	int i;

	sdcpg_document_open(document, NULL, '{');
	sdcpg_document_text(document, "attack", name);
	if (run->method != NULL)
		sdcpg_document_text(document, "variant", run->method);
	if (run->params != NULL)
		sdcpg_document_jsonb(document, "params", run->params);
	sdcpg_document_number(document, "records", outcome->records);
	sdcpg_document_number(document, "people", outcome->people);
	sdcpg_document_boolean(document, "linked", outcome->linked);
	for (i = 0; i < SDC_ATTACK_STATS; i++)
		if (!isnan(outcome->stat[i]))
		{
			sdcpg_document_number(document, sdcpg_attack_stats[i],
								  outcome->stat[i]);
			sdcpg_document_number(document,
								  psprintf("%s_upper", sdcpg_attack_stats[i]),
								  outcome->upper[i]);
		}
	sdcpg_document_text(document, "sentence", outcome->sentence);
	if (outcome->sample != NULL)
		sdcpg_document_text(document, "sample", outcome->sample);
	sdcpg_document_close(document, '{');
}

/*
 * Is what an attack found kept?  An attack that cannot be run may be one that
 * can the next time.
 */
static bool
is_kept(const SdcEvidenceAttack *run)
{
	return !run->carried && run->outcome.reason == NULL &&
		   is_carried(run->attack, run->params);
}

/*
 * The attacks that were run now.  Of one version only, the attack on all of
 * them is that by likelihood.
 */
static void
put_now(StringInfo document, const SdcEvidence *evidence)
{
	bool single = evidence->of->versions == NULL;
	ListCell *cell;

	foreach (cell, evidence->attacks)
	{
		const SdcEvidenceAttack *run = lfirst(cell);

		if (!is_kept(run))
			continue;
		put_outcome(document, run->attack->name, run);
		if (single && strcmp(run->attack->name, "likelihood") == 0)
			put_outcome(document, "sequence", run);
	}
}

/* Has one of the attacks of now taken the place of this one? */
static bool
is_replaced(const SdcEvidence *evidence, Jsonb *object)
{
	ListCell *cell;

	foreach (cell, evidence->attacks)
	{
		const SdcEvidenceAttack *run = lfirst(cell);

		if (is_kept(run) &&
			is_attack(object, run->attack, run->method, run->params))
			return true;
	}
	return false;
}

static void
write_row(struct SdcVersions *versions, Jsonb *found)
{
	const struct SdcMarks *marks = versions->marks;
	SdcCatalogParameters parameters = {0};

	bind_table(&parameters, versions);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(versions->release),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(marks->question),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(marks->rows),
					   false);
	sdcpg_catalog_bind(&parameters, BYTEAOID,
					   PointerGetDatum(marks_bytes(marks)), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(found), false);
	sdcpg_catalog_write("release_finding",
						"INSERT INTO sdc.release_finding (policy, relation,"
						" owner, release, question, rows, marks, found)"
						" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
						&parameters);
}

/* Replaces what a release before found; NULL: by nothing. */
static void
rewrite_row(struct SdcVersions *versions, int64 release, Jsonb *found)
{
	SdcCatalogParameters parameters = {0};

	bind_table(&parameters, versions);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release), false);
	if (found != NULL)
		sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(found),
						   false);
	sdcpg_catalog_write(
		"release_finding",
		found != NULL
			? "UPDATE sdc.release_finding AS f SET found = $5"
			  " WHERE f.policy OPERATOR(pg_catalog.=) $1"
			  " AND f.relation OPERATOR(pg_catalog.=) $2"
			  " AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
			  " AND f.release OPERATOR(pg_catalog.=) $4"
			: "DELETE FROM sdc.release_finding AS f"
			  " WHERE f.policy OPERATOR(pg_catalog.=) $1"
			  " AND f.relation OPERATOR(pg_catalog.=) $2"
			  " AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
			  " AND f.release OPERATOR(pg_catalog.=) $4",
		&parameters);
}

/* What is left of a release before; NULL: nothing. */
static Jsonb *
left_of(const Carried *carried, const SdcEvidence *evidence, Jsonb *knowing)
{
	Jsonb *known = sdcpg_document_part(carried->found, "knowing");
	StringInfoData document;
	ListCell *cell;
	int left = 0;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "attacks", '[');
	foreach (cell, attacks_of(carried->found))
		if (!is_replaced(evidence, lfirst(cell)))
		{
			sdcpg_document_jsonb(&document, NULL, lfirst(cell));
			left++;
		}
	sdcpg_document_close(&document, '[');
	sdcpg_document_jsonb(&document, "scales",
						 sdcpg_document_part(carried->found, "scales"));
	if (known != NULL && knowing == NULL)
	{
		sdcpg_document_jsonb(&document, "knowing", known);
		left++;
	}
	sdcpg_document_close(&document, '{');
	return left == 0 ? NULL : sdcpg_document_end(&document);
}

/* Forgets the releases whose findings are not carried over any more. */
static void
forget_others(struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcCatalogParameters parameters = {0};
	Datum *release = palloc(sizeof(Datum) * (list_length(of->carried) + 1));
	int count = 0;
	ListCell *cell;

	foreach (cell, of->carried)
		release[count++] =
			Int64GetDatum(((const Carried *) lfirst(cell))->release);
	bind_table(&parameters, versions);
	sdcpg_catalog_bind(
		&parameters, INT8ARRAYOID,
		PointerGetDatum(construct_array(release, count, INT8OID, 8,
										FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
		false);
	sdcpg_catalog_write(
		"release_finding",
		"DELETE FROM sdc.release_finding AS f"
		" WHERE f.policy OPERATOR(pg_catalog.=) $1"
		" AND f.relation OPERATOR(pg_catalog.=) $2"
		" AND f.owner OPERATOR(pg_catalog.=) $3::pg_catalog.name"
		" AND NOT f.release OPERATOR(pg_catalog.=) ANY ($4)",
		&parameters);
}

void
sdcpg_versions_keep(struct SdcVersions *versions, const SdcEvidence *evidence,
					Jsonb *knowing)
{
	StringInfoData document;
	ListCell *cell;
	bool any = knowing != NULL;

	if (versions == NULL || versions->marks == NULL)
		return;
	forget_others(versions, evidence->of);
	foreach (cell, evidence->attacks)
		any |= is_kept(lfirst(cell));
	if (!any)
		return;
	foreach (cell, evidence->of->carried)
	{
		const Carried *carried = lfirst(cell);

		rewrite_row(versions, carried->release,
					left_of(carried, evidence, knowing));
	}
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "attacks", '[');
	put_now(&document, evidence);
	sdcpg_document_close(&document, '[');
	put_scales(&document, versions->marks);
	if (knowing != NULL)
		sdcpg_document_jsonb(&document, "knowing", knowing);
	sdcpg_document_close(&document, '{');
	write_row(versions, sdcpg_document_end(&document));
}

/* ----------------------------------------------------------------------
 * Are there several versions, and what is known of those before?
 * ----------------------------------------------------------------------
 */

/*
 * The releases that have drawn what is remembered as published of parts with
 * keys, as SQL; is one of these drawn now?
 */
static char *
key_draws(struct SdcVersions *versions, ArrayType *keys, bool *drawn)
{
	StringInfoData draws;
	int p;

	*drawn = false;
	initStringInfo(&draws);
	appendStringInfoString(&draws, "SELECT 0::pg_catalog.int8 WHERE false");
	for (p = 0; p < versions->all_parts; p++)
	{
		if (!has_key(&versions->part[p], keys))
			continue;
		*drawn |= versions->part[p].drawn != NULL;
		if (versions->few == NULL)
			appendStringInfo(&draws,
							 " UNION SELECT m.drawn FROM %s AS m"
							 " WHERE m.last IS NULL AND m.part"
							 " OPERATOR(pg_catalog.=) " INT64_FORMAT,
							 sdcpg_versions_name(versions, "mem"),
							 versions->part[p].number);
		else if (p < versions->parts)
			appendStringInfo(&draws,
							 " UNION SELECT k.drawn[%d] FROM %s AS k"
							 " WHERE k.drawn[%d] IS NOT NULL",
							 p + 1, sdcpg_versions_name(versions, "last"),
							 p + 1);
	}
	return draws.data;
}

/* Are there several versions?  Counts those that drew. */
static bool
are_several(struct SdcVersions *versions, const SdcGateCase *of)
{
	SdcCatalogRows *rows;
	char *draws;
	bool drawn;

	/* the rules of before are others, or those of other policies are */
	if (!versions->remembers || versions->others != NIL || versions->fixed > 0)
		return versions->seen_parts > versions->parts &&
			   sdcpg_versions_show(versions, of) != NULL;
	draws = key_draws(versions, of->keys, &drawn);
	rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.count(*) FROM (%s) AS d", draws), NULL);
	versions->versions = DatumGetInt64(rows->value[0][0]) + drawn;
	return versions->versions > 1;
}

void
sdcpg_versions_look_back(SdcStaging *staging, SdcGateCase *of)
{
	struct SdcVersions *versions = staging->versions;

	if (versions == NULL || of->keys == NULL)
		return;
	if (versions->id.name != NULL)
		sdcpg_versions_read_fixed(versions, of->keys);
	/* where nobody is remembered, rows by other rules tell not who changed */
	if (versions->mark != NULL || !versions->turned)
		sdcpg_versions_changes(versions, of);
	if (versions->id.name == NULL)
		return;
	if (are_several(versions, of))
		of->versions = versions;
	if (versions->mark != NULL)
		find_carried(versions, of);
}
