/*
 * learned_sweep.c
 *		Good points found by walking along lines.
 *
 * Along a line every row holds for an interval of steps, and a record for the
 * intersection of those of its rows.  Sorting the ends of the intervals gives
 * the step with the most records in one pass.  Lines go where a weight is
 * moved, towards a corner, at random, or towards a row that fails.  When
 * nothing improves for long, the walk starts anew near the best point.
 */
#include "kernel/attack/learned_sweep.h"

#include <math.h>
#include <string.h>

#include "kernel/attack/learned_aim.h"
#include "kernel/attack/learned_count.h"
#include "kernel/attack/learned_spectrum.h"
#include "kernel/base/sort.h"

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

int
sdc_learned_sweep_steps(const SdcLearnedRows *rows)
{
	double each = 2.0 * ((double) rows->rows * rows->form->features +
						 64.0 * rows->rows + 4096);
	double lines = WORK / each;

	return lines > MOST_LINES  ? MOST_LINES
		   : lines < FEW_LINES ? FEW_LINES
							   : (int) lines;
}

static void
begin(Walk *walk, SdcHost *host, const SdcLearnedRows *rows, SdcRandom *random)
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
		!sdc_learned_spectrum_range(form->columns, walk->point,
									walk->direction, from, to))
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

	if (!sdc_learned_aim_take(walk->rows, walk->random, walk->point,
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
		sdc_learned_aim_keep_norm(walk->form, walk->point, walk->direction);
		if (!find_range(walk, &from, &to))
			continue;
		from = from < -1 ? -1 : from;
		to = to > 1 ? 1 : to;
		move(walk, from + (to - from) * sdc_random_unit(walk->random));
	}
}

int32_t
sdc_learned_sweep_run(SdcHost *host, const SdcLearnedRows *rows,
					  SdcRandom *random, const SdcLearnedLimit *limit,
					  int steps, double *point)
{
	size_t bytes = (size_t) rows->form->features * sizeof(double);
	int32_t best = sdc_learned_count_rows(rows, point, NULL);
	int32_t now = best;
	int stalled = 0;
	Walk walk;
	int line;

	if (rows->rows == 0)
		return best;
	begin(&walk, host, rows, random);
	memcpy(walk.point, point, bytes);
	for (line = 0; line < steps && best < rows->records; line++)
	{
		int32_t found;

		host->poll(host, (uint64_t) line, (uint64_t) steps);
		if (sdc_learned_limit_reached(limit))
			break;
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
