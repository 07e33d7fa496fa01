/*
 * learned_branch.h
 *		The best weights, proven: branch and bound over the simplex.
 */
#ifndef SDC_KERNEL_LEARNED_BRANCH_H
#define SDC_KERNEL_LEARNED_BRANCH_H

#include "kernel/base/host.h"
#include "kernel/base/solver.h"
#include "kernel/learned/learned_distance.h"
#include "kernel/learned/learned_form.h"

/*
 * Counts, over all pairs, the records that are re-identified at a point of
 * norm 1.  nearest, unless NULL, gets for each record the target that spoils
 * it most, or -1.  O(records targets features), less where records fail.
 */
extern int32_t sdc_learned_count_pairs(SdcHost *host,
									   const SdcLearnedForm *form,
									   const SdcLearnedData *data,
									   const double *margin,
									   const double *point, int32_t *nearest);

/*
 * Counts the records whose rows all hold at a point of norm 1; good, unless
 * NULL, says which.
 */
extern int32_t sdc_learned_count_rows(const SdcLearnedRows *rows,
									  const double *point, bool *good);

/*
 * Cuts: sets of records of which at least one must fail, and the program that
 * asks how few records have to.  Cut i is member[start[i]] ..
 * member[start[i + 1] - 1].
 */
typedef struct SdcLearnedCuts
{
	SdcHost *host;
	int32_t records;
	SdcSolverLp *lp;
	int32_t count;
	int32_t *start;
	int32_t *member;
	uint64_t *key;
	size_t room;
	size_t member_room;
	int32_t proven; /* at least so many records must fail */
} SdcLearnedCuts;

/* No cuts yet, of records 0 .. records - 1. */
extern SdcLearnedCuts *sdc_learned_cuts_create(SdcHost *host, int32_t records);

/* Adds a set of distinct records; false when it is there already. */
extern bool sdc_learned_cuts_add(SdcLearnedCuts *cuts, const int32_t *member,
								 int count);

/* Records a bound that was proven otherwise. */
extern void sdc_learned_cuts_prove(SdcLearnedCuts *cuts, int32_t at_least);

/*
 * Solves the relaxation and raises the bound; share gets how far each record
 * is given up.  The bound is not GLPK's: it is taken from the prices of the
 * cuts, cut at 0, by weak duality in long double.  False when the solver
 * failed, was stopped or reached the limit.
 */
extern bool sdc_learned_cuts_relax(SdcLearnedCuts *cuts,
								   SdcLearnedLimit *limit, double *share);

/*
 * Solves the program itself; when that succeeds, the bound is its optimum,
 * and given marks the records that it gives up.  Takes no more than most
 * steps.
 */
extern bool sdc_learned_cuts_settle(SdcLearnedCuts *cuts,
									SdcLearnedLimit *limit, double most,
									bool *given);

/*
 * Improves point, where *good records hold (sdc_learned_count_rows), and
 * returns the most that any point >= 0 of sum 1 can have; equal to *good when
 * that is proven, larger when the limit came first.  For forms without signs
 * and fixed rows; exponential in the features at worst, fine to about 6.
 */
extern int32_t sdc_learned_branch_run(SdcHost *host,
									  const SdcLearnedRows *rows,
									  SdcLearnedLimit *limit, int32_t *good,
									  double *point);

#endif
