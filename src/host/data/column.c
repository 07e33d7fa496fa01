/*
 * column.c
 *		A column of values of any ordered type: read, put in order, digested.
 *
 * Types whose values fit 64 bits in an order-preserving way are sorted by
 * radix; every other type is sorted by its own btree comparison.  Masks then
 * work on ranks alone and move whole values, so that integers stay integers
 * and text stays text.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "host/data/column.h"
#include "host/data/pack.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* ----------------------------------------------------------------------
 * Values of PostgreSQL types as the doubles that kernels compute with.
 * ----------------------------------------------------------------------
 */

/* Dates and timestamps keep their infinities. */
static double
timestamp_number(Timestamp value)
{
	if (TIMESTAMP_IS_NOBEGIN(value))
		return -get_float8_infinity();
	if (TIMESTAMP_IS_NOEND(value))
		return get_float8_infinity();
	return (double) value;
}

double
sdcpg_number(Oid base, Datum value)
{
	switch (base)
	{
		case BOOLOID:
			return DatumGetBool(value);
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
		case CASHOID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow, value));
		case DATEOID:
			if (DATE_IS_NOBEGIN(DatumGetDateADT(value)))
				return -get_float8_infinity();
			if (DATE_IS_NOEND(DatumGetDateADT(value)))
				return get_float8_infinity();
			return DatumGetDateADT(value);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return timestamp_number(DatumGetTimestamp(value));
		default:
			elog(ERROR, "type %u is not a number", base);
	}
}

/* ----------------------------------------------------------------------
 * A column of values of any ordered type: read, put in order, digested.
 * ----------------------------------------------------------------------
 */

/* Rows from which on a column looks for values that repeat. */
#define POOL_ROWS 1024

static SdcColumnKind
kind_of(Oid base)
{
	switch (base)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case CASHOID:
			return SDC_COLUMN_INTEGER;
		case FLOAT4OID:
		case FLOAT8OID:
			return SDC_COLUMN_FLOAT;
		default:
			return SDC_COLUMN_COMPARED;
	}
}

/*
 * Do values of the type hold catalog numbers (of a type that a user has made,
 * or of an enum value), which differ between databases and sessions?
 */
static bool
holds_numbers(Oid base)
{
	Oid element;

	for (;;)
	{
		element = get_base_element_type(base);
		if (!OidIsValid(element))
			break;
		base = getBaseType(element);
		if (element >= FirstNormalObjectId)
			return true;
	}
	return base == RECORDOID || get_typtype(base) == TYPTYPE_COMPOSITE ||
		   (base >= FirstNormalObjectId &&
			(type_is_range(base) || sdc_type_is_multirange(base)));
}

SdcColumnType
sdcpg_column_type(Oid type, Oid collation)
{
	SdcColumnType result;
	TypeCacheEntry *cache;

	memset(&result, 0, sizeof(result));
	result.type = type;
	result.base = getBaseType(type);
	result.collation = collation;
	result.kind = kind_of(result.base);
	result.is_enum = get_typtype(result.base) == TYPTYPE_ENUM;
	result.holds_numbers = holds_numbers(result.base);
	get_typlenbyval(result.base, &result.length, &result.by_value);
	cache = lookup_type_cache(result.base, TYPECACHE_LT_OPR);
	result.ordered = OidIsValid(cache->lt_opr);
	return result;
}

void
sdcpg_column_need_order(const SdcColumnType *type)
{
	if (!type->ordered)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s has no ordering", format_type_be(type->type)),
				 errdetail("This mask works on ranks, so the type needs a "
						   "default btree operator class.")));
}

