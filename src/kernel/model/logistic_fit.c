/*
 * logistic_fit.c
 *		Newton's method on the likelihood of a logistic model.
 *
 * A row has few effects that are not zero, one for each column, however many
 * levels its factors have.  So the gradient and the Hessian are sums over
 * short lists, and only Cholesky's decomposition sees all parameters.  What is
 * a combination of earlier effects is found once, at the start, where all rows
 * weigh the same.
 */

/* libm: exp, log1p; models are no masks. */
#include "kernel/model/logistic_model.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS    100
#define MOST_HALVINGS 40

/* Share of a diagonal element that must be left by the earlier effects. */
#define DETERMINED 1e-10
/* The same between rows that weigh less and less. */
#define LOST 1e-13
/* A gradient this small, relative to the sum of |x|, is zero. */
#define ZERO_GRADIENT 1e-10
/* Likelihoods that differ by less, relatively, may be equal. */
#define ROUNDING 1e-13
/* A last step longer than this goes on for ever. */
#define ENDLESS 1e-3

typedef struct Fit
{
	SdcHost *host;
	const SdcLogisticData *data;
	SdcLogistic *model;
	double *gradient;
	double *hessian; /* of the negative likelihood, lower triangle */
	double *factor;  /* its Cholesky factor */
	double *size;    /* sum of |x| */
	double *step;
	double *next; /* coefficients that are tried */
	int *place;   /* of the effects of one row */
	double *value;
	bool lost; /* did a direction lose all its weight? */
} Fit;

/* Adds the row's part to gradient and Hessian. */
static void
add_row(Fit *fit, int effects, double residual, double weight)
{
	int parameters = fit->model->parameters;
	int a;
	int b;

	for (a = 0; a < effects; a++)
	{
		double *line =
			fit->hessian + (size_t) fit->place[a] * (size_t) parameters;
		double share = weight * fit->value[a];

		fit->gradient[fit->place[a]] += residual * fit->value[a];
		for (b = 0; b <= a; b++)
			line[fit->place[b]] += share * fit->value[b];
	}
}

/* Adds to a sum, of which lost takes the digits (Neumaier 1974). */
static void
add_exactly(double *sum, double *lost, double x)
{
	double next = *sum + x;

	*lost += fabs(*sum) >= fabs(x) ? *sum - next + x : x - next + *sum;
	*sum = next;
}

/* The likelihood of coefficients, with gradient and Hessian there. */
static double
evaluate(Fit *fit, const double *effect)
{
	const SdcLogisticData *data = fit->data;
	int parameters = fit->model->parameters;
	double likelihood = 0;
	double lost = 0;
	size_t i;

	memset(fit->gradient, 0, sizeof(double) * parameters);
	memset(fit->hessian, 0,
		   sizeof(double) * (size_t) parameters * (size_t) parameters);
	for (i = 0; i < data->rows; i++)
	{
		int effects =
			sdc_logistic_list(fit->model, data, i, fit->place, fit->value);
		double trials = data->trials == NULL ? 1 : data->trials[i];
		double sum = 0;
		double odds;
		double rare; /* the probability of what is less likely */
		int a;

		if (i % 4096 == 0)
			fit->host->poll(fit->host, 0, 0);
		if (trials == 0)
			continue;
		for (a = 0; a < effects; a++)
			sum += effect[fit->place[a]] * fit->value[a];
		odds = exp(-fabs(sum));
		rare = odds / (1 + odds);
		add_exactly(&likelihood, &lost,
					data->successes[i] * sum -
						trials * ((sum > 0 ? sum : 0) + log1p(odds)));
		add_row(fit, effects,
				sum >= 0 ? data->successes[i] - trials + trials * rare
						 : data->successes[i] - trials * rare,
				trials * rare / (1 + odds));
	}
	return likelihood + lost;
}

/* Sums of |x|, which the gradient is held against. */
static void
measure_sizes(Fit *fit)
{
	size_t i;
	int a;

	memset(fit->size, 0, sizeof(double) * fit->model->parameters);
	for (i = 0; i < fit->data->rows; i++)
	{
		int effects = sdc_logistic_list(fit->model, fit->data, i, fit->place,
										fit->value);
		double trials = fit->data->trials == NULL ? 1 : fit->data->trials[i];

		for (a = 0; a < effects; a++)
			fit->size[fit->place[a]] += trials * fabs(fit->value[a]);
	}
}

/*
 * Cholesky's decomposition; an effect with nothing left beside the earlier
 * ones gets a line of zeros.  Returns how many of those not yet determined
 * there are, and marks them with mark.
 */
static int
decompose(Fit *fit, double tolerance, bool mark)
{
	SdcLogistic *model = fit->model;
	size_t n = (size_t) model->parameters;
	int zeros = 0;
	size_t i;
	size_t j;
	size_t k;

	for (i = 0; i < n; i++)
	{
		double *line = fit->factor + i * n;
		double left = fit->hessian[i * n + i];

		if (i % 32 == 0)
			fit->host->poll(fit->host, 0, 0);
		memset(line, 0, sizeof(double) * n);
		if (model->determined[i])
			continue;
		for (j = 0; j < i; j++)
		{
			const double *other = fit->factor + j * n;
			double sum = fit->hessian[i * n + j];

			if (other[j] == 0)
				continue;
			for (k = 0; k < j; k++)
				sum -= line[k] * other[k];
			line[j] = sum / other[j];
			left -= line[j] * line[j];
		}
		if (left > tolerance * fit->hessian[i * n + i])
			line[i] = sqrt(left);
		else
		{
			memset(line, 0, sizeof(double) * n);
			zeros++;
			model->determined[i] = model->determined[i] || mark;
		}
	}
	return zeros;
}

