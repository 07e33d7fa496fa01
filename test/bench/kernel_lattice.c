/*
 * kernel_lattice.c
 *		Speed of the lattice search.
 *
 * Each figure covers the search in a frequency table in memory: preparing
 * the keys, packing the tuples, searching, and the proof.  The data are adult
 * with eight keys (4,320 nodes) and Iyengar's loss, and adult made larger:
 * each further record is one of adult, of which each value is replaced by that
 * of a random record once in 16 times.  The remark has what the optimum is and
 * how many nodes were checked.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "adult_data.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/generalization/lattice.h"
#include "kernel/generalization/lattice_count.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"

#define KEYS 8

static const int keys[KEYS + 1] = {SEX,       AGE,
								   RACE,      MARITAL_STATUS,
								   EDUCATION, NATIVE_COUNTRY,
								   WORKCLASS, SALARY_CLASS,
								   OCCUPATION};

/* adult_data.h counts with the host of unit tests. */
SdcHost *
unit_host(void)
{
	return bench_host();
}

static SdcFrequency *
count_perturbed(const AdultData *data, int times)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(bench_host(), KEYS, false);
	int32_t values[KEYS];
	int32_t code[KEYS];
	SdcRandom random;
	int32_t row;
	int time;
	int j;

	sdc_random_seed(&random, 1, 2);
	for (j = 0; j < KEYS; j++)
		values[j] = data->column[keys[j]].hierarchy.values;
	for (time = 0; time < times; time++)
		for (row = 0; row < ADULT_ROWS; row++)
		{
			for (j = 0; j < KEYS; j++)
			{
				int32_t from = row;

				if (time > 0 && sdc_random_below(&random, 16) == 0)
					from = (int32_t) sdc_random_below(&random, ADULT_ROWS);
				code[j] = data->code[keys[j]][from];
			}
			sdc_frequency_add(counting, code, 1, 1);
		}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

static void
measure(const AdultData *data, const SdcFrequency *table,
		SdcLatticeProblem *problem, double share, const char *what)
{
	SdcLatticeKey key[KEYS];
	SdcLatticeResult result;
	SdcLattice *lattice;
	char text[64];
	char levels[4 * KEYS + 1] = "";
	double start;
	double seconds;
	int j;

	for (j = 0; j < KEYS; j++)
		key[j] = sdc_lattice_key(&data->column[keys[j]].hierarchy);
	problem->frequency = table;
	problem->keys = KEYS;
	problem->key = key;
	problem->limit = (int64_t) floor(share * (double) table->records);
	start = bench_start();
	if (sdc_lattice_start(bench_host(), problem, &lattice, NULL) !=
		SDC_LATTICE_OK)
		abort();
	sdc_lattice_search(lattice, NULL, &result);
	sdc_lattice_release(lattice);
	seconds = bench_stop(start);
	for (j = 0; j < KEYS; j++)
		sprintf(levels + strlen(levels), "%d ", result.best.level[j]);
	snprintf(text, sizeof(text), "%s limit %.0f%%", what, 100 * share);
	bench_line("lattice", text, (size_t) table->records, KEYS, seconds,
			   "%sloss %.6f; %d of %d nodes checked; %d tuples", levels,
			   result.best.score, (int) result.checked, (int) result.nodes,
			   (int) table->cells);
	bench_host()->release(bench_host(), result.optimum);
}

static void
measure_sizes(const AdultData *data, const SdcFrequency *table)
{
	static const int64_t sizes[] = {2, 5, 10, 100};
	static const double shares[] = {0, 0.01, 0.05, 1};
	int i;
	int s;

	for (i = 0; i < 4; i++)
		for (s = 0; s < 4; s++)
		{
			SdcLatticeProblem problem = sdc_lattice_problem();
			char what[32];

			problem.k = sizes[i];
			snprintf(what, sizeof(what), "k %d", (int) sizes[i]);
			measure(data, table, &problem, shares[s], what);
		}
}

