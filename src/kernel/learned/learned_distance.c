/*
 * learned_distance.c
 *		The parameters of a distance that re-identify the most records.
 *
 * Families lie in each other, so what a smaller one has learned is where a
 * larger one starts, and it ends no lower: the smaller one is learned as it is
 * by itself, with a limit of its own, or it might end lower here than there.
 * At the end the point is moved to where the records it holds have the widest
 * margin, which makes the parameters easier to read.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/learned/learned_branch.h"
#include "kernel/learned/learned_cover.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"
#include "kernel/linear/moments.h"
#include "kernel/linear/square.h"

/* ----------------------------------------------------------------------
 * Directions to walk in.
 *
 * One of six kinds is drawn: a weight moved to another, one entry alone, all
 * at random with and without regard to their size, three of them, or towards
 * what a record lacks that fails.
 * ----------------------------------------------------------------------
 */

typedef struct Aim
{
	const SdcLearnedRows *rows;
	SdcRandom *random;
	const double *point;
	double *direction;
	int features;
} Aim;

static int
some_feature(Aim *aim)
{
	return (int) sdc_random_below(aim->random, (uint64_t) aim->features);
}

/* Towards the worst row of a record that fails. */
static bool
aim_at_failure(Aim *aim)
{
	const SdcLearnedRows *rows = aim->rows;
	int m = aim->features;
	int32_t k =
		(int32_t) sdc_random_below(aim->random, (uint64_t) rows->records);
	double least = 0;
	int32_t worst = -1;
	int32_t r;
	int c;

	for (r = rows->start[k]; r < rows->start[k + 1]; r++)
	{
		const double *value = rows->value + (size_t) r * (size_t) m;
		double sum = rows->margin != NULL ? -rows->margin[r] : 0;

		for (c = 0; c < m; c++)
			sum += value[c] * aim->point[c];
		if (sum < least)
		{
			least = sum;
			worst = r;
		}
	}
	if (worst < 0)
		return false;
	for (c = 0; c < m; c++)
		aim->direction[c] =
			rows->value[(size_t) worst * (size_t) m + (size_t) c] *
			(1e-3 + fabs(aim->point[c]));
	return true;
}

/* A random direction, before it is made to keep the norm. */
static bool
choose(Aim *aim)
{
	double *direction = aim->direction;
	int m = aim->features;
	int c;

	memset(direction, 0, (size_t) m * sizeof(double));
	switch (sdc_random_below(aim->random, 6))
	{
		case 0:
			direction[some_feature(aim)] = 1;
			direction[some_feature(aim)] -= 1;
			return true;
		case 1:
			direction[some_feature(aim)] = 1;
			return true;
		case 2:
			for (c = 0; c < m; c++)
				direction[c] = sdc_random_normal(aim->random) *
							   (0.01 + fabs(aim->point[c]));
			return true;
		case 3:
			for (c = 0; c < m; c++)
				direction[c] = sdc_random_normal(aim->random);
			return true;
		case 4:
			for (c = 0; c < 3; c++)
				direction[some_feature(aim)] += sdc_random_normal(aim->random);
			return true;
		default:
			return aim_at_failure(aim);
	}
}

/*
 * Changes a direction so that it keeps the norm of the point; where there are
 * signs nothing is changed, and the point is scaled after the step.
 */
static void
learned_aim_keep_norm(const SdcLearnedForm *form, const double *point,
					  double *direction)
{
	double sum = 0;
	double total = 0;
	int c;

	if (form->unit >= 0)
	{
		direction[form->unit] = 0;
		return;
	}
	if (form->is_signed)
		return;
	for (c = 0; c < form->features; c++)
	{
		sum += direction[c];
		total += 1e-3 + point[c];
	}
	for (c = 0; c < form->features; c++)
		direction[c] -= sum * (1e-3 + point[c]) / total;
}

/*
 * A random direction from a point that keeps its norm; false when the one
 * drawn leads nowhere.
 */
static bool
learned_aim_take(const SdcLearnedRows *rows, SdcRandom *random,
				 const double *point, double *direction)
{
	Aim aim = {rows, random, point, direction, rows->form->features};

	if (!choose(&aim))
		return false;
	learned_aim_keep_norm(rows->form, point, direction);
	return true;
}

