/*
 * rounding.c
 *		Controlled rounding: all cells to multiples of a base, still adding up.
 *
 * Exact: a column for each cell that is no multiple, 1 when it goes up; an
 * equation is then one between these.  Fast: cells that are no totals go up
 * or down, one after the other, whichever leaves the totals above them nearer
 * to their values, in some passes over all cells; whatever they are, totals
 * that follow add up.  That needs that each total is the sum of such cells, as
 * in one table; linked tables have cells of their own for the same records.
 */
#include "kernel/tabular/changed_values.h"

#include <math.h>
#include <string.h>

#include "kernel/base/integer_search.h"

/* Passes of the fast way at the most. */
#define PASSES 12

/* A table with more members of equations is not searched. */
#define MOST_MEMBERS 2000000

/* ----------------------------------------------------------------------
 * The search
 * ----------------------------------------------------------------------
 */

typedef struct Model
{
	SdcHost *host;
	const SdcTabular *table;
	double base;
	double *floor;   /* of a cell, the multiple next below, in bases */
	int32_t *column; /* of a cell, -1 when it is a multiple */
	int32_t columns;
	double constant; /* the change when all go down */
} Model;

static void
start_model(Model *model, const SdcTabular *table, double base)
{
	SdcHost *host = table->host;
	int32_t i;

	model->host = host;
	model->table = table;
	model->base = base;
	model->columns = 0;
	model->constant = 0;
	model->floor = sdc_new(host, double, (size_t) table->cells + 1);
	model->column = sdc_new(host, int32_t, (size_t) table->cells + 1);
	for (i = 0; i < table->cells; i++)
	{
		model->floor[i] = floor(table->value[i] / base);
		model->constant += table->value[i] - base * model->floor[i];
		model->column[i] =
			table->value[i] == base * model->floor[i] ? -1 : model->columns++;
	}
}

/* Rows: what goes up of the parts is what goes up of the total and more. */
static void
load_equations(const Model *model, SdcProgram *program)
{
	const SdcTabular *table = model->table;
	SdcHost *host = model->host;
	size_t entries = (size_t) table->start[table->equations] + 1;
	int *row = sdc_new(host, int, entries);
	int *column = sdc_new(host, int, entries);
	double *value = sdc_new(host, double, entries);
	int count = 0;
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		double rest = 0;

		for (e = table->start[r]; e < table->start[r + 1]; e++)
		{
			int32_t i = table->member[e];
			double sign = e == table->start[r] ? -1 : 1;

			rest -= sign * model->floor[i];
			if (model->column[i] < 0 || table->implied[r])
				continue;
			row[count] = r;
			column[count] = model->column[i];
			value[count++] = sign;
		}
		sdc_program_require(program, r, true, table->implied[r] ? 0 : rest);
	}
	sdc_program_load(program, count, row, column, value);
	host->release(host, row);
	host->release(host, column);
	host->release(host, value);
}

/* The rounding of least change; false when none was found. */
static bool
search(const Model *model, double work, SdcRounding *result, double *rounded)
{
	const SdcTabular *table = model->table;
	SdcHost *host = model->host;
	size_t n = (size_t) model->columns + 1;
	SdcProgram *program =
		sdc_program_create(host, false, model->columns, table->equations);
	uint8_t *rank = sdc_new(host, uint8_t, n);
	double *low = sdc_new(host, double, n);
	double *high = sdc_new(host, double, n);
	double *x = sdc_new(host, double, n);
	SdcIntegerColumns columns = {rank, low, high, true};
	SdcSolverResult found;
	int32_t i;

	sdc_program_cost(program, -1, model->constant);
	for (i = 0; i < table->cells; i++)
	{
		int32_t j = model->column[i];

		if (j < 0)
			continue;
		rank[j] = 1;
		low[j] = 0;
		high[j] = 1;
		sdc_program_cost(program, j,
						 model->base - 2 * (table->value[i] -
											model->base * model->floor[i]));
	}
	load_equations(model, program);
	found = sdc_integer_search(program, &columns, work, x);
	result->restricted = found.status == SDC_SOLVER_OPTIMAL ||
						 found.status == SDC_SOLVER_FEASIBLE;
	result->proven = found.status == SDC_SOLVER_OPTIMAL;
	result->bound =
		found.status == SDC_SOLVER_INFEASIBLE ? INFINITY : found.bound;
	for (i = 0; i < table->cells && result->restricted; i++)
		rounded[i] =
			model->base * (model->floor[i] +
						   (model->column[i] < 0 ? 0 : x[model->column[i]]));
	result->work = program->work;
	sdc_program_free(program);
	host->release(host, rank);
	host->release(host, low);
	host->release(host, high);
	host->release(host, x);
	return result->restricted;
}

/* ----------------------------------------------------------------------
 * The fast way
 * ----------------------------------------------------------------------
 */

typedef struct Fast
{
	SdcHost *host;
	const SdcTabular *table;
	double base;
	double *rounded;
	bool *is_total;
	/* totals of one cell, climbing; of every cell, who saw it last */
	int32_t *above;
	int32_t *seen;
} Fast;

/* Lists the totals above a cell in fast->above; returns how many. */
static int32_t
climb(Fast *fast, int32_t cell)
{
	const SdcTabular *table = fast->table;
	int32_t count = 0;
	int32_t head;

	fast->above[count++] = cell;
	fast->seen[cell] = cell;
	for (head = 0; head < count; head++)
	{
		int32_t i = fast->above[head];
		int64_t e;

		for (e = table->cell_start[i]; e < table->cell_start[i + 1]; e++)
		{
			int32_t total = table->member[table->start[table->of_cell[e]]];

			if (total == i || fast->seen[total] == cell)
				continue;
			fast->seen[total] = cell;
			fast->above[count++] = total;
		}
	}
	return count;
}

