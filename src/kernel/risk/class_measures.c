/*
 * class_measures.c
 *		Measures of a sensitive column over all classes, in one pass.
 *
 * The measures themselves are in diversity, closeness and likeness; here is
 * one table of them, the pass, and what is worse than what.
 */
#include "kernel/risk/class_measures.h"

#include <math.h>
#include <string.h>

#include "kernel/risk/closeness.h"
#include "kernel/risk/diversity.h"
#include "kernel/risk/likeness.h"

/* A relative error that does not make a class fail. */
#define TOLERANCE 1e-9

/* Cells between two polls: each may take part in ten measures. */
#define POLL_CELLS (SDC_POLL_STEPS / 8)

struct SdcClassMeasuring
{
	SdcClassRequest request;
	SdcTotals *totals;
	SdcClosenessOrder *order;
	SdcClosenessTree *tree;
	int64_t *ranked; /* scratch: counts of a class */
};

SdcClassRequest
sdc_class_measures_request(void)
{
	SdcClassRequest request;
	int measure;

	memset(&request, 0, sizeof(request));
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
		request.bound[measure] = NAN;
	return request;
}

static bool
wants(const SdcClassRequest *request, SdcClassMeasure measure)
{
	return (request->wanted & SDC_CLASS_WANT(measure)) != 0;
}

SdcClassMeasuring *
sdc_class_measures_start(SdcHost *host, const SdcFrequency *frequency,
						 const SdcClassRequest *request)
{
	SdcClassMeasuring *measuring = sdc_new(host, SdcClassMeasuring, 1);
	SdcTotals *totals = sdc_histogram_totals(
		host, frequency, frequency->columns - 1, !request->ignore_nulls);

	measuring->request = *request;
	measuring->totals = totals;
	measuring->order = NULL;
	measuring->tree = NULL;
	measuring->ranked = sdc_new(host, int64_t, (size_t) totals->occurring);
	if (wants(request, SDC_CLASS_T_ORDERED))
		measuring->order = sdc_closeness_order(host, totals);
	if (wants(request, SDC_CLASS_T_HIERARCHICAL))
		measuring->tree = sdc_closeness_tree(host, totals, request->hierarchy);
	return measuring;
}

void
sdc_class_measures_release(SdcHost *host, SdcClassMeasuring *measuring)
{
	if (measuring == NULL)
		return;
	sdc_closeness_tree_release(host, measuring->tree);
	sdc_closeness_order_release(host, measuring->order);
	host->release(host, measuring->ranked);
	sdc_histogram_totals_release(host, measuring->totals);
	host->release(host, measuring);
}

static double
measure_recursive(SdcClassMeasuring *measuring, const SdcHistogram *histogram)
{
	memcpy(measuring->ranked, histogram->count,
		   sizeof(int64_t) * (size_t) histogram->cells);
	sdc_diversity_rank(measuring->ranked, histogram->cells);
	return sdc_diversity_recursive(measuring->ranked, histogram->cells,
								   measuring->request.c);
}

/* One measure of a class that has records. */
static double
measure_one(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
			SdcClassMeasure measure)
{
	switch (measure)
	{
		case SDC_CLASS_DISTINCT:
			return histogram->cells;
		case SDC_CLASS_ENTROPY:
			return sdc_diversity_entropy(histogram->count, histogram->cells);
		case SDC_CLASS_FREQUENCY:
			return sdc_diversity_frequency(histogram->count, histogram->cells);
		case SDC_CLASS_RECURSIVE:
			return measure_recursive(measuring, histogram);
		case SDC_CLASS_T_EQUAL:
			return sdc_closeness_equal(histogram, measuring->totals);
		case SDC_CLASS_T_ORDERED:
			return sdc_closeness_ordered(histogram, measuring->order);
		case SDC_CLASS_T_HIERARCHICAL:
			return sdc_closeness_hierarchical(histogram, measuring->tree);
		case SDC_CLASS_BETA:
			return sdc_likeness_beta(histogram, measuring->totals);
		case SDC_CLASS_BETA_ENHANCED:
			return sdc_likeness_enhanced(histogram, measuring->totals);
		case SDC_CLASS_DELTA:
			return sdc_likeness_delta(histogram, measuring->totals);
		default:
			return NAN;
	}
}

