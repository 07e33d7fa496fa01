/*
 * learned_sweep.h
 *		Good points found by walking along lines.
 */
#ifndef SDC_KERNEL_LEARNED_SWEEP_H
#define SDC_KERNEL_LEARNED_SWEEP_H

#include "kernel/attack/learned_rows.h"
#include "kernel/base/random.h"

/* When to stop: elapsed seconds as the host measures them; 0: no limit. */
typedef struct SdcLearnedLimit
{
	double (*elapsed)(void *arg);
	void *arg;
	double seconds;
} SdcLearnedLimit;

static inline bool
sdc_learned_limit_reached(const SdcLearnedLimit *limit)
{
	return limit->seconds > 0 && limit->elapsed(limit->arg) >= limit->seconds;
}

/*
 * Improves a point of norm 1 until steps lines were tried without a limit
 * reached; the best is left in point, and its number of good records
 * (sdc_learned_count_rows) returned.  The same for the same random stream,
 * unless the limit stops it.  A line takes O(rows features).
 */
extern int32_t sdc_learned_sweep_run(SdcHost *host, const SdcLearnedRows *rows,
									 SdcRandom *random,
									 const SdcLearnedLimit *limit, int steps,
									 double *point);

/* Lines that take a second or so with these rows. */
extern int sdc_learned_sweep_steps(const SdcLearnedRows *rows);

#endif
