/*
 * suppression.c
 *		Secondary suppression: branch and cut of our own.
 *
 * A column x_i for each cell that may be hidden, x_i = 1 when it is.  Rows
 * are cuts that every pattern of least cost satisfies, found as they are
 * violated:
 *
 * Capacity cuts: an attack on a fractional pattern is the linear program with
 * bounds low x and high x.  Its row prices y give d = e - M'y, and what every
 * pattern that protects the cell satisfies is
 * sum (max(d_i, 0) high_i + max(-d_i, 0) low_i) x_i >= need.  This holds for
 * any y, so rounding can make a cut weak and never wrong.
 *
 * Cover cuts: cells whose coefficients add up to less than the right side
 * cannot do it; one of the others is hidden.
 *
 * Row cuts: a cell that is the only hidden one of an equation is known, so
 * it would be cheaper not to hide it: x_i <= sum of the others.
 *
 * Bounds are the Lagrangian of the prices of the relaxation
 * (sdc_program_bound), so a node is never given up because of the solver's
 * tolerances; and when the solver says that a node has no solution, that is
 * only believed once the pattern that hides all it may is shown to fail.  A
 * pattern of whole numbers counts only after all attacks on it have failed,
 * the respondents' included.  So what is called proven rests on the attacks
 * and the sums of this file, not on the word of a solver.
 */
#include "kernel/tabular/suppression.h"

#include <math.h>
#include <string.h>

#include "kernel/base/integer_search.h"
#include "kernel/base/sort.h"
#include "kernel/tabular/tabular_private.h"

/* Closer to a whole number than this is one. */
#define WHOLE 1e-6

/* Coefficients below are dropped, and the right side is lowered for them. */
#define TINY 1e-7

/* A cut must be violated by this. */
#define VIOLATED 1e-4

/* Cuts of one round: at the root, at other nodes. */
#define ROOT_CUTS 200
#define NODE_CUTS 40

/* Rounds without gain at the root; rounds at another node. */
#define ROOT_STALL  12
#define NODE_ROUNDS 4

/* Columns tried before branching, and trials after which one is known. */
#define TRIED    8
#define RELIABLE 4

/* The heuristic is run at every so manieth node. */
#define HEURISTIC_NODES 20

/* Open nodes at the most. */
#define MOST_NODES 4000000

typedef struct Search
{
	SdcHost *host;
	const SdcTabular *table;
	SdcSuppression *result;
	double most_work;
	double spent; /* by attackers */
	SdcProgram *program;
	int32_t columns;
	int32_t *cell;   /* of a column */
	int32_t *column; /* of a cell, or -1 */
	double fixed;    /* the cost of the unsafe cells */
	bool whole_weights;
	double *x;       /* of each cell */
	double *between; /* that and the best pattern */
	bool *best;
	bool *trial;    /* a pattern */
	int8_t *forced; /* of a column: 0, 1 for all nodes; -1 free */
	int8_t *branch; /* the same for the present node */
	SdcBranchGain *gain;
	SdcArea *area;
	SdcHeuristic *heuristic;
	int32_t *unsafe;
	int32_t unsafe_count;
	int32_t from; /* the unsafe cell to begin with */
	double *coefficient;
	int *index;
	double *value;
	SdcBranchTree tree; /* a column is fixed to 1 (hidden) or 0 */
	bool stopped;
	bool undecided; /* a pattern was given up that may protect */
	bool solved;    /* the program holds an optimal point of the node */
	double root_bound;
	double *root_reduced;
} Search;

static double
work_done(const Search *search)
{
	return search->program->work + search->spent +
		   sdc_heuristic_work(search->heuristic);
}

/* ----------------------------------------------------------------------
 * Cuts
 * ----------------------------------------------------------------------
 */

static void
add_cut(Search *search, int count, double low)
{
	sdc_program_add_row(search->program, count, search->index, search->value,
						low);
	search->result->cuts++;
}

