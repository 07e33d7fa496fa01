/*
 * superpopulation.h
 *		How many sample uniques are unique in the population, too.
 *
 * n records were drawn from a population of N.  Of the classes of equal
 * quasi-identifiers only the sizes in the sample are known; each estimator
 * adds an assumption on the classes of the population.  PU and SU stand for
 * population unique and sample unique, pi = n / N.
 */
#ifndef SDC_KERNEL_SUPERPOPULATION_H
#define SDC_KERNEL_SUPERPOPULATION_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/* How E(1/F | f) is computed. */
typedef enum SdcIndividualRiskMethod
{
	SDC_INDIVIDUAL_RISK_EXACT,
	/* p / (f - 1 + p) from f = 3 on: up to 4.1 % too high */
	SDC_INDIVIDUAL_RISK_APPROX
} SdcIndividualRiskMethod;

/*
 * E(1/F | f) of each of sample records, sample >= 1, of which the population
 * is estimated to hold so many; in (0, 1 / sample].
 *
 * A population below sample contradicts it and counts as sample (p = 1), as
 * happens to weights below 1: the risk then is 1 / sample, the largest one for
 * that sample.  It goes to 0 as the population grows; an infinite one makes
 * it 0.  NaN makes NaN.  Exact means a relative error of a few units in the
 * 15th digit.  O(1), at most some hundred steps.
 *
 * Source: Benedetti and Franconi 1998, "Statistical and technological
 * solutions for controlled data dissemination"; Franconi and Polettini 2004,
 * "Individual risk estimation in mu-Argus".
 */
extern double sdc_individual_risk_expect(int64_t sample, double population,
										 SdcIndividualRiskMethod method);

/*
 * The risk that at least one of n records is re-identified, 1 - prod (1 -
 * risk[i]), without loss of digits when risks are small; risks are 0 to 1,
 * none makes 0.  The order of the risks may change the last digit: hand them
 * over in an order that does not depend on that of the rows.  O(n).
 */
extern double sdc_individual_risk_household(const double *risk, size_t n);

/*
 * The largest threshold r such that the global risk, the mean over all
 * records, is at most target (0 to 1) once no record has a risk above r:
 * sum records[i] * min(risk[i], r) <= target * sum records[i].  If the global
 * risk is low enough already, that is the largest risk; without records, 1.
 * The n classes come in any order; risk[i] in 0 .. 1, records[i] >= 1.
 * O(n) and scratch of 20 n bytes.
 *
 * Source: the re-identification rate of Franconi and Polettini 2004, with the
 * bound r for the records that are protected.
 */
extern double sdc_individual_risk_threshold(SdcHost *host, const double *risk,
											const int64_t *records, int32_t n,
											double target);

/* How many classes have a size: classes > 0 classes of size > 0 records. */
typedef struct SdcSuperpopulationSize
{
	int64_t size;
	int64_t classes;
} SdcSuperpopulationSize;

/* The class sizes of a sample, and where it was drawn from. */
typedef struct SdcSuperpopulation
{
	const SdcSuperpopulationSize *sizes; /* different sizes, ascending */
	int32_t n;                           /* how many */
	int64_t records;                     /* n */
	int64_t classes;                     /* u */
	int64_t uniques;                     /* f1: classes of one record */
	int64_t pairs;                       /* f2: classes of two */
	double population;                   /* N >= n */
	double fraction;                     /* pi */
} SdcSuperpopulation;

/* Why there is a figure, or none. */
typedef enum SdcSuperpopulationAnswer
{
	SDC_SUPERPOPULATION_FOUND,
	SDC_SUPERPOPULATION_WHOLE,      /* pi = 1: counted, nothing to estimate */
	SDC_SUPERPOPULATION_NO_UNIQUES, /* no sample unique, so no risk of one */
	SDC_SUPERPOPULATION_NO_PAIRS,   /* none of size 2: no hold on the sizes */
	SDC_SUPERPOPULATION_ALL_UNIQUE, /* no class of 2 or more: the same */
	SDC_SUPERPOPULATION_NO_FIT      /* no parameters give these class sizes */
} SdcSuperpopulationAnswer;

/*
 * What a model says.  Figures are set if the answer is FOUND or WHOLE, else 0.
 */
