/*
 * suppress_models.c
 *		Local suppression until models hold, NULL being a category: against
 *		groups of rows that are formed and measured by plain loops.
 */
#include <math.h>

#include "suppress_rows.h"

#define VALUES 8

/* What is asked of every sensitive column; NAN: nothing. */
typedef struct Bounds
{
	double distinct;
	double entropy;
	double frequency;
	double t;
	double beta;
	double delta;
} Bounds;

/* How often each value of a column occurs in the rows that are like a. */
static int
count_group(const Rows *table, int a, int column, int *count)
{
	int size = 0;
	int b;

	memset(count, 0, sizeof(int) * VALUES);
	for (b = 0; b < table->rows; b++)
		if (a < 0 || alike(table, a, b, false))
		{
			count[table->code[b][column]]++;
			size++;
		}
	return size;
}

/* By the definitions, with a margin for what is rounded. */
static bool
group_fails(const int *count, int size, const int *all, int records,
			const Bounds *bounds)
{
	int distinct = 0;
	int most = 0;
	double entropy = 0;
	double t = 0;
	double beta = 0;
	double delta = 0;
	int v;

	for (v = 0; v < VALUES; v++)
	{
		double p = (double) count[v] / size;
		double q = (double) all[v] / records;

		t += fabs(p - q) / 2;
		if (count[v] == 0)
			continue;
		distinct++;
		most = count[v] > most ? count[v] : most;
		entropy -= p * log(p);
		beta = fmax(beta, (p - q) / q);
		delta = fmax(delta, fabs(log2(p / q)));
	}
	return distinct < bounds->distinct ||
		   exp(entropy) < bounds->entropy * (1 - 1e-7) ||
		   (double) size / most < bounds->frequency * (1 - 1e-12) ||
		   t > bounds->t * (1 + 1e-7) || beta > bounds->beta * (1 + 1e-7) ||
		   delta >= bounds->delta;
}

/* Rows of groups that are too small or fail a bound; or all as one group. */
static int
count_failing(const Rows *table, int k, const Bounds *bounds, bool as_one)
{
	int all[COLUMNS][VALUES];
	int failing = 0;
	int a;
	int j;

	for (j = table->keys; j < table->columns; j++)
		count_group(table, -1, j, all[j]);
	for (a = as_one ? -1 : 0; a < (as_one ? 0 : table->rows); a++)
	{
		bool fails = false;

		for (j = table->keys; j < table->columns; j++)
		{
			int count[VALUES];
			int size = count_group(table, a, j, count);

			fails = fails || size < k ||
					group_fails(count, size, all[j], table->rows, bounds);
		}
		failing += fails;
	}
	return failing;
}

static SdcClassRequest
ask(const Bounds *bounds)
{
	SdcClassRequest request = sdc_class_measures_request();
	double bound[SDC_CLASS_MEASURES];
	int m;

	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		bound[m] = NAN;
	bound[SDC_CLASS_DISTINCT] = bounds->distinct;
	bound[SDC_CLASS_ENTROPY] = bounds->entropy;
	bound[SDC_CLASS_FREQUENCY] = bounds->frequency;
	bound[SDC_CLASS_T_EQUAL] = bounds->t;
	bound[SDC_CLASS_BETA] = bounds->beta;
	bound[SDC_CLASS_DELTA] = bounds->delta;
	for (m = 0; m < SDC_CLASS_MEASURES; m++)
		if (!isnan(bound[m]))
		{
			request.wanted |= SDC_CLASS_WANT(m);
			request.bound[m] = bound[m];
		}
	return request;
}

/* One or two bounds at random. */
static Bounds
draw_bounds(SdcRandom *random)
{
	Bounds bounds = {NAN, NAN, NAN, NAN, NAN, NAN};
	double *one[] = {&bounds.distinct, &bounds.entropy, &bounds.frequency,
					 &bounds.t,        &bounds.beta,    &bounds.delta};
	double low[] = {1, 1, 1, 0.02, 0.1, 0.3};
	double wide[] = {4, 3, 2, 0.5, 3, 2};
	int i;

	for (i = 0; i < 2; i++)
	{
		int m = (int) sdc_random_below(random, 6);

		*one[m] =
			low[m] + wide[m] * (double) sdc_random_below(random, 1000) / 1000;
	}
	return bounds;
}

/* Values that are lost; -1: not sound; -2: rightly nothing would do. */
static int64_t
suppress_by_models(const Rows *before, int k, const Bounds *bounds)
{
	SdcHost *host = unit_host();
	SdcClassRequest models[COLUMNS];
	SdcSuppressRequest request = {
		.keys = before->keys, .k = k, .l = 1, .models = models};
	Rows after = *before;
	int32_t cell[ROWS];
	SdcFrequency *frequency = count_rows(before, VALUES, cell);
	SdcClasses *classes = sdc_frequency_classes(host, frequency, request.keys);
	bool possible = count_failing(before, k, bounds, true) == 0;
	SdcSuppression *plan;
	int s;

	for (s = 0; s < before->columns - before->keys; s++)
		models[s] = ask(bounds);
	if (sdc_suppress_possible(host, frequency, classes, &request) != possible)
		return -1;
	if (!possible)
		return -2;
	if (sdc_suppress_violations(host, frequency, &request) !=
		count_failing(before, k, bounds, false))
		return -1;
	plan = sdc_suppress_plan(host, frequency, classes, &request);
	if (!apply(&after, classes, cell, plan) ||
		count_failing(&after, k, bounds, false) != 0)
		return -1;
	frequency = count_rows(&after, VALUES, cell);
	return sdc_suppress_violations(host, frequency, &request) == 0
			   ? plan->values
			   : -1;
}

