/*
 * sequential.c
 *		Trees by brute force, what is drawn from them, and what is refused.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/synthetic/sequential.h"
#include "kernel/model/cart.h"

#define ROWS 60
#define MANY 4000

static SdcRandom generator;

static int32_t
below(int32_t bound)
{
	return (int32_t) sdc_random_below(&generator, (uint64_t) bound);
}

/* The leaf of one record. */
static int32_t
leaf_of(const SdcCart *tree, const SdcCartPredictor *predictor, int32_t i)
{
	int32_t leaf;

	sdc_cart_leaves(tree, predictor, i, 1, &leaf);
	return leaf;
}

/* ----------------------------------------------------------------------
 * The first split, by all that there are.
 * ----------------------------------------------------------------------
 */

typedef struct Sample
{
	int32_t rows;
	uint16_t bin[2][ROWS];
	SdcCartPredictor predictor[2];
	int32_t label[ROWS];
	double number[ROWS];
	SdcCartTarget target;
} Sample;

static void
draw_sample(Sample *sample, bool numbers, int32_t classes)
{
	int32_t i;
	int j;

	memset(sample, 0, sizeof(*sample));
	sample->rows = 20 + below(ROWS - 20);
	for (j = 0; j < 2; j++)
	{
		sample->predictor[j].bin = sample->bin[j];
		sample->predictor[j].bins = 2 + below(j == 0 ? 12 : 7);
		sample->predictor[j].ordered = j == 0;
	}
	for (i = 0; i < sample->rows; i++)
	{
		for (j = 0; j < 2; j++)
			sample->bin[j][i] = (uint16_t) below(sample->predictor[j].bins);
		sample->label[i] = below(classes);
		sample->number[i] = below(20);
	}
	sample->target.leaf = 1 + below(5);
	sample->target.classes = classes;
	if (numbers)
		sample->target.number = sample->number;
	else
		sample->target.label = sample->label;
}

/* Sum of squares about the mean, or Gini times rows, of one side. */
static double
impurity(const Sample *sample, const bool *yes, bool side)
{
	double count[8] = {0};
	double rows = 0;
	double sum = 0;
	double squares = 0;
	int32_t i;
	int c;

	for (i = 0; i < sample->rows; i++)
		if (yes[i] == side)
		{
			count[sample->label[i]]++;
			rows++;
			sum += sample->number[i];
			squares += sample->number[i] * sample->number[i];
		}
	if (rows < sample->target.leaf)
		return INFINITY;
	if (sample->target.number != NULL)
		return squares - sum * sum / rows;
	for (squares = 0, c = 0; c < 8; c++)
		squares += count[c] * count[c];
	return rows - squares / rows;
}

static double
try_sides(const Sample *sample, int j, uint64_t set)
{
	bool yes[ROWS];
	int32_t i;

	for (i = 0; i < sample->rows; i++)
		yes[i] = (set >> sample->bin[j][i] & 1) != 0;
	return impurity(sample, yes, true) + impurity(sample, yes, false);
}

/* The least impurity of all splits: prefixes of numbers, sets of categories */
static double
best_split(const Sample *sample)
{
	double best = INFINITY;
	uint64_t set;
	int32_t b;

	for (b = 0; b < sample->predictor[0].bins; b++)
		best = fmin(best, try_sides(sample, 0, (UINT64_C(2) << b) - 1));
	for (set = 1; set < UINT64_C(1) << sample->predictor[1].bins; set++)
		best = fmin(best, try_sides(sample, 1, set));
	return best;
}

static double
split_of_tree(const Sample *sample, const SdcCart *tree)
{
	const SdcCartNode *root = &tree->node[0];
	bool yes[ROWS] = {false};
	int32_t i;

	if (root->yes < 0)
		return INFINITY;
	for (i = tree->node[root->yes].first; i < tree->node[root->yes].end; i++)
		yes[tree->row[i]] = true;
	return impurity(sample, yes, true) + impurity(sample, yes, false);
}

static int32_t *
all_rows(int32_t rows)
{
	int32_t *row = sdc_new(unit_host(), int32_t, (size_t) rows);
	int32_t i;

	for (i = 0; i < rows; i++)
		row[i] = i;
	return row;
}

