/*
 * gate_joint.c
 *		Tables of cells that are attacked together.
 *
 * Cells of two tables are compared by the records that they consist of, not by
 * their labels: the quarter is the sum of its months whatever either is
 * called.  Two tables are compared by those of their keys that have to do with
 * each other: the same column, or two columns whose values fall into groups
 * that never meet, such as months and quarters, or towns and their regions.
 * What readers know of columns are such groups; that no firm of a town has
 * some size, they do not know, so other keys are not compared.
 *
 * For a pair of tables the records are grouped by the cells that they are in,
 * in the first table and in the second one, each at the total of its other
 * keys.  Each cell is the sum of its groups; a group that is all of a cell is
 * that cell.  The same holds of sums of several columns, when one of them is
 * the sum of others in all records: groups of all of these tables, and an
 * equation for each.  A column of 0 and 1 counts the records where it is 1;
 * sums of a column that is the same in all records, or in all of the same
 * values of some keys, are counts; and where the ratio of two columns is so,
 * the sums of one are those of the other.
 *
 * Tables of relations whose records are joined (gate_related.c) are compared
 * by the units that both have: there each table is sums over units.
 *
 * All this is one system of cells and equations for sdc.attack_table.  Each
 * equation is held against the true values before, so that labels which mean
 * something else than thought do not tell anything.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "release/document.h"
#include "release/gate_joint.h"
#include "topic/tabular/tabular_topic.h"

/* Tables, each of the linked ones being one, and comparisons at the most. */
#define MOST_TABLES 60
#define MOST_LINKS  400

/* Cells and groups of records at the most. */
#define MOST_CELLS 200000

/*
 * Hidden cells, and such groups, at the most: when the ends of intervals are
 * asked for, and when it is only asked which cells are known.
 */
#define MOST_HIDDEN 1500
#define MOST_EXACT  6000

/* Pairs of values of two columns that are looked at. */
#define MOST_PAIRS 200000

/* Tables whose sums are compared at once: a sum, and its parts. */
#define MOST_MEMBERS 4

/* With no more hidden cells it is taken into account that counts are whole. */
#define MOST_WHOLE 300

/* One of the tables that these are of. */
typedef struct Part
{
	const SdcJointCells *cells;
	int number;   /* table_no, or 0 */
	int place;    /* among all parts */
	uint32 keys;  /* that it has */
	uint32 fixed; /* that it has no totals of */
} Part;

/* A column of records that is compared. */
typedef struct Column
{
	const char *records;
	const char *name;
	bool *related; /* to each column */
} Column;

/* ----------------------------------------------------------------------
 * The cells of each table
 * ----------------------------------------------------------------------
 */

bool
sdcpg_joint_asks(const char *sql)
{
	SdcCatalogRows *rows = sdcpg_beside_read(sql);

	return rows->count > 0 && !rows->isnull[0][0] &&
		   DatumGetBool(rows->value[0][0]);
}

SdcJoint *
sdcpg_joint_begin(SdcBeside *beside, const SdcGateCase *of, bool exact)
{
	SdcJoint *joint = palloc0(sizeof(SdcJoint));

	joint->exact = exact;
	joint->first = beside;
	joint->counts = true;
	joint->all = sdcpg_beside_table(beside);
	joint->known = sdcpg_beside_table(beside);
	joint->leaf = sdcpg_beside_table(beside);
	joint->equations = sdcpg_beside_table(beside);
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s (cell text, value numeric, truth numeric,"
		" released bool, records bigint)",
		joint->all));
	(void) sdcpg_beside_run(
		psprintf("CREATE UNLOGGED TABLE %s (cell text, lowest numeric,"
				 " highest numeric)",
				 joint->known));
	(void) sdcpg_beside_run(
		psprintf("CREATE UNLOGGED TABLE %s (part int, key_no int, value text,"
				 " label text)",
				 joint->leaf));
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s (equation text, total text, part text,"
		" released bool)",
		joint->equations));
	sdcpg_joint_add(joint, beside, of, of->masked->sql);
	return joint;
}

/* The columns of the labels of cells and of what they are parts of. */
static char *
label_columns(const SdcBeside *beside, const char *alias)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	for (j = 0; j < list_length(beside->keys); j++)
		appendStringInfo(&list, "%s.%s AS k%d, %s.%s AS p%d, ", alias,
						 sdcpg_beside_key(beside, j), j, alias,
						 sdcpg_beside_parent(list_nth(beside->keys, j)), j);
	return list.data;
}

/* As SQL: is this of what is released? */
static const char *
is_released(const SdcJointCells *cells)
{
	return cells->table == 0 ? "true" : "false";
}

void
sdcpg_joint_put(SdcJoint *joint, SdcJointCells *cells)
{
	joint->cells = lappend(joint->cells, cells);
	(void) sdcpg_beside_run(psprintf("INSERT INTO %s SELECT c.cell, c.shown,"
									 " c.truth, %s, NULL FROM %s AS c",
									 joint->all, is_released(cells),
									 cells->made));
}

/*
 * Makes the cells of a table.  What it shows as they are now is their value;
 * of changed values nothing is.  A mean of nobody is NULL and not hidden.
 */
