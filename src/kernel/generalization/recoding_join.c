/*
 * recoding_join.c
 *		Joins classes until all satisfy what is demanded.
 *
 * Classes that fail wait in a heap, each with the partner found for it.  A
 * partner that has meanwhile been joined with another is looked for anew when
 * its turn comes.
 */
#include "kernel/generalization/recoding_join.h"

#include <math.h>

typedef struct Failing
{
	double increase;
	int32_t number;
	int32_t partner;
	uint32_t version; /* of the partner when it was found */
	uint32_t own;
} Failing;

typedef struct Joining
{
	SdcHost *host;
	SdcRecodingClasses *classes;
	SdcRecodingTree *tree;
	SdcRecodingDemand *demand;
	Failing *heap;
	int32_t length;
	uint32_t *version; /* of each class: how often it was changed */
	int32_t *member;
} Joining;

static bool
before(const Failing *a, const Failing *b)
{
	return a->increase < b->increase ||
		   (a->increase == b->increase && a->number < b->number);
}

static void
push(Joining *joining, Failing failing)
{
	Failing *heap = joining->heap;
	int32_t i = joining->length++;

	while (i > 0 && before(&failing, &heap[(i - 1) / 2]))
	{
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = failing;
}

static Failing
pop(Joining *joining)
{
	Failing *heap = joining->heap;
	Failing top = heap[0];
	Failing last = heap[--joining->length];
	int32_t i = 0;

	for (;;)
	{
		int32_t c = 2 * i + 1;

		if (c + 1 < joining->length && before(&heap[c + 1], &heap[c]))
			c++;
		if (c >= joining->length || !before(&heap[c], &last))
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = last;
	return top;
}

static bool
is_met(Joining *joining, int32_t number)
{
	int32_t count =
		sdc_recoding_classes_list(joining->classes, number, joining->member);

	return sdc_recoding_demand_met(joining->demand, joining->member, count,
								   joining->classes->size[number]);
}

/* Looks for the best partner of a class; false when no other class is left. */
static bool
find_partner(Joining *joining, int32_t number)
{
	SdcRecodingBox box = sdc_recoding_classes_box(joining->classes, number);
	Failing failing;

	sdc_recoding_tree_remove(joining->tree, number);
	failing.number = number;
	failing.partner = sdc_recoding_tree_nearest(joining->tree, &box, INFINITY,
												&failing.increase);
	sdc_recoding_tree_add(joining->tree, number);
	if (failing.partner < 0)
		return false;
	failing.version = joining->version[failing.partner];
	failing.own = joining->version[number];
	push(joining, failing);
	return true;
}

/* Joins a class and its partner; false when it fails and is all there is. */
static bool
join(Joining *joining, int32_t a, int32_t b)
{
	int32_t kept = sdc_recoding_classes_merge(joining->classes, a, b);

	joining->version[a]++;
	joining->version[b]++;
	sdc_recoding_tree_remove(joining->tree, kept == a ? b : a);
	sdc_recoding_tree_add(joining->tree, kept);
	return is_met(joining, kept) || find_partner(joining, kept);
}

static bool
join_all(Joining *joining)
{
	while (joining->length > 0)
	{
		Failing next = pop(joining);
		bool current = joining->classes->of[next.number] == next.number &&
					   joining->version[next.number] == next.own;
		bool sound;

		if (!current)
			continue;
		if (joining->version[next.partner] == next.version)
			sound = join(joining, next.number, next.partner);
		else
			sound = find_partner(joining, next.number);
		if (!sound)
			return false;
	}
	return true;
}

bool
sdc_recoding_join(SdcHost *host, SdcRecodingClasses *classes,
				  SdcRecodingTree *tree, SdcRecodingDemand *demand)
{
	Joining joining = {host, classes, tree, demand, NULL, 0, NULL, NULL};
	size_t n = (size_t) classes->space->tuples;
	bool sound = true;
	int32_t t;

	joining.heap = sdc_new(host, Failing, n);
	joining.version = sdc_new(host, uint32_t, n);
	joining.member = sdc_new(host, int32_t, n);
	for (t = 0; t < classes->space->tuples; t++)
		joining.version[t] = 0;
	for (t = 0; t < classes->space->tuples && sound; t++)
		if (classes->of[t] == t && !is_met(&joining, t))
			sound = find_partner(&joining, t);
	sound = sound && join_all(&joining);
	host->release(host, joining.heap);
	host->release(host, joining.version);
	host->release(host, joining.member);
	return sound;
}
