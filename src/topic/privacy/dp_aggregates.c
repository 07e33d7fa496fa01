/*
 * dp_aggregates.c
 *		The private aggregates: figures of a column, with noise; settings.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "host/call/params.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/privacy/discrete_noise.h"
#include "kernel/privacy/dp_moments.h"
#include "kernel/privacy/dp_noise.h"
#include "kernel/privacy/selection.h"
#include "topic/privacy/dp_aggregates.h"

/* ----------------------------------------------------------------------
 * The settings.
 * ----------------------------------------------------------------------
 */

int sdcpg_dp_memory_limit = 1024 * 1024;
int sdcpg_dp_neighbours = SDC_NEIGHBOURS_ADD_REMOVE;
int sdcpg_dp_cells = 65536;

static const struct config_enum_entry neighbours[] = {
	{"add_remove", SDC_NEIGHBOURS_ADD_REMOVE, false},
	{"replace", SDC_NEIGHBOURS_REPLACE, false},
	{NULL, 0, false}};

void
sdcpg_privacy_settings(void)
{
	DefineCustomIntVariable(
		"sdc.dp_memory_limit",
		"Sets the memory a request to a data set may hold.",
		"It takes the place of sdc.memory_limit, which the role that asks "
		"could set.",
		&sdcpg_dp_memory_limit, 1024 * 1024, 1024, MAX_KILOBYTES, PGC_SUSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"sdc.dp_neighbours",
		"Sets the tables that aggregates with noise make hard to tell apart.",
		"add_remove: one record more or less. replace: other values of one "
		"record. Data sets have neighbours of their own.",
		&sdcpg_dp_neighbours, SDC_NEIGHBOURS_ADD_REMOVE, neighbours,
		PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"sdc.dp_cells",
		"Sets how many cells dp_median and dp_quantile cut their bounds into.",
		NULL, &sdcpg_dp_cells, 65536, 2, 1 << 20, PGC_USERSET, 0, NULL, NULL,
		NULL);
}

/* ----------------------------------------------------------------------
 * Aggregates that release a figure with noise: what they were asked.
 *
 * The executor hands the parameters of an aggregate
 * over with every row, so without rows there are none.  Here they are taken
 * from the call itself, which the executor keeps at hand, and evaluated once.
 * ----------------------------------------------------------------------
 */

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

/*
 * To be called by every final function: finds the parameters where states of
 * workers are combined, even if it will not need them, so that it stops or
 * not whatever the data are.
 */
static void
private_end(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	Aggref *aggref = find_call(fcinfo, &context);

	(void) find_written(aggref, castNode(AggState, (Node *) fcinfo->context));
}

/*
 * To be called by the transition function for the first row, and by the final
 * function when there was none.  The aggregate takes so many values (0 to 2)
 * before its parameters; those of an ordered-set aggregate are its direct
 * arguments.  Stops when it is used as a window function, when a parameter
 * could differ from row to row, and on DISTINCT unless that is allowed.
 */
