/*
 * copy.c
 *		A safe copy of a whole schema: sdc.copy_schema, check_copy.
 *
 * What is done to each column is decided in copy_plan.c.  Each table is
 * masked by sdc.mask, then put into a table with the types, constraints and
 * indexes of the original; foreign keys come last and prove that no row has
 * lost its partner.  Then the copy is searched for original identifiers.
 *
 * All is done by the owner of the tables, and by nobody else: domains, checks
 * and expressions run as for any INSERT of his.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/result.h"
#include "release/copy.h"
#include "release/publish.h"
#include "topic/mask/mask_write.h"

PG_FUNCTION_INFO_V1(sdcf_copy_schema);
PG_FUNCTION_INFO_V1(sdcf_check_copy);

/* ----------------------------------------------------------------------
 * Tables.
 * ----------------------------------------------------------------------
 */

/*
 * Runs a statement as the caller, and lets what reads after it see what it
 * did; how many rows it had.
 */
static uint64
run_with(const char *sql, const SdcCatalogParameters *parameters)
{
	uint64 rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	sdcpg_catalog_run(sql, parameters, false);
	rows = SPI_processed;
	SPI_finish();
	CommandCounterIncrement();
	UpdateActiveSnapshotCommandId();
	return rows;
}

uint64
sdcpg_copy_run(const char *sql)
{
	return run_with(sql, NULL);
}

/* A row of texts of a query of the catalog with the parameter $1. */
SdcCatalogRows *
sdcpg_copy_ask(const char *sql, Oid oid)
{
	SdcCatalogParameters parameters = {0};

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(oid), false);
	return sdcpg_catalog_read_often(sql, &parameters);
}

/* The snapshot of a copy is older than what others have done meanwhile. */
SdcCatalogRows *
sdcpg_copy_read_now(const char *sql, const SdcCatalogParameters *parameters)
{
	SdcCatalogRows *rows;

	PushActiveSnapshot(GetLatestSnapshot());
	rows = sdcpg_catalog_read(sql, parameters);
	PopActiveSnapshot();
	return rows;
}

char *
sdcpg_copy_folded(const char *query)
{
	MemoryContext caller = CurrentMemoryContext;
	StringInfoData text;
	uint64 i;

	initStringInfo(&text);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	sdcpg_catalog_run(psprintf("EXPLAIN (VERBOSE, COSTS OFF) %s", query), NULL,
					  false);
	for (i = 0; i < SPI_processed; i++)
	{
		char *line =
			SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		MemoryContext spi = MemoryContextSwitchTo(caller);

		appendStringInfo(&text, "%s\n", line);
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	return text.data;
}

/* Makes the partitions of a table, and theirs. */
static void
create_partitions(const SdcCopy *copy, Oid table, const char *name)
{
	SdcCatalogRows *parts = sdcpg_copy_ask(
		"SELECT p.oid, p.relname::text, pg_get_expr(p.relpartbound, p.oid), "
		"pg_get_partkeydef(p.oid) FROM pg_inherits AS i "
		"JOIN pg_class AS p ON p.oid = i.inhrelid AND p.relispartition "
		"WHERE i.inhparent = $1 ORDER BY p.relname",
		table);
	int64 i;

	check_stack_depth();
	for (i = 0; i < parts->count; i++)
	{
		char *part = sdcpg_copy_text(parts, i, 1);
		char *key = sdcpg_copy_text(parts, i, 3);

		sdcpg_copy_run(psprintf("CREATE TABLE %s PARTITION OF %s %s%s%s",
								quote_qualified_identifier(copy->target, part),
								quote_qualified_identifier(copy->target, name),
								sdcpg_copy_text(parts, i, 2),
								key == NULL ? "" : " PARTITION BY ",
								key == NULL ? "" : key));
		create_partitions(copy, DatumGetObjectId(parts->value[i][0]), part);
	}
}

/*
 * A table like the original, with its partitions, and without rows, foreign
 * keys, triggers and comments.
 */
static void
create_like(const SdcCopy *copy, Oid table, const char *name)
{
	SdcCatalogRows *keys =
		sdcpg_copy_ask("SELECT pg_get_partkeydef($1)", table);
	char *key = sdcpg_copy_text(keys, 0, 0);

	sdcpg_copy_run(
		psprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING "
				 "CONSTRAINTS INCLUDING GENERATED INCLUDING IDENTITY "
				 "INCLUDING STORAGE)%s%s",
				 quote_qualified_identifier(copy->target, name),
				 quote_qualified_identifier(copy->schema, get_rel_name(table)),
				 key == NULL ? "" : " PARTITION BY ", key == NULL ? "" : key));
	create_partitions(copy, table, name);
}

void
sdcpg_copy_put(const SdcCopy *copy, const char *name, const char *subject,
			   const char *detail)
{
	SdcStep step = SDC_STEP(name);

	step.subject = subject;
	step.detail = detail;
	sdcpg_step_put(copy->result, &step);
}

/* Tells of a part of a table that holds something and is left out. */
static void
put_left_out(const SdcCopy *copy, const char *what, const char *holds,
			 const char *table)
{
	sdcpg_copy_put(copy, "not covered", table,
				   psprintf("%s %s: not in the copy.", what, holds));
}

/*
 * Checks, defaults and generated columns of a table: what they are, name,
 * definition, whether they call a function that may read what its owner may,
 * and the expression.
 */
