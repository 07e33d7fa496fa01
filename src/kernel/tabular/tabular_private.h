/*
 * tabular_private.h
 *		What the methods on tables share: areas and attackers.
 */
#ifndef SDC_KERNEL_TABULAR_PRIVATE_H
#define SDC_KERNEL_TABULAR_PRIVATE_H

#include "kernel/base/host.h"
#include "kernel/base/solver.h"
#include "kernel/tabular/tabular.h"

/* Work for the programs around one cell of a large table, some 30 s. */
#define SDC_TABULAR_EACH 5e8

/* What an interval may fall short of a need by, relative to the need. */
#define SDC_TABULAR_TOLERANCE 1e-6

/*
 * A part of the cells, and the equations that they are in.  place and line
 * are of the whole table: where a cell or an equation is in the area, or -1.
 */
typedef struct SdcArea
{
	SdcHost *host;
	const SdcTabular *table;
	int32_t cells;
	int32_t lines;
	int32_t *cell;
	int32_t *equation;
	int32_t *place;
	int32_t *line;
	bool whole; /* nothing that could be reached was left out */
} SdcArea;

/*
 * An area without cells, which the functions below fill, each time anew.  Its
 * arrays are of the size of the table: memory O(cells + equations).
 */
extern SdcArea *sdc_area_create(const SdcTabular *table);
/* Gives it back; the table stays. */
extern void sdc_area_release(SdcArea *area);

/* Makes it all cells with share[i] > 0.  O(cells + members). */
extern void sdc_area_take(SdcArea *area, const double *share);

/*
 * Makes it the cells around cell p, the nearest first, over equations and
 * cells with allowed[i], at most so many.
 */
extern void sdc_area_around(SdcArea *area, int32_t p, const bool *allowed,
							int32_t most);

/*
 * The same with no more than so many of the cells of each equation: hidden
 * ones, then those that order has first (order has the members of each
 * equation, as table->member).
 */
extern void sdc_area_select(SdcArea *area, int32_t p, const bool *allowed,
							const bool *hidden, const int32_t *order,
							int32_t each, int32_t most);

/*
 * Loads the equations of an area into a program: a column for the movement of
 * each cell, or, as flow, one up and one down, without the equations that
 * follow from others.
 */
extern void sdc_area_load(const SdcArea *area, SdcProgram *program, bool flow);

/* One attack: cell p upwards (sign 1) or downwards (-1), by a respondent. */
typedef struct SdcAttack
{
	int32_t cell;
	int sign;
	int32_t holder; /* who knows what he gave, or SDC_NO_HOLDER */
} SdcAttack;

/*
 * How far a cell can move up (sign 1) or down to a respondent, or to
 * SDC_NO_HOLDER: not at all where he is alone, not below what he gave where
 * he is one of the two who gave most.
 */
static inline double
sdc_cell_room(const SdcTabular *table, int32_t holder, int32_t i, int sign)
{
	double low = table->low[i];

	if (holder == SDC_NO_HOLDER)
		return sign > 0 ? table->high[i] : low;
	if (table->holder[i] == holder)
		return 0;
	if (sign > 0)
		return table->high[i];
	if (table->leader[i] == holder && table->leader_low[i] < low)
		low = table->leader_low[i];
	if (table->second[i] == holder && table->second_low[i] < low)
		low = table->second_low[i];
	return low;
}

/*
 * The respondents who may know that a cell cannot move so far: one to three,
 * the first SDC_NO_HOLDER where there are none.
 */
static inline int
sdc_cell_knowers(const SdcTabular *table, int32_t i, int32_t *knower)
{
	knower[0] = table->holder[i];
	if (knower[0] != SDC_NO_HOLDER)
		return 1;
	knower[0] = table->leader[i];
	knower[1] = table->second[i];
	return 2;
}

/*
 * How far an attack must be able to move its cell, so that the need is met.
 * From who gave the most of it the rest is kept; and nobody takes a cell for
 * less than what he gave.
 */
