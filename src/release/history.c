/*
 * history.c
 *		The history of releases: sdc.release_history.
 *
 * The lock of a policy is held by the session, as it must outlive the
 * transactions of a run, and goes with the session however that ends.  So a
 * row that says "running" while nobody has the lock is of a run that ended
 * without a word.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "host/call/catalog.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/release.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/* ----------------------------------------------------------------------
 * Which columns of a table a policy publishes.
 * ----------------------------------------------------------------------
 */

/* Does a role keep a column back unless a rule says otherwise? */
static bool
is_kept_back(SdcRole role)
{
	return role == SDC_ROLE_ID || role == SDC_ROLE_IDENTIFIER ||
		   role == SDC_ROLE_HOUSEHOLD || role == SDC_ROLE_PERSON;
}

/* Is the column of that number and name published? */
static bool
is_published(const SdcPolicyParams *params, const SdcRules *rules,
			 const SdcRoles *declared, AttrNumber number, const char *name)
{
	int i;

	if (sdcpg_relation_lists(&params->drop, number))
		return false;
	if (sdcpg_rules_of(rules, number) != NULL)
		return true;
	if (params->id != NULL && params->id->number == number)
		return false;
	for (i = 0; i < declared->count; i++)
		if (strcmp(declared->column[i].name, name) == 0)
			return !is_kept_back(declared->column[i].role);
	return true;
}

List *
sdcpg_published_columns(const SdcPolicyRelation *policy,
						const SdcPolicyParams *params,
						const SdcRelation *original, const SdcRelation *masked)
{
	SdcRules rules = sdcpg_rules_read(policy->rules, original);
	SdcRoles *declared = sdcpg_roles_find(original->oid);
	SdcRelationColumns columns = sdcpg_relation_all_columns(masked);
	List *published = NIL;
	int i;

	for (i = 0; i < columns.count; i++)
	{
		char *name = columns.column[i].name;
		AttrNumber number = get_attnum(original->oid, name);

		if (number != InvalidAttrNumber &&
			is_published(params, &rules, declared, number, name))
			published = lappend(published, name);
	}
	return published;
}

/* Is a column generated from one that a rule masks? */
static bool
is_blank(const SdcRules *rules, const SdcRelation *original,
		 const SdcRelationColumn *column)
{
	int i;

	for (i = 0; i < rules->count; i++)
		if ((rules->rule[i].method->traits & SDC_MASK_IDLE) == 0 &&
			sdcpg_generated_from(original, column, &rules->rule[i].columns) !=
				0)
			return true;
	return false;
}

List *
sdcpg_published_blank(const SdcPolicyRelation *policy,
					  const SdcRelation *original, List *published)
{
	SdcRules rules = sdcpg_rules_read(policy->rules, original);
	List *blank = NIL;
	ListCell *cell;

	foreach (cell, published)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(original, lfirst(cell));

		if (is_blank(&rules, original, &column))
			blank = lappend(blank, lfirst(cell));
	}
	return blank;
}

Jsonb *
sdcpg_published_rules(const SdcRelation *original, Jsonb *document,
					  const SdcRules *rules)
{
	SdcRelationColumns identifiers = sdcpg_roles_columns(
		original, "identifiers", NULL, SDC_ROLE_IDENTIFIER);
	StringInfoData hidden;
	int i;

	sdcpg_document_begin(&hidden);
	sdcpg_document_open(&hidden, NULL, '{');
	for (i = 0; i < identifiers.count; i++)
		if (sdcpg_rules_of(rules, identifiers.column[i].number) == NULL)
		{
			sdcpg_document_open(&hidden, identifiers.column[i].name, '{');
			sdcpg_document_text(&hidden, "method", "null");
			sdcpg_document_close(&hidden, '{');
		}
	sdcpg_document_close(&hidden, '{');
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(document),
							JsonbPGetDatum(sdcpg_document_end(&hidden))));
}