static const char *const expressions_sql =
	"WITH RECURSIVE e AS (SELECT 'CONSTRAINT' AS what, "
	"quote_ident(k.conname) AS name, "
	"concat(k.conname, ' ', pg_get_constraintdef(k.oid)) AS t, "
	"'pg_constraint'::regclass AS class, k.oid, pg_get_expr(k.conbin, "
	"k.conrelid) AS x FROM pg_constraint AS k "
	"WHERE k.conrelid = $1 AND k.contype = 'c' UNION ALL "
	"SELECT CASE a.attgenerated WHEN '' THEN 'DEFAULT' ELSE 'GENERATED' END, "
	"quote_ident(a.attname), pg_get_expr(d.adbin, d.adrelid), "
	"'pg_attrdef'::regclass, d.oid, pg_get_expr(d.adbin, d.adrelid) "
	"FROM pg_attrdef AS d JOIN pg_attribute AS a "
	"ON a.attrelid = d.adrelid AND a.attnum = d.adnum "
	"WHERE d.adrelid = $1), own AS (SELECT e.class, e.oid FROM e), "
	/* clang-format off */
	SDC_COPY_TRUSTED
	/* clang-format on */
	" SELECT e.what, e.name, e.t, EXISTS (SELECT FROM trusted AS k "
	"WHERE k.class = e.class AND k.oid = e.oid), e.x FROM e";

/* Why something that calls such a function is left out. */
static const char *const calls_trusted =
	"calls a function that runs with the rights of its owner, and may read "
	"the original";

/*
 * What an expression over a table of the copy holds once what is the same for
 * all rows is computed, as reverse('7resu'); NULL: nothing.
 */
static const char *
computed_of(const SdcCopy *copy, const char *expression, const char *name)
{
	return sdcpg_copy_holds(
		copy->sought, sdcpg_copy_folded(psprintf(
						  "SELECT %s FROM %s", expression,
						  quote_qualified_identifier(copy->target, name))));
}

/* Why a check or a default of a table is left out; NULL: it is not. */
static const char *
reason_of(const SdcCopy *copy, const SdcCatalogRows *rows, int64 i,
		  const char *name)
{
	const char *holds =
		sdcpg_copy_holds(copy->sought, sdcpg_copy_text(rows, i, 2));

	if (DatumGetBool(rows->value[i][3]))
		return calls_trusted;
	if (holds == NULL)
		holds = computed_of(copy, sdcpg_copy_text(rows, i, 4), name);
	return holds == NULL ? NULL : psprintf("holds %s", holds);
}

/*
 * What a column is generated with cannot go: one that makes an identifier of
 * constants stops the copy.  What it says itself is searched for later.
 */
static void
look_at_generated(const SdcCopy *copy, const char *expression,
				  const char *name)
{
	const char *holds = sdcpg_copy_holds(copy->sought, expression) == NULL
							? computed_of(copy, expression, name)
							: NULL;

	if (holds != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("the copy of schema \"%s\" would hold 1 original "
						"identifiers",
						copy->schema),
				 errdetail("A generated column of table \"%s\" makes %s of "
						   "constants. Nothing was copied.",
						   name, holds)));
}

/*
 * Takes checks and defaults that hold an identifier, or make one of constants,
 * out of a table of the copy.
 */
static void
drop_named(const SdcCopy *copy, const char *name)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		expressions_sql,
		get_relname_relid(name, get_namespace_oid(copy->target, false)));
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		const char *what = sdcpg_copy_text(rows, i, 0);
		bool check = strcmp(what, "CONSTRAINT") == 0;
		const char *reason;

		if (strcmp(what, "GENERATED") == 0)
		{
			look_at_generated(copy, sdcpg_copy_text(rows, i, 4), name);
			continue;
		}
		reason = reason_of(copy, rows, i, name);
		if (reason == NULL)
			continue;
		sdcpg_copy_run(psprintf(check ? "ALTER TABLE %s DROP CONSTRAINT %s"
									  : "ALTER TABLE %s ALTER %s DROP DEFAULT",
								quote_qualified_identifier(copy->target, name),
								sdcpg_copy_text(rows, i, 1)));
		put_left_out(copy, check ? "A check" : "A default", reason, name);
	}
}

/*
 * Takes checks out of a table of the copy that the original has not validated,
 * and that rows may break; what puts them back once the rows are there.
 */
static SdcCatalogRows *
take_unvalidated(const SdcCopy *copy, Oid table, const char *name)
{
	SdcCatalogParameters parameters = {0};
	char *target = quote_qualified_identifier(copy->target, name);
	SdcCatalogRows *rows;
	int64 i;

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(table), false);
	sdcpg_catalog_bind(&parameters, OIDOID,
					   ObjectIdGetDatum(get_relname_relid(
						   name, get_namespace_oid(copy->target, false))),
					   false);
	rows = sdcpg_catalog_read(
		"SELECT quote_ident(o.conname), pg_get_constraintdef(o.oid) "
		"FROM pg_constraint AS o JOIN pg_constraint AS k "
		"ON k.conrelid = $2 AND k.conname = o.conname AND k.contype = 'c' "
		"WHERE o.conrelid = $1 AND o.contype = 'c' AND NOT o.convalidated "
		"AND pg_get_constraintdef(o.oid) ~ ' NOT VALID$'",
		&parameters);
	for (i = 0; i < rows->count; i++)
		sdcpg_copy_run(psprintf("ALTER TABLE %s DROP CONSTRAINT %s", target,
								sdcpg_copy_text(rows, i, 0)));
	return rows;
}

