/*
 * copy.c
 *		A safe copy of a whole schema: sdc.plan_copy, copy_schema, check_copy.
 *
 * Every column has a decision: by a rule for it, by the column that its
 * foreign key refers to, by a rule for its kind, role or type, or by what was
 * found in it.  One query of the catalog makes the decisions.  Each table is
 * masked by sdc.mask, then put into a table with the types, constraints and
 * indexes of the original; foreign keys come last and prove that no row has
 * lost its partner.  Then the copy is searched for original identifiers.
 *
 * All is done by the owner of the tables, and by nobody else: domains, checks
 * and expressions run as for any INSERT of his.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "release/policy.h"
#include "topic/mask/mask_write.h"

PG_FUNCTION_INFO_V1(sdcf_plan_copy);
PG_FUNCTION_INFO_V1(sdcf_copy_schema);
PG_FUNCTION_INFO_V1(sdcf_check_copy);

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
	"SELECT DISTINCT k.conrelid AS rel, a.child AS att, k.confrelid AS prel, "
	"a.parent AS patt FROM pg_constraint AS k "
	"JOIN tab AS c ON c.oid = k.conrelid JOIN tab AS p ON p.oid = k.confrelid "
	"CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS a (child, parent) "
	"WHERE k.contype = 'f' AND k.conparentid = 0 "
	"AND (k.conrelid, a.child) <> (k.confrelid, a.parent)), "
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
	"LEFT JOIN sdc.find_personal($4, $3) AS p "
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
	"(2, 'column', $2 -> concat(f.relname, '.', f.attname)), "
	"(3, 'kind', $2 -> concat('kind:', f.kind)), "
	"(4, 'role', $2 -> concat('role:', f.role)), "
	"(5, 'type', $2 -> concat('type:', f.type)), "
	"(6, 'found', f.proposed), "
	"(7, 'no values', CASE WHEN f.kind = 'undecided' AND f.share = 0 THEN "
	"'{\"method\": \"keep\"}'::jsonb END), "
	"(8, 'key', CASE WHEN f.kind IS NULL AND (f.in_key OR f.referenced "
	"OR f.prel IS NOT NULL) AND (f.typcategory = 'N' OR f.type = 'uuid') "
	"THEN '{\"method\": \"keep\"}'::jsonb END), "
	"(9, '*', CASE WHEN f.kind IS NULL THEN $2 -> '*' END), "
	"(10, 'nobody', NULL)) AS v (n, level, decided) "
	"WHERE v.decided IS NOT NULL OR v.n = 10 ORDER BY v.n LIMIT 1) AS x) "
	/* who refers follows; a rule that is shared goes by the value */
	"SELECT c.rel, c.relname, c.attname, c.type, c.kind, "
	"CASE WHEN c.generated THEN 'generated' WHEN p.rel IS NOT NULL "
	"AND c.level <> 'generated' THEN 'foreign key' ELSE c.level END, "
	"CASE WHEN c.generated THEN c.decided "
	"WHEN p.rel IS NOT NULL THEN p.decided - 'by' - 'sex' "
	"WHEN c.referenced THEN c.decided - 'by' - 'sex' "
	"ELSE c.decided END, c.role, c.generated "
	"FROM own AS c LEFT JOIN own AS p ON (p.rel, p.att) = (c.prel, c.patt) "
	"ORDER BY c.relname, c.att";

/* A column and what is done to it. */
typedef struct Decision
{
	Oid table;
	char *relation;
	char *column;
	char *type;
	char *kind; /* NULL: none was found */
	char *level;
	Jsonb *rule; /* NULL: nobody has decided */
	char *role;  /* or NULL */
	bool generated;
} Decision;

typedef struct Copy
{
	char *schema;
	Oid namespace;
	char *target;
	Jsonb *rules;
	int columns;
	Decision *column;
	ReturnSetInfo *result;
	Datum seed;
	bool seeded;
} Copy;

static char *
text_or_null(const SdcCatalogRows *rows, int64 i, int j)
{
	return rows->isnull[i][j] ? NULL : TextDatumGetCString(rows->value[i][j]);
}

static void
read_decisions(Copy *copy, Jsonb *params)
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
	copy->column = palloc0(sizeof(Decision) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		Decision *column = &copy->column[i];

		column->table = DatumGetObjectId(rows->value[i][0]);
		column->relation = text_or_null(rows, i, 1);
		column->column = text_or_null(rows, i, 2);
		column->type = text_or_null(rows, i, 3);
		column->kind = text_or_null(rows, i, 4);
		column->level = text_or_null(rows, i, 5);
		column->rule =
			rows->isnull[i][6] ? NULL : DatumGetJsonbP(rows->value[i][6]);
		column->role = text_or_null(rows, i, 7);
		column->generated = DatumGetBool(rows->value[i][8]);
	}
}

/* Is a key of the rules a column of the schema? */
static bool
names_column(const Copy *copy, const char *key)
{
	int i;

	for (i = 0; i < copy->columns; i++)
		if (strcmp(key, psprintf("%s.%s", copy->column[i].relation,
								 copy->column[i].column)) == 0)
			return true;
	return false;
}

