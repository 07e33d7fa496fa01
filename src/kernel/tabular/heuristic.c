/*
 * heuristic.c
 *		Patterns of hidden cells that protect a table, with their witnesses.
 *
 * For each unsafe cell and direction, the largest need first, the cheapest
 * movement is sought that keeps all equations and moves the cell by its need;
 * the cells it uses are hidden from then on, and it stays as the witness of
 * the protection (Kelly, Golden and Assad 1992 and Cox 1995 for networks;
 * Fischetti and Salazar 2001 as the heuristic of their search).  The cost of
 * a cell is its weight per unit of movement, nearly nothing once it is
 * hidden.  Respondents could undo it who know that it cannot be, as they are
 * alone in a cell that it uses, or gave more to one than it leaves: for each
 * of them there is another movement, of which he does not know this.
 * Then cells are shown again, the dearest first, when the witnesses that use
 * them can be replaced.
 *
 * Large tables with many hidden cells have a movement without any program
 * nearly everywhere: a box of hidden cells, of two keys a rectangle, each
 * corner against the next (Giessing and Repsilber 2002, the hypercube method).
 * It costs nothing, as they are hidden already.  Otherwise programs of large
 * tables are kept local: of the equations nearest to the unsafe cell the
 * hidden and the cheapest cells, four times as many when these cannot do it.
 * Of three keys and more a program's movement of counts is often not whole:
 * then a multiple of it may be, or a box is taken, before whole numbers are
 * searched for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/integer_search.h"
#include "kernel/base/sort.h"
#include "kernel/tabular/tabular_private.h"

/* Up to so many cells a program is of the whole table. */
#define WHOLE 2000

/* Otherwise it begins with so many cells, few of each equation, and grows. */
#define LOCAL  200
#define EACH   6
#define GROWTH 4

/* Equations of a cell, and neighbours along one, of a box at the most. */
#define MOST_SIDES      5
#define MOST_NEIGHBOURS 24

/*
 * Of a product: codes of one step, steps of a dimension that are tried, ways
 * down from a total, cells, and how often a cell is looked at.
 */
#define MOST_MOVES   12
#define MOST_STEPS   40
#define MOST_DOWN    3
#define MOST_CORNERS 512
#define MOST_LOOKS   20000

/* Polishing of a large table may always take so much work, some 30 s. */
#define POLISH 5e8

/*
 * After so much work for its first pattern, some 5 s, a large table takes
 * the cheapest box that it finds instead of solving a program.
 */
#define PROGRAMS 5e7

/* What a hidden cell costs, in shares of its weight. */
#define HIDDEN_COST 1e-6

/* Work for one movement in whole numbers, see sdc_integer_search. */
#define WHOLE_WORK 5e6

/* A movement below is none. */
#define STILL 1e-7

/*
 * A movement of cells that keeps all equations and their bounds and moves its
 * cell by at least its need: that no attack of this kind can succeed while
 * its cells are hidden.
 */
typedef struct Witness
{
	SdcAttack attack;
	int32_t count;
	int32_t *cell;
	double *moved;
} Witness;

/* The codes of one dimension of a table that has all combinations. */
typedef struct Codes
{
	int32_t codes;
	int32_t stride;  /* between cells whose codes differ by 1 */
	int32_t *parent; /* the total that a code is a part of, or -1 */
	bool *leaf;      /* is it no total? */
} Codes;

/*
 * A movement of codes of one dimension beside that of the attacked cell, which
 * moves up: its equations hold.
 */
typedef struct Step
{
	double rank; /* the lowest are tried: cost, or minus weights */
	int32_t count;
	int32_t offset[MOST_MOVES]; /* of cells, from the attacked one */
	int8_t sign[MOST_MOVES];
} Step;

/* The witnesses of an unsafe cell in one direction. */
typedef struct Group
{
	int32_t cell;
	int sign;
	int32_t count;
	int32_t room;
	Witness *witness;
} Group;

struct SdcHeuristic
{
	SdcHost *host;
	const SdcTabular *table;
	SdcArea *area;
	const double *near;
	bool *hidden;
	bool audits;   /* nothing is to be hidden, only to be found */
	bool polishes; /* a large table: what is not found at once is left */
	bool *allowed;
	double *scratch;
	int32_t *order; /* the members of each equation, the cheapest first */
	int dimensions; /* 0: the table has not all combinations */
	int32_t grid;   /* cells that are combinations; others come after */
	Codes codes[SDC_CUBE_MAX_DIMENSIONS];
	Step *step; /* MOST_STEPS of each dimension, that are tried */
	double work;
	double most_work;
	double boxes_from; /* work from which on boxes come before programs */
	double each_work;  /* for the programs of one movement, the cheapest */
	double any_work;   /* and then of any */
	bool any;          /* what a movement costs does not matter */
	bool undecided;    /* a movement was given up */
	int32_t groups;
	Group *group;
	SdcAttack unmet;
};

/* Does it show what it is for?  Needs no solver.  O(members it touches). */
static bool
witness_holds(const SdcTabular *table, const Witness *witness,
			  const bool *hidden, double *scratch)
{
	double need = sdc_attack_need(table, witness->attack);
	double slack = SDC_TABULAR_TOLERANCE * (1 + need);
	bool holds = false;
	int32_t k;
	int64_t e;

	for (k = 0; k < witness->count; k++)
	{
		int32_t i = witness->cell[k];
		double moved = witness->moved[k];

		for (e = table->cell_start[i]; e < table->cell_start[i + 1]; e++)
		{
			int32_t r = table->of_cell[e];

			scratch[r] += table->member[table->start[r]] == i ? -moved : moved;
		}
		if (i == witness->attack.cell)
			holds = sdc_attack_fails(witness->attack.sign * moved, need);
	}
	for (k = 0; k < witness->count; k++)
	{
		int32_t i = witness->cell[k];

		holds = holds && hidden[i] &&
				fabs(witness->moved[k]) <=
					sdc_cell_room(table, witness->attack.holder, i,
								  witness->moved[k] > 0 ? 1 : -1) +
						slack;
		for (e = table->cell_start[i]; e < table->cell_start[i + 1]; e++)
		{
			holds = holds && fabs(scratch[table->of_cell[e]]) <= slack;
			scratch[table->of_cell[e]] = 0;
		}
	}
	return holds;
}

