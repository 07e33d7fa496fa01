/*
 * cell_link.c
 *		The cells of several tables over the same records as one system.
 *
 * Cells of several tables are the same when they are about the same values of
 * every key: the sum of random numbers of these values names a code (two sets
 * of values share one by chance, once in 2^64), whatever it is called and
 * whichever hierarchy it is of; a key that a table does not have is at its
 * total.
 *
 * Keys whose values fall into groups that never meet, as months and quarters,
 * have to do with each other, and readers know it: they are one key then,
 * whose values are the pairs that occur, and each of them has groups of these.
 *
 * Tables tell more together than the cells they share.  A quarter is the sum
 * of its months.  From people up to 17 less people up to 14 follow those from
 * 15 to 17, whom no table shows; from women follow men.  So the records are
 * grouped, for each two tables, by the cells that they are in by the keys that
 * both have: each cell is the sum of its groups, and a group that is no cell
 * of a table becomes a cell of the system.  Three tables that share keys in a
 * circle, or have crossing groups, bound each other: the cells of all keys
 * together, each by the atoms of what the tables tell apart, are cells of the
 * system, too, when they are few enough.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "topic/tabular/tabular_topic.h"

/* Cells of all keys together, with those that no table shows, at the most. */
#define MOST_INNER 20000

/* Values of each of two columns of bands that cross. */
#define LEAST_BANDS 3

/* ----------------------------------------------------------------------
 * Keys that have to do with each other
 * ----------------------------------------------------------------------
 */

/* Sorts numbers, each once, in place; returns how many are left. */
static int32
sort_names(SdcHost *host, uint64 *name, int32 count)
{
	int32 *order = sdc_new(host, int32, (Size) count + 1);
	int32 kept = 0;
	int32 i;

	for (i = 0; i < count; i++)
		order[i] = i;
	sdc_sort_keys(host, name, order, count);
	for (i = 0; i < count; i++)
		if (kept == 0 || name[i] != name[kept - 1])
			name[kept++] = name[i];
	host->release(host, order);
	return kept;
}

