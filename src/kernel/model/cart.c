/*
 * cart.c
 *		Classification and regression trees over columns cut into bins.
 *
 * A node's records are brought into groups of equal bins of a predictor, with
 * the classes or the sum of each group; a split puts the first groups on one
 * side.  Numbers keep their order.  Categories are put in the order of their
 * mean, or with more than two classes in that of the first principal
 * direction of their shares of classes, so that L of them take L - 1 splits
 * and not 2^(L-1) (Coppersmith, Hong and Hosking 1999).  Large nodes make
 * groups by a histogram, small ones by sorting their records, so a level of
 * the tree costs about the same however many nodes it has.
 *
 * Counts are integers; sums of numbers are taken in the order of the records,
 * which the caller has made canonical, and which a split keeps on both sides.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/model/cart.h"

/* Records per leaf below which a node is not split, as rpart has it. */
#define SPLIT_LEAVES 3

/* Rounds of the power iteration: an order is needed, not a direction. */
#define POWER_ROUNDS 6

/* Groups that are sorted by insertion. */
#define FEW 48

/* A split so far. */
typedef struct Split
{
	double gain;
	int column;
	uint32_t cut;   /* of numbers */
	int32_t groups; /* of categories: how many go to yes */
	int32_t rows;   /* that go to yes */
} Split;

/* What growing needs. */
typedef struct Growth
{
	SdcHost *host;
	const SdcCartPredictor *predictor;
	int predictors;
	const SdcCartTarget *target;
	SdcCart *tree;
	int32_t classes;
	int32_t nodes_room;
	double least; /* a split gains more than this */

	/* of the node */
	int32_t rows;
	int32_t *label;  /* of its records, in their order */
	double *number;  /* the same */
	int64_t *total;  /* by class */
	int64_t squares; /* sum of total^2 */
	double sum;

	/* groups of a predictor: cells first[g] .. first[g + 1] - 1 */
	int32_t groups;
	int32_t *first;
	uint16_t *bin;     /* of each group */
	int32_t *size;     /* records */
	double *mass;      /* sum of numbers */
	double *score;     /* what categories are ordered by */
	int32_t *order;    /* the groups as they are split */
	int32_t *class_of; /* of each cell */
	int32_t *weight;   /* records of each cell */

	int32_t *histogram;
	double *sums;
	size_t histogram_room;
	uint64_t *key;
	uint64_t *other_key;
	int64_t *left; /* by class */
	double *direction;
	double *next;
	uint16_t *kept; /* categories of the best split, those of yes first */
	int32_t kept_yes;
	int32_t kept_groups;
	int32_t *scratch;
} Growth;

static double
impurity(const Growth *growth)
{
	int32_t i;
	double sum = 0;
	double mean;

	if (growth->target->label != NULL)
		return growth->rows - (double) growth->squares / growth->rows;
	mean = growth->sum / growth->rows;
	for (i = 0; i < growth->rows; i++)
		sum += (growth->number[i] - mean) * (growth->number[i] - mean);
	return sum;
}

/* Fetches what is to be predicted of a node's records. */
static void
enter_node(Growth *growth, const SdcCartNode *node)
{
	const SdcCartTarget *target = growth->target;
	const int32_t *row = growth->tree->row + node->first;
	int32_t i;

	growth->rows = node->end - node->first;
	growth->sum = 0;
	growth->squares = 0;
	if (target->label == NULL)
	{
		for (i = 0; i < growth->rows; i++)
		{
			growth->number[i] = target->number[row[i]];
			growth->sum += growth->number[i];
		}
		return;
	}
	memset(growth->total, 0, sizeof(int64_t) * (size_t) growth->classes);
	for (i = 0; i < growth->rows; i++)
	{
		growth->label[i] = target->label[row[i]];
		growth->squares += 2 * growth->total[growth->label[i]]++ + 1;
	}
}

