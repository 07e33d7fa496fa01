/*
 * linkage_links.h
 *		The links that a search by distance has found, as rows.
 */
#ifndef SDC_PG_LINKAGE_LINKS_H
#define SDC_PG_LINKAGE_LINKS_H

#include "pg/disclosure/linkage.h"
#include "pg/disclosure/linkage_assign.h"
#include "pg/disclosure/links.h"

/*
 * Returns, for each record of a linkage that was run, all records that are
 * nearest, lists longer than max_candidates cut short; or, when there is an
 * assignment, the one record that it has.
 */
extern void sdcpg_linkage_links_put(SdcLinkage *linkage,
									const SdcLinkageAssignment *assignment,
									ReturnSetInfo *result,
									int32 max_candidates);

#endif
