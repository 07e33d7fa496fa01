/*
 * closeness.c
 *		t-closeness: published figures, and the earth mover's distance as what
 *		it is, a transport of least cost.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "class_data.h"
#include "kernel/base/random.h"
#include "kernel/risk/class_measures.c"
#include "kernel/table/hierarchy.h"

#define SLOTS  (CLASS_VALUES + 1)
#define ROUNDS 3000

/* Nodes of the transport: a source, the class, the table, a sink. */
#define NODES  (2 * SLOTS + 2)
#define SOURCE (2 * SLOTS)
#define SINK   (2 * SLOTS + 1)

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-14 * fmax(fabs(a), fabs(b));
}

/* A network; room[i][j] may still flow, at the cost of one unit. */
typedef struct Network
{
	__int128 room[NODES][NODES];
	int cost[NODES][NODES];
} Network;

/* Cheapest way from the source (Bellman and Ford); false if there is none. */
static bool
cheapest(const Network *network, int *before)
{
	int distance[NODES];
	bool changed = true;
	int i;
	int j;

	for (i = 0; i < NODES; i++)
		distance[i] = i == SOURCE ? 0 : 1000000;
	while (changed)
	{
		changed = false;
		for (i = 0; i < NODES; i++)
			for (j = 0; j < NODES; j++)
				if (network->room[i][j] > 0 && distance[i] < 1000000 &&
					distance[i] + network->cost[i][j] < distance[j])
				{
					distance[j] = distance[i] + network->cost[i][j];
					before[j] = i;
					changed = true;
				}
	}
	return distance[SINK] < 1000000;
}

/* Least cost of moving all mass: flow along cheapest ways until none is. */
static __int128
transport(Network *network)
{
	__int128 cost = 0;
	int before[NODES];

	while (cheapest(network, before))
	{
		__int128 flow = -1;
		int j;

		for (j = SINK; j != SOURCE; j = before[j])
			if (flow < 0 || network->room[before[j]][j] < flow)
				flow = network->room[before[j]][j];
		for (j = SINK; j != SOURCE; j = before[j])
		{
			network->room[before[j]][j] -= flow;
			network->room[j][before[j]] += flow;
			cost += flow * network->cost[before[j]][j];
		}
	}
	return cost;
}

/* The distance between two slots, in steps. */
typedef int (*Steps)(const ClassData *data, const SdcHierarchy *hierarchy,
					 int a, int b);

static double
brute(const ClassData *data, const SdcHierarchy *hierarchy, Steps steps,
	  int largest)
{
	Network *network = calloc(1, sizeof(Network));
	__int128 whole = (__int128) data->histogram.records * data->totals.records;
	double result;
	int i;
	int j;

	for (i = 0; i <= data->totals.values; i++)
	{
		network->room[SOURCE][i] =
			(__int128) data->held[i] * data->totals.records;
		network->room[SLOTS + i][SINK] =
			(__int128) data->total[i] * data->histogram.records;
		for (j = 0; j <= data->totals.values; j++)
		{
			network->room[i][SLOTS + j] = whole;
			network->cost[i][SLOTS + j] = steps(data, hierarchy, i, j);
			network->cost[SLOTS + j][i] = -steps(data, hierarchy, i, j);
		}
	}
	result = largest > 0
				 ? (double) transport(network) / ((double) whole * largest)
				 : 0;
	free(network);
	return result;
}

static int
steps_equal(const ClassData *data, const SdcHierarchy *hierarchy, int a, int b)
{
	(void) data;
	(void) hierarchy;
	return a != b;
}

/* Values that occur between two slots. */
static int
steps_ordered(const ClassData *data, const SdcHierarchy *hierarchy, int a,
			  int b)
{
	int low = a < b ? a : b;
	int high = a < b ? b : a;
	int steps = 0;

	(void) hierarchy;
	for (; low < high; low++)
		steps += data->total[low] > 0;
	return steps;
}

static int
height(const SdcHierarchy *hierarchy)
{
	int top = hierarchy->levels - 1;

	return hierarchy->groups[top] > 1 ? top + 1 : top;
}

