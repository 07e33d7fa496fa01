/*
 * table_distance.c
 *		Distances of tables: EX-CT, and all cells of a cross table one by one.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/table/frequency.h"
#include "kernel/utility/loss.h"

#define VALUES 4

static SdcFrequency *
count_cells(const int (*cells)[3], int n, const int32_t *values)
{
	SdcFrequencyCount *counting = sdc_frequency_start(unit_host(), 2, false);
	int i;

	for (i = 0; i < n; i++)
	{
		int32_t codes[] = {cells[i][0], cells[i][1]};

		if (cells[i][2] > 0)
			sdc_frequency_add(counting, codes, cells[i][2], 0);
	}
	return sdc_frequency_finish(counting, NULL, values, NULL);
}

static void
check_published(void)
{
	const int n[][3] = {{0, 1, 200}, {0, 2, 11},  {0, 3, 10},  {0, 4, 5},
						{1, 1, 18},  {1, 2, 5},   {1, 3, 65},  {1, 4, 200},
						{2, 1, 60},  {2, 2, 100}, {2, 3, 100}, {2, 4, 40}};
	const int m[][3] = {{0, 1, 205}, {0, 2, 8},  {0, 3, 9},  {0, 4, 7},
						{1, 1, 19},  {1, 2, 8},  {1, 3, 66}, {1, 4, 201},
						{2, 1, 59},  {2, 2, 97}, {2, 3, 98}, {2, 4, 40}};
	const int32_t values[] = {3, 5};
	SdcTableDistance d =
		sdc_table_distance_measure(unit_host(), count_cells(n, 12, values),
								   count_cells(m, 12, values), 0);

	unit_check(d.l1 == 23 && d.max == 5 && d.original == 814 &&
				   d.masked == 817,
			   "EX-CT-1: L1 %g, max %g", d.l1, d.max);
	unit_check(fabs(d.hellinger - 0.023059) < 5e-7, "EX-CT-2: %.6f",
			   d.hellinger);
	unit_check(fabs(d.kl - 0.002078) < 5e-7, "EX-CT-3: %.6f", d.kl);
	unit_check(fabs(d.tv - 0.013688) < 5e-7, "EX-CT-4: %.6f", d.tv);
	d = sdc_table_distance_measure(unit_host(), count_cells(n, 12, values),
								   count_cells(n, 12, values), 0.5);
	unit_check(d.l1 == 0 && d.hellinger == 0 && d.kl == 0 && d.tv == 0 &&
				   d.absroot == 0 && d.relative == 0,
			   "a table is no distance from itself");
}

/* All cells of the cross table, empty ones, too, against the sums. */
static void
check_cells(uint64_t seed, double smoothing)
{
	const int32_t values[] = {VALUES, VALUES};
	int n[25][3];
	int m[25][3];
	double total[2] = {0, 0};
	double l1 = 0;
	double absroot = 0;
	double kl = 0;
	double relative = 0;
	int nonzero = 0;
	int zeros[2] = {0, 0};
	SdcTableDistance d;
	SdcRandom random;
	int i;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < 25; i++)
	{
		n[i][0] = m[i][0] = i / 5 - 1;
		n[i][1] = m[i][1] = i % 5 - 1;
		n[i][2] = (int) sdc_random_below(&random, 4);
		/* cells that are empty in both, and a NULL in both columns */
		m[i][2] = i % 3 == 1 ? 0 : (int) sdc_random_below(&random, 4);
		n[i][2] = i % 3 == 1 ? (i == 4) : n[i][2];
		total[0] += n[i][2];
		total[1] += m[i][2];
	}
	for (i = 0; i < 25; i++)
	{
		double p = (n[i][2] + smoothing) / (total[0] + 25 * smoothing);
		double q = (m[i][2] + smoothing) / (total[1] + 25 * smoothing);

		l1 += abs(n[i][2] - m[i][2]);
		absroot += fabs(sqrt(n[i][2]) - sqrt(m[i][2])) / 25;
		kl += p > 0 ? p * log(p / q) : 0;
		nonzero += n[i][2] > 0;
		relative +=
			n[i][2] > 0 ? (double) abs(n[i][2] - m[i][2]) / n[i][2] : 0;
		zeros[0] += n[i][2] > 0 && m[i][2] == 0;
		zeros[1] += n[i][2] == 0 && m[i][2] > 0;
	}
	d = sdc_table_distance_measure(unit_host(), count_cells(n, 25, values),
								   count_cells(m, 25, values), smoothing);
	unit_check(d.cells == 25 && d.l1 == l1 && d.mean == l1 / 25 &&
				   fabs(d.absroot - absroot) < 1e-14 &&
				   fabs(d.relative - relative / nonzero) < 1e-14 &&
				   d.false_zeros == zeros[0] && d.false_nonzeros == zeros[1],
			   "%d false zeros, %d false others", zeros[0], zeros[1]);
	unit_check(smoothing > 0 ? fabs(d.kl - kl) < 1e-14
							 : d.kl == INFINITY && zeros[0] > 0,
			   "divergence %g with %g added", d.kl, smoothing);
}

