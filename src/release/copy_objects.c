/*
 * copy_objects.c
 *		What a copy of a schema has beside tables: sequences that nobody owns,
 *		views and materialized views; and what is not in it.
 *
 * PostgreSQL writes a definition without the names of schemas that are first
 * in the search_path.  So it is asked for it with the original in front, and
 * told it with the copy in front.  Then it is looked whether what was made
 * leads anywhere else: a view of a copy that read the original would give it
 * away.  No query is parsed with the original in front, as operators that
 * somebody put there would be called.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "release/copy.h"
#include "topic/mask/mask_write.h"

/* Reads or runs with one schema first, or two, until the level ends. */
static int
look_in(const char *first, const char *second)
{
	int level = NewGUCNestLevel();

	sdcpg_catalog_look_in(second == NULL
							  ? psprintf("%s, pg_temp", first)
							  : psprintf("%s, %s, pg_temp", first, second));
	return level;
}

/* ----------------------------------------------------------------------
 * Sequences that no column owns.
 * ----------------------------------------------------------------------
 */

/*
 * Defaults of a table that take numbers of a sequence of its schema which it
 * does not own: the sequence, the column, the expression, and whether the
 * column is a whole number.
 */
static const char *const shared_sequences_sql =
	"SELECT s.relname::text, a.attname::text, d.adbin::text, "
	"a.atttypid IN ('int2'::regtype, 'int4'::regtype, "
	"'int8'::regtype) FROM pg_attrdef AS d JOIN pg_attribute AS a "
	"ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum) JOIN pg_depend AS e "
	"ON e.classid = 'pg_attrdef'::regclass AND e.objid = d.oid "
	"AND e.refclassid = 'pg_class'::regclass JOIN pg_class AS s "
	"ON s.oid = e.refobjid AND s.relkind = 'S' JOIN pg_class AS t "
	"ON t.oid = d.adrelid AND t.relnamespace = s.relnamespace "
	"WHERE d.adrelid = $1 AND NOT EXISTS (SELECT FROM pg_depend AS o "
	"WHERE o.classid = 'pg_class'::regclass AND o.objid = s.oid "
	"AND o.refobjid = t.oid AND o.deptype IN ('a', 'i')) ORDER BY 1, 2";

void
sdcpg_copy_shared_sequences(const SdcCopy *copy, Oid table, const char *name)
{
	char *target = quote_qualified_identifier(copy->target, name);
	SdcCatalogRows *rows = sdcpg_copy_ask(shared_sequences_sql, table);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		char *sequence = sdcpg_copy_text(rows, i, 0);
		int level = look_in(quote_identifier(copy->schema), NULL);
		char *expression = TextDatumGetCString(DirectFunctionCall2(
			pg_get_expr, rows->value[i][2], ObjectIdGetDatum(table)));

		AtEOXact_GUC(true, level);
		if (sdcpg_copy_holds(copy->sought, expression) != NULL)
			continue; /* left out before */
		/* another table may have it, too */
		if (!OidIsValid(get_relname_relid(
				sequence, get_namespace_oid(copy->target, false))))
			sdcpg_copy_run(
				psprintf("CREATE SEQUENCE %s",
						 quote_qualified_identifier(copy->target, sequence)));
		level = look_in(quote_identifier(copy->target),
						quote_identifier(copy->schema));
		sdcpg_copy_run(psprintf(
			"ALTER TABLE %s ALTER %s SET DEFAULT %s", target,
			quote_identifier(sdcpg_copy_text(rows, i, 1)), expression));
		AtEOXact_GUC(true, level);
	}
}

void
sdcpg_copy_advance_sequences(const SdcCopy *copy, Oid table, const char *name)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(shared_sequences_sql, table);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		char *sequence = quote_qualified_identifier(
			copy->target, sdcpg_copy_text(rows, i, 0));
		const char *column = quote_identifier(sdcpg_copy_text(rows, i, 1));

		/* the default that held an identifier was left out */
		if (!OidIsValid(
				get_relname_relid(sdcpg_copy_text(rows, i, 0),
								  get_namespace_oid(copy->target, false))))
			continue;
		if (DatumGetBool(rows->value[i][3]))
			/* one of several tables may be ahead */
			sdcpg_copy_run(psprintf(
				"SELECT setval(%s, m.v) FROM (SELECT max(%s) AS v FROM %s) "
				"AS m, %s AS s WHERE m.v >= s.last_value",
				quote_literal_cstr(sequence), column,
				quote_qualified_identifier(copy->target, name), sequence));
		else
			sdcpg_copy_put(copy, "not covered", sdcpg_copy_text(rows, i, 0),
						   "Sequence: starts anew in the copy, as its numbers "
						   "are part of a text.");
	}
}

