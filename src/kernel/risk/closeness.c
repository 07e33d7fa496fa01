/*
 * closeness.c
 *		t-closeness: how far a class's values are from those of the table.
 *
 * All three distances are sums of |P N - Q n| over parts of the values: single
 * values (equal), all values up to one (ordered), groups (hierarchical), where
 * the class has P of its n records and the table Q of its N there.  Where the
 * class has nothing the sum needs only the table, so it was summed up before.
 */
#include "kernel/risk/closeness.h"

#include <string.h>

/* Memory of the host is aligned to 8 bytes, the type alone asks for 16. */
typedef __int128 Wide __attribute__((aligned(8)));

struct SdcClosenessOrder
{
	const SdcTotals *totals;
	int32_t ranks; /* values that occur */
	int32_t *rank; /* of each slot */
	int64_t *upto; /* records with that rank or a lower one */
	Wide *area;    /* area[r]: sum of upto over the ranks below r */
};

/* One level of the hierarchy. */
typedef struct Level
{
	int32_t *group; /* of each slot */
	int64_t *total; /* records of the table in each group */
	int64_t *held;  /* scratch: records of the class, 0 between calls */
} Level;

struct SdcClosenessTree
{
	const SdcTotals *totals;
	int height;
	Level *level; /* 1 .. height - 1 */
};

/* sum / (n N parts), the only step that rounds. */
static double
share(__int128 sum, const SdcHistogram *histogram, const SdcTotals *totals,
	  int32_t parts)
{
	__int128 whole = (__int128) histogram->records * totals->records * parts;

	return whole > 0 ? (double) sum / (double) whole : 0;
}

/* What the class has too much of; the same lacks it elsewhere. */
static __int128
excess(const SdcHistogram *histogram, const SdcTotals *totals)
{
	__int128 sum = 0;
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
		__int128 extra = (__int128) histogram->count[i] * totals->records -
						 (__int128) totals->total[slot] * histogram->records;

		if (extra > 0)
			sum += extra;
	}
	return sum;
}

double
sdc_closeness_equal(const SdcHistogram *histogram, const SdcTotals *totals)
{
	return share(excess(histogram, totals), histogram, totals, 1);
}

SdcClosenessOrder *
sdc_closeness_order(SdcHost *host, const SdcTotals *totals)
{
	SdcClosenessOrder *order = sdc_new(host, SdcClosenessOrder, 1);
	size_t slots = (size_t) totals->values + 1;
	int64_t records = 0;
	int32_t rank = 0;
	size_t slot;

	order->totals = totals;
	order->ranks = totals->occurring;
	order->rank = sdc_new(host, int32_t, slots);
	order->upto = sdc_new(host, int64_t, slots);
	order->area = sdc_new(host, Wide, slots + 1);
	order->area[0] = 0;
	for (slot = 0; slot < slots; slot++)
	{
		if (slot % SDC_POLL_STEPS == 0)
			host->poll(host, slot, slots);
		order->rank[slot] = rank;
		if (totals->total[slot] == 0)
			continue;
		records += totals->total[slot];
		order->upto[rank] = records;
		order->area[rank + 1] = order->area[rank] + records;
		rank++;
	}
	return order;
}

void
sdc_closeness_order_release(SdcHost *host, SdcClosenessOrder *order)
{
	if (order == NULL)
		return;
	host->release(host, order->area);
	host->release(host, order->upto);
	host->release(host, order->rank);
	host->release(host, order);
}

/*
 * The sum over the ranks from .. to - 1, for all of which the class has the
 * same level = P N: the table is below it first and above it then.
 */
static __int128
stretch(const SdcClosenessOrder *order, int32_t from, int32_t to,
		__int128 level, int64_t records)
{
	int32_t low = from;
	int32_t high = to;
	__int128 below;
	__int128 above;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if ((__int128) order->upto[middle] * records <= level)
			low = middle + 1;
		else
			high = middle;
	}
	below = level * (low - from) -
			(order->area[low] - order->area[from]) * records;
	above =
		(order->area[to] - order->area[low]) * records - level * (to - low);
	return below + above;
}

