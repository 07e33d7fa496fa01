/*
 * cross_validation.h
 *		Rows predicted by models that have not seen them.
 *
 * What is learned from and what is asked may be two tables (a release, and the
 * people an intruder asks about), whose rows belong to the same folds.
 */
#ifndef SDC_KERNEL_CROSS_VALIDATION_H
#define SDC_KERNEL_CROSS_VALIDATION_H

#include "kernel/model/model.h"

typedef struct SdcCrossValidation
{
	const SdcModelMethod *method;
	const SdcModelSettings *settings;
	int32_t folds;
	/* what is learned from */
	const SdcModelTable *training;
	const int32_t *label; /* SDC_MODEL_NO_LABEL: the row is not learned from */
	int32_t classes;
	const int32_t *training_fold; /* -1: in every training set */
	/* what is asked, with the same columns and codes */
	const SdcModelTable *asked;
	const int32_t *asked_fold; /* -1: the row is not asked */
} SdcCrossValidation;

/*
 * Fits one model for each fold, from all other folds, and predicts the class
 * of the asked rows of that fold into predicted[asked->rows]; -1 for rows that
 * are not asked and where there was no row to learn from.
 */
extern void sdc_cross_validation_predict(SdcHost *host,
										 const SdcCrossValidation *validation,
										 int32_t *predicted);

#endif
