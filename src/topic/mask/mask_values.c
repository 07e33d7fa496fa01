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
 * A state is an expanded bytea with a hash table of the keys, so it grows with
 * the different values and not with the rows.  What travels is flat, in order:
 * how many entries, and of each how much further its key is and how many rows
 * it has, in as few bytes as they need.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/binaryheap.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "host/call/catalog.h"
#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"
#include "kernel/mask/noise.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/microaggregation/parts.h"
#include "topic/mask/mask_private.h"

PG_FUNCTION_INFO_V1(sdcf_shard_place);
PG_FUNCTION_INFO_V1(sdcf_value_key);
PG_FUNCTION_INFO_V1(sdcf_value_counts_add);
PG_FUNCTION_INFO_V1(sdcf_value_counts_join);

/* ----------------------------------------------------------------------
 * In which shard a row is.
 * ----------------------------------------------------------------------
 */

/* The hash function of the type of an argument, found once in a call. */
static FmgrInfo *
hash_function(FunctionCallInfo fcinfo, int argument)
{
	FmgrInfo *hash = fcinfo->flinfo->fn_extra;
	TypeCacheEntry *cache;
	Oid type;

	if (hash != NULL)
		return hash;
	type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, argument));
	cache = lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO);
	if (!OidIsValid(cache->hash_proc_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("type %s has no hash function",
							   format_type_be(type))));
	hash = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
	fmgr_info_cxt(cache->hash_proc_finfo.fn_oid, hash,
				  fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = hash;
	return hash;
}

/*
 * shard_place(value anyelement, bounds integer[]) returns integer
 *
 * The number, from 0, of the shard of a value: bounds are the least hashes of
 * the shards, ascending.  -1 is below all.  Citus hashes by the function of
 * the type; its own SQL function for that is volatile, so that rows would be
 * masked on the workers but written from the coordinator.
 */
Datum
sdcf_shard_place(PG_FUNCTION_ARGS)
{
	FmgrInfo *hash = hash_function(fcinfo, 0);
	int32 own = (int32) DatumGetUInt32(
		FunctionCall1Coll(hash, PG_GET_COLLATION(), PG_GETARG_DATUM(0)));
	ArrayType *bounds = PG_GETARG_ARRAYTYPE_P(1);
	const int32 *bound = (const int32 *) ARR_DATA_PTR(bounds);
	int low = -1;
	int high = ArrayGetNItems(ARR_NDIM(bounds), ARR_DIMS(bounds));

	if (ARR_HASNULL(bounds))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"bounds\" has a NULL")));
	while (high - low > 1)
	{
		int middle = low + (high - low) / 2;

		if (bound[middle] <= own)
			low = middle;
		else
			high = middle;
	}
	PG_RETURN_INT32(low);
}

/* ----------------------------------------------------------------------
 * The aggregate, on the servers.
 * ----------------------------------------------------------------------
 */

/* Keys are unsigned; as a bigint they have the same order. */
#define SIGN (UINT64CONST(1) << 63)

/* What a flat state starts with. */
#define COUNTS 0x53446376

#define FIRST_SLOTS 64

typedef struct Entry
{
	uint64 key;
	int64 count;
} Entry;

typedef struct State
{
	ExpandedObjectHeader header;
	uint32 used;   /* entries */
	uint32 room;   /* slots of the table, a power of two */
	Entry *entry;  /* the table; a free slot counts 0 */
	Entry *sorted; /* the entries in order, while they are made flat */
} State;

/* Entries that are read one after the other. */
typedef struct Flat
{
	const unsigned char *byte;
	const unsigned char *end;
	uint32 left; /* entries behind this one */
	Entry entry;
} Flat;

/* Entries at the most. */
#define MAX_ENTRIES ((uint32) (MaxAllocSize / sizeof(Entry)))

uint64
sdcpg_shard_value_key(const SdcColumnType *type, Datum value)
{
	uint64 key = sdcpg_column_key(type, value);

	/* minus zero equals zero */
	return type->kind == SDC_COLUMN_FLOAT && key == SIGN - 1 ? SIGN : key;
}

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
	key = sdcpg_shard_value_key(type, PG_GETARG_DATUM(0));
	PG_RETURN_INT64((int64) (key ^ SIGN));
}

