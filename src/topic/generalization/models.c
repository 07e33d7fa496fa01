/*
 * models.c
 *		Models of privacy that a search must satisfy: bounds on the measures of
 *		risk, by name.
 *
 * A model is written as a constraint of a policy is, and the registry says
 * which measures are models, and of which searches: so a search cannot mean
 * anything else by a name than the report does.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/data/dictionary.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "topic/generalization/hierarchy.h"
#include "topic/generalization/generalization.h"
#include "topic/registry/measures.h"
#include "topic/registry/roles.h"

#define MOST 1e12

static const SdcKey model_keys[] = {
	{"measure", SDC_KEY_TEXT, true},
	{">=", SDC_KEY_NUMBER, .low = 0, .high = MOST},
	{"<=", SDC_KEY_NUMBER, .low = 0, .high = MOST},
	{"column", SDC_KEY_TEXT},
	{"c", SDC_KEY_NUMBER, .low = 1e-9, .high = 1e9, .absent = "2"},
	{"allowed", SDC_KEY_NAMES},
	{"protected", SDC_KEY_NAMES},
	{"hierarchy", SDC_KEY_TEXT},
	{"threshold", SDC_KEY_NUMBER, .low = 0, .high = 1, .absent = "0.2"},
	{"sampling_fraction", SDC_KEY_NUMBER, .low = 1e-12, .high = 1},
	{NULL}};

/* The keys that only some measures have. */
static const struct
{
	const char *key;
	const char *measure;
	bool needed;
} only[] = {{"c", "l_recursive"},
			{"c", "l_pd_recursive"},
			{"allowed", "l_pd_recursive"},
			{"protected", "protected_share", true},
			{"hierarchy", "t_hierarchical", true},
			{"threshold", "at_risk"},
			{"sampling_fraction", "population_unique_share", true}};

/* The measures that are models of a search: "k_anonymity, ..." */
static char *
names_of(int searches)
{
	const SdcMeasure *row = NULL;
	StringInfoData names;

	initStringInfo(&names);
	while ((row = sdcpg_measure_next(SDC_MEASURE_RISK, row)) != NULL)
		if (row->searches & searches)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 row->name);
	return names.data;
}

static const SdcMeasure *
find_measure(Jsonb *object, int searches)
{
	char *name = sdcpg_params_text(object, "measure");
	const SdcMeasure *measure = sdcpg_measure_find(SDC_MEASURE_RISK, name);

	if (measure == NULL || measure->model == SDC_MODEL_NONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is not a model of privacy", name),
						errhint("Models are %s.", names_of(searches))));
	if ((measure->searches & searches) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this search cannot take the model \"%s\"", name),
				 errhint("It takes %s.", names_of(searches))));
	return measure;
}

/* Stops at a key that the measure does not have, or lacks. */
static void
check_keys(Jsonb *object, const SdcModel *model)
{
	const char *name = model->measure->name;
	int i;
	int j;

	if (model->column != NULL && model->measure->model != SDC_MODEL_VALUES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("model \"%s\" is about no column", name)));
	for (i = 0; i < lengthof(only); i++)
	{
		bool has = sdcpg_params_has(object, only[i].key);
		bool may = false;

		for (j = 0; j < lengthof(only); j++)
			may |= strcmp(only[j].key, only[i].key) == 0 &&
				   strcmp(only[j].measure, name) == 0;
		if (has && !may)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("model \"%s\" has no key \"%s\"", name,
								   only[i].key)));
		if (!has && only[i].needed && strcmp(only[i].measure, name) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("model \"%s\" needs the key \"%s\"", name,
								   only[i].key)));
	}
}

/* The bound, which must be on the side that protects. */
static double
read_bound(Jsonb *object, const SdcMeasure *measure)
{
	bool at_least = sdcpg_measure_at_least(measure);
	const char *sign = at_least ? ">=" : "<=";

	if (sdcpg_params_has(object, at_least ? "<=" : ">=") ||
		!sdcpg_params_has(object, sign))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" needs a bound under \"%s\", and no "
						"other",
						measure->name, sign)));
	return sdcpg_keys_number(model_keys, object, sign);
}

/* Says which model an error is about. */
static void
tell_place(void *place)
{
	errcontext("model %d under the key \"models\"", *(int *) place);
}

static SdcModel *
read_model(Jsonb *object, int searches)
{
	SdcModel *model = palloc0(sizeof(SdcModel));

	sdcpg_keys_check(object, model_keys, "a model", "A model");
	model->measure = find_measure(object, searches);
	model->column = sdcpg_params_text(object, "column");
	check_keys(object, model);
	model->bound = read_bound(object, model->measure);
	model->c = sdcpg_keys_number(model_keys, object, "c");
	model->threshold = sdcpg_keys_number(model_keys, object, "threshold");
	model->fraction =
		sdcpg_keys_number(model_keys, object, "sampling_fraction");
	model->hierarchy = sdcpg_params_text(object, "hierarchy");
	model->allowed = sdcpg_params_names(object, "allowed");
	model->guarded = sdcpg_params_names(object, "protected");
	return model;
}

