/*
 * Linear and integer programs: known optima, enumeration as the oracle for
 * small integer programs, refusals, time limit and cancel.
 */
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/solver.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <glpk.h>

#define ROWS    700
#define COLUMNS 1000

/* A host whose cancel arrives after so many questions. */
static int questions_left;

static bool
cancel_later(SdcHost *host)
{
	(void) host;
	return --questions_left < 0;
}

/* max 10 x + 6 y + 4 z, three rows; the optimum is 733 1/3. */
static glp_prob *
textbook(void)
{
	static const double value[3][3] = {{1, 1, 1}, {10, 4, 5}, {2, 2, 6}};
	static const double right[3] = {100, 600, 300};
	static const double gain[3] = {10, 6, 4};
	glp_prob *problem = glp_create_prob();
	int i;

	glp_set_obj_dir(problem, GLP_MAX);
	glp_add_rows(problem, 3);
	glp_add_cols(problem, 3);
	for (i = 1; i <= 3; i++)
	{
		int index[4] = {0, 1, 2, 3};
		double row[4] = {0, value[i - 1][0], value[i - 1][1], value[i - 1][2]};

		glp_set_row_bnds(problem, i, GLP_UP, 0, right[i - 1]);
		glp_set_mat_row(problem, i, 3, index, row);
		glp_set_col_bnds(problem, i, GLP_LO, 0, 0);
		glp_set_obj_coef(problem, i, gain[i - 1]);
	}
	return problem;
}

static const char *const status_name[] = {
	"optimal",    "feasible",  "infeasible", "unbounded",
	"time limit", "cancelled", "not finite", "failed"};

static void
check_status(const char *what, SdcSolverResult result, SdcSolverStatus status)
{
	unit_check(result.status == status, "%s: %s", what,
			   status_name[result.status]);
}

static void
check_textbook(void)
{
	glp_prob *problem = textbook();
	SdcSolverResult result = sdc_solver_simplex(unit_host(), problem, 0);

	check_status("textbook", result, SDC_SOLVER_OPTIMAL);
	unit_check(fabs(result.objective - 2200.0 / 3) < 1e-9, "optimum %.12g",
			   result.objective);
	unit_check(result.bound == result.objective, "bound is the optimum");
	unit_check(fabs(glp_get_col_prim(problem, 1) - 100.0 / 3) < 1e-9,
			   "first variable");
	glp_set_col_kind(problem, 1, GLP_IV);
	glp_set_col_kind(problem, 2, GLP_IV);
	glp_set_col_kind(problem, 3, GLP_IV);
	result = sdc_solver_integer(unit_host(), problem, 0);
	check_status("textbook in integers", result, SDC_SOLVER_OPTIMAL);
	unit_check(fabs(result.objective - 732) < 1e-9, "integer optimum %.12g",
			   result.objective);
	glp_delete_prob(problem);
}

static void
check_no_optimum(void)
{
	glp_prob *problem = textbook();
	SdcSolverResult result;

	glp_set_row_bnds(problem, 1, GLP_LO, 1000, 0);
	result = sdc_solver_simplex(unit_host(), problem, 0);
	check_status("no feasible point", result, SDC_SOLVER_INFEASIBLE);
	unit_check(isnan(result.objective), "no point, no objective");
	check_status("the same in integers",
				 sdc_solver_integer(unit_host(), problem, 0),
				 SDC_SOLVER_INFEASIBLE);
	glp_set_row_bnds(problem, 1, GLP_FR, 0, 0);
	glp_set_row_bnds(problem, 2, GLP_FR, 0, 0);
	glp_set_row_bnds(problem, 3, GLP_FR, 0, 0);
	check_status("no bound", sdc_solver_simplex(unit_host(), problem, 0),
				 SDC_SOLVER_UNBOUNDED);
	check_status("the same in integers",
				 sdc_solver_integer(unit_host(), problem, 0),
				 SDC_SOLVER_UNBOUNDED);
	glp_set_col_bnds(problem, 1, GLP_DB, 2, 1);
	result = sdc_solver_simplex(unit_host(), problem, 0);
	check_status("bounds crossed", result, SDC_SOLVER_FAILED);
	unit_check(result.reason != NULL, "with a reason");
	glp_delete_prob(problem);
}

