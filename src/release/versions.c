/*
 * versions.c
 *		What a policy remembers of its releases, and what follows for the next.
 *
 * A mask that draws anew every night is averaged out by who keeps the nights.
 * So what was drawn for a person stays with him as long as the values that it
 * was made from do.  Columns that rules mask together, with chance or with the
 * help of other rows, are a part.  Of each part and person the catalog has
 * the masked values, which are public, under a keyed digest of the id and one
 * of the original values: nobody without the key can tell who is who, and no
 * original value is kept.
 *
 * Numbers go into the digest up to a grid as wide as the mask usually moves
 * them, whose place is the person's own: noise that is new after each small
 * move would average out, and noise that never changes would publish the move.
 *
 * Rows that are new or have changed are a batch.  Who has the version of last
 * night knows which they are, so the batch is their crowd and not the file:
 * it is masked by itself, with as many candidates as in the file, and rows of
 * a batch that is too small wait.  A mask that draws for each row by itself is
 * run on the file, whose figures it needs, and the batch takes its rows.
 *
 * All of it is written by SQL into tables of the owner of the policy, which
 * are dropped in the transaction that made them; what is remembered becomes
 * true with what is published, or not at all.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/data/column.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "release/document.h"
#include "release/publish.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"

/* Rows that a batch needs at the most unless the policy asks for more. */
#define BATCH_ROWS 50

/* The same of masks that draw for each row by itself. */
#define BATCH_APART 20

/* So many parts are not each looked for in the rows of all. */
#define MANY_PARTS 4

/* A batch is so many windows, or groups. */
#define BATCH_WINDOWS 4

/* ----------------------------------------------------------------------
 * Parts: the columns that rules mask together.
 * ----------------------------------------------------------------------
 */

static bool
share_columns(const SdcRule *a, const SdcRule *b)
{
	int i;

	for (i = 0; i < a->columns.count; i++)
		if (sdcpg_relation_lists(&b->columns, a->columns.column[i].number))
			return true;
	return false;
}

/* Adds the columns of a list that another one does not have. */
void
sdcpg_versions_add_columns(SdcRelationColumns *columns,
						   const SdcRelationColumns *more,
						   const SdcRelationColumns *except)
{
	int i;

	if (columns->column == NULL)
		columns->column =
			palloc(sizeof(SdcRelationColumn) * MaxHeapAttributeNumber);
	for (i = 0; i < more->count; i++)
		if (!sdcpg_relation_lists(columns, more->column[i].number) &&
			(except == NULL ||
			 !sdcpg_relation_lists(except, more->column[i].number)))
			columns->column[columns->count++] = more->column[i];
}

/* A row that is another person's now is drawn for anew, as one of theirs. */
static void
add_named(const struct SdcVersions *versions, SdcPart *part,
		  const SdcRule *rule)
{
	ListCell *cell;

	foreach (cell, sdcpg_rule_names(rule))
	{
		SdcRelationColumn column =
			sdcpg_relation_column(versions->original, lfirst(cell));
		SdcRelationColumns one = {1, &column};

		sdcpg_versions_add_columns(&part->strata, &one, &part->columns);
	}
}

void
sdcpg_versions_fill_part(const struct SdcVersions *versions, SdcPart *part)
{
	StringInfoData document;
	ListCell *cell;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	part->apart = true;
	part->sample = true;
	foreach (cell, part->rules)
	{
		const SdcRule *rule = lfirst(cell);

		sdcpg_versions_add_columns(&part->columns, &rule->columns, NULL);
		sdcpg_document_jsonb(&document, rule->subject, rule->params);
		part->apart &= (rule->method->traits & SDC_MASK_OWN_DRAW) != 0;
		part->sample &= rule->method->stage == SDC_MASK_OF_ROWS;
	}
	foreach (cell, part->rules)
	{
		SdcRelationColumns strata =
			sdcpg_rule_strata(lfirst(cell), versions->original);

		sdcpg_versions_add_columns(&part->strata, &strata, &part->columns);
		add_named(versions, part, lfirst(cell));
	}
	sdcpg_document_close(&document, '{');
	part->document = sdcpg_document_end(&document);
	part->type = palloc0(sizeof(char *) * (part->columns.count + 1));
	part->width = palloc0(sizeof(double) * (part->columns.count + 1));
}

/* Groups rules that share columns; keeps the groups that draw. */
static void
find_parts(struct SdcVersions *versions)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, versions->original);
	int *group = palloc(sizeof(int) * (rules.count + 1));
	int i;
	int j;
	int g;

	for (i = 0; i < rules.count; i++)
	{
		group[i] = i;
		for (j = 0; j < i; j++)
			if (share_columns(&rules.rule[i], &rules.rule[j]))
				for (g = 0; g <= i; g++)
					if (group[g] == group[j])
						group[g] = group[i];
	}
	versions->part = palloc0(sizeof(SdcPart) * (rules.count + 1));
	for (g = 0; g < rules.count; g++)
	{
		SdcPart *part = &versions->part[versions->parts];
		bool chance = false;

		part->rules = NIL;
		for (i = 0; i < rules.count; i++)
			if (group[i] == g)
			{
				part->rules = lappend(part->rules, &rules.rule[i]);
				chance |= sdcpg_versions_draws(&rules.rule[i]);
			}
		if (!chance)
			continue;
		sdcpg_versions_fill_part(versions, part);
		versions->parts++;
	}
}

/* What NULL means by declaration: when it changes, all is drawn anew. */
static const char *
nulls_word(const struct SdcVersions *versions)
{
	SdcNulls meaning;

	return sdcpg_nulls_declared(versions->original->oid, &meaning)
			   ? sdc_nulls_words[meaning]
			   : "";
}

/* The number of published releases of the policy. */
static int64
count_published(const struct SdcVersions *versions)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind_text(&parameters, versions->policy);
	return DatumGetInt64(
		sdcpg_catalog_read_owned("release_history",
								 "SELECT pg_catalog.count(*)"
								 " FROM sdc.release_history AS h"
								 " WHERE h.policy OPERATOR(pg_catalog.=) $1"
								 " AND h.status OPERATOR(pg_catalog.=)"
								 " 'published'",
								 &parameters)
			->value[0][0]);
}

