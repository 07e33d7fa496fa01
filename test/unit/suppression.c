/*
 * Suppression: the tables of test/data/tables.txt with optima and intervals
 * from elsewhere; tiny random tables against all patterns there are.
 */
#include "tabular_case.h"
#include "tabular_instance.h"

/* About a minute of a slow machine. */
#define MUCH_WORK 1e9

/*
 * What the search is given for firms_3d, and the best that is known from
 * elsewhere, which it finds or beats.  The proof of its optimum takes ten
 * times as much and is in test/bench/kernel_suppression.c.
 */
#define SOME_WORK    1.5e8
#define LONG_OPTIMUM 533252
#define LONG_KNOWN   534290

static void
check_intervals(const Instance *instance)
{
	const SdcTabular *table = instance->table;
	double *least = sdc_new(unit_host(), double, table->cells);
	double *largest = sdc_new(unit_host(), double, table->cells);
	double worst = 0;
	int32_t i;

	sdc_tabular_intervals(table, instance->hidden, NULL, least, largest);
	for (i = 0; i < table->cells; i++)
	{
		double a = instance->hidden[i] ? instance->least[i] : table->value[i];
		double b =
			instance->hidden[i] ? instance->largest[i] : table->value[i];

		worst = fmax(worst, fabs(least[i] - a) / fmax(1, fabs(a)));
		worst = fmax(worst, fabs(largest[i] - b) / fmax(1, fabs(b)));
	}
	unit_check(worst < 1e-6, "%s: intervals are those known, to %.1e",
			   instance->name, worst);
}

static void
check_instance(const Instance *instance)
{
	const SdcTabular *table = instance->table;
	bool long_proof = strcmp(instance->name, "firms_3d") == 0;
	SdcSuppressionOptions options = {.work =
										 long_proof ? SOME_WORK : MUCH_WORK};
	bool *hidden = sdc_new(unit_host(), bool, table->cells);
	SdcSuppression result;

	unit_check(sdc_tabular_unbalanced(table) < 0, "%s adds up",
			   instance->name);
	check_intervals(instance);
	result = sdc_suppression_run(table, &options, hidden);
	if (long_proof)
		unit_check(result.found && result.cost >= LONG_OPTIMUM &&
					   result.bound <= LONG_OPTIMUM &&
					   result.cost <= LONG_KNOWN,
				   "%s: %.0f, bound %.0f; optimum %d", instance->name,
				   result.cost, result.bound, LONG_OPTIMUM);
	else
		unit_check(result.found && result.proven &&
					   result.cost == instance->optimum &&
					   result.bound == instance->optimum,
				   "%s: proven %.0f, known %.0f", instance->name, result.cost,
				   instance->optimum);
	unit_check(plain_safe(table, hidden), "%s: a plain attack fails",
			   instance->name);
}

static void
check_instances(void)
{
	FILE *file = fopen("test/data/tables.txt", "r");
	Instance instance;
	int count = 0;

	if (file == NULL)
		abort();
	while (read_instance(file, &instance))
	{
		check_instance(&instance);
		count++;
	}
	fclose(file);
	unit_check(count == 10, "%d tables", count);
}

/* The open cells of a table. */
static int
list_open(const SdcTabular *table, int32_t *open)
{
	int count = 0;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		if (table->role[i] == SDC_CELL_OPEN)
			open[count++] = i;
	return count;
}

/*
 * Is there a pattern that costs less than most and protects?  All are tried,
 * but for those that hide no more than one that fails.
 */
static bool
is_beaten(const SdcTabular *table, double most)
{
	static uint32_t failed[1 << 16];
	int32_t open[32];
	int count = list_open(table, open);
	int failures = 0;
	uint32_t set;
	bool hidden[64];
	int i;

	for (set = (1u << count); set-- > 0;)
	{
		for (i = 0; i < table->cells; i++)
			hidden[i] = table->role[i] == SDC_CELL_UNSAFE;
		for (i = 0; i < count; i++)
			hidden[open[i]] = set >> i & 1;
		{
			double cost = 0;

			for (i = 0; i < table->cells; i++)
				cost += hidden[i] ? table->weight[i] : 0;
			if (cost >= most)
				continue;
		}
		for (i = 0; i < failures && (set & ~failed[i]) != 0;)
			i++;
		if (i < failures)
			continue;
		if (plain_safe(table, hidden))
			return true;
		failed[failures++] = set;
	}
	return false;
}

