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
#include "kernel/base/random.h"
#include "kernel/model/model.h"

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

typedef struct SdcShadow
{
	const SdcModelMethod *method;
	const SdcModelSettings *settings;
	const SdcModelTable *table; /* members first, then the others */
	int32_t members;            /* rows */
	const int32_t *label;       /* SDC_MODEL_NO_LABEL: left out */
	int32_t classes;
	int shadows; /* models of each attack, at least 1 */
} SdcShadow;

/* The model under attack: fitted to the members, NULL if none has a label. */
extern SdcModel *sdc_shadow_target(SdcHost *host, const SdcShadow *shadow);

/*
 * The simple attack: "member" where the target predicts the true label; over
 * all rows.
 */
extern SdcMembershipTally
sdc_shadow_by_label(SdcHost *host, const SdcShadow *shadow, SdcModel *target);

/*
 * The attack by shadow models: half of the others, within each class, is the
 * intruder's; his thresholds are tried on the members and on the other half.
 * False when the others are too few: no class with four of them.
 */
extern bool sdc_shadow_attack(SdcHost *host, const SdcShadow *shadow,
							  SdcModel *target, SdcRandom *random,
							  SdcMembershipTally *tally);

#endif
