/*
 * outcome.c
 *		What a classifier predicts: classes of a category or of a number.
 */
#include "kernel/model/outcome.h"

#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/geometry/scale.h"

/* The rows whose number is not NULL, in ascending order of it. */
static int32_t *
sort_numbers(SdcHost *host, const double *number, int32_t rows, int32_t *count)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) rows);
	int32_t *order = sdc_new(host, int32_t, (size_t) rows);
	int32_t i;

	*count = 0;
	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(number[i]))
			continue;
		key[*count] = sdc_sort_key(number[i]);
		order[(*count)++] = i;
	}
	sdc_sort_keys(host, key, order, (size_t) *count);
	host->release(host, key);
	return order;
}

/*
 * Numbers the classes of sorted rows: a new one begins with each different
 * value, or only where the next bin of equal frequency is reached, too.
 */
static int32_t
number_classes(SdcHost *host, const double *number, const int32_t *order,
			   int32_t count, int32_t bins, int32_t *label)
{
	int32_t classes = 0;
	int64_t bin = -1;
	int32_t i;

	for (i = 0; i < count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i == 0 || number[order[i]] != number[order[i - 1]])
		{
			int64_t reached = bins == 0 ? classes : (int64_t) i * bins / count;

			classes += reached > bin;
			bin = reached;
		}
		label[order[i]] = classes - 1;
	}
	return classes;
}

/* The lower median of each class of sorted rows. */
static void
find_medians(SdcOutcome *outcome, const double *number, const int32_t *order,
			 int32_t count)
{
	int32_t begin = 0;
	int32_t i;

	for (i = 1; i <= count; i++)
	{
		if (i < count &&
			outcome->label[order[i]] == outcome->label[order[begin]])
			continue;
		outcome->value[outcome->label[order[begin]]] =
			number[order[begin + (i - 1 - begin) / 2]];
		begin = i;
	}
}

static SdcOutcome
make_bins(SdcHost *host, const double *number, int32_t rows, int32_t bins)
{
	SdcOutcome outcome = {0, NULL, NULL};
	int32_t count;
	int32_t *order = sort_numbers(host, number, rows, &count);
	int32_t i;

	outcome.label = sdc_new(host, int32_t, (size_t) rows);
	for (i = 0; i < rows; i++)
		outcome.label[i] = SDC_MODEL_NO_LABEL;
	outcome.classes =
		number_classes(host, number, order, count, 0, outcome.label);
	if (outcome.classes > bins)
		outcome.classes =
			number_classes(host, number, order, count, bins, outcome.label);
	outcome.value = sdc_new(host, double, (size_t) outcome.classes);
	find_medians(&outcome, number, order, count);
	host->release(host, order);
	return outcome;
}

SdcOutcome
sdc_outcome_make(SdcHost *host, const SdcModelColumn *column, int32_t rows,
				 int32_t bins)
{
	SdcOutcome outcome = {column->values, NULL, NULL};

	if (column->number != NULL)
		return make_bins(host, column->number, rows, bins);
	outcome.label = sdc_new(host, int32_t, (size_t) rows);
	if (rows > 0)
		memcpy(outcome.label, column->code, sizeof(int32_t) * (size_t) rows);
	return outcome;
}

int32_t
sdc_outcome_right(const SdcOutcome *outcome, const int32_t *predicted,
				  const SdcModelColumn *truth, int32_t rows, double tolerance)
{
	int32_t right = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		int32_t label = predicted[i];

		if (label < 0)
			continue;
		if (outcome->value == NULL)
			right += truth->code[i] == label;
		else
			right +=
				fabs(truth->number[i] - outcome->value[label]) <= tolerance;
	}
	return right;
}

double
sdc_outcome_deviation(SdcHost *host, const SdcModelColumn *column,
					  int32_t rows)
{
	double *value = sdc_new(host, double, (size_t) rows);
	SdcScale scale;
	size_t n = 0;
	int32_t i;

	for (i = 0; i < rows; i++)
		if (!isnan(column->number[i]))
			value[n++] = column->number[i];
	scale = sdc_scale_find(host, value, n);
	host->release(host, value);
	return scale.deviation / scale.first / scale.second;
}