static SdcJointCells *
make_cells(SdcJoint *joint, SdcBeside *beside, const char *published)
{
	SdcJointCells *cells = palloc0(sizeof(SdcJointCells));
	bool hides = sdcpg_gate_table_hides(beside->protect);
	const char *nobody =
		beside->means ? psprintf("COALESCE(p.%s = 0, false)", beside->count)
					  : "false";

	cells->beside = beside;
	cells->table = joint->tables;
	cells->records = beside->original->sql;
	cells->columns = beside->keys;
	cells->made = sdcpg_beside_table(joint->first);
	cells->value = beside->value;
	cells->sum = beside->value == NULL
					 ? "1"
					 : psprintf("COALESCE(CAST(r.%s AS numeric), 0)",
								quote_identifier(beside->value));
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT '%d.' || row_number() OVER ()"
		" AS cell, %s%s AS part, CAST(t.%s AS numeric) AS truth,"
		" CAST(%s AS numeric) AS shown, p.%s IS NOT NULL AND p.%s IS NULL"
		" AND NOT %s AS hidden, NULL::text AS origin, 1::numeric AS scale"
		" FROM %s AS t LEFT JOIN %s AS p ON %s",
		cells->made, list_length(joint->cells), label_columns(beside, "t"),
		sdcpg_beside_numbers(beside) ? "t." SDC_TABULAR_NUMBER : "0",
		beside->cells,
		hides ? psprintf("CASE WHEN p.%s = %s OR %s THEN t.%s END",
						 beside->cells, sdcpg_beside_now(beside), nobody,
						 beside->cells)
			  : "NULL",
		sdcpg_beside_key(beside, 0), beside->cells, nobody, beside->truth,
		published, sdcpg_beside_same(beside, "p", "t")));
	sdcpg_joint_put(joint, cells);
	return cells;
}

/* The condition that cells (c) have the labels of a table by its keys. */
static char *
same_labels(const SdcBeside *beside, const char *alias)
{
	StringInfoData join;
	int j;

	initStringInfo(&join);
	for (j = 0; j < list_length(beside->keys); j++)
		appendStringInfo(&join, "%s%s.%s = c.k%d", j > 0 ? " AND " : "", alias,
						 sdcpg_beside_key(beside, j), j);
	return join.data;
}

/* What anybody knows who has a table of changed values: its own intervals. */
static char *
attack_of(const SdcJointCells *cells, const SdcGateCase *of,
		  const char *published)
{
	const SdcBeside *beside = cells->beside;
	Jsonb *known =
		sdcpg_table_params_without(sdcpg_gate_table_known(of), "change");
	StringInfoData keys;
	StringInfoData join;
	int j;

	known = sdcpg_table_params_without(known, "earlier");
	initStringInfo(&keys);
	initStringInfo(&join);
	for (j = 0; j < list_length(beside->keys); j++)
	{
		const char *key =
			quote_literal_cstr((char *) list_nth(beside->keys, j));

		appendStringInfo(&keys, "%s%s", j > 0 ? ", " : "", key);
		appendStringInfo(&join, "%sa.cell->>%s = c.k%d", j > 0 ? " AND " : "",
						 key, j);
	}
	return psprintf(
		"sdc.attack_table(%s::regclass, ARRAY[%s]::name[], %s,"
		" %s::jsonb) AS a JOIN %s AS c ON %s",
		quote_literal_cstr(published), keys.data,
		quote_literal_cstr(beside->name),
		quote_literal_cstr(JsonbToCString(NULL, &known->root, VARSIZE(known))),
		cells->made, join.data);
}

/* Bounds of cells (c) become known where the true value is within them. */
static void
add_known(SdcJoint *joint, const char *lowest, const char *highest,
		  const char *from)
{
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s SELECT c.cell, %s, %s FROM %s"
		" WHERE COALESCE(%s <= c.truth * (1 + " SDC_BESIDE_SAME "), true)"
		" AND COALESCE(%s >= c.truth * (1 - " SDC_BESIDE_SAME "), true)",
		joint->known, lowest, highest, from, lowest, highest));
}

/*
 * Counts of respondents stand beside means; what their table is protected by.
 * NULL: a respondent has several rows, or one without a value, and they are
 * not numbers of rows.
 */
static Jsonb *
protect_counts(const SdcBeside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");
	const char *column = quote_identifier(beside->value);
	const char *respondent = sdcpg_params_text(params, "respondent");
	StringInfoData document;
	static const char *const gone[] = {"cell", "digits", "names"};
	int i;

	if (!sdcpg_joint_asks(psprintf(
			"SELECT count(r.%s) = count(*)%s FROM %s AS r", column,
			respondent == NULL ? ""
							   : psprintf(" AND count(DISTINCT %s) = count(*)",
										  sdcpg_beside_text(respondent)),
			beside->original->sql)))
		return NULL;
	for (i = 0; i < (int) lengthof(gone); i++)
		params = sdcpg_table_params_without(params, gone[i]);
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "names", '{');
	sdcpg_document_text(
		&document, "value",
		sdcpg_params_renamed(sdcpg_params_object(beside->protect, "params"),
							 "names", "count"));
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	params = DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(params),
							JsonbPGetDatum(sdcpg_document_end(&document))));
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_jsonb(&document, "params", params);
	sdcpg_document_close(&document, '{');
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat,
		JsonbPGetDatum(sdcpg_table_params_without(beside->protect, "value")),
		JsonbPGetDatum(sdcpg_document_end(&document))));
}

/* Adds the counts of means that have been added. */
static void
add_respondents(SdcJoint *joint, SdcBeside *means, const char *published)
{
	Jsonb *protect = protect_counts(means);
	SdcBeside *beside;

	if (protect == NULL)
		return;
	beside = sdcpg_beside_begin(means->staging, means->original, protect);
	sdcpg_beside_labels(beside);
	make_cells(joint, beside, published)->beside_means = true;
	joint->first->made = list_concat(joint->first->made, beside->made);
}

