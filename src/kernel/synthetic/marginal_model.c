/*
 * marginal_model.c
 *		The distribution of categories that a junction tree factorizes.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/privacy/strong_bits.h"
#include "kernel/synthetic/marginal_model.h"

#define MOST_CELLS (INT64_C(1) << 62)

/* ----------------------------------------------------------------------
 * Cells of sets of columns.
 * ----------------------------------------------------------------------
 */

int64_t
sdc_marginal_cells(const int32_t *size, SdcColumnSet columns)
{
	int64_t cells = 1;

	for (; columns != 0; columns &= columns - 1)
	{
		int32_t values = size[sdc_column_first(columns)];

		if (cells > MOST_CELLS / values)
			return MOST_CELLS;
		cells *= values;
	}
	return cells;
}

/* The columns of a set, ascending; how many. */
static int
list_columns(SdcColumnSet set, int *column)
{
	int count = 0;

	for (; set != 0; set &= set - 1)
		column[count++] = sdc_column_first(set);
	return count;
}

/* Steps in an array over inner of each of so many columns; 0: not in it. */
static void
find_strides(const int32_t *size, const int *column, int count,
			 SdcColumnSet inner, int64_t *stride)
{
	int64_t step = 1;
	int i;

	for (i = count - 1; i >= 0; i--)
	{
		stride[i] = 0;
		if ((inner & SDC_COLUMN_BIT(column[i])) == 0)
			continue;
		stride[i] = step;
		step *= size[column[i]];
	}
}

/*
 * Counts on by one the digits of a cell over count columns, and moves the
 * places in arrays over some of them.
 */
static inline void
advance(const int32_t *size, const int *column, int count, int32_t *digit,
		int arrays, int64_t stride[][SDC_MARGINAL_COLUMNS], int64_t *at)
{
	int i;
	int a;

	for (i = count - 1; i >= 0; i--)
	{
		for (a = 0; a < arrays; a++)
			at[a] += stride[a][i];
		if (++digit[i] < size[column[i]])
			return;
		for (a = 0; a < arrays; a++)
			at[a] -= stride[a][i] * digit[i];
		digit[i] = 0;
	}
}

/*
 * For each cell of the columns in outer the cell of those in inner, a subset:
 * sdc_marginal_cells(outer) numbers, of fewer than 2^31 cells.
 */
static int32_t *
map_cells(SdcHost *host, const int32_t *size, SdcColumnSet outer,
		  SdcColumnSet inner)
{
	int64_t cells = sdc_marginal_cells(size, outer);
	int32_t *map = sdc_new(host, int32_t, cells);
	int32_t digit[SDC_MARGINAL_COLUMNS] = {0};
	int64_t stride[1][SDC_MARGINAL_COLUMNS];
	int column[SDC_MARGINAL_COLUMNS];
	int count = list_columns(outer, column);
	int64_t at = 0;
	int64_t c;

	find_strides(size, column, count, inner, stride[0]);
	for (c = 0; c < cells; c++)
	{
		map[c] = (int32_t) at;
		advance(size, column, count, digit, 1, stride, &at);
	}
	return map;
}

static SdcMarginal
marginal_new(SdcHost *host, const int32_t *size, SdcColumnSet columns)
{
	SdcMarginal marginal;

	marginal.columns = columns;
	marginal.cells = sdc_marginal_cells(size, columns);
	marginal.value = sdc_new(host, double, marginal.cells);
	memset(marginal.value, 0, sizeof(double) * marginal.cells);
	return marginal;
}

/* Sum of a times b over all columns but those to keep. */
static SdcMarginal
multiply(SdcHost *host, const int32_t *size, SdcMarginal a, SdcMarginal b,
		 SdcColumnSet keep)
{
	SdcColumnSet all = a.columns | b.columns;
	SdcMarginal product = marginal_new(host, size, keep & all);
	int32_t digit[SDC_MARGINAL_COLUMNS] = {0};
	int64_t stride[3][SDC_MARGINAL_COLUMNS];
	int64_t at[3] = {0, 0, 0};
	int column[SDC_MARGINAL_COLUMNS];
	int count = list_columns(all, column);
	int64_t cells = sdc_marginal_cells(size, all);
	int64_t c;

	find_strides(size, column, count, a.columns, stride[0]);
	find_strides(size, column, count, b.columns, stride[1]);
	find_strides(size, column, count, product.columns, stride[2]);
	for (c = 0; c < cells; c++)
	{
		if (c % SDC_POLL_STEPS == 0)
			host->poll(host, (uint64_t) c, (uint64_t) cells);
		product.value[at[2]] += a.value[at[0]] * b.value[at[1]];
		advance(size, column, count, digit, 3, stride, at);
	}
	return product;
}

