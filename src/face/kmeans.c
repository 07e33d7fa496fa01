/*
 * kmeans.c
 *		sdc.kmeans: the rows of a relation in k clusters.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/call/roles.h"
#include "pg/model/clusters.h"
#include "pg/server/compat.h"
#include "pg/server/result.h"

PG_FUNCTION_INFO_V1(sdcf_kmeans);

static const char *const params_keys[] = {SDC_CLUSTERS_PARAMS, NULL};

/* Returns a row of sdc.label for each row of the relation. */
static void
put_labels(const SdcClusters *clusters, SdcPgHost *host, const int32 *label,
		   ReturnSetInfo *result)
{
	MemoryContext scratch = AllocSetContextCreate(host->work, "sdc result",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	int32 i;

	for (i = 0; i < clusters->rows; i++)
	{
		bool isnull[3] = {false, label[i] < 0, true};
		Datum values[3] = {0};

		if (i % 1024 == 0)
		{
			MemoryContextReset(scratch);
			host->kernel.poll(&host->kernel, i, clusters->rows);
		}
		values[0] = CStringGetTextDatum(
			sdcpg_frame_text(&clusters->frame->column[0], i));
		if (label[i] >= 0)
			values[1] = CStringGetTextDatum(psprintf("%d", label[i] + 1));
		sdcpg_result_put(result, values, isnull);
	}
	MemoryContextSwitchTo(caller);
}

/*
 * kmeans(rel regclass, id name, columns name[], k integer, params jsonb,
 *        seed bigint)
 */
Datum
sdcf_kmeans(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"rel", "id", "columns", "k"};
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	uint64 seed =
		PG_ARGISNULL(5) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(5);
	SdcKmeansSettings settings;
	SdcClusters clusters;
	SdcPgHost *host;
	int i;

	for (i = 0; i < lengthof(names); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(names[i]);
	sdcpg_params_check(params, params_keys);
	settings = sdcpg_clusters_settings(PG_GETARG_INT32(3), params, seed);
	host = sdcpg_host_begin("kmeans", CurrentMemoryContext);
	sdcpg_clusters_load(&clusters, host, sdcpg_relation_find(PG_GETARG_OID(0)),
						NameStr(*PG_GETARG_NAME(1)), PG_GETARG_ARRAYTYPE_P(2));
	put_labels(&clusters, host,
			   sdcpg_clusters_find(&clusters, host, &settings), result);
	sdcpg_host_end(host);
	return (Datum) 0;
}
