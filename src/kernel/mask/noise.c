/*
 * noise.c
 *		Additive noise whose variance is a share of the column's own; values in
 *		the order of draws.
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
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/linear/square.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/rank_swap.h"

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

/* A deviation of the noise is as wide as 2^STEPS steps at least. */
#define STEPS 24

double
sdc_noise_step(double deviation)
{
	double step;

	if (!(deviation > 0) || !isfinite(deviation))
		return 0;
	step = ldexp(1, ilogb(deviation) - STEPS);
	return isnormal(step) ? step : 0;
}

double
sdc_noise_snap(double masked, double step)
{
	/* from 2^53 steps on all doubles are whole steps */
	if (step == 0 || !(fabs(masked) < step * 0x1p53))
		return masked;
	return rint(masked / step) * step;
}

void
sdc_noise_add(SdcHost *host, SdcNoiseLaw law, const double *value, int32_t n,
			  double alpha, SdcRandom *random, double *masked)
{
	SdcScale scale = sdc_scale_measure(host, value, NULL, (size_t) n, 1);
	double deviation = sqrt(alpha) * scale.deviation;
	double step = sdc_noise_step(sdc_scale_restore(&scale, deviation));
	int32_t i;

	host->stage(host, "adding noise");
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, n);
		masked[i] = value[i];
		if (deviation > 0)
		{
			double noise = deviation * sdc_noise_draw(law, random);

			masked[i] = sdc_noise_snap(
				value[i] + sdc_scale_restore(&scale, noise), step);
		}
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
	double step[SDC_MAX_COLUMNS];
	int32_t n = (int32_t) rows->rows;
	int32_t i;
	int j;
	int l;

	host->stage(host, "adding noise");
	for (j = 0; j < rows->columns; j++)
	{
		scale[j] =
			sdc_scale_measure(host, rows->column[j], NULL, rows->rows, 1);
		step[j] = sdc_noise_step(
			sdc_scale_restore(&scale[j], sqrt(alpha) * scale[j].deviation));
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
			masked->column[j][i] = sdc_noise_snap(
				rows->column[j][i] + sdc_scale_restore(&scale[j], noise),
				step[j]);
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

/*
 * The step of masked outliers: that of the noise of the one whose distance
 * beyond the limit is the geometric mean, so that a single one that is far off
 * does not make all others coarse.  It must not be the outlier's own, which
 * would tell how far off he was.
 */
static double
outlier_step(const SdcOutlierLimits *limits, const double *value, int32_t n,
			 double alpha)
{
	double mean = 0;
	int32_t outliers = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		double beyond = sdc_noise_beyond(limits, value[i]);

		if (beyond != 0)
			mean += (ilogb(beyond) - mean) / ++outliers;
	}
	return sdc_noise_step(sqrt(alpha) * ldexp(1, (int) rint(mean)));
}

/* A masked outlier on whole steps, away from the limit: it stays one. */
static double
snap_outwards(double masked, double step, bool high)
{
	double snapped = sdc_noise_snap(masked, step);

	if (high ? snapped < masked : snapped > masked)
		snapped += high ? step : -step;
	return snapped;
}

void
sdc_noise_add_outliers(SdcHost *host, const double *value, int32_t n,
					   double alpha, double threshold, SdcRandom *random,
					   double *masked)
{
	SdcOutlierLimits limits = sdc_noise_outlier_limits(value, n, threshold);
	double deviation = sdc_noise_outlier_deviation(alpha);
	double step = outlier_step(&limits, value, n, alpha);
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
		masked[i] = snap_outwards(
			limits.median + (beyond > 0 ? limits.distance : -limits.distance) +
				beyond * sdc_exp(deviation * sdc_random_normal(random) -
								 deviation * deviation / 2),
			step, beyond > 0);
	}
}

/* ---------------------------------------------------------------------------
 * Noise that keeps means and covariances exactly.
 */

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
		double along = sdc_dot(column, unit[u], n);

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
	double before = sdc_dot(column, column, n);
	double left;
	int32_t i;

	make_orthogonal(column, n, unit, *units);
	make_orthogonal(column, n, unit, *units);
	left = sdc_dot(column, column, n);
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
			rotation->along[j][u] = sdc_dot(own, rotation->unit[u], n);
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

/* ---------------------------------------------------------------------------
 * Values in the order of draws.
 */

/* A polynomial of degree 7, the highest power first. */
static double
polynomial(const double factor[8], double x)
{
	double sum = 0;
	int i;

	for (i = 0; i < 8; i++)
		sum = sum * x + factor[i];
	return sum;
}

