/*
 * integer_search.c
 *		Integer programs by a branch and bound of our own.
 *
 * Nodes are open by bound; from each the nearer child is followed down first,
 * so that solutions are found early (Land and Doig 1960).  Columns are chosen
 * by what branching on them has gained, some being tried before (Achterberg,
 * Koch and Martin 2005).  Part of the work goes into better solutions near the
 * best one.
 */
#include "kernel/base/integer_search.h"

#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/random.h"

/* Closer to a whole number than this is one. */
#define WHOLE 1e-6

/* Open nodes at the most. */
#define MOST_NODES 2000000

/* Columns tried before branching, and trials after which one is known. */
#define TRIED    8
#define RELIABLE 4

/* ----------------------------------------------------------------------
 * The tree of nodes.
 * ----------------------------------------------------------------------
 */

/* Nodes by bound, then the latest first. */
static bool
is_before(const SdcBranchTree *tree, int32_t a, int32_t b)
{
	double x = tree->node[a].bound;
	double y = tree->node[b].bound;

	return x < y || (x == y && a > b);
}

SDC_HEAP(open_nodes, int32_t, const SdcBranchTree *, is_before)

static void
make_room(SdcBranchTree *tree)
{
	SdcHost *host = tree->host;
	int32_t room = 2 * tree->room + 64;
	SdcBranchNode *node = sdc_new(host, SdcBranchNode, (size_t) room);
	int32_t *heap = sdc_new(host, int32_t, (size_t) room);

	if (tree->nodes > 0)
	{
		memcpy(node, tree->node, (size_t) tree->nodes * sizeof(*node));
		memcpy(heap, tree->heap, (size_t) tree->open * sizeof(int32_t));
	}
	sdc_branch_release(tree);
	tree->node = node;
	tree->heap = heap;
	tree->room = room;
}

int32_t
sdc_branch_add(SdcBranchTree *tree, SdcBranchNode node)
{
	if (tree->nodes == tree->room)
		make_room(tree);
	tree->node[tree->nodes] = node;
	return tree->nodes++;
}

void
sdc_branch_open(SdcBranchTree *tree, int32_t node)
{
	open_nodes_push(tree, tree->heap, &tree->open, node);
}

double
sdc_branch_search(SdcBranchTree *tree, int32_t from, const SdcBranchRule *rule)
{
	int32_t at = from;

	while (!rule->is_spent(rule->arg))
	{
		if (at < 0)
		{
			if (tree->open == 0)
				break;
			at = open_nodes_pop(tree, tree->heap, &tree->open);
			if (!rule->is_hopeful(rule->arg, tree->node[at].bound))
			{
				tree->open = 0;
				at = -1;
				break;
			}
		}
		at = rule->solve(rule->arg, at);
	}
	if (at >= 0)
		sdc_branch_open(tree, at);
	return tree->open > 0 ? tree->node[tree->heap[0]].bound : INFINITY;
}

void
sdc_branch_release(SdcBranchTree *tree)
{
	tree->host->release(tree->host, tree->node);
	tree->host->release(tree->host, tree->heap);
}

/* ----------------------------------------------------------------------
 * Integer programs.
 * ----------------------------------------------------------------------
 */

typedef struct Search
{
	SdcHost *host;
	SdcProgram *program;
	const SdcIntegerColumns *columns;
	double most_work;
	double pause; /* work after which it stops if it has found something */
	double *best; /* x */
	bool found;
	double cost;
	SdcBranchTree tree;
	bool *changed; /* of a column: bounds set by the present node */
	double *x;     /* the relaxation of the present node */
	SdcBranchGain *gain;
	double mean_gain[2];
	bool stopped;
} Search;

