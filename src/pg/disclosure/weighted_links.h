/*
 * weighted_links.h
 *		Rows of sdc.link for candidates that are not equally likely.
 */
#ifndef SDC_PG_WEIGHTED_LINKS_H
#define SDC_PG_WEIGHTED_LINKS_H

#include "postgres.h"

#include "kernel/attack/class_items.h"
#include "pg/disclosure/links.h"

/* The text of an item. */
typedef const char *(*SdcItemName)(void *arg, int32 item);

/*
 * Returns the rows of one record: its candidates by falling probability,
 * which is the share of the weights.  When there are more than
 * max_candidates, own, if it is one of them, and the likeliest are named, and
 * one row without a name has the rest of the probability.  own is what would
 * be right, or -1; certain holds for a single candidate only.  Sorts the set.
 * sdcpg_links_step must have been called for the record before.
 */
extern void sdcpg_weighted_links_put(SdcLinks *links, const char *id,
									 SdcItemSet *set, int32 max_candidates,
									 int32 own, bool certain, SdcItemName name,
									 void *arg);

#endif
