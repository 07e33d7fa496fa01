/*
 * row_store.c
 *		Rows put aside, and taken again in their order or in a random one.
 *
 * As long as they fit, rows lie in blocks of memory.  When they do not, each
 * row goes to one of many tapes (temporary files).  For a random order the
 * tape is drawn at random, and when the tapes are read, one after the other,
 * each is shuffled in memory: that is a uniform permutation of all rows (Rao
 * 1961; Sandelius 1962) for one more write and read.  A tape that does not fit
 * is spread over tapes of its own in the same way.  Without it there is one
 * tape, read from its beginning.
 */
#include "postgres.h"

#include "storage/buffile.h"

#include "host/data/row_store.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Blocks grow with what is held; long ones get large pages. */
#define FIRST_BLOCK ((Size) 64 * 1024)
#define MOST_BLOCK  ((Size) 8 * 1024 * 1024)

/* Tapes that rows are spread over; each has a buffer of 8 kB. */
#define TAPES 64

/* Rows between two polls. */
#define POLL_ROWS 4096

/* Rows ahead that are fetched into the cache. */
#define AHEAD 8

/* Bytes of such a row that are fetched, and of a line of the cache. */
#define AHEAD_BYTES 256
#define LINE_BYTES  64

/* Places that are drawn before values trade them. */
#define DRAWS 32

/* What stands before each row, in memory and on a tape. */
typedef struct RowHead
{
	int64 number;
	uint32 size; /* of the row, without what stands before it */
} RowHead;

#define HEAD_BYTES sizeof(RowHead)

StaticAssertDecl(HEAD_BYTES == MAXALIGN(HEAD_BYTES),
				 "a row behind its head is aligned");

typedef struct Tape
{
	BufFile *file;
	Size bytes;
	int64 rows;
} Tape;

struct SdcRowStore
{
	SdcPgHost *host;
	bool shuffled;
	Size reserved;
	Size limit;
	SdcRandom random;
	int64 rows;
	/* in memory */
	Size held;
	char *block;
	Size left;
	int blocks;
	int room;
	char **all; /* the blocks */
	Size *used; /* bytes of each that are filled */
	/* spilled: tapes in place of blocks */
	int tapes;
	Tape *tape;
};

SdcRowStore *
sdcpg_row_store_new(SdcPgHost *host, bool shuffled, Size reserved, Size bytes)
{
	SdcRowStore *store = sdc_new(&host->kernel, SdcRowStore, 1);

	memset(store, 0, sizeof(*store));
	store->host = host;
	store->shuffled = shuffled;
	store->reserved = reserved;
	store->limit = bytes;
	if (shuffled)
		sdcpg_strong_random(&store->random);
	return store;
}

/* Writes a row, without what is reserved, onto a tape. */
static void
write_tape(SdcRowStore *store, const RowHead *head, const void *row)
{
	int at = store->tapes == 1
				 ? 0
				 : (int) sdc_random_below(&store->random, store->tapes);
	Tape *tape = &store->tape[at];
	Size size = head->size - store->reserved;
	static char padding[MAXIMUM_ALIGNOF];

	BufFileWrite(tape->file, (void *) head, HEAD_BYTES);
	BufFileWrite(tape->file, (void *) row, size);
	BufFileWrite(tape->file, padding, MAXALIGN(size) - size);
	tape->bytes += HEAD_BYTES + MAXALIGN(head->size);
	tape->rows++;
}

/* Calls something for each row in memory, in the order of their coming. */
static void
walk_blocks(SdcRowStore *store,
			void (*visit)(SdcRowStore *store, RowHead *head, void *arg),
			void *arg)
{
	int64 rows = 0;
	int i;

	for (i = 0; i < store->blocks; i++)
	{
		char *at = store->all[i];
		char *end = at + store->used[i];

		while (at < end)
		{
			RowHead *head = (RowHead *) at;

			if (rows++ % POLL_ROWS == 0)
				store->host->kernel.poll(&store->host->kernel, rows,
										 store->rows);
			at += HEAD_BYTES + MAXALIGN(head->size);
			visit(store, head, arg);
		}
	}
}

static void
spill_row(SdcRowStore *store, RowHead *head, void *arg)
{
	write_tape(store, head, (char *) head + HEAD_BYTES + store->reserved);
}

static void
free_blocks(SdcRowStore *store)
{
	SdcHost *host = &store->host->kernel;

	while (store->blocks > 0)
		host->release(host, store->all[--store->blocks]);
	store->left = 0;
	store->held = 0;
}

