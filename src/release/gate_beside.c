/*
 * gate_beside.c
 *		Tables of cells and rows that one owner publishes of one relation: what
 *		somebody knows of the cells who has the others as well.
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
 * Who has a table of cells of another policy has its cells, too: those that
 * are what they were, as far as the labels are the same.  Where both tables
 * hide cells they are attacked together, else the other one by itself.
 *
 * What so is known narrows the intervals of the attack on the table.  The
 * table is attacked as it is when it is released; when rows or cells are
 * released after it, as the values of now would stand in it, with the same
 * cells hidden.
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
#include "release/history.h"
#include "release/policy.h"
#include "release/publish.h"
#include "release/seal.h"
#include "topic/generalization/hierarchy.h"
#include "topic/mask/rules.h"
#include "topic/tabular/tabular_topic.h"

/* Sets of keys that are tried: all of six keys. */
#define MOST_SETS 64

/* Sums are equal within this share. */
#define SAME "1e-9"

typedef SdcPublishedBeside Other;

/* A table of cells, and what is compared with it. */
typedef struct Beside
{
	const SdcStaging *staging; /* where tables are made */
	const SdcRelation *original;
	Jsonb *protect;
	List *keys;  /* char * */
	char *value; /* the column that is summed; NULL: rows are counted */
	bool means;
	const char *name;  /* the column of the values of cells */
	const char *cells; /* the same as in SQL */
	const char *count; /* and of their respondents, of means */
	char *truth;       /* the table of all cells, as SQL */
	char *known;       /* that of what rows tell of them */
	char *cover;       /* that of labels under which rows have all */
	char *labels;      /* that of what labels of rows are parts of */
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
gate_of(const SdcPolicyRelation *relation)
{
	SdcGate gate = sdcpg_gate_read(relation->constraints);
	int count = 0;
	int i;

	for (i = 0; i < gate.count; i++)
		if (is_of_intervals(&gate.constraint[i]))
			gate.constraint[count++] = gate.constraint[i];
	gate.count = count;
	return gate;
}

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

/*
 * The tables that other policies have published of the relation: of cells, or
 * of rows; not of policies whose tables nobody has who gets this one.
 */
static List *
list_published(const SdcStaging *staging, const char *policy, bool cells)
{
	List *others = NIL;
	ListCell *cell;

	foreach (cell, sdcpg_history_beside(policy, staging->original->sql))
	{
		Other *other = lfirst(cell);

		other->relation.oid = staging->original->oid;
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
params_of_truth(const Beside *beside)
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
	beside->name = sdcpg_params_renamed(params, "names", "value");
	beside->cells = quote_identifier(beside->name);
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

/* Adds the labels of a key of the table, and what they are parts of. */
static void
add_labels(const Beside *beside, int j)
{
	(void) run_sql(psprintf("INSERT INTO %s SELECT DISTINCT %d, t.%s, t.%s"
							" FROM %s AS t",
							beside->labels, j, key_of(beside, j),
							parent_of(list_nth(beside->keys, j)),
							beside->truth));
}

/*
 * The same of finer levels, down to the values, where the table begins at
 * groups: everybody knows which group a value is in.  object is params, or one
 * of the linked.
 */
static void
add_finer_labels(const Beside *beside, Jsonb *object, int j)
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
		(void) run_sql(psprintf(
			"INSERT INTO %s SELECT DISTINCT %d, %s,"
			" sdc.generalize(r.v, %s, %d) FROM (SELECT DISTINCT r.%s AS v"
			" FROM %s AS r) AS r WHERE r.v IS NOT NULL",
			beside->labels, j,
			level == 0 ? "concat(r.v)"
					   : psprintf("sdc.generalize(r.v, %s, %d)",
								  quote_literal_cstr(hierarchy), level),
			quote_literal_cstr(hierarchy), lowest, key_of(beside, j),
			beside->original->sql));
}

/* All labels of all keys. */
static void
make_labels(Beside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");
	List *linked =
		params == NULL
			? NIL
			: sdcpg_document_elements(sdcpg_document_part(params, "linked"));
	ListCell *item;
	int j;

	beside->labels = next_table(beside);
	(void) run_sql(psprintf("CREATE UNLOGGED TABLE %s (key_no int, label text,"
							" parent text)",
							beside->labels));
	for (j = 0; j < list_length(beside->keys); j++)
	{
		add_labels(beside, j);
		add_finer_labels(beside, params, j);
		foreach (item, linked)
			add_finer_labels(beside, lfirst(item), j);
	}
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
				"p%d AS MATERIALIZED (SELECT l.label, l.parent FROM %s AS l"
				" WHERE l.key_no = %d),"
				" m%d AS (SELECT p.label AS fine, p.label FROM p%d AS p"
				" UNION SELECT m.fine, p.parent FROM m%d AS m JOIN p%d AS p"
				" ON p.label = m.label WHERE p.parent IS NOT NULL), ",
				j, beside->labels, j, j, j, j, j);
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
	if (beside->labels == NULL)
		make_labels(beside);
	make_tally(beside, rows, keys);
	rows->values = has_true_values(beside, rows);
	rows->all = DatumGetBool(
		read_sql(psprintf("SELECT (SELECT count(*) FROM %s)"
						  " = (SELECT count(*) FROM %s)",
						  rows->table->sql, beside->original->sql))
			->value[0][0]);
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
 * What a table of cells of another policy tells
 * ----------------------------------------------------------------------
 */

/* Has the table of cells several in one? */
static bool
has_numbers(const Beside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");

	return params != NULL && sdcpg_params_has(params, "linked");
}

/* The columns that say which cell a row is about: char *. */
static List *
cell_columns(const Beside *beside)
{
	List *columns = list_copy(beside->keys);

	return has_numbers(beside) ? lappend(columns, SDC_TABULAR_NUMBER)
							   : columns;
}

/* The condition that rows of two tables, by their aliases, are of one cell. */
static char *
same_cell(const Beside *beside, const char *a, const char *b)
{
	StringInfoData join;
	ListCell *cell;

	initStringInfo(&join);
	foreach (cell, cell_columns(beside))
	{
		const char *name = quote_identifier(lfirst(cell));

		appendStringInfo(&join, "%s%s.%s = %s.%s", join.len > 0 ? " AND " : "",
						 a, name, b, name);
	}
	return join.data;
}

/* The label of the totals of a table. */
static const char *
total_of(const Beside *beside)
{
	char *total = sdcpg_params_text(
		sdcpg_params_object(beside->protect, "params"), "total");

	return total == NULL ? SDC_TABULAR_TOTAL : total;
}

/*
 * Are both counts, or of the same column?  Means have counts beside them, and
 * so are sums.
 */
static bool
has_same_values(const Beside *beside, const Beside *other)
{
	if (beside->value == NULL)
		return other->value == NULL || other->means;
	return other->value != NULL && strcmp(beside->value, other->value) == 0;
}

/* What a cell that is out (p) would show of the values of now (t). */
static char *
value_now(const Beside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");

	if (!beside->means)
		return psprintf("t.%s", beside->cells);
	return psprintf("round(t.%s / NULLIF(p.%s, 0), %d)", beside->cells,
					beside->count,
					(int) sdcpg_params_integer(params, "digits",
											   SDC_TABULAR_DIGITS, 0, 12));
}

/*
 * The table that is out of another policy, with columns and totals called as
 * in the first one.  Of true values it has those that are the values of now,
 * of means their sums, or beside counts their counts.
 */
static char *
make_copy(const Beside *beside, Beside *other, const SdcRelation *published)
{
	char *copy = next_table(other);
	const char *value = psprintf("p.%s", other->cells);
	StringInfoData columns;
	int j;

	if (other->means && beside->value == NULL)
		value = psprintf("p.%s", other->count);
	else if (sdcpg_gate_table_hides(other->protect))
		value = psprintf("CASE WHEN p.%s = %s THEN t.%s END", other->cells,
						 value_now(other), other->cells);

	initStringInfo(&columns);
	for (j = 0; j < 2 * list_length(other->keys); j++)
	{
		char *key = list_nth(other->keys, j / 2);
		const char *name = j % 2 == 0 ? quote_identifier(key) : parent_of(key);

		appendStringInfo(&columns,
						 "CASE WHEN p.%s = %s THEN %s ELSE p.%s END AS %s, ",
						 name, quote_literal_cstr(total_of(other)),
						 quote_literal_cstr(total_of(beside)), name, name);
	}
	if (has_numbers(other))
		appendStringInfoString(&columns, "p." SDC_TABULAR_NUMBER ", ");
	(void) run_sql(psprintf("CREATE UNLOGGED TABLE %s AS SELECT %s%s AS %s"
							" FROM %s AS p JOIN %s AS t ON %s",
							copy, columns.data, value, beside->cells,
							published->sql, other->truth,
							same_cell(other, "p", "t")));
	return copy;
}

/*
 * What a reader of a table knows, unless of is NULL, and of a further one:
 * params of an attack.
 */
static char *
params_with(const SdcGateCase *of, const Beside *beside, const char *copy)
{
	Jsonb *known;
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "total", total_of(beside));
	if (copy != NULL)
	{
		sdcpg_document_text(&document, "known", beside->known);
		sdcpg_document_open(&document, "with", '[');
		sdcpg_document_text(&document, NULL, copy);
		sdcpg_document_close(&document, '[');
	}
	sdcpg_document_close(&document, '{');
	known = sdcpg_document_end(&document);
	if (of != NULL)
		known = DatumGetJsonbP(
			DirectFunctionCall2(jsonb_concat,
								JsonbPGetDatum(sdcpg_table_params_without(
									sdcpg_table_params_without(
										sdcpg_gate_table_known(of), "change"),
									"earlier")),
								JsonbPGetDatum(known)));
	return quote_literal_cstr(
		JsonbToCString(NULL, &known->root, VARSIZE(known)));
}

/* An attack on a table by some keys, as SQL. */
static char *
attack_of(const Beside *beside, const char *table, List *keys,
		  const char *params)
{
	StringInfoData names;
	ListCell *cell;

	initStringInfo(&names);
	foreach (cell, keys)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
						 quote_literal_cstr(lfirst(cell)));
	return psprintf("sdc.attack_table(%s::regclass, ARRAY[%s]::name[], %s,"
					" %s::jsonb)",
					quote_literal_cstr(table), names.data,
					quote_literal_cstr(beside->name), params);
}

