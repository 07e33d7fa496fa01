/*
 * dp_noise_grid.h
 *		The grids that noise for a double is drawn on: private to dp_noise.
 */
#ifndef SDC_KERNEL_DP_NOISE_GRID_H
#define SDC_KERNEL_DP_NOISE_GRID_H

#include <math.h>

#include "kernel/privacy/dp_noise.h"

/* The grid 2^exponent, and the sensitivity of a rounded value on it. */
typedef struct SdcDpNoiseGrid
{
	int exponent;
	uint64_t sensitivity;
} SdcDpNoiseGrid;

static inline SdcDpNoiseGrid
sdc_dp_noise_rounded(double sensitivity, double budget, int fine)
{
	SdcDpNoiseGrid grid = {0, 0};

	if (sensitivity > 0)
	{
		grid.exponent = sdc_dp_noise_grid(sensitivity, budget, fine);
		grid.sensitivity =
			(uint64_t) ceil(ldexp(sensitivity, -grid.exponent)) + 1;
	}
	return grid;
}

/* Laplace noise: 2^40 steps within its scale. */
static inline SdcDpNoiseGrid
sdc_dp_noise_laplace_grid(double sensitivity, double epsilon)
{
	return sdc_dp_noise_rounded(sensitivity, epsilon, 40);
}

/* Gaussian noise: 2^20 steps within its standard deviation. */
static inline SdcDpNoiseGrid
sdc_dp_noise_gaussian_grid(double sensitivity, double rho)
{
	return sdc_dp_noise_rounded(sensitivity, sqrt(2 * rho), 20);
}

#endif
