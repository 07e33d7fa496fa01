/*
 * repartition.c
 *		A few groups taken apart and put together again: the descent.
 *
 * With a and b the means of two groups and n_a and n_b their numbers of rows,
 * moving row x from a to b gains
 *		|x - a|^2 n_a / (n_a - 1) - |x - b|^2 n_b / (n_b + 1),
 * exchanging x of a and y of b gains
 *		|x - y|^2 (1 / n_a + 1 / n_b) + 2 (y - x).(a - b).
 */
#include "kernel/microaggregation/repartition.h"

#include <string.h>

#define LANES 8

/* Gains below this part of the total are rounding. */
#define LEAST_GAIN 1e-11

/* Passes over the rows; a descent needs two or three. */
#define MOST_PASSES 50

SdcRepartition *
sdc_repartition_create(SdcHost *host, int columns, int k)
{
	SdcRepartition *r = sdc_new(host, SdcRepartition, 1);
	size_t rows = SDC_REPARTITION_ROWS;

	memset(r, 0, sizeof(*r));
	r->columns = columns;
	r->k = k;
	r->value = sdc_new(host, double, rows *(size_t) columns);
	r->gram = sdc_new(host, double, rows *rows);
	r->product = sdc_new(host, double, rows *SDC_REPARTITION_GROUPS);
	return r;
}

void
sdc_repartition_release(SdcHost *host, SdcRepartition *repartition)
{
	host->release(host, repartition->value);
	host->release(host, repartition->gram);
	host->release(host, repartition->product);
	host->release(host, repartition);
}

/* Products of all pairs of rows. */
SDC_CLONES static void
compute_gram(const double *restrict value, int columns, int rows, int stride,
			 double *restrict gram)
{
	int row;
	int i;
	int j;

	memset(gram, 0, sizeof(*gram) * (size_t) (rows * stride));
	for (j = 0; j < columns; j++, value += stride)
		for (row = 0; row < rows; row++)
		{
			double *products = gram + row * stride;
			double own = value[row];

			for (i = 0; i < stride; i++)
				products[i] += own * value[i];
		}
}

/* Product of the mean of a group with every row. */
SDC_CLONES static void
compute_products(const double *restrict gram, const int *restrict label,
				 int rows, int stride, int group, int count,
				 double *restrict product)
{
	int row;
	int i;

	for (i = 0; i < stride; i++)
		product[i] = 0;
	for (row = 0; row < rows; row++)
	{
		const double *products = gram + row * stride;

		if (label[row] == group)
			for (i = 0; i < stride; i++)
				product[i] += products[i];
	}
	for (i = 0; i < stride; i++)
		product[i] /= count;
}

/* Carries the products of a group over to its members. */
static void
update_members(SdcRepartition *r, int group, int count)
{
	const double *product = r->product + group * r->stride;
	double square = 0;
	int i;

	for (i = 0; i < r->rows; i++)
	{
		if (r->label[i] != group)
			continue;
		square += product[i];
		r->inverse[i] = 1.0 / count;
		r->own_product[i] = product[i];
	}
	r->count[group] = count;
	r->mean_square[group] = square / count;
}

/* Computes what follows from the members of a group. */
static void
update_group(SdcRepartition *r, int group)
{
	int count = 0;
	int i;

	for (i = 0; i < r->rows; i++)
		count += r->label[i] == group;
	compute_products(r->gram, r->label, r->rows, r->stride, group, count,
					 r->product + group * r->stride);
	update_members(r, group, count);
}

void
sdc_repartition_update(SdcRepartition *repartition)
{
	int group;

	for (group = 0; group < repartition->groups; group++)
		update_group(repartition, group);
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
	memset(r->label + count, 0, (size_t) (r->stride - count) * sizeof(*label));
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
	}
	compute_gram(r->value, r->columns, r->rows, r->stride, r->gram);
	r->total = 0;
	for (i = 0; i < count; i++)
	{
		r->square[i] = r->gram[i * r->stride + i];
		r->total += r->square[i];
	}
	sdc_repartition_update(r);
}

double
sdc_repartition_cost(const SdcRepartition *repartition)
{
	double cost = repartition->total;
	int i;

	for (i = 0; i < repartition->groups; i++)
		cost -= repartition->count[i] * repartition->mean_square[i];
	return cost;
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

/*
 * What an exchange of a row with every other row gains, -1 for rows of its own
 * group; here[group] is the product of the row with the mean of a group.
 * Returns the greatest gain.
 */
SDC_CLONES static double
exchange_gains(const SdcRepartition *restrict r, int row,
			   const double *restrict here, double *restrict gain)
{
	const double *restrict gram = r->gram + row * r->stride;
	int own = r->label[row];
	const double *restrict product = r->product + own * r->stride;
	double most[LANES];
	int i;
	int j;

	for (i = 0; i < r->stride; i++)
	{
		double distance = r->square[row] + r->square[i] - 2 * gram[i];
		double all = distance * (r->inverse[row] + r->inverse[i]) +
					 2 * (product[i] - r->own_product[i] -
						  r->own_product[row] + here[r->label[i]]);

		gain[i] = r->label[i] == own ? -1 : all;
	}
	for (i = r->rows; i < r->stride; i++)
		gain[i] = -1;
	for (j = 0; j < LANES; j++)
		most[j] = -1;
	for (i = 0; i < r->stride; i += LANES)
		for (j = 0; j < LANES; j++)
			most[j] = gain[i + j] > most[j] ? gain[i + j] : most[j];
	for (j = 1; j < LANES; j++)
		most[0] = most[j] > most[0] ? most[j] : most[0];
	return most[0];
}

/* A group gets one row for another. */
SDC_CLONES static void
replace_member(const double *restrict in, const double *restrict out,
			   int stride, int count, double *restrict product)
{
	int i;

	for (i = 0; i < stride; i++)
		product[i] += (in[i] - out[i]) / count;
}

/* Exchanges a row with the one that gains most; false if none does. */
static bool
exchange_row(SdcRepartition *r, int row, double least_gain)
{
	double gain[SDC_REPARTITION_ROWS];
	double here[SDC_REPARTITION_GROUPS];
	const double *gram = r->gram + row * r->stride;
	const double *other_gram;
	int own = r->label[row];
	int other = 0;
	int group;
	double most;

	for (group = 0; group < r->groups; group++)
		here[group] = r->product[group * r->stride + row];
	most = exchange_gains(r, row, here, gain);
	if (most <= least_gain)
		return false;
	while (gain[other] != most)
		other++;
	other_gram = r->gram + other * r->stride;
	group = r->label[other];
	r->label[row] = group;
	r->label[other] = own;
	replace_member(other_gram, gram, r->stride, r->count[own],
				   r->product + own * r->stride);
	replace_member(gram, other_gram, r->stride, r->count[group],
				   r->product + group * r->stride);
	update_members(r, own, r->count[own]);
	update_members(r, group, r->count[group]);
	return true;
}

void
sdc_repartition_descend(SdcRepartition *repartition)
{
	double least_gain = repartition->total * LEAST_GAIN;
	bool improved = true;
	int pass;
	int row;

	for (pass = 0; improved && pass < MOST_PASSES; pass++)
	{
		improved = false;
		for (row = 0; row < repartition->rows; row++)
			if (move_row(repartition, row, least_gain) ||
				exchange_row(repartition, row, least_gain))
				improved = true;
	}
}
