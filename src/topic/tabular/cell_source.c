/*
 * cell_source.c
 *		From rows to cells: of one table, or of several as one system.
 *
 * The relation is read once.  Each table has a tree of codes for each of its
 * keys, and so a cube of cells.  Cells of several tables are the same when
 * they are about the same values of every key: the sum of random numbers of
 * these values names a code (two sets of values share one by chance, once in
 * 2^64), whatever it is called and whichever hierarchy it is of; a key that a
 * table does not have is at its total.
 *
 * Tables tell more together than the cells they share: from people up to 17
 * less people up to 14 follow those from 15 to 17, whom no table shows; from
 * women follow men; and three tables that share keys in a circle bound each
 * other.  Then the cells of all keys together, each by the atoms of what the
 * tables tell apart, are cells of the system, too, when they are few enough.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/query.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "topic/mask/pseudonym.h"
#include "topic/tabular/tabular_topic.h"

/* Digits after the point that a value may have. */
#define MOST_SCALE 12

/* Cells of all keys together, with those that no table shows, at the most. */
#define MOST_INNER 20000

/* ----------------------------------------------------------------------
 * The rows
 * ----------------------------------------------------------------------
 */

/* Digits after the point that the values have. */
static int
find_scale(const SdcCellSource *source)
{
	SdcFrameType type = SDC_FRAME_FINITE;
	StringInfoData sql;
	SdcFrame *frame;
	int scale;

	initStringInfo(&sql);
	appendStringInfo(
		&sql,
		"SELECT pg_catalog.max(pg_catalog.scale(pg_catalog.trim_scale("
		"r.%s::pg_catalog.numeric)))::pg_catalog.float8 FROM %s AS r",
		source->value->sql, source->relation->sql);
	frame = sdcpg_frame_load(source->host, sql.data, 1, &type);
	scale = frame->column[0].isnull[0] ? 0 : (int) frame->column[0].number[0];
	if (scale > MOST_SCALE)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" has more than %d digits after the "
						"point",
						source->value->name, MOST_SCALE),
				 errhint("Round it to the unit that is published.")));
	sdcpg_frame_release(frame);
	return scale;
}

/* The keys, then the value and the respondent. */
static char *
query_rows(const SdcCellSource *source)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < source->keys.count; j++)
		appendStringInfo(&sql, "%sr.%s", j == 0 ? "" : ", ",
						 source->keys.column[j].sql);
	if (source->value != NULL)
		appendStringInfo(&sql,
						 ", (r.%s::pg_catalog.numeric OPERATOR(pg_catalog.*) "
						 "1e%d::pg_catalog.numeric)::pg_catalog.float8",
						 source->value->sql, source->scale);
	if (source->respondent != NULL)
		appendStringInfo(&sql, ", r.%s", source->respondent->sql);
	appendStringInfo(&sql, " FROM %s AS r", source->relation->sql);
	if (source->value != NULL)
		appendStringInfo(&sql, " WHERE r.%s IS NOT NULL", source->value->sql);
	return sql.data;
}

/* The order of the rows by respondent, whose numbers go to giver. */
static int32 *
sort_givers(SdcCellSource *source, const SdcFrameColumn *respondent,
			int32 rows)
{
	SdcHost *host = &source->host->kernel;
	int32 *order = sdc_new(host, int32, (Size) rows + 1);
	uint64 *key = sdc_new(host, uint64, (Size) rows + 1);
	int32 i;

	for (i = 0; i < rows; i++)
	{
		/* a row of nobody known is somebody of its own */
		bool known = respondent != NULL && !respondent->isnull[i];

		order[i] = i;
		key[i] =
			known ? (uint64) respondent->code[i] : (uint64) rows + (uint64) i;
	}
	sdc_sort_keys(host, key, order, rows);
	source->giver = sdc_new(host, int32, (Size) rows + 1);
	for (i = 0; i < rows; i++)
		source->giver[i] =
			i == 0 ? 0 : source->giver[i - 1] + (key[i] != key[i - 1]);
	host->release(host, key);
	return order;
}

