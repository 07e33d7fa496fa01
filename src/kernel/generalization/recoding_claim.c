/*
 * recoding_claim.c
 *		Makes classes of what satisfies a demand at a node of the lattice.
 *
 * Tuples are grouped by 64 bits that their groups at the node are mixed to.
 * Should two groups ever have the same bits, then their common levels show it
 * and they are not made a class at this node; nothing depends on luck but that
 * one class.
 *
 * A lattice that is too large for all its nodes to be visited is thinned out:
 * every second, third, ... node is taken, so that the cheap ones and the dear
 * ones get their share, and more again when few tuples are left.
 */
#include "kernel/generalization/recoding_claim.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/recoding_hard.h"

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
is_met(Claiming *claiming, const Bucket *bucket)
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
	if (!is_met(claiming, bucket) ||
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

void
sdc_recoding_claim(SdcHost *host, SdcRecodingClasses *classes,
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
		if (!is_met(claiming, bucket) ||
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

bool
sdc_recoding_claim_whole(SdcHost *host, SdcRecodingClasses *classes,
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
	sdc_recoding_hard_add(host, &hard, classes->space, costliest(classes));
	while (!found && most-- > 0 && visits > 0 &&
		   (level = sdc_recoding_nodes_next(nodes, &cost)) != NULL &&
		   cost < limit)
	{
		int32_t wanting;

		host->poll(host, 0, 0);
		if (!sdc_recoding_hard_pass(&hard, level, least, &visits))
			continue;
		visits -= classes->space->tuples;
		wanting = find_wanting(&claiming, level);
		found = wanting < 0;
		if (found)
			claim_node(&claiming, level);
		else
			sdc_recoding_hard_add(host, &hard, classes->space, wanting);
	}
	finish(&claiming);
	sdc_recoding_hard_release(host, &hard);
	sdc_recoding_nodes_release(host, nodes);
	return found;
}