SdcColumn *
sdcpg_column_new(SdcPgHost *host, const SdcColumnType *type, int64 rows)
{
	SdcColumn *column = sdc_new(&host->kernel, SdcColumn, 1);

	if (rows > SDC_MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than %d rows in a partition", SDC_MAX_ROWS)));
	column->type = *type;
	column->rows = rows;
	column->count = 0;
	column->place = NULL;
	column->value = sdc_new(&host->kernel, Datum, rows);
	column->code = NULL;
	column->pool = NULL;
	if (rows >= POOL_ROWS && sdcpg_pool_fits(type))
	{
		column->pool = sdcpg_pool_new(host, type);
		column->code = sdc_new(&host->kernel, int32, rows);
	}
	return column;
}

/*
 * A copy of a by-reference value in the keep context, whole and plain; side by
 * side with others in a pack, or NULL.
 */
static Datum
copy_value(SdcPgHost *host, const SdcColumnType *type, SdcPack *pack,
		   Datum value)
{
	Size size;
	void *copy;

	if (type->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	size = datumGetSize(value, type->by_value, type->length);
	if (pack != NULL)
		return PointerGetDatum(
			sdcpg_pack_keep(host, pack, DatumGetPointer(value), size));
	copy = sdcpg_host_keep(host, size, 1);
	memcpy(copy, DatumGetPointer(value), size);
	return PointerGetDatum(copy);
}

/* Notes the rows of the values so far, now that a row is left out. */
static void
start_places(SdcPgHost *host, SdcColumn *column)
{
	int32 i;

	column->place = sdc_new(&host->kernel, int32, column->rows);
	for (i = 0; i < column->count; i++)
		column->place[i] = i;
}

void
sdcpg_column_add(SdcPgHost *host, SdcColumn *column, int32 place, Datum value)
{
	if (column->place == NULL && place != column->count)
		start_places(host, column);
	if (column->place != NULL)
		column->place[column->count] = place;
	if (column->code != NULL)
	{
		value =
			sdcpg_pool_take(column->pool, value, &column->code[column->count]);
		if (column->code[column->count] < 0)
		{
			host->kernel.release(&host->kernel, column->code);
			column->code = NULL;
		}
	}
	else if (column->pool != NULL)
	{
		int32 code;

		value = sdcpg_pool_take(column->pool, value, &code);
	}
	else if (!column->type.by_value)
		value = copy_value(host, &column->type, NULL, value);
	column->value[column->count] = value;
	column->count++;
}

/* As sdc_sort_key, but -0 comes before 0: they do not look alike. */
static uint64
float_key(double value)
{
	return sdc_sort_key(value) - (value == 0 && signbit(value));
}

static double
float_of_key(uint64 key)
{
	const uint64 sign = UINT64CONST(1) << 63;
	uint64 bits = key & sign ? key ^ sign : ~key;
	double value;

	if (key == PG_UINT64_MAX)
		return get_float8_nan();
	memcpy(&value, &bits, sizeof(value));
	return value;
}

uint64
sdcpg_column_key(const SdcColumnType *type, Datum value)
{
	const uint64 sign = UINT64CONST(1) << 63;

	switch (type->base)
	{
		case BOOLOID:
			return DatumGetBool(value);
		case INT2OID:
			return (uint64) (int64) DatumGetInt16(value) ^ sign;
		case INT4OID:
		case DATEOID:
			return (uint64) (int64) DatumGetInt32(value) ^ sign;
		case OIDOID:
			return DatumGetObjectId(value);
		case FLOAT4OID:
			return float_key(DatumGetFloat4(value));
		case FLOAT8OID:
			return float_key(DatumGetFloat8(value));
		default:
			return (uint64) DatumGetInt64(value) ^ sign;
	}
}

Datum
sdcpg_column_of_key(const SdcColumnType *type, uint64 key)
{
	const uint64 sign = UINT64CONST(1) << 63;

	switch (type->base)
	{
		case BOOLOID:
			return BoolGetDatum(key != 0);
		case INT2OID:
			return Int16GetDatum((int16) (key ^ sign));
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) (key ^ sign));
		case OIDOID:
			return ObjectIdGetDatum((Oid) key);
		case FLOAT4OID:
			return Float4GetDatum((float4) float_of_key(key));
		case FLOAT8OID:
			return Float8GetDatum(float_of_key(key));
		default:
			return Int64GetDatum((int64) (key ^ sign));
	}
}

typedef struct CompareState
{
	const SdcColumn *column;
	SortSupportData support;
} CompareState;

