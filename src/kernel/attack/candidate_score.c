/*
 * candidate_score.c
 *		How likely each masked record is to be the one looked for.
 */
#include "kernel/attack/candidate_score.h"

/* libm: log of likelihoods; an attack is a measure, not a mask. */
#include <math.h>

/* What independent standard scores differ by, squared, on the average. */
#define INDEPENDENT 2.0

/* A likelihood is never taken to be less: rounding must not exclude. */
#define LEAST_LIKELIHOOD 1e-12

/* Prefix sums of the scores and their squares in the order of a set. */
typedef struct Sums
{
	double *present;
	double *sum;
	double *square;
} Sums;

static Sums
add_up(SdcHost *host, const SdcCandidateSet *set, const double *masked,
	   int32_t rows)
{
	Sums sums;
	int32_t t;

	sums.present = sdc_new(host, double, (size_t) rows + 1);
	sums.sum = sdc_new(host, double, (size_t) rows + 1);
	sums.square = sdc_new(host, double, (size_t) rows + 1);
	sums.present[0] = sums.sum[0] = sums.square[0] = 0;
	for (t = 0; t < rows; t++)
	{
		double z = masked[set == NULL ? t : set->row[t]];
		bool there = !isnan(z);

		sums.present[t + 1] = sums.present[t] + there;
		sums.sum[t + 1] = sums.sum[t] + (there ? z : 0);
		sums.square[t + 1] = sums.square[t] + (there ? z * z : 0);
	}
	return sums;
}

/* The mean squared difference of z to what lies between two places. */
static double
mean_square(const Sums *sums, int32_t first, int32_t end, double z)
{
	double n = sums->present[end] - sums->present[first];
	double sum = sums->sum[end] - sums->sum[first];
	double square = sums->square[end] - sums->square[first];
	double mean;

	if (n == 0)
		return 0;
	mean = (square - 2 * z * sum) / n + z * z;
	return mean > 0 ? mean : 0;
}

double
sdc_candidate_score_spread(SdcHost *host, const SdcCandidateSet *set,
						   const double *original, int32_t originals,
						   const double *masked, int32_t rows)
{
	Sums sums = add_up(host, set, masked, rows);
	double total = 0;
	int32_t counted = 0;
	int32_t i;

	for (i = 0; i < originals; i++)
	{
		int32_t first = set == NULL ? 0 : set->first[0][i];
		int32_t end = set == NULL ? rows : set->end[0][i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(original[i]) || sums.present[end] == sums.present[first])
			continue;
		total += mean_square(&sums, first, end, original[i]);
		counted++;
	}
	host->release(host, sums.present);
	host->release(host, sums.sum);
	host->release(host, sums.square);
	return counted == 0 ? 0 : total / counted;
}

/* -2 log likelihood of a difference under a law. */
static double
deviance_of(const SdcCandidateWeight *weight, int32_t i, int32_t row)
{
	double a = weight->original[i];
	double b = weight->masked[row];
	double s = weight->scale == NULL ? 1 : weight->scale[i];
	double apart = fabs(a - b);
	double likelihood;

	if (isnan(apart))
		return 0;
	switch (weight->law)
	{
		case SDC_CANDIDATE_GAUSSIAN:
			return s > 0 ? apart / s * (apart / s) : 0;
		case SDC_CANDIDATE_LAPLACE:
			return s > 0 ? 2 * M_SQRT2 * apart / s : 0;
		case SDC_CANDIDATE_BUCKETS:
			return 2 * M_LN2 * apart;
		case SDC_CANDIDATE_RANKS:
			return s > 0 ? (2 * apart / s - 1) * (2 * apart / s - 1) : 0;
		case SDC_CANDIDATE_ROUNDING:
			likelihood = 1 - apart;
			break;
		default:
			likelihood = (apart == 0 ? s : 0) + (1 - s) * weight->share[row];
			break;
	}
	return -2 *
		   log(likelihood > LEAST_LIKELIHOOD ? likelihood : LEAST_LIKELIHOOD);
}

/* Adds what a column says. */
static void
add_column(const SdcCandidateScore *score, int j, int32_t i,
		   const int32_t *row, int32_t count, double *squared, double *cost)
{
	double z = score->original[j][i];
	const double *masked = score->masked[j];
	double share = score->divisor[j] > 0 ? 1 / score->divisor[j] : 0;
	bool missing = isnan(z);
	int32_t t;

	for (t = 0; t < count; t++)
	{
		double apart = z - masked[row[t]];
		double square = apart * apart;

		if (isnan(apart))
			square = missing && isnan(masked[row[t]]) ? 0 : INDEPENDENT;
		squared[t] += square;
		cost[t] += square * share;
	}
}

void
sdc_candidate_score_run(const SdcCandidateScore *score, int32_t i,
						const int32_t *row, int32_t count, double *squared,
						double *deviance, double *cost)
{
	int32_t t;
	int j;

	for (t = 0; t < count; t++)
		squared[t] = deviance[t] = cost[t] = 0;
	for (j = 0; j < score->columns; j++)
		add_column(score, j, i, row, count, squared, cost);
	for (j = 0; j < score->weights; j++)
		for (t = 0; t < count; t++)
			deviance[t] += deviance_of(&score->weight[j], i, row[t]);
	for (t = 0; t < count; t++)
		cost[t] += deviance[t];
}
