/*
 * help.c
 *		sdc.help: what is there for a job; sdc.grant_to: the rights of a job;
 *		sdc.synchronize_workers: these and other things on all servers; and
 *		that nobody has rights from the beginning, which the scripts ask first.
 *
 * The first two read the rows of jobs.c.  What a function takes and does is
 * asked of PostgreSQL's catalog, so that it stands in the CREATE and the
 * COMMENT only.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "topic/registry/attacks.h"
#include "topic/registry/jobs.h"
#include "topic/registry/masks.h"
#include "topic/registry/measures.h"

PG_FUNCTION_INFO_V1(sdcf_help);
PG_FUNCTION_INFO_V1(sdcf_grant_to);
PG_FUNCTION_INFO_V1(sdcf_synchronize_workers);
PG_FUNCTION_INFO_V1(sdcf_take_rows);
PG_FUNCTION_INFO_V1(sdcf_take_grants);
PG_FUNCTION_INFO_V1(sdcf_check_creation);

/* ----------------------------------------------------------------------
 * help
 * ----------------------------------------------------------------------
 */

/* The forms of a function and its comment, as one writes and reads them. */
static const char *const calls =
	"SELECT pg_catalog.concat("
	"CASE WHEN p.prokind OPERATOR(pg_catalog.=) 'p' THEN 'CALL ' END,"
	" 'sdc.', p.proname, '(',"
	" pg_catalog.regexp_replace(pg_catalog.replace(pg_catalog.replace("
	"pg_catalog.pg_get_function_arguments(p.oid), 'double precision',"
	" 'float8'), 'IN ', ''),"
	" '::[a-z_0-9]+([.][a-z_0-9]+)?( [a-z]+)*(\\[\\])?', '', 'g'), ')',"
	" CASE WHEN p.prokind OPERATOR(pg_catalog.=) 'w' THEN ' OVER (...)' END,"
	" CASE WHEN p.prorettype OPERATOR(pg_catalog.<>)"
	" 'pg_catalog.void'::pg_catalog.regtype::pg_catalog.oid"
	" THEN ' returns ' OPERATOR(pg_catalog.||) pg_catalog.replace("
	"pg_catalog.pg_get_function_result(p.oid), 'double precision',"
	" 'float8') END),"
	/* obj_description is an SQL function, with operators of the path */
	" (SELECT d.description FROM pg_catalog.pg_description AS d"
	" WHERE d.objoid OPERATOR(pg_catalog.=) p.oid AND d.classoid"
	" OPERATOR(pg_catalog.=)"
	" 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid"
	" AND d.objsubid OPERATOR(pg_catalog.=) 0)"
	" FROM pg_catalog.pg_proc AS p WHERE p.proname"
	" OPERATOR(pg_catalog.=) $1::pg_catalog.name AND p.pronamespace"
	" OPERATOR(pg_catalog.=) (SELECT n.oid FROM pg_catalog.pg_namespace AS n"
	" WHERE n.nspname OPERATOR(pg_catalog.=) 'sdc') ORDER BY p.oid";

static void
put(ReturnSetInfo *result, const char *topic, const char *says)
{
	Datum values[2];
	bool isnull[2] = {false};

	values[0] = CStringGetTextDatum(topic);
	values[1] = CStringGetTextDatum(says);
	sdcpg_result_put(result, values, isnull);
}

/* A row for each form of a function; returns how many there are. */
static int
put_function(ReturnSetInfo *result, const char *name)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int i;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read(calls, &parameters);
	for (i = 0; i < rows->count; i++)
		sdcpg_result_put(result, rows->value[i], rows->isnull[i]);
	return (int) rows->count;
}