/* The order of the type. */
static int
compare_values(int32_t a, int32_t b, void *arg)
{
	CompareState *state = arg;

	return ApplySortComparator(state->column->value[a], false,
							   state->column->value[b], false,
							   &state->support);
}

const char *
sdcpg_column_bytes(const SdcColumnType *type, Datum value, Size *length)
{
	const char *bytes = DatumGetPointer(value);

	if (type->length != -1)
	{
		*length = datumGetSize(value, type->by_value, type->length);
		return bytes;
	}
	*length = VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
}

uint64
sdcpg_column_bits(const SdcColumnType *type, Datum value)
{
	return (uint64) value & PG_UINT64_MAX >> (64 - 8 * type->length);
}

int
sdcpg_column_compare_bytes(const SdcColumnType *type, Datum a, Datum b)
{
	const char *a_bytes;
	const char *b_bytes;
	Size a_length;
	Size b_length;
	int result;

	if (type->by_value)
		return (sdcpg_column_bits(type, a) > sdcpg_column_bits(type, b)) -
			   (sdcpg_column_bits(type, a) < sdcpg_column_bits(type, b));
	a_bytes = sdcpg_column_bytes(type, a, &a_length);
	b_bytes = sdcpg_column_bytes(type, b, &b_length);
	result = memcmp(a_bytes, b_bytes, Min(a_length, b_length));
	return result != 0 ? result
					   : (a_length > b_length) - (a_length < b_length);
}

/*
 * The order of the type, and of values that are equal but not the same (1.0
 * and 1.00, or a and A in some collations) the order of their bytes.  So the
 * order of the rows matters only among values that cannot be told apart.
 */
static int
compare_strictly(int32_t a, int32_t b, void *arg)
{
	CompareState *state = arg;
	const SdcColumn *column = state->column;
	int result = column->type.ordered ? compare_values(a, b, arg) : 0;

	if (result != 0)
		return result;
	return sdcpg_column_compare_bytes(&column->type, column->value[a],
									  column->value[b]);
}

static void
prepare_compare(CompareState *state, SdcPgHost *host, const SdcColumn *column)
{
	TypeCacheEntry *cache =
		lookup_type_cache(column->type.base, TYPECACHE_LT_OPR);

	memset(state, 0, sizeof(*state));
	state->column = column;
	if (!column->type.ordered)
		return;
	state->support.ssup_cxt = host->work;
	state->support.ssup_collation = column->type.collation;
	PrepareSortSupportFromOrderingOp(cache->lt_opr, &state->support);
}

/* Puts the numbers of values in order by comparing the values. */
static void
sort_compared(SdcPgHost *host, const SdcColumn *column, int32 *order)
{
	CompareState state;
	MemoryContext caller = MemoryContextSwitchTo(host->work);

	prepare_compare(&state, host, column);
	sdc_sort_rows_staged(&host->kernel, order, column->count, compare_strictly,
						 &state);
	MemoryContextSwitchTo(caller);
}

/* ----------------------------------------------------------------------
 * The different values of a column, each kept once.
 *
 * Open addressing over the codes, as values come.  The order of the type, and
 * the digest of a value, are found once for each different one.
 * ----------------------------------------------------------------------
 */

/* Values from which on a pool may give up. */
#define FEW_VALUES 65536

/* A pool gives up when more than this share of all values differ. */
#define MOST_DIFFERENT 0.8

struct SdcPool
{
	SdcPgHost *host;
	SdcColumnType type;
	bool given_up;
	int64 taken; /* values that came */
	SdcValues values;
	SdcPack pack;
	int32 *rank; /* made when they are asked for */
	uint64 *digest;
};

bool
sdcpg_pool_fits(const SdcColumnType *type)
{
	return type->kind == SDC_COLUMN_COMPARED && !type->holds_numbers;
}

SdcPool *
sdcpg_pool_new(SdcPgHost *host, const SdcColumnType *type)
{
	SdcPool *pool = sdc_new(&host->kernel, SdcPool, 1);

	memset(pool, 0, sizeof(*pool));
	pool->host = host;
	pool->type = *type;
	sdcpg_values_start(&pool->values, host);
	return pool;
}

