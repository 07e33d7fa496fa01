/*
 * tree.c
 *		The codes of a dimension of a table, from values and a hierarchy.
 *
 * The lowest codes are the values, or the groups of a level.  Each level above
 * joins what the level below has left.  A group that would have
 * one part only is that part, so no two codes mean the same.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "topic/generalization/hierarchy.h"
#include "topic/tabular/tabular_topic.h"

/* What NULL is called among the codes. */
#define NULL_LABEL "(null)"

/* Takes a label; false when it is another code's. */
static bool
take_label(SdcDictionary *taken, const char *label)
{
	int32 before = sdcpg_dictionary_values(taken);

	return sdcpg_dictionary_code(taken, CStringGetTextDatum(label)) >= before;
}

/* Adds a code with that label, made different from all others. */
static int32
add_code(SdcTree *tree, const char *label)
{
	int32 code = tree->dimension.codes++;
	const char *made = label;
	int tries;

	CHECK_FOR_INTERRUPTS();
	for (tries = 1; !take_label(tree->taken, made); tries++)
		made = psprintf("%s (group%s)", label,
						tries == 1 ? "" : psprintf(" %d", tries));
	tree->label[code] = pstrdup(made);
	tree->parent[code] = -1;
	return code;
}

/* Values, or their groups on the lowest level, become codes. */
static void
add_leaves(SdcTree *tree, SdcDictionary *dictionary, bool has_null,
		   const SdcHierarchyMap *map, int lowest)
{
	int32 values = sdcpg_dictionary_values(dictionary);
	int32 i;

	if (lowest > 0)
	{
		for (i = 0; i < map->groups->groups[lowest]; i++)
			add_code(tree, map->label[lowest][i]);
		for (i = 0; i < values; i++)
			tree->of_value[i] = map->groups->group[lowest][i];
	}
	else
		/* values that print alike are told apart, as groups are */
		for (i = 0; i < values; i++)
			tree->of_value[i] =
				add_code(tree, sdcpg_dictionary_text(dictionary, i));
	tree->values = values + has_null;
	if (has_null)
		tree->of_value[values] = add_code(tree, NULL_LABEL);
	tree->leaves = tree->dimension.codes;
}

/* One level: at[] is the code that each value has reached. */
static void
add_level(SdcTree *tree, const SdcHierarchyMap *map, int level, int32 *at)
{
	const SdcHierarchy *groups = map->groups;
	int32 count = groups->groups[level];
	int32 *first = palloc(sizeof(int32) * (count + 1));
	bool *several = palloc0(sizeof(bool) * (count + 1));
	int32 *code = palloc(sizeof(int32) * (count + 1));
	int32 v;
	int32 g;

	for (g = 0; g < count; g++)
		first[g] = -1;
	for (v = 0; v < groups->values; v++)
	{
		g = groups->group[level][v];
		if (first[g] < 0)
			first[g] = at[v];
		else if (first[g] != at[v])
			several[g] = true;
	}
	for (g = 0; g < count; g++)
		code[g] = several[g] ? add_code(tree, map->label[level][g]) : first[g];
	for (v = 0; v < groups->values; v++)
	{
		g = groups->group[level][v];
		if (several[g])
			tree->parent[at[v]] = code[g];
		at[v] = code[g];
	}
}

/* All levels of a hierarchy above the lowest. */
static void
add_levels(SdcTree *tree, const SdcHierarchyMap *map, int lowest)
{
	int32 values = map->groups->values;
	int32 *at = palloc(sizeof(int32) * (values + 1));
	int level;

	memcpy(at, tree->of_value, sizeof(int32) * values);
	for (level = lowest + 1; level < map->groups->levels; level++)
		add_level(tree, map, level, at);
}

/* The sum over all: what has no parent yet is its part. */
static void
add_total(SdcTree *tree, const char *total)
{
	int32 roots = 0;
	int32 root = -1;
	int32 codes = tree->dimension.codes;
	int32 i;

	for (i = 0; i < codes; i++)
		if (tree->parent[i] < 0)
		{
			roots++;
			root = i;
		}
	if (roots == 1 && root >= tree->leaves && root == codes - 1)
	{
		/* named anew, as no other code may be */
		if (strcmp(tree->label[root], total) != 0)
		{
			tree->dimension.codes--;
			add_code(tree, total);
		}
		return;
	}
	root = add_code(tree, total);
	for (i = 0; i < codes; i++)
		if (tree->parent[i] < 0)
			tree->parent[i] = root;
}

/* Equations from parents: a code that is one, then its parts. */
static void
add_equations(SdcTree *tree)
{
	int32 codes = tree->dimension.codes;
	int32 *start = palloc(sizeof(int32) * (codes + 1));
	int32 *member = palloc(sizeof(int32) * 2 * (codes + 1));
	int32 *place = palloc0(sizeof(int32) * (codes + 1));
	int32 equations = codes - tree->leaves;
	int32 r;
	int32 i;

	for (i = 0; i < codes; i++)
		if (tree->parent[i] >= 0)
			place[tree->parent[i]]++;
	start[0] = 0;
	for (r = 0; r < equations; r++)
	{
		i = tree->leaves + r;
		start[r + 1] = start[r] + 1 + place[i];
		member[start[r]] = i;
		place[i] = start[r] + 1;
	}
	for (i = 0; i < codes; i++)
		if (tree->parent[i] >= 0)
			member[place[tree->parent[i]]++] = i;
	tree->dimension.equations = equations;
	tree->dimension.start = start;
	tree->dimension.member = member;
}

SdcTree *
sdcpg_tree_make(SdcPgHost *host, SdcDictionary *dictionary, bool has_null,
				const char *hierarchy, int lowest, const char *total)
{
	SdcTree *tree = palloc0(sizeof(SdcTree));
	int32 values = sdcpg_dictionary_values(dictionary);
	Size room = 2 * (Size) values + 4;
	SdcHierarchyMap *map =
		hierarchy == NULL ? NULL
						  : sdcpg_hierarchy_load(host, hierarchy, dictionary);

	if (lowest > 0 && (map == NULL || lowest >= map->groups->levels))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.levels names a level that is not there"),
				 errhint("A level above 0 is one of the key's hierarchy in "
						 "params.hierarchies.")));
	tree->taken = sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID);
	tree->label = sdc_new(&host->kernel, char *, room);
	tree->parent = sdc_new(&host->kernel, int32, room);
	tree->of_value = sdc_new(&host->kernel, int32, room);
	add_leaves(tree, dictionary, has_null, map, lowest);
	if (map != NULL)
		add_levels(tree, map, lowest);
	add_total(tree, total);
	add_equations(tree);
	return tree;
}