static void
put_all(ReturnSetInfo *result)
{
	int i;

	for (i = 0; sdcpg_jobs[i].name != NULL; i++)
		put(result, sdcpg_jobs[i].name, sdcpg_jobs[i].sentence);
	for (i = 0; sdcpg_persons[i].name != NULL; i++)
		put(result, sdcpg_persons[i].name,
			psprintf("role for sdc.grant_to: %s", sdcpg_persons[i].sentence));
	put(result, "measures",
		"all figures of the reports, as a policy asks for them");
	put(result, "attacks", "all attacks, as a policy asks for them");
	put(result, "methods", "all methods of rules, each in a rule");
	put(result, "glossary", "the words that are used, and what they mean");
}

/* What rules may name. */
static void
put_rules(ReturnSetInfo *result)
{
	const SdcMask *mask = NULL;

	while ((mask = sdcpg_mask_next(mask)) != NULL)
		put(result, mask->example, mask->sentence);
}

/* What becomes of a method where rows are on several servers. */
static const char *
describe_spread(const SdcMask *mask)
{
	bool strata = mask->stage == SDC_MASK_OF_COLUMNS &&
				  sdcpg_keys_find(mask->keys, "strata", strlen("strata"));

	if ((mask->traits & SDC_MASK_DISTRIBUTABLE) != 0)
		return "Each server masks its own rows.";
	if ((mask->traits & SDC_MASK_GATHERED) != 0)
		return psprintf("%s Figures of them are gathered first, then each "
						"server masks its own rows; each stratum goes to one "
						"server.",
						mask->spread);
	return psprintf("%s Only into a temporary table of one server%s.",
					mask->spread,
					strata ? ", or by strata, each of which goes to one" : "");
}

static void
put_distributed(ReturnSetInfo *result)
{
	const SdcMask *mask = NULL;

	while ((mask = sdcpg_mask_next(mask)) != NULL)
		put(result, mask->name, describe_spread(mask));
}

/* What policies may ask for. */
static void
put_attacks(ReturnSetInfo *result)
{
	int i;

	for (i = 0; sdcpg_attacks[i] != NULL; i++)
		put(result,
			psprintf("{\"attack\": \"%s\", %s%s\"<=\": 0.05}",
					 sdcpg_attacks[i]->name,
					 sdcpg_attacks[i]->example != NULL ? "\"params\": " : "",
					 sdcpg_attacks[i]->example != NULL
						 ? psprintf("%s, ", sdcpg_attacks[i]->example)
						 : ""),
			psprintf("An intruder who %s.", sdcpg_attacks[i]->intruder));
}

/* How a measure is asked for: as a constraint, or as a line of its report. */
static const struct
{
	const char *job;
	const char *key; /* in a constraint */
	SdcMeasureKind kind;
} measured[] = {{"risk", "measure", SDC_MEASURE_RISK},
				{"attack", "disclosure", SDC_MEASURE_DISCLOSURE},
				{"utility", "utility", SDC_MEASURE_UTILITY},
				{"tables", "table", SDC_MEASURE_TABLE}};

/* Of which searches it is a model, and what coarser keys do to it. */
static const char *
describe_searches(const SdcMeasure *measure)
{
	static const char *const names[] = {"anonymize", "recode_locally",
										"suppress"};
	StringInfoData text;
	int i;

	initStringInfo(&text);
	for (i = 0; i < (int) lengthof(names); i++)
		if (measure->searches & 1 << i)
			appendStringInfo(&text, "%s%s",
							 text.len > 0 ? ", " : " A model of ", names[i]);
	if (text.len > 0)
		appendStringInfo(&text, "; coarser keys keep it: %s.",
						 sdcpg_measure_growth(measure));
	return text.data;
}

/* A sentence: "A share: original values near ...  Less is better." */
static char *
describe_measure(const SdcMeasure *measure)
{
	static const char *const units[] = {[SDC_UNIT_COUNT] = "Number",
										[SDC_UNIT_SHARE] = "Share, 0 to 1",
										[SDC_UNIT_VALUE] = "Figure"};
	static const char *const better[] = {
		[SDC_BETTER_NEITHER] = "",
		[SDC_BETTER_LESS] = " Less is better.",
		[SDC_BETTER_MORE] = " More is better."};

	return psprintf(
		"%s: %s.%s%s%s%s%s", units[measure->unit], measure->says,
		better[measure->better], measure->needs != NULL ? " Needs " : "",
		measure->needs != NULL ? measure->needs : "",
		measure->needs != NULL ? "." : "", describe_searches(measure));
}

