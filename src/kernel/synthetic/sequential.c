/*
 * sequential.c
 *		Synthetic records drawn from sequential trees.
 *
 * The originals are first brought into canonical order, by their codes, so
 * that nothing depends on the order in which they came.  Then the columns are
 * made one after the other: a tree of the originals, and a donor in its leaf
 * for each synthetic record.  A number that may be NULL has two trees: whether
 * it is NULL, and its value among the others.
 *
 * A donor that a constraint does not admit is drawn again; where a leaf seems
 * to have none that is admitted the search goes on through the nodes above it.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/synthetic/sequential.h"
#include "kernel/model/cart.h"

/* Donors drawn from a leaf before all of them are looked at in turn. */
#define DRAWS 16

/* Records that go down a tree at a time. */
#define LEAVES 32

/* Powers of ten that a grid is looked for with. */
#define DECIMALS 6

/* Groups of values of a column at the most, and records in a pair of them. */
#define GROUPS        64
#define PAIR_OF_GROUP 5

/* Deviations within which two columns do not depend on each other. */
#define CHANCE 3

/* What drawing needs. */
typedef struct Draw
{
	SdcHost *host;
	const SdcSequentialTask *task;
	SdcSequentialRecords *records;
	int32_t *place; /* the originals in canonical order */
	SdcCartPredictor *original;
	SdcCartPredictor *synthetic;

	/* of the column that is made */
	int j;
	const SdcCart *tree;
	bool of_nulls;    /* is it the tree that tells whether it is NULL? */
	int32_t *donor;   /* the code at each place in tree->row */
	int32_t *leaf_at; /* the leaf of each place in tree->row; or NULL */
	double lowest;    /* that smoothing may give */
	double highest;
} Draw;

SdcSequentialRecords *
sdc_sequential_records(SdcHost *host, const SdcSequentialTask *task)
{
	SdcSequentialRecords *records = sdc_new(host, SdcSequentialRecords, 1);
	size_t columns = (size_t) task->columns;
	size_t drawn = (size_t) task->drawn;
	int j;

	records->code = sdc_new(host, int32_t *, columns);
	records->number = sdc_new(host, double *, columns);
	records->step = sdc_new(host, SdcSequentialStep, columns);
	memset(records->step, 0, sizeof(SdcSequentialStep) * columns);
	for (j = 0; j < task->columns; j++)
	{
		records->code[j] = sdc_new(host, int32_t, drawn);
		records->number[j] =
			task->column[j].smooth ? sdc_new(host, double, drawn) : NULL;
		records->step[j].failed = -1;
	}
	return records;
}

double
sdc_sequential_grid(const double *number, int32_t count)
{
	double scale = 1;
	int d;

	for (d = 0; d <= DECIMALS; d++, scale *= 10)
	{
		int32_t i;

		for (i = 0; i < count; i++)
		{
			double x = number[i] * scale;

			if (fabs(x) > 9e15 || fabs(x - floor(x + 0.5)) > 1e-9 * fabs(x))
				break;
		}
		if (i == count)
			return 1 / scale;
	}
	return 0;
}

/* ----------------------------------------------------------------------
 * The order of the visit: the tree of pairs that depend most on each other
 * (Chow and Liu 1968), from the column that depends most on all others.
 * ----------------------------------------------------------------------
 */

/* The values of a column in few groups, NULL being the first. */
typedef struct Groups
{
	uint8_t *group; /* of each record, 0 .. groups */
	int32_t groups;
} Groups;

/* How many records have each code + 1. */
static int32_t *
count_codes(SdcHost *host, const SdcSequentialColumn *column, int32_t rows)
{
	size_t values = (size_t) column->values + 1;
	int32_t *count = sdc_new(host, int32_t, values);
	int32_t i;

	memset(count, 0, sizeof(int32_t) * values);
	for (i = 0; i < rows; i++)
		count[column->code[i] + 1]++;
	return count;
}

