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
#include "access/xlog.h"
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
#include "host/data/dictionary.h"
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
		if (strncmp(text, SDC_LASTING_SUFFIX, strlen(SDC_LASTING_SUFFIX)) == 0)
			text += strlen(SDC_LASTING_SUFFIX);
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

/* ----------------------------------------------------------------------
 * What a masked table tells while it is written.
 *
 * Its rows go by once: those that may become the published table as they are
 * go into the digest then, and cells of its keys and sensitive columns are
 * counted for the report of its risk, as long as these are few.
 * ----------------------------------------------------------------------
 */

/* Bytes of cells at the most, and the same as a part of sdc.memory_limit. */
#define CELL_BYTES ((Size) 8 * 1024 * 1024)
#define CELL_PART  16

struct SdcWritten
{
	SdcMaskWatch watch;
	SdcSealSum *sum; /* NULL: no digest */
	SdcRows digested;
	List *counted; /* char *: columns; NIL: none */
	SdcPgHost *host;
	SdcFrequencyTally *tally; /* NULL: not counted */
};

/* Begins to count, if the rows have the columns. */
static void
start_tally(struct SdcWritten *written, TupleDesc descriptor)
{
	int *place = palloc(sizeof(int) * (list_length(written->counted) + 1));
	int columns = 0;
	ListCell *cell;

	foreach (cell, written->counted)
	{
		place[columns] = SPI_fnumber(descriptor, lfirst(cell)) - 1;
		if (place[columns++] < 0)
			return;
	}
	if (columns > 0)
		written->tally =
			sdcpg_frequency_tally(written->host, descriptor, columns, place);
}

static void
start_written(void *arg, TupleDesc descriptor)
{
	struct SdcWritten *written = arg;

	if (written->sum != NULL)
		written->digested.start(written->sum, descriptor);
	start_tally(written, descriptor);
}

static void
take_written(void *arg, TupleDesc descriptor, const Datum *values,
			 const bool *isnull)
{
	struct SdcWritten *written = arg;
	Size most = (Size) sdcpg_memory_limit * 1024 / CELL_PART;

	if (written->sum != NULL)
		written->digested.row(written->sum, descriptor, values, isnull);
	if (written->tally == NULL)
		return;
	sdcpg_frequency_tally_row(written->tally, values, isnull);
	if (written->host->used <= Min(most, CELL_BYTES))
		return;
	sdcpg_host_end(written->host);
	written->tally = NULL;
}

/* Who watches a table being written: counts columns, and digests. */
static struct SdcWritten *
watch_written(const SdcStaging *staging, const char *policy, int64 release,
			  List *counted, bool digested)
{
	struct SdcWritten *written = palloc0(sizeof(struct SdcWritten));

	written->watch.rows = (SdcRows){start_written, take_written, written};
	written->counted = counted;
	written->host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	if (digested)
		written->sum = sdcpg_seal_sum(policy, release, staging->place, false,
									  &written->digested);
	return written;
}

/* The names of keys and sensitive columns, in the order of a report. */
static List *
reported_columns(const SdcPolicyParams *params)
{
	List *names = NIL;
	int i;

	for (i = 0; i < params->keys.count; i++)
		names = lappend(names, params->keys.column[i].name);
	for (i = 0; names != NIL && i < params->sensitive.count; i++)
		names = lappend(names, params->sensitive.column[i].name);
	return names;
}

const SdcFrequencyTally *
sdcpg_staging_tally(const SdcStaging *staging)
{
	const struct SdcWritten *written = staging->masked_written;

	return written == NULL || written->watch.table != staging->masked->oid
			   ? NULL
			   : written->tally;
}

/* Runs a statement, whose copy is watched. */
static void
run_watched(const char *sql, const SdcCatalogParameters *bound,
			SdcMaskWatch *watch)
{
	sdcpg_mask_watch = watch;
	PG_TRY();
	{
		sdcpg_catalog_run(sql, bound, false);
	}
	PG_FINALLY();
	{
		sdcpg_mask_watch = NULL;
	}
	PG_END_TRY();
}

