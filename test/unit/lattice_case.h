/*
 * lattice_case.h
 *		Small problems for the lattice search, drawn at random.
 */
#ifndef SDC_TEST_UNIT_LATTICE_CASE_H
#define SDC_TEST_UNIT_LATTICE_CASE_H

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/generalization/lattice.h"
#include "kernel/risk/class_measures.h"
#include "kernel/risk/risk.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"
#include "unit.h"

#define KEYS   4
#define VALUES 6
#define LEVELS 4
#define COLS   (KEYS + 2)
#define CELLS  64
#define NODES  256

typedef struct Tree
{
	SdcHierarchy hierarchy;
	int32_t *group[LEVELS];
	int32_t groups[LEVELS];
	int32_t room[LEVELS][VALUES];
	const double *share[LEVELS];
	double part[LEVELS][VALUES];
} Tree;

typedef struct Case
{
	Tree tree[COLS];
	SdcLatticeKey key[KEYS];
	SdcLatticeSensitive sensitive[2];
	SdcLatticeProblem problem;
	SdcSizeBounds sizes;
	bool allowed[2][VALUES + 1];
	bool guarded[2][VALUES + 1];
	const SdcFrequency *table;
	const SdcFrequency *people; /* a register, or NULL */
	SdcTotals totals[2];
	int64_t total[2][VALUES + 1];
} Case;

static inline int32_t
below(SdcRandom *random, int n)
{
	return (int32_t) sdc_random_below(random, (uint64_t) n);
}

/* Levels that nest; a group may stay empty. */
static inline void
draw_tree(SdcRandom *random, Tree *tree)
{
	double width[VALUES];
	double sum = 0;
	int32_t v;
	int l;

	tree->hierarchy.values = 1 + below(random, VALUES);
	tree->hierarchy.levels = 1 + below(random, LEVELS);
	tree->hierarchy.group = tree->group;
	tree->hierarchy.groups = tree->groups;
	for (v = 0; v < tree->hierarchy.values; v++)
		sum += width[v] = 0.1 + sdc_random_unit(random);
	for (l = 0; l < tree->hierarchy.levels; l++)
	{
		int32_t joined[VALUES];

		tree->groups[l] = l == 0 ? tree->hierarchy.values
								 : 1 + below(random, tree->groups[l - 1]);
		for (v = 0; l > 0 && v < tree->groups[l - 1]; v++)
			joined[v] = below(random, tree->groups[l]);
		for (v = 0; v < VALUES; v++)
			tree->part[l][v] = 0;
		for (v = 0; v < tree->hierarchy.values; v++)
		{
			tree->room[l][v] = l == 0 ? v : joined[tree->room[l - 1][v]];
			tree->part[l][tree->room[l][v]] += width[v] / sum;
		}
		tree->group[l] = tree->room[l];
		tree->share[l] = tree->part[l];
	}
}

static inline void
draw_key(SdcRandom *random, const Tree *tree, SdcLatticeKey *key)
{
	*key = sdc_lattice_key(&tree->hierarchy);
	if (below(random, 2))
	{
		key->share = tree->share;
		key->domain = below(random, 3) ? 40 : 0;
	}
	key->lowest = below(random, 4) ? 0 : below(random, key->highest + 1);
	if (below(random, 4) == 0)
		key->highest =
			key->lowest + below(random, key->highest - key->lowest + 1);
	key->weight = below(random, 2) ? 1 : 0.25 * below(random, 5);
	key->join_nulls = below(random, 2);
}

/* Values that may be disclosed, and values that must be there. */
static inline void
draw_lists(SdcRandom *random, int32_t values, bool *allowed, bool *guarded,
		   SdcClassRequest *request)
{
	int32_t v;

	for (v = 0; v <= values; v++)
	{
		allowed[v] = below(random, 3) == 0;
		guarded[v] = below(random, 4) == 0;
		request->guards += guarded[v];
	}
	/* one that no record has */
	request->guards += below(random, 12) == 0;
	if (below(random, 4))
		request->allowed = allowed;
	request->guarded = guarded;
}

/* One to three bounds; those of whole numbers may be met exactly. */
static inline void
draw_request(SdcRandom *random, const Tree *tree, bool *allowed, bool *guarded,
			 SdcClassRequest *request)
{
	double *bound = request->bound;
	int models = 1 + below(random, 2);

	*request = sdc_class_measures_request();
	request->hierarchy = &tree->hierarchy;
	request->ignore_nulls = below(random, 4) == 0;
	request->c = 1 + 2 * sdc_random_unit(random);
	draw_lists(random, tree->hierarchy.values, allowed, guarded, request);
	while (models-- > 0)
	{
		SdcClassMeasure measure =
			(SdcClassMeasure) below(random, SDC_CLASS_MEASURES);

		if (measure == SDC_CLASS_PROTECTED)
			bound[measure] = 0.3 * sdc_random_unit(random);
		else if (measure == SDC_CLASS_DISTINCT ||
				 measure == SDC_CLASS_RECURSIVE ||
				 measure == SDC_CLASS_PD_RECURSIVE)
			bound[measure] = 1 + below(random, 3);
		else if (measure < SDC_CLASS_RECURSIVE)
			bound[measure] = 1 + 1.5 * sdc_random_unit(random);
		else if (measure < SDC_CLASS_BETA)
			bound[measure] = 0.1 + 0.6 * sdc_random_unit(random);
		else
			bound[measure] = 0.5 + 2 * sdc_random_unit(random);
	}
}

