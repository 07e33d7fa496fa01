/*
 * mask_survey.c
 *		What else there is about a table that is masked.
 *
 * One query of the catalog, which everybody may read, for what a mask must
 * keep; one for where the values live on.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/call/catalog.h"
#include "pg/mask/mask_survey.h"
#include "pg/server/compat.h"

/*
 * $1 is the table, $2 its masked columns, $3 whether it is masked in place.
 * Each query gives step, subject and detail; the lines of one step are sorted.
 * family is the table and what is below it, reader the views that read these.
 */
static const char *const common =
	"WITH RECURSIVE family AS ("
	"SELECT $1 AS oid UNION SELECT i.inhrelid FROM family AS f "
	"JOIN pg_catalog.pg_inherits AS i "
	"ON i.inhparent OPERATOR(pg_catalog.=) f.oid), "
	"reader AS ("
	"SELECT oid FROM family UNION SELECT w.ev_class FROM reader AS t "
	"JOIN pg_catalog.pg_depend AS d "
	"ON d.refobjid OPERATOR(pg_catalog.=) t.oid "
	"AND d.refclassid OPERATOR(pg_catalog.=) "
	"'pg_catalog.pg_class'::pg_catalog.regclass "
	"AND d.classid OPERATOR(pg_catalog.=) "
	"'pg_catalog.pg_rewrite'::pg_catalog.regclass "
	"JOIN pg_catalog.pg_rewrite AS w "
	"ON w.oid OPERATOR(pg_catalog.=) d.objid), "
	"named AS ("
	"SELECT x.oid, x.relkind, "
	"pg_catalog.format('%I.%I', n.nspname, x.relname) AS name "
	"FROM pg_catalog.pg_class AS x "
	"JOIN pg_catalog.pg_namespace AS n "
	"ON n.oid OPERATOR(pg_catalog.=) x.relnamespace) ";

/* Columns with more to them than a type. */
static const char *const columns =
	"SELECT 'column', a.attname::pg_catalog.text, pg_catalog.concat("
	"pg_catalog.format_type(a.atttypid, a.atttypmod), "
	"CASE WHEN a.attnotnull THEN ', NOT NULL' END, "
	"CASE WHEN a.attidentity OPERATOR(pg_catalog.<>) '' "
	"THEN ', identity' END, "
	"CASE WHEN a.attgenerated OPERATOR(pg_catalog.<>) '' THEN "
	"CASE WHEN NOT $3 THEN ', generated: NULL in the copy' "
	"ELSE ', generated: computed anew' END END, '.') "
	"FROM pg_catalog.pg_attribute AS a "
	"WHERE a.attrelid OPERATOR(pg_catalog.=) $1 "
	"AND a.attnum OPERATOR(pg_catalog.=) ANY ($2)";

/* Constraints of the table; incoming: foreign keys that point at it. */
static const char *const constraints =
	"SELECT 'constraint', c.conname::pg_catalog.text, pg_catalog.concat("
	"pg_catalog.pg_get_constraintdef(c.oid), "
	"CASE WHEN NOT $3 THEN ': not in the copy unless kept.' "
	"WHEN NOT c.convalidated THEN ': not valid, not verified.' "
	"WHEN c.conkey OPERATOR(pg_catalog.&&) $2 OR c.contype "
	"OPERATOR(pg_catalog.=) ANY ('{c,u,p,x}') THEN ': verified.' "
	"ELSE ': not touched.' END) "
	"FROM pg_catalog.pg_constraint AS c "
	/* since 18 NOT NULL is one, too */
	"WHERE c.conrelid OPERATOR(pg_catalog.=) $1 "
	"AND c.contype OPERATOR(pg_catalog.<>) 'n'";

static const char *const incoming =
	"SELECT 'constraint', c.conname::pg_catalog.text, pg_catalog.concat("
	"pg_catalog.pg_get_constraintdef(c.oid), ' of ', n.name, "
	"CASE WHEN NOT $3 THEN ': not in the copy unless kept.' "
	"WHEN c.confkey OPERATOR(pg_catalog.&&) $2 THEN ': masked alike.' "
	"ELSE ': not touched.' END) "
	"FROM pg_catalog.pg_constraint AS c "
	"JOIN named AS n ON n.oid OPERATOR(pg_catalog.=) c.conrelid "
	"WHERE c.confrelid OPERATOR(pg_catalog.=) $1 "
	"AND c.conparentid OPERATOR(pg_catalog.=) 0 "
	"AND c.contype OPERATOR(pg_catalog.=) 'f'";

static const char *const indexes =
	"SELECT 'index', n.name, pg_catalog.concat("
	"CASE WHEN i.indisunique THEN 'Unique' ELSE 'Not unique' END, "
	"CASE WHEN i.indexprs IS NOT NULL THEN ', with expressions' END, "
	"CASE WHEN $3 THEN ': built anew.' "
	"ELSE ': not in the copy unless kept.' END) "
	"FROM pg_catalog.pg_index AS i "
	"JOIN named AS n ON n.oid OPERATOR(pg_catalog.=) i.indexrelid "
	"WHERE i.indrelid OPERATOR(pg_catalog.=) $1";

