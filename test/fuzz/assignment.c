/*
 * assignment.c
 *		One-to-one linkage against trying every assignment.
 */
#include "fuzz.h"

#include <math.h>

#include "kernel/linkage/link_assignment.h"

#define ASSIGNMENT_MOST 7

static double assignment_cost[ASSIGNMENT_MOST][ASSIGNMENT_MOST];

/* All records of a person, the cheapest first. */
static int32_t
assignment_list(void *arg, const SdcLinkOrder *order, int32_t person,
				int32_t most, int32_t *place, double *cost)
{
	int32_t row = order->person[person];
	int32_t count = 0;
	int32_t i;
	int32_t j;

	(void) arg;
	for (i = 0; i < order->records; i++)
	{
		double c = assignment_cost[row][order->record[i]];

		if (!isfinite(c))
			continue;
		for (j = count; j > 0 && cost[j - 1] > c; j--)
			if (j < most)
			{
				place[j] = place[j - 1];
				cost[j] = cost[j - 1];
			}
		if (j < most)
		{
			place[j] = i;
			cost[j] = c;
			if (count < most)
				count++;
		}
	}
	return count;
}

/* The most pairs that rows from row on can have, and their least cost. */
static void
assignment_try(int rows, int columns, int row, unsigned used, int pairs,
			   double cost, int *best_pairs, double *best_cost)
{
	int c;

	if (row == rows)
	{
		if (pairs > *best_pairs || (pairs == *best_pairs && cost < *best_cost))
		{
			*best_pairs = pairs;
			*best_cost = cost;
		}
		return;
	}
	for (c = 0; c < columns; c++)
		if (!(used >> c & 1) && isfinite(assignment_cost[row][c]))
			assignment_try(rows, columns, row + 1, used | 1u << c, pairs + 1,
						   cost + assignment_cost[row][c], best_pairs,
						   best_cost);
	assignment_try(rows, columns, row + 1, used, pairs, cost, best_pairs,
				   best_cost);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes bytes = {data, size};
	SdcLinkSides sides;
	int32_t point[2][ASSIGNMENT_MOST];
	SdcLinkAssignment assigned;
	int best_pairs = 0;
	double best_cost = 0;
	int pairs = 0;
	double cost = 0;
	unsigned used = 0;
	int i;
	int j;

	for (i = 0; i < 2; i++)
	{
		sides.rows[i] = 1 + fuzz_byte(&bytes) % ASSIGNMENT_MOST;
		sides.point[i] = point[i];
		for (j = 0; j < sides.rows[i]; j++)
			point[i][j] = fuzz_byte(&bytes) % 8 == 7 ? -1 : j;
	}
	for (i = 0; i < sides.rows[0]; i++)
		for (j = 0; j < sides.rows[1]; j++)
			assignment_cost[i][j] = point[0][i] < 0 || point[1][j] < 0
										? INFINITY
										: (double) (int8_t) fuzz_byte(&bytes);
	sides.list = assignment_list;
	sides.arg = NULL;
	assigned = sdc_link_assign_lists(unit_host(), &sides, size);
	for (i = 0; i < sides.rows[0]; i++)
	{
		int32_t to = assigned.row[i];

		if (to < 0)
			continue;
		fuzz_check(to < sides.rows[1] && !(used >> to & 1) &&
					   assigned.cost[i] == assignment_cost[i][to],
				   "nobody is linked twice");
		used |= 1u << to;
		pairs++;
		cost += assigned.cost[i];
	}
	assignment_try(sides.rows[0], sides.rows[1], 0, 0, 0, 0, &best_pairs,
				   &best_cost);
	fuzz_check(!assigned.exact ||
				   (pairs == best_pairs && fabs(cost - best_cost) < 1e-9),
			   "as many as can be, at the least cost");
	unit_release_all();
	return 0;
}
