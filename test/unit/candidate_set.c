/*
 * candidate_set.c
 *		Sets of candidates against all pairs, on files that were really masked.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/intruder/candidate.h"
#include "kernel/mask/rank_swap.h"

#define ROWS    400
#define COLUMNS 5
#define MISSING SDC_CANDIDATE_MISSING

/* A file before and after; value and stratum by row. */
typedef struct Masked
{
	uint32_t stratum[ROWS];
	uint32_t original[COLUMNS][ROWS];
	uint32_t masked[COLUMNS][ROWS];
	double p[COLUMNS];
} Masked;

/* Rows of a stratum whose value is not missing, in ascending order. */
static int
list_rows(const uint32_t *value, const uint32_t *stratum, uint32_t wanted,
		  int *row)
{
	int count = 0;
	int i;
	int k;

	for (i = 0; i < ROWS; i++)
	{
		if (stratum[i] != wanted || value[i] == MISSING)
			continue;
		for (k = count++; k > 0 && value[row[k - 1]] > value[i]; k--)
			row[k] = row[k - 1];
		row[k] = i;
	}
	return count;
}

static void
swap_stratum(Masked *file, int j, uint32_t stratum, SdcRandom *random)
{
	int row[ROWS];
	int32_t from[ROWS];
	int n = list_rows(file->original[j], file->stratum, stratum, row);
	int r;

	sdc_rank_swap(unit_host(), SDC_RANK_SWAP_CLASSIC, n,
				  sdc_rank_swap_window(file->p[j], n), random, from);
	for (r = 0; r < n; r++)
		file->masked[j][row[r]] = file->original[j][row[from[r]]];
}

/* Makes data with ties, missing values and strata, and swaps ranks. */
static void
make_file(Masked *file, uint64_t seed, int strata, int values)
{
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < ROWS; i++)
		file->stratum[i] = sdc_random_below(&random, strata);
	for (j = 0; j < COLUMNS; j++)
	{
		file->p[j] = 2 + sdc_random_below(&random, 12);
		for (i = 0; i < ROWS; i++)
			file->original[j][i] = sdc_random_below(&random, 20) == 0
									   ? MISSING
									   : sdc_random_below(&random, values);
		memcpy(file->masked[j], file->original[j], sizeof(file->masked[j]));
		for (i = 0; i < strata; i++)
			swap_stratum(file, j, i, &random);
	}
}

/* B_j(x) by the definition: do the intervals of ranks meet? */
static bool
can_be(const Masked *file, int j, int x, int y)
{
	const uint32_t *value = file->masked[j];
	int n = 0;
	int low = 0;
	int high = 0;
	int low_y = 0;
	int high_y = 0;
	int window;
	int i;

	if (file->stratum[x] != file->stratum[y])
		return false;
	if (file->original[j][x] == MISSING || value[y] == MISSING)
		return file->original[j][x] == value[y];
	for (i = 0; i < ROWS; i++)
	{
		if (file->stratum[i] != file->stratum[x] || value[i] == MISSING)
			continue;
		n++;
		low += value[i] < file->original[j][x];
		high += value[i] <= file->original[j][x];
		low_y += value[i] < value[y];
		high_y += value[i] <= value[y];
	}
	window = (int) floor(file->p[j] * n / 100);
	return low < high && low_y <= high - 1 + window &&
		   high_y - 1 >= low - window;
}

static void
make_set(const Masked *file, int j, SdcCandidateSet *set)
{
	uint64_t key[ROWS];
	SdcCandidateKeys sorted;
	int i;

	for (i = 0; i < ROWS; i++)
		key[i] = sdc_candidate_key(file->stratum[i], file->masked[j][i]);
	sdc_candidate_set_sort(unit_host(), key, ROWS, set, &sorted);
	sdc_candidate_set_begin(unit_host(), set, ROWS);
	for (i = 0; i < ROWS; i++)
		sdc_candidate_set_put(
			set, &sorted, i,
			sdc_candidate_range_swap(
				&sorted,
				sdc_candidate_key(file->stratum[i], file->original[j][i]),
				file->p[j]),
			sdc_candidate_range_none());
}

