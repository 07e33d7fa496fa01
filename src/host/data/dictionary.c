/*
 * dictionary.c
 *		The different values of a column, and their codes.
 *
 * Open addressing over the codes, as values come; sorted once, at the end.
 * Copies of by-reference values are packed into blocks.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/data/dictionary.h"
#include "host/data/pack.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* ----------------------------------------------------------------------
 * When two values of a type are the same, as GROUP BY sees it.
 *
 * Types whose equality is that of their bits or bytes are compared here, which
 * is several times faster than a call of the type's functions.  A type that
 * has an order but no hash (bit strings, or record before PostgreSQL 14), or
 * neither (point), is compared by its bytes, too: values that are equal and
 * look different then count as different, which can only make a risk look
 * larger.
 * ----------------------------------------------------------------------
 */

bool
sdcpg_equality_has_forms(Oid base, int32 modifier, Oid collation)
{
	switch (base)
	{
		case BOOLOID:
		case CHAROID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case CASHOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
		case INETOID:
		case CIDROID:
		case MACADDROID:
		case MACADDR8OID:
		case BYTEAOID:
		case BITOID:
		case VARBITOID:
		case POINTOID: /* by its bytes */
			return false;
		case NUMERICOID:
			/* the digits after the point are those of the column */
			return modifier < 0;
		case BPCHAROID:
			if (modifier < 0)
				return true;
			/* FALLTHROUGH */
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
			return OidIsValid(collation) &&
				   !get_collation_isdeterministic(collation);
		default:
			return !type_is_enum(base);
	}
}

bool
sdcpg_column_has_forms(Oid relation, AttrNumber number)
{
	Oid type;
	Oid collation;
	int32 modifier;

	get_atttypetypmodcoll(relation, number, &type, &modifier, &collation);
	type = getBaseTypeAndTypmod(type, &modifier);
	return sdcpg_equality_has_forms(type, modifier, collation);
}

/* Text is equal when its bytes are, but under some collations. */
static bool
equal_by_bytes(const SdcColumnType *type)
{
	switch (type->base)
	{
		case TEXTOID:
		case VARCHAROID:
			return !OidIsValid(type->collation) ||
				   get_collation_isdeterministic(type->collation);
		case BYTEAOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}

static void
find_methods(SdcEquality *equality, MemoryContext context)
{
	TypeCacheEntry *cache = lookup_type_cache(
		equality->type.base, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

	if (!sdcpg_type_is_counted(equality->type.base))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s has no equality",
						format_type_be(equality->type.type)),
				 errdetail(
					 "Values can only be counted when they can be compared."),
				 errhint("Cast the column to text in a view.")));
	if (!OidIsValid(cache->hash_proc))
	{
		equality->kind = SDC_EQUALITY_BYTES;
		return;
	}
	equality->kind = SDC_EQUALITY_METHODS;
	fmgr_info_cxt(cache->hash_proc, &equality->hash, context);
	fmgr_info_cxt(get_opcode(cache->eq_opr), &equality->equal, context);
}

void
sdcpg_equality_find(SdcEquality *equality, Oid type, Oid collation,
					MemoryContext context)
{
	memset(equality, 0, sizeof(*equality));
	equality->type = sdcpg_column_type(type, collation);
	if (equality->type.kind == SDC_COLUMN_FLOAT)
		equality->kind = SDC_EQUALITY_FLOAT;
	else if (equality->type.kind == SDC_COLUMN_INTEGER ||
			 equality->type.is_enum)
		equality->kind = SDC_EQUALITY_BITS;
	else if (equal_by_bytes(&equality->type))
		equality->kind = SDC_EQUALITY_BYTES;
	else
		find_methods(equality, context);
}

