/*
 * elementary.c
 *		The exponential, the same bits everywhere.
 *
 * e^x = 2^k e^r with |r| <= log(2) / 2, where the series needs 14 terms for
 * a double.  log(2) is taken off in two parts, the first with so few bits
 * that k times it is exact.
 */
#include "kernel/base/elementary.h"

#include <math.h>

#define LOG2_HIGH 6.93147180369123816490e-01
#define LOG2_LOW  1.90821492927058770002e-10

double
sdc_exp(double x)
{
	double k;
	double r;
	double sum = 1;
	int term;

	if (!(x > -746))
		return x <= -746 ? 0 : x;
	if (x > 710)
		return INFINITY;
	k = rint(x * 1.44269504088896340736);
	r = (x - k * LOG2_HIGH) - k * LOG2_LOW;
	for (term = 14; term >= 1; term--)
		sum = 1 + r / term * sum;
	return ldexp(sum, (int) k);
}