static void
private_begin(SdcPrivateCall *call, FunctionCallInfo fcinfo, int values,
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

/* Parameters by number, checked: one clear error each. */
static double
private_epsilon(const SdcPrivateCall *call, int number)
{
	double epsilon = DatumGetFloat8(take(call, number, "epsilon"));

	sdcpg_private_check_epsilon(epsilon);
	return epsilon;
}

static double
private_fraction(const SdcPrivateCall *call, int number)
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

/* Two in a row: finite, lower not above upper. */
static void
private_bounds(const SdcPrivateCall *call, int number, double *lower,
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

/* ----------------------------------------------------------------------
 * sdc.dp_count, dp_sum, dp_avg, dp_var, dp_stddev, dp_median,
 * dp_quantile, dp_mode: figures of a column, with noise.
 *
 * Each counts or adds up in a state, exactly, and draws its noise once, in
 * the final function.  States of parallel workers are added up before that;
 * they hold the parameters, too, so that workers and leader use the same.
 * Where no row came there is no state, and the parameters are read from the
 * call.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_dp_count_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_count_any_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_count_final);
PG_FUNCTION_INFO_V1(sdcf_dp_count_any_final);
PG_FUNCTION_INFO_V1(sdcf_dp_count_combine);
PG_FUNCTION_INFO_V1(sdcf_dp_count_serialize);
PG_FUNCTION_INFO_V1(sdcf_dp_count_deserialize);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_final);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_combine);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_serialize);
PG_FUNCTION_INFO_V1(sdcf_dp_sum_deserialize);
PG_FUNCTION_INFO_V1(sdcf_dp_avg_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_avg_final);
PG_FUNCTION_INFO_V1(sdcf_dp_var_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_var_final);
PG_FUNCTION_INFO_V1(sdcf_dp_stddev_final);
PG_FUNCTION_INFO_V1(sdcf_dp_moments_combine);
PG_FUNCTION_INFO_V1(sdcf_dp_moments_serialize);
PG_FUNCTION_INFO_V1(sdcf_dp_moments_deserialize);
PG_FUNCTION_INFO_V1(sdcf_dp_median_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_median_final);
PG_FUNCTION_INFO_V1(sdcf_dp_median_combine);
PG_FUNCTION_INFO_V1(sdcf_dp_median_serialize);
PG_FUNCTION_INFO_V1(sdcf_dp_median_deserialize);
PG_FUNCTION_INFO_V1(sdcf_dp_quantile_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_quantile_final);
PG_FUNCTION_INFO_V1(sdcf_dp_mode_accum);
PG_FUNCTION_INFO_V1(sdcf_dp_mode_final);
PG_FUNCTION_INFO_V1(sdcf_dp_mode_combine);
PG_FUNCTION_INFO_V1(sdcf_dp_mode_serialize);
PG_FUNCTION_INFO_V1(sdcf_dp_mode_deserialize);

/* ----------------------------------------------------------------------
 * States of workers.
 * ----------------------------------------------------------------------
 */

typedef void (*Merge)(void *state, const void *other);

/* The memory where states belong. */
static MemoryContext
state_memory(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
		elog(ERROR, "a function of an aggregate was called by itself");
	return context;
}

/* Two states of one size, without pointers, of which either may be NULL. */
static Datum
combine(FunctionCallInfo fcinfo, Size size, Merge merge)
{
	MemoryContext context = state_memory(fcinfo);
	void *state;

	if (PG_ARGISNULL(1) && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(PG_GETARG_POINTER(0));
	if (!PG_ARGISNULL(0))
	{
		state = PG_GETARG_POINTER(0);
		merge(state, PG_GETARG_POINTER(1));
		PG_RETURN_POINTER(state);
	}
	state = MemoryContextAlloc(context, size);
	memcpy(state, PG_GETARG_POINTER(1), size);
	PG_RETURN_POINTER(state);
}

/* A state as bytes, which stay on the machine. */
static bytea *
write_bytes(const void *state, Size size, Size more)
{
	bytea *written = palloc0(VARHDRSZ + size + more);

	SET_VARSIZE(written, VARHDRSZ + size + more);
	memcpy(VARDATA(written), state, size);
	return written;
}

static Datum
serialize(FunctionCallInfo fcinfo, Size size)
{
	(void) state_memory(fcinfo);
	PG_RETURN_BYTEA_P(write_bytes(PG_GETARG_POINTER(0), size, 0));
}

static Datum
deserialize(FunctionCallInfo fcinfo, Size size)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	void *state = palloc(size);

	(void) state_memory(fcinfo);
	if (VARSIZE_ANY_EXHDR(bytes) != size)
		elog(ERROR, "malformed state");
	memcpy(state, VARDATA_ANY(bytes), size);
	PG_RETURN_POINTER(state);
}

/* ----------------------------------------------------------------------
 * Counts: discrete Laplace noise, so that they stay whole.  One record
 * changes a count by one, whether it is added, removed or replaced.
 * ----------------------------------------------------------------------
 */

typedef struct Count
{
	int64 rows;
	SdcDiscreteLaplace noise;
} Count;

static Count *
count_state(FunctionCallInfo fcinfo, int values)
{
	SdcPrivateCall call;
	Count *count;

	if (!PG_ARGISNULL(0))
		return (Count *) PG_GETARG_POINTER(0);
	private_begin(&call, fcinfo, values, values > 0);
	count = MemoryContextAllocZero(call.context, sizeof(Count));
	/* a sensitivity of 1 is never too large */
	sdc_discrete_laplace_scale(1, 1, private_epsilon(&call, 0), &count->noise);
	return count;
}

/* dp_count_accum(state internal, epsilon float8) */
Datum
sdcf_dp_count_accum(PG_FUNCTION_ARGS)
{
	Count *count = count_state(fcinfo, 0);

	count->rows++;
	PG_RETURN_POINTER(count);
}

/* dp_count_accum(state internal, value "any", epsilon float8) */
Datum
sdcf_dp_count_any_accum(PG_FUNCTION_ARGS)
{
	Count *count = count_state(fcinfo, 1);

	if (!PG_ARGISNULL(1))
		count->rows++;
	PG_RETURN_POINTER(count);
}

static Datum
release_count(FunctionCallInfo fcinfo, int values)
{
	const Count *count;
	SdcInt128 noisy;

	private_end(fcinfo);
	count = count_state(fcinfo, values);
	noisy = count->rows +
			sdc_discrete_laplace_draw(sdcpg_strong_bits(), &count->noise);
	PG_RETURN_INT64(noisy > PG_INT64_MAX   ? PG_INT64_MAX
					: noisy < PG_INT64_MIN ? PG_INT64_MIN
										   : (int64) noisy);
}

/* dp_count_final(state internal) */
Datum
sdcf_dp_count_final(PG_FUNCTION_ARGS)
{
	return release_count(fcinfo, 0);
}

/* dp_count_any_final(state internal) */
Datum
sdcf_dp_count_any_final(PG_FUNCTION_ARGS)
{
	return release_count(fcinfo, 1);
}

static void
merge_counts(void *state, const void *other)
{
	((Count *) state)->rows += ((const Count *) other)->rows;
}

Datum
sdcf_dp_count_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, sizeof(Count), merge_counts);
}