/* ----------------------------------------------------------------------
 * Points to start from, and the pairs that matter at them.
 *
 * A family without dominance cannot tell in advance which pairs matter, so it
 * begins with those that are near at good points and adds what spoils later
 * ones.
 * ----------------------------------------------------------------------
 */

#define MOST SDC_LEARNED_MAX_COLUMNS

/* Pivots below this, relative to the largest entry, are taken for 0. */
#define SINGULAR 1e-12

/*
 * Differences between each record and its own target, column by column:
 * difference[c * records + i].  Kinds are left out.
 */
static double *
take_differences(SdcHost *host, const SdcLearnedData *data)
{
	size_t n = (size_t) data->columns;
	size_t width = n + (size_t) data->kinds;
	double *difference = sdc_new(host, double, n *(size_t) data->records);
	int32_t i;
	size_t c;

	for (i = 0; i < data->records; i++)
		for (c = 0; c < n; c++)
			difference[c * (size_t) data->records + (size_t) i] =
				data->record[(size_t) i * width + c] -
				data->target[(size_t) data->own[i] * width + c];
	return difference;
}

bool
sdc_learned_start_mahalanobis(SdcHost *host, const SdcLearnedData *data,
							  double *half)
{
	double covariance[MOST * MOST];
	double inverse[MOST * MOST];
	const double *column[MOST];
	double *difference;
	int n = data->columns;
	double most = 0;
	int i;
	int j;

	if (data->records < 2)
		return false;
	difference = take_differences(host, data);
	for (i = 0; i < n; i++)
		column[i] = difference + (size_t) i * (size_t) data->records;
	sdc_covariance_matrix(host, (size_t) data->records, n, column, 1,
						  covariance);
	host->release(host, difference);
	for (i = 0; i < n; i++)
		most = fmax(most, covariance[i * n + i]);
	if (!sdc_square_invert(n, covariance, inverse, SINGULAR * most))
		return false;
	for (i = 0; i < n; i++)
		for (j = i; j < n; j++)
			*half++ = (inverse[i * n + j] + inverse[j * n + i]) / 2;
	return true;
}

/* The measure of sets whose Choquet integral is that OWA. */
static void
symmetric_measure(const SdcLearnedForm *form, const double *weight,
				  double *point)
{
	int set;
	int c;

	for (set = 1; set <= form->features; set++)
	{
		int place = 0;

		point[set - 1] = 0;
		for (c = 0; c < form->columns; c++)
			if (set >> c & 1)
				point[set - 1] += weight[place++];
	}
}

/* The measure of sets with that Moebius form, half a matrix. */
static void
additive_measure(const SdcLearnedForm *form, const double *half, double *point)
{
	int set;
	int i;
	int j;

	for (set = 1; set <= form->features; set++)
	{
		int at = 0;

		point[set - 1] = 0;
		for (i = 0; i < form->columns; i++)
			for (j = i; j < form->columns; j++, at++)
				if ((set >> i & 1) && (set >> j & 1))
					point[set - 1] += half[at];
	}
}

/*
 * The point of outer that is the same distance as a point of inner, a family
 * that lies in it.
 */
static void
learned_start_embed(const SdcLearnedForm *inner, const double *from,
					const SdcLearnedForm *outer, double *to)
{
	double half[SDC_LEARNED_MAX_FEATURES];

	switch (inner->method)
	{
		case SDC_LEARNED_WM:
			sdc_learned_form_weighted(outer, from, to);
			break;
		case SDC_LEARNED_OWA:
			symmetric_measure(outer, from, to);
			break;
		case SDC_LEARNED_CHOQUET2:
			sdc_learned_form_describe(inner, from, half);
			additive_measure(outer, half, to);
			break;
		default:
			memcpy(to, from, (size_t) inner->features * sizeof(double));
	}
}

/*
 * Adds to the pool the nearest targets of each record at a point, count of
 * them.  O(records targets features).
 */
