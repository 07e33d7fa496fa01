/*
 * link_index.c
 *		Points in blocks below boxes, to find nearest points by.
 *
 * The order comes from halving: the points are split at the median of the
 * axis on which they spread most, then each half is split again, until 16 are
 * left.  Halves are multiples of whole groups, so that the places in the
 * order alone say which points a block or group holds.
 */
#include "kernel/attack/link_index.h"

#include <math.h>

#include "kernel/base/select.h"

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

size_t
sdc_link_index_size(int32_t points, int columns)
{
	SdcLinkIndex index;

	return count_parts(&index, points, columns) * sizeof(double);
}

void
sdc_link_index_place(SdcLinkIndex *index, void *memory, int32_t points,
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

void
sdc_link_index_build(SdcHost *host, SdcLinkIndex *index,
					 const double *coordinate)
{
	Builder builder;
	int level;

	make_records(&builder, host, coordinate, index->points, index->columns);
	fill_blocks(index, &builder);
	host->release(host, builder.record);
	for (level = 0; level < index->levels; level++)
		fill_boxes(index, &builder, level);
}

void
sdc_link_index_order(SdcHost *host, const double *coordinate, int32_t points,
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
