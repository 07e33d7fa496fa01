/*
 * propensity.h
 *		Can a model tell the masked records from the original ones?
 */
#ifndef SDC_KERNEL_PROPENSITY_H
#define SDC_KERNEL_PROPENSITY_H

#include "kernel/base/host.h"
#include "kernel/model/logistic.h"

/* The pMSE, and what to compare it with. */
typedef struct SdcPropensity
{
	double pmse;  /* mean of (probability - share)^2 */
	double share; /* of the masked records among all */
	/*
	 * Mean and standard deviation of the pMSE when the masked records are
	 * drawn from what the original file, as given, says of the distribution:
	 * a perfect synthesis.  Two samples of one population differ by both their
	 * errors, so that their mean is expected / (1 - share).
	 */
	double expected;
	double deviation;
	double ratio;        /* pmse / expected */
	double standardized; /* (pmse - expected) / deviation */
	int parameters;      /* that were estimated, with the intercept */
	SdcLogisticEnd end;
} SdcPropensity;

/* A column of both files, one below the other. */
typedef struct SdcPropensityColumn
{
	const double *number; /* NAN when missing; or NULL */
	const int32_t *code;  /* negative when missing; or NULL */
	int32_t values;       /* of codes */
} SdcPropensityColumn;

/*
 * A logistic model of which file a record is from: the first original rows,
 * or the masked ones after them.  Numbers are linear, and where some are
 * missing these have an effect of their own; codes are factors, of which the
 * most_levels - 1 most frequent keep theirs and all others share one.
 * With interactions there are all products of two columns besides.  NAN
 * figures when a file is empty; ratio and standardized when nothing but the
 * intercept can be estimated.  *parameters, unless NULL, is set before
 * fitting; above SDC_LOGISTIC_MAX_PARAMETERS nothing is fitted and pmse is
 * NAN.  As sdc_logistic_fit otherwise.
 *
 * Source: Woo, Reiter, Oganian and Karr 2009; Snoke, Raab, Nowok, Dibben and
 * Slavkovic 2018, "General and specific utility measures for synthetic data".
 */
extern SdcPropensity sdc_propensity_measure(SdcHost *host, size_t original,
											size_t masked, int columns,
											const SdcPropensityColumn *column,
											int32_t most_levels,
											bool interactions,
											int64_t *parameters);

#endif
