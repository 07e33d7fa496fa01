/*
 * link_nearest.c
 *		Distance-based record linkage: the searches of a whole file.
 *
 * Queries are put in the order of the index, so that one search starts with
 * what the one before has found and finds its blocks in the cache.  When the
 * data leave the boxes too little to exclude (many columns, masked far), a
 * block is instead compared with 16 queries at a time.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/select.h"
#include "kernel/base/sort.h"
#include "kernel/linkage/link_measure.h"
#include "kernel/linkage/link_nearest.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Points in blocks below boxes, to find nearest points by.
 *
 * The order comes from halving: the points are split at the median of the
 * axis on which they spread most, then each half is split again, until 16 are
 * left.  Halves are multiples of whole groups, so that the places in the
 * order alone say which points a block or group holds.
 * ----------------------------------------------------------------------
 */

#define POINTS   SDC_LINK_POINTS
#define CHILDREN SDC_LINK_CHILDREN

/* Records looked at to choose an axis. */
#define AXIS_SAMPLE 512

/* Records of columns + 1 numbers: the coordinates and the point's number. */
typedef struct Builder
{
	SdcHost *host;
	double *record;
	int columns;
	size_t width;
	uint64_t steps;
} Builder;

static int32_t
divide_up(int32_t a, int32_t b)
{
	return (int32_t) (((int64_t) a + b - 1) / b);
}

/* Fills in the counts; returns the number of doubles of all arrays. */
static size_t
count_parts(SdcLinkIndex *index, int32_t points, int columns)
{
	size_t doubles;
	int32_t items;

	index->points = points;
	index->columns = columns;
	index->blocks = items = divide_up(points, POINTS);
	doubles = (size_t) items * POINTS * (size_t) columns;
	doubles += (size_t) items * POINTS / 2; /* the numbers of the points */
	index->levels = 0;
	do
	{
		items = divide_up(items, CHILDREN);
		index->groups[index->levels++] = items;
		doubles += (size_t) items * CHILDREN * 2 * (size_t) columns;
	} while (items > 1);
	return doubles;
}

/* Bytes that an index takes; the memory must be aligned to 8 bytes. */
static size_t
link_index_size(int32_t points, int columns)
{
	SdcLinkIndex index;

	return count_parts(&index, points, columns) * sizeof(double);
}

/*
 * Points the index to its memory, which sdc_link_index_build has filled or
 * will fill.
 */
static void
link_index_place(SdcLinkIndex *index, void *memory, int32_t points,
				 int columns)
{
	double *next = memory;
	int level;

	count_parts(index, points, columns);
	index->coordinate = next;
	next += (size_t) index->blocks * POINTS * (size_t) columns;
	for (level = 0; level < index->levels; level++)
	{
		index->box[level] = next;
		next +=
			(size_t) index->groups[level] * CHILDREN * 2 * (size_t) columns;
	}
	index->point = (int32_t *) next;
}

static void
poll_step(Builder *builder)
{
	if (++builder->steps % SDC_POLL_STEPS == 0)
		builder->host->poll(builder->host, 0, 0);
}

/* The axis on which the records, or a sample of them, spread most. */
static int
widest_axis(const Builder *builder, const double *record, int64_t n)
{
	int64_t step = n / AXIS_SAMPLE + 1;
	double widest = -1;
	int axis = 0;
	int j;

	for (j = 0; j < builder->columns; j++)
	{
		double low = record[j];
		double high = record[j];
		int64_t i;

		for (i = 0; i < n; i += step)
		{
			double x = record[(size_t) i * builder->width + (size_t) j];

			low = x < low ? x : low;
			high = x > high ? x : high;
		}
		if (high - low > widest)
		{
			widest = high - low;
			axis = j;
		}
	}
	return axis;
}

/*
 * Puts n records in order.  Recursion is one level per halving, at most 32.
 */
