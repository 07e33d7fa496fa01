/*
 * lattice.c
 *		Full-domain generalization: problems, single nodes, the best node.
 *
 * Checks a problem, prepares its parts, judges one node or all of them, and
 * searches for the best.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/hierarchy.h"

static bool lattice_search_worse(const SdcLatticeSearch *search, double bound);
static bool lattice_search_may(SdcLatticeSearch *search);
static double lattice_search_table(SdcLatticeSearch *search,
								   SdcLatticeTable *table);
static void lattice_describe(const SdcLattice *lattice, const uint8_t *level,
							 const SdcLatticeTally *tally,
							 SdcLatticeNode *node);

/* ----------------------------------------------------------------------
 * What is known of nodes from checks of others.
 *
 * A tag spreads over all nodes above, or below, and stops at those that have
 * it, so all of the spreading together is O(nodes * keys).
 * ----------------------------------------------------------------------
 */

/* Tags a node and all above it as under, or it and all below it as over. */
static void
lattice_tags_under(const SdcLattice *lattice, uint8_t *tag,
				   const uint8_t *level, int64_t number)
{
	uint8_t at[SDC_LATTICE_MAX_KEYS];
	int j;

	if (tag[number] & SDC_LATTICE_UNDER)
		return;
	tag[number] |= SDC_LATTICE_UNDER;
	memcpy(at, level, sizeof(at));
	for (j = 0; j < lattice->keys; j++)
	{
		if (at[j] + 1 == lattice->column[j].levels)
			continue;
		at[j]++;
		lattice_tags_under(lattice, tag, at, number + lattice->stride[j]);
		at[j]--;
	}
}

void
sdc_lattice_tags_over(const SdcLattice *lattice, uint8_t *tag,
					  const uint8_t *level, int64_t number)
{
	uint8_t at[SDC_LATTICE_MAX_KEYS];
	int j;

	if (tag[number] & SDC_LATTICE_OVER)
		return;
	tag[number] |= SDC_LATTICE_OVER;
	memcpy(at, level, sizeof(at));
	for (j = 0; j < lattice->keys; j++)
	{
		if (at[j] == 0)
			continue;
		at[j]--;
		sdc_lattice_tags_over(lattice, tag, at, number - lattice->stride[j]);
		at[j]++;
	}
}

int64_t
sdc_lattice_tags_number(const SdcLattice *lattice, const uint8_t *level)
{
	int64_t number = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
		number += lattice->stride[j] * level[j];
	return number;
}

/* ----------------------------------------------------------------------
 * The best nodes of a lattice so far, and which of them comes first.
 *
 * Scores are sums of shares, so equal ones may differ in their last bits: what
 * lies within a tie of the best is as good.
 * ----------------------------------------------------------------------
 */

/* Is a score above another one, beyond a tie? */
static bool
lattice_optima_above(double score, double other)
{
	return score > other + SDC_LATTICE_TIE * fabs(other);
}

/* Means over the keys of what the tie rule looks at. */
static void
weigh_node(const SdcLattice *lattice, const SdcLatticeNode *node, int *height,
		   double *raised, double *values)
{
	int j;

	*height = 0;
	*raised = 0;
	*values = 0;
	for (j = 0; j < lattice->keys; j++)
	{
		const SdcHierarchy *hierarchy = lattice->problem.key[j].hierarchy;
		int level = node->level[j];

		*height += level;
		if (hierarchy->levels > 1)
			*raised += (double) level / (hierarchy->levels - 1);
		*values += (double) hierarchy->groups[level] / hierarchy->groups[0];
	}
}

/* Of nodes with the same score: is one better by the tie rule? */
static bool
is_better(const SdcLattice *lattice, const SdcLatticeNode *node,
		  const SdcLatticeNode *other)
{
	int height[2];
	double raised[2];
	double values[2];

	weigh_node(lattice, node, &height[0], &raised[0], &values[0]);
	weigh_node(lattice, other, &height[1], &raised[1], &values[1]);
	if (height[0] != height[1])
		return height[0] < height[1];
	if (fabs(raised[0] - raised[1]) > 1e-9)
		return raised[0] < raised[1];
	if (fabs(values[0] - values[1]) > 1e-9)
		return values[0] < values[1];
	return node->number < other->number;
}

static void
append_optimum(SdcHost *host, SdcLatticeOptima *optima,
			   const SdcLatticeNode *node, bool better)
{
	if (optima->count == optima->room && optima->room < SDC_LATTICE_MAX_OPTIMA)
	{
		int64_t room = optima->room > 0 ? optima->room * 4 : 16;

		optima->list = sdc_grow(host, optima->list, (size_t) optima->room,
								(size_t) room, sizeof(SdcLatticeNode));
		optima->room = room;
	}
	if (optima->count < optima->room)
		optima->list[optima->count] = *node;
	else if (better)
		optima->list[optima->room - 1] = *node;
	optima->count++;
}