static uint32
hash_of(const SdcColumnType *type, Datum value)
{
	const char *bytes;
	Size length;

	if (type->by_value)
		return (uint32) sdc_random_mix(sdcpg_column_bits(type, value));
	bytes = sdcpg_column_bytes(type, value, &length);
	return DatumGetUInt32(
		hash_any((const unsigned char *) bytes, (int) length));
}

static inline bool
is_value(SdcPool *pool, int32 code, SdcValueKey key)
{
	return pool->values.hash[code] == key.hash &&
		   sdcpg_column_compare_bytes(&pool->type, pool->values.value[code],
									  key.value) == 0;
}

SDC_TABLE_FIND(find_value, SdcPool *, SdcValueKey, is_value);

/* Are nearly all values different, so that codes do not pay? */
static bool
should_give_up(const SdcPool *pool)
{
	return pool->taken >= FEW_VALUES &&
		   pool->values.count > MOST_DIFFERENT * pool->taken;
}

Datum
sdcpg_pool_take(SdcPool *pool, Datum value, int32 *code)
{
	const SdcColumnType *type = &pool->type;
	SdcValueKey key;
	int32 *slot = NULL;

	*code = -1;
	if (type->length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	if (!pool->given_up)
	{
		key.value = value;
		key.hash = hash_of(type, value);
		pool->taken++;
		slot = find_value(&pool->values.table, sdc_table_hashed(key.hash),
						  pool, key);
		if (*slot != SDC_TABLE_NONE)
		{
			*code = *slot;
			return pool->values.value[*code];
		}
	}
	if (!type->by_value)
		value = copy_value(pool->host, type, &pool->pack, value);
	if (pool->given_up)
		return value;
	pool->given_up = should_give_up(pool);
	if (pool->given_up)
		sdcpg_values_release(&pool->values);
	else
		*code = sdcpg_values_add(&pool->values, slot, value, key.hash);
	return value;
}

/* The rank of each code in the order of the type and of bytes. */
static const int32 *
pool_ranks(SdcPool *pool)
{
	SdcHost *host = &pool->host->kernel;
	SdcColumn column = {pool->type, pool->values.count, pool->values.count};
	int32 *order;
	int32 i;

	if (pool->rank != NULL)
		return pool->rank;
	order = sdc_new(host, int32, pool->values.count);
	pool->rank = sdc_new(host, int32, pool->values.count);
	column.value = pool->values.value;
	for (i = 0; i < pool->values.count; i++)
		order[i] = i;
	sort_compared(pool->host, &column, order);
	for (i = 0; i < pool->values.count; i++)
		pool->rank[order[i]] = i;
	host->release(host, order);
	return pool->rank;
}

int32 *
sdcpg_column_order(SdcPgHost *host, const SdcColumn *column)
{
	int32 *order = sdc_new(&host->kernel, int32, column->count);
	uint64 *keys;
	int32 i;

	for (i = 0; i < column->count; i++)
		order[i] = i;
	if (column->code == NULL && column->type.kind == SDC_COLUMN_COMPARED)
	{
		sort_compared(host, column, order);
		return order;
	}
	keys = sdc_new(&host->kernel, uint64, column->count);
	if (column->code != NULL)
	{
		const int32 *rank = pool_ranks(column->pool);

		for (i = 0; i < column->count; i++)
			keys[i] = rank[column->code[i]];
	}
	else
		for (i = 0; i < column->count; i++)
			keys[i] = sdcpg_column_key(&column->type, column->value[i]);
	sdc_sort_keys_staged(&host->kernel, (uint64_t *) keys, order,
						 column->count);
	host->kernel.release(&host->kernel, keys);
	return order;
}

/* Bits of the contents of a by-reference value, or of a label. */
static uint64
digest_bytes(const char *bytes, Size length)
{
	uint64 digest = sdc_random_mix(length + 1);
	uint64 word;

	for (; length > 0; length -= Min(length, 8))
	{
		word = 0;
		memcpy(&word, bytes, Min(length, 8));
		digest = sdc_random_mix(digest ^ word) + word;
		bytes += Min(length, 8);
	}
	return digest;
}

/* The numbers behind enum values change with a dump and restore. */
static uint64
digest_enum(Datum value)
{
	HeapTuple tuple = SearchSysCache1(ENUMOID, value);
	const char *label;
	uint64 digest;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for enum value");
	label = NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel);
	digest = digest_bytes(label, strlen(label));
	ReleaseSysCache(tuple);
	return digest;
}

