/*
 * repartition.c
 *		A few groups taken apart and put together again.
 *
 * With the distances between all pairs of rows and the products of rows and
 * means at hand, the gain of every move and exchange is a few operations:
 * moving row i from group a to b gains
 *		|x - a|^2 n_a / (n_a - 1) - |x - b|^2 n_b / (n_b + 1),
 * exchanging rows i of a and j of b gains
 *		|x_i - x_j|^2 (1 / n_a + 1 / n_b) + 2 (x_j - x_i).(a - b)
 * with a, b the means and n their numbers of rows (Ward 1963).  Rows are
 * moved to their common mean first, so that no digits are lost.
 */
#include "kernel/repartition.h"

#include "kernel/matrix.h"

#include <math.h>
#include <string.h>

#define LANES 8

/* Gains below this part of the total are rounding. */
#define LEAST_GAIN 1e-11

/* Passes over the rows; a descent needs two or three. */
#define MOST_PASSES 50

/* How often a new group gets more than k rows. */
#define LARGER_GROUPS 0.15

SdcRepartition *
sdc_repartition_create(SdcHost *host, int columns, int k)
{
	SdcRepartition *r = sdc_new(host, SdcRepartition, 1);
	size_t rows = SDC_REPARTITION_ROWS;
	size_t groups = SDC_REPARTITION_GROUPS;

	r->columns = columns;
	r->k = k;
	r->value = sdc_new(host, double, rows *(size_t) columns);
	r->square = sdc_new(host, double, rows);
	r->distance = sdc_new(host, double, rows *rows);
	r->mean = sdc_new(host, double, groups *(size_t) columns);
	r->product = sdc_new(host, double, groups *rows);
	return r;
}

void
sdc_repartition_release(SdcHost *host, SdcRepartition *repartition)
{
	host->release(host, repartition->value);
	host->release(host, repartition->square);
	host->release(host, repartition->distance);
	host->release(host, repartition->mean);
	host->release(host, repartition->product);
	host->release(host, repartition);
}

/* Squared distances of one row to all. */
SDC_CLONES static void
row_distances(const double *restrict value, int columns, int stride, int row,
			  double *restrict distance)
{
	int i;
	int j;

	for (i = 0; i < stride; i++)
		distance[i] = 0;
	for (j = 0; j < columns; j++)
	{
		const double *column = value + j * stride;
		double own = column[row];

		for (i = 0; i < stride; i++)
			distance[i] += (column[i] - own) * (column[i] - own);
	}
}

/* Products of a vector with all rows. */
SDC_CLONES static void
row_products(const double *restrict value, int columns, int stride,
			 const double *restrict vector, double *restrict product)
{
	int i;
	int j;

	for (i = 0; i < stride; i++)
		product[i] = 0;
	for (j = 0; j < columns; j++)
		for (i = 0; i < stride; i++)
			product[i] += value[j * stride + i] * vector[j];
}

/* Computes the mean of a group anew, and what follows from it. */
static void
update_group(SdcRepartition *r, int group)
{
	double *mean = r->mean + group * r->columns;
	double square = 0;
	int count = 0;
	int i;
	int j;

	for (j = 0; j < r->columns; j++)
		mean[j] = 0;
	for (i = 0; i < r->rows; i++)
	{
		if (r->label[i] != group)
			continue;
		count++;
		for (j = 0; j < r->columns; j++)
			mean[j] += r->value[j * r->stride + i];
	}
	for (j = 0; j < r->columns && count > 0; j++)
	{
		mean[j] /= count;
		square += mean[j] * mean[j];
	}
	r->count[group] = count;
	r->mean_square[group] = square;
	row_products(r->value, r->columns, r->stride, mean,
				 r->product + group * r->stride);
}

static void
update_groups(SdcRepartition *r)
{
	int group;

	for (group = 0; group < r->groups; group++)
		update_group(r, group);
}

void
sdc_repartition_load(SdcRepartition *repartition, const double *values,
					 const int32_t *rows, const int *label, int count,
					 int groups)
{
	SdcRepartition *r = repartition;
	int i;
	int j;

	r->rows = count;
	r->stride = (count + LANES - 1) / LANES * LANES;
	r->groups = groups;
	memcpy(r->label, label, (size_t) count * sizeof(*label));
	memset(r->square, 0, (size_t) r->stride * sizeof(*r->square));
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
		for (i = 0; i < count; i++)
			r->square[i] += column[i] * column[i];
	}
	for (i = 0; i < count; i++)
		row_distances(r->value, r->columns, r->stride, i,
					  r->distance + i * r->stride);
	update_groups(r);
}

double
sdc_repartition_cost(const SdcRepartition *repartition)
{
	double cost = 0;
	int i;

	for (i = 0; i < repartition->rows; i++)
		cost += repartition->square[i];
	for (i = 0; i < repartition->groups; i++)
		cost -= repartition->count[i] * repartition->mean_square[i];
	return cost;
}

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
	update_groups(r);
}

