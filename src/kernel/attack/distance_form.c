/*
 * distance_form.c
 *		Distances with parameters: how differences are put together.
 *
 * Sums run over the columns, or over the sorted differences, in one fixed
 * order, so that equal records are equally far to the bit.
 */
#include "kernel/attack/distance_form.h"

#include <math.h>

size_t
sdc_distance_form_parameters(SdcDistanceKind kind, int columns)
{
	size_t n = (size_t) columns;

	if (columns < 1 || columns > SDC_MAX_COLUMNS)
		return 0;
	switch (kind)
	{
		case SDC_DISTANCE_WM:
		case SDC_DISTANCE_OWA:
			return n;
		case SDC_DISTANCE_CHOQUET:
			return columns > SDC_DISTANCE_CHOQUET_COLUMNS ? 0
														  : (size_t) 1 << n;
		default:
			return n * n;
	}
}

static double
combine_weighted(const SdcDistanceForm *form, const double *square)
{
	double sum = 0;
	int j;

	for (j = 0; j < form->columns; j++)
		sum += form->parameter[j] * square[j];
	return sum;
}

static double
combine_ordered(const SdcDistanceForm *form, const double *square)
{
	double largest[SDC_MAX_COLUMNS];
	double sum = 0;
	int at;
	int j;

	for (j = 0; j < form->columns; j++)
	{
		for (at = j; at > 0 && largest[at - 1] < square[j]; at--)
			largest[at] = largest[at - 1];
		largest[at] = square[j];
	}
	for (j = 0; j < form->columns; j++)
		sum += form->parameter[j] * largest[j];
	return sum;
}

static double
combine_choquet(const SdcDistanceForm *form, const double *square)
{
	int order[SDC_DISTANCE_CHOQUET_COLUMNS];
	uint32_t set = ((uint32_t) 1 << form->columns) - 1;
	double before = 0;
	double sum = 0;
	int at;
	int j;

	for (j = 0; j < form->columns; j++)
	{
		for (at = j; at > 0 && square[order[at - 1]] > square[j]; at--)
			order[at] = order[at - 1];
		order[at] = j;
	}
	for (j = 0; j < form->columns; j++)
	{
		sum += (square[order[j]] - before) * form->parameter[set];
		before = square[order[j]];
		set &= ~((uint32_t) 1 << order[j]);
	}
	return sum;
}

static double
combine_pairs(const SdcDistanceForm *form, const double *square)
{
	double sum = 0;
	int j;
	int k;

	for (j = 0; j < form->columns; j++)
	{
		const double *row = form->parameter + j * form->columns;

		sum += row[j] * square[j];
		for (k = j + 1; k < form->columns; k++)
			sum += row[k] * (square[j] < square[k] ? square[j] : square[k]);
	}
	return sum;
}

static double
combine_products(const SdcDistanceForm *form, const double *difference)
{
	double sum = 0;
	int j;
	int k;

	for (j = 0; j < form->columns; j++)
	{
		const double *row = form->parameter + j * form->columns;
		double across = 0;

		for (k = j + 1; k < form->columns; k++)
			across += row[k] * difference[k];
		sum += difference[j] * (row[j] * difference[j] + 2 * across);
	}
	return sum;
}

double
sdc_distance_form_combine(const SdcDistanceForm *form, const double *square)
{
	switch (form->kind)
	{
		case SDC_DISTANCE_WM:
			return combine_weighted(form, square);
		case SDC_DISTANCE_OWA:
			return combine_ordered(form, square);
		case SDC_DISTANCE_CHOQUET:
			return combine_choquet(form, square);
		default:
			return combine_pairs(form, square);
	}
}

double
sdc_distance_form_value(const SdcDistanceForm *form, const double *difference)
{
	double square[SDC_MAX_COLUMNS];
	int j;

	if (form->kind == SDC_DISTANCE_BILINEAR)
		return combine_products(form, difference);
	for (j = 0; j < form->columns; j++)
		square[j] = difference[j] * difference[j];
	return sdc_distance_form_combine(form, square);
}

