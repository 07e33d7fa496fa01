/*
 * diversity.h
 *		l-diversity: how evenly the sensitive values of a class are spread.
 *
 * A class is given by the counts of its values, in any order; a count of 0 is
 * as if the value were not there.  All results are the same bits for any order
 * of the counts.  Whether NULL is a value is the caller's policy: its count is
 * among the counts or not.
 *
 * l may be any real number from 1; where the definition counts values or
 * ranks, the smallest whole number that is not below l is meant, so that a
 * demand is never weakened by rounding.
 */
#ifndef SDC_KERNEL_DIVERSITY_H
#define SDC_KERNEL_DIVERSITY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Comparisons with an irrational figure (entropy) accept this relative error,
 * so that exact ties do not hang on the last bit.
 */
#define SDC_DIVERSITY_TOLERANCE 1e-9

/* Sum of the counts.  O(n), as all that follow unless they say otherwise. */
extern int64_t sdc_diversity_records(const int64_t *count, int32_t n);

/* Distinct l-diversity: how many values occur. */
extern int32_t sdc_diversity_distinct(const int64_t *count, int32_t n);

/*
 * Entropy l-diversity (Machanavajjhala et al. 2007, def. 4.1): exp(H) with
 * H = -sum p ln p, the largest l that the class satisfies.  From 1 to the
 * number of values, and exactly that when all are equally frequent.  0 when
 * there are no records.
 */
extern double sdc_diversity_entropy(const int64_t *count, int32_t n);

/* Is exp(H) >= l, within SDC_DIVERSITY_TOLERANCE? */
extern bool sdc_diversity_is_entropy(const int64_t *count, int32_t n,
									 double l);

/*
 * Frequency l-diversity: records / the largest count, so that no value has a
 * share above 1/l (Wong et al. 2006).  0 when there are no records.
 */
extern double sdc_diversity_frequency(const int64_t *count, int32_t n);

/*
 * The k largest counts in descending order, in top[0 .. k - 1]; where there
 * are fewer values, zeros follow.  Returns how many are not 0.  O(n log k).
 */
extern int32_t sdc_diversity_top(const int64_t *count, int32_t n, int64_t *top,
								 int32_t k);

/*
 * Sorts counts in place, largest first.  The functions below want them so.
 * O(n log n), no memory.
 */
extern void sdc_diversity_rank(int64_t *count, int32_t n);

/*
 * Recursive (c, l)-diversity (def. 4.2): r_1 < c (r_l + ... + r_m), where
 * r_1 >= ... >= r_m are the counts.  Strictly less, as in the paper (Xiao and
 * Tao 2006 have "or equal").  False when there are fewer than l values.
 * c > 0.
 */
extern bool sdc_diversity_is_recursive(const int64_t *ranked, int32_t n,
									   double c, double l);

/* The largest l for which the class is recursive (c, l)-diverse; 0 if none. */
extern int32_t sdc_diversity_recursive(const int64_t *ranked, int32_t n,
									   double c);

/*
 * Positive disclosure-recursive (c, l)-diversity (def. 4.4): values that may
 * be disclosed are exempt.  most is the count of the most frequent value that
 * may not, 0 if there is none; y, its rank, is the first with that count (of
 * equal counts any gives the same answer).  With y <= l - 1 the demand is
 * most < c (r_l + ... + r_m); else most < c (r_{l-1} + ... + r_m - most).
 * True when most is 0.  c > 0; l below 2 demands most < c * records.
 */
extern bool sdc_diversity_is_pd_recursive(const int64_t *ranked, int32_t n,
										  int64_t most, double c, double l);

/*
 * The largest of the counts that are not marked as allowed: the argument most
 * above.
 */
extern int64_t sdc_diversity_most(const int64_t *count, const bool *allowed,
								  int32_t n);

/*
 * The smallest share, in percent, of a protected value: negative disclosure
 * (c1, c2, l)-diversity (def. 4.5) demands at least c2 percent in each class.
 * A protected value whose count is 0, also one that is missing from the
 * counts altogether (found < wanted), makes it 0.  100 when wanted is 0.
 * marked[i] tells that value i is protected; wanted is the number of values
 * that must be there.
 */
extern double sdc_diversity_protected(const int64_t *count, const bool *marked,
									  int32_t n, int32_t wanted);

#endif
