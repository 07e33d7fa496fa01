/*
 * risk.c
 *		Risk of a file, from the sizes of its classes.
 *
 * Sums are taken in the order of the classes, which is that of their values,
 * so they do not depend on the order of the records.
 */
#include <string.h>

#include "kernel/risk/risk.h"

SdcRisk
sdc_risk_summarize(SdcHost *host, const SdcClasses *classes,
				   const int64_t *alike, double threshold)
{
	SdcRisk risk;
	unsigned __int128 pairs = 0;
	int32_t c;

	memset(&risk, 0, sizeof(risk));
	risk.records = classes->records;
	risk.classes = classes->classes;
	for (c = 0; c < classes->classes; c++)
	{
		int64_t size = classes->size[c];
		int64_t same = alike[c];

		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, c, classes->classes);
		if (risk.smallest == 0 || same < risk.smallest)
			risk.smallest = same;
		if (same > risk.largest)
			risk.largest = same;
		risk.uniques += same == 1 ? size : 0;
		risk.below_3 += same < 3 ? size : 0;
		risk.below_5 += same < 5 ? size : 0;
		risk.at_risk += 1.0 / (double) same > threshold ? size : 0;
		risk.expected += (double) size / (double) same;
		pairs += (unsigned __int128) size * (uint64_t) same;
	}
	risk.discernibility = (double) pairs;
	return risk;
}
