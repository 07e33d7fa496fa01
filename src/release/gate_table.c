/*
 * gate_table.c
 *		Tables of cells in the gate: what sdc.table_report is given.
 *
 * The report attacks the published table with what a reader knows of it.  What
 * that is follows from the params of protect_table, which stand in the policy,
 * and from the types of the original; and from rows that the same owner has
 * published of the same relation.
 *
 * Who has rows counts them, and has the cells of a table that are made of
 * columns which no mask has changed.  What he learns is found by comparing:
 * the rows that are published are counted (or summed) by each set of keys of
 * the table.  Where that gives every cell by these keys, the cells are known
 * exactly: keys without a mask, but also the margins that a swap keeps.  Where
 * it gives no cell more than it has, as in a sample, cells are known to be
 * that much at least.  Where it does neither the keys were changed, and
 * nothing is taken from these rows by them; who knows the mask may guess.
 *
 * What so is known narrows the intervals of the attack on the table.  The
 * table is attacked as it is when it is released; when rows are released after
 * it, as the values of now would stand in it, with the same cells hidden.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/policy.h"
#include "release/publish.h"
#include "release/seal.h"
#include "topic/mask/rules.h"
#include "topic/tabular/tabular_topic.h"

/* What the params of protect_table call a column of the table. */
static const char *
named(Jsonb *params, const char *word)
{
	return sdcpg_params_renamed(params, "names", word);
}

/* The noise of cell keys: of a sum at most a share of it. */
static void
put_noise(StringInfo document, Jsonb *params, bool counts)
{
	double noise = sdcpg_params_number(params, "noise", 5, 0, 1e15);
	double share = sdcpg_params_number(params, "share", 10, 0, 100);

	if (counts)
		sdcpg_document_number(document, "noise", noise);
	else
		sdcpg_document_number(document, "noise_percent",
							  share * (noise + 0.5));
}

/*
 * Adjusted: by how much a cell was changed at most, and which were.  A reader
 * is not told the first, but he is taken to know it.
 */
static void
put_adjusted(StringInfo document, const SdcGateCase *of, double threshold)
{
	sdcpg_document_number(document, "noise",
						  Max(of->moved, Max(threshold - 1, 1e-12)));
	if (!sdcpg_params_has(of->protect, "value") && threshold >= 2)
		sdcpg_document_number(document, "adjusted", threshold);
}

/* What all values of a column are multiples of, by its type; 0: not known. */
static double
unit_of(const SdcRelation *relation, const char *name)
{
	SdcRelationColumn column = sdcpg_relation_column(relation, name);
	Oid type;
	Oid collation;
	int32 modifier;

	get_atttypetypmodcoll(relation->oid, column.number, &type, &modifier,
						  &collation);
	switch (column.base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return 1;
		case NUMERICOID:
			/* the scale of numeric(precision, scale); below 0 from 15 on */
			if (column.type == NUMERICOID && modifier >= (int32) VARHDRSZ &&
				((modifier - VARHDRSZ) & 0x7ff) <= 15)
				return pow(10, -((modifier - VARHDRSZ) & 0x7ff));
			return 0;
		default:
			return 0;
	}
}

/* Of means: where their counts are, and what rounding has left of the sums. */
static void
put_means(StringInfo document, const SdcGateCase *of, Jsonb *params)
{
	double unit =
		unit_of(of->original, sdcpg_params_text(of->protect, "value"));
	int64 digits =
		sdcpg_params_integer(params, "digits", SDC_TABULAR_DIGITS, 0, 12);

	sdcpg_document_text(document, "count", named(params, "count"));
	sdcpg_document_number(document, "noise", 0.5 * pow(10, -digits));
	if (unit > 0)
		sdcpg_document_number(document, "unit", unit);
}

