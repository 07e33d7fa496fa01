/*
 * composition.c
 *		sdc.attack_composition: the intruder who holds several releases.
 */
#include "postgres.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/disclosure/composition.h"
#include "pg/disclosure/weighted_links.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_attack_composition);

static const char *const keys_of_params[] = {"by", "max_candidates", NULL};
static const char *const ways[] = {"values", "records", NULL};

static void
put_links(SdcComposition *composition, SdcPgHost *host, ReturnSetInfo *result,
		  int32 max_candidates)
{
	SdcLinks links;
	int32 person;
	int32 own;

	sdcpg_links_begin(&links, host, result, composition->people);
	for (person = 0; person < composition->people; person++)
	{
		sdcpg_links_step(&links);
		(void) sdcpg_composition_intersect(composition, person, &own);
		sdcpg_weighted_links_put(
			&links,
			sdcpg_dictionary_text(composition->ids, composition->rank[person]),
			&composition->set, max_candidates, own, true,
			sdcpg_composition_name, composition);
	}
	sdcpg_links_end(&links);
}

/*
 * attack_composition(releases regclass[], id name, keys name[],
 *                    sensitive name[], params jsonb)
 */
Datum
sdcf_attack_composition(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"releases", "id", "keys", "sensitive"};
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	SdcComposition composition;
	SdcPgHost *host;
	int32 max_candidates;
	int by;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	sdcpg_params_check(params, keys_of_params);
	by = sdcpg_params_choice(params, "by", ways);
	max_candidates =
		sdcpg_params_integer(params, "max_candidates", SDC_LINKS_CANDIDATES, 1,
							 SDC_LINKS_CANDIDATES_LIMIT);
	host = sdcpg_host_begin("attack_composition", CurrentMemoryContext);
	sdcpg_composition_load(&composition, host, (SdcCompositionBy) by,
						   PG_GETARG_ARRAYTYPE_P(0),
						   NameStr(*PG_GETARG_NAME(1)),
						   PG_GETARG_ARRAYTYPE_P(2), PG_GETARG_ARRAYTYPE_P(3));
	put_links(&composition, host, result, max_candidates);
	sdcpg_host_end(host);
	return (Datum) 0;
}
