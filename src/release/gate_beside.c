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
 * are what they were.  All of them are attacked together (gate_joint.c).
 *
 * What so is known narrows the intervals of the attack on the table.  The
 * table is attacked as it is when it is released; when rows or cells are
 * released after it, as the values of now would stand in it, with the same
 * cells hidden.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/error.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/gate_beside.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/publish.h"
#include "topic/mask/rules.h"
#include "topic/tabular/tabular_topic.h"

/* Sets of keys that are tried: all of six keys. */
#define MOST_SETS 64

typedef SdcPublishedBeside Other;

/* Rows that somebody has. */
typedef struct Rows
{
	const SdcRelation *table;
	List *columns;   /* char *: that he sees */
	Oid of;          /* the relation that they are of */
	const char *sql; /* made: those that are of the relation of the table */
	char *tally;     /* the table of how many, or the sum, by all keys */
	bool all;        /* as many as there are? */
	bool values;     /* are the values some of the true ones? */
} Rows;

/* Does a constraint say what nobody may compute of one table? */
static bool
is_of_intervals(const SdcGateConstraint *constraint)
{
	return constraint->kind == SDC_GATE_TABLE &&
		   (strcmp(constraint->word, "exact") == 0 ||
			strcmp(constraint->word, "narrowest") == 0);
}

/* Is it one on changes since an earlier table? */
static bool
is_of_changes(const SdcGateConstraint *constraint)
{
	return constraint->kind == SDC_GATE_TABLE &&
		   (strcmp(constraint->word, "small_changes") == 0 ||
			strcmp(constraint->word, "exact_together") == 0);
}

/* Those constraints of a table of cells that are so. */
static SdcGate
constraints_of(const SdcPolicyRelation *relation,
			   bool (*is_so)(const SdcGateConstraint *constraint))
{
	SdcGate gate = sdcpg_gate_read(relation->constraints);
	int count = 0;
	int i;

	for (i = 0; i < gate.count; i++)
		if (is_so(&gate.constraint[i]))
			gate.constraint[count++] = gate.constraint[i];
	gate.count = count;
	return gate;
}

static SdcGate
gate_of(const SdcPolicyRelation *relation)
{
	return constraints_of(relation, is_of_intervals);
}

static SdcGate
gate_of_changes(const SdcPolicyRelation *relation)
{
	return constraints_of(relation, is_of_changes);
}

/* ----------------------------------------------------------------------
 * What is out there
 * ----------------------------------------------------------------------
 */

/* A table of another policy in words. */
static char *
other_name(const Other *other)
{
	return other->policy == NULL
			   ? other->target
			   : psprintf("%s of policy \"%s\"", other->target, other->policy);
}

/* ----------------------------------------------------------------------
 * What rows tell of the cells
 * ----------------------------------------------------------------------
 */

/* Is a key one of a set? */
static bool
is_in(uint32 set, int j)
{
	return (set & (1U << j)) != 0;
}

/* The cells by a set of keys in words: "those by region, branch". */
static char *
set_names(const SdcBeside *beside, uint32 set)
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
append_maps(StringInfo sql, const SdcBeside *beside, uint32 set)
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
make_tally(SdcBeside *beside, Rows *rows, uint32 set)
{
	StringInfoData sql;
	int j;

	rows->tally = sdcpg_beside_table(beside);
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE UNLOGGED TABLE %s AS SELECT ", rows->tally);
	for (j = 0; j < list_length(beside->keys); j++)
		/* as protect_table calls NULL, and prints values */
		if (is_in(set, j))
			appendStringInfo(&sql,
							 "CASE WHEN r.%s IS NULL THEN '(null)'"
							 " ELSE concat(r.%s) END AS k%d, ",
							 sdcpg_beside_key(beside, j),
							 sdcpg_beside_key(beside, j), j);
	if (beside->value == NULL)
		appendStringInfoString(&sql, "count(*)");
	else
		appendStringInfo(&sql, "COALESCE(sum(CAST(r.%s AS numeric)), 0)",
						 quote_identifier(beside->value));
	appendStringInfo(&sql, " AS n FROM %s AS r", rows->sql);
	append_group_by(&sql, set);
	(void) sdcpg_beside_run(sql.data);
}

