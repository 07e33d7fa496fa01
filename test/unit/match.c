/*
 * match.c
 *		One-to-one linkage on candidate lists, against trying everything, the
 *		dense assignment, and exact probabilities.
 */
#include "unit.h"

#include "kernel/base/random.h"
#include "kernel/intruder/match.h"

#include <math.h>
#include <string.h>

#define ROWS    6
#define COLUMNS 6
#define LARGE   60

static SdcRandom random_state;

/* Lists with room for all pairs. */
typedef struct Lists
{
	SdcMatchLists lists;
	int64_t first[LARGE + 1];
	int32_t column[LARGE * LARGE];
	float score[LARGE * LARGE];
	float outside[LARGE];
} Lists;

/* Draws lists in which an entry is with that chance. */
static void
draw_lists(Lists *l, int32_t rows, int32_t columns, double share, double scale)
{
	int32_t i;
	int32_t j;

	l->lists = (SdcMatchLists){rows,     columns,    l->first, l->column,
							   l->score, l->outside, NULL};
	l->first[0] = 0;
	for (i = 0; i < rows; i++)
	{
		l->first[i + 1] = l->first[i];
		l->outside[i] = (float) (scale * sdc_random_unit(&random_state) - 1);
		for (j = 0; j < columns; j++)
			if (sdc_random_unit(&random_state) < share)
			{
				l->column[l->first[i + 1]] = j;
				l->score[l->first[i + 1]++] =
					(float) (scale * sdc_random_unit(&random_state));
			}
	}
}

/* The greatest sum of rows from one on, by trying all. */
static double
try_all(const SdcMatchLists *l, int32_t row, unsigned used)
{
	double best;
	int64_t e;

	if (row == l->rows)
		return 0;
	best = (isinf(l->outside[row]) ? -1e4 : l->outside[row]) +
		   try_all(l, row + 1, used);
	for (e = l->first[row]; e < l->first[row + 1]; e++)
		if (!(used >> l->column[e] & 1))
			best =
				fmax(best, l->score[e] +
							   try_all(l, row + 1, used | 1u << l->column[e]));
	return best;
}

/* The sum of an assignment; NaN when it is none. */
static double
total(const SdcMatchLists *l, const int32_t *assigned, const int64_t *entry)
{
	bool used[LARGE] = {false};
	double sum = 0;
	int32_t i;

	for (i = 0; i < l->rows; i++)
	{
		if (assigned[i] < 0)
		{
			sum += isinf(l->outside[i]) ? -1e4 : l->outside[i];
			continue;
		}
		if (used[assigned[i]] || entry[i] < l->first[i] ||
			entry[i] >= l->first[i + 1] || l->column[entry[i]] != assigned[i])
			return NAN;
		used[assigned[i]] = true;
		sum += l->score[entry[i]];
	}
	return sum;
}

static void
check_small(void)
{
	Lists l;
	int32_t assigned[ROWS];
	int64_t entry[ROWS];
	bool exact = true;
	bool near = true;
	int trial;

	for (trial = 0; trial < 1000; trial++)
	{
		double best;
		SdcMatchWork work;

		draw_lists(&l, 1 + (int32_t) sdc_random_below(&random_state, ROWS),
				   1 + (int32_t) sdc_random_below(&random_state, COLUMNS),
				   sdc_random_unit(&random_state), trial % 2 ? 10 : 2);
		if (trial % 3 == 0)
			l.outside[0] = l.outside[l.lists.rows - 1] = -INFINITY;
		best = try_all(&l.lists, 0, 0);
		work = sdc_match_assign(unit_host(), &l.lists, SDC_MATCH_BUDGET,
								assigned, entry);
		exact = exact && work.exact &&
				fabs(total(&l.lists, assigned, entry) - best) < 1e-4;
	}
	for (trial = 0; trial < 300; trial++)
	{
		double sum;

		draw_lists(&l, ROWS, COLUMNS, 0.8, 3);
		/* an exact search looks at more than 20 entries: the auction */
		if (sdc_match_assign(unit_host(), &l.lists, 20, assigned, entry).exact)
			continue;
		sum = total(&l.lists, assigned, entry);
		near = near && sum <= try_all(&l.lists, 0, 0) + 1e-4 &&
			   sum >= try_all(&l.lists, 0, 0) - ROWS * 0.05 - 1e-4;
	}
	unit_check(exact, "1000 small problems: the best of all assignments");
	unit_check(near, "the auction is within .05 a row of it");
	unit_release_all();
}

