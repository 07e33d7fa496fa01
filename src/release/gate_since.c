/*
 * gate_since.c
 *		A table of cells, and an older one of another policy, brought to the
 *		same labels, so that what has changed is seen.
 *
 * Who has an older table of the same values sees what has changed since, as
 * does who has the last release of the policy itself.  Another hierarchy,
 * other levels, another name of the total or linked tables do not hinder him:
 * which values are in a group everybody knows.  So each table is brought to
 * the labels of the other one: a cell is the sum of those of the other table
 * that are all of it, and not known where there are none, or one is hidden.
 * What is compared are the keys that both have, at the total of others.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/snapmgr.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/error.h"
#include "release/document.h"
#include "release/gate_beside.h"
#include "topic/generalization/hierarchy.h"
#include "topic/tabular/tabular_topic.h"

/* One table of cells that is compared, of those that are in one. */
typedef struct Side
{
	SdcBeside *beside;
	int number;        /* table_no; 0: it is alone */
	const char *cells; /* its rows as they are published, as SQL */
	const char *truth; /* those with the values of now */
	const char *total; /* the label of its totals, as SQL */
	char *shown;       /* made: key_no, label, parent of what it shows */
	char *leaf;        /* made: key_no, label, leaf: the values in a label */
} Side;

/* Keys of the new table; those that both have are compared. */
typedef struct Since
{
	List *keys; /* char * */
	bool *both; /* of each key */
} Since;

/* ----------------------------------------------------------------------
 * Labels
 * ----------------------------------------------------------------------
 */

/* Is a table by a key, and not at its total in all rows? */
static bool
has_key(const Side *side, const char *key)
{
	return sdcpg_params_is_listed(side->beside->keys, key) &&
		   DatumGetBool(sdcpg_beside_read(
							psprintf("SELECT COALESCE(bool_or(t.%s IS NOT"
									 " NULL), false) FROM %s AS t",
									 sdcpg_beside_parent(key), side->cells))
							->value[0][0]);
}

/*
 * The label of the total over a key that a side shows, as SQL: called anew
 * where a value has that name.
 */
static char *
total_of(const Side *side, int j)
{
	return psprintf("COALESCE((SELECT h.label FROM %s AS h WHERE h.key_no = %d"
					" AND h.parent IS NULL LIMIT 1), %s)",
					side->shown, j, side->total);
}

/*
 * The labels of a key that a side has: those that are published, and values
 * that came since; a group that came since is not one that it shows.
 */
static void
add_shown(const Side *side, int j, const char *key)
{
	const char *name = quote_identifier(key);
	const char *parent = sdcpg_beside_parent(key);

	(void) sdcpg_beside_run(
		psprintf("INSERT INTO %s SELECT DISTINCT %d, t.%s, t.%s FROM %s AS t",
				 side->shown, j, name, parent, side->cells));
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s SELECT DISTINCT %d, t.%s, COALESCE(s.label, %s)"
		" FROM %s AS t LEFT JOIN %s AS s ON s.key_no = %d AND s.label = t.%s"
		" WHERE NOT EXISTS (SELECT FROM %s AS h WHERE h.key_no = %d AND"
		" h.label = t.%s) AND NOT EXISTS (SELECT FROM %s AS c WHERE"
		" c.%s = t.%s)",
		side->shown, j, name, total_of(side, j), side->truth, side->shown, j,
		parent, side->shown, j, name, side->truth, parent, name));
}

/* The place of a key among those of a side. */
static int
own_place(const Side *side, const char *key)
{
	int own = 0;

	while (strcmp(list_nth(side->beside->keys, own), key) != 0)
		own++;
	return own;
}

/*
 * The values that are in each label of a key, also in those between: by the
 * values of now, and by what is shown.
 */
static void
add_leaves(const Side *side, int j, const char *key)
{
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s WITH RECURSIVE l AS (SELECT l.label, l.parent FROM %s"
		" AS l WHERE l.key_no = %d UNION SELECT s.label, s.parent FROM %s AS s"
		" WHERE s.key_no = %d), w AS (SELECT l.label, l.label AS leaf"
		" FROM l WHERE NOT EXISTS (SELECT FROM l AS c WHERE c.parent ="
		" l.label AND c.label <> l.label) UNION SELECT l.parent, w.leaf"
		" FROM w JOIN l ON l.label = w.label WHERE l.parent IS NOT NULL)"
		" SELECT %d, w.label, w.leaf FROM w",
		side->leaf, side->beside->labels, own_place(side, key), side->shown, j,
		j));
}

