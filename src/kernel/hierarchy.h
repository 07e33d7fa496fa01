/*
 * hierarchy.h
 *		A hierarchy of generalizations over the codes of a column.
 *
 * Level 0 is the values themselves; each level above joins groups of the
 * level below it, so levels nest.  The top level need not be one group.
 */
#ifndef SDC_KERNEL_HIERARCHY_H
#define SDC_KERNEL_HIERARCHY_H

#include "kernel/host.h"

typedef struct SdcHierarchy
{
	int32_t values;
	int levels;      /* with level 0; height is levels - 1 */
	int32_t **group; /* group[level][value]: 0 .. groups[level] - 1 */
	int32_t *groups;
} SdcHierarchy;

#endif
