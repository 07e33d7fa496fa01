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
#include <stdbool.h>

#include "kernel/base/elementary.h"
#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/linear/moments.h"
#include "kernel/mask/noise.h"

const char *const sdc_noise_law_words[] = {"gaussian", "laplace", "uniform",
										   NULL};

/* A pivot below this share of the variance is rounding, not variance. */
#define PIVOT_SHARE 1e-12

double
sdc_noise_draw(SdcNoiseLaw law, SdcRandom *random)
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
			masked[i] += sdc_scale_restore(
				&scale, deviation * sdc_noise_draw(law, random));
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

			independent[j] = sdc_noise_draw(law, random);
			for (l = 0; l <= j; l++)
				noise += factor[j][l] * independent[l];
			masked->column[j][i] =
				rows->column[j][i] + sdc_scale_restore(&scale[j], noise);
		}
	}
}

/* ---------------------------------------------------------------------------
 * Noise for outliers.
 */

/* The deviation of a normal law over its median distance from the median. */
#define MEDIAN_DISTANCE 1.4826022185056018

SdcOutlierLimits
sdc_noise_outlier_limits(const double *value, int32_t n, double threshold)
{
	SdcOutlierLimits limits = {0, INFINITY};
	int32_t low = (n - 1) / 2;
	int32_t high = n / 2;
	int32_t near;
	double distance = 0;

	if (n == 0)
		return limits;
	limits.median = value[low] + (value[high] - value[low]) / 2;
	/* the nearest half and one more, from the median outwards */
	high = low + 1;
	for (near = 0; near <= n / 2; near++)
	{
		double below = low < 0 ? INFINITY : limits.median - value[low];
		double above = high >= n ? INFINITY : value[high] - limits.median;

		distance = below <= above ? below : above;
		if (below <= above)
			low--;
		else
			high++;
	}
	limits.distance = threshold * MEDIAN_DISTANCE * distance;
	return limits;
}

double
sdc_noise_outlier_deviation(double alpha)
{
	return sqrt(sdc_random_log(1 + alpha));
}

void
sdc_noise_add_outliers(SdcHost *host, const double *value, int32_t n,
					   double alpha, double threshold, SdcRandom *random,
					   double *masked)
{
	SdcOutlierLimits limits = sdc_noise_outlier_limits(value, n, threshold);
	double deviation = sdc_noise_outlier_deviation(alpha);
	int32_t i;

	host->stage(host, "adding noise to outliers");
	for (i = 0; i < n; i++)
	{
		double beyond = sdc_noise_beyond(&limits, value[i]);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		masked[i] = value[i];
		if (beyond == 0 || deviation == 0)
			continue;
		masked[i] = limits.median +
					(beyond > 0 ? limits.distance : -limits.distance) +
					beyond * sdc_exp(deviation * sdc_random_normal(random) -
									 deviation * deviation / 2);
	}
}

/* ---------------------------------------------------------------------------
 * Noise that keeps means and covariances exactly.
 */

