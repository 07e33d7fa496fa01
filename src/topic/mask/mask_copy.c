/*
 * mask_copy.c
 *		A masked copy of a relation.
 *
 * CREATE TABLE AS ... WITH NO DATA makes the table, so its columns, its owner
 * and the rights to it are PostgreSQL's business; then the same SELECT is run
 * once and its rows go into the table many at a time.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/progress.h"
#include "host/server/result.h"
#include "kernel/base/random.h"
#include "topic/mask/mask_copy.h"
#include "topic/mask/mask_plan.h"
#include "topic/mask/mask_select.h"
#include "topic/mask/mask_spread.h"
#include "topic/mask/mask_write.h"
#include "topic/mask/rules.h"
#include "topic/registry/nulls.h"
#include "topic/registry/roles.h"

PG_FUNCTION_INFO_V1(sdcf_content_hash);

/* What may be asked for, as bits. */
typedef enum SdcCopyStructure
{
	SDC_COPY_COMMENTS = 1,
	SDC_COPY_NOT_NULL = 2,
	SDC_COPY_KEYS = 4, /* primary key and unique constraints */
	SDC_COPY_INDEXES = 8
} SdcCopyStructure;

/* ----------------------------------------------------------------------
 * What else there is about a table that is masked.
 *
 * One query of the catalog, which everybody may read, for what a mask must
 * keep; one for where the values live on.
 * ----------------------------------------------------------------------
 */

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
	SdcCatalogRows *rows = sdcpg_catalog_read_often(
		psprintf("%s SELECT q.* FROM (%s) AS q (step, subject, detail) "
				 "ORDER BY q.step COLLATE pg_catalog.\"C\", "
				 "q.subject COLLATE pg_catalog.\"C\", "
				 "q.detail COLLATE pg_catalog.\"C\"",
				 common, query),
		parameters);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		SdcStep step = SDC_STEP(TextDatumGetCString(rows->value[i][0]));

		step.subject = TextDatumGetCString(rows->value[i][1]);
		step.detail = TextDatumGetCString(rows->value[i][2]);
		sdcpg_step_put(result, &step);
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

/* ----------------------------------------------------------------------
 * What a masked copy takes over from its table besides the rows.
 * ----------------------------------------------------------------------
 */

static const char *const words[] = {"comments", "not_null", "keys", "indexes",
									NULL};

typedef struct Copying
{
	const SdcRelation *relation;
	const SdcTarget *target;
	int wanted;
} Copying;

int
sdcpg_copy_structure_read(Jsonb *params)
{
	int wanted = 0;
	ListCell *cell;

	foreach (cell, sdcpg_params_names(params, "keep"))
	{
		int i = 0;

		while (words[i] != NULL && strcmp(words[i], lfirst(cell)) != 0)
			i++;
		if (words[i] == NULL)
			sdcpg_params_wrong("keep",
							   "a list of comments, not_null, keys, indexes");
		wanted |= 1 << i;
	}
	return wanted;
}

/* Comments of the table and of its columns, found by name. */
static void
copy_comments(const Copying *copying, Oid copy)
{
	SdcRelationColumns columns = sdcpg_relation_all_columns(copying->relation);
	Oid original = copying->relation->oid;
	int i;

	CreateComments(copy, RelationRelationId, 0,
				   GetComment(original, RelationRelationId, 0));
	for (i = 0; i < columns.count; i++)
		CreateComments(copy, RelationRelationId,
					   get_attnum(copy, columns.column[i].name),
					   GetComment(original, RelationRelationId,
								  columns.column[i].number));
}

static void
copy_not_null(const Copying *copying)
{
	Relation original = table_open(copying->relation->oid, NoLock);
	TupleDesc descriptor = RelationGetDescr(original);
	int i;

	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		if (column->attnotnull && !column->attisdropped)
			sdcpg_catalog_run(
				psprintf("ALTER TABLE %s ALTER %s SET NOT NULL",
						 copying->target->sql,
						 quote_identifier(NameStr(column->attname))),
				NULL, false);
	}
	table_close(original, NoLock);
}

