/*
 * diverse_group.c
 *		Greedy grouping of a sequence of records until each group is l-diverse.
 *
 * Only the counts of the open group are kept.  They are cleared value by value
 * when it is closed, so that the whole scan is linear.
 */
#include <string.h>

#include "kernel/generalization/diverse_group.h"

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
