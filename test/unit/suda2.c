/*
 * suda2.c
 *		Special uniques against a search through all sets of keys and all
 *		pairs of records.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/suda2.h"
#include "kernel/table/frequency.h"
#include "suda2_table.h"
#include "unit.h"

/* What the oracle finds for one record. */
typedef struct Found
{
	double score;
	double part[KEYS];
	int64_t msus;
	int size;
} Found;

/* ---------- the oracle ---------- */

static int
bits(unsigned set)
{
	return __builtin_popcount(set);
}

static double
factorial(int n)
{
	return n <= 1 ? 1 : n * factorial(n - 1);
}

/* As the header defines them, in other words. */
static double
oracle_weight(const SdcSuda2Options *options, int keys, int s)
{
	double product = 1;
	int i;

	if (options->score == SDC_SUDA2_FACTORIAL)
		return factorial(keys - s);
	if (options->score == SDC_SUDA2_IHSN)
		return (pow(2, keys - s) - 1) * factorial(s) * factorial(keys - s) /
			   factorial(keys);
	for (i = s; i <= options->max_size && i <= keys - 1; i++)
		product *= keys - i;
	return product;
}

static bool
matches(const Table *table, SdcNulls nulls, int a, int b, unsigned set)
{
	int j;

	for (j = 0; j < table->keys; j++)
	{
		int32_t x = table->code[a][j];
		int32_t y = table->code[b][j];

		if ((set & 1u << j) == 0)
			continue;
		if (nulls == SDC_NULLS_WILDCARD && (x < 0 || y < 0))
			continue;
		if (x != y)
			return false;
	}
	return true;
}

static bool
unique_on(const Table *table, SdcNulls nulls, int a, unsigned set)
{
	int b;
	int j;

	for (j = 0; j < table->keys; j++)
		if (nulls == SDC_NULLS_IGNORE && (set & 1u << j) != 0 &&
			table->code[a][j] < 0)
			return false;
	for (b = 0; b < table->rows; b++)
		if (b != a && matches(table, nulls, a, b, set))
			return false;
	return true;
}

static Found
oracle(const Table *table, const SdcSuda2Options *options, int a)
{
	static bool unique[1 << KEYS];
	Found found;
	unsigned set;
	unsigned subset;
	int j;

	memset(&found, 0, sizeof(found));
	for (set = 1; set < 1u << table->keys; set++)
	{
		bool minimal = bits(set) <= options->max_size;

		unique[set] = unique_on(table, options->nulls, a, set);
		for (subset = (set - 1) & set; subset != 0;
			 subset = (subset - 1) & set)
			minimal = minimal && !unique[subset];
		if (!unique[set] || !minimal)
			continue;
		found.msus++;
		if (found.size == 0 || bits(set) < found.size)
			found.size = bits(set);
		for (j = 0; j < table->keys; j++)
			if ((set & 1u << j) != 0)
				found.part[j] +=
					oracle_weight(options, table->keys, bits(set));
		found.score += oracle_weight(options, table->keys, bits(set));
	}
	return found;
}

/* Others that agree with a record in all keys. */
static int
agree_in_all(const Table *table, SdcNulls nulls, int a)
{
	int others = 0;
	int b;

	for (b = 0; b < table->rows; b++)
		others += b != a && matches(table, nulls, a, b, ~0u);
	return others;
}

/* ---------- random tables ---------- */

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12;
}