static int
compare_weights(int32_t a, int32_t b, void *arg)
{
	const double *weight = arg;

	return weight[a] < weight[b] ? -1 : weight[a] > weight[b] ? 1 : a - b;
}

/* The members of each equation by weight. */
static int32_t *
order_members(const SdcTabular *table)
{
	SdcHost *host = table->host;
	int64_t entries = table->start[table->equations];
	int32_t *order = sdc_new(host, int32_t, (size_t) entries + 1);
	int32_t r;

	memcpy(order, table->member, (size_t) entries * sizeof(int32_t));
	for (r = 0; r < table->equations; r++)
		sdc_sort_rows(host, order + table->start[r],
					  (size_t) (table->start[r + 1] - table->start[r]),
					  compare_weights, table->weight);
	return order;
}

/* The dimension in which the parts of an equation differ. */
static int
equation_dimension(const SdcHeuristic *heuristic, int32_t r)
{
	const SdcTabular *table = heuristic->table;
	int32_t apart = abs(table->member[table->start[r] + 1] -
						table->member[table->start[r]]);
	int d = 0;

	while (heuristic->codes[d].stride > apart)
		d++;
	return d;
}

/* Reads off the equations which codes are parts of which. */
static void
read_codes(SdcHeuristic *heuristic)
{
	const SdcTabular *table = heuristic->table;
	SdcHost *host = heuristic->host;
	int32_t stride = 1;
	int32_t r;
	int64_t e;
	int d;

	heuristic->dimensions = table->dimensions;
	for (d = table->dimensions - 1; d >= 0; d--)
	{
		Codes *codes = &heuristic->codes[d];
		size_t n = (size_t) table->codes[d];

		codes->codes = table->codes[d];
		codes->stride = stride;
		stride *= table->codes[d];
		codes->parent = sdc_new(host, int32_t, n);
		codes->leaf = sdc_new(host, bool, n);
		memset(codes->parent, -1, n * sizeof(int32_t));
		memset(codes->leaf, true, n * sizeof(bool));
	}
	for (r = 0; r < table->equations; r++)
	{
		const Codes *codes;
		int32_t total = table->member[table->start[r]];

		if (table->start[r + 1] - table->start[r] < 2)
			continue;
		codes = &heuristic->codes[equation_dimension(heuristic, r)];
		/* of equal equations, that with the other codes at 0 */
		if (total % codes->stride != 0 ||
			total / codes->stride >= codes->codes)
			continue;
		codes->leaf[total / codes->stride] = false;
		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			codes->parent[table->member[e] / codes->stride] =
				total / codes->stride;
	}
	heuristic->grid = stride;
	heuristic->step =
		sdc_new(host, Step, (size_t) table->dimensions * MOST_STEPS);
}

SdcHeuristic *
sdc_heuristic_create(const SdcTabular *table, double each_work,
					 double any_work)
{
	SdcHost *host = table->host;
	SdcHeuristic *heuristic = sdc_new(host, SdcHeuristic, 1);
	int32_t unsafe = 0;
	int32_t i;

	memset(heuristic, 0, sizeof(*heuristic));
	heuristic->host = host;
	heuristic->table = table;
	heuristic->each_work = table->cells < WHOLE ? INFINITY : each_work;
	heuristic->any_work = any_work;
	heuristic->area = sdc_area_create(table);
	heuristic->order = order_members(table);
	heuristic->allowed = sdc_new(host, bool, (size_t) table->cells + 1);
	heuristic->scratch = sdc_new(host, double, (size_t) table->equations + 1);
	memset(heuristic->scratch, 0,
		   ((size_t) table->equations + 1) * sizeof(double));
	for (i = 0; i < table->cells; i++)
		unsafe += table->role[i] == SDC_CELL_UNSAFE;
	heuristic->group = sdc_new(host, Group, 2 * (size_t) unsafe + 1);
	if (table->dimensions > 0 && table->cells >= WHOLE)
		read_codes(heuristic);
	return heuristic;
}

static void
free_witness(SdcHeuristic *heuristic, Witness *witness)
{
	heuristic->host->release(heuristic->host, witness->cell);
	heuristic->host->release(heuristic->host, witness->moved);
}

static void
empty_group(SdcHeuristic *heuristic, Group *group)
{
	int32_t k;

	for (k = 0; k < group->count; k++)
		free_witness(heuristic, &group->witness[k]);
	heuristic->host->release(heuristic->host, group->witness);
	group->witness = NULL;
	group->count = group->room = 0;
}

static void
empty_groups(SdcHeuristic *heuristic)
{
	int32_t g;

	for (g = 0; g < heuristic->groups; g++)
		empty_group(heuristic, &heuristic->group[g]);
	heuristic->groups = 0;
}

void
sdc_heuristic_release(SdcHeuristic *heuristic)
{
	SdcHost *host = heuristic->host;
	int d;

	empty_groups(heuristic);
	for (d = 0; d < heuristic->dimensions; d++)
	{
		host->release(host, heuristic->codes[d].parent);
		host->release(host, heuristic->codes[d].leaf);
	}
	host->release(host, heuristic->step);
	sdc_area_release(heuristic->area);
	host->release(host, heuristic->order);
	host->release(host, heuristic->allowed);
	host->release(host, heuristic->scratch);
	host->release(host, heuristic->group);
	host->release(host, heuristic);
}

SdcAttack
sdc_heuristic_unmet(const SdcHeuristic *heuristic)
{
	return heuristic->unmet;
}

