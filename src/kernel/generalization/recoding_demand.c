/*
 * recoding_demand.c
 *		What each class of a release must satisfy.
 *
 * The sensitive values of a class are added up in an array with a place for
 * each code; the codes that were met are then sorted, which is how the
 * measures want them.
 */
#include "kernel/generalization/recoding_demand.h"

#include <math.h>
#include <string.h>

struct SdcRecodingDemand
{
	const SdcFrequency *frequency;
	const SdcClasses *classes;
	int64_t k;
	bool sensitive;
	SdcClassRequest request;
	SdcClassMeasuring *measuring;
	int64_t *total; /* of each code, NULL last; 0 between two calls */
	int32_t *code;  /* codes of a class */
	int64_t *count; /* their records */
};

SdcRecodingDemand *
sdc_recoding_demand_new(SdcHost *host, const SdcFrequency *frequency,
						const SdcClasses *classes, int64_t k,
						const SdcClassRequest *sensitive)
{
	SdcRecodingDemand *demand = sdc_new(host, SdcRecodingDemand, 1);
	size_t values;

	memset(demand, 0, sizeof(*demand));
	demand->frequency = frequency;
	demand->classes = classes;
	demand->k = k;
	if (sensitive == NULL)
		return demand;
	values = (size_t) frequency->values[frequency->columns - 1] + 1;
	demand->sensitive = true;
	demand->request = *sensitive;
	demand->measuring = sdc_class_measures_start(host, frequency, sensitive);
	demand->total = sdc_new(host, int64_t, values);
	demand->code = sdc_new(host, int32_t, values);
	demand->count = sdc_new(host, int64_t, values);
	memset(demand->total, 0, values * sizeof(int64_t));
	return demand;
}

/* Adds the cells of a tuple; codes met for the first time are noted. */
static int32_t
add_cells(SdcRecodingDemand *demand, int32_t tuple, int32_t codes)
{
	const SdcFrequency *frequency = demand->frequency;
	int column = frequency->columns - 1;
	int32_t cell = demand->classes->first[tuple];

	for (; cell < demand->classes->first[tuple + 1]; cell++)
	{
		int32_t code = frequency->code[column][cell];

		if (code == SDC_CODE_NULL && demand->request.ignore_nulls)
			continue;
		if (code == SDC_CODE_NULL)
			code = frequency->values[column];
		if (demand->total[code] == 0)
			demand->code[codes++] = code;
		demand->total[code] += frequency->count[cell];
	}
	return codes;
}

/* Insertion sort: a class has few codes, and they come in sorted runs. */
static void
sort_codes(int32_t *code, int32_t codes)
{
	int32_t i;

	for (i = 1; i < codes; i++)
	{
		int32_t moved = code[i];
		int32_t j = i;

		for (; j > 0 && code[j - 1] > moved; j--)
			code[j] = code[j - 1];
		code[j] = moved;
	}
}

static bool
bounds_met(SdcRecodingDemand *demand, const SdcHistogram *histogram)
{
	double value[SDC_CLASS_MEASURES];
	int measure;

	if (histogram->records == 0)
		return true;
	sdc_class_measures_class(demand->measuring, histogram, value);
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
		if (sdc_class_measures_fails(
				&demand->request, (SdcClassMeasure) measure, value[measure]))
			return false;
	return true;
}

int64_t
sdc_recoding_demand_least(const SdcRecodingDemand *demand)
{
	return demand->k;
}

bool
sdc_recoding_demand_met(SdcRecodingDemand *demand, const int32_t *member,
						int32_t count, int64_t size)
{
	SdcHistogram histogram = {0, demand->code, demand->count, 0};
	int32_t null;
	int32_t i;

	if (size < demand->k || !demand->sensitive)
		return size >= demand->k;
	null = demand->frequency->values[demand->frequency->columns - 1];
	for (i = 0; i < count; i++)
		histogram.cells = add_cells(demand, member[i], histogram.cells);
	sort_codes(demand->code, histogram.cells);
	for (i = 0; i < histogram.cells; i++)
	{
		int32_t code = demand->code[i];

		demand->count[i] = demand->total[code];
		histogram.records += demand->count[i];
		demand->total[code] = 0;
		if (code == null)
			demand->code[i] = SDC_CODE_NULL;
	}
	return bounds_met(demand, &histogram);
}
