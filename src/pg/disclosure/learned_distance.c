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

#include "common/shortest_dec.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "pg/call/args.h"
#include "pg/disclosure/learned_distance.h"
#include "pg/server/solver_guard.h"

const char *const sdcpg_learned_methods[] = {
	"wm",       "wm_m",     "owa",         "choquet",     "choquet_m",
	"choquet2", "bilinear", "bilinear_nc", "bilinear_pd", NULL};

/* What runs under the guard of GLPK. */
typedef struct Learning
{
	const SdcLearnedCall *call;
	SdcLearnedData data;
	SdcLearnedLimit limit;
	instr_time start;
	SdcLearnedResult result;
} Learning;

static double
elapsed(void *arg)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, *(instr_time *) arg);
	return INSTR_TIME_GET_DOUBLE(now);
}

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

/* The complete rows of a file, row by row; place[row] is where, or -1. */
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

/* Keeps the records whose partner is complete, too. */
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
	data->columns = from->columns;
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

static void
learn(SdcPgHost *host, void *arg)
{
	Learning *learning = arg;

	learning->result = sdc_learned_distance_solve(
		&host->kernel, learning->call->method, &learning->data,
		learning->call->seed, &learning->limit);
}

SdcLearnedModel
sdcpg_learned_run(SdcPgHost *host, const SdcLearnedCall *call)
{
	SdcLearnedModel model;
	SdcLinkage linkage;
	Learning learning;

	sdcpg_linkage_prepare(&linkage, host, &call->linkage);
	check_columns(call->method, linkage.keys.count);
	memset(&learning, 0, sizeof(learning));
	learning.call = call;
	take_data(host, &linkage, &learning.data);
	learning.limit.elapsed = elapsed;
	learning.limit.arg = &learning.start;
	learning.limit.seconds = call->seconds;
	INSTR_TIME_SET_CURRENT(learning.start);
	sdcpg_solver_run(host, learn, &learning);
	model.keys = linkage.keys;
	model.records = learning.data.records;
	model.result = learning.result;
	model.stopped = sdc_learned_limit_reached(&learning.limit);
	sdcpg_linkage_end(&linkage);
	return model;
}

SdcLinkageMethod
sdcpg_learned_linkage(SdcLearnedMethod method)
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

/* The numbers as the form of the linkage has them (distance_form.h). */
static void
put_model(StringInfo json, const SdcLearnedModel *model)
{
	const SdcLearnedForm *form = model->result.form;
	const double *parameter = model->result.parameter;
	int count = sdc_learned_form_parameters(form);
	int i;

	switch (sdcpg_learned_linkage(form->method))
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

Jsonb *
sdcpg_learned_parameters(const SdcLearnedModel *model)
{
	StringInfoData json;

	initStringInfo(&json);
	switch (sdcpg_learned_linkage(model->result.form->method))
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

void
sdcpg_learned_attack(SdcLinkage *linkage, SdcPgHost *host,
					 SdcLearnedCall *call)
{
	SdcLearnedModel model = sdcpg_learned_run(host, call);

	call->linkage.method = sdcpg_learned_linkage(call->method);
	call->linkage.params = model_params(&model, call->linkage.params);
	sdcpg_linkage_run(linkage, host, &call->linkage);
}

SdcLinkSuccess
sdcpg_learned_success(SdcPgHost *host, Oid original, Oid masked,
					  const char *id, ArrayType *keys, bool to_original,
					  double seconds)
{
	SdcLearnedCall call = {{0}};
	SdcLinkage linkage;
	SdcLinkSuccess found;

	call.linkage.original = original;
	call.linkage.masked = masked;
	call.linkage.id = id;
	call.linkage.keys = keys;
	call.linkage.to_original = to_original;
	call.method = SDC_LEARNED_WM;
	call.seconds = seconds;
	sdcpg_learned_attack(&linkage, host, &call);
	found = sdcpg_link_success_count(&linkage);
	sdcpg_linkage_end(&linkage);
	return found;
}
