/*
 * reidentification.h
 *		Probabilities that a record is linked to its person.
 *
 * Three intruders (El Emam 2013): the prosecutor knows that his target is in
 * the sample and picks among the records of its class; the journalist does not
 * know it and picks among the population's class; the marketer wants as many
 * right links as he can get.
 */
#ifndef SDC_KERNEL_REIDENTIFICATION_H
#define SDC_KERNEL_REIDENTIFICATION_H

#include "kernel/base/host.h"

typedef struct SdcReidentification
{
	double highest; /* probability of a record */
	double lowest;
	double average;  /* see below */
	int64_t at_risk; /* records whose probability exceeds the threshold */
	int64_t records;
} SdcReidentification;

/*
 * Prosecutor: 1 / size.  The average over the records, which is also the
 * expected share of right links, is classes / records.  All 0 without records.
 * O(classes), as the others.
 */
extern SdcReidentification sdc_reidentification_prosecutor(SdcHost *host,
														   const int64_t *size,
														   int32_t classes,
														   double threshold);

/*
 * Journalist: 1 / population, the sizes of the same classes in the population
 * (sdc_presence_match).  The population holds the sample, so a class that is
 * smaller there, or missing (0), counts with its size in the sample.  The
 * average is max(classes / sum of population, marketer's), El Emam's R_b.
 */
extern SdcReidentification
sdc_reidentification_journalist(SdcHost *host, const int64_t *size,
								const int64_t *population, int32_t classes,
								double threshold);

/*
 * Marketer: the expected share of records linked rightly, (1/n) sum of
 * size / population.  Summed in the order of the classes.
 */
extern double sdc_reidentification_marketer(SdcHost *host, const int64_t *size,
											const int64_t *population,
											int32_t classes);

#endif
