/*
 * generalized.c
 *		What the values of a masked column stand for.
 *
 * A label is looked up among those of the hierarchy from level 0 upwards.
 * Ranges are measured by their width, and by the original values in them.
 * "*" stands for the whole domain, as does a NULL, except for as many NULLs as
 * the original has.
 */
#include "postgres.h"

#include <math.h>

#include "utils/jsonb.h"

#include "host/call/params.h"
#include "host/call/report.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "kernel/utility/loss.h"
#include "topic/generalization/hierarchy.h"
#include "topic/utility/contrast.h"
#include "topic/utility/utility.h"

/* One value of a masked column. */
typedef struct SdcGeneralizedValue
{
	double ncp;     /* share of the domain, 0 of a single value */
	double loss;    /* the same, with a single value's own share */
	double members; /* values of the domain that it stands for */
	double records; /* original records that have one of these values */
	double level;   /* of the hierarchy */
} SdcGeneralizedValue;

typedef struct SdcGeneralized
{
	const char *unknown; /* why nothing is known of the column; or NULL */
	bool outside;        /* are there labels that its hierarchy lacks? */
	const char *how;     /* what was taken for the domain */
	int height;          /* of the hierarchy; 0 without one */
	double originals;    /* sum of c log2 c over the original values */
	SdcGeneralizedValue *value; /* by code; NULL of plain numbers */
	SdcGeneralizedValue missing;
	/* plain numbers: the originals in order */
	double *sorted;
	double *records; /* by masked row: how many originals are equal */
	size_t count;
	SdcGeneralizedValue single;
} SdcGeneralized;

/* ----------------------------------------------------------------------
 * What the values of a masked column stand for.
 * ----------------------------------------------------------------------
 */

/* A label of a hierarchy. */
typedef struct Label
{
	const char *text;
	int level;
	int32 group;
} Label;

static int
compare_labels(const void *a, const void *b)
{
	const Label *x = a;
	const Label *y = b;
	int order = strcmp(x->text, y->text);

	return order != 0 ? order : x->level - y->level;
}

static int
compare_text(const void *key, const void *label)
{
	return strcmp(key, ((const Label *) label)->text);
}

/* All labels in order; *count tells how many. */
static Label *
list_labels(SdcHost *kernel, const SdcHierarchyMap *map, size_t *count)
{
	const SdcHierarchy *groups = map->groups;
	Label *label;
	size_t n = 0;
	int level;
	int32 g;

	for (level = 0; level < groups->levels; level++)
		n += groups->groups[level];
	label = sdc_new(kernel, Label, n);
	*count = n;
	n = 0;
	for (level = 0; level < groups->levels; level++)
		for (g = 0; g < groups->groups[level]; g++)
			label[n++] = (Label){map->label[level][g], level, g};
	qsort(label, n, sizeof(Label), compare_labels);
	return label;
}

/* The label of the lowest level with that text, or NULL. */
static const Label *
find_label(const Label *label, size_t count, const char *text)
{
	const Label *found =
		bsearch(text, label, count, sizeof(Label), compare_text);

	while (found != NULL && found > label && strcmp(found[-1].text, text) == 0)
		found--;
	return found;
}

/* The original column alone, with its own type. */
static void
count_originals(const SdcContrast *comparison, int j, SdcFrequencyTable *table)
{
	SdcFrequencyRequest request = {0};

	request.relation = comparison->original.relation;
	sdcpg_frequency_want_one(&request, comparison->column[j].aligned.original);
	sdcpg_frequency_load(comparison->host, &request, 1, table);
}

/* Records in each group of each level. */
static double **
count_groups(SdcHost *kernel, const SdcHierarchy *groups,
			 const SdcFrequency *frequency)
{
	double **records = sdc_new(kernel, double *, groups->levels);
	int level;
	int32 cell;

	for (level = 0; level < groups->levels; level++)
	{
		records[level] = sdc_new(kernel, double, groups->groups[level]);
		memset(records[level], 0, sizeof(double) * groups->groups[level]);
		for (cell = 0; cell < frequency->cells; cell++)
			if (frequency->code[0][cell] != SDC_CODE_NULL)
				records[level]
					   [groups->group[level][frequency->code[0][cell]]] +=
					frequency->count[cell];
	}
	return records;
}