/* The columns of an index as SQL, or NULL for one that is left out. */
static char *
index_columns(const Copying *copying, Relation index)
{
	StringInfoData sql;
	int i;

	if (index->rd_rel->relam != BTREE_AM_OID ||
		RelationGetIndexExpressions(index) != NIL ||
		RelationGetIndexPredicate(index) != NIL ||
		!index->rd_index->indisvalid)
		return NULL;
	initStringInfo(&sql);
	for (i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++)
		appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(get_attname(
							 copying->relation->oid,
							 index->rd_index->indkey.values[i], false)));
	return sql.data;
}

static void
copy_index(const Copying *copying, Relation index)
{
	char *columns = index_columns(copying, index);
	bool is_unique = index->rd_index->indisunique;

	if (columns == NULL)
		return;
	if (is_unique && (copying->wanted & SDC_COPY_KEYS))
		sdcpg_catalog_run(
			psprintf("ALTER TABLE %s ADD %s (%s)", copying->target->sql,
					 index->rd_index->indisprimary ? "PRIMARY KEY" : "UNIQUE",
					 columns),
			NULL, false);
	if (!is_unique && (copying->wanted & SDC_COPY_INDEXES))
		sdcpg_catalog_run(
			psprintf("CREATE INDEX ON %s (%s)", copying->target->sql, columns),
			NULL, false);
}

static void
copy_indexes(const Copying *copying)
{
	Relation original = table_open(copying->relation->oid, NoLock);
	ListCell *cell;

	foreach (cell, RelationGetIndexList(original))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		copy_index(copying, index);
		index_close(index, NoLock);
	}
	table_close(original, NoLock);
}

static void
copy_all(void *arg)
{
	Copying *copying = arg;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	if (copying->wanted & SDC_COPY_NOT_NULL)
		copy_not_null(copying);
	if (copying->wanted & (SDC_COPY_KEYS | SDC_COPY_INDEXES))
		copy_indexes(copying);
	if (copying->wanted & SDC_COPY_COMMENTS)
		copy_comments(copying, get_relname_relid(copying->target->name,
												 copying->target->schema));
	SPI_finish();
}

void
sdcpg_copy_structure(const SdcRelation *relation, const SdcTarget *target,
					 int wanted)
{
	Copying copying = {relation, target, wanted};

	if (wanted != 0)
		sdcpg_mask_guard(target->name, copy_all, &copying);
}

/* ----------------------------------------------------------------------
 * A method of the table as a whole, applied to what the other rules leave.
 *
 * What becomes of a value can only be said when all rows are masked, so these
 * are put into a table first.  The function of the method reads it, writes the
 * next, and verifies it.
 * ----------------------------------------------------------------------
 */

SdcTarget *
sdcpg_mask_suppress_stage(Oid schema, const char *name, const char *shown)
{
	SdcTarget *stage = palloc0(sizeof(SdcTarget));

	stage->schema = schema;
	stage->name = sdcpg_catalog_hidden_name(psprintf("%s_", name));
	sdcpg_relation_hide(stage->name, shown);
	stage->sql =
		quote_qualified_identifier(get_namespace_name(schema), stage->name);
	return stage;
}

void
sdcpg_mask_suppress_drop(const SdcTarget *stage)
{
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	sdcpg_catalog_run(psprintf("DROP TABLE %s", stage->sql), NULL, false);
	SPI_finish();
}

static Datum
names_of(const SdcRelationColumns *columns)
{
	Datum *name = palloc(sizeof(Datum) * columns->count);
	int i;

	for (i = 0; i < columns->count; i++)
		name[i] = DirectFunctionCall1(
			namein, CStringGetDatum(columns->column[i].name));
	return PointerGetDatum(construct_array(name, columns->count, NAMEOID,
										   NAMEDATALEN, false, TYPALIGN_CHAR));
}

/*
 * The sensitive columns of a rule: those it names, or, where it asks for
 * something of them, those declared for the relation; none is NULL.
 */
