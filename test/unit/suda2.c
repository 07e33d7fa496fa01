/*
 * suda2.c
 *		Special uniques against a search through all sets of keys and all
 *		pairs of records, and against published scores.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/random.h"
#include "kernel/suda2.h"
#include "shared_table.h"
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

/* What the oracle finds for one record. */
typedef struct Found
{
	double score;
	double part[KEYS];
	int64_t msus;
	int size;
} Found;

static SdcFrequency *
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
matches(const Table *table, SdcSuda2Nulls nulls, int a, int b, unsigned set)
{
	int j;

	for (j = 0; j < table->keys; j++)
	{
		int32_t x = table->code[a][j];
		int32_t y = table->code[b][j];

		if ((set & 1u << j) == 0)
			continue;
		if (nulls == SDC_SUDA2_NULL_IS_WILDCARD && (x < 0 || y < 0))
			continue;
		if (x != y)
			return false;
	}
	return true;
}

static bool
unique_on(const Table *table, SdcSuda2Nulls nulls, int a, unsigned set)
{
	int b;
	int j;

	for (j = 0; j < table->keys; j++)
		if (nulls == SDC_SUDA2_NULL_IS_IGNORED && (set & 1u << j) != 0 &&
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
	double total = 0;
	int wrong = 0;
	int i;
	int j;

	for (i = 0; i < table->rows; i++)
	{
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
		total += found.score;
		msus += found.msus;
	}
	for (i = 1; i <= table->keys; i++)
		of_size += suda->of_size[i];
	wrong += of_size != msus || !near(suda->total, total);
	unit_release_all();
	return wrong;
}

/*
 * Codes are drawn so that all degrees of uniqueness occur; every third key is
 * constant now and then, rows are repeated, and some values are NULL.
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
		if (from < i)
			memcpy(table.code[i], table.code[from], sizeof(table.code[i]));
	}
	return table;
}

static void
check_random(SdcRandom *random, SdcSuda2Nulls nulls, SdcSuda2Score score,
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

/* ---------- published figures ---------- */

static bool
all_near(const double *a, const double *b, int n, double tolerance)
{
	int i;

	for (i = 0; i < n; i++)
		if (!(fabs(a[i] - b[i]) <= tolerance))
			return false;
	return true;
}

/* EX-SUDA-1: the records, scores, DIS at 0.1 and contributions. */
static void
check_example(void)
{
	static const int rows[10][4] = {
		{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 2, 1}, {1, 2, 1, 2}, {1, 2, 2, 1},
		{1, 2, 2, 1}, {2, 1, 1, 3}, {2, 1, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}};
	static const double score[4] = {2, 6, 8, 3};
	static const double dis[4] = {0.036949, 0.125402, 0.168398, 0.058745};
	static const double share[4] = {0.316, 0.368, 0.474, 0.684};
	SdcSuda2Options options = {4, 0, 0, 0};
	Table table = {4, 10, {4, 4, 4, 4}, {{0}}};
	int32_t cell[ROWS];
	double value[5];
	SdcFrequency *frequency;
	SdcSuda2 *suda;
	double got[4];
	int i;
	int j;

	for (i = 0; i < 10; i++)
		for (j = 0; j < 4; j++)
			table.code[i][j] = rows[i][j];
	frequency = count_table(&table, cell);
	suda = sdc_suda2_find(unit_host(), frequency, &options);
	unit_check(suda->uniques == 4 && suda->unique[cell[2]] == 0 &&
				   all_near(suda->score, score, 4, 0),
			   "EX-SUDA-1: scores");
	sdc_suda2_dis(unit_host(), suda, 0.1, got);
	unit_check(all_near(got, dis, 4, 5e-7), "EX-SUDA-1: DIS-SUDA");
	sdc_suda2_contributions(unit_host(), suda, got);
	unit_check(all_near(got, share, 4, 5e-4), "EX-SUDA-1: contributions");
	for (j = 0; j < 4; j++)
	{
		sdc_suda2_value_contributions(unit_host(), suda, frequency, j, value);
		unit_check(
			near(value[0] + value[1] + value[2] + value[3] + value[4], got[j]),
			"EX-SUDA-1: values of key %d", j);
	}
	sdc_suda2_dis(unit_host(), suda, 1, got);
	unit_check(got[0] == 1 && got[3] == 1, "a census has no doubt");
	unit_release_all();
}

/* Columns of the reference file. */
enum
{
	FILE_KEYS = 1,
	FILE_SCORE = 5,
	FILE_DIS,
	FILE_IHSN_SCORE,
	FILE_IHSN_DIS,
	FILE_PARTS
};

static void
check_scoring(const Table *table, const SdcMatrix *file, SdcSuda2Score score,
			  int score_column, int dis_column)
{
	SdcSuda2Options options = {4, score, 0, 0};
	int32_t cell[ROWS];
	SdcFrequency *frequency = count_table(table, cell);
	SdcSuda2 *suda = sdc_suda2_find(unit_host(), frequency, &options);
	double dis[ROWS];
	int wrong = 0;
	int i;
	int j;

	sdc_suda2_dis(unit_host(), suda, 0.01, dis);
	for (i = 0; i < table->rows; i++)
	{
		int32_t u = suda->unique[cell[i]];
		double total = u < 0 ? 0 : suda->score[u];

		/* the reference computes with floats */
		wrong +=
			fabs(total - file->column[score_column][i]) > 1e-9 ||
			fabs((u < 0 ? 0 : dis[u]) - file->column[dis_column][i]) > 1e-7;
		for (j = 0; j < 4 && score == SDC_SUDA2_FACTORIAL; j++)
			wrong += fabs((total > 0 ? suda->part[u * 4 + j] / total : 0) -
						  file->column[FILE_PARTS + j][i]) > 1e-9;
	}
	unit_check(wrong == 0, "sdcMicro, score %d: %d differ", (int) score,
			   wrong);
}

static void
check_reference(void)
{
	SdcMatrix file;
	Table table = {4, 10, {10, 10, 10, 10}, {{0}}};
	int32_t cell[ROWS];
	SdcSuda2Options options = {4, 0, 0, 0};
	static const double percent[4] = {23.5294117647059, 17.6470588235294,
									  64.7058823529412, 23.5294117647059};
	double share[4];
	int i;
	int j;

	if (!shared_table_read("reference/sdcmicro/suda2_small10.csv", &file))
	{
		printf("ok - sdcMicro # skip no reference\n");
		return;
	}
	for (i = 0; i < 10; i++)
		for (j = 0; j < 4; j++)
			table.code[i][j] = (int32_t) file.column[FILE_KEYS + j][i];
	check_scoring(&table, &file, SDC_SUDA2_FACTORIAL, FILE_SCORE, FILE_DIS);
	check_scoring(&table, &file, SDC_SUDA2_ELLIOT, FILE_SCORE, FILE_DIS);
	check_scoring(&table, &file, SDC_SUDA2_IHSN, FILE_IHSN_SCORE,
				  FILE_IHSN_DIS);
	sdc_suda2_contributions(
		unit_host(),
		sdc_suda2_find(unit_host(), count_table(&table, cell), &options),
		share);
	for (j = 0; j < 4; j++)
		share[j] *= 100;
	unit_check(all_near(share, percent, 4, 1e-9),
			   "sdcMicro: contributions of the file");
	shared_table_free(&file);
	unit_release_all();
}

int
main(void)
{
	SdcRandom random;

	unit_start("suda2");
	sdc_random_seed(&random, 38, 0);
	check_random(&random, SDC_SUDA2_NULL_IS_VALUE, SDC_SUDA2_FACTORIAL, 0,
				 "no nulls");
	check_random(&random, SDC_SUDA2_NULL_IS_VALUE, SDC_SUDA2_ELLIOT, 0.1,
				 "NULL a value");
	check_random(&random, SDC_SUDA2_NULL_IS_WILDCARD, SDC_SUDA2_IHSN, 0.03,
				 "few wildcards");
	check_random(&random, SDC_SUDA2_NULL_IS_WILDCARD, SDC_SUDA2_FACTORIAL, 0.2,
				 "wildcards");
	check_random(&random, SDC_SUDA2_NULL_IS_IGNORED, SDC_SUDA2_FACTORIAL, 0.2,
				 "NULL ignored");
	check_shapes();
	check_example();
	check_reference();
	return unit_finish();
}