/* The bounds of the columns become those of the node. */
static void
enter_node(Search *search, int32_t at)
{
	const SdcIntegerColumns *columns = search->columns;
	int32_t j;

	for (j = 0; j < search->program->columns; j++)
		if (search->changed[j])
			sdc_program_bounds(search->program, j, columns->low[j],
							   columns->high[j]);
	memset(search->changed, 0, (size_t) search->program->columns);
	for (; search->tree.node[at].column >= 0;
		 at = search->tree.node[at].parent)
	{
		const SdcBranchNode *node = &search->tree.node[at];

		/* what is nearer to the node is tighter */
		if (search->changed[node->column])
			continue;
		search->changed[node->column] = true;
		sdc_program_bounds(search->program, node->column, node->low,
						   node->high);
	}
}

/* The bounds that hold for a column at a node. */
static void
find_bounds(const Search *search, int32_t at, int32_t column, double *low,
			double *high)
{
	*low = search->columns->low[column];
	*high = search->columns->high[column];
	for (; search->tree.node[at].column >= 0;
		 at = search->tree.node[at].parent)
		if (search->tree.node[at].column == column)
		{
			*low = search->tree.node[at].low;
			*high = search->tree.node[at].high;
			return;
		}
}

static bool
is_hopeful(const void *arg, double bound)
{
	const Search *search = arg;

	if (!search->found)
		return true;
	if (search->columns->whole_cost)
		return bound <= search->cost - 1 + 1e-6;
	return bound < search->cost - 1e-9 * (1 + fabs(search->cost));
}

/* What branching on a column gains: the product of both ways. */
static double
score(const Search *search, int32_t j)
{
	const SdcBranchGain *gain = &search->gain[j];
	double below = search->x[j] - floor(search->x[j]);
	double product = 1;
	int up;

	for (up = 0; up < 2; up++)
	{
		double way = up ? 1 - below : below;
		double each = sdc_branch_gain(gain, up, search->mean_gain[up]);

		product *= fmax(way * each, 1e-9);
	}
	return product;
}

/* Solves both ways of a column that little is known of. */
static void
try_column(Search *search, int32_t at, int32_t j, double bound)
{
	double low;
	double high;
	int up;

	find_bounds(search, at, j, &low, &high);
	for (up = 0; up < 2; up++)
	{
		double below = search->x[j] - floor(search->x[j]);
		double edge = floor(search->x[j]) + up;
		SdcSolverResult result;
		double gained;

		sdc_program_bounds(search->program, j, up ? edge : low,
						   up ? high : edge);
		result = sdc_program_solve(search->program, true);
		gained = result.status == SDC_SOLVER_OPTIMAL
					 ? fmax(result.objective - bound, 0)
					 : fmax(search->cost - bound, fabs(bound) / 10);
		if (!isfinite(gained))
			gained = fabs(bound) / 10;
		gained /= up ? 1 - below : below;
		sdc_branch_gain_add(&search->gain[j], up, gained);
		search->mean_gain[up] += (gained - search->mean_gain[up]) / 32;
	}
	sdc_program_bounds(search->program, j, low, high);
}

/*
 * The fractional column of the highest rank that promises most, some tried
 * before; -1 when all are whole.
 */
static int32_t
choose_column(Search *search, int32_t at, double bound)
{
	int32_t best;
	int32_t tried;
	int32_t j;

	for (tried = 0;; tried++)
	{
		double most = -1;
		uint8_t rank = 1;

		best = -1;
		for (j = 0; j < search->program->columns; j++)
		{
			if (search->columns->rank[j] < rank ||
				fabs(search->x[j] - rint(search->x[j])) <= WHOLE)
				continue;
			if (search->columns->rank[j] > rank || score(search, j) > most)
			{
				best = j;
				most = score(search, j);
				rank = search->columns->rank[j];
			}
		}
		if (best < 0 || tried >= TRIED || !search->found ||
			search->program->work > search->most_work ||
			sdc_branch_gain_is_known(&search->gain[best], RELIABLE))
			return best;
		try_column(search, at, best, bound);
	}
}

