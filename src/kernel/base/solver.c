/*
 * solver.c
 *		Linear and integer programs solved by GLPK so that they can be stopped.
 *
 * GLPK takes NaN and infinities for numbers and calls the result optimal, so
 * every number is checked first.  A simplex run cannot be interrupted, but
 * ends after a number of iterations and goes on from the basis it reached: so
 * it is run in slices.  Branch and bound cannot be resumed, but calls back.
 * While branch and bound works host->pending is asked, which returns;
 * host->poll, which may not, is called between two runs of simplex.  How long
 * a slice takes depends on how full the basis gets, so GLPK also prints while
 * it works: the guard of the host hears that, and may stop it there.
 */
#include <glpk.h>
#include <limits.h>
#include <math.h>

#include "kernel/base/host.h"
#include "kernel/base/solver.h"

/* Steps of one simplex run. */
#define SLICE 2e8

/* Milliseconds between two lines that GLPK prints. */
#define LINES 100

/* Steps of an iteration, and for each row, column and number. */
#define ITERATION 2e4
#define NUMBER    10

/* Columns checked between two polls. */
#define CHECKED_COLUMNS 1024

typedef struct Watch
{
	SdcHost *host;
	glp_prob *problem;
	double iteration; /* steps of one */
	int begun;        /* GLPK's count of iterations at the start */
	double most;      /* steps */
	bool cancelled;
	bool spent;
	double bound; /* of the open nodes of a search */
} Watch;

static void
start_watch(Watch *watch, SdcHost *host, glp_prob *problem, double most)
{
	watch->host = host;
	watch->problem = problem;
	watch->iteration =
		ITERATION +
		NUMBER * ((double) glp_get_num_rows(problem) +
				  glp_get_num_cols(problem) + glp_get_num_nz(problem));
	watch->begun = glp_get_it_cnt(problem);
	watch->most = most > 0 ? most : INFINITY;
	watch->cancelled = false;
	watch->spent = false;
	watch->bound = NAN;
}

/* Steps since the start. */
static double
steps_taken(const Watch *watch)
{
	return watch->iteration * (glp_get_it_cnt(watch->problem) - watch->begun);
}

/* Is it time to stop?  The watch then says why. */
static bool
must_stop(Watch *watch)
{
	if (!watch->cancelled)
		watch->cancelled = watch->host->pending(watch->host);
	if (!watch->spent)
		watch->spent = steps_taken(watch) >= watch->most;
	return watch->cancelled || watch->spent;
}

/* Iterations of the next slice, at least one. */
static int
slice_length(const Watch *watch)
{
	double left = watch->most - steps_taken(watch);
	double steps = left < SLICE ? left : SLICE;
	double iterations = ceil(steps / fmax(1, watch->iteration));

	return iterations < 1         ? 1
		   : iterations > INT_MAX ? INT_MAX
								  : (int) iterations;
}

/* Are all values of one column of the matrix finite? */
static bool
column_finite(SdcHost *host, glp_prob *problem, int column)
{
	int count = glp_get_mat_col(problem, column, NULL, NULL);
	int *row = sdc_new(host, int, (size_t) count + 1);
	double *value = sdc_new(host, double, (size_t) count + 1);
	bool finite = true;
	int i;

	glp_get_mat_col(problem, column, row, value);
	for (i = 1; i <= count; i++)
		finite = finite && isfinite(value[i]);
	host->release(host, row);
	host->release(host, value);
	return finite;
}

/* Is every number of the problem finite?  O(rows + columns + values). */
static bool
all_finite(SdcHost *host, glp_prob *problem)
{
	int rows = glp_get_num_rows(problem);
	int columns = glp_get_num_cols(problem);
	int i;

	if (!isfinite(glp_get_obj_coef(problem, 0)))
		return false;
	for (i = 1; i <= rows; i++)
		if (!isfinite(glp_get_row_lb(problem, i)) ||
			!isfinite(glp_get_row_ub(problem, i)))
			return false;
	for (i = 1; i <= columns; i++)
	{
		if (i % CHECKED_COLUMNS == 0)
			host->poll(host, 0, 0);
		if (!isfinite(glp_get_col_lb(problem, i)) ||
			!isfinite(glp_get_col_ub(problem, i)) ||
			!isfinite(glp_get_obj_coef(problem, i)) ||
			!column_finite(host, problem, i))
			return false;
	}
	return true;
}

