/*
 * sequential.h
 *		Synthetic records drawn from sequential trees.
 *
 * P(record) = product over j of P(x_j | x_1 .. x_j-1).  The first column is
 * drawn with replacement.  For each later one a tree is grown on the original
 * columns before it, the synthetic record goes down the tree, and its value
 * is that of an original in the leaf (Reiter 2005; Nowok, Raab and Dibben
 * 2016).  Nothing of it is differentially private.
 */
#ifndef SDC_KERNEL_SEQUENTIAL_H
#define SDC_KERNEL_SEQUENTIAL_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* The code of NULL, as in kernel/table/frequency.h. */
#define SDC_SEQUENTIAL_NULL (-1)

/* Different values of a category, and bins of a number, at the most. */
#define SDC_SEQUENTIAL_BINS 65534

/* A column of the originals, in the order of the visit. */
typedef struct SdcSequentialColumn
{
	const int32_t *code;  /* of each record, 0 .. values - 1, or NULL */
	int32_t values;       /* at most SDC_SEQUENTIAL_BINS of a category */
	const double *number; /* of each code, ascending and finite; NULL: a
						   * category */
	int32_t leaf;         /* records in the smallest leaf, at least 1 */
	int32_t rare;         /* a category of fewer records is never drawn,
						   * nor a number beyond which fewer lie, with it */
	bool smooth;          /* draw numbers between donors, see below */
	double grid;          /* round these to a multiple of it; 0: do not */
} SdcSequentialColumn;

/* Column a is never above column b, when neither is NULL. */
typedef struct SdcSequentialOrder
{
	int a; /* places in the visit, of numbers */
	int b;
} SdcSequentialOrder;

/*
 * What is asked for.  Smoothing: a donor's number that no other donor of the
 * leaf has becomes one between the midpoints to its neighbours in the leaf,
 * but not beyond the middle of the r-th and the next smallest, or largest,
 * number of the column, where r is the larger of leaf and rare (half of the
 * numbers where there are fewer); so no number of a single person is repeated
 * but by chance, and no extreme is, nor goes into one that is drawn.  Only one
 * that is no extreme is taken as it is, where admits leaves nothing else.
 */
typedef struct SdcSequentialTask
{
	int32_t rows;
	int columns;
	const SdcSequentialColumn *column;
	int given;     /* columns, the first ones, of which the records say
					* already what they have: they are only predictors */
	int32_t drawn; /* synthetic records */
	double cp;     /* a split must gain this share of the root's impurity */
	int orders;
	const SdcSequentialOrder *order;
	/*
	 * May synthetic record i have this code (and number, when it was smoothed;
	 * else NaN) in column j, given its columns before j?  NULL: it may.
	 */
	bool (*admits)(void *arg, int32_t i, int j, int32_t code, double number);
	void *arg;
	SdcRandom *random;
} SdcSequentialTask;

/* How a column was made. */
typedef struct SdcSequentialStep
{
	int32_t leaves;   /* of its tree of values */
	int32_t smallest; /* records in the smallest one */
	int32_t smoothed; /* synthetic numbers that no donor gave as they are */
	int32_t climbed;  /* records whose leaf had no donor that was admitted */
	int32_t rare;     /* values that are never drawn */
	int32_t failed;   /* -1, or the record for which there is no value */
} SdcSequentialStep;

/* The records, as arrays of the task: they are filled as columns are made. */
typedef struct SdcSequentialRecords
{
	int32_t **code;  /* [column][record] */
	double **number; /* the same of smoothed columns, NaN: as its code; NULL of
						others */
	SdcSequentialStep *step; /* of each column */
} SdcSequentialRecords;

/* Room for the records of a task. */
extern SdcSequentialRecords *
sdc_sequential_records(SdcHost *host, const SdcSequentialTask *task);

/*
 * Makes them, column by column; false, and step->failed, when no value of a
 * column is admitted for some record.  rows >= 1.  Depends on the values and
 * the random stream, not on the order of the records.  O(rows columns^2
 * log rows) as a rule; memory 2 rows columns + 28 rows bytes beside the
 * results.
 */
extern bool sdc_sequential_draw(SdcHost *host, const SdcSequentialTask *task,
								SdcSequentialRecords *records);

/*
 * The order in which columns are best made: the first ones stay where they
 * are, then comes always the one that depends most on any before it, by the
 * mutual information of few groups of values (Chow and Liu 1968); without any
 * at first the one that depends most on all others.  Equal ones stay in their
 * order.  order[columns] are places of the task, of which only rows (at least
 * 1), columns and column are read.  O(rows columns^2); memory rows columns.
 */
extern void sdc_sequential_order(SdcHost *host, const SdcSequentialTask *task,
								 int first, int *order);

/*
 * The grid that numbers lie on: 1, 0.1, ... 1e-6, the largest one of which
 * all are multiples; 0 for none.  O(count).
 */
extern double sdc_sequential_grid(const double *number, int32_t count);

#endif
