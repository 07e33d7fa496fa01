/*
 * mask_taken.c
 *		Masks by figures of all rows of a distributed relation, on its servers.
 *
 * mask_spread.c packs figures.  They come as an argument, or by the name of an
 * intermediate result of Citus that has them in pieces, and anybody may call
 * the functions: nothing in them is believed before it was checked against
 * their length.
 *
 * What values become is in a section for each shard: its values, the rows that
 * have each, and what each of these becomes, so a server passes by the
 * sections of shards that it has not.  Where the ranks are too many for that,
 * what was drawn for stripes of them comes instead; then the ranks of a value
 * in a shard follow from the rows of all.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"
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
#include "kernel/mask/noise.h"
#include "kernel/mask/rank_swap.h"
#include "kernel/microaggregation/parts.h"
#include "topic/mask/mask_private.h"

PG_FUNCTION_INFO_V1(sdcf_value_taken);
PG_FUNCTION_INFO_V1(sdcf_keyed_noise);
PG_FUNCTION_INFO_V1(sdcf_part_of);

void
sdcpg_shard_rows_changed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("rows of the relation have changed while it was masked"),
			 errhint("Try again.")));
}

pg_noreturn static void
wrong_figures(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"figures\" was not made by a mask"),
					errhint("Only sdc.mask calls this function.")));
}

/* ----------------------------------------------------------------------
 * What values become.
 * ----------------------------------------------------------------------
 */

/* A value of a shard. */
typedef struct Held
{
	Datum value;   /* or its number, where it has one */
	uint64 base;   /* its first rank in the shard, or row of it */
	uint32 left;   /* of these, not taken yet */
	uint32 number; /* which of all values; or NO_VALUE: a free slot */
} Held;

#define NO_VALUE PG_UINT32_MAX

/* The values of a shard, as they are used. */
typedef struct Place
{
	uint32 missing; /* rows without a value that are left */
	uint32 count;
	Held *held;    /* in order, while they are read */
	Held *slot;    /* a hash table of them */
	uint32 mask;   /* slots less one */
	Datum *become; /* of each row, in the order of held; NULL: of no row */
} Place;

/* The figures as they are used: read once in a call. */
typedef struct Taking
{
	StringInfoData bytes;
	MemoryContext memory;
	uint32 places;
	uint32 values;
	uint32 means;
	SdcRankLayers layers;
	bool told;     /* what each row becomes stands with its shard */
	uint64 *start; /* the first rank of each value; NULL: not read yet */
	uint32 *first; /* the value of the first of 1 << shift ranks */
	int shift;
	uint64 *key; /* of each value, where it has a number */
	Datum *value;
	const float8 *mean;
	Place **place;
	int sections; /* where they begin in bytes */
	SdcColumnType type;
	FmgrInfo hash;
	FmgrInfo equal;
	Oid collation;
} Taking;

static uint32
take_integer(StringInfo bytes)
{
	if (bytes->len - bytes->cursor < (int) sizeof(uint32))
		wrong_figures();
	return pq_getmsgint(bytes, sizeof(uint32));
}

static uint64
take_long_integer(StringInfo bytes)
{
	if (bytes->len - bytes->cursor < (int) sizeof(uint64))
		wrong_figures();
	return (uint64) pq_getmsgint64(bytes);
}

/* Numbers in network order as an array, which stays where it is. */
static uint32 *
take_integers(StringInfo bytes, uint64 count)
{
	uint32 *number = (uint32 *) (bytes->data + bytes->cursor);
	uint64 i;

	Assert(bytes->cursor % sizeof(uint32) == 0);
	if (count > (uint64) (bytes->len - bytes->cursor) / sizeof(uint32))
		wrong_figures();
	bytes->cursor += (int) (sizeof(uint32) * count);
	for (i = 0; i < count; i++)
		number[i] = pg_ntoh32(number[i]);
	return number;
}

