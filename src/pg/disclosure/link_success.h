/*
 * link_success.h
 *		How well linked files match the truth.
 */
#ifndef SDC_PG_LINK_SUCCESS_H
#define SDC_PG_LINK_SUCCESS_H

#include "postgres.h"

#include "pg/disclosure/linkage.h"

/*
 * The success of an attack, over the records whose own record is in the other
 * file.  A record linked to several equally good ones gives each the same
 * probability.
 */
typedef struct SdcLinkSuccess
{
	int32 records;
	int32 unique_right;  /* linked to their own record and no other */
	double right;        /* sum of the probabilities of their own record */
	int32 claimed;       /* links that the intruder is certain of */
	int32 claimed_right; /* those of them that are right */
} SdcLinkSuccess;

/*
 * Counts what a linkage that was run has found; the same that sdc.reid counts
 * in the rows of sdc.attack_distance, without making the rows.  O(records),
 * but a point with many equally near ones is searched again.
 */
extern SdcLinkSuccess sdcpg_link_success_count(SdcLinkage *linkage);

#endif
