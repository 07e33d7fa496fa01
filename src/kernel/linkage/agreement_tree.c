/*
 * agreement_tree.c
 *		Who agrees most with a record, without a look at everybody.
 *
 * A k-d tree, one for each block.  A box is split at the median of the field
 * whose weights are the most apart times how wide the box still is there, so
 * that telling fields are split first.  Missing values lie at infinity, beyond
 * the box, and are remembered by a flag.
 *
 * The greatest sum is found first, by branch and bound, where ties need no
 * second look; who has it is then a search with a bound that is known.
 *
 * Numbers that agree on the best level are often few, and lie anywhere in the
 * other fields: a box that holds one of them could have the best level of any
 * field.  So where the points of that level are few they are taken from the
 * sorted values of the field, and boxes are bounded without them.
 */
#include "kernel/linkage/agreement_tree.h"

#include <math.h>
#include <string.h>

#include "kernel/base/heap.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* Points of a leaf at the most. */
#define LEAF 16

/* Points of the best level that are looked at one by one, of a field. */
#define LISTED 32

/* Sums whose rest is not summed in order may be off by as much. */
#define SLACK 1e-6

#define LEVELS SDC_COMPARISON_LEVELS

typedef struct Node
{
	int32_t begin; /* points, by their place in the tree */
	int32_t end;
	int32_t child[2];  /* -1: a leaf */
	int32_t least_row; /* the smallest number of its records */
	int32_t records;
	uint64_t missing; /* fields that some point does not have */
} Node;

/* A record while the best are gathered. */
typedef struct Found
{
	double sum;
	uint64_t priority; /* of equal sums, the smaller first */
	int32_t record;
} Found;

/* The values of a field, ascending in each block, and whose they are. */
typedef struct Sorted
{
	double *value; /* of block b from the first of its points on; NULL: none */
	int32_t *owner;
	int32_t *have; /* how many there are in each block */
	int reach;     /* the last level that counts as much as the best one */
} Sorted;

/* A point that is looked at outside its box. */
typedef struct Listed
{
	int32_t place;
	double sum;
} Listed;

/* One field of the point that looks. */
typedef struct Query
{
	bool missing;
	double value;
	int32_t code;
	int nearest; /* the best level that is left to boxes */
	/* of a table: codes below c with at most level l, [l * (codes + 1) + c] */
	int32_t *below;
	int32_t below_code; /* whose these are; -1: nobody's */
} Query;

struct SdcAgreementTree
{
	SdcHost *host;
	const SdcComparison *comparison;
	const SdcComparisonWeights *weights;
	int fields;
	int32_t *root; /* of each block; -1: it is empty */
	Node *node;
	int32_t nodes;
	double *box;    /* low and high, [(node * fields + field) * 2] */
	int32_t *point; /* by place */
	/* of a leaf from begin * fields on, field by field; INFINITY: missing */
	double *value;
	uint64_t work;
	int32_t *place; /* of each point */
	Sorted sorted[SDC_COMPARISON_FIELDS];

	Query query[SDC_COMPARISON_FIELDS];
	Listed listed[SDC_COMPARISON_FIELDS * LISTED]; /* by place */
	int listed_points;
	double rest[SDC_COMPARISON_FIELDS + 1]; /* the most of the fields on */
	double best;
	int32_t most;
	int32_t found;
};

/* ----------------------------------------------------------------------
 * Making it.
 * ----------------------------------------------------------------------
 */

/* What lies in the records that are parted: the values, then the point. */
typedef struct Builder
{
	SdcAgreementTree *tree;
	double *record;
	size_t width;
	double spread[SDC_COMPARISON_FIELDS]; /* of a field in the whole file */
} Builder;

static bool
is_table(const SdcAgreementTree *tree, int field)
{
	return tree->comparison->field[field].level != NULL;
}

static double
point_value(const SdcComparisonPoints *file, int field, int32_t point)
{
	if (file->number[field] != NULL)
		return isnan(file->number[field][point]) ? INFINITY
												 : file->number[field][point];
	return file->code[field][point] < 0 ? INFINITY : file->code[field][point];
}

