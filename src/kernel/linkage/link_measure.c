/*
 * link_measure.c
 *		What a search takes for near: sums over the columns of two points.
 *
 * A bound is what the measure makes of the least difference that a point in
 * the box can have in each column.  Where every operation is monotone it is
 * below the value of every such point in spite of rounding; of forms, which
 * sort, a little is taken off.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/square.h"
#include "kernel/linear/moments.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"

/* ----------------------------------------------------------------------
 * Files turned so that a quadratic distance is a plain one.
 *
 * Eigenvectors by Jacobi rotations: with m = V' diag(l) V, d' m d is the sum
 * of sign(l) (sqrt|l| v . d)^2.
 * ----------------------------------------------------------------------
 */

/* The least variance that a direction counts with, beside the greatest. */
#define LEAST_VARIANCE 1e-8

/* Eigenvalues of no more than this beside the greatest are rounding. */
#define NEGLIGIBLE 1e-12

/* The rows that a covariance is taken over, and which difference. */
typedef struct Rows
{
	SdcHost *host;
	const SdcLinkFile *a;
	const SdcLinkFile *b;   /* NULL: the values of a themselves */
	const int32_t *partner; /* with b */
} Rows;

static bool
is_complete(const SdcLinkFile *file, int32_t row)
{
	int j;

	for (j = 0; j < file->columns; j++)
		if (file->missing[j][row])
			return false;
	return true;
}

static bool
counts(const Rows *rows, int32_t row)
{
	return is_complete(rows->a, row) &&
		   (rows->b == NULL || (rows->partner[row] >= 0 &&
								is_complete(rows->b, rows->partner[row])));
}

static double
difference(const Rows *rows, int32_t row, int column)
{
	double x = rows->a->value[column][row];

	return rows->b == NULL ? x
						   : x - rows->b->value[column][rows->partner[row]];
}

/* Adds the covariance of the rows; false when fewer than two count. */
static bool
add_covariance(const Rows *rows, double *covariance)
{
	SdcHost *host = rows->host;
	int columns = rows->a->columns;
	const double *column[SDC_MAX_COLUMNS];
	double *of_rows = sdc_new(host, double, SDC_MAX_COLUMNS *SDC_MAX_COLUMNS);
	double *value[SDC_MAX_COLUMNS];
	size_t n = 0;
	int32_t i;
	int j;

	for (j = 0; j < columns; j++)
		column[j] = value[j] = sdc_new(host, double, (size_t) rows->a->rows);
	for (i = 0; i < rows->a->rows; i++)
	{
		if (i % (SDC_POLL_STEPS / SDC_MAX_COLUMNS) == 0)
			host->poll(host, 0, 0);
		if (!counts(rows, i))
			continue;
		for (j = 0; j < columns; j++)
			value[j][n] = difference(rows, i, j);
		n++;
	}
	if (n > 1)
		sdc_covariance_matrix(host, n, columns, column, 1, of_rows);
	for (j = 0; j < columns * columns && n > 1; j++)
		covariance[j] += of_rows[j];
	for (j = 0; j < columns; j++)
		host->release(host, value[j]);
	host->release(host, of_rows);
	return n > 1;
}

void
sdc_link_transform_covariance(SdcHost *host, const SdcLinkFile *a,
							  const SdcLinkFile *b, const int32_t *partner,
							  double *covariance)
{
	Rows pairs = {host, a, b, partner};
	Rows of_a = {host, a, NULL, NULL};
	Rows of_b = {host, b, NULL, NULL};
	int d = a->columns;

	memset(covariance, 0, sizeof(*covariance) * (size_t) d * (size_t) d);
	if (!add_covariance(&pairs, covariance))
	{
		(void) add_covariance(&of_a, covariance);
		(void) add_covariance(&of_b, covariance);
	}
}

/* The greatest magnitude on the diagonal. */
static double
find_greatest(const double *matrix, int d)
{
	double greatest = 0;
	int j;

	for (j = 0; j < d; j++)
		greatest = fmax(greatest, fabs(matrix[j * d + j]));
	return greatest;
}

