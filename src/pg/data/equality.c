/*
 * equality.c
 *		When two values of a type are the same, as GROUP BY sees it.
 *
 * Types whose equality is that of their bits or bytes are compared here, which
 * is several times faster than a call of the type's functions.  A type that
 * has an order but no hash (bit strings, or record before PostgreSQL 14) is
 * compared by its bytes, too: values that are equal and look different then
 * count as different, which can only make a risk look larger.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "kernel/base/random.h"
#include "pg/server/compat.h"
#include "pg/data/equality.h"

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

	if (!OidIsValid(cache->eq_opr))
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
