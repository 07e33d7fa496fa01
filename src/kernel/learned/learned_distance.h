/*
 * learned_distance.h
 *		The parameters of a distance that re-identify the most records.
 *
 * V. Torra 2016, "On machine learning for data privacy", slides 26-42, with
 * its errors corrected: a record is compared with every target but its own,
 * and it must be nearer to its own than to those by a margin, so that ties
 * are failures.
 */
#ifndef SDC_KERNEL_LEARNED_DISTANCE_H
#define SDC_KERNEL_LEARNED_DISTANCE_H

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/learned/learned_form.h"

/*
 * The Mahalanobis distance of aligned files as half a matrix: the inverse of
 * the covariance of the differences between each record and its own target.
 * False when that is singular.  O(records columns^2 + columns^3).
 */
extern bool sdc_learned_start_mahalanobis(SdcHost *host,
										  const SdcLearnedData *data,
										  double *half);

/*
 * When to stop: after so many steps (0: never), each a number of a row that is
 * looked at, about a nanosecond; never by a clock, so that the result does not
 * depend on the machine.  What is looked at is added up in spent.
 */
typedef struct SdcLearnedLimit
{
	double most;
	double spent;
} SdcLearnedLimit;

/* Has all been looked at that may be?  Never without a limit. */
static inline bool
sdc_learned_limit_reached(const SdcLearnedLimit *limit)
{
	return limit->most > 0 && limit->spent >= limit->most;
}

/*
 * Improves a point of norm 1 until steps lines were tried without a limit
 * reached; the best is left in point, and its number of good records
 * (sdc_learned_count_rows) returned.  The same for the same random stream,
 * unless the limit stops it.  A line takes O(rows features).
 */
extern int32_t sdc_learned_sweep_run(SdcHost *host, const SdcLearnedRows *rows,
									 SdcRandom *random, SdcLearnedLimit *limit,
									 int steps, double *point);

/*
 * importance[j]: weights of WM; Shapley values of the Choquet families, which
 * add up to 1; for bilinear families the share of the diagonal, by magnitude,
 * with the sign of the entry; for OWA the weight of the j-th largest
 * difference.
 *
 * interaction[j * n + k], j < k: Shapley interaction indices (Grabisch 1997)
 * of the Choquet families, above 0 where two attributes count more together
 * than apart; for bilinear families the entry off the diagonal over the root
 * of the product of the two on it (over the largest of the diagonal where
 * that is not positive); otherwise 0.  O(2^n n^2) for Choquet.
 */
extern void sdc_learned_explain(const SdcLearnedForm *form,
								const double *parameter, double *importance,
								double *interaction);

/* What was learned; the arrays are the host's. */
typedef struct SdcLearnedResult
{
	const SdcLearnedForm *form;
	double *point;        /* of norm 1 */
	double *parameter;    /* sdc_learned_form_describe */
	int32_t uniform;      /* records that the plain mean re-identifies */
	int32_t reidentified; /* counted anew over all pairs at the point */
	int32_t bound;        /* no parameters re-identify more */
	bool exact;           /* reidentified = bound: this is the optimum */
} SdcLearnedResult;

/*
 * Learns.  Stops when the optimum is proven or the limit is reached, and
 * soon after the limit; without a limit it may take forever.  Comparing the
 * records before the search is not limited.  The families that lie in the
 * method's are learned first, each exactly as by a call of its own with the
 * same limit, and what they find is where the method starts: so it never
 * re-identifies fewer, whatever the limit, and takes up to six times of it.
 * limit->spent is that of the method itself.  The result depends on the data,
 * their order, the seed and the limit; a proven optimum on the data alone, but
 * for which of the parameters that reach it are returned.  Data without
 * records give 0 of 0.
 *
 * Weighted means of up to 9 features are settled by branch and bound over the
 * weights, all else by cuts of records that cannot hold together.  GLPK is
 * called: run it under a guard (solver.h).  Memory: 8 features bytes for each
 * row that matters, about 10 to 100 per record, and for the bilinear families
 * records * targets / 8 bytes more.
 */
extern SdcLearnedResult sdc_learned_distance_solve(SdcHost *host,
												   SdcLearnedMethod method,
												   const SdcLearnedData *data,
												   uint64_t seed,
												   SdcLearnedLimit *limit);

#endif
