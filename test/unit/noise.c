/*
 * noise.c
 *		Noise: its moments and laws, and data at the edges of a double; values
 *		in the order of draws.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/linear/moments.h"
#include "kernel/mask/noise.c"
#include "statistics.h"

static const char *const law_names[] = {"gaussian", "laplace", "uniform"};

/* Fourth moment of each law at variance 1. */
static const double fourth_moment[] = {3, 6, 1.8};

/* Eighth moment of each law at variance 1, for the error of the fourth. */
static const double eighth_moment[] = {105, 2520, 9};

static double
variance_of(const double *value, int n)
{
	long double mean = 0;
	long double squares = 0;
	int i;

	/* around the first value: even a long double has no digits to spare */
	for (i = 0; i < n; i++)
		mean += ((long double) value[i] - value[0]) / n;
	for (i = 0; i < n; i++)
	{
		long double shift = (long double) value[i] - value[0] - mean;

		squares += shift * shift;
	}
	return (double) (squares / (n - 1));
}

/* Mean, variance and kurtosis of e = masked - value. */
static void
check_moments(SdcNoiseLaw law, double offset, double scale, double alpha)
{
	const int n = 200000;
	double *value = malloc(n * sizeof(double));
	double *masked = malloc(n * sizeof(double));
	double moment[5] = {0};
	double sd;
	SdcRandom random;
	int i;
	int m;

	sdc_random_seed(&random, 11, law);
	for (i = 0; i < n; i++)
		value[i] = offset + scale * sdc_random_normal(&random);
	sd = sqrt(alpha) * scale * sqrt(variance_of(value, n)) / scale;
	sdc_noise_add(unit_host(), law, value, n, alpha, &random, masked);
	for (i = 0; i < n; i++)
	{
		double e = (masked[i] - value[i]) / sd;
		double power = 1;

		for (m = 1; m <= 4; m++)
			moment[m] += (power *= e) / n;
	}
	unit_check(fabs(moment[1]) < SIGMAS / sqrt(n) &&
				   fabs(moment[2] - 1) <
					   SIGMAS * sqrt((fourth_moment[law] - 1) / n) &&
				   fabs(moment[3]) < SIGMAS * sqrt(eighth_moment[law] / n) &&
				   fabs(moment[4] - fourth_moment[law]) <
					   SIGMAS * sqrt(eighth_moment[law] / n),
			   "%s, offset %g, scale %g, alpha %g: moments %.4f %.4f %.4f "
			   "%.4f",
			   law_names[law], offset, scale, alpha, moment[1], moment[2],
			   moment[3], moment[4]);
	free(value);
	free(masked);
}

static void
check_bound(void)
{
	double value[1000];
	double masked[1000];
	double bound;
	bool inside = true;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 12, 0);
	for (i = 0; i < 1000; i++)
		value[i] = i;
	bound = sqrt(3 * 0.5 * variance_of(value, 1000)) * (1 + 1e-12);
	sdc_noise_add(unit_host(), SDC_NOISE_UNIFORM, value, 1000, 0.5, &random,
				  masked);
	for (i = 0; i < 1000; i++)
		inside = inside && fabs(masked[i] - value[i]) <= bound;
	unit_check(inside, "uniform noise keeps its bound");
}

/*
 * Can noise of the law, one draw of a column of this deviation, make the
 * masked value of the value?  The draw of the distance, or one near it.
 */
static bool
can_be_made(SdcNoiseLaw law, double value, double masked, double deviation)
{
	double distance = (masked - value) / deviation;
	double unit = law == SDC_NOISE_UNIFORM
					  ? (distance / 1.7320508075688772935 + 1) / 2
					  : exp(-fabs(distance) / M_SQRT1_2);
	int near;

	for (near = -4; near <= 4; near++)
	{
		double u = (rint(unit * 0x1p53) + near) * 0x1p-53;
		double draw = law == SDC_NOISE_UNIFORM
						  ? (2 * u - 1) * 1.7320508075688772935
						  : copysign(sdc_random_log(u) * M_SQRT1_2, distance);

		double sum = value + deviation * draw;

		if (u > 0 && u < 1 &&
			(sum == masked ||
			 sdc_noise_snap(sum, sdc_noise_step(deviation)) == masked))
			return true;
	}
	return false;
}

/*
 * The last bits of a masked value must not tell which values it can be made
 * of: of a column by itself and of one that is masked with others.
 */
