/*
 * learned_rows.c
 *		What a point must satisfy for each record to be re-identified.
 *
 * One margin for all rows of a record makes dominance exact: where one target
 * is at least as near as another in every attribute, a monotone distance that
 * keeps the record clear of the first keeps it clear of the second.
 */
#include "kernel/attack/learned_rows.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/base/grow.h"

/* Pairs between two polls. */
#define POLL_PAIRS 16384

#define FIRST_ROOM 1024

/* Targets of one record that are being filtered. */
typedef struct Front
{
	double *square; /* squared differences, count times columns */
	double *own;
	uint64_t *key;
	int32_t *order;
	int32_t *target;
	int32_t count;
	int32_t kept;
} Front;

static void
take_squares(const SdcLearnedData *data, int32_t i, int32_t j, double *square)
{
	const double *a = data->record + (size_t) i * (size_t) data->columns;
	const double *b = data->target + (size_t) j * (size_t) data->columns;
	int c;

	for (c = 0; c < data->columns; c++)
		square[c] = (a[c] - b[c]) * (a[c] - b[c]);
}

static double
largest_of(const double *x, int n)
{
	double most = 0;
	int c;

	for (c = 0; c < n; c++)
		if (fabs(x[c]) > most)
			most = fabs(x[c]);
	return most;
}

double *
sdc_learned_rows_margins(SdcHost *host, const SdcLearnedData *data)
{
	double *margin = sdc_new(host, double, (size_t) data->records);
	double square[SDC_LEARNED_MAX_COLUMNS];
	int32_t i;
	int32_t j;

	for (i = 0; i < data->records; i++)
	{
		double least = INFINITY;
		double own;

		take_squares(data, i, data->own[i], square);
		own = largest_of(square, data->columns);
		for (j = 0; j < data->targets; j++)
		{
			double most;

			if (j % POLL_PAIRS == 0)
				host->poll(host, (uint64_t) i, (uint64_t) data->records);
			if (j == data->own[i])
				continue;
			take_squares(data, i, j, square);
			most = largest_of(square, data->columns);
			if (most < least)
				least = most;
		}
		margin[i] = SDC_LEARNED_TOLERANCE *
					(isfinite(least) && least > own ? least : own);
	}
	return margin;
}

static SdcLearnedRows *
create_rows(SdcHost *host, const SdcLearnedForm *form, int32_t records)
{
	SdcLearnedRows *rows = sdc_new(host, SdcLearnedRows, 1);

	memset(rows, 0, sizeof(*rows));
	rows->form = form;
	rows->record = sdc_new(host, int32_t, (size_t) records);
	rows->start = sdc_new(host, int32_t, (size_t) records + 1);
	rows->start[0] = 0;
	return rows;
}

/* Room for more rows. */
static void
make_room(SdcHost *host, SdcLearnedRows *rows, int32_t more)
{
	size_t width = (size_t) rows->form->features;
	size_t used = (size_t) rows->rows;
	size_t room = rows->room > 0 ? (size_t) rows->room : FIRST_ROOM;

	while (room < used + (size_t) more)
		room *= 2;
	if (room == (size_t) rows->room)
		return;
	rows->value =
		sdc_grow(host, rows->value, used, room, width * sizeof(double));
	rows->owner = sdc_grow(host, rows->owner, used, room, sizeof(int32_t));
	if (rows->form->is_signed)
		rows->margin =
			sdc_grow(host, rows->margin, used, room, sizeof(double));
	rows->room = (int32_t) room;
}

/* Appends the row of a pair of features; it belongs to the next record. */
static void
put_row(SdcLearnedRows *rows, const double *feature, const double *own,
		double margin)
{
	const SdcLearnedForm *form = rows->form;
	double *value =
		rows->value + (size_t) rows->rows * (size_t) form->features;
	double most;
	bool never;
	int c;

	for (c = 0; c < form->features; c++)
	{
		value[c] = feature[c] - own[c];
		if (!form->is_signed && (form->unit < 0 || form->unit == c))
			value[c] -= margin;
	}
	most = largest_of(value, form->features);
	/* nothing tells the two apart: no point makes the row hold */
	never = margin == 0 || most == 0;
	for (c = 0; c < form->features; c++)
		value[c] = never ? (form->is_signed ? 0 : -1) : value[c] / most;
	if (form->is_signed)
		rows->margin[rows->rows] = never ? 1 : margin / most;
	rows->owner[rows->rows++] = rows->records;
}

/* Ends a record that has rows. */
static void
close_record(SdcLearnedRows *rows, int32_t record)
{
	rows->record[rows->records++] = record;
	rows->start[rows->records] = rows->rows;
}

/*
 * Lists the targets that may be nearer than a record's own; false when one of
 * them always is as near.
 */
static bool
list_front(SdcHost *host, const SdcLearnedForm *form,
		   const SdcLearnedData *data, int32_t i, double margin, Front *front)
{
	int n = data->columns;
	int32_t j;
	int c;

	take_squares(data, i, data->own[i], front->own);
	if (form->method == SDC_LEARNED_OWA)
		sdc_learned_form_sort(front->own, n);
	front->count = 0;
	for (j = 0; j < data->targets; j++)
	{
		double *square = front->square + (size_t) front->count * (size_t) n;
		bool near = true;
		bool far = true;

		if (j % POLL_PAIRS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) data->records);
		if (j == data->own[i])
			continue;
		take_squares(data, i, j, square);
		if (form->method == SDC_LEARNED_OWA)
			sdc_learned_form_sort(square, n);
		for (c = 0; c < n; c++)
		{
			near = near && square[c] - front->own[c] < margin;
			far = far && square[c] - front->own[c] >= margin;
		}
		if (near || margin == 0)
			return false;
		if (!far)
			front->target[front->count++] = j;
	}
	return true;
}

