/*
 * individual_risk.h
 *		Individual risk of a record of a sample, after Benedetti and Franconi.
 *
 * f records of the sample share a combination of quasi-identifiers; how many
 * of the population do, F, is estimated by the sum of their weights.  Given f,
 * F is negative binomial with p = f / (estimate of F), and the risk of each of
 * the f records is the expectation of 1/F.
 */
#ifndef SDC_KERNEL_INDIVIDUAL_RISK_H
#define SDC_KERNEL_INDIVIDUAL_RISK_H

#include "kernel/base/host.h"

typedef enum SdcIndividualRiskMethod
{
	SDC_INDIVIDUAL_RISK_EXACT,
	/* p / (f - 1 + p) from f = 3 on: up to 4.1 % too high */
	SDC_INDIVIDUAL_RISK_APPROX
} SdcIndividualRiskMethod;

/*
 * E(1/F | f) of each of sample records, sample >= 1, of which the population
 * is estimated to hold so many; in (0, 1 / sample].
 *
 * A population below sample contradicts it and counts as sample (p = 1), as
 * happens to weights below 1: the risk then is 1 / sample, the largest one for
 * that sample.  It goes to 0 as the population grows; an infinite one makes
 * it 0.  NaN makes NaN.  Exact means a relative error of a few units in the
 * 15th digit.  O(1), at most some hundred steps.
 *
 * Source: Benedetti and Franconi 1998, "Statistical and technological
 * solutions for controlled data dissemination"; Franconi and Polettini 2004,
 * "Individual risk estimation in mu-Argus".
 */
extern double sdc_individual_risk_expect(int64_t sample, double population,
										 SdcIndividualRiskMethod method);

/*
 * The risk that at least one of n records is re-identified, 1 - prod (1 -
 * risk[i]), without loss of digits when risks are small; risks are 0 to 1,
 * none makes 0.  The order of the risks may change the last digit: hand them
 * over in an order that does not depend on that of the rows.  O(n).
 */
extern double sdc_individual_risk_household(const double *risk, size_t n);

/*
 * The largest threshold r such that the global risk, the mean over all
 * records, is at most target (0 to 1) once no record has a risk above r:
 * sum records[i] * min(risk[i], r) <= target * sum records[i].  If the global
 * risk is low enough already, that is the largest risk; without records, 1.
 * The n classes come in any order; risk[i] in 0 .. 1, records[i] >= 1.
 * O(n) and scratch of 20 n bytes.
 *
 * Source: the re-identification rate of Franconi and Polettini 2004, with the
 * bound r for the records that are protected.
 */
extern double sdc_individual_risk_threshold(SdcHost *host, const double *risk,
											const int64_t *records, int32_t n,
											double target);

#endif
