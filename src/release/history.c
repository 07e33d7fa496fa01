/*
 * history.c
 *		The history of releases: sdc.release_history; and what a version and
 *		the one before it leave of each other.
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
#include "release/document.h"
#include "release/history.h"
#include "release/policy.h"
#include "release/versions.h"
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
				NULL)
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
sdcpg_published_null(Jsonb *document, List *subjects)
{
	StringInfoData hidden;
	ListCell *cell;

	sdcpg_document_begin(&hidden);
	sdcpg_document_open(&hidden, NULL, '{');
	foreach (cell, subjects)
	{
		sdcpg_document_open(&hidden, lfirst(cell), '{');
		sdcpg_document_text(&hidden, "method", "null");
		sdcpg_document_close(&hidden, '{');
	}
	sdcpg_document_close(&hidden, '{');
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(document),
							JsonbPGetDatum(sdcpg_document_end(&hidden))));
}

Jsonb *
sdcpg_published_rules(const SdcRelation *original, Jsonb *document,
					  const SdcRules *rules)
{
	SdcRelationColumns identifiers = sdcpg_roles_columns(
		original, "identifiers", NULL, SDC_ROLE_IDENTIFIER);
	List *hidden = NIL;
	int i;

	for (i = 0; i < identifiers.count; i++)
		if (sdcpg_rules_of(rules, identifiers.column[i].number) == NULL)
			hidden = lappend(hidden, identifiers.column[i].name);
	return sdcpg_published_null(document, hidden);
}

void
sdcpg_published_name_people(const SdcAttack *attack, SdcAttackCase *seen)
{
	SdcRelationColumns keys;
	SdcRelationColumns names;
	SdcRelationColumns all = {0};
	SdcRules rules;
	int i;

	if (!attack->knows_names || seen->keys == NULL || seen->rules == NULL)
		return;
	keys = sdcpg_relation_columns(seen->original, "keys", seen->keys);
	names = sdcpg_roles_columns(seen->original, "identifiers", NULL,
								SDC_ROLE_IDENTIFIER);
	all.column = palloc0(sizeof(SdcRelationColumn) *
						 (Size) (keys.count + names.count + 1));
	for (i = 0; i < keys.count; i++)
		all.column[all.count++] = keys.column[i];
	for (i = 0; i < names.count; i++)
		if (get_attnum(seen->masked->oid, names.column[i].name) !=
				InvalidAttrNumber &&
			!sdcpg_relation_lists(&keys, names.column[i].number))
			all.column[all.count++] = names.column[i];
	rules = sdcpg_rules_read(seen->rules, seen->original);
	seen->rules = sdcpg_published_rules(seen->original, seen->rules, &rules);
	seen->keys = sdcpg_policy_names(&all);
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

static void
set_turn_tag(LOCKTAG *tag)
{
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, GetUserId(), 0, LOCK_FIELD + 1);
}

void
sdcpg_history_take_turn(void)
{
	LOCKTAG tag;

	set_turn_tag(&tag);
	(void) LockAcquire(&tag, ExclusiveLock, true, false);
}

void
sdcpg_history_end_turn(void)
{
	LOCKTAG tag;

	set_turn_tag(&tag);
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
		" r.part OPERATOR(pg_catalog.->>) 'definition',"
		" r.part OPERATOR(pg_catalog.->) 'told',"
		" r.part OPERATOR(pg_catalog.#>) '{params,protect}'"
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
	published->told =
		rows->isnull[0][3] ? NULL : sdcpg_catalog_jsonb(rows, 0, 3);
	published->protect =
		rows->isnull[0][4] ? NULL : sdcpg_catalog_jsonb(rows, 0, 4);
	return true;
}

bool
sdcpg_history_has(Oid table)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	return sdcpg_catalog_read_owned(
			   "release_history",
			   "SELECT FROM sdc.release_history AS h"
			   " WHERE $1 OPERATOR(pg_catalog.=) ANY"
			   " (CAST(h.tables AS pg_catalog.oid[])) LIMIT 1",
			   &parameters)
			   ->count > 0;
}

static SdcPublishedBeside *
read_beside(const SdcCatalogRows *rows, int row)
{
	SdcPublishedBeside *other = palloc0(sizeof(SdcPublishedBeside));
	ListCell *cell;

	other->policy = TextDatumGetCString(rows->value[row][0]);
	other->target = TextDatumGetCString(rows->value[row][1]);
	other->relation.rules = sdcpg_catalog_jsonb(rows, row, 2);
	other->relation.constraints = sdcpg_catalog_jsonb(rows, row, 3);
	other->relation.params = sdcpg_catalog_jsonb(rows, row, 4);
	other->protect = sdcpg_params_object(other->relation.params, "protect");
	other->columns = sdcpg_document_texts(sdcpg_catalog_jsonb(rows, row, 5));
	other->table = DatumGetObjectId(rows->value[row][6]);
	other->relation.oid = rows->isnull[row][7]
							  ? InvalidOid
							  : DatumGetObjectId(rows->value[row][7]);
	foreach (cell,
			 rows->isnull[row][8]
				 ? NIL
				 : sdcpg_document_texts(sdcpg_catalog_jsonb(rows, row, 8)))
		other->parts = lappend_oid(other->parts, atooid(lfirst(cell)));
	return other;
}

List *
sdcpg_history_beside(const char *policy, const char *target, List *relations,
					 const char *respondent)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *others = NIL;
	Datum *oid = palloc(sizeof(Datum) * (list_length(relations) + 1));
	int i;

	for (i = 0; i < list_length(relations); i++)
		oid[i] = ObjectIdGetDatum(list_nth_oid(relations, i));

	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, policy);
	sdcpg_catalog_bind(&parameters, OIDARRAYOID,
					   PointerGetDatum(construct_array(
						   oid, i, OIDOID, sizeof(Oid), true, TYPALIGN_INT)),
					   false);
	sdcpg_catalog_bind_text(&parameters, target);
	sdcpg_catalog_bind(&parameters, TEXTOID,
					   respondent == NULL ? 0
										  : CStringGetTextDatum(respondent),
					   respondent == NULL);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT k.policy, k.part OPERATOR(pg_catalog.->>) 'target',"
		" k.part OPERATOR(pg_catalog.->) 'rules',"
		" k.part OPERATOR(pg_catalog.->) 'constraints',"
		" CASE WHEN pg_catalog.jsonb_typeof("
		"k.part OPERATOR(pg_catalog.->) 'params') OPERATOR(pg_catalog.<>)"
		" 'null' THEN k.part OPERATOR(pg_catalog.->) 'params' END,"
		" k.part OPERATOR(pg_catalog.->) 'published',"
		" CAST(k.published AS pg_catalog.oid), n.oid,"
		" k.part OPERATOR(pg_catalog.->) 'parts'"
		" FROM (SELECT DISTINCT ON (h.policy,"
		" r.part OPERATOR(pg_catalog.->>) 'target') h.policy, r.part,"
		" r.place, h.tables[r.place] AS published"
		" FROM sdc.release_history AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations)"
		" WITH ORDINALITY AS r (part, place)"
		" WHERE h.owner OPERATOR(pg_catalog.=) $1::pg_catalog.name"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND NOT (h.policy OPERATOR(pg_catalog.=) $2"
		" AND (r.part OPERATOR(pg_catalog.->>) 'target')"
		" OPERATOR(pg_catalog.=) $4)"
		" ORDER BY h.policy, r.part OPERATOR(pg_catalog.->>) 'target',"
		" h.release DESC) AS k CROSS JOIN LATERAL (SELECT v.oid,"
		" pg_catalog.min(v.place) OPERATOR(pg_catalog.=)"
		" pg_catalog.min(pg_catalog.min(v.place)) OVER () AS first"
		" FROM (SELECT 1, CAST(k.part OPERATOR(pg_catalog.->>) 'oid'"
		" AS pg_catalog.oid) UNION ALL SELECT 2, CAST("
		"pg_catalog.to_regclass(k.part OPERATOR(pg_catalog.->>)"
		" 'relation') AS pg_catalog.oid) UNION ALL (SELECT 3,"
		" CAST(q.relation AS pg_catalog.oid)"
		" FROM sdc.policy_relation AS q WHERE q.policy"
		" OPERATOR(pg_catalog.=) k.policy AND q.place"
		" OPERATOR(pg_catalog.=) k.place AND COALESCE(q.params, 'null')"
		" OPERATOR(pg_catalog.=) (k.part OPERATOR(pg_catalog.->)"
		" 'params') LIMIT 1)) AS v (place, oid) JOIN pg_catalog.pg_class"
		" AS c ON c.oid OPERATOR(pg_catalog.=) v.oid GROUP BY v.oid) AS n"
		" WHERE (n.oid OPERATOR(pg_catalog.=) ANY ($3) OR n.first"
		" AND ((k.part OPERATOR(pg_catalog.#>>)"
		" '{params,protect,params,respondent}')"
		" OPERATOR(pg_catalog.=) $5 OR EXISTS (SELECT FROM"
		" pg_catalog.jsonb_array_elements_text(COALESCE(k.part"
		" OPERATOR(pg_catalog.->) 'parts', '[]')) AS p (oid) WHERE"
		" CAST(p.oid AS pg_catalog.oid) OPERATOR(pg_catalog.=)"
		" ANY ($3)))) AND EXISTS (SELECT"
		" FROM pg_catalog.pg_class AS c WHERE c.oid"
		" OPERATOR(pg_catalog.=) k.published)"
		" ORDER BY k.policy, k.place,"
		" k.part OPERATOR(pg_catalog.->>) 'target', n.oid",
		&parameters);
	for (i = 0; i < rows->count; i++)
		others = lappend(others, read_beside(rows, i));
	return others;
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

/* ----------------------------------------------------------------------
 * What came and went since the version before.
 *
 * Who has both versions takes one from the other: what is left are the rows
 * that are gone, and those that are new or not as they were.  Whoever knows
 * that a person came, changed or left looks for him among these, however many
 * others the versions have.  Those who came are there and are attacked.  The
 * values of those who left are not, but crowds as large of people who stay
 * are, and what is found of them is what is found of those who left, unless
 * these were chosen for what they are like.
 * ----------------------------------------------------------------------
 */

