/*
 * utility.c
 *		sdc.utility_report: what a masked relation is still good for.
 *
 * Both relations are read once (topic/utility/contrast.h); the measures of a
 * family are put together, by the function that their rows of the registry
 * name.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/model/logistic.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"
#include "kernel/utility/loss.h"
#include "kernel/utility/propensity.h"
#include "topic/generalization/hierarchy.h"
#include "topic/registry/measures.h"
#include "topic/registry/roles.h"
#include "topic/utility/contrast.h"
#include "topic/utility/utility.h"

/* ----------------------------------------------------------------------
 * Lines of a report on utility, shown worst column first.
 * ----------------------------------------------------------------------
 */

#define FIRST_ROOM 64

static SdcUtilityLine *
next_line(SdcUtilityLines *lines)
{
	if (lines->room == 0)
	{
		lines->room = FIRST_ROOM;
		lines->line = palloc(sizeof(SdcUtilityLine) * FIRST_ROOM);
	}
	else if (lines->count == lines->room)
	{
		lines->room *= 2;
		lines->line =
			repalloc(lines->line, sizeof(SdcUtilityLine) * lines->room);
	}
	return &lines->line[lines->count];
}

/* The place of a measure, as first added. */
static int
find_measure(SdcUtilityLines *lines, const char *name)
{
	int i;

	for (i = 0; i < lines->count; i++)
		if (strcmp(lines->line[i].name, name) == 0)
			return lines->line[i].measure;
	return lines->measures++;
}

void
sdcpg_utility_lines_add(SdcUtilityLines *lines, const char *name,
						const char *subject, double value, const char *format,
						...)
{
	int measure = find_measure(lines, name);
	SdcUtilityLine *line = next_line(lines);
	va_list args;

	va_start(args, format);
	line->detail = sdcpg_result_sentence(format, args);
	va_end(args);
	line->measure = measure;
	line->all = subject == NULL;
	line->name = name;
	line->subject = subject == NULL ? SDC_ALL_COLUMNS : subject;
	line->value = value;
	line->worse = value;
	line->number = lines->count++;
}

const char *
sdcpg_utility_lines_columns(int columns)
{
	return psprintf(columns == 1 ? "%d column" : "%d columns", columns);
}

void
sdcpg_utility_lines_turn(SdcUtilityLines *lines)
{
	SdcUtilityLine *line = &lines->line[lines->count - 1];

	line->worse = -line->value;
}