/* ----------------------------------------------------------------------
 * Junction trees.
 * ----------------------------------------------------------------------
 */

/* The column that is eliminated next: that of the smallest factor. */
static int
cheapest(const int32_t *size, const SdcColumnSet *near, SdcColumnSet left)
{
	int64_t least = 0;
	int best = -1;

	for (; left != 0; left &= left - 1)
	{
		int v = sdc_column_first(left);
		int64_t cells = sdc_marginal_cells(size, near[v]);

		if (best < 0 || cells < least)
		{
			best = v;
			least = cells;
		}
	}
	return best;
}

static bool
is_within(SdcColumnSet set, const SdcColumnSet *clique, int cliques)
{
	int i;

	for (i = 0; i < cliques; i++)
		if ((set & ~clique[i]) == 0)
			return true;
	return false;
}

int
sdc_marginal_cliques(const int32_t *size, int columns, const SdcColumnSet *set,
					 int sets, SdcColumnSet *clique)
{
	SdcColumnSet near[SDC_MARGINAL_COLUMNS];
	SdcColumnSet left = 0;
	SdcColumnSet rest;
	int cliques = 0;
	int v;
	int i;

	for (v = 0; v < columns; v++)
	{
		left |= near[v] = SDC_COLUMN_BIT(v);
		for (i = 0; i < sets; i++)
			if (set[i] & SDC_COLUMN_BIT(v))
				near[v] |= set[i];
	}
	while (left != 0)
	{
		int best = cheapest(size, near, left);
		SdcColumnSet all = near[best];

		left &= ~SDC_COLUMN_BIT(best);
		for (rest = all & left; rest != 0; rest &= rest - 1)
		{
			v = sdc_column_first(rest);
			near[v] = (near[v] | all) & ~SDC_COLUMN_BIT(best);
		}
		if (!is_within(all, clique, cliques))
			clique[cliques++] = all;
	}
	return cliques;
}

/*
 * The order of cliques and their parents: each time the one that shares most
 * columns with one that is in the tree, which makes a junction tree.
 */
static void
connect(const SdcColumnSet *set, int cliques, int *order, int *parent)
{
	bool in[SDC_MARGINAL_COLUMNS] = {false};
	int k;
	int i;
	int j;

	for (k = 0; k < cliques; k++)
	{
		int best = -1;
		int to = -1;
		int most = -1;

		for (i = 0; i < cliques; i++)
			for (j = 0; !in[i] && j < (k > 0 ? k : 1); j++)
			{
				int shared =
					k > 0 ? __builtin_popcountll(set[i] & set[order[j]]) : 0;

				if (shared > most)
				{
					most = shared;
					best = i;
					to = j;
				}
			}
		in[best] = true;
		order[k] = best;
		parent[k] = most > 0 ? to : -1;
	}
}

/* The distribution of the clique: of old, or uniform. */
static SdcMarginal
first_joint(SdcHost *host, const SdcMarginalModel *model, SdcColumnSet columns,
			const SdcMarginalModel *old)
{
	SdcMarginal joint;
	int64_t c;

	if (old != NULL)
		return sdc_marginal_query(host, old, columns);
	joint = marginal_new(host, model->size, columns);
	for (c = 0; c < joint.cells; c++)
		joint.value[c] = 1.0 / (double) joint.cells;
	return joint;
}

/* Divides a joint distribution by that of the separator. */
static void
condition(SdcClique *clique)
{
	double *p = clique->given.value;
	int64_t c;

	memset(clique->sum, 0, sizeof(double) * clique->separator_cells);
	for (c = 0; c < clique->given.cells; c++)
		clique->sum[clique->to_separator[c]] += p[c];
	for (c = 0; c < clique->given.cells; c++)
	{
		double sum = clique->sum[clique->to_separator[c]];

		p[c] = sum > 0 ? p[c] / sum : 0;
	}
}

