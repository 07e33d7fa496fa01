/*
 * propensity.c
 *		Can a model tell the masked records from the original ones?
 *
 * Each column turns into one or two columns of a logistic model: a number and
 * a factor of what is missing, or a factor whose base is its most frequent
 * level.  Rows with a level that only one file has are told apart with
 * certainty, and the model is fitted to the others.
 *
 * Or a tree is grown over the columns in bins.  What it would find by chance
 * is not known as a formula: labels are permuted, and trees grown again.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/model/cart.h"
#include "kernel/model/logistic.h"
#include "kernel/utility/propensity.h"

typedef struct Design
{
	SdcHost *host;
	size_t rows;
	SdcLogisticColumn *column;
	int *source; /* the column it was made from */
	int columns;
} Design;

static void
put_column(Design *design, const double *number, const int32_t *code,
		   int32_t levels, int source)
{
	SdcLogisticColumn *column = &design->column[design->columns];

	column->number = number;
	column->code = code;
	column->levels = levels;
	design->source[design->columns++] = source;
}

/* A number with its mean where it is missing, and a factor of that. */
static void
put_number(Design *design, const double *x, int source)
{
	double *filled = sdc_new(design->host, double, design->rows);
	int32_t *missing = sdc_new(design->host, int32_t, design->rows);
	double mean = 0;
	double count = 0;
	size_t i;

	for (i = 0; i < design->rows; i++)
		if (!isnan(x[i]))
			mean += (x[i] - mean) / ++count;
	for (i = 0; i < design->rows; i++)
	{
		filled[i] = isnan(x[i]) ? mean : x[i];
		missing[i] = isnan(x[i]);
	}
	put_column(design, filled, NULL, 0, source);
	if (count < (double) design->rows)
		put_column(design, NULL, missing, 2, source);
	else
		design->host->release(design->host, missing);
}

/*
 * A factor: level 0 is the most frequent value, the last level all that are
 * not among the most frequent.  A missing value is one more value.
 */
static void
put_factor(Design *design, const SdcPropensityColumn *column, int32_t most,
		   int source)
{
	SdcHost *host = design->host;
	int32_t values = column->values + 1;
	uint64_t *key = sdc_new(host, uint64_t, values);
	int32_t *order = sdc_new(host, int32_t, values);
	int32_t *level = sdc_new(host, int32_t, values);
	int32_t *code = sdc_new(host, int32_t, design->rows);
	int32_t used = 0;
	int32_t v;
	size_t i;

	/* counts, turned over so that the most frequent comes first */
	for (v = 0; v < values; v++)
	{
		key[v] = UINT64_MAX;
		order[v] = v;
	}
	for (i = 0; i < design->rows; i++)
		key[column->code[i] < 0 ? values - 1 : column->code[i]]--;
	for (v = 0; v < values; v++)
		used += key[v] < UINT64_MAX;
	sdc_sort_keys(host, key, order, (size_t) values);
	for (v = 0; v < values; v++)
		level[order[v]] = v < most - 1 || used <= most ? v : most - 1;
	for (i = 0; i < design->rows; i++)
		code[i] = level[column->code[i] < 0 ? values - 1 : column->code[i]];
	put_column(design, NULL, code, used < most ? used : most, source);
	host->release(host, key);
	host->release(host, order);
	host->release(host, level);
}

/* The product of two columns of the model. */
static void
put_product(Design *design, const SdcLogisticColumn *a,
			const SdcLogisticColumn *b)
{
	SdcHost *host = design->host;
	double *number = NULL;
	int32_t *code = NULL;
	int32_t levels = (a->code == NULL ? 1 : a->levels - 1) *
						 (b->code == NULL ? 1 : b->levels - 1) +
					 1;
	int32_t width = b->code == NULL ? 1 : b->levels - 1;
	size_t i;

	if (a->number != NULL || b->number != NULL)
		number = sdc_new(host, double, design->rows);
	if (a->code != NULL || b->code != NULL)
		code = sdc_new(host, int32_t, design->rows);
	for (i = 0; i < design->rows; i++)
	{
		int32_t x = a->code == NULL ? 1 : a->code[i];
		int32_t y = b->code == NULL ? 1 : b->code[i];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (number != NULL)
			number[i] = (a->number == NULL ? 1 : a->number[i]) *
						(b->number == NULL ? 1 : b->number[i]);
		if (code != NULL)
			code[i] = x > 0 && y > 0 ? (x - 1) * width + y : 0;
	}
	put_column(design, number, code, levels, -1);
}

