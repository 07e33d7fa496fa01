/*
 * distance_params.c
 *		Parametric distances in the argument "params".
 *
 * Each form has a way of writing that a person can read, by the names of the
 * columns; a model that was learned is written as the kernel has it.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/learned/learned_form.h"
#include "topic/attack/distance_params.h"

static void
missing_key(const char *key, const char *method)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("key \"%s\" is missing in argument \"params\"", key),
			 errdetail("Method %s needs it, or a model that was learned.",
					   method)));
}

/* Stops unless the form is what its kind asks for. */
static void
check_form(const SdcDistanceForm *form, const char *key)
{
	const char *flaw = sdc_distance_form_flaw(form);

	if (flaw != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("key \"%s\" in argument \"params\" is not a "
							   "distance: %s",
							   key, flaw)));
}

static double
number_of(const JsonbValue *value, const char *key, const char *what)
{
	if (value == NULL || value->type != jbvNumeric)
		sdcpg_params_wrong(key, what);
	return DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

/* Fills number[] from an array, which must have so many. */
static void
read_numbers(const JsonbValue *value, const char *key, double *number,
			 size_t count)
{
	char *what = psprintf("an array of %zu numbers", count);
	size_t i;

	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != count)
		sdcpg_params_wrong(key, what);
	for (i = 0; i < count; i++)
		number[i] = number_of(
			getIthJsonbValueFromContainer(value->val.binary.data, (uint32) i),
			key, what);
}

/* Divides weights by their sum, if they are weights. */
static void
divide_weights(double *weight, int count, const char *key)
{
	double greatest = 0;
	double sum = 0;
	int j;

	for (j = 0; j < count; j++)
	{
		if (!(weight[j] >= 0 && weight[j] <= DBL_MAX))
			sdcpg_params_wrong(key, "weights of 0 or more");
		greatest = Max(greatest, weight[j]);
	}
	if (greatest == 0)
		sdcpg_params_wrong(key, "weights of which one is above 0");
	for (j = 0; j < count; j++)
		sum += weight[j] /= greatest;
	for (j = 0; j < count; j++)
		weight[j] /= sum;
}

double *
sdcpg_distance_params_weights(SdcPgHost *host, Jsonb *params,
							  const SdcRelationColumns *keys)
{
	double *weight = sdc_new(&host->kernel, double, keys->count);
	int j;

	sdcpg_params_members_check(params, "weights", keys, false);
	for (j = 0; j < keys->count; j++)
		weight[j] = sdcpg_params_member_number(
			params, "weights", keys->column[j].name, 1, 0, DBL_MAX);
	divide_weights(weight, keys->count, "weights");
	return weight;
}

/* The numbers of an object by column, which must name every key. */
static void
read_members(Jsonb *params, const char *key, const SdcRelationColumns *keys,
			 double low, double *number, int stride)
{
	int j;

	sdcpg_params_members_check(params, key, keys, false);
	for (j = 0; j < keys->count; j++)
	{
		number[j * stride] = sdcpg_params_member_number(
			params, key, keys->column[j].name, NAN, low, DBL_MAX);
		if (isnan(number[j * stride]))
			sdcpg_params_wrong(key, "an object with a number for every key");
	}
}

static int
find_key(const SdcRelationColumns *keys, const char *name, Size length)
{
	int j;

	for (j = 0; j < keys->count; j++)
		if (strlen(keys->column[j].name) == length &&
			memcmp(keys->column[j].name, name, length) == 0)
			return j;
	return -1;
}

/* The set of keys that "a,b" names, as bits. */
static uint64
read_set(const SdcRelationColumns *keys, const char *key, const char *names)
{
	const char *next = names;
	uint64 set = 0;

	for (;;)
	{
		const char *comma = strchr(next, ',');
		Size length = comma == NULL ? strlen(next) : (Size) (comma - next);
		int column = find_key(keys, next, length);

		if (column < 0 || (set >> column & 1) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("key \"%s\" in argument \"params\" names \"%s\", "
							"which is not a set of keys",
							key, names),
					 errhint("A set is written as \"a,b\", without spaces and "
							 "each column once.")));
		set |= UINT64CONST(1) << column;
		if (comma == NULL)
			return set;
		next = comma + 1;
	}
}

