/*
 * released_standard.c
 *		The columns of a form as standard values.
 *
 * Numbers as they are, the logarithms of their sizes, their ranks or their
 * squares, with mean 0 and deviation 1: so what a fit or a spread is in one
 * column it is in all.  What is learned from makes the scale, and what is
 * attacked is put on it.  Sizes and ranks are kept, as they take long to make.
 */
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"

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

/* How sizes are measured: as the numbers that they are learned from. */
typedef struct Scale
{
	double least;
	int exponent; /* of the greatest one */
} Scale;

/* The logarithm of a size, with the sign of the value.  It is that beside the
 * greatest one, so the same, bit by bit, in other units by a power of two. */
static double
size_of(const Scale *scale, double x)
{
	int exponent;

	if (!isfinite(x))
		return NAN;
	if (scale->least > 0)
		return copysign(sdc_random_log(1 + fabs(x) / scale->least), x);
	x = frexp(x, &exponent);
	return sdc_random_log(x) + (exponent - scale->exponent) * M_LN2;
}

static double *
measure_sizes(SdcHost *host, const Scale *scale, const double *number,
			  int32_t n)
{
	double *size = sdc_new(host, double, (size_t) n + 1);
	int32_t i;

	for (i = 0; i < n; i++)
		size[i] = size_of(scale, number[i]);
	return size;
}

/* The finite numbers in order; returns how many there are. */
static int32_t
sort_numbers(SdcHost *host, const double *number, int32_t n, uint64_t *sorted)
{
	int32_t *row = sdc_new(host, int32_t, (size_t) n + 1);
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		if (isfinite(number[i]))
		{
			row[count] = i;
			sorted[count++] = sdc_sort_key(number[i]);
		}
	sdc_sort_keys(host, sorted, row, (size_t) count);
	host->release(host, row);
	return count;
}

/* Where numbers are among those that are sorted. */
static uint32_t *
measure_places(SdcHost *host, const uint64_t *sorted, size_t count,
			   const double *number, int32_t n)
{
	uint32_t *place = sdc_new(host, uint32_t, (size_t) n + 1);
	int32_t i;

	for (i = 0; i < n; i++)
	{
		uint64_t key = sdc_sort_key(number[i]);

		place[i] =
			isfinite(number[i])
				? (uint32_t) (sdc_sort_keys_below(sorted, count, key) +
							  sdc_sort_keys_below(sorted, count, key + 1))
				: SDC_STANDARD_NO_PLACE;
	}
	return place;
}

/* Gives a column the mean and the deviation that its values have; false: all
 * are alike. */
static bool
find_moments(SdcStandard *column, int32_t n)
{
	double mean = 0;
	double square = 0;
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		double x = sdc_standard_at(column, i);

		if (!isnan(x))
			mean += (x - mean) / ++known;
	}
	for (i = 0; i < n; i++)
	{
		double error = sdc_standard_at(column, i) - mean;

		if (!isnan(error))
			square += error * error / known;
	}
	column->mean = mean;
	column->deviation = square > 0 ? sqrt(square) : 1;
	return square > 0;
}

bool
sdc_learning_make_standard(double *learned, double *shown, int32_t n)
{
	SdcStandard column = sdc_standard_kept(learned);
	bool differ = find_moments(&column, n);
	int32_t i;

	for (i = 0; i < n; i++)
		learned[i] = (learned[i] - column.mean) / column.deviation;
	for (i = 0; i < n && shown != learned; i++)
		shown[i] = (shown[i] - column.mean) / column.deviation;
	return differ;
}

/* Sizes as standard values, which are kept. */
static void
keep_sizes(SdcHost *host, const double *learned, const double *shown,
		   int32_t n, SdcStandard *standard, SdcStandard *standard_shown)
{
	Scale scale = {least_size(learned, n), 0};
	double *as_learned;
	double *as_shown;

	frexp(sdc_greatest_size(learned, (size_t) n), &scale.exponent);
	as_learned = as_shown = measure_sizes(host, &scale, learned, n);
	if (shown != learned)
		as_shown = measure_sizes(host, &scale, shown, n);
	(void) sdc_learning_make_standard(as_learned, as_shown, n);
	*standard = sdc_standard_kept(as_learned);
	*standard_shown = sdc_standard_kept(as_shown);
}

