/*
 * disclosure.c
 *		Attribute disclosure: how many original values a masked file gives
 *		away, exactly or within an interval.
 *
 * Intervals of ranks are intervals of values between two places of the sorted
 * originals, so ranks themselves are never needed: two binary searches find
 * where the masked value would stand and how far its equals reach.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/risk/disclosure.h"
#include "kernel/table/frequency.h"

static void
poll_at(SdcHost *host, int32_t i)
{
	if (i % SDC_POLL_STEPS == 0)
		host->poll(host, 0, 0);
}

void
sdc_disclosure_prepare(SdcHost *host, SdcDisclosureNumbers *numbers,
					   const double *original, const double *masked, int32_t n)
{
	SdcScale scale;
	int32_t i;

	numbers->original = original;
	numbers->masked = masked;
	numbers->n = n;
	numbers->values = 0;
	numbers->sorted = sdc_new(host, double, (size_t) n);
	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		if (!isnan(original[i]))
			numbers->sorted[numbers->values++] = original[i];
	}
	/* puts the values in order, too */
	scale = sdc_scale_find(host, numbers->sorted, (size_t) numbers->values);
	numbers->first = scale.first;
	numbers->second = scale.second;
	numbers->deviation = scale.deviation;
}

/*
 * The place of the first sorted value that is not below x, or, with equal,
 * that is above x.
 */
static int32_t
find_place(const SdcDisclosureNumbers *numbers, double x, bool equal)
{
	size_t values = (size_t) numbers->values;

	return (int32_t) (equal ? sdc_sort_up_to(numbers->sorted, values, x)
							: sdc_sort_below(numbers->sorted, values, x));
}

/* Is x at least as near to a as to b?  a <= x <= b. */
static bool
is_nearer(double x, double a, double b)
{
	double below = x - a;
	double above = b - x;

	/* differences that are too large for a double: of halves they are not */
	if (isinf(below) && isinf(above))
		return x / 2 - a / 2 <= b / 2 - x / 2;
	return below <= above;
}

/* Where the sorted value nearest to x begins and ends: first and last. */
static void
find_nearest(const SdcDisclosureNumbers *numbers, double x, int32_t *first,
			 int32_t *last)
{
	const double *sorted = numbers->sorted;
	int32_t place = find_place(numbers, x, false);
	bool below = place == numbers->values ||
				 (place > 0 && sorted[place] != x &&
				  is_nearer(x, sorted[place - 1], sorted[place]));

	if (below)
	{
		*last = place - 1;
		*first = find_place(numbers, sorted[place - 1], false);
	}
	else
	{
		*first = place;
		*last = find_place(numbers, sorted[place], true) - 1;
	}
}

/* Does the interval of ranks around the masked value hold the original? */
static bool
in_rank_interval(const SdcDisclosureNumbers *numbers, int32_t window,
				 double original, double masked)
{
	int32_t first;
	int32_t last;

	find_nearest(numbers, masked, &first, &last);
	first = first > window ? first - window : 0;
	last = last < numbers->values - 1 - window ? last + window
											   : numbers->values - 1;
	return original >= numbers->sorted[first] &&
		   original <= numbers->sorted[last];
}

void
sdc_disclosure_rank(SdcHost *host, const SdcDisclosureNumbers *numbers,
					double p, uint8_t *mark)
{
	int32_t window = (int32_t) floor(p * numbers->values / 200);
	int32_t i;

	for (i = 0; i < numbers->n; i++)
	{
		double original = numbers->original[i];
		double masked = numbers->masked[i];

		poll_at(host, i);
		if (isnan(original))
			mark[i] = SDC_DISCLOSURE_NOTHING;
		else if (!isnan(masked) &&
				 in_rank_interval(numbers, window, original, masked))
			mark[i] = SDC_DISCLOSURE_SHOWN;
		else
			mark[i] = SDC_DISCLOSURE_HIDDEN;
	}
}

