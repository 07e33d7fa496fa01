/*
 * kmeans.c
 *		k-means: rows in k clusters around their means; how far two partitions
 *		agree.
 *
 * Rows are in canonical order, so all sums and draws are, too.  Distances are
 * taken for a block of rows at a time, column by column, so that the compiler
 * makes vectors of the inner loop.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/index/points.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/kmeans.h"
#include "kernel/table/frequency.h"

/* Rows of a block. */
#define BLOCK 256

typedef struct Clustering
{
	SdcHost *host;
	const SdcPoints *points;
	int32_t k;
	double *center;   /* k of columns */
	double *sum;      /* the same */
	int64_t *count;   /* rows of each cluster */
	int32_t *label;   /* by row */
	double *distance; /* squared, of a row to its centre */
	double inertia;
	int iterations;
} Clustering;

/* Squared distances of some rows to one centre; columns are added one after
 * the other, four with each look at the sums. */
SDC_CLONES static void
block_distances(const SdcPoints *points, int32_t first, int32_t rows,
				const double *center, double *distance)
{
	int32_t i;
	int j;

	for (i = 0; i < rows; i++)
		distance[i] = 0;
	for (j = 0; j + 4 <= points->columns; j += 4)
	{
		const double *a = points->column[j] + first;
		const double *b = points->column[j + 1] + first;
		const double *c = points->column[j + 2] + first;
		const double *d = points->column[j + 3] + first;
		const double *x = center + j;

		for (i = 0; i < rows; i++)
			distance[i] = distance[i] + (a[i] - x[0]) * (a[i] - x[0]) +
						  (b[i] - x[1]) * (b[i] - x[1]) +
						  (c[i] - x[2]) * (c[i] - x[2]) +
						  (d[i] - x[3]) * (d[i] - x[3]);
	}
	for (; j < points->columns; j++)
	{
		const double *column = points->column[j] + first;
		double x = center[j];

		for (i = 0; i < rows; i++)
			distance[i] += (column[i] - x) * (column[i] - x);
	}
}

/* Notes centre c where it is nearer than any before; as wide as a distance, so
 * that both are compared in one go. */
SDC_CLONES static void
keep_nearest(const double *distance, int32_t rows, int32_t c, double *least,
			 int64_t *nearest)
{
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		nearest[i] = distance[i] < least[i] ? c : nearest[i];
		least[i] = distance[i] < least[i] ? distance[i] : least[i];
	}
}

/* Brings the distances down to those of a new centre. */
static void
lower_distances(Clustering *clustering, const double *center)
{
	const SdcPoints *points = clustering->points;
	double distance[BLOCK];
	int32_t first;
	int32_t i;

	for (first = 0; first < points->rows; first += BLOCK)
	{
		int32_t rows =
			points->rows - first < BLOCK ? points->rows - first : BLOCK;

		if (first / BLOCK % 64 == 0)
			clustering->host->poll(clustering->host, 0, 0);
		block_distances(points, first, rows, center, distance);
		for (i = 0; i < rows; i++)
			if (distance[i] < clustering->distance[first + i])
				clustering->distance[first + i] = distance[i];
	}
}

/* A row drawn with a chance in proportion to its distance. */
static int32_t
draw_row(const Clustering *clustering, SdcRandom *random)
{
	int32_t rows = clustering->points->rows;
	int32_t last = 0;
	double total = 0;
	double target;
	int32_t i;

	for (i = 0; i < rows; i++)
		total += clustering->distance[i];
	target = sdc_random_unit(random) * total;
	for (i = 0; i < rows; i++)
	{
		if (clustering->distance[i] <= 0)
			continue;
		last = i;
		target -= clustering->distance[i];
		if (target < 0)
			break;
	}
	return last;
}

/* Draws the first centres: k-means++. */
static void
draw_centers(Clustering *clustering, SdcRandom *random)
{
	const SdcPoints *points = clustering->points;
	int32_t row = (int32_t) sdc_random_below(random, (uint64_t) points->rows);
	int32_t c;
	int32_t i;

	for (i = 0; i < points->rows; i++)
		clustering->distance[i] = INFINITY;
	for (c = 0; c < clustering->k; c++)
	{
		double *center = clustering->center + (size_t) c * points->columns;

		if (c > 0)
			row = draw_row(clustering, random);
		sdc_points_get(points, row, center);
		lower_distances(clustering, center);
	}
}

