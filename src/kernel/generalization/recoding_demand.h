/*
 * recoding_demand.h
 *		What each class of a release must satisfy.
 */
#ifndef SDC_KERNEL_RECODING_DEMAND_H
#define SDC_KERNEL_RECODING_DEMAND_H

#include "kernel/risk/class_measures.h"
#include "kernel/generalization/recoding_classes.h"

/* Private to recoding_demand.c. */
typedef struct SdcRecodingDemand SdcRecodingDemand;

/*
 * Classes need k records; and where sensitive is not NULL, the bounds that it
 * sets on the last column of the table.  The classes are those of its other
 * columns.  O(cells).
 */
extern SdcRecodingDemand *
sdc_recoding_demand_new(SdcHost *host, const SdcFrequency *frequency,
						const SdcClasses *classes, int64_t k,
						const SdcClassRequest *sensitive);

/* No class of fewer records satisfies it. */
extern int64_t sdc_recoding_demand_least(const SdcRecodingDemand *demand);

/*
 * Would these tuples, of size records in all, be a class that satisfies it?
 * O(1) without a sensitive column, else O(their cells * log of that).
 */
extern bool sdc_recoding_demand_met(SdcRecodingDemand *demand,
									const int32_t *member, int32_t count,
									int64_t size);

#endif