static void
order_records(Builder *builder, double *record, int64_t n)
{
	int64_t blocks = (n + POINTS - 1) / POINTS;
	int64_t unit = 1;
	int64_t middle;

	if (blocks <= 1)
		return;
	while (unit * CHILDREN < blocks)
		unit *= CHILDREN;
	middle = ((blocks + unit - 1) / unit + 1) / 2 * unit * POINTS;
	poll_step(builder);
	sdc_select_record(builder->host, record, builder->width, n, middle,
					  widest_axis(builder, record, n));
	order_records(builder, record, middle);
	order_records(builder, record + (size_t) middle * builder->width,
				  n - middle);
}

/* Makes the records of points and puts them in order. */
static void
make_records(Builder *builder, SdcHost *host, const double *coordinate,
			 int32_t points, int columns)
{
	int32_t i;
	int j;

	builder->host = host;
	builder->columns = columns;
	builder->width = (size_t) columns + 1;
	builder->steps = 0;
	builder->record = sdc_new(host, double, (size_t) points * builder->width);
	for (i = 0; i < points; i++)
	{
		double *record = builder->record + (size_t) i * builder->width;

		for (j = 0; j < columns; j++)
			record[j] = coordinate[(size_t) i * (size_t) columns + (size_t) j];
		record[columns] = i;
	}
	order_records(builder, builder->record, points);
}

/* Fills the places of the blocks; empty places are infinitely far. */
static void
fill_blocks(SdcLinkIndex *index, Builder *builder)
{
	int64_t places = (int64_t) index->blocks * POINTS;
	int columns = index->columns;
	int64_t i;
	int j;

	for (i = 0; i < places; i++)
	{
		const double *record = builder->record + (size_t) i * builder->width;
		bool used = i < index->points;
		double *place =
			index->coordinate + i / POINTS * POINTS * columns + i % POINTS;

		poll_step(builder);
		index->point[i] = used ? (int32_t) record[columns] : -1;
		for (j = 0; j < columns; j++)
			place[j * POINTS] = used ? record[j] : INFINITY;
	}
}

/* The range of some numbers; infinite ones are empty places. */
static void
find_range(const double *low, const double *high, int n, double *range_low,
		   double *range_high)
{
	int i;

	*range_low = *range_high = INFINITY;
	for (i = 0; i < n; i++)
	{
		if (isinf(low[i]))
			continue;
		*range_low = low[i] < *range_low ? low[i] : *range_low;
		if (isinf(*range_high) || high[i] > *range_high)
			*range_high = high[i];
	}
}

/* Fills the boxes of one level from the blocks or boxes below. */
static void
fill_boxes(SdcLinkIndex *index, Builder *builder, int level)
{
	int32_t items = level == 0 ? index->blocks : index->groups[level - 1];
	int64_t children = (int64_t) index->groups[level] * CHILDREN;
	int columns = index->columns;
	int64_t item;
	int j;

	for (item = 0; item < children; item++)
	{
		poll_step(builder);
		for (j = 0; j < columns; j++)
		{
			double *low = index->box[level] +
						  (item / CHILDREN * columns + j) * 2 * CHILDREN +
						  item % CHILDREN;
			const double *below =
				level == 0 ? index->coordinate + (item * columns + j) * POINTS
						   : index->box[level - 1] +
								 (item * columns + j) * 2 * CHILDREN;

			if (item >= items)
				low[0] = low[CHILDREN] = INFINITY;
			else if (level == 0)
				find_range(below, below, POINTS, &low[0], &low[CHILDREN]);
			else
				find_range(below, below + CHILDREN, CHILDREN, &low[0],
						   &low[CHILDREN]);
		}
	}
}

/*
 * Fills an index with points; coordinate[p * columns + j] must be finite and
 * less than 1e150 in magnitude.  O(columns * points * log points) time;
 * scratch 8 (columns + 1) bytes per point.
 */
static void
link_index_build(SdcHost *host, SdcLinkIndex *index, const double *coordinate)
{
	Builder builder;
	int level;

	make_records(&builder, host, coordinate, index->points, index->columns);
	fill_blocks(index, &builder);
	host->release(host, builder.record);
	for (level = 0; level < index->levels; level++)
		fill_boxes(index, &builder, level);
}