/* 2 x = 1 has no integer solution though its relaxation has one. */
static void
check_integer_infeasible(void)
{
	glp_prob *problem = glp_create_prob();
	int index[2] = {0, 1};
	double value[2] = {0, 2};

	glp_add_rows(problem, 1);
	glp_add_cols(problem, 1);
	glp_set_row_bnds(problem, 1, GLP_FX, 1, 1);
	glp_set_mat_row(problem, 1, 1, index, value);
	glp_set_col_kind(problem, 1, GLP_IV);
	glp_set_col_bnds(problem, 1, GLP_DB, 0, 10);
	check_status("half is no integer",
				 sdc_solver_integer(unit_host(), problem, 0),
				 SDC_SOLVER_INFEASIBLE);
	glp_delete_prob(problem);
}

/* A bad number in each place where a problem holds one. */
static void
check_not_finite(double bad, const char *name)
{
	static const char *const places[] = {"matrix", "row bound", "column bound",
										 "objective", "constant"};
	int place;

	for (place = 0; place < 5; place++)
	{
		glp_prob *problem = textbook();
		int index[2] = {0, 2};
		double value[2] = {0, bad};

		if (place == 0)
			glp_set_mat_row(problem, 2, 1, index, value);
		else if (place == 1)
			glp_set_row_bnds(problem, 3, GLP_UP, 0, bad);
		else if (place == 2)
			glp_set_col_bnds(problem, 3, GLP_LO, bad, 0);
		else
			glp_set_obj_coef(problem, place == 3 ? 3 : 0, bad);
		unit_check(sdc_solver_simplex(unit_host(), problem, 0).status ==
					   SDC_SOLVER_NOT_FINITE,
				   "%s in %s", name, places[place]);
		unit_check(sdc_solver_integer(unit_host(), problem, 0).status ==
					   SDC_SOLVER_NOT_FINITE,
				   "%s in %s, integer", name, places[place]);
		glp_delete_prob(problem);
	}
}

#define ITEMS 10

/* A random knapsack with two rows; its best value by trying all subsets. */
static double
knapsack(SdcRandom *random, glp_prob *problem)
{
	double weight[2][ITEMS + 1];
	double gain[ITEMS + 1];
	double room[2] = {0, 0};
	double best = 0;
	int index[ITEMS + 1];
	int row;
	int i;
	uint32_t subset;

	glp_set_obj_dir(problem, GLP_MAX);
	glp_add_rows(problem, 2);
	glp_add_cols(problem, ITEMS);
	for (i = 1; i <= ITEMS; i++)
	{
		index[i] = i;
		gain[i] = (double) (1 + sdc_random_below(random, 50));
		glp_set_obj_coef(problem, i, gain[i]);
		glp_set_col_kind(problem, i, GLP_BV);
		for (row = 0; row < 2; row++)
		{
			weight[row][i] = (double) (1 + sdc_random_below(random, 30));
			room[row] += weight[row][i] / 2;
		}
	}
	for (row = 0; row < 2; row++)
	{
		glp_set_mat_row(problem, row + 1, ITEMS, index, weight[row]);
		glp_set_row_bnds(problem, row + 1, GLP_UP, 0, room[row]);
	}
	for (subset = 0; subset < 1u << ITEMS; subset++)
	{
		double total[3] = {0, 0, 0};

		for (i = 0; i < ITEMS; i++)
			if (subset >> i & 1)
			{
				total[0] += weight[0][i + 1];
				total[1] += weight[1][i + 1];
				total[2] += gain[i + 1];
			}
		if (total[0] <= room[0] && total[1] <= room[1] && total[2] > best)
			best = total[2];
	}
	return best;
}