/* What "*" and NULL stand for. */
static void
describe_missing(SdcGeneralized *generalized, double members, double records)
{
	generalized->missing.ncp = 1;
	generalized->missing.loss = 1;
	generalized->missing.members = members;
	generalized->missing.records = records;
	generalized->missing.level = generalized->height;
}

static SdcGeneralizedValue
describe_label(const SdcHierarchyMap *map, const Label *label,
			   double *const *records, const int32 *members)
{
	SdcGeneralizedValue value;
	double share = map->share[label->level][label->group];

	value.members =
		map->domain > 0 ? rint(share * map->domain) : members[label->group];
	value.ncp = label->level == 0 || value.members <= 1 ? 0 : share;
	value.loss = share;
	value.records = records[label->level][label->group];
	value.level = label->level;
	return value;
}

static void
find_by_hierarchy(const SdcContrast *comparison, int j, const char *hierarchy,
				  SdcGeneralized *generalized)
{
	SdcHost *kernel = &comparison->host->kernel;
	const SdcContrastColumn *column = &comparison->column[j];
	SdcFrequencyTable table;
	SdcHierarchyMap *map;
	double **records;
	int32 **members;
	Label *label;
	size_t labels;
	int32 v;

	count_originals(comparison, j, &table);
	map =
		sdcpg_hierarchy_load(comparison->host, hierarchy, table.dictionary[0]);
	records = count_groups(kernel, map->groups, table.frequency);
	members = sdc_new(kernel, int32 *, map->groups->levels);
	for (v = 0; v < map->groups->levels; v++)
		members[v] = sdc_hierarchy_members(kernel, map->groups, v);
	label = list_labels(kernel, map, &labels);
	generalized->how = "by the hierarchy";
	generalized->height = map->groups->levels - 1;
	generalized->value = sdc_new(kernel, SdcGeneralizedValue, column->values);
	describe_missing(generalized,
					 map->domain > 0 ? map->domain : map->groups->values,
					 comparison->original.rows);
	for (v = 0; v < column->values; v++)
	{
		const char *text = sdcpg_dictionary_text(column->dictionary, v);
		const Label *found = find_label(label, labels, text);

		if (found != NULL)
			generalized->value[v] =
				describe_label(map, found, records, members[found->level]);
		else if (strcmp(text, "*") == 0)
			generalized->value[v] = generalized->missing;
		else
			generalized->value[v].ncp = NAN;
	}
}

/* The original numbers in order, and how many of them differ. */
static double
sort_originals(const SdcContrast *comparison, int j,
			   SdcGeneralized *generalized)
{
	double different = 0;
	size_t i;

	generalized->sorted = sdc_bins_sort(
		&comparison->host->kernel, comparison->original.number[j],
		comparison->original.rows, &generalized->count);
	for (i = 0; i < generalized->count; i++)
		different +=
			i == 0 || generalized->sorted[i] != generalized->sorted[i - 1];
	return different;
}

/*
 * Counts for each masked number the originals that are equal: both in order,
 * side by side, which spares a search for each.
 */
static void
count_equal(const SdcContrast *comparison, int j, SdcGeneralized *generalized)
{
	SdcHost *host = &comparison->host->kernel;
	const double *x = comparison->masked.number[j];
	size_t rows = comparison->masked.rows;
	uint64_t *key = sdc_new(host, uint64_t, rows);
	int32_t *row = sdc_new(host, int32_t, rows);
	const double *sorted = generalized->sorted;
	size_t count =
		(size_t) sdc_sort_numbers(host, x, (int32_t) rows, key, row);
	size_t at = 0;
	size_t first = 0;
	size_t i;

	generalized->records = sdc_new(host, double, rows);
	for (i = 0; i < count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (i == 0 || key[i] != key[i - 1])
		{
			while (at < generalized->count &&
				   sdc_sort_key(sorted[at]) < key[i])
				at++;
			for (first = at; at < generalized->count &&
							 sdc_sort_key(sorted[at]) == key[i];)
				at++;
		}
		generalized->records[row[i]] = (double) (at - first);
	}
	host->release(host, key);
	host->release(host, row);
}

