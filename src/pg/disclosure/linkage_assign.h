/*
 * linkage_assign.h
 *		One-to-one linkage of two files.
 */
#ifndef SDC_PG_LINKAGE_ASSIGN_H
#define SDC_PG_LINKAGE_ASSIGN_H

#include "postgres.h"

#include "pg/disclosure/linkage.h"

/* Records of a file up to which all distances are held: 200 MB. */
#define SDC_LINKAGE_ASSIGN_RECORDS 5000

/*
 * For a linkage that is prepared: row[i] is the row of to that row i of from
 * is assigned to, or -1, and distance[i] how far it is.  The total distance is
 * the least there is; pairs that have no distance are left out.
 */
typedef struct SdcLinkageAssignment
{
	int32 *row;
	double *distance;
} SdcLinkageAssignment;

extern SdcLinkageAssignment sdcpg_linkage_assign(const SdcLinkage *linkage);

#endif
