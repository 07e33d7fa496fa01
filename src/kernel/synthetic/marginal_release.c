/*
 * marginal_release.c
 *		A synthetic table under differential privacy, from noisy marginals.
 *
 * The budget is cut into shares before anything is read, each use of the data
 * takes one, and what it bought is noted as a step with the exact scale of its
 * noise, so that the sum can be computed again by who does not trust this
 * file.  Scores of choices are sums of whole numbers, so their sensitivity is
 * exact too.
 *
 * libm: what noise is made for is rounded so that it costs no more than its
 * share; everything else of libm is computed from noisy figures.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "kernel/synthetic/marginal_model.h"
#include "kernel/synthetic/marginal_release.h"

const char *const sdc_marginal_methods[] = {"mst", "aim", "independent", NULL};

/* Iterations of a fit and the gain that ends it: of the last, between two. */
#define LAST_ITERATIONS 500
#define LAST_GAIN       1e-4
#define STEP_ITERATIONS 100
#define STEP_GAIN       1e-3
#define TREE_ITERATIONS 3000
#define TREE_GAIN       1e-6

/* Noisy counts below so many deviations are joined. */
#define JOIN 3

/* Rounds of aim for each column, and the share of one for measuring. */
#define ROUNDS  16
#define MEASURE 0.9

/* Columns of a marginal of aim. */
#define WAY 3

/* Sums of shares, as doubles, stay below the budget. */
#define ROUNDING (1 - 1e-9)

/* Bits after the point of a score at the most; the largest sensitivity. */
#define SCORE_BITS       20
#define SENSITIVITY_MOST ((double) (INT64_C(1) << 40))

/* A marginal that may be chosen. */
typedef struct Candidate
{
	SdcColumnSet columns;
	int64_t cells;
	int64_t weight; /* how much of the workload it serves */
	int32_t *count; /* exact */
} Candidate;

typedef struct Release
{
	SdcHost *host;
	const SdcMarginalTask *task;
	SdcMarginalRelease *result;
	int room; /* for steps */
	SdcMeasurements measured;
	/* the columns as they are measured: values joined by mst */
	const int32_t *size;
	uint16_t *const *code;
	int32_t *cell; /* of each record, while a marginal is counted */
} Release;

/* ----------------------------------------------------------------------
 * What a share of the budget buys.
 * ----------------------------------------------------------------------
 */

/* How much all cells of a marginal together change with a unit. */
static uint64_t
change(const SdcMarginalTask *task)
{
	return (uint64_t) task->unit_rows *
		   (task->neighbours == SDC_NEIGHBOURS_REPLACE ? 2 : 1);
}

/*
 * The noise of a measurement.  With replace a unit takes r from one cell and
 * adds r to another, at worst: 2 r in sum, 2 r^2 in squares, so that Gaussian
 * noise for r has to be made for half of rho.
 */
static bool
noise_for(const SdcMarginalTask *task, double share, SdcMarginalStep *step,
		  SdcDiscreteLaplace *laplace, SdcDiscreteGaussian *gaussian)
{
	double half = task->neighbours == SDC_NEIGHBOURS_REPLACE ? 2 : 1;

	if (task->pure)
	{
		share = fmin(share, SDC_EPSILON_MOST);
		if (!(share >= SDC_EPSILON_LEAST) ||
			!sdc_discrete_laplace_scale(change(task), 1, share, laplace))
			return false;
		step->numerator = laplace->numerator;
		step->shift = laplace->shift;
		step->deviation =
			sqrt(2) * ldexp((double) step->numerator, -(int) step->shift);
		return true;
	}
	share = fmin(share / half, SDC_RHO_MOST);
	if (!(share >= SDC_RHO_LEAST) ||
		!sdc_discrete_gaussian_variance(task->unit_rows, share, gaussian))
		return false;
	step->numerator = gaussian->numerator;
	step->shift = gaussian->shift;
	step->deviation =
		sqrt(ldexp((double) step->numerator, -(int) step->shift));
	return true;
}

