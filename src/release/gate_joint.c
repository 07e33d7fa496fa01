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
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "host/call/params.h"
#include "release/document.h"
#include "release/gate_beside.h"
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

/* Keys by which the ratio of two sums may differ. */
#define MOST_RATIO_KEYS 8

/* Tables whose sums are compared at once: a sum, and its parts. */
#define MOST_MEMBERS 4

/* With no more hidden cells it is taken into account that counts are whole. */
#define MOST_WHOLE 300

/* Cells with their values: those of a table, or what is taken of them. */
typedef struct Cells
{
	SdcBeside *beside;
	int table;           /* as in sdcpg_joint_tell */
	const char *records; /* that they consist of, as SQL */
	List *columns;       /* char *: of these, its keys; NULL: it has not */
	bool copy;           /* the same cells are there, of other records */
	const char *made;    /* the table of them, as SQL */
	const char *value;   /* the column that is summed, or NULL */
	const char *sum;     /* what is summed of a record (r), as SQL */
	const char *only;    /* the records that are, as SQL; NULL: all */
	const char *by;      /* the column that says so, or NULL */
	bool beside_means;   /* how many respondents means are of */
} Cells;

/* One of the tables that these are of. */
typedef struct Part
{
	const Cells *cells;
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

struct SdcJoint
{
	SdcBeside *first;
	List *cells; /* Cells * */
	List *parts; /* Part * */
	int columns;
	Column *column;
	int links;
	int tables;
	bool counts; /* all values are counts */
	bool exact;  /* nothing is asked but what can be computed exactly */
	char *all;   /* the table of all cells, as SQL */
	char *known; /* that of what is known of them */
	char *leaf;  /* that of the lowest labels that values are in */
	char *equations;
	char *found;  /* what all of them give away, or NULL: not yet asked */
	List *sums;   /* char *: of which it has been asked whether they add up */
	List *adding; /* those of them that do */
	const char *large[2]; /* two columns with too many pairs, or NULL */
};

/* ----------------------------------------------------------------------
 * The cells of each table
 * ----------------------------------------------------------------------
 */

/* Is what a query of one row and column says true? */
static bool
is_true(const char *sql)
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

/* The same in a table that was made of them. */
static char *
made_columns(const SdcBeside *beside)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	for (j = 0; j < list_length(beside->keys); j++)
		appendStringInfo(&list, "c.k%d, c.p%d, ", j, j);
	return list.data;
}

/* As SQL: is this of what is released? */
static const char *
is_released(const Cells *cells)
{
	return cells->table == 0 ? "true" : "false";
}

/* Adds cells that have been made to all. */
static void
add_cells(SdcJoint *joint, Cells *cells)
{
	joint->cells = lappend(joint->cells, cells);
	(void) sdcpg_beside_run(psprintf("INSERT INTO %s SELECT c.cell, c.shown,"
									 " c.truth, %s, NULL FROM %s AS c",
									 joint->all, is_released(cells),
									 cells->made));
}

/*
 * Makes the cells of a table.  What it shows as they are now is their value;
 * of changed values nothing is.
 */
static Cells *
make_cells(SdcJoint *joint, SdcBeside *beside, const char *published)
{
	Cells *cells = palloc0(sizeof(Cells));
	bool hides = sdcpg_gate_table_hides(beside->protect);

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
		" AS hidden, NULL::text AS origin, 1::numeric AS scale"
		" FROM %s AS t LEFT JOIN %s AS p ON %s",
		cells->made, list_length(joint->cells), label_columns(beside, "t"),
		sdcpg_beside_numbers(beside) ? "t." SDC_TABULAR_NUMBER : "0",
		beside->cells,
		hides ? psprintf("CASE WHEN p.%s = %s THEN t.%s END", beside->cells,
						 sdcpg_beside_now(beside), beside->cells)
			  : "NULL",
		sdcpg_beside_key(beside, 0), beside->cells, beside->truth, published,
		sdcpg_beside_same(beside, "p", "t")));
	add_cells(joint, cells);
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
attack_of(const Cells *cells, const SdcGateCase *of, const char *published)
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
 * NULL: a respondent has several rows, or none with a value, and they are not
 * numbers of rows.
 */
