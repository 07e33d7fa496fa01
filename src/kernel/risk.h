/*
 * risk.h
 *		Risk of a file, from the sizes of its classes.
 *
 * A class is the records that agree in all quasi-identifiers: an intruder who
 * knows no more cannot tell them apart.
 */
#ifndef SDC_KERNEL_RISK_H
#define SDC_KERNEL_RISK_H

#include <stddef.h>
#include <stdint.h>

/* How many classes have a size: classes > 0 classes of size > 0 records. */
typedef struct SdcClassSize
{
	int64_t size;
	int64_t classes;
} SdcClassSize;

typedef struct SdcRisk
{
	int64_t records;
	int64_t classes;
	int64_t smallest; /* class; 0 when there is none */
	int64_t uniques;  /* records alone in their class */
	int64_t below_3;  /* records in classes of 1 or 2 */
	int64_t below_5;  /* records in classes of 1 to 4 */
} SdcRisk;

/*
 * Sums up n different class sizes, in any order.  The smallest class is the k
 * of k-anonymity (Samarati and Sweeney 1998).  O(n).
 */
extern SdcRisk sdc_risk_summarize(const SdcClassSize *sizes, size_t n);

#endif
