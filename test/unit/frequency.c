/*
 * frequency.c
 *		Frequency tables against counting by comparing all pairs of rows.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/table/frequency.h"
#include "unit.h"

#define ROWS    300
#define COLUMNS 5

typedef struct Table
{
	int columns;
	int rows;
	int32_t values[COLUMNS];
	int32_t code[ROWS][COLUMNS];
	double weight[ROWS];
} Table;

static Table
random_table(SdcRandom *random, int columns, int rows, int32_t values)
{
	Table table;
	int i;
	int j;

	memset(&table, 0, sizeof(table));
	table.columns = columns;
	table.rows = rows;
	for (j = 0; j < columns; j++)
		table.values[j] = values;
	for (i = 0; i < rows; i++)
	{
		for (j = 0; j < columns; j++)
			table.code[i][j] =
				(int32_t) sdc_random_below(random, (uint64_t) values + 1) - 1;
		table.weight[i] = (double) sdc_random_below(random, 1000) / 7;
	}
	return table;
}

static bool
same_columns(const Table *table, int a, int b, const int *column, int columns)
{
	int j;

	for (j = 0; j < columns; j++)
		if (table->code[a][column[j]] != table->code[b][column[j]])
			return false;
	return true;
}

/* NULL sorts last, as in a frequency table. */
static int
compare_cells(const SdcFrequency *frequency, int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < frequency->columns; j++)
	{
		uint32_t x = (uint32_t) frequency->code[j][a];
		uint32_t y = (uint32_t) frequency->code[j][b];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* Does every row lie in a cell with its codes, its count and its weight? */
static void
check_table(const Table *table, const SdcFrequency *frequency,
			const int32_t *cell, const int *column, const char *what)
{
	bool sorted = true;
	bool counts = true;
	bool codes = true;
	bool weights = true;
	int32_t i;
	int k;
	int j;

	for (i = 1; i < frequency->cells; i++)
		sorted = sorted && compare_cells(frequency, i - 1, i) < 0;
	for (i = 0; i < table->rows; i++)
	{
		int64_t count = 0;
		double weight = 0;

		for (k = 0; k < table->rows; k++)
			if (same_columns(table, i, k, column, frequency->columns))
			{
				count++;
				weight += table->weight[k];
			}
		for (j = 0; j < frequency->columns; j++)
			codes = codes &&
					frequency->code[j][cell[i]] == table->code[i][column[j]];
		counts = counts && frequency->count[cell[i]] == count;
		if (frequency->weight != NULL)
			weights = weights && frequency->weight[cell[i]] - weight < 1e-9 &&
					  weight - frequency->weight[cell[i]] < 1e-9;
	}
	unit_check(sorted, "%s: cells ascend", what);
	unit_check(codes, "%s: codes", what);
	unit_check(counts, "%s: counts", what);
	unit_check(weights, "%s: weights", what);
	unit_check(frequency->records == table->rows, "%s: records", what);
}

/* Counts rows in a given order; cell[] tells where each came to lie. */
static SdcFrequency *
count_rows(SdcHost *host, const Table *table, const int *order, bool weighted,
		   int32_t *cell)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(host, table->columns, weighted);
	SdcFrequency *frequency;
	int32_t *place;
	int i;

	for (i = 0; i < table->rows; i++)
		cell[order[i]] = sdc_frequency_add(counting, table->code[order[i]], 1,
										   table->weight[order[i]]);
	frequency = sdc_frequency_finish(counting, NULL, table->values, &place);
	for (i = 0; i < table->rows; i++)
		cell[i] = place[cell[i]];
	host->release(host, place);
	return frequency;
}

static void
shuffle(SdcRandom *random, int *order, int n)
{
	int i;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n - 1; i > 0; i--)
	{
		int other = (int) sdc_random_below(random, (uint64_t) i + 1);
		int swap = order[i];

		order[i] = order[other];
		order[other] = swap;
	}
}

static bool
same_table(const SdcFrequency *a, const SdcFrequency *b)
{
	int j;

	if (a->cells != b->cells || a->records != b->records)
		return false;
	for (j = 0; j < a->columns; j++)
		if (memcmp(a->code[j], b->code[j], sizeof(int32_t) * a->cells) != 0)
			return false;
	return memcmp(a->count, b->count, sizeof(int64_t) * a->cells) == 0 &&
		   memcmp(a->weight, b->weight, sizeof(double) * a->cells) == 0;
}