static void
put_unvalidated(const SdcCopy *copy, const char *name,
				const SdcCatalogRows *rows)
{
	int64 i;

	for (i = 0; i < rows->count; i++)
		sdcpg_copy_run(psprintf("ALTER TABLE %s ADD CONSTRAINT %s %s",
								quote_qualified_identifier(copy->target, name),
								sdcpg_copy_text(rows, i, 0),
								sdcpg_copy_text(rows, i, 1)));
}

/* Sequences of serial columns become those of the copy. */
static void
own_sequences(const SdcCopy *copy, Oid table, const char *name)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT a.attname::text, s.relname::text FROM pg_depend AS d "
		"JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S' "
		"JOIN pg_attribute AS a ON a.attrelid = d.refobjid "
		"AND a.attnum = d.refobjsubid WHERE d.refobjid = $1 "
		"AND d.classid = 'pg_class'::regclass "
		"AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'",
		table);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		const char *column = quote_identifier(sdcpg_copy_text(rows, i, 0));
		char *sequence = quote_qualified_identifier(
			copy->target, sdcpg_copy_text(rows, i, 1));

		sdcpg_copy_run(psprintf("CREATE SEQUENCE %s OWNED BY %s.%s", sequence,
								quote_qualified_identifier(copy->target, name),
								column));
		sdcpg_copy_run(
			psprintf("ALTER TABLE %s ALTER %s SET DEFAULT nextval(%s)",
					 quote_qualified_identifier(copy->target, name), column,
					 quote_literal_cstr(sequence)));
	}
}

/*
 * Sequences and identities go on after the largest value of the copy, or the
 * smallest one when they go down.
 */
static void
set_sequences(const SdcCopy *copy, const char *name)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT a.attname::text, d.objid::regclass::text, format(CASE WHEN "
		"q.seqincrement > 0 THEN 'greatest(max(%1$s), %2$s)' ELSE "
		"'least(min(%1$s), %3$s)' END, quote_ident(a.attname), q.seqmin, "
		"q.seqmax) FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid "
		"JOIN pg_sequence AS q ON q.seqrelid = s.oid "
		"AND s.relkind = 'S' JOIN pg_attribute AS a "
		"ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid "
		"WHERE d.refobjid = $1 AND d.classid = 'pg_class'::regclass "
		"AND d.refclassid = 'pg_class'::regclass "
		"AND d.deptype IN ('a', 'i')",
		get_relname_relid(name, get_namespace_oid(copy->target, false)));
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		const char *column = quote_identifier(sdcpg_copy_text(rows, i, 0));

		sdcpg_copy_run(
			psprintf("SELECT setval(%s, %s, max(%s) IS NOT NULL) FROM %s",
					 quote_literal_cstr(sdcpg_copy_text(rows, i, 1)),
					 sdcpg_copy_text(rows, i, 2), column,
					 quote_qualified_identifier(copy->target, name)));
	}
}

/*
 * Keys and indexes of a table and of its partitions, but for those that come
 * with the ones of the table: where, a name, and what follows the name.
 */
static const char *const indexes_sql =
	/* or all of the catalog is joined, and each index of it written out */
	"WITH RECURSIVE x AS MATERIALIZED (SELECT * FROM pg_index "
	"WHERE indrelid = ANY ("
	"ARRAY(SELECT $1::oid UNION SELECT relid FROM pg_partition_tree($1)))), "
	"own AS (SELECT 'pg_class'::regclass AS class, x.indexrelid AS oid "
	"FROM x), "
	/* clang-format off */
	SDC_COPY_TRUSTED " "
	/* clang-format on */
	"SELECT c.relname::text, quote_ident(i.relname), k.oid IS NOT NULL, "
	"COALESCE(pg_get_constraintdef(k.oid), substr(d.t, length(concat("
	"'CREATE ', CASE WHEN x.indisunique THEN 'UNIQUE ' END, 'INDEX ', "
	"quote_ident(i.relname), ' ON ', CASE WHEN i.relkind = 'I' THEN 'ONLY ' "
	"END, quote_ident(n.nspname), '.', quote_ident(c.relname), ' ')) + 1)), "
	"x.indisunique, concat(i.relname, ' ', d.t), concat_ws(', ', pg_get_expr("
	"x.indexprs, x.indrelid), pg_get_expr(x.indpred, x.indrelid)), "
	"EXISTS (SELECT FROM trusted AS k WHERE k.oid = x.indexrelid) "
	"FROM x JOIN pg_class AS i ON i.oid = x.indexrelid "
	"JOIN pg_class AS c ON c.oid = x.indrelid "
	"JOIN pg_namespace AS n ON n.oid = c.relnamespace "
	"LEFT JOIN pg_constraint AS k ON k.conindid = i.oid AND k.conrelid = "
	"c.oid AND k.contype IN ('p', 'u', 'x') "
	"CROSS JOIN LATERAL pg_get_indexdef(x.indexrelid) AS d (t) "
	"WHERE NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = "
	"i.oid) ORDER BY k.contype, c.relname, i.relname";