static void
make_clique(SdcHost *host, const SdcMarginalModel *model, SdcClique *clique,
			SdcColumnSet columns, const SdcMarginalModel *old)
{
	const SdcClique *parent =
		clique->parent < 0 ? NULL : &model->clique[clique->parent];

	clique->given = first_joint(host, model, columns, old);
	clique->joint = sdc_new(host, double, clique->given.cells);
	clique->separator = parent == NULL ? 0 : columns & parent->given.columns;
	clique->separator_cells =
		sdc_marginal_cells(model->size, clique->separator);
	clique->sum = sdc_new(host, double, clique->separator_cells);
	clique->to_separator =
		map_cells(host, model->size, columns, clique->separator);
	clique->from_parent =
		parent == NULL ? NULL
					   : map_cells(host, model->size, parent->given.columns,
								   clique->separator);
	if (parent != NULL)
		condition(clique);
}

SdcMarginalModel *
sdc_marginal_model(SdcHost *host, const int32_t *size, int columns,
				   const SdcColumnSet *set, int sets,
				   const SdcMarginalModel *old)
{
	SdcMarginalModel *model = sdc_new(host, SdcMarginalModel, 1);
	SdcColumnSet found[SDC_MARGINAL_COLUMNS];
	int order[SDC_MARGINAL_COLUMNS];
	int parent[SDC_MARGINAL_COLUMNS];
	int k;

	model->columns = columns;
	model->size = size;
	model->total = old == NULL ? 1 : old->total;
	model->cliques = sdc_marginal_cliques(size, columns, set, sets, found);
	model->clique = sdc_new(host, SdcClique, model->cliques);
	connect(found, model->cliques, order, parent);
	for (k = 0; k < model->cliques; k++)
	{
		model->clique[k].parent = parent[k];
		make_clique(host, model, &model->clique[k], found[order[k]], old);
	}
	sdc_marginal_calibrate(model);
	return model;
}

void
sdc_marginal_model_release(SdcHost *host, SdcMarginalModel *model)
{
	int k;

	for (k = 0; k < model->cliques; k++)
	{
		SdcClique *clique = &model->clique[k];

		host->release(host, clique->given.value);
		host->release(host, clique->joint);
		host->release(host, clique->sum);
		host->release(host, clique->to_separator);
		host->release(host, clique->from_parent);
	}
	host->release(host, model->clique);
	host->release(host, model);
}

/* From the leaves up: what a clique sums to goes to its parent. */
static void
collect(SdcMarginalModel *model)
{
	int64_t s;
	int64_t c;
	int k;

	for (k = model->cliques - 1; k >= 0; k--)
	{
		SdcClique *clique = &model->clique[k];
		SdcClique *parent;
		double top = 0;

		condition(clique);
		if (clique->parent < 0)
			continue;
		parent = &model->clique[clique->parent];
		for (s = 0; s < clique->separator_cells; s++)
			top = clique->sum[s] > top ? clique->sum[s] : top;
		for (s = 0; s < clique->separator_cells; s++)
			clique->sum[s] /= top;
		for (c = 0; c < parent->given.cells; c++)
			parent->given.value[c] *= clique->sum[clique->from_parent[c]];
	}
}

/* From the roots down: a clique's marginal is that of its separator. */
static void
distribute(SdcMarginalModel *model)
{
	int64_t c;
	int k;

	for (k = 0; k < model->cliques; k++)
	{
		SdcClique *clique = &model->clique[k];
		const SdcClique *parent;

		if (clique->parent < 0)
		{
			memcpy(clique->joint, clique->given.value,
				   sizeof(double) * clique->given.cells);
			continue;
		}
		parent = &model->clique[clique->parent];
		memset(clique->sum, 0, sizeof(double) * clique->separator_cells);
		for (c = 0; c < parent->given.cells; c++)
			clique->sum[clique->from_parent[c]] += parent->joint[c];
		for (c = 0; c < clique->given.cells; c++)
			clique->joint[c] =
				clique->given.value[c] * clique->sum[clique->to_separator[c]];
	}
}

void
sdc_marginal_calibrate(SdcMarginalModel *model)
{
	collect(model);
	distribute(model);
}

/* ----------------------------------------------------------------------
 * Marginals of any columns.
 * ----------------------------------------------------------------------
 */

/* What a query needs of a model. */
typedef struct Query
{
	SdcHost *host;
	const SdcMarginalModel *model;
	bool need[SDC_MARGINAL_COLUMNS]; /* cliques */
	int top;                         /* the highest of them */
	SdcColumnSet columns;
} Query;

static bool
is_needed_child(const Query *query, int k, int at)
{
	return query->need[k] && query->model->clique[k].parent == at;
}