/* Is each record in the one leaf that its bins lead to, none too small? */
static bool
is_sound(const Sample *sample, const SdcCart *tree)
{
	int32_t seen = 0;
	int32_t i;
	int32_t n;

	for (n = 0; n < tree->nodes; n++)
	{
		const SdcCartNode *node = &tree->node[n];

		if (node->yes >= 0)
			continue;
		if (node->end - node->first < sample->target.leaf)
			return false;
		for (i = node->first; i < node->end; i++, seen++)
			if (leaf_of(tree, sample->predictor, tree->row[i]) != n)
				return false;
	}
	return seen == sample->rows;
}

static void
check_splits(void)
{
	int exact = 0;
	int near = 0;
	int sound = 0;
	int cases = 0;
	int trial;

	for (trial = 0; trial < 300; trial++)
	{
		bool numbers = trial % 3 == 0;
		int32_t classes = trial % 3 == 1 ? 2 : 5;
		Sample sample;
		SdcCart *tree;
		double found;
		double best;

		draw_sample(&sample, numbers, classes);
		best = best_split(&sample);
		tree = sdc_cart_grow(unit_host(), sample.predictor, 2, &sample.target,
							 all_rows(sample.rows), sample.rows);
		sound += is_sound(&sample, tree);
		if (isinf(best) || sample.rows < 3 * sample.target.leaf)
			continue;
		found = split_of_tree(&sample, tree);
		if (trial % 3 == 2)
		{
			/* the order of categories by a direction is not always best */
			near += found <= best + 0.06 * sample.rows;
			continue;
		}
		cases++;
		exact += found <= best + 1e-9;
	}
	unit_check(sound == 300, "each record is in its leaf, none is too small");
	unit_check(exact == cases && cases > 100,
			   "numbers and two classes: the best of all splits (%d of %d)",
			   exact, cases);
	unit_check(near > 85, "five classes: near the best (%d of 100)", near);
}

/* ----------------------------------------------------------------------
 * What is drawn.
 * ----------------------------------------------------------------------
 */

/* Age, whether retired (never below 60), income above age, city. */
typedef struct People
{
	int32_t code[4][MANY];
	double age[100];
	double income[MANY];
	SdcSequentialColumn column[4];
	SdcSequentialTask task;
} People;

static void
draw_people(People *people)
{
	int32_t i;

	memset(people, 0, sizeof(*people));
	for (i = 0; i < 100; i++)
		people->age[i] = i;
	for (i = 0; i < MANY; i++)
	{
		int32_t age = below(100);

		people->income[i] = 150 + 3 * i;
		people->code[0][i] = age;
		people->code[1][i] = age < 60 ? 0 : below(2);
		people->code[2][i] = below(10) == 0 ? SDC_SEQUENTIAL_NULL : i;
		people->code[3][i] = i < 3 ? 5 : age / 20;
	}
	for (i = 0; i < 4; i++)
	{
		people->column[i].code = people->code[i];
		people->column[i].leaf = 5;
		people->column[i].rare = 5;
	}
	people->column[0].values = 100;
	people->column[0].number = people->age;
	people->column[1].values = 2;
	people->column[2].values = MANY;
	people->column[2].number = people->income;
	people->column[2].smooth = true;
	people->column[2].grid = 1;
	people->column[3].values = 6;
	people->task.rows = people->task.drawn = MANY;
	people->task.columns = 4;
	people->task.column = people->column;
	people->task.cp = 1e-8;
	people->task.random = &generator;
}

static SdcSequentialRecords *
make_people(People *people, uint64_t seed, bool *made)
{
	SdcSequentialRecords *records =
		sdc_sequential_records(unit_host(), &people->task);

	sdc_random_seed(&generator, seed, 1);
	*made = sdc_sequential_draw(unit_host(), &people->task, records);
	return records;
}

