/*
 * dp_moments.c
 *		Mean, variance and standard deviation under differential privacy.
 *
 * See dp_moments.h.  Sums are exact integers on a grid of powers of two;
 * floating point comes before, for one record at a time, and after the noise.
 */
#include "kernel/privacy/dp_moments.h"

#include <float.h>
#include <math.h>

#include "kernel/privacy/dyadic.h"
#include "kernel/privacy/discrete_laplace.h"
#include "kernel/privacy/neighbours.h"
#include "kernel/privacy/strong_bits.h"

/* Steps of the grid, as a power of two, within the scale of the noise. */
#define FINE 40

void
sdc_dp_moments_start(SdcDpMoments *moments, double lower, double upper,
					 int order, SdcNeighbours neighbours, double epsilon)
{
	unsigned parts = order + 1;
	uint64_t sensitivity;

	moments->lower = lower;
	moments->upper = upper;
	moments->order = order;
	moments->bits = FINE - sdc_dyadic_log2_ratio(1, epsilon);
	sensitivity = UINT64_C(1) << moments->bits;
	if (neighbours == SDC_NEIGHBOURS_REPLACE)
		sensitivity *= 2;
	/* at most 51 bits over an epsilon of their size: never too large */
	sdc_discrete_laplace_scale(sensitivity, parts, epsilon, &moments->noise);
	sdc_discrete_laplace_scale(1, parts, epsilon, &moments->count_noise);
	moments->count = 0;
	moments->first = 0;
	moments->second = 0;
}

static double
clip(double value, double lower, double upper)
{
	return value < lower ? lower : value > upper ? upper : value;
}

void
sdc_dp_moments_add(SdcDpMoments *moments, double value)
{
	/* halves: the width of the range may not fit a double */
	double middle = moments->lower / 2 + moments->upper / 2;
	double half = moments->upper / 2 - moments->lower / 2;
	double one = (double) (INT64_C(1) << moments->bits);
	double unit;

	if (isnan(value))
		return;
	value = clip(value, moments->lower, moments->upper);
	unit = half > 0 ? clip((value - middle) / half, -1, 1) : 0;
	moments->count++;
	moments->first += (int64_t) rint(unit * one);
	if (moments->order > 1)
		moments->second += (int64_t) rint((2 * unit * unit - 1) * one);
}

/* A noisy sum over a noisy count: a figure of [-1, 1]. */
static double
share(const SdcDpMoments *moments, SdcStrongBits *bits, SdcInt128 sum,
	  SdcInt128 count)
{
	SdcInt128 noisy = sum + sdc_discrete_laplace_draw(bits, &moments->noise);

	return clip(ldexp((double) noisy / (double) count, -moments->bits), -1, 1);
}

static SdcInt128
noisy_count(const SdcDpMoments *moments, SdcStrongBits *bits)
{
	SdcInt128 count = moments->count +
					  sdc_discrete_laplace_draw(bits, &moments->count_noise);

	return count < 1 ? 1 : count;
}

void
sdc_dp_moments_merge(SdcDpMoments *moments, const SdcDpMoments *other)
{
	moments->count += other->count;
	moments->first += other->first;
	moments->second += other->second;
}

double
sdc_dp_moments_mean(const SdcDpMoments *moments, SdcStrongBits *bits)
{
	SdcInt128 count = noisy_count(moments, bits);
	double unit = share(moments, bits, moments->first, count);
	double middle = moments->lower / 2 + moments->upper / 2;
	double half = moments->upper / 2 - moments->lower / 2;

	/* adding 0 turns -0 into 0 */
	return clip(middle + half * unit, moments->lower, moments->upper) + 0.0;
}

/* The variance of the values in [-1, 1]. */
static double
unit_variance(const SdcDpMoments *moments, SdcStrongBits *bits)
{
	SdcInt128 count = noisy_count(moments, bits);
	double mean = share(moments, bits, moments->first, count);
	double square = (share(moments, bits, moments->second, count) + 1) / 2;

	return clip(square - mean * mean, 0, 1);
}

double
sdc_dp_moments_variance(const SdcDpMoments *moments, SdcStrongBits *bits)
{
	double deviation = sdc_dp_moments_deviation(moments, bits);

	return fmin(deviation * deviation, DBL_MAX);
}

double
sdc_dp_moments_deviation(const SdcDpMoments *moments, SdcStrongBits *bits)
{
	double half = moments->upper / 2 - moments->lower / 2;

	return half * sqrt(unit_variance(moments, bits));
}