/* d = e - M'y of the attacker's last run, as what x_i contributes. */
static void
price_cells(Search *search, const SdcAttacker *attacker, SdcAttack attack)
{
	const SdcTabular *table = search->table;
	const SdcArea *area = attacker->area;
	double *d = search->coefficient;
	int32_t i;
	int32_t k;
	int64_t e;

	memset(d, 0, (size_t) table->cells * sizeof(double));
	d[attack.cell] = attack.sign;
	for (k = 0; k < area->lines; k++)
	{
		double price = sdc_program_price(attacker->program, k);
		int32_t r = area->equation[k];

		if (fabs(price) < 1e-9)
			continue;
		d[table->member[table->start[r]]] += price;
		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			d[table->member[e]] -= price;
	}
	for (i = 0; i < table->cells; i++)
	{
		int sign = d[i] > 0 ? 1 : -1;

		d[i] *= sign * sdc_cell_room(table, attack.holder, i, sign);
	}
}

/*
 * The cover cut of a capacity cut of count entries, index and value: entries
 * leave, those with the most x per coefficient first, while they together
 * stay below low.
 */
static bool
add_cover(Search *search, int count, double low)
{
	SdcHost *host = search->host;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) count + 1);
	int32_t *order = sdc_new(host, int32_t, (size_t) count + 1);
	int *index = sdc_new(host, int, (size_t) count + 1);
	double room = low - 1e-6;
	double sum = 0;
	int kept = 0;
	int k;
	bool added;

	for (k = 0; k < count; k++)
	{
		order[k] = k;
		key[k] = sdc_sort_key(-search->x[search->cell[search->index[k]]] /
							  search->value[k]);
	}
	sdc_sort_keys(host, key, order, (size_t) count);
	for (k = 0; k < count; k++)
	{
		int entry = order[k];

		if (search->value[entry] < room)
		{
			room -= search->value[entry];
			continue;
		}
		index[kept++] = search->index[entry];
		sum += search->x[search->cell[search->index[entry]]];
	}
	added = kept < count && sum < 1 - 1e-3;
	if (added)
	{
		for (k = 0; k < kept; k++)
		{
			search->index[k] = index[k];
			search->value[k] = 1;
		}
		add_cut(search, kept, 1);
	}
	host->release(host, key);
	host->release(host, order);
	host->release(host, index);
	return added;
}

/* The cuts of an attack that succeeded; false when x violates none. */
static bool
add_capacity(Search *search, const SdcAttacker *attacker, SdcAttack attack)
{
	const SdcTabular *table = search->table;
	double need = sdc_attack_need(table, attack);
	double right = need;
	double dropped = 0;
	double left = 0;
	int count = 0;
	int32_t i;
	bool added = false;

	price_cells(search, attacker, attack);
	for (i = 0; i < table->cells; i++)
		if (table->role[i] == SDC_CELL_UNSAFE)
			right -= search->coefficient[i];
	if (right < SDC_TABULAR_TOLERANCE * (need > 1 ? need : 1))
		return false;
	for (i = 0; i < table->cells; i++)
	{
		double c = search->coefficient[i] / right;

		if (search->column[i] < 0 || c <= 0)
			continue;
		c = c < 1 ? c : 1;
		if (c < TINY)
		{
			dropped += c;
			continue;
		}
		search->index[count] = search->column[i];
		search->value[count++] = c;
		left += c * search->x[i];
	}
	if (left < 1 - dropped - VIOLATED)
	{
		add_cut(search, count, 1 - dropped);
		added = true;
	}
	return add_cover(search, count, 1 - dropped) || added;
}

/* The row cut of an equation, if x violates it. */
static bool
add_row(Search *search, int32_t r)
{
	const SdcTabular *table = search->table;
	double sum = 0;
	double most = 0;
	int32_t at = -1;
	int count = 0;
	int64_t e;

	for (e = table->start[r]; e < table->start[r + 1]; e++)
	{
		int32_t i = table->member[e];

		if (table->role[i] == SDC_CELL_UNSAFE)
			return false;
		sum += search->x[i];
		if (search->x[i] > most)
		{
			most = search->x[i];
			at = i;
		}
	}
	if (at < 0 || most <= sum - most + 1e-3)
		return false;
	for (e = table->start[r]; e < table->start[r + 1]; e++)
	{
		int32_t i = table->member[e];

		if (search->column[i] < 0)
			continue;
		search->index[count] = search->column[i];
		search->value[count++] = i == at ? -1 : 1;
	}
	add_cut(search, count, 0);
	return true;
}

