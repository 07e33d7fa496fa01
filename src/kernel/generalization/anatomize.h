/*
 * anatomize.h
 *		Groups of records whose sensitive values differ (Anatomy).
 */
#ifndef SDC_KERNEL_ANATOMIZE_H
#define SDC_KERNEL_ANATOMIZE_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

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

/*
 * Puts n records into groups of l, or a few more, records with different
 * sensitive values.  code[i] is the value of record i, 0 .. values - 1; l is
 * at least 1.  group[i] becomes the number of its group, from 0.
 *
 * Each group takes one record from each of the l largest buckets (records of
 * one value) that are left; which record of a bucket is drawn at random.  The
 * fewer than l records that remain go to groups, drawn at random, that do not
 * have their value.  Returns the number of groups, floor(n / l), or -1 when
 * the records are not eligible; group[] is then undefined.
 *
 * O(n + values log values).  Source: Xiao and Tao, Anatomy: simple and
 * effective privacy preservation, VLDB 2006, figure 3.
 */
extern int32_t sdc_anatomize_group(SdcHost *host, const int32_t *code,
								   int32_t n, int32_t values, int32_t l,
								   SdcRandom *random, int32_t *group);

/*
 * Numbers the n records from 0, group by group and at random within a group:
 * position[i] is the number of record i, whose group is group[i], 0 .. groups
 * - 1.  Two calls that follow one another are independent.  O(n + groups).
 */
extern void sdc_anatomize_place(SdcHost *host, const int32_t *group, int32_t n,
								int32_t groups, SdcRandom *random,
								int32_t *position);

#endif
