/*
 * clusters.c
 *		A relation in clusters: its rows read once, clustered by any seed.
 */
#include "postgres.h"

#include "pg/call/params.h"
#include "pg/call/query.h"
#include "pg/model/clusters.h"
#include "pg/server/compat.h"

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
