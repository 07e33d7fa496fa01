/*
 * lattice_limits.c
 *		The lattice search where something does not fit.
 *
 * Keys that do not fit a word, lattices that are too large to tag or to walk,
 * searches that are stopped, problems that make no sense, and the tie rule.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

#define MANY 200

/* Values 0 .. 199; tens, hundreds, all. */
static int32_t fine[MANY];
static int32_t tens[MANY];
static int32_t hundreds[MANY];
static int32_t all[MANY];
static int32_t *group[] = {fine, tens, hundreds, all};
static int32_t groups[] = {MANY, MANY / 10, MANY / 100, 1};
static SdcHierarchy hierarchy = {MANY, 4, group, groups};

/* Two values or all. */
static int32_t *pair_group[] = {fine, all};
static int32_t pair_groups[] = {2, 1};
static SdcHierarchy pair = {2, 2, pair_group, pair_groups};

static SdcLatticeKey key[SDC_LATTICE_MAX_KEYS];

static void
prepare(const SdcHierarchy *each)
{
	int32_t v;
	int j;

	for (v = 0; v < MANY; v++)
	{
		fine[v] = v;
		tens[v] = v / 10;
		hundreds[v] = v / 100;
		all[v] = 0;
	}
	for (j = 0; j < SDC_LATTICE_MAX_KEYS; j++)
		key[j] = sdc_lattice_key(each);
}

static SdcFrequency *
draw(int keys, int32_t values, int records, int different)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), keys, false);
	int32_t code[SDC_LATTICE_MAX_KEYS];
	int32_t range[SDC_LATTICE_MAX_KEYS];
	SdcRandom random;
	int i;
	int j;

	for (i = 0; i < records; i++)
	{
		sdc_random_seed(&random, 3, (uint64_t) (i % different));
		for (j = 0; j < keys; j++)
		{
			range[j] = values;
			code[j] = (int32_t) sdc_random_below(&random, (uint64_t) values);
		}
		sdc_frequency_add(counting, code, 1, 1);
	}
	return sdc_frequency_finish(counting, NULL, range, NULL);
}

static SdcLatticeProblem
problem_of(const SdcFrequency *table, int keys, int64_t k)
{
	SdcLatticeProblem problem = sdc_lattice_problem();

	problem.frequency = table;
	problem.keys = keys;
	problem.key = key;
	problem.k = k;
	return problem;
}

/* Bounds a measure of the classes of the column behind the keys. */
static void
bound_values(SdcLatticeProblem *problem, SdcLatticeSensitive *sensitive,
			 SdcClassMeasure measure, double bound)
{
	sensitive->request = sdc_class_measures_request();
	sensitive->reference = NULL;
	sensitive->request.bound[measure] = bound;
	sensitive->request.wanted = SDC_CLASS_WANT(measure);
	problem->sensitives = 1;
	problem->sensitive = sensitive;
}

/* What a search finds that is watched whenever it polls. */
static SdcLatticeResult
search_watched(const SdcLatticeProblem *problem,
			   const SdcLatticeBudget *budget,
			   void (*poll)(SdcHost *host, uint64_t done, uint64_t total))
{
	SdcHost host = *unit_host();
	SdcLatticeResult result;
	SdcLattice *lattice;

	host.poll = poll;
	sdc_lattice_start(&host, problem, &lattice, NULL);
	sdc_lattice_search(lattice, budget, &result);
	sdc_lattice_release(lattice);
	return result;
}

/* Classes of a node counted pair by pair. */
static int64_t
count_classes(const SdcFrequency *table, int keys, const uint8_t *level)
{
	int64_t classes = 0;
	int32_t a;
	int32_t b;
	int j;

	for (a = 0; a < table->cells; a++)
	{
		for (b = 0; b < a; b++)
		{
			for (j = 0; j < keys; j++)
				if (group[level[j]][table->code[j][a]] !=
					group[level[j]][table->code[j][b]])
					break;
			if (j == keys)
				break;
		}
		classes += b == a;
	}
	return classes;
}

