/*
 * adult_nodes.c
 *		Every generalization of the adult data set against ARX.
 *
 * The reference holds, for all 4,320 ways to generalize eight columns, the
 * classes and how many records lie in classes that fail k-anonymity and each
 * of 27 models of the sensitive column occupation.  (The 28th, entropy after
 * Grassberger, is not one to compare with: the reference's README says why.)
 * ARX leaves it to rounding whether a class that meets a bound exactly fails;
 * here it does not.  So there, and only there, ARX may count more: two values
 * of equal frequency for entropy 2, say, or a distance of exactly 0.5, which
 * exists because six occupations together hold 15,081 of 30,162 records.
 * A generalization is rolled up from one that is finer by one level.
 */
#include "unit.h"

#include <math.h>

#include "adult_data.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"

#define KEYS  8
#define NODES 4320
#define FEW   100
#define SIZES 7
#define COSTS 4

static const int keys[KEYS + 1] = {SEX,       AGE,
								   RACE,      MARITAL_STATUS,
								   EDUCATION, NATIVE_COUNTRY,
								   WORKCLASS, SALARY_CLASS,
								   OCCUPATION};

/* A model of the sensitive column, and where the reference has it. */
typedef struct Model
{
	const char *field;
	SdcClassMeasure measure;
	double c;
	double bound;
} Model;

static const Model models[] = {
	{"fail_ldist2", SDC_CLASS_DISTINCT, 0, 2},
	{"fail_ldist3", SDC_CLASS_DISTINCT, 0, 3},
	{"fail_ldist5", SDC_CLASS_DISTINCT, 0, 5},
	{"fail_ldist8", SDC_CLASS_DISTINCT, 0, 8},
	{"fail_lent2", SDC_CLASS_ENTROPY, 0, 2},
	{"fail_lent3", SDC_CLASS_ENTROPY, 0, 3},
	{"fail_lent4", SDC_CLASS_ENTROPY, 0, 4},
	{"fail_lent6", SDC_CLASS_ENTROPY, 0, 6},
	{"fail_lrec_c2_l2", SDC_CLASS_RECURSIVE, 2, 2},
	{"fail_lrec_c2_l3", SDC_CLASS_RECURSIVE, 2, 3},
	{"fail_lrec_c4_l3", SDC_CLASS_RECURSIVE, 4, 3},
	{"fail_lrec_c4_l4", SDC_CLASS_RECURSIVE, 4, 4},
	{"fail_teq0.1", SDC_CLASS_T_EQUAL, 0, 0.1},
	{"fail_teq0.15", SDC_CLASS_T_EQUAL, 0, 0.15},
	{"fail_teq0.2", SDC_CLASS_T_EQUAL, 0, 0.2},
	{"fail_teq0.3", SDC_CLASS_T_EQUAL, 0, 0.3},
	{"fail_teq0.5", SDC_CLASS_T_EQUAL, 0, 0.5},
	{"fail_thier0.1", SDC_CLASS_T_HIERARCHICAL, 0, 0.1},
	{"fail_thier0.15", SDC_CLASS_T_HIERARCHICAL, 0, 0.15},
	{"fail_thier0.2", SDC_CLASS_T_HIERARCHICAL, 0, 0.2},
	{"fail_thier0.3", SDC_CLASS_T_HIERARCHICAL, 0, 0.3},
	{"fail_bbasic1", SDC_CLASS_BETA, 0, 1},
	{"fail_bbasic2", SDC_CLASS_BETA, 0, 2},
	{"fail_benh1", SDC_CLASS_BETA_ENHANCED, 0, 1},
	{"fail_benh2", SDC_CLASS_BETA_ENHANCED, 0, 2},
	{"fail_ddis1", SDC_CLASS_DELTA, 0, 1},
	{"fail_ddis2", SDC_CLASS_DELTA, 0, 2}};

#define MODELS ((int) (sizeof(models) / sizeof(models[0])))

/* Requests: all measures with c = 2, and recursive with c = 4. */
#define REQUESTS 2

static const char *const size_fields[SIZES] = {
	"supp_k2",  "supp_k3",  "supp_k5",  "supp_k10",
	"supp_k25", "supp_k50", "supp_k100"};
