/*
 * outcome.h
 *		What a classifier predicts: classes of a category or of a number.
 *
 * A number is cut into bins of equal frequency, so that one kind of model does
 * for both; the value predicted for a bin is its median.
 */
#ifndef SDC_KERNEL_OUTCOME_H
#define SDC_KERNEL_OUTCOME_H

#include "kernel/model/model.h"

typedef struct SdcOutcome
{
	int32_t classes;
	int32_t *label; /* by row; SDC_MODEL_NO_LABEL where NULL */
	double *value;  /* of each class of a number; NULL of a category */
} SdcOutcome;

/*
 * The classes of a column.  Of a category they are its codes; NULL is none.
 * Of a number each value is a class when there are at most bins (>= 1) of
 * them; else bins of equal frequency, where equal values are never parted.
 * O(rows).
 */
extern SdcOutcome sdc_outcome_make(SdcHost *host, const SdcModelColumn *column,
								   int32_t rows, int32_t bins);

/*
 * How many rows are predicted right: predicted[row] is a class of the outcome,
 * or -1 for none, and truth the column that was to be predicted, by the same
 * codes.  A number is right when its class's value is no farther away than
 * tolerance.  A NULL is never right.  O(rows).
 */
extern int32_t sdc_outcome_right(const SdcOutcome *outcome,
								 const int32_t *predicted,
								 const SdcModelColumn *truth, int32_t rows,
								 double tolerance);

/* The standard deviation (n - 1) of a number column; 0 of fewer than two. */
extern double sdc_outcome_deviation(SdcHost *host,
									const SdcModelColumn *column,
									int32_t rows);

#endif