/* The box around the points of a node. */
static void
set_box(Builder *builder, Node *node, double *box)
{
	int fields = builder->tree->fields;
	int32_t i;
	int j;

	node->missing = 0;
	for (j = 0; j < fields; j++)
	{
		double low = INFINITY;
		double high = -INFINITY;

		for (i = node->begin; i < node->end; i++)
		{
			double value =
				builder->record[(size_t) i * builder->width + (size_t) j];

			if (value == INFINITY)
			{
				node->missing |= UINT64_C(1) << j;
				continue;
			}
			low = value < low ? value : low;
			high = value > high ? value : high;
		}
		box[2 * j] = low;
		box[2 * j + 1] = high;
	}
}

/* The field to part a box at; -1 when it is a single point. */
static int
choose_axis(const Builder *builder, const Node *node, const double *box)
{
	const SdcAgreementTree *tree = builder->tree;
	double most = -1;
	int axis = -1;
	int j;

	for (j = 0; j < tree->fields; j++)
	{
		const double *weight = tree->weights[j];
		double range =
			weight[0] - weight[tree->comparison->field[j].levels - 1] + 1e-3;
		double wide = box[2 * j + 1] - box[2 * j];

		if (!(wide > 0))
			wide = 0;
		else
			wide /= builder->spread[j];
		/* missing and present ones are apart, too */
		if ((node->missing >> j & 1) != 0 && box[2 * j] <= box[2 * j + 1])
			wide = fmax(wide, 0.5);
		if (wide > 0 && wide * range > most)
		{
			most = wide * range;
			axis = j;
		}
	}
	return axis;
}

/* What a leaf has: its points and their records. */
static void
fill_leaf(Builder *builder, Node *node)
{
	SdcAgreementTree *tree = builder->tree;
	const SdcComparisonPoints *file = &tree->comparison->file[1];
	size_t fields = (size_t) tree->fields;
	size_t points = (size_t) (node->end - node->begin);
	double *value = tree->value + (size_t) node->begin * fields;
	int32_t i;
	size_t j;

	for (i = node->begin; i < node->end; i++)
	{
		const double *record = builder->record + (size_t) i * builder->width;
		int32_t point = (int32_t) record[fields];

		for (j = 0; j < fields; j++)
			value[j * points + (size_t) (i - node->begin)] = record[j];
		tree->point[i] = point;
		node->records += file->first[point + 1] - file->first[point];
		if (file->member[file->first[point]] < node->least_row)
			node->least_row = file->member[file->first[point]];
	}
}

/* Makes the node of some points and all below it; returns its number. */
static int32_t
build(Builder *builder, int32_t begin, int32_t end)
{
	SdcAgreementTree *tree = builder->tree;
	int32_t number = tree->nodes++;
	Node *node = &tree->node[number];
	double *box = tree->box + (size_t) number * (size_t) tree->fields * 2;
	int32_t middle = begin + (end - begin) / 2;
	int axis;
	int c;

	memset(node, 0, sizeof(*node));
	node->begin = begin;
	node->end = end;
	node->child[0] = node->child[1] = -1;
	node->least_row = INT32_MAX;
	set_box(builder, node, box);
	axis = end - begin > LEAF ? choose_axis(builder, node, box) : -1;
	if (axis < 0)
	{
		fill_leaf(builder, node);
		return number;
	}
	sdc_select_record(tree->host,
					  builder->record + (size_t) begin * builder->width,
					  builder->width, end - begin, middle - begin, axis);
	node->child[0] = build(builder, begin, middle);
	node->child[1] = build(builder, middle, end);
	for (c = 0; c < 2; c++)
	{
		const Node *child = &tree->node[node->child[c]];

		node->records += child->records;
		if (child->least_row < node->least_row)
			node->least_row = child->least_row;
	}
	return number;
}

