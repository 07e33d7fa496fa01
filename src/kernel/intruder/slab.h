/*
 * slab.h
 *		Part of the persons in place of all, without losing one-to-one.
 *
 * A random sample of persons loses what one-to-one linkage gains, for the
 * others who compete for the same records are missing.  A slab is everybody
 * whose rank in one column lies in a run of ranks; those at its margins
 * compete but are not counted.  Since risk varies with rank, slabs are spread
 * over the file, and the interval comes from the spread between them.
 */
#ifndef SDC_KERNEL_SLAB_H
#define SDC_KERNEL_SLAB_H

#include "kernel/intruder/intruder.h"

/* Windows of the swap on each side of a slab whose persons only compete. */
#define SDC_SLAB_MARGIN 3.0

/* Slabs at least, for an interval, and at most. */
#define SDC_SLAB_LEAST 4
#define SDC_SLAB_MOST  256

/* Where the slabs of a file lie, in ranks of one column. */
typedef struct SdcSlabPlan
{
	int slabs;      /* 0: they would save little, or there is no room */
	int term;       /* the term whose ranks are cut, numbered as added */
	int32_t inner;  /* ranks of a slab that count */
	int32_t margin; /* ranks on each side that only compete */
	int32_t *low;   /* first rank that counts, by slab */
	int32_t *order; /* persons by rank; those without one are left out */
	int32_t *rank;  /* of each of them */
	int32_t ranked;
} SdcSlabPlan;

/*
 * Plans so many slabs (SDC_SLAB_LEAST to SDC_SLAB_MOST) over the rank-swapped
 * column with the narrowest window, one in each part of the file at a place
 * drawn from the seed, so that all together search for about most persons.
 * Fewer slabs are planned where the margins leave no room, none where there
 * is no such column.  Where fewer than all persons fit into memory, slabs have
 * at_once of them at the most, half of whom count, and margins as wide as that
 * leaves; none are planned where a slab would be narrower than a window.
 * margin is how wide margins are at the most, in windows of the swap, as
 * SDC_SLAB_MARGIN.  O(persons log persons).
 */
extern SdcSlabPlan *sdc_slab_plan(SdcHost *host, const SdcIntruder *intruder,
								  int slabs, int64_t most, int64_t at_once,
								  double margin, uint64_t seed);

/* Gives a plan back. */
extern void sdc_slab_plan_release(SdcHost *host, SdcSlabPlan *plan);

/* Are the margins too narrow for all who compete with those who count? */
extern bool sdc_slab_is_narrow(const SdcIntruder *intruder,
							   const SdcSlabPlan *plan);

/*
 * The persons of a slab, for SdcIntruderSearch.who: returns how many; who has
 * room for all persons.  counted, by person, tells who counts (the others
 * only compete); claimed, by record, tells whether everybody who may be
 * behind it is in the slab, for SdcIntruderPrior.claimed.
 */
extern int32_t sdc_slab_select(const SdcIntruder *intruder,
							   const SdcSlabPlan *plan, int slab, int32_t *who,
							   bool *counted, bool *claimed);

/* An estimate with its interval, as shares. */
typedef struct SdcSlabEstimate
{
	double share;
	double low;
	double high;
} SdcSlabEstimate;

/*
 * The share of right among persons over all slabs, and its interval of 95
 * percent by Student's law on the spread between the 2 to SDC_SLAB_MOST
 * slabs, made wider: 2.0 times below and 1.3 times above (fitted; it held
 * the full share in 300 of 308 fresh tables, see slab.c).  The
 * persons of one slab are not independent, so their number tells nothing.
 */
extern SdcSlabEstimate sdc_slab_interval(const int32_t *right,
										 const int32_t *persons, int slabs);

#endif
