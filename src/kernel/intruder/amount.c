/*
 * amount.c
 *		Numbers that are others and one of few amounts more, one of few times
 *		others, or others and whole steps more.
 *
 * Amounts are those of single pairs, of the largest x first, which tell a
 * factor best; one counts that many pairs have and that little else is near.
 * Steps are found by Euclid, as the greatest common divisor of differences.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/intruder/amount.h"
#include "kernel/intruder/intruder_private.h"
#include "kernel/linear/moments.h"

/* Microseconds, in which times are. */
#define SECOND 1e6
#define HOUR   (3600 * SECOND)
#define DAY    (24 * HOUR)

/* Steps that are tried, the greatest first: of times, dates and amounts. */
static const double usual_steps[] = {
	7 * DAY, DAY, HOUR, 60 * SECOND, SECOND, 10000, 5000, 1000, 500,  100,
	50,      25,  10,   7,           5,      1,     0.5,  0.1,  0.05, 0.01};

/* Different remainders that a step leaves at least. */
#define LEAST_REMAINDERS 20

/* A step is so many times what is the same, at least, and a grid is. */
#define LEAST_STEPS 1000
#define LEAST_GRID  4

/* Of pairs: how many must follow a rule, how often other pairings may for each
 * that does, and how many are tried as the one that others agree with. */
#define LEAST_SHARE  0.5
#define MOST_CHANCES 0.5
#define TRIED        5

/* The share of pairs that have an amount at least, those that may have it for
 * a line to tell less, and how often other pairings may have one. */
#define LEAST_HAVE     0.05
#define MOST_HAVE      0.9
#define MOST_BY_OTHERS 0.2

/* So many times as far from an amount there is little else, or it is none of
 * few, but of errors that the line has. */
#define AROUND 8

/* What is left of a number, 0 to the step. */
static double
remainder_of(double x, double step)
{
	double left = x - step * floor(x / step);

	return left >= step ? 0 : left;
}

/* How far two numbers are from being whole steps apart. */
static double
distance(double x, double y, double step)
{
	double left = remainder_of(x - y, step);

	return fmin(left, step - left);
}

/* ---- Few amounts. ---- */

/* The places of n numbers in ascending order. */
static int32_t *
order_by(SdcHost *host, const double *number, int n)
{
	uint64_t *sorted = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *order = sdc_new(host, int32_t, (size_t) n + 1);

	(void) sdc_sort_numbers(host, number, n, sorted, order);
	host->release(host, sorted);
	return order;
}

static bool
is_on_grid(const SdcLinkedNumbers *pairs, const double *number, double grid)
{
	int k;

	for (k = 0; k < pairs->count; k++)
		if (distance(number[k], 0, grid) > pairs->same)
			return false;
	return true;
}

/* The greatest step of which both are multiples, by Euclid; 0 is of all. */
static double
common_step(const SdcLinkedNumbers *pairs, double a, double b)
{
	while (b > pairs->same)
	{
		double left = distance(a, 0, b);

		a = b;
		b = left;
	}
	return a;
}

/* The greatest step of all differences of ascending numbers; 0: there is
 * none.  Neighbours are not far apart, so divisions lose little. */
static double
step_of_sorted(const SdcLinkedNumbers *pairs, const double *number)
{
	double step = 0;
	int k;

	for (k = 1; k < pairs->count; k++)
	{
		double apart = number[k] - number[k - 1];

		step = common_step(pairs, step, apart);
		if (step > 0 && step < LEAST_GRID * pairs->same)
			return 0;
		/* what is left by divisions is less exact than what was divided */
		if (apart > pairs->same)
			step = apart / rint(apart / step);
	}
	return step;
}