/* A rule for nothing protects nobody, so every key is looked up. */
static void
check_rules(const Copy *copy)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;

	if (!JB_ROOT_IS_OBJECT(copy->rules))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"rules\" must be a JSON object")));
	iterator = JsonbIteratorInit(&copy->rules->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *key;

		if (token != WJB_KEY)
			continue;
		key = pnstrdup(value.val.string.val, value.val.string.len);
		if (strcmp(key, "*") != 0 && strncmp(key, "kind:", 5) != 0 &&
			strncmp(key, "role:", 5) != 0 && strncmp(key, "type:", 5) != 0 &&
			!names_column(copy, key))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"rules\" has a rule for \"%s\", which "
							"schema \"%s\" does not have",
							key, copy->schema),
					 errhint("A rule is for \"table.column\", \"kind:email\", "
							 "\"role:sensitive\", \"type:bytea\" or \"*\".")));
	}
}

/* ----------------------------------------------------------------------
 * Who may, and what cannot be copied.
 * ----------------------------------------------------------------------
 */

/*
 * Relations, domains and functions of other roles, whose code would run with
 * the rights of the caller; and what a copy would not be right with.
 */
static const char *const refused_sql =
	"WITH RECURSIVE tab AS (SELECT c.oid FROM pg_class AS c "
	"WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p')), "
	/* types of columns, and what these are made of */
	"used AS (SELECT a.atttypid AS oid FROM tab JOIN pg_attribute AS a "
	"ON a.attrelid = tab.oid AND a.attnum > 0 UNION "
	"SELECT x.oid FROM used AS u JOIN pg_type AS t ON t.oid = u.oid "
	"CROSS JOIN LATERAL (VALUES (t.typbasetype), (t.typelem)) AS x (oid) "
	"WHERE x.oid <> 0) "
	"SELECT 1, c.relname::text FROM pg_class AS c WHERE c.relnamespace = $1 "
	"AND c.relkind IN ('r', 'p') AND c.relowner <> $2 UNION ALL "
	"SELECT 2, c.relname::text FROM pg_inherits AS i "
	"JOIN pg_class AS c ON c.oid = i.inhrelid "
	"WHERE c.relnamespace = $1 AND NOT c.relispartition "
	"AND c.relkind = 'r' UNION ALL "
	"SELECT 3, format_type(y.oid, NULL) FROM used AS u "
	"JOIN pg_type AS y ON y.oid = u.oid "
	"JOIN pg_roles AS r ON r.oid = y.typowner "
	"WHERE y.typowner <> $2 AND NOT r.rolsuper UNION ALL "
	"SELECT 4, f.proname::text FROM (SELECT 'pg_constraint'::regclass "
	"AS class, k.oid FROM pg_constraint AS k JOIN tab ON tab.oid = "
	"k.conrelid UNION ALL "
	"SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k "
	"JOIN used AS u ON u.oid = k.contypid UNION ALL "
	"SELECT 'pg_attrdef'::regclass, d.oid FROM pg_attrdef AS d "
	"JOIN tab ON tab.oid = d.adrelid UNION ALL "
	"SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i "
	"JOIN tab ON tab.oid = i.indrelid) AS o "
	"JOIN pg_depend AS e ON e.classid = o.class AND e.objid = o.oid "
	"LEFT JOIN pg_operator AS q ON e.refclassid = 'pg_operator'::regclass "
	"AND q.oid = e.refobjid "
	"JOIN pg_proc AS f ON f.oid = CASE WHEN e.refclassid = "
	"'pg_proc'::regclass THEN e.refobjid ELSE q.oprcode::oid END "
	"JOIN pg_roles AS r ON r.oid = f.proowner "
	"WHERE f.proowner <> $2 AND NOT r.rolsuper ORDER BY 1, 2 LIMIT 1";

static void
refuse_others(const char *schema, Oid namespace)
{
	static const char *const why[] = {
		NULL, "Relation \"%s\" belongs to another role.",
		"Relation \"%s\" inherits from another one.",
		"Type \"%s\" belongs to another role, and its checks would run with "
		"your rights.",
		"Function \"%s\", which a check, a default or an index calls, belongs "
		"to another role."};
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(namespace),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(GetUserId()),
					   false);
	rows = sdcpg_catalog_read(refused_sql, &parameters);
	if (rows->count == 0)
		return;
	ereport(ERROR,
			(errcode(DatumGetInt32(rows->value[0][0]) == 2
						 ? ERRCODE_FEATURE_NOT_SUPPORTED
						 : ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("schema \"%s\" cannot be copied or checked", schema),
			 errdetail_internal(why[DatumGetInt32(rows->value[0][0])],
								TextDatumGetCString(rows->value[0][1])),
			 errhint("The owner of all tables of a schema and its copy can do "
					 "that; SET ROLE to him.")));
}

/* ----------------------------------------------------------------------
 * sdc.plan_copy
 * ----------------------------------------------------------------------
 */

