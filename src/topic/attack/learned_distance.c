/*
 * learned_distance.c
 *		Learns the worst distance for two relations and writes it down.
 *
 * Rows come in the order of their ids, so what is learned does not depend on
 * where they are stored.  The attack hands the parameters to the linkage as a
 * model, number by number, and reads the relations again: the linkage turns
 * them as its distance wants.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "common/shortest_dec.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linkage/link_measure.h"
#include "topic/attack/known.h"
#include "topic/attack/attack_rows.h"
#include "topic/attack/link.h"
#include "topic/attack/links.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

/* Steps of each family when params.work says nothing. */
#define WORK_DEFAULT INT64CONST(2000000000)

/*
 * What an attack of the registry learns from at the most: pairs of records,
 * steps of each family as a share of its budget unless params.work says
 * otherwise, keys.
 */
#define LEARNED_PAIRS 4e6
#define LEARNED_SHARE 0.1
#define LEARNED_KEYS  24

/*
 * What is learned from.  linkage.method must be SDC_LINKAGE_EUCLIDEAN, for
 * the standard scores; of its params only map is looked at.
 */
typedef struct SdcLearnedCall
{
	SdcLinkageCall linkage;
	SdcLearnedMethod method;
	double work; /* see SdcLearnedLimit */
	uint64 seed;
} SdcLearnedCall;

/* What was learned; arrays belong to the host. */
typedef struct SdcLearnedModel
{
	SdcRelationColumns keys;
	const char *scale;
	int32 records; /* that have a partner */
	SdcLearnedResult result;
	bool stopped; /* by the limit */
} SdcLearnedModel;

/* ----------------------------------------------------------------------
 * Sentences about a learned distance.
 *
 * How many records, how sure that is, which attribute leaks most, and which
 * pair of attributes says most together.
 * ----------------------------------------------------------------------
 */

/* Attributes that are named, and what is too little to be worth it. */
#define NAMED  3
#define LITTLE 0.005

static void
explain_counts(StringInfo text, const SdcLearnedModel *model)
{
	const SdcLearnedResult *result = &model->result;

	appendStringInfo(text,
					 "%d of %d records are re-identified, %d by the plain "
					 "mean of the attributes.",
					 result->reidentified, model->records, result->uniform);
	if (result->exact)
		appendStringInfo(
			text, " No parameters of %s on the scale \"%s\" re-identify more.",
			sdcpg_learned_methods[result->form->method], model->scale);
	else
		appendStringInfo(
			text,
			" By %s on the scale \"%s\" at most %d can be: the search %s "
			"before the gap of %d was closed.",
			sdcpg_learned_methods[result->form->method], model->scale,
			result->bound,
			model->stopped ? "reached its limit" : "could go no further",
			result->bound - result->reidentified);
}

/* The attribute that is the next most important after one, or -1. */
static int
next_important(const double *importance, const bool *named, int n)
{
	int found = -1;
	int j;

	for (j = 0; j < n; j++)
		if (!named[j] && fabs(importance[j]) >= LITTLE &&
			(found < 0 || fabs(importance[j]) > fabs(importance[found])))
			found = j;
	return found;
}

static void
explain_attributes(StringInfo text, const SdcLearnedModel *model,
				   const double *importance)
{
	bool named[SDC_LEARNED_MAX_COLUMNS] = {false};
	int n = model->keys.count;
	int count;

	for (count = 0; count < NAMED; count++)
	{
		int j = next_important(importance, named, n);

		if (j < 0)
			break;
		named[j] = true;
		appendStringInfo(text, "%s\"%s\" (%.2f)",
						 count == 0 ? " Most is leaked by " : ", ",
						 model->keys.column[j].name, importance[j]);
	}
	if (count > 0)
		appendStringInfoChar(text, '.');
}

static void
explain_pair(StringInfo text, const SdcLearnedModel *model,
			 const double *interaction)
{
	bool matrix = !model->result.form->monotone;
	int n = model->keys.count;
	int first = 0;
	int second = 0;
	double most = LITTLE;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j + 1; k < n; k++)
			if (fabs(interaction[j * n + k]) > most)
			{
				most = fabs(interaction[j * n + k]);
				first = j;
				second = k;
			}
	if (first == second)
		return;
	most = interaction[first * n + second];
	appendStringInfo(text,
					 " The pair \"%s\" and \"%s\" interacts most "
					 "(%.2f): ",
					 model->keys.column[first].name,
					 model->keys.column[second].name, most);
	if (matrix)
		appendStringInfo(text, "differences %s count more.",
						 most > 0 ? "in the same direction"
								  : "in opposite directions");
	else
		appendStringInfo(text, "they count %s together than apart.",
						 most > 0 ? "more" : "less");
}

