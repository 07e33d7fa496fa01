/*
 * copy_subset.c
 *		Rows for a copy of a part of a schema: some persons and all that
 *		belongs to them, so that no foreign key leads to nothing.
 *
 * A row is wanted when it is a root, or refers to a wanted row through an edge
 * that goes down; it is needed when a row that is kept refers to it.  Each
 * round looks at the rows of the last round only, so cycles, references of a
 * table to itself and keys of several columns are nothing special, and a row
 * is looked at twice at the most.  A table's rows are fetched once in a round,
 * for all edges that begin or end there: its key columns are joined with all
 * its parents and children in one statement.  Roots come by ranges of a hash,
 * and rows that are kept stay, so what more is wanted goes on where the last
 * batch stopped.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/table.h"
#include "release/copy.h"
#include "release/document.h"

/* Rows that are kept (mark), of the last round (front), of this one (next). */
#define MARK  "pg_temp.sdc_copy_mark"
#define FRONT "pg_temp.sdc_copy_front"
#define NEXT  "pg_temp.sdc_copy_next"

/* Rows of the root tables and their hashes, as far as they were wanted. */
#define ROOTS "pg_temp.sdc_copy_root"

/* A table that belongs to nobody is kept whole up to so many rows. */
#define WHOLE 1000

/* Batches at the most; each takes as many rows as seem to be missing. */
#define BATCHES 12

/* Roots are noted for so many times the share that a batch takes. */
#define LOOK_AHEAD 8

/* Hashes of roots are from 0 to this. */
#define HASHES 2147483648.0

/* A foreign key, or what params say is one. */
typedef struct Edge
{
	int child; /* tables of the subset, by number */
	int parent;
	List *child_columns; /* in SQL; those of the parent in the same order */
	List *parent_columns;
	char *name;  /* table.key */
	bool down;   /* children of wanted rows are wanted */
	bool unique; /* a row of the child refers to one row at the most */
} Edge;

/* A table that an edge begins or ends at. */
typedef struct Place
{
	char *table; /* in SQL */
	List *parts; /* the table and its partitions */
} Place;

/* Rows that no edge has led down to came by this one. */
#define BY_NONE (-1)

typedef struct Subset
{
	const SdcCopy *copy;
	int64 target;
	Oid root;
	uint64 seed;
	int edges;
	Edge *edge;
	int places;
	Place *place;
} Subset;

/* ----------------------------------------------------------------------
 * Edges.
 * ----------------------------------------------------------------------
 */

/*
 * Foreign keys within a schema, in SQL, those of one partition as keys of its
 * table, and whether they go down: not from a table to itself, and not within
 * a cycle, where everybody would belong to everybody.
 */
static const char *const edges_sql =
	"WITH RECURSIVE e AS (SELECT k.oid, COALESCE(pg_partition_root("
	"k.conrelid), k.conrelid)::oid AS child, COALESCE(pg_partition_root("
	"k.confrelid), k.confrelid)::oid AS parent, "
	"concat(c.relname, '.', k.conname) AS name, ARRAY(SELECT "
	"quote_ident(a.attname) FROM unnest(k.conkey) WITH ORDINALITY "
	"AS u (att, n) JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = "
	"(k.conrelid, u.att) ORDER BY u.n) AS columns, ARRAY(SELECT "
	"quote_ident(a.attname) FROM unnest(k.confkey) WITH ORDINALITY "
	"AS u (att, n) JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = "
	"(k.confrelid, u.att) ORDER BY u.n) AS others FROM pg_constraint AS k "
	"JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_class AS p "
	"ON p.oid = k.confrelid WHERE k.contype = 'f' AND k.conparentid = 0 "
	"AND c.relnamespace = $1 AND p.relnamespace = $1), "
	"reach AS (SELECT child, parent FROM e UNION SELECT r.child, e.parent "
	"FROM reach AS r JOIN e ON e.child = r.parent) "
	"SELECT child, parent, columns, others, name, NOT EXISTS (SELECT FROM "
	"reach AS r WHERE (r.child, r.parent) = (e.parent, e.child)) "
	"AND child <> parent FROM e ORDER BY name";