double
sdc_noise_normal_quantile(double p)
{
	/* numerator and denominator near the middle, further out, in the tails */
	static const double middle[2][8] = {
		{2.5090809287301226727e3, 3.3430575583588128105e4,
		 6.7265770927008700853e4, 4.5921953931549871457e4,
		 1.3731693765509461125e4, 1.9715909503065514427e3,
		 1.3314166789178437745e2, 3.3871328727963666080e0},
		{5.2264952788528545610e3, 2.8729085735721942674e4,
		 3.9307895800092710610e4, 2.1213794301586595867e4,
		 5.3941960214247511077e3, 6.8718700749205790830e2,
		 4.2313330701600911252e1, 1}};
	static const double outer[2][8] = {
		{7.74545014278341407640e-4, 2.27238449892691845833e-2,
		 2.41780725177450611770e-1, 1.27045825245236838258e0,
		 3.64784832476320460504e0, 5.76949722146069140550e0,
		 4.63033784615654529590e0, 1.42343711074968357734e0},
		{1.05075007164441684324e-9, 5.47593808499534494600e-4,
		 1.51986665636164571966e-2, 1.48103976427480074590e-1,
		 6.89767334985100004550e-1, 1.67638483018380384940e0,
		 2.05319162663775882187e0, 1}};
	static const double tail[2][8] = {
		{2.01033439929228813265e-7, 2.71155556874348757815e-5,
		 1.24266094738807843860e-3, 2.65321895265761230930e-2,
		 2.96560571828504891230e-1, 1.78482653991729133580e0,
		 5.46378491116411436990e0, 6.65790464350110377720e0},
		{2.04426310338993978564e-15, 1.42151175831644588870e-7,
		 1.84631831751005468180e-5, 7.86869131145613259100e-4,
		 1.48753612908506148525e-2, 1.36929880922735805310e-1,
		 5.99832206555887937690e-1, 1}};
	double off = p - 0.5;
	double r;
	double x;

	if (fabs(off) <= 0.425)
	{
		r = 0.180625 - off * off;
		return off * polynomial(middle[0], r) / polynomial(middle[1], r);
	}
	r = sqrt(-sdc_random_log(off < 0 ? p : 1 - p));
	if (r <= 5)
		x = polynomial(outer[0], r - 1.6) / polynomial(outer[1], r - 1.6);
	else
		x = polynomial(tail[0], r - 5) / polynomial(tail[1], r - 5);
	return off < 0 ? -x : x;
}

/* The row numbers of a column in ascending order; equal values keep theirs in
 * order[], which is sorted. */
static void
sort_column(SdcHost *host, const double *value, int32_t *order, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n);
	int32_t i;

	for (i = 0; i < n; i++)
		key[i] = sdc_sort_key(value[order[i]]);
	sdc_sort_keys(host, key, order, (size_t) n);
	host->release(host, key);
}

/* Normal scores of the ranks of a column; order[] is scratch. */
static void
score_column(SdcHost *host, const double *value, int32_t n, int32_t *order,
			 double *score)
{
	int32_t first;
	int32_t next;
	int32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	sort_column(host, value, order, n);
	for (first = 0; first < n; first = next)
	{
		double middle;

		for (next = first;
			 next < n && value[order[next]] == value[order[first]]; next++)
			;
		middle = ((double) first + next) / 2 / n;
		for (i = first; i < next; i++)
			score[order[i]] = sdc_noise_normal_quantile(middle);
	}
}

/*
 * Turns scores into draws, where the first columns are given and what is
 * behind them is masked: a record's given scores tell the independent parts
 * that they are made of, and the other ones are drawn.
 */
static void
draw_given(SdcHost *host, SdcMatrix *scores, int given, SdcRandom *random)
{
	double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS];
	double part[SDC_MAX_COLUMNS];
	size_t i;
	int j;
	int l;

	for (j = 0; j < scores->columns; j++)
	{
		host->poll(host, j, scores->columns);
		for (l = 0; l <= j; l++)
			factor[j][l] = sdc_dot(scores->column[j], scores->column[l],
								   (int32_t) scores->rows);
	}
	sdc_noise_factorize(factor, scores->columns);
	for (i = 0; i < scores->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, scores->rows);
		for (j = 0; j < scores->columns; j++)
		{
			double sum = 0;

			for (l = 0; l < j; l++)
				sum += factor[j][l] * part[l];
			if (j >= given)
				/* the factor is that of sums, not of means */
				part[j] =
					sdc_random_normal(random) / sqrt((double) scores->rows);
			else
				part[j] = factor[j][j] > 0
							  ? (scores->column[j][i] - sum) / factor[j][j]
							  : 0;
			scores->column[j][i] = sum + factor[j][j] * part[j];
		}
	}
}

/* Puts the values of a column in the order of draws; equal ones by chance. */
static void
order_values(SdcHost *host, const double *value, const double *draw, int32_t n,
			 SdcRandom *random, double *masked)
{
	int32_t *from = sdc_new(host, int32_t, (size_t) n);
	int32_t *to = sdc_new(host, int32_t, (size_t) n);
	int32_t i;

	for (i = 0; i < n; i++)
		from[i] = i;
	sort_column(host, value, from, n);
	sdc_rank_shuffle(host, n, random, to);
	sort_column(host, draw, to, n);
	for (i = 0; i < n; i++)
		masked[to[i]] = value[from[i]];
	host->release(host, from);
	host->release(host, to);
}

void
sdc_noise_shuffle(SdcHost *host, const SdcMatrix *rows, int given,
				  SdcRandom *random, SdcMatrix *masked)
{
	int32_t n = (int32_t) rows->rows;
	int hidden = rows->columns - given;
	SdcMatrix scores = {rows->rows, rows->columns,
						sdc_new(host, double *, rows->columns)};
	int32_t *order = sdc_new(host, int32_t, rows->rows);
	int j;

	host->stage(host, "drawing values given others");
	for (j = 0; j < rows->columns; j++)
	{
		scores.column[j] = sdc_new(host, double, rows->rows);
		score_column(host, rows->column[j < given ? hidden + j : j - given], n,
					 order, scores.column[j]);
	}
	host->release(host, order);
	draw_given(host, &scores, given, random);
	for (j = 0; j < hidden; j++)
		order_values(host, rows->column[j], scores.column[given + j], n,
					 random, masked->column[j]);
	for (j = 0; j < rows->columns; j++)
		host->release(host, scores.column[j]);
	host->release(host, scores.column);
}
