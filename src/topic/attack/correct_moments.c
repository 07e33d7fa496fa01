/*
 * correct_moments.c
 *		sdc.correct_moments: what an honest user makes of published rules.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/float.h"
#include "utils/guc.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/dictionary.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/mask/pram.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/utility/loss.h"
#include "topic/mask/pram.h"
#include "topic/mask/rules.h"

/* ----------------------------------------------------------------------
 * Moments of the original, from the masked relation and its rules.
 *
 * What a rule does to moments is known for few methods: some leave a column's
 * own values alone, noise adds a known variance, means of groups keep the
 * mean.  Of the others nothing is claimed.
 * ----------------------------------------------------------------------
 */

typedef struct Column
{
	const char *name;
	const SdcRule *rule;
	SdcMaskLeaves leaves;
	double alpha; /* of noise; else 0 */
	/* what is left of a covariance with other columns; NaN: not known */
	double kept;
} Column;

static Column
describe_column(const SdcRelation *masked, const SdcRelationColumn *column,
				const SdcRules *rules)
{
	Column known = {column->name, sdcpg_rules_of(rules, column->number)};

	known.leaves =
		known.rule == NULL ? SDC_MASK_LEAVES_ALL : known.rule->method->leaves;
	if (known.leaves == SDC_MASK_LEAVES_VARIANCE)
		known.alpha = sdcpg_rule_number(known.rule, "alpha");
	known.kept = known.leaves == SDC_MASK_LEAVES_ALL ||
						 known.leaves == SDC_MASK_LEAVES_VARIANCE
					 ? 1
					 : get_float8_nan();
	/* what goes along with other columns between strata stays */
	if (known.leaves == SDC_MASK_LEAVES_MOMENTS &&
		sdcpg_rule_strata(known.rule, masked).count == 0)
		known.kept = 1 / sqrt(1 + sdcpg_rule_number(known.rule, "alpha"));
	return known;
}

/* A share that is less cannot be divided by: chance is all that is left. */
#define LEAST_KEPT 0.05

/* The swaps by which it is found; any number will do. */
#define KEPT_SEED 1

/*
 * What rank swapping has left of the covariances of a column: its values are
 * those of the original, so an honest user swaps them again.  In strata it is
 * another share in each, which is not told.
 */
static void
find_kept(SdcHost *host, const SdcRelation *masked, Column *column,
		  const double *value, int32 rows)
{
	double *sorted;
	uint64 *key;
	int32 *row;
	int32 n = 0;
	int32 i;

	if (column->rule == NULL ||
		column->rule->method->likelihood != SDC_LIKELIHOOD_RANKS ||
		sdcpg_rule_strata(column->rule, masked).count > 0)
		return;
	sorted = sdc_new(host, double, (Size) rows + 1);
	key = sdc_new(host, uint64, (Size) rows + 1);
	row = sdc_new(host, int32, (Size) rows + 1);
	for (i = 0; i < rows; i++)
		if (!isnan(value[i]))
		{
			key[n] = sdc_sort_key(value[i]);
			row[n++] = i;
		}
	sdc_sort_keys(host, key, row, n);
	for (i = 0; i < n; i++)
		sorted[i] = value[row[i]];
	column->kept = sdc_rank_swap_kept(
		host, (SdcRankSwapMethod) sdcpg_rule_variant(column->rule), sorted, n,
		sdc_rank_swap_window(sdcpg_rule_number(column->rule, "p"), n),
		KEPT_SEED);
	if (column->kept < LEAST_KEPT)
		column->kept = get_float8_nan();
	host->release(host, sorted);
	host->release(host, key);
	host->release(host, row);
}

/* The columns in an order of rows that only the values decide. */
static double **
read_columns(SdcPgHost *host, const SdcRelation *masked,
			 const SdcRelationColumns *columns, int32 *rows)
{
	SdcHost *kernel = &host->kernel;
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (columns->count + 1));
	double **value = palloc(sizeof(double *) * columns->count);
	SdcFrame *frame;
	uint64_t *digest;
	const int32_t *order;
	int32 i;
	int j;

	types[0] = SDC_FRAME_TEXT;
	for (j = 0; j < columns->count; j++)
		types[j + 1] = SDC_FRAME_NUMBER;
	frame = sdcpg_frame_load(host, sdcpg_query_records(masked, NULL, columns),
							 columns->count + 1, types);
	*rows = frame->rows;
	digest = sdc_new(kernel, uint64_t, (Size) frame->rows + 1);
	memset(digest, 0, sizeof(uint64_t) * frame->rows);
	for (j = 0; j < columns->count; j++)
	{
		const SdcFrameColumn *column = &frame->column[j + 1];

		for (i = 0; i < frame->rows; i++)
			if (column->isnull[i])
				column->number[i] = get_float8_nan();
		sdc_record_order_mix(kernel, column->number, NULL, frame->rows,
							 digest);
	}
	order = sdc_record_order_sort(kernel, digest, NULL, frame->rows);
	for (j = 0; j < columns->count; j++)
	{
		value[j] = sdc_new(kernel, double, (Size) frame->rows + 1);
		for (i = 0; i < frame->rows; i++)
			value[j][i] = frame->column[j + 1].number[order[i]];
	}
	return value;
}

