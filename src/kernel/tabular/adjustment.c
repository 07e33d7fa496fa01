/*
 * adjustment.c
 *		Controlled tabular adjustment: unsafe cells move away from their
 *		values, the others as little as they must.
 *
 * Of each cell a column for what it goes up and one for what it goes down; of
 * each unsafe one a column t of 0 or 1, 1 when it goes up, with
 *
 *		need_high t <= up <= high t,
 *		need_low (1 - t) <= down <= low (1 - t).
 *
 * The search decides t first and then makes the changes whole.
 */
#include "kernel/tabular/changed_values.h"

#include <math.h>

#include "kernel/base/integer_search.h"

/* Ranks of the search. */
#define DECIDED_FIRST 2
#define MADE_WHOLE    1

typedef struct Model
{
	SdcHost *host;
	const SdcTabular *table;
	int32_t *column; /* of what a cell goes up; down is the next; -1: stays */
	int32_t *choice; /* t of an unsafe cell, else -1 */
	int32_t columns;
	int32_t unsafe;
	uint8_t *rank;
	double *low;
	double *high;
	/* entries of the rows */
	int *row;
	int *at;
	double *value;
	int count;
} Model;

static bool
can_move(const SdcTabular *table, int32_t i)
{
	return table->role[i] != SDC_CELL_SHOWN &&
		   (table->low[i] > 0 || table->high[i] > 0);
}

static int32_t
add_column(Model *model, uint8_t rank, double high)
{
	model->rank[model->columns] = rank;
	model->low[model->columns] = 0;
	model->high[model->columns] = high;
	return model->columns++;
}

static void
start_model(Model *model, const SdcTabular *table)
{
	SdcHost *host = table->host;
	size_t n = 3 * (size_t) table->cells + 1;
	size_t entries = 2 * (size_t) table->start[table->equations] +
					 8 * (size_t) table->cells + 1;
	int32_t i;

	model->host = host;
	model->table = table;
	model->columns = model->unsafe = model->count = 0;
	model->column = sdc_new(host, int32_t, (size_t) table->cells + 1);
	model->choice = sdc_new(host, int32_t, (size_t) table->cells + 1);
	model->rank = sdc_new(host, uint8_t, n);
	model->low = sdc_new(host, double, n);
	model->high = sdc_new(host, double, n);
	model->row = sdc_new(host, int, entries);
	model->at = sdc_new(host, int, entries);
	model->value = sdc_new(host, double, entries);
	for (i = 0; i < table->cells; i++)
	{
		model->column[i] = model->choice[i] = -1;
		if (!can_move(table, i))
			continue;
		model->column[i] =
			add_column(model, MADE_WHOLE, floor(table->high[i]));
		add_column(model, MADE_WHOLE, floor(table->low[i]));
		if (table->role[i] != SDC_CELL_UNSAFE)
			continue;
		model->choice[i] = add_column(model, DECIDED_FIRST, 1);
		model->unsafe++;
	}
}

static void
end_model(Model *model)
{
	SdcHost *host = model->host;

	host->release(host, model->column);
	host->release(host, model->choice);
	host->release(host, model->rank);
	host->release(host, model->low);
	host->release(host, model->high);
	host->release(host, model->row);
	host->release(host, model->at);
	host->release(host, model->value);
}

static void
add_entry(Model *model, int row, int32_t column, double value)
{
	if (value == 0)
		return;
	model->row[model->count] = row;
	model->at[model->count] = column;
	model->value[model->count++] = value;
}

static void
add_equations(Model *model, SdcProgram *program)
{
	const SdcTabular *table = model->table;
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		sdc_program_balance(program, r);
		if (table->implied[r])
			continue;
		for (e = table->start[r]; e < table->start[r + 1]; e++)
		{
			int32_t j = model->column[table->member[e]];
			double sign = e == table->start[r] ? -1 : 1;

			if (j < 0)
				continue;
			add_entry(model, r, j, sign);
			add_entry(model, r, j + 1, -sign);
		}
	}
}

/* The four rows of each unsafe cell. */
static void
add_choices(Model *model, SdcProgram *program)
{
	const SdcTabular *table = model->table;
	int row = table->equations;
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		int32_t t = model->choice[i];
		int32_t up = model->column[i];

		if (t < 0)
			continue;
		sdc_program_require(program, row, false, 0);
		add_entry(model, row, up, 1);
		add_entry(model, row++, t, -ceil(table->need_high[i]));
		sdc_program_require(program, row, false, 0);
		add_entry(model, row, t, floor(table->high[i]));
		add_entry(model, row++, up, -1);
		sdc_program_require(program, row, false, ceil(table->need_low[i]));
		add_entry(model, row, up + 1, 1);
		add_entry(model, row++, t, ceil(table->need_low[i]));
		sdc_program_require(program, row, false, -floor(table->low[i]));
		add_entry(model, row, up + 1, -1);
		add_entry(model, row++, t, -floor(table->low[i]));
	}
}

