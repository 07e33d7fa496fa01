/*
 * findings.c
 *		Lines of a report on disclosure, shown worst first.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "pg/server/compat.h"
#include "pg/disclosure/findings.h"
#include "pg/server/result.h"

#define FIRST_ROOM 32

static SdcFinding *
next_finding(SdcFindings *findings)
{
	if (findings->room == 0)
	{
		findings->room = FIRST_ROOM;
		findings->finding = palloc(sizeof(SdcFinding) * FIRST_ROOM);
	}
	else if (findings->count == findings->room)
	{
		findings->room *= 2;
		findings->finding =
			repalloc(findings->finding, sizeof(SdcFinding) * findings->room);
	}
	return &findings->finding[findings->count];
}

void
sdcpg_findings_add(SdcFindings *findings, SdcFindingKind kind,
				   const char *measure, const char *subject, double value,
				   const char *format, ...)
{
	SdcFinding *finding = next_finding(findings);
	va_list args;

	va_start(args, format);
	finding->detail = sdcpg_result_sentence(format, args);
	va_end(args);
	finding->kind = kind;
	finding->measure = measure;
	finding->subject = subject;
	finding->value = value;
	finding->number = findings->count++;
}

/* Disclosures by value, then by kind; explanations as they were found. */
static int
compare_findings(const void *a, const void *b)
{
	const SdcFinding *x = a;
	const SdcFinding *y = b;
	bool explains_x = x->kind == SDC_FINDING_EXPLANATION;
	bool explains_y = y->kind == SDC_FINDING_EXPLANATION;

	if (explains_x != explains_y)
		return explains_x ? 1 : -1;
	if (!explains_x)
	{
		if (isnan(x->value) != isnan(y->value))
			return isnan(x->value) ? 1 : -1;
		if (x->value != y->value && !isnan(x->value))
			return x->value < y->value ? 1 : -1;
		if (x->kind != y->kind)
			return x->kind < y->kind ? -1 : 1;
	}
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The first of the sorted findings that has the kind, or any disclosure. */
static const SdcFinding *
find_worst(const SdcFindings *findings, SdcFindingKind kind)
{
	int i;

	for (i = 0; i < findings->count; i++)
	{
		const SdcFinding *finding = &findings->finding[i];

		if (finding->kind == SDC_FINDING_EXPLANATION || isnan(finding->value))
			break;
		if (kind == SDC_FINDING_EXPLANATION || finding->kind == kind)
			return finding;
	}
	return NULL;
}

static void
put_worst(const SdcFindings *findings, ReturnSetInfo *result,
		  const char *measure, SdcFindingKind kind, const char *what)
{
	const SdcFinding *worst = find_worst(findings, kind);

	if (worst == NULL)
		sdcpg_result_measure(result, measure, "", 0, true,
							 psprintf("No %s was measured.", what));
	else
		sdcpg_result_measure(
			result, measure,
			psprintf("%s of %s", worst->measure, worst->subject), worst->value,
			false, worst->detail);
}

void
sdcpg_findings_put(SdcFindings *findings, ReturnSetInfo *result)
{
	int i;

	if (findings->count > 0)
		qsort(findings->finding, findings->count, sizeof(SdcFinding),
			  compare_findings);
	put_worst(findings, result, "worst", SDC_FINDING_EXPLANATION,
			  "disclosure");
	put_worst(findings, result, "identity_disclosure", SDC_FINDING_IDENTITY,
			  "attack");
	put_worst(findings, result, "attribute_disclosure", SDC_FINDING_ATTRIBUTE,
			  "column");
	for (i = 0; i < findings->count; i++)
	{
		const SdcFinding *finding = &findings->finding[i];

		sdcpg_result_measure(result, finding->measure, finding->subject,
							 finding->value, isnan(finding->value),
							 finding->detail);
	}
}
