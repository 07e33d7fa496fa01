/*
 * decision_tree.c
 *		A classification tree of yes-no questions, one column each.
 *
 * The rows are sorted once by every column; a split parts all of these lists
 * and leaves them sorted.  So a node's questions are tried in one walk over
 * each list, with the counts of the classes kept as integers.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/model/decision_tree.h"
#include "kernel/model/model.h"

typedef struct Node
{
	int column;   /* that is asked about; -1: a leaf */
	double cut;   /* yes: number below it */
	int32_t code; /* yes: category is it */
	int32_t yes;  /* nodes */
	int32_t no;
	double *share; /* of the classes, in a leaf */
} Node;

/* The best question so far. */
typedef struct Question
{
	double score; /* sum of squared counts over rows, both sides */
	int column;
	double cut;
	int32_t code;
} Question;

typedef struct Tree
{
	int32_t classes;
	Node *node;
	int32_t nodes;
} Tree;

/* What growing needs. */
typedef struct Growth
{
	SdcHost *host;
	const SdcModelTask *task;
	Tree *tree;
	int32_t **order; /* of each column, training rows sorted by it */
	int32_t *scratch;
	bool *yes;      /* by row of the table: which side it goes to */
	int64_t *total; /* by class, in the node */
	int64_t *left;  /* the same on the yes side */
} Growth;

/* Counts on the yes side, and what follows from them. */
typedef struct Side
{
	int64_t rows;
	int64_t squares; /* sum of left^2 */
	int64_t cross;   /* sum of left * total */
} Side;

static void
sort_column(Growth *growth, int j)
{
	const SdcModelTask *task = growth->task;
	const SdcModelColumn *column = &task->table->column[j];
	size_t rows = (size_t) task->rows;
	uint64_t *key = sdc_new(growth->host, uint64_t, rows);
	size_t i;

	growth->order[j] = sdc_new(growth->host, int32_t, rows);
	for (i = 0; i < rows; i++)
	{
		int32_t row = task->row[i];

		growth->order[j][i] = row;
		key[i] = column->code != NULL ? (uint64_t) (column->code[row] + 1)
									  : sdc_sort_key(column->number[row]);
	}
	sdc_sort_keys(growth->host, key, growth->order[j], rows);
	growth->host->release(growth->host, key);
}

static void
move_left(Growth *growth, Side *side, int32_t row)
{
	int32_t c = growth->task->label[row];

	side->squares += 2 * growth->left[c] + 1;
	side->cross += growth->total[c];
	side->rows++;
	growth->left[c]++;
}

/* Tries the question that parts the node as the side says. */
static bool
improves(const Growth *growth, const Side *side, int32_t rows, int64_t squares,
		 Question *best)
{
	int64_t others = rows - side->rows;
	int64_t rest = squares - 2 * side->cross + side->squares;
	double score;

	if (side->rows < growth->task->settings->leaf ||
		others < growth->task->settings->leaf)
		return false;
	score = (double) side->squares / (double) side->rows +
			(double) rest / (double) others;
	if (score <= best->score)
		return false;
	best->score = score;
	return true;
}

static void
try_number(Growth *growth, int j, int32_t first, int32_t end, int64_t squares,
		   Question *best)
{
	const double *number = growth->task->table->column[j].number;
	const int32_t *order = growth->order[j];
	Side side = {0, 0, 0};
	int32_t i;

	memset(growth->left, 0, sizeof(int64_t) * growth->tree->classes);
	for (i = first; i < end - 1 && !isnan(number[order[i]]); i++)
	{
		double x = number[order[i]];
		double next = number[order[i + 1]];

		if ((i - first) % SDC_POLL_STEPS == SDC_POLL_STEPS - 1)
			growth->host->poll(growth->host, 0, 0);
		move_left(growth, &side, order[i]);
		if (next == x || !improves(growth, &side, end - first, squares, best))
			continue;
		best->column = j;
		best->cut = isnan(next) ? INFINITY : x / 2 + next / 2;
		/* neighbouring doubles have nothing in between */
		if (best->cut <= x)
			best->cut = next;
	}
}

static void
try_category(Growth *growth, int j, int32_t first, int32_t end,
			 int64_t squares, Question *best)
{
	const int32_t *code = growth->task->table->column[j].code;
	const int32_t *order = growth->order[j];
	int32_t begin = first;
	int32_t i;

	memset(growth->left, 0, sizeof(int64_t) * growth->tree->classes);
	while (begin < end)
	{
		Side side = {0, 0, 0};

		for (i = begin; i < end && code[order[i]] == code[order[begin]]; i++)
			move_left(growth, &side, order[i]);
		growth->host->poll(growth->host, 0, 0);
		if (improves(growth, &side, end - first, squares, best))
		{
			best->column = j;
			best->code = code[order[begin]];
		}
		for (; begin < i; begin++)
			growth->left[growth->task->label[order[begin]]] = 0;
	}
}

/* Is the answer to a node's question yes? */
static inline bool
answer(const Node *node, const SdcModelColumn *column, int32_t row)
{
	if (column->code != NULL)
		return column->code[row] == node->code;
	return column->number[row] < node->cut;
}

