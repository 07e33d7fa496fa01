/*
 * generalization.c
 *		A generalized table: which of its classes fail the models.
 *
 * Each sensitive column is measured in a table of the keys and this column
 * alone; as cells are sorted, the classes are the same ones in each of them.
 * The worst figures take a second pass, so that none is kept for each class.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/generalization/generalization.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

/* Cells between two polls. */
#define POLL_CELLS (SDC_POLL_STEPS / 8)

static SdcFrequency *
reduce(SdcHost *host, const SdcFrequency *frequency, int keys, int sensitive)
{
	int *column = sdc_new(host, int, keys + 1);
	SdcFrequency *reduced;
	int j;

	for (j = 0; j < keys; j++)
		column[j] = j;
	column[keys] = keys + sensitive;
	reduced = sdc_frequency_project(host, frequency, column, keys + 1, NULL);
	host->release(host, column);
	return reduced;
}

/* Takes the figures of a class that does not fail into the worst ones. */
static void
note_worst(const double *value, double *worst)
{
	int m;

	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		if (isnan(worst[m]) ||
			(sdc_class_measures_low_is_bad((SdcClassMeasure) m)
				 ? value[m] < worst[m]
				 : value[m] > worst[m]))
			worst[m] = value[m];
}

/* What is judged, and how far it has come. */
typedef struct Judging
{
	SdcHost *host;
	const SdcFrequency *frequency;
	const SdcClasses *classes;
	int32_t exempt;
	const SdcGeneralizationModels *models;
	SdcGeneralizationClasses *judged;
} Judging;

/*
 * Measures sensitive column s in all classes.  Without worst it marks those
 * that fail a bound; with it, it looks at those that are not marked.
 */
static void
measure_classes(Judging *judging, const SdcFrequency *reduced, int s,
				double *worst)
{
	SdcHost *host = judging->host;
	const SdcClassRequest *request = &judging->models->request[s];
	SdcClassMeasuring *measuring =
		sdc_class_measures_start(host, judging->models->reference[s], request);
	SdcClasses *classes =
		sdc_frequency_classes(host, reduced, reduced->columns - 1);
	bool *failing = judging->judged->failing;
	double value[SDC_CLASS_MEASURES];
	int32_t polled = 0;
	int32_t c;

	for (c = 0; c < classes->classes; c++)
	{
		int32_t end = classes->first[c + 1];
		SdcHistogram histogram = sdc_histogram_class(
			reduced, classes->first[c], end, !request->ignore_nulls);

		if (failing[c] || c == judging->exempt)
			continue;
		if (worst == NULL)
			failing[c] =
				sdc_class_measures_refuses(measuring, &histogram, NULL);
		else
		{
			sdc_class_measures_class(measuring, &histogram, value);
			note_worst(value, worst);
		}
		if (end - polled >= POLL_CELLS)
		{
			polled = end;
			host->poll(host, (uint64_t) end, (uint64_t) reduced->cells);
		}
	}
	sdc_classes_release(host, classes);
	sdc_class_measures_release(host, measuring);
}

/* The same for each sensitive column, worst being that of all of them. */
static void
measure_columns(Judging *judging, double *worst)
{
	int keys = judging->frequency->columns - judging->models->sensitive;
	int s;

	for (s = 0; s < judging->models->sensitive; s++)
	{
		SdcFrequency *reduced =
			reduce(judging->host, judging->frequency, keys, s);

		measure_classes(judging, reduced, s,
						worst ? worst + s * SDC_CLASS_MEASURES : NULL);
		sdc_frequency_release(judging->host, reduced);
	}
}

static void
count_classes(const Judging *judging)
{
	const SdcClasses *classes = judging->classes;
	SdcGeneralizationClasses *judged = judging->judged;
	int32_t c;

	judged->failing_classes = 0;
	judged->failing_records = 0;
	judged->smallest = 0;
	for (c = 0; c < classes->classes; c++)
	{
		if (judged->failing[c])
		{
			judged->failing_classes++;
			judged->failing_records += classes->size[c];
		}
		else if (c != judging->exempt && (judged->smallest == 0 ||
										  classes->size[c] < judged->smallest))
			judged->smallest = classes->size[c];
	}
}

SdcGeneralizationClasses *
sdc_generalization_judge(SdcHost *host, const SdcFrequency *frequency,
						 const SdcClasses *classes, int32_t exempt,
						 const SdcGeneralizationModels *models)
{
	SdcGeneralizationClasses *judged =
		sdc_new(host, SdcGeneralizationClasses, 1);
	Judging judging = {host, frequency, classes, exempt, models, judged};
	int figures = models->sensitive * SDC_CLASS_MEASURES;
	int32_t c;
	int i;

	judged->failing = sdc_new(host, bool, classes->classes);
	judged->worst = sdc_new(host, double, figures);
	for (c = 0; c < classes->classes; c++)
		judged->failing[c] = c != exempt && classes->size[c] < models->k;
	for (i = 0; i < figures; i++)
		judged->worst[i] = NAN;
	measure_columns(&judging, NULL);
	measure_columns(&judging, judged->worst);
	count_classes(&judging);
	return judged;
}
