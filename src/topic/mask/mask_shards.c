/*
 * mask_shards.c
 *		A masked copy of a table whose rows are on other servers.
 *
 * The copy is created empty, distributed as its table is, and filled by one
 * INSERT ... SELECT, which Citus runs on each server for the shards that are
 * there: no row comes here.  That needs a SELECT without volatile functions.
 * So pseudonyms are made by a function that makes no keys, and rows lie in the
 * order of their new content, which does not depend on where they came from.  Where the column that says in
 * which shard a row is changes, Citus moves the rows, over this server.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/distributed.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_shards.h"
#include "topic/mask/mask_write.h"
#include "topic/mask/pseudonym.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

void
sdcpg_mask_refuse_spread(const SdcRelation *relation, const SdcRule *rule)
{
	const char *why = rule->method->spread;

	if (why != NULL)
		why = psprintf("%s Each server has only some of them.", why);
	else
		why = "What it draws is kept on this server.";
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("method \"%s\" cannot mask the distributed relation "
					"\"%s\"",
					rule->method->name, relation->name),
			 errdetail_internal("%s", why),
			 errhint("Bring the rows to this server: CREATE TABLE ... AS "
					 "SELECT * FROM %s and mask that, or name a temporary "
					 "table in argument \"target\".",
					 relation->sql)));
}

bool
sdcpg_mask_is_spread(const SdcMaskPlan *plan, const text *target)
{
	char *column;
	int i;

	if (sdcpg_home_of(plan->relation->oid, &column) != SDC_HOME_SPREAD ||
		sdcpg_target_is_temporary(target))
		return false;
	for (i = 0; i < plan->rules.count; i++)
		if (!(plan->rules.rule[i].method->traits & SDC_MASK_DISTRIBUTABLE))
			sdcpg_mask_refuse_spread(plan->relation, &plan->rules.rule[i]);
	return true;
}

typedef struct Copy
{
	SdcPgHost *host;
	SdcMaskPlan *plan;
	const SdcTarget *target;
	SdcMaskCount *count;
} Copy;

void
sdcpg_mask_spread_keys(const SdcMaskPlan *plan)
{
	int i;

	for (i = 0; i < plan->rules.count; i++)
		if (strcmp(plan->rules.rule[i].method->name, "pseudonym") == 0)
			sdcpg_pseudonym_spread(
				sdcpg_params_text(plan->rules.rule[i].params, "domain"));
}

/* Is what says in which shard a row is written as it is? */
static bool
keeps_column(const SdcMaskPlan *plan, const char *name)
{
	int i;

	for (i = 0; i < plan->columns; i++)
		if (strcmp(plan->column[i].column.name, name) == 0)
			return plan->column[i].value == NULL;
	return false;
}

/* Has the empty copy distributed as its table is. */
static void
distribute(const Copy *copy)
{
	SdcCatalogParameters parameters = {0};
	const SdcRelation *relation = copy->plan->relation;
	char *column;
	bool kept;

	(void) sdcpg_home_of(relation->oid, &column);
	kept = column == NULL || keeps_column(copy->plan, column);
	sdcpg_catalog_bind_text(&parameters, copy->target->sql);
	sdcpg_catalog_bind_text(&parameters, column);
	sdcpg_catalog_bind_text(&parameters, kept ? relation->sql : "none");
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(relation->oid),
					   false);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(
		psprintf("SELECT pg_catalog.create_distributed_table("
				 "$1::pg_catalog.regclass, $2, colocate_with => $3%s)",
				 kept ? ""
					  : ", shard_count => (SELECT pg_catalog.count(*)"
						"::pg_catalog.int4 FROM pg_catalog.pg_dist_shard AS s"
						" WHERE s.logicalrelid OPERATOR(pg_catalog.=) $4)"),
		&parameters, false);
	SPI_finish();
}

/* Does no value of a column change?  Looks until one does. */
static bool
is_unchanged(SdcMaskPlan *plan, const SdcMaskColumn *column)
{
	return sdcpg_catalog_read(
			   psprintf("SELECT 1 FROM %s AS r WHERE (r.%s IS NULL) "
						"OPERATOR(pg_catalog.<>) (%s IS NULL) OR "
						"pg_catalog.concat(r.%s) OPERATOR(pg_catalog.<>) "
						"pg_catalog.concat(%s) LIMIT 1",
						plan->relation->sql, column->column.sql,
						column->value, column->column.sql, column->value),
			   &plan->parameters)
			   ->count == 0;
}

static void
fill(void *arg)
{
	Copy *copy = arg;
	SdcMaskPlan *plan = copy->plan;
	SdcRelationColumns keys =
		sdcpg_roles_columns(plan->relation, "keys", NULL, SDC_ROLE_KEY);
	SdcMaskCount *count;
	int i;

	plan->shaped = true;
	plan->keys = sdcpg_target_keys(&keys);
	count = copy->count = sdcpg_mask_count_new(plan);
	count->sql = sdcpg_target_shape_sorted(sdcpg_mask_select(plan, false),
										   &plan->parameters, plan->keys);
	sdcpg_target_create_empty(copy->host, copy->target, count->sql,
							  &plan->parameters);
	distribute(copy);
	sdcpg_progress_stage(&copy->host->progress, "writing");
	count->rows = (int64) sdcpg_catalog_run_as_seen(
		psprintf("INSERT INTO %s %s", copy->target->sql, count->sql),
		&plan->parameters);
	for (i = 0; i < plan->columns; i++)
		if (sdcpg_mask_select_compares(&plan->column[i]) &&
			is_unchanged(plan, &plan->column[i]))
			count->changed[i] = 0;
}

SdcMaskCount *
sdcpg_mask_shards(SdcPgHost *host, SdcMaskPlan *plan, const SdcTarget *target)
{
	Copy copy = {host, plan, target};
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	sdcpg_mask_guard(plan->relation->name, fill, &copy);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	copy.count->seconds = INSTR_TIME_GET_DOUBLE(end);
	CommandCounterIncrement();
	sdcpg_nulls_inherit(plan->relation->oid, target);
	return copy.count;
}

void
sdcpg_mask_copy_everywhere(const SdcMaskPlan *plan, const SdcTarget *target)
{
	SdcCatalogParameters parameters = {0};
	char *column;

	if (sdcpg_home_of(plan->relation->oid, &column) != SDC_HOME_EVERYWHERE ||
		isAnyTempNamespace(target->schema))
		return;
	sdcpg_catalog_bind_text(&parameters, target->sql);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run("SELECT pg_catalog.create_reference_table("
					  "$1::pg_catalog.regclass)",
					  &parameters, false);
	sdcpg_catalog_run("SELECT pg_catalog."
					  "truncate_local_data_after_distributing_table("
					  "$1::pg_catalog.regclass)",
					  &parameters, false);
	SPI_finish();
}

void
sdcpg_mask_tell_home(ReturnSetInfo *result, const SdcTarget *target)
{
	SdcStep step = SDC_STEP("distribute");
	char *column;
	SdcHome home = sdcpg_home_of(sdcpg_target_open(target)->oid, &column);

	sdcpg_target_close();
	switch (home)
	{
		case SDC_HOME_SPREAD:
			step.detail =
				column == NULL
					? "The rows are in one shard."
					: psprintf("Column \"%s\" says in which shard a row is. "
							   "Each server has masked its own rows; how many "
							   "values changed was not counted.",
							   column);
			break;
		case SDC_HOME_EVERYWHERE:
			step.detail = "It is a reference table: all servers have it.";
			break;
		default:
			return;
	}
	step.subject = target->sql;
	sdcpg_step_put(result, &step);
}