/* What a report gives and a policy may ask for, of one job or of all. */
static void
put_measures(ReturnSetInfo *result, const char *job)
{
	static const char *const bounds[][SDC_BETTER_MORE + 1] = {
		[SDC_UNIT_COUNT] = {"1", "0", "3"},
		[SDC_UNIT_SHARE] = {"0", "0.1", "0.9"},
		[SDC_UNIT_VALUE] = {"0", "0.1", "3"}};
	const SdcMeasure *measure;
	int i;

	for (i = 0; i < (int) lengthof(measured); i++)
	{
		if (job != NULL && strcmp(job, measured[i].job) != 0)
			continue;
		measure = NULL;
		while ((measure = sdcpg_measure_next(measured[i].kind, measure)) !=
			   NULL)
			put(result,
				psprintf("{\"%s\": \"%s\", \"%s\": %s}", measured[i].key,
						 measure->name,
						 measure->better == SDC_BETTER_LESS ? "<=" : ">=",
						 bounds[measure->unit][measure->better]),
				describe_measure(measure));
	}
}

/* The measures of one name. */
static void
put_measure(ReturnSetInfo *result, const char *word)
{
	int i;

	for (i = 0; i < (int) lengthof(measured); i++)
	{
		const SdcMeasure *measure = sdcpg_measure_find(measured[i].kind, word);

		if (measure != NULL)
			put(result,
				psprintf("{\"%s\": \"%s\"}", measured[i].key, measure->name),
				describe_measure(measure));
	}
}

static void
put_job(ReturnSetInfo *result, const SdcJob *job)
{
	int i;

	for (i = 0; job->functions[i] != NULL; i++)
		put_function(result, job->functions[i]);
	if (strcmp(job->name, "mask") == 0)
		put_rules(result);
	if (strcmp(job->name, "attack") == 0)
		put_attacks(result);
	put_measures(result, job->name);
	put(result, "example", job->example);
}

static void
put_terms(ReturnSetInfo *result, const char *word)
{
	int i;

	for (i = 0; sdcpg_terms[i].name != NULL; i++)
		if (word == NULL || pg_strcasecmp(sdcpg_terms[i].name, word) == 0)
			put(result, sdcpg_terms[i].name, sdcpg_terms[i].sentence);
}

static void
put_person(ReturnSetInfo *result, const SdcPerson *person)
{
	int i;

	for (i = 0; person->functions[i] != NULL; i++)
		put_function(result, person->functions[i]);
	for (i = 0; person->relations[i] != NULL; i++)
		put(result, psprintf("sdc.%s", person->relations[i]),
			"may be read with SELECT");
}

/* The job that a function belongs to, or NULL. */
static const SdcJob *
job_of(const char *function)
{
	int i;
	int j;

	for (i = 0; sdcpg_jobs[i].name != NULL; i++)
		for (j = 0; sdcpg_jobs[i].functions[j] != NULL; j++)
			if (strcmp(sdcpg_jobs[i].functions[j], function) == 0)
				return &sdcpg_jobs[i];
	return NULL;
}

/* The function whose name is nearest to a word, or NULL: a slip of the pen. */
static const char *
nearest_function(const char *word)
{
	int length = pg_mbcliplen(word, (int) strlen(word), NAMEDATALEN);
	int best = 1 + length / 4;
	const char *nearest = NULL;
	int i;
	int j;

	for (i = 0; sdcpg_jobs[i].name != NULL; i++)
		for (j = 0; sdcpg_jobs[i].functions[j] != NULL; j++)
		{
			const char *name = sdcpg_jobs[i].functions[j];
			int distance = varstr_levenshtein_less_equal(
				word, length, name, (int) strlen(name), 1, 1, 1, best, true);

			if (distance > best || (distance == best && nearest != NULL))
				continue;
			best = distance;
			nearest = name;
		}
	return nearest;
}