/* ----------------------------------------------------------------------
 * Views.
 * ----------------------------------------------------------------------
 */

/* A view that may be made. */
typedef struct View
{
	const SdcCopy *copy;
	Oid oid;
	char *name;
	char *create; /* everything before the query */
	char *query;
	bool stored;  /* a materialized view */
	bool filled;  /* and it has been computed */
	char *reader; /* the function that may read the original; or NULL */
	bool named;   /* it computes an identifier, and is gone again */
	bool done;
} View;

/* Views of the schema: name, columns, options, kind and definition. */
static const char *const views_sql =
	"SELECT c.oid, c.relname::text, c.relkind = 'm', (SELECT string_agg("
	"quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a "
	"WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), "
	"CASE WHEN c.reloptions IS NOT NULL AND c.relkind = 'v' THEN concat("
	"' WITH (', array_to_string(c.reloptions, ', '), ')') END, "
	"c.relispopulated FROM pg_class AS c "
	"WHERE c.relnamespace = $1 AND c.relkind IN ('v', 'm') ORDER BY c.oid";

/* May a function f of PostgreSQL or of an extension read any table? */
#define MAY_READ                                                         \
	"(f.provolatile = 'v' AND f.proname !~ "                             \
	"'random|^uuid|^gen_|^clock_timestamp$|^timeofday$' OR f.proname ~ " \
	"'_to_xml|^crosstab|^connectby|^xpath_table|_description$|"          \
	"^pg_get_.*def$|^pg_get_expr$')"

/*
 * Views of the schema $1 that call a function that may read the original, and
 * the first one.  What PostgreSQL itself brings is in no pg_depend, but in the
 * stored query: what runs a query that it is given as a text, or reads a file
 * or a large object, may read it.
 */
static const char *const readers_sql =
	"WITH RECURSIVE view AS (SELECT c.oid, c.relowner, w.oid AS rule, "
	"w.ev_action::text AS t FROM pg_class AS c JOIN pg_rewrite AS w "
	"ON w.ev_class = c.oid WHERE c.relnamespace = $1 "
	"AND c.relkind IN ('v', 'm')), "
	"root AS (SELECT DISTINCT v.oid AS view, CASE WHEN d.refclassid = "
	"'pg_proc'::regclass THEN d.refobjid ELSE q.oprcode::oid END AS oid "
	"FROM view AS v JOIN pg_depend AS d ON d.classid = "
	"'pg_rewrite'::regclass AND d.objid = v.rule LEFT JOIN pg_operator AS q "
	"ON d.refclassid = 'pg_operator'::regclass AND q.oid = d.refobjid), "
	/* clang-format off */
	SDC_COPY_CALLED("SELECT root.oid FROM root")
	/* clang-format on */
	", pair AS (SELECT * FROM root UNION SELECT p.view, l.g FROM pair AS p "
	"JOIN call AS l ON l.f = p.oid), "
	"func AS MATERIALIZED (SELECT f.oid, f.proname, f.proowner, e.own "
	"AND NOT r.rolsuper AS theirs, CASE WHEN e.own THEN f.provolatile <> 'i' "
	"OR f.prosecdef OR " SDC_COPY_READS_TABLES " ELSE " MAY_READ " END "
	"AS reads FROM called AS k JOIN pg_proc AS f ON f.oid = k.oid "
	"JOIN pg_roles AS r ON r.oid = f.proowner CROSS JOIN LATERAL (SELECT "
	"NOT EXISTS (SELECT FROM pg_depend AS e WHERE e.classid = "
	"'pg_proc'::regclass AND e.objid = f.oid AND e.deptype = 'e') AS own) "
	"AS e WHERE f.oid >= 16384) "
	"SELECT h.view, min(h.name) FROM ("
	"SELECT v.oid AS view, f.proname::text AS name FROM pair AS p "
	"JOIN view AS v ON v.oid = p.view JOIN func AS f ON f.oid = p.oid "
	"WHERE f.reads OR (f.theirs AND f.proowner <> v.relowner) UNION ALL "
	"SELECT v.oid, f.proname::text FROM view AS v CROSS JOIN LATERAL "
	"regexp_matches(v.t, ':funcid (\\d+)', 'g') AS m JOIN pg_proc AS f "
	"ON f.oid = m[1]::oid WHERE f.oid < 16384 AND " MAY_READ ") AS h "
	"GROUP BY 1";

/*
 * Why else the view $1 cannot be made over the copy $2 of its schema, or none:
 * 1 it reads another schema, a foreign table or the catalogs, as statistics
 * hold values of the original; 3 it waits for another view.
 */
