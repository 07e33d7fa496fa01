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
/* Cells that a table may have which a search fits again and again. */
#define SDC_LOG_LINEAR_MAX_SEARCHED (INT64_C(1) << 19)
/* Cells that a search may pass over, some seconds' work; see there. */
#define SDC_LOG_LINEAR_MAX_WORK 2e9

/* Two different columns whose joint margin the model keeps. */
typedef struct SdcLogLinearTerm
{
	int first;
	int second;
} SdcLogLinearTerm;

/* A column, and a fitted table of some columns; private to log_linear.c. */
typedef struct SdcLogLinearColumn SdcLogLinearColumn;
typedef struct SdcLogLinearPart SdcLogLinearPart;

/* A fitted model. */
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
	/* the fitted tables of columns that terms connect, for errors and tests */
	SdcLogLinearColumn *column;
	int parts;
	SdcLogLinearPart *part;
} SdcLogLinear;

/* What a model says of the sample uniques. */
typedef struct SdcLogLinearRisk
{
	int64_t uniques;
	double tau1; /* expected number that is unique in the population */
	double tau2; /* sum of E(1/F | f = 1) */
	/*
	 * Standard errors: how far the true figures of the population lie from
	 * these if the model is true, by the chance of its people and of the
	 * sample that the means were fitted to.
	 */
	double error1;
	double error2;
} SdcLogLinearRisk;

/* Does a model fit?  All are NAN where there are too many combinations. */
typedef struct SdcLogLinearTest
{
	double bias;       /* that tau1 is estimated to have */
	double deviation;  /* it, in standard errors */
	double dispersion; /* of the counts, beyond Poisson, in standard errors */
} SdcLogLinearTest;

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
 * unique is 1 / its weight, or 1 for weights below 1.  Errors by the delta
 * method, the inverse of the information by conjugate gradients: O(cells
 * columns) and O(table terms) a step.
 *
 * Source: Skinner and Holmes 1998, "Estimating the re-identification risk per
 * record in microdata"; Elamir and Skinner 2006, "Record level measures of
 * disclosure risk for survey microdata".
 */
extern SdcLogLinearRisk sdc_log_linear_risk(SdcHost *host,
											const SdcFrequency *frequency,
											const SdcLogLinear *model,
											double fraction);

/*
 * Tests a model, 0 < fraction <= 1.  The bias of tau1 is that of a mean of the
 * population l (1 + e) where the model has l, to second order in l e; it needs
 * no e, as the expectations of f - mu and (f - mu)^2 - f are pi l e and its
 * square.  A model that lacks terms overestimates tau1, one that has too many
 * underestimates it.  O(combinations of keys).
 *
 * Source: Skinner and Shlomo 2008, "Assessing identification risk in survey
 * microdata using log-linear models", who hold the chance of a unique fixed at
 * that of the model; here it changes with l, too.  Dispersion: Cameron and
 * Trivedi 1998, "Regression Analysis of Count Data", ch. 5.
 */
extern SdcLogLinearTest sdc_log_linear_test(SdcHost *host,
											const SdcFrequency *frequency,
											const SdcLogLinear *model,
											double fraction);

/*
 * Chooses terms by forward search, 0 < fraction <= 1: adds the pair of columns
 * whose margin the model misses by the most beyond what chance misses, as long
 * as there is one that it misses by twice that; and, while the test says that
 * tau1 is too high, one that it misses by more than that.  *terms becomes an
 * array, the first chosen first; returns how many they are.  A pair that would
 * need a table of more than SDC_LOG_LINEAR_MAX_SEARCHED cells is left out, and
 * the search ends after SDC_LOG_LINEAR_MAX_WORK; *left_out counts the pairs
 * that were wanted, and those that are too large by themselves.
 * O(cells columns^2), and for each pair chosen O(table terms) for some sweeps.
 *
 * Source: forward search by the test as in Skinner and Shlomo 2008; the other
 * criterion is Akaike's, with the gain to be expected by chance in place of
 * degrees of freedom, which are too many where margins are sparse.
 */
extern int sdc_log_linear_search(SdcHost *host, const SdcFrequency *frequency,
								 double fraction, SdcLogLinearTerm **terms,
								 int *left_out);

#endif
