/*
 * local_search.c
 *		Better groups by taking neighbouring groups apart.
 *
 * An iteration picks a random row, takes its group and the groups of its
 * nearest points, and parts their rows anew.  A new partition takes the place
 * of the old one if its sum of squares is smaller.  Where iterations are many
 * enough for it the search is annealed (Kirkpatrick, Gelatt and Vecchi 1983):
 * at first a partition may also be worse, ever less so.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"
#include "kernel/microaggregation/microaggregate_group.h"

#define SDC_REPARTITION_ROWS 256

#define SDC_REPARTITION_GROUPS 16

typedef struct SdcRepartition
{
	int columns;
	int k;
	int rows;
	int stride;    /* rows rounded up to full vectors */
	double *value; /* value[column * stride + row] */
	double *gram;  /* gram[row * stride + other]: product of two rows */
	double total;  /* sum of the squared lengths of the rows */
	int groups;
	int label[SDC_REPARTITION_ROWS];
	int count[SDC_REPARTITION_GROUPS];
	double *product; /* product[group * stride + row]: mean with row */
	double mean_square[SDC_REPARTITION_GROUPS]; /* of the mean's length */

	/* Per row: its squared length, 1 / count and product of its group. */
	double square[SDC_REPARTITION_ROWS];
	double inverse[SDC_REPARTITION_ROWS];
	double own_product[SDC_REPARTITION_ROWS];
} SdcRepartition;

static void repartition_update(SdcRepartition *repartition);

/* ----------------------------------------------------------------------
 * The nearest other points of every point.
 *
 * Points are searched in the order of the leaves of the tree, so that
 * neighbouring searches find the same boxes in the cache; what is added up is
 * added in canonical order.
 * ----------------------------------------------------------------------
 */

#define LEAF SDC_INDEX_POINTS

/* Searches between two polls. */
#define POLL_SEARCHES 256

/* Runs a visitor on the neighbours of every point. */
typedef void (*Visit)(int32_t point, SdcNearest *nearest, void *arg);

static void
search_all(SdcPointIndex *tree, int64_t wanted, Visit visit, void *arg)
{
	SdcHost *host = tree->host;
	double coordinates[SDC_MAX_COLUMNS];
	SdcNearest nearest;
	uint64_t searches = 0;
	int64_t leaf;

	sdc_nearest_create(host, &nearest, wanted);
	for (leaf = 0; leaf < tree->blocks; leaf++)
	{
		int32_t count = tree->count[0][leaf];
		int32_t i;

		for (i = 0; i < count; i++)
		{
			int32_t point = tree->point[leaf * LEAF + i];

			if (searches++ % POLL_SEARCHES == 0)
				host->poll(host, searches, (uint64_t) tree->alive);
			sdc_point_index_get(tree, point, coordinates);
			sdc_nearest_clear(&nearest, wanted);
			sdc_point_index_nearest(tree, NULL, coordinates, &nearest);
			visit(point, &nearest, arg);
		}
	}
	host->release(host, nearest.item);
}

typedef struct Graph
{
	int degree;
	int32_t *neighbour;
} Graph;

static void
keep_neighbours(int32_t point, SdcNearest *nearest, void *arg)
{
	Graph *graph = arg;
	int32_t *to = graph->neighbour + (int64_t) point * graph->degree;
	int32_t count = nearest->count - 1; /* the point itself is not wanted */
	int i;

	for (i = graph->degree - 1; i >= count; i--)
		to[i] = -1;
	while (nearest->count > 0)
	{
		int32_t farthest = nearest->item[0].point;

		sdc_nearest_pop(nearest);
		if (farthest != point && count > 0)
			to[--count] = farthest;
	}
}

/*
 * The degree nearest other distinct points of every distinct point, nearest
 * first: element p * degree + i, or -1 where there are fewer.
 * Exact.  4 degree bytes per point.
 */
