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

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/server/compat.h"
#include "release/document.h"
#include "release/history.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"

/* What rules of before made is looked at for so many columns and rules. */
#define FIXED_LIMIT 16

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

/*
 * Policies with parts of the table that the policy draws for, too, some of
 * which may have been dropped; one owner's or of all others.
 */
#define SHARING                                                            \
	" p.relation OPERATOR(pg_catalog.=) ANY ($2)"                          \
	" AND NOT p.policy OPERATOR(pg_catalog.=) $1"                          \
	" AND NOT EXISTS (SELECT FROM sdc.policy AS y"                         \
	" WHERE y.policy OPERATOR(pg_catalog.=) p.policy"                      \
	" AND NOT y.owner OPERATOR(pg_catalog.=) p.owner)"                     \
	" AND EXISTS (SELECT FROM sdc.release_part AS q"                       \
	" JOIN sdc.release_value AS v ON v.part OPERATOR(pg_catalog.=) q.part" \
	" WHERE q.policy OPERATOR(pg_catalog.=) p.policy"                      \
	" AND q.relation OPERATOR(pg_catalog.=) p.relation"                    \
	" AND q.columns OPERATOR(pg_catalog.&&) $4)"

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
	return sdcpg_catalog_read_owned("release_part", query, &parameters);
}

static void
warn_of_strangers(const struct SdcVersions *versions)
{
	SdcCatalogRows *rows = ask_sharing(
		versions, "SELECT 1 FROM sdc.release_part AS p WHERE" SHARING
				  " AND NOT p.owner OPERATOR(pg_catalog.=)"
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

/* Adds a part of another policy; false: it is not to be compared with. */
static bool
add_other(struct SdcVersions *versions, const SdcCatalogRows *rows, int row,
		  const SdcPolicy *policy)
{
	SdcPart *part = &versions->part[versions->seen_parts];
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
	versions->seen_parts++;
	return true;
}

/* Adds the parts of another policy, by rows of all other policies. */
static void
add_others(struct SdcVersions *versions, const SdcCatalogRows *rows,
		   const SdcPolicy *policy)
{
	bool any = false;
	int row;

	for (row = 0; row < rows->count; row++)
		if (strcmp(TextDatumGetCString(rows->value[row][5]), policy->name) ==
			0)
			any |= add_other(versions, rows, row, policy);
	if (any)
		versions->others = lappend(versions->others, policy->name);
}

/* Adds a policy unless the list has it. */
static List *
add_policy(List *list, SdcPolicy *policy)
{
	ListCell *cell;

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
				strcmp(policy->name, versions->policy) != 0 &&
				!sdcpg_params_is_listed(versions->staging->params.apart,
										policy->name))
				others = add_policy(others, policy);
		}
	return others;
}

/*
 * Adds policies that are not there any more, or not for the table, and have
 * left what they published: the owner's, as rows of ask_sharing.
 */