static int
compare_lines(const void *a, const void *b)
{
	const SdcUtilityLine *x = a;
	const SdcUtilityLine *y = b;

	if (x->measure != y->measure)
		return x->measure < y->measure ? -1 : 1;
	if (x->all != y->all)
		return x->all ? -1 : 1;
	if (isnan(x->worse) != isnan(y->worse))
		return isnan(x->worse) ? 1 : -1;
	if (x->worse != y->worse && !isnan(x->worse))
		return x->worse > y->worse ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Returns rows of sdc.measure: the measures as first added, of each the line
 * of all columns and then the columns, worst first and those without a value
 * last.
 */
static void
put_lines(SdcUtilityLines *lines, ReturnSetInfo *result)
{
	int i;

	if (lines->count > 0)
		qsort(lines->line, lines->count, sizeof(SdcUtilityLine),
			  compare_lines);
	for (i = 0; i < lines->count; i++)
	{
		const SdcUtilityLine *line = &lines->line[i];

		sdcpg_result_measure(result, line->name, line->subject, line->value,
							 isnan(line->value), line->detail);
	}
}

/* ----------------------------------------------------------------------
 * What masking does to means, variances, covariances and correlations.
 *
 * Both relations are measured as they are, each with all its records.
 * ----------------------------------------------------------------------
 */

/* The columns that are numbers, and their moments. */
typedef struct Numbers
{
	int columns;
	int *place;
	SdcMoments *original;
	SdcMoments *masked;
} Numbers;

static void
measure_numbers(const SdcContrast *comparison, Numbers *numbers)
{
	SdcHost *kernel = &comparison->host->kernel;
	const double **original =
		palloc(sizeof(double *) * (comparison->columns + 1));
	const double **masked =
		palloc(sizeof(double *) * (comparison->columns + 1));
	int j;

	numbers->columns = 0;
	numbers->place = palloc(sizeof(int) * (comparison->columns + 1));
	for (j = 0; j < comparison->columns; j++)
	{
		if (!comparison->column[j].number)
			continue;
		original[numbers->columns] = comparison->original.number[j];
		masked[numbers->columns] = comparison->masked.number[j];
		numbers->place[numbers->columns++] = j;
	}
	numbers->original = sdc_moments_measure(kernel, comparison->original.rows,
											numbers->columns, original);
	numbers->masked = sdc_moments_measure(kernel, comparison->masked.rows,
										  numbers->columns, masked);
}

void
sdcpg_utility_add(SdcUtility *utility, const char *measure,
				  const char *subject, double value, const char *sentence)
{
	if (sdcpg_report_wants(utility->report, measure))
		sdcpg_utility_lines_add(&utility->lines, measure, subject, value, "%s",
								sentence);
}

static void
add_column(SdcUtility *utility, const Numbers *numbers, int j)
{
	const char *subject =
		utility->comparison.column[numbers->place[j]].subject;
	SdcMomentsDifference difference =
		sdc_moments_compare_column(numbers->original, numbers->masked, j);

	sdcpg_utility_add(
		utility, "mean", subject, difference.mean,
		isnan(difference.mean)
			? "The original mean is 0, or there are no values."
			: "Difference of the means, relative to the original one.");
	sdcpg_utility_add(
		utility, "variance", subject, difference.variance,
		isnan(difference.variance)
			? "The original variance is 0, or there are too few values."
			: "Difference of the variances, relative to the original "
			  "one.");
	sdcpg_utility_add(
		utility, "covariance", subject, difference.covariance,
		"Mean relative difference of the covariances with the other "
		"columns.");
	sdcpg_utility_add(
		utility, "correlation", subject, difference.correlation,
		"Mean difference of the correlations with the other columns.");
}

static void
add_all(SdcUtility *utility, const Numbers *numbers)
{
	int undefined;
	SdcMomentsDifference difference =
		sdc_moments_compare(numbers->original, numbers->masked, &undefined);
	char *left_out =
		undefined == 0
			? ""
			: "; figures that are 0 or unknown in the original are left out";

	sdcpg_utility_add(
		utility, "mean", NULL, difference.mean,
		psprintf("Mean relative difference of the means of %s of "
				 "numbers%s.",
				 sdcpg_utility_lines_columns(numbers->columns), left_out));
	sdcpg_utility_add(
		utility, "variance", NULL, difference.variance,
		psprintf("Mean relative difference of the variances%s.", left_out));
	sdcpg_utility_add(
		utility, "covariance", NULL, difference.covariance,
		psprintf("Mean relative difference of the covariances%s.", left_out));
	sdcpg_utility_add(
		utility, "correlation", NULL, difference.correlation,
		"Mean difference of the correlations of all pairs of columns.");
}

/*
 * The correlations of the columns that have one in both relations; returns how
 * many columns these are.
 */
static int
copy_correlations(SdcHost *kernel, const Numbers *numbers, double **original,
				  double **masked)
{
	int columns = numbers->columns;
	int *kept = palloc(sizeof(int) * (columns + 1));
	int count = 0;
	int j;
	int l;

	for (j = 0; j < columns; j++)
		if (numbers->original->variance[j] > 0 &&
			numbers->masked->variance[j] > 0)
			kept[count++] = j;
	*original = sdc_new(kernel, double, count *count);
	*masked = sdc_new(kernel, double, count *count);
	for (j = 0; j < count; j++)
		for (l = 0; l < count; l++)
		{
			int at = kept[j] * columns + kept[l];
			double x = numbers->original->correlation[at];
			double y = numbers->masked->correlation[at];

			/* two columns that never have a value together */
			(*original)[j * count + l] = isnan(x) ? 0 : x;
			(*masked)[j * count + l] = isnan(y) ? 0 : y;
		}
	return count;
}

static void
add_structure(SdcUtility *utility, const Numbers *numbers)
{
	SdcHost *kernel = &utility->comparison.host->kernel;
	double *original;
	double *masked;
	int columns = copy_correlations(kernel, numbers, &original, &masked);
	int dropped = 0;
	double value;

	value = columns == 0 ? NAN
						 : sdc_correlation_loss_eigen(kernel, original, masked,
													  columns, &dropped);
	sdcpg_utility_add(
		utility, "eigenvalues", NULL, value,
		psprintf("Sum of relative differences of the eigenvalues of the "
				 "correlations of %s; %d that are zero in the "
				 "original are left out.",
				 sdcpg_utility_lines_columns(columns), dropped));
	if (columns < 3)
	{
		sdcpg_utility_add(
			utility, "inverse_correlations", NULL, NAN,
			"Needs at least three columns of numbers that vary: it is "
			"always 0 for two.");
		return;
	}
	value = sdc_correlation_loss_inverse(kernel, original, masked, columns);
	sdcpg_utility_add(
		utility, "inverse_correlations", NULL, value,
		isnan(value) ? "The correlation matrix has no inverse: a column is a "
					   "combination of others."
					 : psprintf("Distance of the normalized diagonals of the "
								"inverse correlations of %s.",
								sdcpg_utility_lines_columns(columns)));
}

/* mean, variance, covariance, correlation, eigen, inverse_correlations. */
void
sdcpg_utility_moments(SdcUtility *utility)
{
	static const char *const measures[] = {
		"mean",        "variance",    "covariance",
		"correlation", "eigenvalues", "inverse_correlations"};
	Numbers numbers;
	bool wanted = false;
	int i;

	for (i = 0; i < lengthof(measures); i++)
		wanted = wanted || sdcpg_report_wants(utility->report, measures[i]);
	if (!wanted)
		return;
	measure_numbers(&utility->comparison, &numbers);
	if (numbers.columns == 0)
	{
		for (i = 0; i < lengthof(measures) && utility->named; i++)
			sdcpg_utility_add(utility, measures[i], NULL, NAN,
							  "No column is a number in both relations.");
		return;
	}
	add_all(utility, &numbers);
	for (i = 0; i < numbers.columns; i++)
		add_column(utility, &numbers, i);
	add_structure(utility, &numbers);
}

/* ----------------------------------------------------------------------
 * Differences between originals and their masked values.
 *
 * Numbers are measured by the deviation of all originals of their column;
 * categories are equal or not, or apart by ranks.
 * ----------------------------------------------------------------------
 */

/* Means over columns, as far as they have a value. */
typedef struct Means
{
	SdcMean il1s;
	SdcMean il1;
	SdcMean variables;
	double squares;
	double total;
	int numbers;
} Means;

/* What is missing in how many pairs, as the end of a sentence. */
static char *
tell_pairs(const SdcPairLoss *loss)
{
	return loss->missing == 0
			   ? psprintf(INT64_FORMAT " pairs", loss->pairs)
			   : psprintf(INT64_FORMAT " pairs; in " INT64_FORMAT
									   " more the masked value is missing",
						  loss->pairs, loss->missing);
}

static void
add_number(SdcUtility *utility, int j, Means *means)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcHost *kernel = &comparison->host->kernel;
	const double *x = comparison->original.number[j];
	const char *subject = comparison->column[j].subject;
	SdcScale scale =
		sdc_scale_measure(kernel, x, NULL, comparison->original.rows, 1);
	double deviation =
		scale.weight > 1 ? sdc_scale_restore(&scale, scale.deviation) : NAN;
	SdcPairLoss loss = sdc_pair_loss_numbers(kernel, comparison->original.rows,
											 x, comparison->masked.number[j],
											 comparison->partner, deviation);
	double il1s = sdc_pair_loss_il1s(&loss, deviation);
	double il1 = loss.pairs > 0 ? loss.percent / loss.pairs : NAN;
	double angle = loss.pairs > 0 ? loss.angle / loss.pairs : NAN;
	double share = loss.total > 0 ? loss.squares / loss.total
				   : loss.squares > 0 || loss.pairs == 0 ? NAN
														 : 0;

	if (sdcpg_report_wants(utility->report, "information_loss"))
		sdcpg_utility_lines_add(
			&utility->lines, "information_loss", subject, il1s,
			"Mean of |x - x'| / (sqrt(2) deviation) of %s.",
			tell_pairs(&loss));
	if (sdcpg_report_wants(utility->report, "relative_change"))
		sdcpg_utility_lines_add(
			&utility->lines, "relative_change", subject, il1,
			"Mean of 100 |x - x'| / |x| of %s; " INT64_FORMAT
			" changes from 0 are not in it.",
			tell_pairs(&loss), loss.zeros);
	if (sdcpg_report_wants(utility->report, "value_change"))
		sdcpg_utility_lines_add(
			&utility->lines, "value_change", subject, angle,
			"Mean of (2 / pi) atan(|x - x'| / deviation) of %s.",
			tell_pairs(&loss));
	if (sdcpg_report_wants(utility->report, "relative_squared_error"))
		sdcpg_utility_lines_add(&utility->lines, "relative_squared_error",
								subject, share,
								"Squared differences over the squared "
								"deviations from the mean, of %s.",
								tell_pairs(&loss));
	sdc_mean_add(&means->il1s, il1s);
	sdc_mean_add(&means->il1, il1);
	sdc_mean_add(&means->variables, angle);
	/* columns of different units are added in units of their variance */
	if (loss.total > 0)
	{
		means->squares += loss.squares / loss.total;
		means->total++;
	}
	means->numbers++;
}

