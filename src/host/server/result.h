/*
 * result.h
 *		Rows of a set-returning function; states of aggregates that are an
 *		array of numbers; figures as they are shown.
 */
#ifndef SDC_HOST_RESULT_H
#define SDC_HOST_RESULT_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"

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

/* Stops, for a malformed state, unless valid. */
extern void sdcpg_state_need(bool valid);

/* The array that sdcpg_state_change returned the numbers of. */
extern Datum sdcpg_state_datum(double *numbers);

/* Starts the result of a function RETURNS SETOF a row type. */
extern ReturnSetInfo *sdcpg_result_begin(FunctionCallInfo fcinfo);

/* Appends a row; values are copied. */
extern void sdcpg_result_put(ReturnSetInfo *result, Datum *values,
							 bool *isnull);

/*
 * A figure as reports show it: with the significant digits of sdc.digits.
 * Whole numbers stay, and what is not whole becomes a whole number only when
 * it is one up to the error of computing (12 digits): a share that rounds to
 * 1 would say "all".  For what is shown only; see sdcpg_result_exact.
 */
extern double sdcpg_result_round(double value);

/*
 * While this is set figures are not rounded: for who decides by them, as the
 * gate does.
 */
extern bool sdcpg_result_exact;

/*
 * Appends a row of sdc.measure, its value rounded; isnull leaves the value
 * open.  The texts are in the encoding of the database.  detail is made of
 * fixed words, names and numbers: whoever writes a log or a history takes it,
 * and never the example.
 */
extern void sdcpg_result_measure(ReturnSetInfo *result, const char *measure,
								 const char *subject, double value,
								 bool isnull, const char *detail);

/* The same with values of the data that show it; NULL for none. */
extern void sdcpg_result_example(ReturnSetInfo *result, const char *measure,
								 const char *subject, double value,
								 bool isnull, const char *detail,
								 const char *example);

/* A string made as by printf, of any length. */
extern char *sdcpg_result_sentence(const char *format, va_list args)
	pg_attribute_printf(1, 0);

#endif