static void
check_projection(SdcHost *host, SdcRandom *random, const Table *table,
				 const SdcFrequency *frequency, const int32_t *cell)
{
	int columns = 1 + (int) sdc_random_below(random, table->columns);
	int column[COLUMNS];
	int32_t projected[ROWS];
	int32_t *place;
	SdcFrequency *part;
	int i;

	shuffle(random, column, table->columns);
	part = sdc_frequency_project(host, frequency, column, columns, &place);
	for (i = 0; i < table->rows; i++)
		projected[i] = place[cell[i]];
	check_table(table, part, projected, column, "projection");
	host->release(host, place);
	sdc_frequency_release(host, part);
}

static void
check_classes(SdcHost *host, const SdcFrequency *frequency, int keys)
{
	SdcClasses *classes = sdc_frequency_classes(host, frequency, keys);
	int column[COLUMNS] = {0, 1, 2, 3, 4};
	SdcFrequency *part =
		sdc_frequency_project(host, frequency, column, keys, NULL);
	bool right = classes->classes == part->cells;
	int32_t c;

	for (c = 0; right && c < classes->classes; c++)
		right =
			classes->size[c] == part->count[c] &&
			frequency->code[0][classes->first[c]] == part->code[0][c] &&
			frequency->code[0][classes->first[c + 1] - 1] == part->code[0][c];
	unit_check(right, "classes of %d columns are the cells of the projection",
			   keys);
	unit_check(classes->first[classes->classes] == frequency->cells,
			   "the last class ends with the last cell");
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, part);
}

static void
check_random(SdcHost *host, SdcRandom *random, int columns, int rows,
			 int32_t values)
{
	Table table = random_table(random, columns, rows, values);
	const int column[COLUMNS] = {0, 1, 2, 3, 4};
	int order[ROWS];
	int32_t cell[ROWS];
	int32_t other_cell[ROWS];
	SdcFrequency *frequency;
	SdcFrequency *other;
	int i;

	for (i = 0; i < rows; i++)
		order[i] = i;
	frequency = count_rows(host, &table, order, true, cell);
	check_table(&table, frequency, cell, column, "counted");
	shuffle(random, order, rows);
	other = count_rows(host, &table, order, true, other_cell);
	unit_check(same_table(frequency, other),
			   "another order of the rows gives the same bits");
	check_projection(host, random, &table, frequency, cell);
	check_classes(host, frequency, 1 + columns / 2);
	sdc_frequency_release(host, frequency);
	sdc_frequency_release(host, other);
}

/* Codes as values came, and the ranks that put them in order. */
static void
check_ranks(SdcHost *host)
{
	const int32_t rank_of[] = {2, 0, 1};
	const int32_t *rank[] = {rank_of, NULL};
	const int32_t values[] = {3, 1 << 30};
	const int32_t rows[][2] = {{0, 5}, {1, 9}, {SDC_CODE_NULL, 5}, {2, 5}};
	SdcFrequencyCount *counting = sdc_frequency_start(host, 2, false);
	SdcFrequency *frequency;
	int i;

	for (i = 0; i < 4; i++)
		sdc_frequency_add(counting, rows[i], 10 + i, 0);
	frequency = sdc_frequency_finish(counting, rank, values, NULL);
	unit_check(frequency->cells == 4 && frequency->code[0][0] == 0 &&
				   frequency->code[0][1] == 1 && frequency->code[0][2] == 2 &&
				   frequency->code[0][3] == SDC_CODE_NULL,
			   "ranks replace codes, NULL stays and is last");
	unit_check(frequency->count[0] == 11 && frequency->count[1] == 13 &&
				   frequency->count[2] == 10 && frequency->count[3] == 12 &&
				   frequency->records == 46,
			   "counts go with their cells");
	unit_check(frequency->weight == NULL, "no weights were asked for");
}