static void
make_labels(const Since *since, Side *side, SdcBeside *made)
{
	int j;

	side->shown = sdcpg_beside_table(made);
	side->leaf = sdcpg_beside_table(made);
	(void) sdcpg_beside_run(psprintf("CREATE UNLOGGED TABLE %s (key_no int,"
									 " label text, parent text)",
									 side->shown));
	(void) sdcpg_beside_run(psprintf("CREATE UNLOGGED TABLE %s (key_no int,"
									 " label text, leaf text)",
									 side->leaf));
	for (j = 0; j < list_length(since->keys); j++)
		if (since->both[j])
		{
			add_shown(side, j, list_nth(since->keys, j));
			add_leaves(side, j, list_nth(since->keys, j));
		}
}

/* The hierarchy of a key in a table, or NULL. */
static char *
hierarchy_of(const Side *side, const char *key)
{
	Jsonb *params = sdcpg_params_object(side->beside->protect, "params");
	List *linked =
		side->number < 2
			? NIL
			: sdcpg_document_elements(sdcpg_document_part(params, "linked"));
	char *hierarchy =
		linked == NIL ? NULL
					  : sdcpg_params_member(list_nth(linked, side->number - 2),
											"hierarchies", key);

	return hierarchy != NULL ? hierarchy
							 : sdcpg_params_member(params, "hierarchies", key);
}

/* Runs a statement; what it did stays. */
static bool
place_gone(void *arg)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	(void) sdcpg_beside_run(arg);
	PopActiveSnapshot();
	return true;
}

/* Does so, unless the hierarchy does not know one of the values. */
static void
try_to_place(char *sql)
{
	ErrorData *failure =
		sdcpg_error_attempt(CurrentMemoryContext, place_gone, sql);

	/* what it wrote is to be seen */
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
	if (failure != NULL && sdcpg_error_is_of_server(failure))
		ReThrowError(failure);
}

/*
 * Fills a table (label, parent) with the values that an older table
 * shows and nobody has now, and the groups that they would be in.
 */
static char *
find_gone(const Side *before, const Side *now, int j, const char *key)
{
	char *gone = sdcpg_beside_table(now->beside);
	char *hierarchy = hierarchy_of(now, key);
	SdcRelationColumn column =
		sdcpg_relation_column(now->beside->original, key);

	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT s.label, %s AS parent FROM %s AS s"
		" WHERE s.key_no = %d AND NOT EXISTS (SELECT FROM %s AS l WHERE"
		" l.key_no = %d AND l.label = s.label) AND NOT EXISTS (SELECT FROM %s"
		" AS c WHERE c.key_no = %d AND c.parent = s.label)",
		gone, total_of(now, j), before->shown, j, before->beside->labels,
		own_place(before, key), before->shown, j));
	if (hierarchy != NULL)
		try_to_place(psprintf(
			"UPDATE %s AS g SET parent = n.label FROM (SELECT DISTINCT ON"
			" (g.label) g.label AS value, n.label FROM %s AS g CROSS JOIN"
			" generate_series(1, %d) AS v(level) JOIN %s AS n ON n.key_no = %d"
			" AND n.label = sdc.generalize(CAST(g.label AS %s), %s, v.level)"
			" WHERE g.label <> '(null)' ORDER BY g.label, v.level) AS n"
			" WHERE n.value = g.label",
			gone, gone, sdcpg_hierarchy_height(hierarchy), now->shown, j,
			format_type_be_qualified(column.type),
			quote_literal_cstr(hierarchy)));
	return gone;
}

