/*
 * tally.c
 *		sdc.tally: the type of the states of counting aggregates.
 *
 * The transition functions differ only in which of their arguments make the
 * classes and which are counted within them.
 */
#include "postgres.h"

#include "fmgr.h"

#include "pg/tally/tally_io.h"
#include "pg/tally/tally_row.h"

PG_FUNCTION_INFO_V1(sdcf_tally_in);
PG_FUNCTION_INFO_V1(sdcf_tally_out);
PG_FUNCTION_INFO_V1(sdcf_tally_recv);
PG_FUNCTION_INFO_V1(sdcf_tally_send);
PG_FUNCTION_INFO_V1(sdcf_tally_keys);
PG_FUNCTION_INFO_V1(sdcf_tally_sensitive);
PG_FUNCTION_INFO_V1(sdcf_tally_classes);
PG_FUNCTION_INFO_V1(sdcf_tally_combine);

/* tally_in(cstring) */
Datum
sdcf_tally_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(sdcpg_tally_parse(PG_GETARG_CSTRING(0)));
}

/* tally_out(state sdc.tally) */
Datum
sdcf_tally_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(sdcpg_tally_print(sdcpg_tally_read(PG_GETARG_DATUM(0))));
}

/* tally_recv(internal) */
Datum
sdcf_tally_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(sdcpg_tally_receive((StringInfo) PG_GETARG_POINTER(0)));
}

/* tally_send(state sdc.tally) */
Datum
sdcf_tally_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(sdcpg_tally_send(sdcpg_tally_read(PG_GETARG_DATUM(0))));
}

/* tally_keys(state sdc.tally, keys "any") */
Datum
sdcf_tally_keys(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_row(fcinfo, 1, 0);
}

/* tally_sensitive(state sdc.tally, sensitive "any", ...) */
Datum
sdcf_tally_sensitive(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_row(fcinfo, 0, 1);
}

/* tally_classes(state sdc.tally, keys "any", sensitive "any", ...) */
Datum
sdcf_tally_classes(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_row(fcinfo, 1, 1);
}

/* tally_combine(state sdc.tally, other sdc.tally) */
Datum
sdcf_tally_combine(PG_FUNCTION_ARGS)
{
	return sdcpg_tally_combine(fcinfo);
}