/*
 * The bounds of cells (a) that an attack finds, and the cells that a copy
 * shows, by the keys of both tables; a key that one of them does not have is
 * at its total.
 */
static void
append_bounds(StringInfo sql, const Beside *beside, const Beside *other,
			  const char *attack, const char *copy, List *keys)
{
	const char *total = quote_literal_cstr(total_of(beside));
	StringInfoData found;
	StringInfoData shown;
	ListCell *cell;

	initStringInfo(&found);
	initStringInfo(&shown);
	foreach (cell, keys)
	{
		const char *name = quote_identifier(lfirst(cell));
		bool has = sdcpg_params_is_listed(other->keys, lfirst(cell));

		appendStringInfo(&found, "COALESCE(a.cell->>%s, %s) AS %s, ",
						 quote_literal_cstr(lfirst(cell)), total, name);
		appendStringInfo(&shown, "%s%s, ", has ? "c." : "",
						 has ? name : total);
	}
	appendStringInfo(sql,
					 "WITH a AS (SELECT %sa.lowest, a.highest FROM %s AS a",
					 found.data, attack);
	if (sdcpg_gate_table_hides(other->protect))
		appendStringInfo(sql,
						 " UNION ALL SELECT %sc.%s, c.%s FROM %s AS c"
						 " WHERE c.%s IS NOT NULL",
						 shown.data, beside->cells, beside->cells, copy,
						 beside->cells);
	appendStringInfoString(sql, ") ");
}

