/*
 * protect_table.c
 *		sdc.protect_table: tables of counts, sums or means, with cells hidden
 *		or changed so that no unsafe one can be computed too closely.
 *
 * cell_source.c makes the cells of all tables of the call, as one system.
 * Numbers are brought to whole ones by a power of ten, so that all sums are
 * exact.  Means are protected as the sums that they are with their counts.
 * Rules (table_rules.c) say which cells are unsafe and how wide an interval
 * must be; the kernel hides further ones, rounds, adjusts, or adds noise.
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

typedef struct SdcProtect
{
	SdcPgHost *host;
	SdcCellSource source;
	SdcTableRules rules;
	bool has_bounds;
	double bounds[2];
	SdcTableWeight weight;
	double effort;
	SdcTableMethod method;
	double base; /* of rounding, in the unit of the values */
	int32 noise; /* at most, either way */
	double variance;
	int32 gap;
	double share; /* of the largest contribution, percent */
	int status;
	Jsonb *params; /* of the call, or NULL */
	bool unions;   /* sums of hidden cells are to be safe, too */
	bool means;    /* sums are published divided by counts */
	int digits;    /* of means, after the point */
	const char *value_name;
	const char *status_name;
	const char *count_name; /* of means */
	SdcTarget *target;
	ReturnSetInfo *steps;
	int32 unsafe; /* cells, by the rules */
	/* the source's */
	SdcCubeCell *cell;
	SdcTabular *table;
	bool *hidden; /* NULL: none */
	SdcAskedCells asked;
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
	{"levels", ALL_METHODS},
	{"linked", ALL_METHODS},
	{"respondent", ALL_METHODS},
	{"total", ALL_METHODS},
	{"names", ALL_METHODS},
	{"rls", ALL_METHODS},
	{"bounds", ONLY(SDC_TABLE_SUPPRESS) | ONLY(SDC_TABLE_ADJUST)},
	{"weight", ONLY(SDC_TABLE_SUPPRESS) | ONLY(SDC_TABLE_ADJUST)},
	{"range", ONLY(SDC_TABLE_SUPPRESS) | ONLY(SDC_TABLE_ADJUST)},
	{"effort", ALL_METHODS & ~ONLY(SDC_TABLE_CELL_KEY)},
	{"status", ONLY(SDC_TABLE_SUPPRESS)},
	{"publish", ONLY(SDC_TABLE_SUPPRESS)},
	{"earlier", ONLY(SDC_TABLE_SUPPRESS)},
	{"hide", ONLY(SDC_TABLE_SUPPRESS)},
	{"unions", ONLY(SDC_TABLE_SUPPRESS)},
	{"cell", ONLY(SDC_TABLE_SUPPRESS)},
	{"digits", ONLY(SDC_TABLE_SUPPRESS)},
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
static const char *const named_columns[] = {"value", "status", "count", NULL};

/* What the value of a cell is; without an argument value it is a count. */
static const char *const cell_words[] = {"sum", SDC_TABULAR_MEAN, NULL};

/* What one of params.linked has. */
static const char *const linked_keys[] = {"keys", "hierarchies", "levels",
										  "only", "target",      NULL};

static const char *const status_words[] = {"hidden", "reason", NULL};
enum
{
	STATUS_HIDDEN,
	STATUS_REASON
};

/* ----------------------------------------------------------------------
 * Arguments
 * ----------------------------------------------------------------------
 */

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
	protect->source.domain = sdcpg_params_text(params, "domain");
	protect->noise =
		sdcpg_params_integer(params, "noise", 5, 1, SDC_PERTURBATION_LARGEST);
	protect->variance = sdcpg_params_number(params, "variance", 2, 1e-6, 1e9);
	protect->gap =
		sdcpg_params_integer(params, "gap", 0, 0, SDC_PERTURBATION_LARGEST);
	protect->share = sdcpg_params_number(params, "share", 10, 1e-6, 100);
	if (protect->method == SDC_TABLE_CELL_KEY &&
		protect->source.domain == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"cell_key\" needs params.domain"),
				 errhint("A domain of pseudonyms, as of sdc.pseudonym, whose "
						 "key makes the keys of the records.")));
}

