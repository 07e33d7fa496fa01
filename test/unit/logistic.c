/*
 * logistic.c
 *		Logistic regression: closed forms, gradient zero, separation.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/model/logistic.c"

#define ROWS 500

static double
log_odds(double p)
{
	return log(p / (1 - p));
}

/* One factor: the odds of each level are those observed. */
static void
check_factor(void)
{
	const int32_t code[] = {0, 1, 2};
	const double trials[] = {10, 20, 40};
	const double successes[] = {3, 5, 30};
	const SdcLogisticColumn column = {NULL, code, 5};
	const SdcLogisticData data = {3, 1, &column, successes, trials};
	SdcLogistic *model = sdc_logistic_fit(unit_host(), &data);

	unit_check(model->parameters == 5 && model->rank == 3 &&
				   model->determined[3] && model->determined[4],
			   "levels without rows do not count: rank %d", model->rank);
	unit_check(fabs(model->coefficient[0] - log_odds(0.3)) < 1e-12 &&
				   fabs(model->coefficient[1] - log_odds(0.25) +
						log_odds(0.3)) < 1e-12 &&
				   fabs(model->coefficient[2] - log_odds(0.75) +
						log_odds(0.3)) < 1e-12,
			   "a factor has the observed odds");
	unit_check(fabs(model->likelihood -
					(3 * log(0.3) + 7 * log(0.7) + 5 * log(0.25) +
					 15 * log(0.75) + 30 * log(0.75) + 10 * log(0.25))) <
				   1e-11,
			   "and their likelihood");
}

typedef struct Sample
{
	double x[3][ROWS];
	int32_t code[2][ROWS];
	double success[ROWS];
	SdcLogisticColumn column[6];
	SdcLogisticData data;
} Sample;

static void
draw_sample(Sample *sample, uint64_t seed)
{
	const SdcLogisticColumn columns[] = {
		{sample->x[0], NULL, 0},    {sample->x[1], NULL, 0},
		{NULL, sample->code[0], 4}, {sample->x[0], sample->code[0], 4},
		{sample->x[2], NULL, 0},    {NULL, sample->code[1], 2}};
	SdcRandom random;
	int i;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < ROWS; i++)
	{
		double sum;

		sample->x[0][i] = sdc_random_normal(&random);
		sample->x[1][i] = 1e6 + 1e-3 * sdc_random_normal(&random);
		/* two columns that say nothing new */
		sample->x[2][i] = 2 * sample->x[0][i] - 3e3 * sample->x[1][i] + 1;
		sample->code[1][i] = 1;
		sample->code[0][i] = (int32_t) sdc_random_below(&random, 4);
		sum = sample->x[0][i] - 500 * (sample->x[1][i] - 1e6) +
			  0.5 * sample->code[0][i];
		sample->success[i] = sdc_random_unit(&random) < 1 / (1 + exp(-sum));
	}
	memcpy(sample->column, columns, sizeof(columns));
	sample->data =
		(SdcLogisticData){ROWS, 6, sample->column, sample->success, NULL};
}

/* At the maximum the residuals are orthogonal to every effect. */
static void
check_gradient(void)
{
	static Sample sample;
	SdcLogistic *model;
	double p[ROWS];
	double sum[8] = {0};
	double worst = 0;
	int i;
	int j;

	draw_sample(&sample, 7);
	model = sdc_logistic_fit(unit_host(), &sample.data);
	sdc_logistic_predict(unit_host(), model, &sample.data, p);
	for (i = 0; i < ROWS; i++)
	{
		double residual = sample.success[i] - p[i];

		sum[0] += residual;
		sum[1] += residual * sample.x[0][i];
		sum[2] += residual * 1e3 * (sample.x[1][i] - 1e6);
		for (j = 1; j < 4; j++)
			if (sample.code[0][i] == j)
			{
				sum[2 + j] += residual;
				sum[5 + (j > 1)] += residual * sample.x[0][i];
			}
	}
	for (j = 0; j < 8; j++)
		worst = fmax(worst, fabs(sum[j]));
	unit_check(model->end == SDC_LOGISTIC_MAXIMUM && worst < 1e-7,
			   "gradient zero after %d steps: %g", model->steps, worst);
	unit_check(model->parameters == 11 && model->rank == 9 &&
				   model->determined[9] && model->determined[10],
			   "combinations of other columns are left out: rank %d of %d",
			   model->rank, model->parameters);
	for (worst = 0, i = 0; i < ROWS; i++)
	{
		double eta = model->coefficient[0] +
					 model->coefficient[1] * sample.x[0][i] +
					 model->coefficient[2] * sample.x[1][i];
		int32_t code = sample.code[0][i];

		if (code > 0)
			eta += model->coefficient[2 + code] +
				   model->coefficient[5 + code] * sample.x[0][i];
		worst = fmax(worst, fabs(sdc_logistic_probability(eta) - p[i]));
	}
	unit_check(worst < 1e-6, "coefficients belong to the given numbers: %g",
			   worst);
}