/* The mean size of the noise of a cell. */
static double
mean_noise(const SdcMarginalTask *task, double deviation)
{
	return deviation * (task->pure ? sqrt(0.5) : sqrt(2 / 3.14159265358979));
}

/*
 * The epsilon of a choice: it costs epsilon^2 / 8 of rho (Cesar and Rogers
 * 2021).
 */
static double
choice_epsilon(const SdcMarginalTask *task, double share)
{
	return fmin(task->pure ? share : sqrt(8 * share) * (1 - 1e-15),
				SDC_EPSILON_MOST);
}

/* The least share of a method, for measuring and for choosing. */
static void
least_shares(const SdcMarginalTask *task, double *measure, double *choice)
{
	double budget = task->budget * ROUNDING;
	double columns = task->columns;

	*choice = budget / 3 / fmax(1, columns - 1);
	*measure = budget / 3 / columns;
	if (task->method == SDC_MARGINAL_INDEPENDENT || task->columns == 1)
		*measure = *choice = budget / columns;
	else if (task->method == SDC_MARGINAL_AIM)
	{
		*measure = MEASURE * budget / (ROUNDS * columns);
		*choice = (1 - MEASURE) * budget / (ROUNDS * columns);
	}
}

bool
sdc_marginal_affordable(const SdcMarginalTask *task)
{
	SdcMarginalStep step;
	SdcDiscreteLaplace laplace;
	SdcDiscreteGaussian gaussian;
	double measure;
	double choice;
	double epsilon;

	least_shares(task, &measure, &choice);
	epsilon = choice_epsilon(task, choice);
	return noise_for(task, measure, &step, &laplace, &gaussian) &&
		   epsilon >= SDC_EPSILON_LEAST;
}

static SdcMarginalStep *
add_step(Release *release)
{
	SdcMarginalRelease *result = release->result;
	SdcMarginalStep *step;

	if (result->steps == release->room)
	{
		int room = release->room == 0 ? 64 : 2 * release->room;

		step = sdc_new(release->host, SdcMarginalStep, room);
		if (result->steps > 0)
			memcpy(step, result->step,
				   sizeof(SdcMarginalStep) * result->steps);
		release->host->release(release->host, result->step);
		result->step = step;
		release->room = room;
	}
	step = &result->step[result->steps++];
	memset(step, 0, sizeof(*step));
	return step;
}

/* ----------------------------------------------------------------------
 * The two uses of the records: a noisy marginal, a choice by exact ones.
 * ----------------------------------------------------------------------
 */

/* The exact marginal: every record is handled alike, counted or not. */
static int32_t *
count_cells(Release *release, SdcColumnSet columns, int64_t cells)
{
	const SdcMarginalTask *task = release->task;
	SdcHost *host = release->host;
	int32_t *count = sdc_new(host, int32_t, cells);
	int32_t *cell = release->cell;
	SdcColumnSet rest;
	int32_t i;

	memset(count, 0, sizeof(int32_t) * cells);
	memset(cell, 0, sizeof(int32_t) * task->rows);
	for (rest = columns; rest != 0; rest &= rest - 1)
	{
		int v = sdc_column_first(rest);
		int32_t size = release->size[v];
		const uint16_t *code = release->code[v];

		host->poll(host, 0, 0);
		for (i = 0; i < task->rows; i++)
			cell[i] = cell[i] * size + code[i];
	}
	for (i = 0; i < task->rows; i++)
		count[cell[i]] += task->counted[i];
	return count;
}