/* Forgets the cells of a table that an error has kept from being added. */
static void
forget_failed(SdcJoint *joint)
{
	int kept = 0;

	while (kept < list_length(joint->cells) &&
		   ((SdcJointCells *) list_nth(joint->cells, kept))->table <
			   joint->tables)
		kept++;
	joint->cells = list_truncate(joint->cells, kept);
}

void
sdcpg_joint_add(SdcJoint *joint, SdcBeside *beside, const SdcGateCase *of,
				const char *published)
{
	Jsonb *told = sdcpg_gate_table_known(of);
	SdcJointCells *cells;

	forget_failed(joint);
	cells = make_cells(joint, beside, published);

	/* with changed values the search for whole numbers finds none */
	joint->counts = joint->counts && beside->value == NULL &&
					sdcpg_gate_table_hides(beside->protect);
	sdcpg_beside_labels(beside);
	if (!sdcpg_gate_table_hides(beside->protect) && !beside->means)
		add_known(joint, "a.lowest", "a.highest",
				  attack_of(cells, of, published));
	else if (sdcpg_params_has(told, "least"))
		add_known(joint,
				  psprintf("CAST(%.15g AS numeric)",
						   sdcpg_document_float(told, "least")),
				  "CAST(NULL AS numeric)",
				  psprintf("(SELECT c.* FROM %s AS c WHERE c.hidden) AS c",
						   cells->made));
	add_known(joint, "k.lowest", "k.highest",
			  psprintf("%s AS k JOIN %s AS c ON %s", beside->known,
					   cells->made, same_labels(beside, "k")));
	if (beside->means)
		add_respondents(joint, beside, published);
	joint->tables++;
}

/* ----------------------------------------------------------------------
 * Equations of each table, and the columns that it is made of
 * ----------------------------------------------------------------------
 */

/* A cell is the sum of those that differ in one key, and are parts of it. */
static void
add_equations(SdcJoint *joint, const SdcJointCells *cells)
{
	int keys = list_length(cells->beside->keys);
	int j;
	int l;

	for (j = 0; j < keys; j++)
	{
		StringInfoData sql;

		initStringInfo(&sql);
		appendStringInfo(&sql,
						 "INSERT INTO %s SELECT '%d.' || t.cell, t.cell,"
						 " c.cell, %s FROM %s AS c JOIN %s AS t"
						 " ON t.part = c.part AND t.k%d = c.p%d"
						 " AND t.cell <> c.cell",
						 joint->equations, j, is_released(cells), cells->made,
						 cells->made, j, j);
		for (l = 0; l < keys; l++)
			if (l != j)
				appendStringInfo(&sql, " AND t.k%d = c.k%d", l, l);
		(void) sdcpg_beside_run(sql.data);
	}
}

/* The lowest labels of a table by a key that values of the column are in. */
static void
add_leaves(SdcJoint *joint, const Part *part, int j)
{
	const SdcJointCells *cells = part->cells;

	(void) sdcpg_beside_run(psprintf(
		"WITH RECURSIVE l AS MATERIALIZED (SELECT l.label, l.parent"
		" FROM %s AS l WHERE l.key_no = %d), m AS (SELECT l.label AS fine,"
		" l.label FROM l UNION SELECT m.fine, l.parent FROM m JOIN l"
		" ON l.label = m.label WHERE l.parent IS NOT NULL),"
		" c AS MATERIALIZED (SELECT DISTINCT c.k%d AS k, c.p%d AS p"
		" FROM %s AS c WHERE c.part = %d AND c.p%d IS NOT NULL)"
		" INSERT INTO %s SELECT %d, %d, m.fine, m.label FROM m"
		" WHERE m.label IN (SELECT c.k FROM c)"
		" AND m.label NOT IN (SELECT c.p FROM c)",
		cells->beside->labels, j, j, j, cells->made, part->number, j,
		joint->leaf, part->place, j));
}

/* Finds the tables of cells, and their keys. */
static void
add_parts(SdcJoint *joint, const SdcJointCells *cells)
{
	int keys = list_length(cells->beside->keys);
	StringInfoData sql;
	SdcCatalogRows *rows;
	int i;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT c.part");
	for (j = 0; j < keys; j++)
		appendStringInfo(&sql,
						 ", bool_or(c.p%d IS NOT NULL),"
						 " bool_and(c.p%d IS NOT NULL)",
						 j, j);
	appendStringInfo(&sql, " FROM %s AS c GROUP BY 1 ORDER BY 1", cells->made);
	rows = sdcpg_beside_read(sql.data);
	for (i = 0; i < rows->count; i++)
	{
		Part *part = palloc0(sizeof(Part));
		bool lacks = false;

		part->cells = cells;
		part->number = DatumGetInt32(rows->value[i][0]);
		part->place = list_length(joint->parts);
		joint->parts = lappend(joint->parts, part);
		for (j = 0; j < keys; j++)
		{
			if (!DatumGetBool(rows->value[i][2 * j + 1]))
				continue;
			part->keys |= 1U << j;
			if (DatumGetBool(rows->value[i][2 * j + 2]))
				part->fixed |= 1U << j;
			if (list_nth(cells->columns, j) != NULL)
				add_leaves(joint, part, j);
			else if ((part->fixed & (1U << j)) != 0)
				lacks = true;
		}
		/* it is by a key that these records have not got */
		if (lacks)
			joint->parts = list_truncate(joint->parts, part->place);
	}
}

/* The number of a column of records, which is added. */
static int
column_number(SdcJoint *joint, const char *records, const char *name)
{
	int i;

	for (i = 0; i < joint->columns; i++)
		if (strcmp(joint->column[i].name, name) == 0 &&
			strcmp(joint->column[i].records, records) == 0)
			return i;
	joint->column[joint->columns].records = records;
	joint->column[joint->columns].name = name;
	return joint->columns++;
}