/*
 * The order described above: order[] gets the numbers of the points.  scratch
 * and time as for an index.
 */
static void
link_index_order(SdcHost *host, const double *coordinate, int32_t points,
				 int columns, int32_t *order)
{
	Builder builder;
	int32_t i;

	make_records(&builder, host, coordinate, points, columns);
	for (i = 0; i < points; i++)
		order[i] =
			(int32_t)
				builder.record[(size_t) i * builder.width + (size_t) columns];
	host->release(host, builder.record);
}

/* ----------------------------------------------------------------------
 * Distance-based record linkage: one search.
 *
 * The search walks down the boxes, nearest first, and leaves out those that
 * are farther than the limit.  A bound is computed by the same operations in
 * the same order as a distance, from numbers that are nowhere larger; because
 * rounding is monotone it never exceeds the distance, so nothing is lost, and
 * every way through the index finds the same points.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 64

/* Blocks searched between two polls; other measures take far longer. */
#define SEARCH_POLL_BLOCKS 16384
#define POLL_SLOW_BLOCKS   256

/* Half a block, as a vector; memory need not be aligned to it. */
#define LANES (POINTS / 2)
typedef double Lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t LaneFlags __attribute__((vector_size(64)));

/* A group, or below level 0 a block, that is still to be looked at. */
typedef struct Pending
{
	double bound;
	int32_t item;
	int level;
} Pending;

/* Sums of the 16 points of a block; is any at most limit? */
static SDC_CLONES bool
link_scan_points(const double *coordinate, int columns, const double *query,
				 double limit, double *sum)
{
	const Lanes *column = (const Lanes *) coordinate;
	Lanes low = {0};
	Lanes high = {0};
	LaneFlags near;
	int64_t any = 0;
	int j;

	for (j = 0; j < columns; j++)
	{
		Lanes difference_low = column[2 * j] - query[j];
		Lanes difference_high = column[2 * j + 1] - query[j];

		low += difference_low * difference_low;
		high += difference_high * difference_high;
	}
	near = (low <= limit) | (high <= limit);
	for (j = 0; j < LANES; j++)
		any |= near[j];
	if (any == 0)
		return false;
	((Lanes *) sum)[0] = low;
	((Lanes *) sum)[1] = high;
	return true;
}

/* Lower bounds of the sums in the 8 boxes of a group; is any <= limit? */
static SDC_CLONES bool
link_scan_boxes(const double *box, int columns, const double *query,
				double limit, double *bound)
{
	int near = 0;
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
		bound[i] = 0;
	for (j = 0; j < columns; j++)
	{
		const double *low = box + j * 2 * CHILDREN;
		const double *high = low + CHILDREN;
		double x = query[j];

		for (i = 0; i < CHILDREN; i++)
		{
			double below = low[i] - x;
			double above = x - high[i];
			double outside = below > above ? below : above;

			outside = outside > 0 ? outside : 0;
			bound[i] += outside * outside;
		}
	}
	for (i = 0; i < CHILDREN; i++)
		near |= bound[i] <= limit;
	return near != 0;
}

SdcLinkSearch *
sdc_link_search_create(SdcHost *host, const SdcLinkIndex *index,
					   const SdcLinkMeasure *measure)
{
	SdcLinkSearch *search = sdc_new(host, SdcLinkSearch, 1);

	search->host = host;
	search->index = index;
	search->measure = measure;
	search->count = 0;
	search->room = FIRST_ROOM;
	search->item = sdc_new(host, SdcLinkItem, FIRST_ROOM);
	search->point = sdc_new(host, int32_t, FIRST_ROOM);
	search->blocks = 0;
	return search;
}

void
sdc_link_search_release(SdcLinkSearch *search)
{
	search->host->release(search->host, search->item);
	search->host->release(search->host, search->point);
	search->host->release(search->host, search);
}