static void
put_column(SdcReport *report, const Column *column, double mean,
		   double variance)
{
	bool has_mean = column->leaves != SDC_MASK_LEAVES_NOTHING;
	bool has_variance = has_mean && column->leaves != SDC_MASK_LEAVES_MEAN;

	sdcpg_report_put(report, "mean", column->name,
					 has_mean ? mean : get_float8_nan(),
					 has_mean ? "The masked column has %g, and the mask does "
								"not change it on average."
							  : "The masked column has %g; the rule does not "
								"tell what it was.",
					 mean);
	sdcpg_report_put(
		report, "variance", column->name,
		has_variance ? variance / (1 + column->alpha) : get_float8_nan(),
		column->leaves == SDC_MASK_LEAVES_VARIANCE
			? "The masked column has %g, of which noise is "
			  "the part alpha / (1 + alpha)."
		: column->leaves == SDC_MASK_LEAVES_MOMENTS
			? "The masked column has %g, and the mask does not change it."
		: has_variance ? "The masked column has %g, and the mask keeps its "
						 "values."
		: column->leaves == SDC_MASK_LEAVES_MEAN
			? "The masked column has %g; it was no less, on average."
			: "The masked column has %g; the rule does not tell what it was.",
		variance);
}

/* What noise has left of a covariance: its part of the masked one. */
static double
kept_share(const Column *a, const Column *b)
{
	if (a->leaves == SDC_MASK_LEAVES_VARIANCE && a->rule == b->rule &&
		a->rule != NULL)
		return 1 / (1 + a->alpha);
	return 1;
}

/* What masks have left of the covariance of two columns; NaN: unknown. */
static double
kept_of_both(const Column *a, const Column *b)
{
	if (a->leaves == SDC_MASK_LEAVES_MOMENTS && a->rule == b->rule)
		return 1;
	return a->kept * b->kept;
}

/* What is said of a figure of a pair; noise is of correlations. */
static char *
pair_sentence(double kept, double figure, const char *noise)
{
	if (isnan(kept))
		return psprintf("The masked columns have %g; the rules do not tell "
						"what it was.",
						figure);
	if (kept == 1)
		return psprintf("The masked columns have %g%s.", figure, noise);
	return psprintf("The masked columns have %g, and the masks leave %.3f of "
					"it where one column is linear in the other.",
					figure, kept);
}

static void
put_pair(SdcReport *report, const Column *a, const Column *b,
		 const SdcMoments *moments, int j, int l)
{
	char *subject = psprintf("%s, %s", a->name, b->name);
	double covariance = moments->covariance[j * moments->columns + l];
	double correlation = moments->correlation[j * moments->columns + l];
	double kept = kept_of_both(a, b);
	double share = kept_share(a, b) / kept;
	double scale = sqrt((1 + a->alpha) * (1 + b->alpha));

	sdcpg_report_put(report, "covariance", subject, covariance * share, "%s",
					 pair_sentence(kept, covariance, ""));
	sdcpg_report_put(report, "correlation", subject,
					 correlation * share * scale, "%s",
					 pair_sentence(kept, correlation,
								   ", which noise can only have "
								   "weakened"));
}

/*
 * For each column of numbers of a masked relation what its mean and variance
 * were before it was masked, and for each pair the covariance and the
 * correlation: NULL where the rules do not tell.  Noise with the variance
 * alpha Var(X) is taken out: Var(X) = Var(X') / (1 + alpha); independent noise
 * leaves covariances alone, and noise that was drawn with the correlations of
 * its columns divides them by 1 + alpha, too (Karr 2009; Torra 2016).  Rank
 * swapping divides them by the correlation of a column with itself swapped.
 * Rows that lack a value are left out of what needs it.
 */