Datum
sdcf_dp_count_serialize(PG_FUNCTION_ARGS)
{
	return serialize(fcinfo, sizeof(Count));
}

Datum
sdcf_dp_count_deserialize(PG_FUNCTION_ARGS)
{
	return deserialize(fcinfo, sizeof(Count));
}

/* ----------------------------------------------------------------------
 * Sums of values that are clipped to public bounds.
 * ----------------------------------------------------------------------
 */

static SdcDpSum *
sum_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;
	double epsilon;
	double lower;
	double upper;
	SdcDpSum *sum;

	if (!PG_ARGISNULL(0))
		return (SdcDpSum *) PG_GETARG_POINTER(0);
	private_begin(&call, fcinfo, 1, false);
	epsilon = private_epsilon(&call, 2);
	private_bounds(&call, 0, &lower, &upper);
	sum = MemoryContextAllocZero(call.context, sizeof(SdcDpSum));
	if (!sdc_dp_sum_start(sum, lower, upper,
						  (SdcNeighbours) sdcpg_dp_neighbours, epsilon))
		sdcpg_private_too_large();
	return sum;
}

/* dp_sum_accum(state internal, value, lower, upper, epsilon) */
Datum
sdcf_dp_sum_accum(PG_FUNCTION_ARGS)
{
	SdcDpSum *sum = sum_state(fcinfo);

	if (!PG_ARGISNULL(1))
		sdc_dp_sum_add(sum, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(sum);
}

/* dp_sum_final(state internal) */
Datum
sdcf_dp_sum_final(PG_FUNCTION_ARGS)
{
	private_end(fcinfo);
	PG_RETURN_FLOAT8(
		sdc_dp_sum_release(sum_state(fcinfo), sdcpg_strong_bits()));
}

static void
merge_sums(void *state, const void *other)
{
	sdc_dp_sum_merge(state, other);
}

Datum
sdcf_dp_sum_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, sizeof(SdcDpSum), merge_sums);
}

Datum
sdcf_dp_sum_serialize(PG_FUNCTION_ARGS)
{
	return serialize(fcinfo, sizeof(SdcDpSum));
}

