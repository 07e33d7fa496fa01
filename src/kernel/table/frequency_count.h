/*
 * frequency_count.h
 *		The cells of a frequency table while they are being counted.
 *
 * Shared by the two halves of the topic only; other kernels see frequency.h.
 */
#ifndef SDC_KERNEL_FREQUENCY_COUNT_H
#define SDC_KERNEL_FREQUENCY_COUNT_H

#include "kernel/table/frequency.h"

/* A sum, and the error that rounding made in it. */
typedef struct SdcWeight
{
	double sum;
	double error;
} SdcWeight;

struct SdcFrequencyCount
{
	SdcHost *host;
	int columns;
	bool weighted;
	int32_t cells;
	size_t room;    /* a power of two, more than cells */
	int32_t *codes; /* codes[cell * columns + j] */
	int64_t *count;
	uint32_t *hash;
	SdcWeight *weight;
	int32_t *slot; /* numbers of cells, 2 * room of them */
	size_t mask;
};

#endif