/* How many records differ from the oracle. */
static int
compare(const Table *table, const SdcSuda2Options *options)
{
	int32_t cell[ROWS];
	SdcFrequency *frequency = count_table(table, cell);
	SdcSuda2 *suda = sdc_suda2_find(unit_host(), frequency, options);
	int64_t of_size = 0;
	int64_t msus = 0;
	int64_t singles = 0;
	int64_t doubles = 0;
	double total = 0;
	int wrong = 0;
	int i;
	int j;

	for (i = 0; i < table->rows; i++)
	{
		int others = agree_in_all(table, options->nulls, i);
		Found found = oracle(table, options, i);
		int32_t u = suda->unique[cell[i]];
		bool same = u >= 0 ? near(suda->score[u], found.score) &&
								 suda->msus[u] == found.msus &&
								 suda->size[u] == found.size
						   : found.msus == 0;

		for (j = 0; j < table->keys && u >= 0; j++)
			same =
				same && near(suda->part[u * table->keys + j], found.part[j]);
		wrong += !same;
		singles += others == 0;
		doubles += others == 1;
		total += found.score;
		msus += found.msus;
	}
	for (i = 1; i <= table->keys; i++)
		of_size += suda->of_size[i];
	wrong += singles != suda->singles || doubles != suda->doubles;
	wrong += of_size != msus || !near(suda->total, total);
	unit_release_all();
	return wrong;
}

/*
 * Codes are drawn so that all degrees of uniqueness occur: some keys have few
 * values or one, one may follow from another, rows are repeated, and some
 * values are NULL.
 */
static Table
random_table(SdcRandom *random, int keys, int rows, double null_share)
{
	Table table;
	int i;
	int j;

	memset(&table, 0, sizeof(table));
	table.keys = keys;
	table.rows = rows;
	for (j = 0; j < keys; j++)
		table.values[j] = (int32_t) (sdc_random_below(random, 3) == 0
										 ? sdc_random_below(random, 2) + 1
										 : sdc_random_below(random, 12) + 2);
	for (i = 0; i < rows; i++)
	{
		int from = (int) sdc_random_below(random, (uint64_t) i * 4 + 1);

		for (j = 0; j < keys; j++)
			table.code[i][j] = sdc_random_unit(random) < null_share
								   ? SDC_CODE_NULL
								   : (int32_t) sdc_random_below(
										 random, (uint64_t) table.values[j]);
		/* a key that follows from another, or nearly */
		if (keys > 2 && keys % 2 == 0 && table.code[i][0] >= 0 && i % 19 > 0)
			table.code[i][keys - 1] =
				table.code[i][0] / 2 % table.values[keys - 1];
		if (from < i)
			memcpy(table.code[i], table.code[from], sizeof(table.code[i]));
	}
	return table;
}

static void
check_random(SdcRandom *random, SdcNulls nulls, SdcSuda2Score score,
			 double null_share, const char *what)
{
	int wrong = 0;
	int run;

	for (run = 0; run < 60; run++)
	{
		int keys = run % 20 == 19 ? KEYS : 1 + run % 7;
		Table table = random_table(
			random, keys,
			1 + (int) sdc_random_below(random, keys < 8 ? ROWS : 30),
			null_share);
		SdcSuda2Options options = {keys, score, nulls, 0};

		if (run % 2 == 1)
			options.max_size =
				1 + (int) sdc_random_below(random, (uint64_t) keys);
		/* a budget that is spent at once: 64 cells at a time */
		if (run % 3 == 1)
			options.budget = 1;
		wrong += compare(&table, &options);
	}
	unit_check(wrong == 0, "%s: %d records differ from the oracle", what,
			   wrong);
}

static void
check_shapes(void)
{
	SdcSuda2Options options = {0};
	Table table;
	int shape;
	int i;
	int j;

	/* one record; equal records; all different; constant but one key */
	for (shape = 0; shape < 4; shape++)
	{
		memset(&table, 0, sizeof(table));
		table.keys = options.max_size = 5;
		table.rows = shape == 0 ? 1 : 40;
		for (j = 0; j < table.keys; j++)
		{
			table.values[j] = table.rows;
			for (i = 0; i < table.rows; i++)
				if (shape == 2 || (shape == 3 && j == 2))
					table.code[i][j] = (i * (j + 1)) % 41 - (j > 0);
		}
		if (shape == 2)
			for (i = 0; i < table.rows; i++)
				for (j = 0; j < table.keys; j++)
					table.code[i][j] = i;
		unit_check(compare(&table, &options) == 0, "shape %d", shape);
	}
}