/* Stops because nothing is called so. */
static void
refuse(const char *word)
{
	const char *nearest = nearest_function(word);
	StringInfoData list;
	int i;

	initStringInfo(&list);
	if (nearest != NULL)
		appendStringInfo(&list, "Perhaps you meant \"%s\". ", nearest);
	appendStringInfoString(&list, "Jobs are ");
	for (i = 0; sdcpg_jobs[i].name != NULL; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", sdcpg_jobs[i].name);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there is no help on \"%s\"", word),
					errhint("%s. Functions, measures, attacks, methods, "
							"distributed, glossary and its words can be named "
							"as well.",
							list.data)));
}

/*
 * help(job text, OUT topic text, OUT says text) returns setof record
 */
Datum
sdcf_help(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	const char *word;
	const SdcJob *job;
	int i;

	if (PG_ARGISNULL(0))
	{
		put_all(result);
		return (Datum) 0;
	}
	word = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (strncmp(word, "sdc.", 4) == 0)
		word += 4;
	for (i = 0; sdcpg_jobs[i].name != NULL; i++)
		if (strcmp(sdcpg_jobs[i].name, word) == 0)
			put_job(result, &sdcpg_jobs[i]);
	for (i = 0; sdcpg_persons[i].name != NULL; i++)
		if (strcmp(sdcpg_persons[i].name, word) == 0)
			put_person(result, &sdcpg_persons[i]);
	job = job_of(word);
	if (job != NULL && strcmp(job->name, word) != 0 &&
		put_function(result, word) > 0)
		put(result, "job", job->name);
	if (strcmp(word, "measures") == 0)
		put_measures(result, NULL);
	if (strcmp(word, "attacks") == 0)
		put_attacks(result);
	if (strcmp(word, "methods") == 0)
		put_rules(result);
	if (strcmp(word, "distributed") == 0)
		put_distributed(result);
	put_measure(result, word);
	put_terms(result, strcmp(word, "glossary") == 0 ? NULL : word);
	if (tuplestore_tuple_count(result->setResult) == 0)
		refuse(word);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * What workers take from their coordinator.
 * ----------------------------------------------------------------------
 */

/* A table of the owner of sdc. */
#define OWNED "hierarchy"

/* Stops unless the caller owns the table of sdc of that name. */
static void
need_table(const char *table)
{
	if (sdcpg_catalog_owner(table) != GetUserId() && !superuser())
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, table);
}

/*
 * Adds the rows of keys that are not there: not by INSERT, which subscribers
 * of the worker would be sent.
 */
static void
take_keys(const char *table, const char *name, const char *key,
		  const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows = sdcpg_catalog_read_owned(
		table,
		psprintf("SELECT s.%s, s.key FROM pg_catalog.jsonb_populate_recordset("
				 "NULL::sdc.%s, $1 OPERATOR(pg_catalog.->) 'rows') AS s "
				 "WHERE NOT EXISTS (SELECT FROM sdc.%s AS t "
				 "WHERE t.%s OPERATOR(pg_catalog.=) s.%s)",
				 key, name, name, key, key),
		parameters);
	int64 i;

	for (i = 0; i < rows->count; i++)
		sdcpg_catalog_key_add(table, TextDatumGetCString(rows->value[i][0]),
							  DatumGetByteaPP(rows->value[i][1]));
}

/*
 * take_rows(relation text, key text, content jsonb) returns boolean
 *
 * Makes rows of a table of sdc on a worker those of content: an object with
 * the value of the column key that is asked for, or null for all, and the
 * rows.  Only on behalf of the owner of the table.
 */
