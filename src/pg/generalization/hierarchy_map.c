/*
 * hierarchy_map.c
 *		A hierarchy applied to all values of a column at once.
 *
 * On each level a label is a group; labels are numbered as the values, in
 * their order, first meet them.
 */
#include "postgres.h"

#include <math.h>

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

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
	SdcHierarchyNames *names = sdcpg_hierarchy_names_new(mapping->host);
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

/* From the smallest to the largest value, when the hierarchy has no domain. */
static void
observed_domain(Mapping *mapping, double *low, double *high)
{
	const SdcHierarchyRule *rule = mapping->rule;
	int32 rank;

	for (rank = 0; rank < mapping->map->groups->values; rank++)
	{
		double first;
		double last;

		rule->kind->range(rule, &mapping->input, value_of(mapping, rank), 0,
						  &first, &last);
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
		rule->kind->range(rule, &mapping->input,
						  value_of(mapping, mapping->leader[i]), level, &first,
						  &last);
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
