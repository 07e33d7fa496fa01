/*
 * selection.c
 *		Private choices: one of several candidates, a median, a quantile.
 */
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"

/* ----------------------------------------------------------------------
 * Chooses one of several candidates with a high score, privately.
 *
 * Both mechanisms propose candidates at random and accept
 * one with its weight; the exponential mechanism proposes with replacement,
 * permute and flip without.
 * ----------------------------------------------------------------------
 */

/* Bits after the point of a score whose sensitivity is 1. */
#define SCORE_BITS 30

void
sdc_selection_rate(uint64_t sensitivity, bool monotonic, double epsilon,
				   SdcSelectionRate *rate)
{
	SdcDyadic dyadic = sdc_dyadic(epsilon);

	rate->times = dyadic.digits;
	rate->over = (SdcUint128) sensitivity << (monotonic ? 0 : 1);
	if (dyadic.exponent < 0)
		rate->over <<= -dyadic.exponent;
	else
		rate->times <<= dyadic.exponent;
}

/* True with the probability that is the weight of a loss of up to 2^63. */
static bool
selection_accept(SdcStrongBits *bits, const SdcSelectionRate *rate,
				 uint64_t loss)
{
	return sdc_bernoulli_exponential_draw(
		bits, (SdcUint128) rate->times * loss, rate->over);
}

static int
score_exponent(double sensitivity)
{
	return sdc_dyadic_log2_ratio(sensitivity, 1) - SCORE_BITS;
}

int64_t
sdc_selection_score(double score, double sensitivity)
{
	double scaled = rint(ldexp(score, -score_exponent(sensitivity)));

	if (scaled >= (double) SDC_SELECTION_SCORE)
		return SDC_SELECTION_SCORE;
	if (scaled <= -(double) SDC_SELECTION_SCORE)
		return -SDC_SELECTION_SCORE;
	return (int64_t) scaled;
}

uint64_t
sdc_selection_sensitivity(double sensitivity)
{
	return (uint64_t) ceil(ldexp(sensitivity, -score_exponent(sensitivity))) +
		   1;
}

static int64_t
best_score(const int64_t *score, size_t count)
{
	int64_t best = score[0];
	size_t i;

	for (i = 1; i < count; i++)
		if (score[i] > best)
			best = score[i];
	return best;
}

size_t
sdc_selection_exponential(SdcHost *host, SdcStrongBits *bits,
						  const SdcSelectionRate *rate, const int64_t *score,
						  size_t count)
{
	int64_t best = best_score(score, count);
	uint64_t tries;

	for (tries = 0;; tries++)
	{
		size_t i = sdc_strong_bits_below(bits, count);

		if (tries % SDC_POLL_STEPS == 0)
			host->poll(host, tries, 0);
		if (selection_accept(bits, rate, best - score[i]))
			return i;
	}
}

size_t
sdc_selection_permute_and_flip(SdcHost *host, SdcStrongBits *bits,
							   const SdcSelectionRate *rate,
							   const int64_t *score, size_t count)
{
	int64_t best = best_score(score, count);
	uint32_t *order = sdc_new(host, uint32_t, count);
	uint32_t chosen = 0;
	size_t i;

	for (i = 0; i < count; i++)
		order[i] = i;
	for (i = 0; i < count; i++)
	{
		size_t other = i + sdc_strong_bits_below(bits, count - i);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, count);
		chosen = order[other];
		order[other] = order[i];
		/* the best is always accepted, so the loop never runs out */
		if (selection_accept(bits, rate, best - score[chosen]))
			break;
	}
	host->release(host, order);
	return chosen;
}

/* ----------------------------------------------------------------------
 * A median or another quantile under differential privacy.
 *
 * A cell is proposed uniformly and accepted with its
 * weight, until one is: the exponential mechanism without any weight being
 * computed.
 * ----------------------------------------------------------------------
 */

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
		if (selection_accept(bits, &rate, loss))
			break;
	}
	host->release(host, less);
	return cell;
}
