/*
 * linkage.h
 *		Two relations linked by distance: read, scaled, searched.
 */
#ifndef SDC_PG_LINKAGE_H
#define SDC_PG_LINKAGE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "kernel/attack/link_file.h"
#include "kernel/attack/link_nearest.h"
#include "pg/call/relation.h"
#include "pg/data/frame.h"
#include "pg/data/ids.h"
#include "pg/server/parallel.h"

/* What is near; in the order of sdcpg_linkage_methods. */
typedef enum SdcLinkageMethod
{
	SDC_LINKAGE_EUCLIDEAN,
	SDC_LINKAGE_MAHALANOBIS,
	SDC_LINKAGE_WM,
	SDC_LINKAGE_OWA,
	SDC_LINKAGE_CHOQUET,
	SDC_LINKAGE_CHOQUET2,
	SDC_LINKAGE_BILINEAR,
	SDC_LINKAGE_GOWER
} SdcLinkageMethod;

/* Their names; ends with NULL. */
extern const char *const sdcpg_linkage_methods[];

/* What is linked, and how. */
typedef struct SdcLinkageCall
{
	Oid original;
	Oid masked;
	const char *id;  /* of the original, as the keys are */
	ArrayType *keys; /* name[] */
	bool to_original;
	SdcLinkageMethod method;
	/*
	 * NULL, or checked by sdcpg_linkage_check_params: what the method needs,
	 * and map {original column: masked column}.
	 */
	Jsonb *params;
} SdcLinkageCall;

/*
 * One of the two files.  Rows are in the order of their ids; frame column 0
 * is the id, the others are the keys.
 */
typedef struct SdcLinkageFile
{
	SdcFrame *frame;
	SdcLinkFile file;
	SdcIds ids;
} SdcLinkageFile;

/*
 * Each record of from searches the file to.  partner[row] is the row of to
 * with the same id, or -1.  hit is NULL when no search was possible.
 */
typedef struct SdcLinkage
{
	SdcPgHost *host;
	SdcLinkageMethod method;
	SdcRelationColumns keys; /* of the original */
	bool *category;          /* GOWER: which keys are categories */
	SdcLinkageFile from;
	SdcLinkageFile to;
	int32 *partner;
	const SdcLinkHit *hit; /* by the point of from */
	SdcLinkIndex index;
	SdcLinkMeasure measure;
	double scale; /* what sums have to be multiplied by */
	SdcParallel parallel;
	SdcLinkSearch *search; /* of sdcpg_linkage_nearest */
} SdcLinkage;

/*
 * Stops when params has a key that the method does not know; also lists the
 * keys that attacks by distance have besides.
 */
extern void sdcpg_linkage_check_params(SdcLinkageMethod method, Jsonb *params);

/*
 * Reads both relations and prepares them, without a search: standard scores
 * (for GOWER ranges), turned when that makes the distance a plain one, and the
 * distinct points.
 */
extern void sdcpg_linkage_prepare(SdcLinkage *linkage, SdcPgHost *host,
								  const SdcLinkageCall *call);

/* The same, and links every record of from. */
extern void sdcpg_linkage_run(SdcLinkage *linkage, SdcPgHost *host,
							  const SdcLinkageCall *call);

/*
 * The points nearest to a point of from, ascending; valid until the next
 * call.  There may be none.
 */
extern const int32 *sdcpg_linkage_nearest(SdcLinkage *linkage, int32 point,
										  int32 *count);

/*
 * The distance as sdc.link has it: EUCLIDEAN the root of the mean of squared
 * differences, GOWER as it is, others the root; of a negative square the
 * negative root.
 */
extern double sdcpg_linkage_distance(const SdcLinkage *linkage, double sum);

/* Ends workers and gives shared memory back. */
extern void sdcpg_linkage_end(SdcLinkage *linkage);

/* Where parallel workers start; not for calling. */
extern PGDLLEXPORT void sdcpg_linkage_worker(dsm_segment *segment,
											 shm_toc *toc);

#endif
