/*
 * column.h
 *		A column of values of any ordered type: read, put in order, digested.
 */
#ifndef SDC_HOST_COLUMN_H
#define SDC_HOST_COLUMN_H

#include "postgres.h"

#include "host/server/host.h"

/*
 * A value of a base type that turns into a number (sdcpg_number_is) as a
 * double; may be NaN or infinite.
 */
extern double sdcpg_number(Oid base, Datum value);

/* The scale of numeric(p, s) by its modifier, from -1000 to 1000. */
static inline int
sdcpg_numeric_scale(int32 modifier)
{
	return (((modifier - (int32) VARHDRSZ) & 0x7ff) ^ 0x400) - 0x400;
}

/*
 * How values of the type turn into what kernels work on: a number whose order
 * is the type's order, or only a comparison (text, numeric, enum, ...).
 */
typedef enum SdcColumnKind
{
	SDC_COLUMN_INTEGER,
	SDC_COLUMN_FLOAT,
	SDC_COLUMN_COMPARED
} SdcColumnKind;

/* A type, as columns handle it; made by sdcpg_column_type. */
typedef struct SdcColumnType
{
	Oid type;
	Oid base; /* below any domains */
	Oid collation;
	int16 length; /* as pg_type.typlen */
	bool by_value;
	bool is_enum;
	bool holds_numbers; /* of catalog rows, which a dump does not keep */
	bool ordered;       /* has it a btree order? */
	SdcColumnKind kind;
} SdcColumnType;

/*
 * The different values of a column, told apart by their bytes, each kept once:
 * most texts come again and again.  A column whose values hardly repeat is
 * found out on the way, and then each value is kept by itself.
 */
typedef struct SdcPool SdcPool;

/* A pool; copies of by-reference values lie in the keep context of host. */
extern SdcPool *sdcpg_pool_new(SdcPgHost *host, const SdcColumnType *type);

/*
 * Is a pool worth having for values of the type?  Those that a number puts in
 * order are faster without.
 */
extern bool sdcpg_pool_fits(const SdcColumnType *type);

/*
 * The copy of a value in the pool, and its code, from 0 as they come; -1 from
 * the value on at which the pool gives up: earlier codes mean nothing then.
 */
extern Datum sdcpg_pool_take(SdcPool *pool, Datum value, int32 *code);

/*
 * The values of a column without its NULLs.  place[i] is the row that value i
 * came from, 0-based in the order of reading; place is NULL as long as no NULL
 * has been left out, for then i itself is the row.  value[i] of a by-reference
 * type lies in the keep context of the host and is never compressed or
 * external.
 */
typedef struct SdcColumn
{
	SdcColumnType type;
	int64 rows;
	int32 count;
	int32 *place;
	Datum *value;
	/* the code of each value in a pool, or NULL */
	int32 *code;
	SdcPool *pool;
} SdcColumn;

/* The row that value i came from. */
static inline int32
sdcpg_column_place(const SdcColumn *column, int32 i)
{
	return column->place == NULL ? i : column->place[i];
}

/* Looks up how a type is handled; an unordered type has ordered = false. */
extern SdcColumnType sdcpg_column_type(Oid type, Oid collation);

/* Stops with a clear message when the type has no order. */
extern void sdcpg_column_need_order(const SdcColumnType *type);

/* Makes an empty column with room for as many values as there are rows. */
extern SdcColumn *sdcpg_column_new(SdcPgHost *host, const SdcColumnType *type,
								   int64 rows);

/* Appends a value that is not NULL and came from the given row. */
extern void sdcpg_column_add(SdcPgHost *host, SdcColumn *column, int32 place,
							 Datum value);

/*
 * Numbers of the values in ascending order.  Values that are equal but not the
 * same are ordered by their bytes, and so are values of an unordered type;
 * only values that cannot be told apart stay in the order of their rows.
 */
extern int32 *sdcpg_column_order(SdcPgHost *host, const SdcColumn *column);

/*
 * 64 bits that depend on the values but not on the order of the rows.  They
 * choose the random stream, so that two columns or two strata masked with the
 * same seed are not masked alike unless they hold the same values.  Of
 * composite types, of arrays of them or of enums, and of ranges made by users
 * only the number of values counts.  order is what sdcpg_column_order
 * returned.
 */
extern uint64 sdcpg_column_digest(SdcPgHost *host, const SdcColumn *column,
								  const int32 *order);

/*
 * The same in parts, of a type that is not compared: that of the number of
 * values, plus those of all their keys.
 */
extern uint64 sdcpg_column_digest_count(int32 count);
extern uint64 sdcpg_column_digest_key(uint64 key);

/* Rank and digest of each code of a pool, and the value of each rank. */
typedef struct SdcPoolOrder
{
	const int32 *rank;
	const uint64 *digest;
	Datum *value;
} SdcPoolOrder;

/*
 * Finds them for a pool that has not given up and takes no more values; values
 * are in memory of the host, the others in that of the pool.
 */
extern SdcPoolOrder sdcpg_pool_order(SdcPgHost *host, SdcPool *pool);

/*
 * The dense rank of each value, from 0; *distinct is the number of different
 * values.  order is what sdcpg_column_order returned.
 */
extern int32 *sdcpg_column_ranks(SdcPgHost *host, const SdcColumn *column,
								 const int32 *order, int32 *distinct);

/*
 * The contents of a by-reference value that is neither compressed nor
 * external, without its header.
 */
extern const char *sdcpg_column_bytes(const SdcColumnType *type, Datum value,
									  Size *length);

/*
 * A number whose unsigned order is the order of a type that is not compared,
 * with bytes telling equal values apart, and the value of such a number.
 */
extern uint64 sdcpg_column_key(const SdcColumnType *type, Datum value);
extern Datum sdcpg_column_of_key(const SdcColumnType *type, uint64 key);

/* The bits of a value of a by-value type, without those above its length. */
extern uint64 sdcpg_column_bits(const SdcColumnType *type, Datum value);

/* Negative, zero or positive as the contents of a come first byte by byte. */
extern int sdcpg_column_compare_bytes(const SdcColumnType *type, Datum a,
									  Datum b);

#endif
