/*
 * pack.h
 *		Many small copies, side by side in blocks of a host's memory; different
 *		values, each once.
 */
#ifndef SDC_HOST_PACK_H
#define SDC_HOST_PACK_H

#include "postgres.h"

#include "host/server/host.h"
#include "kernel/base/table.h"

/* What is left of the present block; all zero to begin with. */
typedef struct SdcPack
{
	char *block;
	Size left;
} SdcPack;

/* A copy of some bytes, aligned for any type; freed when the host ends. */
extern void *sdcpg_pack_copy(SdcPgHost *host, SdcPack *pack, const void *bytes,
							 Size size);

/* The same in the keep context of the host. */
extern void *sdcpg_pack_keep(SdcPgHost *host, SdcPack *pack, const void *bytes,
							 Size size);

/*
 * Different values and their codes, 0, 1, ... as they come.  Which values are
 * equal, and who copies them, is the owner's: it finds the slot of a value by
 * SDC_TABLE_FIND, and adds what is not there.
 */
typedef struct SdcValues
{
	SdcPgHost *host;
	int32 count;
	Size room;    /* a power of two, more than count */
	Datum *value; /* by code */
	uint32 *hash;
	SdcTable table; /* of codes */
} SdcValues;

/* A value that is looked for. */
typedef struct SdcValueKey
{
	Datum value;
	uint32 hash;
} SdcValueKey;

/*
 * Makes room for twice as many values, for some at first, and the table anew.
 * O(count).
 */
extern void sdcpg_values_grow(SdcValues *values);

/* Starts without values; memory is the host's. */
static inline void
sdcpg_values_start(SdcValues *values, SdcPgHost *host)
{
	memset(values, 0, sizeof(*values));
	values->host = host;
	sdcpg_values_grow(values);
}

/* Puts a new value into its slot; returns its code.  O(1) on average. */
static inline int32
sdcpg_values_add(SdcValues *values, int32 *slot, Datum value, uint32 hash)
{
	int32 code = values->count++;

	*slot = code;
	values->value[code] = value;
	values->hash[code] = hash;
	if ((Size) values->count == values->room)
		sdcpg_values_grow(values);
	return code;
}

/* Gives the arrays back. */
static inline void
sdcpg_values_release(SdcValues *values)
{
	SdcHost *host = &values->host->kernel;

	host->release(host, values->value);
	host->release(host, values->hash);
	sdc_table_release(host, &values->table);
}

#endif
