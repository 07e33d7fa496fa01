/*
 * parts.h
 *		Parts of records by cuts, for groups that are made in each alone.
 *
 * A tree of cuts is grown from a sample of the records: each halves, at the
 * median, the column that is widest there beside its width in all.  Whoever
 * has the tree finds the part of any record, so records need not come together
 * before they are parted.  The tree depends on the sample as a set only.
 */
#ifndef SDC_KERNEL_PARTS_H
#define SDC_KERNEL_PARTS_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

/* Nodes come before those below them; the left one is the next. */
typedef struct SdcPartNode
{
	int32_t column; /* that is cut, or -1: a part */
	int32_t next;   /* the right node; of a part its number */
	double cut;     /* what is less goes left */
} SdcPartNode;

/*
 * Grows a tree of so many parts at the most, from 1 on; returns how many nodes
 * it has, which node has room for: 2 * parts - 1.  O(columns rows log parts).
 */
extern int32_t sdc_parts_grow(SdcHost *host, const SdcMatrix *rows,
							  int32_t parts, SdcPartNode *node);

/* The part of a record; NaN is above all cuts.  O(log parts). */
extern int32_t sdc_parts_find(const SdcPartNode *node, const double *record);

/*
 * Takes cuts back, from below, that leave fewer than least records on a side;
 * count[p] is how many part p has.
 */
extern void sdc_parts_join(SdcPartNode *node, const int64_t *count,
						   int64_t least);

#endif
