/*
 * mask_private.h
 *		Figures of all rows of a distributed relation: how often each value of
 *		a column occurs in each shard, and how they come to the servers.
 */
#ifndef SDC_MASK_PRIVATE_H
#define SDC_MASK_PRIVATE_H

#include "postgres.h"

#include "host/call/relation.h"
#include "host/data/column.h"
#include "host/server/host.h"

/* The values that occur in a shard, ascending. */
typedef struct SdcShardValues
{
	uint32 count;
	uint32 room;
	uint32 missing; /* rows that have none */
	uint32 *value;  /* which of all values */
	uint32 *rows;   /* that have it */
} SdcShardValues;

/*
 * Rows in the order of their values, and of their shards within a value, have
 * ranks from 0.
 */
typedef struct SdcShardCounts
{
	SdcPgHost *host;
	SdcColumnType type;
	FmgrInfo equal;
	int32 places;
	int64 rows;    /* that have a value */
	int64 missing; /* that have none */
	uint32 values;
	uint32 room;
	Datum *value;
	uint64 *start;         /* the first rank of each; after the last, rows */
	SdcShardValues *place; /* of each shard */
} SdcShardCounts;

/* What a bytea of figures starts with. */
#define SDC_FIGURES_DRAWN 0x53446472
#define SDC_FIGURES_NOISE 0x53446E6F
#define SDC_FIGURES_PARTS 0x53447074

/* What one starts with that is only the name of a result that has them. */
#define SDC_FIGURES_NAMED 0x53446E61

/* Stops: rows or values are not those that were counted. */
pg_noreturn extern void sdcpg_shard_rows_changed(void);

/*
 * The number that puts a value in order, where the type has one; equal for
 * equal values and for no others.
 */
extern uint64 sdcpg_shard_value_key(const SdcColumnType *type, Datum value);

/*
 * Counts the values of a column of a distributed relation, which are the SQL
 * value over r; place is the SQL of the number of its shard, below places.
 * The order of the values is that of their type.
 */
extern void sdcpg_shard_counts_read(SdcShardCounts *counts,
									const SdcRelation *relation,
									const char *value, const char *place);

#endif