/* One intersection against all pairs; differences and lost own records. */
static void
compare_search(const Masked *file, const SdcCandidateSet *const *part,
			   int parts, int *wrong, int *lost, int *grown, int *last)
{
	SdcCandidateSearch *search =
		sdc_candidate_search_create(unit_host(), parts, part, ROWS);
	int i;
	int y;
	int j;

	for (i = 0; i < ROWS; i += unit_sparing() ? 7 : 1)
	{
		bool found[ROWS] = {false};
		int limited;

		sdc_candidate_search_run(search, i, ROWS);
		for (y = 0; y < search->count; y++)
			found[search->row[y]] = true;
		for (y = 0; y < ROWS; y++)
		{
			bool expected = true;

			for (j = 0; j < parts && expected; j++)
				expected = can_be(file, j, i, y);
			*wrong += expected != found[y];
		}
		*lost += !found[i];
		*grown += search->count > last[i];
		last[i] = search->count;
		limited = search->count;
		sdc_candidate_search_run(search, i, 1);
		*wrong += search->count != (limited < 2 ? limited : 2);
	}
}

static void
check_swapped(uint64_t seed, int strata, int values)
{
	static Masked file;
	static SdcCandidateSet set[COLUMNS];
	const SdcCandidateSet *part[COLUMNS];
	int last[ROWS];
	int wrong = 0;
	int lost = 0;
	int grown = 0;
	int i;
	int j;

	make_file(&file, seed, strata, values);
	for (i = 0; i < ROWS; i++)
		last[i] = ROWS;
	for (j = 0; j < COLUMNS; j++)
	{
		make_set(&file, j, &set[j]);
		part[j] = &set[j];
		compare_search(&file, part, j + 1, &wrong, &lost, &grown, last);
		for (i = 0; i < ROWS; i++)
			wrong += !sdc_candidate_set_has(&set[j], i, i);
	}
	unit_check(wrong == 0, "%d strata, %d values: %d pairs differ", strata,
			   values, wrong);
	unit_check(lost == 0, "%d strata, %d values: the own record is inside",
			   strata, values);
	unit_check(grown == 0,
			   "%d strata, %d values: more columns, no more "
			   "candidates",
			   strata, values);
}

static void
check_ranges(void)
{
	const uint64_t key[] = {
		sdc_candidate_key(0, 3),       sdc_candidate_key(1, 2),
		sdc_candidate_key(1, 5),       sdc_candidate_key(1, 5),
		sdc_candidate_key(1, 9),       sdc_candidate_key(1, MISSING),
		sdc_candidate_key(2, MISSING),
	};
	const SdcCandidateKeys keys = {7, key};
	SdcCandidateRank rank =
		sdc_candidate_range_rank(&keys, sdc_candidate_key(1, 5));
	SdcCandidateRange range;

	unit_check(rank.values == 4 && rank.low == 1 && rank.high == 2,
			   "ranks of a tie");
	rank = sdc_candidate_range_rank(&keys, sdc_candidate_key(1, 6));
	unit_check(rank.values == 4 && rank.low == 3 && rank.high == 2,
			   "rank of a value that nobody has");
	range = sdc_candidate_range_swap(&keys, sdc_candidate_key(1, 6), 50);
	unit_check(range.low > range.high, "it can have become nothing");
	range = sdc_candidate_range_swap(&keys, sdc_candidate_key(1, 2), 25);
	unit_check(range.low == key[1] && range.high == key[2], "one rank up");
	range = sdc_candidate_range_swap(&keys, key[6], 100);
	unit_check(range.low == key[6] && range.high == key[6],
			   "a missing value stays");
	range = sdc_candidate_range_adjacent(&keys, 1, 5, 6);
	unit_check(range.low == key[1] && range.high == key[4],
			   "neighbours below and above");
	range = sdc_candidate_range_adjacent(&keys, 1, 2, 2);
	unit_check((uint32_t) range.low == 0 && range.high == key[1],
			   "nothing is below the smallest");
	range = sdc_candidate_range_adjacent(&keys, 2, 2, 2);
	unit_check(range.low > range.high, "a stratum without values");
	range = sdc_candidate_range_adjacent(&keys, 7, 2, 2);
	unit_check(range.low > range.high, "no such stratum");
}

