/*
 * histogram.c
 *		The values of a sensitive column, in a class and in the whole table.
 *
 * NULL is sorted last, so the cell of NULL, if a class has one, is its last,
 * and leaving it out is one comparison.
 */
#include "kernel/risk/histogram.h"

#include <string.h>

SdcTotals *
sdc_histogram_totals(SdcHost *host, const SdcFrequency *frequency, int column,
					 bool nulls)
{
	SdcTotals *totals = sdc_new(host, SdcTotals, 1);
	const int32_t *code = frequency->code[column];
	int32_t cell;
	int32_t slot;

	totals->values = frequency->values[column];
	totals->occurring = 0;
	totals->records = 0;
	totals->total = sdc_new(host, int64_t, (size_t) totals->values + 1);
	memset(totals->total, 0, sizeof(int64_t) * ((size_t) totals->values + 1));
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) cell, (uint64_t) frequency->cells);
		if (code[cell] == SDC_CODE_NULL && !nulls)
			continue;
		totals->total[sdc_histogram_slot(totals, code[cell])] +=
			frequency->count[cell];
		totals->records += frequency->count[cell];
	}
	for (slot = 0; slot <= totals->values; slot++)
		totals->occurring += totals->total[slot] > 0;
	return totals;
}

void
sdc_histogram_totals_release(SdcHost *host, SdcTotals *totals)
{
	if (totals == NULL)
		return;
	host->release(host, totals->total);
	host->release(host, totals);
}

SdcHistogram
sdc_histogram_class(const SdcFrequency *frequency, int32_t first, int32_t end,
					bool nulls)
{
	const int32_t *code = frequency->code[frequency->columns - 1];
	SdcHistogram histogram;
	int32_t cell;

	if (!nulls && end > first && code[end - 1] == SDC_CODE_NULL)
		end--;
	histogram.cells = end - first;
	histogram.code = code + first;
	histogram.count = frequency->count + first;
	histogram.records = 0;
	for (cell = first; cell < end; cell++)
		histogram.records += frequency->count[cell];
	return histogram;
}
