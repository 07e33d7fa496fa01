/*
 * suda2.c
 *		Minimal sample uniques against looking at every set of keys.
 */
#include "fuzz.h"

#include "kernel/risk/suda2.h"

#define SUDA2_ROWS 48
#define SUDA2_KEYS 7

static int32_t suda2_code[SUDA2_ROWS][SUDA2_KEYS];
static int suda2_rows;
static int suda2_keys;

static bool
suda2_agree(SdcNulls nulls, int a, int b, unsigned set)
{
	int j;

	for (j = 0; j < suda2_keys; j++)
	{
		int32_t x = suda2_code[a][j];
		int32_t y = suda2_code[b][j];

		if ((set >> j & 1) == 0 ||
			(nulls == SDC_NULLS_WILDCARD && (x < 0 || y < 0)))
			continue;
		if (x != y)
			return false;
	}
	return true;
}

/* What a record does not say singles it out of no table. */
static bool
suda2_unique(SdcNulls nulls, int a, unsigned set)
{
	int i;

	for (i = 0; i < suda2_keys; i++)
		if (nulls != SDC_NULLS_CATEGORY && (set >> i & 1) &&
			suda2_code[a][i] < 0)
			return false;
	for (i = 0; i < suda2_rows; i++)
		if (i != a && suda2_agree(nulls, a, i, set))
			return false;
	return true;
}

/* The minimal sets of a record, and the size of the smallest. */
static int
suda2_minimal(SdcNulls nulls, int a, int most, int *smallest)
{
	bool unique[1 << SUDA2_KEYS];
	int found = 0;
	unsigned set;

	*smallest = 0;
	for (set = 1; set < 1u << suda2_keys; set++)
	{
		bool minimal = __builtin_popcount(set) <= most;
		unsigned part;

		unique[set] = suda2_unique(nulls, a, set);
		for (part = (set - 1) & set; part != 0; part = (part - 1) & set)
			minimal = minimal && !unique[part];
		if (!unique[set] || !minimal)
			continue;
		found++;
		if (*smallest == 0 || __builtin_popcount(set) < *smallest)
			*smallest = __builtin_popcount(set);
	}
	return found;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes bytes = {data, size};
	SdcSuda2Options options = {0};
	int32_t values[SUDA2_KEYS];
	int32_t cell[SUDA2_ROWS];
	SdcFrequencyCount *counting;
	SdcFrequency *table;
	SdcSuda2 *suda;
	int32_t *place;
	int i;
	int j;

	suda2_keys = 1 + fuzz_byte(&bytes) % SUDA2_KEYS;
	options.max_size = 1 + fuzz_byte(&bytes) % suda2_keys;
	options.nulls = (SdcNulls) (fuzz_byte(&bytes) % 3);
	/* so little that records are taken in parts */
	options.budget = fuzz_byte(&bytes) % 2 == 0 ? 0 : 1;
	for (j = 0; j < suda2_keys; j++)
		values[j] = 1 + fuzz_byte(&bytes) % 9;
	for (i = 0; bytes.left > 0 && i < SUDA2_ROWS; i++)
		for (j = 0; j < suda2_keys; j++)
			suda2_code[i][j] =
				(int32_t) (fuzz_byte(&bytes) % (values[j] + 1)) - 1;
	suda2_rows = i;
	counting = sdc_frequency_start(unit_host(), suda2_keys, false);
	for (i = 0; i < suda2_rows; i++)
		cell[i] = sdc_frequency_add(counting, suda2_code[i], 1, 1);
	table = sdc_frequency_finish(counting, NULL, values, &place);
	suda = sdc_suda2_find(unit_host(), table, &options);
	for (i = 0; i < suda2_rows; i++)
	{
		int32_t u = suda->unique[place[cell[i]]];
		int smallest;
		int found =
			suda2_minimal(options.nulls, i, options.max_size, &smallest);

		fuzz_check(u < 0 ? found == 0
						 : suda->msus[u] == found && suda->size[u] == smallest,
				   "the minimal sets of a record");
	}
	unit_release_all();
	return 0;
}