static void
check_bits(SdcNoiseLaw law, bool together)
{
	enum
	{
		N = 200
	};
	double value[N];
	double masked[N];
	double *column[] = {value};
	double *result[] = {masked};
	SdcMatrix rows = {N, 1, column};
	SdcMatrix to = {N, 1, result};
	double deviation;
	int possible = 0;
	int tried = 0;
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 14, law);
	for (i = 0; i < N; i++)
		value[i] = sdc_random_normal(&random);
	deviation = 2 * sqrt(variance_of(value, N));
	if (together)
		sdc_noise_add_correlated(unit_host(), law, &rows, 4, &random, &to);
	else
		sdc_noise_add(unit_host(), law, value, N, 4, &random, masked);
	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++)
			/* not beyond the edges of the law */
			if (fabs(masked[i] - value[j]) < 1.7 * deviation)
			{
				tried++;
				possible += can_be_made(law, value[j], masked[i], deviation);
			}
	unit_check(tried > N * N / 2 && possible == tried,
			   "%s%s: %d of %d values are possible", law_names[law],
			   together ? ", together" : "", possible, tried);
}

static void
check_variance(const double *value, int n, double want, const char *what)
{
	SdcScale scale =
		sdc_scale_measure(unit_host(), value, NULL, (size_t) n, 1);
	double got = sdc_scale_restore(&scale, scale.deviation);

	unit_check(fabs(got - want) <= 1e-12 * want, "%s: sd %.17g", what, got);
}

