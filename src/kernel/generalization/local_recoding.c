/*
 * local_recoding.c
 *		Local recoding: classes that are generalized each in its own way.
 *
 * Four steps.  The nodes of the lattice are visited from the cheapest on, and
 * whatever satisfies the demand there becomes a class and leaves.  What is
 * left is joined with the class where that costs least.  Tuples then move
 * between classes as long as that lowers the loss.  Last, classes that have
 * come to the same generalized tuple, and so look like one, are made one.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/local_recoding.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/table/frequency.h"

/* Tuples that are kept at the most. */
#define SDC_RECODING_HARD 8

typedef struct SdcRecodingHard
{
	int count;
	int oldest; /* the one to give way to the next */
	/* the levels where others meet it, and how many records do */
	SdcFrequency *met[SDC_RECODING_HARD];
} SdcRecodingHard;

/* ----------------------------------------------------------------------
 * Tuples with few neighbours, to refuse nodes of the lattice by.
 *
 * The levels at which another tuple meets the hard one, key by key, are the
 * lowest node that puts both into one class; equal ones are counted together.
 * ----------------------------------------------------------------------
 */

/* The levels at which each tuple meets one, with its records. */
static SdcFrequency *
count_meetings(SdcHost *host, const SdcRecodingSpace *space, int32_t tuple)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, space->keys, false);
	size_t keys = (size_t) space->keys;
	int32_t *level = sdc_new(host, int32_t, keys);
	int32_t *levels = sdc_new(host, int32_t, keys);
	const int32_t *code = space->code + (size_t) tuple * keys;
	SdcFrequency *met;
	int32_t t;
	size_t j;

	for (t = 0; t < space->tuples; t++)
	{
		for (j = 0; j < keys; j++)
			level[j] =
				sdc_recoding_space_meet(&space->column[j], code[j],
										space->code[(size_t) t * keys + j]);
		sdc_frequency_add(counting, level, space->size[t], 1);
		if (t % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
	}
	for (j = 0; j < keys; j++)
		levels[j] = space->column[j].levels;
	met = sdc_frequency_finish(counting, NULL, levels, NULL);
	host->release(host, level);
	host->release(host, levels);
	return met;
}

/* Adds a tuple; the oldest one gives way to it.  O(tuples * keys). */
static void
recoding_hard_add(SdcHost *host, SdcRecodingHard *hard,
				  const SdcRecodingSpace *space, int32_t tuple)
{
	int place = hard->count;

	if (hard->count < SDC_RECODING_HARD)
		hard->count++;
	else
	{
		place = hard->oldest;
		hard->oldest = (hard->oldest + 1) % SDC_RECODING_HARD;
		sdc_frequency_release(host, hard->met[place]);
	}
	hard->met[place] = count_meetings(host, space, tuple);
}

/* Do so many records meet a tuple at a node? */
static bool
enough_meet(const SdcFrequency *met, const uint8_t *level, int64_t least)
{
	int64_t size = 0;
	int32_t cell;
	int j;

	for (cell = 0; cell < met->cells && size < least; cell++)
	{
		for (j = 0; j < met->columns && met->code[j][cell] <= level[j]; j++)
			;
		if (j == met->columns)
			size += met->count[cell];
	}
	return size >= least;
}

/*
 * Do all of them have so many records in their class at a node?  What was
 * looked at is subtracted from visits.  O(ways to meet * keys).
 */
static bool
recoding_hard_pass(const SdcRecodingHard *hard, const uint8_t *level,
				   int64_t least, double *visits)
{
	int i;

	for (i = 0; i < hard->count; i++)
	{
		*visits -= hard->met[i]->cells;
		if (!enough_meet(hard->met[i], level, least))
			return false;
	}
	return true;
}

static void
recoding_hard_release(SdcHost *host, SdcRecodingHard *hard)
{
	while (hard->count > 0)
		sdc_frequency_release(host, hard->met[--hard->count]);
}

/* ----------------------------------------------------------------------
 * Makes classes of what satisfies a demand at a node of the lattice.
 *
 * Tuples are grouped by 64 bits that their groups at the node are mixed to.
 * Should two groups ever have the same bits, then their common levels show it
 * and they are not made a class at this node; nothing depends on luck but that
 * one class.
 *
 * A lattice that is too large for all its nodes to be visited is thinned out:
 * every second, third, ... node is taken, so that the cheap ones and the dear
 * ones get their share, and more again when few tuples are left.
 * ----------------------------------------------------------------------
 */

