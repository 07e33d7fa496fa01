/*
 * released_order.c
 *		Columns that rise with a linear form of what is known, by any curve.
 *
 * The place of an income and a rent together among those of all, or a tax
 * whose rate rises with both, has the order of their sum.  Each record is
 * given the value of the form that has the same place among the persons as the
 * record has among the records, and the form is fitted to these values, until
 * that does not make it better (Breiman and Friedman 1985).  The curve needs
 * no links: who holds the original file knows the form of every person in it.
 */
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"

/* Rounds, and by what part the spread has to fall in each. */
#define ROUNDS     50
#define LEAST_FALL 0.003

/* Persons by whom the curve is drawn before the last round. */
#define SAMPLE 20000

/* Places of records: what part of those that have a value are below, equal
 * ones half. */
static double *
places_of(SdcHost *host, const SdcStandard *column, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	double *place = sdc_new(host, double, (size_t) n + 1);
	int32_t known;
	int32_t from;
	int32_t to;
	int32_t i;

	for (i = 0; i < n; i++)
		place[i] = sdc_standard_at(column, i);
	known = sdc_sort_numbers(host, place, n, key, row);
	for (i = 0; i < n; i++)
		place[i] = NAN;
	for (from = 0; from < known; from = to)
	{
		for (to = from; to < known && key[to] == key[from]; to++)
			;
		for (i = from; i < to; i++)
			place[row[i]] = ((double) from + to) / 2 / known;
	}
	host->release(host, key);
	host->release(host, row);
	return place;
}

/* What the form is of every step-th person, ascending; returns of how many. */
static int32_t
sort_expected(const SdcLearning *learning, const SdcForm *form, int32_t step,
			  double *expected)
{
	SdcHost *host = learning->intruder->host;
	int32_t persons = learning->intruder->persons;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) persons + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) persons + 1);
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < persons; i += step)
	{
		int32_t person = sdc_random_of_step(i, step, persons);
		double x = sdc_learning_expected(learning, form, person);

		if (!isfinite(x))
			continue;
		key[known] = sdc_sort_key(x);
		row[known++] = person;
	}
	sdc_sort_keys(host, key, row, (size_t) known);
	for (i = 0; i < known; i++)
		expected[i] = sdc_learning_expected(learning, form, row[i]);
	host->release(host, key);
	host->release(host, row);
	return known;
}

/* The value at a place among some that are sorted, between two of them. */
static double
value_at(const double *sorted, int32_t n, double place)
{
	double at = place * n - 0.5;
	int32_t below = (int32_t) floor(at);

	if (below < 0)
		return sorted[0];
	if (below >= n - 1)
		return sorted[n - 1];
	return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

/* Draws the curve by every step-th person; false: the form says the same of
 * all. */
static bool
draw_curve(const SdcLearning *learning, const SdcForm *form, int32_t step,
		   const double *place, double *target)
{
	SdcIntruder *intruder = learning->intruder;
	double *expected =
		sdc_new(intruder->host, double, (size_t) intruder->persons + 1);
	int32_t known = sort_expected(learning, form, step, expected);
	int32_t i;

	for (i = 0; i < intruder->records && known > 0; i++)
		target[i] =
			isnan(place[i]) ? NAN : value_at(expected, known, place[i]);
	intruder->host->release(intruder->host, expected);
	return known > 0 &&
		   sdc_learning_make_standard(target, target, intruder->records);
}

/* Fits and draws in turn; false: there is no such curve. */
static bool
find_curve(const SdcLearning *learning, const double *place, double *target)
{
	SdcIntruder *intruder = learning->intruder;
	int32_t step = 1 + intruder->persons / SAMPLE;
	double before = INFINITY;
	SdcForm with;
	int round;

	if (!sdc_learning_make_standard(target, target, intruder->records))
		return false;
	for (round = 0; round < ROUNDS; round++)
	{
		intruder->host->poll(intruder->host, 0, 0);
		with = sdc_learning_fit(learning);
		if (!(with.spread < (1 - LEAST_FALL) * before))
			break;
		before = with.spread;
		if (!draw_curve(learning, &with, step, place, target))
			return false;
	}
	with = sdc_learning_fit(learning);
	return step == 1 || draw_curve(learning, &with, 1, place, target);
}

double *
sdc_learning_by_order(const SdcLearning *form, SdcLearning *ordered)
{
	SdcIntruder *intruder = form->intruder;
	SdcHost *host = intruder->host;
	double *place =
		places_of(host, &form->record[form->beside], intruder->records);
	double *target = sdc_new(host, double, (size_t) intruder->records + 1);
	bool found;

	*ordered = *form;
	ordered->beside = 0;
	ordered->by_order = true;
	ordered->target = ordered->record[0] = ordered->shown[0] =
		sdc_standard_kept(target);
	memcpy(target, place, sizeof(double) * (size_t) intruder->records);
	found = find_curve(ordered, place, target);
	host->release(host, place);
	if (found)
		return target;
	host->release(host, target);
	return NULL;
}