static void
read_x(Search *search)
{
	int32_t j;

	for (j = 0; j < search->program->columns; j++)
		search->x[j] = sdc_program_value(search->program, j);
}

static void
take_solution(Search *search, double cost)
{
	int32_t j;

	if (search->found && cost >= search->cost)
		return;
	search->found = true;
	search->cost = search->columns->whole_cost ? rint(cost) : cost;
	for (j = 0; j < search->program->columns; j++)
		search->best[j] =
			search->columns->rank[j] > 0 ? rint(search->x[j]) : search->x[j];
}

/* Two children; the further one is left open, the nearer one returned. */
static int32_t
branch(Search *search, int32_t at, int32_t column, double bound)
{
	double x = search->x[column];
	double low;
	double high;
	int32_t down;
	int32_t up;
	bool nearer_up = x - floor(x) > 0.5;

	find_bounds(search, at, column, &low, &high);
	down = sdc_branch_add(&search->tree,
						  (SdcBranchNode){at, column, low, floor(x), bound});
	up = sdc_branch_add(
		&search->tree, (SdcBranchNode){at, column, floor(x) + 1, high, bound});
	sdc_branch_open(&search->tree, nearer_up ? down : up);
	return nearer_up ? up : down;
}

/* Solves a node; returns the child to go on with, or -1. */
static int32_t
solve_node(void *arg, int32_t at)
{
	Search *search = arg;
	SdcSolverResult result;
	double bound;
	int32_t column;

	enter_node(search, at);
	result = sdc_program_solve(search->program, true);
	if (result.status == SDC_SOLVER_INFEASIBLE)
		return -1;
	if (result.status != SDC_SOLVER_OPTIMAL)
	{
		/* what is not known is not given up */
		search->stopped = true;
		sdc_branch_open(&search->tree, at);
		return -1;
	}
	bound = fmax(search->tree.node[at].bound,
				 sdc_program_bound(search->program, NULL));
	if (!is_hopeful(search, bound))
		return -1;
	read_x(search);
	column = choose_column(search, at, result.objective);
	if (column >= 0)
		return branch(search, at, column, bound);
	take_solution(search, result.objective);
	return -1;
}

static bool
is_spent(void *arg)
{
	Search *search = arg;

	search->stopped =
		search->stopped || search->program->work > search->most_work ||
		(search->found && search->program->work > search->pause) ||
		search->tree.nodes > MOST_NODES;
	return search->stopped;
}

/* A search that knows no solution yet. */
static void
start_search(Search *search, SdcProgram *program,
			 const SdcIntegerColumns *columns, double *x)
{
	SdcHost *host = program->host;
	size_t n = (size_t) program->columns + 1;

	memset(search, 0, sizeof(*search));
	search->host = search->tree.host = host;
	search->program = program;
	search->columns = columns;
	search->best = x;
	search->cost = search->pause = INFINITY;
	search->mean_gain[0] = search->mean_gain[1] = 1e-3;
	search->x = sdc_new(host, double, n);
	search->gain = sdc_new(host, SdcBranchGain, n);
	memset(search->gain, 0, (n - 1) * sizeof(SdcBranchGain));
	search->changed = sdc_new(host, bool, n);
	memset(search->changed, 1, n - 1);
}

/* From a node, or -1, until so much work is done; the bound that is left. */
static double
go_on(Search *search, int32_t from, double most_work)
{
	SdcBranchRule rule = {is_spent, is_hopeful, solve_node, search};

	search->stopped = false;
	search->most_work = search->program->most_work = most_work;
	return sdc_branch_search(&search->tree, from, &rule);
}

static int32_t
add_root(Search *search)
{
	return sdc_branch_add(&search->tree,
						  (SdcBranchNode){-1, -1, 0, 0, -INFINITY});
}

static void
end_search(Search *search)
{
	SdcHost *host = search->host;

	host->release(host, search->changed);
	host->release(host, search->x);
	host->release(host, search->gain);
	sdc_branch_release(&search->tree);
}

