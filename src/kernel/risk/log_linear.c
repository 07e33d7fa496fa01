/*
 * log_linear.c
 *		Poisson log-linear models of key tables, and the risk they give.
 *
 * Columns that no chain of terms connects are independent, so that mu / n is a
 * product over the parts of connected columns.  Each part has a table of its
 * own over all its combinations of values, which proportional fitting starts
 * with ones and scales to the margin of one term after the other.  A part of
 * one column is its margin.
 *
 * Errors and tests need sums over the space that the terms span.  It is the
 * sum of those of the parts, and functions of different parts are orthogonal
 * under mu once their mean is taken off: so each part is dealt with alone.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/risk/log_linear.h"
#include "kernel/table/frequency.h"

/* libm: exp, expm1 and log; measures are no masks. */

#define MAX_SWEEPS 2000
/* Margins are kept when no sum is further off, relative to it. */
#define TOLERANCE 1e-9

/* The values of a column: NULL is the last, where it occurs. */
struct SdcLogLinearColumn
{
	int32_t values;
	int part; /* the smallest column that terms connect it with */
};

/* A margin of one or two columns of a part, and its sums in the sample. */
typedef struct Margin
{
	int64_t *stride; /* of each column of the part; 0 is summed over */
	int64_t cells;
	double *sample;
	double *model;
} Margin;

/* A table over the columns of one part; the last one varies fastest. */
struct SdcLogLinearPart
{
	int columns;
	int *column;
	int64_t *stride;
	int64_t cells;
	double *mean; /* in the end, shares of the records */
	int margins;
	Margin *margin; /* of the terms, or the table itself */
	/* of each column that is in several margins, its own; else of no cells */
	Margin *single;
	int32_t *digit; /* room for a place */
};

typedef SdcLogLinearColumn Column;
typedef SdcLogLinearPart Part;

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
	table.digit = sdc_new(host, int32_t, columns);
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

/* What a pass over a table and a margin of it does. */
typedef enum Pass
{
	SUM_UP, /* adds the table to the margin */
	SCALE,  /* multiplies the table by the margin */
	SPREAD  /* adds the margin to the table */
} Pass;

/* One pass over a table that has the cells of a part. */
static void
pass(SdcHost *host, const Column *column, const Part *part,
	 const Margin *margin, double *table, double *sums, Pass what)
{
	int32_t values = column[part->column[part->columns - 1]].values;
	int64_t stride = margin->stride[part->columns - 1];
	int64_t at = 0;
	int64_t first;
	int32_t v;

	memset(part->digit, 0, sizeof(int32_t) * part->columns);
	for (first = 0; first < part->cells; first += values)
	{
		double *row = table + first;
		double *sum = sums + at;

		if (first % SDC_POLL_STEPS < values)
			host->poll(host, 0, 0);
		for (v = 0; v < values && what == SUM_UP; v++)
			sum[v * stride] += row[v];
		for (v = 0; v < values && what == SCALE; v++)
			row[v] *= sum[v * stride];
		for (v = 0; v < values && what == SPREAD; v++)
			row[v] += sum[v * stride];
		at = next_row(column, part, margin, part->digit, at);
	}
}

/* Scales the table to a margin; returns how far off it was. */
static double
fit_margin(SdcHost *host, const Column *column, Part *part, Margin *margin)
{
	double worst = 0;
	int64_t i;

	memset(margin->model, 0, sizeof(double) * margin->cells);
	pass(host, column, part, margin, part->mean, margin->model, SUM_UP);
	for (i = 0; i < margin->cells; i++)
	{
		double model = margin->model[i];
		double sample = margin->sample[i];

		/* a sum that is zero in the sample is made zero once, and stays */
		if (model > 0 && sample > 0)
			worst = fmax(worst, fabs(model / sample - 1));
		margin->model[i] = model > 0 ? sample / model : 0;
	}
	pass(host, column, part, margin, part->mean, margin->model, SCALE);
	return worst;
}

/* How many margins of a part have a column of it. */
static int
margins_with(const Part *part, int k)
{
	int n = 0;
	int i;

	for (i = 0; i < part->margins; i++)
		n += part->margin[i].stride[k] != 0;
	return n;
}

/* The margins of the columns that are in several ones. */
static void
find_singles(SdcHost *host, const SdcFrequency *frequency,
			 const Column *column, Part *part)
{
	int k;

	part->single = sdc_new(host, Margin, part->columns);
	memset(part->single, 0, sizeof(Margin) * part->columns);
	for (k = 0; k < part->columns; k++)
	{
		const SdcLogLinearTerm alone = {part->column[k], part->column[k]};

		if (margins_with(part, k) > 1)
			part->single[k] = new_margin(host, frequency, column, part, alone);
	}
}