static void
add_category(SdcUtility *utility, int j, bool ordinal, Means *means)
{
	const SdcContrast *comparison = &utility->comparison;
	const SdcContrastColumn *column = &comparison->column[j];
	int64_t pairs;
	double distance = sdc_pair_loss_codes(
		&comparison->host->kernel, comparison->original.rows,
		comparison->original.code[j], comparison->masked.code[j],
		comparison->partner, ordinal ? column->values : 0, &pairs);

	if (sdcpg_report_wants(utility->report, "value_change"))
		sdcpg_utility_lines_add(
			&utility->lines, "value_change", column->subject, distance,
			ordinal ? "Mean difference of ranks over the largest possible one "
					  "of " INT64_FORMAT " pairs."
					: "Share of " INT64_FORMAT " pairs whose category was "
					  "changed or suppressed.",
			(int64) pairs);
	sdc_mean_add(&means->variables, distance);
}

static void
add_means(SdcUtility *utility, const Means *means)
{
	SdcUtilityLines *lines = &utility->lines;

	if (sdcpg_report_wants(utility->report, "information_loss"))
		sdcpg_utility_lines_add(
			lines, "information_loss", NULL, sdc_mean_of(&means->il1s),
			"Mean of %s of numbers.",
			sdcpg_utility_lines_columns(means->il1s.count));
	if (sdcpg_report_wants(utility->report, "relative_change"))
		sdcpg_utility_lines_add(
			lines, "relative_change", NULL, sdc_mean_of(&means->il1),
			"Mean of %s of numbers; depends on where zero lies, so "
			"prefer information_loss.",
			sdcpg_utility_lines_columns(means->il1.count));
	if (sdcpg_report_wants(utility->report, "value_change"))
		sdcpg_utility_lines_add(
			lines, "value_change", NULL, sdc_mean_of(&means->variables),
			"Mean of %s, numbers and categories.",
			sdcpg_utility_lines_columns(means->variables.count));
	if (sdcpg_report_wants(utility->report, "relative_squared_error"))
		sdcpg_utility_lines_add(
			lines, "relative_squared_error", NULL,
			means->total > 0 ? means->squares / means->total : NAN,
			"Mean of %s of numbers, each standardized.",
			sdcpg_utility_lines_columns((int) means->total));
}

