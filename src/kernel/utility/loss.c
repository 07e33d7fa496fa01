/*
 * loss.c
 *		What masking changed: records of mixed columns pair by pair, and
 *		contingency tables.
 *
 * The order itself means nothing, so instead of sorting by one column after
 * the other, rows are sorted once by a digest of all of them.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/linear/moments.h"
#include "kernel/linear/square.h"
#include "kernel/table/frequency.h"
#include "kernel/utility/loss.h"

/* ----------------------------------------------------------------------
 * Intervals of numbers with about equally many values each.
 *
 * A cut is a value that occurs: the one whose rank a new interval begins at.
 * Ranks that fall on one value give one cut.
 * ----------------------------------------------------------------------
 */

/* Cuts between all different values; more than most is too many. */
static int32_t
cut_all(const double *x, size_t rows, int32_t most, double *cut)
{
	int32_t cuts = 0;
	size_t i;

	for (i = 1; i < rows; i++)
		if (x[i] > x[i - 1])
		{
			if (cuts == most)
				return most + 1;
			cut[cuts++] = x[i];
		}
	return cuts;
}

int32_t
sdc_bins_cut(const double *x, size_t rows, int32_t bins, double *cut)
{
	int32_t cuts = cut_all(x, rows, bins - 1, cut);
	int32_t b;

	if (cuts < bins)
		return cuts;
	cuts = 0;
	for (b = 1; b < bins; b++)
	{
		double value = x[(size_t) ((double) rows * b / bins)];

		if (value > (cuts > 0 ? cut[cuts - 1] : x[0]))
			cut[cuts++] = value;
	}
	return cuts;
}

int32_t
sdc_bins_find(const double *cut, int32_t cuts, double x)
{
	return (int32_t) sdc_sort_up_to(cut, (size_t) cuts, x);
}

double *
sdc_bins_sort(SdcHost *host, const double *x, size_t rows, size_t *count)
{
	uint64_t *key = sdc_new(host, uint64_t, rows);
	int32_t *row = sdc_new(host, int32_t, rows);
	double *sorted = sdc_new(host, double, rows);
	size_t n = (size_t) sdc_sort_numbers(host, x, (int32_t) rows, key, row);
	size_t i;

	for (i = 0; i < n; i++)
		sorted[i] = x[row[i]];
	host->release(host, key);
	host->release(host, row);
	*count = n;
	return sorted;
}

/* ----------------------------------------------------------------------
 * What masking does to the structure of a correlation matrix.
 *
 * Of its eigenvalues, and of the diagonal of its inverse.
 * ----------------------------------------------------------------------
 */

/* Eigenvalues and pivots this small, beside ones, are zero. */
#define ZERO 1e-10

/* Eigenvalues in descending order. */
static double *
find_eigenvalues(SdcHost *host, const double *matrix, int d)
{
	size_t elements = (size_t) d * (size_t) d;
	double *work = sdc_new(host, double, elements);
	double *axes = sdc_new(host, double, elements);
	double *value = sdc_new(host, double, d);
	int i;
	int j;

	memcpy(work, matrix, sizeof(double) * elements);
	sdc_square_diagonalize(host, d, work, axes);
	for (i = 0; i < d; i++)
	{
		double next = work[i * d + i];

		for (j = i; j > 0 && value[j - 1] < next; j--)
			value[j] = value[j - 1];
		value[j] = next;
	}
	host->release(host, work);
	host->release(host, axes);
	return value;
}

double
sdc_correlation_loss_eigen(SdcHost *host, const double *original,
						   const double *masked, int d, int *dropped)
{
	double *a = find_eigenvalues(host, original, d);
	double *b = find_eigenvalues(host, masked, d);
	double sum = 0;
	int i;

	*dropped = 0;
	for (i = 0; i < d; i++)
	{
		if (a[i] > ZERO * d)
			sum += fabs(a[i] - b[i]) / a[i];
		else
			++*dropped;
	}
	host->release(host, a);
	host->release(host, b);
	return sum;
}