/* People in crowds beside those who came: laws of masks need a file. */
#define CROWD_PEOPLE 2000

/* A larger crowd is attacked person by person: exchanges cost its square. */
#define CROWD_ONE_TO_ONE 200

/* The share of rows beyond which they may be the same people every time. */
#define MANY_CHANGES 0.1

/*
 * Is a type hashed by its own function as its text would be: are values equal
 * if and only if they look alike?
 */
static bool
is_plain(Oid base)
{
	static const Oid plain[] = {
		BOOLOID,   INT2OID,   INT4OID, INT8OID,      TEXTOID,       VARCHAROID,
		FLOAT4OID, FLOAT8OID, DATEOID, TIMESTAMPOID, TIMESTAMPTZOID};
	int i;

	for (i = 0; i < lengthof(plain); i++)
		if (plain[i] == base)
			return true;
	return false;
}

/* A published column of a row (r) as it goes into a hash of the row. */
static char *
content_of(const struct SdcVersions *versions, Oid earlier, const char *name)
{
	Oid masked = versions->staging->masked->oid;
	Oid base = getBaseType(get_atttype(masked, get_attnum(masked, name)));
	Oid before = getBaseType(get_atttype(earlier, get_attnum(earlier, name)));
	const char *column = quote_identifier(name);

	if (base == before && is_plain(base))
		return psprintf(
			"r.%s%s", column,
			base == TEXTOID || base == VARCHAROID ? " COLLATE \"C\"" : "");
	return psprintf("record_out(ROW(r.%s))::text COLLATE \"C\"", column);
}

