/*
 * versions_other.c
 *		What was published besides the draws of a policy: new records, and what
 *		other policies drew.
 *
 * Records that are drawn anew every night let whoever keeps them see ever more
 * of the model that they are drawn from, and of the originals that it was made
 * of.  So as long as the originals and the rules stay the same the records do,
 * too: the seed is made of both and of the key of the policy.  Records of
 * changed originals are drawn anew.  All that were published are kept, and the
 * attacks that need no id are run on all of them together as well.
 *
 * Two policies of one owner that draw for the same columns are averaged by who
 * has both tables; so is a policy that was dropped and the one in its place.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/* Rows of a table that tell whether another one is of the same people. */
#define SAMPLE_ROWS 2000

ErrorData *
sdcpg_versions_attempt(struct SdcVersions *versions, bool (*work)(void *),
					   void *arg)
{
	List *tables = list_copy(versions->tables);
	ErrorData *failure = sdcpg_error_attempt(CurrentMemoryContext, work, arg);

	if (failure == NULL)
		return NULL;
	versions->tables = tables;
	if (sdcpg_error_is_of_server(failure))
		ReThrowError(failure);
	return failure;
}

bool
sdcpg_versions_makes_records(const SdcPart *part)
{
	ListCell *cell;

	foreach (cell, part->rules)
		if (((const SdcRule *) lfirst(cell))->method->traits &
			SDC_MASK_REPLACES)
			return true;
	return false;
}

SdcPart *
sdcpg_versions_records_part(struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
		if (sdcpg_versions_makes_records(&versions->part[p]))
			return &versions->part[p];
	return NULL;
}

/* A digest of rows, in whatever order, with a text. */
static int64
digest_rows(const SdcRelationColumns *columns, const char *table,
			const char *text)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();

	sdcpg_seal_pin_settings();
	sdcpg_catalog_bind_text(&parameters, text);
	rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.hashtextextended(pg_catalog.concat_ws(' '"
				 ", pg_catalog.count(*)"
				 ", pg_catalog.sum(pg_catalog.hashtextextended(r.t, 1))"
				 ", pg_catalog.sum(pg_catalog.hashtextextended(r.t, 2))"
				 ", $1) COLLATE \"C\", 3)"
				 " FROM (SELECT CAST(ROW(%s) AS pg_catalog.text)"
				 " COLLATE \"C\" AS t FROM %s) AS r",
				 sdcpg_relation_list(columns), table),
		&parameters);
	AtEOXact_GUC(false, settings);
	return DatumGetInt64(rows->value[0][0]);
}

void
sdcpg_versions_seed_records(struct SdcVersions *versions, int64 epoch)
{
	const SdcPart *part = sdcpg_versions_records_part(versions);
	char *drawn_from;

	if (versions->seeded || versions->staging->params.fresh)
		return;
	drawn_from = psprintf(
		"%s " INT64_FORMAT,
		JsonbToCString(NULL, &versions->rules->root, VARSIZE(versions->rules)),
		epoch);
	versions->seed = (int64) sdcpg_seal_seed(
		versions->policy,
		digest_rows(&part->columns, versions->original->sql, drawn_from));
	versions->seeded = true;
}

/* The records that are published now, as a digest in SQL. */
static char *
digest_records(struct SdcVersions *versions)
{
	return psprintf("'\\x%016llx'::bytea",
					(unsigned long long) digest_rows(
						&sdcpg_versions_records_part(versions)->columns,
						versions->staging->masked->sql, ""));
}

/* Are they those that the version before published, too? */
static bool
are_published(struct SdcVersions *versions, const char *digest)
{
	return versions->remembers &&
		   sdcpg_catalog_read(
			   psprintf("SELECT 1 FROM %s AS m WHERE m.last IS NULL"
						" AND m.part = " INT64_FORMAT " AND m.cell = %s"
						" LIMIT 1",
						sdcpg_versions_name(versions, "mem"),
						sdcpg_versions_records_part(versions)->number, digest),
			   NULL)
				   ->count > 0;
}

/* The values that a part published, as SQL. */
static char *
values_of(struct SdcVersions *versions, const SdcPart *part)
{
	if (part->policy == NULL)
		return sdcpg_versions_name(versions, "mem");
	return psprintf("sdc.release_values(%s, '%u'::regclass)",
					quote_literal_cstr(part->policy), part->relation);
}

