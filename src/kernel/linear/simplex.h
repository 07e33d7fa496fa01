/*
 * simplex.h
 *		The simplex method behind the matrix game.
 */
#ifndef SDC_KERNEL_SIMPLEX_H
#define SDC_KERNEL_SIMPLEX_H

#include "kernel/learned/learned_cover.h"

/* Makes every entry of a row positive: entries are above 1 - this. */
#define SDC_LEARNED_SHIFT 3.0

/* Rows of records; the fixed rows are numbered after them. */
extern int32_t sdc_learned_simplex_rows(const SdcLearnedSystem *system);

/* A row at a coordinate, its margin taken off. */
extern double sdc_learned_simplex_entry(const SdcLearnedSystem *system,
										int32_t row, int coordinate);

/* What a row is worth at the present prices. O(features). */
extern double sdc_learned_simplex_worth(const SdcLearnedGame *game,
										const SdcLearnedSystem *system,
										int32_t row);

/* A basis of slacks, all prices 0. */
extern void sdc_learned_simplex_start(SdcLearnedGame *game,
									  const SdcLearnedSystem *system);

/*
 * Takes a variable into the basis, a row or -1 - coordinate; false when
 * nothing bounds it.  O(coordinates^2).
 */
extern bool sdc_learned_simplex_step(SdcLearnedGame *game,
									 const SdcLearnedSystem *system,
									 int32_t entering);

/*
 * Basic values and prices from a new inverse; false when the basis is
 * singular.  O(coordinates^3).
 */
extern bool sdc_learned_simplex_refresh(SdcLearnedGame *game,
										const SdcLearnedSystem *system);

#endif
