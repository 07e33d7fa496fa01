/*
 * known.c
 *		What an intruder compares who knows how the relation was masked, and
 *		what of other columns may go with it.
 *
 * PostgreSQL makes the images, with the same functions that mask, in the query
 * that reads the original, and finds the numbers in texts and the places in
 * documents.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "lib/stringinfo.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/rows.h"
#include "topic/attack/candidates.h"
#include "topic/attack/known.h"
#include "topic/mask/rules.h"
#include "topic/registry/masks.h"

/* Characters of a text that make a category, and in which numbers are found;
 * what is a number. */
#define MOST_OF_CATEGORY "100"
#define MOST_OF_TEXT     "4000"
#define A_NUMBER         "[0-9]{1,15}(?:[.][0-9]{1,15})?"
#define ONE_ALONE        "\\m" A_NUMBER "\\M"

/* Rows in which it is seen what there is. */
#define SEEN_ROWS 1000

/* Where a text has no more that no letter touches, so many of any kind. */
#define LOOSE_NUMBERS 2

/* Numbers of a text, and places in a document, so deep, at the most. */
#define MOST_NUMBERS 32
#define MOST_PLACES  64
#define MOST_DEPTH   8

/* ----------------------------------------------------------------------
 * Aspects of a column.
 * ----------------------------------------------------------------------
 */

/* The start of a value's text. */
static char *
start_of(const SdcRelationColumn *column, const char *most)
{
	return psprintf("pg_catalog.left(%s, %s)",
					sdcpg_query_cast(column, "text"), most);
}

/*
 * One of the numbers in a value's text, from 1, or of those that no letter
 * touches; the coordinates of a point.
 */
static char *
number_in(const SdcRelationColumn *column, int number, bool alone)
{
	if (column->base == POINTOID && number <= 2)
		return psprintf("(r.%s)[%d]", column->sql, number - 1);
	if (number == 1)
		return psprintf("CAST(pg_catalog.substring(%s, '%s') AS "
						"pg_catalog.float8)",
						start_of(column, MOST_OF_TEXT),
						alone ? ONE_ALONE : A_NUMBER);
	return psprintf("CAST((SELECT x.m[1] FROM pg_catalog.regexp_matches(%s, "
					"'%s', 'g') WITH ORDINALITY AS x (m, n) WHERE "
					"x.n OPERATOR(pg_catalog.=) %d) AS pg_catalog.float8)",
					start_of(column, MOST_OF_TEXT),
					alone ? ONE_ALONE : A_NUMBER, number);
}

/* A part of a key that is a category. */
static char *
part_of_key(const SdcRelationColumn *key, SdcAspect aspect)
{
	bool is_date = key->base == DATEOID || key->base == TIMESTAMPOID;

	if (aspect == SDC_ASPECT_INITIAL)
		return sdcpg_number_is(key->base)
				   ? NULL
				   : psprintf("pg_catalog.left(%s, 1)",
							  sdcpg_query_cast(key, "text"));
	return !is_date ? NULL
					: psprintf("pg_catalog.to_char(CAST(r.%s AS "
							   "pg_catalog.timestamp), '%s')",
							   key->sql,
							   aspect == SDC_ASPECT_MONTH ? "MM"
							   : aspect == SDC_ASPECT_DAY ? "DD"
														  : "D");
}

char *
sdcpg_known_aspect(const SdcRelationColumn *column, SdcAspect aspect)
{
	if (aspect >= SDC_ASPECT_MONTH)
		return part_of_key(column, aspect);
	if (aspect == SDC_ASPECT_FIRST_NUMBER)
		return number_in(column, 1, false);
	return start_of(column, MOST_OF_CATEGORY);
}

/* ----------------------------------------------------------------------
 * What columns show.
 * ----------------------------------------------------------------------
 */

/* What is being listed, and of which column. */
typedef struct Listing
{
	SdcPgHost *host;
	List *shown; /* SdcShown * */
	const SdcRelationColumn *column;
	int columns;
	/* by column: numbers in its texts, and those that no letter touches */
	int *numbers;
	int *alone;
	MemoryContext context;
} Listing;

