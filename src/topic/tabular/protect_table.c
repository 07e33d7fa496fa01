/*
 * protect_table.c
 *		sdc.protect_table: a table of counts or sums, with cells hidden or
 *		changed so that no unsafe one can be computed too closely.
 *
 * The relation is read once; keys become the dimensions, with their
 * hierarchies and totals.  Numbers are brought to whole ones by a power of
 * ten, so that all sums are exact.  Rules say which cells are unsafe and how
 * wide the attacker's interval must be; the kernel finds what else to hide, or
 * other values: rounded, adjusted, or with the noise of cell keys.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/rows.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "kernel/tabular/changed_values.h"
#include "kernel/tabular/cube.h"
#include "kernel/tabular/suppression.h"
#include "topic/generalization/hierarchy.h"
#include "topic/mask/pseudonym.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"
#include "topic/tabular/tabular_topic.h"

PG_FUNCTION_INFO_V1(sdcf_protect_table);

/* What hiding or changing a cell costs. */
typedef enum SdcTableWeight
{
	SDC_TABLE_WEIGHT_VALUE,
	SDC_TABLE_WEIGHT_COUNT,
	SDC_TABLE_WEIGHT_CELLS
} SdcTableWeight;

typedef enum SdcTableMethod
{
	SDC_TABLE_SUPPRESS,
	SDC_TABLE_ROUND,
	SDC_TABLE_ADJUST,
	SDC_TABLE_CELL_KEY
} SdcTableMethod;

/* Do rules say which cells the method looks at? */
static inline bool
has_rules(SdcTableMethod method)
{
	return method == SDC_TABLE_SUPPRESS || method == SDC_TABLE_ADJUST;
}

/* A step of effort in the kernel's unit of work: some 20 ms. */
#define SDC_TABLE_EFFORT 1e6

/* Which cells are unsafe; a number is 0 when there is no such rule. */
typedef struct SdcTableRules
{
	double threshold;
	double range; /* of sums below the threshold, percent */
	double p;     /* p percent and pq, as p / q */
	double q;
	int dominance; /* contributors, and */
	double share;  /* percent */
	bool zeros;
} SdcTableRules;

