/*
 * solver_lp.c
 *		A covering program that grows: columns chosen, rows to be covered.
 *
 * New rows enter the basis by their slack, so the next simplex run starts
 * from where the last one ended.
 */
#include "kernel/base/solver_lp.h"

#include <glpk.h>

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
sdc_solver_lp_solve(SdcSolverLp *lp, bool whole, double time_limit, double *x)
{
	SdcSolverResult result =
		whole ? sdc_solver_integer(lp->host, lp->problem, time_limit)
			  : sdc_solver_simplex(lp->host, lp->problem, time_limit);
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

void
sdc_solver_lp_release(SdcSolverLp *lp)
{
	glp_delete_prob(lp->problem);
	lp->host->release(lp->host, lp->index);
	lp->host->release(lp->host, lp->weight);
	lp->host->release(lp->host, lp);
}
