/*
 * presence.h
 *		What a register of the population tells about a sample.
 *
 * Both are frequency tables of the same columns with common codes (one
 * dictionary for both).  Their classes are in the same order, so matching them
 * is one merge.
 */
#ifndef SDC_KERNEL_PRESENCE_H
#define SDC_KERNEL_PRESENCE_H

#include "kernel/table/frequency.h"

/*
 * For each class of the sample (by its first keys columns), the number of
 * records of the population's class with the same codes; 0 when it has none.
 * NULL matches NULL.  keys columns of both tables must agree in their codes.
 * O(cells of both).
 */
extern int64_t *sdc_presence_match(SdcHost *host, const SdcFrequency *sample,
								   const SdcClasses *sample_classes,
								   const SdcFrequency *population,
								   const SdcClasses *population_classes,
								   int keys);

typedef struct SdcPresence
{
	/*
	 * delta-presence (Nergiz, Atzori and Clifton 2007): smallest and largest
	 * share |c in sample| / |c in population| over the classes of the
	 * population; a class that the sample does not have counts with 0.  0 when
	 * the population is empty.
	 */
	double lowest;
	double highest;
	/*
	 * k-map (Sweeney 2002): records of the smallest class of the population
	 * that has a match in the sample; 0 when a sample class has none there.
	 */
	int64_t map;
	int32_t matched;       /* classes of the sample found in the population */
	int64_t outside;       /* records of the sample without a match there */
	int32_t larger;        /* classes with more sample than population */
	int32_t below;         /* classes of the sample with a match below k */
	int64_t records_below; /* their records */
} SdcPresence;

/*
 * Sums up a match.  outside or larger above 0 say that the sample was not
 * drawn from this population, or was changed since.  k counts the classes
 * that k-map would refuse.  O(classes).
 */
extern SdcPresence sdc_presence_measure(SdcHost *host,
										const SdcClasses *sample,
										const int64_t *match,
										const SdcClasses *population,
										int64_t k);

/*
 * Records of the sample in classes whose share is below lowest or above
 * highest, and of the population in classes that the sample lacks though
 * lowest > 0 (first and second number).  O(classes).
 */
extern void sdc_presence_failing(SdcHost *host, const SdcClasses *sample,
								 const int64_t *match,
								 const SdcClasses *population, double lowest,
								 double highest, int64_t failing[2]);

#endif
