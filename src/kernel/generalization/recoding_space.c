/*
 * recoding_space.c
 *		Generalized tuples: what several records have in common, and its loss.
 *
 * The level where two values of a key meet is looked up in a table of all
 * pairs as long as that is small, so that joining two generalized tuples is a
 * few loads for each key.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/recoding_space.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"
#include "kernel/table/hierarchy.h"

/* ----------------------------------------------------------------------
 * Generalized tuples: what several records have in common, and its loss.
 * ----------------------------------------------------------------------
 */

/* Pairs of values of a key that a table is made for. */
#define MOST_PAIRS (1024 * 1024)

static void
fill_value(SdcRecodingColumn *column, const SdcRecodingKey *key, int32_t v)
{
	const SdcHierarchy *hierarchy = key->hierarchy;
	int32_t *group = column->group + (size_t) v * (size_t) column->levels;
	double *cost = column->cost + (size_t) v * (size_t) column->levels;
	int level;

	for (level = 0; level < column->levels; level++)
	{
		/* The root, which NULL meets others in, is all of the domain. */
		bool root = level >= hierarchy->levels ||
					(v == hierarchy->values && level == column->levels - 1);

		if (root)
		{
			group[level] = 0;
			cost[level] = key->weight;
		}
		else if (v == hierarchy->values)
		{
			group[level] = hierarchy->groups[level];
			cost[level] = 0;
		}
		else
		{
			group[level] = hierarchy->group[level][v];
			cost[level] = key->weight * key->share[level][group[level]];
		}
	}
}

static void
fill_pairs(SdcHost *host, SdcRecodingColumn *column)
{
	int32_t v;
	int32_t w;

	column->meet = NULL;
	if ((int64_t) column->values * column->values > MOST_PAIRS)
		return;
	column->meet = sdc_new(host, uint8_t,
						   (size_t) column->values * (size_t) column->values);
	for (v = 0; v < column->values; v++)
		for (w = 0; w < column->values; w++)
			column->meet[v * column->values + w] =
				(uint8_t) sdc_recoding_space_climb(column, v, w);
}

static void
fill_column(SdcHost *host, SdcRecodingColumn *column,
			const SdcRecodingKey *key, bool nulls)
{
	const SdcHierarchy *hierarchy = key->hierarchy;
	int top = hierarchy->levels - 1;
	bool rooted = hierarchy->groups[top] <= 1 && (top > 0 || !nulls);
	size_t items;
	int32_t v;
	int level;

	column->groups = 1;
	for (level = 0; level <= top; level++)
		if (hierarchy->groups[level] >= column->groups)
			column->groups = hierarchy->groups[level] + 1;
	column->values = hierarchy->values + 1;
	column->weight = key->weight;
	column->levels = hierarchy->levels + (rooted ? 0 : 1);
	items = (size_t) column->values * (size_t) column->levels;
	column->group = sdc_new(host, int32_t, items);
	column->cost = sdc_new(host, double, items);
	for (v = 0; v < column->values; v++)
		fill_value(column, key, v);
	fill_pairs(host, column);
}

