/*
 * recency_classes.c
 *		Recency, frequency and money: classes of customers, and how far two
 *		files differ in them.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/sort.h"
#include "kernel/transaction/recency_classes.h"

#define MOST_CLASSES 100

/* The cuts of one dimension. */
static void
find_cuts(SdcHost *host, const SdcRecencyFile *file, int dimension,
		  int classes, double *cut)
{
	uint64_t *key = sdc_new(host, uint64_t, (size_t) file->n + 1);
	int32_t *row = sdc_new(host, int32_t, (size_t) file->n + 1);
	int32_t i;
	int j;

	for (i = 0; i < file->n; i++)
	{
		key[i] = sdc_sort_key(file->value[dimension][i]);
		row[i] = i;
	}
	sdc_sort_keys(host, key, row, (size_t) file->n);
	for (j = 1; j < classes; j++)
	{
		int64_t place = ((int64_t) file->n * j + classes - 1) / classes;

		cut[j - 1] =
			file->n == 0 ? INFINITY : file->value[dimension][row[place - 1]];
	}
	host->release(host, key);
	host->release(host, row);
}

static int32_t
cell_of(const SdcRecencyFile *file, int32_t i, int classes,
		double cut[][MOST_CLASSES])
{
	int32_t cell = 0;
	int d;

	for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
	{
		int above = 0;
		int j;

		for (j = 0; j < classes - 1; j++)
			above += file->value[d][i] > cut[d][j];
		cell = cell * classes + above;
	}
	return cell;
}

static int32_t *
count_cells(SdcHost *host, const SdcRecencyFile *file, int classes,
			double cut[][MOST_CLASSES])
{
	int32_t cells = classes * classes * classes;
	int32_t *count = sdc_new(host, int32_t, (size_t) cells);
	int32_t i;

	memset(count, 0, sizeof(int32_t) * (size_t) cells);
	for (i = 0; i < file->n; i++)
	{
		if (i % 1024 == 0)
			host->poll(host, (uint64_t) i, (uint64_t) file->n);
		count[cell_of(file, i, classes, cut)]++;
	}
	return count;
}

double
sdc_recency_classes_error(SdcHost *host, const SdcRecencyFile *original,
						  const SdcRecencyFile *masked, int classes)
{
	double cut[SDC_RECENCY_CLASSES_DIMENSIONS][MOST_CLASSES];
	int32_t cells = classes * classes * classes;
	double differ = 0;
	double whole = 0;
	int32_t *before;
	int32_t *after;
	int32_t c;
	int d;

	for (d = 0; d < SDC_RECENCY_CLASSES_DIMENSIONS; d++)
		find_cuts(host, original, d, classes, cut[d]);
	before = count_cells(host, original, classes, cut);
	after = count_cells(host, masked, classes, cut);
	for (c = 0; c < cells; c++)
	{
		double h = before[c];
		double g = after[c];

		differ += (h - g) * (h - g);
		whole += h * h + g * g;
	}
	host->release(host, before);
	host->release(host, after);
	return whole == 0 ? NAN : sqrt(differ / whole);
}