/* Goes over to tapes. */
static void
spill(SdcRowStore *store)
{
	MemoryContext caller = MemoryContextSwitchTo(store->host->work);
	int i;

	store->tapes = store->shuffled ? TAPES : 1;
	store->tape = sdc_new(&store->host->kernel, Tape, store->tapes);
	memset(store->tape, 0, sizeof(Tape) * store->tapes);
	for (i = 0; i < store->tapes; i++)
		store->tape[i].file = BufFileCreateTemp(false);
	MemoryContextSwitchTo(caller);
	walk_blocks(store, spill_row, NULL);
	free_blocks(store);
}

/* Takes a new block. */
static void
add_block(SdcRowStore *store, Size size)
{
	SdcPgHost *host = store->host;

	if (store->blocks == store->room)
	{
		store->room = store->room == 0 ? 64 : store->room * 2;
		store->all =
			sdcpg_host_grow(host, store->all, store->room, sizeof(char *));
		store->used =
			sdcpg_host_grow(host, store->used, store->room, sizeof(Size));
	}
	store->left = size;
	store->block = sdc_new(&host->kernel, char, size);
	store->all[store->blocks] = store->block;
	store->used[store->blocks++] = 0;
	store->held += size;
}

/* Makes room in memory for a row, or goes over to tapes. */
static void
make_room(SdcRowStore *store, Size bytes)
{
	Size size = Max(bytes, Min(Max(store->held / 2, FIRST_BLOCK), MOST_BLOCK));

	if (store->held + size <= store->limit)
		add_block(store, size);
	else
		spill(store);
}

/* Puts a row with a number aside; size is without what is reserved. */
static void
put_row(SdcRowStore *store, int64 number, const void *row, Size size)
{
	RowHead head = {number, (uint32) (store->reserved + size)};
	Size bytes = HEAD_BYTES + MAXALIGN(head.size);

	if (store->tapes == 0 && bytes > store->left)
		make_room(store, bytes);
	if (store->tapes > 0)
	{
		write_tape(store, &head, row);
		return;
	}
	memcpy(store->block, &head, HEAD_BYTES);
	memset(store->block + HEAD_BYTES, 0, store->reserved);
	memcpy(store->block + HEAD_BYTES + store->reserved, row, size);
	store->block += bytes;
	store->left -= bytes;
	store->used[store->blocks - 1] += bytes;
}

void
sdcpg_row_store_put(SdcRowStore *store, const void *row, Size size)
{
	put_row(store, store->rows++, row, size);
}

/* Rows that are taken in another order. */
typedef struct Taking
{
	const SdcRowTaker *taker;
	RowHead **order;
	int64 count;
} Taking;

static void
prepare_row(const SdcRowTaker *taker, RowHead *head)
{
	if (taker->prepare != NULL)
		taker->prepare(taker->arg, head->number, (char *) head + HEAD_BYTES);
}

static void
take_row(const SdcRowTaker *taker, const RowHead *head)
{
	taker->take(taker->arg, head->number, (const char *) head + HEAD_BYTES);
}

static void
visit_at_once(SdcRowStore *store, RowHead *head, void *arg)
{
	prepare_row(arg, head);
	take_row(arg, head);
}

static void
visit_later(SdcRowStore *store, RowHead *head, void *arg)
{
	Taking *taking = arg;

	prepare_row(taking->taker, head);
	taking->order[taking->count++] = head;
}

/*
 * Puts the rows into a random order (Durstenfeld 1964).  Places are drawn some
 * steps ahead, so that they are in the cache when they are needed.
 */
static void
shuffle(SdcRowStore *store, RowHead **order, int64 count)
{
	SdcHost *host = &store->host->kernel;
	int64 other[DRAWS];
	int64 last;
	int64 i;

	for (last = count - 1; last > 0; last -= DRAWS)
	{
		int64 first = Max(last - DRAWS, 0);

		if (last / DRAWS % (POLL_ROWS / DRAWS) == 0)
			host->poll(host, 0, 0);
		for (i = last; i > first; i--)
		{
			other[last - i] =
				(int64) sdc_random_below(&store->random, (uint64) i + 1);
			__builtin_prefetch(&order[other[last - i]], 1);
		}
		for (i = last; i > first; i--)
		{
			RowHead *head = order[i];

			order[i] = order[other[last - i]];
			order[other[last - i]] = head;
		}
	}
}

static void
take_shuffled(SdcRowStore *store, const Taking *taking)
{
	SdcHost *host = &store->host->kernel;
	RowHead **order = taking->order;
	int64 i;
	int byte;

	shuffle(store, order, taking->count);
	for (i = 0; i < taking->count; i++)
	{
		if (i % POLL_ROWS == 0)
			host->poll(host, i, taking->count);
		for (byte = 0; i + AHEAD < taking->count && byte < AHEAD_BYTES;
			 byte += LINE_BYTES)
			__builtin_prefetch((char *) order[i + AHEAD] + byte);
		take_row(taking->taker, order[i]);
	}
}