/* Plain words for what glp_simplex and glp_intopt return. */
static const char *
reason_of(int code)
{
	switch (code)
	{
		case GLP_EBOUND:
			return "a lower bound is not below its upper bound, or a bound "
				   "of an integer variable is not an integer";
		case GLP_EBADB:
		case GLP_EROOT:
			return "the basis to start from is not valid";
		case GLP_ESING:
		case GLP_ECOND:
			return "the basis matrix is singular or ill-conditioned";
		default:
			return "the numbers of the problem are too badly scaled";
	}
}

/* A result that knows no point and has proven nothing. */
static SdcSolverResult
nothing_known(glp_prob *problem, SdcSolverStatus status)
{
	SdcSolverResult result;

	result.status = status;
	result.objective = NAN;
	result.bound = glp_get_obj_dir(problem) == GLP_MIN ? -INFINITY : INFINITY;
	result.reason = NULL;
	result.steps = 0;
	return result;
}

static SdcSolverResult
failed(glp_prob *problem, int code)
{
	SdcSolverResult result = nothing_known(problem, SDC_SOLVER_FAILED);

	result.reason = reason_of(code);
	return result;
}

/* Settings of simplex: it prints now and then, so that it can be stopped. */
static void
init_simplex(glp_smcp *settings)
{
	glp_init_smcp(settings);
	settings->msg_lev = GLP_MSG_ON;
	settings->out_frq = LINES;
}

/* Runs simplex to its end or until it must stop; returns GLPK's code. */
static int
run_simplex(glp_prob *problem, Watch *watch)
{
	glp_smcp settings;
	int code;

	init_simplex(&settings);
	for (;;)
	{
		settings.it_lim = slice_length(watch);
		code = glp_simplex(problem, &settings);
		if (code != GLP_EITLIM || must_stop(watch))
			return code;
		watch->host->poll(watch->host, 0, 0);
	}
}

/* What a run of simplex that ended with the code has shown. */
static SdcSolverResult
simplex_result(glp_prob *problem, const Watch *watch, int code)
{
	SdcSolverResult result;

	if (watch->cancelled)
		return nothing_known(problem, SDC_SOLVER_CANCELLED);
	if (code == GLP_EITLIM)
	{
		result = nothing_known(problem, SDC_SOLVER_LIMIT);
		if (glp_get_prim_stat(problem) == GLP_FEAS)
		{
			result.status = SDC_SOLVER_FEASIBLE;
			result.objective = glp_get_obj_val(problem);
		}
		return result;
	}
	if (code != 0)
		return failed(problem, code);
	switch (glp_get_status(problem))
	{
		case GLP_OPT:
			result = nothing_known(problem, SDC_SOLVER_OPTIMAL);
			result.objective = glp_get_obj_val(problem);
			result.bound = result.objective;
			return result;
		case GLP_NOFEAS:
			return nothing_known(problem, SDC_SOLVER_INFEASIBLE);
		case GLP_UNBND:
			return nothing_known(problem, SDC_SOLVER_UNBOUNDED);
		default:
			return failed(problem, code);
	}
}

/* Checks the numbers and solves the linear program. */
static SdcSolverResult
solve_relaxation(glp_prob *problem, Watch *watch)
{
	if (!all_finite(watch->host, problem))
		return nothing_known(problem, SDC_SOLVER_NOT_FINITE);
	return simplex_result(problem, watch, run_simplex(problem, watch));
}

SdcSolverResult
sdc_solver_simplex(SdcHost *host, struct glp_prob *problem, double most)
{
	Watch watch;
	SdcSolverResult result;

	host->stage(host, "solving");
	start_watch(&watch, host, problem, most);
	result = solve_relaxation(problem, &watch);
	if (result.status == SDC_SOLVER_OPTIMAL && glp_factorize(problem) == 0 &&
		glp_warm_up(problem) == 0)
	{
		result.objective = glp_get_obj_val(problem);
		result.bound = result.objective;
	}
	result.steps = steps_taken(&watch);
	return result;
}

/* GLPK calls this at every step of branch and bound. */
static void
watch_search(glp_tree *tree, void *info)
{
	Watch *watch = info;
	int node = glp_ios_best_node(tree);

	if (node != 0)
		watch->bound = glp_ios_node_bound(tree, node);
	if (must_stop(watch))
		glp_ios_terminate(tree);
}

