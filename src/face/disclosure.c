/*
 * disclosure.c
 *		sdc.rid, sdc.sdid and sdc.sadr: how many values a masked column gives
 *		away, as aggregates.
 *
 * The two interval measures need ranks and the standard deviation of all
 * originals, so they keep all pairs, and share them when both stand in one
 * query.  Equal values are only counted.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "kernel/risk/disclosure.h"
#include "pg/call/args.h"
#include "pg/server/compat.h"
#include "pg/data/equality.h"
#include "pg/server/host.h"
#include "pg/data/pairs.h"
#include "pg/server/state.h"

PG_FUNCTION_INFO_V1(sdcf_disclosure_accum);
PG_FUNCTION_INFO_V1(sdcf_disclosure_combine);
PG_FUNCTION_INFO_V1(sdcf_rid_final);
PG_FUNCTION_INFO_V1(sdcf_sdid_final);
PG_FUNCTION_INFO_V1(sdcf_sadr_accum);
PG_FUNCTION_INFO_V1(sdcf_sadr_combine);
PG_FUNCTION_INFO_V1(sdcf_sadr_final);

/* What the state of sadr holds. */
typedef enum State
{
	RECORDS, /* with an original value */
	EQUAL,
	STATES
} State;

typedef void (*MarkRecords)(SdcHost *host, const SdcDisclosureNumbers *numbers,
							double p, uint8_t *mark);

/*
 * disclosure_accum(state bytea, value_original float8, value_masked float8,
 *                  p float8)
 */
Datum
sdcf_disclosure_accum(PG_FUNCTION_ARGS)
{
	double masked = NAN;
	SdcPairs *pairs;
	double p;

	if (PG_ARGISNULL(3))
		sdcpg_args_null("p");
	p = PG_GETARG_FLOAT8(3);
	sdcpg_args_range("p", p, 0, 100);
	if (!PG_ARGISNULL(2))
	{
		masked = PG_GETARG_FLOAT8(2);
		sdcpg_args_finite(masked);
	}
	/* without an original value there is nothing to give away */
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	sdcpg_args_finite(PG_GETARG_FLOAT8(1));
	pairs = sdcpg_pairs_change(fcinfo, 0, p);
	sdcpg_pairs_add(pairs, PG_GETARG_FLOAT8(1), masked);
	PG_RETURN_DATUM(sdcpg_pairs_datum(pairs));
}

/* disclosure_combine(state bytea, other bytea) */
Datum
sdcf_disclosure_combine(PG_FUNCTION_ARGS)
{
	const SdcPairs *other = sdcpg_pairs_read(fcinfo, 1);
	SdcPairs *pairs = sdcpg_pairs_change(fcinfo, 0, other->p);
	int32 i;

	for (i = 0; i < other->count; i++)
		sdcpg_pairs_add(pairs, other->original[i], other->masked[i]);
	PG_RETURN_DATUM(sdcpg_pairs_datum(pairs));
}

/* The share of records that the given marking shows. */
static Datum
measure_pairs(FunctionCallInfo fcinfo, const char *function, MarkRecords marks)
{
	const SdcPairs *pairs = sdcpg_pairs_read(fcinfo, 0);
	SdcPgHost *host = sdcpg_host_begin(function, CurrentMemoryContext);
	uint8_t *mark = sdc_new(&host->kernel, uint8_t, pairs->count);
	SdcDisclosureNumbers numbers;
	SdcDisclosureShare share;

	sdc_disclosure_prepare(&host->kernel, &numbers, pairs->original,
						   pairs->masked, pairs->count);
	marks(&host->kernel, &numbers, pairs->p, mark);
	share = sdc_disclosure_count(&host->kernel, mark, pairs->count);
	sdcpg_host_end(host);
	if (share.records == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(sdc_disclosure_share(share));
}

/* rid_final(state bytea) */
Datum
sdcf_rid_final(PG_FUNCTION_ARGS)
{
	return measure_pairs(fcinfo, "rid", sdc_disclosure_rank);
}

/* sdid_final(state bytea) */
Datum
sdcf_sdid_final(PG_FUNCTION_ARGS)
{
	return measure_pairs(fcinfo, "sdid", sdc_disclosure_deviation);
}

/* The equality of the arguments' type, looked up once per query. */
static SdcEquality *
find_equality(FunctionCallInfo fcinfo)
{
	FmgrInfo *info = fcinfo->flinfo;
	SdcEquality *equality = info->fn_extra;
	Oid original;
	Oid masked;

	if (equality != NULL)
		return equality;
	original = get_fn_expr_argtype(info, 1);
	masked = get_fn_expr_argtype(info, 2);
	if (getBaseType(original) != getBaseType(masked))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("original and masked values must be of one type"),
				 errdetail("Their types are %s and %s.",
						   format_type_be(original), format_type_be(masked)),
				 errhint("Cast one of them, or both to text.")));
	equality = MemoryContextAlloc(info->fn_mcxt, sizeof(SdcEquality));
	sdcpg_equality_find(equality, original, PG_GET_COLLATION(), info->fn_mcxt);
	info->fn_extra = equality;
	return equality;
}

/* sadr_accum(state float8[], value_original "any", value_masked "any") */
Datum
sdcf_sadr_accum(PG_FUNCTION_ARGS)
{
	SdcEquality *equality = find_equality(fcinfo);
	double *state;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("state");
	state = sdcpg_state_change(fcinfo, 0, STATES);
	if (!PG_ARGISNULL(1))
		state[RECORDS]++;
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		state[EQUAL] += sdcpg_equality_same(
			equality, sdcpg_equality_whole(equality, PG_GETARG_DATUM(1)),
			sdcpg_equality_whole(equality, PG_GETARG_DATUM(2)));
	return sdcpg_state_datum(state);
}

/* sadr_combine(state float8[], other float8[]) */
Datum
sdcf_sadr_combine(PG_FUNCTION_ARGS)
{
	double *state = sdcpg_state_change(fcinfo, 0, STATES);
	const double *other = sdcpg_state_read(fcinfo, 1, STATES);

	state[RECORDS] += other[RECORDS];
	state[EQUAL] += other[EQUAL];
	return sdcpg_state_datum(state);
}

/* sadr_final(state float8[]) */
Datum
sdcf_sadr_final(PG_FUNCTION_ARGS)
{
	const double *state = sdcpg_state_read(fcinfo, 0, STATES);

	if (state[RECORDS] == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(state[EQUAL] / state[RECORDS]);
}