static inline bool
is_number(const SdcRelationColumn *column)
{
	return sdcpg_number_is(column->base) || column->base == BOOLOID;
}

static inline bool
is_document(const SdcRelationColumn *column)
{
	return column->base == JSONOID || column->base == JSONBOID;
}

static void
add_shown(Listing *listing, const char *name, char *sql, bool is_code)
{
	SdcShown *shown = palloc(sizeof(SdcShown));

	shown->name = name;
	shown->sql = sql;
	shown->is_code = is_code;
	listing->shown = lappend(listing->shown, shown);
}

/* The rows in which it is seen what there is, as r. */
static char *
seen_rows(const SdcRelation *relation, const SdcRelationColumn *id)
{
	return psprintf("(SELECT * FROM %s AS r %s) AS r", relation->sql,
					sdcpg_known_drawn(id, SEEN_ROWS));
}

/* The one row of find_numbers. */
static void
read_numbers(void *arg, TupleDesc descriptor, const Datum *values,
			 const bool *isnull)
{
	Listing *listing = arg;
	int i;

	for (i = 0; i < listing->columns; i++)
	{
		const Datum *count = values + 2 * i;

		if (isnull[2 * i])
			continue;
		listing->numbers[i] = (int) Min(DatumGetInt64(count[0]), MOST_NUMBERS);
		listing->alone[i] = (int) Min(DatumGetInt64(count[1]), MOST_NUMBERS);
	}
}

/* How many of a kind of numbers the text of a column has. */
static char *
count_numbers(const SdcRelationColumn *column, const char *kind)
{
	return psprintf("(SELECT pg_catalog.count(*) FROM "
					"pg_catalog.regexp_matches(%s, '%s', 'g'))",
					start_of(column, MOST_OF_TEXT), kind);
}

/*
 * How many numbers the texts of each column have at the most, and how many
 * that no letter touches one in twenty has.
 */
static void
find_numbers(Listing *listing, const SdcRelation *relation,
			 const SdcRelationColumn *id)
{
	SdcRows rows = {.row = read_numbers, .arg = listing};
	StringInfoData sql;
	bool any = false;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = 0; i < listing->columns; i++)
	{
		const SdcRelationColumn *column = &listing->column[i];

		bool is_text = !is_number(column) && !is_document(column);

		any = any || is_text;
		appendStringInfoString(&sql, i > 0 ? ", " : "");
		if (!is_text)
			appendStringInfoString(&sql, "CAST(NULL AS pg_catalog.int8), 0");
		else
			appendStringInfo(&sql,
							 "pg_catalog.max(%s), pg_catalog.percentile_disc("
							 "0.95) WITHIN GROUP (ORDER BY %s)",
							 count_numbers(column, A_NUMBER),
							 count_numbers(column, ONE_ALONE));
	}
	appendStringInfo(&sql, " FROM %s", seen_rows(relation, id));
	if (any)
		sdcpg_rows_receive(listing->host, sql.data, &rows);
	pfree(sql.data);
}

/* A place in a document, one row of find_places. */
static void
read_place(void *arg, TupleDesc descriptor, const Datum *values,
		   const bool *isnull)
{
	Listing *listing = arg;
	const SdcRelationColumn *column = listing->column;
	MemoryContext row = MemoryContextSwitchTo(listing->context);
	Datum *step;
	StringInfoData name;
	StringInfoData sql;
	char *number;
	int steps;
	int i;

	deconstruct_array(DatumGetArrayTypeP(values[0]), TEXTOID, -1, false,
					  TYPALIGN_INT, &step, NULL, &steps);
	initStringInfo(&name);
	initStringInfo(&sql);
	appendStringInfoString(&name, column->name);
	appendStringInfo(&sql, "pg_catalog.%s_extract_path_text(r.%s",
					 column->base == JSONOID ? "json" : "jsonb", column->sql);
	for (i = 0; i < steps; i++)
	{
		char *place = TextDatumGetCString(step[i]);

		appendStringInfo(&name, ".%s", place);
		appendStringInfo(&sql, ", %s", quote_literal_cstr(place));
	}
	appendStringInfoChar(&sql, ')');
	number = psprintf("CAST(pg_catalog.substring(%s, '-?" A_NUMBER
					  "') AS pg_catalog.float8)",
					  sql.data);
	add_shown(listing, name.data, number, false);
	add_shown(listing, name.data,
			  psprintf("pg_catalog.left(%s, " MOST_OF_CATEGORY ")", sql.data),
			  true);
	MemoryContextSwitchTo(row);
}

