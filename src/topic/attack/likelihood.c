/*
 * likelihood.c
 *		sdc.attack_likelihood: the intruder who knows how each mask moves
 *		values, and how likely.
 *
 * The rules of the keys are read as the attack by transparency reads them:
 * each part asks for the fields of both files that it needs, and adds a term
 * to the kernel's intruder (kernel/intruder): the logarithm of how likely the
 * rule makes a masked value from an original one (likelihood_terms.c).  What
 * is no key adds what goes with these (likelihood_released.c).  Candidates are
 * searched by all workers; matching and belief are this process' own.
 *
 * How much is searched is a budget of work.  Beyond it whole slabs of ranks
 * are attacked in place of all persons, because a random sample would lose
 * what one-to-one linkage gains.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/parallel.h"
#include "host/server/result.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/table/frequency.h"
#include "topic/attack/likelihood.h"
#include "topic/attack/links.h"
#include "topic/attack/transparency.h"
#include "topic/mask/rules.h"
#include "topic/registry/roles.h"
#include "topic/registry/words.h"

PG_FUNCTION_INFO_V1(sdcf_attack_likelihood);

extern PGDLLEXPORT void sdcpg_likelihood_worker(dsm_segment *segment,
												shm_toc *toc);
extern PGDLLEXPORT void sdcpg_exchange_worker(dsm_segment *segment,
											  shm_toc *toc);

static const char *const null_words[] = {"value", "unknown", NULL};

/* The file whose ranks are meant. */
typedef enum Ranks
{
	RANKS_LIKELIER,
	RANKS_MASKED,
	RANKS_ORIGINAL
} Ranks;

static const char *const rank_words[] = {"likelier", "masked", "original",
										 NULL};

const SdcKey sdcpg_likelihood_params[] = {
	SDC_TAKES_MAP,
	{"max_candidates", SDC_KEY_INTEGER, .low = 1,
	 .high = SDC_INTRUDER_ROOM_MAX, .absent = "10"},
	SDC_TAKES_ASSIGNMENT,
	{"error", SDC_KEY_NUMBER, .low = 1e-9, .high = 0.5, .absent = "1e-3"},
	{"ranks", SDC_KEY_WORD, .words = rank_words},
	{"whole", SDC_KEY_BOOLEAN},
	{"estimate", SDC_KEY_BOOLEAN},
	{"released", SDC_KEY_BOOLEAN},
	{"room", SDC_KEY_INTEGER, .low = 1, .high = SDC_INTRUDER_ROOM_MAX,
	 .absent = "64"},
	SDC_TAKES_WORK(NULL),
	{"nulls", SDC_KEY_WORD, .words = null_words},
	SDC_TAKES_BOUNDS,
	{NULL}};

/* Persons whose searches tell how much all will take. */
#define ESTIMATE_PERSONS 200

/* Persons whose likelihood decides which ranks, or which p, fit. */
#define FIT_PERSONS 300

/*
 * Slabs beyond the budget; and where memory is short: what follows from
 * exchanges is followed through the whole file for each.
 */
#define SLABS     12
#define FEW_SLABS 6

/* Candidates of a person where a wide mask fills the lists. */
#define ROOM_GROWS_TO 256

/* The part of the room that lists have which are full. */
#define FULL_LISTS 0.5

/* Of so many lists one may end early, unsure, where exchanges are weighed. */
#define MAY_END 20

/* Profiles that these look up, as a share of the work; seconds of one. */
#define EXCHANGE_SHARE  0.01
#define PROFILE_SECONDS 1e-7

/* Belief on longer lists where few are sure, as a share of the work. */
#define UNSURE_SHARE 0.1

/* Persons by whom exchanges begin to name everybody. */
#define NAMING_PERSONS 2000

/* Parts of sums that are listed, as a share of the work. */
#define SUMS_SHARE 0.002

/* Bytes of entries of lists, also while matched; of persons and parts. */
#define ENTRY_BYTES    8
#define MATCHING_BYTES 52
#define PERSON_BYTES   120
#define PART_BYTES     36
#define FOLLOWED_BYTES (8 * SDC_INTRUDER_ADDED * 2 + 4)

/*
 * Of everybody, whoever is searched for: in the tasks of a search and of the
 * exchanges, by column and by swapped column.
 */
#define EVERYBODY_BYTES 40
#define COLUMN_BYTES    24
#define SWAP_BYTES      32

/* The share that is attacked, slab by slab, where memory is short, and that of
 * the memory which that plans with: lists may grow. */
#define MEMORY_SHARE 0.6

/* What a piece of a search may take of the memory left; persons of one at
 * least. */
#define PIECE_SHARE 0.25
#define LEAST_PIECE 4096

/* Attacks that names are learned from at the most, and the part of the budget
 * that each has. */
#define NAMES_ROUNDS 8
#define NAMES_SHARE  8

/* The part of the memory left that links have which names are learned from. */
#define NAMES_MEMORY 0.3

/* Seconds of a look, roughly. */
#define LOOK_SECONDS 1e-8

/* What was read, and what is made of it. */
typedef struct Likelihood
{
	const SdcLikelihoodCall *call;
	SdcLikelihoodTerms terms;
	SdcIntruderPrior prior;
	bool one_to_one;
	int64 work;
	int room;
	bool room_given;         /* by the caller, who wants no more */
	double memory;           /* for lists; 0: their parts are small */
	bool alone;              /* were not all who compete attacked together? */
	SdcIntruderNamed *named; /* by exchanges, while parts are attacked */
} Likelihood;

