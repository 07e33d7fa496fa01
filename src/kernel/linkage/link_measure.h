/*
 * link_measure.h
 *		What a search takes for near: sums over the columns of two points.
 */
#ifndef SDC_KERNEL_LINK_MEASURE_H
#define SDC_KERNEL_LINK_MEASURE_H

#include "kernel/base/host.h"
#include "kernel/index/point_index.h"
#include "kernel/learned/learned_form.h"

/* Kinds of values that are no numbers: NULL, infinity, ... */
#define SDC_LINK_KINDS 4

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
	/*
	 * What a missing value is, from 1 to SDC_LINK_KINDS; 0 of others.  Only
	 * sdc_link_file_kinds reads it.
	 */
	uint8_t **kind;

	/* set by sdc_link_file_collapse */
	int32_t points;  /* distinct points */
	int32_t *point;  /* point[row], or -1 */
	int32_t *member; /* rows with a point, those of a point ascending */
	int32_t *first; /* point p: member[first[p]] .. member[first[p + 1] - 1] */
	double *coordinate; /* coordinate[p * columns + j] */
} SdcLinkFile;

/*
 * One scale for two files, or each its own.  The reference is what a scale is
 * taken from: the values that are there in
 *
 * MASKED	the masked file
 * POOLED	both files
 * RANK		the file with more values in the column, of equal ones the masked
 *			file; a value becomes the share of the reference that is below it,
 *			equal values counted by half
 * ROBUST	the masked file, by its quartiles
 * OWN		each file itself
 *
 * A file of one value has no scale: with MASKED and ROBUST the original then
 * gives it.
 */
typedef enum SdcLinkScale
{
	SDC_LINK_SCALE_MASKED,
	SDC_LINK_SCALE_POOLED,
	SDC_LINK_SCALE_RANK,
	SDC_LINK_SCALE_ROBUST,
	SDC_LINK_SCALE_OWN
} SdcLinkScale;

/* The words of the scales, in that order; ends with NULL. */
extern const char *const sdc_link_scale_words[];

/*
 * Brings the values of both files, which have the same columns, to a scale:
 * values less the mean of the reference, divided by its standard deviation
 * (n - 1); ROBUST less the median, divided by what the quartiles of a normal
 * column with deviation 1 are apart (by the deviation, where the quartiles are
 * equal); RANK from 0 to 1.  A column whose reference has no spread becomes 0
 * in both files.  Scores end at 1e100, so that their squares are finite.
 * O(columns * rows), RANK O(columns * rows log rows); scratch 32 bytes a row.
 */
extern void sdc_link_file_standardize(SdcHost *host, SdcLinkFile *original,
									  SdcLinkFile *masked, SdcLinkScale scale);

/*
 * Prepares both files for SDC_LINK_GOWER (see below): numbers become 0 to 1 by
 * the least and the greatest of the reference (ROBUST: by the values that
 * 5 percent of it are below and above), what lies beyond as these are, 0 in a
 * column without range; category[j] tells the columns of codes, which stay.
 * What is missing becomes SDC_LINK_MISSING, and only a row without any value
 * counts as incomplete.  Returns whether anything is missing in the other
 * rows.  Costs as above.
 */
extern bool sdc_link_file_unite(SdcHost *host, SdcLinkFile *original,
								SdcLinkFile *masked, const bool *category,
								SdcLinkScale scale);

/*
 * Coordinates that tell kinds of missing values: the last count columns of
 * both files.  Coordinate k is that of one kind in column owner[k].
 */
typedef struct SdcLinkKinds
{
	int count;
	int *owner;
} SdcLinkKinds;

/*
 * Makes missing values categories of their own, in files that were brought to
 * a scale: a missing value lies in the middle of its column, and one deviation
 * aside of all values that are not of its kind, on an axis of its own.  So two
 * of a kind do not differ, and a kind and a number, or two kinds, do by the
 * square of 2 deviations on average, which is what two people taken at random
 * differ by.  Afterwards nothing is missing.  The files get a coordinate for
 * each kind in a column of either of them: at most SDC_LINK_KINDS times
 * their columns.  O(columns rows SDC_LINK_KINDS).
 */
extern SdcLinkKinds sdc_link_file_kinds(SdcHost *host, SdcLinkFile *a,
										SdcLinkFile *b, SdcLinkScale scale);

/*
 * Finds the distinct points, numbered in the order of their coordinates, and
 * the rows at each.  O(columns * rows).
 */
extern void sdc_link_file_collapse(SdcHost *host, SdcLinkFile *file);

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

/* By what points are compared; see SdcLinkMeasure. */
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
 * FORM		the value of a form; the index has its differences' columns, and
 *			as many more as there are kinds (SdcLinkKinds): the square of one
 *			is added to that of its owner.
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
	 * FORM: as in SdcDistanceForm, then the owners of kinds.  GOWER: a weight
	 * for each column, then 1 for a category or 0 for a number.  Nothing for
	 * others.
	 */
	size_t parameters;
	const double *parameter;
	int kinds; /* FORM */
} SdcLinkMeasure;

/* The plain sum of squared differences. */
extern const SdcLinkMeasure sdc_link_measure_squares;

/*
 * The value of a point, whose coordinates are stride apart, and a query.
 * Computed as for a block of an index, bit for bit.
 */
extern double sdc_link_measure_value(const SdcLinkMeasure *measure,
									 int columns, const double *coordinate,
									 int stride, const double *query);

/*
 * The same for an index, for every kind but SQUARES; it points to the measure.
 */
extern SdcIndexMeasure sdc_link_measure_index(const SdcLinkMeasure *measure);

#endif