/* The one row of read_documents. */
static void
take_documents(void *arg, TupleDesc descriptor, const Datum *values,
			   const bool *isnull)
{
	SdcCatalogParameters *documents = arg;
	MemoryContext row = CurrentMemoryContext;

	if (isnull[0])
		return;
	/* beside the parameters, which outlive the row */
	MemoryContextSwitchTo(GetMemoryChunkContext(documents));
	sdcpg_catalog_bind(documents, TEXTARRAYOID,
					   PointerGetDatum(DatumGetArrayTypePCopy(values[0])),
					   false);
	MemoryContextSwitchTo(row);
}

/*
 * The documents of a column as one array of texts, as a parameter; none: there
 * are no rows.  They are walked through by another query, as a recursive one
 * cannot be asked of a table over shards.
 */
static SdcCatalogParameters *
read_documents(SdcPgHost *host, const SdcRelation *relation,
			   const SdcRelationColumn *id, const SdcRelationColumn *column)
{
	SdcCatalogParameters *documents = palloc0(sizeof(SdcCatalogParameters));
	SdcRows rows = {.row = take_documents, .arg = documents};

	sdcpg_rows_receive(
		host,
		psprintf("SELECT pg_catalog.array_agg(CAST(r.%s AS pg_catalog.text)) "
				 "FROM %s",
				 column->sql, seen_rows(relation, id)),
		&rows);
	return documents;
}

/* The places of values in a document, the most frequent ones first. */
static void
find_places(Listing *listing, const SdcRelation *relation,
			const SdcRelationColumn *id, const SdcRelationColumn *column)
{
	const char *json = column->base == JSONOID ? "json" : "jsonb";
	Listing of = {.column = column, .context = CurrentMemoryContext};
	SdcRows rows = {.row = read_place, .arg = &of};
	SdcCatalogParameters *documents =
		read_documents(listing->host, relation, id, column);
	char *sql = psprintf(
		"WITH RECURSIVE d (path, v) AS (SELECT CAST('{}' AS "
		"pg_catalog.text[]), CAST(t.v AS pg_catalog.%s) FROM "
		"pg_catalog.unnest($1) AS t (v) UNION ALL "
		"SELECT pg_catalog.array_append(d.path, e.k), e.v FROM d, LATERAL "
		"(SELECT o.key, o.value FROM pg_catalog.%s_each(CASE WHEN "
		"pg_catalog.%s_typeof(d.v) OPERATOR(pg_catalog.=) 'object' THEN d.v "
		"END) AS o UNION ALL SELECT CAST(a.n OPERATOR(pg_catalog.-) 1 AS "
		"pg_catalog.text), a.value FROM pg_catalog.%s_array_elements(CASE "
		"WHEN pg_catalog.%s_typeof(d.v) OPERATOR(pg_catalog.=) 'array' THEN "
		"d.v END) WITH ORDINALITY AS a (value, n)) AS e (k, v) WHERE "
		"pg_catalog.cardinality(d.path) OPERATOR(pg_catalog.<) %d) "
		"SELECT d.path FROM d WHERE pg_catalog.%s_typeof(d.v) "
		"OPERATOR(pg_catalog.=) ANY ('{string,number,boolean,null}') "
		"AND pg_catalog.cardinality(d.path) OPERATOR(pg_catalog.>) 0 "
		"GROUP BY d.path ORDER BY pg_catalog.count(*) DESC, "
		"CAST(d.path AS pg_catalog.text) COLLATE pg_catalog.\"C\" LIMIT %d",
		json, json, json, json, json, MOST_DEPTH, json, MOST_PLACES);

	if (documents->count > 0)
		sdcpg_rows_receive_bound(listing->host, sql, documents, &rows);
	listing->shown = list_concat(listing->shown, of.shown);
	pfree(documents);
	pfree(sql);
}

