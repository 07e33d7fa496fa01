/*
 * adjustment.h
 *		Controlled tabular adjustment: unsafe cells move away from their
 *		values, the others as little as they must.
 */
#ifndef SDC_KERNEL_ADJUSTMENT_H
#define SDC_KERNEL_ADJUSTMENT_H

#include "kernel/tabular/tabular.h"

typedef struct SdcAdjustment
{
	bool found;
	bool proven;
	double cost;   /* the sum of all changes, each by the weight of its cell */
	double bound;  /* no adjustment costs less */
	double change; /* the sum of all changes */
	double largest; /* change of one cell */
	int32_t moved;  /* cells that changed */
	int32_t unmet;  /* not found: an unsafe cell that cannot move, or -1 */
	double work;
} SdcAdjustment;

/*
 * Fills adjusted[] with whole numbers that satisfy all equations, in which
 * each unsafe cell is need_high or more above its value or need_low or more
 * below it, and no cell leaves value - low .. value + high; cells with the
 * role SDC_CELL_SHOWN stay.  Of these, one whose sum of |change| / weight is
 * least, as far as so much work finds it.  What is returned has been checked
 * without the solver.  Runs under the solver's guard.  Dandekar and Cox
 * (2002), Synthetic tabular data; Castro (2006) for the program.
 */
extern SdcAdjustment sdc_adjustment_run(const SdcTabular *table, double work,
										double *adjusted);

#endif
