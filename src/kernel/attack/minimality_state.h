/*
 * minimality_state.h
 *		How far the values of a group have been used up, and what the greedy
 *		algorithm makes of it.
 */
#ifndef SDC_KERNEL_MINIMALITY_STATE_H
#define SDC_KERNEL_MINIMALITY_STATE_H

#include "kernel/base/host.h"

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
 *
 * In a group that is not the last one nothing was used before, and one more
 * number follows: how often the value was used that was used most.  A class
 * whose values do not occur more often than that is forgotten: the group stays
 * open anyway until it has l times as many records, and from then on these
 * values cannot keep it open.  All that matters is how many records of
 * forgotten classes are left.
 */
#define SDC_MINIMALITY_MOST      65535
#define SDC_MINIMALITY_BITS      16
#define SDC_MINIMALITY_FORGOTTEN UINT32_MAX

/* Numbers in a state. */
static inline size_t
sdc_minimality_state_width(const SdcMinimalityGroup *group)
{
	return (size_t) group->values + 1;
}

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
	uint32_t *key; /* of each state its numbers */
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
 * closed.  False when the algorithm would not have made the group.  Forgets
 * nothing.
 */
extern bool sdc_minimality_state_settle(const SdcMinimalityGroup *group,
										int32_t used, uint32_t *key);

/*
 * Forgets the class, if there is one, that has come to matter no more since a
 * record was used; returns it, or -1.  *rest becomes how many of its records
 * are left.
 */
extern int32_t sdc_minimality_state_forget(const SdcMinimalityGroup *group,
										   uint32_t *key, int32_t *rest);

extern void sdc_minimality_state_release(SdcHost *host,
										 SdcMinimalityStates *set);

#endif