void
sdc_link_transform_invert(SdcHost *host, double *matrix, int columns)
{
	int d = columns;
	size_t size = (size_t) d * (size_t) d;
	double *axes = sdc_new(host, double, size);
	double *value = sdc_new(host, double, (size_t) d);
	double greatest;
	int i;
	int j;
	int k;

	sdc_square_diagonalize(host, d, matrix, axes);
	greatest = find_greatest(matrix, d);
	for (i = 0; i < d; i++)
		value[i] = greatest == 0 ? 1
								 : 1 / fmax(matrix[i * d + i],
											greatest * LEAST_VARIANCE);
	for (j = 0; j < d; j++)
		for (k = 0; k <= j; k++)
		{
			double sum = 0;

			for (i = 0; i < d; i++)
				sum += axes[i * d + j] * value[i] * axes[i * d + k];
			matrix[j * d + k] = matrix[k * d + j] = sum;
		}
	host->release(host, axes);
	host->release(host, value);
}

/* Appends the directions with eigenvalues of one sign. */
static void
add_directions(SdcLinkTransform *transform, const double *matrix,
			   const double *axes, double sign)
{
	int d = transform->columns;
	double least = find_greatest(matrix, d) * NEGLIGIBLE;
	int i;
	int j;

	for (i = 0; i < d; i++)
	{
		double value = sign * matrix[i * d + i];

		if (!(value > least))
			continue;
		for (j = 0; j < d; j++)
			transform->factor[transform->rows * d + j] =
				sqrt(value) * axes[i * d + j];
		transform->rows++;
	}
}

SdcLinkTransform
sdc_link_transform_factor(SdcHost *host, const double *matrix, int columns)
{
	size_t size = (size_t) columns * (size_t) columns;
	double *diagonal = sdc_new(host, double, size);
	double *axes = sdc_new(host, double, size);
	SdcLinkTransform transform = {0, 0, columns, NULL};

	transform.factor = sdc_new(host, double, size);
	memset(transform.factor, 0, sizeof(double) * size);
	memcpy(diagonal, matrix, sizeof(double) * size);
	sdc_square_diagonalize(host, columns, diagonal, axes);
	add_directions(&transform, diagonal, axes, 1);
	transform.positive = transform.rows;
	add_directions(&transform, diagonal, axes, -1);
	if (transform.rows == 0)
		transform.rows = transform.positive = 1;
	host->release(host, diagonal);
	host->release(host, axes);
	return transform;
}

/* One new column of a file. */
static double *
apply_row(SdcHost *host, const SdcLinkTransform *transform, int row,
		  const SdcLinkFile *file)
{
	const double *factor = transform->factor + row * transform->columns;
	double *value = sdc_new(host, double, (size_t) file->rows);
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
	{
		double sum = 0;

		if (i % (SDC_POLL_STEPS / SDC_MAX_COLUMNS) == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < transform->columns; j++)
			sum += factor[j] * file->value[j][i];
		value[i] = sum;
	}
	return value;
}

void
sdc_link_transform_apply(SdcHost *host, const SdcLinkTransform *transform,
						 SdcLinkFile *file)
{
	double **value = sdc_new(host, double *, (size_t) transform->rows);
	bool **missing = sdc_new(host, bool *, (size_t) transform->rows);
	bool *any = sdc_new(host, bool, (size_t) file->rows);
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
		any[i] = !is_complete(file, i);
	for (j = 0; j < transform->rows; j++)
	{
		value[j] = apply_row(host, transform, j, file);
		missing[j] = any;
	}
	file->value = value;
	file->missing = missing;
	file->columns = transform->rows;
}

/* ----------------------------------------------------------------------
 * Two files on one scale.
 *
 * Which person is nearest depends on what a step in each column counts.  The
 * two files hold different people, or coded values, so that each file by its
 * own mean and deviation moves equal values apart; hence one reference for
 * both, as a rule the masked file, which every intruder has.
 * ----------------------------------------------------------------------
 */