/* Measures a marginal for a share of the budget; its step. */
static const SdcMarginalStep *
measure(Release *release, SdcColumnSet columns, double share,
		const int32_t *exact)
{
	const SdcMarginalTask *task = release->task;
	SdcHost *host = release->host;
	SdcMarginalStep *step = add_step(release);
	SdcDiscreteLaplace laplace;
	SdcDiscreteGaussian gaussian;
	int32_t *count = NULL;
	double *noisy;
	int64_t c;

	step->columns = columns;
	step->cells = sdc_marginal_cells(release->size, columns);
	(void) noise_for(task, share, step, &laplace, &gaussian);
	if (exact == NULL)
		exact = count = count_cells(release, columns, step->cells);
	noisy = sdc_new(host, double, step->cells);
	for (c = 0; c < step->cells; c++)
	{
		SdcInt128 noise =
			task->pure ? sdc_discrete_laplace_draw(task->bits, &laplace)
					   : sdc_discrete_gaussian_draw(task->bits, &gaussian);

		if (c % 1024 == 0)
			host->poll(host, (uint64_t) c, (uint64_t) step->cells);
		noisy[c] = (double) (noise + exact[c]);
	}
	sdc_measurements_add(host, &release->measured, release->size, columns,
						 noisy, 1 / (step->deviation * step->deviation), NULL);
	host->release(host, count);
	host->release(host, noisy);
	return step;
}

/*
 * The bits after the point that a score can have, for weights of up to a
 * number; -1: even without any the sensitivity is too large.
 */
static int
score_bits(const SdcMarginalTask *task, int64_t weight)
{
	int bits = SCORE_BITS;

	while (bits >= 0 && ldexp((double) change(task) * (double) weight, bits) >
							SENSITIVITY_MOST)
		bits--;
	return bits;
}

/*
 * How far the exact marginal is from the model's, as a whole number: the sum
 * of differences of whole numbers, so that a unit changes it by weight times
 * change(task) units of 2^-bits at most; less what noise alone would add.
 */
static int64_t
score(const Candidate *candidate, const double *share, double total,
	  double noise, int bits)
{
	SdcInt128 sum = 0;
	int64_t c;

	for (c = 0; c < candidate->cells; c++)
	{
		int64_t there = (int64_t) candidate->count[c] << bits;
		int64_t model = (int64_t) rint(ldexp(total * share[c], bits));

		sum += there > model ? there - model : model - there;
	}
	sum -= (SdcInt128) rint(
		ldexp(fmin(noise * (double) candidate->cells, 0x1p60), bits));
	sum *= candidate->weight;
	if (sum > SDC_SELECTION_SCORE)
		return SDC_SELECTION_SCORE;
	return sum < -SDC_SELECTION_SCORE ? -SDC_SELECTION_SCORE : (int64_t) sum;
}

/* The exponential mechanism; the number of the candidate. */
static int
choose(Release *release, const int64_t *scores, int count, double share,
	   int64_t weight)
{
	const SdcMarginalTask *task = release->task;
	SdcMarginalStep *step = add_step(release);
	SdcSelectionRate rate;

	step->choice = true;
	step->candidates = count;
	step->epsilon = choice_epsilon(task, share);
	sdc_selection_rate((change(task) * (uint64_t) weight)
						   << score_bits(task, weight),
					   false, step->epsilon, &rate);
	return (int) sdc_selection_exponential(release->host, task->bits, &rate,
										   scores, (size_t) count);
}

/* ----------------------------------------------------------------------
 * Models of what was measured.
 * ----------------------------------------------------------------------
 */

static SdcMarginalModel *
fit(Release *release, const SdcMarginalModel *old, int iterations, double gain)
{
	SdcHost *host = release->host;
	const SdcMeasurements *measured = &release->measured;
	SdcColumnSet *set = sdc_new(host, SdcColumnSet, measured->count);
	SdcMarginalModel *model;
	int i;

	for (i = 0; i < measured->count; i++)
		set[i] = measured->item[i].columns;
	model = sdc_marginal_model(host, release->size, release->task->columns,
							   set, measured->count, old);
	(void) sdc_marginal_fit(host, model, measured, iterations, gain);
	host->release(host, set);
	return model;
}

static uint16_t **
new_codes(SdcHost *host, int columns, int32_t rows)
{
	uint16_t **code = sdc_new(host, uint16_t *, columns);
	int v;

	for (v = 0; v < columns; v++)
		code[v] = sdc_new(host, uint16_t, (size_t) rows + 1);
	return code;
}