/* Twenty keys of 200 values take 160 bits, three words. */
static void
check_wide(void)
{
	enum
	{
		WIDE = 20
	};
	SdcFrequency *table = draw(WIDE, MANY, 300, 150);
	SdcLatticeProblem problem = problem_of(table, WIDE, 0);
	SdcLattice *lattice;
	SdcRandom random;
	SdcLatticeNode node;
	int wrong = 0;
	int coarse = 0;
	int round;
	int j;

	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_random_seed(&random, 5, 6);
	for (round = 0; round < 200; round++)
	{
		uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};

		for (j = 0; j < WIDE; j++)
			level[j] = (uint8_t) (sdc_random_below(&random, 8) > 0
									  ? 3
									  : sdc_random_below(&random, 4));
		sdc_lattice_check(lattice, level, &node);
		wrong += node.classes != count_classes(table, WIDE, level);
		coarse += node.classes < table->cells;
	}
	unit_check(wrong == 0 && coarse > 100,
			   "keys of three words: %d of 200 nodes wrong, %d coarser", wrong,
			   coarse);
	unit_release_all();
}

static bool
never(void *argument)
{
	++*(int *) argument;
	return false;
}

static bool
at_once(void *argument)
{
	++*(int *) argument;
	return true;
}

/* 2^30 nodes: not tagged, and not to be walked. */
static void
check_large(void)
{
	SdcFrequency *table = draw(30, 2, 400, 100);
	SdcLatticeProblem problem = problem_of(table, 30, 3);
	SdcLatticeBudget budget = {500, NULL, NULL};
	SdcLatticeResult result;
	SdcLattice *lattice;

	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, NULL, &result);
	unit_check(
		result.proven && result.best.score == 0 && result.optima == 1 &&
			result.nodes == INT64_C(1) << 30 && result.best.smallest == 4,
		"2^30 nodes, the finest is best: %d checked", (int) result.checked);
	problem.k = 10;
	problem.limit = 100;
	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, &budget, &result);
	unit_check(result.stopped && !result.proven && result.checked == 500 &&
				   (!result.found || result.bound <= result.best.score),
			   "2^30 nodes, stopped after 500: bound %g, score %g",
			   result.bound, result.best.score);
	unit_release_all();
}

/*
 * The bound rises with the budget, and meets the optimum in the end; nodes
 * are checked from below, or, with a sensitive column, from above.  On the way
 * it is not the bound of the finest node: so much of the optimum it is on the
 * average.
 */
static void
check_budget(bool values, double least)
{
	SdcFrequency *table = draw(values ? 6 : 5, MANY, 3000, 2500);
	SdcLatticeProblem problem = problem_of(table, 5, 4);
	SdcLatticeSensitive sensitive;
	SdcLatticeBudget budget = {0, NULL, NULL};
	SdcLatticeResult whole;
	SdcLatticeResult result;
	SdcLattice *lattice;
	uint64_t polls = unit_polls();
	double reached = 0;
	int stops = 0;
	int asked = 0;
	int wrong = 0;

	problem.limit = 300;
	if (values)
		bound_values(&problem, &sensitive, SDC_CLASS_T_EQUAL, 0.7);
	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, NULL, &whole);
	unit_check(whole.proven &&
				   unit_polls() - polls >= (uint64_t) whole.checked,
			   "%d of %d nodes checked, with a poll each", (int) whole.checked,
			   (int) whole.nodes);
	for (budget.checks = 1; budget.checks < whole.checked; budget.checks += 7)
	{
		sdc_lattice_search(lattice, &budget, &result);
		wrong += !result.stopped || result.checked != budget.checks ||
				 result.bound > whole.best.score ||
				 (result.found && result.best.score < whole.best.score) ||
				 (result.proven && result.best.score != whole.best.score);
		reached += result.bound / whole.best.score;
		stops++;
	}
	unit_check(wrong == 0, "stopped anywhere the bound holds: %d wrong",
			   wrong);
	unit_check(reached > least * stops,
			   "it is %.3f of the optimum in %d stops", reached / stops,
			   stops);
	budget.checks = 0;
	budget.expired = never;
	budget.argument = &asked;
	sdc_lattice_search(lattice, &budget, &result);
	unit_check(result.proven && asked == (int) result.checked,
			   "asked before each of %d checks", asked);
	asked = 0;
	budget.expired = at_once;
	sdc_lattice_search(lattice, &budget, &result);
	unit_check(asked == 1 && result.stopped && !result.found &&
				   !result.proven && result.bound < 1e-12 &&
				   isnan(result.best.score),
			   "stopped at once: nothing found, bound 0");
	unit_release_all();
}