/* Different values among ascending numbers first .. last - 1. */
static double
count_different(const double *sorted, size_t first, size_t last)
{
	double different = first < last;
	size_t i;

	for (i = first + 1; i < last; i++)
		different += sorted[i] != sorted[i - 1];
	return different;
}

static void
find_by_range(const SdcContrast *comparison, int j,
			  SdcGeneralized *generalized)
{
	const SdcContrastColumn *column = &comparison->column[j];
	double different = sort_originals(comparison, j, generalized);
	const double *sorted = generalized->sorted;
	size_t n = generalized->count;
	double span = n > 0 ? sorted[n - 1] - sorted[0] : 0;
	int32 v;

	generalized->how = "by the range of the original numbers";
	describe_missing(generalized, different, comparison->original.rows);
	generalized->single.loss = different > 0 ? 1 / different : NAN;
	generalized->single.members = 1;
	if (column->range == NULL)
	{
		count_equal(comparison, j, generalized);
		return;
	}
	generalized->value = sdc_new(&comparison->host->kernel,
								 SdcGeneralizedValue, column->values);
	for (v = 0; v < column->values; v++)
	{
		const SdcContrastRange *range = &column->range[v];
		SdcGeneralizedValue *value = &generalized->value[v];
		size_t first;
		size_t last;

		*value = range->all ? generalized->missing : generalized->single;
		if (range->all)
			continue;
		first = sdc_sort_below(sorted, n, range->low);
		last = sdc_sort_up_to(sorted, n, range->high);
		value->records = last - first;
		if (range->low == range->high)
			continue;
		/* wider than the domain is no worse than all of it */
		value->ncp = span > 0 ? Min(1, (range->high - range->low) / span) : 1;
		value->loss = value->ncp;
		value->members = Max(1, count_different(sorted, first, last));
	}
}

/* Categories without a hierarchy: those of the original, or nothing. */
static void
find_by_value(const SdcContrast *comparison, int j,
			  SdcGeneralized *generalized)
{
	const SdcContrastColumn *column = &comparison->column[j];
	double *records =
		sdc_new(&comparison->host->kernel, double, column->values);
	double different = 0;
	int32 v;
	int32 i;

	memset(records, 0, sizeof(double) * column->values);
	for (i = 0; i < comparison->original.rows; i++)
		if (comparison->original.code[j][i] >= 0)
			records[comparison->original.code[j][i]]++;
	for (v = 0; v < column->values; v++)
		different += records[v] > 0;
	generalized->how = "by the original categories";
	describe_missing(generalized, different, comparison->original.rows);
	generalized->value = sdc_new(&comparison->host->kernel,
								 SdcGeneralizedValue, column->values);
	for (v = 0; v < column->values; v++)
	{
		SdcGeneralizedValue *value = &generalized->value[v];

		memset(value, 0, sizeof(*value));
		value->loss = 1 / different;
		value->members = 1;
		value->records = records[v];
		if (records[v] > 0)
			continue;
		if (strcmp(sdcpg_dictionary_text(column->dictionary, v), "*") == 0)
			*value = generalized->missing;
		else
			value->ncp = NAN;
	}
}

static int32
count_nulls(const SdcContrastSide *side, int j)
{
	int32 nulls = 0;
	int32 i;

	for (i = 0; i < side->rows; i++)
		nulls += side->code[j] != NULL ? side->code[j][i] < 0
									   : isnan(side->number[j][i]);
	return nulls;
}

