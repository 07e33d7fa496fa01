/*
 * kernel_suppression.c
 *		Suppression: proofs, sizes, and 1,000 random tables attacked.
 *
 * Each table of test/data/tables.txt is searched until its optimum is proven;
 * the remark has what it costs and its bound.  Random hierarchical tables of
 * some hundred to some hundred thousand cells follow: a time of effort, the
 * gap it leaves, and the heuristic alone with the audit.  Last, 1,000 random
 * tables are protected and attacked by linear programs that know nothing of
 * the kernel.
 */
#include "bench.h"

/* the tables of the unit tests, with memory of this host */
#define unit_host bench_host

#include "../unit/tabular_instance.h"

static void
search(const char *what, const SdcTabular *table, double work)
{
	SdcSuppressionOptions options = {.work = work};
	bool *hidden = sdc_new(bench_host(), bool, table->cells);
	double start = bench_start();
	SdcSuppression result = sdc_suppression_run(table, &options, hidden);

	bench_line("suppression", what, (size_t) table->cells, table->equations,
			   bench_stop(start),
			   "%s %.0f; bound %.0f; gap %.2f %%; %d secondary; %ld nodes",
			   !result.found   ? "nothing"
			   : result.proven ? "proven"
							   : "best found",
			   result.cost, result.bound,
			   100 * (1 - result.bound / fmax(result.cost, 1)),
			   result.secondary, (long) result.nodes);
	bench_host()->release(bench_host(), hidden);
}

static void
search_instances(void)
{
	FILE *file = fopen("test/data/tables.txt", "r");
	Instance instance;

	while (file != NULL && read_instance(file, &instance))
		search(instance.name, instance.table, 1e10);
	if (file != NULL)
		fclose(file);
}

/* Two keys with groups: (first + 3) (second + 3) cells. */
static void
search_size(const char *what, int32_t first, int32_t second, double work)
{
	SdcRandom random;
	SdcCubeDimension dimension[2];
	SdcTabular *table;

	sdc_random_seed(&random, 5, 0);
	dimension[0] = random_dimension(&random, first, true);
	dimension[1] = random_dimension(&random, second, true);
	table = random_table(&random, dimension, 2, 4 * first * second, true);
	search(what, table, work);
}

/* Three keys with groups, of counts: movements are often not whole. */
static void
search_counts(int32_t first, int32_t second, int32_t third, int32_t records)
{
	SdcRandom random;
	SdcCubeDimension dimension[3];

	sdc_random_seed(&random, 5, 0);
	dimension[0] = random_dimension(&random, first, true);
	dimension[1] = random_dimension(&random, second, true);
	dimension[2] = random_dimension(&random, third, true);
	search("counts of three keys heuristic",
		   random_table(&random, dimension, 3, records, false), 0);
}

static void
attack_tables(int tables)
{
	double start = bench_start();
	RandomAttack attack = attack_random(tables, 4711);

	bench_line("suppression", "random tables", (size_t) tables, 0,
			   bench_stop(start),
			   "%d protected; %d of them broken; %d others could be",
			   attack.found, attack.broken, attack.missed);
}

int
main(void)
{
	glp_term_out(GLP_OFF);
	search_instances();
	search_size("500 cells", 20, 20, 2e9);
	search_size("5000 cells", 68, 68, 5e9);
	search_size("5000 cells heuristic", 68, 68, 0);
	search_size("100000 cells heuristic", 313, 313, 0);
	search_counts(14, 15, 15, 12000);
	search_counts(41, 44, 44, 300000);
	attack_tables(1000);
	return 0;
}
