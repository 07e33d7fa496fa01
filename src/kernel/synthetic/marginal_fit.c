/*
 * marginal_fit.c
 *		The model whose marginals are nearest to noisy ones.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/elementary.h"
#include "kernel/base/host.h"
#include "kernel/synthetic/marginal_fit.h"
#include "kernel/synthetic/marginal_model.h"

/* ----------------------------------------------------------------------
 * What was measured.
 * ----------------------------------------------------------------------
 */

static SdcMeasurement *
find_measurement(SdcMeasurements *all, SdcColumnSet columns)
{
	int i;

	for (i = 0; i < all->count; i++)
		if (all->item[i].columns == columns)
			return &all->item[i];
	return NULL;
}

static SdcMeasurement *
add_measurement(SdcHost *host, SdcMeasurements *all, SdcColumnSet columns,
				int64_t cells)
{
	SdcMeasurement *item;

	if (all->count == all->room)
	{
		int room = all->room == 0 ? 64 : 2 * all->room;

		item = sdc_new(host, SdcMeasurement, room);
		if (all->count > 0)
			memcpy(item, all->item, sizeof(SdcMeasurement) * all->count);
		host->release(host, all->item);
		all->item = item;
		all->room = room;
	}
	item = &all->item[all->count++];
	item->columns = columns;
	item->cells = cells;
	item->count = sdc_new(host, double, cells);
	item->weight = sdc_new(host, double, cells);
	memset(item->count, 0, sizeof(double) * cells);
	memset(item->weight, 0, sizeof(double) * cells);
	return item;
}

void
sdc_measurements_add(SdcHost *host, SdcMeasurements *all, const int32_t *size,
					 SdcColumnSet columns, const double *count, double weight,
					 const double *by_cell)
{
	SdcMeasurement *item = find_measurement(all, columns);
	int64_t c;

	if (item == NULL)
		item = add_measurement(host, all, columns,
							   sdc_marginal_cells(size, columns));
	for (c = 0; c < item->cells; c++)
	{
		double w = by_cell != NULL ? by_cell[c] : weight;
		double sum = item->weight[c] + w;

		item->count[c] =
			(item->count[c] * item->weight[c] + count[c] * w) / sum;
		item->weight[c] = sum;
	}
}

void
sdc_measurements_release(SdcHost *host, SdcMeasurements *all)
{
	int i;

	for (i = 0; i < all->count; i++)
	{
		host->release(host, all->item[i].count);
		host->release(host, all->item[i].weight);
	}
	host->release(host, all->item);
	memset(all, 0, sizeof(*all));
}

double
sdc_measurements_total(const SdcMeasurements *all)
{
	double sum = 0;
	double weight = 0;
	int64_t c;
	int i;

	for (i = 0; i < all->count; i++)
	{
		const SdcMeasurement *item = &all->item[i];
		double variance = 0;
		double total = 0;

		for (c = 0; c < item->cells; c++)
		{
			variance += 1 / item->weight[c];
			total += item->count[c];
		}
		sum += total / variance;
		weight += 1 / variance;
	}
	return sum / weight;
}

/* ----------------------------------------------------------------------
 * The fit.
 * ----------------------------------------------------------------------
 */

/* Steps of a line search: by then the step is 3e-8 of the first. */
#define HALVES 25

/* Iterations without gain that end a fit. */
#define STILL 5

/* The most that a step changes a cell by, as a power of e. */
#define MOST_CHANGE 30

/* A measured marginal of the model, summed from a larger one or a clique. */
typedef struct Term
{
	const SdcMeasurement *item;
	int clique;
	int from;       /* a term before this one; -1: the clique */
	int64_t source; /* cells of what it is summed from */
	int32_t *map;   /* of each of these, its cell */
	double *share;  /* P(columns) */
	double *slope;  /* derivative of the loss by the count of a cell */
} Term;

typedef struct Fit
{
	SdcHost *host;
	SdcMarginalModel *model;
	int terms;
	Term *term;
	double **gradient; /* [clique][cell] */
	double **before;   /* potentials and marginals of the last iteration */
	double **joint;
	double step;
	double loss;
} Fit;

