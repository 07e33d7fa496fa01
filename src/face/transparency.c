/*
 * transparency.c
 *		sdc.transparency_sets and attack_transparency: the intruder who knows
 *		how the file was masked.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/disclosure/transparency_links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_transparency_sets);
PG_FUNCTION_INFO_V1(sdcf_attack_transparency);

static const char *const keys_of_sets[] = {"p_bound", "delta", "map", NULL};
static const char *const keys_of_attack[] = {"p_bound", "delta", "map",
											 "max_candidates", NULL};

/* Candidates of a record that are named. */
#define MAX_CANDIDATES_DEFAULT 10
#define MAX_CANDIDATES_LIMIT   1000000

/* Stops unless the arguments that must be given are, then loads. */
static void
load(SdcTransparency *transparency, SdcPgHost *host, FunctionCallInfo fcinfo,
	 Jsonb *params)
{
	static const char *const names[] = {"original", "masked", "id", "keys",
										"rules"};
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	sdcpg_transparency_load(transparency, host, PG_GETARG_OID(0),
							PG_GETARG_OID(1), NameStr(*PG_GETARG_NAME(2)),
							PG_GETARG_ARRAYTYPE_P(3), PG_GETARG_JSONB_P(4),
							params);
	sdcpg_transparency_prepare(transparency);
}

/*
 * transparency_sets(original regclass, masked regclass, id name, keys name[],
 *                   rules jsonb, params jsonb)
 */
Datum
sdcf_transparency_sets(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	SdcTransparency transparency;
	SdcPgHost *host;

	sdcpg_params_check(params, keys_of_sets);
	host = sdcpg_host_begin("transparency_sets", CurrentMemoryContext);
	load(&transparency, host, fcinfo, params);
	sdcpg_transparency_put_sets(&transparency, result);
	sdcpg_host_end(host);
	return (Datum) 0;
}

/*
 * attack_transparency(original regclass, masked regclass, id name,
 *                     keys name[], rules jsonb, params jsonb, seed bigint)
 */
Datum
sdcf_attack_transparency(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	SdcTransparency transparency;
	SdcPgHost *host;
	int32 max_candidates;

	sdcpg_params_check(params, keys_of_attack);
	max_candidates =
		sdcpg_params_integer(params, "max_candidates", MAX_CANDIDATES_DEFAULT,
							 1, MAX_CANDIDATES_LIMIT);
	host = sdcpg_host_begin("attack_transparency", CurrentMemoryContext);
	load(&transparency, host, fcinfo, params);
	sdcpg_transparency_put_links(&transparency, result, max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}
