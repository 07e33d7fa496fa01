/*
 * sort.c
 *		The three sorts against qsort with the position as last key.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base/host.h"
#include "kernel/base/matrix.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

typedef struct Pair
{
	uint64_t key;
	int32_t row;
} Pair;

static int
compare_pairs(const void *a, const void *b)
{
	const Pair *x = a;
	const Pair *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

enum Pattern
{
	RANDOM_BITS,
	FEW_VALUES,
	ALL_EQUAL,
	ASCENDING,
	DESCENDING,
	LOW_DIGIT,
	HIGH_DIGIT,
	MIDDLE_DIGIT,
	EXTREMES,
	CLUSTERS,  /* alike in the upper bits, in disorder in the lower ones */
	NEAR_TIES, /* pairs that differ in the last bit only */
	PATTERNS
};

static uint64_t
pattern_key(SdcRandom *random, enum Pattern pattern, size_t i)
{
	switch (pattern)
	{
		case RANDOM_BITS:
			return sdc_random_bits(random);
		case FEW_VALUES:
			return sdc_random_below(random, 3) << 40;
		case ALL_EQUAL:
			return 12345;
		case ASCENDING:
			return i * UINT64_C(1000003);
		case DESCENDING:
			return ~(i * UINT64_C(1000003));
		case LOW_DIGIT:
			return sdc_random_below(random, 2048);
		case HIGH_DIGIT:
			return sdc_random_bits(random) << 55;
		case MIDDLE_DIGIT:
			return UINT64_C(0xFF00000000000001) |
				   sdc_random_below(random, 2048) << 22;
		case EXTREMES:
			return sdc_random_bits(random) & 1 ? UINT64_MAX : 0;
		case CLUSTERS:
			return sdc_random_below(random, 3) << 62 |
				   sdc_random_below(random, 1 << 30);
		default:
			return (uint64_t) (i % 1000) << 54 | (sdc_random_bits(random) & 1);
	}
}

static void
check_keys(SdcRandom *random, enum Pattern pattern, size_t n)
{
	uint64_t *keys = malloc((n + 1) * sizeof(*keys));
	int32_t *rows = malloc((n + 1) * sizeof(*rows));
	Pair *pairs = malloc((n + 1) * sizeof(*pairs));
	bool same = true;
	size_t i;

	for (i = 0; i < n; i++)
	{
		pairs[i].key = keys[i] = pattern_key(random, pattern, i);
		pairs[i].row = rows[i] = (int32_t) i;
	}
	qsort(pairs, n, sizeof(*pairs), compare_pairs);
	sdc_sort_keys(unit_host(), keys, rows, n);
	for (i = 0; i < n; i++)
		same = same && keys[i] == pairs[i].key && rows[i] == pairs[i].row;
	unit_check(same, "keys, pattern %d, n = %d", (int) pattern, (int) n);
	free(keys);
	free(rows);
	free(pairs);
}

static int
compare_by_key(int32_t a, int32_t b, void *arg)
{
	const uint64_t *keys = arg;

	return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

static uint64_t comparisons;

static int
compare_and_count(int32_t a, int32_t b, void *arg)
{
	comparisons++;
	return compare_by_key(a, b, arg);
}

static void
check_rows(SdcRandom *random, enum Pattern pattern, size_t n)
{
	uint64_t *keys = malloc((n + 1) * sizeof(*keys));
	int32_t *rows = malloc((n + 1) * sizeof(*rows));
	Pair *pairs = malloc((n + 1) * sizeof(*pairs));
	double levels = n > 1 ? ceil(log2((double) n)) : 1;
	bool same = true;
	size_t i;

	for (i = 0; i < n; i++)
	{
		pairs[i].key = keys[i] = pattern_key(random, pattern, i);
		pairs[i].row = rows[i] = (int32_t) i;
	}
	qsort(pairs, n, sizeof(*pairs), compare_pairs);
	comparisons = 0;
	sdc_sort_rows(unit_host(), rows, n, compare_and_count, keys);
	for (i = 0; i < n; i++)
		same = same && rows[i] == pairs[i].row;
	unit_check(same, "rows, pattern %d, n = %d", (int) pattern, (int) n);
	unit_check(comparisons <= n * (levels + 8),
			   "rows, pattern %d, n = %d: %d comparisons", (int) pattern,
			   (int) n, (int) comparisons);
	free(keys);
	free(rows);
	free(pairs);
}

static void
check_key_order(void)
{
	/* ascending as PostgreSQL orders them */
	const double order[] = {-INFINITY, -1.7e308, -1e-300, -5e-324, 0,
							5e-324,    2.3e-308, 1e-300,  1,       1 + 0x1p-52,
							1.7e308,   INFINITY, NAN};
	const int count = sizeof(order) / sizeof(*order);
	bool ascending = true;
	int i;

	for (i = 1; i < count; i++)
		ascending =
			ascending && sdc_sort_key(order[i - 1]) < sdc_sort_key(order[i]);
	unit_check(ascending, "key: -Inf < ... < 0 < denormal < ... < Inf < NaN");
	unit_check(sdc_sort_key(-0.0) == sdc_sort_key(0.0), "key: -0 equals 0");
	unit_check(sdc_sort_key(-NAN) == sdc_sort_key(NAN),
			   "key: every NaN is the same");
}

/* Canonical order against a comparison of whole rows. */
static const SdcMatrix *compared_matrix;

static int
compare_matrix_rows(const void *a, const void *b)
{
	int32_t x = *(const int32_t *) a;
	int32_t y = *(const int32_t *) b;
	int j;

	for (j = 0; j < compared_matrix->columns; j++)
	{
		double left = compared_matrix->column[j][x];
		double right = compared_matrix->column[j][y];

		if (left != right)
			return left < right ? -1 : 1;
	}
	return (x > y) - (x < y);
}

static void
check_matrix(SdcRandom *random, size_t n, int columns, int distinct)
{
	double *column[SDC_MAX_COLUMNS];
	SdcMatrix matrix = {n, columns, column};
	int32_t *want = malloc((n + 1) * sizeof(*want));
	int32_t *got;
	size_t i;
	int j;

	for (j = 0; j < columns; j++)
	{
		column[j] = malloc((n + 1) * sizeof(double));
		for (i = 0; i < n; i++)
			column[j][i] =
				((double) sdc_random_below(random, distinct) - distinct / 2) *
				0.25;
	}
	for (i = 0; i < n; i++)
		want[i] = (int32_t) i;
	compared_matrix = &matrix;
	qsort(want, n, sizeof(*want), compare_matrix_rows);
	got = sdc_sort_matrix(unit_host(), &matrix);
	unit_check(memcmp(got, want, n * sizeof(*want)) == 0,
			   "matrix of %d x %d, %d values", (int) n, columns, distinct);
	for (j = 0; j < columns; j++)
		free(column[j]);
	free(want);
}

/* What a sort that is a stage of its own tells its host. */
static uint64_t last_done;
static uint64_t last_total;
static bool in_order;
static int stages;

static void
record_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	(void) host;
	in_order = in_order && done >= last_done && done <= total &&
			   (last_total == 0 || total == last_total);
	last_done = done;
	last_total = total;
}

