/*
 * dominance.c
 *		Points that are dominated against the definition, pair by pair.
 */
#include "unit.h"

#include <math.h>

#include "kernel/base/random.h"
#include "kernel/utility/dominance.h"

#define POINTS 300

static bool
dominates(const double *risk, const double *loss, int32_t a, int32_t b)
{
	return risk[a] <= risk[b] && loss[a] <= loss[b] &&
		   (risk[a] < risk[b] || loss[a] < loss[b]);
}

/* The point that the header promises to name. */
static int32_t
find_slowly(const double *risk, const double *loss, int32_t n, int32_t of)
{
	int32_t best = SDC_DOMINANCE_NONE;
	int32_t i;

	for (i = 0; i < n; i++)
		if (dominates(risk, loss, i, of) &&
			(best == SDC_DOMINANCE_NONE || loss[i] < loss[best] ||
			 (loss[i] == loss[best] && risk[i] < risk[best])))
			best = i;
	return best;
}

static void
check_known(void)
{
	const double risk[6] = {1, 2, 3, 2, 1, NAN};
	const double loss[6] = {5, 3, 4, 3, 6, 0};
	const int32_t expected[6] = {-1, -1, 1, -1, 0, -1};
	int32_t by[6];
	int32_t i;

	sdc_dominance_find(unit_host(), risk, loss, 6, by);
	for (i = 0; i < 6; i++)
		unit_check(by[i] == expected[i], "point %d by hand: %d", i, by[i]);
}

/* Small numbers of values give ties; missing is the share of NaNs. */
static void
check_random(uint64_t seed, int32_t n, uint32_t values, double missing)
{
	double risk[POINTS];
	double loss[POINTS];
	int32_t by[POINTS];
	int32_t wrong = 0;
	int32_t dominated = 0;
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < n; i++)
	{
		risk[i] = sdc_random_below(&random, values);
		loss[i] = sdc_random_below(&random, values);
		if (sdc_random_unit(&random) < missing)
			risk[i] = NAN;
		if (sdc_random_unit(&random) < missing)
			loss[i] = NAN;
	}
	sdc_dominance_find(unit_host(), risk, loss, n, by);
	for (i = 0; i < n; i++)
	{
		wrong += by[i] != find_slowly(risk, loss, n, i);
		dominated += by[i] != SDC_DOMINANCE_NONE;
		if (by[i] != SDC_DOMINANCE_NONE)
			wrong += by[by[i]] != SDC_DOMINANCE_NONE;
	}
	unit_check(wrong == 0, "%d points of %u values: %d dominated, %d wrong", n,
			   values, dominated, wrong);
}

int
main(void)
{
	uint64_t seed;

	unit_start("dominance");
	check_known();
	check_random(1, 0, 5, 0);
	check_random(2, 1, 5, 0);
	check_random(3, 1, 5, 1);
	for (seed = 4; seed < 24; seed++)
		check_random(seed, POINTS - (int32_t) seed, seed % 2 ? 6 : 1000,
					 seed % 3 * 0.1);
	check_random(24, POINTS, 1, 0);
	check_random(25, POINTS, 10, 1);
	unit_release_all();
	return unit_finish();
}
