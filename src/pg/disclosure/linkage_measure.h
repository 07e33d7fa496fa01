/*
 * linkage_measure.h
 *		What a method of linkage takes for near.
 */
#ifndef SDC_PG_LINKAGE_MEASURE_H
#define SDC_PG_LINKAGE_MEASURE_H

#include "postgres.h"

#include "pg/disclosure/linkage.h"

/*
 * Scales both files for the method of the call and says how a search compares
 * their points.
 */
extern void sdcpg_linkage_measure_choose(SdcLinkage *linkage,
										 const SdcLinkageCall *call);

#endif
