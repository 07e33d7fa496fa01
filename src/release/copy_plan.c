/*
 * copy_plan.c
 *		What is done to each column of a schema that is copied, and who may
 *		copy it: sdc.plan_copy.
 *
 * Every column has a decision: by a rule for it, by the column that its
 * foreign key refers to, by a rule for its kind, role or type, or by what was
 * found in it.  One query of the catalog makes the decisions.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/risk/personal.h"
#include "release/copy.h"
#include "topic/registry/masks.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_plan_copy);

/* ----------------------------------------------------------------------
 * The decisions.
 *
 * These queries run with an empty search_path, so that operators are those of
 * PostgreSQL.  $1 is the schema, $2 the rules, $3 params of find_personal.
 * ----------------------------------------------------------------------
 */

/*
 * Columns of tables and what is known of them.  parent: the column that a
 * foreign key of this one refers to, after as many steps as there are.
 */
static const char *const columns_sql =
	"WITH RECURSIVE tab AS ("
	"SELECT c.oid, c.relname::text AS relname FROM pg_class AS c "
	"WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p') "
	"AND NOT c.relispartition), "
	"edge AS ("
	/* a key of one partition is one of its table */
	"SELECT DISTINCT c.oid AS rel, ca.attnum AS att, p.oid AS prel, "
	"pa.attnum AS patt FROM pg_constraint AS k "
	"JOIN tab AS c ON c.oid = COALESCE(pg_partition_root(k.conrelid), "
	"k.conrelid) "
	"JOIN tab AS p ON p.oid = COALESCE(pg_partition_root(k.confrelid), "
	"k.confrelid) "
	"CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS a (child, parent) "
	"JOIN pg_attribute AS x ON (x.attrelid, x.attnum) = (k.conrelid, "
	"a.child) JOIN pg_attribute AS ca ON (ca.attrelid, ca.attname) = "
	"(c.oid, x.attname) "
	"JOIN pg_attribute AS y ON (y.attrelid, y.attnum) = (k.confrelid, "
	"a.parent) JOIN pg_attribute AS pa ON (pa.attrelid, pa.attname) = "
	"(p.oid, y.attname) "
	"WHERE k.contype = 'f' AND k.conparentid = 0 "
	"AND (c.oid, ca.attnum) <> (p.oid, pa.attnum) UNION "
	/* one that params say, but for a column with a rule of its own */
	"SELECT c.oid, ca.attnum, p.oid, pa.attnum FROM jsonb_path_query("
	"$3, 'lax $.subset.keys[*]') AS k "
	"CROSS JOIN LATERAL jsonb_path_query(k, 'lax $.columns[*]') "
	"WITH ORDINALITY AS x (name, n) "
	"JOIN LATERAL jsonb_path_query(k, 'lax $.parent_columns[*]') "
	"WITH ORDINALITY AS y (name, n) ON y.n = x.n "
	"JOIN tab AS c ON c.relname = k ->> 'child' "
	"JOIN pg_attribute AS ca ON ca.attrelid = c.oid "
	"AND ca.attname = x.name #>> '{}' "
	"JOIN tab AS p ON p.relname = k ->> 'parent' "
	"JOIN pg_attribute AS pa ON pa.attrelid = p.oid "
	"AND pa.attname = y.name #>> '{}' "
	"WHERE (c.oid, ca.attnum) <> (p.oid, pa.attnum) AND NOT EXISTS ("
	"SELECT FROM jsonb_object_keys($2) AS r (key) WHERE r.key = "
	"concat(c.relname, '.', ca.attname) OR split_part(r.key, '$', 1) = "
	"concat(c.relname, '.', ca.attname))), "
	"above AS ("
	"SELECT rel, att, prel, patt FROM edge UNION "
	"SELECT b.rel, b.att, e.prel, e.patt FROM above AS b "
	"JOIN edge AS e ON (e.rel, e.att) = (b.prel, b.patt) "
	"WHERE (b.rel, b.att) <> (e.prel, e.patt)), "
	/* the ancestor that has none, or the least of a cycle */
	"root AS ("
	"SELECT DISTINCT ON (b.rel, b.att) b.rel, b.att, b.prel, b.patt "
	"FROM above AS b ORDER BY b.rel, b.att, EXISTS (SELECT FROM edge AS e "
	"WHERE (e.rel, e.att) = (b.prel, b.patt)), b.prel, b.patt), "
	"known AS ("
	"SELECT t.oid AS rel, a.attnum AS att, t.relname, "
	"a.attname::text AS attname, format_type(y.oid, NULL) AS type, "
	"y.typcategory, a.attnotnull AS needed, "
	"a.attgenerated <> '' AS generated, "
	"EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t.oid AND "
	"i.indisprimary AND a.attnum = ANY (i.indkey)) AS in_key, "
	"EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t.oid AND "
	"i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) "
	"AS alone, p.kind, p.rule, p.share, COALESCE(d.role, p.role) AS role, "
	"EXISTS (SELECT FROM edge AS e WHERE (e.prel, e.patt) = (t.oid, "
	"a.attnum)) AS referenced, r.prel, r.patt "
	"FROM tab AS t JOIN pg_attribute AS a ON a.attrelid = t.oid "
	"AND a.attnum > 0 AND NOT a.attisdropped "
	"JOIN LATERAL (WITH RECURSIVE base AS (SELECT z.oid, z.typbasetype, "
	"z.typtype, z.typcategory FROM pg_type AS z WHERE z.oid = a.atttypid "
	"UNION ALL SELECT z.oid, z.typbasetype, z.typtype, z.typcategory "
	"FROM base AS b JOIN pg_type AS z ON z.oid = b.typbasetype "
	"WHERE b.typtype = 'd') SELECT oid, typcategory FROM base "
	"WHERE typtype <> 'd') AS y ON true "
	"LEFT JOIN sdc.find_personal($4, $3 - '{subset,words}'::text[]) AS p "
	"ON (p.relation, p.column_name) = (t.oid, a.attname) "
	"LEFT JOIN LATERAL sdc.declared(t.oid) AS d ON d.column_name = a.attname "
	"LEFT JOIN root AS r ON (r.rel, r.att) = (t.oid, a.attnum)), ";

