/*
 * link_measure.h
 *		What a search takes for near: sums over the columns of two points.
 */
#ifndef SDC_KERNEL_LINK_MEASURE_H
#define SDC_KERNEL_LINK_MEASURE_H

#include "kernel/attack/distance_form.h"
#include "kernel/base/host.h"

typedef enum SdcLinkKind
{
	SDC_LINK_SQUARES, /* squared differences added up */
	SDC_LINK_SIGNED,  /* the same, but some columns subtract */
	SDC_LINK_FORM,    /* a parametric distance of the differences */
	SDC_LINK_GOWER    /* the mean over the columns that both points have */
} SdcLinkKind;

/* A column that a point of SDC_LINK_GOWER does not have. */
#define SDC_LINK_MISSING (-1.0)

/*
 * How points are compared.
 *
 * SIGNED	the first positive columns add, the others subtract.
 * FORM		the value of a form; the index has its differences' columns.
 * GOWER	coordinates are numbers from 0 to 1, or codes of categories from 0,
 *			or SDC_LINK_MISSING.  A column contributes its weight times the
 *			difference of numbers, or 0 or 1 as categories are equal; the sum
 *			is divided by the weight of the columns that both points have, and
 *			infinite if there is none.
 *
 * boxes: may parts of the index be left out by the bounds of their boxes?
 * Only if the value never falls when a difference grows: for a FORM that is
 * monotone, and for GOWER when no coordinate is missing.
 */
typedef struct SdcLinkMeasure
{
	SdcLinkKind kind;
	SdcDistanceKind form;
	int positive;
	bool boxes;
	/*
	 * FORM: as in SdcDistanceForm.  GOWER: a weight for each column, then 1
	 * for a category or 0 for a number.  Nothing for others.
	 */
	size_t parameters;
	const double *parameter;
} SdcLinkMeasure;

/* The plain sum of squared differences. */
extern const SdcLinkMeasure sdc_link_measure_squares;

/*
 * The value of a point, whose coordinates are stride apart, and a query.
 * Computed as by the function below, bit for bit.
 */
extern double sdc_link_measure_value(const SdcLinkMeasure *measure,
									 int columns, const double *coordinate,
									 int stride, const double *query);

/*
 * As sdc_link_scan_points and sdc_link_scan_boxes, for every kind but
 * SQUARES: the values of the 16 points of a block, lower bounds of the values
 * in the 8 boxes of a group; is any at most limit?
 */
extern bool sdc_link_measure_points(const SdcLinkMeasure *measure,
									const double *coordinate, int columns,
									const double *query, double limit,
									double *sum);
extern bool sdc_link_measure_boxes(const SdcLinkMeasure *measure,
								   const double *box, int columns,
								   const double *query, double limit,
								   double *bound);

#endif
