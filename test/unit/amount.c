/*
 * amount.c
 *		Amounts, factors and steps that are drawn are found again, and nothing
 *		else is one; codes are those of a comparison of all pairs.
 */
#include <math.h>
#include <string.h>

#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/intruder/amount.h"

#define PAIRS 300
#define CASES 200
#define CODES 60

static SdcRandom random_state;

static double
draw(double below)
{
	return sdc_random_unit(&random_state) * below;
}

static double
pick(const double *of, int count)
{
	return of[sdc_random_below(&random_state, (uint64_t) count)];
}

/* Numbers of two digits behind the point that belong together. */
typedef struct Case
{
	double x[PAIRS];
	double y[PAIRS];
	SdcLinkedNumbers pairs;
} Case;

static void
draw_x(Case *of)
{
	int k;

	of->pairs = (SdcLinkedNumbers){of->x, of->y, PAIRS, 1e-9 * 5000};
	for (k = 0; k < PAIRS; k++)
		of->x[k] = rint(100 * (1000 + draw(4000))) / 100;
}

/* Is a number one of some, but for an error? */
static bool
is_one(double x, const double *of, int count, double error)
{
	int k;

	for (k = 0; k < count; k++)
		if (fabs(x - of[k]) <= error)
			return true;
	return false;
}

/* In how many cases are the amounts that were drawn found, and no others? */
static int
count_amounts(bool times, const double *drawn, int count, double error)
{
	int right = 0;
	int c;
	int k;

	for (c = 0; c < CASES; c++)
	{
		Case of;
		SdcAmounts found;
		bool all;

		draw_x(&of);
		for (k = 0; k < PAIRS; k++)
		{
			double amount = pick(drawn, count);

			of.y[k] =
				times ? rint(100 * of.x[k] * amount) / 100 : of.x[k] + amount;
		}
		all = sdc_amounts_find(unit_host(), &of.pairs, &found) &&
			  found.times == times && found.count == count;
		for (k = 0; all && k < count; k++)
			all = is_one(found.amount[k], drawn, count, error);
		right += all;
	}
	return right;
}

static void
check_amounts(void)
{
	static const double fees[] = {0, 4.5, 17.25, 99};
	static const double parts[] = {1, 0.8, 0.5, 1.0 / 3};

	unit_check(count_amounts(false, fees, 4, 1e-9) == CASES,
			   "fees that are drawn are found");
	/* the root of a sum of squares of cents over 4,000 is below 1e-7 */
	unit_check(count_amounts(true, parts, 4, 1e-6) == CASES,
			   "factors are as exact as those of all pairs that have one");
}

/* What is made of x, but for amounts. */
typedef enum Other
{
	OTHER_NUMBERS,
	OTHER_ERRORS,
	OTHER_LINE,
	OTHERS
} Other;

static double
make_other(Other other, double x)
{
	switch (other)
	{
		case OTHER_NUMBERS:
			return rint(100 * (1000 + draw(4000))) / 100;
		case OTHER_ERRORS:
			return rint(100 * (0.3 * x + draw(1))) / 100;
		default:
			return rint(100 * (x + 150)) / 100;
	}
}

static void
check_nothing(void)
{
	static const char *const name[OTHERS] = {"other numbers", "small errors",
											 "a constant more"};
	int amounts[OTHERS] = {0};
	int steps[OTHERS] = {0};
	int other;
	int c;
	int k;

	for (other = 0; other < OTHERS; other++)
	{
		for (c = 0; c < CASES; c++)
		{
			Case of;
			SdcAmounts found;
			SdcWholeSteps found_steps;

			draw_x(&of);
			for (k = 0; k < PAIRS; k++)
				of.y[k] = make_other((Other) other, of.x[k]);
			amounts[other] += sdc_amounts_find(unit_host(), &of.pairs, &found);
			steps[other] += sdc_steps_find(&of.pairs, &found_steps);
		}
		unit_check(amounts[other] == 0, "%s are no few amounts (%d of %d)",
				   name[other], amounts[other], CASES);
		unit_check(steps[other] == 0, "%s are no steps (%d of %d)",
				   name[other], steps[other], CASES);
	}
}

/* In how many cases is a step found by which all, or most, differ? */
static int
count_steps(double step, double share)
{
	int right = 0;
	int c;
	int k;

	for (c = 0; c < CASES; c++)
	{
		Case of;
		SdcWholeSteps found;
		bool all;

		draw_x(&of);
		for (k = 0; k < PAIRS; k++)
			of.y[k] = of.x[k] + 3 + step * floor(draw(40));
		for (k = 0; k < PAIRS; k++)
			if (draw(1) >= share)
				of.y[k] = make_other(OTHER_NUMBERS, 0);
		all = sdc_steps_find(&of.pairs, &found) &&
			  fabs(found.step - step) < 1e-6;
		right += all && fabs(sdc_steps_left(&found, found.start + step / 2) -
							 sdc_steps_left(&found, 3 + step / 2)) < 1e-6;
	}
	return right;
}