/* The records to part, and how wide the fields are. */
static void
begin_build(Builder *builder, SdcAgreementTree *tree)
{
	const SdcComparisonPoints *file = &tree->comparison->file[1];
	Node all = {.begin = 0, .end = file->points};
	double box[2 * SDC_COMPARISON_FIELDS];
	int32_t p;
	int j;

	builder->tree = tree;
	builder->width = (size_t) tree->fields + 1;
	builder->record = sdc_new(tree->host, double,
							  (size_t) file->points * builder->width + 1);
	for (p = 0; p < file->points; p++)
	{
		double *record = builder->record + (size_t) p * builder->width;

		for (j = 0; j < tree->fields; j++)
			record[j] = point_value(file, j, p);
		record[tree->fields] = p;
	}
	set_box(builder, &all, box);
	for (j = 0; j < tree->fields; j++)
		builder->spread[j] = box[2 * j + 1] - box[2 * j];
}

/* What a query needs of the fields that have a table. */
static void
begin_queries(SdcAgreementTree *tree)
{
	int j;

	for (j = 0; j < tree->fields; j++)
	{
		const SdcComparisonField *field = &tree->comparison->field[j];

		tree->query[j].below_code = -1;
		if (is_table(tree, j))
			tree->query[j].below =
				sdc_new(tree->host, int32_t,
						(size_t) field->levels * ((size_t) field->codes + 1));
	}
}

/* The last level that counts as much as the best one. */
static int
reach_of(const SdcAgreementTree *tree, int field)
{
	const double *weight = tree->weights[field];
	int reach = 0;

	while (reach < tree->comparison->field[field].levels - 1 &&
		   weight[reach + 1] == weight[0])
		reach++;
	return reach;
}

/* Sorts the values of a field that are there, block by block. */
static void
sort_field(SdcAgreementTree *tree, int field, int32_t blocks, Sorted *sorted)
{
	SdcHost *host = tree->host;
	const SdcComparisonPoints *file = &tree->comparison->file[1];
	const double *number = file->number[field];
	uint64_t *key = sdc_new(host, uint64_t, (size_t) file->points + 1);
	int32_t b;
	int32_t p;

	sorted->have = sdc_new(host, int32_t, (size_t) blocks + 1);
	sorted->value = sdc_new(host, double, (size_t) file->points + 1);
	sorted->owner = sdc_new(host, int32_t, (size_t) file->points + 1);
	for (b = 0; b < blocks; b++)
	{
		int32_t begin = file->block[b];
		int32_t n = 0;

		for (p = begin; p < file->block[b + 1]; p++)
			if (!isnan(number[p]))
			{
				key[n] = sdc_sort_key(number[p]);
				sorted->owner[begin + n++] = p;
			}
		sdc_sort_keys(host, key, sorted->owner + begin, (size_t) n);
		for (p = begin; p < begin + n; p++)
			sorted->value[p] = number[sorted->owner[p]];
		sorted->have[b] = n;
	}
	host->release(host, key);
}

/* Sorts the fields whose best level counts more than the next. */
static void
sort_fields(SdcAgreementTree *tree, int32_t blocks)
{
	int32_t *place = sdc_new(tree->host, int32_t,
							 (size_t) tree->comparison->file[1].points + 1);
	int32_t i;
	int j;

	for (i = 0; i < tree->comparison->file[1].points; i++)
		place[tree->point[i]] = i;
	tree->place = place;
	for (j = 0; j < tree->fields; j++)
	{
		int reach = reach_of(tree, j);

		tree->sorted[j].reach = reach;
		if (tree->comparison->field[j].number[1] != NULL &&
			reach < tree->comparison->field[j].levels - 1)
			sort_field(tree, j, blocks, &tree->sorted[j]);
	}
}

SdcAgreementTree *
sdc_agreement_tree_create(SdcHost *host, const SdcComparison *comparison,
						  const SdcComparisonWeights *weights)
{
	SdcAgreementTree *tree = sdc_new(host, SdcAgreementTree, 1);
	const SdcComparisonPoints *file = &comparison->file[1];
	int32_t blocks = comparison->block[1] == NULL ? 1 : comparison->blocks;
	/* a leaf that is parted has more than LEAF / 2 points */
	size_t most = (size_t) file->points / (LEAF / 4) + (size_t) blocks + 1;
	size_t fields = (size_t) comparison->fields;
	Builder builder = {0};
	int32_t b;

	host->stage(host, "indexing");
	memset(tree, 0, sizeof(*tree));
	tree->host = host;
	tree->comparison = comparison;
	tree->weights = weights;
	tree->fields = comparison->fields;
	tree->root = sdc_new(host, int32_t, (size_t) blocks + 1);
	tree->node = sdc_new(host, Node, most);
	tree->box = sdc_new(host, double, most *fields * 2);
	tree->point = sdc_new(host, int32_t, (size_t) file->points + 1);
	tree->value = sdc_new(host, double, (size_t) file->points *fields + 1);
	begin_build(&builder, tree);
	for (b = 0; b < blocks; b++)
		tree->root[b] =
			file->block[b] == file->block[b + 1]
				? -1
				: build(&builder, file->block[b], file->block[b + 1]);
	host->release(host, builder.record);
	sort_fields(tree, blocks);
	begin_queries(tree);
	return tree;
}

