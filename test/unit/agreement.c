/*
 * agreement.c
 *		Patterns of agreement and the best pairs against all pairs.
 *
 * The oracle is a loop over all pairs of records that knows neither points nor
 * boxes.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/linkage/agreement.h"
#include "kernel/linkage/agreement_tree.h"

#define MOST_ROWS 400
#define FIELDS    4
#define CODES     4
#define PATTERNS  240 /* (3 + 1) (2 + 1) (3 + 1) (4 + 1) */

/* Random records of both files, with values that are missing. */
typedef struct Files
{
	int32_t rows[2];
	double number[2][MOST_ROWS];
	int32_t code[2][MOST_ROWS];
	int32_t other[2][MOST_ROWS];
	double rank[2][MOST_ROWS];
	int32_t block[2][MOST_ROWS];
	uint8_t level[CODES * CODES];
} Files;

static void
draw_files(uint64_t seed, int32_t rows, bool wide, Files *files)
{
	SdcRandom random;
	int f;
	int i;

	sdc_random_seed(&random, seed, 3);
	files->rows[0] = rows;
	files->rows[1] = rows - rows / 5;
	for (f = 0; f < 2; f++)
		for (i = 0; i < rows; i++)
		{
			files->number[f][i] = (double) sdc_random_below(&random, 12);
			if (sdc_random_below(&random, 9) == 0)
				files->number[f][i] = NAN;
			files->code[f][i] = (int32_t) sdc_random_below(&random, 5) - 1;
			files->other[f][i] =
				(int32_t) sdc_random_below(&random, CODES + 1) - 1;
			files->rank[f][i] =
				wide ? 100 * sdc_random_unit(&random)
					 : 25.0 * (double) sdc_random_below(&random, 4);
			files->block[f][i] = (int32_t) sdc_random_below(&random, 5) - 1;
		}
	for (i = 0; i < CODES * CODES; i++)
		files->level[i] = (uint8_t) sdc_random_below(&random, 3);
}

static SdcComparison
make_comparison(const Files *files, bool blocked)
{
	SdcComparison comparison = {.fields = FIELDS};
	int f;

	comparison.blocks = 4;
	comparison.field[0].levels = 3;
	comparison.field[0].threshold[1] = 2;
	comparison.field[1].levels = 2;
	comparison.field[2].levels = 3;
	comparison.field[2].codes = CODES;
	comparison.field[2].level = files->level;
	comparison.field[3].levels = 4;
	comparison.field[3].threshold[0] = 1;
	comparison.field[3].threshold[1] = 5;
	comparison.field[3].threshold[2] = 25;
	for (f = 0; f < 2; f++)
	{
		comparison.records[f] = files->rows[f];
		comparison.field[0].number[f] = files->number[f];
		comparison.field[1].code[f] = files->code[f];
		comparison.field[2].code[f] = files->other[f];
		comparison.field[3].number[f] = files->rank[f];
		comparison.block[f] = blocked ? files->block[f] : NULL;
	}
	return comparison;
}

static int
level_by_hand(const SdcComparisonField *field, int32_t a, int32_t b)
{
	int l;

	if (field->number[0] != NULL)
	{
		if (isnan(field->number[0][a]) || isnan(field->number[1][b]))
			return field->levels;
		for (l = 0; l < field->levels - 1; l++)
			if (fabs(field->number[0][a] - field->number[1][b]) <=
				field->threshold[l])
				return l;
		return field->levels - 1;
	}
	if (field->code[0][a] < 0 || field->code[1][b] < 0)
		return field->levels;
	if (field->level != NULL)
		return field
			->level[field->code[0][a] * field->codes + field->code[1][b]];
	return field->code[0][a] == field->code[1][b] ? 0 : field->levels - 1;
}

static bool
are_compared(const Files *files, bool blocked, int i, int j)
{
	return !blocked || (files->block[0][i] >= 0 &&
						files->block[0][i] == files->block[1][j]);
}