static char *
table_sql(Oid table)
{
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(table)), get_rel_name(table));
}

/* A table and its partitions. */
static List *
parts_of(Oid table)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT $1 AS oid UNION SELECT relid FROM pg_partition_tree($1)",
		table);
	List *parts = NIL;
	int64 i;

	for (i = 0; i < rows->count; i++)
		parts = lappend_oid(parts, DatumGetObjectId(rows->value[i][0]));
	return parts;
}

/* Is a row f one of these tables? */
static char *
rows_sql(List *parts)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach (cell, parts)
		appendStringInfo(&sql, "%s%u", sql.len == 0 ? "f.part IN (" : ", ",
						 lfirst_oid(cell));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* The number of a table, which has one from now on. */
static int
place_of(Subset *subset, Oid table)
{
	Place place = {table_sql(table)};
	int i;

	for (i = 0; i < subset->places; i++)
		if (strcmp(subset->place[i].table, place.table) == 0)
			return i;
	place.parts = parts_of(table);
	subset->place =
		subset->place == NULL
			? palloc(sizeof(Place))
			: repalloc(subset->place, sizeof(Place) * (subset->places + 1));
	subset->place[subset->places] = place;
	return subset->places++;
}

/* The texts of an array of the catalog. */
static List *
texts_of(Datum array)
{
	List *list = NIL;
	Datum *value;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &value, NULL, &count);
	for (i = 0; i < count; i++)
		list = lappend(list, TextDatumGetCString(value[i]));
	return list;
}

static void
add_edge(Subset *subset, const Edge *edge)
{
	subset->edge =
		subset->edge == NULL
			? palloc(sizeof(Edge))
			: repalloc(subset->edge, sizeof(Edge) * (subset->edges + 1));
	subset->edge[subset->edges++] = *edge;
}

/* The table of that name in the schema; stops when there is none. */
static Oid
need_table(const Subset *subset, const char *key, const char *name)
{
	Oid table = name == NULL
					? InvalidOid
					: get_relname_relid(name, subset->copy->namespace);

	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("params.subset.%s must name a table of schema \"%s\"",
						key, subset->copy->schema)));
	return table;
}

/* A column of a key that params name. */
static char *
key_column(const Subset *subset, const char *table, const char *column)
{
	if (!sdcpg_copy_names(subset->copy, psprintf("%s.%s", table, column)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("params.subset.keys names a column \"%s.%s\", which "
						"schema \"%s\" does not have",
						table, column, subset->copy->schema)));
	return pstrdup(quote_identifier(column));
}

/* A key that no constraint says: {"child", "columns", "parent", ...}. */
static void
add_key(Subset *subset, Jsonb *key)
{
	static const char *const keys[] = {"child", "columns", "parent",
									   "parent_columns", NULL};
	Edge edge = {0};
	List *columns = sdcpg_params_names(key, "columns");
	List *others = sdcpg_params_names(key, "parent_columns");
	char *child = sdcpg_params_text(key, "child");
	char *parent = sdcpg_params_text(key, "parent");
	int i;

	sdcpg_params_check(key, keys);
	edge.child = place_of(subset, need_table(subset, "keys.child", child));
	edge.parent = place_of(subset, need_table(subset, "keys.parent", parent));
	if (columns == NIL || list_length(columns) != list_length(others))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a key of params.subset.keys must have as many "
							   "\"columns\" as \"parent_columns\"")));
	for (i = 0; i < list_length(columns); i++)
	{
		edge.child_columns =
			lappend(edge.child_columns,
					key_column(subset, child, list_nth(columns, i)));
		edge.parent_columns =
			lappend(edge.parent_columns,
					key_column(subset, parent, list_nth(others, i)));
	}
	edge.name = psprintf("%s.%s", child, (char *) linitial(columns));
	edge.down = edge.child != edge.parent;
	add_edge(subset, &edge);
}