/* Data on which a careless variance overflows, vanishes or cancels. */
static void
check_edges(void)
{
	const double huge[] = {-1e300, 1e300};
	const double extreme[] = {-1.7e308, 1.7e308};
	const double tiny[] = {-1e-300, 1e-300};
	const double denormal[] = {0, 1e-320};
	const double one[] = {3};
	const double equal[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
	double offset[1001];
	double masked[7];
	SdcRandom random;
	int i;

	check_variance(huge, 2, M_SQRT2 * 1e300, "1e300");
	check_variance(tiny, 2, M_SQRT2 * 1e-300, "1e-300");
	check_variance(one, 1, 0, "one value");
	check_variance(one, 0, 0, "no value");
	check_variance(equal, 7, 0, "equal values");
	for (i = 0; i <= 1000; i++)
		offset[i] = 1e15 + (i % 2);
	check_variance(offset, 1001, sqrt(variance_of(offset, 1001)),
				   "a large offset");
	sdc_random_seed(&random, 13, 0);
	sdc_noise_add(unit_host(), SDC_NOISE_GAUSSIAN, equal, 7, 10, &random,
				  masked);
	unit_check(memcmp(masked, equal, sizeof(equal)) == 0,
			   "a constant column stays as it is");
	sdc_noise_add(unit_host(), SDC_NOISE_GAUSSIAN, one, 1, 10, &random,
				  masked);
	unit_check(masked[0] == 3, "one value stays as it is");
	sdc_noise_add(unit_host(), SDC_NOISE_GAUSSIAN, huge, 2, 0, &random,
				  masked);
	unit_check(memcmp(masked, huge, sizeof(huge)) == 0, "alpha 0: no noise");
	sdc_noise_add(unit_host(), SDC_NOISE_UNIFORM, denormal, 2, 1, &random,
				  masked);
	unit_check(isfinite(masked[0]) && isfinite(masked[1]) &&
				   masked[1] != denormal[1],
			   "denormal values get noise");
	sdc_noise_add(unit_host(), SDC_NOISE_UNIFORM, extreme, 2, 1e-4, &random,
				  masked);
	unit_check(!isnan(masked[0]) && !isnan(masked[1]),
			   "the largest values never become NaN");
}

enum
{
	CORRELATED_ROWS = 100000,
	CORRELATED_COLUMNS = 4
};

/* What a column of correlated_rows is divided by to be of variance near 1. */
static const double column_scale[CORRELATED_COLUMNS] = {1, 1000, 1000, 1};

/*
 * Columns: x, y correlated with it at another scale, 2 x - y (so that the
 * covariance is singular), a constant.
 */
static void
fill_correlated(double unit, double offset, SdcRandom *random, double **x)
{
	int i;

	for (i = 0; i < CORRELATED_ROWS; i++)
	{
		double u = sdc_random_normal(random);
		double v = 1000 * (0.8 * u + 0.6 * sdc_random_normal(random));

		x[0][i] = unit * (offset + u);
		x[1][i] = unit * (offset + v);
		x[2][i] = unit * (offset + 2 * u - v);
		x[3][i] = unit * 7;
	}
}

/* Mean product of the deviations of two columns, or of their noise. */
static double
mean_product(const double *a, const double *a_base, const double *b,
			 const double *b_base, double unit)
{
	double mean_a = 0;
	double mean_b = 0;
	double sum = 0;
	int i;

	for (i = 0; i < CORRELATED_ROWS && a_base == NULL; i++)
	{
		mean_a += (a[i] / unit) / CORRELATED_ROWS;
		mean_b += (b[i] / unit) / CORRELATED_ROWS;
	}
	for (i = 0; i < CORRELATED_ROWS; i++)
		sum += (a[i] / unit - (a_base ? a_base[i] / unit : mean_a)) *
			   (b[i] / unit - (b_base ? b_base[i] / unit : mean_b));
	return sum / CORRELATED_ROWS;
}

/* The largest difference between Cov(e) and alpha Cov(x). */
static double
covariance_error(double **x, double **y, double alpha, double unit)
{
	double worst = 0;
	int j;
	int l;

	for (j = 0; j < CORRELATED_COLUMNS; j++)
		for (l = 0; l <= j; l++)
		{
			double want = alpha * mean_product(x[j], NULL, x[l], NULL, unit);
			double got = mean_product(y[j], x[j], y[l], x[l], unit);
			double error =
				fabs(got - want) / column_scale[j] / column_scale[l];

			worst = error > worst ? error : worst;
		}
	return worst;
}

static void
check_correlated(SdcNoiseLaw law, double unit, double offset)
{
	const double alpha = 0.5;
	double *x[CORRELATED_COLUMNS];
	double *y[CORRELATED_COLUMNS];
	SdcMatrix rows = {CORRELATED_ROWS, CORRELATED_COLUMNS, x};
	SdcMatrix masked = {CORRELATED_ROWS, CORRELATED_COLUMNS, y};
	double worst = 0;
	bool constant = true;
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 14, law);
	for (j = 0; j < CORRELATED_COLUMNS; j++)
	{
		x[j] = malloc(CORRELATED_ROWS * sizeof(double));
		y[j] = malloc(CORRELATED_ROWS * sizeof(double));
	}
	fill_correlated(unit, offset, &random, x);
	sdc_noise_add_correlated(unit_host(), law, &rows, alpha, &random, &masked);
	/* the largest variance of a product of two laws here is below 6 - 1 */
	unit_check(covariance_error(x, y, alpha, unit) <
				   SIGMAS * alpha * sqrt(5.0 / CORRELATED_ROWS),
			   "correlated %s, unit %g, offset %g: covariance off by %g",
			   law_names[law], unit, offset,
			   covariance_error(x, y, alpha, unit));
	for (i = 0; i < CORRELATED_ROWS; i++)
	{
		double e0 = y[0][i] / unit - x[0][i] / unit;
		double e1 = y[1][i] / unit - x[1][i] / unit;
		double e2 = y[2][i] / unit - x[2][i] / unit;

		worst = fmax(worst, fabs(2 * e0 - e1 - e2));
		constant = constant && y[3][i] == x[3][i];
	}
	unit_check(worst < 1e-3 + 1e-9 * offset,
			   "correlated %s, unit %g, offset %g: 2 e0 - e1 = e2 up to %g",
			   law_names[law], unit, offset, worst);
	unit_check(constant, "correlated %s, unit %g: a constant stays",
			   law_names[law], unit);
	for (j = 0; j < CORRELATED_COLUMNS; j++)
	{
		free(x[j]);
		free(y[j]);
	}
}

static void
check_few_rows(void)
{
	double x0[] = {1, 4};
	double x1[] = {10, 40};
	double y0[2];
	double y1[2];
	double *x[] = {x0, x1};
	double *y[] = {y0, y1};
	SdcMatrix rows = {1, 2, x};
	SdcMatrix masked = {1, 2, y};
	SdcRandom random;

	sdc_random_seed(&random, 15, 0);
	sdc_noise_add_correlated(unit_host(), SDC_NOISE_GAUSSIAN, &rows, 1,
							 &random, &masked);
	unit_check(y0[0] == 1 && y1[0] == 10, "correlated: one row stays");
	rows.rows = masked.rows = 2;
	sdc_noise_add_correlated(unit_host(), SDC_NOISE_GAUSSIAN, &rows, 1,
							 &random, &masked);
	/* but for the steps */
	unit_check(fabs(10 * (y0[0] - 1) - (y1[0] - 10)) < 1e-5 && y0[0] != 1,
			   "correlated: two rows get noise along their line");
	sdc_random_seed(&random, 16, 0);
	sdc_noise_add_correlated(unit_host(), SDC_NOISE_GAUSSIAN, &rows, 1,
							 &random, &masked);
	sdc_random_seed(&random, 16, 0);
	sdc_noise_add_correlated(unit_host(), SDC_NOISE_GAUSSIAN, &rows, 1,
							 &random, &rows);
	unit_check(memcmp(x0, y0, sizeof(y0)) == 0 &&
				   memcmp(x1, y1, sizeof(y1)) == 0,
			   "correlated: the same in place");
	rows.rows = masked.rows = 0;
	y0[0] = y1[0] = 0;
	sdc_noise_add_correlated(unit_host(), SDC_NOISE_GAUSSIAN, &rows, 1,
							 &random, &masked);
	unit_check(y0[0] == 0 && y1[0] == 0, "correlated: no row");
}