static uint64 *
take_long_integers(StringInfo bytes, uint64 count)
{
	uint64 *number;
	uint64 i;

	if (count > (uint64) (bytes->len - bytes->cursor) / sizeof(uint64))
		wrong_figures();
	number = palloc_extended(sizeof(uint64) * (count + 1), MCXT_ALLOC_HUGE);
	memcpy(number, bytes->data + bytes->cursor, sizeof(uint64) * count);
	bytes->cursor += (int) (sizeof(uint64) * count);
	for (i = 0; i < count; i++)
		number[i] = pg_ntoh64(number[i]);
	return number;
}

/* A value as Held has it. */
static Datum
form_held(const Taking *taking, Datum value)
{
	return taking->key == NULL
			   ? value
			   : UInt64GetDatum(sdcpg_shard_value_key(&taking->type, value));
}

static uint32
hash_of(Taking *taking, Datum held)
{
	if (taking->key != NULL)
		return (uint32) sdc_random_mix(DatumGetUInt64(held));
	return DatumGetUInt32(
		FunctionCall1Coll(&taking->hash, taking->collation, held));
}

static bool
same_held(Taking *taking, Datum a, Datum b)
{
	if (taking->key != NULL)
		return DatumGetUInt64(a) == DatumGetUInt64(b);
	return DatumGetBool(
		FunctionCall2Coll(&taking->equal, taking->collation, a, b));
}

/* A value among those of a shard, or NULL. */
static Held *
find_value(Taking *taking, const Place *place, Datum value)
{
	Datum held = form_held(taking, value);
	uint32 i = hash_of(taking, held) & place->mask;

	for (; place->slot[i].number != NO_VALUE; i = (i + 1) & place->mask)
		if (same_held(taking, place->slot[i].value, held))
			return &place->slot[i];
	return NULL;
}

/* Puts the values of a shard where they are found; a fourth stays free. */
static void
hash_values(Taking *taking, Place *place)
{
	Size slots = 16;
	Size i;

	while (slots / 4 * 3 < place->count)
		slots *= 2;
	place->mask = (uint32) (slots - 1);
	place->slot = palloc_extended(sizeof(Held) * slots, MCXT_ALLOC_HUGE);
	for (i = 0; i < slots; i++)
		place->slot[i].number = NO_VALUE;
	for (i = 0; i < place->count; i++)
	{
		Held *held = &place->held[i];
		uint32 slot;

		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (!taking->told)
			held->base += taking->start[held->number];
		held->value = taking->key != NULL
						  ? UInt64GetDatum(taking->key[held->number])
						  : taking->value[held->number];
		slot = hash_of(taking, held->value) & place->mask;
		while (place->slot[slot].number != NO_VALUE)
			slot = (slot + 1) & place->mask;
		place->slot[slot] = *held;
	}
	pfree(place->held);
	place->held = NULL;
}

/* Reads values as their type sends them. */
static void
take_sent(Taking *taking, StringInfo bytes)
{
	FmgrInfo receive;
	Oid function;
	Oid argument;
	uint32 i;

	getTypeBinaryInputInfo(taking->type.base, &function, &argument);
	fmgr_info(function, &receive);
	for (i = 0; i < taking->values; i++)
	{
		int length = (int) take_integer(bytes);
		StringInfoData value;
		char after;

		CHECK_FOR_INTERRUPTS();
		if (length < 0 || length > bytes->len - bytes->cursor)
			wrong_figures();
		value.data = bytes->data + bytes->cursor;
		value.len = value.maxlen = length;
		value.cursor = 0;
		/* functions that receive a text rely on a zero behind it */
		after = value.data[length];
		value.data[length] = '\0';
		taking->value[i] = ReceiveFunctionCall(&receive, &value, argument, -1);
		value.data[length] = after;
		bytes->cursor += length;
	}
}

