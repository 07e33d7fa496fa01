/*
 * solver_guard.h
 *		Runs code that calls GLPK so that nothing of it can hurt the server.
 */
#ifndef SDC_PG_SOLVER_GUARD_H
#define SDC_PG_SOLVER_GUARD_H

#include "postgres.h"

#include "pg/server/host.h"

typedef void (*SdcSolverBody)(SdcPgHost *host, void *arg);

/*
 * Calls the body, which may build, solve and read GLPK problems through the
 * kernel.  An error inside GLPK becomes an error of SQLSTATE 38000
 * (external_routine_exception) with GLPK's text as its detail; more memory
 * than sdc.memory_limit leaves becomes 54000 (program_limit_exceeded).  When
 * it returns or leaves, every problem the body made is gone: results must be
 * copied out by the body.  A cancel that made the solver stop is raised before
 * this returns.  Guards do not nest.
 */
extern void sdcpg_solver_run(SdcPgHost *host, SdcSolverBody body, void *arg);

#endif