/* The separators of needed children of a clique that come after one. */
static SdcColumnSet
later_separators(const Query *query, int k, int at)
{
	SdcColumnSet later = 0;

	for (k++; k < query->model->cliques; k++)
		if (is_needed_child(query, k, at))
			later |= query->model->clique[k].separator;
	return later;
}

/* P(columns, separator | separator), or P(columns) at the top. */
static SdcMarginal
query_up(const Query *query, int at)
{
	const SdcMarginalModel *model = query->model;
	const SdcClique *clique = &model->clique[at];
	SdcColumnSet end =
		query->columns | (at == query->top ? 0 : clique->separator);
	double unit = 1;
	SdcMarginal one = {0, 1, &unit};
	SdcMarginal product = clique->given;
	SdcMarginal next;
	int k;

	if (at == query->top)
		product.value = clique->joint;
	product = multiply(query->host, model->size, product, one,
					   end | later_separators(query, at, at));
	for (k = at + 1; k < model->cliques; k++)
	{
		SdcMarginal below;

		if (!is_needed_child(query, k, at))
			continue;
		below = query_up(query, k);
		next = multiply(query->host, model->size, product, below,
						end | later_separators(query, k, at));
		query->host->release(query->host, product.value);
		query->host->release(query->host, below.value);
		product = next;
	}
	return product;
}

/* Notes the cliques between one and the highest needed so far. */
static void
climb(Query *query, const int *depth, int from)
{
	int a = from;
	int b = query->top < 0 ? from : query->top;

	query->need[a] = query->need[b] = true;
	while (a != b)
	{
		int *lower = depth[a] >= depth[b] ? &a : &b;

		*lower = query->model->clique[*lower].parent;
		query->need[*lower] = true;
	}
	query->top = a;
}

/* Of each clique its root and depth, of each column where it comes in. */
static void
survey(const SdcMarginalModel *model, int *root, int *depth, int *enters)
{
	int k;

	for (k = 0; k < model->cliques; k++)
	{
		const SdcClique *clique = &model->clique[k];
		SdcColumnSet own = clique->given.columns & ~clique->separator;

		root[k] = clique->parent < 0 ? k : root[clique->parent];
		depth[k] = clique->parent < 0 ? 0 : depth[clique->parent] + 1;
		for (; own != 0; own &= own - 1)
			enters[sdc_column_first(own)] = k;
	}
}

SdcMarginal
sdc_marginal_query(SdcHost *host, const SdcMarginalModel *model,
				   SdcColumnSet columns)
{
	int root[SDC_MARGINAL_COLUMNS];
	int depth[SDC_MARGINAL_COLUMNS];
	int enters[SDC_MARGINAL_COLUMNS];
	SdcMarginal found = marginal_new(host, model->size, 0);
	SdcColumnSet rest;
	int k;

	found.value[0] = 1;
	survey(model, root, depth, enters);
	for (k = 0; k < model->cliques; k++)
	{
		Query query = {.host = host, .model = model, .top = -1};
		SdcMarginal part;
		SdcMarginal both;

		for (rest = root[k] == k ? columns : 0; rest != 0; rest &= rest - 1)
			if (root[enters[sdc_column_first(rest)]] == k)
			{
				query.columns |= rest & -rest;
				climb(&query, depth, enters[sdc_column_first(rest)]);
			}
		if (query.top < 0)
			continue;
		part = query_up(&query, query.top);
		both = multiply(host, model->size, found, part, columns);
		host->release(host, part.value);
		host->release(host, found.value);
		found = both;
	}
	return found;
}

/* ----------------------------------------------------------------------
 * Records.
 * ----------------------------------------------------------------------
 */

/* The records while the cliques are drawn one after the other. */
typedef struct Sample
{
	SdcHost *host;
	SdcStrongBits *bits;
	const SdcMarginalModel *model;
	int32_t rows;
	uint16_t *const *code;
	int32_t *row;   /* in the order of their groups */
	int32_t *group; /* of each record: the cell of the separator */
} Sample;

/* Uniform on [0, 1). */
static double
unit(SdcStrongBits *bits)
{
	return (double) (sdc_strong_bits_draw(bits) >> 11) * 0x1p-53;
}

/* Where each number begins when count numbers below groups are sorted. */
static int64_t *
starts(SdcHost *host, const int32_t *number, int64_t count, int64_t groups)
{
	int64_t *start = sdc_new(host, int64_t, groups + 1);
	int64_t i;

	memset(start, 0, sizeof(int64_t) * (groups + 1));
	for (i = 0; i < count; i++)
		start[number[i] + 1]++;
	for (i = 0; i < groups; i++)
		start[i + 1] += start[i];
	return start;
}

