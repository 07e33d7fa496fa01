/*
 * versions_other.c
 *		What was published besides the draws of a policy: new records, what
 *		other policies drew, and what other rules made of the same values.
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
 *
 * A rule that is a function of the value needs no memory.  But a column that
 * was rounded to fives and then to sevens is known to about one, and the
 * history says which rules were: so what they made is made again, to be
 * attacked with the rest.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/server/compat.h"
#include "host/server/error.h"
#include "release/document.h"
#include "release/history.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/* What rules of before made is looked at for so many columns and rules. */
#define FIXED_LIMIT 16

/* Rows of a table that tell whether another one is of the same people. */
#define SAMPLE_ROWS 2000

/*
 * Does something in a subtransaction, as a hierarchy may be gone, or a column
 * of another type.  Returns the error that ended it, or NULL.
 */
static ErrorData *
attempt(struct SdcVersions *versions, bool (*work)(void *), void *arg)
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

/*
 * The tables that may have rows of the table, itself among them: those that it
 * is a partition of or inherits from, and those below it.
 */
#define FAMILY                                                           \
	"WITH RECURSIVE above AS (SELECT $1 AS oid UNION SELECT i.inhparent" \
	" FROM pg_catalog.pg_inherits AS i JOIN above AS a"                  \
	" ON i.inhrelid OPERATOR(pg_catalog.=) a.oid),"                      \
	" below AS (SELECT $1 AS oid UNION SELECT i.inhrelid"                \
	" FROM pg_catalog.pg_inherits AS i JOIN below AS b"                  \
	" ON i.inhparent OPERATOR(pg_catalog.=) b.oid)"                      \
	" SELECT pg_catalog.array_agg(CAST(f.oid AS pg_catalog.regclass)"    \
	" ORDER BY f.oid) FROM (SELECT oid FROM above UNION SELECT oid FROM" \
	" below) AS f"

static ArrayType *
find_family(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(versions->original->oid), false);
	return DatumGetArrayTypeP(
		sdcpg_catalog_read(FAMILY, &parameters)->value[0][0]);
}

/* Is a part of one of these tables?  As SQL. */
#define OF_FAMILY " p.relation OPERATOR(pg_catalog.=) ANY ($2)"

/*
 * Policies with parts of columns that the policy draws for, too, some of
 * which may have been dropped, or whose tables are joined with that of this
 * one; one owner's or of all others.
 */
#define SHARING                                                            \
	" NOT p.policy OPERATOR(pg_catalog.=) $1"                              \
	" AND NOT EXISTS (SELECT FROM sdc.policy AS y"                         \
	" WHERE y.policy OPERATOR(pg_catalog.=) p.policy"                      \
	" AND NOT y.owner OPERATOR(pg_catalog.=) p.owner)"                     \
	" AND (p.policy OPERATOR(pg_catalog.=) ANY ($5)"                       \
	" OR EXISTS (SELECT FROM sdc.release_part AS q"                        \
	" JOIN sdc.release_value AS v ON v.part OPERATOR(pg_catalog.=) q.part" \
	" WHERE q.policy OPERATOR(pg_catalog.=) p.policy"                      \
	" AND q.relation OPERATOR(pg_catalog.=) p.relation"                    \
	" AND q.columns OPERATOR(pg_catalog.&&) $4))"

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

/*
 * The id that another policy has for the table, or for one that has rows of
 * it, as SQL; NULL: none that the table has, too.
 */
static const char *
other_id(const struct SdcVersions *versions, const SdcPolicy *policy,
		 Oid relation)
{
	const SdcRelation *table = relation == versions->original->oid
								   ? versions->original
								   : sdcpg_relation_find(relation);
	SdcRelationColumn *id;
	int i;

	for (i = 0; i < policy->count; i++)
		if (policy->relation[i].oid == relation)
		{
			char *name = sdcpg_params_text(policy->relation[i].params, "id");

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

/*
 * Do both policies publish the same id of the table, or another column that
 * tells rows apart?  Who has both joins them, so what each hides of one key is
 * known by another one.
 */
static bool
is_joined(struct SdcVersions *versions, const SdcPolicyRelation *other)
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
			if (is_joined(versions, &policy->relation[i]))
				linked = lappend(linked, policy->name);
	}
	return linked;
}