/* The sum of c log2 c over the values of the original, NULL being one. */
static double
weigh_originals(const SdcContrast *comparison, int j,
				const SdcGeneralized *generalized)
{
	SdcHost *kernel = &comparison->host->kernel;
	double nulls = count_nulls(&comparison->original, j);
	double sum = nulls > 0 ? nulls * log2(nulls) : 0;
	double *count;
	size_t first = 0;
	size_t i;

	for (i = 1; i <= generalized->count; i++)
		if (i == generalized->count ||
			generalized->sorted[i] != generalized->sorted[first])
		{
			sum += (i - first) * log2((double) (i - first));
			first = i;
		}
	if (generalized->sorted != NULL)
		return sum;
	count = sdc_new(kernel, double, comparison->column[j].values);
	memset(count, 0, sizeof(double) * comparison->column[j].values);
	for (i = 0; i < comparison->original.rows; i++)
		if (comparison->original.code[j][i] >= 0)
			count[comparison->original.code[j][i]]++;
	for (i = 0; i < comparison->column[j].values; i++)
		sum += count[i] > 0 ? count[i] * log2(count[i]) : 0;
	kernel->release(kernel, count);
	return sum;
}

/* NULLs that the original has, too, were not suppressed. */
static void
spare_nulls(const SdcContrast *comparison, int j, SdcGeneralized *generalized)
{
	double before = count_nulls(&comparison->original, j);
	double after = count_nulls(&comparison->masked, j);
	double share = after > before ? (after - before) / after : 0;
	SdcGeneralizedValue *missing = &generalized->missing;

	if (before == 0)
		return;
	missing->ncp = share;
	missing->loss = share;
	missing->members = 1 + share * (missing->members - 1);
	/* the mean of both logarithms */
	missing->records = pow(missing->records, share) * pow(before, 1 - share);
	missing->level *= share;
}

/*
 * Finds out what each value of column j of the masked relation stands for: by
 * the hierarchy named, or by its range, or because the original has it, too.
 * hierarchy may be NULL.
 */
static void
generalized_find(const SdcContrast *comparison, int j, const char *hierarchy,
				 SdcGeneralized *generalized)
{
	const SdcContrastColumn *column = &comparison->column[j];
	int32 i;

	memset(generalized, 0, sizeof(*generalized));
	if (comparison->original.rows == 0 || comparison->masked.rows == 0)
	{
		generalized->unknown = "One of the relations is empty.";
		return;
	}
	if (hierarchy != NULL && column->dictionary != NULL)
		find_by_hierarchy(comparison, j, hierarchy, generalized);
	else if (column->number)
		find_by_range(comparison, j, generalized);
	else
		find_by_value(comparison, j, generalized);
	spare_nulls(comparison, j, generalized);
	generalized->originals = weigh_originals(comparison, j, generalized);
	if (generalized->value == NULL)
		return;
	for (i = 0; i < comparison->masked.rows; i++)
	{
		int32 code = comparison->masked.code[j][i];

		if (code >= 0 && isnan(generalized->value[code].ncp))
		{
			generalized->outside = hierarchy != NULL;
			generalized->unknown =
				hierarchy == NULL
					? "Some masked values are none of the original; name a "
					  "hierarchy in params.hierarchies."
					: "Some masked values are no labels of the hierarchy.";
			return;
		}
	}
}

/* The value of a masked row. */
static SdcGeneralizedValue
generalized_value(const SdcContrast *comparison, int j,
				  const SdcGeneralized *generalized, int32 row)
{
	SdcGeneralizedValue value;
	double x;

	if (generalized->value != NULL)
	{
		int32 code = comparison->masked.code[j][row];

		return code < 0 ? generalized->missing : generalized->value[code];
	}
	x = comparison->masked.number[j][row];
	if (isnan(x))
		return generalized->missing;
	value = generalized->single;
	value.records = generalized->records[row];
	return value;
}

/* ----------------------------------------------------------------------
 * What generalization and suppression cost.
 *
 * Everything is a mean over the masked records of what their values stand
 * for.  The non-uniform entropy needs no pairs: the originals and what they
 * became are summed up apart.
 * ----------------------------------------------------------------------
 */