/* The grid that all y are on, whatever the unit; 0: none. */
static double
find_grid(SdcHost *host, const SdcLinkedNumbers *pairs)
{
	size_t n = (size_t) pairs->count;
	double *number = sdc_new(host, double, n + 1);
	double greatest = sdc_greatest_size(pairs->y, n);
	int32_t *order = order_by(host, pairs->y, pairs->count);
	double grid;
	int k;

	for (k = 0; k < pairs->count; k++)
		number[k] = pairs->y[order[k]];
	grid = step_of_sorted(pairs, number);
	if (grid > 0 && greatest > grid)
		grid = greatest / rint(greatest / grid);
	host->release(host, number);
	host->release(host, order);
	return grid > 0 && is_on_grid(pairs, pairs->y, grid) ? grid : 0;
}

/* Does a y come of an x and an amount, or does it so many times as far off? */
static bool
has_amount(const SdcLinkedNumbers *pairs, const SdcAmounts *amounts, int y,
		   int x, double amount, int times_as_far)
{
	double made = amounts->times ? pairs->x[x] * amount : pairs->x[x] + amount;

	return fabs(pairs->y[y] - made) <= times_as_far * amounts->near;
}

/* The amount of a pair; NaN where it is no factor. */
static double
amount_of(const SdcLinkedNumbers *pairs, bool times, int k)
{
	double amount;

	if (!times)
		return pairs->y[k] - pairs->x[k];
	amount = pairs->y[k] / pairs->x[k];
	return amount == 0 || isinf(amount) ? NAN : amount;
}

/* A factor is that of all pairs that have it, by least squares: that of one
 * is only as exact as its y on the grid. */
static double
refine_amount(const SdcLinkedNumbers *pairs, const SdcAmounts *amounts,
			  double amount, const bool *has)
{
	double product = 0;
	double square = 0;
	int k;

	if (!amounts->times)
		return amount;
	for (k = 0; k < pairs->count; k++)
		if (!has[k] && has_amount(pairs, amounts, k, k, amount, 1))
		{
			product += pairs->x[k] * pairs->y[k];
			square += pairs->x[k] * pairs->x[k];
		}
	return square > 0 ? product / square : amount;
}

/* Adds the amount of a pair, if enough have it and none of those before;
 * returns how many have. */
static int
take_amount(SdcAmounts *amounts, const SdcLinkedNumbers *pairs, int pair,
			bool *has)
{
	double amount = refine_amount(pairs, amounts,
								  amount_of(pairs, amounts->times, pair), has);
	int have = 0;
	int around = 0;
	int k;

	for (k = 0; k < pairs->count; k++)
	{
		have += !has[k] && has_amount(pairs, amounts, k, k, amount, 1);
		around += has_amount(pairs, amounts, k, k, amount, AROUND);
	}
	if (isnan(amount) || have < LEAST_HAVE * pairs->count || around > 2 * have)
		return 0;
	for (k = 0; k < pairs->count; k++)
		has[k] = has[k] || has_amount(pairs, amounts, k, k, amount, 1);
	amounts->share[amounts->count] = (double) have / pairs->count;
	amounts->amount[amounts->count++] = amount;
	return have;
}

/* How often an amount makes of an x the y of the next pair. */
static int
count_others(const SdcAmounts *amounts, const SdcLinkedNumbers *pairs)
{
	int others = 0;
	int a;
	int k;

	for (k = 0; k < pairs->count; k++)
		for (a = 0; a < amounts->count; a++)
			others += has_amount(pairs, amounts, k, (k + 1) % pairs->count,
								 amounts->amount[a], 1);
	return others;
}

/* The pairs in the order of the size of x. */
static int32_t *
order_by_size(SdcHost *host, const SdcLinkedNumbers *pairs)
{
	double *size = sdc_new(host, double, (size_t) pairs->count + 1);
	int32_t *order;
	int k;

	for (k = 0; k < pairs->count; k++)
		size[k] = fabs(pairs->x[k]);
	order = order_by(host, size, pairs->count);
	host->release(host, size);
	return order;
}

