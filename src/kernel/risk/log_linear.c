/*
 * log_linear.c
 *		Poisson log-linear models of key tables, and the risk they give.
 *
 * Columns that no chain of terms connects are independent, so that mu / n is a
 * product over the parts of connected columns.  Each part has a table of its
 * own over all its combinations of values, which proportional fitting starts
 * with ones and scales to the margin of one term after the other.  A part of
 * one column is its margin.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/risk/log_linear.h"
#include "kernel/table/frequency.h"

/* libm: exp and expm1; measures are no masks. */

#define MAX_SWEEPS 2000
/* Margins are kept when no sum is further off, relative to it. */
#define TOLERANCE 1e-9

/* The values of a column: NULL is the last, where it occurs. */
typedef struct Column
{
	int32_t values;
	int part; /* the smallest column that terms connect it with */
} Column;

/* A table over the columns of one part; the last one varies fastest. */
typedef struct Part
{
	int columns;
	int *column;
	int64_t *stride;
	int64_t cells;
	double *mean;
} Part;

/* A margin of one or two columns of a part, and its sums in the sample. */
typedef struct Margin
{
	int64_t *stride; /* of each column of the part; 0 is summed over */
	int64_t cells;
	double *sample;
	double *model;
} Margin;

/* Values of the columns, and which of them the terms connect. */
static Column *
describe_columns(SdcHost *host, const SdcFrequency *frequency,
				 const SdcLogLinearTerm *terms, int n)
{
	Column *column = sdc_new(host, Column, frequency->columns);
	int32_t cell;
	int i;
	int j;

	for (j = 0; j < frequency->columns; j++)
	{
		column[j].values = frequency->values[j];
		column[j].part = j;
		for (cell = 0; cell < frequency->cells; cell++)
			if (frequency->code[j][cell] == SDC_CODE_NULL)
			{
				column[j].values++;
				break;
			}
	}
	for (i = 0; i < n; i++)
	{
		int a = column[terms[i].first].part;
		int b = column[terms[i].second].part;
		int keep = a < b ? a : b;
		int drop = a < b ? b : a;

		for (j = 0; j < frequency->columns; j++)
			if (column[j].part == drop)
				column[j].part = keep;
	}
	return column;
}

/* Cells of the table of a part. */
static int64_t
part_cells(const Column *column, int columns, int part)
{
	int64_t cells = 1;
	int j;

	for (j = 0; j < columns; j++)
		if (column[j].part == part)
		{
			if (column[j].values > SDC_LOG_LINEAR_MAX_CELLS / cells)
				return SDC_LOG_LINEAR_MAX_CELLS + 1;
			cells *= column[j].values;
		}
	return cells;
}

int64_t
sdc_log_linear_cells(SdcHost *host, const SdcFrequency *frequency,
					 const SdcLogLinearTerm *terms, int n)
{
	Column *column = describe_columns(host, frequency, terms, n);
	int64_t most = 0;
	int i;

	/* a part of one column is no larger than the frequency table */
	for (i = 0; i < n; i++)
	{
		int64_t cells = part_cells(column, frequency->columns,
								   column[terms[i].first].part);

		most = cells > most ? cells : most;
	}
	host->release(host, column);
	return most;
}

static Part
new_part(SdcHost *host, const Column *column, int columns, int part)
{
	Part table = {0};
	int64_t cell;
	int j;

	table.column = sdc_new(host, int, columns);
	table.stride = sdc_new(host, int64_t, columns);
	table.cells = 1;
	for (j = 0; j < columns; j++)
		if (column[j].part == part)
			table.column[table.columns++] = j;
	for (j = table.columns - 1; j >= 0; j--)
	{
		table.stride[j] = table.cells;
		table.cells *= column[table.column[j]].values;
	}
	table.mean = sdc_new(host, double, table.cells);
	for (cell = 0; cell < table.cells; cell++)
		table.mean[cell] = 1;
	return table;
}

/* Where a cell of the frequency table lies, with the given strides. */
static int64_t
place(const SdcFrequency *frequency, const Column *column, const Part *part,
	  const int64_t *stride, int32_t cell)
{
	int64_t at = 0;
	int k;

	for (k = 0; k < part->columns; k++)
	{
		int j = part->column[k];
		int32_t code = frequency->code[j][cell];

		at +=
			stride[k] * (code == SDC_CODE_NULL ? column[j].values - 1 : code);
	}
	return at;
}