Datum
sdcf_take_rows(PG_FUNCTION_ARGS)
{
	char *table = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *key = quote_identifier(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	const char *name = quote_identifier(table);
	SdcCatalogParameters parameters = {0};

	need_table(table);
	if (!sdcpg_is_worker())
		PG_RETURN_BOOL(true);
	sdcpg_catalog_bind(&parameters, JSONBOID, PG_GETARG_DATUM(2), false);
	sdcpg_catalog_write(
		table,
		psprintf("DELETE FROM sdc.%s AS t WHERE (($1 OPERATOR(pg_catalog.->>) "
				 "'value') IS NULL OR t.%s OPERATOR(pg_catalog.=) "
				 "($1 OPERATOR(pg_catalog.->>) 'value')) AND NOT "
				 "($1 OPERATOR(pg_catalog.->) 'rows') OPERATOR(pg_catalog.@>) "
				 "pg_catalog.jsonb_build_array(pg_catalog.to_jsonb(t) "
				 "OPERATOR(pg_catalog.-) 'created')",
				 name, key),
		&parameters);
	if (strcmp(table, "secret") == 0)
	{
		take_keys(table, name, key, &parameters);
		PG_RETURN_BOOL(true);
	}
	sdcpg_catalog_write(
		table,
		psprintf("INSERT INTO sdc.%s SELECT s.* FROM "
				 "pg_catalog.jsonb_populate_recordset(NULL::sdc.%s, "
				 "$1 OPERATOR(pg_catalog.->) 'rows') AS s "
				 "ON CONFLICT DO NOTHING",
				 name, name),
		&parameters);
	PG_RETURN_BOOL(true);
}

/* ----------------------------------------------------------------------
 * Rights to functions.
 * ----------------------------------------------------------------------
 */

/* Who may execute what: function, role or null for all, may hand it on. */
static const char *const rights =
	"SELECT p.oid::pg_catalog.regprocedure::pg_catalog.text AS function,"
	" r.rolname AS role, a.is_grantable AS more"
	" FROM pg_catalog.pg_proc AS p"
	" JOIN pg_catalog.pg_namespace AS n"
	" ON n.oid OPERATOR(pg_catalog.=) p.pronamespace,"
	" pg_catalog.aclexplode(coalesce(p.proacl,"
	" pg_catalog.acldefault('f', p.proowner))) AS a"
	" LEFT JOIN pg_catalog.pg_roles AS r"
	" ON r.oid OPERATOR(pg_catalog.=) a.grantee"
	" WHERE n.nspname OPERATOR(pg_catalog.=) 'sdc'"
	" AND a.grantee OPERATOR(pg_catalog.<>) p.proowner"
	" AND (r.oid IS NOT NULL OR a.grantee OPERATOR(pg_catalog.=) 0)";

/* Under which functions have the same name everywhere. */
static int
fixed_names(void)
{
	int level = NewGUCNestLevel();

	sdcpg_set_for_now("search_path", "pg_catalog, pg_temp");
	return level;
}

/* Gives the functions of schema sdc on all workers the rights they have here;
 * returns how many workers there are. */
static int64
grant_on_workers(void)
{
	int level = fixed_names();
	int64 count;

	count = sdcpg_workers_carry(
		psprintf("SELECT coalesce(pg_catalog.jsonb_agg("
				 "pg_catalog.to_jsonb(t)), '[]') FROM (%s) AS t",
				 rights),
		"sdc_internal.take_grants(content)");
	AtEOXact_GUC(true, level);
	return count;
}

/* Runs the statements that a query returns. */
static void
run_all(const char *query, const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(query, parameters);
	SdcCatalogParameters none = {0};
	int64 i;

	for (i = 0; i < rows->count; i++)
		sdcpg_catalog_write(OWNED, TextDatumGetCString(rows->value[i][0]),
							&none);
}

/*
 * take_grants(content jsonb) returns boolean
 *
 * Gives the functions of schema sdc on a worker the rights of content, and no
 * others; roles that the worker does not know are left out.
 */
Datum
sdcf_take_grants(PG_FUNCTION_ARGS)
{
	SdcCatalogParameters parameters = {0};
	int level;

	need_table(OWNED);
	if (!sdcpg_is_worker())
		PG_RETURN_BOOL(true);
	level = fixed_names();
	sdcpg_catalog_bind(&parameters, JSONBOID, PG_GETARG_DATUM(0), false);
	run_all(psprintf("SELECT pg_catalog.concat('REVOKE EXECUTE ON ROUTINE ',"
					 " h.function, ' FROM ', coalesce("
					 "pg_catalog.quote_ident(h.role), 'PUBLIC'))"
					 " FROM (%s) AS h WHERE NOT $1 OPERATOR(pg_catalog.@>)"
					 " pg_catalog.jsonb_build_array(pg_catalog.to_jsonb(h))",
					 rights),
			&parameters);
	run_all("SELECT pg_catalog.concat('GRANT EXECUTE ON ROUTINE ',"
			" w.function, ' TO ', coalesce("
			"pg_catalog.quote_ident(w.role), 'PUBLIC'),"
			" CASE WHEN w.more THEN ' WITH GRANT OPTION' END)"
			" FROM pg_catalog.jsonb_to_recordset($1)"
			" AS w (function text, role text, more boolean)"
			" WHERE pg_catalog.to_regprocedure(w.function) IS NOT NULL"
			" AND (w.role IS NULL OR EXISTS (SELECT FROM pg_catalog.pg_roles"
			" AS r WHERE r.rolname OPERATOR(pg_catalog.=)"
			" w.role::pg_catalog.name))",
			&parameters);
	AtEOXact_GUC(true, level);
	PG_RETURN_BOOL(true);
}

/* ----------------------------------------------------------------------
 * grant_to
 * ----------------------------------------------------------------------
 */

static const SdcPerson *
find_person(const text *word)
{
	const char *names[16];
	int i;

	for (i = 0; sdcpg_persons[i].name != NULL; i++)
		names[i] = sdcpg_persons[i].name;
	Assert(i < lengthof(names));
	names[i] = NULL;
	return &sdcpg_persons[sdcpg_args_choice("job", word, names)];
}

/*
 * Runs one GRANT as the caller and tells it.  The caller needs the option to
 * grant: without it PostgreSQL only warns, and nothing would be granted.
 */
static void
grant(ReturnSetInfo *result, const char *right, const char *object,
	  bool allowed, const char *role)
{
	char *statement = psprintf("GRANT %s ON %s TO %s", right, object,
							   quote_identifier(role));

	if (!allowed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be allowed to grant %s on %s", right, object),
				 errhint("A superuser can give the rights of a job, or the "
						 "right WITH GRANT OPTION.")));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(statement, NULL, false);
	SPI_finish();
	put(result, right, object);
}