/* The group that an element of a forest is in. */
static int32
root_of(int32 *parent, int32 i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

bool
sdcpg_values_have_groups(const int32 *a, const int32 *b, int32 pairs)
{
	int32 values[2] = {0, 0};
	int32 nodes;
	int32 groups;
	int32 *parent;
	int32 i;

	for (i = 0; i < pairs; i++)
	{
		values[0] = Max(values[0], a[i] + 1);
		values[1] = Max(values[1], b[i] + 1);
	}
	groups = nodes = values[0] + values[1];
	parent =
		palloc_extended(sizeof(int32) * ((Size) nodes + 1), MCXT_ALLOC_HUGE);
	for (i = 0; i < nodes; i++)
		parent[i] = i;
	for (i = 0; i < pairs; i++)
	{
		int32 from = root_of(parent, a[i]);
		int32 to = root_of(parent, values[0] + b[i]);

		if (from != to)
			groups--;
		parent[from] = to;
	}
	pfree(parent);
	return groups > 1 ||
		   (Min(values[0], values[1]) >= LEAST_BANDS && pairs == nodes - 1);
}

/* The values of two axes that records have together, in order. */
static uint64 *
find_pairs(const SdcCellSource *source, int a, int b, int32 *count)
{
	SdcHost *host = &source->host->kernel;
	uint64 *pair = sdc_new(host, uint64, (Size) source->records + 1);
	uint64 values = (uint64) source->axis_values[b];
	int32 i;

	for (i = 0; i < source->records; i++)
		pair[i] = (uint64) source->axis_code[a][i] * values +
				  (uint64) source->axis_code[b][i];
	*count = sort_names(host, pair, source->records);
	return pair;
}

/* Have two keys to do with each other, each an axis yet? */
static bool
are_related(const SdcCellSource *source, int k, int l)
{
	SdcHost *host = &source->host->kernel;
	uint64 values = (uint64) source->axis_values[l];
	int32 count;
	uint64 *pair = find_pairs(source, k, l, &count);
	int32 *a = sdc_new(host, int32, (Size) count + 1);
	int32 *b = sdc_new(host, int32, (Size) count + 1);
	bool related;
	int32 i;

	CHECK_FOR_INTERRUPTS();
	for (i = 0; i < count; i++)
	{
		a[i] = (int32) (pair[i] / values);
		b[i] = (int32) (pair[i] % values);
	}
	related = sdcpg_values_have_groups(a, b, count);
	host->release(host, pair);
	host->release(host, a);
	host->release(host, b);
	return related;
}

/* Would a table have two keys on an axis, were two of them one? */
static bool
are_in_one_table(const SdcCellSource *source, int axis, int other)
{
	int p;
	int j;

	for (p = 0; p < source->parts; p++)
	{
		int count = 0;

		for (j = 0; j < source->part[p].keys; j++)
		{
			int of = source->axis_of[source->part[p].key[j]];

			count += of == axis || of == other;
		}
		if (count > 1)
			return true;
	}
	return false;
}

/* Makes one axis of two: its values are pairs. */
static void
join_axes(SdcCellSource *source, int axis, int other)
{
	SdcHost *host = &source->host->kernel;
	uint64 values = (uint64) source->axis_values[other];
	int32 count;
	uint64 *pair = find_pairs(source, axis, other, &count);
	int32 *code = sdc_new(host, int32, (Size) source->records + 1);
	int32 i;
	int k;

	for (i = 0; i < source->records; i++)
		code[i] = (int32) sdc_sort_keys_below(
			pair, (size_t) count,
			(uint64) source->axis_code[axis][i] * values +
				(uint64) source->axis_code[other][i]);
	for (k = 0; k < source->keys.count; k++)
	{
		bool first = source->axis_of[k] == axis;
		int32 *own;

		if (!first && source->axis_of[k] != other)
			continue;
		own = sdc_new(host, int32, (Size) count + 1);
		for (i = 0; i < count; i++)
			own[i] = source->own_value[k][first ? pair[i] / values
												: pair[i] % values];
		source->own_value[k] = own;
		source->axis_of[k] = axis;
	}
	source->axis_code[axis] = code;
	source->axis_values[axis] = count;
	host->release(host, pair);
}

/* Each key is an axis. */
static void
begin_axes(SdcCellSource *source)
{
	int k;

	for (k = 0; k < source->keys.count; k++)
	{
		int32 values = sdcpg_dictionary_values(source->dictionary[k]) +
					   source->has_null[k];
		int32 v;

		source->axis_of[k] = k;
		source->axis_code[k] = source->code[k];
		source->axis_values[k] = values;
		source->own_value[k] =
			sdc_new(&source->host->kernel, int32, (Size) values + 1);
		for (v = 0; v < values; v++)
			source->own_value[k][v] = v;
	}
}

/*
 * Finds the axes: each key is one, but for those that have to do with each
 * other, of which the first names the axis.  Keys of one table stay apart.
 */
static void
find_axes(SdcCellSource *source)
{
	bool related[SDC_CUBE_MAX_DIMENSIONS][SDC_CUBE_MAX_DIMENSIONS];
	int k;
	int l;

	begin_axes(source);
	for (k = 0; k < source->keys.count; k++)
		for (l = 0; l < k; l++)
			related[k][l] =
				!are_in_one_table(source, k, l) && are_related(source, k, l);
	for (k = 0; k < source->keys.count; k++)
		for (l = 0; l < k; l++)
		{
			int axis = Min(source->axis_of[k], source->axis_of[l]);
			int other = Max(source->axis_of[k], source->axis_of[l]);

			if (related[k][l] && axis != other &&
				!are_in_one_table(source, axis, other))
				join_axes(source, axis, other);
		}
}

/* The place of the key of a table that lies on an axis, or -1. */
static int
key_on_axis(const SdcCellSource *source, const SdcTablePart *part, int axis)
{
	int j;

	for (j = 0; j < part->keys; j++)
		if (source->axis_of[part->key[j]] == axis)
			return j;
	return -1;
}

/* The codes of the values of an axis in a table, as of sdcpg_cells_map. */
static int32 *
map_axis(const SdcCellSource *source, const SdcTablePart *part, int j)
{
	SdcHost *host = &source->host->kernel;
	int k = part->key[j];
	int32 values = source->axis_values[source->axis_of[k]];
	int32 *of_value = sdcpg_cells_map(source, part, j);
	int32 *code = sdc_new(host, int32, (Size) values + 1);
	int32 v;

	for (v = 0; v < values; v++)
		code[v] = of_value[source->own_value[k][v]];
	host->release(host, of_value);
	return code;
}

/* ----------------------------------------------------------------------
 * Cells of several tables: which are the same
 * ----------------------------------------------------------------------
 */

/* Of one key: the names of codes, ascending, of all tables. */
typedef struct KeyCodes
{
	int32 values;
	int32 count;
	uint64 *name;
	uint64 all;    /* the name of the total */
	int32 *atom;   /* of each value */
	int32 atoms;   /* values that some table tells apart */
	bool is_split; /* no table shows all atoms */
	uint64 *atom_name;
} KeyCodes;

/* The random number of a value of a key. */
static uint64
name_value(int32 v)
{
	return sdc_random_mix((uint64) v + 1);
}

/*
 * The names of the codes of a tree: the sums over their values on an axis,
 * each of which is a value of the tree's key.
 */
static uint64 *
name_codes(SdcHost *host, const SdcTree *tree, int32 values, const int32 *own)
{
	int32 codes = tree->dimension.codes;
	uint64 *name = sdc_new(host, uint64, (Size) codes + 1);
	int32 c;

	memset(name, 0, sizeof(uint64) * codes);
	for (c = 0; c < values; c++)
		name[tree->of_value[own == NULL ? c : own[c]]] += name_value(c);
	/* what a code is a part of comes after it */
	for (c = 0; c < codes; c++)
		if (tree->parent[c] >= 0)
			name[tree->parent[c]] += name[c];
	return name;
}

/* The same of the j-th key of a table. */
static uint64 *
name_key(const SdcCellSource *source, const SdcTablePart *part, int j)
{
	int k = part->key[j];

	return name_codes(&source->host->kernel, part->tree[j],
					  source->axis_values[source->axis_of[k]],
					  source->own_value[k]);
}

/* The place of a name among those of a key; -1: it is none. */
static int32
look_for_name(const KeyCodes *codes, uint64 name)
{
	int32 place =
		(int32) sdc_sort_keys_below(codes->name, (size_t) codes->count, name);

	return place < codes->count && codes->name[place] == name ? place : -1;
}

/* The same of one that is there. */
static int32
find_name(const KeyCodes *codes, uint64 name)
{
	int32 place = look_for_name(codes, name);

	Assert(place >= 0);
	return place;
}

/*
 * Which values of an axis some tables do not tell apart: of each value its
 * set, and the names and the number of sets.
 */
static int32 *
tell_apart(const SdcCellSource *source, int axis,
		   const SdcTablePart *const *part, int parts, uint64 **name,
		   int32 *count)
{
	SdcHost *host = &source->host->kernel;
	int32 values = source->axis_values[axis];
	/* a number that two values share when no table tells them apart */
	uint64 *sign = sdc_new(host, uint64, (Size) values + 1);
	uint64 *sorted = sdc_new(host, uint64, (Size) values + 1);
	int32 *set = sdc_new(host, int32, (Size) values + 1);
	int32 v;
	int p;

	memset(sign, 0, sizeof(uint64) * values);
	for (p = 0; p < parts; p++)
	{
		int j = key_on_axis(source, part[p], axis);
		int32 *code = j < 0 ? NULL : map_axis(source, part[p], j);

		if (code == NULL)
			continue;
		for (v = 0; v < values; v++)
			sign[v] = sdc_random_mix(sign[v] + (uint64) (code[v] + 2));
		host->release(host, code);
	}
	memcpy(sorted, sign, sizeof(uint64) * values);
	*count = sort_names(host, sorted, values);
	*name = sdc_new(host, uint64, (Size) *count + 1);
	memset(*name, 0, sizeof(uint64) * *count);
	for (v = 0; v < values; v++)
	{
		set[v] = (int32) sdc_sort_keys_below(sorted, (size_t) *count, sign[v]);
		(*name)[set[v]] += name_value(v);
	}
	host->release(host, sign);
	host->release(host, sorted);
	return set;
}

/* The atoms of a key: values that no table tells apart are one. */
static void
find_atoms(const SdcCellSource *source, int k, KeyCodes *codes)
{
	const SdcTablePart *part[SDC_TABULAR_PARTS];
	int p;

	for (p = 0; p < source->parts; p++)
		part[p] = &source->part[p];
	codes->atom = tell_apart(source, k, part, source->parts, &codes->atom_name,
							 &codes->atoms);
	codes->is_split = true;
	for (p = 0; p < source->parts; p++)
	{
		int j = key_on_axis(source, &source->part[p], k);

		if (j >= 0 && source->part[p].only_code[j] < 0 &&
			source->part[p].tree[j]->leaves == codes->atoms)
			codes->is_split = false;
	}
}

/* All codes of a key, those of its atoms among them. */
static void
collect_codes(const SdcCellSource *source, int k, KeyCodes *codes)
{
	SdcHost *host = &source->host->kernel;
	Size room = 1;
	int32 v;
	int p;

	codes->values = source->axis_values[k];
	find_atoms(source, k, codes);
	for (p = 0; p < source->parts; p++)
	{
		int j = key_on_axis(source, &source->part[p], k);

		if (j >= 0)
			room += source->part[p].tree[j]->dimension.codes;
	}
	codes->name = sdc_new(host, uint64, room + codes->atoms);
	memcpy(codes->name, codes->atom_name, sizeof(uint64) * codes->atoms);
	codes->count = codes->atoms;
	codes->all = 0;
	for (v = 0; v < codes->values; v++)
		codes->all += name_value(v);
	codes->name[codes->count++] = codes->all;
	for (p = 0; p < source->parts; p++)
	{
		const SdcTablePart *part = &source->part[p];
		int j = key_on_axis(source, part, k);
		uint64 *name;
		int32 c;

		if (j < 0)
			continue;
		name = name_key(source, part, j);
		for (c = 0; c < part->tree[j]->dimension.codes; c++)
			if (part->only_code[j] < 0 || part->only_code[j] == c)
				codes->name[codes->count++] = name[c];
		host->release(host, name);
	}
	codes->count = sort_names(host, codes->name, codes->count);
}

/* A label must mean the same in all tables: readers know no more of it. */
static void
check_labels(const SdcCellSource *source, int k)
{
	SdcHost *host = &source->host->kernel;
	SdcDictionary *labels =
		sdcpg_dictionary_new(source->host, TEXTOID, C_COLLATION_OID);
	uint64 *means = NULL;
	int32 count = 0;
	int p;

	for (p = 0; p < source->parts; p++)
	{
		int j = sdcpg_cells_key(&source->part[p], k);
		const SdcTree *tree = j < 0 ? NULL : source->part[p].tree[j];
		uint64 *name;
		uint64 *longer;
		int32 c;

		if (tree == NULL)
			continue;
		name = name_codes(host, tree, tree->values, NULL);
		longer = sdc_new(host, uint64, (Size) count + tree->dimension.codes);
		if (count > 0)
			memcpy(longer, means, sizeof(uint64) * count);
		means = longer;
		for (c = 0; c < tree->dimension.codes; c++)
		{
			int32 label = sdcpg_dictionary_code(
				labels, CStringGetTextDatum(tree->label[c]));

			if (label == count)
				means[count++] = name[c];
			else if (means[label] != name[c])
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("a label of column \"%s\" means other values "
								"in another table",
								source->keys.column[k].name),
						 errhint("Give groups of different hierarchies "
								 "different labels.")));
		}
	}
}