/* Adds those bounds to what is known of the cells. */
static void
append_learned(StringInfo sql, const Beside *beside, List *keys)
{
	ListCell *cell;
	const char *value = beside->cells;

	appendStringInfo(sql,
					 "INSERT INTO %s SELECT DISTINCT %s, a.lowest, a.highest,"
					 " 0, 0 FROM a JOIN %s AS t ON true",
					 beside->known, key_list(beside, "t"), beside->truth);
	foreach (cell, beside->keys)
		appendStringInfo(sql, " AND a.%s = t.%s",
						 quote_identifier(lfirst(cell)),
						 quote_identifier(lfirst(cell)));
	appendStringInfo(sql,
					 " WHERE t.%s BETWEEN a.lowest - 1e-6 - " SAME
					 " * t.%s AND"
					 " COALESCE(a.highest, t.%s) + 1e-6 + " SAME " * t.%s",
					 value, value, value, value);
	foreach (cell, keys)
		if (!sdcpg_params_is_listed(beside->keys, lfirst(cell)))
			appendStringInfo(sql, " AND a.%s = %s",
							 quote_identifier(lfirst(cell)),
							 quote_literal_cstr(total_of(beside)));
}

/*
 * Writes down what the table of another policy tells of the cells of a table,
 * which is judged as a case.  Bounds that the true value is not in are of
 * other records, or of a label that means something else there, on which an
 * attack on both together fails.  Returns how many cells it tells of.
 */
