/*
 * logistic.c
 *		Logistic models: their effects, and what they predict.
 *
 * A row has few effects that are not zero, one for each column, however many
 * levels its factors have.  Numbers are standardized before they are used.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/model/logistic.h"
#include "kernel/model/model.h"

static SdcLogistic *logistic_new(SdcHost *host, const SdcLogisticData *data,
								 const SdcLogistic *like);
static int logistic_list(const SdcLogistic *model, const SdcLogisticData *data,
						 size_t row, int *place, double *value);

/* ----------------------------------------------------------------------
 * Newton's method on the likelihood of a logistic model.
 *
 * A row has few effects that are not zero, one for each column, however many
 * levels its factors have.  So the gradient and the Hessian are sums over
 * short lists, and only Cholesky's decomposition sees all parameters.  What is
 * a combination of earlier effects is found once, at the start, where all rows
 * weigh the same.
 * ----------------------------------------------------------------------
 */

/* libm: exp, log1p; models are no masks. */

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
	/*
	 * Where all columns are numbers: the Hessian while it is added up, in
	 * lines of that many elements, with more of the upper half than is read,
	 * and the rows that go through together; else NULL.
	 */
	double *square;
	size_t width;
	struct Block *block;
	bool lost; /* did a direction lose all its weight? */
} Fit;

/* Rows that go through together. */
#define BLOCK_ROWS 64

/* Elements of a line, and lines, that are added to at once. */
#define VECTOR 4
#define LINES  4

typedef double Vector __attribute__((vector_size(8 * VECTOR)));

/* Rows that have trials; so many places of each array are filled. */
typedef struct Block
{
	int rows;
	size_t row[BLOCK_ROWS];
	double sum[BLOCK_ROWS]; /* of the effects */
	double residual[BLOCK_ROWS];
	double weight[BLOCK_ROWS];
	double *value; /* of all effects, in lines of the width, then zeros */
} Block;

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

/*
 * Adds the parts of the rows of a block to a tile of the square, which is in
 * the order of the rows for each element as if they came one by one.
 */
SDC_CLONES static void
add_tile(const Block *block, size_t width, size_t first, size_t column,
		 double *square)
{
	const double *value = block->value;
	Vector sum[LINES];
	Vector held;
	int i;
	size_t a;

	for (a = 0; a < LINES; a++)
		memcpy(&sum[a], square + (first + a) * width + column, sizeof(Vector));
	for (i = 0; i < block->rows; i++, value += width)
	{
		memcpy(&held, value + column, sizeof(Vector));
		for (a = 0; a < LINES; a++)
			sum[a] += block->weight[i] * value[first + a] * held;
	}
	for (a = 0; a < LINES; a++)
		memcpy(square + (first + a) * width + column, &sum[a], sizeof(Vector));
}

/* The same to as many elements of the gradient. */
SDC_CLONES static void
add_slopes(const Block *block, size_t width, size_t column, double *gradient)
{
	const double *value = block->value + column;
	Vector sum;
	Vector held;
	int i;

	memcpy(&sum, gradient + column, sizeof(Vector));
	for (i = 0; i < block->rows; i++, value += width)
	{
		memcpy(&held, value, sizeof(Vector));
		sum += block->residual[i] * held;
	}
	memcpy(gradient + column, &sum, sizeof(Vector));
}

/* Adds the rows of a block to gradient and square. */
static void
add_block(const Fit *fit)
{
	const Block *block = fit->block;
	size_t n = (size_t) fit->model->parameters;
	size_t first;
	size_t column;

	for (column = 0; column < n; column += VECTOR)
		add_slopes(block, fit->width, column, fit->gradient);
	for (first = 0; first < n; first += LINES)
		for (column = 0; column < first + LINES && column < n;
			 column += VECTOR)
			add_tile(block, fit->width, first, column, fit->square);
}

/* Takes rows with trials into the block, from a row on; returns the next. */
static size_t
take_rows(const Fit *fit, size_t row)
{
	const SdcLogisticData *data = fit->data;
	Block *block = fit->block;

	block->rows = 0;
	for (; row < data->rows && block->rows < BLOCK_ROWS; row++)
		if (data->trials == NULL || data->trials[row] != 0)
			block->row[block->rows++] = row;
	return row;
}

