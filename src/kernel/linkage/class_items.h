/*
 * class_items.h
 *		What the classes of a file hold, and what several of them share.
 *
 * Items are numbers from 0: people, or values.  A class holds each of its
 * items a number of times.
 */
#ifndef SDC_KERNEL_CLASS_ITEMS_H
#define SDC_KERNEL_CLASS_ITEMS_H

#include "kernel/base/host.h"

/* Class c holds item[first[c]] .. item[first[c + 1] - 1], ascending. */
typedef struct SdcClassItems
{
	int32_t classes;
	int32_t *first;
	int32_t *item;
	int32_t *count; /* rows of the class that have the item */
} SdcClassItems;

/* Some items, each once, with a weight. */
typedef struct SdcItemSet
{
	int32_t items;
	int32_t *item;
	int64_t *weight;
} SdcItemSet;

/*
 * Counts the items of each class: row i is of class_of[i], from 0 (-1: none),
 * and has item[i].  O(n).
 */
extern SdcClassItems sdc_class_items_count(SdcHost *host, int32_t n,
										   const int32_t *class_of,
										   int32_t classes,
										   const int32_t *item);

/* How many different items a class holds. */
static inline int32_t
sdc_class_items_size(const SdcClassItems *items, int32_t class_of)
{
	return items->first[class_of + 1] - items->first[class_of];
}

/* An empty set with room for so many items. */
extern SdcItemSet sdc_class_items_set(SdcHost *host, int32_t room);

/* Sets a set to what a class holds, weighted by how often. */
extern void sdc_class_items_take(const SdcClassItems *items, int32_t class_of,
								 SdcItemSet *set);

/*
 * Keeps what a class holds, too, as often as both do.  The set is ascending
 * before and after.  O(items of both).
 */
extern void sdc_class_items_intersect(const SdcClassItems *items,
									  int32_t class_of, SdcItemSet *set);

/*
 * Adds what a class holds to a set; votes[item] is the place of an item in
 * the set plus one, 0 for those that are not in it.
 */
extern void sdc_class_items_add(const SdcClassItems *items, int32_t class_of,
								int32_t *votes, SdcItemSet *set);

/* Sorts a set by falling weight, then by item.  O(items). */
extern void sdc_class_items_rank(SdcHost *host, SdcItemSet *set);

#endif