/* A number of no value of the type is made one: nobody else has it. */
static void
take_values(Taking *taking, StringInfo bytes)
{
	uint32 i;

	taking->value = palloc_extended(
		sizeof(Datum) * ((Size) taking->values + 1), MCXT_ALLOC_HUGE);
	if (taking->type.kind == SDC_COLUMN_COMPARED)
	{
		take_sent(taking, bytes);
		return;
	}
	taking->key = take_long_integers(bytes, taking->values);
	for (i = 0; i < taking->values; i++)
		taking->value[i] = sdcpg_column_of_key(&taking->type, taking->key[i]);
}

static void
take_means(Taking *taking, StringInfo bytes)
{
	float8 *mean = palloc_extended(sizeof(float8) * (Size) taking->means,
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	uint32 i;

	if (taking->type.base != FLOAT8OID || mean == NULL ||
		taking->means > (uint64) (bytes->len - bytes->cursor) / sizeof(float8))
		wrong_figures();
	for (i = 0; i < taking->means; i++)
		mean[i] = pq_getmsgfloat8(bytes);
	taking->mean = mean;
}

static void
prepare_type(Taking *taking, FunctionCallInfo fcinfo)
{
	Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0));
	TypeCacheEntry *cache = lookup_type_cache(
		type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	if (!OidIsValid(cache->hash_proc_finfo.fn_oid) ||
		!OidIsValid(cache->eq_opr_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("type %s has no hash function",
							   format_type_be(type))));
	taking->collation = PG_GET_COLLATION();
	taking->type = sdcpg_column_type(type, taking->collation);
	fmgr_info(cache->hash_proc_finfo.fn_oid, &taking->hash);
	fmgr_info(cache->eq_opr_finfo.fn_oid, &taking->equal);
}

/*
 * How ranks take their values from others, nothing of it being believed.
 * Without layers that is told with each shard.
 */
static void
take_layers(SdcRankLayers *layers, StringInfo bytes)
{
	uint64 numbers;
	uint64 i;

	layers->ranks = (int64) take_long_integer(bytes);
	layers->length = (int64) take_long_integer(bytes);
	layers->stripes = (int32) take_integer(bytes);
	layers->layers = (int32) take_integer(bytes);
	if (layers->ranks < 0 || layers->length < 1 || layers->stripes < 0 ||
		layers->layers < 0 ||
		layers->stripes !=
			(layers->ranks + layers->length - 1) / layers->length)
		wrong_figures();
	numbers = (uint64) layers->layers * layers->stripes;
	layers->from = (int32 *) take_integers(bytes, numbers);
	for (i = 0; i < numbers; i++)
		if (layers->from[i] < 0 || layers->from[i] >= layers->stripes)
			wrong_figures();
	if (layers->length > 1)
		layers->key = take_long_integers(bytes, layers->stripes);
}

static void
start_pieces(void *arg, TupleDesc descriptor)
{
}

static void
add_piece(void *arg, TupleDesc descriptor, const Datum *values,
		  const bool *isnull)
{
	bytea *piece = isnull[0] ? NULL : DatumGetByteaPP(values[0]);

	if (piece != NULL)
		appendBinaryStringInfo(arg, VARDATA_ANY(piece),
							   VARSIZE_ANY_EXHDR(piece));
}

/* Reads the pieces of figures whose name stands in their place. */
static void
read_pieces(StringInfo bytes)
{
	SdcRows rows = {start_pieces, add_piece, bytes};
	SdcCatalogParameters parameters = {0};
	SdcPgHost *host = sdcpg_host_begin("mask", CurrentMemoryContext);
	const char *name = bytes->data + bytes->cursor;

	if (strspn(name, "_0123456789abcdefghijklmnopqrstuvwxyz") != strlen(name))
		wrong_figures();
	sdcpg_catalog_bind_text(&parameters, name);
	resetStringInfo(bytes);
	sdcpg_rows_receive_bound(
		host,
		"SELECT m.figures FROM pg_catalog.read_intermediate_result($1, "
		"'binary') AS m (figures pg_catalog.bytea)",
		&parameters, &rows);
	sdcpg_host_end(host);
	if (take_integer(bytes) != SDC_FIGURES_DRAWN)
		wrong_figures();
}