/* Runs branch and bound from the solved relaxation; returns GLPK's code. */
static int
run_search(glp_prob *problem, Watch *watch)
{
	glp_iocp settings;

	glp_init_iocp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.presolve = GLP_OFF;
	settings.cb_func = watch_search;
	settings.cb_info = watch;
	return glp_intopt(problem, &settings);
}

/*
 * The bound a stopped search has proven: nothing is better than the best open
 * node, nor than the relaxation; and when the point at hand beats both, it is
 * the best.  An objective that is maximised is compared with its sign turned.
 */
static double
search_bound(glp_prob *problem, double relaxation, const Watch *watch,
			 double objective)
{
	double sign = glp_get_obj_dir(problem) == GLP_MIN ? 1 : -1;
	double bound = sign * relaxation;

	if (sign * watch->bound > bound)
		bound = sign * watch->bound;
	if (sign * objective < bound)
		bound = sign * objective;
	return sign * bound;
}

/* What a search that ended with the code has shown. */
static SdcSolverResult
search_result(glp_prob *problem, const Watch *watch, double relaxation,
			  int code)
{
	SdcSolverResult result = nothing_known(problem, SDC_SOLVER_LIMIT);
	int status = glp_mip_status(problem);

	if (watch->cancelled)
		return nothing_known(problem, SDC_SOLVER_CANCELLED);
	if (code != 0 && code != GLP_ESTOP)
		return failed(problem, code);
	if (status == GLP_NOFEAS)
		return nothing_known(problem, SDC_SOLVER_INFEASIBLE);
	if (status == GLP_OPT || status == GLP_FEAS)
	{
		result.status =
			status == GLP_OPT ? SDC_SOLVER_OPTIMAL : SDC_SOLVER_FEASIBLE;
		result.objective = glp_mip_obj_val(problem);
	}
	else if (code == 0)
		return failed(problem, code);
	result.bound =
		result.status == SDC_SOLVER_OPTIMAL
			? result.objective
			: search_bound(problem, relaxation, watch, result.objective);
	return result;
}

SdcSolverResult
sdc_solver_integer(SdcHost *host, struct glp_prob *problem, double most)
{
	Watch watch;
	SdcSolverResult relaxation;
	SdcSolverResult result;

	host->stage(host, "solving the relaxation");
	start_watch(&watch, host, problem, most);
	relaxation = solve_relaxation(problem, &watch);
	result = relaxation;
	if (relaxation.status == SDC_SOLVER_FEASIBLE)
		result = nothing_known(problem, SDC_SOLVER_LIMIT);
	else if (relaxation.status == SDC_SOLVER_OPTIMAL)
	{
		host->stage(host, "searching");
		result = search_result(problem, &watch, relaxation.objective,
							   run_search(problem, &watch));
	}
	result.steps = steps_taken(&watch);
	return result;
}

/* ----------------------------------------------------------------------
 * A covering program that grows: columns chosen, rows to be covered.
 *
 * New rows enter the basis by their slack, so the next simplex run starts
 * from where the last one ended.
 * ----------------------------------------------------------------------
 */

SdcSolverLp *
sdc_solver_lp_create(SdcHost *host, int columns)
{
	SdcSolverLp *lp = sdc_new(host, SdcSolverLp, 1);
	int j;

	lp->host = host;
	lp->columns = columns;
	lp->rows = 0;
	lp->index = sdc_new(host, int, (size_t) columns + 1);
	lp->weight = sdc_new(host, double, (size_t) columns + 1);
	lp->problem = glp_create_prob();
	glp_set_obj_dir(lp->problem, GLP_MIN);
	if (columns > 0)
		glp_add_cols(lp->problem, columns);
	for (j = 1; j <= columns; j++)
	{
		lp->weight[j] = 1;
		glp_set_col_kind(lp->problem, j, GLP_BV);
		glp_set_obj_coef(lp->problem, j, 1);
	}
	return lp;
}

void
sdc_solver_lp_cover(SdcSolverLp *lp, const int32_t *member, int count)
{
	int row = glp_add_rows(lp->problem, 1);
	int i;

	for (i = 0; i < count; i++)
		lp->index[i + 1] = member[i] + 1;
	glp_set_mat_row(lp->problem, row, count, lp->index, lp->weight);
	glp_set_row_bnds(lp->problem, row, GLP_LO, 1, 0);
	lp->rows++;
}

