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

#include "kernel/attack/learned_form.h"
#include "kernel/attack/learned_rows.h"
#include "kernel/attack/learned_sweep.h"

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
 * records before the search is not limited.  The result depends on the data,
 * their order and the seed, as long as the limit does not end the search; a
 * proven optimum depends on the data alone, but for which of the parameters
 * that reach it are returned.  Data without records give 0 of 0.
 *
 * Weighted means of up to 9 features are settled by branch and bound over the
 * weights, all else by cuts of records that cannot hold together.  GLPK is
 * called: run it under a guard (solver.h).  Memory: 8 features bytes for each
 * row that matters, about 10 to 100 per record, and for the bilinear families
 * records * targets / 8 bytes more.
 */
extern SdcLearnedResult
sdc_learned_distance_solve(SdcHost *host, SdcLearnedMethod method,
						   const SdcLearnedData *data, uint64_t seed,
						   const SdcLearnedLimit *limit);

#endif