void
sdc_class_measures_class(SdcClassMeasuring *measuring,
						 const SdcHistogram *histogram, double *value)
{
	int measure;

	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
		value[measure] =
			histogram->records > 0 && wants(&measuring->request, measure)
				? measure_one(measuring, histogram, measure)
				: NAN;
}

static bool
low_is_bad(SdcClassMeasure measure)
{
	return measure <= SDC_CLASS_RECURSIVE;
}

bool
sdc_class_measures_fails(const SdcClassRequest *request,
						 SdcClassMeasure measure, double value)
{
	double bound = request->bound[measure];

	if (isnan(bound) || isnan(value))
		return false;
	if (measure == SDC_CLASS_ENTROPY)
		return value < bound * (1 - TOLERANCE);
	if (low_is_bad(measure))
		return value < bound;
	if (measure == SDC_CLASS_DELTA)
		return value >= bound * (1 - TOLERANCE);
	return value > bound * (1 + TOLERANCE);
}

/* Notes the figure of a class of size records; does it fail its bound? */
static bool
note(const SdcClassRequest *request, SdcClassMeasure measure, double value,
	 int32_t number, int64_t size, SdcClassWorst *worst)
{
	bool fails = sdc_class_measures_fails(request, measure, value);

	if (worst->number < 0 ||
		(low_is_bad(measure) ? value < worst->value : value > worst->value))
	{
		worst->value = value;
		worst->number = number;
	}
	worst->classes += fails;
	worst->records += fails ? size : 0;
	return fails;
}

/* Notes all figures of a class; does it fail one of its bounds? */
static bool
note_all(SdcClassMeasuring *measuring, const SdcHistogram *histogram,
		 int32_t number, int64_t size, SdcClassReport *report)
{
	double value[SDC_CLASS_MEASURES];
	bool fails = false;
	int measure;

	if (histogram->records == 0)
	{
		report->empty_classes++;
		report->empty_records += size;
		return false;
	}
	if (histogram->cells == 1)
	{
		report->homogeneous_classes++;
		report->homogeneous_records += size;
	}
	sdc_class_measures_class(measuring, histogram, value);
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
	{
		if (wants(&measuring->request, measure))
			fails |= note(&measuring->request, measure, value[measure], number,
						  size, &report->worst[measure]);
	}
	return fails;
}

static void
report_nothing(SdcClassReport *report)
{
	int measure;

	memset(report, 0, sizeof(*report));
	for (measure = 0; measure < SDC_CLASS_MEASURES; measure++)
	{
		report->worst[measure].value = NAN;
		report->worst[measure].number = -1;
	}
}

void
sdc_class_measures_walk(SdcHost *host, SdcClassMeasuring *measuring,
						const SdcFrequency *frequency,
						const SdcClasses *classes, SdcClassReport *report)
{
	const SdcClassRequest *request = &measuring->request;
	int32_t polled = 0;
	int32_t c;

	report_nothing(report);
	for (c = 0; c < classes->classes; c++)
	{
		int32_t end = classes->first[c + 1];
		SdcHistogram histogram = sdc_histogram_class(
			frequency, classes->first[c], end, !request->ignore_nulls);
		bool fails =
			note_all(measuring, &histogram, c, classes->size[c], report);

		if (fails || classes->size[c] < request->k)
		{
			report->failing_classes++;
			report->failing_records += classes->size[c];
		}
		if (end - polled >= POLL_CELLS)
		{
			polled = end;
			host->poll(host, (uint64_t) end, (uint64_t) frequency->cells);
		}
	}
}
