/*
 * mask_values.c
 *		How often each value of a column occurs in each shard of a distributed
 *		relation.
 *
 * Values that a number puts in order are counted on the servers by an
 * aggregate, whose state is an array of numbers with their counts: one row
 * comes from each shard, and these are merged.  Others come by GROUP BY, in
 * their order.
 *
 * A state is a bytea: a header and entries of 16 bytes.  The first ones are
 * sorted, with different keys; behind them lie those that came since.  When
 * it is full all are sorted and equal ones joined; if that leaves less than
 * half of it free it grows.  So it grows with the different values, and a row
 * costs O(log n) at the most.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/binaryheap.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "topic/mask/mask_private.h"

PG_FUNCTION_INFO_V1(sdcf_value_key);
PG_FUNCTION_INFO_V1(sdcf_value_counts_add);
PG_FUNCTION_INFO_V1(sdcf_value_counts_join);

/* ----------------------------------------------------------------------
 * The aggregate, on the servers.
 * ----------------------------------------------------------------------
 */

/* Keys are unsigned; as a bigint they have the same order. */
#define SIGN (UINT64CONST(1) << 63)

/* What a state starts with. */
#define COUNTS 0x53446376

#define FIRST_ENTRIES 62

typedef struct Entry
{
	uint64 key;
	int64 count;
} Entry;

typedef struct State
{
	int32 vl_len_;
	uint32 magic;
	uint32 used; /* entries */
	uint32 room;
	Entry entry[FLEXIBLE_ARRAY_MEMBER];
} State;

#define STATE_BYTES(entries) \
	(offsetof(State, entry) + sizeof(Entry) * (Size) (entries))

/* Entries at the most: a bytea has less than 1 GB. */
#define MAX_ENTRIES ((uint32) ((MaxAllocSize - sizeof(State)) / sizeof(Entry)))

/* value_key(value anyelement) returns bigint */
Datum
sdcf_value_key(PG_FUNCTION_ARGS)
{
	SdcColumnType *type = fcinfo->flinfo->fn_extra;
	uint64 key;

	if (type == NULL)
	{
		MemoryContext row = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		type = palloc(sizeof(SdcColumnType));
		*type = sdcpg_column_type(get_fn_expr_argtype(fcinfo->flinfo, 0),
								  InvalidOid);
		if (type->kind == SDC_COLUMN_COMPARED)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("no number puts values of type %s in order",
								   format_type_be(type->type))));
		MemoryContextSwitchTo(row);
		fcinfo->flinfo->fn_extra = type;
	}
	key = sdcpg_column_key(type, PG_GETARG_DATUM(0));
	/* minus zero equals zero */
	if (type->kind == SDC_COLUMN_FLOAT && key == SIGN - 1)
		key++;
	PG_RETURN_INT64((int64) (key ^ SIGN));
}

static int
compare_entries(const void *a, const void *b)
{
	uint64 x = ((const Entry *) a)->key;
	uint64 y = ((const Entry *) b)->key;

	return (x > y) - (x < y);
}

/* Sorts the entries of a state and joins equal ones. */
static void
join_entries(State *state)
{
	uint32 used = 0;
	uint32 i;

	CHECK_FOR_INTERRUPTS();
	qsort(state->entry, state->used, sizeof(Entry), compare_entries);
	for (i = 0; i < state->used; i++)
		if (used > 0 && state->entry[used - 1].key == state->entry[i].key)
			state->entry[used - 1].count += state->entry[i].count;
		else
			state->entry[used++] = state->entry[i];
	state->used = used;
}

/* A state in the current context that has room for so many entries. */
static State *
new_state(uint32 room)
{
	State *state = palloc(STATE_BYTES(room));

	SET_VARSIZE(state, STATE_BYTES(room));
	state->magic = COUNTS;
	state->used = 0;
	state->room = room;
	return state;
}

/*
 * The state in a datum; anybody may call the functions, so nothing in it is
 * believed before.  One from a server of another byte order is malformed.
 */
static State *
read_state(Datum datum)
{
	State *state = (State *) PG_DETOAST_DATUM(datum);

	/* in a row it may lie anywhere */
	if (state != (State *) MAXALIGN(state))
		state = (State *) PG_DETOAST_DATUM_COPY(datum);

	if (VARSIZE(state) < STATE_BYTES(0) || state->magic != COUNTS ||
		state->room > MAX_ENTRIES ||
		VARSIZE(state) != STATE_BYTES(state->room) ||
		state->used > state->room)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("malformed state of the aggregate value_counts")));
	return state;
}

/* A copy of a state with room for more. */
static State *
grow(const State *state, uint64 entries)
{
	State *grown;

	if (entries > MAX_ENTRIES ||
		STATE_BYTES(entries) / 1024 > (Size) sdcpg_memory_limit)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
						errmsg("more than %u different values in a shard",
							   state->used),
						errhint("Round the column first, or raise "
								"sdc.memory_limit.")));
	grown = new_state((uint32) entries);
	memcpy(grown->entry, state->entry, sizeof(Entry) * state->used);
	grown->used = state->used;
	return grown;
}