/* Appends a model; of those on the sizes of classes there is one of each. */
static List *
add_model_once(List *models, SdcModel *model)
{
	ListCell *cell;

	foreach (cell, models)
		if (model->measure->model == SDC_MODEL_SIZES &&
			((SdcModel *) lfirst(cell))->measure == model->measure)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("model \"%s\" is given twice",
								   model->measure->name)));
	return lappend(models, model);
}

/* The least size of a class: k, or more if models say so. */
static int32
least_size(List *models, int32 k)
{
	ListCell *cell;

	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);
		double size;

		if (model->measure->model != SDC_MODEL_SIZE)
			continue;
		size = sdcpg_measure_at_least(model->measure)
				   ? ceil(model->bound * (1 - 1e-9))
				   : ceil(1 / model->bound * (1 - 1e-9));
		if (!(size <= PG_INT32_MAX))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("model \"%s\" asks for classes of more than %d "
							"records",
							model->measure->name, PG_INT32_MAX)));
		k = Max(k, (int32) size);
	}
	return k;
}

List *
sdcpg_models_read(Jsonb *object, int searches, int32 *k)
{
	int place = 1;
	ErrorContextCallback context = {error_context_stack, tell_place, &place};
	List *models = NIL;
	JsonbValue array;
	int count;

	if (!sdcpg_params_find(object, "models", &array))
		return NIL;
	if (array.type != jbvBinary ||
		!JsonContainerIsArray(array.val.binary.data) ||
		JsonContainerIsScalar(array.val.binary.data))
		sdcpg_params_wrong("models", "an array of objects");
	count = JsonContainerSize(array.val.binary.data);
	error_context_stack = &context;
	for (; place <= count; place++)
	{
		JsonbValue *one = getIthJsonbValueFromContainer(array.val.binary.data,
														(uint32) place - 1);

		if (one->type != jbvBinary ||
			!JsonContainerIsObject(one->val.binary.data))
			sdcpg_params_wrong("models", "an array of objects");
		models = add_model_once(models,
								read_model(JsonbValueToJsonb(one), searches));
	}
	error_context_stack = context.previous;
	if (k != NULL)
		*k = least_size(models, *k);
	return models;
}

/*
 * Those that models name, when each that is about values does; *any tells
 * whether one is.
 */
static List *
named_columns(List *models, bool *any)
{
	List *columns = NIL;
	bool all = true;
	ListCell *cell;

	*any = false;
	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->measure->model != SDC_MODEL_VALUES)
			continue;
		*any = true;
		if (model->column == NULL)
			all = false;
		else if (!sdcpg_params_is_listed(columns, model->column))
			columns = lappend(columns, model->column);
	}
	return all ? columns : NIL;
}

/* Stops when a model names a column that is not among these. */
static void
check_columns(List *models, const SdcRelationColumns *sensitive)
{
	ListCell *cell;
	int i;

	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->column == NULL)
			continue;
		for (i = 0; i < sensitive->count; i++)
			if (strcmp(sensitive->column[i].name, model->column) == 0)
				break;
		if (i == sensitive->count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("model \"%s\" names column \"%s\", which is not "
							"one of the sensitive columns",
							model->measure->name, model->column)));
	}
}

SdcRelationColumns
sdcpg_models_sensitive(List *models, const SdcRelation *relation,
					   ArrayType *names, bool all)
{
	SdcRelationColumns columns = {0};
	bool any;
	List *named = named_columns(models, &any);
	ListCell *cell;

	if (!all && !any)
		return columns;
	if (names == NULL && !all && named != NIL)
	{
		columns.column =
			palloc(sizeof(SdcRelationColumn) * list_length(named));
		foreach (cell, named)
			columns.column[columns.count++] =
				sdcpg_relation_column(relation, lfirst(cell));
	}
	else
		columns = sdcpg_roles_need_columns(relation, "sensitive", names,
										   SDC_ROLE_SENSITIVE);
	check_columns(models, &columns);
	return columns;
}

/* ---------- what models ask of a column ---------- */

static bool
same_list(const List *a, const List *b)
{
	const ListCell *x;
	const ListCell *y;

	if (list_length(a) != list_length(b))
		return false;
	forboth(x, a, y, b) if (strcmp(lfirst(x), lfirst(y)) != 0) return false;
	return true;
}

pg_noreturn static void
differ(const char *column, const char *key)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("two models of column \"%s\" differ in \"%s\"",
						   column, key)));
}