bool
sdc_heuristic_undecided(const SdcHeuristic *heuristic)
{
	return heuristic->undecided;
}

double
sdc_heuristic_work(const SdcHeuristic *heuristic)
{
	return heuristic->work;
}

/* ----------------------------------------------------------------------
 * Boxes
 * ----------------------------------------------------------------------
 */

/* A search for a box around the attacked cell; it is corner 0. */
typedef struct Box
{
	SdcHeuristic *heuristic;
	SdcAttack attack;
	double need;
	bool free; /* of hidden cells only */
	int sides; /* equations of the cell, which is a part of each */
	int32_t side[MOST_SIDES];
	int count[MOST_SIDES]; /* neighbours along each that are tried */
	int32_t neighbour[MOST_SIDES][MOST_NEIGHBOURS];
	double best; /* the cost of corner[], INFINITY before one was found */
	int32_t corner[1 << MOST_SIDES];
	int32_t trial[1 << MOST_SIDES];
} Box;

/* Neighbours tried along each side: some 2,000 boxes, whatever the sides. */
static const int tried_neighbours[MOST_SIDES + 1] = {0, 0, 24, 12, 6, 4};

/* Is a cell the total of an equation? */
static bool
is_total(const SdcTabular *table, int32_t i)
{
	int64_t e;

	for (e = table->cell_start[i]; e < table->cell_start[i + 1]; e++)
		if (table->member[table->start[table->of_cell[e]]] == i)
			return true;
	return false;
}

/* The equations of the attacked cell; false when they span no box. */
static bool
find_sides(const SdcTabular *table, Box *box)
{
	int32_t i = box->attack.cell;
	int64_t e = table->cell_start[i];

	box->sides = (int) (table->cell_start[i + 1] - e);
	if (box->sides < 2 || box->sides > MOST_SIDES || is_total(table, i))
		return false;
	memcpy(box->side, table->of_cell + e,
		   sizeof(int32_t) * (size_t) box->sides);
	return true;
}

/* Is a cell a part or the total of an equation? */
static bool
is_member(const SdcTabular *table, int32_t i, int32_t r)
{
	int64_t e;

	for (e = table->cell_start[i]; e < table->cell_start[i + 1]; e++)
		if (table->of_cell[e] == r)
			return true;
	return false;
}

/*
 * The fourth corner of a rectangle, beside two that are beside the base; -1
 * when there is none.  O(members of their equations).
 */
static int32_t
find_fourth(const SdcTabular *table, int32_t base, int32_t first,
			int32_t second)
{
	int64_t a;
	int64_t b;
	int64_t e;

	for (a = table->cell_start[first]; a < table->cell_start[first + 1]; a++)
	{
		int32_t r = table->of_cell[a];

		if (is_member(table, base, r))
			continue;
		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			for (b = table->cell_start[second];
				 b < table->cell_start[second + 1]; b++)
				if (table->member[e] != second &&
					is_member(table, table->member[e], table->of_cell[b]))
					return table->member[e];
	}
	return -1;
}

/* What it costs to move a corner, up (sign 1) or down; INFINITY: it can't. */
static double
corner_cost(const Box *box, int32_t i, int sign)
{
	const SdcHeuristic *heuristic = box->heuristic;
	const SdcTabular *table = heuristic->table;
	double near = heuristic->near == NULL ? 0 : heuristic->near[i];

	if (i < 0 || i == box->attack.cell || !heuristic->allowed[i] ||
		sdc_cell_room(table, box->attack.holder, i, sign) < box->need)
		return INFINITY;
	if (heuristic->hidden[i])
		return 0;
	return box->free ? INFINITY : table->weight[i] * (1.001 - near);
}

/* The neighbours along one side: hidden ones, then the cheapest. */
static void
list_neighbours(Box *box, int s)
{
	const SdcHeuristic *heuristic = box->heuristic;
	const SdcTabular *table = heuristic->table;
	int32_t r = box->side[s];
	int most = tried_neighbours[box->sides];
	int pass;
	int64_t e;

	box->count[s] = 0;
	for (pass = 0; pass < (box->free ? 1 : 2); pass++)
		for (e = table->start[r];
			 e < table->start[r + 1] && box->count[s] < most; e++)
		{
			int32_t i = heuristic->order[e];

			if (heuristic->hidden[i] == (pass == 0) && !is_total(table, i) &&
				isfinite(corner_cost(box, i, -box->attack.sign)))
				box->neighbour[s][box->count[s]++] = i;
		}
}

/*
 * Goes on with a box that has its corners along the first sides: a neighbour
 * along one more doubles it, each new corner moving against the one beside it.
 */
static void
extend_box(Box *box, int s, double cost)
{
	const SdcTabular *table = box->heuristic->table;
	int corners = 1 << s;
	int n;
	int k;

	if (s == box->sides || s == MOST_SIDES)
	{
		memcpy(box->corner, box->trial, sizeof(int32_t) * (size_t) corners);
		box->best = cost;
		return;
	}
	for (n = 0; n < box->count[s] && box->best > 0; n++)
	{
		double sum = cost;

		for (k = 0; k < corners && sum < box->best; k++)
		{
			int odd = __builtin_popcount((unsigned) (corners + k)) % 2;
			int without = k & (k - 1); /* one side less */
			int32_t i =
				k == 0 ? box->neighbour[s][n]
					   : find_fourth(table, box->trial[without], box->trial[k],
									 box->trial[corners + without]);

			box->trial[corners + k] = i;
			sum += corner_cost(box, i,
							   odd ? -box->attack.sign : box->attack.sign);
		}
		if (sum < box->best)
			extend_box(box, s + 1, sum);
	}
}

/* ----------------------------------------------------------------------
 * Products: boxes of a table that has all combinations, across groups
 * ----------------------------------------------------------------------
 */