/* Adds them to both: each has nobody in it now. */
static void
add_gone(const Side *before, const Side *now, int j, const char *key)
{
	const char *gone = find_gone(before, now, j, key);

	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s SELECT %d, g.label, g.parent FROM %s AS g WHERE EXISTS"
		" (SELECT FROM %s AS c WHERE c.key_no = %d AND c.parent = g.parent)",
		now->shown, j, gone, now->shown, j));
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s WITH RECURSIVE w AS (SELECT l.label, g.label AS leaf"
		" FROM %s AS g CROSS JOIN LATERAL (VALUES (g.label), (g.parent))"
		" AS l(label) UNION SELECT s.parent, w.leaf FROM w JOIN %s AS s ON"
		" s.key_no = %d AND s.label = w.label WHERE s.parent IS NOT NULL)"
		" SELECT %d, w.label, w.leaf FROM w",
		now->leaf, gone, now->shown, j, j));
}

/* Have both tables the same labels, in the same groups? */
static bool
have_same_groups(const Side *now, const Side *before)
{
	return strcmp(now->total, before->total) == 0 &&
		   !DatumGetBool(
			   sdcpg_beside_read(
				   psprintf("SELECT EXISTS (SELECT FROM %s AS n FULL JOIN %s"
							" AS b ON b.key_no = n.key_no AND b.label ="
							" n.label WHERE n.label IS NULL OR b.label IS NULL"
							" OR n.parent IS DISTINCT FROM b.parent)",
							now->shown, before->shown))
				   ->value[0][0]);
}

/*
 * Of each label l of a side, with its parent p, the labels m of the other one
 * that are all of it: the largest ones.  m is NULL where there are none.
 */
static void
add_cover(const Side *to, const Side *from, const char *cover, int j)
{
	(void) sdcpg_beside_run(psprintf(
		"INSERT INTO %s WITH t AS (SELECT s.label, l.leaf FROM %s AS s JOIN"
		" %s AS l ON l.key_no = s.key_no AND l.label = s.label WHERE"
		" s.key_no = %d), f AS (SELECT s.label, l.leaf FROM %s AS s JOIN %s"
		" AS l ON l.key_no = s.key_no AND l.label = s.label WHERE s.key_no"
		" = %d), tn AS (SELECT t.label, count(*) AS n FROM t GROUP BY"
		" t.label), fn AS (SELECT f.label, count(*) AS n FROM f GROUP BY"
		" f.label), within AS (SELECT t.label AS l, f.label AS m, fn.n"
		" FROM t JOIN f ON f.leaf = t.leaf JOIN fn ON fn.label = f.label"
		" GROUP BY t.label, f.label, fn.n HAVING count(*) = fn.n),"
		" best AS (SELECT DISTINCT ON (w.l, f.leaf) w.l, f.leaf, w.m FROM"
		" within AS w JOIN f ON f.label = w.m ORDER BY w.l, f.leaf, w.n DESC,"
		" w.m = w.l DESC, w.m), whole AS (SELECT b.l FROM best AS b JOIN tn ON"
		" tn.label = b.l GROUP BY b.l, tn.n HAVING count(*) = tn.n)"
		" SELECT DISTINCT %d, s.label, s.parent, b.m FROM %s AS s LEFT JOIN"
		" whole AS h ON h.l = s.label LEFT JOIN best AS b ON b.l = h.l"
		" WHERE s.key_no = %d",
		cover, to->shown, to->leaf, j, from->shown, from->leaf, j, j,
		to->shown, j));
}

/* ----------------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------------
 */

/* Is a key among those of what is compared? */
static bool
is_compared(const Since *since, const char *key)
{
	int j;

	for (j = 0; j < list_length(since->keys); j++)
		if (strcmp(list_nth(since->keys, j), key) == 0)
			return since->both[j];
	return false;
}

