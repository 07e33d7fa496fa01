/*
 * posterior_records.h
 *		Records for the tests of beliefs, and slow ways to look at them.
 */
#ifndef SDC_TEST_POSTERIOR_RECORDS_H
#define SDC_TEST_POSTERIOR_RECORDS_H

#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/table/frequency.h"

#define COLUMNS 4 /* at the most: two keys, known, sensitive */
#define RECORDS 40
#define VALUES  3

/* Records of one relation: codes and what each weighs. */
typedef struct Records
{
	int columns;
	int n;
	int32_t code[RECORDS][COLUMNS];
	double weight[RECORDS];
} Records;

static inline SdcFrequency *
count_records(const Records *records, bool weighted)
{
	SdcFrequencyCount *counting =
		sdc_frequency_start(unit_host(), records->columns, weighted);
	const int32_t *const rank[COLUMNS] = {NULL};
	const int32_t values[COLUMNS] = {VALUES, VALUES, VALUES, VALUES};
	int i;

	for (i = 0; i < records->n; i++)
		sdc_frequency_add(counting, records->code[i], 1, records->weight[i]);
	return sdc_frequency_finish(counting, rank, values, NULL);
}

static inline void
draw_records(Records *records, int columns, int n, bool weighted,
			 SdcRandom *random)
{
	int i;
	int j;

	records->columns = columns;
	records->n = n;
	for (i = 0; i < n; i++)
	{
		for (j = 0; j < columns; j++)
			records->code[i][j] =
				(int32_t) sdc_random_below(random, VALUES + 1) - 1;
		records->weight[i] =
			weighted ? (double) sdc_random_below(random, 4) : 1;
	}
}

static inline bool
same_codes(const int32_t *a, const int32_t *b, int columns)
{
	return memcmp(a, b, columns * sizeof(int32_t)) == 0;
}

/*
 * The weight of records that agree with codes in the first columns, and have a
 * sensitive value if it is one (-2: any but those that do not count).
 */
static inline double
weigh(const Records *records, const int32_t *codes, int columns, int32_t value,
	  bool ignore_null)
{
	double sum = 0;
	int i;

	for (i = 0; i < records->n; i++)
	{
		int32_t own = records->code[i][records->columns - 1];

		if (same_codes(records->code[i], codes, columns) &&
			(value == -2 ? !(ignore_null && own == SDC_CODE_NULL)
						 : own == value))
			sum += records->weight[i];
	}
	return sum;
}

/*
 * The highest share of a term of a sum from which some set of at most exclude
 * others was taken away: tries every set.
 */
static inline double
worst_share(const double *term, int n, int own, int exclude)
{
	double worst = 0;
	unsigned set;
	int i;

	for (set = 0; set < 1u << n; set++)
	{
		double sum = 0;

		if (set >> own & 1 || __builtin_popcount(set) > exclude)
			continue;
		for (i = 0; i < n; i++)
			sum += set >> i & 1 ? 0 : term[i];
		if (term[own] / sum > worst)
			worst = term[own] / sum;
	}
	return worst;
}

static inline bool
near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12;
}

#endif