/*
 * Appends the records that a part published, with the columns of those of now;
 * not when it had others.
 */
static void
append_records(StringInfo sql, struct SdcVersions *versions,
			   const SdcPart *before, const char *digest)
{
	const SdcPart *part = sdcpg_versions_records_part(versions);
	int i;
	int j;

	if (before->number == 0 || !sdcpg_versions_makes_records(before))
		return;
	for (i = 0; i < part->columns.count; i++)
		if (!sdcpg_relation_lists(&before->columns,
								  part->columns.column[i].number))
			return;
	appendStringInfoString(sql, " UNION ALL SELECT ");
	for (i = 0; i < part->columns.count; i++)
	{
		sdcpg_query_need_casts(versions->original, &part->columns.column[i]);
		for (j = 0; before->columns.column[j].number !=
					part->columns.column[i].number;
			 j++)
			;
		appendStringInfo(sql, "%sCAST(m.value[%d] AS %s)", i > 0 ? ", " : "",
						 j + 1, part->type[i]);
	}
	appendStringInfo(sql,
					 ", m.cell FROM %s AS m WHERE m.part = " INT64_FORMAT
					 " AND m.cell <> %s",
					 values_of(versions, before), before->number, digest);
}

/*
 * The records of all versions that are kept, and those of other policies of
 * the owner, when there are any but those of now.
 */
static void
make_pool(struct SdcVersions *versions, const char *digest)
{
	const SdcPart *part = sdcpg_versions_records_part(versions);
	StringInfoData sql;
	int p;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s, NULL::bytea AS %s FROM %s",
					 sdcpg_relation_list(&part->columns), versions->own.person,
					 versions->staging->masked->sql);
	for (p = 0; p < versions->seen_parts; p++)
		append_records(&sql, versions, &versions->part[p], digest);
	(void) sdcpg_versions_table(versions, "pool", sql.data);
	versions->draws =
		1 + DatumGetInt64(sdcpg_catalog_read(
							  psprintf("SELECT pg_catalog.count(DISTINCT m.%s)"
									   " FROM %s AS m",
									   versions->own.person,
									   sdcpg_versions_name(versions, "pool")),
							  NULL)
							  ->value[0][0]);
	if (versions->draws > 1)
		versions->pool = sdcpg_versions_find(versions, "pool");
}

/* The types of the columns as they are now. */
static void
settle_types(struct SdcVersions *versions, SdcPart *part)
{
	const SdcRelation *masked = versions->staging->masked;
	int i;

	for (i = 0; i < part->columns.count; i++)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(masked, part->columns.column[i].name);

		part->type[i] = sdcpg_relation_type(masked, &column);
	}
}

void
sdcpg_versions_keep_records(struct SdcVersions *versions, const char *nulls)
{
	SdcPart *part = sdcpg_versions_records_part(versions);
	const char *digest = digest_records(versions);

	settle_types(versions, part);
	make_pool(versions, digest);
	if (are_published(versions, digest))
		return;
	if (part->number == 0)
		sdcpg_versions_write_part(versions, part, nulls);
	sdcpg_versions_remember_records(versions, part, digest);
}

const SdcRelation *
sdcpg_versions_pool(const struct SdcVersions *versions, int64 *draws)
{
	if (versions == NULL || versions->pool == NULL)
		return NULL;
	*draws = versions->draws;
	return versions->pool;
}

/* ----------------------------------------------------------------------
 * Other policies that draw for the same columns of the table.
 *
 * They have other keys, so who has the tables of both averages what they drew.
 * Those of the same owner are attacked together with this one; what another
 * owner's policy remembers is not this one's to read.
 * ----------------------------------------------------------------------
 */

/* The names of all columns that the policy draws for, as text[]. */
static void
bind_drawn(SdcCatalogParameters *parameters,
		   const struct SdcVersions *versions)
{
	Datum *name = palloc(sizeof(Datum) * MaxHeapAttributeNumber);
	int count = 0;
	int p;
	int i;

	for (p = 0; p < versions->parts; p++)
		for (i = 0; i < versions->part[p].columns.count; i++)
			name[count++] =
				CStringGetTextDatum(versions->part[p].columns.column[i].name);
	sdcpg_catalog_bind(parameters, TEXTARRAYOID,
					   PointerGetDatum(construct_array(
						   name, count, TEXTOID, -1, false, TYPALIGN_INT)),
					   false);
}