/* What is proposed, as it fits a column that is unique, or not NULL. */
static const char *const decisions_sql =
	"fitted AS ("
	"SELECT k.*, CASE "
	"WHEN k.rule IS NULL THEN NULL "
	"WHEN k.alone AND k.rule ->> 'method' = 'fake' "
	"AND k.rule ->> 'kind' IN ('iban', 'card') THEN "
	"jsonb_build_object('method', 'pseudonym', 'domain', "
	"k.rule -> 'domain', 'format', k.rule -> 'kind') "
	"WHEN k.alone AND k.rule ->> 'method' = 'fake' "
	"AND k.rule ->> 'kind' NOT IN ('email', 'login') THEN "
	"jsonb_build_object('method', 'pseudonym', 'domain', "
	"k.rule -> 'domain', 'format', 'same') "
	"WHEN k.needed AND k.rule ->> 'method' = 'null' THEN CASE "
	"WHEN k.typcategory = 'S' THEN "
	"'{\"method\": \"constant\", \"value\": \"-\"}'::jsonb "
	"WHEN k.type IN ('jsonb', 'json') THEN "
	"'{\"method\": \"constant\", \"value\": \"{}\"}'::jsonb "
	"WHEN k.typcategory = 'A' THEN "
	"'{\"method\": \"constant\", \"value\": \"{}\"}'::jsonb END "
	"ELSE k.rule END AS proposed FROM known AS k), "
	"own AS ("
	"SELECT f.*, x.level, x.decided FROM fitted AS f CROSS JOIN LATERAL ("
	"SELECT v.level, v.decided FROM (VALUES "
	"(1, 'generated', CASE WHEN f.generated THEN "
	"'{\"method\": \"keep\"}'::jsonb END), "
	"(2, 'column', COALESCE($2 -> concat(f.relname, '.', f.attname), "
	/* rules for paths are one rule for their column */
	"(SELECT jsonb_build_object('method', 'inside', 'paths', "
	"jsonb_object_agg(substr(e.key, strpos(e.key, '$')), e.value)) "
	"FROM jsonb_each($2) AS e WHERE split_part(e.key, '$', 1) = "
	"concat(f.relname, '.', f.attname) AND strpos(e.key, '$') > 0 "
	"HAVING count(*) > 0))), "
	"(3, 'kind', $2 -> concat('kind:', f.kind)), "
	"(4, 'role', $2 -> concat('role:', f.role)), "
	"(5, 'type', $2 -> concat('type:', f.type)), "
	"(6, 'found', f.proposed), "
	"(7, 'no values', CASE WHEN f.kind = 'undecided' AND f.share = 0 THEN "
	"'{\"method\": \"keep\"}'::jsonb END), "
	"(8, 'key', CASE WHEN f.kind IS NULL AND (f.in_key OR f.referenced "
	"OR f.prel IS NOT NULL) AND (f.typcategory = 'N' OR f.type = 'uuid') "
	"THEN '{\"method\": \"keep\"}'::jsonb END), "
	/* an oid may be that of a large object, which stays where it is */
	"(9, '*', CASE WHEN f.kind IS NULL AND f.type <> 'oid' THEN $2 -> '*' "
	"END), "
	"(10, 'nobody', NULL)) AS v (n, level, decided) "
	"WHERE v.decided IS NOT NULL OR v.n = 10 ORDER BY v.n LIMIT 1) AS x) "
	/* who refers follows; a rule that is shared goes by the value */
	"SELECT c.rel, c.relname, c.attname, c.type, c.kind, "
	"CASE WHEN c.generated THEN 'generated' WHEN p.rel IS NOT NULL "
	"AND c.level <> 'generated' THEN 'foreign key' ELSE c.level END, "
	"CASE WHEN c.generated THEN c.decided "
	"WHEN p.rel IS NOT NULL THEN p.decided - 'by' - 'sex' "
	"WHEN c.referenced THEN c.decided - 'by' - 'sex' "
	"ELSE c.decided END, c.role, c.generated, c.att "
	"FROM own AS c LEFT JOIN own AS p ON (p.rel, p.att) = (c.prel, c.patt) "
	"ORDER BY c.relname, c.att";

