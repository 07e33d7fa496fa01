/*
 * neighbour_heap.h
 *		The nearest rows met so far.
 */
#ifndef SDC_KERNEL_NEIGHBOUR_HEAP_H
#define SDC_KERNEL_NEIGHBOUR_HEAP_H

#include "kernel/base/host.h"

/* A heap, the farthest first; of equally far rows the later is farther. */
typedef struct SdcNeighbourHeap
{
	int32_t room;
	int32_t count;
	double *distance;
	int32_t *row;
} SdcNeighbourHeap;

/* An empty heap for so many rows, at least 1. */
extern SdcNeighbourHeap sdc_neighbour_heap_create(SdcHost *host, int32_t room);

/* Keeps the row if it is among the nearest.  O(log room). */
extern void sdc_neighbour_heap_offer(SdcNeighbourHeap *heap, double distance,
									 int32_t row);

#endif