/* One column summed up, or all of them. */
typedef struct Costs
{
	double ncp;
	double loss;
	double level;     /* mean */
	double precision; /* mean of level / height */
	double entropy;   /* bits, over all records */
	int columns;
	int hierarchies;
	int entropies;
	const char *outside; /* column with labels that its hierarchy lacks */
} Costs;

static const char *const measures[] = {"certainty_penalty", "loss",
									   "precision",         "height",
									   "entropy",           "ambiguity"};

/* Sums up the rows of a column; and multiplies into what all stand for. */
static Costs
sum_column(const SdcContrast *comparison, int j,
		   const SdcGeneralized *generalized, double *product)
{
	SdcHost *kernel = &comparison->host->kernel;
	Costs costs = {0};
	double rows = comparison->masked.rows;
	int32 i;

	for (i = 0; i < comparison->masked.rows; i++)
	{
		SdcGeneralizedValue value =
			generalized_value(comparison, j, generalized, i);

		if (i % SDC_POLL_STEPS == 0)
			kernel->poll(kernel, 0, 0);
		costs.ncp += value.ncp;
		costs.loss += value.loss;
		costs.level += value.level;
		/* a value that no original has is no generalization */
		costs.entropy += value.records > 0 ? log2(value.records) : NAN;
		product[i] *= value.members;
	}
	costs.ncp /= rows;
	costs.loss /= rows;
	costs.level /= rows;
	costs.precision =
		generalized->height > 0 ? costs.level / generalized->height : NAN;
	costs.entropy -= generalized->originals;
	/* any loss is at least one bit: less is rounding */
	if (fabs(costs.entropy) < 0.5)
		costs.entropy = 0;
	if (comparison->masked.rows != comparison->original.rows ||
		costs.entropy < 0)
		costs.entropy = NAN;
	return costs;
}

static void
add_column(SdcUtility *utility, int j, const SdcGeneralized *generalized,
		   const Costs *costs)
{
	const char *subject = utility->comparison.column[j].subject;

	sdcpg_utility_add(
		utility, "certainty_penalty", subject, costs->ncp,
		psprintf("Mean share of the domain that a value stands for, %s; 0 "
				 "for a single value.",
				 generalized->how));
	sdcpg_utility_add(
		utility, "loss", subject, costs->loss,
		psprintf("The same, where a single value counts its own share "
				 "(the Loss of ARX), %s.",
				 generalized->how));
	sdcpg_utility_add(
		utility, "entropy", subject, costs->entropy,
		isnan(costs->entropy)
			? "The records were not only generalized or suppressed, or "
			  "some are gone."
			: psprintf("Bits lost, %.4f a record.",
					   costs->entropy / utility->comparison.masked.rows));
	if (generalized->height == 0)
		return;
	sdcpg_utility_add(utility, "precision", subject, 1 - costs->precision,
					  psprintf("1 minus the mean level over the height %d.",
							   generalized->height));
	if (sdcpg_report_wants(utility->report, "precision"))
		sdcpg_utility_lines_turn(&utility->lines);
	sdcpg_utility_add(utility, "height", subject, costs->level,
					  psprintf("Mean level of the values, of at most %d.",
							   generalized->height));
}

static void
add_unknown(SdcUtility *utility, int j, const char *why)
{
	const char *subject = utility->comparison.column[j].subject;

	sdcpg_utility_add(utility, "certainty_penalty", subject, NAN, why);
	sdcpg_utility_add(utility, "loss", subject, NAN, why);
	sdcpg_utility_add(utility, "entropy", subject, NAN, why);
}

static void
add_to(Costs *all, const SdcGeneralized *generalized, const Costs *costs)
{
	all->ncp += costs->ncp;
	all->loss += costs->loss;
	all->columns++;
	if (generalized->height > 0)
	{
		all->precision += costs->precision;
		all->level += costs->level;
		all->hierarchies++;
	}
	if (isnan(costs->entropy))
		return;
	all->entropy += costs->entropy;
	all->entropies++;
}

