/*
 * suppress_models.c
 *		Classes put together, and the models of their sensitive columns.
 *
 * A union keeps, for each sensitive column, how many records have each value
 * of the classes that were added, and which values these are.  So a class
 * costs its cells when it is added, and a judgement the values that are there;
 * what the table holds in all, which a class is compared with, is prepared
 * once.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/suppress_models.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

static void
column_start(SdcUnion *joined, int j, const SdcClassRequest *request)
{
	SdcHost *host = joined->host;
	SdcUnionColumn *column = &joined->column[joined->columns++];
	SdcFrequency *alone =
		sdc_frequency_project(host, joined->frequency, &j, 1, NULL);
	size_t slots;

	column->request = request;
	column->measuring = sdc_class_measures_start(host, alone, request);
	column->of_cell = joined->frequency->code[j];
	column->values = joined->frequency->values[j];
	column->slots = 0;
	slots = (size_t) column->values + 1;
	column->records = sdc_new(host, int64_t, slots);
	column->touched = sdc_new(host, int32_t, slots);
	memset(column->records, 0, sizeof(int64_t) * slots);
	sdc_frequency_release(host, alone);
}

SdcUnion *
sdc_union_new(SdcHost *host, const SdcFrequency *frequency,
			  const SdcClasses *classes, int keys,
			  const SdcClassRequest *models)
{
	SdcUnion *joined = sdc_new(host, SdcUnion, 1);
	int sensitive = frequency->columns - keys;
	int32_t most = 0;
	int s;

	joined->host = host;
	joined->classes = classes;
	joined->frequency = frequency;
	joined->records = 0;
	joined->steps = 0;
	joined->columns = 0;
	joined->column = sdc_new(host, SdcUnionColumn, sensitive);
	for (s = 0; s < sensitive; s++)
	{
		if (models[s].wanted == 0)
			continue;
		column_start(joined, keys + s, &models[s]);
		if (frequency->values[keys + s] > most)
			most = frequency->values[keys + s];
	}
	joined->code = sdc_new(host, int32_t, (size_t) most + 1);
	joined->count = sdc_new(host, int64_t, (size_t) most + 1);
	return joined;
}

void
sdc_union_release(SdcUnion *joined)
{
	SdcHost *host;
	int i;

	if (joined == NULL)
		return;
	host = joined->host;
	for (i = 0; i < joined->columns; i++)
	{
		sdc_class_measures_release(host, joined->column[i].measuring);
		host->release(host, joined->column[i].records);
		host->release(host, joined->column[i].touched);
	}
	host->release(host, joined->column);
	host->release(host, joined->code);
	host->release(host, joined->count);
	host->release(host, joined);
}

/* Counts steps of work, and polls when they are many. */
static void
work(SdcUnion *joined, int64_t steps)
{
	joined->steps += steps;
	if (joined->steps < SDC_POLL_STEPS)
		return;
	joined->steps = 0;
	joined->host->poll(joined->host, 0, 0);
}

void
sdc_union_clear(SdcUnion *joined)
{
	int i;
	int32_t n;

	joined->records = 0;
	for (i = 0; i < joined->columns; i++)
	{
		SdcUnionColumn *column = &joined->column[i];

		for (n = 0; n < column->slots; n++)
			column->records[column->touched[n]] = 0;
		column->slots = 0;
	}
}

void
sdc_union_add_records(SdcUnion *joined, int32_t cell, int64_t records)
{
	int i;

	joined->records += records;
	for (i = 0; i < joined->columns; i++)
	{
		SdcUnionColumn *column = &joined->column[i];
		int32_t code = column->of_cell[cell];
		int32_t slot = code == SDC_CODE_NULL ? column->values : code;

		if (column->records[slot] == 0)
			column->touched[column->slots++] = slot;
		column->records[slot] += records;
	}
}

void
sdc_union_add(SdcUnion *joined, int32_t class)
{
	int32_t end = joined->classes->first[class + 1];
	int32_t cell;

	work(joined,
		 (int64_t) (end - joined->classes->first[class]) * joined->columns);
	for (cell = joined->classes->first[class]; cell < end; cell++)
		sdc_union_add_records(joined, cell, joined->frequency->count[cell]);
}

/* Up to that many slots are sorted one by one. */
#define FEW_SLOTS 64

static int
compare_slots(int32_t a, int32_t b, void *arg)
{
	(void) arg;
	return a < b ? -1 : a > b;
}

/* The values of a column, NULL last, in the room of the union. */
static SdcHistogram
make_histogram(SdcUnion *joined, SdcUnionColumn *column)
{
	SdcHistogram histogram = {0, joined->code, joined->count, 0};
	int32_t n;

	if (column->slots <= FEW_SLOTS)
		sdc_sort_few(column->touched, column->slots);
	else
		sdc_sort_rows(joined->host, column->touched, (size_t) column->slots,
					  compare_slots, NULL);
	for (n = 0; n < column->slots; n++)
	{
		int32_t slot = column->touched[n];

		if (slot == column->values && column->request->ignore_nulls)
			continue;
		joined->code[histogram.cells] =
			slot == column->values ? SDC_CODE_NULL : slot;
		joined->count[histogram.cells++] = column->records[slot];
		histogram.records += column->records[slot];
	}
	return histogram;
}

bool
sdc_union_passes(SdcUnion *joined, int64_t k)
{
	int i;

	if (joined->records < k)
		return false;
	for (i = 0; i < joined->columns; i++)
	{
		SdcUnionColumn *column = &joined->column[i];
		SdcHistogram histogram = make_histogram(joined, column);

		work(joined, 16 * (int64_t) histogram.cells);
		if (sdc_class_measures_refuses(column->measuring, &histogram, NULL))
			return false;
	}
	return true;
}