static int32_t
add_rows(Search *search)
{
	int32_t added = 0;
	int32_t r;

	for (r = 0; r < search->table->equations; r++)
		added += add_row(search, r);
	return added;
}

/* One of the cells that x leaves open must be hidden. */
static void
add_more(Search *search)
{
	int count = 0;
	int32_t j;

	for (j = 0; j < search->columns; j++)
		if (search->x[search->cell[j]] < 0.5)
		{
			search->index[count] = j;
			search->value[count++] = 1;
		}
	add_cut(search, count, 1);
}

/* Does the attack fail, and with whole also those of respondents? */
static bool
withstands(Search *search, SdcAttacker *attacker, SdcAttack *attack,
		   bool whole)
{
	double need = sdc_attack_need(search->table, *attack);

	if (need <= 0)
		return true;
	if (whole)
		return sdc_attacker_withstands(attacker, *attack, attack);
	return sdc_attack_fails(sdc_attacker_run(attacker, *attack), need);
}

/*
 * Attacks x, and cuts where that succeeds, up to most cuts.  Returns how many
 * attacks succeeded; *cuts counts those that gave a cut.  Respondents attack
 * only a pattern of whole numbers.
 */
static int32_t
attack_all(Search *search, bool whole, int32_t most, int32_t *cuts)
{
	SdcAttacker *attacker;
	int32_t succeeded = 0;
	int32_t begin = search->from;
	int32_t k;

	sdc_area_take(search->area, search->x);
	attacker = sdc_attacker_create(search->area, search->x);
	for (k = 0; k < 2 * search->unsafe_count && *cuts < most; k++)
	{
		int32_t u = (begin + k / 2) % search->unsafe_count;
		SdcAttack attack = {search->unsafe[u], k % 2 ? -1 : 1, SDC_NO_HOLDER};

		search->from = u;
		/* too late to be sure of anything */
		search->stopped |=
			work_done(search) + attacker->program->work > search->most_work;
		if (search->stopped)
			break;
		if (withstands(search, attacker, &attack, whole))
			continue;
		succeeded++;
		*cuts += add_capacity(search, attacker, attack);
	}
	search->spent += attacker->program->work;
	sdc_attacker_free(attacker);
	return succeeded;
}

/* Cuts that x violates; with whole, 0 is only returned when it protects. */
static int32_t
separate(Search *search, bool whole, int32_t most)
{
	int32_t cuts = add_rows(search);

	if (cuts > 30 || search->unsafe_count == 0)
		return cuts;
	if (attack_all(search, whole, most, &cuts) > 0 && whole && cuts == 0)
	{
		add_more(search);
		cuts = 1;
	}
	return cuts + search->stopped;
}

/* Deletes cuts that are far from tight. */
static void
delete_slack(Search *search, double slack)
{
	SdcProgram *program = search->program;
	int *row = sdc_new(search->host, int, (size_t) program->rows + 1);
	int count = 0;
	int r;

	for (r = 0; r < program->rows; r++)
		if (sdc_program_slack(program, r) > slack)
			row[count++] = r;
	sdc_program_delete_rows(program, count, row);
	search->host->release(search->host, row);
}

/* ----------------------------------------------------------------------
 * Patterns and bounds
 * ----------------------------------------------------------------------
 */

/* Can a node with this bound lead to something better? */
static bool
is_hopeful(const void *arg, double bound)
{
	const Search *search = arg;
	double best = search->result->cost;

	if (!search->result->found)
		return true;
	if (search->whole_weights)
		return bound <= best - 1 + 1e-6;
	return bound < best - 1e-7 * best;
}

static void
take_pattern(Search *search, const bool *hidden)
{
	double cost = sdc_pattern_cost(search->table, hidden);

	if (search->result->found && cost >= search->result->cost)
		return;
	memcpy(search->best, hidden, (size_t) search->table->cells * sizeof(bool));
	search->result->cost = cost;
	search->result->found = true;
}

static void
run_heuristic(Search *search, const double *near, double most_work)
{
	double cost =
		sdc_heuristic_run(search->heuristic, near, most_work, search->trial);

	if (isfinite(cost))
		take_pattern(search, search->trial);
}

