/*
 * reid.c
 *		sdc.reid: how many records an attack has found.
 *
 * Reid_d counts unique right links, Reid_k adds up the probability given to
 * the right record, K.Reid counts the links that are right and that the
 * intruder knows to be right (Torra 2024).
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "pg/server/compat.h"
#include "pg/server/state.h"

PG_FUNCTION_INFO_V1(sdcf_reid_accum);
PG_FUNCTION_INFO_V1(sdcf_reid_combine);
PG_FUNCTION_INFO_V1(sdcf_reid_final);

/* What the state holds. */
typedef enum State
{
	PROBABILITY,       /* of all links: 1 for each record */
	UNIQUE_RIGHT,      /* records */
	RIGHT,             /* probability of right links */
	CERTAIN_RIGHT,     /* records */
	CERTAIN,           /* records */
	PROBABILITY_ERROR, /* what rounding took from the two sums */
	RIGHT_ERROR,
	STATES
} State;

/* The columns of sdc.link, in order. */
typedef enum Column
{
	ID,
	LINKED_ID,
	CANDIDATES,
	LINK_PROBABILITY,
	DISTANCE,
	LINK_CERTAIN,
	CORRECT,
	COLUMNS
} Column;

/* Takes a link apart. */
static void
deform_link(HeapTupleHeader header, Datum *values, bool *isnull)
{
	TupleDesc descriptor = lookup_rowtype_tupdesc(
		HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple;

	if (descriptor->natts != COLUMNS)
		elog(ERROR, "sdc.link has %d columns", descriptor->natts);
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, descriptor, values, isnull);
	ReleaseTupleDesc(descriptor);
}

/* Is the link to the record itself? */
static bool
is_right(const Datum *values, const bool *isnull)
{
	text *id;
	text *linked;

	if (isnull[ID] || isnull[LINKED_ID])
		return false;
	id = DatumGetTextPP(values[ID]);
	linked = DatumGetTextPP(values[LINKED_ID]);
	return VARSIZE_ANY_EXHDR(id) == VARSIZE_ANY_EXHDR(linked) &&
		   memcmp(VARDATA_ANY(id), VARDATA_ANY(linked),
				  VARSIZE_ANY_EXHDR(id)) == 0;
}

/*
 * Adds to one of the sums and keeps what rounding takes from it (Neumaier), so
 * that ten tenths are one.
 */
static void
add(double *state, State sum, State error, double value)
{
	double before = state[sum];

	state[sum] = before + value;
	state[error] += fabs(before) >= fabs(value) ? before - state[sum] + value
												: value - state[sum] + before;
}

/* reid_accum(state float8[], links sdc.link) */
Datum
sdcf_reid_accum(PG_FUNCTION_ARGS)
{
	double *state = sdcpg_state_change(fcinfo, 0, STATES);
	Datum values[COLUMNS];
	bool isnull[COLUMNS];
	double probability;
	bool certain;
	bool correct;

	deform_link(PG_GETARG_HEAPTUPLEHEADER(1), values, isnull);
	probability = isnull[LINK_PROBABILITY]
					  ? 0
					  : DatumGetFloat8(values[LINK_PROBABILITY]);
	if (!(probability >= 0 && probability <= 1))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("probability of a link must lie between 0 and "
							   "1")));
	certain = !isnull[LINK_CERTAIN] && DatumGetBool(values[LINK_CERTAIN]);
	correct = !isnull[CORRECT] && DatumGetBool(values[CORRECT]);
	add(state, PROBABILITY, PROBABILITY_ERROR, probability);
	/* what is linked need not be a record: see attack_composition */
	if (correct || is_right(values, isnull))
		add(state, RIGHT, RIGHT_ERROR, probability);
	state[UNIQUE_RIGHT] += correct;
	state[CERTAIN] += certain;
	state[CERTAIN_RIGHT] += certain && correct;
	return sdcpg_state_datum(state);
}

/* reid_combine(state float8[], other float8[]) */
Datum
sdcf_reid_combine(PG_FUNCTION_ARGS)
{
	double *state = sdcpg_state_change(fcinfo, 0, STATES);
	const double *other = sdcpg_state_read(fcinfo, 1, STATES);

	add(state, PROBABILITY, PROBABILITY_ERROR, other[PROBABILITY]);
	add(state, RIGHT, RIGHT_ERROR, other[RIGHT]);
	state[PROBABILITY_ERROR] += other[PROBABILITY_ERROR];
	state[RIGHT_ERROR] += other[RIGHT_ERROR];
	state[UNIQUE_RIGHT] += other[UNIQUE_RIGHT];
	state[CERTAIN] += other[CERTAIN];
	state[CERTAIN_RIGHT] += other[CERTAIN_RIGHT];
	return sdcpg_state_datum(state);
}

/* reid_final(state float8[]) */
Datum
sdcf_reid_final(PG_FUNCTION_ARGS)
{
	const double *state = sdcpg_state_read(fcinfo, 0, STATES);
	double records = rint(state[PROBABILITY] + state[PROBABILITY_ERROR]);
	bool none = records == 0;
	TupleDesc descriptor;
	Datum values[6];
	bool isnull[6] = {false, none, none, none, none, state[CERTAIN] == 0};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum((int64) records);
	values[1] = Float8GetDatum(state[UNIQUE_RIGHT] / records);
	values[2] = Float8GetDatum((state[RIGHT] + state[RIGHT_ERROR]) / records);
	values[3] = Float8GetDatum(state[CERTAIN_RIGHT] / records);
	values[4] = Float8GetDatum(state[CERTAIN] / records);
	values[5] = Float8GetDatum(state[CERTAIN_RIGHT] / state[CERTAIN]);
	return HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(descriptor), values, isnull));
}
