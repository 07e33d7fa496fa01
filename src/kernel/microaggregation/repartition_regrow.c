/*
 * repartition_regrow.c
 *		A few groups taken apart and put together again: new beginnings.
 *
 * New groups grow as in MDAV, but with chance: the first row is random or
 * remote from the mean of what is left, the others are the nearest to it or to
 * the growing mean, and now and then a group gets more than k rows.
 */
#include "kernel/microaggregation/repartition.h"

#include <math.h>
#include <string.h>

/* How often a new group gets more than k rows. */
#define LARGER_GROUPS 0.15

/* Rows not yet in a new group. */
typedef struct Remaining
{
	int count;
	int row[SDC_REPARTITION_ROWS];
	double product[SDC_REPARTITION_ROWS]; /* of every row with a mean */
} Remaining;

void
sdc_repartition_shake(SdcRepartition *repartition, SdcRandom *random)
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
	sdc_repartition_update(r);
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

void
sdc_repartition_regrow(SdcRepartition *repartition, SdcRandom *random)
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
	sdc_repartition_update(r);
}
