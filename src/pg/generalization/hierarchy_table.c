/*
 * hierarchy_table.c
 *		Hierarchies that are a table of values and their labels.
 *
 * The table is copied when the hierarchy is created, from a relation or from
 * rows in params, or is made from an order of values; from then on nothing
 * but sdc's own tables is read.  A value is looked up by its text.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"
#include "pg/call/relation.h"

/* Rows that are fetched at a time. */
#define FETCH_ROWS 1000

SdcHierarchyTable *
sdcpg_hierarchy_table_new(SdcPgHost *host, int levels)
{
	SdcHierarchyTable *table = palloc0(sizeof(SdcHierarchyTable));
	int level;

	sdcpg_hierarchy_check_levels(levels);
	table->levels = levels;
	table->room = FETCH_ROWS;
	table->names = palloc(sizeof(SdcHierarchyNames *) * levels);
	table->label = palloc(sizeof(int32 *) * levels);
	for (level = 0; level < levels; level++)
	{
		table->names[level] = sdcpg_hierarchy_names_new(host);
		table->label[level] = palloc(sizeof(int32) * table->room);
	}
	return table;
}

static void
grow_rows(SdcHierarchyTable *table)
{
	int level;

	if (table->room > PG_INT32_MAX / 2)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a hierarchy has too many values")));
	table->room *= 2;
	for (level = 0; level < table->levels; level++)
		table->label[level] = repalloc_huge(
			table->label[level], (Size) table->room * sizeof(int32));
}

void
sdcpg_hierarchy_table_add(SdcHierarchyTable *table, char **labels)
{
	int level;

	if (table->rows == table->room)
		grow_rows(table);
	for (level = 0; level < table->levels; level++)
	{
		if (labels[level] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("level %d of the value at position %d is null",
							level, table->rows + 1)));
		table->label[level][table->rows] = sdcpg_hierarchy_names_add(
			table->names[level], labels[level], strlen(labels[level]));
	}
	if (table->label[0][table->rows] != table->rows)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("values at positions %d and %d are the same",
						table->label[0][table->rows] + 1, table->rows + 1),
				 errdetail("A hierarchy holds each value once.")));
	table->rows++;
}

char *
sdcpg_hierarchy_table_text(const SdcHierarchyTable *table, int32 row,
						   int level)
{
	return sdcpg_hierarchy_names_text(table->names[level],
									  table->label[level][row]);
}

void
sdcpg_hierarchy_table_check(SdcPgHost *host, const SdcHierarchyTable *table)
{
	SdcHierarchyConflict conflict;
	SdcHierarchy groups;
	int level;

	if (table->rows == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a hierarchy must have at least one value")));
	groups.values = table->rows;
	groups.levels = table->levels;
	groups.group = table->label;
	groups.groups = sdc_new(&host->kernel, int32, table->levels);
	for (level = 0; level < table->levels; level++)
		groups.groups[level] =
			sdcpg_hierarchy_names_count(table->names[level]);
	if (!sdc_hierarchy_nests(&host->kernel, &groups, &conflict))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels of the hierarchy do not nest"),
				 errdetail("The values at positions %d and %d have one label "
						   "on level %d, but two on level %d.",
						   conflict.first + 1, conflict.second + 1,
						   conflict.level, conflict.level + 1)));
}

/* The relation that params name, found with the search_path of the caller. */
static SdcRelation *
find_relation(const JsonbValue *value)
{
	text *name;

	if (value->type != jbvString)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"relation\" in argument \"params\" must "
							   "be a string")));
	name =
		cstring_to_text_with_len(value->val.string.val, value->val.string.len);
	return sdcpg_relation_find(RangeVarGetRelid(
		makeRangeVarFromNameList(textToQualifiedNameList(name)), NoLock,
		false));
}

static void
find_columns(const SdcRelation *relation, const SdcHierarchyList *levels,
			 SdcRelationColumn *column, SdcHierarchyInput *input)
{
	int i;

	for (i = 0; i < levels->count; i++)
	{
		char *name = sdcpg_hierarchy_item_text(levels, i);

		if (name == NULL)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("key \"levels\" in argument \"params\" "
								   "must not contain nulls")));
		column[i] = sdcpg_relation_column(relation, name);
		sdcpg_hierarchy_input(NULL, &input[i], column[i].type,
							  CurrentMemoryContext);
	}
}

/* All rows, in the order of the values when their type has one. */
static char *
rows_query(const SdcRelation *relation, const SdcRelationColumn *column,
		   int columns)
{
	TypeCacheEntry *cache =
		lookup_type_cache(column[0].base, TYPECACHE_LT_OPR);
	StringInfoData sql;
	int i;

	initStringInfo(&sql);
	for (i = 0; i < columns; i++)
		appendStringInfo(&sql, "%sr.%s", i == 0 ? "SELECT " : ", ",
						 column[i].sql);
	appendStringInfo(&sql, " FROM %s AS r", relation->sql);
	if (OidIsValid(cache->lt_opr))
		appendStringInfo(&sql, " ORDER BY r.%s", column[0].sql);
	return sql.data;
}