/* A search for a product of steps, one of each dimension. */
typedef struct Product
{
	Box *box;
	bool dear; /* the dearest steps first, as cells near them are not 0 */
	int steps[SDC_CUBE_MAX_DIMENSIONS];
	int32_t looks; /* that are left */
	int32_t trial[MOST_CORNERS];
	int8_t sign[MOST_CORNERS];
	int32_t count; /* of the best one */
	int32_t corner[MOST_CORNERS];
	int8_t moved[MOST_CORNERS];
} Product;

/* Is a code another one, or a total above it? */
static bool
is_above(const Codes *codes, int32_t total, int32_t code)
{
	while (code >= 0 && code != total)
		code = codes->parent[code];
	return code >= 0;
}

static bool
add_move(Step *step, int32_t offset, int sign)
{
	if (step->count == MOST_MOVES)
		return false;
	step->offset[step->count] = offset;
	step->sign[step->count++] = (int8_t) sign;
	return true;
}

/*
 * The step that takes code and what is above it up, to below the first total
 * that is above turn, too; from there it goes down to turn.  With turn -1 all
 * totals above go up.  code itself is in it unless it is except.  False when
 * it is too long, or cannot be had.
 */
static bool
make_step(const Product *product, const Codes *codes, int32_t code,
		  int32_t turn, int32_t except, int32_t from, Step *step)
{
	const Box *box = product->box;
	double cost = 0;
	double weight = 0;
	int32_t top;
	int32_t k;

	step->count = 0;
	for (top = code; top >= 0 && !is_above(codes, top, turn);
		 top = codes->parent[top])
		if (top != except && !add_move(step, (top - from) * codes->stride, 1))
			return false;
	for (k = turn; k >= 0 && k != top; k = codes->parent[k])
		if (!add_move(step, (k - from) * codes->stride, -1))
			return false;
	for (k = 0; k < step->count && isfinite(cost); k++)
	{
		int32_t i = box->attack.cell + step->offset[k];

		cost += corner_cost(box, i, step->sign[k] * box->attack.sign);
		weight += box->heuristic->table->weight[i];
	}
	step->rank = product->dear ? -weight : cost;
	return isfinite(cost);
}

/* Keeps a step if it is one of the first, in the order of their ranks. */
static void
keep_step(Step *list, int *count, int most, const Step *step)
{
	int at;

	if (*count == most && step->rank >= list[most - 1].rank)
		return;
	at = *count < most ? (*count)++ : most - 1;
	for (; at > 0 && list[at - 1].rank > step->rank; at--)
		list[at] = list[at - 1];
	list[at] = *step;
}

/* Of a total, the cheapest ways down to a part that is no total. */
static int
list_ways_down(const Product *product, const Codes *codes, int32_t code,
			   Step *way)
{
	int count = 0;
	int32_t k;

	if (codes->leaf[code])
	{
		memset(way, 0, sizeof(Step));
		return 1;
	}
	for (k = 0; k < codes->codes; k++)
	{
		Step step;

		if (codes->leaf[k] && is_above(codes, code, k) &&
			make_step(product, codes, k, code, -1, code, &step))
			keep_step(way, &count, MOST_DOWN, &step);
	}
	return count;
}

/* Two steps as one; false when it is too long. */
static bool
join_steps(const Step *first, const Step *second, Step *joined)
{
	int32_t k;

	*joined = *first;
	joined->rank += second->rank;
	for (k = 0; k < second->count; k++)
		if (!add_move(joined, second->offset[k], second->sign[k]))
			return false;
	return true;
}

/* The cheapest steps of a dimension for the attacked cell. */
static void
list_steps(Product *product, int d)
{
	SdcHeuristic *heuristic = product->box->heuristic;
	const Codes *codes = &heuristic->codes[d];
	int32_t code = product->box->attack.cell / codes->stride % codes->codes;
	Step *list = heuristic->step + d * MOST_STEPS;
	Step way[MOST_DOWN];
	int ways = list_ways_down(product, codes, code, way);
	int32_t turn;
	int w;

	product->steps[d] = 0;
	for (turn = -1; turn < codes->codes && ways > 0; turn++)
	{
		Step up;
		Step step;

		if ((turn >= 0 &&
			 (!codes->leaf[turn] || is_above(codes, code, turn))) ||
			!make_step(product, codes, code, turn, code, code, &up))
			continue;
		for (w = 0; w < ways; w++)
			if (join_steps(&up, &way[w], &step))
				keep_step(list, &product->steps[d], MOST_STEPS, &step);
	}
}

/*
 * Goes on with a product of the steps of the first dimensions, count cells:
 * a step of one more moves each of them along.
 */
static void
extend_product(Product *product, int d, int32_t count, double cost)
{
	Box *box = product->box;
	int n;

	if (d == box->heuristic->dimensions)
	{
		memcpy(product->corner, product->trial,
			   (size_t) count * sizeof(int32_t));
		memcpy(product->moved, product->sign, (size_t) count);
		product->count = count;
		box->best = cost;
		return;
	}
	for (n = 0; n < product->steps[d] && box->best > 0; n++)
	{
		const Step *step = &box->heuristic->step[d * MOST_STEPS + n];
		double sum = cost;
		int32_t at = count;
		int32_t m;
		int32_t k;

		if (product->looks < 0 || count * (step->count + 1) > MOST_CORNERS)
			continue;
		for (m = 0; m < step->count && sum < box->best; m++)
			for (k = 0; k < count && sum < box->best; k++, at++)
			{
				int8_t sign = (int8_t) (product->sign[k] * step->sign[m]);

				product->trial[at] = product->trial[k] + step->offset[m];
				product->sign[at] = sign;
				sum += corner_cost(box, product->trial[at],
								   sign * box->attack.sign);
			}
		product->looks -= at - count;
		if (sum < box->best)
			extend_product(product, d + 1, at, sum);
	}
}