static void
read_decisions(SdcCopy *copy, Jsonb *params)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(copy->namespace),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(copy->rules),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   params == NULL ? (Datum) 0 : JsonbPGetDatum(params),
					   params == NULL);
	sdcpg_catalog_bind(
		&parameters, NAMEOID,
		DirectFunctionCall1(namein, CStringGetDatum(copy->schema)), false);
	rows = sdcpg_catalog_read(psprintf("%s%s", columns_sql, decisions_sql),
							  &parameters);
	copy->columns = rows->count;
	copy->column = palloc0(sizeof(SdcCopyColumn) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcCopyColumn *column = &copy->column[i];

		column->table = DatumGetObjectId(rows->value[i][0]);
		column->relation = sdcpg_copy_text(rows, i, 1);
		column->column = sdcpg_copy_text(rows, i, 2);
		column->type = sdcpg_copy_text(rows, i, 3);
		column->kind = sdcpg_copy_text(rows, i, 4);
		column->level = sdcpg_copy_text(rows, i, 5);
		column->rule =
			rows->isnull[i][6] ? NULL : DatumGetJsonbP(rows->value[i][6]);
		column->role = sdcpg_copy_text(rows, i, 7);
		column->generated = DatumGetBool(rows->value[i][8]);
		column->number = DatumGetInt16(rows->value[i][9]);
	}
}

/* "table.column" as rules and policies name it. */
static char *
name_of(const SdcCopyColumn *column)
{
	return psprintf("%s.%s", column->relation, column->column);
}

bool
sdcpg_copy_names(const SdcCopy *copy, const char *key)
{
	int i;

	for (i = 0; i < copy->columns; i++)
		if (strcmp(key, name_of(&copy->column[i])) == 0)
			return true;
	return false;
}

static void
need_object(const SdcCopy *copy)
{
	if (!JB_ROOT_IS_OBJECT(copy->rules))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" must be a JSON object")));
}

pg_noreturn static void
refuse_name(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_AMBIGUOUS_COLUMN),
			 errmsg("\"%s\" may be two columns", name),
			 errdetail("A rule for one of them would be one for the other."),
			 errhint("Rename a table or a column that has a point or a $ in "
					 "its name.")));
}

/*
 * Stops where column "b.c" of table "a" and column "c" of table "a.b" have one
 * name.  O(columns), and for each name with two points once more.
 */
static void
refuse_alike(const SdcCopy *copy)
{
	int i;
	int j;

	for (i = 0; i < copy->columns; i++)
	{
		char *name = name_of(&copy->column[i]);

		if (strchr(name, '.') == strrchr(name, '.'))
			continue;
		for (j = 0; j < copy->columns; j++)
			if (j != i && strcmp(name, name_of(&copy->column[j])) == 0)
				refuse_name(name);
	}
}