void
sdcpg_staging_call_mask(Oid rel, Jsonb *rules, const char *id,
						const char *target, bool seeded, int64 seed,
						struct SdcWritten *written)
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
	run_watched("SELECT pg_catalog.count(*) FROM sdc.mask(relation => $1,"
				" rules => $2, id => $3, target => $4, seed => $5)",
				&bound, written == NULL ? NULL : &written->watch);
	SPI_finish();
	staging_see();
	if (written != NULL && written->tally != NULL)
		sdcpg_frequency_tally_end(written->tally,
								  sdcpg_relation_named(target));
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

	sdcpg_staging_call_mask(from->oid, rules, id, target, seeded, seed,
							staging->release_written);
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

/* Is any event trigger on, which may look for CREATE TABLE AS? */
static bool
has_event_triggers(void)
{
	return sdcpg_catalog_read("SELECT FROM pg_catalog.pg_event_trigger AS e"
							  " WHERE e.evtenabled OPERATOR(pg_catalog.<>) 'D'"
							  " LIMIT 1",
							  NULL)
			   ->count > 0;
}

/* Are all columns of a table published, and is none shown in another form? */
static bool
is_published_whole(const SdcStaging *staging, const SdcRelation *table)
{
	const SdcRelationColumns *keys = &staging->params.keys;
	int i;

	for (i = 0; i < keys->count; i++)
	{
		AttrNumber number = get_attnum(table->oid, keys->column[i].name);

		if (number > 0 && sdcpg_column_has_forms(table->oid, number))
			return false;
	}
	return list_length(sdcpg_published_columns(
			   staging->policy, &staging->params, staging->original, table)) ==
		   sdcpg_relation_all_columns(table).count;
}

/*
 * Can what sdc.mask writes become the published table by another name?  It is
 * a table as any other then, whose log tells what is published and no more;
 * who decodes the log would be sent rows of a table that he does not know.
 */
static bool
may_last(const SdcStaging *staging)
{
	char *column;

	return !OidIsValid(get_relname_relid(staging->table, staging->schema)) &&
		   !XLogLogicalInfoActive() && !has_event_triggers() &&
		   sdcpg_home_of(staging->original->oid, &column) != SDC_HOME_SPREAD &&
		   is_published_whole(staging, staging->original);
}

/* Is a column generated, or one that is not dropped generated from it? */
static bool
is_of_generated(const SdcRelation *original, const SdcPolicyParams *params,
				const SdcRelationColumn *column)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(original);
	SdcRelationColumns one = {1, unconstify(SdcRelationColumn *, column)};
	int i;

	for (i = 0; i < all.count; i++)
		if (!sdcpg_relation_lists(&params->drop, all.column[i].number) &&
			sdcpg_generated_from(original, &all.column[i], &one) != NULL)
			return true;
	return sdcpg_generated_from(original, column, &all) != NULL;
}

/* Is a key dropped that rules mask by itself, or not at all? */
static bool
is_dropped(const SdcRelation *original, const SdcPolicyParams *params,
		   const SdcRelationColumn *key, const SdcRule *rule)
{
	return sdcpg_relation_lists(&params->drop, key->number) &&
		   (params->id == NULL || params->id->number != key->number) &&
		   (rule == NULL || rule->columns.count == 1) &&
		   !is_of_generated(original, params, key);
}

/*
 * The document of a policy as the gate takes it: a key that is dropped, masked
 * with no other column and in no generated one, is NULL.  So it is compared
 * with nothing, and what is published beside it may still be told by it.
 */