/* Has the entries of a state in order. */
static void
sort_entries(State *state)
{
	SdcPgHost *host = sdcpg_host_begin("mask", CurrentMemoryContext);
	uint64 *key = sdc_new(&host->kernel, uint64, (Size) state->used + 1);
	int32 *slot = sdc_new(&host->kernel, int32, (Size) state->used + 1);
	uint32 count = 0;
	uint32 i;

	if (state->sorted != NULL)
		pfree(state->sorted);
	state->sorted = MemoryContextAlloc(state->header.eoh_context,
									   sizeof(Entry) * (state->used + 1));
	for (i = 0; i < state->room; i++)
		if (state->entry[i].count != 0)
		{
			key[count] = state->entry[i].key;
			slot[count++] = (int32) i;
		}
	sdc_sort_keys(&host->kernel, key, slot, count);
	for (i = 0; i < count; i++)
		state->sorted[i] = state->entry[slot[i]];
	sdcpg_host_end(host);
}

/* ----------------------------------------------------------------------
 * States as bytes.
 * ----------------------------------------------------------------------
 */

pg_noreturn static void
malformed(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("malformed state of the aggregate value_counts")));
}

static int
short_bytes(uint64 number)
{
	int bytes = 1;

	for (; number >= 0x80; number >>= 7)
		bytes++;
	return bytes;
}

static uint64
take_number(Flat *flat)
{
	uint64 number = 0;
	int shift;

	for (shift = 0; shift < 64 && flat->byte < flat->end; shift += 7)
	{
		unsigned char byte = *flat->byte++;

		number |= (uint64) (byte & 0x7F) << shift;
		if (byte < 0x80)
			return number;
	}
	malformed();
}

/* The next entry; false at the end. */
static bool
take_entry(Flat *flat)
{
	uint64 further;

	if (flat->left == 0)
		return false;
	flat->left--;
	further = take_number(flat);
	flat->entry.count = (int64) take_number(flat);
	if (flat->entry.count <= 0 || further > PG_UINT64_MAX - flat->entry.key)
		malformed();
	flat->entry.key += further;
	return true;
}

/*
 * Starts to read a state, which stays where it is; anybody may call the
 * functions, so nothing in it is believed before.
 */
static Flat
start_flat(const bytea *state)
{
	Flat flat = {(const unsigned char *) VARDATA_ANY(state)};
	uint32 head[2];

	flat.end = flat.byte + VARSIZE_ANY_EXHDR(state);
	if (VARSIZE_ANY_EXHDR(state) < sizeof(head))
		malformed();
	memcpy(head, flat.byte, sizeof(head));
	flat.byte += sizeof(head);
	flat.left = pg_ntoh32(head[1]);
	/* an entry has two bytes at the least */
	if (pg_ntoh32(head[0]) != COUNTS || flat.left > MAX_ENTRIES ||
		flat.left > (uint32) (flat.end - flat.byte) / 2)
		malformed();
	return flat;
}

static Size
flat_size(ExpandedObjectHeader *header)
{
	State *state = (State *) header;
	Size bytes = VARHDRSZ + 2 * sizeof(uint32);
	uint64 last = 0;
	uint32 i;

	sort_entries(state);
	for (i = 0; i < state->used; i++)
	{
		bytes += short_bytes(state->sorted[i].key - last) +
				 short_bytes((uint64) state->sorted[i].count);
		last = state->sorted[i].key;
	}
	return bytes;
}

static unsigned char *
put_number(unsigned char *byte, uint64 number)
{
	for (; number >= 0x80; number >>= 7)
		*byte++ = (unsigned char) (number | 0x80);
	*byte++ = (unsigned char) number;
	return byte;
}

/* Follows flat_size. */
static void
flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	State *state = (State *) header;
	uint32 head[2] = {pg_hton32(COUNTS), pg_hton32(state->used)};
	unsigned char *byte = (unsigned char *) VARDATA(result);
	uint64 last = 0;
	uint32 i;

	SET_VARSIZE(result, size);
	memcpy(byte, head, sizeof(head));
	byte += sizeof(head);
	for (i = 0; i < state->used; i++)
	{
		byte = put_number(byte, state->sorted[i].key - last);
		byte = put_number(byte, (uint64) state->sorted[i].count);
		last = state->sorted[i].key;
	}
	pfree(state->sorted);
	state->sorted = NULL;
}

