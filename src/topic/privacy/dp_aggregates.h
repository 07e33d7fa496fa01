/*
 * dp_aggregates.h
 *		The private aggregates: figures of a column, with noise; settings.
 */
#ifndef SDC_TOPIC_DP_AGGREGATES_H
#define SDC_TOPIC_DP_AGGREGATES_H

#include "postgres.h"

#include "fmgr.h"

/* ----------------------------------------------------------------------
 * The settings (GUCs) of differential privacy.
 * ----------------------------------------------------------------------
 */

/* Kilobytes that a request may hold (sdc.dp_memory_limit). */
extern int sdcpg_dp_memory_limit;

/* SdcNeighbours of the aggregates with noise (sdc.dp_neighbours). */
extern int sdcpg_dp_neighbours;

/* Cells of the quantiles of these aggregates (sdc.dp_cells). */
extern int sdcpg_dp_cells;

/* Defines them; called once, before the prefix of settings is reserved. */
extern void sdcpg_privacy_settings(void);

/* ----------------------------------------------------------------------
 * Aggregates that release a figure with noise: what they were asked.
 *
 * Such an aggregate has parameters beside its values: bounds, epsilon.  They
 * are read from the query, not from the rows, so that they are the same for
 * an empty table, and an error in them does not tell whether it was empty.
 * ----------------------------------------------------------------------
 */

/* Parameters of an aggregate at the most. */
#define SDC_PRIVATE_PARAMETERS 6

/* A call of such an aggregate, as the query has it. */
typedef struct SdcPrivateCall
{
	MemoryContext context; /* where the state belongs */
	Oid type;              /* of the first value, if there is any */
	bool descending;       /* WITHIN GROUP (ORDER BY ... DESC) */
	int count;             /* of parameters */
	NullableDatum parameter[SDC_PRIVATE_PARAMETERS];
} SdcPrivateCall;

/* Stops unless epsilon is from SDC_EPSILON_LEAST to _MOST; NaN never is. */
extern void sdcpg_private_check_epsilon(double epsilon);

/* Stops because the noise would exceed what 64 bits hold. */
extern void sdcpg_private_too_large(void);

#endif