/* ----------------------------------------------------------------------
 * A better solution near one that is known: most columns of the highest rank
 * stay, a search decides the others anew (large neighbourhoods: Shaw 1998).
 * How many are free grows where such searches end without a gain, and falls
 * where one does not end.  After some without a gain a few columns are made
 * to change, at a little cost, and it begins anew from there (iterated local
 * search: Lourenço, Martin and Stützle 2003).
 * ----------------------------------------------------------------------
 */

/* Free columns at first, and at least; searches in vain before one more is. */
#define FEWEST_FREE 8
#define IN_VAIN     4

/* Searches without a gain before columns are made to change, how many, and
 * what that may cost, as a part of all. */
#define PATIENCE     12
#define MADE_TO_MOVE 3
#define COST_OF_MOVE 0.01

/* Nodes whose work is spent on one neighbourhood. */
#define NODES_NEAR 60

/* A solution, and the columns of the highest rank in the order of what becomes
 * of them: moved ones, free ones, those that stay. */
typedef struct Near
{
	double *x;
	double cost;
	int32_t *column;
	int32_t count;
	double work; /* for one search */
} Near;

static void
start_near(const Search *search, double node_work, Near *near)
{
	SdcHost *host = search->host;
	int32_t columns = search->program->columns;
	const uint8_t *rank = search->columns->rank;
	uint8_t highest = 1;
	int32_t j;

	near->x = sdc_new(host, double, (size_t) columns + 1);
	near->column = sdc_new(host, int32_t, (size_t) columns + 1);
	near->work = NODES_NEAR * node_work;
	near->count = 0;
	for (j = 0; j < columns; j++)
		if (rank[j] > highest)
			highest = rank[j];
	for (j = 0; j < columns; j++)
		if (rank[j] == highest &&
			search->columns->low[j] < search->columns->high[j])
			near->column[near->count++] = j;
}

static void
copy_best(const Search *search, Near *near)
{
	near->cost = search->cost;
	memcpy(near->x, search->best,
		   (size_t) search->program->columns * sizeof(double));
}

/* The bounds of a search near the solution. */
static void
set_bounds(const Search *search, const Near *near, int32_t moved, int32_t free,
		   double *low, double *high)
{
	size_t bytes = (size_t) search->program->columns * sizeof(double);
	int32_t k;

	memcpy(low, search->columns->low, bytes);
	memcpy(high, search->columns->high, bytes);
	for (k = 0; k < near->count; k++)
	{
		int32_t j = near->column[k];
		double way = k >= moved ? 0 : near->x[j] > low[j] ? -1 : 1;

		if (k < moved || k >= moved + free)
			low[j] = high[j] = near->x[j] + way;
	}
}

/* What was learned of columns goes from one search to another. */
static void
copy_gains(const Search *from, Search *to)
{
	memcpy(to->gain, from->gain,
		   (size_t) from->program->columns * sizeof(SdcBranchGain));
	memcpy(to->mean_gain, from->mean_gain, sizeof(to->mean_gain));
}

/*
 * Searches near the solution for one that costs less, or at most so much more;
 * returns whether all of it was searched.
 */
static bool
search_near(Search *search, Near *near, int32_t moved, int32_t free,
			double more)
{
	SdcHost *host = search->host;
	size_t n = (size_t) search->program->columns + 1;
	double *low = sdc_new(host, double, n);
	double *high = sdc_new(host, double, n);
	SdcIntegerColumns columns = {search->columns->rank, low, high,
								 search->columns->whole_cost};
	Search inner;

	set_bounds(search, near, moved, free, low, high);
	start_search(&inner, search->program, &columns, near->x);
	copy_gains(search, &inner);
	inner.found = true;
	inner.cost = near->cost + more;
	(void) go_on(&inner, add_root(&inner), search->program->work + near->work);
	if (inner.cost < near->cost + more)
		near->cost = inner.cost;
	copy_gains(&inner, search);
	end_search(&inner);
	host->release(host, low);
	host->release(host, high);
	return !inner.stopped;
}