typedef struct SdcSuperpopulationEstimate
{
	SdcSuperpopulationAnswer answer;
	double uniques; /* of the population */
	double risk;    /* P(PU|SU), at most 1 */
	/* did pi times uniques exceed the sample uniques? risk then is 1 */
	bool capped;
	double alpha;   /* Pitman, SNB: parameters */
	double theta;   /* Pitman */
	double beta;    /* SNB */
	double classes; /* SNB: of the population */
} SdcSuperpopulationEstimate;

/* The model that a rule chose. */
typedef enum SdcSuperpopulationModel
{
	SDC_SUPERPOPULATION_PITMAN,
	SDC_SUPERPOPULATION_ZAYATZ,
	SDC_SUPERPOPULATION_SNB
} SdcSuperpopulationModel;

/*
 * Sums a sample up: count[] holds the sizes of its classes, each at least 1,
 * in any order.  O(classes).
 */
extern SdcSuperpopulation sdc_superpopulation_sample(SdcHost *host,
													 const int64_t *count,
													 int32_t classes,
													 double population);

/*
 * DIS: theta, the probability that a unique match of the population with a
 * sample unique is correct, pi f1 / (pi f1 + 2 (1 - pi) f2).  It needs no
 * model of the population, for it only asks how often a sample unique has a
 * twin: f2 pairs in the sample stand for twins that were split.  O(1).
 *
 * Source: Skinner and Elliot 2002, "A measure of disclosure risk for
 * microdata".
 */
extern SdcSuperpopulationAnswer
sdc_superpopulation_dis(const SdcSuperpopulation *sample, double *theta);

/*
 * Zayatz: takes the class sizes of the population to be distributed like
 * those of the sample, and applies Bayes' rule with the hypergeometric
 * probability that a class of size i shows one record.  Overestimates, the
 * more the smaller pi is: small classes are over-represented in a sample.
 * O(largest class).
 *
 * Source: Zayatz 1991, "Estimation of the number of unique population
 * elements using a sample".
 */
extern SdcSuperpopulationEstimate
sdc_superpopulation_zayatz(SdcHost *host, const SdcSuperpopulation *sample);

/*
 * Pitman: the partition of the records into classes follows the
 * Ewens-Pitman sampling formula with 0 <= alpha < 1 and theta > -alpha; both
 * by maximum likelihood.  O(different sizes) a step, some thousand steps.
 *
 * Source: Hoshino 2001, "Applying Pitman's sampling formula to microdata
 * disclosure risk assessment".
 */
extern SdcSuperpopulationEstimate
sdc_superpopulation_pitman(SdcHost *host, const SdcSuperpopulation *sample);

/*
 * The number of uniques that the formula expects among so many records, at
 * least 1: records Gamma(theta + 1) Gamma(theta + alpha + records - 1) /
 * (Gamma(theta + alpha) Gamma(theta + records)).  Hoshino's and ARX' figure
 * Gamma(theta + 1) / Gamma(theta + alpha) records^alpha is its limit for many
 * records; where theta is not small beside them, the limit may exceed the
 * number of records.
 */
extern double sdc_superpopulation_pitman_uniques(double alpha, double theta,
												 double records);

/*
 * SNB: class sizes of the population, less 1, are negative binomial with
 * parameters alpha and beta; the number of classes K is Haas and Stokes'
 * modified Shlosser estimate; alpha and beta are those that give the expected
 * numbers of sample uniques and sample pairs.  O(different sizes).
 *
 * Source: Chen and Keller-McNulty 1998, "Estimation of identification
 * disclosure risk in microdata"; Haas and Stokes 1998, "Estimating the number
 * of classes in a finite population".
 */
extern SdcSuperpopulationEstimate
sdc_superpopulation_snb(SdcHost *host, const SdcSuperpopulation *sample);

/*
 * Dankar's rule: Pitman if pi <= 0.1, else the smaller of SNB and Zayatz; of
 * these the other one when one has no answer.
 *
 * Source: Dankar, El Emam, Neisa and Roffey 2012, "Estimating the
 * re-identification risk of clinical data sets".
 */
extern SdcSuperpopulationEstimate
sdc_superpopulation_dankar(SdcHost *host, const SdcSuperpopulation *sample,
						   SdcSuperpopulationModel *model);

#endif
