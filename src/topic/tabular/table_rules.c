/*
 * table_rules.c
 *		Which cells of a table are unsafe, how far from its value an attacker
 *		must be kept, and what else is asked of cells.
 *
 * Levels are those of Hundepool et al. (2012), Statistical Disclosure Control,
 * table 4.2: what the largest contribution could be estimated to by who gave
 * the second largest, or the others of the n largest.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/data/rows.h"
#include "topic/tabular/tabular_topic.h"

static const char *const rules_keys[] = {
	"threshold", "p_percent", "pq", "dominance", "zeros", "group", NULL};

bool
sdcpg_table_pair(Jsonb *object, const char *key, double *pair)
{
	JsonbValue value;
	int i;

	if (!sdcpg_params_has(object, key))
		return false;
	if (!sdcpg_params_find(object, key, &value) || value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data) ||
		JsonContainerSize(value.val.binary.data) != 2)
		sdcpg_params_wrong(key, "an array of two numbers");
	for (i = 0; i < 2; i++)
	{
		JsonbValue *number =
			getIthJsonbValueFromContainer(value.val.binary.data, i);

		if (number->type != jbvNumeric)
			sdcpg_params_wrong(key, "an array of two numbers");
		pair[i] = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8, NumericGetDatum(number->val.numeric)));
	}
	return true;
}

List *
sdcpg_table_objects(Jsonb *params, const char *key, const char *what)
{
	List *objects = NIL;
	JsonbValue value;
	uint32 i;

	if (!sdcpg_params_find(params, key, &value))
		return NIL;
	if (value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data))
		sdcpg_params_wrong(key, what);
	for (i = 0; i < JsonContainerSize(value.val.binary.data); i++)
	{
		JsonbValue *item =
			getIthJsonbValueFromContainer(value.val.binary.data, i);

		if (item->type != jbvBinary ||
			!JsonContainerIsObject(item->val.binary.data))
			sdcpg_params_wrong(key, what);
		objects = lappend(objects, JsonbValueToJsonb(item));
	}
	return objects;
}

void
sdcpg_table_rules_read(Jsonb *object, Jsonb *params, SdcTableRules *rules)
{
	double pair[2];

	sdcpg_params_check_argument("rules", object, rules_keys);
	rules->threshold =
		sdcpg_params_integer(object, "threshold", 0, 2, PG_INT32_MAX);
	rules->p = sdcpg_params_number(object, "p_percent", 0, 0, 100);
	rules->q = 100;
	if (sdcpg_table_pair(object, "pq", pair))
	{
		if (rules->p > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("rules have both \"p_percent\" and \"pq\""),
					 errhint("Give one: p_percent is pq with a q of 100.")));
		rules->p = pair[0];
		rules->q = pair[1];
		if (!(rules->p > 0 && rules->p < rules->q && rules->q <= 100))
			sdcpg_params_wrong("pq", "[p, q] with 0 < p < q <= 100");
	}
	if (sdcpg_table_pair(object, "dominance", pair))
	{
		if (!(pair[0] >= 1 && pair[0] <= SDC_CUBE_TOP &&
			  pair[0] == floor(pair[0]) && pair[1] > 0 && pair[1] < 100))
			sdcpg_params_wrong("dominance",
							   "[n, k] with n of 1 to 5 and k between 0 and "
							   "100");
		rules->dominance = (int) pair[0];
		rules->share = pair[1];
	}
	rules->zeros = sdcpg_params_boolean(object, "zeros", false);
	rules->group =
		sdcpg_params_object(object, "group") == NULL ? NULL : object;
	rules->range = sdcpg_params_number(params, "range", 10, 0, 100);
	if (rules->threshold == 0 && rules->p == 0 && rules->dominance == 0 &&
		!rules->zeros && rules->group == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rules make no cell unsafe"),
						errhint("Give threshold, p_percent, pq, dominance, "
								"group or zeros.")));
}

/* The n largest contributions, or as many after the largest, at the most. */
static double
sum_largest(const SdcCubeCell *cell, bool rest, int n)
{
	double sum = 0;
	int k;

	for (k = rest; k < n + rest; k++)
		sum += cell->top[Min(k, SDC_CUBE_TOP - 1)];
	return sum;
}

