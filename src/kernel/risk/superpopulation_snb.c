/*
 * superpopulation_snb.c
 *		Uniques of a population by the slide negative binomial model.
 *
 * A class of the population has 1 + X records, X negative binomial with
 * parameters alpha and beta, so that P(X = 0) = beta^alpha; a record comes to
 * the sample with probability pi.  With d = (1 - pi)(1 - beta), K classes show
 *
 *		f1 = K pi (beta / (1-d))^alpha (1 + alpha d / (1-d))
 *		f2 = K alpha beta^alpha pi^2 (1-beta) (2 - (1-alpha) d)
 *			 / (2 (1-d)^(alpha+2))
 *
 * uniques and pairs.  f2 / f1 does not depend on K and makes a quadratic
 * equation for alpha that has one positive root for each beta; what is left is
 * one equation for beta, solved by bisection.
 */

/* libm: exp, expm1, log, log1p and pow; measures are no masks. */
#include "kernel/risk/superpopulation.h"

#include <math.h>

/* Where beta is looked for: exp(-40) to 1 - exp(-40), on the logit scale. */
#define LOGIT 40
/* Places on that scale at which the sign is looked at. */
#define PLACES 160
#define STEPS  64

/*
 * Haas and Stokes' third estimate of the number of classes, after Shlosser;
 * q = pi.  Powers are taken as exponentials: sizes may be large and q small.
 */
static double
population_classes(const SdcSuperpopulation *sample)
{
	double q = sample->fraction;
	double once_squared = 0; /* sum of i q^2 (1 - q^2)^(i-1) f_i */
	double between = 0;      /* sum of (1-q)^i ((1+q)^i - 1) f_i */
	double missed = 0;       /* sum of (1-q)^i f_i */
	double once = 0;         /* sum of i q (1-q)^(i-1) f_i */
	int32_t k;

	for (k = 0; k < sample->n; k++)
	{
		double i = sample->sizes[k].size;
		double f = sample->sizes[k].classes;
		double miss = exp(i * log1p(-q));

		missed += miss * f;
		once += i * q * miss / (1 - q) * f;
		once_squared += i * q * q * exp((i - 1) * log1p(-q * q)) * f;
		/* (1-q)^i underflows where (1-q^2)^i does not */
		between += -expm1(-i * log1p(q)) * exp(i * log1p(-q * q)) * f;
	}
	return sample->classes + sample->uniques * (once_squared / between) *
								 (missed / once) * (missed / once);
}

/* The alpha that gives f2 / f1 = ratio at this beta; rest = 1 - beta. */
static double
alpha_for(double rest, double pi, double ratio)
{
	double d = (1 - pi) * rest;
	double a = pi * rest * d;
	double b = pi * rest * (2 - d) - 2 * ratio * (1 - d) * d;
	double c = 2 * ratio * (1 - d) * (1 - d);
	double root = sqrt(b * b + 4 * a * c);

	/* of a x^2 + b x - c = 0, without cancellation */
	return b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a);
}

/* ln(f1 / K) of the model. */
static double
log_uniques(double alpha, double beta, double rest, double pi)
{
	double d = (1 - pi) * rest;

	/* beta / (1 - d) = 1 - pi rest / (1 - d) */
	return log(pi) + log1p(alpha * d / (1 - d)) +
		   alpha * (beta < 0.5 ? log(beta / (1 - d))
							   : log1p(-pi * rest / (1 - d)));
}

void
sdc_superpopulation_snb_expect(double alpha, double beta, double fraction,
							   double *uniques, double *pairs)
{
	double rest = 1 - beta;
	double d = (1 - fraction) * rest;

	*uniques = exp(log_uniques(alpha, beta, rest, fraction));
	*pairs = alpha * pow(beta / (1 - d), alpha) * fraction * fraction * rest *
			 (2 - (1 - alpha) * d) / (2 * (1 - d) * (1 - d));
}

/* How far the model's uniques are above the sample's, as a logarithm. */
static double
excess(const SdcSuperpopulation *sample, double classes, double logit,
	   double *alpha)
{
	double beta = 1 / (1 + exp(-logit));
	double rest = 1 / (1 + exp(logit));

	*alpha = alpha_for(rest, sample->fraction,
					   (double) sample->pairs / sample->uniques);
	return log(classes / sample->uniques) +
		   log_uniques(*alpha, beta, rest, sample->fraction);
}

SdcSuperpopulationEstimate
sdc_superpopulation_snb(SdcHost *host, const SdcSuperpopulation *sample)
{
	SdcSuperpopulationEstimate estimate;
	double classes;
	double low = -LOGIT;
	double high = -LOGIT;
	double alpha;
	int i;

	host->stage(host, "estimating");
	if (sdc_superpopulation_settle(sample, &estimate))
		return estimate;
	estimate.answer = SDC_SUPERPOPULATION_NO_PAIRS;
	if (sample->pairs == 0)
		return estimate;
	estimate.answer = SDC_SUPERPOPULATION_NO_FIT;
	classes = population_classes(sample);
	/* the model's uniques rise with beta from none: the first place above */
	for (i = 1; i <= PLACES && excess(sample, classes, high, &alpha) < 0; i++)
	{
		low = high;
		high = LOGIT * (2.0 * i / PLACES - 1);
	}
	if (!(excess(sample, classes, high, &alpha) >= 0) || low == high)
		return estimate;
	for (i = 0; i < STEPS; i++)
	{
		double middle = (low + high) / 2;

		if (excess(sample, classes, middle, &alpha) < 0)
			low = middle;
		else
			high = middle;
	}
	estimate.classes = classes;
	estimate.alpha = alpha;
	estimate.beta = 1 / (1 + exp(-high));
	sdc_superpopulation_found(
		sample, classes * exp(-alpha * log1p(exp(-high))), &estimate);
	return estimate;
}
