/*
 * sort.h
 *		Orders of rows: stable, polled, no quadratic case; a rank alone.
 */
#ifndef SDC_KERNEL_SORT_H
#define SDC_KERNEL_SORT_H

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"

/* A key whose unsigned order is the order of x: -0 equals 0, NaN is last. */
extern uint64_t sdc_sort_key(double x);

/*
 * Sorts n keys ascending and rows[] along with them; equal keys keep their
 * order.  O(n) (radix sort, 11 bits a pass); scratch 12 n bytes.
 */
extern void sdc_sort_keys(SdcHost *host, uint64_t *keys, int32_t *rows,
						  size_t n);

/*
 * Keys and rows of the n values that are not NaN, ascending; returns how many.
 * Room for n of each.  O(n).
 */
extern int32_t sdc_sort_numbers(SdcHost *host, const double *value, int32_t n,
								uint64_t *keys, int32_t *rows);

/*
 * Row numbers of a matrix in canonical order: by the columns from first to
 * last, then by row.  A sum over the rows taken in this order does not depend
 * on the order of the input.  O(n) per column.
 */
extern int32_t *sdc_sort_matrix(SdcHost *host, const SdcMatrix *matrix);

/* Negative, zero or positive as row a comes before, with or after row b. */
typedef int (*SdcRowCompare)(int32_t a, int32_t b, void *arg);

/*
 * Sorts the n row numbers in rows[] by compare; equal rows keep their order.
 * O(n log n) comparisons (merge sort); scratch 4 n bytes.  compare may leave
 * by longjmp.
 */
extern void sdc_sort_rows(SdcHost *host, int32_t *rows, size_t n,
						  SdcRowCompare compare, void *arg);

/*
 * The same as a stage of its own, "sorting", that shows how far it is; the
 * functions above leave the stage of their caller alone.
 */
extern void sdc_sort_keys_staged(SdcHost *host, uint64_t *keys, int32_t *rows,
								 size_t n);
extern void sdc_sort_rows_staged(SdcHost *host, int32_t *rows, size_t n,
								 SdcRowCompare compare, void *arg);

/*
 * Sorts a few numbers ascending, in place (insertion sort): O(n^2), O(n) where
 * they are in order already.
 */
extern void sdc_sort_few(int32_t *number, int32_t n);

/* ----------------------------------------------------------------------
 * Places in what is sorted, by halving: O(log n).
 * ----------------------------------------------------------------------
 */

/* How many of n ascending numbers are below x, which is not NaN. */
static inline size_t
sdc_sort_below(const double *sorted, size_t n, double x)
{
	size_t low = 0;

	while (low < n)
	{
		size_t middle = low + (n - low) / 2;

		if (sorted[middle] < x)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* The same of those that are not above x. */
static inline size_t
sdc_sort_up_to(const double *sorted, size_t n, double x)
{
	size_t low = 0;

	while (low < n)
	{
		size_t middle = low + (n - low) / 2;

		if (sorted[middle] <= x)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* How many of n ascending keys are below a key. */
static inline size_t
sdc_sort_keys_below(const uint64_t *sorted, size_t n, uint64_t key)
{
	size_t low = 0;

	while (low < n)
	{
		size_t middle = low + (n - low) / 2;

		if (sorted[middle] < key)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/*
 * The segment, of those from low to before high, that a position is in:
 * segment i begins at the ascending edge[i].  low, if it is before all.
 */
static inline int32_t
sdc_sort_segment(const int32_t *edge, int32_t low, int32_t high,
				 int32_t position)
{
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;

		if (edge[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ----------------------------------------------------------------------
 * Records parted at a rank of one of their numbers.
 * ----------------------------------------------------------------------
 */

/*
 * Moves the middle-th smallest (from 0) of n records by the number at axis to
 * its place, smaller ones before and larger ones after it.  A record is width
 * doubles; records lie one after the other.  Numbers must not be NaN.  The
 * order that results depends on the numbers and their order alone.  O(n)
 * expected; polls.
 */
extern void sdc_select_record(SdcHost *host, double *records, size_t width,
							  int64_t n, int64_t middle, int axis);

#endif
