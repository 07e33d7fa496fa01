/*
 * majority.c
 *		The baseline: the most frequent class, whatever the columns say.
 */
#include "kernel/model/majority.h"

#include <string.h>

typedef struct Majority
{
	int32_t classes;
	double *share;
} Majority;

void *
sdc_majority_fit(SdcHost *host, const SdcModelTask *task)
{
	Majority *majority = sdc_new(host, Majority, 1);
	int32_t c;
	int32_t i;

	majority->classes = task->classes;
	majority->share = sdc_new(host, double, (size_t) task->classes);
	memset(majority->share, 0, sizeof(double) * (size_t) task->classes);
	for (i = 0; i < task->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) task->rows);
		majority->share[task->label[task->row[i]]]++;
	}
	for (c = 0; c < task->classes; c++)
		majority->share[c] /= task->rows;
	return majority;
}

void
sdc_majority_predict(void *fitted, const SdcModelTable *table, int32_t row,
					 double *probability)
{
	const Majority *majority = fitted;

	(void) table;
	(void) row;
	memcpy(probability, majority->share,
		   sizeof(double) * (size_t) majority->classes);
}