char *
sdcpg_versions_mark(const char *policy)
{
	uint8 output[SDC_KEYED_HASH_BYTES];
	StringInfoData text;
	int i;

	sdcpg_seal_keyed(policy, "versions mark", output);
	initStringInfo(&text);
	for (i = 0; i < SDC_KEYED_HASH_BYTES / 2; i++)
		appendStringInfo(&text, "%02x", output[i]);
	return text.data;
}

/* ----------------------------------------------------------------------
 * The tables in which a release is put together.
 * ----------------------------------------------------------------------
 */

/* A name that no name of a column of the table begins with. */
static char *
free_name(const SdcRelation *table, const char *wish)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(table);
	char *name = pstrdup(wish);
	int n = 1;
	int c = 0;

	while (c < columns.count)
		if (strncmp(columns.column[c++].name, name, strlen(name)) == 0)
		{
			name = psprintf("%s%d", wish, ++n);
			c = 0;
		}
	return name;
}

static void
name_own(struct SdcVersions *versions)
{
	const SdcRelation *table = versions->original;
	SdcVersionsNames *own = &versions->own;

	own->person = free_name(table, "sdc_person");
	own->lacks = free_name(table, "sdc_lacks");
	own->rows = free_name(table, "sdc_rows");
	own->all = free_name(table, "sdc_all");
	own->crowd = free_name(table, "sdc_crowd");
	own->alone = free_name(table, "sdc_alone");
	own->look = free_name(table, "sdc_look");
	own->when = free_name(table, "sdc_when");
}

/* The name of a table of the release, as in SQL; it is dropped at the end. */
char *
sdcpg_versions_name(struct SdcVersions *versions, const char *suffix)
{
	return quote_qualified_identifier(
		get_namespace_name(versions->staging->schema),
		psprintf("%s_%s", versions->staging->name, suffix));
}

/*
 * Runs a statement with the settings that texts of values depend on.  A table
 * lives for a moment: a few rows of it say enough to who plans joins.
 */
static void
run_sql(const char *sql)
{
	int settings = NewGUCNestLevel();

	sdcpg_seal_pin_settings();
	sdcpg_set_for_now("default_statistics_target", "5");
	(void) sdcpg_staging_run(sql);
	AtEOXact_GUC(false, settings);
}

/* Makes a table of a query, or of what is remembered; returns its name. */
char *
sdcpg_versions_table(struct SdcVersions *versions, const char *suffix,
					 const char *query)
{
	char *name = sdcpg_versions_name(versions, suffix);

	if (query == NULL)
		query = psprintf(
			"SELECT * FROM sdc.release_values(%s, '%u'::regclass)",
			quote_literal_cstr(versions->policy), versions->original->oid);
	run_sql(psprintf("CREATE UNLOGGED TABLE %s AS %s", name, query));
	versions->tables = lappend(versions->tables, name);
	run_sql(psprintf("ANALYZE %s", name));
	return name;
}

SdcRelation *
sdcpg_versions_find(struct SdcVersions *versions, const char *suffix)
{
	return sdcpg_relation_find(
		get_relname_relid(psprintf("%s_%s", versions->staging->name, suffix),
						  versions->staging->schema));
}

double
sdcpg_versions_ask(const char *sql)
{
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();

	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(sql, NULL);
	AtEOXact_GUC(false, settings);
	return rows->count == 0 || rows->isnull[0][0]
			   ? 0
			   : DatumGetFloat8(rows->value[0][0]);
}

char *
sdcpg_versions_mask_table(struct SdcVersions *versions, const char *from,
						  Jsonb *rules, const char *suffix)
{
	Oid oid = from == NULL ? versions->original->oid
						   : sdcpg_versions_find(versions, from)->oid;
	char *name = sdcpg_versions_name(versions, suffix);
	SdcNulls meaning;

	if (from != NULL &&
		sdcpg_nulls_declared(versions->original->oid, &meaning))
		sdcpg_nulls_declare(oid, meaning);
	sdcpg_staging_call_mask(oid, rules, versions->id.name, name,
							versions->seeded, versions->seed, NULL);
	versions->tables = lappend(versions->tables, name);
	run_sql(psprintf("ANALYZE %s", name));
	return name;
}

/* The id, the columns of all parts and the person of each original row. */
static void
make_now(struct SdcVersions *versions)
{
	SdcRelationColumns columns = {0};
	SdcRelationColumns id = {1, &versions->id};
	int p;

	sdcpg_versions_add_columns(&columns, &id, NULL);
	for (p = 0; p < versions->parts; p++)
	{
		sdcpg_versions_add_columns(&columns, &versions->part[p].columns, NULL);
		sdcpg_versions_add_columns(&columns, &versions->part[p].strata, NULL);
	}
	sdcpg_versions_table(
		versions, "now",
		psprintf("SELECT %s AS %s, %s FROM %s AS r",
				 sdcpg_versions_person(versions, "r"), versions->own.person,
				 sdcpg_relation_list(&columns), versions->original->sql));
	versions->tally.rows = (int64) sdcpg_versions_ask(
		psprintf("SELECT count(*)::float8 FROM %s",
				 sdcpg_versions_name(versions, "now")));
}

/* Stops unless the id tells the rows apart: who is who would be a guess. */
static void
need_unique_id(struct SdcVersions *versions)
{
	if (sdcpg_versions_ask(psprintf("SELECT count(*)::float8 FROM"
									" (SELECT FROM %s AS r GROUP BY r.%s"
									" HAVING count(*) > 1) AS x",
									sdcpg_versions_name(versions, "now"),
									versions->own.person)) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("column \"%s\" of relation \"%s\" is not unique",
						versions->id.name, versions->original->name),
				 errdetail("An id must tell every record apart.")));
}

/*
 * The memory of a part beside its digest of now, as columns and joins: what is
 * published (o), and what was for the values of now (v): the same mostly, or
 * something that was published before.  o is left out where it is v.
 */