/*
 * Differences of pairs: information_loss, relative_change, value_change,
 * relative_squared_error.
 */
void
sdcpg_utility_pairs(SdcUtility *utility)
{
	static const char *const measures[] = {"information_loss",
										   "relative_change", "value_change",
										   "relative_squared_error"};
	List *ordinal = sdcpg_params_names(utility->params, "ordinal");
	Means means;
	bool wanted = false;
	int i;
	int j;

	for (i = 0; i < lengthof(measures); i++)
	{
		if (!sdcpg_report_wants(utility->report, measures[i]))
			continue;
		wanted = true;
		if (!utility->comparison.paired && utility->named)
			sdcpg_utility_lines_add(&utility->lines, measures[i], NULL, NAN,
									"Records cannot be paired without an id.");
	}
	if (!wanted || !utility->comparison.paired)
		return;
	memset(&means, 0, sizeof(means));
	for (j = 0; j < utility->comparison.columns; j++)
	{
		const SdcContrastColumn *column = &utility->comparison.column[j];

		if (column->number)
			add_number(utility, j, &means);
		else
			add_category(
				utility, j,
				sdcpg_params_is_listed(ordinal, column->aligned.original.name),
				&means);
	}
	add_means(utility, &means);
}

/* ----------------------------------------------------------------------
 * What the classes of the masked relation cost, and the model that tells
 * the relations apart.
 *
 * A record whose keys are all NULL or "*" is suppressed, as is one that is in
 * the original only; neither is in a class.
 * ----------------------------------------------------------------------
 */

/* Classes of the masked relation without those that are suppressed. */
typedef struct Classes
{
	int64 *size;
	int32 classes;
	int64 records;
	int64 suppressed;
	int64 smallest;
} Classes;

static bool
is_star(SdcDictionary *dictionary, int32 code)
{
	char *text = sdcpg_dictionary_text(dictionary, code);
	bool star = strcmp(text, "*") == 0;

	pfree(text);
	return star;
}

/* Is every key of a cell NULL or "*"? */
static bool
is_suppressed(const SdcFrequencyTable *table, int32 cell)
{
	const SdcFrequency *frequency = table->frequency;
	int j;

	for (j = 0; j < frequency->columns; j++)
	{
		int32 code = frequency->code[j][cell];

		if (code != SDC_CODE_NULL && !is_star(table->dictionary[j], code))
			return false;
	}
	return true;
}

static void
count_classes(SdcUtility *utility, Classes *classes)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcFrequencyRequest request = {0};
	SdcRelationColumns keys = utility->keys;
	SdcFrequencyTable table;
	int32 cell;
	int j;

	keys.column = palloc(sizeof(SdcRelationColumn) * keys.count);
	for (j = 0; j < keys.count; j++)
		keys.column[j] = sdcpg_relation_column(comparison->masked.relation,
											   utility->keys.column[j].name);
	request.relation = comparison->masked.relation;
	sdcpg_frequency_want(&request, &keys);
	sdcpg_frequency_load(utility->host, &request, 1, &table);
	memset(classes, 0, sizeof(*classes));
	classes->size =
		sdc_new(&utility->host->kernel, int64, table.frequency->cells);
	classes->suppressed =
		Max(0, comparison->original.rows - comparison->masked.rows);
	for (cell = 0; cell < table.frequency->cells; cell++)
	{
		int64 size = table.frequency->count[cell];

		if (is_suppressed(&table, cell))
		{
			classes->suppressed += size;
			continue;
		}
		classes->records += size;
		classes->size[classes->classes++] = size;
		if (classes->smallest == 0 || size < classes->smallest)
			classes->smallest = size;
	}
}

