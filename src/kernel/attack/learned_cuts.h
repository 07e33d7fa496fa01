/*
 * learned_cuts.h
 *		Sets of records of which at least one must fail.
 */
#ifndef SDC_KERNEL_LEARNED_CUTS_H
#define SDC_KERNEL_LEARNED_CUTS_H

#include "kernel/base/solver_lp.h"

/* Cut i is member[start[i]] .. member[start[i + 1] - 1]. */
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
 * failed, was stopped or ran out of time.
 */
extern bool sdc_learned_cuts_relax(SdcLearnedCuts *cuts, double seconds,
								   double *share);

/*
 * Solves the program itself; when that succeeds, the bound is its optimum,
 * and given marks the records that it gives up.
 */
extern bool sdc_learned_cuts_settle(SdcLearnedCuts *cuts, double seconds,
									bool *given);

#endif
