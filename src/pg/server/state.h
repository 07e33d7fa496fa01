/*
 * state.h
 *		States of aggregates: small arrays of float8, changed in place.
 */
#ifndef SDC_PG_STATE_H
#define SDC_PG_STATE_H

#include "postgres.h"

#include "fmgr.h"

/*
 * The numbers of the float8[] in an argument, which must be count of them.
 * Inside an aggregate the array itself is returned, to be changed in place;
 * anywhere else a copy.
 */
extern double *sdcpg_state_change(FunctionCallInfo fcinfo, int argument,
								  int count);

/* The same, to be read only. */
extern const double *sdcpg_state_read(FunctionCallInfo fcinfo, int argument,
									  int count);

/* The array that sdcpg_state_change returned the numbers of. */
extern Datum sdcpg_state_datum(double *numbers);

#endif