/* A column of the target, and no other one of that name. */
static void
need_free(const SdcProtect *protect, const char *name, const char *word)
{
	const SdcRelationColumns *keys = &protect->source.keys;
	int j;

	for (j = 0; j < keys->count; j++)
	{
		const char *key = keys->column[j].name;

		if (strcmp(key, name) == 0 ||
			strcmp(sdcpg_table_parent_name(key), name) == 0)
			ereport(
				ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("column \"%s\" would be twice in the table", name),
				 word == NULL
					 ? errhint("Use a view with another name of \"%s\".", name)
					 : errhint("Give params.names, such as {\"%s\": "
							   "\"%s_1\"}.",
							   word, word)));
	}
}

static const char *
read_name(const SdcProtect *protect, Jsonb *params, const char *word)
{
	const char *name = sdcpg_params_renamed(params, "names", word);

	need_free(protect, name, word);
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
	if (protect->means)
		protect->count_name = read_name(protect, params, "count");
	if (protect->source.parts > 1)
		need_free(protect, SDC_TABULAR_NUMBER, NULL);
	if (strcmp(protect->value_name, protect->status_name) == 0 ||
		(protect->means &&
		 (strcmp(protect->value_name, protect->count_name) == 0 ||
		  strcmp(protect->status_name, protect->count_name) == 0)))
		sdcpg_params_wrong("names", "another name for each column");
	for (j = 0; j < protect->source.keys.count; j++)
		for (k = 0; k < protect->source.keys.count; k++)
		{
			const char *key = protect->source.keys.column[j].name;
			const char *parent =
				sdcpg_table_parent_name(protect->source.keys.column[k].name);

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

static void
need_keys(int keys)
{
	if (keys > SDC_CUBE_MAX_DIMENSIONS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a table has at most %d keys",
							   SDC_CUBE_MAX_DIMENSIONS)));
}

/* The place of a column among the keys of all tables, where it is put. */
static int
place_key(SdcProtect *protect, const SdcRelationColumn *column)
{
	SdcRelationColumns *keys = &protect->source.keys;
	int k;

	for (k = 0; k < keys->count; k++)
		if (keys->column[k].number == column->number)
			return k;
	need_keys(k + 1);
	keys->column[keys->count++] = *column;
	return k;
}

/* One of the tables: its keys, and what object says of them. */
static void
read_part(SdcProtect *protect, Jsonb *object, Jsonb *otherwise,
		  const SdcRelationColumns *keys, SdcTablePart *part)
{
	int j;

	sdcpg_params_members_check(object, "hierarchies", keys, false);
	for (j = 0; j < keys->count; j++)
	{
		const char *key = keys->column[j].name;
		Jsonb *levels = sdcpg_params_object(object, "levels");

		part->key[j] = place_key(protect, &keys->column[j]);
		part->hierarchy[j] = sdcpg_params_member(object, "hierarchies", key);
		if (part->hierarchy[j] == NULL)
			part->hierarchy[j] =
				sdcpg_params_member(otherwise, "hierarchies", key);
		part->lowest[j] =
			sdcpg_params_integer(levels, key, 0, 0, SDC_HIERARCHY_MAX_LEVELS);
		part->only[j] = sdcpg_params_member(object, "only", key);
	}
	part->keys = keys->count;
	protect->source.parts++;
}

/* Adds the members of an object, which are columns, to a list of names. */
static List *
add_members(Jsonb *object, List *names)
{
	JsonbIterator *iterator;
	JsonbValue value;
	JsonbIteratorToken token;

	if (object == NULL)
		return names;
	iterator = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *name;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(value.val.string.val, value.val.string.len);
		if (!sdcpg_params_is_listed(names, name))
			names = lappend(names, name);
	}
	return names;
}

/* Stops where an object has a member that is no key of the table. */
static void
check_members(Jsonb *object, const char *argument, const char *name,
			  const SdcRelationColumns *keys)
{
	ListCell *cell;

	foreach (cell, add_members(sdcpg_params_object(object, name), NIL))
	{
		int j;

		for (j = 0; j < keys->count; j++)
			if (strcmp(keys->column[j].name, lfirst(cell)) == 0)
				break;
		if (j == keys->count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s.%s names \"%s\", which is no key of the table",
							argument, name, (char *) lfirst(cell))));
	}
}

