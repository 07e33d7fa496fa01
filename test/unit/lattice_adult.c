/*
 * lattice_adult.c
 *		The optimum of every run of ARX on the adult data set.
 *
 * adult_kanon.csv: eight and nine keys, k of 2 to 100, limits of 0 to 100 %,
 * seven metrics.  adult_sensitive.csv: models of a sensitive column.  Scores
 * must agree to 1e-9; levels and the number of optimal nodes where
 * adult_optimum_ties.csv has them.  Two models are left out: entropy after
 * Grassberger, whose reference hangs on the order of a hash table, and the
 * average risk, which sdc's search does not offer.
 */
#include "unit.h"

#include <math.h>

#include "adult_data.h"
#include "kernel/lattice.h"

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

static bool
read_ties(void)
{
	AdultTable table;

	if (!adult_table_open(&table, "reference/arx/adult_optimum_ties.csv",
						  false))
		return false;
	while (adult_table_next(&table) && tied < MAX_RUNS)
	{
		snprintf(ties[tied].id, sizeof(ties[tied].id), "%s",
				 adult_table_text(&table, "id"));
		ties[tied++].nodes =
			(int) adult_table_number(&table, "number_of_optimal_nodes");
	}
	return true;
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
	} models[] = {{"ldist=", SDC_CLASS_DISTINCT},
				  {"lent=", SDC_CLASS_ENTROPY},
				  {"teq=", SDC_CLASS_T_EQUAL},
				  {"tord=", SDC_CLASS_T_ORDERED},
				  {"thier=", SDC_CLASS_T_HIERARCHICAL},
				  {"bbasic=", SDC_CLASS_BETA},
				  {"benh=", SDC_CLASS_BETA_ENHANCED},
				  {"ddis=", SDC_CLASS_DELTA}};
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

static void
compare_run(const AdultTable *table, const SdcLatticeResult *result, int keys)
{
	const char *id = adult_table_text(table, "id");
	double score = adult_table_number(table, "score");
	const char *rest = adult_table_text(table, "levels");
	int optima = find_ties(id);
	bool same = true;
	int j;

	for (j = 0; j < keys; j++)
	{
		char *end;

		same &= strtol(rest, &end, 10) == result->best.level[j];
		rest = end;
	}
	unit_check(result->found && result->proven &&
				   fabs(result->best.score - score) <=
					   1e-9 * (fabs(score) > 1 ? fabs(score) : 1) &&
				   (optima == 0 || optima == (int) result->optima) &&
				   (optima != 1 || same),
			   "%s: %.12g for %.12g, %d optimal for %d, %d checked", id,
			   result->best.score, score, (int) result->optima, optima,
			   (int) result->checked);
}

static void
check_run(const AdultData *data, const AdultTable *table)
{
	SdcHost *host = unit_host();
	const char *id = adult_table_text(table, "id");
	double limit = adult_table_number(table, "suppression_limit");
	SdcLatticeProblem problem = sdc_lattice_problem();
	SdcLatticeKey key[ADULT_COLUMNS];
	SdcLatticeSensitive sensitive = {sdc_class_measures_request(), NULL};
	SdcLatticeResult result;
	SdcLattice *lattice;
	int column[ADULT_COLUMNS + 1];
	int j;

	if (!read_models(adult_table_text(table, "model"), &problem,
					 &sensitive.request))
		return;
	problem.keys = read_keys(id, column);
	for (j = 0; j < problem.keys; j++)
		key[j] = sdc_lattice_key(&data->column[column[j]].hierarchy);
	sensitive.request.hierarchy = &data->column[column[j]].hierarchy;
	problem.frequency = adult_count(data, column,
									problem.keys + problem.sensitives, 1, 1);
	problem.key = key;
	problem.sensitive = &sensitive;
	problem.metric = read_metric(adult_table_text(table, "metric"));
	problem.limit = (int64_t) floor(limit * (double) ADULT_ROWS);
	if (sdc_lattice_start(host, &problem, &lattice, NULL) != SDC_LATTICE_OK)
		unit_check(false, "%s: cannot start", id);
	else
	{
		sdc_lattice_search(lattice, NULL, &result);
		compare_run(table, &result, problem.keys);
		sdc_lattice_release(lattice);
	}
	unit_release_all();
}

/*
 * Runs on nine keys with metrics that bound little take long: of them, and of
 * them only, one limit is enough.
 */
static bool
is_left_out(const char *id)
{
	(void) id;
	return false;
}

static void
check_file(const AdultData *data, const char *name)
{
	AdultTable table;

	if (!adult_table_open(&table, name, false))
		return;
	while (adult_table_next(&table))
		if (!is_left_out(adult_table_text(&table, "id")))
			check_run(data, &table);
}

int
main(void)
{
	AdultData *data = adult_read();

	unit_start("lattice_adult");
	if (data == NULL || !read_ties())
		unit_check(true, "skipped: ../shared is not there");
	else
	{
		check_file(data, "reference/arx/adult_kanon.csv");
		check_file(data, "reference/arx/adult_sensitive.csv");
	}
	free(data);
	return unit_finish();
}
