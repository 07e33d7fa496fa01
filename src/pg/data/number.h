/*
 * number.h
 *		Values of PostgreSQL types as the doubles that kernels compute with.
 */
#ifndef SDC_PG_NUMBER_H
#define SDC_PG_NUMBER_H

#include "postgres.h"

/*
 * Does the type turn into a double?  Numbers, boolean, date and timestamps do
 * (0 and 1; days, microseconds since 2000-01-01).  Takes a base type, not a
 * domain.
 */
extern bool sdcpg_number_is(Oid base);

/* The same without booleans, dates and timestamps. */
extern bool sdcpg_number_is_arithmetic(Oid base);

/* The value of such a type as a double; may be NaN or infinite. */
extern double sdcpg_number(Oid base, Datum value);

#endif
