/*
 * intruder_noise.c
 *		What the intruder knows of values to which noise was added, and of
 *		places that were moved.
 *
 * Noise of several columns that keeps their correlations is L z, with L the
 * Cholesky factor of alpha Cov and z independent draws of the mask's law.  The
 * intruder takes alpha Cov from the masked file, whose covariance is 1 +
 * alpha times the original's, and L as the mask does.  With L^-1 before the
 * values of both files, what was added is z itself: the columns of the term
 * are independent again, and each has the same curve over the difference.
 * Taking correlated columns one by one would count the same evidence several
 * times.
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>

#include "kernel/base/elementary.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"

/* Rows of a stratum, in columns, with a covariance of its own. */
#define STRATUM_ROWS 10

/*
 * The edge of uniform noise is as blurred as its estimated width, unless the
 * intruder knows that exactly.  Uniform draws are stretched so that the edge,
 * at sqrt(3) of them, falls on a point of the curve.
 */
#define EDGE_BLUR  0.02
#define SHARP_EDGE 0.002
#define EDGE       1.75

/*
 * How rarely the rule of an exact edge fails, where nobody tells: the usual
 * rate makes those who are beyond the edge in one column of several rivals.
 */
#define EXACT_ERROR 1e-5

/* Points of what is rounded to one value, and the least density of that. */
#define ROUNDED_POINTS 64
#define LEAST_DENSITY  1e-30

/* A spacing of values is taken to be at least so many deviations of noise. */
#define LEAST_SPACING 1e-3

/* What is whitened, column by column. */
typedef struct Whitening
{
	SdcIntruder *intruder;
	const SdcIntruderNoise *noise;
	SdcTerm *term;
	int column[SDC_MAX_COLUMNS];     /* of the noise, in the term's order */
	SdcScale scale[SDC_MAX_COLUMNS]; /* the same order */
	double stretch;                  /* of the draws */
	/* of a column alone that lies anywhere between two edges: to what it was
	 * rounded then, as stretched; else 0, and the rounding is in the factor */
	double rounded;
	/* of the stratum */
	double factor[SDC_MAX_COLUMNS][SDC_MAX_COLUMNS];
} Whitening;

/* ---------------------------------------------------------------------------
 * Scores.
 */

/* A curve at a difference in units of the noise. */
static inline float
curve_at(const float *curve, double x)
{
	double place = (x < 0 ? -x : x) * SDC_CURVE_STEPS;
	int k;
	float part;

	if (!(place < SDC_CURVE_POINTS - 1))
		return curve[SDC_CURVE_POINTS - 1];
	k = (int) place;
	part = (float) (place - k);
	return curve[k] + part * (curve[k + 1] - curve[k]);
}

float
sdc_noise_score(const SdcTermHead *term, const float *curve,
				const double *difference, int known)
{
	float x = 0;
	int c;

	if (known == 0)
		return 0;
	for (c = 0; c < known; c++)
		x += curve_at(curve + c * SDC_CURVE_POINTS, difference[c]);
	if (x > 30)
		return x;
	return sdc_log_float((1 - term->error) * sdc_exp_float(x) + term->error);
}

/*
 * Log density of the law, in deviations, or as uniform draws are stretched.
 * One that is sharp falls steeply behind the point at the edge.
 */
static double
log_density(SdcNoiseLaw law, double x, bool sharp)
{
	if (law == SDC_NOISE_LAPLACE)
		return -sqrt(2) * x - 0.34657359027997264;
	if (law == SDC_NOISE_UNIFORM)
		return -sdc_random_log(2 * EDGE) -
			   (sharp ? fmax(0, (x - EDGE) / SHARP_EDGE)
					  : sdc_random_log(1 + sdc_exp((x - EDGE) / EDGE_BLUR)));
	return -0.5 * x * x - 0.91893853320467278;
}

/* The same of what was rounded then: the mean over all that gives a value. */
static double
log_rounded_density(SdcNoiseLaw law, double x, bool sharp, double rounded)
{
	double sum = 0;
	int k;

	if (rounded == 0)
		return log_density(law, x, sharp);
	for (k = 0; k < ROUNDED_POINTS; k++)
		sum += sdc_exp(log_density(
			law, fabs(x + ((k + 0.5) / ROUNDED_POINTS - 0.5) * rounded),
			sharp));
	return sdc_random_log(fmax(sum / ROUNDED_POINTS, LEAST_DENSITY));
}

