/*
 * model.c
 *		Classifiers: the most frequent class, naive Bayes, nearest neighbours,
 *		classification trees, linear support vector machines; logistic.c has
 *		one more.  Tables they learn from, fit, predict.
 *
 * libm: exp turns scores into probabilities; which of them is the largest does
 * not hang on its last digits, because near ties go to the first class.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/index/point_index.h"
#include "kernel/index/points.h"
#include "kernel/linear/moments.h"
#include "kernel/linear/square.h"
#include "kernel/model/cross_validation.h"
#include "kernel/model/logistic.h"
#include "kernel/model/model.h"

/* ----------------------------------------------------------------------
 * Rows as features of a linear model.
 *
 * Features of categories are numbered in the order in which training rows
 * show them.
 * ----------------------------------------------------------------------
 */

typedef struct Design
{
	int columns;
	int32_t features;
	int32_t **feature; /* of each category by code + 1; -1: none */
	int32_t *values;   /* of each category */
	int32_t *number;   /* the feature of each number, else -1 */
	SdcScale *scale;
} Design;

/* One row: the features that may not be zero, at most columns + 1. */
typedef struct DesignRow
{
	int32_t count;
	int32_t *feature;
	double *value;
} DesignRow;

/* All training rows; row i is at i * (columns + 1) of the arrays. */
typedef struct DesignRows
{
	int columns;
	int32_t *count;
	int32_t *feature;
	double *value;
} DesignRows;

/*
 * The scale of column j by its values that are not NULL in the training rows;
 * deviation 0 when there are none or all are equal.  O(rows).
 */
static SdcScale
training_scale_find(SdcHost *host, const SdcModelTask *task, int j)
{
	const double *number = task->table->column[j].number;
	double *value = sdc_new(host, double, (size_t) task->rows);
	SdcScale scale;
	size_t n = 0;
	int32_t i;

	for (i = 0; i < task->rows; i++)
	{
		double x = number[task->row[i]];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!isnan(x))
			value[n++] = x;
	}
	scale = sdc_scale_find(host, value, n);
	host->release(host, value);
	return scale;
}

/* One of them. */
static inline DesignRow
design_rows_get(const DesignRows *rows, int32_t i)
{
	size_t at = (size_t) i * (size_t) (rows->columns + 1);
	DesignRow row = {rows->count[i], rows->feature + at, rows->value + at};

	return row;
}

/* The sum of a row's features, each times its weight. */
static inline double
design_product(const DesignRow *row, const double *weight)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < row->count; i++)
		sum += row->value[i] * weight[row->feature[i]];
	return sum;
}

/* The standard score of a value that is not NULL; 0 without a deviation. */
static inline double
training_scale_apply(const SdcScale *scale, double x)
{
	return scale->deviation > 0 ? sdc_scale_apply(scale, x) : 0;
}

/* Numbers the values of a category that occur in training. */
static void
number_values(SdcHost *host, const SdcModelTask *task, int j, Design *design)
{
	const SdcModelColumn *column = &task->table->column[j];
	int32_t *feature = sdc_new(host, int32_t, (size_t) column->values + 1);
	int32_t i;

	for (i = 0; i <= column->values; i++)
		feature[i] = -1;
	for (i = 0; i < task->rows; i++)
	{
		int32_t *place = &feature[column->code[task->row[i]] + 1];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (*place < 0)
			*place = design->features++;
	}
	design->feature[j] = feature;
	design->values[j] = column->values;
}

/* Finds the features of the training rows.  O(rows columns). */
static Design *
design_create(SdcHost *host, const SdcModelTask *task)
{
	Design *design = sdc_new(host, Design, 1);
	size_t columns = (size_t) task->table->columns;
	int j;

	design->columns = task->table->columns;
	design->features = 0;
	design->feature = sdc_new(host, int32_t *, columns);
	design->values = sdc_new(host, int32_t, columns);
	design->number = sdc_new(host, int32_t, columns);
	design->scale = sdc_new(host, SdcScale, columns);
	for (j = 0; j < design->columns; j++)
	{
		design->feature[j] = NULL;
		design->number[j] = -1;
		if (task->table->column[j].code != NULL)
		{
			number_values(host, task, j, design);
			continue;
		}
		design->scale[j] = training_scale_find(host, task, j);
		if (design->scale[j].deviation > 0)
			design->number[j] = design->features++;
	}
	design->features++;
	return design;
}

