/*
 * solver_probe.c
 *		SQL functions that show how the solver guard behaves in a backend.
 *
 * A module of its own, linked with the objects of the extension that it
 * tests, because the extension has no SQL function that could provoke these
 * cases.  test/t/010_solver.pl loads it; it is never installed.
 */
#include "postgres.h"

#include <math.h>

#include <glpk.h>

#include "utils/builtins.h"

#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/solver.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

PG_FUNCTION_INFO_V1(probe_linear);
PG_FUNCTION_INFO_V1(probe_unsliced);
PG_FUNCTION_INFO_V1(probe_integer);
PG_FUNCTION_INFO_V1(probe_number);
PG_FUNCTION_INFO_V1(probe_error);
PG_FUNCTION_INFO_V1(probe_memory);

typedef struct Probe
{
	int rows;
	int columns;
	double number;
	double most;
	SdcSolverResult result;
} Probe;

void
_PG_init(void)
{
	sdcpg_settings_define();
}

/* In the order of SdcSolverStatus. */
static const char *const status_name[] = {
	"optimal", "feasible",  "infeasible", "unbounded",
	"limit",   "cancelled", "not finite", "failed"};

/* Runs a body and returns its result as "status objective". */
static Datum
run(Probe *probe, SdcSolverBody body)
{
	SdcPgHost *host = sdcpg_host_begin("probe", CurrentMemoryContext);
	const char *status;

	sdcpg_solver_run(host, body, probe);
	sdcpg_host_end(host);
	status = status_name[probe->result.status];
	PG_RETURN_TEXT_P(
		cstring_to_text(psprintf("%s %.6g", status, probe->result.objective)));
}

/* A dense linear program; 3 x 3 with bound is known by hand. */
static glp_prob *
dense(SdcPgHost *host, const Probe *probe)
{
	glp_prob *problem = glp_create_prob();
	int *index = sdc_new(&host->kernel, int, probe->columns + 1);
	double *value = sdc_new(&host->kernel, double, probe->columns + 1);
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 7, 0);
	glp_set_obj_dir(problem, GLP_MAX);
	glp_add_rows(problem, probe->rows);
	glp_add_cols(problem, probe->columns);
	for (j = 1; j <= probe->columns; j++)
	{
		index[j] = j;
		glp_set_col_bnds(problem, j, GLP_LO, 0, 0);
		glp_set_obj_coef(problem, j, 1 + sdc_random_unit(&random));
	}
	for (i = 1; i <= probe->rows; i++)
	{
		for (j = 1; j <= probe->columns; j++)
			value[j] = 0.1 + sdc_random_unit(&random);
		glp_set_mat_row(problem, i, probe->columns, index, value);
		glp_set_row_bnds(problem, i, GLP_UP, 0,
						 1000 * (1 + sdc_random_unit(&random)));
	}
	return problem;
}

static void
solve_dense(SdcPgHost *host, void *arg)
{
	Probe *probe = arg;
	glp_prob *problem = dense(host, probe);

	probe->result = sdc_solver_simplex(&host->kernel, problem, probe->most);
}

/* probe_linear(rows int, columns int, most float8) RETURNS text */
Datum
probe_linear(PG_FUNCTION_ARGS)
{
	Probe probe = {0};

	probe.rows = PG_GETARG_INT32(0);
	probe.columns = PG_GETARG_INT32(1);
	probe.most = PG_GETARG_FLOAT8(2);
	return run(&probe, solve_dense);
}

/* In one run of GLPK, as long as it takes: nothing is asked between. */
static void
solve_unsliced(SdcPgHost *host, void *arg)
{
	Probe *probe = arg;
	glp_prob *problem = dense(host, probe);
	glp_smcp settings;

	glp_init_smcp(&settings);
	settings.out_frq = 100;
	glp_simplex(problem, &settings);
	probe->result.objective = glp_get_obj_val(problem);
}

/* probe_unsliced(rows int, columns int) RETURNS text */
Datum
probe_unsliced(PG_FUNCTION_ARGS)
{
	Probe probe = {0};

	probe.rows = PG_GETARG_INT32(0);
	probe.columns = PG_GETARG_INT32(1);
	return run(&probe, solve_unsliced);
}

/*
 * Equality knapsacks with a surplus and a lack each ("market split"), whose
 * sum is minimised: easy to state, hopeless for branch and bound.
 */