/* Stops where a key is a column, and a path in another one. */
static void
refuse_both(const SdcCopy *copy, const char *key)
{
	const char *path = strchr(key, '$');

	if (path != NULL && sdcpg_copy_names(copy, key) &&
		sdcpg_copy_names(copy, pnstrdup(key, path - key)))
		refuse_name(key);
}

/*
 * Is a key a column and a path in it, "customer.prefs$.mail"?  Stops when the
 * column has a rule of its own.
 */
static bool
is_path(const SdcCopy *copy, const char *key)
{
	const char *path = strchr(key, '$');
	char *column = path == NULL ? NULL : pnstrdup(key, path - key);

	if (column == NULL || !sdcpg_copy_names(copy, column))
		return false;
	if (sdcpg_params_has(copy->rules, column))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"rules\" has rules for \"%s\" and for "
						"paths within it",
						column),
				 errhint("The path $ is all of the value.")));
	return true;
}

/* Is a key one for columns of a kind, a role or a type that there is? */
static bool
is_shared(const char *key)
{
	SdcCatalogParameters parameters = {0};
	const char *word = strchr(key, ':');
	int i;

	if (word == NULL)
		return strcmp(key, "*") == 0;
	word++;
	if (strncmp(key, "kind:", 5) == 0)
	{
		for (i = 0; sdc_personal_words[i] != NULL; i++)
			if (*word != '\0' && strcmp(word, sdc_personal_words[i]) == 0)
				return true;
		return strcmp(word, SDC_PERSONAL_UNDECIDED) == 0;
	}
	if (strncmp(key, "role:", 5) == 0)
	{
		for (i = 0; i < SDC_ROLES; i++)
			if (strcmp(word, sdcpg_roles_word((SdcRole) i)) == 0)
				return true;
		return false;
	}
	if (strncmp(key, "type:", 5) != 0)
		return false;
	sdcpg_catalog_bind_text(&parameters, word);
	return sdcpg_catalog_read(
			   "SELECT 1 FROM pg_type AS t "
			   "WHERE format_type(t.oid, NULL) = $1 AND t.typtype <> 'd' "
			   "LIMIT 1",
			   &parameters)
			   ->count > 0;
}

/* A rule for nothing protects nobody, so every key is looked up. */
static void
check_rules(const SdcCopy *copy)
{
	JsonbIterator *iterator = JsonbIteratorInit(&copy->rules->root);
	JsonbIteratorToken token;
	JsonbValue value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *key;

		if (token != WJB_KEY)
			continue;
		key = pnstrdup(value.val.string.val, value.val.string.len);
		refuse_both(copy, key);
		if (!sdcpg_copy_names(copy, key) && !is_path(copy, key) &&
			!is_shared(key))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"rules\" has a rule for \"%s\", which "
							"schema \"%s\" does not have",
							key, copy->schema),
					 errhint("A rule is for \"table.column\", "
							 "\"table.column$.path\", \"kind:email\", "
							 "\"role:sensitive\", \"type:bytea\" or "
							 "\"*\"; types have their full names, as "
							 "\"type:character varying\".")));
	}
}

/* A column named * would have a method for rows chosen, and stay as it is. */
static void
refuse_rows(const SdcCopy *copy)
{
	int i;

	for (i = 0; i < copy->columns; i++)
	{
		const char *method = sdcpg_copy_method(&copy->column[i]);
		const SdcMask *mask =
			method == NULL ? NULL : sdcpg_mask_find(method, strlen(method));

		if (mask != NULL && mask->stage == SDC_MASK_OF_ROWS)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("method \"%s\" is for the rows as a whole, not "
							"for \"%s.%s\"",
							mask->name, copy->column[i].relation,
							copy->column[i].column),
					 errhint("A part of a schema is copied by params with "
							 "\"subset\".")));
	}
}

/* ----------------------------------------------------------------------
 * Who may, and what cannot be copied.
 * ----------------------------------------------------------------------
 */

/*
 * In SQL: the tables of schema $1 and all parts of them, which may be in other
 * schemas; part of WITH RECURSIVE.
 */
#define WHOLE_TABLES                                           \
	"tab AS (SELECT c.oid FROM pg_class AS c "                 \
	"WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p') "   \
	"UNION SELECT i.inhrelid FROM tab JOIN pg_inherits AS i "  \
	"ON i.inhparent = tab.oid), "                              \
	"indexes AS (SELECT i.* FROM pg_index AS i JOIN pg_class " \
	"AS c ON c.oid = i.indrelid WHERE c.relnamespace = $1 "    \
	"OR c.oid IN (SELECT tab.oid FROM tab)), "

