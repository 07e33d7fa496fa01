/*
 * suppress_optimum.c
 *		How much local suppression takes: tiny tables, and the adult data.
 *
 * Tiny tables are compared with the best of all suppressions there are.
 */
#include "adult_data.h"
#include "suppress_rows.h"

/* Fewest values that any suppression of a tiny table loses. */
static int
find_optimum(const Rows *table, const SdcSuppressRequest *request)
{
	int cells = table->rows * table->keys;
	int best = cells;
	uint32_t lost;

	for (lost = 0; lost < UINT32_C(1) << cells; lost++)
	{
		Rows tried;
		int i;

		if (__builtin_popcount(lost) >= best)
			continue;
		tried = *table;
		for (i = 0; i < cells; i++)
			if (lost >> i & 1)
				tried.code[i / table->keys][i % table->keys] = SDC_CODE_NULL;
		if (count_violations(&tried, request) == 0)
			best = __builtin_popcount(lost);
	}
	return best;
}

static void
check_optimum(SdcRandom *random, bool wildcard, int rows, int keys, int64_t k,
			  double bound)
{
	SdcSuppressRequest request = {
		.keys = keys, .k = k, .l = 1, .wildcard = wildcard};
	int64_t found = 0;
	int64_t optimum = 0;
	int64_t naive = 0;
	bool sound = true;
	int i;

	for (i = 0; i < 40; i++)
	{
		Rows table = random_rows(random, rows, keys, 0, 4, 0);
		int best = find_optimum(&table, &request);
		int64_t lost = suppress(&table, 4, &request);

		sound = sound && lost >= best;
		found += lost;
		optimum += best;
		naive += count_violations(&table, &request);
	}
	unit_check(sound && (double) found <= bound * (double) optimum,
			   "%s, %d rows, %d keys, k %d: %lld values, best %lld, one per "
			   "violator %lld",
			   wildcard ? "wildcard" : "category", rows, keys, (int) k,
			   (long long) found, (long long) optimum, (long long) naive);
}

/* A search through what each row may lose if it is restrained. */
typedef struct Search
{
	const Rows *table;
	const SdcSuppressRequest *request;
	int options[ROWS];
	unsigned option[ROWS][1 << 4]; /* sets of keys, the first one empty */
	int best;
} Search;

/* Sets of least size that would do for a row alone; none if it lacks nothing.
 */
static void
list_options(Search *search, int row)
{
	int keys = search->table->keys;
	int least = keys;
	unsigned mask;

	search->options[row] = 1;
	search->option[row][0] = 0;
	for (mask = 0; mask < 1u << keys; mask++)
		if (__builtin_popcount(mask) < least &&
			!lacks(search->table, row, mask, search->request))
			least = __builtin_popcount(mask);
	for (mask = 1; mask < 1u << keys && least > 0; mask++)
		if (__builtin_popcount(mask) == least &&
			!lacks(search->table, row, mask, search->request))
			search->option[row][search->options[row]++] = mask;
}

static void
search_rows(Search *search, Rows *tried, int row, int lost)
{
	int o;
	int j;

	if (lost >= search->best)
		return;
	if (row == tried->rows)
	{
		if (count_violations(tried, search->request) == 0)
			search->best = lost;
		return;
	}
	for (o = 0; o < search->options[row]; o++)
	{
		unsigned mask = search->option[row][o];

		for (j = 0; j < tried->keys; j++)
			tried->code[row][j] =
				mask >> j & 1 ? SDC_CODE_NULL : search->table->code[row][j];
		search_rows(search, tried, row + 1, lost + __builtin_popcount(mask));
	}
	for (j = 0; j < tried->keys; j++)
		tried->code[row][j] = search->table->code[row][j];
}

/* Against the best when each row loses no more than it needs by itself. */
static void
check_restrained(SdcRandom *random, int rows, int keys, int64_t k,
				 double bound)
{
	static Search search;
	SdcSuppressRequest request = {
		.keys = keys, .k = k, .l = 1, .wildcard = true};
	int64_t found = 0;
	int64_t optimum = 0;
	int64_t naive = 0;
	bool sound = true;
	int i;
	int row;

	for (i = 0; i < 30; i++)
	{
		Rows table = random_rows(random, rows, keys, 0, 4, 0);
		Rows tried = table;
		int64_t lost = suppress(&table, 4, &request);

		search.table = &table;
		search.request = &request;
		search.best = rows * keys + 1;
		for (row = 0; row < rows; row++)
			list_options(&search, row);
		search_rows(&search, &tried, 0, 0);
		sound = sound && lost >= search.best;
		found += lost;
		optimum += search.best;
		naive += count_violations(&table, &request);
	}
	unit_check(sound && (double) found <= bound * (double) optimum,
			   "wildcard, %d rows, %d keys, k %d: %lld values, best of the "
			   "restrained %lld, one per violator %lld",
			   rows, keys, (int) k, (long long) found, (long long) optimum,
			   (long long) naive);
}

static void
check_adult(const AdultData *data, const int *column, int keys, int64_t k,
			bool wildcard, int64_t most)
{
	SdcHost *host = unit_host();
	SdcFrequency *frequency = adult_count(data, column, keys, 1, 1);
	SdcClasses *classes = sdc_frequency_classes(host, frequency, keys);
	SdcSuppressRequest request = {
		.keys = keys, .k = k, .l = 1, .wildcard = wildcard};
	int64_t violators = sdc_suppress_violations(host, frequency, &request);
	SdcSuppression *plan =
		sdc_suppress_plan(host, frequency, classes, &request);

	unit_check(plan->values <= most,
			   "adult, %d keys, k %d, %s: %lld values in %lld records, at "
			   "most %lld (%lld violators)",
			   keys, (int) k, wildcard ? "wildcard" : "category",
			   (long long) plan->values, (long long) plan->records,
			   (long long) most, (long long) violators);
}

int
main(void)
{
	static const int five[] = {SEX, RACE, MARITAL_STATUS, EDUCATION,
							   WORKCLASS};
	static const int eight[] = {
		SEX,       AGE,       RACE, MARITAL_STATUS, EDUCATION, NATIVE_COUNTRY,
		WORKCLASS, OCCUPATION};
	AdultData *data = adult_read();
	SdcRandom random;

	unit_start("suppress_optimum");
	sdc_random_seed(&random, 7, 0);
	check_optimum(&random, true, 6, 2, 2, 2);
	check_optimum(&random, true, 4, 3, 2, 2);
	check_optimum(&random, true, 6, 2, 3, 2);
	check_optimum(&random, false, 6, 2, 2, 2);
	check_optimum(&random, false, 4, 3, 2, 2);
	check_optimum(&random, false, 6, 2, 3, 2);
	check_restrained(&random, 8, 2, 2, 1.5);
	check_restrained(&random, 8, 3, 2, 1.5);
	check_restrained(&random, 10, 2, 3, 1.5);
	/* figures of a prototype with another way to choose in a group */
	check_adult(data, five, 5, 2, true, 249);
	check_adult(data, five, 5, 5, true, 774);
	check_adult(data, eight, 8, 5, true, 15158);
	/* at most two values for a record that lacks others */
	check_adult(data, five, 5, 2, false, 542 * 2);
	check_adult(data, five, 5, 5, false, 1646 * 2);
	check_adult(data, eight, 8, 5, false, 21977 * 2);
	free(data);
	unit_release_all();
	return unit_finish();
}
