/*
 * local_recoding.c
 *		Local recoding of small random tables against slow oracles.
 *
 * The release is checked value by value, without the kernel's classes: what
 * each record becomes is written down and equal records are counted.  Its loss
 * is compared with that of every full-domain recoding, and on tables of few
 * tuples with that of every way to partition them.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/local_recoding.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "local_recoding_table.h"

#define TABLES 400

/* The loss of the best full-domain recoding; infinite when there is none. */
static double
best_full_domain(const Table *table, const Demand *demand)
{
	int level[TUPLES][KEYS];
	int node[KEYS] = {0};
	double best = INFINITY;
	int32_t tuple;
	int j;

	do
	{
		for (tuple = 0; tuple < table->classes->classes; tuple++)
			memcpy(level[tuple], node, sizeof(node));
		if (loss_of(table, level) < best &&
			release_satisfies(table, level, demand))
			best = loss_of(table, level);
		for (j = 0; j < table->keys && ++node[j] > LEVELS; j++)
			node[j] = 0;
	} while (j < table->keys);
	return best;
}

/* Loss of a partition: part[tuple]; infinite when a class fails. */
static double
partition_loss(const Table *table, const int *part, const Demand *demand)
{
	int32_t n = table->classes->classes;
	int level[TUPLES][KEYS] = {{0}};
	bool in[TUPLES];
	int32_t a;
	int32_t b;
	int j;

	for (a = 0; a < n; a++)
	{
		for (b = 0; b < n; b++)
		{
			in[b] = part[a] == part[b];
			for (j = 0; in[b] && j < table->keys; j++)
				if (meet(table, a, b, j) > level[a][j])
					level[a][j] = meet(table, a, b, j);
		}
		if (!satisfies(table, in, demand))
			return INFINITY;
	}
	return loss_of(table, level);
}

/* The best of all partitions of the tuples from the i-th on. */
static double
best_partition(const Table *table, const Demand *demand, int *part, int32_t i,
			   int classes)
{
	double best = INFINITY;
	int c;

	if (i == table->classes->classes)
		return partition_loss(table, part, demand);
	for (c = 0; c <= classes; c++)
	{
		double loss;

		part[i] = c;
		loss = best_partition(table, demand, part, i + 1,
							  c == classes ? classes + 1 : classes);
		best = loss < best ? loss : best;
	}
	return best;
}

static SdcLocalRecoding *
recode(const Table *table, const Demand *demand)
{
	SdcLocalRecodingRequest request = sdc_local_recoding_request();
	SdcClassRequest sensitive = sdc_class_measures_request();

	sensitive.wanted =
		SDC_CLASS_WANT(SDC_CLASS_DISTINCT) | SDC_CLASS_WANT(SDC_CLASS_T_EQUAL);
	if (demand->distinct > 0)
		sensitive.bound[SDC_CLASS_DISTINCT] = demand->distinct;
	if (demand->t > 0)
		sensitive.bound[SDC_CLASS_T_EQUAL] = demand->t;
	request.k = demand->k;
	request.visits = demand->visits;
	if (demand->nodes > 0)
		request.nodes = demand->nodes;
	if (demand->distinct > 0 || demand->t > 0)
		request.sensitive = &sensitive;
	return sdc_local_recoding(unit_host(), table->frequency, table->classes,
							  table->key, table->keys, &request);
}

/* What went wrong, over all tables. */
typedef struct Wrong
{
	int refused;
	int levels;
	int demand;
	int classes;
	int granularity;
	int full_domain;
	int optimum;
	int optimal;     /* tables where the optimum was found */
	int compared;    /* with the optimum */
	double excess;   /* loss above the optimum, summed */
	double possible; /* loss of the optimum, summed */
} Wrong;