/* The policies whose tables can be joined with that of this one, as text[]. */
static void
bind_linked(SdcCatalogParameters *parameters,
			const struct SdcVersions *versions)
{
	Datum *name = palloc(sizeof(Datum) * (list_length(versions->linked) + 1));
	int count = 0;
	ListCell *cell;

	foreach (cell, versions->linked)
		name[count++] = CStringGetTextDatum(lfirst(cell));
	sdcpg_catalog_bind(parameters, TEXTARRAYOID,
					   PointerGetDatum(construct_array(
						   name, count, TEXTOID, -1, false, TYPALIGN_INT)),
					   false);
}

/* The tables that may have rows of the table, itself among them. */
static ArrayType *
find_family(const struct SdcVersions *versions)
{
	List *kin = sdcpg_relation_kin(versions->original->oid);
	Datum *oid = palloc(sizeof(Datum) * list_length(kin));
	int i;

	for (i = 0; i < list_length(kin); i++)
		oid[i] = ObjectIdGetDatum(list_nth_oid(kin, i));
	return construct_array(oid, list_length(kin), REGCLASSOID, sizeof(Oid),
						   true, TYPALIGN_INT);
}

/* Is a part of one of these tables?  As SQL. */
#define OF_FAMILY " p.relation OPERATOR(pg_catalog.=) ANY ($2)"

/*
 * Policies with parts of columns that the policy draws for, too, some of
 * which may have been dropped, or whose tables are joined with that of this
 * one; one owner's or of all others.
 */
#define SHARING                                         \
	" NOT p.policy OPERATOR(pg_catalog.=) $1"           \
	" AND NOT EXISTS (SELECT FROM sdc.policy AS y"      \
	" WHERE y.policy OPERATOR(pg_catalog.=) p.policy"   \
	" AND NOT y.owner OPERATOR(pg_catalog.=) p.owner)"  \
	" AND (p.policy OPERATOR(pg_catalog.=) ANY ($5)"    \
	" OR EXISTS (SELECT FROM sdc.release_part AS q"     \
	" WHERE q.policy OPERATOR(pg_catalog.=) p.policy"   \
	" AND q.relation OPERATOR(pg_catalog.=) p.relation" \
	" AND q.columns OPERATOR(pg_catalog.&&) $4"         \
	" AND (SELECT true FROM sdc.release_value AS v"     \
	" WHERE v.part OPERATOR(pg_catalog.=) q.part LIMIT 1)))"

static SdcCatalogRows *
ask_sharing(const struct SdcVersions *versions, const char *query)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind(&parameters, REGCLASSARRAYOID,
					   PointerGetDatum(find_family(versions)), false);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	bind_drawn(&parameters, versions);
	bind_linked(&parameters, versions);
	return sdcpg_catalog_read_owned("release_part", query, &parameters);
}

static void
warn_of_strangers(const struct SdcVersions *versions)
{
	SdcCatalogRows *rows = ask_sharing(
		versions, "SELECT 1 FROM sdc.release_part AS p WHERE" OF_FAMILY
				  " AND" SHARING " AND NOT p.owner OPERATOR(pg_catalog.=)"
				  " $3::pg_catalog.name LIMIT 1");

	if (rows->count > 0)
		ereport(WARNING,
				(errmsg("a policy of another owner draws for the same columns "
						"of relation \"%s\"",
						versions->original->name),
				 errdetail("Who has the tables of both policies can put them "
						   "together, and neither gate attacks both."),
				 errhint("Let one policy publish, and give others views of "
						 "what it publishes.")));
}

/* The column of the id by a policy for a table that is gone, or that was
 * declared with it: that of its params, or that of now; NULL: it is gone. */
static const char *
id_of_gone(const struct SdcVersions *versions, const char *name)
{
	if (name == NULL)
		return versions->id.sql;
	return get_attnum(versions->original->oid, name) == InvalidAttrNumber
			   ? NULL
			   : quote_identifier(name);
}