static int32_t *
neighbour_graph(SdcHost *host, const SdcPoints *points, int degree)
{
	SdcPointIndex *tree = sdc_point_index_create(host, points);
	Graph graph = {degree, NULL};
	int32_t point;

	graph.neighbour =
		sdc_new(host, int32_t, (size_t) points->distinct * (size_t) degree);

	/* Points are wanted here, not rows. */
	for (point = 0; point < points->distinct; point++)
		tree->weight[point] = 1;
	search_all(tree, degree + 1, keep_neighbours, &graph);
	sdc_point_index_release(tree);
	return graph.neighbour;
}

typedef struct DistanceSums
{
	int64_t wanted;
	double *sum; /* per point */
} DistanceSums;

/*
 * The row itself is among the nearest, at distance 0.  Summed from the
 * farthest on, so that the sum does not depend on who was found first.
 */
static void
add_distances(int32_t point, SdcNearest *nearest, void *arg)
{
	DistanceSums *sums = arg;
	int64_t surplus = nearest->rows - sums->wanted;
	double sum = 0;

	while (nearest->count > 0)
	{
		SdcNearestItem farthest = nearest->item[0];

		sdc_nearest_pop(nearest);
		sum += farthest.distance * (double) (farthest.weight - surplus);
		surplus = 0;
	}
	sums->sum[point] = sum;
}

double
sdc_neighbour_distances(SdcHost *host, const SdcPoints *points, int wanted)
{
	SdcPointIndex *tree = sdc_point_index_create(host, points);
	DistanceSums sums = {wanted, NULL};
	double total = 0;
	int32_t point;

	sums.sum = sdc_new(host, double, (size_t) points->distinct);
	search_all(tree, wanted, add_distances, &sums);
	for (point = 0; point < points->distinct; point++)
		total += sums.sum[point] *
				 (points->first[point + 1] - points->first[point]);
	host->release(host, sums.sum);
	sdc_point_index_release(tree);
	return total;
}

/* ----------------------------------------------------------------------
 * A few groups taken apart and put together again: new beginnings.
 *
 * New groups grow as in MDAV, but with chance: the first row is random or
 * remote from the mean of what is left, the others are the nearest to it or to
 * the growing mean, and now and then a group gets more than k rows.
 * ----------------------------------------------------------------------
 */

/* How often a new group gets more than k rows. */
#define LARGER_GROUPS 0.15

/* Rows not yet in a new group. */
typedef struct Remaining
{
	int count;
	int row[SDC_REPARTITION_ROWS];
	double product[SDC_REPARTITION_ROWS]; /* of every row with a mean */
} Remaining;

/* Exchanges one to three random pairs of rows. */
static void
repartition_shake(SdcRepartition *repartition, SdcRandom *random)
{
	SdcRepartition *r = repartition;
	uint64_t rows = (uint64_t) r->rows;
	uint64_t pairs = 1 + sdc_random_below(random, 3);

	for (; pairs > 0; pairs--)
	{
		uint64_t a = sdc_random_below(random, rows);
		uint64_t b = sdc_random_below(random, rows);
		int kept = r->label[a];

		r->label[a] = r->label[b];
		r->label[b] = kept;
	}
	repartition_update(r);
}

/* Moves the mean of count rows towards one more row. */
static void
add_to_mean(const SdcRepartition *r, Remaining *remaining, int row, int count)
{
	const double *gram = r->gram + row * r->stride;
	double part = 1.0 / (count + 1);
	int i;

	for (i = 0; i < r->stride; i++)
		remaining->product[i] += (gram[i] - remaining->product[i]) * part;
}

/* The place of the row most remote from the mean of what remains. */
static int
most_remote(const SdcRepartition *r, Remaining *remaining, bool blurred,
			SdcRandom *random)
{
	double square = 0;
	double most = -1;
	int chosen = 0;
	int i;

	memset(remaining->product, 0, sizeof(remaining->product));
	for (i = 0; i < remaining->count; i++)
		add_to_mean(r, remaining, remaining->row[i], i);
	for (i = 0; i < remaining->count; i++)
		square += remaining->product[remaining->row[i]];
	square /= remaining->count;
	for (i = 0; i < remaining->count; i++)
	{
		int row = remaining->row[i];
		double distance =
			r->square[row] - 2 * remaining->product[row] + square;

		if (blurred)
			distance *= 0.5 + sdc_random_unit(random);
		if (distance > most)
		{
			most = distance;
			chosen = i;
		}
	}
	return chosen;
}