/* The lowest level at which both are in one group; NULL only in the root. */
static int
steps_tree(const ClassData *data, const SdcHierarchy *hierarchy, int a, int b)
{
	int level = 0;

	if (a == b)
		return 0;
	if (a == data->totals.values || b == data->totals.values)
		return height(hierarchy);
	while (level < hierarchy->levels &&
		   hierarchy->group[level][a] != hierarchy->group[level][b])
		level++;
	return level;
}

/* A hierarchy of 1 to 4 levels that joins groups at random. */
typedef struct Tree
{
	SdcHierarchy hierarchy;
	int32_t *group[4];
	int32_t groups[4];
	int32_t room[4][CLASS_VALUES];
} Tree;

static void
draw_tree(Tree *tree, SdcRandom *random, int32_t values)
{
	int32_t map[CLASS_VALUES];
	int level;
	int32_t i;

	tree->hierarchy.values = values;
	tree->hierarchy.levels = 1 + (int) sdc_random_below(random, 4);
	tree->hierarchy.group = tree->group;
	tree->hierarchy.groups = tree->groups;
	for (level = 0; level < 4; level++)
	{
		int32_t below = level > 0 ? tree->groups[level - 1] : values;
		int32_t groups =
			level > 0
				? 1 + (int32_t) sdc_random_below(random, (uint64_t) below)
				: values;

		/* the first ones each get a group, so that none is empty */
		for (i = 0; i < below; i++)
			map[i] =
				i < groups
					? i
					: (int32_t) sdc_random_below(random, (uint64_t) groups);
		tree->group[level] = tree->room[level];
		tree->groups[level] = groups;
		for (i = 0; i < values; i++)
			tree->room[level][i] =
				level > 0 ? map[tree->room[level - 1][i]] : i;
	}
}

static void
check_random(int64_t top, int rounds)
{
	bool equal = true;
	bool ordered = true;
	bool hierarchical = true;
	SdcRandom random;
	int round;

	sdc_random_seed(&random, 32, (uint64_t) top);
	for (round = 0; round < rounds; round++)
	{
		ClassData data;
		Tree tree;
		SdcClosenessOrder *order;
		SdcClosenessTree *prepared;

		class_data_draw(&data, &random, round % 4 ? 5 : CLASS_VALUES, top);
		draw_tree(&tree, &random, data.totals.values);
		order = sdc_closeness_order(unit_host(), &data.totals);
		prepared =
			sdc_closeness_tree(unit_host(), &data.totals, &tree.hierarchy);
		equal = equal &&
				close_to(sdc_closeness_equal(&data.histogram, &data.totals),
						 brute(&data, NULL, steps_equal, 1));
		ordered =
			ordered && close_to(sdc_closeness_ordered(&data.histogram, order),
								brute(&data, NULL, steps_ordered,
									  data.totals.occurring - 1));
		/* twice: the scratch must be clean again */
		hierarchical =
			hierarchical &&
			close_to(sdc_closeness_hierarchical(&data.histogram, prepared),
					 brute(&data, &tree.hierarchy, steps_tree,
						   height(&tree.hierarchy))) &&
			sdc_closeness_hierarchical(&data.histogram, prepared) ==
				sdc_closeness_hierarchical(&data.histogram, prepared);
		sdc_closeness_order_release(unit_host(), order);
		sdc_closeness_tree_release(unit_host(), prepared);
	}
	unit_check(equal, "counts up to %lld: equal distance", (long long) top);
	unit_check(ordered, "counts up to %lld: ordered", (long long) top);
	unit_check(hierarchical, "counts up to %lld: hierarchical",
			   (long long) top);
}

/* A class and a table given by their counts. */
static void
fill(ClassData *data, int32_t values, const int64_t *held,
	 const int64_t *total)
{
	memcpy(data->held, held, sizeof(int64_t) * (size_t) values);
	memcpy(data->total, total, sizeof(int64_t) * (size_t) values);
	data->held[values] = 0;
	data->total[values] = 0;
	class_data_index(data, values);
}

