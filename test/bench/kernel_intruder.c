/*
 * kernel_intruder.c
 *		Speed of the one intruder.
 *
 * Two files of correlated log-normal columns, the second rank-swapped
 * (classic).  A figure covers laws, boxes, all searches, the best one-to-one
 * assignment and belief; the remark splits it and says how many are found
 * and how many boxes and records were looked at for each person.
 *
 * A million records are measured with --large only.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/intruder/intruder.h"

#define COLUMNS 4

static SdcRandom random_state;

/* Ranks of normal columns with correlation 1/2, without ties. */
static void
make_ranks(int32_t rows, const double *common, uint64_t *rank)
{
	uint64_t *key = malloc(sizeof(uint64_t) * (size_t) rows);
	int32_t *row = malloc(sizeof(int32_t) * (size_t) rows);
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		key[i] = sdc_sort_key(common[i] + sdc_random_normal(&random_state));
		row[i] = i;
	}
	sdc_sort_keys(bench_host(), key, row, (size_t) rows);
	for (i = 0; i < rows; i++)
		rank[row[i]] = (uint64_t) i;
	free(key);
	free(row);
}

/* Adds the columns, each swapped by p percent; returns the seconds. */
static double
add_columns(SdcIntruder *intruder, int32_t rows, double p)
{
	double *common = malloc(sizeof(double) * (size_t) rows);
	uint64_t *person = malloc(sizeof(uint64_t) * (size_t) rows);
	uint64_t *record = malloc(sizeof(uint64_t) * (size_t) rows);
	int32_t *from = malloc(sizeof(int32_t) * (size_t) rows);
	double seconds = 0;
	int32_t i;
	int c;

	for (i = 0; i < rows; i++)
		common[i] = sdc_random_normal(&random_state);
	for (c = 0; c < COLUMNS; c++)
	{
		SdcIntruderSwap swap = {
			SDC_RANK_SWAP_CLASSIC, p, person, record, NULL, 0};
		double start;

		make_ranks(rows, common, person);
		sdc_rank_swap(bench_host(), swap.method, rows,
					  sdc_rank_swap_window(p, rows), &random_state, from);
		for (i = 0; i < rows; i++)
			record[i] = (uint64_t) from[person[i]];
		start = bench_cpu();
		sdc_intruder_add_rank_swap(intruder, &swap);
		seconds += bench_cpu() - start;
	}
	free(common);
	free(person);
	free(record);
	free(from);
	return seconds;
}

/* Works off a search; returns its lists. */
static SdcIntruderCandidates *
search(SdcIntruder *intruder, const SdcIntruderSearch *what)
{
	SdcHost *host = bench_host();
	void *task = host->alloc(host, sdc_intruder_task_size(intruder, what), 1);
	SdcIntruderCandidates *found;
	uint64_t block;

	sdc_intruder_task_fill(intruder, what, task);
	for (block = 0; block < sdc_intruder_task_blocks(task); block++)
		sdc_intruder_task_work(host, task, block);
	found = sdc_intruder_candidates(host, task);
	host->release(host, task);
	return found;
}

static void
measure(int32_t rows, double p, int32_t room)
{
	SdcHost *host = bench_host();
	SdcIntruder *intruder =
		sdc_intruder_create(host, rows, rows, SDC_INTRUDER_ERROR, 1);
	SdcIntruderSearch what = {NULL, rows, room, SDC_INTRUDER_DEPTH,
							  SDC_INTRUDER_SHARE};
	SdcIntruderPrior prior = {1, true, NULL, SDC_MATCH_BUDGET, 200};
	int32_t *truth = malloc(sizeof(int32_t) * (size_t) rows);
	SdcIntruderSuccess success;
	SdcIntruderCandidates *found;
	SdcIntruderAnswer *answer;
	char name[60];
	double start;
	double seconds[3];
	int32_t i;

	sdc_random_seed(&random_state, 1, (uint64_t) rows);
	start = bench_start();
	seconds[0] = add_columns(intruder, rows, p);
	seconds[1] = bench_cpu();
	found = search(intruder, &what);
	seconds[2] = bench_cpu();
	seconds[1] = seconds[2] - seconds[1];
	answer = sdc_intruder_answer(host, intruder, found, &prior);
	seconds[2] = bench_cpu() - seconds[2];
	bench_stop(start);
	for (i = 0; i < rows; i++)
		truth[i] = i;
	sdc_intruder_success(found, answer, truth, NULL, &success);
	snprintf(name, sizeof(name), "swap of %g percent", p);
	bench_line("intruder", name, (size_t) rows, COLUMNS,
			   seconds[0] + seconds[1] + seconds[2],
			   "laws %.2f candidates %.2f one to one and belief %.2f; %.1f "
			   "%% alone %.1f %% one to one %.1f %% belief; %.0f looks each",
			   seconds[0], seconds[1], seconds[2],
			   100.0 * success.right[SDC_INTRUDER_ALONE] / rows,
			   100.0 * success.right[SDC_INTRUDER_ONE_TO_ONE] / rows,
			   100.0 * success.right[SDC_INTRUDER_BELIEF] / rows,
			   (double) found->looks / rows);
	sdc_intruder_answer_release(host, answer);
	sdc_intruder_candidates_release(host, found);
	sdc_intruder_release(intruder);
	free(truth);
}

int
main(int argc, char **argv)
{
	bool large = argc > 1 && strcmp(argv[1], "--large") == 0;
	bool small = argc > 1 && strcmp(argv[1], "--small") == 0;

	measure(10000, 1, 64);
	measure(10000, 5, 64);
	if (!small)
	{
		measure(100000, 1, 64);
		measure(100000, 5, 64);
	}
	if (large)
	{
		measure(1000000, 1, 16);
		measure(1000000, 5, 64);
	}
	return 0;
}