/* Is there nothing left to tell apart? */
static bool
is_pure(const Growth *growth)
{
	int32_t i;

	if (growth->target->label != NULL)
		return growth->squares == (int64_t) growth->rows * growth->rows;
	for (i = 1; i < growth->rows; i++)
		if (growth->number[i] != growth->number[0])
			return false;
	return true;
}

/* Begins a group; its cells follow. */
static void
open_group(Growth *growth, uint16_t bin, int32_t cells)
{
	int32_t g = growth->groups++;

	growth->bin[g] = bin;
	growth->first[g] = cells;
	growth->size[g] = 0;
	growth->mass[g] = 0;
}

/* Groups of a large node: a histogram of bins, and classes. */
static void
count_groups(Growth *growth, const SdcCartPredictor *by, const int32_t *row)
{
	int32_t classes = growth->target->label != NULL ? growth->classes : 1;
	size_t room = (size_t) by->bins * (size_t) classes;
	int32_t *histogram = growth->histogram;
	int32_t cells = 0;
	int32_t i;
	int32_t b;
	int32_t c;

	memset(histogram, 0, sizeof(int32_t) * room);
	if (growth->target->label != NULL)
		for (i = 0; i < growth->rows; i++)
			histogram[(size_t) by->bin[row[i]] * (size_t) classes +
					  (size_t) growth->label[i]]++;
	else
	{
		memset(growth->sums, 0, sizeof(double) * room);
		for (i = 0; i < growth->rows; i++)
		{
			histogram[by->bin[row[i]]]++;
			growth->sums[by->bin[row[i]]] += growth->number[i];
		}
	}
	for (b = 0; b < by->bins; b++)
	{
		const int32_t *count = histogram + (size_t) b * (size_t) classes;
		bool open = false;

		for (c = 0; c < classes; c++)
		{
			if (count[c] == 0)
				continue;
			if (!open)
				open_group(growth, (uint16_t) b, cells);
			open = true;
			growth->class_of[cells] = c;
			growth->weight[cells++] = count[c];
			growth->size[growth->groups - 1] += count[c];
		}
		if (open && growth->target->label == NULL)
			growth->mass[growth->groups - 1] = growth->sums[b];
	}
	growth->first[growth->groups] = cells;
}

/* Sorts keys by their upper halves, whose lower halves are in order. */
static uint64_t *
sort_keys(Growth *growth, int32_t rows, int32_t bins)
{
	uint64_t *from = growth->key;
	uint64_t *to = growth->other_key;
	int32_t start[257];
	int shift;
	int32_t i;

	if (rows <= FEW)
	{
		for (i = 1; i < rows; i++)
		{
			uint64_t key = from[i];
			int32_t at = i;

			for (; at > 0 && from[at - 1] > key; at--)
				from[at] = from[at - 1];
			from[at] = key;
		}
		return from;
	}
	for (shift = 32; shift < 48 && (bins - 1) >> (shift - 32) > 0; shift += 8)
	{
		uint64_t *swap = from;

		memset(start, 0, sizeof(start));
		for (i = 0; i < rows; i++)
			start[(from[i] >> shift & 255) + 1]++;
		for (i = 0; i < 256; i++)
			start[i + 1] += start[i];
		for (i = 0; i < rows; i++)
			to[start[from[i] >> shift & 255]++] = from[i];
		from = to;
		to = swap;
	}
	return from;
}

/* Groups of a small node: its records sorted by their bins. */
static void
sort_groups(Growth *growth, const SdcCartPredictor *by, const int32_t *row)
{
	const uint64_t *key;
	int32_t i;

	for (i = 0; i < growth->rows; i++)
		growth->key[i] = (uint64_t) by->bin[row[i]] << 32 | (uint64_t) i;
	key = sort_keys(growth, growth->rows, by->bins);
	for (i = 0; i < growth->rows; i++)
	{
		uint16_t bin = (uint16_t) (key[i] >> 32);
		int32_t at = (int32_t) (uint32_t) key[i];
		int32_t g;

		if (growth->groups == 0 || growth->bin[growth->groups - 1] != bin)
			open_group(growth, bin, i);
		g = growth->groups - 1;
		growth->size[g]++;
		growth->weight[i] = 1;
		if (growth->target->label != NULL)
			growth->class_of[i] = growth->label[at];
		else
			growth->mass[g] += growth->number[at];
	}
	growth->first[growth->groups] = growth->rows;
}

