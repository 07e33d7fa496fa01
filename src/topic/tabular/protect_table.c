/*
 * protect_table.c
 *		sdc.protect_table: a table of counts or sums, with cells hidden so that
 *		no other can be computed too closely.
 *
 * The relation is read once; keys become the dimensions, with their
 * hierarchies and totals.  Numbers are brought to whole ones by a power of
 * ten, so that all sums are exact.  Rules say which cells are unsafe and how
 * wide the attacker's interval must be; the kernel finds what else to hide.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/args.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/frame.h"
#include "host/data/step.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "kernel/tabular/cube.h"
#include "kernel/tabular/suppression.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"
#include "topic/tabular/tabular_topic.h"

PG_FUNCTION_INFO_V1(sdcf_protect_table);

static const char *const params_keys[] = {
	"hierarchies", "respondent", "bounds", "weight", "range",
	"effort",      "total",      "status", "rls",    NULL};

static const char *const rules_keys[] = {"threshold", "p_percent", "pq",
										 "dominance", "zeros",     NULL};

static const char *const weight_words[] = {"value", "count", "cells", NULL};
enum
{
	WEIGHT_VALUE,
	WEIGHT_COUNT,
	WEIGHT_CELLS
};

static const char *const status_words[] = {"hidden", "reason", NULL};
enum
{
	STATUS_HIDDEN,
	STATUS_REASON
};

/* A step of effort in the kernel's unit of work: some 20 ms. */
#define EFFORT 1e6

/* Digits after the point that a value may have. */
#define MOST_SCALE 12

/* Which cells are unsafe; a number is 0 when there is no such rule. */
typedef struct Rules
{
	double threshold;
	double range; /* of sums below the threshold, percent */
	double p;     /* p percent and pq, as p / q */
	double q;
	int dominance; /* contributors, and */
	double share;  /* percent */
	bool zeros;
} Rules;

typedef struct Protect
{
	SdcPgHost *host;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcRelationColumn *value;      /* NULL: counts */
	SdcRelationColumn *respondent; /* NULL: each row is one */
	char **hierarchy;
	Rules rules;
	bool has_bounds;
	double bounds[2];
	int weight;
	double effort;
	const char *total;
	int status;
	SdcTarget *target;
	ReturnSetInfo *steps;
	int32 unsafe; /* cells, by the rules */
	/* the table */
	int scale;
	int32 records;
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	double *contribution;
	int32 *giver;
	SdcTree *tree[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeCell *cell;
	SdcTabular *table;
	bool *hidden;
	SdcSuppression result;
} Protect;

/* ----------------------------------------------------------------------
 * Arguments
 * ----------------------------------------------------------------------
 */

/* Two numbers of an array under a key; false when it is absent. */
static bool
read_pair(Jsonb *object, const char *key, double *pair)
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

static void
read_rules(Jsonb *object, Jsonb *params, Rules *rules)
{
	double pair[2];

	sdcpg_params_check(object, rules_keys);
	rules->threshold =
		sdcpg_params_integer(object, "threshold", 0, 2, PG_INT32_MAX);
	rules->p = sdcpg_params_number(object, "p_percent", 0, 0, 100);
	rules->q = 100;
	if (read_pair(object, "pq", pair))
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
	if (read_pair(object, "dominance", pair))
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
	rules->range = sdcpg_params_number(params, "range", 10, 0, 100);
	if (rules->threshold == 0 && rules->p == 0 && rules->dominance == 0 &&
		!rules->zeros)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rules make no cell unsafe"),
						errhint("Give threshold, p_percent, pq, dominance or "
								"zeros.")));
}