/* The cells of a side that are at the total of keys that are not compared. */
static char *
cells_of(const Since *since, const Side *side)
{
	StringInfoData sql;
	ListCell *item;

	initStringInfo(&sql);
	appendStringInfo(&sql, "(SELECT p.* FROM %s AS p WHERE true", side->cells);
	foreach (item, side->beside->keys)
		if (!is_compared(since, lfirst(item)))
			appendStringInfo(&sql, " AND p.%s IS NULL",
							 sdcpg_beside_parent(lfirst(item)));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* The cells of a side as they are, with its own labels. */
static char *
make_own(const Since *since, const Side *side, const Side *made)
{
	char *own = sdcpg_beside_table(made->beside);
	StringInfoData columns;
	int j;

	initStringInfo(&columns);
	for (j = 0; j < list_length(since->keys); j++)
		if (since->both[j])
			appendStringInfo(&columns, "p.%s, p.%s, ",
							 quote_identifier(list_nth(since->keys, j)),
							 sdcpg_beside_parent(list_nth(since->keys, j)));
	if (columns.len == 0)
		appendStringInfo(&columns, "%s AS %s, NULL::text AS %s, ", side->total,
						 quote_identifier(linitial(since->keys)),
						 sdcpg_beside_parent(linitial(since->keys)));
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT %sp.%s AS %s FROM %s AS p", own,
		columns.data, side->beside->cells, made->beside->cells,
		cells_of(since, side)));
	return own;
}

/* The cells of a side with the labels of another one. */
static char *
make_brought(const Since *since, const Side *from, const Side *to,
			 const Side *made)
{
	char *brought = sdcpg_beside_table(made->beside);
	char *cover = sdcpg_beside_table(made->beside);
	StringInfoData columns;
	StringInfoData source;
	StringInfoData join;
	StringInfoData known;
	StringInfoData group;
	int j;

	initStringInfo(&columns);
	initStringInfo(&source);
	initStringInfo(&join);
	initStringInfo(&known);
	initStringInfo(&group);
	(void) sdcpg_beside_run(psprintf("CREATE UNLOGGED TABLE %s (key_no int,"
									 " l text, p text, m text)",
									 cover));
	for (j = 0; j < list_length(since->keys); j++)
	{
		const char *key = list_nth(since->keys, j);

		if (!since->both[j])
			continue;
		add_cover(to, from, cover, j);
		appendStringInfo(&columns, "c%d.l AS %s, c%d.p AS %s, ", j,
						 quote_identifier(key), j, sdcpg_beside_parent(key));
		appendStringInfo(&source,
						 "%s(SELECT c.l, c.p, c.m FROM %s AS c WHERE c.key_no"
						 " = %d) AS c%d",
						 source.len == 0 ? "" : " CROSS JOIN ", cover, j, j);
		appendStringInfo(&join, " AND x.%s = c%d.m", quote_identifier(key), j);
		appendStringInfo(&known, " AND count(c%d.m) = count(*)", j);
		appendStringInfo(&group, "%sc%d.l, c%d.p", group.len == 0 ? "" : ", ",
						 j, j);
	}
	if (columns.len == 0)
	{
		appendStringInfo(&columns, "c.l AS %s, NULL::text AS %s, ",
						 quote_identifier(linitial(since->keys)),
						 sdcpg_beside_parent(linitial(since->keys)));
		appendStringInfo(&source, "(SELECT %s AS l) AS c", to->total);
		appendStringInfoString(&group, "c.l");
	}
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT %sCASE WHEN count(x.is_there) ="
		" count(x.v)%s THEN COALESCE(sum(x.v), 0) END AS %s FROM %s LEFT JOIN"
		" (SELECT p.*, p.%s AS v, true AS is_there FROM %s AS p) AS x ON"
		" true%s GROUP BY %s",
		brought, columns.data, known.data, made->beside->cells, source.data,
		from->beside->cells, cells_of(since, from), join.data, group.data));
	return brought;
}

/* ----------------------------------------------------------------------
 * Cases
 * ----------------------------------------------------------------------
 */

