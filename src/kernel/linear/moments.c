/*
 * moments.c
 *		Means, standard deviations, covariances and correlations.
 *
 * Values are multiplied by a power of two and taken as deviations from the
 * mean of their column, so that nothing overflows and no digits are lost to a
 * large mean.  The mean is corrected by the mean of the deviations from it,
 * which takes away the rounding of the first sum, and sums of squares and
 * products by what rounding leaves of the sums of deviations.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"

static void
poll_at(SdcHost *host, size_t i)
{
	if (i % SDC_POLL_STEPS == 0)
		host->poll(host, 0, 0);
}

/* ----------------------------------------------------------------------
 * The scale of one column, and the covariance of two.
 * ----------------------------------------------------------------------
 */

/* Sets what values are multiplied by. */
static void
set_exponent(SdcScale *scale, int exponent)
{
	scale->exponent = exponent;
	scale->first = ldexp(1.0, -exponent / 2);
	scale->second = ldexp(1.0, -exponent + exponent / 2);
}

/* The values and weights that a scale is measured over. */
typedef struct Values
{
	SdcHost *host;
	const double *value;
	const double *weight;
	size_t n;
	size_t stride;
} Values;

static double
weight_at(const Values *values, size_t i)
{
	return values->weight == NULL ? 1 : values->weight[i];
}

/* Finds the power of two and the weight; false when all values are equal. */
static bool
find_range(const Values *values, SdcScale *scale)
{
	double least = INFINITY;
	double most = -INFINITY;
	int exponent = 0;
	size_t i;

	scale->weight = 0;
	for (i = 0; i < values->n; i += values->stride)
	{
		double x = values->value[i];

		poll_at(values->host, i);
		if (isnan(x) || !(weight_at(values, i) > 0))
			continue;
		scale->weight += weight_at(values, i);
		least = x < least ? x : least;
		most = x > most ? x : most;
	}
	if (scale->weight > 0)
		frexp(fmax(fabs(least), fabs(most)), &exponent);
	set_exponent(scale, exponent);
	scale->squares = 0;
	scale->deviation = 0;
	scale->mean = scale->weight > 0 ? least * scale->first * scale->second : 0;
	return least < most;
}

/* Sums of the deviations from the mean so far, and of their squares. */
static void
sum_deviations(const Values *values, const SdcScale *scale, double *sum,
			   double *squares)
{
	size_t i;

	*sum = 0;
	*squares = 0;
	for (i = 0; i < values->n; i += values->stride)
	{
		double shift = sdc_scale_centre(scale, values->value[i]);
		double weight = weight_at(values, i);

		poll_at(values->host, i);
		if (isnan(shift))
			continue;
		*sum += weight * shift;
		*squares += weight * shift * shift;
	}
}

SdcScale
sdc_scale_measure(SdcHost *host, const double *value, const double *weight,
				  size_t n, size_t stride)
{
	Values values = {host, value, weight, n, stride};
	SdcScale scale;
	double sum;
	int pass;

	/* the mean of equal values would be off by its rounding */
	if (!find_range(&values, &scale))
		return scale;
	scale.mean = 0;
	for (pass = 0; pass < 2; pass++)
	{
		sum_deviations(&values, &scale, &sum, &scale.squares);
		scale.mean += sum / scale.weight;
	}
	sum_deviations(&values, &scale, &sum, &scale.squares);
	scale.squares = fmax(0, scale.squares - sum * sum / scale.weight);
	if (scale.weight > 1)
		scale.deviation = sqrt(scale.squares / (scale.weight - 1));
	return scale;
}

SdcScale
sdc_scale_find(SdcHost *host, double *value, size_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *row = sdc_new(host, int32_t, n);
	double *sorted = sdc_new(host, double, n);
	size_t i;

	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		key[i] = sdc_sort_key(value[i]);
		row[i] = (int32_t) i;
	}
	sdc_sort_keys(host, key, row, n);
	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		sorted[i] = value[row[i]];
	}
	if (n > 0)
		memcpy(value, sorted, n * sizeof(*value));
	host->release(host, sorted);
	host->release(host, row);
	host->release(host, key);
	return sdc_scale_measure(host, value, NULL, n, 1);
}

/* Sums over the rows that have both of two columns. */
typedef struct Products
{
	double count;
	double x;
	double y;
	double xx;
	double yy;
	double xy;
} Products;

static Products
sum_products(SdcHost *host, const double *x, const SdcScale *of_x,
			 const double *y, const SdcScale *of_y, size_t n, size_t stride)
{
	Products sum = {0, 0, 0, 0, 0, 0};
	size_t i;

	for (i = 0; i < n; i += stride)
	{
		double a = sdc_scale_centre(of_x, x[i]);
		double b = sdc_scale_centre(of_y, y[i]);

		poll_at(host, i);
		if (isnan(a) || isnan(b))
			continue;
		sum.count++;
		sum.x += a;
		sum.y += b;
		sum.xx += a * a;
		sum.yy += b * b;
		sum.xy += a * b;
	}
	return sum;
}