static void
add_classes(SdcUtility *utility, const Classes *classes)
{
	SdcUtilityLines *lines = &utility->lines;
	char *subject = sdcpg_relation_list(&utility->keys);
	double n = Max(utility->comparison.original.rows,
				   utility->comparison.masked.rows);
	double average = classes->classes > 0
						 ? (double) classes->records / classes->classes
						 : NAN;
	int64 k = sdcpg_params_integer(utility->params, "k", classes->smallest, 0,
								   PG_INT32_MAX);
	double cost = (double) sdc_discernibility_cost(
					  &utility->host->kernel, (const int64_t *) classes->size,
					  classes->classes, 0) +
				  n * (double) classes->suppressed;

	if (sdcpg_report_wants(utility->report, "discernibility"))
		sdcpg_utility_lines_add(lines, "discernibility", subject, cost,
								"Sum of the squared sizes of %d classes, and "
								"%.0f for each of " INT64_FORMAT
								" suppressed records.",
								classes->classes, n, classes->suppressed);
	if (sdcpg_report_wants(utility->report, "average_class"))
		sdcpg_utility_lines_add(lines, "average_class", subject, average,
								INT64_FORMAT " records in %d classes.",
								classes->records, classes->classes);
	if (sdcpg_report_wants(utility->report, "normalized_average_class"))
		sdcpg_utility_lines_add(
			lines, "normalized_average_class", subject,
			k > 0 ? average / k : NAN,
			"The average class over k = " INT64_FORMAT "%s.", k,
			k == classes->smallest ? ", the smallest class there is" : "");
}

/*
 * discernibility, average_class, normalized_average_class of the classes of
 * the keys.
 */
void
sdcpg_utility_classes(SdcUtility *utility)
{
	static const char *const measures[] = {"discernibility", "average_class",
										   "normalized_average_class"};
	Classes classes;
	bool wanted = false;
	int i;

	for (i = 0; i < lengthof(measures); i++)
	{
		if (!sdcpg_report_wants(utility->report, measures[i]))
			continue;
		wanted = true;
		if (utility->keys.count == 0 && utility->named)
			sdcpg_utility_lines_add(&utility->lines, measures[i], NULL, NAN,
									"No keys are declared; name them in "
									"params.keys.");
	}
	if (!wanted || utility->keys.count == 0)
		return;
	count_classes(utility, &classes);
	add_classes(utility, &classes);
}

/* ----------------------------------------------------------------------
 * The propensity score measure of two relations.
 *
 * The columns of both relations are laid one below the other; the kernel makes
 * the model.
 * ----------------------------------------------------------------------
 */

static const SdcKey propensity_keys[] = {
	SDC_PROPENSITY_KEYS, SDC_CATEGORIES_KEY, {NULL}};

/* Both halves of a column, the original first. */
static void *
join_halves(SdcHost *kernel, const void *original, int32 above,
			const void *masked, int32 below, Size size)
{
	char *both = kernel->alloc(kernel, (size_t) above + below, size);

	memcpy(both, original, size * above);
	memcpy(both + size * above, masked, size * below);
	return both;
}

/* The columns of both relations, one below the other. */
static SdcPropensityColumn *
propensity_columns(const SdcContrast *comparison)
{
	SdcHost *kernel = &comparison->host->kernel;
	int32 above = comparison->original.rows;
	int32 below = comparison->masked.rows;
	SdcPropensityColumn *column =
		sdc_new(kernel, SdcPropensityColumn, comparison->columns);
	int j;

	kernel->stage(kernel, "fitting");
	memset(column, 0, sizeof(*column) * comparison->columns);
	for (j = 0; j < comparison->columns; j++)
	{
		if (comparison->column[j].number)
			column[j].number = join_halves(
				kernel, comparison->original.number[j], above,
				comparison->masked.number[j], below, sizeof(double));
		else
			column[j].code =
				join_halves(kernel, comparison->original.code[j], above,
							comparison->masked.code[j], below, sizeof(int32));
		column[j].values = comparison->column[j].values;
	}
	return column;
}

/*
 * Fits a logistic model of all columns of a comparison, with products when
 * params.interactions is true and params.max_levels levels of a factor.  Too
 * many parameters stop with an error.
 */
static SdcPropensity
measure_propensity(const SdcContrast *comparison, Jsonb *params)
{
	bool interactions =
		sdcpg_keys_boolean(propensity_keys, params, "interactions");
	int32 levels =
		(int32) sdcpg_keys_integer(propensity_keys, params, "max_levels");
	SdcPropensity result;
	int64_t parameters;

	result = sdc_propensity_measure(
		&comparison->host->kernel, comparison->original.rows,
		comparison->masked.rows, comparison->columns,
		propensity_columns(comparison), levels, interactions, &parameters);
	if (parameters > SDC_LOGISTIC_MAX_PARAMETERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a model of " INT64_FORMAT " parameters is too large",
						(int64) parameters),
				 errdetail("At most %d can be estimated.",
						   SDC_LOGISTIC_MAX_PARAMETERS),
				 errhint("Name fewer columns, set a smaller max_levels in "
						 "argument \"params\", or leave interactions out.")));
	return result;
}