static Jsonb *
withhold_dropped(const SdcRelation *original, const SdcPolicyParams *params,
				 Jsonb *document)
{
	SdcRules rules = sdcpg_rules_read(document, original);
	List *dropped = NIL;
	int i;

	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].method->traits & SDC_MASK_REPLACES)
			return document;
	for (i = 0; i < params->keys.count; i++)
	{
		const SdcRelationColumn *key = &params->keys.column[i];
		const SdcRule *rule = sdcpg_rules_of(&rules, key->number);

		if (is_dropped(original, params, key, rule))
			dropped =
				lappend(dropped, rule == NULL ? key->name : rule->subject);
	}
	return sdcpg_published_null(document, dropped);
}

void
sdcpg_staging_mask(SdcStaging *staging, const char *policy, int64 release,
				   bool seeded, int64 seed)
{
	SdcRules rules =
		sdcpg_rules_read(staging->policy->rules, staging->original);
	const SdcRule *rule = sdcpg_published_rule_of_id(&staging->params, &rules,
													 staging->original);
	Jsonb *others;
	bool again = rule != NULL && (rule->method->traits & SDC_MASK_IDLE) == 0;
	bool lasts;

	if (staging->params.protect != NULL)
	{
		stage_cells(staging, policy);
		return;
	}
	lasts = may_last(staging);
	staging->rules = others = withhold_dropped(
		staging->original, &staging->params, staging->policy->rules);
	sdcpg_evidence_need_function("mask");
	sdcpg_staging_refuse_spread(staging->original, &rules);
	staging->name = sdcpg_catalog_hidden_name("sdc_staging_");
	if (rule != NULL)
		others = DatumGetJsonbP(
			DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(others),
								CStringGetTextDatum(rule->subject)));
	others = sdcpg_published_rules(staging->original, others, &rules);
	staging->whole = quote_qualified_identifier(
		get_namespace_name(staging->schema),
		psprintf("%s%s", staging->name,
				 lasts && !again ? SDC_LASTING_SUFFIX : ""));
	staging->masked_written =
		watch_written(staging, policy, release,
					  reported_columns(&staging->params), lasts && !again);
	sdcpg_versions_mask(staging, policy, release, others, seeded, seed);
	staging->release = staging->masked;
	staging->release_written = staging->masked_written;
	if (again)
	{
		staging->release_written =
			watch_written(staging, policy, release, NIL, lasts);
		staging->release =
			mask_into(staging, staging->masked, single_rule(rule),
					  psprintf("%s" ID_SUFFIX "%s", staging->name,
							   lasts ? SDC_LASTING_SUFFIX : ""),
					  seeded, seed);
		staging->shuffled = true;
	}
	choose_columns(staging);
}

/* ----------------------------------------------------------------------
 * Rows that refer to one that is not published.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_versions_leaves_out(const struct SdcVersions *versions)
{
	int p;

	if (versions == NULL)
		return false;
	if (versions->staging->held > 0)
		return true;
	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			return true;
	return versions->parts > 0 && versions->tally.waiting > 0;
}

/* The foreign keys from one table to another: q.a = o.b, o.b IS NOT NULL. */
static SdcCatalogRows *
read_keys(const SdcRelation *from, const SdcRelation *to)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(from->oid),
					   false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(to->oid), false);
	return sdcpg_catalog_read(
		"SELECT pg_catalog.string_agg(pg_catalog.format('q.%I = o.%I',"
		" b.attname, a.attname), ' AND '), pg_catalog.string_agg("
		"pg_catalog.format('o.%I IS NOT NULL', a.attname), ' AND ')"
		" FROM pg_catalog.pg_constraint AS k,"
		" ROWS FROM (pg_catalog.unnest(k.conkey),"
		" pg_catalog.unnest(k.confkey)) AS u (x, y)"
		" JOIN pg_catalog.pg_attribute AS a ON a.attrelid"
		" OPERATOR(pg_catalog.=) $1 AND a.attnum OPERATOR(pg_catalog.=) u.x"
		" JOIN pg_catalog.pg_attribute AS b ON b.attrelid"
		" OPERATOR(pg_catalog.=) $2 AND b.attnum OPERATOR(pg_catalog.=) u.y"
		" WHERE k.contype OPERATOR(pg_catalog.=) 'f'"
		" AND k.conrelid OPERATOR(pg_catalog.=) $1"
		" AND k.confrelid OPERATOR(pg_catalog.=) $2 GROUP BY k.oid",
		&parameters);
}

