/*
 * lattice_nodes.c
 *		Every node of the adult data set against ARX: classes, scores.
 *
 * The reference holds all 4,320 nodes of eight keys: the score by seven
 * metrics for four k and without suppression, and the loss for models of the
 * sensitive column occupation.  (adult_nodes.c compares the records that fail
 * all 27 models; of each kind of model one is enough here, whose bound no
 * class meets exactly.)  Under the sanitizers seven of the scores by metrics,
 * and no models: adult_nodes.c has them.
 */
#include "unit.h"

#include <math.h>

#include "adult_data.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"

#define KEYS    8
#define NODES   4320
#define COLUMNS 64

static const int keys[KEYS + 1] = {SEX,       AGE,
								   RACE,      MARITAL_STATUS,
								   EDUCATION, NATIVE_COUNTRY,
								   WORKCLASS, SALARY_CLASS,
								   OCCUPATION};

/* A metric, and what the reference calls it. */
static const struct
{
	const char *name;
	SdcLatticeMetric metric;
	SdcLatticeMean mean;
} metrics[] = {{"loss", SDC_LATTICE_LOSS, SDC_LATTICE_GEOMETRIC},
			   {"loss_arith", SDC_LATTICE_LOSS, SDC_LATTICE_ARITHMETIC},
			   {"aecs", SDC_LATTICE_AECS, SDC_LATTICE_GEOMETRIC},
			   {"dm", SDC_LATTICE_DISCERNIBILITY, SDC_LATTICE_GEOMETRIC},
			   {"nue", SDC_LATTICE_ENTROPY, SDC_LATTICE_GEOMETRIC},
			   {"prec", SDC_LATTICE_PRECISION, SDC_LATTICE_GEOMETRIC},
			   {"ebil", SDC_LATTICE_EBIL, SDC_LATTICE_GEOMETRIC}};

static const struct
{
	const char *name;
	SdcClassMeasure measure;
	double bound;
	double c;
} models[] = {{"ldist3", SDC_CLASS_DISTINCT, 3, 0},
			  {"lrec_c4_l3", SDC_CLASS_RECURSIVE, 3, 4},
			  {"teq0.2", SDC_CLASS_T_EQUAL, 0.2, 0},
			  {"thier0.2", SDC_CLASS_T_HIERARCHICAL, 0.2, 0},
			  {"benh1", SDC_CLASS_BETA_ENHANCED, 1, 0},
			  {"ddis2", SDC_CLASS_DELTA, 2, 0}};

/* The reference: some of its columns, by the number of the node. */
typedef struct Reference
{
	char name[COLUMNS][48];
	int columns;
	double value[NODES][COLUMNS];
} Reference;

typedef struct Comparison
{
	const Reference *reference;
	int score;
	int failing; /* -1: not compared */
	int classes;
	int nodes;
	int wrong;
} Comparison;

static int64_t
node_number(const AdultData *data, const char *levels)
{
	int64_t number = 0;
	int j;

	for (j = 0; j < KEYS; j++)
	{
		char *end;

		number = number * data->column[keys[j]].hierarchy.levels +
				 strtol(levels, &end, 10);
		levels = end;
	}
	return number;
}

static int
find_column(Reference *reference, const char *name)
{
	int i;

	for (i = 0; i < reference->columns; i++)
		if (strcmp(reference->name[i], name) == 0)
			return i;
	snprintf(reference->name[i], sizeof(reference->name[i]), "%s", name);
	return reference->columns++;
}

/* Names the columns that are compared. */
static void
name_columns(Reference *reference)
{
	static const char *const suffixes[] = {"k2", "k5", "k10", "k100",
										   "nosupp"};
	char name[32];
	size_t i;
	size_t s;

	find_column(reference, "classes");
	for (s = 0; s < 5; s++)
		for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		{
			snprintf(name, sizeof(name), "%s_%s", metrics[i].name,
					 suffixes[s]);
			find_column(reference, name);
		}
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
	{
		snprintf(name, sizeof(name), "loss_%s", models[i].name);
		find_column(reference, name);
		snprintf(name, sizeof(name), "fail_%s", models[i].name);
		find_column(reference, name);
	}
}

