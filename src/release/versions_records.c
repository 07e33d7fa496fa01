/*
 * versions_records.c
 *		What a policy remembers of synthetic records, which are nobody's.
 *
 * Records that are drawn anew every night let whoever keeps them see ever more
 * of the model that they are drawn from, and of the originals that it was made
 * of.  So as long as the originals and the rules stay the same the records do,
 * too: the seed is made of both and of the key of the policy.  Records of
 * changed originals are drawn anew.  All that were published are kept, and the
 * attacks that need no id are run on all of them together as well.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"

#include "host/call/catalog.h"
#include "host/call/query.h"
#include "release/seal.h"
#include "release/versions.h"
#include "topic/mask/rules.h"

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
