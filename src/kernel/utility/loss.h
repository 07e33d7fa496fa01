/*
 * loss.h
 *		What masking changed: records of mixed columns pair by pair, and
 *		contingency tables.
 */
#ifndef SDC_KERNEL_LOSS_H
#define SDC_KERNEL_LOSS_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

/*
 * Cuts the numbers x, in ascending order, into at most bins intervals of
 * about equal frequency, equal values together; up to bins different values
 * have an interval each.  cut[] has room for bins - 1 numbers; returns how
 * many there are.  Interval b holds the values from cut[b - 1] on and below
 * cut[b].  O(rows).
 */
extern int32_t sdc_bins_cut(const double *x, size_t rows, int32_t bins,
							double *cut);

/* The interval of a number: how many cuts are no larger.  O(log cuts). */
extern int32_t sdc_bins_find(const double *cut, int32_t cuts, double x);

/*
 * The numbers that are not NAN in ascending order; *count tells how many.
 * O(rows).
 */
extern double *sdc_bins_sort(SdcHost *host, const double *x, size_t rows,
							 size_t *count);

/*
 * The sum of |e_i - e'_i| / e_i over the eigenvalues of two d * d correlation
 * matrices, both in descending order.  Eigenvalues of the first one that are
 * no more than 1e-10 d are zero but for rounding, as collinear columns make
 * them, and are left out; *dropped tells how many.  O(d^3).
 *
 * Source: Templ, Kowarik and Meindl 2015, "Statistical disclosure control for
 * micro-data using the R package sdcMicro" (without the exception).
 */
extern double sdc_correlation_loss_eigen(SdcHost *host, const double *original,
										 const double *masked, int d,
										 int *dropped);

/*
 * The distance of the normalized diagonals of the inverse correlation
 * matrices, divided by the square root of 2: 0 to 1.  The diagonal is 1 / (1 -
 * R^2) of each column regressed on the others.  NAN when a matrix has no
 * inverse.  d must be at least 3: for two columns it is always 0.  O(d^3).
 *
 * Source: Mlodak 2020, "Information loss resulting from statistical disclosure
 * control of output data".
 */
extern double sdc_correlation_loss_inverse(SdcHost *host,
										   const double *original,
										   const double *masked, int d);

/* Sums over the pairs of which neither value is missing. */
typedef struct SdcPairLoss
{
	int64_t pairs;
	int64_t missing;   /* original there, masked value missing */
	double difference; /* of |x - x'| */
	double percent;    /* of 100 |x - x'| / |x|, x not 0 */
	int64_t zeros;     /* pairs changed from 0, which percent leaves out */
	double squares;    /* of (x - x')^2 */
	double total;      /* of (x - mean)^2, the mean of these x */
	double angle;      /* of (2 / pi) atan(|x - x'| / scale) */
} SdcPairLoss;

/*
 * Numbers, NAN when missing; partner[i] is the row of masked that belongs to
 * row i, negative for none.  scale > 0 is the deviation that differences are
 * measured by in angle; with a scale of 0 or NAN a difference counts 1.  In
 * the order of the rows.  O(rows); polls.
 *
 * Source: Yancey, Winkler and Creecy 2002 (differences); Mlodak 2020 (angle).
 */
extern SdcPairLoss sdc_pair_loss_numbers(SdcHost *host, size_t rows,
										 const double *original,
										 const double *masked,
										 const int32_t *partner, double scale);

/* The mean of |x - x'| / (sqrt(2) deviation); 0 when nothing changed. */
extern double sdc_pair_loss_il1s(const SdcPairLoss *loss, double deviation);

/*
 * The mean distance of codes: 0 or 1, or with levels > 1 |rank - rank'| /
 * (levels - 1).  A value that became missing (negative), or the reverse,
 * counts 1; pairs of missing values are not counted.  *pairs tells how many
 * were; the mean of none is NAN.
 */
extern double sdc_pair_loss_codes(SdcHost *host, size_t rows,
								  const int32_t *original,
								  const int32_t *masked,
								  const int32_t *partner, int32_t levels,
								  int64_t *pairs);

/*
 * Mixes a column, numbers or codes (the other one is NULL), into the digest of
 * each row; digests start at 0.  NANs are one value, and -0 is 0.  Numbers in
 * another unit, by a power of two, have the same digests.
 */
extern void sdc_record_order_mix(SdcHost *host, const double *number,
								 const int32_t *code, size_t rows,
								 uint64_t *digest);

/*
 * The rows in the order of their digests, equal ones in that of a second
 * digest, unless it is NULL.  Sums in this order do not depend on the order of
 * the rows, unless two different records have one digest of 64 bits: for a
 * million records, with a chance of 3e-8.  O(rows).
 */
extern int32_t *sdc_record_order_sort(SdcHost *host, const uint64_t *digest,
									  const uint64_t *second, size_t rows);

/* ----------------------------------------------------------------------
 * How far two tables of counts are apart.
 * ----------------------------------------------------------------------
 */

/*
 * n and m are counts of a cell in the original and the masked table, N and M
 * their totals, p = n / N and q = m / M.  Cells are all combinations of the
 * values that occur, empty ones, too.
 */
typedef struct SdcTableDistance
{
	double cells;           /* of the cross table; may be huge */
	double original;        /* N */
	double masked;          /* M */
	double l1;              /* sum of |n - m| */
	double max;             /* largest |n - m| */
	double mean;            /* l1 / cells */
	double hellinger;       /* sqrt(sum of (sqrt p - sqrt q)^2 / 2) */
	double kl;              /* sum of p ln(p / q); infinite when q = 0 < p */
	double tv;              /* sum of |p - q| / 2 */
	double absroot;         /* mean of |sqrt n - sqrt m| */
	double relative;        /* mean of |n - m| / n over the cells with n > 0 */
	int64_t false_zeros;    /* cells with m = 0 < n */
	int64_t false_nonzeros; /* cells with n = 0 < m */
} SdcTableDistance;

/* How many records of either table have a cell. */
typedef struct SdcCellCounts
{
	uint32_t count[2];
} SdcCellCounts;

/*
 * Two tables of counts, cell by cell, which are left 0.  used is how many
 * cells there are, with those of which no count is kept.  smoothing >= 0 is
 * added to every count, of empty cells, too, for kl alone.  Distances of
 * shares (hellinger, kl, tv) are NAN when one of the tables is empty, means
 * when there are no cells.  O(cells); polls.
 */
extern SdcTableDistance
sdc_table_distance_counts(SdcHost *host, SdcCellCounts *cell, size_t cells,
						  double used, double original, double masked,
						  double smoothing);

/* Shares of small counts and their roots: of many tables of two files. */
typedef struct SdcTableShares SdcTableShares;

/* Makes them for files of so many records. */
extern SdcTableShares *sdc_table_shares_new(SdcHost *host, double original,
											double masked);

/*
 * The same as far as cells, hellinger and tv go, to the bit: most of the work
 * of many tables is in roots and logarithms of small counts.
 */
extern SdcTableDistance sdc_table_distance_shares(SdcHost *host,
												  const SdcTableShares *shares,
												  SdcCellCounts *cell,
												  size_t cells, double used);

/*
 * Two frequency tables of the same columns whose codes are shared.  By their
 * sorted cells, so the sums do not depend on the order of records.
 * O(cells columns).
 */
extern SdcTableDistance
sdc_table_distance_measure(SdcHost *host, const SdcFrequency *original,
						   const SdcFrequency *masked, double smoothing);

#endif