/* Gives each row to its nearest centre, the first of equals; has any moved? */
static bool
assign_rows(Clustering *clustering)
{
	const SdcPoints *points = clustering->points;
	double distance[BLOCK];
	bool moved = false;
	int32_t first;
	int32_t c;
	int32_t i;

	for (first = 0; first < points->rows; first += BLOCK)
	{
		int32_t rows =
			points->rows - first < BLOCK ? points->rows - first : BLOCK;
		double *least = clustering->distance + first;
		int64_t nearest[BLOCK];

		clustering->host->poll(clustering->host, (uint64_t) first,
							   (uint64_t) points->rows);
		block_distances(points, first, rows, clustering->center, least);
		memset(nearest, 0, sizeof(nearest));
		for (c = 1; c < clustering->k; c++)
		{
			if (c % 256 == 0)
				clustering->host->poll(clustering->host, (uint64_t) first,
									   (uint64_t) points->rows);
			block_distances(points, first, rows,
							clustering->center + (size_t) c * points->columns,
							distance);
			keep_nearest(distance, rows, c, least, nearest);
		}
		for (i = 0; i < rows; i++)
		{
			moved |= clustering->label[first + i] != nearest[i];
			clustering->label[first + i] = (int32_t) nearest[i];
		}
	}
	return moved;
}

/* Adds all rows up by cluster. */
static void
sum_clusters(Clustering *clustering)
{
	const SdcPoints *points = clustering->points;
	size_t size = (size_t) clustering->k * (size_t) points->columns;
	int32_t i;
	int j;

	memset(clustering->sum, 0, sizeof(double) * size);
	memset(clustering->count, 0, sizeof(int64_t) * (size_t) clustering->k);
	for (i = 0; i < points->rows; i++)
	{
		double *sum =
			clustering->sum + (size_t) clustering->label[i] * points->columns;

		if (i % SDC_POLL_STEPS == 0)
			clustering->host->poll(clustering->host, 0, 0);
		clustering->count[clustering->label[i]]++;
		for (j = 0; j < points->columns; j++)
			sum[j] += points->column[j][i];
	}
}

/* Puts an empty cluster where a row is farthest from its centre. */
static void
restart_cluster(Clustering *clustering, int32_t c)
{
	const SdcPoints *points = clustering->points;
	int32_t farthest = 0;
	int32_t i;

	for (i = 1; i < points->rows; i++)
		if (clustering->distance[i] > clustering->distance[farthest])
			farthest = i;
	/* so that another empty cluster takes another row */
	clustering->distance[farthest] = 0;
	sdc_points_get(points, farthest,
				   clustering->center + (size_t) c * points->columns);
}

static void
move_centers(Clustering *clustering)
{
	int columns = clustering->points->columns;
	int32_t c;
	int j;

	sum_clusters(clustering);
	for (c = 0; c < clustering->k; c++)
	{
		size_t at = (size_t) c * (size_t) columns;

		if (clustering->count[c] == 0)
		{
			restart_cluster(clustering, c);
			continue;
		}
		for (j = 0; j < columns; j++)
			clustering->center[at + (size_t) j] =
				clustering->sum[at + (size_t) j] /
				(double) clustering->count[c];
	}
}

/* One start, to its end. */
static void
run_start(Clustering *clustering, const SdcKmeansSettings *settings, int start)
{
	SdcRandom random;
	int32_t i;

	sdc_random_seed(&random, settings->seed, (uint64_t) start);
	draw_centers(clustering, &random);
	for (i = 0; i < clustering->points->rows; i++)
		clustering->label[i] = -1;
	for (clustering->iterations = 1; assign_rows(clustering);
		 clustering->iterations++)
	{
		if (clustering->iterations == settings->iterations)
			break;
		move_centers(clustering);
	}
	clustering->inertia = 0;
	for (i = 0; i < clustering->points->rows; i++)
		clustering->inertia += clustering->distance[i];
}

static Clustering
create(SdcHost *host, const SdcPoints *points, int32_t k)
{
	Clustering clustering;
	size_t size = (size_t) k * (size_t) points->columns;
	size_t rows = (size_t) points->rows;

	clustering.host = host;
	clustering.points = points;
	clustering.k = k;
	clustering.center = sdc_new(host, double, size);
	clustering.sum = sdc_new(host, double, size);
	clustering.count = sdc_new(host, int64_t, (size_t) k);
	clustering.label = sdc_new(host, int32_t, rows);
	clustering.distance = sdc_new(host, double, rows);
	clustering.inertia = INFINITY;
	clustering.iterations = 0;
	return clustering;
}