/* The keys of such a policy, as name[]; NULL for others. */
static ArrayType *
keys_of_linked(struct SdcVersions *versions, const SdcPolicy *policy)
{
	int i;

	for (i = 0; i < policy->count; i++)
		if (is_joined(versions, &policy->relation[i]))
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
	part->keys = keys_of_linked(versions, policy);
	return true;
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
				 cell, part->id, n, next.data, values_of(versions, part),
				 part->number),
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
	Tried tried = {versions, rows, 0, policy, &part, true, false};

	/* of new records nobody has an id */
	if (sdcpg_versions_records_part(versions) != NULL)
		return false;
	for (; tried.row < rows->count; tried.row++)
		if (DatumGetObjectId(rows->value[tried.row][7]) == relation &&
			strcmp(TextDatumGetCString(rows->value[tried.row][5]),
				   policy->name) == 0 &&
			attempt(versions, try_other, &tried) == NULL && tried.holds)
			return true;
	return false;
}

/* Adds the parts of another policy, by rows of all other policies. */
static void
add_others(struct SdcVersions *versions, const SdcCatalogRows *rows,
		   const SdcPolicy *policy)
{
	Tried tried = {versions, rows, 0, policy, NULL, false, false};
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
		else if (attempt(versions, try_other, &tried) != NULL)
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
	ListCell *cell;
	Datum *relation;
	int count;
	int i;

	deconstruct_array(find_family(versions), REGCLASSOID, sizeof(Oid), true,
					  TYPALIGN_INT, &relation, NULL, &count);
	for (i = 0; i < count; i++)
		foreach (cell, sdcpg_policies_of(DatumGetObjectId(relation[i])))
		{
			SdcPolicy *policy = lfirst(cell);

			if (strcmp(policy->owner, owner) == 0 &&
				strcmp(policy->name, versions->policy) != 0)
				others = add_policy(versions, others, policy);
		}
	return others;
}

/* Those that are gone, or not for it any more, by their latest releases. */
static List *
list_gone(const struct SdcVersions *versions)
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
	others = list_concat(others, list_gone(versions));
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

/* ----------------------------------------------------------------------
 * What rules of before made that are a function of the value.
 * ----------------------------------------------------------------------
 */

