/*
 * tally.c
 *		States of aggregates: counting combinations of values in place.
 *
 * A small state is a plain value with room to spare.  When it has outgrown
 * LARGE bytes it moves into a memory context of its own and becomes an
 * expanded object around the same bytes, which need not be copied whenever
 * they grow.  So a hundred thousand groups of a few rows take a few hundred
 * bytes each, and one group of a million values grows without copies.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "pg/server/settings.h"
#include "pg/tally/tally.h"
#include "pg/tally/tally_cell.h"

/* Bytes from which on a state is an expanded object. */
#define LARGE 8192

/* Cells that are searched in turn, without a hash table. */
#define FEW 8

/* Cells between two looks at interrupts. */
#define POLL_CELLS 65536

typedef struct SdcTallyExpanded
{
	ExpandedObjectHeader header;
	SdcTally *tally;
} SdcTallyExpanded;

static inline uint32 *
slots_of(const SdcTally *tally)
{
	return (uint32 *) ((char *) tally + tally->head);
}

static inline char *
cells_of(const SdcTally *tally)
{
	return (char *) slots_of(tally) + tally->slots * sizeof(uint32);
}

/* Bytes of a state with so many slots and so much room for cells. */
static Size
state_size(const SdcTally *tally, uint32 slots, uint64 room)
{
	return tally->head + slots * sizeof(uint32) + room;
}

const SdcTallyCell *
sdcpg_tally_first(const SdcTally *tally)
{
	return (const SdcTallyCell *) cells_of(tally);
}

/* Without slots and spare room: what travels and what is kept. */
static Size
flat_size(ExpandedObjectHeader *header)
{
	const SdcTally *tally = ((SdcTallyExpanded *) header)->tally;
	Size size = state_size(tally, 0, tally->used);

	if (size > MaxAllocSize)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("state of the aggregate is larger than 1 GB"),
			 errdetail("Parts of a parallel plan can only exchange smaller "
					   "ones."),
			 errhint("Set max_parallel_workers_per_gather to 0.")));
	return size;
}

static void
write_flat(SdcTally *flat, const SdcTally *tally)
{
	memcpy(flat, tally, tally->head);
	flat->slots = 0;
	flat->room = tally->used;
	memcpy(cells_of(flat), cells_of(tally), tally->used);
}

static void
flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	write_flat(result, ((SdcTallyExpanded *) header)->tally);
	SET_VARSIZE(result, size);
}

static const ExpandedObjectMethods methods = {flat_size, flatten};

const SdcTally *
sdcpg_tally_read(Datum state)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(state);

	if (VARATT_IS_EXTERNAL_EXPANDED(value))
		return ((SdcTallyExpanded *) DatumGetEOHP(state))->tally;
	return (const SdcTally *) PG_DETOAST_DATUM(state);
}

/* Puts every cell into its slot. */
static void
fill_slots(SdcTally *tally)
{
	uint32 *slot = slots_of(tally);
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	uint32 mask = tally->slots - 1;
	int64 i;

	memset(slot, 0, tally->slots * sizeof(uint32));
	for (i = 0; i < tally->cells; i++)
	{
		uint32 at = cell->hash & mask;

		while (slot[at] != 0)
			at = (at + 1) & mask;
		slot[at] =
			1 + ((const char *) cell - cells_of(tally)) / MAXIMUM_ALIGNOF;
		cell = sdcpg_tally_next(cell);
	}
}

/* Stops when a state would take more than a call may hold. */
static void
check_limit(Size size)
{
	if (size > (Size) sdcpg_memory_limit * 1024)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("memory required is more than sdc.memory_limit "
							   "(%d MB)",
							   sdcpg_memory_limit / 1024),
						errdetail("The aggregate has met too many different "
								  "combinations of values."),
						errhint("Raise sdc.memory_limit, or use "
								"sdc.risk_report.")));
}

/* Makes the state an expanded object; its bytes are yet to come. */
static void
expand(SdcTallyChange *change)
{
	MemoryContext context = AllocSetContextCreate(change->owner, "sdc tally",
												  ALLOCSET_START_SMALL_SIZES);
	SdcTallyExpanded *expanded =
		MemoryContextAlloc(context, sizeof(SdcTallyExpanded));

	EOH_init_header(&expanded->header, &methods, context);
	expanded->tally = NULL;
	change->expanded = expanded;
	change->datum = EOHPGetRWDatum(&expanded->header);
}

/* Moves the state to where it has room for another cell of that length. */
static void
grow(SdcTallyChange *change, Size length)
{
	SdcTally *old = change->tally;
	uint64 room = old->used * 2 + length;
	int64 cells = old->cells * 2 + 1;
	uint32 slots =
		cells <= FEW ? 0 : pg_nextpower2_32(Min(cells, 1 << 29) * 2);
	Size size = state_size(old, slots, room);
	SdcTally *tally;

	if (room / MAXIMUM_ALIGNOF >= PG_UINT32_MAX || cells > PG_INT32_MAX / 2)
		size = MaxAllocHugeSize; /* refused by any limit */
	check_limit(size);
	if (change->expanded == NULL && size > LARGE)
		expand(change);
	tally = MemoryContextAllocHuge(change->expanded == NULL
									   ? CurrentMemoryContext
									   : change->expanded->header.eoh_context,
								   size);
	memcpy(tally, old, old->head);
	tally->slots = slots;
	tally->room = room;
	memcpy(cells_of(tally), cells_of(old), old->used);
	if (slots > 0)
		fill_slots(tally);
	change->tally = tally;
	if (change->expanded == NULL)
	{
		/* the spare room may be stored with the rest */
		memset(cells_of(tally) + tally->used, 0, room - tally->used);
		SET_VARSIZE(tally, size);
		change->datum = PointerGetDatum(tally);
		return;
	}
	if (change->expanded->tally != NULL)
		pfree(old);
	change->expanded->tally = tally;
}