Datum
sdcf_dp_sum_deserialize(PG_FUNCTION_ARGS)
{
	return deserialize(fcinfo, sizeof(SdcDpSum));
}

/* ----------------------------------------------------------------------
 * Moments: two or three noisy sums that share epsilon.
 * ----------------------------------------------------------------------
 */

static SdcDpMoments *
moments_state(FunctionCallInfo fcinfo, int order)
{
	SdcPrivateCall call;
	double epsilon;
	double lower;
	double upper;
	SdcDpMoments *moments;

	if (!PG_ARGISNULL(0))
		return (SdcDpMoments *) PG_GETARG_POINTER(0);
	private_begin(&call, fcinfo, 1, false);
	epsilon = private_epsilon(&call, 2);
	private_bounds(&call, 0, &lower, &upper);
	moments = MemoryContextAllocZero(call.context, sizeof(SdcDpMoments));
	sdc_dp_moments_start(moments, lower, upper, order,
						 (SdcNeighbours) sdcpg_dp_neighbours, epsilon);
	return moments;
}

static Datum
add_moments(FunctionCallInfo fcinfo, int order)
{
	SdcDpMoments *moments = moments_state(fcinfo, order);

	if (!PG_ARGISNULL(1))
		sdc_dp_moments_add(moments, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(moments);
}

/* dp_avg_accum(state internal, value, lower, upper, epsilon) */
Datum
sdcf_dp_avg_accum(PG_FUNCTION_ARGS)
{
	return add_moments(fcinfo, 1);
}

/* dp_var_accum(state internal, value, lower, upper, epsilon) */
Datum
sdcf_dp_var_accum(PG_FUNCTION_ARGS)
{
	return add_moments(fcinfo, 2);
}

/* dp_avg_final(state internal) */
Datum
sdcf_dp_avg_final(PG_FUNCTION_ARGS)
{
	private_end(fcinfo);
	PG_RETURN_FLOAT8(
		sdc_dp_moments_mean(moments_state(fcinfo, 1), sdcpg_strong_bits()));
}

/* dp_var_final(state internal) */
Datum
sdcf_dp_var_final(PG_FUNCTION_ARGS)
{
	private_end(fcinfo);
	PG_RETURN_FLOAT8(sdc_dp_moments_variance(moments_state(fcinfo, 2),
											 sdcpg_strong_bits()));
}

/* dp_stddev_final(state internal) */
Datum
sdcf_dp_stddev_final(PG_FUNCTION_ARGS)
{
	private_end(fcinfo);
	PG_RETURN_FLOAT8(sdc_dp_moments_deviation(moments_state(fcinfo, 2),
											  sdcpg_strong_bits()));
}

static void
merge_moments(void *state, const void *other)
{
	sdc_dp_moments_merge(state, other);
}

Datum
sdcf_dp_moments_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, sizeof(SdcDpMoments), merge_moments);
}

Datum
sdcf_dp_moments_serialize(PG_FUNCTION_ARGS)
{
	return serialize(fcinfo, sizeof(SdcDpMoments));
}

Datum
sdcf_dp_moments_deserialize(PG_FUNCTION_ARGS)
{
	return deserialize(fcinfo, sizeof(SdcDpMoments));
}

/* ----------------------------------------------------------------------
 * Quantiles.  The state holds the cell of each value, and a count for each
 * cell once that is smaller: so many small groups need little memory, and one
 * large group no more than a fixed amount.
 * ----------------------------------------------------------------------
 */

typedef struct Quantile
{
	SdcDpQuantileRange range;
	SdcDpQuantileFraction fraction;
	SdcNeighbours neighbours;
	double epsilon;
	/* the cells of single values, until there are counts */
	uint32 *cell;
	uint32 values;
	uint32 room;
	uint64 *count;
} Quantile;