const char *const sdc_link_scale_words[] = {"masked", "pooled", "rank",
											"robust", "own",    NULL};

/* Scores end here. */
#define SCORE_LIMIT 1e100

/* The share at either end that a robust range leaves out. */
#define RANGE_TAIL 0.05

/* The values of one column that a scale is taken from. */
typedef struct Reference
{
	double *value; /* ascending */
	size_t n;
	SdcScale scale;
} Reference;

static size_t
collect(SdcHost *host, const SdcLinkFile *file, int column, double *value)
{
	size_t n = 0;
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!file->missing[column][i])
			value[n++] = file->value[column][i];
	}
	return n;
}

/* The reference of the values of a file, and of another one unless NULL. */
static Reference
find_reference(SdcHost *host, const SdcLinkFile *file,
			   const SdcLinkFile *other, int column)
{
	Reference reference;
	size_t room =
		(size_t) file->rows + (other == NULL ? 0 : (size_t) other->rows);

	reference.value = sdc_new(host, double, room + 1);
	reference.n = collect(host, file, column, reference.value);
	if (other != NULL)
		reference.n +=
			collect(host, other, column, reference.value + reference.n);
	reference.scale = sdc_scale_find(host, reference.value, reference.n);
	return reference;
}

static size_t
count_present(const SdcLinkFile *file, int column)
{
	size_t n = 0;
	int32_t i;

	for (i = 0; i < file->rows; i++)
		n += !file->missing[column][i];
	return n;
}

/* The reference of one column for a file, by the words of the header. */
static Reference
choose_reference(SdcHost *host, const SdcLinkFile *original,
				 const SdcLinkFile *masked, int column, SdcLinkScale scale)
{
	size_t n = count_present(masked, column);

	if (scale == SDC_LINK_SCALE_POOLED)
		return find_reference(host, original, masked, column);
	if (scale == SDC_LINK_SCALE_RANK ? count_present(original, column) > n
									 : n < 2)
		return find_reference(host, original, NULL, column);
	return find_reference(host, masked, NULL, column);
}

static double
rank_share(const Reference *reference, double x)
{
	return ((double) sdc_sort_below(reference->value, reference->n, x) +
			(double) sdc_sort_up_to(reference->value, reference->n, x)) /
		   (2 * (double) reference->n);
}

/* The value that a share of the reference is below, without interpolation. */
static double
quantile(const Reference *reference, double share)
{
	return reference->value[(size_t) (share * (double) (reference->n - 1))];
}

static double
standard_score(const Reference *reference, double x, SdcLinkScale scale)
{
	double score;

	if (!(reference->scale.deviation > 0))
		return 0;
	if (scale == SDC_LINK_SCALE_RANK)
		return rank_share(reference, x);
	score = sdc_scale_apply(&reference->scale, x);
	if (scale == SDC_LINK_SCALE_ROBUST)
	{
		double range = quantile(reference, 0.75) / SDC_NORMAL_QUARTILES -
					   quantile(reference, 0.25) / SDC_NORMAL_QUARTILES;

		if (range > 0)
			score = x / range - quantile(reference, 0.5) / range;
	}
	return fmax(-SCORE_LIMIT, fmin(SCORE_LIMIT, score));
}

/* A share of the range; halves, for the range may overflow. */
static double
range_share(const Reference *reference, double x, SdcLinkScale scale)
{
	double tail = scale == SDC_LINK_SCALE_ROBUST ? RANGE_TAIL : 0;
	double low;
	double range;

	if (!(reference->scale.deviation > 0))
		return 0;
	if (scale == SDC_LINK_SCALE_RANK)
		return rank_share(reference, x);
	low = quantile(reference, tail);
	range = quantile(reference, 1 - tail) / 2 - low / 2;
	if (!(range > 0))
		return x > low ? 1 : 0;
	return fmax(0, fmin(1, (x / 2 - low / 2) / range));
}

