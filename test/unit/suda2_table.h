/*
 * suda2_table.h
 *		Small tables of codes for the tests of special uniques.
 */
#ifndef SDC_TEST_UNIT_SUDA2_TABLE_H
#define SDC_TEST_UNIT_SUDA2_TABLE_H

#include "kernel/table/frequency.h"
#include "unit.h"

#define ROWS 80
#define KEYS 10

typedef struct Table
{
	int keys;
	int rows;
	int32_t values[KEYS];
	int32_t code[ROWS][KEYS];
} Table;

/* Counts a table; cell[i] is the cell of row i. */
static inline SdcFrequency *
count_table(const Table *table, int32_t *cell)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), table->keys, false);
	SdcFrequency *frequency;
	int32_t *place;
	int i;

	for (i = 0; i < table->rows; i++)
		cell[i] = sdc_frequency_add(counting, table->code[i], 1, 1);
	frequency = sdc_frequency_finish(counting, NULL, table->values, &place);
	for (i = 0; i < table->rows; i++)
		cell[i] = place[cell[i]];
	return frequency;
}

#endif
