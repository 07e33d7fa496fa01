/*
 * intruder_files.h
 *		Files for the intruder: correlated columns, masked by the kernels.
 */
#ifndef SDC_TEST_UNIT_INTRUDER_FILES_H
#define SDC_TEST_UNIT_INTRUDER_FILES_H

#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"
#include "kernel/intruder/law.h"

#include <math.h>
#include <stdlib.h>

/* The chance that the value of rank i comes from one of low .. high. */
static inline double
law_mass(const SdcRankLaw *law, int32_t i, int32_t low, int32_t high)
{
	int32_t row = sdc_rank_law_row(law, i);

	return sdc_rank_law_below(law, row, high - i) -
		   sdc_rank_law_below(law, row, low - 1 - i);
}

/* A column of codes that is correlated with the others of the same common. */
static inline int32_t *
draw_codes(SdcRandom *random, const double *common, int32_t n, double step)
{
	int32_t *code = sdc_new(unit_host(), int32_t, n);
	int32_t i;

	for (i = 0; i < n; i++)
	{
		double x = 0.7 * common[i] + 0.7 * sdc_random_normal(random);

		code[i] = (int32_t) fmin(fmax(0, (x + 5) / step), 10 / step);
	}
	return code;
}

static inline double *
draw_common(SdcRandom *random, int32_t n)
{
	double *common = sdc_new(unit_host(), double, n);
	int32_t i;

	for (i = 0; i < n; i++)
		common[i] = sdc_random_normal(random);
	return common;
}

/* Swaps a column of codes, ties in an order drawn at random. */
static inline int32_t *
swap_codes(SdcRandom *random, const int32_t *code, int32_t n,
		   SdcRankSwapMethod method, double p)
{
	uint64_t *key = sdc_new(unit_host(), uint64_t, n);
	int32_t *row = sdc_new(unit_host(), int32_t, n);
	int32_t *from = sdc_new(unit_host(), int32_t, n);
	int32_t *swapped = sdc_new(unit_host(), int32_t, n);
	int32_t i;

	sdc_rank_shuffle(unit_host(), n, random, row);
	for (i = 0; i < n; i++)
		key[i] = (uint64_t) code[row[i]];
	sdc_sort_keys(unit_host(), key, row, (size_t) n);
	sdc_rank_swap(unit_host(), method, n, sdc_rank_swap_window(p, n), random,
				  from);
	for (i = 0; i < n; i++)
		swapped[row[i]] = code[row[from[i]]];
	return swapped;
}

/* Codes as keys of one stratum; -1 is not known. */
static inline uint64_t *
codes_to_keys(const int32_t *code, int32_t n)
{
	uint64_t *key = sdc_new(unit_host(), uint64_t, n);
	int32_t i;

	for (i = 0; i < n; i++)
		key[i] = code[i] < 0 ? SDC_INTRUDER_UNKNOWN
							 : sdc_intruder_key(0, (uint32_t) code[i]);
	return key;
}

/* Searches; blocks backwards or forwards. */
static inline SdcIntruderCandidates *
run_search(SdcIntruder *intruder, const SdcIntruderSearch *search,
		   bool backwards)
{
	void *task = unit_host()->alloc(
		unit_host(), sdc_intruder_task_size(intruder, search), 1);
	uint64_t blocks;
	uint64_t k;
	SdcIntruderCandidates *found;

	sdc_intruder_task_fill(intruder, search, task);
	blocks = sdc_intruder_task_blocks(task);
	for (k = 0; k < blocks; k++)
		sdc_intruder_task_work(unit_host(), task,
							   backwards ? blocks - 1 - k : k);
	found = sdc_intruder_candidates(unit_host(), task);
	unit_host()->release(unit_host(), task);
	return found;
}

static inline SdcIntruderCandidates *
search_all(SdcIntruder *intruder, const int32_t *who, int32_t count,
		   int32_t room, double depth, bool backwards)
{
	SdcIntruderSearch search = {.who = who,
								.count = count,
								.room = room,
								.depth = depth,
								.share = depth < 1e9 ? SDC_INTRUDER_SHARE : 0};

	return run_search(intruder, &search, backwards);
}

/* Weighs the lists by the exchanges of rank swapping. */
static inline void
use_exchanges(SdcIntruder *intruder, SdcIntruderNamed *named,
			  SdcIntruderCandidates *found)
{
	void *memory = unit_host()->alloc(
		unit_host(), sdc_intruder_exchange_size(intruder, found), 1);
	uint64_t first;
	uint64_t block;

	sdc_intruder_exchange_fill(intruder, found, INT64_C(200000000), memory);
	first = sdc_intruder_exchange_first(memory);
	for (block = first; block > 0; block--)
		sdc_intruder_exchange_work(unit_host(), memory, block - 1);
	for (block = sdc_intruder_exchange_blocks(memory); block > first; block--)
		sdc_intruder_exchange_work(unit_host(), memory, block - 1);
	sdc_intruder_exchange_take(unit_host(), memory, named, found);
	unit_host()->release(unit_host(), memory);
}

#endif