/* The same by a tree, as params.minbucket, cp and permutations say. */
static SdcPropensity
measure_propensity_tree(const SdcContrast *comparison, Jsonb *params,
						uint64 seed)
{
	SdcPropensityTree settings = {
		(int32) sdcpg_keys_integer(propensity_keys, params, "minbucket"),
		sdcpg_keys_number(propensity_keys, params, "cp"),
		(int) sdcpg_keys_integer(propensity_keys, params, "permutations"),
		seed};

	return sdc_propensity_by_tree(&comparison->host->kernel,
								  comparison->original.rows,
								  comparison->masked.rows, comparison->columns,
								  propensity_columns(comparison), &settings);
}

/* How the fit ended, as the end of a sentence. */
static const char *
tell_end(SdcLogisticEnd end)
{
	switch (end)
	{
		case SDC_LOGISTIC_MAXIMUM:
			return "";
		case SDC_LOGISTIC_SEPARATED:
			return "; some records can be told apart with certainty";
		default:
			return "; the fit did not come to an end";
	}
}

/* The lines pmse, pmse_expected, _deviation, _ratio and _standardized. */
static void
add_propensity(const SdcPropensity *propensity, SdcUtilityLines *lines)
{
	if (isnan(propensity->pmse))
	{
		sdcpg_utility_lines_add(lines, "pmse", NULL, NAN,
								"One of the relations is empty.");
		return;
	}
	sdcpg_utility_lines_add(
		lines, "pmse", NULL, propensity->pmse,
		"Mean squared difference between the probability that a record is "
		"masked and the share %.4f of masked records; %d %s%s.",
		propensity->share, propensity->parameters,
		propensity->parameters == 1 ? "parameter" : "parameters",
		tell_end(propensity->end));
	sdcpg_utility_lines_add(lines, "pmse_expected", NULL, propensity->expected,
							"What records drawn anew from the distribution of "
							"the original would give.");
	sdcpg_utility_lines_add(lines, "pmse_deviation", NULL,
							propensity->deviation,
							"The standard deviation of that.");
	sdcpg_utility_lines_add(
		lines, "pmse_ratio", NULL, propensity->ratio,
		isnan(propensity->ratio)
			? "No column varies, so that there is nothing to tell records "
			  "apart by."
			: "pmse over pmse_expected: about 1 for records drawn anew, 0 for "
			  "the original itself.");
	sdcpg_utility_lines_add(
		lines, "pmse_standardized", NULL, propensity->standardized,
		"(pmse - pmse_expected) / pmse_deviation; within 2 of 0 for most "
		"files drawn anew.");
}

/* The lines pmse_tree, pmse_tree_expected and so on. */
static void
add_propensity_tree(const SdcPropensity *propensity, SdcUtilityLines *lines)
{
	if (isnan(propensity->pmse))
	{
		sdcpg_utility_lines_add(lines, "pmse_tree", NULL, NAN,
								"One of the relations is empty.");
		return;
	}
	sdcpg_utility_lines_add(
		lines, "pmse_tree", NULL, propensity->pmse,
		"Mean squared difference between the share of masked records in the "
		"leaf of a record and the share %.4f of masked records; %d %s.",
		propensity->share, propensity->parameters,
		propensity->parameters == 1 ? "leaf" : "leaves");
	sdcpg_utility_lines_add(lines, "pmse_tree_expected", NULL,
							propensity->expected,
							"What records drawn anew from the distribution of "
							"the original would give, by permuted files.");
	sdcpg_utility_lines_add(lines, "pmse_tree_deviation", NULL,
							propensity->deviation,
							"The standard deviation of that.");
	sdcpg_utility_lines_add(
		lines, "pmse_tree_ratio", NULL, propensity->ratio,
		isnan(propensity->ratio)
			? "No tree of permuted files has a question."
			: "pmse_tree over pmse_tree_expected: about 1 for records drawn "
			  "anew, 0 for the original itself.");
	sdcpg_utility_lines_add(
		lines, "pmse_tree_standardized", NULL, propensity->standardized,
		"(pmse_tree - pmse_tree_expected) / pmse_tree_deviation.");
}

/* ----------------------------------------------------------------------
 * sdc.propensity: can a model tell masked records from original ones?
 * ----------------------------------------------------------------------
 */

/* The pMSE and what it is held against. */
void
sdcpg_utility_propensity(SdcUtility *utility)
{
	SdcPropensity propensity;

	if (!sdcpg_report_wants(utility->report, "pmse"))
		return;
	propensity = measure_propensity(&utility->comparison, utility->params);
	add_propensity(&propensity, &utility->lines);
}

/* The same of a tree. */
void
sdcpg_utility_propensity_tree(SdcUtility *utility)
{
	SdcPropensity propensity;

	if (!sdcpg_report_wants(utility->report, "pmse_tree"))
		return;
	propensity = measure_propensity_tree(&utility->comparison, utility->params,
										 utility->seed);
	add_propensity_tree(&propensity, &utility->lines);
}

PG_FUNCTION_INFO_V1(sdcf_propensity);

typedef enum Variant
{
	VARIANT_LOGISTIC,
	VARIANT_TREE,
} Variant;

