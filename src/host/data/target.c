/*
 * target.c
 *		The argument "target": a new table that a query fills.
 *
 * The name is resolved once, to a schema and a name in it, and written with
 * both from then on.  The statement runs under a copy of the snapshot of the
 * calling statement, the one that the rows were read with: a row that comes or
 * changes in between is in neither.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"

pg_noreturn static void
name_is_taken(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_TABLE),
			 errmsg("relation \"%s\" already exists", name),
			 errhint("Argument \"target\" must name a table that does not "
					 "exist yet.")));
}

SdcTarget *
sdcpg_target_find(const text *name)
{
	SdcTarget *target = palloc(sizeof(SdcTarget));
	RangeVar *parsed =
		makeRangeVarFromNameList(textToQualifiedNameList((text *) name));
	Oid existing;

	/* checks the right to create in the schema, and keeps it from going */
	target->schema =
		RangeVarGetAndCheckCreationNamespace(parsed, NoLock, &existing);
	if (OidIsValid(existing))
		name_is_taken(parsed->relname);
	target->name = parsed->relname;
	target->sql = quote_qualified_identifier(
		get_namespace_name(target->schema), target->name);
	return target;
}

void
sdcpg_target_need_all_rows(const SdcRelation *relation, bool allowed)
{
	if (relation->row_security && !allowed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security hides rows of relation \"%s\"",
						relation->name),
				 errdetail("The result would hold, and be computed from, the "
						   "visible rows only."),
				 errhint("Run it as a role that sees all rows, or say "
						 "params => '{\"rls\": \"allow\"}'.")));
}

/* The type of a column below any domains, as SQL, with its length. */
static char *
base_type(const SdcRelation *relation, const SdcRelationColumn *column)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(relation->oid, column->number, &type, &modifier,
						  &collation);
	type = getBaseTypeAndTypmod(type, &modifier);
	return format_type_extended(
		type, modifier, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

void
sdcpg_target_column(StringInfo sql, const SdcRelation *relation,
					const SdcRelationColumn *column, const char *condition)
{
	if (condition == NULL)
		appendStringInfo(sql, "r.%s", column->sql);
	else
		appendStringInfo(sql,
						 "CAST(CASE WHEN %s THEN NULL ELSE r.%s END AS %s) "
						 "AS %s",
						 condition, column->sql, base_type(relation, column),
						 column->sql);
}

/* Runs a statement under the snapshot of the calling statement. */
static uint64
run(const char *sql, const SdcCatalogParameters *parameters)
{
	static const SdcCatalogParameters none;
	SPIPlanPtr plan;
	uint64 rows;

	if (parameters == NULL)
		parameters = &none;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	plan = SPI_prepare(sql, parameters->count, (Oid *) parameters->type);
	if (plan == NULL)
		elog(ERROR, "could not prepare a statement that creates a table");
	if (SPI_execute_snapshot(plan, (Datum *) parameters->value,
							 parameters->null, GetActiveSnapshot(),
							 InvalidSnapshot, false, true, 0) < 0)
		elog(ERROR, "could not create a table");
	rows = SPI_processed;
	SPI_finish();
	return rows;
}

uint64
sdcpg_target_create(SdcPgHost *host, const SdcTarget *target,
					const char *select, const SdcCatalogParameters *parameters)
{
	StringInfoData sql;

	sdcpg_progress_stage(&host->progress, "writing");
	if (OidIsValid(get_relname_relid(target->name, target->schema)))
		name_is_taken(target->name);
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s AS %s", target->sql, select);
	return run(sql.data, parameters);
}

SdcRelation *
sdcpg_target_open(const SdcTarget *target)
{
	CommandCounterIncrement();
	PushCopiedSnapshot(GetActiveSnapshot());
	UpdateActiveSnapshotCommandId();
	return sdcpg_relation_find(
		get_relname_relid(target->name, target->schema));
}

void
sdcpg_target_close(void)
{
	PopActiveSnapshot();
}
