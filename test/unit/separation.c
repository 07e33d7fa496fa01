/*
 * separation.c
 *		Separation and distinction against comparing all pairs of records.
 */
#include "adult_data.h"
#include "published_file.h"
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/separation.h"
#include "kernel/table/frequency.h"

#define ROWS    120
#define COLUMNS 6

typedef struct Table
{
	int columns;
	int rows;
	int32_t code[ROWS][COLUMNS];
} Table;

static SdcFrequency *
count_table(const Table *table, int32_t values)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), table->columns, false);
	int32_t of_column[COLUMNS];
	int i;

	for (i = 0; i < COLUMNS; i++)
		of_column[i] = values;
	for (i = 0; i < table->rows; i++)
		sdc_frequency_add(counting, table->code[i], 1, 0);
	return sdc_frequency_finish(counting, NULL, of_column, NULL);
}

static bool
same_record(const Table *table, int a, int b, uint64_t columns)
{
	int j;

	for (j = 0; j < table->columns; j++)
		if ((columns >> j & 1) && table->code[a][j] != table->code[b][j])
			return false;
	return true;
}

/* Counts classes and equal pairs by comparing every record with all before. */
static SdcSeparation
compare_pairs(const Table *table, uint64_t columns)
{
	SdcSeparation separation = {0};
	int a;
	int b;

	for (a = 0; a < table->rows; a++)
	{
		bool first = true;

		for (b = 0; b < a; b++)
			if (same_record(table, a, b, columns))
			{
				separation.equal++;
				first = false;
			}
		separation.records++;
		separation.classes += first;
	}
	return separation;
}

static int
size_of(uint64_t columns)
{
	int size = 0;

	for (; columns != 0; columns &= columns - 1)
		size++;
	return size;
}

/* The columns of a subset as bits. */
static uint64_t
bits_of(const SdcSeparationSubset *subset)
{
	uint64_t columns = 0;
	int i;

	for (i = 0; i < subset->size; i++)
		columns |= UINT64_C(1) << subset->column[i];
	return columns;
}

/* Is x before y in the documented order? */
static bool
in_order(const SdcSeparationSubset *x, const SdcSeparationSubset *y)
{
	int sizes = x->size - y->size;
	uint64_t differ = bits_of(x) ^ bits_of(y);

	if (x->counts.equal != y->counts.equal)
		return x->counts.equal < y->counts.equal;
	if (x->counts.classes != y->counts.classes)
		return x->counts.classes > y->counts.classes;
	if (sizes != 0)
		return sizes < 0;
	/* the earliest column that only one of them has is in x */
	return (bits_of(x) & differ & (~differ + 1)) != 0;
}

static void
check_table(const Table *table, int32_t values, int largest)
{
	SdcFrequency *frequency = count_table(table, values);
	int32_t count;
	SdcSeparationSubset *subsets =
		sdc_separation_measure(unit_host(), frequency, largest, &count);
	bool seen[1 << COLUMNS] = {false};
	bool right = true;
	bool ordered = true;
	bool once = true;
	int expected = 0;
	int i;

	for (i = 1; i < 1 << table->columns; i++)
		expected += size_of(i) <= largest;
	for (i = 0; i < count; i++)
	{
		SdcSeparation pairs = compare_pairs(table, bits_of(&subsets[i]));
		const SdcSeparation *counts = &subsets[i].counts;

		right = right && counts->records == pairs.records &&
				counts->classes == pairs.classes &&
				counts->equal == pairs.equal;
		ordered =
			ordered && (i == 0 || in_order(&subsets[i - 1], &subsets[i]));
		once = once && !seen[bits_of(&subsets[i])] &&
			   size_of(bits_of(&subsets[i])) <= largest;
		seen[bits_of(&subsets[i])] = true;
	}
	unit_check(count == expected && once,
			   "%d of %d columns: each of %d subsets once", largest,
			   table->columns, expected);
	unit_check(right, "%d rows: counts as by all pairs", table->rows);
	unit_check(ordered, "%d rows: best first", table->rows);
}

static void
check_random(void)
{
	SdcRandom random;
	int trial;
	int i;
	int j;

	sdc_random_seed(&random, 5, 6);
	for (trial = 0; trial < 40; trial++)
	{
		int32_t values = 1 + (int32_t) sdc_random_below(&random, 6);
		Table table;

		memset(&table, 0, sizeof(table));
		table.columns = 1 + (int) sdc_random_below(&random, COLUMNS);
		table.rows = (int) sdc_random_below(&random, ROWS + 1);
		for (i = 0; i < table.rows; i++)
			for (j = 0; j < table.columns; j++)
				table.code[i][j] = (int32_t) sdc_random_below(
									   &random, (uint64_t) values + 1) -
								   1;
		check_table(&table, values,
					1 + (int) sdc_random_below(&random, COLUMNS + 2));
	}
}