/* ----------------------------------------------------------------------
 * The intruder, from the rules to his lists.
 * ----------------------------------------------------------------------
 */

static void
create_intruder(Likelihood *likelihood, bool by_original)
{
	SdcTransparency *transparency = &likelihood->terms.transparency;
	double error = sdcpg_keys_number(sdcpg_likelihood_params,
									 likelihood->call->params, "error");

	likelihood->terms.by_original = by_original;
	likelihood->terms.swaps = 0;
	likelihood->terms.left_out = 0;
	likelihood->terms.intruder = sdc_intruder_create(
		likelihood->terms.host, transparency->original.frame->rows,
		transparency->masked.frame->rows, error, likelihood->call->seed);
	sdcpg_likelihood_add(&likelihood->terms);
	if (likelihood->terms.left_out > 0)
		ereport(NOTICE,
				(errmsg("the attack does not use all of what is known"),
				 errdetail("%d of %d columns and levels are beyond what "
						   "it can weigh.",
						   likelihood->terms.left_out, transparency->parts)));
	if (likelihood->terms.groups)
		sdc_intruder_fit_spread(likelihood->terms.intruder, FIT_PERSONS);
}

/*
 * Chooses the file whose ranks are meant.  Both are the same unless records
 * were cut; then the order of cut and mask decides, and who does not know it
 * takes what explains the files better.  Who knows fewer people than were
 * masked has a part of the file: its ranks are never those of the mask, even
 * where they explain a few of them as well by chance.
 */
static void
choose_ranks(Likelihood *likelihood)
{
	const SdcTransparency *transparency = &likelihood->terms.transparency;
	Ranks ranks = (Ranks) sdcpg_keys_choice(sdcpg_likelihood_params,
											likelihood->call->params, "ranks");
	SdcIntruder *other;
	double inside;
	double masked;

	create_intruder(likelihood, ranks == RANKS_ORIGINAL);
	if (ranks != RANKS_LIKELIER || likelihood->terms.swaps == 0 ||
		transparency->sampled ||
		transparency->original.frame->rows <= transparency->masked.frame->rows)
		return;
	inside = Min(1, (double) transparency->masked.frame->rows /
						transparency->original.frame->rows);
	masked = sdc_intruder_likelihood(likelihood->terms.intruder, FIT_PERSONS,
									 inside);
	other = likelihood->terms.intruder;
	create_intruder(likelihood, true);
	if (sdc_intruder_likelihood(likelihood->terms.intruder, FIT_PERSONS,
								inside) > masked)
	{
		sdc_intruder_release(other);
		return;
	}
	sdc_intruder_release(likelihood->terms.intruder);
	likelihood->terms.intruder = other;
	likelihood->terms.by_original = false;
}

/* Fits p and variant where the caller says that they are not known. */
static void
estimate_rules(Likelihood *likelihood)
{
	SdcIntruderFit fit;

	if (!sdcpg_params_boolean(likelihood->call->params, "estimate", false))
		return;
	if (likelihood->terms.swaps == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("only rules of rank_swap can be estimated"),
						errhint("Leave out params.estimate, or name a rule of "
								"rank_swap for the keys.")));
	fit = sdc_intruder_fit_swap(likelihood->terms.intruder, 7, FIT_PERSONS);
	ereport(NOTICE, (errmsg("variant %s with p = %g explains the files best",
							sdc_rank_swap_words[fit.method], fit.p)));
}

/* What is known of who is in the masked file. */
static void
read_prior(Likelihood *likelihood)
{
	const SdcTransparency *transparency = &likelihood->terms.transparency;
	double kept = (double) transparency->masked.frame->rows /
				  transparency->original.frame->rows;

	likelihood->prior.sampled =
		transparency->sampled ? transparency->share : Min(kept, 1);
	likelihood->prior.all_known = sdcpg_params_boolean(
		likelihood->call->params, "whole", transparency->complete);
	likelihood->prior.budget = SDC_MATCH_BUDGET;
	likelihood->prior.rounds = 200;
}

/* Reads files, rules and params; false when one of the files is empty. */
static bool
read_call(Likelihood *likelihood, SdcPgHost *host,
		  const SdcLikelihoodCall *call)
{
	SdcTransparency *transparency = &likelihood->terms.transparency;
	Jsonb *params = call->params;

	memset(likelihood, 0, sizeof(*likelihood));
	likelihood->call = call;
	likelihood->terms.host = &host->kernel;
	likelihood->one_to_one =
		!sdcpg_params_has(params, "assignment") ||
		sdcpg_params_choice(params, "assignment", sdcpg_assignment_words) ==
			SDC_ASSIGNMENT_ONE_TO_ONE;
	likelihood->terms.unknown = sdcpg_likelihood_is_unknown(call);
	likelihood->room =
		sdcpg_keys_integer(sdcpg_likelihood_params, params, "room");
	likelihood->room_given = sdcpg_params_has(params, "room");
	likelihood->work =
		sdcpg_params_has(params, "work")
			? sdcpg_keys_integer(sdcpg_likelihood_params, params, "work")
			: (int64) call->budget;
	sdcpg_likelihood_ask(call, host, transparency);
	if (transparency->original.frame->rows == 0 ||
		transparency->masked.frame->rows == 0)
		return false;
	likelihood->terms.host->stage(likelihood->terms.host, "reading the rules");
	choose_ranks(likelihood);
	estimate_rules(likelihood);
	read_prior(likelihood);
	sdcpg_likelihood_add_released(&likelihood->terms);
	return true;
}