/* One of params.linked. */
static void
read_linked(SdcProtect *protect, Jsonb *object, Jsonb *params)
{
	SdcTablePart *part = &protect->source.part[protect->source.parts];
	SdcRelationColumns keys = {0};
	List *names;
	ListCell *cell;
	char *target;

	sdcpg_params_check(object, linked_keys);
	names = sdcpg_params_names(object, "keys");
	names = add_members(sdcpg_params_object(object, "only"), names);
	if (names == NIL)
		sdcpg_params_wrong("linked", "an array of objects with \"keys\"");
	keys.column = palloc(sizeof(SdcRelationColumn) * list_length(names));
	foreach (cell, names)
		keys.column[keys.count++] =
			sdcpg_relation_column(protect->source.relation, lfirst(cell));
	check_members(object, "params", "levels", &keys);
	need_keys(keys.count);
	read_part(protect, object, params, &keys, part);
	target = sdcpg_params_text(object, "target");
	if (target != NULL)
		part->target = sdcpg_target_find(cstring_to_text(target));
}

/* The tables beside the first one. */
static void
read_all_linked(SdcProtect *protect, Jsonb *params)
{
	List *objects = sdcpg_table_objects(params, "linked",
										"an array of objects with \"keys\"");
	ListCell *cell;

	if (list_length(objects) >= SDC_TABULAR_PARTS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("at most %d tables are protected together",
							   SDC_TABULAR_PARTS)));
	foreach (cell, objects)
		read_linked(protect, lfirst(cell), params);
}

/* Columns that the call names. */
static void
read_columns(FunctionCallInfo fcinfo, SdcProtect *protect, Jsonb *params)
{
	SdcCellSource *source = &protect->source;
	char *respondent = sdcpg_params_text(params, "respondent");
	SdcRelationColumns keys = sdcpg_roles_need_columns(
		source->relation, "keys",
		PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), SDC_ROLE_KEY);

	need_keys(keys.count);
	if (!PG_ARGISNULL(4))
	{
		source->value = palloc(sizeof(SdcRelationColumn));
		*source->value = sdcpg_relation_column(source->relation,
											   NameStr(*PG_GETARG_NAME(4)));
		if (!sdcpg_number_is_arithmetic(source->value->base))
			ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
							errmsg("column \"%s\" is not numeric",
								   source->value->name)));
	}
	if (respondent == NULL && protect->method == SDC_TABLE_CELL_KEY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"cell_key\" needs params.respondent"),
				 errhint("The column that identifies who a row is from; the "
						 "keys of records are made from it.")));
	if (respondent != NULL)
	{
		source->respondent = palloc(sizeof(SdcRelationColumn));
		*source->respondent =
			sdcpg_relation_column(source->relation, respondent);
	}
	source->keys.column =
		palloc(sizeof(SdcRelationColumn) * SDC_CUBE_MAX_DIMENSIONS);
	source->part = palloc0(sizeof(SdcTablePart) * SDC_TABULAR_PARTS);
	check_members(params, "params", "levels", &keys);
	read_part(protect, params, NULL, &keys, &source->part[0]);
	read_all_linked(protect, params);
	source->attacks = protect->method == SDC_TABLE_SUPPRESS;
}

/* Sums or means. */
static void
read_cell(SdcProtect *protect, Jsonb *params)
{
	protect->means = sdcpg_params_choice(params, "cell", cell_words) == 1;
	protect->digits =
		sdcpg_params_integer(params, "digits", SDC_TABULAR_DIGITS, 0, 12);
	if (protect->means &&
		(protect->source.value == NULL || sdcpg_params_has(params, "earlier")))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						protect->source.value == NULL
							? errmsg("means need argument \"value\"")
							: errmsg("params.earlier is not for means")));
	if (!protect->means && sdcpg_params_has(params, "digits"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("params.digits is for means only"),
						errhint("Sums have the digits of the values.")));
}

/*
 * Where the tables go: each to a target of its own, or all to that of the
 * call.
 */
