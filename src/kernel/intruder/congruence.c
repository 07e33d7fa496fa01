/*
 * congruence.c
 *		Whole numbers that are what a division leaves of a line in others.
 *
 * Who multiplies an id by a large number and keeps what is left of a division
 * has a code that looks like chance.  With dx and dy the differences of two
 * pairs from a third, dy = factor dx - k modulus, so the determinant of any
 * two is a multiple of the modulus; the greatest common divisor of all
 * determinants is the modulus itself when they are many.  The factor is
 * solved for by Euclid's method then.
 */
#include "kernel/intruder/congruence.h"

typedef __int128 Long;

static Long
greatest_divisor(Long a, Long b)
{
	while (b != 0)
	{
		Long rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* Are all numbers within the limits?  The greatest y in *most. */
static bool
within(const int64_t *x, const int64_t *y, int n, int64_t *most)
{
	int i;

	*most = 0;
	for (i = 0; i < n; i++)
	{
		if (x[i] <= -SDC_CONGRUENCE_LIMIT || x[i] >= SDC_CONGRUENCE_LIMIT ||
			y[i] < 0 || y[i] >= SDC_CONGRUENCE_LIMIT)
			return false;
		*most = y[i] > *most ? y[i] : *most;
	}
	return n > 2;
}

/* The greatest common divisor of the differences of all from the first. */
static int64_t
find_step(const int64_t *x, int n)
{
	Long step = 0;
	int i;

	for (i = 1; i < n; i++)
		step = greatest_divisor(step, (Long) x[i] - x[0]);
	return (int64_t) step;
}

static Long
find_modulus(const int64_t *x, const int64_t *y, int n, int64_t step)
{
	Long modulus = 0;
	int i;
	int j;

	for (i = 1; i < n; i++)
		for (j = i + 1; j < n; j++)
			modulus = greatest_divisor(
				modulus,
				((Long) y[i] - y[0]) * (((Long) x[j] - x[0]) / step) -
					((Long) y[j] - y[0]) * (((Long) x[i] - x[0]) / step));
	return modulus;
}

/* The factor by which dx becomes dy, where dx and the modulus have no common
 * divisor. */
static int64_t
solve(Long dx, Long dy, Long modulus)
{
	Long a = modulus;
	Long b = (dx % modulus + modulus) % modulus;
	Long of_a = 0;
	Long of_b = 1;
	Long factor;

	while (b != 0)
	{
		Long times = a / b;
		Long rest = a - times * b;
		Long of_rest = of_a - times * of_b;

		a = b;
		b = rest;
		of_a = of_b;
		of_b = of_rest;
	}
	factor = (dy % modulus) * (of_a % modulus) % modulus;
	return (int64_t) (factor < 0 ? factor + modulus : factor);
}

bool
sdc_congruence_find(const int64_t *x, const int64_t *y, int n,
					SdcCongruence *of)
{
	int64_t most;
	Long modulus;
	int i;

	if (!within(x, y, n, &most))
		return false;
	of->origin = x[0];
	of->shift = y[0];
	of->step = find_step(x, n);
	if (of->step == 0)
		return false;
	modulus = find_modulus(x, y, n, of->step);
	if (modulus <= most || modulus >= SDC_CONGRUENCE_LIMIT)
		return false;
	of->modulus = (int64_t) modulus;
	for (i = 1; i < n; i++)
		if (greatest_divisor(modulus, ((Long) x[i] - x[0]) / of->step) == 1)
			break;
	if (i == n)
		return false;
	of->factor =
		solve(((Long) x[i] - x[0]) / of->step, (Long) y[i] - y[0], modulus);
	for (i = 0; i < n; i++)
		if (sdc_congruence_at(of, x[i]) != y[i])
			return false;
	return true;
}

int64_t
sdc_congruence_at(const SdcCongruence *of, int64_t x)
{
	Long from = (Long) x - of->origin;
	Long y;

	if (from % of->step != 0)
		return -1;
	y = (from / of->step % of->modulus * of->factor + of->shift) % of->modulus;
	return (int64_t) (y < 0 ? y + of->modulus : y);
}

bool
sdc_remainder_add(SdcRemainder *of, int64_t x, int64_t y)
{
	uint64_t left = y < 0 ? -(uint64_t) y : (uint64_t) y;

	of->divisor =
		(uint64_t) greatest_divisor((Long) of->divisor, (Long) x - y);
	of->most = left > of->most ? left : of->most;
	of->above = of->above || (x < 0 && y > 0);
	return of->divisor == 0 || of->divisor > of->most;
}