/* Room for one row. */
static DesignRow
design_row(SdcHost *host, const Design *design)
{
	size_t room = (size_t) design->columns + 1;
	DesignRow row = {0, sdc_new(host, int32_t, room),
					 sdc_new(host, double, room)};

	return row;
}

/* The feature and value of one column of a row; feature -1 for none. */
static int32_t
take_column(const Design *design, const SdcModelColumn *column, int j,
			int32_t row, double *value)
{
	*value = 1;
	if (column->code != NULL)
		return column->code[row] < design->values[j]
				   ? design->feature[j][column->code[row] + 1]
				   : -1;
	if (design->number[j] < 0 || isnan(column->number[row]))
		return -1;
	*value = sdc_scale_apply(&design->scale[j], column->number[row]);
	return design->number[j];
}

/* The features of a row of a table with the same columns and codes. */
static void
design_take(const Design *design, const SdcModelTable *table, int32_t row,
			DesignRow *taken)
{
	int j;

	taken->count = 0;
	for (j = 0; j < design->columns; j++)
	{
		double value;
		int32_t feature =
			take_column(design, &table->column[j], j, row, &value);

		if (feature < 0)
			continue;
		taken->feature[taken->count] = feature;
		taken->value[taken->count++] = value;
	}
	taken->feature[taken->count] = design->features - 1;
	taken->value[taken->count++] = 1;
}

/* The features of all training rows.  12 rows (columns + 1) bytes. */
static DesignRows
design_rows(SdcHost *host, const Design *design, const SdcModelTask *task)
{
	size_t room = (size_t) task->rows * (size_t) (design->columns + 1);
	DesignRows rows;
	int32_t i;

	rows.columns = design->columns;
	rows.count = sdc_new(host, int32_t, (size_t) task->rows);
	rows.feature = sdc_new(host, int32_t, room);
	rows.value = sdc_new(host, double, room);
	for (i = 0; i < task->rows; i++)
	{
		DesignRow row;

		if (i % 4096 == 0)
			host->poll(host, 0, 0);
		rows.count[i] = 0;
		row = design_rows_get(&rows, i);
		design_take(design, task->table, task->row[i], &row);
		rows.count[i] = row.count;
	}
	return rows;
}

static void
design_rows_release(SdcHost *host, DesignRows *rows)
{
	host->release(host, rows->count);
	host->release(host, rows->feature);
	host->release(host, rows->value);
}

/* ----------------------------------------------------------------------
 * Classification trees.
 *
 * A tree asks yes-no questions, one column each.  The rows are sorted once by
 * every column; a split parts all of these lists and leaves them sorted.  So a
 * node's questions are tried in one walk over each list, with the counts of
 * the classes kept as integers.
 * ----------------------------------------------------------------------
 */

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

/*
 * Each node takes the question that leaves the smallest weighted Gini impurity
 * (CART: Breiman, Friedman, Olshen and Stone 1984), the first such one: "is
 * the number below the cut", with cuts halfway between neighbouring values and
 * NULL never below; or "is the category this value", NULL being one.  Grown to
 * settings->depth questions, no leaf below settings->leaf rows, and no further
 * where no question lowers the impurity; not pruned.  A probability is a share
 * of the rows in the leaf.  Fit O(columns rows (log rows + depth)), memory
 * 4 rows columns; predict O(depth).  See SdcModelMethod.
 */
static void *
tree_fit(SdcHost *host, const SdcModelTask *task)
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

static void
tree_predict(void *fitted, const SdcModelTable *table, int32_t row,
			 double *probability)
{
	const Tree *tree = fitted;
	const Node *node = &tree->node[0];

	while (node->column >= 0)
		node = &tree->node[answer(node, &table->column[node->column], row)
							   ? node->yes
							   : node->no];
	memcpy(probability, node->share, sizeof(double) * (size_t) tree->classes);
}

/* Turns scores, which are logarithms, into probabilities that sum to 1. */
static void
softmax(double *score, int32_t classes)
{
	double most = score[0];
	double sum = 0;
	int32_t c;

	for (c = 1; c < classes; c++)
		if (score[c] > most)
			most = score[c];
	for (c = 0; c < classes; c++)
	{
		score[c] = exp(score[c] - most);
		sum += score[c];
	}
	for (c = 0; c < classes; c++)
		score[c] /= sum;
}