/* The random number of each giver. */
static void
key_givers(SdcCellSource *source, const SdcFrameColumn *respondent,
		   SdcDictionary *dictionary, const int32 *order, int32 rows)
{
	SdcPseudonymDomain *domain = sdcpg_record_domain(source->domain);
	const int32 *rank = sdcpg_dictionary_sort(dictionary);
	MemoryContext one = AllocSetContextCreate(
		CurrentMemoryContext, "sdc record keys", ALLOCSET_DEFAULT_SIZES);
	int32 i;

	source->giver_key =
		sdc_new(&source->host->kernel, uint64, (Size) rows + 1);
	for (i = 0; i < rows; i++)
	{
		MemoryContext before;

		CHECK_FOR_INTERRUPTS();
		if (respondent->isnull[order[i]])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("column \"%s\" is NULL in some rows",
								   source->respondent->name),
							errdetail("Without an id a record has no key.")));
		if (i > 0 && source->giver[i] == source->giver[i - 1])
			continue;
		before = MemoryContextSwitchTo(one);
		source->giver_key[source->giver[i]] = sdcpg_record_key(
			domain, sdcpg_dictionary_text(dictionary,
										  rank[respondent->code[order[i]]]));
		MemoryContextSwitchTo(before);
		MemoryContextReset(one);
	}
	MemoryContextDelete(one);
}

/* One key: the values of the rows, in their order. */
static void
take_key(SdcCellSource *source, int k, const SdcFrameColumn *column,
		 SdcDictionary *dictionary, const int32 *order)
{
	SdcHost *host = &source->host->kernel;
	const int32 *rank = sdcpg_dictionary_sort(dictionary);
	int32 values = sdcpg_dictionary_values(dictionary);
	int32 i;

	source->dictionary[k] = dictionary;
	source->has_null[k] = false;
	source->code[k] = sdc_new(host, int32, (Size) source->records + 1);
	for (i = 0; i < source->records; i++)
	{
		bool null = column->isnull[order[i]];

		source->has_null[k] = source->has_null[k] || null;
		source->code[k][i] = null ? values : rank[column->code[order[i]]];
	}
}

static void
check_contribution(const SdcCellSource *source, double value)
{
	if (value < 0)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("column \"%s\" has values below 0",
							   source->value->name),
						errhint("Use abs(value), or a table for each sign.")));
}

/* Reads the rows: codes, contributions and who gave them. */
static void
load_rows(SdcCellSource *source)
{
	SdcFrameType types[SDC_CUBE_MAX_DIMENSIONS + 2];
	SdcDictionary *dictionary[SDC_CUBE_MAX_DIMENSIONS + 2] = {NULL};
	int columns = source->keys.count;
	int value = -1;
	int respondent = -1;
	SdcFrame *frame;
	int32 *order;
	int32 i;
	int j;

	for (j = 0; j < source->keys.count; j++)
		types[j] = SDC_FRAME_CODE;
	if (source->value != NULL)
		types[value = columns++] = SDC_FRAME_FINITE;
	if (source->respondent != NULL)
		types[respondent = columns++] = SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(source->host, query_rows(source), columns,
								   types, dictionary);
	source->records = frame->rows;
	order =
		sort_givers(source, respondent < 0 ? NULL : &frame->column[respondent],
					frame->rows);
	if (source->domain != NULL)
		key_givers(source, &frame->column[respondent], dictionary[respondent],
				   order, frame->rows);
	for (j = 0; j < source->keys.count; j++)
		take_key(source, j, &frame->column[j], dictionary[j], order);
	source->contribution =
		sdc_new(&source->host->kernel, double, (Size) frame->rows + 1);
	for (i = 0; i < frame->rows; i++)
	{
		source->contribution[i] =
			value < 0 ? 1 : frame->column[value].number[order[i]];
		check_contribution(source, source->contribution[i]);
	}
	sdcpg_frame_release(frame);
}

/* ----------------------------------------------------------------------
 * The cells of one table
 * ----------------------------------------------------------------------
 */

/* The code of a label; stops when there is none. */
static int32
find_label(const SdcCellSource *source, const SdcTablePart *part, int j)
{
	int32 code = sdcpg_tree_code(part->tree[j], part->only[j]);

	if (code < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.linked has an \"only\" that no row is of"),
				 errdetail("Column \"%s\" has no value and no group of that "
						   "label.",
						   source->keys.column[part->key[j]].name)));
	return code;
}