/*
 * The id that another policy has for the table, or for one that has rows of
 * it, as SQL; NULL: none that the table has, too.
 */
static const char *
other_id(const struct SdcVersions *versions, const SdcPolicy *policy,
		 Oid relation)
{
	bool gone = get_rel_name(relation) == NULL;
	const SdcRelation *table = relation == versions->original->oid
								   ? versions->original
							   : gone ? NULL
									  : sdcpg_relation_find(relation);
	SdcRelationColumn *id;
	int i;

	for (i = 0; i < policy->count; i++)
		if (policy->relation[i].oid == relation)
		{
			char *name = sdcpg_params_text(policy->relation[i].params, "id");

			if (gone)
				return id_of_gone(versions, name);
			if (name != NULL &&
				get_attnum(relation, name) == InvalidAttrNumber)
				return NULL;
			id = sdcpg_roles_column(table, "id", name, SDC_ROLE_ID);
			if (id == NULL || get_attnum(versions->original->oid, id->name) ==
								  InvalidAttrNumber)
				return NULL;
			return id->sql;
		}
	/* dropped, or not for this table any more: the id of now is the best */
	return versions->id.sql;
}

Jsonb *
sdcpg_versions_rule_of(Jsonb *rules, const char *column)
{
	JsonbIterator *iterator = JsonbIteratorInit(&rules->root);
	JsonbIteratorToken token;
	JsonbValue value;
	bool found = false;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_VALUE && found)
			return JsonbValueToJsonb(&value);
		if (token == WJB_KEY)
		{
			char *rest = pnstrdup(value.val.string.val, value.val.string.len);
			char *name;

			found = false;
			while ((name = sdcpg_params_next_name(&rest)) != NULL)
				found |= strcmp(name, column) == 0;
		}
	}
	return NULL;
}

bool
sdcpg_versions_is_joined(struct SdcVersions *versions,
						 const SdcPolicyRelation *other)
{
	const char *id = sdcpg_params_text(other->params, "id");
	const SdcRelationColumn *role;
	Jsonb *rule;

	if (versions->id.name == NULL || other->oid != versions->original->oid ||
		sdcpg_params_has(other->params, "protect"))
		return false;
	role = sdcpg_roles_column(versions->original, "id", NULL, SDC_ROLE_ID);
	if (id == NULL && role != NULL)
		id = role->name;
	rule = sdcpg_versions_rule_of(versions->staging->policy->rules,
								  versions->id.name);
	if (id != NULL && strcmp(id, versions->id.name) == 0 && rule != NULL &&
		!sdcpg_params_same_word(sdcpg_params_text(rule, "method"), "null") &&
		sdcpg_params_same(rule, sdcpg_versions_rule_of(other->rules, id)))
		return true;
	return sdcpg_versions_tells_rows(versions, other);
}

/* Finds the policies whose tables are joined with that of this one. */
static List *
list_linked(struct SdcVersions *versions, List *others)
{
	List *linked = NIL;
	ListCell *cell;
	int i;

	foreach (cell, others)
	{
		const SdcPolicy *policy = lfirst(cell);

		for (i = 0; i < policy->count; i++)
			if (sdcpg_versions_is_joined(versions, &policy->relation[i]))
				linked = lappend(linked, policy->name);
	}
	return linked;
}

ArrayType *
sdcpg_versions_keys_of_linked(struct SdcVersions *versions,
							  const SdcPolicy *policy)
{
	int i;

	for (i = 0; i < policy->count; i++)
		if (sdcpg_versions_is_joined(versions, &policy->relation[i]))
		{
			/* names that are gone are no columns of a part */
			List *names =
				sdcpg_params_names(policy->relation[i].params, "keys");
			SdcRelationColumns roles;

			if (names != NIL)
				return sdcpg_policy_name_list(names);
			roles = sdcpg_roles_columns(versions->original, "keys", NULL,
										SDC_ROLE_KEY);
			return sdcpg_policy_names(&roles);
		}
	return NULL;
}