/* An empty search_path, but for temporary tables, until the level ends. */
static int
begin_settings(void)
{
	int level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

/* Reads schema and rules, and decides. */
static void
begin_copy(Copy *copy, FunctionCallInfo fcinfo, int rules, int params)
{
	copy->schema = pstrdup(NameStr(*PG_GETARG_NAME(0)));
	copy->namespace = get_namespace_oid(copy->schema, false);
	copy->rules = PG_ARGISNULL(rules) ? DatumGetJsonbP(DirectFunctionCall1(
											jsonb_in, CStringGetDatum("{}")))
									  : PG_GETARG_JSONB_P(rules);
	refuse_others(copy->schema, copy->namespace);
	read_decisions(copy,
				   PG_ARGISNULL(params) ? NULL : PG_GETARG_JSONB_P(params));
	check_rules(copy);
}

static const char *
method_of(const Decision *column)
{
	return column->rule == NULL ? NULL
								: sdcpg_params_text(column->rule, "method");
}

/* plan_copy(schema name, rules jsonb, params jsonb) */
Datum
sdcf_plan_copy(PG_FUNCTION_ARGS)
{
	Copy copy = {0};
	int settings;
	int i;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need(fcinfo, 0);
	settings = begin_settings();
	begin_copy(&copy, fcinfo, 1, 2);
	for (i = 0; i < copy.columns; i++)
	{
		const Decision *column = &copy.column[i];
		Datum values[6];
		bool isnull[6] = {false};

		values[0] = ObjectIdGetDatum(column->table);
		values[1] =
			DirectFunctionCall1(namein, CStringGetDatum(column->column));
		isnull[2] = column->kind == NULL;
		values[2] = isnull[2] ? (Datum) 0 : CStringGetTextDatum(column->kind);
		values[3] = CStringGetTextDatum(column->level);
		isnull[4] = method_of(column) == NULL;
		values[4] =
			isnull[4] ? (Datum) 0 : CStringGetTextDatum(method_of(column));
		isnull[5] = column->rule == NULL;
		values[5] = isnull[5] ? (Datum) 0 : JsonbPGetDatum(column->rule);
		sdcpg_result_put(copy.result, values, isnull);
	}
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}

/* Stops when there is a column that nobody has decided about. */
static void
need_decisions(const Copy *copy)
{
	StringInfoData names;
	int count = 0;
	int i;

	initStringInfo(&names);
	for (i = 0; i < copy->columns; i++)
		if (method_of(&copy->column[i]) == NULL && count++ < 10)
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

/* ----------------------------------------------------------------------
 * Tables.
 * ----------------------------------------------------------------------
 */

/*
 * Runs a statement as the caller, and lets what reads after it see what it
 * did; how many rows it had.
 */
static uint64
run_with(const char *sql, const SdcCatalogParameters *parameters)
{
	uint64 rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	sdcpg_catalog_run(sql, parameters, false);
	rows = SPI_processed;
	SPI_finish();
	CommandCounterIncrement();
	UpdateActiveSnapshotCommandId();
	return rows;
}

static uint64
run(const char *sql)
{
	return run_with(sql, NULL);
}

/* A row of texts of a query of the catalog with the parameter $1. */
static SdcCatalogRows *
ask(const char *sql, Oid oid)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(oid), false);
	return sdcpg_catalog_read(sql, &parameters);
}

static char *
quoted(const char *schema, const char *name)
{
	return quote_qualified_identifier(schema, name);
}

/*
 * A table like the original, with its partitions, and without rows, foreign
 * keys, triggers and comments.
 */
static void
create_like(const Copy *copy, Oid table, const char *name)
{
	SdcCatalogRows *parts =
		ask("SELECT pg_get_partkeydef(c.oid), p.oid, p.relname::text, "
			"pg_get_expr(p.relpartbound, p.oid), p.relkind = 'p', "
			"pg_get_partkeydef(p.oid) FROM pg_class AS c "
			"LEFT JOIN pg_inherits AS i ON i.inhparent = c.oid "
			"LEFT JOIN pg_class AS p ON p.oid = i.inhrelid "
			"WHERE c.oid = $1 ORDER BY p.relname",
			table);
	char *key = text_or_null(parts, 0, 0);
	int64 i;

	run(psprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING "
				 "CONSTRAINTS INCLUDING GENERATED INCLUDING IDENTITY "
				 "INCLUDING INDEXES INCLUDING STORAGE)%s%s",
				 quoted(copy->target, name),
				 quoted(copy->schema, get_rel_name(table)),
				 key == NULL ? "" : " PARTITION BY ", key == NULL ? "" : key));
	for (i = 0; i < parts->count && !parts->isnull[i][1]; i++)
	{
		char *part = text_or_null(parts, i, 2);
		char *under = text_or_null(parts, i, 5);

		if (DatumGetBool(parts->value[i][4]))
			ereport(
				ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("partition \"%s\" has partitions of its own", part),
				 errdetail("Copies have one level of partitions (%s).",
						   under)));
		run(psprintf("CREATE TABLE %s PARTITION OF %s %s",
					 quoted(copy->target, part), quoted(copy->target, name),
					 text_or_null(parts, i, 3)));
	}
}