/* The items 0 .. count - 1 by their number; start[] as starts made it. */
static void
sort_by(SdcHost *host, const int32_t *number, int64_t count, int64_t groups,
		const int64_t *start, int32_t *item)
{
	int64_t *at = sdc_new(host, int64_t, groups + 1);
	int64_t i;

	memcpy(at, start, sizeof(int64_t) * (groups + 1));
	for (i = 0; i < count; i++)
		item[at[number[i]]++] = (int32_t) i;
	host->release(host, at);
}

static void
find_groups(const Sample *sample, const SdcClique *clique)
{
	SdcColumnSet rest;
	int32_t i;

	memset(sample->group, 0, sizeof(int32_t) * sample->rows);
	for (rest = clique->separator; rest != 0; rest &= rest - 1)
	{
		int v = sdc_column_first(rest);
		int32_t size = sample->model->size[v];

		for (i = 0; i < sample->rows; i++)
			sample->group[i] = sample->group[i] * size + sample->code[v][i];
	}
}

static void
shuffle(SdcStrongBits *bits, int32_t *item, int64_t count)
{
	int64_t i;

	for (i = 0; i < count - 1; i++)
	{
		int64_t j =
			(int64_t) sdc_shuffle_place(bits, (uint64_t) i, (uint64_t) count);
		int32_t swap = item[i];

		item[i] = item[j];
		item[j] = swap;
	}
}

/* Gives some records the columns that come in with a clique. */
static void
put_cell(const Sample *sample, const SdcClique *clique, int64_t cell,
		 const int32_t *row, int64_t count)
{
	int column[SDC_MARGINAL_COLUMNS];
	int k = list_columns(clique->given.columns, column);
	int64_t i;

	while (--k >= 0)
	{
		int v = column[k];
		uint16_t value = (uint16_t) (cell % sample->model->size[v]);

		cell /= sample->model->size[v];
		if (clique->separator & SDC_COLUMN_BIT(v))
			continue;
		for (i = 0; i < count; i++)
			sample->code[v][row[i]] = value;
	}
}

/* Shares the records of a group out among the cells of its separator. */
static void
share_out(const Sample *sample, const SdcClique *clique, int32_t *row,
		  int64_t rows, const int32_t *cell, int64_t cells)
{
	double u = unit(sample->bits);
	double total = 0;
	double sum = 0;
	int64_t last = cells - 1;
	int64_t at = 0;
	int64_t i;

	shuffle(sample->bits, row, rows);
	for (i = 0; i < cells; i++)
		total += clique->given.value[cell[i]];
	/* what rounding leaves over must not go to a cell that cannot be */
	while (total > 0 && clique->given.value[cell[last]] <= 0)
		last--;
	for (i = 0; i < cells && at < rows; i++)
	{
		int64_t end;

		sum += total > 0 ? clique->given.value[cell[i]] / total
						 : 1.0 / (double) cells;
		end = (int64_t) floor(sum * (double) rows + u);
		if (i == last || end > rows)
			end = rows;
		if (end > at)
			put_cell(sample, clique, cell[i], row + at, end - at);
		at = end > at ? end : at;
	}
}

static void
sample_clique(const Sample *sample, const SdcClique *clique)
{
	SdcHost *host = sample->host;
	int64_t groups = clique->separator_cells;
	int64_t cells = clique->given.cells;
	int64_t *first = starts(host, clique->to_separator, cells, groups);
	int32_t *cell = sdc_new(host, int32_t, cells);
	int64_t *start;
	int64_t s;

	sort_by(host, clique->to_separator, cells, groups, first, cell);
	find_groups(sample, clique);
	start = starts(host, sample->group, sample->rows, groups);
	sort_by(host, sample->group, sample->rows, groups, start, sample->row);
	for (s = 0; s < groups; s++)
	{
		if (s % 64 == 0)
			host->poll(host, (uint64_t) s, (uint64_t) groups);
		if (start[s + 1] > start[s])
			share_out(sample, clique, sample->row + start[s],
					  start[s + 1] - start[s], cell + first[s],
					  first[s + 1] - first[s]);
	}
	host->release(host, first);
	host->release(host, cell);
	host->release(host, start);
}

