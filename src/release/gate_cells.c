/*
 * gate_cells.c
 *		Tables of cells that are made to be compared in the gate: all cells of
 *		a table as they are, none hidden, and what their labels are parts of.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "release/document.h"
#include "release/gate_beside.h"
#include "release/policy.h"
#include "release/seal.h"
#include "topic/generalization/hierarchy.h"
#include "topic/tabular/tabular_topic.h"

/* Runs a statement that names no function or operator of anybody else. */
uint64
sdcpg_beside_run(const char *sql)
{
	int settings = NewGUCNestLevel();
	uint64 rows;

	sdcpg_seal_pin_settings();
	rows = sdcpg_staging_run(sql);
	AtEOXact_GUC(false, settings);
	return rows;
}

/* Reads in the same way. */
SdcCatalogRows *
sdcpg_beside_read(const char *sql)
{
	int settings = NewGUCNestLevel();
	SdcCatalogRows *rows;

	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(sql, NULL);
	AtEOXact_GUC(false, settings);
	return rows;
}

/* The name of the next table, as in SQL; it is dropped at the end. */
char *
sdcpg_beside_table(SdcBeside *beside)
{
	char *name =
		quote_qualified_identifier(get_namespace_name(beside->staging->schema),
								   sdcpg_catalog_hidden_name("sdc_beside_"));

	beside->made = lappend(beside->made, name);
	return name;
}

void
sdcpg_beside_drop(List *made)
{
	ListCell *cell;

	foreach (cell, made)
		(void) sdcpg_beside_run(
			psprintf("DROP TABLE %s", (char *) lfirst(cell)));
}

/* The digits after the point of the values that are summed. */
static int
value_digits(const SdcBeside *beside)
{
	SdcCatalogRows *rows = sdcpg_beside_read(
		psprintf("SELECT COALESCE(max(scale(trim_scale(CAST(r.%s AS numeric)))"
				 "), 0) FROM %s AS r",
				 quote_identifier(beside->value), beside->original->sql));

	return DatumGetInt32(rows->value[0][0]);
}

/* Copies some of params, as far as they are there: parts, or texts. */
static void
copy_params(StringInfo document, Jsonb *params, const char *const *kept)
{
	for (; *kept != NULL && params != NULL; kept++)
	{
		Jsonb *part = sdcpg_document_part(params, *kept);

		if (part != NULL)
			sdcpg_document_jsonb(document, *kept, part);
		else if (sdcpg_params_has(params, *kept))
			sdcpg_document_text(document, *kept,
								sdcpg_document_string(params, *kept));
	}
}

/* Params of protect_table that make the cells as they are, none hidden. */
static Jsonb *
params_of_truth(const SdcBeside *beside)
{
	static const char *const kept[] = {"hierarchies", "levels",     "total",
									   "linked",      "respondent", "names",
									   "rls",         NULL};
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	copy_params(&document, sdcpg_params_object(beside->protect, "params"),
				kept);
	sdcpg_document_text(&document, "method", "round");
	sdcpg_document_number(&document, "base",
						  beside->value == NULL ? 1
												: pow(10, -beside->digits));
	sdcpg_document_integer(&document, "effort", 0);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* All cells as they are: rounded to their own unit. */
static void
make_truth(SdcBeside *beside)
{
	SdcCatalogParameters parameters = {0};

	beside->truth = sdcpg_beside_table(beside);
	sdcpg_catalog_bind(&parameters, REGCLASSOID,
					   ObjectIdGetDatum(beside->original->oid), false);
	sdcpg_catalog_bind_text(&parameters, beside->truth);
	sdcpg_catalog_bind(
		&parameters, NAMEARRAYOID,
		PointerGetDatum(sdcpg_policy_table_keys(beside->protect)), false);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		beside->value == NULL
			? 0
			: DirectFunctionCall1(namein, CStringGetDatum(beside->value)),
		beside->value == NULL);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   JsonbPGetDatum(params_of_truth(beside)), false);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run("SELECT FROM sdc.protect_table(relation => $1,"
					  " target => $2, keys => $3, value => $4, params => $5)",
					  &parameters, false);
	SPI_finish();
}