/* Are the lists weighed by what rank swapping gives away? */
static bool
has_exchanges(const Likelihood *likelihood)
{
	return likelihood->one_to_one && likelihood->terms.swaps > 0;
}

/* Bytes that the call may still take. */
static double
memory_left(const Likelihood *likelihood)
{
	return sdcpg_memory_limit * 1024.0 -
		   likelihood->terms.transparency.host->used;
}

/* A search for some persons; who NULL: for the first count of all. */
static SdcIntruderSearch
search_for(const Likelihood *likelihood, const int32 *who, int32 count)
{
	SdcIntruderSearch search = {who, count, likelihood->room,
								SDC_INTRUDER_DEPTH, SDC_INTRUDER_SHARE};

	/* the law of a swap is dear, and exchanges change the scores */
	search.rest = likelihood->terms.swaps == 0;
	return search;
}

void
sdcpg_likelihood_worker(dsm_segment *segment, shm_toc *toc)
{
	sdcpg_parallel_worker(segment, toc, sdc_intruder_task_work);
}

/* The candidates of the persons of a search, or of a piece of one. */
static SdcIntruderCandidates *
search_piece(Likelihood *likelihood, const SdcIntruderSearch *search,
			 double looks)
{
	SdcHost *host = likelihood->terms.host;
	SdcPgHost *pg = likelihood->terms.transparency.host;
	SdcIntruderCandidates *found;
	SdcParallel parallel;
	void *task;

	task = sdcpg_parallel_begin(
		&parallel, pg, "sdcpg_likelihood_worker",
		sdc_intruder_task_size(likelihood->terms.intruder, search),
		sdcpg_parallel_workers(looks * LOOK_SECONDS));
	sdc_intruder_task_fill(likelihood->terms.intruder, search, task);
	host->stage(host, "searching candidates");
	sdcpg_parallel_run(&parallel, sdc_intruder_task_work,
					   sdc_intruder_task_blocks(task), 0);
	found = sdc_intruder_candidates(host, task);
	sdcpg_parallel_end(&parallel);
	return found;
}

/*
 * Persons of a piece of a search: all, unless their lists, which have all the
 * room until they are found, take more than a share of the memory left.
 */
static int32
piece_of_search(Likelihood *likelihood, const SdcIntruderSearch *search)
{
	SdcIntruder *intruder = likelihood->terms.intruder;
	double most = memory_left(likelihood) * PIECE_SHARE;
	SdcIntruderSearch piece = *search;
	double whole = sdc_intruder_task_size(intruder, search);
	double files;

	if (whole <= most)
		return search->count;
	piece.count = 0;
	files = sdc_intruder_task_size(intruder, &piece);
	return Max((most - files) / ((whole - files) / search->count),
			   Min(search->count, LEAST_PIECE));
}

/* The candidates of the persons of a search. */
static SdcIntruderCandidates *
find_candidates(Likelihood *likelihood, const SdcIntruderSearch *search,
				double looks)
{
	SdcHost *host = likelihood->terms.host;
	int32 most = piece_of_search(likelihood, search);
	SdcIntruderCandidates *found = NULL;
	SdcIntruderSearch piece = *search;
	int32 *who;
	int32 start;

	if (most >= search->count)
		return search_piece(likelihood, search, looks);
	who = sdc_intruder_route(likelihood->terms.intruder, search);
	for (start = 0; start < search->count; start += piece.count)
	{
		SdcIntruderCandidates *more;

		piece.who = who + start;
		piece.from = start;
		piece.count = Min(most, search->count - start);
		more = search_piece(likelihood, &piece,
							looks * piece.count / search->count);
		if (found == NULL)
			found = more;
		else
			sdc_intruder_candidates_join(host, found, more);
	}
	host->release(host, who);
	return found;
}

/*
 * Boxes and records that a search of everybody looks at, and how long lists of
 * so much room are, by the searches of some persons spread over the file.
 */
static double
estimate_looks(Likelihood *likelihood, int room, double *entries)
{
	SdcHost *host = likelihood->terms.host;
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	int32 count = Min(persons, ESTIMATE_PERSONS);
	int32 who[ESTIMATE_PERSONS];
	SdcIntruderSearch search = search_for(likelihood, who, count);
	void *task;
	double looks;
	int32 i;

	search.room = room;
	for (i = 0; i < count; i++)
		who[i] = (int32) ((int64) persons * i / count);
	task = host->alloc(
		host, 1, sdc_intruder_task_size(likelihood->terms.intruder, &search));
	sdc_intruder_task_fill(likelihood->terms.intruder, &search, task);
	looks = sdc_intruder_task_estimate(host, task, count, entries);
	host->release(host, task);
	return looks * persons / count;
}

/* ----------------------------------------------------------------------
 * Everybody, or as many as the budget allows.
 * ----------------------------------------------------------------------
 */

/* Takes what was concluded of the persons of one search. */
typedef void (*Visit)(Likelihood *likelihood,
					  const SdcIntruderCandidates *found,
					  const SdcIntruderAnswer *answer, const bool *counted,
					  void *arg);

/* What is right in each of several parts of the persons. */
typedef struct Tally
{
	int parts;
	int32 right[SDC_INTRUDER_LINKS][SLABS];
	int32 released[SLABS];
} Tally;

