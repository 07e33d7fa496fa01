/*
 * learned_form.c
 *		Families of distances that are linear in their parameters.
 *
 * 2-additive measures are mixtures of n^2 extreme ones (Miranda, Combarro and
 * Gil 2006): one attribute, the smaller of two, the larger of two.  So that
 * family is a weighted mean of n^2 features and needs no constraint.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/square.h"

/* Parameters may miss what is asked of them by this much (LP solvers do). */
#define SDC_DISTANCE_SLACK 1e-6

/* Parameters are no larger than this in magnitude. */
#define SDC_DISTANCE_GREATEST 1e100

#define SDC_LEARNED_MAX_SETS 8

#define SDC_LEARNED_MAX_PAIRS 16

/*
 * How much farther, relative to the larger of two squared differences: the
 * record's own largest one, and the largest one to the nearest target by the
 * largest difference.
 */
#define SDC_LEARNED_TOLERANCE 1e-7

/* ----------------------------------------------------------------------
 * Distances with parameters: how differences are put together.
 *
 * Sums run over the columns, or over the sorted differences, in one fixed
 * order, so that equal records are equally far to the bit.
 * ----------------------------------------------------------------------
 */

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
	return sdc_dot(form->parameter, square, form->columns);
}

static double
combine_ordered(const SdcDistanceForm *form, const double *square)
{
	double largest[SDC_MAX_COLUMNS];
	int at;
	int j;

	for (j = 0; j < form->columns; j++)
	{
		for (at = j; at > 0 && largest[at - 1] < square[j]; at--)
			largest[at] = largest[at - 1];
		largest[at] = square[j];
	}
	return sdc_dot(form->parameter, largest, form->columns);
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

/*
 * The same of squared differences, for every kind but BILINEAR.
 */
static double
distance_form_combine(const SdcDistanceForm *form, const double *square)
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
	return distance_form_combine(form, square);
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

/* ----------------------------------------------------------------------
 * Families of distances that are linear in their parameters.
 * ----------------------------------------------------------------------
 */

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

/* Sorts few numbers, largest first. */
static void
learned_form_sort(double *x, int n)
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

/* The features of squared differences, of a family without products. */
static void
square_features(const SdcLearnedForm *form, const double *square,
				double *feature)
{
	if (has_sets(form->method))
		set_features(form, square, feature);
	else if (form->method == SDC_LEARNED_CHOQUET2)
		pair_features(form, square, feature);
	else
		memcpy(feature, square, (size_t) form->columns * sizeof(double));
	if (form->method == SDC_LEARNED_OWA)
		learned_form_sort(feature, form->columns);
	else if (form->method == SDC_LEARNED_WM_M)
		metric_features(form, feature);
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
	square_features(form, square, feature);
}

/*
 * What the margin of a distance is multiplied by: the sum of the point, its
 * entry for the set of all attributes, or the sum of its absolute entries.
 */
static double
learned_form_norm(const SdcLearnedForm *form, const double *point)
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
	double norm = learned_form_norm(form, point);
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
		return sdc_half_repair(form->columns, point) &&
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

/* ----------------------------------------------------------------------
 * What a point must satisfy for each record to be re-identified.
 *
 * One margin for all rows of a record makes dominance exact: where one target
 * is at least as near as another in every attribute, a monotone distance that
 * keeps the record clear of the first keeps it clear of the second.
 * ----------------------------------------------------------------------
 */

/* Pairs between two polls. */
#define POLL_PAIRS 16384

#define FIRST_ROOM 1024

/* Targets of one record that are being filtered. */
typedef struct Front
{
	double *square; /* squared differences, count times columns */
	double *own;
	uint64_t *key;
	int32_t *order;
	int32_t *target;
	int32_t count;
	int32_t kept;
} Front;

static void
take_squares(const SdcLearnedData *data, int32_t i, int32_t j, double *square)
{
	int width = data->columns + data->kinds;
	const double *a = data->record + (size_t) i * (size_t) width;
	const double *b = data->target + (size_t) j * (size_t) width;
	int c;

	for (c = 0; c < data->columns; c++)
		square[c] = (a[c] - b[c]) * (a[c] - b[c]);
	for (; c < width; c++)
		square[data->owner[c - data->columns]] +=
			(a[c] - b[c]) * (a[c] - b[c]);
}

static double
largest_of(const double *x, int n)
{
	double most = 0;
	int c;

	for (c = 0; c < n; c++)
		if (fabs(x[c]) > most)
			most = fabs(x[c]);
	return most;
}

double *
sdc_learned_rows_margins(SdcHost *host, const SdcLearnedData *data)
{
	double *margin = sdc_new(host, double, (size_t) data->records);
	double square[SDC_LEARNED_MAX_COLUMNS];
	int32_t i;
	int32_t j;

	for (i = 0; i < data->records; i++)
	{
		double least = INFINITY;
		double own;

		take_squares(data, i, data->own[i], square);
		own = largest_of(square, data->columns);
		for (j = 0; j < data->targets; j++)
		{
			double most;

			if (j % POLL_PAIRS == 0)
				host->poll(host, (uint64_t) i, (uint64_t) data->records);
			if (j == data->own[i])
				continue;
			take_squares(data, i, j, square);
			most = largest_of(square, data->columns);
			if (most < least)
				least = most;
		}
		margin[i] = SDC_LEARNED_TOLERANCE *
					(isfinite(least) && least > own ? least : own);
	}
	return margin;
}

static SdcLearnedRows *
create_rows(SdcHost *host, const SdcLearnedForm *form, int32_t records)
{
	SdcLearnedRows *rows = sdc_new(host, SdcLearnedRows, 1);

	memset(rows, 0, sizeof(*rows));
	rows->form = form;
	rows->record = sdc_new(host, int32_t, (size_t) records);
	rows->start = sdc_new(host, int32_t, (size_t) records + 1);
	rows->start[0] = 0;
	return rows;
}

/* Room for more rows. */
static void
make_room(SdcHost *host, SdcLearnedRows *rows, int32_t more)
{
	size_t width = (size_t) rows->form->features;
	size_t used = (size_t) rows->rows;
	size_t room = rows->room > 0 ? (size_t) rows->room : FIRST_ROOM;

	while (room < used + (size_t) more)
		room *= 2;
	if (room == (size_t) rows->room)
		return;
	rows->value =
		sdc_grow(host, rows->value, used, room, width * sizeof(double));
	rows->owner = sdc_grow(host, rows->owner, used, room, sizeof(int32_t));
	if (rows->form->is_signed)
		rows->margin =
			sdc_grow(host, rows->margin, used, room, sizeof(double));
	rows->room = (int32_t) room;
}

/* Appends the row of a pair of features; it belongs to the next record. */
static void
put_row(SdcLearnedRows *rows, const double *feature, const double *own,
		double margin)
{
	const SdcLearnedForm *form = rows->form;
	double *value =
		rows->value + (size_t) rows->rows * (size_t) form->features;
	double most;
	bool never;
	int c;

	for (c = 0; c < form->features; c++)
	{
		value[c] = feature[c] - own[c];
		if (!form->is_signed && (form->unit < 0 || form->unit == c))
			value[c] -= margin;
	}
	most = largest_of(value, form->features);
	/* nothing tells the two apart: no point makes the row hold */
	never = margin == 0 || most == 0;
	for (c = 0; c < form->features; c++)
		value[c] = never ? (form->is_signed ? 0 : -1) : value[c] / most;
	if (form->is_signed)
		rows->margin[rows->rows] = never ? 1 : margin / most;
	rows->owner[rows->rows++] = rows->records;
}

/* Ends a record that has rows. */
static void
close_record(SdcLearnedRows *rows, int32_t record)
{
	rows->record[rows->records++] = record;
	rows->start[rows->records] = rows->rows;
}

/*
 * Lists the targets that may be nearer than a record's own; false when one of
 * them always is as near.
 */
static bool
list_front(SdcHost *host, const SdcLearnedForm *form,
		   const SdcLearnedData *data, int32_t i, double margin, Front *front)
{
	int n = data->columns;
	int32_t j;
	int c;

	take_squares(data, i, data->own[i], front->own);
	if (form->method == SDC_LEARNED_OWA)
		learned_form_sort(front->own, n);
	front->count = 0;
	for (j = 0; j < data->targets; j++)
	{
		double *square = front->square + (size_t) front->count * (size_t) n;
		bool near = true;
		bool far = true;

		if (j % POLL_PAIRS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) data->records);
		if (j == data->own[i])
			continue;
		take_squares(data, i, j, square);
		if (form->method == SDC_LEARNED_OWA)
			learned_form_sort(square, n);
		for (c = 0; c < n; c++)
		{
			near = near && square[c] - front->own[c] < margin;
			far = far && square[c] - front->own[c] >= margin;
		}
		if (near || margin == 0)
			return false;
		if (!far)
			front->target[front->count++] = j;
	}
	return true;
}

