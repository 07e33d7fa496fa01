/*
 * recoding_tree.c
 *		Which class a class is best joined with.
 *
 * Nodes wait in a heap by their bound, the least first; the search ends when
 * the bound reaches the best found.  A node knows how many classes are below
 * it and the highest cost of a record that any of them ever had: joining
 * raises the records of the class found by at least the bound less that.
 */
#include "kernel/generalization/recoding_tree.h"

#include <string.h>

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

static void
push(SdcRecodingTree *tree, int32_t n, double bound)
{
	Waiting *heap = tree->waiting;
	int32_t i = tree->length++;

	while (i > 0 && heap[(i - 1) / 2].bound > bound)
	{
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i].bound = bound;
	heap[i].node = n;
}

static Waiting
pop(SdcRecodingTree *tree)
{
	Waiting *heap = tree->waiting;
	Waiting top = heap[0];
	Waiting last = heap[--tree->length];
	int32_t i = 0;

	for (;;)
	{
		int32_t c = 2 * i + 1;

		if (c + 1 < tree->length && heap[c + 1].bound < heap[c].bound)
			c++;
		if (c >= tree->length || heap[c].bound >= last.bound)
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = last;
	return top;
}

/* At least this much does joining the box with a class below a node cost. */
static double
bound_node(SdcRecodingTree *tree, const SdcRecodingBox *box, int32_t n)
{
	SdcRecodingBox below = box_of(tree, n);
	double cost = sdc_recoding_space_bound(tree->space, box, &below);
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
	push(tree, 0, 0);
	while (tree->length > 0)
	{
		Waiting next = pop(tree);
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
					push(tree, child, bound);
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