/* A few sentences for a reader. */
static char *
learned_explain(const SdcLearnedModel *model)
{
	double importance[SDC_LEARNED_MAX_COLUMNS];
	double interaction[SDC_LEARNED_MAX_COLUMNS * SDC_LEARNED_MAX_COLUMNS];
	const SdcLearnedForm *form = model->result.form;
	StringInfoData text;

	initStringInfo(&text);
	explain_counts(&text, model);
	if (model->records == 0)
		return text.data;
	sdc_learned_explain(form, model->result.parameter, importance,
						interaction);
	if (form->method == SDC_LEARNED_OWA)
		appendStringInfo(&text,
						 " The largest difference of a pair of records has "
						 "weight %.2f, the smallest %.2f.",
						 importance[0], importance[form->columns - 1]);
	else
		explain_attributes(&text, model, importance);
	explain_pair(&text, model, interaction);
	return text.data;
}

/* ----------------------------------------------------------------------
 * Learns the worst distance for two relations and writes it down.
 * ----------------------------------------------------------------------
 */

/* Their names, in the order of SdcLearnedMethod; ends with NULL. */
const char *const sdcpg_learned_methods[] = {
	"wm",       "wm_m",     "owa",         "choquet",     "choquet_m",
	"choquet2", "bilinear", "bilinear_nc", "bilinear_pd", NULL};

/* What runs under the guard of GLPK. */
typedef struct Learning
{
	const SdcLearnedCall *call;
	SdcLearnedData data;
	SdcLearnedLimit limit;
	SdcLearnedResult result;
} Learning;

static void
check_columns(SdcLearnedMethod method, int columns)
{
	int most = sdc_learned_form_most(method);

	if (columns > most)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("method %s learns with at most %d keys",
							   sdcpg_learned_methods[method], most),
						errhint("Methods wm, owa and bilinear take up to %d.",
								SDC_LEARNED_MAX_COLUMNS)));
}

/* The rows of a file that have a point; place[row] is where, or -1. */
static double *
gather(SdcPgHost *host, const SdcLinkFile *file, int32 *place, int32 *count)
{
	double *score = sdc_new(&host->kernel, double,
							(Size) file->rows *(Size) file->columns);
	int32 i;
	int j;

	*count = 0;
	for (i = 0; i < file->rows; i++)
	{
		place[i] = -1;
		if (file->point[i] < 0)
			continue;
		for (j = 0; j < file->columns; j++)
			score[(Size) *count * file->columns + j] = file->value[j][i];
		place[i] = (*count)++;
	}
	return score;
}

/* Keeps the records that have a partner. */
static void
take_data(SdcPgHost *host, const SdcLinkage *linkage, SdcLearnedData *data)
{
	const SdcLinkFile *from = &linkage->from.file;
	int32 *place = sdc_new(&host->kernel, int32, from->rows);
	int32 *target = sdc_new(&host->kernel, int32, linkage->to.file.rows);
	int32 *own = sdc_new(&host->kernel, int32, from->rows);
	int32 complete;
	double *score = gather(host, from, place, &complete);
	Size width = sizeof(double) * from->columns;
	int32 i;

	memset(data, 0, sizeof(*data));
	data->columns = linkage->keys.count;
	data->kinds = linkage->kinds.count;
	data->owner = linkage->kinds.owner;
	data->target = gather(host, &linkage->to.file, target, &data->targets);
	for (i = 0; i < from->rows; i++)
	{
		int32 partner = linkage->partner[i];

		if (place[i] < 0 || partner < 0 || target[partner] < 0)
			continue;
		memmove(score + (Size) data->records * from->columns,
				score + (Size) place[i] * from->columns, width);
		own[data->records++] = target[partner];
	}
	data->record = score;
	data->own = own;
}

/* Marks the own targets of the records that are marked. */
static bool *
mark_targets(SdcPgHost *host, const SdcLearnedData *data, const bool *marked)
{
	bool *kept = sdc_new(&host->kernel, bool, data->targets);
	int32 i;

	memset(kept, 0, sizeof(bool) * data->targets);
	for (i = 0; i < data->records; i++)
		if (marked[i])
			kept[data->own[i]] = true;
	return kept;
}

