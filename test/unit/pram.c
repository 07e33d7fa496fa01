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
	return unit_finish();
}
