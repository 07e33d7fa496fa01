/*
 * pack.c
 *		Many small copies, side by side in blocks of a host's memory; different
 *		values, each once.
 */
#include "postgres.h"

#include "host/data/pack.h"
#include "host/server/host.h"
#include "kernel/base/host.h"

#define BLOCK_BYTES 8192

/* Has room for some bytes in the present block? */
static bool
fits(const SdcPack *pack, Size size)
{
	return MAXALIGN(size) <= pack->left;
}

static void *
put(SdcPack *pack, const void *bytes, Size size)
{
	char *copy = pack->block;

	memcpy(copy, bytes, size);
	pack->block += MAXALIGN(size);
	pack->left -= MAXALIGN(size);
	return copy;
}

void *
sdcpg_pack_copy(SdcPgHost *host, SdcPack *pack, const void *bytes, Size size)
{
	if (!fits(pack, size))
	{
		pack->left = Max(MAXALIGN(size), BLOCK_BYTES);
		pack->block = sdc_new(&host->kernel, char, pack->left);
	}
	return put(pack, bytes, size);
}

void *
sdcpg_pack_keep(SdcPgHost *host, SdcPack *pack, const void *bytes, Size size)
{
	if (!fits(pack, size))
	{
		pack->left = Max(MAXALIGN(size), BLOCK_BYTES);
		pack->block = sdcpg_keep_new(host, char, pack->left);
	}
	return put(pack, bytes, size);
}

#define FIRST_VALUES 64

/* Twice the room, and the table made anew. */
static void
grow(SdcValues *values)
{
	SdcHost *host = &values->host->kernel;
	int32 code;

	values->room = values->room == 0 ? FIRST_VALUES : values->room * 2;
	values->value = sdcpg_host_grow(values->host, values->value, values->room,
									sizeof(Datum));
	values->hash = sdcpg_host_grow(values->host, values->hash, values->room,
								   sizeof(uint32));
	sdc_table_release(host, &values->table);
	sdc_table_create(host, &values->table, values->room);
	for (code = 0; code < values->count; code++)
	{
		if (code % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		sdc_table_put(&values->table, sdc_table_hashed(values->hash[code]),
					  code);
	}
}

void
sdcpg_values_start(SdcValues *values, SdcPgHost *host)
{
	memset(values, 0, sizeof(*values));
	values->host = host;
	grow(values);
}

int32
sdcpg_values_add(SdcValues *values, int32 *slot, Datum value, uint32 hash)
{
	int32 code = values->count++;

	*slot = code;
	values->value[code] = value;
	values->hash[code] = hash;
	if ((Size) values->count == values->room)
		grow(values);
	return code;
}

void
sdcpg_values_release(SdcValues *values)
{
	SdcHost *host = &values->host->kernel;

	host->release(host, values->value);
	host->release(host, values->hash);
	sdc_table_release(host, &values->table);
}