/* The codes of a category, the most frequent first; those of a number. */
static int32_t *
order_codes(SdcHost *host, const SdcSequentialColumn *column,
			const int32_t *count)
{
	size_t values = (size_t) column->values;
	int32_t *order = sdc_new(host, int32_t, values);
	uint64_t *key = sdc_new(host, uint64_t, values);
	size_t c;

	for (c = 0; c < values; c++)
	{
		order[c] = (int32_t) c;
		key[c] = (uint64_t) (INT32_MAX - count[c + 1]);
	}
	if (column->number == NULL)
		sdc_sort_keys(host, key, order, values);
	host->release(host, key);
	return order;
}

/*
 * Numbers in groups of about as many records; the most frequent categories
 * each by themselves, and the others together.
 */
static Groups
group_values(SdcHost *host, const SdcSequentialColumn *column, int32_t rows,
			 int32_t most)
{
	Groups groups = {sdc_new(host, uint8_t, (size_t) rows), 0};
	int32_t *count = count_codes(host, column, rows);
	int32_t *order = order_codes(host, column, count);
	uint8_t *of = sdc_new(host, uint8_t, (size_t) column->values + 1);
	int64_t before = 0;
	int32_t c;
	int32_t i;

	of[0] = 0;
	for (c = 0; c < column->values; c++)
	{
		int32_t group = c;

		if (column->values > most)
			group = column->number != NULL ? (int32_t) (before * most / rows)
										   : (c < most - 1 ? c : most - 1);
		of[order[c] + 1] = (uint8_t) (group + 1);
		before += count[order[c] + 1];
		groups.groups = group + 1;
	}
	for (i = 0; i < rows; i++)
		groups.group[i] = of[column->code[i] + 1];
	host->release(host, count);
	host->release(host, order);
	host->release(host, of);
	return groups;
}

/* The sum of n log n of counts, and how many are not 0. */
static double
sum_of_logs(const int32_t *count, size_t n, int32_t *filled)
{
	double sum = 0;
	size_t i;

	*filled = 0;
	for (i = 0; i < n; i++)
		if (count[i] > 0)
		{
			sum += count[i] * sdc_random_log(count[i]);
			(*filled)++;
		}
	return sum;
}

/*
 * The mutual information of two columns, in nats, less what chance adds: for
 * independent ones 2 n times it is about chi-squared, and what is within three
 * deviations is none.
 */
static double
dependence(const Groups *a, const Groups *b, int32_t rows)
{
	static const size_t side = GROUPS + 1;
	int32_t cell[(GROUPS + 1) * (GROUPS + 1)] = {0};
	int32_t in_a[GROUPS + 1] = {0};
	int32_t in_b[GROUPS + 1] = {0};
	int32_t filled[3];
	double freedom;
	double sum;
	int32_t i;

	for (i = 0; i < rows; i++)
	{
		cell[a->group[i] * side + b->group[i]]++;
		in_a[a->group[i]]++;
		in_b[b->group[i]]++;
	}
	sum = sum_of_logs(cell, side * side, &filled[0]) -
		  sum_of_logs(in_a, side, &filled[1]) -
		  sum_of_logs(in_b, side, &filled[2]);
	freedom = (filled[1] - 1.0) * (filled[2] - 1.0);
	return fmax(0, sum / rows + sdc_random_log(rows) -
					   (freedom + CHANCE * sqrt(2 * freedom)) / (2.0 * rows));
}

/* The dependence of all pairs, columns x columns, with its sum at j, j. */
static double *
measure_dependence(SdcHost *host, const SdcSequentialTask *task)
{
	size_t columns = (size_t) task->columns;
	double *pair = sdc_new(host, double, columns *columns);
	Groups *groups = sdc_new(host, Groups, columns);
	int32_t most = 2;
	size_t j;
	size_t l;

	while (most < GROUPS &&
		   (int64_t) (most + 1) * (most + 1) * PAIR_OF_GROUP <= task->rows)
		most++;
	for (j = 0; j < columns; j++)
	{
		groups[j] = group_values(host, &task->column[j], task->rows, most);
		pair[j * columns + j] = 0;
		for (l = 0; l < j; l++)
		{
			double both = dependence(&groups[j], &groups[l], task->rows);

			host->poll(host, j, columns);
			pair[j * columns + l] = pair[l * columns + j] = both;
		}
	}
	for (j = 0; j < columns; j++)
		for (l = 0; l < columns; l++)
			if (l != j)
				pair[j * columns + j] += pair[j * columns + l];
	return pair;
}

