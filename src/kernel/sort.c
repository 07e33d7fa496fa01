/*
 * sort.c
 *		Orders of rows: stable, polled, no quadratic case.
 *
 * Keys of 64 bits are sorted by least-significant-digit radix passes of 11
 * bits; a pass whose digit is the same in every key is skipped, so small
 * integers cost two passes, not six.  Rows that only a comparison can order
 * are sorted by a bottom-up merge sort over runs made by insertion.
 */
#include "kernel/sort.h"

#include <string.h>

#define DIGIT_BITS   11
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define DIGIT_PASSES 6
#define FEW_KEYS     64
#define RUN_ROWS     16

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

/* Counts every digit value of every pass in one reading of the keys. */
static void
count_digits(const Steps *steps, const uint64_t *keys, size_t n,
			 uint32_t count[DIGIT_PASSES][DIGIT_VALUES])
{
	size_t i;
	int pass;

	memset(count, 0, sizeof(uint32_t) * DIGIT_PASSES * DIGIT_VALUES);
	for (i = 0; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			poll_steps(steps, i);
		for (pass = 0; pass < DIGIT_PASSES; pass++)
			count[pass][keys[i] >> (DIGIT_BITS * pass) & (DIGIT_VALUES - 1)]++;
	}
}

/* Turns counts into first positions; false if one digit value holds all. */
static bool
place_digits(uint32_t *count, size_t n)
{
	uint32_t position = 0;
	int value;

	for (value = 0; value < DIGIT_VALUES; value++)
	{
		uint32_t here = count[value];

		if (here == n)
			return false;
		count[value] = position;
		position += here;
	}
	return true;
}

/* Few keys are not worth counting digits. */
static void
insert_keys(uint64_t *keys, int32_t *rows, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
	{
		uint64_t key = keys[i];
		int32_t row = rows[i];
		size_t j = i;

		for (; j > 0 && keys[j - 1] > key; j--)
		{
			keys[j] = keys[j - 1];
			rows[j] = rows[j - 1];
		}
		keys[j] = key;
		rows[j] = row;
	}
}

/* Moves keys and rows to the places that one digit gives them. */
static void
distribute(const Steps *steps, uint32_t *position, int shift,
		   const uint64_t *from, uint64_t *to, const int32_t *from_rows,
		   int32_t *to_rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		uint32_t *place = &position[from[i] >> shift & (DIGIT_VALUES - 1)];

		if (i % SDC_POLL_STEPS == 0)
			poll_steps(steps, i);
		to[*place] = from[i];
		to_rows[*place] = from_rows[i];
		(*place)++;
	}
}

static void
radix_sort(Steps *steps, uint64_t *keys, int32_t *rows, size_t n)
{
	SdcHost *host = steps->host;
	uint32_t(*count)[DIGIT_VALUES];
	uint64_t *from = keys;
	uint64_t *to;
	int32_t *from_rows = rows;
	int32_t *to_rows;
	uint64_t *spare;
	int32_t *spare_rows;
	int pass;

	if (n <= FEW_KEYS)
	{
		insert_keys(keys, rows, n);
		return;
	}
	count = (uint32_t(*)[DIGIT_VALUES]) host->alloc(
		host, DIGIT_PASSES * DIGIT_VALUES, sizeof(uint32_t));
	spare = to = sdc_new(host, uint64_t, n);
	spare_rows = to_rows = sdc_new(host, int32_t, n);
	count_digits(steps, keys, n, count);
	for (pass = 0; pass < DIGIT_PASSES; pass++)
	{
		uint64_t *swap = to;
		int32_t *swap_rows = to_rows;

		steps->done += n;
		if (!place_digits(count[pass], n))
			continue;
		distribute(steps, count[pass], DIGIT_BITS * pass, from, to, from_rows,
				   to_rows, n);
		to = from;
		to_rows = from_rows;
		from = swap;
		from_rows = swap_rows;
	}
	if (from != keys)
	{
		memcpy(keys, from, n * sizeof(*keys));
		memcpy(rows, from_rows, n * sizeof(*rows));
	}
	host->release(host, spare);
	host->release(host, spare_rows);
	host->release(host, count);
}

void
sdc_sort_keys(SdcHost *host, uint64_t *keys, int32_t *rows, size_t n)
{
	Steps steps = {host, 0, 0};

	radix_sort(&steps, keys, rows, n);
}

void
sdc_sort_keys_staged(SdcHost *host, uint64_t *keys, int32_t *rows, size_t n)
{
	Steps steps = {host, 0, (uint64_t) n * (DIGIT_PASSES + 1)};

	host->stage(host, "sorting");
	radix_sort(&steps, keys, rows, n);
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
