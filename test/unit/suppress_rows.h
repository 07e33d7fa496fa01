/*
 * suppress_rows.h
 *		Tables that are suppressed as rows, to be looked at by all pairs.
 */
#ifndef SDC_TEST_UNIT_SUPPRESS_ROWS_H
#define SDC_TEST_UNIT_SUPPRESS_ROWS_H

#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/suppress.h"
#include "kernel/table/frequency.h"
#include "unit.h"

#define ROWS    150
#define COLUMNS 152

typedef struct Rows
{
	int rows;
	int keys;
	int columns;
	int32_t code[ROWS][COLUMNS]; /* keys, then sensitive columns */
} Rows;

static inline Rows
random_rows(SdcRandom *random, int rows, int keys, int sensitive,
			int32_t values, int nulls)
{
	Rows table;
	int i;
	int j;

	memset(&table, 0, sizeof(table));
	table.rows = rows;
	table.keys = keys;
	table.columns = keys + sensitive;
	for (i = 0; i < rows; i++)
		for (j = 0; j < table.columns; j++)
		{
			int32_t most =
				1 + (int32_t) sdc_random_below(random, (uint64_t) values);

			table.code[i][j] =
				(int32_t) sdc_random_below(random, (uint64_t) most);
			if (j < keys && (int) sdc_random_below(random, 100) < nulls)
				table.code[i][j] = SDC_CODE_NULL;
		}
	/* every sensitive value occurs */
	for (j = keys; j < table.columns; j++)
		for (i = 0; i < rows && i < values; i++)
			table.code[i][j] = i;
	return table;
}

static inline SdcFrequency *
count_rows(const Rows *table, int32_t values, int32_t *cell)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), table->columns, false);
	int32_t all[COLUMNS];
	SdcFrequency *frequency;
	int32_t *place;
	int i;

	for (i = 0; i < COLUMNS; i++)
		all[i] = values;
	for (i = 0; i < table->rows; i++)
		cell[i] = sdc_frequency_add(counting, table->code[i], 1, 1);
	frequency = sdc_frequency_finish(counting, NULL, all, &place);
	for (i = 0; i < table->rows; i++)
		cell[i] = place[cell[i]];
	return frequency;
}

/* Are two rows alike? */
static inline bool
alike(const Rows *table, int a, int b, bool wildcard)
{
	int j;

	for (j = 0; j < table->keys; j++)
	{
		int32_t x = table->code[a][j];
		int32_t y = table->code[b][j];

		if (x != y &&
			!(wildcard && (x == SDC_CODE_NULL || y == SDC_CODE_NULL)))
			return false;
	}
	return true;
}

/* Rows that lack others like them, or values among these. */
static inline int
count_violations(const Rows *table, const SdcSuppressRequest *request)
{
	int violations = 0;
	int a;
	int b;
	int j;

	for (a = 0; a < table->rows; a++)
	{
		uint64_t seen[COLUMNS] = {0};
		int count = 0;
		bool enough = true;

		for (b = 0; b < table->rows; b++)
			if (alike(table, a, b, request->wildcard))
			{
				count++;
				for (j = table->keys; j < table->columns; j++)
					seen[j] |= UINT64_C(1) << table->code[b][j];
			}
		for (j = table->keys; j < table->columns; j++)
			enough =
				enough && __builtin_popcountll(seen[j]) >= (int) request->l;
		violations += count < request->k || !enough;
	}
	return violations;
}

/* Takes the values out of the rows, first come first served. */
static inline bool
apply(Rows *table, const SdcClasses *classes, const int32_t *cell,
	  const SdcSuppression *plan)
{
	static int64_t used[ROWS];
	int32_t s;
	int i;
	int j;

	memset(used, 0, sizeof(used));
	for (s = 0; s < plan->steps; s++)
	{
		const SdcSuppressStep *step = &plan->step[s];
		int64_t count = 0;

		for (i = 0; i < table->rows && count < step->count; i++)
		{
			if (used[i] != 0 || cell[i] < classes->first[step->class] ||
				cell[i] >= classes->first[step->class + 1])
				continue;
			used[i] = 1;
			count++;
			for (j = 0; j < table->keys; j++)
				if (sdc_suppression_loses(plan, s, j))
				{
					if (table->code[i][j] == SDC_CODE_NULL)
						return false;
					table->code[i][j] = SDC_CODE_NULL;
				}
		}
		for (j = 0; j < table->keys && !sdc_suppression_loses(plan, s, j); j++)
			;
		if (count < step->count || j == table->keys)
			return false;
	}
	return true;
}

static inline double
mask_cost(const SdcSuppressRequest *request, unsigned mask)
{
	double cost = 0;
	int j;

	for (j = 0; j < request->keys; j++)
		if (mask >> j & 1)
			cost += request->importance == NULL ? 1 : request->importance[j];
	return cost;
}

/* Does a row lack anything when it alone loses a set of keys? */
static inline bool
lacks(const Rows *table, int row, unsigned mask,
	  const SdcSuppressRequest *request)
{
	uint64_t seen[COLUMNS] = {0};
	Rows alone = *table;
	int count = 0;
	int i;
	int j;

	for (j = 0; j < table->keys; j++)
		if (mask >> j & 1)
			alone.code[row][j] = SDC_CODE_NULL;
	for (i = 0; i < table->rows; i++)
		if (alike(&alone, row, i, true))
		{
			count++;
			for (j = table->keys; j < table->columns; j++)
				seen[j] |= UINT64_C(1) << table->code[i][j];
		}
	for (j = table->keys; j < table->columns; j++)
		if (__builtin_popcountll(seen[j]) < (int) request->l)
			return true;
	return count < request->k;
}

/*
 * With wildcards, only rows that lack something lose values, and no dearer
 * ones than the cheapest set that would do for the row alone.
 */
static inline bool
is_restrained(const Rows *before, const Rows *after,
			  const SdcSuppressRequest *request)
{
	int i;
	int j;

	for (i = 0; i < before->rows; i++)
	{
		unsigned lost = 0;
		unsigned mask;
		double cost;

		for (j = 0; j < before->keys; j++)
			if (before->code[i][j] != after->code[i][j])
				lost |= 1u << j;
		if (lost == 0)
			continue;
		cost = mask_cost(request, lost);
		for (mask = 0; mask < 1u << before->keys; mask++)
			if (mask_cost(request, mask) < cost - 1e-9 &&
				!lacks(before, i, mask, request))
				return false;
	}
	return true;
}

/* Suppresses and returns how many values went, -1 if it is not sound. */
static inline int64_t
suppress(const Rows *before, int32_t values, const SdcSuppressRequest *request)
{
	SdcHost *host = unit_host();
	Rows after = *before;
	int32_t cell[ROWS];
	SdcFrequency *frequency = count_rows(before, values, cell);
	SdcClasses *classes =
		sdc_frequency_classes(host, frequency, request->keys);
	SdcSuppression *plan =
		sdc_suppress_plan(host, frequency, classes, request);
	int64_t lost = 0;
	int violations;
	int i;
	int j;

	if (!apply(&after, classes, cell, plan))
		return -1;
	for (i = 0; i < after.rows; i++)
		for (j = 0; j < after.keys; j++)
			lost += after.code[i][j] != before->code[i][j];
	if (request->wildcard && before->keys <= 4 &&
		!is_restrained(before, &after, request))
		return -1;
	violations = count_violations(&after, request);
	frequency = count_rows(&after, values, cell);
	if (sdc_suppress_violations(host, frequency, request) != violations ||
		violations != 0 || lost != plan->values)
		return -1;
	return lost;
}

#endif
