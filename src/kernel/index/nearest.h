/*
 * nearest.h
 *		The nearest points seen so far, in a heap.
 *
 * Points come with a weight, the number of rows they stand for.  Kept are the
 * fewest points, nearest first, that together hold the wanted rows; the
 * farthest of them is the top of the heap.  Nearer means smaller distance,
 * then smaller point number.
 */
#ifndef SDC_KERNEL_NEAREST_H
#define SDC_KERNEL_NEAREST_H

#include <float.h>

#include "kernel/base/host.h"

typedef struct SdcNearestItem
{
	double distance; /* squared */
	int32_t point;
	int32_t weight;
} SdcNearestItem;

typedef struct SdcNearest
{
	int64_t wanted; /* rows */
	int64_t rows;   /* rows of the items */
	int32_t count;  /* items */
	/* Points beyond this squared distance cannot enter. */
	double threshold;
	SdcNearestItem *item; /* item[0] is the farthest */
} SdcNearest;

/* Room for a search of at most wanted rows: wanted + 1 items. */
static inline void
sdc_nearest_create(SdcHost *host, SdcNearest *nearest, int64_t wanted)
{
	nearest->item = sdc_new(host, SdcNearestItem, (size_t) wanted + 1);
}

static inline void
sdc_nearest_clear(SdcNearest *nearest, int64_t wanted)
{
	nearest->wanted = wanted;
	nearest->rows = 0;
	nearest->count = 0;
	nearest->threshold = DBL_MAX;
}

static inline bool
sdc_nearest_before(const SdcNearestItem *a, const SdcNearestItem *b)
{
	return a->distance < b->distance ||
		   (a->distance == b->distance && a->point < b->point);
}

/* Takes the farthest item off the heap. */
static inline void
sdc_nearest_pop(SdcNearest *nearest)
{
	SdcNearestItem *item = nearest->item;
	SdcNearestItem last = item[--nearest->count];
	int32_t hole = 0;

	nearest->rows -= item[0].weight;
	for (;;)
	{
		int32_t child = 2 * hole + 1;

		if (child >= nearest->count)
			break;
		if (child + 1 < nearest->count &&
			sdc_nearest_before(&item[child], &item[child + 1]))
			child++;
		if (!sdc_nearest_before(&last, &item[child]))
			break;
		item[hole] = item[child];
		hole = child;
	}
	item[hole] = last;
}

/* Offers a point; it stays if it is near enough. */
static inline void
sdc_nearest_offer(SdcNearest *nearest, double distance, int32_t point,
				  int32_t weight)
{
	SdcNearestItem *item = nearest->item;
	SdcNearestItem added = {distance, point, weight};
	int32_t hole;

	if (nearest->rows >= nearest->wanted &&
		!sdc_nearest_before(&added, &item[0]))
		return;
	hole = nearest->count++;
	while (hole > 0 && sdc_nearest_before(&item[(hole - 1) / 2], &added))
	{
		item[hole] = item[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	item[hole] = added;
	nearest->rows += weight;
	while (nearest->rows - item[0].weight >= nearest->wanted)
		sdc_nearest_pop(nearest);
	if (nearest->rows >= nearest->wanted)
		nearest->threshold = item[0].distance;
}

#endif
