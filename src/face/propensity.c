/*
 * propensity.c
 *		sdc.propensity: can a model tell masked records from original ones?
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/call/params.h"
#include "pg/call/params_names.h"
#include "pg/server/result.h"
#include "pg/utility/propensity.h"

PG_FUNCTION_INFO_V1(sdcf_propensity);

static const char *const methods[] = {"logistic", NULL};

static const char *const params_keys[] = {"interactions", "max_levels",
										  "categories", NULL};

/*
 * propensity(original regclass, masked regclass, columns name[], method text,
 *            params jsonb, seed bigint)
 */
Datum
sdcf_propensity(PG_FUNCTION_ARGS)
{
	static const char *const arguments[] = {"original", "masked", "columns",
											"method"};
	ReturnSetInfo *result = sdcpg_result_begin(fcinfo);
	Jsonb *params = PG_ARGISNULL(4) ? NULL : PG_GETARG_JSONB_P(4);
	const SdcRelation *original;
	const SdcRelation *masked;
	SdcRelationColumns columns;
	SdcContrast comparison;
	SdcPropensity propensity;
	SdcUtilityLines lines = {0};
	SdcPgHost *host;
	int i;

	for (i = 0; i < lengthof(arguments); i++)
		if (PG_ARGISNULL(i))
			sdcpg_args_null(arguments[i]);
	(void) sdcpg_args_choice("method", PG_GETARG_TEXT_PP(3), methods);
	sdcpg_params_check(params, params_keys);
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
