/*
 * copy_nights.c
 *		A copy every night: sdc.create_copy and sdc.run_copy.
 *
 * A policy keeps what was decided of each column, so what find_personal sees
 * tomorrow changes nothing.  What has changed in the schema stops the run:
 * columns and tables are known by their names and by their places, as two that
 * were swapped have each other's name.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "release/copy.h"
#include "release/document.h"
#include "release/policy.h"
#include "release/versions.h"
#include "topic/mask/rules.h"

PG_FUNCTION_INFO_V1(sdcf_create_copy);
PG_FUNCTION_INFO_V1(sdcf_run_copy);

/* ----------------------------------------------------------------------
 * What a policy keeps.
 * ----------------------------------------------------------------------
 */

void
sdcpg_copy_document(StringInfo document, Jsonb *copy)
{
	Jsonb *rules = sdcpg_params_object(copy, "rules");
	Jsonb *params = sdcpg_params_object(copy, "params");

	sdcpg_document_open(document, "copy", '{');
	sdcpg_document_text(document, "schema", sdcpg_params_text(copy, "schema"));
	sdcpg_document_text(document, "target", sdcpg_params_text(copy, "target"));
	if (rules != NULL)
		sdcpg_document_jsonb(document, "rules", rules);
	if (params != NULL)
		sdcpg_document_jsonb(document, "params", params);
	sdcpg_document_close(document, '{');
}

/* The key of a column in a document. */
static char *
name_of(const SdcCopyColumn *column)
{
	return psprintf("%s.%s", column->relation, column->column);
}

static char *
place_of(const SdcCopyColumn *column)
{
	return sdcpg_relation_column_place(column->table, column->number);
}

/* The copy that was made: its schema, the tables and the views in it. */
static Jsonb *
made_copy(const SdcCopy *copy)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT jsonb_build_object('schema', $1::text, 'tables', "
		"COALESCE(jsonb_agg(relname), '[]')) FROM pg_class "
		"WHERE relnamespace = $1 AND relkind IN ('r', 'p', 'v', 'm')",
		get_namespace_oid(copy->shown, false));

	return DatumGetJsonbP(rows->value[0][0]);
}

/* What a policy keeps; made: the copy that was made last, or NULL. */
static Jsonb *
policy_of(const SdcCopy *copy, Jsonb *params, Jsonb *made)
{
	StringInfoData document;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "schema", copy->schema);
	sdcpg_document_text(&document, "target", copy->shown);
	sdcpg_document_jsonb(&document, "rules", copy->rules);
	if (params != NULL)
		sdcpg_document_jsonb(&document, "params", params);
	if (made != NULL)
		sdcpg_document_jsonb(&document, "made", made);
	else
	{
		sdcpg_document_open(&document, "made", '{');
		sdcpg_document_close(&document, '{');
	}
	sdcpg_document_open(&document, "columns", '{');
	for (i = 0; i < copy->columns; i++)
	{
		const SdcCopyColumn *column = &copy->column[i];

		sdcpg_document_open(&document, name_of(column), '{');
		sdcpg_document_text(&document, "type", column->type);
		sdcpg_document_text(&document, "kind",
							column->kind == NULL ? "" : column->kind);
		sdcpg_document_text(&document, "decided_by", column->level);
		sdcpg_document_jsonb(&document, "rule", column->rule);
		sdcpg_document_integer(&document, "number", column->number);
		sdcpg_document_close(&document, '{');
	}
	sdcpg_document_close(&document, '{');
	sdcpg_document_open(&document, "places", '{');
	for (i = 0; i < copy->columns; i++)
		sdcpg_document_text(&document, place_of(&copy->column[i]),
							name_of(&copy->column[i]));
	sdcpg_document_close(&document, '{');
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