/* All functions of a name, whatever their arguments. */
static void
grant_functions(ReturnSetInfo *result, const char *name, const char *role)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int i;

	sdcpg_catalog_bind_text(&parameters, name);
	rows = sdcpg_catalog_read(
		"SELECT pg_catalog.concat('ROUTINE sdc.', p.proname, '(',"
		" pg_catalog.pg_get_function_identity_arguments(p.oid), ')'),"
		" pg_catalog.has_function_privilege(p.oid,"
		" 'EXECUTE WITH GRANT OPTION')"
		" FROM pg_catalog.pg_proc AS p WHERE p.proname"
		" OPERATOR(pg_catalog.=) $1::pg_catalog.name AND p.pronamespace"
		" OPERATOR(pg_catalog.=) (SELECT n.oid FROM pg_catalog.pg_namespace"
		" AS n WHERE n.nspname OPERATOR(pg_catalog.=) 'sdc')"
		" ORDER BY p.oid",
		&parameters);
	for (i = 0; i < rows->count; i++)
		grant(result, "EXECUTE", TextDatumGetCString(rows->value[i][0]),
			  DatumGetBool(rows->value[i][1]), role);
}

/* SELECT of a relation of schema sdc. */
static void
grant_relation(ReturnSetInfo *result, const char *name, const char *role)
{
	SdcCatalogParameters parameters = {0};
	char *relation = psprintf("sdc.%s", name);
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, relation);
	rows = sdcpg_catalog_read("SELECT pg_catalog.has_table_privilege($1,"
							  " 'SELECT WITH GRANT OPTION')",
							  &parameters);
	grant(result, "SELECT", relation, DatumGetBool(rows->value[0][0]), role);
}