/* Draws the records of the result. */
static void
draw(Release *release, const SdcMarginalModel *model)
{
	const SdcMarginalTask *task = release->task;
	SdcMarginalRelease *result = release->result;
	double total = sdc_measurements_total(&release->measured);

	result->total = total;
	result->drawn = task->drawn > 0
						? task->drawn
						: (int32_t) fmax(0, fmin(rint(total), 0x7ffffffe));
	result->code = new_codes(release->host, task->columns, result->drawn);
	release->host->stage(release->host, "drawing");
	sdc_marginal_sample(release->host, task->bits, model, result->drawn,
						result->code);
}

/* Single columns, each for a share. */
static void
measure_columns(Release *release, double share)
{
	int v;

	for (v = 0; v < release->task->columns; v++)
		(void) measure(release, SDC_COLUMN_BIT(v), share, NULL);
}

static void
run_independent(Release *release)
{
	SdcMarginalModel *model;

	measure_columns(release,
					release->task->budget * ROUNDING / release->task->columns);
	model = fit(release, NULL, TREE_ITERATIONS, TREE_GAIN);
	draw(release, model);
}

/* ----------------------------------------------------------------------
 * mst: joined values, a spanning tree of pairs.
 * ----------------------------------------------------------------------
 */

/* A column whose rare values are one, the last. */
typedef struct Joined
{
	int32_t size;
	int32_t *to;    /* of each value, that of the joined column */
	int32_t *value; /* of each own value; then those that were joined */
	int32_t joined; /* how many: 0, or 2 and more */
	double *below;  /* shares of the joined ones, cumulated */
} Joined;

/*
 * Joins the values whose noisy counts are below JOIN deviations, so that pairs
 * are not measured where there is nothing.  The sum of k noisy cells has k
 * times the variance.  Post-processing.
 */
static void
join_values(Release *release, const SdcMeasurement *item, Joined *joined,
			double *count, double *weight)
{
	SdcHost *host = release->host;
	int32_t values = (int32_t) item->cells;
	double rest = 0;
	double variance = 0;
	int32_t own = 0;
	int32_t at;
	int32_t i;

	joined->to = sdc_new(host, int32_t, values);
	joined->value = sdc_new(host, int32_t, values);
	for (i = 0; i < values; i++)
		if (item->count[i] >= JOIN / sqrt(item->weight[i]))
		{
			count[own] = item->count[i];
			weight[own] = item->weight[i];
			joined->value[own] = i;
			joined->to[i] = own++;
		}
		else
			joined->to[i] = -1;
	for (i = 0, at = own; i < values; i++)
		if (joined->to[i] < 0)
		{
			joined->to[i] = own;
			joined->value[at++] = i;
			rest += item->count[i];
			variance += 1 / item->weight[i];
		}
	joined->joined = values - own;
	joined->size = own + (joined->joined > 0);
	count[own] = rest;
	weight[own] = 1 / variance;
}

/* The shares of the joined values, by what is positive of their counts. */
static void
share_joined(Release *release, const SdcMeasurement *item, Joined *joined)
{
	int32_t own = joined->size - 1;
	double sum = 0;
	int32_t i;

	joined->below = sdc_new(release->host, double, joined->joined + 1);
	for (i = 0; i < joined->joined; i++)
	{
		sum += fmax(0, item->count[joined->value[own + i]]);
		joined->below[i] = sum;
	}
	for (i = 0; i < joined->joined; i++)
		joined->below[i] = sum > 0 ? joined->below[i] / sum
								   : (i + 1.0) / (double) joined->joined;
}