static const char *const variants[] = {"logistic", "tree", NULL};

static SdcUtilityLines
propensity_lines(const SdcContrast *comparison, Variant variant, Jsonb *params,
				 uint64 seed)
{
	SdcUtilityLines lines = {0};
	SdcPropensity propensity;

	if (variant == VARIANT_TREE)
	{
		propensity = measure_propensity_tree(comparison, params, seed);
		add_propensity_tree(&propensity, &lines);
	}
	else
	{
		propensity = measure_propensity(comparison, params);
		add_propensity(&propensity, &lines);
	}
	return lines;
}

/*
 * propensity(original regclass, masked regclass, columns columns,
 *            variant text, params jsonb, seed bigint)
 */
Datum
sdcf_propensity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	const SdcRelation *original;
	const SdcRelation *masked;
	SdcRelationColumns columns;
	SdcContrast comparison;
	SdcUtilityLines lines;
	SdcPgHost *host;
	Variant variant;

	sdcpg_args_need_first(fcinfo, 4);
	variant = sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(3), variants);
	sdcpg_params_check_keys(params, propensity_keys);
	original = sdcpg_relation_find(PG_GETARG_OID(0));
	masked = sdcpg_relation_find(PG_GETARG_OID(1));
	columns =
		sdcpg_relation_columns(original, "columns", PG_GETARG_ARRAYTYPE_P(2));
	sdcpg_contrast_describe(&comparison, original, masked, NULL, &columns,
							sdcpg_params_names(params, "categories"));
	host = sdcpg_host_begin("propensity", CurrentMemoryContext);
	sdcpg_contrast_load(&comparison, host);
	lines =
		propensity_lines(&comparison, variant, params,
						 PG_ARGISNULL(5) ? 0 : (uint64) PG_GETARG_INT64(5));
	sdcpg_host_end(host);
	put_lines(&lines, result);
	return (Datum) 0;
}

/* ----------------------------------------------------------------------
 * The report: its arguments, and its lines in order.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_utility_report);

const SdcKey sdcpg_utility_params[] = {
	{"order", SDC_KEY_INTEGER, .low = 1, .high = SDC_UTILITY_MOST_ORDER},
	{"bins", SDC_KEY_INTEGER, .low = 2, .high = 1000, .absent = "10"},
	SDC_SMOOTHING_KEY,
	SDC_CATEGORIES_KEY,
	{"ordinal", SDC_KEY_NAMES, .names = SDC_NAMES_COLUMNS},
	{"keys", SDC_KEY_NAMES, .names = SDC_NAMES_COLUMNS},
	{"k", SDC_KEY_INTEGER, .low = 0, .high = PG_INT32_MAX},
	{"queries", SDC_KEY_OBJECTS, .names = SDC_NAMES_COLUMNS},
	{"hierarchies", SDC_KEY_TEXT, .shape = SDC_KEY_ONE_OR_BY_COLUMN,
	 .need = sdcpg_hierarchy_need},
	SDC_PROPENSITY_KEYS,
	{"predict", SDC_KEY_NAMES, .names = SDC_NAMES_COLUMNS},
	{"variant", SDC_KEY_TEXT},
	{"control", SDC_KEY_TEXT, .need = sdcpg_relation_need},
	{NULL}};

/* Columns that are no numbers, whatever their types. */
List *
sdcpg_utility_categories(Jsonb *params)
{
	return list_concat(sdcpg_params_names(params, "categories"),
					   sdcpg_params_names(params, "ordinal"));
}

/* All columns of the original but those with roles that tell who it is. */
static SdcRelationColumns
find_columns(const SdcRelation *original, const SdcRelation *masked,
			 ArrayType *names, const SdcRelationColumn *id)
{
	SdcRelationColumns all;
	SdcRelationColumns others;
	SdcRelationColumns kept;
	int i;
	int j;

	if (names != NULL)
		return sdcpg_relation_columns(original, "columns", names);
	all = sdcpg_relation_all_columns(original);
	others = sdcpg_relation_all_columns(masked);
	kept.column = palloc(sizeof(SdcRelationColumn) * (all.count + 1));
	kept.count = 0;
	for (i = 0; i < all.count; i++)
		for (j = 0; j < others.count; j++)
			if (strcmp(all.column[i].name, others.column[j].name) == 0 &&
				(id == NULL || all.column[i].number != id->number))
				kept.column[kept.count++] = all.column[i];
	if (kept.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relations \"%s\" and \"%s\" have no column to "
						"compare",
						original->name, masked->name),
				 errhint("Columns are compared that have the same name in "
						 "both.")));
	return kept;
}

/* The names under a key of params, as an array; NULL when it is absent. */
static ArrayType *
names_array(Jsonb *params, const char *key)
{
	List *names = sdcpg_params_names(params, key);
	Datum *element = palloc(sizeof(Datum) * (list_length(names) + 1));
	ListCell *cell;
	int count = 0;

	if (names == NIL)
		return NULL;
	foreach (cell, names)
	{
		Name name = palloc0(NAMEDATALEN);

		namestrcpy(name, lfirst(cell));
		element[count++] = NameGetDatum(name);
	}
	return construct_array(element, count, NAMEOID, NAMEDATALEN, false,
						   TYPALIGN_CHAR);
}