/* The margins that a part is fitted to. */
static void
find_margins(SdcHost *host, const SdcFrequency *frequency,
			 const Column *column, Part *part, const SdcLogLinearTerm *terms,
			 int n)
{
	const SdcLogLinearTerm alone = {part->column[0], part->column[0]};
	int i;

	part->margin = sdc_new(host, Margin, n + 1);
	part->margins = 0;
	for (i = 0; i < n; i++)
		if (column[terms[i].first].part == part->column[0])
			part->margin[part->margins++] =
				new_margin(host, frequency, column, part, terms[i]);
	if (part->margins == 0)
		part->margin[part->margins++] =
			new_margin(host, frequency, column, part, alone);
	find_singles(host, frequency, column, part);
}

/* Fits the table of a part; updates sweeps and converged of the result. */
static void
fit_part(SdcHost *host, const Column *column, Part *part, double tolerance,
		 SdcLogLinear *model)
{
	double worst = 1;
	int sweep;
	int i;

	for (sweep = 0; sweep < MAX_SWEEPS && worst > tolerance; sweep++)
	{
		worst = 0;
		for (i = 0; i < part->margins; i++)
			worst =
				fmax(worst, fit_margin(host, column, part, &part->margin[i]));
	}
	model->sweeps = sweep > model->sweeps ? sweep : model->sweeps;
	model->converged = model->converged && worst <= tolerance;
}