/* The middle of the fifth and the sixth largest income. */
static double
highest_income(const People *people)
{
	double number[6] = {0};
	int32_t i;
	int k;

	for (i = 0; i < MANY; i++)
	{
		double income =
			people->code[2][i] < 0 ? 0 : people->income[people->code[2][i]];

		for (k = 0; k < 6; k++)
			if (income > number[k])
			{
				double swap = number[k];

				number[k] = income;
				income = swap;
			}
	}
	return (number[4] + number[5]) / 2;
}

static void
check_records(const People *people, const SdcSequentialRecords *records)
{
	int32_t original[5] = {0};
	int32_t synthetic[5] = {0};
	int32_t young = 0;
	int32_t rare = 0;
	int32_t same = 0;
	int32_t nulls = 0;
	double largest = 0;
	double distance = 0;
	int32_t i;

	for (i = 0; i < MANY; i++)
	{
		int32_t code = records->code[2][i];
		double income = records->number[2][i];

		young += records->code[0][i] < 60 && records->code[1][i] == 1;
		rare += records->code[3][i] == 5;
		nulls += code < 0;
		if (code >= 0)
		{
			same += isnan(income) || fmod(income - 150, 3) == 0;
			largest = fmax(largest, income);
		}
		original[people->code[0][i] / 20]++;
		synthetic[records->code[0][i] / 20]++;
	}
	for (i = 0; i < 5; i++)
		distance += abs(original[i] - synthetic[i]) / 2.0 / MANY;
	unit_check(distance < 0.04, "ages are distributed alike (%.3f)", distance);
	unit_check(young == 0, "nobody is retired below 60");
	unit_check(rare == 0 && records->step[3].rare == 1,
			   "a rare category is not drawn");
	unit_check(nulls > MANY / 10 - 150 && nulls < MANY / 10 + 150,
			   "a tenth of the incomes is NULL (%d)", nulls);
	/* on a grid of 1 a third of all numbers is an original one by chance */
	unit_check(records->step[2].smoothed > MANY / 2 && same < MANY / 2,
			   "incomes are smoothed (%d are originals)", same);
	/* rounding to the grid may add a half */
	unit_check(largest <= highest_income(people) + 0.5,
			   "the largest five incomes go into none that is drawn (%.1f)",
			   largest);
}

static bool
are_equal(const SdcSequentialRecords *a, const SdcSequentialRecords *b)
{
	int j;

	for (j = 0; j < 4; j++)
		if (memcmp(a->code[j], b->code[j], sizeof(int32_t) * MANY) != 0)
			return false;
	return memcmp(a->number[2], b->number[2], sizeof(double) * MANY) == 0;
}

/* The same originals in another order. */
static void
check_order(People *people, const SdcSequentialRecords *records)
{
	SdcSequentialRecords *again;
	bool made;
	int32_t i;
	int j;

	again = make_people(people, 7, &made);
	unit_check(made && are_equal(records, again), "a seed gives its records");
	for (i = MANY - 1; i > 0; i--)
	{
		int32_t other = below(i + 1);

		for (j = 0; j < 4; j++)
		{
			int32_t code = people->code[j][i];

			people->code[j][i] = people->code[j][other];
			people->code[j][other] = code;
		}
	}
	again = make_people(people, 7, &made);
	unit_check(made && are_equal(records, again),
			   "also when the originals come in another order");
	again = make_people(people, 8, &made);
	unit_check(made && !are_equal(records, again),
			   "another seed gives others");
}

/* Only even incomes, and none of NULL. */
static bool
admit_even(void *arg, int32_t i, int j, int32_t code, double number)
{
	const People *people = arg;

	(void) i;
	if (j != 2)
		return true;
	if (code < 0)
		return false;
	return fmod(isnan(number) ? people->income[code] : number, 2) == 0;
}

static bool
admit_nothing(void *arg, int32_t i, int j, int32_t code, double number)
{
	(void) arg;
	(void) i;
	(void) code;
	(void) number;
	return j < 2;
}

