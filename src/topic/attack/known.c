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
#include "lib/stringinfo.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"

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
#define MOST_OF_CATEGORY 100
#define MOST_OF_TEXT     4000
#define A_NUMBER         "[0-9]{1,15}(?:[.][0-9]{1,15})?"
#define ONE_ALONE        "\\m" A_NUMBER "\\M"
#define A_WORD           "[^[:space:][:punct:]]+"

/* Characters that are put around numbers. */
#define OPENS  "\001"
#define CLOSES "\002"

/* In JSON, what cannot be a text. */
#define NO_TEXT "\\\\u(0000|[dD][89a-fA-F])"

/* Rows in which it is seen what there is. */
#define SEEN_ROWS 1000

/* Where a text has no more that no letter touches, so many of any kind. */
#define LOOSE_NUMBERS 2

/* Numbers of a text, and places in a document, so deep, at the most. */
#define MOST_NUMBERS 32
#define MOST_PLACES  256
#define MOST_DEPTH   8

/* Words of a text at the most, and rows for each different text: where there
 * are more, texts are categories. */
#define MOST_WORDS   10
#define ROWS_OF_TEXT 10

/* Characters of a code of which each is read. */
#define MOST_OF_CODE 8

/* A time of the day as text, and its shortest and longest form. */
#define A_TIME     "^([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"
#define SHORT_TIME 4
#define LONG_TIME  8

/* ----------------------------------------------------------------------
 * Aspects of a column.
 * ----------------------------------------------------------------------
 */

/* The start of a value's text. */
static char *
start_of(const SdcRelationColumn *column, int most)
{
	/* patterns are refused where collations call unequal texts equal */
	return psprintf("pg_catalog.left(%s, %d) COLLATE pg_catalog.\"C\"",
					sdcpg_query_text(column), most);
}

/* One of the pieces of a value's text that look so, from 1. */
static char *
piece_in(const SdcRelationColumn *column, const char *look, int number)
{
	/* no NULLIF, which takes any = of the search path */
	return psprintf("pg_catalog.substring(pg_catalog.split_part("
					"pg_catalog.split_part(pg_catalog.regexp_replace("
					"pg_catalog.translate(%s, '" OPENS CLOSES "', '  '), "
					"'%s', '" OPENS "\\&" CLOSES "', 'g'), '" OPENS
					"', %d), '" CLOSES "', 1), '.+')",
					start_of(column, MOST_OF_TEXT), look, number + 1);
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
	return psprintf("CAST(%s AS pg_catalog.float8)",
					piece_in(column, alone ? ONE_ALONE : A_NUMBER, number));
}

