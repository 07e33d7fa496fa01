/*
 * recoding_improve.c
 *		Moves tuples between classes as long as that lowers the loss.
 *
 * What a step gains is computed before it is taken, but for giving up a class:
 * its tuples go one by one, and come back when the last of them costs more
 * than the class did.
 */
#include "kernel/generalization/recoding_improve.h"

#include <string.h>

/* Tuples of a class that gives some away at most. */
#define MOST_MEMBERS 512

/* What a step must gain at least, as a share of the cost of one record. */
#define LEAST_GAIN 1e-9

typedef struct Improving
{
	SdcHost *host;
	SdcRecodingClasses *classes;
	const SdcRecodingSpace *space;
	SdcRecodingTree *tree;
	SdcRecodingDemand *demand;
	uint8_t *none;   /* level 0 of each key */
	uint8_t *level;  /* scratch */
	int32_t *member; /* of the class that gives */
	int32_t *other;  /* of the class that takes, and one more */
	int32_t *home;   /* where each member went */
} Improving;

/* A tuple as it is. */
static SdcRecodingBox
box_alone(const Improving *improving, int32_t tuple)
{
	SdcRecodingBox box = {tuple, improving->none,
						  improving->space->size[tuple], 0};

	box.cost =
		sdc_recoding_space_cost(improving->space, tuple, improving->none);
	return box;
}

/* What all records of a generalized tuple cost. */
static double
cost_of_all(const SdcRecodingBox *box)
{
	return (double) box->size * box->cost;
}

/* These tuples as one class. */
static SdcRecodingBox
box_together(Improving *improving, const int32_t *member, int32_t count)
{
	SdcRecodingBox box = box_alone(improving, member[0]);
	int32_t i;

	memset(improving->level, 0, (size_t) improving->space->keys);
	box.level = improving->level;
	for (i = 1; i < count; i++)
	{
		SdcRecodingBox next = box_alone(improving, member[i]);

		box.cost = sdc_recoding_space_join(improving->space, &box, &next,
										   improving->level);
		box.size += next.size;
	}
	return box;
}

/* Copies the members but one; returns how many are left. */
static int32_t
leave_out(int32_t *member, int32_t count, int32_t tuple)
{
	int32_t left = 0;
	int32_t i;

	for (i = 0; i < count; i++)
		if (member[i] != tuple)
			member[left++] = member[i];
	return left;
}

/* Does a class satisfy the demand with one more tuple? */
static bool
takes(Improving *improving, int32_t number, const SdcRecodingBox *box)
{
	int32_t count = sdc_recoding_classes_list(improving->classes, number,
											  improving->other);

	improving->other[count++] = box->tuple;
	return sdc_recoding_demand_met(improving->demand, improving->other, count,
								   improving->classes->size[number] +
									   box->size);
}

/* The class that a tuple joins at less than limit, or -1. */
static int32_t
find_home(Improving *improving, const SdcRecodingBox *box, double limit,
		  double *increase)
{
	int32_t number =
		sdc_recoding_tree_nearest(improving->tree, box, limit, increase);

	return number >= 0 && takes(improving, number, box) ? number : -1;
}

/* Puts a tuple that has left its class into another. */
static void
settle(Improving *improving, int32_t tuple, int32_t number)
{
	sdc_recoding_classes_set(improving->classes, &tuple, 1);
	if (number != tuple)
		sdc_recoding_classes_merge(improving->classes, number, tuple);
	sdc_recoding_tree_add(improving->tree, number);
}

/*
 * Where a tuple had better be that gains so much by leaving its class, which
 * is not in the tree: a class, itself for one of its own, or -1.
 */
static int32_t
better_home(Improving *improving, int32_t tuple, double gain)
{
	SdcRecodingBox box = box_alone(improving, tuple);
	double increase;

	if (sdc_recoding_demand_met(improving->demand, &tuple, 1, box.size))
		return tuple;
	return find_home(improving, &box, gain, &increase);
}