/* Every name of "up" is that of an edge. */
static void
check_up(const Subset *subset, List *up)
{
	ListCell *cell;
	int i;

	foreach (cell, up)
	{
		for (i = 0; i < subset->edges; i++)
			if (strcmp(lfirst(cell), subset->edge[i].name) == 0)
				break;
		if (i == subset->edges)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("params.subset.up names \"%s\", which is "
							"no key of schema \"%s\"",
							(char *) lfirst(cell), subset->copy->schema),
					 errhint("Write table.constraint.")));
	}
}

/* Reads edges; those that "up" lists do not go down. */
static void
read_edges(Subset *subset, Jsonb *params)
{
	List *up = sdcpg_params_names(params, "up");
	SdcCatalogRows *rows = sdcpg_copy_ask(edges_sql, subset->copy->namespace);
	Jsonb *keys = sdcpg_document_part(params, "keys");
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		Edge edge = {0};

		edge.child = place_of(subset, DatumGetObjectId(rows->value[i][0]));
		edge.parent = place_of(subset, DatumGetObjectId(rows->value[i][1]));
		edge.child_columns = texts_of(rows->value[i][2]);
		edge.parent_columns = texts_of(rows->value[i][3]);
		edge.name = sdcpg_copy_text(rows, i, 4);
		edge.down = DatumGetBool(rows->value[i][5]);
		edge.unique = true;
		add_edge(subset, &edge);
	}
	if (keys != NULL && !JB_ROOT_IS_ARRAY(keys))
		sdcpg_params_wrong("subset.keys", "an array of objects");
	for (i = 0; keys != NULL && i < JB_ROOT_COUNT(keys); i++)
		add_key(subset, JsonbValueToJsonb(
							getIthJsonbValueFromContainer(&keys->root, i)));
	for (i = 0; i < subset->edges; i++)
		if (sdcpg_params_is_listed(up, subset->edge[i].name))
			subset->edge[i].down = false;
	check_up(subset, up);
}

/* ----------------------------------------------------------------------
 * Rounds.
 * ----------------------------------------------------------------------
 */

static void
create_marks(void)
{
	static const char *const tables[] = {"mark", "front", "next"};
	int i;

	for (i = 0; i < lengthof(tables); i++)
		sdcpg_copy_run(
			psprintf("CREATE TEMPORARY TABLE sdc_copy_%s (part oid, id tid, "
					 "wanted boolean, by_edge int4) ON COMMIT DROP",
					 tables[i]));
	sdcpg_copy_run("ALTER TABLE " MARK " ADD PRIMARY KEY (part, id)");
	sdcpg_copy_run(
		"CREATE TEMPORARY TABLE sdc_copy_root (hash int8, part oid, "
		"id tid) ON COMMIT DROP");
}

/*
 * Marks the rows of a SELECT of (part, id, wanted, by_edge), and those that
 * are new, or are wanted now and were needed only, are looked at in the next
 * round.  What is marked as it should be is looked up before, as a conflict
 * would write a lock into it; OFFSET 0 keeps that a look at an index, where a
 * join might read all marks for few rows.
 */
static uint64
mark_rows(const char *with, const char *select)
{
	return sdcpg_copy_run(psprintf(
		"WITH %s m AS (INSERT INTO " MARK " AS t SELECT n.* FROM (SELECT "
		"s.part, s.id, bool_or(s.wanted) AS wanted, max(s.by_edge) "
		"FROM (%s) AS s (part, id, wanted, by_edge) GROUP BY 1, 2) AS n "
		"LEFT JOIN LATERAL (SELECT o.wanted FROM " MARK " AS o "
		"WHERE o.part = n.part AND o.id = n.id OFFSET 0) AS o ON true "
		"WHERE o.wanted IS NULL OR (n.wanted AND NOT o.wanted) "
		"ON CONFLICT (part, id) DO UPDATE SET wanted = true, "
		"by_edge = excluded.by_edge RETURNING part, id, wanted, by_edge) "
		"INSERT INTO " NEXT " SELECT * FROM m",
		with, select));
}

