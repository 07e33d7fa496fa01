/*
 * local_recoding_adult.c
 *		Local recoding of the adult data set against that of ARX.
 *
 * The reference holds the granularity that ARX reached with nothing
 * suppressed, and that of full-domain recoding, which checks that the two mean
 * the same by the word.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "adult_data.h"
#include "kernel/generalization/local_recoding.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

#define KEYS 8

static const int keys[KEYS + 1] = {SEX,       AGE,
								   RACE,      MARITAL_STATUS,
								   EDUCATION, NATIVE_COUNTRY,
								   WORKCLASS, SALARY_CLASS,
								   OCCUPATION};

typedef struct Adult
{
	AdultData *data;
	double part[KEYS][ADULT_LEVELS][ADULT_VALUES];
	double *share[KEYS][ADULT_LEVELS];
	SdcRecodingKey key[KEYS];
	SdcFrequency *table;
	SdcClasses *classes;
} Adult;

static void
prepare(Adult *adult)
{
	int32_t v;
	int level;
	int j;

	memset(adult->part, 0, sizeof(adult->part));
	for (j = 0; j < KEYS; j++)
	{
		AdultColumn *column = &adult->data->column[keys[j]];

		for (level = 0; level < column->hierarchy.levels; level++)
		{
			adult->share[j][level] = adult->part[j][level];
			for (v = 0; v < column->hierarchy.values; v++)
				adult->part[j][level][column->group[level][v]] +=
					1.0 / column->hierarchy.values;
		}
		adult->key[j].hierarchy = &column->hierarchy;
		adult->key[j].share = adult->share[j];
		adult->key[j].weight = 1;
	}
}

/*
 * The granularity of levels, and the records and classes below k, found by
 * counting what each tuple looks like.
 */
static double
release(const Adult *adult, const uint8_t *level, bool same, int64_t k,
		int64_t *below, int32_t *classes)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), 2 * KEYS, false);
	int32_t values[2 * KEYS];
	SdcFrequency *seen;
	double cost = 0;
	double least = 0;
	int32_t t;
	int j;

	for (t = 0; t < adult->classes->classes; t++)
	{
		int32_t code[2 * KEYS];

		for (j = 0; j < KEYS; j++)
		{
			const AdultColumn *column = &adult->data->column[keys[j]];
			int32_t value = adult->table->code[j][adult->classes->first[t]];
			int height = level[(same ? 0 : t * KEYS) + j];
			double size = (double) adult->classes->size[t];

			code[2 * j] = height;
			code[2 * j + 1] = column->group[height][value];
			values[2 * j] = values[2 * j + 1] = ADULT_VALUES;
			cost += size * adult->part[j][height][code[2 * j + 1]];
			least += size / column->hierarchy.values;
		}
		sdc_frequency_add(counting, code, adult->classes->size[t], 1);
	}
	seen = sdc_frequency_finish(counting, NULL, values, NULL);
	*below = 0;
	for (t = 0; t < seen->cells; t++)
		*below += seen->count[t] < k ? seen->count[t] : 0;
	*classes = seen->cells;
	return 1 - (cost - least) / (KEYS * (double) ADULT_ROWS - least);
}

static double
reference_granularity(const char *id)
{
	AdultTable reference;
	double found = NAN;

	adult_table_open(&reference, "adult_local_recoding.csv");
	while (adult_table_next(&reference))
		if (strcmp(adult_table_text(&reference, "id"), id) == 0)
			found = adult_table_number(&reference, "granularity_arith");
	return found;
}

static void
check_definition(const Adult *adult)
{
	static const uint8_t node[KEYS] = {0, 4, 1, 1, 3, 2, 0, 0};
	int64_t below;
	int32_t classes;
	double found = release(adult, node, true, 2, &below, &classes);

	unit_check(fabs(found - reference_granularity("q8_k2_s0_global")) <
					   1e-12 &&
				   below == 0 && classes == 52,
			   "full-domain recoding at k = 2: granularity %.12f", found);
}

static void
check_k(const Adult *adult, int64_t k)
{
	SdcLocalRecodingRequest request = sdc_local_recoding_request();
	SdcLocalRecoding *local;
	double granularity;
	double peer;
	int64_t below;
	int32_t classes;
	char id[64];

	request.k = k;
	local = sdc_local_recoding(unit_host(), adult->table, adult->classes,
							   adult->key, KEYS, &request);
	granularity = release(adult, local->level, false, k, &below, &classes);
	unit_check(below == 0 && classes == local->classes &&
				   fabs(granularity - local->granularity) < 1e-12,
			   "k = %d: %d classes, %d records in smaller ones", (int) k,
			   (int) classes, (int) below);
	snprintf(id, sizeof(id), "q8_k%d_s1.0_gs0_localfast0.01", (int) k);
	peer = reference_granularity(id);
	unit_check(granularity > peer, "k = %d: granularity %.6f above ARX's %.6f",
			   (int) k, granularity, peer);
}

/* Bounds on occupation: every class is measured anew. */
static void
check_sensitive(const AdultData *data, Adult *adult)
{
	SdcLocalRecodingRequest request = sdc_local_recoding_request();
	SdcClassRequest sensitive = sdc_class_measures_request();
	SdcLocalRecoding *local;
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	SdcFrequency *seen;
	SdcClassReport report;
	int32_t values[2] = {0, data->column[OCCUPATION].hierarchy.values};
	int32_t t;
	int32_t cell;

	adult->table = adult_count(data, keys, KEYS + 1, 1, 1);
	adult->classes = sdc_frequency_classes(unit_host(), adult->table, KEYS);
	sensitive.wanted =
		SDC_CLASS_WANT(SDC_CLASS_ENTROPY) | SDC_CLASS_WANT(SDC_CLASS_T_EQUAL);
	sensitive.bound[SDC_CLASS_ENTROPY] = 3;
	sensitive.bound[SDC_CLASS_T_EQUAL] = 0.4;
	request.k = 5;
	request.sensitive = &sensitive;
	local = sdc_local_recoding(unit_host(), adult->table, adult->classes,
							   adult->key, KEYS, &request);
	values[0] = local->classes;
	for (t = 0; t < local->tuples; t++)
		for (cell = adult->classes->first[t];
			 cell < adult->classes->first[t + 1]; cell++)
		{
			int32_t code[2] = {local->number[t],
							   adult->table->code[KEYS][cell]};

			sdc_frequency_add(counting, code, adult->table->count[cell], 1);
		}
	seen = sdc_frequency_finish(counting, NULL, values, NULL);
	sensitive.k = 5;
	sdc_class_measures_walk(
		unit_host(), sdc_class_measures_start(unit_host(), seen, &sensitive),
		seen, sdc_frequency_classes(unit_host(), seen, 1), &report);
	unit_check(report.failing_classes == 0 && local->granularity > 0.5,
			   "entropy 3, t 0.4, k 5: granularity %.6f, %d classes",
			   local->granularity, (int) local->classes);
}

int
main(void)
{
	static Adult adult;

	unit_start("local_recoding_adult");
	adult.data = adult_read();
	prepare(&adult);
	adult.table = adult_count(adult.data, keys, KEYS, 1, 1);
	adult.classes = sdc_frequency_classes(unit_host(), adult.table, KEYS);
	check_definition(&adult);
	check_k(&adult, 2);
	check_k(&adult, 5);
	check_k(&adult, 10);
	check_k(&adult, 100);
	check_sensitive(adult.data, &adult);
	free(adult.data);
	return unit_finish();
}
