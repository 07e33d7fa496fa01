/*
 * cross_validation.c
 *		Rows predicted by models that have not seen them; who was seen
 *		(membership inference).
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/model.h"

/* ----------------------------------------------------------------------
 * Rows dealt into parts at random, for cross-validation.
 * ----------------------------------------------------------------------
 */

void
sdc_folds_shuffle(int32_t *number, int32_t count, SdcRandom *random)
{
	int32_t i;

	for (i = count - 1; i > 0; i--)
	{
		int32_t other = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t kept = number[i];

		number[i] = number[other];
		number[other] = kept;
	}
}

/* All row numbers in random order. */
static int32_t *
draw_order(SdcHost *host, int32_t rows, SdcRandom *random)
{
	int32_t *order = sdc_new(host, int32_t, (size_t) rows);
	int32_t i;

	host->poll(host, 0, 0);
	for (i = 0; i < rows; i++)
		order[i] = i;
	sdc_folds_shuffle(order, rows, random);
	return order;
}

void
sdc_folds_deal(SdcHost *host, int32_t rows, int32_t folds, SdcRandom *random,
			   int32_t *fold)
{
	int32_t *order = draw_order(host, rows, random);
	int32_t i;

	for (i = 0; i < rows; i++)
		fold[order[i]] = i % folds;
	host->release(host, order);
}

void
sdc_folds_halve(SdcHost *host, const int32_t *label, int32_t rows,
				int32_t classes, const bool *skip, SdcRandom *random,
				int32_t *half)
{
	int32_t *order = draw_order(host, rows, random);
	/* of each class, the row that waits for a partner */
	int32_t *waiting = sdc_new(host, int32_t, (size_t) classes);
	int32_t c;
	int32_t i;

	for (c = 0; c < classes; c++)
		waiting[c] = -1;
	for (i = 0; i < rows; i++)
	{
		int32_t row = order[i];

		half[row] = -1;
		if (label[row] < 0 || (skip != NULL && skip[row]))
			continue;
		c = label[row];
		if (waiting[c] < 0)
		{
			waiting[c] = row;
			continue;
		}
		half[waiting[c]] = 0;
		half[row] = 1;
		waiting[c] = -1;
	}
	host->release(host, waiting);
	host->release(host, order);
}

/* ----------------------------------------------------------------------
 * The mean of repeated measurements and how far it may be off.
 * ----------------------------------------------------------------------
 */

/* Quantiles 0.975 of Student's t for 1, 2, ... degrees of freedom. */
static const double quantile[] = {12.706205, 4.302653, 3.182446, 2.776445,
								  2.570582,  2.446912, 2.364624, 2.306004,
								  2.262157,  2.228139};

#define TABULATED ((int32_t) (sizeof(quantile) / sizeof(quantile[0])))

/* The same of the normal distribution. */
#define NORMAL 1.959963984540054

/* Beyond the table by the expansion of Cornish and Fisher, to 4 digits. */
static double
student(int32_t freedom)
{
	double z = NORMAL;
	double z3 = z * z * z;
	double z5 = z3 * z * z;
	double n = freedom;

	if (freedom <= TABULATED)
		return quantile[freedom - 1];
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

SdcInterval
sdc_interval_of_mean(const double *value, int32_t n)
{
	SdcInterval result = {0, 0, 0};
	double squares = 0;
	double width = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		result.mean += (value[i] - value[0]) / n;
	result.mean += value[0];
	for (i = 0; i < n; i++)
		squares += (value[i] - result.mean) * (value[i] - result.mean);
	if (n > 1)
		width = student(n - 1) * sqrt(squares / (n - 1) / n);
	result.low = result.mean - width;
	result.high = result.mean + width;
	return result;
}

/* ----------------------------------------------------------------------
 * What a classifier predicts: classes of a category or of a number.
 * ----------------------------------------------------------------------
 */

/* The rows whose number is not NULL, in ascending order of it. */
static int32_t *
sort_numbers(SdcHost *host, const double *number, int32_t rows, int32_t *count)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) rows);
	int32_t *order = sdc_new(host, int32_t, (size_t) rows);

	*count = sdc_sort_numbers(host, number, rows, key, order);
	host->release(host, key);
	return order;
}

/*
 * Numbers the classes of sorted rows: a new one begins with each different
 * value, or only where the next bin of equal frequency is reached, too.
 */
static int32_t
number_classes(SdcHost *host, const double *number, const int32_t *order,
			   int32_t count, int32_t bins, int32_t *label)
{
	int32_t classes = 0;
	int64_t bin = -1;
	int32_t i;

	for (i = 0; i < count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i == 0 || number[order[i]] != number[order[i - 1]])
		{
			int64_t reached = bins == 0 ? classes : (int64_t) i * bins / count;

			classes += reached > bin;
			bin = reached;
		}
		label[order[i]] = classes - 1;
	}
	return classes;
}

