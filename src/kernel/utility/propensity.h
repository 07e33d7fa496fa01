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

/* How the tree grows, and how often labels are permuted. */
typedef struct SdcPropensityTree
{
	int32_t leaf;     /* records in the smallest leaf, at least 1 */
	double cp;        /* share of the root's impurity that a split must gain */
	int permutations; /* at least 2 */
	uint64_t seed;
} SdcPropensityTree;

/*
 * The same by a classification tree (kernel/model/cart.h), which sees what no
 * single column nor pair shows.  The tree of the files is not pruned but by
 * cp; expected and deviation are those of trees of permuted labels, times
 * 1 - share: permuted files are two samples of one population, and a perfect
 * synthesis differs from the original by its own error alone.  They are
 * estimates from the permutations.  parameters is the number of leaves of the
 * tree, end is not used.  Depends on the order of the rows by the permutations
 * alone.  O(permutations columns rows log rows) as a rule.
 *
 * Source: Bowen, Liu and Su 2021, "Differentially private data release via
 * statistical election to partition sequentially"; Raab, Nowok and Dibben
 * 2021, "Assessing, visualizing and improving the utility of synthetic data".
 */
extern SdcPropensity sdc_propensity_by_tree(SdcHost *host, size_t original,
											size_t masked, int columns,
											const SdcPropensityColumn *column,
											const SdcPropensityTree *settings);

#endif
