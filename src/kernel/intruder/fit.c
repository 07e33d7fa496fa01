/*
 * fit.c
 *		Parameters that the intruder was not told, fitted by likelihood.
 *
 * The files themselves say how they were masked: whatever parameter makes
 * them likeliest.  Only parameters of known families are fitted; laws of free
 * form, estimated from the links and linked again, fail (the likelihood rises
 * and the links get worse).
 */
#include "kernel/intruder/intruder_private.h"

#include <math.h>

#include "kernel/base/random.h"
#include "kernel/base/elementary.h"

/* Candidates that a sum over all records is made of. */
#define ROOM  512
#define DEPTH 12

/* Profiles that may be looked up for exchanges, roughly. */
#define EXCHANGE_WORK INT64_C(20000000)

/*
 * Percents that are tried first, and the factor and rounds of the search
 * around the best.  They lie close, for buckets do not change smoothly with
 * their size.
 */
static const double first_shares[] = {0.5, 1,  2,  3,  4,  5,  6, 8,
									  10,  12, 15, 20, 25, 30, 40};
#define SHARE_FACTOR 1.1
#define SHARE_ROUNDS 2

/* Spreads of groups that are tried first, in standard deviations. */
static const double first_spreads[] = {0.005, 0.02, 0.07, 0.2, 0.5};
#define SPREAD_FACTOR 1.5
#define SPREAD_ROUNDS 3

/*
 * Squares within groups are mostly those of few people who are far off; where
 * they say something else than likelihood by this factor, they are left alone.
 */
#define LOST_FACTOR 2

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

/* Persons spread over the file by a draw from the seed. */
static int32_t *
draw_persons(const SdcIntruder *intruder, int32_t *count)
{
	int32_t *who = sdc_new(intruder->host, int32_t, intruder->persons);
	SdcRandom random;
	int32_t i;

	if (*count > intruder->persons)
		*count = intruder->persons;
	sdc_random_seed(&random, intruder->seed, UINT64_C(0x666974));
	for (i = 0; i < intruder->persons; i++)
		who[i] = i;
	sdc_random_draw(&random, who, intruder->persons, *count);
	return who;
}

/* log of the sum of exp of a list, the best first. */
static double
log_sum(const float *score, int64_t n)
{
	double sum = 0;
	int64_t k;

	for (k = 0; k < n; k++)
		sum += sdc_exp((double) score[k] - (double) score[0]);
	return score[0] + sdc_random_log(sum);
}

/* log of inside * exp(score) + 1 - inside. */
static double
mixed(double score, double inside)
{
	if (inside >= 1)
		return score;
	if (score > 0)
		return score + sdc_random_log(inside + (1 - inside) * sdc_exp(-score));
	return sdc_random_log(inside * sdc_exp(score) + 1 - inside);
}

/* Weighs the lists by exchanges of rank swapping. */
static void
use_exchanges(SdcIntruder *intruder, SdcIntruderCandidates *found)
{
	SdcHost *host = intruder->host;
	SdcIntruderNamed *named = sdc_intruder_named_create(host, intruder);
	void *memory =
		host->alloc(host, sdc_intruder_exchange_size(intruder, found), 1);
	uint64_t block;

	sdc_intruder_exchange_fill(intruder, found, EXCHANGE_WORK, memory);
	for (block = 0; block < sdc_intruder_exchange_blocks(memory); block++)
		sdc_intruder_exchange_work(host, memory, block);
	sdc_intruder_exchange_take(host, memory, named, found);
	host->release(host, memory);
	sdc_intruder_named_release(host, named);
}

SdcIntruderCandidates *
sdc_intruder_search_some(SdcIntruder *intruder,
						 const SdcIntruderSearch *search)
{
	SdcHost *host = intruder->host;
	void *task =
		host->alloc(host, sdc_intruder_task_size(intruder, search), 1);
	SdcIntruderCandidates *found;
	uint64_t block;

	sdc_intruder_task_fill(intruder, search, task);
	for (block = 0; block < sdc_intruder_task_blocks(task); block++)
		sdc_intruder_task_work(host, task, block);
	found = sdc_intruder_candidates(host, task);
	host->release(host, task);
	return found;
}