/* The rule of one column, as rules. */
static Jsonb *
single_rule(const char *column, Jsonb *params)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	if (params != NULL)
		sdcpg_document_jsonb(&document, column, params);
	else
	{
		sdcpg_document_open(&document, column, '{');
		sdcpg_document_text(&document, "method", "keep");
		sdcpg_document_close(&document, '{');
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* Makes a part of a rule, and again what it made of the values of now. */
static bool
make_fixed(struct SdcVersions *versions, SdcPart *part, Jsonb *document)
{
	SdcRules rules = sdcpg_rules_read(document, versions->original);
	char *from = psprintf("g%d", versions->tried++);
	const SdcRelation *made;
	SdcRelationColumn column;
	int settings;

	memset(part, 0, sizeof(*part));
	if (rules.count != 1 || rules.rule[0].columns.count != 1 ||
		strcmp(rules.rule[0].method->name, "null") == 0 ||
		sdcpg_versions_draws(&rules.rule[0]) ||
		(rules.rule[0].method->traits & SDC_MASK_KEYED) != 0)
		return false;
	part->rules = list_make1(&rules.rule[0]);
	sdcpg_versions_fill_part(versions, part);
	part->fixed = psprintf("f%d", versions->tried);
	/* without columns that have no rule here and must have one */
	(void) sdcpg_versions_table(
		versions, from,
		psprintf("SELECT r.%s, r.%s FROM %s AS r", versions->id.sql,
				 part->columns.column[0].sql, versions->original->sql));
	/* what is to be said of the rule was said then */
	settings = NewGUCNestLevel();
	sdcpg_set_for_now("client_min_messages", "error");
	(void) sdcpg_versions_mask_table(versions, from, document, part->fixed);
	AtEOXact_GUC(false, settings);
	made = sdcpg_versions_find(versions, part->fixed);
	column = sdcpg_relation_column(made, part->columns.column[0].name);
	part->type[0] = sdcpg_relation_type(made, &column);
	return true;
}

/* What a rule of before made, when it can be carried out still. */
typedef struct Remade
{
	struct SdcVersions *versions;
	SdcPart *part;
	Jsonb *document;
	bool made;
} Remade;

static bool
try_fixed(void *arg)
{
	Remade *remade = arg;

	remade->made =
		make_fixed(remade->versions, remade->part, remade->document);
	return true;
}

/* The same; of what cannot be made again nobody can tell what it was. */
static bool
remake_fixed(struct SdcVersions *versions, SdcPart *part, int64 release,
			 Jsonb *document, const char *column)
{
	Remade remade = {versions, part, document, false};
	ErrorData *failure = attempt(versions, try_fixed, &remade);

	if (failure == NULL)
		return remade.made;
	ereport(WARNING,
			(errmsg("what release " INT64_FORMAT " published of column \"%s\" "
					"is not attacked together with this one",
					release, column),
			 errdetail("Its rule of then cannot be carried out any more: %s.",
					   failure->message)));
	return false;
}

/* Is it there already, or what the rule of now makes of a column shown now? */
static bool
is_known(const struct SdcVersions *versions, const char *column, bool shown,
		 Jsonb *then)
{
	Jsonb *now = single_rule(
		column, sdcpg_versions_rule_of(versions->staging->rules, column));
	int p;

	if (shown && sdcpg_params_same(now, then))
		return true;
	for (p = versions->all_parts; p < versions->seen_parts; p++)
		if (versions->part[p].fixed != NULL &&
			sdcpg_params_same(versions->part[p].document, then))
			return true;
	return false;
}

/* ----------------------------------------------------------------------
 * What a release was made from: contents of hierarchies, and a sample of
 * digests of the original values.
 *
 * A hierarchy can be dropped, and another one created under its name.  And
 * whether older rules made something of the values of now can only be told by
 * these.
 * ----------------------------------------------------------------------
 */

/* Persons of the sample, with digests of so many digits. */
#define BASIS_PERSONS "32"
#define BASIS_DIGITS  "16"

/* The releases that are gone through, and what is known of them. */
typedef struct Basis
{
	struct SdcVersions *versions;
	struct SdcVersions *owner; /* by whose policy: the same, or another one */
	List *own;                 /* char *: keys of the policy of now */
	ArrayType *keys;           /* of both, of another policy */
	SdcCatalogRows *rows;      /* released, the latest first: see read_past */
	Jsonb *contents;           /* of the hierarchies of now */
	int64 looked;         /* the row whose sample was looked up; -1: none */
	SdcCatalogRows *same; /* of this sample: persons and equal values */
} Basis;

/* The policy, its owner and the table published, as $1 to $3. */
static void
bind_published(SdcCatalogParameters *parameters,
			   const struct SdcVersions *versions)
{
	const char *target = versions->staging->target;

	sdcpg_catalog_bind_text(parameters, versions->policy);
	sdcpg_catalog_bind_text(parameters, GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind(parameters, TEXTOID,
					   target == NULL ? 0 : CStringGetTextDatum(target),
					   target == NULL);
}

/* The contents of all hierarchies that rules name, as an object. */
static Jsonb *
read_contents(Jsonb *rules)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(rules), false);
	return DatumGetJsonbP(
		sdcpg_catalog_read(
			"SELECT COALESCE(pg_catalog.jsonb_object_agg(h.hierarchy,"
			" pg_catalog.jsonb_build_object('kind', h.kind, 'params',"
			" h.params, 'levels', h.levels, 'rows', (SELECT"
			" pg_catalog.jsonb_agg(v.levels ORDER BY v.place)"
			" FROM sdc.hierarchy_value AS v"
			" WHERE v.hierarchy OPERATOR(pg_catalog.=) h.hierarchy))), '{}')"
			" FROM sdc.hierarchy AS h WHERE EXISTS (SELECT FROM"
			" pg_catalog.jsonb_each($1) AS r WHERE"
			" pg_catalog.jsonb_typeof(r.value) OPERATOR(pg_catalog.=)"
			" 'object' AND (r.value OPERATOR(pg_catalog.->>) 'hierarchy')"
			" OPERATOR(pg_catalog.=) h.hierarchy)",
			&parameters)
			->value[0][0]);
}