/* Sequences of serial columns become those of the copy. */
static void
own_sequences(const Copy *copy, Oid table, const char *name)
{
	SdcCatalogRows *rows =
		ask("SELECT a.attname::text, s.relname::text FROM pg_depend AS d "
			"JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S' "
			"JOIN pg_attribute AS a ON a.attrelid = d.refobjid "
			"AND a.attnum = d.refobjsubid WHERE d.refobjid = $1 "
			"AND d.classid = 'pg_class'::regclass "
			"AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'",
			table);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		const char *column = quote_identifier(text_or_null(rows, i, 0));
		char *sequence = quoted(copy->target, text_or_null(rows, i, 1));

		run(psprintf("CREATE SEQUENCE %s OWNED BY %s.%s", sequence,
					 quoted(copy->target, name), column));
		run(psprintf("ALTER TABLE %s ALTER %s SET DEFAULT nextval(%s)",
					 quoted(copy->target, name), column,
					 quote_literal_cstr(sequence)));
	}
}

/* Sequences and identities go on after the largest value of the copy. */
static void
set_sequences(const Copy *copy, const char *name)
{
	SdcCatalogRows *rows =
		ask("SELECT a.attname::text, d.objid::regclass::text "
			"FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid "
			"AND s.relkind = 'S' JOIN pg_attribute AS a "
			"ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid "
			"WHERE d.refobjid = $1 AND d.classid = 'pg_class'::regclass "
			"AND d.refclassid = 'pg_class'::regclass "
			"AND d.deptype IN ('a', 'i')",
			get_relname_relid(name, get_namespace_oid(copy->target, false)));
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		const char *column = quote_identifier(text_or_null(rows, i, 0));

		run(psprintf("SELECT setval(%s, greatest(max(%s), 1), max(%s) IS NOT "
					 "NULL) FROM %s",
					 quote_literal_cstr(text_or_null(rows, i, 1)), column,
					 column, quoted(copy->target, name)));
	}
}

/* The rules of a table as one document, and its columns that are written. */
static char *
rules_of(const Copy *copy, Oid table, StringInfo written)
{
	StringInfoData rules;
	int i;

	initStringInfo(&rules);
	for (i = 0; i < copy->columns; i++)
	{
		const Decision *column = &copy->column[i];

		if (column->table != table || column->generated)
			continue;
		appendStringInfo(&rules, "%s", rules.len == 0 ? "{" : ", ");
		escape_json(&rules, column->column);
		appendStringInfo(
			&rules, ": %s",
			JsonbToCString(NULL, &column->rule->root, VARSIZE(column->rule)));
		appendStringInfo(written, "%s%s", written->len == 0 ? "" : ", ",
						 quote_identifier(column->column));
	}
	if (rules.len == 0)
		appendStringInfoChar(&rules, '{');
	appendStringInfoChar(&rules, '}');
	return rules.data;
}

/* One table on its way. */
typedef struct Table
{
	const Copy *copy;
	Oid oid;
	char *name;
	char *written; /* the columns that are not generated */
	int64 rows;
} Table;

/* The name of a table that is in the way until the rows are where they go. */
#define STAGE "sdc_stage"

/* Masks the table into one of plain types. */
static void
mask_table(const Table *table, const char *rules)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table->oid),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   DirectFunctionCall1(jsonb_in, CStringGetDatum(rules)),
					   false);
	sdcpg_catalog_bind_text(&parameters, quoted(table->copy->target, STAGE));
	sdcpg_catalog_bind(&parameters, INT8OID, table->copy->seed,
					   !table->copy->seeded);
	run_with("SELECT count(*) FROM sdc.mask(relation => $1::regclass,"
			 " rules => $2, target => $3, seed => $4)",
			 &parameters);
}

/* Takes the rows over; what a check says of a row may show values. */
static void
fill_table(void *arg)
{
	Table *table = arg;
	char *target = table->copy->target;

	table->rows = run(psprintf(
		"INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s",
		quoted(target, table->name), table->written, table->written,
		quoted(target, STAGE)));
}

static void
write_table(void *arg)
{
	Table *table = arg;
	const Copy *copy = table->copy;
	StringInfoData written;
	char *rules;

	initStringInfo(&written);
	rules = rules_of(copy, table->oid, &written);
	table->written = written.data;
	create_like(copy, table->oid, table->name);
	own_sequences(copy, table->oid, table->name);
	if (written.len == 0)
		return;
	mask_table(table, rules);
	sdcpg_mask_guard(table->name, fill_table, table);
	run(psprintf("DROP TABLE %s", quoted(copy->target, STAGE)));
	set_sequences(copy, table->name);
}

