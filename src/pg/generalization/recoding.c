/*
 * recoding.c
 *		Local recoding of a relation: its keys' hierarchies.
 *
 * A key without a hierarchy gets one of a single level, the values, so that
 * the root above it, *, is all that a value can become.
 */
#include "postgres.h"

#include "pg/server/compat.h"
#include "pg/call/params.h"
#include "pg/call/params_members.h"
#include "pg/generalization/recoding.h"

#define MOST_WEIGHT 1e6

SdcRecodingHierarchies *
sdcpg_recoding_read(Jsonb *params, const SdcRelationColumns *keys)
{
	SdcRecodingHierarchies *hierarchies =
		palloc0(sizeof(SdcRecodingHierarchies));
	int j;

	sdcpg_params_members_check(params, "hierarchies", keys, false);
	sdcpg_params_members_check(params, "weights", keys, false);
	hierarchies->keys = keys;
	hierarchies->name = palloc0(sizeof(char *) * keys->count);
	hierarchies->weight = palloc0(sizeof(double) * keys->count);
	for (j = 0; j < keys->count; j++)
	{
		const char *column = keys->column[j].name;

		hierarchies->name[j] =
			sdcpg_params_member(params, "hierarchies", column);
		if (hierarchies->name[j] != NULL)
			(void) sdcpg_hierarchy_height(hierarchies->name[j]);
		hierarchies->weight[j] = sdcpg_params_member_number(
			params, "weights", column, 1, 0, MOST_WEIGHT);
	}
	return hierarchies;
}

/* The values and nothing above them. */
static SdcHierarchyMap *
map_values(SdcPgHost *host, SdcDictionary *dictionary)
{
	SdcHost *kernel = &host->kernel;
	SdcHierarchyMap *map = sdc_new(kernel, SdcHierarchyMap, 1);
	int32 values = sdcpg_dictionary_values(dictionary);
	int32 v;

	map->groups = sdc_hierarchy_new(kernel, values, 1);
	map->label = sdc_new(kernel, char **, 1);
	map->share = sdc_new(kernel, double *, 1);
	map->label[0] = sdc_new(kernel, char *, values);
	map->share[0] = sdc_new(kernel, double, values);
	map->domain = values;
	for (v = 0; v < values; v++)
	{
		map->label[0][v] = sdcpg_dictionary_text(dictionary, v);
		map->share[0][v] = 1.0 / values;
	}
	return map;
}

/* Names the column in an error about its hierarchy. */
static void
name_column(void *arg)
{
	errcontext("column \"%s\"", (const char *) arg);
}

static SdcHierarchyMap *
map_hierarchy(SdcPgHost *host, const char *name, SdcDictionary *dictionary,
			  const SdcRelationColumn *column)
{
	ErrorContextCallback context = {error_context_stack, name_column,
									column->name};
	SdcHierarchyMap *map;

	error_context_stack = &context;
	map = sdcpg_hierarchy_load(host, name, dictionary);
	error_context_stack = context.previous;
	return map;
}

void
sdcpg_recoding_load(SdcPgHost *host, SdcRecodingHierarchies *hierarchies,
					const SdcFrequencyTable *table)
{
	int keys = hierarchies->keys->count;
	int j;

	hierarchies->map = palloc0(sizeof(SdcHierarchyMap *) * keys);
	hierarchies->key = palloc0(sizeof(SdcRecodingKey) * keys);
	for (j = 0; j < keys; j++)
	{
		SdcDictionary *dictionary = table->dictionary[j];
		SdcHierarchyMap *map =
			hierarchies->name[j] == NULL
				? map_values(host, dictionary)
				: map_hierarchy(host, hierarchies->name[j], dictionary,
								&hierarchies->keys->column[j]);

		hierarchies->map[j] = map;
		hierarchies->key[j].hierarchy = map->groups;
		hierarchies->key[j].share = map->share;
		hierarchies->key[j].weight = hierarchies->weight[j];
	}
}