static const int64_t sizes[SIZES] = {2, 3, 5, 10, 25, 50, 100};
static const char *const cost_fields[COSTS] = {"dm_k2", "dm_k5", "dm_k10",
											   "dm_k100"};
static const int64_t costs[COSTS] = {2, 5, 10, 100};

/* What the reference says of a node, and what differs. */
typedef struct Expected
{
	double classes;
	double smallest;
	double largest;
	double squares;
	double below[SIZES];
	double cost[COSTS];
	double failing[MODELS];
} Expected;

typedef struct Differences
{
	int shape;
	int squares;
	int below;
	int cost;
	int model[MODELS];
} Differences;

typedef struct Search
{
	const AdultData *data;
	Expected *expected;
	SdcClassMeasuring *measuring[REQUESTS];
	SdcClassRequest bound[MODELS];
	int level[KEYS];
	int nodes;
	int tied[MODELS]; /* nodes where ARX counts more */
	Differences wrong;
} Search;

/* The node's place: levels as digits. */
static int
node_number(const AdultData *data, const int *level)
{
	int number = 0;
	int j;

	for (j = 0; j < KEYS; j++)
		number = number * data->column[keys[j]].hierarchy.levels + level[j];
	return number;
}

static void
read_node(const AdultTable *table, const AdultData *data, Expected *expected)
{
	int level[KEYS];
	int i;

	sscanf(adult_table_text(table, "levels"), "%d %d %d %d %d %d %d %d",
		   &level[0], &level[1], &level[2], &level[3], &level[4], &level[5],
		   &level[6], &level[7]);
	expected += node_number(data, level);
	expected->classes = adult_table_number(table, "classes");
	expected->smallest = adult_table_number(table, "min_class");
	expected->largest = adult_table_number(table, "max_class");
	expected->squares = adult_table_number(table, "sum_sq");
	for (i = 0; i < SIZES; i++)
		expected->below[i] = adult_table_number(table, size_fields[i]);
	for (i = 0; i < COSTS; i++)
		expected->cost[i] = adult_table_number(table, cost_fields[i]);
	for (i = 0; i < MODELS; i++)
		expected->failing[i] = adult_table_number(table, models[i].field);
}

static void
plan_requests(Search *search, const SdcFrequency *table)
{
	SdcClassRequest request[REQUESTS];
	int i;

	request[0] = sdc_class_measures_request();
	request[0].hierarchy = &search->data->column[OCCUPATION].hierarchy;
	request[0].c = 2;
	request[1] = request[0];
	request[1].c = 4;
	request[1].wanted = SDC_CLASS_WANT(SDC_CLASS_RECURSIVE);
	for (i = 0; i < MODELS; i++)
	{
		request[0].wanted |= SDC_CLASS_WANT(models[i].measure);
		search->bound[i] = request[1];
		search->bound[i].bound[models[i].measure] = models[i].bound;
	}
	for (i = 0; i < REQUESTS; i++)
		search->measuring[i] =
			sdc_class_measures_start(unit_host(), table, &request[i]);
}

static void
compare_classes(Search *search, const SdcClasses *classes,
				const Expected *expected)
{
	Differences *wrong = &search->wrong;
	int64_t smallest = INT64_MAX;
	int64_t largest = 0;
	int32_t c;
	int i;

	for (c = 0; c < classes->classes; c++)
	{
		smallest = classes->size[c] < smallest ? classes->size[c] : smallest;
		largest = classes->size[c] > largest ? classes->size[c] : largest;
	}
	wrong->shape += classes->classes != expected->classes ||
					smallest != expected->smallest ||
					largest != expected->largest;
	wrong->squares += (double) sdc_discernibility_cost(
						  unit_host(), classes->size, classes->classes, 0) !=
					  expected->squares;
	for (i = 0; i < COSTS; i++)
		wrong->cost += (double) sdc_discernibility_cost(
						   unit_host(), classes->size, classes->classes,
						   costs[i]) != expected->cost[i];
	for (i = 0; i < SIZES; i++)
	{
		int64_t below = 0;

		for (c = 0; c < classes->classes; c++)
			below += classes->size[c] < sizes[i] ? classes->size[c] : 0;
		wrong->below += below != expected->below[i];
	}
}

