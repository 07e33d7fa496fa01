/*
 * sort.c
 *		Orders of rows: stable, polled, no quadratic case.
 *
 * Keys of 64 bits are sorted by radix (sort_keys.c).  Rows that only a
 * comparison can order are sorted by a bottom-up merge sort over runs made by
 * insertion.
 */
#include "kernel/base/sort.h"

#include <string.h>

#define RUN_ROWS 16

/* Comparisons of rows between two polls; one may cost microseconds. */
#define POLL_COMPARISONS 4096

/* How far a sort has come; total 0 when the stage belongs to the caller. */
typedef struct Steps
{
	SdcHost *host;
	uint64_t done;
	uint64_t total;
} Steps;

static void
poll_steps(const Steps *steps, uint64_t more)
{
	steps->host->poll(steps->host, steps->total == 0 ? 0 : steps->done + more,
					  steps->total);
}

uint64_t
sdc_sort_key(double x)
{
	uint64_t bits;

	if (x != x)
		return UINT64_MAX;
	x += 0.0; /* makes -0 equal to 0 */
	memcpy(&bits, &x, sizeof(bits));
	return bits ^ ((bits >> 63) ? UINT64_MAX : UINT64_C(1) << 63);
}

int32_t *
sdc_sort_matrix(SdcHost *host, const SdcMatrix *matrix)
{
	int32_t *rows = sdc_new(host, int32_t, matrix->rows);
	uint64_t *keys = sdc_new(host, uint64_t, matrix->rows);
	size_t i;
	int j;

	for (i = 0; i < matrix->rows; i++)
		rows[i] = (int32_t) i;
	/* the sort is stable, so the last column goes first */
	for (j = matrix->columns - 1; j >= 0; j--)
	{
		for (i = 0; i < matrix->rows; i++)
			keys[i] = sdc_sort_key(matrix->column[j][rows[i]]);
		sdc_sort_keys(host, keys, rows, matrix->rows);
	}
	host->release(host, keys);
	return rows;
}

/* Sorts one short run by insertion. */
static void
insertion_sort(int32_t *rows, size_t n, SdcRowCompare compare, void *arg)
{
	size_t i;

	for (i = 1; i < n; i++)
	{
		int32_t row = rows[i];
		size_t j = i;

		while (j > 0 && compare(rows[j - 1], row, arg) > 0)
		{
			rows[j] = rows[j - 1];
			j--;
		}
		rows[j] = row;
	}
}

/* Merges from[0..middle) and from[middle..n) into to[]. */
static void
merge_runs(const Steps *steps, const int32_t *from, int32_t *to, size_t middle,
		   size_t n, SdcRowCompare compare, void *arg)
{
	size_t left = 0;
	size_t right = middle;
	size_t out = 0;

	while (left < middle && right < n)
	{
		if (out % POLL_COMPARISONS == 0)
			poll_steps(steps, out);
		to[out++] = compare(from[left], from[right], arg) <= 0 ? from[left++]
															   : from[right++];
	}
	memcpy(to + out, from + left, (middle - left) * sizeof(*to));
	memcpy(to + out + middle - left, from + right, (n - right) * sizeof(*to));
}

/* Sorts by insertion the runs that merging starts from. */
static void
make_runs(Steps *steps, int32_t *rows, size_t n, SdcRowCompare compare,
		  void *arg)
{
	size_t start;

	for (start = 0; start < n; start += RUN_ROWS)
	{
		if (start % POLL_COMPARISONS == 0)
			poll_steps(steps, start);
		insertion_sort(rows + start,
					   n - start < RUN_ROWS ? n - start : RUN_ROWS, compare,
					   arg);
	}
	steps->done += n;
}

static void
merge_sort(Steps *steps, int32_t *rows, size_t n, SdcRowCompare compare,
		   void *arg)
{
	SdcHost *host = steps->host;
	int32_t *from = rows;
	int32_t *to = sdc_new(host, int32_t, n);
	int32_t *spare = to;
	size_t start;
	size_t width;

	make_runs(steps, rows, n, compare, arg);
	for (width = RUN_ROWS; width < n; width *= 2)
	{
		int32_t *swap = to;

		for (start = 0; start < n; start += 2 * width)
		{
			size_t length = n - start < 2 * width ? n - start : 2 * width;

			merge_runs(steps, from + start, to + start,
					   length < width ? length : width, length, compare, arg);
			steps->done += length;
		}
		to = from;
		from = swap;
	}
	if (from != rows)
		memcpy(rows, from, n * sizeof(*rows));
	host->release(host, spare);
}

void
sdc_sort_rows(SdcHost *host, int32_t *rows, size_t n, SdcRowCompare compare,
			  void *arg)
{
	Steps steps = {host, 0, 0};

	merge_sort(&steps, rows, n, compare, arg);
}

void
sdc_sort_rows_staged(SdcHost *host, int32_t *rows, size_t n,
					 SdcRowCompare compare, void *arg)
{
	Steps steps = {host, 0, n};
	size_t width;

	for (width = RUN_ROWS; width < n; width *= 2)
		steps.total += n;
	host->stage(host, "sorting");
	merge_sort(&steps, rows, n, compare, arg);
}
