/*
 * held_out.h
 *		Sensitive values of original records predicted by models that have
 *		not seen them, trained on the original and on the masked relation.
 */
#ifndef SDC_PG_HELD_OUT_H
#define SDC_PG_HELD_OUT_H

#include "postgres.h"

#include "pg/model/learner.h"
#include "pg/model/learning.h"

typedef struct SdcHeldOut
{
	const SdcLearning *learning;
	const SdcLearner *learner;
	SdcPgHost *host;
	double p;           /* a number may be off by p % of its deviation */
	int folds;          /* that rows are dealt into */
	const int32 *fixed; /* the fold of each original row; NULL: at random */

	/* set by sdcpg_held_out_prepare */
	int32 *partner[2];    /* of each side; NULL without an id */
	SdcModelTable asked;  /* the original keys, recoded for masked models */
	SdcOutcome *original; /* by sensitive column */
	SdcOutcome *masked;
	double *tolerance;
} SdcHeldOut;

/* Shares of the asked records whose value is predicted right; NaN of none. */
typedef struct SdcHeldOutShares
{
	int32 records; /* asked: those with a sensitive value and a fold */
	double masked;
	double original;
	double masked_baseline; /* most frequent value */
	double original_baseline;
} SdcHeldOutShares;

/* Finds partners and classes.  Stops when the method cannot learn. */
extern void sdcpg_held_out_prepare(SdcHeldOut *held);

/* The folds that a column of the original names; see fixed. */
extern const int32 *sdcpg_held_out_folds(const SdcLearning *learning,
										 SdcPgHost *host, const char *column,
										 int *folds);

/*
 * Predicts one sensitive column from the first keys.  With an id, a fold's
 * masked records are left out of what is learned from; without one they cannot
 * be told, and none is.
 */
extern SdcHeldOutShares sdcpg_held_out_measure(const SdcHeldOut *held,
											   int sensitive, int keys,
											   uint64 seed);

#endif