static void
check_enumeration(void)
{
	SdcRandom random;
	int right = 0;
	int i;

	sdc_random_seed(&random, 1, 0);
	for (i = 0; i < 40; i++)
	{
		glp_prob *problem = glp_create_prob();
		double best = knapsack(&random, problem);
		SdcSolverResult result = sdc_solver_integer(unit_host(), problem, 0);

		right += result.status == SDC_SOLVER_OPTIMAL &&
				 fabs(result.objective - best) < 1e-6 &&
				 result.bound == result.objective;
		glp_delete_prob(problem);
	}
	unit_check(right == 40, "%d of 40 knapsacks as enumerated", right);
}

/* A dense program of rows x columns. */
static glp_prob *
dense(int rows, int columns)
{
	glp_prob *problem = glp_create_prob();
	int *index = malloc(sizeof(int) * (size_t) (columns + 1));
	double *value = malloc(sizeof(double) * (size_t) (columns + 1));
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 7, 0);
	glp_set_obj_dir(problem, GLP_MAX);
	glp_add_rows(problem, rows);
	glp_add_cols(problem, columns);
	for (j = 1; j <= columns; j++)
	{
		glp_set_col_bnds(problem, j, GLP_LO, 0, 0);
		glp_set_obj_coef(problem, j, 1 + sdc_random_unit(&random));
	}
	for (i = 1; i <= rows; i++)
	{
		for (j = 1; j <= columns; j++)
		{
			index[j] = j;
			value[j] = 0.1 + sdc_random_unit(&random);
		}
		glp_set_mat_row(problem, i, columns, index, value);
		glp_set_row_bnds(problem, i, GLP_UP, 0,
						 1000 * (1 + sdc_random_unit(&random)));
	}
	free(index);
	free(value);
	return problem;
}

/* Equality knapsacks with slacks ("market split"): hopeless to finish. */
static glp_prob *
market_split(bool turned)
{
	enum
	{
		SUMS = 5,
		CHOICES = 40
	};
	glp_prob *problem = glp_create_prob();
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 7, 0);
	glp_set_obj_dir(problem, turned ? GLP_MAX : GLP_MIN);
	glp_add_rows(problem, SUMS);
	glp_add_cols(problem, CHOICES + 2 * SUMS);
	for (j = 1; j <= CHOICES; j++)
		glp_set_col_kind(problem, j, GLP_BV);
	for (i = 1; i <= SUMS; i++)
	{
		int slack = CHOICES + 2 * i;
		int index[CHOICES + 3];
		double value[CHOICES + 3];
		double sum = 0;

		for (j = 1; j <= CHOICES; j++)
		{
			index[j] = j;
			value[j] = (double) sdc_random_below(&random, 100);
			sum += value[j];
		}
		for (j = 0; j < 2; j++)
		{
			index[CHOICES + 1 + j] = slack - j;
			value[CHOICES + 1 + j] = j == 0 ? 1 : -1;
			glp_set_col_bnds(problem, slack - j, GLP_LO, 0, 0);
			glp_set_obj_coef(problem, slack - j, turned ? -1 : 1);
		}
		glp_set_mat_row(problem, i, CHOICES + 2, index, value);
		glp_set_row_bnds(problem, i, GLP_FX, floor(sum / 2), 0);
	}
	return problem;
}