/* The margin of two columns, or of one given twice, of a part. */
static Margin
new_margin(SdcHost *host, const SdcFrequency *frequency, const Column *column,
		   const Part *part, SdcLogLinearTerm term)
{
	Margin margin;
	int32_t cell;
	int k;

	margin.stride = sdc_new(host, int64_t, part->columns);
	margin.cells = 1;
	for (k = 0; k < part->columns; k++)
	{
		int j = part->column[k];
		bool kept = j == term.first || j == term.second;

		margin.stride[k] = kept ? margin.cells : 0;
		margin.cells *= kept ? column[j].values : 1;
	}
	margin.sample = sdc_new(host, double, margin.cells);
	margin.model = sdc_new(host, double, margin.cells);
	memset(margin.sample, 0, sizeof(double) * margin.cells);
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		margin.sample[place(frequency, column, part, margin.stride, cell)] +=
			frequency->count[cell];
	}
	return margin;
}

/*
 * Walks through the rows of a table, a row being its last column.  Where a row
 * starts in a margin changes with the digits of the other columns.
 */
static int64_t
next_row(const Column *column, const Part *part, const Margin *margin,
		 int32_t *digit, int64_t at)
{
	int k;

	for (k = part->columns - 2; k >= 0; k--)
	{
		at += margin->stride[k];
		if (++digit[k] < column[part->column[k]].values)
			break;
		at -= margin->stride[k] * digit[k];
		digit[k] = 0;
	}
	return at;
}

/* Sums the table up to the margin, or multiplies it by the margin's ratios. */
static void
pass(SdcHost *host, const Column *column, Part *part, Margin *margin,
	 int32_t *digit, bool scale)
{
	int32_t values = column[part->column[part->columns - 1]].values;
	int64_t stride = margin->stride[part->columns - 1];
	int64_t at = 0;
	int64_t first;
	int32_t v;

	memset(digit, 0, sizeof(int32_t) * part->columns);
	for (first = 0; first < part->cells; first += values)
	{
		double *mean = part->mean + first;
		double *model = margin->model + at;

		if (first % SDC_POLL_STEPS < values)
			host->poll(host, 0, 0);
		if (scale)
			for (v = 0; v < values; v++)
				mean[v] *= model[v * stride];
		else
			for (v = 0; v < values; v++)
				model[v * stride] += mean[v];
		at = next_row(column, part, margin, digit, at);
	}
}

/* Scales the table to a margin; returns how far off it was. */
static double
fit_margin(SdcHost *host, const Column *column, Part *part, Margin *margin,
		   int32_t *digit)
{
	double worst = 0;
	int64_t i;

	memset(margin->model, 0, sizeof(double) * margin->cells);
	pass(host, column, part, margin, digit, false);
	for (i = 0; i < margin->cells; i++)
	{
		double model = margin->model[i];
		double sample = margin->sample[i];

		/* a sum that is zero in the sample is made zero once, and stays */
		if (model > 0 && sample > 0)
			worst = fmax(worst, fabs(model / sample - 1));
		margin->model[i] = model > 0 ? sample / model : 0;
	}
	pass(host, column, part, margin, digit, true);
	return worst;
}

/* Fits the table of a part; updates sweeps and converged of the result. */
static void
fit_part(SdcHost *host, const SdcFrequency *frequency, const Column *column,
		 Part *part, const SdcLogLinearTerm *terms, int n, SdcLogLinear *model)
{
	const SdcLogLinearTerm alone = {part->column[0], part->column[0]};
	Margin *margin = sdc_new(host, Margin, n + 1);
	int32_t *digit = sdc_new(host, int32_t, part->columns);
	double worst = 1;
	int margins = 0;
	int sweep;
	int i;

	for (i = 0; i < n; i++)
		if (column[terms[i].first].part == part->column[0])
			margin[margins++] =
				new_margin(host, frequency, column, part, terms[i]);
	if (margins == 0)
		margin[margins++] = new_margin(host, frequency, column, part, alone);
	for (sweep = 0; sweep < MAX_SWEEPS && worst > TOLERANCE; sweep++)
	{
		worst = 0;
		for (i = 0; i < margins; i++)
			worst =
				fmax(worst, fit_margin(host, column, part, &margin[i], digit));
	}
	model->sweeps = sweep > model->sweeps ? sweep : model->sweeps;
	model->converged = model->converged && worst <= TOLERANCE;
	for (i = 0; i < margins; i++)
	{
		host->release(host, margin[i].stride);
		host->release(host, margin[i].sample);
		host->release(host, margin[i].model);
	}
	host->release(host, margin);
	host->release(host, digit);
}

