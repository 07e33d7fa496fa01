/*
 * grouping.c
 *		Rows that agree in several columns of codes, as numbered groups.
 *
 * The number of the group so far and the code of the next column make one key
 * of 64 bits; sorted, equal keys are the new groups.
 */
#include "kernel/table/grouping.h"

#include <string.h>

#include "kernel/base/sort.h"

int32_t
sdc_grouping_refine(SdcHost *host, int32_t n, const int32_t *code,
					bool null_leaves, int32_t *group)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t groups = 0;
	int32_t rows = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		if (null_leaves && code[i] < 0)
			group[i] = -1;
		if (group[i] < 0)
			continue;
		/* one more, so that the code of NULL comes first */
		key[rows] = (uint64_t) group[i] << 32 | (uint32_t) (code[i] + 1);
		row[rows++] = i;
	}
	sdc_sort_keys(host, key, row, rows);
	for (i = 0; i < rows; i++)
	{
		groups += i == 0 || key[i] != key[i - 1];
		group[row[i]] = groups - 1;
	}
	host->release(host, key);
	host->release(host, row);
	return groups;
}

SdcGrouping
sdc_grouping_list(SdcHost *host, int32_t n, const int32_t *group,
				  int32_t groups)
{
	SdcGrouping grouping = {.groups = groups};
	int32_t *next = sdc_new(host, int32_t, (size_t) groups + 2);
	int32_t i;

	memset(next, 0, sizeof(int32_t) * ((size_t) groups + 2));
	grouping.member = sdc_new(host, int32_t, (size_t) n + 1);
	for (i = 0; i < n; i++)
		if (group[i] >= 0)
			next[group[i] + 2]++;
	for (i = 0; i < groups; i++)
		next[i + 2] += next[i + 1];
	for (i = 0; i < n; i++)
		if (group[i] >= 0)
			grouping.member[next[group[i] + 1]++] = i;
	grouping.first = next;
	return grouping;
}
