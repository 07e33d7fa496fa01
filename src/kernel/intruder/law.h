/*
 * law.h
 *		The law by which rank swapping moves a rank.
 *
 * The intruder knows the mask, so he runs it on bare ranks 0 .. n - 1 as
 * often as he likes and counts how far each rank's value comes from.  The law
 * is kept by zones of the rank (rows) and of the displacement (bins), both
 * SDC_LAW_ZONES to a window w, with edges exactly at -w and w: what classic
 * swapping never does has chance 0.
 */
#ifndef SDC_KERNEL_LAW_H
#define SDC_KERNEL_LAW_H

#include "kernel/base/host.h"
#include "kernel/mask/rank_swap.h"

/* Zones to a window; fewer when the window has fewer ranks. */
#define SDC_LAW_ZONES 32

/*
 * A law without pointers, so that it can be copied into shared memory: the
 * arrays follow the struct.  below[row * (bins + 1) + b] is the mass of the
 * bins before b; stay[row] the chance to stay, apart from the bins.
 */
typedef struct SdcRankLaw
{
	SdcRankSwapMethod method;
	int32_t n;     /* ranks of the file */
	int32_t w;     /* window, at least 1 */
	int32_t zones; /* to a window */
	int32_t reach; /* windows on each side that the bins cover */
	int32_t rows;
	int32_t bins; /* 2 reach zones */
	double data[];
} SdcRankLaw;

/* Bytes of a law; also the room to copy it to. */
extern size_t sdc_rank_law_size(const SdcRankLaw *law);

/*
 * The law of a method on n ranks with a window of w, 1 <= w <= n.  A window
 * above 256 ranks is simulated at 256 and a file of more than 24 windows at
 * 24, its first and last 8 windows by themselves and all between as one
 * (buckets: by the place inside the bucket, for its law is not stationary).
 * Some 200 draws a cell, neighbouring rows averaged at equal displacement.
 * The same law for the same seed.  At most about 1e8 draws; polls.
 */
extern SdcRankLaw *sdc_rank_law_simulate(SdcHost *host,
										 SdcRankSwapMethod method, int32_t n,
										 int32_t w, uint64_t seed);

/* The row of a rank, 0 .. rows - 1. */
extern int32_t sdc_rank_law_row(const SdcRankLaw *law, int32_t rank);

/*
 * The chance that the holder of a rank of this row gets a value from a rank
 * at most x above his own (x may be negative).
 */
static inline double
sdc_rank_law_below(const SdcRankLaw *law, int32_t row, int32_t x)
{
	const double *below = law->data + (size_t) row * (law->bins + 1);
	const double *stay = law->data + (size_t) law->rows * (law->bins + 1);
	double atom = x >= 0 ? stay[row] : 0;
	int32_t edge = x >= 0 ? x : x + 1;
	double place =
		(double) law->reach * law->zones + (double) edge * law->zones / law->w;
	int32_t b;

	if (place <= 0)
		return atom;
	if (place >= law->bins)
		return below[law->bins] + atom;
	b = (int32_t) place;
	return below[b] + (place - b) * (below[b + 1] - below[b]) + atom;
}

#endif
