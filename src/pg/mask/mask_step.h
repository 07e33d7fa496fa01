/*
 * mask_step.h
 *		Rows of sdc.mask_step.
 */
#ifndef SDC_PG_MASK_STEP_H
#define SDC_PG_MASK_STEP_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* A row; -1 or NULL leaves a column open.  Texts may be freed afterwards. */
typedef struct SdcMaskStep
{
	const char *step;
	const char *subject;
	const char *method;
	int64 rows;
	int64 changed;
	double seconds;
	const char *detail;
	const char *sql;
} SdcMaskStep;

/* A step with nothing but its name. */
#define SDC_MASK_STEP(name)                                      \
	{                                                            \
		.step = (name), .rows = -1, .changed = -1, .seconds = -1 \
	}

extern void sdcpg_mask_step_put(ReturnSetInfo *result,
								const SdcMaskStep *step);

#endif
