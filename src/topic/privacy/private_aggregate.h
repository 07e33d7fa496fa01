/*
 * private_aggregate.h
 *		Aggregates that release a figure with noise: what they were asked.
 *
 * Such an aggregate has parameters beside its values: bounds, epsilon.  They
 * are read from the query, not from the rows, so that they are the same for
 * an empty table, and an error in them does not tell whether it was empty.
 */
#ifndef SDC_TOPIC_PRIVATE_AGGREGATE_H
#define SDC_TOPIC_PRIVATE_AGGREGATE_H

#include "postgres.h"

#include "fmgr.h"

#define SDC_PRIVATE_PARAMETERS 6

typedef struct SdcPrivateCall
{
	MemoryContext context; /* where the state belongs */
	Oid type;              /* of the first value, if there is any */
	bool descending;       /* WITHIN GROUP (ORDER BY ... DESC) */
	int count;             /* of parameters */
	NullableDatum parameter[SDC_PRIVATE_PARAMETERS];
} SdcPrivateCall;

/*
 * To be called by the transition function for the first row, and by the final
 * function when there was none.  The aggregate takes so many values (0 to 2)
 * before its parameters; those of an ordered-set aggregate are its direct
 * arguments.  Stops when it is used as a window function, when a parameter
 * could differ from row to row, and on DISTINCT unless that is allowed.
 */
extern void sdcpg_private_begin(SdcPrivateCall *call, FunctionCallInfo fcinfo,
								int values, bool distinct);

/*
 * To be called by every final function: finds the parameters where states of
 * workers are combined, even if it will not need them, so that it stops or
 * not whatever the data are.
 */
extern void sdcpg_private_end(FunctionCallInfo fcinfo);

/* Parameters by number, checked: one clear error each. */
extern double sdcpg_private_epsilon(const SdcPrivateCall *call, int number);
extern double sdcpg_private_fraction(const SdcPrivateCall *call, int number);

/* Two in a row: finite, lower not above upper. */
extern void sdcpg_private_bounds(const SdcPrivateCall *call, int number,
								 double *lower, double *upper);

/* The same check of an epsilon that is an argument of a function. */
extern void sdcpg_private_check_epsilon(double epsilon);

/* Stops because the noise would exceed what 64 bits hold. */
extern void sdcpg_private_too_large(void);

#endif