/* Stops when a list of params names what is not compared. */
static void
check_listed(Jsonb *params, const char *key, const SdcRelationColumns *columns)
{
	List *names = sdcpg_params_names(params, key);
	ListCell *cell;
	int j;

	foreach (cell, names)
	{
		for (j = 0; j < columns->count; j++)
			if (strcmp(columns->column[j].name, lfirst(cell)) == 0)
				break;
		if (j == columns->count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("key \"%s\" in argument \"params\" names \"%s\", "
							"which is not one of the columns",
							key, (char *) lfirst(cell))));
	}
}

/* Looks up what the arguments name. */
static void
find_arguments(SdcUtility *utility, FunctionCallInfo fcinfo)
{
	const SdcRelation *original = sdcpg_relation_find(PG_GETARG_OID(0));
	const SdcRelation *masked = sdcpg_relation_find(PG_GETARG_OID(1));
	const SdcRelationColumn *id = NULL;
	bool keyed =
		sdcpg_report_wants(utility->report, "discernibility") ||
		sdcpg_report_wants(utility->report, "average_class") ||
		sdcpg_report_wants(utility->report, "normalized_average_class");

	id = sdcpg_roles_column(
		original, "id", PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2)),
		SDC_ROLE_ID);
	/* synthetic records have none, whatever is declared */
	if (id != NULL && PG_ARGISNULL(2) &&
		get_attnum(masked->oid, id->name) == InvalidAttrNumber)
		id = NULL;
	utility->columns =
		find_columns(original, masked,
					 PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), id);
	check_listed(utility->params, "categories", &utility->columns);
	check_listed(utility->params, "ordinal", &utility->columns);
	check_listed(utility->params, "predict", &utility->columns);
	if (keyed)
		utility->keys = sdcpg_roles_columns(
			original, "keys", names_array(utility->params, "keys"),
			SDC_ROLE_KEY);
	sdcpg_contrast_describe(&utility->comparison, original, masked, id,
							&utility->columns,
							sdcpg_utility_categories(utility->params));
}

/* Was the function of a row called for a row before it? */
static bool
is_done(const SdcMeasure *measure)
{
	const SdcMeasure *row = NULL;

	while ((row = sdcpg_measure_next(SDC_MEASURE_UTILITY, row)) != measure)
		if (row->utility == measure->utility)
			return true;
	return false;
}

/* Adds all lines; each function once. */
static void
add_lines(SdcUtility *utility)
{
	const SdcMeasure *row = NULL;

	while ((row = sdcpg_measure_next(SDC_MEASURE_UTILITY, row)) != NULL)
		if (!is_done(row))
			row->utility(utility);
}

/* How many records were compared. */
static void
add_records(SdcUtility *utility)
{
	const SdcContrast *comparison = &utility->comparison;
	bool hidden = comparison->original.relation->row_security ||
				  comparison->masked.relation->row_security;

	sdcpg_utility_lines_add(
		&utility->lines, "records",
		psprintf("%s and %s", comparison->original.relation->sql,
				 comparison->masked.relation->sql),
		comparison->paired ? comparison->pairs : comparison->masked.rows,
		"%d and %d records%s%s.", comparison->original.rows,
		comparison->masked.rows,
		comparison->paired
			? psprintf(", %d of them paired by id", comparison->pairs)
			: ", not paired, for want of an id",
		hidden ? "; row-level security may hide others from you" : "");
}

/*
 * utility_report(original regclass, masked regclass, id name, columns columns,
 *                measures text[], params jsonb, seed bigint)
 */
Datum
sdcf_utility_report(PG_FUNCTION_ARGS)
{
	SdcUtility utility;
	int usual;
	const char *const *lines =
		sdcpg_measure_asked(SDC_MEASURE_UTILITY, 0, &usual);

	memset(&utility, 0, sizeof(utility));
	sdcpg_args_need_first(fcinfo, 2);
	utility.named = !PG_ARGISNULL(4);
	utility.report =
		sdcpg_report_begin(fcinfo, lines, usual,
						   PG_ARGISNULL(4) ? NULL : PG_GETARG_ARRAYTYPE_P(4));
	utility.params = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	sdcpg_params_check_keys(utility.params, sdcpg_utility_params);
	utility.seed = PG_ARGISNULL(6) ? 0 : (uint64) PG_GETARG_INT64(6);
	find_arguments(&utility, fcinfo);
	utility.host = sdcpg_host_begin("utility_report", CurrentMemoryContext);
	sdcpg_contrast_load(&utility.comparison, utility.host);
	add_records(&utility);
	add_lines(&utility);
	put_lines(&utility.lines, utility.report->result);
	sdcpg_host_end(utility.host);
	return (Datum) 0;
}