void
sdc_disclosure_deviation(SdcHost *host, const SdcDisclosureNumbers *numbers,
						 double p, uint8_t *mark)
{
	double limit = p * numbers->deviation / 100;
	int32_t i;

	for (i = 0; i < numbers->n; i++)
	{
		double original = numbers->original[i];
		double masked = numbers->masked[i];
		double difference;

		poll_at(host, i);
		if (isnan(original))
		{
			mark[i] = SDC_DISCLOSURE_NOTHING;
			continue;
		}
		difference = fabs(original * numbers->first * numbers->second -
						  masked * numbers->first * numbers->second);
		/* a tiny difference may vanish when multiplied, so 0 is not asked */
		mark[i] = original == masked || (limit > 0 && difference <= limit)
					  ? SDC_DISCLOSURE_SHOWN
					  : SDC_DISCLOSURE_HIDDEN;
	}
}

void
sdc_disclosure_equal(SdcHost *host, const SdcDisclosureNumbers *numbers,
					 uint8_t *mark)
{
	int32_t i;

	for (i = 0; i < numbers->n; i++)
	{
		double original = numbers->original[i];

		poll_at(host, i);
		if (isnan(original))
			mark[i] = SDC_DISCLOSURE_NOTHING;
		else
			mark[i] = original == numbers->masked[i] ? SDC_DISCLOSURE_SHOWN
													 : SDC_DISCLOSURE_HIDDEN;
	}
}

void
sdc_disclosure_equal_codes(SdcHost *host, const int32_t *original,
						   const int32_t *masked, int32_t n, uint8_t *mark)
{
	int32_t i;

	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		if (original[i] == SDC_CODE_NULL)
			mark[i] = SDC_DISCLOSURE_NOTHING;
		else
			mark[i] = original[i] == masked[i] ? SDC_DISCLOSURE_SHOWN
											   : SDC_DISCLOSURE_HIDDEN;
	}
}

/*
 * The sum over records of how often the record's original occurs among the
 * masked values is the sum over values of both frequencies, as an integer.
 */
double
sdc_disclosure_chance(SdcHost *host, const SdcDisclosureNumbers *numbers)
{
	uint64_t pairs = 0;
	int32_t i;

	for (i = 0; i < numbers->n; i++)
	{
		double masked = numbers->masked[i];

		poll_at(host, i);
		if (!isnan(numbers->original[i]) && !isnan(masked))
			pairs += (uint64_t) (find_place(numbers, masked, true) -
								 find_place(numbers, masked, false));
	}
	return (double) pairs / numbers->values / numbers->values;
}

double
sdc_disclosure_chance_codes(SdcHost *host, const int32_t *original,
							const int32_t *masked, int32_t n, int32_t values)
{
	int32_t *count = sdc_new(host, int32_t, (size_t) values);
	int32_t records = 0;
	uint64_t pairs = 0;
	int32_t i;

	memset(count, 0, sizeof(int32_t) * (size_t) values);
	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		if (original[i] == SDC_CODE_NULL)
			continue;
		count[original[i]]++;
		records++;
	}
	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		if (original[i] != SDC_CODE_NULL && masked[i] != SDC_CODE_NULL)
			pairs += (uint64_t) count[masked[i]];
	}
	host->release(host, count);
	return (double) pairs / records / records;
}

void
sdc_disclosure_join(SdcHost *host, const uint8_t *mark, int32_t n,
					uint8_t *joint)
{
	int32_t i;

	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		if (joint[i] == SDC_DISCLOSURE_NOTHING ||
			mark[i] == SDC_DISCLOSURE_HIDDEN)
			joint[i] = mark[i];
	}
}

SdcDisclosureShare
sdc_disclosure_count(SdcHost *host, const uint8_t *mark, int32_t n)
{
	SdcDisclosureShare share = {0, 0};
	int32_t i;

	for (i = 0; i < n; i++)
	{
		poll_at(host, i);
		share.records += mark[i] != SDC_DISCLOSURE_NOTHING;
		share.shown += mark[i] == SDC_DISCLOSURE_SHOWN;
	}
	return share;
}