double
sdc_closeness_ordered(const SdcHistogram *histogram,
					  const SdcClosenessOrder *order)
{
	const SdcTotals *totals = order->totals;
	__int128 level = 0;
	__int128 sum = 0;
	int32_t from = 0;
	int32_t i;

	if (order->ranks < 2 || histogram->records == 0)
		return 0;
	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
		int32_t rank = order->rank[slot];

		sum += stretch(order, from, rank, level, histogram->records);
		level += (__int128) histogram->count[i] * totals->records;
		from = rank;
	}
	sum += stretch(order, from, order->ranks, level, histogram->records);
	return share(sum, histogram, totals, order->ranks - 1);
}

/* Groups of the values, and NULL as one more. */
static void
prepare_level(SdcHost *host, const SdcTotals *totals, const int32_t *group,
			  int32_t groups, Level *level)
{
	size_t slots = (size_t) totals->values + 1;
	size_t parts = (size_t) groups + 1;
	size_t slot;

	level->group = sdc_new(host, int32_t, slots);
	level->total = sdc_new(host, int64_t, parts);
	level->held = sdc_new(host, int64_t, parts);
	memset(level->total, 0, sizeof(int64_t) * parts);
	memset(level->held, 0, sizeof(int64_t) * parts);
	for (slot = 0; slot < slots; slot++)
	{
		if (slot % SDC_POLL_STEPS == 0)
			host->poll(host, slot, slots);
		level->group[slot] = slot + 1 < slots ? group[slot] : groups;
		level->total[level->group[slot]] += totals->total[slot];
	}
}

SdcClosenessTree *
sdc_closeness_tree(SdcHost *host, const SdcTotals *totals,
				   const SdcHierarchy *hierarchy)
{
	SdcClosenessTree *tree = sdc_new(host, SdcClosenessTree, 1);
	int top = hierarchy->levels - 1;
	int l;

	tree->totals = totals;
	/* several groups on top: a root above them */
	tree->height = hierarchy->groups[top] > 1 ? top + 1 : top;
	tree->level = sdc_new(host, Level, (size_t) tree->height + 1);
	for (l = 1; l < tree->height; l++)
		prepare_level(host, totals, hierarchy->group[l], hierarchy->groups[l],
					  &tree->level[l]);
	return tree;
}

void
sdc_closeness_tree_release(SdcHost *host, SdcClosenessTree *tree)
{
	int l;

	if (tree == NULL)
		return;
	for (l = 1; l < tree->height; l++)
	{
		host->release(host, tree->level[l].held);
		host->release(host, tree->level[l].total);
		host->release(host, tree->level[l].group);
	}
	host->release(host, tree->level);
	host->release(host, tree);
}

/* As excess, of groups. */
static __int128
excess_of_groups(const SdcHistogram *histogram, const SdcTotals *totals,
				 const Level *level)
{
	__int128 sum = 0;
	int32_t i;

	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);

		level->held[level->group[slot]] += histogram->count[i];
	}
	for (i = 0; i < histogram->cells; i++)
	{
		int32_t slot = sdc_histogram_slot(totals, histogram->code[i]);
		int32_t group = level->group[slot];
		__int128 extra = (__int128) level->held[group] * totals->records -
						 (__int128) level->total[group] * histogram->records;

		/* the other values of the group find it empty */
		if (extra > 0)
			sum += extra;
		level->held[group] = 0;
	}
	return sum;
}

/*
 * A path between two values goes as many edges up as down, so an edge is worth
 * half a step of 1 / height, and below each level flows half the sum of
 * |P N - Q n| of its groups: the excess.
 */
double
sdc_closeness_hierarchical(const SdcHistogram *histogram,
						   const SdcClosenessTree *tree)
{
	__int128 sum;
	int l;

	if (tree->height == 0)
		return 0;
	sum = excess(histogram, tree->totals);
	for (l = 1; l < tree->height; l++)
		sum += excess_of_groups(histogram, tree->totals, &tree->level[l]);
	return share(sum, histogram, tree->totals, tree->height);
}