/* What identifies each cell of a table among those of all. */
static uint64 *
identify_cells(const SdcCellSource *source, const SdcTablePart *part,
			   const KeyCodes *codes)
{
	SdcHost *host = &source->host->kernel;
	uint64 *identity = sdc_new(host, uint64, (Size) part->cells + 1);
	int k;

	memset(identity, 0, sizeof(uint64) * part->cells);
	for (k = 0; k < source->keys.count; k++)
	{
		int j = key_on_axis(source, part, k);
		uint64 *name = j < 0 ? NULL : name_key(source, part, j);
		int32 i;

		if (source->axis_of[k] != k)
			continue;

		host->poll(host, (uint64) k, (uint64) source->keys.count);
		for (i = 0; i < part->cells; i++)
			identity[i] =
				identity[i] * codes[k].count +
				find_name(&codes[k], j < 0
										 ? codes[k].all
										 : name[sdcpg_cells_code(part, j, i)]);
		if (name != NULL)
			host->release(host, name);
	}
	return identity;
}

/* ----------------------------------------------------------------------
 * Cells that no table shows
 * ----------------------------------------------------------------------
 */

/*
 * Do sets of keys have a circle?  Not when a key of one set only can be taken
 * away, and a set within another one, until nothing is left (Graham 1979, Yu
 * and Ozsoyoglu 1979): then every table that agrees with the others on what
 * they share is one of some records.
 */