/* Reads figures into the memory of the call. */
static Taking *
read_figures(FunctionCallInfo fcinfo)
{
	bytea *figures = PG_GETARG_BYTEA_PP(2);
	MemoryContext row = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Taking *taking = palloc0(sizeof(Taking));
	StringInfo bytes = &taking->bytes;
	uint32 start;

	taking->memory = fcinfo->flinfo->fn_mcxt;
	/* a copy: what comes with rows goes with them */
	initStringInfo(bytes);
	appendBinaryStringInfo(bytes, VARDATA_ANY(figures),
						   VARSIZE_ANY_EXHDR(figures));
	start = take_integer(bytes);
	if (start == SDC_FIGURES_NAMED)
		read_pieces(bytes);
	else if (start != SDC_FIGURES_DRAWN)
		wrong_figures();
	taking->places = take_integer(bytes);
	taking->values = take_integer(bytes);
	taking->means = take_integer(bytes);
	if (taking->places == 0 || taking->places > PG_INT16_MAX ||
		taking->values > PG_INT32_MAX / 4)
		wrong_figures();
	prepare_type(taking, fcinfo);
	take_layers(&taking->layers, bytes);
	taking->told = taking->layers.layers == 0;
	if (taking->means > 0)
		take_means(taking, bytes);
	take_values(taking, bytes);
	taking->sections = bytes->cursor;
	taking->place = palloc0(sizeof(Place *) * taking->places);
	MemoryContextSwitchTo(row);
	return taking;
}

/* A number as put_short of mask_spread.c wrote it. */
static uint32
take_short(StringInfo bytes)
{
	uint32 number = 0;
	int shift;

	for (shift = 0; shift < 35; shift += 7)
	{
		unsigned char byte;

		if (bytes->cursor >= bytes->len)
			wrong_figures();
		byte = (unsigned char) bytes->data[bytes->cursor++];
		number |= (uint32) (byte & 0x7F) << shift;
		if (byte < 0x80)
			return number;
	}
	wrong_figures();
}

/* The values of the next shard, and the rows of each, in memory for all. */
static void
start_held(Place *place, uint32 missing, uint32 count)
{
	place->missing = missing;
	place->count = count;
	place->held =
		palloc_extended(sizeof(Held) * ((Size) count + 1), MCXT_ALLOC_HUGE);
}

/*
 * Reads the values of the next shard, and adds their rows to those of all;
 * which are kept, and after how many rows of shards before, if there is place.
 */
static void
take_place(Taking *taking, StringInfo bytes, uint64 *rows, Place *place)
{
	uint32 missing = take_integer(bytes);
	uint32 count = take_integer(bytes);
	uint32 value = NO_VALUE;
	uint32 i;

	if (count > taking->values)
		wrong_figures();
	if (place != NULL)
		start_held(place, missing, count);
	for (i = 0; i < count; i++)
	{
		uint32 further = take_short(bytes);
		uint32 here = take_short(bytes);

		if (further == 0 || further > taking->values - (value + 1))
			wrong_figures();
		value += further;
		if (place != NULL)
		{
			place->held[i].number = value;
			place->held[i].left = here;
			place->held[i].base = rows[value];
		}
		rows[value] += here;
	}
}

/* Reads what each of so many rows of a shard becomes. */
static void
take_become(Taking *taking, StringInfo bytes, Place *place, uint64 rows)
{
	uint32 kinds = taking->means > 0 ? taking->means : taking->values;
	uint32 number = 0;
	uint64 i;

	/* each takes a byte at the least */
	if (rows > (uint64) (bytes->len - bytes->cursor))
		wrong_figures();
	place->become =
		palloc_extended(sizeof(Datum) * (rows + 1), MCXT_ALLOC_HUGE);
	for (i = 0; i < rows; i++)
	{
		uint32 step = take_short(bytes);

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		/* forth and back by turns; a wrong one is too large */
		number += (step & 1) != 0 ? ~(step >> 1) : step >> 1;
		if (number >= kinds)
			wrong_figures();
		place->become[i] = taking->means > 0
							   ? Float8GetDatum(taking->mean[number])
							   : taking->value[number];
	}
}