/* Classes of 2, 1 and 1: 5 of the 6 pairs differ. */
static void
check_figures(void)
{
	SdcSeparation separation = {0};
	SdcSeparation empty = {0};
	SdcSeparation one = {0};
	SdcSeparation many = {0};

	sdc_separation_add(&separation, 2, 1);
	sdc_separation_add(&separation, 1, 2);
	unit_check(sdc_separation_share(&separation) == 5.0 / 6, "separation");
	unit_check(sdc_separation_distinction(&separation) == 0.75, "distinction");
	unit_check(isnan(sdc_separation_share(&empty)) &&
				   isnan(sdc_separation_distinction(&empty)),
			   "no records: no figures");
	sdc_separation_add(&one, 1, 1);
	unit_check(isnan(sdc_separation_share(&one)) &&
				   sdc_separation_distinction(&one) == 1,
			   "one record has no pairs");
	sdc_separation_add(&many, INT64_C(5000000000), 2);
	unit_check(fabs(sdc_separation_share(&many) - 0.5) < 1e-9,
			   "counts beyond 32 bits");
}

static void
check_subsets(void)
{
	unit_check(sdc_separation_subsets(9, 3, 10000) == 9 + 36 + 84,
			   "subsets of up to 3 of 9");
	unit_check(sdc_separation_subsets(3, 64, 10000) == 7,
			   "no subset is larger than the set");
	unit_check(sdc_separation_subsets(64, 64, 10000) == 10001,
			   "more than the limit");
	unit_check(sdc_separation_subsets(13, 13, 8191) == 8191,
			   "as many as the limit");
}

/* More columns than a word has bits: the last two differ, alone or both. */
#define WIDE 140

static void
check_wide(void)
{
	int32_t codes[WIDE] = {0};
	int32_t values[WIDE];
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), WIDE, false);
	SdcSeparationSubset *subsets;
	int32_t count;
	int i;

	for (i = 0; i < WIDE; i++)
		values[i] = 2;
	for (i = 0; i < 4; i++)
	{
		codes[WIDE - 2] = i / 2;
		codes[WIDE - 1] = i % 2;
		sdc_frequency_add(counting, codes, 1, 0);
	}
	subsets = sdc_separation_measure(
		unit_host(), sdc_frequency_finish(counting, NULL, values, NULL), 2,
		&count);
	unit_check(count == WIDE + WIDE * (WIDE - 1) / 2 && subsets[0].size == 2 &&
				   subsets[0].column[0] == WIDE - 2 &&
				   subsets[0].column[1] == WIDE - 1 &&
				   subsets[0].counts.equal == 0,
			   "the last pair of %d columns tells all apart", WIDE);
	unit_check(subsets[1].size == 1 && subsets[1].column[0] == WIDE - 2 &&
				   subsets[1].counts.equal == 2 && subsets[2].size == 1 &&
				   subsets[2].column[0] == WIDE - 1 && subsets[3].size == 2 &&
				   subsets[3].column[0] == 0 &&
				   subsets[count - 1].counts.equal == 6,
			   "then each of the two alone");
}

/*
 * The census extract "adult" against the node table of ARX 3.9.2, where a
 * column at the top of its hierarchy is as good as left out.
 */
#define ADULT_KEYS 8

static const int adult_key[ADULT_KEYS] = {
	SEX,       AGE,         RACE, MARITAL_STATUS, EDUCATION, NATIVE_COUNTRY,
	WORKCLASS, SALARY_CLASS};
static const int adult_height[ADULT_KEYS] = {1, 4, 1, 2, 3, 2, 2, 1};

/* The columns at level 0 when all others are at the top; else none. */
static uint64_t
node_columns(const char *levels)
{
	uint64_t columns = 0;
	int j;

	for (j = 0; j < ADULT_KEYS; j++)
	{
		int level = levels[2 * j] - '0';

		if (level != 0 && level != adult_height[j])
			return 0;
		if (level == 0)
			columns |= UINT64_C(1) << j;
	}
	return columns;
}

static const SdcSeparation *
find_subset(const SdcSeparationSubset *subsets, int32_t count,
			uint64_t columns)
{
	int32_t i;

	for (i = 0; i < count; i++)
		if (bits_of(&subsets[i]) == columns)
			return &subsets[i].counts;
	return NULL;
}

