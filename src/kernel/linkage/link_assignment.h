/*
 * link_assignment.h
 *		One-to-one linkage by distance: the assignment of least total cost.
 */
#ifndef SDC_KERNEL_LINK_ASSIGNMENT_H
#define SDC_KERNEL_LINK_ASSIGNMENT_H

#include "kernel/base/host.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

/* Pairs of records of which all are looked at. */
#define SDC_LINK_ASSIGN_PAIRS 4000000

/* Pairs beyond that, and how many a record may have. */
#define SDC_LINK_ASSIGN_ENTRIES 20000000
#define SDC_LINK_ASSIGN_LEAST   8
#define SDC_LINK_ASSIGN_MOST    64

/* What was assigned, by the row of from. */
typedef struct SdcLinkAssignment
{
	int32_t *row; /* of to, or -1 */
	double *cost; /* of the pair */
	bool whole;   /* were all pairs looked at? */
	bool exact;   /* is the sum of the costs the least that there is? */
} SdcLinkAssignment;

/*
 * Links each row of from with a point to at most one row of to, none twice,
 * as many as the shorter side allows, so that the sum of the costs is least.
 * The cost of a pair is the value of the measure, or with root its root (of a
 * negative value the negative root).  search is one in the points of to.
 * Pairs without a finite value are not linked.
 *
 * With at most SDC_LINK_ASSIGN_PAIRS pairs all are looked at; beyond that each
 * row has its SDC_LINK_ASSIGN_LEAST to _MOST nearest rows, and a row stays
 * alone when all of them are nearer to others.  Of equally near rows, and of
 * equally cheap assignments, the seed decides, never the order of the files.
 *
 * Scratch 30 bytes a pair.  Time as sdc_match_assign, and a search for each
 * point.
 */
extern SdcLinkAssignment
sdc_link_assign(SdcHost *host, const SdcLinkFile *from, const SdcLinkFile *to,
				SdcLinkSearch *search, bool root, uint64_t seed);

#endif