/* Rounds what lies between the relaxation and the best pattern. */
static void
run_between(Search *search)
{
	int32_t i;

	for (i = 0; i < search->table->cells; i++)
		search->between[i] = (search->x[i] + search->best[i]) / 2;
	run_heuristic(search, search->between, search->most_work / 4);
}

/* The present node's bounds become those of the program. */
static void
set_bounds(Search *search)
{
	int32_t j;

	for (j = 0; j < search->columns; j++)
	{
		int8_t to =
			search->forced[j] >= 0 ? search->forced[j] : search->branch[j];

		sdc_program_bounds(search->program, j, to == 1 ? 1 : 0,
						   to == 0 ? 0 : 1);
	}
}

/* x of all cells; true when all are whole. */
static bool
read_x(Search *search)
{
	bool whole = true;
	int32_t j;

	for (j = 0; j < search->columns; j++)
	{
		double x = sdc_program_value(search->program, j);

		x = x < 0 ? 0 : x > 1 ? 1 : x;
		if (x < WHOLE)
			x = 0;
		else if (x > 1 - WHOLE)
			x = 1;
		else
			whole = false;
		search->x[search->cell[j]] = x;
	}
	return whole;
}

/* Fixes for good what the Lagrangian of the root shows to be no better. */
static void
fix_columns(Search *search)
{
	int32_t j;

	for (j = 0; j < search->columns; j++)
		if (search->forced[j] < 0 &&
			!is_hopeful(search,
						search->root_bound + fabs(search->root_reduced[j])))
			search->forced[j] = search->root_reduced[j] > 0 ? 0 : 1;
}

/* Do all attacks on search->trial fail? */
static bool
trial_protects(Search *search)
{
	SdcHeuristic *heuristic = sdc_heuristic_create(
		search->table, SDC_TABULAR_EACH, SDC_TABULAR_EACH);
	bool protects = sdc_heuristic_audit(heuristic, search->trial, NULL) == 0;

	search->undecided |= sdc_heuristic_undecided(heuristic);
	sdc_heuristic_release(heuristic);
	return protects;
}

/* Does the pattern that hides all that the node may hide fail? */
static bool
is_hopeless(Search *search)
{
	const SdcTabular *table = search->table;
	int32_t i;
	int32_t r;

	for (i = 0; i < table->cells; i++)
	{
		int32_t j = search->column[i];

		search->trial[i] =
			table->role[i] == SDC_CELL_UNSAFE ||
			(j >= 0 && search->forced[j] != 0 &&
			 !(search->forced[j] < 0 && search->branch[j] == 0));
	}
	for (r = 0; r < table->equations; r++)
	{
		int32_t possible = 0;
		int32_t at = -1;
		int64_t e;

		for (e = table->start[r]; e < table->start[r + 1]; e++)
			if (search->trial[table->member[e]])
			{
				possible++;
				at = table->member[e];
			}
		if (possible == 1 && search->column[at] >= 0 &&
			(search->forced[search->column[at]] == 1 ||
			 search->branch[search->column[at]] == 1))
			return true;
	}
	return !trial_protects(search);
}

/* ----------------------------------------------------------------------
 * The search
 * ----------------------------------------------------------------------
 */

static int32_t
add_node(Search *search, int32_t parent, int32_t column, bool hide,
		 double bound)
{
	return sdc_branch_add(&search->tree,
						  (SdcBranchNode){parent, column, hide, hide, bound});
}

/* The columns that the branches down to a node have fixed. */
static void
enter_node(Search *search, int32_t node)
{
	memset(search->branch, -1, (size_t) search->columns);
	for (; search->tree.node[node].column >= 0;
		 node = search->tree.node[node].parent)
		search->branch[search->tree.node[node].column] =
			search->tree.node[node].low > 0;
	set_bounds(search);
}

/* Solves the relaxation; the bound, an infinity when the node is done. */
static double
solve_relaxation(Search *search, double before)
{
	SdcSolverResult result = sdc_program_solve(search->program, true);
	double bound;

	search->solved = result.status == SDC_SOLVER_OPTIMAL;
	if (result.status == SDC_SOLVER_INFEASIBLE)
		return is_hopeless(search) ? INFINITY : before;
	bound = sdc_program_bound(search->program, NULL);
	bound = before > bound ? before : bound;
	return is_hopeful(search, bound) ? bound : INFINITY;
}