/* Deviations of a number from its mean, in units of their deviation. */
static double *
standardize(const Design *design, const double *x)
{
	double *z = sdc_new(design->host, double, design->rows);
	double mean = 0;
	double squares = 0;
	size_t i;

	for (i = 0; i < design->rows; i++)
		mean += (x[i] - mean) / (double) (i + 1);
	for (i = 0; i < design->rows; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	for (i = 0; i < design->rows; i++)
		z[i] = squares > 0
				   ? (x[i] - mean) / sqrt(squares / (double) design->rows)
				   : 0;
	return z;
}

/* All products of columns that come from different columns of the files. */
static void
put_products(Design *design)
{
	int single = design->columns;
	SdcLogisticColumn *factor =
		sdc_new(design->host, SdcLogisticColumn, single);
	int a;
	int b;

	for (a = 0; a < single; a++)
	{
		factor[a] = design->column[a];
		/* large means would make the products collinear */
		if (factor[a].number != NULL)
			factor[a].number = standardize(design, factor[a].number);
	}
	for (a = 0; a < single; a++)
		for (b = 0; b < a; b++)
			if (design->source[a] != design->source[b])
				put_product(design, &factor[b], &factor[a]);
}

/* How many parameters there would be, without any product being made. */
static int64_t
count_parameters(const Design *design, bool interactions)
{
	int64_t parameters = 1;
	int a;
	int b;

	for (a = 0; a < design->columns; a++)
	{
		const SdcLogisticColumn *x = &design->column[a];
		int64_t effects = x->code == NULL ? 1 : x->levels - 1;

		parameters += effects;
		for (b = 0; b < a && interactions; b++)
		{
			const SdcLogisticColumn *y = &design->column[b];

			if (design->source[a] != design->source[b])
				parameters += effects * (y->code == NULL ? 1 : y->levels - 1);
		}
	}
	return parameters;
}

/*
 * Marks, with no trials, the rows with a level of a factor that only one file
 * has: their probability goes to 0 or 1, and what is left is a model of the
 * other rows.  Taking rows away may leave more such levels.  Returns how many
 * rows are left.
 */
static size_t
mark_certain(const Design *design, size_t original, double *trials)
{
	SdcHost *host = design->host;
	size_t left = design->rows;
	size_t before;
	size_t i;
	int j;

	for (i = 0; i < design->rows; i++)
		trials[i] = 1;
	do
	{
		before = left;
		for (j = 0; j < design->columns; j++)
		{
			const SdcLogisticColumn *column = &design->column[j];
			uint8_t *seen;

			if (column->code == NULL || column->number != NULL)
				continue;
			host->poll(host, 0, 0);
			seen = sdc_new(host, uint8_t, column->levels);
			memset(seen, 0, (size_t) column->levels);
			for (i = 0; i < design->rows; i++)
				if (trials[i] > 0)
					seen[column->code[i]] |= i < original ? 1 : 2;
			for (i = 0; i < design->rows; i++)
				if (trials[i] > 0 && seen[column->code[i]] != 3)
				{
					trials[i] = 0;
					left--;
				}
			host->release(host, seen);
		}
	} while (left > 0 && left < before);
	return left;
}

/* The mean squared difference of the probabilities from the share. */
static double
measure_error(const Design *design, size_t original, SdcLogisticData *data,
			  SdcPropensity *result)
{
	SdcHost *host = design->host;
	double *probability = sdc_new(host, double, design->rows);
	double *trials = sdc_new(host, double, design->rows);
	size_t left = mark_certain(design, original, trials);
	double sum = 0;
	size_t i;

	result->end = SDC_LOGISTIC_SEPARATED;
	data->trials = trials;
	if (left > 0)
	{
		SdcLogistic *model = sdc_logistic_fit(host, data);

		sdc_logistic_predict(host, model, data, probability);
		if (left == design->rows || model->end == SDC_LOGISTIC_STOPPED)
			result->end = model->end;
		sdc_logistic_release(host, model);
	}
	for (i = 0; i < design->rows; i++)
	{
		double p = trials[i] > 0 ? probability[i] : i >= original;

		sum += (p - result->share) * (p - result->share);
	}
	data->trials = NULL;
	host->release(host, probability);
	host->release(host, trials);
	return sum / (double) design->rows;
}

/* The figures, by a model of all effects that can be estimated. */
static void
judge(const Design *design, size_t original, SdcLogisticData *data,
	  SdcPropensity *result)
{
	double c = result->share;
	double unit = (1 - c) * (1 - c) * c / (double) design->rows;
	int rank = sdc_logistic_rank(design->host, data);

	result->parameters = rank;
	result->expected = (rank - 1) * unit;
	result->deviation = sqrt(2.0 * (rank - 1)) * unit;
	result->pmse = 0;
	result->end = SDC_LOGISTIC_MAXIMUM;
	/* without effects every probability is the share, but for rounding */
	if (rank == 1)
		return;
	result->pmse = measure_error(design, original, data, result);
	result->ratio = result->pmse / result->expected;
	result->standardized =
		(result->pmse - result->expected) / result->deviation;
}

/* The columns of the model. */
static void
make_design(Design *design, int columns, const SdcPropensityColumn *column,
			int32_t most_levels, bool interactions, int64_t *parameters)
{
	size_t room = (size_t) columns * 2;
	int j;

	if (interactions)
		room += room * room;
	design->column = sdc_new(design->host, SdcLogisticColumn, room);
	design->source = sdc_new(design->host, int, room);
	for (j = 0; j < columns; j++)
	{
		design->host->poll(design->host, 0, 0);
		if (column[j].number != NULL)
			put_number(design, column[j].number, j);
		else
			put_factor(design, &column[j], most_levels, j);
	}
	*parameters = count_parameters(design, interactions);
	if (interactions && *parameters <= SDC_LOGISTIC_MAX_PARAMETERS)
		put_products(design);
}

SdcPropensity
sdc_propensity_measure(SdcHost *host, size_t original, size_t masked,
					   int columns, const SdcPropensityColumn *column,
					   int32_t most_levels, bool interactions,
					   int64_t *parameters)
{
	SdcPropensity result = {NAN, NAN, NAN, NAN,
							NAN, NAN, 0,   SDC_LOGISTIC_STOPPED};
	Design design = {.host = host, .rows = original + masked};
	SdcLogisticData data;
	double *success;
	int64_t wanted = 0;
	size_t i;

	if (original > 0 && masked > 0)
		make_design(&design, columns, column, most_levels, interactions,
					&wanted);
	if (parameters != NULL)
		*parameters = wanted;
	if (wanted == 0 || wanted > SDC_LOGISTIC_MAX_PARAMETERS)
		return result;
	result.share = (double) masked / (double) design.rows;
	success = sdc_new(host, double, design.rows);
	for (i = 0; i < design.rows; i++)
		success[i] = i >= original;
	data = (SdcLogisticData){design.rows, design.columns, design.column,
							 success, NULL};
	judge(&design, original, &data, &result);
	return result;
}

/* ----------------------------------------------------------------------
 * By a tree.
 * ----------------------------------------------------------------------
 */

/* Bins of a column, without that of NULL, at the most. */
#define MOST_BINS 65534

/* The rank of each number among the different ones, from 1; 0: missing. */
static int32_t *
rank_numbers(SdcHost *host, const double *number, size_t rows, int32_t *ranks)
{
	uint64_t *key = sdc_new(host, uint64_t, rows);
	int32_t *order = sdc_new(host, int32_t, rows);
	int32_t *rank = sdc_new(host, int32_t, rows);
	size_t i;

	for (i = 0; i < rows; i++)
	{
		key[i] = sdc_sort_key(number[i]);
		order[i] = (int32_t) i;
	}
	sdc_sort_keys(host, key, order, rows);
	*ranks = 0;
	for (i = 0; i < rows; i++)
	{
		if (isnan(number[order[i]]))
			rank[order[i]] = 0;
		else
			rank[order[i]] = i > 0 && key[i] == key[i - 1] ? *ranks : ++*ranks;
	}
	host->release(host, key);
	host->release(host, order);
	return rank;
}

/* Bins of what has more values than there are bins: runs of equal size. */
static void
narrow(SdcHost *host, int32_t *value, size_t rows, int32_t *values)
{
	int32_t *bin_of = sdc_new(host, int32_t, (size_t) *values + 1);
	int64_t before = 0;
	int32_t v;
	size_t i;

	memset(bin_of, 0, sizeof(int32_t) * ((size_t) *values + 1));
	for (i = 0; i < rows; i++)
		bin_of[value[i]]++;
	for (v = 1; v <= *values; v++)
	{
		int32_t count = bin_of[v];

		bin_of[v] = (int32_t) (1 + before * (MOST_BINS - 1) / (int64_t) rows);
		before += count;
	}
	bin_of[0] = 0;
	for (i = 0; i < rows; i++)
		value[i] = bin_of[value[i]];
	*values = MOST_BINS;
	host->release(host, bin_of);
}

/* Lays a column out as a predictor of the tree. */
static SdcCartPredictor
make_predictor(SdcHost *host, const SdcPropensityColumn *column, size_t rows)
{
	uint16_t *bin = sdc_new(host, uint16_t, rows);
	SdcCartPredictor predictor = {.bin = bin};
	int32_t values = column->values;
	int32_t *value;
	size_t i;

	if (column->number != NULL)
		value = rank_numbers(host, column->number, rows, &values);
	else
	{
		value = sdc_new(host, int32_t, rows);
		for (i = 0; i < rows; i++)
			value[i] = column->code[i] < 0 ? 0 : column->code[i] + 1;
	}
	if (values > MOST_BINS)
		narrow(host, value, rows, &values);
	for (i = 0; i < rows; i++)
		bin[i] = (uint16_t) value[i];
	host->release(host, value);
	predictor.bins = values + 1;
	predictor.ordered = column->number != NULL;
	return predictor;
}

/* What all trees of a comparison share. */
typedef struct Forest
{
	SdcHost *host;
	size_t rows;
	int columns;
	SdcCartPredictor *predictor;
	SdcCartTarget target;
	double share;
} Forest;

/* The pMSE of the tree of some labels; *leaves unless NULL. */
static double
grow_tree(const Forest *forest, const int32_t *label, int *leaves)
{
	SdcHost *host = forest->host;
	int32_t *row = sdc_new(host, int32_t, forest->rows);
	SdcCartTarget target = forest->target;
	SdcCart *tree;
	double sum = 0;
	size_t i;
	int32_t n;

	for (i = 0; i < forest->rows; i++)
		row[i] = (int32_t) i;
	target.label = label;
	tree = sdc_cart_grow(host, forest->predictor, forest->columns, &target,
						 row, (int32_t) forest->rows);
	for (n = 0; n < tree->nodes; n++)
	{
		const SdcCartNode *node = &tree->node[n];
		double count = node->end - node->first;
		double ones = 0;
		double shift;
		int32_t at;

		if (node->yes >= 0)
			continue;
		for (at = node->first; at < node->end; at++)
			ones += label[tree->row[at]];
		shift = ones / count - forest->share;
		sum += count * shift * shift;
	}
	if (leaves != NULL)
		*leaves = tree->leaves;
	sdc_cart_release(host, tree);
	return sum / (double) forest->rows;
}

/* Mean and deviation of what trees of permuted labels find. */
static void
permute(const Forest *forest, int32_t *label,
		const SdcPropensityTree *settings, SdcPropensity *result)
{
	double mean = 0;
	double squares = 0;
	SdcRandom random;
	int p;

	sdc_random_seed(&random, settings->seed, forest->rows);
	for (p = 0; p < settings->permutations; p++)
	{
		double found;
		double shift;
		size_t i;

		for (i = forest->rows - 1; i > 0; i--)
		{
			size_t other = (size_t) sdc_random_below(&random, i + 1);
			int32_t swap = label[i];

			label[i] = label[other];
			label[other] = swap;
		}
		found = grow_tree(forest, label, NULL);
		shift = found - mean;
		mean += shift / (p + 1);
		squares += shift * (found - mean);
	}
	result->expected = (1 - forest->share) * mean;
	result->deviation =
		(1 - forest->share) * sqrt(squares / (settings->permutations - 1));
}

SdcPropensity
sdc_propensity_by_tree(SdcHost *host, size_t original, size_t masked,
					   int columns, const SdcPropensityColumn *column,
					   const SdcPropensityTree *settings)
{
	SdcPropensity result = {NAN, NAN, NAN, NAN,
							NAN, NAN, 0,   SDC_LOGISTIC_MAXIMUM};
	size_t rows = original + masked;
	SdcArena *arena;
	Forest forest;
	int32_t *label;
	size_t i;
	int j;

	if (original == 0 || masked == 0)
		return result;
	arena = sdc_arena_create(host);
	host = &arena->host;
	result.share = (double) masked / (double) rows;
	forest = (Forest){host, rows, columns, NULL, {0}, result.share};
	forest.target =
		(SdcCartTarget){NULL, 2, NULL, settings->leaf, settings->cp};
	forest.predictor = sdc_new(host, SdcCartPredictor, (size_t) columns);
	for (j = 0; j < columns; j++)
		forest.predictor[j] = make_predictor(host, &column[j], rows);
	label = sdc_new(host, int32_t, rows);
	for (i = 0; i < rows; i++)
		label[i] = i >= original;
	result.pmse = grow_tree(&forest, label, &result.parameters);
	permute(&forest, label, settings, &result);
	if (result.expected > 0)
		result.ratio = result.pmse / result.expected;
	if (result.deviation > 0)
		result.standardized =
			(result.pmse - result.expected) / result.deviation;
	sdc_arena_end(arena);
	return result;
}
