/*
 * distributed.c
 *		Where the rows of a relation are, and what workers know of sdc.
 *
 * Keys of pseudonyms, hierarchies and rights to functions are rows of this
 * database.  A function that Citus runs on a worker reads those of the worker,
 * so they must be the same there.  They travel as rows of a table that is
 * distributed over all workers, one row for each, and are taken by a function
 * that reads them there.  As rows were written on each worker before, Citus
 * makes one transaction of it all.  The table is gone when that commits.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/distributed.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"

/* ----------------------------------------------------------------------
 * Where rows are.
 * ----------------------------------------------------------------------
 */

/* Has this database a catalog of Citus? */
static bool
has_citus(void)
{
	return OidIsValid(
		get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE));
}

SdcHome
sdcpg_home_of(Oid relation, char **column)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	*column = NULL;
	if (!has_citus())
		return SDC_HOME_HERE;
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	rows = sdcpg_catalog_read(
		"SELECT CASE WHEN p.partmethod::pg_catalog.text"
		" OPERATOR(pg_catalog.<>) 'n' THEN 3"
		" WHEN p.repmodel::pg_catalog.text OPERATOR(pg_catalog.=) 't' THEN 2"
		" WHEN p.colocationid OPERATOR(pg_catalog.=) 0 THEN 1 ELSE 3 END,"
		" CASE WHEN p.partmethod::pg_catalog.text OPERATOR(pg_catalog.<>) 'n'"
		" THEN pg_catalog.column_to_column_name(p.logicalrelid, p.partkey) END"
		" FROM pg_catalog.pg_dist_partition AS p"
		" WHERE p.logicalrelid OPERATOR(pg_catalog.=) $1",
		&parameters);
	if (rows->count == 0)
		return SDC_HOME_HERE;
	if (!rows->isnull[0][1])
		*column = TextDatumGetCString(rows->value[0][1]);
	return (SdcHome) DatumGetInt32(rows->value[0][0]);
}

int64
sdcpg_shards_of(Oid relation)
{
	SdcCatalogParameters parameters = {0};
	char *column;

	if (sdcpg_home_of(relation, &column) != SDC_HOME_SPREAD)
		return 0;
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation), false);
	return DatumGetInt64(
		sdcpg_catalog_read("SELECT pg_catalog.count(*)"
						   " FROM pg_catalog.pg_dist_shard AS s"
						   " WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1",
						   &parameters)
			->value[0][0]);
}

/* The workers of this coordinator; 0 on a worker and without Citus. */
static int64
workers(void)
{
	if (!has_citus())
		return 0;
	return DatumGetInt64(
		sdcpg_catalog_read(
			"SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_node AS n"
			" WHERE n.groupid OPERATOR(pg_catalog.>) 0 AND n.isactive"
			" AND n.shouldhaveshards AND n.noderole::pg_catalog.text"
			" OPERATOR(pg_catalog.=) 'primary' AND EXISTS (SELECT FROM"
			" pg_catalog.pg_dist_local_group AS l"
			" WHERE l.groupid OPERATOR(pg_catalog.=) 0)",
			NULL)
			->value[0][0]);
}

bool
sdcpg_is_worker(void)
{
	return has_citus() &&
		   sdcpg_catalog_read("SELECT FROM pg_catalog.pg_dist_local_group AS l"
							  " WHERE l.groupid OPERATOR(pg_catalog.>) 0",
							  NULL)
				   ->count > 0;
}

void
sdcpg_need_coordinator(const char *done)
{
	if (sdcpg_is_worker())
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a worker cannot %s", done),
			 errdetail("All servers must have the same ones, so they are "
					   "written on the coordinator only."),
			 errhint("Do it on the coordinator. If it is done there, "
					 "sdc.synchronize_workers() brings it to a worker that "
					 "was added since.")));
}

/* ----------------------------------------------------------------------
 * Rows that travel to all workers.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_take_rows);
PG_FUNCTION_INFO_V1(sdcf_take_grants);

/* A table of the owner of sdc whose rows are asked for. */
#define OWNED "hierarchy"