/* Moves the marked rows to the front; place[row] is where; how many. */
static int32
compress_rows(double *row, int32 rows, int columns, const bool *marked,
			  int32 *place)
{
	int32 kept = 0;
	int32 i;

	for (i = 0; i < rows; i++)
	{
		if (!marked[i])
			continue;
		memmove(row + (Size) kept * columns, row + (Size) i * columns,
				sizeof(double) * columns);
		place[i] = kept++;
	}
	return kept;
}

/*
 * Learns from a sample of the records and their own targets when there are
 * more pairs than LEARNED_PAIRS.
 */
static void
thin_data(SdcPgHost *host, const SdcAttackCase *of, SdcLearnedData *data)
{
	double pairs = (double) data->records * data->targets;
	int width = data->columns + data->kinds;
	bool *marked = sdcpg_attack_sample(of, host, data->records, sqrt(pairs),
									   sqrt(LEARNED_PAIRS));
	bool *target;
	int32 *place;
	int32 *own = unconstify(int32 *, data->own);
	int32 kept = 0;
	int32 i;

	if (marked == NULL)
		return;
	target = mark_targets(host, data, marked);
	place = sdc_new(&host->kernel, int32, Max(data->targets, data->records));
	data->targets = compress_rows(unconstify(double *, data->target),
								  data->targets, width, target, place);
	for (i = 0; i < data->records; i++)
		if (marked[i])
			own[kept++] = place[own[i]];
	data->records = compress_rows(unconstify(double *, data->record),
								  data->records, width, marked, place);
}

static void
learn(SdcPgHost *host, void *arg)
{
	Learning *learning = arg;

	learning->result = sdc_learned_distance_solve(
		&host->kernel, learning->call->method, &learning->data,
		learning->call->seed, &learning->limit);
}

/*
 * Learns from the records whose id is in both relations; they are told from
 * all records of the other relation.  Too many keys for the method stop with
 * an error.  Runs GLPK under its guard.
 */
static SdcLearnedModel
learned_run(SdcPgHost *host, const SdcLearnedCall *call)
{
	SdcLearnedModel model;
	SdcLinkage linkage;
	Learning learning;

	sdcpg_linkage_prepare(&linkage, host, &call->linkage);
	check_columns(call->method, linkage.keys.count);
	memset(&learning, 0, sizeof(learning));
	learning.call = call;
	take_data(host, &linkage, &learning.data);
	if (call->linkage.sample != NULL)
		thin_data(host, call->linkage.sample, &learning.data);
	learning.limit.most = call->work;
	sdcpg_solver_run(host, learn, &learning);
	model.keys = linkage.keys;
	model.scale = sdc_link_scale_words[sdcpg_params_choice(
		call->linkage.params, "scale", sdc_link_scale_words)];
	model.records = learning.data.records;
	model.result = learning.result;
	model.stopped = sdc_learned_limit_reached(&learning.limit);
	sdcpg_linkage_end(&linkage);
	return model;
}

/* The method of sdc.attack_distance that a learned method belongs to. */
static SdcLinkageMethod
learned_linkage(SdcLearnedMethod method)
{
	switch (method)
	{
		case SDC_LEARNED_WM:
		case SDC_LEARNED_WM_M:
			return SDC_LINKAGE_WM;
		case SDC_LEARNED_OWA:
			return SDC_LINKAGE_OWA;
		case SDC_LEARNED_CHOQUET:
		case SDC_LEARNED_CHOQUET_M:
			return SDC_LINKAGE_CHOQUET;
		case SDC_LEARNED_CHOQUET2:
			return SDC_LINKAGE_CHOQUET2;
		default:
			return SDC_LINKAGE_BILINEAR;
	}
}

/* The shortest digits that give the number back. */
static void
put_number(StringInfo json, double number)
{
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(json, digits);
}

static Jsonb *
parse(const StringInfo json)
{
	return DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(json->data)));
}

/* The place of (i, j) in half a matrix. */
static int
half_place(int n, int i, int j)
{
	int low = Min(i, j);

	return low * n - low * (low - 1) / 2 + Max(i, j) - low;
}

static void
put_matrix(StringInfo json, const double *half, int n, bool rows)
{
	int i;
	int j;

	for (i = 0; i < n; i++)
	{
		appendStringInfoString(json, i > 0 ? "," : "");
		appendStringInfoString(json, rows ? "[" : "");
		for (j = 0; j < n; j++)
		{
			appendStringInfoString(json, j > 0 ? "," : "");
			put_number(json, half[half_place(n, i, j)]);
		}
		appendStringInfoString(json, rows ? "]" : "");
	}
}