static inline double
sdc_attack_need(const SdcTabular *table, SdcAttack attack)
{
	bool leads = attack.holder != SDC_NO_HOLDER &&
				 attack.holder == table->leader[attack.cell];
	double need =
		leads ? table->rest_low[attack.cell] : table->need_low[attack.cell];
	double room;

	if (attack.sign > 0)
		return leads ? table->rest_high[attack.cell]
					 : table->need_high[attack.cell];
	if (attack.holder == SDC_NO_HOLDER)
		return need;
	room = sdc_cell_room(table, attack.holder, attack.cell, attack.sign);
	return room < need ? room : need;
}

/* Does an attack that moved its cell so far meet the need, and so fail? */
static inline bool
sdc_attack_fails(double reached, double need)
{
	return reached >= need - SDC_TABULAR_TOLERANCE * (need > 1 ? need : 1);
}

/*
 * The linear program of attacks on an area, in which cell i may move
 * -low share .. high share; warm from one attack to the next.
 */
typedef struct SdcAttacker
{
	const SdcArea *area;
	const double *share; /* NULL: 1 for all */
	SdcProgram *program;
	int32_t holder; /* the respondent who attacks */
	double over; /* what the last movement was divided by, to be in bounds */
} SdcAttacker;

/*
 * Loads the program of an area, which must not change while it is attacked.
 * share[cells of the table], 0 .. 1, is kept, not copied.
 */
extern SdcAttacker *sdc_attacker_create(const SdcArea *area,
										const double *share);
/* Gives it back; the area stays. */
extern void sdc_attacker_free(SdcAttacker *attacker);

/*
 * How far the cell can move.  A movement that overshoots a bound within the
 * solver's tolerances is scaled back until it does not, so what is returned
 * can be had; NaN when the solver failed.
 */
extern double sdc_attacker_run(SdcAttacker *attacker, SdcAttack attack);

/*
 * Runs the attack from outside and then that of each respondent who knows that
 * its movement cannot be; returns false with the first that does not fail in
 * *found.  An attack that the solver could not run counts as one.
 */
extern bool sdc_attacker_withstands(SdcAttacker *attacker, SdcAttack attack,
									SdcAttack *found);

/*
 * A search for a pattern that protects the table and is cheap, not the
 * cheapest: needs are met one by one, each by the cheapest movement of cells
 * that meets it (heuristic.c).
 */
typedef struct SdcHeuristic SdcHeuristic;

/*
 * For one table, which must stay as it is; it can be run many times.  In one
 * of 2,000 cells or more the programs around one cell end after so much work:
 * for its cheapest movement, and after them for any.
 */
extern SdcHeuristic *sdc_heuristic_create(const SdcTabular *table,
										  double each_work, double any_work);
/* Gives it back; the table stays. */
extern void sdc_heuristic_release(SdcHeuristic *heuristic);

/*
 * Finds a pattern, from near[cells], a fractional solution of 0 .. 1 to round,
 * or from nothing (NULL).  hidden[cells] gets it; returns its cost, or
 * INFINITY when a need cannot be met (sdc_heuristic_unmet names it) or
 * most_work is spent.
 */
extern double sdc_heuristic_run(SdcHeuristic *heuristic, const double *near,
								double most_work, bool *hidden);

/*
 * How many needs no movement of the hidden cells meets; *first, unless NULL,
 * gets the cell of the first, or -1.
 */
extern int32_t sdc_heuristic_audit(SdcHeuristic *heuristic, const bool *hidden,
								   int32_t *first);
/* The need for which the last run returned INFINITY, unless work was spent. */
extern SdcAttack sdc_heuristic_unmet(const SdcHeuristic *heuristic);
/* Was a movement given up that whole numbers may make? */
extern bool sdc_heuristic_undecided(const SdcHeuristic *heuristic);
/* What all runs have cost, in the unit of most_work. */
extern double sdc_heuristic_work(const SdcHeuristic *heuristic);

/* The cost of a pattern: the weights of what it hides. */
static inline double
sdc_pattern_cost(const SdcTabular *table, const bool *hidden)
{
	double cost = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (hidden[i])
			cost += table->weight[i];
	return cost;
}

#endif