/* Takes a row from the remaining into a group. */
static int
take_row(SdcRepartition *r, Remaining *remaining, int place, int group)
{
	int row = remaining->row[place];

	r->label[row] = group;
	remaining->row[place] = remaining->row[--remaining->count];
	return row;
}

/*
 * Grows a group from a row: the nearest to that row, or the nearest to the
 * mean of the group as it grows.
 */
static void
grow_group(SdcRepartition *r, Remaining *remaining, int start, int size,
		   int group, bool follow_mean)
{
	int row = take_row(r, remaining, start, group);
	int taken;

	memcpy(remaining->product, r->gram + row * r->stride,
		   (size_t) r->stride * sizeof(*remaining->product));
	for (taken = 1; taken < size; taken++)
	{
		double least = INFINITY;
		int nearest = 0;
		int i;

		for (i = 0; i < remaining->count; i++)
		{
			double distance = r->square[remaining->row[i]] -
							  2 * remaining->product[remaining->row[i]];

			if (distance < least)
			{
				least = distance;
				nearest = i;
			}
		}
		row = take_row(r, remaining, nearest, group);
		if (follow_mean)
			add_to_mean(r, remaining, row, taken);
	}
}

/* Forgets the groups and grows new ones from random or remote rows. */
static void
repartition_regrow(SdcRepartition *repartition, SdcRandom *random)
{
	SdcRepartition *r = repartition;
	uint64_t mode = sdc_random_below(random, 4);
	Remaining remaining;
	int i;

	remaining.count = r->rows;
	for (i = 0; i < r->rows; i++)
		remaining.row[i] = i;
	r->groups = 0;
	while (remaining.count >= 2 * r->k)
	{
		bool follow_mean = sdc_random_below(random, 2) == 0;
		int size = r->k;
		int start;

		if (mode < 2)
			start = most_remote(r, &remaining, mode == 0, random);
		else
			start = (int) sdc_random_below(random, (uint64_t) remaining.count);
		if (sdc_random_unit(random) < LARGER_GROUPS)
			size += (int) sdc_random_below(random, (uint64_t) r->k);
		if (remaining.count - size < r->k)
			size = r->k;
		grow_group(r, &remaining, start, size, r->groups++, follow_mean);
	}
	for (i = 0; i < remaining.count; i++)
		r->label[remaining.row[i]] = r->groups;
	r->groups++;
	repartition_update(r);
}

/* ----------------------------------------------------------------------
 * A few groups taken apart and put together again: the descent.
 * |x - a|^2 n_a / (n_a - 1) - |x - b|^2 n_b / (n_b + 1),
 * |x - y|^2 (1 / n_a + 1 / n_b) + 2 (y - x).(a - b).
 * moving row x from a to b gains
 *		|x - a|^2 n_a / (n_a - 1) - |x - b|^2 n_b / (n_b + 1),
 * exchanging x of a and y of b gains
 *		|x - y|^2 (1 / n_a + 1 / n_b) + 2 (y - x).(a - b).
 * ----------------------------------------------------------------------
 */

#define LANES 8

/* Gains below this part of the total are rounding. */
#define REPARTITION_LEAST_GAIN 1e-11

/* Passes over the rows; a descent needs two or three. */
#define MOST_PASSES 50

static SdcRepartition *
repartition_create(SdcHost *host, int columns, int k)
{
	SdcRepartition *r = sdc_new(host, SdcRepartition, 1);
	size_t rows = SDC_REPARTITION_ROWS;

	memset(r, 0, sizeof(*r));
	r->columns = columns;
	r->k = k;
	r->value = sdc_new(host, double, rows *(size_t) columns);
	r->gram = sdc_new(host, double, rows *rows);
	r->product = sdc_new(host, double, rows *SDC_REPARTITION_GROUPS);
	return r;
}