/* The table of a part, with shares of the records in place of means. */
static Part
fitted_part(SdcHost *host, const SdcFrequency *frequency, const Column *column,
			int first, const SdcLogLinearTerm *terms, int n, double tolerance,
			SdcLogLinear *model)
{
	Part part = new_part(host, column, frequency->columns, first);
	int64_t i;
	int32_t cell;

	find_margins(host, frequency, column, &part, terms, n);
	fit_part(host, column, &part, tolerance, model);
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

/* As sdc_log_linear_fit, to a tolerance, and without counting uniques. */
static SdcLogLinear *
fit(SdcHost *host, const SdcFrequency *frequency,
	const SdcLogLinearTerm *terms, int n, double tolerance)
{
	SdcLogLinear *model = sdc_new(host, SdcLogLinear, 1);
	Column *column = describe_columns(host, frequency, terms, n);
	int32_t cell;
	int j;

	*model = (SdcLogLinear){.converged = true, .column = column};
	model->mean = sdc_new(host, double, frequency->cells);
	model->part = sdc_new(host, Part, frequency->columns);
	model->uniques = frequency->cells > 0 ? NAN : 0;
	for (cell = 0; cell < frequency->cells; cell++)
		model->mean[cell] = frequency->records;
	for (j = 0; j < frequency->columns && frequency->cells > 0; j++)
		if (column[j].part == j)
			model->part[model->parts++] = fitted_part(
				host, frequency, column, j, terms, n, tolerance, model);
	return model;
}

/* Can all combinations of keys be walked through? */
static bool
is_small(const SdcLogLinear *model)
{
	double combinations = 1;
	int p;

	for (p = 0; p < model->parts; p++)
		combinations *= model->part[p].cells;
	return model->parts > 0 && combinations <= SDC_LOG_LINEAR_MAX_CELLS;
}

SdcLogLinear *
sdc_log_linear_fit(SdcHost *host, const SdcFrequency *frequency,
				   const SdcLogLinearTerm *terms, int n)
{
	SdcLogLinear *model;
	int64_t steps = 0;

	host->stage(host, "fitting");
	model = fit(host, frequency, terms, n, TOLERANCE);
	if (is_small(model))
		model->uniques = expect_uniques(host, model->part, model->parts,
										frequency->records, &steps);
	return model;
}

static void
release_margin(SdcHost *host, Margin *margin)
{
	host->release(host, margin->stride);
	host->release(host, margin->sample);
	host->release(host, margin->model);
}

static void
release_part(SdcHost *host, Part *part)
{
	int i;

	for (i = 0; i < part->margins; i++)
		release_margin(host, &part->margin[i]);
	for (i = 0; i < part->columns; i++)
		release_margin(host, &part->single[i]);
	host->release(host, part->margin);
	host->release(host, part->single);
	host->release(host, part->mean);
	host->release(host, part->stride);
	host->release(host, part->column);
	host->release(host, part->digit);
}

/* Gives back all of a model; NULL is ignored. */
static void
release_model(SdcHost *host, SdcLogLinear *model)
{
	int p;

	if (model == NULL)
		return;
	for (p = 0; p < model->parts; p++)
		release_part(host, &model->part[p]);
	host->release(host, model->part);
	host->release(host, model->column);
	host->release(host, model->mean);
	host->release(host, model);
}

/* ----------------------------------------------------------------------
 * How much of a function of the cells the terms take up.
 *
 * Of g with sums G over the cells of a part, what is wanted is the square of
 * the length of its projection on the span of the margins' indicators X under
 * M, the diagonal of the means: G'X (X'MX)^- X'G.  The equations are solved by
 * conjugate gradients, scaled by the margins' sums; X'MX is singular, but the
 * right side lies in its range.
 * ----------------------------------------------------------------------
 */

#define MOST_GRADIENTS 300

/* Vectors over all margins of a part, one after the other, and two tables. */
typedef struct Projection
{
	SdcHost *host;
	const Column *column;
	Part *part;
	double records;
	int64_t length;
	double *diagonal;
	double *solution;
	double *residual;
	double *direction;
	double *image;
	double *table;
} Projection;

static Projection
new_projection(SdcHost *host, const SdcLogLinear *model, int p, double records)
{
	Projection q = {.host = host,
					.column = model->column,
					.part = &model->part[p],
					.records = records};
	int i;

	for (i = 0; i < q.part->margins; i++)
		q.length += q.part->margin[i].cells;
	q.diagonal = sdc_new(host, double, q.length);
	q.solution = sdc_new(host, double, q.length);
	q.residual = sdc_new(host, double, q.length);
	q.direction = sdc_new(host, double, q.length);
	q.image = sdc_new(host, double, q.length);
	q.table = sdc_new(host, double, q.part->cells);
	return q;
}

static void
release_projection(Projection *q)
{
	q->host->release(q->host, q->diagonal);
	q->host->release(q->host, q->solution);
	q->host->release(q->host, q->residual);
	q->host->release(q->host, q->direction);
	q->host->release(q->host, q->image);
	q->host->release(q->host, q->table);
}

/* One pass with all margins of the part. */
static void
pass_all(Projection *q, double *table, double *vector, Pass what)
{
	int i;

	for (i = 0; i < q->part->margins; i++)
	{
		pass(q->host, q->column, q->part, &q->part->margin[i], table, vector,
			 what);
		vector += q->part->margin[i].cells;
	}
}

static void
sum_margins(Projection *q, double *table, double *vector)
{
	memset(vector, 0, sizeof(double) * q->length);
	pass_all(q, table, vector, SUM_UP);
}

/* image = X'MX direction */
static void
apply(Projection *q)
{
	int64_t i;

	memset(q->table, 0, sizeof(double) * q->part->cells);
	pass_all(q, q->table, q->direction, SPREAD);
	for (i = 0; i < q->part->cells; i++)
		q->table[i] *= q->records * q->part->mean[i];
	sum_margins(q, q->table, q->image);
}

/* The scaled length of the residual; sets image to the scaled residual. */
static double
scale_residual(Projection *q)
{
	double length = 0;
	int64_t i;

	for (i = 0; i < q->length; i++)
	{
		q->image[i] = q->diagonal[i] > 0 ? q->residual[i] / q->diagonal[i] : 0;
		length += q->image[i] * q->residual[i];
	}
	return length;
}

/* One step of conjugate gradients; returns the new length. */
static double
step(Projection *q, double length)
{
	double curvature = 0;
	double next;
	int64_t i;

	apply(q);
	for (i = 0; i < q->length; i++)
		curvature += q->direction[i] * q->image[i];
	if (!(curvature > 0))
		return 0;
	for (i = 0; i < q->length; i++)
	{
		q->solution[i] += length / curvature * q->direction[i];
		q->residual[i] -= length / curvature * q->image[i];
	}
	next = scale_residual(q);
	for (i = 0; i < q->length; i++)
		q->direction[i] = q->image[i] + next / length * q->direction[i];
	return next;
}

/* G'X (X'MX)^- X'G of a part; G has its cells. */
static double
project(SdcHost *host, const SdcLogLinear *model, int p, double records,
		double *sums)
{
	Projection q = new_projection(host, model, p, records);
	double *right = sdc_new(host, double, q.length);
	double explained = 0;
	double length;
	double enough;
	int64_t i;
	int steps;

	for (i = 0; i < q.part->cells; i++)
		q.table[i] = records * q.part->mean[i];
	sum_margins(&q, q.table, q.diagonal);
	sum_margins(&q, sums, right);
	memcpy(q.residual, right, sizeof(double) * q.length);
	memset(q.solution, 0, sizeof(double) * q.length);
	length = scale_residual(&q);
	memcpy(q.direction, q.image, sizeof(double) * q.length);
	enough = length * 1e-6;
	for (steps = 0; steps < MOST_GRADIENTS && length > enough; steps++)
		length = step(&q, length);
	for (i = 0; i < q.length; i++)
		explained += right[i] * q.solution[i];
	host->release(host, right);
	release_projection(&q);
	return explained;
}

/*
 * How much of a function of all cells the model takes up, beyond its mean:
 * sums[p] has its sums over the cells of part p.
 */
static double
explained_by(SdcHost *host, const SdcLogLinear *model, double records,
			 double *const *sums)
{
	double explained = 0;
	double total = 0;
	int64_t i;
	int p;

	for (i = 0; model->parts > 0 && i < model->part[0].cells; i++)
		total += sums[0][i];
	for (p = 0; p < model->parts; p++)
		explained += project(host, model, p, records, sums[p]) -
					 total * total / records;
	return fmax(explained, 0);
}

/* A table of zeros for each part. */
static double **
new_sums(SdcHost *host, const SdcLogLinear *model)
{
	double **sums = sdc_new(host, double *, model->parts);
	int p;

	for (p = 0; p < model->parts; p++)
	{
		sums[p] = sdc_new(host, double, model->part[p].cells);
		memset(sums[p], 0, sizeof(double) * model->part[p].cells);
	}
	return sums;
}

static void
release_sums(SdcHost *host, const SdcLogLinear *model, double **sums)
{
	int p;

	for (p = 0; p < model->parts; p++)
		host->release(host, sums[p]);
	host->release(host, sums);
}

/* ----------------------------------------------------------------------
 * The risk of sample uniques, and how sure it is.
 * ----------------------------------------------------------------------
 */

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

/*
 * E(1/F^2 | f = 1), F - 1 being Poisson(others): exp(-x) / x times the sum of
 * x^j / (j! j) from j = 1 on.  For large x that is 1 / x^2 (1 + 1 / x + 2 /
 * x^2 ...), where the sum would overflow.
 */
static double
squared_reciprocal(double mean, double fraction)
{
	double others = mean * (1 - fraction) / fraction;
	double power = 1;
	double sum = 0;
	int j;

	if (others <= 0)
		return 1;
	if (others > 100)
		return (1 + 1 / others + 2 / (others * others)) / (others * others);
	for (j = 1; j < 400; j++)
	{
		power *= others / j;
		sum += power / j;
	}
	return exp(-others) / others * sum;
}

/* Random signs to estimate a correction with. */
#define PROBES 8

/* The sampling fraction of a unique cell. */
static double
fraction_of(const SdcFrequency *frequency, int32_t cell, double fraction)
{
	if (fraction > 0)
		return fraction;
	return frequency->weight[cell] > 1 ? 1 / frequency->weight[cell] : 1;
}

/* Adds the derivative of a figure by the logarithm of a mean to all parts. */
static void
add_derivative(const SdcFrequency *frequency, const SdcLogLinear *model,
			   int32_t cell, double derivative, double **sums)
{
	int p;

	for (p = 0; p < model->parts; p++)
		sums[p][place(frequency, model->column, &model->part[p],
					  model->part[p].stride, cell)] += derivative;
}

/* What a figure of a sample unique is, by its mean. */
typedef struct Figure
{
	double value;
	double variance;   /* of what is true */
	double derivative; /* by the logarithm of the mean */
	/* what to add to the value for each further variance of that logarithm */
	double correction;
} Figure;

/*
 * The fitted mean of a sample unique is too high, as this record is among
 * those that it was fitted to: by its leverage, times 1 - mean.  And the mean
 * of a curved figure is not that of the mean.
 */
static double
correct(double derivative, double curvature, double mean)
{
	return -derivative * (1 - mean) - curvature / 2;
}

/*
 * P(F = 1 | f = 1) where the logarithm of the mean has the variance v.  If the
 * mean is a multiple of the sum of a margin, which is Poisson and holds the
 * unique, the figure without that bias is known: exp(-x) becomes (1 - x v) ^
 * (1 / v - 1 + mean), 1 / v being the sum.  So v is dealt with in the value,
 * and what the variance is beyond it by the correction.  Where x v exceeds 1
 * nothing that is positive is without bias: exp(-x) it is.
 */
static Figure
figure1(double mean, double fraction, double v)
{
	double x = mean * (1 - fraction) / fraction;
	double unique = sdc_log_linear_unique(mean, fraction);
	Figure figure = {unique, unique * (1 - unique), 0, 0};

	figure.derivative = x > 0 ? -x * unique : 0;
	if (x * v >= 1)
		return figure;
	figure.correction =
		correct(figure.derivative, -x * figure.derivative, mean);
	if (v > 0)
		figure.value = exp((1 / v - 1 + mean) * log1p(-x * v));
	return figure;
}

/*
 * The same of E(1/F | f = 1), the mean of exp(-t) over t from 0 to x.  Where x
 * v exceeds 1 that is what it is without what is left of exp(-x) there.
 */
static Figure
figure2(double mean, double fraction, double v)
{
	double x = mean * (1 - fraction) / fraction;
	double unique = sdc_log_linear_unique(mean, fraction);
	double reciprocal = sdc_log_linear_reciprocal(mean, fraction);
	Figure figure = {reciprocal, 0, unique - reciprocal, 0};

	figure.variance =
		fmax(squared_reciprocal(mean, fraction) - reciprocal * reciprocal, 0);
	if (x * v >= 1)
	{
		figure.value = fmin(1 / (x * (1 + mean * v)), 1);
		figure.derivative = -figure.value;
		return figure;
	}
	figure.correction =
		correct(figure.derivative, -x * unique - 2 * figure.derivative, mean);
	if (v > 0 && x > 0)
		figure.value =
			-expm1((1 / v + mean) * log1p(-x * v)) / (x * (1 + mean * v));
	return figure;
}

/* One figure, summed up over the sample uniques. */
typedef struct Summed
{
	Figure (*figure)(double mean, double fraction, double v);
	double value;
	double error;
} Summed;

static double
sample_of(const SdcFrequency *frequency, const SdcLogLinear *model,
		  const Part *part, const Margin *margin, int32_t cell)
{
	return margin
		->sample[place(frequency, model->column, part, margin->stride, cell)];
}

/*
 * The variance of the logarithm of a fitted mean: that of each margin which
 * the cell is in, less that of the columns which several of them share.  So it
 * is where no columns form a circle, and about so where they do.
 */
static double
variance_at(const SdcFrequency *frequency, const SdcLogLinear *model,
			int32_t cell)
{
	double variance = 0;
	int p;
	int i;

	for (p = 0; p < model->parts; p++)
	{
		const Part *part = &model->part[p];
		double most = 0;
		double sum = 0;

		for (i = 0; i < part->margins; i++)
		{
			double one =
				1 / sample_of(frequency, model, part, &part->margin[i], cell);

			most = fmax(most, one);
			sum += one;
		}
		for (i = 0; i < part->columns; i++)
			if (part->single[i].cells > 0)
				sum -=
					(margins_with(part, i) - 1) /
					sample_of(frequency, model, part, &part->single[i], cell);
		variance += fmax(sum, most) - 1.0 / frequency->records;
	}
	return fmin(variance, 1);
}

/*
 * The corrections are weights of the variances of the fitted logarithms of the
 * means, and the sum of these, so weighted, is the expectation of the share
 * that the model takes up of roots of the weights with random signs
 * (Hutchinson 1989); positive and negative ones apart.
 */
static double
probe(SdcHost *host, const SdcFrequency *frequency, const SdcLogLinear *model,
	  const double *correction, double sign, SdcRandom *random)
{
	double **sums = new_sums(host, model);
	double sum;
	int32_t cell;

	for (cell = 0; cell < frequency->cells; cell++)
	{
		double weight = sign * correction[cell];
		bool minus;

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, frequency->cells);
		if (!(weight > 0))
			continue;
		minus = sdc_random_below(random, 2) == 0;
		add_derivative(frequency, model, cell,
					   minus ? -sqrt(weight) : sqrt(weight), sums);
	}
	sum = explained_by(host, model, frequency->records, sums);
	release_sums(host, model, sums);
	return sign * sum;
}

