/*
 * tapes.c
 *		Tapes side by side in one temporary file.
 *
 * Each tape is written, and then read once from its beginning.  A file for
 * each would be simpler, but to make hundreds of files costs more than to
 * write them.  So a tape is a chain of extents of the file; an extent is long
 * enough to be read in one go, and given out when the one before is full.
 * What is not yet worth a write is in a buffer of the tape.
 *
 * PostgreSQL has such tapes for its sorts (logtape.c), which either are in
 * single blocks, each in another place, or write what lies between once more.
 */
#include "postgres.h"

#include "storage/buffile.h"

#include "host/data/data_private.h"
#include "host/server/host.h"
#include "kernel/base/host.h"

/* Bytes of an extent, and of them that are written or read together. */
#define EXTENT_BYTES ((Size) 64 * 1024)
#define BUFFER_BYTES ((Size) BLCKSZ)

StaticAssertDecl(EXTENT_BYTES % BUFFER_BYTES == 0, "buffers fill an extent");

/* Extents of a segment: buffile.c begins a new one after 1 GB. */
#define SEGMENT_EXTENTS ((int) (((Size) 1 << 30) / EXTENT_BYTES))

typedef struct Tape
{
	char *buffer;  /* NULL: nothing was written, or all was read */
	Size used;     /* of the buffer, or of it read */
	int64 bytes;   /* written */
	int64 at;      /* read, with what is in the buffer */
	int32 *extent; /* numbers in the file */
	int32 extents;
	int32 room;
} Tape;

struct SdcTapes
{
	SdcPgHost *host;
	BufFile *file;
	int32 extents; /* given out */
	int tapes;
	Tape *tape;
};

SdcTapes *
sdcpg_tapes_begin(SdcPgHost *host, int tapes)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	SdcTapes *set = sdc_new(&host->kernel, SdcTapes, 1);

	set->host = host;
	set->file = BufFileCreateTemp(false);
	set->extents = 0;
	set->tapes = tapes;
	set->tape = sdc_new(&host->kernel, Tape, tapes);
	memset(set->tape, 0, sizeof(Tape) * tapes);
	MemoryContextSwitchTo(caller);
	return set;
}

void
sdcpg_tape_read(BufFile *file, void *memory, Size bytes)
{
	if (BufFileRead(file, memory, bytes) != bytes)
		ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
						errmsg("could not read from a temporary file")));
}

/* Where a place of the file cannot be found. */
static void
seek_failed(void)
{
	ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
					errmsg("could not go back in a temporary file")));
}

void
sdcpg_tape_seek(BufFile *file, off_t offset, int whence)
{
	if (BufFileSeek(file, 0, offset, whence) != 0)
		seek_failed();
}

/* Goes to a byte of a tape, in an extent that it has. */
static void
go_to(SdcTapes *set, const Tape *tape, int64 byte)
{
	int32 extent = tape->extent[byte / EXTENT_BYTES];
	off_t offset = (off_t) (extent % SEGMENT_EXTENTS) * EXTENT_BYTES +
				   byte % EXTENT_BYTES;

	if (BufFileSeek(set->file, extent / SEGMENT_EXTENTS, offset, SEEK_SET) !=
		0)
		seek_failed();
}

/* Gives a tape the next extent of the file. */
static void
add_extent(SdcTapes *set, Tape *tape)
{
	if (set->extents == INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("temporary files would be too large")));
	if (tape->extents == tape->room)
	{
		tape->room = Max(tape->room * 2, 4);
		tape->extent = sdcpg_host_grow(set->host, tape->extent, tape->room,
									   sizeof(int32));
	}
	tape->extent[tape->extents++] = set->extents++;
}

/* Writes the buffer of a tape, which is full or the last. */
static void
flush(SdcTapes *set, Tape *tape)
{
	int64 start = tape->bytes - (int64) tape->used;

	if (start == (int64) tape->extents * (int64) EXTENT_BYTES)
		add_extent(set, tape);
	go_to(set, tape, start);
	BufFileWrite(set->file, tape->buffer, tape->used);
	tape->used = 0;
}

void
sdcpg_tapes_write(SdcTapes *set, int number, const void *bytes, Size size)
{
	Tape *tape = &set->tape[number];
	const char *from = bytes;

	if (tape->buffer == NULL)
		tape->buffer = MemoryContextAlloc(set->host->work, BUFFER_BYTES);
	while (size > 0)
	{
		Size part = Min(size, BUFFER_BYTES - tape->used);

		memcpy(tape->buffer + tape->used, from, part);
		tape->used += part;
		tape->bytes += part;
		from += part;
		size -= part;
		if (tape->used == BUFFER_BYTES)
			flush(set, tape);
	}
}

void
sdcpg_tapes_rewind(SdcTapes *set, int number)
{
	Tape *tape = &set->tape[number];

	if (tape->used > 0)
		flush(set, tape);
	tape->at = 0;
	tape->used = BUFFER_BYTES;
}

/* Has the next bytes of a tape in its buffer. */
static void
fill_buffer(SdcTapes *set, Tape *tape)
{
	Size part = (Size) Min((int64) BUFFER_BYTES, tape->bytes - tape->at);

	go_to(set, tape, tape->at);
	/* at the end, so that the buffer is read when its last byte is */
	tape->used = BUFFER_BYTES - part;
	sdcpg_tape_read(set->file, tape->buffer + tape->used, part);
	tape->at += part;
}

void
sdcpg_tapes_read(SdcTapes *set, int number, void *memory, Size size)
{
	Tape *tape = &set->tape[number];
	char *to = memory;

	if ((int64) size >
		tape->bytes - tape->at + (int64) (BUFFER_BYTES - tape->used))
		ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
						errmsg("could not read from a temporary file")));
	while (size > 0)
	{
		Size part;

		if (tape->used == BUFFER_BYTES)
			fill_buffer(set, tape);
		part = Min(size, BUFFER_BYTES - tape->used);
		memcpy(to, tape->buffer + tape->used, part);
		tape->used += part;
		to += part;
		size -= part;
	}
	if (tape->at == tape->bytes && tape->used == BUFFER_BYTES &&
		tape->buffer != NULL)
	{
		pfree(tape->buffer);
		tape->buffer = NULL;
	}
}

void
sdcpg_tapes_end(SdcTapes *set)
{
	SdcHost *host;
	int i;

	if (set == NULL)
		return;
	host = &set->host->kernel;
	for (i = 0; i < set->tapes; i++)
	{
		if (set->tape[i].buffer != NULL)
			pfree(set->tape[i].buffer);
		host->release(host, set->tape[i].extent);
	}
	BufFileClose(set->file);
	host->release(host, set->tape);
	host->release(host, set);
}