static void
make_groups(Growth *growth, const SdcCartPredictor *by, const int32_t *row)
{
	size_t cells = (size_t) by->bins;
	int32_t g;

	if (growth->target->label != NULL)
		cells *= (size_t) growth->classes;
	growth->groups = 0;
	if (cells <= growth->histogram_room && cells <= 2 * (size_t) growth->rows)
		count_groups(growth, by, row);
	else
		sort_groups(growth, by, row);
	for (g = 0; g < growth->groups; g++)
		growth->order[g] = g;
}

/* Mean of a direction over the classes of a group. */
static double
project(const Growth *growth, int32_t g, const double *direction)
{
	double sum = 0;
	int32_t i;

	for (i = growth->first[g]; i < growth->first[g + 1]; i++)
		sum += growth->weight[i] * direction[growth->class_of[i]];
	return sum / growth->size[g];
}

/*
 * Scores of categories along the first principal direction of their shares:
 * power iteration, in which the mean share need not be taken off, as the
 * centred scores sum to zero.
 */
static void
score_classes(Growth *growth)
{
	double *direction = growth->direction;
	double *next = growth->next;
	int round;
	int32_t c;
	int32_t g;
	int32_t i;

	for (c = 0; c < growth->classes; c++)
		direction[c] =
			1 + (double) (sdc_random_mix((uint64_t) c + 1) >> 11) * 0x1p-53;
	for (round = 0; round <= POWER_ROUNDS; round++)
	{
		double mean = 0;
		double norm = 0;

		for (g = 0; g < growth->groups; g++)
		{
			growth->score[g] = project(growth, g, direction);
			mean += growth->score[g] * growth->size[g];
		}
		mean /= growth->rows;
		if (round == POWER_ROUNDS)
			return;
		memset(next, 0, sizeof(double) * (size_t) growth->classes);
		for (g = 0; g < growth->groups; g++)
			for (i = growth->first[g]; i < growth->first[g + 1]; i++)
				next[growth->class_of[i]] +=
					growth->weight[i] * (growth->score[g] - mean);
		for (c = 0; c < growth->classes; c++)
			norm += next[c] * next[c];
		if (norm == 0)
			return;
		norm = sqrt(norm);
		for (c = 0; c < growth->classes; c++)
			direction[c] = next[c] / norm;
	}
}

/* Puts categories in the order of their scores. */
static void
order_categories(Growth *growth)
{
	int32_t g;

	if (growth->target->label == NULL)
		for (g = 0; g < growth->groups; g++)
			growth->score[g] = growth->mass[g] / growth->size[g];
	else
		score_classes(growth);
	if (growth->groups > FEW)
	{
		for (g = 0; g < growth->groups; g++)
			growth->key[g] = sdc_sort_key(growth->score[g]);
		sdc_sort_keys(growth->host, growth->key, growth->order,
					  (size_t) growth->groups);
		return;
	}
	for (g = 1; g < growth->groups; g++)
	{
		int32_t moved = growth->order[g];
		int32_t at = g;

		for (; at > 0 &&
			   growth->score[growth->order[at - 1]] > growth->score[moved];
			 at--)
			growth->order[at] = growth->order[at - 1];
		growth->order[at] = moved;
	}
}

/* The sides of a split while groups go over to the left. */
typedef struct Side
{
	int32_t rows;
	int64_t squares;
	int64_t cross; /* sum of left * total */
	double sum;
} Side;

