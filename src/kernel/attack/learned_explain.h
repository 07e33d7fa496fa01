/*
 * learned_explain.h
 *		What learned parameters say about attributes and pairs of them.
 */
#ifndef SDC_KERNEL_LEARNED_EXPLAIN_H
#define SDC_KERNEL_LEARNED_EXPLAIN_H

#include "kernel/attack/learned_form.h"

/*
 * importance[j]: weights of WM; Shapley values of the Choquet families, which
 * add up to 1; for bilinear families the share of the diagonal, by magnitude,
 * with the sign of the entry; for OWA the weight of the j-th largest
 * difference.
 *
 * interaction[j * n + k], j < k: Shapley interaction indices (Grabisch 1997)
 * of the Choquet families, above 0 where two attributes count more together
 * than apart; for bilinear families the entry off the diagonal over the root
 * of the product of the two on it (over the largest of the diagonal where
 * that is not positive); otherwise 0.  O(2^n n^2) for Choquet.
 */
extern void sdc_learned_explain(const SdcLearnedForm *form,
								const double *parameter, double *importance,
								double *interaction);

#endif