typedef struct Bucket
{
	uint64_t mark;
	int64_t size;  /* records */
	int32_t tuple; /* the first of a chain, or -1: a free bucket */
	int32_t count; /* tuples */
} Bucket;

typedef struct Claiming
{
	SdcHost *host;
	SdcRecodingClasses *classes;
	const SdcRecodingSpace *space;
	SdcRecodingDemand *demand;
	int32_t *left; /* tuples without a class, ascending */
	int32_t lefts;
	uint64_t **mark; /* mark[j][value]: of its group at the node */
	Bucket *bucket;
	size_t buckets; /* a power of two, at least twice the tuples left */
	int32_t *place; /* the bucket of each that is left, or its successor */
	int32_t *next;  /* the chain of a bucket */
	int32_t *member;
} Claiming;

static void
start(Claiming *claiming, SdcHost *host, SdcRecodingClasses *classes,
	  SdcRecodingDemand *demand)
{
	const SdcRecodingSpace *space = classes->space;
	size_t n = (size_t) space->tuples;
	size_t buckets = 2;
	int32_t t;
	int j;

	while (buckets < 2 * n)
		buckets *= 2;
	claiming->host = host;
	claiming->classes = classes;
	claiming->space = space;
	claiming->demand = demand;
	claiming->buckets = buckets;
	claiming->bucket = sdc_new(host, Bucket, buckets);
	claiming->left = sdc_new(host, int32_t, n);
	claiming->place = sdc_new(host, int32_t, n);
	claiming->next = sdc_new(host, int32_t, n);
	claiming->member = sdc_new(host, int32_t, n);
	claiming->mark = sdc_new(host, uint64_t *, (size_t) space->keys);
	for (j = 0; j < space->keys; j++)
		claiming->mark[j] =
			sdc_new(host, uint64_t, (size_t) space->column[j].values);
	claiming->lefts = space->tuples;
	for (t = 0; t < space->tuples; t++)
		claiming->left[t] = t;
}

static void
finish(Claiming *claiming)
{
	SdcHost *host = claiming->host;
	int j;

	for (j = 0; j < claiming->space->keys; j++)
		host->release(host, claiming->mark[j]);
	host->release(host, claiming->mark);
	host->release(host, claiming->bucket);
	host->release(host, claiming->left);
	host->release(host, claiming->place);
	host->release(host, claiming->next);
	host->release(host, claiming->member);
}

/* The bits of each group at a node. */
static void
mark_groups(Claiming *claiming, const uint8_t *level)
{
	int32_t v;
	int j;

	for (j = 0; j < claiming->space->keys; j++)
	{
		const SdcRecodingColumn *column = &claiming->space->column[j];

		for (v = 0; v < column->values; v++)
		{
			size_t place = (size_t) v * (size_t) column->levels;
			uint64_t group = (uint64_t) column->group[place + level[j]];

			claiming->mark[j][v] =
				sdc_random_mix(group + ((uint64_t) (j + 1) << 32));
		}
	}
}

static uint64_t
mark_of(const Claiming *claiming, int32_t tuple)
{
	int keys = claiming->space->keys;
	const int32_t *code =
		claiming->space->code + (size_t) tuple * (size_t) keys;
	uint64_t mark = 0;
	int j;

	for (j = 0; j < keys; j++)
		mark += claiming->mark[j][code[j]];
	return mark;
}

static size_t
find_bucket(Claiming *claiming, uint64_t mark)
{
	size_t mask = claiming->buckets - 1;
	size_t place = (size_t) (mark >> 20) & mask;

	while (claiming->bucket[place].tuple >= 0 &&
		   claiming->bucket[place].mark != mark)
		place = (place + 1) & mask;
	return place;
}

