/*
 * dp_stream.h
 *		A fixed stream of bits for the samplers of differential privacy.
 *
 * The product has no way to give one; a program that links the kernels does.
 */
#ifndef SDC_TEST_UNIT_DP_STREAM_H
#define SDC_TEST_UNIT_DP_STREAM_H

#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/privacy/strong_bits.h"
#include "statistics.h"

static SdcRandom dp_random;

static inline void
dp_fill(SdcStrongBits *bits, void *memory, size_t size)
{
	uint64_t *word = memory;
	size_t i;

	(void) bits;
	for (i = 0; i < size / sizeof(uint64_t); i++)
		word[i] = sdc_random_bits(&dp_random);
}

static inline void
dp_stream(SdcStrongBits *bits, uint64_t seed)
{
	sdc_random_seed(&dp_random, seed, 0);
	sdc_strong_bits_start(bits, dp_fill);
}

/*
 * Are counts of 0 .. cells - 1 plausible for these probabilities?  Cells of
 * less than 20 expected draws are joined with their neighbours.
 */
static inline bool
dp_plausible(const double *count, const double *probability, int cells,
			 double draws)
{
	double *observed = calloc(cells, sizeof(double));
	double *expected = calloc(cells, sizeof(double));
	int joined = 0;
	int i;
	bool plausible;

	for (i = 0; i < cells; i++)
	{
		observed[joined] += count[i];
		expected[joined] += probability[i] * draws;
		if (expected[joined] >= 20 && i < cells - 1)
			joined++;
	}
	/* what is left at the end goes to the last full cell */
	if (joined > 0 && expected[joined] < 20)
	{
		observed[joined - 1] += observed[joined];
		expected[joined - 1] += expected[joined];
		joined--;
	}
	plausible = joined > 0 && chi_square(observed, expected, joined + 1) <
								  chi_square_limit(joined);
	free(observed);
	free(expected);
	return plausible;
}

/*
 * The same for draws of integers around 0, with the probability of each;
 * beyond the reach all is one cell on each side.
 */
typedef SdcInt128 (*DpDraw)(SdcStrongBits *bits, const void *what);
typedef double (*DpLaw)(long y, const void *what);

static inline bool
dp_follows(SdcStrongBits *bits, DpDraw draw, const void *drawn, DpLaw law,
		   const void *what, long reach, long draws)
{
	int cells = (int) (2 * reach + 3);
	double *count = calloc(cells, sizeof(double));
	double *probability = calloc(cells, sizeof(double));
	double rest = 1;
	bool plausible;
	long i;

	for (i = 0; i < draws; i++)
	{
		SdcInt128 y = draw(bits, drawn);

		y = y > reach ? reach + 1 : y < -reach ? -reach - 1 : y;
		count[y + reach + 1]++;
	}
	for (i = -reach; i <= reach; i++)
	{
		probability[i + reach + 1] = law(i, what);
		rest -= probability[i + reach + 1];
	}
	probability[0] = probability[cells - 1] = rest > 0 ? rest / 2 : 0;
	plausible = dp_plausible(count, probability, cells, draws);
	free(count);
	free(probability);
	return plausible;
}

#endif