/* Patterns by a loop over all pairs; returns how many pairs there are. */
static uint64_t
count_by_hand(const Files *files, const SdcComparison *comparison,
			  bool blocked, uint64_t *counts)
{
	uint64_t pairs = 0;
	int i;
	int j;

	memset(counts, 0, sizeof(uint64_t) * PATTERNS);
	for (i = 0; i < files->rows[0]; i++)
		for (j = 0; j < files->rows[1]; j++)
			if (are_compared(files, blocked, i, j))
			{
				counts[level_by_hand(&comparison->field[0], i, j) +
					   4 * level_by_hand(&comparison->field[1], i, j) +
					   12 * level_by_hand(&comparison->field[2], i, j) +
					   48 * level_by_hand(&comparison->field[3], i, j)]++;
				pairs++;
			}
	return pairs;
}

/* Patterns and their counts against a plain loop over all pairs. */
static void
check_counts(uint64_t seed, bool blocked)
{
	Files files;
	SdcComparison comparison;
	uint64_t counts[PATTERNS];
	SdcComparisonPatterns patterns;
	uint64_t pairs;
	bool equal = true;
	int i;
	int j;

	draw_files(seed, 90, seed % 2 == 0, &files);
	comparison = make_comparison(&files, blocked);
	unit_check(sdc_comparison_prepare(unit_host(), &comparison), "prepared");
	patterns = sdc_comparison_count(unit_host(), &comparison, 1e9, seed);
	pairs = count_by_hand(&files, &comparison, blocked, counts);
	for (i = 0, j = 0; i < PATTERNS; i++)
		if (counts[i] > 0)
		{
			equal = equal && j < patterns.count &&
					patterns.pattern[j] == (uint64_t) i &&
					patterns.pairs[j] == counts[i];
			j++;
		}
	unit_check(equal && j == patterns.count && pairs == comparison.pairs &&
				   pairs == patterns.total,
			   "seed %d%s: patterns of all pairs", (int) seed,
			   blocked ? ", blocks" : "");
	unit_release_all();
}

/* The patterns that are hashed are those of the array. */
static void
check_hashed(void)
{
	Files files;
	SdcComparison comparison;
	SdcComparisonPatterns direct;
	SdcComparisonPatterns hashed;

	draw_files(77, 300, true, &files);
	comparison = make_comparison(&files, false);
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	direct = sdc_comparison_count(unit_host(), &comparison, 1e9, 0);
	comparison.room = SDC_COMPARISON_DIRECT + 1;
	hashed = sdc_comparison_count(unit_host(), &comparison, 1e9, 0);
	unit_check(direct.count > 100 && direct.count == hashed.count &&
				   memcmp(direct.pattern, hashed.pattern,
						  sizeof(uint64_t) * (size_t) direct.count) == 0 &&
				   memcmp(direct.pairs, hashed.pairs,
						  sizeof(uint64_t) * (size_t) direct.count) == 0,
			   "patterns by hashing and by array");
	unit_release_all();
}

/* Levels of one field in all pairs. */
static void
check_marginal(uint64_t seed, bool blocked)
{
	Files files;
	SdcComparison comparison;
	int field;
	int i;
	int j;
	int l;

	draw_files(seed, 90, seed % 2 == 0, &files);
	comparison = make_comparison(&files, blocked);
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	for (field = 0; field < FIELDS; field++)
	{
		int levels = comparison.field[field].levels;
		uint64_t expected[SDC_COMPARISON_LEVELS + 1] = {0};
		uint64_t pairs[SDC_COMPARISON_LEVELS];
		bool known =
			sdc_comparison_marginal(unit_host(), &comparison, field, pairs);
		bool equal = true;

		for (i = 0; i < files.rows[0]; i++)
			for (j = 0; j < files.rows[1]; j++)
				if (are_compared(&files, blocked, i, j))
					expected[level_by_hand(&comparison.field[field], i, j)]++;
		for (l = 0; l < levels; l++)
			equal = equal && pairs[l] == expected[l];
		unit_check(known ? equal : blocked && field == 2,
				   "seed %d%s: levels of field %d", (int) seed,
				   blocked ? ", blocks" : "", field);
	}
	unit_release_all();
}

