/*
 * reidentification.c
 *		Prosecutor, journalist and marketer by hand; adult_risk.c has ARX.
 */
#include "unit.h"

#include <math.h>

#include "kernel/risk/risk.h"

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-14 * fabs(b);
}

static void
check_prosecutor(void)
{
	/* 1 + 2 + 5 + 12 records */
	const int64_t size[] = {5, 1, 12, 2};
	SdcReidentification risk =
		sdc_reidentification_journalist(unit_host(), size, NULL, 4, 0.2);

	unit_check(risk.highest == 1 && close_to(risk.lowest, 1.0 / 12) &&
				   risk.records == 20,
			   "prosecutor: from 1/12 to 1");
	unit_check(risk.average == 0.2, "4 right links of 20");
	unit_check(risk.at_risk == 3, "1/5 does not exceed 0.2");
	risk = sdc_reidentification_journalist(unit_host(), size, NULL, 0, 0.2);
	unit_check(risk.highest == 0 && risk.average == 0 && risk.records == 0,
			   "no records");
}

static void
check_journalist(void)
{
	const int64_t size[] = {5, 1, 12, 2};
	const int64_t population[] = {10, 100, 12, 4};
	const int64_t gone[] = {10, 0, 3, 4};
	SdcReidentification risk = sdc_reidentification_journalist(
		unit_host(), size, population, 4, 0.09);
	double marketer =
		sdc_reidentification_marketer(unit_host(), size, population, 4);

	unit_check(risk.highest == 0.25 && risk.lowest == 0.01 &&
				   risk.at_risk == 7,
			   "journalist: from 1/100 to 1/4, 7 of 20 above 0.09");
	/* 5/10 + 1/100 + 12/12 + 2/4 */
	unit_check(close_to(marketer, 2.01 / 20), "marketer: 2.01 of 20 links");
	unit_check(risk.average == fmax(4.0 / 126, marketer),
			   "El Emam's average is the larger of two");
	risk = sdc_reidentification_journalist(unit_host(), size, gone, 4, 0.3);
	unit_check(risk.highest == 1 && risk.at_risk == 1 && risk.lowest > 0.08,
			   "a population cannot have fewer than its sample");
	unit_check(sdc_reidentification_marketer(unit_host(), size, size, 0) == 0,
			   "no records");
}

int
main(void)
{
	unit_start("reidentification");
	check_prosecutor();
	check_journalist();
	return unit_finish();
}
