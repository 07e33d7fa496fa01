/*
 * statistics.h
 *		Tests of a distribution, with one error rate for all of them.
 *
 * Seeds are fixed, so a check either always passes or always fails.  Limits
 * are set so that a correct program would fail one check for about one seed
 * in a million.
 */
#ifndef SDC_TEST_UNIT_STATISTICS_H
#define SDC_TEST_UNIT_STATISTICS_H

#include <math.h>

/* Standard deviations that a normal figure exceeds once in a million. */
#define SIGMAS 4.9

/*
 * Pearson's statistic for observed counts against expected ones.  Cells of
 * expectation 0 must be empty; otherwise the result is infinite.
 */
static inline double
chi_square(const double *observed, const double *expected, int cells)
{
	double sum = 0;
	int i;

	for (i = 0; i < cells; i++)
	{
		double shift = observed[i] - expected[i];

		if (expected[i] > 0)
			sum += shift * shift / expected[i];
		else if (observed[i] > 0)
			return INFINITY;
	}
	return sum;
}

/* What the statistic exceeds once in a million (Wilson and Hilferty 1931). */
static inline double
chi_square_limit(int freedom)
{
	double part = 2.0 / (9 * freedom);
	double root = 1 - part + 4.75 * sqrt(part);

	return freedom * root * root * root;
}

/* Are counts of equally likely cells plausible? */
static inline int
looks_uniform(const double *observed, int cells)
{
	double total = 0;
	double sum = 0;
	int i;

	for (i = 0; i < cells; i++)
		total += observed[i];
	for (i = 0; i < cells; i++)
		sum += (observed[i] - total / cells) * (observed[i] - total / cells);
	return sum / (total / cells) <= chi_square_limit(cells - 1);
}

#endif