/* No step away from the maximum makes the likelihood larger. */
static void
check_maximum(void)
{
	static Sample sample;
	SdcLogistic *model;
	SdcRandom random;
	double best;
	int better = 0;
	int t;

	draw_sample(&sample, 8);
	model = sdc_logistic_fit(unit_host(), &sample.data);
	best = model->likelihood;
	sdc_random_seed(&random, 9, 0);
	for (t = 0; t < 200; t++)
	{
		double p[ROWS];
		double likelihood = 0;
		int place = (int) sdc_random_below(&random, 9);
		double keep = model->effect[place];
		int i;

		model->effect[place] += 1e-3 * sdc_random_normal(&random);
		sdc_logistic_predict(unit_host(), model, &sample.data, p);
		for (i = 0; i < ROWS; i++)
			likelihood += log(sample.success[i] > 0 ? p[i] : 1 - p[i]);
		better += likelihood > best + 1e-10;
		model->effect[place] = keep;
	}
	unit_check(better == 0, "of 200 steps away %d are better", better);
}

static void
check_separation(void)
{
	const double x[] = {1, 2, 3, 4, 5, 6};
	const double parted[] = {0, 0, 0, 1, 1, 1};
	const double mixed[] = {0, 1, 0, 1, 0, 1};
	const int32_t code[] = {0, 0, 0, 0, 1, 1};
	const double sure[] = {0, 1, 0, 1, 1, 1};
	const double all[] = {1, 1, 1, 1, 1, 1};
	const SdcLogisticColumn number = {x, NULL, 0};
	const SdcLogisticColumn factor = {NULL, code, 2};
	const SdcLogisticData complete = {6, 1, &number, parted, NULL};
	const SdcLogisticData regular = {6, 1, &number, mixed, NULL};
	const SdcLogisticData quasi = {6, 1, &factor, sure, NULL};
	const SdcLogisticData constant = {6, 1, &number, all, NULL};
	const SdcLogisticData none = {6, 0, NULL, mixed, NULL};
	SdcLogistic *model = sdc_logistic_fit(unit_host(), &complete);
	double p[6];
	double worst = 0;
	int i;

	sdc_logistic_predict(unit_host(), model, &complete, p);
	for (i = 0; i < 6; i++)
		worst = fmax(worst, fabs(p[i] - parted[i]));
	unit_check(model->end == SDC_LOGISTIC_SEPARATED && worst < 1e-8,
			   "parted completely: %g after %d steps", worst, model->steps);
	model = sdc_logistic_fit(unit_host(), &quasi);
	sdc_logistic_predict(unit_host(), model, &quasi, p);
	unit_check(model->end == SDC_LOGISTIC_SEPARATED &&
				   fabs(p[0] - 0.5) < 1e-9 && fabs(p[5] - 1) < 1e-8,
			   "a level of successes only: %g, %g", p[0], 1 - p[5]);
	model = sdc_logistic_fit(unit_host(), &constant);
	unit_check(model->end == SDC_LOGISTIC_SEPARATED,
			   "nothing but successes: end %d", model->end);
	unit_check(sdc_logistic_fit(unit_host(), &regular)->end ==
				   SDC_LOGISTIC_MAXIMUM,
			   "a mixture is not parted");
	model = sdc_logistic_fit(unit_host(), &none);
	unit_check(model->parameters == 1 && fabs(model->coefficient[0]) < 1e-12,
			   "an intercept alone");
}

/* EX-UT, with the figures of requirements.md. */
static void
check_published(void)
{
	const double a[] = {10, 20, 30, 40, 50, 60, 12, 18, 33, 40, 47, 62};
	const double b[] = {1, 3, 2, 5, 4, 6, 1, 2, 3, 4, 5, 6};
	const double c[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
	const SdcLogisticColumn column[] = {{a, NULL, 0}, {b, NULL, 0}};
	const SdcLogisticData data = {12, 2, column, c, NULL};
	SdcLogistic *model = sdc_logistic_fit(unit_host(), &data);
	double p[12];
	double error = 0;
	int i;

	sdc_logistic_predict(unit_host(), model, &data, p);
	for (i = 0; i < 12; i++)
		error += (p[i] - 0.5) * (p[i] - 0.5) / 12;
	unit_check(fabs(error - 0.000201) < 5e-7, "pMSE of EX-UT: %g", error);
}

int
main(void)
{
	unit_start("logistic");
	check_factor();
	check_gradient();
	check_maximum();
	check_separation();
	check_published();
	return unit_finish();
}
