/*
 * log_linear.h
 *		Poisson log-linear models of key tables, and the risk they give.
 *
 * The number of records of the sample in a cell of the table of all
 * combinations of key values, occupied or not, is Poisson with mean mu, and
 * log mu is a sum of effects of single columns and of pairs of columns.  With
 * a sampling fraction pi the population has Poisson(mu / pi) records in the
 * cell, of which those not in the sample are Poisson(mu (1 - pi) / pi).
 */
#ifndef SDC_KERNEL_LOG_LINEAR_H
#define SDC_KERNEL_LOG_LINEAR_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* Cells that a table to be fitted may have. */
#define SDC_LOG_LINEAR_MAX_CELLS (INT64_C(1) << 24)

/* Two different columns whose joint margin the model keeps. */
typedef struct SdcLogLinearTerm
{
	int first;
	int second;
} SdcLogLinearTerm;

typedef struct SdcLogLinear
{
	double *mean;   /* mu of each cell of the frequency table; positive */
	int sweeps;     /* of proportional fitting, over all terms */
	bool converged; /* are the margins kept to 9 digits? */
	/*
	 * sample uniques that the model expects, empty cells counted, too; NAN
	 * when all keys have more than SDC_LOG_LINEAR_MAX_CELLS combinations
	 */
	double uniques;
} SdcLogLinear;

/* What a model says of the sample uniques. */
typedef struct SdcLogLinearRisk
{
	int64_t uniques;
	double tau1; /* expected number that is unique in the population */
	double tau2; /* sum of E(1/F | f = 1) */
} SdcLogLinearRisk;

/*
 * The number of cells of the largest table that must be filled to fit the
 * terms: columns that terms connect need a common one.  NULL counts as a value
 * where it occurs.  SDC_LOG_LINEAR_MAX_CELLS + 1 stands for all that is more.
 * O(cells columns).
 */
extern int64_t sdc_log_linear_cells(SdcHost *host,
									const SdcFrequency *frequency,
									const SdcLogLinearTerm *terms, int n);

/*
 * Fits main effects of all columns and the n terms by maximum likelihood:
 * iterative proportional fitting of the margins over all cells of the table,
 * empty ones, too.  Without terms mu is a product of margins, and no table is
 * filled.  sdc_log_linear_cells must have said that the table is not too
 * large.  O(cells columns) and O(table terms) a sweep, and once O(combinations
 * of keys); polls.
 *
 * Source: Deming and Stephan 1940; Bishop, Fienberg and Holland 1975,
 * "Discrete Multivariate Analysis", ch. 3.
 */
extern SdcLogLinear *sdc_log_linear_fit(SdcHost *host,
										const SdcFrequency *frequency,
										const SdcLogLinearTerm *terms, int n);

/*
 * Sums both up over the sample uniques.  fraction is that of the sample; or
 * 0, and then the weights of the frequency table are used: the fraction of a
 * unique is 1 / its weight, or 1 for weights below 1.
 *
 * Source: Skinner and Holmes 1998, "Estimating the re-identification risk per
 * record in microdata"; Elamir and Skinner 2006, "Record level measures of
 * disclosure risk for survey microdata".
 */
extern SdcLogLinearRisk sdc_log_linear_risk(SdcHost *host,
											const SdcFrequency *frequency,
											const double *mean,
											double fraction);

#endif
