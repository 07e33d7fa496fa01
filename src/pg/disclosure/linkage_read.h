/*
 * linkage_read.h
 *		The two files of a linkage, as they are in their relations.
 */
#ifndef SDC_PG_LINKAGE_READ_H
#define SDC_PG_LINKAGE_READ_H

#include "postgres.h"

#include "pg/disclosure/linkage.h"

/* Sets keys, category, from, to and partner. */
extern void sdcpg_linkage_read(SdcLinkage *linkage,
							   const SdcLinkageCall *call);

#endif
