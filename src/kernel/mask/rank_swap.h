/*
 * rank_swap.h
 *		Rank swapping and shuffling: which rank each rank takes its value from.
 *
 * Ranks are positions in ascending order, 0-based.  from[r] is the rank whose
 * value the holder of rank r gets, so marginals never change; from[r] == r
 * leaves a value where it was.
 */
#ifndef SDC_KERNEL_RANK_SWAP_H
#define SDC_KERNEL_RANK_SWAP_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Numbers 0 .. n - 1, of which some have been taken; for rank_swap.c. */
typedef struct SdcFreeSet
{
	int32_t n;
	uint64_t *taken; /* a bit for each number */
	int32_t *count;  /* Fenwick tree of members per word, NULL until needed */
} SdcFreeSet;

/* Is the number still a member? */
static inline bool
sdc_free_set_has(const SdcFreeSet *set, int32_t number)
{
	return !(set->taken[number >> 6] >> (number & 63) & 1);
}

/* How a partner is chosen; see sdc_rank_swap. */
typedef enum SdcRankSwapMethod
{
	SDC_RANK_SWAP_CLASSIC,
	SDC_RANK_SWAP_BUCKETS,
	SDC_RANK_SWAP_DISTRIBUTION
} SdcRankSwapMethod;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_rank_swap_words[];

/*
 * The window in ranks, floor(p n / 100), for 0 <= p <= 100 and n >= 0.
 */
extern int32_t sdc_rank_swap_window(double p, int32_t n);

/*
 * Pairs n ranks at random; from[] is an involution.  With w the window in
 * ranks,
 *
 * classic: in ascending order, an unpaired rank i is paired with a rank drawn
 * uniformly from the unpaired ones in i + 1 .. i + w; none, and it stays.  So
 * |from[i] - i| <= w (Moore 1996; Nin, Herranz and Torra 2008).
 *
 * buckets: ranks are cut into buckets of w; an unpaired rank of bucket r is
 * paired with one of bucket s >= r, Pr[s | r] proportional to 2^-(s - r + 1)
 * among the buckets that still hold an unpaired rank, uniformly inside.
 *
 * distribution: the partner is i + round(x), x normal with mean and standard
 * deviation w / 2, drawn again until it is an unpaired rank, at most 100
 * times.
 *
 * O(n log n) time at the worst, O(n) in practice; scratch n / 4 bytes.
 */
extern void sdc_rank_swap(SdcHost *host, SdcRankSwapMethod method, int32_t n,
						  int32_t w, SdcRandom *random, int32_t *from);

/* Is told that a rank takes its value from a rank. */
typedef void (*SdcRankMove)(void *arg, int32_t rank, int32_t from);

/*
 * The same for who has no room for from[]: move is told of each rank once, as
 * soon as it is decided; in no order.  3 n / 16 bytes are all the memory.
 */
extern void sdc_rank_swap_each(SdcHost *host, SdcRankSwapMethod method,
							   int32_t n, int32_t w, SdcRandom *random,
							   SdcRankMove move, void *arg);

/*
 * The correlation of n ascending finite values with what swapping makes of
 * them: the share of a covariance with another column, whose mean is linear in
 * this one, that is left on average.  The mean of so many swaps that they have
 * about a million ranks, 4 at least; the same for the same seed.  1 when all
 * values are equal.
 */
extern double sdc_rank_swap_kept(SdcHost *host, SdcRankSwapMethod method,
								 const double *value, int32_t n, int32_t w,
								 uint64_t seed);

/* A uniformly random permutation of n ranks (Fisher and Yates); O(n). */
extern void sdc_rank_shuffle(SdcHost *host, int32_t n, SdcRandom *random,
							 int32_t *from);

/* ----------------------------------------------------------------------
 * The same for more ranks than there is memory for.
 *
 * Ranks are cut into stripes of neighbours.  In each stripe a permutation of
 * its own, which a secret key chooses, puts every rank into another layer, so
 * a layer has one rank of each stripe.  What is drawn is which stripe the
 * ranks of a layer take their values from, for so many layers as there is room
 * for; further ones take turns.  So a value moves by the law of what was
 * drawn, to within a stripe, and nobody without the key knows which ranks move
 * alike.
 * ----------------------------------------------------------------------
 */

typedef struct SdcRankLayers
{
	int64_t ranks;
	int64_t length; /* of a stripe; the last one may be shorter */
	int32_t stripes;
	int32_t layers; /* that are drawn */
	int32_t *from;  /* from[layer * stripes + stripe] is a stripe */
	uint64_t *key;  /* of each stripe; not read where length is 1 */
} SdcRankLayers;

/* Stripes, where not every rank can be one. */
#define SDC_RANK_STRIPES 65536

/*
 * The shape of layers for so many ranks, of which at most room numbers are
 * drawn, where room is a multiple of SDC_RANK_STRIPES.  Up to room ranks each
 * is a stripe in one layer.
 */
extern SdcRankLayers sdc_rank_layers_shape(int64_t ranks, int32_t room);

/*
 * The window in stripes, for p as above, within which no rank moves further
 * than p percent of all ranks.
 */
extern int32_t sdc_rank_layers_window(const SdcRankLayers *layers, double p);

/*
 * The rank that a rank takes its value from.  If from[] is a permutation in
 * each layer, or one that is its own inverse, so is this.  O(1).
 */
extern int64_t sdc_rank_layers_from(const SdcRankLayers *layers, int64_t rank);

#endif
