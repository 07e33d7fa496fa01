/*
 * superpopulation.c
 *		How many sample uniques are unique in the population, too.
 *
 * From the sizes of classes alone: DIS, Zayatz, Pitman, SNB, and the rule that
 * chooses.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/risk/superpopulation.h"
#include "kernel/table/frequency.h"

static bool superpopulation_settle(const SdcSuperpopulation *sample,
								   SdcSuperpopulationEstimate *estimate);
static void superpopulation_found(const SdcSuperpopulation *sample,
								  double uniques,
								  SdcSuperpopulationEstimate *estimate);

/* ----------------------------------------------------------------------
 * Individual risk of a record of a sample, after Benedetti and Franconi.
 * r(f) = integral over 0..1 of v^(f-1) / (1 + x v) dv
 * = (p / f) * sum over k >= 0 of k! / ((f+1) ... (f+k)) * q^k,
 *
 *		r(f) = integral over 0..1 of v^(f-1) / (1 + x v) dv
 *			 = (p / f) * sum over k >= 0 of k! / ((f+1) ... (f+k)) * q^k,
 *
 * the integral of Benedetti and Franconi after v = p e^-t / (1 - q e^-t), and
 * 2F1(1, 1; f+1; q) after Pfaff's transformation.  All terms of the sum are
 * positive, so it loses no digits; it is fast unless f is small and q near 1.
 * There the integral gives r(1) = log(1+x) / x and r(f+1) = (1/f - r(f)) / x,
 * which shrinks errors for x > 1.
 * ----------------------------------------------------------------------
 */

/* libm: log1p and expm1; measures are no masks. */

/* Up to this f the recurrence, with x > 1, else the sum. */
#define RECURRENCE_UP_TO 16

/* r(f) by recurrence; x = (1 - p) / p > 1. */
static double
by_recurrence(int64_t f, double x)
{
	double risk = log1p(x) / x;
	int64_t i;

	for (i = 1; i < f; i++)
		risk = (1.0 / i - risk) / x;
	return risk;
}

/* The sum of k! / ((f+1) ... (f+k)) q^k. */
static double
hypergeometric_sum(double f, double q)
{
	double term = 1;
	double sum = 1;
	double k;

	for (k = 1; term > sum * 1e-18; k++)
	{
		term *= k / (f + k) * q;
		sum += term;
	}
	return sum;
}

double
sdc_individual_risk_expect(int64_t sample, double population,
						   SdcIndividualRiskMethod method)
{
	double f = sample;
	double p = f / population;
	/* not 1 - p, which loses the digits of a small difference */
	double q = (population - f) / population;
	double x = (population - f) / f;

	if (isnan(population))
		return population;
	if (population <= f)
		return 1 / f;
	if (isinf(population))
		return 0;
	if (method == SDC_INDIVIDUAL_RISK_APPROX && sample > 2)
		return p / (f - q);
	if (sample <= RECURRENCE_UP_TO && x > 1)
		return by_recurrence(sample, x);
	return p / f * hypergeometric_sum(f, q);
}

double
sdc_individual_risk_household(const double *risk, size_t n)
{
	double none = 0;
	size_t i;

	for (i = 0; i < n; i++)
		none += log1p(-risk[i]);
	/* no minus zero for no risk at all */
	return none == 0 ? 0 : -expm1(none);
}

double
sdc_individual_risk_threshold(SdcHost *host, const double *risk,
							  const int64_t *records, int32_t n, double target)
{
	uint64_t *keys = sdc_new(host, uint64_t, n);
	int32_t *order = sdc_new(host, int32_t, n);
	double above = 0; /* records whose risk is at least this one's */
	double below = 0; /* sum of the risks of the others */
	double threshold = n > 0 ? 0 : 1;
	double allowed;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		keys[i] = sdc_sort_key(risk[i]);
		order[i] = i;
		above += records[i];
	}
	allowed = target * above;
	sdc_sort_keys(host, keys, order, n);
	/* raise the threshold from risk to risk until the mean meets the target */
	for (i = 0; i < n; i++)
	{
		double next = risk[order[i]];

		if (below + above * next > allowed)
		{
			threshold = (allowed - below) / above;
			break;
		}
		threshold = next;
		below += records[order[i]] * next;
		above -= records[order[i]];
	}
	host->release(host, order);
	host->release(host, keys);
	return threshold;
}