static void
check_targets(const SdcProtect *protect)
{
	int own = 0;
	int p;

	for (p = 1; p < protect->source.parts; p++)
		own += protect->source.part[p].target != NULL;
	if (own == 0 ||
		(protect->target != NULL && own == protect->source.parts - 1))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("some of the linked tables have a target, others not"),
			 errdetail("Either each table has one, or all go to argument "
					   "\"target\".")));
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
	sdcpg_table_rules_read(PG_GETARG_JSONB_P(2), params, &protect->rules);
	protect->source.relation = sdcpg_relation_find(PG_GETARG_OID(0));
	read_columns(fcinfo, protect, params);
	read_cell(protect, params);
	read_names(protect, params);
	if (protect->source.value == NULL &&
		(protect->rules.p > 0 || protect->rules.dominance > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rules p_percent, pq and dominance need argument "
						"\"value\""),
				 errhint("A count has no large contributions; threshold is "
						 "the rule for it.")));
	if (protect->rules.group != NULL &&
		(protect->method != SDC_TABLE_SUPPRESS || protect->means))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rule group is for counts and sums of method "
							   "\"suppress\"")));
	check_members(protect->rules.group, "rules", "group",
				  &protect->source.keys);
	protect->has_bounds = sdcpg_table_pair(params, "bounds", protect->bounds);
	if (protect->has_bounds &&
		!(protect->bounds[0] >= 0 && protect->bounds[0] <= 1 &&
		  protect->bounds[1] >= 1 && protect->bounds[1] <= 1000))
		sdcpg_params_wrong("bounds",
						   "[low, high] with 0 <= low <= 1 <= high <= 1000");
	protect->weight = sdcpg_params_choice(params, "weight", weight_words);
	protect->effort = sdcpg_params_number(params, "effort", 500, 0, 1e9);
	total = sdcpg_params_text(params, "total");
	protect->source.total = total == NULL ? SDC_TABULAR_TOTAL : total;
	protect->status = sdcpg_params_choice(params, "status", status_words);
	protect->unions = sdcpg_params_boolean(params, "unions", true);
	protect->params = params;
	sdcpg_target_need_all_rows(
		protect->source.relation,
		sdcpg_params_choice(params, "rls", sdcpg_row_security_words) ==
			SDC_ROW_SECURITY_ALLOW);
	if (!PG_ARGISNULL(1))
		protect->target = sdcpg_target_find(PG_GETARG_TEXT_PP(1));
	check_targets(protect);
	return protect;
}

/* ----------------------------------------------------------------------
 * Rules
 * ----------------------------------------------------------------------
 */

/*
 * What every hidden cell is not below, as readers know: 1 where cells of 0
 * are never hidden.
 */
static double
least_hidden(const SdcProtect *protect)
{
	bool hides_zeros =
		protect->rules.group != NULL ||
		(protect->source.value != NULL &&
		 (protect->rules.zeros || protect->rules.threshold > 0));

	return hides_zeros ? 0 : 1;
}

/* Is it a cell that no table shows, there to be attacked? */
static bool
is_inner(const SdcProtect *protect, int32 i)
{
	return protect->source.inner != NULL && protect->source.inner[i];
}

/* What is known of a cell before, and what it costs. */
static void
describe_cell(const SdcProtect *protect, int32 i)
{
	SdcTabular *table = protect->table;
	const SdcCubeCell *cell = &protect->cell[i];
	double a = cell->sum;
	bool inner = is_inner(protect, i);

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
	/* what no table shows costs nothing; see report_result */
	table->weight[i] = inner                                       ? 1
					   : protect->weight == SDC_TABLE_WEIGHT_VALUE ? Max(a, 1)
					   : protect->weight == SDC_TABLE_WEIGHT_COUNT
						   ? Max(cell->count, 1)
						   : 1;
	table->holder[i] = cell->holder;
	table->second[i] = cell->second;
	table->leader_low[i] = a - cell->top[0];
	table->second_low[i] = a - cell->top[1];
}

/*
 * Nobody takes a cell for less than the cells in it, which are shown when they
 * are 0, make it.
 */
static void
lower_needs(SdcProtect *protect)
{
	SdcTabular *table = protect->table;
	SdcHost *host = &protect->host->kernel;
	double *least = sdc_new(host, double, (Size) table->cells + 1);
	double *each = sdc_new(host, double, (Size) table->cells + 1);
	int32 i;

	for (i = 0; i < table->cells; i++)
		each[i] = is_inner(protect, i) ? 0 : least_hidden(protect);
	sdc_tabular_floor(table, each, least);
	for (i = 0; i < table->cells; i++)
	{
		double room = Max(table->value[i] - least[i], 0);

		table->low[i] = Min(table->low[i], room);
		/* who is in what no table shows may be known to be there */
		room = Min(room, Max(table->value[i] - least_hidden(protect), 0));
		table->need_low[i] = Min(table->need_low[i], room);
		/* the rest: without where its largest respondent is alone */
		room = protect->cell[i].sum - protect->cell[i].top[0] -
			   Max(least[i] - least_hidden(protect), 0);
		table->rest_low[i] = Min(table->rest_low[i], Max(room, 0));
	}
	host->release(host, least);
	host->release(host, each);
}

/*
 * Adjusted counts below the threshold become 0 or at least the threshold:
 * were they moved by 1, a published 1 could only have been a 2.
 */
