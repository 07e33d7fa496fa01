/*
 * shuffle.h
 *		A fair choice of some of many items.
 *
 * The first steps of the shuffle of Fisher and Yates (Knuth, algorithm P):
 * after as many steps as items are wanted, these are in front.  The bits are
 * strong ones: who could foresee the choice could see more than one record's
 * worth.
 */
#ifndef SDC_KERNEL_SHUFFLE_H
#define SDC_KERNEL_SHUFFLE_H

#include "kernel/privacy/strong_bits.h"

/*
 * The place, step to count - 1, whose item changes with that of place step.
 * After steps 0 to k - 1 each item is in one of the first k places with equal
 * probability, as is each set of k items.
 */
static inline uint64_t
sdc_shuffle_place(SdcStrongBits *bits, uint64_t step, uint64_t count)
{
	return step + sdc_strong_bits_below(bits, count - step);
}

#endif