static void
move_group(Growth *growth, Side *side, int32_t g)
{
	int32_t i;

	side->rows += growth->size[g];
	side->sum += growth->mass[g];
	if (growth->target->label == NULL)
		return;
	for (i = growth->first[g]; i < growth->first[g + 1]; i++)
	{
		int64_t n = growth->weight[i];
		int32_t c = growth->class_of[i];

		side->squares += n * (2 * growth->left[c] + n);
		side->cross += n * growth->total[c];
		growth->left[c] += n;
	}
}

/* How much lower the impurity is than that of the node. */
static double
gain_of(const Growth *growth, const Side *side)
{
	double left = side->rows;
	double right = growth->rows - side->rows;
	double mean;

	if (growth->target->label != NULL)
	{
		int64_t rest = growth->squares - 2 * side->cross + side->squares;

		return (double) side->squares / left + (double) rest / right -
			   (double) growth->squares / growth->rows;
	}
	mean = side->sum / left - (growth->sum - side->sum) / right;
	return left * right / growth->rows * mean * mean;
}

/* Empties the left side again. */
static void
clear_left(Growth *growth)
{
	int32_t i;

	if (growth->target->label != NULL)
		for (i = 0; i < growth->first[growth->groups]; i++)
			growth->left[growth->class_of[i]] = 0;
}

/* Tries all splits of the groups of a predictor. */
static void
try_predictor(Growth *growth, int j, const int32_t *row, Split *best)
{
	const SdcCartPredictor *by = &growth->predictor[j];
	int32_t leaf = growth->target->leaf;
	bool better = false;
	Side side = {0, 0, 0, 0};
	int32_t g;

	make_groups(growth, by, row);
	if (growth->groups < 2)
		return;
	if (!by->ordered)
		order_categories(growth);
	for (g = 0; g + 1 < growth->groups; g++)
	{
		double gain;

		move_group(growth, &side, growth->order[g]);
		if (side.rows < leaf)
			continue;
		if (growth->rows - side.rows < leaf)
			break;
		gain = gain_of(growth, &side);
		if (gain <= best->gain)
			continue;
		better = true;
		best->gain = gain;
		best->column = j;
		best->rows = side.rows;
		best->groups = g + 1;
		best->cut = growth->bin[growth->order[g]] +
					(uint32_t) (growth->bin[growth->order[g + 1]] -
								growth->bin[growth->order[g]]) /
						2 * (uint32_t) by->ordered;
	}
	clear_left(growth);
	if (!better || by->ordered)
		return;
	growth->kept_yes = best->groups;
	growth->kept_groups = growth->groups;
	for (g = 0; g < growth->groups; g++)
		growth->kept[g] = growth->bin[growth->order[g]];
}

static inline bool
is_in(const uint64_t *bits, uint32_t cut, uint16_t bin)
{
	return (bits[cut + bin / 64] >> bin % 64 & 1) != 0;
}

static inline bool
says_yes(const SdcCart *tree, const SdcCartNode *node,
		 const SdcCartPredictor *by, int32_t i)
{
	return by->ordered ? by->bin[i] <= node->cut
					   : is_in(tree->bits, node->cut, by->bin[i]);
}

/*
 * Stores which categories go to yes.  One that the node has not seen goes
 * where more records go.
 */
static uint32_t
store_set(Growth *growth, const Split *split)
{
	SdcCart *tree = growth->tree;
	size_t words = (size_t) growth->predictor[split->column].bins / 64 + 1;
	bool others = 2 * split->rows > growth->rows;
	size_t at = tree->words;
	int32_t g;

	if (tree->words + words > tree->room)
	{
		tree->room = 2 * (tree->room + words);
		tree->bits = sdc_grow(growth->host, tree->bits, tree->words,
							  tree->room, sizeof(uint64_t));
	}
	memset(tree->bits + at, others ? 0xff : 0, sizeof(uint64_t) * words);
	for (g = 0; g < growth->kept_groups; g++)
	{
		uint64_t bit = UINT64_C(1) << growth->kept[g] % 64;

		if (g < growth->kept_yes)
			tree->bits[at + growth->kept[g] / 64] |= bit;
		else
			tree->bits[at + growth->kept[g] / 64] &= ~bit;
	}
	tree->words += words;
	return (uint32_t) at;
}

