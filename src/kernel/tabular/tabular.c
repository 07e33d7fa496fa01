/*
 * tabular.c
 *		Tables of cells that add up: both directions of their equations.
 *
 * Whether an equation follows from others is found with random numbers: each
 * cell that is no total gets one, each total the sum of its parts, modulo
 * 2^64.  An equation whose total has its number from another one already and
 * gives the same follows from the others (but for chance, once in 2^64).
 */
#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/tabular/tabular.h"

/* A change below is none. */
#define STILL 1e-6

/* The equations of each cell, from the members of each equation. */
static void
index_cells(SdcTabular *table)
{
	int64_t entries = table->start[table->equations];
	int64_t *next = table->cell_start + 1;
	int64_t e;
	int32_t r;
	int32_t i;

	memset(table->cell_start, 0,
		   ((size_t) table->cells + 2) * sizeof(int64_t));
	for (e = 0; e < entries; e++)
		next[table->member[e] + 1]++;
	for (i = 0; i < table->cells; i++)
		next[i + 1] += next[i];
	for (r = 0; r < table->equations; r++)
		for (e = table->start[r]; e < table->start[r + 1]; e++)
			table->of_cell[next[table->member[e]]++] = r;
}

typedef struct Sums
{
	uint64_t *number;
	bool *known;
	uint8_t *done; /* of an equation */
} Sums;

/* Takes the equation up if its parts are known. */
static bool
sum_equation(SdcTabular *table, Sums *sums, int32_t r)
{
	int32_t total = table->member[table->start[r]];
	uint64_t sum = 0;
	int64_t e;

	for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
	{
		if (!sums->known[table->member[e]])
			return false;
		sum += sums->number[table->member[e]];
	}
	sums->done[r] = true;
	table->implied[r] = sums->known[total] && sums->number[total] == sum;
	if (sums->known[total])
		return false;
	sums->known[total] = true;
	sums->number[total] = sum;
	return true;
}

/* Numbers of the cells that are the total of no equation. */
static void
start_sums(const SdcTabular *table, Sums *sums)
{
	SdcRandom random;
	int32_t i;
	int32_t r;

	sdc_random_seed(&random, 20221, 0);
	for (i = 0; i < table->cells; i++)
	{
		sums->number[i] = sdc_random_bits(&random);
		sums->known[i] = true;
	}
	for (r = 0; r < table->equations; r++)
	{
		sums->known[table->member[table->start[r]]] = false;
		sums->done[r] = false;
		table->implied[r] = false;
	}
}

/* Short equations come first, so that long ones are the implied ones. */
static void
find_implied(SdcTabular *table)
{
	SdcHost *host = table->host;
	Sums sums;
	int64_t longest = 2;
	int64_t length;
	int32_t r;
	bool moved;

	sums.number = sdc_new(host, uint64_t, table->cells);
	sums.known = sdc_new(host, bool, table->cells);
	sums.done = sdc_new(host, uint8_t, table->equations);
	start_sums(table, &sums);
	for (r = 0; r < table->equations; r++)
		if (table->start[r + 1] - table->start[r] > longest)
			longest = table->start[r + 1] - table->start[r];
	for (length = 2; length <= longest; length = moved ? 2 : 2 * length)
	{
		moved = false;
		host->poll(host, 0, 0);
		for (r = 0; r < table->equations; r++)
			if (!sums.done[r] &&
				(table->start[r + 1] - table->start[r] <= length ||
				 2 * length > longest))
				moved |= sum_equation(table, &sums, r);
	}
	host->release(host, sums.number);
	host->release(host, sums.known);
	host->release(host, sums.done);
}