static void
put_table(const Table *table)
{
	const Copy *copy = table->copy;
	SdcStep step = SDC_STEP("write");
	int i;

	step.subject = quoted(copy->target, table->name);
	step.rows = table->rows;
	sdcpg_step_put(copy->result, &step);
	for (i = 0; i < copy->columns; i++)
	{
		const Decision *column = &copy->column[i];
		const char *method = method_of(column);
		SdcStep line = SDC_STEP("mask");

		if (column->table != table->oid)
			continue;
		line.step = strcmp(method, "keep") == 0 ? "kept" : "mask";
		line.subject = psprintf("%s.%s", table->name, column->column);
		line.method = method;
		line.rows = table->rows;
		line.detail = psprintf("Decided by: %s.", column->level);
		sdcpg_step_put(copy->result, &line);
	}
}

/* ----------------------------------------------------------------------
 * Foreign keys, and what is not copied.
 * ----------------------------------------------------------------------
 */

static const char *const keys_sql =
	"SELECT k.conname::text, c.relname::text, p.relname::text, "
	"(SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.n) "
	"FROM unnest(k.conkey) WITH ORDINALITY AS u (att, n) JOIN pg_attribute "
	"AS a ON a.attrelid = k.conrelid AND a.attnum = u.att), "
	"(SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.n) "
	"FROM unnest(k.confkey) WITH ORDINALITY AS u (att, n) JOIN pg_attribute "
	"AS a ON a.attrelid = k.confrelid AND a.attnum = u.att), "
	"concat(CASE k.confmatchtype WHEN 'f' THEN ' MATCH FULL' END, "
	"' ON UPDATE ', CASE k.confupdtype WHEN 'r' THEN 'RESTRICT' WHEN 'c' "
	"THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' "
	"ELSE 'NO ACTION' END, ' ON DELETE ', CASE k.confdeltype WHEN 'r' THEN "
	"'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' "
	"THEN 'SET DEFAULT' ELSE 'NO ACTION' END, "
	"CASE WHEN k.condeferrable THEN ' DEFERRABLE' END, "
	"CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END, "
	"CASE WHEN NOT k.convalidated THEN ' NOT VALID' END), "
	"p.relnamespace = $1, (SELECT string_agg(concat('p.', "
	"quote_ident(b.attname), ' = c.', quote_ident(a.attname)), ' AND ' "
	"ORDER BY u.n) FROM unnest(k.conkey, k.confkey) WITH ORDINALITY "
	"AS u (att, patt, n) JOIN pg_attribute AS a ON a.attrelid = k.conrelid "
	"AND a.attnum = u.att JOIN pg_attribute AS b ON b.attrelid = k.confrelid "
	"AND b.attnum = u.patt), (SELECT string_agg(concat('c.', "
	"quote_ident(a.attname), ' IS NOT NULL'), ' AND ' ORDER BY u.n) "
	"FROM unnest(k.conkey) WITH ORDINALITY AS u (att, n) JOIN pg_attribute "
	"AS a ON a.attrelid = k.conrelid AND a.attnum = u.att) "
	"FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid "
	"JOIN pg_class AS p ON p.oid = k.confrelid WHERE c.relnamespace = $1 "
	"AND k.contype = 'f' AND k.conparentid = 0 AND NOT c.relispartition "
	"ORDER BY c.relname, k.conname";

static void
put_line(const Copy *copy, const char *name, const char *subject,
		 const char *detail)
{
	SdcStep step = SDC_STEP(name);

	step.subject = subject;
	step.detail = detail;
	sdcpg_step_put(copy->result, &step);
}

typedef struct Key
{
	const Copy *copy;
	const SdcCatalogRows *rows;
	int64 row;
} Key;

static void
add_key(void *arg)
{
	const Key *key = arg;
	const Copy *copy = key->copy;

	run(psprintf("ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) "
				 "REFERENCES %s (%s)%s",
				 quoted(copy->target, text_or_null(key->rows, key->row, 1)),
				 quote_identifier(text_or_null(key->rows, key->row, 0)),
				 text_or_null(key->rows, key->row, 3),
				 quoted(copy->target, text_or_null(key->rows, key->row, 2)),
				 text_or_null(key->rows, key->row, 4),
				 text_or_null(key->rows, key->row, 5)));
}

/* Every key is validated, and that is the proof. */
static void
add_keys(const Copy *copy)
{
	SdcCatalogRows *rows = ask(keys_sql, copy->namespace);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		Key key = {copy, rows, i};
		char *subject = psprintf("%s.%s", text_or_null(rows, i, 1),
								 text_or_null(rows, i, 0));

		CHECK_FOR_INTERRUPTS();
		if (DatumGetBool(rows->value[i][6]))
		{
			sdcpg_mask_guard(text_or_null(rows, i, 1), add_key, &key);
			put_line(copy, "constraint", subject,
					 "Foreign key, validated in the copy.");
		}
		else
			put_line(copy, "not covered", subject,
					 "Foreign key to another schema: not in the copy.");
	}
}

