/*
 * recoding_classes.c
 *		A partition of tuples into classes that are generalized alike.
 *
 * Rings of two classes are joined by exchanging two links.
 */
#include "kernel/generalization/recoding_classes.h"

#include <string.h>

static uint8_t *
level_of(const SdcRecodingClasses *classes, int32_t number)
{
	return classes->level + (size_t) number * (size_t) classes->space->keys;
}

/* Makes a class of one tuple. */
static void
set_alone(SdcRecodingClasses *classes, int32_t tuple)
{
	uint8_t *level = level_of(classes, tuple);

	classes->of[tuple] = tuple;
	classes->next[tuple] = tuple;
	classes->members[tuple] = 1;
	classes->size[tuple] = classes->space->size[tuple];
	memset(level, 0, (size_t) classes->space->keys);
	classes->cost[tuple] =
		sdc_recoding_space_cost(classes->space, tuple, level);
}

SdcRecodingClasses *
sdc_recoding_classes_new(SdcHost *host, const SdcRecodingSpace *space)
{
	SdcRecodingClasses *classes = sdc_new(host, SdcRecodingClasses, 1);
	size_t n = (size_t) space->tuples;
	int32_t t;

	classes->space = space;
	classes->of = sdc_new(host, int32_t, n);
	classes->next = sdc_new(host, int32_t, n);
	classes->members = sdc_new(host, int32_t, n);
	classes->size = sdc_new(host, int64_t, n);
	classes->cost = sdc_new(host, double, n);
	classes->level = sdc_new(host, uint8_t, n * (size_t) space->keys);
	for (t = 0; t < space->tuples; t++)
	{
		set_alone(classes, t);
		if (t % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
	}
	return classes;
}

SdcRecodingBox
sdc_recoding_classes_box(const SdcRecodingClasses *classes, int32_t number)
{
	SdcRecodingBox box = {number, level_of(classes, number),
						  classes->size[number], classes->cost[number]};

	return box;
}

int32_t
sdc_recoding_classes_merge(SdcRecodingClasses *classes, int32_t a, int32_t b)
{
	bool first = classes->members[a] >= classes->members[b];
	int32_t kept = first ? a : b;
	int32_t gone = first ? b : a;
	SdcRecodingBox box = sdc_recoding_classes_box(classes, kept);
	SdcRecodingBox other = sdc_recoding_classes_box(classes, gone);
	int32_t next = classes->next[kept];
	int32_t t = gone;

	do
	{
		classes->of[t] = kept;
		t = classes->next[t];
	} while (t != gone);
	classes->next[kept] = classes->next[gone];
	classes->next[gone] = next;
	classes->cost[kept] = sdc_recoding_space_join(classes->space, &box, &other,
												  level_of(classes, kept));
	classes->size[kept] += classes->size[gone];
	classes->members[kept] += classes->members[gone];
	return kept;
}

void
sdc_recoding_classes_set(SdcRecodingClasses *classes, const int32_t *member,
						 int32_t count)
{
	int32_t i;

	for (i = 0; i < count; i++)
		set_alone(classes, member[i]);
	for (i = 1; i < count; i++)
		sdc_recoding_classes_merge(classes, member[0], member[i]);
}

int32_t
sdc_recoding_classes_list(const SdcRecodingClasses *classes, int32_t number,
						  int32_t *member)
{
	int32_t count = 0;
	int32_t t = number;

	do
	{
		member[count++] = t;
		t = classes->next[t];
	} while (t != number);
	return count;
}