static Jsonb *
protect_counts(const SdcBeside *beside)
{
	Jsonb *params = sdcpg_params_object(beside->protect, "params");
	const char *column = quote_identifier(beside->value);
	StringInfoData document;
	static const char *const gone[] = {"cell", "digits", "names"};
	int i;

	if (sdcpg_params_has(params, "respondent") ||
		!is_true(psprintf("SELECT count(r.%s) = count(*) FROM %s AS r", column,
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
		   ((Cells *) list_nth(joint->cells, kept))->table < joint->tables)
		kept++;
	joint->cells = list_truncate(joint->cells, kept);
}

void
sdcpg_joint_add(SdcJoint *joint, SdcBeside *beside, const SdcGateCase *of,
				const char *published)
{
	Jsonb *told = sdcpg_gate_table_known(of);
	Cells *cells;

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
 * What else their values are
 * ----------------------------------------------------------------------
 */

/* Sums of 0 and 1 count the records that have 1. */
static void
add_counted(SdcJoint *joint, const Cells *cells)
{
	const char *column = quote_identifier(cells->value);
	Cells *counted;

	if (!is_true(psprintf("SELECT bool_and(r.%s IN (0, 1)) FROM %s AS r",
						  column, cells->records)))
		return;
	counted = palloc(sizeof(Cells));
	*counted = *cells;
	counted->by = cells->value;
	counted->value = NULL;
	counted->sum = "1";
	counted->only = psprintf("COALESCE(r.%s = 1, false)", column);
	joint->cells = lappend(joint->cells, counted);
}

/* Some keys of a table as one text of a record (r). */
static char *
text_of_keys(const Cells *cells, uint32 keys)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	appendStringInfoString(&list, "ARRAY['all'");
	for (j = 0; j < list_length(cells->columns); j++)
		if ((keys & (1U << j)) != 0)
			appendStringInfo(&list, ", %s",
							 sdcpg_beside_text(list_nth(cells->columns, j)));
	appendStringInfoChar(&list, ']');
	return list.data;
}

/* The same of its cells (c), of those that have a value of each. */
static char *
cells_of_keys(const SdcBeside *beside, uint32 keys)
{
	StringInfoData list;
	StringInfoData not_total;
	int j;

	initStringInfo(&list);
	initStringInfo(&not_total);
	appendStringInfoString(&list, "w.value = ARRAY['all'");
	for (j = 0; j < list_length(beside->keys); j++)
		if ((keys & (1U << j)) != 0)
		{
			appendStringInfo(&list, ", c.k%d", j);
			appendStringInfo(&not_total, " AND c.p%d IS NOT NULL", j);
		}
	appendStringInfo(&list, "]%s", not_total.data);
	return list.data;
}

/*
 * What a record has of one sum for each unit of another one, by some keys of
 * the table; as SQL: value, ratio (NULL where it tells nothing), same, n.  By
 * Cauchy and Schwarz it is the same in all records of a group when the square
 * of the sum of products is the product of the sums of squares.
 */
static char *
ratios_of(const Cells *cells, const char *sum, uint32 keys)
{
	return psprintf(
		"(SELECT r.value, CASE WHEN sum(r.x) <> 0 THEN"
		" NULLIF(sum(r.y) / sum(r.x), 0) END AS ratio,"
		" sum(r.x * r.x) * sum(r.y * r.y) - sum(r.x * r.y) * sum(r.x * r.y)"
		" <= 1e-18 * sum(r.x * r.x) * sum(r.y * r.y) AS same, count(*) AS n"
		" FROM (SELECT %s AS value, CAST(%s AS numeric) AS x, %s AS y"
		" FROM %s AS r) AS r GROUP BY 1)",
		text_of_keys(cells, keys), sum, cells->sum, cells->records);
}

/*
 * The cells of a table as those of another sum, where of all records that have
 * the same values of some keys (none: of all that there are) the ratio of both
 * is the same, and it is known, as such values have several records.
 */
static bool
add_weighed(SdcJoint *joint, const Cells *cells, const Cells *base,
			uint32 keys)
{
	const char *sum = base == NULL ? "1" : base->sum;
	const char *ratios = ratios_of(cells, sum, keys);
	Cells *weighed;
	int digits;

	if (!is_true(psprintf("SELECT bool_and(w.same) AND 3 * count(w.ratio) <="
						  " sum(w.n) FILTER (WHERE w.ratio IS NOT NULL)"
						  " FROM %s AS w",
						  ratios)))
		return false;
	digits = base == NULL ? 0 : base->beside->digits;
	weighed = palloc(sizeof(Cells));
	*weighed = *cells;
	weighed->copy = false;
	weighed->value = base == NULL ? NULL : base->value;
	weighed->sum = sum;
	weighed->made = sdcpg_beside_table(joint->first);
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT 'w%d.' || c.cell AS cell, %s"
		"c.part, round(c.truth / w.ratio, %d) AS truth,"
		" round(c.shown / w.ratio, %d) AS shown,"
		" c.hidden, c.cell AS origin, w.ratio AS scale FROM %s AS c"
		" JOIN %s AS w ON w.ratio IS NOT NULL AND %s",
		weighed->made, list_length(joint->cells), made_columns(cells->beside),
		digits, digits, cells->made, ratios,
		cells_of_keys(cells->beside, keys)));
	add_cells(joint, weighed);
	return true;
}