static void
repartition_release(SdcHost *host, SdcRepartition *repartition)
{
	host->release(host, repartition->value);
	host->release(host, repartition->gram);
	host->release(host, repartition->product);
	host->release(host, repartition);
}

/* Products of all pairs of rows. */
SDC_CLONES static void
compute_gram(const double *restrict value, int columns, int rows, int stride,
			 double *restrict gram)
{
	int row;
	int i;
	int j;

	memset(gram, 0, sizeof(*gram) * (size_t) (rows * stride));
	for (j = 0; j < columns; j++, value += stride)
		for (row = 0; row < rows; row++)
		{
			double *products = gram + row * stride;
			double own = value[row];

			for (i = 0; i < stride; i++)
				products[i] += own * value[i];
		}
}

/* Product of the mean of a group with every row. */
SDC_CLONES static void
compute_products(const double *restrict gram, const int *restrict label,
				 int rows, int stride, int group, int count,
				 double *restrict product)
{
	int row;
	int i;

	for (i = 0; i < stride; i++)
		product[i] = 0;
	for (row = 0; row < rows; row++)
	{
		const double *products = gram + row * stride;

		if (label[row] == group)
			for (i = 0; i < stride; i++)
				product[i] += products[i];
	}
	for (i = 0; i < stride; i++)
		product[i] /= count;
}

/* Carries the products of a group over to its members. */
static void
update_members(SdcRepartition *r, int group, int count)
{
	const double *product = r->product + group * r->stride;
	double square = 0;
	int i;

	for (i = 0; i < r->rows; i++)
	{
		if (r->label[i] != group)
			continue;
		square += product[i];
		r->inverse[i] = 1.0 / count;
		r->own_product[i] = product[i];
	}
	r->count[group] = count;
	r->mean_square[group] = square / count;
}

/* Computes what follows from the members of a group. */
static void
update_group(SdcRepartition *r, int group)
{
	int count = 0;
	int i;

	for (i = 0; i < r->rows; i++)
		count += r->label[i] == group;
	compute_products(r->gram, r->label, r->rows, r->stride, group, count,
					 r->product + group * r->stride);
	update_members(r, group, count);
}

/* Computes what follows from the labels after they have been changed. */
static void
repartition_update(SdcRepartition *repartition)
{
	int group;

	for (group = 0; group < repartition->groups; group++)
		update_group(repartition, group);
}

/*
 * Takes rows[] (row-major coordinates: values + row * columns) and their
 * labels 0 .. groups - 1, every group of k to 2k - 1 rows.
 */
static void
repartition_load(SdcRepartition *repartition, const double *values,
				 const int32_t *rows, const int *label, int count, int groups)
{
	SdcRepartition *r = repartition;
	int i;
	int j;

	r->rows = count;
	r->stride = (count + LANES - 1) / LANES * LANES;
	r->groups = groups;
	memcpy(r->label, label, (size_t) count * sizeof(*label));
	memset(r->label + count, 0, (size_t) (r->stride - count) * sizeof(*label));
	for (j = 0; j < r->columns; j++)
	{
		double *column = r->value + j * r->stride;
		double mean = 0;

		for (i = 0; i < count; i++)
		{
			column[i] = values[(size_t) rows[i] * (size_t) r->columns + j];
			mean += column[i];
		}
		mean /= count;
		for (i = 0; i < r->stride; i++)
			column[i] = i < count ? column[i] - mean : 0;
	}
	compute_gram(r->value, r->columns, r->rows, r->stride, r->gram);
	r->total = 0;
	for (i = 0; i < count; i++)
	{
		r->square[i] = r->gram[i * r->stride + i];
		r->total += r->square[i];
	}
	repartition_update(r);
}

