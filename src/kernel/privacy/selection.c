/*
 * selection.c
 *		Chooses one of several candidates with a high score, privately.
 *
 * See selection.h.  Both mechanisms propose candidates at random and accept
 * one with its weight; the exponential mechanism proposes with replacement,
 * permute and flip without.
 */
#include "kernel/privacy/selection.h"

#include "kernel/privacy/bernoulli_exponential.h"
#include "kernel/privacy/dyadic.h"
#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"

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

bool
sdc_selection_accept(SdcStrongBits *bits, const SdcSelectionRate *rate,
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
		if (sdc_selection_accept(bits, rate, best - score[i]))
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
		if (sdc_selection_accept(bits, rate, best - score[chosen]))
			break;
	}
	host->release(host, order);
	return chosen;
}