/* ----------------------------------------------------------------------
 * Naive Bayes: columns independent within each class.
 *
 * Logarithms of all probabilities of categories are tabulated, code by code,
 * NULL last; numbers are standardised and keep mean and variance by class.
 * ----------------------------------------------------------------------
 */

typedef struct Column
{
	/* of a category: log P(v | c) at v * classes + c, and is v known? */
	double *likelihood;
	bool *known;
	int32_t values;
	/* of a number, by class */
	SdcScale scale;
	double *mean;
	double *variance;
} Column;

typedef struct NaiveBayes
{
	int32_t classes;
	int columns;
	double *prior; /* logarithms */
	Column *column;
} NaiveBayes;

/* A cleared array of doubles. */
static double *
zeros(SdcHost *host, size_t count)
{
	double *array = sdc_new(host, double, count);

	memset(array, 0, sizeof(double) * count);
	return array;
}

/* The place of a code, NULL after all values. */
static int32_t
place_of(const SdcModelColumn *column, int32_t row)
{
	return column->code[row] < 0 ? column->values : column->code[row];
}

static void
fit_category(SdcHost *host, const SdcModelTask *task, const double *records,
			 const SdcModelColumn *from, Column *column)
{
	double laplace = task->settings->laplace;
	size_t classes = (size_t) task->classes;
	size_t values = (size_t) from->values + 1;
	int32_t different = 0;
	size_t v;
	size_t c;
	int32_t i;

	column->values = from->values;
	column->likelihood = zeros(host, values * classes);
	column->known = sdc_new(host, bool, values);
	memset(column->known, 0, sizeof(bool) * values);
	for (i = 0; i < task->rows; i++)
	{
		int32_t row = task->row[i];
		int32_t place = place_of(from, row);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		different += !column->known[place];
		column->known[place] = true;
		column->likelihood[(size_t) place * classes +
						   (size_t) task->label[row]]++;
	}
	for (v = 0; v < values; v++)
	{
		double *cell = column->likelihood + v * classes;

		if (v % 64 == 0)
			host->poll(host, 0, 0);
		for (c = 0; c < classes && column->known[v]; c++)
			cell[c] = sdc_random_log((cell[c] + laplace) /
									 (records[c] + laplace * different));
	}
}

static void
fit_number(SdcHost *host, const SdcModelTask *task, int j, Column *column)
{
	const double *number = task->table->column[j].number;
	double laplace = task->settings->laplace;
	size_t classes = (size_t) task->classes;
	double *count = zeros(host, classes);
	size_t c;
	int32_t i;

	column->scale = training_scale_find(host, task, j);
	column->mean = zeros(host, classes);
	column->variance = zeros(host, classes);
	/* running mean and squared deviations of each class */
	for (i = 0; i < task->rows; i++)
	{
		double x = number[task->row[i]];
		int32_t label = task->label[task->row[i]];
		double shift;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(x))
			continue;
		x = training_scale_apply(&column->scale, x);
		shift = x - column->mean[label];
		count[label]++;
		column->mean[label] += shift / count[label];
		column->variance[label] += shift * (x - column->mean[label]);
	}
	for (c = 0; c < classes; c++)
		column->variance[c] =
			(column->variance[c] + laplace) / (count[c] + laplace);
	host->release(host, count);
}

/*
 * With a = settings->laplace, n training rows, K classes, and n_c rows of
 * class c, P(c) = (n_c + a) / (n + a K).  A category that occurs n_vc times in
 * class c has P(v | c) = (n_vc + a) / (n_c + a V), V being the values (NULL
 * among them) that occur in training; one that never occurred says nothing.  A
 * number is normal within a class, with the mean of the class and variance
 * (S_c + a s^2) / (n_c + a), S_c being the sum of squared deviations and s^2
 * the variance of the column; where there is a NULL it says nothing.
 * Fit O(rows columns), memory classes times values; predict O(columns
 * classes).  See SdcModelMethod.
 */