/* Groups the tuples that are left. */
static void
group_left(Claiming *claiming, const uint8_t *level)
{
	int32_t i;

	while (claiming->buckets > 2 &&
		   claiming->buckets / 4 >= (size_t) claiming->lefts)
		claiming->buckets /= 2;
	memset(claiming->bucket, -1, claiming->buckets * sizeof(Bucket));
	mark_groups(claiming, level);
	for (i = 0; i < claiming->lefts; i++)
	{
		int32_t tuple = claiming->left[i];
		uint64_t mark = mark_of(claiming, tuple);
		size_t place = find_bucket(claiming, mark);
		Bucket *bucket = &claiming->bucket[place];

		if (bucket->tuple < 0)
		{
			bucket->mark = mark;
			bucket->size = 0;
			bucket->count = 0;
		}
		claiming->place[i] = (int32_t) place;
		claiming->next[tuple] = bucket->tuple;
		bucket->tuple = tuple;
		bucket->size += claiming->space->size[tuple];
		bucket->count++;
		if (i % SDC_POLL_STEPS == 0)
			claiming->host->poll(claiming->host, 0, 0);
	}
}

static bool
claim_is_met(Claiming *claiming, const Bucket *bucket)
{
	int32_t count = 0;
	int32_t t;

	if (bucket->size < sdc_recoding_demand_least(claiming->demand))
		return false;
	for (t = bucket->tuple; t >= 0; t = claiming->next[t])
		claiming->member[count++] = t;
	return sdc_recoding_demand_met(claiming->demand, claiming->member, count,
								   bucket->size);
}

/* Do these tuples have in common what the node says? */
static bool
are_equal(const Claiming *claiming, const int32_t *member, int32_t count,
		  const uint8_t *level)
{
	const SdcRecodingSpace *space = claiming->space;
	size_t keys = (size_t) space->keys;
	int32_t i;
	size_t j;

	for (i = 1; i < count; i++)
		for (j = 0; j < keys; j++)
			if (sdc_recoding_space_meet(
					&space->column[j],
					space->code[(size_t) member[0] * keys + j],
					space->code[(size_t) member[i] * keys + j]) > level[j])
				return false;
	return true;
}

/* Makes a class of a group that satisfies the demand, or tells that not. */
static bool
claim_group(Claiming *claiming, Bucket *bucket, const uint8_t *level)
{
	if (!claim_is_met(claiming, bucket) ||
		!are_equal(claiming, claiming->member, bucket->count, level))
		return false;
	sdc_recoding_classes_set(claiming->classes, claiming->member,
							 bucket->count);
	return true;
}

/* Makes classes of what satisfies the demand at a node. */
static void
claim_node(Claiming *claiming, const uint8_t *level)
{
	int32_t rest = 0;
	int32_t i;

	group_left(claiming, level);
	for (i = 0; i < claiming->lefts; i++)
	{
		Bucket *bucket = &claiming->bucket[claiming->place[i]];

		/* count 0: claimed; -1: found wanting; both at its first tuple */
		if (bucket->count > 0)
			bucket->count = claim_group(claiming, bucket, level) ? 0 : -1;
		if (bucket->count < 0)
			claiming->left[rest++] = claiming->left[i];
	}
	claiming->lefts = rest;
}

static double
count_nodes(const SdcRecodingSpace *space, int32_t most)
{
	double count = 1;
	int j;

	for (j = 0; j < space->keys; j++)
		count *= space->column[j].levels;
	return count < most ? count : most;
}

/*
 * Goes through the nodes, the cheapest first.  Tuples that are equal at a node
 * and that satisfy the demand become a class, and the nodes that follow see
 * only the rest; after so many nodes those left stay classes of their own.
 * Every tuple must be a class.  Looks at about visits tuples in all: where all
 * nodes would be too many, it leaves some out, evenly.  O(nodes * tuples left
 * * keys).
 */
static void
recoding_claim(SdcHost *host, SdcRecodingClasses *classes,
			   SdcRecodingDemand *demand, int32_t most, double visits)
{
	const SdcRecodingSpace *space = classes->space;
	SdcRecodingNodes *nodes = sdc_recoding_nodes_new(host, space);
	double left = count_nodes(space, most);
	const uint8_t *level = NULL;
	Claiming claiming;
	double cost;

	start(&claiming, host, classes, demand);
	while (claiming.lefts > 0 && left > 0 && visits > 0)
	{
		double step = floor(left * claiming.lefts / visits);

		visits -= claiming.lefts;
		do
		{
			level = sdc_recoding_nodes_next(nodes, &cost);
			left--;
			host->poll(host, (uint64_t) (space->tuples - claiming.lefts),
					   (uint64_t) space->tuples);
		} while (level != NULL && --step > 0);
		if (level == NULL)
			break;
		claim_node(&claiming, level);
	}
	finish(&claiming);
	sdc_recoding_nodes_release(host, nodes);
}