/*
 * Relations, domains and functions of other roles, whose code would run with
 * the rights of the caller; and what a copy would not be right with.
 */
static const char *const refused_sql =
	"WITH RECURSIVE " WHOLE_TABLES
	/* types of columns, and what these are made of */
	"used AS (SELECT a.atttypid AS oid FROM tab JOIN pg_attribute AS a "
	"ON a.attrelid = tab.oid AND a.attnum > 0 AND NOT a.attisdropped UNION "
	"SELECT x.oid FROM used AS u JOIN " SDC_COPY_MADE_OF " AS x "
	"ON x.type = u.oid), "
	/* and those that views have and cast to */
	"view AS (SELECT c.oid, w.oid AS rule, w.ev_action::text AS t "
	"FROM pg_class AS c JOIN pg_rewrite AS w ON w.ev_class = c.oid "
	"AND w.rulename = '_RETURN' WHERE c.relnamespace = $1), "
	"seen AS (SELECT used.oid FROM used UNION SELECT a.atttypid FROM view "
	"JOIN pg_attribute AS a ON a.attrelid = view.oid AND a.attnum > 0 UNION "
	"SELECT d.refobjid FROM view JOIN pg_depend AS d "
	"ON d.classid = 'pg_rewrite'::regclass AND d.objid = view.rule "
	"AND d.refclassid = 'pg_type'::regclass UNION "
	"SELECT x.oid FROM seen AS u JOIN " SDC_COPY_MADE_OF " AS x "
	"ON x.type = u.oid), "
	/* clang-format off */
	/* what runs when a row is written, and cannot be left out */
	"own AS (SELECT 'pg_constraint'::regclass AS class, k.oid FROM used AS u "
	"JOIN pg_constraint AS k ON k.contypid = u.oid UNION ALL "
	"SELECT 'pg_type'::regclass, u.oid FROM used AS u UNION ALL "
	"SELECT 'pg_class'::regclass, tab.oid FROM tab UNION ALL "
	"SELECT 'pg_attrdef'::regclass, d.oid FROM tab JOIN pg_attribute AS a "
	"ON a.attrelid = tab.oid AND a.attgenerated <> '' JOIN pg_attrdef AS d "
	"ON d.adrelid = a.attrelid AND d.adnum = a.attnum), "
	SDC_COPY_TRUSTED
	/* clang-format on */
	" SELECT 1, c.relname::text FROM tab JOIN pg_class AS c "
	"ON c.oid = tab.oid WHERE c.relowner <> $2 UNION ALL "
	"SELECT 2, c.relname::text FROM pg_inherits AS i "
	"JOIN tab ON tab.oid = i.inhrelid JOIN pg_class AS c "
	"ON c.oid = i.inhrelid WHERE NOT c.relispartition UNION ALL "
	"SELECT 3, format_type(y.oid, NULL) FROM seen AS u "
	"JOIN pg_type AS y ON y.oid = u.oid "
	"JOIN pg_roles AS r ON r.oid = y.typowner "
	"WHERE y.typowner <> $2 AND NOT r.rolsuper UNION ALL "
	"SELECT 4, f.proname::text FROM (SELECT 'pg_constraint'::regclass "
	"AS class, k.oid FROM pg_constraint AS k JOIN tab ON tab.oid = "
	"k.conrelid UNION ALL "
	"SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k "
	"JOIN seen AS u ON u.oid = k.contypid UNION ALL "
	"SELECT 'pg_attrdef'::regclass, d.oid FROM pg_attrdef AS d "
	"JOIN tab ON tab.oid = d.adrelid UNION ALL "
	"SELECT 'pg_class'::regclass, i.indexrelid FROM indexes AS i UNION ALL "
	"SELECT 'pg_class'::regclass, tab.oid FROM tab UNION ALL "
	"SELECT 'pg_type'::regclass, u.oid FROM seen AS u) AS o "
	"JOIN pg_depend AS e ON e.classid = o.class AND e.objid = o.oid "
	"LEFT JOIN pg_operator AS q ON e.refclassid = 'pg_operator'::regclass "
	"AND q.oid = e.refobjid "
	"JOIN pg_proc AS f ON f.oid = CASE WHEN e.refclassid = "
	"'pg_proc'::regclass THEN e.refobjid ELSE q.oprcode::oid END "
	"JOIN pg_roles AS r ON r.oid = f.proowner "
	"WHERE f.proowner <> $2 AND NOT r.rolsuper UNION ALL "
	"SELECT 5, f.proname::text FROM pair AS k JOIN pg_proc AS f "
	"ON f.oid = k.f WHERE k.class = 'pg_attrdef'::regclass "
	"AND f.oid >= 16384 AND " SDC_COPY_READS_TABLES " UNION ALL "
	"SELECT 6, k.proname::text FROM trusted AS k"
	" ORDER BY 1, 2 LIMIT 1";

