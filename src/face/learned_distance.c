/*
 * learned_distance.c
 *		sdc.learn_distance and sdc.attack_learned: the worst distance.
 *
 * Both read the same arguments.  The seed only says where the search walks,
 * so without one it is 0 and not drawn: results can then be repeated.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/disclosure/learned_distance.h"
#include "pg/disclosure/linkage_links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_learn_distance);
PG_FUNCTION_INFO_V1(sdcf_attack_learned);

static const char *const directions[] = {"to_masked", "to_original", NULL};
static const char *const learn_keys[] = {"direction", "time_limit", "map",
										 NULL};
static const char *const attack_keys[] = {"direction", "time_limit", "map",
										  "max_candidates", NULL};

/* Seconds that a search may be given. */
#define SHORTEST 0.01
#define LONGEST  86400

/* Reads the arguments; stops unless those that must be given are. */
static SdcLearnedCall
read_arguments(FunctionCallInfo fcinfo, const char *const *keys)
{
	static const char *const names[] = {"original", "masked", "id", "keys",
										"method"};
	SdcLearnedCall call;
	Jsonb *params;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check(params, keys);
	memset(&call, 0, sizeof(call));
	call.linkage.original = PG_GETARG_OID(0);
	call.linkage.masked = PG_GETARG_OID(1);
	call.linkage.id = NameStr(*PG_GETARG_NAME(2));
	call.linkage.keys = PG_GETARG_ARRAYTYPE_P(3);
	call.linkage.method = SDC_LINKAGE_EUCLIDEAN;
	call.linkage.params = params;
	call.linkage.to_original =
		sdcpg_params_choice(params, "direction", directions) == 1;
	call.method = (SdcLearnedMethod) sdcpg_args_choice(
		"method", PG_GETARG_TEXT_PP(4), sdcpg_learned_methods);
	call.seconds = sdcpg_params_number(params, "time_limit",
									   SDC_LEARNED_SECONDS, SHORTEST, LONGEST);
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
	values[1] = JsonbPGetDatum(sdcpg_learned_parameters(model));
	values[2] = CStringGetTextDatum(
		sdcpg_linkage_methods[sdcpg_learned_linkage(method)]);
	values[3] = Int64GetDatum(model->records);
	values[4] = Int64GetDatum(result->uniform);
	values[5] = Int64GetDatum(result->reidentified);
	values[6] = Int64GetDatum(result->bound);
	values[7] = BoolGetDatum(result->exact);
	values[8] = CStringGetTextDatum(sdcpg_learned_explain(model));
	return heap_form_tuple(BlessTupleDesc(descriptor), values, isnull);
}

/*
 * learn_distance(original regclass, masked regclass, id name, keys name[],
 *                method text, params jsonb, seed bigint)
 */
Datum
sdcf_learn_distance(PG_FUNCTION_ARGS)
{
	SdcLearnedCall call = read_arguments(fcinfo, learn_keys);
	SdcPgHost *host;
	SdcLearnedModel model;
	HeapTuple row;

	host = sdcpg_host_begin("learn_distance", CurrentMemoryContext);
	model = sdcpg_learned_run(host, &call);
	row = make_row(fcinfo, &model);
	sdcpg_host_end(host);
	return HeapTupleGetDatum(row);
}

/*
 * attack_learned(original regclass, masked regclass, id name, keys name[],
 *                method text, params jsonb, seed bigint)
 */
Datum
sdcf_attack_learned(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcLearnedCall call = read_arguments(fcinfo, attack_keys);
	int32 max_candidates = sdcpg_params_integer(
		call.linkage.params, "max_candidates", SDC_LINKS_CANDIDATES, 1,
		SDC_LINKS_CANDIDATES_LIMIT);
	SdcLinkage linkage;
	SdcPgHost *host;

	host = sdcpg_host_begin("attack_learned", CurrentMemoryContext);
	sdcpg_learned_attack(&linkage, host, &call);
	sdcpg_linkage_links_put(&linkage, NULL, result, max_candidates);
	sdcpg_linkage_end(&linkage);
	sdcpg_host_end(host);
	return (Datum) 0;
}
