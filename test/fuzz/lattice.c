/*
 * lattice.c
 *		The best node of a lattice against going through all of them.
 */
#include "fuzz.h"

#include <math.h>

#include "kernel/generalization/lattice.h"

#define LATTICE_ROWS   40
#define LATTICE_KEYS   3
#define LATTICE_VALUES 6
#define LATTICE_LEVELS 4

static int32_t lattice_code[LATTICE_ROWS][LATTICE_KEYS];
static int lattice_rows;
static SdcLatticeKey lattice_key[LATTICE_KEYS];
static SdcLatticeProblem lattice_problem;

/* Levels that nest: each joins groups of the one below, as bytes say. */
static SdcHierarchy *
lattice_hierarchy(FuzzBytes *bytes, int32_t values)
{
	int levels = 1 + fuzz_byte(bytes) % LATTICE_LEVELS;
	SdcHierarchy *hierarchy = sdc_hierarchy_new(unit_host(), values, levels);
	int level;
	int32_t v;

	for (level = 1; level < levels; level++)
	{
		int32_t to[LATTICE_VALUES];
		int32_t number[LATTICE_VALUES];
		int32_t groups = hierarchy->groups[level - 1];
		int32_t below = groups;
		int32_t i;

		for (i = 0; i < LATTICE_VALUES; i++)
			number[i] = -1;
		for (i = 0; i < below; i++)
			to[i] = fuzz_byte(bytes) % below;
		groups = 0;
		for (i = 0; i < below; i++)
			if (number[to[i]] < 0)
				number[to[i]] = groups++;
		for (v = 0; v < values; v++)
			hierarchy->group[level][v] =
				number[to[hierarchy->group[level - 1][v]]];
		hierarchy->groups[level] = groups;
	}
	return hierarchy;
}

static int32_t
lattice_group(int j, int level, int32_t code)
{
	const SdcHierarchy *hierarchy = lattice_key[j].hierarchy;

	if (code != SDC_CODE_NULL)
		return hierarchy->group[level][code];
	return lattice_key[j].join_nulls && hierarchy->groups[level] == 1 ? 0 : -1;
}

static bool
lattice_agree(const uint8_t *level, int a, int b)
{
	int j;

	for (j = 0; j < lattice_problem.keys; j++)
		if (lattice_group(j, level[j], lattice_code[a][j]) !=
			lattice_group(j, level[j], lattice_code[b][j]))
			return false;
	return true;
}

/* The node by its records; its score where that is a word of arithmetic. */
static SdcLatticeNode
lattice_look(const uint8_t *level)
{
	SdcLatticeNode node = {0};
	double squares = 0;
	int j;
	int a;
	int b;

	node.score = 0;
	for (a = 0; a < lattice_rows; a++)
	{
		int64_t alike = 0;
		bool first = true;

		for (b = 0; b < lattice_rows; b++)
			if (lattice_agree(level, a, b))
			{
				alike++;
				first = first && b >= a;
			}
		if (alike < lattice_problem.k)
		{
			node.suppressed++;
			continue;
		}
		squares += (double) alike;
		if (!first)
			continue;
		node.classes++;
		node.smallest = node.smallest == 0 || alike < node.smallest
							? alike
							: node.smallest;
		node.largest = alike > node.largest ? alike : node.largest;
	}
	node.feasible = node.suppressed <= lattice_problem.limit;
	for (j = 0; j < lattice_problem.keys; j++)
		node.score += level[j];
	if (lattice_problem.metric == SDC_LATTICE_DISCERNIBILITY)
		node.score = squares + (double) node.suppressed * lattice_rows;
	return node;
}