/* Moves a tuple to another class if that is better. */
static bool
move(Improving *improving, int32_t tuple)
{
	SdcRecodingClasses *classes = improving->classes;
	int32_t from = classes->of[tuple];
	SdcRecodingBox whole = sdc_recoding_classes_box(classes, from);
	SdcRecodingBox box = box_alone(improving, tuple);
	SdcRecodingBox left;
	double gain;
	int32_t count;
	int32_t to;

	if (classes->members[from] == 1 || whole.cost <= box.cost ||
		classes->members[from] > MOST_MEMBERS)
		return false;
	count = sdc_recoding_classes_list(classes, from, improving->member);
	count = leave_out(improving->member, count, tuple);
	if (!sdc_recoding_demand_met(improving->demand, improving->member, count,
								 whole.size - box.size))
		return false;
	left = box_together(improving, improving->member, count);
	gain = cost_of_all(&whole) - cost_of_all(&left) - cost_of_all(&box) -
		   LEAST_GAIN;
	if (gain <= 0)
		return false;
	sdc_recoding_tree_remove(improving->tree, from);
	to = better_home(improving, tuple, gain);
	if (to >= 0)
	{
		sdc_recoding_classes_set(classes, improving->member, count);
		settle(improving, tuple, to);
	}
	sdc_recoding_tree_add(improving->tree, classes->of[improving->member[0]]);
	return to >= 0;
}

/* Takes tuples that were given away back, the last one first. */
static void
take_back(Improving *improving, int32_t given)
{
	SdcRecodingClasses *classes = improving->classes;

	while (--given >= 0)
	{
		int32_t home = improving->home[given];
		int32_t count =
			sdc_recoding_classes_list(classes, home, improving->other);

		count = leave_out(improving->other, count, improving->member[given]);
		sdc_recoding_classes_set(classes, improving->other, count);
	}
}

/* Gives the tuples of a class to others if that is better. */
static bool
dissolve(Improving *improving, int32_t number)
{
	SdcRecodingClasses *classes = improving->classes;
	SdcRecodingBox whole = sdc_recoding_classes_box(classes, number);
	double limit = cost_of_all(&whole) - LEAST_GAIN;
	int32_t count;
	int32_t i;

	if (classes->members[number] == 1 ||
		classes->members[number] > MOST_MEMBERS)
		return false;
	count = sdc_recoding_classes_list(classes, number, improving->member);
	for (i = 0; i < count; i++)
	{
		SdcRecodingBox box = box_alone(improving, improving->member[i]);

		limit -= cost_of_all(&box);
	}
	sdc_recoding_tree_remove(improving->tree, number);
	for (i = 0; i < count && limit > 0; i++)
	{
		SdcRecodingBox box = box_alone(improving, improving->member[i]);
		double increase;

		improving->home[i] = find_home(improving, &box, limit, &increase);
		if (improving->home[i] < 0)
			break;
		limit -= increase;
		settle(improving, box.tuple, improving->home[i]);
	}
	if (i == count)
		return true;
	take_back(improving, i);
	sdc_recoding_classes_set(classes, improving->member, count);
	sdc_recoding_tree_add(improving->tree, number);
	return false;
}

/* One pass; how many steps were taken. */
static int32_t
pass(Improving *improving)
{
	int32_t steps = 0;
	int32_t t;

	improving->host->stage(improving->host, "moving between classes");
	for (t = 0; t < improving->space->tuples; t++)
	{
		if (t % 64 == 0)
			improving->host->poll(improving->host, (uint64_t) t,
								  (uint64_t) improving->space->tuples);
		steps += move(improving, t);
	}
	improving->host->stage(improving->host, "giving classes up");
	for (t = 0; t < improving->space->tuples; t++)
	{
		if (t % 64 == 0)
			improving->host->poll(improving->host, (uint64_t) t,
								  (uint64_t) improving->space->tuples);
		if (improving->classes->of[t] == t)
			steps += dissolve(improving, t);
	}
	return steps;
}

void
sdc_recoding_improve(SdcHost *host, SdcRecodingClasses *classes,
					 SdcRecodingTree *tree, SdcRecodingDemand *demand,
					 int passes)
{
	const SdcRecodingSpace *space = classes->space;
	size_t n = (size_t) space->tuples;
	size_t keys = (size_t) space->keys;
	Improving improving = {host, classes, space, tree, demand,
						   NULL, NULL,    NULL,  NULL, NULL};

	improving.none = sdc_new(host, uint8_t, keys);
	improving.level = sdc_new(host, uint8_t, keys);
	improving.member = sdc_new(host, int32_t, n);
	improving.other = sdc_new(host, int32_t, n + 1);
	improving.home = sdc_new(host, int32_t, n);
	memset(improving.none, 0, keys);
	while (passes-- > 0 && pass(&improving) > 0)
		;
	host->release(host, improving.none);
	host->release(host, improving.level);
	host->release(host, improving.member);
	host->release(host, improving.other);
	host->release(host, improving.home);
}