static void
record_stage(SdcHost *host, const char *name)
{
	(void) host;
	stages += strcmp(name, "sorting") == 0;
}

static int
compare_keys(int32_t a, int32_t b, void *arg)
{
	const uint64_t *keys = arg;

	return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

/* Progress rises to the total, and the result is that of the quiet sort. */
static void
check_staged(SdcRandom *random, size_t n, bool by_rows, int shift)
{
	SdcHost host = *unit_host();
	uint64_t *keys = sdc_new(&host, uint64_t, n);
	uint64_t *copy = sdc_new(&host, uint64_t, n);
	int32_t *rows = sdc_new(&host, int32_t, n);
	int32_t *staged = sdc_new(&host, int32_t, n);
	size_t i;

	for (i = 0; i < n; i++)
	{
		keys[i] = copy[i] =
			i == 0 ? UINT64_MAX : sdc_random_below(random, n) << shift;
		rows[i] = staged[i] = (int32_t) i;
	}
	host.poll = record_poll;
	host.stage = record_stage;
	last_done = last_total = 0;
	stages = 0;
	in_order = true;
	if (by_rows)
		sdc_sort_rows_staged(&host, staged, n, compare_keys, copy);
	else
		sdc_sort_keys_staged(&host, copy, staged, n);
	if (by_rows)
		sdc_sort_rows(unit_host(), rows, n, compare_keys, keys);
	else
		sdc_sort_keys(unit_host(), keys, rows, n);
	unit_check(memcmp(rows, staged, n * sizeof(*rows)) == 0 && stages == 1,
			   "%zu %s sorted as a stage", n, by_rows ? "rows" : "keys");
	unit_check(in_order && last_total > 0 && last_done > last_total / 8,
			   "its progress rises");
	unit_release_all();
}

/* A few numbers: none lost, none out of order. */
static void
check_few(SdcRandom *random)
{
	bool right = true;
	int32_t n;
	int32_t i;

	for (n = 0; n < 60; n++)
	{
		int32_t number[60];
		int64_t sum = 0;

		for (i = 0; i < n; i++)
			sum += number[i] = (int32_t) sdc_random_below(random, 20) - 10;
		sdc_sort_few(number, n);
		for (i = 0; i < n; i++)
		{
			sum -= number[i];
			right = right && (i == 0 || number[i - 1] <= number[i]);
		}
		right = right && sum == 0;
	}
	unit_check(right, "up to 59 numbers in order");
}

int
main(void)
{
	static const size_t sizes[] = {0,    1,    2,    3,    16,    17, 31,
								   32,   33,   63,   64,   65,    66, 100,
								   1000, 1024, 1025, 5000, 100000};
	SdcRandom random;
	size_t s;
	int pattern;

	unit_start("sort");
	sdc_random_seed(&random, 1, 0);
	check_key_order();
	check_few(&random);
	for (pattern = 0; pattern < PATTERNS; pattern++)
		for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		{
			check_keys(&random, (enum Pattern) pattern, sizes[s]);
			check_rows(&random, (enum Pattern) pattern, sizes[s]);
		}
	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
	{
		check_matrix(&random, sizes[s], 1, 5);
		check_matrix(&random, sizes[s], 3, 4);
		check_matrix(&random, sizes[s], 5, 1000000);
	}
	for (s = 0; s < 2; s++)
	{
		check_staged(&random, 1000, s == 1, 0);
		check_staged(&random, 300000, s == 1, 0);
		check_staged(&random, 300000, s == 1, 44);
	}
	return unit_finish();
}
