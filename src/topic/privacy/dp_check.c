/*
 * dp_check.c
 *		sdc.dp_check: what the guarantee for a data set does not cover.
 *
 * Rights that would let a role read more than its answers, and what the
 * server tells everyone.  All of it is in the catalogs, which are read as the
 * caller.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "host/call/args.h"
#include "host/call/catalog.h"
#include "topic/privacy/ledger.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "host/call/relation.h"
#include "topic/privacy/budget.h"
#include "topic/privacy/dataset.h"

PG_FUNCTION_INFO_V1(sdcf_dp_check);

/* $1: relation, $2: role; each row is name, value, sentence. */
static const char *const channels_query =
	"SELECT c.name, CASE WHEN c.open THEN 1 ELSE 0 END::pg_catalog.float8, "
	"c.detail FROM (VALUES "
	"(1, 'superuser', (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE "
	"r.oid OPERATOR(pg_catalog.=) $2), "
	"'A superuser reads everything and can set the budgets back.'), "
	"(2, 'owner', (SELECT pg_catalog.pg_has_role($2, t.relowner, 'USAGE') "
	"FROM pg_catalog.pg_class AS t WHERE t.oid OPERATOR(pg_catalog.=) $1), "
	"'The owner of the table reads it and makes its data sets.'), "
	"(3, 'select', pg_catalog.has_table_privilege($2, $1, 'SELECT') OR "
	"pg_catalog.has_any_column_privilege($2, $1, 'SELECT'), "
	"'SELECT on the table, or on a column of it, needs no budget.'), "
	"(4, 'write', pg_catalog.has_table_privilege($2, $1, "
	"'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER') OR "
	"pg_catalog.has_any_column_privilege($2, $1, 'INSERT, UPDATE'), "
	"'Who writes the table can have it answer about rows of its own, and "
	"learns from errors which keys exist.'), "
	"(5, 'statistics role', pg_catalog.pg_has_role($2, "
	"'pg_read_all_stats', 'USAGE') OR pg_catalog.pg_has_role($2, "
	"'pg_monitor', 'USAGE'), "
	"'Roles that monitor see queries, and what they cost, of all.'), "
	"(6, 'server files', pg_catalog.pg_has_role($2, "
	"'pg_read_server_files', 'USAGE') OR pg_catalog.pg_has_role($2, "
	"'pg_execute_server_program', 'USAGE'), "
	"'Files of the server hold the table.'), "
	"(7, 'aggregates with noise', EXISTS (SELECT FROM pg_catalog.pg_proc AS "
	"p WHERE p.pronamespace OPERATOR(pg_catalog.=) "
	"'sdc'::pg_catalog.regnamespace AND p.proname::pg_catalog.text "
	"OPERATOR(pg_catalog.=) ANY (ARRAY['dp_count', 'dp_sum', 'dp_avg', "
	"'dp_var', 'dp_stddev', 'dp_median', 'dp_quantile', 'dp_mode']) AND "
	"pg_catalog.has_function_privilege($2, p.oid, 'EXECUTE')), "
	"'They count no budget; they need SELECT on the table, too.'), "
	"(8, 'views', EXISTS (SELECT FROM pg_catalog.pg_depend AS d JOIN "
	"pg_catalog.pg_rewrite AS w ON w.oid OPERATOR(pg_catalog.=) d.objid JOIN "
	"pg_catalog.pg_class AS v ON v.oid OPERATOR(pg_catalog.=) w.ev_class "
	"WHERE d.refobjid OPERATOR(pg_catalog.=) $1 AND d.classid "
	"OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND "
	"v.oid OPERATOR(pg_catalog.<>) $1 AND "
	"pg_catalog.has_any_column_privilege($2, v.oid, 'SELECT')), "
	"'A view of the table can be read.'), "
	"(9, 'number of rows', true, 'The number of rows is, about, in "
	"pg_class and pg_stat_all_tables, for every role; with neighbours replace "
	"it counts as public.'), "
	"(10, 'size', true, 'The size of the table is open to every role.'), "
	"(11, 'time', true, 'How long a request takes grows with the rows that "
	"are read.')"
	") AS c(place, name, open, detail) ORDER BY c.place";

static void
put_line(ReturnSetInfo *result, const char *measure, const char *subject,
		 double value, const char *detail)
{
	sdcpg_result_measure(result, measure, subject, value, false, detail);
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
	put_line(result, "ledger behind its log", dataset->name,
			 spent.first < DatumGetInt64(rows->value[0][0]),
			 "The log holds more than the counters say was spent: they were "
			 "set back, or come from an older copy.");
}

/* dp_check(dataset text, role regrole) */
Datum
sdcf_dp_check(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcCatalogParameters parameters = {0};
	SdcDataset *dataset;
	SdcRelation *relation;
	SdcCatalogRows *rows;
	Oid owner;
	int64 i;

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
	rows = sdcpg_catalog_read(channels_query, &parameters);
	for (i = 0; i < rows->count; i++)
		put_line(result, TextDatumGetCString(rows->value[i][0]), relation->sql,
				 DatumGetFloat8(rows->value[i][1]),
				 TextDatumGetCString(rows->value[i][2]));
	put_budget(result, dataset);
	return (Datum) 0;
}