static void
bind_sensitive(SdcMaskPlan *plan, SdcCatalogParameters *bound)
{
	const SdcRule *rule = plan->table;
	SdcRelationColumns columns = {0};
	ListCell *cell;

	foreach (cell, sdcpg_params_names(rule->params, "sensitive"))
	{
		columns.column =
			columns.count == 0
				? palloc(sizeof(SdcRelationColumn))
				: repalloc(columns.column,
						   (columns.count + 1) * sizeof(SdcRelationColumn));
		columns.column[columns.count++] =
			sdcpg_relation_column(plan->relation, lfirst(cell));
	}
	if (columns.count == 0 && (sdcpg_params_has(rule->params, "l") ||
							   sdcpg_params_has(rule->params, "t")))
		columns = sdcpg_roles_columns(plan->relation, "sensitive", NULL,
									  SDC_ROLE_SENSITIVE);
	sdcpg_catalog_bind(bound, NAMEARRAYOID,
					   columns.count == 0 ? (Datum) 0 : names_of(&columns),
					   columns.count == 0);
}

/* The arguments of the call of a rule of the table, see SdcMask. */
static SdcCatalogParameters *
bind_arguments(SdcMaskPlan *plan, const SdcTarget *stage,
			   const SdcTarget *target)
{
	SdcCatalogParameters *bound = palloc0(sizeof(SdcCatalogParameters));
	const SdcRule *rule = plan->table;
	uint64 seed = sdcpg_mask_seed(plan->seed, sdcpg_mask_plan_subject(rule));

	if (plan->order.count != 1 &&
		(rule->method->traits & SDC_MASK_NEEDS_ID) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" needs one column that tells "
							   "records apart",
							   rule->method->name),
						errhint("Name it in argument \"id\".")));
	sdcpg_catalog_bind(
		bound, REGCLASSOID,
		ObjectIdGetDatum(get_relname_relid(stage->name, stage->schema)),
		false);
	sdcpg_catalog_bind(
		bound, NAMEOID,
		plan->order.count != 1
			? (Datum) 0
			: DirectFunctionCall1(namein,
								  CStringGetDatum(plan->order.column[0].name)),
		plan->order.count != 1);
	sdcpg_catalog_bind(bound, NAMEARRAYOID, names_of(&rule->columns), false);
	sdcpg_catalog_bind(bound, JSONBOID, JsonbPGetDatum(rule->params), false);
	/* without a seed the method draws from the strong source itself */
	sdcpg_catalog_bind(bound, INT8OID, Int64GetDatum((int64) seed),
					   !plan->seeded);
	sdcpg_catalog_bind_text(bound, target->sql);
	bind_sensitive(plan, bound);
	sdcpg_catalog_bind(bound, REGCLASSOID,
					   ObjectIdGetDatum(plan->relation->oid), false);
	return bound;
}

/* The NULLs of the columns of the rule, in their order, from a table. */
static int64 *
count_nulls(const SdcRule *rule, const SdcTarget *table)
{
	int64 *nulls = palloc(sizeof(int64) * rule->columns.count);
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	for (i = 0; i < rule->columns.count; i++)
		appendStringInfo(&sql,
						 "%s pg_catalog.count(*) FILTER (WHERE r.%s IS NULL)",
						 i == 0 ? "SELECT" : ",", rule->columns.column[i].sql);
	appendStringInfo(&sql, " FROM %s AS r", table->sql);
	sdcpg_catalog_run(sql.data, NULL, false);
	for (i = 0; i < rule->columns.count; i++)
	{
		bool isnull;

		nulls[i] = DatumGetInt64(SPI_getbinval(
			SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull));
	}
	return nulls;
}

/*
 * Makes the new table target from the rows in the table stage, and drops
 * stage.  Counts the values that became NULL.  Everything is done by the call
 * of the method, as the current user.
 */
