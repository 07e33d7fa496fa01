/*
 * folds.c
 *		Rows dealt into parts at random, for cross-validation.
 */
#include "kernel/model/folds.h"

#include <string.h>

void
sdc_folds_shuffle(int32_t *number, int32_t count, SdcRandom *random)
{
	int32_t i;

	for (i = count - 1; i > 0; i--)
	{
		int32_t other = (int32_t) sdc_random_below(random, (uint64_t) i + 1);
		int32_t kept = number[i];

		number[i] = number[other];
		number[other] = kept;
	}
}

/* All row numbers in random order. */
static int32_t *
draw_order(SdcHost *host, int32_t rows, SdcRandom *random)
{
	int32_t *order = sdc_new(host, int32_t, (size_t) rows);
	int32_t i;

	host->poll(host, 0, 0);
	for (i = 0; i < rows; i++)
		order[i] = i;
	sdc_folds_shuffle(order, rows, random);
	return order;
}

void
sdc_folds_deal(SdcHost *host, int32_t rows, int32_t folds, SdcRandom *random,
			   int32_t *fold)
{
	int32_t *order = draw_order(host, rows, random);
	int32_t i;

	for (i = 0; i < rows; i++)
		fold[order[i]] = i % folds;
	host->release(host, order);
}

void
sdc_folds_halve(SdcHost *host, const int32_t *label, int32_t rows,
				int32_t classes, const bool *skip, SdcRandom *random,
				int32_t *half)
{
	int32_t *order = draw_order(host, rows, random);
	/* of each class, the row that waits for a partner */
	int32_t *waiting = sdc_new(host, int32_t, (size_t) classes);
	int32_t c;
	int32_t i;

	for (c = 0; c < classes; c++)
		waiting[c] = -1;
	for (i = 0; i < rows; i++)
	{
		int32_t row = order[i];

		half[row] = -1;
		if (label[row] < 0 || (skip != NULL && skip[row]))
			continue;
		c = label[row];
		if (waiting[c] < 0)
		{
			waiting[c] = row;
			continue;
		}
		half[waiting[c]] = 0;
		half[row] = 1;
		waiting[c] = -1;
	}
	host->release(host, waiting);
	host->release(host, order);
}