/* Does list r have the patterns of record i that score least? */
static bool
is_list(const Files *files, const SdcComparison *comparison, bool blocked,
		const SdcComparisonLists *lists, int r, int i)
{
	double times[PATTERNS] = {0};
	double before = -1;
	int partners = 0;
	int patterns = 0;
	bool equal = true;
	int e;
	int j;

	for (j = 0; j < files->rows[1]; j++)
	{
		uint64_t pattern = 0;

		if (!are_compared(files, blocked, i, j))
			continue;
		for (e = 0; e < FIELDS; e++)
			pattern += comparison->stride[e] *
					   level_by_hand(&comparison->field[e], i, j);
		patterns += times[pattern] == 0;
		times[pattern]++;
		partners++;
	}
	for (e = lists->first[r]; e < lists->first[r + 1]; e++)
	{
		uint64_t pattern = 0;
		double score = 0;

		for (j = 0; j < FIELDS; j++)
		{
			pattern += comparison->stride[j] * lists->level[e * FIELDS + j];
			score += lists->level[e * FIELDS + j];
		}
		equal = equal && times[pattern] == lists->times[e] && score >= before;
		before = score;
	}
	return equal && partners == lists->partners[r] &&
		   lists->first[r + 1] - lists->first[r] == patterns;
}

/* The patterns of each record by itself, and a sample of the records. */
static void
check_lists(bool blocked)
{
	double score[FIELDS][SDC_COMPARISON_LEVELS + 1];
	Files files;
	SdcComparison comparison;
	SdcComparisonLists lists;
	bool equal = true;
	int r = 0;
	int k;
	int p;

	for (k = 0; k < FIELDS; k++)
		for (p = 0; p <= SDC_COMPARISON_LEVELS; p++)
			score[k][p] = p;
	draw_files(31, 90, true, &files);
	comparison = make_comparison(&files, blocked);
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	lists = sdc_comparison_list(unit_host(), &comparison, score, 1e9, 3);
	for (p = 0; p < comparison.file[0].points; p++)
		for (k = comparison.file[0].first[p];
			 k < comparison.file[0].first[p + 1]; k++)
			equal = equal && r < lists.records &&
					is_list(&files, &comparison, blocked, &lists, r++,
							comparison.file[0].member[k]);
	unit_check(equal && r == lists.records && lists.total == comparison.pairs,
			   "patterns of each record%s", blocked ? ", blocks" : "");
	lists = sdc_comparison_list(unit_host(), &comparison, score,
								(double) comparison.point_pairs / 3 + 1, 3);
	unit_check(lists.records == r / 3, "of a third of them: %d",
			   (int) lists.records);
	unit_release_all();
}

/*
 * A sample counts as many pairs as the budget allows, the same for the same
 * values in another order; over many seeds its counts are those of all pairs.
 */
static void
check_sample(void)
{
	enum
	{
		SEEDS = 400
	};
	Files files;
	Files turned;
	SdcComparison comparison;
	SdcComparison other;
	uint64_t counts[PATTERNS];
	double sum[PATTERNS] = {0};
	double square[PATTERNS] = {0};
	double worst = 0;
	bool same = true;
	uint64_t pairs;
	int seed;
	int i;

	draw_files(5, 200, false, &files);
	turned = files;
	for (i = 0; i < 200; i++)
	{
		turned.number[0][i] = files.number[0][199 - i];
		turned.code[0][i] = files.code[0][199 - i];
		turned.other[0][i] = files.other[0][199 - i];
		turned.rank[0][i] = files.rank[0][199 - i];
	}
	comparison = make_comparison(&files, false);
	other = make_comparison(&turned, false);
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	(void) sdc_comparison_prepare(unit_host(), &other);
	pairs = count_by_hand(&files, &comparison, false, counts);
	for (seed = 0; seed < SEEDS; seed++)
	{
		double budget = (double) comparison.point_pairs / 4;
		SdcComparisonPatterns a = sdc_comparison_count(
			unit_host(), &comparison, budget, (uint64_t) seed);
		SdcComparisonPatterns b =
			sdc_comparison_count(unit_host(), &other, budget, (uint64_t) seed);

		same =
			same && a.count == b.count && a.records == 50 &&
			a.total * 4 == pairs &&
			memcmp(a.pattern, b.pattern,
				   sizeof(uint64_t) * (size_t) a.count) == 0 &&
			memcmp(a.pairs, b.pairs, sizeof(uint64_t) * (size_t) a.count) == 0;
		for (i = 0; i < a.count; i++)
		{
			sum[a.pattern[i]] += 4.0 * (double) a.pairs[i];
			square[a.pattern[i]] += pow(4.0 * (double) a.pairs[i], 2);
		}
	}
	for (i = 0; i < PATTERNS; i++)
	{
		double mean = sum[i] / SEEDS;
		double deviation =
			sqrt(fmax(1, square[i] / SEEDS - mean * mean) / SEEDS);

		worst = fmax(worst, fabs(mean - (double) counts[i]) / deviation);
	}
	unit_check(same, "a sample does not depend on the order of the rows");
	/* 240 patterns: beyond 4.5 deviations once in 600 runs of other seeds */
	unit_check(worst < 4.5, "samples have the patterns of all pairs (%g)",
			   worst);
	unit_release_all();
}