/* Keys as a list in SQL, each with the alias of its table. */
char *
sdcpg_beside_keys(const SdcBeside *beside, const char *alias)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, beside->keys)
		appendStringInfo(&list, "%s%s.%s", list.len > 0 ? ", " : "", alias,
						 quote_identifier(lfirst(cell)));
	return list.data;
}

SdcBeside *
sdcpg_beside_begin(const SdcStaging *staging, const SdcRelation *original,
				   Jsonb *protect)
{
	SdcBeside *beside = palloc0(sizeof(SdcBeside));
	Jsonb *params = sdcpg_params_object(protect, "params");
	char *cell = sdcpg_params_text(params, "cell");

	beside->staging = staging;
	beside->original = original;
	beside->protect = protect;
	beside->keys = sdcpg_policy_table_all_keys(protect);
	beside->value = sdcpg_params_text(protect, "value");
	beside->means = cell != NULL && strcmp(cell, SDC_TABULAR_MEAN) == 0;
	beside->digits = beside->value == NULL ? 0 : value_digits(beside);
	beside->name = sdcpg_params_renamed(params, "names", "value");
	beside->cells = quote_identifier(beside->name);
	beside->count =
		quote_identifier(sdcpg_params_renamed(params, "names", "count"));
	make_truth(beside);
	beside->known = sdcpg_beside_table(beside);
	sdcpg_beside_run(
		psprintf("CREATE UNLOGGED TABLE %s AS SELECT %s, t.%s AS lowest,"
				 " t.%s AS highest, 0 AS rows_of, 0 AS by_keys"
				 " FROM %s AS t LIMIT 0",
				 beside->known, sdcpg_beside_keys(beside, "t"), beside->cells,
				 beside->cells, beside->truth));
	beside->cover = sdcpg_beside_table(beside);
	sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s (key_no int, label text)", beside->cover));
	return beside;
}

char *
sdcpg_beside_respondent(Jsonb *protect)
{
	return protect == NULL
			   ? NULL
			   : sdcpg_params_text(sdcpg_params_object(protect, "params"),
								   "respondent");
}

char *
sdcpg_beside_text(const char *name)
{
	const char *column = quote_identifier(name);

	/* columns of two collations are compared, and put into one array */
	return psprintf("(CASE WHEN r.%s IS NULL THEN '(null)'"
					" ELSE concat(r.%s) END COLLATE \"C\")",
					column, column);
}

/* The name of the column with what a key is a part of. */
const char *
sdcpg_beside_parent(const char *key)
{
	return quote_identifier(sdcpg_table_parent_name(key));
}

/* The j-th key, as in SQL. */
const char *
sdcpg_beside_key(const SdcBeside *beside, int j)
{
	return quote_identifier(list_nth(beside->keys, j));
}

/* Adds the labels of a key of the table, and what they are parts of. */
static void
add_labels(const SdcBeside *beside, int j)
{
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s SELECT DISTINCT %d, t.%s, t.%s"
		" FROM %s AS t",
		beside->labels, j, sdcpg_beside_key(beside, j),
		sdcpg_beside_parent(list_nth(beside->keys, j)), beside->truth));
}

/*
 * The same of finer levels, down to the values, where the table begins at
 * groups: everybody knows which group a value is in.  object is params, or one
 * of the linked.
 */
static void
add_finer_labels(const SdcBeside *beside, Jsonb *object, int j)
{
	char *key = list_nth(beside->keys, j);
	char *hierarchy = sdcpg_params_member(object, "hierarchies", key);
	int lowest = sdcpg_params_integer(sdcpg_params_object(object, "levels"),
									  key, 0, 0, SDC_HIERARCHY_MAX_LEVELS);
	int level;

	if (hierarchy == NULL)
		hierarchy =
			sdcpg_params_member(sdcpg_params_object(beside->protect, "params"),
								"hierarchies", key);
	for (level = 0; level < lowest && hierarchy != NULL; level++)
		(void) sdcpg_beside_run(psprintf(
			"INSERT INTO %s SELECT DISTINCT %d, %s,"
			" sdc.generalize(r.v, %s, %d) FROM (SELECT DISTINCT r.%s AS v"
			" FROM %s AS r) AS r WHERE r.v IS NOT NULL",
			beside->labels, j,
			level == 0 ? "concat(r.v)"
					   : psprintf("sdc.generalize(r.v, %s, %d)",
								  quote_literal_cstr(hierarchy), level),
			quote_literal_cstr(hierarchy), lowest, sdcpg_beside_key(beside, j),
			beside->original->sql));
}

