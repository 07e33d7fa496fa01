/*
 * suppression.c
 *		Patterns for tiny tables, against an attack that is written down
 *		plainly: every pattern withstands it, and there is none only where
 *		nothing would.
 */
#include "fuzz.h"

#include "tabular_case.h"

#define SUPPRESSION_RECORDS 40

/* A dimension of 2 or 3 codes, one below a total of their own or none. */
static SdcCubeDimension
suppression_dimension(FuzzBytes *bytes)
{
	uint8_t byte = fuzz_byte(bytes);
	SdcRandom random;

	/* where the groups lie */
	sdc_random_seed(&random, byte >> 2, 0);
	return random_dimension(&random, 2 + (byte & 1), (byte & 3) == 3);
}

/* Bounds and levels as nobody would set them, as far as they are allowed. */
static void
suppression_change(FuzzBytes *bytes, SdcTabular *table)
{
	while (bytes->left > 2)
	{
		int32_t i = fuzz_byte(bytes) % table->cells;
		uint8_t what = fuzz_byte(bytes);
		double a = fuzz_byte(bytes) % 64;

		if (table->role[i] == SDC_CELL_SHOWN)
			continue;
		switch (what % 6)
		{
			case 0:
				table->low[i] = fmin(a, table->value[i]);
				break;
			case 1:
				table->high[i] = a;
				break;
			case 2:
				table->weight[i] = 1 + a;
				break;
			case 3:
				table->role[i] = SDC_CELL_UNSAFE;
				table->need_low[i] = a;
				break;
			case 4:
				table->role[i] = SDC_CELL_UNSAFE;
				table->need_high[i] = a;
				break;
			default:
				table->rest_low[i] = table->rest_high[i] = a;
		}
		table->rest_low[i] = fmin(table->rest_low[i], table->need_low[i]);
		table->rest_high[i] = fmin(table->rest_high[i], table->need_high[i]);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes bytes = {data, size};
	uint8_t how = fuzz_byte(&bytes);
	SdcSuppressionOptions options = {.work = how & 1 ? 0 : 1e7};
	bool magnitude = (how & 2) != 0;
	int32_t n = how >> 2 < SUPPRESSION_RECORDS ? how >> 2 : 8;
	SdcCubeDimension dimension[2];
	int32_t code[2][SUPPRESSION_RECORDS];
	int32_t *codes[2] = {code[0], code[1]};
	double value[SUPPRESSION_RECORDS];
	int32_t respondent[SUPPRESSION_RECORDS];
	SdcTabular *table;
	SdcSuppression result;
	bool *hidden;
	int32_t i;
	int d;

	for (d = 0; d < 2; d++)
		dimension[d] = suppression_dimension(&bytes);
	for (i = 0; i < n; i++)
	{
		uint8_t byte = fuzz_byte(&bytes);

		for (d = 0; d < 2; d++)
			code[d][i] =
				(byte >> 2 * d & 3) %
				(dimension[d].codes - (dimension[d].equations == 3 ? 3 : 1));
		/* counts of respondents add up where each has one record */
		respondent[i] =
			i == 0 ? 0 : respondent[i - 1] + (!magnitude || (byte >> 4 & 1));
		value[i] = fuzz_byte(&bytes) % 48;
	}
	table =
		table_of_records(dimension, 2, n, codes, value, respondent, magnitude);
	fuzz_check(sdc_tabular_unbalanced(table) < 0, "the table adds up");
	suppression_change(&bytes, table);
	hidden = sdc_new(unit_host(), bool, table->cells);
	result = sdc_suppression_run(table, &options, hidden);
	if (result.found)
	{
		fuzz_check(plain_safe(table, hidden), "the pattern protects");
		fuzz_check(sdc_tabular_audit(table, hidden, NULL) == 0,
				   "the audit passes it");
		fuzz_check(result.bound <= result.cost + 1e-6,
				   "the bound is not above the cost");
	}
	else
		fuzz_check(result.undecided || !plain_possible(table),
				   "there is none only where nothing protects");
	unit_release_all();
	return 0;
}
