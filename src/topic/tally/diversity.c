/*
 * diversity.c
 *		Aggregates on what the sensitive values of a block give away.
 *
 * The state counts the sensitive values; the measures need their counts only.
 * Where values are listed, their strings are read by the type's own input
 * function, so that 1.0 is 1 and a label that an enum lacks is an error.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/args.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/risk/class_measures.h"
#include "topic/generalization/hierarchy.h"
#include "topic/tally/tally.h"

/* ----------------------------------------------------------------------
 * Aggregates on what the sensitive values of a block give away.
 *
 * The state counts the sensitive values; the measures need their counts only.
 * Where values are listed, their strings are read by the type's own input
 * function, so that 1.0 is 1 and a label that an enum lacks is an error.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_l_distinct_final);
PG_FUNCTION_INFO_V1(sdcf_l_entropy_final);
PG_FUNCTION_INFO_V1(sdcf_l_frequency_final);
PG_FUNCTION_INFO_V1(sdcf_l_recursive_final);
PG_FUNCTION_INFO_V1(sdcf_is_recursive_final);
PG_FUNCTION_INFO_V1(sdcf_is_pd_recursive_final);
PG_FUNCTION_INFO_V1(sdcf_is_npd_recursive_final);

/* l_distinct_final(state sdc_internal.tally) */
Datum
sdcf_l_distinct_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_INT64(0);
	PG_RETURN_INT64(sdcpg_tally_read(PG_GETARG_DATUM(0))->cells);
}

/* l_entropy_final(state sdc_internal.tally) */
Datum
sdcf_l_entropy_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_FLOAT8(
		sdc_diversity_entropy(sdcpg_tally_counts(tally), tally->cells));
}

/* l_frequency_final(state sdc_internal.tally) */
Datum
sdcf_l_frequency_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_FLOAT8(
		sdc_diversity_frequency(sdcpg_tally_counts(tally), tally->cells));
}

/* The counts of a block, largest first. */
static int64 *
ranked_counts(const SdcTally *tally)
{
	int64 *count = sdcpg_tally_counts(tally);

	sdc_diversity_rank((int64_t *) count, tally->cells);
	return count;
}

/* The constant argument c, which is number 0. */
static double
argument_c(const SdcTally *tally)
{
	double c = sdcpg_tally_number(tally, 0);

	if (!(c > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"c\" must be greater than 0")));
	return c;
}

/* The constant argument l, which is number 1. */
static double
argument_l(const SdcTally *tally)
{
	double l = sdcpg_tally_number(tally, 1);

	sdcpg_args_range("l", l, 1, INFINITY);
	return l;
}

/* l_recursive_final(state sdc_internal.tally) */
Datum
sdcf_l_recursive_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_INT32(sdc_diversity_recursive((int64_t *) ranked_counts(tally),
											tally->cells, argument_c(tally)));
}

/* is_recursive_final(state sdc_internal.tally) */
Datum
sdcf_is_recursive_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	PG_RETURN_BOOL(sdc_diversity_is_recursive((int64_t *) ranked_counts(tally),
											  tally->cells, argument_c(tally),
											  argument_l(tally)));
}

/* The strings of a list as values of a type; *isnull tells the NULLs. */
static Datum *
read_list(const SdcTally *tally, int index, Oid type, int *count,
		  bool **isnull)
{
	char **list = sdcpg_tally_list(tally, index, count);
	Datum *value = palloc(Max(*count, 1) * sizeof(Datum));
	FmgrInfo input;
	Oid function;
	Oid parameter;
	int i;

	*isnull = palloc(Max(*count, 1) * sizeof(bool));
	getTypeInputInfo(type, &function, &parameter);
	fmgr_info(function, &input);
	for (i = 0; i < *count; i++)
	{
		(*isnull)[i] = list[i] == NULL;
		if (list[i] != NULL)
			value[i] = InputFunctionCall(&input, list[i], parameter, -1);
	}
	return value;
}