/*
 * The same of a table that is only of some records: the values that are in the
 * group which it is about, and which is all that it shows of the key.
 */
static void
add_only_labels(const SdcBeside *beside, Jsonb *object, int j)
{
	char *key = list_nth(beside->keys, j);
	char *only = sdcpg_params_member(object, "only", key);
	char *hierarchy = sdcpg_params_member(object, "hierarchies", key);
	int level;

	if (hierarchy == NULL)
		hierarchy =
			sdcpg_params_member(sdcpg_params_object(beside->protect, "params"),
								"hierarchies", key);
	if (only == NULL || hierarchy == NULL)
		return;
	for (level = 1; level <= sdcpg_hierarchy_height(hierarchy); level++)
		(void) sdcpg_beside_run(psprintf(
			"INSERT INTO %s SELECT DISTINCT %d, concat(r.v), %s FROM (SELECT"
			" DISTINCT r.%s AS v FROM %s AS r) AS r WHERE r.v IS NOT NULL"
			" AND concat(r.v) <> %s AND sdc.generalize(r.v, %s, %d) = %s",
			beside->labels, j, quote_literal_cstr(only),
			sdcpg_beside_key(beside, j), beside->original->sql,
			quote_literal_cstr(only), quote_literal_cstr(hierarchy), level,
			quote_literal_cstr(only)));
}

/* All labels of all keys. */
void
sdcpg_beside_labels(SdcBeside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");
	List *linked =
		params == NULL
			? NIL
			: sdcpg_document_elements(sdcpg_document_part(params, "linked"));
	ListCell *item;
	int j;

	if (beside->labels != NULL)
		return;
	beside->labels = sdcpg_beside_table(beside);
	(void) sdcpg_beside_run(
		psprintf("CREATE UNLOGGED TABLE %s (key_no int, label text,"
				 " parent text)",
				 beside->labels));
	for (j = 0; j < list_length(beside->keys); j++)
	{
		add_labels(beside, j);
		add_finer_labels(beside, params, j);
		foreach (item, linked)
		{
			add_finer_labels(beside, lfirst(item), j);
			add_only_labels(beside, lfirst(item), j);
		}
	}
}

/* Has the table of cells several in one? */
bool
sdcpg_beside_numbers(const SdcBeside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");

	return params != NULL && sdcpg_params_has(params, "linked");
}

/* The columns that say which cell a row is about: char *. */
List *
sdcpg_beside_columns(const SdcBeside *beside)
{
	List *columns = list_copy(beside->keys);

	return sdcpg_beside_numbers(beside) ? lappend(columns, SDC_TABULAR_NUMBER)
										: columns;
}

/* The condition that rows of two tables, by their aliases, are of one cell. */
char *
sdcpg_beside_same(const SdcBeside *beside, const char *a, const char *b)
{
	StringInfoData join;
	ListCell *cell;

	initStringInfo(&join);
	foreach (cell, sdcpg_beside_columns(beside))
	{
		const char *name = quote_identifier(lfirst(cell));

		appendStringInfo(&join, "%s%s.%s = %s.%s", join.len > 0 ? " AND " : "",
						 a, name, b, name);
	}
	return join.data;
}

/* The label of the totals of a table. */
const char *
sdcpg_beside_total(const SdcBeside *beside)
{
	char *total = sdcpg_params_text(
		sdcpg_params_object(beside->protect, "params"), "total");

	return total == NULL ? SDC_TABULAR_TOTAL : total;
}

/* What a cell that is out (p) would show of the values of now (t). */
char *
sdcpg_beside_now(const SdcBeside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");

	if (!beside->means)
		return psprintf("t.%s", beside->cells);
	return psprintf("round(t.%s / NULLIF(p.%s, 0), %d)", beside->cells,
					beside->count,
					(int) sdcpg_params_integer(params, "digits",
											   SDC_TABULAR_DIGITS, 0, 12));
}