List *
sdcpg_known_shown(SdcPgHost *host, const SdcRelation *relation,
				  const SdcRelationColumn *id, const SdcRelationColumn *column,
				  int columns)
{
	Listing listing = {.host = host,
					   .column = column,
					   .columns = columns,
					   .numbers = palloc0(sizeof(int) * (columns + 1)),
					   .alone = palloc0(sizeof(int) * (columns + 1))};
	int number;
	int i;

	for (i = 0; i < columns; i++)
		if (sdcpg_number_is(column[i].base))
			add_shown(&listing, column[i].name,
					  psprintf("r.%s", column[i].sql), false);
	for (i = 0; i < columns; i++)
		if (!is_number(&column[i]))
			add_shown(&listing, column[i].name,
					  start_of(&column[i], MOST_OF_CATEGORY), true);
	for (i = 0; i < columns; i++)
		if (is_number(&column[i]))
			add_shown(&listing, column[i].name,
					  start_of(&column[i], MOST_OF_CATEGORY), true);
	find_numbers(&listing, relation, id);
	for (number = 1; number <= MOST_NUMBERS; number++)
		for (i = 0; i < columns; i++)
			if (number <= (listing.alone[i] > LOOSE_NUMBERS
							   ? listing.alone[i]
							   : Min(listing.numbers[i], LOOSE_NUMBERS)))
				add_shown(&listing, column[i].name,
						  number_in(&column[i], number,
									listing.alone[i] > LOOSE_NUMBERS),
						  false);
	for (i = 0; i < columns; i++)
		if (is_document(&column[i]))
			find_places(&listing, relation, id, &column[i]);
	pfree(listing.numbers);
	pfree(listing.alone);
	return listing.shown;
}

/* ----------------------------------------------------------------------
 * Images of keys.
 * ----------------------------------------------------------------------
 */

/* What is compared in place of a key, as SQL over r. */
static char *
image_of(const SdcRules *rules, const SdcRelation *original,
		 SdcRelationColumn *key, bool *blank)
{
	const SdcRule *rule = sdcpg_rules_of(rules, key->number);
	const SdcMaskCandidates *candidates =
		rule == NULL ? NULL : &rule->method->candidates;
	char *image = NULL;

	*blank = rule != NULL && candidates->reason == NULL &&
			 candidates->find == sdcpg_candidates_everybody;
	if (candidates != NULL && candidates->image != NULL)
		image = candidates->image(rule, original, key);
	if (image == NULL)
		return psprintf("r.%s", key->sql);
	if (candidates->image_type != InvalidOid)
		key->base = candidates->image_type;
	return image;
}

const SdcRelation *
sdcpg_known_original(const SdcRelation *original, const SdcRelationColumn *id,
					 SdcRelationColumns *keys, Jsonb *rules, bool *blank)
{
	SdcRelation *known;
	SdcRules read;
	StringInfoData sql;
	bool named = id == NULL;
	int j;

	if (blank != NULL)
		memset(blank, 0, sizeof(bool) * keys->count);
	if (rules == NULL)
		return original;
	read = sdcpg_rules_read(rules, original);
	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	for (j = 0; j < keys->count; j++)
	{
		SdcRelationColumn *key = &keys->column[j];
		bool nothing;
		char *image = image_of(&read, original, key, &nothing);

		named = named || key->number == id->number;
		appendStringInfo(&sql, "%s%s AS %s", j > 0 ? ", " : "", image,
						 key->sql);
		if (blank != NULL)
			blank[j] = nothing;
	}
	if (!named)
		appendStringInfo(&sql, "%sr.%s", keys->count > 0 ? ", " : "", id->sql);
	appendStringInfo(&sql, " FROM %s AS r)", original->sql);
	known = palloc(sizeof(SdcRelation));
	*known = *original;
	known->sql = sql.data;
	return known;
}

Jsonb *
sdcpg_known_rules(Jsonb *params, Jsonb *otherwise)
{
	Jsonb *rules = sdcpg_params_object(params, "rules");

	return rules == NULL ? otherwise : rules;
}
