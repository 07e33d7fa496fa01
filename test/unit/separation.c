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

/* Is x before y in the documented order? */
static bool
in_order(const SdcSeparationSubset *x, const SdcSeparationSubset *y)
{
	int sizes = size_of(x->columns) - size_of(y->columns);
	uint64_t differ = x->columns ^ y->columns;

	if (x->counts.equal != y->counts.equal)
		return x->counts.equal < y->counts.equal;
	if (x->counts.classes != y->counts.classes)
		return x->counts.classes > y->counts.classes;
	if (sizes != 0)
		return sizes < 0;
	/* the earliest column that only one of them has is in x */
	return (x->columns & differ & (~differ + 1)) != 0;
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
		SdcSeparation pairs = compare_pairs(table, subsets[i].columns);
		const SdcSeparation *counts = &subsets[i].counts;

		right = right && counts->records == pairs.records &&
				counts->classes == pairs.classes &&
				counts->equal == pairs.equal;
		ordered =
			ordered && (i == 0 || in_order(&subsets[i - 1], &subsets[i]));
		once = once && !seen[subsets[i].columns] &&
			   size_of(subsets[i].columns) <= largest;
		seen[subsets[i].columns] = true;
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

/* The last of 64 columns has a bit of its own. */
static void
check_wide(void)
{
	int32_t codes[64] = {0};
	int32_t values[64];
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 64, false);
	SdcSeparationSubset *subsets;
	int32_t count;
	int i;

	for (i = 0; i < 64; i++)
		values[i] = 2;
	sdc_frequency_add(counting, codes, 1, 0);
	codes[63] = 1;
	sdc_frequency_add(counting, codes, 1, 0);
	subsets = sdc_separation_measure(
		unit_host(), sdc_frequency_finish(counting, NULL, values, NULL), 1,
		&count);
	unit_check(count == 64 && subsets[0].columns == UINT64_C(1) << 63 &&
				   subsets[0].counts.equal == 0 && subsets[1].columns == 1 &&
				   subsets[1].counts.equal == 1,
			   "64 columns");
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
		if (subsets[i].columns == columns)
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

int
main(void)
{
	unit_start("separation");
	check_figures();
	check_subsets();
	check_random();
	check_wide();
	check_adult();
	return unit_finish();
}