/*
 * The content of a hierarchy in a release, and the first release that had it;
 * NULL: it is not known.
 */
static Jsonb *
content_then(const struct SdcVersions *versions, const char *hierarchy,
			 int64 release, int64 *first)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	bind_published(&parameters, versions);
	sdcpg_catalog_bind_text(&parameters, hierarchy);
	sdcpg_catalog_bind(&parameters, INT8OID, Int64GetDatum(release), false);
	rows = sdcpg_catalog_read_owned(
		"release_basis",
		"SELECT b.release, b.hierarchies OPERATOR(pg_catalog.->) $4"
		" FROM sdc.release_basis AS b"
		" WHERE b.policy OPERATOR(pg_catalog.=) $1"
		" AND b.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND b.target OPERATOR(pg_catalog.=) $3"
		" AND b.hierarchies OPERATOR(pg_catalog.?) $4"
		" AND b.release OPERATOR(pg_catalog.<=) $5"
		" ORDER BY b.release DESC LIMIT 1",
		&parameters);
	if (rows->count == 0)
		return NULL;
	*first = DatumGetInt64(rows->value[0][0]);
	return DatumGetJsonbP(rows->value[0][1]);
}

/* Adds the row of a hierarchy of before; false: the name is taken. */
static bool
add_hierarchy(const char *name, Jsonb *content)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(content), false);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	return sdcpg_catalog_write(
			   "hierarchy",
			   "INSERT INTO sdc.hierarchy (hierarchy, kind, params, levels,"
			   " owner) VALUES ($1, $2 OPERATOR(pg_catalog.->>) 'kind', $2"
			   " OPERATOR(pg_catalog.->) 'params', CAST($2"
			   " OPERATOR(pg_catalog.->>) 'levels' AS pg_catalog.int4),"
			   " $3::pg_catalog.name) ON CONFLICT (hierarchy) DO NOTHING",
			   &parameters) > 0;
}

/*
 * Creates a hierarchy as a release had it, until the tables of this one are
 * dropped; returns its name.
 */