Jsonb *
sdcpg_gate_table_known(const SdcGateCase *of)
{
	Jsonb *params = sdcpg_params_object(of->protect, "params");
	Jsonb *rules = sdcpg_params_object(of->protect, "rules");
	char *method = sdcpg_params_text(params, "method");
	char *total = sdcpg_params_text(params, "total");
	char *cell = sdcpg_params_text(params, "cell");
	bool counts = !sdcpg_params_has(of->protect, "value");
	bool hides = method == NULL || strcmp(method, "suppress") == 0;
	double threshold =
		rules == NULL && counts
			? 3
			: sdcpg_params_number(rules, "threshold", 0, 0, 1e15);
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	if (counts)
		sdcpg_document_integer(&document, "unit", 1);
	if (counts && hides)
		sdcpg_document_integer(&document, "least", 1);
	if (method != NULL && strcmp(method, "round") == 0)
		sdcpg_document_number(&document, "base",
							  sdcpg_params_number(params, "base", 5, 0, 1e15));
	if (method != NULL && strcmp(method, "cell_key") == 0)
		put_noise(&document, params, counts);
	if (method != NULL && strcmp(method, "adjust") == 0)
		put_adjusted(&document, of, threshold);
	if (!counts && cell != NULL && strcmp(cell, SDC_TABULAR_MEAN) == 0)
		put_means(&document, of, params);
	if (total != NULL)
		sdcpg_document_text(&document, "total", total);
	if (of->earlier != NULL)
		sdcpg_document_text(&document, "earlier", of->earlier);
	if (of->known != NULL)
		sdcpg_document_text(&document, "known", of->known);
	sdcpg_document_number(&document, "change",
						  sdcpg_params_number(of->protect, "change",
											  counts ? threshold : 0, 0,
											  1e15));
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

Jsonb *
sdcpg_gate_table_show(const SdcGateCase *of)
{
	static const char *const intervals[] = {"{\"intervals\": false}",
											"{\"intervals\": true}"};
	Jsonb *known =
		sdcpg_table_params_without(sdcpg_gate_table_known(of), "change");
	bool asked = sdcpg_params_boolean(of->protect, "intervals", false);

	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, JsonbPGetDatum(known),
		DirectFunctionCall1(jsonb_in, CStringGetDatum(intervals[asked]))));
}

void
sdcpg_gate_table_bind(SdcCatalogParameters *parameters, const SdcGateCase *of)
{
	ArrayType *keys =
		of->protect == NULL
			? NULL
			: sdcpg_policy_name_list(sdcpg_policy_table_all_keys(of->protect));
	Jsonb *params = of->protect == NULL
						? NULL
						: sdcpg_params_object(of->protect, "params");

	sdcpg_catalog_bind(parameters, NAMEARRAYOID, PointerGetDatum(keys),
					   keys == NULL);
	sdcpg_catalog_bind(
		parameters, NAMEOID,
		DirectFunctionCall1(namein, CStringGetDatum(named(params, "value"))),
		false);
}

/* ----------------------------------------------------------------------
 * Tables of cells and rows of one owner, of the same relation
 * ----------------------------------------------------------------------
 */

/* Sets of keys that are tried: all of six keys. */
#define MOST_SETS 64

/* Sums are equal within this share. */
#define SAME "1e-9"

/* What another policy has published of the relation, see read_published. */
typedef struct Other
{
	char *policy;
	char *target;
	SdcPolicyRelation relation; /* as it was then */
	Jsonb *protect;             /* NULL: rows */
	List *columns;              /* char *: that it has */
	Oid table;
} Other;

/* A table of cells, and what is compared with it. */
typedef struct Beside
{
	const SdcStaging *staging; /* where tables are made */
	const SdcRelation *original;
	Jsonb *protect;
	List *keys;  /* char * */
	char *value; /* the column that is summed; NULL: rows are counted */
	bool means;
	const char *cells; /* the column of the values of cells, as in SQL */
	const char *count; /* and of their respondents, of means */
	char *truth;       /* the table of all cells, as SQL */
	char *known;       /* that of what rows tell of them */
	char *cover;       /* that of labels under which rows have all */
	List *made;        /* char *: tables to be dropped */
} Beside;

/* Rows that somebody has. */
typedef struct Rows
{
	const SdcRelation *table;
	List *columns; /* char *: that he sees */
	char *tally;   /* the table of how many, or the sum, by all keys */
	bool all;      /* as many as there are? */
	bool values;   /* are the values some of the true ones? */
} Rows;

/* ----------------------------------------------------------------------
 * What is out there
 * ----------------------------------------------------------------------
 */

/* Do the rules of rows make new records, which are nobody's? */
static bool
makes_records(const SdcPolicyRelation *relation, const SdcRelation *original)
{
	SdcRules rules = sdcpg_rules_read(relation->rules, original);
	int i;

	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].method->traits & SDC_MASK_REPLACES)
			return true;
	return false;
}

static Other *
read_other(const SdcCatalogRows *rows, int row, Oid relation)
{
	Other *other = palloc0(sizeof(Other));

	other->policy = TextDatumGetCString(rows->value[row][0]);
	other->target = TextDatumGetCString(rows->value[row][1]);
	other->relation.oid = relation;
	other->relation.rules = sdcpg_catalog_jsonb(rows, row, 2);
	other->relation.constraints = sdcpg_catalog_jsonb(rows, row, 3);
	other->relation.params = sdcpg_catalog_jsonb(rows, row, 4);
	other->protect = sdcpg_params_object(other->relation.params, "protect");
	other->columns = sdcpg_document_texts(sdcpg_catalog_jsonb(rows, row, 5));
	other->table = DatumGetObjectId(rows->value[row][6]);
	return other;
}