static void
learned_start_nearest(SdcHost *host, const SdcLearnedForm *form,
					  const SdcLearnedData *data, const double *point,
					  int count, SdcLearnedPool *pool)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) data->targets);
	int32_t *order = sdc_new(host, int32_t, (size_t) data->targets);
	double feature[SDC_LEARNED_MAX_FEATURES];
	int32_t i;
	int32_t j;

	for (i = 0; i < data->records; i++)
	{
		int left = count;

		host->poll(host, (uint64_t) i, (uint64_t) data->records);
		for (j = 0; j < data->targets; j++)
		{
			sdc_learned_rows_features(form, data, i, j, feature);
			key[j] = sdc_sort_key(sdc_dot(feature, point, form->features));
			order[j] = j;
		}
		sdc_sort_keys(host, key, order, (size_t) data->targets);
		for (j = 0; j < data->targets && left > 0; j++)
			if (order[j] != data->own[i])
			{
				sdc_learned_rows_add(pool, i, order[j]);
				left--;
			}
	}
	host->release(host, key);
	host->release(host, order);
}

/* ----------------------------------------------------------------------
 * Good points found by walking along lines.
 *
 * Along a line every row holds for an interval of steps, and a record for the
 * intersection of those of its rows.  Sorting the ends of the intervals gives
 * the step with the most records in one pass.  Lines go where a weight is
 * moved, towards a corner, at random, or towards a row that fails.  When
 * nothing improves for long, the walk starts anew near the best point.
 * ----------------------------------------------------------------------
 */

#define STALLED    300 /* lines without improvement, then the walk restarts */
#define FLAT       1e-14
#define LONG_STEP  1e3
#define WORK       1.2e9 /* products that take a second or so */
#define MOST_LINES 4000
#define FEW_LINES  150

typedef struct Walk
{
	SdcHost *host;
	const SdcLearnedRows *rows;
	const SdcLearnedForm *form;
	SdcRandom *random;
	int features;
	double *column; /* the rows, column by column */
	double *at;     /* rows at the point */
	double *by;     /* rows along the direction */
	uint64_t *key;  /* ends of intervals */
	int32_t *sign;  /* 0 starts one, 1 ends it */
	double *from;
	double *to;
	double point[SDC_LEARNED_MAX_FEATURES];
	double direction[SDC_LEARNED_MAX_FEATURES];
} Walk;

/* Lines that take a second or so with these rows. */
static int
learned_sweep_steps(const SdcLearnedRows *rows)
{
	double each = 2.0 * ((double) rows->rows * rows->form->features +
						 64.0 * rows->rows + 4096);
	double lines = WORK / each;

	return lines > MOST_LINES  ? MOST_LINES
		   : lines < FEW_LINES ? FEW_LINES
							   : (int) lines;
}

static void
sweep_begin(Walk *walk, SdcHost *host, const SdcLearnedRows *rows,
			SdcRandom *random)
{
	size_t count = (size_t) rows->rows;
	size_t records = (size_t) rows->records;
	int32_t r;
	int c;

	walk->host = host;
	walk->rows = rows;
	walk->form = rows->form;
	walk->random = random;
	walk->features = rows->form->features;
	walk->column = sdc_new(host, double, count *(size_t) walk->features);
	walk->at = sdc_new(host, double, count);
	walk->by = sdc_new(host, double, count);
	walk->key = sdc_new(host, uint64_t, 2 * records);
	walk->sign = sdc_new(host, int32_t, 2 * records);
	walk->from = sdc_new(host, double, records);
	walk->to = sdc_new(host, double, records);
	for (r = 0; r < rows->rows; r++)
		for (c = 0; c < walk->features; c++)
			walk->column[(size_t) c * count + (size_t) r] =
				rows->value[(size_t) r * (size_t) walk->features + (size_t) c];
}

static void
end(Walk *walk)
{
	walk->host->release(walk->host, walk->column);
	walk->host->release(walk->host, walk->at);
	walk->host->release(walk->host, walk->by);
	walk->host->release(walk->host, walk->key);
	walk->host->release(walk->host, walk->sign);
	walk->host->release(walk->host, walk->from);
	walk->host->release(walk->host, walk->to);
}

/* out = rows . vector */
SDC_CLONES static void
multiply(const double *column, int32_t rows, int features,
		 const double *vector, double *out)
{
	int32_t r;
	int c;

	memset(out, 0, (size_t) rows * sizeof(double));
	for (c = 0; c < features; c++)
	{
		const double *entry = column + (size_t) c * (size_t) rows;
		double factor = vector[c];

		if (factor == 0)
			continue;
		for (r = 0; r < rows; r++)
			out[r] += factor * entry[r];
	}
}

