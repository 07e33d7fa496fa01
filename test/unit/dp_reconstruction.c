/*
 * dp_reconstruction.c
 *		Secret bits from counts of random subsets: exact counts give them all
 *		away, private ones do not (Dinur and Nissim 2003).
 *
 * 200 secret bits, 800 counts of random halves; the attacker solves for the
 * bits by least squares and rounds.  Also the audit of two twins that a test
 * of the distribution alone would not find.
 */
#include "unit.h"

#include "dp_stream.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/strong_bits.h"

#define BITS   200
#define COUNTS 800
#define RUNS   10

static unsigned char asked[COUNTS][BITS];

/* inverse (A'A)^-1 A' of the questions, once for all runs */
static double solver[BITS][COUNTS];

static void
swap_rows(double normal[BITS][2 * BITS], int a, int b)
{
	int j;

	for (j = 0; j < 2 * BITS; j++)
	{
		double kept = normal[a][j];

		normal[a][j] = normal[b][j];
		normal[b][j] = kept;
	}
}

/* Gauss and Jordan with pivots; the right half becomes the inverse. */
static void
invert(double normal[BITS][2 * BITS])
{
	int i;
	int j;
	int k;

	for (i = 0; i < BITS; i++)
	{
		int pivot = i;
		double scale;

		for (j = i + 1; j < BITS; j++)
			if (fabs(normal[j][i]) > fabs(normal[pivot][i]))
				pivot = j;
		swap_rows(normal, i, pivot);
		scale = normal[i][i];
		for (k = 0; k < 2 * BITS; k++)
			normal[i][k] /= scale;
		for (j = 0; j < BITS; j++)
		{
			double factor = normal[j][i];

			for (k = 0; j != i && factor != 0 && k < 2 * BITS; k++)
				normal[j][k] -= factor * normal[i][k];
		}
	}
}

static void
prepare(SdcStrongBits *bits)
{
	static double normal[BITS][2 * BITS];
	int i;
	int j;
	int q;

	for (q = 0; q < COUNTS; q++)
		for (i = 0; i < BITS; i++)
			asked[q][i] = (unsigned char) sdc_strong_bits_below(bits, 2);
	for (i = 0; i < BITS; i++)
	{
		normal[i][BITS + i] = 1;
		for (j = 0; j < BITS; j++)
			for (q = 0; q < COUNTS; q++)
				normal[i][j] += asked[q][i] & asked[q][j];
	}
	invert(normal);
	for (i = 0; i < BITS; i++)
		for (q = 0; q < COUNTS; q++)
			for (j = 0; j < BITS; j++)
				if (asked[q][j])
					solver[i][q] += normal[i][BITS + j];
}

/* The share of bits that are found; epsilon is for all counts, 0: exact. */
static double
attack(SdcStrongBits *bits, double epsilon)
{
	SdcDiscreteLaplace noise = {0, 0};
	long right = 0;
	int run;
	int i;
	int q;

	if (epsilon > 0)
		sdc_discrete_laplace_scale(1, COUNTS, epsilon, &noise);
	for (run = 0; run < RUNS; run++)
	{
		int secret[BITS];
		double answer[COUNTS];

		for (i = 0; i < BITS; i++)
			secret[i] = (int) sdc_strong_bits_below(bits, 2);
		for (q = 0; q < COUNTS; q++)
		{
			answer[q] = (double) sdc_discrete_laplace_draw(bits, &noise);
			for (i = 0; i < BITS; i++)
				answer[q] += asked[q][i] & secret[i];
		}
		for (i = 0; i < BITS; i++)
		{
			double found = 0;

			for (q = 0; q < COUNTS; q++)
				found += solver[i][q] * answer[q];
			right += (found > 0.5) == secret[i];
		}
	}
	return (double) right / (RUNS * BITS);
}

/* How often an event happens with the count n; an event of low digits. */
typedef bool (*Event)(SdcStrongBits *bits, int n);

/* Noise in floating point, as textbooks have it: -scale ln(u), by sign. */
static double
textbook(SdcStrongBits *bits)
{
	double u = ldexp((double) (sdc_strong_bits_draw(bits) >> 11) + 0.5, -53);
	double noise = -log(u) * 3;

	return sdc_strong_bits_draw(bits) & 1 ? noise : -noise;
}

/*
 * Noise above 1/4 and below 1/2 has steps of 2^-54, and n + noise has those
 * of n: for n = 0 half of the answers have a last digit, for n = 1 none.
 */
static bool
has_low_digit(SdcStrongBits *bits, int n)
{
	double answer = n + textbook(bits) - n;
	double digits = ldexp(answer, 53);

	return digits != floor(digits);
}

/* The same question to noise on a grid: 2^-40 of the scale. */
static bool
grid_has_low_digit(SdcStrongBits *bits, int n)
{
	SdcDiscreteLaplace scale;
	SdcInt128 grid = (SdcInt128) 1 << 38;
	SdcInt128 answer;

	sdc_discrete_laplace_scale((uint64_t) grid, 1, 1, &scale);
	answer = n * grid + sdc_discrete_laplace_draw(bits, &scale);
	return answer & 1;
}

/* An aggregate that gives NULL for no rows: the event is "NULL". */
static bool
is_null(SdcStrongBits *bits, int n)
{
	(void) bits;
	return n == 0;
}

/* Ours: an empty table has an answer, of which the event is one value. */
static bool
is_zero(SdcStrongBits *bits, int n)
{
	SdcDiscreteLaplace scale;

	sdc_discrete_laplace_scale(1, 1, 1, &scale);
	return n + sdc_discrete_laplace_draw(bits, &scale) == 0;
}

/*
 * What epsilon the event proves, at least: the log of the ratio of how often
 * it happens for 0 and for 1, at the near ends of its intervals.
 */
static double
proven(SdcStrongBits *bits, Event event)
{
	const int draws = 400000;
	double seen[2] = {0, 0};
	double low;
	double high;
	int n;
	int i;

	for (n = 0; n < 2; n++)
		for (i = 0; i < draws; i++)
			seen[n] += event(bits, n);
	low = fmin(seen[0], seen[1]);
	high = fmax(seen[0], seen[1]);
	low += SIGMAS * SIGMAS + SIGMAS * sqrt(low);
	high -= SIGMAS * sqrt(high);
	return high > low ? log(high / low) : 0;
}

int
main(void)
{
	SdcStrongBits bits;
	double found;

	unit_start("dp_reconstruction");
	dp_stream(&bits, 37);
	prepare(&bits);
	found = attack(&bits, 0);
	unit_check(found >= 0.99, "exact counts give away %.1f %%", 100 * found);
	found = attack(&bits, 1000);
	unit_check(found >= 0.99, "epsilon 1000 does: %.1f %%", 100 * found);
	found = attack(&bits, 100);
	unit_check(found > 0.6 && found < 0.85, "epsilon 100: %.1f %%",
			   100 * found);
	found = attack(&bits, 1);
	unit_check(found <= 0.6, "epsilon 1 does not: %.1f %%", 100 * found);
	found = proven(&bits, has_low_digit);
	unit_check(found > 2, "twin: low digits of floating point prove %.2f",
			   found);
	found = proven(&bits, grid_has_low_digit);
	unit_check(found < 0.1, "audit: those of the grid prove %.2f", found);
	found = proven(&bits, is_null);
	unit_check(found > 9, "twin: NULL for no rows proves %.1f", found);
	found = proven(&bits, is_zero);
	unit_check(found > 0.9 && found <= 1,
			   "audit: an answer for no rows proves %.3f of 1", found);
	return unit_finish();
}
