/*
 * noise.c
 *		Additive noise whose variance is a share of the column's own.
 *
 * Callers pass rows in canonical order, so the draws meet the same values
 * whatever the order of the table.  Correlated noise is L z, where L is the
 * Cholesky factor of the covariance and z are independent draws; a column
 * whose pivot vanishes adds no direction of its own.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/mask/noise.h"

const char *const sdc_noise_law_words[] = {"gaussian", "laplace", "uniform",
										   NULL};

/* A pivot below this share of the variance is rounding, not variance. */
#define PIVOT_SHARE 1e-12

static double
draw(SdcNoiseLaw law, SdcRandom *random)
{
	double unit;

	switch (law)
	{
		case SDC_NOISE_GAUSSIAN:
			return sdc_random_normal(random);
		case SDC_NOISE_LAPLACE:
			/* scale 1 / sqrt(2); 1 - unit is never 0 */
			unit = -sdc_random_log(1 - sdc_random_unit(random)) * M_SQRT1_2;
			return sdc_random_bits(random) >> 63 ? unit : -unit;
		default:
			/* on [-sqrt(3), sqrt(3)] */
			return (2 * sdc_random_unit(random) - 1) * 1.7320508075688772935;
	}
}

/* The exponent of a power of two above every magnitude. */
static int
common_exponent(const double *value, int32_t n)
{
	double largest = 0;
	int exponent;
	int32_t i;

	for (i = 0; i < n; i++)
		largest = fabs(value[i]) > largest ? fabs(value[i]) : largest;
	frexp(largest, &exponent);
	return exponent;
}

/* The sum is taken around one of the values, so an offset costs no digits. */
static double
mean_of(const double *value, int32_t n, int exponent)
{
	double base = n > 0 ? ldexp(value[n / 2], -exponent) : 0;
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += ldexp(value[i], -exponent) - base;
	return n > 0 ? base + sum / n : 0;
}

/* One value only; rounding must not turn it into a variance. */
static bool
all_equal(const double *value, int32_t n)
{
	int32_t i;

	for (i = 1; i < n; i++)
		if (value[i] != value[0])
			return false;
	return true;
}

double
sdc_noise_variance(const double *value, int32_t n, int *exponent)
{
	double mean;
	double squares = 0;
	double rest = 0;
	int32_t i;

	*exponent = common_exponent(value, n);
	if (all_equal(value, n))
		return 0;
	mean = mean_of(value, n, *exponent);
	for (i = 0; i < n; i++)
	{
		double shift = ldexp(value[i], -*exponent) - mean;

		squares += shift * shift;
		rest += shift;
	}
	/* rest corrects for the rounding of the mean */
	squares -= rest * rest / n;
	return squares > 0 ? squares / (n - 1) : 0;
}

void
sdc_noise_add(SdcHost *host, SdcNoiseLaw law, const double *value, int32_t n,
			  double alpha, SdcRandom *random, double *masked)
{
	int exponent;
	double variance = sdc_noise_variance(value, n, &exponent);
	double scale = sqrt(alpha * variance);
	int32_t i;

	host->stage(host, "adding noise");
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		masked[i] = value[i];
		if (scale > 0)
			masked[i] += ldexp(scale * draw(law, random), exponent);
	}
}

/* Values around their mean, scaled, so that products are safe. */
static double *
centred(SdcHost *host, const double *value, int32_t n, int *exponent)
{
	double *result = sdc_new(host, double, n);
	double mean;
	int32_t i;

	*exponent = common_exponent(value, n);
	mean = all_equal(value, n) ? ldexp(value[0], -*exponent)
							   : mean_of(value, n, *exponent);
	for (i = 0; i < n; i++)
		result[i] = ldexp(value[i], -*exponent) - mean;
	return result;
}

static double
covariance(const double *x, const double *y, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	return n > 1 ? sum / (n - 1) : 0;
}

/* Lower triangle of the covariances, replaced by its Cholesky factor. */
static void
factorize(double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS], int columns)
{
	int i;
	int j;
	int l;

	for (j = 0; j < columns; j++)
	{
		double variance = factor[j][j];

		for (l = 0; l < j; l++)
			factor[j][j] -= factor[j][l] * factor[j][l];
		if (factor[j][j] <= PIVOT_SHARE * variance)
			factor[j][j] = 0;
		factor[j][j] = sqrt(factor[j][j]);
		for (i = j + 1; i < columns; i++)
		{
			for (l = 0; l < j; l++)
				factor[i][j] -= factor[i][l] * factor[j][l];
			factor[i][j] = factor[j][j] > 0 ? factor[i][j] / factor[j][j] : 0;
		}
	}
}

void
sdc_noise_add_correlated(SdcHost *host, SdcNoiseLaw law, const SdcMatrix *rows,
						 double alpha, SdcRandom *random, SdcMatrix *masked)
{
	double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS];
	double independent[SDC_MAX_COLUMNS];
	double *centre[SDC_MAX_COLUMNS];
	int exponent[SDC_MAX_COLUMNS];
	int32_t n = (int32_t) rows->rows;
	int32_t i;
	int j;
	int l;

	host->stage(host, "adding noise");
	for (j = 0; j < rows->columns; j++)
	{
		centre[j] = centred(host, rows->column[j], n, &exponent[j]);
		for (l = 0; l <= j; l++)
			factor[j][l] = alpha * covariance(centre[j], centre[l], n);
		host->poll(host, 0, 0);
	}
	factorize(factor, rows->columns);
	for (j = 0; j < rows->columns; j++)
		host->release(host, centre[j]);
	for (i = 0; i < n; i++)
	{
		if (i % 4096 == 0)
			host->poll(host, i, n);
		for (j = 0; j < rows->columns; j++)
		{
			double noise = 0;

			independent[j] = draw(law, random);
			for (l = 0; l <= j; l++)
				noise += factor[j][l] * independent[l];
			masked->column[j][i] =
				rows->column[j][i] + ldexp(noise, exponent[j]);
		}
	}
}