/*
 * The mean of the log density of values, by spacings of about sqrt(n)
 * (Vasicek 1976).
 */
static double
mean_log_density(SdcHost *host, const double *value, int32_t n)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t known = sdc_sort_numbers(host, value, n, key, row);
	int32_t m = (int32_t) sqrt((double) known);
	double sum = 0;
	int32_t i;

	for (i = 0; i < known; i++)
	{
		int32_t low = i < m ? 0 : i - m;
		int32_t high = known - 1 - i < m ? known - 1 : i + m;
		double width = fmax(value[row[high]] - value[row[low]], LEAST_SPACING);

		sum += sdc_random_log((double) (high - low + 1) / known / width);
	}
	host->release(host, key);
	host->release(host, row);
	return known == 0 ? 0 : sum / known;
}

static void
draw_curves(const Whitening *white, bool sharp)
{
	SdcIntruder *intruder = white->intruder;
	SdcTerm *term = white->term;
	int columns = term->head.columns;
	int c;
	int i;

	term->curve =
		sdc_new(intruder->host, float, (size_t) columns *SDC_CURVE_POINTS);
	for (c = 0; c < columns; c++)
	{
		double level = mean_log_density(intruder->host, term->record_number[c],
										intruder->records);
		float *curve = term->curve + c * SDC_CURVE_POINTS;

		for (i = 0; i < SDC_CURVE_POINTS; i++)
			curve[i] =
				(float) (log_rounded_density(white->noise->law,
											 (double) i / SDC_CURVE_STEPS,
											 sharp, white->rounded) -
						 level);
	}
}

/* ---------------------------------------------------------------------------
 * Whitening.
 */

/* Those with the fewest missing values first, where the law allows it. */
static void
order_columns(Whitening *white)
{
	const SdcIntruderNoise *noise = white->noise;
	int32_t missing[SDC_MAX_COLUMNS];
	int32_t i;
	int c;
	int k;

	for (c = 0; c < noise->columns; c++)
	{
		missing[c] = 0;
		for (i = 0; i < white->intruder->persons; i++)
			missing[c] += isnan(noise->person[c][i]);
		for (k = c; k > 0 && noise->law == SDC_NOISE_GAUSSIAN &&
					missing[white->column[k - 1]] > missing[c];
			 k--)
			white->column[k] = white->column[k - 1];
		white->column[k] = c;
	}
}

/*
 * Copies the values of rows, less the mean of their stratum; returns how many
 * rows there are for each that a mean takes nothing from.
 */
static double
copy_residuals(const double *from, const uint64_t *key, const int32_t *row,
			   int32_t rows, double *to)
{
	int32_t free = 1;
	int32_t i;
	int32_t k;
	int32_t end;

	for (i = 0; i < rows; i = end)
	{
		double mean = 0;
		int32_t known = 0;

		for (end = i; end < rows && key[end] == key[i]; end++)
			if (!isnan(from[row[end]]))
				mean += (from[row[end]] - mean) / ++known;
		for (k = i; k < end; k++)
			to[k] = from[row[k]] - mean;
		free += end - i - 1;
	}
	return (double) rows / free;
}

/*
 * The covariance of the noise in the rows of a file within strata, and its
 * factor.
 */
