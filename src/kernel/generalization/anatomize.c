/*
 * anatomize.c
 *		Groups of records whose sensitive values differ (Anatomy).
 *
 * Buckets stay ordered by size without a queue: of the buckets that are as
 * large as the l-th largest, those at the end of the run of equal sizes give
 * a record, so that one less is still no larger than what stands before.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/anatomize.h"

/*
 * Are n records eligible for groups of l different values, when the most
 * frequent one occurs largest times?  Xiao and Tao, property 1: no value may
 * have more than n / l records.
 */
static inline bool
sdc_anatomize_is_eligible(int32_t n, int32_t largest, int32_t l)
{
	return (int64_t) largest * l <= n;
}

/* ----------------------------------------------------------------------
 * Greedy grouping of a sequence of records until each group is l-diverse.
 *
 * Only the counts of the open group are kept.  They are cleared value by value
 * when it is closed, so that the whole scan is linear.
 * ----------------------------------------------------------------------
 */

/* The records that are counted: the open group. */
typedef struct Open
{
	int32_t *count; /* by value */
	int32_t size;
	int32_t largest;
} Open;

static void
add_record(Open *open, int32_t value)
{
	open->size++;
	if (++open->count[value] > open->largest)
		open->largest = open->count[value];
}

static void
close_group(Open *open, const int32_t *code, int32_t end)
{
	int32_t i;

	for (i = end - open->size; i < end; i++)
		open->count[code[i]] = 0;
	open->size = 0;
	open->largest = 0;
}

/*
 * Merges the open group into those before it until the union is l-diverse.
 * Returns the number of groups, or -1.
 */
static int32_t
merge_remainder(Open *open, const int32_t *code, int32_t n, double l,
				int32_t *group)
{
	int32_t i = n - open->size;

	while (i > 0)
	{
		int32_t before = group[i - 1];

		while (i > 0 && group[i - 1] == before)
			add_record(open, code[--i]);
		if (sdc_diverse_group_is(open->size, open->largest, l))
		{
			for (; i < n; i++)
				group[i] = before;
			return before + 1;
		}
	}
	return -1;
}

int32_t
sdc_diverse_group_scan(SdcHost *host, const int32_t *code, int32_t n,
					   int32_t values, double l, int32_t *group)
{
	Open open = {sdc_new(host, int32_t, values), 0, 0};
	int32_t groups = 0;
	int32_t i;

	host->stage(host, "grouping");
	memset(open.count, 0, sizeof(int32_t) * (size_t) values);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		add_record(&open, code[i]);
		group[i] = groups;
		if (sdc_diverse_group_is(open.size, open.largest, l))
		{
			close_group(&open, code, i + 1);
			groups++;
		}
	}
	if (open.size > 0)
		groups = merge_remainder(&open, code, n, l, group);
	host->release(host, open.count);
	return groups;
}

/* ----------------------------------------------------------------------
 * Groups of records whose sensitive values differ (Anatomy).
 *
 * Buckets stay ordered by size without a queue: of the buckets that are as
 * large as the l-th largest, those at the end of the run of equal sizes give
 * a record, so that one less is still no larger than what stands before.
 * ----------------------------------------------------------------------
 */

/* Groups between two polls. */
#define POLL_GROUPS 4096

typedef struct Buckets
{
	int32_t *first; /* of each value, its place in record[]; one more at end */
	int32_t *record; /* by value, within a value in random order */
	int32_t *size;   /* records left, which are the first ones of the bucket */
	int32_t *order;  /* values, larger buckets first */
	int32_t left;    /* buckets that are not empty */
} Buckets;

static int
compare_sizes(int32_t a, int32_t b, void *arg)
{
	const int32_t *size = arg;

	return size[a] > size[b] ? -1 : size[a] < size[b];
}

/*
 * Sorts the rows 0 .. n - 1 by code into runs: those with code k are rows[]
 * from first[k] to first[k + 1] - 1, ascending.
 */
static void
sort_runs(SdcHost *host, const int32_t *code, int32_t n, int32_t codes,
		  int32_t *rows, int32_t *first)
{
	int32_t i;
	int32_t k;

	memset(first, 0, sizeof(int32_t) * ((size_t) codes + 1));
	for (i = 0; i < n; i++)
		first[code[i]]++;
	for (k = 1; k <= codes; k++)
		first[k] += first[k - 1];
	for (i = n - 1; i >= 0; i--)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		rows[--first[code[i]]] = i;
	}
}

static void
fill_buckets(SdcHost *host, Buckets *buckets, const int32_t *code, int32_t n,
			 int32_t values)
{
	int32_t v;

	buckets->first = sdc_new(host, int32_t, (size_t) values + 1);
	buckets->record = sdc_new(host, int32_t, n);
	buckets->size = sdc_new(host, int32_t, values);
	buckets->order = sdc_new(host, int32_t, values);
	sort_runs(host, code, n, values, buckets->record, buckets->first);
	for (v = 0; v < values; v++)
	{
		buckets->size[v] = buckets->first[v + 1] - buckets->first[v];
		buckets->order[v] = v;
	}
	sdc_sort_rows(host, buckets->order, values, compare_sizes, buckets->size);
	buckets->left = values;
}

