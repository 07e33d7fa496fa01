/*
 * released_standard.c
 *		The columns of a form as standard values.
 *
 * Numbers as they are, the logarithms of their sizes, their ranks or their
 * squares, with mean 0 and deviation 1: so what a fit or a spread is in one
 * column it is in all.  What is learned from makes the scale, and what is
 * attacked is put on it.
 */
#include "kernel/intruder/released.h"

#include <math.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"

/* Beyond these a number is as a missing one: its square is none, and would
 * make none of all others. */
static const double most_of[] = {
	[SDC_MEASURE_VALUE] = 1e150,
	[SDC_MEASURE_SIZE] = INFINITY,
	[SDC_MEASURE_RANK] = INFINITY,
	[SDC_MEASURE_SQUARE] = 1e75,
};

/*
 * What is added to sizes before their logarithm is taken: nothing where all
 * are positive, else a tenth of the mean.
 */
static double
least_size(const double *value, int32_t n)
{
	double mean = 0;
	int32_t known = 0;
	bool positive = true;
	int32_t i;

	for (i = 0; i < n; i++)
		if (isfinite(value[i]))
		{
			mean += (fabs(value[i]) - mean) / ++known;
			positive = positive && value[i] > 0;
		}
	return positive ? 0 : mean / 10;
}

/* A measure of the numbers that it is learned from. */
typedef struct Scale
{
	SdcMeasure measure;
	double least;
	int exponent;     /* of the greatest one */
	uint64_t *sorted; /* of ranks */
	int32_t count;
} Scale;

/* The logarithm of a size, with the sign of the value.  It is that beside the
 * greatest one, so the same, bit by bit, in other units by a power of two. */
static double
size_of(const Scale *scale, double x)
{
	int exponent;

	if (scale->least > 0)
		return copysign(sdc_random_log(1 + fabs(x) / scale->least), x);
	x = frexp(x, &exponent);
	return sdc_random_log(x) + (exponent - scale->exponent) * M_LN2;
}

static inline double
measured(const Scale *scale, double x)
{
	uint64_t key;
	size_t n;

	if (!isfinite(x) || fabs(x) > most_of[scale->measure])
		return NAN;
	if (scale->measure == SDC_MEASURE_SIZE)
		return size_of(scale, x);
	if (scale->measure == SDC_MEASURE_VALUE)
		return x;
	if (scale->measure == SDC_MEASURE_SQUARE)
		return x * x;
	key = sdc_sort_key(x);
	n = (size_t) scale->count;
	return (double) (sdc_sort_keys_below(scale->sorted, n, key) +
					 sdc_sort_keys_below(scale->sorted, n, key + 1)) /
		   (2.0 * scale->count);
}

/* Sorts the finite values for their ranks. */
static void
sort_values(SdcHost *host, const double *value, int32_t n, Scale *scale)
{
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t i;

	scale->sorted = sdc_new(host, uint64_t, (size_t) n + 1);
	for (i = 0; i < n; i++)
		if (isfinite(value[i]))
		{
			row[scale->count] = i;
			scale->sorted[scale->count++] = sdc_sort_key(value[i]);
		}
	sdc_sort_keys(host, scale->sorted, row, (size_t) scale->count);
	host->release(host, row);
}

/* Copies a column by its measure. */
static double *
measure_column(SdcHost *host, const Scale *scale, const double *value,
			   int32_t n)
{
	double *measure = sdc_new(host, double, (size_t) n + 1);
	int32_t i;

	for (i = 0; i < n; i++)
		measure[i] = measured(scale, value[i]);
	return measure;
}

bool
sdc_learning_make_standard(double *learned, double *shown, int32_t n)
{
	double mean = 0;
	double square = 0;
	int32_t known = 0;
	double deviation;
	int32_t i;

	for (i = 0; i < n; i++)
		if (!isnan(learned[i]))
			mean += (learned[i] - mean) / ++known;
	for (i = 0; i < n; i++)
	{
		double error = learned[i] - mean;

		if (!isnan(error))
			square += error * error / known;
	}
	deviation = square > 0 ? sqrt(square) : 1;
	for (i = 0; i < n; i++)
		learned[i] = (learned[i] - mean) / deviation;
	for (i = 0; i < n && shown != learned; i++)
		shown[i] = (shown[i] - mean) / deviation;
	return square > 0;
}

/* A column as standard values, as it is learned and as it is shown: the same
 * array where both are the same. */