static void
find_factor(Whitening *white, const uint64_t *key, const int32_t *row,
			int32_t rows)
{
	const SdcIntruderNoise *noise = white->noise;
	SdcHost *host = white->intruder->host;
	const double *const *value =
		noise->by_person ? noise->person : noise->record;
	double share =
		noise->by_person ? noise->alpha : noise->alpha / (1 + noise->alpha);
	double **part = sdc_new(host, double *, noise->columns);
	int c;
	int l;

	for (c = 0; c < noise->columns; c++)
	{
		const SdcScale *scale = &white->scale[c];
		SdcScale own;
		double taken;

		part[c] = sdc_new(host, double, (size_t) rows + 1);
		taken =
			copy_residuals(value[white->column[c]], key, row, rows, part[c]);
		own = sdc_scale_measure(host, part[c], NULL, (size_t) rows, 1);
		/* the covariance, as values were multiplied in the whole file */
		for (l = 0; l <= c; l++)
		{
			SdcScale other =
				sdc_scale_measure(host, part[l], NULL, (size_t) rows, 1);
			double product = sdc_scale_covariance(
				host, part[c], &own, part[l], &other, (size_t) rows, 1, NULL);

			white->factor[c][l] =
				isnan(product)
					? 0
					: share * taken *
						  ldexp(product, own.exponent - scale->exponent +
											 other.exponent -
											 white->scale[l].exponent);
		}
		if (noise->deviation > 0)
		{
			double given = ldexp(noise->deviation, -scale->exponent);

			white->factor[c][c] = given * given;
		}
		if (noise->base[white->column[c]] > 0)
		{
			double base =
				ldexp(noise->base[white->column[c]], -scale->exponent);

			if (noise->law == SDC_NOISE_UNIFORM && noise->columns == 1 &&
				noise->record_stratum == NULL)
				white->rounded = base;
			else
				white->factor[c][c] += base * base / 12;
		}
	}
	sdc_noise_factorize(white->factor, noise->columns);
	if (white->rounded > 0 && white->factor[0][0] > 0)
		white->rounded *= white->stretch / white->factor[0][0];
	for (c = 0; c < noise->columns; c++)
		host->release(host, part[c]);
	host->release(host, part);
}

/* Puts L^-1 before the values of a row. */
static void
whiten_row(const Whitening *white, const double *const *from, int32_t row,
		   double **to)
{
	int columns = white->noise->columns;
	double value[SDC_MAX_COLUMNS];
	bool known = true;
	int c;
	int l;

	for (c = 0; c < columns; c++)
	{
		double x = from[white->column[c]][row];
		double pivot = white->factor[c][c];

		known = known && !isnan(x);
		value[c] = known ? sdc_scale_centre(&white->scale[c], x) : NAN;
		for (l = 0; l < c; l++)
			value[c] -= white->factor[c][l] * value[l];
		/* a column without noise of its own tells nothing here */
		value[c] = pivot > 0 ? value[c] / pivot : known ? 0 : NAN;
		to[c][row] = value[c] * white->stretch;
	}
}

/* The rows of a file by stratum: key[k] is that of row[k]. */
static void
order_rows(SdcHost *host, const uint32_t *stratum, int32_t rows, uint64_t *key,
		   int32_t *row)
{
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		key[i] = stratum == NULL ? 0 : stratum[i];
		row[i] = i;
	}
	if (stratum != NULL)
		sdc_sort_keys(host, key, row, (size_t) rows);
}

/*
 * Whitens both files, stratum by stratum.  One with too few rows for a
 * covariance of its own has that of the whole file.
 */
static void
whiten(Whitening *white)
{
	const SdcIntruderNoise *noise = white->noise;
	SdcIntruder *intruder = white->intruder;
	SdcHost *host = intruder->host;
	int32_t rows[2] = {intruder->records, intruder->persons};
	const uint32_t *stratum[2] = {noise->record_stratum,
								  noise->person_stratum};
	const double *const *from[2] = {noise->record, noise->person};
	double **to[2] = {white->term->record_number, white->term->person_number};
	int shape = noise->by_person; /* the file with the covariance */
	uint64_t *key[2];
	int32_t *row[2];
	int32_t next[2] = {0, 0};
	int32_t i;
	int32_t end;
	int f;

	for (f = 0; f < 2; f++)
	{
		key[f] = sdc_new(host, uint64_t, (size_t) rows[f] + 1);
		row[f] = sdc_new(host, int32_t, (size_t) rows[f] + 1);
		order_rows(host, stratum[f], rows[f], key[f], row[f]);
	}
	find_factor(white, key[shape], row[shape], rows[shape]);
	for (f = 0; f < 2; f++)
		for (i = 0; i < rows[f]; i++)
			whiten_row(white, from[f], i, to[f]);
	for (i = 0; stratum[0] != NULL && i < rows[shape]; i = end)
	{
		for (end = i; end < rows[shape] && key[shape][end] == key[shape][i];)
			end++;
		if (end - i < STRATUM_ROWS * noise->columns || end - i == rows[shape])
			continue;
		find_factor(white, key[shape] + i, row[shape] + i, end - i);
		for (f = 0; f < 2; f++)
		{
			while (next[f] < rows[f] && key[f][next[f]] < key[shape][i])
				next[f]++;
			for (; next[f] < rows[f] && key[f][next[f]] == key[shape][i];
				 next[f]++)
				whiten_row(white, from[f], row[f][next[f]], to[f]);
		}
	}
	for (f = 0; f < 2; f++)
	{
		host->release(host, key[f]);
		host->release(host, row[f]);
	}
}

