/*
 * dp_moments.c
 *		Sums, means and variances under differential privacy.
 */
#include <float.h>
#include <math.h>

#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_moments.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Clipped sums under differential privacy.
 *
 * Turning the noisy integer into a double comes last, so it
 * can only lose, never tell.
 * ----------------------------------------------------------------------
 */

/* Steps of the grid, as a power of two, within the scale of the noise. */
#define FINE 40

static uint64_t
magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t) value : (uint64_t) value;
}

/* The most that one record changes the sum by, on the grid. */
static uint64_t
sensitivity(const SdcDpSum *sum, SdcNeighbours neighbours)
{
	uint64_t most = magnitude(sum->least);
	uint64_t width = (uint64_t) sum->most - (uint64_t) sum->least;

	if (magnitude(sum->most) > most)
		most = magnitude(sum->most);
	if (neighbours == SDC_NEIGHBOURS_REPLACE && width > most)
		most = width;
	return most;
}

/* A clipped value on the grid. */
static inline int64_t
on_grid(const SdcDpSum *sum, double value)
{
	return (int64_t) rint(value * sum->factor[0] * sum->factor[1]);
}

bool
sdc_dp_sum_start(SdcDpSum *sum, double lower, double upper,
				 SdcNeighbours neighbours, double epsilon)
{
	double most = fmax(fabs(lower), fabs(upper));

	if (neighbours == SDC_NEIGHBOURS_REPLACE)
		most = fmax(most, upper - lower);
	if (most > DBL_MAX)
		return false;
	sum->lower = lower;
	sum->upper = upper;
	sum->exponent = most > 0 ? sdc_dp_noise_grid(most, epsilon, FINE) : 0;
	sum->factor[0] = ldexp(1, -sum->exponent / 2);
	sum->factor[1] = ldexp(1, -sum->exponent - -sum->exponent / 2);
	sum->least = on_grid(sum, lower);
	sum->most = on_grid(sum, upper);
	sum->total = 0;
	return sdc_discrete_laplace_scale(sensitivity(sum, neighbours), 1, epsilon,
									  &sum->noise);
}

bool
sdc_dp_sum_start_integer(SdcDpSum *sum, int64_t lower, int64_t upper,
						 SdcNeighbours neighbours, double epsilon)
{
	sum->exponent = 0;
	sum->least = lower;
	sum->most = upper;
	sum->total = 0;
	return sdc_discrete_laplace_scale(sensitivity(sum, neighbours), 1, epsilon,
									  &sum->noise);
}

void
sdc_dp_sum_add(SdcDpSum *sum, double value)
{
	/* rounding keeps the order, so what was clipped stays within the bounds */
	if (value <= sum->lower)
		sum->total += sum->least;
	else if (value >= sum->upper)
		sum->total += sum->most;
	else if (!isnan(value))
		sum->total += on_grid(sum, value);
}

void
sdc_dp_sum_add_integer(SdcDpSum *sum, int64_t value)
{
	if (value < sum->least)
		value = sum->least;
	if (value > sum->most)
		value = sum->most;
	sum->total += value;
}

void
sdc_dp_sum_merge(SdcDpSum *sum, const SdcDpSum *other)
{
	sum->total += other->total;
}

SdcInt128
sdc_dp_sum_release_integer(const SdcDpSum *sum, SdcStrongBits *bits)
{
	return sum->total + sdc_discrete_laplace_draw(bits, &sum->noise);
}

double
sdc_dp_sum_release(const SdcDpSum *sum, SdcStrongBits *bits)
{
	return sdc_dp_noise_double(sdc_dp_sum_release_integer(sum, bits),
							   sum->exponent);
}

/* ----------------------------------------------------------------------
 * Mean, variance and standard deviation under differential privacy.
 *
 * Sums are exact integers on a grid of powers of two;
 * floating point comes before, for one record at a time, and after the noise.
 * ----------------------------------------------------------------------
 */

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
	int64_t known = !isnan(value);
	double unit;

	/* a NaN takes as much work as a number, so that time does not tell */
	value = clip(known ? value : middle, moments->lower, moments->upper);
	unit = half > 0 ? clip((value - middle) / half, -1, 1) : 0;
	moments->count += known;
	moments->first += known * (int64_t) rint(unit * one);
	if (moments->order > 1)
		moments->second += known * (int64_t) rint((2 * unit * unit - 1) * one);
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
