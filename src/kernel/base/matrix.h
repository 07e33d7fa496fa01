/*
 * matrix.h
 *		The shape in which numeric rows reach a kernel.
 *
 * column[j][i] is row i of column j, finite.  Rows that hold a NULL never
 * get here: the caller leaves them out and keeps their place.
 */
#ifndef SDC_KERNEL_MATRIX_H
#define SDC_KERNEL_MATRIX_H

#include <stddef.h>

/* Columns a kernel accepts; hosts refuse more. */
#define SDC_MAX_COLUMNS 64

typedef struct SdcMatrix
{
	size_t rows;
	int columns;     /* 0 .. SDC_MAX_COLUMNS */
	double **column; /* column[j][row] */
} SdcMatrix;

#endif
