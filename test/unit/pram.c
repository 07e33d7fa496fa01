/*
 * pram.c
 *		Post-randomisation: transition frequencies and the invariant
 *		distribution.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/mask/pram.h"
#include "statistics.h"

#define LEVELS 4

/* Ranks of the four levels: 10, 20, 30 and 40 percent. */
static int
level_of(int32_t rank, int32_t n)
{
	int64_t share = (int64_t) rank * 10 / n;

	return share < 1 ? 0 : share < 3 ? 1 : share < 6 ? 2 : 3;
}

static void
check_transitions(double p)
{
	const int32_t n = 1000000;
	const double frequency[LEVELS] = {0.1, 0.2, 0.3, 0.4};
	double observed[LEVELS][LEVELS] = {{0}};
	double expected[LEVELS];
	double after[LEVELS] = {0};
	int32_t *from = malloc(n * sizeof(int32_t));
	bool inside = true;
	double variance = 0;
	SdcRandom random;
	int32_t i;
	int k;
	int l;

	sdc_random_seed(&random, 21, (uint64_t) (p * 1000));
	sdc_pram_draw(unit_host(), n, p, &random, from);
	for (i = 0; i < n; i++)
	{
		inside = inside && from[i] >= 0 && from[i] < n;
		observed[level_of(i, n)][level_of(from[i], n)]++;
	}
	unit_check(inside, "p = %g: ranks", p);
	for (k = 0; k < LEVELS; k++)
	{
		for (l = 0; l < LEVELS; l++)
		{
			expected[l] =
				n * frequency[k] * ((k == l ? p : 0) + (1 - p) * frequency[l]);
			after[l] += observed[k][l];
		}
		unit_check(chi_square(observed[k], expected, LEVELS) <
					   chi_square_limit(LEVELS - 1),
				   "p = %g, level %d: p I + (1 - p) v'", p, k);
	}
	for (l = 0; l < LEVELS; l++)
	{
		double share = frequency[l];

		/* only the 1 - p that are drawn again vary */
		variance = 2 * n * (1 - p) * share * (1 - share);
		unit_check(fabs(after[l] - n * share) <= SIGMAS * sqrt(variance),
				   "p = %g, level %d: frequency %g is invariant", p, l,
				   after[l] / n);
	}
	free(from);
}

/* ---------------------------------------------------------------------------
 * A matrix that is given.
 */

#define CATEGORIES 5

/* Rows of random chances, the diagonal the greatest; the last stays. */
static void
draw_matrix(SdcRandom *random, double *chance)
{
	int a;
	int b;

	for (a = 0; a < CATEGORIES; a++)
	{
		double sum = 0;

		for (b = 0; b < CATEGORIES; b++)
		{
			double *cell = &chance[a * CATEGORIES + b];

			*cell = a == CATEGORIES - 1 ? a == b
					: (a + b) % 4 == 1
						? 0
						: sdc_random_unit(random) + (a == b ? CATEGORIES : 0);
			sum += *cell;
		}
		for (b = 0; b < CATEGORIES; b++)
			chance[a * CATEGORIES + b] /= sum;
	}
}

static void
check_matrix(const double *chance, const int32_t *code, int32_t n)
{
	double observed[CATEGORIES][CATEGORIES] = {{0}};
	double expected[CATEGORIES];
	double count[CATEGORIES] = {0};
	int32_t *masked = malloc(n * sizeof(int32_t));
	SdcRandom random;
	int32_t i;
	int a;
	int b;

	sdc_random_seed(&random, 22, 0);
	sdc_pram_transit(unit_host(), CATEGORIES, chance, code, n, &random,
					 masked);
	for (i = 0; i < n; i++)
	{
		observed[code[i]][masked[i]]++;
		count[code[i]]++;
	}
	for (a = 0; a < CATEGORIES; a++)
	{
		for (b = 0; b < CATEGORIES; b++)
			expected[b] = count[a] * chance[a * CATEGORIES + b];
		unit_check(chi_square(observed[a], expected, CATEGORIES) <
					   chi_square_limit(CATEGORIES - 1),
				   "matrix, row %d: drawn by its chances", a);
	}
	free(masked);
}

/* Bayes by hand, and that the counts are kept. */
static void
check_invariant(const double *chance, const double *count)
{
	double made[CATEGORIES * CATEGORIES];
	double worst = 0;
	double moved = 0;
	int a;
	int b;
	int c;
	int d;

	sdc_pram_invariant(unit_host(), CATEGORIES, chance, count, made);
	for (a = 0; a < CATEGORIES; a++)
		for (b = 0; b < CATEGORIES; b++)
		{
			double way = count[a] > 0 ? 0 : a == b;

			for (c = 0; c < CATEGORIES && count[a] > 0; c++)
			{
				double all = 0;

				for (d = 0; d < CATEGORIES; d++)
					all += count[d] * chance[d * CATEGORIES + c];
				if (all > 0)
					way += chance[a * CATEGORIES + c] * count[b] *
						   chance[b * CATEGORIES + c] / all;
			}
			worst = fmax(worst, fabs(way - made[a * CATEGORIES + b]));
		}
	unit_check(worst < 1e-12, "invariant: there and back (%.2g)", worst);
	for (b = 0; b < CATEGORIES; b++)
	{
		double after = 0;

		for (a = 0; a < CATEGORIES; a++)
			after += count[a] * made[a * CATEGORIES + b];
		moved = fmax(moved, fabs(after - count[b]));
	}
	unit_check(moved < 1e-9, "invariant: counts are kept (%.2g)", moved);
}