/* A hash of the published values of a row with the alias r; NULL: none. */
static char *
content_sql(const struct SdcVersions *versions, Oid earlier)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, versions->staging->published)
		if (strcmp(lfirst(cell), versions->id.name) != 0 &&
			get_attnum(versions->staging->masked->oid, lfirst(cell)) > 0 &&
			get_attnum(earlier, lfirst(cell)) > 0)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 content_of(versions, earlier, lfirst(cell)));
	if (list.len == 0)
		return NULL;
	return psprintf(SDC_HASH_ROW, list.data);
}

/* How many more rows than the version before this one has of each content. */
static void
make_difference(struct SdcVersions *versions, const SdcRelation *earlier,
				const char *content)
{
	const char *now = sdcpg_versions_table(
		versions, "content",
		psprintf("SELECT r.%s AS id, %s AS t FROM %s AS r", versions->id.sql,
				 content, versions->staging->masked->sql));

	sdcpg_versions_table(versions, "dif",
						 psprintf("SELECT x.t, sum(x.n) AS n FROM"
								  " (SELECT r.t, 1 AS n FROM %s AS r UNION ALL"
								  " SELECT %s, -1 FROM %s AS r) AS x"
								  " GROUP BY x.t HAVING sum(x.n) <> 0",
								  now, content, earlier->sql));
}