static void
lattice_same(const SdcLatticeNode *found, const SdcLatticeNode *right)
{
	fuzz_check(found->feasible == right->feasible &&
				   found->suppressed == right->suppressed,
			   "a node's records that are suppressed");
	/* of what cannot be taken no more is counted than shows that */
	if (!right->feasible)
		return;
	fuzz_check(found->classes == right->classes &&
				   found->smallest == right->smallest &&
				   found->largest == right->largest,
			   "a node's classes");
	if (lattice_problem.metric == SDC_LATTICE_HEIGHT ||
		lattice_problem.metric == SDC_LATTICE_DISCERNIBILITY)
		fuzz_check(fabs(found->score - right->score) <= 1e-9 * right->score,
				   "a node's score");
}

/* All nodes, counted up like an odometer. */
static void
lattice_all(SdcLattice *lattice, const SdcLatticeResult *result)
{
	uint8_t level[SDC_LATTICE_MAX_KEYS] = {0};
	int64_t feasible = 0;
	int64_t alike = 0;
	int64_t nodes = 0;
	int j = 0;

	while (j < lattice_problem.keys)
	{
		SdcLatticeNode right = lattice_look(level);
		SdcLatticeNode node;

		sdc_lattice_check(lattice, level, &node);
		lattice_same(&node, &right);
		nodes++;
		if (right.feasible)
		{
			feasible++;
			fuzz_check(result->found &&
						   !(node.score < result->best.score -
											  1e-9 * fabs(result->best.score)),
					   "no node is better than the best");
			alike += node.score == result->best.score;
		}
		for (j = 0; j < lattice_problem.keys; j++)
		{
			if (level[j] < lattice_key[j].highest)
			{
				level[j]++;
				break;
			}
			level[j] = 0;
		}
	}
	fuzz_check(result->proven && result->nodes == nodes &&
				   result->found == (feasible > 0),
			   "found when there is one");
	if (lattice_problem.metric == SDC_LATTICE_HEIGHT)
		fuzz_check(result->optima == alike, "all that are as good");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes bytes = {data, size};
	int keys = 1 + fuzz_byte(&bytes) % LATTICE_KEYS;
	int32_t values[LATTICE_KEYS];
	SdcFrequencyCount *counting;
	SdcLatticeResult result;
	SdcLattice *lattice;
	int32_t *place;
	int i;
	int j;

	lattice_problem = sdc_lattice_problem();
	lattice_problem.k = 1 + fuzz_byte(&bytes) % 5;
	lattice_problem.limit = fuzz_byte(&bytes) % 9;
	lattice_problem.metric =
		(SdcLatticeMetric) (fuzz_byte(&bytes) % SDC_LATTICE_METRICS);
	for (j = 0; j < keys; j++)
	{
		values[j] = 1 + fuzz_byte(&bytes) % LATTICE_VALUES;
		lattice_key[j] = sdc_lattice_key(lattice_hierarchy(&bytes, values[j]));
		lattice_key[j].join_nulls = fuzz_byte(&bytes) % 2 == 0;
	}
	for (i = 0; i < LATTICE_ROWS && (i == 0 || bytes.left > 0); i++)
		for (j = 0; j < keys; j++)
		{
			int32_t code = fuzz_byte(&bytes) % (values[j] + 1);

			lattice_code[i][j] = code == values[j] ? SDC_CODE_NULL : code;
		}
	lattice_rows = i;
	counting = sdc_frequency_start(unit_host(), keys, false);
	for (i = 0; i < lattice_rows; i++)
		sdc_frequency_add(counting, lattice_code[i], 1, 1);
	lattice_problem.frequency =
		sdc_frequency_finish(counting, NULL, values, &place);
	lattice_problem.keys = keys;
	lattice_problem.key = lattice_key;
	fuzz_check(sdc_lattice_start(unit_host(), &lattice_problem, &lattice,
								 NULL) == SDC_LATTICE_OK,
			   "a problem that can be searched");
	sdc_lattice_search(lattice, NULL, &result);
	lattice_all(lattice, &result);
	sdc_lattice_release(lattice);
	unit_release_all();
	return 0;
}
