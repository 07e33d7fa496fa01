/*
 * kernel_suda2.c
 *		Speed of SUDA2.
 *
 * Each figure covers what the kernel does to a frequency table in memory: all
 * minimal sample uniques, scores and contributions.  The reference goes
 * through all sets of keys by size: it sorts the records by their values in
 * the set, takes who is alone, and looks through the minimal sample uniques
 * that the record already has.  The remark gives how many times slower that
 * was, and how many minimal sample uniques both found.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/risk/suda2.h"
#include "kernel/table/frequency.h"

#define MOST_KEYS 12

/* Values of sex, marital status, ... as in a census. */
static const int32_t values[MOST_KEYS] = {2,  5,  8,  16, 14, 50,
										  75, 20, 41, 2,  3,  6};

/* Keys skewed towards their first values, as in practice. */
static SdcFrequency *
make_table(int32_t rows, int keys)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(bench_host(), keys, false);
	int32_t code[MOST_KEYS];
	SdcRandom random;
	int32_t i;
	int j;

	sdc_random_seed(&random, 1, (uint64_t) rows);
	for (i = 0; i < rows; i++)
	{
		for (j = 0; j < keys; j++)
			code[j] =
				(int32_t) (pow(sdc_random_unit(&random), 1.7) * values[j]);
		sdc_frequency_add(counting, code, 1, 1);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

/* ---------- the reference ---------- */

typedef struct Record
{
	uint64_t *sets; /* its minimal sample uniques */
	int count;
} Record;

static bool
contains_any(const Record *record, uint64_t set)
{
	int i;

	for (i = 0; i < record->count; i++)
		if ((record->sets[i] & ~set) == 0)
			return true;
	return false;
}

/* Codes of a set of keys side by side in a word. */
static uint64_t
pack(const SdcFrequency *frequency, uint64_t set, int32_t cell)
{
	uint64_t packed = 0;
	int j;

	for (j = 0; j < frequency->columns; j++)
		if (set >> j & 1)
			packed = packed * (uint64_t) frequency->values[j] +
					 (uint64_t) frequency->code[j][cell];
	return packed;
}

static double
reference_set(const SdcFrequency *frequency, uint64_t set, uint64_t *key,
			  int32_t *cell, Record *record, int64_t *msus)
{
	double weight = tgamma(frequency->columns - __builtin_popcountll(set) + 1);
	double total = 0;
	int32_t n = frequency->cells;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		key[i] = pack(frequency, set, i);
		cell[i] = i;
	}
	sdc_sort_keys(bench_host(), key, cell, n);
	for (i = 0; i < n; i++)
	{
		Record *r = &record[cell[i]];

		if ((i > 0 && key[i] == key[i - 1]) ||
			(i + 1 < n && key[i] == key[i + 1]) ||
			frequency->count[cell[i]] > 1 || contains_any(r, set))
			continue;
		if ((r->count & (r->count - 1)) == 0)
			r->sets = realloc(r->sets, sizeof(uint64_t) *
										   (r->count > 0 ? 2 * r->count : 1));
		r->sets[r->count++] = set;
		(*msus)++;
		total += weight;
	}
	return total;
}

static double
reference(const SdcFrequency *frequency, int max_size, int64_t *msus)
{
	size_t n = (size_t) frequency->cells;
	uint64_t *key = malloc(n * sizeof(uint64_t));
	int32_t *cell = malloc(n * sizeof(int32_t));
	Record *record = calloc(n, sizeof(Record));
	double total = 0;
	uint64_t set;
	size_t i;
	int size;

	*msus = 0;
	for (size = 1; size <= max_size; size++)
		for (set = 1; set < UINT64_C(1) << frequency->columns; set++)
			if (__builtin_popcountll(set) == size)
				total +=
					reference_set(frequency, set, key, cell, record, msus);
	for (i = 0; i < n; i++)
		free(record[i].sets);
	free(record);
	free(cell);
	free(key);
	return total;
}

/* ---------- measuring ---------- */

static void
measure(int32_t rows, int keys, int max_size, bool compare)
{
	SdcFrequency *frequency = make_table(rows, keys);
	SdcSuda2Options options = {max_size, SDC_SUDA2_FACTORIAL,
							   SDC_NULLS_CATEGORY, 0};
	char what[100];
	char remark[100] = "";
	int64_t msus = 0;
	int64_t expected;
	double slow = 0;
	double total = 0;
	double seconds;
	double start;
	SdcSuda2 *suda;
	int s;

	if (compare)
	{
		start = bench_start();
		total = reference(frequency, max_size, &expected);
		slow = bench_stop(start);
	}
	start = bench_start();
	suda = sdc_suda2_find(bench_host(), frequency, &options);
	seconds = bench_stop(start);
	for (s = 1; s <= keys; s++)
		msus += suda->of_size[s];
	if (compare &&
		(msus != expected || fabs(total - suda->total) > 1e-9 * total))
		printf("suda2: the reference found something else\n");
	if (compare)
		snprintf(remark, sizeof(remark), "; reference %.1f times",
				 slow / seconds);
	snprintf(what, sizeof(what), "up to %d keys", max_size);
	bench_line("suda2", what, (size_t) rows, keys, seconds, "%.1f M MSU%s",
			   (double) msus / 1e6, remark);
	sdc_frequency_release(bench_host(), frequency);
}

int
main(void)
{
	measure(100000, 8, 8, true);
	measure(100000, 8, 3, true);
	measure(1000000, 7, 7, true);
	measure(1000000, 7, 3, true);
	measure(100000, 12, 12, true);
	measure(100000, 12, 4, true);
	return 0;
}