static void
move_small(const SdcProtect *protect, int32 i)
{
	SdcTabular *table = protect->table;
	double up = protect->rules.threshold - table->value[i];

	table->need_low[i] = table->value[i];
	table->need_high[i] = up;
	if (!protect->has_bounds)
		table->high[i] = Max(table->high[i], up);
}

/* What the caller wants of a cell, which may not be what the rules ask. */
static void
force_cell(const SdcProtect *protect, int32 i)
{
	SdcTabular *table = protect->table;
	bool shown = protect->asked.shown != NULL && protect->asked.shown[i];
	bool kept = protect->asked.kept != NULL && protect->asked.kept[i];

	if (shown && (kept || table->role[i] == SDC_CELL_UNSAFE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 kept ? errmsg("params.publish and params.hide name the same "
							   "cell")
					  : errmsg("params.publish names a cell that is unsafe "
							   "by the rules")));
	if (kept && protect->cell[i].sum == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params.hide names a cell of 0"),
				 errdetail("Cells of 0 are shown; attacks count on it.")));
	/* to hide what has been shown keeps nothing from anybody */
	if (shown || (table->role[i] == SDC_CELL_OPEN &&
				  protect->asked.told != NULL && protect->asked.told[i]))
		table->role[i] = SDC_CELL_SHOWN;
	else if (kept && table->role[i] == SDC_CELL_OPEN)
		table->role[i] = SDC_CELL_UNSAFE;
}

/* Marks unsafe cells; returns how many. */
static int32
apply_rules(SdcProtect *protect)
{
	SdcTabular *table = protect->table;
	bool adjusts = protect->method == SDC_TABLE_ADJUST;
	int32 unsafe = 0;
	int32 i;

	for (i = 0; i < table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];

		describe_cell(protect, i);
		if (sdcpg_table_rules_apply(&protect->rules, cell,
									protect->source.value == NULL, table, i))
		{
			unsafe += !is_inner(protect, i);
			table->role[i] = SDC_CELL_UNSAFE;
			if (adjusts && protect->source.value == NULL)
				move_small(protect, i);
		}
		else /* what no table shows is hidden as it is */
			table->role[i] = is_inner(protect, i) ? SDC_CELL_UNSAFE
							 : cell->sum == 0     ? SDC_CELL_SHOWN
												  : SDC_CELL_OPEN;
		if (!is_inner(protect, i))
			force_cell(protect, i);
		sdcpg_cells_ask_rest(&protect->source, i);
	}
	/* a cell that is 0 in an adjusted table need not be empty */
	if (!adjusts)
		lower_needs(protect);
	return unsafe;
}