/* An index or foreign key of the original that the copy gets. */
typedef struct Pending
{
	const SdcCopy *copy;
	const SdcCatalogRows *rows;
	int64 row;
	bool named;    /* its name may stay */
	bool unproven; /* a foreign key that rows break, as in the original */
} Pending;

static void
add_index(void *arg)
{
	const Pending *index = arg;
	const SdcCatalogRows *rows = index->rows;
	char *table = quote_qualified_identifier(
		index->copy->target, sdcpg_copy_text(rows, index->row, 0));
	const char *name =
		index->named ? sdcpg_copy_text(rows, index->row, 1) : "";
	char *rest = sdcpg_copy_text(rows, index->row, 3);

	if (DatumGetBool(rows->value[index->row][2]))
		sdcpg_copy_run(psprintf("ALTER TABLE %s ADD %s %s %s", table,
								index->named ? "CONSTRAINT" : "", name, rest));
	else
		sdcpg_copy_run(
			psprintf("CREATE %s INDEX %s ON %s %s",
					 DatumGetBool(rows->value[index->row][4]) ? "UNIQUE" : "",
					 name, table, rest));
}

/* Faster once the rows are there. */
void
sdcpg_copy_indexes(const SdcCopy *copy, Oid table)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(indexes_sql, table);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		Pending index = {copy, rows, i, true};
		const char *holds =
			sdcpg_copy_holds(copy->sought, sdcpg_copy_text(rows, i, 5));
		const char *expressions = sdcpg_copy_text(rows, i, 6);

		CHECK_FOR_INTERRUPTS();
		if (DatumGetBool(rows->value[i][7]))
		{
			put_left_out(copy, "An index", calls_trusted,
						 sdcpg_copy_text(rows, i, 0));
			continue;
		}
		if (holds == NULL && *expressions != '\0')
			holds =
				computed_of(copy, expressions, sdcpg_copy_text(rows, i, 0));
		if (holds != NULL)
		{
			index.named = false;
			if (!DatumGetBool(rows->value[i][2]))
			{
				put_left_out(copy, "An index", psprintf("holds %s", holds),
							 sdcpg_copy_text(rows, i, 0));
				continue;
			}
		}
		sdcpg_mask_guard(sdcpg_copy_text(rows, i, 0), add_index, &index);
	}
}

char *
sdcpg_copy_rules_of(const SdcCopy *copy, Oid table, StringInfo written)
{
	StringInfoData rules;
	int i;

	initStringInfo(&rules);
	for (i = 0; i < copy->columns; i++)
	{
		const SdcCopyColumn *column = &copy->column[i];

		if (column->table != table || column->generated)
			continue;
		appendStringInfo(&rules, "%s", rules.len == 0 ? "{" : ", ");
		escape_json(&rules, column->column);
		appendStringInfo(
			&rules, ": %s",
			JsonbToCString(NULL, &column->rule->root, VARSIZE(column->rule)));
		appendStringInfo(written, "%s%s", written->len == 0 ? "" : ", ",
						 quote_identifier(column->column));
	}
	if (rules.len == 0)
		appendStringInfoChar(&rules, '{');
	appendStringInfoChar(&rules, '}');
	return rules.data;
}

/* One table on its way. */
typedef struct Table
{
	const SdcCopy *copy;
	Oid oid;
	char *name;
	char *written; /* the columns that are not generated */
	char *stage;   /* a table where the rows are until they go there */
	int64 rows;
} Table;

/* Masks the table into one of plain types. */
static void
mask_table(const Table *table, const char *rules)
{
	SdcCatalogParameters parameters = {0};
	Oid source = table->copy->subset == NULL ? table->oid
											 : RelnameGetRelid(SDC_COPY_ROWS);

	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(source), false);
	sdcpg_catalog_bind(&parameters, JSONBOID,
					   DirectFunctionCall1(jsonb_in, CStringGetDatum(rules)),
					   false);
	sdcpg_catalog_bind_text(
		&parameters,
		quote_qualified_identifier(table->copy->target, table->stage));
	sdcpg_catalog_bind(&parameters, INT8OID, table->copy->seed,
					   !table->copy->seeded);
	run_with("SELECT count(*) FROM sdc.mask(relation => $1::regclass,"
			 " rules => $2, target => $3, seed => $4)",
			 &parameters);
}

/* Takes the rows over; what a check says of a row may show values. */
static void
fill_table(void *arg)
{
	Table *table = arg;
	char *target = table->copy->target;

	table->rows = sdcpg_copy_run(psprintf(
		"INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s",
		quote_qualified_identifier(target, table->name), table->written,
		table->written, quote_qualified_identifier(target, table->stage)));
}

/* All columns of a table, as a list in SQL. */
static char *
all_columns(const Table *table)
{
	const SdcCopy *copy = table->copy;
	StringInfoData list;
	int i;

	initStringInfo(&list);
	for (i = 0; i < copy->columns; i++)
		if (copy->column[i].table == table->oid)
			appendStringInfo(&list, "%s%s", list.len == 0 ? "" : ", ",
							 quote_identifier(copy->column[i].column));
	return list.data;
}