/* Does no set lose worth, beyond the slack, when a column joins it? */
static bool
is_monotone_capacity(const SdcDistanceForm *form, double slack)
{
	uint32_t sets = (uint32_t) 1 << form->columns;
	uint32_t set;
	int j;

	for (set = 0; set < sets; set++)
		for (j = 0; j < form->columns; j++)
			if (form->parameter[set | ((uint32_t) 1 << j)] <
				form->parameter[set] - slack)
				return false;
	return true;
}

/* The same of a 2-additive capacity. */
static bool
is_monotone_pairs(const SdcDistanceForm *form, double slack)
{
	int j;
	int k;

	for (j = 0; j < form->columns; j++)
	{
		const double *row = form->parameter + j * form->columns;
		double least = row[j];

		for (k = 0; k < form->columns; k++)
			if (k != j && row[k] < 0)
				least += row[k];
		if (least < -slack)
			return false;
	}
	return true;
}

static bool
is_nowhere_negative(const SdcDistanceForm *form, double slack)
{
	int j;

	for (j = 0; j < form->columns; j++)
		if (form->parameter[j] < -slack)
			return false;
	return true;
}

bool
sdc_distance_form_is_monotone(const SdcDistanceForm *form)
{
	switch (form->kind)
	{
		case SDC_DISTANCE_WM:
		case SDC_DISTANCE_OWA:
			return is_nowhere_negative(form, 0);
		case SDC_DISTANCE_CHOQUET:
			return is_monotone_capacity(form, 0);
		case SDC_DISTANCE_CHOQUET2:
			return is_monotone_pairs(form, 0);
		default:
			return false;
	}
}

static bool
is_symmetric(const SdcDistanceForm *form)
{
	int n = form->columns;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = 0; k < j; k++)
		{
			double a = form->parameter[j * n + k];
			double b = form->parameter[k * n + j];

			if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)))
				return false;
		}
	return true;
}

/* Does the sum of what is on and, with pairs, above the diagonal miss 1? */
static bool
misses_one(const SdcDistanceForm *form)
{
	bool pairs = form->kind == SDC_DISTANCE_CHOQUET2;
	int n = form->columns;
	double sum = 0;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j; k < (pairs ? n : j + 1); k++)
			sum += form->parameter[pairs ? j * n + k : j];
	return fabs(sum - 1) > SDC_DISTANCE_SLACK;
}

static const char *
capacity_flaw(const SdcDistanceForm *form)
{
	size_t all = ((size_t) 1 << form->columns) - 1;

	if (form->parameter[0] != 0)
		return "the empty set is not worth 0";
	if (fabs(form->parameter[all] - 1) > SDC_DISTANCE_SLACK)
		return "the set of all columns is not worth 1";
	if (!is_monotone_capacity(form, SDC_DISTANCE_SLACK))
		return "a set is worth less than a part of it";
	return NULL;
}

static const char *
pairs_flaw(const SdcDistanceForm *form)
{
	if (!is_symmetric(form))
		return "the matrix is not symmetric";
	if (misses_one(form))
		return "singletons and interactions do not add up to 1";
	if (!is_monotone_pairs(form, SDC_DISTANCE_SLACK))
		return "a set is worth less than a part of it";
	return NULL;
}

static const char *
weights_flaw(const SdcDistanceForm *form)
{
	if (!is_nowhere_negative(form, SDC_DISTANCE_SLACK))
		return "a weight is negative";
	if (misses_one(form))
		return "the weights do not add up to 1";
	return NULL;
}

const char *
sdc_distance_form_flaw(const SdcDistanceForm *form)
{
	size_t count = sdc_distance_form_parameters(form->kind, form->columns);
	size_t i;

	if (count == 0)
		return "there are too many columns";
	for (i = 0; i < count; i++)
		if (!(fabs(form->parameter[i]) <= SDC_DISTANCE_GREATEST))
			return "a parameter is no number or too large";
	switch (form->kind)
	{
		case SDC_DISTANCE_CHOQUET:
			return capacity_flaw(form);
		case SDC_DISTANCE_CHOQUET2:
			return pairs_flaw(form);
		case SDC_DISTANCE_BILINEAR:
			return is_symmetric(form) ? NULL : "the matrix is not symmetric";
		default:
			return weights_flaw(form);
	}
}