/* Columns that the call names. */
static void
read_columns(FunctionCallInfo fcinfo, Protect *protect, Jsonb *params)
{
	char *respondent = sdcpg_params_text(params, "respondent");
	int j;

	protect->keys = sdcpg_roles_need_columns(
		protect->relation, "keys",
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), SDC_ROLE_KEY);
	if (protect->keys.count > SDC_CUBE_MAX_DIMENSIONS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a table has at most %d keys",
							   SDC_CUBE_MAX_DIMENSIONS)));
	if (!PG_ARGISNULL(4))
	{
		protect->value = palloc(sizeof(SdcRelationColumn));
		*protect->value = sdcpg_relation_column(protect->relation,
												NameStr(*PG_GETARG_NAME(4)));
		if (!sdcpg_number_is_arithmetic(protect->value->base))
			ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
							errmsg("column \"%s\" is not numeric",
								   protect->value->name)));
	}
	if (respondent != NULL)
	{
		protect->respondent = palloc(sizeof(SdcRelationColumn));
		*protect->respondent =
			sdcpg_relation_column(protect->relation, respondent);
	}
	sdcpg_params_members_check(params, "hierarchies", &protect->keys, false);
	protect->hierarchy = palloc0(sizeof(char *) * protect->keys.count);
	for (j = 0; j < protect->keys.count; j++)
		protect->hierarchy[j] = sdcpg_params_member(
			params, "hierarchies", protect->keys.column[j].name);
}

static Protect *
read_arguments(FunctionCallInfo fcinfo)
{
	Protect *protect = palloc0(sizeof(Protect));
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	char *total;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("relation");
	if (PG_ARGISNULL(2))
		sdcpg_args_null("rules");
	sdcpg_params_check(params, params_keys);
	read_rules(PG_GETARG_JSONB_P(2), params, &protect->rules);
	protect->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	read_columns(fcinfo, protect, params);
	if (protect->value == NULL &&
		(protect->rules.p > 0 || protect->rules.dominance > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rules p_percent, pq and dominance need argument "
						"\"value\""),
				 errhint("A count has no large contributions; threshold is "
						 "the rule for it.")));
	protect->has_bounds = read_pair(params, "bounds", protect->bounds);
	if (protect->has_bounds &&
		!(protect->bounds[0] >= 0 && protect->bounds[0] <= 1 &&
		  protect->bounds[1] >= 1 && protect->bounds[1] <= 1000))
		sdcpg_params_wrong("bounds",
						   "[low, high] with 0 <= low <= 1 <= high <= 1000");
	protect->weight = sdcpg_params_choice(params, "weight", weight_words);
	protect->effort = sdcpg_params_number(params, "effort", 500, 0, 1e9);
	total = sdcpg_params_text(params, "total");
	protect->total = total == NULL ? SDC_TABULAR_TOTAL : total;
	protect->status = sdcpg_params_choice(params, "status", status_words);
	sdcpg_target_need_all_rows(
		protect->relation,
		sdcpg_params_choice(params, "rls", sdcpg_row_security_words) ==
			SDC_ROW_SECURITY_ALLOW);
	if (!PG_ARGISNULL(1))
		protect->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	return protect;
}

/* ----------------------------------------------------------------------
 * The table, from the rows
 * ----------------------------------------------------------------------
 */

/* Digits after the point that the values have. */
static int
find_scale(const Protect *protect)
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
		protect->value->sql, protect->relation->sql);
	frame = sdcpg_frame_load(protect->host, sql.data, 1, &type);
	scale = frame->column[0].isnull[0] ? 0 : (int) frame->column[0].number[0];
	if (scale > MOST_SCALE)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" has more than %d digits after the "
						"point",
						protect->value->name, MOST_SCALE),
				 errhint("Round it to the unit that is published.")));
	sdcpg_frame_release(frame);
	return scale;
}

/* The keys, then the value and the respondent. */
static char *
query_rows(const Protect *protect)
{
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < protect->keys.count; j++)
		appendStringInfo(&sql, "%sr.%s", j == 0 ? "" : ", ",
						 protect->keys.column[j].sql);
	if (protect->value != NULL)
		appendStringInfo(&sql,
						 ", (r.%s::pg_catalog.numeric OPERATOR(pg_catalog.*) "
						 "1e%d::pg_catalog.numeric)::pg_catalog.float8",
						 protect->value->sql, protect->scale);
	if (protect->respondent != NULL)
		appendStringInfo(&sql, ", r.%s", protect->respondent->sql);
	appendStringInfo(&sql, " FROM %s AS r", protect->relation->sql);
	if (protect->value != NULL)
		appendStringInfo(&sql, " WHERE r.%s IS NOT NULL", protect->value->sql);
	return sql.data;
}