void
sdc_sequential_order(SdcHost *host, const SdcSequentialTask *task, int first,
					 int *order)
{
	SdcArena *arena = sdc_arena_create(host);
	int columns = task->columns;
	double *pair = measure_dependence(&arena->host, task);
	double *most = sdc_new(&arena->host, double, (size_t) columns);
	int place;
	int j;

	/* the most that each depends on a column before; -1: it is one */
	for (j = 0; j < columns; j++)
		most[j] = first > 0 ? 0 : pair[(size_t) j * columns + j];
	for (place = 0; place < columns; place++)
	{
		int next = place < first ? place : 0;

		for (j = 0; j < columns && place >= first; j++)
			if (most[j] > most[next])
				next = j;
		order[place] = next;
		for (j = 0; j < columns; j++)
			if (most[j] >= 0)
				most[j] = fmax(place == 0 && first == 0 ? 0 : most[j],
							   pair[(size_t) next * columns + j]);
		most[next] = -1;
	}
	sdc_arena_end(arena);
}

/* The order of the originals: by their codes from first column to last. */
static void
sort_originals(Draw *draw)
{
	const SdcSequentialTask *task = draw->task;
	SdcHost *host = draw->host;
	size_t rows = (size_t) task->rows;
	uint64_t *key = sdc_new(host, uint64_t, rows);
	size_t i;
	int j;

	draw->place = sdc_new(host, int32_t, rows);
	for (i = 0; i < rows; i++)
		draw->place[i] = (int32_t) i;
	for (j = task->columns - 1; j >= 0; j--)
	{
		for (i = 0; i < rows; i++)
			key[i] = (uint64_t) (task->column[j].code[draw->place[i]] + 1);
		sdc_sort_keys(host, key, draw->place, rows);
	}
	host->release(host, key);
}

/*
 * The bin of each code + 1.  Numbers of more values than there are bins share
 * those of their quantile.
 */
static uint16_t *
bins_of_codes(Draw *draw, int j, int32_t *bins)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[j];
	size_t values = (size_t) column->values + 1;
	uint16_t *bin = sdc_new(draw->host, uint16_t, values);
	int32_t *count;
	int64_t before = 0;
	size_t c;
	int32_t i;

	*bins = column->values + 1;
	bin[0] = 0;
	if (column->values < SDC_SEQUENTIAL_BINS)
	{
		for (c = 1; c < values; c++)
			bin[c] = (uint16_t) c;
		return bin;
	}
	*bins = SDC_SEQUENTIAL_BINS + 1;
	count = sdc_new(draw->host, int32_t, values);
	memset(count, 0, sizeof(int32_t) * values);
	for (i = 0; i < task->rows; i++)
		count[column->code[i] + 1]++;
	for (c = 1; c < values; c++)
	{
		bin[c] =
			(uint16_t) (1 + before * (SDC_SEQUENTIAL_BINS - 1) / task->rows);
		before += count[c];
	}
	draw->host->release(draw->host, count);
	return bin;
}

/* Makes a column a predictor of those that follow. */
static void
add_predictor(Draw *draw, int j)
{
	const SdcSequentialTask *task = draw->task;
	SdcHost *host = draw->host;
	int32_t bins;
	uint16_t *of_code = bins_of_codes(draw, j, &bins);
	uint16_t *original = sdc_new(host, uint16_t, (size_t) task->rows);
	uint16_t *synthetic = sdc_new(host, uint16_t, (size_t) task->drawn);
	int32_t i;

	for (i = 0; i < task->rows; i++)
		original[i] = of_code[task->column[j].code[draw->place[i]] + 1];
	for (i = 0; i < task->drawn; i++)
		synthetic[i] = of_code[draw->records->code[j][i] + 1];
	host->release(host, of_code);
	draw->original[j].bin = original;
	draw->synthetic[j].bin = synthetic;
	draw->original[j].bins = draw->synthetic[j].bins = bins;
	draw->original[j].ordered = draw->synthetic[j].ordered =
		task->column[j].number != NULL;
}