static char *
create_content(struct SdcVersions *versions, const char *hierarchy,
			   int64 first, Jsonb *content)
{
	int length = pg_mbcliplen(hierarchy, strlen(hierarchy), 40);
	char *name = psprintf("%.*s@" INT64_FORMAT, length, hierarchy, first);
	SdcCatalogParameters parameters = {0};

	if (sdcpg_params_is_listed(versions->hierarchies, name))
		return name;
	if (!add_hierarchy(name, content))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("hierarchy \"%s\" is in the way", name),
						errdetail("Release " INT64_FORMAT
								  " had another content under the name "
								  "\"%s\", which is looked at by this name.",
								  first, hierarchy),
						errhint("Give it another name.")));
	sdcpg_catalog_bind_text(&parameters, name);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(content), false);
	sdcpg_catalog_write(
		"hierarchy_value",
		"INSERT INTO sdc.hierarchy_value (hierarchy, place, levels)"
		" SELECT $1, r.place, ARRAY(SELECT e.label FROM"
		" pg_catalog.jsonb_array_elements_text(r.line) WITH ORDINALITY"
		" AS e (label, n) ORDER BY e.n) FROM"
		" pg_catalog.jsonb_array_elements(CASE WHEN pg_catalog.jsonb_typeof("
		"$2 OPERATOR(pg_catalog.->) 'rows') OPERATOR(pg_catalog.=) 'array'"
		" THEN $2 OPERATOR(pg_catalog.->) 'rows' ELSE '[]' END)"
		" WITH ORDINALITY AS r (line, place)",
		&parameters);
	versions->hierarchies = lappend(versions->hierarchies, name);
	return name;
}

void
sdcpg_versions_drop_hierarchies(struct SdcVersions *versions)
{
	ListCell *cell;

	foreach (cell, versions->hierarchies)
	{
		SdcCatalogParameters parameters = {0};

		sdcpg_catalog_bind_text(&parameters, lfirst(cell));
		sdcpg_catalog_write("hierarchy_value",
							"DELETE FROM sdc.hierarchy_value AS v"
							" WHERE v.hierarchy OPERATOR(pg_catalog.=) $1",
							&parameters);
		sdcpg_catalog_write("hierarchy",
							"DELETE FROM sdc.hierarchy AS h"
							" WHERE h.hierarchy OPERATOR(pg_catalog.=) $1",
							&parameters);
	}
	versions->hierarchies = NIL;
}

/*
 * The rule of a column in a release.  A hierarchy that has another content
 * since, or is gone, is there again under a name that has the release.
 */
static Jsonb *
rule_then(const Basis *basis, int64 row, const char *column)
{
	int64 release = DatumGetInt64(basis->rows->value[row][0]);
	Jsonb *rule = sdcpg_versions_rule_of(
		DatumGetJsonbP(basis->rows->value[row][1]), column);
	char *hierarchy =
		rule == NULL ? NULL : sdcpg_params_text(rule, "hierarchy");
	Jsonb *content;
	Jsonb *now;
	int64 first;
	StringInfoData document;

	if (hierarchy == NULL)
		return single_rule(column, rule);
	content = content_then(basis->owner, hierarchy, release, &first);
	now = sdcpg_document_part(basis->contents, hierarchy);
	if (content == NULL || (now != NULL && sdcpg_params_same(now, content)))
		return single_rule(column, rule);
	hierarchy = create_content(basis->versions, hierarchy, first, content);
	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_text(&document, "hierarchy", hierarchy);
	sdcpg_document_close(&document, '{');
	return single_rule(column,
					   DatumGetJsonbP(DirectFunctionCall2(
						   jsonb_concat, JsonbPGetDatum(rule),
						   JsonbPGetDatum(sdcpg_document_end(&document)))));
}

/* A column of a row with the alias r in the sample, as SQL. */
static char *
sample_sql(const struct SdcVersions *versions, const char *column)
{
	return psprintf("left(encode(sdc.release_digest(%s, %s,"
					" record_out(ROW(r.%s))::text,"
					" record_out(ROW(r.%s))::text, NULL, NULL), 'hex'),"
					" " BASIS_DIGITS ")",
					quote_literal_cstr(versions->policy),
					quote_literal_cstr(psprintf("basis %s", column)),
					versions->id.sql, quote_identifier(column));
}

/* Is a column withheld by the rules of now?  Then it need not be read. */
static bool
is_withheld(const struct SdcVersions *versions, const char *column)
{
	Jsonb *rule = sdcpg_versions_rule_of(versions->rules, column);

	return rule != NULL &&
		   sdcpg_params_same_word(sdcpg_params_text(rule, "method"), "null");
}