/* Are two values, either of which may be NULL, the same? */
static bool
same_value(SdcTallyShape *shape, Datum a, bool a_null, Datum b, bool b_null)
{
	if (a_null || b_null)
		return a_null && b_null;
	return sdcpg_equality_same(&shape->equality[0], a, b);
}

/*
 * Marks the cells whose value is in a list; returns how many different values
 * the list has.
 */
static int
mark_cells(FunctionCallInfo fcinfo, const SdcTally *tally, int index,
		   bool **marked)
{
	SdcTallyShape *shape = sdcpg_tally_shape_of(fcinfo, tally);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	Datum *value;
	bool *isnull;
	int count;
	int different = 0;
	int64 c;
	int i;
	int j;

	if (tally->columns != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values can be listed for one sensitive column only"),
				 errhint("Give a column, not a row of several.")));
	value = read_list(tally, index, shape->column[0].type, &count, &isnull);
	for (i = 0; i < count; i++)
	{
		for (j = 0; j < i; j++)
			if (same_value(shape, value[i], isnull[i], value[j], isnull[j]))
				break;
		different += j == i;
	}
	*marked = palloc0(Max(tally->cells, 1) * sizeof(bool));
	for (c = 0; c < tally->cells; c++)
	{
		sdcpg_tally_values(shape, cell);
		for (i = 0; i < count && !(*marked)[c]; i++)
			(*marked)[c] = same_value(shape, shape->value[0], shape->isnull[0],
									  value[i], isnull[i]);
		cell = sdcpg_tally_next(cell);
	}
	return different;
}

/* Positive disclosure: list 0 is allowed, numbers are c and l. */
static bool
is_pd_recursive(FunctionCallInfo fcinfo, const SdcTally *tally)
{
	bool *allowed;
	int64 most;

	(void) mark_cells(fcinfo, tally, 0, &allowed);
	most = sdc_diversity_most((int64_t *) sdcpg_tally_counts(tally), allowed,
							  tally->cells);
	return sdc_diversity_is_pd_recursive((int64_t *) ranked_counts(tally),
										 tally->cells, most, argument_c(tally),
										 argument_l(tally));
}

/* is_pd_recursive_final(state sdc_internal.tally) */
Datum
sdcf_is_pd_recursive_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(
		is_pd_recursive(fcinfo, sdcpg_tally_read(PG_GETARG_DATUM(0))));
}

/* is_npd_recursive_final(state sdc_internal.tally) */
Datum
sdcf_is_npd_recursive_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	bool *protected;
	double percent;
	double share;
	int wanted;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	percent = sdcpg_tally_number(tally, 2);
	sdcpg_args_range("c2", percent, 0, 100);
	wanted = mark_cells(fcinfo, tally, 1, &protected);
	share = sdc_diversity_protected((int64_t *) sdcpg_tally_counts(tally),
									protected, tally->cells, wanted);
	PG_RETURN_BOOL(is_pd_recursive(fcinfo, tally) && share >= percent);
}

/* ----------------------------------------------------------------------
 * Aggregates on what the sensitive values of a file give away.
 *
 * The state counts the sensitive values in each class; it becomes a frequency
 * table with its cells in order, and the kernel returns the figure of the
 * worst class.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_l_diversity_final);
PG_FUNCTION_INFO_V1(sdcf_l_diversity_method_final);
PG_FUNCTION_INFO_V1(sdcf_t_closeness_final);

/*
 * One measure over all classes; NAN when there are none.  The hierarchy is
 * needed for its distance only.
 */
