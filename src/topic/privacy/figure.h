/*
 * figure.h
 *		The figures a request asks for: named, checked, counted in cells.
 */
#ifndef SDC_TOPIC_FIGURE_H
#define SDC_TOPIC_FIGURE_H

#include "postgres.h"

#include "host/call/relation.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_moments.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "topic/privacy/dataset.h"

/* What a figure is. */
typedef enum SdcFigureKind
{
	SDC_FIGURE_COUNT,
	SDC_FIGURE_SUM,
	SDC_FIGURE_AVG,
	SDC_FIGURE_VAR,
	SDC_FIGURE_STDDEV,
	SDC_FIGURE_MEDIAN,
	SDC_FIGURE_QUANTILE,
	SDC_FIGURE_MODE
} SdcFigureKind;

/*
 * A value of a row, as figures take it: whole for sums of integers and for
 * numbers of categories, which count from 0; else a number.  Missing is
 * SDC_FIGURE_MISSING or NaN.
 */
typedef union SdcFigureValue
{
	int64 whole;
	double number;
} SdcFigureValue;

/* A whole value that is missing. */
#define SDC_FIGURE_MISSING PG_INT64_MIN

/* One figure of a request; the states are what every cell starts with. */
typedef struct SdcFigure
{
	char *word; /* as it was asked */
	SdcFigureKind kind;
	SdcDatasetColumn *column; /* NULL for count */
	double fraction;          /* of a quantile */
	bool whole;               /* a sum of integers */
	double epsilon;           /* its share in each cell */
	SdcNeighbours neighbours;
	SdcDiscreteLaplace noise;
	SdcDpSum sum;
	SdcDpMoments moments;
	SdcDpQuantileRange range;
	Size bytes;       /* of a state */
	double halfwidth; /* NaN: not known beforehand */
} SdcFigure;

/* What one figure has of one cell. */
typedef struct SdcFigureState
{
	int64 count;
	SdcDpSum *sum;
	SdcDpMoments *moments;
	uint64_t *cell; /* of the range */
	int64_t *score; /* of the categories */
} SdcFigureState;

/* What one figure answers. */
typedef struct SdcFigureAnswer
{
	Datum number; /* numeric */
	const char *category;
} SdcFigureAnswer;

/*
 * Reads "count", "sum(COLUMN)", avg, var, stddev, median, mode in the same
 * form, and "quantile(COLUMN, FRACTION)"; the column as it is called, without
 * quotes.  Stops when the column lacks the bounds or categories it takes.
 */
extern SdcFigure *sdcpg_figure_read(const SdcDataset *dataset,
									const SdcRelation *relation,
									const char *word);

/*
 * Gives the figure its share of epsilon in each of so many cells.  Stops when
 * the noise would be too large.
 */
extern void sdcpg_figure_start(SdcFigure *figure, double epsilon,
							   SdcNeighbours neighbours, int64 cells);

/* A fresh state in the current memory context. */
extern void sdcpg_figure_open(const SdcFigure *figure, SdcFigureState *state);

/* Counts the value of one row. */
extern void sdcpg_figure_add(const SdcFigure *figure, SdcFigureState *state,
							 const SdcFigureValue *value);

/* Draws the answer: to be called once. */
extern SdcFigureAnswer sdcpg_figure_release(const SdcFigure *figure,
											const SdcFigureState *state);

#endif
