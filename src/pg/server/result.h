/*
 * result.h
 *		Rows of a set-returning function.
 */
#ifndef SDC_PG_RESULT_H
#define SDC_PG_RESULT_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"

/* Starts the result of a function RETURNS SETOF a row type. */
extern ReturnSetInfo *sdcpg_result_begin(FunctionCallInfo fcinfo);

/* Appends a row; values are copied. */
extern void sdcpg_result_put(ReturnSetInfo *result, Datum *values,
							 bool *isnull);

/*
 * Appends a row of sdc.measure; isnull leaves the value open.  The texts are
 * in the encoding of the database.
 */
extern void sdcpg_result_measure(ReturnSetInfo *result, const char *measure,
								 const char *subject, double value,
								 bool isnull, const char *detail);

/* A string made as by printf, of any length. */
extern char *sdcpg_result_sentence(const char *format, va_list args)
	pg_attribute_printf(1, 0);

#endif