/* ---------------------------------------------------------------------------
 * Noise that keeps means and covariances.
 */

/* The sum of the products of deviations, and the mean of the first column. */
static long double
cross_of(const double *x, const double *y, int n, long double *mean)
{
	long double mean_y = 0;
	long double sum = 0;
	int i;

	*mean = 0;
	if (n == 0)
		return 0;
	for (i = 0; i < n; i++)
	{
		*mean += ((long double) x[i] - x[0]) / n;
		mean_y += ((long double) y[i] - y[0]) / n;
	}
	*mean += x[0];
	mean_y += y[0];
	for (i = 0; i < n; i++)
		sum += (x[i] - *mean) * (y[i] - mean_y);
	return sum;
}

/*
 * Means and covariances are the same, by sums in long double.  What goes along
 * with the original, stretched, is that of the original only but for chance:
 * were it exact, it would tell the right order of the records from all others.
 */
static void
check_rotation(int n, int columns, double offset, double size, double alpha,
			   const char *name)
{
	SdcMatrix rows = {(size_t) n, columns, NULL};
	SdcMatrix masked = rows;
	double moments = 0;
	double aside = 0;
	double moved = 0;
	size_t pieces;
	SdcRandom random;
	int i;
	int j;
	int l;

	rows.column = sdc_new(unit_host(), double *, columns);
	masked.column = sdc_new(unit_host(), double *, columns);
	sdc_random_seed(&random, 31, (uint64_t) (n * 10 + columns));
	for (j = 0; j < columns; j++)
	{
		rows.column[j] = sdc_new(unit_host(), double, (size_t) n);
		masked.column[j] = sdc_new(unit_host(), double, (size_t) n);
		for (i = 0; i < n; i++)
			/* the third is the sum of the others, the fourth constant */
			rows.column[j][i] =
				j == 2 ? rows.column[0][i] + rows.column[1][i]
				: j == 3
					? offset
					: offset + size * (sdc_random_normal(&random) +
									   (j > 0 ? rows.column[0][i] / size : 0));
	}
	pieces = unit_pieces();
	sdc_noise_rotate(unit_host(), &rows, alpha, &random, &masked);
	unit_check(unit_pieces() == pieces, "%s: %d pieces of memory are left",
			   name, (int) (unit_pieces() - pieces));
	for (j = 0; j < columns; j++)
		for (l = 0; l < columns; l++)
		{
			const double *x = rows.column[j];
			const double *y = rows.column[l];
			long double mean;
			long double mean_masked;
			long double unused;
			long double scale = sqrtl(cross_of(x, x, n, &unused)) *
								sqrtl(cross_of(y, y, n, &unused));
			long double before = cross_of(x, y, n, &mean);
			long double after =
				cross_of(masked.column[j], masked.column[l], n, &mean_masked);
			long double along =
				cross_of(masked.column[j], y, n, &mean_masked) *
				sqrtl(1 + alpha);

			if (n == 0)
				continue;
			if (scale == 0)
				moments = fmax(
					moments, fabs(masked.column[j == 3 ? j : l][0] - offset));
			else
			{
				moments =
					fmax(moments, (double) (fabsl(after - before) / scale));
				moments = fmax(moments, (double) fabsl(mean_masked - mean) /
											(fabs(offset) + size));
				aside = fmax(aside, (double) (fabsl(along - before) / scale));
			}
		}
	for (i = 0; i < n; i++)
		moved += fabs(masked.column[0][i] - rows.column[0][i]) / size / n;
	unit_check(moments < 1e-10 * (1 + fabs(offset) / size),
			   "%s: means and covariances stay (%.2g)", name, moments);
	unit_check(n == 0 || alpha == 0 ||
				   (aside > 1e-3 && aside < 8 * (1 + sqrt(alpha)) / sqrt(n)),
			   "%s: what goes with the original is left to chance (%.2g)",
			   name, aside);
	unit_check(alpha == 0 ? moved < 1e-6 : moved > 0.05,
			   "%s: values move by %.3f deviations", name, moved);
	unit_release_all();
}