static void
put_not_covered(const Copy *copy)
{
	SdcCatalogRows *rows = ask(
		"SELECT c.relname::text, CASE c.relkind WHEN 'v' THEN 'View' WHEN 'm' "
		"THEN 'Materialized view' WHEN 'f' THEN 'Foreign table' END "
		"FROM pg_class AS c WHERE c.relnamespace = $1 "
		"AND c.relkind IN ('v', 'm', 'f') UNION ALL "
		"SELECT p.proname::text, 'Function' FROM pg_proc AS p "
		"WHERE p.pronamespace = $1 UNION ALL "
		"SELECT t.tgname::text, 'Trigger' FROM pg_trigger AS t "
		"JOIN pg_class AS c ON c.oid = t.tgrelid "
		"WHERE c.relnamespace = $1 AND NOT t.tgisinternal "
		"AND t.tgparentid = 0 ORDER BY 2, 1",
		copy->namespace);
	int64 i;

	for (i = 0; i < rows->count; i++)
		put_line(copy, "not covered", text_or_null(rows, i, 0),
				 psprintf("%s: not in the copy.", text_or_null(rows, i, 1)));
}

/* ----------------------------------------------------------------------
 * The search for original identifiers.
 *
 * What is looked for are the values of columns that name people, of five
 * characters at least, also without what is between digits.  What is searched
 * are the texts of the copy: whole values, words, pairs of words, and runs of
 * digits without what is between them.
 * ----------------------------------------------------------------------
 */

/* Which identifiers are looked for. */
typedef enum Sought
{
	SOUGHT_NOT,
	SOUGHT_IN_KEPT, /* what a fake of another person may be by chance */
	SOUGHT_IN_ALL
} Sought;

static Sought
sought_of(const Decision *column)
{
	/* these another person may have by right, or another number become */
	static const char *const common[] = {
		"first_name", "last_name", "city", "text", "secret", "id", NULL};
	int i;

	if (column->role == NULL || strcmp(column->role, "identifier") != 0 ||
		column->generated)
		return SOUGHT_NOT;
	if (column->kind == NULL)
		return SOUGHT_IN_ALL;
	for (i = 0; common[i] != NULL; i++)
		if (strcmp(common[i], column->kind) == 0)
			return SOUGHT_NOT;
	return strcmp(column->kind, "name") == 0 ||
				   strcmp(column->kind, "address") == 0
			   ? SOUGHT_IN_KEPT
			   : SOUGHT_IN_ALL;
}

/* The texts in a column, as rows of one text t; NULL: it has none. */
static char *
texts_in(const char *schema, const Decision *column)
{
	char *name = psprintf("x.%s", quote_identifier(column->column));
	char *from = psprintf("%s AS x", quoted(schema, column->relation));

	if (strcmp(column->type, "jsonb") == 0 ||
		strcmp(column->type, "json") == 0)
		return psprintf("SELECT v #>> '{}' AS t FROM %s, "
						"jsonb_path_query(%s::jsonb, 'strict $.** ? (@.type() "
						"== \"string\" || @.type() == \"number\")') AS v",
						from, name);
	if (strcmp(column->type, "bytea") == 0)
		return psprintf("SELECT encode(%s, 'escape') AS t FROM %s", name,
						from);
	return psprintf("SELECT %s::text AS t FROM %s", name, from);
}

/* Original identifiers as rows of a text w; NULL: there are none. */
static char *
sought_sql(const Copy *copy, Sought least)
{
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	for (i = 0; i < copy->columns; i++)
		if (sought_of(&copy->column[i]) >= least)
			appendStringInfo(&sql, "%s%s", sql.len == 0 ? "" : " UNION ALL ",
							 texts_in(copy->schema, &copy->column[i]));
	if (sql.len == 0)
		return NULL;
	return psprintf("SELECT DISTINCT lower(w.w) AS w FROM (%s) AS o, LATERAL "
					"(VALUES (o.t), (regexp_replace(o.t, '[^0-9A-Za-z+]', '', "
					"'g'))) AS w (w) WHERE length(w.w) >= 5",
					sql.data);
}

/* How many of them are in a column of the copy. */
static int64
count_leaks(const Copy *copy, const Decision *column, const char *sought)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf(
			"SELECT count(*) FROM (SELECT DISTINCT lower(w.w) AS w "
			"FROM (SELECT DISTINCT t FROM (%s) AS q WHERE t IS NOT NULL) "
			"AS c, "
			"LATERAL (SELECT c.t AS w UNION ALL "
			"SELECT x FROM (SELECT btrim(s, '.:!?''') AS x "
			"FROM regexp_split_to_table(c.t, '[[:space:],;()<>\"{}]+') AS s) "
			"AS words UNION ALL "
			"SELECT concat(s, ' ', lead(btrim(s, '.:!?''')) "
			"OVER (ORDER BY n)) "
			"FROM regexp_split_to_table(c.t, '[[:space:],;()<>\"{}]+') "
			"WITH ORDINALITY AS u (s, n) UNION ALL "
			"SELECT regexp_replace(m[1], '[^0-9A-Za-z+]', '', 'g') "
			"FROM regexp_matches(c.t, "
			"'([+0-9A-Z][0-9A-Z ()./-]{3,40}[0-9A-Z])', 'g') AS m) AS w "
			"WHERE length(w.w) >= 5) AS found JOIN (%s) AS o USING (w)",
			texts_in(copy->target, column), sought),
		NULL);

	return DatumGetInt64(rows->value[0][0]);
}