static void
check_constraints(People *people)
{
	const SdcSequentialOrder order = {0, 2};
	SdcSequentialRecords *records;
	int32_t broken = 0;
	int32_t odd = 0;
	bool made;
	int32_t i;

	/* age in hundreds of income: many donors are not admitted */
	for (i = 0; i < 100; i++)
		people->age[i] = i * 120;
	people->task.orders = 1;
	people->task.order = &order;
	people->task.admits = admit_even;
	people->task.arg = people;
	records = make_people(people, 9, &made);
	for (i = 0; i < MANY; i++)
	{
		double income = isnan(records->number[2][i])
							? people->income[records->code[2][i]]
							: records->number[2][i];

		broken += people->age[records->code[0][i]] > income;
		odd += fmod(income, 2) != 0 || records->code[2][i] < 0;
	}
	unit_check(made && broken == 0, "an order holds in all records");
	unit_check(odd == 0, "what the caller does not admit is not there");
	unit_check(records->step[2].climbed > 0,
			   "some leaves had no donor that is admitted");
	people->task.admits = admit_nothing;
	records = make_people(people, 9, &made);
	unit_check(!made && records->step[2].failed == 0 &&
				   records->step[1].failed == -1,
			   "where nothing is admitted nothing is made");
}

static void
check_grid(void)
{
	const double whole[] = {1, -2, 3e9};
	const double cents[] = {1.25, 7, -0.5};
	const double any[] = {1.0 / 3, 2};

	unit_check(sdc_sequential_grid(whole, 3) == 1, "whole numbers");
	unit_check(sdc_sequential_grid(cents, 3) == 0.01, "cents");
	unit_check(sdc_sequential_grid(any, 2) == 0, "no grid");
}

/* ----------------------------------------------------------------------
 * The order of the visit, by the definition.
 * ----------------------------------------------------------------------
 */

#define ORDERED 6
#define VALUES  4

/* Mutual information less what chance adds, from shares of pairs. */
static double
slow_dependence(const int32_t *a, const int32_t *b, int32_t rows)
{
	double freedom;
	double sum = 0;
	int seen_a = 0;
	int seen_b = 0;
	int32_t x;
	int32_t y;
	int32_t i;

	for (x = -1; x < VALUES; x++)
	{
		double of_a = 0;
		double of_b = 0;

		for (i = 0; i < rows; i++)
		{
			of_a += a[i] == x;
			of_b += b[i] == x;
		}
		seen_a += of_a > 0;
		seen_b += of_b > 0;
		for (y = -1; y < VALUES; y++)
		{
			double both = 0;
			double other = 0;

			for (i = 0; i < rows; i++)
			{
				both += a[i] == x && b[i] == y;
				other += b[i] == y;
			}
			if (both > 0)
				sum += both / rows * log(both * rows / (of_a * other));
		}
	}
	freedom = (seen_a - 1.0) * (seen_b - 1.0);
	return fmax(0, sum - (freedom + 3 * sqrt(2 * freedom)) / (2.0 * rows));
}

/* Is order[place] one of the columns that depend most on those before? */
static bool
is_next(int32_t code[ORDERED][MANY], int32_t rows, int first, const int *order,
		int place)
{
	double best = -1;
	double own = -1;
	int j;
	int l;

	for (j = 0; j < ORDERED; j++)
	{
		double most = 0;

		for (l = 0; l < place && order[l] != j; l++)
			most = fmax(most, slow_dependence(code[j], code[order[l]], rows));
		if (l < place)
			continue;
		for (l = 0; l < ORDERED && place == 0 && first == 0; l++)
			most += l == j ? 0 : slow_dependence(code[j], code[l], rows);
		best = fmax(best, most);
		if (j == order[place])
			own = most;
	}
	return own > best - 1e-9;
}

/* Columns each of which follows one before it, now and then. */
static void
draw_chain(int32_t code[ORDERED][MANY], int32_t rows)
{
	int32_t i;
	int j;

	for (j = 0; j < ORDERED; j++)
	{
		int of = j > 0 ? below(j) : 0;
		int32_t noise = 1 + below(20);

		for (i = 0; i < rows; i++)
			code[j][i] = j > 0 && below(20) >= noise ? code[of][i]
													 : below(VALUES + 1) - 1;
	}
}