/*
 * The tables that the last releases of other policies of the caller have
 * published of the relation: of cells, or of rows; not of policies whose
 * tables nobody has who gets this one.
 */
static List *
list_published(const SdcStaging *staging, const char *policy, bool cells)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *others = NIL;
	int i;

	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind_text(&parameters, staging->original->sql);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT k.policy, r.part OPERATOR(pg_catalog.->>) 'target',"
		" r.part OPERATOR(pg_catalog.->) 'rules',"
		" r.part OPERATOR(pg_catalog.->) 'constraints',"
		" NULLIF(r.part OPERATOR(pg_catalog.->) 'params', 'null'),"
		" r.part OPERATOR(pg_catalog.->) 'published',"
		" CAST(k.tables[r.place] AS pg_catalog.oid)"
		" FROM (SELECT DISTINCT ON (h.policy) h.policy, h.relations, h.tables"
		" FROM sdc.release_history AS h"
		" WHERE h.owner OPERATOR(pg_catalog.=) $1::pg_catalog.name"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND NOT h.policy OPERATOR(pg_catalog.=) $2"
		" ORDER BY h.policy, h.release DESC) AS k CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(k.relations)"
		" WITH ORDINALITY AS r (part, place)"
		" WHERE (r.part OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $3 AND EXISTS (SELECT"
		" FROM pg_catalog.pg_class AS c WHERE c.oid"
		" OPERATOR(pg_catalog.=) k.tables[r.place])"
		" ORDER BY k.policy, r.place",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		Other *other = read_other(rows, i, staging->original->oid);

		if ((other->protect != NULL) == cells &&
			!sdcpg_params_is_listed(staging->params.apart, other->policy) &&
			(cells || !makes_records(&other->relation, staging->original)))
			others = lappend(others, other);
	}
	return others;
}

/* ----------------------------------------------------------------------
 * Tables that are made on the way
 * ----------------------------------------------------------------------
 */

/* Runs a statement that names no function or operator of anybody else. */
static uint64
run_sql(const char *sql)
{
	int settings = NewGUCNestLevel();
	uint64 rows;

	sdcpg_seal_pin_settings();
	rows = sdcpg_staging_run(sql);
	AtEOXact_GUC(false, settings);
	return rows;
}

/* Reads in the same way. */
static SdcCatalogRows *
read_sql(const char *sql)
{
	int settings = NewGUCNestLevel();
	SdcCatalogRows *rows;

	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(sql, NULL);
	AtEOXact_GUC(false, settings);
	return rows;
}

/* The name of the next table, as in SQL; it is dropped at the end. */
static char *
next_table(Beside *beside)
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
		(void) run_sql(psprintf("DROP TABLE %s", (char *) lfirst(cell)));
}

/* The digits after the point of the values that are summed. */
static int
value_digits(const Beside *beside)
{
	SdcCatalogRows *rows = read_sql(
		psprintf("SELECT COALESCE(max(scale(trim_scale(CAST(r.%s AS numeric)))"
				 "), 0) FROM %s AS r",
				 quote_identifier(beside->value), beside->original->sql));

	return DatumGetInt32(rows->value[0][0]);
}

/* Params of protect_table that make the cells as they are, none hidden. */
static Jsonb *
params_of_truth(const Beside *beside)
{
	static const char *const kept[] = {"hierarchies", "levels",     "total",
									   "linked",      "respondent", "names",
									   "rls",         NULL};
	Jsonb *params = sdcpg_params_object(beside->protect, "params");
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	for (i = 0; kept[i] != NULL; i++)
		if (params != NULL && sdcpg_params_has(params, kept[i]))
			sdcpg_document_jsonb(&document, kept[i],
								 sdcpg_document_part(params, kept[i]));
	sdcpg_document_text(&document, "method", "round");
	sdcpg_document_number(
		&document, "base",
		beside->value == NULL ? 1 : pow(10, -value_digits(beside)));
	sdcpg_document_integer(&document, "effort", 0);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* All cells as they are: rounded to their own unit. */
static void
make_truth(Beside *beside)
{
	SdcCatalogParameters parameters = {0};

	beside->truth = next_table(beside);
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
static char *
key_list(const Beside *beside, const char *alias)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, beside->keys)
		appendStringInfo(&list, "%s%s.%s", list.len > 0 ? ", " : "", alias,
						 quote_identifier(lfirst(cell)));
	return list.data;
}