static double
ordered_of(int32_t values, const int64_t *held, const int64_t *total)
{
	ClassData data;

	fill(&data, values, held, total);
	return sdc_closeness_ordered(
		&data.histogram, sdc_closeness_order(unit_host(), &data.totals));
}

static double
equal_of(int32_t values, const int64_t *held, const int64_t *total)
{
	ClassData data;

	fill(&data, values, held, total);
	return sdc_closeness_equal(&data.histogram, &data.totals);
}

static void
check_published(void)
{
	/* salaries of 3000 to 11000 (Li et al. 2007) */
	const int64_t salary[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	const int64_t low[] = {1, 1, 1, 0, 0, 0, 0, 0, 0};
	const int64_t spread[] = {0, 0, 0, 1, 0, 1, 0, 0, 1};
	/* cancer, heart disease, infection: the inpatients */
	const int64_t disease[] = {5, 3, 4};
	const int64_t cancer[] = {4, 0, 0};
	const int64_t mixed[] = {1, 1, 2};

	unit_check(ordered_of(9, low, salary) == 0.375,
			   "EX-EMD-1: {3k,4k,5k} is 0.375 away");
	unit_check(close_to(ordered_of(9, spread, salary), 1.0 / 6),
			   "{6k,8k,11k} is 0.167 away");
	unit_check(fabs(equal_of(3, cancer, disease) - 0.583333) < 5e-7 &&
				   close_to(equal_of(3, cancer, disease), 7.0 / 12),
			   "EX-LD-4: four cancers are 0.583333 away");
	unit_check(close_to(equal_of(3, mixed, disease), 1.0 / 6),
			   "EX-LD-4: a class of three diseases 0.166667");
	unit_check(ordered_of(3, disease, disease) == 0 &&
				   equal_of(3, disease, disease) == 0,
			   "the table is 0 away from itself");
	unit_check(ordered_of(1, disease, disease) == 0, "one value");
}

/* Many values, few of them in the class: stretches and their borders. */
static void
check_sparse(void)
{
	enum
	{
		VALUES = 5000
	};
	SdcRandom random;
	bool same = true;
	int round;

	sdc_random_seed(&random, 33, 0);
	for (round = 0; round < 200; round++)
	{
		int64_t *total = calloc(VALUES + 1, sizeof(int64_t));
		int64_t *held = calloc(VALUES, sizeof(int64_t));
		int32_t code[8];
		int64_t count[8];
		SdcHistogram histogram = {0, code, count, 0};
		SdcTotals totals = {VALUES, 0, total, 0};
		__int128 level = 0;
		__int128 sum = 0;
		int32_t i;

		for (i = 0; i < VALUES; i++)
		{
			total[i] = 1 + (int64_t) sdc_random_below(&random, 9);
			totals.records += total[i];
		}
		totals.occurring = VALUES;
		for (i = 0; i < VALUES && histogram.cells < 8;
			 i += 1 + (int32_t) sdc_random_below(&random, 1200))
		{
			code[histogram.cells] = i;
			count[histogram.cells] =
				1 + (int64_t) sdc_random_below(&random, 3);
			held[i] = count[histogram.cells];
			histogram.records += held[i];
			histogram.cells++;
		}
		for (i = 0; i < VALUES; i++)
		{
			level += (__int128) held[i] * totals.records -
					 (__int128) total[i] * histogram.records;
			sum += level < 0 ? -level : level;
		}
		same =
			same && close_to(sdc_closeness_ordered(
								 &histogram,
								 sdc_closeness_order(unit_host(), &totals)),
							 (double) sum / ((double) histogram.records *
											 totals.records * (VALUES - 1)));
		free(total);
		free(held);
	}
	unit_check(same, "8 of %d values", VALUES);
}

int
main(void)
{
	unit_start("closeness");
	check_published();
	check_random(3, ROUNDS);
	check_random(1000, ROUNDS);
	/* 8 x adult and far beyond: 32 and 64 bits overflow */
	check_random(100000, 500);
	check_random(INT64_C(1000000000), 500);
	check_random(INT64_C(1) << 42, 500);
	check_sparse();
	return unit_finish();
}