/* Called for each member of an object by sets. */
typedef void (*UseSet)(SdcDistanceForm *form, uint64 set, double number);

static void
read_sets(Jsonb *params, const char *key, const SdcRelationColumns *keys,
		  SdcDistanceForm *form, UseSet use)
{
	const char *what = "an object of numbers by sets of keys";
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	uint64 set = 0;

	if (!sdcpg_params_find(params, key, &value))
		return;
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong(key, what);
	iterator = JsonbIteratorInit(value.val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			set =
				read_set(keys, key,
						 pnstrdup(value.val.string.val, value.val.string.len));
		else if (token == WJB_VALUE)
			use(form, set, number_of(&value, key, what));
	}
}

static void
use_capacity(SdcDistanceForm *form, uint64 set, double number)
{
	form->parameter[set] = number;
}

static void
read_capacity(SdcDistanceForm *form, Jsonb *params,
			  const SdcRelationColumns *keys)
{
	uint32 sets = (uint32) 1 << keys->count;
	uint32 set;

	for (set = 1; set < sets - 1; set++)
		form->parameter[set] = NAN;
	form->parameter[0] = 0;
	form->parameter[sets - 1] = 1;
	read_sets(params, "capacity", keys, form, use_capacity);
	for (set = 1; set < sets; set++)
		if (isnan(form->parameter[set]))
			sdcpg_params_wrong(
				"capacity", "an object with a number for every set of keys");
}

/* Puts an interaction at both of its places. */
static void
use_interaction(SdcDistanceForm *form, uint64 set, double number)
{
	int n = form->columns;
	int j = 0;
	int k;

	while ((set >> j & 1) == 0)
		j++;
	k = j + 1;
	while (k < n && (set >> k & 1) == 0)
		k++;
	if (k == n || set != (UINT64CONST(1) << j | UINT64CONST(1) << k))
		sdcpg_params_wrong("interactions", "an object by pairs of keys");
	form->parameter[j * n + k] = form->parameter[k * n + j] = number;
}

static void
read_pairs(SdcDistanceForm *form, Jsonb *params,
		   const SdcRelationColumns *keys)
{
	memset(form->parameter, 0,
		   sizeof(double) * keys->count * (Size) keys->count);
	read_members(params, "singletons", keys, -DBL_MAX, form->parameter,
				 keys->count + 1);
	read_sets(params, "interactions", keys, form, use_interaction);
}

static void
read_matrix(SdcDistanceForm *form, Jsonb *params)
{
	int n = form->columns;
	JsonbValue value;
	int j;

	(void) sdcpg_params_find(params, "matrix", &value);
	if (value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data) ||
		JsonContainerSize(value.val.binary.data) != n)
		sdcpg_params_wrong("matrix", psprintf("an array of %d rows", n));
	for (j = 0; j < n; j++)
		read_numbers(getIthJsonbValueFromContainer(value.val.binary.data, j),
					 "matrix", form->parameter + j * n, n);
}