static void
join_memory(int64 part, const char *mem, const char *past, int p,
			StringInfo list, StringInfo from)
{
	appendStringInfo(list,
					 ", c.cell_%d, COALESCE(o%d.cell = c.cell_%d, false)"
					 " AS same_%d,"
					 " CASE WHEN o%d.cell = c.cell_%d"
					 " THEN o%d.value ELSE v%d.value END AS v_%d,"
					 " CASE WHEN o%d.cell = c.cell_%d"
					 " THEN o%d.drawn ELSE v%d.drawn END AS vd_%d,"
					 " CASE WHEN o%d.cell <> c.cell_%d"
					 " THEN o%d.value END AS o_%d, o%d.drawn AS od_%d",
					 p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p,
					 p);
	appendStringInfo(from,
					 " LEFT JOIN (SELECT m.person, m.cell, m.value, m.drawn"
					 " FROM %s AS m WHERE m.part = " INT64_FORMAT
					 " AND m.last IS NULL) AS o%d ON o%d.person = c.person"
					 " LEFT JOIN (SELECT DISTINCT ON (m.person, m.cell)"
					 " m.person, m.cell, m.value, m.drawn FROM %s AS m"
					 " WHERE m.part = " INT64_FORMAT
					 " ORDER BY m.person, m.cell,"
					 " m.last DESC, m.drawn DESC) AS v%d"
					 " ON v%d.person = c.person AND v%d.cell = c.cell_%d",
					 mem, part, p, p, past, part, p, p, p, p);
}

/* The table of now, or of those who are not as they were. */
static char *
few_name(struct SdcVersions *versions)
{
	return sdcpg_versions_name(versions,
							   versions->few != NULL ? versions->few : "now");
}

/* What is remembered, beside the digests of now. */
static void
make_work(struct SdcVersions *versions)
{
	StringInfoData cells;
	StringInfoData list;
	StringInfoData from;
	const char *mem = sdcpg_versions_name(versions, "mem");
	const char *past = NULL;
	int p;

	if (versions->remembers)
		past = sdcpg_versions_table(
			versions, "past",
			psprintf("SELECT * FROM %s AS m WHERE m.last IS NOT NULL", mem));
	initStringInfo(&cells);
	initStringInfo(&list);
	initStringInfo(&from);
	for (p = 0; p < versions->parts; p++)
	{
		SdcPart *part = &versions->part[p];

		part->digested = part->number != 0;
		if (part->digested)
			appendStringInfo(&cells, ", %s AS cell_%d",
							 sdcpg_versions_cell(versions, part), p);
		if (!part->digested)
			appendStringInfo(&list,
							 ", NULL::bytea AS cell_%d, false AS same_%d,"
							 " NULL::text[] AS v_%d, NULL::int8 AS vd_%d,"
							 " NULL::text[] AS o_%d, NULL::int8 AS od_%d",
							 p, p, p, p, p, p);
		else
			join_memory(part->number, mem, past, p, &list, &from);
	}
	sdcpg_versions_table(
		versions, "work",
		psprintf(
			"SELECT c.person%s"
			" FROM (SELECT r.%s AS person%s FROM %s AS r OFFSET 0) AS c%s",
			list.data, versions->own.person, cells.data, few_name(versions),
			from.data));
}

/* ----------------------------------------------------------------------
 * Batches: what is drawn now.
 * ----------------------------------------------------------------------
 */

/* Columns of a row with an alias: r.a, r.b */
static char *
list_sql(const SdcRelationColumns *columns, const char *alias)
{
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < columns->count; i++)
		appendStringInfo(&list, "%s%s%s", i > 0 ? ", " : "", alias,
						 columns->column[i].sql);
	return list.data;
}

/*
 * The crowd that a rule gives a row (x), of own.all rows, as SQL; NULL: none.
 */
static char *
crowd_sql(const struct SdcVersions *versions, const SdcRule *rule)
{
	const char *key = rule->method->strength.key;

	if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
		return psprintf("ceil(%s::float8 / 100 * x.%s)",
						float8out_internal(sdcpg_rule_number(rule, "p")),
						versions->own.all);
	if (key == NULL || rule->method->traits & SDC_MASK_OWN_DRAW ||
		rule->method->stage == SDC_MASK_OF_ROWS)
		return NULL;
	return psprintf("ceil(%s::float8)",
					float8out_internal(sdcpg_rule_number(rule, key)));
}

/*
 * How many rows of a stratum a part is drawn for at once, as SQL: what the
 * policy says, but never fewer than the groups of its masks need, nor one row
 * that could be exchanged with itself only.
 */
static char *
batch_sql(const struct SdcVersions *versions, const SdcPart *part)
{
	int asked = versions->staging->params.batch;
	StringInfoData crowd;
	StringInfoData group;
	ListCell *cell;

	if (part->sample || part->number == 0)
		return "1";
	initStringInfo(&crowd);
	initStringInfo(&group);
	foreach (cell, part->rules)
	{
		const SdcRule *rule = lfirst(cell);

		if (!sdcpg_versions_draws(rule) || crowd_sql(versions, rule) == NULL)
			continue;
		appendStringInfo(&crowd, ", %s", crowd_sql(versions, rule));
		if (rule->method->likelihood != SDC_LIKELIHOOD_RANKS)
			appendStringInfo(&group, ", %s", crowd_sql(versions, rule));
	}
	if (asked > 0)
		return psprintf("GREATEST(%d, %d%s)", asked, part->apart ? 1 : 2,
						group.data);
	return crowd.len == 0
			   ? psprintf("%d", BATCH_APART)
			   : psprintf("GREATEST(LEAST(%d, %d * GREATEST(1%s))%s)",
						  BATCH_ROWS, BATCH_WINDOWS, crowd.data, group.data);
}

/* An object with a number in it. */
Jsonb *
sdcpg_versions_with_number(Jsonb *object, const char *key, double number)
{
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	sdcpg_document_number(&document, key, number);
	sdcpg_document_close(&document, '{');
	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(object),
							JsonbPGetDatum(sdcpg_document_end(&document))));
}

/*
 * The rules of a part for a batch: windows so many times as wide, in ranks of
 * the batch, that they have as many rows as in the file.
 */
