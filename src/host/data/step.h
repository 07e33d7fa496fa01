/*
 * step.h
 *		Rows of sdc.mask_step: what a function that writes a table has done.
 *
 * Whatever writes a table returns these rows, in this order: "mask" for each
 * column whose values are not as they were, "kept" and "dropped" for the
 * others, "write" for each table, "measure" for each figure.
 */
#ifndef SDC_HOST_STEP_H
#define SDC_HOST_STEP_H

#include "postgres.h"

#include <math.h>

#include "nodes/execnodes.h"

#include "host/data/target.h"

/* A row; -1, NULL or NaN leaves a column open.  Texts may be freed after. */
typedef struct SdcStep
{
	const char *step;
	const char *subject;
	const char *method;
	int64 rows;
	int64 changed;
	double seconds;
	const char *detail;
	const char *sql;
	const char *measure;
	double value;
} SdcStep;

/* A step with nothing but its name. */
#define SDC_STEP(name)                                            \
	{                                                             \
		.step = (name), .rows = -1, .changed = -1, .seconds = -1, \
		.value = NAN                                              \
	}

extern void sdcpg_step_put(ReturnSetInfo *result, const SdcStep *step);

/*
 * A column, in so many rows, whose values a method has changed in so many of
 * them, -1 for not counted; detail may be NULL.
 */
extern void sdcpg_step_masked(ReturnSetInfo *result, const char *column,
							  const char *method, int64 rows, int64 changed,
							  const char *detail);

/* A table that sdcpg_target_create has made. */
extern void sdcpg_step_written(ReturnSetInfo *result, const SdcTarget *target);

/* A figure, with a sentence made from format; NaN is shown as NULL. */
extern void sdcpg_step_measure(ReturnSetInfo *result, const char *measure,
							   const char *subject, double value,
							   const char *format, ...)
	pg_attribute_printf(5, 6);

#endif