/* Two ranges, overlapping or not, and a search that changes its part. */
static void
check_two_ranges(void)
{
	const uint64_t value[6] = {1, 1, 2, 3, 3, MISSING};
	const uint64_t other[6] = {7, 8, 8, 8, 8, 8};
	SdcCandidateSet set[2];
	const SdcCandidateSet *part[2] = {&set[0], &set[1]};
	SdcCandidateKeys sorted;
	SdcCandidateSearch *search;
	int i;

	sdc_candidate_set_sort(unit_host(), value, 6, &set[0], &sorted);
	sdc_candidate_set_begin(unit_host(), &set[0], 3);
	sdc_candidate_set_put(&set[0], &sorted, 0, sdc_candidate_range_one(3),
						  sdc_candidate_range_one(MISSING));
	sdc_candidate_set_put(&set[0], &sorted, 1, (SdcCandidateRange){1, 2},
						  (SdcCandidateRange){2, 3});
	sdc_candidate_set_put(&set[0], &sorted, 2, sdc_candidate_range_all(),
						  sdc_candidate_range_one(2));
	unit_check(sdc_candidate_set_size(&set[0], 0) == 3, "two ranges");
	unit_check(sdc_candidate_set_size(&set[0], 1) == 5, "overlapping ranges");
	unit_check(sdc_candidate_set_size(&set[0], 2) == 6, "everything");
	sdc_candidate_set_sort(unit_host(), other, 6, &set[1], &sorted);
	sdc_candidate_set_begin(unit_host(), &set[1], 3);
	for (i = 0; i < 3; i++)
		sdc_candidate_set_put(&set[1], &sorted, i,
							  sdc_candidate_range_one(i == 1 ? 7 : 8),
							  sdc_candidate_range_none());
	search = sdc_candidate_search_create(unit_host(), 2, part, 6);
	sdc_candidate_search_run(search, 0, 6);
	unit_check(search->count == 3, "both ranges are searched");
	sdc_candidate_search_run(search, 1, 6);
	unit_check(search->count == 1 && search->row[0] == 0, "one in both sets");
	search = sdc_candidate_search_create(unit_host(), 0, part, 6);
	sdc_candidate_search_run(search, 0, 6);
	unit_check(search->count == 6, "no part excludes anybody");
}

/* A large file, so that chunks and the change of the part are used. */
static void
check_large(void)
{
	const int32_t n = 20000;
	uint64_t *key = malloc(n * sizeof(uint64_t));
	SdcCandidateSet set[4];
	const SdcCandidateSet *part[4];
	SdcCandidateKeys sorted;
	SdcCandidateSearch *search;
	SdcRandom random;
	int wrong = 0;
	int32_t i;
	int32_t y;
	int j;

	sdc_random_seed(&random, 5, 5);
	for (j = 0; j < 4; j++)
	{
		for (i = 0; i < n; i++)
			key[i] = sdc_random_below(&random, 1000);
		sdc_candidate_set_sort(unit_host(), key, n, &set[j], &sorted);
		sdc_candidate_set_begin(unit_host(), &set[j], 40);
		for (i = 0; i < 40; i++)
			sdc_candidate_set_put(
				&set[j], &sorted, i,
				(SdcCandidateRange){i * 10, i * 10 + (j == i % 5 ? 9 : 350)},
				(SdcCandidateRange){900, 950});
		part[j] = &set[j];
	}
	search = sdc_candidate_search_create(unit_host(), 4, part, n);
	for (i = 0; i < 40; i += unit_sparing() ? 7 : 1)
	{
		int32_t expected = 0;

		sdc_candidate_search_run(search, i, n);
		for (y = 0; y < n; y++)
		{
			bool in = true;

			for (j = 0; j < 4; j++)
				in = in && sdc_candidate_set_has(&set[j], i, y);
			expected += in;
		}
		wrong += expected != search->count;
		for (y = 0; y < search->count; y++)
			for (j = 0; j < 4; j++)
				wrong += !sdc_candidate_set_has(&set[j], i, search->row[y]);
	}
	unit_check(wrong == 0, "20000 records, 4 parts of 2 ranges");
	free(key);
}

/* Three swapped columns of n records: looks of each, and wrong answers. */
static double
count_looks(int32_t n, int *wrong)
{
	uint64_t *key = malloc(sizeof(uint64_t) * (size_t) n);
	SdcCandidateSet set[3];
	SdcCandidateKeys sorted;
	const SdcCandidateSet *part[3];
	SdcCandidateSearch *search;
	SdcRandom random;
	double looks = 0;
	int32_t i;
	int32_t k;
	int j;

	sdc_random_seed(&random, 11, 5);
	for (j = 0; j < 3; j++)
	{
		for (i = 0; i < n; i++)
			key[i] = sdc_candidate_key(
				0, (uint32_t) sdc_random_below(&random, 1000000));
		sdc_candidate_set_sort(unit_host(), key, n, &set[j], &sorted);
		sdc_candidate_set_begin(unit_host(), &set[j], n);
		for (i = 0; i < n; i++)
			sdc_candidate_set_put(&set[j], &sorted, i,
								  sdc_candidate_range_swap(&sorted, key[i], 3),
								  sdc_candidate_range_none());
		part[j] = &set[j];
	}
	search = sdc_candidate_search_create(unit_host(), 3, part, n);
	for (i = 0; i < n; i += n / 200)
	{
		int32_t expected = 0;

		search->looked = 0;
		sdc_candidate_search_run(search, i, n);
		looks += (double) search->looked / 200;
		for (k = 0; k < n; k++)
			expected += sdc_candidate_set_has(&set[0], i, k) &&
						sdc_candidate_set_has(&set[1], i, k) &&
						sdc_candidate_set_has(&set[2], i, k);
		*wrong += expected != search->count;
		for (k = 0; k < search->count; k++)
			for (j = 0; j < 3; j++)
				*wrong += !sdc_candidate_set_has(&set[j], i, search->row[k]);
	}
	free(key);
	unit_release_all();
	return looks;
}