static Jsonb *
batch_rules(const SdcPart *part, double wider)
{
	StringInfoData document;
	ListCell *cell;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	foreach (cell, part->rules)
	{
		const SdcRule *rule = lfirst(cell);
		Jsonb *params = rule->params;

		if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
			params = sdcpg_versions_with_number(
				params, "p", Min(sdcpg_rule_number(rule, "p") * wider, 100));
		sdcpg_document_jsonb(&document, rule->subject, params);
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The condition that the sample has a row of lacks, with the alias w. */
static char *
in_sample(const struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			return psprintf("NOT w.lacks_%d", p);
	return "true";
}

/*
 * All persons in the sample (w.person) and whether they lack a draw of a part
 * (w.lacks), as SQL.  Who is as he was lacks nothing.
 */
static char *
all_sql(struct SdcVersions *versions, int p)
{
	char *same = sdcpg_versions_same_sql(versions);

	return psprintf("(SELECT w.person, w.lacks_%d AS lacks FROM %s AS w"
					" WHERE %s%s%s)",
					p, sdcpg_versions_name(versions, "lacks"),
					in_sample(versions),
					same == NULL ? ""
								 : " UNION ALL SELECT k.person, false"
								   " FROM ",
					same == NULL ? "" : same);
}

/*
 * Who lacks a draw, as true or false for each part, once the sample is drawn:
 * a row of work is wide, and each part would read all of them for a few.  Of
 * the sample, who is not in it.
 */
static void
make_lacks(struct SdcVersions *versions)
{
	StringInfoData list;
	int p;

	initStringInfo(&list);
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(&list, ", w.v_%d %s AS lacks_%d", p,
						 versions->part[p].sample ? "<> '{in}'" : "IS NULL",
						 p);
	sdcpg_versions_table(versions, "lacks",
						 psprintf("SELECT w.person%s FROM %s AS w", list.data,
								  sdcpg_versions_name(versions, "work")));
}

/* Does a part leave NULL where it is, so that who has it is in no crowd? */
static bool
leaves_nulls(const SdcPart *part)
{
	ListCell *cell;

	foreach (cell, part->rules)
	{
		SdcMaskLikelihood law =
			((const SdcRule *) lfirst(cell))->method->likelihood;

		if (law == SDC_LIKELIHOOD_RANKS || law == SDC_LIKELIHOOD_RANGE ||
			law == SDC_LIKELIHOOD_CENTROID)
			return true;
	}
	return false;
}

/* Counts rows (r) that can be in the crowd of a part: "count(*) ...". */
static char *
count_sql(const SdcPart *part, const char *condition)
{
	char *values =
		leaves_nulls(part)
			? psprintf("num_nulls(%s) = 0", list_sql(&part->columns, "r."))
			: "true";

	return psprintf("count(*) FILTER (WHERE %s AND %s)", values, condition);
}

/*
 * Counts, for each part of one stratum but the sample, the rows in the sample
 * that can be in its crowd: by one scan for all parts.
 */
static void
count_crowds(struct SdcVersions *versions)
{
	StringInfoData list;
	SdcCatalogRows *rows;
	int settings = NewGUCNestLevel();
	int p;

	initStringInfo(&list);
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(&list, "%sCAST(%s AS float8)", p > 0 ? ", " : "",
						 count_sql(&versions->part[p], "true"));
	sdcpg_seal_pin_settings();
	rows = sdcpg_catalog_read(
		psprintf("SELECT %s FROM %s AS r JOIN %s AS w ON w.person = r.%s",
				 list.data, sdcpg_versions_name(versions, "now"),
				 all_sql(versions, 0), versions->own.person),
		NULL);
	AtEOXact_GUC(false, settings);
	for (p = 0; p < versions->parts; p++)
		versions->part[p].crowd = DatumGetFloat8(rows->value[0][p]);
}

/*
 * The rows of a part without a draw, with how many there are (own.rows) and
 * how many rows in all (own.all), in their stratum and with values, as SQL.
 * Of the sample, for which all are drawn at once, in one stratum.
 */
static char *
undrawn_sql(struct SdcVersions *versions, int p)
{
	const SdcPart *part = &versions->part[p];
	const SdcVersionsNames *own = &versions->own;
	char *strata;

	/* one stratum: nobody else need be looked at */
	if (part->sample || part->strata.count == 0)
		return psprintf(
			"SELECT r.*, %s OVER () AS %s, CAST(%.0f AS int8) AS %s"
			" FROM %s AS w JOIN %s AS r ON r.%s = w.person WHERE %s",
			count_sql(part, "true"), own->rows, part->crowd, own->all,
			sdcpg_versions_name(versions, part->sample ? "work" : "lacks"),
			few_name(versions), own->person,
			part->sample
				? psprintf("w.v_%d IS NULL", p)
				: psprintf("w.lacks_%d AND %s", p, in_sample(versions)));
	strata = list_sql(&part->strata, "r.");
	return psprintf("SELECT * FROM (SELECT r.*, w.lacks AS %s,"
					" %s OVER (PARTITION BY %s) AS %s,"
					" %s OVER (PARTITION BY %s) AS %s"
					" FROM %s AS r JOIN %s AS w ON w.person = r.%s) AS y"
					" WHERE y.%s",
					own->lacks, count_sql(part, "w.lacks"), strata, own->rows,
					count_sql(part, "true"), strata, own->all,
					sdcpg_versions_name(versions, "now"), all_sql(versions, p),
					own->person, own->lacks);
}

/* Puts the rows that are drawn for into a table; NULL waits for nobody. */
static int64
make_batch(struct SdcVersions *versions, int p)
{
	SdcPart *part = &versions->part[p];
	char *empty = leaves_nulls(part) ? psprintf(" OR num_nonnulls(%s) = 0",
												list_sql(&part->columns, "x."))
									 : "";

	part->batch = sdcpg_versions_table(
		versions, psprintf("b%d", p),
		psprintf("SELECT x.* FROM (%s) AS x WHERE x.%s >= %s%s",
				 undrawn_sql(versions, p), versions->own.rows,
				 batch_sql(versions, part), empty));
	return (int64) sdcpg_versions_ask(
		psprintf("SELECT count(*)::float8 FROM %s", part->batch));
}

/* Draws who is in the sample, of those nobody has drawn for. */
static void
draw_sample(struct SdcVersions *versions, int p)
{
	SdcPart *part = &versions->part[p];

	if (make_batch(versions, p) > 0)
	{
		char *drawn = sdcpg_versions_mask_table(
			versions, psprintf("b%d", p), part->document, psprintf("d%d", p));

		run_sql(psprintf("UPDATE %s AS w SET vd_%d = " INT64_FORMAT ","
						 " v_%d = CASE WHEN EXISTS (SELECT FROM %s AS d"
						 " WHERE d.%s = w.person) THEN '{in}'::text[]"
						 " ELSE '{out}' END WHERE w.v_%d IS NULL",
						 sdcpg_versions_name(versions, "work"), p,
						 versions->release, p, drawn, versions->own.person,
						 p));
	}
}

/* Draws a part for its batch. */
static void
draw_batch(struct SdcVersions *versions, int p)
{
	SdcPart *part = &versions->part[p];

	if (make_batch(versions, p) == 0)
		return;
	part->drawn = part->apart ? "all" : psprintf("d%d", p);
	if (!part->apart)
		(void) sdcpg_versions_mask_table(
			versions, psprintf("b%d", p),
			batch_rules(part, sdcpg_versions_ask(psprintf(
								  "SELECT max(x.%s::float8"
								  " / greatest(x.%s, 1)) FROM %s AS x",
								  versions->own.all, versions->own.rows,
								  part->batch))),
			part->drawn);
}

/* The rules but for parts that a batch is masked by; these are withheld. */
static Jsonb *
file_rules(const struct SdcVersions *versions)
{
	Datum rules = JsonbPGetDatum(versions->rules);
	StringInfoData hidden;
	int p;
	int i;

	sdcpg_document_begin(&hidden);
	sdcpg_document_open(&hidden, NULL, '{');
	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];
		ListCell *cell;

		if (part->apart && !part->sample)
			continue;
		foreach (cell, part->rules)
			rules = DirectFunctionCall2(
				jsonb_delete, rules,
				CStringGetTextDatum(((SdcRule *) lfirst(cell))->subject));
		for (i = 0; i < part->columns.count; i++)
		{
			sdcpg_document_open(&hidden, part->columns.column[i].name, '{');
			sdcpg_document_text(&hidden, "method", "null");
			sdcpg_document_close(&hidden, '{');
		}
	}
	sdcpg_document_close(&hidden, '{');
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, rules, JsonbPGetDatum(sdcpg_document_end(&hidden))));
}