/* The rows of the last round are looked at in this one. */
static void
take_front(List **kept, List **wanted)
{
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_copy_run("TRUNCATE " FRONT);
	sdcpg_copy_run("INSERT INTO " FRONT " SELECT * FROM " NEXT);
	sdcpg_copy_run("TRUNCATE " NEXT);
	sdcpg_copy_run("ANALYZE " FRONT);
	rows = sdcpg_catalog_read(
		"SELECT part, bool_or(wanted) FROM " FRONT " GROUP BY part", NULL);
	*kept = *wanted = NIL;
	for (i = 0; i < rows->count; i++)
	{
		*kept = lappend_oid(*kept, DatumGetObjectId(rows->value[i][0]));
		if (DatumGetBool(rows->value[i][1]))
			*wanted =
				lappend_oid(*wanted, DatumGetObjectId(rows->value[i][0]));
	}
}

static bool
have_common(List *parts, List *others)
{
	ListCell *cell;

	foreach (cell, parts)
		if (list_member_oid(others, lfirst_oid(cell)))
			return true;
	return false;
}

/* The name that a key column has among those of a table; it is added. */
static char *
key_name(List **columns, const char *column)
{
	ListCell *cell;
	int n = 0;

	foreach (cell, *columns)
	{
		if (strcmp(lfirst(cell), column) == 0)
			return psprintf("k%d", n);
		n++;
	}
	*columns = lappend(*columns, pstrdup(column));
	return psprintf("k%d", n);
}

/*
 * Rows of another table that go with rows k, whose key columns are mine:
 * needed ones through the edge of that number, or wanted ones.
 */
static void
append_link(const Subset *subset, StringInfo links, List **columns, int edge,
			bool wanted)
{
	const Edge *e = &subset->edge[edge];
	List *mine = wanted ? e->parent_columns : e->child_columns;
	List *others = wanted ? e->child_columns : e->parent_columns;
	int i;

	appendStringInfo(
		links, "%sSELECT o.tableoid, o.ctid, %s, %d FROM k JOIN %s AS o ON ",
		links->len == 0 ? "" : " UNION ALL ", wanted ? "true" : "false",
		wanted && e->unique ? edge : BY_NONE,
		subset->place[wanted ? e->child : e->parent].table);
	for (i = 0; i < list_length(mine); i++)
	{
		char *name = psprintf("k.%s", key_name(columns, list_nth(mine, i)));
		char *other = psprintf("o.%s", (char *) list_nth(others, i));

		/* the parent's column is on the left, where its operators are */
		appendStringInfo(links, "%s%s = %s", i == 0 ? "" : " AND ",
						 wanted ? name : other, wanted ? other : name);
	}
	if (wanted)
		appendStringInfoString(links, " WHERE k.wanted");
	else
		appendStringInfo(links, " WHERE k.by_edge <> %d", edge);
}

/*
 * Follows all edges of the rows of the last round in a table.  A row that
 * came down an edge has its parent there already.  How many rows are new.
 */
static uint64
follow(const Subset *subset, int place, bool wanted)
{
	StringInfoData links;
	StringInfoData keys;
	List *columns = NIL;
	ListCell *cell;
	int n = 0;
	int i;

	initStringInfo(&links);
	for (i = 0; i < subset->edges; i++)
	{
		const Edge *edge = &subset->edge[i];

		if (edge->child == place)
			append_link(subset, &links, &columns, i, false);
		if (edge->parent == place && edge->down && wanted)
			append_link(subset, &links, &columns, i, true);
	}
	if (links.len == 0)
		return 0;
	initStringInfo(&keys);
	foreach (cell, columns)
		appendStringInfo(&keys, ", r.%s AS k%d", (char *) lfirst(cell), n++);
	return mark_rows(
		psprintf("k AS MATERIALIZED (SELECT f.wanted, f.by_edge%s FROM " FRONT
				 " AS f JOIN %s AS r ON r.tableoid = f.part "
				 "AND r.ctid = f.id WHERE %s),",
				 keys.data, subset->place[place].table,
				 rows_sql(subset->place[place].parts)),
		links.data);
}

/*
 * Looks at the rows of the last round, in the tables where there are any:
 * chains of keys make many rounds of few tables.  How many rows are new.
 */
