/*
 * kernel_local_recoding.c
 *		Local recoding of the adult data set beside ARX.
 *
 * Each figure covers what the kernel does to a frequency table in memory.  The
 * remark gives the granularity reached with nothing suppressed, and what the
 * reference says of ARX: its granularity and its CPU seconds, of a warm
 * virtual machine on another day.  Larger tables are made of adult: a share of
 * the values is replaced by that of the next record.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adult_data.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/local_recoding.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/table/frequency.h"

#define MOST_KEYS 9

static const int keys[MOST_KEYS] = {SEX,       AGE,
									RACE,      MARITAL_STATUS,
									EDUCATION, NATIVE_COUNTRY,
									WORKCLASS, SALARY_CLASS,
									OCCUPATION};

/* What ARX reached: granularity and CPU seconds (shared/reference/arx). */
typedef struct Peer
{
	int k;
	double granularity[2]; /* of 8 and of 9 keys */
	double seconds[2];
} Peer;

static const Peer peers[] = {{2, {0.979, 0.966}, {0.45, 1.0}},
							 {5, {0.962, 0.932}, {0.64, 3.1}},
							 {10, {0.944, 0.905}, {0.99, 5.1}},
							 {100, {0.848, 0.778}, {2.8, 14.9}}};

/* What adult_data.h asks for. */
SdcHost *
unit_host(void)
{
	return bench_host();
}

static double *share[MOST_KEYS][ADULT_LEVELS];

static void
make_keys(AdultData *data, SdcRecodingKey *key)
{
	int32_t v;
	int level;
	int j;

	for (j = 0; j < MOST_KEYS; j++)
	{
		AdultColumn *column = &data->column[keys[j]];

		for (level = 0; level < column->hierarchy.levels; level++)
		{
			share[j][level] = calloc(ADULT_VALUES, sizeof(double));
			for (v = 0; v < column->hierarchy.values; v++)
				share[j][level][column->group[level][v]] +=
					1.0 / column->hierarchy.values;
		}
		key[j].hierarchy = &column->hierarchy;
		key[j].share = share[j];
		key[j].weight = 1;
	}
}

/* That many times adult; one value in ten is another record's. */
static SdcFrequency *
enlarge(const AdultData *data, int columns, int times)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(bench_host(), columns, false);
	int32_t values[MOST_KEYS];
	SdcRandom random;
	int32_t row;
	int copy;
	int j;

	sdc_random_seed(&random, 1, 1);
	for (j = 0; j < columns; j++)
		values[j] = data->column[keys[j]].hierarchy.values;
	for (copy = 0; copy < times; copy++)
		for (row = 0; row < ADULT_ROWS; row++)
		{
			int32_t code[MOST_KEYS];

			for (j = 0; j < columns; j++)
			{
				bool other = copy > 0 && sdc_random_below(&random, 10) == 0;
				uint64_t from =
					other ? sdc_random_below(&random, ADULT_ROWS) : 0;

				code[j] = data->code[keys[j]][other ? (int32_t) from : row];
			}
			sdc_frequency_add(counting, code, 1, 1);
		}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

static void
run(const AdultData *data, const SdcRecodingKey *key, int columns, int times,
	const Peer *peer)
{
	SdcFrequency *table = enlarge(data, columns, times);
	SdcClasses *classes = sdc_frequency_classes(bench_host(), table, columns);
	SdcLocalRecodingRequest request = sdc_local_recoding_request();
	SdcLocalRecoding *local;
	char what[64];
	double start;
	double seconds;

	request.k = peer->k;
	start = bench_start();
	local = sdc_local_recoding(bench_host(), table, classes, key, columns,
							   &request);
	seconds = bench_stop(start);
	snprintf(what, sizeof(what), "k %d%s", peer->k,
			 times > 1 ? " (enlarged)" : "");
	if (times == 1)
		bench_line("local_recoding", what, ADULT_ROWS, columns, seconds,
				   "%d tuples %d classes granularity %.4f (ARX %.3f in %.2f "
				   "s)",
				   (int) local->tuples, (int) local->classes,
				   local->granularity, peer->granularity[columns - 8],
				   peer->seconds[columns - 8]);
	else
		bench_line("local_recoding", what, (size_t) table->records, columns,
				   seconds, "%d tuples %d classes granularity %.4f",
				   (int) local->tuples, (int) local->classes,
				   local->granularity);
}

int
main(int argc, char **argv)
{
	AdultData *data = adult_read();
	SdcRecodingKey key[MOST_KEYS];
	int i;

	make_keys(data, key);
	for (i = 0; i < 4; i++)
		run(data, key, 8, 1, &peers[i]);
	for (i = 0; i < 4; i++)
		run(data, key, 9, 1, &peers[i]);
	if (argc > 1 && strcmp(argv[1], "--large") == 0)
	{
		run(data, key, 8, 33, &peers[1]);
		run(data, key, 8, 33, &peers[3]);
	}
	free(data);
	return 0;
}
