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

/*
 * Searches that may end without an answer, and without any solution, before
 * the rest of an area is taken to be as hard.
 */
#define MOST_UNDECIDED 5
#define MOST_LOST      2

int32_t
sdc_tabular_audit(const SdcTabular *table, const bool *hidden, int32_t *first)
{
	SdcHeuristic *heuristic =
		sdc_heuristic_create(table, SDC_TABULAR_EACH, SDC_TABULAR_EACH);
	int32_t failed = sdc_heuristic_audit(heuristic, hidden, first);

	sdc_heuristic_release(heuristic);
	return failed;
}

/* The last movement shows what other cells may be, unless done[] says so. */
static void
see_others(const SdcAttacker *attacker, const bool *done, double *least,
		   double *largest)
{
	const SdcArea *area = attacker->area;
	int32_t k;

	for (k = 0; k < area->cells; k++)
	{
		int32_t i = area->cell[k];
		double seen = area->table->value[i] +
					  sdc_program_value(attacker->program, k) / attacker->over;

		if (done[i])
			continue;
		least[i] = fmin(least[i], seen);
		largest[i] = fmax(largest[i], seen);
	}
}

/* How far a cell moves one way; done, unless NULL, as above. */
static double
find_end(SdcAttacker *attacker, SdcAttack attack, const bool *done,
		 double *least, double *largest)
{
	double moved = sdc_attacker_run(attacker, attack);

	if (!isnan(moved) && done != NULL)
		see_others(attacker, done, least, largest);
	return isnan(moved) ? 0 : moved;
}

/*
 * Both ends of the interval of a cell; the value where the solver failed.  Of
 * the cells that are not done, unless that is NULL, what they may be.
 */
static void
find_interval(SdcAttacker *attacker, int32_t p, const bool *done,
			  double *least, double *largest)
{
	double value = attacker->area->table->value[p];
	SdcAttack up = {p, 1, SDC_NO_HOLDER};
	SdcAttack down = {p, -1, SDC_NO_HOLDER};
	double above = find_end(attacker, up, done, least, largest);
	double below = find_end(attacker, down, done, least, largest);

	least[p] = value - below;
	largest[p] = value + above;
}

/* Is what has been seen of a cell enough? */
static bool
is_enough(const SdcEnough *enough, int32_t i, const double *least,
		  const double *largest)
{
	return enough != NULL &&
		   enough->is(enough->arg, i, least[i], largest[i], false);
}

/* The ends of a cell have been found. */
static void
tell_ends(const SdcEnough *enough, int32_t i, const double *least,
		  const double *largest)
{
	if (enough != NULL)
		(void) enough->is(enough->arg, i, least[i], largest[i], true);
}

void
sdc_tabular_intervals(const SdcTabular *table, const bool *hidden,
					  const SdcEnough *enough, double *least, double *largest)
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

		if (done[p] || is_enough(enough, p, least, largest))
			continue;
		sdc_area_around(area, p, hidden, table->cells);
		attacker = sdc_attacker_create(area, NULL);
		for (k = 0; k < area->cells; k++)
		{
			int32_t i = area->cell[k];

			done[i] = true;
			if (is_enough(enough, i, least, largest))
				continue;
			find_interval(attacker, i, enough == NULL ? NULL : done, least,
						  largest);
			tell_ends(enough, i, least, largest);
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
	double *seen_low; /* what solutions have shown of a cell */
	double *seen_high;
	int undecided; /* ends that the work was not enough for */
	int lost;      /* those for which no solution was found either */
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
	whole->undecided = whole->lost = 0;
	whole->rank = sdc_new(host, uint8_t, n);
	whole->low = sdc_new(host, double, n);
	whole->high = sdc_new(host, double, n);
	whole->x = sdc_new(host, double, n);
	whole->seen_low = sdc_new(host, double, n);
	whole->seen_high = sdc_new(host, double, n);
	whole->program = sdc_program_create(host, false, area->cells, area->lines);
	sdc_area_load(area, whole->program, false);
	for (k = 0; k < area->lines; k++)
		sdc_program_require(whole->program, k, true,
							0 - sum_outside(area, area->equation[k]));
	for (k = 0; k < area->cells; k++)
	{
		double low = least[area->cell[k]];
		double high = largest[area->cell[k]];

		whole->seen_low[k] = INFINITY;
		whole->seen_high[k] = -INFINITY;
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
	host->release(host, whole->seen_low);
	host->release(host, whole->seen_high);
}

/* A solution shows what all cells may be. */
static void
see_whole(Whole *whole)
{
	int32_t k;

	for (k = 0; k < whole->area->cells; k++)
	{
		whole->seen_low[k] = fmin(whole->seen_low[k], whole->x[k]);
		whole->seen_high[k] = fmax(whole->seen_high[k], whole->x[k]);
	}
}

/* Is what whole solutions have shown of a cell enough? */
static bool
is_seen(Whole *whole, int32_t k, const SdcEnough *enough)
{
	return enough != NULL && whole->seen_low[k] <= whole->seen_high[k] &&
		   enough->is(enough->arg, whole->area->cell[k], whole->seen_low[k],
					  whole->seen_high[k], false);
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
	whole->undecided += result.status != SDC_SOLVER_OPTIMAL;
	if (result.status == SDC_SOLVER_OPTIMAL ||
		result.status == SDC_SOLVER_FEASIBLE)
		see_whole(whole);
	else
		whole->lost++;
	/* what is not proven is the bound: an interval never too narrow */
	if (isfinite(result.bound) && sign > 0)
		*end = fmax(*end, 0 + ceil(result.bound - 1e-6));
	if (isfinite(result.bound) && sign < 0)
		*end = fmin(*end, 0 - ceil(result.bound - 1e-6));
	return true;
}

/* Is it known that such searches do not end in this area? */
static bool
is_hard(const Whole *whole)
{
	return whole->undecided >= MOST_UNDECIDED || whole->lost >= MOST_LOST;
}

/* The ends of all cells of an area; false: there are no whole values. */
static bool
move_ends(Whole *whole, double work, const SdcEnough *enough, double *least,
		  double *largest)
{
	bool possible = true;
	int32_t k;

	for (k = 0; k < whole->area->cells && possible && !is_hard(whole); k++)
	{
		int32_t i = whole->area->cell[k];

		if (is_seen(whole, k, enough))
		{
			least[i] = whole->seen_low[k];
			largest[i] = whole->seen_high[k];
			continue;
		}
		possible = move_end(whole, k, 1, work) && move_end(whole, k, -1, work);
		/* of an end that is not decided what is known of all values holds */
		if (enough != NULL && is_hard(whole))
			break;
		least[i] = whole->low[k];
		largest[i] = whole->high[k];
		tell_ends(enough, i, least, largest);
	}
	return possible;
}

bool
sdc_tabular_whole(const SdcTabular *table, const bool *hidden, double work,
				  const SdcWholeBounds *bounds, double *least, double *largest)
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
		possible =
			start_whole(&whole, area, bounds == NULL ? least : bounds->low,
						bounds == NULL ? largest : bounds->high) &&
			move_ends(&whole, work, bounds == NULL ? NULL : bounds->enough,
					  least, largest);
		for (k = 0; k < area->cells; k++)
			done[area->cell[k]] = true;
		end_whole(&whole);
	}
	sdc_area_release(area);
	host->release(host, done);
	return possible;
}
