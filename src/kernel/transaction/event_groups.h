/*
 * event_groups.h
 *		Persons, or records, of whom the same is known through all channels.
 */
#ifndef SDC_KERNEL_EVENT_GROUPS_H
#define SDC_KERNEL_EVENT_GROUPS_H

#include "kernel/base/host.h"
#include "kernel/transaction/event_likelihood.h"

/* Groups by their first members, in the order of these. */
typedef struct SdcEventGroups
{
	int32_t members;
	int32_t groups;
	int32_t *group;  /* of each member */
	int32_t *start;  /* groups + 1: places of its members ... */
	int32_t *member; /* ... here, ascending */
} SdcEventGroups;

/*
 * Groups the persons (known) or records of files by part, marks and numbers.
 * O(marks).
 */
extern SdcEventGroups
sdc_event_groups_create(SdcHost *host, const SdcEventFiles *files, bool known);

/* Gives the arrays back. */
extern void sdc_event_groups_release(SdcHost *host, SdcEventGroups *groups);

/* The number of members of a group. */
static inline int32_t
sdc_event_groups_size(const SdcEventGroups *groups, int32_t group)
{
	return groups->start[group + 1] - groups->start[group];
}

/*
 * The same files with one person for each group.  A search among them gives
 * the groups of those whom a search among all gives, as they score the same.
 */
extern SdcEventFiles sdc_event_groups_files(SdcHost *host,
											const SdcEventFiles *files,
											const SdcEventGroups *persons);

/* Gives back what the function above made. */
extern void sdc_event_groups_files_release(SdcHost *host,
										   SdcEventFiles *files);

#endif
