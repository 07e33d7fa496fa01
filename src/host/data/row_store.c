/*
 * row_store.c
 *		Rows and columns put aside, and taken again; rows in their order or in
 *		a random one.
 *
 * For a random order each row goes to one of many boxes, drawn at random, and
 * when the boxes are emptied, one after the other, each is shuffled: that is a
 * uniform permutation of all rows (Rao 1961; Sandelius 1962).  As long as they
 * fit, boxes are chains of blocks in memory, each so small that it is shuffled
 * in the cache.  When they do not, each box becomes a tape (of tapes.c) for
 * one more write and read; a tape that does not fit is spread over boxes
 * of its own in the same way.  Without a random order there is one box, read
 * from its beginning.  What is reserved before each row is not on the tape of
 * its box: it is known only when all rows have come, and then goes, row by
 * row, onto a second tape of the box.
 *
 * A column is kept in arrays until it is spilled; then it lies in a temporary
 * file, chunk by chunk, and only what is asked for is in the arrays.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "storage/buffile.h"
#include "utils/datum.h"

#include "host/data/data_private.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Blocks of a box grow with what is held.  They are cut from slabs, which are
 * long, so that they get large pages. */
#define FIRST_BLOCK ((Size) 4 * 1024)
#define MOST_BLOCK  ((Size) 64 * 1024)
#define FIRST_SLAB  ((Size) 64 * 1024)
#define MOST_SLAB   ((Size) 32 * 1024 * 1024)

/* Blocks of a box are about this part of what is held. */
#define BLOCK_PART 1024

/* Boxes that rows are spread over, a power of two; a tape has a buffer of
 * 8 kB. */
#define BOX_BITS 7
#define BOXES    (1 << BOX_BITS)

/* Rows between two polls. */
#define POLL_ROWS 4096

/* Rows of a column that are written and read together. */
#define CHUNK_ROWS 4096

/* Rows ahead that are fetched into the cache. */
#define AHEAD 8

/* Bytes of such a row that are fetched, and of a line of the cache. */
#define AHEAD_BYTES 256
#define LINE_BYTES  64

/* Bits of the size of a row, which PostgreSQL keeps below 1 GB. */
#define SIZE_BITS 30

/* What stands before each row, in memory and on a tape. */
typedef struct RowHead
{
	uint64 size : SIZE_BITS; /* of the row, with what is reserved */
	uint64 number : 64 - SIZE_BITS;
} RowHead;

#define HEAD_BYTES sizeof(RowHead)

StaticAssertDecl(HEAD_BYTES == MAXALIGN(HEAD_BYTES),
				 "a row behind its head is aligned");

/* Rows in memory, one behind the other. */
typedef struct Block
{
	struct Block *next;
	Size used;
	char row[FLEXIBLE_ARRAY_MEMBER];
} Block;

#define BLOCK_HEAD offsetof(Block, row)

StaticAssertDecl(BLOCK_HEAD == MAXALIGN(BLOCK_HEAD), "rows are aligned");

typedef struct Box
{
	int64 rows;
	Size bytes; /* of rows and heads */
	/* in memory */
	Block *first;
	Block *last;
	Size left; /* of the last block */
} Box;

/* A column in a row. */
typedef struct Place
{
	int column;
	int16 length; /* as pg_type.typlen */
	int offset;   /* of a value; those by reference lie one behind the other */
} Place;

/* A place in a box in memory. */
typedef struct Cursor
{
	Block *block;
	Size at;
} Cursor;

struct SdcRowStore
{
	SdcPgHost *host;
	bool shuffled;
	Size reserved;
	Size limit;
	/* of a row: its values, widest first, and whether it has a NULL; behind
	 * that which are, if so, and values by reference */
	int columns;
	int by_value;
	Place *place;
	Size fixed;
	bool *no_null;
	SdcRandom random;
	uint64 bits; /* drawn, and how many are left */
	int bits_left;
	int next; /* the box of the next row */
	int64 rows;
	int boxes;
	Box *box;
	/* the box of each row, in the order of their coming; of rows that are
	 * spilled only while something is to be reserved before them */
	uint8 *box_of;
	int64 room;
	/* in memory */
	Size held;
	char *slab;
	Size slab_left;
	int slabs;
	int slab_room;
	char **all;
	/* spilled: tapes of the boxes, of rows and of what is reserved before
	 * them, which may be NULL; where a row is put together */
	bool spilled;
	SdcTapes *tapes;
	SdcTapes *before;
	char *row;
	Size row_room;
	int row_box;
};

