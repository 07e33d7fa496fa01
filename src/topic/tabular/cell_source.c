/*
 * cell_source.c
 *		From rows to cells: of one table, or of several as one system.
 *
 * The relation is read once.  Each table has a tree of codes for each of its
 * keys, and so a cube of cells; cell_link.c makes one system of several.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "host/call/query.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/tabular/changed_values.h"
#include "topic/mask/pseudonym.h"
#include "topic/tabular/tabular_topic.h"

/* Digits after the point that a value may have. */
#define MOST_SCALE 12

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
						 "%sr.%s::pg_catalog.numeric OPERATOR(pg_catalog.*) "
						 "1e%d::pg_catalog.numeric AS %s",
						 source->keys.count == 0 ? "" : ", ",
						 source->value->sql, source->scale,
						 source->value->sql);
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

double
sdcpg_cells_grain(SdcPgHost *host, const SdcRelation *relation,
				  const char *value)
{
	SdcRelationColumn column = sdcpg_relation_column(relation, value);
	SdcCellSource source = {.host = host,
							.relation = unconstify(SdcRelation *, relation),
							.value = &column};
	SdcFrameType type = SDC_FRAME_FINITE;
	SdcFrame *frame;
	double grain;

	source.scale = find_scale(&source);
	frame = sdcpg_frame_load(host, query_rows(&source), 1, &type);
	grain = sdc_perturbation_grain(frame->column[0].number, frame->rows);
	sdcpg_frame_release(frame);
	return grain * pow(10, -source.scale);
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

int32 *
sdcpg_cells_map(const SdcCellSource *source, const SdcTablePart *part, int j)
{
	const SdcTree *tree = part->tree[j];
	int32 *code = sdc_new(&source->host->kernel, int32, tree->values + 1);
	int32 v;

	for (v = 0; v < tree->values; v++)
	{
		code[v] = tree->of_value[v];
		if (part->only_code[j] >= 0)
			code[v] =
				sdcpg_tree_within(tree, code[v], part->only_code[j]) ? 0 : -1;
	}
	return code;
}

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
take_records(const SdcCellSource *source, const SdcCellAxis *axis, int axes,
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
			int32 code = axis[d].code[axis[d].of_record[i]];

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

SdcCubeCell *
sdcpg_cells_fill(const SdcCellSource *source, const SdcCellAxis *axis,
				 int axes)
{
	SdcHost *host = &source->host->kernel;
	CubeRecords records;
	SdcCubeCell *cell;
	int64 cells;

	take_records(source, axis, axes, &records);
	cells = sdc_cube_cells(records.dimension, axes);
	if (cells > SDC_CUBE_MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the table has more than %d cells",
							   SDC_CUBE_MAX_CELLS),
						errhint("Use fewer or coarser keys.")));
	cell = sdc_new(host, SdcCubeCell, cells + 1);
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

void
sdcpg_cells_axes(const SdcCellSource *source, const SdcTablePart *part,
				 SdcCellAxis *axis)
{
	int j;

	for (j = 0; j < part->keys; j++)
	{
		axis[j].dimension = part->dimension[j];
		axis[j].code = sdcpg_cells_map(source, part, j);
		axis[j].of_record = source->code[part->key[j]];
	}
}

/* One table: its cube as it is. */
static void
take_one(SdcCellSource *source)
{
	SdcTablePart *part = &source->part[0];
	SdcCellAxis axis[SDC_CUBE_MAX_DIMENSIONS];

	sdcpg_cells_axes(source, part, axis);
	source->cell = sdcpg_cells_fill(source, axis, part->keys);
	source->table =
		sdc_cube_create(&source->host->kernel, part->dimension, part->keys);
	part->cells = source->table->cells;
}

void
sdcpg_cells_read(SdcCellSource *source)
{
	/* tables that are compared have the same labels, whoever makes them */
	int level = NewGUCNestLevel();
	int p;

	sdcpg_print_alike();
	sdcpg_set_for_now("TimeZone", "UTC");
	if (source->value != NULL)
		source->scale = find_scale(source);
	load_rows(source);
	for (p = 0; p < source->parts; p++)
		make_trees(source, &source->part[p]);
	if (source->parts == 1)
		take_one(source);
	else
		sdcpg_cells_link(source);
	AtEOXact_GUC(true, level);
}

void
sdcpg_cells_need_single(const SdcCellSource *source)
{
	int32 i;

	for (i = 0; i < source->table->cells; i++)
		if (source->cell[i].top[0] > 1)
			ereport(
				ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column \"%s\" has several rows of the same value",
						source->respondent->name),
				 errdetail("Noise for a count hides one row, not all rows of "
						   "a respondent."),
				 errhint("Count respondents: a table of one row for each of "
						 "them; or sum a column, with argument \"value\".")));
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

/* Adds the unsafe ones of a table: sums of hidden parts of a shown total. */
static void
find_unions(const SdcCellSource *source, const SdcTablePart *part,
			const bool *hidden, const SdcTableRules *rules,
			SdcCellUnions *unions)
{
	SdcHost *host = &source->host->kernel;
	SdcCellAxis axis[SDC_CUBE_MAX_DIMENSIONS];
	CubeRecords records;
	SdcTabular *table;
	SdcCubeCell *cell;
	bool *own;
	int32 i;
	int32 r;

	sdcpg_cells_axes(source, part, axis);
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
add_unions(SdcCellSource *source, const SdcCellUnions *unions)
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
begin_unions(const SdcCellSource *source, SdcCellUnions *unions)
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
	for (p = 0; p < source->pairs; p++)
	{
		equations += source->pair[p].cells[0] + source->pair[p].cells[1];
		members += 2 * (Size) source->pair[p].groups;
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
end_unions(SdcCellSource *source, SdcCellUnions *unions)
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
	SdcCellUnions unions;
	int p;

	begin_unions(source, &unions);
	for (p = 0; p < source->parts; p++)
		find_unions(source, &source->part[p], hidden, rules, &unions);
	for (p = 0; p < source->pairs; p++)
		sdcpg_cells_unite_pair(source, &source->pair[p], hidden, rules,
							   &unions);
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
		 SdcCellUnions *unions, double *need)
{
	const int32 *member = totals->dimension->member;
	int32 first = totals->dimension->start[e];
	int32 end = totals->dimension->start[e + 1];
	const SdcCubeCell *total =
		&source->cell[cell_beside(totals, k, member[first])];
	SdcCubeCell rest = {.holder = SDC_NO_HOLDER,
						.leader = SDC_NO_HOLDER,
						.second = SDC_NO_HOLDER};
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
		   double share, SdcCellUnions *unions)
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
	SdcCellUnions unions;
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