uint64
sdcpg_column_digest_key(uint64 key)
{
	return sdc_random_mix(key + 1);
}

uint64
sdcpg_column_digest_count(int32 count)
{
	return sdc_random_mix(count);
}

static uint64
digest_value(const SdcColumnType *type, Datum value)
{
	const char *bytes;
	Size length;

	if (type->kind != SDC_COLUMN_COMPARED)
		return sdcpg_column_digest_key(sdcpg_column_key(type, value));
	if (type->by_value)
		return sdc_random_mix(sdcpg_column_bits(type, value) + 1);
	bytes = sdcpg_column_bytes(type, value, &length);
	return digest_bytes(bytes, length);
}

/* The digest of each code. */
static const uint64 *
pool_digests(SdcPool *pool)
{
	int32 i;

	if (pool->digest != NULL)
		return pool->digest;
	pool->digest = sdc_new(&pool->host->kernel, uint64, pool->values.count);
	for (i = 0; i < pool->values.count; i++)
		pool->digest[i] =
			pool->type.is_enum
				? digest_enum(pool->values.value[i])
				: digest_value(&pool->type, pool->values.value[i]);
	return pool->digest;
}

/* The sum over values in a pool, each digested once. */
static uint64
digest_codes(SdcPgHost *host, const SdcColumn *column)
{
	const uint64 *digest_of = pool_digests(column->pool);
	uint64 digest = 0;
	int32 i;

	for (i = 0; i < column->count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, 0, 0);
		digest += digest_of[column->code[i]];
	}
	return digest;
}

SdcPoolOrder
sdcpg_pool_order(SdcPgHost *host, SdcPool *pool)
{
	SdcPoolOrder order = {pool_ranks(pool), pool_digests(pool)};
	int32 i;

	order.value = sdc_new(&host->kernel, Datum, pool->values.count);
	for (i = 0; i < pool->values.count; i++)
		order.value[order.rank[i]] = pool->values.value[i];
	return order;
}

/* Enum values are looked up once for each value, not once for every row. */
static uint64
digest_enums(SdcPgHost *host, const SdcColumn *column, const int32 *order)
{
	uint64 digest = 0;
	uint64 last = 0;
	int32 i;

	for (i = 0; i < column->count; i++)
	{
		Datum value = column->value[order[i]];

		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, 0, 0);
		if (i == 0 || value != column->value[order[i - 1]])
			last = digest_enum(value);
		digest += last;
	}
	return digest;
}

uint64
sdcpg_column_digest(SdcPgHost *host, const SdcColumn *column,
					const int32 *order)
{
	uint64 digest = sdcpg_column_digest_count(column->count);
	int32 i;

	if (column->type.holds_numbers)
		return digest;
	if (column->code != NULL)
		return digest + digest_codes(host, column);
	if (column->type.is_enum)
		return digest + digest_enums(host, column, order);
	for (i = 0; i < column->count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, 0, 0);
		digest += digest_value(&column->type, column->value[i]);
	}
	return digest;
}

int32 *
sdcpg_column_ranks(SdcPgHost *host, const SdcColumn *column,
				   const int32 *order, int32 *distinct)
{
	int32 *rank = sdc_new(&host->kernel, int32, column->count);
	CompareState state;
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	int32 i;

	prepare_compare(&state, host, column);
	*distinct = 0;
	for (i = 0; i < column->count; i++)
	{
		if (i % SDC_POLL_STEPS == 0)
			host->kernel.poll(&host->kernel, 0, 0);
		if (i == 0 ||
			(column->value[order[i - 1]] != column->value[order[i]] &&
			 compare_values(order[i - 1], order[i], &state) != 0))
			(*distinct)++;
		rank[order[i]] = *distinct - 1;
	}
	MemoryContextSwitchTo(caller);
	return rank;
}
