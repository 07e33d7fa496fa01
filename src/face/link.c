/*
 * link.c
 *		sdc.attack_distance: who is nearest to whom.
 *
 * A record is linked to the whole set of records that are equally near, each
 * with the same probability.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/disclosure/linkage.h"
#include "pg/disclosure/links.h"
#include "pg/call/params.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_attack_distance);

static const char *const methods[] = {"euclidean", NULL};
static const char *const keys_of_params[] = {"direction", "max_candidates",
											 NULL};
static const char *const directions[] = {"to_masked", "to_original", NULL};

/* Adds the records at the nearest points of a record's point. */
static void
add_candidates(SdcLinks *links, const SdcLinkage *linkage,
			   SdcLinkSearch *search, int32 point)
{
	const SdcLinkFile *to = &linkage->to.file;
	const SdcLinkHit *hit = &linkage->hit[point];
	const int32 *nearest = hit->point;
	int32 i;

	if (hit->count > SDC_LINK_KEPT)
	{
		sdc_link_search_run(search,
							linkage->from.file.coordinate +
								(Size) point * linkage->from.file.columns);
		nearest = search->point;
	}
	for (i = 0; i < hit->count; i++)
	{
		int32 first = to->first[nearest[i]];

		sdcpg_links_add(links, &to->member[first],
						to->first[nearest[i] + 1] - first);
	}
}

static void
put_records(const SdcLinkage *linkage, ReturnSetInfo *result,
			int32 max_candidates)
{
	SdcLinkSearch *search = NULL;
	SdcLinks links;
	int32 i;

	sdcpg_links_begin(&links, linkage->host, result, linkage->from.file.rows);
	sdcpg_links_prepare_sets(&links, &linkage->to.frame->column[0],
							 linkage->to.file.rows, max_candidates);
	if (linkage->hit != NULL)
		search =
			sdc_link_search_create(&linkage->host->kernel, &linkage->index);
	for (i = 0; i < linkage->from.file.rows; i++)
	{
		int32 point = linkage->from.file.point[i];
		double sum = 0;

		sdcpg_links_begin_record(
			&links, sdcpg_frame_text(&linkage->from.frame->column[0], i),
			linkage->partner[i]);
		if (point >= 0 && linkage->hit != NULL)
		{
			add_candidates(&links, linkage, search, point);
			sum = linkage->hit[point].smallest;
		}
		sdcpg_links_end_record(&links, sqrt(sum / linkage->to.file.columns),
							   false);
	}
	sdcpg_links_end(&links);
}

/* Stops unless the arguments that must be given are. */
static void
check_arguments(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {"original", "masked", "id", "keys",
										"method"};
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	sdcpg_args_choice("method", PG_GETARG_TEXT_PP(4), methods);
}

/*
 * attack_distance(original regclass, masked regclass, id name, keys name[],
 *                 method text, params jsonb, seed bigint)
 */
Datum
sdcf_attack_distance(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	SdcLinkage linkage;
	SdcPgHost *host;
	int32 max_candidates;
	bool to_original;

	check_arguments(fcinfo);
	sdcpg_params_check(params, keys_of_params);
	to_original = sdcpg_params_choice(params, "direction", directions) == 1;
	max_candidates =
		sdcpg_params_integer(params, "max_candidates", SDC_LINKS_CANDIDATES, 1,
							 SDC_LINKS_CANDIDATES_LIMIT);
	host = sdcpg_host_begin("attack_distance", CurrentMemoryContext);
	sdcpg_linkage_run(&linkage, host, PG_GETARG_OID(to_original ? 1 : 0),
					  PG_GETARG_OID(to_original ? 0 : 1),
					  NameStr(*PG_GETARG_NAME(2)), PG_GETARG_ARRAYTYPE_P(3));
	put_records(&linkage, result, max_candidates);
	sdcpg_linkage_end(&linkage);
	sdcpg_host_end(host);
	return (Datum) 0;
}