/* Counts one part of the persons. */
static void
count_part(Likelihood *likelihood, const SdcIntruderCandidates *found,
		   const SdcIntruderAnswer *answer, const bool *counted,
		   SdcLikelihoodFinding *finding, Tally *tally)
{
	SdcIntruderSuccess success = {0};
	int link;

	sdc_intruder_success(found, answer, likelihood->terms.transparency.partner,
						 counted, &success);
	sdc_intruder_success_add(&finding->success, &success);
	for (link = 0; link < SDC_INTRUDER_LINKS; link++)
		tally->right[link][tally->parts] = success.right[link];
	tally->released[tally->parts++] = success.released;
}

/* The share that is found, by the kind of link that finds the most. */
static void
conclude(SdcLikelihoodFinding *finding, const Tally *tally)
{
	const SdcIntruderSuccess *success = &finding->success;
	int best = 0;
	int link;

	for (link = 1; link < SDC_INTRUDER_LINKS; link++)
		if (success->right[link] > success->right[best])
			best = link;
	finding->attacked = success->persons;
	if (finding->sampled && tally->parts > 1)
	{
		finding->found = sdc_slab_interval(tally->right[best], tally->released,
										   tally->parts);
		return;
	}
	finding->found.share =
		success->released == 0
			? 0
			: (double) success->right[best] / success->released;
	finding->found.low = finding->found.high = finding->found.share;
}

void
sdcpg_exchange_worker(dsm_segment *segment, shm_toc *toc)
{
	sdcpg_parallel_worker(segment, toc, sdc_intruder_exchange_work);
}

/* Weighs the lists by the exchanges that they imply. */
static void
use_exchanges(Likelihood *likelihood, SdcIntruderCandidates *found)
{
	SdcHost *host = likelihood->terms.host;
	SdcPgHost *pg = likelihood->terms.transparency.host;
	double profiles = (double) found->lists.first[found->lists.rows] *
					  likelihood->terms.swaps *
					  likelihood->terms.transparency.parts;
	SdcParallel parallel;
	void *memory;

	host->stage(host, "weighing exchanges");
	memory = sdcpg_parallel_begin(
		&parallel, pg, "sdcpg_exchange_worker",
		sdc_intruder_exchange_size(likelihood->terms.intruder, found),
		sdcpg_parallel_workers(profiles * PROFILE_SECONDS));
	sdc_intruder_exchange_fill(likelihood->terms.intruder, found,
							   (int64) (likelihood->work * EXCHANGE_SHARE),
							   memory);
	sdcpg_parallel_run(&parallel, sdc_intruder_exchange_work,
					   sdc_intruder_exchange_blocks(memory),
					   sdc_intruder_exchange_first(memory));
	sdc_intruder_exchange_take(host, memory, likelihood->named, found);
	sdcpg_parallel_end(&parallel);
}

/*
 * What so many persons, and entries of their lists, take: when these are
 * joined, when they are weighed by exchanges (but for EVERYBODY_BYTES), and
 * when they are matched.
 */
static double
list_bytes(const Likelihood *likelihood, double persons, double entries)
{
	double search = 2 * entries * ENTRY_BYTES;
	double exchange = 3 * entries * ENTRY_BYTES + persons * FOLLOWED_BYTES;
	double matching =
		entries * MATCHING_BYTES +
		persons *
			(PERSON_BYTES + likelihood->terms.transparency.parts * PART_BYTES);

	if (!has_exchanges(likelihood))
		exchange = 0;
	return Max(Max(search, exchange), matching);
}

/*
 * May lists of so many persons have so much room?  What the caller gave, they
 * keep; else what belief looks at must be within the budget of work as well,
 * and what exchanges look at within a part of it.
 */
static bool
may_have_room(const Likelihood *likelihood, double persons, double room)
{
	double entries = persons * room;
	double profiles = entries * likelihood->terms.swaps *
					  likelihood->terms.transparency.parts;

	if (likelihood->room_given ||
		entries * likelihood->prior.rounds > likelihood->work)
		return false;
	if (has_exchanges(likelihood))
		return room <= SDC_INTRUDER_ROOM_MAX &&
			   profiles <= likelihood->work * EXCHANGE_SHARE;
	return room <= ROOM_GROWS_TO;
}

/*
 * May lists be so long because of what competition changes?  Most of their
 * records weigh little alone, but others have the better ones.
 */
static bool
may_take_long(const Likelihood *likelihood, double entries)
{
	return likelihood->one_to_one && entries * likelihood->prior.rounds <=
										 likelihood->work * UNSURE_SHARE;
}

/*
 * The candidates of some persons, weighed by exchanges, in longer lists where
 * most end too early: the chances would be too high then.  With exchanges, and
 * where few are sure and it does not take long, even a record that weighed
 * little may turn out to be the one.
 */
static SdcIntruderCandidates *
find_enough(Likelihood *likelihood, SdcIntruderSearch *search, double looks)
{
	for (;;)
	{
		SdcIntruderCandidates *found =
			find_candidates(likelihood, search, looks);
		bool more = found->full > found->lists.rows / 2;
		bool unsure;

		if (has_exchanges(likelihood))
			use_exchanges(likelihood, found);
		unsure = sdc_intruder_unsure(found, search->room) >
				 found->lists.rows / MAY_END;
		if (has_exchanges(likelihood))
			more = unsure;
		else if (may_take_long(likelihood, 2.0 * search->count * search->room))
			more = more || unsure;
		/* longer lists have twice the entries at the most */
		if (!more ||
			!may_have_room(likelihood, search->count, 2.0 * search->room) ||
			(likelihood->memory > 0 &&
			 list_bytes(likelihood, search->count,
						2.0 * found->lists.first[found->lists.rows]) >
				 likelihood->memory))
			return found;
		sdc_intruder_candidates_release(likelihood->terms.host, found);
		search->room *= 2;
	}
}