/* A part of a key that is a category. */
static char *
part_of_key(const SdcRelationColumn *key, SdcAspect aspect)
{
	bool is_date = key->base == DATEOID || key->base == TIMESTAMPOID;

	if (aspect == SDC_ASPECT_INITIAL)
		return sdcpg_number_is(key->base)
				   ? NULL
				   : psprintf("pg_catalog.left(%s, 1)", sdcpg_query_text(key));
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

/* What is being listed. */
typedef struct Listing
{
	SdcPgHost *host;
	MemoryContext context;
	List *shown; /* SdcShown * */
	const SdcRelationColumn *column;
	int columns;
	/* by column: its documents as an array of texts; numbers in its texts, and
	 * those that no letter touches, and words; the longest and the shortest
	 * text */
	ArrayType **documents;
	int *numbers;
	int *alone;
	int *words;
	int *longest;
	int *shortest;
	/* columns that are looked at, from the first to before the end */
	int first;
	int end;
	int place; /* the column whose documents are walked through */
} Listing;

static inline bool
is_number(const SdcRelationColumn *column)
{
	return sdcpg_number_is(column->base) || column->base == BOOLOID;
}

static inline bool
is_string(const SdcRelationColumn *column)
{
	return TypeCategory(column->base) == TYPCATEGORY_STRING;
}

static inline bool
is_document(const SdcRelationColumn *column)
{
	return column->base == JSONOID || column->base == JSONBOID;
}

/*
 * Is a document of the row nothing but its text, as SQL?  What only json
 * takes, the character of code 0 and halves of pairs, is an error where places
 * are looked for.
 */
static char *
is_no_document(const SdcRelationColumn *column)
{
	return column->base == JSONBOID
			   ? pstrdup("false")
			   : psprintf("CAST(r.%s AS pg_catalog.text) "
						  "OPERATOR(pg_catalog.~) '" NO_TEXT "'",
						  column->sql);
}

static char *
document_of(const SdcRelationColumn *column)
{
	return psprintf("CASE WHEN NOT %s THEN r.%s END", is_no_document(column),
					column->sql);
}

static void
add_shown(Listing *listing, const SdcRelationColumn *column, const char *name,
		  char *sql, bool is_code)
{
	SdcShown *shown = palloc0(sizeof(SdcShown));

	shown->column = column->name;
	shown->name = name;
	shown->sql = sql;
	shown->is_code = is_code;
	listing->shown = lappend(listing->shown, shown);
}

/* What look_at_rows asks of each column, and of how many at a time: a query
 * returns 1664 values at the most. */
#define LOOKS          6
#define MOST_LOOKED_AT 256

static int
read_count(Datum value, bool isnull)
{
	return isnull ? 0 : (int) Min(DatumGetInt64(value), PG_INT32_MAX);
}

/* The one row of look_at_rows. */
static void
read_look(void *arg, TupleDesc descriptor, const Datum *values,
		  const bool *isnull)
{
	Listing *listing = arg;
	MemoryContext row = MemoryContextSwitchTo(listing->context);
	int i;

	for (i = listing->first; i < listing->end;
		 i++, values += LOOKS, isnull += LOOKS)
	{
		if (!isnull[0])
			listing->documents[i] = DatumGetArrayTypePCopy(values[0]);
		listing->numbers[i] = read_count(values[1], isnull[1]);
		listing->alone[i] = read_count(values[2], isnull[2]);
		listing->longest[i] = read_count(values[3], isnull[3]);
		listing->shortest[i] = read_count(values[4], isnull[4]);
		listing->words[i] = read_count(values[5], isnull[5]);
	}
	MemoryContextSwitchTo(row);
}

/*
 * How many pieces of a look the text of a column has, by letters that are put
 * behind them: a function that returns rows cannot be asked of a table over
 * shards.
 */
static char *
count_pieces(const SdcRelationColumn *column, const char *look)
{
	char *text = start_of(column, MOST_OF_TEXT);

	return psprintf("CAST(pg_catalog.char_length(pg_catalog.regexp_replace("
					"%s, '%s', '\\&x', 'g')) OPERATOR(pg_catalog.-) "
					"pg_catalog.char_length(%s) AS pg_catalog.int8)",
					text, look, text);
}

/* How many words nearly all texts of a column have, if the texts are not those
 * of a few categories. */
static void
append_words(StringInfo sql, const SdcRelationColumn *column)
{
	char *text = start_of(column, MOST_OF_TEXT);

	if (!is_string(column))
		appendStringInfoString(sql, ", NULL");
	else
		appendStringInfo(
			sql,
			", CASE WHEN %d OPERATOR(pg_catalog.*) pg_catalog.count(DISTINCT "
			"%s) OPERATOR(pg_catalog.>) pg_catalog.count(%s) THEN "
			"pg_catalog.percentile_disc(0.05) WITHIN GROUP (ORDER BY %s) END",
			ROWS_OF_TEXT, text, text, count_pieces(column, A_WORD));
}

/* What is asked of a column: LOOKS values. */
static void
append_look(StringInfo sql, const SdcRelationColumn *column)
{
	const char *of = "";

	if (is_number(column))
	{
		appendStringInfoString(sql, "NULL, NULL, NULL, NULL, NULL, NULL");
		return;
	}
	if (is_document(column))
	{
		appendStringInfo(sql,
						 "pg_catalog.array_agg(CAST(%s AS pg_catalog.text))",
						 document_of(column));
		of = psprintf(" FILTER (WHERE %s)", is_no_document(column));
	}
	else
		appendStringInfoString(sql, "NULL");
	appendStringInfo(sql,
					 ", pg_catalog.max(%s)%s, pg_catalog.percentile_disc("
					 "0.95) WITHIN GROUP (ORDER BY %s)%s, CAST(pg_catalog.max("
					 "pg_catalog.char_length(%s)) AS pg_catalog.int8), "
					 "CAST(pg_catalog.min(pg_catalog.char_length(%s)) AS "
					 "pg_catalog.int8)",
					 count_pieces(column, A_NUMBER), of,
					 count_pieces(column, ONE_ALONE), of,
					 sdcpg_query_text(column), sdcpg_query_text(column));
	append_words(sql, column);
}

/* Looks at the columns from the first to before the end. */
static void
look_at_some(Listing *listing, const SdcRelation *relation,
			 const SdcRelationColumn *id)
{
	SdcRows rows = {.row = read_look, .arg = listing};
	StringInfoData sql;
	bool any = false;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (i = listing->first; i < listing->end; i++)
	{
		any = any || !is_number(&listing->column[i]);
		appendStringInfoString(&sql, i > listing->first ? ", " : "");
		append_look(&sql, &listing->column[i]);
	}
	appendStringInfo(&sql, " FROM (SELECT * FROM %s AS r %s) AS r",
					 relation->sql, sdcpg_known_drawn(id, SEEN_ROWS));
	if (any)
		sdcpg_rows_receive(listing->host, sql.data, &rows);
	pfree(sql.data);
}

/*
 * Looks at some rows: takes documents, and counts how many numbers the texts
 * of each column have at the most, how many that no letter touches one in
 * twenty has, characters, and words.
 */
static void
look_at_rows(Listing *listing, const SdcRelation *relation,
			 const SdcRelationColumn *id)
{
	for (; listing->first < listing->columns; listing->first = listing->end)
	{
		listing->end = Min(listing->first + MOST_LOOKED_AT, listing->columns);
		look_at_some(listing, relation, id);
	}
}

/* A place in a document, one row of find_places. */
static void
read_place(void *arg, TupleDesc descriptor, const Datum *values,
		   const bool *isnull)
{
	Listing *listing = arg;
	const SdcRelationColumn *column = &listing->column[listing->place];
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
	appendStringInfo(&sql, "pg_catalog.%s_extract_path_text(%s",
					 column->base == JSONOID ? "json" : "jsonb",
					 document_of(column));
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
	add_shown(listing, column, name.data, number, false);
	add_shown(listing, column, name.data,
			  psprintf("pg_catalog.left(%s, %d)", sql.data, MOST_OF_CATEGORY),
			  true);
	MemoryContextSwitchTo(row);
}

/*
 * The places of values in the documents of a column, the most frequent ones
 * first: by a query of the array that was taken, as a recursive one cannot be
 * asked of a table over shards.
 */
static void
find_places(Listing *listing, int column)
{
	const char *json =
		listing->column[column].base == JSONOID ? "json" : "jsonb";
	SdcRows rows = {.row = read_place, .arg = listing};
	SdcCatalogParameters documents = {0};
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

	listing->place = column;
	sdcpg_catalog_bind(&documents, TEXTARRAYOID,
					   PointerGetDatum(listing->documents[column]), false);
	sdcpg_rows_receive_bound(listing->host, sql, &documents, &rows);
	pfree(sql);
}

/* The numbers in the text of a column: one, if it has so many. */
static void
add_number(Listing *listing, int i, int number)
{
	const SdcRelationColumn *column = &listing->column[i];
	bool alone = listing->alone[i] > LOOSE_NUMBERS;

	if (number <=
		(alone ? listing->alone[i] : Min(listing->numbers[i], LOOSE_NUMBERS)))
		add_shown(listing, column, column->name,
				  number_in(column, number, alone), false);
}

/*
 * A character of a short code, all of whose values are as long, by its place
 * in the alphabet: a cell of a grid has a letter for each coordinate.
 */
static void
add_character(Listing *listing, int i, int place)
{
	const SdcRelationColumn *column = &listing->column[i];

	if (!is_number(column) && !is_document(column) &&
		listing->longest[i] == listing->shortest[i] &&
		listing->longest[i] > 1 && listing->longest[i] <= MOST_OF_CODE &&
		place <= listing->longest[i])
		add_shown(listing, column, column->name,
				  psprintf("CAST(pg_catalog.ascii(pg_catalog.substr(%s, %d, "
						   "1)) AS pg_catalog.float8)",
						   start_of(column, MOST_OF_CODE), place),
				  false);
}

/* A word of a text that is put together of several, and the number in it, if
 * the text has more numbers than are shown otherwise. */
static void
add_word(Listing *listing, int i, int place)
{
	const SdcRelationColumn *column = &listing->column[i];
	char *word;

	if (listing->words[i] < 2 || place > listing->words[i])
		return;
	word = piece_in(column, A_WORD, place);
	add_shown(listing, column, column->name, word, true);
	if (listing->numbers[i] > Max(LOOSE_NUMBERS, listing->alone[i]))
		add_shown(listing, column, column->name,
				  psprintf("CAST(pg_catalog.substring(%s, '" A_NUMBER
						   "') AS pg_catalog.float8)",
						   word),
				  false);
}

/* A text that is a time of the day, in seconds. */
static void
add_time(Listing *listing, int i)
{
	const SdcRelationColumn *column = &listing->column[i];
	char *text;

	if (is_number(column) || is_document(column) ||
		listing->shortest[i] < SHORT_TIME || listing->longest[i] > LONG_TIME)
		return;
	text = start_of(column, LONG_TIME);
	add_shown(listing, column, column->name,
			  psprintf("CASE WHEN %s OPERATOR(pg_catalog.~) '" A_TIME
					   "' THEN CAST(pg_catalog.date_part('epoch', CAST(%s AS "
					   "pg_catalog.time)) AS pg_catalog.float8) END",
					   text, text),
			  false);
}

/* ----------------------------------------------------------------------
 * Steps: what a number is more than in the row before, among the rows of the
 * same value of a column and in the order of another one, as balances of an
 * account by day; or among all rows, as the balances of one.
 *
 * Only those are looked for that are smaller than what rows in any order give,
 * seen in some of the groups; among all rows a sum of what came before has far
 * smaller ones in a sample, too, and what merely goes with the order has not.
 * ----------------------------------------------------------------------
 */

#define MOST_STEPS   4
#define STEP_GROUPS  200 /* that are looked at */
#define STEP_ROWS    50  /* in a group, on the average, at the most */
#define STEP_COLUMNS 6
#define STEP_BELOW   1.2 /* squares by those around the mean; any order: 2 */
#define SUM_BELOW    0.1 /* of a sample of all rows; of a sum 12 / rows */
#define MOST_SUMS    2

typedef struct Step
{
	const SdcRelationColumn *of;
	const SdcRelationColumn *group; /* NULL: all rows are one */
	const SdcRelationColumn *order;
	double squares;
} Step;

typedef struct Steps
{
	const SdcRelation *relation;
	const SdcRelationColumn *id;
	const SdcRelationColumn *column; /* all that are shown, keys too */
	int columns;
	int64 rows;    /* of a sample */
	int64 *values; /* by column, that it has in it; 0: not counted */
	Step asked[STEP_COLUMNS * STEP_COLUMNS];
	int count;
	double below; /* squares of what is a step */
	int most;
	Step best[MOST_STEPS + 1];
	int found;
} Steps;

static bool
may_group(const SdcRelationColumn *column)
{
	return is_string(column) || column->base == UUIDOID ||
		   column->base == INT4OID || column->base == INT8OID ||
		   column->base == NUMERICOID;
}

static bool
may_order(const SdcRelationColumn *column)
{
	return sdcpg_number_is(column->base) || is_string(column);
}

/* Does a column have groups of rows that are neither one nor many? */
static bool
is_group(const Steps *steps, int column)
{
	int64 groups = steps->values[column];

	return may_group(&steps->column[column]) && groups < steps->rows &&
		   groups * STEP_ROWS >= steps->rows;
}

/* Does a column put the rows of so many groups in order?  Few values of it
 * would leave most rows in the order of the number itself. */
static bool
is_order(const Steps *steps, const SdcRelationColumn *column, int64 groups)
{
	int64 values = steps->values[column - steps->column];

	return values > 1 && 2 * values * groups > steps->rows;
}

static void
read_values(void *arg, TupleDesc descriptor, const Datum *values,
			const bool *isnull)
{
	Steps *steps = arg;
	int i;

	steps->rows = DatumGetInt64(values[0]);
	for (i = 0; i < steps->columns; i++)
		steps->values[i] = isnull[i + 1] ? 0 : DatumGetInt64(values[i + 1]);
}

/* Counts the values of groups and orders. */
static void
count_values(Steps *steps, SdcPgHost *host)
{
	SdcRows rows = {.row = read_values, .arg = steps};
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT pg_catalog.count(*)");
	for (i = 0; i < steps->columns; i++)
		if (may_group(&steps->column[i]) || may_order(&steps->column[i]))
			appendStringInfo(&sql, ", pg_catalog.count(DISTINCT %s)",
							 start_of(&steps->column[i], MOST_OF_CATEGORY));
		else
			appendStringInfoString(&sql, ", CAST(NULL AS pg_catalog.int8)");
	appendStringInfo(&sql, " FROM (SELECT * FROM %s AS r %s) AS r",
					 steps->relation->sql,
					 sdcpg_known_drawn(steps->id, SEEN_ROWS));
	sdcpg_rows_receive(host, sql.data, &rows);
}

/* A number of which steps have squares: next to 0 it is none, and beyond all
 * sums, or infinite, it is as one that is missing. */
static char *
value_of(const SdcRelationColumn *column)
{
	char *value = sdcpg_query_cast(column, "float8");
	const char *type = column->base == NUMERICOID ? "numeric" : "float8";

	if (column->base != NUMERICOID && column->base != FLOAT4OID &&
		column->base != FLOAT8OID)
		return value;
	return psprintf("CASE WHEN pg_catalog.abs(r.%s) OPERATOR(pg_catalog.<) "
					"'1e-100'::pg_catalog.%s THEN 0 WHEN pg_catalog.abs(r.%s) "
					"OPERATOR(pg_catalog.<) '1e100'::pg_catalog.%s THEN %s "
					"END",
					column->sql, type, column->sql, type, value);
}

/* What the rows of a group have in common, as SQL over r. */
static char *
common_of(const SdcRelationColumn *group)
{
	return group == NULL ? "true" : start_of(group, MOST_OF_CATEGORY);
}

/* What rows are ordered by, as SQL over r, the same in all databases. */
static char *
order_of(const SdcRelationColumn *column)
{
	return is_string(column) ? psprintf("%s COLLATE pg_catalog.\"C\"",
										start_of(column, MOST_OF_CATEGORY))
							 : psprintf("r.%s", column->sql);
}

/* A step as SQL over r; of the first row of a group it is from 0. */
static char *
step_of(const Steps *steps, const Step *step, const char *first)
{
	char *value = value_of(step->of);

	/* the id last, so that it is the same for rows in any order */
	return psprintf("%s OPERATOR(pg_catalog.-) pg_catalog.lag(%s%s) OVER "
					"(PARTITION BY %s ORDER BY %s, %s, %s COLLATE "
					"pg_catalog.\"C\")",
					value, value, first, common_of(step->group),
					order_of(step->order), value,
					sdcpg_query_cast(steps->id, "text"));
}

/* Keeps the steps with the least squares, of those in an order. */
static void
read_steps(void *arg, TupleDesc descriptor, const Datum *values,
		   const bool *isnull)
{
	Steps *steps = arg;
	int i;
	int j;

	for (i = 0; i < steps->count; i++)
	{
		Step step = steps->asked[i];

		step.squares = isnull[i] ? NAN : DatumGetFloat8(values[i]);
		if (!(step.squares < steps->below) ||
			!is_order(steps, step.order,
					  step.group == NULL
						  ? 1
						  : steps->values[step.group - steps->column]))
			continue;
		for (j = steps->found;
			 j > 0 && steps->best[j - 1].squares > step.squares; j--)
			steps->best[j] = steps->best[j - 1];
		steps->best[j] = step;
		steps->found = Min(steps->found + 1, steps->most);
	}
}

/* The rows in which steps are seen, as SQL: some of the groups, or a sample of
 * all. */
static char *
seen_rows(const Steps *steps, const SdcRelationColumn *group)
{
	const char *relation = steps->relation->sql;
	char *key = common_of(group);

	if (group == NULL)
		return psprintf("(SELECT * FROM %s AS r %s) AS r", relation,
						sdcpg_known_drawn(steps->id, SEEN_ROWS));
	return psprintf("%s AS r WHERE %s OPERATOR(pg_catalog.=) ANY (SELECT %s "
					"FROM %s AS r GROUP BY 1 ORDER BY pg_catalog.md5(%s) "
					"COLLATE pg_catalog.\"C\" LIMIT %d)",
					relation, key, key, relation, key, STEP_GROUPS);
}

/* Asks for the steps of all numbers within the groups of a column. */
static void
ask_steps(Steps *steps, SdcPgHost *host, const SdcRelationColumn *group)
{
	SdcRows rows = {.row = read_steps, .arg = steps};
	char *key = common_of(group);
	StringInfoData squares;
	StringInfoData sql;
	int i;

	initStringInfo(&squares);
	initStringInfo(&sql);
	for (i = 0; i < steps->count; i++)
	{
		char *value = value_of(steps->asked[i].of);

		steps->asked[i].group = group;
		appendStringInfo(&squares,
						 "%spg_catalog.sum(s.d%d OPERATOR(pg_catalog.*) "
						 "s.d%d) OPERATOR(pg_catalog./) CASE WHEN "
						 "pg_catalog.sum(s.e%d OPERATOR(pg_catalog.*) s.e%d) "
						 "OPERATOR(pg_catalog.>) 0 THEN pg_catalog.sum(s.e%d "
						 "OPERATOR(pg_catalog.*) s.e%d) END",
						 i > 0 ? ", " : "", i, i, i, i, i, i);
		appendStringInfo(&sql,
						 "%s%s AS d%d, %s OPERATOR(pg_catalog.-) "
						 "pg_catalog.avg(%s) OVER (PARTITION BY %s) AS e%d",
						 i > 0 ? ", " : "",
						 step_of(steps, &steps->asked[i], ""), i, value, value,
						 key, i);
	}
	sdcpg_rows_receive(host,
					   psprintf("SELECT %s FROM (SELECT %s FROM %s) AS s",
								squares.data, sql.data,
								seen_rows(steps, group)),
					   &rows);
}

/* Which numbers, in the order of which others; the first ones only. */
static void
list_steps(Steps *steps, const SdcRelationColumn *column, int columns)
{
	int of = 0;
	int i;
	int j;

	for (i = 0; i < columns && of < STEP_COLUMNS; i++)
	{
		int orders = 0;

		if (!sdcpg_number_is_arithmetic(column[i].base))
			continue;
		of++;
		for (j = 0; j < steps->columns && orders < STEP_COLUMNS; j++)
			if (may_order(&steps->column[j]) &&
				steps->column[j].number != column[i].number)
			{
				steps->asked[steps->count].of = &column[i];
				steps->asked[steps->count++].order = &steps->column[j];
				orders++;
			}
	}
}

/* Shows the steps that were found. */
static void
add_found(Listing *listing, const Steps *steps)
{
	int i;

	for (i = 0; i < steps->found; i++)
	{
		const Step *step = &steps->best[i];

		add_shown(listing, step->of,
				  step->group == NULL
					  ? psprintf("%s by %s", step->of->name, step->order->name)
					  : psprintf("%s by %s and %s", step->of->name,
								 step->group->name, step->order->name),
				  step_of(steps, step, ", 1, CAST(0 AS pg_catalog.float8)"),
				  false);
	}
}

static void
add_steps(Listing *listing, const SdcRelation *relation,
		  const SdcRelationColumn *id, List *published)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	Steps steps = {.relation = relation,
				   .id = id,
				   .column = all.column,
				   .below = STEP_BELOW,
				   .most = MOST_STEPS};
	int i;

	/* keys, too, put rows in order */
	for (i = 0; i < all.count && steps.columns < MOST_LOOKED_AT; i++)
		if (all.column[i].number != id->number &&
			(published == NIL ||
			 sdcpg_params_is_listed(published, all.column[i].name)))
			all.column[steps.columns++] = all.column[i];
	steps.values = palloc0(sizeof(int64) * (steps.columns + 1));
	list_steps(&steps, listing->column, listing->columns);
	if (steps.count == 0)
		return;
	count_values(&steps, listing->host);
	for (i = 0; i < steps.columns; i++)
		if (is_group(&steps, i))
			ask_steps(&steps, listing->host, &steps.column[i]);
	add_found(listing, &steps);
	steps.below = SUM_BELOW;
	steps.most = MOST_SUMS;
	steps.found = 0;
	ask_steps(&steps, listing->host, NULL);
	add_found(listing, &steps);
}