/* Searches with so many free columns, and keeps what is better than all. */
static bool
try_near(Search *search, Near *near, SdcRandom *random, int32_t free)
{
	bool all;

	sdc_random_draw(random, near->column, near->count, free);
	all = search_near(search, near, 0, free, 0);
	if (near->cost < search->cost)
	{
		search->cost = near->cost;
		memcpy(search->best, near->x,
			   (size_t) search->program->columns * sizeof(double));
	}
	return all;
}

/* From the best solution to another one that may cost more. */
static void
move_away(Search *search, Near *near, SdcRandom *random)
{
	copy_best(search, near);
	sdc_random_draw(random, near->column, near->count,
					MADE_TO_MOVE + FEWEST_FREE);
	(void) search_near(search, near, MADE_TO_MOVE, FEWEST_FREE,
					   COST_OF_MOVE * fabs(search->cost));
}

/* Spends the work on neighbourhoods of the best solution, given what a node
 * costs. */
static void
improve(Search *search, double work, double node_work)
{
	SdcHost *host = search->host;
	double end = search->program->work + work;
	int32_t free = FEWEST_FREE;
	int32_t in_vain = 0;
	SdcRandom random;
	Near near;

	sdc_random_seed(&random, 1, 0);
	start_near(search, node_work, &near);
	copy_best(search, &near);
	while (search->program->work + near.work < end &&
		   near.count > FEWEST_FREE + MADE_TO_MOVE)
	{
		double before = near.cost;

		if (!try_near(search, &near, &random, free))
			free -= free > FEWEST_FREE;
		in_vain = near.cost < before ? 0 : in_vain + 1;
		if (in_vain > 0 && in_vain % IN_VAIN == 0 && free < near.count)
			free++;
		if (in_vain < PATIENCE)
			continue;
		move_away(search, &near, &random);
		free = FEWEST_FREE;
		in_vain = 0;
	}
	memset(search->changed, 1, (size_t) search->program->columns);
	host->release(host, near.x);
	host->release(host, near.column);
}

/* Of the work: before neighbourhoods are searched, and for them. */
#define WORK_BEFORE 0.1
#define WORK_NEAR   0.5

/*
 * The whole search; returns the bound that is left.  It goes down until it has
 * a solution, and is not broken off on the way.
 */
static double
search_all(Search *search, double work)
{
	double start = search->program->work;
	double end = start + work;
	double bound;

	search->pause = start + WORK_BEFORE * work;
	bound = go_on(search, add_root(search), end);
	if (!search->stopped || search->program->work > end)
		return bound;
	search->pause = INFINITY;
	if (search->found)
		improve(search, WORK_NEAR * (end - search->program->work),
				(search->program->work - start) / search->tree.nodes);
	return go_on(search, -1, end);
}

SdcSolverResult
sdc_integer_search(SdcProgram *program, const SdcIntegerColumns *columns,
				   double most_work, double *x)
{
	SdcSolverResult result = {SDC_SOLVER_LIMIT, NAN, -INFINITY, NULL, 0};
	Search search;
	double bound;

	start_search(&search, program, columns, x);
	bound = search_all(&search, most_work);
	if (columns->whole_cost && isfinite(bound))
		bound = ceil(bound - 1e-6);
	if (search.found)
	{
		bool proven = isinf(bound) ? bound > 0 : !is_hopeful(&search, bound);

		result.status = proven ? SDC_SOLVER_OPTIMAL : SDC_SOLVER_FEASIBLE;
		result.objective = search.cost;
		result.bound = proven ? search.cost : bound;
	}
	else if (isinf(bound) && bound > 0)
		result.status = SDC_SOLVER_INFEASIBLE;
	else
		result.bound = bound;
	program->most_work = INFINITY;
	end_search(&search);
	return result;
}
