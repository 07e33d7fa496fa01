/*
 * attacker.c
 *		The attacker of a table: how far can a hidden cell move?
 *
 * With the hidden cells free within what he knows before, and the equations
 * kept, the attacker's interval of cell p are two linear programs over the
 * movement z = y - a: max and min z_p, M z = 0, -low <= z <= high.  z = 0 is
 * feasible, so the primal simplex method goes on from any attack to the next.
 *
 * A respondent who is alone in a cell knows it: his program has it fixed.  One
 * of the two who gave most to a cell knows that it is not below what he gave.
 * Each can only do better than an outsider if the outsider's movement is one
 * that he knows cannot be, so only those respondents are tried (Hundepool et
 * al. 2012, Statistical Disclosure Control, section 4.3, on singletons).
 */
#include <math.h>

#include "kernel/tabular/tabular_private.h"

/* A movement that counts as none, in units of what is published. */
#define STILL 1e-6

/* The bounds of a cell for a respondent. */
static void
set_bounds(SdcAttacker *attacker, int32_t k, int32_t holder)
{
	const SdcTabular *table = attacker->area->table;
	int32_t i = attacker->area->cell[k];
	double share = attacker->share == NULL ? 1 : attacker->share[i];

	sdc_program_bounds(attacker->program, k,
					   -sdc_cell_room(table, holder, i, -1) * share,
					   sdc_cell_room(table, holder, i, 1) * share);
}

SdcAttacker *
sdc_attacker_create(const SdcArea *area, const double *share)
{
	SdcAttacker *attacker = sdc_new(area->host, SdcAttacker, 1);
	int32_t k;

	attacker->area = area;
	attacker->share = share;
	attacker->holder = SDC_NO_HOLDER;
	attacker->program =
		sdc_program_create(area->host, true, area->cells, area->lines);
	sdc_area_load(area, attacker->program, false);
	for (k = 0; k < area->lines; k++)
		sdc_program_balance(attacker->program, k);
	for (k = 0; k < area->cells; k++)
		set_bounds(attacker, k, SDC_NO_HOLDER);
	return attacker;
}

void
sdc_attacker_free(SdcAttacker *attacker)
{
	if (attacker == NULL)
		return;
	sdc_program_free(attacker->program);
	attacker->area->host->release(attacker->area->host, attacker);
}

/* Does a respondent know more of a cell than others? */
static bool
knows(const SdcTabular *table, int32_t holder, int32_t i)
{
	return holder != SDC_NO_HOLDER &&
		   (table->holder[i] == holder || table->leader[i] == holder ||
			table->second[i] == holder);
}

/* What the respondent knows holds, and not what the one before knew. */
static void
set_holder(SdcAttacker *attacker, int32_t holder)
{
	const SdcArea *area = attacker->area;
	int32_t before = attacker->holder;
	int32_t k;

	if (before == holder)
		return;
	attacker->holder = holder;
	for (k = 0; k < area->cells; k++)
	{
		int32_t i = area->cell[k];

		if (knows(area->table, before, i) || knows(area->table, holder, i))
			set_bounds(attacker, k, holder);
	}
}

/* By how much the movement overshoots its bounds: a factor, at least 1. */
static double
overshoot(const SdcAttacker *attacker)
{
	const SdcArea *area = attacker->area;
	const SdcTabular *table = area->table;
	double most = 1;
	int32_t k;

	for (k = 0; k < area->cells; k++)
	{
		int32_t i = area->cell[k];
		double moved = sdc_program_value(attacker->program, k);
		double room =
			sdc_cell_room(table, attacker->holder, i, moved > 0 ? 1 : -1);

		if (attacker->share != NULL)
			room *= attacker->share[i];
		if (fabs(moved) > room * most + STILL)
			most = room > 0 ? fabs(moved) / room : INFINITY;
	}
	return most;
}

double
sdc_attacker_run(SdcAttacker *attacker, SdcAttack attack)
{
	int32_t k = attacker->area->place[attack.cell];
	SdcSolverResult result;

	if (k < 0)
		return 0;
	set_holder(attacker, attack.holder);
	sdc_program_cost(attacker->program, k, attack.sign);
	result = sdc_program_solve(attacker->program, false);
	sdc_program_cost(attacker->program, k, 0);
	if (result.status != SDC_SOLVER_OPTIMAL)
		return NAN;
	attacker->over = overshoot(attacker);
	return result.objective / attacker->over;
}

/* Adds a respondent to a list, once. */
static int32_t
list_once(int32_t *list, int32_t count, int32_t holder)
{
	int32_t j;

	for (j = 0; j < count && list[j] != holder;)
		j++;
	list[j] = holder;
	return j == count ? count + 1 : count;
}

/* The respondents who know that the last movement cannot be, each once. */
static int32_t
list_knowers(const SdcAttacker *attacker, int32_t except, int32_t *list)
{
	const SdcArea *area = attacker->area;
	int32_t count = 0;
	int32_t k;

	for (k = 0; k < area->cells; k++)
	{
		int32_t i = area->cell[k];
		double moved = sdc_program_value(attacker->program, k);
		int32_t knower[2];
		int known = sdc_cell_knowers(area->table, i, knower);

		for (known--; known >= 0 && fabs(moved) > STILL; known--)
			if (knower[known] != SDC_NO_HOLDER && knower[known] != except &&
				fabs(moved) > sdc_cell_room(area->table, knower[known], i,
											moved > 0 ? 1 : -1) +
								  STILL)
				count = list_once(list, count, knower[known]);
	}
	return count;
}

bool
sdc_attacker_withstands(SdcAttacker *attacker, SdcAttack attack,
						SdcAttack *found)
{
	const SdcArea *area = attacker->area;
	double need = sdc_attack_need(area->table, attack);
	int32_t *holder;
	int32_t count;
	int32_t j;
	bool safe;

	*found = attack;
	if (need <= 0)
		return true;
	if (!sdc_attack_fails(sdc_attacker_run(attacker, attack), need))
		return false;
	if (attack.holder != SDC_NO_HOLDER)
		return true;
	holder = sdc_new(area->host, int32_t, 2 * (size_t) area->cells + 2);
	count = list_knowers(attacker, area->table->holder[attack.cell], holder);
	safe = true;
	for (j = 0; j < count && safe; j++)
	{
		found->holder = holder[j];
		need = sdc_attack_need(area->table, *found);
		safe = need <= 0 ||
			   sdc_attack_fails(sdc_attacker_run(attacker, *found), need);
	}
	area->host->release(area->host, holder);
	return safe;
}
