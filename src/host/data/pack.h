/*
 * pack.h
 *		Many small copies, side by side in blocks of a host's memory.
 */
#ifndef SDC_HOST_PACK_H
#define SDC_HOST_PACK_H

#include "postgres.h"

#include "host/server/host.h"

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

#endif