const SdcRule *
sdcpg_published_rule_of_id(const SdcPolicyParams *params,
						   const SdcRules *rules, const SdcRelation *original)
{
	const SdcRule *rule = NULL;

	if (params->id != NULL)
		rule = sdcpg_rules_of(rules, params->id->number);
	if (rule != NULL && rule->columns.count > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the id of relation \"%s\" is masked together with "
						"other columns",
						original->name),
				 errdetail("The id tells which links of an attack are right, "
						   "so it is masked after the attacks."),
				 errhint("Give it a rule of its own.")));
	return rule;
}

/* ----------------------------------------------------------------------
 * The history of releases: sdc.release_history.
 *
 * The lock of a policy is held by the session, as it must outlive the
 * transactions of a run, and goes with the session however that ends.  So a
 * row that says "running" while nobody has the lock is of a run that ended
 * without a word.
 * ----------------------------------------------------------------------
 */

/*
 * Advisory locks that SQL can take have 1 or 2 here, so nobody can keep a
 * policy from being released, or make a run look alive, by pg_advisory_lock.
 */
#define LOCK_FIELD 83

#define COLUMNS                                                         \
	"h.release, h.policy, h.owner, h.released_by, h.status, h.started," \
	" h.finished, h.snapshot, h.seeded, h.relations, h.measures,"       \
	" h.reason, h.signature, h.tables::pg_catalog.oid[]"

static void
set_tag(LOCKTAG *tag, const char *policy)
{
	uint64 hash = DatumGetUInt64(
		hash_any_extended((const unsigned char *) policy, strlen(policy), 0));

	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, (uint32) (hash >> 32),
						 (uint32) hash, LOCK_FIELD);
}

bool
sdcpg_history_lock(const char *policy)
{
	LOCKTAG tag;
	LockAcquireResult result;

	set_tag(&tag, policy);
	result = LockAcquire(&tag, ExclusiveLock, true, true);
	if (result == LOCKACQUIRE_ALREADY_HELD)
		LockRelease(&tag, ExclusiveLock, true);
	return result == LOCKACQUIRE_OK;
}

void
sdcpg_history_unlock(const char *policy)
{
	LOCKTAG tag;

	set_tag(&tag, policy);
	LockRelease(&tag, ExclusiveLock, true);
}

/* Does any session have the lock of a policy? */
static bool
history_is_locked(const char *policy)
{
	SdcCatalogParameters parameters = {0};
	LOCKTAG tag;

	set_tag(&tag, policy);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(tag.locktag_field2),
					   false);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(tag.locktag_field3),
					   false);
	sdcpg_catalog_bind(&parameters, INT4OID, Int32GetDatum(LOCK_FIELD), false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(MyDatabaseId),
					   false);
	return sdcpg_catalog_read_owned(
			   "release_history",
			   "SELECT 1 FROM pg_catalog.pg_locks AS l"
			   " WHERE l.locktype OPERATOR(pg_catalog.=) 'advisory'"
			   " AND l.classid::pg_catalog.int8 OPERATOR(pg_catalog.=) $1"
			   " AND l.objid::pg_catalog.int8 OPERATOR(pg_catalog.=) $2"
			   " AND l.objsubid OPERATOR(pg_catalog.=) $3"
			   " AND l.database OPERATOR(pg_catalog.=) $4 AND l.granted",
			   &parameters)
			   ->count > 0;
}

/* Runs that ended without a word are interrupted. */
static void
mark_interrupted(const char *policy)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_write(
		"release_history",
		"UPDATE sdc.release_history AS h SET status = 'interrupted',"
		" reason = 'The run ended without a word; nothing was published.'"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.status OPERATOR(pg_catalog.=) 'running'",
		&parameters);
}

static void
bind_name(SdcCatalogParameters *parameters, const char *name)
{
	sdcpg_catalog_bind(parameters, NAMEOID,
					   DirectFunctionCall1(namein, CStringGetDatum(name)),
					   false);
}

static void
bind_jsonb(SdcCatalogParameters *parameters, Jsonb *value)
{
	sdcpg_catalog_bind(parameters, JSONBOID, PointerGetDatum(value),
					   value == NULL);
}

