/*
 * posterior.h
 *		What an intruder believes of a person before and after a release.
 *
 * Bayes-optimal privacy of Machanavajjhala, Kifer, Gehrke and
 * Venkitasubramaniam, l-diversity, TKDD 2007.  The intruder knows q of a
 * person, and that the release shows q as q*.  The prior belief that the
 * sensitive value is s is f(s|q); the posterior belief (theorem 3.1) is
 *
 *		n(q*,s) f(s|q) / f(s|q*)
 *
 * over its sum for all s, n(q*,s) being the records of the release with q* and
 * s.  f comes from a table of the intruder's knowledge.
 */
#ifndef SDC_KERNEL_POSTERIOR_H
#define SDC_KERNEL_POSTERIOR_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* What counts, and what is returned. */
typedef struct SdcPosteriorOptions
{
	bool ignore_null; /* records whose sensitive value is NULL do not count */
	bool zeros;       /* return values with posterior 0, too */
	int32_t exclude;  /* values, >= 0, that the intruder can rule out */
} SdcPosteriorOptions;

/* One sensitive value of a person.  Beliefs that are not defined are NaN. */
typedef struct SdcBelief
{
	int32_t value; /* its code */
	double prior;
	double posterior;
	int64_t count; /* n(q*,s) */
} SdcBelief;

/* The person, or class of persons, that is being looked at. */
typedef struct SdcPosterior
{
	int32_t cell; /* of external, or of masked if that is NULL: the codes */
	int32_t beliefs;
	SdcBelief *belief; /* in the order of the values */
	struct SdcPosteriorWork *work;
} SdcPosterior;

/*
 * Prepares the beliefs for a release.  masked has the columns keys, sensitive;
 * external has the columns keys, known, sensitive, with the codes of masked,
 * and weights (counts serve when it has none): the joint distribution of what
 * the intruder knows and the sensitive attribute.  Their sum must be finite.
 * keys is the number of keys.  With external NULL the intruder knows nothing
 * but the release: the prior is the distribution in the whole of masked, and
 * the same in every class, so the posterior is n(q*,s) / n(q*).
 */
extern SdcPosterior *sdc_posterior_start(SdcHost *host,
										 const SdcFrequency *masked,
										 const SdcFrequency *external,
										 int keys,
										 const SdcPosteriorOptions *options);

/*
 * Goes to the next person: a combination of keys and known columns of
 * external, or a class of masked.  False at the end, when all is freed.
 *
 * A value whose prior is 0 keeps the posterior 0.  Posteriors are NaN for all
 * values when no record of the release can be the person's: because none has
 * these keys, or because each has a value that the intruder holds impossible.
 * Priors are NaN as well when the weights of the person are all 0.  Values are
 * those of the class and those with a prior above 0; without options.zeros
 * those with posterior 0 are left out.  There may be none.
 *
 * With options.exclude = x the posterior of a value is the highest that the
 * intruder reaches by ruling out x other values; the beliefs then do not add
 * up to 1.  O(values of the person and of the class), with exclude times log.
 */
extern bool sdc_posterior_next(SdcPosterior *posterior);

/* What counts as a disclosure; a threshold that is NaN is not asked for. */
typedef struct SdcPosteriorThresholds
{
	double delta;   /* positive: posterior > 1 - delta */
	double epsilon; /* negative: posterior < epsilon */
	double rho1;    /* breach: prior < rho1 and posterior > rho2 */
	double rho2;
} SdcPosteriorThresholds;

/* Disclosures, or'ed. */
#define SDC_POSTERIOR_POSITIVE 1
#define SDC_POSTERIOR_NEGATIVE 2
#define SDC_POSTERIOR_BREACH   4

/*
 * The disclosures that a belief is, a sum of the above.  Certainty is one
 * without any threshold: a posterior of 1 is positive, of 0 negative.
 */
extern int sdc_posterior_disclosure(const SdcPosteriorThresholds *thresholds,
									double prior, double posterior);

/* The beliefs of an intruder who knows nothing but the release, summed up. */
typedef struct SdcPosteriorSummary
{
	int64_t classes; /* that have records */
	int64_t records; /* in them */
	int64_t positive_classes;
	int64_t positive_records;
	int64_t homogeneous_classes; /* with a single sensitive value */
	int64_t homogeneous_records;
	double highest; /* posterior; NaN when there is no record */
} SdcPosteriorSummary;

/*
 * Sums up the highest posterior of each class, r_1 / (n - r_2 - ... - r_x+1)
 * with r_1 >= r_2 >= ... the counts of its sensitive values and x =
 * options.exclude.  classes are those of the columns of masked before its
 * last, the sensitive one.  Positive is a posterior > 1 - delta (NaN: none) or
 * of 1.  worst[c], unless worst is NULL, becomes the highest posterior of
 * class c, NaN when none of its records counts.  O(cells), with exclude times
 * log.
 */
extern SdcPosteriorSummary sdc_posterior_summarize(
	SdcHost *host, const SdcFrequency *masked, const SdcClasses *classes,
	const SdcPosteriorOptions *options, double delta, double *worst);

#endif