/* Weights that fall with the level; some levels count alike. */
static void
draw_weights(uint64_t seed, const SdcComparison *comparison,
			 SdcComparisonWeights *weights)
{
	SdcRandom random;
	int j;
	int l;

	sdc_random_seed(&random, seed, 9);
	for (j = 0; j < FIELDS; j++)
	{
		double weight = 4 * sdc_random_unit(&random);
		int levels = comparison->field[j].levels;

		for (l = 0; l < levels; l++)
		{
			weights[j][l] = weight;
			if (sdc_random_below(&random, 3) > 0)
				weight -= 3 * sdc_random_unit(&random);
		}
		weights[j][levels] = 0;
	}
}

static double
sum_by_hand(const SdcComparison *comparison,
			const SdcComparisonWeights *weights, int i, int j)
{
	double sum = 0;
	int k;

	for (k = 0; k < FIELDS; k++)
		sum += weights[k][level_by_hand(&comparison->field[k], i, j)];
	return sum;
}

static int
compare_falling(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x > y ? -1 : x < y;
}

/* One record of file 0: best sum, ties, their first, the best several. */
static bool
check_record(const Files *files, const SdcComparison *comparison,
			 const SdcComparisonWeights *weights, SdcAgreementTree *tree,
			 bool blocked, int i)
{
	enum
	{
		SEVERAL = 7
	};
	int32_t from = comparison->file[0].point[i];
	double sums[MOST_ROWS];
	double best = -INFINITY;
	int32_t record[SEVERAL];
	double sum[SEVERAL];
	bool equal = true;
	int32_t found;
	int ties = 0;
	int n = 0;
	int j;
	int k;

	for (j = 0; j < files->rows[1]; j++)
		if (are_compared(files, blocked, i, j))
		{
			sums[n] = sum_by_hand(comparison, weights, i, j);
			best = fmax(best, sums[n++]);
		}
	if (from < 0)
		return n == 0;
	equal = sdc_agreement_tree_best(tree, from) == best;
	found = n == 0 ? 0 : sdc_agreement_tree_first(tree, from, best, 3, record);
	for (j = 0; j < files->rows[1]; j++)
		if (are_compared(files, blocked, i, j) &&
			sum_by_hand(comparison, weights, i, j) == best)
		{
			equal = equal && (ties >= 3 || record[ties] == j);
			ties++;
		}
	equal = equal && found == (ties < 3 ? ties : 3) &&
			(n == 0 || sdc_agreement_tree_count(tree, from, best) == ties) &&
			sdc_agreement_tree_count(tree, from, -INFINITY) == n;
	qsort(sums, (size_t) n, sizeof(double), compare_falling);
	found = sdc_agreement_tree_several(tree, from, SEVERAL, (uint64_t) i,
									   record, sum);
	equal = equal && found == (n < SEVERAL ? n : SEVERAL);
	for (j = 0; j < found; j++)
	{
		equal = equal && sum[j] == sums[j] &&
				sum_by_hand(comparison, weights, i, record[j]) == sum[j] &&
				sdc_agreement_tree_sum(tree, from,
									   comparison->file[1].point[record[j]]) ==
					sum[j];
		for (k = 0; k < j; k++)
			equal = equal && record[k] != record[j];
	}
	return equal;
}

