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

#include "access/heapam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/pg_list.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/sinval.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "host/server/host.h"
#include "release/document.h"
#include "release/gate.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

/* What follows the name of a staging table when its id is masked, too. */
#define ID_SUFFIX "_id"

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

uint64
sdcpg_staging_run(const char *sql)
{
	uint64 rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(sql, NULL, false);
	rows = SPI_processed;
	SPI_finish();
	staging_see();
	return rows;
}

/*
 * Stops when a name has more bytes than PostgreSQL keeps: it would be cut, and
 * mean another table.
 */
static void
check_name_length(const char *name)
{
	int bytes = 0;
	bool quoted = false;

	for (; *name != '\0'; name++)
	{
		if (*name == '"')
			quoted = !quoted;
		if (*name == '.' && !quoted)
			bytes = 0;
		else if (*name != '"' && ++bytes >= NAMEDATALEN)
			ereport(
				ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("the name of the published table is too long"),
				 errdetail("A name has at most %d bytes.", NAMEDATALEN - 1)));
	}
}

/* A name as it stands between the quotes of a string of JSON. */
static char *
json_name(const char *name)
{
	StringInfoData quoted;

	initStringInfo(&quoted);
	escape_json(&quoted, name);
	return pnstrdup(quoted.data + 1, quoted.len - 2);
}

char *
sdcpg_staging_name(const SdcStaging *staging, char *text, bool json)
{
	const char *name;
	StringInfoData named;
	char *found;

	if (text == NULL || staging->name == NULL ||
		strstr(text, staging->name) == NULL)
		return text;
	name = json ? json_name(staging->table) : staging->table;
	initStringInfo(&named);
	while ((found = strstr(text, staging->name)) != NULL)
	{
		appendBinaryStringInfo(&named, text, found - text);
		appendStringInfoString(&named, name);
		text = found + strlen(staging->name);
		if (strncmp(text, ID_SUFFIX, strlen(ID_SUFFIX)) == 0)
			text += strlen(ID_SUFFIX);
	}
	appendStringInfoString(&named, text);
	return named.data;
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
	if (sdcpg_relation_owner(existing) != GetUserId())
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be owner of table %s", staging->table),
			 errdetail("A release replaces only a table of the owner of "
					   "the policy, and not one of a role that this one is a "
					   "member of."),
			 errhint("Drop the table, or publish under another name.")));
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
	check_name_length(target != NULL ? target : staging->params.table);
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

void
sdcpg_staging_call_mask(Oid rel, Jsonb *rules, const char *id,
						const char *target, bool seeded, int64 seed)
{
	SdcCatalogParameters bound = {0};

	sdcpg_catalog_bind(&bound, REGCLASSOID, ObjectIdGetDatum(rel), false);
	sdcpg_catalog_bind(&bound, JSONBOID, JsonbPGetDatum(rules), false);
	sdcpg_catalog_bind(
		&bound, NAMEOID,
		id == NULL ? 0 : DirectFunctionCall1(namein, CStringGetDatum(id)),
		id == NULL);
	sdcpg_catalog_bind_text(&bound, target);
	sdcpg_catalog_bind(&bound, INT8OID, Int64GetDatum(seed), !seeded);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(
		"SELECT pg_catalog.count(*) FROM sdc.mask(relation => $1,"
		" rules => $2, id => $3, target => $4, seed => $5)",
		&bound, false);
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

	sdcpg_staging_call_mask(from->oid, rules, id, target, seeded, seed);
	return sdcpg_relation_find(get_relname_relid(name, staging->schema));
}

/* The params of sdc.protect_table; asked for, with the last release. */
static Jsonb *
protect_params(const SdcStaging *staging, const char *policy)
{
	Jsonb *protect = staging->params.protect;
	Jsonb *params = sdcpg_params_object(protect, "params");
	SdcPublished published;
	StringInfoData document;
	Jsonb *earlier;
	char *name;

	if (!sdcpg_params_boolean(protect, "earlier", false) ||
		!sdcpg_history_published(policy, staging->target, &published) ||
		!OidIsValid(published.table))
		return params;
	name = get_rel_name(published.table);
	if (name == NULL)
		return params;
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(
		&document, "earlier",
		quote_qualified_identifier(
			get_namespace_name(get_rel_namespace(published.table)), name));
	sdcpg_document_close(&document, '{');
	earlier = sdcpg_document_end(&document);
	return params == NULL
			   ? earlier
			   : DatumGetJsonbP(DirectFunctionCall2(jsonb_concat,
													JsonbPGetDatum(params),
													JsonbPGetDatum(earlier)));
}