/* Reads a shard whose rows are told what they become. */
static void
take_told(Taking *taking, StringInfo bytes, int32 number, Place *place)
{
	uint32 value = NO_VALUE;
	uint64 rows = 0;
	uint32 missing;
	uint32 count;
	uint32 i;

	for (i = 0; i < (uint32) number; i++)
	{
		uint32 length = take_integer(bytes);

		if (length > (uint32) (bytes->len - bytes->cursor))
			wrong_figures();
		bytes->cursor += (int) length;
	}
	(void) take_integer(bytes);
	missing = take_integer(bytes);
	count = take_integer(bytes);
	if (count > taking->values)
		wrong_figures();
	start_held(place, missing, count);
	for (i = 0; i < count; i++)
	{
		uint32 further = take_short(bytes);

		if (further == 0 || further > taking->values - (value + 1))
			wrong_figures();
		value += further;
		place->held[i].number = value;
		place->held[i].left = take_short(bytes);
		place->held[i].base = rows;
		rows += place->held[i].left;
	}
	take_become(taking, bytes, place, rows);
}

/* Finds the values of every so manieth rank, about as many as there are. */
static void
index_ranks(Taking *taking)
{
	uint64 ranks = (uint64) taking->layers.ranks;
	uint32 value = 0;
	uint64 i;

	while (ranks >> taking->shift > taking->values)
		taking->shift++;
	taking->first = palloc_extended(
		sizeof(uint32) * ((ranks >> taking->shift) + 2), MCXT_ALLOC_HUGE);
	for (i = 0; i <= ranks >> taking->shift; i++)
	{
		while (value + 1 < taking->values &&
			   taking->start[value + 1] <= i << taking->shift)
			value++;
		taking->first[i] = value;
	}
	/* the last ones may have all values that are left */
	taking->first[i] = taking->values - 1;
}

/* Makes the rows of each value the ranks where they begin. */
static void
start_values(Taking *taking, uint64 *rows)
{
	uint64 rank = 0;
	uint32 i;

	for (i = 0; i <= taking->values; i++)
	{
		uint64 here = rows[i];

		rows[i] = rank;
		rank += here;
	}
	if (rank != (uint64) taking->layers.ranks)
		wrong_figures();
	taking->start = rows;
	index_ranks(taking);
}