typedef struct SdcProtect
{
	SdcPgHost *host;
	SdcRelation *relation;
	SdcRelationColumns keys;
	SdcRelationColumn *value;      /* NULL: counts */
	SdcRelationColumn *respondent; /* NULL: each row is one */
	char **hierarchy;
	SdcTableRules rules;
	bool has_bounds;
	double bounds[2];
	SdcTableWeight weight;
	double effort;
	SdcTableMethod method;
	double base;        /* of rounding, in the unit of the values */
	const char *domain; /* of the keys of records, or NULL */
	int32 noise;        /* at most, either way */
	double variance;
	int32 gap;
	double share; /* of the largest contribution, percent */
	const char *total;
	int status;
	const char *value_name;
	const char *status_name;
	SdcTarget *target;
	ReturnSetInfo *steps;
	int32 unsafe; /* cells, by the rules */
	/* the table */
	int scale;
	int32 records;
	int32 *code[SDC_CUBE_MAX_DIMENSIONS];
	double *contribution;
	int32 *giver;
	uint64 *giver_key; /* of a giver, for cell keys; else NULL */
	SdcTree *tree[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeDimension dimension[SDC_CUBE_MAX_DIMENSIONS];
	SdcCubeCell *cell;
	SdcTabular *table;
	bool *hidden;      /* NULL: none */
	double *published; /* NULL: the sums */
	SdcSuppression result;
	SdcRounding rounding;
	SdcAdjustment adjustment;
} SdcProtect;

#define ALL_METHODS  0xF
#define ONLY(method) (1 << (method))

/* A key of params, and the methods that have it. */
typedef struct TableKey
{
	const char *name;
	int methods;
} TableKey;

static const TableKey params_keys[] = {
	{"method", ALL_METHODS},
	{"hierarchies", ALL_METHODS},
	{"respondent", ALL_METHODS},
	{"total", ALL_METHODS},
	{"names", ALL_METHODS},
	{"rls", ALL_METHODS},
	{"bounds", ONLY(SDC_TABLE_SUPPRESS) | ONLY(SDC_TABLE_ADJUST)},
	{"weight", ONLY(SDC_TABLE_SUPPRESS) | ONLY(SDC_TABLE_ADJUST)},
	{"range", ONLY(SDC_TABLE_SUPPRESS) | ONLY(SDC_TABLE_ADJUST)},
	{"effort", ALL_METHODS & ~ONLY(SDC_TABLE_CELL_KEY)},
	{"status", ONLY(SDC_TABLE_SUPPRESS)},
	{"base", ONLY(SDC_TABLE_ROUND)},
	{"domain", ONLY(SDC_TABLE_CELL_KEY)},
	{"noise", ONLY(SDC_TABLE_CELL_KEY)},
	{"variance", ONLY(SDC_TABLE_CELL_KEY)},
	{"gap", ONLY(SDC_TABLE_CELL_KEY)},
	{"share", ONLY(SDC_TABLE_CELL_KEY)}};

const SdcKey sdcpg_protect_names[] = {
	{"hierarchies", SDC_KEY_OBJECT, .need = sdcpg_hierarchy_need}, {NULL}};

static const char *const method_words[] = {"suppress", "round", "adjust",
										   "cell_key", NULL};

/* The words of SdcTableWeight. */
static const char *const weight_words[] = {"value", "count", "cells", NULL};

/* Columns of the target that are no keys; names calls them otherwise. */
static const char *const named_columns[] = {"value", "status", NULL};

static const char *const rules_keys[] = {"threshold", "p_percent", "pq",
										 "dominance", "zeros",     NULL};

static const char *const status_words[] = {"hidden", "reason", NULL};
enum
{
	STATUS_HIDDEN,
	STATUS_REASON
};

/* Digits after the point that a value may have. */
#define MOST_SCALE 12

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
read_rules(Jsonb *object, Jsonb *params, SdcTableRules *rules)
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

/* The method, after a check that all keys are its. */
static SdcTableMethod
read_method(Jsonb *params)
{
	const char *known[lengthof(params_keys) + 1] = {NULL};
	SdcTableMethod method;
	int k;

	for (k = 0; k < lengthof(params_keys); k++)
		known[k] = params_keys[k].name;
	sdcpg_params_check(params, known);
	method = sdcpg_params_choice(params, "method", method_words);
	for (k = 0; k < lengthof(params_keys); k++)
		if (!(params_keys[k].methods & ONLY(method)) &&
			sdcpg_params_has(params, params_keys[k].name))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("params.%s is not for method \"%s\"",
							params_keys[k].name, method_words[method])));
	return method;
}

/* What method round or cell_key is asked for. */
static void
read_method_params(Jsonb *params, SdcProtect *protect)
{
	protect->base = sdcpg_params_number(params, "base", 5, 1e-12, 1e15);
	protect->domain = sdcpg_params_text(params, "domain");
	protect->noise =
		sdcpg_params_integer(params, "noise", 5, 1, SDC_PERTURBATION_LARGEST);
	protect->variance = sdcpg_params_number(params, "variance", 2, 1e-6, 1e9);
	protect->gap =
		sdcpg_params_integer(params, "gap", 0, 0, SDC_PERTURBATION_LARGEST);
	protect->share = sdcpg_params_number(params, "share", 10, 1e-6, 100);
	if (protect->method == SDC_TABLE_CELL_KEY && protect->domain == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"cell_key\" needs params.domain"),
				 errhint("A domain of pseudonyms, as of sdc.pseudonym, whose "
						 "key makes the keys of the records.")));
}

/* A column of the target, and no other one of that name. */
static const char *
read_name(const SdcProtect *protect, Jsonb *params, const char *word)
{
	const char *name = sdcpg_params_renamed(params, "names", word);
	int j;

	for (j = 0; j < protect->keys.count; j++)
	{
		const char *key = protect->keys.column[j].name;

		if (strcmp(key, name) == 0 ||
			strcmp(sdcpg_table_parent_name(key), name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" would be twice in the table", name),
					 errhint("Give params.names, such as {\"%s\": \"%s_1\"}.",
							 word, word)));
	}
	return name;
}

