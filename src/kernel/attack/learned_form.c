/*
 * learned_form.c
 *		Families of distances that are linear in their parameters.
 *
 * 2-additive measures are mixtures of n^2 extreme ones (Miranda, Combarro and
 * Gil 2006): one attribute, the smaller of two, the larger of two.  So that
 * family is a weighted mean of n^2 features and needs no constraint.
 */
#include "kernel/attack/learned_form.h"

#include <math.h>
#include <string.h>

#include "kernel/attack/learned_spectrum.h"

/* The least weight of a weighted mean that is a metric. */
#define LEAST_WEIGHT 1e-6

/* What a repaired point keeps from the border, relative to the inner one. */
#define INNER_SHARE 1e-12

static bool
has_sets(SdcLearnedMethod method)
{
	return method == SDC_LEARNED_CHOQUET || method == SDC_LEARNED_CHOQUET_M;
}

static bool
has_matrix(SdcLearnedMethod method)
{
	return method >= SDC_LEARNED_BILINEAR;
}

int
sdc_learned_form_most(SdcLearnedMethod method)
{
	if (has_sets(method))
		return SDC_LEARNED_MAX_SETS;
	return method == SDC_LEARNED_CHOQUET2 ? SDC_LEARNED_MAX_PAIRS
										  : SDC_LEARNED_MAX_COLUMNS;
}

static int
count_features(SdcLearnedMethod method, int columns)
{
	if (has_sets(method))
		return (1 << columns) - 1;
	if (method == SDC_LEARNED_CHOQUET2)
		return columns * columns;
	if (has_matrix(method))
		return columns * (columns + 1) / 2;
	return columns;
}

/* Adds to the last row the measure of a set; the empty set measures 0. */
static void
add_set(SdcLearnedForm *form, int set, double value)
{
	if (set != 0)
		form->fixed[form->fixed_rows * form->features + set - 1] += value;
}

/* Rows mu(A + c) >= mu(A); for an empty A that is point >= 0. */
static void
add_monotone(SdcLearnedForm *form)
{
	int all = 1 << form->columns;
	int set;
	int c;

	for (set = 1; set < all; set++)
		for (c = 0; c < form->columns; c++)
			if ((set >> c & 1) == 0)
			{
				add_set(form, set | 1 << c, 1);
				add_set(form, set, -1);
				form->fixed_rows++;
			}
}

/* Rows mu(A + c) + mu(A + d) >= mu(A + c + d) + mu(A): C(n,2) 2^(n-2). */
static void
add_submodular(SdcLearnedForm *form)
{
	int all = 1 << form->columns;
	int set;
	int c;
	int d;

	for (set = 0; set < all; set++)
		for (c = 0; c < form->columns; c++)
			for (d = c + 1; d < form->columns; d++)
				if ((set >> c & 1) == 0 && (set >> d & 1) == 0)
				{
					add_set(form, set | 1 << c, 1);
					add_set(form, set | 1 << d, 1);
					add_set(form, set | 1 << c | 1 << d, -1);
					add_set(form, set, -1);
					form->fixed_rows++;
				}
}

/* A measure that is strictly monotone and strictly submodular. */
static void
make_inner(SdcLearnedForm *form)
{
	int set;

	for (set = 1; set <= form->features; set++)
	{
		double rest = 1;
		int c;

		for (c = 0; c < form->columns; c++)
			if (set >> c & 1)
				rest /= 2;
		form->inner[set - 1] = 1 - rest;
	}
	sdc_learned_form_scale(form, form->inner);
}

static void
make_constraints(SdcHost *host, SdcLearnedForm *form)
{
	size_t n = (size_t) form->columns;
	size_t most = (n + n * n) << (n - 1);

	form->fixed = sdc_new(host, double, most *(size_t) form->features);
	memset(form->fixed, 0, most * (size_t) form->features * sizeof(double));
	form->inner = sdc_new(host, double, (size_t) form->features);
	make_inner(form);
	add_monotone(form);
	if (form->method == SDC_LEARNED_CHOQUET_M)
		add_submodular(form);
}

