/*
 * nearest_neighbours.c
 *		The majority among the nearest training rows.
 *
 * A k-d tree over numbers and codes: a node parts its rows at the median of
 * the column in which they spread most.  Beyond a cut a number is at least as
 * far as the cut, and another category differs by 1, so the tree serves both
 * kinds.  Distances are summed column by column in one order, wherever the row
 * is met, and rounded; a bound is lowered a little before it is compared with
 * one, so that rounding never hides a neighbour.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/model/model.h"
#include "kernel/model/nearest_neighbours.h"

/* A heap, the farthest first; of equally far rows the later is farther. */
typedef struct SdcNeighbourHeap
{
	int32_t room;
	int32_t count;
	double *distance;
	int32_t *row;
} SdcNeighbourHeap;

/* ----------------------------------------------------------------------
 * The nearest rows met so far.
 * ----------------------------------------------------------------------
 */

/* An empty heap for so many rows, at least 1. */
static SdcNeighbourHeap
neighbour_heap_create(SdcHost *host, int32_t room)
{
	SdcNeighbourHeap heap;

	heap.room = room;
	heap.count = 0;
	heap.distance = sdc_new(host, double, (size_t) room);
	heap.row = sdc_new(host, int32_t, (size_t) room);
	return heap;
}

static bool
is_farther(const SdcNeighbourHeap *heap, int32_t a, int32_t b)
{
	if (heap->distance[a] != heap->distance[b])
		return heap->distance[a] > heap->distance[b];
	return heap->row[a] > heap->row[b];
}

static void
swap_places(SdcNeighbourHeap *heap, int32_t a, int32_t b)
{
	double distance = heap->distance[a];
	int32_t row = heap->row[a];

	heap->distance[a] = heap->distance[b];
	heap->row[a] = heap->row[b];
	heap->distance[b] = distance;
	heap->row[b] = row;
}

/* Puts a row in place of the farthest. */
static void
replace_first(SdcNeighbourHeap *heap, double distance, int32_t row)
{
	int32_t hole;
	int32_t child;

	heap->distance[0] = distance;
	heap->row[0] = row;
	for (hole = 0; (child = 2 * hole + 1) < heap->count; hole = child)
	{
		if (child + 1 < heap->count && is_farther(heap, child + 1, child))
			child++;
		if (!is_farther(heap, child, hole))
			break;
		swap_places(heap, child, hole);
	}
}

/* Keeps the row if it is among the nearest.  O(log room). */
static void
neighbour_heap_offer(SdcNeighbourHeap *heap, double distance, int32_t row)
{
	int32_t hole;

	if (heap->count == heap->room)
	{
		if (distance < heap->distance[0] ||
			(distance == heap->distance[0] && row < heap->row[0]))
			replace_first(heap, distance, row);
		return;
	}
	hole = heap->count++;
	heap->distance[hole] = distance;
	heap->row[hole] = row;
	for (; hole > 0 && is_farther(heap, hole, (hole - 1) / 2);
		 hole = (hole - 1) / 2)
		swap_places(heap, hole, (hole - 1) / 2);
}

/* ----------------------------------------------------------------------
 * The majority among the nearest training rows.
 *
 * A k-d tree over numbers and codes: a node parts its rows at the median of
 * the column in which they spread most.  Beyond a cut a number is at least as
 * far as the cut, and another category differs by 1, so the tree serves both
 * kinds.  Distances are summed column by column in one order, wherever the row
 * is met, and rounded; a bound is lowered a little before it is compared with
 * one, so that rounding never hides a neighbour.
 * ----------------------------------------------------------------------
 */

#define LEAF_ROWS 32
/* Rows of a leaf whose distances are taken at once. */
#define BLOCK 64
/* Less than 1 by more than all rounding of a sum of squares. */
#define BOUND_SLACK (1 - 1e-9)
/* What distances are rounded to, so that equal ones are seen to be equal. */
#define UNIT 0x1p-30

typedef struct Node
{
	int column; /* -1: a leaf */
	double cut; /* rows below it are on the left */
	int32_t first;
	int32_t end;
	int32_t left;
	int32_t right;
} Node;

typedef struct Search
{
	double *point; /* of the row asked for; NaN for the NULL of a number */
	double *off;   /* of each column, least squared distance to the node */
	SdcNeighbourHeap nearest; /* so far */
} Search;

typedef struct Neighbours
{
	SdcHost *host;
	const SdcModelTask *task; /* copied */
	int columns;
	int32_t classes;
	int32_t votes;
	SdcScale *scale; /* of numbers */
	bool *category;
	double *coordinate; /* rows of columns, in the order of the training */
	double *leaf;       /* the same leaf by leaf, column by column */
	int32_t *label;
	int32_t *order; /* training rows as the tree holds them */
	Node *node;
	int32_t nodes;
	Search search;
	int compared; /* column that is being sorted by */
	uint64_t searches;
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
			point[j] = NAN;
		else
			point[j] = sdc_training_scale_apply(&model->scale[j],
												column->number[row]);
	}
}

