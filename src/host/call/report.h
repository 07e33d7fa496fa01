/*
 * report.h
 *		Reports: the rows of sdc.measure that the caller chose.
 */
#ifndef SDC_HOST_REPORT_H
#define SDC_HOST_REPORT_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/array.h"

/* A report being made. */
typedef struct SdcReport
{
	ReturnSetInfo *result;
	const char *const *measures; /* names of all lines; ends with NULL */
	bool *chosen;                /* of each of them: is it wanted? */
} SdcReport;

/*
 * Starts the report of a function RETURNS SETOF sdc.measure.  measures lists
 * the names of all its lines and ends with NULL; of these only the first usual
 * ones are wanted when the argument methods (name[]) is NULL, else those that
 * it lists.  An empty list, a NULL in it or an unknown name is an error.
 */
extern SdcReport *sdcpg_report_begin(FunctionCallInfo fcinfo,
									 const char *const *measures, int usual,
									 ArrayType *methods);

/* Does the caller want this line?  The name must be one of the list. */
extern bool sdcpg_report_wants(const SdcReport *report, const char *measure);

/*
 * Appends a line if it is wanted: value NaN is shown as NULL; the detail is a
 * sentence made from format.
 */
extern void sdcpg_report_put(SdcReport *report, const char *measure,
							 const char *subject, double value,
							 const char *format, ...)
	pg_attribute_printf(5, 6);

/* The same with values of the data, which the detail must not have. */
extern void sdcpg_report_example(SdcReport *report, const char *measure,
								 const char *subject, double value,
								 const char *example, const char *format, ...)
	pg_attribute_printf(6, 7);

#endif
