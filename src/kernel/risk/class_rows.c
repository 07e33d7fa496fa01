/*
 * class_rows.c
 *		The counts of the values of a class, as a row with a place for each.
 *
 * Loops have no branch where they can do without one: what is in a row cannot
 * be foreseen.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/risk/class_rows.h"

/* libm: log, in a measure, not in a mask. */

SDC_CLONES bool
sdc_class_row_within(const double *cap, const double *floor,
					 const int32_t *row, int32_t width, double most,
					 double least)
{
	int64_t beyond = 0;
	int32_t i;

	for (i = 0; i < width; i++)
	{
		double count = row[i];

		beyond |= (count > cap[i] * most) |
				  ((row[i] > 0) & (count < floor[i] * least));
	}
	return beyond == 0;
}

SDC_CLONES double
sdc_class_row_excess(const double *share, const int32_t *row, int32_t width,
					 double records)
{
	double sum[SDC_CLASS_ROW_STEP] = {0};
	double all = 0;
	int32_t i;
	int k;

	for (i = 0; i < width; i += SDC_CLASS_ROW_STEP)
		for (k = 0; k < SDC_CLASS_ROW_STEP; k++)
		{
			double more = row[i + k] - share[i + k] * records;

			sum[k] += more > 0 ? more : 0;
		}
	for (k = 0; k < SDC_CLASS_ROW_STEP; k++)
		all += sum[k];
	return all;
}

SDC_CLONES int32_t
sdc_class_row_most(const int32_t *row, int32_t width, int32_t *values)
{
	int32_t most = 0;
	int32_t found = 0;
	int32_t i;

	for (i = 0; i < width; i++)
	{
		most = row[i] > most ? row[i] : most;
		found += row[i] > 0;
	}
	*values = found;
	return most;
}

double
sdc_class_row_entropy(const double *x_ln_x, int32_t logs, const int32_t *row,
					  int32_t width, double records)
{
	double sum = records * log(records);
	int32_t i;

	for (i = 0; i < width; i++)
		sum -= row[i] < logs ? x_ln_x[row[i]]
							 : (double) row[i] * log((double) row[i]);
	return sum;
}

double
sdc_class_row_steps(const double *upto, const double *step, const int32_t *row,
					int32_t width, double records)
{
	double held = 0;
	double sum = 0;
	int32_t i;

	for (i = 0; i < width; i++)
	{
		held += row[i];
		sum += step[i] * fabs(held - upto[i] * records);
	}
	return sum;
}

SDC_CLONES void
sdc_class_rows_add(const int32_t *row, int32_t width, const int32_t *target,
				   int32_t n, int32_t *to)
{
	size_t step = (size_t) width;
	int32_t c;
	size_t i;
	int k;

	for (c = 0; c < n; c++, row += step)
	{
		int32_t *sum = to + (size_t) target[c] * step;

		for (i = 0; i < step; i += SDC_CLASS_ROW_STEP)
			for (k = 0; k < SDC_CLASS_ROW_STEP; k++)
				sum[i + (size_t) k] += row[i + (size_t) k];
	}
}