static void
check_random(SdcRandom *random, int nulls, int sensitive)
{
	int tables = 150;
	int unsound = 0;
	int impossible = 0;
	int64_t lost = 0;
	int64_t failing = 0;
	int64_t whole = 0;
	int i;

	for (i = 0; i < tables; i++)
	{
		int keys = 1 + i % 4;
		int rows = 8 + (int) sdc_random_below(random, ROWS - 8);
		Rows table = random_rows(random, rows, keys, sensitive, VALUES, nulls);
		Bounds bounds = draw_bounds(random);
		int k = 1 + i % 5;
		int64_t found = suppress_by_models(&table, k, &bounds);

		unsound += found == -1;
		impossible += found == -2;
		if (found < 0)
			continue;
		failing += count_failing(&table, k, &bounds, false);
		lost += found;
		whole += (int64_t) keys * rows;
	}
	unit_check(unsound == 0 && impossible < tables / 2 &&
				   lost * 10 < whole * 9,
			   "%d %% NULL, %d sensitive: %d tables sound (%d not), %d "
			   "impossible, %lld of %lld values for %lld failing rows",
			   nulls, sensitive, tables, unsound, impossible, (long long) lost,
			   (long long) whole, (long long) failing);
	unit_release_all();
}

/*
 * Delta is the model that two classes may satisfy and not both together: so
 * those that come to a class that was made before must be judged with it.
 */
static void
check_delta(SdcRandom *random)
{
	int unsound = 0;
	int sound = 0;
	int i;

	for (i = 0; i < 600; i++)
	{
		int nulls = i % 3 * 20;
		Rows table = random_rows(random, 20 + i % 60, 1 + i % 4, 1, 4, nulls);
		Bounds bounds = {NAN, NAN, NAN, NAN, NAN, 0.41 + i % 7 * 0.15};
		int64_t found = suppress_by_models(&table, 1 + i % 4, &bounds);

		unsound += found == -1;
		sound += found > 0;
	}
	unit_check(unsound == 0 && sound > 300, "delta: %d tables sound, %d not",
			   sound, unsound);
	unit_release_all();
}

/* The least that any suppression would take, all of them tried. */
static int64_t
find_least(const Rows *table, int k, const Bounds *bounds)
{
	int sets = 1 << table->keys;
	int64_t all = 1;
	int64_t least = INT64_MAX;
	int64_t choice;
	int i;
	int j;

	for (i = 0; i < table->rows; i++)
		all *= sets;
	for (choice = 0; choice < all; choice++)
	{
		int64_t rest = choice;
		int64_t lost = 0;
		Rows after;

		for (i = 0; i < table->rows; i++, rest /= sets)
			lost += __builtin_popcountll((uint64_t) (rest % sets));
		if (lost >= least)
			continue;
		after.rows = table->rows;
		after.keys = table->keys;
		after.columns = table->columns;
		for (i = 0, rest = choice; i < table->rows; i++, rest /= sets)
			for (j = 0; j < table->columns; j++)
				after.code[i][j] = j < table->keys && rest % sets >> j & 1
									   ? SDC_CODE_NULL
									   : table->code[i][j];
		if (count_failing(&after, k, bounds, false) == 0)
			least = lost;
	}
	return least;
}

/* Small tables, beside the best that there is. */
static void
check_optimum(SdcRandom *random)
{
	int64_t best = 0;
	int64_t lost = 0;
	int below = 0;
	int unsound = 0;
	int tried = 0;
	int i;

	for (i = 0; i < 400 && tried < 60; i++)
	{
		Rows table = random_rows(random, 6, 2, 1, 3, 0);
		Bounds bounds = draw_bounds(random);
		int k = 2;
		int64_t found = suppress_by_models(&table, k, &bounds);
		int64_t least;

		unsound += found == -1;
		if (found < 0)
			continue;
		least = find_least(&table, k, &bounds);
		below += found < least;
		best += least;
		lost += found;
		tried++;
	}
	unit_check(below == 0 && unsound == 0 && tried == 60 &&
				   lost * 100 <= best * 140,
			   "%d small tables: %lld values where the best takes %lld", tried,
			   (long long) lost, (long long) best);
	unit_release_all();
}

/* A group that was sound fails when others join it, and so all must be asked:
 * three pairs; t is 0 in two of them together only. */
static void
check_joining(void)
{
	Rows table = {.rows = 8, .keys = 1, .columns = 2};
	Bounds bounds = {NAN, NAN, NAN, 0, NAN, NAN};
	int64_t found;
	int i;

	/* keys 0 and 1 have one value each, key 2 has both */
	for (i = 0; i < 8; i++)
	{
		table.code[i][0] = i < 2 ? 0 : i < 4 ? 1 : 2;
		table.code[i][1] = i < 4 ? i / 2 : i % 2;
	}
	found = suppress_by_models(&table, 2, &bounds);
	unit_check(found == 4, "two pairs that are no good alone: %lld values go",
			   (long long) found);
	/* without their counterpart they need all the others */
	table.code[2][1] = table.code[3][1] = 0;
	found = suppress_by_models(&table, 2, &bounds);
	unit_check(found == 8, "one table of t = 0: %lld values go",
			   (long long) found);
}

int
main(void)
{
	SdcRandom random;

	unit_start("suppress_models");
	sdc_random_seed(&random, 2121, 0);
	check_random(&random, 0, 1);
	check_random(&random, 0, 2);
	check_random(&random, 15, 1);
	check_random(&random, 40, 2);
	check_delta(&random);
	check_optimum(&random);
	check_joining();
	return unit_finish();
}