/* ---------- more keys than a word has bits ---------- */

#define MANY      130
#define MANY_ROWS 40

/* Is a row alone with its values in keys a and b (which may be one)? */
static bool
alone(int32_t code[MANY_ROWS][MANY], int row, int a, int b)
{
	int i;

	for (i = 0; i < MANY_ROWS; i++)
		if (i != row && code[i][a] == code[row][a] &&
			code[i][b] == code[row][b])
			return false;
	return true;
}

/* The score from sets of one and two keys, ihsn without the powers of 2. */
static Found
find_by_pairs(int32_t code[MANY_ROWS][MANY], int row, SdcSuda2Score score)
{
	bool ihsn = score == SDC_SUDA2_IHSN;
	Found found = {0};
	int a;
	int b;

	for (a = 0; a < MANY; a++)
	{
		bool single = alone(code, row, a, a);

		found.score += single ? (ihsn ? 1.0 / MANY : 1) : 0;
		found.msus += single;
		for (b = a + 1; b < MANY && !single; b++)
			if (!alone(code, row, b, b) && alone(code, row, a, b))
			{
				found.score +=
					ihsn ? .5 / (MANY * (MANY - 1) / 2) : 1.0 / (MANY - 1);
				found.msus++;
			}
	}
	return found;
}

/* Scores are finite and right, and the highest has the highest DIS. */
static void
check_many_keys(SdcRandom *random, SdcSuda2Score score)
{
	static int32_t code[MANY_ROWS][MANY];
	static int32_t values[MANY];
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), MANY, false);
	SdcSuda2Options options = {2, score, SDC_NULLS_CATEGORY, 0};
	SdcFrequency *frequency;
	double dis[MANY_ROWS];
	int32_t *place;
	SdcSuda2 *suda;
	int wrong = 0;
	int i;
	int j;

	for (j = 0; j < MANY; j++)
		values[j] = 2 + j % 9;
	for (i = 0; i < MANY_ROWS; i++)
	{
		for (j = 0; j < MANY; j++)
			code[i][j] =
				(int32_t) sdc_random_below(random, (uint64_t) values[j]);
		sdc_frequency_add(counting, code[i], 1, 1);
	}
	frequency = sdc_frequency_finish(counting, NULL, values, &place);
	suda = sdc_suda2_find(unit_host(), frequency, &options);
	sdc_suda2_dis(unit_host(), suda, 0.5, dis);
	for (i = 0; i < MANY_ROWS; i++)
	{
		Found found = find_by_pairs(code, i, score);
		int32_t u = suda->unique[place[i]];

		wrong +=
			suda->msus[u] != found.msus || !near(suda->score[u], found.score);
		for (j = 0; j < suda->uniques; j++)
			wrong += suda->score[u] > suda->score[j] && dis[u] < dis[j];
	}
	unit_check(wrong == 0, "%d keys: %d records differ from all pairs", MANY,
			   wrong);
	unit_release_all();
}

int
main(void)
{
	SdcRandom random;

	unit_start("suda2");
	sdc_random_seed(&random, 38, 0);
	check_random(&random, SDC_NULLS_CATEGORY, SDC_SUDA2_FACTORIAL, 0,
				 "no nulls");
	check_random(&random, SDC_NULLS_CATEGORY, SDC_SUDA2_ELLIOT, 0.1,
				 "NULL a value");
	check_random(&random, SDC_NULLS_WILDCARD, SDC_SUDA2_IHSN, 0.03,
				 "few wildcards");
	check_random(&random, SDC_NULLS_WILDCARD, SDC_SUDA2_FACTORIAL, 0.2,
				 "wildcards");
	check_random(&random, SDC_NULLS_IGNORE, SDC_SUDA2_FACTORIAL, 0.2,
				 "NULL ignored");
	check_shapes();
	check_many_keys(&random, SDC_SUDA2_FACTORIAL);
	check_many_keys(&random, SDC_SUDA2_IHSN);
	return unit_finish();
}