static void
report_moments(SdcReport *report, SdcPgHost *host, const SdcRelation *masked,
			   const SdcRelationColumns *columns, const SdcRules *rules)
{
	Column *column = palloc(sizeof(Column) * columns->count);
	double **value;
	const SdcMoments *moments;
	int32 rows;
	int j;
	int l;

	value = read_columns(host, masked, columns, &rows);
	for (j = 0; j < columns->count; j++)
	{
		column[j] = describe_column(masked, &columns->column[j], rules);
		find_kept(&host->kernel, masked, &column[j], value[j], rows);
	}
	moments = sdc_moments_measure(&host->kernel, rows, columns->count,
								  (const double *const *) value);
	for (j = 0; j < columns->count; j++)
		put_column(report, &column[j], moments->mean[j], moments->variance[j]);
	for (j = 0; j < columns->count; j++)
		for (l = j + 1; l < columns->count; l++)
			put_pair(report, &column[j], &column[l], moments, j, l);
}

/* ----------------------------------------------------------------------
 * Frequencies of a column whose categories were drawn anew.
 * ----------------------------------------------------------------------
 */

/* The categories of a masked column, and how many records have each. */
typedef struct Categories
{
	int32 size;
	SdcDictionary *dictionary;
	double *count; /* by place in the matrix, or by code without one */
	SdcPramMatrix *matrix;
	int32 unknown; /* masked values that the matrix does not know */
} Categories;

static Categories
read_categories(SdcPgHost *host, const SdcRelation *masked,
				const SdcRelationColumn *column, const SdcRule *rule)
{
	SdcHost *kernel = &host->kernel;
	SdcFrameType types[] = {SDC_FRAME_CODE, SDC_FRAME_COUNT};
	SdcDictionary *dictionary[] = {
		sdcpg_dictionary_new(host, TEXTOID, C_COLLATION_OID), NULL};
	Categories found = {0};
	int level = NewGUCNestLevel();
	const int32 *rank;
	SdcFrame *frame;
	int32 i;

	/* as they were printed when they were masked */
	sdcpg_print_alike();
	frame = sdcpg_frame_load_codes(host, sdcpg_query_groups(masked, column, 1),
								   2, types, dictionary);
	AtEOXact_GUC(true, level);
	rank = sdcpg_dictionary_sort(dictionary[0]);
	found.dictionary = dictionary[0];
	found.size = sdcpg_dictionary_values(dictionary[0]);
	if (rule->method->likelihood == SDC_LIKELIHOOD_MATRIX)
	{
		found.matrix = sdcpg_pram_matrix_of(rule);
		found.size = found.matrix->size;
	}
	found.count = sdc_new(kernel, double, (Size) found.size + 1);
	memset(found.count, 0, sizeof(double) * found.size);
	for (i = 0; i < frame->rows; i++)
	{
		int32 code = frame->column[0].code[i];
		char *text;

		if (code == SDC_CODE_NULL)
			continue;
		code = rank[code];
		text = sdcpg_dictionary_text(dictionary[0], code);
		if (found.matrix != NULL)
			code = sdcpg_pram_place(found.matrix, text, strlen(text));
		if (code < 0)
			found.unknown += (int32) frame->column[1].count[i];
		else
			found.count[code] += (double) frame->column[1].count[i];
	}
	return found;
}

/* The matrix of a share that stays: p I + (1 - p) 1 v'. */
static double *
retention_matrix(SdcHost *host, const Categories *of, double p)
{
	double *chance = sdc_new(host, double, (Size) of->size * of->size + 1);
	double all = 0;
	Size a;
	int32 b;

	for (b = 0; b < of->size; b++)
		all += of->count[b];
	for (a = 0; a < of->size; a++)
		for (b = 0; b < of->size; b++)
			chance[a * of->size + b] =
				(1 - p) * of->count[b] / all + ((int32) a == b ? p : 0);
	return chance;
}

/* What the counts were, and the variance of that; false: not to be told. */
static bool
estimate_counts(SdcHost *host, const Categories *of, const SdcRule *rule,
				double *estimate, double *variance)
{
	Size chances = (Size) of->size * of->size;
	double *chance;

	if (of->matrix != NULL && sdcpg_rule_variant(rule) == SDC_PRAM_GIVEN)
		return sdc_pram_estimate(host, of->size, of->matrix->chance, of->count,
								 estimate, variance);
	if (of->matrix == NULL)
		chance =
			retention_matrix(host, of, sdcpg_rule_number(rule, "p") / 100);
	else
	{
		chance = sdc_new(host, double, chances);
		sdc_pram_invariant(host, of->size, of->matrix->chance, of->count,
						   chance);
	}
	memcpy(estimate, of->count, sizeof(double) * of->size);
	sdc_pram_spread(of->size, chance, of->count, variance);
	return true;
}