/* Newton's step from gradient and factor; returns its largest element. */
static double
solve_step(Fit *fit)
{
	size_t n = (size_t) fit->model->parameters;
	double longest = 0;
	size_t i;
	size_t k;

	for (i = 0; i < n; i++)
	{
		const double *line = fit->factor + i * n;
		double sum = fit->gradient[i];

		for (k = 0; k < i; k++)
			sum -= line[k] * fit->step[k];
		fit->step[i] = line[i] > 0 ? sum / line[i] : 0;
	}
	for (i = n; i-- > 0;)
	{
		double sum = fit->step[i];
		double pivot = fit->factor[i * n + i];

		for (k = i + 1; k < n; k++)
			sum -= fit->factor[k * n + i] * fit->step[k];
		fit->step[i] = pivot > 0 ? sum / pivot : 0;
		longest = fmax(longest, fabs(fit->step[i]));
	}
	return longest;
}

/* The largest element of the gradient, relative to its sizes. */
static double
relative_gradient(const Fit *fit)
{
	double largest = 0;
	int i;

	for (i = 0; i < fit->model->parameters; i++)
		if (!fit->model->determined[i] && fit->size[i] > 0)
			largest = fmax(largest, fabs(fit->gradient[i]) / fit->size[i]);
	return largest;
}

/* Goes as far along the step as the likelihood grows; false: not at all. */
static bool
take_step(Fit *fit)
{
	SdcLogistic *model = fit->model;
	double before = model->likelihood;
	double part = 1;
	int halving;
	int i;

	for (halving = 0; halving < MOST_HALVINGS; halving++)
	{
		for (i = 0; i < model->parameters; i++)
			fit->next[i] = model->effect[i] + part * fit->step[i];
		model->likelihood = evaluate(fit, fit->next);
		/* near the maximum only rounding errors are left to compare */
		if (model->likelihood >= before - ROUNDING * fabs(before))
		{
			memcpy(model->effect, fit->next,
				   sizeof(double) * model->parameters);
			return true;
		}
		part /= 2;
	}
	model->likelihood = evaluate(fit, model->effect);
	return false;
}

static SdcLogisticEnd
climb(Fit *fit)
{
	SdcLogistic *model = fit->model;

	while (model->steps < MOST_STEPS)
	{
		double longest;

		model->gradient = relative_gradient(fit);
		fit->lost = decompose(fit, LOST, false) > 0;
		longest = solve_step(fit);
		if (model->gradient <= ZERO_GRADIENT &&
			(fit->lost || longest > ENDLESS))
			return SDC_LOGISTIC_SEPARATED;
		if (model->gradient <= ZERO_GRADIENT)
		{
			/* the last step doubles the digits */
			take_step(fit);
			model->gradient = relative_gradient(fit);
			return SDC_LOGISTIC_MAXIMUM;
		}
		if (!take_step(fit))
			break;
		model->steps++;
	}
	return fit->lost ? SDC_LOGISTIC_SEPARATED : SDC_LOGISTIC_STOPPED;
}

/* Coefficients of the numbers as they were given. */
static void
restore_scale(SdcLogistic *model)
{
	int i;
	int j;

	model->coefficient[0] = model->effect[0];
	for (j = 0; j < model->columns; j++)
		for (i = model->first[j]; i < model->first[j + 1]; i++)
		{
			model->coefficient[i] = model->effect[i] * model->inverse[j];
			model->coefficient[0] -= model->coefficient[i] * model->centre[j];
		}
}

/* A fit with all effects zero, its gradient and Hessian, and its rank. */
static Fit
start_fit(SdcHost *host, const SdcLogisticData *data)
{
	Fit fit = {
		.host = host, .data = data, .model = sdc_logistic_new(host, data)};
	size_t n = (size_t) fit.model->parameters;

	fit.gradient = sdc_new(host, double, n);
	fit.hessian = sdc_new(host, double, n *n);
	fit.factor = sdc_new(host, double, n *n);
	fit.size = sdc_new(host, double, n);
	fit.step = sdc_new(host, double, n);
	fit.next = sdc_new(host, double, n);
	fit.place = sdc_new(host, int, data->columns + 1);
	fit.value = sdc_new(host, double, data->columns + 1);
	measure_sizes(&fit);
	fit.model->likelihood = evaluate(&fit, fit.model->effect);
	fit.model->rank = (int) n - decompose(&fit, DETERMINED, true);
	return fit;
}

static void
end_fit(Fit *fit)
{
	SdcHost *host = fit->host;

	host->release(host, fit->gradient);
	host->release(host, fit->hessian);
	host->release(host, fit->factor);
	host->release(host, fit->size);
	host->release(host, fit->step);
	host->release(host, fit->next);
	host->release(host, fit->place);
	host->release(host, fit->value);
}

int
sdc_logistic_rank(SdcHost *host, const SdcLogisticData *data)
{
	Fit fit = start_fit(host, data);
	int rank = fit.model->rank;

	end_fit(&fit);
	sdc_logistic_release(host, fit.model);
	return rank;
}

SdcLogistic *
sdc_logistic_fit(SdcHost *host, const SdcLogisticData *data)
{
	Fit fit = start_fit(host, data);

	fit.model->end = climb(&fit);
	restore_scale(fit.model);
	end_fit(&fit);
	return fit.model;
}