static bool
has_circle(const SdcCellSource *source)
{
	uint32 set[SDC_TABULAR_PARTS];
	int left = source->parts;
	bool changed = true;
	int p;
	int q;

	for (p = 0; p < source->parts; p++)
	{
		int j;

		set[p] = 0;
		for (j = 0; j < source->part[p].keys; j++)
			set[p] |= 1U << source->axis_of[source->part[p].key[j]];
	}
	while (changed && left > 1)
	{
		changed = false;
		for (p = 0; p < left; p++)
		{
			uint32 others = 0;
			bool within = false;

			for (q = 0; q < left; q++)
				if (q != p)
					others |= set[q];
			changed = changed || (set[p] & ~others) != 0;
			set[p] &= others;
			for (q = 0; q < left; q++)
				within = within || (q != p && (set[p] & ~set[q]) == 0);
			if (!within)
				continue;
			set[p] = set[--left];
			changed = true;
			break;
		}
	}
	return left > 1;
}

/* Is one code, of each value of an axis, the same wherever another one is? */
static bool
follows(SdcHost *host, const int32 *code, const int32 *of, int32 values)
{
	bool so = true;
	int32 most = -1;
	int32 *seen;
	int32 v;

	for (v = 0; v < values; v++)
		most = Max(most, of[v]);
	seen = sdc_new(host, int32, (Size) most + 2);
	for (v = 0; v <= most; v++)
		seen[v] = -1;
	for (v = 0; v < values; v++)
		if (of[v] >= 0 && code[v] >= 0)
		{
			so = so && (seen[of[v]] < 0 || seen[of[v]] == code[v]);
			seen[of[v]] = code[v];
		}
	host->release(host, seen);
	return so;
}

/* Have two tables groups of one axis that cross? */
static bool
has_crossing(const SdcCellSource *source, int axis)
{
	SdcHost *host = &source->host->kernel;
	int32 values = source->axis_values[axis];
	int32 *code[SDC_TABULAR_PARTS] = {NULL};
	bool crossing = false;
	int p;
	int q;

	for (p = 0; p < source->parts; p++)
	{
		int j = key_on_axis(source, &source->part[p], axis);

		if (j >= 0)
			code[p] = map_axis(source, &source->part[p], j);
		for (q = 0; q < p && j >= 0 && !crossing; q++)
			crossing = code[q] != NULL &&
					   !follows(host, code[p], code[q], values) &&
					   !follows(host, code[q], code[p], values);
	}
	for (p = 0; p < source->parts; p++)
		if (code[p] != NULL)
			host->release(host, code[p]);
	return crossing;
}

/* Do the tables tell more than each two of them? */
static bool
needs_inner(const SdcCellSource *source, const KeyCodes *codes)
{
	int p;
	int j;
	int k;

	for (k = 0; k < source->keys.count; k++)
		if (source->axis_of[k] == k &&
			(codes[k].is_split || has_crossing(source, k)))
			return true;
	for (p = 0; p < source->parts; p++)
		for (j = 0; j < source->part[p].keys; j++)
			if (source->part[p].only_code[j] >= 0)
				return true;
	return has_circle(source);
}

/* The values of a code of a tree, as marks of its atoms. */
static void
mark_atoms(const SdcTree *tree, const int32 *own, int32 code,
		   const KeyCodes *codes, bool *in)
{
	int32 v;

	CHECK_FOR_INTERRUPTS();
	memset(in, 0, sizeof(bool) * codes->atoms);
	for (v = 0; v < codes->values; v++)
		in[codes->atom[v]] |=
			tree == NULL ||
			sdcpg_tree_within(tree, tree->of_value[own[v]], code);
}

/*
 * The equation of each code that is no atom: the code, then its atoms.  Codes
 * are places among codes->name.
 */
static SdcCubeDimension
make_inner(const SdcCellSource *source, int k, const KeyCodes *codes)
{
	SdcHost *host = &source->host->kernel;
	SdcCubeDimension dimension = {codes->count, 0, NULL, NULL};
	int32 *start = sdc_new(host, int32, (Size) codes->count + 1);
	int32 *member =
		sdc_new(host, int32, (Size) codes->count * (codes->atoms + 1) + 1);
	bool *done = sdc_new(host, bool, (Size) codes->count + 1);
	bool *in = sdc_new(host, bool, (Size) codes->atoms + 1);
	int32 a;
	int32 c;
	int p;

	memset(done, 0, sizeof(bool) * codes->count);
	start[0] = 0;
	for (a = 0; a < codes->atoms; a++)
		done[find_name(codes, codes->atom_name[a])] = true;
	for (p = -1; p < source->parts; p++)
	{
		int j = p < 0 ? -1 : key_on_axis(source, &source->part[p], k);
		const SdcTree *tree = j < 0 ? NULL : source->part[p].tree[j];
		const int32 *own =
			j < 0 ? NULL : source->own_value[source->part[p].key[j]];
		uint64 *name = j < 0 ? NULL : name_key(source, &source->part[p], j);

		/* first the total, which a table need not have */
		if (p >= 0 && tree == NULL)
			continue;
		for (c = 0; c < (tree == NULL ? 1 : tree->dimension.codes); c++)
		{
			int32 code;
			int32 at = start[dimension.equations];

			if (tree != NULL && source->part[p].only_code[j] >= 0 &&
				source->part[p].only_code[j] != c)
				continue;
			code = find_name(codes, tree == NULL ? codes->all : name[c]);
			if (done[code])
				continue;
			done[code] = true;
			member[at++] = code;
			mark_atoms(tree, own, c, codes, in);
			for (a = 0; a < codes->atoms; a++)
				if (in[a])
					member[at++] = find_name(codes, codes->atom_name[a]);
			start[++dimension.equations] = at;
		}
	}
	dimension.start = start;
	dimension.member = member;
	return dimension;
}

