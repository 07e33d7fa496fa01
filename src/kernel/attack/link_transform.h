/*
 * link_transform.h
 *		Files turned so that a quadratic distance is a plain one.
 *
 * A quadratic form of differences is a sum of squares of turned and scaled
 * coordinates, some of which subtract when the form is not positive.
 */
#ifndef SDC_KERNEL_LINK_TRANSFORM_H
#define SDC_KERNEL_LINK_TRANSFORM_H

#include "kernel/attack/link_file.h"

/*
 * The covariance of the differences a - b over the rows of a that have a
 * partner in b, both complete; partner[row] is the row of b or -1.  Divides
 * by n - 1.  With fewer than two such pairs, the sum of the covariances of
 * both files, each 0 with fewer than two complete rows.  covariance has
 * columns * columns numbers.  Sums run in the order of the rows.
 * O(rows columns^2).
 */
extern void sdc_link_transform_covariance(SdcHost *host, const SdcLinkFile *a,
										  const SdcLinkFile *b,
										  const int32_t *partner,
										  double *covariance);

/*
 * Inverts a covariance matrix in place.  A direction whose variance is less
 * than 1e-8 of the greatest counts as one with so much: a column that masking
 * left alone must weigh much, not nothing.  When there is no variance at all
 * the inverse is the unit matrix.
 */
extern void sdc_link_transform_invert(SdcHost *host, double *matrix,
									  int columns);

/* rows * columns numbers; the rows after the first positive ones subtract. */
typedef struct SdcLinkTransform
{
	int rows;
	int positive;
	int columns;
	double *factor;
} SdcLinkTransform;

/*
 * Writes the quadratic form of a symmetric matrix as squares.  Directions
 * with an eigenvalue of at most 1e-12 of the greatest magnitude are left out;
 * there is at least one row.
 */
extern SdcLinkTransform
sdc_link_transform_factor(SdcHost *host, const double *matrix, int columns);

/*
 * Replaces the columns of a file, of which transform->columns there are, by
 * the rows of the transform; a row that lacks a value lacks all of them.
 */
extern void sdc_link_transform_apply(SdcHost *host,
									 const SdcLinkTransform *transform,
									 SdcLinkFile *file);

#endif