static void
mask_table(SdcMaskPlan *plan, const SdcTarget *stage, const SdcTarget *target,
		   SdcMaskCount *count)
{
	const SdcRule *rule = plan->table;
	int64 *before;
	int64 *after;
	int i;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	before = count_nulls(rule, stage);
	sdcpg_catalog_run(rule->method->call, bind_arguments(plan, stage, target),
					  false);
	after = count_nulls(rule, target);
	for (i = 0; i < rule->columns.count; i++)
		count->suppressed[sdcpg_mask_plan_column(
							  plan, rule->columns.column[i].number) -
						  plan->column] = after[i] - before[i];
	SPI_finish();
	sdcpg_mask_suppress_drop(stage);
}

/* ----------------------------------------------------------------------
 * A masked copy of a relation.
 * ----------------------------------------------------------------------
 */

/* Bytes of rows that are held back. */
#define HELD_BYTES (256 * 1024)

static void
take_row(void *arg, const Datum *values, const bool *isnull)
{
	sdcpg_mask_sink_put(arg, values, isnull);
}

SdcMaskWatch *sdcpg_mask_watch = NULL;

/* Creates a table and fills it with the rows of the SELECT. */
static SdcMaskCount *
fill(SdcPgHost *host, SdcMaskPlan *plan, const SdcTarget *target,
	 SdcMaskWatch *watch)
{
	SdcMaskTaker taker = {take_row};
	SdcRelationColumns keys =
		sdcpg_roles_columns(plan->relation, "keys", NULL, SDC_ROLE_KEY);
	char *select = sdcpg_mask_select(plan, false);
	SdcMaskCount *count;
	Oid table;

	plan->shaped = true;
	plan->keys = sdcpg_target_keys(&keys);
	sdcpg_target_create_empty(
		host, target,
		sdcpg_target_shape(select, &plan->parameters, plan->keys, false),
		&plan->parameters);
	CommandCounterIncrement();
	table = get_relname_relid(target->name, target->schema);
	taker.arg =
		sdcpg_mask_sink_open(plan, table, InvalidOid, false, HELD_BYTES,
							 watch == NULL ? NULL : &watch->rows);
	count = sdcpg_mask_write(host, plan, &taker);
	if (sdcpg_mask_sink_close(taker.arg) != count->rows)
		elog(ERROR, "rows were lost on their way into a copy");
	if (watch != NULL)
		watch->table = table;
	CommandCounterIncrement();
	return count;
}

/* A copy that a rule of the table makes of what the others leave. */
typedef struct Staged
{
	SdcPgHost *host;
	SdcMaskPlan *plan;
	const SdcTarget *target;
	SdcMaskCount *count;
} Staged;

static void
copy_staged(void *arg)
{
	Staged *staged = arg;
	SdcMaskPlan *plan = staged->plan;
	SdcTarget *stage = sdcpg_mask_suppress_stage(
		staged->target->schema, "sdc_masked", plan->relation->name);

	staged->count = fill(staged->host, plan, stage, NULL);
	sdcpg_nulls_inherit(plan->relation->oid, stage);
	sdcpg_progress_stage(&staged->host->progress, plan->table->method->name);
	mask_table(plan, stage, staged->target, staged->count);
}

/* ----------------------------------------------------------------------
 * A masked copy of a table whose rows are on other servers.
 *
 * The copy is created empty, distributed as its table is, and filled by one
 * INSERT ... SELECT, which Citus runs on each server for the shards that are
 * there: no row comes here.  That needs a SELECT without volatile functions.
 * So pseudonyms are made by a function that makes no keys, and rows lie in an
 * order that their new content makes, whatever they lay in before.
 * Where the column that says in which shard a row is changes, Citus moves the
 * rows, over this server.
 * ----------------------------------------------------------------------
 */

typedef struct Spread
{
	SdcPgHost *host;
	SdcMaskPlan *plan;
	const SdcTarget *target;
	SdcMaskCount *count;
} Spread;

/* The column that says in which shard a row is, by its name. */
static SdcMaskColumn *
home_column(const SdcMaskPlan *plan, const char *name)
{
	return sdcpg_mask_plan_column((SdcMaskPlan *) plan,
								  get_attnum(plan->relation->oid, name));
}

/*
 * Stops where what says in which shard a row is would be NULL in some row: of
 * numbers that are not finite no mean can be made.
 */