/* Do the values of two columns fall into groups that never meet? */
static bool
has_groups(SdcJoint *joint, int a, int b)
{
	SdcCatalogRows *rows = sdcpg_beside_read(psprintf(
		"SELECT CAST(dense_rank() OVER (ORDER BY v.a) AS int) - 1,"
		" CAST(dense_rank() OVER (ORDER BY v.b) AS int) - 1 FROM (SELECT"
		" DISTINCT %s AS a, %s AS b FROM %s AS r LIMIT %d) AS v",
		sdcpg_beside_text(joint->column[a].name),
		sdcpg_beside_text(joint->column[b].name), joint->column[a].records,
		MOST_PAIRS + 1));
	int32 *value[2];
	int side;
	int i;

	if (rows->count > MOST_PAIRS)
	{
		joint->large[0] = joint->column[a].name;
		joint->large[1] = joint->column[b].name;
		return false;
	}
	for (side = 0; side < 2; side++)
	{
		value[side] = palloc(sizeof(int32) * (rows->count + 1));
		for (i = 0; i < rows->count; i++)
			value[side][i] = DatumGetInt32(rows->value[i][side]);
	}
	return sdcpg_values_have_groups(value[0], value[1], rows->count);
}

/* Finds which of the columns have to do with each other. */
static void
relate_columns(SdcJoint *joint)
{
	ListCell *item;
	ListCell *key;
	int room = 0;
	int a;
	int b;

	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);

		room += list_length(cells->beside->keys) + list_length(cells->by);
	}
	joint->column = palloc0(sizeof(Column) * room);
	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);

		foreach (key, cells->columns)
			if (lfirst(key) != NULL)
				(void) column_number(joint, cells->records, lfirst(key));
		foreach (key, cells->by)
			(void) column_number(joint, cells->records, lfirst(key));
	}
	for (a = 0; a < joint->columns; a++)
		joint->column[a].related = palloc0(sizeof(bool) * joint->columns);
	for (a = 0; a < joint->columns; a++)
		for (b = 0; b <= a; b++)
			joint->column[a].related[b] = joint->column[b].related[a] =
				a == b || (strcmp(joint->column[a].records,
								  joint->column[b].records) == 0 &&
						   has_groups(joint, a, b));
}

/* ----------------------------------------------------------------------
 * What tables have to do with each other
 * ----------------------------------------------------------------------
 */

/* The number of the j-th key of a table; -1: its records have not got it. */
static int
key_column(const SdcJoint *joint, const Part *part, int j)
{
	const char *name = list_nth(part->cells->columns, j);

	return name == NULL
			   ? -1
			   : column_number((SdcJoint *) joint, part->cells->records, name);
}

/* Has a table a key that has to do with a column, or is it so itself? */
static bool
has_related(const SdcJoint *joint, const Part *part, int column)
{
	const SdcJointCells *cells = part->cells;
	ListCell *by;
	int j;

	foreach (by, cells->by)
		if (joint->column[column].related[column_number(
				(SdcJoint *) joint, cells->records, lfirst(by))])
			return true;
	for (j = 0; j < list_length(cells->columns); j++)
	{
		int own = key_column(joint, part, j);

		if (own >= 0 && (part->keys & (1U << j)) != 0 &&
			joint->column[column].related[own])
			return true;
	}
	return false;
}

/* The keys of one of several tables by which it is compared with them. */
static uint32
compared_keys(const SdcJoint *joint, Part *const *part, int count, int m)
{
	uint32 keys = part[m]->fixed;
	int j;
	int k;

	for (j = 0; j < list_length(part[m]->cells->columns); j++)
	{
		int own = key_column(joint, part[m], j);
		bool all = own >= 0 && (part[m]->keys & (1U << j)) != 0;

		for (k = 0; k < count && all; k++)
			all = k == m || (part[m]->cells->always & (1U << j)) != 0 ||
				  has_related(joint, part[k], own);
		if (all)
			keys |= 1U << j;
	}
	return keys;
}

/*
 * Joins the cell (c with a number) of a table that records (g) are in, by some
 * of its keys, at the total of others.
 */
static void
append_place(StringInfo sql, const SdcJoint *joint, const Part *part,
			 uint32 keys, int m)
{
	StringInfoData on;
	int j;

	initStringInfo(&on);
	appendStringInfo(&on, "c%d.part = %d AND g.only%d", m, part->number, m);
	for (j = 0; j < list_length(part->cells->beside->keys); j++)
		if ((keys & (1U << j)) != 0)
		{
			appendStringInfo(
				sql,
				" LEFT JOIN %s AS l%d_%d ON l%d_%d.part = %d"
				" AND l%d_%d.key_no = %d AND l%d_%d.value = g.v%d",
				joint->leaf, m, j, m, j, part->place, m, j, j, m, j,
				key_column(joint, part, j));
			appendStringInfo(&on, " AND c%d.k%d = l%d_%d.label", m, j, m, j);
		}
		else if (part->cells->at_label != NULL && part->cells->at_key == j)
			appendStringInfo(&on, " AND c%d.k%d = %s", m, j,
							 quote_literal_cstr(part->cells->at_label));
		else
			appendStringInfo(&on, " AND c%d.p%d IS NULL", m, j);
	appendStringInfo(sql, " LEFT JOIN %s AS c%d ON %s", part->cells->made, m,
					 on.data);
}