static Beside *
begin(const SdcStaging *staging, const SdcRelation *original, Jsonb *protect)
{
	Beside *beside = palloc0(sizeof(Beside));
	Jsonb *params = sdcpg_params_object(protect, "params");
	char *cell = sdcpg_params_text(params, "cell");

	beside->staging = staging;
	beside->original = original;
	beside->protect = protect;
	beside->keys = sdcpg_policy_table_all_keys(protect);
	beside->value = sdcpg_params_text(protect, "value");
	beside->means = cell != NULL && strcmp(cell, SDC_TABULAR_MEAN) == 0;
	beside->cells =
		quote_identifier(sdcpg_params_renamed(params, "names", "value"));
	beside->count =
		quote_identifier(sdcpg_params_renamed(params, "names", "count"));
	make_truth(beside);
	beside->known = next_table(beside);
	run_sql(psprintf("CREATE UNLOGGED TABLE %s AS SELECT %s, t.%s AS lowest,"
					 " t.%s AS highest, 0 AS rows_of, 0 AS by_keys"
					 " FROM %s AS t LIMIT 0",
					 beside->known, key_list(beside, "t"), beside->cells,
					 beside->cells, beside->truth));
	beside->cover = next_table(beside);
	run_sql(psprintf("CREATE UNLOGGED TABLE %s (key_no int, label text)",
					 beside->cover));
	return beside;
}

/* ----------------------------------------------------------------------
 * What rows tell of the cells
 * ----------------------------------------------------------------------
 */

/* The name of the column with what a key is a part of. */
static const char *
parent_of(const char *key)
{
	return quote_identifier(sdcpg_table_parent_name(key));
}

/* Is a key one of a set? */
static bool
is_in(uint32 set, int j)
{
	return (set & (1U << j)) != 0;
}

/* The j-th key, as in SQL. */
static const char *
key_of(const Beside *beside, int j)
{
	return quote_identifier(list_nth(beside->keys, j));
}

/* The cells by a set of keys in words: "those by region, branch". */
static char *
set_names(const Beside *beside, uint32 set)
{
	StringInfoData names;
	int j;

	initStringInfo(&names);
	for (j = 0; j < list_length(beside->keys); j++)
		if (is_in(set, j))
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 (char *) list_nth(beside->keys, j));
	return names.len > 0 ? psprintf("those by %s", names.data) : "the total";
}

/*
 * For each key of a set, the labels that a label of the rows is counted in
 * (m): itself, and all that it is a part of in the table.
 */
static void
append_maps(StringInfo sql, const Beside *beside, uint32 set)
{
	int j;

	for (j = 0; j < list_length(beside->keys); j++)
		if (is_in(set, j))
			appendStringInfo(
				sql,
				"p%d AS MATERIALIZED (SELECT DISTINCT t.%s AS label,"
				" t.%s AS parent FROM %s AS t),"
				" m%d AS (SELECT p.label AS fine, p.label FROM p%d AS p"
				" UNION SELECT m.fine, p.parent FROM m%d AS m JOIN p%d AS p"
				" ON p.label = m.label WHERE p.parent IS NOT NULL), ",
				j, key_of(beside, j), parent_of(list_nth(beside->keys, j)),
				beside->truth, j, j, j, j);
}

/* GROUP BY the first columns, as many as a set has keys. */
static void
append_group_by(StringInfo sql, uint32 set)
{
	int k;

	for (k = 1; k <= pg_popcount32(set); k++)
		appendStringInfo(sql, k > 1 ? ", %d" : " GROUP BY %d", k);
}

/* Reads the rows once: by the labels that they have of a set of keys. */
static void
make_tally(Beside *beside, Rows *rows, uint32 set)
{
	StringInfoData sql;
	int j;

	rows->tally = next_table(beside);
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE UNLOGGED TABLE %s AS SELECT ", rows->tally);
	for (j = 0; j < list_length(beside->keys); j++)
		/* as protect_table calls NULL, and prints values */
		if (is_in(set, j))
			appendStringInfo(&sql,
							 "CASE WHEN r.%s IS NULL THEN '(null)'"
							 " ELSE concat(r.%s) END AS k%d, ",
							 key_of(beside, j), key_of(beside, j), j);
	if (beside->value == NULL)
		appendStringInfoString(&sql, "count(*)");
	else
		appendStringInfo(&sql, "COALESCE(sum(CAST(r.%s AS numeric)), 0)",
						 quote_identifier(beside->value));
	appendStringInfo(&sql, " AS n FROM %s AS r", rows->table->sql);
	append_group_by(&sql, set);
	(void) run_sql(sql.data);
}

/* The same by fewer of the keys (g). */
static void
append_groups(StringInfo sql, const Beside *beside, const Rows *rows,
			  uint32 set)
{
	int j;

	appendStringInfoString(sql, "g AS (SELECT ");
	for (j = 0; j < list_length(beside->keys); j++)
		if (is_in(set, j))
			appendStringInfo(sql, "r.k%d, ", j);
	appendStringInfo(sql, "COALESCE(sum(r.n), 0) AS n FROM %s AS r",
					 rows->tally);
	append_group_by(sql, set);
	appendStringInfoString(sql, "), ");
}