static bool
dominates(const double *a, const double *b, int n)
{
	int c;

	for (c = 0; c < n; c++)
		if (a[c] > b[c])
			return false;
	return true;
}

/* Keeps, in order[], the targets that no other dominates. */
static void
filter_front(SdcHost *host, int n, Front *front)
{
	int32_t a;
	int32_t b;
	int c;

	front->kept = 0;
	for (a = 0; a < front->count; a++)
	{
		double sum = 0;

		for (c = 0; c < n; c++)
			sum += front->square[(size_t) a * (size_t) n + (size_t) c];
		front->key[a] = sdc_sort_key(sum);
		front->order[a] = a;
	}
	sdc_sort_keys(host, front->key, front->order, (size_t) front->count);
	for (a = 0; a < front->count; a++)
	{
		const double *square =
			front->square + (size_t) front->order[a] * (size_t) n;

		for (b = 0; b < front->kept; b++)
			if (dominates(front->square +
							  (size_t) front->order[b] * (size_t) n,
						  square, n))
				break;
		if (b == front->kept)
			front->order[front->kept++] = front->order[a];
	}
}

void
sdc_learned_rows_features(const SdcLearnedForm *form,
						  const SdcLearnedData *data, int32_t i, int32_t j,
						  double *feature)
{
	const double *a = data->record + (size_t) i * (size_t) data->columns;
	const double *b = data->target + (size_t) j * (size_t) data->columns;
	double difference[SDC_LEARNED_MAX_COLUMNS];
	int c;

	for (c = 0; c < data->columns; c++)
		difference[c] = a[c] - b[c];
	sdc_learned_form_features(form, difference, feature);
}

SdcLearnedRows *
sdc_learned_rows_build(SdcHost *host, const SdcLearnedForm *form,
					   const SdcLearnedData *data, const double *margin)
{
	SdcLearnedRows *rows = create_rows(host, form, data->records);
	size_t targets = (size_t) data->targets;
	double own[SDC_LEARNED_MAX_FEATURES];
	double other[SDC_LEARNED_MAX_FEATURES];
	double square[SDC_LEARNED_MAX_COLUMNS];
	Front front;
	int32_t i;
	int32_t k;

	front.own = square;
	front.square = sdc_new(host, double, targets *(size_t) data->columns);
	front.key = sdc_new(host, uint64_t, targets);
	front.order = sdc_new(host, int32_t, targets);
	front.target = sdc_new(host, int32_t, targets);
	for (i = 0; i < data->records; i++)
	{
		if (!list_front(host, form, data, i, margin[i], &front))
		{
			rows->dead++;
			continue;
		}
		filter_front(host, data->columns, &front);
		if (front.kept == 0)
		{
			rows->safe++;
			continue;
		}
		make_room(host, rows, front.kept);
		sdc_learned_rows_features(form, data, i, data->own[i], own);
		for (k = 0; k < front.kept; k++)
		{
			sdc_learned_rows_features(form, data, i,
									  front.target[front.order[k]], other);
			put_row(rows, other, own, margin[i]);
		}
		close_record(rows, i);
	}
	host->release(host, front.square);
	host->release(host, front.key);
	host->release(host, front.order);
	host->release(host, front.target);
	return rows;
}

SdcLearnedPool *
sdc_learned_rows_pool(SdcHost *host, const SdcLearnedData *data)
{
	SdcLearnedPool *pool = sdc_new(host, SdcLearnedPool, 1);

	pool->stride = ((size_t) data->targets + 7) / 8;
	pool->pairs = 0;
	pool->seen = sdc_new(host, uint8_t, (size_t) data->records * pool->stride);
	memset(pool->seen, 0, (size_t) data->records * pool->stride);
	return pool;
}

bool
sdc_learned_rows_add(SdcLearnedPool *pool, int32_t record, int32_t target)
{
	uint8_t *byte = pool->seen + (size_t) record * pool->stride + target / 8;

	if (*byte >> target % 8 & 1)
		return false;
	*byte |= (uint8_t) (1 << target % 8);
	pool->pairs++;
	return true;
}

SdcLearnedRows *
sdc_learned_rows_pooled(SdcHost *host, const SdcLearnedForm *form,
						const SdcLearnedData *data, const double *margin,
						const SdcLearnedPool *pool)
{
	SdcLearnedRows *rows = create_rows(host, form, data->records);
	double own[SDC_LEARNED_MAX_FEATURES];
	double other[SDC_LEARNED_MAX_FEATURES];
	int32_t i;
	int32_t j;

	make_room(host, rows, pool->pairs);
	for (i = 0; i < data->records; i++)
	{
		const uint8_t *seen = pool->seen + (size_t) i * pool->stride;

		host->poll(host, 0, 0);
		sdc_learned_rows_features(form, data, i, data->own[i], own);
		for (j = 0; j < data->targets; j++)
		{
			if ((seen[j / 8] >> j % 8 & 1) == 0)
				continue;
			sdc_learned_rows_features(form, data, i, j, other);
			put_row(rows, other, own, margin[i]);
		}
		close_record(rows, i);
	}
	return rows;
}

void
sdc_learned_rows_release(SdcHost *host, SdcLearnedRows *rows)
{
	host->release(host, rows->record);
	host->release(host, rows->start);
	host->release(host, rows->value);
	host->release(host, rows->margin);
	host->release(host, rows->owner);
	host->release(host, rows);
}
