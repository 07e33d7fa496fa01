/*
 * learned_count.h
 *		How many records a point re-identifies.
 */
#ifndef SDC_KERNEL_LEARNED_COUNT_H
#define SDC_KERNEL_LEARNED_COUNT_H

#include "kernel/attack/learned_rows.h"

/*
 * Counts, over all pairs, the records that are re-identified at a point of
 * norm 1.  nearest, unless NULL, gets for each record the target that spoils
 * it most, or -1.  O(records targets features), less where records fail.
 */
extern int32_t sdc_learned_count_pairs(SdcHost *host,
									   const SdcLearnedForm *form,
									   const SdcLearnedData *data,
									   const double *margin,
									   const double *point, int32_t *nearest);

/*
 * Counts the records whose rows all hold at a point of norm 1; good, unless
 * NULL, says which.
 */
extern int32_t sdc_learned_count_rows(const SdcLearnedRows *rows,
									  const double *point, bool *good);

#endif