/*
 * By how much the squares of all differences fall when the cell and what is
 * above it change by step.
 */
static double
gain(const Fast *fast, int32_t count, double step)
{
	double sum = 0;
	int32_t k;

	for (k = 0; k < count; k++)
	{
		int32_t i = fast->above[k];
		double off = fast->rounded[i] - fast->table->value[i];

		sum -= step * (2 * off + step);
	}
	return sum;
}

static void
move(Fast *fast, int32_t count, double step)
{
	int32_t k;

	for (k = 0; k < count; k++)
		fast->rounded[fast->above[k]] += step;
}

/*
 * A first rounding: what one cell is rounded by is carried over to the next,
 * so that sums over neighbours are near from the start; totals follow.
 */
static void
start_near(Fast *fast)
{
	const SdcTabular *table = fast->table;
	double carried = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		fast->rounded[i] = 0;
	for (i = 0; i < table->cells; i++)
	{
		double below = fast->base * floor(table->value[i] / fast->base);
		double to = below;

		if (fast->is_total[i])
			continue;
		carried += table->value[i] - below;
		if (below != table->value[i] && carried >= fast->base / 2)
		{
			to += fast->base;
			carried -= fast->base;
		}
		if (to != 0)
			move(fast, climb(fast, i), to);
	}
}

/* One pass; returns how many cells changed. */
static int32_t
pass(Fast *fast)
{
	const SdcTabular *table = fast->table;
	int32_t changed = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		double below = fast->base * floor(table->value[i] / fast->base);
		double step;
		int32_t count;

		if (i % 1024 == 0)
			fast->host->poll(fast->host, (uint64_t) i,
							 (uint64_t) table->cells);
		if (fast->is_total[i] || below == table->value[i])
			continue;
		step = fast->rounded[i] > below ? -fast->base : fast->base;
		count = climb(fast, i);
		if (gain(fast, count, step) <= 0)
			continue;
		move(fast, count, step);
		changed++;
	}
	return changed;
}

/* Is each total the sum of the cells below it that are no totals? */
static bool
totals_follow(Fast *fast)
{
	const SdcTabular *table = fast->table;
	bool follow = true;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		fast->rounded[i] = 0;
	for (i = 0; i < table->cells; i++)
		if (!fast->is_total[i])
			move(fast, climb(fast, i), table->value[i]);
	for (i = 0; i < table->cells; i++)
	{
		follow = follow && fast->rounded[i] == table->value[i];
		fast->seen[i] = -1;
	}
	return follow;
}

static bool
round_fast(const SdcTabular *table, double base, double *rounded)
{
	SdcHost *host = table->host;
	size_t n = (size_t) table->cells + 1;
	Fast fast = {host, table, base, rounded, NULL, NULL, NULL};
	bool possible;
	int32_t i;
	int32_t r;
	int k;

	fast.is_total = sdc_new(host, bool, n);
	fast.above = sdc_new(host, int32_t, n);
	fast.seen = sdc_new(host, int32_t, n);
	memset(fast.is_total, 0, n);
	for (i = 0; i < table->cells; i++)
		fast.seen[i] = -1;
	for (r = 0; r < table->equations; r++)
		fast.is_total[table->member[table->start[r]]] = true;
	possible = totals_follow(&fast);
	if (possible)
		start_near(&fast);
	for (k = 0; k < PASSES && possible; k++)
	{
		for (i = 0; i < table->cells; i++)
			fast.seen[i] = -1;
		if (pass(&fast) == 0)
			break;
	}
	host->release(host, fast.is_total);
	host->release(host, fast.above);
	host->release(host, fast.seen);
	return possible;
}

/* Are all cells multiples of the base?  Then they stay as they are. */
static bool
keep_multiples(const SdcTabular *table, double base, double *rounded)
{
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		if (table->value[i] != base * floor(table->value[i] / base))
			return false;
		rounded[i] = table->value[i];
	}
	return true;
}

/* What was changed, and by how much. */
static void
measure(const SdcTabular *table, double base, const double *rounded,
		SdcRounding *result)
{
	int32_t i;

	result->change = result->largest = 0;
	result->beyond = 0;
	for (i = 0; i < table->cells; i++)
	{
		double off = fabs(rounded[i] - table->value[i]);

		result->change += off;
		result->largest = fmax(result->largest, off);
		result->beyond += off >= base;
	}
	result->restricted = result->beyond == 0;
}

SdcRounding
sdc_rounding_run(const SdcTabular *table, double base, double work,
				 double *rounded)
{
	SdcRounding result = {0};
	SdcHost *host = table->host;
	bool found = keep_multiples(table, base, rounded);

	result.proven = found;
	if (!found && work > 0 && table->start[table->equations] <= MOST_MEMBERS)
	{
		Model model;

		host->stage(host, "search");
		start_model(&model, table, base);
		found = search(&model, work, &result, rounded);
		host->release(host, model.floor);
		host->release(host, model.column);
	}
	if (!found)
	{
		host->stage(host, "rounding");
		found = round_fast(table, base, rounded);
	}
	result.found = found;
	if (found)
		measure(table, base, rounded, &result);
	return result;
}