/* ----------------------------------------------------------------------
 * Uniques of a population by the Ewens-Pitman sampling formula.
 * sum over i = 1 .. u-1 of ln(theta + i alpha)
 * - sum over i = 1 .. n-1 of ln(theta + i)
 * + sum over classes of sum over j = 1 .. c-1 of ln(j - alpha).
 *		sum over i = 1 .. u-1 of ln(theta + i alpha)
 *		- sum over i = 1 .. n-1 of ln(theta + i)
 *		+ sum over classes of sum over j = 1 .. c-1 of ln(j - alpha).
 *
 * Its derivatives are sums of reciprocals, which are taken to all digits.  For
 * each alpha the best theta is where one derivative is zero, by bisection;
 * along these thetas the other derivative tells on which side of alpha the
 * maximum lies.  Bisection needs no second derivative and no starting value.
 * ----------------------------------------------------------------------
 */

/* libm: exp, log, log1p and pow; measures are no masks. */

/* Steps of a bisection: more than a double has bits. */
#define STEPS 64

/* From this many steps away from zero on, sums are integrals and a rest. */
#define FAR 32

/* The sum of 1 / (first + i step) over i = 0 .. count - 1; first > 0. */
static double
reciprocals(double first, double step, int64_t count)
{
	double sum = 0;
	double last;
	double a;
	double b;

	for (; count > 0 && first < FAR * step; count--)
	{
		sum += 1 / first;
		first += step;
	}
	if (count == 0)
		return sum;
	if (step == 0)
		return sum + count / first;
	/* Euler and Maclaurin */
	last = first + (count - 1) * step;
	a = step / first;
	b = step / last;
	return sum + (log1p((count - 1) * a) + (a + b) / 2 + (a * a - b * b) / 12 -
				  (a * a * a * a - b * b * b * b) / 120 +
				  (pow(a, 6) - pow(b, 6)) / 252) /
					 step;
}

/* ln Gamma(x + shift) - ln Gamma(x); x > 0, 0 <= shift <= 1. */
static double
log_gamma_shift(double x, double shift)
{
	double sum = 0;
	double y;

	for (; x < FAR; x++)
		sum -= log1p(shift / x);
	y = x + shift;
	/* the difference of two of Stirling's series */
	return sum + (y - 0.5) * log1p(shift / x) + shift * log(x) - shift +
		   (1 / y - 1 / x) / 12 - (pow(y, -3) - pow(x, -3)) / 360 +
		   (pow(y, -5) - pow(x, -5)) / 1260;
}

/* The derivative by theta, where theta = above - alpha. */
static double
slope_theta(const SdcSuperpopulation *sample, double alpha, double above)
{
	return reciprocals(above, alpha, sample->classes - 1) -
		   reciprocals(above + (1 - alpha), 1, sample->records - 1);
}

/*
 * theta + alpha for the best theta at an alpha.  The slope falls from plus
 * infinity at 0 to less than zero far out, as there are fewer classes than
 * records.
 */