/* Draws the ends in to where now + step slope >= 0. */
static void
draw_in(double now, double slope, double *from, double *to)
{
	if (now < 0)
		now = 0;
	if (slope > FLAT && -now / slope > *from)
		*from = -now / slope;
	else if (slope < -FLAT && -now / slope < *to)
		*to = -now / slope;
}

/* The steps along the direction that keep the point feasible. */
static bool
find_range(Walk *walk, double *from, double *to)
{
	const SdcLearnedForm *form = walk->form;
	double largest = 0;
	int c;
	int k;

	for (c = 0; c < walk->features; c++)
		if (fabs(walk->direction[c]) > largest)
			largest = fabs(walk->direction[c]);
	if (!(largest > 1e-15))
		return false;
	*to = LONG_STEP / largest;
	if (form->is_signed)
		*to = 100 / largest / walk->features;
	*from = -*to;
	if (!form->is_signed)
		for (c = 0; c < walk->features; c++)
			draw_in(walk->point[c], walk->direction[c], from, to);
	for (k = 0; k < form->fixed_rows; k++)
	{
		const double *row = form->fixed + (size_t) k * (size_t) form->features;
		double now = 0;
		double slope = 0;

		for (c = 0; c < walk->features; c++)
		{
			now += row[c] * walk->point[c];
			slope += row[c] * walk->direction[c];
		}
		draw_in(now, slope, from, to);
	}
	if (form->method == SDC_LEARNED_BILINEAR_PD &&
		!sdc_half_range(form->columns, walk->point, walk->direction, from, to))
		return false;
	return *to - *from > 1e-14;
}

/* The interval of steps in which a record holds; false when there is none. */
static bool
record_interval(const Walk *walk, int32_t k, double *from, double *to)
{
	const SdcLearnedRows *rows = walk->rows;
	int32_t r;

	for (r = rows->start[k]; r < rows->start[k + 1]; r++)
	{
		double need =
			(rows->margin != NULL ? rows->margin[r] : 0) - walk->at[r];
		double slope = walk->by[r];

		if (slope > FLAT)
		{
			if (need > *from * slope)
				*from = need / slope;
		}
		else if (slope < -FLAT)
		{
			if (need > *to * slope)
				*to = need / slope;
		}
		else if (need > 0)
			return false;
		if (*from > *to)
			return false;
	}
	return true;
}

/* Collects the intervals; records that hold throughout are only counted. */
static int32_t
collect_intervals(Walk *walk, double from, double to, int32_t *always)
{
	int32_t count = 0;
	int32_t k;

	*always = 0;
	for (k = 0; k < walk->rows->records; k++)
	{
		double low = from;
		double high = to;

		if (!record_interval(walk, k, &low, &high))
			continue;
		if (low <= from && high >= to)
		{
			(*always)++;
			continue;
		}
		walk->from[count] = low;
		walk->to[count++] = high;
	}
	return count;
}

/* The number of records at the best step, which is somewhere in the middle. */
static int32_t
best_step(Walk *walk, double from, double to, double *step)
{
	int32_t always;
	int32_t count = collect_intervals(walk, from, to, &always);
	int32_t now = 0;
	int32_t most = -1;
	int32_t equal = 0;
	double before = from;
	int32_t e;

	for (e = 0; e < count; e++)
	{
		walk->key[e] = sdc_sort_key(walk->from[e]);
		walk->key[count + e] = sdc_sort_key(walk->to[e]);
		walk->sign[e] = e;
		walk->sign[count + e] = -1 - e;
	}
	sdc_sort_keys(walk->host, walk->key, walk->sign, (size_t) count * 2);
	for (e = 0; e <= 2 * count; e++)
	{
		int32_t which = e < 2 * count ? walk->sign[e] : 0;
		double next = e == 2 * count ? to
					  : which >= 0   ? walk->from[which]
									 : walk->to[-1 - which];

		if (now > most)
			equal = 0;
		if (now > most || (now == most && next > before + 1e-13))
		{
			equal++;
			most = now;
			if (sdc_random_below(walk->random, (uint64_t) equal) == 0)
				*step = before +
						(next - before) *
							(equal == 1
								 ? 0.5
								 : 0.2 + 0.6 * sdc_random_unit(walk->random));
		}
		now += which >= 0 ? 1 : -1;
		before = next;
	}
	return most + always;
}