static const char *const hindrance_sql =
	"SELECT h.n, h.name FROM ("
	"SELECT CASE WHEN c.relnamespace <> v.relnamespace OR c.relkind NOT IN "
	"('r', 'p', 'v', 'm') THEN 1 ELSE 3 END AS n, c.relname::text AS name "
	"FROM pg_class AS v JOIN pg_rewrite AS w ON w.ev_class = v.oid "
	"JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass "
	"AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass "
	"JOIN pg_class AS c ON c.oid = d.refobjid AND c.oid <> v.oid "
	"WHERE v.oid = $1 AND c.oid >= 16384 AND NOT (c.relnamespace = "
	"v.relnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND EXISTS ("
	"SELECT FROM pg_class AS o WHERE o.relnamespace = $2 "
	"AND o.relname = c.relname)) UNION ALL "
	"SELECT 1, c.relname::text FROM pg_rewrite AS w CROSS JOIN LATERAL "
	"regexp_matches(w.ev_action::text, ':relid (\\d+)', 'g') AS m "
	"JOIN pg_class AS c ON c.oid = m[1]::oid WHERE w.ev_class = $1 "
	"AND c.oid < 16384) AS h ORDER BY 1, 2 LIMIT 1";

/* Does a relation lead to one that is neither of a schema nor PostgreSQL's? */
static bool
leads_elsewhere(Oid relation, Oid schema)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(schema), false);
	return sdcpg_catalog_read(
			   "SELECT 1 FROM pg_rewrite AS w JOIN pg_depend AS d "
			   "ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid "
			   "AND d.refclassid = 'pg_class'::regclass JOIN pg_class AS c "
			   "ON c.oid = d.refobjid WHERE w.ev_class = $1 "
			   "AND c.oid >= 16384 AND c.relnamespace <> $2",
			   &parameters)
			   ->count > 0;
}

/* In SQL: which functions and operators of users a view calls, by numbers. */
#define CALLS_OF(view)                                                     \
	"(SELECT m[1] = 'opno' AS operator, m[2]::oid AS oid FROM pg_rewrite " \
	"AS w CROSS JOIN LATERAL regexp_matches(w.ev_action::text, "           \
	"':(funcid|aggfnoid|winfnoid|opno) (\\d{5,})', 'g') AS m "             \
	"WHERE w.ev_class = " view ")"

/*
 * Stops when a view of the copy calls what that of the original does not: a
 * definition is read again some time after it was written, and a function that
 * somebody has put beside the tables meanwhile may fit a call better.
 */
static void
refuse_other_calls(const View *view, Oid made)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	Oid other;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(view->oid),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(made), false);
	rows = sdcpg_catalog_read(
		CALLS_OF("$2") " EXCEPT " CALLS_OF("$1") " LIMIT 1", &parameters);
	if (rows->count == 0)
		return;
	other = DatumGetObjectId(rows->value[0][1]);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("view \"%s\" cannot be made over the copy", view->name),
			 errdetail("It would call \"%s\", which that of the original does "
					   "not call. Nothing was copied.",
					   DatumGetBool(rows->value[0][0]) ? get_opname(other)
													   : get_func_name(other)),
			 errhint("Somebody has made it meanwhile: have it dropped, and "
					 "take back the right to create in its schema.")));
}

/* Does anything hinder?  Then a sentence says what. */
static bool
is_hindered(const View *view, char **sentence)
{
	static const char *const why[] = {
		NULL, "%s: not in the copy, for it reads \"%s\", which is not.",
		"%s: not in the copy, for it calls \"%s\", which may read the "
		"original.",
		"%s: not in the copy, for \"%s\" is not."};
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int n;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(view->oid),
					   false);
	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(get_namespace_oid(view->copy->target, false)), false);
	rows = sdcpg_catalog_read(hindrance_sql, &parameters);
	n = rows->count == 0 ? 0 : DatumGetInt32(rows->value[0][0]);
	if (n != 1 && view->reader != NULL)
		n = 2;
	if (n == 0)
		return false;
	*sentence = psprintf(why[n], view->stored ? "Materialized view" : "View",
						 n == 2 ? view->reader : sdcpg_copy_text(rows, 0, 1));
	return true;
}

/* Tells of a view that is left out. */
static void
put_left_out(const View *view, const char *why, const char *what)
{
	sdcpg_copy_put(view->copy, "not covered",
				   view->stored ? "a materialized view" : "a view",
				   psprintf("It %s %s: not in the copy.", why, what));
}

