/*
 * noise.h
 *		Additive noise whose variance is a share of the column's own; values in
 *		the order of draws.
 */
#ifndef SDC_KERNEL_NOISE_H
#define SDC_KERNEL_NOISE_H

#include <stdint.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"

/* The law of the noise; each has mean 0 and variance 1 before scaling. */
typedef enum SdcNoiseLaw
{
	SDC_NOISE_GAUSSIAN,
	SDC_NOISE_LAPLACE,
	SDC_NOISE_UNIFORM
} SdcNoiseLaw;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_noise_law_words[];

/* One draw of the law: mean 0, variance 1. */
extern double sdc_noise_draw(SdcNoiseLaw law, SdcRandom *random);

/*
 * The step that masked values are whole multiples of: a power of two, 2^-25 to
 * 2^-24 of the deviation of the noise.  0, no step, without noise and where a
 * step would be too small for a double.
 */
extern double sdc_noise_step(double deviation);

/* The nearest whole multiple of a step; the value itself without one. */
extern double sdc_noise_snap(double masked, double step);

/*
 * masked[i] = value[i] + e, rounded to a step, E(e) = 0, Var(e) =
 * alpha Var(value), independent.
 * So Var(masked) = (1 + alpha) Var(value), and the variance of the original
 * can be estimated from the masked column (Kim 1986).  alpha >= 0.  A column
 * of one value has no variance and stays as it is.  O(n).
 */
extern void sdc_noise_add(SdcHost *host, SdcNoiseLaw law, const double *value,
						  int32_t n, double alpha, SdcRandom *random,
						  double *masked);

/*
 * The same for several columns at once with Cov(e) = alpha Cov(values), so
 * that correlations are kept: Cov(masked) = (1 + alpha) Cov(values).  rows and
 * masked have the same shape and may be one matrix; noise is drawn row by row
 * in the order given.
 * Columns that depend on others linearly get noise that does too, but for the
 * steps of each.  O(n d^2).
 */
extern void sdc_noise_add_correlated(SdcHost *host, SdcNoiseLaw law,
									 const SdcMatrix *rows, double alpha,
									 SdcRandom *random, SdcMatrix *masked);

/* Where the outliers of a column begin. */
typedef struct SdcOutlierLimits
{
	double median; /* 0 without values */
	/* an outlier is further away from it; infinite without values */
	double distance;
} SdcOutlierLimits;

/*
 * Those of ascending values: the median, and threshold times 1.4826 times the
 * median of the distances from it, the upper one of two, which is the standard
 * deviation of a normal law.  threshold >= 1.  O(n).
 */
extern SdcOutlierLimits sdc_noise_outlier_limits(const double *value,
												 int32_t n, double threshold);

/* How far a value is beyond the limit, negative on the low side; 0: it is not.
 */
static inline double
sdc_noise_beyond(const SdcOutlierLimits *limits, double x)
{
	double far = x - limits->median;

	return far > limits->distance    ? far - limits->distance
		   : far < -limits->distance ? far + limits->distance
									 : 0;
}

/* The deviation of the logarithm of what sdc_noise_add_outliers multiplies. */
extern double sdc_noise_outlier_deviation(double alpha);

/*
 * Noise for outliers only: of ascending values, what is beyond the limit is
 * multiplied by exp(s z - s^2 / 2), z normal and s^2 = log(1 + alpha).  So the
 * noise has mean 0 and the standard deviation sqrt(alpha) times the distance
 * beyond the limit, an outlier stays one of its side, and median and limit are
 * those of the masked column as well.  A masked outlier is rounded outwards,
 * to the step of the noise of a typical outlier.  All else stays as it is.
 * alpha >= 0, threshold >= 1.  O(n).
 */
extern void sdc_noise_add_outliers(SdcHost *host, const double *value,
								   int32_t n, double alpha, double threshold,
								   SdcRandom *random, double *masked);

/*
 * Rows that sdc_noise_rotate needs at least: with fewer hardly any matrix is
 * left that keeps means and covariances.
 */
static inline int64_t
sdc_noise_rotate_rows(int columns)
{
	return 2 * (int64_t) columns + 2;
}

/*
 * Masked columns whose means, variances and covariances are those of the
 * original but for rounding: masked = T rows for an orthogonal T that is
 * random and keeps the mean (random orthogonal matrix masking; Ting, Fienberg
 * and Trottini 2008), without making a matrix of n^2.  T turns the space that
 * the columns span: each of its unit vectors u becomes (u + e) / sqrt(1 +
 * alpha), e Gaussian of the length sqrt(alpha) on average, and these are made
 * orthogonal to each other again.  So the masked values, stretched by sqrt(1 +
 * alpha), are the original ones and noise of alpha times their covariance,
 * up to about 1 / sqrt(n) of it.  The noise is not made orthogonal to the
 * columns, as that of Muralidhar and Sarathy (2008): that is an equation which
 * only the right order of the records satisfies, so who knows the values of a
 * small stratum would find who is who by it.  Of T rows only what does not
 * depend on the order of rows is fixed.
 *
 * rows and masked have the same shape and are not one matrix.  Columns that
 * depend on others linearly go on doing so.  There must be
 * sdc_noise_rotate_rows rows, or none.  O(n d^2).
 */
extern void sdc_noise_rotate(SdcHost *host, const SdcMatrix *rows,
							 double alpha, SdcRandom *random,
							 SdcMatrix *masked);

/*
 * The x at which the standard normal law has the share p below it, 0 < p < 1;
 * within 1e-14 (1 + |x|) (algorithm AS 241; Wichura 1988).
 */
extern double sdc_noise_normal_quantile(double p);

/*
 * Data shuffling (Muralidhar and Sarathy 2006): the last columns are given,
 * the others are masked.  Each value becomes the normal score of its rank, the
 * mean one for equal values.  With C the covariance of the scores, a record's
 * draw is normal with the mean and covariance that C says of the scores of
 * masked columns given those of the others; then the values of a masked column
 * are put in the order of its draws.  So its values stay exactly, and rank
 * correlations among all columns about 1 / sqrt(n), where scores are jointly
 * normal.  A draw depends on the record's given values and not on its masked
 * ones; a masked column that the given ones determine stays as it is.
 *
 * rows has all columns, masked rows->columns - given of them, given from 0;
 * rows must be in canonical order.  O(n (columns^2 + columns log n)).
 */
extern void sdc_noise_shuffle(SdcHost *host, const SdcMatrix *rows, int given,
							  SdcRandom *random, SdcMatrix *masked);

/*
 * Turns the lower triangle of a covariance matrix into its Cholesky factor, in
 * place; what is above the diagonal is neither read nor written.  A column
 * that depends on those before it linearly gets a pivot of 0.  O(columns^3).
 */
extern void
sdc_noise_factorize(double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS],
					int columns);

#endif
