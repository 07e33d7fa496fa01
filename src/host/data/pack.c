/*
 * pack.c
 *		Many small copies, side by side in blocks of a host's memory.
 */
#include "postgres.h"

#include "host/data/pack.h"
#include "host/server/host.h"
#include "kernel/base/host.h"

#define BLOCK_BYTES 8192

void *
sdcpg_pack_copy(SdcPgHost *host, SdcPack *pack, const void *bytes, Size size)
{
	char *copy;

	if (MAXALIGN(size) > pack->left)
	{
		pack->left = Max(MAXALIGN(size), BLOCK_BYTES);
		pack->block = sdc_new(&host->kernel, char, pack->left);
	}
	copy = pack->block;
	memcpy(copy, bytes, size);
	pack->block += MAXALIGN(size);
	pack->left -= MAXALIGN(size);
	return copy;
}