/*
 * Where a value stands in the order by which rows are parted: NULL after all
 * numbers.
 */
static inline double
standing(double x)
{
	return isnan(x) ? INFINITY : x;
}

static int
compare_coordinates(int32_t a, int32_t b, void *arg)
{
	const Neighbours *model = arg;
	double x = standing(
		model->coordinate[(size_t) a * model->columns + model->compared]);
	double y = standing(
		model->coordinate[(size_t) b * model->columns + model->compared]);

	return x < y ? -1 : x > y;
}

/* How far apart rows are in a column; at most 1 for categories. */
static double
spread(const Neighbours *model, int32_t first, int32_t end, int j)
{
	double low = INFINITY;
	double high = -INFINITY;
	bool null = false;
	int32_t i;

	for (i = first; i < end; i++)
	{
		double x =
			model->coordinate[(size_t) model->order[i] * model->columns + j];

		null = null || isnan(x);
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	if (low > high)
		return 0;
	if (model->category[j])
		return low < high;
	return null && high - low < 1 ? 1 : high - low;
}

/* Parts the sorted rows of a node; returns the first row of the right. */
static int32_t
find_cut(const Neighbours *model, int32_t first, int32_t end, int j)
{
	int32_t middle = first + (end - first) / 2;
	const double *coordinate = model->coordinate + j;
	double x =
		standing(coordinate[(size_t) model->order[middle] * model->columns]);
	int32_t cut = middle;

	while (cut > first &&
		   standing(
			   coordinate[(size_t) model->order[cut - 1] * model->columns]) ==
			   x)
		cut--;
	if (cut > first)
		return cut;
	for (cut = middle; cut < end; cut++)
		if (standing(
				coordinate[(size_t) model->order[cut] * model->columns]) != x)
			break;
	return cut;
}

/* The tree of a range of rows; returns its root. */
static int32_t
build(Neighbours *model, int32_t first, int32_t end)
{
	int32_t number = model->nodes++;
	Node *node = &model->node[number];
	double widest = 0;
	int32_t cut;
	int j;

	node->column = -1;
	node->first = first;
	node->end = end;
	model->host->poll(model->host, (uint64_t) first,
					  (uint64_t) model->task->rows);
	for (j = 0; j < model->columns && end - first > LEAF_ROWS; j++)
	{
		double s = spread(model, first, end, j);

		if (s > widest)
		{
			widest = s;
			node->column = j;
		}
	}
	if (node->column < 0)
		return number;
	model->compared = node->column;
	sdc_sort_rows(model->host, model->order + first, (size_t) (end - first),
				  compare_coordinates, model);
	cut = find_cut(model, first, end, node->column);
	node->cut = standing(
		model->coordinate[(size_t) model->order[cut] * model->columns +
						  node->column]);
	node->left = build(model, first, cut);
	node->right = build(model, cut, end);
	return number;
}

/*
 * Copies the rows of each leaf together, column by column, for a search that
 * reads whole leaves.
 */
static void
copy_leaves(Neighbours *model)
{
	int32_t n;
	int32_t i;
	int j;

	for (n = 0; n < model->nodes; n++)
	{
		const Node *node = &model->node[n];
		size_t rows = (size_t) (node->end - node->first);
		double *leaf = model->leaf + (size_t) node->first * model->columns;

		if (n % 1024 == 0)
			model->host->poll(model->host, (uint64_t) n,
							  (uint64_t) model->nodes);
		for (j = 0; j < model->columns && node->column < 0; j++)
			for (i = node->first; i < node->end; i++)
				leaf[(size_t) j * rows + (size_t) (i - node->first)] =
					model->coordinate[(size_t) model->order[i] *
										  model->columns +
									  j];
	}
}

static void
read_training(Neighbours *model, const SdcModelTask *task)
{
	SdcHost *host = model->host;
	int32_t i;
	int j;

	for (j = 0; j < model->columns; j++)
	{
		model->category[j] = task->table->column[j].code != NULL;
		if (!model->category[j])
			model->scale[j] = sdc_training_scale_find(host, task, j);
	}
	for (i = 0; i < task->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) task->rows);
		take_row(model, task->table, task->row[i],
				 model->coordinate + (size_t) i * model->columns);
		model->label[i] = task->label[task->row[i]];
		model->order[i] = i;
	}
}