static void
solve_split(SdcPgHost *host, void *arg)
{
	Probe *probe = arg;
	int n = probe->columns;
	glp_prob *problem = glp_create_prob();
	int *index = sdc_new(&host->kernel, int, n + 3);
	double *value = sdc_new(&host->kernel, double, n + 3);
	SdcRandom random;
	int i;
	int j;

	sdc_random_seed(&random, 7, 0);
	glp_add_rows(problem, probe->rows);
	glp_add_cols(problem, n + 2 * probe->rows);
	for (j = 1; j <= n; j++)
		glp_set_col_kind(problem, j, GLP_BV);
	for (i = 1; i <= probe->rows; i++)
	{
		double sum = 0;

		for (j = 1; j <= n; j++)
		{
			index[j] = j;
			value[j] = (double) sdc_random_below(&random, 100);
			sum += value[j];
		}
		for (j = 1; j <= 2; j++)
		{
			index[n + j] = n + 2 * i - j + 1;
			value[n + j] = j == 1 ? 1 : -1;
			glp_set_col_bnds(problem, index[n + j], GLP_LO, 0, 0);
			glp_set_obj_coef(problem, index[n + j], 1);
		}
		glp_set_mat_row(problem, i, n + 2, index, value);
		glp_set_row_bnds(problem, i, GLP_FX, floor(sum / 2), 0);
	}
	probe->result = sdc_solver_integer(&host->kernel, problem, probe->most);
}

/* probe_integer(rows int, columns int, most float8) RETURNS text */
Datum
probe_integer(PG_FUNCTION_ARGS)
{
	Probe probe = {0};

	probe.rows = PG_GETARG_INT32(0);
	probe.columns = PG_GETARG_INT32(1);
	probe.most = PG_GETARG_FLOAT8(2);
	return run(&probe, solve_split);
}

/* max x + y with number * x + y <= 4, x + 3 y <= 6, x and y at least 0. */
static void
solve_number(SdcPgHost *host, void *arg)
{
	Probe *probe = arg;
	glp_prob *problem = glp_create_prob();
	int index[3] = {0, 1, 2};
	double first[3] = {0, 0, 1};
	double second[3] = {0, 1, 3};
	int j;

	first[1] = probe->number;
	glp_set_obj_dir(problem, GLP_MAX);
	glp_add_rows(problem, 2);
	glp_add_cols(problem, 2);
	for (j = 1; j <= 2; j++)
	{
		glp_set_col_bnds(problem, j, GLP_LO, 0, 0);
		glp_set_obj_coef(problem, j, 1);
		if (probe->rows != 0)
			glp_set_col_kind(problem, j, GLP_IV);
	}
	glp_set_mat_row(problem, 1, 2, index, first);
	glp_set_mat_row(problem, 2, 2, index, second);
	glp_set_row_bnds(problem, 1, GLP_UP, 0, 4);
	glp_set_row_bnds(problem, 2, GLP_UP, 0, 6);
	if (probe->rows != 0)
		probe->result = sdc_solver_integer(&host->kernel, problem, 0);
	else
		probe->result = sdc_solver_simplex(&host->kernel, problem, 0);
}

/* probe_number(number float8, whole bool) RETURNS text */
Datum
probe_number(PG_FUNCTION_ARGS)
{
	Probe probe = {0};

	probe.number = PG_GETARG_FLOAT8(0);
	probe.rows = PG_GETARG_BOOL(1);
	return run(&probe, solve_number);
}

/* Names a column that is not there, with a problem of some size alive. */
static void
break_rule(SdcPgHost *host, void *arg)
{
	glp_prob *problem = dense(host, arg);

	/* what is said while it works is not what is wrong */
	glp_printf("#  100: obj = 1\n");
	glp_set_obj_coef(problem, 99, 1);
}

/* probe_error() RETURNS text */
Datum
probe_error(PG_FUNCTION_ARGS)
{
	Probe probe = {20, 20};

	return run(&probe, break_rule);
}

static void
take_memory(SdcPgHost *host, void *arg)
{
	glp_prob *problem = glp_create_prob();

	glp_add_cols(problem, 1000000);
	glp_add_rows(problem, 1000000);
}

/* probe_memory() RETURNS text */
Datum
probe_memory(PG_FUNCTION_ARGS)
{
	Probe probe = {0};

	return run(&probe, take_memory);
}