/* Notes a feasible node that has a score. */
static void
lattice_optima_note(SdcLattice *lattice, SdcLatticeOptima *optima,
					const SdcLatticeNode *node)
{
	bool better;

	if (optima->found && lattice_optima_above(node->score, optima->score))
		return;
	better =
		!optima->found || lattice_optima_above(optima->score, node->score);
	if (better)
		optima->count = 0;
	if (!optima->found || node->score < optima->score)
		optima->score = node->score;
	optima->found = true;
	better = better || is_better(lattice, node, &optima->best);
	if (better)
		optima->best = *node;
	append_optimum(lattice->host, optima, node, better);
}

/* What a comparison of two of the list needs. */
typedef struct Ranking
{
	const SdcLattice *lattice;
	const SdcLatticeNode *list;
} Ranking;

static int
compare_optima(int32_t a, int32_t b, void *arg)
{
	const Ranking *ranking = arg;
	const SdcLatticeNode *first = &ranking->list[a];
	const SdcLatticeNode *second = &ranking->list[b];

	if (is_better(ranking->lattice, first, second))
		return -1;
	return is_better(ranking->lattice, second, first) ? 1 : 0;
}

/* Puts the list into the order of the tie rule. */
static void
lattice_optima_sort(SdcLattice *lattice, SdcLatticeOptima *optima)
{
	SdcHost *host = lattice->host;
	int64_t listed =
		optima->count < optima->room ? optima->count : optima->room;
	SdcLatticeNode *sorted = sdc_new(host, SdcLatticeNode, (size_t) listed);
	int32_t *rows = sdc_new(host, int32_t, (size_t) listed);
	Ranking ranking = {lattice, optima->list};
	int32_t i;

	for (i = 0; i < listed; i++)
		rows[i] = i;
	sdc_sort_rows(host, rows, (size_t) listed, compare_optima, &ranking);
	for (i = 0; i < listed; i++)
		sorted[i] = optima->list[rows[i]];
	host->release(host, rows);
	host->release(host, optima->list);
	optima->list = sorted;
}

/* ----------------------------------------------------------------------
 * A good first node, so that bounds bite from the start.
 *
 * A path of least bounds from the finest node, and then steps to better
 * neighbours until there are none.  What it finds is often the optimum, but
 * never counts as proof.
 * ----------------------------------------------------------------------
 */

/*
 * From a node the successor with the least bound, among those without one of
 * the tags; -1 when there is none.
 */
static int
lattice_dive_step(SdcLatticeSearch *search, uint8_t *level, int64_t number,
				  int tags, double *bound)
{
	const SdcLattice *lattice = search->lattice;
	int best = -1;
	int j;

	*bound = INFINITY;
	for (j = 0; j < lattice->keys; j++)
	{
		double next;

		if (level[j] + 1 == lattice->column[j].levels ||
			(search->tag != NULL &&
			 (search->tag[number + lattice->stride[j]] & tags)))
			continue;
		level[j]++;
		next = sdc_lattice_score_bound(lattice, level);
		level[j]--;
		if (best < 0 || next < *bound)
		{
			*bound = next;
			best = j;
		}
	}
	return best;
}

/* Checks the nodes of the path of least bounds as long as they may be best. */
static void
lattice_dive(SdcLatticeSearch *search)
{
	SdcLattice *lattice = search->lattice;
	SdcLatticeTable *table = &lattice->base;
	uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
	int64_t number = 0;
	int spare = 0;
	double bound;
	int j;

	while ((j = lattice_dive_step(search, level, number,
								  SDC_LATTICE_SEEN | SDC_LATTICE_OVER,
								  &bound)) >= 0 &&
		   !lattice_search_worse(search, bound) && lattice_search_may(search))
	{
		level[j]++;
		number += lattice->stride[j];
		sdc_lattice_table_roll(lattice, table, level, &search->probe[spare]);
		table = &search->probe[spare];
		spare = 1 - spare;
		lattice_search_table(search, table);
	}
}

/* Checks a neighbour of the best node, from the table below all of them. */
static void
try_neighbour(SdcLatticeSearch *search, SdcLatticeTable *below,
			  const uint8_t *level)
{
	SdcLattice *lattice = search->lattice;
	int64_t number = sdc_lattice_tags_number(lattice, level);

	if ((search->tag != NULL &&
		 (search->tag[number] & (SDC_LATTICE_SEEN | SDC_LATTICE_OVER))) ||
		lattice_search_worse(search,
							 sdc_lattice_score_bound(lattice, level)) ||
		!lattice_search_may(search))
		return;
	sdc_lattice_table_roll(lattice, below, level, &search->probe[1]);
	lattice_search_table(search, &search->probe[1]);
}

