/*
 * standard.h
 *		Columns of standard values, kept or made when they are asked for.
 *
 * A column is learned by several measures of its numbers.  With a copy of each
 * of them a million rows would take hundreds of megabytes, so what costs
 * little to make, a line or a square of the numbers, is not kept.  Logarithms
 * are: made each time, they double what learning costs.
 */
#ifndef SDC_KERNEL_STANDARD_H
#define SDC_KERNEL_STANDARD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* What is made of a number x. */
typedef enum SdcStandardOf
{
	SDC_STANDARD_KEPT,    /* x: it is the standard value */
	SDC_STANDARD_NOTHING, /* 0 */
	SDC_STANDARD_VALUE,   /* (x - mean) / deviation */
	SDC_STANDARD_SQUARE,  /* (x^2 - mean) / deviation */
	SDC_STANDARD_SQUARED, /* the square of (x - mean) / deviation */
	SDC_STANDARD_RANK     /* the share below x, less the mean, the same way */
} SdcStandardOf;

/* Beyond these a number is as a missing one: its square is none, and would
 * make none of all others. */
#define SDC_STANDARD_MOST        1e150
#define SDC_STANDARD_MOST_SQUARE 1e75

/* A column, by row. */
typedef struct SdcStandard
{
	const double *number;
	SdcStandardOf of;
	double mean;
	double deviation;
	/* of ranks: the numbers below and those up to each, added up */
	const uint32_t *place;
	double places; /* of all, the same way */
} SdcStandard;

#define SDC_STANDARD_NO_PLACE UINT32_MAX

/* Standard values that are there. */
static inline SdcStandard
sdc_standard_kept(const double *value)
{
	return (SdcStandard){.number = value, .of = SDC_STANDARD_KEPT};
}

/* The values of a column that are kept, for who made the array. */
static inline double *
sdc_standard_values(const SdcStandard *column)
{
	return (double *) column->number;
}

/* The standard value of a row; NaN: it is missing. */
static inline double
sdc_standard_at(const SdcStandard *column, int32_t row)
{
	double x = column->number[row];

	switch (column->of)
	{
		case SDC_STANDARD_KEPT:
			return x;
		case SDC_STANDARD_NOTHING:
			return 0;
		case SDC_STANDARD_RANK:
			return column->place[row] == SDC_STANDARD_NO_PLACE
					   ? NAN
					   : (column->place[row] / column->places - column->mean) /
							 column->deviation;
		case SDC_STANDARD_SQUARE:
			return fabs(x) <= SDC_STANDARD_MOST_SQUARE
					   ? (x * x - column->mean) / column->deviation
					   : NAN;
		default:
			if (!(fabs(x) <= SDC_STANDARD_MOST))
				return NAN;
			x = (x - column->mean) / column->deviation;
			return column->of == SDC_STANDARD_SQUARED ? x * x : x;
	}
}

#endif
