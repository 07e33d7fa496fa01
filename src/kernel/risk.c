/*
 * risk.c
 *		Risk of a file, from the sizes of its classes.
 *
 * PostgreSQL counts the classes; here only the few different sizes arrive, so
 * the work does not grow with the file.
 */
#include "kernel/risk.h"

SdcRisk
sdc_risk_summarize(const SdcClassSize *sizes, size_t n)
{
	SdcRisk risk = {0, 0, 0, 0, 0, 0};
	size_t i;

	for (i = 0; i < n; i++)
	{
		int64_t size = sizes[i].size;
		int64_t records = size * sizes[i].classes;

		risk.records += records;
		risk.classes += sizes[i].classes;
		if (risk.smallest == 0 || size < risk.smallest)
			risk.smallest = size;
		risk.uniques += size == 1 ? records : 0;
		risk.below_3 += size < 3 ? records : 0;
		risk.below_5 += size < 5 ? records : 0;
	}
	return risk;
}
