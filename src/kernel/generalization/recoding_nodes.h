/*
 * recoding_nodes.h
 *		Nodes of the lattice of generalizations, the cheapest first.
 *
 * A node is a level for each key, the same for all records.
 */
#ifndef SDC_KERNEL_RECODING_NODES_H
#define SDC_KERNEL_RECODING_NODES_H

#include "kernel/generalization/recoding_space.h"

/* Private to recoding_nodes.c. */
typedef struct SdcRecodingNodes SdcRecodingNodes;

/* Starts before the lowest node.  O(tuples * sum of levels). */
extern SdcRecodingNodes *sdc_recoding_nodes_new(SdcHost *host,
												const SdcRecodingSpace *space);

/*
 * The next node by the cost of all records at it; of equal ones the one that
 * was reached first.  NULL after the last.  *cost is the mean over the
 * records.  The levels stay until the next call.  O(keys log n) when
 * n nodes were given; memory up to (keys + 16) * keys bytes for each.
 */
extern const uint8_t *sdc_recoding_nodes_next(SdcRecodingNodes *nodes,
											  double *cost);

extern void sdc_recoding_nodes_release(SdcHost *host, SdcRecodingNodes *nodes);

#endif