/* The sum of squared distances to the means of the groups. */
static double
repartition_cost(const SdcRepartition *repartition)
{
	double cost = repartition->total;
	int i;

	for (i = 0; i < repartition->groups; i++)
		cost -= repartition->count[i] * repartition->mean_square[i];
	return cost;
}

/* Squared distance of a row to the mean of a group. */
static inline double
to_mean(const SdcRepartition *r, int row, int group)
{
	return r->square[row] - 2 * r->product[group * r->stride + row] +
		   r->mean_square[group];
}

/* Moves a row to the group where it gains most; false if nowhere. */
static bool
move_row(SdcRepartition *r, int row, double least_gain)
{
	int from = r->label[row];
	double count = r->count[from];
	double saved;
	int best = -1;
	int to;

	if (r->count[from] <= r->k)
		return false;
	saved = to_mean(r, row, from) * count / (count - 1);
	for (to = 0; to < r->groups; to++)
	{
		double gain;

		if (to == from || r->count[to] >= 2 * r->k - 1)
			continue;
		count = r->count[to];
		gain = saved - to_mean(r, row, to) * count / (count + 1);
		if (gain > least_gain)
		{
			least_gain = gain;
			best = to;
		}
	}
	if (best < 0)
		return false;
	r->label[row] = best;
	update_group(r, from);
	update_group(r, best);
	return true;
}

/*
 * What an exchange of a row with every other row gains, -1 for rows of its own
 * group; here[group] is the product of the row with the mean of a group.
 * Returns the greatest gain.
 */
SDC_CLONES static double
exchange_gains(const SdcRepartition *restrict r, int row,
			   const double *restrict here, double *restrict gain)
{
	const double *restrict gram = r->gram + row * r->stride;
	int own = r->label[row];
	const double *restrict product = r->product + own * r->stride;
	double most[LANES];
	int i;
	int j;

	for (i = 0; i < r->stride; i++)
	{
		double distance = r->square[row] + r->square[i] - 2 * gram[i];
		double all = distance * (r->inverse[row] + r->inverse[i]) +
					 2 * (product[i] - r->own_product[i] -
						  r->own_product[row] + here[r->label[i]]);

		gain[i] = r->label[i] == own ? -1 : all;
	}
	for (i = r->rows; i < r->stride; i++)
		gain[i] = -1;
	for (j = 0; j < LANES; j++)
		most[j] = -1;
	for (i = 0; i < r->stride; i += LANES)
		for (j = 0; j < LANES; j++)
			most[j] = gain[i + j] > most[j] ? gain[i + j] : most[j];
	for (j = 1; j < LANES; j++)
		most[0] = most[j] > most[0] ? most[j] : most[0];
	return most[0];
}

/* A group gets one row for another. */
SDC_CLONES static void
replace_member(const double *restrict in, const double *restrict out,
			   int stride, int count, double *restrict product)
{
	int i;

	for (i = 0; i < stride; i++)
		product[i] += (in[i] - out[i]) / count;
}

/* Exchanges a row with the one that gains most; false if none does. */
static bool
exchange_row(SdcRepartition *r, int row, double least_gain)
{
	double gain[SDC_REPARTITION_ROWS];
	double here[SDC_REPARTITION_GROUPS];
	const double *gram = r->gram + row * r->stride;
	const double *other_gram;
	int own = r->label[row];
	int other = 0;
	int group;
	double most;

	for (group = 0; group < r->groups; group++)
		here[group] = r->product[group * r->stride + row];
	most = exchange_gains(r, row, here, gain);
	if (most <= least_gain)
		return false;
	while (gain[other] != most)
		other++;
	other_gram = r->gram + other * r->stride;
	group = r->label[other];
	r->label[row] = group;
	r->label[other] = own;
	replace_member(other_gram, gram, r->stride, r->count[own],
				   r->product + own * r->stride);
	replace_member(gram, other_gram, r->stride, r->count[group],
				   r->product + group * r->stride);
	update_members(r, own, r->count[own]);
	update_members(r, group, r->count[group]);
	return true;
}

