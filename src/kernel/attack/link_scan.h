/*
 * link_scan.h
 *		The steps of a search, for link_search.c and link_nearest.c only.
 */
#ifndef SDC_KERNEL_LINK_SCAN_H
#define SDC_KERNEL_LINK_SCAN_H

#include "kernel/attack/link_nearest.h"

/* Sums of the 16 points of a block; is any at most limit? */
extern bool sdc_link_scan_points(const double *coordinate, int columns,
								 const double *query, double limit,
								 double *sum);

/* Lower bounds of the sums in the 8 boxes of a group; is any <= limit? */
extern bool sdc_link_scan_boxes(const double *box, int columns,
								const double *query, double limit,
								double *bound);

/* Begins a search; nothing has been looked at. */
extern void sdc_link_search_start(SdcLinkSearch *search, const double *query);

/*
 * Lowers the limit to what the point at a place of the index allows, without
 * counting that point as found.
 */
extern void sdc_link_search_limit(SdcLinkSearch *search, int32_t place);

/* Looks at one block, or at all blocks that the limit lets in. */
extern void sdc_link_search_block(SdcLinkSearch *search, int32_t block);
extern void sdc_link_search_descend(SdcLinkSearch *search);

/* Ends a search: puts the points in order. */
extern void sdc_link_search_finish(SdcLinkSearch *search);

#endif