/* The records by the columns that are compared (g). */
static void
append_records(StringInfo sql, const SdcJoint *joint, Part *const *part,
			   const uint32 *keys, int count)
{
	Bitmapset *columns = NULL;
	int groups = 0;
	int column = -1;
	int j;
	int m;

	appendStringInfoString(sql, "(SELECT ");
	for (m = 0; m < count; m++)
		for (j = 0; j < list_length(part[m]->cells->beside->keys); j++)
			if ((keys[m] & (1U << j)) != 0)
				columns =
					bms_add_member(columns, key_column(joint, part[m], j));
	for (; (column = bms_next_member(columns, column)) >= 0; groups++)
		appendStringInfo(sql, "%s AS v%d, ",
						 sdcpg_beside_text(joint->column[column].name),
						 column);
	for (m = 0; m < count; m++, groups++)
		appendStringInfo(
			sql, "%s AS only%d, ",
			part[m]->cells->only == NULL ? "true" : part[m]->cells->only, m);
	for (m = 0; m < count; m++)
		appendStringInfo(sql, "%ssum(%s) AS n%d", m > 0 ? ", " : "",
						 part[m]->cells->sum, m);
	appendStringInfo(sql, ", count(*) AS n FROM %s AS r GROUP BY ",
					 part[0]->cells->records);
	for (j = 1; j <= groups; j++)
		appendStringInfo(sql, "%s%d", j > 1 ? ", " : "", j);
	appendStringInfoString(sql, ") AS g");
}

/*
 * Groups the records by the cells of several tables that they are in.  Of one
 * sum a group is what it is in all of them; it is called as a cell that has no
 * other group.  Returns the table of groups: its cells (c), and its name (a),
 * of each table.
 */
static char *
make_groups(SdcJoint *joint, Part *const *part, int count, bool one_sum)
{
	char *made = sdcpg_beside_table(joint->first);
	uint32 keys[MOST_MEMBERS];
	StringInfoData sql;
	StringInfoData names;
	int m;
	int k;

	for (m = 0; m < count; m++)
		keys[m] = compared_keys(joint, part, count, m);
	initStringInfo(&sql);
	initStringInfo(&names);
	for (m = 0; m < count; m++)
	{
		appendStringInfo(&names, ", CASE");
		for (k = 0; k < count; k++)
			if (one_sum || k == m)
				appendStringInfo(&names,
								 " WHEN s.c%d IS NOT NULL AND count(*) OVER"
								 " (PARTITION BY s.c%d) = 1 THEN s.c%d",
								 k, k, k);
		appendStringInfo(&names, " ELSE '%d.%d.' || s.no END AS a%d",
						 -joint->links, one_sum ? 0 : m, m);
	}
	appendStringInfo(&sql,
					 "CREATE UNLOGGED TABLE %s AS SELECT s.*%s FROM (SELECT"
					 " row_number() OVER () AS no, sum(g.n) AS n",
					 made, names.data);
	for (m = 0; m < count; m++)
		appendStringInfo(&sql, ", c%d.cell AS c%d, sum(g.n%d) AS n%d", m, m, m,
						 m);
	appendStringInfoString(&sql, " FROM ");
	append_records(&sql, joint, part, keys, count);
	for (m = 0; m < count; m++)
		append_place(&sql, joint, part[m], keys[m], m);
	appendStringInfoString(&sql, " GROUP BY ");
	for (m = 0; m < count; m++)
		appendStringInfo(&sql, "%sc%d.cell", m > 0 ? ", " : "", m);
	appendStringInfoString(&sql, ") AS s WHERE ");
	for (m = 0; m < count; m++)
		appendStringInfo(&sql, "%ss.c%d IS NOT NULL", m > 0 ? " OR " : "", m);
	(void) sdcpg_beside_run(sql.data);
	return made;
}

/* Is any of them compared only when that is not too much? */
static bool
has_extra(Part *const *part, int count)
{
	int m;

	for (m = 0; m < count; m++)
		if (part[m]->cells->extra)
			return true;
	return false;
}

/*
 * Links several tables: each cell is the sum of its groups.  Unless all are
 * the same sum, that of the first is the sum of the others.
 */
static void
link_tables(SdcJoint *joint, Part *const *part, int count, bool one_sum)
{
	bool released = false;
	const char *made;
	const char *word;
	int m;

	if (joint->links >= MOST_LINKS && has_extra(part, count))
	{
		joint->fewer = true;
		return;
	}
	if (joint->links++ >= MOST_LINKS)
		return;
	CHECK_FOR_INTERRUPTS();
	for (m = 0; m < count; m++)
		released = released || part[m]->cells->table == 0;
	word = released ? "true" : "false";
	made = make_groups(joint, part, count, one_sum);
	for (m = 0; m < count; m++)
	{
		if (m == 0 || !one_sum)
			(void) sdcpg_beside_run(
				psprintf("INSERT INTO %s SELECT g.a%d, NULL, g.n%d, %s,"
						 " g.n FROM %s AS g WHERE g.a%d LIKE '-%%'",
						 joint->all, m, m, word, made, m));
		(void) sdcpg_beside_run(psprintf(
			"INSERT INTO %s SELECT 'l%d.%d.' || g.c%d, g.c%d, g.a%d,"
			" %s FROM %s AS g WHERE g.c%d <> g.a%d",
			joint->equations, joint->links, m, m, m, m, word, made, m, m));
		if (m > 0 && !one_sum)
			(void) sdcpg_beside_run(
				psprintf("INSERT INTO %s SELECT 's%d.' || g.no, g.a0, g.a%d,"
						 " %s FROM %s AS g WHERE g.c0 IS NOT NULL AND"
						 " g.c%d IS NOT NULL",
						 joint->equations, joint->links, m, word, made, m));
	}
}