/* Searches for some persons, draws the conclusions and hands them over. */
static void
attack_some(Likelihood *likelihood, const SdcIntruderSearch *search,
			double looks, const SdcIntruderPrior *prior, const bool *counted,
			Visit visit, void *arg)
{
	SdcHost *host = likelihood->terms.host;
	SdcIntruderSearch enough = *search;
	SdcIntruderCandidates *found = find_enough(likelihood, &enough, looks);
	SdcIntruderAnswer *answer;

	if (likelihood->one_to_one)
		sdc_intruder_use_sums(host, likelihood->terms.intruder, found, prior,
							  (int64) (likelihood->work * SUMS_SHARE));
	host->stage(host, "matching");
	answer =
		sdc_intruder_answer(host, likelihood->terms.intruder, found, prior);
	visit(likelihood, found, answer, counted, arg);
	sdc_intruder_answer_release(host, answer);
	sdc_intruder_candidates_release(host, found);
}

/* Everybody's number, so many drawn at random first. */
static int32 *
draw_persons(const Likelihood *likelihood, int32 count)
{
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	int32 *who = sdc_new(likelihood->terms.host, int32, persons);
	SdcRandom random;
	int32 i;

	sdc_random_seed(&random, likelihood->call->seed, persons);
	for (i = 0; i < persons; i++)
		who[i] = i;
	sdc_random_draw(&random, who, persons, count);
	return who;
}

/*
 * Who is sure names others by exchanges, and these name others: some persons
 * with long lists, few of whom need be sure, may name everybody.
 */
static void
name_everybody(Likelihood *likelihood, double looks)
{
	SdcHost *host = likelihood->terms.host;
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	int32 count = Min(persons, NAMING_PERSONS);
	SdcIntruderSearch search;
	SdcIntruderCandidates *found;
	int32 *who;

	if (likelihood->named == NULL || count == persons)
		return;
	who = draw_persons(likelihood, count);
	search = search_for(likelihood, who, count);
	search.room = SDC_INTRUDER_ROOM_MAX;
	while (search.room > likelihood->room &&
		   list_bytes(likelihood, count, (double) count * search.room) >
			   likelihood->memory)
		search.room /= 2;
	found = find_candidates(likelihood, &search, looks * count / persons);
	likelihood->named->others = true;
	use_exchanges(likelihood, found);
	likelihood->named->others = false;
	sdc_intruder_candidates_release(host, found);
	host->release(host, who);
}

/* Whole slabs of ranks, each a search of its own. */
static void
attack_slabs(Likelihood *likelihood, const SdcSlabPlan *plan, double looks,
			 Visit visit, void *arg)
{
	const SdcTransparency *transparency = &likelihood->terms.transparency;
	SdcHost *host = likelihood->terms.host;
	int32 persons = transparency->original.frame->rows;
	int32 *who = sdc_new(host, int32, persons);
	bool *counted = sdc_new(host, bool, persons);
	bool *claimed = sdc_new(host, bool, transparency->masked.frame->rows);
	int slab;

	for (slab = 0; slab < plan->slabs; slab++)
	{
		SdcIntruderSearch search = search_for(likelihood, who, 0);
		SdcIntruderPrior prior = likelihood->prior;

		search.count = sdc_slab_select(likelihood->terms.intruder, plan, slab,
									   who, counted, claimed);
		if (likelihood->prior.all_known)
			prior.claimed = claimed;
		prior.all_known = false;
		attack_some(likelihood, &search, looks * search.count / persons,
					&prior, counted, visit, arg);
	}
	host->release(host, who);
	host->release(host, counted);
	host->release(host, claimed);
}

/*
 * Persons drawn at random, where no column has slabs: unbiased for links of
 * persons one at a time, and all that one-to-one linkage gains is lost.
 */
static void
attack_sample(Likelihood *likelihood, int32 count, double looks, Visit visit,
			  void *arg)
{
	SdcHost *host = likelihood->terms.host;
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	int32 *who = draw_persons(likelihood, count);
	bool *counted = sdc_new(host, bool, persons);
	int part;
	int32 i;

	for (part = 0; part < SLABS; part++)
	{
		int32 first = (int64) count * part / SLABS;
		int32 end = (int64) count * (part + 1) / SLABS;
		SdcIntruderSearch search =
			search_for(likelihood, who + first, end - first);
		SdcIntruderPrior prior = likelihood->prior;

		if (first == end)
			continue;
		memset(counted, 0, sizeof(bool) * persons);
		for (i = first; i < end; i++)
			counted[who[i]] = true;
		prior.all_known = false;
		attack_some(likelihood, &search, looks * search.count / persons,
					&prior, counted, visit, arg);
	}
	host->release(host, who);
	host->release(host, counted);
}

/*
 * How many persons' lists fit into memory at a time: all, or what is planned
 * with where they do not.  What is held for everybody while exchanges are
 * weighed is gone when lists are matched.
 */