/* Moves to better neighbours of the best node until there are none. */
static void
lattice_dive_improve(SdcLatticeSearch *search)
{
	SdcLattice *lattice = search->lattice;
	bool better = search->optima.found;
	int j;

	while (better && !search->stopped)
	{
		SdcLatticeNode start = search->optima.best;
		uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
		uint8_t below[SDC_LATTICE_MAX_KEYS] = {0};

		for (j = 0; j < lattice->keys; j++)
		{
			level[j] = (uint8_t) (start.level[j] - lattice->column[j].lowest);
			below[j] = level[j] > 0 ? (uint8_t) (level[j] - 1) : 0;
		}
		sdc_lattice_table_roll(lattice, &lattice->base, below,
							   &search->probe[0]);
		for (j = 0; j < lattice->keys; j++)
		{
			if (level[j] > 0)
			{
				level[j]--;
				try_neighbour(search, &search->probe[0], level);
				level[j]++;
			}
			if (level[j] + 1 < lattice->column[j].levels)
			{
				level[j]++;
				try_neighbour(search, &search->probe[0], level);
				level[j]--;
			}
		}
		better = lattice_optima_above(start.score, search->optima.score);
	}
}

/* ----------------------------------------------------------------------
 * The best node of a lattice, with proof.
 *
 * Depth first over a tree in which each node raises one key of its parent, no
 * key before the one that was raised last: every node comes up once, and its
 * table is rolled up from the nearest one on the path.  Bounds grow upwards,
 * so a node whose bound is above the best score goes with all below it in the
 * tree.  What a check tells of other nodes is tagged: classes only grow
 * upwards, so too many records in small classes here are too many everywhere
 * below, and few enough here are few enough above.
 *
 * Nodes are checked after all that are above them, so only those are that
 * nothing above has ruled out.  For metrics where the classes of a node bound
 * all above it, it is the other way round; where a node is untagged then, a
 * path from it to the top is halved until the step from too many to few
 * enough is found (after Kohlmayer et al. 2012, "Flash").  A good first node
 * from a dive and its neighbours makes bounds bite from the start, and where
 * much is left to check, pairs of keys tell what must be suppressed.
 * ----------------------------------------------------------------------
 */

/* Lattices up to that many nodes are tagged. */
#define TAGGED_NODES (INT64_C(1) << 24)

/* Checks that counting a pair of keys is worth, at least. */
#define PAIR_CHECKS 6

/* Is it certain that a node with that bound is not among the best? */
static bool
lattice_search_worse(const SdcLatticeSearch *search, double bound)
{
	return search->optima.found &&
		   lattice_optima_above(bound, search->optima.score);
}

/* May one more node be checked?  Else the search is stopped. */
static bool
lattice_search_may(SdcLatticeSearch *search)
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
static double
lattice_search_table(SdcLatticeSearch *search, SdcLatticeTable *table)
{
	SdcLattice *lattice = search->lattice;
	SdcHost *host = lattice->host;
	int64_t limit = lattice->problem.limit;
	int64_t number = sdc_lattice_tags_number(lattice, table->level);
	bool tagged =
		search->tag == NULL ||
		(search->tag[number] & (SDC_LATTICE_UNDER | SDC_LATTICE_OVER));
	SdcLatticeTally tally;
	SdcLatticeNode node;
	int64_t certain;

	host->poll(host, (uint64_t) search->checked, (uint64_t) lattice->nodes);
	search->checked++;
	sdc_lattice_tally(lattice, table,
					  tagged ? SDC_LATTICE_WHETHER : SDC_LATTICE_CERTAIN,
					  &tally);
	lattice_describe(lattice, table->level, &tally, &node);
	if (search->tag != NULL)
		search->tag[number] |= SDC_LATTICE_SEEN;
	if (search->witnesses != NULL)
		sdc_lattice_witnesses_note(search, number, &tally);
	if (!tagged)
	{
		certain = lattice->monotone ? tally.suppressed : tally.certain;
		if (lattice->monotone && tally.refused)
			certain = limit + 1;
		if (certain > limit)
			sdc_lattice_tags_over(lattice, search->tag, table->level,
								  node.number);
		else if (!search->falling)
			lattice_tags_under(lattice, search->tag, table->level,
							   node.number);
	}
	if (node.feasible)
	{
		node.score = sdc_lattice_score(lattice, table, &tally);
		lattice_optima_note(lattice, &search->optima, &node);
	}
	else if (search->witnesses != NULL && tally.small <= limit)
		sdc_lattice_witnesses_ask(search, table);
	/* classes that were not judged tell nothing */
	if (!tally.complete)
		return 0;
	return sdc_lattice_score_floor(lattice, table, &tally);
}

/* Combinations of groups for each class of the base at the most, so that some
 * of these are likely to become one. */