/* People who are not in the version before, by what is remembered. */
static char *
joined_sql(struct SdcVersions *versions)
{
	const char *id = versions->id.sql;
	const char *now = sdcpg_versions_name(versions, "now");

	if (!versions->remembers)
		return psprintf("SELECT r.%s AS id FROM %s AS r WHERE false", id,
						versions->staging->masked->sql);
	/* EXCEPT: nobody knows how many persons had other parts, NOT EXISTS may
	 * read all of what is remembered for each */
	return psprintf("SELECT r.%s AS id FROM %s AS r JOIN (SELECT x.person"
					" FROM %s AS x WHERE x.ok AND NOT (%s) EXCEPT %s) AS x"
					" ON x.person = r.%s",
					id, now, sdcpg_versions_name(versions, "res"),
					sdcpg_versions_published(versions, true),
					sdcpg_versions_elsewhere(versions), versions->own.person);
}

/*
 * Who came or changed: those who joined, and of each content as many as there
 * are more of it now; of people who look alike those who joined.  Where
 * everything is drawn anew all contents are new and tell nothing.
 */
static void
make_came(struct SdcVersions *versions, const char *content)
{
	const char *joined =
		sdcpg_versions_table(versions, "joined", joined_sql(versions));
	char *came =
		content == NULL
			? psprintf("SELECT j.id FROM %s AS j", joined)
			: psprintf("SELECT j.id FROM %s AS j UNION SELECT y.id FROM"
					   " (SELECT r.id, d.n, row_number() OVER"
					   " (PARTITION BY d.t ORDER BY j.id IS NULL, r.id)"
					   " AS place FROM %s AS r JOIN %s AS d ON d.t = r.t"
					   " LEFT JOIN %s AS j"
					   " ON j.id = r.id WHERE d.n > 0) AS y"
					   " WHERE y.place <= y.n",
					   joined, sdcpg_versions_name(versions, "content"),
					   sdcpg_versions_name(versions, "dif"), joined);

	sdcpg_versions_table(versions, "came", came);
}

/* The rows of one side that are in crowds, with these. */
static void
put_in_crowds(struct SdcVersions *versions, const char *suffix,
			  const SdcRelation *side)
{
	sdcpg_versions_table(
		versions, suffix,
		psprintf("SELECT r.*, c.crowd AS %s, c.alone AS %s"
				 " FROM %s AS r JOIN %s AS c ON c.id = r.%s",
				 versions->own.crowd, versions->own.alone, side->sql,
				 sdcpg_versions_name(versions, "crowd"), versions->id.sql));
}