/* Takes amounts, or factors, and tells whether they are those of the pairs. */
static bool
take_amounts(SdcAmounts *amounts, const SdcLinkedNumbers *pairs,
			 const int32_t *order, bool *has)
{
	int own = 0;
	int most = 0;
	int k;

	amounts->count = 0;
	/* both of two rounded numbers may be off; what is on the grid is not */
	amounts->near = 2 * pairs->same;
	if (amounts->times || !is_on_grid(pairs, pairs->x, amounts->grid))
		amounts->near += amounts->grid;
	memset(has, 0, sizeof(bool) * (size_t) pairs->count);
	for (k = pairs->count - 1; k >= 0 && amounts->count < SDC_AMOUNTS; k--)
		if (!has[order[k]])
		{
			int have = take_amount(amounts, pairs, order[k], has);

			own += have;
			most = have > most ? have : most;
		}
	return own >= LEAST_SHARE * pairs->count &&
		   most <= MOST_HAVE * pairs->count &&
		   count_others(amounts, pairs) <= MOST_BY_OTHERS * own;
}

bool
sdc_amounts_find(SdcHost *host, const SdcLinkedNumbers *pairs,
				 SdcAmounts *amounts)
{
	int32_t *order = order_by_size(host, pairs);
	bool *has = sdc_new(host, bool, (size_t) pairs->count + 1);
	bool found;

	amounts->grid = find_grid(host, pairs);
	amounts->times = false;
	found = take_amounts(amounts, pairs, order, has);
	if (!found)
	{
		amounts->times = true;
		found = take_amounts(amounts, pairs, order, has);
	}
	host->release(host, order);
	host->release(host, has);
	return found;
}

double
sdc_amounts_round(const SdcAmounts *amounts, double y)
{
	return amounts->grid > 0 ? rint(y / amounts->grid) * amounts->grid : y;
}

double
sdc_amounts_apply(const SdcAmounts *amounts, int which, double x)
{
	double amount = amounts->amount[which];

	return sdc_amounts_round(amounts,
							 amounts->times ? x * amount : x + amount);
}

double
sdc_amounts_share(const SdcAmounts *amounts)
{
	double share = 0;
	int a;

	for (a = 0; a < amounts->count; a++)
		share += amounts->share[a];
	return share;
}

/* The place of a number among ascending ones; -1: no record has it. */
static int32_t
place_of(const double *number, const int32_t *count, int32_t codes, double x,
		 double same)
{
	int32_t place = (int32_t) sdc_sort_below(number, (size_t) codes, x - same);

	return place < codes && number[place] <= x + same && count[place] > 0
			   ? place
			   : -1;
}

/* The chances of one number by amounts; returns what is left of 1. */
static double
fill_chances(const SdcAmounts *amounts, const double *number,
			 const int32_t *count, int32_t codes, double same, double x,
			 double *row)
{
	double usual = sdc_amounts_share(amounts) * (1 - SDC_INTRUDER_ERROR);
	int32_t to[SDC_AMOUNTS];
	double share = 0;
	int k;

	for (k = 0; k < amounts->count; k++)
	{
		/* an amount whose number no record has is not his */
		to[k] = place_of(number, count, codes,
						 sdc_amounts_apply(amounts, k, x), same);
		share += to[k] < 0 ? 0 : amounts->share[k];
	}
	for (k = 0; k < amounts->count; k++)
		if (to[k] >= 0)
			row[to[k]] += usual * amounts->share[k] / share;
	return share > 0 ? 1 - usual : 1;
}

void
sdc_amounts_chances(const SdcAmounts *amounts, const double *number,
					const int32_t *count, int32_t codes, double same,
					double *chance)
{
	double all = 0;
	int32_t a;
	int32_t b;

	for (b = 0; b < codes; b++)
		all += count[b];
	for (a = 0; a < codes; a++)
	{
		double *row = chance + (size_t) a * (size_t) codes;
		double rest;

		memset(row, 0, sizeof(double) * (size_t) codes);
		rest =
			fill_chances(amounts, number, count, codes, same, number[a], row);
		for (b = 0; b < codes; b++)
			row[b] += rest * count[b] / all;
	}
}

