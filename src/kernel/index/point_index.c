/*
 * point_index.c
 *		Points in flat blocks below boxes: nearest and farthest ones.
 *
 * Filling orders records of the points by halving, cuts the order into blocks
 * and computes the boxes from the bottom to the top.  A search goes down to
 * the most promising child, bounds the children of that one, and so on; it
 * comes back up when no child left can hold a better point.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/sort.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"
#include "kernel/linear/square.h"

#define PLACES   SDC_INDEX_POINTS
#define CHILDREN SDC_INDEX_CHILDREN

/* From the box of an axis to that of the next one, within a group. */
#define STRIDE (2 * CHILDREN)

#define INLINE static inline __attribute__((always_inline))

INLINE double
smaller(double a, double b)
{
	return a < b ? a : b;
}

INLINE double
larger(double a, double b)
{
	return a > b ? a : b;
}

/* ----------------------------------------------------------------------
 * The arithmetic of 16 points or boxes.
 * ----------------------------------------------------------------------
 */

/* Adds the squared differences of count columns. */
INLINE void
add_distances(const double *restrict coordinate, const double *restrict point,
			  int count, double *restrict distance)
{
	int i;
	int j;

	for (i = 0; i < PLACES; i++)
	{
		double sum = distance[i];

		for (j = 0; j < count; j++)
		{
			double difference = coordinate[j * PLACES + i] - point[j];

			sum += difference * difference;
		}
		distance[i] = sum;
	}
}

/* Adds the squared ways into the boxes along count axes. */
INLINE void
add_nearest(const double *restrict box, const double *restrict turned,
			int count, double *restrict bound)
{
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
	{
		double sum = bound[i];

		for (j = 0; j < count; j++)
		{
			double below = box[j * STRIDE + i] - turned[j];
			double above = turned[j] - box[j * STRIDE + CHILDREN + i];
			double outside = larger(below, above);

			outside = larger(outside, 0.0);
			sum += outside * outside;
		}
		bound[i] = sum;
	}
}

/*
 * Adds, along count axes, the squared ways to the farthest corners, and the
 * least products of a point of the box and the direction.
 */
INLINE void
add_farthest(const double *restrict box, const double *restrict turned,
			 const double *restrict direction, int count,
			 double *restrict corner, double *restrict product)
{
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
	{
		double corner_sum = corner[i];
		double product_sum = product[i];

		for (j = 0; j < count; j++)
		{
			double at_low = box[j * STRIDE + i];
			double at_high = box[j * STRIDE + CHILDREN + i];
			double side = larger(turned[j] - at_low, at_high - turned[j]);

			corner_sum += side * side;
			product_sum +=
				smaller(at_low * direction[j], at_high * direction[j]);
		}
		corner[i] = corner_sum;
		product[i] = product_sum;
	}
}

