/*
 * Suppression of random tables against a plain attack that knows nothing of
 * the kernel: outsiders and respondents, who know that counts are whole.
 */
#include "kernel/tabular/tabular_private.h"

#include "tabular_case.h"

/* Whether all equations hold whose cells have their values. */
static bool
adds_up(const SdcTabular *table, const double *y)
{
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		double sum = -y[table->member[table->start[r]]];

		for (e = table->start[r] + 1; e < table->start[r + 1]; e++)
			sum += y[table->member[e]];
		if (sum != 0)
			return false;
	}
	return true;
}

/* All whole values of the hidden cells from 0 to most, and their ends. */
static void
enumerate(const SdcTabular *table, const bool *hidden, int32_t i, double most,
		  double *y, double *least, double *largest)
{
	int32_t k;

	while (i < table->cells && !hidden[i])
		i++;
	if (i < table->cells)
	{
		for (y[i] = 0; y[i] <= most; y[i]++)
			enumerate(table, hidden, i + 1, most, y, least, largest);
		return;
	}
	if (!adds_up(table, y))
		return;
	for (k = 0; k < table->cells; k++)
	{
		least[k] = fmin(least[k], y[k]);
		largest[k] = fmax(largest[k], y[k]);
	}
}

/* The narrowest interval that was found; others need only be wider. */
typedef struct Narrowest
{
	double width;
	int asked; /* intervals whose ends were found */
} Narrowest;

static bool
is_wide(void *arg, int32_t cell, double least, double largest, bool ends)
{
	Narrowest *narrowest = arg;

	(void) cell;
	if (ends)
	{
		narrowest->asked++;
		narrowest->width = fmin(narrowest->width, largest - least);
	}
	return largest - least > 0.5 && largest - least >= narrowest->width;
}

/*
 * Intervals as far as they are needed, against all values there are: they are
 * within them, the narrowest ones are they, and so are those of known cells.
 */
static int
check_needed(SdcTabular *table, const bool *hidden, double **bound)
{
	int32_t n = table->cells;
	double *least = sdc_new(unit_host(), double, n);
	double *largest = sdc_new(unit_host(), double, n);
	double *low = sdc_new(unit_host(), double, n);
	double *high = sdc_new(unit_host(), double, n);
	Narrowest narrowest = {INFINITY, 0};
	SdcEnough enough = {is_wide, &narrowest};
	SdcWholeBounds bounds = {low, high, &enough};
	double narrow = INFINITY;
	double found = INFINITY;
	int wrong = 0;
	int32_t i;

	for (i = 0; i < n; i++)
	{
		low[i] = bound[0][i];
		high[i] = bound[1][i];
	}
	sdc_tabular_intervals(table, hidden, &enough, least, largest);
	narrowest.width = INFINITY;
	if (!sdc_tabular_whole(table, hidden, 1e9, &bounds, least, largest))
		return 1;
	for (i = 0; i < n; i++)
	{
		bool known = bound[4][i] == bound[5][i];

		wrong += least[i] < bound[4][i] || largest[i] > bound[5][i];
		wrong += (least[i] == largest[i]) != known;
		if (!hidden[i])
			continue;
		narrow = fmin(narrow, bound[5][i] - bound[4][i]);
		found = fmin(found, largest[i] - least[i]);
	}
	return wrong + (narrow != found);
}

/* Intervals of whole values against all values there are. */
static int
check_whole(SdcRandom *random, SdcTabular *table, double most)
{
	int32_t n = table->cells;
	bool *hidden = sdc_new(unit_host(), bool, n);
	double *bound[6];
	double *y = sdc_new(unit_host(), double, n);
	int left = 7;
	int wrong = 0;
	int32_t i;
	int k;

	for (k = 0; k < 6; k++)
		bound[k] = sdc_new(unit_host(), double, n);
	for (i = 0; i < n; i++)
	{
		hidden[i] = left > 0 && table->value[i] <= most &&
					sdc_random_below(random, 3) == 0;
		left -= hidden[i];
		y[i] = table->value[i];
		bound[0][i] = hidden[i] ? 0 : y[i];
		bound[1][i] = hidden[i] ? most : y[i];
		bound[4][i] = INFINITY;
		bound[5][i] = -INFINITY;
	}
	enumerate(table, hidden, 0, most, y, bound[4], bound[5]);
	if (!sdc_tabular_complete(table, hidden, bound[0], bound[1]))
		return 1;
	sdc_tabular_intervals(table, hidden, NULL, bound[2], bound[3]);
	if (!sdc_tabular_whole(table, hidden, 1e9, NULL, bound[2], bound[3]))
		return 1;
	for (i = 0; i < n; i++)
		wrong += bound[2][i] != bound[4][i] || bound[3][i] != bound[5][i];
	return wrong + check_needed(table, hidden, bound);
}