/* A figure of the check. */
static void
put_measure(const Copy *copy, const char *measure, const char *subject,
			int64 value, const char *sentence)
{
	sdcpg_result_measure(copy->result, measure, subject, (double) value, false,
						 sentence);
}

static bool
is_searched(const Decision *column)
{
	static const char *const plain[] = {"boolean",
										"date",
										"timestamp without time zone",
										"timestamp with time zone",
										"time without time zone",
										"interval",
										"double precision",
										"real",
										NULL};
	int i;

	for (i = 0; plain[i] != NULL; i++)
		if (strcmp(plain[i], column->type) == 0)
			return false;
	return true;
}

/* Names and expressions of the copy, which may hold values, too. */
static int64
count_definitions(const Copy *copy, const char *sought)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(get_namespace_oid(copy->target, false)), false);
	return DatumGetInt64(
		sdcpg_catalog_read(
			psprintf(
				"SELECT count(*) FROM (SELECT DISTINCT lower(btrim(s, "
				"'.:!?''')) AS w FROM (SELECT pg_get_expr(d.adbin, d.adrelid) "
				"AS t FROM pg_attrdef AS d JOIN pg_class AS c ON c.oid = "
				"d.adrelid WHERE c.relnamespace = $1 UNION ALL "
				"SELECT pg_get_constraintdef(k.oid) FROM pg_constraint AS k "
				"WHERE k.connamespace = $1 UNION ALL "
				"SELECT pg_get_expr(c.relpartbound, c.oid) FROM pg_class AS c "
				"WHERE c.relnamespace = $1 UNION ALL "
				"SELECT c.relname::text FROM pg_class AS c "
				"WHERE c.relnamespace = $1) AS q, "
				"regexp_split_to_table(t, '[[:space:],;()<>\"{}'']+') AS s) "
				"AS found JOIN (%s) AS o USING (w)",
				sought),
			&parameters)
			->value[0][0]);
}

/* Is a column as it was, as far as is known?  Then no fake is in it. */
static bool
is_kept(const Decision *column)
{
	const char *method = method_of(column);

	return !column->generated &&
		   (method == NULL || strcmp(method, "keep") == 0);
}

/* All that was found, with lines where wanted. */
static int64
search_copy(const Copy *copy, bool lines, StringInfo places)
{
	char *anywhere = sought_sql(copy, SOUGHT_IN_ALL);
	char *in_kept = sought_sql(copy, SOUGHT_IN_KEPT);
	int64 all = 0;
	int64 found;
	int i;

	for (i = 0; i < copy->columns; i++)
	{
		const Decision *column = &copy->column[i];
		char *place = psprintf("%s.%s", column->relation, column->column);
		char *sought = is_kept(column) ? in_kept : anywhere;

		CHECK_FOR_INTERRUPTS();
		if (sought == NULL || !is_searched(column))
			continue;
		found = count_leaks(copy, column, sought);
		all += found;
		if (found > 0)
			appendStringInfo(places, "%s%s", places->len == 0 ? "" : ", ",
							 place);
		if (lines && found > 0)
			put_measure(copy, "leaks", place, found,
						"Different original identifiers in this column of "
						"the copy.");
	}
	if (in_kept != NULL)
	{
		found = count_definitions(copy, in_kept);
		all += found;
		if (found > 0)
			appendStringInfo(places, "%sdefaults, checks or names",
							 places->len == 0 ? "" : ", ");
	}
	if (lines)
		put_measure(copy, "leaks", copy->target, all,
					"Different original identifiers in all of the copy.");
	return all;
}

/* ----------------------------------------------------------------------
 * sdc.copy_schema
 * ----------------------------------------------------------------------
 */

/*
 * All tables as of one moment: of the snapshot of the transaction, where it
 * has one, or else nobody writes meanwhile.
 */
static void
hold_still(const Copy *copy)
{
	int i;

	if (IsolationUsesXactSnapshot())
		return;
	for (i = 0; i < copy->columns; i++)
		if (i == 0 || copy->column[i].table != copy->column[i - 1].table)
			run(psprintf("LOCK TABLE %s IN SHARE MODE",
						 quoted(copy->schema, copy->column[i].relation)));
}

static void
copy_tables(Copy *copy)
{
	int i;

	run(psprintf("CREATE SCHEMA %s", quote_identifier(copy->target)));
	for (i = 0; i < copy->columns; i++)
	{
		Table table = {copy, copy->column[i].table, copy->column[i].relation};

		if (i > 0 && copy->column[i].table == copy->column[i - 1].table)
			continue;
		CHECK_FOR_INTERRUPTS();
		sdcpg_mask_guard_own(table.name, write_table, &table);
		put_table(&table);
	}
	add_keys(copy);
}

