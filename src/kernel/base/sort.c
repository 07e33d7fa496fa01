/*
 * sort.c
 *		Orders of rows: stable, polled, no quadratic case; a rank alone.
 *
 * Keys of 64 bits are sorted by radix.  Rows that only a comparison can order
 * are sorted by a bottom-up merge sort over runs made by insertion.
 */
#include <math.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* ----------------------------------------------------------------------
 * Rows in an order that only a comparison knows: a bottom-up merge sort.
 * ----------------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------------
 * Sorts 64-bit keys, and rows along with them, by radix.
 *
 * Passes take 11 bits, the least significant first.  Only bits in which keys
 * differ are looked at, and of them at first only the upper ones, as many as
 * tell n well-spread keys apart; what they leave in disorder is put right by
 * insertion.  Should that be much, the passes are done again with all bits.
 * Every step is stable, so the result does not depend on which way was taken.
 * ----------------------------------------------------------------------
 */

#define DIGIT_BITS   11
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define DIGIT_MASK   (DIGIT_VALUES - 1)
#define DIGIT_PASSES 6
#define FEW_KEYS     64

/* Readings of all keys at the most; mostly fewer, and progress ends early. */
#define MOST_READINGS 14

/* A sort under way; the arrays and the spare ones change places. */
typedef struct KeySort
{
	SdcHost *host;
	size_t n;
	uint64_t *keys;
	int32_t *rows;
	uint64_t *spare_keys;
	int32_t *spare_rows;
	uint32_t (*count)[DIGIT_VALUES];
	/* keys looked at, of how many; total 0: the stage is the caller's */
	uint64_t done;
	uint64_t total;
} KeySort;

static void
poll_sort(const KeySort *sort, uint64_t more)
{
	sort->host->poll(sort->host, sort->total == 0 ? 0 : sort->done + more,
					 sort->total);
}

