/*
 * pair_loss.c
 *		How far the masked values of a column are from their originals.
 *
 * Everything is a sum over the pairs; the mean that the total is taken about
 * is found in a pass of its own.
 */

/* libm: atan; measures are no masks. */
#include "kernel/utility/pair_loss.h"

#include <math.h>
#include <string.h>

#define TWO_BY_PI 0.63661977236758134308

/* The masked value of a row, NAN when it is missing. */
static double
find_partner(const double *masked, const int32_t *partner, size_t i)
{
	return partner[i] < 0 ? NAN : masked[partner[i]];
}

/* The mean of the originals whose pairs count, as the moments have it. */
static double
find_mean(SdcHost *host, size_t rows, const double *original,
		  const double *masked, const int32_t *partner)
{
	double mean = 0;
	double count = 0;
	size_t i;

	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!isnan(original[i]) && !isnan(find_partner(masked, partner, i)))
			mean += (original[i] - mean) / ++count;
	}
	return mean;
}

SdcPairLoss
sdc_pair_loss_numbers(SdcHost *host, size_t rows, const double *original,
					  const double *masked, const int32_t *partner,
					  double scale)
{
	double mean = find_mean(host, rows, original, masked, partner);
	SdcPairLoss loss;
	size_t i;

	memset(&loss, 0, sizeof(loss));
	for (i = 0; i < rows; i++)
	{
		double x = original[i];
		double y = find_partner(masked, partner, i);
		double difference = fabs(x - y);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(difference))
		{
			loss.missing += !isnan(x) && partner[i] >= 0;
			continue;
		}
		loss.pairs++;
		loss.difference += difference;
		loss.squares += difference * difference;
		loss.total += (x - mean) * (x - mean);
		if (difference == 0)
			continue;
		if (x == 0)
			loss.zeros++;
		else
			loss.percent += 100 * difference / fabs(x);
		loss.angle += scale > 0 ? TWO_BY_PI * atan(difference / scale) : 1;
	}
	return loss;
}

double
sdc_pair_loss_il1s(const SdcPairLoss *loss, double deviation)
{
	if (loss->pairs == 0)
		return NAN;
	if (loss->difference == 0)
		return 0;
	if (!(deviation > 0))
		return NAN;
	return loss->difference / (double) loss->pairs / (sqrt(2.0) * deviation);
}

double
sdc_pair_loss_codes(SdcHost *host, size_t rows, const int32_t *original,
					const int32_t *masked, const int32_t *partner,
					int32_t levels, int64_t *pairs)
{
	int64_t ranks = 0;
	int64_t changed = 0;
	size_t i;

	*pairs = 0;
	for (i = 0; i < rows; i++)
	{
		int32_t x = original[i];
		int32_t y;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (partner[i] < 0)
			continue;
		y = masked[partner[i]];
		if (x < 0 && y < 0)
			continue;
		++*pairs;
		if (x == y)
			continue;
		if (levels > 1 && x >= 0 && y >= 0)
			ranks += x > y ? x - y : y - x;
		else
			changed++;
	}
	if (*pairs == 0)
		return NAN;
	return ((double) changed +
			(levels > 1 ? (double) ranks / (levels - 1) : 0)) /
		   (double) *pairs;
}