/* An estimate of what fixing a column gains. */
static double
estimate(const Search *search, int32_t j, int hide)
{
	double x = search->x[search->cell[j]];
	double way = hide ? 1 - x : x;

	return way * sdc_branch_gain(&search->gain[j], hide,
								 search->table->weight[search->cell[j]]);
}

static double
score(const Search *search, int32_t j)
{
	double down = estimate(search, j, 0);
	double up = estimate(search, j, 1);

	return (down > 1e-6 ? down : 1e-6) * (up > 1e-6 ? up : 1e-6);
}

/* Learns what fixing a column gains, from a relaxation solved with it. */
static void
learn(Search *search, int32_t j, int hide, double gained)
{
	double x = search->x[search->cell[j]];
	double way = hide ? 1 - x : x;

	if (way < WHOLE || !isfinite(gained) || gained < 0)
		return;
	sdc_branch_gain_add(&search->gain[j], hide, gained / way);
}

/* Tries both values of a column that little is known of. */
static void
try_column(Search *search, int32_t j, double bound)
{
	int hide;

	for (hide = 0; hide < 2; hide++)
	{
		SdcSolverResult result;

		sdc_program_bounds(search->program, j, hide, hide);
		result = sdc_program_solve(search->program, true);
		learn(search, j, hide,
			  result.status == SDC_SOLVER_OPTIMAL
				  ? sdc_program_bound(search->program, NULL) - bound
				  : search->table->weight[search->cell[j]] * 10);
	}
	sdc_program_bounds(search->program, j, 0, 1);
}

/* The column to branch on; -1 when all of them are fixed. */
static int32_t
choose_column(Search *search, double bound)
{
	int32_t best = -1;
	int32_t tried;
	int32_t j;

	for (tried = 0;; tried++)
	{
		double most = -1;

		best = -1;
		for (j = 0; j < search->columns; j++)
		{
			double x = search->x[search->cell[j]];
			bool open = search->forced[j] < 0 && search->branch[j] < 0;
			double s;

			if (!open)
				continue;
			s = x > 0 && x < 1 ? score(search, j) : 0;
			if (s > most)
			{
				most = s;
				best = j;
			}
		}
		if (best < 0 || most <= 0 || tried >= TRIED ||
			sdc_branch_gain_is_known(&search->gain[best], RELIABLE))
			return best;
		try_column(search, best, bound);
	}
}

static bool
is_spent(void *arg)
{
	Search *search = arg;

	search->stopped = search->stopped ||
					  work_done(search) > search->most_work ||
					  search->tree.nodes > MOST_NODES;
	return search->stopped;
}

/*
 * The rounded x, which all attacks have failed on; false when one of an
 * attacker who knows that values are whole does not.
 */
static bool
take_x(Search *search)
{
	int32_t i;

	for (i = 0; i < search->table->cells; i++)
		search->trial[i] = search->x[i] > 0.5;
	if (search->table->whole && !trial_protects(search))
		return false;
	take_pattern(search, search->trial);
	return true;
}

/* What is done at the root between rounds. */
static void
tend_root(Search *search, int32_t round)
{
	if (round % 10 == 9)
		run_heuristic(search, search->x, search->most_work / 4);
	if (round % 5 == 4)
		delete_slack(search, 0.2);
}

/*
 * Solves and cuts a node until it is done (an infinity) or must be branched.
 * x then holds its relaxation.
 */
static double
cut_node(Search *search, double bound, bool root)
{
	double last = bound;
	int32_t stall = 0;
	int32_t round;

	for (round = 0; !is_spent(search); round++)
	{
		bool whole;

		bound = solve_relaxation(search, bound);
		if (!isfinite(bound))
			return bound;
		whole = read_x(search);
		if (!search->solved)
			return bound;
		if (root)
			tend_root(search, round);
		stall = root && bound > last + 1e-4 * fabs(last) ? 0 : stall + 1;
		last = bound;
		if (!whole && stall > (root ? ROOT_STALL : NODE_ROUNDS))
			return bound;
		if (separate(search, whole, root ? ROOT_CUTS : NODE_CUTS) > 0)
			continue;
		if (!whole)
			return bound;
		if (take_x(search))
			return INFINITY;
		add_more(search);
	}
	return bound;
}