static Quantile *
start_quantile(const SdcPrivateCall *call, int bounds, double fraction)
{
	Quantile *state = MemoryContextAllocZero(call->context, sizeof(Quantile));

	private_bounds(call, bounds, &state->range.lower, &state->range.upper);
	state->epsilon = private_epsilon(call, bounds + 2);
	state->fraction = sdc_dp_quantile_fraction(fraction);
	state->neighbours = (SdcNeighbours) sdcpg_dp_neighbours;
	state->range.cells = (uint32_t) sdcpg_dp_cells;
	state->room = 64;
	state->cell =
		MemoryContextAlloc(call->context, state->room * sizeof(uint32));
	return state;
}

/* Parameters lower, upper, epsilon. */
static Quantile *
median_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;

	if (!PG_ARGISNULL(0))
		return (Quantile *) PG_GETARG_POINTER(0);
	private_begin(&call, fcinfo, 1, false);
	return start_quantile(&call, 0, 0.5);
}

/* Direct arguments fraction, lower, upper, epsilon. */
static Quantile *
quantile_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;

	if (!PG_ARGISNULL(0))
		return (Quantile *) PG_GETARG_POINTER(0);
	private_begin(&call, fcinfo, 1, false);
	return start_quantile(&call, 1, private_fraction(&call, 0));
}

static void
count_values(const Quantile *state, uint64 *count)
{
	uint32 i;

	for (i = 0; i < state->values; i++)
		count[state->cell[i]]++;
}

static void
start_counts(Quantile *state)
{
	state->count = MemoryContextAllocZero(GetMemoryChunkContext(state),
										  state->range.cells * sizeof(uint64));
	count_values(state, state->count);
	pfree(state->cell);
	state->cell = NULL;
	state->values = 0;
}

/* Makes room for one more value, if need be by counting. */
static void
make_room(Quantile *state)
{
	if (state->room >= state->range.cells)
	{
		start_counts(state);
		return;
	}
	state->room *= 2;
	state->cell = repalloc(state->cell, state->room * sizeof(uint32));
}

static void
add_cell(Quantile *state, uint32 cell)
{
	if (state->count == NULL && state->values == state->room)
		make_room(state);
	if (state->count != NULL)
		state->count[cell]++;
	else
		state->cell[state->values++] = cell;
}

static void
add_number(Quantile *state, double number)
{
	if (!isnan(number))
		add_cell(state, sdc_dp_quantile_cell(&state->range, number));
}

static Datum
choose_cell(const Quantile *state, const char *function)
{
	SdcPgHost *host = sdcpg_host_begin(function, CurrentMemoryContext);
	uint64 *count = state->count;
	uint32 cell;

	if (count == NULL)
	{
		count = sdc_new(&host->kernel, uint64, state->range.cells);
		memset(count, 0, state->range.cells * sizeof(uint64));
		count_values(state, count);
	}
	cell = sdc_dp_quantile_choose(&host->kernel, sdcpg_strong_bits(), count,
								  state->range.cells, &state->fraction,
								  state->neighbours, state->epsilon);
	sdcpg_host_end(host);
	PG_RETURN_FLOAT8(sdc_dp_quantile_value(&state->range, cell));
}