static double
persons_at_once(Likelihood *likelihood, double entries)
{
	const SdcTransparency *transparency = &likelihood->terms.transparency;
	double persons = transparency->original.frame->rows;
	double each = list_bytes(likelihood, 1, entries);
	double everybody = EVERYBODY_BYTES + transparency->parts * COLUMN_BYTES +
					   likelihood->terms.swaps * SWAP_BYTES;
	double left = memory_left(likelihood);
	double files = everybody * Max(persons, transparency->masked.frame->rows);

	likelihood->memory = Max(left - files, 1);
	if (persons * each <= likelihood->memory)
		return persons;
	return Max(0, MEMORY_SHARE * likelihood->memory / each);
}

/*
 * The share of persons whose lists may be as long as they can be, where those
 * that everybody may have are full, as those of some are (entries): the own
 * records are in few of these, and what exchanges tell is lost.
 */
static double
share_of_long(Likelihood *likelihood, double entries)
{
	double persons = likelihood->terms.transparency.original.frame->rows;
	double profiles = SDC_INTRUDER_ROOM_MAX * persons *
					  likelihood->terms.swaps *
					  likelihood->terms.transparency.parts;
	int room = likelihood->room;

	if (!has_exchanges(likelihood) || likelihood->room_given ||
		entries < FULL_LISTS * room)
		return 1;
	while (may_have_room(likelihood, persons, 2.0 * room))
		room *= 2;
	if (room > likelihood->room)
		(void) estimate_looks(likelihood, room, &entries);
	if (2 * room > SDC_INTRUDER_ROOM_MAX || entries < FULL_LISTS * room)
		return 1;
	return likelihood->work * EXCHANGE_SHARE / profiles;
}

/* Attacks everybody, or what the budget allows; true when it did not. */
static bool
attack_allowed(Likelihood *likelihood, Visit visit, void *arg)
{
	SdcHost *host = likelihood->terms.host;
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	SdcIntruderSearch search = search_for(likelihood, NULL, persons);
	double entries;
	double looks = estimate_looks(likelihood, likelihood->room, &entries);
	double share = likelihood->work / Max(looks, 1);
	double at_once = persons_at_once(likelihood, entries);
	SdcSlabPlan *plan;

	if (at_once < persons)
		share = Min(share, MEMORY_SHARE);
	share = Min(share, share_of_long(likelihood, entries));
	name_everybody(likelihood, looks);
	if (share >= 1)
	{
		attack_some(likelihood, &search, looks, &likelihood->prior, NULL,
					visit, arg);
		return false;
	}
	plan =
		sdc_slab_plan(host, likelihood->terms.intruder,
					  at_once < persons ? FEW_SLABS : SLABS, share * persons,
					  at_once, SDC_SLAB_MARGIN, likelihood->call->seed);
	likelihood->alone = plan->slabs <= 1 ||
						sdc_slab_is_narrow(likelihood->terms.intruder, plan);
	if (plan->slabs > 1)
		attack_slabs(likelihood, plan, looks, visit, arg);
	else
	{
		/* whose parts are small */
		likelihood->memory = 0;
		attack_sample(likelihood, Max((int32) (share * persons), 1), looks,
					  visit, arg);
	}
	sdc_slab_plan_release(host, plan);
	return true;
}

static bool
attack(Likelihood *likelihood, Visit visit, void *arg)
{
	SdcHost *host = likelihood->terms.host;
	bool sampled;

	if (!has_exchanges(likelihood))
		return attack_allowed(likelihood, visit, arg);
	likelihood->named =
		sdc_intruder_named_create(host, likelihood->terms.intruder);
	likelihood->named->known = !likelihood->call->doubted;
	sampled = attack_allowed(likelihood, visit, arg);
	sdc_intruder_named_release(host, likelihood->named);
	likelihood->named = NULL;
	return sampled;
}

/* What is believed of each entry of the lists. */
static const float *
chances(const Likelihood *likelihood, const SdcIntruderAnswer *answer)
{
	return likelihood->one_to_one ? answer->chance : answer->chance_alone;
}

static void
visit_names(Likelihood *likelihood, const SdcIntruderCandidates *found,
			const SdcIntruderAnswer *answer, const bool *counted, void *arg)
{
	(void) arg;
	sdcpg_likelihood_hear_names(&likelihood->terms, found,
								chances(likelihood, answer), counted);
}

/*
 * Learns the names of values from attacks without them, or with those that are
 * known so far, with a part of the budget each.
 */
static void
learn_names(Likelihood *likelihood)
{
	int64 work = likelihood->work;
	bool more = sdcpg_likelihood_have_names(
		&likelihood->terms, memory_left(likelihood) * NAMES_MEMORY);
	int round;

	likelihood->work = Max(work / NAMES_SHARE, 1);
	for (round = 0; round < NAMES_ROUNDS && more; round++)
	{
		attack(likelihood, visit_names, NULL);
		more = sdcpg_likelihood_learn_names(&likelihood->terms);
	}
	sdcpg_likelihood_release_names(&likelihood->terms);
	likelihood->work = work;
	likelihood->alone = false;
}

/* Reads all that is known; false when one of the files is empty. */
static bool
load(Likelihood *likelihood, SdcPgHost *host, const SdcLikelihoodCall *call)
{
	if (!read_call(likelihood, host, call))
		return false;
	learn_names(likelihood);
	return true;
}