/* A tuple that does not satisfy the demand at a node, or -1. */
static int32_t
find_wanting(Claiming *claiming, const uint8_t *level)
{
	int32_t i;

	group_left(claiming, level);
	for (i = 0; i < claiming->lefts; i++)
	{
		Bucket *bucket = &claiming->bucket[claiming->place[i]];

		if (bucket->count == 0)
			continue;
		if (!claim_is_met(claiming, bucket) ||
			!are_equal(claiming, claiming->member, bucket->count, level))
			return claiming->left[i];
		bucket->count = 0;
	}
	return -1;
}

/* The class whose records cost most; of equal ones the first. */
static int32_t
costliest(const SdcRecodingClasses *classes)
{
	int32_t most = classes->of[0];
	int32_t t;

	for (t = 0; t < classes->space->tuples; t++)
		if (classes->cost[classes->of[t]] > classes->cost[most])
			most = classes->of[t];
	return most;
}

/*
 * Looks for the cheapest node at which all tuples satisfy the demand, among
 * the first so many and those where a record costs less than limit on the
 * average.  If there is one, its classes replace those there are, and the
 * result is true.  Each node is first tried on a few tuples that were hard to
 * satisfy, which refuses nearly all.  Gives up when it has looked at visits
 * tuples.
 */
static bool
recoding_claim_whole(SdcHost *host, SdcRecodingClasses *classes,
					 SdcRecodingDemand *demand, double limit, int32_t most,
					 double visits)
{
	SdcRecodingNodes *nodes = sdc_recoding_nodes_new(host, classes->space);
	int64_t least = sdc_recoding_demand_least(demand);
	SdcRecodingHard hard = {0, 0, {NULL}};
	bool found = false;
	Claiming claiming;
	const uint8_t *level;
	double cost;

	start(&claiming, host, classes, demand);
	recoding_hard_add(host, &hard, classes->space, costliest(classes));
	while (!found && most-- > 0 && visits > 0 &&
		   (level = sdc_recoding_nodes_next(nodes, &cost)) != NULL &&
		   cost < limit)
	{
		int32_t wanting;

		host->poll(host, 0, 0);
		if (!recoding_hard_pass(&hard, level, least, &visits))
			continue;
		visits -= classes->space->tuples;
		wanting = find_wanting(&claiming, level);
		found = wanting < 0;
		if (found)
			claim_node(&claiming, level);
		else
			recoding_hard_add(host, &hard, classes->space, wanting);
	}
	finish(&claiming);
	recoding_hard_release(host, &hard);
	sdc_recoding_nodes_release(host, nodes);
	return found;
}

/* ----------------------------------------------------------------------
 * Joins classes until all satisfy what is demanded.
 *
 * Classes that fail wait in a heap, each with the partner found for it.  A
 * partner that has meanwhile been joined with another is looked for anew when
 * its turn comes.
 * ----------------------------------------------------------------------
 */

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
before(const void *of, Failing a, Failing b)
{
	(void) of;
	return a.increase < b.increase ||
		   (a.increase == b.increase && a.number < b.number);
}

SDC_HEAP(failing, Failing, const void *, before)

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
	failing_push(NULL, joining->heap, &joining->length, failing);
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
		Failing next = failing_pop(NULL, joining->heap, &joining->length);
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

/*
 * Of all pairs of a class that does not satisfy the demand and another class
 * joins the one that raises the loss least, again and again.  The result is
 * false when all tuples together do not satisfy it.  O(log n) searches of the
 * tree a class at best.
 */