static double
sum_corrections(SdcHost *host, const SdcFrequency *frequency,
				const SdcLogLinear *model, const double *correction)
{
	double sum = 0;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, PROBES, 0);
	for (i = 0; i < PROBES; i++)
	{
		sum += probe(host, frequency, model, correction, 1, &random);
		sum += probe(host, frequency, model, correction, -1, &random);
	}
	return sum / PROBES;
}

/* Is every part its only margin? */
static bool
has_single_margins(const SdcLogLinear *model)
{
	int p;

	for (p = 0; p < model->parts; p++)
		if (model->part[p].margins > 1)
			return false;
	return true;
}

static void
sum_figure(SdcHost *host, const SdcFrequency *frequency,
		   const SdcLogLinear *model, double fraction, Summed *summed)
{
	double **sums = new_sums(host, model);
	double *correction = sdc_new(host, double, frequency->cells);
	bool single = has_single_margins(model);
	double variance = 0;
	int32_t cell;

	for (cell = 0; cell < frequency->cells; cell++)
	{
		Figure figure;
		double v;

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, cell, frequency->cells);
		correction[cell] = 0;
		if (frequency->count[cell] != 1)
			continue;
		v = variance_at(frequency, model, cell);
		figure = summed->figure(model->mean[cell],
								fraction_of(frequency, cell, fraction), v);
		/* the whole variance is added below */
		summed->value += figure.value - (single ? 0 : figure.correction * v);
		correction[cell] = figure.correction;
		variance += figure.variance;
		add_derivative(frequency, model, cell, figure.derivative, sums);
	}
	summed->error =
		sqrt(variance + explained_by(host, model, frequency->records, sums));
	release_sums(host, model, sums);
	if (!single)
		summed->value += sum_corrections(host, frequency, model, correction);
	host->release(host, correction);
}

