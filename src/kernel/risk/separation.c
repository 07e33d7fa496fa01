/*
 * separation.c
 *		How well sets of columns tell records apart.
 *
 * The classes of a set of columns are the cells of the table projected on
 * them, so the rows are read once and each set costs a sort of the cells.
 */
#include "kernel/risk/separation.h"

#include <math.h>

#include "kernel/base/sort.h"

void
sdc_separation_add(SdcSeparation *separation, int64_t size, int64_t classes)
{
	separation->records += size * classes;
	separation->classes += classes;
	separation->equal += (double) size * (double) (size - 1) / 2 * classes;
}

double
sdc_separation_distinction(const SdcSeparation *separation)
{
	if (separation->records == 0)
		return NAN;
	return (double) separation->classes / (double) separation->records;
}

double
sdc_separation_pairs(const SdcSeparation *separation)
{
	double records = (double) separation->records;

	return records * (records - 1) / 2;
}

double
sdc_separation_share(const SdcSeparation *separation)
{
	double pairs = sdc_separation_pairs(separation);

	if (separation->records < 2)
		return NAN;
	return (pairs - separation->equal) / pairs;
}

int64_t
sdc_separation_subsets(int columns, int largest, int64_t limit)
{
	double subsets = 0;
	double of_size = 1;
	int size;

	for (size = 1; size <= largest && size <= columns; size++)
	{
		of_size = of_size * (columns - size + 1) / size;
		subsets += of_size;
		if (subsets > (double) limit)
			return limit + 1;
	}
	return (int64_t) subsets;
}

/*
 * Turns column[] into the next set of so many columns, in the order of the
 * first, then the second column, and so on; false after the last.
 */
static bool
next_subset(int *column, int size, int columns)
{
	int i = size - 1;

	while (i >= 0 && column[i] == columns - size + i)
		i--;
	if (i < 0)
		return false;
	column[i]++;
	for (i++; i < size; i++)
		column[i] = column[i - 1] + 1;
	return true;
}

static SdcSeparationSubset
measure_subset(SdcHost *host, const SdcFrequency *frequency, const int *column,
			   int size)
{
	SdcFrequency *part =
		sdc_frequency_project(host, frequency, column, size, NULL);
	SdcSeparationSubset subset = {0};
	int32_t cell;
	int i;

	for (i = 0; i < size; i++)
		subset.columns |= UINT64_C(1) << column[i];
	for (cell = 0; cell < part->cells; cell++)
		sdc_separation_add(&subset.counts, part->count[cell], 1);
	sdc_frequency_release(host, part);
	return subset;
}

static int
compare_subsets(int32_t a, int32_t b, void *arg)
{
	const SdcSeparationSubset *subsets = arg;
	const SdcSeparation *x = &subsets[a].counts;
	const SdcSeparation *y = &subsets[b].counts;

	if (x->equal != y->equal)
		return x->equal < y->equal ? -1 : 1;
	if (x->classes != y->classes)
		return x->classes > y->classes ? -1 : 1;
	return 0;
}

/* The subsets, best first, in place of those in the order of measuring. */
static SdcSeparationSubset *
best_first(SdcHost *host, SdcSeparationSubset *subsets, int32_t count)
{
	SdcSeparationSubset *sorted = sdc_new(host, SdcSeparationSubset, count);
	int32_t *order = sdc_new(host, int32_t, count);
	int32_t i;

	for (i = 0; i < count; i++)
		order[i] = i;
	sdc_sort_rows(host, order, count, compare_subsets, subsets);
	for (i = 0; i < count; i++)
		sorted[i] = subsets[order[i]];
	host->release(host, order);
	host->release(host, subsets);
	return sorted;
}

SdcSeparationSubset *
sdc_separation_measure(SdcHost *host, const SdcFrequency *frequency,
					   int largest, int32_t *count)
{
	int columns = frequency->columns;
	int32_t total =
		(int32_t) sdc_separation_subsets(columns, largest, INT32_MAX - 1);
	SdcSeparationSubset *subsets = sdc_new(host, SdcSeparationSubset, total);
	int column[64];
	int size;
	int i;

	host->stage(host, "measuring key subsets");
	*count = 0;
	for (size = 1; size <= largest && size <= columns; size++)
	{
		for (i = 0; i < size; i++)
			column[i] = i;
		do
		{
			host->poll(host, *count, total);
			subsets[(*count)++] =
				measure_subset(host, frequency, column, size);
		} while (next_subset(column, size, columns));
	}
	return best_first(host, subsets, *count);
}
