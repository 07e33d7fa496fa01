/*
 * record_swap.h
 *		Targeted record swapping: households at risk trade places with similar
 *		ones elsewhere.
 *
 * After Dalenius and Reiss (1982), Shlomo, Tudor and Groom (2010), and the
 * description of recordSwap of sdcMicro.
 */
#ifndef SDC_KERNEL_RECORD_SWAP_H
#define SDC_KERNEL_RECORD_SWAP_H

#include <stdint.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Levels of places at the most. */
#define SDC_RECORD_SWAP_LEVELS 8

/*
 * The records, all members of a household in the same place.  Codes are from 0
 * and number values in an order, so that nothing depends on that of the rows.
 */
typedef struct SdcRecordSwap
{
	int32_t records;
	int32_t levels; /* 1 .. SDC_RECORD_SWAP_LEVELS, the first the coarsest */
	/* area[l][record]: that of the finer level lies within it */
	const int32_t *const *area;
	int32_t households;
	const int32_t *household; /* by record; each has a member */
	const int32_t *risk;      /* what makes a record stand out in its area */
	const int32_t *match;     /* what members of partners have in common */
	int32_t k;    /* records of an area alike in risk, fewer are at risk */
	double share; /* of the households that move at the least, 0 .. 1 */
	/* by household: does it stay whatever happens?  NULL: none */
	const bool *stays;
} SdcRecordSwap;

/* What became of them. */
typedef struct SdcRecordSwapCounts
{
	int32_t at_risk; /* households */
	int32_t left;    /* of them, without a partner */
	int32_t moved;   /* households */
} SdcRecordSwapCounts;

/*
 * from[household] is the one whose place it gets: itself, or its partner, who
 * gets its own.  Partners have as many members, and the same match codes among
 * them.  A household at risk on a level moves to another area of that level,
 * within its area of the level above where there is a partner.  Then others
 * move on the finest level until the share is met.  Who stands out most, by
 * the least count on the finest level, is likelier to be taken, also as a
 * partner.  O(records levels) and for each that moves O(areas).
 */
extern SdcRecordSwapCounts sdc_record_swap(SdcHost *host,
										   const SdcRecordSwap *swap,
										   SdcRandom *random, int32_t *from);

#endif