static void
check_whole_tables(int tables)
{
	SdcRandom random;
	int wrong = 0;
	int k;

	sdc_random_seed(&random, 77, 0);
	for (k = 0; k < tables; k++)
	{
		SdcCubeDimension dimension[3];
		int d;

		for (d = 0; d < 3; d++)
			dimension[d] = random_dimension(&random, 2 + (k + d) % 2, false);
		wrong +=
			check_whole(&random,
						random_table(&random, dimension, 3, 20, false), 4) > 0;
	}
	unit_check(wrong == 0, "whole intervals of %d of %d tables differ", wrong,
			   tables);
}

/* ----------------------------------------------------------------------
 * Linked tables, attacked by who thinks of all keys together
 * ----------------------------------------------------------------------
 */

/* The cube of some keys; identities are the cells of the cube of all three. */
static SdcCubePart
make_part(const SdcCubeDimension *dimension, const int *key, int keys)
{
	SdcHost *host = unit_host();
	SdcCubeDimension own[3];
	int32_t codes[3] = {dimension[0].codes, dimension[1].codes,
						dimension[2].codes};
	uint64_t *identity;
	SdcTabular *table;
	SdcCubePart part;
	int32_t i;
	int k;

	for (k = 0; k < keys; k++)
		own[k] = dimension[key[k]];
	table = sdc_cube_create(host, own, keys);
	identity = sdc_new(host, uint64_t, table->cells);
	for (i = 0; i < table->cells; i++)
	{
		/* the total is the last code but for groups: that of equation 0 */
		int32_t code[3] = {dimension[0].member[0], dimension[1].member[0],
						   dimension[2].member[0]};
		int32_t rest = i;

		for (k = keys - 1; k >= 0; k--)
		{
			code[key[k]] = rest % codes[key[k]];
			rest /= codes[key[k]];
		}
		identity[i] =
			(uint64_t) ((code[0] * codes[1] + code[1]) * codes[2] + code[2]);
	}
	part.table = table;
	part.identity = identity;
	part.place = NULL;
	return part;
}

/* What is known of a cell; one that no table shows is hidden for nothing. */
static void
take_cell(const SdcTabular *full, int32_t i, bool shown, SdcTabular *linked,
		  int32_t to)
{
	bool unsafe = full->role[i] == SDC_CELL_UNSAFE;

	linked->value[to] = full->value[i];
	linked->low[to] = full->low[i];
	linked->high[to] = full->high[i];
	linked->need_low[to] = full->need_low[i];
	linked->need_high[to] = full->need_high[i];
	linked->weight[to] = shown ? full->weight[i] : 1;
	linked->holder[to] = full->holder[i];
	linked->leader[to] = full->leader[i];
	linked->second[to] = full->second[i];
	linked->leader_low[to] = full->leader_low[i];
	linked->second_low[to] = full->second_low[i];
	linked->rest_low[to] = full->rest_low[i];
	linked->rest_high[to] = full->rest_high[i];
	linked->role[to] = unsafe || !shown ? SDC_CELL_UNSAFE : full->role[i];
}