/* The numbers as the form of the linkage has them (distance_params.h). */
static void
put_model(StringInfo json, const SdcLearnedModel *model)
{
	const SdcLearnedForm *form = model->result.form;
	const double *parameter = model->result.parameter;
	int count = sdc_learned_form_parameters(form);
	int i;

	switch (learned_linkage(form->method))
	{
		case SDC_LINKAGE_CHOQUET2:
		case SDC_LINKAGE_BILINEAR:
			put_matrix(json, parameter, form->columns, false);
			return;
		case SDC_LINKAGE_CHOQUET:
			appendStringInfoString(json, "0,");
			break;
		default:
			break;
	}
	for (i = 0; i < count; i++)
	{
		appendStringInfoString(json, i > 0 ? "," : "");
		put_number(json, parameter[i]);
	}
}

/* params for the linkage: those of the caller, and the model. */
static Jsonb *
model_params(const SdcLearnedModel *model, Jsonb *params)
{
	StringInfoData json;
	Jsonb *made;
	int j;

	initStringInfo(&json);
	appendStringInfoString(&json, "{\"model\":{\"columns\":[");
	for (j = 0; j < model->keys.count; j++)
	{
		appendStringInfoString(&json, j > 0 ? "," : "");
		escape_json(&json, model->keys.column[j].name);
	}
	appendStringInfoString(&json, "],\"parameters\":[");
	put_model(&json, model);
	appendStringInfoString(&json, "]}}");
	made = parse(&json);
	if (params == NULL)
		return made;
	return DatumGetJsonbP(DirectFunctionCall2(
		jsonb_concat, JsonbPGetDatum(params), JsonbPGetDatum(made)));
}

/* Members by sets of keys, written "a,b"; pairs: only of two keys. */
static void
put_sets(StringInfo json, const SdcLearnedModel *model, bool pairs)
{
	int n = model->keys.count;
	bool first = true;
	int set;

	for (set = 1; set < 1 << n; set++)
	{
		StringInfoData name;
		int members[2] = {0, 0};
		int size = 0;
		int j;

		initStringInfo(&name);
		for (j = 0; j < n; j++)
			if (set >> j & 1)
			{
				members[Min(size, 1)] = j;
				appendStringInfo(&name, "%s%s", size++ > 0 ? "," : "",
								 model->keys.column[j].name);
			}
		if (pairs ? size == 2 : set < (1 << n) - 1)
		{
			appendStringInfoString(json, first ? "" : ",");
			first = false;
			escape_json(json, name.data);
			appendStringInfoChar(json, ':');
			put_number(
				json,
				model->result
					.parameter[pairs ? half_place(n, members[0], members[1])
									 : set - 1]);
		}
		pfree(name.data);
	}
}

/* Members by key: entry j, or place (j, j) of half a matrix. */
static void
put_members(StringInfo json, const SdcLearnedModel *model, bool half)
{
	int n = model->keys.count;
	int j;

	for (j = 0; j < n; j++)
	{
		appendStringInfoString(json, j > 0 ? "," : "");
		escape_json(json, model->keys.column[j].name);
		appendStringInfoChar(json, ':');
		put_number(json,
				   model->result.parameter[half ? half_place(n, j, j) : j]);
	}
}

/* The parameters as sdc.attack_distance reads them. */
static Jsonb *
learned_parameters(const SdcLearnedModel *model)
{
	StringInfoData json;

	initStringInfo(&json);
	switch (learned_linkage(model->result.form->method))
	{
		case SDC_LINKAGE_WM:
			appendStringInfoString(&json, "{\"weights\":{");
			put_members(&json, model, false);
			appendStringInfoString(&json, "}}");
			break;
		case SDC_LINKAGE_OWA:
			appendStringInfoString(&json, "{\"weights\":[");
			put_model(&json, model);
			appendStringInfoString(&json, "]}");
			break;
		case SDC_LINKAGE_CHOQUET:
			appendStringInfoString(&json, "{\"capacity\":{");
			put_sets(&json, model, false);
			appendStringInfoString(&json, "}}");
			break;
		case SDC_LINKAGE_CHOQUET2:
			appendStringInfoString(&json, "{\"singletons\":{");
			put_members(&json, model, true);
			appendStringInfoString(&json, "},\"interactions\":{");
			put_sets(&json, model, true);
			appendStringInfoString(&json, "}}");
			break;
		default:
			appendStringInfoString(&json, "{\"matrix\":[");
			put_matrix(&json, model->result.parameter, model->keys.count,
					   true);
			appendStringInfoString(&json, "]}");
	}
	return parse(&json);
}