static void *
bayes_fit(SdcHost *host, const SdcModelTask *task)
{
	NaiveBayes *bayes = sdc_new(host, NaiveBayes, 1);
	double laplace = task->settings->laplace;
	double *records = zeros(host, (size_t) task->classes);
	int32_t c;
	int32_t i;
	int j;

	bayes->classes = task->classes;
	bayes->columns = task->table->columns;
	bayes->prior = zeros(host, (size_t) task->classes);
	bayes->column = sdc_new(host, Column, (size_t) bayes->columns);
	for (i = 0; i < task->rows; i++)
		records[task->label[task->row[i]]]++;
	for (c = 0; c < task->classes; c++)
		bayes->prior[c] = sdc_random_log(
			(records[c] + laplace) / (task->rows + laplace * task->classes));
	memset(bayes->column, 0, sizeof(Column) * (size_t) bayes->columns);
	for (j = 0; j < bayes->columns; j++)
	{
		const SdcModelColumn *from = &task->table->column[j];

		if (from->code != NULL)
			fit_category(host, task, records, from, &bayes->column[j]);
		else
			fit_number(host, task, j, &bayes->column[j]);
	}
	host->release(host, records);
	return bayes;
}

/* Adds the logarithm of a normal density, up to what all classes share. */
static void
add_number(const Column *column, double x, double *score, int32_t classes)
{
	int32_t c;

	if (isnan(x) || !(column->scale.deviation > 0))
		return;
	x = training_scale_apply(&column->scale, x);
	for (c = 0; c < classes; c++)
	{
		double shift = x - column->mean[c];

		score[c] -= 0.5 * (shift * shift / column->variance[c] +
						   sdc_random_log(column->variance[c]));
	}
}

static void
bayes_predict(void *fitted, const SdcModelTable *table, int32_t row,
			  double *probability)
{
	const NaiveBayes *bayes = fitted;
	int32_t c;
	int j;

	memcpy(probability, bayes->prior,
		   sizeof(double) * (size_t) bayes->classes);
	for (j = 0; j < bayes->columns; j++)
	{
		const SdcModelColumn *from = &table->column[j];
		const Column *column = &bayes->column[j];
		int32_t place;

		if (from->code == NULL)
		{
			add_number(column, from->number[row], probability, bayes->classes);
			continue;
		}
		place = place_of(from, row);
		if (place > column->values || !column->known[place])
			continue;
		for (c = 0; c < bayes->classes; c++)
			probability[c] +=
				column->likelihood[(size_t) place * (size_t) bayes->classes +
								   (size_t) c];
	}
	softmax(probability, bayes->classes);
}

/* ----------------------------------------------------------------------
 * The majority among the nearest training rows.
 *
 * The rows lie in an index of points (point_index.h), with a measure that
 * knows categories and NULLs.  Distances are summed column by column in one
 * order and then rounded, so that equal ones are seen to be equal; bounds of
 * boxes go the same way.
 * ----------------------------------------------------------------------
 */

/* What distances are rounded to, so that equal ones are seen to be equal. */
#define UNIT 0x1p-30

/* The coordinate of a NULL among numbers. */
#define NONE SDC_INDEX_ABSENT

#define PLACES   SDC_INDEX_POINTS
#define CHILDREN SDC_INDEX_CHILDREN

typedef struct Neighbours
{
	SdcHost *host;
	int columns;
	int32_t classes;
	int32_t votes;
	SdcScale *scale; /* of numbers */
	bool *category;
	int32_t *label;
	SdcPointIndex index;
	SdcIndexMeasure measure;
	double *point; /* of the row asked for */
	SdcNearest nearest;
} Neighbours;

/* A row's coordinates; codes as they are, NULL included. */
static void
take_row(const Neighbours *model, const SdcModelTable *table, int32_t row,
		 double *point)
{
	int j;

	for (j = 0; j < model->columns; j++)
	{
		const SdcModelColumn *column = &table->column[j];

		if (model->category[j])
			point[j] = column->code[row];
		else if (isnan(column->number[row]))
			point[j] = NONE;
		else
			point[j] =
				training_scale_apply(&model->scale[j], column->number[row]);
	}
}

/* Rounds 16 sums, if any of them is at most limit; is any? */
static inline __attribute__((always_inline)) bool
round_sums(double *sum, double limit)
{
	int near = 0;
	int i;

	for (i = 0; i < PLACES; i++)
		near |= sum[i] <= limit + UNIT;
	for (i = 0; i < PLACES && near; i++)
		sum[i] = floor(sum[i] / UNIT + 0.5) * UNIT;
	return near != 0;
}

/*
 * The distances of the points of a block: categories that differ are 1 apart,
 * a NULL and a number, too.  Empty places lie at infinity, beyond any NULL.
 */