/*
 * The dense assignment of least cost, by shortest augmenting paths over all
 * columns: slow, and without lists.
 */
static void
assign_dense(const double *cost, int32_t *assigned)
{
	double u[LARGE + 1] = {0};
	double v[LARGE + 1] = {0};
	int owner[LARGE + 1] = {0};
	int way[LARGE + 1];
	int i;
	int j;

	for (i = 1; i <= LARGE; i++)
	{
		double least[LARGE + 1];
		bool used[LARGE + 1] = {false};
		int at = 0;

		for (j = 0; j <= LARGE; j++)
			least[j] = INFINITY;
		owner[0] = i;
		do
		{
			double delta = INFINITY;
			int next = 0;

			used[at] = true;
			for (j = 1; j <= LARGE; j++)
			{
				int row = owner[at];
				double reduced;

				if (used[j])
					continue;
				reduced = cost[(row - 1) * LARGE + j - 1] - u[row] - v[j];
				if (reduced < least[j])
				{
					least[j] = reduced;
					way[j] = at;
				}
				if (least[j] < delta)
				{
					delta = least[j];
					next = j;
				}
			}
			for (j = 0; j <= LARGE; j++)
				if (used[j])
				{
					u[owner[j]] += delta;
					v[j] -= delta;
				}
				else
					least[j] -= delta;
			at = next;
		} while (owner[at] != 0);
		for (; at != 0; at = way[at])
			owner[at] = owner[way[at]];
	}
	for (j = 1; j <= LARGE; j++)
		assigned[owner[j] - 1] = j - 1;
}

static void
check_dense(void)
{
	static Lists l;
	double cost[LARGE * LARGE];
	int32_t assigned[LARGE];
	int32_t dense[LARGE];
	int64_t entry[LARGE];
	bool same = true;
	int trial;

	for (trial = 0; trial < 10; trial++)
	{
		double least = 0;
		double sum = 0;
		int32_t i;

		draw_lists(&l, LARGE, LARGE, 1, trial < 5 ? 1 : 1000);
		for (i = 0; i < LARGE * LARGE; i++)
			cost[i] = -(double) l.score[i];
		for (i = 0; i < LARGE; i++)
			l.outside[i] = -INFINITY;
		assign_dense(cost, dense);
		sdc_match_assign(unit_host(), &l.lists, SDC_MATCH_BUDGET, assigned,
						 entry);
		for (i = 0; i < LARGE; i++)
		{
			least += cost[i * LARGE + dense[i]];
			sum += cost[i * LARGE + assigned[i]];
		}
		same = same && !isnan(total(&l.lists, assigned, entry)) &&
			   fabs(sum - least) < 1e-6 * (1 + fabs(least));
	}
	unit_check(same, "full lists: as cheap as the dense assignment");
	unit_release_all();
}

/* Sums of weights over all assignments, by entry and in all. */
static double
enumerate(const SdcMatchLists *l, const float *spare, int32_t row,
		  unsigned used, double weight, double *sum)
{
	double all = 0;
	int64_t e;
	int32_t j;

	if (row == l->rows)
	{
		for (j = 0; j < l->columns; j++)
			if (!(used >> j & 1))
				weight *= spare[j];
		return weight;
	}
	all =
		enumerate(l, spare, row + 1, used, weight * exp(l->outside[row]), sum);
	for (e = l->first[row]; e < l->first[row + 1]; e++)
		if (!(used >> l->column[e] & 1))
		{
			double part =
				enumerate(l, spare, row + 1, used | 1u << l->column[e],
						  weight * exp(l->score[e]), sum);

			sum[e] += part;
			all += part;
		}
	return all;
}

/* Adds entries as long as the graph stays a tree. */
static void
draw_tree(Lists *l)
{
	int part[ROWS + COLUMNS];
	int32_t i;
	int32_t j;
	int k;

	draw_lists(l, ROWS, COLUMNS, 0, 3);
	for (k = 0; k < ROWS + COLUMNS; k++)
		part[k] = k;
	for (i = 0; i < ROWS; i++)
	{
		l->first[i + 1] = l->first[i];
		for (j = 0; j < COLUMNS; j++)
		{
			int from = part[ROWS + j];

			if (part[i] == from || sdc_random_unit(&random_state) < 0.5)
				continue;
			for (k = 0; k < ROWS + COLUMNS; k++)
				if (part[k] == from)
					part[k] = part[i];
			l->column[l->first[i + 1]] = j;
			l->score[l->first[i + 1]++] =
				(float) (3 * sdc_random_unit(&random_state));
		}
	}
}