SdcLearnedForm *
sdc_learned_form_create(SdcHost *host, SdcLearnedMethod method, int columns)
{
	SdcLearnedForm *form = sdc_new(host, SdcLearnedForm, 1);

	memset(form, 0, sizeof(*form));
	form->method = method;
	form->columns = columns;
	form->features = count_features(method, columns);
	form->is_signed =
		method == SDC_LEARNED_BILINEAR || method == SDC_LEARNED_BILINEAR_PD;
	form->coordinates = form->features * (form->is_signed ? 2 : 1);
	form->monotone = !has_matrix(method);
	form->unit = has_sets(method) ? form->features - 1 : -1;
	if (has_sets(method))
		make_constraints(host, form);
	return form;
}

void
sdc_learned_form_sort(double *x, int n)
{
	int i;

	for (i = 1; i < n; i++)
	{
		double value = x[i];
		int j = i;

		for (; j > 0 && x[j - 1] < value; j--)
			x[j] = x[j - 1];
		x[j] = value;
	}
}

/* What the squared differences gain at each set, from the smallest on. */
static void
set_features(const SdcLearnedForm *form, const double *square, double *feature)
{
	int order[SDC_LEARNED_MAX_SETS];
	int set = (1 << form->columns) - 1;
	double before = 0;
	int i;

	memset(feature, 0, (size_t) form->features * sizeof(double));
	for (i = 0; i < form->columns; i++)
	{
		int j = i;

		for (; j > 0 && square[order[j - 1]] > square[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	for (i = 0; i < form->columns; i++)
	{
		feature[set - 1] = square[order[i]] - before;
		before = square[order[i]];
		set &= ~(1 << order[i]);
	}
}

/* Each attribute, then the smaller and the larger of each pair. */
static void
pair_features(const SdcLearnedForm *form, const double *square,
			  double *feature)
{
	int at = form->columns;
	int i;
	int j;

	memcpy(feature, square, (size_t) form->columns * sizeof(double));
	for (i = 0; i < form->columns; i++)
		for (j = i + 1; j < form->columns; j++)
		{
			bool less = square[i] < square[j];

			feature[at++] = less ? square[i] : square[j];
			feature[at++] = less ? square[j] : square[i];
		}
}

static void
matrix_features(const SdcLearnedForm *form, const double *difference,
				double *feature)
{
	int at = 0;
	int i;
	int j;

	for (i = 0; i < form->columns; i++)
		for (j = i; j < form->columns; j++)
			feature[at++] = (i == j ? 1 : 2) * difference[i] * difference[j];
}

/* Of a mean whose weights are at least LEAST_WEIGHT. */
static void
metric_features(const SdcLearnedForm *form, double *feature)
{
	double sum = 0;
	int c;

	for (c = 0; c < form->columns; c++)
		sum += feature[c];
	for (c = 0; c < form->columns; c++)
		feature[c] = LEAST_WEIGHT * sum +
					 (1 - form->columns * LEAST_WEIGHT) * feature[c];
}

void
sdc_learned_form_features(const SdcLearnedForm *form, const double *difference,
						  double *feature)
{
	double square[SDC_LEARNED_MAX_COLUMNS];
	int c;

	if (has_matrix(form->method))
	{
		matrix_features(form, difference, feature);
		return;
	}
	for (c = 0; c < form->columns; c++)
		square[c] = difference[c] * difference[c];
	if (has_sets(form->method))
		set_features(form, square, feature);
	else if (form->method == SDC_LEARNED_CHOQUET2)
		pair_features(form, square, feature);
	else
		memcpy(feature, square, (size_t) form->columns * sizeof(double));
	if (form->method == SDC_LEARNED_OWA)
		sdc_learned_form_sort(feature, form->columns);
	else if (form->method == SDC_LEARNED_WM_M)
		metric_features(form, feature);
}

double
sdc_learned_form_norm(const SdcLearnedForm *form, const double *point)
{
	double norm = 0;
	int c;

	if (form->unit >= 0)
		return point[form->unit];
	for (c = 0; c < form->features; c++)
		norm += fabs(point[c]);
	return norm;
}

bool
sdc_learned_form_scale(const SdcLearnedForm *form, double *point)
{
	double norm = sdc_learned_form_norm(form, point);
	int c;

	if (!(norm > 0))
		return false;
	for (c = 0; c < form->features; c++)
		point[c] /= norm;
	return true;
}

/* The share of the inner point that makes all fixed rows hold. */
static double
share_needed(const SdcLearnedForm *form, const double *point)
{
	double share = 0;
	int k;
	int c;

	for (k = 0; k < form->fixed_rows; k++)
	{
		const double *row = form->fixed + (size_t) k * form->features;
		double now = 0;
		double inner = 0;

		for (c = 0; c < form->features; c++)
		{
			now += row[c] * point[c];
			inner += row[c] * form->inner[c];
		}
		if (now < 0 && -now / (inner - now) > share)
			share = -now / (inner - now);
	}
	return share > 0 ? share + INNER_SHARE : 0;
}

bool
sdc_learned_form_repair(const SdcLearnedForm *form, double *point)
{
	int c;

	if (form->method == SDC_LEARNED_BILINEAR_PD)
		return sdc_learned_spectrum_repair(form->columns, point) &&
			   sdc_learned_form_scale(form, point);
	if (!form->is_signed)
		for (c = 0; c < form->features; c++)
			if (point[c] < 0)
				point[c] = 0;
	if (!sdc_learned_form_scale(form, point))
		return false;
	if (form->inner != NULL)
	{
		double share = share_needed(form, point);

		for (c = 0; c < form->features; c++)
			point[c] = (1 - share) * point[c] + share * form->inner[c];
	}
	return true;
}

void
sdc_learned_form_weighted(const SdcLearnedForm *form, const double *weight,
						  double *point)
{
	int at = 0;
	int i;

	memset(point, 0, (size_t) form->features * sizeof(double));
	if (has_sets(form->method))
	{
		for (at = 1; at <= form->features; at++)
			for (i = 0; i < form->columns; i++)
				if (at >> i & 1)
					point[at - 1] += weight[i];
	}
	else
		for (i = 0; i < form->columns; i++)
		{
			point[at] = weight[i];
			at += has_matrix(form->method) ? form->columns - i : 1;
		}
	sdc_learned_form_scale(form, point);
}

int
sdc_learned_form_parameters(const SdcLearnedForm *form)
{
	return form->method == SDC_LEARNED_CHOQUET2
			   ? form->columns * (form->columns + 1) / 2
			   : form->features;
}

/* The place of (i, j), i <= j, in half a matrix. */
static int
half_place(int n, int i, int j)
{
	return i * n - i * (i - 1) / 2 + j - i;
}

/*
 * The Moebius form of a mixture of extreme 2-additive measures: the larger of
 * two is both, less the smaller of them.
 */
static void
describe_pairs(const SdcLearnedForm *form, const double *point,
			   double *parameter)
{
	int n = form->columns;
	int pair = n;
	int i;
	int j;

	for (i = 0; i < n; i++)
		parameter[half_place(n, i, i)] = point[i];
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++, pair += 2)
		{
			parameter[half_place(n, i, j)] = point[pair] - point[pair + 1];
			parameter[half_place(n, i, i)] += point[pair + 1];
			parameter[half_place(n, j, j)] += point[pair + 1];
		}
}

void
sdc_learned_form_describe(const SdcLearnedForm *form, const double *point,
						  double *parameter)
{
	int c;

	if (form->method == SDC_LEARNED_CHOQUET2)
	{
		describe_pairs(form, point, parameter);
		return;
	}
	for (c = 0; c < form->features; c++)
		parameter[c] = point[c];
	if (form->method == SDC_LEARNED_WM_M)
		for (c = 0; c < form->features; c++)
			parameter[c] =
				LEAST_WEIGHT + (1 - form->columns * LEAST_WEIGHT) * point[c];
}