/*
 * Does a view make an identifier of constants, as chr(117) || 'ser'?  What a
 * materialized one has made is searched as its rows are.
 */
static void
look_at_view(void *arg)
{
	static const char *const restricted = "restrict_nonsystem_relation_kind";
	View *view = arg;
	char *name = quote_qualified_identifier(view->copy->target, view->name);
	const char *holds = NULL;
	int level = NewGUCNestLevel();

	/* sdc_copy forbids views of others; this one was made here and now */
	if (GetConfigOption(restricted, true, false) != NULL)
		sdcpg_set_for_now(restricted, "");
	if (!view->stored)
		holds = sdcpg_copy_holds(
			view->copy->sought,
			sdcpg_copy_folded(psprintf("SELECT * FROM %s", name)));
	AtEOXact_GUC(true, level);
	view->named = holds != NULL;
	if (!view->named)
		return;
	sdcpg_copy_run(psprintf("DROP VIEW %s", name));
	put_left_out(view, "computes", holds);
}

/* Does something for a view with the copy and the original in the path. */
static void
do_in_copy(View *view, void (*action)(void *arg))
{
	int level = look_in(quote_identifier(view->copy->target),
						quote_identifier(view->copy->schema));

	/* what a function or a cast says of a value is not shown */
	sdcpg_mask_guard(view->name, action, view);
	AtEOXact_GUC(true, level);
}

/* A materialized view is computed when it is known what it calls and reads. */
static void
make_view(void *arg)
{
	const View *view = arg;

	sdcpg_copy_run(psprintf("%s %s%s", view->create, view->query,
							view->stored ? " WITH NO DATA" : ""));
}

static void
fill_view(void *arg)
{
	const View *view = arg;

	sdcpg_copy_run(
		psprintf("REFRESH MATERIALIZED VIEW %s",
				 quote_qualified_identifier(view->copy->target, view->name)));
}

/* Makes a view that nothing hinders. */
static void
put_view(View *view)
{
	const SdcCopy *copy = view->copy;
	Oid target = get_namespace_oid(copy->target, false);
	Oid made;

	do_in_copy(view, make_view);
	made = get_relname_relid(view->name, target);
	refuse_other_calls(view, made);
	if (leads_elsewhere(made, target))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("view \"%s\" cannot be made over the copy",
							   view->name),
						errdetail("It would read relations of another "
								  "schema. Nothing was copied.")));
	if (view->stored && view->filled)
		do_in_copy(view, fill_view);
	view->done = true;
	sdcpg_mask_guard(view->name, look_at_view, view);
	if (view->named)
		return;
	sdcpg_copy_put(copy, "view", view->name,
				   view->stored ? "Materialized view, computed from the copy."
								: "View, over the tables of the copy.");
	if (view->stored)
		sdcpg_copy_indexes(copy, view->oid);
}

/* The query of a view, without the name of its schema. */
static char *
query_of(const SdcCopy *copy, Oid view)
{
	int level = look_in(quote_identifier(copy->schema), NULL);
	char *query = TextDatumGetCString(
		DirectFunctionCall1(pg_get_viewdef, ObjectIdGetDatum(view)));
	size_t length = strlen(query);

	AtEOXact_GUC(true, level);
	if (length > 0 && query[length - 1] == ';')
		query[length - 1] = '\0';
	return query;
}

/* Reads a view of the original. */
static View
view_of(const SdcCopy *copy, const SdcCatalogRows *rows, int64 i)
{
	View view = {copy, DatumGetObjectId(rows->value[i][0])};
	char *options = sdcpg_copy_text(rows, i, 4);
	char *columns = sdcpg_copy_text(rows, i, 3);

	view.name = sdcpg_copy_text(rows, i, 1);
	view.stored = DatumGetBool(rows->value[i][2]);
	view.query = query_of(copy, view.oid);
	view.filled = DatumGetBool(rows->value[i][5]);
	view.create = psprintf("CREATE %s %s%s%s AS",
						   view.stored ? "MATERIALIZED VIEW" : "VIEW",
						   quote_qualified_identifier(copy->target, view.name),
						   columns == NULL ? "" : psprintf(" (%s)", columns),
						   options == NULL ? "" : options);
	return view;
}

/* Notes which views call a function that may read the original. */
static void
note_readers(const SdcCopy *copy, View *view, int64 views)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(readers_sql, copy->namespace);
	int64 i;
	int64 j;

	for (i = 0; i < rows->count; i++)
		for (j = 0; j < views; j++)
			if (view[j].oid == DatumGetObjectId(rows->value[i][0]))
				view[j].reader = sdcpg_copy_text(rows, i, 1);
}