static int64_t stopped_at;
static int late_polls;

static void
count_late(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	late_polls += total > MANY && done == (uint64_t) stopped_at;
}

/*
 * A search of 2^20 nodes that is stopped does not walk the others, of which
 * 65,536 are a poll.
 */
static void
check_stopped(void)
{
	enum
	{
		WIDE = 10
	};
	SdcFrequency *table = draw(WIDE + 1, MANY, 2000, 2000);
	SdcLatticeProblem problem = problem_of(table, WIDE, 5);
	SdcLatticeSensitive sensitive;
	SdcLatticeBudget budget = {100, NULL, NULL};
	SdcLatticeResult result;

	bound_values(&problem, &sensitive, SDC_CLASS_T_EQUAL, 0.7);
	problem.limit = 100;
	stopped_at = budget.checks;
	late_polls = 0;
	result = search_watched(&problem, &budget, count_late);
	unit_check(result.stopped && result.nodes == 1 << 2 * WIDE &&
				   late_polls < 3,
			   "2^20 nodes, stopped: %d polls after that", late_polls);
	unit_release_all();
}

static SdcLatticeStatus
start(const SdcLatticeProblem *problem, int *at)
{
	SdcLattice *lattice;
	SdcLatticeStatus status =
		sdc_lattice_start(unit_host(), problem, &lattice, at);

	sdc_lattice_release(lattice);
	return status;
}

static void
check_statuses(void)
{
	SdcFrequency *table = draw(64, MANY, 10, 10);
	SdcFrequency *none = draw(1, MANY, 0, 1);
	SdcLatticeProblem problem = problem_of(table, 2, 2);
	static const double widths[MANY] = {0};
	static const double *const share[] = {widths, widths, widths, widths};
	int at = 7;

	unit_check(start(&problem, &at) == SDC_LATTICE_OK && at == -1, "ok");
	key[1].highest = 4;
	unit_check(start(&problem, &at) == SDC_LATTICE_LEVELS && at == 1,
			   "a level above the highest");
	key[1].highest = 1;
	key[1].lowest = 2;
	unit_check(start(&problem, &at) == SDC_LATTICE_LEVELS && at == 1,
			   "lowest above highest");
	key[1] = sdc_lattice_key(&pair);
	unit_check(start(&problem, &at) == SDC_LATTICE_LEVELS && at == 1,
			   "a hierarchy of fewer values");
	key[1] = sdc_lattice_key(&hierarchy);
	key[1].weight = NAN;
	unit_check(start(&problem, &at) == SDC_LATTICE_WEIGHTS && at == 1,
			   "a weight that is no number");
	key[0].weight = key[1].weight = 0;
	unit_check(start(&problem, &at) == SDC_LATTICE_WEIGHTS && at == -1,
			   "all weights 0");
	key[0].weight = key[1].weight = 1;
	key[0].share = share;
	problem.metric = SDC_LATTICE_EBIL;
	unit_check(start(&problem, &at) == SDC_LATTICE_SHARES && at == 0,
			   "ebil of widths");
	key[0].share = NULL;
	problem.keys = 64;
	unit_check(start(&problem, &at) == SDC_LATTICE_TOO_LARGE, "4^64 nodes");
	problem.keys = 65;
	unit_check(start(&problem, &at) == SDC_LATTICE_KEYS, "65 keys");
	problem = problem_of(none, 1, 2);
	unit_check(start(&problem, &at) == SDC_LATTICE_EMPTY, "no records");
	unit_release_all();
}

