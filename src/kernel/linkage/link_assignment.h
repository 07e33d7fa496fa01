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

/*
 * The rows of both files that take part, in an order by chance, and where
 * each row of to is in it.
 */
typedef struct SdcLinkOrder
{
	int32_t persons;
	int32_t *person; /* rows of from */
	int32_t records;
	int32_t *record; /* rows of to */
	int32_t *place;  /* of each row of to; what does not take part: -1 */
} SdcLinkOrder;

/*
 * Finds at most most records for a person, of the least cost, each once, the
 * cheapest first: places in the order of the records, and costs, any finite
 * numbers.  Returns how many.
 */
typedef int32_t (*SdcLinkLister)(void *arg, const SdcLinkOrder *order,
								 int32_t person, int32_t most, int32_t *place,
								 double *cost);

/* Who takes part in an assignment, and what lists their candidates. */
typedef struct SdcLinkSides
{
	int32_t rows[2];
	const int32_t *point[2]; /* a row with a negative one does not take part */
	SdcLinkLister list;
	void *arg;
} SdcLinkSides;

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

/*
 * The same with lists from elsewhere: whose rows take part, of which at most
 * as many as above are asked for.  Time and memory as above.
 */
extern SdcLinkAssignment
sdc_link_assign_lists(SdcHost *host, const SdcLinkSides *sides, uint64_t seed);

/* How many candidates each of so many persons is asked for. */
extern int32_t sdc_link_assign_most(int32_t persons, int32_t records);

#endif