/* Fisher-Yates in each run of rows: run k is first[k] .. first[k + 1] - 1. */
static void
shuffle_runs(SdcHost *host, int32_t *rows, const int32_t *first, int32_t runs,
			 SdcRandom *random)
{
	int32_t k;
	int32_t i;

	for (k = 0; k < runs; k++)
	{
		if (k % POLL_GROUPS == 0)
			host->poll(host, first[k], first[runs]);
		for (i = first[k + 1] - 1; i > first[k]; i--)
		{
			int32_t other = first[k] + (int32_t) sdc_random_below(
										   random, i - first[k] + 1);
			int32_t moved = rows[i];

			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, first[k], first[runs]);
			rows[i] = rows[other];
			rows[other] = moved;
		}
	}
}

static int32_t
take_record(Buckets *buckets, int32_t value)
{
	return buckets->record[buckets->first[value] + --buckets->size[value]];
}

/* How many of the buckets that are left are larger than size. */
static int32_t
count_larger(const Buckets *buckets, int32_t size)
{
	int32_t low = 0;
	int32_t high = buckets->left;

	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (buckets->size[buckets->order[middle]] > size)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One record of each of the l largest buckets. */
static void
make_group(Buckets *buckets, int32_t l, int32_t number, int32_t *group)
{
	int32_t size = buckets->size[buckets->order[l - 1]];
	int32_t larger = count_larger(buckets, size);
	int32_t end = count_larger(buckets, size - 1);
	int32_t i;

	for (i = 0; i < larger; i++)
		group[take_record(buckets, buckets->order[i])] = number;
	for (i = end - (l - larger); i < end; i++)
		group[take_record(buckets, buckets->order[i])] = number;
	while (buckets->left > 0 &&
		   buckets->size[buckets->order[buckets->left - 1]] == 0)
		buckets->left--;
}

/* A group that does not have a value, drawn at random. */
static int32_t
draw_group(const Buckets *buckets, int32_t value, int32_t groups, int32_t *has,
		   const int32_t *group, SdcRandom *random)
{
	int32_t without = groups;
	int32_t chosen;
	int32_t g;
	int32_t i;

	memset(has, 0, sizeof(int32_t) * (size_t) groups);
	for (i = buckets->first[value] + buckets->size[value];
		 i < buckets->first[value + 1]; i++)
	{
		has[group[buckets->record[i]]] = 1;
		without--;
	}
	/* a theorem of the paper: eligible records leave a group without it */
	chosen = (int32_t) sdc_random_below(random, without);
	for (g = 0; has[g] || chosen > 0; g++)
		chosen -= !has[g];
	return g;
}

/* Puts each record that is left into a group without its value. */
static void
place_residue(SdcHost *host, Buckets *buckets, int32_t groups, int32_t *group,
			  SdcRandom *random)
{
	int32_t *has = sdc_new(host, int32_t, groups);
	int32_t i;

	for (i = 0; i < buckets->left; i++)
	{
		int32_t value = buckets->order[i];
		int32_t chosen;

		host->poll(host, i, buckets->left);
		chosen = draw_group(buckets, value, groups, has, group, random);
		group[take_record(buckets, value)] = chosen;
	}
	host->release(host, has);
}

static void
release_buckets(SdcHost *host, Buckets *buckets)
{
	host->release(host, buckets->first);
	host->release(host, buckets->record);
	host->release(host, buckets->size);
	host->release(host, buckets->order);
}

int32_t
sdc_anatomize_group(SdcHost *host, const int32_t *code, int32_t n,
					int32_t values, int32_t l, SdcRandom *random,
					int32_t *group)
{
	Buckets buckets;
	int32_t groups = 0;

	if (n == 0)
		return 0;
	host->stage(host, "grouping");
	fill_buckets(host, &buckets, code, n, values);
	if (!sdc_anatomize_is_eligible(n, buckets.size[buckets.order[0]], l))
		groups = -1;
	else
	{
		shuffle_runs(host, buckets.record, buckets.first, values, random);
		while (buckets.left >= l)
		{
			if (groups % POLL_GROUPS == 0)
				host->poll(host, groups, n / l);
			make_group(&buckets, l, groups++, group);
		}
		place_residue(host, &buckets, groups, group, random);
	}
	release_buckets(host, &buckets);
	return groups;
}

void
sdc_anatomize_place(SdcHost *host, const int32_t *group, int32_t n,
					int32_t groups, SdcRandom *random, int32_t *position)
{
	int32_t *first = sdc_new(host, int32_t, (size_t) groups + 1);
	int32_t *rows = sdc_new(host, int32_t, n);
	int32_t i;

	host->stage(host, "ordering");
	sort_runs(host, group, n, groups, rows, first);
	shuffle_runs(host, rows, first, groups, random);
	for (i = 0; i < n; i++)
		position[rows[i]] = i;
	host->release(host, first);
	host->release(host, rows);
}
