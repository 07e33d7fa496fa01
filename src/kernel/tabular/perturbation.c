/*
 * perturbation.c
 *		Cell keys: noise that is the same wherever a cell has the same records.
 *
 * Chances of greatest entropy under a mean of 0 and a variance have the form
 * exp(-a v - b v^2); a and b are what minimises the convex function
 * log sum exp(-a v - b v^2) + b V, found by Newton's method with b >= 0.
 * Where chances would not fall to either side of 0 neighbours are given the
 * same one, which keeps the form with the means of v and v^2 over both.  The
 * chances are then rounded to whole parts, and the rest is put on two
 * neighbouring values so that sum and mean are exact.
 */
#include "kernel/tabular/changed_values.h"

#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"

#define WIDTH (2 * SDC_PERTURBATION_LARGEST + 1)

/* Newton's method stops below this gradient, or after so many steps. */
#define STILL 1e-13
#define STEPS 200

/* One row: values v, in groups of equal chance. */
typedef struct Row
{
	int32_t count;
	int32_t v[WIDTH];
	int32_t group[WIDTH]; /* first place of the group that a value is in */
	double p[WIDTH];
	/* means of v and v^2 of the group */
	double first[WIDTH];
	double second[WIDTH];
	double variance;
} Row;

/* Sums over a row that Newton's method needs. */
typedef struct Moments
{
	double log_sum;
	double mean[2];
	double square[3]; /* of first^2, first second, second^2 */
} Moments;

static void
find_group_means(Row *row)
{
	int32_t i;
	int32_t k;

	for (i = 0; i < row->count; i = k)
	{
		double first = 0;
		double second = 0;
		int32_t j;

		for (k = i; k < row->count && row->group[k] == i; k++)
		{
			first += row->v[k];
			second += (double) row->v[k] * row->v[k];
		}
		for (j = i; j < k; j++)
		{
			row->first[j] = first / (k - i);
			row->second[j] = second / (k - i);
		}
	}
}

/* Sets p for a and b; the logarithm of what they were divided by. */
static Moments
weigh(Row *row, const double *at)
{
	Moments moments = {0};
	double most = -INFINITY;
	double sum = 0;
	int32_t i;

	for (i = 0; i < row->count; i++)
	{
		row->p[i] = -at[0] * row->first[i] - at[1] * row->second[i];
		most = fmax(most, row->p[i]);
	}
	for (i = 0; i < row->count; i++)
	{
		row->p[i] = sdc_exp(row->p[i] - most);
		sum += row->p[i];
	}
	for (i = 0; i < row->count; i++)
	{
		double p = row->p[i] /= sum;

		moments.mean[0] += p * row->first[i];
		moments.mean[1] += p * row->second[i];
		moments.square[0] += p * row->first[i] * row->first[i];
		moments.square[1] += p * row->first[i] * row->second[i];
		moments.square[2] += p * row->second[i] * row->second[i];
	}
	moments.log_sum = most + sdc_random_log(sum);
	return moments;
}

/* The function that is minimised. */
static double
height(const Row *row, const Moments *moments, const double *at)
{
	return moments->log_sum + at[1] * row->variance;
}

/* Newton's direction; b stays where it is when it is fixed. */
static void
direct(const Row *row, const Moments *m, bool fixed, double *direction)
{
	double slope[2] = {-m->mean[0], row->variance - m->mean[1]};
	double aa = m->square[0] - m->mean[0] * m->mean[0] + 1e-300;
	double ab = m->square[1] - m->mean[0] * m->mean[1];
	double bb = m->square[2] - m->mean[1] * m->mean[1];
	double determinant = aa * bb - ab * ab;

	if (fixed || determinant <= 1e-14 * aa * bb)
	{
		direction[0] = -slope[0] / aa;
		direction[1] = 0;
		if (!fixed && bb > 0)
			direction[1] = -slope[1] / bb;
		return;
	}
	direction[0] = -(bb * slope[0] - ab * slope[1]) / determinant;
	direction[1] = -(aa * slope[1] - ab * slope[0]) / determinant;
}

/* The chances of greatest entropy for the groups as they are. */
static void
find_chances(Row *row)
{
	double at[2] = {0, 0};
	Moments moments;
	int step;

	find_group_means(row);
	moments = weigh(row, at);
	for (step = 0; step < STEPS; step++)
	{
		bool fixed = at[1] <= 0 && row->variance >= moments.mean[1];
		double direction[2];
		double before = height(row, &moments, at);
		double share = 1;

		if (fabs(moments.mean[0]) < STILL &&
			(fixed ||
			 fabs(moments.mean[1] - row->variance) < STILL * row->variance))
			break;
		direct(row, &moments, fixed, direction);
		for (; share > 1e-12; share /= 2)
		{
			double to[2] = {at[0] + share * direction[0],
							fmax(0, at[1] + share * direction[1])};

			moments = weigh(row, to);
			if (height(row, &moments, to) <= before + 1e-15 * fabs(before))
			{
				memcpy(at, to, sizeof(at));
				break;
			}
		}
		moments = weigh(row, at);
	}
}