/* All columns joined: the release goes on with them. */
static Joined *
join_columns(Release *release)
{
	SdcHost *host = release->host;
	int columns = release->task->columns;
	SdcMeasurements small = {0};
	Joined *joined = sdc_new(host, Joined, columns);
	int32_t *size = sdc_new(host, int32_t, columns);
	uint16_t **code = new_codes(host, columns, release->task->rows);
	int32_t i;
	int v;

	for (v = 0; v < columns; v++)
	{
		const SdcMeasurement *item = &release->measured.item[v];
		double *count = sdc_new(host, double, item->cells + 1);
		double *weight = sdc_new(host, double, item->cells + 1);

		join_values(release, item, &joined[v], count, weight);
		if (joined[v].joined > 0)
			share_joined(release, item, &joined[v]);
		size[v] = joined[v].size;
		for (i = 0; i < release->task->rows; i++)
			code[v][i] = (uint16_t) joined[v].to[release->code[v][i]];
		sdc_measurements_add(host, &small, size, SDC_COLUMN_BIT(v), count, 0,
							 weight);
		host->release(host, count);
		host->release(host, weight);
	}
	sdc_measurements_release(host, &release->measured);
	release->measured = small;
	release->size = size;
	release->code = code;
	return joined;
}

/* Gives records that drew a joined value one of those. */
static void
part_values(Release *release, const Joined *all)
{
	SdcMarginalRelease *result = release->result;
	int64_t moved = 0;
	int32_t i;
	int v;

	for (v = 0; v < release->task->columns; v++)
	{
		const Joined *joined = &all[v];
		int32_t own = joined->size - (joined->joined > 0);

		for (i = 0; i < result->drawn; i++)
		{
			int32_t value = result->code[v][i];
			int32_t pick = 0;

			if (value == own)
			{
				double u =
					(double) (sdc_strong_bits_draw(release->task->bits) >>
							  11) *
					0x1p-53;

				while (pick < joined->joined - 1 && u >= joined->below[pick])
					pick++;
				moved += joined->joined > 1;
			}
			result->code[v][i] = (uint16_t) joined->value[value + pick];
		}
	}
	if (result->drawn > 0)
		result->moved =
			(double) moved / result->drawn / release->task->columns;
}

/* All pairs whose marginal is not too large. */
static Candidate *
list_pairs(Release *release, int *count)
{
	int columns = release->task->columns;
	int64_t most = release->task->most_cells / columns;
	Candidate *pair =
		sdc_new(release->host, Candidate, (size_t) columns * columns);
	int a;
	int b;

	*count = 0;
	for (a = 0; a < columns; a++)
		for (b = a + 1; b < columns; b++)
		{
			Candidate *next = &pair[*count];

			memset(next, 0, sizeof(*next));
			next->columns = SDC_COLUMN_BIT(a) | SDC_COLUMN_BIT(b);
			next->cells = sdc_marginal_cells(release->size, next->columns);
			next->weight = 1;
			*count += next->cells <= most;
		}
	return pair;
}

/* What pairs add to single columns: the score of each. */
static int64_t *
score_pairs(Release *release, Candidate *pair, int pairs)
{
	SdcHost *host = release->host;
	int64_t *scores = sdc_new(host, int64_t, (size_t) pairs + 1);
	SdcMarginalModel *model = fit(release, NULL, TREE_ITERATIONS, TREE_GAIN);
	int bits = score_bits(release->task, 1);
	int i;

	for (i = 0; i < pairs; i++)
	{
		SdcMarginal marginal =
			sdc_marginal_query(host, model, pair[i].columns);

		pair[i].count = count_cells(release, pair[i].columns, pair[i].cells);
		scores[i] = score(&pair[i], marginal.value, model->total, 0, bits);
		host->release(host, pair[i].count);
		host->release(host, marginal.value);
	}
	sdc_marginal_model_release(host, model);
	return scores;
}

/* The pairs that join two parts of a forest, with their scores; how many. */
static int
open_pairs(const Candidate *pair, int pairs, const int *part,
		   const int64_t *scores, int *which, int64_t *some)
{
	int open = 0;
	int i;

	for (i = 0; i < pairs; i++)
	{
		int a = sdc_column_first(pair[i].columns);
		int b = sdc_column_first(pair[i].columns & (pair[i].columns - 1));

		if (part[a] == part[b])
			continue;
		which[open] = i;
		some[open++] = scores[i];
	}
	return open;
}