/* ----------------------------------------------------------------------
 * What is published: remembered, drawn, or waiting.
 * ----------------------------------------------------------------------
 */

/* The first new part that was drawn in the same table as this one. */
static int
first_drawn(const struct SdcVersions *versions, int p)
{
	const SdcPart *part = versions->part;
	int q = 0;

	while (part[q].number != 0 || part[q].drawn == NULL ||
		   strcmp(part[q].drawn, part[p].drawn) != 0)
		q++;
	return q;
}

/*
 * Settles the types of a part by what was drawn: those of a part of before may
 * have become wider since.  Its grid stays.
 */
static void
settle_part(struct SdcVersions *versions, SdcPart *part)
{
	SdcRelation *drawn = sdcpg_versions_find(versions, part->drawn);
	bool changed = false;
	int i;

	for (i = 0; i < part->columns.count; i++)
	{
		SdcRelationColumn column =
			sdcpg_relation_column(drawn, part->columns.column[i].name);
		char *type = sdcpg_relation_type(drawn, &column);

		changed |= part->type[i] == NULL || strcmp(part->type[i], type) != 0;
		part->type[i] = type;
	}
	if (changed && part->number != 0)
		sdcpg_versions_write_types(part);
}

/* Settles types and grid of the parts; notes those that are new. */
static void
settle_parts(struct SdcVersions *versions)
{
	int p;

	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];

		if (part->drawn != NULL && part->number == 0 &&
			first_drawn(versions, p) == p)
			sdcpg_versions_settle_grids(versions, part->drawn);
	}
	for (p = 0; p < versions->parts; p++)
	{
		SdcPart *part = &versions->part[p];

		if (part->drawn != NULL)
			settle_part(versions, part);
		if (part->number == 0 && (part->drawn != NULL || part->sample))
			sdcpg_versions_write_part(versions, part, nulls_word(versions));
	}
}

/* Was it drawn for all, and is it taken for some of them only? */
static bool
takes_batch(const SdcPart *part)
{
	return part->batch != NULL && part->apart;
}

/*
 * The first part whose join brings what was drawn for this one, too: a file
 * that was masked as a whole is joined once, not for each part.
 */
static int
drawn_with(const struct SdcVersions *versions, int p)
{
	const SdcPart *part = versions->part;
	int q;

	if (takes_batch(&part[p]))
		return p;
	for (q = 0; q < p; q++)
		if (part[q].drawn != NULL && !takes_batch(&part[q]) &&
			strcmp(part[q].drawn, part[p].drawn) == 0)
			return q;
	return p;
}

/* The same where all are drawn for anew, and what is remembered is not asked.
 */
static void
put_new_part(struct SdcVersions *versions, int p, StringInfo list)
{
	const SdcPart *part = &versions->part[p];
	const char *drawn = psprintf("d%d", drawn_with(versions, p));
	const char *now =
		psprintf("%s.%s IS NOT NULL", drawn, versions->own.person);
	const char *new = part->sample ? "true" : now;

	appendStringInfo(
		list,
		", %s AS cell_%d, CASE WHEN %s THEN %s%s END AS r_%d,"
		" CASE WHEN %s THEN " INT64_FORMAT "::int8 END AS dr_%d,"
		" %s AS ch_%d, NOT %s AS wait_%d, NULL::int8 AS od_%d",
		sdcpg_versions_cell_at(psprintf("r.%s", versions->own.look), p), p,
		now, sdcpg_versions_values(part, drawn),
		part->sample ? " ELSE '{out}'" : "", p, new, versions->release, p, new,
		p, new, p, p);
}

/*
 * What a part gives each person, columns of the result for make_result: what
 * is published and which release drew it, whether that is not what is
 * remembered as published, and then for which values; does it wait?
 */
