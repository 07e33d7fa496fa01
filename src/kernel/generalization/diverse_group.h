/*
 * diverse_group.h
 *		Greedy grouping of a sequence of records until each group is l-diverse.
 */
#ifndef SDC_KERNEL_DIVERSE_GROUP_H
#define SDC_KERNEL_DIVERSE_GROUP_H

#include "kernel/base/host.h"

/*
 * Is a group of size > 0 records l-diverse whose most frequent sensitive value
 * occurs largest times?  It is when n / r_1 >= l (simplified l-diversity: no
 * value has more than 1/l of the records).
 */
static inline bool
sdc_diverse_group_is(int32_t size, int32_t largest, double l)
{
	return (double) size / largest >= l;
}

/*
 * Scans n records in their order and closes the group as soon as it is
 * l-diverse.  code[i] is the sensitive value of record i, 0 .. values - 1; l
 * is at least 1 and finite.  group[i] becomes the number of its group, from 0
 * in the order of the scan.
 *
 * When the last group is not l-diverse at the end of the scan it is merged
 * into the one before, and on, until the union is l-diverse.  Returns how many
 * groups there are, or -1 when even all records together are not l-diverse;
 * group[] is then undefined.  O(n + values).
 *
 * Source: Cormode, Data Anonymization, slide 16, which leaves open what
 * becomes of the remainder.
 */
extern int32_t sdc_diverse_group_scan(SdcHost *host, const int32_t *code,
									  int32_t n, int32_t values, double l,
									  int32_t *group);

#endif
