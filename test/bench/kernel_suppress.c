/*
 * kernel_suppress.c
 *		Speed of local suppression.
 *
 * Each figure covers what the kernel does to a frequency table in memory: who
 * lacks others, what is suppressed, or the check of the result.  The remark
 * tells how many values go and how many records lacked others: about as many
 * values go where one is taken out of each of these.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/suppress.h"
#include "kernel/table/frequency.h"

#define KEYS  8
#define KINDS 20000

/* Values of sex, age, race, ... as in a census. */
static const int32_t values[KEYS + 1] = {2, 73, 5, 7, 16, 41, 7, 14, 10};

/* Keys skewed towards their first values. */
static void
draw_record(SdcRandom *random, int32_t *code)
{
	int j;

	for (j = 0; j <= KEYS; j++)
		code[j] = (int32_t) (pow(sdc_random_unit(random), 2.5) * values[j]);
}

/*
 * Records of as many kinds as a sample has, of which a third differ from
 * their kind in up to two keys.
 */
static SdcFrequency *
make_table(int32_t rows, int columns, int nulls)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(bench_host(), columns, false);
	int32_t(*kind)[KEYS + 1] = malloc(sizeof(*kind) * KINDS);
	SdcRandom random;
	int32_t i;
	int j;

	sdc_random_seed(&random, 3, (uint64_t) rows);
	for (i = 0; i < KINDS; i++)
		draw_record(&random, kind[i]);
	for (i = 0; i < rows; i++)
	{
		int32_t code[KEYS + 1];
		int32_t other[KEYS + 1];

		memcpy(code, kind[sdc_random_below(&random, KINDS)], sizeof(code));
		draw_record(&random, other);
		for (j = 0; j < 2 && sdc_random_below(&random, 10) < 3; j++)
		{
			uint64_t key = sdc_random_below(&random, KEYS);

			code[key] = other[key];
		}
		code[KEYS] = other[KEYS];
		for (j = 0; j < KEYS; j++)
			if ((int) sdc_random_below(&random, 1000) < nulls)
				code[j] = SDC_CODE_NULL;
		sdc_frequency_add(counting, code, 1, 1);
	}
	free(kind);
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

static void
measure(const char *what, int32_t rows, int columns, int nulls,
		SdcSuppressRequest request)
{
	SdcHost *host = bench_host();
	SdcFrequency *table = make_table(rows, columns, nulls);
	SdcClasses *classes = sdc_frequency_classes(host, table, KEYS);
	SdcSuppression *plan;
	int64_t violators;
	double seconds;

	request.keys = KEYS;
	seconds = bench_start();
	violators = sdc_suppress_violations(host, table, &request);
	seconds = bench_stop(seconds);
	bench_line("suppress", "who lacks others", (size_t) rows, KEYS, seconds,
			   "%lld of %ld classes", (long long) violators,
			   (long) classes->classes);
	seconds = bench_start();
	plan = sdc_suppress_plan(host, table, classes, &request);
	seconds = bench_stop(seconds);
	bench_line("suppress", what, (size_t) rows, KEYS, seconds,
			   "%lld values in %lld records", (long long) plan->values,
			   (long long) plan->records);
	host->release(host, plan->step);
	host->release(host, plan);
	sdc_classes_release(host, classes);
	sdc_frequency_release(host, table);
}

int
main(void)
{
	SdcSuppressRequest request = {.k = 5, .l = 1, .wildcard = true};
	SdcClassRequest models;

	measure("wildcard k 5", 1000000, KEYS, 0, request);
	measure("wildcard k 5 1 % NULL", 1000000, KEYS, 10, request);
	request.k = 50;
	measure("wildcard k 50", 1000000, KEYS, 0, request);
	request.k = 5;
	request.l = 3;
	measure("wildcard k 5 l 3", 1000000, KEYS + 1, 0, request);
	request.wildcard = false;
	measure("category k 5 l 3", 1000000, KEYS + 1, 0, request);
	request.l = 1;
	models = sdc_class_measures_request();
	models.wanted = SDC_CLASS_WANT(SDC_CLASS_T_EQUAL);
	models.bound[SDC_CLASS_T_EQUAL] = 0.4;
	request.models = &models;
	measure("category k 5 t .4", 1000000, KEYS + 1, 0, request);
	request.models = NULL;
	measure("category k 5", 1000000, KEYS, 0, request);
	request.k = 50;
	measure("category k 50", 1000000, KEYS, 0, request);
	return 0;
}