/* Differences of single values have the law of the noise. */
static void
check_rotation_law(void)
{
	const int n = 20000;
	const double alpha = 0.5;
	SdcMatrix rows = {(size_t) n, 1, sdc_new(unit_host(), double *, 1)};
	SdcMatrix masked = {(size_t) n, 1, sdc_new(unit_host(), double *, 1)};
	double fourth = 0;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 32, 0);
	rows.column[0] = sdc_new(unit_host(), double, (size_t) n);
	masked.column[0] = sdc_new(unit_host(), double, (size_t) n);
	/* two values only: noise is as wide for both, and normal */
	for (i = 0; i < n; i++)
		rows.column[0][i] = i % 2 == 0 ? -1 : 1;
	sdc_noise_rotate(unit_host(), &rows, alpha, &random, &masked);
	for (i = 0; i < n; i++)
	{
		double e =
			(masked.column[0][i] * sqrt(1 + alpha) - rows.column[0][i]) /
			sqrt(alpha);

		fourth += e * e * e * e / n;
	}
	unit_check(fabs(fourth - 3) < SIGMAS * sqrt(96.0 / n),
			   "rotation: noise is normal, fourth moment %.3f", fourth);
	unit_release_all();
}

/* ---------------------------------------------------------------------------
 * Noise for outliers.
 */

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The limits by sorting distances. */
static SdcOutlierLimits
slow_limits(const double *value, int n, double threshold)
{
	SdcOutlierLimits limits = {0, INFINITY};
	double *far = malloc((size_t) (n + 1) * sizeof(double));
	int i;

	if (n > 0)
	{
		limits.median = n % 2 == 1 ? value[n / 2]
								   : value[n / 2 - 1] +
										 (value[n / 2] - value[n / 2 - 1]) / 2;
		for (i = 0; i < n; i++)
			far[i] = fabs(value[i] - limits.median);
		qsort(far, (size_t) n, sizeof(double), compare_doubles);
		limits.distance = threshold * 1.4826022185056018 * far[n / 2];
	}
	free(far);
	return limits;
}

/*
 * Values of a kind: ties, heavy tails on one or both sides, constants, more
 * than half of them equal.
 */
static double
draw_value(int kind, SdcRandom *random)
{
	double normal = sdc_random_normal(random);

	if (kind == 0)
		return floor(3 * normal);
	if (kind == 1)
		return exp(2 * normal);
	if (kind == 2)
		return normal * normal * normal;
	if (kind == 3)
		return 5;
	return sdc_random_unit(random) < 0.6 ? 0 : 100 * normal;
}

/* Limits are those of the oracle, and those of the masked values. */
static void
check_outliers(int n, int kind, double threshold)
{
	double *value = malloc((size_t) (n + 1) * sizeof(double));
	double *masked = malloc((size_t) (n + 1) * sizeof(double));
	SdcOutlierLimits want;
	SdcOutlierLimits got;
	SdcOutlierLimits after;
	int wrong = 0;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 41, (uint64_t) (n * 10 + kind));
	for (i = 0; i < n; i++)
		value[i] = draw_value(kind, &random);
	qsort(value, (size_t) n, sizeof(double), compare_doubles);
	want = slow_limits(value, n, threshold);
	got = sdc_noise_outlier_limits(value, n, threshold);
	sdc_noise_add_outliers(unit_host(), value, n, 0.5, threshold, &random,
						   masked);
	for (i = 0; i < n; i++)
	{
		double before = value[i] - want.median;
		double now = masked[i] - want.median;

		if (fabs(before) <= want.distance)
			wrong += masked[i] != value[i];
		else
			wrong += masked[i] == value[i] || (before > 0) != (now > 0) ||
					 fabs(now) <= want.distance * (1 - 1e-12);
	}
	qsort(masked, (size_t) n, sizeof(double), compare_doubles);
	after = slow_limits(masked, n, threshold);
	unit_check(want.median == got.median && want.distance == got.distance &&
				   wrong == 0 && after.median == want.median &&
				   after.distance == want.distance,
			   "outliers of %d values of kind %d: limits %g %g, %d wrong", n,
			   kind, got.median, got.distance, wrong);
	free(value);
	free(masked);
}

