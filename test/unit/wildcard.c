/*
 * wildcard.c
 *		NULLs that match everything, against comparing all pairs of rows.
 */
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/table/frequency.h"
#include "unit.h"

#define ROWS    200
#define COLUMNS 201

/* In place of a share of NULLs: they are in the same columns of many rows. */
#define FEW_PATTERNS (-1)

typedef struct Rows
{
	int rows;
	int keys;
	int32_t code[ROWS][COLUMNS]; /* keys, then one sensitive column */
	double weight[ROWS];
} Rows;

static Rows
random_rows(SdcRandom *random, int keys, int rows, int32_t values, int nulls)
{
	Rows table;
	int i;
	int j;

	memset(&table, 0, sizeof(table));
	table.rows = rows;
	table.keys = keys;
	for (i = 0; i < rows; i++)
	{
		for (j = 0; j <= keys; j++)
			table.code[i][j] = (int32_t) sdc_random_below(random, values);
		for (j = 0; j < keys; j++)
			if (nulls == FEW_PATTERNS
					? i % 4 > 0 && j % (2 * (i % 4)) < 2
					: (int) sdc_random_below(random, 100) < nulls)
				table.code[i][j] = SDC_CODE_NULL;
		table.weight[i] = (double) sdc_random_below(random, 64) / 4;
	}
	return table;
}

static bool
compatible(const Rows *table, int a, int b)
{
	int j;

	for (j = 0; j < table->keys; j++)
		if (table->code[a][j] != SDC_CODE_NULL &&
			table->code[b][j] != SDC_CODE_NULL &&
			table->code[a][j] != table->code[b][j])
			return false;
	return true;
}

static SdcFrequency *
count_rows(SdcHost *host, const Rows *table, int32_t values, int32_t *cell)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, table->keys + 1, true);
	int32_t all[COLUMNS];
	SdcFrequency *frequency;
	int32_t *place;
	int i;

	for (i = 0; i < COLUMNS; i++)
		all[i] = values;
	for (i = 0; i < table->rows; i++)
		cell[i] =
			sdc_frequency_add(counting, table->code[i], 1, table->weight[i]);
	frequency = sdc_frequency_finish(counting, NULL, all, &place);
	for (i = 0; i < table->rows; i++)
		cell[i] = place[cell[i]];
	return frequency;
}

static int32_t
class_of(const SdcClasses *classes, int32_t cell)
{
	int32_t class = 0;

	while (classes->first[class + 1] <= cell)
		class ++;
	return class;
}

/* Records compatible with a row that have a sensitive value. */
static int64_t
count_compatible(const Rows *table, int row, int32_t value, double *weight)
{
	int64_t count = 0;
	int i;

	*weight = 0;
	for (i = 0; i < table->rows; i++)
		if (compatible(table, row, i) &&
			(value < 0 || table->code[i][table->keys] == value))
		{
			count++;
			*weight += table->weight[i];
		}
	return count;
}

static int64_t
expanded_count(const SdcFrequency *table, int32_t class, int32_t value)
{
	int32_t cell;

	for (cell = 0; cell < table->cells; cell++)
		if (table->code[0][cell] == class && table->code[1][cell] == value)
			return table->count[cell];
	return 0;
}

static void
check_random(SdcHost *host, SdcRandom *random, int keys, int rows,
			 int32_t values, int nulls)
{
	Rows table = random_rows(random, keys, rows, values, nulls);
	int32_t cell[ROWS];
	SdcFrequency *frequency = count_rows(host, &table, values, cell);
	SdcClasses *classes = sdc_frequency_classes(host, frequency, keys);
	int64_t *records = sdc_new(host, int64_t, classes->classes);
	double *weights = sdc_new(host, double, classes->classes);
	SdcFrequency *expanded;
	bool same = true;
	bool same_weight = true;
	bool same_values = true;
	int i;

	sdc_wildcard_match(host, frequency, classes, keys, records, weights);
	expanded = sdc_wildcard_expand(host, frequency, classes, keys);
	for (i = 0; i < rows; i++)
	{
		int32_t class = class_of(classes, cell[i]);
		double weight;
		int32_t value;

		/* weights are multiples of 1/4, so their sums are exact */
		same =
			same && records[class] == count_compatible(&table, i, -1, &weight);
		same_weight = same_weight && weights[class] == weight;
		for (value = 0; value < values; value++)
			same_values =
				same_values && expanded_count(expanded, class, value) ==
								   count_compatible(&table, i, value, &weight);
	}
	unit_check(same, "%d keys, %d %% NULL: compatible records", keys, nulls);
	unit_check(same_weight, "their weights");
	unit_check(same_values, "their sensitive values");
}

int
main(void)
{
	SdcHost *host = unit_host();
	SdcRandom random;
	int i;

	unit_start("wildcard");
	sdc_random_seed(&random, 2, 0);
	for (i = 0; i < 30; i++)
		check_random(host, &random, 1 + i % 4, 1 + i * 6, 1 + i % 5,
					 i % 4 * 20);
	check_random(host, &random, 3, ROWS, 3, 100);
	/* more keys than a word of a pattern has bits */
	for (i = 0; i < 6; i++)
	{
		check_random(host, &random, 63 + 27 * i, ROWS, 2, 94 + i);
		check_random(host, &random, 63 + 27 * i, ROWS, 1 + i % 2,
					 FEW_PATTERNS);
	}
	unit_release_all();
	return unit_finish();
}