/* Begins a search; nothing has been looked at. */
static void
link_search_start(SdcLinkSearch *search, const double *query)
{
	search->query = query;
	search->smallest = DBL_MAX;
	search->limit = DBL_MAX;
	search->most = 0;
	search->count = 0;
}

/* The largest sum that counts as equally near as another. */
static double
tie_limit(const SdcLinkSearch *search, double smallest)
{
	double tie = smallest * (smallest < 0 ? 1 - 1e-9 : 1 + 1e-9);

	return tie + search->index->columns * 1e-20;
}

/*
 * Lowers the limit to what the point at a place of the index allows, without
 * counting that point as found.
 */
static void
link_search_limit(SdcLinkSearch *search, int32_t place)
{
	const SdcLinkIndex *index = search->index;
	const double *coordinate =
		index->coordinate +
		(size_t) (place / POINTS) * POINTS * (size_t) index->columns +
		place % POINTS;

	double sum = sdc_link_measure_value(search->measure, index->columns,
										coordinate, POINTS, search->query);

	search->limit = fmin(DBL_MAX, tie_limit(search, sum));
}

/* Takes over a smaller sum and drops the points that are now too far. */
static void
lower_limit(SdcLinkSearch *search, double smallest)
{
	int32_t kept = 0;
	int32_t i;

	search->smallest = smallest;
	search->limit = fmin(search->limit, tie_limit(search, smallest));
	for (i = 0; i < search->count; i++)
		if (search->item[i].sum <= search->limit)
			search->item[kept++] = search->item[i];
	search->count = kept;
}

static void
double_room(SdcLinkSearch *search)
{
	SdcHost *host = search->host;
	size_t room = (size_t) search->room * 2;
	SdcLinkItem *item = sdc_new(host, SdcLinkItem, room);
	int32_t i;

	for (i = 0; i < search->count; i++)
		item[i] = search->item[i];
	host->release(host, search->item);
	host->release(host, search->point);
	search->item = item;
	search->point = sdc_new(host, int32_t, room);
	search->room = (int32_t) room;
}

/* The sums of a block; is any at most the limit? */
static bool
scan_points(const SdcLinkSearch *search, int32_t block, double *sum)
{
	int columns = search->index->columns;
	const double *coordinate =
		search->index->coordinate + (size_t) block * POINTS * (size_t) columns;

	if (search->measure->kind == SDC_LINK_SQUARES)
		return link_scan_points(coordinate, columns, search->query,
								search->limit, sum);
	return sdc_link_measure_points(search->measure, coordinate, columns,
								   search->query, search->limit, sum);
}

/* The bounds of a group; is any at most the limit? */
static bool
scan_boxes(const SdcLinkSearch *search, int level, int32_t group,
		   double *bound)
{
	int columns = search->index->columns;
	const double *box = search->index->box[level] +
						(size_t) group * CHILDREN * 2 * (size_t) columns;

	if (search->measure->kind == SDC_LINK_SQUARES)
		return link_scan_boxes(box, columns, search->query, search->limit,
							   bound);
	return sdc_link_measure_boxes(search->measure, box, columns, search->query,
								  search->limit, bound);
}

/* Drops what is farther than the last of those looked for. */
static void
trim_items(SdcLinkSearch *search)
{
	SdcHost *host = search->host;
	double *sum = sdc_new(host, double, (size_t) search->count);
	int32_t kept = 0;
	int32_t i;

	for (i = 0; i < search->count; i++)
		sum[i] = search->item[i].sum;
	sdc_select_record(host, sum, 1, search->count, search->most - 1, 0);
	search->limit = sum[search->most - 1];
	host->release(host, sum);
	for (i = 0; i < search->count; i++)
		if (search->item[i].sum <= search->limit)
			search->item[kept++] = search->item[i];
	search->count = kept;
	search->trim_at = kept > INT32_MAX / 2 ? INT32_MAX : 2 * kept;
}