/*
 * The same by dependencies, as far as they lead: functions and types that
 * functions have and call, types that expressions cast to, and what the
 * policies of row-level security call that holds for the owner, too.  A view
 * that calls a function of another role is left out later.
 */
static const char *const needed_sql =
	"WITH RECURSIVE " WHOLE_TABLES
	"own AS (SELECT 'pg_constraint'::regclass::oid AS class, k.oid, "
	"false AS view FROM pg_constraint AS k JOIN tab ON tab.oid = k.conrelid "
	"UNION ALL SELECT 'pg_attrdef'::regclass, d.oid, false "
	"FROM pg_attrdef AS d JOIN tab ON tab.oid = d.adrelid UNION ALL "
	"SELECT 'pg_class'::regclass, i.indexrelid, false FROM indexes AS i "
	"UNION ALL SELECT 'pg_class'::regclass, tab.oid, false FROM tab "
	"UNION ALL SELECT 'pg_policy'::regclass, p.oid, false FROM tab "
	"JOIN pg_class AS c ON c.oid = tab.oid AND c.relforcerowsecurity "
	"JOIN pg_policy AS p ON p.polrelid = tab.oid UNION ALL "
	"SELECT 'pg_rewrite'::regclass, w.oid, true FROM pg_class AS c "
	"JOIN pg_rewrite AS w ON w.ev_class = c.oid AND w.rulename = '_RETURN' "
	"WHERE c.relnamespace = $1), "
	"need AS (SELECT * FROM own UNION "
	"SELECT o.class, o.oid, n.view FROM need AS n CROSS JOIN LATERAL ("
	"SELECT d.refclassid AS class, d.refobjid AS oid FROM pg_depend AS d "
	"WHERE d.classid = n.class AND d.objid = n.oid AND NOT (n.view "
	"AND n.class = 'pg_proc'::regclass AND EXISTS (SELECT FROM pg_proc AS f "
	"WHERE f.oid = n.oid AND f.proowner <> $2)) UNION ALL "
	"SELECT 'pg_type'::regclass, x.oid FROM " SDC_COPY_MADE_OF " AS x "
	"WHERE n.class = 'pg_type'::regclass AND x.type = n.oid UNION ALL "
	"SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k "
	"WHERE n.class = 'pg_type'::regclass AND k.contypid = n.oid) AS o "
	"WHERE o.oid >= 16384 AND o.class IN ('pg_type'::regclass, "
	"'pg_proc'::regclass, 'pg_operator'::regclass, "
	"'pg_constraint'::regclass)) "
	"SELECT 3, format_type(y.oid, NULL) FROM need AS n JOIN pg_type AS y "
	"ON n.class = 'pg_type'::regclass AND y.oid = n.oid "
	"JOIN pg_roles AS r ON r.oid = y.typowner "
	"WHERE y.typowner <> $2 AND NOT r.rolsuper UNION ALL "
	"SELECT 7, f.proname::text FROM need AS n JOIN pg_proc AS f "
	"ON n.class = 'pg_proc'::regclass AND f.oid = n.oid AND NOT n.view "
	"JOIN pg_roles AS r ON r.oid = f.proowner "
	"WHERE f.proowner <> $2 AND NOT r.rolsuper ORDER BY 1, 2 LIMIT 1";