/*
 * Learns, and prepares the call that links by what was learned; steps are
 * those that the links may take.
 */
static void
learn_linkage(SdcPgHost *host, SdcLearnedCall *call, double steps)
{
	SdcLearnedModel model = learned_run(host, call);

	call->linkage.method = learned_linkage(call->method);
	call->linkage.params = model_params(&model, call->linkage.params);
	call->linkage.steps = steps;
	call->linkage.seed = call->seed;
}

static bool
is_one_to_one(const SdcLearnedCall *call)
{
	return sdcpg_params_choice(call->linkage.params, "assignment",
							   sdcpg_assignment_words) ==
		   SDC_ASSIGNMENT_ONE_TO_ONE;
}

/* ----------------------------------------------------------------------
 * sdc.learn_distance and sdc.attack_learned: the worst distance.
 *
 * Both read the same arguments.  The seed only says where the search walks,
 * so without one it is 0 and not drawn: results can then be repeated.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_learn_distance);
PG_FUNCTION_INFO_V1(sdcf_attack_learned);

static const SdcKey learn_keys[] = {SDC_TAKES_DIRECTION, SDC_TAKES_WORK(NULL),
									SDC_TAKES_MAP,       SDC_TAKES_SCALE,
									SDC_TAKES_RULES,     {NULL}};
const SdcKey sdcpg_learned_params[] = {
	SDC_TAKES_DIRECTION, SDC_TAKES_WORK(NULL),
	SDC_TAKES_MAP,       SDC_TAKES_CANDIDATES("100"),
	SDC_TAKES_SCALE,     SDC_TAKES_ASSIGNMENT,
	SDC_TAKES_RULES,     {NULL}};

/* params.work, or else so many steps. */
static int64
read_work(Jsonb *params, int64 usual)
{
	return sdcpg_params_has(params, "work")
			   ? sdcpg_keys_integer(learn_keys, params, "work")
			   : usual;
}

/* Reads the arguments; stops unless those that must be given are. */
static SdcLearnedCall
read_arguments(FunctionCallInfo fcinfo, const SdcKey *keys)
{
	SdcLearnedCall call;
	Jsonb *params;

	sdcpg_args_need_first(fcinfo, 2);
	sdcpg_args_need(fcinfo, 4);
	params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check_keys(params, keys);
	memset(&call, 0, sizeof(call));
	call.linkage.original = PG_GETARG_OID(0);
	call.linkage.masked = PG_GETARG_OID(1);
	call.linkage.id =
		sdcpg_roles_id_argument(fcinfo, 2, call.linkage.original);
	call.linkage.keys = sdcpg_roles_names_argument(
		fcinfo, 3, "keys", call.linkage.original, SDC_ROLE_KEY);
	call.linkage.method = SDC_LINKAGE_EUCLIDEAN;
	call.linkage.params = params;
	call.linkage.rules = sdcpg_known_rules(params, NULL);
	call.linkage.to_original =
		sdcpg_params_choice(params, "direction", sdcpg_direction_words) ==
		SDC_TO_ORIGINAL;
	call.method = (SdcLearnedMethod) sdcpg_args_choice(
		"variant", PG_GETARG_TEXT_PP(4), sdcpg_learned_methods);
	call.work = read_work(params, WORK_DEFAULT);
	call.seed = PG_ARGISNULL(6) ? 0 : (uint64) PG_GETARG_INT64(6);
	return call;
}

/* The row of sdc.distance_model. */
static HeapTuple
make_row(FunctionCallInfo fcinfo, const SdcLearnedModel *model)
{
	const SdcLearnedResult *result = &model->result;
	SdcLearnedMethod method = result->form->method;
	TupleDesc descriptor;
	Datum values[9];
	bool isnull[9] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = CStringGetTextDatum(sdcpg_learned_methods[method]);
	values[1] = JsonbPGetDatum(learned_parameters(model));
	values[2] =
		CStringGetTextDatum(sdcpg_linkage_methods[learned_linkage(method)]);
	values[3] = Int64GetDatum(model->records);
	values[4] = Int64GetDatum(result->uniform);
	values[5] = Int64GetDatum(result->reidentified);
	values[6] = Int64GetDatum(result->bound);
	values[7] = BoolGetDatum(result->exact);
	values[8] = CStringGetTextDatum(learned_explain(model));
	return heap_form_tuple(BlessTupleDesc(descriptor), values, isnull);
}