/* The code of the original at a place of the tree. */
static inline int32_t
donor_code(const Draw *draw, int32_t at)
{
	return draw->donor[at];
}

/* Brings the codes into the order of the tree: one access for each draw. */
static void
gather_donors(Draw *draw, const SdcCart *tree, int32_t count)
{
	const int32_t *code = draw->task->column[draw->j].code;
	int32_t i;

	for (i = 0; i < count; i++)
		draw->donor[i] = code[draw->place[tree->row[i]]];
}

static double
donor_number(const Draw *draw, int32_t at)
{
	return draw->task->column[draw->j].number[donor_code(draw, at)];
}

static double
round_to_grid(double x, double grid)
{
	double scale;

	if (grid == 0)
		return x;
	if (grid >= 1)
		return floor(x / grid + 0.5) * grid;
	scale = floor(1 / grid + 0.5);
	return floor(x * scale + 0.5) / scale;
}

/* Records that an end of a smoothed column must have, of count. */
static int32_t
end_records(const SdcSequentialColumn *column, int32_t count)
{
	int32_t wanted = column->leaf > column->rare ? column->leaf : column->rare;

	return wanted < count / 2 ? wanted : count / 2;
}

/*
 * How far smoothing goes at either end: to the middle of two numbers that are
 * not the outermost, so that it tells nothing of these.
 */
static double
outermost(const Draw *draw, int32_t count, bool low)
{
	const SdcSequentialColumn *column = &draw->task->column[draw->j];
	int32_t *records = sdc_new(draw->host, int32_t, (size_t) column->values);
	int32_t rank = end_records(column, count);
	int32_t passed = 0;
	int32_t code = low ? 0 : column->values - 1;
	double end;
	int32_t i;

	memset(records, 0, sizeof(int32_t) * (size_t) column->values);
	for (i = 0; i < count; i++)
		records[donor_code(draw, i)]++;
	for (; passed + records[code] < rank; code += low ? 1 : -1)
		passed += records[code];
	passed += records[code];
	end = column->number[code];
	while (passed < rank + 1)
	{
		code += low ? 1 : -1;
		passed += records[code];
	}
	draw->host->release(draw->host, records);
	return end / 2 + column->number[code] / 2;
}

/*
 * The neighbours of a donor's number in its leaf; at an end of the leaf one as
 * far off as that on the other side, in a leaf of one those of the column.
 */
static void
find_neighbours(const Draw *draw, int32_t at, double *low, double *high)
{
	const SdcCartNode *leaf = &draw->tree->node[draw->leaf_at[at]];
	const SdcSequentialColumn *column = &draw->task->column[draw->j];
	double own = donor_number(draw, at);

	if (leaf->end - leaf->first == 1)
	{
		int32_t code = donor_code(draw, at);

		*low = column->number[code > 0 ? code - 1 : code];
		*high = column->number[code + 1 < column->values ? code + 1 : code];
		return;
	}
	*low = at > leaf->first ? donor_number(draw, at - 1) : own;
	*high = at < leaf->end - 1 ? donor_number(draw, at + 1) : own;
	if (at == leaf->first)
		*low = own - (*high - own);
	if (at == leaf->end - 1)
		*high = own + (own - *low);
}

/* May a number that is smoothed be that of its donor? */
static bool
is_within(const Draw *draw, double number)
{
	return number >= draw->lowest && number <= draw->highest;
}