void
sdc_marginal_sample(SdcHost *host, SdcStrongBits *bits,
					const SdcMarginalModel *model, int32_t rows,
					uint16_t *const *code)
{
	Sample sample = {.host = host,
					 .bits = bits,
					 .model = model,
					 .rows = rows,
					 .code = code};
	int k;

	sample.row = sdc_new(host, int32_t, rows + 1);
	sample.group = sdc_new(host, int32_t, rows + 1);
	for (k = 0; k < model->cliques; k++)
		sample_clique(&sample, &model->clique[k]);
	host->release(host, sample.row);
	host->release(host, sample.group);
}

/* ----------------------------------------------------------------------
 * What was measured.
 * ----------------------------------------------------------------------
 */

static SdcMeasurement *
find_measurement(SdcMeasurements *all, SdcColumnSet columns)
{
	int i;

	for (i = 0; i < all->count; i++)
		if (all->item[i].columns == columns)
			return &all->item[i];
	return NULL;
}

static SdcMeasurement *
add_measurement(SdcHost *host, SdcMeasurements *all, SdcColumnSet columns,
				int64_t cells)
{
	SdcMeasurement *item;

	if (all->count == all->room)
	{
		int room = all->room == 0 ? 64 : 2 * all->room;

		item = sdc_new(host, SdcMeasurement, room);
		if (all->count > 0)
			memcpy(item, all->item, sizeof(SdcMeasurement) * all->count);
		host->release(host, all->item);
		all->item = item;
		all->room = room;
	}
	item = &all->item[all->count++];
	item->columns = columns;
	item->cells = cells;
	item->count = sdc_new(host, double, cells);
	item->weight = sdc_new(host, double, cells);
	memset(item->count, 0, sizeof(double) * cells);
	memset(item->weight, 0, sizeof(double) * cells);
	return item;
}

void
sdc_measurements_add(SdcHost *host, SdcMeasurements *all, const int32_t *size,
					 SdcColumnSet columns, const double *count, double weight,
					 const double *by_cell)
{
	SdcMeasurement *item = find_measurement(all, columns);
	int64_t c;

	if (item == NULL)
		item = add_measurement(host, all, columns,
							   sdc_marginal_cells(size, columns));
	for (c = 0; c < item->cells; c++)
	{
		double w = by_cell != NULL ? by_cell[c] : weight;
		double sum = item->weight[c] + w;

		item->count[c] =
			(item->count[c] * item->weight[c] + count[c] * w) / sum;
		item->weight[c] = sum;
	}
}

void
sdc_measurements_release(SdcHost *host, SdcMeasurements *all)
{
	int i;

	for (i = 0; i < all->count; i++)
	{
		host->release(host, all->item[i].count);
		host->release(host, all->item[i].weight);
	}
	host->release(host, all->item);
	memset(all, 0, sizeof(*all));
}

double
sdc_measurements_total(const SdcMeasurements *all)
{
	double sum = 0;
	double weight = 0;
	int64_t c;
	int i;

	for (i = 0; i < all->count; i++)
	{
		const SdcMeasurement *item = &all->item[i];
		double variance = 0;
		double total = 0;

		for (c = 0; c < item->cells; c++)
		{
			variance += 1 / item->weight[c];
			total += item->count[c];
		}
		sum += total / variance;
		weight += 1 / variance;
	}
	return sum / weight;
}

/* ----------------------------------------------------------------------
 * The fit.
 * ----------------------------------------------------------------------
 */

/* Steps of a line search: by then the step is 3e-8 of the first. */
#define HALVES 25

/* Iterations without gain that end a fit. */
#define STILL 5

/* The most that a step changes a cell by, as a power of e. */
#define MOST_CHANGE 30

/* A measured marginal of the model, summed from a larger one or a clique. */
typedef struct Term
{
	const SdcMeasurement *item;
	int clique;
	int from;       /* a term before this one; -1: the clique */
	int64_t source; /* cells of what it is summed from */
	int32_t *map;   /* of each of these, its cell */
	double *share;  /* P(columns) */
	double *slope;  /* derivative of the loss by the count of a cell */
} Term;

typedef struct Fit
{
	SdcHost *host;
	SdcMarginalModel *model;
	int terms;
	Term *term;
	double **gradient; /* [clique][cell] */
	double **before;   /* potentials and marginals of the last iteration */
	double **joint;
	double step;
	double loss;
} Fit;