/* ---- Steps. ---- */

/* The difference of the y of a pair and the x of another one. */
static double
difference(const SdcLinkedNumbers *pairs, int y, int x)
{
	return pairs->y[y] - pairs->x[x];
}

/* The greatest step that all differences are apart; 0: there is none,
 * INFINITY: they are all the same. */
static double
step_of_all(const SdcLinkedNumbers *pairs)
{
	double first = difference(pairs, 0, 0);
	double step = 0;
	int k;

	for (k = 1; k < pairs->count; k++)
	{
		step = common_step(pairs, step, fabs(difference(pairs, k, k) - first));
		if (step > 0 && step < LEAST_STEPS * pairs->same)
			return 0;
	}
	return step > 0 ? step : INFINITY;
}

/* How many differences are whole steps from a start; beside: those with the x
 * of so many pairs later. */
static int
count_same(const SdcLinkedNumbers *pairs, const SdcWholeSteps *steps,
		   int beside)
{
	int same = 0;
	int k;

	for (k = 0; k < pairs->count; k++)
		same += distance(difference(pairs, k, (k + beside) % pairs->count),
						 steps->start, steps->step) <= pairs->same;
	return same;
}

/* Do numbers leave many different remainders?  Few tell little, and numbers of
 * different things may happen to agree in them, as ages and incomes do in
 * being even. */
static bool
leaves_many(const SdcLinkedNumbers *pairs, double step)
{
	double left[LEAST_REMAINDERS];
	int found = 0;
	int k;

	for (k = 0; k < pairs->count && found < LEAST_REMAINDERS; k++)
	{
		int i = 0;

		while (i < found && distance(pairs->x[k], left[i], step) > pairs->same)
			i++;
		if (i == found)
			left[found++] = pairs->x[k];
	}
	return found == LEAST_REMAINDERS;
}

/* Is there a difference, to whole steps, that most pairs have and few other
 * pairings do? */
static bool
find_start(const SdcLinkedNumbers *pairs, double step, SdcWholeSteps *steps)
{
	int k;

	steps->step = step;
	if (step < LEAST_STEPS * pairs->same || !leaves_many(pairs, step))
		return false;
	for (k = 0; k < TRIED && k < pairs->count; k++)
	{
		int own;

		steps->start = difference(pairs, k, k);
		own = count_same(pairs, steps, 0);
		if (own >= LEAST_SHARE * pairs->count)
			return count_same(pairs, steps, 1) <= MOST_CHANCES * own;
	}
	return false;
}

bool
sdc_steps_find(const SdcLinkedNumbers *pairs, SdcWholeSteps *steps)
{
	double step = step_of_all(pairs);
	int k;

	if (isinf(step))
		return false;
	if (find_start(pairs, step, steps))
		return true;
	for (k = 0; k < SDC_LENGTH(usual_steps); k++)
		if (find_start(pairs, usual_steps[k], steps))
			return true;
	return false;
}

double
sdc_steps_left(const SdcWholeSteps *steps, double x)
{
	return remainder_of(x, steps->step);
}

/* ---- Codes. ---- */

int32_t
sdc_same_codes(SdcHost *host, const double *value, int32_t n, double same,
			   double period, int32_t *code)
{
	uint64_t *sorted = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t count = sdc_sort_numbers(host, value, n, sorted, row);
	int32_t codes = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		code[i] = -1;
	for (i = 0; i < count; i++)
	{
		codes += i == 0 || value[row[i]] - value[row[i - 1]] > same;
		code[row[i]] = codes - 1;
	}
	/* the period is 0 again */
	if (codes > 1 && value[row[0]] + period - value[row[count - 1]] <= same)
	{
		codes--;
		for (i = count - 1; i > 0 && code[row[i]] == codes; i--)
			code[row[i]] = 0;
	}
	host->release(host, sorted);
	host->release(host, row);
	return codes;
}
