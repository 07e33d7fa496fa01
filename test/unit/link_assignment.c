/*
 * link_assignment.c
 *		One-to-one linkage against all assignments, and against every way to
 *		improve a large one.
 */
#include "unit.h"

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/linkage/link_assignment.h"

#include <math.h>
#include <stdlib.h>

#define LARGE 60

static SdcRandom random_state;

/* The least sum of assigning rows from row on, by trying all. */
static double
try_all(const double *cost, int rows, int columns, int row, unsigned used,
		int skips)
{
	double best = INFINITY;
	int c;

	if (row == rows)
		return 0;
	for (c = 0; c < columns; c++)
		if (!(used >> c & 1))
			best = fmin(best, cost[row * columns + c] +
								  try_all(cost, rows, columns, row + 1,
										  used | 1u << c, skips));
	if (skips > 0)
		best =
			fmin(best, try_all(cost, rows, columns, row + 1, used, skips - 1));
	return best;
}

static double *
draw_costs(int rows, int columns, uint64_t values)
{
	double *cost = sdc_new(unit_host(), double, (size_t) (rows * columns));
	int i;

	for (i = 0; i < rows * columns; i++)
		cost[i] = (double) sdc_random_below(&random_state, values) - 3;
	return cost;
}

/* The sum of an assignment; NaN when it is none. */
static double
total(const double *cost, int rows, int columns, const int32_t *assigned)
{
	unsigned char used[LARGE * 2] = {0};
	double sum = 0;
	int count = 0;
	int i;

	for (i = 0; i < rows; i++)
	{
		if (assigned[i] < 0)
			continue;
		if (assigned[i] >= columns || used[assigned[i]]++)
			return NAN;
		sum += cost[i * columns + assigned[i]];
		count++;
	}
	return count == (rows < columns ? rows : columns) ? sum : NAN;
}

static void
check_small(void)
{
	bool same = true;
	int trial;

	for (trial = 0; trial < 600; trial++)
	{
		int rows = 1 + (int) sdc_random_below(&random_state, 6);
		int columns = 1 + (int) sdc_random_below(&random_state, 6);
		double *cost = draw_costs(rows, columns, trial % 2 ? 6 : 1000);
		int32_t assigned[6];

		sdc_link_assignment_solve(unit_host(), cost, rows, columns, assigned);
		same = same && total(cost, rows, columns, assigned) ==
						   try_all(cost, rows, columns, 0, 0,
								   rows > columns ? rows - columns : 0);
	}
	unit_check(same, "600 small problems: the least of all assignments");
	unit_release_all();
}

/*
 * An assignment is the cheapest when no cycle of changes, and no path to a
 * free column, makes it cheaper.
 */
static bool
can_improve(const double *cost, int rows, int columns, const int32_t *assigned)
{
	double *change =
		sdc_new(unit_host(), double, (size_t) (columns * columns));
	bool taken[LARGE * 2] = {false};
	bool better = false;
	int i;
	int j;
	int k;

	for (i = 0; i < columns * columns; i++)
		change[i] = INFINITY;
	for (i = 0; i < rows; i++)
	{
		taken[assigned[i]] = true;
		for (j = 0; j < columns; j++)
			change[assigned[i] * columns + j] =
				cost[i * columns + j] - cost[i * columns + assigned[i]];
	}
	for (k = 0; k < columns; k++)
		for (i = 0; i < columns; i++)
			for (j = 0; j < columns; j++)
				change[i * columns + j] =
					fmin(change[i * columns + j],
						 change[i * columns + k] + change[k * columns + j]);
	for (i = 0; i < columns; i++)
		for (j = 0; j < columns; j++)
			better = better || (change[i * columns + j] < -1e-9 &&
								(i == j || (taken[i] && !taken[j])));
	return better;
}

static void
check_large(void)
{
	int32_t assigned[LARGE];
	bool valid = true;
	bool best = true;
	int trial;

	for (trial = 0; trial < 6; trial++)
	{
		int columns = LARGE + (trial % 2) * 30;
		double *cost = draw_costs(LARGE, columns, trial < 3 ? 20 : 1000000);

		sdc_link_assignment_solve(unit_host(), cost, LARGE, columns, assigned);
		valid = valid && !isnan(total(cost, LARGE, columns, assigned));
		best = best && !can_improve(cost, LARGE, columns, assigned);
		/* the check itself must be able to fail */
		if (trial == 5)
		{
			int32_t first = assigned[0];

			assigned[0] = assigned[1];
			assigned[1] = first;
			unit_check(can_improve(cost, LARGE, columns, assigned),
					   "exchanged links can be improved");
		}
	}
	unit_check(valid, "each row has a column of its own");
	unit_check(best, "nothing makes a large assignment cheaper");
	unit_release_all();
}

static void
check_edges(void)
{
	double one[] = {7};
	int32_t assigned[3] = {5, 5, 5};

	sdc_link_assignment_solve(unit_host(), one, 1, 1, assigned);
	unit_check(assigned[0] == 0, "one row and one column");
	sdc_link_assignment_solve(unit_host(), one, 3, 0, assigned);
	unit_check(assigned[0] == -1 && assigned[2] == -1, "no column at all");
	unit_release_all();
}

int
main(void)
{
	unit_start("one-to-one linkage");
	sdc_random_seed(&random_state, 5, 2);
	check_small();
	check_large();
	check_edges();
	return unit_finish();
}
