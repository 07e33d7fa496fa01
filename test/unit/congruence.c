/*
 * congruence.c
 *		Congruences that are drawn are found again, and nothing else is one.
 */
#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/intruder/congruence.h"

#define PAIRS 10
#define CASES 2000

static SdcRandom random_state;

static int64_t
draw(uint64_t limit)
{
	return (int64_t) sdc_random_below(&random_state, limit);
}

/* Pairs of a congruence that is drawn, x being multiples of a step. */
static void
draw_pairs(int64_t modulus, int64_t step, int64_t *x, int64_t *y, int n)
{
	int64_t factor = 1 + draw((uint64_t) modulus - 1);
	int64_t shift = draw((uint64_t) modulus);
	int i;

	for (i = 0; i < n; i++)
	{
		x[i] = step * draw(UINT64_C(1) << 40) - (INT64_C(1) << 38);
		y[i] = (int64_t) ((((__int128) x[i] * factor + shift) % modulus +
						   modulus) %
						  modulus);
	}
}

/* How many of the cases are found, so that they hold for pairs that were not
 * shown. */
static int
count_found(int64_t modulus, int64_t step)
{
	int found = 0;
	int k;

	for (k = 0; k < CASES; k++)
	{
		int64_t x[2 * PAIRS];
		int64_t y[2 * PAIRS];
		SdcCongruence of;
		bool holds;
		int i;

		draw_pairs(modulus, step, x, y, 2 * PAIRS);
		holds = sdc_congruence_find(x, y, PAIRS, &of);
		for (i = 0; holds && i < 2 * PAIRS; i++)
			holds = sdc_congruence_at(&of, x[i]) == y[i];
		found += holds;
	}
	return found;
}

static void
test_found(void)
{
	/* of ten pairs one in 200 has another divisor in common; a modulus that
	 * has small divisors may leave no difference without one */
	unit_check(count_found(1000003, 1) >= 0.98 * CASES,
			   "a prime modulus is found in 98 of 100 cases");
	unit_check(count_found(INT64_C(1) << 32, 1) >= 0.98 * CASES,
			   "two to the 32nd, too");
	unit_check(count_found(INT64_C(1) << 61, 1) >= 0.98 * CASES,
			   "and two to the 61st");
	unit_check(count_found(1000000, 4) >= 0.95 * CASES,
			   "numbers that lie in steps");
}

/* Numbers that are drawn follow none, nor does what lies in a line. */
static void
test_none(void)
{
	int64_t x[PAIRS];
	int64_t y[PAIRS];
	SdcCongruence of;
	int found = 0;
	int k;
	int i;

	for (k = 0; k < CASES; k++)
	{
		for (i = 0; i < PAIRS; i++)
		{
			x[i] = draw(1000000);
			y[i] = draw(1000000);
		}
		found += sdc_congruence_find(x, y, PAIRS, &of);
	}
	unit_check(found == 0, "numbers that are drawn follow none");
	for (i = 0; i < PAIRS; i++)
		y[i] = 3 * x[i] + 5;
	unit_check(!sdc_congruence_find(x, y, PAIRS, &of), "a line is none");
	for (i = 0; i < PAIRS; i++)
		x[i] = 7;
	unit_check(!sdc_congruence_find(x, y, PAIRS, &of), "one x is none");
}

/* What is beyond the limits is in no congruence. */
static void
test_limits(void)
{
	int64_t x[PAIRS];
	int64_t y[PAIRS];
	SdcCongruence of;

	draw_pairs(1000003, 1, x, y, PAIRS);
	unit_check(!sdc_congruence_find(x, y, 2, &of), "two pairs are too few");
	x[3] = INT64_MIN;
	unit_check(!sdc_congruence_find(x, y, PAIRS, &of),
			   "the least number is beyond");
	x[3] = INT64_MAX;
	unit_check(!sdc_congruence_find(x, y, PAIRS, &of), "the greatest, too");
	draw_pairs(1000003, 1, x, y, PAIRS);
	y[0] = -1;
	unit_check(!sdc_congruence_find(x, y, PAIRS, &of), "no y is negative");
	draw_pairs(1000003, 2, x, y, PAIRS);
	unit_check(sdc_congruence_find(x, y, PAIRS, &of), "steps are taken");
	unit_check(sdc_congruence_at(&of, x[0] + 1) == -1 || of.step == 1,
			   "between steps there is nothing");
	unit_check(sdc_congruence_at(&of, INT64_MIN) < of.modulus,
			   "the least number has an image");
	unit_check(sdc_congruence_at(&of, INT64_MAX) < of.modulus,
			   "and the greatest one");
}

/* The modulus of what is left of drawn numbers, or a multiple of it; of all of
 * them when nothing was divided, and none where they are drawn, too. */
static void
test_remainder(void)
{
	SdcRemainder of = {0};
	SdcRemainder same = {0};
	SdcRemainder none = {0};
	SdcRemainder extremes = {0};
	bool left = true;
	int k;

	for (k = 0; k < 3 * PAIRS; k++)
	{
		int64_t x = draw(UINT64_C(1) << 62) - (INT64_C(1) << 61);
		int64_t y = x % 9973;

		left = left && sdc_remainder_add(&of, x, y < 0 ? y + 9973 : y) &&
			   sdc_remainder_add(&same, x, x);
		(void) sdc_remainder_add(&none, x, draw(9973));
	}
	unit_check(left && of.divisor == 9973 && of.above,
			   "what is left of negative numbers, too");
	unit_check(same.divisor == 0 && !same.above, "nothing is divided");
	unit_check(none.divisor <= none.most, "what is drawn is left of nothing");
	unit_check(sdc_remainder_add(&extremes, INT64_MIN, INT64_MAX) &&
				   extremes.divisor == UINT64_MAX,
			   "the least number and the greatest one");
	unit_check(!sdc_remainder_add(&extremes, INT64_MIN, INT64_MIN + 1),
			   "one divides all, and leaves nothing");
}

int
main(void)
{
	unit_start("congruences");
	sdc_random_seed(&random_state, 11, 0);
	test_found();
	test_none();
	test_limits();
	test_remainder();
	return unit_finish();
}