static void
check_tree(uint64_t seed, bool blocked, bool wide)
{
	Files files;
	SdcComparison comparison;
	SdcComparisonWeights weights[FIELDS];
	SdcAgreementTree *tree;
	bool equal = true;
	int i;

	draw_files(seed, 30 + (int) seed * 30, wide, &files);
	comparison = make_comparison(&files, blocked);
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	draw_weights(seed, &comparison, weights);
	tree = sdc_agreement_tree_create(unit_host(), &comparison,
									 (const SdcComparisonWeights *) weights);
	for (i = 0; i < files.rows[0]; i++)
		equal = equal &&
				check_record(&files, &comparison, weights, tree, blocked, i);
	unit_check(equal, "seed %d%s%s: the best pairs of all", (int) seed,
			   blocked ? ", blocks" : "", wide ? ", few ties" : "");
	unit_release_all();
}

/* Of ties that do not fit, each is drawn about as often. */
static void
check_drawn(void)
{
	enum
	{
		ROWS = 300,
		DRAWS = 3000,
		TAKEN = 5
	};
	Files files;
	SdcComparison comparison;
	SdcComparisonWeights weights[FIELDS] = {{0}};
	SdcAgreementTree *tree;
	int32_t record[TAKEN];
	double sum[TAKEN];
	int count[ROWS] = {0};
	double chi = 0;
	int i;
	int k;

	draw_files(3, ROWS, true, &files);
	comparison = make_comparison(&files, false);
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	tree = sdc_agreement_tree_create(unit_host(), &comparison,
									 (const SdcComparisonWeights *) weights);
	for (i = 0; i < DRAWS; i++)
	{
		(void) sdc_agreement_tree_several(tree, 0, TAKEN, (uint64_t) i, record,
										  sum);
		for (k = 0; k < TAKEN; k++)
			count[record[k]]++;
	}
	for (i = 0; i < files.rows[1]; i++)
		chi += pow(count[i] - (double) DRAWS * TAKEN / files.rows[1], 2) /
			   ((double) DRAWS * TAKEN / files.rows[1]);
	/* 239 degrees of freedom; sampling without return makes it smaller */
	unit_check(chi < 239 + 4 * sqrt(2 * 239.0), "ties are drawn (%g)", chi);
	unit_release_all();
}

/* A large file: fewer looks than pairs. */
static void
check_looks(void)
{
	enum
	{
		ROWS = 20000
	};
	SdcComparison comparison = {.fields = 2, .records = {ROWS, ROWS}};
	SdcComparisonWeights weights[2] = {{3, 1, -4, 0}, {3, 1, -4, 0}};
	double *number[2][2];
	SdcAgreementTree *tree;
	SdcRandom random;
	int f;
	int i;
	int j;

	sdc_random_seed(&random, 1, 1);
	for (j = 0; j < 2; j++)
	{
		comparison.field[j].levels = 3;
		comparison.field[j].threshold[0] = 0.001;
		comparison.field[j].threshold[1] = 0.01;
		for (f = 0; f < 2; f++)
		{
			number[j][f] = sdc_new(unit_host(), double, ROWS);
			for (i = 0; i < ROWS; i++)
				number[j][f][i] =
					f == 0 ? sdc_random_unit(&random) : number[j][0][i];
			comparison.field[j].number[f] = number[j][f];
		}
	}
	(void) sdc_comparison_prepare(unit_host(), &comparison);
	tree = sdc_agreement_tree_create(unit_host(), &comparison,
									 (const SdcComparisonWeights *) weights);
	for (i = 0; i < ROWS; i++)
		if (sdc_agreement_tree_best(tree, i) != 6)
			break;
	unit_check(i == ROWS &&
				   sdc_agreement_tree_work(tree) < UINT64_C(200) * ROWS,
			   "%d records look %.0f times each", ROWS,
			   (double) sdc_agreement_tree_work(tree) / ROWS);
	unit_release_all();
}

int
main(void)
{
	uint64_t seed;

	unit_start("agreement");
	for (seed = 1; seed <= 5; seed++)
	{
		check_counts(seed, false);
		check_counts(seed, true);
		check_marginal(seed, false);
		check_marginal(seed, true);
	}
	check_hashed();
	check_lists(false);
	check_lists(true);
	check_sample();
	for (seed = 1; seed <= 12; seed++)
	{
		check_tree(seed, false, false);
		check_tree(seed, true, false);
		check_tree(seed, false, true);
		check_tree(seed, true, true);
	}
	check_drawn();
	check_looks();
	return unit_finish();
}