/* Where a marginal is summed from: the smallest that holds it. */
static void
find_source(const Fit *fit, Term *term, int terms)
{
	SdcColumnSet columns = term->item->columns;
	SdcColumnSet source = 0;
	int k;

	term->from = term->clique = -1;
	for (k = 0; k < fit->model->cliques; k++)
	{
		const SdcMarginal *given = &fit->model->clique[k].given;

		if ((columns & ~given->columns) != 0 ||
			(source != 0 && given->cells >= term->source))
			continue;
		term->clique = k;
		term->source = given->cells;
		source = given->columns;
	}
	for (k = 0; k < terms; k++)
	{
		const SdcMeasurement *item = fit->term[k].item;

		if ((columns & ~item->columns) != 0 || item->cells >= term->source)
			continue;
		term->from = k;
		term->source = item->cells;
		source = item->columns;
	}
	term->map = sdc_marginal_map(fit->host, fit->model->size, source, columns);
}

/* The terms, larger sets of columns first. */
static void
make_terms(Fit *fit, const SdcMeasurements *all)
{
	int way;
	int i;

	fit->term = sdc_new(fit->host, Term, all->count);
	for (way = fit->model->columns; way > 0; way--)
		for (i = 0; i < all->count; i++)
		{
			const SdcMeasurement *item = &all->item[i];
			Term *term = &fit->term[fit->terms];

			if (__builtin_popcountll(item->columns) != way)
				continue;
			term->item = item;
			term->share = sdc_new(fit->host, double, item->cells);
			term->slope = sdc_new(fit->host, double, item->cells);
			find_source(fit, term, fit->terms);
			fit->terms++;
		}
}

static void
start(Fit *fit, const SdcMeasurements *all)
{
	SdcHost *host = fit->host;
	double heaviest = 0;
	int64_t c;
	int k;

	make_terms(fit, all);
	fit->gradient = sdc_new(host, double *, fit->model->cliques);
	fit->before = sdc_new(host, double *, fit->model->cliques);
	fit->joint = sdc_new(host, double *, fit->model->cliques);
	for (k = 0; k < fit->model->cliques; k++)
	{
		int64_t cells = fit->model->clique[k].given.cells;

		fit->gradient[k] = sdc_new(host, double, cells);
		fit->before[k] = sdc_new(host, double, cells);
		fit->joint[k] = sdc_new(host, double, cells);
	}
	for (k = 0; k < all->count; k++)
		for (c = 0; c < all->item[k].cells; c++)
			heaviest = fmax(heaviest, all->item[k].weight[c]);
	fit->step = 1 / (fit->model->total * heaviest);
}

static void
end(Fit *fit)
{
	SdcHost *host = fit->host;
	int k;

	for (k = 0; k < fit->terms; k++)
	{
		host->release(host, fit->term[k].map);
		host->release(host, fit->term[k].share);
		host->release(host, fit->term[k].slope);
	}
	for (k = 0; k < fit->model->cliques; k++)
	{
		host->release(host, fit->gradient[k]);
		host->release(host, fit->before[k]);
		host->release(host, fit->joint[k]);
	}
	host->release(host, fit->term);
	host->release(host, fit->gradient);
	host->release(host, fit->before);
	host->release(host, fit->joint);
}

/* Half the squares of what the model's counts miss, and its derivatives. */
static double
loss_of(Fit *fit)
{
	double total = fit->model->total;
	double loss = 0;
	int64_t c;
	int i;

	for (i = 0; i < fit->terms; i++)
	{
		Term *term = &fit->term[i];
		const SdcMeasurement *item = term->item;
		const double *from = term->from < 0
								 ? fit->model->clique[term->clique].joint
								 : fit->term[term->from].share;

		memset(term->share, 0, sizeof(double) * item->cells);
		for (c = 0; c < term->source; c++)
			term->share[term->map[c]] += from[c];
		for (c = 0; c < item->cells; c++)
		{
			double miss = total * term->share[c] - item->count[c];

			term->slope[c] = miss * item->weight[c];
			loss += 0.5 * miss * term->slope[c];
		}
	}
	return loss;
}

/* The derivatives of the loss by each cell of each clique. */
static void
find_gradient(Fit *fit)
{
	int64_t c;
	int i;

	for (i = 0; i < fit->model->cliques; i++)
		memset(fit->gradient[i], 0,
			   sizeof(double) * fit->model->clique[i].given.cells);
	for (i = fit->terms - 1; i >= 0; i--)
	{
		const Term *term = &fit->term[i];
		double *to = term->from < 0 ? fit->gradient[term->clique]
									: fit->term[term->from].slope;

		for (c = 0; c < term->source; c++)
			to[c] += term->slope[term->map[c]];
	}
}

