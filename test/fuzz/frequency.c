/*
 * frequency.c
 *		Frequency tables against counting each record's like one by one.
 */
#include "fuzz.h"

#include "kernel/table/frequency.h"

#define FREQUENCY_ROWS    400
#define FREQUENCY_COLUMNS 6

typedef struct FrequencyCase
{
	int rows;
	int columns;
	int32_t values[FREQUENCY_COLUMNS];
	int32_t code[FREQUENCY_ROWS][FREQUENCY_COLUMNS];
} FrequencyCase;

/* Few values or so many that codes fill a word, some of them NULL. */
static void
frequency_case(FuzzBytes *bytes, FrequencyCase *drawn)
{
	int j;

	drawn->rows = 0;
	drawn->columns = 1 + fuzz_byte(bytes) % FREQUENCY_COLUMNS;
	for (j = 0; j < drawn->columns; j++)
	{
		int bits = fuzz_byte(bytes) % 31;

		drawn->values[j] = (int32_t) ((1u << bits) + (bits < 30));
	}
	while (bytes->left > 0 && drawn->rows < FREQUENCY_ROWS)
	{
		for (j = 0; j < drawn->columns; j++)
		{
			uint8_t byte = fuzz_byte(bytes);
			int32_t value = byte % 5 < 3 ? byte % 3 : fuzz_byte(bytes);

			/* from the ends of the range, too */
			if (byte & 64)
				value = drawn->values[j] - 1 - value;
			drawn->code[drawn->rows][j] = value < 0 || byte == 255
											  ? SDC_CODE_NULL
											  : value % drawn->values[j];
		}
		drawn->rows++;
	}
}

/* How records compare in the first columns: NULL is last. */
static int
frequency_compare(const int32_t *a, const int32_t *b, int columns)
{
	int j;

	for (j = 0; j < columns; j++)
		if (a[j] != b[j])
			return (uint32_t) a[j] < (uint32_t) b[j] ? -1 : 1;
	return 0;
}

static int
frequency_alike(const FrequencyCase *drawn, int row, int columns)
{
	int alike = 0;
	int i;

	for (i = 0; i < drawn->rows; i++)
		alike +=
			frequency_compare(drawn->code[i], drawn->code[row], columns) == 0;
	return alike;
}

static void
frequency_cell(const SdcFrequency *table, int32_t cell, int32_t *code)
{
	int j;

	for (j = 0; j < table->columns; j++)
		code[j] = table->code[j][cell];
}

static void
frequency_check(const FrequencyCase *drawn, const SdcFrequency *table,
				const int32_t *cell)
{
	int32_t code[FREQUENCY_COLUMNS];
	int32_t before[FREQUENCY_COLUMNS];
	int64_t records = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
	{
		frequency_cell(table, i, code);
		fuzz_check(i == 0 ||
					   frequency_compare(before, code, table->columns) < 0,
				   "cells are in order");
		memcpy(before, code, sizeof(code));
		records += table->count[i];
	}
	fuzz_check(records == drawn->rows && table->records == drawn->rows,
			   "every record is counted once");
	for (i = 0; i < drawn->rows; i++)
	{
		frequency_cell(table, cell[i], code);
		fuzz_check(frequency_compare(code, drawn->code[i], table->columns) ==
					   0,
				   "a record is in its cell");
		fuzz_check(table->count[cell[i]] ==
					   frequency_alike(drawn, i, table->columns),
				   "a cell counts who is alike");
	}
}

static void
frequency_check_classes(const FrequencyCase *drawn, const SdcFrequency *table,
						const int32_t *cell, int keys)
{
	SdcClasses *classes = sdc_frequency_classes(unit_host(), table, keys);
	int i;

	for (i = 0; i < drawn->rows; i++)
	{
		int32_t c = 0;

		while (classes->first[c + 1] <= cell[i])
			c++;
		fuzz_check(classes->size[c] == frequency_alike(drawn, i, keys),
				   "a class counts who is alike in its keys");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes bytes = {data, size};
	static FrequencyCase drawn;
	static int32_t cell[FREQUENCY_ROWS];
	SdcFrequencyCount *counting;
	SdcFrequency *table;
	int32_t *place;
	int column[FREQUENCY_COLUMNS];
	int i;
	int j;

	frequency_case(&bytes, &drawn);
	counting = sdc_frequency_start(unit_host(), drawn.columns, false);
	for (i = 0; i < drawn.rows; i++)
		cell[i] = sdc_frequency_add(counting, drawn.code[i], 1, 1);
	table = sdc_frequency_finish(counting, NULL, drawn.values, &place);
	for (i = 0; i < drawn.rows; i++)
		cell[i] = place[cell[i]];
	frequency_check(&drawn, table, cell);
	for (j = 0; j <= drawn.columns; j++)
		frequency_check_classes(&drawn, table, cell, j);

	/* the columns the other way round, without the first */
	for (j = 0; j < drawn.columns - 1; j++)
		column[j] = drawn.columns - 1 - j;
	if (drawn.columns > 1)
	{
		SdcFrequency *part = sdc_frequency_project(unit_host(), table, column,
												   drawn.columns - 1, &place);

		for (i = 0; i < drawn.rows; i++)
		{
			int32_t turned[FREQUENCY_COLUMNS];

			for (j = 0; j < drawn.columns - 1; j++)
				turned[j] = drawn.code[i][column[j]];
			memcpy(drawn.code[i], turned,
				   sizeof(int32_t) * (drawn.columns - 1));
			cell[i] = place[cell[i]];
		}
		frequency_check(&drawn, part, cell);
	}
	unit_release_all();
	return 0;
}