void
sdcpg_copy_write(const char *policy, const char *schema, const char *target,
				 Jsonb *rules, Jsonb *params)
{
	SdcCopy copy = {0};
	int settings = sdcpg_copy_settings();

	copy.shown = target;
	sdcpg_copy_decide(&copy, schema, rules, params);
	sdcpg_copy_need_decisions(&copy);
	sdcpg_policy_write_copy(policy, policy_of(&copy, params, NULL));
	AtEOXact_GUC(true, settings);
}

/* create_copy(policy text, schema name, target name, rules jsonb,
 *		params jsonb) returns void */
Datum
sdcf_create_copy(PG_FUNCTION_ARGS)
{
	sdcpg_args_need_first(fcinfo, 3);
	sdcpg_copy_write(sdcpg_args_text(fcinfo, 0), NameStr(*PG_GETARG_NAME(1)),
					 NameStr(*PG_GETARG_NAME(2)), sdcpg_copy_json(fcinfo, 3),
					 sdcpg_copy_json(fcinfo, 4));
	PG_RETURN_VOID();
}

/* ----------------------------------------------------------------------
 * What has changed since.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
refuse_drift(const SdcCopy *copy, const char *column, char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("schema \"%s\" has changed since the policy was written",
					copy->schema),
			 errdetail("Column %s: %s The last copy stays as it is.", column,
					   reason),
			 errhint("Look at sdc.plan_copy, and write the policy anew with "
					 "sdc.create_copy.")));
}

/*
 * Stops when a column had another name, as after two were swapped, and the
 * decision for that was another one.
 */
static void
refuse_renamed(const SdcCopy *copy, const SdcCopyColumn *column, Jsonb *policy)
{
	Jsonb *places = sdcpg_params_object(policy, "places");
	char *before =
		places == NULL ? NULL : sdcpg_params_text(places, place_of(column));
	Jsonb *known = before == NULL
					   ? NULL
					   : sdcpg_params_object(
							 sdcpg_params_object(policy, "columns"), before);
	Jsonb *rule = known == NULL ? NULL : sdcpg_params_object(known, "rule");

	if (rule != NULL && strcmp(before, name_of(column)) != 0 &&
		compareJsonbContainers(&rule->root, &column->rule->root) != 0)
		refuse_drift(copy, name_of(column),
					 psprintf("It was %s, which has another rule.", before));
}

/* The number that a column of that name had, or 0. */
static int
number_before(const SdcCopyColumn *column, Jsonb *policy)
{
	Jsonb *known = sdcpg_params_object(sdcpg_params_object(policy, "columns"),
									   name_of(column));

	return known == NULL ? 0
						 : (int) sdcpg_params_integer(known, "number", 0, 0,
													  MaxHeapAttributeNumber);
}