/* A number in place of that of the donor; NaN: the donor's own will do. */
static double
smooth(const Draw *draw, int32_t at)
{
	const SdcCartNode *leaf = &draw->tree->node[draw->leaf_at[at]];
	int32_t code = donor_code(draw, at);
	double own = donor_number(draw, at);
	double low;
	double high;
	double x;

	if (is_within(draw, own) &&
		((at > leaf->first && donor_code(draw, at - 1) == code) ||
		 (at < leaf->end - 1 && donor_code(draw, at + 1) == code)))
		return NAN;
	find_neighbours(draw, at, &low, &high);
	low = own / 2 + low / 2;
	high = own / 2 + high / 2;
	x = low + (high - low) * sdc_random_unit(draw->task->random);
	x = x < draw->lowest    ? draw->lowest
		: x > draw->highest ? draw->highest
							: x;
	return round_to_grid(x, draw->task->column[draw->j].grid);
}

/* The number of a record that is made already; NaN: NULL. */
static double
made_number(const Draw *draw, int j, int32_t i)
{
	const SdcSequentialRecords *records = draw->records;
	int32_t code = records->code[j][i];

	if (code < 0)
		return NAN;
	if (records->number[j] != NULL && !isnan(records->number[j][i]))
		return records->number[j][i];
	return draw->task->column[j].number[code];
}

/* Do the orders and the caller admit a value? */
static bool
is_admitted(const Draw *draw, int32_t i, int32_t code, double number)
{
	const SdcSequentialTask *task = draw->task;
	int o;

	for (o = 0; o < task->orders && code >= 0; o++)
	{
		const SdcSequentialOrder *order = &task->order[o];
		double own;

		/* a comparison with NaN is false */
		if ((order->a > order->b ? order->a : order->b) != draw->j)
			continue;
		own = isnan(number) ? task->column[draw->j].number[code] : number;
		if (order->b == draw->j ? made_number(draw, order->a, i) > own
								: made_number(draw, order->b, i) < own)
			return false;
	}
	return task->admits == NULL ||
		   task->admits(task->arg, i, draw->j, code, number);
}

/* Takes the donor at a place for a record, if it is admitted. */
static bool
take_donor(Draw *draw, int32_t i, int32_t at, bool as_it_is)
{
	SdcSequentialRecords *records = draw->records;
	int32_t code = donor_code(draw, at);
	double number = NAN;

	if (draw->of_nulls)
	{
		records->code[draw->j][i] = code < 0 ? code : 0;
		return code >= 0 || is_admitted(draw, i, code, NAN);
	}
	if (records->number[draw->j] != NULL)
	{
		if (!as_it_is)
			number = smooth(draw, at);
		else if (!is_within(draw, donor_number(draw, at)))
			return false;
	}
	if (!is_admitted(draw, i, code, number))
		return false;
	records->code[draw->j][i] = code;
	if (records->number[draw->j] != NULL)
		records->number[draw->j][i] = number;
	records->step[draw->j].smoothed += !isnan(number);
	return true;
}

/* Looks at all donors of a node in turn. */
static bool
search_node(Draw *draw, int32_t i, int32_t at)
{
	const SdcCartNode *node = &draw->tree->node[at];
	uint64_t count = (uint64_t) (node->end - node->first);
	int32_t start = (int32_t) sdc_random_below(draw->task->random, count);
	int32_t k;

	for (k = 0; k < (int32_t) count; k++)
	{
		int32_t donor = node->first +
						(int32_t) (((uint64_t) start + (uint64_t) k) % count);

		if (k % 1024 == 1023)
			draw->host->poll(draw->host, 0, 0);
		if (take_donor(draw, i, donor, false) ||
			take_donor(draw, i, donor, true))
			return true;
	}
	return false;
}

/* A donor for a record in a leaf; false: none is admitted. */
static bool
draw_value(Draw *draw, int32_t i, int32_t at)
{
	const SdcCart *tree = draw->tree;
	const SdcCartNode *leaf = &tree->node[at];
	uint64_t count = (uint64_t) (leaf->end - leaf->first);
	int k;

	for (k = 0; k < DRAWS; k++)
		if (take_donor(draw, i,
					   leaf->first + (int32_t) sdc_random_below(
										 draw->task->random, count),
					   false))
			return true;
	for (k = 0; at >= 0; at = tree->node[at].parent, k++)
		if (search_node(draw, i, at))
		{
			draw->records->step[draw->j].climbed += k > 0;
			return true;
		}
	return false;
}