/* The order of the rows by respondent, whose numbers go to giver. */
static int32 *
sort_givers(Protect *protect, const SdcFrameColumn *respondent, int32 rows)
{
	SdcHost *host = &protect->host->kernel;
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
	protect->giver = sdc_new(host, int32, (Size) rows + 1);
	for (i = 0; i < rows; i++)
		protect->giver[i] =
			i == 0 ? 0 : protect->giver[i - 1] + (key[i] != key[i - 1]);
	host->release(host, key);
	return order;
}

/* One key: its tree, and the codes of the rows in their order. */
static void
make_dimension(Protect *protect, int j, const SdcFrameColumn *column,
			   SdcDictionary *dictionary, const int32 *order)
{
	SdcHost *host = &protect->host->kernel;
	const int32 *rank = sdcpg_dictionary_sort(dictionary);
	bool has_null = false;
	int32 i;

	for (i = 0; i < protect->records; i++)
		has_null = has_null || column->isnull[i];
	protect->tree[j] = sdcpg_tree_make(protect->host, dictionary, has_null,
									   protect->hierarchy[j], protect->total);
	protect->dimension[j] = protect->tree[j]->dimension;
	protect->code[j] = sdc_new(host, int32, (Size) protect->records + 1);
	for (i = 0; i < protect->records; i++)
		protect->code[j][i] = column->isnull[order[i]]
								  ? protect->tree[j]->null_code
								  : rank[column->code[order[i]]];
}

static void
check_contribution(const Protect *protect, double value)
{
	if (value < 0)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("column \"%s\" has values below 0",
							   protect->value->name),
						errhint("Use abs(value), or a table for each sign.")));
}

/* Reads the rows: codes, contributions and who gave them. */
static void
load_rows(Protect *protect)
{
	SdcFrameType types[SDC_CUBE_MAX_DIMENSIONS + 2];
	SdcDictionary *dictionary[SDC_CUBE_MAX_DIMENSIONS + 2] = {NULL};
	int columns = protect->keys.count;
	int value = -1;
	int respondent = -1;
	SdcFrame *frame;
	int32 *order;
	int32 i;
	int j;

	for (j = 0; j < protect->keys.count; j++)
		types[j] = SDC_FRAME_CODE;
	if (protect->value != NULL)
		types[value = columns++] = SDC_FRAME_FINITE;
	if (protect->respondent != NULL)
		types[respondent = columns++] = SDC_FRAME_CODE;
	frame = sdcpg_frame_load_codes(protect->host, query_rows(protect), columns,
								   types, dictionary);
	protect->records = frame->rows;
	order = sort_givers(protect,
						respondent < 0 ? NULL : &frame->column[respondent],
						frame->rows);
	for (j = 0; j < protect->keys.count; j++)
		make_dimension(protect, j, &frame->column[j], dictionary[j], order);
	protect->contribution =
		sdc_new(&protect->host->kernel, double, (Size) frame->rows + 1);
	for (i = 0; i < frame->rows; i++)
	{
		protect->contribution[i] =
			value < 0 ? 1 : frame->column[value].number[order[i]];
		check_contribution(protect, protect->contribution[i]);
	}
	sdcpg_frame_release(frame);
}

/* Fills the cells of all combinations of codes. */
static void
fill_cells(Protect *protect)
{
	int64 cells = sdc_cube_cells(protect->dimension, protect->keys.count);

	if (cells > SDC_CUBE_MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the table has more than %d cells",
							   SDC_CUBE_MAX_CELLS),
						errhint("Use fewer or coarser keys.")));
	protect->cell = sdc_new(&protect->host->kernel, SdcCubeCell, cells);
	if (!sdc_cube_fill(&protect->host->kernel, protect->dimension,
					   protect->keys.count, protect->records,
					   (const int32 *const *) protect->code,
					   protect->contribution, protect->giver, protect->cell))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a sum of column \"%s\" has more than 15 digits",
						protect->value->name),
				 errhint("Round it to the unit that is published.")));
	protect->table = sdc_cube_create(&protect->host->kernel,
									 protect->dimension, protect->keys.count);
}

/* ----------------------------------------------------------------------
 * Rules
 * ----------------------------------------------------------------------
 */