/*
 * grant_to(role regrole, job text, OUT privilege text, OUT object text)
 *		returns setof record
 */
Datum
sdcf_grant_to(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	const SdcPerson *person;
	const char *role;
	int i;

	sdcpg_args_need_first(fcinfo, 2);
	person = find_person(PG_GETARG_TEXT_PP(1));
	role = GetUserNameFromId(PG_GETARG_OID(0), false);
	for (i = 0; person->functions[i] != NULL; i++)
		grant_functions(result, person->functions[i], role);
	for (i = 0; person->relations[i] != NULL; i++)
		grant_relation(result, person->relations[i], role);
	(void) grant_on_workers();
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * synchronize_workers
 * ----------------------------------------------------------------------
 */

/* Tables whose rows functions on workers read, and their first column. */
static const char *const known[][2] = {{"secret", "domain"},
									   {"hierarchy", "hierarchy"},
									   {"hierarchy_value", "hierarchy"}};

/* synchronize_workers() returns bigint */
Datum
sdcf_synchronize_workers(PG_FUNCTION_ARGS)
{
	int i;

	sdcpg_need_coordinator("bring what it knows to others");
	for (i = 0; i < lengthof(known); i++)
		sdcpg_workers_mirror(known[i][0], known[i][1], NULL);
	PG_RETURN_INT64(grant_on_workers());
}

/* ----------------------------------------------------------------------
 * Whether the extension can be created, or updated, without giving others
 * rights to it that nobody grants.
 *
 * Two things of the database would do that.  Default privileges of the
 * creating role reach the tables and functions of an extension as any others:
 * keys could be read and budgets written.  And a schema sdc that is there
 * already stays its owner's, who could put functions into it that statements
 * of sdc then call with the rights of others.
 * ----------------------------------------------------------------------
 */

/* Stops where default privileges would give others what is created. */
static void
check_default_privileges(void)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		"SELECT pg_catalog.pg_get_userbyid(d.defaclrole)::pg_catalog.text,"
		" CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0 THEN 'PUBLIC'"
		" ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))"
		" END, CASE d.defaclobjtype WHEN 'r' THEN 'TABLES'"
		" WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'ROUTINES'"
		" ELSE 'SCHEMAS' END"
		" FROM pg_catalog.pg_default_acl AS d,"
		" pg_catalog.aclexplode(d.defaclacl) AS a"
		" WHERE d.defaclobjtype OPERATOR(pg_catalog.=) ANY"
		" (ARRAY['r', 'S', 'f', 'n']::pg_catalog.\"char\"[])"
		/* in the whole database, or in the schemas of sdc */
		" AND (d.defaclnamespace OPERATOR(pg_catalog.=) 0"
		" OR EXISTS (SELECT FROM pg_catalog.pg_namespace AS n"
		" WHERE n.oid OPERATOR(pg_catalog.=) d.defaclnamespace"
		" AND n.nspname OPERATOR(pg_catalog.=) ANY"
		" (ARRAY['sdc', 'sdc_internal']::pg_catalog.name[])))"
		" AND d.defaclrole OPERATOR(pg_catalog.=) (SELECT u.oid"
		" FROM pg_catalog.pg_roles AS u WHERE u.rolname"
		" OPERATOR(pg_catalog.=) CURRENT_USER)"
		" AND a.grantee OPERATOR(pg_catalog.<>) d.defaclrole"
		/* what PUBLIC has of functions without any; the script takes it */
		" AND NOT (a.grantee OPERATOR(pg_catalog.=) 0"
		" AND d.defaclobjtype OPERATOR(pg_catalog.=) 'f'"
		" AND d.defaclnamespace OPERATOR(pg_catalog.=) 0)"
		" ORDER BY 3, 2 LIMIT 1",
		NULL);
	char *role;
	char *kind;
	char *owner;

	if (rows->count == 0)
		return;
	owner = TextDatumGetCString(rows->value[0][0]);
	role = TextDatumGetCString(rows->value[0][1]);
	kind = TextDatumGetCString(rows->value[0][2]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_GRANT_OPERATION),
			 errmsg("default privileges would let %s at the keys and budgets "
					"of sdc",
					role),
			 errdetail("They give %s rights to whatever role \"%s\" creates.",
					   role, owner),
			 errhint("Take them back first, and grant them again afterwards: "
					 "ALTER DEFAULT PRIVILEGES FOR ROLE %s REVOKE ALL ON %s "
					 "FROM %s.",
					 quote_identifier(owner), kind, role)));
}