static void
check_visit(void)
{
	static int32_t code[ORDERED][MANY];
	static int32_t turned[MANY];
	static const double number[VALUES] = {1, 2, 5, 9};
	SdcSequentialColumn column[ORDERED] = {{0}};
	SdcSequentialTask task = {.columns = ORDERED, .column = column};
	int wrong = 0;
	int moved = 0;
	int n;
	int j;

	for (n = 0; n < 60; n++)
	{
		int order[ORDERED];
		int again[ORDERED];
		int first = below(3);

		task.rows = 200 + below(800);
		draw_chain(code, task.rows);
		for (j = 0; j < ORDERED; j++)
		{
			column[j].code = code[j];
			column[j].values = VALUES;
			column[j].number = below(2) ? number : NULL;
		}
		sdc_sequential_order(unit_host(), &task, first, order);
		for (j = 0; j < ORDERED; j++)
			wrong += j < first ? order[j] != j
							   : !is_next(code, task.rows, first, order, j);
		for (j = 0; j < ORDERED; j++)
		{
			int32_t i;

			for (i = 0; i < task.rows; i++)
				turned[i] = code[j][task.rows - 1 - i];
			memcpy(code[j], turned, sizeof(int32_t) * (size_t) task.rows);
		}
		sdc_sequential_order(unit_host(), &task, first, again);
		moved += memcmp(order, again, sizeof(order)) != 0;
		unit_release_all();
	}
	unit_check(wrong == 0, "each column depends most on those before it (%d)",
			   wrong);
	unit_check(moved == 0, "whatever the order of the records");
}

/* Columns that say nothing of each other stay as they are. */
static void
check_independent(void)
{
	static int32_t code[ORDERED][MANY];
	SdcSequentialColumn column[ORDERED] = {{0}};
	SdcSequentialTask task = {
		.rows = MANY, .columns = ORDERED, .column = column};
	int order[ORDERED];
	int moved = 0;
	int32_t i;
	int n;
	int j;

	for (n = 0; n < 20; n++)
	{
		for (j = 0; j < ORDERED; j++)
		{
			column[j].values = 2 + 3 * j;
			column[j].code = code[j];
			for (i = 0; i < MANY; i++)
				code[j][i] = below(column[j].values);
		}
		sdc_sequential_order(unit_host(), &task, 0, order);
		for (j = 0; j < ORDERED && order[j] == j; j++)
			;
		moved += j < ORDERED;
	}
	/* of 300 pairs one in some hundred is beyond three deviations */
	unit_check(moved <= 3,
			   "independent columns stay in their order (%d of 20 "
			   "do not)",
			   moved);
	unit_release_all();
}

/* A number of many values and a category of many, which say the same. */
static void
check_groups(void)
{
	static int32_t code[3][MANY];
	static double number[MANY];
	SdcSequentialColumn column[3] = {{0}};
	SdcSequentialTask task = {.rows = MANY, .columns = 3, .column = column};
	int order[3];
	int32_t i;

	for (i = 0; i < MANY; i++)
	{
		code[0][i] = below(3);
		code[1][i] = i;
		number[i] = i;
		/* one value in two, and so many that nobody shares */
		code[2][i] = i < MANY / 2 ? 0 : 1 + i - MANY / 2;
	}
	column[0].values = 3;
	column[1].values = MANY;
	column[1].number = number;
	column[2].values = 1 + MANY / 2;
	for (i = 0; i < 3; i++)
		column[i].code = code[i];
	sdc_sequential_order(unit_host(), &task, 0, order);
	unit_check(order[0] != 0 && order[1] != 0,
			   "columns of many values are put into groups");
	task.rows = 1;
	sdc_sequential_order(unit_host(), &task, 0, order);
	unit_check(order[0] == 0 && order[1] == 1 && order[2] == 2,
			   "equal ones stay in their order");
	unit_release_all();
}

int
main(void)
{
	static People people;
	SdcSequentialRecords *records;
	bool made;

	unit_start("sequential");
	sdc_random_seed(&generator, 1, 0);
	check_splits();
	draw_people(&people);
	records = make_people(&people, 7, &made);
	unit_check(made, "records are made");
	check_records(&people, records);
	check_order(&people, records);
	check_constraints(&people);
	check_grid();
	check_visit();
	check_independent();
	check_groups();
	return unit_finish();
}