SDC_CLONES static bool
add_columns(const bool *category, const double *coordinate, int columns,
			const double *query, double limit, double *sum)
{
	int i;
	int j;

	for (i = 0; i < PLACES; i++)
		sum[i] = coordinate[i] < INFINITY ? 0 : INFINITY;
	for (j = 0; j < columns; j++, coordinate += PLACES)
	{
		double x = query[j];

		if (category[j] || x == NONE)
			for (i = 0; i < PLACES; i++)
				sum[i] += coordinate[i] != x ? 1 : 0;
		else
			for (i = 0; i < PLACES; i++)
			{
				double d = (coordinate[i] - x) * (coordinate[i] - x);

				sum[i] += coordinate[i] == NONE ? 1 : d;
			}
	}
	return round_sums(sum, limit);
}

static bool
measure_points(const SdcIndexMeasure *measure, const double *coordinate,
			   int columns, const double *query, double limit, double *sum)
{
	return add_columns(measure->arg, coordinate, columns, query, limit, sum);
}

/*
 * What each column adds at least in the boxes of a group.  A box that reaches
 * up to NONE may hold NULLs, 1 away from any number.
 */
SDC_CLONES static bool
add_ranges(const bool *category, const double *box, int columns,
		   const double *query, double limit, double *bound)
{
	int i;
	int j;

	for (i = 0; i < CHILDREN; i++)
		bound[i] = box[i] < INFINITY ? 0 : INFINITY;
	for (j = 0; j < columns; j++, box += 2 * CHILDREN)
	{
		const double *low = box;
		const double *high = box + CHILDREN;
		double x = query[j];

		if (category[j] || x == NONE)
			for (i = 0; i < CHILDREN; i++)
				bound[i] += x < low[i] || x > high[i] ? 1 : 0;
		else
			for (i = 0; i < CHILDREN; i++)
			{
				double below = low[i] - x;
				double above = x - high[i];
				double outside = below > above ? below : above;
				double least = outside > 0 ? outside * outside : 0;

				bound[i] += high[i] == NONE && least > 1 ? 1 : least;
			}
	}
	return round_sums(bound, limit);
}

static bool
measure_boxes(const SdcIndexMeasure *measure, const double *box, int columns,
			  const double *query, double limit, double *bound)
{
	return add_ranges(measure->arg, box, columns, query, limit, bound);
}

/* The training rows as an index, in which they have numbers from 0. */
static void
index_training(Neighbours *model, const SdcModelTask *task)
{
	SdcHost *host = model->host;
	size_t columns = (size_t) model->columns;
	double *coordinate = sdc_new(host, double, (size_t) task->rows *columns);
	double *widest = sdc_new(host, double, columns);
	int32_t i;
	int j;

	for (j = 0; j < model->columns; j++)
	{
		model->category[j] = task->table->column[j].code != NULL;
		widest[j] = model->category[j] ? 1 : INFINITY;
		if (!model->category[j])
			model->scale[j] = training_scale_find(host, task, j);
	}
	for (i = 0; i < task->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) task->rows);
		take_row(model, task->table, task->row[i],
				 coordinate + (size_t) i * columns);
		model->label[i] = task->label[task->row[i]];
	}
	sdc_point_index_place(
		host, &model->index,
		sdc_new(host, char, sdc_point_index_size(task->rows, model->columns)),
		task->rows, model->columns);
	sdc_point_index_fill(&model->index, coordinate, widest);
	host->release(host, coordinate);
	host->release(host, widest);
}

/*
 * The squared distance of two rows is the sum over the columns: of numbers the
 * squared difference of their standard scores, 1 between NULL and a number; of
 * categories 1 when they differ; rounded to 2^-30.  The settings->neighbours
 * nearest rows (all, if there are fewer) vote; of equally near ones the first
 * in the order of task->row.  A probability is a share of the votes.  Fit
 * O(n log n); predict O(log n) for well-spread rows of few columns, O(n) at
 * worst.  See SdcModelMethod.
 */