bool
sdcpg_versions_refers(const SdcStaging *child, const SdcStaging *parent)
{
	return read_keys(child->original, parent->original)->count > 0;
}

/* Appends a query for the ids of rows that refer to one left out. */
static void
append_held(StringInfo sql, const SdcStaging *child, const SdcStaging *parent)
{
	SdcCatalogRows *keys = read_keys(child->original, parent->original);
	int64 k;

	for (k = 0; k < keys->count; k++)
		appendStringInfo(
			sql,
			"%sSELECT o.%s FROM %s AS o WHERE %s AND NOT EXISTS (SELECT"
			" FROM %s AS p JOIN %s AS q ON q.%s = p.%s WHERE %s)",
			sql->len > 0 ? " UNION " : "", child->params.id->sql,
			child->original->sql, TextDatumGetCString(keys->value[k][1]),
			parent->masked->sql, parent->original->sql, parent->params.id->sql,
			parent->params.id->sql, TextDatumGetCString(keys->value[k][0]));
}

/* The rows of the staging table without those that are held, as a new table:
 * deleted rows would still be in the file of the old one. */
static void
leave_held_out(SdcStaging *staging, const char *held)
{
	Oid old = staging->masked->oid;
	const char *schema = get_namespace_name(staging->schema);
	char *without = psprintf("%.50s_kept", staging->name);
	SdcNulls meaning;
	bool declared = sdcpg_nulls_declared(old, &meaning);

	(void) sdcpg_staging_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT m.* FROM %s AS m WHERE NOT EXISTS"
		" (SELECT FROM %s AS h WHERE h.%s = m.%s)",
		quote_qualified_identifier(schema, without), staging->masked->sql,
		held, staging->params.id->sql, staging->params.id->sql));
	(void) sdcpg_staging_run(psprintf("DROP TABLE %s", staging->masked->sql));
	(void) sdcpg_staging_run(
		psprintf("ALTER TABLE %s RENAME TO %s",
				 quote_qualified_identifier(schema, without),
				 quote_identifier(staging->name)));
	staging->masked =
		sdcpg_relation_find(get_relname_relid(staging->name, staging->schema));
	staging->shuffled = false;
	if (declared)
		sdcpg_nulls_declare(staging->masked->oid, meaning);
}

void
sdcpg_versions_hold(struct SdcVersions *versions, bool staged)
{
	SdcStaging *staging = versions->staging;
	StringInfoData sql;
	const char *held;
	int settings;
	ListCell *cell;

	initStringInfo(&sql);
	settings = NewGUCNestLevel();
	sdcpg_seal_pin_settings();
	foreach (cell, staging->parents)
	{
		const SdcStaging *parent = lfirst(cell);

		if (!sdcpg_versions_leaves_out(parent->versions))
			continue;
		if (staging->params.id != NULL)
			append_held(&sql, staging, parent);
		else
			ereport(WARNING,
					(errmsg("rows of relation \"%s\" may refer to rows of "
							"relation \"%s\" that are not published",
							staging->original->name, parent->original->name),
					 errdetail("Without an id nobody can say which they are."),
					 errhint("Name its id with sdc.declare() or params.id.")));
	}
	if (sql.len > 0)
	{
		held = sdcpg_versions_table(versions, "held", sql.data);
		staging->held = DatumGetInt64(
			sdcpg_catalog_read(
				psprintf("SELECT pg_catalog.count(*) FROM %s AS h", held),
				NULL)
				->value[0][0]);
		if (staging->held > 0 && versions->parts > 0)
			(void) sdcpg_staging_run(psprintf(
				"UPDATE %s AS x SET ok = false, waits = true FROM %s AS h"
				" WHERE x.person = %s AND x.ok",
				sdcpg_versions_name(versions, "res"), held,
				sdcpg_versions_person(versions, "h")));
		if (staging->held > 0 && staged)
			leave_held_out(staging, held);
	}
	AtEOXact_GUC(false, settings);
}

