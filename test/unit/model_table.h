/*
 * model_table.h
 *		Small tables for the tests of the models.
 *
 * The inpatients of Machanavajjhala et al. are those of the worked examples:
 * zip code without its last digit, age band, disease.
 */
#ifndef SDC_TEST_UNIT_MODEL_TABLE_H
#define SDC_TEST_UNIT_MODEL_TABLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/model/model.h"

#define INPATIENTS 12

/* 1305, 1306, 1485 */
static const int32_t inpatient_zip[INPATIENTS] = {0, 1, 1, 0, 2, 2,
												  2, 2, 0, 0, 1, 1};
/* below 30, 30 to 39, 40 and above */
static const int32_t inpatient_age[INPATIENTS] = {0, 0, 0, 0, 2, 2,
												  2, 2, 1, 1, 1, 1};
/* cancer, heart disease, viral infection */
static const int32_t inpatient_disease[INPATIENTS] = {1, 1, 2, 2, 0, 1,
													  2, 2, 0, 0, 0, 0};
/* as released: 1305*, 1306*, 1485*; up to 40 or not */
static const int32_t released_age[INPATIENTS] = {0, 0, 0, 0, 1, 1,
												 1, 1, 0, 0, 0, 0};

static inline SdcModelSettings
model_settings(void)
{
	SdcModelSettings settings = {1, 5, 10, 1, 1, 1000, 7};

	return settings;
}

static inline const SdcModelMethod *
model_method(const char *name)
{
	const SdcModelMethod *method = sdc_model_methods;

	while (method->name != NULL && strcmp(method->name, name) != 0)
		method++;
	return method;
}

/*
 * How many of the inpatients are predicted right when their fold (id - 1) mod
 * 3 is left out.
 */
static inline int
model_right_by_fold(SdcHost *host, const SdcModelMethod *method,
					const SdcModelTable *table,
					const SdcModelSettings *settings)
{
	int right = 0;
	int fold;

	for (fold = 0; fold < 3; fold++)
	{
		int32_t row[INPATIENTS];
		SdcModelTask task = {table, inpatient_disease, 3, row, 0, settings};
		SdcModel *model;
		int32_t i;

		for (i = 0; i < INPATIENTS; i++)
			if (i % 3 != fold)
				row[task.rows++] = i;
		model = sdc_model_fit(host, method, &task);
		for (i = fold; i < INPATIENTS; i += 3)
			right +=
				sdc_model_predict(model, table, i) == inpatient_disease[i];
		sdc_model_release(model);
	}
	return right;
}

/* A random table of mixed columns with ties and NULLs, and a label. */
typedef struct ModelSample
{
	SdcModelTable table;
	SdcModelColumn column[8];
	int32_t *label;
	int32_t *row;
} ModelSample;

static inline void
model_sample_make(ModelSample *sample, int32_t rows, int numbers,
				  int categories, uint64_t seed)
{
	SdcRandom random;
	int32_t i;
	int j;

	sdc_random_seed(&random, seed, 1);
	sample->table.rows = rows;
	sample->table.columns = numbers + categories;
	sample->table.column = sample->column;
	sample->label = malloc(sizeof(int32_t) * (size_t) rows);
	sample->row = malloc(sizeof(int32_t) * (size_t) rows);
	memset(sample->column, 0, sizeof(sample->column));
	for (i = 0; i < rows; i++)
	{
		sample->row[i] = i;
		sample->label[i] = (int32_t) sdc_random_below(&random, 3);
	}
	for (j = 0; j < numbers + categories; j++)
	{
		double *number = malloc(sizeof(double) * (size_t) rows);
		int32_t *code = malloc(sizeof(int32_t) * (size_t) rows);

		for (i = 0; i < rows; i++)
		{
			bool null = sdc_random_below(&random, 20) == 0;

			code[i] = (int32_t) sdc_random_below(&random, 4);
			/* half of the columns are coarse, so that there are ties */
			number[i] = j % 2 == 0 ? sdc_random_normal(&random) +
										 0.7 * sample->label[i]
								   : (double) code[i];
			if (sdc_random_below(&random, 3) == 0)
				code[i] = sample->label[i];
			if (null)
			{
				code[i] = SDC_MODEL_NULL;
				number[i] = NAN;
			}
		}
		if (j < numbers)
		{
			sample->column[j].number = number;
			free(code);
		}
		else
		{
			sample->column[j].code = code;
			sample->column[j].values = 4;
			free(number);
		}
	}
}

static inline void
model_sample_free(ModelSample *sample)
{
	int j;

	for (j = 0; j < sample->table.columns; j++)
	{
		free((void *) sample->column[j].number);
		free((void *) sample->column[j].code);
	}
	free(sample->label);
	free(sample->row);
}

#endif