static int
compare_numbers(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/*
 * Stops when the columns of a table, the first of them given, are in another
 * order, and decisions go with their names: where a table was made anew, or a
 * database restored, the places of columns tell nothing of who had which name.
 */
static void
refuse_reordered(const SdcCopy *copy, int first, Jsonb *policy)
{
	const SdcCopyColumn *column = copy->column + first;
	int number[MaxHeapAttributeNumber];
	int sorted[MaxHeapAttributeNumber];
	int count = 0;
	int n = 0;
	int i;
	int j;

	for (;
		 first + count < copy->columns && column[count].table == column->table;
		 count++)
		if ((number[count] = number_before(&column[count], policy)) > 0)
			sorted[n++] = number[count];
	qsort(sorted, n, sizeof(int), compare_numbers);
	for (i = 0, n = 0; i < count; i++)
	{
		if (number[i] == 0 || number[i] == sorted[n++])
			continue;
		for (j = 0; number[j] != sorted[n - 1]; j++)
			;
		if (compareJsonbContainers(&column[i].rule->root,
								   &column[j].rule->root) != 0)
			refuse_drift(copy, name_of(&column[i]),
						 psprintf("It is where %s was, which has another "
								  "rule.",
								  name_of(&column[j])));
	}
}

/*
 * Takes the decision of the policy; stops where there is none for it, and
 * where a column is kept that the same rules would not keep now.
 */
static void
take_decision(const SdcCopy *copy, SdcCopyColumn *column, Jsonb *policy)
{
	char *name = name_of(column);
	Jsonb *known =
		sdcpg_params_object(sdcpg_params_object(policy, "columns"), name);
	const char *now = sdcpg_copy_method(column);
	char *kind;

	if (known == NULL)
		refuse_drift(copy, name, "It is new.");
	if (strcmp(sdcpg_params_text(known, "type"), column->type) != 0)
		refuse_drift(copy, name,
					 psprintf("Its type is %s, and was %s.", column->type,
							  sdcpg_params_text(known, "type")));
	kind = sdcpg_params_text(known, "kind");
	column->level = sdcpg_params_text(known, "decided_by");
	column->rule = sdcpg_params_object(known, "rule");
	refuse_renamed(copy, column, policy);
	if (strcmp(column->level, "generated") == 0 && !column->generated)
		refuse_drift(copy, name, "It is not generated any more.");
	if (column->kind != NULL && strcmp(column->kind, "undecided") != 0 &&
		strcmp(column->kind, kind) != 0 && !column->generated &&
		strcmp(sdcpg_copy_method(column), "keep") == 0)
		refuse_drift(copy, name,
					 psprintf("It is kept, and what is in it looks like %s.",
							  column->kind));
	if (strcmp(sdcpg_copy_method(column), "keep") == 0 &&
		(now == NULL || strcmp(now, "keep") != 0))
		refuse_drift(copy, name,
					 "It is kept, and by the rules it would not be now.");
}

static void
take_decisions(const SdcCopy *copy, Jsonb *policy)
{
	Jsonb *columns = sdcpg_params_object(policy, "columns");
	JsonbIterator *iterator = JsonbIteratorInit(&columns->root);
	JsonbIteratorToken token;
	JsonbValue value;
	int i;

	for (i = 0; i < copy->columns; i++)
		take_decision(copy, &copy->column[i], policy);
	for (i = 0; i < copy->columns; i++)
		if (sdcpg_copy_is_first(copy, i))
			refuse_reordered(copy, i, policy);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *name;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(value.val.string.val, value.val.string.len);
		if (!sdcpg_copy_names(copy, name))
			refuse_drift(copy, name, "It is gone.");
	}
}

/* ----------------------------------------------------------------------
 * The new copy in the place of the last one.
 * ----------------------------------------------------------------------
 */

/*
 * What would go with the last copy and is not of it: $1 is the copy, $2 what
 * was made.  "gone" is what DROP SCHEMA ... CASCADE would drop: of other
 * schemas views, keys, functions, columns of a row type of the copy, defaults
 * that take numbers of it; and what somebody has put into the copy.
 */
