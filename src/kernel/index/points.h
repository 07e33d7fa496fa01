/*
 * points.h
 *		Rows as points: in canonical order, standardised, duplicates known.
 *
 * Canonical order is by the columns from first to last, then by position in
 * the input.  Equal rows are adjacent in it, so a distinct point is a range
 * of rows.  Every sum over rows taken in this order is independent of the
 * order of the input.
 */
#ifndef SDC_KERNEL_POINTS_H
#define SDC_KERNEL_POINTS_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

typedef struct SdcPoints
{
	int32_t rows;
	int columns;       /* at least 1 */
	double **column;   /* column[j][row], rows in canonical order */
	int32_t *position; /* position[row]: where the row stood in the input */
	int32_t distinct;  /* number of distinct points */
	int32_t *first;    /* point p is rows first[p] .. first[p + 1] - 1 */
} SdcPoints;

/*
 * Points of a matrix with at least one row.  Columns of one value only are
 * left out (one column of zeros stays when all are).  standardize: columns get
 * mean 0 and standard deviation 1 (n - 1), so |value| < sqrt(rows); else all
 * columns are multiplied by one power of 2 that makes the largest magnitude
 * lie in [2^14, 2^15).  Nothing overflows for any finite input.  O(n log n).
 */
extern SdcPoints *sdc_points_create(SdcHost *host, const SdcMatrix *matrix,
									bool standardize);

/*
 * The points of some rows, ascending, of other points; values as they are.
 * position[] holds the row in the other points.
 */
extern SdcPoints *sdc_points_subset(SdcHost *host, const SdcPoints *points,
									const int32_t *rows, int32_t count);

extern void sdc_points_release(SdcHost *host, SdcPoints *points);

/* Copies a row's coordinates. */
static inline void
sdc_points_get(const SdcPoints *points, int32_t row, double *coordinates)
{
	int j;

	for (j = 0; j < points->columns; j++)
		coordinates[j] = points->column[j][row];
}

#endif