List *
sdcpg_known_shown(SdcPgHost *host, const SdcRelation *relation,
				  const SdcRelationColumn *id, const SdcRelationColumn *column,
				  int columns, List *published)
{
	Listing listing = {.host = host,
					   .context = CurrentMemoryContext,
					   .column = column,
					   .columns = columns,
					   .documents =
						   palloc0(sizeof(ArrayType *) * (columns + 1)),
					   .numbers = palloc0(sizeof(int) * (columns + 1)),
					   .alone = palloc0(sizeof(int) * (columns + 1)),
					   .words = palloc0(sizeof(int) * (columns + 1)),
					   .longest = palloc0(sizeof(int) * (columns + 1)),
					   .shortest = palloc0(sizeof(int) * (columns + 1))};
	int number;
	int i;

	look_at_rows(&listing, relation, id);
	for (i = 0; i < columns; i++)
		if (sdcpg_number_is(column[i].base))
			add_shown(&listing, &column[i], column[i].name,
					  psprintf("r.%s", column[i].sql), false);
	add_steps(&listing, relation, id, published);
	for (i = 0; i < columns; i++)
		if (!is_number(&column[i]))
			add_shown(&listing, &column[i], column[i].name,
					  start_of(&column[i], MOST_OF_CATEGORY), true);
	for (i = 0; i < columns; i++)
		if (listing.longest[i] > MOST_OF_CATEGORY)
			add_shown(
				&listing, &column[i], column[i].name,
				psprintf("pg_catalog.md5(%s)", sdcpg_query_text(&column[i])),
				true);
	for (i = 0; i < columns; i++)
		if (is_number(&column[i]))
			add_shown(&listing, &column[i], column[i].name,
					  start_of(&column[i], MOST_OF_CATEGORY), true);
	for (number = 1; number <= MOST_NUMBERS; number++)
		for (i = 0; i < columns; i++)
			add_number(&listing, i, number);
	for (number = 1; number <= MOST_WORDS; number++)
		for (i = 0; i < columns; i++)
			add_word(&listing, i, number);
	for (i = 0; i < columns; i++)
		if (listing.numbers[i] >= 2)
			add_time(&listing, i);
	for (number = 1; number <= MOST_OF_CODE; number++)
		for (i = 0; i < columns; i++)
			add_character(&listing, i, number);
	for (i = 0; i < columns; i++)
		if (listing.documents[i] != NULL)
			find_places(&listing, i);
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
