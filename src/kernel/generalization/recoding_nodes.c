/*
 * recoding_nodes.c
 *		Nodes of the lattice of generalizations, the cheapest first.
 *
 * A group's share never falls on the way up, so a node costs at least as much
 * as those below it, and a heap that starts with the lowest node gives them in
 * order.  Each node is reached from one node only, the one that is a level
 * lower in its last raised key.
 */
#include "kernel/generalization/recoding_nodes.h"

#include <string.h>

typedef struct Reached
{
	double cost;
	int32_t number; /* in the order reached: place of its levels */
	int32_t last;   /* the last key that was raised */
} Reached;

struct SdcRecodingNodes
{
	SdcHost *host;
	const SdcRecodingSpace *space;
	double **mean;   /* mean[j][level]: cost of key j over all records */
	Reached *heap;   /* those not given yet */
	int32_t length;  /* of the heap */
	int32_t reached; /* in all */
	int32_t room;
	uint8_t *level;   /* of each node reached */
	uint8_t *current; /* the one that was given last */
};

static double *
mean_costs(SdcHost *host, const SdcRecodingSpace *space, int j)
{
	const SdcRecodingColumn *column = &space->column[j];
	double *mean = sdc_new(host, double, (size_t) column->levels);
	int64_t *records = sdc_new(host, int64_t, (size_t) column->values);
	int32_t t;
	int32_t v;
	int level;

	memset(records, 0, sizeof(int64_t) * (size_t) column->values);
	for (t = 0; t < space->tuples; t++)
		records[space->code[(size_t) t * (size_t) space->keys + (size_t) j]] +=
			space->size[t];
	for (level = 0; level < column->levels; level++)
	{
		double sum = 0;

		for (v = 0; v < column->values; v++)
			sum += (double) records[v] *
				   sdc_recoding_space_share(column, v, level);
		mean[level] = sum / (double) space->records;
	}
	host->release(host, records);
	return mean;
}

static void *
grown(SdcHost *host, void *old, size_t items, size_t room, size_t size)
{
	void *more = host->alloc(host, room, size);

	if (old != NULL)
		memcpy(more, old, items * size);
	host->release(host, old);
	return more;
}

/* Room for one more node. */
static void
make_room(SdcRecodingNodes *nodes)
{
	size_t keys = (size_t) nodes->space->keys;
	size_t items = (size_t) nodes->reached;

	if (nodes->reached < nodes->room)
		return;
	nodes->room = nodes->room == 0 ? 256 : 2 * nodes->room;
	nodes->heap = grown(nodes->host, nodes->heap, (size_t) nodes->length,
						(size_t) nodes->room, sizeof(Reached));
	nodes->level = grown(nodes->host, nodes->level, items * keys,
						 (size_t) nodes->room * keys, 1);
}

static bool
before(const Reached *a, const Reached *b)
{
	return a->cost < b->cost || (a->cost == b->cost && a->number < b->number);
}

static void
push(SdcRecodingNodes *nodes, Reached reached)
{
	Reached *heap = nodes->heap;
	int32_t i = nodes->length++;

	while (i > 0 && before(&reached, &heap[(i - 1) / 2]))
	{
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = reached;
}

static Reached
pop(SdcRecodingNodes *nodes)
{
	Reached *heap = nodes->heap;
	Reached top = heap[0];
	Reached last = heap[--nodes->length];
	int32_t i = 0;

	for (;;)
	{
		int32_t c = 2 * i + 1;

		if (c + 1 < nodes->length && before(&heap[c + 1], &heap[c]))
			c++;
		if (c >= nodes->length || !before(&heap[c], &last))
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = last;
	return top;
}

/* Adds the current node, with key j raised by one level if j >= 0. */
static void
reach(SdcRecodingNodes *nodes, int j)
{
	size_t keys = (size_t) nodes->space->keys;
	Reached reached = {0, nodes->reached, j < 0 ? 0 : j};
	uint8_t *level;
	int i;

	make_room(nodes);
	level = nodes->level + (size_t) nodes->reached++ * keys;
	memcpy(level, nodes->current, keys);
	if (j >= 0)
		level[j]++;
	for (i = 0; i < nodes->space->keys; i++)
		reached.cost += nodes->mean[i][level[i]];
	push(nodes, reached);
}

SdcRecodingNodes *
sdc_recoding_nodes_new(SdcHost *host, const SdcRecodingSpace *space)
{
	SdcRecodingNodes *nodes = sdc_new(host, SdcRecodingNodes, 1);
	int j;

	memset(nodes, 0, sizeof(*nodes));
	nodes->host = host;
	nodes->space = space;
	nodes->mean = sdc_new(host, double *, (size_t) space->keys);
	for (j = 0; j < space->keys; j++)
		nodes->mean[j] = mean_costs(host, space, j);
	nodes->current = sdc_new(host, uint8_t, (size_t) space->keys);
	memset(nodes->current, 0, (size_t) space->keys);
	reach(nodes, -1);
	return nodes;
}

const uint8_t *
sdc_recoding_nodes_next(SdcRecodingNodes *nodes, double *cost)
{
	size_t keys = (size_t) nodes->space->keys;
	Reached next;
	int j;

	if (nodes->length == 0)
		return NULL;
	next = pop(nodes);
	memcpy(nodes->current, nodes->level + (size_t) next.number * keys, keys);
	for (j = next.last; j < nodes->space->keys; j++)
		if (nodes->current[j] + 1 < nodes->space->column[j].levels)
			reach(nodes, j);
	*cost = next.cost;
	return nodes->current;
}

void
sdc_recoding_nodes_release(SdcHost *host, SdcRecodingNodes *nodes)
{
	int j;

	if (nodes == NULL)
		return;
	for (j = 0; j < nodes->space->keys; j++)
		host->release(host, nodes->mean[j]);
	host->release(host, nodes->mean);
	host->release(host, nodes->heap);
	host->release(host, nodes->level);
	host->release(host, nodes->current);
	host->release(host, nodes);
}
