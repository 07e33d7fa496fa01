/*
 * dp_check.c
 *		sdc.check_dataset: what the guarantee for a data set does not cover.
 *
 * Rights that would let a role read more than its answers, and what the
 * server tells everyone.  All of it is in the catalogs, which are read as the
 * caller.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "host/call/args.h"
#include "host/call/catalog.h"
#include "topic/privacy/ledger.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "host/call/relation.h"
#include "topic/privacy/budget.h"
#include "topic/privacy/dataset.h"

PG_FUNCTION_INFO_V1(sdcf_check_dataset);

/* Requests below this cost are worth a warning. */
#define LEAST_COST 0.0001

/*
 * What somebody can do who is, or by SET ROLE can become, a role; $1 is the
 * relation, $2 the role.  Each row is name, value, sentence.
 */
static const char *const rights_query =
	"WITH RECURSIVE somebody AS (SELECT a.oid, a.rolname, a.rolsuper, "
	"a.rolreplication FROM pg_catalog.pg_roles AS a WHERE "
	"pg_catalog.pg_has_role($2, a.oid, 'MEMBER')), viewed(oid) AS (SELECT "
	"$1 UNION SELECT w.ev_class FROM viewed JOIN pg_catalog.pg_depend AS "
	"d ON d.refobjid OPERATOR(pg_catalog.=) viewed.oid AND d.classid "
	"OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass "
	"JOIN pg_catalog.pg_rewrite AS w ON w.oid OPERATOR(pg_catalog.=) "
	"d.objid) SELECT c.name, CASE WHEN c.open THEN 1 ELSE 0 "
	"END::pg_catalog.float8, c.detail FROM (VALUES (1, 'superuser', "
	"EXISTS (SELECT FROM somebody AS r WHERE r.rolsuper), 'A superuser "
	"reads everything and can set the budgets back.'), (2, 'owner', "
	"EXISTS (SELECT FROM somebody AS r WHERE r.oid OPERATOR(pg_catalog.=) "
	"(SELECT t.relowner FROM pg_catalog.pg_class AS t WHERE t.oid "
	"OPERATOR(pg_catalog.=) $1)), 'The owner of the table reads it and "
	"makes its data sets.'), (3, 'select', EXISTS (SELECT FROM somebody "
	"AS r WHERE pg_catalog.has_table_privilege(r.oid, $1, 'SELECT') OR "
	"pg_catalog.has_any_column_privilege(r.oid, $1, 'SELECT')), 'SELECT "
	"on the table, or on a column of it, needs no budget.'), (4, 'write', "
	"EXISTS (SELECT FROM somebody AS r WHERE "
	"pg_catalog.has_table_privilege(r.oid, $1, 'INSERT, UPDATE, DELETE, "
	"TRUNCATE, TRIGGER, REFERENCES') OR "
	"pg_catalog.has_any_column_privilege(r.oid, $1, 'INSERT, UPDATE, "
	"REFERENCES')), 'Who writes the table can have it answer about rows "
	"of its own, and learns from errors which keys exist.'), (5, 'foreign "
	"keys', EXISTS (SELECT FROM pg_catalog.pg_constraint AS k, somebody "
	"AS r WHERE k.confrelid OPERATOR(pg_catalog.=) $1 AND k.conrelid "
	"OPERATOR(pg_catalog.<>) $1 AND "
	"(pg_catalog.has_table_privilege(r.oid, k.conrelid, 'INSERT, UPDATE') "
	"OR pg_catalog.has_any_column_privilege(r.oid, k.conrelid, 'INSERT, "
	"UPDATE'))), 'Who writes a table that refers to this one learns which "
	"keys exist.'), (6, 'replication', EXISTS (SELECT FROM somebody AS r "
	"WHERE r.rolreplication), 'A copy of the server holds the table.'), "
	"(7, 'statistics role', EXISTS (SELECT FROM somebody AS r WHERE "
	"r.rolname::pg_catalog.text OPERATOR(pg_catalog.=) ANY "
	"(ARRAY['pg_read_all_stats', 'pg_monitor'])), 'Roles that monitor see "
	"queries, and what they cost, of all.'), (8, 'server files', EXISTS "
	"(SELECT FROM somebody AS r WHERE r.rolname::pg_catalog.text "
	"OPERATOR(pg_catalog.=) ANY (ARRAY['pg_read_server_files', "
	"'pg_write_server_files', 'pg_execute_server_program'])), 'Files of "
	"the server hold the table.'), (9, 'aggregates with noise', EXISTS "
	"(SELECT FROM pg_catalog.pg_proc AS p, somebody AS r WHERE "
	"p.pronamespace OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.regnamespace "
	"AND p.proname::pg_catalog.text OPERATOR(pg_catalog.=) ANY "
	"(ARRAY['dp_count', 'dp_sum', 'dp_avg', 'dp_var', 'dp_stddev', "
	"'dp_median', 'dp_quantile', 'dp_mode']) AND "
	"pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')), 'They "
	"count no budget; they need SELECT on the table, too.'), (10, "
	"'views', EXISTS (SELECT FROM viewed AS v, somebody AS r WHERE v.oid "
	"OPERATOR(pg_catalog.<>) $1 AND "
	"pg_catalog.has_any_column_privilege(r.oid, v.oid, 'SELECT')), 'A "
	"view of the table can be read.'), (11, 'functions of the owner', "
	"EXISTS (SELECT FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_proc "
	"AS p ON p.proowner OPERATOR(pg_catalog.=) t.relowner AND "
	"p.prosecdef, somebody AS r WHERE t.oid OPERATOR(pg_catalog.=) $1 AND "
	"pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')), 'They "
	"run with the rights of the owner of the table; whether they read it "
	"is not known.')) AS c(place, name, open, detail) ORDER BY c.place";