static void
standardize(SdcHost *host, const double *learned, const double *shown,
			int32_t n, SdcMeasure measure, double **standard,
			double **standard_shown)
{
	Scale scale = {measure, least_size(learned, n), 0, NULL, 0};

	frexp(sdc_greatest_size(learned, (size_t) n), &scale.exponent);
	if (measure == SDC_MEASURE_RANK)
		sort_values(host, learned, n, &scale);
	*standard = measure_column(host, &scale, learned, n);
	*standard_shown =
		shown == learned ? *standard : measure_column(host, &scale, shown, n);
	(void) sdc_learning_make_standard(*standard, *standard_shown, n);
	host->release(host, scale.sorted);
}

/* Where many lack a value, the column is no variable of any. */
static void
leave_out_gaps(double *standard, int32_t n)
{
	int32_t gaps = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		gaps += isnan(standard[i]);
	for (i = 0; i < n && gaps > n / 10; i++)
		standard[i] = 0;
}

double *
sdc_learning_standard(SdcHost *host, const double *value, int32_t n,
					  SdcMeasure measure)
{
	double *standard;
	double *shown;

	standardize(host, value, value, n, measure, &standard, &shown);
	leave_out_gaps(standard, n);
	return standard;
}

/* What is known of persons. */
static void
take_known(SdcLearning *learning, SdcMeasure measure)
{
	const SdcIntruderReleased *released = learning->released;
	int32_t persons = learning->intruder->persons;
	int c;

	learning->known = released->known;
	for (c = 0; c < released->known; c++)
	{
		const double *named = released->person[c];
		const double *learned = released->person_learned != NULL &&
										released->person_learned[c] != NULL
									? released->person_learned[c]
									: named;

		standardize(learning->intruder->host, learned, named, persons, measure,
					&learning->person[c], &learning->named[c]);
		leave_out_gaps(learning->person[c], persons);
		learning->raw[c] = learned == named ? named : NULL;
	}
}

/* A column of the records, as it is learned and as it is attacked. */
static void
take_record(SdcLearning *learning, int at, const double *learned,
			const double *shown, SdcMeasure measure)
{
	standardize(learning->intruder->host, learned, shown,
				learning->intruder->records, measure, &learning->record[at],
				&learning->shown[at]);
}

/* The squares of standard values. */
static double *
square_column(SdcHost *host, const double *standard, int32_t n)
{
	double *square = sdc_new(host, double, (size_t) n + 1);
	int32_t i;

	for (i = 0; i < n; i++)
		square[i] = standard[i] * standard[i];
	return square;
}

/* The squares of what is known, and of the masked keys, as further ones. */
static void
take_squares(SdcLearning *learning)
{
	SdcHost *host = learning->intruder->host;
	int32_t persons = learning->intruder->persons;
	int known = learning->known;
	int masks = learning->masks;
	int c;

	for (c = 0; c < known; c++)
	{
		int at = learning->known++;

		learning->person[at] =
			square_column(host, learning->person[c], persons);
		learning->named[at] =
			learning->named[c] == learning->person[c]
				? learning->person[at]
				: square_column(host, learning->named[c], persons);
	}
	for (c = 0; c < masks; c++)
	{
		int at = learning->masks++;

		learning->record[at] = learning->shown[at] = square_column(
			host, learning->record[c], learning->intruder->records);
	}
}

void
sdc_learning_take_columns(SdcLearning *learning, SdcMeasure measure)
{
	const SdcIntruderReleased *released = learning->released;
	SdcMeasure of_keys =
		measure == SDC_MEASURE_SQUARE ? SDC_MEASURE_VALUE : measure;
	int c;

	learning->measure = measure;
	take_known(learning, of_keys);
	learning->masks = released->masks;
	for (c = 0; c < released->masks; c++)
		take_record(learning, c, released->mask[c], released->mask[c],
					of_keys);
	if (measure == SDC_MEASURE_SQUARE)
		take_squares(learning);
	for (c = 0; c < released->columns; c++)
		take_record(learning, learning->masks + c,
					released->learned != NULL && released->learned[c] != NULL
						? released->learned[c]
						: released->record[c],
					released->record[c], measure);
}

void
sdc_learning_drop_columns(const SdcLearning *learning)
{
	SdcHost *host = learning->intruder->host;
	int c;

	for (c = 0; c < learning->known; c++)
	{
		if (learning->named[c] != learning->person[c])
			host->release(host, learning->named[c]);
		host->release(host, learning->person[c]);
	}
	for (c = 0; c < learning->masks + learning->released->columns; c++)
	{
		if (learning->shown[c] != learning->record[c])
			host->release(host, learning->shown[c]);
		host->release(host, learning->record[c]);
	}
}