static void
move(Walk *walk, double step)
{
	int c;

	for (c = 0; c < walk->features; c++)
	{
		walk->point[c] += step * walk->direction[c];
		if (!walk->form->is_signed && walk->point[c] < 0)
			walk->point[c] = 0;
	}
	sdc_learned_form_scale(walk->form, walk->point);
}

/* One line; the number of good records along it at best, or -1. */
static int32_t
try_line(Walk *walk, int32_t now)
{
	double from;
	double to;
	double step = 0;
	int32_t found;

	if (!learned_aim_take(walk->rows, walk->random, walk->point,
						  walk->direction))
		return -1;
	if (!find_range(walk, &from, &to))
		return -1;
	multiply(walk->column, walk->rows->rows, walk->features, walk->point,
			 walk->at);
	multiply(walk->column, walk->rows->rows, walk->features, walk->direction,
			 walk->by);
	found = best_step(walk, from, to, &step);
	if (found >= now)
		move(walk, step);
	return found;
}

/* Moves some steps at random from the best point. */
static void
restart(Walk *walk, const double *best)
{
	int tries;
	int c;

	memcpy(walk->point, best, (size_t) walk->features * sizeof(double));
	for (tries = 0; tries < 4; tries++)
	{
		double from;
		double to;

		for (c = 0; c < walk->features; c++)
			walk->direction[c] = c != walk->form->unit
									 ? sdc_random_normal(walk->random) *
										   (0.02 + 0.5 * fabs(walk->point[c]))
									 : 0;
		learned_aim_keep_norm(walk->form, walk->point, walk->direction);
		if (!find_range(walk, &from, &to))
			continue;
		from = from < -1 ? -1 : from;
		to = to > 1 ? 1 : to;
		move(walk, from + (to - from) * sdc_random_unit(walk->random));
	}
}

int32_t
sdc_learned_sweep_run(SdcHost *host, const SdcLearnedRows *rows,
					  SdcRandom *random, SdcLearnedLimit *limit, int steps,
					  double *point)
{
	size_t bytes = (size_t) rows->form->features * sizeof(double);
	int32_t best = sdc_learned_count_rows(rows, point, NULL);
	int32_t now = best;
	int stalled = 0;
	Walk walk;
	int line;

	if (rows->rows == 0)
		return best;
	sweep_begin(&walk, host, rows, random);
	memcpy(walk.point, point, bytes);
	for (line = 0; line < steps && best < rows->records; line++)
	{
		int32_t found;

		host->poll(host, (uint64_t) line, (uint64_t) steps);
		if (sdc_learned_limit_reached(limit))
			break;
		limit->spent += 2.0 * rows->rows * rows->form->features;
		found = try_line(&walk, now);
		stalled = found > now ? 0 : stalled + 1;
		if (found > now)
			now = sdc_learned_count_rows(rows, walk.point, NULL);
		if (now > best)
		{
			best = now;
			memcpy(point, walk.point, bytes);
		}
		if (stalled >= STALLED)
		{
			restart(&walk, point);
			now = sdc_learned_count_rows(rows, walk.point, NULL);
			stalled = 0;
		}
	}
	end(&walk);
	return best;
}

/* ----------------------------------------------------------------------
 * What learned parameters say about attributes and pairs of them.
 *
 * Shapley values average what an attribute adds to the sets without it,
 * interaction indices what a pair adds beyond its two members.
 * ----------------------------------------------------------------------
 */

/* The measure of a set of attributes; 0 of none. */
static double
measure(const double *parameter, int set)
{
	return set == 0 ? 0 : parameter[set - 1];
}

static int
size_of(int set)
{
	int size = 0;

	for (; set != 0; set &= set - 1)
		size++;
	return size;
}

/* The share of sets of a size among orders of n: s! (n - s)! / (n + 1)!. */
static double
share_of(int s, int n)
{
	double share = 1.0 / (n + 1);
	int i;

	for (i = 1; i <= s; i++)
		share *= (double) i / (n - s + i);
	return share;
}