/* The next larger number that has as many bits. */
static uint32
next_of_size(uint32 set)
{
	uint32 low = set & (~set + 1);
	uint32 up = set + low;

	return up | (((set ^ up) / low) >> 2);
}

/* The keys of a table that its records have, of the first ones. */
static uint32
keys_of_records(const Cells *cells)
{
	uint32 keys = 0;
	int j;

	for (j = 0; j < Min(list_length(cells->columns), MOST_RATIO_KEYS); j++)
		if (list_nth(cells->columns, j) != NULL)
			keys |= 1U << j;
	return keys;
}

/* How two sums go together. */
typedef enum Ratio
{
	RATIO_NONE,
	RATIO_BY_KEYS,
	RATIO_OF_ALL
} Ratio;

/*
 * The same by as few keys as that takes; by all of them it must be, too, which
 * is asked first.
 */
static Ratio
add_ratio(SdcJoint *joint, const Cells *cells, const Cells *base)
{
	uint32 all = keys_of_records(cells);
	int count = pg_popcount32(all);
	List *found = NIL;
	int size;
	uint32 keys;

	if (!is_true(
			psprintf("SELECT bool_and(w.same) FROM %s AS w",
					 ratios_of(cells, base == NULL ? "1" : base->sum, all))))
		return RATIO_NONE;
	if (add_weighed(joint, cells, base, 0))
		return RATIO_OF_ALL;
	for (size = 1; size <= count; size++)
		for (keys = (1U << size) - 1; keys <= all; keys = next_of_size(keys))
		{
			ListCell *item;
			bool more = (keys & ~all) != 0;

			foreach (item, found)
				more = more || ((uint32) lfirst_int(item) & ~keys) == 0;
			if (!more && add_weighed(joint, cells, base, keys))
				found = lappend_int(found, (int) keys);
		}
	return found == NIL ? RATIO_NONE : RATIO_BY_KEYS;
}

/* Are the values of two tables the same sum of the same records? */
static bool
are_same_sum(const Cells *a, const Cells *b)
{
	return strcmp(a->sum, b->sum) == 0 && strcmp(a->records, b->records) == 0;
}

/* The first table of the sum of a table. */
static int
first_of_sum(const SdcJoint *joint, int i)
{
	const Cells *cells = list_nth(joint->cells, i);
	int first = 0;

	while (!are_same_sum(list_nth(joint->cells, first), cells))
		first++;
	return first;
}

/*
 * Sums of a table as those of tables before it, and the other way round where
 * it has not the keys that this takes.  What is the same for all is so for
 * what is compared with that.
 */
static void
add_ratios(SdcJoint *joint, int i)
{
	const Cells *cells = list_nth(joint->cells, i);
	Ratio ratio = add_ratio(joint, cells, NULL);
	int first = first_of_sum(joint, i);
	int other;

	for (other = 0; other < i && ratio != RATIO_OF_ALL; other++)
	{
		const Cells *base = list_nth(joint->cells, other);

		if (base->value == NULL || other == first ||
			strcmp(base->records, cells->records) != 0 ||
			first_of_sum(joint, other) < other)
			continue;
		ratio = add_ratio(joint, cells, base);
		if (ratio == RATIO_NONE)
			(void) add_ratio(joint, base, cells);
	}
}