/* Where a marginal is summed from: the smallest that holds it. */
static void
find_source(const Fit *fit, Term *term, int terms)
{
	SdcColumnSet columns = term->item->columns;
	SdcColumnSet source = 0;
	int k;

	term->from = term->clique = -1;
	for (k = 0; k < fit->model->cliques; k++)
	{
		const SdcMarginal *given = &fit->model->clique[k].given;

		if ((columns & ~given->columns) != 0 ||
			(source != 0 && given->cells >= term->source))
			continue;
		term->clique = k;
		term->source = given->cells;
		source = given->columns;
	}
	for (k = 0; k < terms; k++)
	{
		const SdcMeasurement *item = fit->term[k].item;

		if ((columns & ~item->columns) != 0 || item->cells >= term->source)
			continue;
		term->from = k;
		term->source = item->cells;
		source = item->columns;
	}
	term->map = map_cells(fit->host, fit->model->size, source, columns);
}

/* The terms, larger sets of columns first. */
static void
make_terms(Fit *fit, const SdcMeasurements *all)
{
	int way;
	int i;

	fit->term = sdc_new(fit->host, Term, all->count);
	for (way = fit->model->columns; way > 0; way--)
		for (i = 0; i < all->count; i++)
		{
			const SdcMeasurement *item = &all->item[i];
			Term *term = &fit->term[fit->terms];

			if (__builtin_popcountll(item->columns) != way)
				continue;
			term->item = item;
			term->share = sdc_new(fit->host, double, item->cells);
			term->slope = sdc_new(fit->host, double, item->cells);
			find_source(fit, term, fit->terms);
			fit->terms++;
		}
}

static void
fit_start(Fit *fit, const SdcMeasurements *all)
{
	SdcHost *host = fit->host;
	double heaviest = 0;
	int64_t c;
	int k;

	make_terms(fit, all);
	fit->gradient = sdc_new(host, double *, fit->model->cliques);
	fit->before = sdc_new(host, double *, fit->model->cliques);
	fit->joint = sdc_new(host, double *, fit->model->cliques);
	for (k = 0; k < fit->model->cliques; k++)
	{
		int64_t cells = fit->model->clique[k].given.cells;

		fit->gradient[k] = sdc_new(host, double, cells);
		fit->before[k] = sdc_new(host, double, cells);
		fit->joint[k] = sdc_new(host, double, cells);
	}
	for (k = 0; k < all->count; k++)
		for (c = 0; c < all->item[k].cells; c++)
			heaviest = fmax(heaviest, all->item[k].weight[c]);
	fit->step = 1 / (fit->model->total * heaviest);
}

static void
fit_end(Fit *fit)
{
	SdcHost *host = fit->host;
	int k;

	for (k = 0; k < fit->terms; k++)
	{
		host->release(host, fit->term[k].map);
		host->release(host, fit->term[k].share);
		host->release(host, fit->term[k].slope);
	}
	for (k = 0; k < fit->model->cliques; k++)
	{
		host->release(host, fit->gradient[k]);
		host->release(host, fit->before[k]);
		host->release(host, fit->joint[k]);
	}
	host->release(host, fit->term);
	host->release(host, fit->gradient);
	host->release(host, fit->before);
	host->release(host, fit->joint);
}

/* Half the squares of what the model's counts miss, and its derivatives. */
static double
loss_of(Fit *fit)
{
	double total = fit->model->total;
	double loss = 0;
	int64_t c;
	int i;

	for (i = 0; i < fit->terms; i++)
	{
		Term *term = &fit->term[i];
		const SdcMeasurement *item = term->item;
		const double *from = term->from < 0
								 ? fit->model->clique[term->clique].joint
								 : fit->term[term->from].share;

		memset(term->share, 0, sizeof(double) * item->cells);
		for (c = 0; c < term->source; c++)
			term->share[term->map[c]] += from[c];
		for (c = 0; c < item->cells; c++)
		{
			double miss = total * term->share[c] - item->count[c];

			term->slope[c] = miss * item->weight[c];
			loss += 0.5 * miss * term->slope[c];
		}
	}
	return loss;
}

/* The derivatives of the loss by each cell of each clique. */
static void
find_gradient(Fit *fit)
{
	int64_t c;
	int i;

	for (i = 0; i < fit->model->cliques; i++)
		memset(fit->gradient[i], 0,
			   sizeof(double) * fit->model->clique[i].given.cells);
	for (i = fit->terms - 1; i >= 0; i--)
	{
		const Term *term = &fit->term[i];
		double *to = term->from < 0 ? fit->gradient[term->clique]
									: fit->term[term->from].slope;

		for (c = 0; c < term->source; c++)
			to[c] += term->slope[term->map[c]];
	}
}