static void
explain_sets(const SdcLearnedForm *form, const double *parameter,
			 double *importance, double *interaction)
{
	int n = form->columns;
	int set;
	int j;
	int k;

	for (set = 0; set < 1 << n; set++)
		for (j = 0; j < n; j++)
		{
			double with = measure(parameter, set | 1 << j);

			if (set >> j & 1)
				continue;
			importance[j] += share_of(size_of(set), n - 1) *
							 (with - measure(parameter, set));
			for (k = j + 1; k < n; k++)
				if ((set >> k & 1) == 0)
					interaction[j * n + k] +=
						share_of(size_of(set), n - 2) *
						(measure(parameter, set | 1 << j | 1 << k) - with -
						 measure(parameter, set | 1 << k) +
						 measure(parameter, set));
		}
}

/* Of half a matrix; the Shapley value has half of each interaction. */
static void
explain_pairs(const SdcLearnedForm *form, const double *half,
			  double *importance, double *interaction)
{
	int n = form->columns;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j; k < n; k++, half++)
		{
			importance[j] += j == k ? *half : *half / 2;
			if (j == k)
				continue;
			importance[k] += *half / 2;
			interaction[j * n + k] = *half;
		}
}

static void
explain_matrix(const SdcLearnedForm *form, const double *half,
			   double *importance, double *interaction)
{
	int n = form->columns;
	double largest = 0;
	double sum = 0;
	int j;
	int k;

	for (j = 0; j < n; j++)
		for (k = j; k < n; k++, half++)
		{
			if (j != k)
				interaction[j * n + k] = *half;
			else
				importance[j] = *half;
		}
	for (j = 0; j < n; j++)
	{
		sum += fabs(importance[j]);
		largest = fmax(largest, fabs(importance[j]));
	}
	for (j = 0; j < n; j++)
		for (k = j + 1; k < n; k++)
		{
			double both = importance[j] * importance[k];
			bool positive = importance[j] > 0 && both > 0;

			if (largest > 0)
				interaction[j * n + k] /= positive ? sqrt(both) : largest;
		}
	for (j = 0; j < n; j++)
		if (sum > 0)
			importance[j] /= sum;
}

void
sdc_learned_explain(const SdcLearnedForm *form, const double *parameter,
					double *importance, double *interaction)
{
	size_t n = (size_t) form->columns;

	memset(importance, 0, n * sizeof(double));
	memset(interaction, 0, n * n * sizeof(double));
	switch (form->method)
	{
		case SDC_LEARNED_WM:
		case SDC_LEARNED_WM_M:
		case SDC_LEARNED_OWA:
			memcpy(importance, parameter, n * sizeof(double));
			break;
		case SDC_LEARNED_CHOQUET:
		case SDC_LEARNED_CHOQUET_M:
			explain_sets(form, parameter, importance, interaction);
			break;
		case SDC_LEARNED_CHOQUET2:
			explain_pairs(form, parameter, importance, interaction);
			break;
		default:
			explain_matrix(form, parameter, importance, interaction);
	}
}

/* ----------------------------------------------------------------------
 * The parameters of a distance that re-identify the most records.
 * ----------------------------------------------------------------------
 */

/* Features up to which branch and bound is fast. */
#define BRANCH_FEATURES 9

/* Nearest targets of each record that the pool starts with. */
#define POOL_NEAREST 15

/* Inner families, the plain mean, and Mahalanobis. */
#define MOST_STARTS 5

static bool
can_branch(const SdcLearnedForm *form)
{
	return form->monotone && form->fixed_rows == 0 &&
		   form->features <= BRANCH_FEATURES;
}

static SdcLearnedSearch
begin(SdcHost *host, SdcLearnedMethod method, const SdcLearnedData *data,
	  const double *margin, uint64_t seed, SdcLearnedLimit *limit)
{
	SdcLearnedSearch search;
	double weight[SDC_LEARNED_MAX_COLUMNS];
	int c;

	memset(&search, 0, sizeof(search));
	search.host = host;
	search.form = sdc_learned_form_create(host, method, data->columns);
	search.data = data;
	search.margin = margin;
	search.limit = limit;
	search.good = -1;
	search.point = sdc_new(host, double, (size_t) search.form->features);
	sdc_random_seed(&search.random, seed, (uint64_t) method);
	for (c = 0; c < data->columns; c++)
		weight[c] = 1.0 / data->columns;
	sdc_learned_form_weighted(search.form, weight, search.point);
	return search;
}