void
sdcpg_copy_refuse_others(const char *schema, Oid namespace)
{
	static const char *const why[] = {
		NULL,
		"Relation \"%s\" belongs to another role.",
		"Relation \"%s\" inherits from another one.",
		"Type \"%s\" belongs to another role, and its checks would run with "
		"your rights.",
		"Function \"%s\", which a check, a default, an index, a partition key "
		"or a type calls, belongs to another role.",
		"Function \"%s\", which a generated column calls, reads tables, and "
		"would compute values of the original.",
		"Function \"%s\", which a domain, a generated column or a partition "
		"key calls, runs with the rights of its owner: whoever writes a row "
		"of the copy could ask it about the original.",
		"Function \"%s\", which is called by another one, or by a policy of "
		"row-level security, belongs to another role."};
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	bool unsupported;
	int n;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(namespace),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(GetUserId()),
					   false);
	rows = sdcpg_catalog_read(refused_sql, &parameters);
	if (rows->count == 0)
		rows = sdcpg_catalog_read(needed_sql, &parameters);
	if (rows->count == 0)
		return;
	n = DatumGetInt32(rows->value[0][0]);
	unsupported = n == 2 || n == 5 || n == 6;
	ereport(
		ERROR,
		(errcode(unsupported ? ERRCODE_FEATURE_NOT_SUPPORTED
							 : ERRCODE_INSUFFICIENT_PRIVILEGE),
		 errmsg("schema \"%s\" cannot be copied or checked", schema),
		 errdetail_internal(why[n], TextDatumGetCString(rows->value[0][1])),
		 unsupported
			 ? 0
			 : errhint("The owner of all tables of a schema and its copy "
					   "can do that; SET ROLE to him.")));
}

/*
 * Functions and operators of users that a view, an index, a partition key, a
 * check, a default or a generated column of schema $1 calls and that may take
 * values of any type, or a row of a table; and one of that name of another
 * role than $2, or NULL.  Such a definition is written out and read again, for
 * the copy or to see what it makes of constants, and f(x) calls an f there
 * that fits better.  Rows are of another type in the copy: what is written out
 * with f(t.*) calls another f, as f(record).
 */
static const char *const namesakes_sql =
	"WITH RECURSIVE " WHOLE_TABLES
	"view AS (SELECT w.ev_action::text AS t FROM pg_class AS c "
	"JOIN pg_rewrite AS w ON w.ev_class = c.oid AND w.rulename = '_RETURN' "
	"WHERE c.relnamespace = $1 UNION ALL "
	"SELECT concat(i.indexprs, i.indpred) FROM indexes AS i UNION ALL "
	"SELECT p.partexprs::text FROM pg_partitioned_table AS p JOIN tab "
	"ON tab.oid = p.partrelid UNION ALL "
	"SELECT k.conbin::text FROM pg_constraint AS k JOIN tab ON tab.oid = "
	"k.conrelid WHERE k.contype = 'c' UNION ALL "
	"SELECT d.adbin::text FROM pg_attrdef AS d JOIN tab ON tab.oid = "
	"d.adrelid), "
	"named AS (SELECT DISTINCT m[1] ~ '^:opno' AS operator, m[2]::oid AS oid "
	"FROM view CROSS JOIN LATERAL regexp_matches(view.t, '(:funcid|"
	":aggfnoid|:winfnoid|:opno|:opnos \\(o) (\\d{5,})', 'g') AS m), "
	"wide AS (SELECT y.oid FROM pg_type AS y LEFT JOIN pg_type AS e "
	"ON e.oid = y.typelem LEFT JOIN pg_class AS c ON c.oid IN (y.typrelid, "
	"e.typrelid) AND c.relkind <> 'c' WHERE y.typtype = 'p' "
	"OR c.relnamespace = $1) "
	"SELECT (SELECT g.proname::text FROM pg_proc AS g JOIN pg_roles AS r "
	"ON r.oid = g.proowner WHERE g.proname = f.proname AND g.pronamespace = "
	"f.pronamespace AND g.proowner <> $2 AND NOT r.rolsuper "
	"AND g.oid <> f.oid LIMIT 1) AS name FROM named AS n JOIN pg_proc AS f "
	"ON f.oid = n.oid AND NOT n.operator WHERE f.oid >= 16384 AND EXISTS ("
	"SELECT FROM wide WHERE wide.oid = ANY (f.proargtypes)) UNION ALL "
	"SELECT (SELECT g.oprname::text FROM pg_operator AS g JOIN pg_roles "
	"AS r ON r.oid = g.oprowner WHERE g.oprname = o.oprname "
	"AND g.oprnamespace = o.oprnamespace AND g.oprowner <> $2 "
	"AND NOT r.rolsuper AND g.oid <> o.oid LIMIT 1) FROM named AS n "
	"JOIN pg_operator AS o ON o.oid = n.oid AND n.operator "
	"WHERE o.oid >= 16384 AND EXISTS (SELECT FROM wide "
	"WHERE wide.oid IN (o.oprleft, o.oprright)) ORDER BY 1";

