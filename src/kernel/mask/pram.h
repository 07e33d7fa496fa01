/*
 * pram.h
 *		Post-randomisation (PRAM) of a categorical column.
 */
#ifndef SDC_KERNEL_PRAM_H
#define SDC_KERNEL_PRAM_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* The words for transition matrices; the list ends with NULL. */
extern const char *const sdc_pram_words[];

/*
 * Each of n ranks keeps its value with probability p (0 to 1) and otherwise
 * gets the value of a rank drawn uniformly from all n: from[r] is that rank.
 *
 * With v the distribution of the column this is the transition matrix
 * p I + (1 - p) 1 v', for which v is invariant: the expected frequencies of
 * the masked column are those of the original (Gouweleeuw and others 1998).
 * A value of frequency v_k is seen again with probability p + (1 - p) v_k.
 * O(n).
 */
extern void sdc_pram_draw(SdcHost *host, int32_t n, double p,
						  SdcRandom *random, int32_t *from);

#endif