static void
check_empty(void)
{
	const int n[][3] = {{0, 0, 3}};
	const int32_t values[] = {1, 1};
	SdcFrequency *none = count_cells(n, 0, values);
	SdcFrequency *some = count_cells(n, 1, values);
	SdcTableDistance d =
		sdc_table_distance_measure(unit_host(), some, none, 0);

	unit_check(d.l1 == 3 && isnan(d.tv) && isnan(d.hellinger) && isnan(d.kl) &&
				   d.relative == 1,
			   "an empty table has no shares");
}

/* Half of the cells are empty, a tenth have thousands. */
static int
draw_count(SdcRandom *random)
{
	double u = sdc_random_unit(random);

	return u < 0.5   ? 0
		   : u < 0.9 ? (int) (1000 * (u - 0.5))
					 : (int) (90000 * u);
}

/*
 * Counts cell by cell give the bits of the sorted cells, and so do shares that
 * are looked up; small and large counts, many cells without any.
 */
static void
check_counts(uint64_t seed)
{
	const int32_t values[] = {40, 30};
	SdcRandom random;
	SdcCellCounts *cell = malloc(sizeof(SdcCellCounts) * 1200);
	SdcCellCounts *again = malloc(sizeof(SdcCellCounts) * 1200);
	int n[1200][3];
	int m[1200][3];
	SdcTableDistance d[3];
	bool left = false;
	int i;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < 1200; i++)
	{
		n[i][0] = m[i][0] = i / 30;
		n[i][1] = m[i][1] = i % 30;
		n[i][2] = draw_count(&random);
		m[i][2] = draw_count(&random);
		cell[i] = again[i] = (SdcCellCounts){{n[i][2], m[i][2]}};
	}
	d[0] =
		sdc_table_distance_measure(unit_host(), count_cells(n, 1200, values),
								   count_cells(m, 1200, values), 0.5);
	d[1] = sdc_table_distance_counts(unit_host(), cell, 1200, 1200,
									 d[0].original, d[0].masked, 0.5);
	d[2] = sdc_table_distance_shares(
		unit_host(),
		sdc_table_shares_new(unit_host(), d[0].original, d[0].masked), again,
		1200, 1200);
	unit_check(memcmp(&d[0], &d[1], sizeof(d[0])) == 0, "by counts");
	unit_check(d[0].hellinger == d[2].hellinger && d[0].tv == d[2].tv &&
				   d[0].hellinger > 0,
			   "by shares: %g", d[2].hellinger);
	for (i = 0; i < 1200; i++)
		left |= cell[i].count[0] > 0 || cell[i].count[1] > 0 ||
				again[i].count[0] > 0 || again[i].count[1] > 0;
	unit_check(!left, "counts are left 0");
	free(cell);
	free(again);
}

int
main(void)
{
	unit_start("table_distance");
	check_counts(1);
	check_published();
	check_cells(1, 0);
	check_cells(2, 0.5);
	check_empty();
	return unit_finish();
}