/* Has an empty copy lie as its table does: on all servers, or in shards. */
static void
place_like(const SdcCopy *copy, Oid table, const char *name)
{
	char *own =
		quote_literal_cstr(quote_qualified_identifier(copy->target, name));
	char *original = quote_literal_cstr(
		quote_qualified_identifier(copy->schema, get_rel_name(table)));
	char *column;
	SdcHome home = sdcpg_home_of(table, &column);

	if (home == SDC_HOME_EVERYWHERE)
		sdcpg_copy_run(psprintf("SELECT create_reference_table(%s)", own));
	else if (home == SDC_HOME_SPREAD)
		sdcpg_copy_run(psprintf(
			"SELECT create_distributed_table(%s, %s, colocate_with => %s)",
			own, column == NULL ? "NULL" : quote_literal_cstr(column),
			original));
}

static void
write_table(void *arg)
{
	Table *table = arg;
	const SdcCopy *copy = table->copy;
	SdcCatalogRows *unvalidated;
	StringInfoData written;
	char *rules;

	initStringInfo(&written);
	rules = sdcpg_copy_rules_of(copy, table->oid, &written);
	table->written = written.data;
	table->stage = sdcpg_catalog_hidden_name("sdc_stage_");
	create_like(copy, table->oid, table->name);
	drop_named(copy, table->name);
	unvalidated = take_unvalidated(copy, table->oid, table->name);
	own_sequences(copy, table->oid, table->name);
	sdcpg_copy_shared_sequences(copy, table->oid, table->name);
	place_like(copy, table->oid, table->name);
	if (written.len > 0)
	{
		if (copy->subset != NULL)
			sdcpg_copy_subset_take(table->oid, all_columns(table));
		mask_table(table, rules);
		if (copy->subset != NULL)
			sdcpg_copy_run("DROP TABLE pg_temp." SDC_COPY_ROWS);
		sdcpg_mask_guard(table->name, fill_table, table);
		sdcpg_copy_run(
			psprintf("DROP TABLE %s",
					 quote_qualified_identifier(copy->target, table->stage)));
	}
	put_unvalidated(copy, table->name, unvalidated);
	sdcpg_copy_indexes(copy, table->oid);
	set_sequences(copy, table->name);
	sdcpg_copy_advance_sequences(copy, table->oid, table->name);
}

static void
put_table(const Table *table)
{
	const SdcCopy *copy = table->copy;
	SdcStep step = SDC_STEP("write");
	int i;

	step.subject = quote_qualified_identifier(copy->shown, table->name);
	step.rows = table->rows;
	sdcpg_step_put(copy->result, &step);
	for (i = 0; i < copy->columns; i++)
	{
		const SdcCopyColumn *column = &copy->column[i];
		const char *method = sdcpg_copy_method(column);
		SdcStep line = SDC_STEP("mask");

		if (column->table != table->oid)
			continue;
		line.step = strcmp(method, "keep") == 0 ? "kept" : "mask";
		line.subject = psprintf("%s.%s", table->name, column->column);
		line.method = method;
		line.rows = table->rows;
		line.detail = psprintf("Decided by: %s.", column->level);
		sdcpg_step_put(copy->result, &line);
	}
}

/* ----------------------------------------------------------------------
 * Foreign keys, and what is not copied.
 * ----------------------------------------------------------------------
 */

static const char *const keys_sql =
	"SELECT k.conname::text, c.relname::text, p.relname::text, "
	"(SELECT string_agg(concat(CASE WHEN x.period AND u.n = "
	"cardinality(k.conkey) THEN 'PERIOD ' END, quote_ident(a.attname)), ', ' "
	"ORDER BY u.n) "
	"FROM unnest(k.conkey) WITH ORDINALITY AS u (att, n) JOIN pg_attribute "
	"AS a ON a.attrelid = k.conrelid AND a.attnum = u.att), "
	"(SELECT string_agg(concat(CASE WHEN x.period AND u.n = "
	"cardinality(k.conkey) THEN 'PERIOD ' END, quote_ident(a.attname)), ', ' "
	"ORDER BY u.n) "
	"FROM unnest(k.confkey) WITH ORDINALITY AS u (att, n) JOIN pg_attribute "
	"AS a ON a.attrelid = k.confrelid AND a.attnum = u.att), "
	"concat(CASE k.confmatchtype WHEN 'f' THEN ' MATCH FULL' END, "
	"' ON UPDATE ', CASE k.confupdtype WHEN 'r' THEN 'RESTRICT' WHEN 'c' "
	"THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' "
	"ELSE 'NO ACTION' END, ' ON DELETE ', CASE k.confdeltype WHEN 'r' THEN "
	"'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' "
	"THEN 'SET DEFAULT' ELSE 'NO ACTION' END, "
	"(SELECT concat(' (', string_agg(quote_ident(a.attname), ', '), ')') "
	"FROM jsonb_array_elements_text(nullif(x.k -> 'confdelsetcols', 'null')) "
	"AS u (att) JOIN pg_attribute AS a ON a.attrelid = k.conrelid "
	"AND a.attnum = u.att::int HAVING count(*) > 0), "
	"CASE WHEN k.condeferrable THEN ' DEFERRABLE' END, "
	"CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END, "
	"CASE WHEN x.k ->> 'conenforced' = 'false' THEN ' NOT ENFORCED' END), "
	"pr.relnamespace = $1, (SELECT string_agg(concat('p.', "
	"quote_ident(b.attname), ' = c.', quote_ident(a.attname)), ' AND ' "
	"ORDER BY u.n) FROM unnest(k.conkey, k.confkey) WITH ORDINALITY "
	"AS u (att, patt, n) JOIN pg_attribute AS a ON a.attrelid = k.conrelid "
	"AND a.attnum = u.att JOIN pg_attribute AS b ON b.attrelid = k.confrelid "
	"AND b.attnum = u.patt), (SELECT string_agg(concat('c.', "
	"quote_ident(a.attname), ' IS NOT NULL'), ' AND ' ORDER BY u.n) "
	"FROM unnest(k.conkey) WITH ORDINALITY AS u (att, n) JOIN pg_attribute "
	"AS a ON a.attrelid = k.conrelid AND a.attnum = u.att), "
	"k.convalidated, x.period "
	"FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid "
	"JOIN pg_class AS p ON p.oid = k.confrelid "
	/* partitions are copied with the table that they are of */
	"JOIN pg_class AS cr ON cr.oid = COALESCE(pg_partition_root(c.oid), "
	"c.oid) JOIN pg_class AS pr ON pr.oid = COALESCE(pg_partition_root("
	"p.oid), p.oid) CROSS JOIN LATERAL "
	/* what not every version has: columns that are set, periods, force */
	"(SELECT j.k, coalesce(j.k ->> 'conperiod', '') = 'true' AS period "
	"FROM (SELECT to_jsonb(k)) AS j (k)) AS x WHERE cr.relnamespace = $1 "
	"AND k.contype = 'f' AND k.conparentid = 0 "
	"ORDER BY c.relname, k.conname";