/* The protection level of a cell; 0 when no rule makes it unsafe. */
static double
need_of(const Protect *protect, const SdcCubeCell *cell)
{
	const Rules *rules = &protect->rules;
	double rest = cell->sum - cell->top[0] - cell->top[1];
	double need = 0;

	if (cell->count == 0)
		return 0;
	if (cell->count < rules->threshold)
		need = protect->value == NULL ? 1 : rules->range / 100 * cell->sum;
	if (rules->p > 0 && rules->q * rest < rules->p * cell->top[0])
		need = Max(need, rules->p / rules->q * cell->top[0] - rest);
	if (rules->dominance > 0)
	{
		double largest = 0;
		int k;

		for (k = 0; k < rules->dominance; k++)
			largest += cell->top[k];
		if (100 * largest > rules->share * cell->sum)
			need = Max(need, 100 / rules->share * largest - cell->sum);
	}
	if (need > 0)
		return Max(1, ceil(need - 1e-9));
	if (cell->count < rules->threshold || (cell->sum == 0 && rules->zeros))
		return 1;
	return 0;
}

/*
 * What every hidden cell is not below, as readers know: 1 where cells of 0
 * are never hidden.
 */
static double
least_hidden(const Protect *protect)
{
	bool hides_zeros = protect->value != NULL &&
					   (protect->rules.zeros || protect->rules.threshold > 0);

	return hides_zeros ? 0 : 1;
}

/* What is known of a cell before, and what it costs. */
static void
describe_cell(const Protect *protect, int32 i)
{
	SdcTabular *table = protect->table;
	const SdcCubeCell *cell = &protect->cell[i];
	double a = cell->sum;

	table->value[i] = a;
	if (protect->has_bounds)
	{
		table->low[i] = floor(a * (1 - protect->bounds[0]));
		table->high[i] = floor(a * (protect->bounds[1] - 1));
	}
	else
	{
		table->low[i] = a;
		table->high[i] = Max(a, 5 - a);
	}
	table->low[i] = Min(table->low[i], Max(a - least_hidden(protect), 0));
	table->weight[i] = protect->weight == WEIGHT_VALUE   ? Max(a, 1)
					   : protect->weight == WEIGHT_COUNT ? Max(cell->count, 1)
														 : 1;
	table->holder[i] = cell->holder;
	table->holders = Max(table->holders, cell->holder + 1);
}

/* Marks unsafe cells; returns how many. */
static int32
apply_rules(Protect *protect)
{
	SdcTabular *table = protect->table;
	int32 unsafe = 0;
	int32 i;

	for (i = 0; i < table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];
		double need = need_of(protect, cell);

		describe_cell(protect, i);
		if (need == 0)
		{
			table->role[i] = cell->sum == 0 ? SDC_CELL_SHOWN : SDC_CELL_OPEN;
			continue;
		}
		unsafe++;
		table->role[i] = SDC_CELL_UNSAFE;
		table->need_high[i] = need;
		/* nobody takes it for less than a hidden cell can be */
		table->need_low[i] =
			need == cell->sum ? need - least_hidden(protect) : need;
		if (cell->sum == 0)
			table->need_low[i] = 0;
	}
	return unsafe;
}

/* ----------------------------------------------------------------------
 * Protection, and what comes out
 * ----------------------------------------------------------------------
 */

static void
suppress(SdcPgHost *host, void *arg)
{
	Protect *protect = arg;
	SdcSuppressionOptions options = {protect->effort * EFFORT};

	protect->result =
		sdc_suppression_run(protect->table, &options, protect->hidden);
}

/* A cell as text, for the caller's eyes: "region=north, trade=Total". */
static char *
cell_text(const Protect *protect, int32 i)
{
	StringInfoData text;
	char *part[SDC_CUBE_MAX_DIMENSIONS];
	int j;

	for (j = protect->keys.count - 1; j >= 0; j--)
	{
		int32 codes = protect->dimension[j].codes;

		part[j] = protect->tree[j]->label[i % codes];
		i /= codes;
	}
	initStringInfo(&text);
	for (j = 0; j < protect->keys.count; j++)
		appendStringInfo(&text, "%s%s=%s", j == 0 ? "" : ", ",
						 protect->keys.column[j].name, part[j]);
	return text.data;
}

static void
report_cells(Protect *protect)
{
	sdcpg_step_measure(protect->steps, "cells", "cells", protect->table->cells,
					   "The table has %d cells in %d equations.",
					   protect->table->cells, protect->table->equations);
	sdcpg_step_measure(protect->steps, "unsafe", "cells", protect->unsafe,
					   "%d cells are unsafe by the rules.", protect->unsafe);
}