/* Calls sdc.protect_table as the caller. */
static SdcRelation *
protect_into(SdcStaging *staging, const char *policy)
{
	Jsonb *protect = staging->params.protect;
	Jsonb *rules = sdcpg_params_object(protect, "rules");
	Jsonb *params = protect_params(staging, policy);
	char *value = sdcpg_params_text(protect, "value");
	Oid types[6] = {REGCLASSOID,  TEXTOID, JSONBOID,
					NAMEARRAYOID, NAMEOID, JSONBOID};
	char nulls[6] = {' ',
					 ' ',
					 ' ',
					 ' ',
					 value == NULL ? 'n' : ' ',
					 params == NULL ? 'n' : ' '};
	Datum values[6];
	bool isnull;

	values[0] = ObjectIdGetDatum(staging->original->oid);
	values[1] = CStringGetTextDatum(quote_qualified_identifier(
		get_namespace_name(staging->schema), staging->name));
	values[2] = rules == NULL
					? DirectFunctionCall1(
						  jsonb_in, CStringGetDatum("{\"threshold\": 3}"))
					: JsonbPGetDatum(rules);
	values[3] = PointerGetDatum(sdcpg_policy_table_keys(protect));
	values[4] = value == NULL
					? 0
					: DirectFunctionCall1(namein, CStringGetDatum(value));
	values[5] = JsonbPGetDatum(params);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (SPI_execute_with_args(
			"SELECT COALESCE(pg_catalog.max(value) FILTER (WHERE measure"
			" OPERATOR(pg_catalog.=) 'largest'), 0) FROM sdc.protect_table("
			"relation => $1, target => $2, rules => $3, keys => $4,"
			" value => $5, params => $6)",
			6, types, values, nulls, false, 0) < 0)
		elog(ERROR, "could not protect a table");
	staging->moved = DatumGetFloat8(SPI_getbinval(
		SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	staging_see();
	return sdcpg_relation_find(
		get_relname_relid(staging->name, staging->schema));
}

/* A table of cells: all of its columns are published. */
static void
stage_cells(SdcStaging *staging, const char *policy)
{
	SdcRelationColumns columns;
	int i;

	sdcpg_evidence_need_function("protect_table");
	staging->name = sdcpg_catalog_hidden_name("sdc_staging_");
	staging->masked = staging->release = protect_into(staging, policy);
	columns = sdcpg_relation_all_columns(staging->release);
	staging->published = NIL;
	for (i = 0; i < columns.count; i++)
		staging->published =
			lappend(staging->published, columns.column[i].name);
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
sdcpg_staging_refuse_spread(const SdcRelation *original, const SdcRules *rules)
{
	char *column;
	int i;

	if (sdcpg_home_of(original->oid, &column) != SDC_HOME_SPREAD)
		return;
	for (i = 0; i < rules->count; i++)
		if (sdcpg_versions_draws(&rules->rule[i]))
			sdcpg_mask_refuse_spread(original, &rules->rule[i],
									 "What a release draws is kept for the "
									 "next one, on this server.");
}

void
sdcpg_staging_mask(SdcStaging *staging, const char *policy, int64 release,
				   bool seeded, int64 seed)
{
	SdcRules rules =
		sdcpg_rules_read(staging->policy->rules, staging->original);
	const SdcRule *rule = sdcpg_published_rule_of_id(&staging->params, &rules,
													 staging->original);
	Jsonb *others = staging->policy->rules;

	if (staging->params.protect != NULL)
	{
		stage_cells(staging, policy);
		return;
	}
	sdcpg_evidence_need_function("mask");
	sdcpg_staging_refuse_spread(staging->original, &rules);
	staging->name = sdcpg_catalog_hidden_name("sdc_staging_");
	if (rule != NULL)
		others = DatumGetJsonbP(
			DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(others),
								CStringGetTextDatum(rule->subject)));
	others = sdcpg_published_rules(staging->original, others, &rules);
	sdcpg_versions_mask(staging, policy, release, others, seeded, seed);
	staging->release = staging->masked;
	if (rule != NULL && (rule->method->traits & SDC_MASK_IDLE) == 0)
	{
		staging->release =
			mask_into(staging, staging->masked, single_rule(rule),
					  psprintf("%s" ID_SUFFIX, staging->name), seeded, seed);
		staging->shuffled = true;
	}
	choose_columns(staging);
}

/* ----------------------------------------------------------------------
 * A masked table takes the place of the release before it.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
cannot_replace(const SdcStaging *staging, const char *why)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("relation \"%s\" cannot be replaced by a release",
						   staging->table),
					errdetail_internal("%s", why),
					errhint("Drop it, or publish under another name.")));
}

/*
 * A superuser's release must not fire an event trigger whose function another
 * role can replace.
 */
static void
check_event_triggers(void)
{
	SdcCatalogRows *rows;

	if (!superuser())
		return;
	rows = sdcpg_catalog_read(
		"SELECT e.evtname::pg_catalog.text FROM pg_catalog.pg_event_trigger"
		" AS e JOIN pg_catalog.pg_proc AS p"
		" ON p.oid OPERATOR(pg_catalog.=) e.evtfoid"
		" JOIN pg_catalog.pg_roles AS o"
		" ON o.oid OPERATOR(pg_catalog.=) p.proowner"
		" WHERE NOT o.rolsuper AND e.evtenabled OPERATOR(pg_catalog.<>) 'D'"
		" LIMIT 1",
		NULL);
	if (rows->count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("event trigger \"%s\" calls a function of a role that "
						"is not a superuser",
						TextDatumGetCString(rows->value[0][0])),
				 errdetail("It would run with the rights of a superuser."),
				 errhint("Let the owner of the policy be another role.")));
}

void
sdcpg_publish_check(const SdcStaging *staging, const char *policy)
{
	Oid existing = get_relname_relid(staging->table, staging->schema);
	SdcPublished published;
	char *obstacle;

	check_event_triggers();
	if (!OidIsValid(existing))
		return;
	if (!sdcpg_history_published(policy, staging->target, &published))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists", staging->table),
				 errdetail("It is not a release of policy \"%s\".", policy),
				 errhint("Drop it, or publish under another name.")));
	check_existing(staging);
	obstacle = sdcpg_seal_obstacle(existing);
	if (obstacle != NULL)
		cannot_replace(staging, obstacle);
	/* a release of before 0.2.0 says no more than the name */
	if (published.definition == NULL)
		return;
	if (published.table != existing)
		cannot_replace(
			staging, psprintf("It is not the table that release " INT64_FORMAT
							  " published.",
							  published.release));
	if (strcmp(published.definition, sdcpg_seal_definition(existing)) != 0)
		cannot_replace(staging, psprintf("Its columns were changed since "
										 "release " INT64_FORMAT ".",
										 published.release));
}

