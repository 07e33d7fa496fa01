/*
 * elementary.c
 *		Exponential and logarithm against those of the mathematics library.
 */
#include "unit.h"

#include "kernel/base/elementary.h"
#include "kernel/base/random.h"

#include <math.h>

static void
check_double(void)
{
	double worst = 0;
	bool ends;
	double x;

	for (x = -700; x < 700; x += 0.0137)
	{
		double error = fabs(sdc_exp(x) / exp(x) - 1) / 0x1p-52;

		worst = error > worst ? error : worst;
	}
	unit_check(worst < 2, "e^x: %.2f units in the last place at most", worst);
	ends = sdc_exp(0) == 1 && sdc_exp(-800) == 0 && isinf(sdc_exp(800)) &&
		   isnan(sdc_exp(NAN)) && sdc_exp(-INFINITY) == 0 && sdc_exp(-745) > 0;
	unit_check(ends, "e^x: 0, the ends and NaN");
}

static void
check_float(void)
{
	double worst_log = 0;
	double worst_exp = 0;
	double x;

	for (x = -87; x < 87; x += 0.00173)
	{
		float y = (float) x;
		float z = (float) exp(x);
		double l = log((double) z);

		worst_exp =
			fmax(worst_exp, fabs((double) sdc_exp_float(y) / exp(y) - 1));
		worst_log = fmax(worst_log,
						 fabs((double) sdc_log_float(z) - l) / (1 + fabs(l)));
	}
	unit_check(worst_exp < 3e-7, "e^x of a float: within %.2g", worst_exp);
	unit_check(worst_log < 3e-7, "log of a float: within %.2g", worst_log);
	unit_check(sdc_log_float(1) == 0 && sdc_exp_float(0) == 1 &&
				   sdc_exp_float(-1e9f) > 0 && sdc_exp_float(-1e9f) < 2e-38f,
			   "floats: 0, 1 and far below");
}

int
main(void)
{
	unit_start("exponential and logarithm");
	check_double();
	check_float();
	return unit_finish();
}