/* dp_median_accum(state internal, value, lower, upper, epsilon) */
Datum
sdcf_dp_median_accum(PG_FUNCTION_ARGS)
{
	Quantile *state = median_state(fcinfo);

	if (!PG_ARGISNULL(1))
		add_number(state, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(state);
}

/* dp_median_final(state internal) */
Datum
sdcf_dp_median_final(PG_FUNCTION_ARGS)
{
	private_end(fcinfo);
	return choose_cell(median_state(fcinfo), "dp_median");
}

/* A copy where states belong, of a state that is not empty of memory. */
static Quantile *
copy_quantile(const Quantile *other, MemoryContext context)
{
	Quantile *state = MemoryContextAlloc(context, sizeof(Quantile));

	*state = *other;
	if (other->count != NULL)
	{
		state->count =
			MemoryContextAlloc(context, other->range.cells * sizeof(uint64));
		memcpy(state->count, other->count,
			   other->range.cells * sizeof(uint64));
		return state;
	}
	state->room = Max(other->values, 64);
	state->cell = MemoryContextAlloc(context, state->room * sizeof(uint32));
	memcpy(state->cell, other->cell, other->values * sizeof(uint32));
	return state;
}

static void
merge_quantiles(Quantile *state, const Quantile *other)
{
	uint32 i;

	for (i = 0; i < other->values; i++)
		add_cell(state, other->cell[i]);
	if (other->count == NULL)
		return;
	if (state->count == NULL)
		start_counts(state);
	for (i = 0; i < state->range.cells; i++)
		state->count[i] += other->count[i];
}

Datum
sdcf_dp_median_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_memory(fcinfo);
	Quantile *state;

	if (PG_ARGISNULL(1) && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(PG_GETARG_POINTER(0));
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(
			copy_quantile((const Quantile *) PG_GETARG_POINTER(1), context));
	state = (Quantile *) PG_GETARG_POINTER(0);
	merge_quantiles(state, (const Quantile *) PG_GETARG_POINTER(1));
	PG_RETURN_POINTER(state);
}

/* The state, then its cells or its counts. */
Datum
sdcf_dp_median_serialize(PG_FUNCTION_ARGS)
{
	const Quantile *state = (const Quantile *) PG_GETARG_POINTER(0);
	Size more = state->count != NULL ? state->range.cells * sizeof(uint64)
									 : state->values * sizeof(uint32);
	bytea *written;

	(void) state_memory(fcinfo);
	written = write_bytes(state, sizeof(Quantile), more);
	memcpy(VARDATA(written) + sizeof(Quantile),
		   state->count != NULL ? (const void *) state->count
								: (const void *) state->cell,
		   more);
	PG_RETURN_BYTEA_P(written);
}

Datum
sdcf_dp_median_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	Size size = VARSIZE_ANY_EXHDR(bytes);
	Quantile *state = palloc(sizeof(Quantile));
	void *more;

	(void) state_memory(fcinfo);
	if (size < sizeof(Quantile))
		elog(ERROR, "malformed state");
	memcpy(state, VARDATA_ANY(bytes), sizeof(Quantile));
	size -= sizeof(Quantile);
	more = palloc(size + 1);
	memcpy(more, VARDATA_ANY(bytes) + sizeof(Quantile), size);
	if (state->count != NULL)
		state->count = more;
	else
		state->cell = more;
	PG_RETURN_POINTER(state);
}

/* dp_quantile_accum(state internal, value) */
Datum
sdcf_dp_quantile_accum(PG_FUNCTION_ARGS)
{
	Quantile *state = quantile_state(fcinfo);

	if (!PG_ARGISNULL(1))
		add_number(state, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(state);
}

/* dp_quantile_final(state internal, fraction, lower, upper, epsilon) */
Datum
sdcf_dp_quantile_final(PG_FUNCTION_ARGS)
{
	return choose_cell(quantile_state(fcinfo), "dp_quantile");
}

/* ----------------------------------------------------------------------
 * Modes: each of the candidates, which are public, is counted, and permute
 * and flip chooses one; a count can only grow with a record, which halves the
 * loss.
 * ----------------------------------------------------------------------
 */

typedef struct Counts
{
	FmgrInfo *compare;
	Oid collation;
	int count;
	Datum *candidate; /* in the order of their type */
	int64 *score;
	SdcSelectionRate rate;
} Counts;

static int
compare(const Counts *state, Datum a, Datum b)
{
	return DatumGetInt32(
		FunctionCall2Coll(state->compare, state->collation, a, b));
}

static int
compare_candidates(const void *a, const void *b, void *state)
{
	return compare(state, *(const Datum *) a, *(const Datum *) b);
}

/* Takes the candidates over into the memory of the state and sorts them. */
static void
take_candidates(Counts *state, const SdcPrivateCall *call)
{
	MemoryContext caller = MemoryContextSwitchTo(call->context);
	ArrayType *array;
	TypeCacheEntry *type;
	bool *isnull;
	int i;

	if (call->parameter[0].isnull)
		sdcpg_args_null("candidates");
	array = DatumGetArrayTypePCopy(call->parameter[0].value);
	type = lookup_type_cache(ARR_ELEMTYPE(array), TYPECACHE_CMP_PROC_FINFO);
	if (!OidIsValid(type->cmp_proc_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("could not identify a comparison function for "
							   "the type of the candidates")));
	state->compare = &type->cmp_proc_finfo;
	deconstruct_array(array, type->type_id, type->typlen, type->typbyval,
					  type->typalign, &state->candidate, &isnull,
					  &state->count);
	if (ARR_NDIM(array) != 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"candidates\" must be an array of one "
						"dimension that is not empty and holds no nulls")));
	qsort_arg(state->candidate, state->count, sizeof(Datum),
			  compare_candidates, state);
	for (i = 1; i < state->count; i++)
		if (compare(state, state->candidate[i - 1], state->candidate[i]) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the candidates must all differ")));
	state->score = palloc0(state->count * sizeof(int64));
	MemoryContextSwitchTo(caller);
}

