/*
 * learned_distance.c
 *		The parameters of a distance that re-identify the most records.
 *
 * Families lie in each other, so what a smaller one has learned in its part
 * of the time is where a larger one starts, and it ends no lower.  At the end
 * the point is moved to where the records it holds have the widest margin,
 * which makes the parameters easier to read.
 */
#include "kernel/attack/learned_distance.h"

#include <string.h>

#include "kernel/attack/learned_branch.h"
#include "kernel/attack/learned_count.h"
#include "kernel/attack/learned_cover.h"
#include "kernel/attack/learned_game.h"
#include "kernel/attack/learned_start.h"

/* Features up to which branch and bound is fast. */
#define BRANCH_FEATURES 9

/* Nearest targets of each record that the pool starts with. */
#define POOL_NEAREST 15

/* The part of the time limit that each inner family may take. */
#define INNER_SHARE 4

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
	  const double *margin, uint64_t seed, const SdcLearnedLimit *limit)
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
		sdc_learned_start_nearest(search->host, search->form, search->data,
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
	int steps = sdc_learned_sweep_steps(search->rows);

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
 * Families that lie in a family, the last one first; what they learn in part
 * of the limit is where it starts.  Ends with the family itself.
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

/* Learns an inner family within part of the limit; its best point. */
static void
learn_inner(const SdcLearnedSearch *search, SdcLearnedMethod method,
			uint64_t seed, double *point)
{
	SdcLearnedLimit limit = *search->limit;
	SdcLearnedSearch small;

	if (limit.seconds > 0)
	{
		double now = limit.elapsed(limit.arg);

		limit.seconds = now + (limit.seconds - now) / INNER_SHARE;
	}
	small = begin(search->host, method, search->data, search->margin, seed,
				  &limit);
	learn(&small, seed);
	sdc_learned_start_embed(small.form, small.point, search->form, point);
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
		sdc_learned_start_mahalanobis(search->data, start[starts]) &&
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

/* Learns; returns the most of search->rows->records that can be held. */
static int32_t
learn(SdcLearnedSearch *search, uint64_t seed)
{
	walk(search, seed);
	return can_branch(search->form) ? branch(search)
									: sdc_learned_cover_run(search);
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
						   const SdcLearnedLimit *limit)
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
		widen(&search);
		bound += search.rows->safe;
	}
	finish(&search, bound, &result);
	return result;
}