static bool
recoding_join(SdcHost *host, SdcRecodingClasses *classes,
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

/* ----------------------------------------------------------------------
 * Moves tuples between classes as long as that lowers the loss.
 *
 * What a step gains is computed before it is taken, but for giving up a class:
 * its tuples go one by one, and come back when the last of them costs more
 * than the class did.
 * ----------------------------------------------------------------------
 */

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

/*
 * Two kinds of steps, each taken only if it lowers the cost of all records:
 * a tuple leaves its class, which must satisfy the demand without it, for
 * another one or for a class of its own; and a class is given up, its tuples
 * go to other classes.  Ends after so many passes over all tuples and classes,
 * or when one changes nothing.  All classes must satisfy the demand, and do so
 * afterwards.  Classes of more than 512 tuples give none away.  A search of
 * the tree and O(members of the class * keys) for each tuple and pass.
 */
static void
recoding_improve(SdcHost *host, SdcRecodingClasses *classes,
				 SdcRecodingTree *tree, SdcRecodingDemand *demand, int passes)
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

/* ----------------------------------------------------------------------
 * Local recoding: classes that are generalized each in its own way.
 * ----------------------------------------------------------------------
 */

#define NODES  1000000
#define PASSES 3

/* Visits: these, or so many for each tuple. */
#define VISITS      3e8
#define VISITS_EACH 500

typedef struct Recoding
{
	SdcHost *host;
	const SdcLocalRecodingRequest *request;
	SdcRecodingSpace *space;
	SdcRecodingClasses *classes;
	SdcRecodingDemand *demand;
} Recoding;

SdcLocalRecodingRequest
sdc_local_recoding_request(void)
{
	SdcLocalRecodingRequest request = {2, NULL, 1, NODES, 0, PASSES};

	return request;
}

/* The order of classes by what they look like. */
static int
compare_looks(int32_t a, int32_t b, void *arg)
{
	const SdcRecodingClasses *classes = arg;
	const SdcRecodingSpace *space = classes->space;
	size_t keys = (size_t) space->keys;
	size_t j;

	for (j = 0; j < keys; j++)
	{
		const SdcRecodingColumn *column = &space->column[j];
		int level = classes->level[(size_t) a * keys + j];
		int other = classes->level[(size_t) b * keys + j];
		int32_t group;

		if (level != other)
			return level < other ? -1 : 1;
		group = sdc_recoding_space_group(
			column, space->code[(size_t) a * keys + j], level);
		other = sdc_recoding_space_group(
			column, space->code[(size_t) b * keys + j], level);
		if (group != other)
			return group < other ? -1 : 1;
	}
	return 0;
}

/* Makes one class of those that look alike; were there any? */
static bool
unite_lookalikes(Recoding *recoding)
{
	SdcRecodingClasses *classes = recoding->classes;
	SdcHost *host = recoding->host;
	int32_t *number = sdc_new(host, int32_t, (size_t) recoding->space->tuples);
	int32_t count = 0;
	int32_t last = 0;
	bool united = false;
	int32_t i;

	for (i = 0; i < recoding->space->tuples; i++)
		if (classes->of[i] == i)
			number[count++] = i;
	sdc_sort_rows(host, number, (size_t) count, compare_looks, classes);
	for (i = 1; i < count; i++)
		if (compare_looks(number[last], number[i], classes) == 0)
		{
			number[last] =
				sdc_recoding_classes_merge(classes, number[last], number[i]);
			united = true;
		}
		else
			number[++last] = number[i];
	host->release(host, number);
	return united;
}

/* Cost of all records. */
static double
total_cost(const SdcRecodingClasses *classes)
{
	double sum = 0;
	int32_t t;

	for (t = 0; t < classes->space->tuples; t++)
		sum +=
			(double) classes->space->size[t] * classes->cost[classes->of[t]];
	return sum;
}

/* Joins what fails, then improves; false when the demand cannot be met. */
static bool
refine(Recoding *recoding)
{
	SdcHost *host = recoding->host;
	SdcRecodingTree *tree;
	bool sound;

	host->stage(host, "joining classes");
	tree = sdc_recoding_tree_new(host, recoding->classes);
	sound = recoding_join(host, recoding->classes, tree, recoding->demand);
	if (sound)
	{
		sdc_recoding_tree_expect(tree,
								 sdc_recoding_demand_least(recoding->demand));
		recoding_improve(host, recoding->classes, tree, recoding->demand,
						 recoding->request->passes);
	}
	sdc_recoding_tree_release(tree);
	return sound;
}

static double
count_visits(const Recoding *recoding)
{
	double visits = VISITS_EACH * (double) recoding->space->tuples;

	if (recoding->request->visits > 0)
		return recoding->request->visits;
	return visits > VISITS ? visits : VISITS;
}

static bool
search(Recoding *recoding)
{
	const SdcLocalRecodingRequest *request = recoding->request;
	SdcHost *host = recoding->host;
	double visits = count_visits(recoding);
	bool sound;
	double mean;

	host->stage(host, "searching nodes");
	recoding_claim(host, recoding->classes, recoding->demand, request->nodes,
				   visits);
	sound = refine(recoding);
	if (!sound)
		return false;
	mean = total_cost(recoding->classes) / (double) recoding->space->records;
	host->stage(host, "comparing with full-domain recoding");
	if (recoding_claim_whole(host, recoding->classes, recoding->demand, mean,
							 request->nodes, visits))
		sound = refine(recoding);
	while (sound && unite_lookalikes(recoding))
		sound = refine(recoding);
	return sound;
}

static double
share_kept(double least, double loss, double most)
{
	return most > least ? 1 - (loss - least) / (most - least) : 1;
}

/* Granularity of each key and of all. */
static void
measure_granularity(const Recoding *recoding, SdcLocalRecoding *local)
{
	const SdcRecodingSpace *space = recoding->space;
	const SdcRecodingClasses *classes = recoding->classes;
	size_t keys = (size_t) space->keys;
	double all[3] = {0, 0, 0};
	size_t j;

	for (j = 0; j < keys; j++)
	{
		const SdcRecodingColumn *column = &space->column[j];
		double sum[3] = {0, 0, column->weight * (double) space->records};
		int32_t t;
		int i;

		for (t = 0; t < space->tuples; t++)
		{
			int32_t value = space->code[(size_t) t * keys + j];
			double size = (double) space->size[t];
			int level = classes->level[(size_t) classes->of[t] * keys + j];

			sum[0] += size * sdc_recoding_space_share(column, value, 0);
			sum[1] += size * sdc_recoding_space_share(column, value, level);
		}
		local->of_key[j] = share_kept(sum[0], sum[1], sum[2]);
		for (i = 0; i < 3; i++)
			all[i] += sum[i];
	}
	local->granularity = share_kept(all[0], all[1], all[2]);
}

/* Writes the classes down, numbered by their first tuple. */
static SdcLocalRecoding *
result(const Recoding *recoding)
{
	const SdcRecodingClasses *classes = recoding->classes;
	SdcHost *host = recoding->host;
	SdcLocalRecoding *local = sdc_new(host, SdcLocalRecoding, 1);
	size_t n = (size_t) recoding->space->tuples;
	size_t keys = (size_t) recoding->space->keys;
	int32_t *numbered = sdc_new(host, int32_t, n);
	size_t t;

	local->tuples = recoding->space->tuples;
	local->keys = recoding->space->keys;
	local->level = sdc_new(host, uint8_t, n * keys);
	local->number = sdc_new(host, int32_t, n);
	local->size = sdc_new(host, int64_t, n);
	local->records = recoding->space->records;
	local->classes = 0;
	local->of_key = sdc_new(host, double, keys);
	measure_granularity(recoding, local);
	memset(numbered, -1, n * sizeof(int32_t));
	for (t = 0; t < n; t++)
	{
		int32_t owner = classes->of[t];

		if (numbered[owner] < 0)
		{
			local->size[local->classes] = classes->size[owner];
			numbered[owner] = local->classes++;
		}
		local->number[t] = numbered[owner];
		memcpy(local->level + t * keys, classes->level + (size_t) owner * keys,
			   keys);
	}
	host->release(host, numbered);
	return local;
}

SdcLocalRecoding *
sdc_local_recoding(SdcHost *host, const SdcFrequency *frequency,
				   const SdcClasses *classes, const SdcRecodingKey *key,
				   int keys, const SdcLocalRecodingRequest *request)
{
	Recoding recoding = {host, request, NULL, NULL, NULL};

	if (classes->classes == 0)
		return NULL;
	recoding.space =
		sdc_recoding_space_new(host, frequency, classes, key, keys);
	recoding.classes = sdc_recoding_classes_new(host, recoding.space);
	recoding.demand =
		sdc_recoding_demand_new(host, frequency, classes, request->k,
								request->sensitive, request->sensitives);
	if (!search(&recoding))
		return NULL;
	return result(&recoding);
}
