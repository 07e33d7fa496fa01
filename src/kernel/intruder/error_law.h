/*
 * error_law.h
 *		The law of the errors by which a term tells own records from others.
 */
#ifndef SDC_KERNEL_ERROR_LAW_H
#define SDC_KERNEL_ERROR_LAW_H

#include <math.h>

#include "kernel/base/elementary.h"
#include "kernel/intruder/intruder_private.h"

/* Spreads are in deviations of the column. */
#define SDC_LEAST_SPREAD 1e-6

/* log Gamma(5/2) - log(4 pi) / 2: the Student law at 0 with 4 degrees; and the
 * logarithm of 1 / 2, the uniform law. */
#define SDC_STUDENT_TOP (-0.98082925301172623)
#define SDC_UNIFORM_TOP (-0.69314718055994531)

/* The log density of an error, less that of the standard law at 0. */
static inline double
sdc_error_log_density(double error, double spread, int degrees)
{
	double x = error / spread;

	if (degrees == SDC_DEGREES_UNIFORM)
		return fabs(x) <= 1
				   ? SDC_UNIFORM_TOP - SDC_STUDENT_TOP - sdc_random_log(spread)
				   : -INFINITY;
	return -0.5 * (degrees + 1) * sdc_random_log(1 + x * x / degrees) -
		   sdc_random_log(spread);
}

/* The uniform density beside that of this Student law at 0, 3/8. */
#define SDC_UNIFORM_HEIGHT (4.0 / 3)

/* The density of a standard error, beside that of the Student law at 0; of the
 * laws that are tried.  Powers of halves need no logarithm. */
static inline double
sdc_error_density(double x, int degrees)
{
	double y;

	if (degrees == SDC_DEGREES_UNIFORM)
		return fabs(x) <= 1 ? SDC_UNIFORM_HEIGHT : 0;
	y = 1 / (1 + x * x / degrees);
	if (degrees == SDC_DEGREES_OF_MOST)
		return y;
	return degrees == SDC_FIT_DEGREES ? y * y * sqrt(y) : y * y * y * y * y;
}

/* A log ratio where so many of the records are wrong. */
static inline double
sdc_error_with_wrong(double log_ratio, double wrong)
{
	return wrong == 0
			   ? log_ratio
			   : sdc_random_log((1 - wrong) * sdc_exp(log_ratio) + wrong);
}

/* Links that were not fitted, each beside other people's records. */
typedef struct SdcErrorsBeside
{
	int32_t links;
	int32_t missing; /* of which the column tells nothing */
	double *error; /* [link * (SDC_TOLD_RECORDS + 1)], the own record first */
	double *unusual; /* 1 / the density of that record, whoever it is */
} SdcErrorsBeside;

/* A law of the errors, and how well it tells. */
typedef struct SdcErrorLaw
{
	double wider; /* than the spread */
	int degrees;
	double log; /* of all chances of own records */
} SdcErrorLaw;

/*
 * The law that tells most, of those that do not say more than is right, or of
 * all: Student laws up to so many times as wide as the spread, and a uniform
 * one; wrong is the share of records that follow none.  O(links).
 */
extern SdcErrorLaw sdc_error_law_find(const SdcErrorsBeside *beside,
									  double spread, double wrong,
									  double widest);

#endif