/* The names of columns that may be published, but for the id. */
static List *
sampled_columns(const struct SdcVersions *versions)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	List *names = NIL;
	int c;

	for (c = 0; c < all.count; c++)
		if (all.column[c].number != versions->id.number &&
			!is_withheld(versions, all.column[c].name))
			names = lappend(names, all.column[c].name);
	return names;
}

/*
 * The rows of the sample as a query: the digest of each person and an object
 * of those of his values.  All of the persons in a list ($1), or a new sample.
 */
static char *
sample_query(const struct SdcVersions *versions, bool listed)
{
	StringInfoData values;
	StringInfoData columns;
	ListCell *cell;

	initStringInfo(&values);
	initStringInfo(&columns);
	foreach (cell, sampled_columns(versions))
	{
		appendStringInfo(&values, "%sjsonb_build_object(%s, %s)",
						 values.len > 0 ? " || " : "",
						 quote_literal_cstr(lfirst(cell)),
						 sample_sql(versions, lfirst(cell)));
		appendStringInfo(&columns, ", r.%s", quote_identifier(lfirst(cell)));
	}
	if (values.len == 0)
		appendStringInfoString(&values, "'{}'::jsonb");
	return psprintf(
		"SELECT r.%s AS person, %s AS value FROM (SELECT"
		" left(encode(%s, 'hex'), " BASIS_DIGITS ") AS %s, r.%s%s"
		/* inner OFFSET: digests are not made on workers of Citus */
		" FROM (SELECT r.%s%s FROM %s AS r OFFSET 0) AS r%s) AS r%s",
		versions->own.person, values.data,
		sdcpg_versions_person(versions, "r"), versions->own.person,
		versions->id.sql, columns.data, versions->id.sql, columns.data,
		versions->original->sql,
		listed ? " OFFSET 0" : " ORDER BY 1 LIMIT " BASIS_PERSONS,
		listed ? psprintf(" WHERE $1 ? r.%s", versions->own.person) : "");
}

/* Runs a query of samples, with the settings that digests depend on. */
static SdcCatalogRows *
run_sample(const char *sql, Jsonb *sample)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();

	if (sample != NULL)
		sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(sample),
						   false);
	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(sql, &parameters);
	AtEOXact_GUC(false, settings);
	return rows;
}

/*
 * Is what a release published of a column of the values of now?  At least half
 * of those in its sample are the same.  Where nobody can tell they are taken
 * to be; where nobody is left, only unless rows are other people each time.
 */
static bool
is_of_now(Basis *basis, int64 row, const char *column)
{
	bool known = !basis->rows->isnull[row][3];
	double persons = 0;
	double same = 0;
	int64 i;

	if (!known)
		return true;
	if (basis->looked != row)
		basis->same = run_sample(
			psprintf("SELECT k.key, CAST(count(*) AS float8), CAST(count(*)"
					 " FILTER (WHERE k.value = $1 -> s.person ->> k.key) AS"
					 " float8) FROM (%s) AS s,"
					 " jsonb_each_text(s.value) AS k"
					 " WHERE $1 -> s.person ? k.key GROUP BY k.key",
					 sample_query(basis->owner, true)),
			DatumGetJsonbP(basis->rows->value[row][3]));
	basis->looked = row;
	for (i = 0; i < basis->same->count; i++)
		if (strcmp(TextDatumGetCString(basis->same->value[i][0]), column) == 0)
		{
			persons = DatumGetFloat8(basis->same->value[i][1]);
			same = DatumGetFloat8(basis->same->value[i][2]);
		}
	return persons == 0 ? !basis->versions->staging->params.anew
						: 2 * same >= persons;
}

/*
 * Adds what one release published of a key by another rule, or of another
 * column that is not published any more, or by another rule.
 */