/* Tables of at most 13 open cells, with and without holders. */
static void
check_tiny(int tables)
{
	SdcRandom random;
	SdcSuppressionOptions options = {.work = MUCH_WORK};
	int wrong = 0;
	int protected = 0;
	int impossible = 0;
	int k;

	sdc_random_seed(&random, 22, 0);
	for (k = 0; protected + impossible < tables; k++)
	{
		SdcCubeDimension dimension[2];
		bool hidden[64];
		int32_t open[64];
		SdcTabular *table;
		SdcSuppression result;

		dimension[0] = random_dimension(&random, 2 + k % 2, k % 3 == 0);
		dimension[1] = random_dimension(&random, 2 + k / 2 % 2, false);
		table = random_table(&random, dimension, 2,
							 4 + (int32_t) sdc_random_below(&random, 20),
							 k % 4 != 0);
		if (list_open(table, open) > 13 || table->cells > 40)
			continue;
		result = sdc_suppression_run(table, &options, hidden);
		if (result.found)
		{
			protected++;
			wrong += !result.proven || !plain_safe(table, hidden) ||
					 is_beaten(table, result.cost);
		}
		else
		{
			impossible++;
			wrong += is_beaten(table, INFINITY);
		}
	}
	unit_check(wrong == 0,
			   "%d of %d tables differ from all patterns there are", wrong,
			   tables);
	unit_check(protected > tables / 3 && impossible > 0,
			   "%d could be protected, %d could not", protected, impossible);
}

/* Of n x n cells with totals one equation follows from the others. */
static void
check_implied(void)
{
	SdcRandom random;
	int32_t n;

	sdc_random_seed(&random, 5, 0);
	for (n = 2; n <= 9; n++)
	{
		SdcCubeDimension dimension[2];
		SdcTabular *table;
		int implied = 0;
		int32_t r;

		dimension[0] = random_dimension(&random, n, false);
		dimension[1] = random_dimension(&random, n, false);
		table = sdc_cube_create(unit_host(), dimension, 2);
		for (r = 0; r < table->equations; r++)
			implied += table->implied[r];
		unit_check(table->equations == 2 * (n + 1) && implied == 1,
				   "%d x %d cells: %d of %d equations follow from others",
				   (int) n, (int) n, implied, (int) table->equations);
		unit_release_all();
	}
}

/*
 * Cells of rows and columns in the order that sdc_cube_create numbers them,
 * the last of each a total, each with a respondent of its own below 100 units.
 */
static SdcTabular *
led_table(void)
{
	static const double value[5][5] = {{400, 10, 30, 0, 440},
									   {500, 0, 40, 0, 540},
									   {300, 700, 800, 250, 2050},
									   {350, 600, 500, 450, 1900},
									   {1550, 1310, 1370, 700, 4930}};
	SdcCubeDimension dimension[2];
	SdcRandom random;
	SdcTabular *table;
	int32_t i;

	sdc_random_seed(&random, 6, 0);
	dimension[0] = random_dimension(&random, 4, false);
	dimension[1] = random_dimension(&random, 4, false);
	table = sdc_cube_create(unit_host(), dimension, 2);
	for (i = 0; i < table->cells; i++)
	{
		double a = value[i / 5][i % 5];

		table->value[i] = table->high[i] = table->weight[i] = a;
		table->low[i] = a - (a > 0);
		if (a == 0)
			table->role[i] = SDC_CELL_SHOWN;
		if (i < 9 && i % 5 < 4 && a > 0)
		{
			table->holder[i] = i;
			table->role[i] = SDC_CELL_UNSAFE;
			table->need_low[i] = table->need_high[i] = a / 5;
		}
	}
	return table;
}