/* The need of a cell, or of its rest, to who knows its largest contribution */
static double
find_need(const SdcTableRules *rules, const SdcCubeCell *cell, bool counts,
		  bool rest)
{
	double sum = cell->sum - (rest ? cell->top[0] : 0);
	double others = cell->sum - cell->top[0] - cell->top[1];
	double largest = Min(sum_largest(cell, rest, rules->dominance), sum);
	double need = 0;

	if (cell->count <= rest)
		return 0;
	/* rows of one respondent are his contribution, as in a sum */
	if (cell->count < rules->threshold)
		need = counts && cell->top[0] <= 1 ? 1 : rules->range / 100 * sum;
	if (rules->p > 0 && rules->q * others < rules->p * cell->top[rest])
		need = Max(need, rules->p / rules->q * cell->top[rest] - others);
	if (rules->dominance > 0 && 100 * largest > rules->share * sum)
		need = Max(need, 100 / rules->share * largest - sum);
	if (need > 0)
		return Max(1, ceil(need - 1e-9));
	if (cell->count < rules->threshold || (sum == 0 && rules->zeros))
		return 1;
	return 0;
}

double
sdcpg_table_rules_need(const SdcTableRules *rules, const SdcCubeCell *cell,
					   bool counts)
{
	return find_need(rules, cell, counts, false);
}

bool
sdcpg_table_rules_apply(const SdcTableRules *rules, const SdcCubeCell *cell,
						bool counts, SdcTabular *table, int32 i)
{
	double need = find_need(rules, cell, counts, false);
	double rest = Min(need, find_need(rules, cell, counts, true));

	table->leader[i] = cell->leader;
	table->need_high[i] = need;
	table->need_low[i] = cell->sum == 0 ? 0 : need;
	table->rest_high[i] = table->rest_low[i] = rest;
	return need > 0;
}

/* ----------------------------------------------------------------------
 * Cells that the caller names
 * ----------------------------------------------------------------------
 */

/*
 * Marks the cell of a table that an object is about; a key that it does not
 * have is at its total.  False when the table has no such cell.
 */
static bool
mark_cell(const SdcCellSource *source, const SdcTablePart *part, Jsonb *object,
		  bool *marked)
{
	int32 at = 0;
	int k;
	int j;

	for (k = 0; k < source->keys.count; k++)
		if (sdcpg_params_has(object, source->keys.column[k].name) &&
			sdcpg_cells_key(part, k) < 0)
			return false;
	for (j = 0; j < part->keys; j++)
	{
		char *label =
			sdcpg_params_text(object, source->keys.column[part->key[j]].name);
		int32 code = label == NULL ? part->tree[j]->dimension.codes - 1
								   : sdcpg_tree_code(part->tree[j], label);

		if (code < 0 ||
			(part->only_code[j] >= 0 && part->only_code[j] != code))
			return false;
		at = at * part->dimension[j].codes +
			 (part->only_code[j] >= 0 ? 0 : code);
	}
	marked[sdcpg_cells_place(part, at)] = true;
	return true;
}

/* No cell is marked. */
static bool *
mark_none(const SdcCellSource *source)
{
	Size cells = (Size) source->table->cells + 1;
	bool *marked = sdc_new(&source->host->kernel, bool, cells);

	memset(marked, 0, sizeof(bool) * cells);
	return marked;
}

/* Marks of the cells that params name under a key; NULL when it is absent. */
static bool *
mark_named(const SdcCellSource *source, Jsonb *params, const char *name)
{
	const char **known = palloc0(sizeof(char *) * (source->keys.count + 1));
	bool *marked = mark_none(source);
	List *objects = sdcpg_table_objects(params, name,
										"an array of objects, each a label "
										"for some of the keys");
	ListCell *cell;
	int k;
	int p;

	if (!sdcpg_params_has(params, name))
		return NULL;
	for (k = 0; k < source->keys.count; k++)
		known[k] = source->keys.column[k].name;
	foreach (cell, objects)
	{
		bool found = false;

		sdcpg_params_check(lfirst(cell), known);
		for (p = 0; p < source->parts; p++)
			found |= mark_cell(source, &source->part[p], lfirst(cell), marked);
		if (!found)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("params.%s names a cell that no table has", name),
					 errhint("Give labels as they stand in the table; a key "
							 "that is left out is at its total.")));
	}
	return marked;
}

/* Labels and values of an earlier table, in the unit of the source. */
static char *
query_earlier(const SdcCellSource *source, const SdcRelation *earlier,
			  const char *value)
{
	StringInfoData sql;
	int k;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (k = 0; k < source->keys.count; k++)
	{
		const char *name = source->keys.column[k].name;
		SdcRelationColumn column;
		char *total = quote_literal_cstr(source->total);

		if (get_attnum(earlier->oid, name) <= 0)
		{
			appendStringInfo(&sql, "%s::pg_catalog.text, ", total);
			continue;
		}
		column = sdcpg_relation_column(earlier, name);
		appendStringInfo(&sql, "COALESCE(%s, %s::pg_catalog.text), ",
						 sdcpg_query_cast(&column, "text"), total);
	}
	appendStringInfo(&sql,
					 "r.%s::pg_catalog.numeric OPERATOR(pg_catalog.*) "
					 "1e%d::pg_catalog.numeric AS %s FROM %s AS r",
					 sdcpg_relation_column(earlier, value).sql, source->scale,
					 sdcpg_relation_column(earlier, value).sql, earlier->sql);
	return sql.data;
}

