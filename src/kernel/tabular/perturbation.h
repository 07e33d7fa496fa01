/*
 * perturbation.h
 *		Cell keys: noise that is the same wherever a cell has the same records.
 *
 * Each record has a random number of 64 bits for good; the key of a cell is
 * the sum of those of its records, modulo 2^64, so cells of the same records
 * have the same key in any table.  The key picks the noise from a
 * perturbation table, by the count of the cell.
 */
#ifndef SDC_KERNEL_PERTURBATION_H
#define SDC_KERNEL_PERTURBATION_H

#include "kernel/base/host.h"

/* Bounds of what a perturbation table may be asked for. */
#define SDC_PERTURBATION_LARGEST 100

/* A key counts by so many of its upper bits; chances are whole parts of it. */
#define SDC_PERTURBATION_BITS 44

typedef struct SdcPerturbation
{
	int32_t largest; /* noise, D */
	int32_t gap;     /* no count from 1 to this is published */
	double variance; /* of the noise, at most */
	/* rows 0 .. rows - 1: the last one is for all counts from there on */
	int32_t rows;
	/*
	 * chance[row * (2 largest + 1) + v + largest]: of the noise v, in parts
	 * of 2^SDC_PERTURBATION_BITS; the chances of a row add up to that.
	 */
	uint64_t *chance;
} SdcPerturbation;

/* Why there is no such table. */
typedef enum SdcPerturbationStatus
{
	SDC_PERTURBATION_MADE,
	/* a row could have no noise but 0: largest must be above gap */
	SDC_PERTURBATION_TOO_SHORT,
	/* a count of up to gap can go to 0 or beyond the gap only */
	SDC_PERTURBATION_TOO_STILL
} SdcPerturbationStatus;

/*
 * Makes the table in which the noise of each row has mean 0, exactly, a
 * variance of at most the one given, at most largest either way, leaves no
 * count below 0 or from 1 to gap, and else the greatest entropy; with no gap
 * also falling chances to either side of 0.  A count of 0 stays.  Variance
 * above 0, largest 1 to SDC_PERTURBATION_LARGEST.  Marley and Leaver (2011),
 * Giessing (2016); O(largest^2 * steps of Newton).
 */
extern SdcPerturbationStatus
sdc_perturbation_make(SdcHost *host, int32_t largest, double variance,
					  int32_t gap, SdcPerturbation *made);

/* The noise of a cell with that count and key.  O(largest). */
extern int32_t sdc_perturbation_noise(const SdcPerturbation *perturbation,
									  double count, uint64_t key);

#endif