int64
sdcpg_history_begin(const SdcPolicy *policy, Jsonb *relations)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int64 release;

	mark_interrupted(policy->name);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT pg_catalog.nextval('sdc.release_number'::pg_catalog.regclass)",
		NULL);
	release = DatumGetInt64(rows->value[0][0]);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release), false);
	sdcpg_catalog_bind_text(&parameters, policy->name);
	bind_name(&parameters, policy->owner);
	bind_name(&parameters, GetUserNameFromId(GetSessionUserId(), false));
	bind_jsonb(&parameters, relations);
	sdcpg_catalog_write("release_history",
						"INSERT INTO sdc.release_history (release, policy,"
						" owner, released_by, status, started, relations)"
						" VALUES ($1, $2, $3, $4, 'running',"
						" pg_catalog.clock_timestamp(), $5)",
						&parameters);
	return release;
}

/* Numbers of tables as regclass[], which is dumped as their names. */
static void
bind_tables(SdcCatalogParameters *parameters, const SdcRelease *release)
{
	Datum *table = palloc(sizeof(Datum) * (release->tables + 1));
	int i;

	for (i = 0; i < release->tables; i++)
		table[i] = ObjectIdGetDatum(release->table[i]);
	sdcpg_catalog_bind(
		parameters, REGCLASSARRAYOID,
		PointerGetDatum(construct_array(table, release->tables, REGCLASSOID,
										sizeof(Oid), true, TYPALIGN_INT)),
		release->tables == 0);
}

void
sdcpg_history_end(const SdcRelease *release)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release->release),
					   false);
	sdcpg_catalog_bind_text(&parameters, release->status);
	sdcpg_catalog_bind_text(&parameters, release->snapshot);
	sdcpg_catalog_bind(&parameters, BOOLOID, BoolGetDatum(release->seeded),
					   false);
	bind_jsonb(&parameters, release->relations);
	bind_jsonb(&parameters, release->measures);
	sdcpg_catalog_bind_text(&parameters, release->reason);
	sdcpg_catalog_bind_text(&parameters, release->signature);
	bind_tables(&parameters, release);
	if (sdcpg_catalog_write(
			"release_history",
			"UPDATE sdc.release_history AS h SET status = $2,"
			" finished = pg_catalog.clock_timestamp(), snapshot = $3,"
			" seeded = $4, relations = COALESCE($5, h.relations),"
			" measures = $6, reason = $7, signature = $8, tables = $9"
			" WHERE h.release OPERATOR(pg_catalog.=) $1"
			" AND h.status OPERATOR(pg_catalog.=) 'running'",
			&parameters) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("release " INT64_FORMAT " is not in the history any "
						"more",
						release->release)));
}

bool
sdcpg_history_published(const char *policy, const char *target,
						SdcPublished *published)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind_text(&parameters, target);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT h.release, h.tables[r.place]::pg_catalog.oid,"
		" r.part OPERATOR(pg_catalog.->>) 'definition'"
		" FROM sdc.release_history AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations)"
		" WITH ORDINALITY AS r (part, place)"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND (r.part OPERATOR(pg_catalog.->>) 'target')"
		" OPERATOR(pg_catalog.=) $2 ORDER BY h.release DESC LIMIT 1",
		&parameters);
	if (rows->count == 0)
		return false;
	published->release = DatumGetInt64(rows->value[0][0]);
	published->table =
		rows->isnull[0][1] ? InvalidOid : DatumGetObjectId(rows->value[0][1]);
	published->definition =
		rows->isnull[0][2] ? NULL : TextDatumGetCString(rows->value[0][2]);
	return true;
}

static char *
text_value(Datum value, bool isnull)
{
	return isnull ? NULL : TextDatumGetCString(value);
}

static void
read_tables(SdcRelease *release, Datum value, bool isnull)
{
	Datum *table;
	int i;

	release->tables = 0;
	if (isnull)
		return;
	deconstruct_array(DatumGetArrayTypeP(value), OIDOID, sizeof(Oid), true,
					  TYPALIGN_INT, &table, NULL, &release->tables);
	release->table = palloc(sizeof(Oid) * (release->tables + 1));
	for (i = 0; i < release->tables; i++)
		release->table[i] = DatumGetObjectId(table[i]);
}