/* The axes of all keys together, by their atoms; returns how many. */
static int
make_inner_axes(const SdcCellSource *source, const KeyCodes *codes,
				SdcCellAxis *axis)
{
	int count = 0;
	int k;
	int32 v;

	for (k = 0; k < source->keys.count; k++)
	{
		int32 *code;

		if (source->axis_of[k] != k)
			continue;
		code =
			sdc_new(&source->host->kernel, int32, (Size) codes[k].values + 1);
		for (v = 0; v < codes[k].values; v++)
			code[v] =
				find_name(&codes[k], codes[k].atom_name[codes[k].atom[v]]);
		axis[count].dimension = make_inner(source, k, &codes[k]);
		axis[count].code = code;
		axis[count++].of_record = source->axis_code[k];
	}
	return count;
}

/* How many cells all keys have together. */
static double
count_inner(const SdcCellSource *source, const KeyCodes *codes)
{
	double cells = 1;
	int k;

	for (k = 0; k < source->keys.count; k++)
		if (source->axis_of[k] == k)
			cells *= codes[k].count;
	/* a bit is left for cells that have no such number */
	if (cells > 9e18)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the keys have too many combinations")));
	return cells;
}

/* ----------------------------------------------------------------------
 * What each two tables tell together
 * ----------------------------------------------------------------------
 */

/* Groups of records that no table shows and that have no name: from here. */
#define NAMELESS (UINT64CONST(1) << 63)

/* Two tables that are being compared, and one of them. */
typedef struct Side
{
	const SdcTablePart *part;
	const uint64 *identity; /* of its cells */
	int32 *cell;            /* of each group, -1: none */
	int32 cells;            /* that the groups are in */
	int32 *local;           /* of each group: which of these, or -1 */
	int32 *list;            /* these */
} Side;

/* Is a key of a table one by which it is compared with another one? */
static bool
is_compared(const SdcCellSource *source, const SdcTablePart *part, int j,
			const SdcTablePart *other)
{
	return part->only_code[j] >= 0 ||
		   key_on_axis(source, other, source->axis_of[part->key[j]]) >= 0;
}

/* Do two tables tell nothing that their common cells do not? */
static bool
is_trivial(const SdcCellSource *source, const SdcTablePart *part,
		   const SdcTablePart *other)
{
	int j;
	int l;

	for (j = 0; j < part->keys; j++)
	{
		if (part->only_code[j] >= 0)
			return false;
		l = key_on_axis(source, other, source->axis_of[part->key[j]]);
		if (l < 0)
			continue;
		if (part->key[j] != other->key[l] ||
			part->lowest[j] != other->lowest[l] ||
			(part->lowest[j] > 0 &&
			 strcmp(part->hierarchy[j], other->hierarchy[l]) != 0))
			return false;
	}
	for (l = 0; l < other->keys; l++)
		if (other->only_code[l] >= 0)
			return false;
	return true;
}

/*
 * The cell of each record in a table, by the keys by which it is compared, at
 * the total of others; -1: in none.
 */
static int32 *
find_cells(const SdcCellSource *source, const SdcTablePart *part,
		   const SdcTablePart *other)
{
	SdcHost *host = &source->host->kernel;
	int32 *cell = sdc_new(host, int32, (Size) source->records + 1);
	int32 i;
	int j;

	memset(cell, 0, sizeof(int32) * source->records);
	for (j = 0; j < part->keys; j++)
	{
		bool compared = is_compared(source, part, j, other);
		int32 codes = part->dimension[j].codes;
		const int32 *record = source->code[part->key[j]];
		int32 *code = sdcpg_cells_map(source, part, j);

		host->poll(host, (uint64) j, (uint64) part->keys);
		for (i = 0; i < source->records; i++)
			if (cell[i] >= 0)
				cell[i] = !compared ? cell[i] * codes + codes - 1
						  : code[record[i]] < 0
							  ? -1
							  : cell[i] * codes + code[record[i]];
		host->release(host, code);
	}
	return cell;
}

/*
 * Groups the records by the cells of two tables: the group of each record, in
 * the order of these, groups being those that are in neither table.
 */
static int32 *
group_records(const SdcCellSource *source, Side *side, int32 *groups)
{
	SdcHost *host = &source->host->kernel;
	int32 *cell[2];
	uint64 *key = sdc_new(host, uint64, (Size) source->records + 1);
	int32 *group = sdc_new(host, int32, (Size) source->records + 1);
	uint64 width = (uint64) side[1].part->cells + 1;
	bool outside;
	int32 i;
	int s;

	for (s = 0; s < 2; s++)
		cell[s] = find_cells(source, side[s].part, side[1 - s].part);
	for (i = 0; i < source->records; i++)
		key[i] = (uint64) (cell[0][i] + 1) * width + (uint64) (cell[1][i] + 1);
	*groups = sort_names(host, key, source->records);
	outside = *groups > 0 && key[0] == 0;
	for (i = 0; i < source->records; i++)
	{
		uint64 own =
			(uint64) (cell[0][i] + 1) * width + (uint64) (cell[1][i] + 1);

		group[i] =
			own == 0
				? *groups - 1
				: (int32) sdc_sort_keys_below(key, (size_t) *groups, own) -
					  outside;
	}
	*groups -= outside;
	for (s = 0; s < 2; s++)
	{
		side[s].cell = sdc_new(host, int32, (Size) *groups + 1);
		for (i = 0; i < *groups; i++)
			side[s].cell[i] = (int32) (s == 0 ? key[i + outside] / width
											  : key[i + outside] % width) -
							  1;
		host->release(host, cell[s]);
	}
	host->release(host, key);
	return group;
}