/* Parts a node's records, each side in the order they had. */
static int32_t
part(Growth *growth, const SdcCartNode *node)
{
	SdcCart *tree = growth->tree;
	const SdcCartPredictor *by = &growth->predictor[node->column];
	int32_t middle = node->first;
	int32_t kept = 0;
	int32_t i;

	for (i = node->first; i < node->end; i++)
	{
		int32_t row = tree->row[i];

		if (says_yes(tree, node, by, row))
			tree->row[middle++] = row;
		else
			growth->scratch[kept++] = row;
	}
	memcpy(tree->row + middle, growth->scratch,
		   sizeof(int32_t) * (size_t) kept);
	return middle;
}

static int32_t
add_node(Growth *growth, int32_t first, int32_t end, int32_t parent)
{
	SdcCart *tree = growth->tree;
	SdcCartNode *node;

	if (tree->nodes == growth->nodes_room)
	{
		growth->nodes_room *= 2;
		tree->node =
			sdc_grow(growth->host, tree->node, (size_t) tree->nodes,
					 (size_t) growth->nodes_room, sizeof(SdcCartNode));
	}
	node = &tree->node[tree->nodes];
	memset(node, 0, sizeof(*node));
	node->first = first;
	node->end = end;
	node->parent = parent;
	node->yes = node->no = -1;
	return tree->nodes++;
}

/* Splits a node or leaves it a leaf; are there children? */
static bool
split_node(Growth *growth, int32_t number)
{
	SdcCart *tree = growth->tree;
	SdcCartNode node = tree->node[number];
	Split best = {growth->least, -1, 0, 0, 0};
	int32_t middle;
	int j;

	if ((int64_t) node.end - node.first <
		(int64_t) SPLIT_LEAVES * growth->target->leaf)
		return false;
	enter_node(growth, &node);
	if (is_pure(growth))
		return false;
	for (j = 0; j < growth->predictors; j++)
	{
		try_predictor(growth, j, tree->row + node.first, &best);
		if (growth->rows > SDC_POLL_STEPS / 8)
			growth->host->poll(growth->host, 0, 0);
	}
	if (best.column < 0)
		return false;
	node.column = best.column;
	node.cut = growth->predictor[best.column].ordered
				   ? best.cut
				   : store_set(growth, &best);
	middle = part(growth, &node);
	node.yes = add_node(growth, node.first, middle, number);
	node.no = add_node(growth, middle, node.end, number);
	tree->node[number] = node;
	return true;
}

/* The widest histogram that a node may fill, and room for all else. */
static void
make_room(Growth *growth, int32_t count)
{
	SdcHost *host = growth->host;
	const SdcCartTarget *target = growth->target;
	size_t rows = (size_t) count;
	size_t widest = 1;
	size_t cells;
	int j;

	growth->classes = target->label != NULL ? target->classes : 1;
	for (j = 0; j < growth->predictors; j++)
		if ((size_t) growth->predictor[j].bins > widest)
			widest = (size_t) growth->predictor[j].bins;
	cells = widest * (size_t) growth->classes;
	growth->histogram_room = cells < 2 * rows ? cells : 2 * rows;
	growth->histogram = sdc_new(host, int32_t, growth->histogram_room + 1);
	growth->sums = sdc_new(host, double, growth->histogram_room + 1);
	cells = rows > growth->histogram_room ? rows : growth->histogram_room;
	growth->label = sdc_new(host, int32_t, target->label ? rows : 1);
	growth->number = sdc_new(host, double, target->label ? 1 : rows);
	growth->total = sdc_new(host, int64_t, (size_t) growth->classes);
	growth->left = sdc_new(host, int64_t, (size_t) growth->classes);
	memset(growth->left, 0, sizeof(int64_t) * (size_t) growth->classes);
	growth->direction = sdc_new(host, double, (size_t) growth->classes);
	growth->next = sdc_new(host, double, (size_t) growth->classes);
	growth->first = sdc_new(host, int32_t, widest + 1);
	growth->bin = sdc_new(host, uint16_t, widest);
	growth->kept = sdc_new(host, uint16_t, widest);
	growth->size = sdc_new(host, int32_t, widest);
	growth->mass = sdc_new(host, double, widest);
	growth->score = sdc_new(host, double, widest);
	growth->order = sdc_new(host, int32_t, widest);
	growth->class_of = sdc_new(host, int32_t, cells);
	growth->weight = sdc_new(host, int32_t, cells);
	growth->key = sdc_new(host, uint64_t, rows > widest ? rows : widest);
	growth->other_key = sdc_new(host, uint64_t, rows);
	growth->scratch = sdc_new(host, int32_t, rows + 1);
}

