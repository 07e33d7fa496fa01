/*
 * model_agreement.c
 *		How often two models say the same of the same records.
 */
#include "kernel/model/model_agreement.h"

#include <math.h>
#include <string.h>

static bool
is_same(const SdcOutcome *a, int32_t label_a, const SdcOutcome *b,
		int32_t label_b, double tolerance)
{
	if (a->value == NULL || b->value == NULL)
		return label_a == label_b;
	return fabs(a->value[label_a] - b->value[label_b]) <= tolerance;
}

static int64_t *
zeros(SdcHost *host, int32_t count)
{
	int64_t *array = sdc_new(host, int64_t, (size_t) count);

	memset(array, 0, sizeof(int64_t) * (size_t) count);
	return array;
}

SdcModelAgreement
sdc_model_agreement_count(SdcHost *host, const SdcOutcome *a,
						  const int32_t *predicted_a, const SdcOutcome *b,
						  const int32_t *predicted_b, int32_t rows,
						  double tolerance)
{
	SdcModelAgreement result = {0, 0, NAN};
	int64_t *count_a = zeros(host, a->classes);
	int64_t *count_b = zeros(host, b->classes);
	double pairs = 0;
	int32_t i;
	int32_t j;

	for (i = 0; i < rows; i++)
	{
		if (predicted_a[i] < 0 || predicted_b[i] < 0)
			continue;
		result.records++;
		result.same +=
			is_same(a, predicted_a[i], b, predicted_b[i], tolerance);
		count_a[predicted_a[i]]++;
		count_b[predicted_b[i]]++;
	}
	for (i = 0; i < a->classes; i++)
	{
		host->poll(host, 0, 0);
		for (j = 0; j < b->classes && count_a[i] > 0; j++)
			if (is_same(a, i, b, j, tolerance))
				pairs += (double) count_a[i] * (double) count_b[j];
	}
	if (result.records > 0)
		result.chance = pairs / result.records / result.records;
	host->release(host, count_a);
	host->release(host, count_b);
	return result;
}
