/*
 * figure.c
 *		The figures a request asks for: named, checked, counted in cells.
 *
 * The kernels are those of the private aggregates; here their parameters come
 * from what the curator declared, not from who asks.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/host.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_moments.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "kernel/privacy/strong_bits.h"
#include "topic/privacy/dataset.h"
#include "topic/privacy/dp_aggregates.h"
#include "topic/privacy/figure.h"

/* In the order of SdcFigureKind. */
static const char *const kinds[] = {"count",    "sum",    "avg",
									"var",      "stddev", "median",
									"quantile", "mode",   NULL};

/* Cells of a range: as many as a private aggregate, fewer when they add up. */
#define RANGE_CELLS  65536
#define RANGE_LEAST  256
#define RANGE_IN_ALL (1 << 22)

/* What all within -w .. w is said to hold for. */
#define CONFIDENCE 0.95

static void
refuse_word(const char *word)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized aggregate \"%s\"", word),
			 errhint("Valid are count, and sum, avg, var, stddev, median and "
					 "mode with a column, as in \"sum(income)\", and "
					 "\"quantile(income, 0.9)\".")));
}

/* "name(rest)": cuts the word at the parentheses; NULL without them. */
static char *
cut_argument(char *word, const char *original)
{
	char *open = strchr(word, '(');
	size_t length = strlen(word);

	if (open == NULL)
		return NULL;
	if (word[length - 1] != ')')
		refuse_word(original);
	word[length - 1] = '\0';
	*open = '\0';
	return open + 1;
}

/* "column, fraction": cuts at the last comma. */
static double
cut_fraction(char *argument, const char *original)
{
	char *comma = strrchr(argument, ',');
	char *end;
	double fraction;

	if (comma == NULL)
		refuse_word(original);
	fraction = strtod(comma + 1, &end);
	if (end == comma + 1 || *end != '\0')
		refuse_word(original);
	sdcpg_args_range("fraction", fraction, 0, 1);
	while (comma > argument && comma[-1] == ' ')
		comma--;
	*comma = '\0';
	return fraction;
}

static void
need_bounds(const SdcFigure *figure)
{
	if (!figure->column->bounded)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("column \"%s\" has no declared bounds",
							   figure->column->column.name),
						errhint("The curator declares them with "
								"sdc.describe_column.")));
}

static void
need_categories(const SdcFigure *figure)
{
	if (figure->column->categories == 0)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("column \"%s\" has no declared categories",
							   figure->column->column.name),
						errhint("The curator declares them with "
								"sdc.describe_column.")));
}

SdcFigure *
sdcpg_figure_read(const SdcDataset *dataset, const SdcRelation *relation,
				  const char *word)
{
	SdcFigure *figure = palloc0(sizeof(SdcFigure));
	char *name = pstrdup(word);
	char *argument = cut_argument(name, word);
	int i = 0;

	figure->word = pstrdup(word);
	while (kinds[i] != NULL && strcmp(kinds[i], name) != 0)
		i++;
	if (kinds[i] == NULL)
		refuse_word(word);
	figure->kind = (SdcFigureKind) i;
	if ((argument == NULL) != (figure->kind == SDC_FIGURE_COUNT))
		refuse_word(word);
	if (argument == NULL)
		return figure;
	figure->fraction = 0.5;
	if (figure->kind == SDC_FIGURE_QUANTILE)
		figure->fraction = cut_fraction(argument, word);
	figure->column = sdcpg_dataset_column(dataset, relation, argument);
	if (figure->kind == SDC_FIGURE_MODE)
		need_categories(figure);
	else
		need_bounds(figure);
	return figure;
}

static double
bound_of(Numeric bound)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(bound)));
}

static int64
whole_bound(Numeric bound)
{
	return DatumGetInt64(
		DirectFunctionCall1(numeric_int8, NumericGetDatum(bound)));
}