/* Rows of a key of the copy that leads to no row of it. */
static int64
orphans_of(const SdcCopy *copy, const SdcCatalogRows *rows, int64 i)
{
	return DatumGetInt64(
		sdcpg_catalog_read(
			psprintf("SELECT count(*) FROM %s AS c WHERE %s AND NOT "
					 "EXISTS (SELECT FROM %s AS p WHERE %s)",
					 quote_qualified_identifier(copy->target,
												sdcpg_copy_text(rows, i, 1)),
					 sdcpg_copy_text(rows, i, 8),
					 quote_qualified_identifier(copy->target,
												sdcpg_copy_text(rows, i, 2)),
					 sdcpg_copy_text(rows, i, 7)),
			NULL)
			->value[0][0]);
}

/* Was a key validated in the original, and do its columns tell partners? */
static bool
is_proven(const SdcCatalogRows *rows, int64 i)
{
	return DatumGetBool(rows->value[i][9]) &&
		   !DatumGetBool(rows->value[i][10]);
}

static void
add_key(void *arg)
{
	const Pending *key = arg;
	const SdcCopy *copy = key->copy;

	sdcpg_copy_run(psprintf(
		"ALTER TABLE %s ADD %s%s FOREIGN KEY (%s) "
		"REFERENCES %s (%s)%s%s",
		quote_qualified_identifier(copy->target,
								   sdcpg_copy_text(key->rows, key->row, 1)),
		key->named ? "CONSTRAINT " : "",
		key->named ? quote_identifier(sdcpg_copy_text(key->rows, key->row, 0))
				   : "",
		sdcpg_copy_text(key->rows, key->row, 3),
		quote_qualified_identifier(copy->target,
								   sdcpg_copy_text(key->rows, key->row, 2)),
		sdcpg_copy_text(key->rows, key->row, 4),
		sdcpg_copy_text(key->rows, key->row, 5),
		key->unproven ? " NOT VALID" : ""));
}

/*
 * Every key is validated, and that is the proof; but for one that is not in
 * the original and does not hold here either.
 */
static void
add_keys(const SdcCopy *copy)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(keys_sql, copy->namespace);
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		char *name = sdcpg_copy_text(rows, i, 0);
		Pending key = {copy, rows, i,
					   sdcpg_copy_holds(copy->sought, name) == NULL};
		char *subject = psprintf("%s.%s", sdcpg_copy_text(rows, i, 1),
								 key.named ? name : "a key");

		CHECK_FOR_INTERRUPTS();
		if (DatumGetBool(rows->value[i][6]))
		{
			key.unproven =
				!DatumGetBool(rows->value[i][9]) &&
				strstr(sdcpg_copy_text(rows, i, 5), " NOT ENFORCED") == NULL &&
				orphans_of(copy, rows, i) > 0;
			sdcpg_mask_guard(sdcpg_copy_text(rows, i, 1), add_key, &key);
			sdcpg_copy_put(copy, "constraint", subject,
						   key.unproven
							   ? "Foreign key, not validated, as in the "
								 "original: rows have no partner."
							   : "Foreign key, validated in the copy.");
		}
		else
			sdcpg_copy_put(copy, "not covered", subject,
						   "Foreign key to another schema: not in the copy.");
	}
}

/* ----------------------------------------------------------------------
 * sdc.copy_schema
 * ----------------------------------------------------------------------
 */

/* Is a column still what was decided about?  As all see it now. */
static bool
is_unchanged(const SdcCopy *copy, const SdcCopyColumn *column)
{
	char *name = get_rel_name(column->table);

	return name != NULL && strcmp(name, column->relation) == 0 &&
		   get_rel_namespace(column->table) == copy->namespace &&
		   get_attnum(column->table, column->column) == column->number &&
		   (get_attgenerated(column->table, column->number) != '\0') ==
			   column->generated &&
		   strcmp(format_type_be(
					  getBaseType(get_atttype(column->table, column->number))),
				  column->type) == 0;
}

