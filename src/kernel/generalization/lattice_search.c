/*
 * lattice_search.c
 *		The best node of a lattice, with proof.
 *
 * Depth first over a tree in which each node raises one key of its parent, no
 * key before the one that was raised last: every node comes up once, and its
 * table is rolled up from the nearest one on the path.  Bounds grow upwards,
 * so a node whose bound is above the best score goes with all below it in the
 * tree.  What a check tells of other nodes is tagged: classes only grow
 * upwards, so too many records in small classes here are too many everywhere
 * below, and few enough here are few enough above.  Where a node is untagged,
 * a path from it to the top is halved until the step from too many to few
 * enough is found (after Kohlmayer et al. 2012, "Flash").  A good first node
 * from a dive and its neighbours makes bounds bite from the start, and where
 * much is left to check, pairs of keys tell what must be suppressed.
 */
#include "kernel/generalization/lattice_parts.h"

#include <math.h>
#include <string.h>

/* Lattices up to that many nodes are tagged. */
#define TAGGED_NODES (INT64_C(1) << 24)

/* Checks that counting a pair of keys is worth, at least. */
#define PAIR_CHECKS 6

/* Is it certain that a node with that bound is not among the best? */
bool
sdc_lattice_search_worse(const SdcLatticeSearch *search, double bound)
{
	return search->optima.found &&
		   sdc_lattice_optima_above(bound, search->optima.score);
}

/* May one more node be checked? */
bool
sdc_lattice_search_may(SdcLatticeSearch *search)
{
	const SdcLatticeBudget *budget = search->budget;

	if (search->stopped)
		return false;
	if (budget != NULL &&
		((budget->checks > 0 && search->checked >= budget->checks) ||
		 (budget->expired != NULL && budget->expired(budget->argument))))
		search->stopped = true;
	return !search->stopped;
}

/*
 * Checks the node of a table; returns what bounds all above it besides their
 * levels.
 */
double
sdc_lattice_search_table(SdcLatticeSearch *search, SdcLatticeTable *table)
{
	SdcLattice *lattice = search->lattice;
	SdcHost *host = lattice->host;
	int64_t limit = lattice->problem.limit;
	SdcLatticeTally tally;
	SdcLatticeNode node;
	int64_t certain;

	host->poll(host, (uint64_t) search->checked, (uint64_t) lattice->nodes);
	search->checked++;
	sdc_lattice_tally(lattice, table, false, &tally);
	sdc_lattice_describe(lattice, table->level, &tally, &node);
	if (search->tag != NULL)
	{
		certain = lattice->monotone ? tally.suppressed : tally.small;
		if (certain > limit)
			sdc_lattice_tags_over(lattice, search->tag, table->level,
								  node.number);
		else
			sdc_lattice_tags_under(lattice, search->tag, table->level,
								   node.number);
		search->tag[node.number] |= SDC_LATTICE_SEEN;
	}
	if (node.feasible)
	{
		node.score = sdc_lattice_score(lattice, table, &tally);
		sdc_lattice_optima_note(lattice, &search->optima, &node);
	}
	/* classes that were not judged tell nothing */
	if (!tally.complete)
		return 0;
	return sdc_lattice_score_floor(lattice, table, &tally);
}

/* The table of the path at a depth, or the nearest below it. */
static SdcLatticeTable *
table_at(SdcLatticeSearch *search, int depth)
{
	while (depth > 0 && !search->table[depth - 1].filled)
		depth--;
	return depth > 0 ? &search->table[depth - 1] : &search->lattice->base;
}

/*
 * The table of the current node, which lies at that depth.  A parent that was
 * passed by is made up for first: its other children will want it, too.
 */
static SdcLatticeTable *
current_table(SdcLatticeSearch *search, int depth)
{
	SdcLattice *lattice = search->lattice;

	if (depth > 1 && !search->table[depth - 1].filled &&
		!search->table[depth - 2].filled)
	{
		uint8_t *level = &search->level[search->raised[depth - 1]];

		(*level)--;
		sdc_lattice_table_roll(lattice, table_at(search, depth - 1),
							   search->level, &search->table[depth - 2]);
		(*level)++;
	}
	if (depth > 0 && !search->table[depth - 1].filled)
		sdc_lattice_table_roll(lattice, table_at(search, depth), search->level,
							   &search->table[depth - 1]);
	return table_at(search, depth);
}

/* A path from the current node to the top through untagged nodes. */
static int
plan_path(SdcLatticeSearch *search)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int64_t number = search->number;
	int steps = 0;
	double bound;
	int j;

	memcpy(level, search->level, sizeof(level));
	while ((j = sdc_lattice_dive_step(search, level, number,
									  SDC_LATTICE_UNDER | SDC_LATTICE_OVER,
									  &bound)) >= 0)
	{
		level[j]++;
		number += lattice->stride[j];
		search->path[steps++] = (uint8_t) j;
	}
	return steps;
}