/* Reads a part of another policy; false: it is not to be compared with. */
static bool
read_other(struct SdcVersions *versions, SdcPart *part,
		   const SdcCatalogRows *rows, int row, const SdcPolicy *policy)
{
	Oid relation = DatumGetObjectId(rows->value[row][7]);
	const char *id = other_id(versions, policy, relation);
	bool records = sdcpg_versions_records_part(versions) != NULL;

	if ((id == NULL && !records) ||
		strcmp(TextDatumGetCString(rows->value[row][6]),
			   sdcpg_versions_mark(policy->name)) != 0 ||
		!sdcpg_versions_read_part(versions, part, rows, row) ||
		sdcpg_versions_makes_records(part) != records)
		return false;
	part->policy = policy->name;
	part->relation = relation;
	part->id = id;
	part->keys = sdcpg_versions_keys_of_linked(versions, policy);
	return true;
}

/* The persons of the sample of the table, by the id and the keys of a part of
 * another policy, as an array in SQL. */
static char *
sampled_persons(struct SdcVersions *versions, const SdcPart *part)
{
	return psprintf("ARRAY(SELECT %s FROM (SELECT r.%s FROM %s AS r"
					" ORDER BY r.%s LIMIT %d) AS r)",
					sdcpg_versions_part_person(versions, part, "r"), part->id,
					versions->original->sql, part->id, SAMPLE_ROWS);
}

/* What the policy of a part remembers of these persons, as SQL. */
static char *
values_of_sample(struct SdcVersions *versions, const SdcPart *part)
{
	return psprintf("sdc.release_values(%s, '%u'::regclass, %s)",
					quote_literal_cstr(part->policy), part->relation,
					sampled_persons(versions, part));
}

/* Does it remember anybody of the sample?  So most other tables are told from
 * copies, whatever parts they have. */
static bool
has_people(struct SdcVersions *versions, const SdcPart *part)
{
	int settings = NewGUCNestLevel();
	SdcCatalogRows *rows;

	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(psprintf("SELECT EXISTS (SELECT FROM %s AS m)",
									   values_of_sample(versions, part)),
							  NULL);
	AtEOXact_GUC(false, settings);
	return DatumGetBool(rows->value[0][0]);
}

/*
 * Whose cells of a part the table has, in a sample of it: persons that both
 * have, those whose values are the same, and those for whom the values of
 * somebody else are, as happens by chance.
 */
static SdcCatalogRows *
ask_same(struct SdcVersions *versions, const SdcPart *part)
{
	const char *n = versions->own.rows;
	char *cell = sdcpg_versions_cell(versions, part);
	SdcRelationColumns columns = {0};
	StringInfoData list;
	StringInfoData next;
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();
	int i;

	sdcpg_seal_pin_settings();
	sdcpg_versions_add_columns(&columns, &part->columns, NULL);
	sdcpg_versions_add_columns(&columns, &part->strata, NULL);
	initStringInfo(&list);
	initStringInfo(&next);
	for (i = 0; i < columns.count; i++)
		if (strcmp(columns.column[i].sql, part->id) != 0)
		{
			appendStringInfo(&list, ", r.%s", columns.column[i].sql);
			appendStringInfo(&next, ", lead(s.%s) OVER (ORDER BY s.%s) AS %s",
							 columns.column[i].sql, n, columns.column[i].sql);
		}
	rows = sdcpg_catalog_read(
		psprintf("WITH s AS MATERIALIZED (SELECT r.%s%s, row_number() OVER"
				 " (ORDER BY %s) AS %s FROM %s AS r ORDER BY %s LIMIT %d)"
				 " SELECT count(DISTINCT a.person)::float8,"
				 " count(DISTINCT a.person) FILTER (WHERE m.cell = a.cell)"
				 "::float8, count(DISTINCT a.person)"
				 " FILTER (WHERE m.cell = b.cell)::float8"
				 " FROM (SELECT r.%s AS n, %s AS person, %s AS cell"
				 " FROM s AS r) AS a JOIN (SELECT r.%s AS n, %s AS cell"
				 " FROM (SELECT s.%s, s.%s%s FROM s) AS r) AS b ON b.n = a.n"
				 " JOIN %s AS m ON m.person = a.person"
				 " AND m.part = " INT64_FORMAT,
				 part->id, list.data, sdcpg_versions_person(versions, "r"), n,
				 versions->original->sql, n, SAMPLE_ROWS, n,
				 sdcpg_versions_part_person(versions, part, "r"), cell, n,
				 cell, part->id, n, next.data,
				 values_of_sample(versions, part), part->number),
		NULL);
	AtEOXact_GUC(false, settings);
	return rows;
}