static void
measure_models(const AdultData *data, const SdcFrequency *table)
{
	static const struct
	{
		const char *name;
		SdcClassMeasure measure;
		double bound;
	} models[] = {{"distinct l 3", SDC_CLASS_DISTINCT, 3},
				  {"entropy l 3", SDC_CLASS_ENTROPY, 3},
				  {"equal t 0.2", SDC_CLASS_T_EQUAL, 0.2},
				  {"hierarchical t 0.2", SDC_CLASS_T_HIERARCHICAL, 0.2}};
	size_t i;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
	{
		SdcLatticeProblem problem = sdc_lattice_problem();
		SdcLatticeSensitive sensitive = {sdc_class_measures_request(), NULL};

		problem.k = 0;
		problem.sensitives = 1;
		problem.sensitive = &sensitive;
		sensitive.request.hierarchy = &data->column[OCCUPATION].hierarchy;
		sensitive.request.bound[models[i].measure] = models[i].bound;
		measure(data, table, &problem, 0, models[i].name);
		measure(data, table, &problem, 0.05, models[i].name);
	}
}

/* Models of sensitive values in the list below, after k alone. */
#define OF_VALUES 11

/*
 * Models of several kinds beside k 5, each to be compared with k alone, which
 * is the first.
 */
static void
measure_more(const AdultData *data, const SdcFrequency *table,
			 const SdcFrequency *people)
{
	static const struct
	{
		const char *name;
		int measure;
		double bound;
	} models[] = {{"k 5 alone", -1, 0},
				  {"k 5 distinct l 3", SDC_CLASS_DISTINCT, 3},
				  {"k 5 entropy l 3", SDC_CLASS_ENTROPY, 3},
				  {"k 5 frequency l 3", SDC_CLASS_FREQUENCY, 3},
				  {"k 5 recursive l 3", SDC_CLASS_RECURSIVE, 3},
				  {"k 5 equal t 0.2", SDC_CLASS_T_EQUAL, 0.2},
				  {"k 5 ordered t 0.15", SDC_CLASS_T_ORDERED, 0.15},
				  {"k 5 hierarchical t 0.2", SDC_CLASS_T_HIERARCHICAL, 0.2},
				  {"k 5 pd-recursive l 3", SDC_CLASS_PD_RECURSIVE, 3},
				  {"k 5 beta 4", SDC_CLASS_BETA, 4},
				  {"k 5 enhanced beta 4", SDC_CLASS_BETA_ENHANCED, 4},
				  {"k 5 delta 3", SDC_CLASS_DELTA, 3},
				  {"k 5 k-map 30", SDC_SIZE_K_MAP, 30},
				  {"k 5 presence 0.4", SDC_SIZE_PRESENCE_HIGHEST, 0.4},
				  {"k 5 lowest presence 0.05", SDC_SIZE_PRESENCE_LOWEST, 0.05},
				  {"k 5 average 100", SDC_SIZE_AVERAGE, 100},
				  {"k 5 at risk 0.05", SDC_SIZE_AT_RISK, 0.05},
				  {"k 5 marketer 0.005", SDC_SIZE_MARKETER, 0.005}};
	static const double shares[] = {0, 0.05};
	size_t i;
	int s;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		for (s = 0; s < 2; s++)
		{
			SdcLatticeProblem problem = sdc_lattice_problem();
			SdcLatticeSensitive sensitive = {sdc_class_measures_request(),
											 NULL};
			SdcSizeBounds sizes = sdc_size_bounds();
			bool of_values = i > 0 && i <= OF_VALUES;

			problem.k = 5;
			problem.sensitives = of_values;
			problem.sensitive = &sensitive;
			problem.sizes = of_values || i == 0 ? NULL : &sizes;
			sensitive.request.c = 4;
			sensitive.request.hierarchy = &data->column[OCCUPATION].hierarchy;
			if (of_values)
				sensitive.request.bound[models[i].measure] = models[i].bound;
			else if (i > 0)
				sizes.bound[models[i].measure] = models[i].bound;
			if (!of_values && i > 0 && models[i].measure < SDC_SIZE_AVERAGE)
				problem.people = people;
			measure(data, table, &problem, shares[s], models[i].name);
		}
}

int
main(void)
{
	AdultData *data = adult_read();
	SdcLatticeProblem problem = sdc_lattice_problem();
	SdcFrequency *table;

	measure_sizes(data, adult_count(data, keys, KEYS, 1, 1));
	measure_models(data, adult_count(data, keys, KEYS + 1, 1, 1));
	measure_more(data, adult_count(data, keys, KEYS + 1, 1, 1),
				 count_perturbed(data, 4));
	problem.k = 5;
	table = count_perturbed(data, 332);
	measure(data, table, &problem, 0, "k 5");
	measure(data, table, &problem, 0.01, "k 5");
	measure(data, table, &problem, 0.05, "k 5");
	measure(data, table, &problem, 1, "k 5");
	free(data);
	return 0;
}
