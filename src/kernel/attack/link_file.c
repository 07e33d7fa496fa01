/*
 * link_file.c
 *		Two files made comparable: standard scores, distinct points.
 *
 * Equal rows are found by sorting: a stable sort on the last column, then on
 * the one before, and so on leaves the rows in the order of their points and
 * equal rows next to each other.
 */
#include "kernel/attack/link_file.h"

#include <math.h>

#include "kernel/attack/link_measure.h"
#include "kernel/geometry/scale.h"
#include "kernel/base/sort.h"

/* The scale of one column over the values that are there. */
static SdcScale
find_scale(SdcHost *host, const SdcLinkFile *file, int column)
{
	double *present = sdc_new(host, double, (size_t) file->rows);
	SdcScale scale;
	size_t n = 0;
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!file->missing[column][i])
			present[n++] = file->value[column][i];
	}
	scale = sdc_scale_find(host, present, n);
	host->release(host, present);
	return scale;
}

static void
apply_scale(SdcHost *host, SdcLinkFile *file, int column,
			const SdcScale *scale)
{
	double *value = file->value[column];
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		value[i] = scale == NULL ? 0 : sdc_scale_apply(scale, value[i]);
	}
}

void
sdc_link_file_standardize(SdcHost *host, SdcLinkFile *a, SdcLinkFile *b)
{
	int j;

	for (j = 0; j < a->columns; j++)
	{
		SdcScale scale_a = find_scale(host, a, j);
		SdcScale scale_b = find_scale(host, b, j);
		bool spread = scale_a.deviation > 0 && scale_b.deviation > 0;

		apply_scale(host, a, j, spread ? &scale_a : NULL);
		apply_scale(host, b, j, spread ? &scale_b : NULL);
	}
}

/* Widens a range to the values of a column. */
static void
widen_range(SdcHost *host, const SdcLinkFile *file, int column, double *low,
			double *high)
{
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (file->missing[column][i])
			continue;
		*low = fmin(*low, file->value[column][i]);
		*high = fmax(*high, file->value[column][i]);
	}
}

/* Values become shares of the range; halves, for the range may overflow. */
static void
apply_range(SdcHost *host, SdcLinkFile *file, int column, double low,
			double high)
{
	double *value = file->value[column];
	double range = high / 2 - low / 2;
	int32_t i;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		value[i] = range > 0 ? (value[i] / 2 - low / 2) / range : 0;
	}
}

/* Marks what is missing in the values; is anything in a row with others? */
static bool
mark_missing(SdcHost *host, SdcLinkFile *file)
{
	bool **missing = sdc_new(host, bool *, (size_t) file->columns);
	bool *all = sdc_new(host, bool, (size_t) file->rows);
	bool any = false;
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
	{
		int count = 0;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < file->columns; j++)
		{
			if (!file->missing[j][i])
				continue;
			file->value[j][i] = SDC_LINK_MISSING;
			count++;
		}
		all[i] = count == file->columns;
		any = any || (count > 0 && !all[i]);
	}
	for (j = 0; j < file->columns; j++)
		missing[j] = all;
	file->missing = missing;
	return any;
}

bool
sdc_link_file_unite(SdcHost *host, SdcLinkFile *a, SdcLinkFile *b,
					const bool *category)
{
	bool missing_a;
	bool missing_b;
	int j;

	for (j = 0; j < a->columns; j++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		if (category[j])
			continue;
		widen_range(host, a, j, &low, &high);
		widen_range(host, b, j, &low, &high);
		apply_range(host, a, j, low, high);
		apply_range(host, b, j, low, high);
	}
	missing_a = mark_missing(host, a);
	missing_b = mark_missing(host, b);
	return missing_a || missing_b;
}

/* Lists the rows that lack no value; returns how many there are. */
static int32_t
list_complete(SdcHost *host, SdcLinkFile *file)
{
	int32_t complete = 0;
	int32_t i;
	int j;

	for (i = 0; i < file->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		file->point[i] = -1;
		for (j = 0; j < file->columns && !file->missing[j][i]; j++)
			;
		if (j == file->columns)
			file->member[complete++] = i;
	}
	return complete;
}

static void
sort_members(SdcHost *host, SdcLinkFile *file, int32_t complete)
{
	uint64_t *keys = sdc_new(host, uint64_t, (size_t) complete);
	int32_t i;
	int j;

	for (j = file->columns - 1; j >= 0; j--)
	{
		for (i = 0; i < complete; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			keys[i] = sdc_sort_key(file->value[j][file->member[i]]);
		}
		sdc_sort_keys(host, keys, file->member, (size_t) complete);
	}
	host->release(host, keys);
}

static bool
same_point(const SdcLinkFile *file, int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < file->columns; j++)
		if (file->value[j][a] != file->value[j][b])
			return false;
	return true;
}

void
sdc_link_file_collapse(SdcHost *host, SdcLinkFile *file)
{
	int32_t complete;
	int32_t i;
	int j;

	file->point = sdc_new(host, int32_t, (size_t) file->rows);
	file->member = sdc_new(host, int32_t, (size_t) file->rows);
	file->first = sdc_new(host, int32_t, (size_t) file->rows + 1);
	complete = list_complete(host, file);
	sort_members(host, file, complete);
	file->points = 0;
	for (i = 0; i < complete; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i == 0 || !same_point(file, file->member[i - 1], file->member[i]))
			file->first[file->points++] = i;
		file->point[file->member[i]] = file->points - 1;
	}
	file->first[file->points] = complete;
	file->coordinate =
		sdc_new(host, double, (size_t) file->points *(size_t) file->columns);
	for (i = 0; i < file->points; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (j = 0; j < file->columns; j++)
			file->coordinate[(size_t) i * (size_t) file->columns +
							 (size_t) j] =
				file->value[j][file->member[file->first[i]]];
	}
}
