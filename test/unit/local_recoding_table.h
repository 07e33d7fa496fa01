/*
 * local_recoding_table.h
 *		Small random tables with hierarchies, and what a release of them is.
 *
 * Nothing here uses the kernel under test: a value on a level is written down
 * as a number, and everything is found by comparing all pairs of tuples.
 */
#ifndef SDC_TEST_UNIT_LOCAL_RECODING_TABLE_H
#define SDC_TEST_UNIT_LOCAL_RECODING_TABLE_H

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "unit.h"

#define KEYS      4
#define VALUES    6
#define LEVELS    3
#define TUPLES    64
#define SENSITIVE 4

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
	int32_t nodes; /* to visit at most */
	double visits;
} Demand;

/* Level 1 joins values at random; level 2 is one group, or at times two. */
static inline void
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

static inline void
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

static inline int32_t
code_of(const Table *table, int32_t tuple, int j)
{
	return table->frequency->code[j][table->classes->first[tuple]];
}

/*
 * The group of a value on a level, as a number that differs from those of
 * other levels; NULL has groups of its own below the root.
 */
static inline int
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

static inline double
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
static inline int
meet(const Table *table, int32_t a, int32_t b, int j)
{
	int level = 0;

	while (shown(table, a, j, level) != shown(table, b, j, level))
		level++;
	return level;
}

/* Do these tuples, marked true, satisfy the demand? */
static inline bool
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
static inline double
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

static inline bool
look_alike(const Table *table, const int (*level)[KEYS], int32_t a, int32_t b)
{
	int j;

	for (j = 0; j < table->keys; j++)
		if (shown(table, a, j, level[a][j]) != shown(table, b, j, level[b][j]))
			return false;
	return true;
}

/* Do all classes of equal released tuples satisfy the demand? */
static inline bool
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

#endif