static void *
neighbours_fit(SdcHost *host, const SdcModelTask *task)
{
	Neighbours *model = sdc_new(host, Neighbours, 1);
	size_t rows = (size_t) task->rows;
	size_t columns = (size_t) task->table->columns;

	memset(model, 0, sizeof(*model));
	model->host = host;
	model->columns = task->table->columns;
	model->classes = task->classes;
	model->votes = task->settings->neighbours < task->rows
					   ? task->settings->neighbours
					   : task->rows;
	model->scale = sdc_new(host, SdcScale, columns);
	model->category = sdc_new(host, bool, columns);
	model->label = sdc_new(host, int32_t, rows);
	model->point = sdc_new(host, double, columns);
	model->measure.points = measure_points;
	model->measure.boxes = measure_boxes;
	model->measure.arg = model->category;
	sdc_nearest_create(host, &model->nearest, model->votes);
	index_training(model, task);
	return model;
}

static void
neighbours_predict(void *fitted, const SdcModelTable *table, int32_t row,
				   double *probability)
{
	Neighbours *model = fitted;
	const SdcNearest *nearest = &model->nearest;
	int32_t c;
	int32_t i;

	take_row(model, table, row, model->point);
	sdc_nearest_clear(&model->nearest, model->votes);
	sdc_point_index_nearest(&model->index, &model->measure, model->point,
							&model->nearest);
	for (c = 0; c < model->classes; c++)
		probability[c] = 0;
	for (i = 0; i < nearest->count; i++)
		probability[model->label[nearest->item[i].point]]++;
	for (c = 0; c < model->classes; c++)
		probability[c] /= nearest->count;
}

/* ----------------------------------------------------------------------
 * Linear support vector machines, one class against the rest.
 *
 * The price of a margin violated is squared, so there is a gradient, and it is
 * linear between the places where rows begin or cease to violate.  Newton's
 * method on it needs few steps; each is found by conjugate gradients, which
 * see the rows and no matrix of features by features.
 * ----------------------------------------------------------------------
 */

/* A gradient this small, relative to that of no weights, is zero. */
#define SVM_TOLERANCE 1e-6
/* The share of the decrease that a gradient promises and a step must keep. */
#define SVM_DECREASE 1e-4
#define SVM_HALVINGS 40
/* Conjugate gradients for one step, at the most. */
#define SVM_CONJUGATES 250

typedef struct Svm
{
	Design *design;
	int32_t classes;
	double **weight;
	DesignRow row;
} Svm;

/* The state of one machine while it learns; arrays by feature or by row. */
typedef struct Separation
{
	SdcHost *host;
	const SdcModelTask *task;
	const DesignRows *rows;
	int32_t features;
	int32_t label;
	double *weight;
	double *gradient;
	double *step;
	double *residual;  /* of the equations of the step */
	double *direction; /* of the next conjugate gradient */
	double *product;   /* of the Hessian and the direction */
	double *margin;    /* by row: of the weights, positive on its side */
	double *along;     /* by row: what the step adds to it */
} Separation;

/* Adds a row so many times to a vector of features. */
static inline void
add_row_times(double *vector, const DesignRow *row, double times)
{
	int32_t f;

	for (f = 0; f < row->count; f++)
		vector[row->feature[f]] += times * row->value[f];
}

static inline double
side(const Separation *fit, int32_t i)
{
	return fit->task->label[fit->task->row[i]] == fit->label ? 1 : -1;
}

static inline void
poll_rows(const Separation *fit, int32_t i)
{
	if (i % SDC_POLL_STEPS == 0)
		fit->host->poll(fit->host, 0, 0);
}

static void
find_gradient(Separation *fit)
{
	int32_t i;

	memcpy(fit->gradient, fit->weight,
		   sizeof(double) * (size_t) fit->features);
	for (i = 0; i < fit->task->rows; i++)
	{
		DesignRow row;

		poll_rows(fit, i);
		if (fit->margin[i] >= 1)
			continue;
		row = design_rows_get(fit->rows, i);
		add_row_times(fit->gradient, &row,
					  -2 * fit->task->settings->penalty * side(fit, i) *
						  (1 - fit->margin[i]));
	}
}

/* The Hessian, of the rows that violate their margins, times the direction. */
static void
find_product(Separation *fit)
{
	int32_t i;

	memcpy(fit->product, fit->direction,
		   sizeof(double) * (size_t) fit->features);
	for (i = 0; i < fit->task->rows; i++)
	{
		DesignRow row;

		poll_rows(fit, i);
		if (fit->margin[i] >= 1)
			continue;
		row = design_rows_get(fit->rows, i);
		add_row_times(fit->product, &row,
					  2 * fit->task->settings->penalty *
						  design_product(&row, fit->direction));
	}
}