static void
read_names(SdcProtect *protect, Jsonb *params)
{
	int j;
	int k;

	sdcpg_params_check(sdcpg_params_object(params, "names"), named_columns);
	protect->value_name = read_name(protect, params, "value");
	protect->status_name = read_name(protect, params, "status");
	if (strcmp(protect->value_name, protect->status_name) == 0)
		sdcpg_params_wrong("names", "another name for each column");
	for (j = 0; j < protect->keys.count; j++)
		for (k = 0; k < protect->keys.count; k++)
		{
			const char *key = protect->keys.column[j].name;
			const char *parent =
				sdcpg_table_parent_name(protect->keys.column[k].name);

			/* long names that begin alike have the same one */
			if (strcmp(key, parent) == 0 ||
				(j < k && strcmp(sdcpg_table_parent_name(key), parent) == 0))
				ereport(
					ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" would be twice in the table",
							parent),
					 errhint("Use a view with another name of \"%s\".", key)));
		}
}

/* Columns that the call names. */
static void
read_columns(FunctionCallInfo fcinfo, SdcProtect *protect, Jsonb *params)
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
	if (respondent == NULL && protect->method == SDC_TABLE_CELL_KEY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"cell_key\" needs params.respondent"),
				 errhint("The column that identifies who a row is from; the "
						 "keys of records are made from it.")));
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

static SdcProtect *
read_arguments(FunctionCallInfo fcinfo)
{
	SdcProtect *protect = palloc0(sizeof(SdcProtect));
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	char *total;

	sdcpg_args_need(fcinfo, 0);
	sdcpg_args_need(fcinfo, 2);
	protect->method = read_method(params);
	read_method_params(params, protect);
	read_rules(PG_GETARG_JSONB_P(2), params, &protect->rules);
	protect->relation = sdcpg_relation_find(PG_GETARG_OID(0));
	read_columns(fcinfo, protect, params);
	read_names(protect, params);
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
find_scale(const SdcProtect *protect)
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
query_rows(const SdcProtect *protect)
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
sort_givers(SdcProtect *protect, const SdcFrameColumn *respondent, int32 rows)
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

/* The random number of each giver. */
static void
key_givers(SdcProtect *protect, const SdcFrameColumn *respondent,
		   SdcDictionary *dictionary, const int32 *order, int32 rows)
{
	SdcPseudonymDomain *domain = sdcpg_record_domain(protect->domain);
	const int32 *rank = sdcpg_dictionary_sort(dictionary);
	MemoryContext one = AllocSetContextCreate(
		CurrentMemoryContext, "sdc record keys", ALLOCSET_DEFAULT_SIZES);
	int32 i;

	protect->giver_key =
		sdc_new(&protect->host->kernel, uint64, (Size) rows + 1);
	for (i = 0; i < rows; i++)
	{
		MemoryContext before;

		CHECK_FOR_INTERRUPTS();
		if (respondent->isnull[order[i]])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("column \"%s\" is NULL in some rows",
								   protect->respondent->name),
							errdetail("Without an id a record has no key.")));
		if (i > 0 && protect->giver[i] == protect->giver[i - 1])
			continue;
		before = MemoryContextSwitchTo(one);
		protect->giver_key[protect->giver[i]] = sdcpg_record_key(
			domain, sdcpg_dictionary_text(dictionary,
										  rank[respondent->code[order[i]]]));
		MemoryContextSwitchTo(before);
		MemoryContextReset(one);
	}
	MemoryContextDelete(one);
}

/* One key: its tree, and the codes of the rows in their order. */
static void
make_dimension(SdcProtect *protect, int j, const SdcFrameColumn *column,
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
check_contribution(const SdcProtect *protect, double value)
{
	if (value < 0)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("column \"%s\" has values below 0",
							   protect->value->name),
						errhint("Use abs(value), or a table for each sign.")));
}