/* What a value becomes on a scale. */
typedef double (*Rescale)(const Reference *reference, double x,
						  SdcLinkScale scale);

static void
rescale_column(SdcHost *host, SdcLinkFile *file, int column,
			   const Reference *reference, Rescale rescale, SdcLinkScale scale)
{
	double *value = file->value[column];
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!file->missing[column][i])
			value[i] = rescale(reference, value[i], scale);
	}
}

/* One column of both files, each by its own reference. */
static void
rescale_own(SdcHost *host, SdcLinkFile *a, SdcLinkFile *b, int column,
			Rescale rescale)
{
	Reference of_a = find_reference(host, a, NULL, column);
	Reference of_b = find_reference(host, b, NULL, column);

	if (!(of_a.scale.deviation > 0 && of_b.scale.deviation > 0))
		of_a.scale.deviation = of_b.scale.deviation = 0;
	rescale_column(host, a, column, &of_a, rescale, SDC_LINK_SCALE_OWN);
	rescale_column(host, b, column, &of_b, rescale, SDC_LINK_SCALE_OWN);
	host->release(host, of_a.value);
	host->release(host, of_b.value);
}

/* One column of both files. */
static void
rescale_both(SdcHost *host, SdcLinkFile *original, SdcLinkFile *masked,
			 int column, Rescale rescale, SdcLinkScale scale)
{
	Reference reference;

	if (scale == SDC_LINK_SCALE_OWN)
	{
		rescale_own(host, original, masked, column, rescale);
		return;
	}
	reference = choose_reference(host, original, masked, column, scale);
	rescale_column(host, original, column, &reference, rescale, scale);
	rescale_column(host, masked, column, &reference, rescale, scale);
	host->release(host, reference.value);
}

void
sdc_link_file_standardize(SdcHost *host, SdcLinkFile *original,
						  SdcLinkFile *masked, SdcLinkScale scale)
{
	int j;

	for (j = 0; j < original->columns; j++)
		rescale_both(host, original, masked, j, standard_score, scale);
}

/* Does a file have a missing value of a kind in a column? */
static bool
has_kind(const SdcLinkFile *file, int column, int kind)
{
	int32_t i;

	for (i = 0; i < file->rows; i++)
		if (file->kind[column][i] == kind)
			return true;
	return false;
}

/* The coordinate of a kind: off for the values of that kind, else 0. */
static double *
kind_axis(SdcHost *host, const SdcLinkFile *file, int column, int kind,
		  double off)
{
	double *axis = sdc_new(host, double, (size_t) file->rows);
	int32_t i;

	for (i = 0; i < file->rows; i++)
		axis[i] = file->kind[column][i] == kind ? off : 0;
	return axis;
}

/* Gives a file the coordinates of kinds, and missing values the middle. */
static void
add_axes(SdcHost *host, SdcLinkFile *file, const SdcLinkKinds *kinds,
		 const int *kind, double middle, double off)
{
	size_t columns = (size_t) (file->columns + kinds->count);
	double **value = sdc_new(host, double *, columns);
	bool **missing = sdc_new(host, bool *, columns);
	bool *none = sdc_new(host, bool, (size_t) file->rows + 1);
	int32_t i;
	int j;

	memset(none, 0, sizeof(bool) * (size_t) file->rows);
	for (j = 0; j < file->columns; j++)
	{
		host->poll(host, 0, 0);
		value[j] = file->value[j];
		for (i = 0; i < file->rows; i++)
			if (file->missing[j][i])
				value[j][i] = middle;
	}
	for (j = 0; j < kinds->count; j++)
	{
		host->poll(host, 0, 0);
		value[file->columns + j] =
			kind_axis(host, file, kinds->owner[j], kind[j], off);
	}
	for (j = 0; j < (int) columns; j++)
		missing[j] = none;
	file->value = value;
	file->missing = missing;
	file->columns = (int) columns;
}