static void
put_part(struct SdcVersions *versions, int p, StringInfo list)
{
	const SdcPart *part = &versions->part[p];
	const char *drawn =
		part->drawn == NULL ? NULL : psprintf("d%d", drawn_with(versions, p));
	const char *now = drawn == NULL ? "false"
									: psprintf("%s.%s IS NOT NULL", drawn,
											   versions->own.person);
	const char *new = part->sample ? "true" : now;
	const char *values =
		drawn == NULL ? "NULL" : sdcpg_versions_values(part, drawn);

	appendStringInfo(list,
					 ", CASE WHEN w.same_%d THEN NULL ELSE %s END AS cell_%d,"
					 " CASE WHEN w.v_%d IS NOT NULL"
					 " THEN w.v_%d WHEN %s THEN %s ELSE %s END AS r_%d,",
					 p,
					 part->digested ? psprintf("w.cell_%d", p)
									: sdcpg_versions_cell(versions, part),
					 p, p, p, now, values,
					 part->sample ? "'{out}'::text[]" : psprintf("w.o_%d", p),
					 p);
	appendStringInfo(
		list,
		" CASE WHEN w.v_%d IS NOT NULL THEN w.vd_%d"
		" WHEN %s THEN " INT64_FORMAT " ELSE w.od_%d END AS dr_%d,"
		" CASE WHEN w.v_%d IS NOT NULL THEN NOT w.same_%d ELSE %s END"
		" AS ch_%d, w.v_%d IS NULL AND NOT %s AS wait_%d",
		p, p, new, versions->release, p, p, p, p, new, p, p, new, p);
}

/* What was drawn for a part, beside the rows of persons. */
static void
join_drawn(struct SdcVersions *versions, int p, StringInfo from)
{
	const SdcPart *part = &versions->part[p];
	const char *person = versions->own.person;

	appendStringInfo(from, " LEFT JOIN %s AS d%d ON d%d.%s = %s",
					 sdcpg_versions_name(versions, part->drawn), p, p, person,
					 versions->anew ? psprintf("r.%s", person) : "w.person");
	/* what draws apart was drawn for all */
	if (takes_batch(part))
		appendStringInfo(
			from, " AND EXISTS (SELECT FROM %s AS b WHERE b.%s = w.person)",
			part->batch, person);
}

/* The persons of the result: all of now, or beside what is remembered. */
static char *
persons_sql(struct SdcVersions *versions, bool digested)
{
	const char *person = versions->own.person;
	char *now = sdcpg_versions_name(versions, "now");

	if (versions->anew)
		return psprintf("(SELECT r.*, %s AS %s FROM %s AS r OFFSET 0) AS r",
						sdcpg_versions_cells(versions), versions->own.look,
						now);
	return psprintf(
		"%s AS w%s", sdcpg_versions_name(versions, "work"),
		digested ? ""
				 : psprintf(" JOIN %s AS r ON r.%s = w.person", now, person));
}

/* Puts together, for each person and part, what is published. */
static void
make_result(struct SdcVersions *versions)
{
	StringInfoData list;
	StringInfoData from;
	StringInfoData ok;
	StringInfoData waits;
	StringInfoData drawn;
	const char *sample = "true";
	bool digested = true;
	int p;

	initStringInfo(&list);
	initStringInfo(&from);
	initStringInfo(&ok);
	initStringInfo(&waits);
	initStringInfo(&drawn);
	for (p = 0; p < versions->parts; p++)
	{
		const SdcPart *part = &versions->part[p];
		const char *and = p > 0 ? " AND " : "";
		const char * or = p > 0 ? " OR " : "";

		if (versions->anew)
			put_new_part(versions, p, &list);
		else
			put_part(versions, p, &list);
		digested &= part->digested;
		if (part->drawn != NULL && drawn_with(versions, p) == p)
			join_drawn(versions, p, &from);
		appendStringInfo(&ok, "%sx.r_%d %s", and, p,
						 part->sample ? "= '{in}'" : "IS NOT NULL");
		appendStringInfo(&waits, "%sx.wait_%d", or, p);
		if (part->sample)
			sample = psprintf("x.r_%d = '{in}'", p);
		appendStringInfo(&drawn, "%sx.dr_%d = " INT64_FORMAT, or, p,
						 versions->release);
		if (!versions->anew)
			appendStringInfo(&list, ", w.od_%d", p);
	}
	sdcpg_versions_table(
		versions, "res",
		psprintf("SELECT x.*, %s AS ok, (%s) AND %s AS waits, %s AS drawn"
				 " FROM (SELECT %s AS person%s FROM %s%s OFFSET 0) AS x",
				 ok.data, waits.data, sample, drawn.data,
				 versions->anew ? psprintf("r.%s", versions->own.person)
								: "w.person",
				 list.data, persons_sql(versions, digested), from.data));
}

/* The place of a column in a part, both found by its name. */
static const SdcPart *
find_column(const struct SdcVersions *versions, const char *name, int *p,
			int *i)
{
	for (*p = 0; *p < versions->parts; (*p)++)
		for (*i = 0; *i < versions->part[*p].columns.count; (*i)++)
			if (strcmp(versions->part[*p].columns.column[*i].name, name) == 0)
				return &versions->part[*p];
	return NULL;
}

/* The collation of a column where it is not that of its type. */
static char *
collation_sql(Oid table, const char *name)
{
	Oid type;
	int32 modifier;
	Oid collation;

	get_atttypetypmodcoll(table, get_attnum(table, name), &type, &modifier,
						  &collation);
	if (!OidIsValid(collation) || collation == DEFAULT_COLLATION_OID)
		return "";
	return psprintf(" COLLATE %s",
					DatumGetCString(DirectFunctionCall1(
						regcollationout, ObjectIdGetDatum(collation))));
}

/*
 * The persons who are published, each with the values of all parts one after
 * the other, as SQL.
 */
static char *
published_sql(struct SdcVersions *versions)
{
	char *same = sdcpg_versions_same_sql(versions);
	StringInfoData value;
	int p;

	initStringInfo(&value);
	for (p = 0; p < versions->parts; p++)
		appendStringInfo(&value, "%sx.r_%d", p > 0 ? " || " : "", p);
	return psprintf("%s%sSELECT x.person, %s AS value FROM %s AS x"
					" WHERE x.ok",
					same == NULL ? "" : "SELECT k.person, k.value FROM ",
					same == NULL ? "" : psprintf("%s UNION ALL ", same),
					value.data, sdcpg_versions_name(versions, "res"));
}