/* The lower median of each class of sorted rows. */
static void
find_medians(SdcOutcome *outcome, const double *number, const int32_t *order,
			 int32_t count)
{
	int32_t begin = 0;
	int32_t i;

	for (i = 1; i <= count; i++)
	{
		if (i < count &&
			outcome->label[order[i]] == outcome->label[order[begin]])
			continue;
		outcome->value[outcome->label[order[begin]]] =
			number[order[begin + (i - 1 - begin) / 2]];
		begin = i;
	}
}

static SdcOutcome
make_bins(SdcHost *host, const double *number, int32_t rows, int32_t bins)
{
	SdcOutcome outcome = {0, NULL, NULL};
	int32_t count;
	int32_t *order = sort_numbers(host, number, rows, &count);
	int32_t i;

	outcome.label = sdc_new(host, int32_t, (size_t) rows);
	for (i = 0; i < rows; i++)
		outcome.label[i] = SDC_MODEL_NO_LABEL;
	outcome.classes =
		number_classes(host, number, order, count, 0, outcome.label);
	if (outcome.classes > bins)
		outcome.classes =
			number_classes(host, number, order, count, bins, outcome.label);
	outcome.value = sdc_new(host, double, (size_t) outcome.classes);
	find_medians(&outcome, number, order, count);
	host->release(host, order);
	return outcome;
}

SdcOutcome
sdc_outcome_make(SdcHost *host, const SdcModelColumn *column, int32_t rows,
				 int32_t bins)
{
	SdcOutcome outcome = {column->values, NULL, NULL};

	if (column->number != NULL)
		return make_bins(host, column->number, rows, bins);
	outcome.label = sdc_new(host, int32_t, (size_t) rows);
	if (rows > 0)
		memcpy(outcome.label, column->code, sizeof(int32_t) * (size_t) rows);
	return outcome;
}

int32_t
sdc_outcome_right(const SdcOutcome *outcome, const int32_t *predicted,
				  const SdcModelColumn *truth, int32_t rows, double tolerance)
{
	int32_t right = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		int32_t label = predicted[i];

		if (label < 0)
			continue;
		if (outcome->value == NULL)
			right += truth->code[i] == label;
		else
			right +=
				fabs(truth->number[i] - outcome->value[label]) <= tolerance;
	}
	return right;
}

double
sdc_outcome_deviation(SdcHost *host, const SdcModelColumn *column,
					  int32_t rows)
{
	double *value = sdc_new(host, double, (size_t) rows);
	SdcScale scale;
	size_t n = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
		if (!isnan(column->number[i]))
			value[n++] = column->number[i];
	scale = sdc_scale_find(host, value, n);
	host->release(host, value);
	return sdc_scale_restore(&scale, scale.deviation);
}

/* ----------------------------------------------------------------------
 * Rows predicted by models that have not seen them.
 * ----------------------------------------------------------------------
 */

/* The rows to learn from when a fold is left out; returns how many. */
static int32_t
collect_training(SdcHost *host, const SdcCrossValidation *validation,
				 int32_t fold, int32_t *row)
{
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < validation->training->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) fold, (uint64_t) validation->folds);
		if (validation->label[i] != SDC_MODEL_NO_LABEL &&
			validation->training_fold[i] != fold)
			row[count++] = i;
	}
	return count;
}

static void
predict_fold(SdcHost *host, const SdcCrossValidation *validation, int32_t fold,
			 int32_t *row, int32_t *predicted)
{
	SdcModelTask task = {
		validation->training, validation->label, validation->classes, row, 0,
		validation->settings};
	SdcModel *model;
	int32_t i;

	task.rows = collect_training(host, validation, fold, row);
	if (task.rows == 0)
		return;
	model = sdc_model_fit(host, validation->method, &task);
	for (i = 0; i < validation->asked->rows; i++)
	{
		if (i % 1024 == 0)
			host->poll(host, (uint64_t) fold, (uint64_t) validation->folds);
		if (validation->asked_fold[i] == fold)
			predicted[i] = sdc_model_predict(model, validation->asked, i);
	}
	sdc_model_release(model);
}

void
sdc_cross_validation_predict(SdcHost *host,
							 const SdcCrossValidation *validation,
							 int32_t *predicted)
{
	int32_t *row = sdc_new(host, int32_t, (size_t) validation->training->rows);
	int32_t fold;
	int32_t i;

	for (i = 0; i < validation->asked->rows; i++)
		predicted[i] = -1;
	for (fold = 0; fold < validation->folds; fold++)
		predict_fold(host, validation, fold, row, predicted);
	host->release(host, row);
}

/* ----------------------------------------------------------------------
 * Who was among the training rows, told by how sure a model is.
 * ----------------------------------------------------------------------
 */

