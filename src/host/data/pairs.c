/*
 * pairs.c
 *		State of an aggregate that needs all of its pairs of numbers.
 *
 * The executor leaves an expanded object in place from row to row as long as
 * it lives below the aggregate's own memory, so a row costs no copy.  The
 * flat form goes through the queues of parallel workers; its contents are
 * checked as it comes back, for anyone can make a bytea.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "host/data/pairs.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"

#define FLAT_MARK  0x73646350U
#define FIRST_ROOM 16

/* The flat form: all originals, then all masked values. */
typedef struct FlatPairs
{
	int32 length; /* varlena header */
	uint32 mark;
	double p;
	int64 count;
} FlatPairs;

static Size
flat_size(ExpandedObjectHeader *header)
{
	Size size = sizeof(FlatPairs) +
				2 * sizeof(double) * (Size) ((SdcPairs *) header)->count;

	if (size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many pairs of values for a parallel plan"),
						errhint("Set max_parallel_workers_per_gather to 0.")));
	return size;
}

static void
flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	const SdcPairs *pairs = (const SdcPairs *) header;
	Size bytes = sizeof(double) * (Size) pairs->count;
	FlatPairs flat;

	memset(&flat, 0, sizeof(flat));
	SET_VARSIZE(&flat, size);
	flat.mark = FLAT_MARK;
	flat.p = pairs->p;
	flat.count = pairs->count;
	memcpy(result, &flat, sizeof(flat));
	if (pairs->count == 0)
		return;
	memcpy((char *) result + sizeof(flat), pairs->original, bytes);
	memcpy((char *) result + sizeof(flat) + bytes, pairs->masked, bytes);
}

static const ExpandedObjectMethods methods = {flat_size, flatten};

static SdcPairs *
create_pairs(MemoryContext parent, double p)
{
	MemoryContext context =
		AllocSetContextCreate(parent, "sdc pairs", ALLOCSET_START_SMALL_SIZES);
	SdcPairs *pairs = MemoryContextAllocZero(context, sizeof(SdcPairs));

	EOH_init_header(&pairs->header, &methods, context);
	pairs->p = p;
	return pairs;
}

static void
reserve(SdcPairs *pairs, int64 room)
{
	MemoryContext context = pairs->header.eoh_context;
	Size size = sizeof(double) * (Size) room;

	if (room > SDC_MAX_ROWS || size * 2 > (Size) sdcpg_memory_limit * 1024)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("memory required is more than sdc.memory_limit "
							   "(%d MB)",
							   sdcpg_memory_limit / 1024),
						errhint("Raise sdc.memory_limit, or aggregate fewer "
								"rows at a time.")));
	if (pairs->room == 0)
	{
		pairs->original = MemoryContextAllocHuge(context, size);
		pairs->masked = MemoryContextAllocHuge(context, size);
	}
	else
	{
		pairs->original = repalloc_huge(pairs->original, size);
		pairs->masked = repalloc_huge(pairs->masked, size);
	}
	pairs->room = (int32) room;
}

void
sdcpg_pairs_add(SdcPairs *pairs, double original, double masked)
{
	if (pairs->count == pairs->room)
		reserve(pairs, Max(2 * (int64) pairs->room, FIRST_ROOM));
	pairs->original[pairs->count] = original;
	pairs->masked[pairs->count] = masked;
	pairs->count++;
}

static void
refuse_state(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					errmsg("aggregate state is damaged")));
}

/* Are the values of a flat state such as the accumulating function lets in? */
static bool
are_valid(const SdcPairs *pairs)
{
	int32 i;

	if (!(pairs->p >= 0 && pairs->p <= 100))
		return false;
	for (i = 0; i < pairs->count; i++)
		if (!isfinite(pairs->original[i]) || isinf(pairs->masked[i]))
			return false;
	return true;
}

static SdcPairs *
expand(struct varlena *value, MemoryContext parent)
{
	Size length = VARSIZE_ANY(value);
	const char *bytes = (const char *) value;
	SdcPairs *pairs;
	FlatPairs flat;

	if (length < sizeof(flat))
		refuse_state();
	memcpy(&flat, bytes, sizeof(flat));
	if (flat.mark != FLAT_MARK || flat.count < 0 ||
		flat.count > SDC_MAX_ROWS ||
		length != sizeof(flat) + 2 * sizeof(double) * (Size) flat.count)
		refuse_state();
	pairs = create_pairs(parent, flat.p);
	if (flat.count > 0)
	{
		Size size = sizeof(double) * (Size) flat.count;

		reserve(pairs, flat.count);
		memcpy(pairs->original, bytes + sizeof(flat), size);
		memcpy(pairs->masked, bytes + sizeof(flat) + size, size);
		pairs->count = (int32) flat.count;
	}
	if (!are_valid(pairs))
		refuse_state();
	return pairs;
}

/* The object behind a datum, or NULL if it is flat or someone else's. */
static SdcPairs *
find_expanded(Datum value)
{
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &methods ? (SdcPairs *) header : NULL;
}

SdcPairs *
sdcpg_pairs_change(FunctionCallInfo fcinfo, int argument, double p)
{
	MemoryContext parent = CurrentMemoryContext;
	SdcPairs *pairs;
	Datum value;

	(void) AggCheckCallContext(fcinfo, &parent);
	if (PG_ARGISNULL(argument))
		return create_pairs(parent, p);
	value = PG_GETARG_DATUM(argument);
	pairs = find_expanded(value);
	if (pairs == NULL ||
		!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(value)))
		pairs = expand(PG_DETOAST_DATUM(value), parent);
	if (pairs->p != p)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"p\" must be the same in all rows")));
	return pairs;
}

const SdcPairs *
sdcpg_pairs_read(FunctionCallInfo fcinfo, int argument)
{
	SdcPairs *pairs = find_expanded(PG_GETARG_DATUM(argument));

	return pairs != NULL
			   ? pairs
			   : expand(PG_GETARG_VARLENA_P(argument), CurrentMemoryContext);
}

Datum
sdcpg_pairs_datum(SdcPairs *pairs)
{
	return EOHPGetRWDatum(&pairs->header);
}