static int
draw_box(SdcRowStore *store)
{
	int box;

	if (store->bits_left < BOX_BITS)
	{
		store->bits = sdc_random_bits(&store->random);
		store->bits_left = 64;
	}
	box = (int) (store->bits & (BOXES - 1));
	store->bits >>= BOX_BITS;
	store->bits_left -= BOX_BITS;
	return box;
}

/* Has a place for each column in a row. */
static void
place_columns(SdcRowStore *store, TupleDesc descriptor)
{
	int width;
	int count = 0;
	int i;

	store->columns = descriptor->natts;
	store->place = sdc_new(&store->host->kernel, Place, store->columns);
	store->no_null = sdc_new(&store->host->kernel, bool, store->columns);
	memset(store->no_null, false, store->columns);
	for (width = sizeof(Datum); width >= 0; width--)
		for (i = 0; i < store->columns; i++)
		{
			Form_pg_attribute column = TupleDescAttr(descriptor, i);

			if ((column->attbyval ? column->attlen : 0) != width)
				continue;
			store->place[count].column = i;
			store->place[count].length = column->attlen;
			store->place[count++].offset = (int) store->fixed;
			store->fixed += width;
			store->by_value += column->attbyval;
		}
	store->fixed++;
}

SdcRowStore *
sdcpg_row_store_new(SdcPgHost *host, bool shuffled, Size reserved, Size bytes,
					TupleDesc descriptor)
{
	SdcRowStore *store = sdc_new(&host->kernel, SdcRowStore, 1);

	memset(store, 0, sizeof(*store));
	store->host = host;
	store->shuffled = shuffled;
	store->reserved = reserved;
	store->limit = bytes;
	if (descriptor != NULL)
		place_columns(store, descriptor);
	if (shuffled)
	{
		sdcpg_strong_random(&store->random);
		store->next = draw_box(store);
	}
	store->boxes = shuffled ? BOXES : 1;
	store->box = sdc_new(&host->kernel, Box, store->boxes);
	memset(store->box, 0, sizeof(Box) * store->boxes);
	return store;
}

/* Fetches the lines of a row into the cache that will be read or written. */
static inline void
fetch_row(const char *row)
{
	int byte;

	for (byte = 0; byte < AHEAD_BYTES; byte += LINE_BYTES)
		__builtin_prefetch(row + byte, 1);
}

/* The box of the next row.  That of the row behind it is drawn as well, and
 * where it will lie is on its way into the cache. */
static int
next_box(SdcRowStore *store)
{
	int number = store->next;
	const Box *box;

	if (!store->shuffled)
		return 0;
	store->next = draw_box(store);
	box = &store->box[store->next];
	if (box->last != NULL)
		fetch_row(box->last->row + box->last->used);
	return number;
}

/* The row at a cursor, which goes on to the next one. */
static RowHead *
next_in_box(Cursor *cursor)
{
	RowHead *head;

	if (cursor->at == cursor->block->used)
	{
		cursor->block = cursor->block->next;
		cursor->at = 0;
	}
	head = (RowHead *) (cursor->block->row + cursor->at);
	cursor->at += HEAD_BYTES + MAXALIGN(head->size);
	return head;
}

/* Calls something for each row in memory, in the order of their coming. */
static void
walk_rows(SdcRowStore *store,
		  void (*visit)(SdcRowStore *store, RowHead *head, void *arg),
		  void *arg)
{
	SdcHost *host = &store->host->kernel;
	Cursor *cursor = sdc_new(host, Cursor, store->boxes);
	int64 i;

	for (i = 0; i < store->boxes; i++)
	{
		cursor[i].block = store->box[i].first;
		cursor[i].at = 0;
	}
	for (i = 0; i < store->rows; i++)
	{
		int box = store->shuffled ? store->box_of[i] : 0;

		if (i % POLL_ROWS == 0)
			host->poll(host, i, store->rows);
		if (store->shuffled && i + AHEAD < store->rows)
		{
			const Cursor *ahead = &cursor[store->box_of[i + AHEAD]];

			__builtin_prefetch(ahead->block->row + ahead->at, 1);
		}
		visit(store, next_in_box(&cursor[box]), arg);
	}
	host->release(host, cursor);
}