/* Finds the leaf of each place, and sorts its donors by their codes. */
static void
sort_leaves(Draw *draw, SdcCart *tree, int32_t count)
{
	SdcHost *host = draw->host;
	uint64_t *key = sdc_new(host, uint64_t, (size_t) count);
	int32_t n;
	int32_t i;

	draw->leaf_at = sdc_new(host, int32_t, (size_t) count);
	for (n = 0; n < tree->nodes; n++)
		if (tree->node[n].yes < 0)
			for (i = tree->node[n].first; i < tree->node[n].end; i++)
			{
				draw->leaf_at[i] = n;
				key[i] = (uint64_t) tree->node[n].first << 32 |
						 (uint64_t) donor_code(draw, i);
			}
	sdc_sort_keys(host, key, tree->row, (size_t) count);
	host->release(host, key);
}

/* Draws the records that wait for a value of the tree; false: one has none. */
static bool
draw_from_tree(Draw *draw, SdcCart *tree, int32_t count)
{
	const SdcSequentialTask *task = draw->task;
	SdcSequentialStep *step = &draw->records->step[draw->j];
	int32_t *code = draw->records->code[draw->j];
	int32_t leaf[LEAVES];
	int32_t i;

	draw->tree = tree;
	draw->leaf_at = NULL;
	draw->donor = sdc_new(draw->host, int32_t, (size_t) count);
	gather_donors(draw, tree, count);
	if (!draw->of_nulls && draw->records->number[draw->j] != NULL)
	{
		sort_leaves(draw, tree, count);
		gather_donors(draw, tree, count);
		draw->lowest = outermost(draw, count, true);
		draw->highest = outermost(draw, count, false);
	}
	for (i = 0; i < task->drawn && step->failed < 0; i++)
	{
		if (i % 4096 == 0)
			draw->host->poll(draw->host, (uint64_t) i, (uint64_t) task->drawn);
		if (i % LEAVES == 0)
			sdc_cart_leaves(
				tree, draw->synthetic, i,
				task->drawn - i < LEAVES ? task->drawn - i : LEAVES, leaf);
		if (code[i] >= 0 && !draw_value(draw, i, leaf[i % LEAVES]))
			step->failed = i;
	}
	draw->host->release(draw->host, draw->leaf_at);
	draw->host->release(draw->host, draw->donor);
	return step->failed < 0;
}

/*
 * Which codes, with NULL the first of them, have enough records: a category of
 * its own, a number that is not smoothed with all that are as far out.
 */
static bool *
find_frequent(Draw *draw, int32_t *rare)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[draw->j];
	size_t values = (size_t) column->values + 1;
	int32_t *count = sdc_new(draw->host, int32_t, values);
	bool *frequent = sdc_new(draw->host, bool, values);
	int32_t below = 0;
	int32_t numbers;
	size_t c;
	int32_t i;

	memset(count, 0, sizeof(int32_t) * values);
	for (i = 0; i < task->rows; i++)
		count[column->code[i] + 1]++;
	numbers = task->rows - count[0];
	for (c = 0; c < values; c++)
	{
		if (column->number == NULL)
			frequent[c] = count[c] >= column->rare;
		else
			frequent[c] = c == 0 || column->smooth ||
						  (below + count[c] >= column->rare &&
						   numbers - below >= column->rare);
		below += c > 0 ? count[c] : 0;
		*rare += count[c] > 0 && !frequent[c];
	}
	draw->host->release(draw->host, count);
	return frequent;
}

/* Grows a tree of the records that fit, draws from it, and drops it. */
static bool
make_from(Draw *draw, const SdcCartTarget *target, const bool *fits)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[draw->j];
	SdcSequentialStep *step = &draw->records->step[draw->j];
	int32_t *row = sdc_new(draw->host, int32_t, (size_t) task->rows);
	SdcCart *tree;
	int32_t count = 0;
	int32_t i;
	bool made;

	for (i = 0; i < task->rows; i++)
		if (fits == NULL || fits[column->code[draw->place[i]] + 1])
			row[count++] = i;
	if (count == 0)
	{
		step->failed = 0;
		return false;
	}
	tree =
		sdc_cart_grow(draw->host, draw->original, draw->j, target, row, count);
	made = draw_from_tree(draw, tree, count);
	step->leaves = tree->leaves;
	step->smallest = tree->smallest;
	sdc_cart_release(draw->host, tree);
	return made;
}