static const char *const others_sql =
	"WITH RECURSIVE gone (class, id, sub) AS ("
	"SELECT 'pg_namespace'::regclass::oid, $1, 0 UNION "
	"SELECT d.classid, d.objid, d.objsubid FROM gone AS g JOIN pg_depend "
	"AS d ON d.refclassid = g.class AND d.refobjid = g.id "
	"AND (g.sub = 0 OR d.refobjsubid = g.sub)) "
	"SELECT i.identity FROM gone AS g CROSS JOIN LATERAL "
	"pg_identify_object(g.class, g.id, g.sub) AS i JOIN pg_namespace AS n "
	"ON n.oid = $1 WHERE i.schema NOT IN (n.nspname, 'pg_toast') OR g.class "
	"IN ('pg_proc'::regclass, 'pg_operator'::regclass, "
	"'pg_collation'::regclass, 'pg_conversion'::regclass, "
	"'pg_opclass'::regclass, 'pg_opfamily'::regclass, "
	"'pg_ts_config'::regclass, 'pg_ts_dict'::regclass) UNION ALL "
	"SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = $1 "
	"AND (c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') "
	"AND NOT ($2 -> 'tables') ? c.relname::text OR c.relkind = 'S' "
	/* a sequence of a column, or that a default takes numbers of */
	"AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE "
	"d.classid = 'pg_class'::regclass AND d.objid = c.oid "
	"AND d.deptype IN ('a', 'i') OR d.classid = 'pg_attrdef'::regclass "
	"AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid)) "
	"UNION ALL SELECT t.typname::text FROM pg_type AS t "
	"WHERE t.typnamespace = $1 AND t.typtype IN ('d', 'e', 'r') UNION ALL "
	"SELECT concat('a default of ', c.relname) FROM gone AS g "
	"JOIN pg_attrdef AS a ON g.class = 'pg_attrdef'::regclass "
	"AND a.oid = g.id JOIN pg_class AS c ON c.oid = a.adrelid "
	"WHERE c.relnamespace <> $1 UNION ALL "
	"SELECT c.relname::text FROM gone AS g JOIN pg_rewrite AS w "
	"ON g.class = 'pg_rewrite'::regclass AND w.oid = g.id JOIN pg_class "
	"AS c ON c.oid = w.ev_class WHERE c.relnamespace <> $1 UNION ALL "
	"SELECT c.relname::text FROM gone AS g JOIN pg_constraint AS k "
	"ON g.class = 'pg_constraint'::regclass AND k.oid = g.id JOIN pg_class "
	"AS c ON c.oid = k.conrelid WHERE c.relnamespace <> $1 "
	"ORDER BY 1 LIMIT 1";

static void
need_nothing_else(const SdcCopy *copy, Oid last, Jsonb *made)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(last), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(made), false);
	rows = sdcpg_copy_read_now(others_sql, &parameters);
	if (rows->count == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("schema \"%s\" cannot be replaced", copy->shown),
			 errdetail("\"%s\" would go with it, and is not of the copy.",
					   sdcpg_copy_text(rows, 0, 0)),
			 errhint("Put what uses a copy into a schema of its own, and "
					 "drop it before the next copy is made.")));
}

/*
 * Stops when rows of the last copy are hidden from its readers, who would see
 * all rows of the next one.
 */
static void
need_nothing_hidden(const SdcCopy *copy, Oid last)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(last), false);
	rows = sdcpg_copy_read_now(
		"SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = $1 "
		"AND c.relrowsecurity ORDER BY 1 LIMIT 1",
		&parameters);
	if (rows->count == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("schema \"%s\" cannot be replaced", copy->shown),
			 errdetail("Table \"%s\" of it has row-level security, which "
					   "would not be on the next copy, while its readers "
					   "keep their rights.",
					   sdcpg_copy_text(rows, 0, 0)),
			 errhint("Disable it, or drop the schema: a copy that is made "
					 "anew has no readers.")));
}

/*
 * Rights on the last copy, for the next one: those that default privileges
 * have given are taken back first, or who was taken one back would have it
 * again; $1 is the last copy, $2 the name of the next one.
 */
static const char *const revokes_sql =
	"SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', r.on_what, "
	"CASE r.grantee WHEN 0 THEN 'PUBLIC' ELSE "
	"quote_ident(pg_get_userbyid(r.grantee)) END) FROM ("
	"SELECT concat('SCHEMA ', quote_ident($2)) AS on_what, a.grantee, "
	"n.nspowner AS owner FROM pg_namespace AS n, aclexplode(n.nspacl) AS a "
	"WHERE n.nspname = $2 UNION ALL "
	"SELECT concat(CASE WHEN c.relkind = 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' "
	"END, quote_ident($2), '.', quote_ident(c.relname)), a.grantee, "
	"c.relowner FROM pg_class AS c JOIN pg_namespace AS n "
	"ON n.oid = c.relnamespace, aclexplode(c.relacl) AS a "
	"WHERE n.nspname = $2 AND EXISTS (SELECT FROM pg_class AS o "
	"WHERE o.relnamespace = $1 AND o.relname = c.relname)) AS r "
	"WHERE r.grantee <> r.owner";