/*
 * Makes all views that can be, those first that others read.  An identifier in
 * the definition of one leaves it out.
 */
void
sdcpg_copy_views(const SdcCopy *copy)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(views_sql, copy->namespace);
	View *view = palloc0(sizeof(View) * (rows->count + 1));
	bool more = true;
	char *sentence;
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		const char *holds;

		view[i] = view_of(copy, rows, i);
		holds = sdcpg_copy_holds(
			copy->sought, psprintf("%s %s", view[i].create, view[i].query));
		if (holds == NULL)
			continue;
		view[i].done = true;
		put_left_out(&view[i], "holds", holds);
	}
	if (rows->count > 0)
		note_readers(copy, view, rows->count);
	while (more)
	{
		more = false;
		for (i = 0; i < rows->count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (view[i].done || is_hindered(&view[i], &sentence))
				continue;
			put_view(&view[i]);
			more = true;
		}
	}
	for (i = 0; i < rows->count; i++)
		if (!view[i].done && is_hindered(&view[i], &sentence))
			sdcpg_copy_put(copy, "not covered", view[i].name, sentence);
}

/* ----------------------------------------------------------------------
 * What is not in a copy.
 * ----------------------------------------------------------------------
 */

void
sdcpg_copy_put_not_covered(const SdcCopy *copy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(copy->namespace),
					   false);
	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(get_namespace_oid(copy->target, false)), false);
	rows = sdcpg_catalog_read(
		"SELECT c.relname::text, 'Foreign table: not in the copy.' "
		"FROM pg_class AS c WHERE c.relnamespace = $1 "
		"AND c.relkind = 'f' UNION ALL "
		"SELECT c.relname::text, 'Partition of a table of another schema: "
		"not in the copy.' FROM pg_class AS c JOIN pg_class AS r ON r.oid = "
		"pg_partition_root(c.oid) WHERE c.relnamespace = $1 "
		"AND c.relkind IN ('r', 'p') AND r.relnamespace <> $1 UNION ALL "
		"SELECT c.relname::text, 'Sequence: not in the copy, for no column "
		"there takes its numbers.' FROM pg_class AS c "
		"WHERE c.relnamespace = $1 AND c.relkind = 'S' AND NOT EXISTS "
		"(SELECT FROM pg_class AS o WHERE o.relnamespace = $2 "
		"AND o.relname = c.relname) AND NOT EXISTS (SELECT FROM pg_depend "
		"AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid "
		"AND d.deptype IN ('a', 'i')) UNION ALL "
		"SELECT p.proname::text, 'Function: not in the copy; what calls it "
		"there calls that of the original.' FROM pg_proc AS p "
		"WHERE p.pronamespace = $1 AND NOT EXISTS (SELECT FROM pg_depend "
		"AS e WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid "
		"AND e.deptype = 'e') UNION ALL "
		"SELECT t.tgname::text, 'Trigger: not in the copy, for its function "
		"may write to the original.' FROM pg_trigger AS t "
		"JOIN pg_class AS c ON c.oid = t.tgrelid "
		"WHERE c.relnamespace = $1 AND NOT t.tgisinternal "
		"AND t.tgparentid = 0 UNION ALL "
		"SELECT w.rulename::text, 'Rule: not in the copy.' "
		"FROM pg_rewrite AS w JOIN pg_class AS c ON c.oid = w.ev_class "
		"WHERE c.relnamespace = $1 AND w.rulename <> '_RETURN' UNION ALL "
		"SELECT p.polname::text, 'Policy of row-level security: not in the "
		"copy, and all of its rows can be read.' FROM pg_policy AS p "
		"JOIN pg_class AS c ON c.oid = p.polrelid "
		"WHERE c.relnamespace = $1 UNION ALL "
		"SELECT p.relname::text, 'A check of this partition alone: not in "
		"the copy.' FROM pg_constraint AS k JOIN pg_class AS p "
		"ON p.oid = k.conrelid WHERE p.relnamespace = $1 "
		"AND p.relispartition AND k.contype = 'c' AND k.coninhcount = 0 "
		"UNION ALL "
		"SELECT s.stxname::text, 'Extended statistics: not in the copy.' "
		"FROM pg_statistic_ext AS s JOIN pg_class AS c ON c.oid = s.stxrelid "
		"WHERE c.relnamespace = $1 ORDER BY 2, 1",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		char *name = sdcpg_copy_text(rows, i, 0);

		/* a name that holds an identifier is not told */
		sdcpg_copy_put(copy, "not covered",
					   sdcpg_copy_holds(copy->sought, name) != NULL ? "-"
																	: name,
					   sdcpg_copy_text(rows, i, 1));
	}
}