uint64_t
sdc_agreement_tree_work(const SdcAgreementTree *tree)
{
	return tree->work;
}

/* ----------------------------------------------------------------------
 * What a point can count, and a box.
 * ----------------------------------------------------------------------
 */

/* Counts the codes of each level before each code, for a table. */
static void
prepare_table(const SdcComparisonField *field, Query *query)
{
	size_t codes = (size_t) field->codes;
	const uint8_t *row = field->level + (size_t) query->code * codes;
	size_t c;
	int l;

	if (query->below_code == query->code)
		return;
	query->below_code = query->code;
	for (l = 0; l < field->levels; l++)
	{
		int32_t *below = query->below + (size_t) l * (codes + 1);

		below[0] = 0;
		for (c = 0; c < codes; c++)
			below[c + 1] = below[c] + (row[c] <= l);
	}
}

/* Sets the point of file 0 that looks. */
static void
set_query(SdcAgreementTree *tree, int32_t from)
{
	const SdcComparison *comparison = tree->comparison;
	const SdcComparisonPoints *file = &comparison->file[0];
	int j;

	tree->rest[tree->fields] = 0;
	for (j = tree->fields - 1; j >= 0; j--)
	{
		const SdcComparisonField *field = &comparison->field[j];
		const double *weight = tree->weights[j];
		Query *query = &tree->query[j];

		query->value = point_value(file, j, from);
		query->missing = query->value == INFINITY;
		query->code = file->code[j] != NULL ? file->code[j][from] : 0;
		query->nearest = 0;
		if (is_table(tree, j) && !query->missing)
			prepare_table(field, query);
		tree->rest[j] =
			tree->rest[j + 1] + (query->missing
									 ? weight[field->levels]
									 : fmax(weight[0], weight[field->levels]));
	}
}

/* The level of two values that are there. */
static inline int
level_of(const SdcComparisonField *field, const Query *query, double value)
{
	int last = field->levels - 1;
	int level = 0;
	int l;

	if (field->number[0] == NULL)
	{
		if (field->level != NULL)
			return field->level[(size_t) query->code * (size_t) field->codes +
								(size_t) value];
		return value == query->value ? 0 : last;
	}
	for (l = 0; l < last; l++)
		level += fabs(query->value - value) > field->threshold[l];
	return level;
}

/* The sum of a point of file 1. */
static double
sum_of(const SdcAgreementTree *tree, int32_t point)
{
	const SdcComparisonPoints *file = &tree->comparison->file[1];
	double sum = 0;
	int j;

	for (j = 0; j < tree->fields; j++)
	{
		const SdcComparisonField *field = &tree->comparison->field[j];
		double value = point_value(file, j, point);
		bool missing = tree->query[j].missing || value == INFINITY;

		sum += tree->weights[j][missing
									? field->levels
									: level_of(field, &tree->query[j], value)];
	}
	return sum;
}

/* Adds what numbers count; a value that is missing is at infinity. */
SDC_CLONES static void
add_weights(const SdcComparisonField *field, const double *weight,
			double number, const double *value, int n, double *sum)
{
	double counts[LEAF];
	double none = weight[field->levels];
	int last = field->levels - 1;
	int i;
	int l;

	for (i = 0; i < n; i++)
		counts[i] = weight[0];
	for (l = 0; l < last; l++)
	{
		double threshold = field->threshold[l];
		double next = weight[l + 1];

		for (i = 0; i < n; i++)
			counts[i] = fabs(number - value[i]) > threshold ? next : counts[i];
	}
	for (i = 0; i < n; i++)
		sum[i] += value[i] == INFINITY ? none : counts[i];
}