static void
take_memory(SdcRowStore *store, const SdcRowTaker *taker)
{
	SdcHost *host = &store->host->kernel;
	Taking taking = {taker};

	if (!store->shuffled)
	{
		walk_blocks(store, visit_at_once, (void *) taker);
		return;
	}
	taking.order = sdc_new(host, RowHead *, store->rows);
	walk_blocks(store, visit_later, &taking);
	take_shuffled(store, &taking);
	host->release(host, taking.order);
}

static void
read_tape(Tape *tape, void *memory, Size bytes)
{
	if (BufFileRead(tape->file, memory, bytes) != bytes)
		ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
						errmsg("could not read rows from a temporary file")));
}

/* Reads the rest of a row behind its head, and clears what is reserved. */
static void
read_row(const SdcRowStore *store, Tape *tape, RowHead *head)
{
	char *row = (char *) head + HEAD_BYTES;

	memset(row, 0, store->reserved);
	read_tape(tape, row + store->reserved,
			  MAXALIGN(head->size) - store->reserved);
}

/* Reads the next row of a tape into memory that grows with the rows. */
static RowHead *
next_row(SdcRowStore *store, Tape *tape, char **memory, Size *room)
{
	RowHead head;
	Size bytes;

	read_tape(tape, &head, HEAD_BYTES);
	bytes = HEAD_BYTES + MAXALIGN(head.size);
	if (bytes > *room)
	{
		*room = Max(bytes, *room * 2);
		*memory = sdcpg_host_grow(store->host, *memory, *room, 1);
	}
	memcpy(*memory, &head, HEAD_BYTES);
	read_row(store, tape, (RowHead *) *memory);
	return (RowHead *) *memory;
}

/* Hands over the rows of a tape as they come, or spreads them once more. */
static void
take_stream(SdcRowStore *store, Tape *tape, const SdcRowTaker *taker)
{
	SdcHost *host = &store->host->kernel;
	SdcRowStore *spread = NULL;
	char *memory = NULL;
	Size room = 0;
	int64 i;

	if (store->shuffled)
		spread = sdcpg_row_store_new(store->host, true, store->reserved,
									 store->limit);
	for (i = 0; i < tape->rows; i++)
	{
		RowHead *head = next_row(store, tape, &memory, &room);

		if (i % POLL_ROWS == 0)
			host->poll(host, i, tape->rows);
		if (spread == NULL)
			visit_at_once(store, head, (void *) taker);
		else
			put_row(spread, head->number,
					(char *) head + HEAD_BYTES + store->reserved,
					head->size - store->reserved);
	}
	host->release(host, memory);
	if (spread != NULL)
	{
		spread->rows = tape->rows;
		sdcpg_row_store_take(spread, taker);
		host->release(host, spread);
	}
}

/* Reads a tape into memory, and hands its rows over in a random order. */
static void
take_tape(SdcRowStore *store, Tape *tape, const SdcRowTaker *taker)
{
	SdcHost *host = &store->host->kernel;
	char *memory = sdc_new(host, char, tape->bytes);
	char *at = memory;
	Taking taking = {taker, sdc_new(host, RowHead *, tape->rows)};

	while (taking.count < tape->rows)
	{
		RowHead *head = (RowHead *) at;

		read_tape(tape, head, HEAD_BYTES);
		read_row(store, tape, head);
		at += HEAD_BYTES + MAXALIGN(head->size);
		visit_later(store, head, &taking);
	}
	take_shuffled(store, &taking);
	host->release(host, taking.order);
	host->release(host, memory);
}

void
sdcpg_row_store_drop(SdcRowStore *store)
{
	int i;

	free_blocks(store);
	for (i = 0; i < store->tapes; i++)
		BufFileClose(store->tape[i].file);
	store->tapes = 0;
	store->rows = 0;
}

void
sdcpg_row_store_take(SdcRowStore *store, const SdcRowTaker *taker)
{
	int i;

	if (store->tapes == 0)
		take_memory(store, taker);
	for (i = 0; i < store->tapes; i++)
	{
		Tape *tape = &store->tape[i];

		if (BufFileSeek(tape->file, 0, 0L, SEEK_SET) != 0)
			ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
							errmsg("could not rewind a temporary file")));
		/* a single row may be longer than all that is to be held */
		if (store->shuffled &&
			(tape->bytes <= store->limit || tape->rows == 1))
			take_tape(store, tape, taker);
		else
			take_stream(store, tape, taker);
	}
	sdcpg_row_store_drop(store);
}
