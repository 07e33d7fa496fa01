/*
 * audit.c
 *		Attacks on a pattern of hidden cells, each computed anew.
 *
 * An attack fails when there is a movement of the hidden cells that keeps all
 * equations and moves its cell by its need, for a respondent without cells of
 * his own: it is sought for each anew, and checked without the solver.
 * Intervals are two linear programs for each cell over those that a chain of
 * equations of hidden cells connects it with.
 */
#include <math.h>

#include "kernel/tabular/suppression.h"
#include "kernel/tabular/tabular_private.h"

int32_t
sdc_tabular_audit(const SdcTabular *table, const bool *hidden, int32_t *first)
{
	SdcHeuristic *heuristic = sdc_heuristic_create(table);
	int32_t failed = sdc_heuristic_audit(heuristic, hidden, first);

	sdc_heuristic_release(heuristic);
	return failed;
}

/* Both ends of the interval of a cell; the value where the solver failed. */
static void
find_interval(SdcAttacker *attacker, int32_t p, double *least, double *largest)
{
	const SdcTabular *table = attacker->area->table;
	SdcAttack up = {p, 1, SDC_NO_HOLDER};
	SdcAttack down = {p, -1, SDC_NO_HOLDER};
	double above = sdc_attacker_run(attacker, up);
	double below = sdc_attacker_run(attacker, down);

	*largest = table->value[p] + (isnan(above) ? 0 : above);
	*least = table->value[p] - (isnan(below) ? 0 : below);
}

void
sdc_tabular_intervals(const SdcTabular *table, const bool *hidden,
					  double *least, double *largest)
{
	SdcHost *host = table->host;
	SdcArea *area = sdc_area_create(table);
	bool *done = sdc_new(host, bool, (size_t) table->cells + 1);
	int32_t p;
	int32_t k;

	for (p = 0; p < table->cells; p++)
	{
		done[p] = !hidden[p];
		least[p] = largest[p] = table->value[p];
	}
	for (p = 0; p < table->cells; p++)
	{
		SdcAttacker *attacker;

		if (done[p])
			continue;
		sdc_area_around(area, p, hidden, table->cells);
		attacker = sdc_attacker_create(area, NULL);
		for (k = 0; k < area->cells; k++)
		{
			int32_t i = area->cell[k];

			done[i] = true;
			find_interval(attacker, i, &least[i], &largest[i]);
		}
		sdc_attacker_free(attacker);
	}
	sdc_area_release(area);
	host->release(host, done);
}

bool
sdc_tabular_complete(SdcTabular *table, const bool *hidden, double least,
					 double most)
{
	SdcHost *host = table->host;
	int64_t entries = table->start[table->equations];
	SdcProgram *program =
		sdc_program_create(host, false, table->cells, table->equations);
	int *row = sdc_new(host, int, (size_t) entries + 1);
	double *value = sdc_new(host, double, (size_t) entries + 1);
	bool possible;
	int32_t i;
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		sdc_program_balance(program, r);
		for (e = table->start[r]; e < table->start[r + 1]; e++)
		{
			row[e] = r;
			value[e] = e == table->start[r] ? -1 : 1;
		}
	}
	sdc_program_load(program, (int) entries, row, table->member, value);
	for (i = 0; i < table->cells; i++)
		sdc_program_bounds(program, i, hidden[i] ? least : table->value[i],
						   hidden[i] ? most : table->value[i]);
	possible = sdc_program_solve(program, false).status == SDC_SOLVER_OPTIMAL;
	for (i = 0; i < table->cells && possible; i++)
		if (hidden[i])
		{
			double y = sdc_program_value(program, i);

			y = y < least ? least : y > most ? most : y;
			table->value[i] = y;
			table->low[i] = y - least;
			table->high[i] = most - y;
		}
	sdc_program_free(program);
	host->release(host, row);
	host->release(host, value);
	return possible;
}
