/*
 * uniqueness_bias.h
 *		Replicates of a simulation: how far are the estimates off?
 *
 * Where an estimator should be unbiased, the mean difference of 40 replicates
 * must be within 4.9 standard errors, which a correct program would fail for
 * about one seed in 50,000.  Where it is biased, a test says by how much.
 */
#ifndef SDC_TEST_UNIT_UNIQUENESS_BIAS_H
#define SDC_TEST_UNIT_UNIQUENESS_BIAS_H

#include "unit.h"

#include "statistics.h"

#define REPLICATES 40

/* What there is to know of a sample, and the estimates. */
enum
{
	UNIQUES,    /* of the sample */
	TAU1,       /* sample uniques that are unique in the population */
	TAU2,       /* sum of 1/F over sample uniques */
	THETA,      /* unique matches that are right */
	MODEL_TAU1, /* log-linear */
	MODEL_TAU2,
	MODEL_UNIQUES, /* of the sample */
	SAMPLE_MEAN, /* log-linear tau1, sample means taken for the population's */
	DIS,         /* theta */
	PITMAN,      /* tau1 of the others */
	ZAYATZ,
	SNB,
	BENEDETTI, /* tau2, each record weighing 1 / pi */
	FIGURES
};

static const char *const names[FIGURES] = {"sample uniques",
										   "true tau1",
										   "true tau2",
										   "true theta",
										   "Poisson tau1",
										   "Poisson tau2",
										   "Poisson sample uniques",
										   "tau1 with sample means",
										   "DIS theta",
										   "Pitman tau1",
										   "Zayatz tau1",
										   "SNB tau1",
										   "Benedetti tau2"};

/*
 * How far an estimate is off on average, relative to the truth, and how many
 * standard errors that is.
 */
static inline double
bias(double figures[][FIGURES], int replicates, int truth, int guess,
	 double *sigmas)
{
	double difference = 0;
	double squares = 0;
	double whole = 0;
	int r;

	for (r = 0; r < replicates; r++)
	{
		double d = figures[r][guess] - figures[r][truth];

		difference += d;
		squares += d * d;
		whole += figures[r][truth];
	}
	squares -= difference * difference / replicates;
	*sigmas = difference / sqrt(squares * replicates / (replicates - 1));
	return difference / whole;
}

/* An estimator whose assumptions hold here. */
static inline void
check_unbiased(double figures[][FIGURES], int replicates, const char *where,
			   int truth, int guess, double limit)
{
	double sigmas;
	double off = bias(figures, replicates, truth, guess, &sigmas);

	unit_check(fabs(sigmas) < SIGMAS && fabs(off) < limit,
			   "%s: %s is off by %.2f %%, %.1f standard errors", where,
			   names[guess], 100 * off, sigmas);
}

/* An estimator whose assumptions do not hold: off by low to high times. */
static inline void
check_biased(double figures[][FIGURES], const char *where, int truth,
			 int guess, double low, double high)
{
	double sigmas;
	double ratio = 1 + bias(figures, REPLICATES, truth, guess, &sigmas);

	unit_check(ratio > low && ratio < high, "%s: %s is %.2f times the truth",
			   where, names[guess], ratio);
}

#endif