/* May rounding decide whether a class that meets the bound exactly fails? */
static bool
may_tie(const Model *model)
{
	return model->measure == SDC_CLASS_ENTROPY ||
		   model->measure == SDC_CLASS_T_EQUAL;
}

/* Adds a class to the records that fail each model, or meet it exactly. */
static void
judge_class(Search *search, const SdcHistogram *histogram, int64_t *failing,
			int64_t *ties)
{
	double value[REQUESTS][SDC_CLASS_MEASURES];
	int i;

	for (i = 0; i < REQUESTS; i++)
		sdc_class_measures_class(search->measuring[i], histogram, value[i]);
	for (i = 0; i < MODELS; i++)
	{
		const Model *model = &models[i];
		double found = value[model->c == 4][model->measure];

		if (sdc_class_measures_fails(&search->bound[i], model->measure, found))
			failing[i] += histogram->records;
		else if (may_tie(model) &&
				 fabs(found - model->bound) <= 1e-14 * model->bound)
			ties[i] += histogram->records;
	}
}

static void
compare_node(Search *search, const SdcFrequency *table)
{
	const Expected *expected =
		search->expected + node_number(search->data, search->level);
	SdcClasses *classes = sdc_frequency_classes(unit_host(), table, KEYS);
	int64_t failing[MODELS] = {0};
	int64_t ties[MODELS] = {0};
	int32_t c;
	int i;

	compare_classes(search, classes, expected);
	for (c = 0; c < classes->classes; c++)
	{
		SdcHistogram histogram = sdc_histogram_class(
			table, classes->first[c], classes->first[c + 1], true);

		judge_class(search, &histogram, failing, ties);
	}
	for (i = 0; i < MODELS; i++)
	{
		double more = expected->failing[i] - (double) failing[i];

		search->tied[i] += more != 0;
		search->wrong.model[i] += more < 0 || more > (double) ties[i];
	}
	sdc_classes_release(unit_host(), classes);
}

/*
 * Columns in the order in which they are raised: those first that make tables
 * much smaller, so that most nodes are made from a small table.
 */
static const int order[KEYS] = {1, 4, 5, 3, 6, 2, 0, 7};

/* Visits a node and all that raise columns from the i-th of the order on. */
static void
visit(Search *search, const SdcFrequency *table, int i)
{
	compare_node(search, table);
	search->nodes++;
	for (; i < KEYS && !(unit_sparing() && search->nodes >= FEW); i++)
	{
		int j = order[i];
		const AdultColumn *column = &search->data->column[keys[j]];
		SdcFrequency *raised;

		if (search->level[j] + 1 == column->hierarchy.levels)
			continue;
		raised = adult_raise(table, j, column, search->level[j],
							 search->level[j] + 1);
		search->level[j]++;
		visit(search, raised, i);
		search->level[j]--;
		sdc_frequency_release(unit_host(), raised);
	}
}

static void
check_nodes(const AdultData *data, AdultTable *reference)
{
	Search search = {.data = data};
	SdcFrequency *table = adult_count(data, keys, KEYS + 1, 1, 1);
	int i;

	search.expected = calloc(NODES, sizeof(Expected));
	while (adult_table_next(reference))
		read_node(reference, data, search.expected);
	plan_requests(&search, table);
	visit(&search, table, 0);
	unit_check(search.nodes == (unit_sparing() ? FEW : NODES), "%d nodes",
			   search.nodes);
	unit_check(search.wrong.shape == 0, "classes, smallest, largest: %d wrong",
			   search.wrong.shape);
	unit_check(search.wrong.squares == 0, "sums of squares: %d wrong",
			   search.wrong.squares);
	unit_check(search.wrong.cost == 0, "discernibility: %d wrong",
			   search.wrong.cost);
	unit_check(search.wrong.below == 0, "classes below k: %d wrong",
			   search.wrong.below);
	for (i = 0; i < MODELS; i++)
		unit_check(search.wrong.model[i] == 0,
				   "%s: %d nodes wrong, %d differ in exact ties",
				   models[i].field, search.wrong.model[i], search.tied[i]);
	free(search.expected);
}

int
main(void)
{
	AdultData *data = adult_read();
	AdultTable reference;

	unit_start("adult_nodes");
	adult_table_open(&reference, "adult_nodes.csv");
	check_nodes(data, &reference);
	free(data);
	return unit_finish();
}
