/*
 * membership.h
 *		Who was among the training rows, told by how sure a model is.
 *
 * A model that memorises is surer of the labels it has seen.  The attack says
 * "member" when the probability that the model gives to the true label is at
 * least a threshold, one for each class, learned where membership is known:
 * from shadow models (Shokri, Stronati, Song and Shmatikov 2017; thresholds by
 * class: Song and Mittal 2021).
 */
#ifndef SDC_KERNEL_MEMBERSHIP_H
#define SDC_KERNEL_MEMBERSHIP_H

#include "kernel/base/host.h"

/* What a model says of some rows. */
typedef struct SdcMembershipCases
{
	int32_t count;
	int32_t *label;     /* the true class */
	double *confidence; /* probability that the model gives to it */
	bool *member;       /* was it among the training rows? */
} SdcMembershipCases;

/* Counts of an attack. */
typedef struct SdcMembershipTally
{
	int64_t members;
	int64_t members_claimed;
	int64_t others;
	int64_t others_claimed;
} SdcMembershipTally;

/*
 * Of each class the threshold that makes the difference of the share of
 * members and the share of others at or above it largest, the highest such
 * one; infinite where no threshold makes it positive.  threshold[classes].
 * O(count log count).
 */
extern void sdc_membership_learn(SdcHost *host,
								 const SdcMembershipCases *cases,
								 int32_t classes, double *threshold);

/* Counts what the thresholds claim of the cases.  O(count). */
extern SdcMembershipTally sdc_membership_claim(const SdcMembershipCases *cases,
											   const double *threshold);

#endif