/* Is the granularity, and what is said of the classes, right? */
static void
check_figures(const Table *table, const SdcLocalRecoding *local,
			  const int (*level)[KEYS], Wrong *wrong)
{
	int none[TUPLES][KEYS] = {{0}};
	int32_t n = table->classes->classes;
	double loss = loss_of(table, level);
	double least = loss_of(table, none);
	double most = 0;
	double expected;
	int32_t a;
	int32_t b;
	int j;

	for (j = 0; j < table->keys; j++)
		most += (double) table->frequency->records * table->key[j].weight;
	expected = most > least ? 1 - (loss - least) / (most - least) : 1;
	wrong->granularity += fabs(expected - local->granularity) > 1e-12;
	for (a = 0; a < n; a++)
	{
		int64_t size = 0;

		for (b = 0; b < n; b++)
		{
			bool alike = look_alike(table, level, a, b);

			size += alike ? table->classes->size[b] : 0;
			wrong->classes += alike != (local->number[a] == local->number[b]);
		}
		wrong->classes += size != local->size[local->number[a]];
	}
}

static void
check_table(const Table *table, const Demand *demand, bool small, Wrong *wrong)
{
	SdcLocalRecoding *local = recode(table, demand);
	int level[TUPLES][KEYS] = {{0}};
	int part[TUPLES];
	bool all[TUPLES];
	double loss;
	double best;
	int32_t t;
	int j;

	memset(all, true, sizeof(all));
	wrong->refused += (local == NULL) == satisfies(table, all, demand);
	if (local == NULL)
		return;
	for (t = 0; t < local->tuples; t++)
		for (j = 0; j < table->keys; j++)
		{
			level[t][j] = local->level[t * table->keys + j];
			wrong->levels += level[t][j] > LEVELS;
		}
	wrong->demand += !release_satisfies(table, level, demand);
	check_figures(table, local, level, wrong);
	loss = loss_of(table, level);
	if (demand->nodes == 0 && demand->visits == 0)
		wrong->full_domain += loss > best_full_domain(table, demand) + 1e-9;
	if (!small)
		return;
	best = best_partition(table, demand, part, 0, 0);
	wrong->optimum += loss < best - 1e-9;
	wrong->optimal += loss <= best + 1e-9;
	wrong->compared++;
	wrong->excess += loss - best;
	wrong->possible += best;
}

static void
check_random(const char *what, int distinct, double t)
{
	Wrong wrong = {0};
	SdcRandom random;
	Table table;
	int i;

	sdc_random_seed(&random, 7, (uint64_t) (distinct + 10));
	for (i = 0; i < TABLES; i++)
	{
		bool small = i % 2 == 0;
		int keys = 1 + (int) sdc_random_below(&random, KEYS - 1);
		int records = 1 + (int) sdc_random_below(&random, small ? 7 : TUPLES);
		Demand demand = {1 + (int64_t) sdc_random_below(&random, 5), distinct,
						 t, 0, 0};

		make_table(&random, &table, keys, records);
		check_table(&table, &demand, small, &wrong);
		/* a search that is cut short gives less, but nothing wrong */
		demand.nodes = 1 + i % 4;
		check_table(&table, &demand, false, &wrong);
		demand.nodes = 0;
		demand.visits = 20 * (1 + i % 4);
		check_table(&table, &demand, false, &wrong);
		unit_release_all();
	}
	unit_check(wrong.refused == 0, "%s: refused only what cannot be met: %d",
			   what, wrong.refused);
	unit_check(wrong.levels == 0 && wrong.demand == 0,
			   "%s: every class satisfies the demand: %d fail", what,
			   wrong.demand);
	unit_check(wrong.classes == 0, "%s: classes are what looks alike: %d not",
			   what, wrong.classes);
	unit_check(wrong.granularity == 0, "%s: granularity: %d wrong", what,
			   wrong.granularity);
	unit_check(wrong.full_domain == 0,
			   "%s: never worse than full-domain recoding: %d are", what,
			   wrong.full_domain);
	unit_check(wrong.optimum == 0 && wrong.compared > 50 &&
				   wrong.optimal * 10 >= wrong.compared * 8 &&
				   wrong.excess <= 0.04 * wrong.possible,
			   "%s: optimal in %d of %d tables, loss %.2f %% above", what,
			   wrong.optimal, wrong.compared,
			   100 * wrong.excess / wrong.possible);
}