SdcLogLinearRisk
sdc_log_linear_risk(SdcHost *host, const SdcFrequency *frequency,
					const SdcLogLinear *model, double fraction)
{
	Summed summed[2] = {{.figure = figure1}, {.figure = figure2}};
	SdcLogLinearRisk risk = {0};
	int32_t cell;
	int i;

	for (cell = 0; cell < frequency->cells; cell++)
		risk.uniques += frequency->count[cell] == 1;
	for (i = 0; i < 2 && risk.uniques > 0; i++)
	{
		sum_figure(host, frequency, model, fraction, &summed[i]);
		summed[i].value = fmax(fmin(summed[i].value, risk.uniques), 0);
	}
	risk.tau1 = summed[0].value;
	risk.tau2 = summed[1].value;
	risk.error1 = summed[0].error;
	risk.error2 = summed[1].error;
	return risk;
}

/* ----------------------------------------------------------------------
 * Does the model fit?
 * ----------------------------------------------------------------------
 */

/* Sums over all combinations of keys, occupied or not. */
typedef struct Tested
{
	SdcHost *host;
	const SdcLogLinear *model;
	double fraction;
	double **sums; /* of first times the mean, by the cells of each part */
	int64_t *at;   /* by part, where the walk is */
	int64_t steps;
	double bias;     /* as if all counts were 0 */
	double squares;  /* of means */
	double variance; /* of the quadratic part of bias */
	double linear;   /* of the other one, before the model takes its share */
	double dispersion;
} Tested;