SdcLinkKinds
sdc_link_file_kinds(SdcHost *host, SdcLinkFile *a, SdcLinkFile *b,
					SdcLinkScale scale)
{
	/* the middle and the deviation of what a column becomes on the scale */
	double middle = scale == SDC_LINK_SCALE_RANK ? 0.5 : 0;
	double off = scale == SDC_LINK_SCALE_RANK ? sqrt(1.0 / 12) : 1;
	size_t room = (size_t) a->columns * SDC_LINK_KINDS;
	SdcLinkKinds kinds = {0, sdc_new(host, int, room)};
	int *kind = sdc_new(host, int, room);
	int j;
	int k;

	for (j = 0; j < a->columns; j++)
		for (k = 1; k <= SDC_LINK_KINDS; k++)
		{
			host->poll(host, 0, 0);
			if (!has_kind(a, j, k) && !has_kind(b, j, k))
				continue;
			kinds.owner[kinds.count] = j;
			kind[kinds.count++] = k;
		}
	if (kinds.count > 0)
	{
		add_axes(host, a, &kinds, kind, middle, off);
		add_axes(host, b, &kinds, kind, middle, off);
	}
	host->release(host, kind);
	return kinds;
}

/* Marks what is missing in the values; is anything in a row with others? */
static bool
mark_missing(SdcHost *host, SdcLinkFile *file)
{
	bool **missing = sdc_new(host, bool *, (size_t) file->columns);
	bool *all = sdc_new(host, bool, (size_t) file->rows);
	bool any = false;
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
	{
		int count = 0;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < file->columns; j++)
		{
			if (!file->missing[j][i])
				continue;
			file->value[j][i] = SDC_LINK_MISSING;
			count++;
		}
		all[i] = count == file->columns;
		any = any || (count > 0 && !all[i]);
	}
	for (j = 0; j < file->columns; j++)
		missing[j] = all;
	file->missing = missing;
	return any;
}

bool
sdc_link_file_unite(SdcHost *host, SdcLinkFile *original, SdcLinkFile *masked,
					const bool *category, SdcLinkScale scale)
{
	bool missing_original;
	bool missing_masked;
	int j;

	for (j = 0; j < original->columns; j++)
		if (!category[j])
			rescale_both(host, original, masked, j, range_share, scale);
	missing_original = mark_missing(host, original);
	missing_masked = mark_missing(host, masked);
	return missing_original || missing_masked;
}

/* ----------------------------------------------------------------------
 * Distinct points.
 *
 * Equal rows are found by sorting: a stable sort on the last column, then on
 * the one before, and so on leaves the rows in the order of their points and
 * equal rows next to each other.
 * ----------------------------------------------------------------------
 */

/* Lists the rows that lack no value; returns how many there are. */
static int32_t
list_complete(SdcHost *host, SdcLinkFile *file)
{
	int32_t complete = 0;
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		file->point[i] = -1;
		for (j = 0; j < file->columns && !file->missing[j][i]; j++)
			;
		if (j == file->columns)
			file->member[complete++] = i;
	}
	return complete;
}

static void
sort_members(SdcHost *host, SdcLinkFile *file, int32_t complete)
{
	uint64_t *keys = sdc_new(host, uint64_t, (size_t) complete);
	int32_t i;
	int j;

	for (j = file->columns - 1; j >= 0; j--)
	{
		for (i = 0; i < complete; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			keys[i] = sdc_sort_key(file->value[j][file->member[i]]);
		}
		sdc_sort_keys(host, keys, file->member, (size_t) complete);
	}
	host->release(host, keys);
}

static bool
same_point(const SdcLinkFile *file, int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < file->columns; j++)
		if (file->value[j][a] != file->value[j][b])
			return false;
	return true;
}