/*
 * Keeps the schema of the published table from being renamed or dropped: a
 * name that was looked up must mean the same in the statements that follow.
 */
static void
lock_schema(const SdcStaging *staging)
{
	Relation catalog = table_open(NamespaceRelationId, RowShareLock);
	HeapTuple found =
		SearchSysCacheCopy1(NAMESPACEOID, ObjectIdGetDatum(staging->schema));
	HeapTupleData tuple;
	TM_FailureData failure;
	Buffer buffer;

	LockDatabaseObject(NamespaceRelationId, staging->schema, 0,
					   AccessShareLock);
	if (!HeapTupleIsValid(found))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_SCHEMA),
						errmsg("the schema of a published table was dropped "
							   "meanwhile")));
	tuple = *found;
	if (heap_lock_tuple(catalog, &tuple, GetCurrentCommandId(true),
						LockTupleKeyShare, LockWaitBlock, false, &buffer,
						&failure) != TM_Ok)
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("the schema of a published table was changed "
							   "meanwhile")));
	ReleaseBuffer(buffer);
	table_close(catalog, NoLock);
	AcceptInvalidationMessages();
	if (get_namespace_oid(
			NameStr(((Form_pg_namespace) GETSTRUCT(found))->nspname), true) !=
		staging->schema)
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("the schema of a published table was renamed "
							   "meanwhile")));
}