/* Joins neighbours whose chances do not fall away from 0; false: none. */
static bool
join_groups(Row *row)
{
	bool joined = false;
	int32_t i;
	int32_t k;

	for (i = 0; i + 1 < row->count; i++)
	{
		bool left = row->v[i] < 0;
		double rises = row->p[i + 1] - row->p[i];

		if (row->group[i] == row->group[i + 1] ||
			(left ? rises >= -1e-12 : rises <= 1e-12))
			continue;
		for (k = row->count - 1; k > i; k--)
			if (row->group[k] == row->group[i + 1])
				row->group[k] = row->group[i];
		joined = true;
	}
	return joined;
}

/* The values that a count may get as noise. */
static void
list_values(Row *row, int32_t count, int32_t largest, int32_t gap)
{
	int32_t v;

	row->count = 0;
	for (v = -largest; v <= largest; v++)
	{
		int32_t becomes = count + v;

		if (becomes < 0 || (becomes > 0 && becomes <= gap))
			continue;
		row->group[row->count] = row->count;
		row->v[row->count++] = v;
	}
}

/* Chances as whole parts, with an exact sum and mean. */
static void
make_whole(const Row *row, int32_t largest, uint64_t *chance)
{
	int64_t all = INT64_C(1) << SDC_PERTURBATION_BITS;
	int64_t part[WIDTH];
	int64_t sum = all;
	int64_t mean = 0;
	int32_t best = 0;
	int32_t i;

	for (i = 0; i < row->count; i++)
	{
		part[i] = (int64_t) rint(row->p[i] * (double) all);
		sum -= part[i];
		mean -= part[i] * row->v[i];
		if (i + 1 < row->count && row->v[i + 1] == row->v[i] + 1 &&
			(row->v[best + 1] != row->v[best] + 1 ||
			 fmin(row->p[i], row->p[i + 1]) >
				 fmin(row->p[best], row->p[best + 1])))
			best = i;
	}
	/* x + y = sum and v x + (v + 1) y = mean */
	part[best + 1] += mean - row->v[best] * sum;
	part[best] += sum - (mean - row->v[best] * sum);
	for (i = 0; i < row->count; i++)
		chance[row->v[i] + largest] = (uint64_t) part[i];
}

static void
make_row(Row *row, int32_t count, const SdcPerturbation *made,
		 uint64_t *chance)
{
	row->variance = made->variance;
	list_values(row, count, made->largest, made->gap);
	find_chances(row);
	while (made->gap == 0 && join_groups(row))
		find_chances(row);
	make_whole(row, made->largest, chance);
}

/* Can each row have noise of mean 0 with that variance? */
static SdcPerturbationStatus
check_possible(int32_t largest, double variance, int32_t gap)
{
	int32_t i;

	if (largest <= gap)
		return SDC_PERTURBATION_TOO_SHORT;
	for (i = 1; i <= gap; i++)
		if (variance <= (double) i * (gap + 1 - i))
			return SDC_PERTURBATION_TOO_STILL;
	return SDC_PERTURBATION_MADE;
}

SdcPerturbationStatus
sdc_perturbation_make(SdcHost *host, int32_t largest, double variance,
					  int32_t gap, SdcPerturbation *made)
{
	SdcPerturbationStatus status = check_possible(largest, variance, gap);
	size_t width = 2 * (size_t) largest + 1;
	Row *row;
	int32_t i;

	if (status != SDC_PERTURBATION_MADE)
		return status;
	row = sdc_new(host, Row, 1);
	made->largest = largest;
	made->variance = variance;
	made->gap = gap;
	/* from there on no result is below 0 or within the gap */
	made->rows = largest + 1 + (gap > 0 ? gap + 1 : 0);
	made->chance = sdc_new(host, uint64_t, width * (size_t) made->rows);
	memset(made->chance, 0, width * (size_t) made->rows * sizeof(uint64_t));
	made->chance[largest] = UINT64_C(1) << SDC_PERTURBATION_BITS;
	for (i = 1; i < made->rows; i++)
		make_row(row, i, made, made->chance + (size_t) i * width);
	host->release(host, row);
	return status;
}

int32_t
sdc_perturbation_noise(const SdcPerturbation *perturbation, double count,
					   uint64_t key)
{
	int32_t width = 2 * perturbation->largest + 1;
	int32_t row = count < perturbation->rows - 1 ? (int32_t) count
												 : perturbation->rows - 1;
	const uint64_t *chance = perturbation->chance + (size_t) row * width;
	uint64_t left = key >> (64 - SDC_PERTURBATION_BITS);
	int32_t v;

	for (v = 0; v < width - 1 && left >= chance[v]; v++)
		left -= chance[v];
	return v - perturbation->largest;
}

double
sdc_perturbation_grain(const double *value, int32_t n)
{
	double grain = 0;
	int32_t i;

	for (i = 0; i < n && grain != 1; i++)
		grain = sdc_common_divisor(grain, value[i]);
	return grain > 0 ? grain : 1;
}

double
sdc_perturbation_sum(const SdcPerturbation *made, double sum, double largest,
					 double share, double grain, uint64_t key)
{
	/* bits that do not pick the step */
	double within =
		(double) (key & ((UINT64_C(1) << 20) - 1)) / (1 << 20) - 0.5;
	double step = share * largest;

	if (step < grain)
		return sum + grain * sdc_perturbation_noise(made, sum / grain, key);
	return rint(
		sum +
		step * (sdc_perturbation_noise(made, made->rows - 1, key) + within));
}