static void
check_slices(void)
{
	SdcHost host = *unit_host();
	glp_prob *problem = dense(ROWS, COLUMNS);
	glp_prob *again = dense(ROWS, COLUMNS);
	SdcSolverResult first;
	SdcSolverResult second;
	glp_smcp whole;
	int j;
	int equal = 0;

	host.pending = cancel_later;
	questions_left = 1000000;

	/* the first in slices, the second in one run and then from its basis */
	first = sdc_solver_simplex(&host, problem, 0);
	glp_init_smcp(&whole);
	whole.msg_lev = GLP_MSG_OFF;
	glp_simplex(again, &whole);
	second = sdc_solver_simplex(&host, again, 0);
	check_status("dense program in slices", first, SDC_SOLVER_OPTIMAL);
	for (j = 1; j <= COLUMNS; j++)
		equal += glp_get_col_prim(problem, j) == glp_get_col_prim(again, j);
	unit_check(questions_left < 1000000, "it took more than one slice");
	unit_check(equal == COLUMNS && first.objective == second.objective,
			   "the slices leave no trace in the bits");
	glp_delete_prob(problem);
	glp_delete_prob(again);
}

static int lines;

static int
count_line(void *info, const char *line)
{
	(void) info;
	(void) line;
	lines++;
	return 1;
}

/* Who listens is told while a slice runs, and can stop it there. */
static void
check_lines(void)
{
	glp_prob *problem = dense(ROWS, COLUMNS);
	SdcProgram *program = sdc_program_create(unit_host(), false, 1, 0);
	double one = 1;
	int column = 0;

	glp_term_out(GLP_ON);
	glp_term_hook(count_line, NULL);
	check_status("a guard that listens",
				 sdc_solver_simplex(unit_host(), problem, 0),
				 SDC_SOLVER_OPTIMAL);
	unit_check(lines > 0, "simplex tells how far it is: %d lines", lines);
	lines = 0;
	sdc_program_bounds(program, 0, 0, 5);
	sdc_program_cost(program, 0, 1);
	sdc_program_add_row(program, 1, &column, &one, 2);
	check_status("the same of a program", sdc_program_solve(program, true),
				 SDC_SOLVER_OPTIMAL);
	unit_check(lines > 0, "programs tell, too: %d lines", lines);
	glp_term_hook(NULL, NULL);
	glp_term_out(GLP_OFF);
	sdc_program_free(program);
	glp_delete_prob(problem);
}

static void
check_stops(void)
{
	SdcHost host = *unit_host();
	glp_prob *problem = dense(ROWS, COLUMNS);
	int turned;

	host.pending = cancel_later;
	questions_left = 0;
	check_status("cancelled in simplex", sdc_solver_simplex(&host, problem, 0),
				 SDC_SOLVER_CANCELLED);
	check_status("steps used up in simplex",
				 sdc_solver_simplex(unit_host(), problem, 3e8),
				 SDC_SOLVER_FEASIBLE);
	glp_delete_prob(problem);
	for (turned = 0; turned < 2; turned++)
	{
		const char *name = turned ? "maximised" : "minimised";
		double sign = turned ? -1 : 1;
		SdcSolverResult result;

		problem = market_split(turned);
		questions_left = 100;
		check_status("cancelled in a search",
					 sdc_solver_integer(&host, problem, 0),
					 SDC_SOLVER_CANCELLED);
		glp_delete_prob(problem);
		problem = market_split(turned);
		result = sdc_solver_integer(unit_host(), problem, 5e8);
		check_status(name, result, SDC_SOLVER_FEASIBLE);
		unit_check(result.objective == glp_mip_obj_val(problem),
				   "%s: objective of the point held", name);
		unit_check(isfinite(result.bound) &&
					   sign * result.bound < sign * result.objective,
				   "%s: bound %g is better than %g", name, result.bound,
				   result.objective);
		glp_delete_prob(problem);
	}
}

int
main(void)
{
	unit_start("solver");
	check_textbook();
	check_no_optimum();
	check_integer_infeasible();
	check_not_finite(NAN, "NaN");
	check_not_finite(INFINITY, "infinity");
	check_not_finite(-INFINITY, "minus infinity");
	check_enumeration();
	check_slices();
	check_lines();
	check_stops();
	glp_free_env();
	return unit_finish();
}
