/*
 * nearest_neighbours.c
 *		The majority among the nearest training rows.
 *
 * The rows lie in an index of points (point_index.h), with a measure that
 * knows categories and NULLs.  Distances are summed column by column in one
 * order and then rounded, so that equal ones are seen to be equal; bounds of
 * boxes go the same way.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/index/nearest.h"
#include "kernel/index/point_index.h"
#include "kernel/linear/moments.h"
#include "kernel/model/model.h"
#include "kernel/model/nearest_neighbours.h"

/* What distances are rounded to, so that equal ones are seen to be equal. */
#define UNIT 0x1p-30

/* The coordinate of a NULL among numbers. */
#define NONE SDC_INDEX_ABSENT

#define PLACES   SDC_INDEX_POINTS
#define CHILDREN SDC_INDEX_CHILDREN

typedef struct Neighbours
{
	SdcHost *host;
	int columns;
	int32_t classes;
	int32_t votes;
	SdcScale *scale; /* of numbers */
	bool *category;
	int32_t *label;
	SdcPointIndex index;
	SdcIndexMeasure measure;
	double *point; /* of the row asked for */
	SdcNearest nearest;
} Neighbours;

/* A row's coordinates; codes as they are, NULL included. */
static void
take_row(const Neighbours *model, const SdcModelTable *table, int32_t row,
		 double *point)
{
	int j;

	for (j = 0; j < model->columns; j++)
	{
		const SdcModelColumn *column = &table->column[j];

		if (model->category[j])
			point[j] = column->code[row];
		else if (isnan(column->number[row]))
			point[j] = NONE;
		else
			point[j] = sdc_training_scale_apply(&model->scale[j],
												column->number[row]);
	}
}

/* Rounds 16 sums, if any of them is at most limit; is any? */
static inline __attribute__((always_inline)) bool
round_sums(double *sum, double limit)
{
	int near = 0;
	int i;

	for (i = 0; i < PLACES; i++)
		near |= sum[i] <= limit + UNIT;
	for (i = 0; i < PLACES && near; i++)
		sum[i] = floor(sum[i] / UNIT + 0.5) * UNIT;
	return near != 0;
}

/*
 * The distances of the points of a block: categories that differ are 1 apart,
 * a NULL and a number, too.  Empty places lie at infinity, beyond any NULL.
 */
SDC_CLONES static bool
add_columns(const bool *category, const double *coordinate, int columns,
			const double *query, double limit, double *sum)
{
	int i;
	int j;

	for (i = 0; i < PLACES; i++)
		sum[i] = coordinate[i] < INFINITY ? 0 : INFINITY;
	for (j = 0; j < columns; j++, coordinate += PLACES)
	{
		double x = query[j];

		if (category[j] || x == NONE)
			for (i = 0; i < PLACES; i++)
				sum[i] += coordinate[i] != x ? 1 : 0;
		else
			for (i = 0; i < PLACES; i++)
			{
				double d = (coordinate[i] - x) * (coordinate[i] - x);

				sum[i] += coordinate[i] == NONE ? 1 : d;
			}
	}
	return round_sums(sum, limit);
}

static bool
measure_points(const SdcIndexMeasure *measure, const double *coordinate,
			   int columns, const double *query, double limit, double *sum)
{
	return add_columns(measure->arg, coordinate, columns, query, limit, sum);
}

/*
 * What each column adds at least in the boxes of a group.  A box that reaches
 * up to NONE may hold NULLs, 1 away from any number.
 */
SDC_CLONES static bool
add_ranges(const bool *category, const double *box, int columns,
		   const double *query, double limit, double *bound)
{
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
		bound[i] = box[i] < INFINITY ? 0 : INFINITY;
	for (j = 0; j < columns; j++, box += 2 * CHILDREN)
	{
		const double *low = box;
		const double *high = box + CHILDREN;
		double x = query[j];

		if (category[j] || x == NONE)
			for (i = 0; i < CHILDREN; i++)
				bound[i] += x < low[i] || x > high[i] ? 1 : 0;
		else
			for (i = 0; i < CHILDREN; i++)
			{
				double below = low[i] - x;
				double above = x - high[i];
				double outside = below > above ? below : above;
				double least = outside > 0 ? outside * outside : 0;

				bound[i] += high[i] == NONE && least > 1 ? 1 : least;
			}
	}
	return round_sums(bound, limit);
}

static bool
measure_boxes(const SdcIndexMeasure *measure, const double *box, int columns,
			  const double *query, double limit, double *bound)
{
	return add_ranges(measure->arg, box, columns, query, limit, bound);
}

/* The training rows as an index, in which they have numbers from 0. */
static void
index_training(Neighbours *model, const SdcModelTask *task)
{
	SdcHost *host = model->host;
	size_t columns = (size_t) model->columns;
	double *coordinate = sdc_new(host, double, (size_t) task->rows *columns);
	double *widest = sdc_new(host, double, columns);
	int32_t i;
	int j;

	for (j = 0; j < model->columns; j++)
	{
		model->category[j] = task->table->column[j].code != NULL;
		widest[j] = model->category[j] ? 1 : INFINITY;
		if (!model->category[j])
			model->scale[j] = sdc_training_scale_find(host, task, j);
	}
	for (i = 0; i < task->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) task->rows);
		take_row(model, task->table, task->row[i],
				 coordinate + (size_t) i * columns);
		model->label[i] = task->label[task->row[i]];
	}
	sdc_point_index_place(
		host, &model->index,
		sdc_new(host, char, sdc_point_index_size(task->rows, model->columns)),
		task->rows, model->columns);
	sdc_point_index_fill(&model->index, coordinate, widest);
	host->release(host, coordinate);
	host->release(host, widest);
}

void *
sdc_nearest_neighbours_fit(SdcHost *host, const SdcModelTask *task)
{
	Neighbours *model = sdc_new(host, Neighbours, 1);
	size_t rows = (size_t) task->rows;
	size_t columns = (size_t) task->table->columns;

	memset(model, 0, sizeof(*model));
	model->host = host;
	model->columns = task->table->columns;
	model->classes = task->classes;
	model->votes = task->settings->neighbours < task->rows
					   ? task->settings->neighbours
					   : task->rows;
	model->scale = sdc_new(host, SdcScale, columns);
	model->category = sdc_new(host, bool, columns);
	model->label = sdc_new(host, int32_t, rows);
	model->point = sdc_new(host, double, columns);
	model->measure.points = measure_points;
	model->measure.boxes = measure_boxes;
	model->measure.arg = model->category;
	sdc_nearest_create(host, &model->nearest, model->votes);
	index_training(model, task);
	return model;
}

void
sdc_nearest_neighbours_predict(void *fitted, const SdcModelTable *table,
							   int32_t row, double *probability)
{
	Neighbours *model = fitted;
	const SdcNearest *nearest = &model->nearest;
	int32_t c;
	int32_t i;

	take_row(model, table, row, model->point);
	sdc_nearest_clear(&model->nearest, model->votes);
	sdc_point_index_nearest(&model->index, &model->measure, model->point,
							&model->nearest);
	for (c = 0; c < model->classes; c++)
		probability[c] = 0;
	for (i = 0; i < nearest->count; i++)
		probability[model->label[nearest->item[i].point]]++;
	for (c = 0; c < model->classes; c++)
		probability[c] /= nearest->count;
}
