/*
 * membership.c
 *		Thresholds of the attack by hand, and what goes with it: folds,
 *		outcomes, intervals.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/model/cross_validation.c"
#include "kernel/model/cross_validation.h"
#include "kernel/model/model.h"

static void
check_thresholds(void)
{
	/* class 0: members at .9 .8 .3, others at .8 .2 .1; class 1: the same */
	int32_t label[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
	double confidence[10] = {.9, .8, .3, .8, .2, .1, .5, .5, .5, .5};
	bool member[10] = {true,  true, true,  false, false,
					   false, true, false, true,  false};
	SdcMembershipCases cases = {10, label, confidence, member};
	SdcMembershipTally tally;
	double threshold[3];

	sdc_membership_learn(unit_host(), &cases, 3, threshold);
	unit_check(threshold[0] == .3, "3 of 3 members, 1 of 3 others");
	unit_check(isinf(threshold[1]), "no difference: nothing is claimed");
	unit_check(isinf(threshold[2]), "a class without cases");
	tally = sdc_membership_claim(&cases, threshold);
	unit_check(tally.members == 5 && tally.members_claimed == 3 &&
				   tally.others == 5 && tally.others_claimed == 1,
			   "claims counted");
}

static void
check_outcome(void)
{
	const double number[9] = {5, 1, 2, 2, NAN, 3, 9, 8, 7};
	const int32_t code[3] = {2, SDC_MODEL_NULL, 0};
	SdcModelColumn column = {number, NULL, 0};
	SdcOutcome outcome = sdc_outcome_make(unit_host(), &column, 9, 20);

	unit_check(outcome.classes == 7 && outcome.value[outcome.label[6]] == 9 &&
				   outcome.label[4] == SDC_MODEL_NO_LABEL,
			   "few values: each is a class");
	outcome = sdc_outcome_make(unit_host(), &column, 9, 2);
	unit_check(outcome.classes == 2 && outcome.value[0] == 2 &&
				   outcome.value[1] == 7 && outcome.label[0] == 1 &&
				   outcome.label[5] == 0,
			   "two bins and their lower medians");
	outcome = sdc_outcome_make(unit_host(), &column, 9, 1);
	unit_check(outcome.classes == 1 && outcome.value[0] == 3, "one bin");
	column.number = NULL;
	column.code = code;
	column.values = 3;
	outcome = sdc_outcome_make(unit_host(), &column, 3, 2);
	unit_check(outcome.classes == 3 && outcome.label[0] == 2 &&
				   outcome.label[1] < 0 && outcome.value == NULL,
			   "a category is its codes");
}

static void
check_folds(void)
{
	int32_t fold[103];
	int32_t half[103];
	int32_t label[103];
	int32_t sizes[10] = {0};
	int32_t halves[3][2] = {{0}};
	bool even = true;
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, 4, 0);
	sdc_folds_deal(unit_host(), 103, 10, &random, fold);
	for (i = 0; i < 103; i++)
	{
		sizes[fold[i]]++;
		label[i] = i % 4 - 1;
	}
	for (i = 0; i < 10; i++)
		even = even && sizes[i] >= 10 && sizes[i] <= 11;
	unit_check(even, "folds differ by one row at most");
	sdc_folds_halve(unit_host(), label, 103, 3, NULL, &random, half);
	for (i = 0; i < 103; i++)
		if (half[i] >= 0)
			halves[label[i]][half[i]]++;
	unit_check(halves[0][0] == halves[0][1] && halves[1][0] == halves[1][1] &&
				   halves[2][0] == 12 && halves[2][1] == 12,
			   "halves are equal in every class");
}

static void
check_interval(void)
{
	const double value[4] = {1, 2, 3, 4};
	double many[31];
	SdcInterval interval = sdc_interval_of_mean(value, 4);
	int i;

	/* 3.182446 * sqrt(5/3) / 2 */
	unit_check(interval.mean == 2.5 && fabs(interval.high - 4.554260) < 1e-5 &&
				   fabs(interval.low - 0.445740) < 1e-5,
			   "four values: %.6f to %.6f", interval.low, interval.high);
	interval = sdc_interval_of_mean(value, 1);
	unit_check(interval.low == 1 && interval.high == 1, "one value");
	for (i = 0; i < 31; i++)
		many[i] = i;
	/* t of 30: 2.042272; sd of 0..30 is sqrt(82.666667) */
	interval = sdc_interval_of_mean(many, 31);
	unit_check(fabs(interval.high - 15 - 2.042272 * sqrt(82.66666667 / 31)) <
				   1e-3,
			   "thirty-one values: t of 30 degrees");
}

int
main(void)
{
	unit_start("membership");
	check_thresholds();
	check_outcome();
	check_folds();
	check_interval();
	return unit_finish();
}