/*
 * value_counts_add(state bytea, key bigint) returns bytea
 *
 * The transition function of the aggregate value_counts: of a state that is
 * the aggregate's own, in place.
 */
Datum
sdcf_value_counts_add(PG_FUNCTION_ARGS)
{
	State *state;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "value_counts_add is called by an aggregate only");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	state = PG_ARGISNULL(0) ? new_state(FIRST_ENTRIES)
							: read_state(PG_GETARG_DATUM(0));
	if (state->used == state->room)
	{
		join_entries(state);
		if (state->used > state->room / 2)
			state = grow(state, 2 * (uint64) state->room);
	}
	state->entry[state->used].key = (uint64) PG_GETARG_INT64(1) ^ SIGN;
	state->entry[state->used++].count = 1;
	PG_RETURN_POINTER(state);
}

/* value_counts_join(state bytea, other bytea) returns bytea */
Datum
sdcf_value_counts_join(PG_FUNCTION_ARGS)
{
	const State *other;
	State *state;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = read_state(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(grow(other, Max(other->room, 1)));
	state = grow(read_state(PG_GETARG_DATUM(0)),
				 (uint64) read_state(PG_GETARG_DATUM(0))->used + other->used);
	memcpy(state->entry + state->used, other->entry,
		   sizeof(Entry) * other->used);
	state->used += other->used;
	join_entries(state);
	PG_RETURN_POINTER(state);
}

/* ----------------------------------------------------------------------
 * All shards together.
 * ----------------------------------------------------------------------
 */

static bool
same_value(SdcShardCounts *counts, Datum a, Datum b)
{
	return DatumGetBool(
		FunctionCall2Coll(&counts->equal, counts->type.collation, a, b));
}

static Datum
keep_value(SdcShardCounts *counts, Datum value)
{
	MemoryContext reading = MemoryContextSwitchTo(counts->host->work);

	if (!counts->type.by_value)
	{
		if (counts->type.length == -1)
			value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
		value = datumCopy(value, false, counts->type.length);
		sdcpg_host_count(counts->host,
						 datumGetSize(value, false, counts->type.length));
	}
	MemoryContextSwitchTo(reading);
	return value;
}

/* Starts a value; start has always room for one more. */
static void
add_value(SdcShardCounts *counts, Datum value)
{
	if (counts->values == counts->room)
	{
		counts->room = counts->room == 0 ? 1024 : 2 * counts->room;
		counts->value = sdcpg_host_grow(counts->host, counts->value,
										counts->room, sizeof(Datum));
		counts->start =
			sdcpg_host_grow(counts->host, counts->start,
							(Size) counts->room + 1, sizeof(uint64));
	}
	counts->start[counts->values] = (uint64) counts->rows;
	counts->value[counts->values++] = value;
}

/* Counts rows of a shard that have the last value. */
static void
add_rows(SdcShardCounts *counts, int32 place, int64 rows)
{
	SdcShardValues *values;

	if (place < 0 || place >= counts->places || rows <= 0 ||
		rows > PG_UINT32_MAX)
		elog(ERROR, "a row of a distributed relation is in no shard");
	values = &counts->place[place];
	if (values->count == values->room)
	{
		values->room = values->room == 0 ? 256 : 2 * values->room;
		values->value = sdcpg_host_grow(counts->host, values->value,
										values->room, sizeof(uint32));
		values->rows = sdcpg_host_grow(counts->host, values->rows,
									   values->room, sizeof(uint32));
	}
	values->value[values->count] = counts->values - 1;
	values->rows[values->count++] = (uint32) rows;
	counts->rows += rows;
	counts->start[counts->values] = (uint64) counts->rows;
}

/* ----------------------------------------------------------------------
 * Values that are compared: by GROUP BY.
 * ----------------------------------------------------------------------
 */

static void
start_groups(void *arg, TupleDesc descriptor)
{
	SdcShardCounts *counts = arg;
	TypeCacheEntry *cache =
		lookup_type_cache(counts->type.base, TYPECACHE_EQ_OPR_FINFO);

	fmgr_info_cxt(cache->eq_opr_finfo.fn_oid, &counts->equal,
				  counts->host->work);
}

/* Takes a row (place, value, count); they come in the order of the values. */
static void
add_group(void *arg, TupleDesc descriptor, const Datum *values,
		  const bool *isnull)
{
	SdcShardCounts *counts = arg;
	Datum *last =
		counts->values == 0 ? NULL : &counts->value[counts->values - 1];

	if (isnull[1])
	{
		counts->missing += DatumGetInt64(values[2]);
		return;
	}
	if (last == NULL || !same_value(counts, *last, values[1]))
		add_value(counts, keep_value(counts, values[1]));
	else if (sdcpg_column_compare_bytes(&counts->type, values[1], *last) < 0)
		*last = keep_value(counts, values[1]); /* of equal ones the first */
	add_rows(counts, DatumGetInt32(values[0]), DatumGetInt64(values[2]));
}

static void
read_groups(SdcShardCounts *counts, const SdcRelation *relation,
			const char *value, const char *place)
{
	SdcRows rows = {start_groups, add_group, counts};

	sdcpg_rows_receive(counts->host,
					   psprintf("SELECT %s AS place, %s AS value, "
								"pg_catalog.count(*) FROM %s AS r GROUP BY "
								"1, 2 ORDER BY 2, 1",
								place, value, relation->sql),
					   &rows);
}

/* ----------------------------------------------------------------------
 * Values that a number puts in order: by the aggregate.
 * ----------------------------------------------------------------------
 */

typedef struct States
{
	SdcShardCounts *counts;
	State **state; /* of each shard, sorted; NULL: no values */
	uint32 *next;  /* the entry of each that comes next */
	int64 rows;
	int64 known;
} States;

static void
start_states(void *arg, TupleDesc descriptor)
{
}

/* Takes a row (place, state, count). */
static void
add_state(void *arg, TupleDesc descriptor, const Datum *values,
		  const bool *isnull)
{
	States *states = arg;
	SdcShardCounts *counts = states->counts;
	int32 place = DatumGetInt32(values[0]);
	MemoryContext reading;
	uint32 i;

	if (place < 0 || place >= counts->places || states->state[place] != NULL)
		elog(ERROR, "a row of a distributed relation is in no shard");
	states->rows += DatumGetInt64(values[2]);
	if (isnull[1])
		return;
	reading = MemoryContextSwitchTo(counts->host->work);
	states->state[place] = read_state(values[1]);
	if ((Pointer) states->state[place] == DatumGetPointer(values[1]))
		states->state[place] =
			grow(states->state[place], states->state[place]->room);
	MemoryContextSwitchTo(reading);
	sdcpg_host_count(counts->host, VARSIZE(states->state[place]));
	join_entries(states->state[place]);
	for (i = 0; i < states->state[place]->used; i++)
		states->known += states->state[place]->entry[i].count;
}

static const Entry *
next_entry(const States *states, int32 place)
{
	return &states->state[place]->entry[states->next[place]];
}

/* The lesser key comes first, of equal ones that of the lesser shard. */
static int
compare_places(Datum a, Datum b, void *arg)
{
	const States *states = arg;
	int32 x = DatumGetInt32(a);
	int32 y = DatumGetInt32(b);
	int order = compare_entries(next_entry(states, y), next_entry(states, x));

	return order != 0 ? order : (y > x) - (y < x);
}

static void
merge_states(States *states)
{
	SdcShardCounts *counts = states->counts;
	SdcHost *host = &counts->host->kernel;
	binaryheap *heap =
		binaryheap_allocate(counts->places, compare_places, states);
	uint64 last = 0;
	int64 merged = 0;
	int32 place;

	for (place = 0; place < counts->places; place++)
		if (states->state[place] != NULL && states->state[place]->used > 0)
			binaryheap_add_unordered(heap, Int32GetDatum(place));
	binaryheap_build(heap);
	while (!binaryheap_empty(heap))
	{
		const Entry *entry;

		place = DatumGetInt32(binaryheap_first(heap));
		entry = next_entry(states, place);
		if (merged++ % SDC_POLL_STEPS == 0)
			host->poll(host, counts->rows, states->known);
		if (counts->values == 0 || entry->key != last)
			add_value(counts, sdcpg_column_of_key(&counts->type, entry->key));
		last = entry->key;
		add_rows(counts, place, entry->count);
		if (++states->next[place] < states->state[place]->used)
			binaryheap_replace_first(heap, Int32GetDatum(place));
		else
		{
			(void) binaryheap_remove_first(heap);
			pfree(states->state[place]);
		}
	}
	binaryheap_free(heap);
}

static void
read_states(SdcShardCounts *counts, const SdcRelation *relation,
			const char *value, const char *place)
{
	States states = {counts};
	SdcRows rows = {start_states, add_state, &states};

	states.state = palloc0(sizeof(State *) * counts->places);
	states.next = palloc0(sizeof(uint32) * counts->places);
	sdcpg_rows_receive(
		counts->host,
		psprintf("SELECT %s AS place, sdc.value_counts(sdc.value_key(%s)) AS "
				 "counts, pg_catalog.count(*) FROM %s AS r GROUP BY 1",
				 place, value, relation->sql),
		&rows);
	merge_states(&states);
	counts->missing = states.rows - states.known;
}

void
sdcpg_shard_counts_read(SdcShardCounts *counts, const SdcRelation *relation,
						const char *value, const char *place)
{
	counts->place = palloc0(sizeof(SdcShardValues) * counts->places);
	/* without values there is a start, too */
	counts->start = sdc_new(&counts->host->kernel, uint64, 1);
	counts->start[0] = 0;
	if (counts->type.kind == SDC_COLUMN_COMPARED)
		read_groups(counts, relation, value, place);
	else
		read_states(counts, relation, value, place);
}
