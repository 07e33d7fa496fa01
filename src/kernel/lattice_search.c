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
 * from a dive and its neighbours makes bounds bite from the start.
 */
#include "kernel/lattice_parts.h"

#include <math.h>
#include <string.h>

#include "kernel/sort.h"

/* Lattices up to that many nodes are tagged. */
#define TAGGED_NODES (INT64_C(1) << 24)

enum
{
	UNDER = 1, /* few enough records in classes that are certain to fail */
	OVER = 2,  /* too many */
	SEEN = 4   /* checked */
};

typedef struct Search
{
	SdcLattice *lattice;
	const SdcLatticeBudget *budget;
	uint8_t *tag; /* NULL: not tagged */
	int order[SDC_LATTICE_MAX_KEYS];
	uint8_t level[SDC_LATTICE_MAX_KEYS]; /* of the current node */
	int64_t number;
	SdcLatticeTable *table; /* of the path, from depth 1 on */
	size_t depths;
	SdcLatticeTable probe[2];
	uint8_t *path; /* keys that a path to the top raises */
	int64_t checked;
	int64_t passed; /* nodes that were looked at */
	bool stopped;
	double open; /* the least bound of what was not looked at */
	bool found;
	double score; /* the least */
	SdcLatticeNode best;
	SdcLatticeNode *optimum;
	int64_t optima;
	int64_t room;
} Search;

/* ---------- ties ---------- */

/* Is a score above another one, beyond a tie? */
static bool
above(double score, double other)
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
		return values[0] > values[1];
	return node->number < other->number;
}

static void
append_optimum(Search *search, const SdcLatticeNode *node, bool better)
{
	SdcHost *host = search->lattice->host;

	if (search->optima == search->room &&
		search->room < SDC_LATTICE_MAX_OPTIMA)
	{
		int64_t room = search->room > 0 ? search->room * 4 : 16;
		SdcLatticeNode *more = sdc_new(host, SdcLatticeNode, (size_t) room);

		memcpy(more, search->optimum,
			   sizeof(SdcLatticeNode) * (size_t) search->room);
		host->release(host, search->optimum);
		search->optimum = more;
		search->room = room;
	}
	if (search->optima < search->room)
		search->optimum[search->optima] = *node;
	else if (better)
		search->optimum[search->room - 1] = *node;
	search->optima++;
}

static void
note_node(Search *search, const SdcLatticeNode *node)
{
	bool better;

	if (search->found && above(node->score, search->score))
		return;
	better = !search->found || above(search->score, node->score);
	if (better)
		search->optima = 0;
	if (!search->found || node->score < search->score)
		search->score = node->score;
	search->found = true;
	better = better || is_better(search->lattice, node, &search->best);
	if (better)
		search->best = *node;
	append_optimum(search, node, better);
}

/* ---------- tags ---------- */

/* Tags a node and all above it. */
static void
tag_up(Search *search, const uint8_t *level, int64_t number)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t at[SDC_LATTICE_MAX_KEYS];
	int j;

	if (search->tag[number] & UNDER)
		return;
	search->tag[number] |= UNDER;
	memcpy(at, level, sizeof(at));
	for (j = 0; j < lattice->keys; j++)
	{
		if (at[j] + 1 == lattice->column[j].levels)
			continue;
		at[j]++;
		tag_up(search, at, number + lattice->stride[j]);
		at[j]--;
	}
}

/* Tags a node and all below it. */
static void
tag_down(Search *search, const uint8_t *level, int64_t number)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t at[SDC_LATTICE_MAX_KEYS];
	int j;

	if (search->tag[number] & OVER)
		return;
	search->tag[number] |= OVER;
	memcpy(at, level, sizeof(at));
	for (j = 0; j < lattice->keys; j++)
	{
		if (at[j] == 0)
			continue;
		at[j]--;
		tag_down(search, at, number - lattice->stride[j]);
		at[j]++;
	}
}

static int64_t
number_of(const SdcLattice *lattice, const uint8_t *level)
{
	int64_t number = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
		number += lattice->stride[j] * level[j];
	return number;
}

/* ---------- checks ---------- */

/* May one more node be checked? */
static bool
may_check(Search *search)
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
check_table(Search *search, SdcLatticeTable *table)
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
			tag_down(search, table->level, node.number);
		else
			tag_up(search, table->level, node.number);
		search->tag[node.number] |= SEEN;
	}
	if (node.feasible)
	{
		node.score = sdc_lattice_score(lattice, table, &tally);
		note_node(search, &node);
	}
	/* classes that were not judged tell nothing */
	if (tally.small > limit)
		return 0;
	return sdc_lattice_score_floor(lattice, table, &tally);
}