/* What is multiplied has mean 1 and the variance alpha. */
static void
check_outlier_moments(double alpha)
{
	const int n = 200000;
	double *value = malloc((size_t) n * sizeof(double));
	double *masked = malloc((size_t) n * sizeof(double));
	SdcOutlierLimits limits;
	double mean = 0;
	double squares = 0;
	int outliers = 0;
	/* the fourth moment of a lognormal factor of that variance about 1 */
	double w = 1 + alpha;
	double fourth =
		alpha * alpha * (w * w * w * w + 2 * w * w * w + 3 * w * w - 3);
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 42, 0);
	for (i = 0; i < n; i++)
		value[i] = i < n * 0.6 ? (double) i / n : 1e3 + i;
	limits = sdc_noise_outlier_limits(value, n, 1);
	sdc_noise_add_outliers(unit_host(), value, n, alpha, 1, &random, masked);
	for (i = 0; i < n; i++)
	{
		double beyond = sdc_noise_beyond(&limits, value[i]);
		double factor;

		if (beyond == 0)
			continue;
		factor = sdc_noise_beyond(&limits, masked[i]) / beyond - 1;
		outliers++;
		mean += factor;
		squares += factor * factor;
	}
	mean /= outliers;
	squares /= outliers;
	unit_check(
		outliers > n / 3 && fabs(mean) < SIGMAS * sqrt(alpha / outliers) &&
			fabs(squares - alpha) <
				SIGMAS * sqrt((fourth - alpha * alpha) / outliers),
		"outliers, alpha %g: mean %g, variance %g", alpha, mean, squares);
	free(value);
	free(masked);
}

/*
 * Values of which more than half are 0, so that the limit is 0 as well and a
 * masked outlier is a product: its last bits would tell what it is one of.
 * They are those of a common step, though one outlier is very far off, and one
 * so near that the nearest step is the limit.
 */
static void
check_outlier_bits(double alpha)
{
	enum
	{
		N = 401
	};
	double value[N];
	double masked[N];
	double step = sdc_noise_step(sqrt(alpha) * 4096);
	int moved = 0;
	int off = 0;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, 43, 0);
	for (i = 0; i < N; i++)
		value[i] = i <= N / 2 ? 0 : 4000 + i;
	value[N / 2 + 1] = 1e-9;
	value[N - 1] = 1e12;
	sdc_noise_add_outliers(unit_host(), value, N, alpha, 3, &random, masked);
	for (i = N / 2 + 1; i < N; i++)
	{
		moved += masked[i] != value[i];
		/* the mean of the exponents is rounded: a step of half or twice */
		off += fmod(masked[i], step / 2) != 0 || masked[i] <= 0;
	}
	unit_check(moved == N / 2 && off == 0,
			   "outliers, alpha %g: %d moved, %d tell by their last bits",
			   alpha, moved, off);
}

static void
check_all_outliers(void)
{
	int kind;
	int n;

	check_outlier_bits(0.5);
	check_outlier_bits(100);

	for (kind = 0; kind < 5; kind++)
		for (n = 0; n < 40; n++)
			check_outliers(n, kind, 1 + n % 3);
	for (kind = 0; kind < 5; kind++)
		check_outliers(1001, kind, 3);
	check_outlier_moments(0.05);
	check_outlier_moments(0.5);
}

/* ---------------------------------------------------------------------------
 * Data shuffling.
 */

static void
check_quantiles(void)
{
	double worst = 0;
	double last = -INFINITY;
	bool rises = true;
	int i;

	for (i = 1; i < 20000; i++)
	{
		double p = i < 10000 ? pow(10, -300 + i * 0.0299) : i / 20000.0;
		double x = sdc_noise_normal_quantile(p);
		double error = fabs(erfc(-x * M_SQRT1_2) / 2 / p - 1);

		/* what an error of x makes of p */
		error /= 1 + fabs(x) * fabs(x);
		worst = error > worst ? error : worst;
		rises = rises && (i == 10000 || x > last);
		last = x;
	}
	unit_check(worst < 1e-14 && rises, "quantiles: p again within %g", worst);
	unit_check(sdc_noise_normal_quantile(0.5) == 0 &&
				   fabs(sdc_noise_normal_quantile(0.975) -
						1.9599639845400542) < 1e-15 &&
				   sdc_noise_normal_quantile(0.25) ==
					   -sdc_noise_normal_quantile(0.75),
			   "quantiles of a table");
}