static double
best_theta(const SdcSuperpopulation *sample, double alpha)
{
	double low = 1;
	double high = 1;
	int i;

	while (slope_theta(sample, alpha, low) < 0)
		low /= 16;
	while (slope_theta(sample, alpha, high) > 0)
		high *= 16;
	for (i = 0; i < STEPS; i++)
	{
		double middle = sqrt(low) * sqrt(high);

		if (slope_theta(sample, alpha, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low) * sqrt(high);
}

/* The derivative by alpha. */
static double
slope_alpha(const SdcSuperpopulation *sample, double alpha, double above)
{
	double theta = above - alpha;
	double classes = sample->classes - 1;
	double sum;
	int32_t k;

	/* of i / (theta + i alpha) = (1 - theta / (theta + i alpha)) / alpha */
	if (alpha > 0)
		sum = (classes - theta * reciprocals(above, alpha, classes)) / alpha;
	else
		sum = classes * (classes + 1) / 2 / theta;
	for (k = 0; k < sample->n; k++)
		sum -= sample->sizes[k].classes *
			   reciprocals(1 - alpha, 1, sample->sizes[k].size - 1);
	return sum;
}

double
sdc_superpopulation_pitman_uniques(double alpha, double theta, double records)
{
	double above = theta + alpha;

	return records * exp(log_gamma_shift(above, 1 - alpha) -
						 log_gamma_shift(above + (records - 1), 1 - alpha));
}

SdcSuperpopulationEstimate
sdc_superpopulation_pitman(SdcHost *host, const SdcSuperpopulation *sample)
{
	SdcSuperpopulationEstimate estimate;
	double low = 0;
	double high = 1;
	double above;
	int i;

	host->stage(host, "estimating");
	if (superpopulation_settle(sample, &estimate))
		return estimate;
	above = best_theta(sample, 0);
	/* at 1 the slope is minus infinity, as some class has two records */
	if (slope_alpha(sample, 0, above) > 0)
		for (i = 0; i < STEPS; i++)
		{
			double middle = (low + high) / 2;

			host->poll(host, i, STEPS);
			above = best_theta(sample, middle);
			if (slope_alpha(sample, middle, above) > 0)
				low = middle;
			else
				high = middle;
		}
	estimate.alpha = low;
	above = best_theta(sample, low);
	estimate.theta = above - low;
	superpopulation_found(sample,
						  sdc_superpopulation_pitman_uniques(
							  low, above - low, sample->population),
						  &estimate);
	return estimate;
}

/* ----------------------------------------------------------------------
 * Uniques of a population by the slide negative binomial model.
 * f1 = K pi (beta / (1-d))^alpha (1 + alpha d / (1-d))
 * f2 = K alpha beta^alpha pi^2 (1-beta) (2 - (1-alpha) d)
 * / (2 (1-d)^(alpha+2))
 * the sample with probability pi.  With d = (1 - pi)(1 - beta), K classes show
 *
 *		f1 = K pi (beta / (1-d))^alpha (1 + alpha d / (1-d))
 *		f2 = K alpha beta^alpha pi^2 (1-beta) (2 - (1-alpha) d)
 *			 / (2 (1-d)^(alpha+2))
 *
 * uniques and pairs.  f2 / f1 does not depend on K and makes a quadratic
 * equation for alpha that has one positive root for each beta; what is left is
 * one equation for beta, solved by bisection.
 * ----------------------------------------------------------------------
 */

/* libm: exp, expm1, log, log1p and pow; measures are no masks. */

/* Where beta is looked for: exp(-40) to 1 - exp(-40), on the logit scale. */
#define LOGIT 40
/* Places on that scale at which the sign is looked at. */
#define PLACES 160

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
	if (superpopulation_settle(sample, &estimate))
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
	superpopulation_found(sample, classes * exp(-alpha * log1p(exp(-high))),
						  &estimate);
	return estimate;
}

/* ----------------------------------------------------------------------
 * How many sample uniques are unique in the population, too.
 *
 * What needs no optimisation: DIS, Zayatz, and the rule that chooses.  Pitman
 * and SNB have files of their own.
 * ----------------------------------------------------------------------
 */

/* The different sizes, ascending, with the number of classes of each. */
static SdcSuperpopulationSize *
tally(SdcHost *host, const int64_t *count, int32_t classes, int32_t *n)
{
	uint64_t *keys = sdc_new(host, uint64_t, classes);
	int32_t *order = sdc_new(host, int32_t, classes);
	SdcSuperpopulationSize *sizes;
	int32_t i;

	for (i = 0; i < classes; i++)
	{
		keys[i] = count[i];
		order[i] = i;
	}
	sdc_sort_keys(host, keys, order, classes);
	host->release(host, order);
	*n = 0;
	for (i = 0; i < classes; i++)
		*n += i == 0 || keys[i] != keys[i - 1];
	sizes = sdc_new(host, SdcSuperpopulationSize, *n);
	*n = 0;
	for (i = 0; i < classes; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, i, classes);
		if (i == 0 || keys[i] != keys[i - 1])
		{
			sizes[*n].size = keys[i];
			sizes[*n].classes = 0;
			++*n;
		}
		sizes[*n - 1].classes++;
	}
	host->release(host, keys);
	return sizes;
}

SdcSuperpopulation
sdc_superpopulation_sample(SdcHost *host, const int64_t *count,
						   int32_t classes, double population)
{
	SdcSuperpopulation sample = {0};
	int32_t i;

	sample.sizes = tally(host, count, classes, &sample.n);
	sample.classes = classes;
	sample.population = population;
	for (i = 0; i < sample.n; i++)
	{
		const SdcSuperpopulationSize *size = &sample.sizes[i];

		sample.records += size->size * size->classes;
		if (size->size == 1)
			sample.uniques = size->classes;
		if (size->size == 2)
			sample.pairs = size->classes;
	}
	sample.fraction = sample.records / population;
	return sample;
}

