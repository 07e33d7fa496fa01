/*
 * rounding.h
 *		Controlled rounding: all cells to multiples of a base, still adding up.
 */
#ifndef SDC_KERNEL_ROUNDING_H
#define SDC_KERNEL_ROUNDING_H

#include "kernel/tabular/tabular.h"

typedef struct SdcRounding
{
	/* each cell is one of the two multiples next to its value */
	bool restricted;
	/* no restricted rounding changes less in sum */
	bool proven;
	double change;  /* the sum of all changes */
	double bound;   /* no restricted rounding changes less */
	double largest; /* change of one cell */
	int32_t beyond; /* cells that are not next to their value */
	double work;
} SdcRounding;

/*
 * Rounds the values to multiples of base, a whole number of 1 or more, into
 * rounded[], so that all equations hold to the last unit.  Multiples stay
 * where that can be had.  Searches for the restricted rounding of least
 * change with so much work; when there is none, or none was found, or work is
 * 0, the cells that are no totals are rounded to a multiple next to them and
 * totals follow, as near to their values as single changes of cells bring
 * them: O(cells * totals above a cell) for each of a few passes.  Runs under
 * the solver's guard.  Salazar (2006), Controlled rounding and cell
 * perturbation; Langsrud and Heldal (2018) for the second.
 */
extern SdcRounding sdc_rounding_run(const SdcTabular *table, double base,
									double work, double *rounded);

#endif