/* What the values of tables are besides: counts, and other sums. */
static void
add_others(SdcJoint *joint)
{
	int count = list_length(joint->cells);
	int i;

	for (i = 0; i < count; i++)
	{
		const Cells *cells = list_nth(joint->cells, i);

		if (cells->value == NULL)
			continue;
		add_counted(joint, cells);
		add_ratios(joint, i);
	}
}

/* ----------------------------------------------------------------------
 * Cells of other relations
 * ----------------------------------------------------------------------
 */

/* The place of a name in a list, to which it is added. */
static int
place_name(List **names, char *name)
{
	ListCell *item;
	int i = 0;

	foreach (item, *names)
	{
		if (strcmp(lfirst(item), name) == 0)
			return i;
		i++;
	}
	*names = lappend(*names, name);
	return i;
}

/* Adds what tables of a relation have to what is joined of it. */
static void
add_to_side(const SdcJoint *joint, SdcRelatedSide *side)
{
	ListCell *item;
	ListCell *key;

	foreach (item, joint->cells)
	{
		const Cells *cells = lfirst(item);

		if (cells->copy || cells->beside->original->oid != side->relation->oid)
			continue;
		foreach (key, cells->columns)
			(void) place_name(&side->keys, lfirst(key));
		if (cells->beside->value != NULL)
			(void) place_name(&side->values, cells->beside->value);
	}
}

/* The same cells as sums over units. */
static Cells *
copy_cells(const Cells *cells, SdcRelatedSide *side, int s, const char *made)
{
	Cells *copy = palloc(sizeof(Cells));
	ListCell *key;

	*copy = *cells;
	copy->copy = true;
	copy->records = made;
	copy->columns = NIL;
	foreach (key, cells->columns)
	{
		int place = place_name(&side->keys, lfirst(key));

		copy->columns = lappend(
			copy->columns,
			side->constant[place] ? psprintf("k%d_%d", s, place) : NULL);
	}
	copy->value =
		cells->value == NULL
			? psprintf("n%d", s)
			: psprintf("v%d_%d", s,
					   place_name(&side->values, cells->beside->value));
	copy->sum = psprintf("CAST(r.%s AS numeric)", copy->value);
	return copy;
}

/* The column that says who a record is from, or NULL. */
static const char *
respondent_of(const SdcBeside *beside)
{
	return sdcpg_params_text(sdcpg_params_object(beside->protect, "params"),
							 "respondent");
}

/* Tables of another relation become comparable with those of the first one. */
static void
join_relation(SdcJoint *joint, const SdcBeside *other)
{
	const char *respondent[2] = {respondent_of(joint->first),
								 respondent_of(other)};
	int ways = 1;
	int number;

	for (number = 0; number < ways; number++)
	{
		SdcRelatedSide side[2] = {{joint->first->original}, {other->original}};
		int count = list_length(joint->cells);
		const char *made;
		int i;
		int s;

		ways = sdcpg_related_by(side, respondent, number);
		if (number >= ways)
			return;
		for (s = 0; s < 2; s++)
			add_to_side(joint, &side[s]);
		made = sdcpg_related_join(joint->first, side);
		for (i = 0; i < count; i++)
		{
			const Cells *cells = list_nth(joint->cells, i);

			for (s = 0; s < 2; s++)
				if (!cells->copy &&
					cells->beside->original->oid == side[s].relation->oid)
					joint->cells = lappend(
						joint->cells, copy_cells(cells, &side[s], s, made));
		}
	}
}

/* All relations are joined with the first one, each once. */
static void
join_relations(SdcJoint *joint)
{
	List *joined = list_make1_oid(joint->first->original->oid);
	int count = list_length(joint->cells);
	int i;

	for (i = 0; i < count; i++)
	{
		const Cells *cells = list_nth(joint->cells, i);
		Oid oid = cells->beside->original->oid;

		if (list_member_oid(joined, oid))
			continue;
		joined = lappend_oid(joined, oid);
		join_relation(joint, cells->beside);
	}
}

/* ----------------------------------------------------------------------
 * Equations of each table, and the columns that it is made of
 * ----------------------------------------------------------------------
 */