/* Numbers the cells of a table that groups are in. */
static void
number_cells(const SdcCellSource *source, Side *side, int32 groups)
{
	SdcHost *host = &source->host->kernel;
	uint64 *cell = sdc_new(host, uint64, (Size) groups + 1);
	int32 count = 0;
	int32 g;

	for (g = 0; g < groups; g++)
		if (side->cell[g] >= 0)
			cell[count++] = (uint64) side->cell[g];
	side->cells = sort_names(host, cell, count);
	side->local = sdc_new(host, int32, (Size) groups + 1);
	side->list = sdc_new(host, int32, (Size) side->cells + 1);
	for (g = 0; g < side->cells; g++)
		side->list[g] = (int32) cell[g];
	for (g = 0; g < groups; g++)
		side->local[g] =
			side->cell[g] < 0
				? -1
				: (int32) sdc_sort_keys_below(cell, (size_t) side->cells,
											  (uint64) side->cell[g]);
	host->release(host, cell);
}

/*
 * The places among the names of an axis of what two tables tell apart of its
 * values, for each value; -1: it has no name.
 */
static int32 *
name_meets(const SdcCellSource *source, const Side *side, int axis,
		   const KeyCodes *codes)
{
	SdcHost *host = &source->host->kernel;
	const SdcTablePart *part[2];
	int parts = 0;
	uint64 *name;
	int32 *place;
	int32 count;
	int32 v;
	int s;

	for (s = 0; s < 2; s++)
	{
		int j = key_on_axis(source, side[s].part, axis);

		if (j >= 0 && is_compared(source, side[s].part, j, side[1 - s].part))
			part[parts++] = side[s].part;
	}
	place = tell_apart(source, axis, part, parts, &name, &count);
	for (v = 0; v < source->axis_values[axis]; v++)
		place[v] = look_for_name(codes, name[place[v]]);
	host->release(host, name);
	return place;
}

/*
 * What identifies each group among the cells of all: its values of all keys,
 * where they have names and all of its records have the same ones.
 */
static uint64 *
identify_groups(const SdcCellSource *source, const Side *side,
				const KeyCodes *codes, const int32 *group, int32 groups)
{
	SdcHost *host = &source->host->kernel;
	uint64 *own = sdc_new(host, uint64, (Size) source->records + 1);
	uint64 *identity = sdc_new(host, uint64, (Size) groups + 2);
	int32 i;
	int k;

	memset(own, 0, sizeof(uint64) * source->records);
	for (k = 0; k < source->keys.count; k++)
	{
		int32 *place;

		if (source->axis_of[k] != k)
			continue;
		place = name_meets(source, side, k, &codes[k]);
		host->poll(host, (uint64) k, (uint64) source->keys.count);
		for (i = 0; i < source->records; i++)
		{
			int32 at = place[source->axis_code[k][i]];

			own[i] = own[i] >= NAMELESS || at < 0
						 ? NAMELESS
						 : own[i] * codes[k].count + (uint64) at;
		}
		host->release(host, place);
	}
	/* nothing is this */
	for (i = 0; i <= groups; i++)
		identity[i] = NAMELESS - 1;
	for (i = 0; i < source->records; i++)
		identity[group[i]] =
			identity[group[i]] == NAMELESS - 1 || identity[group[i]] == own[i]
				? own[i]
				: NAMELESS;
	host->release(host, own);
	return identity;
}

/*
 * The table of a pair: the cells of both, and the groups that are none of
 * them; each cell is the sum of its groups.  nameless counts groups that have
 * no name.
 */
static void
make_pair_table(const SdcCellSource *source, const Side *side, int32 groups,
				const uint64 *name, uint64 *nameless, SdcCubePart *part)
{
	SdcHost *host = &source->host->kernel;
	int32 cells = side[0].cells + side[1].cells;
	int32 *in[2];
	uint64 *identity = sdc_new(host, uint64, (Size) cells + groups + 1);
	int64 *start = sdc_new(host, int64, (Size) cells + 2);
	int32 *member = sdc_new(host, int32, (Size) cells + 2 * (Size) groups + 1);
	int32 g;
	int32 i;
	int s;

	memset(start, 0, sizeof(int64) * ((Size) cells + 2));
	for (s = 0; s < 2; s++)
	{
		int32 first = s * side[0].cells;

		in[s] = sdc_new(host, int32, (Size) side[s].cells + 1);
		memset(in[s], 0, sizeof(int32) * side[s].cells);
		for (g = 0; g < groups; g++)
			if (side[s].local[g] >= 0)
				in[s][side[s].local[g]]++;
		for (i = 0; i < side[s].cells; i++)
		{
			identity[first + i] = side[s].identity[side[s].list[i]];
			start[first + i + 1] = start[first + i] + 1 + in[s][i];
			member[start[first + i]] = first + i;
		}
	}
	for (g = 0; g < groups; g++)
	{
		identity[cells + g] =
			name[g] < NAMELESS ? name[g] : NAMELESS + (*nameless)++;
		for (s = 1; s >= 0; s--)
			if (side[s].local[g] >= 0 && in[s][side[s].local[g]] == 1)
				identity[cells + g] = side[s].identity[side[s].cell[g]];
	}
	for (s = 0; s < 2; s++)
	{
		int32 first = s * side[0].cells;

		/* as many as have been written */
		memset(in[s], 0, sizeof(int32) * side[s].cells);
		for (g = 0; g < groups; g++)
			if (side[s].local[g] >= 0)
				member[start[first + side[s].local[g]] + 1 +
					   in[s][side[s].local[g]]++] = cells + g;
		host->release(host, in[s]);
	}
	part->table =
		sdc_tabular_create(host, cells + groups, cells, start, member);
	part->identity = identity;
	host->release(host, start);
	host->release(host, member);
}