/* A node whose columns are all fixed is one pattern. */
static void
take_leaf(Search *search)
{
	const SdcTabular *table = search->table;
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		int32_t j = search->column[i];

		search->trial[i] =
			table->role[i] == SDC_CELL_UNSAFE ||
			(j >= 0 && (search->forced[j] == 1 ||
						(search->forced[j] < 0 && search->branch[j] == 1)));
	}
	if (trial_protects(search))
		take_pattern(search, search->trial);
}

/* Branches a node; returns the one of its children to go on with, or -1. */
static int32_t
branch_node(Search *search, int32_t node, double bound)
{
	double x;
	int32_t column;
	int32_t child[2];
	int first;

	column = choose_column(search, bound);
	if (column < 0)
	{
		take_leaf(search);
		return -1;
	}
	x = search->x[search->cell[column]];
	first = x >= 0.5;
	child[0] = add_node(search, node, column, !first, bound);
	child[1] = add_node(search, node, column, first, bound);
	sdc_branch_open(&search->tree, child[0]);
	return child[1];
}

/* The root: cuts, and what its bound fixes. */
static double
solve_root(Search *search)
{
	double bound;

	search->root_bound = search->fixed;
	enter_node(search, add_node(search, -1, -1, false, search->fixed));
	bound = cut_node(search, search->fixed, true);
	if (!isfinite(bound) || search->stopped)
		return bound;
	run_heuristic(search, search->x, search->most_work / 4);
	search->root_bound =
		sdc_program_bound(search->program, search->root_reduced);
	fix_columns(search);
	return bound;
}

/* Solves one node of the tree; returns the child to go on with, or -1. */
static int32_t
solve_node(void *arg, int32_t node)
{
	Search *search = arg;
	double before = search->result->cost;
	double bound;

	search->result->nodes++;
	enter_node(search, node);
	bound = cut_node(search, search->tree.node[node].bound, false);
	if (search->result->cost < before)
		fix_columns(search);
	if (!isfinite(bound))
		return -1;
	if (search->stopped)
	{
		search->tree.node[node].bound = bound;
		sdc_branch_open(&search->tree, node);
		return -1;
	}
	if (search->result->nodes % HEURISTIC_NODES == 0)
		run_heuristic(search, search->x, search->most_work / 4);
	else if (search->result->nodes % HEURISTIC_NODES == HEURISTIC_NODES / 2)
		run_between(search);
	if (search->program->rows > 3 * search->columns + 1000)
		delete_slack(search, 0.5);
	return branch_node(search, node, bound);
}

/* Branch and cut; what is open at the end gives the bound. */
static void
search_all(Search *search)
{
	SdcSuppression *result = search->result;
	SdcBranchRule rule = {is_spent, is_hopeful, solve_node, search};
	double bound = solve_root(search);
	double open;
	int32_t node = -1;

	if (isfinite(bound) && !search->stopped && is_hopeful(search, bound))
		node = branch_node(search, 0, bound);
	open = sdc_branch_search(&search->tree, node, &rule);
	if (search->stopped && search->tree.nodes == 1 && isfinite(bound))
		result->bound = bound;
	else if (isfinite(open))
		result->bound = open;
	else
		result->bound = result->cost;
	if (search->whole_weights)
		result->bound = ceil(result->bound - 1e-6);
	/* only the relaxation's bound holds whatever was given up */
	if (search->undecided)
		result->bound = fmin(result->bound, search->root_bound);
	result->proven = !is_hopeful(search, result->bound);
	if (result->proven)
		result->bound = result->cost;
}