/* A cell is the sum of those that differ in one key, and are parts of it. */
static void
add_equations(SdcJoint *joint, const Cells *cells)
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
	const Cells *cells = part->cells;

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
add_parts(SdcJoint *joint, const Cells *cells)
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
		room += list_length(((Cells *) lfirst(item))->beside->keys) + 1;
	joint->column = palloc0(sizeof(Column) * room);
	foreach (item, joint->cells)
	{
		const Cells *cells = lfirst(item);

		foreach (key, cells->columns)
			if (lfirst(key) != NULL)
				(void) column_number(joint, cells->records, lfirst(key));
		if (cells->by != NULL)
			(void) column_number(joint, cells->records, cells->by);
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
	const Cells *cells = part->cells;
	int j;

	if (cells->by != NULL &&
		joint->column[column].related[column_number(
			(SdcJoint *) joint, cells->records, cells->by)])
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
			all = k == m || has_related(joint, part[k], own);
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

/* Are all of them there with records that they have more keys of? */
static bool
are_copies(Part *const *part, int count)
{
	int m;

	for (m = 0; m < count; m++)
		if (!part[m]->cells->copy || part[m]->cells->beside->original->oid !=
										 part[0]->cells->beside->original->oid)
			return false;
	return true;
}

/* Links each two tables of the same sum. */
static void
link_pairs(SdcJoint *joint)
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
			if (are_same_sum(part[0]->cells, part[1]->cells) &&
				!are_copies(part, 2))
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
		if (is_true(sql.data))
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
link_sums(SdcJoint *joint, Part **part, int count, int place)
{
	for (; place < list_length(joint->parts) && count < MOST_MEMBERS; place++)
	{
		CHECK_FOR_INTERRUPTS();
		part[count] = list_nth(joint->parts, place);
		if (!are_different(part, count + 1))
			continue;
		if (is_sum(joint, part, count + 1) && !are_copies(part, count + 1))
			link_tables(joint, part, count + 1, false);
		else
			link_sums(joint, part, count + 1, place + 1);
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

const char *
sdcpg_joint_link(SdcJoint *joint)
{
	ListCell *item;
	Part *part[MOST_MEMBERS];
	int hidden;

	forget_failed(joint);
	join_relations(joint);
	add_others(joint);
	foreach (item, joint->cells)
		add_parts(joint, lfirst(item));
	if (list_length(joint->parts) > MOST_TABLES)
		return psprintf("they are more than %d", MOST_TABLES);
	if (!is_true(
			psprintf("SELECT count(*) <= %d FROM %s", MOST_CELLS, joint->all)))
		return psprintf("they have more than %d cells", MOST_CELLS);
	relate_columns(joint);
	foreach (item, joint->cells)
		if (((Cells *) lfirst(item))->only == NULL &&
			!((Cells *) lfirst(item))->copy)
			add_equations(joint, lfirst(item));
	link_pairs(joint);
	foreach (item, joint->parts)
	{
		part[0] = lfirst(item);
		if (part[0]->cells->only == NULL)
			link_sums(joint, part, 1, 0);
	}
	if (joint->links > MOST_LINKS)
		return psprintf("they are compared in more than %d ways", MOST_LINKS);
	if (!is_true(
			psprintf("SELECT count(*) <= %d FROM %s", MOST_CELLS, joint->all)))
		return psprintf("they have more than %d groups of records",
						MOST_CELLS);
	hidden = joint->exact ? MOST_EXACT : MOST_HIDDEN;
	if (!is_true(psprintf("SELECT count(*) <= %d FROM %s AS j"
						  " WHERE j.value IS NULL",
						  hidden, joint->all)))
		return psprintf("they hide more than %d cells and groups of records",
						hidden);
	check_equations(joint);
	return NULL;
}

const char *
sdcpg_joint_lacks(const SdcJoint *joint)
{
	return joint->large[0] == NULL
			   ? ""
			   : psprintf(" Columns \"%s\" and \"%s\" have more than %d pairs "
						  "of values, and were not compared.",
						  joint->large[1], joint->large[0], MOST_PAIRS);
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
	bool whole =
		joint->counts && is_true(psprintf("SELECT count(*) <= %d FROM %s AS j"
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
		const Cells *cells = lfirst(item);
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