/* Complete rows of a monotone family. */
static void
load_rows(SdcLearnedSearch *search)
{
	search->host->stage(search->host, "comparing records");
	search->rows = sdc_learned_rows_build(search->host, search->form,
										  search->data, search->margin);
}

/* A pool of pairs that are near at the starts. */
static void
load_pool(SdcLearnedSearch *search, double (*start)[SDC_LEARNED_MAX_FEATURES],
		  int starts)
{
	int s;

	search->host->stage(search->host, "comparing records");
	search->pool = sdc_learned_rows_pool(search->host, search->data);
	search->nearest =
		sdc_new(search->host, int32_t, (size_t) search->data->records);
	for (s = 0; s < starts; s++)
		learned_start_nearest(search->host, search->form, search->data,
							  start[s], POOL_NEAREST, search->pool);
	search->grown = true;
	sdc_learned_cover_renew(search);
}

/* Does every record hold that can? */
static bool
is_settled(const SdcLearnedSearch *search)
{
	return search->good == search->rows->records;
}

/* Walks from a start, and on from the best. */
static void
walk_from(SdcLearnedSearch *search, const double *start)
{
	int steps = learned_sweep_steps(search->rows);

	search->host->stage(search->host, "walking");
	sdc_learned_cover_consider(search, start, steps / 4);
	sdc_learned_cover_renew(search);
	sdc_learned_cover_consider(search, search->point, steps / 2);
	sdc_learned_cover_renew(search);
}

static void
release(SdcLearnedSearch *search)
{
	sdc_learned_rows_release(search->host, search->rows);
	if (search->pool != NULL)
		search->host->release(search->host, search->pool->seen);
}

/* Settles a family of weighted means; the most records that can hold. */
static int32_t
branch(SdcLearnedSearch *search)
{
	search->host->stage(search->host, "proving");
	return sdc_learned_branch_run(search->host, search->rows, search->limit,
								  &search->good, search->point);
}

/*
 * Families that lie in a family; what they learn is where it starts.  Ends
 * with the family itself.
 */
static const SdcLearnedMethod inner[][4] = {
	[SDC_LEARNED_WM] = {SDC_LEARNED_WM},
	[SDC_LEARNED_WM_M] = {SDC_LEARNED_WM_M},
	[SDC_LEARNED_OWA] = {SDC_LEARNED_OWA},
	[SDC_LEARNED_CHOQUET] = {SDC_LEARNED_CHOQUET_M, SDC_LEARNED_CHOQUET2,
							 SDC_LEARNED_OWA, SDC_LEARNED_CHOQUET},
	[SDC_LEARNED_CHOQUET_M] = {SDC_LEARNED_WM, SDC_LEARNED_CHOQUET_M},
	[SDC_LEARNED_CHOQUET2] = {SDC_LEARNED_WM, SDC_LEARNED_CHOQUET2},
	[SDC_LEARNED_BILINEAR] = {SDC_LEARNED_BILINEAR_PD, SDC_LEARNED_BILINEAR_NC,
							  SDC_LEARNED_BILINEAR},
	[SDC_LEARNED_BILINEAR_NC] = {SDC_LEARNED_WM, SDC_LEARNED_BILINEAR_NC},
	[SDC_LEARNED_BILINEAR_PD] = {SDC_LEARNED_WM, SDC_LEARNED_BILINEAR_PD}};

static int32_t learn(SdcLearnedSearch *search, uint64_t seed);

/* Learns an inner family as it is learned by itself; its best point. */
static void
learn_inner(const SdcLearnedSearch *search, SdcLearnedMethod method,
			uint64_t seed, double *point)
{
	SdcLearnedLimit limit = {search->limit->most, 0};
	SdcLearnedSearch small;

	small = begin(search->host, method, search->data, search->margin, seed,
				  &limit);
	learn(&small, seed);
	learned_start_embed(small.form, small.point, search->form, point);
	release(&small);
}

