/*
 * logistic.c
 *		Logistic models: their effects, and what they predict.
 *
 * A row has few effects that are not zero, one for each column, however many
 * levels its factors have.  Numbers are standardized before they are used.
 */

/* libm: exp; models are no masks. */
#include "kernel/model/logistic_model.h"

#include <math.h>
#include <string.h>

int64_t
sdc_logistic_parameters(const SdcLogisticData *data)
{
	int64_t parameters = 1;
	int j;

	for (j = 0; j < data->columns; j++)
	{
		const SdcLogisticColumn *column = &data->column[j];

		if (column->code == NULL)
			parameters++;
		else if (column->levels > 0)
			parameters += column->levels - 1;
	}
	return parameters;
}

double
sdc_logistic_probability(double sum)
{
	double odds = exp(-fabs(sum));

	return sum >= 0 ? 1 / (1 + odds) : odds / (1 + odds);
}

int
sdc_logistic_list(const SdcLogistic *model, const SdcLogisticData *data,
				  size_t row, int *place, double *value)
{
	int effects = 1;
	int j;

	place[0] = 0;
	value[0] = 1;
	for (j = 0; j < data->columns; j++)
	{
		const SdcLogisticColumn *column = &data->column[j];
		int at = model->first[j];

		if (column->code != NULL)
		{
			int32_t code = column->code[row];

			if (code <= 0 || code > model->effects[j])
				continue;
			at += code - 1;
		}
		place[effects] = at;
		value[effects++] =
			column->number == NULL
				? 1
				: (column->number[row] - model->centre[j]) * model->inverse[j];
	}
	return effects;
}

/*
 * How a column is standardized: numbers to mean 0 and variance 1, products to
 * a mean square of 1.
 */
static void
standardize(SdcHost *host, const SdcLogisticData *data, int j,
			SdcLogistic *model)
{
	const double *x = data->column[j].number;
	double least = x[0];
	double most = x[0];
	double mean = 0;
	double squares = 0;
	double total = 0;
	size_t i;

	for (i = 0; i < data->rows; i++)
	{
		double trials = data->trials == NULL ? 1 : data->trials[i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
		total += trials;
		mean += (x[i] - mean) * (trials / total);
	}
	if (data->column[j].code != NULL)
		mean = 0;
	for (i = 0; i < data->rows; i++)
		squares += (x[i] - mean) * (x[i] - mean) *
				   (data->trials == NULL ? 1 : data->trials[i]);
	model->centre[j] = mean;
	/* a constant would leave rounding errors to standardize */
	model->inverse[j] =
		squares > 0 && (least < most || data->column[j].code != NULL)
			? 1 / sqrt(squares / total)
			: 0;
}

SdcLogistic *
sdc_logistic_new(SdcHost *host, const SdcLogisticData *data)
{
	SdcLogistic *model = sdc_new(host, SdcLogistic, 1);
	int columns = data->columns;
	int j;

	memset(model, 0, sizeof(*model));
	model->parameters = (int) sdc_logistic_parameters(data);
	model->columns = columns;
	model->coefficient = sdc_new(host, double, model->parameters);
	model->effect = sdc_new(host, double, model->parameters);
	model->determined = sdc_new(host, bool, model->parameters);
	model->centre = sdc_new(host, double, columns + 1);
	model->inverse = sdc_new(host, double, columns + 1);
	model->first = sdc_new(host, int, columns + 1);
	model->effects = sdc_new(host, int, columns + 1);
	memset(model->effect, 0, sizeof(double) * model->parameters);
	memset(model->determined, 0, sizeof(bool) * model->parameters);
	model->first[0] = 1;
	for (j = 0; j < columns; j++)
	{
		const SdcLogisticColumn *column = &data->column[j];

		model->effects[j] = column->code == NULL ? 1
							: column->levels > 0 ? column->levels - 1
												 : 0;
		model->first[j + 1] = model->first[j] + model->effects[j];
		model->centre[j] = 0;
		model->inverse[j] = 1;
		if (column->number != NULL)
			standardize(host, data, j, model);
	}
	return model;
}

void
sdc_logistic_predict(SdcHost *host, const SdcLogistic *model,
					 const SdcLogisticData *data, double *probability)
{
	int *place = sdc_new(host, int, data->columns + 1);
	double *value = sdc_new(host, double, data->columns + 1);
	size_t i;

	for (i = 0; i < data->rows; i++)
	{
		int effects = sdc_logistic_list(model, data, i, place, value);
		double sum = 0;
		int a;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		for (a = 0; a < effects; a++)
			sum += model->effect[place[a]] * value[a];
		probability[i] = sdc_logistic_probability(sum);
	}
	host->release(host, place);
	host->release(host, value);
}

void
sdc_logistic_release(SdcHost *host, SdcLogistic *model)
{
	host->release(host, model->coefficient);
	host->release(host, model->effect);
	host->release(host, model->determined);
	host->release(host, model->centre);
	host->release(host, model->inverse);
	host->release(host, model->first);
	host->release(host, model->effects);
	host->release(host, model);
}