/* Looks at one block, or at all blocks that the limit lets in. */
static void
link_search_block(SdcLinkSearch *search, int32_t block)
{
	double sum[POINTS];
	double smallest = search->smallest;
	int i;

	if (++search->blocks % (search->measure->kind == SDC_LINK_SQUARES
								? SEARCH_POLL_BLOCKS
								: POLL_SLOW_BLOCKS) ==
		0)
		search->host->poll(search->host, 0, 0);
	if (!scan_points(search, block, sum))
		return;
	for (i = 0; i < POINTS; i++)
		smallest = sum[i] < smallest ? sum[i] : smallest;
	if (search->most == 0 && smallest < search->smallest)
		lower_limit(search, smallest);
	for (i = 0; i < POINTS; i++)
	{
		if (!(sum[i] <= search->limit))
			continue;
		if (search->count == search->room)
			double_room(search);
		search->item[search->count].sum = sum[i];
		search->item[search->count].place = block * POINTS + i;
		search->count++;
	}
	if (search->most > 0 && search->count >= search->trim_at)
		trim_items(search);
}

/*
 * Puts the children of a group that are near enough on the stack, the nearest
 * on top.
 */
static int
push_children(SdcLinkSearch *search, Pending *stack, int depth, int level,
			  int32_t group)
{
	double bound[CHILDREN];
	int bottom = depth;
	int i;
	int at;

	if (!scan_boxes(search, level, group, bound))
		return depth;
	for (i = 0; i < CHILDREN; i++)
	{
		if (!(bound[i] <= search->limit))
			continue;
		for (at = depth++; at > bottom && stack[at - 1].bound < bound[i]; at--)
			stack[at] = stack[at - 1];
		stack[at].bound = bound[i];
		stack[at].item = group * CHILDREN + i;
		stack[at].level = level - 1;
	}
	return depth;
}

static void
link_search_descend(SdcLinkSearch *search)
{
	Pending stack[SDC_LINK_LEVELS * CHILDREN];
	int depth = push_children(search, stack, 0, search->index->levels - 1, 0);

	while (depth > 0)
	{
		Pending next = stack[--depth];

		if (next.bound > search->limit)
			continue;
		if (next.level < 0)
			link_search_block(search, next.item);
		else
			depth = push_children(search, stack, depth, next.level, next.item);
	}
}

