/*
 * disclosure_report.h
 *		Lines of a report on disclosure, shown worst first.
 */
#ifndef SDC_TOPIC_DISCLOSURE_REPORT_H
#define SDC_TOPIC_DISCLOSURE_REPORT_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/jsonb.h"

/* What a line is about; of equal values the first is shown first. */
typedef enum SdcFindingKind
{
	SDC_FINDING_IDENTITY,   /* share of the people that are recognised */
	SDC_FINDING_ATTRIBUTE,  /* share of the values that become known */
	SDC_FINDING_EXPLANATION /* neither; shown below, as found */
} SdcFindingKind;

typedef struct SdcFinding
{
	SdcFindingKind kind;
	const char *measure;
	const char *subject;
	double value; /* 0 .. 1; NaN is shown as NULL */
	const char *detail;
	int number;
} SdcFinding;

typedef struct SdcFindings
{
	SdcFinding *finding;
	int count;
	int room;
} SdcFindings;

/*
 * Appends a line; the detail is a sentence made from format.  measure and
 * subject must last as long as the findings, which start as zeros.
 */
extern void sdcpg_findings_add(SdcFindings *findings, SdcFindingKind kind,
							   const char *measure, const char *subject,
							   double value, const char *format, ...)
	pg_attribute_printf(6, 7);

#endif
