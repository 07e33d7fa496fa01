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
#include "kernel/linear/moments.h"
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

void
sdc_noise_add(SdcHost *host, SdcNoiseLaw law, const double *value, int32_t n,
			  double alpha, SdcRandom *random, double *masked)
{
	SdcScale scale = sdc_scale_measure(host, value, NULL, (size_t) n, 1);
	double deviation = sqrt(alpha) * scale.deviation;
	int32_t i;

	host->stage(host, "adding noise");
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		masked[i] = value[i];
		if (deviation > 0)
			masked[i] +=
				sdc_scale_restore(&scale, deviation * draw(law, random));
	}
}

void
sdc_noise_factorize(double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS],
					int columns)
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
	SdcScale scale[SDC_MAX_COLUMNS];
	int32_t n = (int32_t) rows->rows;
	int32_t i;
	int j;
	int l;

	host->stage(host, "adding noise");
	for (j = 0; j < rows->columns; j++)
	{
		scale[j] =
			sdc_scale_measure(host, rows->column[j], NULL, rows->rows, 1);
		for (l = 0; l <= j; l++)
			factor[j][l] = n < 2 ? 0
								 : alpha * sdc_scale_covariance(
											   host, rows->column[j],
											   &scale[j], rows->column[l],
											   &scale[l], rows->rows, 1, NULL);
	}
	sdc_noise_factorize(factor, rows->columns);
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
				rows->column[j][i] + sdc_scale_restore(&scale[j], noise);
		}
	}
}