/* Writes a row, without what is reserved, onto the tape of a box. */
static void
write_tape(SdcRowStore *store, int box, const RowHead *head, const char *row)
{
	Size size = head->size - store->reserved;
	static char padding[MAXIMUM_ALIGNOF];

	sdcpg_tapes_write(store->tapes, box, head, HEAD_BYTES);
	sdcpg_tapes_write(store->tapes, box, row, size);
	sdcpg_tapes_write(store->tapes, box, padding, MAXALIGN(size) - size);
}

typedef struct Spilling
{
	int64 rows;
} Spilling;

static void
spill_row(SdcRowStore *store, RowHead *head, void *arg)
{
	Spilling *spilling = arg;
	int box = store->shuffled ? store->box_of[spilling->rows] : 0;

	spilling->rows++;
	write_tape(store, box, head, (char *) head + HEAD_BYTES + store->reserved);
}

static void
free_blocks(SdcRowStore *store)
{
	SdcHost *host = &store->host->kernel;
	int i;

	while (store->slabs > 0)
		host->release(host, store->all[--store->slabs]);
	store->slab_left = 0;
	store->held = 0;
	for (i = 0; i < store->boxes; i++)
	{
		store->box[i].first = store->box[i].last = NULL;
		store->box[i].left = 0;
	}
}

/* Goes over to tapes. */
static void
spill(SdcRowStore *store)
{
	Spilling spilling = {0};

	store->tapes = sdcpg_tapes_begin(store->host, store->boxes);
	walk_rows(store, spill_row, &spilling);
	free_blocks(store);
	store->spilled = true;
	if (store->reserved == 0)
	{
		store->host->kernel.release(&store->host->kernel, store->box_of);
		store->box_of = NULL;
	}
}

/* Takes a new slab; false when it would be more than may be held. */
static bool
add_slab(SdcRowStore *store, Size least)
{
	Size size = Max(least, Min(Max(store->held / 2, FIRST_SLAB), MOST_SLAB));

	if (store->held + size > store->limit)
		return false;
	if (store->slabs == store->slab_room)
	{
		store->slab_room = store->slab_room == 0 ? 64 : store->slab_room * 2;
		store->all = sdcpg_host_grow(store->host, store->all, store->slab_room,
									 sizeof(char *));
	}
	store->slab = sdc_new(&store->host->kernel, char, size);
	store->slab_left = size;
	store->all[store->slabs++] = store->slab;
	store->held += size;
	return true;
}

/* Adds a block to a box; false when there is no memory for it. */
static bool
add_block(SdcRowStore *store, Box *box, Size bytes)
{
	Size size = BLOCK_HEAD + bytes;
	Block *block;

	size =
		Max(size, Min(Max(store->held / BLOCK_PART, FIRST_BLOCK), MOST_BLOCK));
	size = MAXALIGN(size);
	if (size > store->slab_left && !add_slab(store, size))
		return false;
	block = (Block *) store->slab;
	store->slab += size;
	store->slab_left -= size;
	block->next = NULL;
	block->used = 0;
	if (box->last != NULL)
		box->last->next = block;
	else
		box->first = block;
	box->last = block;
	box->left = size - BLOCK_HEAD;
	return true;
}

/* Notes the box of the row that comes. */
static void
note_box(SdcRowStore *store, int box)
{
	int64 room = Max(store->room * 2, POLL_ROWS);
	bool full = store->rows == store->room;

	if (!store->shuffled)
		return;
	if (full && !store->spilled && store->held + room > store->limit)
		spill(store);
	if (store->spilled && store->reserved == 0)
		return;
	if (full)
	{
		store->box_of = sdcpg_host_grow(store->host, store->box_of, room, 1);
		store->held += store->spilled ? 0 : room - store->room;
		store->room = room;
	}
	store->box_of[store->rows] = (uint8) box;
}