/* The total of a row, of which a respondent gave nearly all. */
static void
lead(SdcTabular *table, int32_t total, double need, int32_t leader,
	 double rest)
{
	table->role[total] = SDC_CELL_UNSAFE;
	table->need_low[total] = table->need_high[total] = need;
	table->leader[total] = leader;
	table->rest_low[total] = table->rest_high[total] = rest;
}

/*
 * Totals of 400 + 10 + 30 and 500 + 40, kept from others by 20 percent of the
 * largest.  Who gave that cannot be kept off by as much, as what the others
 * gave is less; but of their part, of which he could take all for the second
 * largest's, by 20 percent of this.
 */
static void
check_leader(void)
{
	SdcSuppressionOptions options = {.work = MUCH_WORK};
	SdcTabular *table = led_table();
	bool *hidden = sdc_new(unit_host(), bool, table->cells);
	SdcSuppression result;
	glp_prob *problem;

	lead(table, 4, 70, SDC_NO_HOLDER, 0);
	lead(table, 9, 100, 5, 8);
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(!result.found && result.unmet == 4 && !result.undecided,
			   "the whole need against the largest respondent: impossible");
	lead(table, 4, 70, 0, 0);
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(result.found && result.proven && plain_safe(table, hidden),
			   "that of the rest: proven %.0f", result.cost);
	problem = plain_program(table, hidden, 5);
	unit_check(plain_reach(problem, table, 9, 1) >= 8 - 1e-6 &&
				   plain_reach(problem, table, 9, -1) >= 8 - 1e-6,
			   "he cannot tell the second largest by 20 percent");
	glp_delete_prob(problem);
	unit_release_all();
}

/*
 * What keeps the largest respondent off by 8 does not keep the second off by
 * 100: without his own cell the others move by 60 + 8.
 */
static void
check_second(void)
{
	SdcSuppressionOptions options = {0};
	SdcTabular *table = led_table();
	bool *hidden = sdc_new(unit_host(), bool, table->cells);
	SdcSuppression result;
	int32_t i;

	for (i = 0; i < 9; i++)
		table->need_low[i] = table->need_high[i] =
			table->role[i] == SDC_CELL_UNSAFE;
	lead(table, 4, 100, 0, 8);
	table->need_low[4] = table->rest_low[4] = 0;
	table->high[0] = 60;
	table->high[1] = 40;
	table->high[2] = 8;
	table->holder[2] = SDC_NO_HOLDER;
	table->weight[2] = 1;
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(!result.found && result.unmet == 4,
			   "the second largest respondent has a witness of his own");
	unit_release_all();
}

/*
 * A total of 50 + 12 + 30 + 400, of which the 50 must be able to be 10 more.
 * Respondents 0 and 1 gave the 12, half each, and 1 gave 28 of the 30: no
 * pattern protects from him that hides these two and not the 400.
 */
static void
check_second_most(void)
{
	static const int64_t start[] = {0, 5};
	static const int32_t member[] = {4, 0, 1, 2, 3};
	static const double value[] = {50, 12, 30, 400, 492};
	SdcTabular *table = sdc_tabular_create(unit_host(), 5, 1, start, member);
	SdcSuppressionOptions options = {.work = MUCH_WORK};
	bool hidden[5];
	SdcSuppression result;
	int32_t i;

	for (i = 0; i < 5; i++)
	{
		table->value[i] = table->high[i] = table->weight[i] = value[i];
		table->low[i] = value[i] - 1;
	}
	table->role[0] = SDC_CELL_UNSAFE;
	table->need_high[0] = 10;
	table->role[4] = SDC_CELL_SHOWN;
	table->leader[1] = 0;
	table->second[1] = table->leader[2] = 1;
	table->leader_low[1] = table->second_low[1] = 6;
	table->leader_low[2] = 2;
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(result.found && result.proven && result.cost == 450 &&
				   hidden[3] && plain_safe(table, hidden),
			   "who gave second most to a cell knows it, too: %.0f",
			   result.cost);
	unit_release_all();
}

int
main(void)
{
	unit_start("suppression");
	check_implied();
	check_leader();
	check_second();
	check_second_most();
	check_instances();
	check_tiny(300);
	return unit_finish();
}