static const ExpandedObjectMethods state_methods = {flat_size, flatten};

/* ----------------------------------------------------------------------
 * States of the aggregate.
 * ----------------------------------------------------------------------
 */

/* The slot of a key, or that where it belongs. */
static Entry *
slot_of(const State *state, uint64 key)
{
	uint32 i = (uint32) sdc_random_mix(key) & (state->room - 1);

	while (state->entry[i].count != 0 && state->entry[i].key != key)
		i = (i + 1) & (state->room - 1);
	return &state->entry[i];
}

/* A table without entries. */
static Entry *
new_table(MemoryContext memory, uint64 slots)
{
	if (slots > MAX_ENTRIES ||
		slots * sizeof(Entry) / 1024 > (Size) sdcpg_memory_limit)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
						errmsg("more than %u different values in a shard",
							   (uint32) (slots / 8 * 3)),
						errhint("Round the column first, or raise "
								"sdc.memory_limit.")));
	return MemoryContextAllocZero(memory, sizeof(Entry) * slots);
}

static void
grow(State *state)
{
	Entry *old = state->entry;
	uint32 slots = state->room;
	uint32 i;

	CHECK_FOR_INTERRUPTS();
	state->entry = new_table(state->header.eoh_context, 2 * (uint64) slots);
	state->room = 2 * slots;
	for (i = 0; i < slots; i++)
		if (old[i].count != 0)
			*slot_of(state, old[i].key) = old[i];
	pfree(old);
}

/* Counts rows of a key. */
static void
add_entry(State *state, uint64 key, int64 count)
{
	Entry *entry = slot_of(state, key);

	if (count > PG_INT64_MAX - entry->count)
		malformed();
	if (entry->count == 0)
	{
		/* a fourth stays free: ways to a slot are short */
		if (state->used >= state->room / 4 * 3)
		{
			grow(state);
			entry = slot_of(state, key);
		}
		entry->key = key;
		state->used++;
	}
	entry->count += count;
}

/* A state in a context of its own below that of the aggregate. */
static State *
new_state(FunctionCallInfo fcinfo)
{
	MemoryContext parent;
	MemoryContext own;
	State *state;

	if (!AggCheckCallContext(fcinfo, &parent))
		parent = CurrentMemoryContext;
	own = AllocSetContextCreate(parent, "sdc value_counts",
								ALLOCSET_START_SMALL_SIZES);
	state = MemoryContextAllocZero(own, sizeof(State));
	EOH_init_header(&state->header, &state_methods, own);
	state->room = FIRST_SLOTS;
	state->entry = new_table(own, FIRST_SLOTS);
	return state;
}

/* The state of an argument, if it is one that can be written to, or NULL. */
static State *
writable_state(Datum datum)
{
	State *state;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		return NULL;
	state = (State *) DatumGetEOHP(datum);
	if (state->header.eoh_methods != &state_methods)
		malformed();
	return state;
}

/* Appends the entries of a flat state. */
static void
append(State *state, const bytea *other)
{
	Flat flat = start_flat(other);

	while (take_entry(&flat))
		add_entry(state, flat.entry.key, flat.entry.count);
}

static State *
state_of(FunctionCallInfo fcinfo, int argument)
{
	State *state = PG_ARGISNULL(argument)
					   ? NULL
					   : writable_state(PG_GETARG_DATUM(argument));

	if (state != NULL)
		return state;
	state = new_state(fcinfo);
	if (!PG_ARGISNULL(argument))
		append(state, PG_GETARG_BYTEA_PP(argument));
	return state;
}

