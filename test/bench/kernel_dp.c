/*
 * kernel_dp.c
 *		Samples per second of the noise of differential privacy.
 *
 * Bits come from a fast fixed stream, so the figures are those of the
 * samplers; the buffer's source costs its own time on top.  The remark gives
 * million draws a second, and how many times as long that is as a textbook
 * draw in floating point, which is not private.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/base/random.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"

#define DRAWS 5000000

static SdcRandom source;
static volatile int64_t sink;
static double textbook;

static void
fill(SdcStrongBits *bits, void *memory, size_t size)
{
	uint64_t *word = memory;
	size_t i;

	(void) bits;
	for (i = 0; i < size / sizeof(uint64_t); i++)
		word[i] = sdc_random_bits(&source);
}

static void
report(const char *what, size_t draws, double seconds)
{
	bench_line("dp", what, draws, 1, seconds, "%.2f M/s; %.2f x textbook",
			   (double) draws / seconds / 1e6,
			   seconds / (double) draws / textbook);
}

static void
run_textbook(void)
{
	double start = bench_start();
	double seconds;
	size_t i;

	for (i = 0; i < DRAWS; i++)
	{
		double x = -log(1 - sdc_random_unit(&source));

		sink = (int64_t) (sdc_random_bits(&source) >> 63 ? -x : x);
	}
	seconds = bench_stop(start);
	textbook = seconds / DRAWS;
	report("textbook Laplace: not private", DRAWS, seconds);
}

static void
run_laplace(SdcStrongBits *bits, const char *what, uint64_t sensitivity,
			double epsilon)
{
	SdcDiscreteLaplace scale;
	double start;
	size_t i;

	sdc_discrete_laplace_scale(sensitivity, 1, epsilon, &scale);
	start = bench_start();
	for (i = 0; i < DRAWS; i++)
		sink = (int64_t) sdc_discrete_laplace_draw(bits, &scale);
	report(what, DRAWS, bench_stop(start));
}

static void
run_gaussian(SdcStrongBits *bits, const char *what, uint64_t sensitivity)
{
	SdcDiscreteGaussian variance;
	double start;
	size_t i;

	sdc_discrete_gaussian_variance(sensitivity, 0.5, &variance);
	start = bench_start();
	for (i = 0; i < DRAWS / 2; i++)
		sink = (int64_t) sdc_discrete_gaussian_draw(bits, &variance);
	report(what, DRAWS / 2, bench_stop(start));
}

/* One median of many values, all in one cell: the most proposals. */
static void
run_median(SdcStrongBits *bits, uint32_t cells)
{
	uint64_t *count = calloc(cells, sizeof(uint64_t));
	SdcDpQuantileFraction half = sdc_dp_quantile_fraction(0.5);
	char what[64];
	double start;
	int i;

	count[cells / 3] = 1000000;
	start = bench_start();
	for (i = 0; i < 20; i++)
		sink = sdc_dp_quantile_choose(bench_host(), bits, count, cells, &half,
									  SDC_NEIGHBOURS_ADD_REMOVE, 1);
	snprintf(what, sizeof(what), "median of %u cells", cells);
	bench_line("dp", what, 20, 1, bench_stop(start), "worst case");
	free(count);
}

int
main(void)
{
	SdcStrongBits bits;

	sdc_random_seed(&source, 1, 0);
	sdc_strong_bits_start(&bits, fill);
	run_textbook();
	run_laplace(&bits, "Laplace whole numbers epsilon 1", 1, 1);
	run_laplace(&bits, "Laplace whole numbers epsilon 0.1", 1, 0.1);
	run_laplace(&bits, "Laplace whole numbers epsilon 10", 1, 10);
	run_laplace(&bits, "Laplace fine grid", (UINT64_C(1) << 40) + 12345, 1);
	run_gaussian(&bits, "Gaussian deviation 1", 1);
	run_gaussian(&bits, "Gaussian fine grid", UINT64_C(1) << 20);
	run_median(&bits, 65536);
	run_median(&bits, 1 << 20);
	return 0;
}
