/*
 * learned_cell.c
 *		Pieces of the simplex of weights, for branch and bound.
 *
 * A row is linear, so within a cell it is worth no more than at its best
 * corner and no less than at its worst: a record with a row that is negative
 * at all corners fails everywhere, and a row that is negative at none can be
 * forgotten.  Halving an edge changes one corner, so one entry of each row.
 */
#include "kernel/attack/learned_cell.h"

#include <math.h>
#include <string.h>

/* Rows looked at to choose an edge. */
#define EDGE_ROWS 300

static SdcLearnedCell *
create_cell(SdcHost *host, int features, int32_t records, int32_t rows)
{
	SdcLearnedCell *cell = sdc_new(host, SdcLearnedCell, 1);
	size_t m = (size_t) features;

	memset(cell, 0, sizeof(*cell));
	cell->features = features;
	cell->corner = sdc_new(host, double, m *m);
	cell->value = sdc_new(host, double, (size_t) rows *m);
	cell->owner = sdc_new(host, int32_t, (size_t) rows);
	cell->start = sdc_new(host, int32_t, (size_t) records + 1);
	cell->start[0] = 0;
	return cell;
}

void
sdc_learned_cell_release(SdcHost *host, SdcLearnedCell *cell)
{
	host->release(host, cell->corner);
	host->release(host, cell->value);
	host->release(host, cell->owner);
	host->release(host, cell->start);
	host->release(host, cell);
}

SdcLearnedCell *
sdc_learned_cell_whole(SdcHost *host, const SdcLearnedRows *rows)
{
	int m = rows->form->features;
	SdcLearnedCell *cell = create_cell(host, m, rows->records, rows->rows);
	int c;

	memset(cell->corner, 0, (size_t) (m * m) * sizeof(double));
	for (c = 0; c < m; c++)
		cell->corner[c * m + c] = 1;
	cell->records = rows->records;
	cell->rows = rows->rows;
	cell->bound = rows->records;
	cell->packed = 1;
	memcpy(cell->start, rows->start,
		   ((size_t) rows->records + 1) * sizeof(int32_t));
	if (rows->rows > 0)
	{
		memcpy(cell->value, rows->value,
			   (size_t) rows->rows * (size_t) m * sizeof(double));
		memcpy(cell->owner, rows->owner,
			   (size_t) rows->rows * sizeof(int32_t));
	}
	return cell;
}

/* Does one of the rows from first on imply the row after the last? */
static bool
is_implied(const SdcLearnedCell *cell, int32_t first)
{
	size_t m = (size_t) cell->features;
	const double *row = cell->value + (size_t) cell->rows * m;
	int32_t r;

	for (r = first; r < cell->rows; r++)
	{
		const double *other = cell->value + (size_t) r * m;
		size_t c = 0;

		while (c < m && other[c] <= row[c])
			c++;
		if (c == m)
			return true;
	}
	return false;
}

/* Takes over the rows of one record; what becomes of it. */
static void
take_record(SdcLearnedCell *half, const SdcLearnedCell *cell, int32_t k,
			int keep, int leave)
{
	int m = cell->features;
	int32_t first = half->rows;
	int32_t r;

	for (r = cell->start[k]; r < cell->start[k + 1]; r++)
	{
		const double *from = cell->value + (size_t) r * (size_t) m;
		double *to = half->value + (size_t) half->rows * (size_t) m;
		bool negative = false;
		bool positive = false;
		int c;

		memcpy(to, from, (size_t) m * sizeof(double));
		to[leave] = 0.5 * (from[keep] + from[leave]);
		for (c = 0; c < m; c++)
		{
			negative = negative || to[c] < 0;
			positive = positive || to[c] >= 0;
		}
		if (negative && !positive)
		{
			half->rows = first;
			return;
		}
		if (negative && !is_implied(half, first))
			half->owner[half->rows++] = half->records;
	}
	if (half->rows == first)
		half->safe++;
	else
		half->start[++half->records] = half->rows;
}

/* The same cell in no more memory than it needs. */
static SdcLearnedCell *
fitted(SdcHost *host, SdcLearnedCell *cell)
{
	size_t m = (size_t) cell->features;
	SdcLearnedCell *copy =
		create_cell(host, cell->features, cell->records, cell->rows);
	SdcLearnedCell arrays = *copy;

	memcpy(copy->corner, cell->corner, m * m * sizeof(double));
	memcpy(copy->start, cell->start,
		   ((size_t) cell->records + 1) * sizeof(int32_t));
	if (cell->rows > 0)
	{
		memcpy(copy->value, cell->value,
			   (size_t) cell->rows * m * sizeof(double));
		memcpy(copy->owner, cell->owner,
			   (size_t) cell->rows * sizeof(int32_t));
	}
	*copy = *cell;
	copy->corner = arrays.corner;
	copy->value = arrays.value;
	copy->owner = arrays.owner;
	copy->start = arrays.start;
	sdc_learned_cell_release(host, cell);
	return copy;
}

