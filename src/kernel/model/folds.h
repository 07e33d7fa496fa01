/*
 * folds.h
 *		Rows dealt into parts at random, for cross-validation.
 */
#ifndef SDC_KERNEL_FOLDS_H
#define SDC_KERNEL_FOLDS_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Puts numbers in random order, each order with the same chance. */
extern void sdc_folds_shuffle(int32_t *number, int32_t count,
							  SdcRandom *random);

/*
 * Deals the rows into folds 0 .. folds - 1 whose sizes differ by 1 at the
 * most, each way of doing so with the same chance.  fold[rows].
 */
extern void sdc_folds_deal(SdcHost *host, int32_t rows, int32_t folds,
						   SdcRandom *random, int32_t *fold);

/*
 * Parts rows at random in two halves within each class of label[], which are
 * equally large: half[row] is 0 or 1, or -1 for the row left over of an odd
 * class and for rows without label (negative) or with skip[row].
 */
extern void sdc_folds_halve(SdcHost *host, const int32_t *label, int32_t rows,
							int32_t classes, const bool *skip,
							SdcRandom *random, int32_t *half);

#endif