/* Reads the rows: codes, contributions and who gave them. */
static void
load_rows(SdcProtect *protect)
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
	if (protect->method == SDC_TABLE_CELL_KEY)
		key_givers(protect, &frame->column[respondent], dictionary[respondent],
				   order, frame->rows);
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
fill_cells(SdcProtect *protect)
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
					   protect->contribution, protect->giver,
					   protect->giver_key, protect->cell))
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
need_of(const SdcProtect *protect, const SdcCubeCell *cell)
{
	const SdcTableRules *rules = &protect->rules;
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
least_hidden(const SdcProtect *protect)
{
	bool hides_zeros = protect->value != NULL &&
					   (protect->rules.zeros || protect->rules.threshold > 0);

	return hides_zeros ? 0 : 1;
}

/* What is known of a cell before, and what it costs. */
static void
describe_cell(const SdcProtect *protect, int32 i)
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
	table->weight[i] = protect->weight == SDC_TABLE_WEIGHT_VALUE ? Max(a, 1)
					   : protect->weight == SDC_TABLE_WEIGHT_COUNT
						   ? Max(cell->count, 1)
						   : 1;
	table->holder[i] = cell->holder;
	table->holders = Max(table->holders, cell->holder + 1);
}

/*
 * Nobody takes a cell for less than the cells in it, which are shown when they
 * are 0, make it.
 */
static void
lower_needs(SdcProtect *protect)
{
	SdcTabular *table = protect->table;
	double *least =
		sdc_new(&protect->host->kernel, double, (Size) table->cells + 1);
	int32 i;

	sdc_tabular_floor(table, least_hidden(protect), least);
	for (i = 0; i < table->cells; i++)
	{
		double room = Max(table->value[i] - least[i], 0);

		table->low[i] = Min(table->low[i], room);
		table->need_low[i] = Min(table->need_low[i], room);
	}
	protect->host->kernel.release(&protect->host->kernel, least);
}

/* Marks unsafe cells; returns how many. */
static int32
apply_rules(SdcProtect *protect)
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
		table->need_low[i] = cell->sum == 0 ? 0 : need;
	}
	lower_needs(protect);
	return unsafe;
}

/* The unit of the values: 10 to the power of -scale. */
static double
table_unit(const SdcProtect *protect)
{
	return pow(10, -protect->scale);
}

/* ----------------------------------------------------------------------
 * Rounding and adjustment, after which the table adds up to the last unit
 * ----------------------------------------------------------------------
 */

/* The base in the unit of the table: a whole number. */
static double
find_base(const SdcProtect *protect)
{
	double base = protect->base / table_unit(protect);

	if (base < 1 || fabs(base - rint(base)) > 1e-6 * base || base > 1e15)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.base must be a whole number of units"),
				 errdetail("The unit is that of the last digit of the values, "
						   "%g.",
						   table_unit(protect)),
				 errhint("Round the values to the unit that is published.")));
	return rint(base);
}

static void
round_cells(SdcPgHost *host, void *arg)
{
	SdcProtect *protect = arg;

	protect->rounding = sdc_rounding_run(protect->table, find_base(protect),
										 protect->effort * SDC_TABLE_EFFORT,
										 protect->published);
}

static void
adjust_cells(SdcPgHost *host, void *arg)
{
	SdcProtect *protect = arg;

	protect->adjustment =
		sdc_adjustment_run(protect->table, protect->effort * SDC_TABLE_EFFORT,
						   protect->published);
}

/* ----------------------------------------------------------------------
 * Noise of cell keys: drawn for each cell by itself, so that a cell has the
 * same one in every table; totals are then not the sums of their parts
 * ----------------------------------------------------------------------
 */