/*
 * value_counts_add(state bytea, key bigint) returns bytea
 *
 * The transition function of the aggregate value_counts: in place.
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
	state = state_of(fcinfo, 0);
	add_entry(state, (uint64) PG_GETARG_INT64(1) ^ SIGN, 1);
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}

/* value_counts_join(state bytea, other bytea) returns bytea */
Datum
sdcf_value_counts_join(PG_FUNCTION_ARGS)
{
	State *state;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	/* a shard's only state: it is in order already */
	if (PG_ARGISNULL(0) &&
		!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(PG_GETARG_DATUM(1))))
	{
		bytea *only = PG_GETARG_BYTEA_P(1);
		Flat flat = start_flat(only);

		while (take_entry(&flat))
			;
		PG_RETURN_BYTEA_P(only);
	}
	state = state_of(fcinfo, 0);
	append(state, PG_GETARG_BYTEA_PP(1));
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
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

/* A shard of so many rows, which is one. */
static SdcShardValues *
shard_of(SdcShardCounts *counts, int32 place, int64 rows)
{
	if (place < 0 || place >= counts->places || rows <= 0 ||
		rows > PG_UINT32_MAX)
		elog(ERROR, "a row of a distributed relation is in no shard");
	return &counts->place[place];
}

/* Counts rows of a shard that have the last value. */
static void
add_rows(SdcShardCounts *counts, int32 place, int64 rows)
{
	SdcShardValues *values = shard_of(counts, place, rows);

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
		int64 rows = DatumGetInt64(values[2]);

		shard_of(counts, DatumGetInt32(values[0]), rows)->missing =
			(uint32) rows;
		counts->missing += rows;
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
	Flat *flat;  /* of each shard, at the entry that comes next */
	bool *come;  /* a shard's row */
	bool *known; /* it has values */
	int64 rows;
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
	int64 here = DatumGetInt64(values[2]);
	SdcShardValues *shard = shard_of(counts, place, here);
	MemoryContext reading;
	bytea *state;

	if (states->come[place])
		elog(ERROR, "a shard of a distributed relation has come twice");
	states->come[place] = true;
	states->rows += here;
	/* those with a value are taken off when they are merged */
	shard->missing = (uint32) here;
	if (isnull[1])
		return;
	reading = MemoryContextSwitchTo(counts->host->work);
	state = DatumGetByteaPCopy(values[1]);
	MemoryContextSwitchTo(reading);
	sdcpg_host_count(counts->host, VARSIZE(state));
	states->flat[place] = start_flat(state);
	states->known[place] = take_entry(&states->flat[place]);
}

/* The lesser key comes first, of equal ones that of the lesser shard. */
static int
compare_places(Datum a, Datum b, void *arg)
{
	const States *states = arg;
	int32 x = DatumGetInt32(a);
	int32 y = DatumGetInt32(b);
	uint64 own = states->flat[x].entry.key;
	uint64 other = states->flat[y].entry.key;

	return own != other ? (other > own) - (other < own) : (y > x) - (y < x);
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
		if (states->known[place])
			binaryheap_add_unordered(heap, Int32GetDatum(place));
	binaryheap_build(heap);
	while (!binaryheap_empty(heap))
	{
		const Entry *entry;

		place = DatumGetInt32(binaryheap_first(heap));
		entry = &states->flat[place].entry;
		if (merged++ % SDC_POLL_STEPS == 0)
			host->poll(host, counts->rows, states->rows);
		if (counts->values == 0 || entry->key != last)
			add_value(counts, sdcpg_column_of_key(&counts->type, entry->key));
		last = entry->key;
		add_rows(counts, place, entry->count);
		counts->place[place].missing -= (uint32) entry->count;
		if (take_entry(&states->flat[place]))
			binaryheap_replace_first(heap, Int32GetDatum(place));
		else
			(void) binaryheap_remove_first(heap);
	}
	binaryheap_free(heap);
}

static void
read_states(SdcShardCounts *counts, const SdcRelation *relation,
			const char *value, const char *place)
{
	States states = {counts};
	SdcRows rows = {start_states, add_state, &states};

	states.flat = palloc0(sizeof(Flat) * counts->places);
	states.come = palloc0(sizeof(bool) * counts->places);
	states.known = palloc0(sizeof(bool) * counts->places);
	sdcpg_rows_receive(
		counts->host,
		psprintf("SELECT %s AS place, sdc.value_counts(sdc.value_key(%s)) AS "
				 "counts, pg_catalog.count(*) FROM %s AS r GROUP BY 1",
				 place, value, relation->sql),
		&rows);
	merge_states(&states);
	counts->missing = states.rows - counts->rows;
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