/* The table of the path at a depth, or the nearest below it. */
static SdcLatticeTable *
table_at(Search *search, int depth)
{
	while (depth > 0 && !search->table[depth - 1].filled)
		depth--;
	return depth > 0 ? &search->table[depth - 1] : &search->lattice->base;
}

/* The table of the current node, which lies at that depth. */
static SdcLatticeTable *
current_table(Search *search, int depth)
{
	if (depth > 0 && !search->table[depth - 1].filled)
		sdc_lattice_table_roll(search->lattice, table_at(search, depth),
							   search->level, &search->table[depth - 1]);
	return table_at(search, depth);
}

/*
 * From a node the successor with the least bound, among those without one of
 * the tags; -1 when there is none.
 */
static int
step_up(Search *search, uint8_t *level, int64_t number, int tags,
		double *bound)
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

/* A path from the current node to the top through untagged nodes. */
static int
plan_path(Search *search)
{
	const SdcLattice *lattice = search->lattice;
	uint8_t level[SDC_LATTICE_MAX_KEYS];
	int64_t number = search->number;
	int steps = 0;
	double bound;
	int j;

	memcpy(level, search->level, sizeof(level));
	while ((j = step_up(search, level, number, UNDER | OVER, &bound)) >= 0)
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
probe_path(Search *search, int depth)
{
	SdcLatticeTable *low = current_table(search, depth);
	int first = 0;
	int last = plan_path(search);
	int spare = 0;

	while (first <= last && may_check(search))
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
		check_table(search, table);
		if (search->tag[number_of(search->lattice, level)] & OVER)
		{
			low = table;
			spare = middle == 0 ? spare : 1 - spare;
			first = middle + 1;
		}
		else
			last = middle - 1;
	}
}

/* ---------- the first node ---------- */

/* Checks the nodes of the path of least bounds as long as they may be best. */
static void
dive(Search *search)
{
	SdcLattice *lattice = search->lattice;
	SdcLatticeTable *table = &lattice->base;
	uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
	int64_t number = 0;
	int spare = 0;
	double bound;
	int j;

	while ((j = step_up(search, level, number, SEEN | OVER, &bound)) >= 0 &&
		   !(search->found && above(bound, search->score)) &&
		   may_check(search))
	{
		level[j]++;
		number += lattice->stride[j];
		sdc_lattice_table_roll(lattice, table, level, &search->probe[spare]);
		table = &search->probe[spare];
		spare = 1 - spare;
		check_table(search, table);
	}
}

/* Checks a neighbour of the best node, from the table below all of them. */
static void
try_neighbour(Search *search, const SdcLatticeTable *below,
			  const uint8_t *level)
{
	SdcLattice *lattice = search->lattice;
	int64_t number = number_of(lattice, level);

	if ((search->tag != NULL && (search->tag[number] & (SEEN | OVER))) ||
		above(sdc_lattice_score_bound(lattice, level), search->score) ||
		!may_check(search))
		return;
	sdc_lattice_table_roll(lattice, below, level, &search->probe[1]);
	check_table(search, &search->probe[1]);
}

/* Moves to better neighbours until there are none. */
static void
improve(Search *search)
{
	SdcLattice *lattice = search->lattice;
	bool better = search->found;
	int j;

	while (better && !search->stopped)
	{
		SdcLatticeNode start = search->best;
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
		better = above(start.score, search->score);
	}
}

/* ---------- the walk ---------- */

/*
 * Checks the current node unless its tag says all.  False when the budget
 * ended before.
 */
static bool
visit_node(Search *search, int depth, double *floor)
{
	uint8_t *tag = search->tag != NULL ? &search->tag[search->number] : NULL;
	SdcLatticeTable *table;
	double found;

	if (++search->passed % SDC_POLL_STEPS == 0)
		search->lattice->host->poll(search->lattice->host,
									(uint64_t) search->checked,
									(uint64_t) search->lattice->nodes);
	if (tag != NULL && (*tag & (UNDER | OVER)) == 0)
		probe_path(search, depth);
	if (tag != NULL && (*tag & (OVER | SEEN)) != 0)
		return true;
	if (!may_check(search))
		return false;
	table = current_table(search, depth);
	found = check_table(search, table);
	if (found > *floor)
		*floor = found;
	return true;
}