/* Offers every start, and walks from each and from the best. */
static void
walk(SdcLearnedSearch *search, uint64_t seed)
{
	const SdcLearnedForm *form = search->form;
	const SdcLearnedMethod *method = inner[form->method];
	double start[MOST_STARTS][SDC_LEARNED_MAX_FEATURES];
	int starts = 0;
	int s;

	memcpy(start[starts++], search->point,
		   (size_t) form->features * sizeof(double));
	for (; *method != form->method; method++)
		learn_inner(search, *method, seed, start[starts++]);
	if (!form->monotone &&
		sdc_learned_start_mahalanobis(search->host, search->data,
									  start[starts]) &&
		sdc_learned_form_repair(form, start[starts]))
		starts++;
	if (form->monotone)
		load_rows(search);
	else
		load_pool(search, start, starts);
	for (s = 0; s < starts; s++)
		sdc_learned_cover_consider(search, start[s], 0);
	sdc_learned_cover_renew(search);
	for (s = 0; s < starts && !is_settled(search); s++)
		walk_from(search, start[s]);
}

/*
 * Moves the point to where the worst row of the records it holds is worth
 * most, unless the move loses one.
 */
static void
widen(SdcLearnedSearch *search)
{
	const SdcLearnedRows *rows = search->rows;
	const SdcLearnedForm *form = search->form;
	SdcLearnedGame *game;
	SdcLearnedSystem system;
	int32_t good = search->good;
	bool *held;

	if (rows->records == 0 || sdc_learned_limit_reached(search->limit) ||
		form->method == SDC_LEARNED_BILINEAR_PD)
		return;
	game = sdc_learned_game_create(search->host, form->coordinates);
	held = sdc_new(search->host, bool, (size_t) rows->records);
	sdc_learned_count_rows(rows, search->point, held);
	memset(&system, 0, sizeof(system));
	system.features = form->features;
	system.is_signed = form->is_signed;
	system.records = rows->records;
	system.start = rows->start;
	system.owner = rows->owner;
	system.value = rows->value;
	system.margin = rows->margin;
	system.fixed_rows = form->fixed_rows;
	system.fixed = form->fixed;
	if (sdc_learned_game_play(game, &system, held, true) !=
		SDC_LEARNED_FEASIBLE)
		return;
	/* one less, so that the same count at the new point wins */
	search->good = good - 1;
	sdc_learned_cover_consider(search, game->point, 0);
	if (search->good < good)
		search->good = good;
}

/* Learns; returns the most of search->rows->records that can be held. */
static int32_t
learn(SdcLearnedSearch *search, uint64_t seed)
{
	int32_t bound;

	walk(search, seed);
	bound = can_branch(search->form) ? branch(search)
									 : sdc_learned_cover_run(search);
	widen(search);
	return bound;
}

/* Describes the best point and counts anew. */
static void
finish(SdcLearnedSearch *search, int32_t bound, SdcLearnedResult *result)
{
	const SdcLearnedForm *form = search->form;

	result->form = search->form;
	result->point = search->point;
	result->parameter = sdc_new(search->host, double,
								(size_t) sdc_learned_form_parameters(form));
	sdc_learned_form_describe(form, search->point, result->parameter);
	result->reidentified = sdc_learned_count_pairs(
		search->host, form, search->data, search->margin, search->point, NULL);
	result->bound = bound;
	result->exact = result->reidentified == bound;
}

SdcLearnedResult
sdc_learned_distance_solve(SdcHost *host, SdcLearnedMethod method,
						   const SdcLearnedData *data, uint64_t seed,
						   SdcLearnedLimit *limit)
{
	SdcLearnedResult result;
	SdcLearnedSearch search;
	double *margin;
	int32_t bound = 0;

	memset(&result, 0, sizeof(result));
	host->stage(host, "comparing records");
	margin = sdc_learned_rows_margins(host, data);
	search = begin(host, method, data, margin, seed, limit);
	if (data->records > 0)
	{
		result.uniform = sdc_learned_count_pairs(host, search.form, data,
												 margin, search.point, NULL);
		bound = learn(&search, seed);
		bound += search.rows->safe;
	}
	finish(&search, bound, &result);
	return result;
}
