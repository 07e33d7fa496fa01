/*
 * training_scale.c
 *		The scale of a number column among the training rows.
 */
#include "kernel/model/training_scale.h"

SdcScale
sdc_training_scale_find(SdcHost *host, const SdcModelTask *task, int j)
{
	const double *number = task->table->column[j].number;
	double *value = sdc_new(host, double, (size_t) task->rows);
	SdcScale scale = {1, 1, 0, 0};
	size_t n = 0;
	int32_t i;

	for (i = 0; i < task->rows; i++)
	{
		double x = number[task->row[i]];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!isnan(x))
			value[n++] = x;
	}
	if (n > 0)
		scale = sdc_scale_find(host, value, n);
	host->release(host, value);
	return scale;
}
