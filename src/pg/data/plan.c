/*
 * plan.c
 *		Who would do the work of a query.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "nodes/plannodes.h"
#include "utils/plancache.h"

#include "pg/server/compat.h"
#include "pg/data/plan.h"

static bool plan_is_shared(const Plan *plan);

static bool
any_is_shared(List *plans)
{
	ListCell *cell;

	foreach (cell, plans)
		if (plan_is_shared(lfirst(cell)))
			return true;
	return false;
}

static bool
plan_is_shared(const Plan *plan)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_ForeignScan:
		case T_CustomScan:
			return true;
		case T_Gather:
			if (((const Gather *) plan)->num_workers >= SDC_PLAN_MANY_WORKERS)
				return true;
			break;
		case T_GatherMerge:
			if (((const GatherMerge *) plan)->num_workers >=
				SDC_PLAN_MANY_WORKERS)
				return true;
			break;
		case T_Append:
			return any_is_shared(((const Append *) plan)->appendplans);
		case T_MergeAppend:
			return any_is_shared(((const MergeAppend *) plan)->mergeplans);
		case T_SubqueryScan:
			return plan_is_shared(((const SubqueryScan *) plan)->subplan);
		default:
			break;
	}
	return plan_is_shared(plan->lefttree) || plan_is_shared(plan->righttree);
}

bool
sdcpg_plan_is_shared(const char *sql)
{
	SPIPlanPtr prepared;
	CachedPlan *cached;
	bool shared = false;
	ListCell *cell;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	prepared = SPI_prepare_cursor(sql, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	if (prepared == NULL)
		elog(ERROR, "could not prepare a query");
	cached = SPI_plan_get_cached_plan(prepared);
	if (cached != NULL)
	{
		foreach (cell, cached->stmt_list)
			shared = shared ||
					 plan_is_shared(((PlannedStmt *) lfirst(cell))->planTree);
		ReleaseCachedPlan(cached, SDC_PLAN_NO_OWNER);
	}
	SPI_finish();
	return shared;
}