static void
check_adult(void)
{
	AdultData *data = adult_read();
	FILE *nodes = published_open("adult_nodes.csv");
	char line[ADULT_LINE];
	SdcFrequency *frequency;
	SdcSeparationSubset *subsets;
	int32_t count;
	int compared = 0;
	bool same = true;

	frequency = adult_count(data, adult_key, ADULT_KEYS, 1, 1);
	free(data);
	subsets =
		sdc_separation_measure(unit_host(), frequency, ADULT_KEYS, &count);
	while (fgets(line, sizeof(line), nodes) != NULL)
	{
		uint64_t columns = node_columns(line);
		const SdcSeparation *counts = find_subset(subsets, count, columns);
		long classes;
		double squares;

		if (counts == NULL || sscanf(strchr(line, ';'), ";%*d;%ld;%*d;%*d;%lf",
									 &classes, &squares) != 2)
			continue;
		compared++;
		same = same && counts->classes == classes &&
			   counts->equal == (squares - (double) counts->records) / 2;
	}
	fclose(nodes);
	unit_check(frequency->records == 30162 && compared == 255,
			   "adult: all subsets of 8 columns are compared with ARX");
	unit_check(same, "adult: classes and pairs as in ARX");
}

/* ---------- the worst subsets ---------- */

#define WIDTH 7

/* The smallest class of the columns of a set, by comparing all pairs. */
static SdcSubsetClass
smallest_by_pairs(int32_t code[ROWS][WIDTH], int rows, unsigned set)
{
	SdcSubsetClass found = {.smallest = INT64_MAX};
	int a;
	int b;
	int j;

	for (a = 0; a < rows; a++)
	{
		int64_t like = 0;

		for (b = 0; b < rows; b++)
		{
			bool same = true;

			for (j = 0; j < WIDTH; j++)
				same =
					same && ((set >> j & 1) == 0 || code[a][j] == code[b][j]);
			like += same;
		}
		if (like < found.smallest)
		{
			found.smallest = like;
			found.records = 0;
		}
		found.records += like == found.smallest;
	}
	return found;
}

/* Is each subset there, with what all pairs say, and the worst first? */
static bool
same_as_pairs(int32_t code[ROWS][WIDTH], int rows, int size,
			  const SdcSubsetClass *worst, int32_t count)
{
	bool seen[1 << WIDTH] = {false};
	int32_t i;
	int j;

	for (i = 0; i < count; i++)
	{
		unsigned set = 0;
		SdcSubsetClass found;

		for (j = 0; j < size; j++)
			set |= 1u << worst[i].column[j];
		found = smallest_by_pairs(code, rows, set);
		if (found.smallest != worst[i].smallest ||
			found.records != worst[i].records ||
			(i > 0 && worst[i].smallest < worst[i - 1].smallest))
			return false;
		if (__builtin_popcount(set) != size || seen[set])
			return false;
		seen[set] = true;
	}
	return true;
}

static void
check_worst(void)
{
	static int32_t code[ROWS][WIDTH];
	SdcSubsetClass worst[40];
	SdcRandom random;
	int wrong = 0;
	int run;

	sdc_random_seed(&random, 5, 0);
	for (run = 0; run < 60; run++)
	{
		int32_t values = run % 3 == 0 ? 2000 : 2 + run % 5;
		int rows = 1 + (int) sdc_random_below(&random, ROWS);
		int size = 1 + run % WIDTH;
		int32_t expected =
			(int32_t) (sdc_separation_subsets(WIDTH, size, 1000) -
					   (size == 1
							? 0
							: sdc_separation_subsets(WIDTH, size - 1, 1000)));
		int32_t of_column[WIDTH];
		SdcFrequencyCount *counting =
			sdc_frequency_start(unit_host(), WIDTH, false);
		int32_t count;
		int i;
		int j;

		for (j = 0; j < WIDTH; j++)
			of_column[j] = values;
		for (i = 0; i < rows; i++)
		{
			for (j = 0; j < WIDTH; j++)
				code[i][j] =
					(int32_t) sdc_random_below(&random, (uint64_t) values) - 1;
			/* rows that repeat, so that not all are alone */
			if (i > 0 && sdc_random_below(&random, 3) > 0)
				memcpy(code[i], code[i - 1], sizeof(code[i]));
			sdc_frequency_add(counting, code[i], 1, 0);
		}
		count = sdc_subsets_worst(
			unit_host(), sdc_frequency_finish(counting, NULL, of_column, NULL),
			WIDTH, size, false, 40, worst);
		wrong += count != expected ||
				 !same_as_pairs(code, rows, size, worst, count);
	}
	unit_check(wrong == 0, "worst subsets of 60 tables: %d differ from pairs",
			   wrong);
	unit_release_all();
}

int
main(void)
{
	unit_start("separation");
	check_figures();
	check_subsets();
	check_random();
	check_wide();
	check_worst();
	check_adult();
	return unit_finish();
}