/*
 * Are all of them there with records that they have more keys of?  Those of
 * two parts of a relation have records in common where these are compared.
 */
static bool
are_copies(Part *const *part, int count)
{
	bool within = true;
	int m;

	for (m = 0; m < count; m++)
		within = within && part[m]->cells->within;
	if (within)
		return true;
	for (m = 0; m < count; m++)
		if (!part[m]->cells->copy || part[m]->cells->beside->original->oid !=
										 part[0]->cells->beside->original->oid)
			return false;
	return true;
}

/* Links each two tables of the same sum: with those that are extra, or not. */
static void
link_pairs(SdcJoint *joint, bool extra)
{
	int count = list_length(joint->parts);
	Part *part[2];
	int i;
	int j;

	for (i = 0; i < count; i++)
		for (j = i + 1; j < count; j++)
		{
			part[0] = list_nth(joint->parts, i);
			part[1] = list_nth(joint->parts, j);
			if (sdcpg_joint_same_sum(part[0]->cells, part[1]->cells) &&
				has_extra(part, 2) == extra && !are_copies(part, 2))
				link_tables(joint, part, 2, true);
		}
}

/* Is the sum of one table, in each record, that of the others?  Asked once. */
static bool
is_sum(SdcJoint *joint, Part *const *part, int count)
{
	StringInfoData sql;
	int m;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT bool_and(%s =", part[0]->cells->sum);
	for (m = 1; m < count; m++)
		appendStringInfo(&sql, "%s %s", m > 1 ? " +" : "",
						 part[m]->cells->sum);
	appendStringInfo(&sql, ") FROM %s AS r", part[0]->cells->records);
	if (!sdcpg_params_is_listed(joint->sums, sql.data))
	{
		joint->sums = lappend(joint->sums, sql.data);
		if (sdcpg_joint_asks(sql.data))
			joint->adding = lappend(joint->adding, sql.data);
	}
	return sdcpg_params_is_listed(joint->adding, sql.data);
}

/* Are the sums of some tables all different, and of all records? */
static bool
are_different(Part *const *part, int count)
{
	int m;

	for (m = 0; m < count; m++)
		if (part[m]->cells->only != NULL ||
			strcmp(part[m]->cells->records, part[0]->cells->records) != 0 ||
			(m < count - 1 &&
			 strcmp(part[m]->cells->sum, part[count - 1]->cells->sum) == 0))
			return false;
	return true;
}

/*
 * Links tables whose sums add up: part[0] is the total, and to those that have
 * been chosen after it others from place on are added.
 */
static void
link_sums(SdcJoint *joint, Part **part, int count, int place, bool extra)
{
	for (; place < list_length(joint->parts) && count < MOST_MEMBERS; place++)
	{
		CHECK_FOR_INTERRUPTS();
		part[count] = list_nth(joint->parts, place);
		if (!are_different(part, count + 1) ||
			(!extra && has_extra(part, count + 1)))
			continue;
		if (!is_sum(joint, part, count + 1) || are_copies(part, count + 1))
			link_sums(joint, part, count + 1, place + 1, extra);
		else if (has_extra(part, count + 1) == extra)
			/* two that are equal in each record are one sum */
			link_tables(joint, part, count + 1, count == 1);
	}
}

/* ----------------------------------------------------------------------
 * Cells that nobody is in
 * ----------------------------------------------------------------------
 */

/* Are the cells of a table shown as they are, or hidden, of all records? */
static bool
shows_empty(const Part *part)
{
	const SdcJointCells *cells = part->cells;

	return cells->only == NULL && !cells->copy && !cells->extra &&
		   sdcpg_gate_table_hides(cells->beside->protect);
}

/* The first key of a table that has to do with a column; -1: there is none. */
static int
related_key(const SdcJoint *joint, const Part *part, int column)
{
	int j;

	for (j = 0; column >= 0 && j < list_length(part->cells->columns); j++)
	{
		int own = key_column(joint, part, j);

		if (own >= 0 && (part->keys & (1U << j)) != 0 &&
			joint->column[column].related[own])
			return j;
	}
	return -1;
}

/*
 * Joins the cells (s) of a table to those (c) of another one that have records
 * with the same values in common; false when it has no totals of a key that
 * the other one has not.
 */
static bool
append_overlap(StringInfo sql, const SdcJoint *joint, const Part *shows,
			   const Part *hides)
{
	int j;

	for (j = 0; j < list_length(shows->cells->columns); j++)
	{
		int own =
			(shows->keys & (1U << j)) == 0 ? -1 : key_column(joint, shows, j);
		int other = related_key(joint, hides, own);

		if (other < 0 && (shows->fixed & (1U << j)) != 0)
			return false;
		if (other < 0)
			appendStringInfo(sql, " AND s.p%d IS NULL", j);
		else
			appendStringInfo(
				sql,
				" AND (s.k%d, c.k%d) = ANY (SELECT a.label, b.label"
				" FROM (SELECT DISTINCT %s AS x, %s AS y FROM %s AS r) AS v"
				" JOIN %s AS a ON a.part = %d AND a.key_no = %d"
				" AND a.value = v.x JOIN %s AS b ON b.part = %d"
				" AND b.key_no = %d AND b.value = v.y)",
				j, other, sdcpg_beside_text(joint->column[own].name),
				sdcpg_beside_text(
					joint->column[key_column(joint, hides, other)].name),
				shows->cells->records, joint->leaf, shows->place, j,
				joint->leaf, hides->place, other);
	}
	return true;
}

/*
 * Whatever a table sums, where it shows that nobody is, others are 0: a hidden
 * cell of 0 is the sum of the cells that it overlaps, if each is shown as 0.
 */
static void
link_empty(SdcJoint *joint, const Part *shows, const Part *hides)
{
	bool released = shows->cells->table == 0 || hides->cells->table == 0;
	StringInfoData join;

	initStringInfo(&join);
	if (shows->cells == hides->cells || !shows_empty(shows) ||
		!shows_empty(hides) ||
		strcmp(shows->cells->records, hides->cells->records) != 0 ||
		!append_overlap(&join, joint, shows, hides))
		return;
	CHECK_FOR_INTERRUPTS();
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s SELECT 'e%d.' || o.total, o.total, o.part, %s"
		" FROM (SELECT c.cell AS total, s.cell AS part,"
		" bool_and(COALESCE(s.shown = 0, false))"
		" OVER (PARTITION BY c.cell) AS empty FROM %s AS c JOIN %s AS s"
		" ON c.part = %d AND s.part = %d AND c.hidden AND c.truth = 0%s) AS o"
		" WHERE o.empty",
		joint->equations, shows->place, released ? "true" : "false",
		hides->cells->made, shows->cells->made, hides->number, shows->number,
		join.data));
}