/* Moves and exchanges rows as long as that lowers the cost. */
static void
repartition_descend(SdcRepartition *repartition)
{
	double least_gain = repartition->total * REPARTITION_LEAST_GAIN;
	bool improved = true;
	int pass;
	int row;

	for (pass = 0; improved && pass < MOST_PASSES; pass++)
	{
		improved = false;
		for (row = 0; row < repartition->rows; row++)
			if (move_row(repartition, row, least_gain) ||
				exchange_row(repartition, row, least_gain))
				improved = true;
	}
}

/* ----------------------------------------------------------------------
 * The search: iterations that take neighbouring groups apart.
 * ----------------------------------------------------------------------
 */

/* Groups taken apart together. */
#define MOST_GROUPS 5

/* Attempts to reach further groups through members of those taken. */
#define MOST_DETOURS 20

/* Nearest points kept; fewer when the points are very many. */
#define DEGREE       16
#define DEGREE_LARGE 8
#define LARGE_POINTS 200000

/* How often groups are only shaken instead of grown anew. */
#define SHAKEN 0.3

/* Improvements below this part of the cost are rounding. */
#define LEAST_GAIN 1e-9

#define POLL_ITERATIONS 256

/*
 * Annealing: iterations for each k rows from which it pays, how much worse a
 * partition may be on average in the beginning, in losses of a row, and the
 * part of the iterations after which none may be worse.
 */
#define ANNEALED_ITERATIONS 100
#define HEAT                1.0
#define HEATED              0.9

typedef struct LocalSearch
{
	SdcHost *host;
	const SdcPoints *points;
	int k;
	int most_members; /* 2k - 1 */
	double *value;    /* value[row * columns + column] */
	int32_t *point;   /* point of a row */
	int degree;
	int32_t *neighbour; /* neighbour[point * degree + i] */
	int32_t *group;
	int32_t *member; /* member[group * most_members + i] */
	int32_t *count;  /* rows of a group */
	int32_t groups;  /* numbers in use or in unused[] */
	int32_t *unused; /* numbers of groups that have gone */
	int32_t unused_count;
	SdcRepartition *repartition;
	SdcRandom random;
	double heat;   /* how much worse a partition may be on average */
	double gained; /* since the start */
	/* the groups of the start, to go back to if these were better */
	int32_t *kept;
	int32_t groups_kept;
} LocalSearch;

/* The groups that an iteration takes apart. */
typedef struct Taken
{
	int groups;
	int rows;
	int32_t group[MOST_GROUPS];
	int32_t row[SDC_REPARTITION_ROWS];
	int label[SDC_REPARTITION_ROWS];
} Taken;

