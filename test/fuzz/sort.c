/*
 * sort.c
 *		Keys, rows and matrices sorted, and a part selected: in order, stable,
 *		and nothing lost.
 */
#include "fuzz.h"

#include "kernel/base/select.h"
#include "kernel/base/sort.h"

#define SORT_MOST 6000

static int
sort_compare(int32_t a, int32_t b, void *arg)
{
	const uint64_t *key = arg;

	return (key[a] > key[b]) - (key[a] < key[b]);
}

/*
 * Keys of so many bytes of the input, moved up by shift and repeated, with a
 * run of descending ones that differ in low bits only: what the upper bits
 * leave in disorder.
 */
static size_t
sort_case(FuzzBytes *bytes, uint64_t *key)
{
	int size = 1 + fuzz_byte(bytes) % 8;
	int shift = fuzz_byte(bytes) % 57;
	size_t run = fuzz_word(bytes, 2) % (SORT_MOST / 2);
	size_t copies = 1 + fuzz_byte(bytes) % 40;
	uint64_t upper = fuzz_word(bytes, 2) << 48;
	size_t n = 0;
	size_t i;

	while (bytes->left > 0 && n + copies < SORT_MOST - run)
	{
		uint64_t word = fuzz_word(bytes, size) << shift;

		for (i = 0; i < copies; i++)
			key[n++] = word + i * (i % 3) * UINT64_C(0x9e3779b97f4a7c15);
	}
	for (i = run; i > 0; i--)
		key[n++] = upper + i;
	return n;
}

static void
sort_check_order(const uint64_t *key, const int32_t *row, size_t n,
				 const char *what)
{
	uint8_t *seen = calloc(n + 1, 1);
	size_t i;

	for (i = 0; i < n; i++)
	{
		fuzz_check(row[i] >= 0 && (size_t) row[i] < n && !seen[row[i]], what);
		seen[row[i]] = 1;
		fuzz_check(i == 0 || key[row[i - 1]] < key[row[i]] ||
					   (key[row[i - 1]] == key[row[i]] && row[i - 1] < row[i]),
				   what);
	}
	free(seen);
}

static void
sort_check_select(FuzzBytes *bytes, const uint64_t *key, size_t n)
{
	double *record = malloc(sizeof(double) * 2 * (n + 1));
	size_t middle = n == 0 ? 0 : fuzz_word(bytes, 2) % n;
	double chosen;
	size_t i;

	for (i = 0; i < n; i++)
	{
		record[2 * i] = (double) i;
		record[2 * i + 1] = (double) (key[i] >> 11);
	}
	if (n > 0)
	{
		sdc_select_record(unit_host(), record, 2, (int64_t) n,
						  (int64_t) middle, 1);
		chosen = record[2 * middle + 1];
		for (i = 0; i < n; i++)
		{
			fuzz_check(i < middle ? record[2 * i + 1] <= chosen
								  : record[2 * i + 1] >= chosen,
					   "a selected part");
			fuzz_check(record[2 * i + 1] ==
						   (double) (key[(size_t) record[2 * i]] >> 11),
					   "a selected record is whole");
		}
	}
	free(record);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes bytes = {data, size};
	uint64_t *key = malloc(sizeof(uint64_t) * SORT_MOST);
	uint64_t *sorted = malloc(sizeof(uint64_t) * SORT_MOST);
	int32_t *row = malloc(sizeof(int32_t) * SORT_MOST);
	size_t n = sort_case(&bytes, key);
	size_t i;

	memcpy(sorted, key, sizeof(uint64_t) * n);
	for (i = 0; i < n; i++)
		row[i] = (int32_t) i;
	sdc_sort_keys(unit_host(), sorted, row, n);
	sort_check_order(key, row, n, "keys are sorted");
	for (i = 0; i < n; i++)
	{
		fuzz_check(sorted[i] == key[row[i]], "keys go with their rows");
		row[i] = (int32_t) i;
	}
	sdc_sort_rows(unit_host(), row, n, sort_compare, key);
	sort_check_order(key, row, n, "rows are sorted");
	bytes.data = data;
	bytes.left = size;
	sort_check_select(&bytes, key, n);
	free(key);
	free(sorted);
	free(row);
	unit_release_all();
	return 0;
}
