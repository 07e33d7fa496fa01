/*
 * marginal_fit.h
 *		The model whose marginals are nearest to noisy ones.
 *
 * Least squares, each cell weighed by the precision of its noise, over the
 * distributions of a junction tree, by mirror descent: p becomes p exp(-step
 * gradient), with Armijo's rule for the step (McKenna, Sheldon and Miklau
 * 2019).  It reads nothing but what was measured.
 */
#ifndef SDC_KERNEL_MARGINAL_FIT_H
#define SDC_KERNEL_MARGINAL_FIT_H

#include "kernel/base/host.h"
#include "kernel/synthetic/marginal_model.h"

/* What was measured of some columns; several measurements are one. */
typedef struct SdcMeasurement
{
	SdcColumnSet columns;
	int64_t cells;
	double *count;  /* noisy, the mean of all measurements of the cell */
	double *weight; /* 1 / variance of its noise, above 0 */
} SdcMeasurement;

typedef struct SdcMeasurements
{
	int count;
	int room;
	SdcMeasurement *item;
} SdcMeasurements;

/*
 * Adds a measurement of all cells of some columns; weight is one for all
 * cells, or by_cell is NULL or has one for each.  Both are copied.
 */
extern void sdc_measurements_add(SdcHost *host, SdcMeasurements *all,
								 const int32_t *size, SdcColumnSet columns,
								 const double *count, double weight,
								 const double *by_cell);

extern void sdc_measurements_release(SdcHost *host, SdcMeasurements *all);

/* The number of records: the mean of the totals, weighed by precision. */
extern double sdc_measurements_total(const SdcMeasurements *all);

/*
 * Fits a model, whose cliques hold all that was measured, and its total, at
 * least 1.  Ends after so many iterations, or five in a row that gain no more
 * than tolerance of the loss.  O(cells of cliques and measurements) an
 * iteration.  Returns how many there were.
 */
extern int sdc_marginal_fit(SdcHost *host, SdcMarginalModel *model,
							const SdcMeasurements *all, int iterations,
							double tolerance);

#endif
