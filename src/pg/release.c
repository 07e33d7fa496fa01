/*
 * release.c
 *		Aggregates that release a figure with noise: what they were asked.
 *
 * See release.h.  The executor hands the parameters of an aggregate over with
 * every row, so without rows there are none.  Here they are taken from the
 * call itself, which the executor keeps at hand, and evaluated once.
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

#include "kernel/discrete_laplace.h"
#include "pg/args.h"
#include "pg/release.h"

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
evaluate(SdcRelease *release, AggState *state, Expr *expression)
{
	int i = release->count++;
	ExprState *ready;

	if (i >= SDC_RELEASE_PARAMETERS)
		elog(ERROR, "too many parameters");
	check_parameter((Node *) expression);
	release->parameter_type[i] = exprType((Node *) expression);
	ready = ExecInitExpr(expression, &state->ss.ps);
	release->parameter[i].value = ExecEvalExprSwitchContext(
		ready, state->ss.ps.ps_ExprContext, &release->parameter[i].isnull);
}

/* Is the order of an ordered-set aggregate turned round? */
static bool
is_descending(Aggref *call, Oid type)
{
	SortGroupClause *clause = linitial_node(SortGroupClause, call->aggorder);

	return clause->sortop == lookup_type_cache(type, TYPECACHE_GT_OPR)->gt_opr;
}

static Aggref *
find_call(FunctionCallInfo fcinfo, MemoryContext *context)
{
	int kind = AggCheckCallContext(fcinfo, context);
	Aggref *call = AggGetAggref(fcinfo);

	if (kind == AGG_CONTEXT_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private aggregate cannot be a window function"),
				 errdetail("Each row of a window would release a figure of "
						   "its own, at the full cost in privacy."),
				 errhint("Use it with GROUP BY.")));
	if (kind != AGG_CONTEXT_AGGREGATE || call == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this function is part of an aggregate and cannot be "
						"called by itself")));
	return call;
}

void
sdcpg_release_begin(SdcRelease *release, FunctionCallInfo fcinfo, int values,
					bool distinct)
{
	Aggref *call = find_call(fcinfo, &release->context);
	AggState *state = castNode(AggState, (Node *) fcinfo->context);
	ListCell *cell;
	int number = 0;

	if (call->aggdistinct != NIL && !distinct)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("DISTINCT is not supported for this private "
						"aggregate"),
				 errdetail("One record could change the figure by more than "
						   "the noise hides.")));
	release->count = 0;
	release->type = InvalidOid;
	release->descending = false;
	foreach (cell, call->args)
	{
		Expr *expression = lfirst_node(TargetEntry, cell)->expr;

		if (number == 0 && values > 0)
			release->type = exprType((Node *) expression);
		if (number++ >= values)
			evaluate(release, state, expression);
	}
	if (call->aggkind != AGGKIND_ORDERED_SET)
		return;
	release->descending = is_descending(call, release->type);
	foreach (cell, call->aggdirectargs)
		evaluate(release, state, lfirst(cell));
}

static Datum
take(const SdcRelease *release, int number, const char *name)
{
	if (release->parameter[number].isnull)
		sdcpg_args_null(name);
	return release->parameter[number].value;
}

void
sdcpg_release_check_epsilon(double epsilon)
{
	sdcpg_args_range("epsilon", epsilon, SDC_EPSILON_LEAST, SDC_EPSILON_MOST);
}

double
sdcpg_release_epsilon(const SdcRelease *release, int number)
{
	double epsilon = DatumGetFloat8(take(release, number, "epsilon"));

	sdcpg_release_check_epsilon(epsilon);
	return epsilon;
}

double
sdcpg_release_fraction(const SdcRelease *release, int number)
{
	double fraction = DatumGetFloat8(take(release, number, "fraction"));

	sdcpg_args_range("fraction", fraction, 0, 1);
	return release->descending ? 1 - fraction : fraction;
}

SdcNeighbours
sdcpg_release_neighbours(const SdcRelease *release, int number)
{
	static const char *const choices[] = {"add_remove", "replace", NULL};

	/* the shorter form of the aggregate */
	if (number >= release->count)
		return SDC_NEIGHBOURS_ADD_REMOVE;
	return (SdcNeighbours) sdcpg_args_choice(
		"neighbours", DatumGetTextPP(take(release, number, "neighbours")),
		choices);
}

double
sdcpg_release_double(Oid type, Datum value)
{
	if (type == NUMERICOID)
		return DatumGetFloat8(
			DirectFunctionCall1(numeric_float8_no_overflow, value));
	return DatumGetFloat8(value);
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
take_bound(const SdcRelease *release, int number, const char *name)
{
	double bound = sdcpg_release_double(release->parameter_type[number],
										take(release, number, name));

	if (!isfinite(bound))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"%s\" must be finite", name)));
	return bound;
}

void
sdcpg_release_bounds(const SdcRelease *release, int number, double *lower,
					 double *upper)
{
	*lower = take_bound(release, number, "lower");
	*upper = take_bound(release, number + 1, "upper");
	check_ordered(*lower <= *upper);
}

void
sdcpg_release_integer_bounds(const SdcRelease *release, int number,
							 int64 *lower, int64 *upper)
{
	Datum low = take(release, number, "lower");
	Datum high = take(release, number + 1, "upper");
	bool wide = release->parameter_type[number] == INT8OID;

	*lower = wide ? DatumGetInt64(low) : DatumGetInt32(low);
	*upper = wide ? DatumGetInt64(high) : DatumGetInt32(high);
	check_ordered(*lower <= *upper);
}

void
sdcpg_release_too_large(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("noise would be too large"),
			 errdetail("The noise grows with the bounds or the sensitivity, "
					   "and as epsilon falls."),
			 errhint("Choose narrower bounds or a larger epsilon.")));
}
