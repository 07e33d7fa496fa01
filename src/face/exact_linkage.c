/*
 * exact_linkage.c
 *		sdc.attack_exact: who has a row that is equal.
 */
#include "postgres.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/disclosure/exact_linkage.h"
#include "pg/disclosure/weighted_links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_attack_exact);

static const char *const keys_of_params[] = {SDC_EXACT_PARAMS, "direction",
											 "max_candidates", NULL};
static const char *const directions[] = {"to_masked", "to_original", NULL};

static const char *
name_id(void *arg, int32 item)
{
	SdcExactLinkage *linkage = arg;

	return sdcpg_dictionary_text(linkage->ids, linkage->rank[item]);
}

/* Returns the rows; those of one id lie side by side. */
static void
put_links(SdcExactLinkage *linkage, SdcPgHost *host, ReturnSetInfo *result,
		  int32 max_candidates)
{
	const SdcCodedFile *from = &linkage->file[0];
	SdcLinks links;
	int32 first;
	int32 end;

	sdcpg_links_begin(&links, host, result, from->rows);
	for (first = 0; first < from->rows; first = end)
	{
		int32 id = from->id[first];

		for (end = first + 1; end < from->rows && from->id[end] == id; end++)
			;
		sdcpg_links_step(&links);
		sdcpg_weighted_links_put(&links, name_id(linkage, id),
								 sdcpg_exact_linkage_find(linkage, first, end),
								 max_candidates, id, false, name_id, linkage);
	}
	sdcpg_links_end(&links);
}

/*
 * attack_exact(original regclass, masked regclass, id name, keys name[],
 *              params jsonb)
 */
Datum
sdcf_attack_exact(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"original", "masked", "id", "keys"};
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcExactCall call;
	SdcExactLinkage linkage;
	SdcPgHost *host;
	int32 max_candidates;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	call.original = PG_GETARG_OID(0);
	call.masked = PG_GETARG_OID(1);
	call.id = NameStr(*PG_GETARG_NAME(2));
	call.keys = PG_GETARG_ARRAYTYPE_P(3);
	call.params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	sdcpg_params_check(call.params, keys_of_params);
	call.to_original =
		sdcpg_params_choice(call.params, "direction", directions) == 1;
	max_candidates = sdcpg_params_integer(call.params, "max_candidates",
										  SDC_LINKS_CANDIDATES, 1,
										  SDC_LINKS_CANDIDATES_LIMIT);
	host = sdcpg_host_begin("attack_exact", CurrentMemoryContext);
	sdcpg_exact_linkage_run(&linkage, host, &call);
	put_links(&linkage, host, result, max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}