/* The same by fewer of the keys (g). */
static void
append_groups(StringInfo sql, const SdcBeside *beside, const Rows *rows,
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
append_sums(StringInfo sql, const SdcBeside *beside, uint32 set)
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
others_at_total(const SdcBeside *beside, uint32 set)
{
	StringInfoData where;
	int j;

	initStringInfo(&where);
	for (j = 0; j < list_length(beside->keys); j++)
		if (!is_in(set, j))
			appendStringInfo(&where, " AND t.%s IS NULL",
							 sdcpg_beside_parent(list_nth(beside->keys, j)));
	return where.data;
}

/*
 * The cells by these keys, at the total of others, beside what rows give of
 * them: is it all?  A mask may have made NULL of anything, so that what is
 * NULL is unsure.  Covered are cells whose labels rows have all of.
 */
static void
append_cells(StringInfo sql, const SdcBeside *beside, uint32 set)
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
			const char *key = sdcpg_beside_key(beside, j);

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
		" c AS MATERIALIZED (SELECT b.*, abs(b.n - b.value) <="
		" " SDC_BESIDE_SAME
		" * b.value AS same, b.n > b.value * (1 + " SDC_BESIDE_SAME
		") AS more FROM b), ",
		sdcpg_beside_keys(beside, "t"), beside->cells, unsure.data,
		covered.data, beside->truth, join.data, others_at_total(beside, set));
}

/* All of these, as far as c. */
static void
append_comparison(StringInfo sql, const SdcBeside *beside, const Rows *rows,
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
cover_key(const SdcBeside *beside, const Rows *rows, int j)
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
		rows->all ? "true" : "false", beside->cover, j, j,
		sdcpg_beside_key(beside, j));
	return sdcpg_beside_run(sql.data) > 0;
}

/*
 * Writes down what rows tell of the cells by a set of keys; false: nothing.
 * Cells that they cover are known exactly if the rows give all of them.
 */
static bool
learn_set(const SdcBeside *beside, const Rows *rows, int number, uint32 set)
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
		beside->known, sdcpg_beside_keys(beside, "c"), number, set,
		rows->values ? "true" : "false");
	return sdcpg_beside_run(sql.data) > 0;
}

/*
 * Was what rows told of the cells by a set of keys exact, and of all of them?
 * *certain: exact as far as it goes.
 */
static bool
is_exact(const SdcBeside *beside, int number, uint32 set, bool *certain)
{
	SdcCatalogRows *rows = sdcpg_beside_read(
		psprintf("SELECT count(k.highest) = count(*), count(k.highest) ="
				 " (SELECT count(*) FROM (SELECT DISTINCT %s FROM %s AS t"
				 " WHERE true%s) AS d) FROM %s AS k"
				 " WHERE k.rows_of = %d AND k.by_keys = %u",
				 sdcpg_beside_keys(beside, "t"), beside->truth,
				 others_at_total(beside, set), beside->known, number, set));

	*certain = DatumGetBool(rows->value[0][0]);
	return DatumGetBool(rows->value[0][1]);
}

/* The keys that the rows have, as bits. */
static uint32
keys_of(const SdcBeside *beside, const Rows *rows)
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
has_value(const SdcBeside *beside, const Rows *rows)
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
has_true_values(const SdcBeside *beside, const Rows *rows)
{
	const char *value;

	if (beside->value == NULL)
		return true;
	value = quote_identifier(beside->value);
	return sdcpg_beside_read(
			   psprintf("SELECT CAST(r.%s AS numeric) FROM %s AS r"
						" WHERE r.%s IS NOT NULL EXCEPT ALL"
						" SELECT CAST(r.%s AS numeric) FROM %s AS r"
						" LIMIT 1",
						value, rows->sql, value, value, beside->original->sql))
			   ->count == 0;
}

/*
 * The rows by the keys of the table, as SQL; *keys are those that they have.
 * Where the table is of a part of what they are of, those of that part, as far
 * as they say; where they are of a part of what it is of, a key that is the
 * same in all of this is known.
 */