/* ----------------------------------------------------------------------
 * Who was among the training rows, told by how sure a model is.
 * ----------------------------------------------------------------------
 */

/* Cases by class, surest first. */
static int32_t *
order_cases(SdcHost *host, const SdcMembershipCases *cases)
{
	size_t count = (size_t) cases->count;
	uint64_t *key = sdc_new(host, uint64_t, count);
	int32_t *order = sdc_new(host, int32_t, count);
	size_t i;

	for (i = 0; i < count; i++)
	{
		order[i] = (int32_t) i;
		key[i] = sdc_sort_key(-cases->confidence[i]);
	}
	sdc_sort_keys(host, key, order, count);
	for (i = 0; i < count; i++)
		key[i] = (uint64_t) cases->label[order[i]];
	sdc_sort_keys(host, key, order, count);
	host->release(host, key);
	return order;
}

/* The best threshold of the cases of one class, which are sorted. */
static double
best_threshold(const SdcMembershipCases *cases, const int32_t *order,
			   int32_t count)
{
	double best = 0;
	double threshold = INFINITY;
	int64_t members = 0;
	int64_t claimed = 0; /* members among the first cases */
	int32_t i;

	for (i = 0; i < count; i++)
		members += cases->member[order[i]];
	for (i = 0; i < count; i++)
	{
		double confidence = cases->confidence[order[i]];
		double gain;

		claimed += cases->member[order[i]];
		if (i + 1 < count && cases->confidence[order[i + 1]] == confidence)
			continue;
		if (members == 0 || members == count)
			break;
		gain = (double) claimed / (double) members -
			   (double) (i + 1 - claimed) / (double) (count - members);
		if (gain > best + 1e-12)
		{
			best = gain;
			threshold = confidence;
		}
	}
	return threshold;
}

/*
 * Of each class the threshold that makes the difference of the share of
 * members and the share of others at or above it largest, the highest such
 * one; infinite where no threshold makes it positive.  threshold[classes].
 * O(count log count).
 */
static void
sdc_membership_learn(SdcHost *host, const SdcMembershipCases *cases,
					 int32_t classes, double *threshold)
{
	int32_t *order = order_cases(host, cases);
	int32_t begin = 0;
	int32_t i;

	for (i = 0; i < classes; i++)
		threshold[i] = INFINITY;
	for (i = 1; i <= cases->count; i++)
	{
		int32_t label = cases->label[order[begin]];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i < cases->count && cases->label[order[i]] == label)
			continue;
		threshold[label] = best_threshold(cases, order + begin, i - begin);
		begin = i;
	}
	host->release(host, order);
}

/* Counts what the thresholds claim of the cases.  O(count). */
static SdcMembershipTally
sdc_membership_claim(const SdcMembershipCases *cases, const double *threshold)
{
	SdcMembershipTally tally = {0, 0, 0, 0};
	int32_t i;

	for (i = 0; i < cases->count; i++)
	{
		bool claimed = cases->confidence[i] >= threshold[cases->label[i]];

		tally.members += cases->member[i];
		tally.others += !cases->member[i];
		tally.members_claimed += cases->member[i] && claimed;
		tally.others_claimed += !cases->member[i] && claimed;
	}
	return tally;
}

/* ----------------------------------------------------------------------
 * Membership inference with shadow models.
 *
 * Halves are drawn within each class, so that how frequent a class is cannot
 * pass for a sign of membership.
 * ----------------------------------------------------------------------
 */

/* Rows whose sides[] is side; returns how many. */
static int32_t
collect(const int32_t *sides, int32_t side, int32_t first, int32_t end,
		int32_t *row)
{
	int32_t count = 0;
	int32_t i;

	for (i = first; i < end; i++)
		if (sides[i] == side)
			row[count++] = i;
	return count;
}

static SdcModel *
fit(SdcHost *host, const SdcShadow *shadow, const int32_t *row, int32_t rows)
{
	SdcModelTask task = {shadow->table, shadow->label, shadow->classes,
						 row,           rows,          shadow->settings};

	return sdc_model_fit(host, shadow->method, &task);
}

SdcModel *
sdc_shadow_target(SdcHost *host, const SdcShadow *shadow)
{
	/* lasts as long as the model */
	int32_t *row = sdc_new(host, int32_t, (size_t) shadow->members);
	int32_t rows = 0;
	int32_t i;

	for (i = 0; i < shadow->members; i++)
		if (shadow->label[i] != SDC_MODEL_NO_LABEL)
			row[rows++] = i;
	return rows == 0 ? NULL : fit(host, shadow, row, rows);
}