static uint64
next_round(const Subset *subset)
{
	uint64 count = 0;
	List *kept;
	List *wanted;
	int i;

	take_front(&kept, &wanted);
	for (i = 0; i < subset->places; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (have_common(subset->place[i].parts, kept))
			count +=
				follow(subset, i, have_common(subset->place[i].parts, wanted));
	}
	return count;
}

static int64
count_of(const char *sql)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(sql, NULL);

	return DatumGetInt64(rows->value[0][0]);
}

/* A row's primary key as text, or all of the row where it has none. */
static char *
row_text(Oid table)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	rows = sdcpg_catalog_read(
		"SELECT concat('concat_ws(''|'', ', string_agg('r.' || "
		"quote_ident(a.attname), ', ' ORDER BY k.n), ')') FROM pg_index AS i "
		"CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (att, n) "
		"JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (i.indrelid, "
		"k.att) WHERE i.indrelid = $1 AND i.indisprimary HAVING count(*) > 0",
		&parameters);
	return rows->count == 0 ? "r::text"
							: TextDatumGetCString(rows->value[0][0]);
}

/*
 * The hash of a row r in SQL: of its key, not of its place, so the same seed
 * takes the same rows wherever they lie, on every machine and version.  md5 of
 * a text takes ten times as long as the hash of a whole number.
 */
static char *
hash_sql(const Subset *subset, Oid table)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT quote_ident(min(a.attname)) FROM pg_index AS i "
		"JOIN pg_attribute AS a ON a.attrelid = i.indrelid "
		"AND a.attnum = ANY (i.indkey) WHERE i.indrelid = $1 "
		"AND i.indisprimary HAVING count(*) = 1 AND bool_and(a.atttypid IN "
		"('int2'::regtype, 'int4'::regtype, 'int8'::regtype))",
		table);
	const char *name = get_rel_name(table);
	uint64 seed = subset->seed;

	if (rows->count == 0)
		return psprintf("('x' || left(md5(concat(" UINT64_FORMAT
						", ' ', %s, ' ', %s)), 8))::bit(32)::int8",
						seed, quote_literal_cstr(name), row_text(table));
	for (; *name != '\0'; name++)
		seed = sdc_table_hash(seed, (unsigned char) *name);
	return psprintf("hashint8extended(r.%s::int8, " UINT64_FORMAT ")",
					sdcpg_copy_text(rows, 0, 0), seed & PG_INT64_MAX);
}

/* Notes the rows of a table that may be roots in a range of hashes. */
static void
read_roots(const Subset *subset, Oid table, double from, double to)
{
	(void) sdcpg_copy_run(psprintf(
		"INSERT INTO " ROOTS " SELECT * FROM (SELECT %s & 2147483647 AS hash, "
		"r.tableoid, r.ctid FROM %s AS r) AS s "
		"WHERE hash BETWEEN %.0f AND %.0f",
		hash_sql(subset, table), table_sql(table), from, to - 1));
}

/* Marks the roots that were noted in a range of hashes. */
static void
add_roots(double from, double to)
{
	(void) mark_rows("", psprintf("SELECT part, id, true, %d FROM " ROOTS
								  " WHERE hash BETWEEN %.0f AND %.0f",
								  BY_NONE, from, to - 1));
}

/*
 * Takes roots of all root tables until about the target is kept.  The first
 * batch is a guess; after it rows per root are known.  The tables are read for
 * more than the first batches seem to need, as each look is at all of them.
 */
static void
take_batches(const Subset *subset, List *roots, double share)
{
	double from = 0;
	double to = share * HASHES;
	double read = 0;
	int batch;

	for (batch = 0; batch < BATCHES && from < HASHES; batch++)
	{
		int64 kept;

		to = Min(Max(to, from + 1), HASHES);
		if (to > read)
		{
			double more = Min(Max(to, share * HASHES) * LOOK_AHEAD, HASHES);
			ListCell *cell;

			foreach (cell, roots)
				read_roots(subset, lfirst_oid(cell), read, more);
			read = more;
		}
		add_roots(from, to);
		while (next_round(subset) > 0)
			;
		kept = count_of("SELECT count(*) FROM " MARK);
		if (kept >= subset->target - subset->target / 200)
			break;
		/* nine tenths of what seems to be missing: rows are shared */
		from = to;
		to += kept == 0 ? from : from * 0.9 * (subset->target - kept) / kept;
	}
}

