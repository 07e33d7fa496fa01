/*
 * lattice_adult.c
 *		The optimum of every run of ARX on the adult data set.
 *
 * adult_kanon.csv: eight keys, k of 2 to 100, limits of 0 to 100 %, seven
 * metrics.  adult_sensitive.csv: models of a sensitive column.  Scores
 * must agree to 1e-9; levels and the number of optimal nodes where
 * adult_optimum_ties.csv has them.  Two models are left out: entropy after
 * Grassberger, whose reference hangs on the order of a hash table, and the
 * average risk, which sdc's search does not offer.
 */
#include "unit.h"

#include <math.h>

#include "adult_data.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"

#define MAX_RUNS 512

/* How many nodes share the optimum of a run. */
typedef struct Ties
{
	char id[64];
	int nodes;
} Ties;

static Ties ties[MAX_RUNS];
static int tied;

static const char *const metrics[SDC_LATTICE_METRICS] = {
	"loss", "aecs", "dm", "nue", "prec", "height", "ebil", "ambiguity"};

static void
read_ties(void)
{
	AdultTable table;

	adult_table_open(&table, "adult_optimum_ties.csv");
	while (adult_table_next(&table) && tied < MAX_RUNS)
	{
		snprintf(ties[tied].id, sizeof(ties[tied].id), "%s",
				 adult_table_text(&table, "id"));
		ties[tied++].nodes =
			(int) adult_table_number(&table, "number_of_optimal_nodes");
	}
}

static int
find_ties(const char *id)
{
	int i;

	for (i = 0; i < tied; i++)
		if (strcmp(ties[i].id, id) == 0)
			return ties[i].nodes;
	return 0;
}

/* One model of a run; false when it is not offered. */
static bool
read_model(const char *text, SdcLatticeProblem *problem,
		   SdcClassRequest *request)
{
	static const struct
	{
		const char *name;
		SdcClassMeasure measure;
	} models[] = {
		{"ldist=", SDC_CLASS_DISTINCT},       {"lent=", SDC_CLASS_ENTROPY},
		{"teq=", SDC_CLASS_T_EQUAL},          {"tord=", SDC_CLASS_T_ORDERED},
		{"thier=", SDC_CLASS_T_HIERARCHICAL}, {"bbasic=", SDC_CLASS_BETA},
		{"benh=", SDC_CLASS_BETA_ENHANCED},   {"ddis=", SDC_CLASS_DELTA}};
	size_t i;

	if (strncmp(text, "k=", 2) == 0)
	{
		problem->k = strtol(text + 2, NULL, 10);
		return true;
	}
	problem->sensitives = 1;
	if (sscanf(text, "lrec=%lf,%lf", &request->c,
			   &request->bound[SDC_CLASS_RECURSIVE]) == 2)
		return true;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (strncmp(text, models[i].name, strlen(models[i].name)) == 0)
		{
			request->bound[models[i].measure] =
				strtod(text + strlen(models[i].name), NULL);
			return true;
		}
	return false;
}

static bool
read_models(const char *text, SdcLatticeProblem *problem,
			SdcClassRequest *request)
{
	char copy[256];
	char *part;

	snprintf(copy, sizeof(copy), "%s", text);
	problem->k = 0;
	for (part = strtok(copy, "+"); part != NULL; part = strtok(NULL, "+"))
		if (!read_model(part, problem, request))
			return false;
	return true;
}

static SdcLatticeMetric
read_metric(const char *text)
{
	int m = 0;

	while (strcmp(metrics[m], text) != 0)
		m++;
	return (SdcLatticeMetric) m;
}

/* The columns of a set of keys, then the sensitive one; returns the keys. */
static int
read_keys(const char *id, int *column)
{
	int sensitive = id[1] == 'a' ? AGE : OCCUPATION;
	int keys = 0;
	int j;

	for (j = 0; j < ADULT_COLUMNS; j++)
		if (j != sensitive || id[1] == '9')
			column[keys++] = j;
	column[keys] = sensitive;
	return keys;
}

/* Is the node that the reference names among the optima? */
static bool
names_optimum(const char *levels, const SdcLatticeResult *result, int keys)
{
	int64_t i;
	int j;

	for (i = 0; i < result->optima; i++)
	{
		const char *rest = levels;
		bool same = true;

		for (j = 0; j < keys; j++)
		{
			char *end;

			same &= strtol(rest, &end, 10) == result->optimum[i].level[j];
			rest = end;
		}
		if (same)
			return true;
	}
	return false;
}

/*
 * The reference counts scores as equal when all their bits are; two nodes of
 * q8_k2_s0_ebil differ in the last one there and in none here.
 */
static bool
right_result(const AdultTable *table, const SdcLatticeResult *result, int keys)
{
	double score = adult_table_number(table, "score");
	int optima = find_ties(adult_table_text(table, "id"));

	return result->found && result->proven &&
		   fabs(result->best.score - score) <=
			   1e-9 * (fabs(score) > 1 ? fabs(score) : 1) &&
		   (optima == 0 || optima == (int) result->optima ||
			strcmp(adult_table_text(table, "metric"), "ebil") == 0) &&
		   (optima != 1 ||
			names_optimum(adult_table_text(table, "levels"), result, keys));
}

static void
solve(const SdcLatticeProblem *problem, SdcLatticeResult *result)
{
	SdcLattice *lattice;

	memset(result, 0, sizeof(*result));
	if (sdc_lattice_start(unit_host(), problem, &lattice, NULL) ==
		SDC_LATTICE_OK)
		sdc_lattice_search(lattice, NULL, result);
}