/*
 * Newton's step by conjugate gradients, the more exactly the nearer the
 * optimum is: nearness is the length of the gradient relative to the first.
 */
static void
find_step(Separation *fit, double nearness)
{
	int32_t features = fit->features;
	double length = sdc_dot(fit->gradient, fit->gradient, features);
	double enough = length * fmin(0.01, nearness);
	int32_t round;
	int32_t f;

	for (f = 0; f < features; f++)
	{
		fit->step[f] = 0;
		fit->residual[f] = fit->direction[f] = -fit->gradient[f];
	}
	for (round = 0; round < SVM_CONJUGATES && length > enough; round++)
	{
		double before = length;
		double size;

		find_product(fit);
		size = length / sdc_dot(fit->direction, fit->product, features);
		for (f = 0; f < features; f++)
		{
			fit->step[f] += size * fit->direction[f];
			fit->residual[f] -= size * fit->product[f];
		}
		length = sdc_dot(fit->residual, fit->residual, features);
		for (f = 0; f < features; f++)
			fit->direction[f] =
				fit->residual[f] + length / before * fit->direction[f];
	}
}

/* What the rows cost after so much of the step. */
static double
price_after(const Separation *fit, double size)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < fit->task->rows; i++)
	{
		double missing = 1 - fit->margin[i] - size * fit->along[i];

		poll_rows(fit, i);
		if (missing > 0)
			sum += missing * missing;
	}
	return sum * fit->task->settings->penalty;
}

/* Takes as much of the step as lowers the objective; false: nothing does. */
static bool
take_step(Separation *fit)
{
	int32_t features = fit->features;
	double slope = sdc_dot(fit->gradient, fit->step, features);
	double linear = sdc_dot(fit->weight, fit->step, features);
	double square = sdc_dot(fit->step, fit->step, features) / 2;
	double before = price_after(fit, 0);
	double size = 1;
	int halvings;
	int32_t i;

	for (i = 0; i < fit->task->rows; i++)
	{
		DesignRow row = design_rows_get(fit->rows, i);

		poll_rows(fit, i);
		fit->along[i] = side(fit, i) * design_product(&row, fit->step);
	}
	for (halvings = 0; price_after(fit, size) - before + size * linear +
						   size * size * square >
					   SVM_DECREASE * size * slope;
		 halvings++)
	{
		if (halvings == SVM_HALVINGS)
			return false;
		size /= 2;
	}
	for (i = 0; i < features; i++)
		fit->weight[i] += size * fit->step[i];
	for (i = 0; i < fit->task->rows; i++)
		fit->margin[i] += size * fit->along[i];
	return true;
}

/*
 * The weights w[design->features] with the least
 *     w.w / 2 + penalty * sum of max(0, 1 - y_i w.x_i)^2,
 * y_i being 1 where label is the class and -1 elsewhere, by truncated Newton
 * steps (Keerthi and DeCoste 2005; Lin, Weng and Keerthi 2008), at most
 * settings->iterations of them.  The constant feature is one as any other.
 * O(rows columns) a conjugate gradient, of which there are about as many in a
 * step as features, at most 250.
 */
static double *
svm_separate(SdcHost *host, const SdcModelTask *task, const Design *design,
			 const DesignRows *rows, int32_t label)
{
	int32_t features = design->features;
	Separation fit = {.host = host,
					  .task = task,
					  .rows = rows,
					  .features = features,
					  .label = label};
	double first = 0;
	int step;

	fit.weight = zeros(host, (size_t) features);
	fit.gradient = zeros(host, (size_t) features);
	fit.step = zeros(host, (size_t) features);
	fit.residual = zeros(host, (size_t) features);
	fit.direction = zeros(host, (size_t) features);
	fit.product = zeros(host, (size_t) features);
	fit.margin = zeros(host, (size_t) task->rows);
	fit.along = zeros(host, (size_t) task->rows);
	for (step = 0; step < task->settings->iterations; step++)
	{
		double length;

		find_gradient(&fit);
		length = sqrt(sdc_dot(fit.gradient, fit.gradient, features));
		if (step == 0)
			first = length;
		if (length <= SVM_TOLERANCE * first)
			break;
		find_step(&fit, length / first);
		if (!take_step(&fit))
			break;
	}
	host->release(host, fit.gradient);
	host->release(host, fit.step);
	host->release(host, fit.residual);
	host->release(host, fit.direction);
	host->release(host, fit.product);
	host->release(host, fit.margin);
	host->release(host, fit.along);
	return fit.weight;
}

