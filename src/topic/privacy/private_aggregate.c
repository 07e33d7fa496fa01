/*
 * private_aggregate.c
 *		Aggregates that release a figure with noise: what they were asked.
 *
 * See private_aggregate.h.  The executor hands the parameters of an aggregate
 * over with every row, so without rows there are none.  Here they are taken
 * from the call itself, which the executor keeps at hand, and evaluated once.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "kernel/privacy/discrete_laplace.h"
#include "host/call/args.h"
#include "topic/privacy/private_aggregate.h"
#include "kernel/privacy/neighbours.h"

/* Stops unless the expression has one value for the whole query. */
static void
check_parameter(Node *expression)
{
	if (contain_var_clause(expression) ||
		contain_volatile_functions(expression) ||
		contain_subplans(expression) || contain_agg_clause(expression))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameters of a private aggregate must not depend "
						"on rows"),
				 errdetail("Bounds, epsilon and the like are constants or "
						   "parameters of the query: what they are must not "
						   "tell anything about the data.")));
}

static void
evaluate(SdcPrivateCall *call, AggState *state, Expr *expression)
{
	int i = call->count++;
	ExprState *ready;

	if (i >= SDC_PRIVATE_PARAMETERS)
		elog(ERROR, "too many parameters");
	check_parameter((Node *) expression);
	ready = ExecInitExpr(expression, &state->ss.ps);
	call->parameter[i].value = ExecEvalExprSwitchContext(
		ready, state->ss.ps.ps_ExprContext, &call->parameter[i].isnull);
}

/* Is the order of an ordered-set aggregate turned round? */
static bool
is_descending(Aggref *aggref, Oid type)
{
	SortGroupClause *clause = linitial_node(SortGroupClause, aggref->aggorder);

	return clause->sortop == lookup_type_cache(type, TYPECACHE_GT_OPR)->gt_opr;
}

static Aggref *
find_call(FunctionCallInfo fcinfo, MemoryContext *context)
{
	int kind = AggCheckCallContext(fcinfo, context);
	Aggref *aggref = AggGetAggref(fcinfo);

	if (kind == AGG_CONTEXT_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private aggregate cannot be a window function"),
				 errdetail("Each row of a window would release a figure of "
						   "its own, at the full cost in privacy."),
				 errhint("Use it with GROUP BY.")));
	if (kind != AGG_CONTEXT_AGGREGATE || aggref == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this function is part of an aggregate and cannot be "
						"called by itself")));
	return aggref;
}

/* The plan below, which all parts of an Append are alike in. */
static Plan *
plan_below(const Plan *plan)
{
	if (IsA(plan, Append))
		return linitial(((const Append *) plan)->appendplans);
	if (IsA(plan, MergeAppend))
		return linitial(((const MergeAppend *) plan)->mergeplans);
	return outerPlan(plan);
}

/*
 * The call as it was written.  Where states of workers are combined, the call
 * has nothing but a reference to a column of the plan below; there, or
 * further down, is the call that the workers make.
 */
static Aggref *
find_written(Aggref *aggref, const AggState *state)
{
	const Plan *plan = state->ss.ps.plan;
	Node *at = (Node *) aggref;

	while (IsA(at, Var) ||
		   (IsA(at, Aggref) && DO_AGGSPLIT_COMBINE(((Aggref *) at)->aggsplit)))
	{
		if (IsA(at, Aggref))
			at = (Node *) linitial_node(TargetEntry, ((Aggref *) at)->args)
					 ->expr;
		if (!IsA(at, Var) || (plan = plan_below(plan)) == NULL)
			break;
		at = (Node *) list_nth_node(TargetEntry, plan->targetlist,
									((Var *) at)->varattno - 1)
				 ->expr;
	}
	if (!IsA(at, Aggref))
		elog(ERROR, "the parameters of a private aggregate were not found");
	return (Aggref *) at;
}

void
sdcpg_private_end(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	Aggref *aggref = find_call(fcinfo, &context);

	(void) find_written(aggref, castNode(AggState, (Node *) fcinfo->context));
}

void
sdcpg_private_begin(SdcPrivateCall *call, FunctionCallInfo fcinfo, int values,
					bool distinct)
{
	Aggref *aggref = find_call(fcinfo, &call->context);
	AggState *state = castNode(AggState, (Node *) fcinfo->context);
	ListCell *cell;
	int number = 0;

	if (aggref->aggdistinct != NIL && !distinct)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("DISTINCT is not supported for this private "
						"aggregate"),
				 errdetail("One record could change the figure by more than "
						   "the noise hides.")));
	aggref = find_written(aggref, state);
	call->count = 0;
	call->type = InvalidOid;
	call->descending = false;
	foreach (cell, aggref->args)
	{
		Expr *expression = lfirst_node(TargetEntry, cell)->expr;

		if (number == 0 && values > 0)
			call->type = exprType((Node *) expression);
		if (number++ >= values)
			evaluate(call, state, expression);
	}
	if (aggref->aggkind != AGGKIND_ORDERED_SET)
		return;
	call->descending = is_descending(aggref, call->type);
	foreach (cell, aggref->aggdirectargs)
		evaluate(call, state, lfirst(cell));
}

static Datum
take(const SdcPrivateCall *call, int number, const char *name)
{
	if (call->parameter[number].isnull)
		sdcpg_args_null(name);
	return call->parameter[number].value;
}

void
sdcpg_private_check_epsilon(double epsilon)
{
	sdcpg_args_range("epsilon", epsilon, SDC_EPSILON_LEAST, SDC_EPSILON_MOST);
}

double
sdcpg_private_epsilon(const SdcPrivateCall *call, int number)
{
	double epsilon = DatumGetFloat8(take(call, number, "epsilon"));

	sdcpg_private_check_epsilon(epsilon);
	return epsilon;
}

double
sdcpg_private_fraction(const SdcPrivateCall *call, int number)
{
	double fraction = DatumGetFloat8(take(call, number, "fraction"));

	sdcpg_args_range("fraction", fraction, 0, 1);
	return call->descending ? 1 - fraction : fraction;
}

static void
check_ordered(bool ordered)
{
	if (!ordered)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"lower\" must not be above \"upper\"")));
}

static double
take_bound(const SdcPrivateCall *call, int number, const char *name)
{
	double bound = DatumGetFloat8(take(call, number, name));

	if (!isfinite(bound))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be finite", name)));
	return bound;
}

void
sdcpg_private_bounds(const SdcPrivateCall *call, int number, double *lower,
					 double *upper)
{
	*lower = take_bound(call, number, "lower");
	*upper = take_bound(call, number + 1, "upper");
	check_ordered(*lower <= *upper);
}

void
sdcpg_private_too_large(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("noise would be too large"),
			 errdetail("The noise grows with the bounds or the sensitivity, "
					   "and as epsilon falls."),
			 errhint("Choose narrower bounds or a larger epsilon.")));
}