SdcRecodingSpace *
sdc_recoding_space_new(SdcHost *host, const SdcFrequency *frequency,
					   const SdcClasses *classes, const SdcRecodingKey *key,
					   int keys)
{
	SdcRecodingSpace *space = sdc_new(host, SdcRecodingSpace, 1);
	int32_t t;
	int j;

	space->keys = keys;
	space->tuples = classes->classes;
	space->records = classes->records;
	space->size = classes->size;
	space->code =
		sdc_new(host, int32_t, (size_t) space->tuples * (size_t) keys);
	space->column = sdc_new(host, SdcRecodingColumn, (size_t) keys);
	for (j = 0; j < keys; j++)
	{
		const int32_t *code = frequency->code[j];
		bool nulls = false;

		for (t = 0; t < space->tuples; t++)
		{
			int32_t value = code[classes->first[t]];

			nulls = nulls || value == SDC_CODE_NULL;
			space->code[(size_t) t * (size_t) keys + (size_t) j] =
				value == SDC_CODE_NULL ? key[j].hierarchy->values : value;
			if (t % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
		}
		fill_column(host, &space->column[j], &key[j], nulls);
	}
	return space;
}

int
sdc_recoding_space_climb(const SdcRecodingColumn *column, int32_t v, int32_t w)
{
	const int32_t *a = column->group + (size_t) v * (size_t) column->levels;
	const int32_t *b = column->group + (size_t) w * (size_t) column->levels;
	int level = 0;

	while (level < column->levels - 1 && a[level] != b[level])
		level++;
	return level;
}

double
sdc_recoding_space_join(const SdcRecodingSpace *space, const SdcRecodingBox *a,
						const SdcRecodingBox *b, uint8_t *level)
{
	const int32_t *v = space->code + (size_t) a->tuple * (size_t) space->keys;
	const int32_t *w = space->code + (size_t) b->tuple * (size_t) space->keys;
	double cost = 0;
	int j;

	for (j = 0; j < space->keys; j++)
	{
		const SdcRecodingColumn *column = &space->column[j];
		int joined = sdc_recoding_space_meet(column, v[j], w[j]);

		joined = joined < a->level[j] ? a->level[j] : joined;
		joined = joined < b->level[j] ? b->level[j] : joined;
		cost += sdc_recoding_space_share(column, v[j], joined);
		if (level != NULL)
			level[j] = (uint8_t) joined;
	}
	return cost;
}

/*
 * The least cost of a record in any generalized tuple that covers a and
 * something that b covers.  O(keys).
 */
static double
recoding_space_bound(const SdcRecodingSpace *space, const SdcRecodingBox *a,
					 const SdcRecodingBox *b)
{
	const int32_t *v = space->code + (size_t) a->tuple * (size_t) space->keys;
	const int32_t *w = space->code + (size_t) b->tuple * (size_t) space->keys;
	double cost = 0;
	int j;

	for (j = 0; j < space->keys; j++)
	{
		const SdcRecodingColumn *column = &space->column[j];
		int least = sdc_recoding_space_meet(column, v[j], w[j]);

		/* Below the box's own level there may be a value like a's. */
		if (least <= b->level[j] || least < a->level[j])
			least = a->level[j];
		cost += sdc_recoding_space_share(column, v[j], least);
	}
	return cost;
}

double
sdc_recoding_space_cost(const SdcRecodingSpace *space, int32_t tuple,
						const uint8_t *level)
{
	const int32_t *v = space->code + (size_t) tuple * (size_t) space->keys;
	double cost = 0;
	int j;

	for (j = 0; j < space->keys; j++)
		cost += sdc_recoding_space_share(&space->column[j], v[j], level[j]);
	return cost;
}

/* ----------------------------------------------------------------------
 * A partition of tuples into classes that are generalized alike.
 *
 * Rings of two classes are joined by exchanging two links.
 * ----------------------------------------------------------------------
 */

static uint8_t *
classes_level_of(const SdcRecodingClasses *classes, int32_t number)
{
	return classes->level + (size_t) number * (size_t) classes->space->keys;
}

/* Makes a class of one tuple. */
static void
set_alone(SdcRecodingClasses *classes, int32_t tuple)
{
	uint8_t *level = classes_level_of(classes, tuple);

	classes->of[tuple] = tuple;
	classes->next[tuple] = tuple;
	classes->members[tuple] = 1;
	classes->size[tuple] = classes->space->size[tuple];
	memset(level, 0, (size_t) classes->space->keys);
	classes->cost[tuple] =
		sdc_recoding_space_cost(classes->space, tuple, level);
}

SdcRecodingClasses *
sdc_recoding_classes_new(SdcHost *host, const SdcRecodingSpace *space)
{
	SdcRecodingClasses *classes = sdc_new(host, SdcRecodingClasses, 1);
	size_t n = (size_t) space->tuples;
	int32_t t;

	classes->space = space;
	classes->of = sdc_new(host, int32_t, n);
	classes->next = sdc_new(host, int32_t, n);
	classes->members = sdc_new(host, int32_t, n);
	classes->size = sdc_new(host, int64_t, n);
	classes->cost = sdc_new(host, double, n);
	classes->level = sdc_new(host, uint8_t, n * (size_t) space->keys);
	for (t = 0; t < space->tuples; t++)
	{
		set_alone(classes, t);
		if (t % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
	}
	return classes;
}

SdcRecodingBox
sdc_recoding_classes_box(const SdcRecodingClasses *classes, int32_t number)
{
	SdcRecodingBox box = {number, classes_level_of(classes, number),
						  classes->size[number], classes->cost[number]};

	return box;
}

int32_t
sdc_recoding_classes_merge(SdcRecodingClasses *classes, int32_t a, int32_t b)
{
	bool first = classes->members[a] >= classes->members[b];
	int32_t kept = first ? a : b;
	int32_t gone = first ? b : a;
	SdcRecodingBox box = sdc_recoding_classes_box(classes, kept);
	SdcRecodingBox other = sdc_recoding_classes_box(classes, gone);
	int32_t next = classes->next[kept];
	int32_t t = gone;

	do
	{
		classes->of[t] = kept;
		t = classes->next[t];
	} while (t != gone);
	classes->next[kept] = classes->next[gone];
	classes->next[gone] = next;
	classes->cost[kept] = sdc_recoding_space_join(
		classes->space, &box, &other, classes_level_of(classes, kept));
	classes->size[kept] += classes->size[gone];
	classes->members[kept] += classes->members[gone];
	return kept;
}

void
sdc_recoding_classes_set(SdcRecodingClasses *classes, const int32_t *member,
						 int32_t count)
{
	int32_t i;

	for (i = 0; i < count; i++)
		set_alone(classes, member[i]);
	for (i = 1; i < count; i++)
		sdc_recoding_classes_merge(classes, member[0], member[i]);
}

int32_t
sdc_recoding_classes_list(const SdcRecodingClasses *classes, int32_t number,
						  int32_t *member)
{
	int32_t count = 0;
	int32_t t = number;

	do
	{
		member[count++] = t;
		t = classes->next[t];
	} while (t != number);
	return count;
}

/* ----------------------------------------------------------------------
 * What each class of a release must satisfy.
 *
 * The sensitive values of a class are added up in an array with a place for
 * each code; the codes that were met are then sorted, which is how the
 * measures want them.
 * ----------------------------------------------------------------------
 */

/* What is asked of one sensitive column, and scratch to ask it. */
typedef struct Demanded
{
	int column;
	SdcClassRequest request;
	SdcClassMeasuring *measuring;
	int64_t *total; /* of each code, NULL last; 0 between two calls */
	int32_t *code;  /* codes of a class */
	int64_t *count; /* their records */
} Demanded;

struct SdcRecodingDemand
{
	const SdcFrequency *frequency;
	const SdcClasses *classes;
	int64_t k;
	int sensitives;
	Demanded *sensitive;
};

static void
demand_column(SdcHost *host, const SdcFrequency *frequency, int column,
			  const SdcClassRequest *request, Demanded *demanded)
{
	size_t values = (size_t) frequency->values[column] + 1;
	SdcFrequency own = *frequency;

	/* only the last column is read */
	own.columns = 1;
	own.code = &frequency->code[column];
	own.values = &frequency->values[column];
	demanded->column = column;
	demanded->request = *request;
	demanded->measuring = sdc_class_measures_start(host, &own, request);
	demanded->total = sdc_new(host, int64_t, values);
	demanded->code = sdc_new(host, int32_t, values);
	demanded->count = sdc_new(host, int64_t, values);
	memset(demanded->total, 0, values * sizeof(int64_t));
}

SdcRecodingDemand *
sdc_recoding_demand_new(SdcHost *host, const SdcFrequency *frequency,
						const SdcClasses *classes, int64_t k,
						const SdcClassRequest *sensitive, int sensitives)
{
	SdcRecodingDemand *demand = sdc_new(host, SdcRecodingDemand, 1);
	int s;

	memset(demand, 0, sizeof(*demand));
	demand->frequency = frequency;
	demand->classes = classes;
	demand->k = k;
	demand->sensitives = sensitive != NULL ? sensitives : 0;
	if (demand->sensitives == 0)
		return demand;
	demand->sensitive = sdc_new(host, Demanded, (size_t) sensitives);
	for (s = 0; s < sensitives; s++)
		demand_column(host, frequency, frequency->columns - sensitives + s,
					  &sensitive[s], &demand->sensitive[s]);
	return demand;
}

/* Adds the cells of a tuple; codes met for the first time are noted. */
static int32_t
add_cells(const SdcRecodingDemand *demand, Demanded *demanded, int32_t tuple,
		  int32_t codes)
{
	const SdcFrequency *frequency = demand->frequency;
	int column = demanded->column;
	int32_t cell = demand->classes->first[tuple];

	for (; cell < demand->classes->first[tuple + 1]; cell++)
	{
		int32_t code = frequency->code[column][cell];

		if (code == SDC_CODE_NULL && demanded->request.ignore_nulls)
			continue;
		if (code == SDC_CODE_NULL)
			code = frequency->values[column];
		if (demanded->total[code] == 0)
			demanded->code[codes++] = code;
		demanded->total[code] += frequency->count[cell];
	}
	return codes;
}

int64_t
sdc_recoding_demand_least(const SdcRecodingDemand *demand)
{
	return demand->k;
}

/* The same of one sensitive column. */
static bool
column_met(const SdcRecodingDemand *demand, Demanded *demanded,
		   const int32_t *member, int32_t count)
{
	SdcHistogram histogram = {0, demanded->code, demanded->count, 0};
	int32_t null = demand->frequency->values[demanded->column];
	int32_t i;

	for (i = 0; i < count; i++)
		histogram.cells =
			add_cells(demand, demanded, member[i], histogram.cells);
	/* they come in sorted runs */
	sdc_sort_few(demanded->code, histogram.cells);
	for (i = 0; i < histogram.cells; i++)
	{
		int32_t code = demanded->code[i];

		demanded->count[i] = demanded->total[code];
		histogram.records += demanded->count[i];
		demanded->total[code] = 0;
		if (code == null)
			demanded->code[i] = SDC_CODE_NULL;
	}
	return !sdc_class_measures_refuses(demanded->measuring, &histogram, NULL);
}

bool
sdc_recoding_demand_met(SdcRecodingDemand *demand, const int32_t *member,
						int32_t count, int64_t size)
{
	int s;

	if (size < demand->k)
		return false;
	for (s = 0; s < demand->sensitives; s++)
		if (!column_met(demand, &demand->sensitive[s], member, count))
			return false;
	return true;
}

/* ----------------------------------------------------------------------
 * Nodes of the lattice of generalizations, the cheapest first.
 *
 * A group's share never falls on the way up, so a node costs at least as much
 * as those below it, and a heap that starts with the lowest node gives them in
 * order.  Each node is reached from one node only, the one that is a level
 * lower in its last raised key.
 * ----------------------------------------------------------------------
 */

typedef struct Reached
{
	double cost;
	int32_t number; /* in the order reached: place of its levels */
	int32_t last;   /* the last key that was raised */
} Reached;

struct SdcRecodingNodes
{
	SdcHost *host;
	const SdcRecodingSpace *space;
	double **mean;   /* mean[j][level]: cost of key j over all records */
	Reached *heap;   /* those not given yet */
	int32_t length;  /* of the heap */
	int32_t reached; /* in all */
	int32_t room;
	uint8_t *level;   /* of each node reached */
	uint8_t *current; /* the one that was given last */
};

static double *
mean_costs(SdcHost *host, const SdcRecodingSpace *space, int j)
{
	const SdcRecodingColumn *column = &space->column[j];
	double *mean = sdc_new(host, double, (size_t) column->levels);
	int64_t *records = sdc_new(host, int64_t, (size_t) column->values);
	int32_t t;
	int32_t v;
	int level;

	memset(records, 0, sizeof(int64_t) * (size_t) column->values);
	for (t = 0; t < space->tuples; t++)
		records[space->code[(size_t) t * (size_t) space->keys + (size_t) j]] +=
			space->size[t];
	for (level = 0; level < column->levels; level++)
	{
		double sum = 0;

		for (v = 0; v < column->values; v++)
			sum += (double) records[v] *
				   sdc_recoding_space_share(column, v, level);
		mean[level] = sum / (double) space->records;
	}
	host->release(host, records);
	return mean;
}

static void *
grown(SdcHost *host, void *old, size_t items, size_t room, size_t size)
{
	void *more = host->alloc(host, room, size);

	if (old != NULL)
		memcpy(more, old, items * size);
	host->release(host, old);
	return more;
}

/* Room for one more node. */
static void
make_room(SdcRecodingNodes *nodes)
{
	size_t keys = (size_t) nodes->space->keys;
	size_t items = (size_t) nodes->reached;

	if (nodes->reached < nodes->room)
		return;
	nodes->room = nodes->room == 0 ? 256 : 2 * nodes->room;
	nodes->heap = grown(nodes->host, nodes->heap, (size_t) nodes->length,
						(size_t) nodes->room, sizeof(Reached));
	nodes->level = grown(nodes->host, nodes->level, items * keys,
						 (size_t) nodes->room * keys, 1);
}

static bool
before(const void *of, Reached a, Reached b)
{
	(void) of;
	return a.cost < b.cost || (a.cost == b.cost && a.number < b.number);
}

SDC_HEAP(reached, Reached, const void *, before)

/* Adds the current node, with key j raised by one level if j >= 0. */
static void
reach(SdcRecodingNodes *nodes, int j)
{
	size_t keys = (size_t) nodes->space->keys;
	Reached reached = {0, nodes->reached, j < 0 ? 0 : j};
	uint8_t *level;
	int i;

	make_room(nodes);
	level = nodes->level + (size_t) nodes->reached++ * keys;
	memcpy(level, nodes->current, keys);
	if (j >= 0)
		level[j]++;
	for (i = 0; i < nodes->space->keys; i++)
		reached.cost += nodes->mean[i][level[i]];
	reached_push(NULL, nodes->heap, &nodes->length, reached);
}

SdcRecodingNodes *
sdc_recoding_nodes_new(SdcHost *host, const SdcRecodingSpace *space)
{
	SdcRecodingNodes *nodes = sdc_new(host, SdcRecodingNodes, 1);
	int j;

	memset(nodes, 0, sizeof(*nodes));
	nodes->host = host;
	nodes->space = space;
	nodes->mean = sdc_new(host, double *, (size_t) space->keys);
	for (j = 0; j < space->keys; j++)
		nodes->mean[j] = mean_costs(host, space, j);
	nodes->current = sdc_new(host, uint8_t, (size_t) space->keys);
	memset(nodes->current, 0, (size_t) space->keys);
	reach(nodes, -1);
	return nodes;
}

const uint8_t *
sdc_recoding_nodes_next(SdcRecodingNodes *nodes, double *cost)
{
	size_t keys = (size_t) nodes->space->keys;
	Reached next;
	int j;

	if (nodes->length == 0)
		return NULL;
	next = reached_pop(NULL, nodes->heap, &nodes->length);
	memcpy(nodes->current, nodes->level + (size_t) next.number * keys, keys);
	for (j = next.last; j < nodes->space->keys; j++)
		if (nodes->current[j] + 1 < nodes->space->column[j].levels)
			reach(nodes, j);
	*cost = next.cost;
	return nodes->current;
}

void
sdc_recoding_nodes_release(SdcHost *host, SdcRecodingNodes *nodes)
{
	int j;

	if (nodes == NULL)
		return;
	for (j = 0; j < nodes->space->keys; j++)
		host->release(host, nodes->mean[j]);
	host->release(host, nodes->mean);
	host->release(host, nodes->heap);
	host->release(host, nodes->level);
	host->release(host, nodes->current);
	host->release(host, nodes);
}

/* ----------------------------------------------------------------------
 * Which class a class is best joined with.
 *
 * Nodes wait in a heap by their bound, the least first; the search ends when
 * the bound reaches the best found.  A node knows how many classes are below
 * it and the highest cost of a record that any of them ever had: joining
 * raises the records of the class found by at least the bound less that.
 * ----------------------------------------------------------------------
 */

/* Tuples of a node that is not split. */
#define LEAF 4

typedef struct Node
{
	double highest; /* cost of a record of any class below */
	int32_t tuple;  /* one below */
	int32_t first;  /* tuples below: order[first .. end - 1] */
	int32_t end;
	int32_t child; /* the first of its children, or -1 */
	int32_t children;
	int32_t parent;
	int32_t classes; /* below */
} Node;

typedef struct Waiting
{
	double bound;
	int32_t node;
} Waiting;

struct SdcRecodingTree
{
	SdcHost *host;
	const SdcRecodingClasses *classes;
	const SdcRecodingSpace *space;
	Node *node;
	uint8_t *level; /* of each node: what all below have in common */
	int32_t nodes;
	int32_t *order;   /* tuples */
	int32_t *leaf;    /* of each tuple */
	bool *present;    /* is the class to be found? */
	Waiting *waiting; /* heap */
	int32_t length;
	int64_t least; /* records of any class to be found */
	uint64_t steps;
};

static uint8_t *
level_of(const SdcRecodingTree *tree, int32_t n)
{
	return tree->level + (size_t) n * (size_t) tree->space->keys;
}

static SdcRecodingBox
box_of(const SdcRecodingTree *tree, int32_t n)
{
	SdcRecodingBox box = {tree->node[n].tuple, level_of(tree, n), 0, 0};

	return box;
}

/* What the tuples of a new node have in common. */
static void
add_node(SdcRecodingTree *tree, int32_t parent, int32_t first, int32_t end)
{
	Node *node = &tree->node[tree->nodes];
	uint8_t *level = level_of(tree, tree->nodes);
	int32_t i;
	int j;

	memset(node, 0, sizeof(*node));
	node->tuple = tree->order[first];
	node->first = first;
	node->end = end;
	node->child = -1;
	node->parent = parent;
	memset(level, 0, (size_t) tree->space->keys);
	for (i = first + 1; i < end; i++)
		for (j = 0; j < tree->space->keys; j++)
		{
			int keys = tree->space->keys;
			const int32_t *code = tree->space->code;
			int met = sdc_recoding_space_meet(
				&tree->space->column[j],
				code[(size_t) node->tuple * (size_t) keys + (size_t) j],
				code[(size_t) tree->order[i] * (size_t) keys + (size_t) j]);

			if (met > level[j])
				level[j] = (uint8_t) met;
		}
	tree->nodes++;
}

/* The key that costs a node most; -1 when it has one tuple only. */
static int
key_to_split(const SdcRecodingTree *tree, int32_t n)
{
	const SdcRecodingSpace *space = tree->space;
	const int32_t *code =
		space->code + (size_t) tree->node[n].tuple * (size_t) space->keys;
	double most = -1;
	int key = -1;
	int j;

	for (j = 0; j < space->keys; j++)
	{
		int level = level_of(tree, n)[j];
		double cost =
			sdc_recoding_space_share(&space->column[j], code[j], level);

		if (level > 0 && cost > most)
		{
			most = cost;
			key = j;
		}
	}
	return key;
}

typedef struct Splitting
{
	int32_t *slot;  /* of each group: its place among those found, or -1 */
	int32_t *found; /* groups */
	int32_t *count; /* of each found */
	int32_t *room;  /* tuples in their new order */
} Splitting;

static int32_t
group_of(const SdcRecodingSpace *space, int32_t tuple, int j, int level)
{
	const SdcRecodingColumn *column = &space->column[j];
	int32_t value =
		space->code[(size_t) tuple * (size_t) space->keys + (size_t) j];

	return sdc_recoding_space_group(column, value, level);
}

/* Sorts the tuples of a node by their groups; makes a child of each group. */
static void
split_node(SdcRecodingTree *tree, Splitting *splitting, int32_t n, int j)
{
	Node *node = &tree->node[n];
	int level = level_of(tree, n)[j] - 1;
	int32_t found = 0;
	int32_t place = node->first;
	int32_t i;

	for (i = node->first; i < node->end; i++)
	{
		int32_t group = group_of(tree->space, tree->order[i], j, level);

		if (splitting->slot[group] < 0)
		{
			splitting->slot[group] = found;
			splitting->found[found] = group;
			splitting->count[found++] = 0;
		}
		splitting->count[splitting->slot[group]]++;
	}
	for (i = 0; i < found; i++)
	{
		int32_t count = splitting->count[i];

		splitting->count[i] = place;
		place += count;
	}
	for (i = node->first; i < node->end; i++)
	{
		int32_t group = group_of(tree->space, tree->order[i], j, level);

		splitting->room[splitting->count[splitting->slot[group]]++] =
			tree->order[i];
	}
	memcpy(tree->order + node->first, splitting->room + node->first,
		   sizeof(int32_t) * (size_t) (node->end - node->first));
	node->child = tree->nodes;
	node->children = found;
	place = node->first;
	for (i = 0; i < found; i++)
	{
		splitting->slot[splitting->found[i]] = -1;
		add_node(tree, n, place, splitting->count[i]);
		place = splitting->count[i];
	}
}

static Splitting
start_splitting(SdcHost *host, const SdcRecodingSpace *space)
{
	Splitting splitting;
	int32_t most = 1;
	int32_t g;
	int j;

	for (j = 0; j < space->keys; j++)
		if (space->column[j].groups > most)
			most = space->column[j].groups;
	splitting.slot = sdc_new(host, int32_t, (size_t) most);
	splitting.found = sdc_new(host, int32_t, (size_t) most);
	splitting.count = sdc_new(host, int32_t, (size_t) most);
	splitting.room = sdc_new(host, int32_t, (size_t) space->tuples);
	for (g = 0; g < most; g++)
		splitting.slot[g] = -1;
	return splitting;
}

static void
grow(SdcRecodingTree *tree)
{
	Splitting splitting = start_splitting(tree->host, tree->space);
	int32_t n;
	int32_t i;

	add_node(tree, -1, 0, tree->space->tuples);
	for (n = 0; n < tree->nodes; n++)
	{
		const Node *node = &tree->node[n];
		int j = node->end - node->first > LEAF ? key_to_split(tree, n) : -1;

		tree->host->poll(tree->host, 0, 0);
		if (j >= 0)
			split_node(tree, &splitting, n, j);
		else
			for (i = node->first; i < node->end; i++)
				tree->leaf[tree->order[i]] = n;
	}
	tree->host->release(tree->host, splitting.slot);
	tree->host->release(tree->host, splitting.found);
	tree->host->release(tree->host, splitting.count);
	tree->host->release(tree->host, splitting.room);
}

SdcRecodingTree *
sdc_recoding_tree_new(SdcHost *host, const SdcRecodingClasses *classes)
{
	const SdcRecodingSpace *space = classes->space;
	SdcRecodingTree *tree = sdc_new(host, SdcRecodingTree, 1);
	size_t n = (size_t) space->tuples;
	int32_t t;

	tree->host = host;
	tree->classes = classes;
	tree->space = space;
	tree->nodes = 0;
	tree->steps = 0;
	tree->least = 1;
	tree->node = sdc_new(host, Node, 2 * n);
	tree->level = sdc_new(host, uint8_t, 2 * n * (size_t) space->keys);
	tree->waiting = sdc_new(host, Waiting, 2 * n);
	tree->order = sdc_new(host, int32_t, n);
	tree->leaf = sdc_new(host, int32_t, n);
	tree->present = sdc_new(host, bool, n);
	for (t = 0; t < space->tuples; t++)
		tree->order[t] = t;
	memset(tree->present, 0, n * sizeof(bool));
	grow(tree);
	for (t = 0; t < space->tuples; t++)
		if (classes->of[t] == t)
			sdc_recoding_tree_add(tree, t);
	return tree;
}

void
sdc_recoding_tree_release(SdcRecodingTree *tree)
{
	SdcHost *host = tree->host;

	host->release(host, tree->node);
	host->release(host, tree->level);
	host->release(host, tree->waiting);
	host->release(host, tree->order);
	host->release(host, tree->leaf);
	host->release(host, tree->present);
	host->release(host, tree);
}

void
sdc_recoding_tree_expect(SdcRecodingTree *tree, int64_t least)
{
	tree->least = least;
}

void
sdc_recoding_tree_add(SdcRecodingTree *tree, int32_t number)
{
	bool more = !tree->present[number];
	double cost = tree->classes->cost[number];
	int32_t n;

	tree->present[number] = true;
	for (n = tree->leaf[number]; n >= 0; n = tree->node[n].parent)
	{
		Node *node = &tree->node[n];

		node->classes += more;
		if (cost > node->highest)
			node->highest = cost;
	}
}

void
sdc_recoding_tree_remove(SdcRecodingTree *tree, int32_t number)
{
	int32_t n;

	if (!tree->present[number])
		return;
	tree->present[number] = false;
	for (n = tree->leaf[number]; n >= 0; n = tree->node[n].parent)
		tree->node[n].classes--;
}

static bool
is_nearer(const void *of, Waiting a, Waiting b)
{
	(void) of;
	return a.bound < b.bound;
}

SDC_HEAP(waiting, Waiting, const void *, is_nearer)

/* At least this much does joining the box with a class below a node cost. */
static double
bound_node(SdcRecodingTree *tree, const SdcRecodingBox *box, int32_t n)
{
	SdcRecodingBox below = box_of(tree, n);
	double cost = recoding_space_bound(tree->space, box, &below);
	double bound = (double) box->size * (cost - box->cost);

	if (cost > tree->node[n].highest)
		bound += (double) tree->least * (cost - tree->node[n].highest);
	return bound;
}

/* How much joining the box with a class costs. */
static double
join_cost(const SdcRecodingTree *tree, const SdcRecodingBox *box,
		  int32_t number)
{
	SdcRecodingBox other = sdc_recoding_classes_box(tree->classes, number);
	double cost = sdc_recoding_space_join(tree->space, box, &other, NULL);

	return (double) box->size * (cost - box->cost) +
		   (double) other.size * (cost - other.cost);
}

int32_t
sdc_recoding_tree_nearest(SdcRecodingTree *tree, const SdcRecodingBox *box,
						  double limit, double *increase)
{
	int32_t best = -1;

	*increase = limit;
	tree->length = 0;
	waiting_push(NULL, tree->waiting, &tree->length, (Waiting){0, 0});
	while (tree->length > 0)
	{
		Waiting next = waiting_pop(NULL, tree->waiting, &tree->length);
		const Node *node = &tree->node[next.node];
		int32_t i;

		if (next.bound >= *increase)
			break;
		if (tree->steps++ % (SDC_POLL_STEPS / 16) == 0)
			tree->host->poll(tree->host, 0, 0);
		for (i = 0; i < node->children; i++)
		{
			int32_t child = node->child + i;

			if (tree->node[child].classes > 0)
			{
				double bound = bound_node(tree, box, child);

				if (bound < *increase)
					waiting_push(NULL, tree->waiting, &tree->length,
								 (Waiting){bound, child});
			}
		}
		if (node->children > 0)
			continue;
		for (i = node->first; i < node->end; i++)
		{
			int32_t number = tree->order[i];
			double cost;

			if (!tree->present[number])
				continue;
			cost = join_cost(tree, box, number);
			if (cost < *increase || (cost == *increase && number < best))
			{
				*increase = cost;
				best = number;
			}
		}
	}
	return best;
}