void
sdc_sort_few(int32_t *number, int32_t n)
{
	int32_t i;

	for (i = 1; i < n; i++)
	{
		int32_t moved = number[i];
		int32_t j = i;

		for (; j > 0 && number[j - 1] > moved; j--)
			number[j] = number[j - 1];
		number[j] = moved;
	}
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

/* The bits in which keys differ; 0 also when they are in order already. */
static uint64_t
differing_bits(KeySort *sort)
{
	const uint64_t *keys = sort->keys;
	uint64_t first = keys[0];
	uint64_t bits = 0;
	bool ascending = true;
	size_t n = sort->n;
	size_t i;

	for (i = 1; i < n; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			poll_sort(sort, i);
		bits |= keys[i] ^ first;
		ascending &= keys[i - 1] <= keys[i];
	}
	sort->done += n;
	return ascending ? 0 : bits;
}

/* Counts the values of some digits, from a bit upwards. */
static void
count_digits(KeySort *sort, int low, int digits)
{
	const uint64_t *keys = sort->keys;
	uint32_t *count = sort->count[0];
	size_t n = sort->n;
	size_t i;
	int d;

	memset(count, 0, sizeof(*sort->count) * digits);
	for (i = 0; i < n; i++)
	{
		uint64_t key = keys[i] >> low;

		if (i % SDC_POLL_STEPS == 0)
			poll_sort(sort, i);
		for (d = 0; d < digits; d++, key >>= DIGIT_BITS)
			count[d * DIGIT_VALUES + (key & DIGIT_MASK)]++;
	}
	sort->done += n;
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

static void
change_places(KeySort *sort)
{
	uint64_t *keys = sort->keys;
	int32_t *rows = sort->rows;

	sort->keys = sort->spare_keys;
	sort->rows = sort->spare_rows;
	sort->spare_keys = keys;
	sort->spare_rows = rows;
}

/* Moves keys and rows to the places that one digit gives them. */
static void
distribute(KeySort *sort, uint32_t *position, int low)
{
	const uint64_t *keys = sort->keys;
	const int32_t *rows = sort->rows;
	uint64_t *to_keys = sort->spare_keys;
	int32_t *to_rows = sort->spare_rows;
	size_t n = sort->n;
	size_t i;

	for (i = 0; i < n; i++)
	{
		uint64_t key = keys[i];
		uint32_t to = position[key >> low & DIGIT_MASK]++;

		if (i % SDC_POLL_STEPS == 0)
			poll_sort(sort, i);
		to_keys[to] = key;
		to_rows[to] = rows[i];
	}
	change_places(sort);
}

/* Sorts by the given number of digits from a bit upwards. */
static void
sort_digits(KeySort *sort, int low, int digits)
{
	int d;

	count_digits(sort, low, digits);
	for (d = 0; d < digits; d++)
	{
		if (place_digits(sort->count[d], sort->n))
			distribute(sort, sort->count[d], low + d * DIGIT_BITS);
		sort->done += sort->n;
	}
}

/*
 * Sorts keys that are nearly in order by insertion; false, with the rest left
 * as it is, when that moves too many.
 */
static bool
insert_rest(KeySort *sort)
{
	uint64_t *keys = sort->keys;
	int32_t *rows = sort->rows;
	size_t n = sort->n;
	size_t moves = 0;
	size_t i;

	for (i = 1; i < n; i++)
	{
		uint64_t key = keys[i];
		int32_t row = rows[i];
		size_t j = i;

		if (i % SDC_POLL_STEPS == 0)
			poll_sort(sort, i);
		if (keys[i - 1] <= key)
			continue;
		if (moves > n)
			return false;
		for (; j > 0 && keys[j - 1] > key && i - j < FEW_KEYS; j--)
		{
			keys[j] = keys[j - 1];
			rows[j] = rows[j - 1];
		}
		keys[j] = key;
		rows[j] = row;
		moves += i - j;
		if (j > 0 && keys[j - 1] > key)
			return false;
	}
	return true;
}

/* Digits that tell almost all of n keys apart, if the keys are spread well. */
static int
enough_digits(size_t n)
{
	int bits = 9;

	for (; n > 0; n /= 2)
		bits++;
	return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

static void
radix_sort(KeySort *sort, uint64_t bits)
{
	int lowest = __builtin_ctzll(bits);
	int highest = 63 - __builtin_clzll(bits);
	int digits = (highest - lowest + DIGIT_BITS) / DIGIT_BITS;
	int enough = enough_digits(sort->n);
	int low = highest + 1 - enough * DIGIT_BITS;

	if (enough < digits)
	{
		sort_digits(sort, low, enough);
		if (insert_rest(sort))
			return;
		sort->done += sort->n;
	}
	sort_digits(sort, lowest, digits);
}

static void
sort_keys(KeySort sort)
{
	SdcHost *host = sort.host;
	uint64_t *keys = sort.keys;
	int32_t *rows = sort.rows;
	uint64_t bits;

	if (sort.n <= FEW_KEYS)
	{
		insert_keys(keys, rows, sort.n);
		return;
	}
	bits = differing_bits(&sort);
	if (bits == 0)
		return;
	sort.spare_keys = sdc_new(host, uint64_t, sort.n);
	sort.spare_rows = sdc_new(host, int32_t, sort.n);
	sort.count = (uint32_t(*)[DIGIT_VALUES]) host->alloc(
		host, DIGIT_PASSES * DIGIT_VALUES, sizeof(uint32_t));
	radix_sort(&sort, bits);
	if (sort.keys != keys)
	{
		memcpy(keys, sort.keys, sort.n * sizeof(*keys));
		memcpy(rows, sort.rows, sort.n * sizeof(*rows));
		change_places(&sort);
	}
	host->release(host, sort.spare_keys);
	host->release(host, sort.spare_rows);
	host->release(host, sort.count);
}

void
sdc_sort_keys(SdcHost *host, uint64_t *keys, int32_t *rows, size_t n)
{
	KeySort sort = {host, n, keys, rows, NULL, NULL, NULL, 0, 0};

	sort_keys(sort);
}

int32_t
sdc_sort_numbers(SdcHost *host, const double *value, int32_t n, uint64_t *keys,
				 int32_t *rows)
{
	int32_t known = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		if (!isnan(value[i]))
		{
			keys[known] = sdc_sort_key(value[i]);
			rows[known++] = i;
		}
	sdc_sort_keys(host, keys, rows, (size_t) known);
	return known;
}

void
sdc_sort_keys_staged(SdcHost *host, uint64_t *keys, int32_t *rows, size_t n)
{
	KeySort sort = {host, n,    keys,
					rows, NULL, NULL,
					NULL, 0,    (uint64_t) n * MOST_READINGS};

	host->stage(host, "sorting");
	sort_keys(sort);
}

/* ----------------------------------------------------------------------
 * Records parted at a rank of one of their numbers.
 * ----------------------------------------------------------------------
 */

static void
swap_records(double *a, double *b, size_t width)
{
	size_t i;

	for (i = 0; i < width; i++)
	{
		double kept = a[i];

		a[i] = b[i];
		b[i] = kept;
	}
}

static double
median_of_three(double a, double b, double c)
{
	if (a > b)
	{
		double kept = a;

		a = b;
		b = kept;
	}
	return c < a ? a : c > b ? b : c;
}

/*
 * Quickselect (Hoare); the places it picks pivots from are scattered, so that
 * no natural order of the data makes it slow.
 */
void
sdc_select_record(SdcHost *host, double *records, size_t width, int64_t n,
				  int64_t middle, int axis)
{
	const double *key = records + axis;
	int64_t first = 0;
	int64_t last = n - 1;
	uint32_t steps = 0;

	while (first < last)
	{
		uint64_t length = (uint64_t) (last - first + 1);
		uint64_t bits = sdc_random_mix(length);
		double pivot = median_of_three(
			key[((uint64_t) first + bits % length) * width],
			key[((uint64_t) first + (bits >> 20) % length) * width],
			key[((uint64_t) first + (bits >> 40) % length) * width]);
		int64_t i = first;
		int64_t j = last;

		while (i <= j)
		{
			while (key[(size_t) i * width] < pivot)
				i++;
			while (key[(size_t) j * width] > pivot)
				j--;
			if (i > j)
				break;
			if (++steps % SDC_POLL_STEPS == 0)
				host->poll(host, 0, 0);
			swap_records(records + (size_t) i * width,
						 records + (size_t) j * width, width);
			i++;
			j--;
		}
		if (middle <= j)
			last = j;
		else if (middle >= i)
			first = i;
		else
			return;
	}
}