static uint64
learn_cells(Beside *beside, const SdcGateCase *of, const char *table,
			const Other *policy, bool apart)
{
	const SdcRelation *published = sdcpg_relation_find(policy->table);
	Beside *other = begin(beside->staging, beside->original, policy->protect);
	List *keys = list_copy(beside->keys);
	uint64 cells = 0;

	if (has_same_values(beside, other))
	{
		char *copy = make_copy(beside, other, published);
		bool together = !apart && !beside->means &&
						sdcpg_gate_table_hides(beside->protect) &&
						sdcpg_gate_table_hides(other->protect);
		SdcGateCase *alone =
			other->means ? NULL
						 : sdcpg_gate_case(&policy->relation, policy->table);
		ListCell *cell;
		StringInfoData sql;

		foreach (cell, other->keys)
			if (!sdcpg_params_is_listed(keys, lfirst(cell)))
				keys = lappend(keys, lfirst(cell));
		initStringInfo(&sql);
		together = together && list_length(keys) <= SDC_CUBE_MAX_DIMENSIONS;
		append_bounds(&sql, beside, other,
					  together ? attack_of(beside, table, keys,
										   params_with(of, beside, copy))
							   : attack_of(beside, copy, other->keys,
										   params_with(alone, beside, NULL)),
					  copy, keys);
		append_learned(&sql, beside, keys);
		cells = run_sql(sql.data);
	}
	beside->made = list_concat(beside->made, other->made);
	return cells;
}

/* Has a table that is out other values than those of now? */
static bool
is_changed(const Beside *beside, const SdcRelation *published)
{
	return sdcpg_gate_table_hides(beside->protect) &&
		   read_sql(psprintf("SELECT FROM %s AS p JOIN %s AS t ON %s"
							 " WHERE p.%s <> %s LIMIT 1",
							 published->sql, beside->truth,
							 same_cell(beside, "p", "t"), beside->cells,
							 value_now(beside)))
				   ->count > 0;
}

/* ----------------------------------------------------------------------
 * What releases before the last one have shown
 *
 * A release remembers the cells that it hides and that an earlier one has
 * shown with the value that they have in it: whoever kept that one knows them
 * in this one, too.
 * ----------------------------------------------------------------------
 */