static void
start(LocalSearch *search, int32_t *group, int32_t groups)
{
	SdcHost *host = search->host;
	const SdcPoints *points = search->points;
	size_t rows = (size_t) points->rows;
	size_t most_groups = rows / (size_t) search->k;
	int32_t point;
	int32_t row;

	search->value = sdc_new(host, double, rows *(size_t) points->columns);
	search->point = sdc_new(host, int32_t, rows);
	search->member =
		sdc_new(host, int32_t, most_groups * (size_t) search->most_members);
	search->count = sdc_new(host, int32_t, most_groups);
	search->unused = sdc_new(host, int32_t, most_groups);
	search->group = group;
	search->groups = groups;
	search->unused_count = 0;
	memset(search->count, 0, most_groups * sizeof(*search->count));
	for (point = 0; point < points->distinct; point++)
		for (row = points->first[point]; row < points->first[point + 1]; row++)
		{
			int32_t own = group[row];

			if (row % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			search->point[row] = point;
			search->member[(int64_t) own * search->most_members +
						   search->count[own]++] = row;
			sdc_points_get(points, row,
						   search->value +
							   (size_t) row * (size_t) points->columns);
		}
}

static void
finish(LocalSearch *search)
{
	SdcHost *host = search->host;

	host->release(host, search->value);
	host->release(host, search->point);
	host->release(host, search->member);
	host->release(host, search->count);
	host->release(host, search->unused);
	host->release(host, search->neighbour);
	repartition_release(host, search->repartition);
}

/* Takes a group apart unless it is already, or there are too many rows. */
static void
take_group(LocalSearch *search, Taken *taken, int32_t group)
{
	const int32_t *member =
		search->member + (int64_t) group * search->most_members;
	int32_t count = search->count[group];
	int32_t i;

	for (i = 0; i < taken->groups; i++)
		if (taken->group[i] == group)
			return;
	if (taken->rows + count > SDC_REPARTITION_ROWS)
		return;
	for (i = 0; i < count; i++)
	{
		taken->row[taken->rows] = member[i];
		taken->label[taken->rows++] = taken->groups;
	}
	taken->group[taken->groups++] = group;
}

/* Takes the group of a random row of a point; -1 is no point. */
static void
take_group_of(LocalSearch *search, Taken *taken, int32_t point)
{
	int32_t first;
	uint64_t rows;

	if (point < 0)
		return;
	first = search->points->first[point];
	rows = (uint64_t) (search->points->first[point + 1] - first);
	if (rows > 1)
		first += (int32_t) sdc_random_below(&search->random, rows);
	take_group(search, taken, search->group[first]);
}

/*
 * Takes 2 to MOST_GROUPS groups around a random row, if there are so many: in
 * half of all cases those nearest to it, else those near any of the rows that
 * were taken, so that a group between two clusters meets groups of both.
 */
static void
take_groups(LocalSearch *search, Taken *taken)
{
	SdcRandom *random = &search->random;
	int32_t row =
		(int32_t) sdc_random_below(random, (uint64_t) search->points->rows);
	int32_t point = search->point[row];
	int wanted = 2 + (int) sdc_random_below(random, MOST_GROUPS - 1);
	int near;
	int i;

	taken->groups = taken->rows = 0;
	take_group(search, taken, search->group[row]);
	take_group_of(search, taken, point);
	near = sdc_random_below(random, 2) == 0 ? wanted : 1;
	for (i = 0; i < search->degree && taken->groups < near; i++)
		take_group_of(search, taken,
					  search->neighbour[(int64_t) point * search->degree + i]);
	for (i = 0; i < MOST_DETOURS && taken->groups < wanted; i++)
	{
		uint64_t member = sdc_random_below(random, (uint64_t) taken->rows);
		uint64_t edge = sdc_random_below(random, (uint64_t) search->degree);

		point = search->point[taken->row[member]];
		take_group_of(search, taken,
					  search->neighbour[(int64_t) point * search->degree +
										(int64_t) edge]);
	}
}

/* Puts the new groups in the place of those taken apart. */
static void
accept(LocalSearch *search, const Taken *taken)
{
	const SdcRepartition *repartition = search->repartition;
	int32_t number[SDC_REPARTITION_GROUPS];
	int i;

	for (i = 0; i < taken->groups; i++)
		search->unused[search->unused_count++] = taken->group[i];
	for (i = 0; i < repartition->groups; i++)
	{
		number[i] = search->unused_count > 0
						? search->unused[--search->unused_count]
						: search->groups++;
		search->count[number[i]] = 0;
	}
	for (i = 0; i < taken->rows; i++)
	{
		int32_t group = number[repartition->label[i]];

		search->group[taken->row[i]] = group;
		search->member[(int64_t) group * search->most_members +
					   search->count[group]++] = taken->row[i];
	}
}

/* Is a partition taken in the place of one that costs so much? */
static bool
is_welcome(LocalSearch *search, double cost, double instead)
{
	if (instead < cost * (1 - LEAST_GAIN))
		return true;
	return search->heat > 0 && instead > cost * (1 + LEAST_GAIN) &&
		   instead <
			   cost - search->heat *
						  sdc_random_log(1 - sdc_random_unit(&search->random));
}

static void
iterate(LocalSearch *search)
{
	SdcRepartition *repartition = search->repartition;
	Taken taken;
	double cost;
	double instead;

	take_groups(search, &taken);
	if (taken.groups < 2)
		return;
	repartition_load(repartition, search->value, taken.row, taken.label,
					 taken.rows, taken.groups);
	cost = repartition_cost(repartition);
	if (sdc_random_unit(&search->random) < SHAKEN)
		repartition_shake(repartition, &search->random);
	else
		repartition_regrow(repartition, &search->random);
	repartition_descend(repartition);
	instead = repartition_cost(repartition);
	if (!is_welcome(search, cost, instead))
		return;
	search->gained += cost - instead;
	accept(search, &taken);
}

/* The squared distances of the rows to the means of their groups. */
static double
loss_of(const LocalSearch *search)
{
	int columns = search->points->columns;
	double loss = 0;
	int32_t group;
	int32_t i;
	int j;

	for (group = 0; group < search->groups; group++)
	{
		const int32_t *member =
			search->member + (int64_t) group * search->most_members;
		int32_t count = search->count[group];

		for (j = 0; j < columns; j++)
		{
			double mean = 0;

			for (i = 0; i < count; i++)
				mean += search->value[(size_t) member[i] * columns + j];
			mean /= count;
			for (i = 0; i < count; i++)
			{
				double apart =
					search->value[(size_t) member[i] * columns + j] - mean;

				loss += apart * apart;
			}
		}
	}
	return loss;
}

/* Looks for better groups, annealed when the heat is not 0. */
static void
improve(LocalSearch *search, int64_t iterations, double heat)
{
	SdcHost *host = search->host;
	size_t rows = (size_t) search->points->rows;
	int64_t i;

	if (heat > 0)
	{
		search->kept = sdc_new(host, int32_t, rows);
		memcpy(search->kept, search->group, rows * sizeof(*search->kept));
		search->groups_kept = search->groups;
	}
	for (i = 0; i < iterations; i++)
	{
		if (i % POLL_ITERATIONS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) iterations);
		search->heat =
			heat * (1 - (double) i / (HEATED * (double) iterations));
		iterate(search);
	}
	if (heat > 0 && search->gained < 0)
	{
		memcpy(search->group, search->kept, rows * sizeof(*search->kept));
		search->groups = search->groups_kept;
	}
	if (search->kept != NULL)
		host->release(host, search->kept);
}