static int
compare_numbers(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Is one column the values of the other one in some order? */
static bool
is_permuted(const double *value, const double *masked, int n)
{
	double *sorted[2];
	bool same;
	int i;

	for (i = 0; i < 2; i++)
	{
		sorted[i] = malloc(sizeof(double) * (n + 1));
		memcpy(sorted[i], i == 0 ? value : masked, sizeof(double) * n);
		qsort(sorted[i], n, sizeof(double), compare_numbers);
	}
	same = memcmp(sorted[0], sorted[1], sizeof(double) * n) == 0;
	free(sorted[0]);
	free(sorted[1]);
	return same;
}

/* A column as mean normal scores: ranks by comparing all pairs. */
static double *
slow_scores(const double *value, int n)
{
	double *score = malloc(sizeof(double) * (n + 1));
	int i;
	int k;

	for (i = 0; i < n; i++)
	{
		double below = 0;

		for (k = 0; k < n; k++)
			below += value[k] < value[i] ? 1 : value[k] == value[i] ? 0.5 : 0;
		score[i] = sdc_noise_normal_quantile(below / n);
	}
	return score;
}

/* The scores that shuffling starts from; equal values have that of their mean
 * rank. */
static void
check_scores(int n, double step)
{
	double *value = malloc(sizeof(double) * n);
	double *score = malloc(sizeof(double) * n);
	int32_t *order = malloc(sizeof(int32_t) * n);
	double *expected;
	double worst = 0;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, n, 3);
	for (i = 0; i < n; i++)
		value[i] = floor(sdc_random_normal(&random) / step);
	expected = slow_scores(value, n);
	score_column(unit_host(), value, n, order, score);
	for (i = 0; i < n; i++)
		worst = fmax(worst, fabs(score[i] - expected[i]));
	unit_check(worst == 0, "scores of %d values in steps of %g: within %g", n,
			   step, worst);
	free(value);
	free(score);
	free(order);
	free(expected);
}