/* What bias has of f - mu, and of (f - mu)^2 - f. */
static void
weigh(double mean, double fraction, double *first, double *second)
{
	double people = mean / fraction;
	double unique = (1 - fraction) * exp(-people);

	*first = unique * people;
	*second = unique * (1 - people * (1 + fraction) / 2) / fraction;
}

static void
test_combination(Tested *test, double mean)
{
	double first;
	double second;
	int p;

	weigh(mean, test->fraction, &first, &second);
	test->bias += second * mean * mean - first * mean;
	test->variance += 2 * second * second * mean * mean;
	test->linear += first * first * mean;
	test->squares += mean * mean;
	for (p = 0; p < test->model->parts; p++)
		test->sums[p][test->at[p]] += first * mean;
	if (++test->steps % SDC_POLL_STEPS == 0)
		test->host->poll(test->host, 0, 0);
}

static void
test_combinations(Tested *test, int p, double mean)
{
	const Part *part = &test->model->part[p];
	int64_t i;

	for (i = 0; i < part->cells; i++)
	{
		test->at[p] = i;
		if (part->mean[i] <= 0)
			continue;
		if (p + 1 < test->model->parts)
			test_combinations(test, p + 1, mean * part->mean[i]);
		else
			test_combination(test, mean * part->mean[i]);
	}
}

/* Puts the counts in. */
static void
test_occupied(Tested *test, const SdcFrequency *frequency)
{
	int32_t cell;

	test->dispersion = test->squares;
	for (cell = 0; cell < frequency->cells; cell++)
	{
		double mean = test->model->mean[cell];
		double f = frequency->count[cell];
		double beyond = (f - mean) * (f - mean) - f - mean * mean;
		double first;
		double second;

		weigh(mean, test->fraction, &first, &second);
		test->bias += first * f + second * beyond;
		test->dispersion += beyond;
	}
}

SdcLogLinearTest
sdc_log_linear_test(SdcHost *host, const SdcFrequency *frequency,
					const SdcLogLinear *model, double fraction)
{
	SdcLogLinearTest result = {NAN, NAN, NAN};
	Tested test = {.host = host, .model = model, .fraction = fraction};
	double total = 0;
	double linear;
	int64_t i;

	if (!is_small(model))
		return result;
	host->stage(host, "testing");
	test.sums = new_sums(host, model);
	test.at = sdc_new(host, int64_t, model->parts);
	test_combinations(&test, 0, frequency->records);
	test_occupied(&test, frequency);
	for (i = 0; i < model->part[0].cells; i++)
		total += test.sums[0][i];
	linear = test.linear - total * total / frequency->records -
			 explained_by(host, model, frequency->records, test.sums);
	result.bias = test.bias;
	result.deviation = test.bias / sqrt(test.variance + fmax(linear, 0));
	result.dispersion = test.dispersion / sqrt(2 * test.squares);
	release_sums(host, model, test.sums);
	host->release(host, test.at);
	return result;
}

/* ----------------------------------------------------------------------
 * The search for pairs.
 * ----------------------------------------------------------------------
 */

/* Means of the models on the way are fitted to so many digits. */
#define SEARCH_TOLERANCE 1e-4
/*
 * A pair is worth its effects if it gains so many times what chance does; less
 * will do where the model overestimates the risk by so many standard errors.
 */
#define WORTH         2.0
#define WORTH_IN_NEED 1.25
#define TOO_HIGH      1.96

