/*
 * interval.c
 *		The mean of repeated measurements and how far it may be off.
 */
#include "kernel/model/interval.h"

#include <math.h>

/* Quantiles 0.975 of Student's t for 1, 2, ... degrees of freedom. */
static const double quantile[] = {12.706205, 4.302653, 3.182446, 2.776445,
								  2.570582,  2.446912, 2.364624, 2.306004,
								  2.262157,  2.228139};

#define TABULATED ((int32_t) (sizeof(quantile) / sizeof(quantile[0])))

/* The same of the normal distribution. */
#define NORMAL 1.959963984540054

/* Beyond the table by the expansion of Cornish and Fisher, to 4 digits. */
static double
student(int32_t freedom)
{
	double z = NORMAL;
	double z3 = z * z * z;
	double z5 = z3 * z * z;
	double n = freedom;

	if (freedom <= TABULATED)
		return quantile[freedom - 1];
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

SdcInterval
sdc_interval_of_mean(const double *value, int32_t n)
{
	SdcInterval result = {0, 0, 0};
	double squares = 0;
	double width = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		result.mean += (value[i] - value[0]) / n;
	result.mean += value[0];
	for (i = 0; i < n; i++)
		squares += (value[i] - result.mean) * (value[i] - result.mean);
	if (n > 1)
		width = student(n - 1) * sqrt(squares / (n - 1) / n);
	result.low = result.mean - width;
	result.high = result.mean + width;
	return result;
}