/* Appends what SPI has fetched. */
static void
add_fetched(SdcHierarchyTable *table, SdcHierarchyInput *input)
{
	char **labels = palloc(sizeof(char *) * table->levels);
	StringInfoData label;
	uint64 i;
	int level;

	for (i = 0; i < SPI_processed; i++)
	{
		for (level = 0; level < table->levels; level++)
		{
			bool isnull;
			Datum value =
				SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
							  level + 1, &isnull);

			labels[level] = NULL;
			if (isnull)
				continue;
			initStringInfo(&label);
			sdcpg_hierarchy_append_text(&input[level], value, &label);
			labels[level] = label.data;
		}
		sdcpg_hierarchy_table_add(table, labels);
	}
}

static void
read_relation(SdcPgHost *host, SdcHierarchyTable *table, const char *sql,
			  SdcHierarchyInput *input)
{
	MemoryContext scratch = AllocSetContextCreate(host->work, "sdc reading",
												  ALLOCSET_DEFAULT_SIZES);
	SPIPlanPtr plan;
	Portal portal;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	plan = SPI_prepare(sql, 0, NULL);
	if (plan == NULL)
		elog(ERROR, "could not prepare a query");
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	for (;;)
	{
		MemoryContext caller;

		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		host->kernel.poll(&host->kernel, table->rows, 0);
		caller = MemoryContextSwitchTo(scratch);
		add_fetched(table, input);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
}

static void
need_two_levels(int levels)
{
	if (levels < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a hierarchy must have a level above its values"),
				 errhint("List the values first, then what they become on "
						 "level 1, and so on.")));
}

static SdcHierarchyTable *
copy_relation(SdcPgHost *host, Jsonb *params, const JsonbValue *name)
{
	SdcHierarchyList levels = sdcpg_hierarchy_list(params, "levels", true);
	SdcRelationColumn *column =
		palloc(sizeof(SdcRelationColumn) * levels.count);
	SdcHierarchyInput *input =
		palloc(sizeof(SdcHierarchyInput) * levels.count);
	SdcHierarchyTable *table;
	SdcRelation *relation;

	need_two_levels(levels.count);
	table = sdcpg_hierarchy_table_new(host, levels.count);
	relation = find_relation(name);
	find_columns(relation, &levels, column, input);
	read_relation(host, table, rows_query(relation, column, levels.count),
				  input);
	return table;
}

static SdcHierarchyTable *
copy_rows(SdcPgHost *host, Jsonb *params)
{
	SdcHierarchyList rows = sdcpg_hierarchy_list(params, "rows", true);
	int levels = sdcpg_hierarchy_item_list(&rows, 0).count;
	char **labels = palloc(sizeof(char *) * levels);
	SdcHierarchyTable *table;
	int i;
	int level;

	need_two_levels(levels);
	table = sdcpg_hierarchy_table_new(host, levels);
	for (i = 0; i < rows.count; i++)
	{
		SdcHierarchyList row = sdcpg_hierarchy_item_list(&rows, i);

		if (row.count != levels)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the value at position %d has %d levels, the "
							"first one has %d",
							i + 1, row.count, levels)));
		for (level = 0; level < levels; level++)
			labels[level] = sdcpg_hierarchy_item_text(&row, level);
		sdcpg_hierarchy_table_add(table, labels);
	}
	return table;
}

static SdcHierarchyTable *
build_table(SdcPgHost *host, Jsonb *params)
{
	JsonbValue *relation = sdcpg_hierarchy_value(params, "relation");
	bool rows = sdcpg_hierarchy_value(params, "rows") != NULL;

	if ((relation != NULL) == rows)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"params\" must have either the key "
							   "\"relation\" or the key \"rows\"")));
	if (relation != NULL)
		return copy_relation(host, params, relation);
	if (sdcpg_hierarchy_value(params, "levels") != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"levels\" in argument \"params\" names "
							   "columns of a relation")));
	return copy_rows(host, params);
}

bool
sdcpg_hierarchy_table_label(const SdcHierarchyRule *rule,
							SdcHierarchyInput *input, Datum value, int level,
							StringInfo label)
{
	const SdcHierarchyTable *table = rule->detail;
	int32 row;

	sdcpg_hierarchy_append_text(input, value, label);
	row = sdcpg_hierarchy_names_find(table->names[0], label->data, label->len);
	if (row < 0)
		return false;
	if (level > 0)
	{
		resetStringInfo(label);
		appendStringInfoString(label,
							   sdcpg_hierarchy_table_text(table, row, level));
	}
	return true;
}

static const char *const keys[] = {"relation", "levels", "rows", NULL};

const SdcHierarchyKind sdcpg_hierarchy_table = {
	.name = "table",
	.keys = keys,
	.build = build_table,
	.label = sdcpg_hierarchy_table_label,
};