SdcSolverResult
sdc_solver_lp_solve(SdcSolverLp *lp, bool whole, double most, double *x)
{
	SdcSolverResult result =
		whole ? sdc_solver_integer(lp->host, lp->problem, most)
			  : sdc_solver_simplex(lp->host, lp->problem, most);
	int j;

	if (x != NULL && (result.status == SDC_SOLVER_OPTIMAL ||
					  result.status == SDC_SOLVER_FEASIBLE))
		for (j = 0; j < lp->columns; j++)
			x[j] = whole ? glp_mip_col_val(lp->problem, j + 1)
						 : glp_get_col_prim(lp->problem, j + 1);
	return result;
}

void
sdc_solver_lp_duals(SdcSolverLp *lp, double *price)
{
	int i;

	for (i = 0; i < lp->rows; i++)
		price[i] = glp_get_row_dual(lp->problem, i + 1);
}

/* ----------------------------------------------------------------------
 * Linear programs that grow and are solved again and again.
 *
 * GLPK numbers from 1 and stops a run after a number of iterations, which is
 * how long ones are cut into slices between which the host is asked.  A run
 * that GLPK gives up is begun once more from the slacks.
 * ----------------------------------------------------------------------
 */

/* A slice is about so many iterations times rows and columns. */
#define SLICE_WORK 2e7

SdcProgram *
sdc_program_create(SdcHost *host, bool maximise, int columns, int rows)
{
	SdcProgram *program = sdc_new(host, SdcProgram, 1);

	program->host = host;
	program->columns = columns;
	program->rows = rows;
	program->work = 0;
	program->most_work = INFINITY;
	program->problem = glp_create_prob();
	glp_set_obj_dir(program->problem, maximise ? GLP_MAX : GLP_MIN);
	if (rows > 0)
		glp_add_rows(program->problem, rows);
	if (columns > 0)
		glp_add_cols(program->problem, columns);
	return program;
}

void
sdc_program_free(SdcProgram *program)
{
	if (program == NULL)
		return;
	glp_delete_prob(program->problem);
	program->host->release(program->host, program);
}

void
sdc_program_load(SdcProgram *program, int count, const int *row,
				 const int *column, const double *value)
{
	SdcHost *host = program->host;
	int *i = sdc_new(host, int, (size_t) count + 1);
	int *j = sdc_new(host, int, (size_t) count + 1);
	double *v = sdc_new(host, double, (size_t) count + 1);
	int k;

	for (k = 0; k < count; k++)
	{
		i[k + 1] = row[k] + 1;
		j[k + 1] = column[k] + 1;
		v[k + 1] = value[k];
	}
	glp_load_matrix(program->problem, count, i, j, v);
	host->release(host, i);
	host->release(host, j);
	host->release(host, v);
}

void
sdc_program_bounds(SdcProgram *program, int column, double low, double high)
{
	int type = isinf(low)    ? isinf(high) ? GLP_FR : GLP_UP
			   : isinf(high) ? GLP_LO
			   : low < high  ? GLP_DB
							 : GLP_FX;

	glp_set_col_bnds(program->problem, column + 1, type, low, high);
}

double
sdc_program_low(const SdcProgram *program, int column)
{
	return glp_get_col_lb(program->problem, column + 1);
}

double
sdc_program_high(const SdcProgram *program, int column)
{
	return glp_get_col_ub(program->problem, column + 1);
}

void
sdc_program_cost(SdcProgram *program, int column, double cost)
{
	glp_set_obj_coef(program->problem, column + 1, cost);
}

void
sdc_program_balance(SdcProgram *program, int row)
{
	glp_set_row_bnds(program->problem, row + 1, GLP_FX, 0, 0);
}

void
sdc_program_require(SdcProgram *program, int row, bool equal, double number)
{
	glp_set_row_bnds(program->problem, row + 1, equal ? GLP_FX : GLP_LO,
					 number, number);
}

int
sdc_program_add_row(SdcProgram *program, int count, const int *column,
					const double *value, double low)
{
	SdcHost *host = program->host;
	int row = glp_add_rows(program->problem, 1);
	int *j = sdc_new(host, int, (size_t) count + 1);
	double *v = sdc_new(host, double, (size_t) count + 1);
	int k;

	for (k = 0; k < count; k++)
	{
		j[k + 1] = column[k] + 1;
		v[k + 1] = value[k];
	}
	glp_set_row_bnds(program->problem, row, GLP_LO, low, 0);
	glp_set_mat_row(program->problem, row, count, j, v);
	host->release(host, j);
	host->release(host, v);
	program->rows = row;
	return row - 1;
}

