/*
 * grouping.h
 *		Rows that agree in several columns of codes, as numbered groups.
 */
#ifndef SDC_KERNEL_GROUPING_H
#define SDC_KERNEL_GROUPING_H

#include "kernel/base/host.h"

/* The rows of each group: member[first[g]] .. member[first[g + 1] - 1]. */
typedef struct SdcGrouping
{
	int32_t groups;
	int32_t *first;
	int32_t *member;
} SdcGrouping;

/*
 * Splits groups by one more column: rows stay together that were together and
 * have the same code.  group[i] is the number of a row's group, from 0, or -1
 * for none; a row whose code is negative leaves its group when that is asked
 * for, and else keeps company with its like.  Returns the number of groups,
 * which are numbered by their old numbers, then by their codes.  O(n).
 */
extern int32_t sdc_grouping_refine(SdcHost *host, int32_t n,
								   const int32_t *code, bool null_leaves,
								   int32_t *group);

/* Lists the rows of each group, ascending.  O(n). */
extern SdcGrouping sdc_grouping_list(SdcHost *host, int32_t n,
									 const int32_t *group, int32_t groups);

#endif
