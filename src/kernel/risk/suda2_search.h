/*
 * suda2_search.h
 *		The search for minimal sample uniques among a block of cells.
 */
#ifndef SDC_KERNEL_SUDA2_SEARCH_H
#define SDC_KERNEL_SUDA2_SEARCH_H

#include "kernel/risk/suda2.h"

/* A run of cells whose MSU are looked for. */
typedef struct SdcSuda2Block
{
	int32_t first;
	int32_t cells;
} SdcSuda2Block;

/*
 * Adds the MSU of the unique records of a block to the arrays of *suda; every
 * other record is a witness.  weight[s] is what an MSU of s keys is worth.
 * False if the sets of unique records would take more than the budget: the
 * arrays of the block then hold a part, and the block must be made smaller;
 * a block of 64 cells is always done.
 */
extern bool sdc_suda2_search(SdcHost *host, const SdcFrequency *frequency,
							 const SdcSuda2Options *options,
							 const double *weight, SdcSuda2Block block,
							 SdcSuda2 *suda);

#endif
