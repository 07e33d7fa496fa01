/*
 * publish.c
 *		A masked table takes the place of the release before it.
 *
 * While the columns stay the same, the rows of the published table are
 * replaced: readers are not blocked, a reader whose snapshot is older than the
 * release goes on to see the old rows, and rights, indexes and views on the
 * table stay.  A new table would be empty for that reader, as its rows are
 * younger than his snapshot.  Only when columns differ does a new table take
 * the name of the old one, with its rights.
 *
 * Rows are written in random order: in the order of the original, the place
 * of a row would link it to the same row of every other release.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/publish.h"
#include "release/release.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

static void publish_drop(SdcStaging *staging);

/* ----------------------------------------------------------------------
 * The masked form of a table before it is published.
 *
 * While attacks are run, the id must be that of the original: it says which
 * links are right.  If the policy masks the id, too, that is done in a second
 * step, on the masked table.
 * ----------------------------------------------------------------------
 */

/* Makes the active snapshot see what the transaction has written. */
static void
staging_see(void)
{
	CommandCounterIncrement();
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
}

/* Runs a statement as the caller and returns how many rows it wrote. */
static uint64
staging_run(const char *sql)
{
	uint64 rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (SPI_execute(sql, false, 0) < 0)
		elog(ERROR, "could not run a statement of a release");
	rows = SPI_processed;
	SPI_finish();
	staging_see();
	return rows;
}

/* Stops unless what has the name of the published table is a table's own. */
static void
check_existing(const SdcStaging *staging)
{
	Oid existing = get_relname_relid(staging->table, staging->schema);

	if (!OidIsValid(existing))
		return;
	if (get_rel_relkind(existing) != RELKIND_RELATION ||
		existing == staging->original->oid)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" cannot be replaced by a release",
							   staging->table),
						errdetail("Something that is not a release has the "
								  "name of the published table.")));
	if (!pg_class_ownercheck(existing, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, staging->table);
}

void
sdcpg_staging_plan(SdcStaging *staging, const SdcPolicyRelation *policy,
				   const char *target)
{
	RangeVar *name;

	staging->policy = policy;
	staging->original = sdcpg_relation_find(policy->oid);
	staging->params =
		sdcpg_policy_params_read(policy->params, staging->original);
	if (target != NULL)
		name = makeRangeVarFromNameList(
			textToQualifiedNameList(cstring_to_text(target)));
	else if (staging->params.schema != NULL)
		name = makeRangeVar(staging->params.schema, staging->params.table, -1);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the policy does not say where relation \"%s\" is "
						"published",
						staging->original->name),
				 errhint("Write params => '{\"schema\": \"...\"}' in the "
						 "policy, or the argument \"target\" of "
						 "sdc.release.")));
	staging->schema = RangeVarGetAndCheckCreationNamespace(name, NoLock, NULL);
	if (isAnyTempNamespace(staging->schema))
		ereport(ERROR, (errcode(ERRCODE_INVALID_TABLE_DEFINITION),
						errmsg("a release cannot be a temporary table")));
	staging->table = pstrdup(name->relname);
	staging->target = quote_qualified_identifier(
		get_namespace_name(staging->schema), staging->table);
	check_existing(staging);
}

/* {"subject": {...}} */
static Jsonb *
single_rule(const SdcRule *rule)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_jsonb(&document, rule->subject, rule->params);
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* Calls sdc.mask as the caller. */
static void
call_mask(Oid rel, Jsonb *rules, const char *id, const char *target,
		  bool seeded, int64 seed)
{
	Oid types[5] = {REGCLASSOID, JSONBOID, NAMEOID, TEXTOID, INT8OID};
	Datum values[5];
	char nulls[5] = {' ', ' ', id == NULL ? 'n' : ' ', ' ',
					 seeded ? ' ' : 'n'};

	values[0] = ObjectIdGetDatum(rel);
	values[1] = JsonbPGetDatum(rules);
	values[2] =
		id == NULL ? 0 : DirectFunctionCall1(namein, CStringGetDatum(id));
	values[3] = CStringGetTextDatum(target);
	values[4] = Int64GetDatum(seed);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (SPI_execute_with_args(
			"SELECT pg_catalog.count(*) FROM sdc.mask(rel => $1, rules => $2,"
			" id => $3, target => $4, seed => $5)",
			5, types, values, nulls, false, 0) < 0)
		elog(ERROR, "could not mask a table");
	SPI_finish();
	staging_see();
}