/*
 * Halves a path from the current node, which is untagged, until it is tagged.
 * A node with too many is below the ones that are still in question, so their
 * tables come from its table.
 */
static void
probe_path(SdcLatticeSearch *search, int depth)
{
	SdcLatticeTable *low = current_table(search, depth);
	int first = 0;
	int last = plan_path(search);
	int spare = 0;

	while (first <= last && sdc_lattice_search_may(search))
	{
		SdcLatticeTable *table = &search->probe[spare];
		uint8_t level[SDC_LATTICE_MAX_KEYS];
		int middle = (first + last) / 2;
		int i;

		memcpy(level, search->level, sizeof(level));
		for (i = 0; i < middle; i++)
			level[search->path[i]]++;
		if (middle == 0)
			table = current_table(search, depth);
		else
			sdc_lattice_table_roll(search->lattice, low, level, table);
		sdc_lattice_search_table(search, table);
		if (search->tag[sdc_lattice_tags_number(search->lattice, level)] &
			SDC_LATTICE_OVER)
		{
			low = table;
			spare = middle == 0 ? spare : 1 - spare;
			first = middle + 1;
		}
		else
			last = middle - 1;
	}
}

/* ---------- the walk ---------- */

/* Nodes whose bound does not rule them out; stops counting at some number. */
static int64_t
count_candidates(const SdcLatticeSearch *search, int64_t enough)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
	int64_t candidates = 0;
	int64_t number;
	int j;

	for (number = 0; number < lattice->nodes && candidates < enough; number++)
	{
		if ((search->tag[number] & (SDC_LATTICE_SEEN | SDC_LATTICE_OVER)) == 0)
			candidates += !sdc_lattice_search_worse(
				search, sdc_lattice_score_bound(lattice, level));
		if (number % SDC_POLL_STEPS == 0)
			lattice->host->poll(lattice->host, (uint64_t) number,
								(uint64_t) lattice->nodes);
		for (j = lattice->keys - 1; j >= 0; j--)
		{
			if (++level[j] < lattice->column[j].levels)
				break;
			level[j] = 0;
		}
	}
	return candidates;
}

/*
 * Counts pairs of keys when there is more to check than they cost.  Where tags
 * rule out much, that is known only when much was checked already.
 */
static void
consider_pairs(SdcLatticeSearch *search)
{
	SdcLattice *lattice = search->lattice;
	int64_t enough = PAIR_CHECKS * lattice->keys * (lattice->keys - 1) / 2;
	bool limited =
		lattice->monotone && lattice->problem.limit < lattice->records;

	if (search->considered || search->tag == NULL || search->stopped ||
		(limited && search->checked < enough))
		return;
	search->considered = true;
	if (lattice->problem.limit > 0 &&
		count_candidates(search, enough) >= enough)
		search->pairs = sdc_lattice_pairs_start(lattice, search->tag);
}

/*
 * Checks the current node unless its tag says all.  False when the budget
 * ended before.
 */
static bool
visit_node(SdcLatticeSearch *search, int depth, double *floor)
{
	uint8_t *tag = search->tag != NULL ? &search->tag[search->number] : NULL;
	SdcLatticeTable *table;
	double found;

	if (++search->passed % SDC_POLL_STEPS == 0)
		search->lattice->host->poll(search->lattice->host,
									(uint64_t) search->checked,
									(uint64_t) search->lattice->nodes);
	consider_pairs(search);
	if (search->pairs != NULL && (*tag & SDC_LATTICE_SEEN) == 0 &&
		sdc_lattice_search_worse(
			search, sdc_lattice_pairs_bound(search->lattice, search->pairs,
											search->level)))
		return true;
	if (tag != NULL && (*tag & (SDC_LATTICE_UNDER | SDC_LATTICE_OVER)) == 0)
		probe_path(search, depth);
	if (tag != NULL && (*tag & (SDC_LATTICE_OVER | SDC_LATTICE_SEEN)) != 0)
		return true;
	if (!sdc_lattice_search_may(search))
		return false;
	table = current_table(search, depth);
	found = sdc_lattice_search_table(search, table);
	if (found > *floor)
		*floor = found;
	return true;
}

static void
leave_open(SdcLatticeSearch *search, double bound)
{
	if (bound < search->open)
		search->open = bound;
}

/* Walks the nodes that raise keys of the current one, from the first on. */
static void
walk(SdcLatticeSearch *search, int depth, int first, double floor)
{
	SdcLattice *lattice = search->lattice;
	int i;

	for (i = first; i < lattice->keys; i++)
	{
		int j = search->order[i];
		double more = floor;
		double bound;

		if (search->level[j] + 1 == lattice->column[j].levels)
			continue;
		search->level[j]++;
		search->number += lattice->stride[j];
		search->table[depth].filled = false;
		search->raised[depth] = (uint8_t) j;
		bound = sdc_lattice_score_bound(lattice, search->level);
		bound = bound > floor ? bound : floor;
		if (sdc_lattice_search_worse(search, bound))
			;
		else if (search->stopped || !visit_node(search, depth + 1, &more))
			leave_open(search, bound);
		else
			walk(search, depth + 1, i, more);
		search->level[j]--;
		search->number -= lattice->stride[j];
	}
}