/* Windows of some percent: four times the records, fewer times the looks. */
static void
check_looks(void)
{
	int wrong = 0;
	double few = count_looks(20000, &wrong);
	double many = count_looks(80000, &wrong);

	unit_check(wrong == 0, "boxes find what the sets hold");
	unit_check(many < 2.6 * few && many < 0.06 * 80000 / 2,
			   "%.0f looks of 20000 records, %.0f of 80000", few, many);
}

static void
check_scores(void)
{
	double original[1] = {1};
	double masked[4] = {1, 3, NAN, 0};
	double scale[1] = {2};
	double share[4] = {0.5, 0.25, 0.25, 0.5};
	double *originals[1] = {original};
	double *maskeds[1] = {masked};
	double divisor[1] = {4};
	const int32_t row[4] = {0, 1, 2, 3};
	double squared[4];
	double deviance[4];
	double cost[4];
	SdcCandidateWeight weight = {SDC_CANDIDATE_GAUSSIAN, original, masked,
								 scale, share};
	SdcCandidateScore score = {1, originals, maskeds, divisor, 1, &weight};

	sdc_candidate_score_run(&score, 0, row, 4, squared, deviance, cost);
	unit_check(squared[1] == 4 && squared[2] == 2 && squared[3] == 1,
			   "squared distances");
	unit_check(deviance[1] == 1 && deviance[2] == 0, "normal deviance");
	unit_check(cost[1] == 2 && cost[2] == 0.5, "cost");
	weight.law = SDC_CANDIDATE_LAPLACE;
	sdc_candidate_score_run(&score, 0, row, 4, squared, deviance, cost);
	unit_check(fabs(deviance[1] - 2 * sqrt(2)) < 1e-15, "Laplace deviance");
	weight.law = SDC_CANDIDATE_BUCKETS;
	sdc_candidate_score_run(&score, 0, row, 4, squared, deviance, cost);
	unit_check(fabs(exp(-deviance[1] / 2) - 0.25) < 1e-15, "two buckets");
	weight.law = SDC_CANDIDATE_RANKS;
	sdc_candidate_score_run(&score, 0, row, 4, squared, deviance, cost);
	unit_check(deviance[3] == 0 && deviance[0] == 1 && deviance[1] == 1,
			   "half the window is most likely");
	weight.law = SDC_CANDIDATE_RETENTION;
	scale[0] = 0.8;
	sdc_candidate_score_run(&score, 0, row, 4, squared, deviance, cost);
	unit_check(fabs(exp(-deviance[0] / 2) - 0.9) < 1e-15 &&
				   fabs(exp(-deviance[1] / 2) - 0.05) < 1e-15,
			   "retention");
	weight.law = SDC_CANDIDATE_ROUNDING;
	masked[1] = 1.25;
	sdc_candidate_score_run(&score, 0, row, 4, squared, deviance, cost);
	unit_check(fabs(exp(-deviance[1] / 2) - 0.75) < 1e-15, "rounding");
	masked[1] = 3;
	unit_check(fabs(sdc_candidate_score_spread(unit_host(), NULL, original, 1,
											   masked, 4) -
					5.0 / 3) < 1e-15,
			   "spread over all pairs");
}

int
main(void)
{
	unit_start("candidate_set");
	check_ranges();
	check_two_ranges();
	check_swapped(1, 1, 400);
	check_swapped(2, 1, 30);
	check_swapped(3, 4, 200);
	check_swapped(4, 3, 1);
	check_large();
	check_looks();
	check_scores();
	unit_release_all();
	return unit_finish();
}
