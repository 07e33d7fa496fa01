/*
 * hierarchy_table.c
 *		Hierarchies that are a table of values and their labels.
 *
 * The table is copied when the hierarchy is created, from a relation or from
 * rows in params, or is made from an order of values; from then on nothing
 * but sdc's own tables is read.  A value is looked up by its text.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/table/hierarchy.h"
#include "topic/generalization/hierarchy.h"
#include "topic/generalization/hierarchy_kind.h"

/* ----------------------------------------------------------------------
 * A hierarchy applied to all values of a column at once.
 *
 * On each level a label is a group; labels are numbered as the values, in
 * their order, first meet them.
 * ----------------------------------------------------------------------
 */

/* Values between two polls. */
#define POLL_VALUES 4096

/* What a map is made of while it is made. */
typedef struct Mapping
{
	SdcPgHost *host;
	const SdcHierarchyRule *rule;
	SdcDictionary *dictionary;
	SdcHierarchyInput input;
	SdcHierarchyMap *map;
	/* the rank that first met each group of the level */
	int32 *leader;
} Mapping;

static Datum
value_of(const Mapping *mapping, int32 rank)
{
	return sdcpg_dictionary_value(mapping->dictionary, rank);
}

/* Numbers the labels of a level. */
static void
map_level(Mapping *mapping, int level)
{
	SdcHost *host = &mapping->host->kernel;
	SdcHierarchy *groups = mapping->map->groups;
	SdcHierarchyNames *names = sdcpg_hierarchy_names_new(mapping->host, 0);
	MemoryContext scratch = AllocSetContextCreate(
		mapping->host->work, "sdc labels", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller;
	StringInfoData label;
	int32 rank;
	int32 i;

	initStringInfo(&label);
	caller = MemoryContextSwitchTo(scratch);
	for (rank = 0; rank < groups->values; rank++)
	{
		int32 group;

		if (rank % POLL_VALUES == 0)
		{
			MemoryContextReset(scratch);
			host->poll(host, rank, groups->values);
		}
		if (!sdcpg_hierarchy_label(mapping->rule, &mapping->input,
								   value_of(mapping, rank), level, &label))
			sdcpg_hierarchy_missing(mapping->rule, (int64) rank + 1);
		if (level == 0)
			group = rank;
		else
			group = sdcpg_hierarchy_names_add(names, label.data, label.len);
		groups->group[level][rank] = group;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	if (level > 0)
		groups->groups[level] = sdcpg_hierarchy_names_count(names);
	mapping->map->label[level] = sdc_new(host, char *, groups->groups[level]);
	for (i = 0; i < groups->groups[level]; i++)
		mapping->map->label[level][i] =
			level == 0 ? sdcpg_dictionary_text(mapping->dictionary, i)
					   : sdcpg_hierarchy_names_text(names, i);
}

/* Marks which value first met each group of a level. */
static void
find_leaders(Mapping *mapping, int level)
{
	const SdcHierarchy *groups = mapping->map->groups;
	int32 rank;

	for (rank = groups->values - 1; rank >= 0; rank--)
		mapping->leader[groups->group[level][rank]] = rank;
}

/* Values of the whole table below each label. */
static void
share_table(Mapping *mapping, int level)
{
	SdcHost *host = &mapping->host->kernel;
	const SdcHierarchyTable *table = mapping->rule->detail;
	const SdcHierarchyNames *names = table->names[level];
	int32 count = sdcpg_hierarchy_names_count(names);
	int32 *leaves = sdc_new(host, int32, count);
	SdcHierarchyMap *map = mapping->map;
	StringInfoData label;
	int32 i;

	initStringInfo(&label);
	memset(leaves, 0, sizeof(int32) * count);
	for (i = 0; i < table->rows; i++)
		leaves[table->label[level][i]]++;
	for (i = 0; i < map->groups->groups[level]; i++)
	{
		/* by the value, as its text is what the table holds */
		sdcpg_hierarchy_label(mapping->rule, &mapping->input,
							  value_of(mapping, mapping->leader[i]), level,
							  &label);
		map->share[level][i] = (double) leaves[sdcpg_hierarchy_names_find(
								   names, label.data, label.len)] /
							   table->rows;
	}
	map->domain = table->rows;
	host->release(host, leaves);
}

/* The numbers that share a label with a value; a leaf that no interval takes
 * has none, low = high = infinity. */
static void
find_range(Mapping *mapping, int32 rank, int level, double *low, double *high)
{
	const SdcHierarchyRule *rule = mapping->rule;
	Datum value = value_of(mapping, rank);
	StringInfoData label;

	*low = INFINITY;
	*high = INFINITY;
	initStringInfo(&label);
	if (rule->kind->label(rule, &mapping->input, value, 0, &label))
		rule->kind->range(rule, &mapping->input, value, level, low, high);
	pfree(label.data);
}

/* From the smallest to the largest value, when the hierarchy has no domain. */
static void
observed_domain(Mapping *mapping, double *low, double *high)
{
	int32 rank;

	for (rank = 0; rank < mapping->map->groups->values; rank++)
	{
		double first;
		double last;

		find_range(mapping, rank, 0, &first, &last);
		if (isinf(first))
			continue;
		*low = fmin(*low, first);
		*high = fmax(*high, last);
	}
}

static void
share_ranges(Mapping *mapping, int level)
{
	const SdcHierarchyRule *rule = mapping->rule;
	SdcHierarchyMap *map = mapping->map;
	double low = INFINITY;
	double high = -INFINITY;
	int32 i;

	if (rule->kind->domain == NULL || !rule->kind->domain(rule, &low, &high))
	{
		low = INFINITY;
		high = -INFINITY;
		observed_domain(mapping, &low, &high);
	}
	for (i = 0; i < map->groups->groups[level]; i++)
	{
		double first;
		double last;

		map->share[level][i] = 1;
		if (level == rule->levels - 1 || !(low < high))
			continue;
		find_range(mapping, mapping->leader[i], level, &first, &last);
		map->share[level][i] =
			fmax(fmin(last, high) - fmax(first, low), 0) / (high - low);
	}
}

/* Values of the dictionary in each group. */
static void
share_members(Mapping *mapping, int level)
{
	SdcHost *host = &mapping->host->kernel;
	SdcHierarchyMap *map = mapping->map;
	int32 *members = sdc_hierarchy_members(host, map->groups, level);
	int32 i;

	for (i = 0; i < map->groups->groups[level]; i++)
		map->share[level][i] = (double) members[i] / map->groups->values;
	map->domain = map->groups->values;
	host->release(host, members);
}

static void
share_level(Mapping *mapping, int level)
{
	find_leaders(mapping, level);
	if (mapping->rule->kind->build != NULL)
		share_table(mapping, level);
	else if (mapping->rule->kind->range != NULL)
		share_ranges(mapping, level);
	else
		share_members(mapping, level);
}

static Mapping *
begin_mapping(SdcPgHost *host, const char *name, SdcDictionary *dictionary)
{
	Mapping *mapping = sdc_new(&host->kernel, Mapping, 1);
	SdcHierarchyMap *map = sdc_new(&host->kernel, SdcHierarchyMap, 1);
	int32 values = sdcpg_dictionary_values(dictionary);
	int level;

	mapping->host = host;
	mapping->rule = sdcpg_hierarchy_find(name);
	mapping->dictionary = dictionary;
	mapping->map = map;
	mapping->leader = sdc_new(&host->kernel, int32, values);
	sdcpg_hierarchy_input(mapping->rule, &mapping->input,
						  sdcpg_dictionary_type(dictionary),
						  CurrentMemoryContext);
	map->groups =
		sdc_hierarchy_new(&host->kernel, values, mapping->rule->levels);
	map->label = sdc_new(&host->kernel, char **, mapping->rule->levels);
	map->share = sdc_new(&host->kernel, double *, mapping->rule->levels);
	map->domain = 0;
	for (level = 0; level < mapping->rule->levels; level++)
		map->share[level] = NULL;
	return mapping;
}

static Mapping *
map_levels(SdcPgHost *host, const char *name, SdcDictionary *dictionary)
{
	Mapping *mapping = begin_mapping(host, name, dictionary);
	SdcHierarchyConflict conflict;
	int level;

	host->kernel.stage(&host->kernel, "generalizing");
	for (level = 0; level < mapping->rule->levels; level++)
		map_level(mapping, level);
	if (!sdc_hierarchy_nests(&host->kernel, mapping->map->groups, &conflict))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("levels %d and %d of hierarchy \"%s\" do not nest",
						conflict.level, conflict.level + 1, name)));
	return mapping;
}

