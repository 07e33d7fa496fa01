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

#include "kernel/local_recoding.h"
#include "kernel/random.h"

#define KEYS      4
#define VALUES    6
#define LEVELS    3
#define TUPLES    64
#define SENSITIVE 4
#define TABLES    400

/* A random table: keys, then a sensitive column, with the hierarchies. */
typedef struct Table
{
	int keys;
	SdcHierarchy hierarchy[KEYS];
	int32_t *group[KEYS][LEVELS];
	int32_t groups[KEYS][LEVELS];
	int32_t room[KEYS][LEVELS][VALUES];
	double *share[KEYS][LEVELS];
	double part[KEYS][LEVELS][VALUES];
	SdcRecodingKey key[KEYS];
	SdcFrequency *frequency;
	SdcClasses *classes;
} Table;

/* What is demanded; 0: not. */
typedef struct Demand
{
	int64_t k;
	int distinct;
	double t;
} Demand;

/* Level 1 joins values at random; level 2 is one group, or at times two. */
static void
make_hierarchy(SdcRandom *random, Table *table, int j)
{
	SdcHierarchy *hierarchy = &table->hierarchy[j];
	int32_t joined = 2 + (int32_t) sdc_random_below(random, 2);
	int32_t tops = sdc_random_below(random, 4) == 0 ? 2 : 1;
	int32_t v;
	int level;

	hierarchy->values = 2 + (int32_t) sdc_random_below(random, VALUES - 1);
	hierarchy->levels = LEVELS;
	hierarchy->group = table->group[j];
	hierarchy->groups = table->groups[j];
	table->groups[j][0] = hierarchy->values;
	table->groups[j][1] = joined;
	table->groups[j][2] = tops;
	memset(table->part[j], 0, sizeof(table->part[j]));
	for (level = 0; level < LEVELS; level++)
	{
		table->group[j][level] = table->room[j][level];
		table->share[j][level] = table->part[j][level];
	}
	for (v = 0; v < hierarchy->values; v++)
	{
		table->room[j][0][v] = v;
		table->room[j][1][v] =
			(int32_t) sdc_random_below(random, (uint64_t) joined);
		table->room[j][2][v] = table->room[j][1][v] % tops;
		for (level = 0; level < LEVELS; level++)
			table->part[j][level][table->room[j][level][v]] +=
				1.0 / hierarchy->values;
	}
	table->key[j].hierarchy = hierarchy;
	table->key[j].share = table->share[j];
	table->key[j].weight = sdc_random_below(random, 3) == 0 ? 0.5 : 1;
}

static void
make_table(SdcRandom *random, Table *table, int keys, int records)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), keys + 1, false);
	int32_t values[KEYS + 1];
	int32_t code[KEYS + 1];
	bool nulls = sdc_random_below(random, 3) == 0;
	int i;
	int j;

	table->keys = keys;
	for (j = 0; j < keys; j++)
	{
		make_hierarchy(random, table, j);
		values[j] = table->hierarchy[j].values;
	}
	values[keys] = SENSITIVE;
	for (i = 0; i < records; i++)
	{
		for (j = 0; j <= keys; j++)
			code[j] = (int32_t) sdc_random_below(random, (uint64_t) values[j]);
		if (nulls && sdc_random_below(random, 4) == 0)
			code[i % keys] = SDC_CODE_NULL;
		sdc_frequency_add(counting, code, 1, 1);
	}
	table->frequency = sdc_frequency_finish(counting, NULL, values, NULL);
	table->classes =
		sdc_frequency_classes(unit_host(), table->frequency, keys);
}

static int32_t
code_of(const Table *table, int32_t tuple, int j)
{
	return table->frequency->code[j][table->classes->first[tuple]];
}

/*
 * The group of a value on a level, as a number that differs from those of
 * other levels; NULL has groups of its own below the root.
 */
static int
shown(const Table *table, int32_t tuple, int j, int level)
{
	int32_t code = code_of(table, tuple, j);
	bool one = table->groups[j][LEVELS - 1] == 1;

	if (level == LEVELS || (level == LEVELS - 1 && one))
		return -1;
	if (code == SDC_CODE_NULL)
		return 1000 + level;
	return 100 * level + table->group[j][level][code];
}

static double
cost_of(const Table *table, int32_t tuple, int j, int level)
{
	int32_t code = code_of(table, tuple, j);

	if (shown(table, tuple, j, level) == -1)
		return table->key[j].weight;
	if (code == SDC_CODE_NULL)
		return 0;
	return table->key[j].weight *
		   table->part[j][level][table->group[j][level][code]];
}

/* The lowest level at which two values are the same. */
static int
meet(const Table *table, int32_t a, int32_t b, int j)
{
	int level = 0;

	while (shown(table, a, j, level) != shown(table, b, j, level))
		level++;
	return level;
}

/* Do these tuples, marked true, satisfy the demand? */
static bool
satisfies(const Table *table, const bool *in, const Demand *demand)
{
	const SdcFrequency *frequency = table->frequency;
	double all[SENSITIVE] = {0};
	double here[SENSITIVE] = {0};
	double size = 0;
	double distance = 0;
	int found = 0;
	int32_t tuple;
	int s;

	for (tuple = 0; tuple < table->classes->classes; tuple++)
	{
		int32_t cell = table->classes->first[tuple];

		for (; cell < table->classes->first[tuple + 1]; cell++)
		{
			double count = (double) frequency->count[cell];

			s = frequency->code[table->keys][cell];
			all[s] += count;
			here[s] += in[tuple] ? count : 0;
			size += in[tuple] ? count : 0;
		}
	}
	for (s = 0; s < SENSITIVE; s++)
	{
		found += here[s] > 0;
		distance +=
			fabs(here[s] / size - all[s] / (double) frequency->records) / 2;
	}
	return size >= (double) demand->k && found >= demand->distinct &&
		   (demand->t == 0 || distance <= demand->t * (1 + 1e-9));
}

/* Loss of the tuples' levels, all records. */
static double
loss_of(const Table *table, const int (*level)[KEYS])
{
	double loss = 0;
	int32_t tuple;
	int j;

	for (tuple = 0; tuple < table->classes->classes; tuple++)
		for (j = 0; j < table->keys; j++)
			loss += (double) table->classes->size[tuple] *
					cost_of(table, tuple, j, level[tuple][j]);
	return loss;
}

static bool
look_alike(const Table *table, const int (*level)[KEYS], int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < table->keys; j++)
		if (shown(table, a, j, level[a][j]) != shown(table, b, j, level[b][j]))
			return false;
	return true;
}

/* Do all classes of equal released tuples satisfy the demand? */
static bool
release_satisfies(const Table *table, const int (*level)[KEYS],
				  const Demand *demand)
{
	int32_t n = table->classes->classes;
	bool in[TUPLES];
	int32_t a;
	int32_t b;

	for (a = 0; a < n; a++)
	{
		for (b = 0; b < n; b++)
			in[b] = look_alike(table, level, a, b);
		if (!satisfies(table, in, demand))
			return false;
	}
	return true;
}

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
						 t};

		make_table(&random, &table, keys, records);
		check_table(&table, &demand, small, &wrong);
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
	Demand demand = {2, 0, 0};
	Demand thrice = {6, 0, 0};
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
	Demand demand = {2, 0, 0};
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