/* The same for codes. */
static void
add_code_weights(const SdcComparisonField *field, const double *weight,
				 const Query *query, const double *value, int n, double *sum)
{
	int i;

	for (i = 0; i < n; i++)
		sum[i] +=
			weight[value[i] == INFINITY ? field->levels
										: level_of(field, query, value[i])];
}

/*
 * The sums of n <= LEAF points of a leaf from its point first on; false, and
 * no sums, if all are below the floor.
 */
static bool
sum_leaf(SdcAgreementTree *tree, const Node *node, int32_t first, int n,
		 double floor, double *sum)
{
	size_t points = (size_t) (node->end - node->begin);
	const double *value =
		tree->value + (size_t) node->begin * (size_t) tree->fields + first;
	int i;
	int j;

	tree->work += (uint64_t) n;
	memset(sum, 0, sizeof(double) * LEAF);
	for (j = 0; j < tree->fields; j++, value += points)
	{
		const SdcComparisonField *field = &tree->comparison->field[j];
		const double *weight = tree->weights[j];
		double least = floor - SLACK - tree->rest[j + 1];
		bool some = false;

		if (tree->query[j].missing)
			for (i = 0; i < n; i++)
				sum[i] += weight[field->levels];
		else if (field->number[0] != NULL)
			add_weights(field, weight, tree->query[j].value, value, n, sum);
		else
			add_code_weights(field, weight, &tree->query[j], value, n, sum);
		for (i = 0; i < n; i++)
			some |= sum[i] >= least;
		if (!some)
			return false;
	}
	return true;
}

/* How many codes from low to high have at most a level. */
static inline int32_t
codes_within(const SdcComparisonField *field, const Query *query, int level,
			 int32_t low, int32_t high)
{
	const int32_t *below =
		query->below + (size_t) level * ((size_t) field->codes + 1);

	return below[high + 1] - below[low];
}

/* The best level for values from low to high, but for points listed. */
static inline int
nearest_level(const SdcComparisonField *field, const Query *query, double low,
			  double high)
{
	int near = 0;

	if (field->level == NULL)
	{
		near = query->value < low    ? level_of(field, query, low)
			   : query->value > high ? level_of(field, query, high)
									 : 0;
		return near < query->nearest ? query->nearest : near;
	}
	while (near < field->levels - 1 &&
		   codes_within(field, query, near, (int32_t) low, (int32_t) high) ==
			   0)
		near++;
	return near;
}

/* The worst level for values from low to high. */
static inline int
farthest_level(const SdcComparisonField *field, const Query *query, double low,
			   double high)
{
	int32_t codes = (int32_t) high - (int32_t) low + 1;
	int far = 0;

	if (field->level == NULL)
		return level_of(field, query,
						query->value - low > high - query->value ? low : high);
	while (far < field->levels - 1 &&
		   codes_within(field, query, far, (int32_t) low, (int32_t) high) <
			   codes)
		far++;
	return far;
}

/* Has a field nothing to compare in a box? */
static inline bool
is_unknown(const SdcAgreementTree *tree, const double *box, int field)
{
	return tree->query[field].missing || box[2 * field] > box[2 * field + 1];
}

/*
 * The most that points of a node can count that are not listed; -INFINITY if
 * that is below the floor.
 */
static double
most_of(SdcAgreementTree *tree, int32_t number, double floor)
{
	const Node *node = &tree->node[number];
	const double *box =
		tree->box + (size_t) number * (size_t) tree->fields * 2;
	double most = 0;
	int j;

	tree->work++;
	for (j = 0; j < tree->fields; j++)
	{
		const SdcComparisonField *field = &tree->comparison->field[j];
		const double *weight = tree->weights[j];
		double none = weight[field->levels];
		double near = none;

		if (!is_unknown(tree, box, j))
			near = weight[nearest_level(field, &tree->query[j], box[2 * j],
										box[2 * j + 1])];
		if ((node->missing >> j & 1) != 0 && none > near)
			near = none;
		most += near;
		if (most + tree->rest[j + 1] < floor - SLACK)
			return -INFINITY;
	}
	return most;
}