double
sdc_scale_covariance(SdcHost *host, const double *x, const SdcScale *of_x,
					 const double *y, const SdcScale *of_y, size_t n,
					 size_t stride, double *correlation)
{
	Products sum = sum_products(host, x, of_x, y, of_y, n, stride);
	double xx = sum.xx - sum.x * sum.x / sum.count;
	double yy = sum.yy - sum.y * sum.y / sum.count;
	double xy = sum.xy - sum.x * sum.y / sum.count;

	if (correlation != NULL)
	{
		*correlation = NAN;
		if (xx > 0 && yy > 0 && of_x->deviation > 0 && of_y->deviation > 0)
			*correlation = fmax(-1, fmin(1, xy / sqrt(xx) / sqrt(yy)));
	}
	return sum.count > 1 ? xy / (sum.count - 1) : NAN;
}

void
sdc_covariance_matrix(SdcHost *host, size_t n, int columns,
					  const double *const *column, size_t stride,
					  double *matrix)
{
	SdcScale *scale = sdc_new(host, SdcScale, (size_t) columns);
	int j;
	int l;

	for (j = 0; j < columns; j++)
	{
		scale[j] = sdc_scale_measure(host, column[j], NULL, n, stride);
		for (l = 0; l <= j; l++)
			matrix[j * columns + l] = matrix[l * columns + j] = ldexp(
				sdc_scale_covariance(host, column[j], &scale[j], column[l],
									 &scale[l], n, stride, NULL),
				scale[j].exponent + scale[l].exponent);
	}
	host->release(host, scale);
}

/* ----------------------------------------------------------------------
 * Columns brought to a common scale.
 * ----------------------------------------------------------------------
 */

int
sdc_standardize_exponent(SdcHost *host, const double *value, size_t n)
{
	Values values = {host, value, NULL, n, 1};
	SdcScale scale;

	find_range(&values, &scale);
	return scale.exponent;
}

double
sdc_greatest_size(const double *value, size_t n)
{
	double greatest = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (isfinite(value[i]))
			greatest = fmax(greatest, fabs(value[i]));
	return greatest;
}

void
sdc_standardize_shift(SdcHost *host, double *value, size_t n, int exponent)
{
	SdcScale scale;
	size_t i;

	set_exponent(&scale, -exponent);
	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		value[i] = value[i] * scale.first * scale.second;
	}
}

bool
sdc_standardize_column(SdcHost *host, double *value, size_t n)
{
	SdcScale scale = sdc_scale_measure(host, value, NULL, n, 1);
	size_t i;

	for (i = 0; i < n && scale.deviation > 0; i++)
	{
		poll_at(host, i);
		value[i] = sdc_scale_apply(&scale, value[i]);
	}
	return scale.deviation > 0;
}

/* ----------------------------------------------------------------------
 * The moments of a file, and how far those of two files are apart.
 * ----------------------------------------------------------------------
 */

SdcMoments *
sdc_moments_measure(SdcHost *host, size_t rows, int columns,
					const double *const *column)
{
	SdcMoments *moments = sdc_new(host, SdcMoments, 1);
	SdcScale *scale = sdc_new(host, SdcScale, (size_t) columns);
	size_t pairs = (size_t) columns * (size_t) columns;
	int j;
	int l;

	moments->columns = columns;
	moments->count = sdc_new(host, int64_t, columns);
	moments->mean = sdc_new(host, double, columns);
	moments->variance = sdc_new(host, double, columns);
	moments->covariance = sdc_new(host, double, pairs);
	moments->correlation = sdc_new(host, double, pairs);
	for (j = 0; j < columns; j++)
	{
		scale[j] = sdc_scale_measure(host, column[j], NULL, rows, 1);
		moments->count[j] = (int64_t) scale[j].weight;
		moments->mean[j] = scale[j].weight > 0
							   ? sdc_scale_restore(&scale[j], scale[j].mean)
							   : NAN;
		for (l = 0; l <= j; l++)
		{
			int at = j * columns + l;
			int mirrored = l * columns + j;

			moments->covariance[at] = moments->covariance[mirrored] =
				ldexp(sdc_scale_covariance(host, column[j], &scale[j],
										   column[l], &scale[l], rows, 1,
										   &moments->correlation[at]),
					  scale[j].exponent + scale[l].exponent);
			moments->correlation[mirrored] = moments->correlation[at];
		}
		moments->variance[j] = moments->covariance[j * columns + j];
	}
	host->release(host, scale);
	return moments;
}

/* |a - b| / |a|, 0 when both are 0, NAN when only a is. */
static double
relative(double a, double b)
{
	if (a == b)
		return 0;
	return a == 0 ? NAN : fabs(a - b) / fabs(a);
}