/* Is the last release a table that can be compared with this one? */
static bool
can_recall(const Beside *beside, const SdcRelation *last)
{
	ListCell *cell;

	foreach (cell, cell_columns(beside))
		if (get_attnum(last->oid, lfirst(cell)) <= 0)
			return false;
	return get_attnum(last->oid, beside->name) > 0;
}

/* The last release with the cells that it remembers. */
static char *
recall(Beside *beside, const char *last, Jsonb *told)
{
	char *earlier = next_table(beside);
	StringInfoData columns;
	StringInfoData join;
	ListCell *cell;

	initStringInfo(&columns);
	initStringInfo(&join);
	foreach (cell, beside->keys)
		appendStringInfo(&columns, "p.%s, ", parent_of(lfirst(cell)));
	foreach (cell, cell_columns(beside))
	{
		const char *name = quote_identifier(lfirst(cell));

		appendStringInfo(&columns, "p.%s, ", name);
		appendStringInfo(&join, " AND o.cell->>%s = CAST(p.%s AS text)",
						 quote_literal_cstr(lfirst(cell)), name);
	}
	(void) run_sql(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT %sCOALESCE(p.%s,"
		" CAST(o.cell->>%s AS numeric)) AS %s FROM %s AS p"
		" LEFT JOIN jsonb_array_elements(%s::jsonb) AS o (cell) ON true%s",
		earlier, columns.data, beside->cells, quote_literal_cstr(beside->name),
		beside->cells, last,
		quote_literal_cstr(JsonbToCString(NULL, &told->root, VARSIZE(told))),
		join.data));
	return earlier;
}

/* The cells that a release is to remember; NULL: none. */
static Jsonb *
find_told(const Beside *beside, const char *staged, const char *earlier)
{
	StringInfoData object;
	SdcCatalogRows *rows;
	ListCell *cell;

	initStringInfo(&object);
	foreach (cell, cell_columns(beside))
		appendStringInfo(&object, "%s, p.%s, ",
						 quote_literal_cstr(lfirst(cell)),
						 quote_identifier(lfirst(cell)));
	rows = read_sql(psprintf(
		"SELECT jsonb_agg(jsonb_build_object(%s%s, t.%s)) FROM %s AS p"
		" JOIN %s AS t ON %s JOIN %s AS e ON %s"
		" WHERE p.%s IS NULL AND e.%s = t.%s",
		object.data, quote_literal_cstr(beside->name), beside->cells, staged,
		beside->truth, same_cell(beside, "p", "t"), earlier,
		same_cell(beside, "e", "t"), beside->cells, beside->cells,
		beside->cells));
	return rows->isnull[0][0] ? NULL : sdcpg_catalog_jsonb(rows, 0, 0);
}

/* Compares with the last release and what it remembers, and remembers more. */
static void
look_back(Beside *beside, SdcStaging *staging, const char *policy,
		  SdcGateCase *of)
{
	SdcPublished last;

	if (of->earlier == NULL || beside->means ||
		!sdcpg_gate_table_hides(of->protect) ||
		!sdcpg_history_published(policy, staging->target, &last) ||
		!can_recall(beside, sdcpg_relation_find(last.table)))
		return;
	if (last.told != NULL)
		of->earlier = recall(beside, of->earlier, last.told);
	staging->told = find_told(beside, staging->masked->sql, of->earlier);
}

/* ----------------------------------------------------------------------
 * A table of cells is released beside rows, or beside other cells
 * ----------------------------------------------------------------------
 */

/* A table of cells that is released, and one of another policy. */
typedef struct Reading
{
	Beside *beside;
	const SdcGateCase *of;
	const Other *other;
	bool apart;   /* each table is attacked by itself */
	uint64 cells; /* it tells something of so many */
} Reading;

/* What it did stays. */
static bool
read_other_cells(void *arg)
{
	Reading *reading = arg;

	/* one that goes with the subtransaction, as those after it will */
	PushActiveSnapshot(GetTransactionSnapshot());
	reading->cells =
		learn_cells(reading->beside, reading->of, reading->of->masked->sql,
					reading->other, reading->apart);
	PopActiveSnapshot();
	return true;
}

