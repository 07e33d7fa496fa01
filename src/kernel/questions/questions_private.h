/*
 * questions_private.h
 *		What the questions share.
 */
#ifndef SDC_KERNEL_QUESTIONS_PRIVATE_H
#define SDC_KERNEL_QUESTIONS_PRIVATE_H

#include "kernel/questions/questions.h"

/*
 * Distances of scaled columns, as whole numbers.
 *
 * Gower's distance (1971): a number counts by its share of the range of the
 * column, a category or one NULL by 1.  In whole numbers sums are exact, so
 * ties are found, and a column can be taken off a sum again.
 */
#define SDC_SCALED_ONE (1 << 20)

/* As far from every number as a column can be; codes have their own. */
#define SDC_SCALED_NULL (-(1 << 22))

/*
 * Numbers of rows, drawn without replacement, in ascending order; all when
 * there are no more than wanted.  *count is how many.  O(rows).
 */
extern int32_t *sdc_question_sample(SdcHost *host, int32_t rows,
									int32_t wanted, SdcRandom *random,
									int32_t *count);

#endif
