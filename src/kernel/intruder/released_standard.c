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

/* The logarithm of a size, with the sign of the value. */
static double
size_of(double x, double least)
{
	return least == 0 ? sdc_random_log(x)
					  : copysign(sdc_random_log(1 + fabs(x) / least), x);
}

typedef struct Scale
{
	SdcMeasure measure;
	double least;
	double mean;
	double deviation;
	uint64_t *sorted; /* of ranks */
	int32_t count;
	double *own; /* the values it was made of, scaled */
} Scale;

static inline double
scaled(const Scale *scale, double x)
{
	uint64_t key;
	size_t n;

	if (!isfinite(x) || fabs(x) > most_of[scale->measure])
		return NAN;
	if (scale->measure == SDC_MEASURE_SIZE)
		return size_of(x, scale->least);
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

static Scale
scale_of(SdcHost *host, const double *value, int32_t n, SdcMeasure measure)
{
	Scale scale = {measure, least_size(value, n), 0, 1, NULL, 0, NULL};
	double square = 0;
	int32_t known = 0;
	int32_t i;

	if (measure == SDC_MEASURE_RANK)
		sort_values(host, value, n, &scale);
	scale.own = sdc_new(host, double, (size_t) n + 1);
	for (i = 0; i < n; i++)
	{
		double x = scaled(&scale, value[i]);

		scale.own[i] = x;
		if (!isnan(x))
			scale.mean += (x - scale.mean) / ++known;
	}
	for (i = 0; i < n; i++)
	{
		double error = scale.own[i] - scale.mean;

		if (!isnan(error))
			square += error * error / known;
	}
	if (square > 0)
		scale.deviation = sqrt(square);
	return scale;
}

/* The values that a scale was made of as standard ones: the caller's now. */
static double *
standardize_own(const Scale *scale, int32_t n)
{
	int32_t i;

	for (i = 0; i < n; i++)
		scale->own[i] = (scale->own[i] - scale->mean) / scale->deviation;
	return scale->own;
}

/* Copies a column as standard values. */
static double *
standardize(SdcHost *host, const Scale *scale, const double *value, int32_t n)
{
	double *standard = sdc_new(host, double, (size_t) n + 1);
	int32_t i;

	for (i = 0; i < n; i++)
		standard[i] =
			(scaled(scale, value[i]) - scale->mean) / scale->deviation;
	return standard;
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
	Scale scale = scale_of(host, value, n, measure);
	double *standard = standardize_own(&scale, n);

	host->release(host, scale.sorted);
	leave_out_gaps(standard, n);
	return standard;
}

/* What is known of persons. */
static void
take_known(SdcLearning *learning, SdcMeasure measure)
{
	const SdcIntruderReleased *released = learning->released;
	SdcHost *host = learning->intruder->host;
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
		Scale scale = scale_of(host, learned, persons, measure);

		learning->person[c] = standardize_own(&scale, persons);
		leave_out_gaps(learning->person[c], persons);
		learning->named[c] = learned == named
								 ? learning->person[c]
								 : standardize(host, &scale, named, persons);
		learning->raw[c] = learned == named ? named : NULL;
		host->release(host, scale.sorted);
	}
}

/* A column of the records, as it is learned and as it is attacked. */
static void
take_record(SdcLearning *learning, int at, const double *learned,
			const double *shown, SdcMeasure measure)
{
	SdcHost *host = learning->intruder->host;
	int32_t records = learning->intruder->records;
	Scale scale = scale_of(host, learned, records, measure);

	learning->record[at] = standardize_own(&scale, records);
	learning->shown[at] = learned == shown
							  ? learning->record[at]
							  : standardize(host, &scale, shown, records);
	host->release(host, scale.sorted);
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