void
sdc_link_file_collapse(SdcHost *host, SdcLinkFile *file)
{
	int32_t complete;
	int32_t i;
	int j;

	file->point = sdc_new(host, int32_t, (size_t) file->rows);
	file->member = sdc_new(host, int32_t, (size_t) file->rows);
	file->first = sdc_new(host, int32_t, (size_t) file->rows + 1);
	complete = list_complete(host, file);
	sort_members(host, file, complete);
	file->points = 0;
	for (i = 0; i < complete; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i == 0 || !same_point(file, file->member[i - 1], file->member[i]))
			file->first[file->points++] = i;
		file->point[file->member[i]] = file->points - 1;
	}
	file->first[file->points] = complete;
	file->coordinate =
		sdc_new(host, double, (size_t) file->points *(size_t) file->columns);
	for (i = 0; i < file->points; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < file->columns; j++)
			file->coordinate[(size_t) i * (size_t) file->columns +
							 (size_t) j] =
				file->value[j][file->member[file->first[i]]];
	}
}

/* ----------------------------------------------------------------------
 * What a search takes for near: sums over the columns of two points.
 * ----------------------------------------------------------------------
 */

#define POINTS   SDC_INDEX_POINTS
#define CHILDREN SDC_INDEX_CHILDREN

/* Bounds of forms are lowered by this, far more than rounding can do. */
#define ROUNDING 1e-9

const SdcLinkMeasure sdc_link_measure_squares = {
	SDC_LINK_SQUARES, SDC_DISTANCE_WM, 0, true, 0, NULL, 0};

static double
signed_value(int positive, int columns, const double *coordinate, int stride,
			 const double *query)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		double difference = coordinate[j * stride] - query[j];

		sum += j < positive ? difference * difference
							: -(difference * difference);
	}
	return sum;
}

static double
form_value(const SdcLinkMeasure *measure, int columns,
		   const double *coordinate, int stride, const double *query)
{
	int keys = columns - measure->kinds;
	SdcDistanceForm form = {measure->form, keys,
							(double *) measure->parameter};
	const double *owner =
		measure->parameter + measure->parameters - measure->kinds;
	double difference[SDC_MAX_COLUMNS];
	int j;

	if (isinf(coordinate[0]))
		return INFINITY;
	for (j = 0; j < keys; j++)
		difference[j] = coordinate[j * stride] - query[j];
	for (; j < columns; j++)
	{
		double aside = coordinate[j * stride] - query[j];
		double *own = &difference[(int) owner[j - keys]];

		if (aside != 0)
			*own = sqrt(*own * *own + aside * aside);
	}
	return sdc_distance_form_value(&form, difference);
}

static double
gower_value(const SdcLinkMeasure *measure, int columns,
			const double *coordinate, int stride, const double *query)
{
	const double *weight = measure->parameter;
	const double *category = weight + columns;
	double sum = 0;
	double present = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		double x = coordinate[j * stride];
		double difference = fabs(x - query[j]);
		double both = x < 0 || query[j] < 0 ? 0 : weight[j];

		if (category[j] != 0)
			difference = difference > 0 ? 1 : 0;
		sum += both > 0 ? both * difference : 0;
		present += both;
	}
	return present > 0 ? sum / present : INFINITY;
}

double
sdc_link_measure_value(const SdcLinkMeasure *measure, int columns,
					   const double *coordinate, int stride,
					   const double *query)
{
	switch (measure->kind)
	{
		case SDC_LINK_FORM:
			return form_value(measure, columns, coordinate, stride, query);
		case SDC_LINK_GOWER:
			return gower_value(measure, columns, coordinate, stride, query);
		case SDC_LINK_SIGNED:
			return signed_value(measure->positive, columns, coordinate, stride,
								query);
		default:
			return signed_value(columns, columns, coordinate, stride, query);
	}
}

/* The loops are turned around, so that a vector holds several points. */
SDC_CLONES static void
signed_points(const SdcLinkMeasure *measure, const double *coordinate,
			  int columns, const double *query, double *sum)
{
	int i;
	int j;

	for (i = 0; i < POINTS; i++)
		sum[i] = 0;
	for (j = 0; j < columns; j++)
	{
		double sign = j < measure->positive ? 1 : -1;

		for (i = 0; i < POINTS; i++)
		{
			double difference = coordinate[j * POINTS + i] - query[j];

			sum[i] += sign * (difference * difference);
		}
	}
}