/* The least that points of a node can count. */
static double
least_of(const SdcAgreementTree *tree, int32_t number)
{
	const Node *node = &tree->node[number];
	const double *box =
		tree->box + (size_t) number * (size_t) tree->fields * 2;
	double least = 0;
	int j;

	for (j = 0; j < tree->fields; j++)
	{
		const SdcComparisonField *field = &tree->comparison->field[j];
		const double *weight = tree->weights[j];
		double none = weight[field->levels];
		double far = none;

		if (!is_unknown(tree, box, j))
			far = weight[farthest_level(field, &tree->query[j], box[2 * j],
										box[2 * j + 1])];
		if ((node->missing >> j & 1) != 0 && none < far)
			far = none;
		least += far;
	}
	return least;
}

/* ----------------------------------------------------------------------
 * Points of the best level of a field, where they are few.
 * ----------------------------------------------------------------------
 */

/* Adds a point unless it is there, in the order of places. */
static void
add_listed(SdcAgreementTree *tree, int32_t point)
{
	int32_t place = tree->place[point];
	Listed *listed = tree->listed;
	int i = tree->listed_points;

	while (i > 0 && listed[i - 1].place > place)
		i--;
	if (i > 0 && listed[i - 1].place == place)
		return;
	memmove(&listed[i + 1], &listed[i],
			sizeof(Listed) * (size_t) (tree->listed_points - i));
	listed[i].place = place;
	listed[i].sum = sum_of(tree, point);
	tree->listed_points++;
}

/* Lists the points of the best level of a field, unless they are many. */
static void
list_field(SdcAgreementTree *tree, int field, int32_t block)
{
	const Sorted *sorted = &tree->sorted[field];
	Query *query = &tree->query[field];
	double within = tree->comparison->field[field].threshold[sorted->reach];
	int32_t begin = tree->comparison->file[1].block[block];
	const double *value = sorted->value + begin;
	int32_t have = sorted->have[block];
	int32_t low = (int32_t) sdc_sort_below(value, (size_t) have, query->value);
	int32_t high = low;

	/* one more than may be is enough to know */
	while (high < have && high - low <= LISTED &&
		   !(fabs(query->value - value[high]) > within))
		high++;
	while (low > 0 && high - low <= LISTED &&
		   !(fabs(query->value - value[low - 1]) > within))
		low--;
	if (high - low > LISTED)
		return;
	query->nearest = sorted->reach + 1;
	for (; low < high; low++)
		add_listed(tree, sorted->owner[begin + low]);
}

/* Sets the point of file 0 that looks; its block's root, or -1. */
static int32_t
begin_query(SdcAgreementTree *tree, int32_t from)
{
	const SdcComparison *comparison = tree->comparison;
	const SdcComparisonPoints *file = &comparison->file[0];
	int32_t record = file->member[file->first[from]];
	int32_t block =
		comparison->block[0] == NULL ? 0 : comparison->block[0][record];
	int j;

	set_query(tree, from);
	tree->listed_points = 0;
	for (j = 0; j < tree->fields; j++)
		if (tree->sorted[j].value != NULL && !tree->query[j].missing)
			list_field(tree, j, block);
	tree->work += (uint64_t) tree->listed_points;
	return tree->root[block];
}

/*
 * The points listed in a node that have at least a floor, one after the other:
 * i is where to look on, from 0; false when there are no more.
 */
