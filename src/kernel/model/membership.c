/*
 * membership.c
 *		Who was among the training rows, told by how sure a model is.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/arena.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/membership.h"
#include "kernel/model/model.h"

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