/* Masks a table into a new one in the schema of the release. */
static SdcRelation *
mask_into(const SdcStaging *staging, const SdcRelation *from, Jsonb *rules,
		  const char *name, bool seeded, int64 seed)
{
	char *target =
		quote_qualified_identifier(get_namespace_name(staging->schema), name);
	const char *id =
		staging->params.id == NULL ? NULL : staging->params.id->name;

	call_mask(from->oid, rules, id, target, seeded, seed);
	return sdcpg_relation_find(get_relname_relid(name, staging->schema));
}

static void
choose_columns(SdcStaging *staging)
{
	staging->published =
		sdcpg_published_columns(staging->policy, &staging->params,
								staging->original, staging->release);
	if (staging->published == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("no column of relation \"%s\" would be published",
						staging->original->name)));
}

void
sdcpg_staging_mask(SdcStaging *staging, int64 release, int number, bool seeded,
				   int64 seed)
{
	char *name = psprintf("sdc_staging_" INT64_FORMAT "_%d", release, number);
	SdcRules rules =
		sdcpg_rules_read(staging->policy->rules, staging->original);
	const SdcRule *rule = sdcpg_published_rule_of_id(&staging->params, &rules,
													 staging->original);
	Jsonb *others = staging->policy->rules;

	sdcpg_evidence_need_function("mask");
	if (rule != NULL)
		others = DatumGetJsonbP(
			DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(others),
								CStringGetTextDatum(rule->subject)));
	staging->masked =
		mask_into(staging, staging->original, others, name, seeded, seed);
	staging->release = staging->masked;
	if (rule != NULL && (rule->method->traits & SDC_MASK_IDLE) == 0)
		staging->release =
			mask_into(staging, staging->masked, single_rule(rule),
					  psprintf("%s_id", name), seeded, seed);
	choose_columns(staging);
}

/* ----------------------------------------------------------------------
 * A masked table takes the place of the release before it.
 *
 * While the columns stay the same, the rows of the published table are
 * replaced: readers are not blocked, a reader whose snapshot is older than the
 * release goes on to see the old rows, and rights, indexes and views on the
 * table stay.  A new table would be empty for that reader, as its rows are
 * younger than his snapshot.  Only when columns differ does a new table take
 * the name of the old one, with its rights.
 *
 * Rows are written in random order: in the order of the original, the place
 * of a row would link it to the same row of every other release.
 * ----------------------------------------------------------------------
 */

/* Has a release of this policy been published under that name? */
static bool
was_published(const SdcStaging *staging, const char *policy)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind_text(&parameters, staging->target);
	return sdcpg_catalog_read_owned(
			   "release_history",
			   "SELECT 1 FROM sdc.release_history AS h"
			   " CROSS JOIN LATERAL pg_catalog.jsonb_array_elements("
			   "h.relations) AS r"
			   " WHERE h.policy OPERATOR(pg_catalog.=) $1"
			   " AND h.status OPERATOR(pg_catalog.=) 'published'"
			   " AND (r OPERATOR(pg_catalog.->>) 'target')"
			   " OPERATOR(pg_catalog.=) $2 LIMIT 1",
			   &parameters)
			   ->count > 0;
}

/*
 * What would make replacing rows run code of others, or touch other tables, or
 * miss rows; NULL when nothing does.
 */
static const char *
find_obstacle(Oid oid)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(oid), false);
	rows = sdcpg_catalog_read(
		"SELECT CASE"
		" WHEN EXISTS (SELECT FROM pg_catalog.pg_rewrite AS r"
		" WHERE r.ev_class OPERATOR(pg_catalog.=) $1)"
		" THEN 'It has rules.'"
		" WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger AS t"
		" WHERE t.tgrelid OPERATOR(pg_catalog.=) $1)"
		" THEN 'It has triggers or foreign keys.'"
		" WHEN EXISTS (SELECT FROM pg_catalog.pg_inherits AS i"
		" WHERE i.inhrelid OPERATOR(pg_catalog.=) $1"
		" OR i.inhparent OPERATOR(pg_catalog.=) $1)"
		" THEN 'It is part of an inheritance tree.'"
		" WHEN c.relforcerowsecurity"
		" THEN 'It has row-level security for its owner, too.' END"
		" FROM pg_catalog.pg_class AS c"
		" WHERE c.oid OPERATOR(pg_catalog.=) $1",
		&parameters);
	if (rows->count == 0 || rows->isnull[0][0])
		return NULL;
	return TextDatumGetCString(rows->value[0][0]);
}

