/*
 * repeats.h
 *		Lines of a report that were measured several times.
 */
#ifndef SDC_PG_REPEATS_H
#define SDC_PG_REPEATS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/jsonb.h"

/* params.repeats: how often; absent is the default. */
extern int sdcpg_repeats_read(Jsonb *params, int absent);

/* The seed of one repeat; that of the first is the seed itself. */
extern uint64 sdcpg_repeats_seed(uint64 seed, int repeat);

/*
 * Appends a line with the mean of the values of all repeats and, when there
 * are several, its 95 % interval as lines "measure_low" and "measure_high".
 * NaN is shown as NULL, and makes the mean one.  The detail is a sentence made
 * from format.
 */
extern void sdcpg_repeats_put(ReturnSetInfo *result, const char *measure,
							  const char *subject, const double *value,
							  int repeats, const char *format, ...)
	pg_attribute_printf(6, 7);

#endif
