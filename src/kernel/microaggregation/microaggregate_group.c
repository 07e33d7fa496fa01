/*
 * microaggregate_group.c
 *		Multivariate microaggregation: groups of at least k similar rows, by
 *		MDAV, V-MDAV or median cuts (Mondrian).
 *
 * Brings rows into canonical order, lets a method group them and carries the
 * groups back to the rows of the input.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/norm_shell.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"
#include "kernel/linear/moments.h"
#include "kernel/microaggregation/mdav.h"
#include "kernel/microaggregation/microaggregate.h"
#include "kernel/microaggregation/microaggregate_group.h"

const char *const sdc_group_words[] = {"mdav", "vmdav",    "fast", "best",
									   "pca",  "mondrian", NULL};

/* ----------------------------------------------------------------------
 * The optimal univariate partition for large k in O(n log n).
 *
 * Let f(i, j) be the loss of the best partition of j ranks whose last group
 * starts at rank i.  The squared error of an interval of sorted values is
 * Monge, so once a later start i is at least as good as an earlier one, it
 * stays so for every larger j.  The starts that are best for some j therefore
 * form a queue with the ends from which each takes over; a new start removes
 * those it beats at once and finds its own end by bisection.
 *
 * The squared error comes from prefix sums.  They cancel badly in plain
 * doubles, so they are kept as unevaluated sums of two doubles (Dekker 1971),
 * about 32 digits.
 * ----------------------------------------------------------------------
 */

typedef struct Twofold
{
	double high;
	double low;
} Twofold;

typedef struct Queue
{
	int32_t n;
	int32_t k;
	Twofold *sum;
	Twofold *squares;
	double *cost;
	int32_t *start; /* candidate starts, best first */
	int32_t *since; /* smallest j at which the candidate is best */
	int32_t head;
	int32_t tail;
} Queue;

/* high + low without loss, for any a and b. */
static Twofold
twofold_sum(double a, double b)
{
	Twofold result;
	double part;

	result.high = a + b;
	part = result.high - a;
	result.low = (a - (result.high - part)) + (b - part);
	return result;
}

static Twofold
twofold_add(Twofold a, Twofold b)
{
	Twofold result = twofold_sum(a.high, b.high);

	return twofold_sum(result.high, result.low + a.low + b.low);
}

static Twofold
twofold_subtract(Twofold a, Twofold b)
{
	b.high = -b.high;
	b.low = -b.low;
	return twofold_add(a, b);
}

/* The two halves of a double's digits (Dekker's splitting). */
static Twofold
twofold_split(double a)
{
	Twofold result;
	double scaled = 134217729.0 * a; /* 2^27 + 1 */

	result.high = scaled - (scaled - a);
	result.low = a - result.high;
	return result;
}

/* a * b without loss. */
static Twofold
twofold_product(double a, double b)
{
	Twofold x = twofold_split(a);
	Twofold y = twofold_split(b);
	Twofold result;

	result.high = a * b;
	result.low =
		((x.high * y.high - result.high) + x.high * y.low + x.low * y.high) +
		x.low * y.low;
	return result;
}

/* Sum of squared errors of the ranks start .. end - 1. */
static double
interval_error(const Queue *queue, int32_t start, int32_t end)
{
	Twofold sum = twofold_subtract(queue->sum[end], queue->sum[start]);
	Twofold squares =
		twofold_subtract(queue->squares[end], queue->squares[start]);
	Twofold product = twofold_product(sum.high, sum.high);
	double m = end - start;
	double quotient;
	Twofold rest;

	product.low += 2 * sum.high * sum.low;
	quotient = product.high / m;
	rest = twofold_subtract(product, twofold_product(quotient, m));
	squares = twofold_subtract(squares, twofold_sum(quotient, rest.high / m));
	return squares.high > 0 ? squares.high : 0;
}

static double
total_cost(const Queue *queue, int32_t start, int32_t end)
{
	return queue->cost[start] + interval_error(queue, start, end);
}

