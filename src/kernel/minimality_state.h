/*
 * minimality_state.h
 *		How far the values of a group have been used up, and what the greedy
 *		algorithm makes of it.
 */
#ifndef SDC_KERNEL_MINIMALITY_STATE_H
#define SDC_KERNEL_MINIMALITY_STATE_H

#include "kernel/host.h"

/*
 * A group.  Places are its values in the order of how often they occur; the
 * places of class c, which occur equally often, are first[c] .. first[c + 1]
 * - 1.
 */
typedef struct SdcMinimalityGroup
{
	int32_t size; /* records, at most SDC_MINIMALITY_MOST */
	int32_t values;
	int32_t *total; /* records at each place */
	int32_t classes;
	int32_t *first;
	double l;
	bool last; /* may be a merger with the remainder */
} SdcMinimalityGroup;

/*
 * A state is a number for each place: how many of its records were used before
 * the group that is open now, and in it.  Within a class the numbers ascend.
 */
#define SDC_MINIMALITY_MOST 65535
#define SDC_MINIMALITY_BITS 16

static inline int32_t
sdc_minimality_state_before(uint32_t used)
{
	return (int32_t) (used >> SDC_MINIMALITY_BITS);
}

static inline int32_t
sdc_minimality_state_open(uint32_t used)
{
	return (int32_t) (used & SDC_MINIMALITY_MOST);
}

/* Different states, numbered from 0 as they come. */
typedef struct SdcMinimalityStates
{
	int32_t states;
	int32_t room;
	uint32_t *key; /* values numbers for each state */
	int32_t *slot; /* hash table of states, -1 is empty; 2 * room slots */
} SdcMinimalityStates;

/* Makes an empty set; it must have been cleared or emptied before. */
extern void sdc_minimality_state_start(SdcHost *host,
									   const SdcMinimalityGroup *group,
									   SdcMinimalityStates *set);

/* Takes all states out. */
extern void sdc_minimality_state_empty(SdcMinimalityStates *set);

/* The number of a state, which is put in if it is new. */
extern int32_t sdc_minimality_state_find(SdcHost *host,
										 const SdcMinimalityGroup *group,
										 SdcMinimalityStates *set,
										 const uint32_t *key);

/*
 * Lets the algorithm look at the group after a record was used: used is how
 * many there are now, key the state, which changes when the open group is
 * closed.  False when the algorithm would not have made the group.
 */
extern bool sdc_minimality_state_settle(const SdcMinimalityGroup *group,
										int32_t used, uint32_t *key);

extern void sdc_minimality_state_release(SdcHost *host,
										 SdcMinimalityStates *set);

#endif