void
sdcpg_versions_orphans(const SdcStaging *child, const SdcStaging *parent)
{
	SdcCatalogRows *keys;
	int64 orphans = 0;
	int settings;
	int64 k;

	if (child->params.id == NULL ||
		!sdcpg_versions_leaves_out(parent->versions))
		return;
	keys = read_keys(child->original, parent->original);
	settings = NewGUCNestLevel();
	sdcpg_seal_pin_settings();
	for (k = 0; k < keys->count; k++)
		orphans += DatumGetInt64(
			sdcpg_catalog_read(
				psprintf("SELECT count(*) FROM %s AS m JOIN %s AS o"
						 " ON o.%s = m.%s WHERE %s AND NOT EXISTS (SELECT"
						 " FROM %s AS p JOIN %s AS q ON q.%s = p.%s WHERE %s)",
						 child->masked->sql, child->original->sql,
						 child->params.id->sql, child->params.id->sql,
						 TextDatumGetCString(keys->value[k][1]),
						 parent->masked->sql, parent->original->sql,
						 parent->params.id->sql, parent->params.id->sql,
						 TextDatumGetCString(keys->value[k][0])),
				NULL)
				->value[0][0]);
	AtEOXact_GUC(false, settings);
	if (orphans > 0)
		ereport(
			WARNING,
			(errmsg(INT64_FORMAT
					" rows of relation \"%s\" are published, "
					"and what they refer to in relation \"%s\" is not",
					orphans, child->original->name, parent->original->name),
			 errdetail("Rows of \"%s\" wait for a larger batch, or are "
					   "not in its sample, and foreign keys lead in a circle.",
					   parent->original->name),
			 errhint("A join by the foreign key leaves them out.")));
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

void
sdcpg_publish_check_event_triggers(void)
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
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("event trigger \"%s\" calls a function of a role that "
					"is not a superuser",
					TextDatumGetCString(rows->value[0][0])),
			 errdetail("It would run with the rights of a superuser."),
			 errhint("Let it be done by the role that owns the tables, and "
					 "not by a superuser.")));
}

void
sdcpg_publish_check(const SdcStaging *staging, const char *policy)
{
	Oid existing = get_relname_relid(staging->table, staging->schema);
	SdcPublished published;
	char *obstacle;

	sdcpg_publish_check_event_triggers();
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
		return sdcpg_target_shape_sorted(select, NULL, keys, NULL);
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

/*
 * Statements for the roles other than its owner that have rights on a table:
 * what gives them on another one who may read this one, or takes all.
 */
static SdcCatalogRows *
rights_of(Oid table, const char *statement, bool readers)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	sdcpg_catalog_bind_text(&parameters, statement);
	sdcpg_catalog_bind(&parameters, BOOLOID, BoolGetDatum(readers), false);
	return sdcpg_catalog_read(
		"SELECT DISTINCT pg_catalog.concat($2,"
		" CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid"
		" THEN 'PUBLIC' ELSE pg_catalog.quote_ident("
		"pg_catalog.pg_get_userbyid(a.grantee)::pg_catalog.text) END)"
		" FROM pg_catalog.pg_class AS c"
		" CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a"
		" WHERE c.oid OPERATOR(pg_catalog.=) $1"
		" AND a.grantee OPERATOR(pg_catalog.<>) c.relowner"
		" AND (NOT $3 OR a.privilege_type OPERATOR(pg_catalog.=) 'SELECT')",
		&parameters);
}

static void
run_each(const SdcCatalogRows *statements)
{
	int64 i;

	for (i = 0; i < statements->count; i++)
		(void) sdcpg_staging_run(TextDatumGetCString(statements->value[i][0]));
}