/* No mean over all columns where a hierarchy does not fit its column: that of
 * the others would look like it. */
static void
add_outside(SdcUtility *utility, const char *column)
{
	char *why = psprintf("Some masked values of \"%s\" are no labels of its "
						 "hierarchy.",
						 column);
	int i;

	for (i = 0; i < lengthof(measures); i++)
		sdcpg_utility_add(utility, measures[i], NULL, NAN, why);
}

static void
add_all(SdcUtility *utility, const Costs *all, const double *product)
{
	const char *needs = "Needs params.hierarchies.";
	int32 rows = utility->comparison.masked.rows;
	double n = all->columns;
	double sum = 0;
	int32 i;

	for (i = 0; i < rows; i++)
		sum += product[i];
	sdcpg_utility_add(utility, "certainty_penalty", NULL,
					  n > 0 ? all->ncp / n : NAN,
					  psprintf("Global certainty penalty: mean of %s.",
							   sdcpg_utility_lines_columns(all->columns)));
	sdcpg_utility_add(
		utility, "loss", NULL, n > 0 ? all->loss / n : NAN,
		psprintf("Mean of %s.", sdcpg_utility_lines_columns(all->columns)));
	if (all->hierarchies > 0)
	{
		sdcpg_utility_add(
			utility, "precision", NULL, 1 - all->precision / all->hierarchies,
			psprintf("Mean of %s with a hierarchy.",
					 sdcpg_utility_lines_columns(all->hierarchies)));
		sdcpg_utility_add(
			utility, "height", NULL, all->level,
			psprintf("Sum of the mean levels of %s.",
					 sdcpg_utility_lines_columns(all->hierarchies)));
	}
	else if (utility->named)
	{
		sdcpg_utility_add(utility, "precision", NULL, NAN, needs);
		sdcpg_utility_add(utility, "height", NULL, NAN, needs);
	}
	sdcpg_utility_add(utility, "entropy", NULL,
					  all->entropies > 0 ? all->entropy : NAN,
					  psprintf("Non-uniform entropy: sum of %s, in bits.",
							   sdcpg_utility_lines_columns(all->entropies)));
	sdcpg_utility_add(
		utility, "ambiguity", NULL, n > 0 && rows > 0 ? sum / rows : NAN,
		psprintf("Mean number of combinations of values that a record "
				 "may stand for, of %s.",
				 sdcpg_utility_lines_columns(all->columns)));
}

void
sdcpg_utility_generalized(SdcUtility *utility)
{
	const SdcContrast *comparison = &utility->comparison;
	SdcHost *kernel = &comparison->host->kernel;
	bool wanted = false;
	Costs all = {0};
	double *product;
	int32 i;
	int j;

	sdcpg_params_members_check(utility->params, "hierarchies",
							   &utility->columns, true);
	for (j = 0; j < lengthof(measures); j++)
		wanted = wanted || sdcpg_report_wants(utility->report, measures[j]);
	if (!wanted)
		return;
	product = sdc_new(kernel, double, comparison->masked.rows);
	for (i = 0; i < comparison->masked.rows; i++)
		product[i] = 1;
	for (j = 0; j < comparison->columns; j++)
	{
		SdcGeneralized generalized;
		Costs costs;

		generalized_find(
			comparison, j,
			sdcpg_params_member(utility->params, "hierarchies",
								comparison->column[j].aligned.original.name),
			&generalized);
		if (generalized.unknown != NULL)
		{
			add_unknown(utility, j, generalized.unknown);
			if (generalized.outside && all.outside == NULL)
				all.outside = comparison->column[j].subject;
			continue;
		}
		costs = sum_column(comparison, j, &generalized, product);
		add_column(utility, j, &generalized, &costs);
		add_to(&all, &generalized, &costs);
	}
	if (all.outside != NULL)
		add_outside(utility, all.outside);
	else
		add_all(utility, &all, product);
}
