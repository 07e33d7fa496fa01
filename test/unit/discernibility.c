/*
 * discernibility.c
 *		The cost of classes, by hand.
 */
#include "unit.h"

#include "kernel/risk/risk.h"

int
main(void)
{
	const int64_t inpatients[] = {4, 4, 4};
	const int64_t size[] = {1, 2, 3, 10};
	const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40, 1};
	unsigned __int128 expected = (unsigned __int128) 1 << 81;

	unit_start("discernibility");
	unit_check(sdc_discernibility_cost(unit_host(), inpatients, 3, 0) == 48,
			   "inpatients: 48");
	unit_check(sdc_discernibility_cost(unit_host(), size, 4, 3) ==
				   3 * 16 + 9 + 100,
			   "classes below 3 are suppressed at 16 each");
	unit_check(sdc_discernibility_cost(unit_host(), huge, 3, 0) ==
				   expected + 1,
			   "beyond 64 bits");
	unit_check(sdc_discernibility_cost(unit_host(), huge, 0, 5) == 0,
			   "no records");
	return unit_finish();
}