/* The same by all labels (a). */
static void
append_sums(StringInfo sql, const Beside *beside, uint32 set)
{
	StringInfoData joins;
	StringInfoData labels;
	int j;

	initStringInfo(&joins);
	initStringInfo(&labels);
	appendStringInfoString(sql, "a AS (SELECT ");
	for (j = 0; j < list_length(beside->keys); j++)
		if (is_in(set, j))
		{
			appendStringInfo(sql, "m%d.label AS k%d, ", j, j);
			appendStringInfo(&joins, " JOIN m%d ON m%d.fine = g.k%d", j, j, j);
			appendStringInfo(&labels, "%sm%d.label",
							 labels.len > 0 ? ", " : " GROUP BY ", j);
		}
	appendStringInfo(sql, "sum(g.n) AS n FROM g%s%s), ", joins.data,
					 labels.data);
}

/* Conditions that a cell (t) is at the total of all keys but some. */
static char *
others_at_total(const Beside *beside, uint32 set)
{
	StringInfoData where;
	int j;

	initStringInfo(&where);
	for (j = 0; j < list_length(beside->keys); j++)
		if (!is_in(set, j))
			appendStringInfo(&where, " AND t.%s IS NULL",
							 parent_of(list_nth(beside->keys, j)));
	return where.data;
}

/*
 * The cells by these keys, at the total of others, beside what rows give of
 * them: is it all?  A mask may have made NULL of anything, so that what is
 * NULL is unsure.  Covered are cells whose labels rows have all of.
 */
static void
append_cells(StringInfo sql, const Beside *beside, uint32 set)
{
	StringInfoData join;
	StringInfoData unsure;
	StringInfoData covered;
	int j;

	initStringInfo(&join);
	initStringInfo(&unsure);
	initStringInfo(&covered);
	for (j = 0; j < list_length(beside->keys); j++)
		if (is_in(set, j))
		{
			const char *key = key_of(beside, j);

			appendStringInfo(&join, " AND a.k%d = t.%s", j, key);
			appendStringInfo(&unsure, " OR t.%s = '(null)'", key);
			appendStringInfo(&covered,
							 " AND t.%s IN (SELECT s.label FROM %s AS s"
							 " WHERE s.key_no = %d)",
							 key, beside->cover, j);
		}
	appendStringInfo(
		sql,
		"b AS (SELECT DISTINCT %s, COALESCE(t.%s, 0) AS value,"
		" COALESCE(a.n, 0) AS n, (false%s) AS unsure, (true%s) AS covered"
		" FROM %s AS t LEFT JOIN a ON true%s WHERE true%s),"
		" c AS MATERIALIZED (SELECT b.*, abs(b.n - b.value) <= " SAME
		" * b.value AS same, b.n > b.value * (1 + " SAME ") AS more FROM b), ",
		key_list(beside, "t"), beside->cells, unsure.data, covered.data,
		beside->truth, join.data, others_at_total(beside, set));
}

/* All of these, as far as c. */
static void
append_comparison(StringInfo sql, const Beside *beside, const Rows *rows,
				  uint32 set)
{
	CHECK_FOR_INTERRUPTS();
	initStringInfo(sql);
	appendStringInfoString(sql, "WITH RECURSIVE ");
	append_maps(sql, beside, set);
	append_groups(sql, beside, rows, set);
	append_sums(sql, beside, set);
	append_cells(sql, beside, set);
}

/*
 * Finds the labels of a key that rows have all of.  Rows are missing, or have
 * NULL for some: then nobody knows under which labels, unless under none.
 * False: rows have more of a label than there is, so the key was changed.
 */
static bool
cover_key(const Beside *beside, const Rows *rows, int j)
{
	StringInfoData sql;

	append_comparison(&sql, beside, rows, 1U << j);
	appendStringInfo(
		&sql,
		"v AS (SELECT bool_and(c.same) OR (%s AND NOT bool_or(c.more))"
		" AS exact, bool_or(c.more AND NOT c.unsure) AS more FROM c)"
		" INSERT INTO %s SELECT %d, NULL FROM v WHERE NOT v.more"
		" UNION ALL SELECT %d, c.%s FROM c, v"
		" WHERE NOT v.more AND v.exact AND c.same",
		rows->all ? "true" : "false", beside->cover, j, j, key_of(beside, j));
	return run_sql(sql.data) > 0;
}

/*
 * Writes down what rows tell of the cells by a set of keys; false: nothing.
 * Cells that they cover are known exactly if the rows give all of them.
 */