/* Makes the staging table of what the file gave and of the parts. */
static void
make_staging(struct SdcVersions *versions)
{
	SdcStaging *staging = versions->staging;
	SdcRelation *file = sdcpg_versions_find(versions, "file");
	SdcRelationColumns columns = sdcpg_relation_all_columns(file);
	StringInfoData list;
	int settings = NewGUCNestLevel();
	int c;

	sdcpg_seal_pin_settings();
	initStringInfo(&list);
	for (c = 0; c < columns.count; c++)
	{
		const SdcRelationColumn *column = &columns.column[c];
		int p;
		int i;
		const SdcPart *part = find_column(versions, column->name, &p, &i);

		if (part == NULL)
			appendStringInfo(&list, "%sf.%s", c > 0 ? ", " : "", column->sql);
		else
			appendStringInfo(
				&list, "%sCAST(%s AS %s)%s AS %s", c > 0 ? ", " : "",
				sdcpg_versions_same_value(versions, p, i),
				part->type[i] != NULL ? part->type[i]
									  : sdcpg_relation_type(file, column),
				collation_sql(file->oid, column->name), column->sql);
	}
	AtEOXact_GUC(false, settings);
	run_sql(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT %s FROM %s AS f JOIN (%s) AS k"
		" ON k.person = %s",
		quote_qualified_identifier(get_namespace_name(staging->schema),
								   staging->name),
		list.data, file->sql, published_sql(versions),
		sdcpg_versions_person(versions, "f")));
	staging->masked =
		sdcpg_relation_find(get_relname_relid(staging->name, staging->schema));
}

/* What NULL means in what is published: as tonight's masks say, or as last
 * night. */
static void
keep_nulls(struct SdcVersions *versions)
{
	const SdcStaging *staging = versions->staging;
	Oid before = get_relname_relid(staging->table, staging->schema);
	SdcNulls meaning;
	int p;

	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].drawn != NULL && !versions->part[p].apart &&
			!versions->part[p].sample &&
			sdcpg_nulls_declared(
				sdcpg_versions_find(versions, psprintf("d%d", p))->oid,
				&meaning))
		{
			sdcpg_nulls_declare(staging->masked->oid, meaning);
			return;
		}
	if (sdcpg_nulls_declared(sdcpg_versions_find(versions, "file")->oid,
							 &meaning) ||
		(OidIsValid(before) && sdcpg_nulls_declared(before, &meaning)))
		sdcpg_nulls_declare(staging->masked->oid, meaning);
}

static void
count_rows(struct SdcVersions *versions)
{
	const char *res = sdcpg_versions_name(versions, "res");
	const char *same = sdcpg_versions_same_sql(versions);
	SdcVersionsTally *tally = &versions->tally;
	SdcCatalogRows *counts;

	counts = sdcpg_catalog_read(
		psprintf(
			"SELECT pg_catalog.count(*) FILTER (WHERE x.ok AND NOT x.drawn),"
			" pg_catalog.count(*) FILTER (WHERE x.ok AND x.drawn),"
			" pg_catalog.count(*) FILTER (WHERE x.waits) FROM %s AS x",
			res),
		NULL);
	tally->kept = DatumGetInt64(counts->value[0][0]);
	if (same != NULL)
		tally->kept += (int64) sdcpg_versions_ask(
			psprintf("SELECT count(*)::float8 FROM %s", same));
	tally->drawn = DatumGetInt64(counts->value[0][1]);
	tally->waiting = DatumGetInt64(counts->value[0][2]);
	if (versions->remembers)
		tally->left = (int64) sdcpg_versions_ask(
			psprintf("SELECT count(*)::float8 FROM %s",
					 sdcpg_versions_name(versions, "gone")));
}

/* ----------------------------------------------------------------------
 * One table of a release.
 * ----------------------------------------------------------------------
 */

/*
 * Who has which masked values in a file; those of parts that draw apart, if
 * there are any.
 */
static void
make_all(struct SdcVersions *versions, const SdcRelation *file, bool apart)
{
	StringInfoData list;
	int p;

	initStringInfo(&list);
	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].columns.count > 0 &&
			(!apart || versions->part[p].apart))
			appendStringInfo(&list, ", %s",
							 list_sql(&versions->part[p].columns, "f."));
	if (apart && list.len == 0)
		return;
	sdcpg_versions_table(
		versions, "all",
		psprintf("SELECT %s AS %s%s FROM %s AS f%s",
				 sdcpg_versions_person(versions, "f"), versions->own.person,
				 list.data, file->sql,
				 !apart || versions->few == NULL
					 ? ""
					 : psprintf(" WHERE EXISTS (SELECT FROM %s AS r"
								" WHERE r.%s = %s)",
								few_name(versions), versions->own.person,
								sdcpg_versions_person(versions, "f"))));
}

/* The file as it is, masked as a whole; each part is drawn for all. */
static void
draw_all(struct SdcVersions *versions)
{
	int p;

	make_all(versions, versions->staging->masked, false);
	for (p = 0; p < versions->parts; p++)
		versions->part[p].drawn = "all";
}

/* What was published stays; the others are drawn in batches. */
static void
draw_changes(struct SdcVersions *versions)
{
	int p;

	sdcpg_versions_mask_table(versions, NULL, file_rules(versions), "file");
	make_all(versions, sdcpg_versions_find(versions, "file"), true);
	for (p = 0; p < versions->parts; p++)
		if (versions->part[p].sample)
			draw_sample(versions, p);
	make_lacks(versions);
	count_crowds(versions);
	for (p = 0; p < versions->parts; p++)
		if (!versions->part[p].sample)
			draw_batch(versions, p);
}

/* Is everything drawn anew by this release? */
static bool
draws_all(const struct SdcVersions *versions)
{
	const SdcPolicyParams *params = &versions->staging->params;

	return !versions->remembers || params->fresh ||
		   (params->epoch > 0 &&
			count_published(versions) % params->epoch == 0);
}

/* Finds the parts of now that are remembered, if any are. */
static void
find_memory(struct SdcVersions *versions)
{
	int p;

	sdcpg_versions_follow(versions);
	for (p = 0; p < versions->parts; p++)
	{
		sdcpg_versions_find_part(versions, &versions->part[p],
								 nulls_word(versions));
		versions->remembers |= versions->part[p].number != 0;
	}
}

