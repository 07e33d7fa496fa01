/*
 * pack.c
 *		Many small copies, side by side in blocks of a host's memory.
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
