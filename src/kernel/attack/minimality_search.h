/*
 * minimality_search.h
 *		The assignments of a group: steps, states and arrows between them.
 */
#ifndef SDC_KERNEL_MINIMALITY_SEARCH_H
#define SDC_KERNEL_MINIMALITY_SEARCH_H

#include "kernel/attack/minimality.h"
#include "kernel/attack/minimality_state.h"

/* The class of an arrow that draws from the forgotten ones. */
#define SDC_MINIMALITY_POOL (-1)

/* A record gets a value: from a state of one step to one of the next. */
typedef struct SdcMinimalityArrow
{
	int32_t from;
	int32_t to;
	int32_t class;  /* of the value, or SDC_MINIMALITY_POOL */
	int32_t pool;   /* records of forgotten classes left before */
	int32_t forgot; /* the class that is forgotten now, or -1 */
	int32_t rest;   /* of which so many records are left */
	double weight;  /* probability of the draw */
} SdcMinimalityArrow;

typedef struct SdcMinimalitySearch
{
	SdcHost *host;
	SdcMinimalityGroup group;
	SdcMinimalityStates set[2]; /* of this step and the next */
	uint32_t *tried;
	int32_t *states; /* of each step, how many; size + 1 steps */
	int32_t *first;  /* of each step, the first arrow; size + 1 */
	SdcMinimalityArrow *arrow;
	int32_t arrows;
	int32_t room;
	int64_t work;
} SdcMinimalitySearch;

/* Draws all arrows; stops early when there are none or too many. */
extern SdcMinimalityAnswer sdc_minimality_draw(SdcMinimalitySearch *search);

/*
 * Fills posterior and consistent of *result, whose classes are known, from the
 * arrows.
 */
extern void sdc_minimality_pass(SdcMinimalitySearch *search,
								SdcMinimality *result);

#endif
