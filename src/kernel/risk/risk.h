/*
 * risk.h
 *		Risk of a file, from the sizes of its classes.
 *
 * A class is the records that agree in all quasi-identifiers: an intruder who
 * knows no more cannot tell them apart.
 */
#ifndef SDC_KERNEL_RISK_H
#define SDC_KERNEL_RISK_H

#include "kernel/table/frequency.h"

typedef struct SdcRisk
{
	int64_t records;
	int64_t classes;
	int64_t smallest; /* set of records that look alike; 0: there is none */
	int64_t largest;
	int64_t uniques; /* records that look like no other */
	int64_t below_3; /* records that look like at most 1 other */
	int64_t below_5;
	int64_t at_risk; /* records with 1 / alike above the threshold */
	/* sum of 1 / alike: links an intruder who guesses gets right */
	double expected;
	/* sum of alike over the records; classes^2 when NULLs match nothing */
	double discernibility;
} SdcRisk;

/*
 * Sums up classes.  alike[c] is the number of records that look like one of
 * class c, itself included: its size or, when NULLs match everything, what
 * sdc_wildcard_match found.  The smallest is the k of k-anonymity (Samarati
 * and Sweeney 1998); the sum of squares is the discernibility metric of
 * Bayardo and Agrawal (2005).  O(classes).
 */
extern SdcRisk sdc_risk_summarize(SdcHost *host, const SdcClasses *classes,
								  const int64_t *alike, double threshold);

#endif