/* Rows that some readers do not see they would see in another table. */
static void
refuse_hidden(const SdcStaging *staging, Oid existing)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(existing), false);
	if (sdcpg_catalog_read("SELECT 1 FROM pg_catalog.pg_class AS c"
						   " WHERE c.oid OPERATOR(pg_catalog.=) $1"
						   " AND c.relrowsecurity",
						   &parameters)
			->count > 0)
		cannot_replace(staging,
					   "Its columns are to be others, and its row-level "
					   "security would be gone, while its readers keep their "
					   "rights.");
}

/*
 * Makes a new table, and gives it who may read the old one, and nobody to whom
 * default privileges give it.
 */
static void
replace_table(SdcStaging *staging, Oid existing)
{
	SdcCatalogRows *grants = NULL;
	char *rows = published_rows(staging);
	char *staged;

	if (OidIsValid(existing))
	{
		refuse_hidden(staging, existing);
		grants = rights_of(existing,
						   psprintf("GRANT SELECT ON %s TO ", staging->target),
						   true);
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
	if (grants == NULL)
		return;
	run_each(rights_of(get_relname_relid(staging->table, staging->schema),
					   psprintf("REVOKE ALL ON %s FROM ", staging->target),
					   false));
	run_each(grants);
}

/*
 * The staging table takes the name of the published one; false when its rows
 * must be written anew.  No row was ever deleted in it, nor a column.
 */
static bool
rename_table(const SdcStaging *staging, Oid existing)
{
	const SdcRelation *release = staging->release;

	if (OidIsValid(existing) || !staging->shuffled ||
		get_rel_persistence(release->oid) != RELPERSISTENCE_PERMANENT ||
		!is_published_whole(staging, release))
		return false;
	(void) sdcpg_staging_run(psprintf("ALTER TABLE %s RENAME TO %s",
									  release->sql,
									  quote_identifier(staging->table)));
	return true;
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

/* What the history keeps of the published table; returns its rows. */
static int64
seal(SdcStaging *staging, const SdcRelation *table, const char *policy,
	 int64 release)
{
	const struct SdcWritten *written = staging->release_written;
	int64 rows;

	staging->seal.oid = table->oid;
	staging->seal.owner =
		GetUserNameFromId(sdcpg_relation_owner(table->oid), false);
	staging->seal.definition = sdcpg_seal_definition(table->oid);
	staging->seal.rows = NULL;
	if (written != NULL && written->sum != NULL &&
		written->watch.table == table->oid)
		staging->seal.rows = sdcpg_seal_sum_end(written->sum, &rows);
	if (staging->seal.rows == NULL)
		staging->seal.rows =
			sdcpg_seal_rows(table, policy, release, staging->place, &rows);
	return rows;
}

void
sdcpg_publish(SdcStaging *staging, const char *policy, int64 release)
{
	Oid existing = lock_existing(staging, policy);
	SdcRelation *table;
	int64 rows;

	if (OidIsValid(existing) &&
		has_columns(sdcpg_relation_find(existing), staging))
		replace_rows(staging);
	else if (!rename_table(staging, existing))
		replace_table(staging, existing);
	table = sdcpg_relation_find(
		get_relname_relid(staging->table, staging->schema));
	publish_nulls(staging, table->oid);
	rows = seal(staging, table, policy, release);
	if (table->oid == staging->release->oid)
		staging->rows = rows;
	if (staging->rows != rows || (table->oid != staging->masked->oid &&
								  count_rows(staging->masked) != rows))
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the published table \"%s\" has not the rows "
							   "that were masked",
							   staging->table)));
	publish_drop(staging);
}

/* Drops the staging tables, but what was published. */
static void
publish_drop(SdcStaging *staging)
{
	sdcpg_versions_drop(staging);
	if (staging->masked->oid != staging->seal.oid)
		(void) sdcpg_staging_run(
			psprintf("DROP TABLE %s", staging->masked->sql));
	if (staging->release != staging->masked &&
		staging->release->oid != staging->seal.oid)
		(void) sdcpg_staging_run(
			psprintf("DROP TABLE %s", staging->release->sql));
}