static char *
rows_by_keys(const SdcBeside *beside, const Rows *rows, uint32 *keys)
{
	const SdcRelation *original = beside->original;
	const SdcRelation *of = sdcpg_relation_find(rows->of);
	bool some = sdcpg_related_within(of->oid, original->oid);
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	for (j = 0; j < list_length(beside->keys); j++)
	{
		const char *key = list_nth(beside->keys, j);
		char *constant = some ? sdcpg_related_constant(of, key) : NULL;

		if (constant != NULL)
			*keys |= 1U << j;
		if (is_in(*keys, j))
			appendStringInfo(&sql, "%s%s AS %s", sql.len > 0 ? ", " : "",
							 constant == NULL
								 ? psprintf("r.%s", quote_identifier(key))
								 : psprintf("CAST(%s AS text)",
											quote_literal_cstr(constant)),
							 quote_identifier(key));
	}
	if (beside->value != NULL &&
		!sdcpg_params_is_listed(beside->keys, beside->value))
		appendStringInfo(&sql, "%sr.%s", sql.len > 0 ? ", " : "",
						 quote_identifier(beside->value));
	return psprintf("(SELECT %s FROM %s AS r WHERE %s)", sql.data,
					rows->table->sql,
					sdcpg_related_within(original->oid, of->oid)
						? sdcpg_related_rows(original, of, rows->columns)
						: "true");
}

/* Are the rows all that there are, of the relation or of a part of it? */
static bool
are_all(const SdcBeside *beside, const Rows *rows)
{
	const SdcRelation *of =
		sdcpg_related_within(rows->of, beside->original->oid)
			? sdcpg_relation_find(rows->of)
			: beside->original;

	return DatumGetBool(
		sdcpg_beside_read(psprintf("SELECT (SELECT count(*) FROM %s AS r)"
								   " = (SELECT count(*) FROM %s)",
								   rows->sql, of->sql))
			->value[0][0]);
}