SdcMembershipTally
sdc_shadow_by_label(SdcHost *host, const SdcShadow *shadow, SdcModel *target)
{
	SdcMembershipTally tally = {0, 0, 0, 0};
	int32_t i;

	for (i = 0; i < shadow->table->rows; i++)
	{
		bool member = i < shadow->members;
		bool claimed;

		if (i % 1024 == 0)
			host->poll(host, (uint64_t) i, (uint64_t) shadow->table->rows);
		if (shadow->label[i] == SDC_MODEL_NO_LABEL)
			continue;
		claimed =
			sdc_model_predict(target, shadow->table, i) == shadow->label[i];
		tally.members += member;
		tally.others += !member;
		tally.members_claimed += member && claimed;
		tally.others_claimed += !member && claimed;
	}
	return tally;
}

/* Asks a model about a row. */
static void
add_case(const SdcShadow *shadow, SdcModel *model, int32_t row, bool member,
		 SdcMembershipCases *cases)
{
	int32_t label = shadow->label[row];

	(void) sdc_model_predict(model, shadow->table, row);
	cases->label[cases->count] = label;
	cases->confidence[cases->count] = model->probability[label];
	cases->member[cases->count++] = member;
}

static SdcMembershipCases
new_cases(SdcHost *host, size_t room)
{
	SdcMembershipCases cases;

	cases.count = 0;
	cases.label = sdc_new(host, int32_t, room);
	cases.confidence = sdc_new(host, double, room);
	cases.member = sdc_new(host, bool, room);
	return cases;
}

/* One shadow model: what it says of its half and of the other. */
static void
add_shadow(SdcHost *host, const SdcShadow *shadow, const bool *skip,
		   SdcRandom *random, SdcMembershipCases *cases)
{
	int32_t rows = shadow->table->rows;
	int32_t *half = sdc_new(host, int32_t, (size_t) rows);
	int32_t *row = sdc_new(host, int32_t, (size_t) rows);
	SdcModel *model;
	int32_t count;
	int32_t i;

	sdc_folds_halve(host, shadow->label, rows, shadow->classes, skip, random,
					half);
	count = collect(half, 0, 0, rows, row);
	model = fit(host, shadow, row, count);
	for (i = 0; i < rows; i++)
	{
		if (i % 1024 == 0)
			host->poll(host, (uint64_t) i, (uint64_t) rows);
		if (half[i] >= 0)
			add_case(shadow, model, i, half[i] == 0, cases);
	}
	sdc_model_release(model);
	host->release(host, row);
	host->release(host, half);
}

/*
 * Draws the intruder's half of the others: skip[row] is false there.  Returns
 * how many pairs of one class it has.
 */
static int64_t
draw_pool(SdcHost *host, const SdcShadow *shadow, SdcRandom *random,
		  bool *skip)
{
	int32_t rows = shadow->table->rows;
	int32_t *half = sdc_new(host, int32_t, (size_t) rows);
	int64_t *count = sdc_new(host, int64_t, (size_t) shadow->classes);
	int64_t pairs = 0;
	int32_t i;

	memset(count, 0, sizeof(int64_t) * (size_t) shadow->classes);
	for (i = 0; i < rows; i++)
		skip[i] = i < shadow->members;
	sdc_folds_halve(host, shadow->label, rows, shadow->classes, skip, random,
					half);
	for (i = 0; i < rows; i++)
	{
		skip[i] = half[i] != 0;
		if (!skip[i])
			pairs += ++count[shadow->label[i]] % 2 == 0;
	}
	host->release(host, count);
	host->release(host, half);
	return pairs;
}

bool
sdc_shadow_attack(SdcHost *host, const SdcShadow *shadow, SdcModel *target,
				  SdcRandom *random, SdcMembershipTally *tally)
{
	size_t rows = (size_t) shadow->table->rows;
	SdcArena *arena = sdc_arena_create(host);
	bool *skip = sdc_new(&arena->host, bool, rows);
	double *threshold =
		sdc_new(&arena->host, double, (size_t) shadow->classes);
	int64_t pairs = draw_pool(&arena->host, shadow, random, skip);
	SdcMembershipCases cases;
	int32_t i;
	int s;

	if (pairs > 0)
	{
		cases = new_cases(&arena->host, 2 * (size_t) pairs * shadow->shadows);
		for (s = 0; s < shadow->shadows; s++)
			add_shadow(&arena->host, shadow, skip, random, &cases);
		sdc_membership_learn(&arena->host, &cases, shadow->classes, threshold);
		cases = new_cases(&arena->host, rows);
		for (i = 0; i < shadow->table->rows; i++)
			if (skip[i] && shadow->label[i] != SDC_MODEL_NO_LABEL)
				add_case(shadow, target, i, i < shadow->members, &cases);
		*tally = sdc_membership_claim(&cases, threshold);
	}
	sdc_arena_end(arena);
	return pairs > 0;
}
