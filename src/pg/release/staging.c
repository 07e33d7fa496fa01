/*
 * staging.c
 *		The masked form of a table before it is published.
 *
 * While attacks are run, the id must be that of the original: it says which
 * links are right.  If the policy masks the id, too, that is done in a second
 * step, on the masked table.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/varlena.h"

#include "pg/call/catalog.h"
#include "pg/mask/rules.h"
#include "pg/release/document.h"
#include "pg/release/evidence.h"
#include "pg/release/published.h"
#include "pg/release/staging.h"
#include "pg/server/compat.h"

void
sdcpg_staging_see(void)
{
	CommandCounterIncrement();
	PopActiveSnapshot();
	PushActiveSnapshot(GetTransactionSnapshot());
}

uint64
sdcpg_staging_run(const char *sql)
{
	uint64 rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (SPI_execute(sql, false, 0) < 0)
		elog(ERROR, "could not run a statement of a release");
	rows = SPI_processed;
	SPI_finish();
	sdcpg_staging_see();
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
	sdcpg_staging_see();
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
	if (rule != NULL && rule->method->kind != SDC_MASK_KEEP)
		staging->release =
			mask_into(staging, staging->masked, single_rule(rule),
					  psprintf("%s_id", name), seeded, seed);
	choose_columns(staging);
}