void
sdc_program_delete_rows(SdcProgram *program, int count, const int *row)
{
	int *number;
	int k;

	if (count == 0)
		return;
	number = sdc_new(program->host, int, (size_t) count + 1);
	for (k = 0; k < count; k++)
		number[k + 1] = row[k] + 1;
	glp_del_rows(program->problem, count, number);
	program->rows -= count;
	program->host->release(program->host, number);
}

/* Runs simplex to its end, in slices; returns GLPK's code. */
static int
run(SdcProgram *program, const glp_smcp *chosen)
{
	glp_smcp settings = *chosen;
	double size = program->rows + program->columns + 1.0;
	double slice = SLICE_WORK / size;
	int code;

	settings.it_lim = slice < 20 ? 20 : slice > 10000 ? 10000 : (int) slice;
	do
	{
		int before = glp_get_it_cnt(program->problem);

		program->host->poll(program->host, 0, 0);
		code = glp_simplex(program->problem, &settings);
		program->work +=
			(glp_get_it_cnt(program->problem) - before + 1) * size;
	} while (code == GLP_EITLIM && program->work <= program->most_work);
	return code;
}

/* Forgets the basis: the next run starts from the slacks. */
static void
program_restart(SdcProgram *program)
{
	glp_std_basis(program->problem);
}

SdcSolverResult
sdc_program_solve(SdcProgram *program, bool dual)
{
	SdcSolverResult result = {SDC_SOLVER_FAILED, NAN, NAN, NULL, 0};
	glp_smcp settings;
	int status;
	int code;

	init_simplex(&settings);
	settings.meth = dual ? GLP_DUAL : GLP_PRIMAL;
	code = run(program, &settings);
	if (code != GLP_EITLIM &&
		(code != 0 || glp_get_status(program->problem) == GLP_UNDEF))
	{
		program_restart(program);
		settings.meth = GLP_DUALP;
		code = run(program, &settings);
		if (code != 0 && code != GLP_EITLIM)
		{
			result.reason = "the numbers of the problem are too badly scaled";
			return result;
		}
	}
	status = glp_get_status(program->problem);
	if (code == GLP_EITLIM)
		result.status = SDC_SOLVER_LIMIT;
	else if (status == GLP_OPT)
	{
		result.status = SDC_SOLVER_OPTIMAL;
		result.objective = glp_get_obj_val(program->problem);
		result.bound = result.objective;
	}
	else if (status == GLP_UNBND)
		result.status = SDC_SOLVER_UNBOUNDED;
	else if (status == GLP_NOFEAS || status == GLP_INFEAS)
		result.status = SDC_SOLVER_INFEASIBLE;
	return result;
}

double
sdc_program_value(const SdcProgram *program, int column)
{
	return glp_get_col_prim(program->problem, column + 1);
}

double
sdc_program_price(const SdcProgram *program, int row)
{
	return glp_get_row_dual(program->problem, row + 1);
}

double
sdc_program_slack(const SdcProgram *program, int row)
{
	return glp_get_row_prim(program->problem, row + 1) -
		   glp_get_row_lb(program->problem, row + 1);
}

/* The price of a row in the Lagrangian; below 0 that of an equation only. */
static double
safe_price(const SdcProgram *program, int row)
{
	double price = glp_get_row_dual(program->problem, row);

	return price > 0 || glp_get_row_type(program->problem, row) == GLP_FX
			   ? price
			   : 0;
}

double
sdc_program_bound(const SdcProgram *program, double *reduced)
{
	glp_prob *problem = program->problem;
	SdcHost *host = program->host;
	int *row = sdc_new(host, int, (size_t) program->rows + 1);
	double *value = sdc_new(host, double, (size_t) program->rows + 1);
	double bound = glp_get_obj_coef(problem, 0);
	int i;
	int j;

	for (i = 1; i <= program->rows; i++)
		bound += safe_price(program, i) * glp_get_row_lb(problem, i);
	for (j = 1; j <= program->columns; j++)
	{
		double low = glp_get_col_lb(problem, j);
		double high = glp_get_col_ub(problem, j);
		double cost = glp_get_obj_coef(problem, j);
		int count = glp_get_mat_col(problem, j, row, value);

		for (i = 1; i <= count; i++)
			cost -= safe_price(program, row[i]) * value[i];
		bound += cost * (cost > 0 ? low : high);
		if (reduced != NULL)
			reduced[j - 1] = cost;
	}
	host->release(host, row);
	host->release(host, value);
	return bound;
}