/* Squared distances of the places of a block to a point. */
INLINE void
squared_distances(const double *coordinate, const double *point, int unrolled,
				  int columns, double *distance)
{
	int i;
	int j;

	for (i = 0; i < PLACES; i++)
		distance[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		add_distances(coordinate + j * PLACES, point + j, unrolled, distance);
	for (; j < columns; j++)
		add_distances(coordinate + j * PLACES, point + j, 1, distance);
}

/* Squared distances to the nearest points that the boxes can hold. */
INLINE void
nearest_bounds(const double *box, const double *turned, int unrolled,
			   int columns, double *bound)
{
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
		bound[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		add_nearest(box + j * STRIDE, turned + j, unrolled, bound);
	for (; j < columns; j++)
		add_nearest(box + j * STRIDE, turned + j, 1, bound);
}

/*
 * Squared distances to the farthest points that the boxes can hold, -1 for an
 * empty one.  Two bounds, of which the smaller counts: the farthest corner;
 * and, with no x farther from the centre c than the point r is,
 * |x - r|^2 <= 2 |r - c|^2 - 2 (x - c).(r - c).  ball is what of it does not
 * depend on x, direction is r - c.
 */
INLINE void
farthest_bounds(const double *box, const int32_t *count, const double *turned,
				const double *direction, double ball, int unrolled,
				int columns, double *bound)
{
	double product[CHILDREN];
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
		bound[i] = product[i] = 0;
	for (j = 0; j + unrolled <= columns; j += unrolled)
		add_farthest(box + j * STRIDE, turned + j, direction + j, unrolled,
					 bound, product);
	for (; j < columns; j++)
		add_farthest(box + j * STRIDE, turned + j, direction + j, 1, bound,
					 product);
	for (i = 0; i < CHILDREN; i++)
	{
		double inside = larger(ball - 2 * product[i], 0.0);

		inside = smaller(inside, bound[i]);
		bound[i] = count[i] > 0 ? inside : -1;
	}
}

/* ----------------------------------------------------------------------
 * Where the parts of an index lie.
 * ----------------------------------------------------------------------
 */

static int32_t
divide_up(int32_t a, int32_t b)
{
	return (int32_t) (((int64_t) a + b - 1) / b);
}

/* Fills in the numbers of blocks and groups; returns the children of all. */
static size_t
count_parts(SdcPointIndex *index, int32_t points, int columns)
{
	size_t children = 0;
	int32_t items;

	index->points = index->alive = points;
	index->columns = columns;
	index->blocks = items = divide_up(points, PLACES);
	index->levels = 0;
	do
	{
		items = divide_up(items, CHILDREN);
		index->groups[index->levels++] = items;
		children += (size_t) items * CHILDREN;
	} while (items > 1);
	return children;
}

size_t
sdc_point_index_size(int32_t points, int columns)
{
	SdcPointIndex index;
	size_t children = count_parts(&index, points, columns);
	size_t places = (size_t) index.blocks * PLACES;

	return (places + 2 * children) * (size_t) columns * sizeof(double) +
		   (places + children) * sizeof(int32_t);
}

void
sdc_point_index_place(SdcHost *host, SdcPointIndex *index, void *memory,
					  int32_t points, int columns)
{
	double *next = memory;
	int32_t *counts;
	int level;

	memset(index, 0, sizeof(*index));
	index->host = host;
	count_parts(index, points, columns);
	for (level = 0; level < index->levels; level++)
	{
		index->box[level] = next;
		next += (size_t) index->groups[level] * STRIDE * (size_t) columns;
	}
	index->coordinate = next;
	next += (size_t) index->blocks * PLACES * (size_t) columns;
	counts = (int32_t *) next;
	for (level = 0; level < index->levels; level++)
	{
		index->count[level] = counts;
		counts += (size_t) index->groups[level] * CHILDREN;
	}
	index->point = counts;
}

/* ----------------------------------------------------------------------
 * The order of points.
 *
 * Halves are multiples of whole groups, so that the places in the order alone
 * say which points a block or group holds.
 * ----------------------------------------------------------------------
 */

/* Records looked at to choose an axis. */
#define AXIS_SAMPLE 512

/* Records of columns + 1 numbers: coordinates and the point's number. */
typedef struct Builder
{
	SdcHost *host;
	double *record;
	int columns;
	size_t width;
	const double *widest; /* as of sdc_point_index_fill */
	uint64_t steps;
} Builder;

static inline void
poll_step(Builder *builder)
{
	if (++builder->steps % SDC_POLL_STEPS == 0)
		builder->host->poll(builder->host, 0, 0);
}

/* How far n records, or a sample of them, are apart on an axis. */
static double
find_spread(const Builder *builder, const double *record, int64_t n, int axis)
{
	int64_t step = n / AXIS_SAMPLE + 1;
	double low = INFINITY;
	double high = -INFINITY;
	bool absent = false;
	int64_t i;

	for (i = 0; i < n; i += step)
	{
		double x = record[(size_t) i * builder->width + (size_t) axis];

		if (x >= SDC_INDEX_ABSENT)
		{
			absent = true;
			continue;
		}
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	if (low > high)
		return 0;
	if (builder->widest != NULL && high - low > builder->widest[axis])
		return builder->widest[axis];
	return absent && high - low < 1 ? 1 : high - low;
}

/* The axis on which the records spread most. */
static int
widest_axis(const Builder *builder, const double *record, int64_t n)
{
	double widest = -1;
	int axis = 0;
	int j;

	for (j = 0; j < builder->columns; j++)
	{
		double spread = find_spread(builder, record, n, j);

		if (spread > widest)
		{
			widest = spread;
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
	int64_t blocks = (n + PLACES - 1) / PLACES;
	int64_t unit = 1;
	int64_t middle;

	if (blocks <= 1)
		return;
	while (unit * CHILDREN < blocks)
		unit *= CHILDREN;
	middle = ((blocks + unit - 1) / unit + 1) / 2 * unit * PLACES;
	poll_step(builder);
	sdc_select_record(builder->host, record, builder->width, n, middle,
					  widest_axis(builder, record, n));
	order_records(builder, record, middle);
	order_records(builder, record + (size_t) middle * builder->width,
				  n - middle);
}

static Builder
start_builder(SdcHost *host, int32_t points, int columns)
{
	size_t width = (size_t) columns + 1;
	Builder builder = {host, NULL, columns, width, NULL, 0};

	builder.record = sdc_new(host, double, (size_t) points *width);
	return builder;
}

/* Makes the records of points and puts them in order. */
static void
order_given(Builder *builder, const double *coordinate, int32_t points)
{
	int32_t i;

	for (i = 0; i < points; i++)
	{
		double *record = builder->record + (size_t) i * builder->width;

		memcpy(record, coordinate + (size_t) i * (builder->width - 1),
			   sizeof(double) * (builder->width - 1));
		record[builder->columns] = i;
	}
	order_records(builder, builder->record, points);
}

void
sdc_point_index_order(SdcHost *host, const double *coordinate, int32_t points,
					  int columns, int32_t *order)
{
	Builder builder = start_builder(host, points, columns);
	int32_t i;

	order_given(&builder, coordinate, points);
	for (i = 0; i < points; i++)
		order[i] =
			(int32_t)
				builder.record[(size_t) i * builder.width + (size_t) columns];
	host->release(host, builder.record);
}

/* ----------------------------------------------------------------------
 * Boxes.
 * ----------------------------------------------------------------------
 */

/* First number of a child's box within those of its level. */
static int64_t
box_of(const SdcPointIndex *index, int64_t child)
{
	return child / CHILDREN * index->columns * STRIDE + child % CHILDREN;
}

/* One axis of all the places of a block. */
INLINE void
turn_block(const double *restrict coordinate, const double *restrict axis,
		   int columns, double *restrict turned)
{
	int i;
	int j;

	for (i = 0; i < PLACES; i++)
		turned[i] = 0;
	for (j = 0; j < columns; j++)
		for (i = 0; i < PLACES; i++)
			turned[i] += axis[j] * coordinate[j * PLACES + i];
}

/* The range of the first numbers of some; low > high if there are none. */
INLINE void
find_range(const double *restrict low, const double *restrict high, int n,
		   double *least, double *most)
{
	int i;

	*least = INFINITY;
	*most = -INFINITY;
	for (i = 0; i < n; i++)
	{
		*least = low[i] < *least ? low[i] : *least;
		*most = high[i] > *most ? high[i] : *most;
	}
}

/* Fills the box of a block with count points. */
SDC_CLONES static void
bound_block(const double *restrict coordinate, const double *restrict axes,
			int columns, int count, double *restrict box)
{
	int axis;

	for (axis = 0; axis < columns; axis++, box += STRIDE)
	{
		double turned[PLACES];
		const double *value = coordinate + axis * PLACES;

		if (axes != NULL)
		{
			turn_block(coordinate, axes + axis * columns, columns, turned);
			value = turned;
		}
		find_range(value, value, count, &box[0], &box[CHILDREN]);
	}
}

/*
 * Shrinks the box of a block with count points, from which the one at a place
 * was taken (its coordinates are still there); true if it changed.
 */
SDC_CLONES static bool
shrink_block(const double *restrict coordinate, const double *restrict axes,
			 int columns, int place, int last, double *restrict box)
{
	bool changed = false;
	int axis;

	for (axis = 0; axis < columns; axis++, box += STRIDE)
	{
		double turned[PLACES];
		double least;
		double most;

		turn_block(coordinate, axes + axis * columns, columns, turned);
		if (turned[place] != box[0] && turned[place] != box[CHILDREN])
			continue;
		turned[place] = turned[last];
		find_range(turned, turned, last, &least, &most);
		changed |= least != box[0] || most != box[CHILDREN];
		box[0] = least;
		box[CHILDREN] = most;
	}
	return changed;
}

/* Makes a box hold the boxes of a group below; true if it changed. */
SDC_CLONES static bool
bound_group(const double *restrict below, int columns, double *restrict box)
{
	bool changed = false;
	int axis;

	for (axis = 0; axis < columns; axis++, below += STRIDE, box += STRIDE)
	{
		double least;
		double most;

		find_range(below, below + CHILDREN, CHILDREN, &least, &most);
		changed |= least != box[0] || most != box[CHILDREN];
		box[0] = least;
		box[CHILDREN] = most;
	}
	return changed;
}

/* Fills a child of a level from what is below; it is empty if nothing is. */
static void
fill_child(SdcPointIndex *index, int level, int64_t child)
{
	int columns = index->columns;
	double *box = index->box[level] + box_of(index, child);
	int32_t *count = &index->count[level][child];
	int i;

	*count = 0;
	if (level == 0)
	{
		int64_t left = index->points - child * PLACES;

		*count = left < 0 ? 0 : left < PLACES ? (int32_t) left : PLACES;
		/* beyond the last block there is nothing that could be read */
		bound_block(*count > 0 ? index->coordinate + child * columns * PLACES
							   : index->coordinate,
					index->axes, columns, *count, box);
	}
	else if (child < index->groups[level - 1])
	{
		for (i = 0; i < CHILDREN; i++)
			*count += index->count[level - 1][child * CHILDREN + i];
		bound_group(index->box[level - 1] + child * columns * STRIDE, columns,
					box);
	}
	else
		for (i = 0; i < columns; i++)
		{
			box[i * STRIDE] = INFINITY;
			box[i * STRIDE + CHILDREN] = -INFINITY;
		}
}

static void
fill_boxes(SdcPointIndex *index, Builder *builder)
{
	int level;

	for (level = 0; level < index->levels; level++)
	{
		int64_t children = (int64_t) index->groups[level] * CHILDREN;
		int64_t child;

		for (child = 0; child < children; child++)
		{
			poll_step(builder);
			fill_child(index, level, child);
		}
	}
}

/* ----------------------------------------------------------------------
 * Filling an index.
 * ----------------------------------------------------------------------
 */

/* Puts a point, or with -1 nothing, at a place. */
static void
set_place(SdcPointIndex *index, int64_t place, int32_t point,
		  const double *coordinates)
{
	double *to = index->coordinate + place / PLACES * index->columns * PLACES +
				 place % PLACES;
	int j;

	index->point[place] = point;
	for (j = 0; j < index->columns; j++)
		to[j * PLACES] = point < 0 ? INFINITY : coordinates[j];
	if (index->slot != NULL && point >= 0)
		index->slot[point] = (uint32_t) place;
}

/* Coordinates of a point of SdcPoints, or of the index before. */
static void
find_coordinates(const SdcPointIndex *index, const SdcPointIndex *old,
				 int32_t point, double *coordinates)
{
	if (old != NULL)
		sdc_point_index_get(old, point, coordinates);
	else
		sdc_points_get(index->source, index->source->first[point],
					   coordinates);
}

/* Fills the places from ordered records, and then the boxes. */
static void
fill_index(SdcPointIndex *index, const SdcPointIndex *old, Builder *builder)
{
	int64_t places = (int64_t) index->blocks * PLACES;
	double room[SDC_INDEX_COLUMNS];
	int64_t i;

	for (i = 0; i < places; i++)
	{
		const double *record = builder->record + (size_t) i * builder->width;
		const double *coordinates = record;
		int32_t point = -1;

		poll_step(builder);
		if (i < index->points)
		{
			point = (int32_t) record[index->columns];
			if (index->source != NULL)
			{
				/* the record holds them turned */
				find_coordinates(index, old, point, room);
				coordinates = room;
			}
		}
		set_place(index, i, point, coordinates);
	}
	fill_boxes(index, builder);
}

void
sdc_point_index_fill(SdcPointIndex *index, const double *coordinate,
					 const double *widest)
{
	Builder builder =
		start_builder(index->host, index->points, index->columns);

	builder.widest = widest;
	order_given(&builder, coordinate, index->points);
	fill_index(index, NULL, &builder);
	index->host->release(index->host, builder.record);
}

/* Rows from which the axes are computed. */
#define AXES_SAMPLE 20000

/* An index this small is not filled anew. */
#define SMALL_INDEX (4 * PLACES)

/* The largest rounding error of a distance between turned points. */
static double
turning_slack(SdcHost *host, const SdcPoints *points)
{
	double largest = 0;
	int32_t row;
	int j;

	for (j = 0; j < points->columns; j++)
		for (row = 0; row < points->rows; row++)
		{
			double magnitude = fabs(points->column[j][row]);

			if (row % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			largest = magnitude > largest ? magnitude : largest;
		}

	/*
	 * The axes are orthogonal up to the roundings of some ten sweeps of
	 * Jacobi rotations, each of which changes an axis 2 columns times, and a
	 * dot product of this length rounds columns times: 256 columns units in
	 * the last place are several times the sum.
	 */
	return 256 * points->columns * 0x1p-52 * largest;
}

/* Adds the record of a point, turned. */
static void
add_record(const SdcPointIndex *index, const SdcPointIndex *old,
		   Builder *builder, double *record, int32_t point)
{
	double coordinates[SDC_INDEX_COLUMNS];

	poll_step(builder);
	find_coordinates(index, old, point, coordinates);
	sdc_principal_axes_rotate(index->axes, index->columns, coordinates,
							  record);
	record[index->columns] = point;
}

/* Memory of an index's own, in which blocks begin at multiples of 64 bytes. */
static void
take_memory(SdcPointIndex *index, int32_t points)
{
	SdcPointIndex kept = *index;
	uintptr_t memory;

	kept.memory = sdc_new(kept.host, char,
						  sdc_point_index_size(points, kept.columns) + 64);
	memory = ((uintptr_t) kept.memory + 63) & ~(uintptr_t) 63;
	sdc_point_index_place(kept.host, index, (void *) memory, points,
						  kept.columns);
	index->source = kept.source;
	index->axes = kept.axes;
	index->slack = kept.slack;
	index->slot = kept.slot;
	index->weight = kept.weight;
	index->memory = kept.memory;
	index->visits = kept.visits;
}

SdcPointIndex *
sdc_point_index_create(SdcHost *host, const SdcPoints *points)
{
	SdcPointIndex *index = sdc_new(host, SdcPointIndex, 1);
	size_t columns = (size_t) points->columns;
	size_t n = (size_t) points->distinct;
	Builder builder;
	int32_t point;

	memset(index, 0, sizeof(*index));
	index->host = host;
	index->source = points;
	index->columns = points->columns;
	index->axes = sdc_new(host, double, columns *columns);
	sdc_principal_axes(host, (size_t) points->rows, points->columns,
					   (const double *const *) points->column, AXES_SAMPLE,
					   index->axes);
	index->slack = turning_slack(host, points);
	index->slot = sdc_new(host, uint32_t, n);
	index->weight = sdc_new(host, int32_t, n);
	take_memory(index, points->distinct);
	builder = start_builder(host, points->distinct, points->columns);
	for (point = 0; point < points->distinct; point++)
	{
		index->weight[point] = points->first[point + 1] - points->first[point];
		add_record(index, NULL, &builder,
				   builder.record + (size_t) point * builder.width, point);
	}
	order_records(&builder, builder.record, points->distinct);
	fill_index(index, NULL, &builder);
	host->release(host, builder.record);
	return index;
}

void
sdc_point_index_release(SdcPointIndex *index)
{
	SdcHost *host = index->host;

	host->release(host, index->memory);
	host->release(host, index->axes);
	host->release(host, index->slot);
	host->release(host, index->weight);
	host->release(host, index);
}

void
sdc_point_index_rebuild(SdcPointIndex *index)
{
	SdcPointIndex old = *index;
	SdcHost *host = index->host;
	Builder builder;
	double *record;
	int32_t block;

	if (index->alive >= index->points / 2 || index->alive <= SMALL_INDEX)
		return;
	builder = start_builder(host, index->alive, index->columns);
	record = builder.record;
	take_memory(index, index->alive);
	for (block = 0; block < old.blocks; block++)
	{
		int32_t i;

		for (i = 0; i < old.count[0][block]; i++, record += builder.width)
			add_record(index, &old, &builder, record,
					   old.point[(int64_t) block * PLACES + i]);
	}
	order_records(&builder, builder.record, index->points);
	fill_index(index, &old, &builder);
	host->release(host, builder.record);
	host->release(host, old.memory);
}

/*
 * The last point of the block moves into the free place.  The box of the block
 * is computed anew only if the point lay on its border, and the boxes above
 * only as long as they change.  Turned coordinates are not kept; those of the
 * one block are computed again, which is cheaper than the memory.
 */
void
sdc_point_index_remove(SdcPointIndex *index, int32_t point)
{
	int64_t place = index->slot[point];
	int64_t child = place / PLACES;
	int32_t last = --index->count[0][child];
	double coordinates[SDC_INDEX_COLUMNS];
	bool changed;
	int level;

	changed = shrink_block(index->coordinate + child * index->columns * PLACES,
						   index->axes, index->columns, (int) (place % PLACES),
						   last, index->box[0] + box_of(index, child));
	if (last != place % PLACES)
	{
		int32_t moved = index->point[child * PLACES + last];

		sdc_point_index_get(index, moved, coordinates);
		set_place(index, place, moved, coordinates);
	}
	set_place(index, child * PLACES + last, -1, NULL);
	for (level = 1; level < index->levels; level++)
	{
		int64_t group = child / CHILDREN;

		child = group;
		index->count[level][child]--;
		if (changed)
			changed = bound_group(
				index->box[level - 1] + group * index->columns * STRIDE,
				index->columns, index->box[level] + box_of(index, child));
	}
	index->weight[point] = 0;
	index->alive--;
}

/* ----------------------------------------------------------------------
 * Searches.
 *
 * The path from the root is an array, one entry per level.  All searches are
 * one walk; what it looks for, the number of columns and whether the measure
 * is another one are constants of each of its instances.
 * ----------------------------------------------------------------------
 */

/* Makes a rounded bound safe. */
#define ROUNDING 0x1p-48

/* Blocks looked at between two polls; other measures take far longer. */
#define POLL_BLOCKS      16384
#define POLL_SLOW_BLOCKS 256

/* Of columns: another measure than the squared distance. */
#define MEASURED 0

typedef enum Aim
{
	NEAREST,
	FARTHEST,
	VISIT
} Aim;

typedef struct Search
{
	SdcPointIndex *index;
	const SdcIndexMeasure *measure;
	const double *point;
	const double *turned; /* the point on the axes */
	SdcNearest *nearest;
	/* VISIT */
	double limit;
	SdcIndexVisit visit;
	void *arg;
	/* FARTHEST */
	double ball;     /* constant part of the ball bound */
	double distance; /* of the farthest point so far */
	int32_t farthest;
	double direction[SDC_INDEX_COLUMNS]; /* from the centre to the point */
	double room[SDC_INDEX_COLUMNS];      /* for turned */
} Search;

/* Children of a group that are still to be searched. */
typedef struct Step
{
	int64_t group;
	int count;
	int child[CHILDREN];
	double bound[CHILDREN];
} Step;

/* Keeps the children whose bounds are within the limit. */
INLINE void
start_step(Step *step, int64_t group, const double *bound, double limit,
		   bool greatest)
{
	int count = 0;
	int i;

	for (i = 0; i < CHILDREN; i++)
	{
		step->child[count] = i;
		step->bound[count] = bound[i];
		count += greatest ? bound[i] >= limit : bound[i] <= limit;
	}
	step->group = group;
	step->count = count;
}

/* Takes the child with the best bound; -1 if none is within the limit. */
INLINE int64_t
next_child(Step *step, double limit, bool greatest)
{
	double best = greatest ? -1 : INFINITY;
	int chosen = 0;
	int child;
	int i;

	for (i = 0; i < step->count; i++)
	{
		bool better = greatest ? step->bound[i] > best : step->bound[i] < best;

		best = better ? step->bound[i] : best;
		chosen = better ? i : chosen;
	}
	if (step->count == 0 || (greatest ? best < limit : best > limit))
		return -1;
	child = step->child[chosen];
	step->count--;
	step->child[chosen] = step->child[step->count];
	step->bound[chosen] = step->bound[step->count];
	return step->group * CHILDREN + child;
}

/* The value, in the space of the boxes, from which on a child is left out. */
INLINE double
find_limit(const Search *search, Aim aim)
{
	double slack = search->index->slack;
	double limit;

	if (aim == FARTHEST)
	{
		if (search->distance < 0)
			return 0;
		limit = sqrt(search->distance) - slack;
		return limit > 0 ? limit * limit * (1 - ROUNDING) : 0;
	}
	limit = aim == VISIT ? search->limit : search->nearest->threshold;
	if (search->index->axes == NULL)
		return limit;
	limit = sqrt(limit) + slack;
	return smaller(limit * limit * (1 + ROUNDING), DBL_MAX);
}

/* Bounds the children of a group. */
INLINE void
enter_group(const Search *search, Aim aim, int level, int64_t group,
			double limit, int unrolled, int columns, Step *step)
{
	const SdcPointIndex *index = search->index;
	const double *box = index->box[level] + group * columns * STRIDE;
	double bound[CHILDREN];

	if (aim == FARTHEST)
		farthest_bounds(box, index->count[level] + group * CHILDREN,
						search->turned, search->direction, search->ball,
						unrolled, columns, bound);
	else if (unrolled != MEASURED)
		nearest_bounds(box, search->turned, unrolled, columns, bound);
	else if (!search->measure->boxes(search->measure, box, columns,
									 search->point, limit, bound))
	{
		step->count = 0;
		return;
	}
	start_step(step, group, bound, limit, aim == FARTHEST);
}

INLINE void
offer_block(Search *search, const int32_t *point, const double *distance)
{
	SdcNearest *nearest = search->nearest;
	const int32_t *weight = search->index->weight;
	int i;

	for (i = 0; i < PLACES; i++)
		if (distance[i] <= nearest->threshold)
			sdc_nearest_offer(nearest, distance[i], point[i],
							  weight == NULL ? 1 : weight[point[i]]);
}

INLINE void
challenge_block(Search *search, const int32_t *point, const double *distance,
				int32_t count)
{
	int32_t i;

	for (i = 0; i < count; i++)
		if (distance[i] > search->distance ||
			(distance[i] == search->distance && point[i] < search->farthest))
		{
			search->distance = distance[i];
			search->farthest = point[i];
		}
}

INLINE bool
any_within(const double *distance, double limit)
{
	int near = 0;
	int i;

	for (i = 0; i < PLACES; i++)
		near |= distance[i] <= limit;
	return near != 0;
}

INLINE void
enter_block(Search *search, Aim aim, int64_t block, int unrolled, int columns)
{
	SdcPointIndex *index = search->index;
	const int32_t *point = index->point + block * PLACES;
	const double *coordinate = index->coordinate + block * columns * PLACES;
	double distance[PLACES];

	if (++index->visits %
			(unrolled == MEASURED ? POLL_SLOW_BLOCKS : POLL_BLOCKS) ==
		0)
		index->host->poll(index->host, 0, 0);
	if (unrolled != MEASURED)
		squared_distances(coordinate, search->point, unrolled, columns,
						  distance);
	else if (!search->measure->points(
				 search->measure, coordinate, columns, search->point,
				 aim == VISIT ? search->limit : search->nearest->threshold,
				 distance))
		return;
	if (aim == NEAREST)
		offer_block(search, point, distance);
	else if (aim == FARTHEST)
		challenge_block(search, point, distance, index->count[0][block]);
	else if (unrolled == MEASURED || any_within(distance, search->limit))
		search->limit = search->visit(search->arg, (int32_t) block, distance);
}

INLINE void
walk(Search *search, Aim aim, int unrolled, int columns)
{
	int top = search->index->levels - 1;
	double limit = find_limit(search, aim);
	Step path[SDC_INDEX_LEVELS];
	int level = top;

	enter_group(search, aim, level, 0, limit, unrolled, columns, &path[level]);
	while (level <= top)
	{
		int64_t child = next_child(&path[level], limit, aim == FARTHEST);

		if (child < 0)
			level++;
		else if (level == 0)
		{
			enter_block(search, aim, child, unrolled, columns);
			limit = find_limit(search, aim);
		}
		else
		{
			level--;
			enter_group(search, aim, level, child, limit, unrolled, columns,
						&path[level]);
		}
	}
}

typedef void (*Walk)(Search *search, int columns);

/* The walks for one number of columns; count names them. */
#define WALKS(count, unrolled, columns)                                   \
	SDC_CLONES static void walk_nearest_##count(Search *search, int any)  \
	{                                                                     \
		(void) any;                                                       \
		walk(search, NEAREST, unrolled, columns);                         \
	}                                                                     \
	SDC_CLONES static void walk_farthest_##count(Search *search, int any) \
	{                                                                     \
		(void) any;                                                       \
		walk(search, FARTHEST, unrolled, columns);                        \
	}                                                                     \
	SDC_CLONES static void walk_visit_##count(Search *search, int any)    \
	{                                                                     \
		(void) any;                                                       \
		walk(search, VISIT, unrolled, columns);                           \
	}

WALKS(1, 1, 1)
WALKS(2, 2, 2)
WALKS(3, 3, 3)
WALKS(4, 4, 4)
WALKS(5, 5, 5)
WALKS(6, 6, 6)
WALKS(7, 7, 7)
WALKS(8, 8, 8)
WALKS(9, 9, 9)
WALKS(10, 10, 10)
WALKS(11, 11, 11)
WALKS(12, 12, 12)
WALKS(13, 13, 13)
WALKS(14, 14, 14)
WALKS(any, 4, any)

#define MOST_COLUMNS 14

/* [aim][columns], with 0 for any number */
#define WALKS_OF(aim)                                                         \
	{                                                                         \
		walk_##aim##_any, walk_##aim##_1, walk_##aim##_2, walk_##aim##_3,     \
			walk_##aim##_4, walk_##aim##_5, walk_##aim##_6, walk_##aim##_7,   \
			walk_##aim##_8, walk_##aim##_9, walk_##aim##_10, walk_##aim##_11, \
			walk_##aim##_12, walk_##aim##_13, walk_##aim##_14                 \
	}

static const Walk walks[][MOST_COLUMNS + 1] = {
	WALKS_OF(nearest), WALKS_OF(farthest), WALKS_OF(visit)};

static void
run_search(Search *search, SdcPointIndex *index,
		   const SdcIndexMeasure *measure, const double *point, Aim aim)
{
	int columns = index->columns;

	search->index = index;
	search->measure = measure;
	search->point = search->turned = point;
	if (index->axes != NULL)
	{
		sdc_principal_axes_rotate(index->axes, columns, point, search->room);
		search->turned = search->room;
	}
	if (measure == NULL)
		walks[aim][columns <= MOST_COLUMNS ? columns : 0](search, columns);
	else if (aim == VISIT)
		walk(search, VISIT, MEASURED, columns);
	else
		walk(search, NEAREST, MEASURED, columns);
}

void
sdc_point_index_nearest(SdcPointIndex *index, const SdcIndexMeasure *measure,
						const double *query, SdcNearest *nearest)
{
	Search search;

	search.nearest = nearest;
	run_search(&search, index, measure, query, NEAREST);
}

void
sdc_point_index_visit(SdcPointIndex *index, const SdcIndexMeasure *measure,
					  const double *query, double limit, SdcIndexVisit visit,
					  void *arg)
{
	Search search;

	search.limit = limit;
	search.visit = visit;
	search.arg = arg;
	run_search(&search, index, measure, query, VISIT);
}

/*
 * Prepares the ball bound.  Without a centre it is infinite.
 */
static void
start_ball(Search *search, const SdcPointIndex *index, const double *point,
		   const double *centre)
{
	int columns = index->columns;
	double turned[SDC_INDEX_COLUMNS];
	double turned_centre[SDC_INDEX_COLUMNS];
	double radius = 0;
	double product = 0;
	int j;

	search->ball = INFINITY;
	for (j = 0; j < columns; j++)
		search->direction[j] = 0;
	if (centre == NULL)
		return;
	sdc_principal_axes_rotate(index->axes, columns, point, turned);
	sdc_principal_axes_rotate(index->axes, columns, centre, turned_centre);
	for (j = 0; j < columns; j++)
	{
		double difference = point[j] - centre[j];

		search->direction[j] = turned[j] - turned_centre[j];
		product += turned_centre[j] * search->direction[j];
		radius += difference * difference;
	}

	/* Turning moves each of the products by at most slack times radius. */
	search->ball = 2 * radius + 2 * product +
				   8 * index->slack * (sqrt(radius) + index->slack);
}

int32_t
sdc_point_index_farthest(SdcPointIndex *index, const double *point,
						 const double *centre)
{
	Search search;

	start_ball(&search, index, point, centre);
	search.distance = -1;
	search.farthest = -1;
	run_search(&search, index, NULL, point, FARTHEST);
	return search.farthest;
}

/* The same as in a walk, for a block that no walk has chosen. */
SDC_CLONES static bool
squares_of_block(const double *coordinate, int columns, const double *query,
				 double limit, double *value)
{
	squared_distances(coordinate, query, 4, columns, value);
	return any_within(value, limit);
}

bool
sdc_point_index_block(const SdcPointIndex *index, int32_t block,
					  const SdcIndexMeasure *measure, const double *query,
					  double limit, double *value)
{
	const double *coordinate =
		index->coordinate + (int64_t) block * index->columns * PLACES;

	if (measure == NULL)
		return squares_of_block(coordinate, index->columns, query, limit,
								value);
	return measure->points(measure, coordinate, index->columns, query, limit,
						   value);
}