/* The normalized diagonal of the inverse; false when there is none. */
static bool
find_diagonal(SdcHost *host, const double *matrix, int d, double *diagonal)
{
	size_t elements = (size_t) d * (size_t) d;
	double *work = sdc_new(host, double, elements);
	double *inverse = sdc_new(host, double, elements);
	bool found;
	double squares = 0;
	int i;

	memcpy(work, matrix, sizeof(double) * elements);
	found = sdc_square_invert(d, work, inverse, ZERO);
	for (i = 0; i < d && found; i++)
		squares += inverse[i * d + i] * inverse[i * d + i];
	for (i = 0; i < d && found; i++)
		diagonal[i] = inverse[i * d + i] / sqrt(squares);
	host->release(host, inverse);
	host->release(host, work);
	return found;
}

double
sdc_correlation_loss_inverse(SdcHost *host, const double *original,
							 const double *masked, int d)
{
	double *a = sdc_new(host, double, d);
	double *b = sdc_new(host, double, d);
	double squares = NAN;
	int i;

	if (find_diagonal(host, original, d, a) &&
		find_diagonal(host, masked, d, b))
	{
		squares = 0;
		for (i = 0; i < d; i++)
			squares += (a[i] - b[i]) * (a[i] - b[i]);
	}
	host->release(host, a);
	host->release(host, b);
	return sqrt(squares / 2);
}

/* ----------------------------------------------------------------------
 * How far the masked values of a column are from their originals.
 *
 * Everything is a sum over the pairs; the mean that the total is taken about
 * is found in a pass of its own.
 * ----------------------------------------------------------------------
 */

/* libm: atan; measures are no masks. */

#define TWO_BY_PI 0.63661977236758134308

/* Rows from the one at hand to that whose partner is fetched meanwhile. */
#define AHEAD 24

/* The masked value of a row, NAN when it is missing; rows come in order. */
static inline double
find_partner(const double *masked, const int32_t *partner, size_t rows,
			 size_t i)
{
	if (i + AHEAD < rows && partner[i + AHEAD] >= 0)
		__builtin_prefetch(&masked[partner[i + AHEAD]], 0);
	return partner[i] < 0 ? NAN : masked[partner[i]];
}

/* The mean of the originals whose pairs count, as the moments have it. */
static double
find_mean(SdcHost *host, size_t rows, const double *original,
		  const double *masked, const int32_t *partner)
{
	double mean = 0;
	double count = 0;
	size_t i;

	for (i = 0; i < rows; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!isnan(original[i]) &&
			!isnan(find_partner(masked, partner, rows, i)))
			mean += (original[i] - mean) / ++count;
	}
	return mean;
}

SdcPairLoss
sdc_pair_loss_numbers(SdcHost *host, size_t rows, const double *original,
					  const double *masked, const int32_t *partner,
					  double scale)
{
	double mean = find_mean(host, rows, original, masked, partner);
	SdcPairLoss loss;
	size_t i;

	memset(&loss, 0, sizeof(loss));
	for (i = 0; i < rows; i++)
	{
		double x = original[i];
		double y = find_partner(masked, partner, rows, i);
		double difference = fabs(x - y);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (isnan(difference))
		{
			loss.missing += !isnan(x) && partner[i] >= 0;
			continue;
		}
		loss.pairs++;
		loss.difference += difference;
		loss.squares += difference * difference;
		loss.total += (x - mean) * (x - mean);
		if (difference == 0)
			continue;
		if (x == 0)
			loss.zeros++;
		else
			loss.percent += 100 * difference / fabs(x);
		loss.angle += scale > 0 ? TWO_BY_PI * atan(difference / scale) : 1;
	}
	return loss;
}

double
sdc_pair_loss_il1s(const SdcPairLoss *loss, double deviation)
{
	if (loss->pairs == 0)
		return NAN;
	if (loss->difference == 0)
		return 0;
	if (!(deviation > 0))
		return NAN;
	return loss->difference / (double) loss->pairs / (sqrt(2.0) * deviation);
}