/*
 * to = from exp(-step (gradient - least)), not below exp(-MOST_CHANGE): the
 * exponential of elementary.c, in a loop that becomes vector instructions.
 */
SDC_CLONES static void
multiply_exp(double *to, const double *from, const double *gradient,
			 double least, double step, int64_t cells)
{
	int64_t c;

	for (c = 0; c < cells; c++)
	{
		double x = -step * (gradient[c] - least);
		double k;
		double r;
		double sum;
		double power;
		int64_t bits;

		x = x < -MOST_CHANGE ? -MOST_CHANGE : x;
		/* adding and taking off 1.5 * 2^52 rounds to the nearest integer */
		k = (x * 1.44269504088896340736 + 6755399441055744.0) -
			6755399441055744.0;
		r = (x - k * 6.93147180369123816490e-01) -
			k * 1.90821492927058770002e-10;
		sum = 1 + r * (1.0 / 12);
		sum = 1 + r * (1.0 / 11) * sum;
		sum = 1 + r * (1.0 / 10) * sum;
		sum = 1 + r * (1.0 / 9) * sum;
		sum = 1 + r * (1.0 / 8) * sum;
		sum = 1 + r * (1.0 / 7) * sum;
		sum = 1 + r * (1.0 / 6) * sum;
		sum = 1 + r * (1.0 / 5) * sum;
		sum = 1 + r * (1.0 / 4) * sum;
		sum = 1 + r * (1.0 / 3) * sum;
		sum = 1 + r * (1.0 / 2) * sum;
		sum = 1 + r * sum;
		bits = ((int64_t) (int32_t) k + 1023) << 52;
		memcpy(&power, &bits, sizeof(power));
		to[c] = from[c] * sum * power;
	}
}

/* Goes one step from before; what the marginals gain along the gradient. */
static double
move(Fit *fit, const double *least)
{
	double gain = 0;
	int64_t c;
	int k;

	for (k = 0; k < fit->model->cliques; k++)
	{
		SdcClique *clique = &fit->model->clique[k];

		fit->host->poll(fit->host, 0, 0);
		multiply_exp(clique->given.value, fit->before[k], fit->gradient[k],
					 least[k], fit->step, clique->given.cells);
	}
	sdc_marginal_calibrate(fit->model);
	for (k = 0; k < fit->model->cliques; k++)
	{
		const SdcClique *clique = &fit->model->clique[k];

		for (c = 0; c < clique->given.cells; c++)
			gain +=
				fit->gradient[k][c] * (fit->joint[k][c] - clique->joint[c]);
	}
	return gain;
}

/* One iteration; the loss it ends with. */
static double
descend(Fit *fit)
{
	double least[SDC_MARGINAL_COLUMNS];
	double next = fit->loss;
	int64_t c;
	int half;
	int k;

	find_gradient(fit);
	for (k = 0; k < fit->model->cliques; k++)
	{
		const SdcClique *clique = &fit->model->clique[k];
		size_t bytes = sizeof(double) * clique->given.cells;

		memcpy(fit->before[k], clique->given.value, bytes);
		memcpy(fit->joint[k], clique->joint, bytes);
		least[k] = fit->gradient[k][0];
		for (c = 1; c < clique->given.cells; c++)
			if (fit->gradient[k][c] < least[k])
				least[k] = fit->gradient[k][c];
	}
	for (half = 0; half < HALVES; half++)
	{
		double gain = move(fit, least);

		next = loss_of(fit);
		if (fit->loss - next >= 0.5 * fit->model->total * gain)
			break;
		fit->step /= 2;
	}
	/* a step that was taken at once may be too short */
	if (half == 0)
		fit->step *= 2;
	return next;
}

int
sdc_marginal_fit(SdcHost *host, SdcMarginalModel *model,
				 const SdcMeasurements *all, int iterations, double tolerance)
{
	Fit fit = {.host = host, .model = model};
	int still = 0;
	int i;

	model->total = fmax(1, sdc_measurements_total(all));
	start(&fit, all);
	fit.loss = loss_of(&fit);
	for (i = 0; i < iterations && still < STILL; i++)
	{
		double next = descend(&fit);

		still = fit.loss - next <= tolerance * fit.loss ? still + 1 : 0;
		fit.loss = next;
	}
	end(&fit);
	return i;
}