/* The values of a column, standardized, and what its effect adds to sums. */
static void
take_column(const double *number, const Block *block, double centre,
			double inverse, double effect, size_t width,
			double *restrict value, double *restrict sum)
{
	int i;

	for (i = 0; i < block->rows; i++)
	{
		double x = (number[block->row[i]] - centre) * inverse;

		value[(size_t) i * width] = x;
		sum[i] += effect * x;
	}
}

/* The values of the rows of a block, and the sums of their effects. */
static void
take_values(const Fit *fit, const double *effect)
{
	const SdcLogistic *model = fit->model;
	Block *block = fit->block;
	int i;
	int j;

	for (i = 0; i < block->rows; i++)
	{
		block->value[(size_t) i * fit->width] = 1;
		block->sum[i] = 0 + effect[0];
	}
	for (j = 0; j < model->columns; j++)
		take_column(fit->data->column[j].number, block, model->centre[j],
					model->inverse[j], effect[j + 1], fit->width,
					block->value + j + 1, block->sum);
}

static void
clear_sums(Fit *fit)
{
	size_t n = (size_t) fit->model->parameters;

	memset(fit->gradient, 0, sizeof(double) * n);
	memset(fit->hessian, 0, sizeof(double) * n * n);
	if (fit->square != NULL)
		memset(fit->square, 0, sizeof(double) * fit->width * fit->width);
}

/* The Hessian from the square. */
static void
take_square(Fit *fit)
{
	size_t n = (size_t) fit->model->parameters;
	size_t a;

	for (a = 0; a < n; a++)
		memcpy(fit->hessian + a * n, fit->square + a * fit->width,
			   sizeof(double) * (a + 1));
}

/* Adds to a sum, of which lost takes the digits (Neumaier 1974). */
static void
add_exactly(double *sum, double *lost, double x)
{
	double next = *sum + x;

	*lost += fabs(*sum) >= fabs(x) ? *sum - next + x : x - next + *sum;
	*sum = next;
}

/* A likelihood while it is added up. */
typedef struct Likelihood
{
	double sum;
	double lost;
} Likelihood;

/*
 * Adds the likelihood of a row with that sum of effects; tells its residual
 * and its weight.
 */
static inline void
judge_row(const SdcLogisticData *data, size_t row, double sum,
		  Likelihood *likelihood, double *residual, double *weight)
{
	double trials = data->trials == NULL ? 1 : data->trials[row];
	double successes = data->successes[row];
	double odds = exp(-fabs(sum));
	double rare = odds / (1 + odds); /* probability of the less likely */

	add_exactly(&likelihood->sum, &likelihood->lost,
				successes * sum -
					trials * ((sum > 0 ? sum : 0) + log1p(odds)));
	*residual = sum >= 0 ? successes - trials + trials * rare
						 : successes - trials * rare;
	*weight = trials * rare / (1 + odds);
}

/* The likelihood where all columns are numbers. */
static double
evaluate_numbers(Fit *fit, const double *effect)
{
	Block *block = fit->block;
	Likelihood likelihood = {0, 0};
	size_t row = 0;
	int i;

	while (row < fit->data->rows)
	{
		fit->host->poll(fit->host, 0, 0);
		row = take_rows(fit, row);
		take_values(fit, effect);
		for (i = 0; i < block->rows; i++)
			judge_row(fit->data, block->row[i], block->sum[i], &likelihood,
					  &block->residual[i], &block->weight[i]);
		add_block(fit);
	}
	take_square(fit);
	return likelihood.sum + likelihood.lost;
}