static void
check_steps(void)
{
	unit_check(count_steps(17, 1) == CASES,
			   "a step of all is found by Euclid");
	/* none of five pairs that are tried has it in 1 of 400 cases */
	unit_check(count_steps(100, 0.7) >= CASES - 5,
			   "a usual step of most is found");
	unit_check(count_steps(17, 0.7) == 0,
			   "a step of most that is not usual is none");
}

/* Do two values have one code, by all that lie between them? */
static bool
is_same(const double *value, int i, int j, double same)
{
	double low = fmin(value[i], value[j]);
	double high = fmax(value[i], value[j]);
	bool moved = true;
	int k;

	while (moved && low < high)
	{
		moved = false;
		for (k = 0; k < CODES; k++)
			if (value[k] > low && value[k] - low <= same)
			{
				low = value[k];
				moved = true;
			}
	}
	return low >= high;
}

static void
check_codes(void)
{
	double value[CODES];
	int32_t code[CODES];
	int wrong = 0;
	int c;
	int i;
	int j;

	for (c = 0; c < CASES; c++)
	{
		int32_t codes;

		for (i = 0; i < CODES; i++)
			value[i] = i % 10 == 9 ? NAN : rint(draw(60)) + draw(0.1);
		codes = sdc_same_codes(unit_host(), value, CODES, 0.1, INFINITY, code);
		for (i = 0; i < CODES; i++)
			wrong += isnan(value[i]) ? code[i] != -1
									 : code[i] < 0 || code[i] >= codes;
		for (i = 0; i < CODES; i++)
			for (j = 0; j < CODES; j++)
				if (!isnan(value[i]) && !isnan(value[j]))
					wrong += (code[i] == code[j]) != is_same(value, i, j, 0.1);
	}
	unit_check(wrong == 0, "codes are those of neighbours (%d wrong)", wrong);
}

static void
check_period(void)
{
	static const double value[] = {0, 6.9999999, 3, 6.9999998, 3.5};
	int32_t code[5];
	int32_t codes = sdc_same_codes(unit_host(), value, 5, 1e-6, 7, code);

	unit_check(codes == 3 && code[0] == 0 && code[1] == 0 && code[3] == 0 &&
				   code[2] == 1 && code[4] == 2,
			   "after a period values begin anew");
	codes = sdc_same_codes(unit_host(), value, 5, 1e-6, INFINITY, code);
	unit_check(codes == 4 && code[1] == 3, "without one they do not");
}

/* Four numbers, of which 20 has a fee of 0 or 7 and 27 is 20 with one. */
static void
check_chances(void)
{
	static const double number[] = {10, 20, 27, 40};
	static const int32_t count[] = {0, 3, 1, 4};
	SdcAmounts amounts = {.count = 2, .amount = {0, 7}, .share = {0.5, 0.3}};
	const double usual = 0.8 * (1 - 1e-3);
	double chance[16];
	int wrong = 0;
	int a;
	int b;

	sdc_amounts_chances(&amounts, number, count, 4, 1e-6, chance);
	for (a = 0; a < 4; a++)
	{
		double sum = 0;

		for (b = 0; b < 4; b++)
			sum += chance[a * 4 + b];
		wrong += fabs(sum - 1) > 1e-12;
	}
	unit_check(wrong == 0, "the chances of a number add up to 1");
	unit_check(
		fabs(chance[4 + 1] - usual * 5 / 8 - (1 - usual) * 3 / 8) < 1e-12 &&
			fabs(chance[4 + 2] - usual * 3 / 8 - (1 - usual) / 8) < 1e-12,
		"each amount has its share of them");
	unit_check(fabs(chance[8 + 2] - usual - (1 - usual) / 8) < 1e-12,
			   "an amount whose number no record has is not his");
	unit_check(fabs(chance[0 + 3] - 0.5) < 1e-12,
			   "who can have none is drawn from all");
	unit_check(fabs(sdc_amounts_share(&amounts) - 0.8) < 1e-12,
			   "shares add up");
}

int
main(void)
{
	unit_start("amount");
	sdc_random_seed(&random_state, 49, 0);
	check_amounts();
	check_nothing();
	check_steps();
	check_codes();
	check_period();
	check_chances();
	unit_release_all();
	return unit_finish();
}