/* Ranks as standard values; half as much is kept of them. */
static void
keep_ranks(SdcHost *host, const double *learned, const double *shown,
		   int32_t n, SdcStandard *standard, SdcStandard *standard_shown)
{
	uint64_t *sorted = sdc_new(host, uint64_t, (size_t) n + 1);
	size_t count = (size_t) sort_numbers(host, learned, n, sorted);
	SdcStandard made = {learned, SDC_STANDARD_RANK,   0, 1,
						NULL,    2.0 * (double) count};

	made.place = measure_places(host, sorted, count, learned, n);
	(void) find_moments(&made, n);
	*standard = *standard_shown = made;
	standard_shown->number = shown;
	if (shown != learned)
		standard_shown->place = measure_places(host, sorted, count, shown, n);
	host->release(host, sorted);
}

/* A column as standard values, as it is learned and as it is shown: the same
 * numbers where both are the same. */
static void
standardize(SdcHost *host, const double *learned, const double *shown,
			int32_t n, SdcMeasure measure, SdcStandard *standard,
			SdcStandard *standard_shown)
{
	SdcStandard made = {learned, SDC_STANDARD_VALUE, 0, 1, NULL, 0};

	switch (measure)
	{
		case SDC_MEASURE_SIZE:
			keep_sizes(host, learned, shown, n, standard, standard_shown);
			return;
		case SDC_MEASURE_RANK:
			keep_ranks(host, learned, shown, n, standard, standard_shown);
			return;
		case SDC_MEASURE_SQUARE:
			made.of = SDC_STANDARD_SQUARE;
			break;
		default:
			break;
	}
	(void) find_moments(&made, n);
	*standard = *standard_shown = made;
	standard_shown->number = shown;
}

/* Where many lack a value, the column is no variable of any. */
static void
leave_out_gaps(SdcStandard *standard, int32_t n)
{
	int32_t gaps = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		gaps += isnan(sdc_standard_at(standard, i));
	if (gaps <= n / 10)
		return;
	if (standard->of != SDC_STANDARD_KEPT)
		standard->of = SDC_STANDARD_NOTHING;
	else
		memset(sdc_standard_values(standard), 0, sizeof(double) * (size_t) n);
}

/* Gives back a column that is kept, and what is shown of it. */
static void
drop_column(SdcHost *host, const SdcStandard *learned,
			const SdcStandard *shown)
{
	bool differ = shown->number != learned->number;

	if (learned->place != NULL)
	{
		if (differ)
			host->release(host, (void *) shown->place);
		host->release(host, (void *) learned->place);
	}
	if (learned->of != SDC_STANDARD_KEPT)
		return;
	if (differ)
		host->release(host, sdc_standard_values(shown));
	host->release(host, sdc_standard_values(learned));
}

double *
sdc_learning_standard(SdcHost *host, const double *value, int32_t n,
					  SdcMeasure measure)
{
	double *kept;
	SdcStandard made;
	SdcStandard shown;
	int32_t i;

	standardize(host, value, value, n, measure, &made, &shown);
	leave_out_gaps(&made, n);
	if (made.of == SDC_STANDARD_KEPT)
		return sdc_standard_values(&made);
	kept = sdc_new(host, double, (size_t) n + 1);
	for (i = 0; i < n; i++)
		kept[i] = sdc_standard_at(&made, i);
	drop_column(host, &made, &shown);
	return kept;
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
		leave_out_gaps(&learning->person[c], persons);
		if (learned == named)
			learning->named[c] = learning->person[c];
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

/* A column whose values are the squares of those of another one. */
static SdcStandard
squared(SdcStandard column)
{
	if (column.of == SDC_STANDARD_VALUE)
		column.of = SDC_STANDARD_SQUARED;
	return column;
}

/* The squares of what is known, and of the masked keys, as further ones. */
static void
take_squares(SdcLearning *learning)
{
	int known = learning->known;
	int masks = learning->masks;
	int c;

	for (c = 0; c < known; c++)
	{
		learning->named[learning->known] = squared(learning->named[c]);
		learning->person[learning->known++] = squared(learning->person[c]);
	}
	for (c = 0; c < masks; c++)
	{
		learning->shown[learning->masks] = squared(learning->record[c]);
		learning->record[learning->masks++] = squared(learning->record[c]);
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
		drop_column(host, &learning->person[c], &learning->named[c]);
	for (c = 0; c < learning->masks + learning->released->columns; c++)
		drop_column(host, &learning->record[c], &learning->shown[c]);
}