#define MOST_COMBINATIONS 32

/* Users that a table on the way to others must have, and nodes that are looked
 * at to find them. */
#define LEAST_USERS 4
#define MOST_STEPS  256

/* Is a node likely to have fewer classes than the base? */
static bool
likely_has_fewer(const SdcLattice *lattice, const uint8_t *level)
{
	double combinations = 1;
	int j;

	for (j = 0; j < lattice->keys; j++)
		combinations *= lattice->column[j].level[level[j]].groups;
	return combinations < MOST_COMBINATIONS * (double) lattice->base.classes;
}

/*
 * Is the key with the most groups left with half of them?  Many nodes lie
 * above one of these tables, and there are few of them on a path.
 */
static bool
halves_groups(const SdcLatticeSearch *search, const SdcLatticeTable *below,
			  const uint8_t *level)
{
	int j = search->order[0];
	const SdcLatticeLevel *at = search->lattice->column[j].level;

	return 2 * (int64_t) at[level[j]].groups <= at[below->level[j]].groups;
}

/*
 * Do too many records fail in a node and in all that raise keys of it, from
 * the first on?  So they do where all these keys are at the top.
 */
static bool
is_hopeless(const SdcLatticeSearch *search, const uint8_t *level,
			int64_t number, int first)
{
	const SdcLattice *lattice = search->lattice;
	int i;

	if (search->tag == NULL)
		return false;
	for (i = first; i < lattice->keys; i++)
	{
		int j = search->order[i];

		number +=
			lattice->stride[j] * (lattice->column[j].levels - 1 - level[j]);
	}
	return (search->tag[number] & SDC_LATTICE_OVER) != 0;
}

/* May a node have to be checked, for what is known now? */
static bool
may_need_check(const SdcLatticeSearch *search, const uint8_t *level,
			   int64_t number)
{
	return (search->tag[number] & (SDC_LATTICE_OVER | SDC_LATTICE_SEEN)) ==
			   0 &&
		   !lattice_search_worse(
			   search, sdc_lattice_score_bound(search->lattice, level));
}

static int count_needed(const SdcLatticeSearch *search, uint8_t *level,
						int64_t number, int first, int enough, int *steps);

/*
 * Of all nodes that raise keys of one, from the first on, those that may have
 * to be checked; counts no further than enough, and looks at no more nodes
 * than steps says.
 */
static int
count_above(const SdcLatticeSearch *search, uint8_t *level, int64_t number,
			int first, int enough, int *steps)
{
	const SdcLattice *lattice = search->lattice;
	int found = 0;
	int i;

	for (i = first; i < lattice->keys && found < enough; i++)
	{
		int j = search->order[i];

		if (level[j] + 1 == lattice->column[j].levels)
			continue;
		level[j]++;
		found += count_needed(search, level, number + lattice->stride[j], i,
							  enough - found, steps);
		level[j]--;
	}
	return found;
}

/* The same with the node itself. */
static int
count_needed(const SdcLatticeSearch *search, uint8_t *level, int64_t number,
			 int first, int enough, int *steps)
{
	int found;

	if (--*steps < 0 || is_hopeless(search, level, number, first) ||
		lattice_search_worse(search,
							 sdc_lattice_score_bound(search->lattice, level)))
		return 0;
	found = may_need_check(search, level, number);
	return found +
		   count_above(search, level, number, first, enough - found, steps);
}

/* The place of a key in the order of the search. */
static int
place_in_order(const SdcLatticeSearch *search, int key)
{
	int i = 0;

	while (search->order[i] != key)
		i++;
	return i;
}

/*
 * Which tables of the path, above the one at the bottom, have so many users
 * that they are worth it: nodes to be checked, or the next such table.
 */
static void
plan_tables(SdcLatticeSearch *search, int depth, int bottom)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int64_t number = search->number;
	int steps = MOST_STEPS;
	int users = 1;
	int at;

	memcpy(level, search->level, sizeof(level));
	for (at = depth - 1; at > bottom; at--)
	{
		int j = search->raised[at];

		level[j]--;
		number -= lattice->stride[j];
		if (search->tag == NULL)
			users = LEAST_USERS;
		else
			users += may_need_check(search, level, number) +
					 count_above(search, level, number,
								 place_in_order(search, j) + 1,
								 LEAST_USERS - users, &steps);
		search->wanted[at - 1] = users >= LEAST_USERS;
		if (users >= LEAST_USERS)
			users = 1;
	}
}

/*
 * The table of the current node, which lies at that depth.  Parents that were
 * passed by are made up for first where other children are likely to want
 * them, too.  Those that are as large as what they come from save nothing,
 * and a path of them takes much memory, so they are not.
 */