/* The table of a part, with shares of the records in place of means. */
static Part
fitted_part(SdcHost *host, const SdcFrequency *frequency, const Column *column,
			int first, const SdcLogLinearTerm *terms, int n,
			SdcLogLinear *model)
{
	Part part = new_part(host, column, frequency->columns, first);
	int64_t i;
	int32_t cell;

	fit_part(host, frequency, column, &part, terms, n, model);
	for (i = 0; i < part.cells; i++)
		part.mean[i] /= frequency->records;
	for (cell = 0; cell < frequency->cells; cell++)
	{
		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		model->mean[cell] *=
			part.mean[place(frequency, column, &part, part.stride, cell)];
	}
	return part;
}

/*
 * The sum of m exp(-m), the chance of a unique, over all combinations of the
 * cells of parts, m being mean times their shares.
 */
static double
expect_uniques(SdcHost *host, const Part *part, int parts, double mean,
			   int64_t *steps)
{
	double sum = 0;
	int64_t i;

	for (i = 0; i < part->cells; i++)
	{
		double m = mean * part->mean[i];

		if (parts > 1 && m > 0)
			sum += expect_uniques(host, part + 1, parts - 1, m, steps);
		else if (parts == 1)
		{
			sum += m * exp(-m);
			if (++*steps % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
		}
	}
	return sum;
}

SdcLogLinear *
sdc_log_linear_fit(SdcHost *host, const SdcFrequency *frequency,
				   const SdcLogLinearTerm *terms, int n)
{
	SdcLogLinear *model = sdc_new(host, SdcLogLinear, 1);
	Column *column = describe_columns(host, frequency, terms, n);
	Part *part = sdc_new(host, Part, frequency->columns);
	int parts = 0;
	double combinations = 1;
	int64_t steps = 0;
	int32_t cell;
	int j;

	host->stage(host, "fitting");
	model->mean = sdc_new(host, double, frequency->cells);
	model->sweeps = 0;
	model->converged = true;
	model->uniques = frequency->cells > 0 ? NAN : 0;
	for (cell = 0; cell < frequency->cells; cell++)
		model->mean[cell] = frequency->records;
	for (j = 0; j < frequency->columns && frequency->cells > 0; j++)
	{
		if (column[j].part != j)
			continue;
		part[parts] = fitted_part(host, frequency, column, j, terms, n, model);
		combinations *= part[parts++].cells;
	}
	if (parts > 0 && combinations <= SDC_LOG_LINEAR_MAX_CELLS)
		model->uniques =
			expect_uniques(host, part, parts, frequency->records, &steps);
	for (j = 0; j < parts; j++)
	{
		host->release(host, part[j].mean);
		host->release(host, part[j].stride);
		host->release(host, part[j].column);
	}
	host->release(host, part);
	host->release(host, column);
	return model;
}

/*
 * P(F = 1 | f = 1) = exp(-x) with x = mean (1 - fraction) / fraction, the
 * expected number of others of the population in a cell; 0 < fraction <= 1.
 */
static double
sdc_log_linear_unique(double mean, double fraction)
{
	return exp(-mean * (1 - fraction) / fraction);
}

/* E(1/F | f = 1) = (1 - exp(-x)) / x, 1 at x = 0. */
static double
sdc_log_linear_reciprocal(double mean, double fraction)
{
	double others = mean * (1 - fraction) / fraction;

	return others > 0 ? -expm1(-others) / others : 1;
}

SdcLogLinearRisk
sdc_log_linear_risk(SdcHost *host, const SdcFrequency *frequency,
					const double *mean, double fraction)
{
	SdcLogLinearRisk risk = {0, 0, 0};
	int32_t cell;

	for (cell = 0; cell < frequency->cells; cell++)
	{
		double pi = fraction;

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, frequency->cells);
		if (frequency->count[cell] != 1)
			continue;
		if (fraction == 0)
			pi = frequency->weight[cell] > 1 ? 1 / frequency->weight[cell] : 1;
		risk.uniques++;
		risk.tau1 += sdc_log_linear_unique(mean[cell], pi);
		risk.tau2 += sdc_log_linear_reciprocal(mean[cell], pi);
	}
	return risk;
}
