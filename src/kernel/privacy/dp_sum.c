/*
 * dp_sum.c
 *		Clipped sums under differential privacy.
 *
 * See dp_sum.h.  Turning the noisy integer into a double comes last, so it
 * can only lose, never tell.
 */
#include "kernel/privacy/dp_sum.h"

#include <float.h>
#include <math.h>

#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/discrete_laplace.h"
#include "kernel/privacy/neighbours.h"
#include "kernel/privacy/strong_bits.h"

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