/* The unit of the values: 10 to the power of -scale. */
static double
table_unit(const SdcProtect *protect)
{
	return pow(10, -protect->source.scale);
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
change_cells(SdcPgHost *host, void *arg)
{
	SdcProtect *protect = arg;
	double work = protect->effort * SDC_TABLE_EFFORT;

	if (protect->method == SDC_TABLE_ROUND)
		protect->rounding = sdc_rounding_run(
			protect->table, find_base(protect), work, protect->published);
	else
		protect->adjustment =
			sdc_adjustment_run(protect->table, work, protect->published);
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

/*
 * What is added to the keys of cells.  Each column has keys of its own, and so
 * has each way to draw: of two that draw from one key, one takes away the
 * noise of the other.
 */
static uint64
own_key(const SdcProtect *protect)
{
	const SdcRelationColumn *value = protect->source.value;

	return sdcpg_record_key(
		sdcpg_record_domain(protect->source.domain),
		psprintf("%s %d %.17g %d %.17g",
				 value == NULL ? "count" : psprintf("column %s", value->name),
				 protect->noise, protect->variance, protect->gap,
				 value == NULL ? 0 : protect->share));
}

static void
perturb_counts(SdcProtect *protect, const SdcPerturbation *made)
{
	uint64 own = own_key(protect);
	int32 i;

	sdcpg_cells_need_single(&protect->source);
	for (i = 0; i < protect->table->cells; i++)
	{
		const SdcCubeCell *cell = &protect->cell[i];

		protect->published[i] =
			cell->sum + sdc_perturbation_noise(
							made, cell->sum, sdc_random_mix(cell->key + own));
	}
}

static void
perturb_sums(SdcProtect *protect, const SdcPerturbation *made)
{
	double share = protect->share / 100;
	uint64 own = own_key(protect);
	double grain = sdc_perturbation_grain(protect->source.contribution,
										  protect->source.records);
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

		protect->published[i] =
			sdc_perturbation_sum(made, cell->sum, cell->top[0], share, grain,
								 sdc_random_mix(cell->key + own));
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
			sdcpg_solver_run(protect->host, change_cells, protect);
			if (!protect->rounding.found)
				ereport(ERROR,
						(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						 errmsg("no rounding of the linked tables was found"),
						 errhint("Raise params.effort or params.base.")));
			return true;
		case SDC_TABLE_ADJUST:
			sdcpg_solver_run(protect->host, change_cells, protect);
			*cell = Max(protect->adjustment.unmet, 0);
			return protect->adjustment.found;
		default:
			make_perturbation(protect, &made);
			if (protect->source.value == NULL)
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

/* How many cells there are, and how many are unsafe by the rules. */
static void
report_cells(SdcProtect *protect)
{
	int32 cells = protect->table->cells - protect->source.inners;

	sdcpg_step_measure(protect->steps, "cells", "cells", cells,
					   protect->source.parts > 1
						   ? "The tables have %d cells in %d equations."
						   : "The table has %d cells in %d equations.",
					   cells, protect->table->equations);
	if (protect->source.lacks_inner)
		sdcpg_step_measure(protect->steps, "inner", "cells", NAN,
						   "Cells that no table shows are too many to be "
						   "attacked: what follows from several tables is not "
						   "all seen.");
	else if (protect->source.inner != NULL)
		sdcpg_step_measure(protect->steps, "inner", "cells",
						   protect->source.inners,
						   "%d cells that no table shows are attacked, too.",
						   protect->source.inners);
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
		protect->result.undecided
			? "No protection of an unsafe cell was found in the work for one."
		: protect->method == SDC_TABLE_SUPPRESS
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
	example.detail = sdcpg_cells_text(&protect->source, cell);
	sdcpg_step_put(protect->steps, &example);
}

static void
report_result(SdcProtect *protect)
{
	const SdcSuppression *result = &protect->result;
	double unit =
		protect->weight == SDC_TABLE_WEIGHT_VALUE ? table_unit(protect) : 1;
	/* cells that no table shows weigh 1 each, and are hidden for nothing */
	double cost = result->cost - protect->source.inners;
	double bound = result->bound - protect->source.inners;
	double gap = cost > 0 ? 100 * (cost - bound) / cost : 0;

	report_cells(protect);
	sdcpg_step_measure(protect->steps, "secondary", "cells", result->secondary,
					   "%d further cells are hidden to protect them.",
					   result->secondary);
	sdcpg_step_measure(
		protect->steps, "cost", weight_words[protect->weight], cost * unit,
		result->proven ? "What is hidden costs %.15g; no pattern "
						 "costs less."
					   : "What is hidden costs %.15g: the best "
						 "found, not proven.",
		cost * unit);
	sdcpg_step_measure(protect->steps, "bound", weight_words[protect->weight],
					   bound * unit, "No pattern costs less than %.15g.",
					   bound * unit);
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
	int scale = protect->source.scale;
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

/*
 * Which tables a target has: one, or all of them, each row with the number of
 * its table and all keys, at their totals where a table is not by them.
 */
typedef struct Writing
{
	const SdcProtect *protect;
	const SdcTablePart *part;
	int parts;
	int32 rows;
	SdcCatalogParameters *parameters;
} Writing;

/* The labels of a tree as datums. */
static Datum *
label_datums(const SdcTree *tree)
{
	Datum *label = palloc(sizeof(Datum) * (tree->dimension.codes + 1));
	int32 i;

	for (i = 0; i < tree->dimension.codes; i++)
		label[i] = CStringGetTextDatum(tree->label[i]);
	return label;
}

/* Binds the labels and the parents of one key, a row for each cell. */
static void
bind_key(const Writing *writing, int key)
{
	SdcHost *host = &writing->protect->host->kernel;
	Datum total = CStringGetTextDatum(writing->protect->source.total);
	Datum *value[2];
	bool *isnull[2];
	int32 row = 0;
	int p;
	int side;

	for (side = 0; side < 2; side++)
	{
		value[side] = sdc_new(host, Datum, (Size) writing->rows + 1);
		isnull[side] = sdc_new(host, bool, (Size) writing->rows + 1);
	}
	for (p = 0; p < writing->parts; p++)
	{
		const SdcTablePart *part = &writing->part[p];
		int j = sdcpg_cells_key(part, key);
		Datum *label = j < 0 ? &total : label_datums(part->tree[j]);
		int32 k;

		for (k = 0; k < part->cells; k++, row++)
		{
			int32 code = j < 0 ? 0 : sdcpg_cells_code(part, j, k);
			int32 parent = j < 0 ? -1 : part->tree[j]->parent[code];

			host->poll(host, 0, 0);
			isnull[0][row] = false;
			value[0][row] = label[code];
			isnull[1][row] = parent < 0;
			value[1][row] = parent < 0 ? (Datum) 0 : label[parent];
		}
	}
	for (side = 0; side < 2; side++)
	{
		sdcpg_catalog_bind(
			writing->parameters, TEXTARRAYOID,
			text_array(value[side], isnull[side], writing->rows), false);
		host->release(host, value[side]);
		host->release(host, isnull[side]);
	}
}

/* What the columns hold that are no keys. */
typedef enum CellColumn
{
	CELL_VALUE,
	CELL_STATUS,
	CELL_COUNT,
	CELL_TABLE
} CellColumn;

/* A column of a cell, of which table; NULL for NULL. */
static char *
cell_column(const SdcProtect *protect, CellColumn column, int32 i, int p)
{
	const SdcCubeCell *cell = &protect->cell[i];
	bool hidden = protect->hidden != NULL && protect->hidden[i];

	switch (column)
	{
		case CELL_VALUE:
			if (hidden || (protect->means && cell->count == 0))
				return NULL;
			return value_text(protect, protect->published == NULL
										   ? cell->sum
										   : protect->published[i]);
		case CELL_STATUS:
			return unconstify(char *, status_of(protect, i));
		case CELL_COUNT:
			return hidden ? NULL : psprintf("%d", cell->count);
		default:
			return psprintf("%d", p + 1);
	}
}

static void
bind_column(const Writing *writing, CellColumn column)
{
	SdcHost *host = &writing->protect->host->kernel;
	Datum *value = sdc_new(host, Datum, (Size) writing->rows + 1);
	bool *isnull = sdc_new(host, bool, (Size) writing->rows + 1);
	int32 row = 0;
	int32 k;
	int p;

	for (p = 0; p < writing->parts; p++)
		for (k = 0; k < writing->part[p].cells; k++, row++)
		{
			char *text =
				cell_column(writing->protect, column,
							sdcpg_cells_place(&writing->part[p], k), p);

			host->poll(host, 0, 0);
			isnull[row] = text == NULL;
			value[row] = text == NULL ? (Datum) 0 : CStringGetTextDatum(text);
		}
	sdcpg_catalog_bind(writing->parameters, TEXTARRAYOID,
					   text_array(value, isnull, writing->rows), false);
	host->release(host, value);
	host->release(host, isnull);
}

/* The expression of the value: a sum, or a mean from sum and count. */
static char *
value_sql(const SdcProtect *protect, int value, int count)
{
	if (!protect->means)
		return psprintf("u.c%d::pg_catalog.numeric", value);
	return psprintf("pg_catalog.round(u.c%d::pg_catalog.numeric "
					"OPERATOR(pg_catalog./) u.c%d::pg_catalog.numeric, %d)",
					value, count, protect->digits);
}

/* One row for each cell: keys with their parents, value, status. */
static void
write_target(const SdcProtect *protect, SdcTarget *target,
			 const SdcTablePart *part, int parts)
{
	const SdcRelationColumns *keys = &protect->source.keys;
	Writing writing = {protect, part, parts, 0,
					   palloc0(sizeof(SdcCatalogParameters))};
	StringInfoData select;
	StringInfoData from;
	int count = 0;
	int k;
	int p;

	for (p = 0; p < parts; p++)
		writing.rows += part[p].cells;
	initStringInfo(&select);
	initStringInfo(&from);
	if (parts > 1)
	{
		bind_column(&writing, CELL_TABLE);
		count++;
		appendStringInfo(&select, "u.c%d::pg_catalog.int4 AS %s, ", count,
						 SDC_TABULAR_NUMBER);
	}
	for (k = 0; k < keys->count; k++)
	{
		const char *name = keys->column[k].name;

		if (parts == 1 && sdcpg_cells_key(part, k) < 0)
			continue;
		bind_key(&writing, k);
		count += 2;
		appendStringInfo(&select, "u.c%d AS %s, u.c%d AS %s, ", count - 1,
						 quote_identifier(name), count,
						 quote_identifier(sdcpg_table_parent_name(name)));
	}
	bind_column(&writing, CELL_VALUE);
	bind_column(&writing, CELL_STATUS);
	count += 2;
	appendStringInfo(&select, "%s AS %s, ",
					 value_sql(protect, count - 1, count + 1),
					 quote_identifier(protect->value_name));
	if (protect->means)
	{
		bind_column(&writing, CELL_COUNT);
		appendStringInfo(&select, "u.c%d::pg_catalog.int4 AS %s, ", count + 1,
						 quote_identifier(protect->count_name));
	}
	appendStringInfo(&select, "u.c%d AS %s", count,
					 quote_identifier(protect->status_name));
	count += protect->means;
	for (k = 1; k <= count; k++)
		appendStringInfo(&from, "%spg_catalog.unnest($%d)", k == 1 ? "" : ", ",
						 k);
	appendStringInfoString(&from, ") AS u(");
	for (k = 1; k <= count; k++)
		appendStringInfo(&from, "%sc%d", k == 1 ? "" : ", ", k);
	sdcpg_target_create(
		protect->host, target,
		psprintf("SELECT %s FROM ROWS FROM (%s)", select.data, from.data),
		writing.parameters, NIL);
	sdcpg_step_written(protect->steps, target);
}

/* Writes all tables, each to its target or all to one. */
static void
write_tables(SdcProtect *protect)
{
	SdcCellSource *source = &protect->source;
	int p;

	if (protect->target == NULL)
		return;
	if (source->parts == 1 || source->part[1].target == NULL)
	{
		write_target(protect, protect->target, source->part, source->parts);
		return;
	}
	source->part[0].target = protect->target;
	for (p = 0; p < source->parts; p++)
		write_target(protect, source->part[p].target, &source->part[p], 1);
}

/* Searches once; false with a cell that cannot be protected. */
static bool
hide_once(SdcProtect *protect, int32 *cell)
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

/*
 * After so many patterns, each with unsafe sums of hidden cells that the ones
 * before did not have, what is hidden stays hidden, so that there is an end.
 */
#define FREE_ROUNDS 4

/* Adds the cells of a pattern to those that must be hidden. */
static void
keep_hidden(SdcProtect *protect)
{
	int32 i;

	for (i = 0; i < protect->table->cells; i++)
		protect->hidden[i] = protect->hidden[i] && !is_inner(protect, i);
	protect->asked.kept = protect->hidden;
}

/* What the cells of the source are, and which are unsafe. */
static void
take_source(SdcProtect *protect)
{
	protect->cell = protect->source.cell;
	protect->table = protect->source.table;
	protect->table->whole = protect->source.value == NULL;
	protect->unsafe = apply_rules(protect);
}

/*
 * Finds the pattern; false with a cell that cannot be protected.  A sum of
 * hidden cells of a row is a cell, too, once the rest of the row is shown: the
 * unsafe ones are added, and it is searched again.  The first bound holds for
 * all patterns; the others only for those that protect a sum which another
 * pattern may not have.
 */
static bool
hide(SdcProtect *protect, int32 *cell)
{
	double bound = 0;
	int32 before = protect->source.inners;
	int round;

	for (round = 0;; round++)
	{
		if (!hide_once(protect, cell))
			return false;
		if (round == 0)
			bound = protect->result.bound;
		if (!protect->unions ||
			sdcpg_cells_unite(&protect->source, protect->hidden,
							  &protect->rules) == 0)
			break;
		if (round >= FREE_ROUNDS)
			keep_hidden(protect);
		take_source(protect);
	}
	if (round > 0)
	{
		protect->result.bound = bound + protect->source.inners - before;
		protect->result.proven = protect->result.proven &&
								 protect->result.cost <= protect->result.bound;
	}
	protect->result.secondary = -protect->unsafe - protect->source.inners;
	for (*cell = 0; *cell < protect->table->cells; ++*cell)
		protect->result.secondary += protect->hidden[*cell];
	return true;
}

/* Protects the table, says what was done, and writes it. */
static void
run(SdcProtect *protect)
{
	bool hides = protect->method == SDC_TABLE_SUPPRESS;
	int32 cell;

	protect->source.host = protect->host;
	sdcpg_cells_read(&protect->source);
	if (sdc_tabular_unbalanced(protect->source.table) >= 0)
		elog(ERROR, "the cells of the table do not add up");
	sdcpg_cells_asked(&protect->source, protect->params, protect->value_name,
					  &protect->asked);
	sdcpg_cells_add_rests(&protect->source, &protect->rules);
	take_source(protect);
	if (!(hides ? hide(protect, &cell) : change(protect, &cell)))
	{
		report_impossible(protect, cell);
		return;
	}
	write_tables(protect);
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