SdcLearnedCell *
sdc_learned_cell_half(SdcHost *host, const SdcLearnedCell *cell, int keep,
					  int leave)
{
	int m = cell->features;
	SdcLearnedCell *half = create_cell(host, m, cell->records, cell->rows);
	int32_t k;
	int c;

	memcpy(half->corner, cell->corner, (size_t) (m * m) * sizeof(double));
	for (c = 0; c < m; c++)
		half->corner[leave * m + c] =
			0.5 * (cell->corner[keep * m + c] + cell->corner[leave * m + c]);
	half->depth = cell->depth + 1;
	half->safe = cell->safe;
	half->packed = cell->packed;
	for (k = 0; k < cell->records; k++)
		take_record(half, cell, k, keep, leave);
	half->bound = half->safe + half->records;
	if (half->bound > cell->bound)
		half->bound = cell->bound;
	return fitted(host, half);
}

static double
edge_length(const SdcLearnedCell *cell, int a, int b)
{
	int m = cell->features;
	double sum = 0;
	int c;

	for (c = 0; c < m; c++)
	{
		double d = cell->corner[a * m + c] - cell->corner[b * m + c];

		sum += d * d;
	}
	return sqrt(sum);
}

void
sdc_learned_cell_edge(const SdcLearnedCell *cell, int *a, int *b)
{
	int m = cell->features;
	int32_t stride = cell->rows > 2 * EDGE_ROWS ? cell->rows / EDGE_ROWS : 1;
	double most = -1;
	int i;
	int j;

	*a = 0;
	*b = 1;
	for (i = 0; i < m; i++)
		for (j = i + 1; j < m; j++)
		{
			double crossed = 0.1 * cell->rows / stride;
			int32_t r;

			for (r = 0; r < cell->rows; r += stride)
			{
				const double *row = cell->value + (size_t) r * (size_t) m;

				crossed += (row[i] < 0) != (row[j] < 0);
			}
			crossed *= edge_length(cell, i, j);
			if (crossed > most)
			{
				most = crossed;
				*a = i;
				*b = j;
			}
		}
}

int32_t
sdc_learned_cell_count(const SdcLearnedCell *cell, const double *share)
{
	int m = cell->features;
	int32_t count = cell->safe;
	int32_t k;

	for (k = 0; k < cell->records; k++)
	{
		int32_t r;

		for (r = cell->start[k]; r < cell->start[k + 1]; r++)
		{
			const double *row = cell->value + (size_t) r * (size_t) m;
			double sum = 0;
			int c;

			for (c = 0; c < m; c++)
				sum += row[c] * share[c];
			if (sum < 0)
				break;
		}
		count += r == cell->start[k + 1];
	}
	return count;
}

void
sdc_learned_cell_point(const SdcLearnedCell *cell, const double *share,
					   double *point)
{
	int m = cell->features;
	int q;
	int c;

	memset(point, 0, (size_t) m * sizeof(double));
	for (q = 0; q < m; q++)
		for (c = 0; c < m; c++)
			point[c] += share[q] * cell->corner[q * m + c];
}

SdcLearnedSystem
sdc_learned_cell_system(const SdcLearnedCell *cell)
{
	SdcLearnedSystem system;

	memset(&system, 0, sizeof(system));
	system.features = cell->features;
	system.records = cell->records;
	system.start = cell->start;
	system.owner = cell->owner;
	system.value = cell->value;
	return system;
}

/* Is a to be looked at before b? */
static bool
before(const SdcLearnedCell *a, const SdcLearnedCell *b)
{
	return a->bound != b->bound ? a->bound > b->bound : a->depth > b->depth;
}

void
sdc_learned_cell_push(SdcLearnedHeap *heap, SdcLearnedCell *cell)
{
	size_t hole = heap->count;

	if (heap->count == heap->room)
	{
		size_t room = heap->room * 2 + 64;
		SdcLearnedCell **larger = sdc_new(heap->host, SdcLearnedCell *, room);

		if (heap->count > 0)
			memcpy(larger, heap->cell, heap->count * sizeof(*larger));
		heap->host->release(heap->host, heap->cell);
		heap->cell = larger;
		heap->room = room;
	}
	heap->count++;
	while (hole > 0 && before(cell, heap->cell[(hole - 1) / 2]))
	{
		heap->cell[hole] = heap->cell[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap->cell[hole] = cell;
}

SdcLearnedCell *
sdc_learned_cell_pop(SdcLearnedHeap *heap)
{
	SdcLearnedCell *top = heap->cell[0];
	SdcLearnedCell *last = heap->cell[--heap->count];
	size_t hole = 0;
	size_t child;

	while ((child = 2 * hole + 1) < heap->count)
	{
		if (child + 1 < heap->count &&
			before(heap->cell[child + 1], heap->cell[child]))
			child++;
		if (!before(heap->cell[child], last))
			break;
		heap->cell[hole] = heap->cell[child];
		hole = child;
	}
	if (heap->count > 0)
		heap->cell[hole] = last;
	return top;
}
