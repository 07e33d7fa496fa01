/*
 * pram.h
 *		Post-randomisation (PRAM) of a categorical column.
 */
#ifndef SDC_KERNEL_PRAM_H
#define SDC_KERNEL_PRAM_H

#include <stdbool.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"

/*
 * The words for the matrix of sdc_pram_draw, of which there is one so far:
 * "invariant"; the list ends with NULL.
 */
extern const char *const sdc_pram_words[];

/* What is done with a matrix that is given: it is used as it is, or made one
 * that keeps the distribution. */
typedef enum SdcPramMatrixVariant
{
	SDC_PRAM_GIVEN,
	SDC_PRAM_INVARIANT
} SdcPramMatrixVariant;

/* Their words in that order; the list ends with NULL. */
extern const char *const sdc_pram_matrix_words[];

/* Categories of a matrix at the most. */
#define SDC_PRAM_CATEGORIES 500

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

/*
 * A transition matrix has the chance that category a becomes b at
 * chance[a * size + b], 1 <= size <= SDC_PRAM_CATEGORIES; its rows sum to 1.
 */

/*
 * Each of n codes 0 .. size - 1 becomes a code drawn from its row; one draw
 * each, in the order given.  O(size^2 + n log size).
 */
extern void sdc_pram_transit(SdcHost *host, int32_t size, const double *chance,
							 const int32_t *code, int32_t n, SdcRandom *random,
							 int32_t *masked);

/*
 * The matrix that applies the given one, and then draws for each result one
 * of the originals that may have led to it, by their chance: R = P Q, Q_cb =
 * v_b P_bc / sum over d of v_d P_dc.  The distribution v of the counts is
 * invariant for R (Gouweleeuw, Kooiman, Willenborg and de Wolf 1998).  Of
 * categories without a count the row is that of the identity.  result has the
 * shape of chance, and is not chance.  O(size present^2).
 */
extern void sdc_pram_invariant(SdcHost *host, int32_t size,
							   const double *chance, const double *count,
							   double *result);

/*
 * What the counts were before, from those of the masked column: the estimate
 * is t (P')^-1 without bias, and its variance, given the original, is sum over
 * b of A_ab^2 t_b - estimate_a with A = (P')^-1, estimated without bias, too
 * (Kooiman, Willenborg and Gouweleeuw 1997).  False when P has no inverse.
 * O(size^3).
 */
extern bool sdc_pram_estimate(SdcHost *host, int32_t size,
							  const double *chance, const double *masked,
							  double *estimate, double *variance);

/*
 * Of an invariant matrix the masked counts are themselves what the counts
 * were on average; variance[b] is the sum over a of n_a P_ab (1 - P_ab), with
 * n_a the masked counts.  O(size^2).
 */
extern void sdc_pram_spread(int32_t size, const double *chance,
							const double *masked, double *variance);

#endif