double
sdc_intruder_likelihood(SdcIntruder *intruder, int32_t sample, double inside)
{
	SdcHost *host = intruder->host;
	SdcIntruderSearch search = {.count = sample, .room = ROOM, .depth = DEPTH};
	int32_t *who = draw_persons(intruder, &search.count);
	SdcIntruderCandidates *found;
	double sum = 0;
	int32_t i;

	search.who = who;
	found = sdc_intruder_search_some(intruder, &search);
	/* who is missing blurs what single records say */
	if (inside < 1)
		use_exchanges(intruder, found);
	for (i = 0; i < found->lists.rows; i++)
	{
		int64_t first = found->lists.first[i];

		sum += mixed(log_sum(found->lists.score + first,
							 found->lists.first[i + 1] - first) -
						 sdc_random_log((double) intruder->records),
					 inside);
	}
	sdc_intruder_candidates_release(host, found);
	host->release(host, who);
	return search.count == 0 ? 0 : sum / search.count;
}

/* ---------------------------------------------------------------------------
 * One parameter, coarse to fine.
 */

/* Sets the parameter. */
typedef void (*Setter)(SdcIntruder *intruder, double value);

typedef struct Best
{
	double value;
	double likelihood;
	int tried;
} Best;

static void
try_value(SdcIntruder *intruder, Setter set, int32_t sample, double value,
		  Best *best)
{
	double likelihood;

	set(intruder, value);
	likelihood = sdc_intruder_likelihood(intruder, sample, 1);
	if (best->tried++ == 0 || likelihood > best->likelihood)
	{
		best->likelihood = likelihood;
		best->value = value;
	}
}

/*
 * Tries the values given, then those beside the best at ever smaller steps;
 * steps are factors, for the parameters are scales.
 */
static Best
find_best(SdcIntruder *intruder, Setter set, int32_t sample,
		  const double *first, int count, double factor, int rounds)
{
	Best best = {0, 0, 0};
	int round;
	int k;

	for (k = 0; k < count; k++)
		try_value(intruder, set, sample, first[k], &best);
	for (round = 0; round < rounds; round++)
	{
		double middle = best.value;

		try_value(intruder, set, sample, middle / factor, &best);
		try_value(intruder, set, sample, middle * factor, &best);
		factor = sqrt(factor);
	}
	set(intruder, best.value);
	return best;
}

static void
set_spread(SdcIntruder *intruder, double value)
{
	int t;

	for (t = 0; t < intruder->terms; t++)
		if (intruder->term[t]->fit)
			intruder->term[t]->head.scale = value;
}

double
sdc_intruder_fit_spread(SdcIntruder *intruder, int32_t sample)
{
	bool fit = false;
	double spread;
	int t;

	for (t = 0; t < intruder->terms; t++)
		fit = fit || intruder->term[t]->fit;
	if (!fit)
		return 0;
	spread = find_best(intruder, set_spread, sample, first_spreads,
					   LENGTH(first_spreads), SPREAD_FACTOR, SPREAD_ROUNDS)
				 .value;
	for (t = 0; t < intruder->terms; t++)
	{
		SdcTerm *term = intruder->term[t];

		if (term->fit && term->lost > spread / LOST_FACTOR &&
			term->lost < spread * LOST_FACTOR)
			term->head.scale = term->lost;
	}
	return spread;
}

static void
set_share(SdcIntruder *intruder, double value)
{
	int t;

	for (t = 0; t < intruder->terms; t++)
		if (intruder->term[t]->head.rule == SDC_TERM_SWAP)
		{
			intruder->term[t]->share = value;
			sdc_intruder_cut_ranks(intruder, intruder->term[t]);
		}
	sdc_intruder_drop_laws(intruder);
}

static void
set_method(SdcIntruder *intruder, SdcRankSwapMethod method)
{
	int t;

	for (t = 0; t < intruder->terms; t++)
		if (intruder->term[t]->head.rule == SDC_TERM_SWAP)
			intruder->term[t]->head.method = method;
}

SdcIntruderFit
sdc_intruder_fit_swap(SdcIntruder *intruder, int methods, int32_t sample)
{
	SdcIntruderFit fit = {.likelihood = -INFINITY};
	int method;

	for (method = 0; method < 3; method++)
	{
		Best best;

		fit.by_method[method] = -INFINITY;
		fit.p_by_method[method] = 0;
		if (!(methods >> method & 1))
			continue;
		set_method(intruder, (SdcRankSwapMethod) method);
		best = find_best(intruder, set_share, sample, first_shares,
						 LENGTH(first_shares), SHARE_FACTOR, SHARE_ROUNDS);
		fit.by_method[method] = best.likelihood;
		fit.p_by_method[method] = best.value;
		fit.tried += best.tried;
		if (best.likelihood > fit.likelihood)
		{
			fit.likelihood = best.likelihood;
			fit.method = (SdcRankSwapMethod) method;
			fit.p = best.value;
		}
	}
	set_method(intruder, fit.method);
	set_share(intruder, fit.p);
	return fit;
}
