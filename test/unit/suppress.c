/*
 * suppress.c
 *		Local suppression of random tables, against comparing all pairs.
 */
#include "suppress_rows.h"

/* Random tables with ties, NULLs and sensitive columns stay sound. */
static void
check_random(SdcRandom *random, bool wildcard, int nulls, int sensitive)
{
	int failed = 0;
	int64_t lost = 0;
	int64_t violators = 0;
	int i;

	for (i = 0; i < 60; i++)
	{
		int keys = 1 + i % 5;
		int rows = 4 + (int) sdc_random_below(random, ROWS - 4);
		int32_t values = 2 + i % 9;
		Rows table = random_rows(random, rows, keys, sensitive, values, nulls);
		double importance[COLUMNS];
		SdcSuppressRequest request = {
			.keys = keys, .k = 1 + i % 7, .l = 1, .wildcard = wildcard};
		int64_t found;
		int j;

		for (j = 0; j < keys; j++)
			importance[j] = 1 + (double) sdc_random_below(random, 3) / 2;
		request.importance = i % 2 ? importance : NULL;
		request.k = request.k > rows ? rows : request.k;
		if (sensitive > 0)
			request.l =
				1 + (int64_t) sdc_random_below(
						random, (uint64_t) (values < rows ? values : rows));
		violators += count_violations(&table, &request);
		found = suppress(&table, values, &request);
		failed += found < 0;
		lost += found;
	}
	unit_check(failed == 0,
			   "%s, %d %% NULL, %d sensitive: 60 tables sound (%d not), "
			   "%lld values for %lld violators",
			   wildcard ? "wildcard" : "category", nulls, sensitive, failed,
			   (long long) lost, (long long) violators);
}

/* More keys than all sets can be tried of, and than 64 bits can hold. */
static void
check_many_keys(SdcRandom *random, bool wildcard, int nulls)
{
	int failed = 0;
	int64_t lost = 0;
	int i;

	for (i = 0; i < 4; i++)
	{
		Rows table = random_rows(random, 60, 13 + i % 2, i / 2, 60, nulls);
		SdcSuppressRequest request = {
			.keys = table.keys, .k = 3, .l = 2, .wildcard = wildcard};
		int64_t found = suppress(&table, 60, &request);

		failed += found < 0;
		lost += found;
	}
	unit_check(failed == 0,
			   "%s, %d %% NULL, 13 and 14 keys: 4 tables sound (%d not), "
			   "%lld values",
			   wildcard ? "wildcard" : "category", nulls, failed,
			   (long long) lost);
}

/* More keys than two words hold, of few values each or of many. */
static void
check_words_of_keys(SdcRandom *random, bool wildcard, int nulls)
{
	int failed = 0;
	int64_t lost = 0;
	int i;

	for (i = 0; i < 4; i++)
	{
		int32_t values = i < 2 ? 1 : 20;
		Rows table = random_rows(random, 50, i % 2 ? 65 : 150, i / 2,
								 i < 2 ? 2 : values, nulls);
		SdcSuppressRequest request = {
			.keys = table.keys, .k = 3, .l = 1 + i / 2, .wildcard = wildcard};
		int64_t found;
		int row;
		int j;

		/* few keys tell rows apart: the last ones, and one here and there */
		for (row = 0; row < table.rows && i < 2; row++)
			for (j = 0; j < table.keys; j++)
				if (j % 29 != 0 && j < table.keys - 2)
					table.code[row][j] = 0;
		found = suppress(&table, i < 2 ? 2 : values, &request);
		failed += found < 0;
		lost += found;
	}
	unit_check(failed == 0,
			   "%s, %d %% NULL, 65 and 150 keys: 4 tables sound (%d not), "
			   "%lld values",
			   wildcard ? "wildcard" : "category", nulls, failed,
			   (long long) lost);
}

/*
 * Two rows differ in each of the first keys and agree in all others: whoever
 * keeps one of the first is alone, so each loses exactly these.
 */
static void
check_first_keys(SdcRandom *random)
{
	Rows table = random_rows(random, 40, 150, 0, 1, 0);
	SdcSuppressRequest request = {
		.keys = table.keys, .k = 3, .l = 1, .wildcard = false};
	int differing = 20;
	int64_t found;
	int row;
	int j;

	for (row = 0; row < table.rows; row++)
		for (j = 0; j < differing; j++)
			table.code[row][j] = (row + j) % table.rows;
	found = suppress(&table, table.rows, &request);
	unit_check(found == (int64_t) table.rows * differing,
			   "of 150 keys %d differ everywhere: %lld values go", differing,
			   (long long) found);
}

static void
check_edges(void)
{
	Rows table;
	SdcSuppressRequest request = {.keys = 3, .k = 2, .l = 1};
	int policy;

	for (policy = 0; policy < 2; policy++)
	{
		request.wildcard = policy == 0;
		memset(&table, 0, sizeof(table));
		table.keys = table.columns = 3;
		table.rows = ROWS;
		request.k = ROWS;
		unit_check(suppress(&table, 1, &request) == 0,
				   "constant table, k of all rows: nothing is lost");
		table.rows = 1;
		request.k = 1;
		unit_check(suppress(&table, 1, &request) == 0, "one row, k of 1");
		table.rows = 2;
		request.k = 2;
		table.code[1][1] = 1;
		unit_check(suppress(&table, 2, &request) == (request.wildcard ? 1 : 2),
				   "two rows that differ in one key");
	}
}

int
main(void)
{
	SdcRandom random;
	int policy;

	unit_start("suppress");
	sdc_random_seed(&random, 7, 0);
	for (policy = 0; policy < 2; policy++)
	{
		check_random(&random, policy == 0, 0, 0);
		check_random(&random, policy == 0, 20, 0);
		check_random(&random, policy == 0, 0, 2);
		check_random(&random, policy == 0, 15, 1);
		check_many_keys(&random, policy == 0, 0);
		check_many_keys(&random, policy == 0, 40);
		check_words_of_keys(&random, policy == 0, 0);
		check_words_of_keys(&random, policy == 0, 20);
	}
	check_first_keys(&random);
	check_edges();
	unit_release_all();
	return unit_finish();
}
