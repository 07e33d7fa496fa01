/*
 * partition_agreement.c
 *		sdc.rand_index and the like: how far two sets of labels agree.
 *
 * The state counts pairs of labels; NULL is a label as any other.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "host/server/host.h"
#include "kernel/model/partition_agreement.h"
#include "topic/tally/tally.h"

PG_FUNCTION_INFO_V1(sdcf_rand_index_final);
PG_FUNCTION_INFO_V1(sdcf_jaccard_index_final);
PG_FUNCTION_INFO_V1(sdcf_f_measure_final);
PG_FUNCTION_INFO_V1(sdcf_adjusted_rand_final);

/* All measures of the state; NaN without one. */
static SdcPartitionAgreement
measure(FunctionCallInfo fcinfo, const char *function)
{
	SdcPartitionAgreement result = {NAN, NAN, NAN, NAN};
	const SdcTally *tally;
	SdcPgHost *host;
	SdcTallyTable table;

	if (PG_ARGISNULL(0))
		return result;
	tally = sdcpg_tally_read(PG_GETARG_DATUM(0));
	if (tally->keys != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("labels must be single values, not rows"),
				 errhint("Turn a row into one value, for example its text.")));
	host = sdcpg_host_begin(function, CurrentMemoryContext);
	table =
		sdcpg_tally_table(host, sdcpg_tally_shape_of(fcinfo, tally), tally);
	result = sdc_partition_agreement_measure(&host->kernel, table.frequency);
	sdcpg_host_end(host);
	return result;
}

static Datum
value_or_null(FunctionCallInfo fcinfo, double value)
{
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

/* rand_index_final(state sdc_internal.tally) */
Datum
sdcf_rand_index_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "rand_index").rand);
}

/* jaccard_index_final(state sdc_internal.tally) */
Datum
sdcf_jaccard_index_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "jaccard_index").jaccard);
}

/* f_measure_final(state sdc_internal.tally) */
Datum
sdcf_f_measure_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "f_measure").f_measure);
}

/* adjusted_rand_final(state sdc_internal.tally) */
Datum
sdcf_adjusted_rand_final(PG_FUNCTION_ARGS)
{
	return value_or_null(fcinfo, measure(fcinfo, "adjusted_rand").adjusted);
}
