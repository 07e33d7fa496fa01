/*
 * shadow.h
 *		Membership inference with shadow models.
 *
 * The intruder has other people's data, halves it many times, and trains a
 * shadow model on one half each: there he knows who was a member, and learns
 * how a model gives that away.
 */
#ifndef SDC_KERNEL_SHADOW_H
#define SDC_KERNEL_SHADOW_H

#include "kernel/base/random.h"
#include "kernel/model/membership.h"
#include "kernel/model/model.h"

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