SdcTabular *
sdc_tabular_create(SdcHost *host, int32_t cells, int32_t equations,
				   const int64_t *start, const int32_t *member)
{
	SdcTabular *table = sdc_new(host, SdcTabular, 1);
	int64_t entries = start[equations];
	size_t n = (size_t) cells + 2;
	int32_t i;

	memset(table, 0, sizeof(*table));
	table->host = host;
	table->cells = cells;
	table->equations = equations;
	table->start = sdc_new(host, int64_t, (size_t) equations + 1);
	table->member = sdc_new(host, int32_t, (size_t) entries);
	memcpy(table->start, start, ((size_t) equations + 1) * sizeof(int64_t));
	memcpy(table->member, member, (size_t) entries * sizeof(int32_t));
	table->cell_start = sdc_new(host, int64_t, n);
	table->of_cell = sdc_new(host, int32_t, (size_t) entries);
	table->implied = sdc_new(host, bool, (size_t) equations);
	table->value = sdc_new(host, double, n);
	table->low = sdc_new(host, double, n);
	table->high = sdc_new(host, double, n);
	table->weight = sdc_new(host, double, n);
	table->need_low = sdc_new(host, double, n);
	table->need_high = sdc_new(host, double, n);
	table->role = sdc_new(host, uint8_t, n);
	table->holder = sdc_new(host, int32_t, n);
	table->leader = sdc_new(host, int32_t, n);
	table->rest_low = sdc_new(host, double, n);
	table->rest_high = sdc_new(host, double, n);
	table->second = sdc_new(host, int32_t, n);
	table->leader_low = sdc_new(host, double, n);
	table->second_low = sdc_new(host, double, n);
	for (i = 0; i < cells; i++)
	{
		table->value[i] = table->low[i] = table->high[i] = 0;
		table->need_low[i] = table->need_high[i] = 0;
		table->rest_low[i] = table->rest_high[i] = 0;
		table->leader_low[i] = table->second_low[i] = INFINITY;
		table->weight[i] = 1;
		table->role[i] = SDC_CELL_OPEN;
		table->holder[i] = SDC_NO_HOLDER;
		table->leader[i] = table->second[i] = SDC_NO_HOLDER;
	}
	index_cells(table);
	find_implied(table);
	return table;
}

int32_t
sdc_tabular_unbalanced(const SdcTabular *table)
{
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		double sum = -table->value[table->member[table->start[r]]];

		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			sum += table->value[table->member[e]];
		if (sum != 0)
			return r;
	}
	return -1;
}

/* Fills floor[i]; below 0 is what is not known yet. */
static double
find_floor(const SdcTabular *table, const double *each, double *floor,
		   int32_t i)
{
	int64_t k;

	if (floor[i] >= 0)
		return floor[i];
	floor[i] = table->value[i] > 0 ? each[i] : 0;
	for (k = table->cell_start[i]; k < table->cell_start[i + 1]; k++)
	{
		int32_t r = table->of_cell[k];
		double sum = 0;
		int64_t e;

		if (table->member[table->start[r]] != i)
			continue;
		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			sum += find_floor(table, each, floor, table->member[e]);
		if (sum > floor[i])
			floor[i] = sum;
	}
	return floor[i];
}

void
sdc_tabular_floor(const SdcTabular *table, const double *each, double *floor)
{
	int32_t i;

	for (i = 0; i < table->cells; i++)
		floor[i] = -1;
	for (i = 0; i < table->cells; i++)
		(void) find_floor(table, each, floor, i);
}

int32_t
sdc_tabular_impossible(const SdcTabular *table)
{
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (table->role[i] == SDC_CELL_UNSAFE &&
			(table->need_low[i] > table->low[i] ||
			 table->need_high[i] > table->high[i]))
			return i;
	return -1;
}

/*
 * What is taken for the changes of an equation's cells: where known ones
 * explain that of the total, the other parts have not changed.  False: nothing
 * that was not known.
 */
static bool
guess_equation(const SdcTabular *table, int32_t r, double *change)
{
	const int32_t *part = table->member + table->start[r];
	int64_t members = table->start[r + 1] - table->start[r];
	double rest = change[part[0]];
	int64_t unknown = 0;
	int64_t last = 0;
	int64_t e;

	for (e = 1; e < members; e++)
		if (isnan(change[part[e]]))
		{
			unknown++;
			last = e;
		}
		else
			rest -= change[part[e]];
	if (isnan(rest) && unknown == 0)
	{
		change[part[0]] = 0;
		for (e = 1; e < members; e++)
			change[part[0]] += change[part[e]];
		return true;
	}
	if (isnan(rest) || unknown == 0 || (fabs(rest) > STILL && unknown > 1))
		return false;
	if (fabs(rest) > STILL)
		change[part[last]] = rest;
	else
		for (e = 1; e < members; e++)
			if (isnan(change[part[e]]))
				change[part[e]] = 0;
	return true;
}

void
sdc_tabular_guess(const SdcTabular *table, double *change)
{
	bool again = true;
	int32_t r;

	while (again)
		for (again = false, r = 0; r < table->equations; r++)
		{
			table->host->poll(table->host, (uint64_t) r,
							  (uint64_t) table->equations);
			again |= guess_equation(table, r, change);
		}
}
