/*
 * learned_cover.h
 *		The best point of any family, with a bound, by infeasible sets.
 */
#ifndef SDC_KERNEL_LEARNED_COVER_H
#define SDC_KERNEL_LEARNED_COVER_H

#include "kernel/attack/learned_rows.h"
#include "kernel/attack/learned_sweep.h"

/* A search and what it has found; good is re-counted over all pairs. */
typedef struct SdcLearnedSearch
{
	SdcHost *host;
	const SdcLearnedForm *form;
	const SdcLearnedData *data;
	const double *margin;
	const SdcLearnedLimit *limit;
	SdcRandom random;
	SdcLearnedRows *rows;
	SdcLearnedPool *pool; /* NULL: rows are complete */
	bool grown;           /* has the pool pairs that rows lack? */
	int32_t good;         /* of rows->records, at point */
	double *point;
	int32_t *nearest; /* scratch by record, with a pool */
} SdcLearnedSearch;

/*
 * Counts the records that are re-identified at a point of norm 1, over all
 * pairs, and keeps it when it is the best; pairs that spoil a record join the
 * pool.
 */
extern int32_t sdc_learned_cover_offer(SdcLearnedSearch *search,
									   const double *point);

/* The same after it was made feasible, and again after a walk from there. */
extern void sdc_learned_cover_consider(SdcLearnedSearch *search,
									   const double *point, int steps);

/* Makes rows of all pairs that are in the pool by now. */
extern void sdc_learned_cover_renew(SdcLearnedSearch *search);

/*
 * Returns the most of rows->records that any point can have, after improving
 * the best point; GLPK is used.
 */
extern int32_t sdc_learned_cover_run(SdcLearnedSearch *search);

#endif