/* ----------------------------------------------------------------------
 * A subset.
 * ----------------------------------------------------------------------
 */

/* Is a table one that an edge begins or ends at? */
static bool
has_edge(const Subset *subset, const char *table)
{
	int i;

	for (i = 0; i < subset->places; i++)
		if (strcmp(subset->place[i].table, table) == 0)
			return true;
	return false;
}

/*
 * Rows of all tables: counted, for what PostgreSQL knows of them by ANALYZE
 * would let the same seed take other rows.
 */
static int64
count_rows(const SdcCopy *copy)
{
	int64 rows = 0;
	int i;

	for (i = 0; i < copy->columns; i++)
		if (i == 0 || copy->column[i].table != copy->column[i - 1].table)
			rows += count_of(psprintf("SELECT count(*) FROM %s",
									  table_sql(copy->column[i].table)));
	return rows;
}

/* Has a table at most so many rows that it is kept whole? */
static bool
is_small(const char *table)
{
	return count_of(psprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) "
							 "AS s",
							 table, WHOLE + 1)) <= WHOLE;
}

/*
 * Where rows are drawn: the root, and tables that belong to nothing, unless
 * they are small: then they are kept whole.
 */
static List *
find_roots(const Subset *subset)
{
	List *roots = list_make1_oid(subset->root);
	const SdcCopy *copy = subset->copy;
	int i;

	for (i = 0; i < copy->columns; i++)
	{
		Oid oid = copy->column[i].table;
		char *table = table_sql(oid);

		if ((i > 0 && oid == copy->column[i - 1].table) ||
			oid == subset->root || has_edge(subset, table))
			continue;
		if (is_small(table))
			(void) mark_rows(
				"", psprintf("SELECT tableoid, ctid, true, %d FROM %s",
							 BY_NONE, table));
		else
			roots = lappend_oid(roots, oid);
	}
	return roots;
}

void
sdcpg_copy_subset(SdcCopy *copy, Jsonb *params)
{
	static const char *const keys[] = {"rows", "from",   "up",
									   "keys", "search", NULL};
	static const char *const search[] = {"all", "part", NULL};
	Subset subset = {copy};
	int64 rows;

	sdcpg_params_check(params, keys);
	subset.target =
		sdcpg_params_integer(params, "rows", 10000, 1, PG_INT32_MAX);
	copy->part = sdcpg_params_choice(params, "search", search) == 1;
	subset.root =
		need_table(&subset, "from", sdcpg_params_text(params, "from"));
	subset.seed = (copy->seeded ? (uint64) DatumGetInt64(copy->seed)
								: sdcpg_strong_seed()) &
				  PG_INT64_MAX;
	read_edges(&subset, params);
	create_marks();
	rows = count_rows(copy);
	take_batches(&subset, find_roots(&subset),
				 rows == 0 ? 1 : 0.5 * (double) subset.target / rows);
	sdcpg_copy_run("ANALYZE " MARK);
}

char *
sdcpg_copy_subset_rows(Oid table)
{
	return psprintf("(SELECT r.* FROM " MARK " AS f JOIN %s AS r ON "
					"r.tableoid = f.part AND r.ctid = f.id WHERE %s)",
					table_sql(table), rows_sql(parts_of(table)));
}

void
sdcpg_copy_subset_take(Oid table, const char *columns)
{
	char *name = table_sql(table);

	sdcpg_copy_run(psprintf("CREATE TEMPORARY TABLE " SDC_COPY_ROWS
							" (LIKE %s "
							"INCLUDING INDEXES)",
							name));
	sdcpg_copy_run(psprintf("INSERT INTO pg_temp." SDC_COPY_ROWS
							" (%s) SELECT %s FROM %s AS q",
							columns, columns, sdcpg_copy_subset_rows(table)));
}