/* Stops, and so takes all back, when an identifier is left. */
static void
refuse_leaks(const Copy *copy)
{
	StringInfoData places;
	int64 leaks;

	initStringInfo(&places);
	leaks = search_copy(copy, false, &places);
	if (leaks > 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("the copy of schema \"%s\" would hold " INT64_FORMAT
						" original identifiers",
						copy->schema, leaks),
				 errdetail("They are in %s. Nothing was copied.", places.data),
				 errhint("Write rules for these columns.")));
	put_line(copy, "check", copy->target,
			 "No original identifier was found in it.");
}

/* copy_schema(schema name, target name, rules jsonb, params jsonb,
 *		seed bigint) returns setof sdc.mask_step */
Datum
sdcf_copy_schema(PG_FUNCTION_ARGS)
{
	Copy copy = {0};
	int settings;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need_first(fcinfo, 2);
	copy.target = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	if (OidIsValid(get_namespace_oid(copy.target, true)))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_SCHEMA),
						errmsg("schema \"%s\" already exists", copy.target),
						errhint("Drop it, or name another one.")));
	copy.seeded = !PG_ARGISNULL(4);
	copy.seed = copy.seeded ? PG_GETARG_DATUM(4) : (Datum) 0;
	settings = begin_settings();
	begin_copy(&copy, fcinfo, 2, 3);
	need_decisions(&copy);
	/* what is read sees what was written, and nothing else that is new */
	PushCopiedSnapshot(GetActiveSnapshot());
	hold_still(&copy);
	copy_tables(&copy);
	put_not_covered(&copy);
	refuse_leaks(&copy);
	PopActiveSnapshot();
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.check_copy
 * ----------------------------------------------------------------------
 */

/* Rows without a partner, on every foreign key of the original. */
static void
put_orphans(const Copy *copy)
{
	SdcCatalogRows *rows = ask(keys_sql, copy->namespace);
	int64 all = 0;
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		int64 orphans;

		if (!DatumGetBool(rows->value[i][6]))
			continue;
		orphans = DatumGetInt64(
			sdcpg_catalog_read(
				psprintf("SELECT count(*) FROM %s AS c WHERE %s AND NOT "
						 "EXISTS (SELECT FROM %s AS p WHERE %s)",
						 quoted(copy->target, text_or_null(rows, i, 1)),
						 text_or_null(rows, i, 8),
						 quoted(copy->target, text_or_null(rows, i, 2)),
						 text_or_null(rows, i, 7)),
				NULL)
				->value[0][0]);
		all += orphans;
		if (orphans > 0)
			put_measure(copy, "orphans",
						psprintf("%s.%s", text_or_null(rows, i, 1),
								 text_or_null(rows, i, 0)),
						orphans, "Rows whose foreign key leads to no row.");
	}
	put_measure(copy, "orphans", copy->target, all,
				"Rows of the copy whose foreign key leads to no row.");
}

/* Keys of the copy that were not validated. */
static void
put_invalid(const Copy *copy)
{
	SdcCatalogRows *rows =
		ask("SELECT count(*) FROM pg_constraint AS k WHERE k.connamespace = "
			"$1 AND NOT k.convalidated",
			get_namespace_oid(copy->target, false));

	put_measure(copy, "invalid_constraints", copy->target,
				DatumGetInt64(rows->value[0][0]),
				"Constraints of the copy that were not validated.");
}

/* A view or foreign table in the place of a copied table is no copy. */
static void
need_plain(Oid table)
{
	const SdcRelation *relation = sdcpg_relation_find(table);
	char kind = get_rel_relkind(table);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table", relation->name),
						errdetail("A copy of a schema has tables only.")));
}

/*
 * Tables of the original that the copy lacks stop with an error, and so does
 * what is no table, or calls code of somebody else.
 */
static void
need_tables(const Copy *copy)
{
	Oid target = get_namespace_oid(copy->target, false);
	int i;

	for (i = 0; i < copy->columns; i++)
	{
		Oid table = get_relname_relid(copy->column[i].relation, target);

		if (!OidIsValid(table) ||
			get_attnum(table, copy->column[i].column) == InvalidAttrNumber)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
							errmsg("schema \"%s\" has no column \"%s.%s\"",
								   copy->target, copy->column[i].relation,
								   copy->column[i].column),
							errhint("The original has changed since: copy it "
									"again.")));
		if (i == 0 || copy->column[i].table != copy->column[i - 1].table)
			need_plain(table);
	}
}

/* check_copy(schema name, target name) returns setof sdc.measure */
Datum
sdcf_check_copy(PG_FUNCTION_ARGS)
{
	Copy copy = {0};
	StringInfoData places;
	int settings;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need_first(fcinfo, 2);
	copy.target = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	settings = begin_settings();
	copy.schema = pstrdup(NameStr(*PG_GETARG_NAME(0)));
	copy.namespace = get_namespace_oid(copy.schema, false);
	copy.rules =
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
	refuse_others(copy.schema, copy.namespace);
	refuse_others(copy.target, get_namespace_oid(copy.target, false));
	read_decisions(&copy, NULL);
	need_tables(&copy);
	put_orphans(&copy);
	put_invalid(&copy);
	initStringInfo(&places);
	(void) search_copy(&copy, true, &places);
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}