SdcSuperpopulationAnswer
sdc_superpopulation_dis(const SdcSuperpopulation *sample, double *theta)
{
	double pi = sample->fraction;
	double whole = pi * sample->uniques;
	double split = 2 * (1 - pi) * sample->pairs;

	*theta = 0;
	if (sample->uniques == 0)
		return SDC_SUPERPOPULATION_NO_UNIQUES;
	if (pi < 1 && sample->pairs == 0)
		return SDC_SUPERPOPULATION_NO_PAIRS;
	*theta = whole / (whole + split);
	return pi < 1 ? SDC_SUPERPOPULATION_FOUND : SDC_SUPERPOPULATION_WHOLE;
}

/*
 * For the files of the models: completes *estimate and returns true when the
 * answer is clear from the sample alone; else clears it.
 */
static bool
superpopulation_settle(const SdcSuperpopulation *sample,
					   SdcSuperpopulationEstimate *estimate)
{
	*estimate = (SdcSuperpopulationEstimate){0};
	if (sample->uniques == 0)
		estimate->answer = SDC_SUPERPOPULATION_NO_UNIQUES;
	else if (sample->fraction >= 1)
	{
		estimate->answer = SDC_SUPERPOPULATION_WHOLE;
		estimate->uniques = sample->uniques;
		estimate->risk = 1;
	}
	else if (sample->uniques == sample->classes)
		estimate->answer = SDC_SUPERPOPULATION_ALL_UNIQUE;
	else
		return false;
	return true;
}

/*
 * The denominator of Bayes' rule over its first term.  The probability that
 * a class of i shows one record, over i, is C(N - i, n - 1) / C(N, n); from i
 * to i + 1 it shrinks by (N - i - n + 1) / (N - i).
 */
static double
shown_once(SdcHost *host, const SdcSuperpopulation *sample)
{
	double population = sample->population;
	double records = sample->records;
	double share = 1;
	double sum = 0;
	int64_t i = 1;
	int32_t k;

	for (k = 0; k < sample->n && share > 0; k++)
	{
		for (; i < sample->sizes[k].size && share > 0; i++)
		{
			if (i % SDC_POLL_STEPS == 0)
				host->poll(host, i, sample->sizes[sample->n - 1].size);
			/* at the end of the population only rounding makes it negative */
			share *= fmax(population - i - records + 1, 0) / (population - i);
		}
		sum += share * sample->sizes[k].size * sample->sizes[k].classes;
	}
	return sum / sample->uniques;
}

SdcSuperpopulationEstimate
sdc_superpopulation_zayatz(SdcHost *host, const SdcSuperpopulation *sample)
{
	SdcSuperpopulationEstimate estimate;

	host->stage(host, "estimating");
	if (superpopulation_settle(sample, &estimate))
		return estimate;
	estimate.answer = SDC_SUPERPOPULATION_FOUND;
	estimate.risk = 1 / shown_once(host, sample);
	estimate.uniques = sample->uniques * estimate.risk / sample->fraction;
	return estimate;
}

/* For the files of the models: sets the answer to that many uniques. */
static void
superpopulation_found(const SdcSuperpopulation *sample, double uniques,
					  SdcSuperpopulationEstimate *estimate)
{
	estimate->answer = SDC_SUPERPOPULATION_FOUND;
	estimate->uniques = uniques;
	estimate->risk = sample->fraction * uniques / sample->uniques;
	estimate->capped = estimate->risk > 1;
	if (estimate->capped)
		estimate->risk = 1;
}

SdcSuperpopulationEstimate
sdc_superpopulation_dankar(SdcHost *host, const SdcSuperpopulation *sample,
						   SdcSuperpopulationModel *model)
{
	SdcSuperpopulationEstimate zayatz;
	SdcSuperpopulationEstimate snb;

	*model = SDC_SUPERPOPULATION_PITMAN;
	if (sample->fraction <= 0.1)
		return sdc_superpopulation_pitman(host, sample);
	zayatz = sdc_superpopulation_zayatz(host, sample);
	snb = sdc_superpopulation_snb(host, sample);
	*model = SDC_SUPERPOPULATION_ZAYATZ;
	if (snb.answer != SDC_SUPERPOPULATION_FOUND ||
		zayatz.uniques <= snb.uniques)
		return zayatz;
	*model = SDC_SUPERPOPULATION_SNB;
	return snb;
}
