/*
 * solver_program.h
 *		Linear programs that grow and are solved again and again.
 *
 * min or max c'x, rows low <= a'x <= high, columns low <= x <= high: a search
 * changes bounds, costs and rows and goes on from the last basis.  The rules
 * for memory and errors are those of solver.h: all calls run under its guard.
 * Rows and columns are numbered from 0.
 */
#ifndef SDC_KERNEL_SOLVER_PROGRAM_H
#define SDC_KERNEL_SOLVER_PROGRAM_H

#include "kernel/base/host.h"
#include "kernel/base/solver.h"

typedef struct SdcProgram
{
	SdcHost *host;
	struct glp_prob *problem;
	int columns;
	int rows;
	/* simplex iterations times rows and columns, of all runs so far */
	double work;
	/* a run stops with SDC_SOLVER_LIMIT once work is beyond; an infinity */
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

/* low <= x <= high; equal ones fix it, infinities leave it open. */
extern void sdc_program_bounds(SdcProgram *program, int column, double low,
							   double high);
/* Its bounds as they are. */
extern double sdc_program_low(const SdcProgram *program, int column);
extern double sdc_program_high(const SdcProgram *program, int column);

/* The cost of a column; -1 is the constant of the objective. */
extern void sdc_program_cost(SdcProgram *program, int column, double cost);

/* The row equals 0. */
extern void sdc_program_balance(SdcProgram *program, int row);

/* The row equals a number, or is at least that. */
extern void sdc_program_require(SdcProgram *program, int row, bool equal,
								double number);

/* One more row: sum of value[k] x[column[k]] >= low.  Returns its number. */
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

/* Forgets the basis: the next run starts from the slacks. */
extern void sdc_program_restart(SdcProgram *program);

/* Of the last run: x, and the price of a row. */
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