/* The state of likelihood_run. */
typedef struct Count
{
	SdcLikelihoodFinding *finding;
	Tally tally;
} Count;

static void
visit_count(Likelihood *likelihood, const SdcIntruderCandidates *found,
			const SdcIntruderAnswer *answer, const bool *counted, void *arg)
{
	Count *count = arg;

	count_part(likelihood, found, answer, counted, count->finding,
			   &count->tally);
}

/*
 * Attacks and counts what is right; links are not returned.  Within the budget
 * of params.work looks everybody is attacked, beyond it slabs of ranks.
 */
static void
likelihood_run(SdcPgHost *host, const SdcLikelihoodCall *call,
			   SdcLikelihoodFinding *finding)
{
	Likelihood likelihood;
	Count count = {finding};

	memset(finding, 0, sizeof(*finding));
	if (!load(&likelihood, host, call))
		return;
	finding->persons = likelihood.terms.transparency.original.frame->rows;
	finding->sampled = attack(&likelihood, visit_count, &count);
	finding->alone = likelihood.alone && likelihood.one_to_one;
	finding->released = likelihood.terms.released;
	conclude(finding, &count.tally);
	sdc_intruder_release(likelihood.terms.intruder);
}

/* The state of sdcpg_likelihood_read. */
typedef struct Reading
{
	const SdcLikelihoodReader *reader;
	int32 *record; /* of one person */
	bool *seen;    /* by person: nobody twice */
} Reading;

static void
visit_read(Likelihood *likelihood, const SdcIntruderCandidates *found,
		   const SdcIntruderAnswer *answer, const bool *counted, void *arg)
{
	Reading *reading = arg;
	const int32 *partner = likelihood->terms.transparency.partner;
	const float *chance = chances(likelihood, answer);
	int32 k;

	for (k = 0; k < found->lists.rows; k++)
	{
		int32 person = found->person[k];
		int64 start = found->lists.first[k];
		int32 count = (int32) (found->lists.first[k + 1] - start);
		int32 i;

		if (k % SDC_POLL_STEPS == 0)
			likelihood->terms.host->poll(likelihood->terms.host, 0, 0);
		if (reading->seen[person] || partner[person] < 0 ||
			(counted != NULL && !counted[person]))
			continue;
		reading->seen[person] = true;
		for (i = 0; i < count; i++)
			reading->record[i] = found->record[found->lists.column[start + i]];
		reading->reader->person(reading->reader->arg, person, count,
								reading->record, chance + start);
	}
}

bool
sdcpg_likelihood_read(SdcPgHost *host, const SdcLikelihoodCall *call,
					  const SdcLikelihoodReader *reader)
{
	Likelihood likelihood;
	Reading reading = {reader};
	int32 persons;
	bool sampled;

	if (!load(&likelihood, host, call))
		return false;
	persons = likelihood.terms.transparency.original.frame->rows;
	reading.record = sdc_new(&host->kernel, int32, SDC_INTRUDER_LIST_MAX);
	reading.seen = sdc_new(&host->kernel, bool, persons);
	memset(reading.seen, 0, sizeof(bool) * persons);
	reader->start(reader->arg, likelihood.terms.transparency.original.frame,
				  likelihood.terms.transparency.masked.frame);
	sampled = attack(&likelihood, visit_read, &reading);
	sdc_intruder_release(likelihood.terms.intruder);
	host->kernel.release(&host->kernel, reading.seen);
	host->kernel.release(&host->kernel, reading.record);
	return sampled;
}

/* ----------------------------------------------------------------------
 * sdc.attack_likelihood: the links as rows.
 * ----------------------------------------------------------------------
 */

/* The rows that are being returned. */
typedef struct Emission
{
	SdcLinks links;
	int32 max_candidates;
	int32 *entry; /* of one person, by falling chance */
	int32 told;   /* persons */
	bool *seen;   /* by person */
} Emission;

/* Orders the entries of a list by chance; equally good ones stay in order. */
static void
sort_entries(const float *chance, int32 *entry, int32 count)
{
	int32 i;

	for (i = 1; i < count; i++)
	{
		int32 moved = entry[i];
		int32 hole = i;

		while (hole > 0 && chance[entry[hole - 1]] < chance[moved])
		{
			entry[hole] = entry[hole - 1];
			hole--;
		}
		entry[hole] = moved;
	}
}

/* The rows of one person: row k of the lists. */
static void
put_person(Likelihood *likelihood, Emission *emission,
		   const SdcIntruderCandidates *found, const float *chance, int32 k)
{
	const SdcTransparency *transparency = &likelihood->terms.transparency;
	int64 start = found->lists.first[k];
	int32 count = (int32) (found->lists.first[k + 1] - start);
	int32 named = Min(count, emission->max_candidates);
	int32 person = found->person[k];
	SdcLink link = {0};
	double rest = 1;
	int32 i;

	for (i = 0; i < count; i++)
		emission->entry[i] = i;
	sort_entries(chance + start, emission->entry, count);
	link.id =
		sdcpg_frame_text(&transparency->original.frame->column[0], person);
	link.candidates = count;
	link.distance = NAN;
	for (i = 0; i < named; i++)
	{
		int64 e = start + emission->entry[i];
		int32 row = found->record[found->lists.column[e]];

		link.linked_id =
			sdcpg_frame_text(&transparency->masked.frame->column[0], row);
		link.probability = chance[e];
		link.correct = i == 0 && row == transparency->partner[person];
		rest -= chance[e];
		sdcpg_links_put(&emission->links, &link);
	}
	if (rest < 1e-6 && named > 0)
		return;
	link.linked_id = NULL;
	link.probability = Max(rest, 0);
	link.correct = false;
	sdcpg_links_put(&emission->links, &link);
}

