/*
 * disclosure.h
 *		Which values of two aligned relations become known.
 */
#ifndef SDC_TOPIC_DISCLOSURE_H
#define SDC_TOPIC_DISCLOSURE_H

#include "postgres.h"

#include "host/data/alignment.h"
#include "host/server/host.h"
#include "topic/attack/disclosure_report.h"

/* What to measure; see kernel/risk/disclosure.h. */
typedef struct SdcAttributeMeasures
{
	bool rank;
	bool deviation;
	bool equal;
	double p; /* of the first two, in percent */
} SdcAttributeMeasures;

/* "4 of 10 records (40.00 %)" */
extern char *sdcpg_attribute_disclosure_words(int32 shown, int32 records);

/*
 * Measures each column of an alignment that was loaded, the intervals only of
 * numbers, and all columns together, and adds what it finds: rank_disclosure,
 * interval_disclosure, unchanged_share
 * and unchanged_share_chance.  O(columns * records * log(records)).
 */
extern void
sdcpg_attribute_disclosure_measure(SdcFindings *findings, SdcPgHost *host,
								   const SdcAlignment *alignment,
								   const SdcAttributeMeasures *measures);

#endif