static const char *const grants_sql =
	"SELECT format('GRANT %s ON %s TO %s%s', g.what, g.on_what, "
	"CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE "
	"quote_ident(pg_get_userbyid(g.grantee)) END, CASE WHEN g.is_grantable "
	"THEN ' WITH GRANT OPTION' END) FROM ("
	"SELECT a.privilege_type AS what, concat('SCHEMA ', quote_ident($2)) "
	"AS on_what, a.grantee, a.is_grantable, n.nspowner AS owner "
	"FROM pg_namespace AS n, aclexplode(n.nspacl) AS a WHERE n.oid = $1 "
	"UNION ALL "
	"SELECT a.privilege_type, concat(CASE WHEN c.relkind = 'S' THEN "
	"'SEQUENCE ' ELSE 'TABLE ' END, quote_ident($2), '.', "
	"quote_ident(c.relname)), "
	"a.grantee, a.is_grantable, c.relowner FROM pg_class AS c, "
	"aclexplode(c.relacl) AS a WHERE c.relnamespace = $1 UNION ALL "
	"SELECT concat(a.privilege_type, ' (', quote_ident(t.attname), ')'), "
	"concat('TABLE ', quote_ident($2), '.', quote_ident(c.relname)), "
	"a.grantee, "
	"a.is_grantable, c.relowner FROM pg_class AS c JOIN pg_attribute AS t "
	"ON t.attrelid = c.oid AND NOT t.attisdropped, aclexplode(t.attacl) AS a "
	"WHERE c.relnamespace = $1) AS g WHERE g.grantee <> g.owner "
	"AND (g.grantee = 0 OR EXISTS (SELECT FROM pg_roles AS r "
	"WHERE r.oid = g.grantee))";

/* Labels of the last copy, for the next one. */
static const char *const labels_sql =
	"SELECT format('SECURITY LABEL FOR %I ON %s IS %L', s.provider, CASE "
	"WHEN s.classoid = 'pg_namespace'::regclass THEN concat('SCHEMA ', "
	"quote_ident($2)) ELSE concat(CASE WHEN s.objsubid > 0 THEN 'COLUMN' "
	"ELSE CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' "
	"WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END END, ' ', "
	"quote_ident($2), '.', quote_ident(c.relname), (SELECT concat('.', "
	"quote_ident(a.attname)) FROM pg_attribute AS a WHERE s.objsubid > 0 "
	"AND (a.attrelid, a.attnum) = (c.oid, s.objsubid))) END, s.label) "
	"FROM pg_seclabel AS s LEFT JOIN pg_class AS c ON c.oid = s.objoid "
	"AND s.classoid = 'pg_class'::regclass WHERE c.relnamespace = $1 "
	"OR s.classoid = 'pg_namespace'::regclass AND s.objoid = $1";

/* Runs the statements that a query makes of the last copy and the next one. */
static void
run_all(const SdcCopy *copy, Oid last, const char *sql)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(last), false);
	sdcpg_catalog_bind_text(&parameters, copy->target);
	rows = sdcpg_copy_read_now(sql, &parameters);
	for (i = 0; i < rows->count; i++)
		sdcpg_copy_run(sdcpg_copy_text(rows, i, 0));
}

/*
 * The copy that a policy made last and that is still there, 0: none; stops
 * when it cannot be replaced.
 */