/* Reads a shard whose ranks follow from the rows of all shards. */
static void
take_ranked(Taking *taking, StringInfo bytes, int32 number, Place *place)
{
	uint64 *rows =
		palloc_extended(sizeof(uint64) * ((Size) taking->values + 1),
						MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32 i;

	for (i = 0; i < taking->places; i++)
	{
		CHECK_FOR_INTERRUPTS();
		take_place(taking, bytes, rows, i == (uint32) number ? place : NULL);
	}
	if (taking->start == NULL)
		start_values(taking, rows);
	else
		pfree(rows);
}

static Place *
read_place(Taking *taking, int32 number)
{
	MemoryContext row = MemoryContextSwitchTo(taking->memory);
	Place *place = palloc0(sizeof(Place));
	StringInfo bytes = &taking->bytes;

	bytes->cursor = taking->sections;
	if (taking->told)
		take_told(taking, bytes, number, place);
	else
		take_ranked(taking, bytes, number, place);
	hash_values(taking, place);
	taking->place[number] = place;
	MemoryContextSwitchTo(row);
	return place;
}

/* The next of the ranks, or rows, that a value has in a shard. */
static uint64
next_of(Held *held)
{
	if (held->left == 0)
		sdcpg_shard_rows_changed();
	return held->base + --held->left;
}

/* The value whose rank it is. */
static uint32
value_of_rank(const Taking *taking, uint64 rank)
{
	uint32 low = taking->first[rank >> taking->shift];
	uint32 high = taking->first[(rank >> taking->shift) + 1] + 1;

	while (high - low > 1)
	{
		uint32 middle = low + (high - low) / 2;

		if (taking->start[middle] <= rank)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The value that a rank takes. */
static Datum
value_for_rank(const Taking *taking, uint64 rank)
{
	if (rank >= (uint64) taking->layers.ranks)
		wrong_figures();
	rank = (uint64) sdc_rank_layers_from(&taking->layers, (int64) rank);
	return taking->value[value_of_rank(taking, rank)];
}

/* The shard of the second argument, by the figures of the third. */
static Place *
place_of_call(FunctionCallInfo fcinfo)
{
	Taking *taking = fcinfo->flinfo->fn_extra;
	int32 number;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		wrong_figures();
	number = PG_GETARG_INT32(1);
	if (taking == NULL)
		fcinfo->flinfo->fn_extra = taking = read_figures(fcinfo);
	if (number < 0 || (uint32) number >= taking->places)
		wrong_figures();
	return taking->place[number] != NULL ? taking->place[number]
										 : read_place(taking, number);
}

/*
 * value_taken(value anyelement, place integer, figures bytea)
 * returns anyelement
 *
 * What a value becomes in a row of a shard: of the ranks that rows with this
 * value have there the next one, and what that was given.  So it is called
 * once for each row, also for those without a value.  One more than was
 * counted is an error, and who asks counts the rows: then none was less.
 */
Datum
sdcf_value_taken(PG_FUNCTION_ARGS)
{
	Place *place = place_of_call(fcinfo);
	Taking *taking = fcinfo->flinfo->fn_extra;
	Held *held;
	uint64 next;

	if (PG_ARGISNULL(0))
	{
		if (place->missing == 0)
			sdcpg_shard_rows_changed();
		place->missing--;
		PG_RETURN_NULL();
	}
	held = find_value(taking, place, PG_GETARG_DATUM(0));
	if (held == NULL)
		sdcpg_shard_rows_changed();
	next = next_of(held);
	PG_RETURN_DATUM(taking->told ? place->become[next]
								 : value_for_rank(taking, next));
}

/* ----------------------------------------------------------------------
 * Noise, and parts.
 * ----------------------------------------------------------------------
 */

/* The figures of noise, read once in a call. */
typedef struct Noise
{
	int columns;
	SdcNoiseLaw law;
	unsigned char key[SDC_RANDOM_KEY];
	uint64 server;  /* what tells this server from others; 0 with a seed */
	double *factor; /* the lower triangle, row by row */
} Noise;

static Noise *
read_noise(FunctionCallInfo fcinfo)
{
	bytea *figures = PG_GETARG_BYTEA_PP(1);
	Noise *noise =
		MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Noise));
	StringInfoData bytes;
	bool seeded;
	int i;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, VARDATA_ANY(figures),
						   VARSIZE_ANY_EXHDR(figures));
	if (take_integer(&bytes) != SDC_FIGURES_NOISE)
		wrong_figures();
	noise->columns = (int) take_integer(&bytes);
	noise->law = (SdcNoiseLaw) take_integer(&bytes);
	seeded = take_integer(&bytes) != 0;
	if (noise->columns < 1 || noise->columns > SDC_MAX_COLUMNS ||
		noise->law > SDC_NOISE_UNIFORM ||
		bytes.len - bytes.cursor !=
			SDC_RANDOM_KEY + (int) sizeof(float8) * noise->columns *
								 (noise->columns + 1) / 2)
		wrong_figures();
	pq_copymsgbytes(&bytes, (char *) noise->key, SDC_RANDOM_KEY);
	noise->factor = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt,
									   sizeof(double) * noise->columns *
										   (noise->columns + 1) / 2);
	for (i = 0; i < noise->columns * (noise->columns + 1) / 2; i++)
		noise->factor[i] = pq_getmsgfloat8(&bytes);
	/* rows of two servers may lie at the same place */
	noise->server = seeded ? 0 : GetSystemIdentifier();
	pfree(bytes.data);
	return noise;
}

