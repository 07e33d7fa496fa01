/*
 * class_rows.h
 *		The counts of the values of a class, as a row with a place for each.
 *
 * A row is as long as a multiple of SDC_CLASS_ROW_STEP, so that it goes
 * through in vectors; what stands beside it is as long, 0 where there is no
 * value.
 */
#ifndef SDC_KERNEL_CLASS_ROWS_H
#define SDC_KERNEL_CLASS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDC_CLASS_ROW_STEP 8

/* As long as that many values need. */
static inline int32_t
sdc_class_row_width(int32_t values)
{
	return (values + SDC_CLASS_ROW_STEP - 1) / SDC_CLASS_ROW_STEP *
		   SDC_CLASS_ROW_STEP;
}

/*
 * Has no value more than cap * most records, and each that is there at least
 * floor * least?  O(width), as all.
 */
extern bool sdc_class_row_within(const double *cap, const double *floor,
								 const int32_t *row, int32_t width,
								 double most, double least);

/* What values have above share * records, in all. */
extern double sdc_class_row_excess(const double *share, const int32_t *row,
								   int32_t width, double records);

/* The largest count, and how many values are there. */
extern int32_t sdc_class_row_most(const int32_t *row, int32_t width,
								  int32_t *values);

/*
 * Records times the entropy of their values, in nats; x_ln_x has those of the
 * counts below logs.
 */
extern double sdc_class_row_entropy(const double *x_ln_x, int32_t logs,
									const int32_t *row, int32_t width,
									double records);

/*
 * Sum of step * |records up to a value - upto * records|, where step is not 0
 * only for values whose distance counts.
 */
extern double sdc_class_row_steps(const double *upto, const double *step,
								  const int32_t *row, int32_t width,
								  double records);

/* Adds each of n rows to that of its target in to. */
extern void sdc_class_rows_add(const int32_t *row, int32_t width,
							   const int32_t *target, int32_t n, int32_t *to);

#endif