static void
release(Clustering *clustering)
{
	SdcHost *host = clustering->host;

	host->release(host, clustering->center);
	host->release(host, clustering->sum);
	host->release(host, clustering->count);
	host->release(host, clustering->label);
	host->release(host, clustering->distance);
}

/* Does centre a come before centre b? */
static bool
comes_before(const Clustering *clustering, int32_t a, int32_t b)
{
	int columns = clustering->points->columns;
	const double *x = clustering->center + (size_t) a * columns;
	const double *y = clustering->center + (size_t) b * columns;
	int j;

	for (j = 0; j < columns; j++)
		if (x[j] != y[j])
			return x[j] < y[j];
	return a < b;
}

/* The labels by row of the input, clusters in the order of their centres. */
static int32_t *
order_labels(const Clustering *clustering)
{
	SdcHost *host = clustering->host;
	const SdcPoints *points = clustering->points;
	int32_t *place = sdc_new(host, int32_t, (size_t) clustering->k);
	int32_t *label = sdc_new(host, int32_t, (size_t) points->rows);
	int32_t c;
	int32_t other;
	int32_t i;

	for (c = 0; c < clustering->k; c++)
	{
		place[c] = 0;
		host->poll(host, 0, 0);
		for (other = 0; other < clustering->k; other++)
			place[c] += comes_before(clustering, other, c);
	}
	for (i = 0; i < points->rows; i++)
		label[points->position[i]] = place[clustering->label[i]];
	host->release(host, place);
	return label;
}

SdcKmeans
sdc_kmeans_run(SdcHost *host, const SdcMatrix *matrix,
			   const SdcKmeansSettings *settings)
{
	SdcPoints *points = sdc_points_create(host, matrix, true);
	int32_t k =
		settings->k < points->distinct ? settings->k : points->distinct;
	Clustering best = create(host, points, k);
	Clustering trial = create(host, points, k);
	SdcKmeans result;
	int start;

	for (start = 0; start < settings->starts; start++)
	{
		run_start(&trial, settings, start);
		if (start == 0 || trial.inertia < best.inertia)
		{
			Clustering kept = best;

			best = trial;
			trial = kept;
		}
	}
	result.clusters = k;
	result.label = order_labels(&best);
	result.inertia = best.inertia;
	result.iterations = best.iterations;
	release(&best);
	release(&trial);
	sdc_points_release(host, points);
	return result;
}

/* ----------------------------------------------------------------------
 * How far two partitions of the same rows agree.
 *
 * Pairs that a partition joins are counted from the sizes of its parts, those
 * that both join from the cells, so no pair is looked at.
 * ----------------------------------------------------------------------
 */

/* ----------------------------------------------------------------------
 * How often two models say the same of the same records.
 * ----------------------------------------------------------------------
 */

static bool
is_same(const SdcOutcome *a, int32_t label_a, const SdcOutcome *b,
		int32_t label_b, double tolerance)
{
	if (a->value == NULL || b->value == NULL)
		return label_a == label_b;
	return fabs(a->value[label_a] - b->value[label_b]) <= tolerance;
}

static int64_t *
zeros(SdcHost *host, int32_t count)
{
	int64_t *array = sdc_new(host, int64_t, (size_t) count);

	memset(array, 0, sizeof(int64_t) * (size_t) count);
	return array;
}

SdcModelAgreement
sdc_model_agreement_count(SdcHost *host, const SdcOutcome *a,
						  const int32_t *predicted_a, const SdcOutcome *b,
						  const int32_t *predicted_b, int32_t rows,
						  double tolerance)
{
	SdcModelAgreement result = {0, 0, NAN};
	int64_t *count_a = zeros(host, a->classes);
	int64_t *count_b = zeros(host, b->classes);
	double pairs = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < rows; i++)
	{
		if (predicted_a[i] < 0 || predicted_b[i] < 0)
			continue;
		result.records++;
		result.same +=
			is_same(a, predicted_a[i], b, predicted_b[i], tolerance);
		count_a[predicted_a[i]]++;
		count_b[predicted_b[i]]++;
	}
	for (i = 0; i < a->classes; i++)
	{
		host->poll(host, 0, 0);
		for (j = 0; j < b->classes && count_a[i] > 0; j++)
			if (is_same(a, i, b, j, tolerance))
				pairs += (double) count_a[i] * (double) count_b[j];
	}
	if (result.records > 0)
		result.chance = pairs / result.records / result.records;
	host->release(host, count_a);
	host->release(host, count_b);
	return result;
}