static double
product(const double *x, const double *y, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* Takes the mean, and what is along unit columns, out of a column. */
static void
make_orthogonal(double *column, int32_t n, double *const *unit, int units)
{
	double mean = 0;
	int32_t i;
	int u;

	for (i = 0; i < n; i++)
		mean += (column[i] - mean) / (i + 1);
	for (i = 0; i < n; i++)
		column[i] -= mean;
	for (u = 0; u < units; u++)
	{
		double along = product(column, unit[u], n);

		for (i = 0; i < n; i++)
			column[i] -= along * unit[u][i];
	}
}

/*
 * Makes a column a unit orthogonal to others, and adds it to them.  What is
 * left of it is no direction when its square is not above the share of what it
 * was, which is rounding; twice, because the first time leaves some.
 */
static bool
add_unit(double *column, int32_t n, double **unit, int *units)
{
	double before = product(column, column, n);
	double left;
	int32_t i;

	make_orthogonal(column, n, unit, *units);
	make_orthogonal(column, n, unit, *units);
	left = product(column, column, n);
	if (!(left > PIVOT_SHARE * before))
		return false;
	for (i = 0; i < n; i++)
		column[i] /= sqrt(left);
	unit[(*units)++] = column;
	return true;
}

/* What the rotation works on: columns in units of their deviation. */
typedef struct Rotation
{
	int32_t n;
	int columns;
	SdcScale scale[SDC_MAX_COLUMNS];
	/* orthogonal units that the columns span, and what becomes of them */
	int units;
	double *unit[SDC_MAX_COLUMNS];
	double *turned[SDC_MAX_COLUMNS];
	/* what each column is along each unit */
	double along[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS];
} Rotation;

/* The units that the columns span, and what each of them is along these. */
static void
span_columns(SdcHost *host, const SdcMatrix *rows, Rotation *rotation)
{
	int32_t n = rotation->n;
	int32_t i;
	int j;
	int u;

	for (j = 0; j < rotation->columns; j++)
	{
		SdcScale *scale = &rotation->scale[j];
		double *own = sdc_new(host, double, (size_t) n);
		double *unit = sdc_new(host, double, (size_t) n);

		host->poll(host, j, 2 * rotation->columns);
		*scale = sdc_scale_measure(host, rows->column[j], NULL, (size_t) n, 1);
		for (i = 0; i < n; i++)
			unit[i] = own[i] = scale->deviation > 0
								   ? sdc_scale_apply(scale, rows->column[j][i])
								   : 0;
		if (!add_unit(unit, n, rotation->unit, &rotation->units))
			host->release(host, unit);
		for (u = 0; u < rotation->units; u++)
			rotation->along[j][u] = product(own, rotation->unit[u], n);
		for (; u < rotation->columns; u++)
			rotation->along[j][u] = 0;
		host->release(host, own);
	}
}

/* Turns the units, each by noise, and makes them orthogonal again. */
static void
turn_units(SdcHost *host, double alpha, SdcRandom *random, Rotation *rotation)
{
	int32_t n = rotation->n;
	double length = n > 1 ? sqrt(alpha / (n - 1)) : 0;
	int turned = 0;
	int32_t i;
	int u;

	for (u = 0; u < rotation->units; u++)
	{
		double *unit = sdc_new(host, double, (size_t) n);

		host->poll(host, rotation->units + u, 2 * rotation->units);
		/* a draw of no direction has chance 0 */
		do
			for (i = 0; i < n; i++)
				unit[i] =
					rotation->unit[u][i] + length * sdc_random_normal(random);
		while (!add_unit(unit, n, rotation->turned, &turned));
	}
}

/* A column of the turned units. */
static void
mix_units(const Rotation *rotation, int j, double *masked)
{
	const SdcScale *scale = &rotation->scale[j];
	int32_t i;
	int u;

	for (i = 0; i < rotation->n; i++)
	{
		double sum = 0;

		for (u = 0; u < rotation->units; u++)
			sum += rotation->along[j][u] * rotation->turned[u][i];
		masked[i] =
			sdc_scale_restore(scale, scale->mean + scale->deviation * sum);
	}
}

void
sdc_noise_rotate(SdcHost *host, const SdcMatrix *rows, double alpha,
				 SdcRandom *random, SdcMatrix *masked)
{
	Rotation *rotation = sdc_new(host, Rotation, 1);
	int j;
	int u;

	host->stage(host, "rotating");
	rotation->n = (int32_t) rows->rows;
	rotation->columns = rows->columns;
	rotation->units = 0;
	if (rotation->n > 0)
	{
		span_columns(host, rows, rotation);
		turn_units(host, alpha, random, rotation);
	}
	for (j = 0; j < rows->columns; j++)
		mix_units(rotation, j, masked->column[j]);
	for (u = 0; u < rotation->units; u++)
	{
		host->release(host, rotation->unit[u]);
		host->release(host, rotation->turned[u]);
	}
	host->release(host, rotation);
}