/* The code in a table of each label of an earlier one, by rank; -1: none. */
static int32 *
map_labels(const SdcCellSource *source, const SdcTablePart *part, int j,
		   SdcDictionary *dictionary)
{
	int32 labels = sdcpg_dictionary_values(dictionary);
	int32 *code = sdc_new(&source->host->kernel, int32, (Size) labels + 1);
	int32 v;

	for (v = 0; v < labels; v++)
	{
		CHECK_FOR_INTERRUPTS();
		code[v] = sdcpg_tree_code(part->tree[j],
								  sdcpg_dictionary_text(dictionary, v));
		if (part->only_code[j] >= 0)
			code[v] = code[v] == part->only_code[j] ? 0 : -1;
	}
	return code;
}

/* The cell of a table that each row of an earlier one is about; -1: none. */
static void
find_earlier(const SdcCellSource *source, const SdcTablePart *part,
			 const SdcFrame *frame, SdcDictionary **dictionary, int32 *cell)
{
	const int32 *rank[SDC_CUBE_MAX_DIMENSIONS];
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	int32 i;
	int j;
	int k;

	for (k = 0; k < source->keys.count; k++)
		rank[k] = sdcpg_dictionary_sort(dictionary[k]);
	for (j = 0; j < part->keys; j++)
		code[j] = map_labels(source, part, j, dictionary[part->key[j]]);
	for (i = 0; i < frame->rows; i++)
	{
		int32 at = 0;

		for (k = 0; k < source->keys.count && at >= 0; k++)
		{
			int32 label = rank[k][frame->column[k].code[i]];

			if (sdcpg_cells_key(part, k) < 0 &&
				strcmp(sdcpg_dictionary_text(dictionary[k], label),
					   source->total) != 0)
				at = -1;
		}
		for (j = 0; j < part->keys && at >= 0; j++)
		{
			k = part->key[j];
			k = code[j][rank[k][frame->column[k].code[i]]];
			at = k < 0 ? -1 : at * part->dimension[j].codes + k;
		}
		cell[i] = at < 0 ? at : sdcpg_cells_place(part, at);
	}
}

/*
 * Marks of the cells that an earlier table shows with the values of now, or
 * NULL without one.  (*hidden)[] gets those that it hides, beside others.
 */
static bool *
mark_earlier(const SdcCellSource *source, const char *earlier,
			 const char *value, bool **hidden)
{
	SdcHost *host = &source->host->kernel;
	SdcFrameType types[SDC_CUBE_MAX_DIMENSIONS + 1];
	SdcDictionary *dictionary[SDC_CUBE_MAX_DIMENSIONS + 1] = {NULL};
	int keys = source->keys.count;
	bool *same;
	SdcFrame *frame;
	int32 *cell;
	int32 i;
	int p;

	if (earlier == NULL)
		return NULL;
	for (p = 0; p < keys; p++)
		types[p] = SDC_FRAME_CODE;
	types[keys] = SDC_FRAME_FINITE;
	frame = sdcpg_frame_load_codes(
		source->host,
		query_earlier(source, sdcpg_relation_named(earlier), value), keys + 1,
		types, dictionary);
	same = mark_none(source);
	if (*hidden == NULL)
		*hidden = mark_none(source);
	cell = sdc_new(host, int32, (Size) frame->rows + 1);
	for (p = 0; p < source->parts; p++)
	{
		find_earlier(source, &source->part[p], frame, dictionary, cell);
		for (i = 0; i < frame->rows; i++)
			if (cell[i] >= 0 && frame->column[keys].isnull[i])
				(*hidden)[cell[i]] |= source->cell[cell[i]].sum > 0;
			else if (cell[i] >= 0)
				same[cell[i]] |= rint(frame->column[keys].number[i]) ==
								 source->cell[cell[i]].sum;
	}
	sdcpg_frame_release(frame);
	return same;
}

void
sdcpg_cells_asked(const SdcCellSource *source, Jsonb *params,
				  const char *value, SdcAskedCells *asked)
{
	asked->shown = mark_named(source, params, "publish");
	asked->kept = mark_named(source, params, "hide");
	asked->told = mark_earlier(source, sdcpg_params_text(params, "earlier"),
							   value, &asked->kept);
}