static void
need_homes(const SdcMaskPlan *plan)
{
	SdcMaskColumn *column;
	char *name;

	(void) sdcpg_home_of(plan->relation->oid, &name);
	if (name == NULL)
		return;
	column = home_column(plan, name);
	if (column->value == NULL || column->rule == NULL)
		return;
	if (sdcpg_catalog_read(psprintf("SELECT 1 FROM %s AS r WHERE (%s) IS NULL "
									"LIMIT 1",
									plan->relation->sql, column->value),
						   &plan->parameters)
			->count > 0)
		sdcpg_mask_refuse_spread(
			plan->whole != NULL ? plan->whole : plan->relation, column->rule,
			psprintf("Column \"%s\" says in which shard a row is, and would "
					 "be NULL in some rows, as of numbers that are not "
					 "finite.",
					 name));
}

/* Has the empty copy distributed as its table is. */
static void
distribute(const Spread *copy)
{
	const SdcRelation *relation = copy->plan->relation;
	char *column;
	bool kept;

	(void) sdcpg_home_of(relation->oid, &column);
	kept = column == NULL || home_column(copy->plan, column)->value == NULL;
	sdcpg_target_spread(copy->target, column, kept ? relation->sql : "none",
						sdcpg_shards_of(relation->oid));
}

/* Does no value of a column change?  Looks until one does. */
static bool
is_unchanged(SdcMaskPlan *plan, const SdcMaskColumn *column)
{
	return sdcpg_catalog_read(
			   psprintf("SELECT 1 FROM %s AS r WHERE (r.%s IS NULL) "
						"OPERATOR(pg_catalog.<>) (%s IS NULL) OR "
						"pg_catalog.concat(r.%s) OPERATOR(pg_catalog.<>) "
						"pg_catalog.concat(%s) LIMIT 1",
						plan->relation->sql, column->column.sql, column->value,
						column->column.sql, column->value),
			   &plan->parameters)
			   ->count == 0;
}

/* Columns that are looked at, and their rows. */
#define HINT_COLUMNS 16
#define HINT_ROWS    1000

/* Is the column written as it is, as a number of one machine word? */
static bool
is_plain_number(const SdcMaskColumn *column)
{
	Oid type = getBaseType(column->column.type);

	return column->value == NULL && column->read && get_typbyval(type) &&
		   get_typlen(type) >= 4 &&
		   OidIsValid(lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr);
}

/* The first of some columns of which nine in ten values differ, or NULL. */
static const char *
telling_column(const SdcMaskPlan *plan)
{
	const SdcMaskColumn *column[HINT_COLUMNS];
	StringInfoData counts;
	StringInfoData names;
	SdcCatalogRows *rows;
	int count = 0;
	int i;

	initStringInfo(&counts);
	initStringInfo(&names);
	for (i = 0; i < plan->columns && count < HINT_COLUMNS; i++)
		if (is_plain_number(&plan->column[i]))
		{
			column[count++] = &plan->column[i];
			appendStringInfo(&counts, ", pg_catalog.count(DISTINCT r.%s)",
							 plan->column[i].column.sql);
			appendStringInfo(&names, "%s%s", count > 1 ? ", " : "",
							 plan->column[i].column.sql);
		}
	if (count == 0)
		return NULL;
	rows = sdcpg_catalog_read(
		psprintf("SELECT pg_catalog.count(*)%s FROM (SELECT %s FROM %s LIMIT "
				 "%d) AS r",
				 counts.data, names.data, plan->relation->sql, HINT_ROWS),
		NULL);
	for (i = 0; i < count; i++)
		if (DatumGetInt64(rows->value[0][i + 1]) * 10 >=
			DatumGetInt64(rows->value[0][0]) * 9)
			return column[i]->column.name;
	return NULL;
}

/*
 * The names of the columns of a primary key that are all written as they are:
 * no two rows share them.  NIL: there is none.
 */