/* Learns what a set of keys tells; adds it to a sentence.  Is it certain? */
static bool
learn_and_tell(StringInfo told, const SdcBeside *beside, const Rows *rows,
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
learn(SdcBeside *beside, Rows *rows, int number)
{
	uint32 keys = keys_of(beside, rows);
	int tries = 0;
	StringInfoData told;
	int size;
	uint32 set;
	int j;

	if (!has_value(beside, rows))
		return NULL;
	sdcpg_beside_labels(beside);
	rows->sql = rows_by_keys(beside, rows, &keys);
	make_tally(beside, rows, keys);
	rows->values = has_true_values(beside, rows);
	rows->all = are_all(beside, rows);
	(void) sdcpg_beside_run(psprintf("DELETE FROM %s", beside->cover));
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

/* Has a table that is out other values than those of now? */
static bool
is_changed(const SdcBeside *beside, const SdcRelation *published)
{
	return sdcpg_gate_table_hides(beside->protect) &&
		   sdcpg_beside_read(psprintf("SELECT FROM %s AS p JOIN %s AS t ON %s"
									  " WHERE p.%s <> %s LIMIT 1",
									  published->sql, beside->truth,
									  sdcpg_beside_same(beside, "p", "t"),
									  beside->cells, sdcpg_beside_now(beside)))
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
can_recall(const SdcBeside *beside, const SdcRelation *last)
{
	ListCell *cell;

	foreach (cell, sdcpg_beside_columns(beside))
		if (get_attnum(last->oid, lfirst(cell)) <= 0)
			return false;
	return get_attnum(last->oid, beside->name) > 0;
}

/* The last release with the cells that it remembers. */
static char *
recall(SdcBeside *beside, const char *last, Jsonb *told)
{
	char *earlier = sdcpg_beside_table(beside);
	StringInfoData columns;
	StringInfoData join;
	ListCell *cell;

	initStringInfo(&columns);
	initStringInfo(&join);
	foreach (cell, beside->keys)
		appendStringInfo(&columns, "p.%s, ",
						 sdcpg_beside_parent(lfirst(cell)));
	foreach (cell, sdcpg_beside_columns(beside))
	{
		const char *name = quote_identifier(lfirst(cell));

		appendStringInfo(&columns, "p.%s, ", name);
		appendStringInfo(&join, " AND o.cell->>%s = CAST(p.%s AS text)",
						 quote_literal_cstr(lfirst(cell)), name);
	}
	(void) sdcpg_beside_run(psprintf(
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
find_told(const SdcBeside *beside, const char *staged, const char *earlier)
{
	StringInfoData object;
	SdcCatalogRows *rows;
	ListCell *cell;

	initStringInfo(&object);
	foreach (cell, sdcpg_beside_columns(beside))
		appendStringInfo(&object, "%s, p.%s, ",
						 quote_literal_cstr(lfirst(cell)),
						 quote_identifier(lfirst(cell)));
	rows = sdcpg_beside_read(psprintf(
		"SELECT jsonb_agg(jsonb_build_object(%s%s, t.%s)) FROM %s AS p"
		" JOIN %s AS t ON %s JOIN %s AS e ON %s"
		" WHERE p.%s IS NULL AND e.%s = t.%s",
		object.data, quote_literal_cstr(beside->name), beside->cells, staged,
		beside->truth, sdcpg_beside_same(beside, "p", "t"), earlier,
		sdcpg_beside_same(beside, "e", "t"), beside->cells, beside->cells,
		beside->cells));
	return rows->isnull[0][0] ? NULL : sdcpg_catalog_jsonb(rows, 0, 0);
}

/* Compares with the last release and what it remembers, and remembers more. */
static void
look_back(SdcBeside *beside, SdcStaging *staging, const char *policy,
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

/* A table of cells of another policy. */
typedef struct OtherCells
{
	const Other *other;
	SdcBeside *beside; /* NULL: it cannot be made again */
	int place;         /* among those that are attacked together */
	bool changed;      /* has it other values than those of now? */
	ErrorData *failure;
} OtherCells;

/* All of them, and the one that is released. */
typedef struct SdcTogether
{
	SdcBeside *released;
	const SdcGateCase *of;
	SdcJoint *joint;
	const char *unlinked; /* why they are not attacked together, or NULL */
	const char *lacks;    /* what was not, as sentences; NULL: all was */
	List *others;         /* OtherCells * */
	int places;
} SdcTogether;

/* One of them that is being made. */
typedef struct Adding
{
	SdcTogether *together;
	OtherCells *added; /* NULL: all are there, and are linked */
} Adding;

/* What it did stays. */
static bool
add_other(void *arg)
{
	Adding *adding = arg;
	SdcTogether *together = adding->together;
	OtherCells *added = adding->added;

	/* one that goes with the subtransaction, as those after it will */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (added == NULL)
	{
		together->unlinked = sdcpg_joint_link(together->joint);
		if (together->unlinked == NULL)
			sdcpg_joint_tell(together->joint, true, 0);
	}
	else
	{
		const SdcRelation *published =
			sdcpg_relation_find(added->other->table);
		SdcBeside *beside =
			sdcpg_beside_begin(together->released->staging,
							   sdcpg_relation_find(added->other->relation.oid),
							   added->other->protect);

		added->changed = is_changed(beside, published);
		sdcpg_joint_add(
			together->joint, beside,
			sdcpg_gate_case(&added->other->relation, added->other->table),
			published->sql);
		added->beside = beside;
		together->released->made =
			list_concat(together->released->made, beside->made);
	}
	PopActiveSnapshot();
	return true;
}

/* Does so, and returns what stopped it, if that was no fault of the server. */
static ErrorData *
try_to_add(SdcTogether *together, OtherCells *added)
{
	Adding adding = {together, added};
	int made = list_length(together->released->made);
	ErrorData *failure =
		sdcpg_error_attempt(CurrentMemoryContext, add_other, &adding);

	/* what it wrote is to be seen */
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
	if (failure != NULL && sdcpg_error_is_of_server(failure))
		ReThrowError(failure);
	/* tables that went with it */
	if (failure != NULL)
		together->released->made =
			list_truncate(together->released->made, made);
	return failure;
}

/* Has any of the tables a constraint on what can be computed of it? */
static bool
is_any_bound(const SdcStaging *staging, List *cells)
{
	ListCell *item;

	if (gate_of(staging->policy).count > 0 ||
		gate_of_changes(staging->policy).count > 0)
		return true;
	foreach (item, cells)
		if (gate_of(&((const Other *) lfirst(item))->relation).count > 0)
			return true;
	return false;
}

/* Does a gate ask of intervals which are no wider than nothing, if any? */
static bool
asks_exact(const SdcPolicyRelation *relation)
{
	SdcGate gate = gate_of(relation);
	int i;

	for (i = 0; i < gate.count; i++)
		if (strcmp(gate.constraint[i].word, "exact") != 0)
			return false;
	return true;
}

/* Do all of them ask so? */
static bool
is_only_exact(const SdcStaging *staging, List *cells)
{
	ListCell *item;

	if (!asks_exact(staging->policy))
		return false;
	foreach (item, cells)
		if (!asks_exact(&((const Other *) lfirst(item))->relation))
			return false;
	return true;
}

/* Says what was attacked together, names being those that are out, or "". */
static void
say_compared(StringInfo sentence, SdcTogether *together, const char *names)
{
	const char *lacks = together->unlinked == NULL
							? sdcpg_joint_lacks(together->joint)
							: psprintf(" It was not attacked together with "
									   "%s: %s.",
									   *names ? names : "the tables in it",
									   together->unlinked);

	if (together->unlinked == NULL && *names == '\0')
		appendStringInfoString(sentence,
							   " Its tables were compared by their records.");
	else if (together->unlinked == NULL)
		appendStringInfo(sentence, " It was attacked together with %s.",
						 names);
	appendStringInfoString(sentence, lacks);
	if (*lacks != '\0' && *names != '\0')
		together->lacks = lacks + 1;
}

/*
 * Adds the tables of cells that are out to the attack; returns their names.
 * Of those that cannot be made again a sentence says so.
 */
static char *
add_others(StringInfo sentence, SdcTogether *together, List *cells)
{
	StringInfoData names;
	ListCell *item;

	initStringInfo(&names);
	foreach (item, cells)
	{
		OtherCells *added = palloc0(sizeof(OtherCells));

		added->other = lfirst(item);
		added->failure = try_to_add(together, added);
		together->others = lappend(together->others, added);
		if (added->failure == NULL)
		{
			added->place = ++together->places;
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 other_name(added->other));
		}
		else
			appendStringInfo(sentence,
							 " It was not attacked together with %s, by an "
							 "error (SQLSTATE %s).",
							 other_name(added->other),
							 unpack_sql_state(added->failure->sqlerrcode));
	}
	return names.data;
}

/*
 * Attacks a table of cells that is released together with those that are out.
 * Adds what was done as a sentence.
 */
static void
attack_together(StringInfo sentence, const char *policy,
				const SdcStaging *staging, SdcBeside *beside, SdcGateCase *of,
				List *cells)
{
	SdcTogether *together = palloc0(sizeof(SdcTogether));
	ErrorData *failure;
	char *names;

	together->released = beside;
	together->of = of;
	together->joint =
		sdcpg_joint_begin(beside, of, is_only_exact(staging, cells));
	of->together = together;
	names = add_others(sentence, together, cells);
	failure = try_to_add(together, NULL);
	if (failure != NULL)
		ereport(ERROR,
				(errcode(failure->sqlerrcode),
				 errmsg("table of cells of policy \"%s\" cannot be attacked "
						"together with those that are out",
						policy),
				 errdetail("What it gives away beside %s is not known.",
						   *names != '\0' ? names : "its own linked tables"),
				 errhint("Policies whose tables nobody has beside these can "
						 "be named in params.apart.")));
	say_compared(sentence, together, names);
}

List *
sdcpg_beside_others(SdcStaging *staging, const char *policy, SdcGateCase *of)
{
	List *rows;
	List *cells;
	SdcBeside *beside;
	StringInfoData sentence;
	int number = 0;
	ListCell *item;

	if (of->protect == NULL)
		return NIL;
	rows = sdcpg_related_published(staging, policy, of->protect, false);
	cells = sdcpg_related_published(staging, policy, of->protect, true);
	if (rows == NIL && cells == NIL && of->earlier == NULL &&
		!sdcpg_params_has(sdcpg_params_object(of->protect, "params"),
						  "linked"))
		return NIL;
	beside = sdcpg_beside_begin(staging, staging->original, of->protect);
	look_back(beside, staging, policy, of);
	initStringInfo(&sentence);
	foreach (item, rows)
	{
		const Other *other = lfirst(item);
		Rows seen = {sdcpg_relation_find(other->table), other->columns,
					 other->relation.oid};
		char *told = learn(beside, &seen, ++number);

		if (told != NULL)
			appendStringInfo(
				&sentence,
				" Who has %s of policy \"%s\", too, knows of the cells: %s.",
				seen.table->sql, other->policy, told);
	}
	if ((cells != NIL || sdcpg_beside_numbers(beside)) &&
		is_any_bound(staging, cells))
		attack_together(&sentence, policy, staging, beside, of, cells);
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
 * that is out.  What it hides stays hidden, but for counts of 0, which are
 * only by the rule group; means are those of the respondents of then.
 */
static char *
shown_value(const SdcBeside *beside)
{
	if (beside->means)
		return psprintf("%s AS %s, p.%s", sdcpg_beside_now(beside),
						beside->cells, beside->count);
	if (!sdcpg_gate_table_hides(beside->protect))
		return psprintf("t.%s", beside->cells);
	return psprintf("CASE WHEN p.%s IS NOT NULL AND p.%s IS NULL%s THEN NULL"
					" ELSE t.%s END AS %s",
					sdcpg_beside_key(beside, 0), beside->cells,
					beside->value == NULL &&
							!sdcpg_gate_table_hides_zeros(beside->protect)
						? psprintf(" AND t.%s > 0", beside->cells)
						: "",
					beside->cells, beside->cells);
}

/* The table of cells that is out, as it would stand with the values of now. */
static char *
make_shown(SdcBeside *beside, const SdcRelation *published)
{
	char *shown = sdcpg_beside_table(beside);
	StringInfoData columns;
	int j;

	initStringInfo(&columns);
	for (j = 0; j < list_length(beside->keys); j++)
		appendStringInfo(&columns, "t.%s, t.%s, ", sdcpg_beside_key(beside, j),
						 sdcpg_beside_parent(list_nth(beside->keys, j)));
	if (sdcpg_beside_numbers(beside))
		appendStringInfoString(&columns, "t." SDC_TABULAR_NUMBER ", ");
	(void) sdcpg_beside_run(psprintf("CREATE UNLOGGED TABLE %s AS SELECT %s%s"
									 " FROM %s AS t LEFT JOIN %s AS p ON %s",
									 shown, columns.data, shown_value(beside),
									 beside->truth, published->sql,
									 sdcpg_beside_same(beside, "p", "t")));
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

/* Adds a result to those of a gate, of which it becomes a constraint. */
static SdcGateResult *
append_result(SdcGate *gate, SdcGateResult *results,
			  const SdcGateResult *found, char *sentence, char *detail)
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
	added->sentence = sentence;
	*result = *found;
	result->constraint = added;
	result->detail = detail;
	return results;
}

/* Adds what was found of a table of cells to what was of the rows. */
static SdcGateResult *
add_result(SdcGate *gate, SdcGateResult *results, const SdcGateResult *found,
		   const Other *other)
{
	return append_result(gate, results, found,
						 psprintf("%s of policy \"%s\"",
								  found->constraint->sentence, other->policy),
						 psprintf("Of %s: %s", other->target, found->detail));
}

/* A table of cells that is judged by who has what is released as well. */
typedef struct Judging
{
	SdcStaging *staging;
	const Other *other;
	const OtherCells *cells;     /* cells are released; NULL: rows */
	const SdcTogether *together; /* they are attacked so; NULL: rows */
	SdcGate gate;                /* of the table of cells */
	char *told;                  /* what that tells; NULL: nothing */
	SdcGateResult *found;
	SdcGateResult *alone; /* without it; NULL: not looked for */
} Judging;

/*
 * What can be computed of the table (shown) by who has what is released, or
 * by who does not have it.
 */
static SdcGateResult *
judge_with(Judging *judging, SdcBeside *beside, const char *shown,
		   bool released)
{
	const SdcTogether *together = judging->together;

	if (together == NULL)
		return judge_cells(judging->other, &judging->gate, shown,
						   released ? beside->known : NULL);
	(void) sdcpg_beside_run(psprintf("DELETE FROM %s", beside->known));
	sdcpg_joint_tell(together->joint, released, judging->cells->place);
	return judge_cells(judging->other, &judging->gate, shown, beside->known);
}

/* Leaves nothing but what was found. */
static bool
judge_other(void *arg)
{
	Judging *judging = arg;
	const Other *other = judging->other;
	const SdcStaging *staging = judging->staging;
	SdcBeside *beside;
	char *shown;
	int i;

	/* one that goes with the subtransaction, as those after it will */
	PushActiveSnapshot(GetTransactionSnapshot());
	beside = judging->cells != NULL
				 ? judging->cells->beside
				 : sdcpg_beside_begin(staging,
									  sdcpg_relation_find(other->relation.oid),
									  other->protect);
	shown = make_shown(beside, sdcpg_relation_find(other->table));
	if (judging->cells == NULL)
	{
		Rows rows = {staging->release, staging->published,
					 staging->original->oid};

		judging->told = learn(beside, &rows, 1);
	}
	else
		judging->told = "what they show together";
	if (judging->told != NULL)
	{
		judging->found = judge_with(judging, beside, shown, true);
		for (i = 0; i < judging->gate.count && judging->alone == NULL; i++)
			if (!judging->found[i].passed)
				judging->alone = judge_with(judging, beside, shown, false);
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
	const char *what = judging->cells == NULL ? "rows" : "cells";
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
				 (!judging->found[i].passed && !judging->alone[i].passed &&
				  !sdcpg_gate_is_worse(judging->gate.constraint[i].comparison,
									   judging->found[i].value,
									   judging->alone[i].value)))
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

/* Judges a table of cells, and adds what was found. */
static SdcGateResult *
judge_table(SdcStaging *staging, const Other *other, const OtherCells *cells,
			const SdcTogether *together, SdcGate *gate, SdcGateResult *results)
{
	Judging judging = {staging, other, cells, together};
	ErrorData *failure = cells == NULL ? NULL : cells->failure;
	int made = together == NULL ? 0 : list_length(together->released->made);

	judging.gate = gate_of(&other->relation);
	if (judging.gate.count == 0)
		return results;
	if (failure == NULL)
		failure =
			sdcpg_error_attempt(CurrentMemoryContext, judge_other, &judging);
	if (failure != NULL && sdcpg_error_is_of_server(failure))
		ReThrowError(failure);
	/* tables that went with it */
	if (together != NULL)
		together->released->made =
			list_truncate(together->released->made, made);
	return add_results(&judging, failure, gate, results);
}

/* Is it one on small changes? */
static bool
is_small_changes(const SdcGateConstraint *constraint)
{
	return constraint->kind == SDC_GATE_TABLE &&
		   strcmp(constraint->word, "small_changes") == 0;
}

/* Keeps of what was found what does not hold, or else what is there. */
static void
keep_worse(SdcGateResult *found, const SdcGate *gate,
		   const SdcGateResult *others, const SdcGate *of)
{
	int i;
	int k;

	for (i = 0; i < of->count; i++)
		for (k = 0; k < gate->count; k++)
			if (gate->constraint[k].place == of->constraint[i].place &&
				found[k].passed && !others[i].passed)
			{
				found[k] = others[i];
				found[k].constraint = &gate->constraint[k];
			}
}

/* Asks what the policy asks of changes since a table of another one. */
static SdcGateResult *
judge_changes(const SdcStaging *staging, const SdcTogether *together,
			  const OtherCells *other, SdcGate *gate, SdcGateResult *results)
{
	SdcGate changes = gate_of_changes(staging->policy);
	SdcGate small = constraints_of(staging->policy, is_small_changes);
	SdcGateResult *found = NULL;
	ListCell *item;
	int i;

	if (changes.count == 0 || !other->changed ||
		other->other->relation.oid != staging->original->oid)
		return results;
	foreach (item,
			 sdcpg_since_cases(together->of, together->released, other->beside,
							   sdcpg_relation_find(other->other->table)->sql))
	{
		SdcSince *since = lfirst(item);
		SdcGate *asked = since->changes_only ? &small : &changes;
		SdcGateResult *results_of = sdcpg_gate_evaluate(asked, &since->of);

		if (found == NULL)
			found = results_of;
		else
			keep_worse(found, &changes, results_of, asked);
	}
	for (i = 0; found != NULL && i < changes.count; i++)
	{
		changes.constraint[i].sentence =
			psprintf("%s since %s", changes.constraint[i].sentence,
					 other->other->target);
		results = add_result(gate, results, &found[i], other->other);
	}
	return results;
}

/*
 * What differs between tables is as good as shown.  Where there are such
 * groups of few respondents, what the policy asks of cells that can be
 * computed exactly is asked of them.
 */
static SdcGateResult *
judge_inner(const SdcStaging *staging, const SdcTogether *together,
			SdcGate *gate, SdcGateResult *results)
{
	SdcGate own = gate_of(staging->policy);
	int64 inner = sdcpg_joint_inner(together->joint);
	int i;

	for (i = 0; i < own.count && inner > 0; i++)
	{
		SdcGateResult result = {&own.constraint[i], (double) inner};

		if (strcmp(own.constraint[i].word, "exact") != 0)
			continue;
		result.passed =
			sdcpg_gate_holds(own.constraint[i].comparison, result.value,
							 own.constraint[i].bound);
		results = append_result(
			gate, results, &result,
			psprintf("%s of groups that no table shows",
					 own.constraint[i].sentence),
			psprintf(INT64_FORMAT " groups of respondents that are unsafe by "
								  "the rules, in which tables differ, can be "
								  "computed exactly.",
					 inner));
	}
	return results;
}

/*
 * What is asked of the released table beside one that cannot be made again is
 * not known, and so does not hold.
 */
static SdcGateResult *
refuse_unseen(const SdcGate *own, const OtherCells *other, SdcGate *gate,
			  SdcGateResult *results)
{
	int i;

	for (i = 0; i < own->count; i++)
	{
		SdcGateResult result = {&own->constraint[i], NAN};

		results = append_result(
			gate, results, &result,
			psprintf("%s beside %s", own->constraint[i].sentence,
					 other_name(other->other)),
			psprintf("Its cells cannot be made again to be attacked with "
					 "these cells, by an error (SQLSTATE %s). %s",
					 unpack_sql_state(other->failure->sqlerrcode),
					 other->other->policy == NULL
						 ? "Drop it, or revoke what others may read of it."
						 : "Release it anew, drop it, or name its policy in "
						   "params.apart."));
	}
	return results;
}

/*
 * What tables that are too many or too large show together is not known, so
 * constraints on it do not hold, unless the policy asks for no more.  of says
 * whose they are.
 */
static SdcGateResult *
refuse_uncompared(const SdcTogether *together, const SdcGate *asked,
				  const char *of, SdcGate *gate, SdcGateResult *results)
{
	int i;

	if (together == NULL || together->lacks == NULL ||
		!sdcpg_params_boolean(together->of->protect, "compare_all", true))
		return results;
	for (i = 0; i < asked->count; i++)
	{
		SdcGateResult result = {&asked->constraint[i], NAN};

		results = append_result(
			gate, results, &result,
			psprintf("%s%s beside all that is out",
					 asked->constraint[i].sentence, of),
			psprintf("%s Publish fewer cells, name policies whose tables "
					 "nobody has beside these in params.apart, or let "
					 "params.protect say \"compare_all\": false.",
					 together->lacks));
	}
	return results;
}

SdcGateResult *
sdcpg_beside_tables(SdcStaging *staging, const char *policy,
					const SdcGateCase *of, SdcGate *gate,
					SdcGateResult *results)
{
	const SdcTogether *together = of->together;
	SdcGate own = gate_of(staging->policy);
	SdcGate changes = gate_of_changes(staging->policy);
	ListCell *cell;

	if (of->protect == NULL && sdcpg_related_makes_records(staging->policy))
		return results;
	if (of->protect == NULL)
	{
		foreach (cell, sdcpg_related_published(staging, policy, NULL, true))
			results =
				judge_table(staging, lfirst(cell), NULL, NULL, gate, results);
		return results;
	}
	results = refuse_uncompared(together, &own, "", gate, results);
	if (together != NULL && together->unlinked == NULL)
		results = judge_inner(staging, together, gate, results);
	foreach (cell, together == NULL ? NIL : together->others)
	{
		const OtherCells *other = lfirst(cell);
		SdcGate its = gate_of(&other->other->relation);

		if (own.count == 0)
			results = refuse_uncompared(
				together, &its,
				psprintf(" of policy \"%s\"", other->other->policy), gate,
				results);
		if (other->beside != NULL)
			results = judge_changes(staging, together, other, gate, results);
		/* one that has such constraints says so itself */
		else if (its.count == 0)
		{
			results = refuse_unseen(&own, other, gate, results);
			results = refuse_unseen(&changes, other, gate, results);
		}
		/* of older values nobody knows what they were */
		if (other->failure != NULL ||
			(!other->changed && together->unlinked == NULL))
			results = judge_table(staging, other->other, other, together, gate,
								  results);
	}
	return results;
}
