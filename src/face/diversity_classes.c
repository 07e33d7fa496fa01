/*
 * diversity_classes.c
 *		Aggregates on what the sensitive values of a file give away.
 *
 * The state counts the sensitive values in each class; it becomes a frequency
 * table with its cells in order, and the kernel returns the figure of the
 * worst class.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "kernel/risk/class_measures.h"
#include "pg/call/args.h"
#include "pg/generalization/hierarchy.h"
#include "pg/tally/tally.h"
#include "pg/tally/tally_frequency.h"
#include "pg/tally/tally_parameter.h"

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
						errdetail("It has no method.")));
	return list[0];
}

/* l_diversity_final(state sdc.tally) */
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

/* l_diversity_method_final(state sdc.tally) */
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
								"method", cstring_to_text(method), methods)],
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
							errhint("Use the method \"equal\".")));
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
					errmsg("unrecognized method \"%s\"", method),
					errhint("Valid values are \"equal\", \"ordered\" and "
							"\"hierarchical:\" with the name of a "
							"hierarchy.")));
	return SDC_CLASS_MEASURES;
}

/* t_closeness_final(state sdc.tally) */
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
