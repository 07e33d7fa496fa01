/*
 * table_distance.c
 *		How far two tables of counts are apart.
 *
 * Cells that are empty in both tables add nothing to any sum but that of the
 * smoothed divergence, where they all add the same; so only their number is
 * needed, and the cross table is never built.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"
#include "kernel/utility/table_distance.h"

/* libm: log; measures are no masks. */

struct SdcTableSums
{
	SdcTableDistance distance;
	double smoothing;
	double filled;   /* cells added */
	double original; /* cells with n > 0 */
	double squares;  /* of differences of roots of shares */
};

SdcTableSums *
sdc_table_distance_start(SdcHost *host, double cells, double original,
						 double masked, double smoothing)
{
	SdcTableSums *sums = sdc_new(host, SdcTableSums, 1);

	memset(sums, 0, sizeof(*sums));
	sums->distance.cells = cells;
	sums->distance.original = original;
	sums->distance.masked = masked;
	sums->smoothing = smoothing;
	return sums;
}

/* What a cell of such counts adds to the divergence. */
static double
diverge(const SdcTableSums *sums, double n, double m)
{
	const SdcTableDistance *distance = &sums->distance;
	double added = sums->smoothing * distance->cells;
	double p = (n + sums->smoothing) / (distance->original + added);
	double q = (m + sums->smoothing) / (distance->masked + added);

	if (p == 0)
		return 0;
	return q == 0 ? INFINITY : p * log(p / q);
}

void
sdc_table_distance_add(SdcTableSums *sums, double n, double m)
{
	SdcTableDistance *distance = &sums->distance;
	double difference = fabs(n - m);
	double p = n / distance->original;
	double q = m / distance->masked;
	double root = sqrt(p) - sqrt(q);

	sums->filled++;
	distance->l1 += difference;
	distance->max = fmax(distance->max, difference);
	distance->tv += fabs(p - q) / 2;
	distance->absroot += fabs(sqrt(n) - sqrt(m));
	sums->squares += root * root;
	distance->kl += diverge(sums, n, m);
	if (n > 0)
	{
		sums->original++;
		distance->relative += difference / n;
		distance->false_zeros += m == 0;
	}
	else
		distance->false_nonzeros += m > 0;
}

SdcTableDistance
sdc_table_distance_finish(SdcHost *host, SdcTableSums *sums)
{
	SdcTableDistance distance = sums->distance;
	double empty = distance.cells - sums->filled;

	if (sums->smoothing > 0 && empty > 0)
		distance.kl += empty * diverge(sums, 0, 0);
	/* rounding must not make it negative */
	distance.kl = distance.kl < 0 ? 0 : distance.kl;
	distance.mean = distance.cells > 0 ? distance.l1 / distance.cells : NAN;
	distance.absroot =
		distance.cells > 0 ? distance.absroot / distance.cells : NAN;
	distance.relative =
		sums->original > 0 ? distance.relative / sums->original : NAN;
	distance.hellinger = sqrt(sums->squares / 2);
	if (distance.original == 0 || distance.masked == 0)
		distance.hellinger = distance.kl = distance.tv = NAN;
	host->release(host, sums);
	return distance;
}

/* Values of a column in either table, NULL being one where it occurs. */
static double
count_values(const SdcFrequency *a, const SdcFrequency *b, int j)
{
	int32_t values = a->values[j] > b->values[j] ? a->values[j] : b->values[j];
	int32_t i;

	for (i = 0; i < a->cells; i++)
		if (a->code[j][i] == SDC_CODE_NULL)
			return values + 1.0;
	for (i = 0; i < b->cells; i++)
		if (b->code[j][i] == SDC_CODE_NULL)
			return values + 1.0;
	return values;
}

/* Order of two cells, as cells are sorted: NULL last. */
static int
compare_cells(const SdcFrequency *a, int32_t x, const SdcFrequency *b,
			  int32_t y)
{
	int j;

	for (j = 0; j < a->columns; j++)
	{
		uint32_t p = (uint32_t) a->code[j][x];
		uint32_t q = (uint32_t) b->code[j][y];

		if (p != q)
			return p < q ? -1 : 1;
	}
	return 0;
}

SdcTableDistance
sdc_table_distance_measure(SdcHost *host, const SdcFrequency *original,
						   const SdcFrequency *masked, double smoothing)
{
	double cells = 1;
	SdcTableSums *sums;
	int32_t x = 0;
	int32_t y = 0;
	int j;

	for (j = 0; j < original->columns; j++)
		cells *= count_values(original, masked, j);
	sums = sdc_table_distance_start(host, cells, (double) original->records,
									(double) masked->records, smoothing);
	while (x < original->cells || y < masked->cells)
	{
		int order = x == original->cells ? 1
					: y == masked->cells
						? -1
						: compare_cells(original, x, masked, y);

		if ((x + y) % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sdc_table_distance_add(sums,
							   order <= 0 ? (double) original->count[x] : 0,
							   order >= 0 ? (double) masked->count[y] : 0);
		x += order <= 0;
		y += order >= 0;
	}
	return sdc_table_distance_finish(host, sums);
}
