/*
 * integer_search.h
 *		Integer programs by a branch and bound of our own.
 *
 * Relaxations are solved by the dual simplex of solver.h.  A node is
 * given up by a bound computed anew from prices (sdc_program_bound), so that
 * what is called optimal does not rest on what a solver rounds; that a
 * relaxation has no solution at all is the solver's word.
 */
#ifndef SDC_KERNEL_INTEGER_SEARCH_H
#define SDC_KERNEL_INTEGER_SEARCH_H

#include "kernel/base/host.h"
#include "kernel/base/solver.h"

typedef struct SdcIntegerColumns
{
	/* of a column: 0 for any number; the higher are decided first */
	const uint8_t *rank;
	/* its bounds, finite; whole for those of rank above 0 */
	const double *low;
	const double *high;
	/* every solution in whole numbers costs a whole number */
	bool whole_cost;
} SdcIntegerColumns;

/*
 * Solves min c'x with the columns of rank above 0 whole; the program is to be
 * minimised, has rows that are equations or at least something, and bounds as
 * in columns.  Stops after most_work of the program's work (program->work).
 * x[column] gets the best solution, whole columns exactly so.  Status:
 * OPTIMAL, FEASIBLE (work ran out, bound holds), INFEASIBLE or LIMIT (nothing
 * found).  Memory: 32 bytes for each node, at most 2 million nodes.
 */
extern SdcSolverResult sdc_integer_search(SdcProgram *program,
										  const SdcIntegerColumns *columns,
										  double most_work, double *x);

#endif
