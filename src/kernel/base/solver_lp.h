/*
 * solver_lp.h
 *		A covering program that grows: columns chosen, rows to be covered.
 *
 * A thin wrapper of GLPK for kernels, which do not see glpk.h.  Everything
 * here must run under src/pg/server/solver_guard.h, see solver.h.
 */
#ifndef SDC_KERNEL_SOLVER_LP_H
#define SDC_KERNEL_SOLVER_LP_H

#include "kernel/base/solver.h"

/*
 * min sum x_j, 0 <= x_j <= 1, with rows sum over a set of x_j >= 1.  The
 * memory is GLPK's.
 */
typedef struct SdcSolverLp
{
	SdcHost *host;
	struct glp_prob *problem;
	int columns;
	int rows;
	int *index;     /* room for one row, and a place 0 that GLPK skips */
	double *weight; /* the same, all 1 */
} SdcSolverLp;

/* A program of the given number of columns, and no rows yet. */
extern SdcSolverLp *sdc_solver_lp_create(SdcHost *host, int columns);

/* Adds the row: one of the count columns in member[], distinct, is chosen. */
extern void sdc_solver_lp_cover(SdcSolverLp *lp, const int32_t *member,
								int count);

/*
 * Solves the relaxation (x real) from the basis of the last call, or with
 * whole numbers the program itself, within time_limit seconds (0: none); x,
 * when it is not NULL, gets the values of the point found, if there is one.
 */
extern SdcSolverResult sdc_solver_lp_solve(SdcSolverLp *lp, bool whole,
										   double time_limit, double *x);

/* The price of each row at the solution of the last relaxation. */
extern void sdc_solver_lp_duals(SdcSolverLp *lp, double *price);

extern void sdc_solver_lp_release(SdcSolverLp *lp);

#endif