static List *
plain_key(const SdcMaskPlan *plan)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;
	List *names = NIL;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(plan->relation->oid), false);
	/* a child may have the keys of its parent */
	rows = sdcpg_catalog_read(
		"SELECT k.number FROM pg_catalog.pg_index AS i "
		"JOIN pg_catalog.pg_class AS c "
		"ON c.oid OPERATOR(pg_catalog.=) i.indrelid, "
		"pg_catalog.unnest(i.indkey) AS k(number) "
		"WHERE i.indrelid OPERATOR(pg_catalog.=) $1 AND i.indisprimary "
		"AND i.indisvalid AND i.indimmediate AND (NOT c.relhassubclass "
		"OR c.relkind OPERATOR(pg_catalog.=) 'p')",
		&parameters);
	for (i = 0; i < rows->count; i++)
	{
		const SdcMaskColumn *column = sdcpg_mask_plan_column(
			(SdcMaskPlan *) plan, DatumGetInt16(rows->value[i][0]));

		if (column->value != NULL || !column->read)
			return NIL;
		names = lappend(names, column->column.name);
	}
	return names;
}

/* The only column of a key, if it is a number, else NULL. */
static const char *
single_number(const SdcMaskPlan *plan, const List *key)
{
	int i;

	for (i = 0; i < plan->columns && list_length(key) == 1; i++)
		if (strcmp(plan->column[i].column.name, linitial(key)) == 0 &&
			is_plain_number(&plan->column[i]))
			return linitial(key);
	return NULL;
}

/* What makes the rows of the copy cheap to sort. */
static SdcSortHint
sort_hint(const SdcMaskPlan *plan)
{
	List *key = plain_key(plan);
	SdcSortHint hint = {single_number(plan, key), key, key};
	int i;

	if (hint.first == NULL)
		hint.first = telling_column(plan);
	for (i = 0; i < plan->columns && key == NIL; i++)
		if (plan->column[i].value == NULL)
			hint.plain = lappend(hint.plain, plan->column[i].column.name);
	return hint;
}

/* What the hash of a row needs to know of a column. */
typedef struct Hashed
{
	int16 length;
	bool by_value;
} Hashed;

static Hashed *
hashed_types(FunctionCallInfo fcinfo)
{
	Hashed *hashed = fcinfo->flinfo->fn_extra;
	int i;

	if (hashed != NULL)
		return hashed;
	hashed = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt,
								sizeof(Hashed) * (PG_NARGS() + 1));
	for (i = 0; i < PG_NARGS(); i++)
		get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, i),
						&hashed[i].length, &hashed[i].by_value);
	fcinfo->flinfo->fn_extra = hashed;
	return hashed;
}

/* The hash of the bytes of a value. */
static uint64
hash_value(const Hashed *hashed, Datum value)
{
	struct varlena *plain;
	uint64 hash;

	if (hashed->by_value)
		return (uint64) value;
	if (hashed->length != -1)
		return hash_bytes_extended(
			(unsigned char *) DatumGetPointer(value),
			(int) datumGetSize(value, false, hashed->length), 0);
	plain = PG_DETOAST_DATUM_PACKED(value);
	hash = hash_bytes_extended((unsigned char *) VARDATA_ANY(plain),
							   (int) VARSIZE_ANY_EXHDR(plain), 0);
	if ((Pointer) plain != DatumGetPointer(value))
		pfree(plain);
	return hash;
}

/*
 * content_hash(VARIADIC "any") returns bigint
 *
 * A hash of the stored bytes of values: the same for the same ones on all
 * machines of a cluster.
 */
Datum
sdcf_content_hash(PG_FUNCTION_ARGS)
{
	Hashed *hashed;
	uint64 hash = 0;
	int i;

	if (get_fn_expr_variadic(fcinfo->flinfo))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("content_hash takes values one by one")));
	hashed = hashed_types(fcinfo);
	for (i = 0; i < PG_NARGS(); i++)
		hash = sdc_random_mix(
			hash +
			(PG_ARGISNULL(i)
				 ? 1
				 : sdc_random_mix(hash_value(&hashed[i], PG_GETARG_DATUM(i)) ^
								  (uint64) i << 56)));
	PG_RETURN_INT64((int64) hash);
}