/*
 * to = from exp(-step (gradient - least)), not below exp(-MOST_CHANGE): the
 * exponential of elementary.c, in a loop that becomes vector instructions.
 */
SDC_CLONES static void
multiply_exp(double *to, const double *from, const double *gradient,
			 double least, double step, int64_t cells)
{
	int64_t c;

	for (c = 0; c < cells; c++)
	{
		double x = -step * (gradient[c] - least);
		double k;
		double r;
		double sum;
		double power;
		int64_t bits;

		x = x < -MOST_CHANGE ? -MOST_CHANGE : x;
		/* adding and taking off 1.5 * 2^52 rounds to the nearest integer */
		k = (x * 1.44269504088896340736 + 6755399441055744.0) -
			6755399441055744.0;
		r = (x - k * 6.93147180369123816490e-01) -
			k * 1.90821492927058770002e-10;
		sum = 1 + r * (1.0 / 12);
		sum = 1 + r * (1.0 / 11) * sum;
		sum = 1 + r * (1.0 / 10) * sum;
		sum = 1 + r * (1.0 / 9) * sum;
		sum = 1 + r * (1.0 / 8) * sum;
		sum = 1 + r * (1.0 / 7) * sum;
		sum = 1 + r * (1.0 / 6) * sum;
		sum = 1 + r * (1.0 / 5) * sum;
		sum = 1 + r * (1.0 / 4) * sum;
		sum = 1 + r * (1.0 / 3) * sum;
		sum = 1 + r * (1.0 / 2) * sum;
		sum = 1 + r * sum;
		bits = ((int64_t) (int32_t) k + 1023) << 52;
		memcpy(&power, &bits, sizeof(power));
		to[c] = from[c] * sum * power;
	}
}

/* Goes one step from before; what the marginals gain along the gradient. */
static double
move(Fit *fit, const double *least)
{
	double gain = 0;
	int64_t c;
	int k;

	for (k = 0; k < fit->model->cliques; k++)
	{
		SdcClique *clique = &fit->model->clique[k];

		fit->host->poll(fit->host, 0, 0);
		multiply_exp(clique->given.value, fit->before[k], fit->gradient[k],
					 least[k], fit->step, clique->given.cells);
	}
	sdc_marginal_calibrate(fit->model);
	for (k = 0; k < fit->model->cliques; k++)
	{
		const SdcClique *clique = &fit->model->clique[k];

		for (c = 0; c < clique->given.cells; c++)
			gain +=
				fit->gradient[k][c] * (fit->joint[k][c] - clique->joint[c]);
	}
	return gain;
}

/* One iteration; the loss it ends with. */
static double
descend(Fit *fit)
{
	double least[SDC_MARGINAL_COLUMNS];
	double next = fit->loss;
	int64_t c;
	int half;
	int k;

	find_gradient(fit);
	for (k = 0; k < fit->model->cliques; k++)
	{
		const SdcClique *clique = &fit->model->clique[k];
		size_t bytes = sizeof(double) * clique->given.cells;

		memcpy(fit->before[k], clique->given.value, bytes);
		memcpy(fit->joint[k], clique->joint, bytes);
		least[k] = fit->gradient[k][0];
		for (c = 1; c < clique->given.cells; c++)
			if (fit->gradient[k][c] < least[k])
				least[k] = fit->gradient[k][c];
	}
	for (half = 0; half < HALVES; half++)
	{
		double gain = move(fit, least);

		next = loss_of(fit);
		if (fit->loss - next >= 0.5 * fit->model->total * gain)
			break;
		fit->step /= 2;
	}
	/* a step that was taken at once may be too short */
	if (half == 0)
		fit->step *= 2;
	return next;
}

int
sdc_marginal_fit(SdcHost *host, SdcMarginalModel *model,
				 const SdcMeasurements *all, int iterations, double tolerance)
{
	Fit fit = {.host = host, .model = model};
	int still = 0;
	int i;

	model->total = fmax(1, sdc_measurements_total(all));
	fit_start(&fit, all);
	fit.loss = loss_of(&fit);
	for (i = 0; i < iterations && still < STILL; i++)
	{
		double next = descend(&fit);

		still = fit.loss - next <= tolerance * fit.loss ? still + 1 : 0;
		fit.loss = next;
	}
	fit_end(&fit);
	return i;
}