/* The cells of the groups: their records. */
static SdcCubeCell *
fill_groups(const SdcCellSource *source, const int32 *group, int32 groups)
{
	static const int32 nothing[] = {0};
	SdcHost *host = &source->host->kernel;
	int32 *code = sdc_new(host, int32, (Size) groups + 1);
	SdcCellAxis axis = {{groups, 0, nothing, nothing}, code, group};
	SdcCubeCell *cell;
	int32 g;

	for (g = 0; g < groups; g++)
		code[g] = g;
	code[groups] = -1;
	cell = sdcpg_cells_fill(source, &axis, 1);
	host->release(host, code);
	return cell;
}

/* How many groups are not all of a cell of either table. */
static int32
count_new(const SdcCellSource *source, const Side *side, int32 groups)
{
	SdcHost *host = &source->host->kernel;
	bool *whole = sdc_new(host, bool, (Size) groups + 1);
	int32 count = groups;
	int32 g;
	int s;

	memset(whole, 0, sizeof(bool) * groups);
	for (s = 0; s < 2; s++)
	{
		int32 *last = sdc_new(host, int32, (Size) side[s].cells + 1);

		/* the only group of each cell; -1: none yet, -2: several */
		for (g = 0; g < side[s].cells; g++)
			last[g] = -1;
		for (g = 0; g < groups; g++)
			if (side[s].local[g] >= 0)
				last[side[s].local[g]] = last[side[s].local[g]] == -1 ? g : -2;
		for (g = 0; g < side[s].cells; g++)
			if (last[g] >= 0)
				whole[last[g]] = true;
		host->release(host, last);
	}
	for (g = 0; g < groups; g++)
		count -= whole[g];
	host->release(host, whole);
	return count;
}

/*
 * Compares two tables; false: they have too many groups.  identity is that of
 * the cells of each.
 */
static bool
compare(SdcCellSource *source, int p, int q, const KeyCodes *codes,
		const SdcCubePart *tables, uint64 *nameless, SdcCubePart *part,
		SdcCubeCell **cell)
{
	SdcHost *host = &source->host->kernel;
	Side side[2] = {{&source->part[p], tables[p].identity},
					{&source->part[q], tables[q].identity}};
	SdcCellPair *pair = &source->pair[source->pairs];
	int32 groups;
	int32 *group = group_records(source, side, &groups);
	uint64 *name;
	int s;

	for (s = 0; s < 2; s++)
		number_cells(source, &side[s], groups);
	if (count_new(source, side, groups) > MOST_INNER)
		return false;
	name = identify_groups(source, side, codes, group, groups);
	make_pair_table(source, side, groups, name, nameless, part);
	*cell = fill_groups(source, group, groups);
	host->release(host, name);
	host->release(host, group);
	*pair = (SdcCellPair){{p, q}, {side[0].cells, side[1].cells}, groups};
	for (s = 0; s < 2; s++)
		pair->cell[s] = side[s].local;
	source->pairs++;
	return true;
}

/*
 * Adds the unsafe sums of hidden groups of cells of one table that are shown.
 * cell is that of each group, or -1; place is that of cells, and of_group of
 * groups, among all; group is that of each record.
 */
static void
unite_side(const SdcCellSource *source, const int32 *cell, int32 cells,
		   const int32 *place, const int32 *of_group, const int32 *group,
		   int32 groups, const bool *hidden, const SdcTableRules *rules,
		   SdcCellUnions *unions)
{
	static const int32 nothing[] = {0};
	SdcHost *host = &source->host->kernel;
	int32 *code = sdc_new(host, int32, (Size) groups + 1);
	int32 *first = sdc_new(host, int32, (Size) cells + 2);
	int32 *list = sdc_new(host, int32, (Size) groups + 1);
	SdcCellAxis axis = {{cells, 0, nothing, nothing}, code, group};
	SdcCubeCell *sum;
	int32 g;
	int32 i;

	memset(first, 0, sizeof(int32) * ((Size) cells + 2));
	code[groups] = -1;
	for (g = 0; g < groups; g++)
	{
		code[g] = cell[g] < 0 || !hidden[of_group[g]] || hidden[place[cell[g]]]
					  ? -1
					  : cell[g];
		if (code[g] >= 0)
			first[code[g] + 2]++;
	}
	for (i = 0; i < cells; i++)
		first[i + 2] += first[i + 1];
	/* first[i + 1] is where those of cell i begin, and then where they end */
	for (g = 0; g < groups; g++)
		if (code[g] >= 0)
			list[first[code[g] + 1]++] = of_group[g];
	sum = sdcpg_cells_fill(source, &axis, 1);
	for (i = 0; i < cells; i++)
	{
		int32 count = first[i + 1] - first[i];
		int64 at = unions->start[unions->count];

		if (count < 2 ||
			sdcpg_table_rules_need(rules, &sum[i], source->value == NULL) == 0)
			continue;
		memcpy(unions->member + at, list + first[i], sizeof(int32) * count);
		unions->cell[unions->count++] = sum[i];
		unions->start[unions->count] = at + count;
	}
	host->release(host, code);
	host->release(host, first);
	host->release(host, list);
	host->release(host, sum);
}

void
sdcpg_cells_unite_pair(const SdcCellSource *source, const SdcCellPair *pair,
					   const bool *hidden, const SdcTableRules *rules,
					   SdcCellUnions *unions)
{
	SdcHost *host = &source->host->kernel;
	Side side[2] = {{&source->part[pair->part[0]]},
					{&source->part[pair->part[1]]}};
	const int32 *place[2] = {pair->place, pair->place + pair->cells[0]};
	const int32 *of_group = place[1] + pair->cells[1];
	int32 groups;
	int32 *group = group_records(source, side, &groups);
	int s;

	for (s = 0; s < 2; s++)
		unite_side(source, pair->cell[s], pair->cells[s], place[s], of_group,
				   group, groups, hidden, rules, unions);
	host->release(host, group);
}

/* ----------------------------------------------------------------------
 * All tables
 * ----------------------------------------------------------------------
 */