static int
compare_points(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

/* Ends a search: puts the points in order. */
static void
link_search_finish(SdcLinkSearch *search)
{
	int32_t i;

	for (i = 0; i < search->count; i++)
		search->point[i] = search->index->point[search->item[i].place];
	if (search->count > 1)
		sdc_sort_rows(search->host, search->point, (size_t) search->count,
					  compare_points, NULL);
}

/* Looks at every block that can matter. */
static void
link_search_all(SdcLinkSearch *search)
{
	int32_t block;

	if (search->measure->boxes)
		link_search_descend(search);
	else
		for (block = 0; block < search->index->blocks; block++)
			link_search_block(search, block);
}

void
sdc_link_search_run(SdcLinkSearch *search, const double *query)
{
	link_search_start(search, query);
	link_search_all(search);
	link_search_finish(search);
}

static int
compare_items(int32_t a, int32_t b, void *arg)
{
	const SdcLinkSearch *search = arg;
	const SdcLinkItem *x = &search->item[a];
	const SdcLinkItem *y = &search->item[b];

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return compare_points(search->index->point[x->place],
						  search->index->point[y->place], NULL);
}

void
sdc_link_search_several(SdcLinkSearch *search, const double *query,
						int32_t most)
{
	SdcHost *host = search->host;
	SdcLinkItem *sorted;
	int32_t i;

	link_search_start(search, query);
	search->most = most;
	search->trim_at = most > INT32_MAX / 2 ? INT32_MAX : 2 * most;
	link_search_all(search);
	if (search->count > most)
		trim_items(search);
	for (i = 0; i < search->count; i++)
		search->point[i] = i;
	if (search->count > 1)
		sdc_sort_rows(host, search->point, (size_t) search->count,
					  compare_items, search);
	sorted = sdc_new(host, SdcLinkItem, (size_t) search->room);
	for (i = 0; i < search->count; i++)
		sorted[i] = search->item[search->point[i]];
	host->release(host, search->item);
	search->item = sorted;
	for (i = 0; i < search->count; i++)
		search->point[i] = search->index->point[sorted[i].place];
}

/* ----------------------------------------------------------------------
 * Distance-based record linkage: the searches of a whole file.
 *
 * Queries are put in the order of the index, so that one search starts with
 * what the one before has found and finds its blocks in the cache.  When the
 * data leave the boxes too little to exclude (many columns, masked far), a
 * block is instead compared with 16 queries at a time.
 * ----------------------------------------------------------------------
 */

/* Queries in a block of work, and compared with a block of points at once. */
#define WORK_QUERIES 64
#define TILE_QUERIES 16

/* Blocks that a tile is compared with between two polls. */
#define POLL_BLOCKS 64

/* Queries from which the way of searching is chosen. */
#define SAMPLE_QUERIES 64

/*
 * Work of the boxes for one block of points, in blocks compared plainly.
 * Plain comparison wins when the boxes let in more than this share of them.
 */
#define SCAN_SHARE 0.22

/* Where the parts of a task lie. */
typedef struct Parts
{
	SdcLinkTask *task;
	SdcLinkIndex index;
	SdcLinkMeasure measure;
	SdcLinkHit *hit; /* by the number of the query */
	double *query;   /* query[i * columns + j], in the order of the index */
	int32_t *number; /* number[i] of query i in that order */
} Parts;

static size_t
round_up(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

size_t
sdc_link_task_size(int32_t points, int32_t queries, int columns,
				   const SdcLinkMeasure *measure)
{
	size_t q = (size_t) queries;

	return round_up(sizeof(SdcLinkTask)) +
		   round_up(link_index_size(points, columns)) +
		   round_up(q * sizeof(SdcLinkHit)) +
		   round_up(q * (size_t) columns * sizeof(double)) +
		   round_up(q * sizeof(int32_t)) +
		   round_up(measure->parameters * sizeof(double));
}

/* Finds the parts of a task whose numbers are filled in. */
static Parts
find_parts(void *memory)
{
	Parts parts;
	SdcLinkTask *task = memory;
	char *next = memory;
	size_t q = (size_t) task->queries;

	parts.task = task;
	next += round_up(sizeof(SdcLinkTask));
	link_index_place(&parts.index, next, task->points, task->columns);
	next += round_up(link_index_size(task->points, task->columns));
	parts.hit = (SdcLinkHit *) next;
	next += round_up(q * sizeof(SdcLinkHit));
	parts.query = (double *) next;
	next += round_up(q * (size_t) task->columns * sizeof(double));
	parts.number = (int32_t *) next;
	next += round_up(q * sizeof(int32_t));
	parts.measure = task->measure;
	parts.measure.parameter = (const double *) next;
	return parts;
}

/* Do the boxes let in too many blocks?  Asks some of the queries. */
static bool
prefers_scan(SdcHost *host, const Parts *parts)
{
	const SdcLinkTask *task = parts->task;
	int32_t step = task->queries / SAMPLE_QUERIES + 1;
	SdcLinkSearch *search =
		sdc_link_search_create(host, &parts->index, &parts->measure);
	uint64_t searches = 0;
	uint64_t blocks;
	int64_t i;

	for (i = 0; i < task->queries; i += step)
	{
		link_search_start(search, parts->query + i * task->columns);
		link_search_descend(search);
		searches++;
	}
	blocks = search->blocks;
	sdc_link_search_release(search);
	return (double) blocks >
		   SCAN_SHARE * (double) searches * parts->index.blocks;
}

void
sdc_link_task_fill(SdcHost *host, void *memory, const double *point,
				   int32_t points, const double *query, int32_t queries,
				   int columns, const SdcLinkMeasure *measure)
{
	SdcLinkTask *task = memory;
	Parts parts;
	int64_t i;

	task->points = points;
	task->queries = queries;
	task->columns = columns;
	task->measure = *measure;
	parts = find_parts(memory);
	for (i = 0; i < (int64_t) measure->parameters; i++)
		((double *) parts.measure.parameter)[i] = measure->parameter[i];
	host->stage(host, "building the index");
	link_index_build(host, &parts.index, point);
	link_index_order(host, query, queries, columns, parts.number);
	for (i = 0; i < queries; i++)
		memcpy(parts.query + i * columns,
			   query + (size_t) parts.number[i] * (size_t) columns,
			   sizeof(double) * (size_t) columns);
	task->scan = !measure->boxes || prefers_scan(host, &parts);
	host->stage(host, "linking");
}

uint64_t
sdc_link_task_blocks(const void *memory)
{
	const SdcLinkTask *task = memory;

	return ((uint64_t) task->queries + WORK_QUERIES - 1) / WORK_QUERIES;
}

static void
keep_hit(SdcLinkSearch *search, SdcLinkHit *hit)
{
	int32_t i;

	link_search_finish(search);
	memset(hit, 0, sizeof(*hit));
	hit->smallest = search->smallest;
	hit->count = search->count;
	for (i = 0; i < search->count && i < SDC_LINK_KEPT; i++)
		hit->point[i] = search->point[i];
}

/* Searches for queries first .. last - 1 one by one through the boxes. */
static void
search_boxes(SdcHost *host, const Parts *parts, int64_t first, int64_t last)
{
	SdcLinkSearch *search =
		sdc_link_search_create(host, &parts->index, &parts->measure);
	int32_t near = -1;
	int64_t i;

	for (i = first; i < last; i++)
	{
		link_search_start(search, parts->query + i * parts->task->columns);
		if (near >= 0)
			link_search_limit(search, near);
		link_search_descend(search);
		near = search->count > 0 ? search->item[0].place : -1;
		keep_hit(search, &parts->hit[parts->number[i]]);
	}
	sdc_link_search_release(search);
}

/* Compares queries first .. last - 1, at most 16, with every block. */
static void
search_tile(SdcHost *host, const Parts *parts, int64_t first, int64_t last)
{
	SdcLinkSearch *search[TILE_QUERIES];
	int count = (int) (last - first);
	int32_t block;
	int i;

	for (i = 0; i < count; i++)
	{
		search[i] =
			sdc_link_search_create(host, &parts->index, &parts->measure);
		link_search_start(search[i],
						  parts->query + (first + i) * parts->task->columns);
	}
	for (block = 0; block < parts->index.blocks; block++)
	{
		if (block % POLL_BLOCKS == 0)
			host->poll(host, 0, 0);
		for (i = 0; i < count; i++)
			link_search_block(search[i], block);
	}
	for (i = 0; i < count; i++)
	{
		keep_hit(search[i], &parts->hit[parts->number[first + i]]);
		sdc_link_search_release(search[i]);
	}
}

void
sdc_link_task_work(SdcHost *host, void *memory, uint64_t block)
{
	Parts parts = find_parts(memory);
	int64_t first = (int64_t) block * WORK_QUERIES;
	int64_t last = first + WORK_QUERIES;

	if (last > parts.task->queries)
		last = parts.task->queries;
	if (!parts.task->scan)
	{
		search_boxes(host, &parts, first, last);
		return;
	}
	for (; first < last; first += TILE_QUERIES)
		search_tile(host, &parts, first,
					last - first < TILE_QUERIES ? last : first + TILE_QUERIES);
}

void
sdc_link_task_index(void *memory, SdcLinkIndex *index, SdcLinkMeasure *measure)
{
	Parts parts = find_parts(memory);

	*index = parts.index;
	*measure = parts.measure;
}

const SdcLinkHit *
sdc_link_task_hits(void *memory)
{
	return find_parts(memory).hit;
}