/* ----------------------------------------------------------------------
 * How far two partitions of the same rows agree.
 *
 * Pairs that a partition joins are counted from the sizes of its parts, those
 * that both join from the cells, so no pair is looked at.
 * ----------------------------------------------------------------------
 */

typedef __int128 Count;

static Count
pairs(Count n)
{
	return n * (n - 1) / 2;
}

/* The size of each part of one of the partitions; NULL is the last. */
static int64_t *
part_sizes(SdcHost *host, const SdcFrequency *labels, int column)
{
	int32_t values = labels->values[column];
	int64_t *size = sdc_new(host, int64_t, (size_t) values + 1);
	int32_t v;
	int32_t cell;

	for (v = 0; v <= values; v++)
		size[v] = 0;
	for (cell = 0; cell < labels->cells; cell++)
	{
		int32_t code = labels->code[column][cell];

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		size[code < 0 ? values : code] += labels->count[cell];
	}
	return size;
}

/* Pairs that one of the partitions joins. */
static Count
joined_pairs(const int64_t *size, int32_t values)
{
	Count joined = 0;
	int32_t v;

	for (v = 0; v <= values; v++)
		joined += pairs(size[v]);
	return joined;
}

/* Cells lie in the order of the first labels. */
static double
best_match(SdcHost *host, const SdcFrequency *labels, const int64_t *first,
		   const int64_t *second)
{
	double sum = 0;
	int32_t cell = 0;

	while (cell < labels->cells)
	{
		int32_t label = labels->code[0][cell];
		double rows = (double) first[label < 0 ? labels->values[0] : label];
		double best = 0;

		if (cell % 256 == 0)
			host->poll(host, 0, 0);
		for (; cell < labels->cells && labels->code[0][cell] == label; cell++)
		{
			int32_t other = labels->code[1][cell];
			double others =
				(double) second[other < 0 ? labels->values[1] : other];
			double match = 2 * (double) labels->count[cell] / (rows + others);

			best = match > best ? match : best;
		}
		sum += rows / (double) labels->records * best;
	}
	return sum;
}

SdcPartitionAgreement
sdc_partition_agreement_measure(SdcHost *host, const SdcFrequency *labels)
{
	SdcPartitionAgreement result = {NAN, NAN, NAN, NAN};
	int64_t *first = part_sizes(host, labels, 0);
	int64_t *second = part_sizes(host, labels, 1);
	Count a = joined_pairs(first, labels->values[0]);
	Count b = joined_pairs(second, labels->values[1]);
	Count all = pairs(labels->records);
	Count both = 0;
	int32_t cell;

	for (cell = 0; cell < labels->cells; cell++)
		both += pairs(labels->count[cell]);
	if (labels->records > 0)
		result.f_measure = best_match(host, labels, first, second);
	if (all > 0)
	{
		/* by chance a b / all pairs are joined by both */
		double chance = (double) a * (double) b / (double) all;
		double most = ((double) a + (double) b) / 2;

		result.rand = (double) (all - (a - both) - (b - both)) / (double) all;
		result.jaccard =
			a + b - both > 0 ? (double) both / (double) (a + b - both) : 1;
		result.adjusted = (a == 0 && b == 0) || (a == all && b == all)
							  ? 1
							  : ((double) both - chance) / (most - chance);
	}
	host->release(host, first);
	host->release(host, second);
	return result;
}

SdcPartitionAgreement
sdc_partition_agreement_labels(SdcHost *host, const int32_t *a,
							   int32_t values_a, const int32_t *b,
							   int32_t values_b, int32_t rows)
{
	SdcFrequencyCount *counting = sdc_frequency_start(host, 2, false);
	int32_t values[2] = {values_a, values_b};
	SdcPartitionAgreement result;
	SdcFrequency *labels;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		int32_t codes[2] = {a[i], b[i]};

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) rows);
		if (a[i] >= 0 && b[i] >= 0)
			(void) sdc_frequency_add(counting, codes, 1, 0);
	}
	labels = sdc_frequency_finish(counting, NULL, values, NULL);
	result = sdc_partition_agreement_measure(host, labels);
	sdc_frequency_release(host, labels);
	return result;
}
