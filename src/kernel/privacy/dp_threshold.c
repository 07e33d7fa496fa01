/*
 * dp_threshold.c
 *		Which groups may be named at all: a threshold for noisy counts.
 *
 * P(Y >= t) = r^t / (1 + r) for t >= 1, the tail of the discrete law itself,
 * so the threshold is exact where one made for the continuous law is off.
 *
 * libm: why exp and log may differ in the last bit here: the threshold is
 * made for slightly less epsilon and delta than there are, by much more than
 * that bit, so it can only come out too high.
 */
#include <math.h>

#include "kernel/privacy/dp_threshold.h"

/* More than the errors of libm and of the scale of the noise together. */
#define MARGIN 0x1p-36

double
sdc_dp_threshold_share(double delta, uint32_t groups)
{
	if (groups <= 1)
		return delta;
	return -expm1(log1p(-delta) / groups) * (1 - MARGIN);
}

int64_t
sdc_dp_threshold_count(uint32_t rows, double epsilon, double delta)
{
	double rate = epsilon * (1 - MARGIN);
	double tail = -log(delta * (1 - MARGIN)) - log1p(exp(-rate));
	double above = ceil(tail / rate);

	return (int64_t) rows + (above < 1 ? 1 : (int64_t) above);
}