/* A pair that may be added. */
typedef struct Candidate
{
	SdcLogLinearTerm term;
	double gain;   /* twice the logarithm of the likelihood, about */
	double chance; /* the gain if the pair were not needed */
	bool known;    /* are both up to date? */
	bool chosen;
	bool large; /* would need too large a table */
} Candidate;

/* The expectation of 2 (f log (f / mean) - f + mean), f being Poisson. */
static double
chance_gain(double mean)
{
	double chance = exp(-mean);
	double sum = chance * mean;
	int f;

	if (mean > 30)
		return 1 + 1 / (6 * mean);
	for (f = 1; f < 100; f++)
	{
		chance *= mean / f;
		sum += chance * (f * log(f / mean) - f + mean);
	}
	return 2 * sum;
}

/* The margin of a pair as the model has it, records being the unit. */
static double *
model_margin(SdcHost *host, const SdcFrequency *frequency,
			 const SdcLogLinear *model, const Part *part, Margin *margin)
{
	int64_t i;

	memset(margin->model, 0, sizeof(double) * margin->cells);
	pass(host, model->column, part, margin, part->mean, margin->model, SUM_UP);
	for (i = 0; i < margin->cells; i++)
		margin->model[i] *= frequency->records;
	return margin->model;
}

static void
add_gain(Candidate *candidate, double sample, double mean)
{
	if (mean <= 0)
		return;
	if (sample > 0)
		candidate->gain += 2 * sample * log(sample / mean);
	candidate->chance += chance_gain(mean);
}

/* Effects of a pair, as a share of the cells of its margin. */
static double
effects(const SdcLogLinear *model, SdcLogLinearTerm term)
{
	double a = model->column[term.first].values;
	double b = model->column[term.second].values;

	return (a - 1) * (b - 1) / (a * b);
}

/* A part that holds just these columns, each alone in the model. */
static void
weigh_apart(SdcHost *host, const SdcFrequency *frequency,
			const SdcLogLinear *model, Candidate *candidate)
{
	SdcLogLinearTerm term = candidate->term;
	int32_t values[2] = {model->column[term.first].values,
						 model->column[term.second].values};
	int64_t cells = (int64_t) values[0] * values[1];
	double *sample = sdc_new(host, double, cells);
	double *first = sdc_new(host, double, values[0]);
	double *second = sdc_new(host, double, values[1]);
	int32_t cell;
	int64_t i;

	memset(sample, 0, sizeof(double) * cells);
	memset(first, 0, sizeof(double) * values[0]);
	memset(second, 0, sizeof(double) * values[1]);
	for (cell = 0; cell < frequency->cells; cell++)
	{
		int32_t a = frequency->code[term.first][cell];
		int32_t b = frequency->code[term.second][cell];
		double count = frequency->count[cell];

		if (cell % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		a = a == SDC_CODE_NULL ? values[0] - 1 : a;
		b = b == SDC_CODE_NULL ? values[1] - 1 : b;
		first[a] += count;
		second[b] += count;
		sample[(int64_t) a * values[1] + b] += count;
	}
	for (i = 0; i < cells; i++)
		add_gain(candidate, sample[i],
				 first[i / values[1]] * second[i % values[1]] /
					 frequency->records);
	host->release(host, sample);
	host->release(host, first);
	host->release(host, second);
}

/* A pair of columns that terms connect already. */
static void
weigh_within(SdcHost *host, const SdcFrequency *frequency,
			 const SdcLogLinear *model, const Part *part, Candidate *candidate)
{
	Margin margin =
		new_margin(host, frequency, model->column, part, candidate->term);
	const double *mean = model_margin(host, frequency, model, part, &margin);
	int64_t i;

	for (i = 0; i < margin.cells; i++)
		add_gain(candidate, margin.sample[i], mean[i]);
	host->release(host, margin.stride);
	host->release(host, margin.sample);
	host->release(host, margin.model);
}

/* Brings gain and chance of a candidate up to date; returns the work. */
static double
weigh_candidate(SdcHost *host, const SdcFrequency *frequency,
				const SdcLogLinear *model, Candidate *candidate)
{
	int a = model->column[candidate->term.first].part;
	int b = model->column[candidate->term.second].part;
	int p = 0;

	candidate->gain = 0;
	candidate->chance = 0;
	candidate->known = true;
	while (model->part[p].column[0] != a)
		p++;
	if (a == b)
		weigh_within(host, frequency, model, &model->part[p], candidate);
	else
		weigh_apart(host, frequency, model, candidate);
	candidate->chance *= effects(model, candidate->term);
	return frequency->cells + (a == b ? (double) model->part[p].cells : 0);
}

/* The candidate that is worth the most, or NULL. */
static Candidate *
find_candidate(SdcHost *host, const SdcFrequency *frequency,
			   const SdcLogLinear *model, double worth, Candidate *candidates,
			   int n, double *work)
{
	Candidate *best = NULL;
	double most = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		Candidate *candidate = &candidates[i];

		if (candidate->chosen || candidate->large)
			continue;
		if (!candidate->known && *work < SDC_LOG_LINEAR_MAX_WORK)
			*work += weigh_candidate(host, frequency, model, candidate);
		/* a column of one value has no effects, and gains by rounding only */
		if (candidate->chance > 0 &&
			candidate->gain - worth * candidate->chance > most)
		{
			most = candidate->gain - worth * candidate->chance;
			best = candidate;
		}
	}
	return best;
}