/* The case of a table by the keys that are compared, since another one. */
static SdcSince *
make_case(const SdcGateCase *whole, const Since *since, const Side *labels,
		  char *now, char *before)
{
	SdcSince *made = palloc(sizeof(SdcSince));
	StringInfoData document;
	bool any = false;
	int j;

	made->of = *whole;
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_open(&document, "keys", '[');
	for (j = 0; j < list_length(since->keys); j++)
		any = any || since->both[j];
	for (j = 0; j < list_length(since->keys); j++)
		if (since->both[j] || (!any && j == 0))
			sdcpg_document_text(&document, NULL, list_nth(since->keys, j));
	sdcpg_document_close(&document, '[');
	/* what remains of params says how the table is to be read */
	sdcpg_document_open(&document, "params", '{');
	sdcpg_document_text(&document, "total",
						sdcpg_beside_total(labels->beside));
	sdcpg_document_open(&document, "names", '{');
	sdcpg_document_text(
		&document, "value",
		sdcpg_params_renamed(sdcpg_params_object(whole->protect, "params"),
							 "names", "value"));
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	made->of.protect = DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(whole->protect),
							JsonbPGetDatum(sdcpg_document_end(&document))));
	made->of.masked = sdcpg_relation_find(sdcpg_relation_oid(now));
	made->of.earlier = before;
	made->of.known = made->of.beside = made->of.lacks = NULL;
	return made;
}

/* The number-th table of a beside; its cells are in a table, as SQL. */
static Side
side_of(SdcBeside *beside, const char *cells, int number)
{
	const char *only = "(SELECT t.* FROM %s AS t WHERE t.%s = %d)";
	Side side = {beside, number, cells, beside->truth};

	side.total = quote_literal_cstr(sdcpg_beside_total(beside));
	if (number == 0)
		return side;
	side.cells = psprintf(only, cells, SDC_TABULAR_NUMBER, number);
	side.truth = psprintf(only, beside->truth, SDC_TABULAR_NUMBER, number);
	return side;
}

/* The numbers of the tables in one. */
static int
last_number(const SdcBeside *beside)
{
	if (!sdcpg_beside_numbers(beside))
		return 0;
	return DatumGetInt32(
		sdcpg_beside_read(psprintf("SELECT max(t.%s) FROM %s AS t",
								   SDC_TABULAR_NUMBER, beside->truth))
			->value[0][0]);
}

/* Adds what two tables are since each other. */
static List *
compare(List *cases, const SdcGateCase *of, Side *now, Side *before)
{
	Since since = {now->beside->keys};
	SdcSince *made;
	int j;

	since.both = palloc0(sizeof(bool) * list_length(since.keys));
	for (j = 0; j < list_length(since.keys); j++)
		since.both[j] = has_key(now, list_nth(since.keys, j)) &&
						has_key(before, list_nth(since.keys, j));
	make_labels(&since, now, now->beside);
	make_labels(&since, before, now->beside);
	for (j = 0; j < list_length(since.keys); j++)
		if (since.both[j])
			add_gone(before, now, j, list_nth(since.keys, j));
	made = make_case(of, &since, now, make_own(&since, now, now),
					 make_brought(&since, before, now, now));
	made->changes_only = false;
	cases = lappend(cases, made);
	if (have_same_groups(now, before))
		return cases;
	made =
		make_case(of, &since, before, make_brought(&since, now, before, now),
				  make_own(&since, before, now));
	made->changes_only = true;
	return lappend(cases, made);
}

/* Are both tables of hidden cells of the same values? */
static bool
are_alike(const SdcBeside *now, const SdcBeside *before)
{
	return (now->value == NULL ? before->value == NULL
							   : before->value != NULL &&
									 strcmp(now->value, before->value) == 0) &&
		   !now->means && !before->means &&
		   sdcpg_gate_table_hides(now->protect) &&
		   sdcpg_gate_table_hides(before->protect);
}

List *
sdcpg_since_cases(const SdcGateCase *of, SdcBeside *now, SdcBeside *before,
				  const char *published)
{
	int first = sdcpg_beside_numbers(now);
	int last = last_number(now);
	int other_first = sdcpg_beside_numbers(before);
	int other_last = last_number(before);
	int made = list_length(before->made);
	List *cases = NIL;
	int n;
	int b;

	if (!are_alike(now, before))
		return NIL;
	sdcpg_beside_labels(now);
	sdcpg_beside_labels(before);
	/* all that is made is dropped with what is released */
	now->made = list_concat(now->made, list_copy_tail(before->made, made));
	for (n = first; n <= last; n++)
		for (b = other_first; b <= other_last; b++)
		{
			Side one = side_of(now, of->masked->sql, n);
			Side other = side_of(before, published, b);

			cases = compare(cases, of, &one, &other);
		}
	return cases;
}