/* Chooses a spanning tree, pair after pair; how many there are. */
static int
choose_tree(Release *release, const Candidate *pair, int pairs,
			const int64_t *scores, double share, SdcColumnSet *tree)
{
	SdcHost *host = release->host;
	int64_t *some = sdc_new(host, int64_t, (size_t) pairs + 1);
	int *which = sdc_new(host, int, (size_t) pairs + 1);
	int part[SDC_MARGINAL_COLUMNS];
	int edges = 0;
	int open;
	int v;

	for (v = 0; v < release->task->columns; v++)
		part[v] = v;
	while ((open = open_pairs(pair, pairs, part, scores, which, some)) > 0)
	{
		const Candidate *chosen =
			&pair[which[choose(release, some, open, share, 1)]];
		int from = part[sdc_column_first(chosen->columns)];
		int to =
			part[sdc_column_first(chosen->columns & (chosen->columns - 1))];

		release->result->step[release->result->steps - 1].columns =
			chosen->columns;
		tree[edges++] = chosen->columns;
		for (v = 0; v < release->task->columns; v++)
			if (part[v] == from)
				part[v] = to;
	}
	host->release(host, some);
	host->release(host, which);
	return edges;
}

/* A third of the budget each: single columns, choices, pairs. */
static void
run_mst(Release *release)
{
	SdcHost *host = release->host;
	int columns = release->task->columns;
	double third = release->task->budget * ROUNDING / 3;
	SdcColumnSet tree[SDC_MARGINAL_COLUMNS];
	SdcMarginalModel *model;
	Candidate *pair;
	Joined *joined;
	int64_t *scores;
	int pairs;
	int edges;
	int i;

	measure_columns(release, third / columns);
	joined = join_columns(release);
	pair = list_pairs(release, &pairs);
	host->stage(host, "choosing pairs");
	scores = score_pairs(release, pair, pairs);
	edges =
		choose_tree(release, pair, pairs, scores, third / (columns - 1), tree);
	for (i = 0; i < edges; i++)
		(void) measure(release, tree[i], third / edges, NULL);
	host->stage(host, "fitting");
	model = fit(release, NULL, TREE_ITERATIONS, TREE_GAIN);
	draw(release, model);
	part_values(release, joined);
}

/* ----------------------------------------------------------------------
 * aim: round after round what the model gets most wrong.
 * ----------------------------------------------------------------------
 */

typedef struct Rounds
{
	Release *release;
	Candidate *candidate;
	int candidates;
	int64_t top; /* the largest weight */
	SdcMarginalModel *model;
	double used; /* of the budget */
	double measure_share;
	double choice_share;
	int64_t *scores;
	int *which;
} Rounds;

/*
 * Of all marginals of way columns, how many columns they share with a set in
 * all: each column of the set is in (d - 1 over way - 1) of them.
 */
static int64_t
workload_weight(int columns, int way, SdcColumnSet set)
{
	int64_t each = way < 2 ? 1 : columns - 1;

	if (way == 3)
		each = each * (columns - 2) / 2;
	return each * __builtin_popcountll(set);
}

static void
add_candidate(const SdcMarginalTask *task, SdcColumnSet set,
			  Candidate *candidate, int *count)
{
	int64_t cells = sdc_marginal_cells(task->size, set);
	int way = task->columns < WAY ? task->columns : WAY;

	if (cells > task->most_cells)
		return;
	if (candidate != NULL)
	{
		Candidate *next = &candidate[*count];

		memset(next, 0, sizeof(*next));
		next->columns = set;
		next->cells = cells;
		next->weight = workload_weight(task->columns, way, set);
	}
	++*count;
}

/* All marginals of one to three columns that fit; NULL only counts them. */
static int
list_candidates(const SdcMarginalTask *task, Candidate *candidate)
{
	int count = 0;
	int a;
	int b;
	int c;

	for (a = 0; a < task->columns; a++)
		for (b = a; b < task->columns; b++)
			for (c = b; c < task->columns; c++)
				if (a == b || b < c)
					add_candidate(task,
								  SDC_COLUMN_BIT(a) | SDC_COLUMN_BIT(b) |
									  SDC_COLUMN_BIT(c),
								  candidate, &count);
	return count;
}

