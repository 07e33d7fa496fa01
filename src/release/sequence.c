/*
 * sequence.c
 *		What all versions of a release together show an intruder.
 *
 * What the policy remembers becomes two tables that the attack likelihood
 * reads as any others: each release that drew something has columns of its
 * own.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
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
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "release/publish.h"
#include "release/release.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"

/* Columns of versions that an intruder looks at; the latest count. */
#define LOOKS_LIMIT 120

/* ----------------------------------------------------------------------
 * What all versions together show.
 *
 * Each draw of a part is a look at the values that it was made from.  Looks
 * become columns, one for each release that drew, NULL for persons it did not
 * draw for; on the side of the original the same persons have the value as it
 * is.  So an intruder who weighs records column by column adds up what the
 * versions tell him, compares the drawn rows of a night with each other only,
 * and knows who came and changed when.  A value whose original has changed
 * since is left out: the look was at another value.
 * ----------------------------------------------------------------------
 */

/* One release that drew a part. */
typedef struct Look
{
	int p;
	int64 drawn;
	double rows;
} Look;

/* Does a list of names (name[]) have this one? */
static bool
lists_name(ArrayType *names, const char *name)
{
	Datum *element;
	int count;
	int i;

	if (names == NULL)
		return false;
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &element, NULL, &count);
	for (i = 0; i < count; i++)
		if (strcmp(NameStr(*DatumGetName(element[i])), name) == 0)
			return true;
	return false;
}

static bool
has_key(const SdcPart *part, ArrayType *keys)
{
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (lists_name(keys, part->columns.column[i].name))
			return true;
	return false;
}

/* The rows of all looks: place of the part, person, release, values. */
static void
make_looks(struct SdcVersions *versions, ArrayType *keys)
{
	StringInfoData sql;
	const char *kept;
	int p;

	kept = sdcpg_versions_memory(versions, "kept");
	initStringInfo(&sql);
	for (p = 0; p < versions->all_parts; p++)
		if (has_key(&versions->part[p], keys))
			appendStringInfo(
				&sql,
				"%sSELECT DISTINCT %d AS p, m.person, m.drawn, m.value"
				" FROM %s AS m JOIN (SELECT %s AS person, %s AS cell"
				" FROM %s AS r OFFSET 0) AS x ON x.person = m.person"
				" WHERE m.part = " INT64_FORMAT
				" AND (m.last IS NULL OR m.cell = x.cell)"
				" AND m.first IS DISTINCT FROM m.last",
				sql.len > 0 ? " UNION ALL " : "", p,
				kept, sdcpg_versions_person(versions, "r"),
				sdcpg_versions_cell(versions, &versions->part[p]),
				versions->original->sql, versions->part[p].number);
	sdcpg_versions_table(versions, "looks",
						 sql.len > 0
							 ? sql.data
							 : "SELECT 0 AS p, NULL::bytea AS person,"
							   " 0::int8 AS drawn, NULL::text[] AS value"
							   " WHERE false");
}

/* The looks, the latest first; *nights is how many releases drew. */
static List *
list_looks(struct SdcVersions *versions, int64 *nights)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("SELECT l.p, l.drawn,"
				 " CAST(pg_catalog.count(*) AS pg_catalog.float8) FROM %s AS l"
				 " GROUP BY l.p, l.drawn ORDER BY l.drawn DESC, l.p",
				 sdcpg_versions_name(versions, "looks")),
		NULL);
	List *looks = NIL;
	int64 last = -1;
	int columns = 0;
	int64 i;

	*nights = 0;
	for (i = 0; i < rows->count; i++)
	{
		Look *look = palloc(sizeof(Look));

		look->p = DatumGetInt32(rows->value[i][0]);
		look->drawn = DatumGetInt64(rows->value[i][1]);
		look->rows = DatumGetFloat8(rows->value[i][2]);
		columns += versions->part[look->p].columns.count;
		if (columns > LOOKS_LIMIT)
			break;
		looks = lappend(looks, look);
		*nights += look->drawn != last;
		last = look->drawn;
	}
	return looks;
}

/* In place of a column: was the person drawn for? */
#define DRAWN 1664

/* The name of a column in a look. */
static char *
look_name(const Look *look, int i)
{
	return psprintf("sdc_%d_%d_" INT64_FORMAT, look->p, i, look->drawn);
}

