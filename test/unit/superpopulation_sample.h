/*
 * superpopulation_sample.h
 *		Samples for the tests of the superpopulation models.
 */
#ifndef SDC_TEST_UNIT_SUPERPOPULATION_SAMPLE_H
#define SDC_TEST_UNIT_SUPERPOPULATION_SAMPLE_H

#include "unit.h"

#include "kernel/risk/superpopulation.h"

/* A sample with so many classes of each size from 1 on. */
static inline SdcSuperpopulation
sample_of(const int *classes, int sizes, double population)
{
	int64_t count[20000];
	int32_t n = 0;
	int size;
	int i;

	for (size = sizes; size >= 1; size--)
		for (i = 0; i < classes[size - 1]; i++)
			count[n++] = size;
	return sdc_superpopulation_sample(unit_host(), count, n, population);
}

static const int typical[] = {300, 90, 41, 22, 17, 9, 5, 3, 0, 2, 1, 0, 1};
#define TYPICAL 13

#endif
