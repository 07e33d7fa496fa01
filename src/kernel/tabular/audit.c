/*
 * audit.c
 *		Attacks on a pattern of hidden cells, each computed anew.
 *
 * An attack fails when there is a movement of the hidden cells that keeps all
 * equations and moves its cell by its need, for a respondent without cells of
 * his own: it is sought for each anew, and checked without the solver.
 * Intervals are two linear programs for each cell over those that a chain of
 * equations of hidden cells connects it with; for values that are known to be
 * whole, two integer programs, within the intervals of the linear ones.
 */
#include <math.h>

#include "kernel/base/integer_search.h"
#include "kernel/tabular/suppression.h"
#include "kernel/tabular/tabular_private.h"

int32_t
sdc_tabular_audit(const SdcTabular *table, const bool *hidden, int32_t *first)
{
	SdcHeuristic *heuristic =
		sdc_heuristic_create(table, SDC_TABULAR_EACH, SDC_TABULAR_EACH);
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
sdc_tabular_complete(SdcTabular *table, const bool *hidden,
					 const double *least, const double *most)
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
		sdc_program_bounds(program, i, hidden[i] ? least[i] : table->value[i],
						   hidden[i] ? most[i] : table->value[i]);
	possible = sdc_program_solve(program, false).status == SDC_SOLVER_OPTIMAL;
	for (i = 0; i < table->cells && possible; i++)
		if (hidden[i])
		{
			double y = sdc_program_value(program, i);

			y = y < least[i] ? least[i] : y > most[i] ? most[i] : y;
			table->value[i] = y;
			table->low[i] = y - least[i];
			table->high[i] = most[i] - y;
		}
	sdc_program_free(program);
	host->release(host, row);
	host->release(host, value);
	return possible;
}

/* The program of one area for whole values. */
typedef struct Whole
{
	const SdcArea *area;
	SdcProgram *program;
	uint8_t *rank;
	double *low;
	double *high;
	double *x;
} Whole;

/* What the cells of an equation outside the area add to its parts. */
static double
sum_outside(const SdcArea *area, int32_t r)
{
	const SdcTabular *table = area->table;
	double sum = 0;
	int64_t e;

	for (e = table->start[r]; e < table->start[r + 1]; e++)
		if (area->place[table->member[e]] < 0)
			sum += table->value[table->member[e]] *
				   (e == table->start[r] ? -1 : 1);
	return sum;
}

/* Bounds become whole; false when a cell has no whole value left. */
static bool
start_whole(Whole *whole, const SdcArea *area, const double *least,
			const double *largest)
{
	SdcHost *host = area->host;
	size_t n = (size_t) area->cells + 1;
	int32_t k;

	whole->area = area;
	whole->rank = sdc_new(host, uint8_t, n);
	whole->low = sdc_new(host, double, n);
	whole->high = sdc_new(host, double, n);
	whole->x = sdc_new(host, double, n);
	whole->program = sdc_program_create(host, false, area->cells, area->lines);
	sdc_area_load(area, whole->program, false);
	for (k = 0; k < area->lines; k++)
		sdc_program_require(whole->program, k, true,
							0 - sum_outside(area, area->equation[k]));
	for (k = 0; k < area->cells; k++)
	{
		double low = least[area->cell[k]];
		double high = largest[area->cell[k]];

		/* beyond what the solver may have been off by */
		whole->rank[k] = 1;
		whole->low[k] = 0 + ceil(low - 1e-6 - 1e-7 * fabs(low));
		whole->high[k] = 0 + floor(high + 1e-6 + 1e-7 * fabs(high));
		if (whole->low[k] > whole->high[k])
			return false;
	}
	return true;
}

static void
end_whole(Whole *whole)
{
	SdcHost *host = whole->area->host;

	sdc_program_free(whole->program);
	host->release(host, whole->rank);
	host->release(host, whole->low);
	host->release(host, whole->high);
	host->release(host, whole->x);
}

/* The lowest (sign 1) or highest (-1) whole value; false: there is none. */
static bool
move_end(Whole *whole, int32_t k, int sign, double work)
{
	SdcIntegerColumns columns = {whole->rank, whole->low, whole->high, true};
	double *end = sign > 0 ? &whole->low[k] : &whole->high[k];
	SdcSolverResult result;

	sdc_program_cost(whole->program, k, sign);
	result = sdc_integer_search(whole->program, &columns, work, whole->x);
	sdc_program_cost(whole->program, k, 0);
	if (result.status == SDC_SOLVER_INFEASIBLE)
		return false;
	/* what is not proven is the bound: an interval never too narrow */
	if (isfinite(result.bound) && sign > 0)
		*end = fmax(*end, 0 + ceil(result.bound - 1e-6));
	if (isfinite(result.bound) && sign < 0)
		*end = fmin(*end, 0 - ceil(result.bound - 1e-6));
	return true;
}

bool
sdc_tabular_whole(const SdcTabular *table, const bool *hidden, double work,
				  double *least, double *largest)
{
	SdcHost *host = table->host;
	SdcArea *area = sdc_area_create(table);
	bool *done = sdc_new(host, bool, (size_t) table->cells + 1);
	bool possible = true;
	int32_t p;
	int32_t k;

	for (p = 0; p < table->cells; p++)
		done[p] = !hidden[p];
	for (p = 0; p < table->cells && possible; p++)
	{
		Whole whole;

		if (done[p])
			continue;
		sdc_area_around(area, p, hidden, table->cells);
		possible = start_whole(&whole, area, least, largest);
		for (k = 0; k < area->cells && possible; k++)
			possible =
				move_end(&whole, k, 1, work) && move_end(&whole, k, -1, work);
		for (k = 0; k < area->cells; k++)
		{
			done[area->cell[k]] = true;
			least[area->cell[k]] = whole.low[k];
			largest[area->cell[k]] = whole.high[k];
		}
		end_whole(&whole);
	}
	sdc_area_release(area);
	host->release(host, done);
	return possible;
}