static void
start_rounds(Rounds *rounds, Release *release)
{
	const SdcMarginalTask *task = release->task;
	SdcHost *host = release->host;
	double budget = task->budget * ROUNDING;
	int i;

	memset(rounds, 0, sizeof(*rounds));
	rounds->release = release;
	rounds->candidates = list_candidates(task, NULL);
	rounds->candidate = sdc_new(host, Candidate, rounds->candidates);
	(void) list_candidates(task, rounds->candidate);
	rounds->scores = sdc_new(host, int64_t, rounds->candidates);
	rounds->which = sdc_new(host, int, rounds->candidates);
	host->stage(host, "counting");
	for (i = 0; i < rounds->candidates; i++)
	{
		Candidate *candidate = &rounds->candidate[i];

		candidate->count =
			count_cells(release, candidate->columns, candidate->cells);
		if (candidate->weight > rounds->top)
			rounds->top = candidate->weight;
	}
	rounds->measure_share = MEASURE * budget / (ROUNDS * task->columns);
	rounds->choice_share = (1 - MEASURE) * budget / (ROUNDS * task->columns);
	measure_columns(release, rounds->measure_share);
	rounds->used = task->columns * rounds->measure_share;
	rounds->model = fit(release, NULL, TREE_ITERATIONS, TREE_GAIN);
}

/* Would the cliques of the model with one more marginal have few cells? */
static bool
fits(const Rounds *rounds, const Candidate *candidate, double most)
{
	const SdcMeasurements *measured = &rounds->release->measured;
	const SdcMarginalTask *task = rounds->release->task;
	SdcHost *host = rounds->release->host;
	SdcColumnSet *set = sdc_new(host, SdcColumnSet, measured->count + 1);
	SdcColumnSet clique[SDC_MARGINAL_COLUMNS];
	double cells = 0;
	int cliques;
	int i;

	for (i = 0; i < rounds->model->cliques; i++)
		if ((candidate->columns & ~rounds->model->clique[i].given.columns) ==
			0)
			break;
	if (i == rounds->model->cliques)
	{
		for (i = 0; i < measured->count; i++)
			set[i] = measured->item[i].columns;
		set[measured->count] = candidate->columns;
		cliques = sdc_marginal_cliques(task->size, task->columns, set,
									   measured->count + 1, clique);
		for (i = 0; i < cliques; i++)
			cells += (double) sdc_marginal_cells(task->size, clique[i]);
	}
	host->release(host, set);
	return cells <= most;
}

/* The marginal that the model gets most wrong, by chance. */
static const Candidate *
choose_candidate(Rounds *rounds, double deviation)
{
	Release *release = rounds->release;
	const SdcMarginalTask *task = release->task;
	double most =
		(double) task->most_cells * rounds->used / (task->budget * ROUNDING);
	int bits = score_bits(task, rounds->top);
	const Candidate *chosen;
	int count = 0;
	int i;

	for (i = 0; i < rounds->candidates; i++)
	{
		const Candidate *candidate = &rounds->candidate[i];
		SdcMarginal marginal;

		if (!fits(rounds, candidate, most))
			continue;
		marginal = sdc_marginal_query(release->host, rounds->model,
									  candidate->columns);
		rounds->which[count] = i;
		rounds->scores[count++] =
			score(candidate, marginal.value, rounds->model->total,
				  mean_noise(task, deviation), bits);
		release->host->release(release->host, marginal.value);
	}
	chosen = &rounds->candidate[rounds->which[choose(
		release, rounds->scores, count, rounds->choice_share, rounds->top)]];
	release->result->step[release->result->steps - 1].columns =
		chosen->columns;
	return chosen;
}

