/*
 * loss.c
 *		sdc.information_loss: the information loss of one column (IL1s).
 *
 * The mean of |x - x'| over the standard deviation of a difference of two
 * independent values, sqrt(2) sd(x) (Yancey, Winkler and Creecy 2002).  Sums
 * are exact, so that the order of the rows and the workers of a plan change
 * nothing, and a constant column has a deviation of exactly zero.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/data/target.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "topic/generalization/loss.h"

/* ----------------------------------------------------------------------
 * Records that lose values, as parameters and as a query.
 *
 * The list goes into the statement as two arrays, which PostgreSQL joins with
 * the relation by the text of the id; records that lose nothing are not in it.
 * ----------------------------------------------------------------------
 */

SdcLosses
sdcpg_losses_new(SdcPgHost *host, int64 records)
{
	SdcLosses losses = {.host = host};

	losses.id = sdc_new(&host->kernel, Datum, records);
	losses.mask = sdc_new(&host->kernel, Datum, records);
	return losses;
}

void
sdcpg_losses_add(SdcLosses *losses, const char *id, uint64 mask)
{
	SdcHost *kernel = &losses->host->kernel;
	Size length = strlen(id);
	text *copy = kernel->alloc(kernel, length + VARHDRSZ, 1);

	SET_VARSIZE(copy, length + VARHDRSZ);
	memcpy(VARDATA(copy), id, length);
	losses->id[losses->count] = PointerGetDatum(copy);
	losses->mask[losses->count++] = Int64GetDatum((int64) mask);
}

/* An array parameter; PostgreSQL holds arrays of up to 1 GB. */
static void
bind_array(SdcCatalogParameters *parameters, const SdcLosses *losses,
		   Datum *element, Oid type, Oid array, int length, char align)
{
	Size bytes = 0;
	int32 i;

	for (i = 0; i < losses->count; i++)
		bytes += length > 0 ? length
							: INTALIGN(VARSIZE(DatumGetPointer(element[i])));
	if (bytes > MaxAllocSize / 2)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many records lose values"),
						errhint("Generalize the keys first, or suppress parts "
								"of the relation, as views.")));
	sdcpg_catalog_bind(parameters, array,
					   PointerGetDatum(construct_array(
						   element, losses->count, type, length,
						   type == INT8OID ? FLOAT8PASSBYVAL : false, align)),
					   false);
}

void
sdcpg_losses_bind(const SdcLosses *losses, SdcCatalogParameters *parameters)
{
	bind_array(parameters, losses, losses->id, TEXTOID, TEXTARRAYOID, -1, 'i');
	bind_array(parameters, losses, losses->mask, INT8OID, INT8ARRAYOID,
			   sizeof(int64), 'd');
}

/* Does the record lose any of these columns? */
static char *
lost(uint64 mask)
{
	return psprintf("(s.lost OPERATOR(pg_catalog.&) '" INT64_FORMAT
					"'::pg_catalog.int8) OPERATOR(pg_catalog.<>) "
					"'0'::pg_catalog.int8",
					(int64) mask);
}

/* The column itself, or what it is generated from, as bits. */
static uint64
parts_of(const SdcRelation *relation, const SdcRelationColumns *columns,
		 const SdcRelationColumn *column)
{
	int j = sdcpg_relation_place(columns, column->number);

	return j < 0 ? sdcpg_generated_from(relation, column, columns)
				 : UINT64CONST(1) << j;
}

char *
sdcpg_losses_select(const SdcRelation *relation, const SdcRelationColumn *id,
					const SdcRelationColumns *columns)
{
	SdcRelationColumns all = sdcpg_relation_all_columns(relation);
	StringInfoData sql;
	int j;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (j = 0; j < all.count; j++)
	{
		uint64 parts = parts_of(relation, columns, &all.column[j]);

		appendStringInfoString(&sql, j > 0 ? ", " : "");
		sdcpg_target_column(&sql, relation, &all.column[j],
							parts == 0 ? NULL : lost(parts));
	}
	appendStringInfo(
		&sql,
		" FROM %s AS r LEFT JOIN ROWS FROM (pg_catalog.unnest($1), "
		"pg_catalog.unnest($2)) AS s (id, lost) ON s.id "
		"OPERATOR(pg_catalog.=) (%s COLLATE "
		"pg_catalog.\"C\")",
		relation->sql, sdcpg_query_cast(id, "text"));
	return sql.data;
}

/* ----------------------------------------------------------------------
 * sdc.information_loss, an aggregate.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_il1s_accum);
PG_FUNCTION_INFO_V1(sdcf_il1s_combine);
PG_FUNCTION_INFO_V1(sdcf_il1s_final);

/* What the state holds: doubles and nothing else. */
typedef struct State
{
	double count;
	SdcExactSum first;      /* of x */
	SdcExactSum second;     /* of x^2 */
	SdcExactSum difference; /* of |x - x'| */
} State;

#define STATES ((int) (sizeof(State) / sizeof(double)))

/* A state may come from anybody who calls these functions by himself. */
static const State *
check(const State *state)
{
	sdcpg_state_need(sdc_exact_valid(&state->first) &&
					 sdc_exact_valid(&state->second) &&
					 sdc_exact_valid(&state->difference));
	return state;
}

/* il1s_accum(state float8[], value_original float8, value_masked float8) */
Datum
sdcf_il1s_accum(PG_FUNCTION_ARGS)
{
	State *state = (State *) sdcpg_state_change(fcinfo, 0, STATES);
	double original = PG_GETARG_FLOAT8(1);
	double masked = PG_GETARG_FLOAT8(2);

	(void) check(state);
	sdcpg_args_finite(original);
	sdcpg_args_finite(masked);
	state->count++;
	sdc_exact_add(&state->first, original);
	sdc_exact_add_product(&state->second, original, original);
	sdc_exact_add(&state->difference, fabs(original - masked));
	return sdcpg_state_datum((double *) state);
}

/* il1s_combine(state float8[], other float8[]) */
Datum
sdcf_il1s_combine(PG_FUNCTION_ARGS)
{
	State *state = (State *) sdcpg_state_change(fcinfo, 0, STATES);
	const State *other =
		check((const State *) sdcpg_state_read(fcinfo, 1, STATES));

	(void) check(state);
	state->count += other->count;
	sdc_exact_merge(&state->first, &other->first);
	sdc_exact_merge(&state->second, &other->second);
	sdc_exact_merge(&state->difference, &other->difference);
	return sdcpg_state_datum((double *) state);
}

/* il1s_final(state float8[]) */
Datum
sdcf_il1s_final(PG_FUNCTION_ARGS)
{
	const State *state =
		check((const State *) sdcpg_state_read(fcinfo, 0, STATES));
	double difference;
	double squares;
	double deviation;

	if (state->count == 0)
		PG_RETURN_NULL();
	difference = sdc_exact_total(&state->difference);
	squares = sdc_exact_squares(state->count, &state->first, &state->second);
	if (!isfinite(squares) || !isfinite(difference))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("value out of range: overflow")));
	if (difference == 0)
		PG_RETURN_FLOAT8(0);
	/* a change of a column that has no spread has no scale */
	if (state->count < 2 || squares <= 0)
		PG_RETURN_NULL();
	deviation = sqrt(squares / (state->count - 1));
	PG_RETURN_FLOAT8(difference / state->count / (sqrt(2.0) * deviation));
}
