/*
 * link_assignment.h
 *		One-to-one linkage: the assignment of least total cost.
 */
#ifndef SDC_KERNEL_LINK_ASSIGNMENT_H
#define SDC_KERNEL_LINK_ASSIGNMENT_H

#include "kernel/base/host.h"

/*
 * Assigns rows to columns, each at most once, as many as the shorter side
 * has, so that the sum of cost[row * columns + column] is least up to
 * rounding.  Costs are finite and may be negative.  assigned[row] gets the
 * column, or -1.  Among equally cheap assignments the one that is found
 * depends on the order of rows and columns alone.
 *
 * O(short^2 long) time at worst, scratch 32 bytes per row and column.
 * R. Jonker, A. Volgenant 1987, "A shortest augmenting path algorithm for
 * dense and sparse linear assignment problems", Computing 38.
 */
extern void sdc_link_assignment_solve(SdcHost *host, const double *cost,
									  int32_t rows, int32_t columns,
									  int32_t *assigned);

#endif