static void
start_sum(SdcFigure *figure)
{
	const SdcDatasetColumn *column = figure->column;
	Oid type = column->column.base;
	double size =
		Max(fabs(bound_of(column->lower)), fabs(bound_of(column->upper)));
	bool started;

	figure->whole = type == INT2OID || type == INT4OID || type == INT8OID;
	if (figure->neighbours == SDC_NEIGHBOURS_REPLACE)
		size = Max(size, bound_of(column->upper) - bound_of(column->lower));
	if (figure->whole)
		started = sdc_dp_sum_start_integer(
			&figure->sum, whole_bound(column->lower),
			whole_bound(column->upper), figure->neighbours, figure->epsilon);
	else
		started = sdc_dp_sum_start(&figure->sum, bound_of(column->lower),
								   bound_of(column->upper), figure->neighbours,
								   figure->epsilon);
	if (!started)
		sdcpg_private_too_large();
	figure->halfwidth = sdc_dp_noise_halfwidth(
		figure->whole ? SDC_DP_NOISE_DISCRETE_LAPLACE : SDC_DP_NOISE_LAPLACE,
		size, figure->epsilon, CONFIDENCE);
}

static void
start_range(SdcFigure *figure, int64 cells)
{
	int64 each = RANGE_IN_ALL / Max(cells, 1);

	figure->range.lower = bound_of(figure->column->lower);
	figure->range.upper = bound_of(figure->column->upper);
	figure->range.cells = RANGE_CELLS;
	while (figure->range.cells > each && figure->range.cells > RANGE_LEAST)
		figure->range.cells /= 2;
}

/* The memory of a state, in bytes. */
static Size
state_bytes(const SdcFigure *figure)
{
	switch (figure->kind)
	{
		case SDC_FIGURE_COUNT:
			return sizeof(SdcFigureState);
		case SDC_FIGURE_SUM:
			return sizeof(SdcFigureState) + sizeof(SdcDpSum);
		case SDC_FIGURE_MEDIAN:
		case SDC_FIGURE_QUANTILE:
			return sizeof(SdcFigureState) +
				   figure->range.cells * sizeof(uint64_t);
		case SDC_FIGURE_MODE:
			return sizeof(SdcFigureState) +
				   figure->column->categories * sizeof(int64_t);
		default:
			return sizeof(SdcFigureState) + sizeof(SdcDpMoments);
	}
}

void
sdcpg_figure_start(SdcFigure *figure, double epsilon, SdcNeighbours neighbours,
				   int64 cells)
{
	figure->epsilon = epsilon;
	figure->neighbours = neighbours;
	figure->halfwidth = NAN;
	switch (figure->kind)
	{
		case SDC_FIGURE_COUNT:
			sdc_discrete_laplace_scale(1, 1, epsilon, &figure->noise);
			figure->halfwidth = sdc_dp_noise_halfwidth(
				SDC_DP_NOISE_DISCRETE_LAPLACE, 1, epsilon, CONFIDENCE);
			break;
		case SDC_FIGURE_SUM:
			start_sum(figure);
			break;
		case SDC_FIGURE_AVG:
		case SDC_FIGURE_VAR:
		case SDC_FIGURE_STDDEV:
			sdc_dp_moments_start(
				&figure->moments, bound_of(figure->column->lower),
				bound_of(figure->column->upper),
				figure->kind == SDC_FIGURE_AVG ? 1 : 2, neighbours, epsilon);
			break;
		case SDC_FIGURE_MEDIAN:
		case SDC_FIGURE_QUANTILE:
			start_range(figure, cells);
			break;
		case SDC_FIGURE_MODE:
			break;
	}
	figure->bytes = state_bytes(figure);
}

void
sdcpg_figure_open(const SdcFigure *figure, SdcFigureState *state)
{
	memset(state, 0, sizeof(*state));
	switch (figure->kind)
	{
		case SDC_FIGURE_COUNT:
			break;
		case SDC_FIGURE_SUM:
			state->sum = palloc(sizeof(SdcDpSum));
			*state->sum = figure->sum;
			break;
		case SDC_FIGURE_AVG:
		case SDC_FIGURE_VAR:
		case SDC_FIGURE_STDDEV:
			state->moments = palloc(sizeof(SdcDpMoments));
			*state->moments = figure->moments;
			break;
		case SDC_FIGURE_MEDIAN:
		case SDC_FIGURE_QUANTILE:
			state->cell = palloc0(figure->range.cells * sizeof(uint64_t));
			break;
		case SDC_FIGURE_MODE:
			state->score =
				palloc0(figure->column->categories * sizeof(int64_t));
			break;
	}
}