/* Leaves out the pairs whose own table is too large; returns how many. */
static int
leave_out_large(const SdcLogLinear *model, Candidate *candidates, int n)
{
	int left_out = 0;
	int i;

	for (i = 0; i < n; i++)
	{
		int64_t first = model->column[candidates[i].term.first].values;
		int64_t second = model->column[candidates[i].term.second].values;

		candidates[i].large = first * second > SDC_LOG_LINEAR_MAX_SEARCHED;
		left_out += candidates[i].large;
	}
	return left_out;
}

static Candidate *
all_pairs(SdcHost *host, int columns)
{
	Candidate *candidates =
		sdc_new(host, Candidate, (size_t) columns * columns / 2 + 1);
	int n = 0;
	int a;
	int b;

	for (a = 0; a < columns; a++)
		for (b = a + 1; b < columns; b++)
			candidates[n++] = (Candidate){.term = {a, b}};
	return candidates;
}

/* Pairs whose margin in the model changes with a new term. */
static void
forget(const SdcLogLinear *model, Candidate *candidates, int n,
	   SdcLogLinearTerm term)
{
	int i;

	for (i = 0; i < n; i++)
	{
		int a = model->column[candidates[i].term.first].part;
		int b = model->column[candidates[i].term.second].part;

		if (a == b && a == model->column[term.first].part)
			candidates[i].known = false;
	}
}

/* The next pair to add, or NULL when the search is over. */
static Candidate *
next_candidate(SdcHost *host, const SdcFrequency *frequency,
			   const SdcLogLinear *model, double fraction,
			   Candidate *candidates, int n, double *work)
{
	Candidate *best =
		find_candidate(host, frequency, model, WORTH, candidates, n, work);

	if (best != NULL)
		return best;
	best = find_candidate(host, frequency, model, WORTH_IN_NEED, candidates, n,
						  work);
	/* NAN, which is no need, when it cannot be tested */
	if (best != NULL &&
		sdc_log_linear_test(host, frequency, model, fraction).deviation >
			TOO_HIGH)
		return best;
	return NULL;
}

/* Cells that were passed over to fit a model. */
static double
work_of(const SdcLogLinear *model)
{
	double work = 0;
	int p;

	for (p = 0; p < model->parts; p++)
		work += 2.0 * model->sweeps * model->part[p].margins *
				model->part[p].cells;
	return work;
}

/* Leaves out what is still wanted when the work is used up. */
static int
leave_out_rest(Candidate *candidates, int n)
{
	int left_out = 0;
	int i;

	for (i = 0; i < n; i++)
		left_out += !candidates[i].chosen && !candidates[i].large &&
					candidates[i].chance > 0 &&
					candidates[i].gain > WORTH * candidates[i].chance;
	return left_out;
}

int
sdc_log_linear_search(SdcHost *host, const SdcFrequency *frequency,
					  double fraction, SdcLogLinearTerm **terms, int *left_out)
{
	int pairs = frequency->columns * (frequency->columns - 1) / 2;
	Candidate *candidates = all_pairs(host, frequency->columns);
	SdcLogLinear *model = fit(host, frequency, NULL, 0, SEARCH_TOLERANCE);
	Candidate *best;
	double work = 0;
	int n = 0;

	host->stage(host, "searching pairs");
	*terms = sdc_new(host, SdcLogLinearTerm, pairs + 1);
	*left_out = leave_out_large(model, candidates, pairs);
	while (frequency->cells > 0 && work < SDC_LOG_LINEAR_MAX_WORK &&
		   (best = next_candidate(host, frequency, model, fraction, candidates,
								  pairs, &work)) != NULL)
	{
		(*terms)[n] = best->term;
		work += frequency->cells * (double) frequency->columns;
		if (sdc_log_linear_cells(host, frequency, *terms, n + 1) >
			SDC_LOG_LINEAR_MAX_SEARCHED)
		{
			best->large = true;
			++*left_out;
			continue;
		}
		best->chosen = true;
		release_model(host, model);
		model = fit(host, frequency, *terms, ++n, SEARCH_TOLERANCE);
		work += work_of(model);
		forget(model, candidates, pairs, best->term);
	}
	if (work >= SDC_LOG_LINEAR_MAX_WORK)
		*left_out += leave_out_rest(candidates, pairs);
	release_model(host, model);
	host->release(host, candidates);
	return n;
}
