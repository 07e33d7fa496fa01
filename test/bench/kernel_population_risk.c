/*
 * kernel_population_risk.c
 *		How right are searched log-linear models of populations that are known?
 *
 * ./run bench kernel population_risk [RUNS]
 *
 * Samples of 3 and 10 % of five kinds of simulated populations, 200 of each
 * unless told otherwise, and a tenth as many of 5 and 20 % of adult.  The
 * seconds are those of all runs, drawing included; the remark has tau1 and
 * tau2 over the truth, by main effects and by the model that was searched for,
 * and how many intervals held the truth.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "log_linear_populations.h"

#define MOST 1000

/* log_linear_populations.h works with the host of unit tests. */
SdcHost *
unit_host(void)
{
	return bench_host();
}

static PopulationRun run[MOST];

static void
report(const char *what, size_t rows, int runs, double seconds)
{
	PopulationSummary tau1 = population_summarize(run, runs, 0);
	PopulationSummary tau2 = population_summarize(run, runs, 1);

	bench_line("population_risk", what, rows, POPULATION_KEYS, seconds,
			   "tau1 %.1f main %.3f found %.3f error %.1f said %.1f held "
			   "%d of %d; tau2 %.1f main %.3f found %.3f held %d; %.1f pairs",
			   tau1.truth, tau1.main_effects, tau1.found, tau1.off, tau1.error,
			   tau1.covered, runs, tau2.truth, tau2.main_effects, tau2.found,
			   tau2.covered, tau1.terms);
	fflush(stdout);
}

static void
simulated(int runs, double fraction)
{
	int kind;
	int r;

	for (kind = 0; kind < KINDS; kind++)
	{
		double start = bench_start();
		char what[64];

		for (r = 0; r < runs; r++)
			run[r] = population_simulated(kind, fraction, r);
		snprintf(what, sizeof(what), "%s %g %%", population_names[kind],
				 100 * fraction);
		report(what, (size_t) (POPULATION_SIZE * fraction), runs,
			   bench_stop(start));
	}
}

static void
adult(const AdultData *data, const int *keys, const char *name, int runs,
	  double fraction)
{
	double start = bench_start();
	char what[64];
	int r;

	for (r = 0; r < runs; r++)
		run[r] = population_adult(data, keys, POPULATION_KEYS, fraction, r);
	snprintf(what, sizeof(what), "adult %s %g %%", name, 100 * fraction);
	report(what, (size_t) (ADULT_ROWS * fraction), runs, bench_stop(start));
}

int
main(int argc, char **argv)
{
	static const int family[] = {AGE, MARITAL_STATUS, RACE, SEX, EDUCATION};
	static const int work[] = {AGE, WORKCLASS, OCCUPATION, SEX, EDUCATION};
	int runs = argc > 1 ? atoi(argv[1]) : 200;
	AdultData *data = adult_read();
	int few;

	if (runs < 1 || runs > MOST)
		return 2;
	few = runs / 10 > 0 ? runs / 10 : 1;
	simulated(runs, 0.03);
	simulated(runs, 0.1);
	adult(data, family, "family", few, 0.05);
	adult(data, family, "family", few, 0.2);
	adult(data, work, "work", few, 0.05);
	adult(data, work, "work", few, 0.2);
	free(data);
	return 0;
}