/* Two or three tables of two keys each; returns whether they fall. */
static bool
linked_falls(SdcRandom *random, int round, int *found)
{
	static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
	static const int all[3] = {0, 1, 2};
	SdcHost *host = unit_host();
	SdcSuppressionOptions options = {.work = 2e8};
	SdcCubeDimension dimension[3];
	SdcCubePart part[4];
	int parts = 2 + round % 2;
	SdcTabular *full;
	SdcTabular *linked;
	bool *hidden;
	bool *shown;
	bool *pattern;
	int32_t i;
	int p;

	for (p = 0; p < 3; p++)
		dimension[p] =
			random_dimension(random, 2 + (round + p) % 2, p == round % 5);
	full = random_table(random, dimension, 3, 60, round % 4 > 1);
	for (p = 0; p < parts; p++)
		part[p] = make_part(dimension, pair[p], 2);
	part[parts] = make_part(dimension, all, 3);
	linked = sdc_cube_link(host, part, parts + 1);
	linked->whole = full->whole;
	shown = sdc_new(host, bool, full->cells);
	pattern = sdc_new(host, bool, full->cells);
	hidden = sdc_new(host, bool, linked->cells);
	memset(shown, 0, full->cells);
	for (p = 0; p < parts; p++)
		for (i = 0; i < part[p].table->cells; i++)
			shown[part[p].identity[i]] = true;
	for (i = 0; i < full->cells; i++)
		take_cell(full, i, shown[i], linked, part[parts].place[i]);
	if (linked->cells != full->cells || sdc_tabular_unbalanced(linked) >= 0)
		return true;
	if (!sdc_suppression_run(linked, &options, hidden).found)
		return false;
	(*found)++;
	for (i = 0; i < full->cells; i++)
		pattern[i] = !shown[i] || hidden[part[parts].place[i]];
	return !plain_safe(full, pattern);
}

static void
check_linked(int rounds)
{
	SdcRandom random;
	int found = 0;
	int broken = 0;
	int k;

	sdc_random_seed(&random, 4, 22);
	for (k = 0; k < rounds; k++)
		broken += linked_falls(&random, k, &found);
	unit_check(found > rounds / 4 && broken == 0,
			   "%d of %d sets of linked tables fall to an attack on all keys",
			   broken, found);
}

/*
 * With all hidden that may be, boxes are nearly everywhere: the work of a
 * program for each need would be 5,000 times as much.
 */
static void
check_free_boxes(const SdcTabular *table)
{
	SdcHeuristic *heuristic =
		sdc_heuristic_create(table, SDC_TABULAR_EACH, SDC_TABULAR_EACH);
	bool *hidden = sdc_new(unit_host(), bool, table->cells);
	int32_t failed;
	int32_t i;

	for (i = 0; i < table->cells; i++)
		hidden[i] = table->role[i] != SDC_CELL_SHOWN;
	failed = sdc_heuristic_audit(heuristic, hidden, NULL);
	unit_check(failed == 0 && sdc_heuristic_work(heuristic) > 0 &&
				   sdc_heuristic_work(heuristic) < 1e5,
			   "%d needs fail where all may be hidden; boxes meet the others "
			   "with a work of %.0f",
			   failed, sdc_heuristic_work(heuristic));
	sdc_heuristic_release(heuristic);
}

/*
 * A total that needs more than its parts can move is named at once, without
 * programs that grow to the whole table.
 */
static void
check_stuck(SdcTabular *table)
{
	SdcSuppressionOptions options = {0};
	bool *hidden = sdc_new(unit_host(), bool, table->cells);
	int32_t total = table->member[table->start[0]];
	double high = table->high[total];
	double need = table->need_high[total];
	uint8_t role = table->role[total];
	SdcSuppression result;

	table->role[total] = SDC_CELL_UNSAFE;
	table->need_high[total] = table->high[total] = 1e6;
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(!result.found && result.unmet == total && !result.undecided &&
				   result.work < 1e3,
			   "a total that cannot be protected is named, work %.0f",
			   result.work);
	table->role[total] = role;
	table->need_high[total] = need;
	table->high[total] = high;
}

/*
 * A total whose need is more than a few of its parts can move takes programs
 * that grow.  Where the cheapest movement may take no work any is taken, and
 * protects; where that may take none either, the total is given up.
 */