static SdcLatticeTable *
current_table(SdcLatticeSearch *search, int depth)
{
	SdcLattice *lattice = search->lattice;
	SdcLatticeTable *below = &lattice->base;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int at = depth;

	memcpy(level, search->level, sizeof(level));
	for (; at > 0 && !search->table[at - 1].filled; at--)
		level[search->raised[at - 1]]--;
	if (at > 0)
		below = &search->table[at - 1];
	plan_tables(search, depth, at);
	for (; at < depth; at++)
	{
		level[search->raised[at]]++;
		if (at + 1 < depth &&
			!(search->wanted[at] && (halves_groups(search, below, level) ||
									 likely_has_fewer(lattice, level))))
			continue;
		sdc_lattice_table_begin(lattice, below, level, &search->table[at]);
		below = &search->table[at];
	}
	return below;
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
	while ((j = lattice_dive_step(search, level, number,
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

	while (first <= last && lattice_search_may(search))
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
		lattice_search_table(search, table);
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
			candidates += !lattice_search_worse(
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
		((limited || search->witnesses != NULL) && search->checked < enough))
		return;
	search->considered = true;
	if (lattice->problem.limit > 0 &&
		count_candidates(search, enough) >= enough)
		search->pairs = sdc_lattice_pairs_start(lattice, search->tag);
}

/* Do pairs of keys tell that the current node is not among the best? */
static bool
ruled_out(const SdcLatticeSearch *search)
{
	return search->pairs != NULL &&
		   (search->tag[search->number] & SDC_LATTICE_SEEN) == 0 &&
		   lattice_search_worse(
			   search, sdc_lattice_pairs_bound(search->lattice, search->pairs,
											   search->level));
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

	consider_pairs(search);
	if ((search->witnesses != NULL && sdc_lattice_witnesses_refuse(search)) ||
		ruled_out(search))
	{
		if (tag != NULL)
			*tag |= SDC_LATTICE_SEEN;
		return true;
	}
	if (tag != NULL && !search->falling &&
		(*tag & (SDC_LATTICE_UNDER | SDC_LATTICE_OVER)) == 0)
		probe_path(search, depth);
	if (tag != NULL && (*tag & (SDC_LATTICE_OVER | SDC_LATTICE_SEEN)) != 0)
		return true;
	if (!lattice_search_may(search))
		return false;
	table = current_table(search, depth);
	found = lattice_search_table(search, table);
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

static void search_walk(SdcLatticeSearch *search, int depth, int first,
						double floor);

/*
 * What a search that was stopped leaves of the current node and of those that
 * raise keys of it.  Where nothing is known of it, they have no lower bound.
 */
static void
leave_node(SdcLatticeSearch *search, int depth, int first, double bound,
		   double floor)
{
	if (search->tag != NULL && bound < search->open &&
		((search->tag[search->number] &
		  (SDC_LATTICE_OVER | SDC_LATTICE_SEEN)) != 0 ||
		 ruled_out(search)))
		search_walk(search, depth + 1, first, floor);
	else
		leave_open(search, bound);
}

/* Walks the nodes that raise keys of the current one, from the first on. */
static void
search_walk(SdcLatticeSearch *search, int depth, int first, double floor)
{
	SdcLattice *lattice = search->lattice;
	SdcHost *host = lattice->host;
	int i;

	if (++search->passed % SDC_POLL_STEPS == 0)
		host->poll(host, (uint64_t) search->checked,
				   (uint64_t) lattice->nodes);
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
		if (lattice_search_worse(search, bound) ||
			is_hopeless(search, search->level, search->number, i))
			;
		else if (search->stopped)
			leave_node(search, depth, i, bound, floor);
		else if (search->falling)
		{
			search_walk(search, depth + 1, i, floor);
			if (!lattice_search_worse(search, bound) &&
				!visit_node(search, depth + 1, &more))
				leave_open(search, bound);
		}
		else if (!visit_node(search, depth + 1, &more))
			leave_open(search, bound);
		else
			search_walk(search, depth + 1, i, more);
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

/* Does it pay to check nodes after all that are above them? */
static bool
goes_down(const SdcLattice *lattice)
{
	return !lattice->monotone && lattice->problem.limit > 0 &&
		   !sdc_lattice_score_floored(lattice) &&
		   lattice->nodes <= TAGGED_NODES;
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
	search->wanted = sdc_new(host, bool, search->depths + 1);
	if (lattice->nodes > TAGGED_NODES)
		return;
	search->falling = goes_down(lattice);
	search->tag = sdc_new(host, uint8_t, (size_t) lattice->nodes);
	memset(search->tag,
		   lattice->problem.limit >= lattice->records ? SDC_LATTICE_UNDER : 0,
		   (size_t) lattice->nodes);
	if (search->falling && lattice->part_key >= 0)
		search->witnesses = sdc_lattice_witnesses_start(lattice);
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
	host->release(host, search->wanted);
	host->release(host, search->tag);
	sdc_lattice_pairs_release(lattice, search->pairs);
	sdc_lattice_witnesses_release(lattice, search->witnesses);
}

/* ---------- the result ---------- */

/* The finest node, which the budget may leave open. */
static void
visit_finest(SdcLatticeSearch *search, double *floor)
{
	if (!visit_node(search, 0, floor))
		leave_open(search,
				   sdc_lattice_score_bound(search->lattice, search->level));
}

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
	if (search->tag != NULL && !search->falling)
		visit_finest(search, &floor);
	if (search->falling || search->tag == NULL || !limited)
		lattice_dive(search);
	lattice_dive_improve(search);
	search->considered = false;
	if (search->tag == NULL)
	{
		search->optima.count = 0;
		visit_finest(search, &floor);
	}
	search_walk(search, 0, 0, floor);
	if (search->falling &&
		!lattice_search_worse(search,
							  sdc_lattice_score_bound(lattice, search->level)))
		visit_finest(search, &floor);
	if (search->optima.found && search->optima.count == 0)
		lattice_optima_note(search->lattice, &search->optima,
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
			: !lattice_optima_above(search.optima.score, search.open);
	result->bound = search.open;
	result->best.score = NAN;
	finish_search(&search);
	if (!search.optima.found)
		return;
	/* from the base, so that the score does not hang on the way to it */
	sdc_lattice_check(lattice, search.optima.best.level, &result->best);
	if (result->proven)
		result->bound = result->best.score;
	lattice_optima_sort(lattice, &search.optima);
	result->optima = search.optima.count;
	result->optimum = search.optima.list;
	result->optimum[0] = result->best;
}

/* ----------------------------------------------------------------------
 * Problems, and single nodes: checked, prepared, judged.
 * ----------------------------------------------------------------------
 */

/* Nodes of a lattice at the most, and records. */
#define MAX_NODES   (INT64_C(1) << 62)
#define MAX_RECORDS (INT64_C(1) << 47)

SdcLatticeProblem
sdc_lattice_problem(void)
{
	SdcLatticeProblem problem;

	memset(&problem, 0, sizeof(problem));
	problem.k = 2;
	problem.suppression_factor = 0.5;
	return problem;
}

SdcLatticeKey
sdc_lattice_key(const SdcHierarchy *hierarchy)
{
	SdcLatticeKey key;

	memset(&key, 0, sizeof(key));
	key.hierarchy = hierarchy;
	key.highest = hierarchy->levels - 1;
	key.weight = 1;
	return key;
}

static bool
has_bound(const SdcClassRequest *request, SdcClassMeasure measure)
{
	return !isnan(request->bound[measure]);
}

/* An l above a whole number by that part is meant to be the number. */
#define L_ROUNDING 1e-8

/* Models that demand so many values demand so many records. */
static int64_t
group_size(const SdcLatticeProblem *problem)
{
	int64_t size = problem->k > 1 ? problem->k : 1;
	int s;
	int m;

	for (s = 0; s < problem->sensitives; s++)
	{
		const SdcClassRequest *request = &problem->sensitive[s].request;

		/* records without a value count for the size, not for the l */
		for (m = SDC_CLASS_DISTINCT; m <= SDC_CLASS_RECURSIVE; m++)
		{
			double l = ceil(request->bound[m] * (1 - L_ROUNDING));

			if (l > (double) MAX_RECORDS)
				l = (double) (MAX_RECORDS + 1);
			if (!request->ignore_nulls && l > (double) size)
				size = (int64_t) l;
		}
	}
	return size;
}

/* What joining classes does to the bounds together. */
static SdcGrowth
growth(const SdcLatticeProblem *problem)
{
	SdcGrowth all = SDC_GROWS_ALWAYS;
	SdcGrowth one;
	int s;
	int m;

	for (s = 0; s < problem->sensitives; s++)
	{
		const SdcClassRequest *request = &problem->sensitive[s].request;

		for (m = 0; m < SDC_CLASS_MEASURES; m++)
		{
			one = sdc_class_measures_growth((SdcClassMeasure) m);
			/* a class without a value satisfies any bound */
			if (request->ignore_nulls && one == SDC_GROWS_ALWAYS)
				one = SDC_GROWS_PASSING;
			if (has_bound(request, (SdcClassMeasure) m) && one > all)
				all = one;
		}
	}
	for (m = 0; problem->sizes != NULL && m < SDC_SIZE_MEASURES; m++)
	{
		one = sdc_size_growth((SdcSizeMeasure) m);
		if (!isnan(problem->sizes->bound[m]) && one > all)
			all = one;
	}
	return all;
}

/* Is a node above a feasible one feasible? */
static bool
is_monotone(const SdcLatticeProblem *problem)
{
	SdcGrowth all = growth(problem);

	return all == SDC_GROWS_ALWAYS ||
		   (all == SDC_GROWS_PASSING && problem->limit == 0);
}

/* Counts the nodes; false when there are too many. */
static bool
count_nodes(SdcLattice *lattice)
{
	int j;

	lattice->nodes = 1;
	for (j = lattice->keys - 1; j >= 0; j--)
	{
		int64_t levels = lattice->problem.key[j].highest -
						 lattice->problem.key[j].lowest + 1;

		lattice->stride[j] = lattice->nodes;
		if (levels > 0 && lattice->nodes > MAX_NODES / levels)
			return false;
		lattice->nodes *= levels;
	}
	return true;
}

/* Measures only what has a bound. */
static void
copy_requests(SdcLattice *lattice)
{
	size_t n = (size_t) lattice->problem.sensitives;
	SdcLatticeSensitive *own;
	size_t s;
	int m;

	if (n == 0)
		return;
	own = sdc_new(lattice->host, SdcLatticeSensitive, n);
	memcpy(own, lattice->problem.sensitive, sizeof(SdcLatticeSensitive) * n);
	for (s = 0; s < n; s++)
	{
		own[s].request.wanted = 0;
		for (m = 0; m < SDC_CLASS_MEASURES; m++)
			if (has_bound(&own[s].request, (SdcClassMeasure) m))
				own[s].request.wanted |= SDC_CLASS_WANT(m);
	}
	lattice->problem.sensitive = own;
}

static SdcLatticeStatus
check_problem(const SdcLatticeProblem *problem)
{
	if (problem->keys < 1 || problem->keys > SDC_LATTICE_MAX_KEYS)
		return SDC_LATTICE_KEYS;
	if (problem->frequency->records <= 0)
		return SDC_LATTICE_EMPTY;
	if (problem->frequency->records > MAX_RECORDS ||
		(problem->people != NULL &&
		 (problem->people->records > MAX_RECORDS ||
		  problem->people->cells > INT32_MAX - problem->frequency->cells)))
		return SDC_LATTICE_OVERFLOW;
	return SDC_LATTICE_OK;
}

/* An error is found before anything is counted. */
static SdcLatticeStatus
prepare(SdcLattice *lattice, int *key)
{
	SdcHost *host = lattice->host;
	size_t keys = (size_t) lattice->keys;
	SdcLatticeStatus status;

	if (!count_nodes(lattice))
		return SDC_LATTICE_TOO_LARGE;
	lattice->column = sdc_new(host, SdcLatticeColumn, keys);
	memset(lattice->column, 0, sizeof(SdcLatticeColumn) * keys);
	lattice->records = lattice->problem.frequency->records;
	lattice->cells = lattice->problem.frequency->cells;
	if (lattice->problem.people != NULL)
		lattice->cells += lattice->problem.people->cells;
	lattice->bounded =
		lattice->problem.sizes != NULL &&
		sdc_size_bounds_any(lattice->problem.sizes, SDC_SIZE_OF_CLASSES,
							SDC_SIZE_MEASURES);
	lattice->group_size = group_size(&lattice->problem);
	lattice->monotone = is_monotone(&lattice->problem);
	lattice->part_key = goes_down(lattice) &&
								lattice->problem.limit < lattice->records &&
								lattice->problem.sensitives > 0 &&
								lattice->problem.sizes == NULL &&
								lattice->problem.people == NULL &&
								sdc_lattice_runs_rows(lattice)
							? 0
							: -1;
	status = sdc_lattice_keys_start(lattice, key);
	if (status == SDC_LATTICE_OK)
		status = sdc_lattice_score_start(lattice, key);
	return status;
}

SdcLatticeStatus
sdc_lattice_start(SdcHost *host, const SdcLatticeProblem *problem,
				  SdcLattice **lattice, int *key)
{
	SdcLatticeStatus status = check_problem(problem);
	SdcLattice *new;
	int at = -1;

	*lattice = NULL;
	if (key != NULL)
		*key = -1;
	if (status != SDC_LATTICE_OK)
		return status;
	new = sdc_new(host, SdcLattice, 1);
	memset(new, 0, sizeof(*new));
	new->host = host;
	new->problem = *problem;
	new->keys = problem->keys;
	copy_requests(new);
	status = prepare(new, &at);
	if (status != SDC_LATTICE_OK)
	{
		if (key != NULL)
			*key = at;
		sdc_lattice_release(new);
		return status;
	}
	sdc_lattice_table_start(new);
	*lattice = new;
	return SDC_LATTICE_OK;
}

void
sdc_lattice_release(SdcLattice *lattice)
{
	SdcHost *host;

	if (lattice == NULL)
		return;
	host = lattice->host;
	sdc_lattice_runs_finish(lattice);
	sdc_lattice_table_finish(lattice);
	if (lattice->column != NULL)
		sdc_lattice_keys_release(lattice);
	if (lattice->problem.sensitives > 0)
		host->release(host, (void *) lattice->problem.sensitive);
	host->release(host, lattice);
}

int64_t
sdc_lattice_nodes(const SdcLattice *lattice)
{
	return lattice->nodes;
}

/* ---------- one node ---------- */

/* Describes a node: everything but the score. */
static void
lattice_describe(const SdcLattice *lattice, const uint8_t *level,
				 const SdcLatticeTally *tally, SdcLatticeNode *node)
{
	int j;

	memset(node, 0, sizeof(*node));
	for (j = 0; j < lattice->keys; j++)
	{
		node->level[j] = (uint8_t) (level[j] + lattice->column[j].lowest);
		node->number += lattice->stride[j] * level[j];
	}
	node->feasible =
		tally->suppressed <= lattice->problem.limit && !tally->refused;
	node->score = NAN;
	node->suppressed = tally->suppressed;
	node->classes = tally->kept;
	node->smallest = tally->smallest;
	node->largest = tally->largest;
}

static void
judge(SdcLattice *lattice, SdcLatticeTable *table, SdcLatticeNode *node)
{
	SdcLatticeTally tally;

	sdc_lattice_tally(lattice, table, SDC_LATTICE_ALL, &tally);
	lattice_describe(lattice, table->level, &tally, node);
	node->score = sdc_lattice_score(lattice, table, &tally);
}

/* Rolls the base up to a node, with levels as callers count them. */
static void
roll_base(SdcLattice *lattice, const uint8_t *level)
{
	uint8_t above[SDC_LATTICE_MAX_KEYS];
	int j;

	for (j = 0; j < lattice->keys; j++)
		above[j] = (uint8_t) (level[j] - lattice->column[j].lowest);
	sdc_lattice_table_roll(lattice, &lattice->base, above, &lattice->one);
}

void
sdc_lattice_check(SdcLattice *lattice, const uint8_t *level,
				  SdcLatticeNode *node)
{
	roll_base(lattice, level);
	judge(lattice, &lattice->one, node);
}

void
sdc_lattice_suppressed(SdcLattice *lattice, const uint8_t *level,
					   bool *suppressed)
{
	SdcHost *host = lattice->host;
	int32_t cells = lattice->problem.frequency->cells;
	SdcLatticeTable *table = &lattice->one;
	SdcLatticeTally tally;
	int32_t cell;

	roll_base(lattice, level);
	sdc_lattice_tally(lattice, table, SDC_LATTICE_ALL, &tally);
	for (cell = 0; cell < cells; cell++)
	{
		int32_t c = table->target[lattice->place[cell]];

		if (cell % 1024 == 0)
			host->poll(host, (uint64_t) cell, (uint64_t) cells);
		suppressed[cell] = sdc_lattice_fails(lattice, table, c);
	}
}

/* A walk over all nodes: a table for each level that is raised. */
typedef struct Walk
{
	SdcLattice *lattice;
	SdcLatticeTable *table;
	bool (*visit)(void *argument, const SdcLatticeNode *node);
	void *argument;
	int64_t done;
} Walk;

/* Visits a node and all that raise keys from the first on. */
static bool
walk(Walk *walking, SdcLatticeTable *table, int depth, int first)
{
	SdcLattice *lattice = walking->lattice;
	SdcHost *host = lattice->host;
	SdcLatticeTable *next = &walking->table[depth];
	SdcLatticeNode node;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int j;

	host->poll(host, (uint64_t) walking->done++, (uint64_t) lattice->nodes);
	judge(lattice, table, &node);
	if (!walking->visit(walking->argument, &node))
		return false;
	memcpy(level, table->level, sizeof(level));
	for (j = first; j < lattice->keys; j++)
	{
		if (level[j] + 1 == lattice->column[j].levels)
			continue;
		level[j]++;
		sdc_lattice_table_roll(lattice, table, level, next);
		if (!walk(walking, next, depth + 1, j))
			return false;
		level[j]--;
	}
	return true;
}

void
sdc_lattice_visit(SdcLattice *lattice,
				  bool (*visit)(void *argument, const SdcLatticeNode *node),
				  void *argument)
{
	SdcHost *host = lattice->host;
	Walk walking = {lattice, NULL, visit, argument, 0};
	size_t depth = 1;
	size_t i;
	int j;

	for (j = 0; j < lattice->keys; j++)
		depth += (size_t) lattice->column[j].levels - 1;
	walking.table = sdc_new(host, SdcLatticeTable, depth);
	memset(walking.table, 0, sizeof(SdcLatticeTable) * depth);
	walk(&walking, &lattice->base, 0, 0);
	for (i = 0; i < depth; i++)
		sdc_lattice_table_release(lattice, &walking.table[i]);
	host->release(host, walking.table);
}