static void
make_perturbation(SdcProtect *protect, SdcPerturbation *made)
{
	SdcPerturbationStatus status =
		sdc_perturbation_make(&protect->host->kernel, protect->noise,
							  protect->variance, protect->gap, made);

	if (status == SDC_PERTURBATION_TOO_SHORT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.noise must be above params.gap"),
				 errdetail("A count just above the gap could not go down, and "
						   "so would have no noise.")));
	if (status == SDC_PERTURBATION_TOO_STILL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.variance is too small for params.gap"),
				 errdetail("A count within the gap goes to 0 or beyond it; "
						   "without bias that takes a variance above %d.",
						   (protect->gap + 1) / 2 * (protect->gap / 2 + 1))));
}

/* A count has noise for records, so a record must be one of the count. */
static void
check_counts(const SdcProtect *protect)
{
	int32 i;

	for (i = 0; i < protect->table->cells; i++)
		if (protect->cell[i].top[0] > 1)
			ereport(
				ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("column \"%s\" has several rows of the same value",
						protect->respondent->name),
				 errdetail("Noise for a count hides one row, not all rows of "
						   "a respondent."),
				 errhint("Count respondents: a table of one row for each of "
						 "them; or sum a column, with argument \"value\".")));
}

static void
perturb_counts(SdcProtect *protect, const SdcPerturbation *made)
{
	int32 i;

	check_counts(protect);
	for (i = 0; i < protect->table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];

		protect->published[i] =
			cell->sum + sdc_perturbation_noise(made, cell->sum, cell->key);
	}
}

/*
 * Noise of a sum: that of the last row, filled evenly between its steps, times
 * a share of the largest contribution.  Each column has keys of its own.
 */
static void
perturb_sums(SdcProtect *protect, const SdcPerturbation *made)
{
	double share = protect->share / 100;
	uint64 own = sdcpg_record_key(sdcpg_record_domain(protect->domain),
								  psprintf("column %s", protect->value->name));
	int32 i;

	if (share * (made->largest + 0.5) >= 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.share is too large for params.noise"),
				 errdetail("The share times noise + 0.5 must be below 100 "
						   "percent, or sums could fall below 0.")));
	for (i = 0; i < protect->table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];
		uint64 key = sdc_random_mix(cell->key + own);
		/* bits that do not pick the step */
		double within =
			(double) (key & ((UINT64CONST(1) << 20) - 1)) / (1 << 20) - 0.5;
		double noise =
			sdc_perturbation_noise(made, made->rows - 1, key) + within;

		protect->published[i] = rint(
			cell->sum + (cell->sum > 0 ? share * noise * cell->top[0] : 0));
	}
}

/*
 * Fills published by a method that changes values.  What a method cannot do is
 * an error, or false with a cell that is in the way.
 */
static bool
change(SdcProtect *protect, int32 *cell)
{
	SdcHost *host = &protect->host->kernel;
	SdcPerturbation made;

	protect->published = sdc_new(host, double, protect->table->cells);
	*cell = 0;
	switch (protect->method)
	{
		case SDC_TABLE_ROUND:
			sdcpg_solver_run(protect->host, round_cells, protect);
			return true;
		case SDC_TABLE_ADJUST:
			sdcpg_solver_run(protect->host, adjust_cells, protect);
			*cell = Max(protect->adjustment.unmet, 0);
			return protect->adjustment.found;
		default:
			make_perturbation(protect, &made);
			if (protect->value == NULL)
				perturb_counts(protect, &made);
			else
				perturb_sums(protect, &made);
			return true;
	}
}

/* ----------------------------------------------------------------------
 * Protection, and what comes out
 * ----------------------------------------------------------------------
 */

static void
suppress(SdcPgHost *host, void *arg)
{
	SdcProtect *protect = arg;
	SdcSuppressionOptions options = {protect->effort * SDC_TABLE_EFFORT};

	protect->result =
		sdc_suppression_run(protect->table, &options, protect->hidden);
}

/* A cell as text, for the caller's eyes: "region=north, trade=Total". */
static char *
cell_text(const SdcProtect *protect, int32 i)
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

/* How many cells there are, and how many are unsafe by the rules. */
static void
report_cells(SdcProtect *protect)
{
	sdcpg_step_measure(protect->steps, "cells", "cells", protect->table->cells,
					   "The table has %d cells in %d equations.",
					   protect->table->cells, protect->table->equations);
	if (!has_rules(protect->method))
		return;
	sdcpg_step_measure(protect->steps, "unsafe", "cells", protect->unsafe,
					   "%d cells are unsafe by the rules.", protect->unsafe);
}

