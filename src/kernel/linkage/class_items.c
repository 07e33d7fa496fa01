/*
 * class_items.c
 *		What the classes of a file hold, and what several of them share.
 *
 * The items of a class are a sorted list, so two classes are intersected by
 * one walk through both.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linkage/class_items.h"
#include "kernel/table/frequency.h"

SdcClassItems
sdc_class_items_count(SdcHost *host, int32_t n, const int32_t *class_of,
					  int32_t classes, const int32_t *item)
{
	SdcClassItems result = {.classes = classes};
	int32_t *pair = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t pairs;
	int32_t i;

	memcpy(pair, class_of, sizeof(int32_t) * n);
	pairs = sdc_grouping_refine(host, n, item, true, pair);
	result.first = sdc_new(host, int32_t, (size_t) classes + 2);
	result.item = sdc_new(host, int32_t, (size_t) pairs + 1);
	result.count = sdc_new(host, int32_t, (size_t) pairs + 1);
	memset(result.first, 0, sizeof(int32_t) * ((size_t) classes + 2));
	memset(result.count, 0, sizeof(int32_t) * ((size_t) pairs + 1));
	for (i = 0; i < n; i++)
		if (pair[i] >= 0)
		{
			result.item[pair[i]] = item[i];
			/* pairs are numbered by class first, then by item */
			if (result.count[pair[i]]++ == 0)
				result.first[class_of[i] + 1]++;
		}
	for (i = 0; i < classes; i++)
		result.first[i + 1] += result.first[i];
	host->release(host, pair);
	return result;
}

SdcItemSet
sdc_class_items_set(SdcHost *host, int32_t room)
{
	SdcItemSet set = {0};

	set.item = sdc_new(host, int32_t, (size_t) room + 1);
	set.weight = sdc_new(host, int64_t, (size_t) room + 1);
	return set;
}

void
sdc_class_items_take(const SdcClassItems *items, int32_t class_of,
					 SdcItemSet *set)
{
	int32_t i;

	set->items = 0;
	for (i = items->first[class_of]; i < items->first[class_of + 1]; i++)
	{
		set->item[set->items] = items->item[i];
		set->weight[set->items++] = items->count[i];
	}
}

void
sdc_class_items_intersect(const SdcClassItems *items, int32_t class_of,
						  SdcItemSet *set)
{
	int32_t other = items->first[class_of];
	int32_t end = items->first[class_of + 1];
	int32_t kept = 0;
	int32_t i;

	for (i = 0; i < set->items; i++)
	{
		while (other < end && items->item[other] < set->item[i])
			other++;
		if (other == end || items->item[other] > set->item[i])
			continue;
		set->item[kept] = set->item[i];
		set->weight[kept++] = set->weight[i] < items->count[other]
								  ? set->weight[i]
								  : items->count[other];
	}
	set->items = kept;
}

void
sdc_class_items_add(const SdcClassItems *items, int32_t class_of,
					int32_t *votes, SdcItemSet *set)
{
	int32_t i;

	for (i = items->first[class_of]; i < items->first[class_of + 1]; i++)
	{
		int32_t *place = &votes[items->item[i]];

		if (*place == 0)
		{
			set->item[set->items] = items->item[i];
			set->weight[set->items] = 0;
			*place = ++set->items;
		}
		set->weight[*place - 1] += items->count[i];
	}
}

void
sdc_class_items_rank(SdcHost *host, SdcItemSet *set)
{
	int32_t n = set->items;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *order = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t *item = sdc_new(host, int32_t, (size_t) n + 1);
	int64_t *weight = sdc_new(host, int64_t, (size_t) n + 1);
	int pass;
	int32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	/* by item, then, keeping that order among equals, by weight */
	for (pass = 0; pass < 2; pass++)
	{
		for (i = 0; i < n; i++)
			key[i] = pass == 0 ? (uint64_t) set->item[order[i]]
							   : UINT64_MAX - (uint64_t) set->weight[order[i]];
		sdc_sort_keys(host, key, order, n);
	}
	for (i = 0; i < n; i++)
	{
		item[i] = set->item[order[i]];
		weight[i] = set->weight[order[i]];
	}
	memcpy(set->item, item, sizeof(int32_t) * n);
	memcpy(set->weight, weight, sizeof(int64_t) * n);
	host->release(host, key);
	host->release(host, order);
	host->release(host, item);
	host->release(host, weight);
}