/* A way that is too short for the need, or has no need, is not taken. */
static void
fix_choices(Model *model)
{
	const SdcTabular *table = model->table;
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		int32_t t = model->choice[i];

		if (t < 0)
			continue;
		if (table->need_high[i] > floor(table->high[i]) ||
			table->need_high[i] <= 0)
			model->high[t] = 0;
		if (table->need_low[i] > floor(table->low[i]) ||
			table->need_low[i] <= 0)
			model->low[t] = model->high[t] > 0 ? 1 : 0;
	}
}

/* An unsafe cell that can go neither up nor down by its need, or -1. */
static int32_t
find_stuck(const SdcTabular *table)
{
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (table->role[i] == SDC_CELL_UNSAFE &&
			(table->need_high[i] > floor(table->high[i]) ||
			 table->need_high[i] <= 0) &&
			(table->need_low[i] > floor(table->low[i]) ||
			 table->need_low[i] <= 0))
			return i;
	return -1;
}

/* Do the numbers hold what is promised? */
static bool
check(const SdcTabular *table, const double *adjusted)
{
	int32_t i;
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		double sum = -adjusted[table->member[table->start[r]]];

		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			sum += adjusted[table->member[e]];
		if (sum != 0)
			return false;
	}
	for (i = 0; i < table->cells; i++)
	{
		double off = adjusted[i] - table->value[i];

		if (off > table->high[i] || -off > table->low[i] ||
			(table->role[i] == SDC_CELL_SHOWN && off != 0))
			return false;
		if (table->role[i] == SDC_CELL_UNSAFE &&
			!(off > 0 ? off >= table->need_high[i]
					  : off < 0 && -off >= table->need_low[i]))
			return false;
	}
	return true;
}

static void
measure(const SdcTabular *table, const double *adjusted, SdcAdjustment *result)
{
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		double off = fabs(adjusted[i] - table->value[i]);

		result->change += off;
		result->largest = fmax(result->largest, off);
		result->moved += off > 0;
	}
}

static SdcProgram *
make_program(Model *model)
{
	const SdcTabular *table = model->table;
	SdcProgram *program =
		sdc_program_create(model->host, false, model->columns,
						   table->equations + 4 * model->unsafe);
	int32_t i;

	add_equations(model, program);
	add_choices(model, program);
	fix_choices(model);
	sdc_program_load(program, model->count, model->row, model->at,
					 model->value);
	for (i = 0; i < table->cells; i++)
	{
		int32_t j = model->column[i];

		if (j < 0)
			continue;
		sdc_program_cost(program, j, 1 / table->weight[i]);
		sdc_program_cost(program, j + 1, 1 / table->weight[i]);
	}
	return program;
}

SdcAdjustment
sdc_adjustment_run(const SdcTabular *table, double work, double *adjusted)
{
	SdcAdjustment result = {0};
	SdcHost *host = table->host;
	Model model;
	SdcProgram *program;
	SdcSolverResult found;
	double *x;
	int32_t i;

	result.unmet = find_stuck(table);
	if (result.unmet >= 0)
		return result;
	host->stage(host, "search");
	start_model(&model, table);
	program = make_program(&model);
	x = sdc_new(host, double, (size_t) model.columns + 1);
	{
		SdcIntegerColumns columns = {model.rank, model.low, model.high, false};

		found = sdc_integer_search(program, &columns, work, x);
	}
	result.found = found.status == SDC_SOLVER_OPTIMAL ||
				   found.status == SDC_SOLVER_FEASIBLE;
	result.proven = found.status == SDC_SOLVER_OPTIMAL;
	result.cost = found.objective;
	result.bound = found.bound;
	result.work = program->work;
	for (i = 0; i < table->cells && result.found; i++)
	{
		int32_t j = model.column[i];

		adjusted[i] = table->value[i] + (j < 0 ? 0 : x[j] - x[j + 1]);
	}
	sdc_program_free(program);
	host->release(host, x);
	end_model(&model);
	result.found = result.found && check(table, adjusted);
	if (result.found)
		measure(table, adjusted, &result);
	return result;
}
