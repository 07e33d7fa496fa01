/*
 * dp_quantile.c
 *		A median or another quantile under differential privacy.
 *
 * See dp_quantile.h.  A cell is proposed uniformly and accepted with its
 * weight, until one is: the exponential mechanism without any weight being
 * computed.
 */
#include "kernel/privacy/dp_quantile.h"

#include <math.h>
#include "kernel/base/host.h"
#include "kernel/privacy/neighbours.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"

#define FRACTION_BITS 20

SdcDpQuantileFraction
sdc_dp_quantile_fraction(double fraction)
{
	SdcDpQuantileFraction result;

	result.whole = UINT64_C(1) << FRACTION_BITS;
	result.part = (uint64_t) rint(fraction * (double) result.whole);
	while (result.whole > 1 && result.part % 2 == 0)
	{
		result.whole /= 2;
		result.part /= 2;
	}
	return result;
}

uint32_t
sdc_dp_quantile_cell(const SdcDpQuantileRange *range, double value)
{
	double cell;

	if (value <= range->lower)
		return 0;
	if (value >= range->upper)
		return range->cells - 1;
	/* halves: the width of the range may not fit a double */
	cell = (value / 2 - range->lower / 2) /
		   (range->upper / 2 - range->lower / 2) * range->cells;
	return cell < range->cells - 1 ? (uint32_t) cell : range->cells - 1;
}

double
sdc_dp_quantile_value(const SdcDpQuantileRange *range, uint32_t cell)
{
	double share = (cell + 0.5) / range->cells;
	double value = range->lower * (1 - share) + range->upper * share;

	return value < range->lower   ? range->lower
		   : value > range->upper ? range->upper
								  : value;
}

uint64_t
sdc_dp_quantile_loss(const SdcDpQuantileFraction *fraction, uint64_t less,
					 uint64_t up_to, uint64_t total)
{
	uint64_t wanted = fraction->part * total;

	if (fraction->whole * less > wanted)
		return fraction->whole * less - wanted;
	if (fraction->whole * up_to < wanted)
		return wanted - fraction->whole * up_to;
	return 0;
}

uint64_t
sdc_dp_quantile_sensitivity(const SdcDpQuantileFraction *fraction,
							SdcNeighbours neighbours)
{
	uint64_t rest = fraction->whole - fraction->part;

	if (neighbours == SDC_NEIGHBOURS_REPLACE)
		return fraction->whole;
	return fraction->part > rest ? fraction->part : rest;
}

uint32_t
sdc_dp_quantile_choose(SdcHost *host, SdcStrongBits *bits,
					   const uint64_t *count, uint32_t cells,
					   const SdcDpQuantileFraction *fraction,
					   SdcNeighbours neighbours, double epsilon)
{
	/* values in the cells before each cell, and in all */
	uint64_t *less = sdc_new(host, uint64_t, (size_t) cells + 1);
	SdcSelectionRate rate;
	uint64_t tries;
	uint32_t cell;

	less[0] = 0;
	for (cell = 0; cell < cells; cell++)
		less[cell + 1] = less[cell] + count[cell];
	sdc_selection_rate(sdc_dp_quantile_sensitivity(fraction, neighbours),
					   false, epsilon, &rate);
	for (tries = 0;; tries++)
	{
		uint64_t loss;

		if (tries % SDC_POLL_STEPS == 0)
			host->poll(host, tries, 0);
		cell = sdc_strong_bits_below(bits, cells);
		loss = sdc_dp_quantile_loss(fraction, less[cell], less[cell + 1],
									less[cells]);
		if (sdc_selection_accept(bits, &rate, loss))
			break;
	}
	host->release(host, less);
	return cell;
}