/* No pattern: an error when a table was asked for. */
static void
report_impossible(Protect *protect, int32 cell)
{
	SdcStep example = SDC_STEP("example");

	if (protect->target != NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the table cannot be protected by hiding cells"),
			 errdetail("The interval of an unsafe cell cannot be as wide "
					   "as its rule asks, whatever else is hidden."),
			 errhint("Call protect_table without target: the step example "
					 "names the cell. Wider params.bounds, fewer keys or a "
					 "coarser hierarchy help.")));
	report_cells(protect);
	sdcpg_step_measure(protect->steps, "unprotected", "cells", 1,
					   "The interval of an unsafe cell cannot be as wide as "
					   "its rule asks, whatever else is hidden.");
	example.subject = "unprotected";
	example.detail = cell_text(protect, cell);
	sdcpg_step_put(protect->steps, &example);
}

static void
report_result(Protect *protect)
{
	const SdcSuppression *result = &protect->result;
	double unit =
		protect->weight == WEIGHT_VALUE ? pow(10, -protect->scale) : 1;
	double gap = result->cost > 0
					 ? 100 * (result->cost - result->bound) / result->cost
					 : 0;

	report_cells(protect);
	sdcpg_step_measure(protect->steps, "secondary", "cells", result->secondary,
					   "%d further cells are hidden to protect them.",
					   result->secondary);
	sdcpg_step_measure(protect->steps, "cost", weight_words[protect->weight],
					   result->cost * unit,
					   result->proven
						   ? "What is hidden costs %.15g; no pattern "
							 "costs less."
						   : "What is hidden costs %.15g: the best "
							 "found, not proven.",
					   result->cost * unit);
	sdcpg_step_measure(protect->steps, "bound", weight_words[protect->weight],
					   result->bound * unit,
					   "No pattern costs less than %.15g.",
					   result->bound * unit);
	sdcpg_step_measure(protect->steps, "gap", "percent", gap,
					   "The best pattern is at most %.4g %% cheaper.", gap);
	sdcpg_step_measure(
		protect->steps, "unprotected", "cells", 0,
		"Each attack on an unsafe cell was computed and fails.");
}

/*
 * What readers see of a cell.  Which of the hidden ones is unsafe tells how
 * few respondents it has, and what the others then are.
 */
static const char *
status_of(const Protect *protect, int32 i)
{
	if (protect->hidden[i] && protect->status == STATUS_HIDDEN)
		return "hidden";
	if (protect->table->role[i] == SDC_CELL_UNSAFE)
		return "primary";
	if (protect->hidden[i])
		return "secondary";
	return protect->cell[i].count == 0 ? "empty" : "published";
}

/* The value in the unit of the column. */
static char *
value_text(const Protect *protect, double value)
{
	char *digits = psprintf("%.0f", value);
	int scale = protect->scale;
	int length;

	if (scale == 0)
		return digits;
	digits = psprintf("%0*.0f", scale + 1, value);
	length = strlen(digits);
	return psprintf("%.*s.%s", length - scale, digits,
					digits + length - scale);
}

