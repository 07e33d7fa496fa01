/*
 * reservoir.h
 *		A fair choice of some of the items that come along, one by one.
 *
 * How many there are is known only at the end, and memory holds only those
 * that are chosen (Vitter 1985, algorithm R).  The bits are strong ones: who
 * could foresee the choice could see more than one record's worth.
 */
#ifndef SDC_KERNEL_RESERVOIR_H
#define SDC_KERNEL_RESERVOIR_H

#include "kernel/privacy/strong_bits.h"

/*
 * The place, 0 to room - 1, that the next item takes, over the item that may
 * be there; room when it is not chosen.  seen items came before.  After n
 * calls each of them is in one of min(n, room) places with equal probability.
 */
static inline uint64_t
sdc_reservoir_place(SdcStrongBits *bits, uint64_t seen, uint64_t room)
{
	uint64_t place;

	if (seen < room)
		return seen;
	place = sdc_strong_bits_below(bits, seen + 1);
	return place < room ? place : room;
}

#endif