/* Grows all nodes, children before siblings: these are in the caches. */
static void
grow(Growth *growth, int32_t count)
{
	SdcCart *tree = growth->tree;
	int32_t room = 64;
	int32_t waiting = 1;
	int32_t *stack = sdc_new(growth->host, int32_t, (size_t) room);
	uint32_t steps = 0;

	stack[0] = 0;
	while (waiting > 0)
	{
		int32_t number = stack[--waiting];
		int32_t size = tree->node[number].end - tree->node[number].first;

		if (++steps % 64 == 0)
			growth->host->poll(growth->host,
							   (uint64_t) tree->node[number].first,
							   (uint64_t) count);
		if (!split_node(growth, number))
		{
			tree->leaves++;
			if (size < tree->smallest)
				tree->smallest = size;
			continue;
		}
		if (waiting + 2 > room)
		{
			room *= 2;
			stack = sdc_grow(growth->host, stack, (size_t) waiting,
							 (size_t) room, sizeof(int32_t));
		}
		stack[waiting++] = tree->node[number].no;
		stack[waiting++] = tree->node[number].yes;
	}
	growth->host->release(growth->host, stack);
}

SdcCart *
sdc_cart_grow(SdcHost *host, const SdcCartPredictor *predictor, int predictors,
			  const SdcCartTarget *target, int32_t *row, int32_t count)
{
	SdcCart *tree = sdc_new(host, SdcCart, 1);
	SdcArena *arena = sdc_arena_create(host);
	Growth growth;

	memset(&growth, 0, sizeof(growth));
	memset(tree, 0, sizeof(*tree));
	growth.predictor = predictor;
	growth.predictors = predictors;
	growth.target = target;
	growth.tree = tree;
	growth.host = host;
	growth.nodes_room = 64;
	tree->row = row;
	tree->smallest = count;
	tree->room = 64;
	tree->node = sdc_new(host, SdcCartNode, 64);
	tree->bits = sdc_new(host, uint64_t, 64);
	(void) add_node(&growth, 0, count, -1);
	growth.host = &arena->host;
	make_room(&growth, count);
	growth.host = host;
	enter_node(&growth, &tree->node[0]);
	growth.least = target->cp * impurity(&growth);
	grow(&growth, count);
	sdc_arena_end(arena);
	return tree;
}

void
sdc_cart_leaves(const SdcCart *tree, const SdcCartPredictor *predictor,
				int32_t i, int32_t count, int32_t *leaf)
{
	bool moved = true;
	int32_t k;

	memset(leaf, 0, sizeof(int32_t) * (size_t) count);
	while (moved)
	{
		moved = false;
		for (k = 0; k < count; k++)
		{
			const SdcCartNode *node = &tree->node[leaf[k]];

			if (node->yes < 0)
				continue;
			leaf[k] = says_yes(tree, node, &predictor[node->column], i + k)
						  ? node->yes
						  : node->no;
			__builtin_prefetch(&tree->node[leaf[k]]);
			moved = true;
		}
	}
}

void
sdc_cart_release(SdcHost *host, SdcCart *tree)
{
	host->release(host, tree->row);
	host->release(host, tree->node);
	host->release(host, tree->bits);
	host->release(host, tree);
}
