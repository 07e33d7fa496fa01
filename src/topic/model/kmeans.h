/*
 * kmeans.h
 *		A relation in clusters: its rows read once, clustered by any seed.
 */
#ifndef SDC_TOPIC_KMEANS_H
#define SDC_TOPIC_KMEANS_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "kernel/base/matrix.h"
#include "kernel/model/kmeans.h"

/* Keys of params that set k-means; for the lists of sdcpg_params_check. */
#define SDC_CLUSTERS_PARAMS "starts", "iterations"

/* The rows of a relation, read to be clustered. */
typedef struct SdcClusters
{
	int32 rows; /* in the order of their ids */
	SdcFrame *frame;
	SdcIds ids;
	SdcMatrix matrix; /* the rows without NULL ... */
	int32 *place;     /* ... and where they stand */
} SdcClusters;

/*
 * The settings: k, of the argument of that name, the keys above with their
 * defaults, the seed.  A value out of its range stops with an error.
 */
extern SdcKmeansSettings sdcpg_clusters_settings(int32 k, Jsonb *params,
												 uint64 seed);

/*
 * Reads the id and the columns of those names, as the caller.  Stops when a
 * column is no number, or an id is NULL or not unique.
 */
extern void sdcpg_clusters_load(SdcClusters *clusters, SdcPgHost *host,
								const SdcRelation *relation, const char *id,
								ArrayType *columns);

/*
 * The cluster of each row; -1 where a column is NULL.  Stops when k is larger
 * than the number of rows without NULL.
 */
extern int32 *sdcpg_clusters_find(const SdcClusters *clusters, SdcPgHost *host,
								  const SdcKmeansSettings *settings);

#endif