/* No pattern: an error when a table was asked for. */
static void
report_impossible(SdcProtect *protect, int32 cell)
{
	SdcStep example = SDC_STEP("example");
	const char *why =
		protect->method == SDC_TABLE_SUPPRESS
			? "The interval of an unsafe cell cannot be as wide as its rule "
			  "asks, whatever else is hidden."
			: "No change of the cells within what is known of them takes each "
			  "unsafe cell as far away as its rule asks, or none was found.";

	if (protect->target != NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 protect->method == SDC_TABLE_SUPPRESS
				 ? errmsg("the table cannot be protected by hiding cells")
				 : errmsg("the table cannot be protected by changing cells"),
			 errdetail_internal("%s", why),
			 errhint("Call protect_table without target: the step example "
					 "names the cell. Wider params.bounds, fewer keys or a "
					 "coarser hierarchy help.")));
	report_cells(protect);
	sdcpg_step_measure(protect->steps, "unprotected", "cells", 1, "%s", why);
	example.subject = "unprotected";
	example.detail = cell_text(protect, cell);
	sdcpg_step_put(protect->steps, &example);
}

static void
report_result(SdcProtect *protect)
{
	const SdcSuppression *result = &protect->result;
	double unit =
		protect->weight == SDC_TABLE_WEIGHT_VALUE ? table_unit(protect) : 1;
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

static void
report_rounding(SdcProtect *protect)
{
	const SdcRounding *result = &protect->rounding;
	double unit = table_unit(protect);

	sdcpg_step_measure(protect->steps, "change", "sum", result->change * unit,
					   result->proven
						   ? "All changes together are %.15g; no rounding to "
							 "neighbouring multiples changes less."
						   : "All changes together are %.15g: the best found, "
							 "not proven.",
					   result->change * unit);
	sdcpg_step_measure(
		protect->steps, "largest", "change", result->largest * unit,
		"No cell changes by more than %.15g.", result->largest * unit);
	sdcpg_step_measure(protect->steps, "beyond", "cells", result->beyond,
					   "%d cells are not at a multiple next to their value.",
					   result->beyond);
}

static void
report_adjustment(SdcProtect *protect)
{
	const SdcAdjustment *result = &protect->adjustment;
	double unit = table_unit(protect);
	double gap = result->cost > 0
					 ? 100 * (result->cost - result->bound) / result->cost
					 : 0;

	sdcpg_step_measure(protect->steps, "moved", "cells", result->moved,
					   "%d cells are changed.", result->moved);
	sdcpg_step_measure(protect->steps, "change", "sum", result->change * unit,
					   "All changes together are %.15g.",
					   result->change * unit);
	sdcpg_step_measure(
		protect->steps, "largest", "change", result->largest * unit,
		"No cell changes by more than %.15g.", result->largest * unit);
	sdcpg_step_measure(protect->steps, "gap", "percent", Max(gap, 0),
					   "The changes by weight are at most %.4g %% above the "
					   "least.",
					   Max(gap, 0));
	sdcpg_step_measure(protect->steps, "unprotected", "cells", 0,
					   "Each unsafe cell is as far from its value as its rule "
					   "asks.");
}

/* The noise that was drawn, over the cells that can have some. */
static void
report_noise(SdcProtect *protect)
{
	double unit = table_unit(protect);
	double sum = 0;
	double largest = 0;
	int32 cells = 0;
	int32 i;

	for (i = 0; i < protect->table->cells; i++)
	{
		double off = protect->published[i] - protect->cell[i].sum;

		cells += protect->cell[i].sum > 0;
		sum += off * off;
		largest = Max(largest, fabs(off));
	}
	sdcpg_step_measure(protect->steps, "variance", "change",
					   cells > 0 ? sum / cells * unit * unit : 0,
					   "The mean square of the changes is %.6g.",
					   cells > 0 ? sum / cells * unit * unit : 0);
	sdcpg_step_measure(protect->steps, "largest", "change", largest * unit,
					   "No cell changes by more than %.15g.", largest * unit);
}

static void
report_change(SdcProtect *protect)
{
	report_cells(protect);
	if (protect->method == SDC_TABLE_ROUND)
		report_rounding(protect);
	else if (protect->method == SDC_TABLE_ADJUST)
		report_adjustment(protect);
	else
		report_noise(protect);
}

/* The status of all cells of a method that changes values. */
static const char *const change_words[] = {[SDC_TABLE_ROUND] = "rounded",
										   [SDC_TABLE_ADJUST] = "adjusted",
										   [SDC_TABLE_CELL_KEY] = "perturbed"};

/*
 * What readers see of a cell.  Which of the hidden ones is unsafe tells how
 * few respondents it has, and what the others then are.
 */
static const char *
status_of(const SdcProtect *protect, int32 i)
{
	if (protect->published != NULL)
		return change_words[protect->method];
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
value_text(const SdcProtect *protect, double value)
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
bind_key(const SdcProtect *protect, int j, int32 stride,
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
bind_values(const SdcProtect *protect, SdcCatalogParameters *parameters)
{
	SdcHost *host = &protect->host->kernel;
	int32 cells = protect->table->cells;
	Datum *value = sdc_new(host, Datum, cells);
	bool *isnull = sdc_new(host, bool, cells);
	int32 i;

	for (i = 0; i < cells; i++)
	{
		double shown = protect->published == NULL ? protect->cell[i].sum
												  : protect->published[i];

		isnull[i] = protect->hidden != NULL && protect->hidden[i];
		value[i] = isnull[i] ? (Datum) 0
							 : CStringGetTextDatum(value_text(protect, shown));
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
write_target(const SdcProtect *protect)
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
						 quote_identifier(sdcpg_table_parent_name(name)));
	}
	bind_values(protect, parameters);
	appendStringInfo(&select, "u.c%d::pg_catalog.numeric AS %s, u.c%d AS %s",
					 count - 1, quote_identifier(protect->value_name), count,
					 quote_identifier(protect->status_name));
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

/* Finds the pattern; false with a cell that cannot be protected. */
static bool
hide(SdcProtect *protect, int32 *cell)
{
	*cell = sdc_tabular_impossible(protect->table);
	if (*cell >= 0)
		return false;
	protect->hidden =
		sdc_new(&protect->host->kernel, bool, protect->table->cells);
	sdcpg_solver_run(protect->host, suppress, protect);
	*cell = Max(protect->result.unmet, 0);
	return protect->result.found;
}

/* Protects the table, says what was done, and writes it. */
static void
run(SdcProtect *protect)
{
	bool hides = protect->method == SDC_TABLE_SUPPRESS;
	int32 cell;

	if (protect->value != NULL)
		protect->scale = find_scale(protect);
	load_rows(protect);
	fill_cells(protect);
	if (sdc_tabular_unbalanced(protect->table) >= 0)
		elog(ERROR, "the cells of the table do not add up");
	protect->table->whole = protect->value == NULL;
	protect->unsafe = apply_rules(protect);
	if (!(hides ? hide(protect, &cell) : change(protect, &cell)))
	{
		report_impossible(protect, cell);
		return;
	}
	if (protect->target != NULL)
	{
		write_target(protect);
		sdcpg_step_written(protect->steps, protect->target);
	}
	if (hides)
		report_result(protect);
	else
		report_change(protect);
}

/*
 * protect_table(relation regclass, target text, rules jsonb, keys columns,
 *				 value name, params jsonb) returns setof sdc.mask_step
 */
Datum
sdcf_protect_table(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *steps = sdcpg_result_begin(fcinfo);
	SdcProtect *protect = read_arguments(fcinfo);

	protect->steps = steps;
	protect->host = sdcpg_host_begin("protect_table", CurrentMemoryContext);
	run(protect);
	sdcpg_host_end(protect->host);
	return (Datum) 0;
}