/* A part of another policy that is tried. */
typedef struct Tried
{
	struct SdcVersions *versions;
	const SdcCatalogRows *rows;
	int row;
	const SdcPolicy *policy;
	SdcPart *part;
	bool compares; /* is only its table compared? */
	bool strange;  /* has it nobody of this table? */
	bool met;      /* has it somebody, as a part before said? */
	bool holds;
} Tried;

/*
 * Reads the part; or says whether its table is of the same people, by their
 * ids: more than half of the values that are not the same by chance are the
 * same, and more than chance has among so few.
 */
static bool
try_other(void *arg)
{
	Tried *tried = arg;
	SdcCatalogRows *same;
	double persons;
	double more;

	tried->holds = read_other(tried->versions, tried->part, tried->rows,
							  tried->row, tried->policy);
	if (!tried->holds || !tried->compares)
		return true;
	/* the persons of all parts of a table are made alike */
	tried->met = tried->met || has_people(tried->versions, tried->part);
	tried->strange = !tried->met;
	if (tried->strange)
		return true;
	same = ask_same(tried->versions, tried->part);
	persons = DatumGetFloat8(same->value[0][0]);
	more =
		DatumGetFloat8(same->value[0][1]) - DatumGetFloat8(same->value[0][2]);
	tried->holds = more > 2 * sqrt(persons) &&
				   more > (persons - DatumGetFloat8(same->value[0][2])) / 2;
	return true;
}

/*
 * Is another table a copy of this one, or has some of its rows?  By any of the
 * parts that the policy has of it, none of which need fit this table.
 */
static bool
is_copy(struct SdcVersions *versions, const SdcCatalogRows *rows,
		const SdcPolicy *policy, Oid relation)
{
	SdcPart part;
	Tried tried = {.versions = versions,
				   .rows = rows,
				   .policy = policy,
				   .part = &part,
				   .compares = true};

	/* of new records nobody has an id */
	if (sdcpg_versions_records_part(versions) != NULL)
		return false;
	for (; tried.row < rows->count && !tried.strange; tried.row++)
		if (DatumGetObjectId(rows->value[tried.row][7]) == relation &&
			strcmp(TextDatumGetCString(rows->value[tried.row][5]),
				   policy->name) == 0 &&
			sdcpg_versions_attempt(versions, try_other, &tried) == NULL &&
			!tried.strange && tried.holds)
			return true;
	return false;
}

/* Adds the parts of another policy, by rows of all other policies. */
static void
add_others(struct SdcVersions *versions, const SdcCatalogRows *rows,
		   const SdcPolicy *policy)
{
	Tried tried = {.versions = versions, .rows = rows, .policy = policy};
	Oid relation = InvalidOid;
	bool same = false;
	bool any = false;

	for (; tried.row < rows->count; tried.row++)
	{
		Datum *value = rows->value[tried.row];

		if (strcmp(TextDatumGetCString(value[5]), policy->name) != 0)
			continue;
		if (relation != DatumGetObjectId(value[7]))
		{
			relation = DatumGetObjectId(value[7]);
			same = DatumGetBool(value[8]) ||
				   is_copy(versions, rows, policy, relation);
		}
		if (!same)
			continue;
		tried.part = &versions->part[versions->seen_parts];
		/* of the table itself everything can be read */
		if (DatumGetBool(value[8]))
			try_other(&tried);
		else if (sdcpg_versions_attempt(versions, try_other, &tried) != NULL)
			continue;
		if (tried.holds)
		{
			versions->seen_parts++;
			any = true;
		}
	}
	if (any)
		versions->others = lappend(versions->others, policy->name);
}

/* Adds a policy unless the list has it, or its table is said to be apart. */
static List *
add_policy(const struct SdcVersions *versions, List *list, SdcPolicy *policy)
{
	ListCell *cell;

	if (sdcpg_params_is_listed(versions->staging->params.apart, policy->name))
		return list;
	foreach (cell, list)
		if (strcmp(((SdcPolicy *) lfirst(cell))->name, policy->name) == 0)
			return list;
	return lappend(list, policy);
}