/* Stops where somebody else could put things into the schemas of sdc. */
static void
check_schemas(void)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		"SELECT n.nspname::pg_catalog.text FROM pg_catalog.pg_namespace AS n"
		" WHERE n.nspname OPERATOR(pg_catalog.=) ANY"
		" (ARRAY['sdc', 'sdc_internal']::pg_catalog.name[])"
		" AND (NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS u"
		" WHERE u.oid OPERATOR(pg_catalog.=) n.nspowner AND u.rolsuper)"
		" OR EXISTS (SELECT FROM pg_catalog.aclexplode(n.nspacl) AS a"
		" LEFT JOIN pg_catalog.pg_roles AS u"
		" ON u.oid OPERATOR(pg_catalog.=) a.grantee"
		" WHERE a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'"
		" AND u.rolsuper IS NOT TRUE)"
		" OR EXISTS (SELECT FROM pg_catalog.pg_depend AS d"
		" JOIN pg_catalog.pg_shdepend AS s"
		" ON s.classid OPERATOR(pg_catalog.=) d.classid"
		" AND s.objid OPERATOR(pg_catalog.=) d.objid"
		" AND s.deptype OPERATOR(pg_catalog.=) 'o'"
		" AND s.dbid OPERATOR(pg_catalog.=) (SELECT b.oid"
		" FROM pg_catalog.pg_database AS b WHERE b.datname"
		" OPERATOR(pg_catalog.=) pg_catalog.current_database())"
		" JOIN pg_catalog.pg_roles AS u"
		" ON u.oid OPERATOR(pg_catalog.=) s.refobjid AND NOT u.rolsuper"
		" WHERE d.refclassid OPERATOR(pg_catalog.=)"
		" 'pg_catalog.pg_namespace'::pg_catalog.regclass"
		" AND d.refobjid OPERATOR(pg_catalog.=) n.oid))",
		NULL);
	char *schema;

	if (rows->count == 0)
		return;
	schema = TextDatumGetCString(rows->value[0][0]);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("schema \"%s\" is not in the hands of superusers alone",
					schema),
			 errdetail("Its owner, a role with the right to create there, or "
					   "the owner of something in it could have functions "
					   "called in place of those of sdc."),
			 errhint("Drop or rename the schema, or revoke what was granted "
					 "on it.")));
}

/* check_creation() returns void */
Datum
sdcf_check_creation(PG_FUNCTION_ARGS)
{
	check_default_privileges();
	check_schemas();
	PG_RETURN_VOID();
}
