/*
 * recoding_hard.h
 *		Tuples with few neighbours, to refuse nodes of the lattice by.
 *
 * What others have in common with such a tuple is counted once, so that the
 * size of its class at a node is a sum over the few ways to meet it.
 */
#ifndef SDC_KERNEL_RECODING_HARD_H
#define SDC_KERNEL_RECODING_HARD_H

#include "kernel/generalization/recoding_space.h"

/* Tuples that are kept at the most. */
#define SDC_RECODING_HARD 8

typedef struct SdcRecodingHard
{
	int count;
	int oldest; /* the one to give way to the next */
	/* the levels where others meet it, and how many records do */
	SdcFrequency *met[SDC_RECODING_HARD];
} SdcRecodingHard;

/* Adds a tuple; the oldest one gives way to it.  O(tuples * keys). */
extern void sdc_recoding_hard_add(SdcHost *host, SdcRecodingHard *hard,
								  const SdcRecodingSpace *space,
								  int32_t tuple);

/*
 * Do all of them have so many records in their class at a node?  What was
 * looked at is subtracted from visits.  O(ways to meet * keys).
 */
extern bool sdc_recoding_hard_pass(const SdcRecodingHard *hard,
								   const uint8_t *level, int64_t least,
								   double *visits);

extern void sdc_recoding_hard_release(SdcHost *host, SdcRecodingHard *hard);

#endif