/* The cheapest product of those tried, as a witness; false: there is none. */
static bool
find_product(Box *box, Witness *witness)
{
	SdcHeuristic *heuristic = box->heuristic;
	SdcHost *host = heuristic->host;
	Product product = {.box = box};
	int pass;
	int32_t k;
	int d;

	product.trial[0] = box->attack.cell;
	product.sign[0] = 1;
	for (pass = 0; pass < 2 && isinf(box->best); pass++)
	{
		product.dear = pass == 1;
		product.looks = MOST_LOOKS;
		for (d = 0; d < heuristic->dimensions; d++)
			list_steps(&product, d);
		extend_product(&product, 0, 1, 0);
		heuristic->work += (MOST_LOOKS - product.looks) / 2.0;
	}
	if (isinf(box->best))
		return false;
	witness->attack = box->attack;
	witness->count = product.count;
	witness->cell = sdc_new(host, int32_t, (size_t) product.count);
	witness->moved = sdc_new(host, double, (size_t) product.count);
	for (k = 0; k < product.count; k++)
	{
		witness->cell[k] = product.corner[k];
		witness->moved[k] = product.moved[k] * box->attack.sign * box->need;
	}
	return true;
}

/* The corners of the box move by the need, one against the next. */
static void
keep_box(SdcHeuristic *heuristic, const Box *box, Witness *witness)
{
	double moved = box->attack.sign * box->need;
	int32_t k;

	witness->attack = box->attack;
	witness->count = 1 << box->sides;
	witness->cell = sdc_new(heuristic->host, int32_t, (size_t) witness->count);
	witness->moved = sdc_new(heuristic->host, double, (size_t) witness->count);
	for (k = 0; k < witness->count; k++)
	{
		witness->cell[k] = box->corner[k];
		witness->moved[k] =
			__builtin_popcount((unsigned) k) % 2 ? -moved : moved;
	}
}

/* The same of a table that has not all combinations: one box. */
static bool
find_corners(Box *box, Witness *witness)
{
	int s;

	if (!find_sides(box->heuristic->table, box))
		return false;
	for (s = 0; s < box->sides; s++)
		list_neighbours(box, s);
	box->trial[0] = box->attack.cell;
	extend_box(box, 0, 0);
	if (isinf(box->best))
		return false;
	keep_box(box->heuristic, box, witness);
	return true;
}

/*
 * The cheapest box of those tried, or with free one of hidden cells; without
 * all combinations only for a cell that is no total.
 */
static bool
find_box(SdcHeuristic *heuristic, SdcAttack attack, bool free,
		 Witness *witness)
{
	const SdcTabular *table = heuristic->table;
	double need = sdc_attack_need(table, attack);
	Box box = {.heuristic = heuristic,
			   .attack = attack,
			   .need = need,
			   .free = free,
			   .best = INFINITY};

	heuristic->host->poll(heuristic->host, 0, 0);
	/* sums of hidden cells come after the combinations */
	if ((heuristic->dimensions > 0 && attack.cell >= heuristic->grid) ||
		(table->whole && need != rint(need)) ||
		need > sdc_cell_room(table, attack.holder, attack.cell, attack.sign) ||
		!(heuristic->dimensions > 0 ? find_product(&box, witness)
									: find_corners(&box, witness)))
		return false;
	/* sides that are no keys of their own, or several hierarchies of one */
	if (witness_holds(table, witness, heuristic->allowed, heuristic->scratch))
		return true;
	free_witness(heuristic, witness);
	return false;
}

/* ----------------------------------------------------------------------
 * Movements by programs
 * ----------------------------------------------------------------------
 */

/* Bounds and costs of the movements of one cell of the area. */
static void
set_flow(const SdcHeuristic *heuristic, SdcProgram *program, int32_t k,
		 SdcAttack attack, double need)
{
	const SdcTabular *table = heuristic->table;
	int32_t i = heuristic->area->cell[k];
	double share = heuristic->any            ? 0
				   : heuristic->hidden[i]    ? HIDDEN_COST
				   : heuristic->near != NULL ? 1.001 - heuristic->near[i]
											 : 1;
	int side;

	for (side = 0; side < 2; side++)
	{
		double room = sdc_cell_room(table, attack.holder, i, side ? -1 : 1);
		double low = 0;

		if (i == attack.cell)
			low = room = side == (attack.sign < 0) ? need : 0;
		sdc_program_bounds(program, 2 * k + side, low, room);
		sdc_program_cost(program, 2 * k + side,
						 share * table->weight[i] /
							 fmax(fmin(room, need), 1e-9));
	}
}

/* How a cell of the area moves: x[2 k] up and x[2 k + 1] down. */
static double
movement(const double *x, int32_t k)
{
	return x[2 * k] - x[2 * k + 1];
}

/* Keeps a movement that was found. */
static void
keep_flow(SdcHeuristic *heuristic, const double *x, Witness *witness)
{
	const SdcArea *area = heuristic->area;
	SdcHost *host = heuristic->host;
	int32_t k;
	int32_t count = 0;

	for (k = 0; k < area->cells; k++)
		count += fabs(movement(x, k)) > STILL;
	witness->cell = sdc_new(host, int32_t, (size_t) count + 1);
	witness->moved = sdc_new(host, double, (size_t) count + 1);
	witness->count = 0;
	for (k = 0; k < area->cells; k++)
	{
		double moved = movement(x, k);

		if (fabs(moved) <= STILL)
			continue;
		witness->cell[witness->count] = area->cell[k];
		witness->moved[witness->count++] = moved;
	}
}

/*
 * Makes the movement in x whole, as cheap as some work finds it; false when
 * none was found.
 */