static Datum
text_array(Datum *value, bool *isnull, int32 count)
{
	int dims[1] = {count};
	int low[1] = {1};

	return PointerGetDatum(construct_md_array(
		value, isnull, 1, dims, low, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Binds the labels and the parents of one key, a row for each cell. */
static void
bind_key(const Protect *protect, int j, int32 stride,
		 SdcCatalogParameters *parameters)
{
	const SdcTree *tree = protect->tree[j];
	int32 cells = protect->table->cells;
	SdcHost *host = &protect->host->kernel;
	Datum *code = palloc(sizeof(Datum) * tree->dimension.codes);
	Datum *value = sdc_new(host, Datum, cells);
	bool *isnull = sdc_new(host, bool, cells);
	int32 i;
	int side;

	for (i = 0; i < tree->dimension.codes; i++)
		code[i] = CStringGetTextDatum(tree->label[i]);
	for (side = 0; side < 2; side++)
	{
		for (i = 0; i < cells; i++)
		{
			int32 c = i / stride % tree->dimension.codes;

			c = side == 0 ? c : tree->parent[c];
			isnull[i] = c < 0;
			value[i] = c < 0 ? (Datum) 0 : code[c];
		}
		sdcpg_catalog_bind(parameters, TEXTARRAYOID,
						   text_array(value, isnull, cells), false);
	}
	host->release(host, value);
	host->release(host, isnull);
}

static void
bind_values(const Protect *protect, SdcCatalogParameters *parameters)
{
	SdcHost *host = &protect->host->kernel;
	int32 cells = protect->table->cells;
	Datum *value = sdc_new(host, Datum, cells);
	bool *isnull = sdc_new(host, bool, cells);
	int32 i;

	for (i = 0; i < cells; i++)
	{
		isnull[i] = protect->hidden[i];
		value[i] = isnull[i] ? (Datum) 0
							 : CStringGetTextDatum(
								   value_text(protect, protect->cell[i].sum));
	}
	sdcpg_catalog_bind(parameters, TEXTARRAYOID,
					   text_array(value, isnull, cells), false);
	for (i = 0; i < cells; i++)
	{
		isnull[i] = false;
		value[i] = CStringGetTextDatum(status_of(protect, i));
	}
	sdcpg_catalog_bind(parameters, TEXTARRAYOID,
					   text_array(value, isnull, cells), false);
	host->release(host, value);
	host->release(host, isnull);
}

/* One row for each cell: keys with their parents, value, status. */
static void
write_target(const Protect *protect)
{
	SdcCatalogParameters *parameters = palloc0(sizeof(*parameters));
	StringInfoData select;
	StringInfoData from;
	int32 stride = protect->table->cells;
	int count = 2 * protect->keys.count + 2;
	int j;

	initStringInfo(&select);
	initStringInfo(&from);
	for (j = 0; j < protect->keys.count; j++)
	{
		const char *name = protect->keys.column[j].name;

		stride /= protect->dimension[j].codes;
		bind_key(protect, j, stride, parameters);
		appendStringInfo(&select, "u.c%d AS %s, u.c%d AS %s, ", 2 * j + 1,
						 quote_identifier(name), 2 * j + 2,
						 quote_identifier(psprintf("%.56s_parent", name)));
	}
	bind_values(protect, parameters);
	appendStringInfo(&select,
					 "u.c%d::pg_catalog.numeric AS value, u.c%d AS status",
					 count - 1, count);
	for (j = 1; j <= count; j++)
		appendStringInfo(&from, "%spg_catalog.unnest($%d)", j == 1 ? "" : ", ",
						 j);
	appendStringInfoString(&from, ") AS u(");
	for (j = 1; j <= count; j++)
		appendStringInfo(&from, "%sc%d", j == 1 ? "" : ", ", j);
	sdcpg_target_create(
		protect->host, protect->target,
		psprintf("SELECT %s FROM ROWS FROM (%s)", select.data, from.data),
		parameters, NIL);
}

/* Finds the pattern, says what it is, and writes the table. */
static void
run(Protect *protect)
{
	SdcHost *host = &protect->host->kernel;
	int32 impossible;

	if (protect->value != NULL)
		protect->scale = find_scale(protect);
	load_rows(protect);
	fill_cells(protect);
	if (sdc_tabular_unbalanced(protect->table) >= 0)
		elog(ERROR, "the cells of the table do not add up");
	protect->unsafe = apply_rules(protect);
	impossible = sdc_tabular_impossible(protect->table);
	if (impossible < 0)
	{
		protect->hidden = sdc_new(host, bool, protect->table->cells);
		sdcpg_solver_run(protect->host, suppress, protect);
		if (!protect->result.found)
			impossible = Max(protect->result.unmet, 0);
	}
	if (impossible >= 0)
	{
		report_impossible(protect, impossible);
		return;
	}
	if (protect->target != NULL)
	{
		write_target(protect);
		sdcpg_step_written(protect->steps, protect->target);
	}
	report_result(protect);
}

/*
 * protect_table(relation regclass, target text, rules jsonb, keys columns,
 *				 value name, params jsonb) returns setof sdc.mask_step
 */
Datum
sdcf_protect_table(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *steps = sdcpg_result_begin(fcinfo);
	Protect *protect = read_arguments(fcinfo);

	protect->steps = steps;
	protect->host = sdcpg_host_begin("protect_table", CurrentMemoryContext);
	run(protect);
	sdcpg_host_end(protect->host);
	return (Datum) 0;
}