/* The lines of one category. */
static void
put_category(SdcReport *report, const Categories *of, const Column *column,
			 int32 place, const double *estimate, double error)
{
	char *text = of->matrix != NULL
					 ? of->matrix->name[place]
					 : sdcpg_dictionary_text(of->dictionary, place);

	sdcpg_report_example(report, "frequency", column->name, estimate[place],
						 text, "The masked column has %.0f such values.",
						 of->count[place]);
	sdcpg_report_example(
		report, "standard_error", column->name, error, text, "%s",
		isnan(error) ? "The chances of strata are not known from all of them."
					 : "Of the frequency, by the draws of the mask alone.");
}

/*
 * How often each category occurred in the original, for a column that was
 * post-randomised: counts of the masked column, by the inverse of a matrix
 * that is given, and by themselves where the mask keeps them on average.
 */
static void
report_frequencies(SdcReport *report, SdcPgHost *host,
				   const SdcRelation *masked, const SdcRelationColumn *column,
				   const SdcRules *rules)
{
	SdcHost *kernel = &host->kernel;
	Column of = describe_column(masked, column, rules);
	Categories found = read_categories(host, masked, column, of.rule);
	double *estimate = sdc_new(kernel, double, (Size) found.size + 1);
	double *variance = sdc_new(kernel, double, (Size) found.size + 1);
	/* rows of a matrix that is made depend on the stratum */
	bool told = (found.matrix != NULL &&
				 sdcpg_rule_variant(of.rule) == SDC_PRAM_GIVEN) ||
				sdcpg_rule_strata(of.rule, masked).count == 0;
	int32 i;

	if (found.size > SDC_PRAM_CATEGORIES || found.unknown > 0 ||
		!estimate_counts(kernel, &found, of.rule, estimate, variance))
	{
		sdcpg_report_put(
			report, "frequency", of.name, get_float8_nan(), "%s",
			found.size > SDC_PRAM_CATEGORIES
				? psprintf("The masked column has more than %d categories.",
						   SDC_PRAM_CATEGORIES)
			: found.unknown > 0
				? psprintf("The matrix of the rule does not have %d of the "
						   "masked values.",
						   found.unknown)
				: "The matrix has no inverse, so it has mixed categories for "
				  "good.");
		return;
	}
	for (i = 0; i < found.size; i++)
		put_category(report, &found, &of, i, estimate,
					 told ? sqrt(variance[i]) : get_float8_nan());
}

/* Were the categories of a column drawn anew by its rule? */
static bool
is_drawn(const SdcRelationColumn *column, const SdcRules *rules)
{
	const SdcRule *rule = sdcpg_rules_of(rules, column->number);

	return rule != NULL && (rule->method->likelihood == SDC_LIKELIHOOD_PRAM ||
							rule->method->likelihood == SDC_LIKELIHOOD_MATRIX);
}

/* Reads a masked relation as the caller and adds all lines. */
static void
correction_report(SdcReport *report, SdcPgHost *host,
				  const SdcRelation *masked, const SdcRelationColumns *columns,
				  const SdcRules *rules)
{
	SdcRelationColumns numbers = {0};
	int j;

	numbers.column = palloc(sizeof(SdcRelationColumn) * columns->count);
	for (j = 0; j < columns->count; j++)
		if (!is_drawn(&columns->column[j], rules))
			numbers.column[numbers.count++] = columns->column[j];
	sdcpg_relation_need_numbers(masked, &numbers);
	if (numbers.count > 0)
		report_moments(report, host, masked, &numbers, rules);
	for (j = 0; j < columns->count; j++)
		if (is_drawn(&columns->column[j], rules))
			report_frequencies(report, host, masked, &columns->column[j],
							   rules);
}

/* ----------------------------------------------------------------------
 * sdc.correct_moments: what an honest user makes of published rules.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_correct_moments);

static const char *const lines[] = {
	"mean",      "variance",       "covariance", "correlation",
	"frequency", "standard_error", NULL};

/* correct_moments(masked regclass, rules jsonb, columns columns) */
Datum
sdcf_correct_moments(PG_FUNCTION_ARGS)
{
	SdcReport *report;
	SdcRelation *masked;
	SdcRelationColumns columns;
	SdcRules rules;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 3);
	masked = sdcpg_relation_find(PG_GETARG_OID(0));
	columns =
		sdcpg_relation_columns(masked, "columns", PG_GETARG_ARRAYTYPE_P(2));
	rules = sdcpg_rules_read(PG_GETARG_JSONB_P(1), masked);
	report = sdcpg_report_begin(fcinfo, lines, lengthof(lines) - 1, NULL);
	host = sdcpg_host_begin("correct_moments", CurrentMemoryContext);
	correction_report(report, host, masked, &columns, &rules);
	sdcpg_host_end(host);
	return (Datum) 0;
}