static void
read_reference(const AdultData *data, AdultTable *table, Reference *reference)
{
	int field[COLUMNS];
	int i;

	for (i = 0; i < reference->columns; i++)
		field[i] = adult_table_field(table, reference->name[i]);
	while (adult_table_next(table))
	{
		int64_t node = node_number(data, adult_table_text(table, "levels"));

		for (i = 0; i < reference->columns; i++)
			reference->value[node][i] = strtod(table->field[field[i]], NULL);
	}
}

static bool
compare_node(void *argument, const SdcLatticeNode *node)
{
	Comparison *comparison = argument;
	const double *expected = comparison->reference->value[node->number];
	double score = expected[comparison->score];

	comparison->nodes++;
	comparison->wrong +=
		fabs(node->score - score) >
			1e-9 * (fabs(score) > 1 ? fabs(score) : 1) ||
		(comparison->classes >= 0 &&
		 (double) node->classes != expected[comparison->classes]) ||
		(comparison->failing >= 0 &&
		 (double) node->suppressed != expected[comparison->failing]);
	return true;
}

static void
check_nodes(const AdultData *data, SdcLatticeProblem *problem,
			Reference *reference, const char *score, const char *failing)
{
	Comparison comparison = {
		reference, find_column(reference, score), -1, -1, 0, 0};
	SdcLatticeKey key[KEYS];
	SdcLattice *lattice;
	int j;

	if (failing != NULL)
		comparison.failing = find_column(reference, failing);
	if (problem->k == 0 && problem->sensitives == 0)
		comparison.classes = find_column(reference, "classes");
	for (j = 0; j < KEYS; j++)
		key[j] = sdc_lattice_key(&data->column[keys[j]].hierarchy);
	problem->keys = KEYS;
	problem->key = key;
	problem->frequency =
		adult_count(data, keys, KEYS + problem->sensitives, 1, 1);
	sdc_lattice_start(unit_host(), problem, &lattice, NULL);
	sdc_lattice_visit(lattice, compare_node, &comparison);
	unit_check(comparison.nodes == NODES && comparison.wrong == 0,
			   "%s: %d of %d nodes wrong", score, comparison.wrong,
			   comparison.nodes);
	unit_release_all();
}

static void
check_metrics(const AdultData *data, Reference *reference)
{
	static const int64_t sizes[] = {2, 5, 10, 100, 0};
	size_t i;
	size_t s;

	for (s = 0; s < 5; s++)
		for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		{
			SdcLatticeProblem problem = sdc_lattice_problem();
			char name[48];

			/* each metric once, and each size */
			if (unit_sparing() && i % 5 != s)
				continue;
			problem.k = sizes[s];
			problem.metric = metrics[i].metric;
			problem.mean = metrics[i].mean;
			if (sizes[s] > 0)
				snprintf(name, sizeof(name), "%s_k%d", metrics[i].name,
						 (int) sizes[s]);
			else
				snprintf(name, sizeof(name), "%s_nosupp", metrics[i].name);
			check_nodes(data, &problem, reference, name, NULL);
		}
}

static void
check_models(const AdultData *data, Reference *reference)
{
	size_t i;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
	{
		SdcLatticeProblem problem = sdc_lattice_problem();
		SdcLatticeSensitive sensitive = {sdc_class_measures_request(), NULL};
		char score[48];
		char failing[48];

		sensitive.request.hierarchy = &data->column[OCCUPATION].hierarchy;
		sensitive.request.bound[models[i].measure] = models[i].bound;
		sensitive.request.c = models[i].c;
		problem.k = 0;
		problem.sensitives = 1;
		problem.sensitive = &sensitive;
		snprintf(score, sizeof(score), "loss_%s", models[i].name);
		snprintf(failing, sizeof(failing), "fail_%s", models[i].name);
		check_nodes(data, &problem, reference, score, failing);
	}
}

int
main(void)
{
	AdultData *data = adult_read();
	Reference *reference = calloc(1, sizeof(Reference));
	AdultTable table;

	unit_start("lattice_nodes");
	adult_table_open(&table, "adult_nodes.csv");
	name_columns(reference);
	read_reference(data, &table, reference);
	check_metrics(data, reference);
	if (!unit_sparing())
		check_models(data, reference);
	free(reference);
	free(data);
	return unit_finish();
}