/* The columns that are the same in each version: keys and strata. */
static SdcRelationColumns
plain_columns(const struct SdcVersions *versions, ArrayType *keys)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(versions->original);
	SdcRelationColumns plain = {0};
	int c;
	int p;

	for (c = 0; c < all.count; c++)
	{
		SdcRelationColumns one = {1, &all.column[c]};
		const char *name = all.column[c].name;
		bool wanted = lists_name(keys, name);
		int i;

		for (p = 0; p < versions->parts; p++)
			wanted |= sdcpg_relation_lists(&versions->part[p].strata,
										   all.column[c].number);
		if (wanted && sdcpg_versions_part_of(versions, name, &p, &i) == NULL &&
			all.column[c].number != versions->id.number &&
			get_attnum(versions->staging->masked->oid, name) !=
				InvalidAttrNumber)
			sdcpg_versions_add_columns(&plain, &one, NULL);
	}
	return plain;
}

/* One row for each person with the columns of all looks. */
static void
make_seen(struct SdcVersions *versions, List *looks)
{
	StringInfoData list;
	ListCell *cell;
	int i;

	initStringInfo(&list);
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];
		char *where =
			psprintf("(WHERE l.p = %d AND l.drawn = " INT64_FORMAT ")",
					 look->p, look->drawn);

		appendStringInfo(&list, ", count(*) FILTER %s > 0 AS %s", where,
						 look_name(look, DRAWN));
		for (i = 0; i < part->columns.count; i++)
			appendStringInfo(&list,
							 ", CAST(max(l.value[%d]) FILTER %s AS %s)"
							 " AS %s",
							 i + 1, where, part->type[i], look_name(look, i));
	}
	sdcpg_versions_table(
		versions, "seen",
		psprintf("SELECT l.person%s FROM %s AS l GROUP BY l.person", list.data,
				 sdcpg_versions_name(versions, "looks")));
}

/* The two sides: the masked columns of the looks, and the originals. */
static void
make_sides(struct SdcVersions *versions, List *looks,
		   const SdcRelationColumns *plain)
{
	StringInfoData masked;
	StringInfoData original;
	ListCell *cell;
	int i;

	initStringInfo(&masked);
	initStringInfo(&original);
	for (i = 0; i < plain->count; i++)
	{
		appendStringInfo(&masked, ", r.%s", plain->column[i].sql);
		appendStringInfo(&original, ", r.%s", plain->column[i].sql);
	}
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
		{
			appendStringInfo(&masked, ", s.%s", look_name(look, i));
			appendStringInfo(&original, ", CASE WHEN s.%s THEN r.%s END AS %s",
							 look_name(look, DRAWN),
							 part->columns.column[i].sql, look_name(look, i));
		}
	}
	sdcpg_versions_table(
		versions, "masked",
		psprintf("SELECT r.%s%s FROM (SELECT r.*, %s AS sdc_person"
				 " FROM %s AS r OFFSET 0) AS r LEFT JOIN %s AS s"
				 " ON s.person = r.sdc_person",
				 versions->id.sql, masked.data,
				 sdcpg_versions_person(versions, "r"),
				 versions->staging->masked->sql,
				 sdcpg_versions_name(versions, "seen")));
	sdcpg_versions_table(
		versions, "original",
		psprintf("SELECT r.%s%s FROM (SELECT r.*, %s AS sdc_person"
				 " FROM %s AS r OFFSET 0) AS r LEFT JOIN %s AS s"
				 " ON s.person = r.sdc_person",
				 versions->id.sql, original.data,
				 sdcpg_versions_person(versions, "r"), versions->original->sql,
				 sdcpg_versions_name(versions, "seen")));
}

/* The name of a column of a part in a look; NULL for another column. */
static const char *
name_in_look(const SdcPart *part, const Look *look, const char *name)
{
	int i;

	for (i = 0; i < part->columns.count; i++)
		if (strcmp(part->columns.column[i].name, name) == 0)
			return look_name(look, i);
	return NULL;
}

