/*
 * select.c
 *		Records parted at a rank of one of their numbers.
 */
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/select.h"

static void
swap_records(double *a, double *b, size_t width)
{
	size_t i;

	for (i = 0; i < width; i++)
	{
		double kept = a[i];

		a[i] = b[i];
		b[i] = kept;
	}
}

static double
median_of_three(double a, double b, double c)
{
	if (a > b)
	{
		double kept = a;

		a = b;
		b = kept;
	}
	return c < a ? a : c > b ? b : c;
}

/*
 * Quickselect (Hoare); the places it picks pivots from are scattered, so that
 * no natural order of the data makes it slow.
 */
void
sdc_select_record(SdcHost *host, double *records, size_t width, int64_t n,
				  int64_t middle, int axis)
{
	const double *key = records + axis;
	int64_t first = 0;
	int64_t last = n - 1;
	uint32_t steps = 0;

	while (first < last)
	{
		uint64_t length = (uint64_t) (last - first + 1);
		uint64_t bits = sdc_random_mix(length);
		double pivot = median_of_three(
			key[((uint64_t) first + bits % length) * width],
			key[((uint64_t) first + (bits >> 20) % length) * width],
			key[((uint64_t) first + (bits >> 40) % length) * width]);
		int64_t i = first;
		int64_t j = last;

		while (i <= j)
		{
			while (key[(size_t) i * width] < pivot)
				i++;
			while (key[(size_t) j * width] > pivot)
				j--;
			if (i > j)
				break;
			if (++steps % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			swap_records(records + (size_t) i * width,
						 records + (size_t) j * width, width);
			i++;
			j--;
		}
		if (middle <= j)
			last = j;
		else if (middle >= i)
			first = i;
		else
			return;
	}
}