static bool
make_whole(SdcHeuristic *heuristic, SdcProgram *program, double *x)
{
	const SdcArea *area = heuristic->area;
	SdcHost *host = heuristic->host;
	size_t n = 2 * (size_t) area->cells + 1;
	uint8_t *rank = sdc_new(host, uint8_t, n);
	double *low = sdc_new(host, double, n);
	double *high = sdc_new(host, double, n);
	SdcIntegerColumns columns = {rank, low, high, false};
	SdcSolverResult result;
	int32_t j;

	for (j = 0; j < 2 * area->cells; j++)
	{
		rank[j] = 1;
		low[j] = ceil(sdc_program_low(program, j) - 1e-9);
		high[j] = fmax(low[j], floor(sdc_program_high(program, j)));
	}
	result = sdc_integer_search(program, &columns, WHOLE_WORK, x);
	heuristic->undecided |= result.status == SDC_SOLVER_LIMIT;
	host->release(host, rank);
	host->release(host, low);
	host->release(host, high);
	return result.status == SDC_SOLVER_OPTIMAL ||
		   result.status == SDC_SOLVER_FEASIBLE;
}

/*
 * Makes the movement in x whole by a small multiple of it that no cell is too
 * narrow for: it hides the same cells.
 */
static bool
multiply(const SdcHeuristic *heuristic, int32_t holder, double *x)
{
	static const double factor[] = {2, 3, 4, 6};
	const SdcTabular *table = heuristic->table;
	const SdcArea *area = heuristic->area;
	size_t f;
	int32_t k;

	for (f = 0; f < sizeof(factor) / sizeof(factor[0]); f++)
	{
		for (k = 0; k < area->cells; k++)
		{
			int32_t i = area->cell[k];
			double moved = factor[f] * movement(x, k);

			if (fabs(moved - rint(moved)) > 1e-6 ||
				fabs(moved) >
					sdc_cell_room(table, holder, i, moved > 0 ? 1 : -1))
				break;
		}
		if (k < area->cells)
			continue;
		for (k = 0; k < 2 * area->cells; k++)
			x[k] = rint(factor[f] * x[k]);
		return true;
	}
	return false;
}

/* Reads the movement into x; is it whole? */
static bool
read_flow(const SdcHeuristic *heuristic, const SdcProgram *program, double *x)
{
	bool whole = true;
	int32_t j;

	for (j = 0; j < 2 * heuristic->area->cells; j++)
	{
		x[j] = sdc_program_value(program, j);
		whole = whole && fabs(x[j] - rint(x[j])) < 1e-6;
	}
	return whole;
}

/* Solves the program; false when it has no solution, or takes too long. */
static bool
solve_program(SdcHeuristic *heuristic, SdcProgram *program, double most_work)
{
	SdcSolverStatus status;

	program->most_work = most_work;
	status = sdc_program_solve(program, true).status;
	heuristic->undecided |= status == SDC_SOLVER_LIMIT;
	return status == SDC_SOLVER_OPTIMAL;
}

/* The cheapest movement within the area; false when none is found. */
static bool
solve_flow(SdcHeuristic *heuristic, SdcAttack attack, double most_work,
		   Witness *witness)
{
	const SdcArea *area = heuristic->area;
	double need = sdc_attack_need(heuristic->table, attack);
	SdcProgram *program = sdc_program_create(heuristic->host, false,
											 2 * area->cells, area->lines);
	double *x = sdc_new(heuristic->host, double, 2 * (size_t) area->cells + 1);
	bool boxed = false;
	bool found;
	bool whole;
	int32_t k;

	sdc_area_load(heuristic->area, program, true);
	for (k = 0; k < area->lines; k++)
		sdc_program_balance(program, k);
	for (k = 0; k < area->cells; k++)
		set_flow(heuristic, program, k, attack, need);
	found = solve_program(heuristic, program, most_work);
	whole = !found || read_flow(heuristic, program, x) ||
			!heuristic->table->whole || multiply(heuristic, attack.holder, x);
	/* in a large table a whole box is worth more than the least cost */
	if (!whole && heuristic->table->cells >= WHOLE)
		boxed = find_box(heuristic, attack, heuristic->audits, witness);
	if (!whole && !boxed && heuristic->polishes)
		found = false;
	else if (!whole && !boxed)
		found = make_whole(heuristic, program, x);
	if (found && !boxed)
		keep_flow(heuristic, x, witness);
	heuristic->work += program->work;
	sdc_program_free(program);
	heuristic->host->release(heuristic->host, x);
	return found;
}

/* How far a cell can move up (sign 1) or down, to who attacks. */
static double
room_of(const SdcHeuristic *heuristic, SdcAttack attack, int32_t i, int sign)
{
	return heuristic->allowed[i]
			   ? sdc_cell_room(heuristic->table, attack.holder, i, sign)
			   : 0;
}

/*
 * Is an equation of the cell too narrow for its movement, whatever the others
 * allow?  O(members of its equations).
 */
static bool
is_stuck(const SdcHeuristic *heuristic, SdcAttack attack)
{
	const SdcTabular *table = heuristic->table;
	double need = sdc_attack_need(table, attack);
	int32_t p = attack.cell;
	int64_t k;
	int64_t e;

	for (k = table->cell_start[p]; k < table->cell_start[p + 1]; k++)
	{
		int32_t r = table->of_cell[k];
		int32_t total = table->member[table->start[r]];
		int parts = total == p ? attack.sign : -attack.sign;
		double room =
			total == p ? 0 : room_of(heuristic, attack, total, attack.sign);

		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			if (table->member[e] != p)
				room += room_of(heuristic, attack, table->member[e], parts);
		if (!sdc_attack_fails(room, need))
			return true;
	}
	return false;
}