static bool
learn_set(const Beside *beside, const Rows *rows, int number, uint32 set)
{
	StringInfoData sql;

	append_comparison(&sql, beside, rows, set);
	appendStringInfo(
		&sql,
		"v AS (SELECT bool_and(c.same) FILTER (WHERE c.covered) AS exact,"
		" bool_or(c.more AND NOT c.unsure) AS more FROM c)"
		" INSERT INTO %s SELECT %s,"
		" CASE WHEN v.exact AND c.covered THEN c.value"
		" ELSE LEAST(c.n, c.value) END,"
		" CASE WHEN v.exact AND c.covered THEN c.value END, %d, %u FROM c, v"
		" WHERE (v.exact AND c.covered)"
		" OR (%s AND NOT v.more AND NOT c.unsure AND c.n > 0)",
		beside->known, key_list(beside, "c"), number, set,
		rows->values ? "true" : "false");
	return run_sql(sql.data) > 0;
}

/*
 * Was what rows told of the cells by a set of keys exact, and of all of them?
 * *certain: exact as far as it goes.
 */
static bool
is_exact(const Beside *beside, int number, uint32 set, bool *certain)
{
	SdcCatalogRows *rows = read_sql(
		psprintf("SELECT count(k.highest) = count(*), count(k.highest) ="
				 " (SELECT count(*) FROM (SELECT DISTINCT %s FROM %s AS t"
				 " WHERE true%s) AS d) FROM %s AS k"
				 " WHERE k.rows_of = %d AND k.by_keys = %u",
				 key_list(beside, "t"), beside->truth,
				 others_at_total(beside, set), beside->known, number, set));

	*certain = DatumGetBool(rows->value[0][0]);
	return DatumGetBool(rows->value[0][1]);
}

/* The keys that the rows have, as bits. */
static uint32
keys_of(const Beside *beside, const Rows *rows)
{
	uint32 set = 0;
	int j;

	for (j = 0; j < list_length(beside->keys); j++)
	{
		char *key = list_nth(beside->keys, j);

		if (sdcpg_params_is_listed(rows->columns, key) &&
			get_attnum(rows->table->oid, key) > 0)
			set |= 1U << j;
	}
	return set;
}

/* Have the rows numbers in the column that is summed? */
static bool
has_value(const Beside *beside, const Rows *rows)
{
	return beside->value == NULL ||
		   (sdcpg_params_is_listed(rows->columns, beside->value) &&
			get_attnum(rows->table->oid, beside->value) > 0 &&
			sdcpg_number_is_arithmetic(
				sdcpg_relation_column(rows->table, beside->value).base));
}

/*
 * Are the values of the rows some of those of the original?  Then a sum of
 * them is no more than that of all: nobody contributes less than 0.
 */
static bool
has_true_values(const Beside *beside, const Rows *rows)
{
	const char *value;

	if (beside->value == NULL)
		return true;
	value = quote_identifier(beside->value);
	return read_sql(psprintf("SELECT CAST(r.%s AS numeric) FROM %s AS r"
							 " WHERE r.%s IS NOT NULL EXCEPT ALL"
							 " SELECT CAST(r.%s AS numeric) FROM %s AS r"
							 " LIMIT 1",
							 value, rows->table->sql, value, value,
							 beside->original->sql))
			   ->count == 0;
}

/* How many rows a relation has. */
static int64
count_rows(const SdcRelation *relation)
{
	return DatumGetInt64(
		read_sql(psprintf("SELECT count(*) FROM %s", relation->sql))
			->value[0][0]);
}

/* Learns what a set of keys tells; adds it to a sentence.  Is it certain? */
static bool
learn_and_tell(StringInfo told, const Beside *beside, const Rows *rows,
			   int number, uint32 set)
{
	bool certain;
	bool exact;

	if (!learn_set(beside, rows, number, set))
		return false;
	exact = is_exact(beside, number, set, &certain);
	appendStringInfo(told, "%s%s %s", told->len > 0 ? ", " : "",
					 set_names(beside, set), exact ? "exactly" : "in part");
	return certain;
}

/*
 * What somebody learns of the cells who has rows, as the end of a sentence;
 * NULL: nothing.  All keys that tell something at once come first, as mostly
 * they tell all.
 */
static char *
learn(Beside *beside, Rows *rows, int number)
{
	uint32 keys = keys_of(beside, rows);
	int tries = 0;
	StringInfoData told;
	int size;
	uint32 set;
	int j;

	if (!has_value(beside, rows))
		return NULL;
	make_tally(beside, rows, keys);
	rows->values = has_true_values(beside, rows);
	rows->all = count_rows(rows->table) == count_rows(beside->original);
	(void) run_sql(psprintf("DELETE FROM %s", beside->cover));
	for (j = 0; j < list_length(beside->keys); j++)
		if (is_in(keys, j) && !cover_key(beside, rows, j))
			keys &= ~(1U << j);
	initStringInfo(&told);
	if (learn_and_tell(&told, beside, rows, number, keys))
		return told.data;
	for (size = 0; size < pg_popcount32(keys); size++)
		for (set = 0; set < keys && tries < MOST_SETS; set++)
			if ((set & ~keys) == 0 && pg_popcount32(set) == size)
			{
				tries++;
				(void) learn_and_tell(&told, beside, rows, number, set);
			}
	return told.len > 0 ? told.data : NULL;
}