static void
add_column(Basis *basis, int64 row, const char *column)
{
	struct SdcVersions *versions = basis->versions;
	bool own = basis->owner == versions;
	SdcPart *part = &versions->part[versions->seen_parts];
	int64 release = DatumGetInt64(basis->rows->value[row][0]);
	Jsonb *then = rule_then(basis, row, column);
	bool key = sdcpg_params_is_listed(basis->own, column);
	bool shown =
		key || sdcpg_params_is_listed(versions->staging->published, column);

	if (is_known(versions, column, shown, then))
		return;
	if (!is_of_now(basis, row, column))
	{
		versions->turned |= own && key && row == 0;
		return;
	}
	if (!remake_fixed(versions, part, release, then, column))
		return;
	part->release = release;
	if (own)
		versions->turned |= key && row == 0;
	else
	{
		part->keys = basis->keys;
		if (!sdcpg_params_is_listed(versions->others, basis->owner->policy))
			versions->others =
				lappend(versions->others, pstrdup(basis->owner->policy));
	}
	versions->seen_parts++;
	versions->fixed++;
}

/* The same of all columns that are looked for. */
static void
add_fixed(Basis *basis, int64 row)
{
	Datum *key;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(basis->rows->value[row][2]), NAMEOID,
					  NAMEDATALEN, false, TYPALIGN_CHAR, &key, NULL, &count);
	for (i = 0; i < count && basis->versions->fixed < FIXED_LIMIT; i++)
	{
		char *column = NameStr(*DatumGetName(key[i]));

		/* tables differ while a column is there in one of them only */
		if (get_attnum(basis->versions->original->oid, column) !=
			InvalidAttrNumber)
			add_column(basis, row, column);
	}
}

/*
 * The published releases of the policy, the latest first: number, rules, which
 * of some columns they published, the sample, and where; of all places where
 * the policy published the table unless one is set.
 */
static SdcCatalogRows *
read_past(const struct SdcVersions *versions, ArrayType *keys)
{
	SdcCatalogParameters parameters = {0};

	bind_published(&parameters, versions);
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	sdcpg_catalog_bind(&parameters, NAMEARRAYOID, PointerGetDatum(keys),
					   false);
	return sdcpg_catalog_read_owned(
		"release_history",
		"SELECT h.release, e.value OPERATOR(pg_catalog.->) 'rules', ARRAY("
		"SELECT k.key FROM pg_catalog.unnest($5) AS k (key)"
		" WHERE (e.value OPERATOR(pg_catalog.->) 'published')"
		" OPERATOR(pg_catalog.?) CAST(k.key AS pg_catalog.text)), b.sample,"
		" e.value OPERATOR(pg_catalog.->>) 'target'"
		" FROM sdc.release_history AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations) AS e (value)"
		" LEFT JOIN sdc.release_basis AS b"
		" ON b.release OPERATOR(pg_catalog.=) h.release"
		" AND b.target OPERATOR(pg_catalog.=) COALESCE($3,"
		" e.value OPERATOR(pg_catalog.->>) 'target')"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" AND ((e.value OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $4"
		" OR (e.value OPERATOR(pg_catalog.->>) 'target')"
		" OPERATOR(pg_catalog.=) $3)"
		" ORDER BY h.release DESC",
		&parameters);
}

/*
 * Writes what this release is made from.  Contents that the release before
 * had, too, are not written again.
 */