static void
check_belief(bool tree, double tolerance, double mean, const char *what)
{
	Lists l;
	float chance[ROWS * COLUMNS];
	float inside[ROWS];
	float spare[COLUMNS];
	double worst = 0;
	double off = 0;
	double cells = 0;
	int trial;

	for (trial = 0; trial < 300; trial++)
	{
		SdcMatchBelief belief = {1, NULL, 500};
		double sum[ROWS * COLUMNS] = {0};
		double all;
		int32_t i;
		int64_t e;

		if (tree)
			draw_tree(&l);
		else
			draw_lists(&l, ROWS, COLUMNS, 0.5, 3);
		for (i = 0; i < COLUMNS; i++)
			spare[i] = trial % 2 ? 1 : (float) (0.1 + 0.3 * i);
		if (trial % 2 == 0)
			belief.free_column = spare;
		all = enumerate(&l.lists, spare, 0, 0, 1, sum);
		sdc_match_belief(unit_host(), &l.lists, &belief, chance, inside);
		for (i = 0; i < ROWS; i++)
		{
			double in = 0;

			for (e = l.first[i]; e < l.first[i + 1]; e++)
			{
				in += sum[e] / all;
				worst = fmax(worst, fabs(sum[e] / all - chance[e]));
				off += fabs(sum[e] / all - chance[e]);
				cells++;
			}
			worst = fmax(worst, fabs(in - inside[i]));
		}
	}
	unit_check(worst < tolerance && off / cells < mean,
			   "%s: chances off by %.4f at most, %.5f in the mean", what,
			   worst, off / cells);
	unit_release_all();
}

/* Two persons, two records, odds of 2 to 1: messages end in certainty. */
static void
check_pair(void)
{
	Lists l;
	float chance[4];
	float inside[2];
	SdcMatchBelief belief = {0, NULL, 200};

	draw_lists(&l, 2, 2, 1, 1);
	l.outside[0] = l.outside[1] = -60;
	l.score[0] = l.column[0] == 0 ? logf(2) : 0;
	l.score[1] = l.column[1] == 0 ? logf(2) : 0;
	l.score[2] = l.score[3] = 0;
	sdc_match_belief(unit_host(), &l.lists, &belief, chance, inside);
	unit_check(fabsf(chance[l.column[0] == 0 ? 0 : 1] - 2 / 3.0f) < 1e-3f,
			   "a pair with odds of 2 to 1: %.4f and %.4f", chance[0],
			   chance[1]);
	unit_release_all();
}

static void
check_edges(void)
{
	Lists l;
	int32_t assigned[2] = {5, 5};
	float chance[2];
	float inside[2] = {5, 5};
	SdcMatchBelief belief = {0, NULL, 200};

	draw_lists(&l, 2, 1, 0, 1);
	sdc_match_assign(unit_host(), &l.lists, 10, assigned, NULL);
	sdc_match_belief(unit_host(), &l.lists, &belief, chance, inside);
	unit_check(assigned[0] == -1 && assigned[1] == -1 && inside[0] == 0,
			   "empty lists: nobody has a record");
	draw_lists(&l, 2, 1, 1, 1);
	l.outside[0] = l.outside[1] = -60;
	l.score[0] = l.score[1] = 1;
	sdc_match_belief(unit_host(), &l.lists, &belief, chance, inside);
	unit_check(fabsf(chance[0] - 0.5f) < 0.01f &&
				   fabsf(chance[1] - 0.5f) < 0.01f,
			   "two persons alike and one record: half each (%.3f, %.3f)",
			   chance[0], chance[1]);
	sdc_match_alone(unit_host(), &l.lists, chance, inside);
	unit_check(chance[0] > 0.99f && inside[1] > 0.99f,
			   "each by himself is sure of it");
	unit_release_all();
}

int
main(void)
{
	unit_start("one-to-one linkage on lists");
	sdc_random_seed(&random_state, 5, 2);
	check_small();
	check_dense();
	check_belief(true, 0.005, 0.0005, "trees");
	check_belief(false, 0.05, 0.002, "graphs with cycles");
	check_pair();
	check_edges();
	return unit_finish();
}
