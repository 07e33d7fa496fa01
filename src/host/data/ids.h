/*
 * ids.h
 *		Rows found by their id.
 */
#ifndef SDC_HOST_IDS_H
#define SDC_HOST_IDS_H

#include "postgres.h"

#include "host/data/frame.h"
#include "host/server/host.h"

/*
 * The numbers of the rows in an order that looks random, depends on the seed
 * and the ids, and not on the order of the rows.  An id that is NULL or occurs
 * twice stops with an error that names relation and column, not the id.
 */
extern int32 *sdcpg_id_order(SdcPgHost *host, char *const *id, int32 rows,
							 uint64 seed, const char *relation,
							 const char *name);

/* A hash table: slot[] holds row numbers, -1 is empty. */
typedef struct SdcIds
{
	const SdcFrameColumn *column;
	int32 rows;
	int32 *slot;
	uint32 mask;
} SdcIds;

/*
 * A directory of the ids in a text column of a frame.  A NULL or an id that
 * occurs twice stops with an error that names relation and column, not the
 * id.  O(rows); 8 to 16 bytes per row.
 */
extern SdcIds sdcpg_ids_create(const SdcFrame *frame, int column,
							   const char *relation, const char *name);

/* The row with an id, or -1. */
extern int32 sdcpg_ids_find(const SdcIds *ids, const char *id);

/*
 * For every row of a frame with ids in a text column, the row with the same id
 * or -1; found is how many have one.  Warns when none has, for then no link
 * between the two can be right.  O(rows).
 */
extern int32 *sdcpg_ids_partners(const SdcIds *ids, const SdcFrame *frame,
								 int column, int32 *found);

extern void sdcpg_ids_release(SdcPgHost *host, SdcIds *ids);

#endif