double
sdc_pair_loss_codes(SdcHost *host, size_t rows, const int32_t *original,
					const int32_t *masked, const int32_t *partner,
					int32_t levels, int64_t *pairs)
{
	int64_t ranks = 0;
	int64_t changed = 0;
	size_t i;

	*pairs = 0;
	for (i = 0; i < rows; i++)
	{
		int32_t x = original[i];
		int32_t y;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (partner[i] < 0)
			continue;
		y = masked[partner[i]];
		if (x < 0 && y < 0)
			continue;
		++*pairs;
		if (x == y)
			continue;
		if (levels > 1 && x >= 0 && y >= 0)
			ranks += x > y ? x - y : y - x;
		else
			changed++;
	}
	if (*pairs == 0)
		return NAN;
	return ((double) changed +
			(levels > 1 ? (double) ranks / (levels - 1) : 0)) /
		   (double) *pairs;
}

/* ----------------------------------------------------------------------
 * Records of mixed columns in an order that only their values decide.
 * ----------------------------------------------------------------------
 */

/* An odd number that makes the digest depend on the order of columns. */
#define TURN UINT64_C(0x9e3779b97f4a7c15)

/* The exponent of the greatest finite number, in its place among the bits. */
static uint64_t
unit_of(const double *number, size_t rows)
{
	int exponent = 0;

	frexp(sdc_greatest_size(number, rows), &exponent);
	return (uint64_t) (int64_t) exponent << 52;
}

/* The bits of a number, with the exponent that it has in that unit. */
static uint64_t
bits_of(double x, uint64_t unit)
{
	uint64_t key = sdc_sort_key(x);

	if (isnan(x))
		return TURN;
	if (!isnormal(x))
		return key;
	/* those of negative numbers are turned over */
	return x > 0 ? key - unit : key + unit;
}

void
sdc_record_order_mix(SdcHost *host, const double *number, const int32_t *code,
					 size_t rows, uint64_t *digest)
{
	uint64_t unit = number == NULL ? 0 : unit_of(number, rows);
	size_t i;

	for (i = 0; i < rows; i++)
	{
		uint64_t bits = number == NULL ? (uint64_t) (int64_t) code[i]
									   : bits_of(number[i], unit);

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		digest[i] = sdc_random_mix(digest[i] * TURN + bits + 1);
	}
}

int32_t *
sdc_record_order_sort(SdcHost *host, const uint64_t *digest,
					  const uint64_t *second, size_t rows)
{
	uint64_t *key = sdc_new(host, uint64_t, rows);
	int32_t *order = sdc_new(host, int32_t, rows);
	size_t i;

	for (i = 0; i < rows; i++)
		order[i] = (int32_t) i;
	if (second != NULL)
	{
		memcpy(key, second, sizeof(uint64_t) * rows);
		sdc_sort_keys(host, key, order, rows);
	}
	/* the sort is stable, so what was sorted first decides among equals */
	for (i = 0; i < rows; i++)
		key[i] = digest[order[i]];
	sdc_sort_keys(host, key, order, rows);
	host->release(host, key);
	return order;
}

/* ----------------------------------------------------------------------
 * How far two tables of counts are apart.
 *
 * Cells that are empty in both tables add nothing to any sum but that of the
 * smoothed divergence, where they all add the same; so only their number is
 * needed, and the cross table is never built.
 * ----------------------------------------------------------------------
 */

/* libm: log; measures are no masks. */

typedef struct TableSums
{
	SdcTableDistance distance;
	double smoothing;
	double filled;   /* cells added */
	double original; /* cells with n > 0 */
	double squares;  /* of differences of roots of shares */
} TableSums;

static TableSums
start_distance(double cells, double original, double masked, double smoothing)
{
	TableSums sums = {.smoothing = 0};

	sums.distance.cells = cells;
	sums.distance.original = original;
	sums.distance.masked = masked;
	sums.smoothing = smoothing;
	return sums;
}