/* Stops unless the model is of this method and of these columns. */
static void
check_model(JsonbContainer *model, const char *method,
			const SdcRelationColumns *keys)
{
	JsonbValue *columns =
		getKeyJsonValueFromContainer(model, "columns", 7, NULL);
	JsonbValue *name = getKeyJsonValueFromContainer(model, "method", 6, NULL);
	bool same = columns != NULL && columns->type == jbvBinary &&
				JsonContainerIsArray(columns->val.binary.data) &&
				JsonContainerSize(columns->val.binary.data) == keys->count;
	int j;

	if (name != NULL &&
		(name->type != jbvString ||
		 name->val.string.len != (int) strlen(method) ||
		 strncmp(name->val.string.val, method, name->val.string.len) != 0))
		sdcpg_params_wrong("model", psprintf("a model of method %s", method));
	for (j = 0; same && j < keys->count; j++)
	{
		JsonbValue *column =
			getIthJsonbValueFromContainer(columns->val.binary.data, j);

		same =
			column->type == jbvString && find_key(keys, column->val.string.val,
												  column->val.string.len) == j;
	}
	if (!same)
		sdcpg_params_wrong("model",
						   "a model whose columns are the keys, in their "
						   "order");
}

static void
read_model(SdcDistanceForm *form, const char *method, Jsonb *params,
		   const SdcRelationColumns *keys)
{
	JsonbValue value;

	(void) sdcpg_params_find(params, "model", &value);
	if (value.type != jbvBinary ||
		!JsonContainerIsObject(value.val.binary.data))
		sdcpg_params_wrong("model", "an object");
	check_model(value.val.binary.data, method, keys);
	read_numbers(getKeyJsonValueFromContainer(value.val.binary.data,
											  "parameters", 10, NULL),
				 "model", form->parameter,
				 sdc_distance_form_parameters(form->kind, form->columns));
	check_form(form, "model");
}

/* Reads what the method calls its parameters. */
static void
read_form(SdcDistanceForm *form, const char *key, Jsonb *params,
		  const SdcRelationColumns *keys)
{
	JsonbValue value;

	switch (form->kind)
	{
		case SDC_DISTANCE_WM:
			read_members(params, key, keys, 0, form->parameter, 1);
			divide_weights(form->parameter, form->columns, key);
			break;
		case SDC_DISTANCE_OWA:
			(void) sdcpg_params_find(params, key, &value);
			read_numbers(&value, key, form->parameter, form->columns);
			divide_weights(form->parameter, form->columns, key);
			break;
		case SDC_DISTANCE_CHOQUET:
			read_capacity(form, params, keys);
			break;
		case SDC_DISTANCE_CHOQUET2:
			read_pairs(form, params, keys);
			break;
		case SDC_DISTANCE_BILINEAR:
			read_matrix(form, params);
			break;
	}
	check_form(form, key);
}

/* What each kind of distance calls its parameters. */
static const char *const parameter_names[] = {"weights", "weights", "capacity",
											  "singletons", "matrix"};

void
sdcpg_distance_params_check(SdcDistanceKind kind, const char *method,
							Jsonb *params)
{
	const char *name = parameter_names[kind];
	Jsonb *model = sdcpg_params_object(params, "model");

	if (model == NULL)
	{
		if (!sdcpg_params_has(params, name))
			missing_key(name, method);
	}
	else if (!sdcpg_params_has(model, "columns") ||
			 !sdcpg_params_has(model, "parameters"))
		sdcpg_params_wrong("model", "a model that sdc.learn_distance returns");
	else if (sdcpg_params_has(params, name) ||
			 sdcpg_params_has(params, "interactions"))
		sdcpg_params_wrong("model", "the only source of parameters");
}

SdcDistanceForm
sdcpg_distance_params_read(SdcPgHost *host, SdcDistanceKind kind,
						   const char *method, Jsonb *params,
						   const SdcRelationColumns *keys)
{
	size_t count = sdc_distance_form_parameters(kind, keys->count);
	SdcDistanceForm form;

	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("method %s takes at most %d keys", method,
							   SDC_DISTANCE_CHOQUET_COLUMNS),
						errhint("Method choquet2 takes more.")));
	form.kind = kind;
	form.columns = keys->count;
	form.parameter = sdc_new(&host->kernel, double, count);
	sdcpg_distance_params_check(kind, method, params);
	if (sdcpg_params_has(params, "model"))
		read_model(&form, method, params, keys);
	else
		read_form(&form, parameter_names[kind], params, keys);
	return form;
}