static bool
dominates(const double *a, const double *b, int n)
{
	int c;

	for (c = 0; c < n; c++)
		if (a[c] > b[c])
			return false;
	return true;
}

/* Keeps, in order[], the targets that no other dominates. */
static void
filter_front(SdcHost *host, int n, Front *front)
{
	int32_t a;
	int32_t b;
	int c;

	front->kept = 0;
	for (a = 0; a < front->count; a++)
	{
		double sum = 0;

		for (c = 0; c < n; c++)
			sum += front->square[(size_t) a * (size_t) n + (size_t) c];
		front->key[a] = sdc_sort_key(sum);
		front->order[a] = a;
	}
	sdc_sort_keys(host, front->key, front->order, (size_t) front->count);
	for (a = 0; a < front->count; a++)
	{
		const double *square =
			front->square + (size_t) front->order[a] * (size_t) n;

		for (b = 0; b < front->kept; b++)
			if (dominates(front->square +
							  (size_t) front->order[b] * (size_t) n,
						  square, n))
				break;
		if (b == front->kept)
			front->order[front->kept++] = front->order[a];
	}
}

void
sdc_learned_rows_features(const SdcLearnedForm *form,
						  const SdcLearnedData *data, int32_t i, int32_t j,
						  double *feature)
{
	int width = data->columns + data->kinds;
	const double *a = data->record + (size_t) i * (size_t) width;
	const double *b = data->target + (size_t) j * (size_t) width;
	double number[SDC_LEARNED_MAX_COLUMNS];
	int at = 0;
	int c;

	if (!has_matrix(form->method))
	{
		take_squares(data, i, j, number);
		square_features(form, number, feature);
		return;
	}
	for (c = 0; c < data->columns; c++)
		number[c] = a[c] - b[c];
	matrix_features(form, number, feature);
	take_squares(data, i, j, number);
	for (c = 0; c < data->columns; at += data->columns - c++)
		feature[at] = number[c];
}

