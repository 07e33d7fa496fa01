/*
 * individual_risk.c
 *		sdc.individual_risk: the risk of a record of a sample.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"

#include "host/call/args.h"
#include "kernel/risk/superpopulation.h"

PG_FUNCTION_INFO_V1(sdcf_individual_risk);

/* In the order of SdcIndividualRiskMethod. */
static const char *const methods[] = {"exact", "approx", NULL};

/*
 * individual_risk(sample_count bigint, population_count float8,
 *                 variant text)
 */
Datum
sdcf_individual_risk(PG_FUNCTION_ARGS)
{
	int64 sample = PG_GETARG_INT64(0);
	double population = PG_GETARG_FLOAT8(1);
	int method = sdcpg_args_choice("variant", PG_GETARG_TEXT_PP(2), methods);

	if (sample < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"sample_count\" must be at least 1"),
				 errdetail("It counts the records of the sample that share a "
						   "combination of keys.")));
	sdcpg_args_finite(population);
	if (population <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"population_count\" must be positive")));
	PG_RETURN_FLOAT8(sdc_individual_risk_expect(sample, population, method));
}