void
sdcpg_figure_add(const SdcFigure *figure, SdcFigureState *state,
				 const SdcFigureValue *value)
{
	bool known;

	switch (figure->kind)
	{
		case SDC_FIGURE_COUNT:
			state->count++;
			break;
		case SDC_FIGURE_SUM:
			if (!figure->whole)
				sdc_dp_sum_add(state->sum, value->number);
			else if (value->whole != SDC_FIGURE_MISSING)
				sdc_dp_sum_add_integer(state->sum, value->whole);
			break;
		case SDC_FIGURE_MEDIAN:
		case SDC_FIGURE_QUANTILE:
			/* a NaN takes as much work as a number */
			known = !isnan(value->number);
			state->cell[sdc_dp_quantile_cell(
				&figure->range, known ? value->number
									  : figure->range.lower / 2 +
											figure->range.upper / 2)] += known;
			break;
		case SDC_FIGURE_MODE:
			if (value->whole != SDC_FIGURE_MISSING)
				state->score[value->whole]++;
			break;
		default:
			sdc_dp_moments_add(state->moments, value->number);
	}
}

static Datum
numeric_of_integer(SdcInt128 value)
{
	SdcUint128 size = value < 0 ? -(SdcUint128) value : (SdcUint128) value;
	char digits[48];
	char *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do
	{
		*--first = (char) ('0' + (int) (size % 10));
		size /= 10;
	} while (size > 0);
	if (value < 0)
		*--first = '-';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(first),
							   ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

static Datum
numeric_of_double(double value)
{
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(value));
}

static double
choose_quantile(const SdcFigure *figure, const SdcFigureState *state)
{
	SdcPgHost *host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	SdcDpQuantileFraction fraction =
		sdc_dp_quantile_fraction(figure->fraction);
	uint32_t cell = sdc_dp_quantile_choose(
		&host->kernel, sdcpg_strong_bits(), state->cell, figure->range.cells,
		&fraction, figure->neighbours, figure->epsilon);

	sdcpg_host_end(host);
	return sdc_dp_quantile_value(&figure->range, cell);
}

static const char *
choose_mode(const SdcFigure *figure, const SdcFigureState *state)
{
	SdcPgHost *host = sdcpg_host_begin(NULL, CurrentMemoryContext);
	SdcSelectionRate rate;
	size_t chosen;

	sdc_selection_rate(1, figure->neighbours == SDC_NEIGHBOURS_ADD_REMOVE,
					   figure->epsilon, &rate);
	chosen = sdc_selection_permute_and_flip(&host->kernel, sdcpg_strong_bits(),
											&rate, state->score,
											figure->column->categories);
	sdcpg_host_end(host);
	return figure->column->category[chosen];
}

SdcFigureAnswer
sdcpg_figure_release(const SdcFigure *figure, const SdcFigureState *state)
{
	SdcStrongBits *bits = sdcpg_strong_bits();
	SdcFigureAnswer answer = {0};

	switch (figure->kind)
	{
		case SDC_FIGURE_COUNT:
			answer.number =
				numeric_of_integer(state->count + sdc_discrete_laplace_draw(
													  bits, &figure->noise));
			break;
		case SDC_FIGURE_SUM:
			answer.number =
				figure->whole
					? numeric_of_integer(
						  sdc_dp_sum_release_integer(state->sum, bits))
					: numeric_of_double(sdc_dp_sum_release(state->sum, bits));
			break;
		case SDC_FIGURE_AVG:
			answer.number =
				numeric_of_double(sdc_dp_moments_mean(state->moments, bits));
			break;
		case SDC_FIGURE_VAR:
			answer.number = numeric_of_double(
				sdc_dp_moments_variance(state->moments, bits));
			break;
		case SDC_FIGURE_STDDEV:
			answer.number = numeric_of_double(
				sdc_dp_moments_deviation(state->moments, bits));
			break;
		case SDC_FIGURE_MEDIAN:
		case SDC_FIGURE_QUANTILE:
			answer.number = numeric_of_double(choose_quantile(figure, state));
			break;
		case SDC_FIGURE_MODE:
			answer.category = choose_mode(figure, state);
			break;
	}
	return answer;
}
