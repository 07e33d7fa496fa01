/*
 * box_bounds.h
 *		Distances to the 16 points of a leaf or the 16 boxes of a node.
 *
 * The inner part of a search in a tree of boxes.  Everything is inlined into
 * functions that are compiled once for every small number of columns and once
 * for any number: unrolled is the number of columns that the loops are
 * unrolled for, all of them or 4.  Sums always run from the first to the last
 * column, so both ways give the same bits.
 */
#ifndef SDC_KERNEL_BOX_BOUNDS_H
#define SDC_KERNEL_BOX_BOUNDS_H

#include "kernel/geometry/box_tree.h"

#define SDC_BOX_INLINE static inline __attribute__((always_inline))

SDC_BOX_INLINE double
sdc_box_smaller(double a, double b)
{
	return a < b ? a : b;
}

SDC_BOX_INLINE double
sdc_box_larger(double a, double b)
{
	return a > b ? a : b;
}

/* Adds the squared differences of count columns. */
SDC_BOX_INLINE void
sdc_box_add_distances(const double *restrict coordinate,
					  const double *restrict point, int count,
					  double *restrict distance)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_POINTS; i++)
	{
		double sum = distance[i];

		for (j = 0; j < count; j++)
		{
			double difference = coordinate[j * SDC_BOX_POINTS + i] - point[j];

			sum += difference * difference;
		}
		distance[i] = sum;
	}
}

/* Adds the squared ways into the boxes along count axes. */
SDC_BOX_INLINE void
sdc_box_add_nearest(const double *restrict low, const double *restrict high,
					const double *restrict turned, int count,
					double *restrict bound)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
	{
		double sum = bound[i];

		for (j = 0; j < count; j++)
		{
			double below = low[j * SDC_BOX_CHILDREN + i] - turned[j];
			double above = turned[j] - high[j * SDC_BOX_CHILDREN + i];
			double outside = sdc_box_larger(below, above);

			outside = sdc_box_larger(outside, 0.0);
			sum += outside * outside;
		}
		bound[i] = sum;
	}
}

/*
 * Adds, along count axes, the squared ways to the farthest corners, and the
 * least products of a point of the box and the direction.
 */
SDC_BOX_INLINE void
sdc_box_add_farthest(const double *restrict low, const double *restrict high,
					 const double *restrict turned,
					 const double *restrict direction, int count,
					 double *restrict corner, double *restrict product)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
	{
		double corner_sum = corner[i];
		double product_sum = product[i];

		for (j = 0; j < count; j++)
		{
			double at_low = low[j * SDC_BOX_CHILDREN + i];
			double at_high = high[j * SDC_BOX_CHILDREN + i];
			double side =
				sdc_box_larger(turned[j] - at_low, at_high - turned[j]);

			corner_sum += side * side;
			product_sum +=
				sdc_box_smaller(at_low * direction[j], at_high * direction[j]);
		}
		corner[i] = corner_sum;
		product[i] = product_sum;
	}
}

/* Squared distances of the places of a leaf to a point. */
SDC_BOX_INLINE void
sdc_box_distances(const double *coordinate, const double *point, int unrolled,
				  int columns, double *distance)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_POINTS; i++)
		distance[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		sdc_box_add_distances(coordinate + j * SDC_BOX_POINTS, point + j,
							  unrolled, distance);
	for (; j < columns; j++)
		sdc_box_add_distances(coordinate + j * SDC_BOX_POINTS, point + j, 1,
							  distance);
}

/* Squared distances to the nearest points that the boxes can hold. */
SDC_BOX_INLINE void
sdc_box_nearest_bounds(const double *low, const double *high,
					   const double *turned, int unrolled, int columns,
					   double *bound)
{
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
		bound[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		sdc_box_add_nearest(low + j * SDC_BOX_CHILDREN,
							high + j * SDC_BOX_CHILDREN, turned + j, unrolled,
							bound);
	for (; j < columns; j++)
		sdc_box_add_nearest(low + j * SDC_BOX_CHILDREN,
							high + j * SDC_BOX_CHILDREN, turned + j, 1, bound);
}

/*
 * Squared distances to the farthest points that the boxes can hold, -1 for an
 * empty one.  Two bounds, of which the smaller counts: the farthest corner;
 * and, with no x farther from the centre c than the point r is,
 * |x - r|^2 <= 2 |r - c|^2 - 2 (x - c).(r - c).  ball is what of it does not
 * depend on x, direction is r - c.
 */
SDC_BOX_INLINE void
sdc_box_farthest_bounds(const double *low, const double *high,
						const int32_t *count, const double *turned,
						const double *direction, double ball, int unrolled,
						int columns, double *bound)
{
	double product[SDC_BOX_CHILDREN];
	int i;
	int j;

	for (i = 0; i < SDC_BOX_CHILDREN; i++)
		bound[i] = product[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		sdc_box_add_farthest(low + j * SDC_BOX_CHILDREN,
							 high + j * SDC_BOX_CHILDREN, turned + j,
							 direction + j, unrolled, bound, product);
	for (; j < columns; j++)
		sdc_box_add_farthest(low + j * SDC_BOX_CHILDREN,
							 high + j * SDC_BOX_CHILDREN, turned + j,
							 direction + j, 1, bound, product);
	for (i = 0; i < SDC_BOX_CHILDREN; i++)
	{
		double inside = sdc_box_larger(ball - 2 * product[i], 0.0);

		inside = sdc_box_smaller(inside, bound[i]);
		bound[i] = count[i] > 0 ? inside : -1;
	}
}

#endif