/* What a cell of such counts adds to the divergence. */
static double
diverge(const TableSums *sums, double n, double m)
{
	const SdcTableDistance *distance = &sums->distance;
	double added = sums->smoothing * distance->cells;
	double p = (n + sums->smoothing) / (distance->original + added);
	double q = (m + sums->smoothing) / (distance->masked + added);

	if (p == 0)
		return 0;
	return q == 0 ? INFINITY : p * log(p / q);
}

/* Adds a cell that is not empty in both. */
static void
add_cell(TableSums *sums, double n, double m)
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

static SdcTableDistance
finish_distance(const TableSums *sums)
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
	return distance;
}

/* Cells between two looks for a cancel. */
#define POLL_CELLS (1 << 18)

SdcTableDistance
sdc_table_distance_counts(SdcHost *host, SdcCellCounts *cell, size_t cells,
						  double used, double original, double masked,
						  double smoothing)
{
	TableSums sums = start_distance(used, original, masked, smoothing);
	size_t c;

	for (c = 0; c < cells; c++)
	{
		if (c % POLL_CELLS == 0)
			host->poll(host, 0, 0);
		if (cell[c].count[0] > 0 || cell[c].count[1] > 0)
			add_cell(&sums, cell[c].count[0], cell[c].count[1]);
		cell[c] = (SdcCellCounts){{0, 0}};
	}
	return finish_distance(&sums);
}

/* Counts below this one have their shares in a table. */
#define SMALL_COUNTS 1024

struct SdcTableShares
{
	double total[2];
	double share[2][SMALL_COUNTS];
	double root[2][SMALL_COUNTS];
};

SdcTableShares *
sdc_table_shares_new(SdcHost *host, double original, double masked)
{
	SdcTableShares *shares = sdc_new(host, SdcTableShares, 1);
	int side;
	int n;

	shares->total[0] = original;
	shares->total[1] = masked;
	for (side = 0; side < 2; side++)
		for (n = 0; n < SMALL_COUNTS; n++)
		{
			shares->share[side][n] = n / shares->total[side];
			shares->root[side][n] = sqrt(shares->share[side][n]);
		}
	return shares;
}

SdcTableDistance
sdc_table_distance_shares(SdcHost *host, const SdcTableShares *shares,
						  SdcCellCounts *cell, size_t cells, double used)
{
	TableSums sums =
		start_distance(used, shares->total[0], shares->total[1], 0);
	size_t c;
	int side;

	for (c = 0; c < cells; c++)
	{
		double share[2];
		double root[2];

		if (c % POLL_CELLS == 0)
			host->poll(host, 0, 0);
		if (cell[c].count[0] == 0 && cell[c].count[1] == 0)
			continue;
		for (side = 0; side < 2; side++)
		{
			uint32_t n = cell[c].count[side];

			share[side] = n < SMALL_COUNTS ? shares->share[side][n]
										   : n / shares->total[side];
			root[side] =
				n < SMALL_COUNTS ? shares->root[side][n] : sqrt(share[side]);
			cell[c].count[side] = 0;
		}
		sums.distance.tv += fabs(share[0] - share[1]) / 2;
		sums.squares += (root[0] - root[1]) * (root[0] - root[1]);
	}
	return finish_distance(&sums);
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
	TableSums sums;
	int32_t x = 0;
	int32_t y = 0;
	int j;

	for (j = 0; j < original->columns; j++)
		cells *= count_values(original, masked, j);
	sums = start_distance(cells, (double) original->records,
						  (double) masked->records, smoothing);
	while (x < original->cells || y < masked->cells)
	{
		int order = x == original->cells ? 1
					: y == masked->cells
						? -1
						: compare_cells(original, x, masked, y);

		if ((x + y) % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		add_cell(&sums, order <= 0 ? (double) original->count[x] : 0,
				 order >= 0 ? (double) masked->count[y] : 0);
		x += order <= 0;
		y += order >= 0;
	}
	return finish_distance(&sums);
}