static void
check_empty(SdcHost *host)
{
	const int32_t values[] = {0};
	SdcFrequency *frequency = sdc_frequency_finish(
		sdc_frequency_start(host, 1, false), NULL, values, NULL);
	SdcClasses *classes = sdc_frequency_classes(host, frequency, 1);

	unit_check(frequency->cells == 0 && frequency->records == 0 &&
				   classes->classes == 0,
			   "an empty table has no cells and no classes");
}

/* More codes than fit one word, and enough cells to grow several times. */
static void
check_wide(SdcHost *host)
{
	const int32_t values[] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
	SdcFrequencyCount *counting = sdc_frequency_start(host, 4, false);
	SdcFrequency *frequency;
	bool ascending = true;
	int32_t i;

	for (i = 0; i < 20000; i++)
	{
		int32_t codes[] = {i % 3, INT32_MAX - 1 - i % 7, i % 2, i / 2};

		sdc_frequency_add(counting, codes, 1, 0);
		sdc_frequency_add(counting, codes, 2, 0);
	}
	frequency = sdc_frequency_finish(counting, NULL, values, NULL);
	for (i = 1; i < frequency->cells; i++)
		ascending = ascending && compare_cells(frequency, i - 1, i) < 0;
	unit_check(ascending && frequency->cells == 20000 &&
				   frequency->count[777] == 3 && frequency->records == 60000,
			   "four columns of 31 bits");
}

/*
 * While the table of cells grows many times over: who comes first is a new
 * cell, who comes again is in the same one.
 */
static void
check_growth(void)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	int32_t wrong = 0;
	int32_t i;
	int round;

	for (round = 0; round < 2; round++)
		for (i = 0; i < 100000; i++)
		{
			int32_t code[2] = {i % 317, i / 317 * 7};

			wrong += sdc_frequency_add(counting, code, 1, 1) != i;
			/* some come again before there are more */
			if (i % 3 == 0)
			{
				code[0] = i / 2 % 317;
				code[1] = i / 2 / 317 * 7;
				wrong += sdc_frequency_add(counting, code, 1, 1) != i / 2;
			}
		}
	unit_check(wrong == 0, "100,000 cells, met again while more come");
}

/* Many records at a time are counted as one by one, while the table grows. */
static void
check_together(void)
{
	SdcRandom random;
	SdcFrequencyCount *together;
	SdcFrequencyCount *alone;
	SdcFrequency *a;
	SdcFrequency *b;
	int32_t code[SDC_FREQUENCY_TOGETHER * 2];
	const int32_t values[2] = {3000, 2};
	bool same;
	int done;
	int i;
	int j;

	sdc_random_seed(&random, 17, 0);
	together = sdc_frequency_start(unit_host(), 2, false);
	alone = sdc_frequency_start(unit_host(), 2, false);
	for (done = 0; done < 200; done++)
	{
		int count =
			(int) sdc_random_below(&random, SDC_FREQUENCY_TOGETHER + 1);

		for (i = 0; i < count; i++)
		{
			code[2 * i] = (int32_t) sdc_random_below(&random, 3000);
			code[2 * i + 1] = (int32_t) sdc_random_below(&random, 3) - 1;
			sdc_frequency_add(alone, code + 2 * i, 1, 0);
		}
		sdc_frequency_add_many(together, code, count);
	}
	a = sdc_frequency_finish(together, NULL, values, NULL);
	b = sdc_frequency_finish(alone, NULL, values, NULL);
	same = a->cells == b->cells && a->records == b->records;
	for (i = 0; same && i < a->cells; i++)
	{
		same = a->count[i] == b->count[i];
		for (j = 0; j < 2; j++)
			same = same && a->code[j][i] == b->code[j][i];
	}
	unit_check(same && a->cells > 3000,
			   "records that are counted together are counted as alone");
	sdc_frequency_release(unit_host(), a);
	sdc_frequency_release(unit_host(), b);
}

int
main(void)
{
	SdcHost *host = unit_host();
	SdcRandom random;
	int i;

	unit_start("frequency");
	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < 40; i++)
		check_random(host, &random, 1 + i % COLUMNS, 1 + i * 7,
					 1 + (int32_t) sdc_random_below(&random, 6));
	check_ranks(host);
	check_empty(host);
	check_wide(host);
	unit_release_all();
	check_growth();
	check_together();
	return unit_finish();
}
