/*
 * neighbour_heap.c
 *		The nearest rows met so far.
 */
#include "kernel/model/neighbour_heap.h"

SdcNeighbourHeap
sdc_neighbour_heap_create(SdcHost *host, int32_t room)
{
	SdcNeighbourHeap heap;

	heap.room = room;
	heap.count = 0;
	heap.distance = sdc_new(host, double, (size_t) room);
	heap.row = sdc_new(host, int32_t, (size_t) room);
	return heap;
}

static bool
is_farther(const SdcNeighbourHeap *heap, int32_t a, int32_t b)
{
	if (heap->distance[a] != heap->distance[b])
		return heap->distance[a] > heap->distance[b];
	return heap->row[a] > heap->row[b];
}

static void
swap_places(SdcNeighbourHeap *heap, int32_t a, int32_t b)
{
	double distance = heap->distance[a];
	int32_t row = heap->row[a];

	heap->distance[a] = heap->distance[b];
	heap->row[a] = heap->row[b];
	heap->distance[b] = distance;
	heap->row[b] = row;
}

/* Puts a row in place of the farthest. */
static void
replace_first(SdcNeighbourHeap *heap, double distance, int32_t row)
{
	int32_t hole;
	int32_t child;

	heap->distance[0] = distance;
	heap->row[0] = row;
	for (hole = 0; (child = 2 * hole + 1) < heap->count; hole = child)
	{
		if (child + 1 < heap->count && is_farther(heap, child + 1, child))
			child++;
		if (!is_farther(heap, child, hole))
			break;
		swap_places(heap, child, hole);
	}
}

void
sdc_neighbour_heap_offer(SdcNeighbourHeap *heap, double distance, int32_t row)
{
	int32_t hole;

	if (heap->count == heap->room)
	{
		if (distance < heap->distance[0] ||
			(distance == heap->distance[0] && row < heap->row[0]))
			replace_first(heap, distance, row);
		return;
	}
	hole = heap->count++;
	heap->distance[hole] = distance;
	heap->row[hole] = row;
	for (; hole > 0 && is_farther(heap, hole, (hole - 1) / 2);
		 hole = (hole - 1) / 2)
		swap_places(heap, hole, (hole - 1) / 2);
}
