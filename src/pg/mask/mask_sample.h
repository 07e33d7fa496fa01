/*
 * mask_sample.h
 *		A stratified sample of a relation, as SQL.
 */
#ifndef SDC_PG_MASK_SAMPLE_H
#define SDC_PG_MASK_SAMPLE_H

#include "postgres.h"

#include "pg/call/relation.h"

/*
 * Appends "(SELECT ...) AS r" with the columns of a relation for a random
 * sample of its rows.  Every row is in it with probability share; a stratum of
 * n rows, and the relation as a whole, give n * share rows, rounded up or
 * down.  share, seed and start are parameters as SQL ("$1"): float8 above 0 to
 * 1, bigint, float8 in [0, 1).  The order columns make the sample independent
 * of the order of rows; there may be none.  unused is a name that no column
 * has, for a number.
 */
extern void sdcpg_mask_sample(StringInfo sql, const SdcRelation *relation,
							  const SdcRelationColumns *columns,
							  const SdcRelationColumns *strata,
							  const SdcRelationColumns *order,
							  const char *unused, const char *share,
							  const char *seed, const char *start);

/* A start in [0, 1) from a seed: a multiple of 2^-20. */
extern double sdcpg_mask_sample_start(uint64 seed);

#endif