/* Locks what is replaced, and looks at it once more. */
static Oid
lock_existing(const SdcStaging *staging, const char *policy)
{
	Oid existing;

	lock_schema(staging);
	existing = get_relname_relid(staging->table, staging->schema);
	if (OidIsValid(existing))
		LockRelationOid(existing, ShareRowExclusiveLock);
	sdcpg_publish_check(staging, policy);
	if (OidIsValid(existing) &&
		existing != get_relname_relid(staging->table, staging->schema))
		cannot_replace(staging, "It was replaced meanwhile.");
	return existing;
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

/*
 * The rows of the staging table, in an order that tells nothing, equal keys
 * alike.
 */
static char *
published_rows(const SdcStaging *staging)
{
	char *select = psprintf("SELECT %s FROM %s", column_list(staging),
							staging->release->sql);
	List *keys = sdcpg_target_keys(&staging->params.keys);
	char *column;

	if (sdcpg_home_of(staging->release->oid, &column) == SDC_HOME_SPREAD)
		return sdcpg_target_shape_sorted(select, NULL, keys);
	return sdcpg_target_shape(select, NULL, keys, staging->shuffled);
}

/*
 * The published column that says in which shard a row is, or NULL where none
 * can: that of the staging table, or else the one of the most values among
 * those without NULL.
 */
static char *
shard_column(const SdcStaging *staging, const char *staged)
{
	StringInfoData sql;
	SdcCatalogRows *values;
	int64 most = 0;
	char *best = NULL;
	int i;

	if (staged != NULL && sdcpg_params_is_listed(staging->published, staged))
		return pstrdup(staged);
	initStringInfo(&sql);
	for (i = 0; i < list_length(staging->published); i++)
	{
		const char *name = quote_identifier(list_nth(staging->published, i));

		appendStringInfo(&sql,
						 "%s CASE WHEN pg_catalog.count(*) "
						 "OPERATOR(pg_catalog.=) pg_catalog.count(r.%s) THEN "
						 "pg_catalog.count(DISTINCT "
						 "pg_catalog.concat(r.%s)) ELSE 0 END",
						 i == 0 ? "SELECT" : ",", name, name);
	}
	values = sdcpg_catalog_read(
		psprintf("%s FROM %s AS r", sql.data, staging->release->sql), NULL);
	for (i = 0; i < list_length(staging->published); i++)
		if (DatumGetInt64(values->value[0][i]) > most)
		{
			most = DatumGetInt64(values->value[0][i]);
			best = list_nth(staging->published, i);
		}
	return best;
}

/* Distributes an empty table as the staging table is. */
static void
distribute(const SdcStaging *staging, const char *staged)
{
	char *column = shard_column(staging, staged);

	if (column == NULL)
		return;
	(void) sdcpg_staging_run(psprintf(
		"SELECT pg_catalog.create_distributed_table(%s, %s%s%s)",
		quote_literal_cstr(staging->target), quote_literal_cstr(column),
		staged != NULL && strcmp(column, staged) == 0 ? ", colocate_with => "
													  : "",
		staged != NULL && strcmp(column, staged) == 0
			? quote_literal_cstr(staging->release->sql)
			: ""));
}

static void
replace_rows(SdcStaging *staging)
{
	(void) sdcpg_staging_run(psprintf("DELETE FROM %s", staging->target));
	staging->rows = sdcpg_staging_run(
		psprintf("INSERT INTO %s (%s) %s", staging->target,
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
	char *rows = published_rows(staging);
	char *staged;
	int i;

	if (OidIsValid(existing))
	{
		grants = grants_of(existing);
		(void) sdcpg_staging_run(psprintf("DROP TABLE %s", staging->target));
	}
	if (sdcpg_home_of(staging->release->oid, &staged) == SDC_HOME_SPREAD)
	{
		(void) sdcpg_staging_run(psprintf("CREATE TABLE %s AS %s WITH NO DATA",
										  staging->target, rows));
		distribute(staging, staged);
		staging->rows = sdcpg_staging_run(
			psprintf("INSERT INTO %s %s", staging->target, rows));
	}
	else
		staging->rows = sdcpg_staging_run(
			psprintf("CREATE TABLE %s AS %s", staging->target, rows));
	for (i = 0; grants != NULL && i < grants->count; i++)
	{
		char *grant = TextDatumGetCString(grants->value[i][0]);
		char *place = strstr(grant, "%s");

		(void) sdcpg_staging_run(psprintf("%.*s%s%s", (int) (place - grant),
										  grant, staging->target, place + 2));
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

/* The published table says of NULL what the masked one said. */
static void
publish_nulls(const SdcStaging *staging, Oid published)
{
	SdcNulls meaning;

	if (sdcpg_nulls_declared(staging->release->oid, &meaning))
		sdcpg_nulls_declare(published, meaning);
	else
		sdcpg_nulls_forget(published);
}

/* What the history keeps of the published table. */
static void
seal(SdcStaging *staging, const SdcRelation *table, const char *policy,
	 int64 release, int place)
{
	staging->seal.oid = table->oid;
	staging->seal.owner =
		GetUserNameFromId(sdcpg_relation_owner(table->oid), false);
	staging->seal.definition = sdcpg_seal_definition(table->oid);
	staging->seal.rows = sdcpg_seal_rows(table, policy, release, place);
}

void
sdcpg_publish(SdcStaging *staging, const char *policy, int64 release,
			  int place)
{
	Oid existing = lock_existing(staging, policy);
	int64 rows = count_rows(staging->masked);
	SdcRelation *table;

	if (OidIsValid(existing) &&
		has_columns(sdcpg_relation_find(existing), staging))
		replace_rows(staging);
	else
		replace_table(staging, existing);
	table = sdcpg_relation_find(
		get_relname_relid(staging->table, staging->schema));
	publish_nulls(staging, table->oid);
	if (staging->rows != rows || count_rows(table) != rows)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the published table \"%s\" has not the rows "
							   "that were masked",
							   staging->table)));
	seal(staging, table, policy, release, place);
	publish_drop(staging);
}

/* Drops the staging tables without publishing anything. */
static void
publish_drop(SdcStaging *staging)
{
	sdcpg_versions_drop(staging);
	(void) sdcpg_staging_run(psprintf("DROP TABLE %s", staging->masked->sql));
	if (staging->release != staging->masked)
		(void) sdcpg_staging_run(
			psprintf("DROP TABLE %s", staging->release->sql));
}
