/*
 * moments.c
 *		Means, variances and correlations, and how far those of two files are
 *		apart.
 *
 * Values are taken as deviations from the mean of their column, so that no
 * digits are lost to a large mean.  Pairs of columns correct for the rows that
 * only one of them has.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/linear/moments.h"

static void
measure_column(SdcHost *host, size_t rows, const double *x,
			   SdcMoments *moments, int j)
{
	double least = INFINITY;
	double most = -INFINITY;
	double mean = 0;
	double squares = 0;
	int64_t count = 0;
	size_t i;

	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(x[i]))
			continue;
		count++;
		/* neither overflows nor loses digits, unlike the sum */
		mean += (x[i] - mean) / (double) count;
		least = x[i] < least ? x[i] : least;
		most = x[i] > most ? x[i] : most;
	}
	/* a constant would leave rounding errors */
	if (least == most)
		mean = least;
	for (i = 0; i < rows; i++)
		if (!isnan(x[i]))
			squares += (x[i] - mean) * (x[i] - mean);
	moments->count[j] = count;
	moments->mean[j] = count > 0 ? mean : NAN;
	moments->variance[j] = count > 1 ? squares / (double) (count - 1) : NAN;
}

/* Covariance and correlation of two columns. */
static void
measure_pair(SdcHost *host, size_t rows, const double *const *column, int j,
			 int l, SdcMoments *moments)
{
	const double *x = column[j];
	const double *y = column[l];
	double xx = 0;
	double yy = 0;
	double xy = 0;
	double sx = 0;
	double sy = 0;
	double count = 0;
	double covariance = NAN;
	double correlation = NAN;
	size_t i;

	for (i = 0; i < rows; i++)
	{
		double a = x[i] - moments->mean[j];
		double b = y[i] - moments->mean[l];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(a) || isnan(b))
			continue;
		count++;
		sx += a;
		sy += b;
		xx += a * a;
		yy += b * b;
		xy += a * b;
	}
	if (count > 1)
	{
		xx -= sx * sx / count;
		yy -= sy * sy / count;
		xy -= sx * sy / count;
		covariance = xy / (count - 1);
		if (xx > 0 && yy > 0 && moments->variance[j] > 0 &&
			moments->variance[l] > 0)
			correlation = xy / sqrt(xx) / sqrt(yy);
	}
	if (correlation > 1 || correlation < -1)
		correlation = correlation > 0 ? 1 : -1;
	moments->covariance[j * moments->columns + l] = covariance;
	moments->covariance[l * moments->columns + j] = covariance;
	moments->correlation[j * moments->columns + l] = correlation;
	moments->correlation[l * moments->columns + j] = correlation;
}

SdcMoments *
sdc_moments_measure(SdcHost *host, size_t rows, int columns,
					const double *const *column)
{
	SdcMoments *moments = sdc_new(host, SdcMoments, 1);
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
		measure_column(host, rows, column[j], moments, j);
		moments->covariance[j * columns + j] = moments->variance[j];
		moments->correlation[j * columns + j] =
			moments->variance[j] > 0 ? 1 : NAN;
		for (l = 0; l < j; l++)
			measure_pair(host, rows, column, j, l, moments);
	}
	return moments;
}

double
sdc_moments_relative(double a, double b)
{
	if (a == b)
		return 0;
	return a == 0 ? NAN : fabs(a - b) / fabs(a);
}

/* A mean of differences that are defined. */
typedef struct Mean
{
	double sum;
	int count;
} Mean;

static void
add(Mean *mean, double difference)
{
	if (isnan(difference))
		return;
	mean->sum += difference;
	mean->count++;
}

static double
mean_of(const Mean *mean)
{
	return mean->count > 0 ? mean->sum / mean->count : NAN;
}

SdcMomentsDifference
sdc_moments_compare_column(const SdcMoments *a, const SdcMoments *b, int j)
{
	SdcMomentsDifference difference;
	Mean covariance = {0, 0};
	Mean correlation = {0, 0};
	int l;

	for (l = 0; l < a->columns; l++)
	{
		int at = j * a->columns + l;

		if (l == j)
			continue;
		add(&covariance,
			sdc_moments_relative(a->covariance[at], b->covariance[at]));
		add(&correlation, fabs(a->correlation[at] - b->correlation[at]));
	}
	difference.mean = sdc_moments_relative(a->mean[j], b->mean[j]);
	difference.variance = sdc_moments_relative(a->variance[j], b->variance[j]);
	difference.covariance = mean_of(&covariance);
	difference.correlation = mean_of(&correlation);
	return difference;
}

SdcMomentsDifference
sdc_moments_compare(const SdcMoments *a, const SdcMoments *b, int *undefined)
{
	SdcMomentsDifference difference;
	Mean mean = {0, 0};
	Mean variance = {0, 0};
	Mean covariance = {0, 0};
	Mean correlation = {0, 0};
	int entries = a->columns * 2 + a->columns * (a->columns - 1) / 2;
	int j;
	int l;

	for (j = 0; j < a->columns; j++)
	{
		add(&mean, sdc_moments_relative(a->mean[j], b->mean[j]));
		add(&variance, sdc_moments_relative(a->variance[j], b->variance[j]));
		for (l = 0; l < j; l++)
		{
			int at = j * a->columns + l;

			add(&covariance,
				sdc_moments_relative(a->covariance[at], b->covariance[at]));
			add(&correlation, fabs(a->correlation[at] - b->correlation[at]));
		}
	}
	*undefined = entries - mean.count - variance.count - covariance.count;
	difference.mean = mean_of(&mean);
	difference.variance = mean_of(&variance);
	difference.covariance = mean_of(&covariance);
	difference.correlation = mean_of(&correlation);
	return difference;
}