/* Parameters candidates, epsilon. */
static Counts *
mode_state(FunctionCallInfo fcinfo)
{
	SdcPrivateCall call;
	double epsilon;
	Counts *state;

	if (!PG_ARGISNULL(0))
		return (Counts *) PG_GETARG_POINTER(0);
	private_begin(&call, fcinfo, 1, false);
	epsilon = private_epsilon(&call, 1);
	state = MemoryContextAllocZero(call.context, sizeof(Counts));
	state->collation = PG_GET_COLLATION();
	take_candidates(state, &call);
	/* a replaced record takes from one count and gives to another */
	sdc_selection_rate(1, sdcpg_dp_neighbours == SDC_NEIGHBOURS_ADD_REMOVE,
					   epsilon, &state->rate);
	return state;
}

/* dp_mode_accum(state internal, value, candidates, epsilon) */
Datum
sdcf_dp_mode_accum(PG_FUNCTION_ARGS)
{
	Counts *state = mode_state(fcinfo);
	int low = 0;
	int high = state->count;

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	while (low < high)
	{
		int middle = (low + high) / 2;
		int order =
			compare(state, PG_GETARG_DATUM(1), state->candidate[middle]);

		if (order == 0)
		{
			state->score[middle]++;
			break;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	PG_RETURN_POINTER(state);
}

/* dp_mode_final(state internal, value, candidates, epsilon) */
Datum
sdcf_dp_mode_final(PG_FUNCTION_ARGS)
{
	const Counts *state;
	SdcPgHost *host;
	size_t chosen;

	private_end(fcinfo);
	state = mode_state(fcinfo);
	host = sdcpg_host_begin("dp_mode", CurrentMemoryContext);
	chosen = sdc_selection_permute_and_flip(&host->kernel, sdcpg_strong_bits(),
											&state->rate, state->score,
											state->count);

	sdcpg_host_end(host);
	PG_RETURN_DATUM(state->candidate[chosen]);
}

/*
 * dp_mode_combine(state internal, other internal): the candidates are those of
 * the call, so of another state there is nothing but the counts.
 */
Datum
sdcf_dp_mode_combine(PG_FUNCTION_ARGS)
{
	const Counts *other;
	Counts *state;
	int i;

	(void) state_memory(fcinfo);
	if (PG_ARGISNULL(1) && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = mode_state(fcinfo);
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	other = (const Counts *) PG_GETARG_POINTER(1);
	if (other->count != state->count)
		elog(ERROR, "malformed state");
	for (i = 0; i < state->count; i++)
		state->score[i] += other->score[i];
	PG_RETURN_POINTER(state);
}

Datum
sdcf_dp_mode_serialize(PG_FUNCTION_ARGS)
{
	const Counts *state = (const Counts *) PG_GETARG_POINTER(0);

	(void) state_memory(fcinfo);
	PG_RETURN_BYTEA_P(
		write_bytes(state->score, state->count * sizeof(int64), 0));
}

Datum
sdcf_dp_mode_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	Size size = VARSIZE_ANY_EXHDR(bytes);
	Counts *state = palloc0(sizeof(Counts));

	(void) state_memory(fcinfo);
	if (size % sizeof(int64) != 0)
		elog(ERROR, "malformed state");
	state->count = size / sizeof(int64);
	state->score = palloc(size + 1);
	memcpy(state->score, VARDATA_ANY(bytes), size);
	PG_RETURN_POINTER(state);
}