/* k above the number of records: nothing but suppressing all is left. */
static void
check_hopeless(void)
{
	SdcFrequency *table = draw(3, MANY, 50, 50);
	SdcLatticeProblem problem = problem_of(table, 3, 51);
	SdcLatticeResult result;
	SdcLattice *lattice;

	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, NULL, &result);
	unit_check(!result.found && result.proven && isinf(result.bound) &&
				   result.optima == 0,
			   "k above the records: none, proven");
	problem.limit = 50;
	problem.metric = SDC_LATTICE_HEIGHT;
	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, NULL, &result);
	unit_check(result.found && result.best.suppressed == 50 &&
				   result.best.classes == 0 && result.best.score == 0,
			   "all may be suppressed: the finest node, no class");
	unit_release_all();
}

/*
 * One record many times: each node is as high as it is, and of equal heights
 * the key with the fewest groups on its level comes first.
 */
static void
check_ties(void)
{
	SdcFrequency *table = draw(3, 2, 9, 9);
	SdcLatticeProblem problem = problem_of(table, 3, 9);
	SdcLatticeResult result;
	SdcLattice *lattice;
	int j;

	for (j = 0; j < 3; j++)
		key[j] = sdc_lattice_key(&pair);
	problem.metric = SDC_LATTICE_AECS;
	problem.limit = 0;
	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, NULL, &result);
	unit_check(result.optima == 1 && result.best.number == 7,
			   "nine different records of k 9: only the top");
	problem.k = 1;
	problem.metric = SDC_LATTICE_HEIGHT;
	key[0].lowest = 1;
	key[1].weight = 0;
	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_search(lattice, NULL, &result);
	unit_check(result.optima == 2 && result.optimum[0].level[1] == 0 &&
				   result.optimum[1].level[1] == 1 && result.best.score == 1,
			   "a key without weight: two optima, the lower first");
	unit_release_all();
}

static int passes;

static void
count_passes(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	passes += done == 1023 && total > 1023;
}

/*
 * A class of a table in one part is looked at twice, to judge it and to see
 * what is certain to fail below it; both answer a cancel on the way.
 */
static void
check_passes(void)
{
	enum
	{
		FEW = 2
	};
	SdcFrequency *table = draw(FEW + 1, MANY, 3000, 3000);
	SdcLatticeProblem problem = problem_of(table, FEW, 1);
	SdcLatticeSensitive sensitive;
	SdcLatticeBudget budget = {1, NULL, NULL};

	bound_values(&problem, &sensitive, SDC_CLASS_DELTA, 1);
	problem.limit = 2500;
	passes = 0;
	search_watched(&problem, &budget, count_passes);
	unit_check(passes == 2, "%d passes over the classes with polls", passes);
	unit_release_all();
}

static size_t most_pieces;

static void
count_pieces(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	(void) done;
	(void) total;
	if (unit_pieces() > most_pieces)
		most_pieces = unit_pieces();
}

/*
 * Where nearly all records are different on the way up, the nodes of the way
 * are as large as the base, and are not all held.
 */
static void
check_held(void)
{
	enum
	{
		WIDE = 10
	};
	SdcFrequency *table = draw(WIDE + 1, MANY, 500, 500);
	SdcLatticeProblem problem = problem_of(table, WIDE, 5);
	SdcLatticeSensitive sensitive;
	SdcLatticeBudget budget = {100, NULL, NULL};
	size_t before = unit_pieces();
	SdcLatticeResult result;

	bound_values(&problem, &sensitive, SDC_CLASS_T_EQUAL, 0.5);
	problem.limit = 25;
	most_pieces = 0;
	result = search_watched(&problem, &budget, count_pieces);
	unit_check(result.found && most_pieces - before < 350,
			   "a path of large nodes is not held: %d pieces",
			   (int) (most_pieces - before));
}

int
main(void)
{
	unit_start("lattice_limits");
	prepare(&hierarchy);
	check_wide();
	check_budget(false, 0.5);
	check_budget(true, 0.35);
	check_stopped();
	check_statuses();
	check_hopeless();
	check_passes();
	check_held();
	prepare(&pair);
	check_large();
	check_ties();
	return unit_finish();
}