static void
fill_spread(void *arg)
{
	Spread *copy = arg;
	SdcMaskPlan *plan = copy->plan;
	SdcRelationColumns keys =
		sdcpg_roles_columns(plan->relation, "keys", NULL, SDC_ROLE_KEY);
	SdcSortHint hint = sort_hint(plan);
	SdcMaskCount *count;
	int i;

	plan->shaped = true;
	plan->keys = sdcpg_target_keys(&keys);
	count = copy->count = sdcpg_mask_count_new(plan);
	count->sql = sdcpg_target_shape_sorted(
		sdcpg_mask_select(plan, false), &plan->parameters, plan->keys, &hint);
	sdcpg_target_create_empty(copy->host, copy->target, count->sql,
							  &plan->parameters);
	distribute(copy);
	need_homes(plan);
	sdcpg_progress_stage(&copy->host->progress, "writing");
	count->rows = (int64) sdcpg_catalog_run_as_seen(
		psprintf("INSERT INTO %s %s", copy->target->sql, count->sql),
		&plan->parameters);
	for (i = 0; i < plan->columns; i++)
		if (sdcpg_mask_select_compares(&plan->column[i]) &&
			!sdcpg_mask_is_gathered(&plan->column[i]) &&
			is_unchanged(plan, &plan->column[i]))
			count->changed[i] = 0;
	sdcpg_mask_finish_gathered(plan, count);
}

static SdcMaskCount *
mask_shards(SdcPgHost *host, SdcMaskPlan *plan, const SdcTarget *target)
{
	Spread copy = {host, plan, target};
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	sdcpg_mask_guard(plan->relation->name, fill_spread, &copy);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	copy.count->seconds = INSTR_TIME_GET_DOUBLE(end);
	CommandCounterIncrement();
	sdcpg_nulls_inherit(plan->relation->oid, target);
	return copy.count;
}

/*
 * Has a copy that was made here lie as its table does: on all servers, or in
 * one shard.  What Citus leaves of it here is removed.
 */
static void
place_copy(const SdcMaskPlan *plan, const SdcTarget *target)
{
	SdcCatalogParameters parameters = {0};
	char *column;
	SdcHome home = sdcpg_home_of(plan->relation->oid, &column);
	int settings;

	if ((home != SDC_HOME_EVERYWHERE && home != SDC_HOME_SPREAD) ||
		isAnyTempNamespace(target->schema))
		return;
	sdcpg_catalog_bind_text(&parameters, target->sql);
	sdcpg_catalog_bind_text(&parameters, plan->relation->sql);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	/* what Citus tells of what it leaves is not true when this is done */
	settings = NewGUCNestLevel();
	sdcpg_set_for_now("client_min_messages", "warning");
	sdcpg_catalog_run(home == SDC_HOME_EVERYWHERE
						  ? "SELECT pg_catalog.create_reference_table("
							"$1::pg_catalog.regclass), $2::pg_catalog.text"
						  : "SELECT pg_catalog.create_distributed_table("
							"$1::pg_catalog.regclass, NULL, "
							"colocate_with => $2)",
					  &parameters, false);
	sdcpg_catalog_run("SELECT pg_catalog."
					  "truncate_local_data_after_distributing_table("
					  "$1::pg_catalog.regclass)",
					  &parameters, false);
	AtEOXact_GUC(false, settings);
	SPI_finish();
}

SdcMaskCount *
sdcpg_mask_copy(SdcPgHost *host, SdcMaskPlan *plan, const SdcTarget *target)
{
	Staged staged = {host, plan, target};
	SdcMaskWatch *watch = sdcpg_mask_watch;

	sdcpg_mask_watch = NULL;
	if (plan->spread)
		return mask_shards(host, plan, target);
	if (plan->table != NULL)
		sdcpg_mask_guard_own(plan->relation->name, copy_staged, &staged);
	else
	{
		staged.count = fill(host, plan, target, watch);
		sdcpg_nulls_inherit(plan->relation->oid, target);
	}
	place_copy(plan, target);
	return staged.count;
}