/* Numbers the groups from 0 in the order of their first rows. */
static int32_t
renumber(LocalSearch *search)
{
	int32_t *number = search->count;
	int32_t groups = 0;
	int32_t row;

	memset(number, -1, (size_t) search->groups * sizeof(*number));
	for (row = 0; row < search->points->rows; row++)
	{
		int32_t *own = &search->group[row];

		if (number[*own] < 0)
			number[*own] = groups++;
		*own = number[*own];
	}
	return groups;
}

int32_t
sdc_local_search(SdcHost *host, const SdcPoints *points, int k,
				 int64_t iterations, const SdcRandom *random, int32_t *group,
				 int32_t groups)
{
	LocalSearch search;
	double heat = 0;

	if (groups < 2 || points->distinct < 2 ||
		2 * (int64_t) k > SDC_REPARTITION_ROWS)
		return groups;
	search.host = host;
	search.points = points;
	search.k = k;
	search.most_members = 2 * k - 1;
	search.degree = points->distinct > LARGE_POINTS ? DEGREE_LARGE : DEGREE;
	search.neighbour = neighbour_graph(host, points, search.degree);
	search.repartition = repartition_create(host, points->columns, k);
	search.random = *random;
	search.gained = 0;
	search.kept = NULL;
	start(&search, group, groups);
	if (iterations >= (int64_t) ANNEALED_ITERATIONS * points->rows / k)
		heat = HEAT * loss_of(&search) / points->rows;
	improve(&search, iterations, heat);
	groups = renumber(&search);
	finish(&search);
	return groups;
}