/* Learns from the cells of another policy; adds a sentence when that tells. */
static void
learn_from_cells(StringInfo sentence, Beside *beside, const SdcGateCase *of,
				 const Other *other)
{
	Reading reading = {beside, of, other};
	ErrorData *failure =
		sdcpg_error_attempt(CurrentMemoryContext, read_other_cells, &reading);

	if (failure != NULL && !sdcpg_error_is_of_server(failure))
	{
		reading.apart = true;
		failure = sdcpg_error_attempt(CurrentMemoryContext, read_other_cells,
									  &reading);
	}
	/* what it wrote is to be seen */
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
	if (failure != NULL && sdcpg_error_is_of_server(failure))
		ReThrowError(failure);
	if (failure != NULL)
		appendStringInfo(sentence,
						 " It was not attacked together with %s of policy "
						 "\"%s\", by an error (SQLSTATE %s).",
						 other->target, other->policy,
						 unpack_sql_state(failure->sqlerrcode));
	else if (reading.cells > 0)
		appendStringInfo(sentence,
						 " Who has %s of policy \"%s\", too, knows more of "
						 "the cells: what it shows of " UINT64_FORMAT ".",
						 other->target, other->policy, reading.cells);
}

List *
sdcpg_beside_others(SdcStaging *staging, const char *policy, SdcGateCase *of)
{
	List *rows;
	List *cells;
	Beside *beside;
	StringInfoData sentence;
	int number = 0;
	ListCell *item;

	if (of->protect == NULL)
		return NIL;
	rows = list_published(staging, policy, false);
	cells = gate_of(staging->policy).count == 0
				? NIL
				: list_published(staging, policy, true);
	if (rows == NIL && cells == NIL && of->earlier == NULL)
		return NIL;
	beside = begin(staging, staging->original, of->protect);
	look_back(beside, staging, policy, of);
	initStringInfo(&sentence);
	foreach (item, rows)
	{
		const Other *other = lfirst(item);
		Rows seen = {sdcpg_relation_find(other->table), other->columns};
		char *told = learn(beside, &seen, ++number);

		if (told != NULL)
			appendStringInfo(
				&sentence,
				" Who has %s of policy \"%s\", too, knows of the cells: %s.",
				seen.table->sql, other->policy, told);
	}
	foreach (item, cells)
		learn_from_cells(&sentence, beside, of, lfirst(item));
	if (sentence.len > 0)
	{
		of->known = beside->known;
		of->beside = sentence.data;
	}
	return beside->made;
}

/* ----------------------------------------------------------------------
 * Rows or cells are released beside tables of cells
 * ----------------------------------------------------------------------
 */

/*
 * The value of a cell (t) as readers would see it now, where p is the cell
 * that is out.  What it hides stays hidden, but for counts of 0, which never
 * are; means are those of the respondents of then.
 */