static SdcRelease
read_release(Datum *value, const bool *isnull)
{
	SdcRelease release;

	release.release = DatumGetInt64(value[0]);
	release.policy = TextDatumGetCString(value[1]);
	release.owner = pstrdup(NameStr(*DatumGetName(value[2])));
	release.released_by = pstrdup(NameStr(*DatumGetName(value[3])));
	release.status = TextDatumGetCString(value[4]);
	release.started = DatumGetTimestampTz(value[5]);
	release.finished = isnull[6] ? 0 : DatumGetTimestampTz(value[6]);
	release.snapshot = text_value(value[7], isnull[7]);
	release.seeded = !isnull[8] && DatumGetBool(value[8]);
	release.relations = DatumGetJsonbP(value[9]);
	release.measures = isnull[10] ? NULL : DatumGetJsonbP(value[10]);
	release.reason = text_value(value[11], isnull[11]);
	release.signature = text_value(value[12], isnull[12]);
	read_tables(&release, value[13], isnull[13]);
	return release;
}

/* May the caller see a row of the history? */
static bool
is_visible(const SdcRelease *release, bool sees_all)
{
	return sees_all || sdcpg_catalog_has_rights_of(release->owner);
}

/* The rows that a statement with one parameter finds and the caller sees. */
static SdcReleases
read_releases(const char *sql, const SdcCatalogParameters *parameters)
{
	bool sees_all = sdcpg_catalog_may_read("release_history");
	SdcCatalogRows *rows =
		sdcpg_catalog_read_owned("release_history", sql, parameters);
	SdcReleases releases = {0};
	int64 i;

	releases.release = palloc(sizeof(SdcRelease) * (rows->count + 1));
	for (i = 0; i < rows->count; i++)
	{
		SdcRelease release = read_release(rows->value[i], rows->isnull[i]);

		if (is_visible(&release, sees_all))
			releases.release[releases.count++] = release;
	}
	return releases;
}

static bool
is_running(const SdcRelease *release)
{
	return strcmp(release->status, "running") == 0;
}

/* The last number among those that say they are running; 0 if none does. */
static int64
last_running(const SdcReleases *releases)
{
	int64 last = 0;
	int i;

	for (i = 0; i < releases->count; i++)
		if (is_running(&releases->release[i]))
			last = Max(last, releases->release[i].release);
	return last;
}

/*
 * Reads releases of one policy.  Those that say they are running although the
 * lock is free are read again: one that ended in between says what became of
 * it, and the others are interrupted.
 */
static SdcReleases
read_living(const char *sql, const SdcCatalogParameters *parameters)
{
	SdcReleases releases = read_releases(sql, parameters);
	int64 last = last_running(&releases);
	int i;

	if (last == 0 || history_is_locked(releases.release[0].policy))
		return releases;
	releases = read_releases(sql, parameters);
	for (i = 0; i < releases.count; i++)
		if (is_running(&releases.release[i]) &&
			releases.release[i].release <= last)
		{
			releases.release[i].status = "interrupted";
			releases.release[i].reason =
				"The run ended without a word; nothing was published.";
		}
	return releases;
}

SdcReleases
sdcpg_history_of_policy(const char *policy)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, policy);
	return read_living("SELECT " COLUMNS " FROM sdc.release_history AS h"
					   " WHERE h.policy OPERATOR(pg_catalog.=) $1"
					   " ORDER BY h.release",
					   &parameters);
}

SdcRelease *
sdcpg_history_find(int64 release)
{
	SdcCatalogParameters parameters = {0};
	SdcReleases releases;

	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release), false);
	releases = read_living("SELECT " COLUMNS " FROM sdc.release_history AS h"
						   " WHERE h.release OPERATOR(pg_catalog.=) $1",
						   &parameters);
	return releases.count == 0 ? NULL : &releases.release[0];
}