/* An object whose keys are columns of a part, as they are called in a look. */
static Jsonb *
rename_members(const SdcPart *part, const Look *look, Jsonb *object)
{
	JsonbIterator *iterator = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue value;
	StringInfoData document;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *key;
		const char *name;

		if (token != WJB_KEY)
			continue;
		key = pnstrdup(value.val.string.val, value.val.string.len);
		name = name_in_look(part, look, key);
		(void) JsonbIteratorNext(&iterator, &value, true);
		sdcpg_document_jsonb(&document, name != NULL ? name : key,
							 JsonbValueToJsonb(&value));
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* What a rule says of a look. */
static Jsonb *
look_params(const struct SdcVersions *versions, const Look *look,
			const SdcRule *rule)
{
	const SdcPart *part = &versions->part[look->p];
	Jsonb *params = rule->params;
	const SdcKey *key;

	for (key = rule->method->keys; key->name != NULL; key++)
	{
		Datum changed;

		if (!sdcpg_params_has(rule->params, key->name))
			continue;
		changed = DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(params),
									  CStringGetTextDatum(key->name));
		if (strcmp(key->name, "sensitive") == 0)
			params = DatumGetJsonbP(changed);
		if (key->type == SDC_KEY_OBJECT)
		{
			StringInfoData one;

			sdcpg_document_begin(&one);
			sdcpg_document_open(&one, NULL, '{');
			sdcpg_document_jsonb(
				&one, key->name,
				rename_members(part, look,
							   sdcpg_params_object(rule->params, key->name)));
			sdcpg_document_close(&one, '{');
			params = DatumGetJsonbP(
				DirectFunctionCall2(jsonb_concat, changed,
									JsonbPGetDatum(sdcpg_document_end(&one))));
		}
	}
	if (rule->method->likelihood == SDC_LIKELIHOOD_RANKS)
		params = sdcpg_versions_with_number(
			params, "p",
			Min(100, sdcpg_rule_number(rule, "p") *
						 Max(1, versions->tally.rows / Max(look->rows, 1))));
	return params;
}

/* The rules of all looks, and of the plain columns. */
static Jsonb *
look_rules(const struct SdcVersions *versions, List *looks,
		   const SdcRelationColumns *plain)
{
	SdcRules rules = sdcpg_rules_read(versions->rules, versions->original);
	StringInfoData document;
	ListCell *cell;
	ListCell *member;
	int i;

	sdcpg_document_begin(&document);
	sdcpg_document_open(&document, NULL, '{');
	for (i = 0; i < rules.count; i++)
		if (rules.rule[i].columns.count == 1 &&
			!sdcpg_versions_draws(&rules.rule[i]) &&
			sdcpg_relation_lists(plain, rules.rule[i].columns.column->number))
			sdcpg_document_jsonb(&document, rules.rule[i].subject,
								 rules.rule[i].params);
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);

		foreach (member, versions->part[look->p].rules)
		{
			const SdcRule *rule = lfirst(member);
			StringInfoData subject;

			initStringInfo(&subject);
			for (i = 0; i < rule->columns.count; i++)
				appendStringInfo(&subject, "%s%s", i > 0 ? "," : "",
								 name_in_look(&versions->part[look->p], look,
											  rule->columns.column[i].name));
			sdcpg_document_jsonb(&document, subject.data,
								 look_params(versions, look, rule));
		}
	}
	sdcpg_document_close(&document, '{');
	return sdcpg_document_end(&document);
}

/* The keys of all looks, and the plain ones, as name[]. */
static ArrayType *
look_keys(const struct SdcVersions *versions, List *looks,
		  const SdcRelationColumns *plain, ArrayType *keys)
{
	Datum *element = palloc(sizeof(Datum) * (LOOKS_LIMIT + plain->count + 1));
	int count = 0;
	ListCell *cell;
	int i;

	for (i = 0; i < plain->count; i++)
		if (lists_name(keys, plain->column[i].name))
			element[count++] = DirectFunctionCall1(
				namein, CStringGetDatum(plain->column[i].name));
	foreach (cell, looks)
	{
		const Look *look = lfirst(cell);
		const SdcPart *part = &versions->part[look->p];

		for (i = 0; i < part->columns.count; i++)
			if (lists_name(keys, part->columns.column[i].name))
				element[count++] = DirectFunctionCall1(
					namein, CStringGetDatum(look_name(look, i)));
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

void
sdcpg_versions_show(SdcStaging *staging, SdcGateCase *of)
{
	struct SdcVersions *versions = staging->versions;
	SdcRelationColumns plain;
	SdcAttackCase *seen;
	List *looks;

	if (versions == NULL || versions->mark == NULL || of->keys == NULL)
		return;
	sdcpg_versions_old_parts(versions);
	if (!versions->remembers && versions->all_parts == versions->parts)
		return;
	make_looks(versions, of->keys);
	looks = list_looks(versions, &versions->versions);
	if (versions->versions < 2)
		return;
	plain = plain_columns(versions, of->keys);
	make_seen(versions, looks);
	make_sides(versions, looks, &plain);
	seen = palloc0(sizeof(SdcAttackCase));
	seen->original = sdcpg_versions_find(versions, "original");
	seen->masked = sdcpg_versions_find(versions, "masked");
	seen->id = of->id;
	seen->keys = look_keys(versions, looks, &plain, of->keys);
	seen->rules = look_rules(versions, looks, &plain);
	seen->p = of->p;
	seen->seeded = of->seeded;
	seen->seed = of->seed;
	of->versions = seen;
}