/* ----------------------------------------------------------------------
 * A table of cells is released beside rows
 * ----------------------------------------------------------------------
 */

List *
sdcpg_beside_rows(SdcStaging *staging, const char *policy, SdcGateCase *of)
{
	List *others;
	Beside *beside;
	StringInfoData sentence;
	int number = 0;
	ListCell *cell;

	if (of->protect == NULL)
		return NIL;
	others = list_published(staging, policy, false);
	if (others == NIL)
		return NIL;
	beside = begin(staging, staging->original, of->protect);
	initStringInfo(&sentence);
	foreach (cell, others)
	{
		const Other *other = lfirst(cell);
		Rows rows = {sdcpg_relation_find(other->table), other->columns};
		char *told = learn(beside, &rows, ++number);

		if (told != NULL)
			appendStringInfo(
				&sentence,
				" Who has %s of policy \"%s\", too, knows of the cells: %s.",
				rows.table->sql, other->policy, told);
	}
	if (sentence.len > 0)
	{
		of->known = beside->known;
		of->beside = sentence.data;
	}
	return beside->made;
}

/* ----------------------------------------------------------------------
 * Rows are released beside tables of cells
 * ----------------------------------------------------------------------
 */

/* Has the table of cells several in one? */
static bool
has_numbers(const Beside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");

	return params != NULL && sdcpg_params_has(params, "linked");
}

/*
 * The value of a cell (t) as readers would see it now, where p is the cell
 * that is out.  What it hides stays hidden, but for counts of 0, which never
 * are; means are those of the respondents of then.
 */
static char *
shown_value(const Beside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");
	char *method = sdcpg_params_text(params, "method");

	if (beside->means)
		return psprintf("round(t.%s / NULLIF(p.%s, 0), %d) AS %s, p.%s",
						beside->cells, beside->count,
						(int) sdcpg_params_integer(params, "digits",
												   SDC_TABULAR_DIGITS, 0, 12),
						beside->cells, beside->count);
	if (method != NULL && strcmp(method, "suppress") != 0)
		return psprintf("t.%s", beside->cells);
	return psprintf(
		"CASE WHEN p.%s IS NOT NULL AND p.%s IS NULL%s THEN NULL"
		" ELSE t.%s END AS %s",
		key_of(beside, 0), beside->cells,
		beside->value == NULL ? psprintf(" AND t.%s > 0", beside->cells) : "",
		beside->cells, beside->cells);
}

/* The table of cells that is out, as it would stand with the values of now. */
static char *
make_shown(Beside *beside, const SdcRelation *published)
{
	char *shown = next_table(beside);
	StringInfoData join;
	StringInfoData columns;
	int j;

	initStringInfo(&join);
	initStringInfo(&columns);
	for (j = 0; j < list_length(beside->keys); j++)
	{
		const char *key = key_of(beside, j);

		appendStringInfo(&columns, "t.%s, t.%s, ", key,
						 parent_of(list_nth(beside->keys, j)));
		appendStringInfo(&join, "%sp.%s = t.%s", j > 0 ? " AND " : "", key,
						 key);
	}
	if (has_numbers(beside))
	{
		appendStringInfoString(&columns, "t." SDC_TABULAR_NUMBER ", ");
		appendStringInfoString(&join, " AND p." SDC_TABULAR_NUMBER
									  " = t." SDC_TABULAR_NUMBER);
	}
	(void) run_sql(psprintf("CREATE UNLOGGED TABLE %s AS SELECT %s%s"
							" FROM %s AS t LEFT JOIN %s AS p ON %s",
							shown, columns.data, shown_value(beside),
							beside->truth, published->sql, join.data));
	return shown;
}

/* Does a constraint say what nobody may compute of one table? */
static bool
is_of_intervals(const SdcGateConstraint *constraint)
{
	return constraint->kind == SDC_GATE_TABLE &&
		   (strcmp(constraint->word, "exact") == 0 ||
			strcmp(constraint->word, "narrowest") == 0);
}

/* Those of them that a table of cells has. */
static SdcGate
gate_of(const Other *other)
{
	SdcGate gate = sdcpg_gate_read(other->relation.constraints);
	int count = 0;
	int i;

	for (i = 0; i < gate.count; i++)
		if (is_of_intervals(&gate.constraint[i]))
			gate.constraint[count++] = gate.constraint[i];
	gate.count = count;
	return gate;
}