static char *
shown_value(const Beside *beside)
{
	if (beside->means)
		return psprintf("%s AS %s, p.%s", value_now(beside), beside->cells,
						beside->count);
	if (!sdcpg_gate_table_hides(beside->protect))
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
	StringInfoData columns;
	int j;

	initStringInfo(&columns);
	for (j = 0; j < list_length(beside->keys); j++)
		appendStringInfo(&columns, "t.%s, t.%s, ", key_of(beside, j),
						 parent_of(list_nth(beside->keys, j)));
	if (has_numbers(beside))
		appendStringInfoString(&columns, "t." SDC_TABULAR_NUMBER ", ");
	(void) run_sql(psprintf("CREATE UNLOGGED TABLE %s AS SELECT %s%s"
							" FROM %s AS t LEFT JOIN %s AS p ON %s",
							shown, columns.data, shown_value(beside),
							beside->truth, published->sql,
							same_cell(beside, "p", "t")));
	return shown;
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

/* A table of cells that is judged by who has what is released as well. */
typedef struct Judging
{
	SdcStaging *staging;
	const Other *other;
	const Other *released; /* cells; NULL: rows */
	bool apart;            /* they are attacked by themselves */
	SdcGate gate;          /* of the table of cells */
	char *told;            /* what that tells; NULL: nothing */
	SdcGateResult *found;
	SdcGateResult *alone; /* without it; NULL: not looked for */
} Judging;

/*
 * What is released tells of a table of cells (shown), as the end of a
 * sentence; NULL: nothing.  Other cells are the values of now: of a table with
 * older ones nobody knows what they were.
 */
static char *
tell(const Judging *judging, Beside *beside, const char *shown)
{
	const SdcStaging *staging = judging->staging;
	Rows rows = {staging->release, staging->published};
	SdcGateCase *of;
	uint64 cells;

	if (judging->released == NULL)
		return learn(beside, &rows, 1);
	if (is_changed(beside, sdcpg_relation_find(judging->other->table)))
		return NULL;
	of = sdcpg_gate_case(&judging->other->relation, sdcpg_relation_oid(shown));
	cells = learn_cells(beside, of, shown, judging->released, judging->apart);
	return cells == 0 ? NULL
					  : psprintf("what is shown of " UINT64_FORMAT, cells);
}

/* Leaves nothing but what was found. */
static bool
judge_other(void *arg)
{
	Judging *judging = arg;
	const Other *other = judging->other;
	Beside *beside;
	char *shown;
	int i;

	/* one that goes with the subtransaction, as those after it will */
	PushActiveSnapshot(GetTransactionSnapshot());
	beside =
		begin(judging->staging, judging->staging->original, other->protect);
	shown = make_shown(beside, sdcpg_relation_find(other->table));
	judging->told = tell(judging, beside, shown);
	if (judging->told != NULL)
	{
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
 * itself is not to be laid to what is released; one that cannot be made again,
 * as a column of it is gone, does not pass.
 */
static SdcGateResult *
add_results(const Judging *judging, const ErrorData *failure, SdcGate *gate,
			SdcGateResult *results)
{
	const char *what = judging->released == NULL ? "rows" : "cells";
	int i;

	for (i = 0; i < judging->gate.count; i++)
	{
		SdcGateResult result = {&judging->gate.constraint[i], NAN};

		if (failure != NULL)
			result.detail = psprintf(
				"Its cells cannot be made again to be attacked with these "
				"%s, by an error (SQLSTATE %s). Release it anew, or drop "
				"it.",
				what, unpack_sql_state(failure->sqlerrcode));
		else if (judging->told == NULL ||
				 (!judging->found[i].passed && !judging->alone[i].passed))
			continue;
		else
		{
			result = judging->found[i];
			result.detail =
				psprintf("%s Who has these %s, too, knows of its cells: %s.",
						 result.detail, what, judging->told);
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
	Other released = {
		.relation = *staging->policy,
		.protect = of->protect,
		.table = staging->masked->oid,
	};
	ListCell *cell;

	if (of->protect == NULL &&
		makes_records(staging->policy, staging->original))
		return results;
	foreach (cell, list_published(staging, policy, true))
	{
		Judging judging = {staging, lfirst(cell),
						   of->protect == NULL ? NULL : &released};
		ErrorData *failure;

		judging.gate = gate_of(&judging.other->relation);
		if (judging.gate.count == 0)
			continue;
		failure =
			sdcpg_error_attempt(CurrentMemoryContext, judge_other, &judging);
		if (failure != NULL && judging.released != NULL &&
			!sdcpg_error_is_of_server(failure))
		{
			judging.apart = true;
			failure = sdcpg_error_attempt(CurrentMemoryContext, judge_other,
										  &judging);
		}
		if (failure != NULL && sdcpg_error_is_of_server(failure))
			ReThrowError(failure);
		results = add_results(&judging, failure, gate, results);
	}
	return results;
}