/* Puts those who came into crowd 0, others into crowds of so many: 1, 2 ... */
static void
make_crowds(struct SdcVersions *versions, double gone)
{
	const char *id = versions->id.sql;
	const char *came = sdcpg_versions_name(versions, "came");
	double others =
		gone < 1 ? CROWD_PEOPLE : gone * Max(1, floor(CROWD_PEOPLE / gone));

	sdcpg_versions_table(
		versions, "crowd",
		psprintf("SELECT c.id, 0 AS crowd, 0 AS alone FROM %s AS c"
				 " UNION ALL SELECT y.id, CAST(1 + floor((row_number() OVER ()"
				 " - 1) / %.0f::float8) AS int4),"
				 " CAST(row_number() OVER () AS int4)"
				 /* OFFSET: Citus joins no shards with a table of this server
				  * in NOT EXISTS */
				 " FROM (SELECT r.id FROM (SELECT r.%s AS id FROM %s AS r"
				 " OFFSET 0) AS r"
				 " WHERE NOT EXISTS (SELECT FROM %s AS c WHERE c.id = r.id)"
				 " ORDER BY hashtextextended(record_out(ROW(r.id))::text"
				 " COLLATE \"C\", " INT64_FORMAT "), r.id LIMIT %.0f) AS y",
				 came, Max(gone, 1), id, versions->staging->masked->sql, came,
				 versions->release, others));
	put_in_crowds(versions, "cin", versions->original);
	put_in_crowds(versions, "cout", versions->staging->masked);
}

/* The rules for those who came: windows are as in their batch. */
static Jsonb *
came_rules(const struct SdcVersions *versions, Jsonb *all, double came)
{
	SdcRules rules;
	int i;

	if (all == NULL || versions->anew || versions->parts == 0)
		return all;
	rules = sdcpg_rules_read(all, versions->original);
	for (i = 0; i < rules.count; i++)
	{
		const SdcRule *rule = &rules.rule[i];
		StringInfoData one;

		if (rule->method->likelihood != SDC_LIKELIHOOD_RANKS)
			continue;
		sdcpg_document_begin(&one);
		sdcpg_document_open(&one, NULL, '{');
		sdcpg_document_jsonb(
			&one, rule->subject,
			sdcpg_versions_with_number(
				rule->params, "p",
				Min(100, sdcpg_rule_number(rule, "p") *
							 Max(1, versions->tally.rows / came))));
		sdcpg_document_close(&one, '{');
		all = DatumGetJsonbP(
			DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(all),
								JsonbPGetDatum(sdcpg_document_end(&one))));
	}
	return all;
}

/* Keys that are published, and the crowd, as the inside of an array. */
static char *
crowd_keys(const struct SdcVersions *versions, ArrayType *keys,
		   const char *crowd)
{
	StringInfoData list;
	ListCell *cell;

	initStringInfo(&list);
	foreach (cell, sdcpg_policy_list_of(keys))
		if (get_attnum(versions->staging->masked->oid, lfirst(cell)) > 0)
			appendStringInfo(&list, "%s, ", quote_literal_cstr(lfirst(cell)));
	appendStringInfoString(&list, quote_literal_cstr(crowd));
	return list.data;
}

/* The share that is found of those who came, or of the others, as a query. */
static char *
crowd_query(struct SdcVersions *versions, const SdcGateCase *of, Jsonb *rules,
			double people, bool came)
{
	const char *crowd = sdcpg_versions_name(versions, "crowd");
	const char *which = came ? "=" : "<>";

	return psprintf(
		"SELECT CAST(pg_catalog.count(*) AS pg_catalog.float8)"
		" OPERATOR(pg_catalog./) GREATEST(1, (SELECT"
		" CAST(pg_catalog.count(*) AS pg_catalog.float8) FROM %s AS x"
		" WHERE x.crowd OPERATOR(pg_catalog.%s) 0))"
		" FROM sdc.attack_likelihood(original => '%u', masked => '%u',"
		" rules => %s, id => %s, keys => CAST(ARRAY[%s] AS"
		" pg_catalog.name[]), params => '{\"assignment\": \"%s\"}',"
		" seed => " INT64_FORMAT ") AS l JOIN %s AS c"
		" ON l.id OPERATOR(pg_catalog.=) pg_catalog.format('%%s', c.id)"
		" WHERE l.correct AND c.crowd OPERATOR(pg_catalog.%s) 0",
		crowd, which, sdcpg_versions_find(versions, "cin")->oid,
		sdcpg_versions_find(versions, "cout")->oid,
		rules == NULL ? "NULL"
					  : quote_literal_cstr(JsonbToCString(NULL, &rules->root,
														  VARSIZE(rules))),
		quote_literal_cstr(of->id),
		crowd_keys(versions, of->keys,
				   came ? versions->own.alone : versions->own.crowd),
		people > CROWD_ONE_TO_ONE ? "none" : "one_to_one",
		of->seeded ? of->seed : 0, crowd, which);
}