/* Fits again; has the model moved by more than noise would move it? */
static bool
refit(Rounds *rounds, const Candidate *chosen, double deviation, bool last)
{
	Release *release = rounds->release;
	SdcHost *host = release->host;
	SdcMarginalModel *old = rounds->model;
	SdcMarginal before = sdc_marginal_query(host, old, chosen->columns);
	SdcMarginal after;
	double moved = 0;
	int64_t c;

	rounds->model = fit(release, old, last ? LAST_ITERATIONS : STEP_ITERATIONS,
						last ? LAST_GAIN : STEP_GAIN);
	after = sdc_marginal_query(host, rounds->model, chosen->columns);
	for (c = 0; c < chosen->cells; c++)
		moved += fabs(rounds->model->total * after.value[c] -
					  old->total * before.value[c]);
	sdc_marginal_model_release(host, old);
	host->release(host, before.value);
	host->release(host, after.value);
	return moved >
		   mean_noise(release->task, deviation) * (double) chosen->cells;
}

/* Half the noise: four times the share of rho, twice that of epsilon. */
static void
anneal(Rounds *rounds)
{
	double more = rounds->release->task->pure ? 2 : 4;

	rounds->measure_share *= more;
	rounds->choice_share *= more;
}

static void
run_aim(Release *release)
{
	const SdcMarginalTask *task = release->task;
	double budget = task->budget * ROUNDING;
	Rounds rounds;
	bool last = false;

	start_rounds(&rounds, release);
	release->host->stage(release->host, "rounds");
	while (!last)
	{
		SdcMarginalStep plan = {0};
		SdcDiscreteLaplace laplace;
		SdcDiscreteGaussian gaussian;
		const Candidate *chosen;
		double left = budget - rounds.used;

		if (left < 2 * (rounds.measure_share + rounds.choice_share))
		{
			rounds.measure_share = MEASURE * left;
			rounds.choice_share = (1 - MEASURE) * left;
			last = true;
		}
		rounds.used += rounds.measure_share + rounds.choice_share;
		(void) noise_for(task, rounds.measure_share, &plan, &laplace,
						 &gaussian);
		chosen = choose_candidate(&rounds, plan.deviation);
		(void) measure(release, chosen->columns, rounds.measure_share,
					   chosen->count);
		if (!refit(&rounds, chosen, plan.deviation, last))
			anneal(&rounds);
	}
	draw(release, rounds.model);
}

/* ----------------------------------------------------------------------
 * The release.
 * ----------------------------------------------------------------------
 */

/* Bytes of a cell of a model while it is fitted and replaced. */
#define MODEL_BYTES 160

int64_t
sdc_marginal_memory(const SdcMarginalTask *task)
{
	double cells = 0;
	double bytes = (double) task->rows * (4 + 2.0 * task->columns);
	int a;
	int b;
	int c;
	int v;

	for (v = 0; v < task->columns; v++)
		bytes += 2.0 * MODEL_BYTES * task->size[v];
	bytes += (double) MODEL_BYTES * (double) task->most_cells;
	for (a = 0; task->method == SDC_MARGINAL_AIM && a < task->columns; a++)
		for (b = a; b < task->columns; b++)
			for (c = b; c < task->columns; c++)
				if (a == b || b < c)
				{
					int64_t more = sdc_marginal_cells(
						task->size, SDC_COLUMN_BIT(a) | SDC_COLUMN_BIT(b) |
										SDC_COLUMN_BIT(c));

					cells += more > task->most_cells ? 0 : (double) more;
				}
	return (int64_t) fmin(bytes + 4 * cells, 0x1p60);
}

SdcMarginalRelease *
sdc_marginal_release(SdcHost *host, const SdcMarginalTask *task)
{
	Release release = {.host = host, .task = task};

	release.result = sdc_new(host, SdcMarginalRelease, 1);
	memset(release.result, 0, sizeof(*release.result));
	release.size = task->size;
	release.code = task->code;
	release.cell = sdc_new(host, int32_t, (size_t) task->rows + 1);
	host->stage(host, "measuring");
	if (task->method == SDC_MARGINAL_INDEPENDENT || task->columns == 1)
		run_independent(&release);
	else if (task->method == SDC_MARGINAL_AIM)
		run_aim(&release);
	else
		run_mst(&release);
	return release.result;
}
