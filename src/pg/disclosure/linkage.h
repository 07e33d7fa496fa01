/*
 * linkage.h
 *		Two relations linked by distance: read, scaled, searched.
 */
#ifndef SDC_PG_LINKAGE_H
#define SDC_PG_LINKAGE_H

#include "postgres.h"

#include "kernel/attack/link_file.h"
#include "kernel/attack/link_nearest.h"
#include "pg/data/frame.h"
#include "pg/data/ids.h"
#include "pg/server/parallel.h"

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
	SdcLinkageFile from;
	SdcLinkageFile to;
	int32 *partner;
	const SdcLinkHit *hit; /* by the point of from */
	SdcLinkIndex index;
	SdcParallel parallel;
} SdcLinkage;

/*
 * Reads both relations, which have the id and key columns of those names, and
 * links every record of from.
 */
extern void sdcpg_linkage_run(SdcLinkage *linkage, SdcPgHost *host, Oid from,
							  Oid to, const char *id, ArrayType *keys);

/* Ends workers and gives shared memory back. */
extern void sdcpg_linkage_end(SdcLinkage *linkage);

/* Where parallel workers start; not for calling. */
extern PGDLLEXPORT void sdcpg_linkage_worker(dsm_segment *segment,
											 shm_toc *toc);

#endif