/* A row for each shard, and a shard for each worker. */
static void
make_carrier(const char *carrier, int64 shards)
{
	SdcCatalogParameters none = {0};

	sdcpg_catalog_write(
		OWNED,
		psprintf("CREATE TABLE %s (place pg_catalog.int8, content "
				 "pg_catalog.jsonb)",
				 carrier),
		&none);
	sdcpg_catalog_write(
		OWNED,
		psprintf("SELECT pg_catalog.create_distributed_table(%s, 'place', "
				 "colocate_with => 'none', shard_count => " INT64_FORMAT ")",
				 quote_literal_cstr(carrier), shards),
		&none);
}

/*
 * Has every worker run take, a condition with content as one of its columns;
 * content is a SELECT of one value of jsonb.
 */
static void
carry(int64 shards, const char *content, const char *take,
	  const SdcCatalogParameters *parameters)
{
	SdcCatalogParameters none = {0};
	char *carrier =
		psprintf("sdc.%s", quote_identifier(sdcpg_target_hidden_name("c_")));

	make_carrier(carrier, shards);
	sdcpg_catalog_write(
		OWNED,
		psprintf("INSERT INTO %s SELECT pg_catalog.min(i), (%s) FROM "
				 "pg_catalog.generate_series(1::pg_catalog.int8, 100 * "
				 INT64_FORMAT ") AS i GROUP BY "
				 "pg_catalog.get_shard_id_for_distribution_column(%s, i)",
				 carrier, content, shards, quote_literal_cstr(carrier)),
		parameters);
	sdcpg_catalog_write(
		OWNED,
		psprintf("SELECT pg_catalog.count(*) FROM %s WHERE %s", carrier, take),
		&none);
	sdcpg_catalog_write(OWNED, psprintf("DROP TABLE %s", carrier), &none);
}

void
sdcpg_workers_mirror(const char *table, const char *column, const char *value)
{
	int64 shards = workers();
	SdcCatalogParameters parameters = {0};

	if (shards == 0)
		return;
	sdcpg_catalog_bind_text(&parameters, value);
	carry(shards,
		  psprintf("SELECT pg_catalog.jsonb_build_object('value', $1, 'rows', "
				   "coalesce(pg_catalog.jsonb_agg("
				   "pg_catalog.to_jsonb(t)), '[]')) FROM sdc.%s AS t "
				   "WHERE $1 IS NULL OR t.%s OPERATOR(pg_catalog.=) $1",
				   quote_identifier(table), quote_identifier(column)),
		  psprintf("sdc_internal.take_rows(%s, %s, content)",
				   quote_literal_cstr(table), quote_literal_cstr(column)),
		  &parameters);
}

void
sdcpg_workers_one_connection(void)
{
	(void) set_config_option("citus.multi_shard_modify_mode", "sequential",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL,
							 true, 0, false);
}

/* Stops unless the caller owns the table of sdc of that name. */
static void
need_table(const char *table)
{
	if (sdcpg_catalog_owner(table) != GetUserId() && !superuser())
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, table);
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
	const char *key =
		quote_identifier(text_to_cstring(PG_GETARG_TEXT_PP(1)));
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
				 "pg_catalog.jsonb_build_array(pg_catalog.to_jsonb(t))",
				 name, key),
		&parameters);
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

	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
	return level;
}

int64
sdcpg_workers_grant(void)
{
	int64 shards = workers();
	SdcCatalogParameters none = {0};
	int level;

	if (shards == 0)
		return 0;
	level = fixed_names();
	carry(shards,
		  psprintf("SELECT coalesce(pg_catalog.jsonb_agg("
				   "pg_catalog.to_jsonb(t)), '[]') FROM (%s) AS t",
				   rights),
		  "sdc_internal.take_grants(content)", &none);
	AtEOXact_GUC(true, level);
	return shards;
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
	run_all(psprintf(
				"SELECT pg_catalog.concat('REVOKE EXECUTE ON ROUTINE ',"
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