static inline bool
next_listed(const SdcAgreementTree *tree, int32_t number, double floor, int *i)
{
	const Node *node = &tree->node[number];

	for (; *i < tree->listed_points; (*i)++)
	{
		const Listed *listed = &tree->listed[*i];

		if (listed->place >= node->begin && listed->place < node->end &&
			listed->sum >= floor)
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------------
 * Searches.
 * ----------------------------------------------------------------------
 */

double
sdc_agreement_tree_sum(SdcAgreementTree *tree, int32_t from, int32_t to)
{
	set_query(tree, from);
	return sum_of(tree, to);
}

/* The children of a node, the one that can have more first. */
static void
order_children(SdcAgreementTree *tree, const Node *node, int32_t *child,
			   double *most)
{
	int c;

	for (c = 0; c < 2; c++)
	{
		child[c] = node->child[c];
		most[c] = most_of(tree, child[c], tree->best);
	}
	if (most[1] > most[0])
	{
		double greater = most[1];

		most[1] = most[0];
		most[0] = greater;
		child[0] = node->child[1];
		child[1] = node->child[0];
	}
}

/* Is given a point whose sum is at least the floor, which it may raise. */
typedef void (*TakePoint)(SdcAgreementTree *tree, int32_t point, double sum,
						  void *arg);

/* How many points of a leaf are looked at together, from one on. */
static inline int
leaf_points(const Node *node, int32_t first)
{
	int32_t left = node->end - node->begin - first;

	return left < LEAF ? left : LEAF;
}

/* The points of a leaf that have at least *floor. */
static void
search_leaf(SdcAgreementTree *tree, const Node *node, const double *floor,
			TakePoint take, void *arg)
{
	double sum[LEAF];
	int32_t first;
	int i;

	for (first = 0; first < node->end - node->begin; first += LEAF)
	{
		int n = leaf_points(node, first);

		if (sum_leaf(tree, node, first, n, *floor, sum))
			for (i = 0; i < n; i++)
				if (sum[i] >= *floor)
					take(tree, tree->point[node->begin + first + i], sum[i],
						 arg);
	}
}

/*
 * All points below a node that may have more than tree->best; with ties those
 * that may have as much, too.
 */
static void
search_node(SdcAgreementTree *tree, int32_t number, bool ties, TakePoint take,
			void *arg)
{
	const Node *node = &tree->node[number];
	int32_t child[2];
	double most[2];
	int c;
	int i;

	if (node->child[0] < 0)
	{
		search_leaf(tree, node, &tree->best, take, arg);
		return;
	}
	order_children(tree, node, child, most);
	for (c = 0; c < 2; c++)
		if (most[c] > tree->best || (ties && most[c] >= tree->best))
			search_node(tree, child[c], ties, take, arg);
		else
			for (i = 0; next_listed(tree, child[c], tree->best, &i); i++)
				take(tree, tree->point[tree->listed[i].place],
					 tree->listed[i].sum, arg);
}

static void
take_best(SdcAgreementTree *tree, int32_t point, double sum, void *arg)
{
	(void) point;
	(void) arg;
	tree->best = sum;
}

double
sdc_agreement_tree_best(SdcAgreementTree *tree, int32_t from)
{
	int32_t root = begin_query(tree, from);
	int i;

	tree->best = -INFINITY;
	for (i = 0; i < tree->listed_points; i++)
		tree->best = fmax(tree->best, tree->listed[i].sum);
	if (root >= 0)
		search_node(tree, root, false, take_best, NULL);
	return tree->best;
}

static void
count_records(SdcAgreementTree *tree, int32_t point, double sum, void *arg)
{
	const int32_t *first = tree->comparison->file[1].first;
	int64_t *count = arg;

	(void) sum;
	*count += first[point + 1] - first[point];
}

static void
search_count(SdcAgreementTree *tree, int32_t number, double floor,
			 int64_t *count)
{
	const Node *node = &tree->node[number];
	int i;

	if (most_of(tree, number, floor) < floor)
	{
		for (i = 0; next_listed(tree, number, floor, &i); i++)
			count_records(tree, tree->point[tree->listed[i].place], floor,
						  count);
		return;
	}
	if (least_of(tree, number) >= floor)
		*count += node->records;
	else if (node->child[0] < 0)
		search_leaf(tree, node, &floor, count_records, count);
	else
	{
		search_count(tree, node->child[0], floor, count);
		search_count(tree, node->child[1], floor, count);
	}
}

int64_t
sdc_agreement_tree_count(SdcAgreementTree *tree, int32_t from, double least)
{
	int32_t root = begin_query(tree, from);
	int64_t count = 0;

	if (root >= 0)
		search_count(tree, root, least, &count);
	return count;
}

static bool
is_greater(const void *of, int32_t a, int32_t b)
{
	(void) of;
	return a > b;
}

/* The first records: the greatest number on top. */
SDC_HEAP(first, int32_t, const void *, is_greater)

/* Offers the records of a point to a heap. */
static void
offer_records(SdcAgreementTree *tree, int32_t point, double sum, void *arg)
{
	const SdcComparisonPoints *file = &tree->comparison->file[1];
	int32_t k;

	(void) sum;
	for (k = file->first[point];
		 k < file->first[point + 1] && k < file->first[point] + tree->most;
		 k++)
		first_offer(NULL, arg, &tree->found, tree->most, file->member[k]);
}

static void
search_first(SdcAgreementTree *tree, int32_t number, double floor,
			 int32_t *heap)
{
	const Node *node = &tree->node[number];
	int i;

	if (tree->found == tree->most && node->least_row > heap[0])
		return;
	if (most_of(tree, number, floor) < floor)
	{
		for (i = 0; next_listed(tree, number, floor, &i); i++)
			offer_records(tree, tree->point[tree->listed[i].place], floor,
						  heap);
		return;
	}
	if (node->child[0] >= 0)
	{
		int sooner = tree->node[node->child[1]].least_row <
					 tree->node[node->child[0]].least_row;

		search_first(tree, node->child[sooner], floor, heap);
		search_first(tree, node->child[!sooner], floor, heap);
		return;
	}
	search_leaf(tree, node, &floor, offer_records, heap);
}

int32_t
sdc_agreement_tree_first(SdcAgreementTree *tree, int32_t from, double least,
						 int32_t most, int32_t *record)
{
	int32_t root = begin_query(tree, from);

	tree->found = 0;
	tree->most = most;
	if (root >= 0)
		search_first(tree, root, least, record);
	first_unroll(NULL, record, tree->found);
	return tree->found;
}

/* Does a come after b: by sum, then by priority, then by number? */
static bool
is_worse(const void *of, Found a, Found b)
{
	(void) of;
	if (a.sum != b.sum)
		return a.sum < b.sum;
	if (a.priority != b.priority)
		return a.priority > b.priority;
	return a.record > b.record;
}

/* The best records: the worst of them on top. */
SDC_HEAP(best, Found, const void *, is_worse)

static void
keep_best(SdcAgreementTree *tree, Found *heap, Found found)
{
	best_offer(NULL, heap, &tree->found, tree->most, found);
	if (tree->found == tree->most)
		tree->best = heap[0].sum;
}

/* Who is kept, and what chooses among many. */
typedef struct Keeping
{
	Found *heap;
	uint64_t salt;
} Keeping;

/* Adds the records of a point; where they are many, from a drawn one on. */
static void
keep_point(SdcAgreementTree *tree, int32_t point, double sum, void *arg)
{
	const Keeping *keeping = arg;
	const SdcComparisonPoints *file = &tree->comparison->file[1];
	int32_t begin = file->first[point];
	int32_t count = file->first[point + 1] - begin;
	uint64_t start = sdc_random_mix(keeping->salt + (uint64_t) point);
	int32_t taken = count < tree->most ? count : tree->most;
	int32_t i;

	for (i = 0; i < taken; i++)
	{
		int32_t record =
			file->member[begin + (int32_t) ((start + (uint64_t) i) %
											(uint64_t) count)];
		Found found = {sum,
					   sdc_random_mix(keeping->salt ^ (uint64_t) record << 20),
					   record};

		keep_best(tree, keeping->heap, found);
	}
}

int32_t
sdc_agreement_tree_several(SdcAgreementTree *tree, int32_t from, int32_t most,
						   uint64_t salt, int32_t *record, double *sum)
{
	int32_t root = begin_query(tree, from);
	Found *heap = sdc_new(tree->host, Found, (size_t) most + 1);
	Keeping keeping = {heap, sdc_random_mix(salt)};
	int32_t i;

	tree->found = 0;
	tree->most = most;
	tree->best = -INFINITY;
	if (root >= 0)
		search_node(tree, root, true, keep_point, &keeping);
	best_unroll(NULL, heap, tree->found);
	for (i = 0; i < tree->found; i++)
	{
		record[i] = heap[i].record;
		sum[i] = heap[i].sum;
	}
	tree->host->release(tree->host, heap);
	return tree->found;
}