/* Whether a number is NULL. */
static bool
make_nulls(Draw *draw, int32_t *label)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[draw->j];
	SdcCartTarget target = {label, 2, NULL, column->leaf, task->cp};
	bool made;
	int32_t i;

	for (i = 0; i < task->rows; i++)
		label[i] = column->code[draw->place[i]] < 0;
	draw->of_nulls = true;
	made = make_from(draw, &target, NULL);
	draw->of_nulls = false;
	return made;
}

/* A column of numbers, scaled to 0 .. 1 so that squares are finite. */
static bool
make_numbers(Draw *draw, const bool *is_number)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[draw->j];
	double low = column->number[0] / 2;
	double range = column->number[column->values - 1] / 2 - low;
	double *scaled = sdc_new(draw->host, double, (size_t) task->rows);
	SdcCartTarget target = {NULL, 0, scaled, column->leaf, task->cp};
	bool made;
	int32_t i;

	for (i = 0; i < task->rows; i++)
	{
		int32_t code = column->code[draw->place[i]];

		scaled[i] = code < 0 || range == 0
						? 0
						: (column->number[code] / 2 - low) / range;
	}
	made = make_from(draw, &target, is_number);
	draw->host->release(draw->host, scaled);
	return made;
}

/* A column of categories, of which NULL is one. */
static bool
make_categories(Draw *draw, int32_t *label, const bool *frequent)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[draw->j];
	SdcCartTarget target = {label, column->values + 1, NULL, column->leaf,
							task->cp};
	int32_t i;

	for (i = 0; i < task->rows; i++)
		label[i] = column->code[draw->place[i]] + 1;
	return make_from(draw, &target, frequent);
}

static bool
make_column(Draw *draw, int j)
{
	const SdcSequentialTask *task = draw->task;
	const SdcSequentialColumn *column = &task->column[j];
	SdcHost *host = draw->host;
	int32_t *label = sdc_new(host, int32_t, (size_t) task->rows);
	bool *fits;
	bool made = true;
	bool nulls = false;
	int32_t i;

	draw->j = j;
	for (i = 0; i < task->rows; i++)
		nulls = nulls || column->code[i] < 0;
	/* 0: waits for a value */
	memset(draw->records->code[j], 0, sizeof(int32_t) * (size_t) task->drawn);
	for (i = 0; draw->records->number[j] != NULL && i < task->drawn; i++)
		draw->records->number[j][i] = NAN;
	fits = find_frequent(draw, &draw->records->step[j].rare);
	if (column->number == NULL)
		made = make_categories(draw, label, fits);
	else
	{
		if (nulls)
			made = make_nulls(draw, label);
		fits[0] = false;
		if (made && column->values > 0)
			made = make_numbers(draw, fits);
	}
	host->release(host, fits);
	host->release(host, label);
	return made;
}

bool
sdc_sequential_draw(SdcHost *host, const SdcSequentialTask *task,
					SdcSequentialRecords *records)
{
	SdcArena *arena = sdc_arena_create(host);
	Draw draw;
	bool made = true;
	int j;

	memset(&draw, 0, sizeof(draw));
	draw.host = &arena->host;
	draw.task = task;
	draw.records = records;
	draw.original =
		sdc_new(&arena->host, SdcCartPredictor, (size_t) task->columns);
	draw.synthetic =
		sdc_new(&arena->host, SdcCartPredictor, (size_t) task->columns);
	sort_originals(&draw);
	for (j = 0; j < task->columns && made; j++)
	{
		if (j >= task->given)
			made = make_column(&draw, j);
		if (made && j + 1 < task->columns)
			add_predictor(&draw, j);
	}
	sdc_arena_end(arena);
	return made;
}