/* People whom differences of the versions before have shown. */
static double
found_before(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	sdcpg_catalog_bind(
		&parameters, INT8OID,
		Int64GetDatum(versions->staging->params.keep_versions - 1), false);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT pg_catalog.sum(CAST(m.part OPERATOR(pg_catalog.#>>)"
		" '{difference,found}' AS pg_catalog.float8))"
		" FROM (SELECT h.measures FROM sdc.release_history AS h"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" ORDER BY h.release DESC LIMIT $3) AS k CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(k.measures) AS m (part)"
		" WHERE (m.part OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $2",
		&parameters);
	return rows->isnull[0][0] ? 0 : DatumGetFloat8(rows->value[0][0]);
}

static double
number_of(const char *what, const char *table)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT CAST(%s AS pg_catalog.float8) FROM %s AS x", what,
				 table),
		NULL);

	return rows->isnull[0][0] ? 0 : DatumGetFloat8(rows->value[0][0]);
}

/*
 * Where nobody is remembered: people are as many as rows of the version before
 * that this one has not, unless so many differ that they may be the same ones.
 */
static void
guess_changes(struct SdcVersions *versions, SdcAttackChanges *changes)
{
	if (versions->anew)
		return;
	changes->gone = number_of("pg_catalog.sum(GREATEST(0,"
							  " OPERATOR(pg_catalog.-) x.n))",
							  sdcpg_versions_name(versions, "dif"));
	if (changes->came > MANY_CHANGES * changes->people)
		return;
	changes->joined = changes->came;
	changes->left = changes->gone;
}

void
sdcpg_versions_changes(struct SdcVersions *versions, SdcGateCase *of)
{
	const SdcStaging *staging = versions->staging;
	SdcAttackChanges *changes;
	SdcPublished before;
	char *content;
	double most;

	if (versions->id.name == NULL ||
		!sdcpg_history_published(versions->policy, staging->target, &before) ||
		!OidIsValid(before.table) || get_rel_name(before.table) == NULL)
		return;
	content = versions->anew ? NULL : content_sql(versions, before.table);
	if (content != NULL)
		make_difference(versions, sdcpg_relation_find(before.table), content);
	make_came(versions, content);
	changes = palloc0(sizeof(SdcAttackChanges));
	changes->people = number_of("pg_catalog.count(*)", staging->masked->sql);
	changes->came = number_of("pg_catalog.count(*)",
							  sdcpg_versions_name(versions, "came"));
	changes->joined = number_of("pg_catalog.count(*)",
								sdcpg_versions_name(versions, "joined"));
	changes->left = changes->gone = versions->tally.left;
	if (!versions->remembers)
		guess_changes(versions, changes);
	else if (changes->came <= MANY_CHANGES * changes->people)
		/* who is found by a change stays found */
		changes->joined = changes->came;
	changes->before = found_before(versions);
	of->changes = changes;
	if (changes->came + changes->gone == 0)
		return;
	make_crowds(versions, Min(changes->gone, changes->people));
	most = Max(changes->came, changes->gone);
	if (changes->came > 0)
		changes->came_query = crowd_query(
			versions, of, came_rules(versions, of->rules, changes->came), most,
			true);
	if (changes->gone > 0)
		changes->gone_query =
			crowd_query(versions, of, of->rules, most, false);
}