/* The trees of a table, and its dimensions. */
static void
make_trees(const SdcCellSource *source, SdcTablePart *part)
{
	static const int32 nothing[] = {0};
	int j;

	for (j = 0; j < part->keys; j++)
	{
		int k = part->key[j];

		part->tree[j] = sdcpg_tree_make(
			source->host, source->dictionary[k], source->has_null[k],
			part->hierarchy[j], part->lowest[j], source->total);
		part->dimension[j] = part->tree[j]->dimension;
		part->only_code[j] = -1;
		if (part->only[j] == NULL)
			continue;
		part->only_code[j] = find_label(source, part, j);
		part->dimension[j] = (SdcCubeDimension){1, 0, nothing, nothing};
	}
}

int
sdcpg_cells_key(const SdcTablePart *part, int key)
{
	int j;

	for (j = 0; j < part->keys; j++)
		if (part->key[j] == key)
			return j;
	return -1;
}

int32
sdcpg_cells_code(const SdcTablePart *part, int j, int32 cell)
{
	int d;

	if (part->only_code[j] >= 0)
		return part->only_code[j];
	for (d = part->keys - 1; d > j; d--)
		cell /= part->dimension[d].codes;
	return cell % part->dimension[j].codes;
}

/* Is a code the one, or in it? */
static bool
is_within(const SdcTree *tree, int32 code, int32 one)
{
	while (code >= 0 && code != one)
		code = tree->parent[code];
	return code == one;
}

/*
 * The codes of the values of a key in a table, -1 when they are not in it, by
 * rank.
 */
static int32 *
map_values(const SdcCellSource *source, const SdcTablePart *part, int j)
{
	const SdcTree *tree = part->tree[j];
	int32 *code = sdc_new(&source->host->kernel, int32, tree->values + 1);
	int32 v;

	for (v = 0; v < tree->values; v++)
	{
		code[v] = tree->of_value[v];
		if (part->only_code[j] >= 0)
			code[v] = is_within(tree, code[v], part->only_code[j]) ? 0 : -1;
	}
	return code;
}

static void
need_cells(int64 cells)
{
	if (cells > SDC_CUBE_MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the table has more than %d cells",
							   SDC_CUBE_MAX_CELLS),
						errhint("Use fewer or coarser keys.")));
}

/* A dimension of a cube, and the code there of each value; -1: none. */
typedef struct Axis
{
	SdcCubeDimension dimension;
	const int32 *code;
	int key; /* of the source */
} Axis;

/* The records that are in a cube. */
typedef struct CubeRecords
{
	SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	double *value;
	int32 *giver;
	int32 n;
} CubeRecords;

static void
take_records(const SdcCellSource *source, const Axis *axis, int axes,
			 CubeRecords *records)
{
	SdcHost *host = &source->host->kernel;
	Size room = (Size) source->records + 1;
	int32 i;
	int d;

	records->value = sdc_new(host, double, room);
	records->giver = sdc_new(host, int32, room);
	records->n = 0;
	for (d = 0; d < axes; d++)
	{
		records->dimension[d] = axis[d].dimension;
		records->code[d] = sdc_new(host, int32, room);
	}
	for (i = 0; i < source->records; i++)
	{
		bool in = true;

		if (i % 1024 == 0)
			host->poll(host, (uint64) i, (uint64) source->records);

		for (d = 0; d < axes; d++)
		{
			int32 code = axis[d].code[source->code[axis[d].key][i]];

			records->code[d][records->n] = code;
			in = in && code >= 0;
		}
		records->value[records->n] = source->contribution[i];
		records->giver[records->n] = source->giver[i];
		records->n += in;
	}
}

static void
release_records(const SdcCellSource *source, int axes, CubeRecords *records)
{
	SdcHost *host = &source->host->kernel;
	int d;

	for (d = 0; d < axes; d++)
		host->release(host, records->code[d]);
	host->release(host, records->value);
	host->release(host, records->giver);
}