SdcHierarchyMap *
sdcpg_hierarchy_load(SdcPgHost *host, const char *name,
					 SdcDictionary *dictionary)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	Mapping *mapping = map_levels(host, name, dictionary);
	SdcHierarchyMap *map = mapping->map;
	int level;

	for (level = 0; level < map->groups->levels; level++)
	{
		map->share[level] =
			sdc_new(&host->kernel, double, map->groups->groups[level]);
		share_level(mapping, level);
	}
	MemoryContextSwitchTo(caller);
	return map;
}

SdcHierarchy *
sdcpg_hierarchy_map(SdcPgHost *host, const char *name,
					SdcDictionary *dictionary)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	SdcHierarchy *groups = map_levels(host, name, dictionary)->map->groups;

	MemoryContextSwitchTo(caller);
	return groups;
}

/* ----------------------------------------------------------------------
 * Hierarchies that are a table of values and their labels.
 * ----------------------------------------------------------------------
 */

/* Rows that there is room for to begin with. */
#define FIRST_ROWS 1000

SdcHierarchyTable *
sdcpg_hierarchy_table_new(SdcPgHost *host, int levels, int32 rows)
{
	SdcHierarchyTable *table = palloc0(sizeof(SdcHierarchyTable));
	int level;

	sdcpg_hierarchy_check_levels(levels);
	table->levels = levels;
	table->room = Max(rows, FIRST_ROWS);
	table->names = palloc(sizeof(SdcHierarchyNames *) * levels);
	table->label = palloc(sizeof(int32 *) * levels);
	for (level = 0; level < levels; level++)
	{
		table->names[level] =
			sdcpg_hierarchy_names_new(host, level == 0 ? rows : 0);
		table->label[level] = MemoryContextAllocHuge(
			CurrentMemoryContext, (Size) table->room * sizeof(int32));
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

/* A table that rows are read into, and how their columns are printed. */
typedef struct TableReader
{
	SdcHierarchyTable *table;
	SdcHierarchyInput *input;
} TableReader;

/* The columns were looked up before: nothing is left to check. */
static void
start_rows(void *arg, TupleDesc descriptor)
{
}

static void
add_row(void *arg, TupleDesc descriptor, const Datum *values,
		const bool *isnull)
{
	TableReader *reader = arg;
	SdcHierarchyTable *table = reader->table;
	char **labels = palloc0(sizeof(char *) * table->levels);
	StringInfoData label;
	int level;

	for (level = 0; level < table->levels; level++)
	{
		if (isnull[level])
			continue;
		initStringInfo(&label);
		sdcpg_hierarchy_append_text(&reader->input[level], values[level],
									&label);
		labels[level] = label.data;
	}
	sdcpg_hierarchy_table_add(table, labels);
}

static void
read_relation(SdcPgHost *host, SdcHierarchyTable *table, const char *sql,
			  SdcHierarchyInput *input)
{
	TableReader reader = {table, input};
	SdcRows rows = {start_rows, add_row, &reader};

	sdcpg_rows_receive(host, sql, &rows);
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
	table = sdcpg_hierarchy_table_new(host, levels.count, 0);
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
	table = sdcpg_hierarchy_table_new(host, levels, 0);
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