void
sdcpg_tally_create(SdcTallyChange *change, const SdcTally *empty,
				   MemoryContext owner)
{
	SdcTally *tally = palloc(empty->head);

	memcpy(tally, empty, empty->head);
	tally->slots = 0;
	tally->cells = 0;
	tally->records = 0;
	tally->used = 0;
	tally->room = 0;
	SET_VARSIZE(tally, empty->head);
	change->tally = tally;
	change->datum = PointerGetDatum(tally);
	change->owner = owner;
	change->expanded = NULL;
}

void
sdcpg_tally_open(SdcTallyChange *change, Datum state, MemoryContext owner)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(state);

	change->owner = owner;
	change->datum = state;
	change->expanded = NULL;
	if (VARATT_IS_EXTERNAL_EXPANDED_RW(value))
	{
		change->expanded = (SdcTallyExpanded *) DatumGetEOHP(state);
		change->tally = change->expanded->tally;
		return;
	}
	if (!VARATT_IS_4B_U(value))
		value = PG_DETOAST_DATUM_COPY(state);
	change->tally = (SdcTally *) value;
	change->datum = PointerGetDatum(value);
	/* states that have travelled come without slots */
	if (change->tally->slots == 0 && change->tally->cells > FEW)
		grow(change, 0);
}

/* The cell of the combination in shape->value, or NULL. */
static SdcTallyCell *
find_cell(SdcTally *tally, SdcTallyShape *shape, uint32 hash)
{
	const uint32 *slot = slots_of(tally);
	uint32 mask = tally->slots - 1;
	SdcTallyCell *cell;
	uint32 at;
	int64 i;

	if (tally->slots == 0)
	{
		cell = (SdcTallyCell *) cells_of(tally);
		for (i = 0; i < tally->cells; i++)
		{
			if (cell->hash == hash && sdcpg_tally_cell_same(shape, cell))
				return cell;
			cell = (SdcTallyCell *) sdcpg_tally_next(cell);
		}
		return NULL;
	}
	for (at = hash & mask; slot[at] != 0; at = (at + 1) & mask)
	{
		cell = (SdcTallyCell *) (cells_of(tally) +
								 (Size) (slot[at] - 1) * MAXIMUM_ALIGNOF);
		if (cell->hash == hash && sdcpg_tally_cell_same(shape, cell))
			return cell;
	}
	return NULL;
}

/* Appends the combination in shape->value. */
static SdcTallyCell *
add_cell(SdcTallyChange *change, const SdcTallyShape *shape, uint32 hash)
{
	Size length = sdcpg_tally_cell_size(shape);
	SdcTally *tally = change->tally;
	SdcTallyCell *cell;
	uint32 *slot;
	uint32 at;

	if (tally->used + length > tally->room ||
		(tally->cells >= FEW && (tally->cells + 1) * 2 > tally->slots))
		grow(change, length);
	tally = change->tally;
	cell = (SdcTallyCell *) (cells_of(tally) + tally->used);
	cell->count = 0;
	cell->hash = hash;
	cell->length = length;
	sdcpg_tally_cell_write(shape, cell);
	if (tally->slots > 0)
	{
		slot = slots_of(tally);
		at = hash & (tally->slots - 1);
		while (slot[at] != 0)
			at = (at + 1) & (tally->slots - 1);
		slot[at] = 1 + tally->used / MAXIMUM_ALIGNOF;
	}
	tally->used += length;
	tally->cells++;
	return cell;
}

/*
 * Counts more records of a combination whose hash is known.  What comparing
 * leaves behind goes to scratch.
 */
static void
count_hashed(SdcTallyChange *change, SdcTallyShape *shape, uint32 hash,
			 int64 count, MemoryContext scratch)
{
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	SdcTallyCell *cell = find_cell(change->tally, shape, hash);

	MemoryContextSwitchTo(caller);
	if (count > PG_INT64_MAX - change->tally->records)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("too many records to count")));
	if (cell == NULL)
		cell = add_cell(change, shape, hash);
	else if (shape->loose)
		sdcpg_tally_cell_prefer(shape, cell);
	cell->count += count;
	change->tally->records += count;
}

void
sdcpg_tally_count(SdcTallyChange *change, SdcTallyShape *shape, int64 count)
{
	count_hashed(change, shape, sdcpg_tally_cell_hash(shape), count,
				 CurrentMemoryContext);
}

void
sdcpg_tally_join(SdcTallyChange *change, SdcTallyShape *shape,
				 const SdcTally *other)
{
	const SdcTallyCell *cell = sdcpg_tally_first(other);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc tally scratch", ALLOCSET_DEFAULT_SIZES);
	int64 i;

	for (i = 0; i < other->cells; i++)
	{
		if (i % POLL_CELLS == 0)
			CHECK_FOR_INTERRUPTS();
		if (i % 1024 == 1023)
			MemoryContextReset(scratch);
		sdcpg_tally_values(shape, cell);
		count_hashed(change, shape, cell->hash, cell->count, scratch);
		cell = sdcpg_tally_next(cell);
	}
	MemoryContextDelete(scratch);
}

int64 *
sdcpg_tally_counts(const SdcTally *tally)
{
	int64 *count = MemoryContextAllocHuge(
		CurrentMemoryContext, Max(tally->cells, 1) * sizeof(int64));
	const SdcTallyCell *cell = sdcpg_tally_first(tally);
	int64 i;

	for (i = 0; i < tally->cells; i++)
	{
		if (i % POLL_CELLS == 0)
			CHECK_FOR_INTERRUPTS();
		count[i] = cell->count;
		cell = sdcpg_tally_next(cell);
	}
	return count;
}