static void
leave_open(Search *search, double bound)
{
	if (bound < search->open)
		search->open = bound;
}

/* Walks the nodes that raise keys of the current one, from the first on. */
static void
walk(Search *search, int depth, int first, double floor)
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
		bound = sdc_lattice_score_bound(lattice, search->level);
		bound = bound > floor ? bound : floor;
		if (search->found && above(bound, search->score))
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
order_keys(Search *search)
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
start_search(Search *search, SdcLattice *lattice,
			 const SdcLatticeBudget *budget)
{
	SdcHost *host = lattice->host;
	int j;

	memset(search, 0, sizeof(*search));
	search->lattice = lattice;
	search->budget = budget;
	search->open = INFINITY;
	search->score = INFINITY;
	order_keys(search);
	for (j = 0; j < lattice->keys; j++)
		search->depths += (size_t) lattice->column[j].levels - 1;
	search->table = sdc_new(host, SdcLatticeTable, search->depths + 1);
	memset(search->table, 0, sizeof(SdcLatticeTable) * (search->depths + 1));
	search->path = sdc_new(host, uint8_t, search->depths + 1);
	if (lattice->nodes > TAGGED_NODES)
		return;
	search->tag = sdc_new(host, uint8_t, (size_t) lattice->nodes);
	memset(search->tag, lattice->problem.limit >= lattice->records ? UNDER : 0,
		   (size_t) lattice->nodes);
}

static void
finish_search(Search *search)
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
	host->release(host, search->tag);
}

/* ---------- the result ---------- */

static int
compare_optima(int32_t a, int32_t b, void *arg)
{
	const Search *search = arg;
	const SdcLatticeNode *first = &search->optimum[a];
	const SdcLatticeNode *second = &search->optimum[b];

	if (is_better(search->lattice, first, second))
		return -1;
	return is_better(search->lattice, second, first) ? 1 : 0;
}

/* The list in the order of the tie rule. */
static SdcLatticeNode *
sort_optima(Search *search)
{
	SdcHost *host = search->lattice->host;
	int64_t listed =
		search->optima < search->room ? search->optima : search->room;
	SdcLatticeNode *sorted = sdc_new(host, SdcLatticeNode, (size_t) listed);
	int32_t *rows = sdc_new(host, int32_t, (size_t) listed);
	int32_t i;

	for (i = 0; i < listed; i++)
		rows[i] = i;
	sdc_sort_rows(host, rows, (size_t) listed, compare_optima, search);
	for (i = 0; i < listed; i++)
		sorted[i] = search->optimum[rows[i]];
	host->release(host, rows);
	host->release(host, search->optimum);
	return sorted;
}

/*
 * The first node, and the walk.  Without tags the walk comes by the nodes
 * that the dive has seen, so only their score is kept.
 */
static void
run_search(Search *search)
{
	const SdcLattice *lattice = search->lattice;
	bool limited =
		lattice->monotone && lattice->problem.limit < lattice->records;
	double floor = 0;

	if (search->tag != NULL && !visit_node(search, 0, &floor))
		leave_open(search, sdc_lattice_score_bound(lattice, search->level));
	if (search->tag == NULL || !limited)
		dive(search);
	improve(search);
	if (search->tag == NULL)
	{
		search->optima = 0;
		if (!visit_node(search, 0, &floor))
			leave_open(search,
					   sdc_lattice_score_bound(lattice, search->level));
	}
	walk(search, 0, 0, floor);
	if (search->found && search->optima == 0)
		append_optimum(search, &search->best, true);
}

void
sdc_lattice_search(SdcLattice *lattice, const SdcLatticeBudget *budget,
				   SdcLatticeResult *result)
{
	Search search;

	start_search(&search, lattice, budget);
	run_search(&search);
	memset(result, 0, sizeof(*result));
	result->nodes = lattice->nodes;
	result->checked = search.checked;
	result->found = search.found;
	result->stopped = search.stopped;
	result->proven =
		!search.found ? isinf(search.open) : !above(search.score, search.open);
	result->bound = search.open;
	result->best.score = NAN;
	finish_search(&search);
	if (!search.found)
		return;
	/* from the base, so that the score does not hang on the way to it */
	sdc_lattice_check(lattice, search.best.level, &result->best);
	if (result->proven)
		result->bound = result->best.score;
	result->optima = search.optima;
	result->optimum = sort_optima(&search);
	result->optimum[0] = result->best;
}