static const char *const triggers =
	"SELECT 'trigger', t.tgname::pg_catalog.text, pg_catalog.concat("
	"'On ', n.name, ': does not fire.') "
	"FROM family AS f JOIN named AS n ON n.oid OPERATOR(pg_catalog.=) f.oid "
	"JOIN pg_catalog.pg_trigger AS t "
	"ON t.tgrelid OPERATOR(pg_catalog.=) f.oid WHERE NOT t.tgisinternal";

static const char *const partitions =
	"SELECT 'partition', n.name, CASE WHEN $3 "
	"THEN 'Masked together with the table.' "
	"ELSE 'Its rows are in the copy.' END "
	"FROM family AS f JOIN named AS n ON n.oid OPERATOR(pg_catalog.=) f.oid "
	"WHERE f.oid OPERATOR(pg_catalog.<>) $1";

static const char *const views =
	"SELECT 'view', n.name, CASE WHEN $3 "
	"THEN 'Shows the masked values.' ELSE 'Shows the original.' END "
	"FROM reader AS d JOIN named AS n ON n.oid OPERATOR(pg_catalog.=) d.oid "
	"WHERE n.relkind OPERATOR(pg_catalog.=) 'v'";

/* Where the values live on, after a mask in place. */
static const char *const stored_views =
	"SELECT 'not covered', n.name, 'Materialized view: holds what was read "
	"before until REFRESH MATERIALIZED VIEW.' "
	"FROM reader AS d JOIN named AS n ON n.oid OPERATOR(pg_catalog.=) d.oid "
	"WHERE n.relkind OPERATOR(pg_catalog.=) 'm' AND $3";

static const char *const publications =
	"SELECT DISTINCT 'not covered', p.pubname::pg_catalog.text, "
	"'Publication: subscribers keep their rows, for a rewrite is not "
	"replicated.' "
	"FROM pg_catalog.pg_publication_tables AS p "
	"JOIN named AS n ON n.name OPERATOR(pg_catalog.=) "
	"pg_catalog.format('%I.%I', p.schemaname, p.tablename) "
	"JOIN family AS f ON f.oid OPERATOR(pg_catalog.=) n.oid WHERE $3";

static const char *const slots =
	"SELECT 'not covered', s.slot_name::pg_catalog.text, "
	"'Replication slot: holds WAL with earlier values until its consumer "
	"has read it.' FROM pg_catalog.pg_replication_slots AS s "
	"WHERE $3 AND (s.database IS NULL OR s.database "
	"OPERATOR(pg_catalog.=) pg_catalog.current_database())";

static const char *const others =
	"SELECT 'not covered', o.subject, o.detail FROM (VALUES "
	"('write-ahead log', 'Holds earlier values until it is recycled, as do "
	"its archives.'), "
	"('backups', 'Backups and standbys that lag hold earlier values.'), "
	"('server log', 'Statements that were logged may quote values.'), "
	"('statistics', 'pg_statistic and pg_statistic_ext_data hold dead rows "
	"with sampled values: VACUUM FULL both, as a superuser.')) "
	"AS o (subject, detail) WHERE $3";

static const char *const *const queries[] = {
	&columns, &constraints,  &incoming,     &indexes, &triggers, &partitions,
	&views,   &stored_views, &publications, &slots,   &others};

/* Runs a query of the survey and appends its rows. */
static void
put_rows(ReturnSetInfo *result, const char *query,
		 const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows = sdcpg_catalog_read(
		psprintf("%s SELECT q.* FROM (%s) AS q (step, subject, detail) "
				 "ORDER BY q.step COLLATE pg_catalog.\"C\", "
				 "q.subject COLLATE pg_catalog.\"C\", "
				 "q.detail COLLATE pg_catalog.\"C\"",
				 common, query),
		parameters);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		SdcMaskStep step =
			SDC_MASK_STEP(TextDatumGetCString(rows->value[i][0]));

		step.subject = TextDatumGetCString(rows->value[i][1]);
		step.detail = TextDatumGetCString(rows->value[i][2]);
		sdcpg_mask_step_put(result, &step);
	}
}

/* The masked columns as smallint[]. */
static Datum
masked_columns(const SdcMaskPlan *plan)
{
	Datum *number = palloc(sizeof(Datum) * (plan->columns + 1));
	int count = 0;
	int i;

	for (i = 0; i < plan->columns; i++)
		if (plan->column[i].masked)
			number[count++] = Int16GetDatum(plan->column[i].column.number);
	return PointerGetDatum(construct_array(
		number, count, INT2OID, sizeof(int16), true, TYPALIGN_SHORT));
}

void
sdcpg_mask_survey(ReturnSetInfo *result, const SdcMaskPlan *plan)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(*parameters));
	int i;

	sdcpg_catalog_bind(parameters, OIDOID,
					   ObjectIdGetDatum(plan->relation->oid), false);
	sdcpg_catalog_bind(parameters, INT2ARRAYOID, masked_columns(plan), false);
	sdcpg_catalog_bind(parameters, BOOLOID, BoolGetDatum(plan->in_place),
					   false);
	for (i = 0; i < lengthof(queries); i++)
		put_rows(result, *queries[i], parameters);
}
