/*
 * solver.h
 *		Linear and integer programs solved by GLPK so that they can be stopped.
 *
 * The caller builds a problem with glpk.h and frees it; all of that, and the
 * functions below, must run under a guard that turns an error inside GLPK
 * into one of the host and frees GLPK's memory (src/host/server/host.h), for
 * GLPK allocates by itself and aborts the process when it finds a fault.  The
 * guard also hears what GLPK prints, some lines a second while it works, and
 * may leave it there by an error.  Without a guard glp_term_out silences it.
 */
#ifndef SDC_KERNEL_SOLVER_H
#define SDC_KERNEL_SOLVER_H

#include "kernel/base/host.h"

/* What glpk.h calls glp_prob. */
struct glp_prob;

/* How a run has ended. */
typedef enum SdcSolverStatus
{
	/* the best point, proven */
	SDC_SOLVER_OPTIMAL,
	/* a point, stopped by the limit before it was proven the best */
	SDC_SOLVER_FEASIBLE,
	/* there is no feasible point */
	SDC_SOLVER_INFEASIBLE,
	/* the objective (of an integer program: of its relaxation) has no bound */
	SDC_SOLVER_UNBOUNDED,
	/* stopped by the limit before any feasible point was found */
	SDC_SOLVER_LIMIT,
	/* stopped because host->pending said so; what is known is worthless */
	SDC_SOLVER_CANCELLED,
	/* a number of the problem is NaN or infinite; GLPK was not called */
	SDC_SOLVER_NOT_FINITE,
	/* GLPK gave up; reason says why */
	SDC_SOLVER_FAILED
} SdcSolverStatus;

/* What a run has found. */
typedef struct SdcSolverResult
{
	SdcSolverStatus status;
	/* of the point that the problem now holds; NaN when there is none */
	double objective;
	/*
	 * No feasible point is better, to GLPK's tolerances (1e-7 relative); the
	 * objective itself when optimal, an infinity when nothing is proven.
	 */
	double bound;
	/* why it failed, in plain words; otherwise NULL */
	const char *reason;
	double steps; /* that it took, see below */
} SdcSolverResult;

/*
 * Solves the problem as a linear program by the primal simplex method, from
 * the basis it holds.  An iteration counts 20000 steps, and 10 for each row,
 * column and number of the problem, about a nanosecond each; most ends it
 * after so many steps, 0: never.  Runs in slices of about 100 ms, counted in
 * iterations, so that the result does not depend on the machine, and asks
 * host->pending and host->poll between them; the guard may stop a slice.  The
 * values of an optimal point are computed anew from its basis.
 */
extern SdcSolverResult
sdc_solver_simplex(SdcHost *host, struct glp_prob *problem, double most);

/*
 * Solves the problem as a mixed integer program: the relaxation as above,
 * then branch and bound.  There host->pending is asked at every step of the
 * search, never inside the linear program of one node.  No presolver is used,
 * for it would solve the relaxation where nothing can be asked.
 */
extern SdcSolverResult
sdc_solver_integer(SdcHost *host, struct glp_prob *problem, double most);

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
 * whole numbers the program itself, within most steps (0: no limit); x,
 * when it is not NULL, gets the values of the point found, if there is one.
 */
extern SdcSolverResult sdc_solver_lp_solve(SdcSolverLp *lp, bool whole,
										   double most, double *x);

/* The price of each row at the solution of the last relaxation. */
extern void sdc_solver_lp_duals(SdcSolverLp *lp, double *price);

/* ----------------------------------------------------------------------
 * Linear programs that grow and are solved again and again.
 *
 * min or max c'x, rows low <= a'x <= high, columns low <= x <= high: a search
 * changes bounds, costs and rows and goes on from the last basis.  As said at
 * the head of this file, all calls run under the guard of the host, and the
 * memory is GLPK's.  Rows and columns are numbered from 0.
 * ----------------------------------------------------------------------
 */

/* Such a program; made by sdc_program_create. */
typedef struct SdcProgram
{
	SdcHost *host;
	struct glp_prob *problem;
	int columns;
	int rows; /* those that were added counted, deleted ones not */
	/* simplex iterations times rows and columns, of all runs so far */
	double work;
	/* a run stops with SDC_SOLVER_LIMIT once work is beyond; at first an
	 * infinity, which nothing is beyond */
	double most_work;
} SdcProgram;

/* An empty program, to be minimised or maximised.  O(columns + rows). */
extern SdcProgram *sdc_program_create(SdcHost *host, bool maximise,
									  int columns, int rows);

/* Gives its memory back; NULL is ignored. */
extern void sdc_program_free(SdcProgram *program);

/*
 * The matrix, count entries row[k], column[k], value[k]; replaces what there
 * was.  No place twice.
 */
extern void sdc_program_load(SdcProgram *program, int count, const int *row,
							 const int *column, const double *value);

/*
 * Sets the bounds of a column, low <= x <= high: equal ones fix it, infinities
 * leave it open.
 */
extern void sdc_program_bounds(SdcProgram *program, int column, double low,
							   double high);

/* The bounds of a column; -DBL_MAX and DBL_MAX where it has none. */
extern double sdc_program_low(const SdcProgram *program, int column);
extern double sdc_program_high(const SdcProgram *program, int column);

/* Sets the cost of a column; column -1 is the constant of the objective. */
extern void sdc_program_cost(SdcProgram *program, int column, double cost);

/* Demands that a row equals 0. */
extern void sdc_program_balance(SdcProgram *program, int row);

/* Demands that a row equals a number, or is at least that. */
extern void sdc_program_require(SdcProgram *program, int row, bool equal,
								double number);

/* Adds a row: sum of value[k] x[column[k]] >= low.  Returns its number. */
extern int sdc_program_add_row(SdcProgram *program, int count,
							   const int *column, const double *value,
							   double low);

/* Deletes rows by their numbers, ascending; later ones move up. */
extern void sdc_program_delete_rows(SdcProgram *program, int count,
									const int *row);

/*
 * Solves by the primal simplex method, or with dual by the dual one, from the
 * basis of the last run.  Slices end after a number of iterations, not at a
 * time, so the point found is the same on every machine; host->poll is called
 * between them.
 */
extern SdcSolverResult sdc_program_solve(SdcProgram *program, bool dual);

/* Of the last run: the value of a column, and the price (dual) of a row. */
extern double sdc_program_value(const SdcProgram *program, int column);
extern double sdc_program_price(const SdcProgram *program, int row);

/* How far a row made by add_row is above its low. */
extern double sdc_program_slack(const SdcProgram *program, int row);

/*
 * A lower bound of a program to be minimised, of rows that are equations or
 * at least something, that holds whatever the solver's tolerances: the
 * Lagrangian of the row prices of the last run, those below 0 of rows that
 * are no equations taken for 0, over the columns' bounds.
 * reduced[column], unless NULL, gets the reduced cost: the bound rises by it
 * times the way that the column is forced up from its low when it is
 * positive, down from its high when it is negative.  O(entries).
 */
extern double sdc_program_bound(const SdcProgram *program, double *reduced);

#endif
