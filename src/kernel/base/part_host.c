/*
 * part_host.c
 *		A host for a part of a larger task.
 *
 * The host that the part sees is the first member of SdcPartHost, so its
 * address leads back to the rest.
 */
#include "kernel/base/host.h"
#include "kernel/base/part_host.h"

static SdcPartHost *
part_of(SdcHost *host)
{
	return (SdcPartHost *) host;
}

static void *
part_alloc(SdcHost *host, size_t count, size_t size)
{
	SdcHost *outer = part_of(host)->outer;

	return outer->alloc(outer, count, size);
}

static void
part_release(SdcHost *host, void *memory)
{
	SdcHost *outer = part_of(host)->outer;

	outer->release(outer, memory);
}

/* A part that does not know its progress reports 0. */
static void
part_poll(SdcHost *host, uint64_t done, uint64_t total)
{
	SdcPartHost *part = part_of(host);

	(void) total;
	part->outer->poll(part->outer, part->before + done, part->total);
}

static void
part_stage(SdcHost *host, const char *name)
{
	(void) host;
	(void) name;
}

static bool
part_pending(SdcHost *host)
{
	SdcHost *outer = part_of(host)->outer;

	return outer->pending(outer);
}

void
sdc_part_host_start(SdcPartHost *part, SdcHost *outer, uint64_t before,
					uint64_t total)
{
	part->host.alloc = part_alloc;
	part->host.release = part_release;
	part->host.poll = part_poll;
	part->host.stage = part_stage;
	part->host.pending = part_pending;
	part->outer = outer;
	part->before = before;
	part->total = total;
}
