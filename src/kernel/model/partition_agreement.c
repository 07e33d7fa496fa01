/*
 * partition_agreement.c
 *		How far two partitions of the same rows agree.
 *
 * Pairs that a partition joins are counted from the sizes of its parts, those
 * that both join from the cells, so no pair is looked at.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/partition_agreement.h"
#include "kernel/table/frequency.h"

/* ----------------------------------------------------------------------
 * How often two models say the same of the same records.
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * How far two partitions of the same rows agree.
 *
 * Pairs that a partition joins are counted from the sizes of its parts, those
 * that both join from the cells, so no pair is looked at.
 * ----------------------------------------------------------------------
 */

typedef __int128 Count;

static Count
pairs(Count n)
{
	return n * (n - 1) / 2;
}

/* The size of each part of one of the partitions; NULL is the last. */
static int64_t *
part_sizes(SdcHost *host, const SdcFrequency *labels, int column)
{
	int32_t values = labels->values[column];
	int64_t *size = sdc_new(host, int64_t, (size_t) values + 1);
	int32_t v;
	int32_t cell;

	for (v = 0; v <= values; v++)
		size[v] = 0;
	for (cell = 0; cell < labels->cells; cell++)
	{
		int32_t code = labels->code[column][cell];

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		size[code < 0 ? values : code] += labels->count[cell];
	}
	return size;
}

/* Pairs that one of the partitions joins. */
static Count
joined_pairs(const int64_t *size, int32_t values)
{
	Count joined = 0;
	int32_t v;

	for (v = 0; v <= values; v++)
		joined += pairs(size[v]);
	return joined;
}

/* Cells lie in the order of the first labels. */
static double
best_match(SdcHost *host, const SdcFrequency *labels, const int64_t *first,
		   const int64_t *second)
{
	double sum = 0;
	int32_t cell = 0;

	while (cell < labels->cells)
	{
		int32_t label = labels->code[0][cell];
		double rows = (double) first[label < 0 ? labels->values[0] : label];
		double best = 0;

		if (cell % 256 == 0)
			host->poll(host, 0, 0);
		for (; cell < labels->cells && labels->code[0][cell] == label; cell++)
		{
			int32_t other = labels->code[1][cell];
			double others =
				(double) second[other < 0 ? labels->values[1] : other];
			double match = 2 * (double) labels->count[cell] / (rows + others);

			best = match > best ? match : best;
		}
		sum += rows / (double) labels->records * best;
	}
	return sum;
}

SdcPartitionAgreement
sdc_partition_agreement_measure(SdcHost *host, const SdcFrequency *labels)
{
	SdcPartitionAgreement result = {NAN, NAN, NAN, NAN};
	int64_t *first = part_sizes(host, labels, 0);
	int64_t *second = part_sizes(host, labels, 1);
	Count a = joined_pairs(first, labels->values[0]);
	Count b = joined_pairs(second, labels->values[1]);
	Count all = pairs(labels->records);
	Count both = 0;
	int32_t cell;

	for (cell = 0; cell < labels->cells; cell++)
		both += pairs(labels->count[cell]);
	if (labels->records > 0)
		result.f_measure = best_match(host, labels, first, second);
	if (all > 0)
	{
		/* by chance a b / all pairs are joined by both */
		double chance = (double) a * (double) b / (double) all;
		double most = ((double) a + (double) b) / 2;

		result.rand = (double) (all - (a - both) - (b - both)) / (double) all;
		result.jaccard =
			a + b - both > 0 ? (double) both / (double) (a + b - both) : 1;
		result.adjusted = (a == 0 && b == 0) || (a == all && b == all)
							  ? 1
							  : ((double) both - chance) / (most - chance);
	}
	host->release(host, first);
	host->release(host, second);
	return result;
}

SdcPartitionAgreement
sdc_partition_agreement_labels(SdcHost *host, const int32_t *a,
							   int32_t values_a, const int32_t *b,
							   int32_t values_b, int32_t rows)
{
	SdcFrequencyCount *counting = sdc_frequency_start(host, 2, false);
	int32_t values[2] = {values_a, values_b};
	SdcPartitionAgreement result;
	SdcFrequency *labels;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		int32_t codes[2] = {a[i], b[i]};

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) rows);
		if (a[i] >= 0 && b[i] >= 0)
			(void) sdc_frequency_add(counting, codes, 1, 0);
	}
	labels = sdc_frequency_finish(counting, NULL, values, NULL);
	result = sdc_partition_agreement_measure(host, labels);
	sdc_frequency_release(host, labels);
	return result;
}