/* The smallest end in low .. high at which later is as good as earlier. */
static int32_t
take_over(const Queue *queue, int32_t earlier, int32_t later, int32_t low,
		  int32_t high)
{
	while (low < high)
	{
		int32_t middle = low + (high - low) / 2;

		if (total_cost(queue, later, middle) <=
			total_cost(queue, earlier, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Offers a new start, whose groups may end at start + k or later. */
static void
offer_start(Queue *queue, int32_t start)
{
	int32_t earliest = start + queue->k;
	int32_t since = earliest;

	while (queue->tail > queue->head)
	{
		int32_t last = queue->start[queue->tail - 1];
		int32_t from = queue->since[queue->tail - 1];

		if (from < earliest)
			from = earliest;
		if (total_cost(queue, start, from) > total_cost(queue, last, from))
		{
			since = take_over(queue, last, start, from, queue->n + 1);
			break;
		}
		since = from;
		queue->tail--;
	}
	if (since > queue->n)
		return;
	queue->start[queue->tail] = start;
	queue->since[queue->tail] = since;
	queue->tail++;
}

/* Prefix sums of the values around the middle one. */
static void
sum_up(const double *sorted, Queue *queue)
{
	double middle = sorted[queue->n / 2];
	Twofold zero = {0, 0};
	int32_t r;

	queue->sum[0] = queue->squares[0] = zero;
	for (r = 0; r < queue->n; r++)
	{
		double shift = sorted[r] - middle;

		queue->sum[r + 1] = twofold_add(queue->sum[r], twofold_sum(shift, 0));
		queue->squares[r + 1] =
			twofold_add(queue->squares[r], twofold_product(shift, shift));
	}
}

void
sdc_microaggregate_queue(SdcHost *host, const double *sorted, int32_t n,
						 int32_t k, int32_t *previous)
{
	Queue queue;
	size_t room = (size_t) n + 1;
	int32_t end;

	queue.n = n;
	queue.k = k;
	queue.sum = sdc_new(host, Twofold, room);
	queue.squares = sdc_new(host, Twofold, room);
	queue.cost = sdc_new(host, double, room);
	queue.start = sdc_new(host, int32_t, room);
	queue.since = sdc_new(host, int32_t, room);
	queue.head = queue.tail = 0;
	sum_up(sorted, &queue);
	queue.cost[0] = 0;
	for (end = k; end <= n; end++)
	{
		if (end % 1024 == 0)
			host->poll(host, end, n);
		/* a start is of use only if it can itself end a partition */
		if (end == k || end - k >= k)
			offer_start(&queue, end - k);
		while (queue.head + 1 < queue.tail &&
			   queue.since[queue.head + 1] <= end)
			queue.head++;
		previous[end] = queue.start[queue.head];
		queue.cost[end] = total_cost(&queue, queue.start[queue.head], end);
	}
	host->release(host, queue.sum);
	host->release(host, queue.squares);
	host->release(host, queue.cost);
	host->release(host, queue.start);
	host->release(host, queue.since);
}

/* ----------------------------------------------------------------------
 * Multivariate microaggregation: groups of at least k similar rows.
 * ----------------------------------------------------------------------
 */

/* Rows of a block of the fast method. */
#define BLOCK_ROWS 30000

/* More rows than this are grouped in blocks before the local search. */
#define MOST_EXACT_ROWS 2000000

/*
 * Gammas that V-MDAV is tried with, the paper's first; tables of more rows are
 * grouped once, with that one.
 */
static const double gammas[] = {0.2, 0, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2};

#define MOST_CHOSEN_ROWS 20000

/*
 * Iterations of the local search: so many per row and group size that small
 * tables come close to what the search can reach, and a fixed number per row
 * for large ones.
 */
static int64_t
search_iterations(int32_t rows, int k)
{
	int64_t thorough = (int64_t) 1000 * rows / k;
	int64_t brief = (int64_t) 2 * rows;

	if (thorough > 500000)
		thorough = 500000;
	return thorough > brief ? thorough : brief;
}

/* MDAV, then the local search. */
static int32_t
group_best(SdcHost *host, const SdcPoints *points, int k,
		   const SdcRandom *random, int32_t *group)
{
	int32_t groups;

	if (points->rows > MOST_EXACT_ROWS)
		groups = sdc_blocks_group(host, points, k, BLOCK_ROWS, group);
	else
		groups = sdc_mdav(host, points, k, group);
	host->stage(host, "improving groups");
	return sdc_local_search(host, points, k,
							search_iterations(points->rows, k), random, group,
							groups);
}

/* Every row is a group. */
static int32_t
group_alone(const SdcPoints *points, int32_t *group)
{
	int32_t row;

	for (row = 0; row < points->rows; row++)
		group[row] = row;
	return points->rows;
}

/* Adds each value of a column to the sum of its group. */
static void
sum_groups(const double *value, const int32_t *group, int32_t rows,
		   double *sum)
{
	int32_t row;

	for (row = 0; row < rows; row++)
		sum[group[row]] += value[row];
}

/* Squared deviations of all columns from the means of their groups. */
static double
squares_within(SdcHost *host, const SdcPoints *points, const int32_t *group,
			   int32_t groups)
{
	double *sum = sdc_new(host, double, (size_t) groups);
	int32_t *count = sdc_new(host, int32_t, (size_t) groups);
	double squares = 0;
	int32_t row;
	int j;

	memset(count, 0, (size_t) groups * sizeof(*count));
	for (row = 0; row < points->rows; row++)
		count[group[row]]++;
	for (j = 0; j < points->columns; j++)
	{
		host->poll(host, 0, 0);
		memset(sum, 0, (size_t) groups * sizeof(*sum));
		sum_groups(points->column[j], group, points->rows, sum);
		for (row = 0; row < points->rows; row++)
		{
			int32_t own = group[row];
			double shift = points->column[j][row] - sum[own] / count[own];

			squares += shift * shift;
		}
	}
	host->release(host, sum);
	host->release(host, count);
	return squares;
}

/* V-MDAV with the gamma that loses the least; of equal ones the first. */
static int32_t
group_variable(SdcHost *host, const SdcPoints *points, int k, int32_t *group)
{
	size_t width = (size_t) points->rows * sizeof(*group);
	int32_t groups = sdc_vmdav(host, points, k, gammas[0], group);
	int32_t *other;
	double least;
	size_t g;

	if (points->rows > MOST_CHOSEN_ROWS)
		return groups;
	other = sdc_new(host, int32_t, (size_t) points->rows);
	least = squares_within(host, points, group, groups);
	for (g = 1; g < sizeof(gammas) / sizeof(gammas[0]); g++)
	{
		int32_t found = sdc_vmdav(host, points, k, gammas[g], other);
		double squares = squares_within(host, points, other, found);

		if (!(squares < least))
			continue;
		least = squares;
		groups = found;
		memcpy(group, other, width);
	}
	host->release(host, other);
	return groups;
}

/* Groups the rows of points, numbered in canonical order. */
static int32_t
group_points(SdcHost *host, const SdcPoints *points, int k,
			 SdcGroupMethod method, const SdcRandom *random, int32_t *group)
{
	if (k == 1)
		return group_alone(points, group);
	switch (method)
	{
		case SDC_GROUP_VMDAV:
			return group_variable(host, points, k, group);
		case SDC_GROUP_FAST:
			return sdc_blocks_group(host, points, k, BLOCK_ROWS, group);
		case SDC_GROUP_BEST:
			return group_best(host, points, k, random, group);
		case SDC_GROUP_PCA:
			return sdc_ordered_partition(host, points, k, group);
		case SDC_GROUP_MONDRIAN: /* on the rows as they are, see below */
		case SDC_GROUP_MDAV:
			break;
	}
	return sdc_mdav(host, points, k, group);
}

int32_t
sdc_microaggregate_group(SdcHost *host, const SdcMatrix *rows, int k,
						 SdcGroupMethod method, bool standardize,
						 const SdcRandom *random, int32_t *group)
{
	SdcPoints *points;
	int32_t *canonical;
	int32_t groups;
	int32_t row;

	if (method == SDC_GROUP_MONDRIAN)
		return sdc_mondrian_group(host, rows, k, group);
	host->stage(host, "ordering rows");
	points = sdc_points_create(host, rows, standardize);
	canonical = sdc_new(host, int32_t, rows->rows);
	host->stage(host, "grouping rows");
	groups = group_points(host, points, k, method, random, canonical);
	for (row = 0; row < points->rows; row++)
		group[points->position[row]] = canonical[row];
	host->release(host, canonical);
	sdc_points_release(host, points);
	return groups;
}

/* Sum of squared deviations from the mean of all rows. */
static double
total_squares(SdcHost *host, const SdcPoints *points)
{
	double total = 0;
	int j;

	for (j = 0; j < points->columns; j++)
	{
		SdcScale scale = sdc_scale_measure(host, points->column[j], NULL,
										   (size_t) points->rows, 1);

		total += ldexp(scale.squares, 2 * scale.exponent);
	}
	return total;
}

double
sdc_microaggregate_bound(SdcHost *host, const SdcMatrix *rows, int k,
						 bool standardize)
{
	SdcPoints *points = sdc_points_create(host, rows, standardize);
	double total = total_squares(host, points);
	double bound = 0;

	host->stage(host, "bounding the loss");
	if (total > 0)
		bound = sdc_neighbour_distances(host, points, k) / (2.0 * k) / total;
	sdc_points_release(host, points);

	/* Less what rounding may have added. */
	return bound * (1 - 0x1p-40);
}

/* ----------------------------------------------------------------------
 * V-MDAV: MDAV with groups of variable size.
 *
 * The mean stays, so the order in which groups start is known beforehand.
 * Every member of the forming group remembers its nearest free row; that is
 * sought again only when the row is taken.  Equal rows are one point with a
 * number of rows left, as in the tree of mdav.c.
 * ----------------------------------------------------------------------
 */

/* Leaves searched between two polls. */
#define POLL_VISITS 4096

/* A point in the group that is forming, and its nearest free point. */
typedef struct Member
{
	int32_t point;
	int32_t neighbour; /* -1: to be sought */
	double distance;
} Member;

typedef struct Vmdav
{
	SdcHost *host;
	const SdcPoints *points;
	SdcPointIndex *tree;
	SdcNearest nearest;
	int32_t *order; /* points, farthest from the mean first */
	Member *member;
	int32_t members;
	int32_t free; /* rows */
	int32_t *group;
	int32_t groups;
	uint64_t polled; /* tree->visits at the last poll */
} Vmdav;

static void
point_get(const SdcPoints *points, int32_t point, double *coordinates)
{
	sdc_points_get(points, points->first[point], coordinates);
}

static double
squared_distance(const double *a, const double *b, int columns)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

/* The points from the farthest from the mean of all rows to the nearest. */
static int32_t *
order_points(SdcHost *host, const SdcPoints *points)
{
	size_t n = (size_t) points->distinct;
	uint64_t *key = sdc_new(host, uint64_t, n);
	int32_t *order = sdc_new(host, int32_t, n);
	double coordinates[SDC_MAX_COLUMNS];
	double mean[SDC_MAX_COLUMNS];
	SdcCentroid centroid;
	int32_t point;

	sdc_centroid_clear(&centroid, points->columns);
	for (point = 0; point < points->distinct; point++)
	{
		if (point % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		point_get(points, point, coordinates);
		sdc_centroid_add(&centroid, coordinates,
						 points->first[point + 1] - points->first[point]);
	}
	sdc_centroid_mean(&centroid, mean);
	for (point = 0; point < points->distinct; point++)
	{
		if (point % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		point_get(points, point, coordinates);
		key[point] = ~sdc_sort_key(
			squared_distance(coordinates, mean, points->columns));
		order[point] = point;
	}
	sdc_sort_keys(host, key, order, n);
	host->release(host, key);
	return order;
}

/* Searches the nearest free rows of a point. */
static void
search(Vmdav *vmdav, int32_t point, int64_t rows)
{
	double coordinates[SDC_MAX_COLUMNS];

	point_get(vmdav->points, point, coordinates);
	sdc_nearest_clear(&vmdav->nearest, rows);
	sdc_point_index_nearest(vmdav->tree, NULL, coordinates, &vmdav->nearest);
	if (vmdav->tree->visits - vmdav->polled < POLL_VISITS)
		return;
	vmdav->polled = vmdav->tree->visits;
	vmdav->host->poll(vmdav->host,
					  (uint64_t) (vmdav->points->rows - vmdav->free),
					  (uint64_t) vmdav->points->rows);
}

/* Gives the next rows of a point to the group that is forming. */
static void
take_rows(Vmdav *vmdav, int32_t point, int32_t count)
{
	SdcPointIndex *tree = vmdav->tree;
	int32_t row = vmdav->points->first[point + 1] - tree->weight[point];
	Member *member = &vmdav->member[vmdav->members++];
	int32_t i;

	member->point = point;
	member->neighbour = -1;
	for (i = 0; i < count; i++)
		vmdav->group[row + i] = vmdav->groups;
	vmdav->free -= count;
	tree->weight[point] -= count;
	if (tree->weight[point] == 0)
		sdc_point_index_remove(tree, point);
}

/* Takes the k rows nearest to a point. */
static void
take_nearest(Vmdav *vmdav, int32_t point, int k)
{
	SdcNearest *nearest = &vmdav->nearest;
	int32_t surplus;
	int32_t i;

	search(vmdav, point, k);
	surplus = (int32_t) (nearest->rows - k);
	for (i = 0; i < nearest->count; i++)
		take_rows(vmdav, nearest->item[i].point,
				  nearest->item[i].weight - (i == 0 ? surplus : 0));
}

/* The free point nearest to any member. */
static const Member *
nearest_to_group(Vmdav *vmdav)
{
	const Member *best = NULL;
	int32_t i;

	for (i = 0; i < vmdav->members; i++)
	{
		Member *member = &vmdav->member[i];

		if (member->neighbour < 0 ||
			vmdav->tree->weight[member->neighbour] == 0)
		{
			search(vmdav, member->point, 1);
			member->neighbour = vmdav->nearest.item[0].point;
			member->distance = vmdav->nearest.item[0].distance;
		}
		if (best == NULL || member->distance < best->distance ||
			(member->distance == best->distance &&
			 member->neighbour < best->neighbour))
			best = member;
	}
	return best;
}

/* Lets near rows join; size is the number of rows of the group. */
static void
extend_group(Vmdav *vmdav, int32_t size, int k, double gamma)
{
	while (size < 2 * (int64_t) k - 1 && vmdav->free > 0)
	{
		Member best = *nearest_to_group(vmdav);
		double outside = INFINITY;

		/* The nearest of all is the row itself. */
		search(vmdav, best.neighbour, 2);
		if (vmdav->nearest.rows >= 2)
			outside = vmdav->nearest.item[0].distance;
		if (!(best.distance < gamma * gamma * outside))
			return;
		take_rows(vmdav, best.neighbour, 1);
		size++;
	}
}

/* Adds every grouped row to the mean of its group. */
static void
compute_means(const Vmdav *vmdav, double *mean)
{
	const SdcPoints *points = vmdav->points;
	int d = points->columns;
	int32_t *count = sdc_new(vmdav->host, int32_t, (size_t) vmdav->groups);
	int32_t row;
	int j;

	memset(count, 0, (size_t) vmdav->groups * sizeof(*count));
	memset(mean, 0, (size_t) vmdav->groups * (size_t) d * sizeof(*mean));
	for (row = 0; row < points->rows; row++)
	{
		int32_t own = vmdav->group[row];

		if (row % SDC_POLL_STEPS == 0)
			vmdav->host->poll(vmdav->host, 0, 0);
		if (own < 0)
			continue;
		count[own]++;
		for (j = 0; j < d; j++)
		{
			double *element = &mean[(size_t) own * (size_t) d + j];

			*element += (points->column[j][row] - *element) / count[own];
		}
	}
	vmdav->host->release(vmdav->host, count);
}

/* Puts the rows that are left into the groups with the nearest means. */
static void
place_leftovers(Vmdav *vmdav)
{
	size_t d = (size_t) vmdav->points->columns;
	double *mean = sdc_new(vmdav->host, double, (size_t) vmdav->groups *d);
	double coordinates[SDC_MAX_COLUMNS];
	int32_t row;
	int32_t i;

	compute_means(vmdav, mean);
	for (row = 0; row < vmdav->points->rows; row++)
	{
		double least = INFINITY;

		if (vmdav->group[row] >= 0)
			continue;
		vmdav->host->poll(vmdav->host, 0, 0);
		sdc_points_get(vmdav->points, row, coordinates);
		for (i = 0; i < vmdav->groups; i++)
		{
			double distance =
				squared_distance(coordinates, mean + (size_t) i * d, (int) d);

			if (distance < least)
			{
				least = distance;
				vmdav->group[row] = i;
			}
		}
	}
	vmdav->host->release(vmdav->host, mean);
}

int32_t
sdc_vmdav(SdcHost *host, const SdcPoints *points, int k, double gamma,
		  int32_t *group)
{
	Vmdav vmdav;
	int32_t next = 0;

	vmdav.host = host;
	vmdav.points = points;
	vmdav.order = order_points(host, points);
	vmdav.tree = sdc_point_index_create(host, points);
	sdc_nearest_create(host, &vmdav.nearest, k > 2 ? k : 2);
	vmdav.member = sdc_new(host, Member, 2 * (size_t) k);
	vmdav.free = points->rows;
	vmdav.group = group;
	vmdav.groups = 0;
	vmdav.polled = 0;
	memset(group, -1, (size_t) points->rows * sizeof(*group));
	while (vmdav.free >= k)
	{
		while (vmdav.tree->weight[vmdav.order[next]] == 0)
			next++;
		vmdav.members = 0;
		take_nearest(&vmdav, vmdav.order[next], k);
		extend_group(&vmdav, k, k, gamma);
		vmdav.groups++;
		sdc_point_index_rebuild(vmdav.tree);
	}
	if (vmdav.free > 0)
		place_leftovers(&vmdav);
	host->release(host, vmdav.member);
	host->release(host, vmdav.nearest.item);
	host->release(host, vmdav.order);
	sdc_point_index_release(vmdav.tree);
	return vmdav.groups;
}

/* ----------------------------------------------------------------------
 * Multidimensional k-partition by median cuts (Mondrian).
 *
 * Boxes are ranges of one array of row numbers.  They wait on a stack; the
 * lower half of a cut is taken next, so the stack never holds more boxes than
 * there are cuts above the present one.
 * ----------------------------------------------------------------------
 */

/* Rows looked at between two polls. */
#define POLL_ROWS 8192

typedef struct Box
{
	int32_t first;
	int32_t last; /* one past the end */
} Box;

typedef struct Mondrian
{
	SdcHost *host;
	const SdcMatrix *rows;
	int32_t k;
	int32_t *row;
	uint64_t *key;
	double whole[SDC_MAX_COLUMNS];
	Box *stack;
	size_t depth;
	size_t room;
} Mondrian;

/* The range of a column over a box; halved, so that it never overflows. */
static double
half_range(const Mondrian *state, Box box, int column)
{
	const double *value = state->rows->column[column];
	double low = INFINITY;
	double high = -INFINITY;
	int32_t i;

	for (i = box.first; i < box.last; i++)
	{
		double x = value[state->row[i]];

		if ((i - box.first) % POLL_ROWS == POLL_ROWS - 1)
			state->host->poll(state->host, 0, 0);
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	return high / 2 - low / 2;
}

/* Columns that vary in the box, widest first; equal ones in their order. */
static int
rank_columns(const Mondrian *state, Box box, int *column)
{
	double width[SDC_MAX_COLUMNS];
	int count = 0;
	int j;

	for (j = 0; j < state->rows->columns; j++)
	{
		double range = half_range(state, box, j);
		int place = count;

		if (!(range > 0))
			continue;
		range /= state->whole[j];
		for (; place > 0 && width[place - 1] < range; place--)
		{
			width[place] = width[place - 1];
			column[place] = column[place - 1];
		}
		width[place] = range;
		column[place] = j;
		count++;
	}
	return count;
}

/* May the sorted box be cut in front of this place? */
static bool
may_cut(const Mondrian *state, Box box, int32_t place)
{
	return place - box.first >= state->k && box.last - place >= state->k &&
		   state->key[place - 1] != state->key[place];
}

/* Sorts the box by a column and finds the cut nearest its middle, or -1. */
static int32_t
find_cut(Mondrian *state, Box box, int column)
{
	const double *value = state->rows->column[column];
	int32_t middle = box.first + (box.last - box.first) / 2;
	int32_t away;
	int32_t i;

	for (i = box.first; i < box.last; i++)
	{
		if ((i - box.first) % POLL_ROWS == POLL_ROWS - 1)
			state->host->poll(state->host, 0, 0);
		state->key[i] = sdc_sort_key(value[state->row[i]]);
	}
	sdc_sort_keys(state->host, state->key + box.first, state->row + box.first,
				  box.last - box.first);
	for (away = 0; middle - away > box.first || middle + away < box.last;
		 away++)
	{
		if (middle - away > box.first && may_cut(state, box, middle - away))
			return middle - away;
		if (middle + away < box.last && may_cut(state, box, middle + away))
			return middle + away;
	}
	return -1;
}

static void
push(Mondrian *state, int32_t first, int32_t last)
{
	if (state->depth == state->room)
	{
		Box *larger = sdc_new(state->host, Box, 2 * state->room);
		size_t i;

		for (i = 0; i < state->depth; i++)
			larger[i] = state->stack[i];
		state->host->release(state->host, state->stack);
		state->stack = larger;
		state->room *= 2;
	}
	state->stack[state->depth].first = first;
	state->stack[state->depth].last = last;
	state->depth++;
}

/* Cuts the box and stacks both halves; false when it cannot be cut. */
static bool
cut_box(Mondrian *state, Box box)
{
	int column[SDC_MAX_COLUMNS];
	int count;
	int j;

	if ((int64_t) box.last - box.first < 2 * (int64_t) state->k)
		return false;
	count = rank_columns(state, box, column);
	for (j = 0; j < count; j++)
	{
		int32_t cut = find_cut(state, box, column[j]);

		if (cut < 0)
			continue;
		push(state, cut, box.last);
		push(state, box.first, cut);
		return true;
	}
	return false;
}

static void
start(Mondrian *state, SdcHost *host, const SdcMatrix *rows, int32_t k)
{
	Box all = {0, (int32_t) rows->rows};
	int32_t i;
	int j;

	state->host = host;
	state->rows = rows;
	state->k = k;
	state->row = sdc_new(host, int32_t, rows->rows);
	state->key = sdc_new(host, uint64_t, rows->rows);
	state->room = 64;
	state->depth = 0;
	state->stack = sdc_new(host, Box, state->room);
	for (i = 0; i < all.last; i++)
		state->row[i] = i;
	for (j = 0; j < rows->columns; j++)
		state->whole[j] = half_range(state, all, j);
	push(state, all.first, all.last);
}

int32_t
sdc_mondrian_group(SdcHost *host, const SdcMatrix *rows, int32_t k,
				   int32_t *group)
{
	Mondrian state;
	int32_t groups = 0;
	int32_t done = 0;
	int32_t i;

	host->stage(host, "cutting");
	start(&state, host, rows, k);
	while (state.depth > 0)
	{
		Box box = state.stack[--state.depth];

		host->poll(host, done, rows->rows);
		if (cut_box(&state, box))
			continue;
		for (i = box.first; i < box.last; i++)
			group[state.row[i]] = groups;
		groups++;
		done = box.last;
	}
	host->release(host, state.row);
	host->release(host, state.key);
	host->release(host, state.stack);
	return groups;
}