static List *
add_gone(const struct SdcVersions *versions, List *others,
		 const SdcCatalogRows *rows)
{
	int row;

	for (row = 0; row < rows->count; row++)
	{
		SdcPolicy *policy = palloc0(sizeof(SdcPolicy));

		policy->name = TextDatumGetCString(rows->value[row][5]);
		if (!sdcpg_params_is_listed(versions->staging->params.apart,
									policy->name))
			others = add_policy(others, policy);
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
	rows = ask_sharing(
		versions,
		"SELECT p.part, p.rules, p.columns OPERATOR(pg_catalog.||) p.strata,"
		" p.types, p.widths, p.policy, p.mark, CAST(p.relation AS"
		" pg_catalog.oid) FROM sdc.release_part AS p WHERE" SHARING
		" AND p.owner OPERATOR(pg_catalog.=)"
		" $3::pg_catalog.name ORDER BY p.part");
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

/* What rules say of a column by itself; NULL: nothing, it is kept. */
static Jsonb *
rule_of_column(Jsonb *rules, const char *column)
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
	(void) sdcpg_versions_mask_table(versions, from, document, part->fixed);
	made = sdcpg_versions_find(versions, part->fixed);
	column = sdcpg_relation_column(made, part->columns.column[0].name);
	part->type[0] = sdcpg_relation_type(made, &column);
	return true;
}

/*
 * The same in a subtransaction: a hierarchy may be gone, or a key.  Then
 * nobody can tell what the rule made.
 */
static bool
try_fixed(struct SdcVersions *versions, SdcPart *part, int64 release,
		  Jsonb *document, const char *column)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	List *tables = list_copy(versions->tables);
	ErrorData *volatile failure = NULL;
	volatile bool made = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(caller);
	PG_TRY();
	{
		made = make_fixed(versions, part, document);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		failure = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	if (failure == NULL)
		return made;
	versions->tables = tables;
	if (failure->sqlerrcode == ERRCODE_QUERY_CANCELED ||
		failure->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
		ReThrowError(failure);
	ereport(WARNING,
			(errmsg("what release " INT64_FORMAT " published of column \"%s\" "
					"is not attacked together with this one",
					release, column),
			 errdetail("Its rule of then cannot be carried out any more: %s.",
					   failure->message)));
	return false;
}

/* Is it there already, or what the rule of now makes? */
static bool
is_known(const struct SdcVersions *versions, const char *column, Jsonb *then)
{
	Jsonb *now = single_rule(
		column, rule_of_column(versions->staging->policy->rules, column));
	int p;

	if (sdcpg_params_same(now, then))
		return true;
	for (p = versions->all_parts; p < versions->seen_parts; p++)
		if (versions->part[p].fixed != NULL &&
			sdcpg_params_same(versions->part[p].document, then))
			return true;
	return false;
}

/*
 * Are at least half of the values of a column of a table of the release in the
 * version before, which is still published?  True where nobody can tell.
 */
static bool
are_still_there(struct SdcVersions *versions, const char *table,
				const char *column)
{
	const char *name = quote_identifier(column);
	SdcPublished before;
	SdcCatalogRows *rows;
	int settings;

	if (!sdcpg_history_published(versions->policy, versions->staging->target,
								 &before) ||
		!OidIsValid(before.table) || get_rel_name(before.table) == NULL ||
		get_attnum(before.table, column) == InvalidAttrNumber)
		return true;
	settings = NewGUCNestLevel();
	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(
		psprintf("SELECT 2 * (SELECT count(*) FROM (SELECT format('%%s', r.%s)"
				 " FROM %s AS r INTERSECT ALL SELECT format('%%s', r.%s)"
				 " FROM %s AS r) AS s) >= (SELECT count(*) FROM %s AS r)",
				 name, table, name, sdcpg_relation_find(before.table)->sql,
				 table),
		NULL);
	AtEOXact_GUC(false, settings);
	return DatumGetBool(rows->value[0][0]);
}

/*
 * Is what releases before the latest one published of a column still of the
 * values of now?  The latest one (row 0) says so, where it published it: by
 * rules of now, or by others, which were looked at first; others that draw are
 * taken to.
 */
static bool
is_of_now(struct SdcVersions *versions, const SdcCatalogRows *rows,
		  const char *column, List *skipped)
{
	Jsonb *latest = single_rule(
		column, rule_of_column(DatumGetJsonbP(rows->value[0][1]), column));

	Jsonb *rule = sdcpg_params_object(latest, column);

	/* of what was withheld nothing is known */
	if (sdcpg_params_same_word(sdcpg_params_text(rule, "method"), "null") ||
		sdcpg_params_is_listed(skipped, column) ||
		!sdcpg_versions_lists_name(DatumGetArrayTypeP(rows->value[0][2]),
								   column))
		return false;
	return !sdcpg_params_same(
			   single_rule(
				   column,
				   rule_of_column(versions->staging->policy->rules, column)),
			   latest) ||
		   are_still_there(versions, versions->staging->masked->sql, column);
}

/* Adds what one release published of keys; returns whose values are others. */
static List *
add_fixed(struct SdcVersions *versions, const SdcCatalogRows *rows, int64 row,
		  List *skipped)
{
	int64 release = DatumGetInt64(rows->value[row][0]);
	Jsonb *rules = DatumGetJsonbP(rows->value[row][1]);
	Datum *key;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(rows->value[row][2]), NAMEOID,
					  NAMEDATALEN, false, TYPALIGN_CHAR, &key, NULL, &count);
	for (i = 0; i < count; i++)
	{
		char *column = NameStr(*DatumGetName(key[i]));
		Jsonb *then = single_rule(column, rule_of_column(rules, column));
		SdcPart *part = &versions->part[versions->seen_parts];

		if (versions->fixed == FIXED_LIMIT ||
			is_known(versions, column, then) ||
			(row > 0 && !is_of_now(versions, rows, column, skipped)) ||
			!try_fixed(versions, part, release, then, column))
			continue;
		if (row == 0 &&
			!are_still_there(
				versions, sdcpg_versions_name(versions, part->fixed), column))
		{
			skipped = lappend(skipped, column);
			continue;
		}
		part->release = release;
		versions->seen_parts++;
		versions->fixed++;
	}
	return skipped;
}

void
sdcpg_versions_read_fixed(struct SdcVersions *versions, ArrayType *keys)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *skipped = NIL;
	int64 row;

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	sdcpg_catalog_bind_text(&parameters,
							GetUserNameFromId(GetUserId(), false));
	sdcpg_catalog_bind_text(&parameters, versions->original->sql);
	sdcpg_catalog_bind_text(&parameters, versions->staging->target);
	sdcpg_catalog_bind(
		&parameters, INT8OID,
		Int64GetDatum(versions->staging->params.keep_versions - 1), false);
	sdcpg_catalog_bind(&parameters, NAMEARRAYOID, PointerGetDatum(keys),
					   false);
	rows = sdcpg_catalog_read_owned(
		"release_history",
		"SELECT h.release, e.value OPERATOR(pg_catalog.->) 'rules', ARRAY("
		"SELECT k.key FROM pg_catalog.unnest($6) AS k (key)"
		" WHERE (e.value OPERATOR(pg_catalog.->) 'published')"
		" OPERATOR(pg_catalog.?) CAST(k.key AS pg_catalog.text))"
		" FROM (SELECT h.release, h.relations FROM sdc.release_history AS h"
		" WHERE h.policy OPERATOR(pg_catalog.=) $1"
		" AND h.owner OPERATOR(pg_catalog.=) $2::pg_catalog.name"
		" AND h.status OPERATOR(pg_catalog.=) 'published'"
		" ORDER BY h.release DESC LIMIT $5) AS h CROSS JOIN LATERAL"
		" pg_catalog.jsonb_array_elements(h.relations) AS e (value)"
		" WHERE ((e.value OPERATOR(pg_catalog.->>) 'relation')"
		" OPERATOR(pg_catalog.=) $3"
		" OR (e.value OPERATOR(pg_catalog.->>) 'target')"
		" OPERATOR(pg_catalog.=) $4)"
		" ORDER BY h.release DESC",
		&parameters);
	versions->part =
		repalloc(versions->part,
				 sizeof(SdcPart) * (versions->seen_parts + FIXED_LIMIT + 1));
	for (row = 0; row < rows->count; row++)
	{
		skipped = add_fixed(versions, rows, row, skipped);
		if (row == 0)
			versions->turned = versions->fixed > 0 || skipped != NIL;
	}
}
