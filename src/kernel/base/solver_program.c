/*
 * solver_program.c
 *		Linear programs that grow and are solved again and again.
 *
 * GLPK numbers from 1 and stops a run after a number of iterations, which is
 * how long ones are cut into slices between which the host is asked.  A run
 * that GLPK gives up is begun once more from the slacks.
 */
#include <glpk.h>
#include <math.h>

#include "kernel/base/solver_program.h"

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

SdcSolverResult
sdc_program_solve(SdcProgram *program, bool dual)
{
	SdcSolverResult result = {SDC_SOLVER_FAILED, NAN, NAN, NULL};
	glp_smcp settings;
	int status;
	int code;

	glp_init_smcp(&settings);
	settings.msg_lev = GLP_MSG_OFF;
	settings.meth = dual ? GLP_DUAL : GLP_PRIMAL;
	code = run(program, &settings);
	if (code != GLP_EITLIM &&
		(code != 0 || glp_get_status(program->problem) == GLP_UNDEF))
	{
		sdc_program_restart(program);
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

void
sdc_program_restart(SdcProgram *program)
{
	glp_std_basis(program->problem);
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