/* Reads what is remembered: of those only who are not as they were, if that
 * can be told. */
static void
read_memory(struct SdcVersions *versions)
{
	if (!versions->remembers || sdcpg_versions_find_same(versions))
		return;
	(void) sdcpg_versions_table(versions, "mem", NULL);
	/* rows come part by part, and are looked at part by part */
	if (versions->parts >= MANY_PARTS)
		run_sql(psprintf("CREATE INDEX ON %s USING brin (part)"
						 " WITH (pages_per_range = 16)",
						 sdcpg_versions_name(versions, "mem")));
}

static void
mask_whole(struct SdcVersions *versions)
{
	SdcStaging *staging = versions->staging;

	sdcpg_staging_call_mask(
		versions->original->oid, versions->rules,
		staging->params.id == NULL ? NULL : staging->params.id->name,
		staging->whole, versions->seeded, versions->seed,
		staging->masked_written);
	staging->masked = sdcpg_relation_named(staging->whole);
	staging->shuffled = true;
}

/* The same where the records are new ones, remembered for attacks. */
static void
mask_records(struct SdcVersions *versions)
{
	int64 epoch = versions->staging->params.epoch;

	versions->mark = sdcpg_versions_mark(versions->policy);
	find_memory(versions);
	sdcpg_versions_read_old_parts(versions);
	sdcpg_versions_read_others(versions);
	if (!versions->remembers)
		sdcpg_versions_tell_forgotten(versions);
	if (versions->remembers || versions->all_parts > versions->parts)
		(void) sdcpg_versions_table(versions, "mem", NULL);
	sdcpg_versions_seed_records(
		versions, epoch > 0 ? count_published(versions) / epoch : 0);
	mask_whole(versions);
	sdcpg_versions_keep_records(versions, nulls_word(versions));
	/* of nobody anything is remembered */
	versions->parts = versions->all_parts = versions->seen_parts = 0;
	versions->mark = NULL;
}

/* The same with what is remembered, which becomes more. */
static void
mask_by_memory(struct SdcVersions *versions)
{
	make_now(versions);
	need_unique_id(versions);
	versions->mark = sdcpg_versions_mark(versions->policy);
	find_memory(versions);
	sdcpg_versions_read_old_parts(versions);
	sdcpg_versions_read_others(versions);
	if (!versions->remembers)
		sdcpg_versions_tell_forgotten(versions);
	versions->anew = draws_all(versions);
	read_memory(versions);
	if (versions->anew)
	{
		mask_whole(versions);
		draw_all(versions);
	}
	else
	{
		make_work(versions);
		draw_changes(versions);
	}
	settle_parts(versions);
	make_result(versions);
	sdcpg_versions_hold(versions, versions->anew);
	if (!versions->anew)
	{
		make_staging(versions);
		keep_nulls(versions);
	}
	sdcpg_versions_remember(versions);
	count_rows(versions);
	sdcpg_versions_tell_strangers(versions);
}

/*
 * The same where every rule is a function of the value.  What rules of before
 * drew is not published any more, and still out there.
 */
static void
mask_by_value(struct SdcVersions *versions)
{
	if (versions->id.name != NULL)
	{
		versions->mark = sdcpg_versions_mark(versions->policy);
		sdcpg_versions_follow(versions);
		sdcpg_versions_read_old_parts(versions);
		sdcpg_versions_read_others(versions);
		versions->mark = NULL;
	}
	mask_whole(versions);
	sdcpg_versions_hold(versions, true);
	if (versions->all_parts == 0)
		return;
	versions->tally.rows = (int64) sdcpg_versions_ask(
		psprintf("SELECT count(*)::float8 FROM %s", versions->original->sql));
	sdcpg_versions_remember(versions);
}

void
sdcpg_versions_mask(SdcStaging *staging, const char *policy, int64 release,
					Jsonb *rules, bool seeded, int64 seed)
{
	struct SdcVersions *versions = palloc0(sizeof(*versions));

	versions->staging = staging;
	versions->policy = policy;
	versions->release = release;
	versions->original = staging->original;
	versions->rules = rules;
	versions->seeded = seeded;
	versions->seed = seed;
	name_own(versions);
	staging->versions = versions;
	find_parts(versions);
	if (sdcpg_versions_records_part(versions) != NULL)
	{
		mask_records(versions);
		return;
	}
	if (staging->params.id == NULL)
		versions->parts = 0;
	else
		versions->id = *staging->params.id;
	if (versions->parts > 0)
		mask_by_memory(versions);
	else
		mask_by_value(versions);
}

void
sdcpg_versions_drop(SdcStaging *staging)
{
	struct SdcVersions *versions = staging->versions;
	ListCell *cell;

	if (versions == NULL)
		return;
	foreach (cell, versions->tables)
		(void) sdcpg_staging_run(
			psprintf("DROP TABLE %s", (char *) lfirst(cell)));
	versions->tables = NIL;
	sdcpg_versions_drop_hierarchies(versions);
}

void
sdcpg_versions_document(const SdcStaging *staging, StringInfo document)
{
	const struct SdcVersions *versions = staging->versions;
	ListCell *cell;

	if (versions == NULL ||
		(versions->mark == NULL && versions->pool == NULL &&
		 versions->others == NIL))
		return;
	sdcpg_document_open(document, "versions", '{');
	if (versions->pool != NULL)
	{
		sdcpg_document_integer(document, "draws", versions->draws);
		sdcpg_document_close(document, '{');
		return;
	}
	if (versions->mark != NULL)
	{
		sdcpg_document_integer(document, "kept", versions->tally.kept);
		sdcpg_document_integer(document, "drawn", versions->tally.drawn);
		sdcpg_document_integer(document, "waiting", versions->tally.waiting);
		sdcpg_document_integer(document, "left", versions->tally.left);
	}
	if (versions->versions > 1)
		sdcpg_document_integer(document, "draws", versions->versions);
	if (versions->others != NIL)
	{
		sdcpg_document_open(document, "with", '[');
		foreach (cell, versions->others)
			sdcpg_document_text(document, NULL, lfirst(cell));
		sdcpg_document_close(document, '[');
	}
	sdcpg_document_close(document, '{');
}
