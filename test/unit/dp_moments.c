/*
 * dp_moments.c
 *		Private mean and variance: exact sums, sensitivity, figures.
 */
#include "unit.h"

#include <float.h>

#include "dp_stream.h"
#include "kernel/base/random.h"
#include "kernel/privacy/dp_moments.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

#define ROWS 2000

static void
fill(SdcDpMoments *moments, const double *value, int count)
{
	int i;

	for (i = 0; i < count; i++)
		sdc_dp_moments_add(moments, value[i]);
}

static bool
same_sums(const SdcDpMoments *a, const SdcDpMoments *b)
{
	return a->count == b->count && a->first == b->first &&
		   a->second == b->second;
}

static void
check_figures(SdcStrongBits *bits)
{
	double value[ROWS];
	double mean = 0;
	double square = 0;
	SdcDpMoments a;
	SdcDpMoments b;
	SdcRandom random;
	double variance;
	double deviation;
	int i;

	sdc_random_seed(&random, 5, 0);
	for (i = 0; i < ROWS; i++)
		value[i] = 50 + 20 * sdc_random_normal(&random);
	sdc_dp_moments_start(&a, 0, 100, 2, SDC_NEIGHBOURS_ADD_REMOVE, 1024);
	b = a;
	fill(&a, value, ROWS);
	for (i = ROWS - 1; i >= 0; i--)
		sdc_dp_moments_add(&b, value[i]);
	unit_check(same_sums(&a, &b), "sums do not depend on the order");
	for (i = 0; i < ROWS; i++)
	{
		double clipped = fmin(fmax(value[i], 0), 100);

		mean += clipped / ROWS;
		square += clipped * clipped / ROWS;
	}
	variance = sdc_dp_moments_variance(&a, bits);
	deviation = sdc_dp_moments_deviation(&a, bits);
	/* epsilon 1024: noise of scale 3/1024 in 2000, bounds 100 apart */
	unit_check(fabs(sdc_dp_moments_mean(&a, bits) - mean) < 0.01, "mean");
	unit_check(fabs(variance - (square - mean * mean)) < 0.5, "variance");
	unit_check(fabs(deviation * deviation - variance) < 0.5, "deviation");
}

static void
check_edges(SdcStrongBits *bits)
{
	const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 4.9e-324, DBL_MAX};
	SdcDpMoments moments;
	bool inside = true;
	int i;

	sdc_dp_moments_start(&moments, -DBL_MAX, DBL_MAX, 2,
						 SDC_NEIGHBOURS_REPLACE, 0x1p-30);
	fill(&moments, odd, 6);
	unit_check(moments.count == 5, "NaN is left out, infinity clipped");
	for (i = 0; i < 100; i++)
		inside = inside && isfinite(sdc_dp_moments_mean(&moments, bits)) &&
				 isfinite(sdc_dp_moments_variance(&moments, bits)) &&
				 isfinite(sdc_dp_moments_deviation(&moments, bits));
	unit_check(inside, "the widest bounds: always finite");
	sdc_dp_moments_start(&moments, 2, 5, 2, SDC_NEIGHBOURS_ADD_REMOVE, 0.1);
	for (i = 0; i < 1000; i++)
	{
		double mean = sdc_dp_moments_mean(&moments, bits);
		double variance = sdc_dp_moments_variance(&moments, bits);

		inside = inside && mean >= 2 && mean <= 5 && variance >= 0 &&
				 variance <= 2.25;
	}
	unit_check(inside, "no rows: within the bounds");
	sdc_dp_moments_start(&moments, 3, 3, 1, SDC_NEIGHBOURS_ADD_REMOVE, 0.1);
	fill(&moments, odd, 6);
	unit_check(sdc_dp_moments_mean(&moments, bits) == 3, "equal bounds");
	sdc_dp_moments_start(&moments, 0, 4.9e-324, 1, SDC_NEIGHBOURS_REPLACE, 1);
	fill(&moments, odd, 6);
	unit_check(sdc_dp_moments_mean(&moments, bits) <= 4.9e-324,
			   "the least bounds");
}

/* What one value more, or another value, changes: at most the noise's. */
static void
check_sensitivity(void)
{
	const double value[] = {-1e300, -2, -1.3, 0, 0.1, 1.99, 2, 1e300};
	const double epsilons[] = {0x1p-30, 0.01, 1, 3.3, 1024};
	int e;
	int i;
	int j;

	for (e = 0; e < 5; e++)
	{
		SdcDpMoments added;
		SdcDpMoments replaced;
		bool kept = true;
		SdcInt128 one;
		double epsilon;

		sdc_dp_moments_start(&added, -2, 2, 2, SDC_NEIGHBOURS_ADD_REMOVE,
							 epsilons[e]);
		sdc_dp_moments_start(&replaced, -2, 2, 2, SDC_NEIGHBOURS_REPLACE,
							 epsilons[e]);
		one = (SdcInt128) 1 << added.bits;
		for (i = 0; i < 8; i++)
			for (j = 0; j < 8; j++)
			{
				SdcDpMoments a = added;
				SdcDpMoments b = added;

				sdc_dp_moments_add(&a, value[i]);
				sdc_dp_moments_add(&b, value[j]);
				kept = kept && a.first <= one && a.first >= -one &&
					   a.second <= one && a.second >= -one &&
					   a.first - b.first <= 2 * one &&
					   a.second - b.second <= 2 * one;
			}
		unit_check(kept, "epsilon %g: changes", epsilons[e]);
		/* what the three figures cost together */
		epsilon = 2 * ldexp((double) one, (int) added.noise.shift) /
					  (double) added.noise.numerator +
				  ldexp(1, (int) added.count_noise.shift) /
					  (double) added.count_noise.numerator;
		unit_check(epsilon <= epsilons[e] * (1 + 1e-15) &&
					   epsilon >= epsilons[e] * (1 - 0x1p-39),
				   "epsilon %g is shared out", epsilons[e]);
		epsilon = 4 * ldexp((double) one, (int) replaced.noise.shift) /
					  (double) replaced.noise.numerator +
				  ldexp(1, (int) replaced.count_noise.shift) /
					  (double) replaced.count_noise.numerator;
		unit_check(epsilon <= epsilons[e] * (1 + 1e-15),
				   "epsilon %g is shared out, replace", epsilons[e]);
	}
}

/* Moments of parts, added up, are those of all. */
static void
check_merge(void)
{
	SdcDpMoments whole;
	SdcDpMoments part[3];
	int i;

	sdc_dp_moments_start(&whole, -5, 9, 2, SDC_NEIGHBOURS_ADD_REMOVE, 0.7);
	for (i = 0; i < 3; i++)
		part[i] = whole;
	for (i = 0; i < 1000; i++)
	{
		double value = 0.37 * (i % 41) - 6;

		sdc_dp_moments_add(&whole, value);
		sdc_dp_moments_add(&part[i % 7 % 3], value);
	}
	sdc_dp_moments_merge(&part[2], &part[0]);
	sdc_dp_moments_merge(&part[2], &part[1]);
	unit_check(same_sums(&part[2], &whole), "parts add up to the whole");
}

int
main(void)
{
	SdcStrongBits bits;

	unit_start("dp_moments");
	check_merge();
	dp_stream(&bits, 9);
	check_figures(&bits);
	check_edges(&bits);
	check_sensitivity();
	return unit_finish();
}