/* Fills the cells of a cube from the records that are in it. */
static SdcCubeCell *
fill(const SdcCellSource *source, const Axis *axis, int axes)
{
	SdcHost *host = &source->host->kernel;
	CubeRecords records;
	SdcCubeCell *cell;

	take_records(source, axis, axes, &records);
	cell = sdc_new(host, SdcCubeCell, sdc_cube_cells(records.dimension, axes));
	if (!sdc_cube_fill(host, records.dimension, axes, records.n,
					   (const int32 *const *) records.code, records.value,
					   records.giver, source->giver_key, cell))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a sum of column \"%s\" has more than 15 digits",
						source->value->name),
				 errhint("Round it to the unit that is published.")));
	release_records(source, axes, &records);
	return cell;
}

/* The axes of a table. */
static void
make_axes(const SdcCellSource *source, const SdcTablePart *part, Axis *axis)
{
	int j;

	for (j = 0; j < part->keys; j++)
	{
		axis[j].dimension = part->dimension[j];
		axis[j].code = map_values(source, part, j);
		axis[j].key = part->key[j];
	}
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

/* The names of the codes of a tree: the sums over their values. */
static uint64 *
name_codes(SdcHost *host, const SdcTree *tree)
{
	int32 codes = tree->dimension.codes;
	uint64 *name = sdc_new(host, uint64, (Size) codes + 1);
	int32 c;

	memset(name, 0, sizeof(uint64) * codes);
	for (c = 0; c < tree->values; c++)
		name[tree->of_value[c]] += name_value(c);
	/* what a code is a part of comes after it */
	for (c = 0; c < codes; c++)
		if (tree->parent[c] >= 0)
			name[tree->parent[c]] += name[c];
	return name;
}

/* The place of a name among those of a key. */
static int32
find_name(const KeyCodes *codes, uint64 name)
{
	int32 place =
		(int32) sdc_sort_keys_below(codes->name, (size_t) codes->count, name);

	Assert(place < codes->count && codes->name[place] == name);
	return place;
}

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

/*
 * The atoms of a key: values that no table tells apart are one.  sign[v] has
 * a number that two values share when they are.
 */
static void
find_atoms(const SdcCellSource *source, int k, KeyCodes *codes)
{
	SdcHost *host = &source->host->kernel;
	uint64 *sign = sdc_new(host, uint64, (Size) codes->values + 1);
	uint64 *sorted = sdc_new(host, uint64, (Size) codes->values + 1);
	int32 v;
	int p;

	memset(sign, 0, sizeof(uint64) * codes->values);
	for (p = 0; p < source->parts; p++)
	{
		const SdcTablePart *part = &source->part[p];
		int j = sdcpg_cells_key(part, k);
		int32 *code;

		if (j < 0)
			continue;
		code = map_values(source, part, j);
		for (v = 0; v < codes->values; v++)
			sign[v] = sdc_random_mix(sign[v] + (uint64) (code[v] + 2));
		host->release(host, code);
	}
	memcpy(sorted, sign, sizeof(uint64) * codes->values);
	codes->atoms = sort_names(host, sorted, codes->values);
	codes->atom = sdc_new(host, int32, (Size) codes->values + 1);
	codes->atom_name = sdc_new(host, uint64, (Size) codes->atoms + 1);
	memset(codes->atom_name, 0, sizeof(uint64) * codes->atoms);
	for (v = 0; v < codes->values; v++)
	{
		codes->atom[v] =
			(int32) sdc_sort_keys_below(sorted, codes->atoms, sign[v]);
		codes->atom_name[codes->atom[v]] += name_value(v);
	}
	codes->is_split = true;
	for (p = 0; p < source->parts; p++)
	{
		int j = sdcpg_cells_key(&source->part[p], k);

		if (j >= 0 && source->part[p].only_code[j] < 0 &&
			source->part[p].tree[j]->leaves == codes->atoms)
			codes->is_split = false;
	}
	host->release(host, sign);
	host->release(host, sorted);
}

/* All codes of a key, those of its atoms among them. */
static void
collect_codes(const SdcCellSource *source, int k, KeyCodes *codes)
{
	SdcHost *host = &source->host->kernel;
	Size room = 1;
	int32 v;
	int p;

	codes->values =
		sdcpg_dictionary_values(source->dictionary[k]) + source->has_null[k];
	find_atoms(source, k, codes);
	for (p = 0; p < source->parts; p++)
	{
		int j = sdcpg_cells_key(&source->part[p], k);

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
		int j = sdcpg_cells_key(part, k);
		uint64 *name;
		int32 c;

		if (j < 0)
			continue;
		name = name_codes(host, part->tree[j]);
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
		name = name_codes(host, tree);
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
		int j = sdcpg_cells_key(part, k);
		uint64 *name = j < 0 ? NULL : name_codes(host, part->tree[j]);
		int32 i;

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
			set[p] |= 1U << source->part[p].key[j];
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

/* Do the tables tell more than the cells that they share? */
static bool
needs_inner(const SdcCellSource *source, const KeyCodes *codes)
{
	int p;
	int j;
	int k;

	for (k = 0; k < source->keys.count; k++)
		if (codes[k].is_split)
			return true;
	for (p = 0; p < source->parts; p++)
		for (j = 0; j < source->part[p].keys; j++)
			if (source->part[p].only_code[j] >= 0)
				return true;
	return has_circle(source);
}

/* The values of a code of a tree, as marks of its atoms. */
static void
mark_atoms(const SdcTree *tree, int32 code, const KeyCodes *codes, bool *in)
{
	int32 v;

	CHECK_FOR_INTERRUPTS();
	memset(in, 0, sizeof(bool) * codes->atoms);
	for (v = 0; v < codes->values; v++)
		in[codes->atom[v]] |=
			tree == NULL || is_within(tree, tree->of_value[v], code);
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
		int j = p < 0 ? -1 : sdcpg_cells_key(&source->part[p], k);
		const SdcTree *tree = j < 0 ? NULL : source->part[p].tree[j];
		uint64 *name = tree == NULL ? NULL : name_codes(host, tree);

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
			mark_atoms(tree, c, codes, in);
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

/* The axes of all keys together, by their atoms. */
static void
make_inner_axes(const SdcCellSource *source, const KeyCodes *codes, Axis *axis)
{
	int k;
	int32 v;

	for (k = 0; k < source->keys.count; k++)
	{
		int32 *code =
			sdc_new(&source->host->kernel, int32, (Size) codes[k].values + 1);

		for (v = 0; v < codes[k].values; v++)
			code[v] =
				find_name(&codes[k], codes[k].atom_name[codes[k].atom[v]]);
		axis[k].dimension = make_inner(source, k, &codes[k]);
		axis[k].code = code;
		axis[k].key = k;
	}
}

/* How many cells all keys have together. */
static double
count_inner(const SdcCellSource *source, const KeyCodes *codes)
{
	double cells = 1;
	int k;

	for (k = 0; k < source->keys.count; k++)
		cells *= codes[k].count;
	if (cells > 9e18)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the keys have too many combinations")));
	return cells;
}

/* ----------------------------------------------------------------------
 * All tables
 * ----------------------------------------------------------------------
 */

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

/* Links the cubes of all tables, and that of the cells that none shows. */
static void
link_tables(SdcCellSource *source, const KeyCodes *codes, bool inner)
{
	SdcHost *host = &source->host->kernel;
	SdcCubePart part[SDC_TABULAR_PARTS + 1];
	SdcCubeCell *cell[SDC_TABULAR_PARTS + 1];
	int parts = source->parts + inner;
	bool *taken;
	int32 i;
	int p;

	for (p = 0; p < parts; p++)
	{
		Axis axis[SDC_CUBE_MAX_DIMENSIONS];
		SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
		int axes = source->keys.count;
		uint64 *identity;
		int d;

		if (p < source->parts)
		{
			axes = source->part[p].keys;
			make_axes(source, &source->part[p], axis);
		}
		else
			make_inner_axes(source, codes, axis);
		for (d = 0; d < axes; d++)
			dimension[d] = axis[d].dimension;
		need_cells(sdc_cube_cells(dimension, axes));
		cell[p] = fill(source, axis, axes);
		part[p].table = sdc_cube_create(host, dimension, axes);
		if (p < source->parts)
		{
			source->part[p].cells = part[p].table->cells;
			part[p].identity = identify_cells(source, &source->part[p], codes);
			continue;
		}
		/* codes of all keys together are places of names already */
		identity = sdc_new(host, uint64, (Size) part[p].table->cells + 1);
		for (i = 0; i < part[p].table->cells; i++)
			identity[i] = i;
		part[p].identity = identity;
	}
	source->table = sdc_cube_link(host, part, parts);
	source->cell = sdc_new(host, SdcCubeCell, (Size) source->table->cells + 1);
	taken = sdc_new(host, bool, (Size) source->table->cells + 1);
	memset(taken, 0, source->table->cells);
	for (p = 0; p < source->parts; p++)
	{
		source->part[p].place = part[p].place;
		take_cells(source, cell[p], part[p].table->cells, part[p].place,
				   taken);
	}
	if (!inner)
		return;
	source->inner = sdc_new(host, bool, (Size) source->table->cells + 1);
	for (i = 0; i < source->table->cells; i++)
		source->inners += source->inner[i] = !taken[i];
	take_cells(source, cell[source->parts], part[source->parts].table->cells,
			   part[source->parts].place, taken);
}

/* One table: its cube as it is. */
static void
take_one(SdcCellSource *source)
{
	SdcTablePart *part = &source->part[0];
	Axis axis[SDC_CUBE_MAX_DIMENSIONS];
	int64 cells = sdc_cube_cells(part->dimension, part->keys);

	need_cells(cells);
	make_axes(source, part, axis);
	source->cell = fill(source, axis, part->keys);
	source->table =
		sdc_cube_create(&source->host->kernel, part->dimension, part->keys);
	part->cells = (int32) cells;
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
sdcpg_cells_read(SdcCellSource *source)
{
	KeyCodes codes[SDC_CUBE_MAX_DIMENSIONS];
	double all;
	bool inner;
	int p;
	int k;

	if (source->value != NULL)
		source->scale = find_scale(source);
	load_rows(source);
	for (p = 0; p < source->parts; p++)
		make_trees(source, &source->part[p]);
	if (source->parts == 1)
	{
		take_one(source);
		return;
	}
	for (k = 0; k < source->keys.count; k++)
	{
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

char *
sdcpg_cells_text(const SdcCellSource *source, int32 i)
{
	StringInfoData text;
	int p;
	int j;
	int32 k;

	initStringInfo(&text);
	for (p = 0; p < source->parts; p++)
	{
		const SdcTablePart *part = &source->part[p];

		for (k = 0; k < part->cells; k++)
			if (sdcpg_cells_place(part, k) == i)
				break;
		for (j = 0; j < part->keys && k < part->cells; j++)
			appendStringInfo(
				&text, "%s%s=%s", j == 0 ? "" : ", ",
				source->keys.column[part->key[j]].name,
				part->tree[j]->label[sdcpg_cells_code(part, j, k)]);
		if (k < part->cells)
			return text.data;
	}
	return pstrdup("a cell that no table shows");
}

/* ----------------------------------------------------------------------
 * Sums of hidden cells
 * ----------------------------------------------------------------------
 */

/* Sums that are to be cells of their own, as the equations that say so. */
typedef struct Unions
{
	int32 count;
	Size room;    /* for so many */
	int64 *start; /* into member; of each union its parts */
	int32 *member;
	SdcCubeCell *cell;
} Unions;

/* Adds the unsafe ones of a table: sums of hidden parts of a shown total. */
static void
find_unions(const SdcCellSource *source, const SdcTablePart *part,
			const bool *hidden, const SdcTableRules *rules, Unions *unions)
{
	SdcHost *host = &source->host->kernel;
	Axis axis[SDC_CUBE_MAX_DIMENSIONS];
	CubeRecords records;
	SdcTabular *table;
	SdcCubeCell *cell;
	bool *own;
	int32 i;
	int32 r;

	make_axes(source, part, axis);
	take_records(source, axis, part->keys, &records);
	table = sdc_cube_create(host, records.dimension, part->keys);
	own = sdc_new(host, bool, (Size) table->cells + 1);
	for (i = 0; i < table->cells; i++)
		own[i] = hidden[sdcpg_cells_place(part, i)];
	cell = sdc_new(host, SdcCubeCell, (Size) table->equations + 1);
	sdc_cube_unite(host, records.dimension, part->keys, records.n,
				   (const int32 *const *) records.code, records.value,
				   records.giver, table, own, cell);
	for (r = 0; r < table->equations; r++)
	{
		int64 at = unions->start[unions->count];
		int64 e;

		if (sdcpg_table_rules_need(rules, &cell[r], source->value == NULL) ==
			0)
			continue;
		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			if (own[table->member[e]])
				unions->member[at++] =
					sdcpg_cells_place(part, table->member[e]);
		if (at - unions->start[unions->count] < 2)
			continue;
		unions->cell[unions->count++] = cell[r];
		unions->start[unions->count] = at;
	}
	host->release(host, own);
	host->release(host, cell);
	release_records(source, part->keys, &records);
}

/* The table with the unions as further cells, which no table shows. */
static void
add_unions(SdcCellSource *source, const Unions *unions)
{
	SdcHost *host = &source->host->kernel;
	const SdcTabular *old = source->table;
	int32 cells = old->cells + unions->count;
	int32 equations = old->equations + unions->count;
	int64 entries = old->start[old->equations];
	int64 *start = sdc_new(host, int64, (Size) equations + 1);
	int32 *member = sdc_new(
		host, int32,
		(Size) (entries + unions->count + unions->start[unions->count]) + 1);
	SdcCubeCell *cell = sdc_new(host, SdcCubeCell, (Size) cells + 1);
	bool *inner = sdc_new(host, bool, (Size) cells + 1);
	SdcTabular *table;
	int32 u;

	memcpy(start, old->start, sizeof(int64) * (old->equations + 1));
	memcpy(member, old->member, sizeof(int32) * entries);
	memcpy(cell, source->cell, sizeof(SdcCubeCell) * old->cells);
	memset(inner, 0, sizeof(bool) * cells);
	if (source->inner != NULL)
		memcpy(inner, source->inner, sizeof(bool) * old->cells);
	for (u = 0; u < unions->count; u++)
	{
		Size count = (Size) (unions->start[u + 1] - unions->start[u]);

		member[entries++] = old->cells + u;
		memcpy(member + entries, unions->member + unions->start[u],
			   sizeof(int32) * count);
		entries += (int64) count;
		start[old->equations + u + 1] = entries;
		cell[old->cells + u] = unions->cell[u];
		inner[old->cells + u] = true;
	}
	table = sdc_tabular_create(host, cells, equations, start, member);
	table->dimensions = old->dimensions;
	memcpy(table->codes, old->codes, sizeof(old->codes));
	source->table = table;
	source->cell = cell;
	source->inner = inner;
	source->inners += unions->count;
	host->release(host, start);
	host->release(host, member);
}

/* Room for a sum of each equation of each table. */
static void
begin_unions(const SdcCellSource *source, Unions *unions)
{
	SdcHost *host = &source->host->kernel;
	Size members = 0;
	Size equations = 0;
	int p;

	for (p = 0; p < source->parts; p++)
	{
		int j;

		/* each cell is a part once for each key and equation of its code */
		for (j = 0; j < source->part[p].keys; j++)
		{
			const SdcCubeDimension *dimension = &source->part[p].dimension[j];
			Size others = source->part[p].cells / Max(dimension->codes, 1);

			equations += others * dimension->equations;
			members += others * dimension->start[dimension->equations];
		}
	}
	unions->count = 0;
	unions->room = equations;
	unions->start = sdc_new(host, int64, equations + 1);
	unions->member = sdc_new(host, int32, members + 1);
	unions->cell = sdc_new(host, SdcCubeCell, equations + 1);
	unions->start[0] = 0;
}

/* Makes cells of them; returns how many. */
static int32
end_unions(SdcCellSource *source, Unions *unions)
{
	SdcHost *host = &source->host->kernel;

	if (unions->count > 0)
		add_unions(source, unions);
	host->release(host, unions->start);
	host->release(host, unions->member);
	host->release(host, unions->cell);
	return unions->count;
}

int32
sdcpg_cells_unite(SdcCellSource *source, const bool *hidden,
				  const SdcTableRules *rules)
{
	Unions unions;
	int p;

	begin_unions(source, &unions);
	for (p = 0; p < source->parts; p++)
		find_unions(source, &source->part[p], hidden, rules, &unions);
	return end_unions(source, &unions);
}

/* ----------------------------------------------------------------------
 * What is left of a total without the part that most of it is in
 * ----------------------------------------------------------------------
 */

/* Totals by a key of a table, each with its parts. */
typedef struct Totals
{
	const SdcTablePart *part;
	const SdcCubeDimension *dimension;
	int32 stride; /* between cells whose codes differ by 1 */
	double share; /* of a total that is too much, percent */
} Totals;

/* The cell among all that has another code of the key than cell k. */
static int32
cell_beside(const Totals *totals, int32 k, int32 code)
{
	int32 own = k / totals->stride % totals->dimension->codes;

	return sdcpg_cells_place(totals->part, k + (code - own) * totals->stride);
}

/*
 * Adds what is left of total k by an equation of the key, when a part has too
 * large a share.  *need is how much the rest must be able to grow, were the
 * rest of the total's parts as they are.
 */
static bool
add_rest(const SdcCellSource *source, const Totals *totals, int32 k, int32 e,
		 Unions *unions, double *need)
{
	const int32 *member = totals->dimension->member;
	int32 first = totals->dimension->start[e];
	int32 end = totals->dimension->start[e + 1];
	const SdcCubeCell *total =
		&source->cell[cell_beside(totals, k, member[first])];
	SdcCubeCell rest = {.holder = SDC_NO_HOLDER, .leader = SDC_NO_HOLDER};
	int64 at = unions->start[unions->count];
	int32 largest = -1;
	int32 m;

	for (m = first + 1; m < end; m++)
	{
		double sum = source->cell[cell_beside(totals, k, member[m])].sum;

		if (sum > 0 && 100 * sum >= totals->share * total->sum)
			largest = m;
	}
	*need = 0;
	/* of one part nobody learns more than of its total */
	if (largest < 0 || end - first < 3)
		return false;
	for (m = first + 1; m < end; m++)
	{
		int32 i = cell_beside(totals, k, member[m]);

		if (m == largest)
			*need =
				floor(100 * source->cell[i].sum / totals->share - total->sum) +
				1;
		else
			unions->member[at++] = i;
		if (m != largest)
			rest.sum += source->cell[i].sum;
	}
	unions->cell[unions->count++] = rest;
	unions->start[unions->count] = at;
	return true;
}

/* Adds all rests by the j-th key of a table. */
static void
find_rests(SdcCellSource *source, const SdcTablePart *part, int j,
		   double share, Unions *unions)
{
	Totals totals = {part, &part->dimension[j], 1, share};
	int32 k;
	int32 e;
	int d;

	for (d = j + 1; d < part->keys; d++)
		totals.stride *= part->dimension[d].codes;
	for (k = 0; k < part->cells; k++)
	{
		CHECK_FOR_INTERRUPTS();
		/* a cell for each combination of the other keys */
		if (k / totals.stride % totals.dimension->codes != 0)
			continue;
		for (e = 0; e < totals.dimension->equations; e++)
		{
			double need;
			int64 at;

			if (!add_rest(source, &totals, k, e, unions, &need))
				continue;
			source->rest_need[unions->count - 1] = need;
			for (at = unions->start[unions->count - 1];
				 at < unions->start[unions->count]; at++)
				source->room[unions->member[at]] =
					Max(source->room[unions->member[at]], need);
		}
	}
}

void
sdcpg_cells_add_rests(SdcCellSource *source, const SdcTableRules *rules)
{
	SdcHost *host = &source->host->kernel;
	Size cells = (Size) source->table->cells + 1;
	Unions unions;
	int p;
	int j;

	if (rules->group == NULL)
		return;
	begin_unions(source, &unions);
	source->first_rest = source->table->cells;
	source->room = sdc_new(host, double, cells);
	memset(source->room, 0, sizeof(double) * cells);
	source->rest_need = sdc_new(host, double, unions.room + 1);
	for (p = 0; p < source->parts; p++)
		for (j = 0; j < source->part[p].keys; j++)
		{
			const SdcTablePart *part = &source->part[p];
			double share = sdcpg_params_member_number(
				rules->group, "group", source->keys.column[part->key[j]].name,
				INFINITY, 51, 100);

			if (share <= 100)
				find_rests(source, part, j, share, &unions);
		}
	source->rests = end_unions(source, &unions);
}