/*
 * Is the covariance of the noise known exactly?  It is that of the people, and
 * they are all that was masked, none of their values is missing, and rounding
 * is fine beside the noise.
 */
static bool
is_exact(const Whitening *white)
{
	const SdcIntruder *intruder = white->intruder;
	const SdcIntruderNoise *noise = white->noise;
	int32_t i;
	int c;

	if (!noise->by_person || noise->person_stratum != NULL ||
		intruder->persons != intruder->records)
		return false;
	for (c = 0; c < noise->columns; c++)
	{
		if (white->rounded == 0 &&
			ldexp(noise->base[white->column[c]], -white->scale[c].exponent) >
				SHARP_EDGE * white->factor[c][c])
			return false;
		for (i = 0; i < intruder->persons; i++)
			if (isnan(noise->person[c][i]))
				return false;
	}
	return true;
}

void
sdc_intruder_add_noise(SdcIntruder *intruder, const SdcIntruderNoise *noise)
{
	Whitening *white = sdc_new(intruder->host, Whitening, 1);
	SdcTerm *term =
		sdc_intruder_add_numbers(intruder, SDC_TERM_NOISE, noise->columns,
								 noise->person, noise->record);
	bool exact;
	int c;

	white->intruder = intruder;
	white->noise = noise;
	white->term = term;
	white->rounded = 0;
	white->stretch = noise->law == SDC_NOISE_UNIFORM ? EDGE / sqrt(3) : 1;
	order_columns(white);
	for (c = 0; c < noise->columns; c++)
		white->scale[c] =
			sdc_scale_measure(intruder->host, noise->record[white->column[c]],
							  NULL, (size_t) intruder->records, 1);
	whiten(white);
	exact = is_exact(white);
	draw_curves(white, exact);
	if (exact && noise->law == SDC_NOISE_UNIFORM &&
		intruder->error == SDC_INTRUDER_ERROR)
	{
		term->head.error = EXACT_ERROR;
		term->head.floor = sdc_log_float(term->head.error);
	}
	intruder->host->release(intruder->host, white);
}

/* ---------------------------------------------------------------------------
 * Places.
 */

/* Records whose surroundings are counted. */
#define RING_SAMPLES 512

/* The records within the outer radius of one, itself included. */
static int32_t
count_around(const SdcTerm *term, int32_t records, int32_t at)
{
	int32_t count = 0;
	int32_t i;
	int c;

	for (i = 0; i < records; i++)
	{
		double square = 0;

		for (c = 0; c < term->head.columns; c++)
		{
			double d = term->record_number[c][i] - term->record_number[c][at];

			square += d * d;
		}
		count += square <= 1;
	}
	return count;
}

/*
 * The log of the density of records around a record, in those of the file to
 * the area of the outer circle: the mean over some of them.
 */
static double
mean_log_around(SdcIntruder *intruder, const SdcTerm *term)
{
	int32_t records = intruder->records;
	int32_t step = (records - 1) / RING_SAMPLES + 1;
	int32_t known = 0;
	double sum = 0;
	int32_t k;

	for (k = 0; k < records; k += step)
	{
		int32_t count =
			count_around(term, records, sdc_random_of_step(k, step, records));

		intruder->host->poll(intruder->host, k, records);
		/* a place that is missing is not even near itself */
		if (count == 0)
			continue;
		sum += sdc_random_log((double) count / records);
		known++;
	}
	return known == 0 ? 0 : sum / known;
}

void
sdc_intruder_add_ring(SdcIntruder *intruder, const SdcIntruderRing *ring)
{
	SdcTerm *term = sdc_intruder_add_numbers(
		intruder, SDC_TERM_RING, ring->columns, ring->person, ring->record);
	double area = 1 - ring->inner * ring->inner;

	term->head.scale = ring->inner * ring->inner;
	/* a ring without width is a density that has no bound */
	term->head.level =
		-sdc_random_log(fmax(area, 1e-6)) - mean_log_around(intruder, term);
}
