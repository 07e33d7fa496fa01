/*
 * mask_suppress.c
 *		Local suppression of what the other rules leave.
 *
 * Which values must go can only be said when all rows are masked, so these
 * are put into a table first.  sdc.suppress reads it, writes the next, and
 * verifies it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/call/catalog.h"
#include "pg/mask/mask_seed.h"
#include "pg/mask/mask_suppress.h"
#include "pg/server/compat.h"

SdcTarget *
sdcpg_mask_suppress_stage(Oid schema, const char *name)
{
	SdcTarget *stage = palloc(sizeof(SdcTarget));
	int number = 0;

	stage->schema = schema;
	do
		stage->name = psprintf("%s_%d", name, ++number);
	while (OidIsValid(get_relname_relid(stage->name, schema)));
	stage->sql =
		quote_qualified_identifier(get_namespace_name(schema), stage->name);
	return stage;
}

/* Runs a statement that may write, and sees what was written before. */
static void
run(const char *sql, const SdcCatalogParameters *parameters)
{
	if (SPI_execute_with_args(sql, parameters->count, (Oid *) parameters->type,
							  (Datum *) parameters->value, parameters->null,
							  false, 0) < 0)
		elog(ERROR, "could not run a statement for suppression");
}

void
sdcpg_mask_suppress_drop(const SdcTarget *stage)
{
	static const SdcCatalogParameters none;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	run(psprintf("DROP TABLE %s", stage->sql), &none);
	SPI_finish();
}

static Datum
names_of(const SdcRelationColumns *columns)
{
	Datum *name = palloc(sizeof(Datum) * columns->count);
	int i;

	for (i = 0; i < columns->count; i++)
		name[i] = DirectFunctionCall1(
			namein, CStringGetDatum(columns->column[i].name));
	return PointerGetDatum(construct_array(name, columns->count, NAMEOID,
										   NAMEDATALEN, false, TYPALIGN_CHAR));
}

/* The arguments of sdc.suppress. */
static SdcCatalogParameters *
bind_arguments(SdcMaskPlan *plan, const SdcTarget *stage,
			   const SdcTarget *target)
{
	SdcCatalogParameters *bound = palloc0(sizeof(SdcCatalogParameters));
	const SdcRule *rule = plan->suppress;
	uint64 seed = sdcpg_mask_seed(plan->seed, sdcpg_mask_plan_subject(rule));

	if (plan->order.count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"suppress\" needs one column that tells "
						"records apart"),
				 errhint("Name it in argument \"id\".")));
	sdcpg_catalog_bind(
		bound, REGCLASSOID,
		ObjectIdGetDatum(get_relname_relid(stage->name, stage->schema)),
		false);
	sdcpg_catalog_bind(
		bound, NAMEOID,
		DirectFunctionCall1(namein,
							CStringGetDatum(plan->order.column[0].name)),
		false);
	sdcpg_catalog_bind(bound, NAMEARRAYOID, names_of(&rule->columns), false);
	sdcpg_catalog_bind(bound, JSONBOID, JsonbPGetDatum(rule->params), false);
	sdcpg_catalog_bind(bound, INT8OID, Int64GetDatum((int64) seed), false);
	sdcpg_catalog_bind_text(bound, target->sql);
	return bound;
}

/* The NULLs of the columns of the rule, in their order, from a table. */
static int64 *
count_nulls(const SdcRule *rule, const SdcTarget *table)
{
	static const SdcCatalogParameters none;
	int64 *nulls = palloc(sizeof(int64) * rule->columns.count);
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	for (i = 0; i < rule->columns.count; i++)
		appendStringInfo(&sql,
						 "%s pg_catalog.count(*) FILTER (WHERE r.%s IS NULL)",
						 i == 0 ? "SELECT" : ",", rule->columns.column[i].sql);
	appendStringInfo(&sql, " FROM %s AS r", table->sql);
	run(sql.data, &none);
	for (i = 0; i < rule->columns.count; i++)
	{
		bool isnull;

		nulls[i] = DatumGetInt64(SPI_getbinval(
			SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull));
	}
	return nulls;
}

void
sdcpg_mask_suppress(SdcMaskPlan *plan, const SdcTarget *stage,
					const SdcTarget *target, SdcMaskCount *count)
{
	const SdcRule *rule = plan->suppress;
	int64 *before;
	int64 *after;
	int i;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	before = count_nulls(rule, stage);
	run("SELECT sdc.suppress(rel => $1, id => $2, keys => $3, k => "
		"CAST(pg_catalog.jsonb_extract_path_text($4, 'k') AS "
		"pg_catalog.int4), params => CASE WHEN "
		"pg_catalog.jsonb_exists($4, 'importance') THEN "
		"pg_catalog.jsonb_build_object('importance', "
		"pg_catalog.jsonb_extract_path($4, 'importance')) END, "
		"seed => $5, target => $6)",
		bind_arguments(plan, stage, target));
	after = count_nulls(rule, target);
	for (i = 0; i < rule->columns.count; i++)
		count->suppressed[sdcpg_mask_plan_column(
							  plan, rule->columns.column[i].number) -
						  plan->column] = after[i] - before[i];
	SPI_finish();
	sdcpg_mask_suppress_drop(stage);
}