static void
check_given_up(SdcTabular *table)
{
	SdcSuppressionOptions options = {0};
	bool *hidden = sdc_new(unit_host(), bool, table->cells);
	int32_t total = table->member[table->start[0]];
	double high = table->high[total];
	double need = table->need_high[total];
	uint8_t role = table->role[total];
	SdcSuppression result;
	double cost;
	int64_t e;

	table->whole = false;
	table->role[total] = SDC_CELL_UNSAFE;
	table->need_high[total] = 0;
	for (e = table->start[0] + 1; e < table->start[1]; e++)
		table->need_high[total] += 0.5 * table->high[table->member[e]];
	table->high[total] = fmax(high, table->need_high[total]);
	result = sdc_suppression_run(table, &options, hidden);
	cost = result.cost;
	unit_check(result.found, "a need of several parts is met for %.0f", cost);
	options.each_work = 1;
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(result.found && result.cost > cost && plain_safe(table, hidden),
			   "without work for the cheapest movement it is met for %.0f",
			   result.cost);
	options.any_work = 1;
	result = sdc_suppression_run(table, &options, hidden);
	unit_check(!result.found && result.undecided && result.unmet == total,
			   "without work for any cell %d is given up, not said to be "
			   "impossible",
			   result.unmet);
	table->role[total] = role;
	table->need_high[total] = need;
	table->high[total] = high;
	table->whole = true;
}

/* Counts by three keys, so many that boxes are taken, across groups. */
static void
check_boxes(void)
{
	SdcSuppressionOptions options = {0};
	SdcCubeDimension dimension[3];
	SdcRandom random;
	SdcTabular *table;
	bool *hidden;
	bool found;
	int unsafe = 0;
	int32_t i;

	sdc_random_seed(&random, 3, 22);
	dimension[0] = random_dimension(&random, 9, true);
	dimension[1] = random_dimension(&random, 10, true);
	dimension[2] = random_dimension(&random, 10, true);
	table = random_table(&random, dimension, 3, 4500, false);
	check_free_boxes(table);
	check_stuck(table);
	check_given_up(table);
	hidden = sdc_new(unit_host(), bool, table->cells);
	found = sdc_suppression_run(table, &options, hidden).found;
	for (i = 0; i < table->cells; i++)
		unsafe += table->role[i] == SDC_CELL_UNSAFE;
	/* the plain attack on so many cells: who knows no whole values */
	table->whole = false;
	unit_check(unsafe > 10 && found && plain_safe(table, hidden),
			   "%d unsafe counts by three keys are protected in %d cells",
			   unsafe, table->cells);
}

/*
 * Two rows and two columns: the first row has 3 more, the second none.  Where
 * the 3 are is not known until the first column is known to have them.
 */
static void
check_guess(void)
{
	static const int64_t start[] = {0, 3, 6, 9, 12, 15, 18};
	static const int32_t member[] = {4, 0, 1, 5, 2, 3, 6, 0, 2,
									 7, 1, 3, 8, 4, 5, 8, 6, 7};
	SdcTabular *table = sdc_tabular_create(unit_host(), 9, 6, start, member);
	double change[9] = {NAN, NAN, NAN, NAN, 3, 0, NAN, NAN, 3};

	sdc_tabular_guess(table, change);
	unit_check(change[2] == 0 && change[3] == 0 && isnan(change[0]) &&
				   isnan(change[1]) && isnan(change[6]),
			   "parts of what has not changed are taken not to have changed");
	change[6] = 3;
	sdc_tabular_guess(table, change);
	unit_check(change[0] == 3 && change[1] == 0 && change[7] == 0,
			   "and what follows is found");
}

int
main(void)
{
	/* the solver takes the time, which the sanitizers do not see */
	int tables = unit_sparing() ? 18 : 120;
	RandomAttack attack;

	unit_start("suppression_random");
	attack = attack_random(tables, 1000);
	unit_check(attack.unbalanced == 0, "sums add up");
	unit_check(attack.found > tables / 2 && attack.broken == 0,
			   "%d of %d protected tables fall to a plain attack",
			   attack.broken, attack.found);
	unit_check(attack.missed == 0,
			   "%d tables that can be protected have no pattern",
			   attack.missed);
	check_whole_tables(unit_sparing() ? 12 : 60);
	check_linked(unit_sparing() ? 8 : 40);
	check_boxes();
	check_guess();
	return unit_finish();
}