/* Room for the head and the row in the box, or where it is put together. */
static char *
make_room(SdcRowStore *store, int number, Size bytes)
{
	Box *box = &store->box[number];
	char *room;

	note_box(store, number);
	if (!store->spilled && bytes > box->left && !add_block(store, box, bytes))
		spill(store);
	box->rows++;
	box->bytes += bytes;
	if (store->spilled)
	{
		store->row_box = number;
		if (bytes > store->row_room)
		{
			store->row_room = Max(bytes, store->row_room * 2);
			store->row =
				sdcpg_host_grow(store->host, store->row, store->row_room, 1);
		}
		return store->row;
	}
	room = box->last->row + box->last->used;
	box->last->used += bytes;
	box->left -= bytes;
	return room;
}

/* Room for a row with a number; size is without what is reserved. */
static void *
open_row(SdcRowStore *store, int64 number, Size size)
{
	Size whole = store->reserved + size;
	RowHead *head;

	if (whole >= (Size) 1 << SIZE_BITS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a row is too long to be put aside")));
	head = (RowHead *) make_room(store, next_box(store),
								 HEAD_BYTES + MAXALIGN(whole));
	/* as a whole: one field alone would wait for what lies there */
	*head = (RowHead){whole, (uint64) number};
	store->rows++;
	return (char *) head + HEAD_BYTES + store->reserved;
}

/* Puts the row aside that was opened last. */
static void
put_row(SdcRowStore *store)
{
	if (store->spilled)
		write_tape(store, store->row_box, (RowHead *) store->row,
				   store->row + HEAD_BYTES + store->reserved);
}

/* Where a value by reference begins, behind the bytes used so far.  One with a
 * short header may stand anywhere: what it begins with is no padding. */
static inline Size
reference_place(const Place *place, const char *value, Size used)
{
	return place->length == -1 && VARATT_IS_1B(value) ? used : MAXALIGN(used);
}

static inline Size
reference_bytes(const Place *place, const char *value)
{
	return place->length == -1
			   ? VARSIZE_ANY(value)
			   : datumGetSize(PointerGetDatum(value), false, place->length);
}

/* Bytes of a row; puts values that are in many pieces into one. */
static Size
row_bytes(const SdcRowStore *store, Datum *values, const bool *isnull,
		  bool *has_null)
{
	Size used = store->fixed;
	int i;

	*has_null = false;
	for (i = 0; i < store->columns; i++)
		*has_null |= isnull[i];
	if (*has_null)
		used += store->columns;
	for (i = store->by_value; i < store->columns; i++)
	{
		const Place *place = &store->place[i];
		int column = place->column;
		const char *value = DatumGetPointer(values[column]);

		if (isnull[column])
			continue;
		if (place->length == -1 && VARATT_IS_EXTERNAL_EXPANDED(value))
		{
			values[column] = datumCopy(values[column], false, -1);
			value = DatumGetPointer(values[column]);
		}
		used = reference_place(place, value, used) +
			   reference_bytes(place, value);
	}
	return used;
}

void
sdcpg_row_store_put_values(SdcRowStore *store, Datum *values,
						   const bool *isnull)
{
	bool has_null;
	Size bytes = row_bytes(store, values, isnull, &has_null);
	char *row = open_row(store, store->rows, bytes);
	Size used = store->fixed;
	int i;

	for (i = 0; i < store->by_value; i++)
	{
		const Place *place = &store->place[i];

		store_att_byval(row + place->offset, values[place->column],
						place->length);
	}
	row[store->fixed - 1] = has_null;
	if (has_null)
	{
		memcpy(row + used, isnull, store->columns);
		used += store->columns;
	}
	for (; i < store->columns; i++)
	{
		const Place *place = &store->place[i];
		const char *value = DatumGetPointer(values[place->column]);
		Size at;

		if (isnull[place->column])
			continue;
		at = reference_place(place, value, used);
		bytes = reference_bytes(place, value);
		if (at > used)
			memset(row + used, 0, at - used);
		memcpy(row + at, value, bytes);
		used = at + bytes;
	}
	put_row(store);
}

const bool *
sdcpg_row_store_values(const SdcRowStore *store, const char *row,
					   Datum *values)
{
	bool has_null = row[store->fixed - 1];
	const bool *isnull =
		has_null ? (const bool *) row + store->fixed : store->no_null;
	Size used = store->fixed + (has_null ? store->columns : 0);
	int i;

	for (i = 0; i < store->by_value; i++)
	{
		const Place *place = &store->place[i];

		values[place->column] =
			fetch_att(row + place->offset, true, place->length);
	}
	for (; i < store->columns; i++)
	{
		const Place *place = &store->place[i];

		values[place->column] = (Datum) 0;
		if (isnull[place->column])
			continue;
		used = reference_place(place, row + used, used);
		values[place->column] = PointerGetDatum(row + used);
		used += reference_bytes(place, row + used);
	}
	return isnull;
}

typedef struct Filling
{
	SdcRowFiller fill;
	void *arg;
} Filling;

static void
fill_row(SdcRowStore *store, RowHead *head, void *arg)
{
	const Filling *filling = arg;

	filling->fill(filling->arg, head->number, (char *) head + HEAD_BYTES);
}

/* Writes what is reserved onto the second tapes. */
static void
fill_tapes(SdcRowStore *store, const Filling *filling)
{
	SdcHost *host = &store->host->kernel;
	char *reserved = sdc_new(host, char, store->reserved);
	int64 i;

	store->before = sdcpg_tapes_begin(store->host, store->boxes);
	for (i = 0; i < store->rows; i++)
	{
		int box = store->shuffled ? store->box_of[i] : 0;

		if (i % POLL_ROWS == 0)
			host->poll(host, i, store->rows);
		filling->fill(filling->arg, i, reserved);
		sdcpg_tapes_write(store->before, box, reserved, store->reserved);
	}
	host->release(host, reserved);
}

void
sdcpg_row_store_fill(SdcRowStore *store, SdcRowFiller fill, void *arg)
{
	Filling filling = {fill, arg};

	if (store->reserved == 0)
		return;
	if (store->spilled)
		fill_tapes(store, &filling);
	else
		walk_rows(store, fill_row, &filling);
}

/* Who takes the rows, and those of a box in another order. */
typedef struct Taking
{
	SdcRowTaker take;
	void *arg;
	RowHead **order;
	int64 count;
} Taking;

static void
take_row(const Taking *taking, const RowHead *head)
{
	taking->take(taking->arg, (const char *) head + HEAD_BYTES);
}

static void
visit(SdcRowStore *store, RowHead *head, void *arg)
{
	take_row(arg, head);
}

/* Puts the rows into a random order (Durstenfeld 1964). */
static void
shuffle(SdcRowStore *store, RowHead **order, int64 count)
{
	SdcHost *host = &store->host->kernel;
	int64 i;

	for (i = count - 1; i > 0; i--)
	{
		int64 other = sdc_random_below(&store->random, (uint64) i + 1);
		RowHead *head = order[i];

		if (i % POLL_ROWS == 0)
			host->poll(host, 0, 0);
		order[i] = order[other];
		order[other] = head;
	}
}

static void
take_shuffled(SdcRowStore *store, const Taking *taking)
{
	SdcHost *host = &store->host->kernel;
	RowHead **order = taking->order;
	int64 i;

	shuffle(store, order, taking->count);
	for (i = 0; i < taking->count; i++)
	{
		if (i % POLL_ROWS == 0)
			host->poll(host, 0, 0);
		if (i + AHEAD < taking->count)
			fetch_row((const char *) order[i + AHEAD]);
		take_row(taking, order[i]);
	}
}

/* Hands over the rows of a box in memory in a random order. */
static void
take_box(SdcRowStore *store, const Box *box, Taking *taking)
{
	Cursor cursor = {box->first, 0};

	for (taking->count = 0; taking->count < box->rows; taking->count++)
		taking->order[taking->count] = next_in_box(&cursor);
	take_shuffled(store, taking);
}

static void
take_memory(SdcRowStore *store, Taking *taking)
{
	SdcHost *host = &store->host->kernel;
	int64 most = 0;
	int64 done = 0;
	int i;

	if (!store->shuffled)
	{
		walk_rows(store, visit, taking);
		return;
	}
	for (i = 0; i < store->boxes; i++)
		most = Max(most, store->box[i].rows);
	taking->order = sdc_new(host, RowHead *, most);
	for (i = 0; i < store->boxes; i++)
	{
		take_box(store, &store->box[i], taking);
		done += taking->count;
		host->poll(host, done, store->rows);
	}
	host->release(host, taking->order);
}

/* Reads the rest of a row behind its head. */
static void
read_row(const SdcRowStore *store, int box, RowHead *head)
{
	char *row = (char *) head + HEAD_BYTES;

	if (store->before != NULL)
		sdcpg_tapes_read(store->before, box, row, store->reserved);
	sdcpg_tapes_read(store->tapes, box, row + store->reserved,
					 MAXALIGN(head->size - store->reserved));
}

/* Reads the next row of a tape into memory that grows with the rows. */
static RowHead *
next_row(SdcRowStore *store, int box, char **memory, Size *room)
{
	RowHead head;
	Size bytes;

	sdcpg_tapes_read(store->tapes, box, &head, HEAD_BYTES);
	bytes = HEAD_BYTES + MAXALIGN(head.size);
	if (bytes > *room)
	{
		*room = Max(bytes, *room * 2);
		*memory = sdcpg_host_grow(store->host, *memory, *room, 1);
	}
	memcpy(*memory, &head, HEAD_BYTES);
	read_row(store, box, (RowHead *) *memory);
	return (RowHead *) *memory;
}

/* Puts a row of a tape aside once more, with what is reserved. */
static void
spread_row(SdcRowStore *spread, const RowHead *head)
{
	memcpy(open_row(spread, head->number, head->size),
		   (const char *) head + HEAD_BYTES, head->size);
	put_row(spread);
}

/* Hands over the rows of a tape as they come, or spreads them once more. */
static void
take_stream(SdcRowStore *store, int box, Taking *taking)
{
	SdcHost *host = &store->host->kernel;
	int64 rows = store->box[box].rows;
	SdcRowStore *spread = NULL;
	char *memory = NULL;
	Size room = 0;
	int64 i;

	if (store->shuffled)
		spread = sdcpg_row_store_new(store->host, true, 0, store->limit, NULL);
	for (i = 0; i < rows; i++)
	{
		RowHead *head = next_row(store, box, &memory, &room);

		if (i % POLL_ROWS == 0)
			host->poll(host, i, rows);
		if (spread == NULL)
			take_row(taking, head);
		else
			spread_row(spread, head);
	}
	host->release(host, memory);
	if (spread != NULL)
	{
		sdcpg_row_store_take(spread, taking->take, taking->arg);
		host->release(host, spread);
	}
}

/* Reads a tape into memory, and hands its rows over in a random order. */
static void
take_tape(SdcRowStore *store, int box, Taking *taking)
{
	SdcHost *host = &store->host->kernel;
	const Box *tape = &store->box[box];
	char *memory = sdc_new(host, char, tape->bytes);
	char *at = memory;

	taking->order = sdc_new(host, RowHead *, tape->rows);
	for (taking->count = 0; taking->count < tape->rows; taking->count++)
	{
		RowHead *head = (RowHead *) at;

		if (taking->count % POLL_ROWS == 0)
			host->poll(host, 0, 0);
		sdcpg_tapes_read(store->tapes, box, head, HEAD_BYTES);
		read_row(store, box, head);
		at += HEAD_BYTES + MAXALIGN(head->size);
		taking->order[taking->count] = head;
	}
	take_shuffled(store, taking);
	host->release(host, taking->order);
	host->release(host, memory);
}

/* Gives back all memory and closes the files. */
static void
drop(SdcRowStore *store)
{
	SdcHost *host = &store->host->kernel;

	free_blocks(store);
	sdcpg_tapes_end(store->tapes);
	sdcpg_tapes_end(store->before);
	host->release(host, store->box_of);
	host->release(host, store->box);
	host->release(host, store->place);
	host->release(host, store->no_null);
	host->release(host, store->row);
	host->release(host, store->all);
	store->boxes = 0;
	store->tapes = NULL;
	store->before = NULL;
	store->box_of = NULL;
	store->box = NULL;
	store->place = NULL;
	store->no_null = NULL;
	store->row = NULL;
	store->all = NULL;
	store->rows = 0;
}

/* Takes the rows of all tapes. */
static void
take_tapes(SdcRowStore *store, Taking *taking)
{
	int i;

	for (i = 0; i < store->boxes; i++)
	{
		const Box *tape = &store->box[i];

		sdcpg_tapes_rewind(store->tapes, i);
		if (store->before != NULL)
			sdcpg_tapes_rewind(store->before, i);
		/* a single row may be longer than all that is to be held */
		if (store->shuffled &&
			(tape->bytes <= store->limit || tape->rows == 1))
			take_tape(store, i, taking);
		else
			take_stream(store, i, taking);
	}
}

void
sdcpg_row_store_take(SdcRowStore *store, SdcRowTaker take, void *arg)
{
	Taking taking = {take, arg};

	if (take != NULL && store->spilled)
		take_tapes(store, &taking);
	else if (take != NULL)
		take_memory(store, &taking);
	drop(store);
}

/* ----------------------------------------------------------------------
 * Columns put aside.
 * ----------------------------------------------------------------------
 */

/* What stands before each chunk in the file: which arrays follow. */
typedef struct ChunkHead
{
	int32 rows;
	bool has_null;
	bool has_code;
} ChunkHead;

void
sdcpg_column_store_begin(SdcColumnStore *store, SdcPgHost *host,
						 const SdcColumnType *type)
{
	memset(store, 0, sizeof(*store));
	store->host = host;
	store->column.type = *type;
	/* by-reference values are copied by a pool even where none repeat */
	if (!type->by_value || sdcpg_pool_fits(type))
		store->column.pool = sdcpg_pool_new(host, type);
}

void
sdcpg_column_store_grow(SdcColumnStore *store, int64 room)
{
	SdcWindowColumn *column = &store->column;
	SdcPgHost *host = store->host;

	column->value = sdcpg_host_grow(host, column->value, room, sizeof(Datum));
	if (column->isnull != NULL)
		column->isnull =
			sdcpg_host_grow(host, column->isnull, room, sizeof(bool));
	if (column->code != NULL || store->coded ||
		(column->pool != NULL && store->rows == 0))
		column->code =
			sdcpg_host_grow(host, column->code, room, sizeof(int32));
	store->room = room;
}

/* Notes that a row has no value, the first time with room for notes. */
static void
add_null(SdcColumnStore *store, int64 row)
{
	SdcWindowColumn *column = &store->column;

	if (column->isnull == NULL)
	{
		column->isnull =
			sdcpg_host_grow(store->host, NULL, store->room, sizeof(bool));
		memset(column->isnull, false, row);
	}
	column->isnull[row] = true;
	column->value[row] = (Datum) 0;
	if (column->code != NULL)
		column->code[row] = 0;
}

static void
forget_codes(SdcColumnStore *store)
{
	SdcHost *host = &store->host->kernel;

	host->release(host, store->column.code);
	store->column.code = NULL;
	store->coded = false;
}

static void
add_value(SdcColumnStore *store, int64 row, Datum value)
{
	SdcWindowColumn *column = &store->column;
	int32 code;

	if (column->isnull != NULL)
		column->isnull[row] = false;
	if (column->pool == NULL)
	{
		column->value[row] = value;
		return;
	}
	column->value[row] = sdcpg_pool_take(column->pool, value, &code);
	if (code < 0)
		forget_codes(store);
	else if (column->code != NULL)
		column->code[row] = code;
}

/* Writes rows of the arrays, from one on. */
static void
write_chunk(SdcColumnStore *store, int64 from, int32 rows)
{
	const SdcWindowColumn *column = &store->column;
	ChunkHead head = {rows, column->isnull != NULL, column->code != NULL};

	BufFileWrite(store->file, &head, sizeof(head));
	BufFileWrite(store->file, column->value + from, sizeof(Datum) * rows);
	if (head.has_null)
		BufFileWrite(store->file, column->isnull + from, sizeof(bool) * rows);
	if (head.has_code)
		BufFileWrite(store->file, column->code + from, sizeof(int32) * rows);
	store->any_null |= head.has_null;
	store->coded &= head.has_code;
}

/* Writes what was added and is in the arrays. */
static void
write_arrays(SdcColumnStore *store)
{
	SdcHost *host = &store->host->kernel;
	int64 rows = store->rows - store->first;
	int64 from;

	for (from = 0; from < rows; from += CHUNK_ROWS)
	{
		host->poll(host, 0, 0);
		write_chunk(store, from, (int32) Min(CHUNK_ROWS, rows - from));
	}
	store->first = store->rows;
}

void
sdcpg_column_store_add(SdcColumnStore *store, Datum value, bool isnull)
{
	int64 row = store->rows - store->first;

	if (row == store->room)
	{
		/* of a spilled column only, whose room is a chunk */
		if (row > 0)
			write_arrays(store);
		else
			sdcpg_column_store_grow(store, CHUNK_ROWS);
		row = 0;
	}
	if (isnull)
		add_null(store, row);
	else
		add_value(store, row, value);
	store->rows++;
}

/* Gives the arrays back. */
static void
free_arrays(SdcColumnStore *store)
{
	SdcHost *host = &store->host->kernel;

	host->release(host, store->column.value);
	host->release(host, store->column.isnull);
	host->release(host, store->column.code);
	store->column.value = NULL;
	store->column.isnull = NULL;
	store->column.code = NULL;
	store->room = 0;
	store->held = 0;
}

void
sdcpg_column_store_spill(SdcColumnStore *store)
{
	const SdcWindowColumn *column = &store->column;

	if (store->file == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(store->host->work);

		store->file = BufFileCreateTemp(false);
		store->coded =
			column->pool != NULL && (store->rows == 0 || column->code != NULL);
		MemoryContextSwitchTo(caller);
	}
	write_arrays(store);
	free_arrays(store);
}

/* Arrays for so many rows of the file, which is read from its beginning. */
static void
start_reading(SdcColumnStore *store, int64 room, bool coded)
{
	SdcHost *host = &store->host->kernel;
	SdcWindowColumn *column = &store->column;

	free_arrays(store);
	column->value = sdc_new(host, Datum, room);
	if (store->any_null)
		column->isnull = sdc_new(host, bool, room);
	if (coded)
		column->code = sdc_new(host, int32, room);
	store->room = room;
	store->first = 0;
	store->held = 0;
	sdcpg_tape_seek(store->file, 0, SEEK_SET);
}

/* Reads the next chunk to a place in the arrays; returns its rows. */
static int32
read_chunk(SdcColumnStore *store, int64 at)
{
	SdcWindowColumn *column = &store->column;
	ChunkHead head;

	store->host->kernel.poll(&store->host->kernel, 0, 0);
	sdcpg_tape_read(store->file, &head, sizeof(head));
	sdcpg_tape_read(store->file, column->value + at,
					sizeof(Datum) * head.rows);
	if (head.has_null)
		sdcpg_tape_read(store->file, column->isnull + at,
						sizeof(bool) * head.rows);
	else if (column->isnull != NULL)
		memset(column->isnull + at, false, head.rows);
	if (head.has_code && column->code != NULL)
		sdcpg_tape_read(store->file, column->code + at,
						sizeof(int32) * head.rows);
	else if (head.has_code)
		sdcpg_tape_seek(store->file, sizeof(int32) * head.rows, SEEK_CUR);
	return head.rows;
}

void
sdcpg_column_store_load(SdcColumnStore *store)
{
	if (store->file == NULL || store->held == store->rows)
		return;
	start_reading(store, store->rows, store->coded);
	while (store->held < store->rows)
		store->held += read_chunk(store, store->held);
}

void
sdcpg_column_store_seek(SdcColumnStore *store, int64 row)
{
	if (store->held == 0 || row < store->first)
		start_reading(store, CHUNK_ROWS, store->coded);
	while (row >= store->first + store->held)
	{
		store->first += store->held;
		store->held = read_chunk(store, 0);
	}
}

void
sdcpg_column_store_unload(SdcColumnStore *store)
{
	if (store->file != NULL)
		free_arrays(store);
}

void
sdcpg_column_store_end(SdcColumnStore *store)
{
	free_arrays(store);
	if (store->file != NULL)
		BufFileClose(store->file);
	store->file = NULL;
}