/* Parts all lists of a range; returns where the no side begins. */
static int32_t
part(Growth *growth, const Node *node, int32_t first, int32_t end)
{
	const SdcModelTable *table = growth->task->table;
	const SdcModelColumn *asked = &table->column[node->column];
	int32_t *order = growth->order[node->column];
	int32_t middle = first;
	int32_t i;
	int j;

	for (i = first; i < end; i++)
		growth->yes[order[i]] = answer(node, asked, order[i]);
	for (j = 0; j < table->columns; j++)
	{
		int32_t kept = 0;

		order = growth->order[j];
		middle = first;
		growth->host->poll(growth->host, 0, 0);
		for (i = first; i < end; i++)
		{
			int32_t row = order[i];

			if (growth->yes[row])
				order[middle++] = row;
			else
				growth->scratch[kept++] = row;
		}
		memcpy(order + middle, growth->scratch,
			   sizeof(int32_t) * (size_t) kept);
	}
	return middle;
}

/* Counts the classes of a range into total; returns the sum of squares. */
static int64_t
count_classes(Growth *growth, int32_t first, int32_t end)
{
	int32_t classes = growth->tree->classes;
	int64_t squares = 0;
	int32_t c;
	int32_t i;

	memset(growth->total, 0, sizeof(int64_t) * (size_t) classes);
	for (i = first; i < end; i++)
		growth->total[growth->task->label[growth->order[0][i]]]++;
	for (c = 0; c < classes; c++)
		squares += growth->total[c] * growth->total[c];
	return squares;
}

static void
make_leaf(Growth *growth, Node *node, int32_t rows)
{
	int32_t c;

	node->share =
		sdc_new(growth->host, double, (size_t) growth->tree->classes);
	for (c = 0; c < growth->tree->classes; c++)
		node->share[c] = (double) growth->total[c] / rows;
}

/* The best question for a range; column -1 when none is any good. */
static Question
find_question(Growth *growth, int32_t first, int32_t end, int64_t squares)
{
	double rows = end - first;
	/* counts are integers: a gain is larger than rounding, or none */
	Question best = {(double) squares / rows * (1 + 1e-12), -1, 0, 0};
	int j;

	for (j = 0; j < growth->task->table->columns; j++)
	{
		growth->host->poll(growth->host, (uint64_t) first,
						   (uint64_t) growth->task->rows);
		if (growth->task->table->column[j].code != NULL)
			try_category(growth, j, first, end, squares, &best);
		else
			try_number(growth, j, first, end, squares, &best);
	}
	return best;
}

/* Grows the tree of a range; returns its root. */
static int32_t
grow(Growth *growth, int32_t first, int32_t end, int depth)
{
	int32_t number = growth->tree->nodes++;
	Node *node = &growth->tree->node[number];
	int64_t squares = count_classes(growth, first, end);
	Question best = {0, -1, 0, 0};
	int32_t middle;

	memset(node, 0, sizeof(*node));
	if (depth > 0)
		best = find_question(growth, first, end, squares);
	node->column = best.column;
	node->cut = best.cut;
	node->code = best.code;
	if (best.column < 0)
	{
		make_leaf(growth, node, end - first);
		return number;
	}
	middle = part(growth, node, first, end);
	node->yes = grow(growth, first, middle, depth - 1);
	node->no = grow(growth, middle, end, depth - 1);
	return number;
}

void *
sdc_decision_tree_fit(SdcHost *host, const SdcModelTask *task)
{
	Tree *tree = sdc_new(host, Tree, 1);
	size_t rows = (size_t) task->rows;
	size_t leaves = rows / (size_t) task->settings->leaf + 1;
	int depth = task->settings->depth;
	Growth growth;
	int j;

	if (depth < 31 && leaves > (size_t) 1 << depth)
		leaves = (size_t) 1 << depth;
	tree->classes = task->classes;
	tree->node = sdc_new(host, Node, 2 * leaves);
	tree->nodes = 0;
	growth.host = host;
	growth.task = task;
	growth.tree = tree;
	growth.order = sdc_new(host, int32_t *, (size_t) task->table->columns + 1);
	growth.scratch = sdc_new(host, int32_t, rows);
	growth.yes = sdc_new(host, bool, (size_t) task->table->rows);
	growth.total = sdc_new(host, int64_t, (size_t) task->classes);
	growth.left = sdc_new(host, int64_t, (size_t) task->classes);
	for (j = 0; j < task->table->columns; j++)
		sort_column(&growth, j);
	(void) grow(&growth, 0, task->rows, depth);
	for (j = 0; j < task->table->columns; j++)
		host->release(host, growth.order[j]);
	host->release(host, growth.order);
	host->release(host, growth.scratch);
	host->release(host, growth.yes);
	host->release(host, growth.total);
	host->release(host, growth.left);
	return tree;
}

void
sdc_decision_tree_predict(void *fitted, const SdcModelTable *table,
						  int32_t row, double *probability)
{
	const Tree *tree = fitted;
	const Node *node = &tree->node[0];

	while (node->column >= 0)
		node = &tree->node[answer(node, &table->column[node->column], row)
							   ? node->yes
							   : node->no];
	memcpy(probability, node->share, sizeof(double) * (size_t) tree->classes);
}