static void
add_model(const SdcModel *model, const char *column, SdcModelColumn *wanted)
{
	SdcClassRequest *request = &wanted->request;
	SdcClassMeasure line = model->measure->line;
	unsigned recursive = SDC_CLASS_WANT(SDC_CLASS_RECURSIVE) |
						 SDC_CLASS_WANT(SDC_CLASS_PD_RECURSIVE);
	bool first = (request->wanted & SDC_CLASS_WANT(line)) == 0;
	double *bound = &request->bound[line];

	if ((request->wanted & recursive) != 0 &&
		(SDC_CLASS_WANT(line) & recursive) != 0 && request->c != model->c)
		differ(column, "c");
	if (!first && !same_list(wanted->allowed, model->allowed) &&
		line == SDC_CLASS_PD_RECURSIVE)
		differ(column, "allowed");
	if (!first && !same_list(wanted->guarded, model->guarded) &&
		line == SDC_CLASS_PROTECTED)
		differ(column, "protected");
	if (!first && line == SDC_CLASS_T_HIERARCHICAL &&
		strcmp(wanted->hierarchy, model->hierarchy) != 0)
		differ(column, "hierarchy");
	if ((SDC_CLASS_WANT(line) & recursive) != 0)
		request->c = model->c;
	if (line == SDC_CLASS_PD_RECURSIVE)
		wanted->allowed = model->allowed;
	if (line == SDC_CLASS_PROTECTED)
		wanted->guarded = model->guarded;
	if (line == SDC_CLASS_T_HIERARCHICAL)
		wanted->hierarchy = model->hierarchy;
	request->wanted |= SDC_CLASS_WANT(line);
	if (isnan(*bound))
		*bound = model->bound;
	else
		*bound = sdcpg_measure_at_least(model->measure)
					 ? Max(*bound, model->bound)
					 : Min(*bound, model->bound);
}

void
sdcpg_models_of_column(List *models, const char *column,
					   SdcModelColumn *wanted)
{
	ListCell *cell;

	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->measure->model == SDC_MODEL_VALUES &&
			(model->column == NULL || strcmp(model->column, column) == 0))
			add_model(model, column, wanted);
	}
}

/* ---------- what they ask of sizes ---------- */

SdcSizeBounds *
sdcpg_models_sizes(List *models, int64 records)
{
	SdcSizeBounds *bounds = NULL;
	ListCell *cell;

	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->measure->model != SDC_MODEL_SIZES)
			continue;
		if (bounds == NULL)
		{
			bounds = palloc(sizeof(SdcSizeBounds));
			*bounds = sdc_size_bounds();
		}
		bounds->bound[model->measure->line] = model->bound;
		if (model->measure->line == SDC_SIZE_AT_RISK)
			bounds->threshold = model->threshold;
		if (model->measure->line == SDC_SIZE_POPULATION_UNIQUES)
			bounds->people = records / model->fraction;
	}
	return bounds;
}

static bool
need_register(List *models)
{
	ListCell *cell;

	foreach (cell, models)
	{
		const SdcModel *model = lfirst(cell);

		if (model->measure->model == SDC_MODEL_SIZES &&
			model->measure->line < SDC_SIZE_AVERAGE)
			return true;
	}
	return false;
}

SdcRelation *
sdcpg_models_register(List *models, Jsonb *object)
{
	bool needed = need_register(models);
	SdcRelation *people = sdcpg_params_relation(object, "population");

	if (needed == (people != NULL))
		return people;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					needed ? errmsg("a model needs the key \"population\"")
						   : errmsg("no model needs the key \"population\""),
					errhint("It names a register of all people, with columns "
							"of the names of the keys.")));
}

/* ---------- lists of values ---------- */

/* Marks the slots of the values of a list; returns how many they are. */
static int32
mark(SdcDictionary *dictionary, List *list, bool *marked)
{
	int32 values = sdcpg_dictionary_values(dictionary);
	Oid type = sdcpg_dictionary_type(dictionary);
	SdcEquality equality;
	ListCell *cell;
	Oid input;
	Oid parameter;
	int32 absent = 0;
	int32 i;

	memset(marked, 0, sizeof(bool) * (values + 1));
	sdcpg_equality_find(&equality, type, get_typcollation(type),
						CurrentMemoryContext);
	getTypeInputInfo(type, &input, &parameter);
	foreach (cell, list)
	{
		Datum value = OidInputFunctionCall(input, lfirst(cell), parameter, -1);

		for (i = 0; i < values; i++)
			if (sdcpg_equality_same(&equality, value,
									sdcpg_dictionary_value(dictionary, i)))
				break;
		if (i < values)
			marked[i] = true;
		else
			absent++;
	}
	for (i = 0; i < values; i++)
		absent += marked[i];
	return absent;
}

void
sdcpg_model_lists(SdcHost *host, SdcClassRequest *request,
				  SdcDictionary *dictionary, List *allowed, List *guarded)
{
	size_t slots = (size_t) sdcpg_dictionary_values(dictionary) + 1;
	bool *marked;

	if (allowed != NIL)
	{
		marked = sdc_new(host, bool, slots);
		(void) mark(dictionary, allowed, marked);
		request->allowed = marked;
	}
	if (guarded != NIL)
	{
		marked = sdc_new(host, bool, slots);
		request->guards = mark(dictionary, guarded, marked);
		request->guarded = marked;
	}
}

SdcClassRequest
sdcpg_model_bind(SdcPgHost *host, const SdcModelColumn *wanted,
				 SdcDictionary *dictionary)
{
	SdcClassRequest request = wanted->request;

	if (wanted->hierarchy != NULL)
		request.hierarchy =
			sdcpg_hierarchy_map(host, wanted->hierarchy, dictionary);
	sdcpg_model_lists(&host->kernel, &request, dictionary, wanted->allowed,
					  wanted->guarded);
	return request;
}
