/*
 * link.c
 *		sdc.attack_distance: who is nearest to whom.
 *
 * A record is linked to the whole set of records that are equally near, each
 * with the same probability, or in a one-to-one assignment to one record.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/disclosure/linkage.h"
#include "pg/disclosure/linkage_assign.h"
#include "pg/disclosure/linkage_links.h"
#include "pg/call/params.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_attack_distance);

static const char *const directions[] = {"to_masked", "to_original", NULL};
static const char *const assignments[] = {"none", "one_to_one", NULL};

/* Reads the arguments; stops unless those that must be given are. */
static SdcLinkageCall
read_arguments(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {"original", "masked", "id", "keys",
										"method"};
	SdcLinkageCall call;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	call.original = PG_GETARG_OID(0);
	call.masked = PG_GETARG_OID(1);
	call.id = NameStr(*PG_GETARG_NAME(2));
	call.keys = PG_GETARG_ARRAYTYPE_P(3);
	call.method = (SdcLinkageMethod) sdcpg_args_choice(
		"method", PG_GETARG_TEXT_PP(4), sdcpg_linkage_methods);
	call.params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_linkage_check_params(call.method, call.params);
	call.to_original =
		sdcpg_params_choice(call.params, "direction", directions) == 1;
	return call;
}

/*
 * attack_distance(original regclass, masked regclass, id name, keys name[],
 *                 method text, params jsonb, seed bigint)
 */
Datum
sdcf_attack_distance(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcLinkageCall call = read_arguments(fcinfo);
	int32 max_candidates = sdcpg_params_integer(call.params, "max_candidates",
												SDC_LINKS_CANDIDATES, 1,
												SDC_LINKS_CANDIDATES_LIMIT);
	bool one_to_one =
		sdcpg_params_choice(call.params, "assignment", assignments) == 1;
	SdcLinkageAssignment assignment;
	SdcPgHost *host;
	SdcLinkage linkage;

	host = sdcpg_host_begin("attack_distance", CurrentMemoryContext);
	if (one_to_one)
	{
		sdcpg_linkage_prepare(&linkage, host, &call);
		assignment = sdcpg_linkage_assign(&linkage);
	}
	else
		sdcpg_linkage_run(&linkage, host, &call);
	sdcpg_linkage_links_put(&linkage, one_to_one ? &assignment : NULL, result,
							max_candidates);
	sdcpg_linkage_end(&linkage);
	sdcpg_host_end(host);
	return (Datum) 0;
}