/* The other policies of the owner that the table is in: SdcPolicy *. */
static List *
list_others(const struct SdcVersions *versions)
{
	const char *owner = GetUserNameFromId(GetUserId(), false);
	List *others = NIL;
	ListCell *relation;
	ListCell *cell;

	foreach (relation, sdcpg_relation_kin(versions->original->oid))
		foreach (cell, sdcpg_policies_of(lfirst_oid(relation)))
		{
			SdcPolicy *policy = lfirst(cell);

			if (strcmp(policy->owner, owner) == 0 &&
				strcmp(policy->name, versions->policy) != 0)
				others = add_policy(versions, others, policy);
		}
	return others;
}

List *
sdcpg_versions_list_gone(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *gone = NIL;
	int row;

	sdcpg_versions_bind_memory(&parameters, versions->policy,
							   versions->original->oid);
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT DISTINCT ON (h.policy) h.policy, e.value"
		" OPERATOR(pg_catalog.->) 'rules', COALESCE(e.value"
		" OPERATOR(pg_catalog.->) 'params', '{}')"
		" FROM sdc.release_history AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations) AS e (value)"
		" WHERE NOT h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.owner OPERATOR(pg_catalog.=) $3"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND (e.value OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $4 AND NOT EXISTS (SELECT FROM sdc.policy"
		" AS y WHERE y.policy OPERATOR(pg_catalog.=) h.policy"
		" AND (NOT y.owner OPERATOR(pg_catalog.=) h.owner"
		" OR EXISTS (SELECT FROM sdc.policy_relation AS r"
		" WHERE r.policy OPERATOR(pg_catalog.=) h.policy"
		" AND r.relation OPERATOR(pg_catalog.=) $2)))"
		" ORDER BY h.policy, h.release DESC",
		&parameters);
	for (row = 0; row < rows->count; row++)
	{
		SdcPolicy *policy = palloc0(sizeof(SdcPolicy));

		policy->name = TextDatumGetCString(rows->value[row][0]);
		policy->count = 1;
		policy->relation = palloc0(sizeof(SdcPolicyRelation));
		policy->relation->oid = versions->original->oid;
		policy->relation->rules = DatumGetJsonbP(rows->value[row][1]);
		policy->relation->params = DatumGetJsonbP(rows->value[row][2]);
		gone = add_policy(versions, gone, policy);
	}
	return gone;
}

/* Adds policies of which nothing but parts is there: rows of ask_sharing. */
static List *
add_gone(const struct SdcVersions *versions, List *others,
		 const SdcCatalogRows *rows)
{
	int row;

	for (row = 0; row < rows->count; row++)
	{
		SdcPolicy *policy = palloc0(sizeof(SdcPolicy));

		policy->name = TextDatumGetCString(rows->value[row][5]);
		others = add_policy(versions, others, policy);
	}
	return others;
}

void
sdcpg_versions_read_others(struct SdcVersions *versions)
{
	List *others = list_others(versions);
	SdcCatalogRows *rows;
	ListCell *cell;

	versions->seen_parts = versions->all_parts;
	if (!versions->remembers)
		warn_of_strangers(versions);
	/* as their next releases would */
	foreach (cell, others)
	{
		const SdcPolicy *policy = lfirst(cell);
		struct SdcVersions other = *versions;
		int i;

		other.policy = policy->name;
		for (i = 0; i < policy->count; i++)
			if (policy->relation[i].oid == versions->original->oid)
				sdcpg_versions_follow(&other);
	}
	others = list_concat(others, sdcpg_versions_list_gone(versions));
	versions->linked = list_linked(versions, others);
	rows = ask_sharing(
		versions,
		"SELECT p.part, p.rules, p.columns OPERATOR(pg_catalog.||) p.strata,"
		" p.types, p.widths, p.policy, p.mark, CAST(p.relation AS"
		" pg_catalog.oid)," OF_FAMILY
		" FROM sdc.release_part AS p WHERE" SHARING
		" AND p.owner OPERATOR(pg_catalog.=)"
		" $3::pg_catalog.name ORDER BY p.relation, p.part");
	versions->part =
		repalloc(versions->part,
				 sizeof(SdcPart) * (versions->all_parts + rows->count + 1));
	others = add_gone(versions, others, rows);
	foreach (cell, others)
		add_others(versions, rows, lfirst(cell));
}
