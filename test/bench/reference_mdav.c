/*
 * reference_mdav.c
 *		Textbook MDAV, the algorithm that the kernel is measured against.
 *
 * Every step reads all rows that are free: O(n^2 / k).  The free rows lie
 * one after the other in memory, which is the kindest form of it.
 */
#include "reference_mdav.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Free rows, one after the other, and where each came from. */
typedef struct Reference
{
	int columns;
	int32_t free;
	double *value;
	int32_t *row;
	double *distance;
	int32_t *group;
	int32_t groups;
} Reference;

static double
squared_distance(const double *a, const double *b, int columns)
{
	double sum = 0;
	int j;

	for (j = 0; j < columns; j++)
		sum += (a[j] - b[j]) * (a[j] - b[j]);
	return sum;
}

static int32_t
reference_farthest(const Reference *reference, const double *from)
{
	double best = -1;
	int32_t found = 0;
	int32_t i;

	for (i = 0; i < reference->free; i++)
	{
		double distance = squared_distance(
			reference->value + (size_t) i * (size_t) reference->columns, from,
			reference->columns);

		if (distance > best)
		{
			best = distance;
			found = i;
		}
	}
	return found;
}

static void
reference_mean(const Reference *reference, double *mean)
{
	int32_t i;
	int j;

	for (j = 0; j < reference->columns; j++)
		mean[j] = 0;
	for (i = 0; i < reference->free; i++)
		for (j = 0; j < reference->columns; j++)
			mean[j] += reference->value[(size_t) i * reference->columns + j];
	for (j = 0; j < reference->columns; j++)
		mean[j] /= reference->free;
}

/* Groups the k rows nearest to a point, kept sorted while they are sought. */
static void
reference_group(Reference *reference, const double *around, int k)
{
	size_t width = (size_t) reference->columns;
	int32_t nearest[64];
	double distance[64];
	int count = 0;
	int32_t i;
	int t;

	for (i = 0; i < reference->free; i++)
	{
		double here = squared_distance(reference->value + (size_t) i * width,
									   around, reference->columns);

		if (count == k && here >= distance[k - 1])
			continue;
		t = count < k ? count++ : k - 1;
		for (; t > 0 && distance[t - 1] > here; t--)
		{
			distance[t] = distance[t - 1];
			nearest[t] = nearest[t - 1];
		}
		distance[t] = here;
		nearest[t] = i;
	}
	while (count > 0)
	{
		int last = 0;
		int32_t place;

		/* from the back, so that the places of the others stay true */
		for (t = 1; t < count; t++)
			if (nearest[t] > nearest[last])
				last = t;
		place = nearest[last];
		nearest[last] = nearest[--count];
		reference->group[reference->row[place]] = reference->groups;
		reference->free--;
		memcpy(reference->value + (size_t) place * width,
			   reference->value + (size_t) reference->free * width,
			   width * sizeof(double));
		reference->row[place] = reference->row[reference->free];
	}
	reference->groups++;
}

int32_t
reference_mdav(const SdcMatrix *matrix, int k, int32_t *group)
{
	Reference reference = {
		matrix->columns, (int32_t) matrix->rows, NULL, NULL, NULL, group, 0};
	size_t width = (size_t) matrix->columns;
	double mean[SDC_MAX_COLUMNS];
	double r[SDC_MAX_COLUMNS];
	double s[SDC_MAX_COLUMNS];
	int32_t i;
	int j;

	reference.value = malloc(matrix->rows * width * sizeof(double));
	reference.row = malloc(matrix->rows * sizeof(int32_t));
	for (i = 0; i < reference.free; i++)
	{
		reference.row[i] = i;
		for (j = 0; j < matrix->columns; j++)
			reference.value[(size_t) i * width + j] = matrix->column[j][i];
	}
	while (reference.free >= 2 * k)
	{
		bool two = reference.free >= 3 * k;
		int32_t place;

		reference_mean(&reference, mean);
		place = reference_farthest(&reference, mean);
		memcpy(r, reference.value + (size_t) place * width,
			   sizeof(double) * width);
		reference_group(&reference, r, k);
		if (!two)
			break;
		place = reference_farthest(&reference, r);
		memcpy(s, reference.value + (size_t) place * width,
			   sizeof(double) * width);
		reference_group(&reference, s, k);
	}
	for (i = 0; i < reference.free; i++)
		group[reference.row[i]] = reference.groups;
	free(reference.value);
	free(reference.row);
	return reference.groups + 1;
}