/* What somebody finds of a table of cells; known: with the rows. */
static SdcGateResult *
judge_cells(const Other *other, const SdcGate *gate, const char *shown,
			const char *known)
{
	SdcGateCase *of =
		sdcpg_gate_case(&other->relation, sdcpg_relation_oid(shown));

	of->known = known;
	return sdcpg_gate_evaluate(gate, of);
}

/* Adds what was found of a table of cells to what was of the rows. */
static SdcGateResult *
add_result(SdcGate *gate, SdcGateResult *results, const SdcGateResult *found,
		   const Other *other)
{
	SdcGateConstraint *added;
	SdcGateResult *result;
	int i;

	gate->constraint = repalloc(gate->constraint,
								sizeof(SdcGateConstraint) * (gate->count + 1));
	results = repalloc(results, sizeof(SdcGateResult) * (gate->count + 2));
	for (i = 0; i < gate->count; i++)
		results[i].constraint = &gate->constraint[i];
	added = &gate->constraint[gate->count];
	result = &results[gate->count];
	*added = *found->constraint;
	added->place = ++gate->count;
	added->sentence =
		psprintf("%s of policy \"%s\"", added->sentence, other->policy);
	*result = *found;
	result->constraint = added;
	result->detail = psprintf("Of %s: %s", other->target, found->detail);
	return results;
}

/* A table of cells that is judged by who has rows as well. */
typedef struct Judging
{
	SdcStaging *staging;
	const Other *other;
	SdcGate gate; /* of the table of cells */
	char *told;   /* what rows tell; NULL: nothing */
	SdcGateResult *found;
	SdcGateResult *alone; /* without the rows; NULL: not looked for */
} Judging;

/* Leaves nothing but what was found. */
static bool
judge_other(void *arg)
{
	Judging *judging = arg;
	const SdcStaging *staging = judging->staging;
	const Other *other = judging->other;
	Rows rows = {staging->release, staging->published};
	Beside *beside;
	char *shown;
	int i;

	/* one that goes with the subtransaction, as those after it will */
	PushActiveSnapshot(GetTransactionSnapshot());
	beside = begin(staging, staging->original, other->protect);
	judging->told = learn(beside, &rows, 1);
	if (judging->told != NULL)
	{
		shown = make_shown(beside, sdcpg_relation_find(other->table));
		judging->found =
			judge_cells(other, &judging->gate, shown, beside->known);
		for (i = 0; i < judging->gate.count && judging->alone == NULL; i++)
			if (!judging->found[i].passed)
				judging->alone =
					judge_cells(other, &judging->gate, shown, NULL);
	}
	PopActiveSnapshot();
	return false;
}

/*
 * Adds what was found of a table of cells to a gate.  What it gives away by
 * itself is not to be laid to the rows; one that cannot be made again, as a
 * column of it is gone, does not pass.
 */
static SdcGateResult *
add_results(const Judging *judging, const ErrorData *failure, SdcGate *gate,
			SdcGateResult *results)
{
	int i;

	for (i = 0; i < judging->gate.count; i++)
	{
		SdcGateResult result = {&judging->gate.constraint[i], NAN};

		if (failure != NULL)
			result.detail = psprintf(
				"Its cells cannot be made again to be attacked with these "
				"rows, by an error (SQLSTATE %s). Release it anew, or drop "
				"it.",
				unpack_sql_state(failure->sqlerrcode));
		else if (judging->told == NULL ||
				 (!judging->found[i].passed && !judging->alone[i].passed))
			continue;
		else
		{
			result = judging->found[i];
			result.detail = psprintf("%s Who has these rows, too, knows of "
									 "its cells: %s.",
									 result.detail, judging->told);
		}
		results = add_result(gate, results, &result, judging->other);
	}
	return results;
}

SdcGateResult *
sdcpg_beside_tables(SdcStaging *staging, const char *policy,
					const SdcGateCase *of, SdcGate *gate,
					SdcGateResult *results)
{
	ListCell *cell;

	if (of->protect != NULL ||
		makes_records(staging->policy, staging->original))
		return results;
	foreach (cell, list_published(staging, policy, true))
	{
		Judging judging = {staging, lfirst(cell)};
		ErrorData *failure;

		judging.gate = gate_of(judging.other);
		if (judging.gate.count == 0)
			continue;
		failure =
			sdcpg_error_attempt(CurrentMemoryContext, judge_other, &judging);
		if (failure != NULL && sdcpg_error_is_of_server(failure))
			ReThrowError(failure);
		results = add_results(&judging, failure, gate, results);
	}
	return results;
}
