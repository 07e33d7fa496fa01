/*
 * discernibility.c
 *		What classes cost the user of a file: the discernibility metric.
 *
 * Squares of sizes pass 64 bits from 3 billion records in one class on.
 */
#include "kernel/risk/discernibility.h"

unsigned __int128
sdc_discernibility_cost(SdcHost *host, const int64_t *size, int32_t classes,
						int64_t k)
{
	unsigned __int128 cost = 0;
	int64_t suppressed = 0;
	int64_t records = 0;
	int32_t c;

	for (c = 0; c < classes; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) classes);
		records += size[c];
		if (size[c] < k)
			suppressed += size[c];
		else
			cost += (unsigned __int128) size[c] * (uint64_t) size[c];
	}
	return cost + (unsigned __int128) suppressed * (uint64_t) records;
}