/* The cheapest movement by programs of as many cells around as it takes. */
static bool
grow_flow(SdcHeuristic *heuristic, SdcAttack attack, Witness *witness)
{
	int32_t cells = heuristic->table->cells;
	int32_t most = LOCAL;
	int32_t each = EACH;
	double until = heuristic->work + (heuristic->any ? heuristic->any_work
													 : heuristic->each_work);

	for (;;)
	{
		if (cells < WHOLE || most >= cells)
			sdc_area_around(heuristic->area, attack.cell, heuristic->allowed,
							cells);
		else
			sdc_area_select(heuristic->area, attack.cell, heuristic->allowed,
							heuristic->hidden, heuristic->order, each, most);
		if (solve_flow(heuristic, attack, until - heuristic->work, witness))
			return true;
		if (cells >= WHOLE && most == LOCAL && !heuristic->audits &&
			!heuristic->any && find_box(heuristic, attack, false, witness))
			return true;
		if (heuristic->area->whole || heuristic->work > heuristic->most_work ||
			(heuristic->polishes && most > LOCAL))
			return false;
		if (heuristic->work >= until)
		{
			heuristic->undecided = true;
			return false;
		}
		most = most > cells / GROWTH ? cells : GROWTH * most;
		each *= GROWTH;
	}
}

/*
 * The cheapest movement; where that takes too long any one, which may hide
 * more, but for polishing.
 */
static bool
find_flow(SdcHeuristic *heuristic, SdcAttack attack, Witness *witness)
{
	int32_t cells = heuristic->table->cells;
	bool before = heuristic->undecided;
	bool found;

	witness->attack = attack;
	if (is_stuck(heuristic, attack))
		return false;
	if (cells >= WHOLE && find_box(heuristic, attack, true, witness))
		return true;
	if (cells >= WHOLE && heuristic->work > heuristic->boxes_from &&
		find_box(heuristic, attack, false, witness))
		return true;
	heuristic->undecided = false;
	found = grow_flow(heuristic, attack, witness);
	if (!found && heuristic->undecided && !heuristic->polishes &&
		cells >= WHOLE)
	{
		heuristic->undecided = false;
		heuristic->any = true;
		found = grow_flow(heuristic, attack, witness);
		heuristic->any = false;
	}
	heuristic->undecided |= before;
	return found;
}

/* Does the respondent know that a cell of the witness cannot move so? */
static bool
undoes_cell(const SdcTabular *table, const Witness *witness, int32_t k,
			int32_t holder)
{
	double moved = witness->moved[k];

	return fabs(moved) >
		   sdc_cell_room(table, holder, witness->cell[k], moved > 0 ? 1 : -1) +
			   STILL;
}

/* Does he of any? */
static bool
undoes(const SdcTabular *table, const Witness *witness, int32_t holder)
{
	int32_t k;

	for (k = 0; k < witness->count; k++)
		if (undoes_cell(table, witness, k, holder))
			return true;
	return false;
}

/* Adds a witness against the attack to the group, and hides its cells. */
static bool
add_witness(SdcHeuristic *heuristic, Group *group, int32_t holder)
{
	SdcAttack attack = {group->cell, group->sign, holder};
	Witness witness;
	int32_t k;

	if (!find_flow(heuristic, attack, &witness))
	{
		heuristic->unmet = attack;
		return false;
	}
	if (group->count == group->room)
	{
		int32_t room = 2 * group->room + 1;
		Witness *larger = sdc_new(heuristic->host, Witness, (size_t) room);

		if (group->count > 0)
			memcpy(larger, group->witness,
				   (size_t) group->count * sizeof(Witness));
		heuristic->host->release(heuristic->host, group->witness);
		group->witness = larger;
		group->room = room;
	}
	group->witness[group->count++] = witness;
	for (k = 0; k < witness.count; k++)
		heuristic->hidden[witness.cell[k]] = true;
	return true;
}

/* Is the holder's attack met by a witness of the group, or none at all? */
static bool
is_met(const SdcTabular *table, const Group *group, int32_t holder)
{
	SdcAttack attack = {group->cell, group->sign, holder};
	double need = sdc_attack_need(table, attack);
	int32_t w;

	if (need <= 0)
		return true;
	for (w = 0; w < group->count; w++)
		if (sdc_attack_need(table, group->witness[w].attack) >= need &&
			!undoes(table, &group->witness[w], holder))
			return true;
	return false;
}

/* Makes the witnesses of a group: from outside, and of who could undo it. */
static bool
protect_group(SdcHeuristic *heuristic, Group *group)
{
	const SdcTabular *table = heuristic->table;
	int32_t own = table->holder[group->cell];
	int32_t k;

	if (!add_witness(heuristic, group, SDC_NO_HOLDER))
		return false;
	for (k = 0; k < group->witness[0].count; k++)
	{
		int32_t knower[2];
		int known = sdc_cell_knowers(table, group->witness[0].cell[k], knower);

		for (known--; known >= 0; known--)
			if (knower[known] != SDC_NO_HOLDER && knower[known] != own &&
				undoes_cell(table, &group->witness[0], k, knower[known]) &&
				!is_met(table, group, knower[known]) &&
				!add_witness(heuristic, group, knower[known]))
				return false;
	}
	return true;
}

/* Groups of all needs, the largest first. */
static void
list_groups(SdcHeuristic *heuristic)
{
	const SdcTabular *table = heuristic->table;
	SdcHost *host = heuristic->host;
	size_t room = 2 * (size_t) table->cells + 1;
	uint64_t *key = sdc_new(host, uint64_t, room);
	int32_t *order = sdc_new(host, int32_t, room);
	int32_t i;
	int32_t k;

	for (i = 0; i < 2 * table->cells; i++)
	{
		SdcAttack attack = {i / 2, i % 2 ? -1 : 1, SDC_NO_HOLDER};
		double need = sdc_attack_need(table, attack);

		if (table->role[i / 2] != SDC_CELL_UNSAFE || need <= 0)
			continue;
		key[heuristic->groups] = sdc_sort_key(-need);
		order[heuristic->groups++] = i;
	}
	sdc_sort_keys(host, key, order, (size_t) heuristic->groups);
	for (k = 0; k < heuristic->groups; k++)
	{
		Group *group = &heuristic->group[k];

		memset(group, 0, sizeof(*group));
		group->cell = order[k] / 2;
		group->sign = order[k] % 2 ? -1 : 1;
	}
	host->release(host, key);
	host->release(host, order);
}