/*
 * Estimates of many maskings of the same counts: their mean is the truth, and
 * their variance is on average what is said.
 */
static void
check_estimate(const double *chance, const int32_t *code, int32_t n,
			   bool invariant)
{
	const int runs = 2000;
	double truth[CATEGORIES] = {0};
	double sum[CATEGORIES] = {0};
	double square[CATEGORIES] = {0};
	double said[CATEGORIES] = {0};
	double used[CATEGORIES * CATEGORIES];
	int32_t *masked = malloc(n * sizeof(int32_t));
	bool found = true;
	SdcRandom random;
	int32_t i;
	int a;
	int run;

	for (i = 0; i < n; i++)
		truth[code[i]]++;
	memcpy(used, chance, sizeof(used));
	if (invariant)
		sdc_pram_invariant(unit_host(), CATEGORIES, chance, truth, used);
	sdc_random_seed(&random, 23, invariant);
	for (run = 0; run < runs; run++)
	{
		double count[CATEGORIES] = {0};
		double estimate[CATEGORIES];
		double variance[CATEGORIES];

		sdc_pram_transit(unit_host(), CATEGORIES, used, code, n, &random,
						 masked);
		for (i = 0; i < n; i++)
			count[masked[i]]++;
		if (invariant)
		{
			memcpy(estimate, count, sizeof(count));
			sdc_pram_spread(CATEGORIES, used, count, variance);
		}
		else
			found = sdc_pram_estimate(unit_host(), CATEGORIES, chance, count,
									  estimate, variance) &&
					found;
		for (a = 0; a < CATEGORIES; a++)
		{
			sum[a] += estimate[a] - truth[a];
			square[a] += (estimate[a] - truth[a]) * (estimate[a] - truth[a]);
			said[a] += variance[a];
		}
	}
	unit_check(found, "the matrix has an inverse");
	for (a = 0; a < CATEGORIES; a++)
	{
		double deviation = sqrt(said[a] / runs);

		unit_check(fabs(sum[a] / runs) <= SIGMAS * deviation / sqrt(runs),
				   "%s, category %d: no bias (%.2f, +- %.2f)",
				   invariant ? "invariant" : "given", a, sum[a] / runs,
				   deviation / sqrt(runs));
		/* a variance of 2000 runs has a deviation of 3.2 percent */
		unit_check(fabs(square[a] - said[a]) <= 0.16 * said[a] + 1e-9,
				   "%s, category %d: variance %.1f as said %.1f",
				   invariant ? "invariant" : "given", a, square[a] / runs,
				   said[a] / runs);
	}
	free(masked);
	unit_release_all();
}

static void
check_given(void)
{
	const int32_t n = 2000;
	double chance[CATEGORIES * CATEGORIES];
	double count[CATEGORIES] = {0};
	double none[] = {1, 2};
	double singular[] = {0.5, 0.5, 0.5, 0.5};
	double one[] = {1};
	double estimate[2];
	double variance[2];
	int32_t *code = malloc(n * sizeof(int32_t));
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, 24, 0);
	draw_matrix(&random, chance);
	for (i = 0; i < n; i++)
	{
		code[i] = (int32_t) (CATEGORIES * sdc_random_unit(&random) *
							 sdc_random_unit(&random));
		count[code[i]]++;
	}
	check_matrix(chance, code, n);
	check_invariant(chance, count);
	check_estimate(chance, code, n, false);
	check_estimate(chance, code, n, true);
	count[1] = 0;
	check_invariant(chance, count);
	unit_check(
		!sdc_pram_estimate(unit_host(), 2, singular, none, estimate, variance),
		"equal rows have no inverse");
	unit_check(
		sdc_pram_estimate(unit_host(), 1, one, none, estimate, variance) &&
			estimate[0] == 1 && variance[0] == 0,
		"one category stays");
	free(code);
}

int
main(void)
{
	SdcRandom random;
	int32_t from[1] = {5};

	unit_start("pram");
	check_transitions(0);
	check_transitions(0.5);
	check_transitions(0.8);
	check_transitions(1);
	sdc_random_seed(&random, 1, 0);
	sdc_pram_draw(unit_host(), 0, 0.5, &random, from);
	unit_check(from[0] == 5, "no rank");
	sdc_pram_draw(unit_host(), 1, 0, &random, from);
	unit_check(from[0] == 0, "one rank takes from itself");
	check_given();
	return unit_finish();
}
