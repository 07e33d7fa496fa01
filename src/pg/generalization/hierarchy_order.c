/*
 * hierarchy_order.c
 *		Hierarchies over an order of values: neighbours are joined.
 *
 * {"values": ["none", "primary", "secondary", "tertiary"], "sizes": [2]} makes
 * "none to primary" and "secondary to tertiary" of level 1, and "*" of level
 * 2.  The result is a table of values like any other.
 */
#include "postgres.h"

#include "pg/server/compat.h"
#include "pg/generalization/hierarchy_kind.h"

/* The sizes of groups of levels 1, 2, ...: each a multiple of the last. */
static int *
read_sizes(const SdcHierarchyList *list)
{
	int *size = palloc(sizeof(int) * (list->count + 1));
	int i;

	for (i = 0; i < list->count; i++)
	{
		size[i] = sdcpg_hierarchy_item_integer(list, i, 2, PG_INT32_MAX);
		if (i > 0 && (size[i] == size[i - 1] || size[i] % size[i - 1] != 0))
			sdcpg_hierarchy_not_nested(
				"sizes", i, "must be a multiple of the one before it");
	}
	return size;
}

/* "A to C" for the group of that size which value i is in. */
static char *
group_label(char **value, int count, int i, int size)
{
	int first = i - i % size;
	int last = Min(count - 1 - first, size - 1) + first;

	if (first == last)
		return value[first];
	return psprintf("%s to %s", value[first], value[last]);
}

static SdcHierarchyTable *
build_order(SdcPgHost *host, Jsonb *params)
{
	SdcHierarchyList values = sdcpg_hierarchy_list(params, "values", true);
	SdcHierarchyList sizes = sdcpg_hierarchy_list(params, "sizes", false);
	SdcHierarchyTable *table =
		sdcpg_hierarchy_table_new(host, sizes.count + 2);
	int *size = read_sizes(&sizes);
	char **value = palloc(sizeof(char *) * values.count);
	char *labels[SDC_HIERARCHY_MAX_LEVELS];
	int i;
	int level;

	for (i = 0; i < values.count; i++)
	{
		value[i] = sdcpg_hierarchy_item_text(&values, i);
		if (value[i] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the value at position %d is null", i + 1)));
	}
	for (i = 0; i < values.count; i++)
	{
		labels[0] = value[i];
		for (level = 1; level <= sizes.count; level++)
			labels[level] =
				group_label(value, values.count, i, size[level - 1]);
		labels[sizes.count + 1] = "*";
		sdcpg_hierarchy_table_add(table, labels);
	}
	return table;
}

static const char *const keys[] = {"values", "sizes", NULL};

const SdcHierarchyKind sdcpg_hierarchy_order = {
	.name = "order",
	.keys = keys,
	.build = build_order,
	.label = sdcpg_hierarchy_table_label,
};