/* The likelihood where some rows do not have all effects. */
static double
evaluate_lists(Fit *fit, const double *effect)
{
	const SdcLogisticData *data = fit->data;
	Likelihood likelihood = {0, 0};
	size_t i;

	for (i = 0; i < data->rows; i++)
	{
		double sum = 0;
		double residual;
		double weight;
		int effects;
		int a;

		if (i % 4096 == 0)
			fit->host->poll(fit->host, 0, 0);
		if (data->trials != NULL && data->trials[i] == 0)
			continue;
		effects = logistic_list(fit->model, data, i, fit->place, fit->value);
		for (a = 0; a < effects; a++)
			sum += effect[fit->place[a]] * fit->value[a];
		judge_row(data, i, sum, &likelihood, &residual, &weight);
		add_row(fit, effects, residual, weight);
	}
	return likelihood.sum + likelihood.lost;
}

/* The likelihood of coefficients, with gradient and Hessian there. */
static double
evaluate(Fit *fit, const double *effect)
{
	clear_sums(fit);
	return fit->block != NULL ? evaluate_numbers(fit, effect)
							  : evaluate_lists(fit, effect);
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
		int effects =
			logistic_list(fit->model, fit->data, i, fit->place, fit->value);
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

static bool
are_numbers(const SdcLogisticData *data)
{
	int j;

	for (j = 0; j < data->columns; j++)
		if (data->column[j].code != NULL)
			return false;
	return true;
}

static void
start_block(Fit *fit)
{
	SdcHost *host = fit->host;
	size_t width = ((size_t) fit->data->columns + VECTOR) / VECTOR * VECTOR;

	fit->width = width;
	fit->square = sdc_new(host, double, width *width);
	fit->block = sdc_new(host, Block, 1);
	fit->block->value = sdc_new(host, double, BLOCK_ROWS *width);
	memset(fit->block->value, 0, sizeof(double) * BLOCK_ROWS * width);
	fit->gradient = sdc_new(host, double, width);
	memset(fit->gradient, 0, sizeof(double) * width);
}

/*
 * A fit with all effects zero, its gradient and Hessian, and its rank; like is
 * a model of the same columns and trials, or NULL.
 */
static Fit
start_fit(SdcHost *host, const SdcLogisticData *data, const SdcLogistic *like)
{
	Fit fit = {
		.host = host, .data = data, .model = logistic_new(host, data, like)};
	size_t n = (size_t) fit.model->parameters;

	fit.hessian = sdc_new(host, double, n *n);
	fit.factor = sdc_new(host, double, n *n);
	fit.size = sdc_new(host, double, n);
	fit.step = sdc_new(host, double, n);
	fit.next = sdc_new(host, double, n);
	fit.place = sdc_new(host, int, data->columns + 1);
	fit.value = sdc_new(host, double, data->columns + 1);
	if (are_numbers(data))
		start_block(&fit);
	else
		fit.gradient = sdc_new(host, double, n);
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
	host->release(host, fit->square);
	if (fit->block != NULL)
		host->release(host, fit->block->value);
	host->release(host, fit->block);
}

int
sdc_logistic_rank(SdcHost *host, const SdcLogisticData *data)
{
	Fit fit = start_fit(host, data, NULL);
	int rank = fit.model->rank;

	end_fit(&fit);
	sdc_logistic_release(host, fit.model);
	return rank;
}

/* Fits as below, with what a model of the same columns has found, if any. */
static SdcLogistic *
fit_like(SdcHost *host, const SdcLogisticData *data, const SdcLogistic *like)
{
	Fit fit = start_fit(host, data, like);

	fit.model->end = climb(&fit);
	restore_scale(fit.model);
	end_fit(&fit);
	return fit.model;
}

SdcLogistic *
sdc_logistic_fit(SdcHost *host, const SdcLogisticData *data)
{
	return fit_like(host, data, NULL);
}

/* ----------------------------------------------------------------------
 * Logistic regression as a classifier: one class against the rest.
 *
 * All fits share one copy of the training rows; only the successes change.
 * ----------------------------------------------------------------------
 */

typedef struct LogisticClasses
{
	SdcHost *host;
	int32_t classes;
	int columns;
	double *mean;    /* of each number, for its NULLs */
	int32_t **level; /* of each category by code + 1; 0 is the base */
	int32_t *values; /* codes of each category */
	SdcLogisticColumn *column;
	SdcLogistic **model;
	/* one row that is asked about */
	SdcLogisticData asked;
	double *number;
	int32_t *code;
} LogisticClasses;

/* Numbers the values of a category that occur; returns how many. */
static int32_t
number_levels(SdcHost *host, const SdcModelTask *task, int j, int32_t *level)
{
	const SdcModelColumn *column = &task->table->column[j];
	int32_t levels = 0;
	int32_t i;

	for (i = 0; i <= column->values; i++)
		level[i] = -1;
	for (i = 0; i < task->rows; i++)
	{
		int32_t *place = &level[column->code[task->row[i]] + 1];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (*place < 0)
			*place = levels++;
	}
	for (i = 0; i <= column->values; i++)
		if (level[i] < 0)
			level[i] = 0;
	return levels;
}

int64_t
sdc_logistic_classes_parameters(SdcHost *host, const SdcModelTask *task)
{
	int64_t parameters = 1;
	int j;

	for (j = 0; j < task->table->columns; j++)
	{
		const SdcModelColumn *column = &task->table->column[j];
		int32_t *level;

		if (column->code == NULL)
		{
			parameters++;
			continue;
		}
		level = sdc_new(host, int32_t, (size_t) column->values + 1);
		parameters += number_levels(host, task, j, level) - 1;
		host->release(host, level);
	}
	return parameters;
}

static void
copy_category(LogisticClasses *fitted, const SdcModelTask *task, int j)
{
	SdcHost *host = fitted->host;
	const SdcModelColumn *from = &task->table->column[j];
	int32_t *code = sdc_new(host, int32_t, (size_t) task->rows);
	int32_t i;

	fitted->values[j] = from->values;
	fitted->level[j] = sdc_new(host, int32_t, (size_t) from->values + 1);
	fitted->column[j].number = NULL;
	fitted->column[j].levels = number_levels(host, task, j, fitted->level[j]);
	for (i = 0; i < task->rows; i++)
		code[i] = fitted->level[j][from->code[task->row[i]] + 1];
	fitted->column[j].code = code;
}

static void
copy_number(LogisticClasses *fitted, const SdcModelTask *task, int j)
{
	const SdcModelColumn *from = &task->table->column[j];
	double *number = sdc_new(fitted->host, double, (size_t) task->rows);
	double mean = 0;
	int32_t n = 0;
	int32_t i;

	for (i = 0; i < task->rows; i++)
	{
		double x = from->number[task->row[i]];

		/* halves, for a difference of doubles may overflow */
		if (!isnan(x))
			mean += 2 * ((x / 2 - mean / 2) / ++n);
		number[i] = x;
	}
	for (i = 0; i < task->rows; i++)
		if (isnan(number[i]))
			number[i] = mean;
	fitted->mean[j] = mean;
	fitted->level[j] = NULL;
	fitted->column[j].number = number;
	fitted->column[j].code = NULL;
	fitted->column[j].levels = 0;
}

/* Room for the one row that is asked about. */
static void
make_asked(LogisticClasses *fitted)
{
	SdcHost *host = fitted->host;
	size_t columns = (size_t) fitted->columns;
	SdcLogisticColumn *column = sdc_new(host, SdcLogisticColumn, columns);
	int j;

	fitted->number = sdc_new(host, double, columns);
	fitted->code = sdc_new(host, int32_t, columns);
	for (j = 0; j < fitted->columns; j++)
	{
		column[j] = fitted->column[j];
		if (column[j].number != NULL)
			column[j].number = &fitted->number[j];
		else
			column[j].code = &fitted->code[j];
	}
	fitted->asked.rows = 1;
	fitted->asked.columns = fitted->columns;
	fitted->asked.column = column;
	fitted->asked.successes = NULL;
	fitted->asked.trials = NULL;
}

void *
sdc_logistic_classes_fit(SdcHost *host, const SdcModelTask *task)
{
	LogisticClasses *fitted = sdc_new(host, LogisticClasses, 1);
	size_t columns = (size_t) task->table->columns;
	double *success = sdc_new(host, double, (size_t) task->rows);
	SdcLogisticData data;
	int32_t c;
	int32_t i;
	int j;

	fitted->host = host;
	fitted->classes = task->classes;
	fitted->columns = task->table->columns;
	fitted->mean = sdc_new(host, double, columns);
	fitted->level = sdc_new(host, int32_t *, columns);
	fitted->values = sdc_new(host, int32_t, columns);
	fitted->column = sdc_new(host, SdcLogisticColumn, columns);
	fitted->model = sdc_new(host, SdcLogistic *, (size_t) task->classes);
	for (j = 0; j < fitted->columns; j++)
		if (task->table->column[j].code != NULL)
			copy_category(fitted, task, j);
		else
			copy_number(fitted, task, j);
	data.rows = (size_t) task->rows;
	data.columns = fitted->columns;
	data.column = fitted->column;
	data.successes = success;
	data.trials = NULL;
	for (c = 0; c < task->classes; c++)
	{
		for (i = 0; i < task->rows; i++)
			success[i] = task->label[task->row[i]] == c;
		fitted->model[c] =
			fit_like(host, &data, c > 0 ? fitted->model[0] : NULL);
	}
	host->release(host, success);
	make_asked(fitted);
	return fitted;
}

void
sdc_logistic_classes_predict(void *fitted_model, const SdcModelTable *table,
							 int32_t row, double *probability)
{
	LogisticClasses *fitted = fitted_model;
	double sum = 0;
	int32_t c;
	int j;

	for (j = 0; j < fitted->columns; j++)
	{
		const SdcModelColumn *column = &table->column[j];

		if (fitted->level[j] == NULL)
			fitted->number[j] = isnan(column->number[row])
									? fitted->mean[j]
									: column->number[row];
		else
			fitted->code[j] = column->code[row] < fitted->values[j]
								  ? fitted->level[j][column->code[row] + 1]
								  : 0;
	}
	for (c = 0; c < fitted->classes; c++)
	{
		sdc_logistic_predict(fitted->host, fitted->model[c], &fitted->asked,
							 &probability[c]);
		sum += probability[c];
	}
	for (c = 0; c < fitted->classes; c++)
		probability[c] =
			sum > 0 ? probability[c] / sum : 1.0 / fitted->classes;
}

/* ----------------------------------------------------------------------
 * Logistic models: their effects, and what they predict.
 * ----------------------------------------------------------------------
 */

/* libm: exp; models are no masks. */

/* The parameters of a model of such columns, with the intercept. */
static int64_t
logistic_parameters(const SdcLogisticData *data)
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

/* The probability that belongs to a sum of effects, 0 to 1. */
static double
sdc_logistic_probability(double sum)
{
	double odds = exp(-fabs(sum));

	return sum >= 0 ? 1 / (1 + odds) : odds / (1 + odds);
}

/*
 * The effects of a row that are not zero, in rising order of place; returns
 * how many, at most one more than there are columns.
 */
static int
logistic_list(const SdcLogistic *model, const SdcLogisticData *data,
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
	SdcScale scale = sdc_scale_measure(host, data->column[j].number,
									   data->trials, data->rows, 1);
	double square = scale.squares / scale.weight;

	model->centre[j] = 0;
	if (data->column[j].code != NULL)
		square += scale.mean * scale.mean;
	else
		model->centre[j] = sdc_scale_restore(&scale, scale.mean);
	model->inverse[j] =
		square > 0 ? scale.first / sqrt(square) * scale.second : 0;
}

/*
 * A model for the columns of data without any effect yet; its numbers are
 * standardized, to mean 0 and variance 1, products to a mean square of 1, as
 * in a model of the same columns and trials, if there is one.
 */
static SdcLogistic *
logistic_new(SdcHost *host, const SdcLogisticData *data,
			 const SdcLogistic *like)
{
	SdcLogistic *model = sdc_new(host, SdcLogistic, 1);
	int columns = data->columns;
	int j;

	memset(model, 0, sizeof(*model));
	model->parameters = (int) logistic_parameters(data);
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
		if (column->number != NULL && like != NULL)
		{
			model->centre[j] = like->centre[j];
			model->inverse[j] = like->inverse[j];
		}
		else if (column->number != NULL)
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
		int effects = logistic_list(model, data, i, place, value);
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
