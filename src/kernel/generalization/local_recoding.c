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
#include "kernel/generalization/local_recoding.h"

#include "kernel/generalization/recoding_claim.h"
#include "kernel/generalization/recoding_improve.h"
#include "kernel/generalization/recoding_join.h"
#include "kernel/base/sort.h"

#include <string.h>

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
	SdcLocalRecodingRequest request = {2, NULL, NODES, 0, PASSES};

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
	sound = sdc_recoding_join(host, recoding->classes, tree, recoding->demand);
	if (sound)
	{
		sdc_recoding_tree_expect(tree,
								 sdc_recoding_demand_least(recoding->demand));
		sdc_recoding_improve(host, recoding->classes, tree, recoding->demand,
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
	sdc_recoding_claim(host, recoding->classes, recoding->demand,
					   request->nodes, visits);
	sound = refine(recoding);
	if (!sound)
		return false;
	mean = total_cost(recoding->classes) / (double) recoding->space->records;
	host->stage(host, "comparing with full-domain recoding");
	if (sdc_recoding_claim_whole(host, recoding->classes, recoding->demand,
								 mean, request->nodes, visits))
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
	recoding.demand = sdc_recoding_demand_new(host, frequency, classes,
											  request->k, request->sensitive);
	if (!search(&recoding))
		return NULL;
	return result(&recoding);
}
