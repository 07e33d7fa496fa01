/*
 * learned_case.h
 *		Files to learn from, and counts made with other code.
 */
#ifndef SDC_TEST_UNIT_LEARNED_CASE_H
#define SDC_TEST_UNIT_LEARNED_CASE_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define METHODS 9

static const char *const names[METHODS] = {
	"wm",       "wm_m",     "owa",         "choquet",    "choquet_m",
	"choquet2", "bilinear", "bilinear_nc", "bilinear_pd"};

/* Records, and targets that are records with noise; coarse: few values. */
static inline SdcLearnedData
random_data(uint64_t seed, int32_t records, int columns, double noise,
			bool coarse)
{
	size_t n = (size_t) records * (size_t) columns;
	double *record = sdc_new(unit_host(), double, n);
	double *target = sdc_new(unit_host(), double, n);
	int32_t *own = sdc_new(unit_host(), int32_t, (size_t) records);
	SdcLearnedData data = {records, records, columns, NULL,
						   NULL,    NULL,    0,       NULL};
	SdcRandom random;
	size_t i;

	sdc_random_seed(&random, seed, 1);
	for (i = 0; i < n; i++)
	{
		record[i] = sdc_random_normal(&random);
		target[i] = record[i] + noise * sdc_random_normal(&random);
		if (coarse)
		{
			record[i] = rint(record[i]);
			target[i] = rint(target[i]);
		}
	}
	for (i = 0; i < (size_t) records; i++)
		own[i] = (int32_t) i;
	data.record = record;
	data.target = target;
	data.own = own;
	return data;
}

static inline double
difference(const SdcLearnedData *data, int32_t i, int32_t j, int c)
{
	return data->record[i * data->columns + c] -
		   data->target[j * data->columns + c];
}

static inline SdcDistanceForm
as_distance(const SdcLearnedResult *result, SdcLearnedMethod method)
{
	static const SdcDistanceKind kinds[METHODS] = {
		SDC_DISTANCE_WM,       SDC_DISTANCE_WM,       SDC_DISTANCE_OWA,
		SDC_DISTANCE_CHOQUET,  SDC_DISTANCE_CHOQUET,  SDC_DISTANCE_CHOQUET2,
		SDC_DISTANCE_BILINEAR, SDC_DISTANCE_BILINEAR, SDC_DISTANCE_BILINEAR};
	SdcDistanceForm form = {kinds[method], result->form->columns, NULL};
	int n = form.columns;
	int at = 0;
	int i;
	int j;

	form.parameter = sdc_new(unit_host(), double,
							 sdc_distance_form_parameters(form.kind, n));
	if (form.kind == SDC_DISTANCE_CHOQUET)
	{
		form.parameter[0] = 0;
		for (i = 1; i < 1 << n; i++)
			form.parameter[i] = result->parameter[i - 1];
	}
	else if (form.kind < SDC_DISTANCE_CHOQUET)
		memcpy(form.parameter, result->parameter, (size_t) n * sizeof(double));
	else
		for (i = 0; i < n; i++)
			for (j = i; j < n; j++)
				form.parameter[i * n + j] = form.parameter[j * n + i] =
					result->parameter[at++];
	return form;
}

static inline double
value_of(const SdcDistanceForm *form, const SdcLearnedData *data, int32_t i,
		 int32_t j)
{
	double d[SDC_LEARNED_MAX_COLUMNS];
	int c;

	for (c = 0; c < data->columns; c++)
		d[c] = difference(data, i, j, c);
	return sdc_distance_form_value(form, d);
}

/* Records whose own target is nearer than all others, ties failing. */
static inline int32_t
count_nearest(const SdcDistanceForm *form, const SdcLearnedData *data)
{
	int32_t good = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < data->records; i++)
	{
		double own = value_of(form, data, i, data->own[i]);
		bool nearest = true;

		for (j = 0; j < data->targets; j++)
			if (j != data->own[i] &&
				value_of(form, data, i, j) <= own + 1e-9 * fabs(own))
				nearest = false;
		good += nearest;
	}
	return good;
}

static inline SdcLearnedResult
learn(SdcLearnedMethod method, const SdcLearnedData *data)
{
	/* what a matrix cannot do takes long to prove */
	bool matrix = method >= SDC_LEARNED_BILINEAR && data->records > 9;

	SdcLearnedLimit limit = {matrix ? 1e8 : 0, 0};

	return sdc_learned_distance_solve(unit_host(), method, data, 7, &limit);
}

/* What must hold of any result. */
static inline bool
is_sound(const SdcLearnedResult *result, SdcLearnedMethod method,
		 const SdcLearnedData *data)
{
	SdcDistanceForm form = as_distance(result, method);

	return sdc_distance_form_flaw(&form) == NULL &&
		   count_nearest(&form, data) == result->reidentified &&
		   result->reidentified <= result->bound &&
		   result->exact == (result->reidentified == result->bound) &&
		   result->bound <= data->records;
}

#endif