void
sdcpg_publish_check(const SdcStaging *staging, const char *policy)
{
	Oid existing = get_relname_relid(staging->table, staging->schema);
	const char *obstacle;

	if (!OidIsValid(existing))
		return;
	if (!was_published(staging, policy))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists", staging->table),
				 errdetail("It is not a release of policy \"%s\".", policy),
				 errhint("Drop it, or publish under another name.")));
	obstacle = find_obstacle(existing);
	if (obstacle != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot be replaced by a release",
						staging->table),
				 errdetail_internal("%s", obstacle)));
}

/* Are the columns of a table those that are published, in their order? */
static bool
has_columns(const SdcRelation *table, const SdcStaging *staging)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(table);
	ListCell *cell;
	int i = 0;

	if (columns.count != list_length(staging->published))
		return false;
	foreach (cell, staging->published)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(staging->release, lfirst(cell));
		const SdcRelationColumn *present = &columns.column[i++];

		if (strcmp(column.name, present->name) != 0 ||
			strcmp(sdcpg_roles_type(staging->release, &column),
				   sdcpg_roles_type(table, present)) != 0)
			return false;
	}
	return true;
}

/* The published columns: a, b, c. */
static char *
column_list(const SdcStaging *staging)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, staging->published)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 quote_identifier(lfirst(cell)));
	return list.data;
}

/* "SELECT ... ORDER BY random" of the staging table. */
static char *
published_rows(const SdcStaging *staging)
{
	return psprintf("SELECT %s FROM %s ORDER BY pg_catalog.gen_random_uuid()",
					column_list(staging), staging->release->sql);
}

static void
replace_rows(SdcStaging *staging)
{
	(void) staging_run(psprintf("DELETE FROM %s", staging->target));
	staging->rows =
		staging_run(psprintf("INSERT INTO %s (%s) %s", staging->target,
							 column_list(staging), published_rows(staging)));
}

/* The statements that give a table the rights on another one. */
static SdcCatalogRows *
grants_of(Oid table)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	return sdcpg_catalog_read(
		"SELECT pg_catalog.concat('GRANT ', a.privilege_type, ' ON %s TO ',"
		" CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid"
		" THEN 'PUBLIC' ELSE pg_catalog.quote_ident("
		"pg_catalog.pg_get_userbyid(a.grantee)::pg_catalog.text) END)"
		" FROM pg_catalog.pg_class AS c"
		" CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a"
		" WHERE c.oid OPERATOR(pg_catalog.=) $1"
		" AND a.grantee OPERATOR(pg_catalog.<>) c.relowner"
		" AND a.privilege_type OPERATOR(pg_catalog.=) 'SELECT'",
		&parameters);
}

/* Makes a new table, and gives it who may read the old one. */
static void
replace_table(SdcStaging *staging, Oid existing)
{
	SdcCatalogRows *grants = NULL;
	int i;

	if (OidIsValid(existing))
	{
		grants = grants_of(existing);
		(void) staging_run(psprintf("DROP TABLE %s", staging->target));
	}
	staging->rows = staging_run(psprintf(
		"CREATE TABLE %s AS %s", staging->target, published_rows(staging)));
	for (i = 0; grants != NULL && i < grants->count; i++)
	{
		char *grant = TextDatumGetCString(grants->value[i][0]);
		char *place = strstr(grant, "%s");

		(void) staging_run(psprintf("%.*s%s%s", (int) (place - grant), grant,
									staging->target, place + 2));
	}
}

/* How many rows a table has. */
static int64
count_rows(const SdcRelation *table)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.count(*) FROM %s", table->sql), NULL);

	return DatumGetInt64(rows->value[0][0]);
}

void
sdcpg_publish(SdcStaging *staging)
{
	Oid existing = get_relname_relid(staging->table, staging->schema);
	int64 rows = count_rows(staging->masked);

	if (OidIsValid(existing) &&
		has_columns(sdcpg_relation_find(existing), staging))
		replace_rows(staging);
	else
		replace_table(staging, existing);
	existing = get_relname_relid(staging->table, staging->schema);
	if (staging->rows != rows ||
		count_rows(sdcpg_relation_find(existing)) != rows)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the published table \"%s\" has not the rows "
							   "that were masked",
							   staging->table)));
	publish_drop(staging);
}

/* Drops the staging tables without publishing anything. */
static void
publish_drop(SdcStaging *staging)
{
	(void) staging_run(psprintf("DROP TABLE %s", staging->masked->sql));
	if (staging->release != staging->masked)
		(void) staging_run(psprintf("DROP TABLE %s", staging->release->sql));
}
