/*
 * link_measure.c
 *		What a search takes for near: sums over the columns of two points.
 *
 * A bound is what the measure makes of the least difference that a point in
 * the box can have in each column.  Where every operation is monotone it is
 * below the value of every such point in spite of rounding; of forms, which
 * sort, a little is taken off.
 */
#include "kernel/attack/link_measure.h"

#include <math.h>

#include "kernel/attack/link_index.h"

#define POINTS   SDC_LINK_POINTS
#define CHILDREN SDC_LINK_CHILDREN

/* Bounds of forms are lowered by this, far more than rounding can do. */
#define ROUNDING 1e-9

const SdcLinkMeasure sdc_link_measure_squares = {
	SDC_LINK_SQUARES, SDC_DISTANCE_WM, 0, true, 0, NULL};

static double
signed_value(int positive, int columns, const double *coordinate, int stride,
			 const double *query)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		double difference = coordinate[j * stride] - query[j];

		sum += j < positive ? difference * difference
							: -(difference * difference);
	}
	return sum;
}

static double
form_value(const SdcLinkMeasure *measure, int columns,
		   const double *coordinate, int stride, const double *query)
{
	SdcDistanceForm form = {measure->form, columns,
							(double *) measure->parameter};
	double difference[SDC_MAX_COLUMNS];
	int j;

	if (isinf(coordinate[0]))
		return INFINITY;
	for (j = 0; j < columns; j++)
		difference[j] = coordinate[j * stride] - query[j];
	return sdc_distance_form_value(&form, difference);
}

static double
gower_value(const SdcLinkMeasure *measure, int columns,
			const double *coordinate, int stride, const double *query)
{
	const double *weight = measure->parameter;
	const double *category = weight + columns;
	double sum = 0;
	double present = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		double x = coordinate[j * stride];
		double difference = fabs(x - query[j]);
		double both = x < 0 || query[j] < 0 ? 0 : weight[j];

		if (category[j] != 0)
			difference = difference > 0 ? 1 : 0;
		sum += both > 0 ? both * difference : 0;
		present += both;
	}
	return present > 0 ? sum / present : INFINITY;
}

double
sdc_link_measure_value(const SdcLinkMeasure *measure, int columns,
					   const double *coordinate, int stride,
					   const double *query)
{
	switch (measure->kind)
	{
		case SDC_LINK_FORM:
			return form_value(measure, columns, coordinate, stride, query);
		case SDC_LINK_GOWER:
			return gower_value(measure, columns, coordinate, stride, query);
		case SDC_LINK_SIGNED:
			return signed_value(measure->positive, columns, coordinate, stride,
								query);
		default:
			return signed_value(columns, columns, coordinate, stride, query);
	}
}

/* The loops are turned around, so that a vector holds several points. */
SDC_CLONES static void
signed_points(const SdcLinkMeasure *measure, const double *coordinate,
			  int columns, const double *query, double *sum)
{
	int i;
	int j;

	for (i = 0; i < POINTS; i++)
		sum[i] = 0;
	for (j = 0; j < columns; j++)
	{
		double sign = j < measure->positive ? 1 : -1;

		for (i = 0; i < POINTS; i++)
		{
			double difference = coordinate[j * POINTS + i] - query[j];

			sum[i] += sign * (difference * difference);
		}
	}
}

SDC_CLONES static void
gower_points(const SdcLinkMeasure *measure, const double *coordinate,
			 int columns, const double *query, double *sum)
{
	const double *weight = measure->parameter;
	const double *category = weight + columns;
	double present[POINTS];
	int i;
	int j;

	for (i = 0; i < POINTS; i++)
		sum[i] = present[i] = 0;
	for (j = 0; j < columns; j++)
	{
		double x = query[j];
		double w = weight[j];
		bool codes = category[j] != 0;

		if (x < 0)
			continue;
		for (i = 0; i < POINTS; i++)
		{
			double y = coordinate[j * POINTS + i];
			double difference = fabs(y - x);
			double both = y < 0 ? 0 : w;

			difference = codes ? (difference > 0 ? 1 : 0) : difference;
			sum[i] += both > 0 ? both * difference : 0;
			present[i] += both;
		}
	}
	for (i = 0; i < POINTS; i++)
		sum[i] = present[i] > 0 ? sum[i] / present[i] : INFINITY;
}

bool
sdc_link_measure_points(const SdcLinkMeasure *measure,
						const double *coordinate, int columns,
						const double *query, double limit, double *sum)
{
	bool near = false;
	int i;

	if (measure->kind == SDC_LINK_SIGNED)
		signed_points(measure, coordinate, columns, query, sum);
	else if (measure->kind == SDC_LINK_GOWER)
		gower_points(measure, coordinate, columns, query, sum);
	else
		for (i = 0; i < POINTS; i++)
			sum[i] =
				form_value(measure, columns, coordinate + i, POINTS, query);
	/* infinite coordinates are empty places, whatever was made of them */
	for (i = 0; i < POINTS; i++)
	{
		sum[i] = coordinate[i] < INFINITY ? sum[i] : INFINITY;
		near = near || sum[i] <= limit;
	}
	return near;
}

/* The least distance of x to a range, and the farthest. */
static double
outside(double x, double low, double high)
{
	double below = low - x;
	double above = x - high;
	double most = below > above ? below : above;

	return most > 0 ? most : 0;
}

static double
farthest(double x, double low, double high)
{
	double to_low = fabs(x - low);
	double to_high = fabs(x - high);

	return to_low > to_high ? to_low : to_high;
}

/* The bound of one box; low[0] and low[CHILDREN] are its first range. */
static double
box_bound(const SdcLinkMeasure *measure, const double *low, int columns,
		  const double *query)
{
	static const double origin[SDC_MAX_COLUMNS] = {0};
	/* there is a column, but gcc 14 does not know it */
	double nearest[SDC_MAX_COLUMNS] = {0};
	double value;
	int j;

	for (j = 0; j < columns; j++)
	{
		const double *range = low + j * 2 * CHILDREN;

		if (measure->kind == SDC_LINK_SIGNED && j >= measure->positive)
			nearest[j] = farthest(query[j], range[0], range[CHILDREN]);
		else
			nearest[j] = outside(query[j], range[0], range[CHILDREN]);
	}
	value = sdc_link_measure_value(measure, columns, nearest, 1, origin);
	return measure->kind == SDC_LINK_FORM ? value * (1 - ROUNDING) : value;
}

bool
sdc_link_measure_boxes(const SdcLinkMeasure *measure, const double *box,
					   int columns, const double *query, double limit,
					   double *bound)
{
	bool near = false;
	int i;

	for (i = 0; i < CHILDREN; i++)
	{
		bound[i] = isinf(box[i]) ? INFINITY
								 : box_bound(measure, box + i, columns, query);
		near = near || bound[i] <= limit;
	}
	return near;
}