static void
visit_put(Likelihood *likelihood, const SdcIntruderCandidates *found,
		  const SdcIntruderAnswer *answer, const bool *counted, void *arg)
{
	Emission *emission = arg;
	const float *chance = chances(likelihood, answer);
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	int32 *row = sdc_new(likelihood->terms.host, int32, persons);
	int32 i;
	int32 k;

	for (i = 0; i < persons; i++)
		row[i] = -1;
	for (k = 0; k < found->lists.rows; k++)
		row[found->person[k]] = k;
	/* in the order of the ids, nobody twice */
	for (i = 0; i < persons; i++)
	{
		if (row[i] < 0 || emission->seen[i] ||
			(counted != NULL && !counted[i]))
			continue;
		emission->seen[i] = true;
		emission->told++;
		sdcpg_links_step(&emission->links);
		put_person(likelihood, emission, found, chance, row[i]);
	}
	likelihood->terms.host->release(likelihood->terms.host, row);
}

static void
put_links(Likelihood *likelihood, ReturnSetInfo *result)
{
	SdcHost *host = likelihood->terms.host;
	int32 persons = likelihood->terms.transparency.original.frame->rows;
	Emission emission;

	memset(&emission, 0, sizeof(emission));
	emission.max_candidates = sdcpg_keys_integer(
		sdcpg_likelihood_params, likelihood->call->params, "max_candidates");
	emission.entry = sdc_new(host, int32, SDC_INTRUDER_LIST_MAX);
	emission.seen = sdc_new(host, bool, persons);
	memset(emission.seen, 0, sizeof(bool) * persons);
	sdcpg_links_begin(&emission.links, likelihood->terms.transparency.host,
					  result, persons);
	if (attack(likelihood, visit_put, &emission))
		ereport(
			NOTICE,
			(errmsg("%d of %d records were attacked", emission.told, persons),
			 errdetail(likelihood->alone
						   ? "Without the others, who compete for the same "
							 "records, one-to-one linkage finds less."
						   : "The others are beyond the budget."),
			 errhint("Set params.work or sdc.memory_limit to allow more.")));
	sdcpg_links_end(&emission.links);
}

/*
 * attack_likelihood(original regclass, masked regclass, rules jsonb, id name,
 *                   keys columns, params jsonb, seed bigint)
 */
Datum
sdcf_attack_likelihood(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	SdcLikelihoodCall call = {0};
	Likelihood likelihood;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 2);
	call.original = PG_GETARG_OID(0);
	call.masked = PG_GETARG_OID(1);
	call.rules = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	call.id = sdcpg_roles_id_argument(fcinfo, 3, call.original);
	call.keys = sdcpg_roles_names_argument(fcinfo, 4, "keys", call.original,
										   SDC_ROLE_KEY);
	call.params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	call.seed = PG_ARGISNULL(6) ? 0 : PG_GETARG_INT64(6);
	call.budget = sdcpg_attack_find("likelihood")->budget;
	/* reports are mostly of what was masked here, and this is of any file */
	call.doubted = true;
	sdcpg_params_check_keys(call.params, sdcpg_likelihood_params);
	host = sdcpg_host_begin("attack_likelihood", CurrentMemoryContext);
	if (load(&likelihood, host, &call))
	{
		put_links(&likelihood, result);
		sdc_intruder_release(likelihood.terms.intruder);
	}
	sdcpg_host_end(host);
	return (Datum) 0;
}

void
sdcpg_attack_likelihood(const SdcAttack *attack, const SdcAttackCase *of,
						SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcLikelihoodCall call = {of->original->oid, of->masked->oid, of->id,
							  of->keys,          of->rules,       of->params};
	SdcLikelihoodFinding finding;

	call.seed = of->seeded ? (uint64) of->seed : 0;
	call.budget = attack->budget;
	call.published = of->published;
	likelihood_run(host, &call, &finding);
	if (finding.success.released == 0)
	{
		outcome->reason = "No record is in both relations.";
		return;
	}
	sdcpg_attack_share(outcome, finding.found.share, finding.success.released,
					   "finds %.0f of %d records by their best links and "
					   "believes %d of them to be right with 95 %% or more",
					   finding.found.share * finding.success.released,
					   finding.success.released, finding.success.certain);
	if (finding.released != NULL)
		outcome->sentence =
			psprintf("%s, also by what is no key and goes with the keys: %s",
					 outcome->sentence, finding.released);
	if (!finding.sampled)
		return;
	sdcpg_attack_interval(outcome, finding.persons, finding.found.low,
						  finding.found.high);
	if (finding.alone)
		outcome->sample = psprintf(
			"%s That does not cover what one-to-one linkage of all people "
			"would find: more.",
			outcome->sample);
}

void
sdcpg_attack_sequence(const SdcAttack *attack, const SdcAttackCase *of,
					  SdcPgHost *host, SdcAttackOutcome *outcome)
{
	SdcAttackCase together;

	if (of->versions == NULL)
	{
		sdcpg_attack_likelihood(attack, of, host, outcome);
		return;
	}
	together = *of->versions;
	together.params = of->params;
	sdcpg_attack_likelihood(attack, &together, host, outcome);
}
