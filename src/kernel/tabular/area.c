/*
 * area.c
 *		A part of a table: its cells, and the equations that they are in.
 */
#include "kernel/tabular/tabular_private.h"

SdcArea *
sdc_area_create(const SdcTabular *table)
{
	SdcHost *host = table->host;
	SdcArea *area = sdc_new(host, SdcArea, 1);
	int32_t i;

	area->host = host;
	area->table = table;
	area->cells = area->lines = 0;
	area->cell = sdc_new(host, int32_t, (size_t) table->cells + 1);
	area->place = sdc_new(host, int32_t, (size_t) table->cells + 1);
	area->equation = sdc_new(host, int32_t, (size_t) table->equations + 1);
	area->line = sdc_new(host, int32_t, (size_t) table->equations + 1);
	area->whole = true;
	for (i = 0; i < table->cells; i++)
		area->place[i] = -1;
	for (i = 0; i < table->equations; i++)
		area->line[i] = -1;
	return area;
}

void
sdc_area_release(SdcArea *area)
{
	SdcHost *host = area->host;

	host->release(host, area->cell);
	host->release(host, area->place);
	host->release(host, area->equation);
	host->release(host, area->line);
	host->release(host, area);
}

static void
clear(SdcArea *area)
{
	int32_t k;

	for (k = 0; k < area->cells; k++)
		area->place[area->cell[k]] = -1;
	for (k = 0; k < area->lines; k++)
		area->line[area->equation[k]] = -1;
	area->cells = area->lines = 0;
	area->whole = true;
}

/* A cell that the attacker knows is as good as published. */
static bool
can_move(const SdcTabular *table, int32_t i)
{
	return table->low[i] > 0 || table->high[i] > 0;
}

static void
add_cell(SdcArea *area, int32_t i)
{
	area->place[i] = area->cells;
	area->cell[area->cells++] = i;
}

static void
add_equations(SdcArea *area)
{
	const SdcTabular *table = area->table;
	int32_t k;
	int64_t e;

	for (k = 0; k < area->cells; k++)
		for (e = table->cell_start[area->cell[k]];
			 e < table->cell_start[area->cell[k] + 1]; e++)
		{
			int32_t r = table->of_cell[e];

			if (area->line[r] >= 0)
				continue;
			area->line[r] = area->lines;
			area->equation[area->lines++] = r;
		}
}

void
sdc_area_take(SdcArea *area, const double *share)
{
	int32_t i;

	clear(area);
	for (i = 0; i < area->table->cells; i++)
		if (share[i] > 1e-9 && can_move(area->table, i))
			add_cell(area, i);
	add_equations(area);
}

/* Adds the cells of an equation; false when the area is full. */
static bool
add_members(SdcArea *area, int32_t r, const bool *allowed, int32_t most)
{
	const SdcTabular *table = area->table;
	int64_t e;

	for (e = table->start[r]; e < table->start[r + 1]; e++)
	{
		int32_t i = table->member[e];

		if (area->place[i] >= 0 || !allowed[i] || !can_move(table, i))
			continue;
		if (area->cells >= most)
			return false;
		add_cell(area, i);
	}
	return true;
}

void
sdc_area_around(SdcArea *area, int32_t p, const bool *allowed, int32_t most)
{
	const SdcTabular *table = area->table;
	int32_t head;
	int64_t e;

	clear(area);
	add_cell(area, p);
	for (head = 0; head < area->cells && area->whole; head++)
		for (e = table->cell_start[area->cell[head]];
			 e < table->cell_start[area->cell[head] + 1] && area->whole; e++)
			area->whole = add_members(area, table->of_cell[e], allowed, most);
	add_equations(area);
}

/* Adds some cells of an equation: those hidden, or those that are not. */
static void
add_some(SdcArea *area, int32_t r, const bool *allowed, const bool *hidden,
		 bool which, const int32_t *order, int32_t each, int32_t most)
{
	const SdcTabular *table = area->table;
	int32_t added = 0;
	int64_t e;

	for (e = table->start[r]; e < table->start[r + 1]; e++)
	{
		int32_t i = order[e];

		if (hidden[i] != which || !allowed[i] || !can_move(table, i))
			continue;
		if (area->place[i] < 0)
		{
			if (added >= each || area->cells >= most)
			{
				area->whole = false;
				return;
			}
			add_cell(area, i);
		}
		added++;
	}
}

void
sdc_area_select(SdcArea *area, int32_t p, const bool *allowed,
				const bool *hidden, const int32_t *order, int32_t each,
				int32_t most)
{
	const SdcTabular *table = area->table;
	int32_t head;
	int64_t e;

	clear(area);
	add_cell(area, p);
	for (head = 0; head < area->cells && area->cells < most; head++)
		for (e = table->cell_start[area->cell[head]];
			 e < table->cell_start[area->cell[head] + 1]; e++)
		{
			add_some(area, table->of_cell[e], allowed, hidden, true, order,
					 each, most);
			add_some(area, table->of_cell[e], allowed, hidden, false, order,
					 each, most);
		}
	area->whole = area->whole && head == area->cells;
	add_equations(area);
}

void
sdc_area_load(const SdcArea *area, SdcProgram *program, bool flow)
{
	const SdcTabular *table = area->table;
	SdcHost *host = area->host;
	int sides = flow ? 2 : 1;
	int64_t entries = 0;
	int *row;
	int *column;
	double *value;
	int count = 0;
	int32_t k;
	int64_t e;

	for (k = 0; k < area->cells; k++)
		entries += sides * (table->cell_start[area->cell[k] + 1] -
							table->cell_start[area->cell[k]]);
	row = sdc_new(host, int, (size_t) entries + 1);
	column = sdc_new(host, int, (size_t) entries + 1);
	value = sdc_new(host, double, (size_t) entries + 1);
	for (k = 0; k < sides * area->cells; k++)
	{
		int32_t cell = area->cell[k / sides];

		for (e = table->cell_start[cell]; e < table->cell_start[cell + 1]; e++)
		{
			int32_t r = table->of_cell[e];
			bool total = table->member[table->start[r]] == cell;

			if (flow && table->implied[r])
				continue;
			row[count] = area->line[r];
			column[count] = k;
			value[count++] = total == (k % sides == 0) ? -1 : 1;
		}
	}
	sdc_program_load(program, count, row, column, value);
	host->release(host, row);
	host->release(host, column);
	host->release(host, value);
}
