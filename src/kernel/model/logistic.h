/*
 * logistic.h
 *		Logistic regression by maximum likelihood, without a ridge.
 *
 * Columns are numbers, factors or products of both.  Every figure is a sum
 * over the rows in the order given: in canonical order of the rows it does not
 * depend on the order of the input.
 */
#ifndef SDC_KERNEL_LOGISTIC_H
#define SDC_KERNEL_LOGISTIC_H

#include "kernel/base/host.h"
#include "kernel/model/model.h"

/* Parameters with the intercept at the most. */
#define SDC_LOGISTIC_MAX_PARAMETERS 2000

/*
 * A column: row i adds number[i], or 1 without numbers, times the effect of
 * code[i].  Code 0 is the base level and has no effect; without codes all rows
 * have the one effect there is.  So a number has codes NULL, a factor numbers
 * NULL, and the product of a number and a factor has both.
 */
typedef struct SdcLogisticColumn
{
	const double *number; /* finite */
	const int32_t *code;  /* 0 .. levels - 1; negative or more: no effect */
	int32_t levels;       /* ignored without codes */
} SdcLogisticColumn;

/* Rows; of each, how many of how many trials were a success. */
typedef struct SdcLogisticData
{
	size_t rows;
	int columns;
	const SdcLogisticColumn *column;
	const double *successes; /* 0 .. trials[i] */
	const double *trials;    /* 0: left out; not all; NULL: one each */
} SdcLogisticData;

/* How a fit has ended. */
typedef enum SdcLogisticEnd
{
	SDC_LOGISTIC_MAXIMUM, /* the gradient is zero to 10 digits */
	/*
	 * No finite coefficients are best: some rows can be told apart with
	 * certainty.  The probabilities are those of the limit to 9 digits.
	 */
	SDC_LOGISTIC_SEPARATED,
	SDC_LOGISTIC_STOPPED /* neither after the most steps allowed */
} SdcLogisticEnd;

/* A fitted model; made by sdc_logistic_fit. */
typedef struct SdcLogistic
{
	int parameters;      /* places of effects, the intercept first */
	int rank;            /* of these, not determined by earlier ones */
	double *coefficient; /* of the numbers as given; 0 where determined */
	bool *determined;    /* a combination of earlier ones */
	int columns;
	double *effect; /* coefficients of the standardized numbers */
	double *centre; /* how column j is standardized: (x - centre) * inverse */
	double *inverse;
	int *first;        /* the first effect of each column ... */
	int *effects;      /* ... and how many it has */
	double likelihood; /* logarithm */
	double gradient;   /* largest, relative to the sum of |x| of its effect */
	int steps;
	SdcLogisticEnd end;
} SdcLogistic;

/*
 * How many effects can be estimated, the intercept among them: all but those
 * that are combinations of earlier ones.  O(rows columns^2 + parameters^3).
 */
extern int sdc_logistic_rank(SdcHost *host, const SdcLogisticData *data);

/*
 * Fits by Newton's method (iteratively reweighted least squares) with halved
 * steps.  Effects that are combinations of earlier ones, such as a constant
 * column or a level that no row has, get coefficient 0 and do not count in
 * rank; the probabilities do not depend on which were kept.  No rows, or more
 * than SDC_LOGISTIC_MAX_PARAMETERS parameters, are not allowed.
 * O(rows columns^2 + parameters^3) a step, at most 100 steps; polls.
 *
 * Source: McCullagh and Nelder 1989, "Generalized linear models", ch. 4;
 * Albert and Anderson 1984 (separation).
 */
extern SdcLogistic *sdc_logistic_fit(SdcHost *host,
									 const SdcLogisticData *data);

/*
 * The probability of a success of each row of data with the columns of the
 * model; successes and trials are not read.  O(rows columns).
 */
extern void sdc_logistic_predict(SdcHost *host, const SdcLogistic *model,
								 const SdcLogisticData *data,
								 double *probability);

/* Gives a model back before the host ends. */
extern void sdc_logistic_release(SdcHost *host, SdcLogistic *model);

/*
 * Fits a classifier of several classes: for each class sdc_logistic_fit to "is
 * it this class".  A number that is NULL takes the mean of the training rows;
 * a category has an effect for each value, NULL among them, that occurs in
 * training, the first being the base; a value that does not occur counts as
 * the base.  The function fit of SdcModelMethod; as many fits as classes.
 */
extern void *sdc_logistic_classes_fit(SdcHost *host, const SdcModelTask *task);

/*
 * Predicts a row by such a classifier: the probabilities of the classes,
 * divided by their sum, or all the same when that is 0.  The function predict
 * of SdcModelMethod.
 */
extern void sdc_logistic_classes_predict(void *fitted,
										 const SdcModelTable *table,
										 int32_t row, double *probability);

/* Parameters of the fit for one class, the intercept among them.  O(rows). */
extern int64_t sdc_logistic_classes_parameters(SdcHost *host,
											   const SdcModelTask *task);

#endif