/* An independent draw for a row: variance 1. */
static double
draw_noise(const Noise *noise, int64 row, int column)
{
	uint64 place[3] = {pg_hton64((uint64) row), pg_hton64(noise->server),
					   pg_hton64((uint64) column)};
	uint64 bits[2];
	SdcRandom random;

	sdc_random_keyed_pair(noise->key, (unsigned char *) place, sizeof(place),
						  bits);
	sdc_random_seed(&random, bits[0], bits[1]);
	return sdc_noise_draw(noise->law, &random);
}

/*
 * keyed_noise(number integer, figures bytea, row bigint) returns float8
 *
 * The noise of a column of a rule, from 1, in a row.
 */
Datum
sdcf_keyed_noise(PG_FUNCTION_ARGS)
{
	Noise *noise = fcinfo->flinfo->fn_extra;
	int32 number = PG_GETARG_INT32(0);
	const double *factor;
	double sum = 0;
	int j;

	if (noise == NULL)
		fcinfo->flinfo->fn_extra = noise = read_noise(fcinfo);
	if (number < 1 || number > noise->columns)
		wrong_figures();
	factor = noise->factor + number * (number - 1) / 2;
	for (j = 0; j < number; j++)
		if (factor[j] != 0)
			sum += factor[j] * draw_noise(noise, PG_GETARG_INT64(2), j);
	PG_RETURN_FLOAT8(sum);
}

/* Cuts, read once in a call. */
typedef struct Cuts
{
	int columns; /* that a record has at the least */
	SdcPartNode node[FLEXIBLE_ARRAY_MEMBER];
} Cuts;

/* The nodes below one come after it, so who goes down comes to an end. */
static Cuts *
read_cuts(FunctionCallInfo fcinfo)
{
	bytea *figures = PG_GETARG_BYTEA_PP(1);
	StringInfoData bytes;
	uint32 nodes;
	uint32 i;
	Cuts *cuts;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, VARDATA_ANY(figures),
						   VARSIZE_ANY_EXHDR(figures));
	if (take_integer(&bytes) != SDC_FIGURES_PARTS)
		wrong_figures();
	nodes = take_integer(&bytes);
	if (nodes == 0 || (uint64) (bytes.len - bytes.cursor) != 16ULL * nodes)
		wrong_figures();
	cuts = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
								  offsetof(Cuts, node) +
									  sizeof(SdcPartNode) * nodes);
	for (i = 0; i < nodes; i++)
	{
		SdcPartNode *node = &cuts->node[i];

		node->column = (int32) take_integer(&bytes);
		node->next = (int32) take_integer(&bytes);
		node->cut = pq_getmsgfloat8(&bytes);
		if (node->column < -1 || node->column >= SDC_MAX_COLUMNS ||
			(node->column >= 0 &&
			 (node->next <= (int32) i + 1 || (uint32) node->next >= nodes)))
			wrong_figures();
		cuts->columns = Max(cuts->columns, node->column + 1);
	}
	pfree(bytes.data);
	return cuts;
}

/*
 * part_of(record float8[], figures bytea) returns integer
 *
 * The part of a record; with a NULL, which no group has, the first.
 */
Datum
sdcf_part_of(PG_FUNCTION_ARGS)
{
	ArrayType *record = PG_GETARG_ARRAYTYPE_P(0);
	Cuts *cuts = fcinfo->flinfo->fn_extra;

	if (cuts == NULL)
		fcinfo->flinfo->fn_extra = cuts = read_cuts(fcinfo);
	if (ArrayGetNItems(ARR_NDIM(record), ARR_DIMS(record)) < cuts->columns)
		wrong_figures();
	PG_RETURN_INT32(
		ARR_HASNULL(record)
			? 0
			: sdc_parts_find(cuts->node, (double *) ARR_DATA_PTR(record)));
}