SdcLearnedRows *
sdc_learned_rows_build(SdcHost *host, const SdcLearnedForm *form,
					   const SdcLearnedData *data, const double *margin)
{
	SdcLearnedRows *rows = create_rows(host, form, data->records);
	size_t targets = (size_t) data->targets;
	double own[SDC_LEARNED_MAX_FEATURES];
	double other[SDC_LEARNED_MAX_FEATURES];
	double square[SDC_LEARNED_MAX_COLUMNS];
	Front front;
	int32_t i;
	int32_t k;

	front.own = square;
	front.square = sdc_new(host, double, targets *(size_t) data->columns);
	front.key = sdc_new(host, uint64_t, targets);
	front.order = sdc_new(host, int32_t, targets);
	front.target = sdc_new(host, int32_t, targets);
	for (i = 0; i < data->records; i++)
	{
		if (!list_front(host, form, data, i, margin[i], &front))
		{
			rows->dead++;
			continue;
		}
		filter_front(host, data->columns, &front);
		if (front.kept == 0)
		{
			rows->safe++;
			continue;
		}
		make_room(host, rows, front.kept);
		sdc_learned_rows_features(form, data, i, data->own[i], own);
		for (k = 0; k < front.kept; k++)
		{
			sdc_learned_rows_features(form, data, i,
									  front.target[front.order[k]], other);
			put_row(rows, other, own, margin[i]);
		}
		close_record(rows, i);
	}
	host->release(host, front.square);
	host->release(host, front.key);
	host->release(host, front.order);
	host->release(host, front.target);
	return rows;
}

SdcLearnedPool *
sdc_learned_rows_pool(SdcHost *host, const SdcLearnedData *data)
{
	SdcLearnedPool *pool = sdc_new(host, SdcLearnedPool, 1);

	pool->stride = ((size_t) data->targets + 7) / 8;
	pool->pairs = 0;
	pool->seen = sdc_new(host, uint8_t, (size_t) data->records * pool->stride);
	memset(pool->seen, 0, (size_t) data->records * pool->stride);
	return pool;
}

bool
sdc_learned_rows_add(SdcLearnedPool *pool, int32_t record, int32_t target)
{
	uint8_t *byte = pool->seen + (size_t) record * pool->stride + target / 8;

	if (*byte >> target % 8 & 1)
		return false;
	*byte |= (uint8_t) (1 << target % 8);
	pool->pairs++;
	return true;
}

SdcLearnedRows *
sdc_learned_rows_pooled(SdcHost *host, const SdcLearnedForm *form,
						const SdcLearnedData *data, const double *margin,
						const SdcLearnedPool *pool)
{
	SdcLearnedRows *rows = create_rows(host, form, data->records);
	double own[SDC_LEARNED_MAX_FEATURES];
	double other[SDC_LEARNED_MAX_FEATURES];
	int32_t i;
	int32_t j;

	make_room(host, rows, pool->pairs);
	for (i = 0; i < data->records; i++)
	{
		const uint8_t *seen = pool->seen + (size_t) i * pool->stride;

		host->poll(host, 0, 0);
		sdc_learned_rows_features(form, data, i, data->own[i], own);
		for (j = 0; j < data->targets; j++)
		{
			if ((seen[j / 8] >> j % 8 & 1) == 0)
				continue;
			sdc_learned_rows_features(form, data, i, j, other);
			put_row(rows, other, own, margin[i]);
		}
		close_record(rows, i);
	}
	return rows;
}

void
sdc_learned_rows_release(SdcHost *host, SdcLearnedRows *rows)
{
	host->release(host, rows->record);
	host->release(host, rows->start);
	host->release(host, rows->value);
	host->release(host, rows->margin);
	host->release(host, rows->owner);
	host->release(host, rows);
}