/* What tables show of cells that nobody is in, to all others. */
static void
link_empties(SdcJoint *joint)
{
	ListCell *hides;
	ListCell *shows;

	foreach (hides, joint->parts)
	{
		const Part *part = lfirst(hides);

		if (!sdcpg_joint_asks(
				psprintf("SELECT true FROM %s AS c WHERE c.part = %d"
						 " AND c.hidden AND c.truth = 0 LIMIT 1",
						 part->cells->made, part->number)))
			continue;
		foreach (shows, joint->parts)
			link_empty(joint, lfirst(shows), part);
	}
}

/* Equations that do not hold of the true values are not told. */
static void
check_equations(const SdcJoint *joint)
{
	(void) sdcpg_beside_run(psprintf(
		"DELETE FROM %s AS e USING (SELECT e.equation FROM %s AS e"
		" JOIN %s AS t ON t.cell = e.total JOIN %s AS p ON p.cell = e.part"
		" GROUP BY 1 HAVING abs(min(t.truth) - sum(p.truth)) >"
		" " SDC_BESIDE_SAME
		" * (1 + abs(min(t.truth)))) AS b WHERE e.equation = b.equation",
		joint->equations, joint->equations, joint->all, joint->all));
}

/* Links all tables: with those that are extra, or not. */
static void
link_all(SdcJoint *joint, bool extra)
{
	ListCell *item;
	Part *part[MOST_MEMBERS];

	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);

		if (cells->only == NULL && !cells->copy && cells->extra == extra)
			add_equations(joint, cells);
	}
	link_pairs(joint, extra);
	foreach (item, joint->parts)
	{
		part[0] = lfirst(item);
		if (part[0]->cells->only == NULL)
			link_sums(joint, part, 1, 0, extra);
	}
}

/* Is it too much, as the end of a sentence; with what is extra, or without. */
static const char *
too_much(const SdcJoint *joint, bool extra)
{
	int hidden = joint->exact ? MOST_EXACT : MOST_HIDDEN;
	const char *which =
		extra ? "true" : "j.cell NOT LIKE '" SDC_JOINT_EXTRA "%'";

	if (joint->links > MOST_LINKS)
		return psprintf("they are compared in more than %d ways", MOST_LINKS);
	if (!sdcpg_joint_asks(
			psprintf("SELECT count(*) <= %d FROM %s AS j WHERE %s", MOST_CELLS,
					 joint->all, which)))
		return psprintf("they have more than %d cells and groups of records",
						MOST_CELLS);
	if (!sdcpg_joint_asks(psprintf("SELECT count(*) <= %d FROM %s AS j"
								   " WHERE j.value IS NULL AND %s",
								   hidden, joint->all, which)))
		return psprintf("they hide more than %d cells and groups of records",
						hidden);
	return NULL;
}

/* Leaves away what is extra: names say of which link groups are. */
static void
leave_extra(SdcJoint *joint, int links)
{
	joint->fewer = true;
	(void) sdcpg_beside_run(
		psprintf("DELETE FROM %s AS j WHERE j.cell LIKE '" SDC_JOINT_EXTRA
				 "%%' OR (j.cell LIKE '-%%' AND"
				 " CAST(split_part(substr(j.cell, 2), '.', 1) AS int) > %d)",
				 joint->all, links));
	(void) sdcpg_beside_run(psprintf(
		"DELETE FROM %s AS e WHERE NOT EXISTS (SELECT FROM %s AS j"
		" WHERE j.cell = e.total) OR (e.equation ~ '^[ls]' AND"
		" CAST(split_part(substr(e.equation, 2), '.', 1) AS int) > %d)",
		joint->equations, joint->all, links));
}

const char *
sdcpg_joint_link(SdcJoint *joint)
{
	ListCell *item;
	const char *reason;
	int links;
	int parts;

	forget_failed(joint);
	sdcpg_joint_others(joint);
	foreach (item, joint->cells)
		if (!((SdcJointCells *) lfirst(item))->extra)
			add_parts(joint, lfirst(item));
	parts = list_length(joint->parts);
	if (parts > MOST_TABLES)
		return psprintf("they are more than %d", MOST_TABLES);
	foreach (item, joint->cells)
		if (((SdcJointCells *) lfirst(item))->extra)
			add_parts(joint, lfirst(item));
	if (list_length(joint->parts) > 2 * MOST_TABLES)
	{
		joint->parts = list_truncate(joint->parts, parts);
		joint->fewer = true;
	}
	reason = too_much(joint, false);
	if (reason != NULL)
		return reason;
	relate_columns(joint);
	link_all(joint, false);
	link_empties(joint);
	reason = too_much(joint, false);
	if (reason != NULL)
		return reason;
	links = joint->links;
	link_all(joint, true);
	if (too_much(joint, true) != NULL)
		leave_extra(joint, links);
	check_equations(joint);
	return NULL;
}