static void
write_basis(const Basis *basis)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *sample = run_sample(
		psprintf("SELECT COALESCE(jsonb_object_agg(s.person, s.value), '{}')"
				 " FROM (%s) AS s",
				 sample_query(basis->versions, false)),
		NULL);

	bind_published(&parameters, basis->versions);
	sdcpg_catalog_bind(&parameters, INT8OID,
					   Int64GetDatum(basis->versions->release), false);
	sdcpg_catalog_bind(&parameters, JSONBOID, JsonbPGetDatum(basis->contents),
					   false);
	sdcpg_catalog_bind(&parameters, JSONBOID, sample->value[0][0], false);
	sdcpg_catalog_write(
		"release_basis",
		"INSERT INTO sdc.release_basis (policy, owner, target, release,"
		" hierarchies, sample) SELECT $1, $2::pg_catalog.name, $3, $4,"
		" CASE WHEN $5 OPERATOR(pg_catalog.=) (SELECT b.hierarchies"
		" FROM sdc.release_basis AS b"
		" WHERE b.policy OPERATOR(pg_catalog.=) $1"
		" AND b.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND b.target OPERATOR(pg_catalog.=) $3"
		" AND NOT b.hierarchies OPERATOR(pg_catalog.=) '{}'"
		" ORDER BY b.release DESC LIMIT 1) THEN '{}' ELSE $5 END, $6",
		&parameters);
}

/* Adds names (name[], may be NULL) to a list that may have them. */
static List *
add_names(List *list, ArrayType *names)
{
	Datum *name;
	int count;
	int i;

	if (names == NULL)
		return list;
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &name,
					  NULL, &count);
	for (i = 0; i < count; i++)
		if (!sdcpg_params_is_listed(list, NameStr(*DatumGetName(name[i]))))
			list = lappend(list, NameStr(*DatumGetName(name[i])));
	return list;
}

/* Keys, and all other columns but the id, which may tell of keys. */
static ArrayType *
keys_and_others(const struct SdcVersions *versions, List *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	List *names = list_copy(keys);
	int c;

	for (c = 0; c < all.count; c++)
		if (all.column[c].number != versions->id.number &&
			!sdcpg_params_is_listed(names, all.column[c].name))
			names = lappend(names, all.column[c].name);
	return sdcpg_policy_name_list(names);
}

/*
 * Adds what a policy whose table is joined with that of this one made of keys
 * of either, and of others, by rules that are a function of the value.
 */
static void
add_of_linked(struct SdcVersions *versions, const SdcPolicy *policy,
			  const SdcPolicyRelation *relation, ArrayType *keys)
{
	struct SdcVersions other = *versions;
	SdcStaging staging = *versions->staging;
	Basis basis = {versions, &other, add_names(NIL, keys)};
	int64 row;

	staging.policy = relation;
	staging.target = NULL;
	other.staging = &staging;
	other.policy = policy->name;
	other.rules = relation->rules;
	basis.looked = -1;
	basis.keys = sdcpg_policy_name_list(
		add_names(list_copy(basis.own), keys_of_linked(versions, policy)));
	basis.rows = read_past(
		&other, keys_and_others(versions, add_names(NIL, basis.keys)));
	basis.contents = read_contents(relation->rules);
	for (row = 0; row < basis.rows->count; row++)
	{
		staging.target = TextDatumGetCString(basis.rows->value[row][4]);
		add_fixed(&basis, row);
	}
}

void
sdcpg_versions_read_fixed(struct SdcVersions *versions, ArrayType *keys)
{
	Basis basis = {versions, versions, add_names(NIL, keys), NULL};
	ListCell *cell;
	int64 row;
	int i;

	basis.looked = -1;
	basis.rows = read_past(versions, keys_and_others(versions, basis.own));
	basis.contents = read_contents(versions->staging->policy->rules);
	versions->part =
		repalloc(versions->part,
				 sizeof(SdcPart) * (versions->seen_parts + FIXED_LIMIT + 1));
	for (row = 0; row < basis.rows->count; row++)
		add_fixed(&basis, row);
	write_basis(&basis);
	if (versions->linked == NIL)
		return;
	foreach (cell, list_concat(sdcpg_policies_of(versions->original->oid),
							   list_gone(versions)))
	{
		const SdcPolicy *policy = lfirst(cell);

		for (i = 0; i < policy->count; i++)
			if (sdcpg_params_is_listed(versions->linked, policy->name) &&
				is_joined(versions, &policy->relation[i]))
				add_of_linked(versions, policy, &policy->relation[i], keys);
	}
}