static double
slow_sum(const double *x, const double *y, int n)
{
	double sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* What of y is not along x, in place. */
static void
slow_residual(const double *x, double *y, int n)
{
	double along = slow_sum(x, y, n) / slow_sum(x, x, n);
	int i;

	for (i = 0; i < n; i++)
		y[i] -= along * x[i];
}

/*
 * Two masked columns and a given one: values stay; correlations of the scores
 * are those of the original; of what the given one does not tell, the masked
 * column has nothing in common with its original.
 */
static void
check_shuffle(int n, double between, double beside, bool coarse)
{
	double *data[5];
	double *score[5];
	double correlation[2][3];
	SdcMatrix rows = {n, 3, data};
	SdcMatrix masked = {n, 2, data + 3};
	SdcRandom random;
	double left;
	int i;
	int j;

	sdc_random_seed(&random, n, coarse);
	for (j = 0; j < 5; j++)
		data[j] = malloc(sizeof(double) * n);
	for (i = 0; i < n; i++)
	{
		double age = sdc_random_normal(&random);
		double other = sdc_random_normal(&random);

		data[2][i] = coarse ? floor(3 * age) : age;
		data[0][i] = exp(beside * age + other);
		data[1][i] = between * other + sdc_random_normal(&random);
	}
	sdc_noise_shuffle(unit_host(), &rows, 1, &random, &masked);
	unit_check(is_permuted(data[0], data[3], n) &&
				   is_permuted(data[1], data[4], n),
			   "%d shuffled: the same values", n);
	for (j = 0; j < 5; j++)
		score[j] = slow_scores(data[j], n);
	for (i = 0; i < 2; i++)
	{
		double *x = score[i == 0 ? 0 : 3];
		double *y = score[i == 0 ? 1 : 4];
		double *z = score[2];
		double xx = slow_sum(x, x, n);
		double yy = slow_sum(y, y, n);
		double zz = slow_sum(z, z, n);

		correlation[i][0] = slow_sum(x, y, n) / sqrt(xx * yy);
		correlation[i][1] = slow_sum(x, z, n) / sqrt(xx * zz);
		correlation[i][2] = slow_sum(y, z, n) / sqrt(yy * zz);
	}
	for (j = 0; j < 3; j++)
		unit_check(fabs(correlation[0][j] - correlation[1][j]) <
					   SIGMAS * M_SQRT2 / sqrt(n),
				   "%d shuffled: correlation %.3f, was %.3f", n,
				   correlation[1][j], correlation[0][j]);
	slow_residual(score[2], score[0], n);
	slow_residual(score[2], score[3], n);
	left = slow_sum(score[0], score[3], n) /
		   sqrt(slow_sum(score[0], score[0], n) *
				slow_sum(score[3], score[3], n));
	unit_check(fabs(left) < SIGMAS / sqrt(n),
			   "%d shuffled: %.3f of the value itself", n, left);
	for (j = 0; j < 5; j++)
	{
		free(data[j]);
		free(score[j]);
	}
}

/* Few rows, equal values, and a column that is given twice. */
static void
check_shuffle_edges(void)
{
	double value[3][12];
	double masked_value[2][12];
	double *column[3] = {value[0], value[1], value[2]};
	double *masked_column[2] = {masked_value[0], masked_value[1]};
	SdcMatrix rows = {0, 3, column};
	SdcMatrix masked = {0, 2, masked_column};
	SdcRandom random;
	bool permuted = true;
	bool moved = false;
	int n;
	int i;

	sdc_random_seed(&random, 5, 0);
	for (n = 0; n <= 12; n++)
	{
		rows.rows = masked.rows = (size_t) n;
		for (i = 0; i < n; i++)
		{
			value[0][i] = i / 4;
			value[1][i] = 7;
			value[2][i] = i % 3;
		}
		sdc_noise_shuffle(unit_host(), &rows, 1, &random, &masked);
		permuted = permuted && is_permuted(value[0], masked_value[0], n) &&
				   is_permuted(value[1], masked_value[1], n);
		moved = moved ||
				memcmp(value[0], masked_value[0], sizeof(double) * n) != 0;
	}
	unit_check(permuted && moved, "few rows and equal values are shuffled");
	/* no column given, then one that is the first one squared */
	for (i = 0; i < 12; i++)
	{
		value[0][i] = i;
		value[2][i] = i * i;
	}
	sdc_noise_shuffle(unit_host(), &rows, 1, &random, &masked);
	unit_check(memcmp(value[0], masked_value[0], sizeof(value[0])) == 0,
			   "what the given columns determine stays");
	rows.columns = 2;
	sdc_noise_shuffle(unit_host(), &rows, 0, &random, &masked);
	unit_check(is_permuted(value[0], masked_value[0], 12) &&
				   memcmp(value[0], masked_value[0], sizeof(value[0])) != 0,
			   "shuffled without a given column");
}

int
main(void)
{
	int law;

	unit_start("noise");
	for (law = 0; law < 3; law++)
	{
		check_moments((SdcNoiseLaw) law, 0, 1, 1);
		check_moments((SdcNoiseLaw) law, 1e9, 1, 0.25);
		check_moments((SdcNoiseLaw) law, 0, 1e-6, 9);
		check_correlated((SdcNoiseLaw) law, 1, 100);
		check_correlated((SdcNoiseLaw) law, 1e300, 0);
		check_correlated((SdcNoiseLaw) law, 1e-300, 0);
		check_correlated((SdcNoiseLaw) law, 1, 1e9);
	}
	check_bound();
	check_bits(SDC_NOISE_LAPLACE, false);
	check_bits(SDC_NOISE_UNIFORM, false);
	check_bits(SDC_NOISE_LAPLACE, true);
	check_bits(SDC_NOISE_UNIFORM, true);
	check_edges();
	check_few_rows();
	check_rotation(1000, 1, 0, 1, 0.5, "one column");
	check_rotation(1000, 6, 0, 1, 0.3, "dependent and constant columns");
	check_rotation(1000, 6, 0, 1, 0, "no noise");
	check_rotation(1000, 2, 0, 1, 1e6, "noise alone");
	check_rotation(1000, 6, 1e6, 1, 0.3, "far from 0");
	check_rotation(1000, 2, 0, 1e200, 0.3, "large");
	check_rotation(1000, 2, 0, 1e-200, 0.3, "small");
	check_rotation(6, 2, 0, 1, 0.5, "as few rows as can be");
	check_rotation(14, 6, 0, 1, 0.5, "as few rows as can be, six columns");
	check_rotation(0, 2, 0, 1, 0, "no row");
	check_rotation_law();
	check_all_outliers();
	check_quantiles();
	check_scores(1, 1);
	check_scores(500, 1);
	check_scores(500, 1e-3);
	check_shuffle(4000, 0.7, 0.9, false);
	check_shuffle(3000, -1, 0.3, true);
	check_shuffle_edges();
	return unit_finish();
}