void *
sdc_nearest_neighbours_fit(SdcHost *host, const SdcModelTask *task)
{
	Neighbours *model = sdc_new(host, Neighbours, 1);
	size_t rows = (size_t) task->rows;
	size_t columns = (size_t) task->table->columns;

	memset(model, 0, sizeof(*model));
	model->host = host;
	model->task = task;
	model->columns = task->table->columns;
	model->classes = task->classes;
	model->votes = task->settings->neighbours < task->rows
					   ? task->settings->neighbours
					   : task->rows;
	model->scale = sdc_new(host, SdcScale, columns);
	model->category = sdc_new(host, bool, columns);
	model->coordinate = sdc_new(host, double, rows *columns);
	model->label = sdc_new(host, int32_t, rows);
	model->order = sdc_new(host, int32_t, rows);
	/* every node but the root has a row that its sibling has not */
	model->node = sdc_new(host, Node, 2 * rows);
	model->search.point = sdc_new(host, double, columns);
	model->search.off = sdc_new(host, double, columns);
	model->search.nearest = neighbour_heap_create(host, model->votes);
	read_training(model, task);
	(void) build(model, 0, task->rows);
	model->leaf = sdc_new(host, double, rows *columns);
	copy_leaves(model);
	host->release(host, model->coordinate);
	return model;
}

/* Adds what one category adds to the distances of some rows. */
SDC_CLONES static void
add_category(double code, const double *column, int32_t rows, double *distance)
{
	int32_t i;

	for (i = 0; i < rows; i++)
		distance[i] += column[i] != code ? 1 : 0;
}

/* The same for a number; a NULL is 1 away from any number. */
SDC_CLONES static void
add_number(double x, const double *column, int32_t rows, double *distance)
{
	int32_t i;

	if (isnan(x))
		for (i = 0; i < rows; i++)
			distance[i] += column[i] != column[i] ? 0 : 1;
	else
		for (i = 0; i < rows; i++)
		{
			double d = (column[i] - x) * (column[i] - x);

			distance[i] += d != d ? 1 : d;
		}
}

static void
search_leaf(Neighbours *model, const Node *node)
{
	Search *search = &model->search;
	size_t rows = (size_t) (node->end - node->first);
	const double *leaf = model->leaf + (size_t) node->first * model->columns;
	double distance[BLOCK];
	size_t first;
	size_t i;
	int j;

	for (first = 0; first < rows; first += BLOCK)
	{
		size_t count = rows - first < BLOCK ? rows - first : BLOCK;

		if (first / BLOCK % 256 == 255)
			model->host->poll(model->host, 0, 0);
		memset(distance, 0, sizeof(distance));
		for (j = 0; j < model->columns; j++)
			(model->category[j] ? add_category : add_number)(
				search->point[j], leaf + (size_t) j * rows + first,
				(int32_t) count, distance);
		for (i = 0; i < count; i++)
			neighbour_heap_offer(
				&search->nearest, floor(distance[i] / UNIT + 0.5) * UNIT,
				model->order[(size_t) node->first + first + i]);
	}
}

/*
 * The least squared distance in a node's column to rows beyond its cut.  A
 * NULL, which stands last, is 1 away from any number.
 */
static double
beyond(const Neighbours *model, const Node *node)
{
	double x = model->search.point[node->column];

	if (model->category[node->column] || isnan(x) || isinf(node->cut))
		return 1;
	/* beyond a cut above there may be NULLs, 1 away */
	if (x < node->cut && node->cut - x > 1)
		return 1;
	return (node->cut - x) * (node->cut - x);
}

static void
search_node(Neighbours *model, int32_t number)
{
	Search *search = &model->search;
	const Node *node = &model->node[number];
	double bound = 0;
	double off;
	bool left;
	int j;

	if (node->column < 0)
	{
		search_leaf(model, node);
		return;
	}
	left = standing(search->point[node->column]) < node->cut;
	search_node(model, left ? node->left : node->right);
	off = search->off[node->column];
	search->off[node->column] = fmax(off, beyond(model, node));
	for (j = 0; j < model->columns; j++)
		bound += search->off[j];
	if (search->nearest.count < model->votes ||
		bound * BOUND_SLACK - UNIT <= search->nearest.distance[0])
		search_node(model, left ? node->right : node->left);
	search->off[node->column] = off;
}

void
sdc_nearest_neighbours_predict(void *fitted, const SdcModelTable *table,
							   int32_t row, double *probability)
{
	Neighbours *model = fitted;
	Search *search = &model->search;
	int32_t c;
	int32_t i;
	int j;

	if (model->searches++ % 8 == 0)
		model->host->poll(model->host, 0, 0);
	take_row(model, table, row, search->point);
	search->nearest.count = 0;
	for (j = 0; j < model->columns; j++)
		search->off[j] = 0;
	search_node(model, 0);
	for (c = 0; c < model->classes; c++)
		probability[c] = 0;
	for (i = 0; i < search->nearest.count; i++)
		probability[model->label[search->nearest.row[i]]]++;
	for (c = 0; c < model->classes; c++)
		probability[c] /= search->nearest.count;
}
