/*
 * cells.h
 *		Attribute disclosure in the cells of a table.
 *
 * A cell is the records that agree in all quasi-identifiers.  Who knows that
 * a person is in a cell learns what all of its records share: an external
 * attack.  A coalition of some of them knows its own values, takes them away
 * and learns what the rest shares: an internal attack.
 */
#ifndef SDC_KERNEL_CELLS_H
#define SDC_KERNEL_CELLS_H

#include "kernel/base/host.h"
#include "kernel/table/frequency.h"

typedef struct SdcCell
{
	int32_t number;  /* of the class */
	int32_t column;  /* which sensitive column, for the caller */
	int32_t values;  /* different sensitive values */
	int32_t value;   /* the most frequent one, the first of equally frequent */
	int64_t records; /* in the cell; 0 when none is counted */
	int64_t largest; /* of them, those that have value */
} SdcCell;

/*
 * Fills one SdcCell for each class of the columns before the last one, which
 * is the sensitive one; column is stored in each.  ignore_null leaves records
 * out whose sensitive value is NULL, else NULL is one more value and comes
 * last.  O(cells of the table).
 */
extern void sdc_cells_measure(SdcHost *host, const SdcFrequency *frequency,
							  const SdcClasses *classes, bool ignore_null,
							  int32_t column, SdcCell *cell);

/*
 * The records whose values must be pooled before the rest of the cell is
 * known to share one value: its records less the largest group, 0 when nobody
 * needs to.  An attack by a coalition of c discloses the cell when this is at
 * most c (Torra 2024; c = 0 is the external attack).
 */
static inline int64_t
sdc_cells_coalition(const SdcCell *cell)
{
	return cell->records - cell->largest;
}

/*
 * Sorts cells: those that the smallest coalition discloses first, of these
 * the largest first, then in the order they had.  Cells without records come
 * last.  Returns the number of the cells that have records.  O(n).
 */
extern int32_t sdc_cells_sort(SdcHost *host, SdcCell *cell, int32_t n);

#endif
