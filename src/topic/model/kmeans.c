/*
 * kmeans.c
 *		sdc.kmeans: the rows of a relation in k clusters; sdc.rand_index and
 *		its kin: how far two partitions agree.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/model/kmeans.h"
#include "topic/model/kmeans.h"
#include "topic/tally/tally.h"

/* ----------------------------------------------------------------------
 * A relation in clusters: its rows read once, clustered by any seed.
 * ----------------------------------------------------------------------
 */

SdcKmeansSettings
sdcpg_clusters_settings(int32 k, Jsonb *params, uint64 seed)
{
	SdcKmeansSettings settings;

	if (k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"k\" must be at least 1")));
	settings.k = k;
	settings.starts = sdcpg_params_integer(params, "starts", 10, 1, 10000);
	settings.iterations =
		sdcpg_params_integer(params, "iterations", 100, 1, 1000000);
	settings.seed = seed;
	return settings;
}

/* Moves the rows without NULL together. */
static void
make_matrix(SdcClusters *clusters, SdcPgHost *host, int columns)
{
	SdcHost *kernel = &host->kernel;
	SdcFrame *frame = clusters->frame;
	int32 rows = 0;
	int32 i;
	int j;

	clusters->place = sdc_new(kernel, int32, frame->rows);
	clusters->matrix.columns = columns;
	clusters->matrix.column = sdc_new(kernel, double *, columns);
	for (j = 0; j < columns; j++)
		clusters->matrix.column[j] = frame->column[j + 1].number;
	for (i = 0; i < frame->rows; i++)
	{
		bool null = false;

		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, i, frame->rows);
		for (j = 0; j < columns; j++)
			null = null || frame->column[j + 1].isnull[i];
		if (null)
			continue;
		for (j = 0; j < columns; j++)
			clusters->matrix.column[j][rows] = clusters->matrix.column[j][i];
		clusters->place[rows++] = i;
	}
	clusters->matrix.rows = rows;
}

void
sdcpg_clusters_load(SdcClusters *clusters, SdcPgHost *host,
					const SdcRelation *relation, const char *id,
					ArrayType *columns)
{
	SdcRelationColumn id_column = sdcpg_relation_column(relation, id);
	SdcRelationColumns found =
		sdcpg_relation_columns(relation, "columns", columns);
	SdcFrameType types[SDC_MAX_COLUMNS + 1];
	int j;

	if (found.count > SDC_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"columns\" names more than %d columns",
						SDC_MAX_COLUMNS)));
	sdcpg_relation_need_numbers(relation, &found);
	if (relation->row_security)
		ereport(NOTICE,
				(errmsg("row-level security may hide records of relation "
						"\"%s\" from you",
						relation->name)));
	types[0] = SDC_FRAME_TEXT;
	for (j = 1; j <= found.count; j++)
		types[j] = SDC_FRAME_NUMBER;
	clusters->frame = sdcpg_frame_load(
		host, sdcpg_query_records(relation, &id_column, &found),
		found.count + 1, types);
	clusters->rows = clusters->frame->rows;
	clusters->ids =
		sdcpg_ids_create(clusters->frame, 0, relation->name, id_column.name);
	make_matrix(clusters, host, found.count);
}

int32 *
sdcpg_clusters_find(const SdcClusters *clusters, SdcPgHost *host,
					const SdcKmeansSettings *settings)
{
	SdcHost *kernel = &host->kernel;
	int32 *label = sdc_new(kernel, int32, clusters->rows);
	SdcKmeans found;
	Size i;

	if ((Size) settings->k > clusters->matrix.rows)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"k\" is larger than the number of "
							   "records"),
						errdetail("Records with a null among the columns do "
								  "not count.")));
	found = sdc_kmeans_run(kernel, &clusters->matrix, settings);
	for (i = 0; i < clusters->rows; i++)
		label[i] = -1;
	for (i = 0; i < clusters->matrix.rows; i++)
		label[clusters->place[i]] = found.label[i];
	kernel->release(kernel, found.label);
	return label;
}

/* ----------------------------------------------------------------------
 * sdc.kmeans: the rows of a relation in k clusters.
 * ----------------------------------------------------------------------
 */

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
 * kmeans(relation regclass, id name, columns columns, k integer, params jsonb,
 *        seed bigint)
 */
Datum
sdcf_kmeans(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	uint64 seed =
		PG_ARGISNULL(5) ? sdcpg_strong_seed() : (uint64) PG_GETARG_INT64(5);
	SdcKmeansSettings settings;
	SdcClusters clusters;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 4);
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

/* ----------------------------------------------------------------------
 * sdc.rand_index and the like: how far two sets of labels agree.
 *
 * The state counts pairs of labels; NULL is a label as any other.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_rand_index_final);
PG_FUNCTION_INFO_V1(sdcf_jaccard_index_final);
PG_FUNCTION_INFO_V1(sdcf_f_measure_final);
PG_FUNCTION_INFO_V1(sdcf_adjusted_rand_final);

/* All measures of the state; NaN without one. */
static SdcPartitionAgreement
measure(FunctionCallInfo fcinfo, const char *function)
{
	SdcPartitionAgreement result = {NAN, NAN, NAN, NAN};
	const SdcTally *tally;
	SdcPgHost *host;
	SdcTallyTable table;

	if (PG_ARGISNULL(0))
		return result;
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->keys != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("labels must be single values, not rows"),
				 errhint("Turn a row into one value, for example its text.")));
	host = sdcpg_host_begin(function, CurrentMemoryContext);
	table =
		sdcpg_tally_table(host, sdcpg_tally_shape_of(fcinfo, tally), tally);
	result = sdc_partition_agreement_measure(&host->kernel, table.frequency);
	sdcpg_host_end(host);
	return result;
}

static Datum
value_or_null(FunctionCallInfo fcinfo, double value)
{
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

/* rand_index_final(state sdc_internal.tally) */
Datum
sdcf_rand_index_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "rand_index").rand);
}

/* jaccard_index_final(state sdc_internal.tally) */
Datum
sdcf_jaccard_index_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "jaccard_index").jaccard);
}

/* f_measure_final(state sdc_internal.tally) */
Datum
sdcf_f_measure_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "f_measure").f_measure);
}

/* adjusted_rand_final(state sdc_internal.tally) */
Datum
sdcf_adjusted_rand_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "adjusted_rand").adjusted);
}