/*
 * All tables as of one moment: of the snapshot of the transaction, where it
 * has one, or else nobody writes meanwhile.  Nobody alters them, and who has
 * since they were decided about stops the copy.
 */
static void
hold_still(const SdcCopy *copy)
{
	const char *mode = IsolationUsesXactSnapshot() ? "ACCESS SHARE" : "SHARE";
	int i;

	for (i = 0; i < copy->columns; i++)
		if (sdcpg_copy_is_first(copy, i))
			sdcpg_copy_run(
				psprintf("LOCK TABLE %s IN %s MODE",
						 quote_qualified_identifier(copy->schema,
													copy->column[i].relation),
						 mode));
	for (i = 0; i < copy->columns; i++)
		if (!is_unchanged(copy, &copy->column[i]))
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("schema \"%s\" was changed while it was looked at",
						copy->schema),
				 errdetail("Column %s.%s is not what was decided about. "
						   "Nothing was copied.",
						   copy->column[i].relation, copy->column[i].column),
				 errhint("Look at sdc.plan_copy, and copy it again.")));
}

/* Rows of a table and its partitions, as far as PostgreSQL knows. */
static int64
known_rows(Oid table)
{
	/* what was never analyzed is guessed by its size */
	SdcCatalogRows *rows = sdcpg_copy_ask(
		"SELECT COALESCE(sum(CASE WHEN c.reltuples > 0 THEN c.reltuples "
		"ELSE pg_relation_size(c.oid) / 100 END), 0)::int8 FROM pg_class AS c "
		"WHERE c.relkind <> 'p' AND c.oid = ANY (ARRAY(SELECT $1 UNION "
		"SELECT relid FROM pg_partition_tree($1)))",
		table);

	return DatumGetInt64(rows->value[0][0]);
}

static void
copy_tables(SdcCopy *copy)
{
	uint64 total = 0;
	uint64 done = 0;
	int i;

	for (i = 0; i < copy->columns; i++)
		total += sdcpg_copy_is_first(copy, i)
					 ? known_rows(copy->column[i].table)
					 : 0;
	sdcpg_copy_run(
		psprintf("CREATE SCHEMA %s", quote_identifier(copy->target)));
	/* one stage, so that the time left is told by all tables so far */
	sdcpg_progress_stage(&copy->host->progress, "copying");
	for (i = 0; i < copy->columns; i++)
	{
		Table table = {copy, copy->column[i].table, copy->column[i].relation};

		if (!sdcpg_copy_is_first(copy, i))
			continue;
		CHECK_FOR_INTERRUPTS();
		if (copy->calls_rows) /* somebody may have made it meanwhile */
			sdcpg_copy_refuse_namesakes(copy);
		sdcpg_progress_update(&copy->host->progress, done, total);
		sdcpg_mask_guard_own(table.name, write_table, &table);
		put_table(&table);
		done += known_rows(copy->column[i].table);
	}
	add_keys(copy);
}

/* Stops, and so takes all back, when an identifier is left. */
static void
refuse_leaks(const SdcCopy *copy)
{
	StringInfoData places;
	int64 leaks;

	initStringInfo(&places);
	leaks = sdcpg_copy_search(copy, false, &places);
	if (leaks > 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("the copy of schema \"%s\" would hold " INT64_FORMAT
						" original identifiers",
						copy->schema, leaks),
				 errdetail("They are in %s. Nothing was copied.", places.data),
				 errhint("Write rules for these columns; what has another "
						 "name or definition must get a new one.")));
	sdcpg_copy_put(copy, "check", copy->shown,
				   psprintf("None of " INT64_FORMAT
							" original identifiers%s was found in it.",
							sdcpg_copy_sought_count(copy->sought),
							copy->part ? " of its own rows" : ""));
}

void
sdcpg_copy_make(SdcCopy *copy)
{
	sdcpg_publish_check_event_triggers();
	copy->host = sdcpg_host_begin("copy_schema", CurrentMemoryContext);
	/* what is read sees what was written, and nothing else that is new */
	PushCopiedSnapshot(GetActiveSnapshot());
	hold_still(copy);
	if (copy->subset != NULL)
		sdcpg_copy_subset(copy, copy->subset);
	copy->sought = sdcpg_copy_sought(copy);
	copy_tables(copy);
	if (copy->calls_rows)
		sdcpg_copy_refuse_namesakes(copy);
	sdcpg_copy_views(copy);
	sdcpg_copy_put_not_covered(copy);
	refuse_leaks(copy);
	PopActiveSnapshot();
	sdcpg_host_end(copy->host);
}

void
sdcpg_copy_need_no_schema(const char *name)
{
	if (OidIsValid(get_namespace_oid(name, true)))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_SCHEMA),
						errmsg("schema \"%s\" already exists", name),
						errhint("Drop it, or name another one.")));
}

/* copy_schema(schema name, target name, rules jsonb, params jsonb,
 *		seed bigint) returns setof sdc.mask_step */