/* A number that is the same for equal floats. */
static uint64
float_bits(const SdcColumnType *type, Datum value)
{
	double number = type->base == FLOAT4OID ? (double) DatumGetFloat4(value)
											: DatumGetFloat8(value);
	uint64 bits;

	if (number == 0)
		return 0;
	if (isnan(number))
		return PG_UINT64_MAX;
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

uint64
sdcpg_equality_hash(SdcEquality *equality, Datum value)
{
	const char *bytes;
	Size length;

	switch (equality->kind)
	{
		case SDC_EQUALITY_BITS:
			return sdc_random_mix(sdcpg_column_bits(&equality->type, value));
		case SDC_EQUALITY_FLOAT:
			return sdc_random_mix(float_bits(&equality->type, value));
		case SDC_EQUALITY_METHODS:
			return sdc_random_mix(DatumGetUInt32(FunctionCall1Coll(
				&equality->hash, equality->type.collation, value)));
		default:
			if (equality->type.by_value)
				return sdc_random_mix(
					sdcpg_column_bits(&equality->type, value));
			bytes = sdcpg_column_bytes(&equality->type, value, &length);
			return sdc_random_mix(DatumGetUInt32(
				hash_any((const unsigned char *) bytes, (int) length)));
	}
}

bool
sdcpg_equality_same(SdcEquality *equality, Datum a, Datum b)
{
	switch (equality->kind)
	{
		case SDC_EQUALITY_BITS:
			return sdcpg_column_bits(&equality->type, a) ==
				   sdcpg_column_bits(&equality->type, b);
		case SDC_EQUALITY_FLOAT:
			return float_bits(&equality->type, a) ==
				   float_bits(&equality->type, b);
		case SDC_EQUALITY_METHODS:
			return DatumGetBool(FunctionCall2Coll(
				&equality->equal, equality->type.collation, a, b));
		default:
			return sdcpg_column_compare_bytes(&equality->type, a, b) == 0;
	}
}

bool
sdcpg_equality_first(const SdcEquality *equality, Datum a, Datum b)
{
	if (equality->kind == SDC_EQUALITY_BITS ||
		equality->kind == SDC_EQUALITY_BYTES)
		return false;
	return sdcpg_column_compare_bytes(&equality->type, a, b) < 0;
}

Datum
sdcpg_equality_whole(const SdcEquality *equality, Datum value)
{
	if (equality->type.length != -1)
		return value;
	return PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
}

/* ----------------------------------------------------------------------
 * The different values of a column, and their codes.
 * ----------------------------------------------------------------------
 */

/* Short values that came last, by a hash; a power of two. */
#define RECENT_BITS 8
#define RECENT      (1 << RECENT_BITS)

/* Bytes of text that fit a key, beside their number. */
#define KEY_BYTES 7

typedef struct RecentValue
{
	uint64 key;
	int32 code; /* SDC_TABLE_NONE: none yet */
} RecentValue;

struct SdcDictionary
{
	SdcPgHost *host;
	SdcEquality equality;
	SdcValues values;
	SdcPack pack; /* copies of by-reference values */
	bool late;    /* may equal values have several codes until sorted? */
	bool lists;   /* do they, from here on? */
	uint64 asked; /* values of which the code was asked for, while late */
	RecentValue recent[RECENT];
	/* after sorting */
	int32 *rank;
	FmgrInfo output;
};

SdcDictionary *
sdcpg_dictionary_new(SdcPgHost *host, Oid type, Oid collation)
{
	SdcDictionary *dictionary = sdc_new(&host->kernel, SdcDictionary, 1);
	Oid function;
	bool varlena;
	int i;

	memset(dictionary, 0, sizeof(*dictionary));
	dictionary->host = host;
	sdcpg_equality_find(&dictionary->equality, type, collation, host->work);
	getTypeOutputInfo(type, &function, &varlena);
	fmgr_info_cxt(function, &dictionary->output, host->work);
	for (i = 0; i < RECENT; i++)
		dictionary->recent[i].code = SDC_TABLE_NONE;
	sdcpg_values_start(&dictionary->values, host);
	return dictionary;
}

void
sdcpg_dictionary_late(SdcDictionary *dictionary)
{
	dictionary->late = dictionary->equality.kind == SDC_EQUALITY_FLOAT ||
					   (dictionary->equality.kind == SDC_EQUALITY_BITS &&
						!dictionary->equality.type.is_enum);
}

/* Different values from which on it may pay to list all of them. */
#define MANY_VALUES 4096

/* Forgets which values are there, when most that come are new. */
static void
begin_list(SdcDictionary *dictionary)
{
	SdcValues *values = &dictionary->values;
	SdcHost *host = &dictionary->host->kernel;

	dictionary->lists = true;
	host->release(host, values->hash);
	sdc_table_release(host, &values->table);
	values->hash = NULL;
}

/* A new code for a value, be it there or not. */
static int32
list_value(SdcDictionary *dictionary, Datum value)
{
	SdcValues *values = &dictionary->values;

	if ((Size) values->count == values->room)
	{
		values->room *= 2;
		values->value = sdcpg_host_grow(dictionary->host, values->value,
										values->room, sizeof(Datum));
	}
	values->value[values->count] = value;
	return values->count++;
}

/* A copy of a by-reference value, plain. */
static Datum
copy_value(SdcDictionary *dictionary, Datum value)
{
	const SdcColumnType *type = &dictionary->equality.type;
	Size size;

	if (type->by_value)
		return value;
	if (type->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = datumGetSize(value, type->by_value, type->length);
	return PointerGetDatum(sdcpg_pack_copy(dictionary->host, &dictionary->pack,
										   DatumGetPointer(value), size));
}

static inline bool
is_value(SdcDictionary *dictionary, int32 code, SdcValueKey key)
{
	return dictionary->values.hash[code] == key.hash &&
		   sdcpg_equality_same(&dictionary->equality,
							   dictionary->values.value[code], key.value);
}

SDC_TABLE_FIND(find_value, SdcDictionary *, SdcValueKey, is_value);

/* A number that tells short values apart whose equality is that of their bits
 * or bytes; false for others. */
static inline bool
short_key(const SdcEquality *equality, Datum value, uint64 *key)
{
	const char *bytes = DatumGetPointer(value);
	Size length;

	if (equality->kind == SDC_EQUALITY_BITS)
	{
		*key = sdcpg_column_bits(&equality->type, value);
		return true;
	}
	if (equality->kind != SDC_EQUALITY_BYTES || equality->type.length != -1 ||
		!VARATT_IS_SHORT(bytes) || VARATT_IS_EXTERNAL(bytes))
		return false;
	length = VARSIZE_SHORT(bytes) - VARHDRSZ_SHORT;
	if (length > KEY_BYTES)
		return false;
	*key = length;
	for (bytes = VARDATA_SHORT(bytes); length > 0; length--)
		*key = *key << BITS_PER_BYTE | (unsigned char) *bytes++;
	return true;
}

static inline RecentValue *
recent_of(SdcDictionary *dictionary, uint64 key)
{
	const uint64 spread = UINT64CONST(0x9E3779B97F4A7C15);

	return &dictionary->recent[key * spread >> (64 - RECENT_BITS)];
}

static int32
find_code(SdcDictionary *dictionary, Datum value)
{
	SdcEquality *equality = &dictionary->equality;
	SdcValues *values = &dictionary->values;
	SdcValueKey key;
	int32 *slot;

	key.value = sdcpg_equality_whole(equality, value);
	key.hash = (uint32) sdcpg_equality_hash(equality, key.value);
	slot = find_value(&values->table, sdc_table_hashed(key.hash), dictionary,
					  key);
	if (*slot == SDC_TABLE_NONE)
		return sdcpg_values_add(values, slot,
								copy_value(dictionary, key.value), key.hash);
	if (sdcpg_equality_first(equality, key.value, values->value[*slot]))
		values->value[*slot] = copy_value(dictionary, key.value);
	return *slot;
}

int32
sdcpg_dictionary_code(SdcDictionary *dictionary, Datum value)
{
	const SdcValues *values = &dictionary->values;
	RecentValue *recent;
	uint64 key;

	if (dictionary->lists)
		return list_value(dictionary, value);
	if (dictionary->late && values->count > MANY_VALUES &&
		dictionary->asked / 2 < (uint64) values->count)
		begin_list(dictionary);
	dictionary->asked++;
	if (dictionary->lists)
		return list_value(dictionary, value);
	if (!short_key(&dictionary->equality, value, &key))
		return find_code(dictionary, value);
	recent = recent_of(dictionary, key);
	if (recent->code == SDC_TABLE_NONE || recent->key != key)
	{
		recent->code = find_code(dictionary, value);
		recent->key = key;
	}
	return recent->code;
}

/*
 * Numbers values in the order given, equal ones alike, and puts each of them
 * at its number; returns how many differ.
 */
static int32
number_values(SdcDictionary *dictionary, const int32 *order, Datum *sorted)
{
	SdcEquality *equality = &dictionary->equality;
	SdcHost *host = &dictionary->host->kernel;
	int32 different = 0;
	int32 i;

	for (i = 0; i < dictionary->values.count; i++)
	{
		Datum value = dictionary->values.value[order[i]];

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (!dictionary->lists || different == 0 ||
			!sdcpg_equality_same(equality, value, sorted[different - 1]))
			sorted[different++] = value;
		else if (sdcpg_equality_first(equality, value, sorted[different - 1]))
			sorted[different - 1] = value;
		dictionary->rank[order[i]] = different - 1;
	}
	return different;
}

const int32 *
sdcpg_dictionary_sort(SdcDictionary *dictionary)
{
	SdcPgHost *host = dictionary->host;
	SdcHost *kernel = &host->kernel;
	int32 count = dictionary->values.count;
	SdcColumn column;
	Datum *sorted = sdc_new(kernel, Datum, count);
	int32 *order;

	memset(&column, 0, sizeof(column));
	column.type = dictionary->equality.type;
	column.rows = count;
	column.count = count;
	column.value = dictionary->values.value;
	order = sdcpg_column_order(host, &column);
	dictionary->rank = sdc_new(kernel, int32, count);
	count = number_values(dictionary, order, sorted);
	kernel->release(kernel, order);
	sdcpg_values_release(&dictionary->values);
	dictionary->values.value =
		sdcpg_host_grow(host, sorted, Max(count, 1), sizeof(Datum));
	dictionary->values.count = count;
	return dictionary->rank;
}

void
sdcpg_dictionary_forget_ranks(SdcDictionary *dictionary)
{
	SdcHost *host = &dictionary->host->kernel;

	host->release(host, dictionary->rank);
	dictionary->rank = NULL;
}

int32
sdcpg_dictionary_values(const SdcDictionary *dictionary)
{
	return dictionary->values.count;
}

Datum
sdcpg_dictionary_value(const SdcDictionary *dictionary, int32 rank)
{
	return dictionary->values.value[rank];
}

char *
sdcpg_dictionary_text(SdcDictionary *dictionary, int32 rank)
{
	if (rank < 0)
		return NULL;
	return OutputFunctionCall(&dictionary->output,
							  dictionary->values.value[rank]);
}

Oid
sdcpg_dictionary_type(const SdcDictionary *dictionary)
{
	return dictionary->equality.type.type;
}