/* Columns for the cells that may be hidden, and arrays of their size. */
static void
start_search(Search *search)
{
	const SdcTabular *table = search->table;
	SdcHost *host = search->host;
	size_t cells = (size_t) table->cells + 1;
	int32_t i;

	search->cell = sdc_new(host, int32_t, cells);
	search->column = sdc_new(host, int32_t, cells);
	search->unsafe = sdc_new(host, int32_t, cells);
	search->x = sdc_new(host, double, cells);
	search->between = sdc_new(host, double, cells);
	search->trial = sdc_new(host, bool, cells);
	search->coefficient = sdc_new(host, double, cells);
	search->index = sdc_new(host, int, cells);
	search->value = sdc_new(host, double, cells);
	search->forced = sdc_new(host, int8_t, cells);
	search->branch = sdc_new(host, int8_t, cells);
	search->gain = sdc_new(host, SdcBranchGain, cells);
	search->root_reduced = sdc_new(host, double, cells);
	memset(search->forced, -1, cells);
	memset(search->branch, -1, cells);
	memset(search->gain, 0, cells * sizeof(SdcBranchGain));
	search->whole_weights = true;
	for (i = 0; i < table->cells; i++)
	{
		double weight = table->weight[i];
		bool unsafe = table->role[i] == SDC_CELL_UNSAFE;

		search->whole_weights =
			search->whole_weights && weight == floor(weight);
		search->column[i] = -1;
		search->x[i] = unsafe;
		if (unsafe)
		{
			search->unsafe[search->unsafe_count++] = i;
			search->fixed += weight;
		}
		else if (table->role[i] == SDC_CELL_OPEN &&
				 table->low[i] + table->high[i] > 0)
		{
			search->cell[search->columns] = i;
			search->column[i] = search->columns++;
		}
	}
}

/* The relaxation without cuts. */
static void
start_program(Search *search)
{
	int32_t j;

	search->program =
		sdc_program_create(search->host, false, search->columns, 0);
	sdc_program_cost(search->program, -1, search->fixed);
	for (j = 0; j < search->columns; j++)
	{
		sdc_program_bounds(search->program, j, 0, 1);
		sdc_program_cost(search->program, j,
						 search->table->weight[search->cell[j]]);
	}
}

static void
end_search(Search *search)
{
	SdcHost *host = search->host;

	sdc_program_free(search->program);
	sdc_heuristic_release(search->heuristic);
	sdc_area_release(search->area);
	host->release(host, search->cell);
	host->release(host, search->column);
	host->release(host, search->unsafe);
	host->release(host, search->x);
	host->release(host, search->between);
	host->release(host, search->trial);
	host->release(host, search->coefficient);
	host->release(host, search->index);
	host->release(host, search->value);
	host->release(host, search->forced);
	host->release(host, search->branch);
	host->release(host, search->gain);
	host->release(host, search->root_reduced);
	sdc_branch_release(&search->tree);
}

/* Attacks what was found once more, in programs that know nothing of it. */
static void
check_result(Search *search)
{
	SdcSuppression *result = search->result;
	const SdcTabular *table = search->table;
	int32_t i;

	search->host->stage(search->host, "attacking the pattern");
	if (sdc_tabular_audit(table, search->best, &result->unmet) > 0)
	{
		result->found = result->proven = false;
		result->undecided = true;
	}
	for (i = 0; i < table->cells; i++)
		result->secondary +=
			search->best[i] && table->role[i] != SDC_CELL_UNSAFE;
}

/* What is asked for, or what is usual. */
static double
usual(double work)
{
	return work > 0 ? work : SDC_TABULAR_EACH;
}

SdcSuppression
sdc_suppression_run(const SdcTabular *table,
					const SdcSuppressionOptions *options, bool *hidden)
{
	SdcSuppression result = {0};
	Search search = {0};

	result.unmet = -1;
	search.host = search.tree.host = table->host;
	search.table = table;
	search.result = &result;
	search.most_work = options->work;
	search.best = hidden;
	start_search(&search);
	search.area = sdc_area_create(table);
	search.heuristic = sdc_heuristic_create(table, usual(options->each_work),
											usual(options->any_work));
	start_program(&search);
	search.host->stage(search.host, "first pattern");
	run_heuristic(&search, NULL, INFINITY);
	if (result.found)
	{
		search.host->stage(search.host, "search");
		search_all(&search);
		check_result(&search);
	}
	else
	{
		result.unmet = sdc_heuristic_unmet(search.heuristic).cell;
		result.undecided = sdc_heuristic_undecided(search.heuristic);
	}
	result.work = work_done(&search);
	end_search(&search);
	return result;
}