SdcMomentsDifference
sdc_moments_compare_column(const SdcMoments *a, const SdcMoments *b, int j)
{
	SdcMomentsDifference difference;
	SdcMean covariance = {0, 0};
	SdcMean correlation = {0, 0};
	int l;

	for (l = 0; l < a->columns; l++)
	{
		int at = j * a->columns + l;

		if (l == j)
			continue;
		sdc_mean_add(&covariance,
					 relative(a->covariance[at], b->covariance[at]));
		sdc_mean_add(&correlation,
					 fabs(a->correlation[at] - b->correlation[at]));
	}
	difference.mean = relative(a->mean[j], b->mean[j]);
	difference.variance = relative(a->variance[j], b->variance[j]);
	difference.covariance = sdc_mean_of(&covariance);
	difference.correlation = sdc_mean_of(&correlation);
	return difference;
}

SdcMomentsDifference
sdc_moments_compare(const SdcMoments *a, const SdcMoments *b, int *undefined)
{
	SdcMomentsDifference difference;
	SdcMean mean = {0, 0};
	SdcMean variance = {0, 0};
	SdcMean covariance = {0, 0};
	SdcMean correlation = {0, 0};
	int entries = a->columns * 2 + a->columns * (a->columns - 1) / 2;
	int j;
	int l;

	for (j = 0; j < a->columns; j++)
	{
		sdc_mean_add(&mean, relative(a->mean[j], b->mean[j]));
		sdc_mean_add(&variance, relative(a->variance[j], b->variance[j]));
		for (l = 0; l < j; l++)
		{
			int at = j * a->columns + l;

			sdc_mean_add(&covariance,
						 relative(a->covariance[at], b->covariance[at]));
			sdc_mean_add(&correlation,
						 fabs(a->correlation[at] - b->correlation[at]));
		}
	}
	*undefined = entries - mean.count - variance.count - covariance.count;
	difference.mean = sdc_mean_of(&mean);
	difference.variance = sdc_mean_of(&variance);
	difference.covariance = sdc_mean_of(&covariance);
	difference.correlation = sdc_mean_of(&correlation);
	return difference;
}

/* ----------------------------------------------------------------------
 * Sums without any rounding but that of the result.
 *
 * A sum is a list of doubles whose digits do not overlap.  A number is added
 * to the smallest first; what rounding takes from each step is exact and stays
 * in its place (Shewchuk 1997).  Products are split before (Dekker 1971).
 * ----------------------------------------------------------------------
 */

/* Splits a double into halves of 26 digits. */
#define HALF 134217729.0

void
sdc_exact_add(SdcExactSum *sum, double x)
{
	int parts = (int) sum->parts;
	int kept = 0;
	int i;

	if (parts < 0)
		return;
	for (i = 0; i < parts; i++)
	{
		double y = sum->part[i];
		double high = x + y;
		double low = fabs(x) < fabs(y) ? x - (high - y) : y - (high - x);

		if (low != 0)
			sum->part[kept++] = low;
		x = high;
	}
	/* there is always room but in a sum that somebody else made up */
	if (x != 0 && kept < SDC_EXACT_PARTS)
		sum->part[kept++] = x;
	sum->parts = isfinite(x) ? kept : -1;
}

bool
sdc_exact_valid(const SdcExactSum *sum)
{
	return sum->parts >= -1 && sum->parts <= SDC_EXACT_PARTS;
}

void
sdc_exact_merge(SdcExactSum *sum, const SdcExactSum *other)
{
	int i;

	if (other->parts < 0)
		sum->parts = -1;
	for (i = 0; i < (int) other->parts; i++)
		sdc_exact_add(sum, other->part[i]);
}

void
sdc_exact_add_product(SdcExactSum *sum, double x, double y)
{
	double product = x * y;
	double x_high = x * HALF - (x * HALF - x);
	double y_high = y * HALF - (y * HALF - y);
	double x_low = x - x_high;
	double y_low = y - y_high;
	double rest = x_high * y_high - product;

	rest = x_low * y_low + (x_low * y_high + (x_high * y_low + rest));
	sdc_exact_add(sum, product);
	if (isfinite(rest))
		sdc_exact_add(sum, rest);
	else
		sum->parts = -1;
}

/* The parts are added from the largest on until one no longer counts; a half
 * is rounded by the next one. */
double
sdc_exact_total(const SdcExactSum *sum)
{
	int left = (int) sum->parts;
	double total = 0;
	double rest = 0;

	if (left < 0)
		return INFINITY;
	while (left > 0 && rest == 0)
	{
		double before = total;

		left--;
		total = before + sum->part[left];
		rest = sum->part[left] - (total - before);
	}
	if (left > 0 && (rest < 0) == (sum->part[left - 1] < 0))
	{
		double twice = 2 * rest;
		double next = total + twice;

		if (next - total == twice)
			total = next;
	}
	return total;
}

double
sdc_exact_squares(double count, const SdcExactSum *first,
				  const SdcExactSum *second)
{
	SdcExactSum squares = {0};
	int i;
	int j;

	if (first->parts < 0 || second->parts < 0)
		return INFINITY;
	for (i = 0; i < (int) second->parts; i++)
		sdc_exact_add_product(&squares, count, second->part[i]);
	for (i = 0; i < (int) first->parts; i++)
		for (j = 0; j < (int) first->parts; j++)
			sdc_exact_add_product(&squares, -first->part[i], first->part[j]);
	return sdc_exact_total(&squares) / count;
}
