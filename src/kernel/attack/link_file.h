/*
 * link_file.h
 *		Two files made comparable: standard scores, distinct points.
 */
#ifndef SDC_KERNEL_LINK_FILE_H
#define SDC_KERNEL_LINK_FILE_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

/*
 * A file as linkage sees it.  value[j][i] is column j of row i and missing[j]
 * tells which values are absent; a row that lacks any value has no point.
 */
typedef struct SdcLinkFile
{
	int32_t rows;
	int columns;
	double **value;
	bool **missing;

	/* set by sdc_link_file_collapse */
	int32_t points;  /* distinct points */
	int32_t *point;  /* point[row], or -1 */
	int32_t *member; /* rows with a point, those of a point ascending */
	int32_t *first; /* point p: member[first[p]] .. member[first[p + 1] - 1] */
	double *coordinate; /* coordinate[p * columns + j] */
} SdcLinkFile;

/*
 * Turns the values of both files, which have the same columns, into standard
 * scores, each file by its own mean and standard deviation (n - 1) over the
 * values that are there.  A column without spread in either file becomes 0 in
 * both.  O(columns * rows).
 */
extern void sdc_link_file_standardize(SdcHost *host, SdcLinkFile *a,
									  SdcLinkFile *b);

/*
 * Prepares both files for SDC_LINK_GOWER (link_measure.h): numbers become 0 to
 * 1 by the least and the greatest of both files, 0 in a column without range;
 * category[j] tells the columns of codes, which stay.  What is missing becomes
 * SDC_LINK_MISSING, and only a row without any value counts as incomplete.
 * Returns whether anything is missing in the other rows.  O(columns * rows).
 */
extern bool sdc_link_file_unite(SdcHost *host, SdcLinkFile *a, SdcLinkFile *b,
								const bool *category);

/*
 * Finds the distinct points, numbered in the order of their coordinates, and
 * the rows at each.  O(columns * rows).
 */
extern void sdc_link_file_collapse(SdcHost *host, SdcLinkFile *file);

#endif
