/*
 * cross_validation.h
 *		Rows predicted by models that have not seen them; who was seen
 *		(membership inference).
 *
 * What is learned from and what is asked may be two tables (a release, and the
 * people an intruder asks about), whose rows belong to the same folds.
 */
#ifndef SDC_KERNEL_CROSS_VALIDATION_H
#define SDC_KERNEL_CROSS_VALIDATION_H

#include <stdint.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/model/model.h"

/* Puts numbers in random order, each order with the same chance. */
extern void sdc_folds_shuffle(int32_t *number, int32_t count,
							  SdcRandom *random);

/*
 * Deals the rows into folds 0 .. folds - 1 whose sizes differ by 1 at the
 * most, each way of doing so with the same chance.  fold[rows].
 */
extern void sdc_folds_deal(SdcHost *host, int32_t rows, int32_t folds,
						   SdcRandom *random, int32_t *fold);

/*
 * Parts rows at random in two halves within each class of label[], which are
 * equally large: half[row] is 0 or 1, or -1 for the row left over of an odd
 * class and for rows without label (negative) or with skip[row].
 */
extern void sdc_folds_halve(SdcHost *host, const int32_t *label, int32_t rows,
							int32_t classes, const bool *skip,
							SdcRandom *random, int32_t *half);

/* A mean, and the interval that it lies in. */
typedef struct SdcInterval
{
	double mean;
	double low;
	double high;
} SdcInterval;

/*
 * The mean of n values (at least 1) and the 95 % interval of Student's t; one
 * value, and values all alike, have no width.
 */
extern SdcInterval sdc_interval_of_mean(const double *value, int32_t n);

/* A column that is to be predicted, as classes. */
typedef struct SdcOutcome
{
	int32_t classes;
	int32_t *label; /* by row; SDC_MODEL_NO_LABEL where NULL */
	double *value;  /* of each class of a number; NULL of a category */
} SdcOutcome;

/*
 * The classes of a column.  Of a category they are its codes; NULL is none.
 * Of a number each value is a class when there are at most bins (>= 1) of
 * them; else bins of equal frequency, where equal values are never parted.
 * O(rows).
 */
extern SdcOutcome sdc_outcome_make(SdcHost *host, const SdcModelColumn *column,
								   int32_t rows, int32_t bins);

/*
 * How many rows are predicted right: predicted[row] is a class of the outcome,
 * or -1 for none, and truth the column that was to be predicted, by the same
 * codes.  A number is right when its class's value is no farther away than
 * tolerance.  A NULL is never right.  O(rows).
 */
extern int32_t sdc_outcome_right(const SdcOutcome *outcome,
								 const int32_t *predicted,
								 const SdcModelColumn *truth, int32_t rows,
								 double tolerance);

/* The standard deviation (n - 1) of a number column; 0 of fewer than two. */
extern double sdc_outcome_deviation(SdcHost *host,
									const SdcModelColumn *column,
									int32_t rows);

/* What is learned from, and who is asked. */
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

/* ----------------------------------------------------------------------
 * Who was among the training rows, told by how sure a model is.
 *
 * A model that memorises is surer of the labels it has seen.  The attack says
 * "member" when the probability that the model gives to the true label is at
 * least a threshold, one for each class, learned where membership is known:
 * from shadow models (Shokri, Stronati, Song and Shmatikov 2017; thresholds by
 * class: Song and Mittal 2021).
 * ----------------------------------------------------------------------
 */

/* What a model says of some rows. */
typedef struct SdcMembershipCases
{
	int32_t count;
	int32_t *label;     /* the true class */
	double *confidence; /* probability that the model gives to it */
	bool *member;       /* was it among the training rows? */
} SdcMembershipCases;

/* Rows that were attacked, and those of them that the attack calls members. */
typedef struct SdcMembershipTally
{
	int64_t members; /* rows that are members */
	int64_t members_claimed;
	int64_t others; /* rows that are not */
	int64_t others_claimed;
} SdcMembershipTally;

/* What is attacked, and with how many models. */
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