/* Keys with many groups first: most nodes then come from small tables. */
static void
order_keys(SdcLatticeSearch *search)
{
	const SdcLattice *lattice = search->lattice;
	int i;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		int32_t groups = lattice->column[j].level[0].groups;

		for (i = j;
			 i > 0 &&
			 lattice->column[search->order[i - 1]].level[0].groups < groups;
			 i--)
			search->order[i] = search->order[i - 1];
		search->order[i] = j;
	}
}

static void
start_search(SdcLatticeSearch *search, SdcLattice *lattice,
			 const SdcLatticeBudget *budget)
{
	SdcHost *host = lattice->host;
	int j;

	memset(search, 0, sizeof(*search));
	search->lattice = lattice;
	search->budget = budget;
	search->open = INFINITY;
	search->optima.score = INFINITY;
	order_keys(search);
	for (j = 0; j < lattice->keys; j++)
		search->depths += (size_t) lattice->column[j].levels - 1;
	search->table = sdc_new(host, SdcLatticeTable, search->depths + 1);
	memset(search->table, 0, sizeof(SdcLatticeTable) * (search->depths + 1));
	search->path = sdc_new(host, uint8_t, search->depths + 1);
	search->raised = sdc_new(host, uint8_t, search->depths + 1);
	if (lattice->nodes > TAGGED_NODES)
		return;
	search->tag = sdc_new(host, uint8_t, (size_t) lattice->nodes);
	memset(search->tag,
		   lattice->problem.limit >= lattice->records ? SDC_LATTICE_UNDER : 0,
		   (size_t) lattice->nodes);
}

static void
finish_search(SdcLatticeSearch *search)
{
	SdcLattice *lattice = search->lattice;
	SdcHost *host = lattice->host;
	size_t i;

	for (i = 0; i <= search->depths; i++)
		sdc_lattice_table_release(lattice, &search->table[i]);
	sdc_lattice_table_release(lattice, &search->probe[0]);
	sdc_lattice_table_release(lattice, &search->probe[1]);
	host->release(host, search->table);
	host->release(host, search->path);
	host->release(host, search->raised);
	host->release(host, search->tag);
	sdc_lattice_pairs_release(lattice, search->pairs);
}

/* ---------- the result ---------- */

/*
 * The first node, and the walk.  Without tags the walk comes by the nodes
 * that the dive has seen, so only their score is kept.
 */
static void
run_search(SdcLatticeSearch *search)
{
	const SdcLattice *lattice = search->lattice;
	bool limited =
		lattice->monotone && lattice->problem.limit < lattice->records;
	double floor = 0;

	search->considered = true; /* not before there is a first node */
	if (search->tag != NULL && !visit_node(search, 0, &floor))
		leave_open(search, sdc_lattice_score_bound(lattice, search->level));
	if (search->tag == NULL || !limited)
		sdc_lattice_dive(search);
	sdc_lattice_dive_improve(search);
	search->considered = false;
	if (search->tag == NULL)
	{
		search->optima.count = 0;
		if (!visit_node(search, 0, &floor))
			leave_open(search,
					   sdc_lattice_score_bound(lattice, search->level));
	}
	walk(search, 0, 0, floor);
	if (search->optima.found && search->optima.count == 0)
		sdc_lattice_optima_note(search->lattice, &search->optima,
								&search->optima.best);
}

void
sdc_lattice_search(SdcLattice *lattice, const SdcLatticeBudget *budget,
				   SdcLatticeResult *result)
{
	SdcLatticeSearch search;

	start_search(&search, lattice, budget);
	run_search(&search);
	memset(result, 0, sizeof(*result));
	result->nodes = lattice->nodes;
	result->checked = search.checked;
	result->found = search.optima.found;
	result->stopped = search.stopped;
	result->proven =
		!search.optima.found
			? isinf(search.open)
			: !sdc_lattice_optima_above(search.optima.score, search.open);
	result->bound = search.open;
	result->best.score = NAN;
	finish_search(&search);
	if (!search.optima.found)
		return;
	/* from the base, so that the score does not hang on the way to it */
	sdc_lattice_check(lattice, search.optima.best.level, &result->best);
	if (result->proven)
		result->bound = result->best.score;
	sdc_lattice_optima_sort(lattice, &search.optima);
	result->optima = search.optima.count;
	result->optimum = search.optima.list;
	result->optimum[0] = result->best;
}