/* Cubes, and pairs of tables, that are linked, with the cells of each. */
typedef struct Linking
{
	SdcCubePart *part;
	SdcCubeCell **cell;
	int count;
} Linking;

/* Takes the cells of a cube among all; twice the same must be the same. */
static void
take_cells(SdcCellSource *source, const SdcCubeCell *cell, int32 cells,
		   const int32 *place, bool *taken)
{
	int32 i;

	for (i = 0; i < cells; i++)
	{
		if (taken[place[i]] && source->cell[place[i]].sum != cell[i].sum)
			elog(ERROR, "a cell has two values");
		source->cell[place[i]] = cell[i];
		taken[place[i]] = true;
	}
}

/* Adds the cube of a table, or of all keys together. */
static void
add_cube(SdcCellSource *source, const KeyCodes *codes, SdcTablePart *table,
		 Linking *linking)
{
	SdcHost *host = &source->host->kernel;
	SdcCellAxis axis[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubePart *part = &linking->part[linking->count];
	uint64 *identity;
	int axes;
	int32 i;
	int d;

	memset(axis, 0, sizeof(axis));
	if (table != NULL)
	{
		axes = table->keys;
		sdcpg_cells_axes(source, table, axis);
	}
	else
		axes = make_inner_axes(source, codes, axis);
	for (d = 0; d < axes; d++)
		dimension[d] = axis[d].dimension;
	linking->cell[linking->count++] = sdcpg_cells_fill(source, axis, axes);
	part->table = sdc_cube_create(host, dimension, axes);
	if (table != NULL)
	{
		table->cells = part->table->cells;
		part->identity = identify_cells(source, table, codes);
		return;
	}
	/* codes of all keys together are places of names already */
	identity = sdc_new(host, uint64, (Size) part->table->cells + 1);
	for (i = 0; i < part->table->cells; i++)
		identity[i] = i;
	part->identity = identity;
}

/* Adds all pairs of tables that tell something together. */
static void
add_pairs(SdcCellSource *source, const KeyCodes *codes, Linking *linking)
{
	uint64 nameless = 0;
	int p;
	int q;

	source->pair =
		palloc0(sizeof(SdcCellPair) * source->parts * source->parts);
	for (p = 0; p < source->parts; p++)
		for (q = p + 1; q < source->parts; q++)
		{
			CHECK_FOR_INTERRUPTS();
			if (is_trivial(source, &source->part[p], &source->part[q]))
				continue;
			if (compare(source, p, q, codes, linking->part, &nameless,
						&linking->part[linking->count],
						&linking->cell[linking->count]))
				linking->count++;
			else
				source->lacks_inner = true;
		}
}

/* Links the cubes of all tables, and what they tell together. */
static void
link_tables(SdcCellSource *source, const KeyCodes *codes, bool inner)
{
	SdcHost *host = &source->host->kernel;
	int room = source->parts * source->parts + source->parts + 1;
	Linking linking = {palloc0(sizeof(SdcCubePart) * room),
					   palloc0(sizeof(SdcCubeCell *) * room), 0};
	bool *taken;
	int first;
	int32 i;
	int p;

	for (p = 0; p < source->parts; p++)
		add_cube(source, codes, &source->part[p], &linking);
	if (inner)
		add_cube(source, codes, NULL, &linking);
	first = linking.count;
	if (source->attacks)
		add_pairs(source, codes, &linking);
	source->table = sdc_cube_link(host, linking.part, linking.count);
	source->cell = sdc_new(host, SdcCubeCell, (Size) source->table->cells + 1);
	taken = sdc_new(host, bool, (Size) source->table->cells + 1);
	memset(taken, 0, source->table->cells);
	for (p = 0; p < source->parts; p++)
	{
		source->part[p].place = linking.part[p].place;
		take_cells(source, linking.cell[p], linking.part[p].table->cells,
				   linking.part[p].place, taken);
	}
	source->inner = sdc_new(host, bool, (Size) source->table->cells + 1);
	for (i = 0; i < source->table->cells; i++)
		source->inners += source->inner[i] = !taken[i];
	if (inner)
		take_cells(source, linking.cell[p], linking.part[p].table->cells,
				   linking.part[p].place, taken);
	for (p = 0; p < source->pairs; p++)
	{
		SdcCellPair *pair = &source->pair[p];

		pair->place = linking.part[first + p].place;
		take_cells(source, linking.cell[first + p], pair->groups,
				   pair->place + pair->cells[0] + pair->cells[1], taken);
	}
	/* there are none that no table shows */
	if (!inner && source->inners == 0)
		source->inner = NULL;
}

/* Without the cells beside it, what is left beside an "only" is not seen. */
static void
refuse_only(const SdcCellSource *source)
{
	int p;
	int j;

	for (p = 0; p < source->parts; p++)
		for (j = 0; j < source->part[p].keys; j++)
			if (source->part[p].only_code[j] >= 0)
				ereport(ERROR,
						(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						 errmsg("tables with \"only\" have too many cells "
								"beside them"),
						 errdetail("All keys together would make more than "
								   "%d cells, and what follows from the "
								   "others could not be attacked.",
								   MOST_INNER),
						 errhint("Use fewer or coarser keys.")));
}

void
sdcpg_cells_link(SdcCellSource *source)
{
	KeyCodes codes[SDC_CUBE_MAX_DIMENSIONS];
	double all;
	bool inner;
	int k;

	find_axes(source);
	for (k = 0; k < source->keys.count; k++)
	{
		if (source->axis_of[k] == k)
			collect_codes(source, k, &codes[k]);
		check_labels(source, k);
	}
	all = count_inner(source, codes);
	inner = source->attacks && needs_inner(source, codes);
	source->lacks_inner = inner && all > MOST_INNER;
	if (source->lacks_inner)
		refuse_only(source);
	link_tables(source, codes, inner && !source->lacks_inner);
}