/* The same of what the server tells every role; $1 is the relation. */
static const char *const public_query =
	"WITH RECURSIVE part(oid) AS (SELECT $1 UNION SELECT i.inhrelid FROM part "
	"JOIN pg_catalog.pg_inherits AS i ON i.inhparent "
	"OPERATOR(pg_catalog.=) part.oid) "
	"SELECT c.name, CASE WHEN c.open THEN 1 ELSE 0 END::pg_catalog.float8, "
	"c.detail FROM (VALUES "
	"(1, 'number of rows', true, 'The number of rows, and how many were "
	"inserted, updated and deleted, is in pg_class and pg_stat_all_tables, "
	"for every role. With neighbours add_remove nothing but rights protects "
	"the number of all rows; with replace it counts as public.'), "
	"(2, 'size', true, 'The sizes of the table and its indexes are open to "
	"every role.'), "
	"(3, 'long values', EXISTS (SELECT FROM part JOIN pg_catalog.pg_class AS "
	"t ON t.oid OPERATOR(pg_catalog.=) part.oid AND "
	"pg_catalog.pg_relation_size(t.reltoastrelid) OPERATOR(pg_catalog.>) 0), "
	"'How many parts of long values lie in TOAST is in pg_stat_all_tables.'), "
	"(4, 'partial indexes', EXISTS (SELECT FROM part JOIN pg_catalog.pg_index "
	"AS i ON i.indrelid OPERATOR(pg_catalog.=) part.oid AND i.indpred IS NOT "
	"NULL), 'pg_class tells how many rows fulfil the condition of an "
	"index.'), "
	"(5, 'partitions', EXISTS (SELECT FROM part OFFSET 1), "
	"'The number of rows of each partition is open, too.')"
	") AS c(place, name, open, detail) ORDER BY c.place";

static void
put_line(ReturnSetInfo *result, const char *measure, const char *subject,
		 double value, const char *detail)
{
	sdcpg_result_measure(result, measure, subject, value, false, detail);
}

static void
put_lines(ReturnSetInfo *result, const SdcRelation *relation,
		  const char *query, const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(query, parameters);
	int64 i;

	for (i = 0; i < rows->count; i++)
		put_line(result, TextDatumGetCString(rows->value[i][0]), relation->sql,
				 DatumGetFloat8(rows->value[i][1]),
				 TextDatumGetCString(rows->value[i][2]));
}

/* The one thing a request itself still tells. */
static void
put_time(ReturnSetInfo *result, const SdcDataset *dataset,
		 const SdcRelation *relation)
{
	put_line(result, "time", relation->sql, dataset->min_duration == 0,
			 dataset->min_duration == 0
				 ? "How long a request takes depends on the length of the "
				   "table, and a little on its values; with min_duration it "
				   "comes in steps."
				 : "How long a request takes is a multiple of min_duration; "
				   "which multiple may still tell.");
}

/* Other budgets for the same records. */
static void
put_others(ReturnSetInfo *result, const SdcDataset *dataset)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(dataset->oid),
					   false);
	rows = sdcpg_catalog_read_owned(
		"dp_dataset",
		"SELECT pg_catalog.count(*) FROM sdc.dp_dataset WHERE id "
		"OPERATOR(pg_catalog.<>) $1 AND rel::pg_catalog.oid "
		"OPERATOR(pg_catalog.=) $2",
		&parameters);
	put_line(result, "other data sets", dataset->name,
			 DatumGetInt64(rows->value[0][0]) > 0,
			 "The table has, or had, another data set: their budgets add "
			 "up.");
}

/* Counters and their log, which only somebody with rights beyond changes. */
static void
put_budget(ReturnSetInfo *result, const SdcDataset *dataset)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	SdcAmount spent = sdcpg_ledger_spent(dataset->id);

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(dataset->id),
					   false);
	rows = sdcpg_catalog_read_owned(
		"dp_log",
		"SELECT COALESCE(pg_catalog.sum(cost), 0)::pg_catalog.int8 FROM "
		"sdc.dp_log WHERE dataset OPERATOR(pg_catalog.=) $1",
		&parameters);
	put_line(
		result, "small requests", dataset->name,
		DatumGetBool(DirectFunctionCall2(
			numeric_lt, NumericGetDatum(dataset->min_epsilon),
			DirectFunctionCall1(float8_numeric, Float8GetDatum(LEAST_COST)))),
		"A request may cost next to nothing, so that nothing bounds how "
		"often a channel that is not known here can be used.");
	put_line(result, "ledger behind its log", dataset->name,
			 spent.first < DatumGetInt64(rows->value[0][0]),
			 "The log holds more than the counters say was spent: they were "
			 "set back, or come from an older copy.");
}

/* check_dataset(dataset text, role regrole) */
Datum
sdcf_check_dataset(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset;
	SdcRelation *relation;
	Oid owner;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("dataset");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("role");
	dataset = sdcpg_dataset_need_owner(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	relation = sdcpg_dataset_relation(dataset, &owner);
	(void) GetUserNameFromId(PG_GETARG_OID(1), false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, PG_GETARG_DATUM(1), false);
	put_lines(result, relation, rights_query, &parameters);
	parameters.count = 1;
	put_lines(result, relation, public_query, &parameters);
	put_time(result, dataset, relation);
	put_others(result, dataset);
	put_budget(result, dataset);
	return (Datum) 0;
}