/*
 * The reference leaves it to rounding whether a class whose values are equally
 * frequent has the entropy that it should have; here it has.  So its optimum
 * lies between that of the bound and that of one that such a class misses.
 */
static bool
right_but_ties(const AdultTable *table, const SdcLatticeResult *result,
			   SdcLatticeProblem *problem, SdcClassRequest *request)
{
	double score = adult_table_number(table, "score");
	SdcLatticeResult strict;

	if (isnan(request->bound[SDC_CLASS_ENTROPY]))
		return false;
	request->bound[SDC_CLASS_ENTROPY] *= 1 + 4e-9;
	solve(problem, &strict);
	return right_result(table, &strict, problem->keys) ||
		   (result->best.score <= score * (1 + 1e-9) &&
			score <= strict.best.score * (1 + 1e-9));
}

static void
check_run(const AdultData *data, const AdultTable *table)
{
	const char *id = adult_table_text(table, "id");
	double limit = adult_table_number(table, "suppression_limit");
	SdcLatticeProblem problem = sdc_lattice_problem();
	SdcLatticeKey key[ADULT_COLUMNS];
	SdcLatticeSensitive sensitive = {sdc_class_measures_request(), NULL};
	SdcLatticeResult result;
	int column[ADULT_COLUMNS + 1];
	bool right;
	int j;

	if (!read_models(adult_table_text(table, "model"), &problem,
					 &sensitive.request))
		return;
	problem.keys = read_keys(id, column);
	for (j = 0; j < problem.keys; j++)
		key[j] = sdc_lattice_key(&data->column[column[j]].hierarchy);
	sensitive.request.hierarchy = &data->column[column[j]].hierarchy;
	problem.frequency =
		adult_count(data, column, problem.keys + problem.sensitives, 1, 1);
	problem.key = key;
	problem.sensitive = &sensitive;
	problem.metric = read_metric(adult_table_text(table, "metric"));
	problem.limit = (int64_t) floor(limit * (double) ADULT_ROWS);
	solve(&problem, &result);
	right = right_result(table, &result, problem.keys);
	if (!right && right_but_ties(table, &result, &problem, &sensitive.request))
		unit_check(true, "%s: the same but for exact ties", id);
	else
		unit_check(right, "%s: %.12g, %d optimal, %d of %d checked", id,
				   result.best.score, (int) result.optima,
				   (int) result.checked, (int) result.nodes);
	unit_release_all();
}

/*
 * Hierarchical t on a table eight times adult, where the reference's 32-bit
 * product overflows and it returns levels 1 1 2 2 0: a quarter of the records
 * is in classes that fail there.  Only the top passes, as at adult's size.
 */
static void
check_overflow(const AdultData *data)
{
	static const int column[] = {SEX,       RACE,         MARITAL_STATUS,
								 WORKCLASS, SALARY_CLASS, OCCUPATION};
	static const uint8_t wrong[SDC_LATTICE_MAX_KEYS] = {1, 1, 2, 2, 0};
	SdcLatticeProblem problem = sdc_lattice_problem();
	SdcLatticeSensitive sensitive = {sdc_class_measures_request(), NULL};
	SdcLatticeKey key[5];
	SdcLatticeResult result;
	SdcLatticeNode node;
	SdcLattice *lattice;
	int64_t records = 8 * (int64_t) ADULT_ROWS;
	int j;

	for (j = 0; j < 5; j++)
		key[j] = sdc_lattice_key(&data->column[column[j]].hierarchy);
	sensitive.request.hierarchy = &data->column[OCCUPATION].hierarchy;
	sensitive.request.bound[SDC_CLASS_T_HIERARCHICAL] = 0.1;
	problem.frequency = adult_count(data, column, 6, 1, 8);
	problem.keys = 5;
	problem.key = key;
	problem.sensitives = 1;
	problem.sensitive = &sensitive;
	problem.k = 0;
	solve(&problem, &result);
	unit_check(result.found && result.proven && result.optima == 1 &&
				   result.best.classes == 1 && result.best.largest == records,
			   "adult x 8: only the top is 0.1-close");
	sdc_lattice_start(unit_host(), &problem, &lattice, NULL);
	sdc_lattice_check(lattice, wrong, &node);
	unit_check(!node.feasible && node.suppressed > records / 5 &&
				   node.suppressed < records * 3 / 10,
			   "adult x 8: %.1f %% fail at 1 1 2 2 0",
			   100.0 * (double) node.suppressed / (double) records);
	unit_release_all();
}

/*
 * With suppression t, beta and delta let a search skip next to nothing, so
 * each of their runs checks nearly all nodes.  Every eighth of them is enough,
 * unless SDC_TEST_LONG is set.  Under the sanitizers every eighth run of all.
 */
static bool
is_left_out(const char *id)
{
	static const char *const models[] = {"teq", "thier", "bbasic", "benh",
										 "ddis"};
	static int met;
	static int run;
	size_t i;

	if (unit_sparing() && run++ % 8 != 0)
		return true;
	if (getenv("SDC_TEST_LONG") != NULL || strstr(id, "_s0_") != NULL)
		return false;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (strstr(id, models[i]) != NULL)
			return met++ % 8 != 0;
	return false;
}

static void
check_file(const AdultData *data, const char *name)
{
	AdultTable table;

	adult_table_open(&table, name);
	while (adult_table_next(&table))
		if (!is_left_out(adult_table_text(&table, "id")))
			check_run(data, &table);
}

int
main(void)
{
	AdultData *data = adult_read();

	unit_start("lattice_adult");
	read_ties();
	check_overflow(data);
	check_file(data, "adult_kanon.csv");
	check_file(data, "adult_sensitive.csv");
	free(data);
	return unit_finish();
}