static inline void
draw_records(SdcRandom *random, Case *one)
{
	int columns = one->problem.keys + one->problem.sensitives;
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), columns, false);
	int records = 1 + below(random, CELLS);
	int32_t values[COLS];
	int32_t code[COLS];
	int i;
	int j;

	for (j = 0; j < columns; j++)
		values[j] = one->tree[j].hierarchy.values;
	for (i = 0; i < records; i++)
	{
		for (j = 0; j < columns; j++)
			code[j] = below(random, 12) == 0
						  ? SDC_CODE_NULL
						  : below(random, 1 + below(random, values[j]));
		sdc_frequency_add(counting, code, 1 + below(random, 3), 1);
	}
	one->table = sdc_frequency_finish(counting, NULL, values, NULL);
}

/* A register that holds most of the records, and others. */
static inline void
draw_people(SdcRandom *random, Case *one)
{
	int keys = one->problem.keys;
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), keys, false);
	int others = below(random, CELLS);
	int32_t values[COLS];
	int32_t code[COLS];
	int32_t cell;
	int i;
	int j;

	for (j = 0; j < keys; j++)
		values[j] = one->tree[j].hierarchy.values;
	for (cell = 0; cell < one->table->cells; cell++)
	{
		for (j = 0; j < keys; j++)
			code[j] = one->table->code[j][cell];
		if (below(random, 30))
			sdc_frequency_add(counting, code, one->table->count[cell], 1);
	}
	for (i = 0; i < others; i++)
	{
		for (j = 0; j < keys; j++)
			code[j] = below(random, 20) == 0 ? SDC_CODE_NULL
											 : below(random, values[j]);
		sdc_frequency_add(counting, code, 1 + below(random, 6), 1);
	}
	one->people = sdc_frequency_finish(counting, NULL, values, NULL);
	one->problem.people = one->people;
}

/* Up to three bounds on the sizes of classes. */
static inline void
draw_sizes(SdcRandom *random, Case *one)
{
	double *bound = one->sizes.bound;
	int models = 1 + below(random, 2);

	one->sizes = sdc_size_bounds();
	one->sizes.threshold = 0.05 + 0.4 * sdc_random_unit(random);
	one->sizes.people =
		(double) one->table->records * (1 + 9 * sdc_random_unit(random));
	one->problem.sizes = &one->sizes;
	if (below(random, 2))
		draw_people(random, one);
	while (models-- > 0)
	{
		int first =
			one->people != NULL && below(random, 3) ? 0 : SDC_SIZE_AVERAGE;
		int m = first + below(random, SDC_SIZE_MEASURES - first);

		if (m == SDC_SIZE_K_MAP || m == SDC_SIZE_AVERAGE)
			bound[m] = 1 + below(random, 12) / 2.0;
		else if (m == SDC_SIZE_PRESENCE_LOWEST)
			bound[m] = 0.1 * below(random, 3);
		else if (m == SDC_SIZE_POPULATION_UNIQUES)
			bound[m] = 0.05 * sdc_random_unit(random);
		else
			bound[m] = below(random, 11) / 10.0;
	}
}

static inline void
draw_case(SdcRandom *random, int round, Case *one)
{
	int j;

	memset(one, 0, sizeof(*one));
	one->problem = sdc_lattice_problem();
	one->problem.keys = 1 + below(random, KEYS);
	one->problem.sensitives = below(random, 3);
	one->problem.key = one->key;
	one->problem.sensitive = one->sensitive;
	for (j = 0; j < one->problem.keys + one->problem.sensitives; j++)
		draw_tree(random, &one->tree[j]);
	for (j = 0; j < one->problem.keys; j++)
		draw_key(random, &one->tree[j], &one->key[j]);
	one->key[0].weight = 1;
	for (j = 0; j < one->problem.sensitives; j++)
		draw_request(random, &one->tree[one->problem.keys + j],
					 one->allowed[j], one->guarded[j],
					 &one->sensitive[j].request);
	draw_records(random, one);
	one->problem.frequency = one->table;
	one->problem.metric = (SdcLatticeMetric) (round % SDC_LATTICE_METRICS);
	one->problem.mean = (SdcLatticeMean) below(random, 4);
	one->problem.suppression_factor = 0.25 * below(random, 5);
	if (below(random, 4) == 0)
		draw_sizes(random, one);
	one->problem.k = below(random, 6);
	one->problem.limit = below(random, 3) == 0
							 ? 0
							 : below(random, 1 + (int) one->table->records);
}

#endif