static double
measure_classes(FunctionCallInfo fcinfo, const char *function,
				SdcClassMeasure measure, const char *hierarchy)
{
	const SdcTally *tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	SdcPgHost *host = sdcpg_host_begin(function, CurrentMemoryContext);
	SdcClassRequest request = sdc_class_measures_request();
	SdcTallyTable table;
	SdcClassMeasuring *measuring;
	SdcClassReport report;

	request.wanted = SDC_CLASS_WANT(measure);
	table =
		sdcpg_tally_table(host, sdcpg_tally_shape_of(fcinfo, tally), tally);
	if (hierarchy != NULL && table.dictionary == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a hierarchy is one of a single sensitive column"),
				 errhint("Give a column, not a row of several.")));
	if (hierarchy != NULL)
		request.hierarchy =
			sdcpg_hierarchy_map(host, hierarchy, table.dictionary);
	measuring =
		sdc_class_measures_start(&host->kernel, table.frequency, &request);
	sdc_class_measures_walk(&host->kernel, measuring, table.frequency,
							table.classes, &report);
	sdcpg_host_end(host);
	return report.worst[measure].value;
}

/* The word that is the first constant argument. */
static char *
argument_method(const SdcTally *tally)
{
	int count;
	char **list = sdcpg_tally_list(tally, 0, &count);

	if (count != 1 || list[0] == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("state is not one of this aggregate"),
						errdetail("It has no variant.")));
	return list[0];
}

/* l_diversity_final(state sdc_internal.tally) */
Datum
sdcf_l_diversity_final(PG_FUNCTION_ARGS)
{
	double worst;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	worst = measure_classes(fcinfo, "l_diversity", SDC_CLASS_DISTINCT, NULL);
	if (isnan(worst))
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) worst);
}

/* l_diversity_method_final(state sdc_internal.tally) */
Datum
sdcf_l_diversity_method_final(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"distinct", "entropy", "frequency",
										  NULL};
	static const SdcClassMeasure measures[] = {
		SDC_CLASS_DISTINCT, SDC_CLASS_ENTROPY, SDC_CLASS_FREQUENCY};
	double worst;
	char *method;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	method = argument_method(sdcpg_tally_read(PG_GETARG_DATUM(0)));
	worst = measure_classes(fcinfo, "l_diversity",
							measures[sdcpg_args_choice(
								"variant", cstring_to_text(method), methods)],
							NULL);
	if (isnan(worst))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(worst);
}

/* Stops unless what is counted within the classes has an order. */
static void
need_order(FunctionCallInfo fcinfo, const SdcTally *tally)
{
	const SdcTallyShape *shape = sdcpg_tally_shape_of(fcinfo, tally);
	int j;

	for (j = shape->keys; j < shape->columns; j++)
		if (!shape->equality[j].type.ordered)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
							errmsg("type %s has no ordering",
								   format_type_be(shape->column[j].type)),
							errhint("Use the variant \"equal\".")));
}

/*
 * The distance that a method names; *hierarchy becomes what follows
 * "hierarchical:".
 */
static SdcClassMeasure
choose_distance(const char *method, const char **hierarchy)
{
	static const char prefix[] = "hierarchical:";

	if (strcmp(method, "equal") == 0)
		return SDC_CLASS_T_EQUAL;
	if (strcmp(method, "ordered") == 0)
		return SDC_CLASS_T_ORDERED;
	if (strncmp(method, prefix, sizeof(prefix) - 1) == 0)
	{
		*hierarchy = method + sizeof(prefix) - 1;
		return SDC_CLASS_T_HIERARCHICAL;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized variant \"%s\"", method),
					errhint("Valid values are \"equal\", \"ordered\" and "
							"\"hierarchical:\" with the name of a "
							"hierarchy.")));
	return SDC_CLASS_MEASURES;
}

/* t_closeness_final(state sdc_internal.tally) */
Datum
sdcf_t_closeness_final(PG_FUNCTION_ARGS)
{
	const SdcTally *tally;
	SdcClassMeasure measure = SDC_CLASS_T_EQUAL;
	const char *hierarchy = NULL;
	double worst;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->lists > 0)
		measure = choose_distance(argument_method(tally), &hierarchy);
	if (measure == SDC_CLASS_T_ORDERED)
		need_order(fcinfo, tally);
	worst = measure_classes(fcinfo, "t_closeness", measure, hierarchy);
	if (isnan(worst))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(worst);
}