SDC_CLONES static void
gower_points(const SdcLinkMeasure *measure, const double *coordinate,
			 int columns, const double *query, double *sum)
{
	const double *weight = measure->parameter;
	const double *category = weight + columns;
	double present[POINTS];
	int i;
	int j;

	for (i = 0; i < POINTS; i++)
		sum[i] = present[i] = 0;
	for (j = 0; j < columns; j++)
	{
		double x = query[j];
		double w = weight[j];
		bool codes = category[j] != 0;

		if (x < 0)
			continue;
		for (i = 0; i < POINTS; i++)
		{
			double y = coordinate[j * POINTS + i];
			double difference = fabs(y - x);
			double both = y < 0 ? 0 : w;

			difference = codes ? (difference > 0 ? 1 : 0) : difference;
			sum[i] += both > 0 ? both * difference : 0;
			present[i] += both;
		}
	}
	for (i = 0; i < POINTS; i++)
		sum[i] = present[i] > 0 ? sum[i] / present[i] : INFINITY;
}

/* The 16 points of a block, as SdcIndexMeasure says. */
static bool
measure_points(const SdcIndexMeasure *index, const double *coordinate,
			   int columns, const double *query, double limit, double *sum)
{
	const SdcLinkMeasure *measure = index->arg;
	bool near = false;
	int i;

	if (measure->kind == SDC_LINK_SIGNED)
		signed_points(measure, coordinate, columns, query, sum);
	else if (measure->kind == SDC_LINK_GOWER)
		gower_points(measure, coordinate, columns, query, sum);
	else
		for (i = 0; i < POINTS; i++)
			sum[i] =
				form_value(measure, columns, coordinate + i, POINTS, query);
	/* infinite coordinates are empty places, whatever was made of them */
	for (i = 0; i < POINTS; i++)
	{
		sum[i] = coordinate[i] < INFINITY ? sum[i] : INFINITY;
		near = near || sum[i] <= limit;
	}
	return near;
}

/* The least distance of x to a range, and the farthest. */
static double
outside(double x, double low, double high)
{
	double below = low - x;
	double above = x - high;
	double most = below > above ? below : above;

	return most > 0 ? most : 0;
}

static double
farthest(double x, double low, double high)
{
	double to_low = fabs(x - low);
	double to_high = fabs(x - high);

	return to_low > to_high ? to_low : to_high;
}

/* The bound of one box; low[0] and low[CHILDREN] are its first range. */
static double
box_bound(const SdcLinkMeasure *measure, const double *low, int columns,
		  const double *query)
{
	static const double origin[SDC_INDEX_COLUMNS] = {0};
	double nearest[SDC_INDEX_COLUMNS];
	double value;
	int j;

	nearest[0] = 0; /* there is a column, but gcc 14 does not know it */
	for (j = 0; j < columns; j++)
	{
		const double *range = low + j * 2 * CHILDREN;

		if (measure->kind == SDC_LINK_SIGNED && j >= measure->positive)
			nearest[j] = farthest(query[j], range[0], range[CHILDREN]);
		else
			nearest[j] = outside(query[j], range[0], range[CHILDREN]);
	}
	value = sdc_link_measure_value(measure, columns, nearest, 1, origin);
	return measure->kind == SDC_LINK_FORM ? value * (1 - ROUNDING) : value;
}

static bool
measure_boxes(const SdcIndexMeasure *index, const double *box, int columns,
			  const double *query, double limit, double *bound)
{
	const SdcLinkMeasure *measure = index->arg;
	bool near = false;
	int i;

	for (i = 0; i < CHILDREN; i++)
	{
		bound[i] = isinf(box[i]) ? INFINITY
								 : box_bound(measure, box + i, columns, query);
		near = near || bound[i] <= limit;
	}
	return near;
}

SdcIndexMeasure
sdc_link_measure_index(const SdcLinkMeasure *measure)
{
	SdcIndexMeasure index = {measure_points, measure_boxes, measure};

	return index;
}