/* Three times the records at three times k: the same levels. */
static void
check_scaled(void)
{
	Demand demand = {2, 0, 0, 0, 0};
	Demand thrice = {6, 0, 0, 0, 0};
	SdcLocalRecoding *once;
	SdcLocalRecoding *more;
	SdcRandom random;
	Table table;
	int32_t i;

	sdc_random_seed(&random, 3, 3);
	make_table(&random, &table, 3, TUPLES);
	once = recode(&table, &demand);
	for (i = 0; i < table.frequency->cells; i++)
		table.frequency->count[i] *= 3;
	for (i = 0; i < table.classes->classes; i++)
		table.classes->size[i] *= 3;
	table.classes->records *= 3;
	table.frequency->records *= 3;
	more = recode(&table, &thrice);
	unit_check(memcmp(once->level, more->level,
					  (size_t) once->tuples * (size_t) once->keys) == 0 &&
				   once->classes == more->classes,
			   "three times the records at three times k");
	unit_release_all();
}

/*
 * Values 0 1 | 2 3 under one top, one record each but for value 0: at k = 2
 * value 0 stays, 2 and 3 become their group, and value 1 has nobody but 0.
 */
static void
check_by_hand(void)
{
	static const int32_t joined[4] = {0, 0, 1, 1};
	SdcRandom random;
	Table table;
	Demand demand = {2, 0, 0, 0, 0};
	SdcLocalRecoding *local;
	int32_t v;

	sdc_random_seed(&random, 1, 1);
	make_table(&random, &table, 1, 1);
	table.hierarchy[0].values = 4;
	table.key[0].weight = 1;
	for (v = 0; v < 4; v++)
	{
		table.room[0][0][v] = v;
		table.room[0][1][v] = joined[v];
		table.room[0][2][v] = 0;
		table.part[0][0][v] = 0.25;
		table.part[0][1][joined[v]] = 0.5;
		table.part[0][2][0] = 1;
	}
	table.groups[0][0] = 4;
	table.groups[0][1] = 2;
	table.groups[0][2] = 1;
	{
		SdcFrequencyCount *counting =
			sdc_frequency_start(unit_host(), 2, false);
		int32_t values[2] = {4, 1};

		for (v = 0; v < 4; v++)
		{
			int32_t code[2] = {v, 0};

			sdc_frequency_add(counting, code, v == 0 ? 3 : 1, 1);
		}
		table.frequency = sdc_frequency_finish(counting, NULL, values, NULL);
		table.classes = sdc_frequency_classes(unit_host(), table.frequency, 1);
	}
	local = recode(&table, &demand);
	unit_check(local->classes == 2 && local->level[0] == 1 &&
				   local->level[1] == 1 && local->level[2] == 1 &&
				   local->level[3] == 1,
			   "by hand: both groups");
	/* 6 records at 0.5 each, 0.25 at least and 1 at most */
	unit_check(fabs(local->granularity - (1 - 1.5 / 4.5)) < 1e-12,
			   "by hand: granularity %g", local->granularity);
	demand.k = 7;
	unit_check(recode(&table, &demand) == NULL, "k above the records");
	demand.k = 6;
	local = recode(&table, &demand);
	unit_check(local->classes == 1 && local->granularity == 0,
			   "k equal to the records");
	demand.k = 1;
	local = recode(&table, &demand);
	unit_check(local->classes == 4 && local->granularity == 1,
			   "k = 1 changes nothing");
	unit_release_all();
}

int
main(void)
{
	unit_start("local_recoding");
	check_by_hand();
	check_scaled();
	check_random("k", 0, 0);
	check_random("k and distinct l", 2, 0);
	check_random("k and t", 0, 0.3);
	return unit_finish();
}