/* Rows not yet in a new group. */
typedef struct Remaining
{
	int count;
	int row[SDC_REPARTITION_ROWS];
	double distance[SDC_REPARTITION_ROWS]; /* of every row to a point */
} Remaining;

/* Squared distances of all rows to a point, up to a constant. */
static void
distances_to(const SdcRepartition *r, const double *point,
			 Remaining *remaining)
{
	int i;

	row_products(r->value, r->columns, r->stride, point, remaining->distance);
	for (i = 0; i < r->rows; i++)
		remaining->distance[i] = r->square[i] - 2 * remaining->distance[i];
}

/* Mean of the remaining rows. */
static void
remaining_mean(const SdcRepartition *r, const Remaining *remaining,
			   double *mean)
{
	int i;
	int j;

	for (j = 0; j < r->columns; j++)
	{
		mean[j] = 0;
		for (i = 0; i < remaining->count; i++)
			mean[j] += r->value[j * r->stride + remaining->row[i]];
		mean[j] /= remaining->count;
	}
}

/* Place, among the remaining, of the row that starts the next group. */
static int
choose_start(const SdcRepartition *r, Remaining *remaining, bool remote,
			 bool blurred, SdcRandom *random)
{
	double mean[SDC_MAX_COLUMNS];
	double square = 0;
	double most = -1;
	int chosen = 0;
	int i;
	int j;

	if (!remote)
		return (int) sdc_random_below(random, (uint64_t) remaining->count);
	remaining_mean(r, remaining, mean);
	for (j = 0; j < r->columns; j++)
		square += mean[j] * mean[j];
	distances_to(r, mean, remaining);
	for (i = 0; i < remaining->count; i++)
	{
		double distance = remaining->distance[remaining->row[i]] + square;

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
	double mean[SDC_MAX_COLUMNS];
	int row = take_row(r, remaining, start, group);
	const double *distance = r->distance + row * r->stride;
	int taken;
	int i;
	int j;

	for (j = 0; j < r->columns; j++)
		mean[j] = r->value[j * r->stride + row];
	for (taken = 1; taken < size; taken++)
	{
		int nearest = 0;

		for (i = 1; i < remaining->count; i++)
			if (distance[remaining->row[i]] <
				distance[remaining->row[nearest]])
				nearest = i;
		row = take_row(r, remaining, nearest, group);
		if (!follow_mean || taken + 1 == size)
			continue;
		for (j = 0; j < r->columns; j++)
			mean[j] += (r->value[j * r->stride + row] - mean[j]) / (taken + 1);
		distances_to(r, mean, remaining);
		distance = remaining->distance;
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
		int start = choose_start(r, &remaining, mode < 2, mode == 0, random);
		bool follow_mean = sdc_random_below(random, 2) == 0;
		int size = r->k;

		if (sdc_random_unit(random) < LARGER_GROUPS)
			size += (int) sdc_random_below(random, (uint64_t) r->k);
		if (remaining.count - size < r->k)
			size = r->k;
		grow_group(r, &remaining, start, size, r->groups++, follow_mean);
	}
	for (i = 0; i < remaining.count; i++)
		r->label[remaining.row[i]] = r->groups;
	r->groups++;
	update_groups(r);
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

/* Exchanges a row with the one that gains most; false if none does. */
static bool
exchange_row(SdcRepartition *r, int row, double least_gain)
{
	const double *distance = r->distance + row * r->stride;
	int own = r->label[row];
	const double *own_product = r->product + own * r->stride;
	double inverse[SDC_REPARTITION_GROUPS];
	int best = -1;
	int other;
	int i;

	for (i = 0; i < r->groups; i++)
		inverse[i] = 1.0 / r->count[own] + 1.0 / r->count[i];
	for (other = 0; other < r->rows; other++)
	{
		int group = r->label[other];
		const double *product = r->product + group * r->stride;
		double gain = distance[other] * inverse[group] +
					  2 * (own_product[other] - product[other] -
						   own_product[row] + product[row]);

		if (group != own && gain > least_gain)
		{
			least_gain = gain;
			best = other;
		}
	}
	if (best < 0)
		return false;
	r->label[row] = r->label[best];
	r->label[best] = own;
	update_group(r, own);
	update_group(r, r->label[row]);
	return true;
}

void
sdc_repartition_descend(SdcRepartition *repartition)
{
	double least_gain = 0;
	bool improved = true;
	int pass;
	int row;

	for (row = 0; row < repartition->rows; row++)
		least_gain += repartition->square[row] * LEAST_GAIN;
	for (pass = 0; improved && pass < MOST_PASSES; pass++)
	{
		improved = false;
		for (row = 0; row < repartition->rows; row++)
			if (move_row(repartition, row, least_gain) ||
				exchange_row(repartition, row, least_gain))
				improved = true;
	}
}