const char *
sdcpg_joint_lacks(const SdcJoint *joint)
{
	StringInfoData lacks;

	initStringInfo(&lacks);
	if (joint->large[0] != NULL)
		appendStringInfo(&lacks,
						 " Columns \"%s\" and \"%s\" have more than %d pairs "
						 "of values, and were not compared.",
						 joint->large[1], joint->large[0], MOST_PAIRS);
	if (joint->fewer)
		appendStringInfoString(
			&lacks, " Not all tables of other relations, and of sums that are "
					"made of others, were compared, as they are too many.");
	return lacks.data;
}

/* ----------------------------------------------------------------------
 * The attack
 * ----------------------------------------------------------------------
 */

/* The table without what is of the one that is released. */
static char *
make_others(const SdcJoint *joint, const char *name)
{
	char *made = sdcpg_beside_table(joint->first);

	(void) sdcpg_beside_run(psprintf("CREATE UNLOGGED TABLE %s AS SELECT *"
									 " FROM %s AS j WHERE NOT j.released",
									 made, name));
	return made;
}

/* What can be computed of all cells, as SQL: cell, lowest, highest. */
static char *
attack_all(const SdcJoint *joint, bool with_released)
{
	const char *all =
		with_released ? joint->all : make_others(joint, joint->all);
	const char *equations = with_released
								? joint->equations
								: make_others(joint, joint->equations);
	char *known = sdcpg_beside_table(joint->first);
	char *made = sdcpg_beside_table(joint->first);
	bool whole = joint->counts &&
				 sdcpg_joint_asks(psprintf("SELECT count(*) <= %d FROM %s AS j"
										   " WHERE j.value IS NULL",
										   MOST_WHOLE, all));

	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT k.* FROM %s AS k JOIN %s AS j"
		" ON j.cell = k.cell",
		known, joint->known, all));
	(void) sdcpg_beside_run(
		psprintf("CREATE UNLOGGED TABLE %s AS SELECT a.cell->>'cell' AS cell,"
				 " CAST(a.lowest AS numeric) AS lowest,"
				 " CAST(a.highest AS numeric) AS highest, a.exact"
				 " FROM sdc.attack_table(%s,"
				 " ARRAY['cell']::name[], 'value', jsonb_build_object('parts',"
				 " %s::text, 'known', %s::text%s%s)) AS a",
				 made, quote_literal_cstr(all), quote_literal_cstr(equations),
				 quote_literal_cstr(known), whole ? ", 'unit', 1" : "",
				 joint->exact ? ", 'exact', true" : ""));
	return made;
}

void
sdcpg_joint_tell(SdcJoint *joint, bool with_released, int table)
{
	char *found = with_released && joint->found != NULL
					  ? joint->found
					  : attack_all(joint, with_released);
	ListCell *item;

	if (with_released)
		joint->found = found;
	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);
		StringInfoData keys;
		int j;

		if (cells->table != table || cells->only != NULL || cells->copy ||
			cells->beside_means)
			continue;
		initStringInfo(&keys);
		for (j = 0; j < list_length(cells->beside->keys); j++)
			appendStringInfo(&keys, "c.k%d, ", j);
		(void) sdcpg_beside_run(psprintf(
			"INSERT INTO %s SELECT %sf.lowest * c.scale,"
			" f.highest * c.scale, 0, 0 FROM %s AS f JOIN %s AS c"
			" ON c.cell = f.cell WHERE c.truth BETWEEN"
			" f.lowest - 1e-6 - " SDC_BESIDE_SAME " * c.truth"
			" AND COALESCE(f.highest, c.truth) + 1e-6 + " SDC_BESIDE_SAME
			" * c.truth",
			cells->beside->known, keys.data, found, cells->made));
	}
}

/*
 * Respondents from whom on a group is safe by the rules of a table, if they
 * say so; 0: they do not.
 */
static char *
safe_from(const SdcBeside *beside)
{
	Jsonb *rules = sdcpg_params_object(beside->protect, "rules");

	if (rules == NULL)
		return "3";
	return psprintf("(SELECT GREATEST(0, CAST(u.r->>'threshold' AS numeric),"
					" CASE WHEN u.r->>'p_percent' IS NOT NULL OR"
					" u.r->>'pq' IS NOT NULL THEN 3 END,"
					" CAST(u.r->'dominance'->>0 AS numeric) + 1)"
					" FROM (SELECT %s::jsonb AS r) AS u)",
					quote_literal_cstr(
						JsonbToCString(NULL, &rules->root, VARSIZE(rules))));
}

int64
sdcpg_joint_inner(const SdcJoint *joint)
{
	if (joint->found == NULL)
		return 0;
	return DatumGetInt64(
		sdcpg_beside_read(
			psprintf("SELECT count(*) FROM %s AS f JOIN %s AS j"
					 " ON j.cell = f.cell WHERE j.released AND f.exact"
					 " AND j.records < %s AND abs(f.lowest - j.truth) <="
					 " 1e-6 + " SDC_BESIDE_SAME " * j.truth",
					 joint->found, joint->all, safe_from(joint->first)))
			->value[0][0]);
}
