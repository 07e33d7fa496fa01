/*
 * propensity.c
 *		The propensity score measure of two relations.
 *
 * The columns of both relations are laid one below the other; the kernel makes
 * the model.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/model/logistic.h"
#include "kernel/utility/propensity.h"
#include "topic/utility/contrast.h"
#include "topic/utility/utility.h"

/* ----------------------------------------------------------------------
 * The propensity score measure of two relations.
 *
 * The columns of both relations are laid one below the other; the kernel makes
 * the model.
 * ----------------------------------------------------------------------
 */

static const SdcKey params_keys[] = {
	SDC_PROPENSITY_KEYS, SDC_CATEGORIES_KEY, {NULL}};

/* Both halves of a column, the original first. */
static void *
join_halves(SdcHost *kernel, const void *original, int32 above,
			const void *masked, int32 below, Size size)
{
	char *both = kernel->alloc(kernel, (size_t) above + below, size);

	memcpy(both, original, size * above);
	memcpy(both + size * above, masked, size * below);
	return both;
}

SdcPropensity
sdcpg_propensity_measure(const SdcContrast *comparison, Jsonb *params)
{
	SdcHost *kernel = &comparison->host->kernel;
	int32 above = comparison->original.rows;
	int32 below = comparison->masked.rows;
	bool interactions =
		sdcpg_keys_boolean(params_keys, params, "interactions");
	int32 levels =
		(int32) sdcpg_keys_integer(params_keys, params, "max_levels");
	SdcPropensityColumn *column =
		sdc_new(kernel, SdcPropensityColumn, comparison->columns);
	SdcPropensity result;
	int64_t parameters;
	int j;

	kernel->stage(kernel, "fitting");
	memset(column, 0, sizeof(*column) * comparison->columns);
	for (j = 0; j < comparison->columns; j++)
	{
		if (comparison->column[j].number)
			column[j].number = join_halves(
				kernel, comparison->original.number[j], above,
				comparison->masked.number[j], below, sizeof(double));
		else
			column[j].code =
				join_halves(kernel, comparison->original.code[j], above,
							comparison->masked.code[j], below, sizeof(int32));
		column[j].values = comparison->column[j].values;
	}
	result = sdc_propensity_measure(kernel, above, below, comparison->columns,
									column, levels, interactions, &parameters);
	if (parameters > SDC_LOGISTIC_MAX_PARAMETERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a model of " INT64_FORMAT " parameters is too large",
						(int64) parameters),
				 errdetail("At most %d can be estimated.",
						   SDC_LOGISTIC_MAX_PARAMETERS),
				 errhint("Name fewer columns, set a smaller max_levels in "
						 "argument \"params\", or leave interactions out.")));
	return result;
}

/* How the fit ended, as the end of a sentence. */
static const char *
tell_end(SdcLogisticEnd end)
{
	switch (end)
	{
		case SDC_LOGISTIC_MAXIMUM:
			return "";
		case SDC_LOGISTIC_SEPARATED:
			return "; some records can be told apart with certainty";
		default:
			return "; the fit did not come to an end";
	}
}

void
sdcpg_propensity_lines(const SdcPropensity *propensity, SdcUtilityLines *lines)
{
	if (isnan(propensity->pmse))
	{
		sdcpg_utility_lines_add(lines, "pmse", NULL, NAN,
								"One of the relations is empty.");
		return;
	}
	sdcpg_utility_lines_add(
		lines, "pmse", NULL, propensity->pmse,
		"Mean squared difference between the probability that a record is "
		"masked and the share %.4f of masked records; %d %s%s.",
		propensity->share, propensity->parameters,
		propensity->parameters == 1 ? "parameter" : "parameters",
		tell_end(propensity->end));
	sdcpg_utility_lines_add(lines, "pmse_expected", NULL, propensity->expected,
							"What records drawn anew from the distribution of "
							"the original would give.");
	sdcpg_utility_lines_add(lines, "pmse_deviation", NULL,
							propensity->deviation,
							"The standard deviation of that.");
	sdcpg_utility_lines_add(
		lines, "pmse_ratio", NULL, propensity->ratio,
		isnan(propensity->ratio)
			? "No column varies, so that there is nothing to tell records "
			  "apart by."
			: "pmse over pmse_expected: about 1 for records drawn anew, 0 for "
			  "the original itself.");
	sdcpg_utility_lines_add(
		lines, "pmse_standardized", NULL, propensity->standardized,
		"(pmse - pmse_expected) / pmse_deviation; within 2 of 0 for most "
		"files drawn anew.");
}

/* ----------------------------------------------------------------------
 * sdc.propensity: can a model tell masked records from original ones?
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_propensity);

static const char *const methods[] = {"logistic", NULL};

/*
 * propensity(original regclass, masked regclass, columns columns,
 *            variant text, params jsonb, seed bigint)
 */
Datum
sdcf_propensity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	const SdcRelation *original;
	const SdcRelation *masked;
	SdcRelationColumns columns;
	SdcContrast comparison;
	SdcPropensity propensity;
	SdcUtilityLines lines = {0};
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 4);
	(void) sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(3), methods);
	sdcpg_params_check_keys(params, params_keys);
	original = sdcpg_relation_find(PG_GETARG_OID(0));
	masked = sdcpg_relation_find(PG_GETARG_OID(1));
	columns =
		sdcpg_relation_columns(original, "columns", PG_GETARG_ARRAYTYPE_P(2));
	sdcpg_contrast_describe(&comparison, original, masked, NULL, &columns,
							sdcpg_params_names(params, "categories"));
	host = sdcpg_host_begin("propensity", CurrentMemoryContext);
	sdcpg_contrast_load(&comparison, host);
	propensity = sdcpg_propensity_measure(&comparison, params);
	sdcpg_propensity_lines(&propensity, &lines);
	sdcpg_host_end(host);
	sdcpg_utility_lines_put(&lines, result);
	return (Datum) 0;
}