void
sdcpg_copy_refuse_namesakes(SdcCopy *copy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(copy->namespace),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(GetUserId()),
					   false);
	rows = sdcpg_copy_read_now(namesakes_sql, &parameters);
	copy->calls_rows = rows->count > 0;
	if (rows->count == 0 || rows->isnull[0][0])
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("schema \"%s\" cannot be copied or checked", copy->schema),
			 errdetail("A function or operator \"%s\" belongs to another "
					   "role, and would be called in the copy in the place of "
					   "one of that name that takes a row of a table, or "
					   "values of any type.",
					   sdcpg_copy_text(rows, 0, 0)),
			 errhint("Have it dropped, and take back the right to create in "
					 "its schema.")));
}

/* ----------------------------------------------------------------------
 * sdc.plan_copy
 * ----------------------------------------------------------------------
 */

/*
 * Values printed as the search reads them, and an empty search_path, but for
 * temporary tables, until the level ends.
 */
int
sdcpg_copy_settings(void)
{
	int level = NewGUCNestLevel();

	sdcpg_set_for_now("search_path", "pg_catalog, pg_temp");
	sdcpg_print_alike();
	sdcpg_set_for_now("datestyle", "ISO, YMD");
	return level;
}

/* Reads schema and rules, which may be NULL, and decides. */
void
sdcpg_copy_decide(SdcCopy *copy, const char *schema, Jsonb *rules,
				  Jsonb *params)
{
	copy->schema = pstrdup(schema);
	copy->namespace = get_namespace_oid(copy->schema, false);
	copy->rules = rules != NULL ? rules
								: DatumGetJsonbP(DirectFunctionCall1(
									  jsonb_in, CStringGetDatum("{}")));
	copy->subset =
		params == NULL ? NULL : sdcpg_params_object(params, "subset");
	copy->words = params == NULL ? NIL : sdcpg_params_names(params, "words");
	need_object(copy);
	sdcpg_copy_refuse_others(copy->schema, copy->namespace);
	sdcpg_copy_refuse_namesakes(copy);
	read_decisions(copy, params);
	refuse_alike(copy);
	check_rules(copy);
	refuse_rows(copy);
}

/* plan_copy(schema name, rules jsonb, params jsonb) */
Datum
sdcf_plan_copy(PG_FUNCTION_ARGS)
{
	SdcCopy copy = {0};
	int settings;
	int i;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need(fcinfo, 0);
	settings = sdcpg_copy_settings();
	sdcpg_copy_decide(&copy, NameStr(*PG_GETARG_NAME(0)),
					  sdcpg_copy_json(fcinfo, 1), sdcpg_copy_json(fcinfo, 2));
	for (i = 0; i < copy.columns; i++)
	{
		const SdcCopyColumn *column = &copy.column[i];
		Datum values[6];
		bool isnull[6] = {false};

		values[0] = ObjectIdGetDatum(column->table);
		values[1] =
			DirectFunctionCall1(namein, CStringGetDatum(column->column));
		isnull[2] = column->kind == NULL;
		values[2] = isnull[2] ? (Datum) 0 : CStringGetTextDatum(column->kind);
		values[3] = CStringGetTextDatum(column->level);
		isnull[4] = sdcpg_copy_method(column) == NULL;
		values[4] = isnull[4] ? (Datum) 0
							  : CStringGetTextDatum(sdcpg_copy_method(column));
		isnull[5] = column->rule == NULL;
		values[5] = isnull[5] ? (Datum) 0 : JsonbPGetDatum(column->rule);
		sdcpg_result_put(copy.result, values, isnull);
	}
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}

/* Stops when there is a column that nobody has decided about. */
void
sdcpg_copy_need_decisions(const SdcCopy *copy)
{
	StringInfoData names;
	int count = 0;
	int i;

	initStringInfo(&names);
	for (i = 0; i < copy->columns; i++)
		if (sdcpg_copy_method(&copy->column[i]) == NULL && count++ < 10)
			appendStringInfo(&names, "%s%s.%s", count > 1 ? ", " : "",
							 copy->column[i].relation, copy->column[i].column);
	if (count == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%d columns of schema \"%s\" have no decision", count,
					copy->schema),
			 errdetail("They are %s%s.", names.data,
					   count > 10 ? " and others" : ""),
			 errhint("Look at sdc.plan_copy and write rules for them; {\"*\": "
					 "{\"method\": \"keep\"}} keeps the columns in which "
					 "nothing personal was found.")));
}