/*
 * learn_distance(original regclass, masked regclass, id name, keys columns,
 *                variant text, params jsonb, seed bigint)
 */
Datum
sdcf_learn_distance(PG_FUNCTION_ARGS)
{
	SdcLearnedCall call = read_arguments(fcinfo, learn_keys);
	SdcPgHost *host;
	SdcLearnedModel model;
	HeapTuple row;

	host = sdcpg_host_begin("learn_distance", CurrentMemoryContext);
	model = learned_run(host, &call);
	row = make_row(fcinfo, &model);
	sdcpg_host_end(host);
	return HeapTupleGetDatum(row);
}

/*
 * attack_learned(original regclass, masked regclass, id name, keys columns,
 *                variant text, params jsonb, seed bigint)
 */
Datum
sdcf_attack_learned(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcLearnedCall call = read_arguments(fcinfo, sdcpg_learned_params);
	int32 max_candidates = sdcpg_keys_integer(
		sdcpg_learned_params, call.linkage.params, "max_candidates");
	bool one_to_one = is_one_to_one(&call);
	SdcLinkageAssignment assignment;
	SdcLinkage linkage;
	SdcPgHost *host;

	host = sdcpg_host_begin("attack_learned", CurrentMemoryContext);
	learn_linkage(host, &call, 0);
	if (one_to_one)
	{
		sdcpg_linkage_prepare(&linkage, host, &call.linkage);
		assignment = sdcpg_linkage_assign(&linkage, call.seed);
	}
	else
		sdcpg_linkage_run(&linkage, host, &call.linkage);
	sdcpg_linkage_links_put(&linkage, one_to_one ? &assignment : NULL, result,
							max_candidates);
	sdcpg_linkage_end(&linkage);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/* The call that a case asks for. */
static SdcLearnedCall
call_of(const SdcAttack *attack, const SdcAttackCase *of)
{
	SdcLearnedCall call = {{0}};

	call.linkage.original = of->original->oid;
	call.linkage.masked = of->masked->oid;
	call.linkage.id = of->id;
	call.linkage.keys = of->keys;
	call.linkage.method = SDC_LINKAGE_EUCLIDEAN;
	call.linkage.params = of->params;
	call.linkage.rules = sdcpg_known_rules(of->params, of->rules);
	call.linkage.to_original =
		sdcpg_params_choice(of->params, "direction", sdcpg_direction_words) ==
		SDC_TO_ORIGINAL;
	call.method = (SdcLearnedMethod) sdcpg_args_choice(
		"variant", cstring_to_text(of->method), sdcpg_learned_methods);
	call.work =
		read_work(of->params, (int64) (LEARNED_SHARE * attack->budget));
	call.seed = of->seeded ? (uint64) of->seed : 0;
	return call;
}

void
sdcpg_attack_learned(const SdcAttack *attack, const SdcAttackCase *of,
					 SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcLearnedCall call = call_of(attack, of);
	SdcLinkage linkage;
	SdcLinkageAssignment assignment;
	SdcLinkSuccess found;

	if (ArrayGetNItems(ARR_NDIM(of->keys), ARR_DIMS(of->keys)) > LEARNED_KEYS)
	{
		outcome->reason = psprintf("There are more than %d numeric keys; run "
								   "attack_learned on some of them.",
								   LEARNED_KEYS);
		return;
	}
	/* what is learned from is thinned apart from who is attacked */
	call.linkage.sample = of;
	call.linkage.steps = INFINITY;
	learn_linkage(host, &call, attack->budget);
	if (is_one_to_one(&call))
	{
		call.linkage.sample = NULL;
		sdcpg_linkage_prepare(&linkage, host, &call.linkage);
		assignment = sdcpg_linkage_assign(&linkage, call.seed);
		found = sdcpg_link_assigned_count(&linkage, &assignment);
	}
	else
	{
		sdcpg_linkage_run(&linkage, host, &call.linkage);
		found = sdcpg_link_success_count(&linkage);
	}
	sdcpg_attack_links(outcome, &found, linkage.people);
	sdcpg_linkage_end(&linkage);
}
