/*
 * disclosure_report.h
 *		The attacks that a report runs against a masked file.
 */
#ifndef SDC_TOPIC_DISCLOSURE_REPORT_H
#define SDC_TOPIC_DISCLOSURE_REPORT_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/array.h"
#include "utils/jsonb.h"

#include "topic/attack/link.h"

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

/*
 * The success of an attack, over the records whose own record is in the other
 * file.  A record linked to several equally good ones gives each the same
 * probability.
 */
typedef struct SdcLinkSuccess
{
	int32 records;
	int32 unique_right;  /* linked to their own record and no other */
	double right;        /* sum of the probabilities of their own record */
	int32 claimed;       /* links that the intruder is certain of */
	int32 claimed_right; /* those of them that are right */
} SdcLinkSuccess;

/*
 * Counts what a linkage that was run has found; the same that sdc.reid counts
 * in the rows of sdc.attack_distance, without making the rows.  O(records),
 * but a point with many equally near ones is searched again.
 */
extern SdcLinkSuccess sdcpg_link_success_count(SdcLinkage *linkage);

#endif