static bool
uses_cell(const Group *group, int32_t i)
{
	int32_t w;
	int32_t k;

	for (w = 0; w < group->count; w++)
		for (k = 0; k < group->witness[w].count; k++)
			if (group->witness[w].cell[k] == i)
				return true;
	return false;
}

/*
 * Shows a cell again if the groups that use it can do without; these then
 * have new witnesses.
 */
static void
show_again(SdcHeuristic *heuristic, int32_t i)
{
	SdcHost *host = heuristic->host;
	int32_t *which = sdc_new(host, int32_t, (size_t) heuristic->groups + 1);
	Group *made = sdc_new(host, Group, (size_t) heuristic->groups + 1);
	int32_t count = 0;
	bool possible = true;
	int32_t g;

	heuristic->hidden[i] = heuristic->allowed[i] = false;
	for (g = 0; g < heuristic->groups && possible; g++)
	{
		if (!uses_cell(&heuristic->group[g], i))
			continue;
		memset(&made[count], 0, sizeof(Group));
		made[count].cell = heuristic->group[g].cell;
		made[count].sign = heuristic->group[g].sign;
		possible = protect_group(heuristic, &made[count]);
		which[count++] = g;
	}
	if (!possible)
		heuristic->hidden[i] = heuristic->allowed[i] = true;
	for (g = 0; g < count; g++)
	{
		if (possible)
		{
			Group swap = heuristic->group[which[g]];

			heuristic->group[which[g]] = made[g];
			made[g] = swap;
		}
		empty_group(heuristic, &made[g]);
	}
	host->release(host, which);
	host->release(host, made);
}

/* Shows what no witness needs, the dearest first. */
static void
clean_up(SdcHeuristic *heuristic)
{
	const SdcTabular *table = heuristic->table;
	SdcHost *host = heuristic->host;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) table->cells + 1);
	int32_t *order = sdc_new(host, int32_t, (size_t) table->cells + 1);
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		heuristic->allowed[i] = heuristic->hidden[i];
		if (!heuristic->hidden[i] || table->role[i] == SDC_CELL_UNSAFE)
			continue;
		key[count] = sdc_sort_key(-table->weight[i]);
		order[count++] = i;
	}
	sdc_sort_keys(host, key, order, (size_t) count);
	for (i = 0; i < count && heuristic->work <= heuristic->most_work; i++)
	{
		host->poll(host, (uint64_t) i, (uint64_t) count);
		show_again(heuristic, order[i]);
	}
	host->release(host, key);
	host->release(host, order);
}

/* Does a group stand, by its witnesses alone? */
static bool
group_holds(SdcHeuristic *heuristic, const Group *group)
{
	int32_t w;

	for (w = 0; w < group->count; w++)
		if (!witness_holds(heuristic->table, &group->witness[w],
						   heuristic->hidden, heuristic->scratch))
		{
			heuristic->unmet = group->witness[w].attack;
			return false;
		}
	return true;
}

static bool
all_hold(SdcHeuristic *heuristic)
{
	int32_t g;

	for (g = 0; g < heuristic->groups; g++)
		if (!group_holds(heuristic, &heuristic->group[g]))
			return false;
	return true;
}

int32_t
sdc_heuristic_audit(SdcHeuristic *heuristic, const bool *hidden,
					int32_t *first)
{
	const SdcTabular *table = heuristic->table;
	SdcHost *host = heuristic->host;
	bool *copy = sdc_new(host, bool, (size_t) table->cells + 1);
	int32_t failed = 0;
	int32_t g;

	if (first != NULL)
		*first = -1;
	memcpy(copy, hidden, (size_t) table->cells * sizeof(bool));
	memcpy(heuristic->allowed, hidden, (size_t) table->cells * sizeof(bool));
	heuristic->near = NULL;
	heuristic->hidden = copy;
	heuristic->audits = true;
	heuristic->most_work = heuristic->boxes_from = INFINITY;
	empty_groups(heuristic);
	list_groups(heuristic);
	for (g = 0; g < heuristic->groups; g++)
	{
		Group *group = &heuristic->group[g];

		host->poll(host, (uint64_t) g, (uint64_t) heuristic->groups);
		if (!protect_group(heuristic, group) || !group_holds(heuristic, group))
		{
			failed++;
			if (first != NULL && *first < 0)
				*first = group->cell;
		}
		empty_group(heuristic, group);
	}
	heuristic->audits = false;
	host->release(host, copy);
	return failed;
}

double
sdc_heuristic_run(SdcHeuristic *heuristic, const double *near,
				  double most_work, bool *hidden)
{
	const SdcTabular *table = heuristic->table;
	int32_t i;
	int32_t g;

	double before = heuristic->work;

	heuristic->near = near;
	heuristic->hidden = hidden;
	heuristic->most_work = heuristic->work + most_work;
	heuristic->boxes_from = heuristic->work + PROGRAMS;
	empty_groups(heuristic);
	for (i = 0; i < table->cells; i++)
	{
		hidden[i] = table->role[i] == SDC_CELL_UNSAFE;
		heuristic->allowed[i] = table->role[i] != SDC_CELL_SHOWN;
	}
	list_groups(heuristic);
	for (g = 0; g < heuristic->groups; g++)
	{
		heuristic->host->poll(heuristic->host, (uint64_t) g,
							  (uint64_t) heuristic->groups);
		if (!protect_group(heuristic, &heuristic->group[g]) ||
			heuristic->work > heuristic->most_work)
			return INFINITY;
	}
	/* of a large table, what took long to find is not polished for longer */
	heuristic->polishes = table->cells >= WHOLE;
	if (heuristic->polishes)
		heuristic->most_work =
			fmin(heuristic->most_work,
				 heuristic->work + fmax(heuristic->work - before, POLISH));
	clean_up(heuristic);
	heuristic->polishes = false;
	return all_hold(heuristic) ? sdc_pattern_cost(table, hidden) : INFINITY;
}
