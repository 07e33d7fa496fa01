/*
 * histogram.h
 *		The values of a sensitive column, in a class and in the whole table.
 *
 * A class is sparse: it lists the values that occur in it, as a run of a
 * frequency table does.  The table is dense: a total for each code, so that
 * the measures which compare the two need no search.
 */
#ifndef SDC_KERNEL_HISTOGRAM_H
#define SDC_KERNEL_HISTOGRAM_H

#include "kernel/table/frequency.h"

/*
 * The values of a class: codes ascending, NULL last, each once, with counts of
 * at least 1.  cells may be 0.
 */
typedef struct SdcHistogram
{
	int32_t cells;
	const int32_t *code;
	const int64_t *count;
	int64_t records; /* sum of count */
} SdcHistogram;

/*
 * The values of the table that the classes are compared with.  Every value of
 * a class must occur here at least as often.
 */
typedef struct SdcTotals
{
	int32_t values;    /* codes are 0 .. values - 1 */
	int32_t occurring; /* values that occur; NULL counts as one */
	int64_t *total;    /* records with each code; total[values]: with NULL */
	int64_t records;   /* sum of total */
} SdcTotals;

/* Where the total of a code is. */
static inline int32_t
sdc_histogram_slot(const SdcTotals *totals, int32_t code)
{
	return code == SDC_CODE_NULL ? totals->values : code;
}

/*
 * Totals of one column of a frequency table.  Without nulls, records where it
 * is NULL are left out, and total[values] is 0.  O(cells + values).
 */
extern SdcTotals *sdc_histogram_totals(SdcHost *host,
									   const SdcFrequency *frequency,
									   int column, bool nulls);

/* Gives totals back before the host ends; NULL is ignored. */
extern void sdc_histogram_totals_release(SdcHost *host, SdcTotals *totals);

/*
 * The values of the last column in the cells first .. end - 1, which must
 * agree in all other columns.  Without nulls the cell of NULL is left out.
 * Points into the table.  O(cells of the class).
 */
extern SdcHistogram sdc_histogram_class(const SdcFrequency *frequency,
										int32_t first, int32_t end,
										bool nulls);

#endif
