/*
 * interval.h
 *		The mean of repeated measurements and how far it may be off.
 */
#ifndef SDC_KERNEL_INTERVAL_H
#define SDC_KERNEL_INTERVAL_H

#include <stdint.h>

typedef struct SdcInterval
{
	double mean;
	double low;
	double high;
} SdcInterval;

/*
 * The mean of n values (at least 1) and the 95 % interval of Student's t; one
 * value, and values all alike, have no width.
 */
extern SdcInterval sdc_interval_of_mean(const double *value, int32_t n);

#endif