Datum
sdcf_copy_schema(PG_FUNCTION_ARGS)
{
	SdcCopy copy = {0};
	int settings;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need_first(fcinfo, 2);
	copy.target = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	copy.shown = copy.target;
	sdcpg_copy_need_no_schema(copy.target);
	copy.seeded = !PG_ARGISNULL(4);
	copy.seed = copy.seeded ? PG_GETARG_DATUM(4) : (Datum) 0;
	settings = sdcpg_copy_settings();
	sdcpg_workers_one_connection();
	sdcpg_copy_decide(&copy, NameStr(*PG_GETARG_NAME(0)),
					  sdcpg_copy_json(fcinfo, 2), sdcpg_copy_json(fcinfo, 3));
	sdcpg_copy_need_decisions(&copy);
	sdcpg_copy_make(&copy);
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * sdc.check_copy
 * ----------------------------------------------------------------------
 */

/* A figure of the check. */
static void
put_measure(const SdcCopy *copy, const char *measure, const char *subject,
			int64 value, const char *sentence)
{
	sdcpg_result_measure(copy->result, measure, subject, (double) value, false,
						 sentence);
}

/* Rows without a partner, on every foreign key that the original proves. */
static void
put_orphans(const SdcCopy *copy)
{
	SdcCatalogRows *rows = sdcpg_copy_ask(keys_sql, copy->namespace);
	int64 all = 0;
	int64 i;

	for (i = 0; i < rows->count; i++)
	{
		int64 orphans;

		if (!DatumGetBool(rows->value[i][6]) || !is_proven(rows, i))
			continue;
		orphans = orphans_of(copy, rows, i);
		all += orphans;
		if (orphans > 0)
			put_measure(copy, "orphans",
						psprintf("%s.%s", sdcpg_copy_text(rows, i, 1),
								 sdcpg_copy_text(rows, i, 0)),
						orphans, "Rows whose foreign key leads to no row.");
	}
	put_measure(copy, "orphans", copy->shown, all,
				"Rows of the copy whose foreign key leads to no row.");
}

/* Constraints of the copy not validated that in the original are. */
static void
put_invalid(const SdcCopy *copy)
{
	SdcCatalogParameters parameters = {0};
	SdcCatalogRows *rows;

	sdcpg_catalog_bind(
		&parameters, OIDOID,
		ObjectIdGetDatum(get_namespace_oid(copy->target, false)), false);
	sdcpg_catalog_bind(&parameters, OIDOID, ObjectIdGetDatum(copy->namespace),
					   false);
	rows = sdcpg_catalog_read(
		"SELECT count(*) FROM pg_constraint AS k JOIN pg_class AS c "
		"ON c.oid = k.conrelid WHERE k.connamespace = $1 "
		"AND NOT k.convalidated AND NOT EXISTS (SELECT FROM pg_constraint "
		"AS o JOIN pg_class AS t ON t.oid = o.conrelid "
		"WHERE o.connamespace = $2 AND NOT o.convalidated "
		"AND t.relname = c.relname AND o.contype = k.contype)",
		&parameters);
	put_measure(copy, "invalid_constraints", copy->shown,
				DatumGetInt64(rows->value[0][0]),
				"Constraints of the copy that were not validated.");
}

/* A view or foreign table in the place of a copied table is no copy. */
static void
need_plain(Oid table)
{
	const SdcRelation *relation = sdcpg_relation_find(table);
	char kind = get_rel_relkind(table);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table", relation->name),
						errdetail("A copy of a schema has tables only.")));
}

/*
 * Tables of the original that the copy lacks stop with an error, and so does
 * what is no table, or calls code of somebody else.
 */
static void
need_tables(const SdcCopy *copy)
{
	Oid target = get_namespace_oid(copy->target, false);
	int i;

	for (i = 0; i < copy->columns; i++)
	{
		Oid table = get_relname_relid(copy->column[i].relation, target);

		if (!OidIsValid(table) ||
			get_attnum(table, copy->column[i].column) == InvalidAttrNumber)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
							errmsg("schema \"%s\" has no column \"%s.%s\"",
								   copy->target, copy->column[i].relation,
								   copy->column[i].column),
							errhint("The original has changed since: copy it "
									"again.")));
		if (sdcpg_copy_is_first(copy, i))
			need_plain(table);
	}
}

/* check_copy(schema name, target name, rules jsonb, params jsonb)
 *		returns setof sdc.measure */
Datum
sdcf_check_copy(PG_FUNCTION_ARGS)
{
	SdcCopy copy = {0};
	StringInfoData places;
	int settings;

	copy.result = sdcpg_result_begin(fcinfo);
	sdcpg_args_need_first(fcinfo, 2);
	copy.target = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	copy.shown = copy.target;
	settings = sdcpg_copy_settings();
	sdcpg_copy_decide(&copy, NameStr(*PG_GETARG_NAME(0)),
					  sdcpg_copy_json(fcinfo, 2), sdcpg_copy_json(fcinfo, 3));
	sdcpg_copy_refuse_others(copy.target,
							 get_namespace_oid(copy.target, false));
	need_tables(&copy);
	copy.host = sdcpg_host_begin("check_copy", CurrentMemoryContext);
	put_orphans(&copy);
	put_invalid(&copy);
	initStringInfo(&places);
	copy.sought = sdcpg_copy_sought(&copy);
	(void) sdcpg_copy_search(&copy, true, &places);
	sdcpg_host_end(copy.host);
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}