static Oid
last_copy(const SdcCopy *copy, Jsonb *policy)
{
	Oid now = get_namespace_oid(copy->shown, true);
	Jsonb *made = sdcpg_params_object(policy, "made");
	char *schema = made == NULL ? NULL : sdcpg_params_text(made, "schema");

	if (OidIsValid(now) && (schema == NULL || atooid(schema) != now))
		sdcpg_copy_need_no_schema(copy->shown);
	if (OidIsValid(now))
	{
		need_nothing_else(copy, now, made);
		need_nothing_hidden(copy, now);
	}
	return now;
}

/*
 * Puts the new copy in the place of the last one, with rights and labels, as
 * that is now: a run takes long.
 */
static void
replace_copy(SdcCopy *copy, Jsonb *policy)
{
	Oid last = last_copy(copy, policy);

	if (OidIsValid(last))
	{
		run_all(copy, last, revokes_sql);
		run_all(copy, last, grants_sql);
		run_all(copy, last, labels_sql);
		sdcpg_copy_run(
			psprintf("DROP SCHEMA %s CASCADE", quote_identifier(copy->shown)));
	}
	sdcpg_copy_run(psprintf("ALTER SCHEMA %s RENAME TO %s",
							quote_identifier(copy->target),
							quote_identifier(copy->shown)));
}

/* Tells of columns of a table that come out otherwise in the next copy. */
static void
put_drawn_of(const SdcCopy *copy, const SdcCopyColumn *first)
{
	StringInfoData written;
	Jsonb *document;
	SdcRules rules;
	int i;

	initStringInfo(&written);
	document = DatumGetJsonbP(DirectFunctionCall1(
		jsonb_in,
		CStringGetDatum(sdcpg_copy_rules_of(copy, first->table, &written))));
	rules = sdcpg_rules_read(document, sdcpg_relation_find(first->table));
	for (i = 0; i < rules.count; i++)
		if (sdcpg_versions_draws(&rules.rule[i]))
			sdcpg_copy_put(
				copy, "not covered",
				psprintf("%s.%s", first->relation, rules.rule[i].subject),
				"Drawn anew in each copy, or made of the rows of that night: "
				"many copies together are nearer to the original than one.");
}

/* A copy remembers nothing, so who keeps several of them has their mean. */
static void
put_drawn(const SdcCopy *copy)
{
	int i;

	for (i = 0; i < copy->columns; i++)
		if (sdcpg_copy_is_first(copy, i))
			put_drawn_of(copy, &copy->column[i]);
}

/* run_copy(policy text, seed bigint) returns setof sdc.mask_step */
Datum
sdcf_run_copy(PG_FUNCTION_ARGS)
{
	SdcCopy copy = {0};
	SdcPolicy *policy;
	Jsonb *params;
	int settings;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need(fcinfo, 0);
	policy = sdcpg_policy_find(sdcpg_args_text(fcinfo, 0));
	sdcpg_policy_need_owner(policy);
	if (policy->copy == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("policy \"%s\" does not copy a schema", policy->name),
				 errhint("Write how with sdc.create_copy.")));
	copy.seeded = !PG_ARGISNULL(1);
	copy.seed = copy.seeded ? PG_GETARG_DATUM(1) : (Datum) 0;
	copy.shown = sdcpg_params_text(policy->copy, "target");
	copy.target = sdcpg_catalog_hidden_name("sdc_copy_");
	params = sdcpg_params_object(policy->copy, "params");
	settings = sdcpg_copy_settings();
	sdcpg_workers_one_connection();
	sdcpg_copy_decide(&copy, sdcpg_params_text(policy->copy, "schema"),
					  sdcpg_params_object(policy->copy, "rules"), params);
	take_decisions(&copy, policy->copy);
	(void) last_copy(&copy, policy->copy);
	/* that of the statement is not to see more than it did */
	PushCopiedSnapshot(GetActiveSnapshot());
	sdcpg_copy_make(&copy);
	put_drawn(&copy);
	replace_copy(&copy, policy->copy);
	sdcpg_policy_write_copy(policy->name,
							policy_of(&copy, params, made_copy(&copy)));
	PopActiveSnapshot();
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}