/*
 * One such machine for each class; the class with the largest margin wins.
 * The probabilities are the softmax of the margins: they order the classes,
 * but are no estimates of frequencies.  See SdcModelMethod.
 */
static void *
svm_fit(SdcHost *host, const SdcModelTask *task)
{
	Svm *svm = sdc_new(host, Svm, 1);
	DesignRows rows;
	int32_t c;

	svm->design = design_create(host, task);
	svm->classes = task->classes;
	svm->weight = sdc_new(host, double *, (size_t) task->classes);
	svm->row = design_row(host, svm->design);
	rows = design_rows(host, svm->design, task);
	for (c = 0; c < task->classes; c++)
		svm->weight[c] = svm_separate(host, task, svm->design, &rows, c);
	design_rows_release(host, &rows);
	return svm;
}

static void
svm_predict(void *fitted, const SdcModelTable *table, int32_t row,
			double *probability)
{
	Svm *svm = fitted;
	int32_t c;

	design_take(svm->design, table, row, &svm->row);
	for (c = 0; c < svm->classes; c++)
		probability[c] = design_product(&svm->row, svm->weight[c]);
	softmax(probability, svm->classes);
}

/* ----------------------------------------------------------------------
 * The baseline: the most frequent class, whatever the columns say.
 * ----------------------------------------------------------------------
 */

typedef struct Majority
{
	int32_t classes;
	double *share;
} Majority;

/*
 * Probabilities are the shares of the classes (ZeroR).  O(rows); see
 * SdcModelMethod.
 */
static void *
majority_fit(SdcHost *host, const SdcModelTask *task)
{
	Majority *majority = sdc_new(host, Majority, 1);
	int32_t c;
	int32_t i;

	majority->classes = task->classes;
	majority->share = sdc_new(host, double, (size_t) task->classes);
	memset(majority->share, 0, sizeof(double) * (size_t) task->classes);
	for (i = 0; i < task->rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) i, (uint64_t) task->rows);
		majority->share[task->label[task->row[i]]]++;
	}
	for (c = 0; c < task->classes; c++)
		majority->share[c] /= task->rows;
	return majority;
}

static void
majority_predict(void *fitted, const SdcModelTable *table, int32_t row,
				 double *probability)
{
	const Majority *majority = fitted;

	(void) table;
	(void) row;
	memcpy(probability, majority->share,
		   sizeof(double) * (size_t) majority->classes);
}

/* ----------------------------------------------------------------------
 * The methods, and what all of them do.
 * ----------------------------------------------------------------------
 */

/* Probabilities that differ by less than this share are equal. */
#define NEAR_TIE 1e-9

const SdcModelMethod sdc_model_methods[] = {
	{"zeror", majority_fit, majority_predict},
	{"nb", bayes_fit, bayes_predict},
	{"knn", neighbours_fit, neighbours_predict},
	{"tree", tree_fit, tree_predict},
	{"logistic", sdc_logistic_classes_fit, sdc_logistic_classes_predict},
	{"svm", svm_fit, svm_predict},
	{NULL, NULL, NULL}};

SdcModel *
sdc_model_fit(SdcHost *host, const SdcModelMethod *method,
			  const SdcModelTask *task)
{
	SdcArena *arena = sdc_arena_create(host);
	SdcModel *model = sdc_new(&arena->host, SdcModel, 1);

	model->method = method;
	model->arena = arena;
	model->classes = task->classes;
	model->probability = sdc_new(&arena->host, double, (size_t) task->classes);
	model->fitted = method->fit(&arena->host, task);
	return model;
}

int32_t
sdc_model_predict(SdcModel *model, const SdcModelTable *table, int32_t row)
{
	double *probability = model->probability;
	double most = 0;
	int32_t c;

	model->method->predict(model->fitted, table, row, probability);
	for (c = 0; c < model->classes; c++)
		if (probability[c] > most)
			most = probability[c];
	for (c = 0; c < model->classes - 1; c++)
		if (probability[c] >= most * (1 - NEAR_TIE))
			break;
	return c;
}

void
sdc_model_release(SdcModel *model)
{
	if (model != NULL)
		sdc_arena_end(model->arena);
}
