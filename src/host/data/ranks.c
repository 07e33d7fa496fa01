/*
 * ranks.c
 *		Values that change ranks, of columns that do not fit into memory; the
 *		strata of rows.
 *
 * A mask that works on ranks alone need not see values.  It is told how many
 * ranks there are, and says of each which rank it takes its value from, as
 * soon as it knows.  So everything else can lie in temporary files.  The
 * server sorts keys of the values, which gives a file of keys and one of rows,
 * both in the order of ranks.  What follows needs no comparisons, for ranks
 * and rows are numbers without gaps: what belongs to a number is written to
 * one of a few tapes by the range that the number is in, and a range fits into
 * memory.  In this way moves come to the rank that is taken from, keys to the
 * rank that takes them, and at last to their rows.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "storage/buffile.h"
#include "utils/tuplesort.h"

#include "host/data/column.h"
#include "host/data/data_private.h"
#include "host/data/dictionary.h"
#include "host/data/window.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/base/random.h"

/* Rows between two polls. */
#define POLL_ROWS 4096

/* Numbers that are in memory together, at least, and ranges at the most. */
#define LEAST_RANGE 16384
#define MOST_RANGES 128

/* Bytes that belong to a number, at the most, and how many of them are read
 * together. */
#define MOST_WIDTH  sizeof(uint64)
#define BLOCK_ITEMS 512

/* Bytes of the sort: this part of what may still be held, within bounds. */
#define SORT_PART  4
#define LEAST_SORT ((Size) 64 * 1024)
#define MOST_SORT  ((Size) 64 * 1024 * 1024)

/* Bytes that all this takes whatever the rows, and rows for each byte more. */
#define FIXED_BYTES   (LEAST_SORT * SORT_PART + (Size) 256 * 1024)
#define ROWS_FOR_BYTE 4

Size
sdcpg_ranks_bytes(int64 rows)
{
	return FIXED_BYTES + rows / ROWS_FOR_BYTE;
}

/* ----------------------------------------------------------------------
 * The strata of rows.
 * ----------------------------------------------------------------------
 */

typedef struct Strata
{
	int columns;
	SdcColumnStore **column;
	SdcDictionary **value; /* of each column */
	SdcDictionary **pair;  /* of the stratum so far, and the value's code */
} Strata;

static Strata *
strata_new(SdcPgHost *host, int columns, SdcColumnStore **column)
{
	SdcHost *kernel = &host->kernel;
	Strata *strata = sdc_new(kernel, Strata, 1);
	int i;

	strata->columns = columns;
	strata->column = column;
	strata->value = sdc_new(kernel, SdcDictionary *, columns);
	strata->pair = sdc_new(kernel, SdcDictionary *, columns);
	for (i = 0; i < columns; i++)
	{
		const SdcColumnType *type = &column[i]->column.type;

		strata->value[i] =
			sdcpg_dictionary_new(host, type->base, type->collation);
		strata->pair[i] = sdcpg_dictionary_new(host, INT8OID, InvalidOid);
	}
	return strata;
}

/* The code of a row's value in a column, 0 where it is NULL. */
static inline int64
value_code(Strata *strata, int column, int64 row)
{
	Datum value;
	bool isnull;

	sdcpg_column_store_get(strata->column[column], row, &value, &isnull);
	return isnull ? 0
				  : 1 + (int64) sdcpg_dictionary_code(strata->value[column],
													  value);
}

/* The stratum by one more column. */
static inline int32
join_code(Strata *strata, int column, int32 stratum, int64 code)
{
	int64 pair = (int64) stratum << 32 | code;

	return sdcpg_dictionary_code(strata->pair[column], Int64GetDatum(pair));
}

/* The number of a row's stratum, from 0 in the order of their coming. */
static int32
strata_code(Strata *strata, int64 row)
{
	int32 stratum = 0;
	int i;

	for (i = 0; i < strata->columns; i++)
		stratum = join_code(strata, i, stratum, value_code(strata, i, row));
	return stratum;
}

/*
 * The partition of each row, from 0; returns how many there are.  Column by
 * column, as one dictionary is in the cache, and two are not.
 */
static int32
number_partitions(SdcPgHost *host, int64 rows, Strata *strata,
				  int32 *partition)
{
	SdcHost *kernel = &host->kernel;
	int64 *code = sdc_new(kernel, int64, rows);
	int64 row;
	int i;

	memset(partition, 0, sizeof(int32) * rows);
	for (i = 0; i < strata->columns; i++)
	{
		for (row = 0; row < rows; row++)
		{
			if (row % POLL_ROWS == 0)
				kernel->poll(kernel, row, rows);
			code[row] = value_code(strata, i, row);
		}
		for (row = 0; row < rows; row++)
		{
			if (row % POLL_ROWS == 0)
				kernel->poll(kernel, row, rows);
			partition[row] = join_code(strata, i, partition[row], code[row]);
		}
	}
	kernel->release(kernel, code);
	return sdcpg_dictionary_values(strata->pair[strata->columns - 1]);
}

/* One partition of all rows. */
static SdcPartitions
whole_partition(SdcPgHost *host, int64 rows, const int32 *sequence)
{
	SdcPartitions result = {1, sdc_new(&host->kernel, int32, 2), sequence};

	result.start[0] = 0;
	result.start[1] = (int32) rows;
	return result;
}

SdcPartitions
sdcpg_partitions_find(SdcPgHost *of, int64 rows, int columns,
					  SdcColumnStore **column, const int32 *sequence)
{
	SdcHost *kernel = &of->kernel;
	SdcPartitions result;
	SdcPgHost *host;
	int32 *partition;
	int32 *row;
	int64 i;

	if (columns == 0)
		return whole_partition(of, rows, sequence);
	host = sdcpg_host_begin("mask", of->keep);
	sdcpg_host_count(host, of->used);
	partition = sdc_new(&host->kernel, int32, rows);
	result.count = number_partitions(
		host, rows, strata_new(host, columns, column), partition);
	result.start = sdc_new(kernel, int32, (Size) result.count + 2);
	memset(result.start, 0, sizeof(int32) * ((Size) result.count + 2));
	for (i = 0; i < rows; i++)
		result.start[partition[i] + 2]++;
	for (i = 2; i < (int64) result.count + 2; i++)
		result.start[i] += result.start[i - 1];
	row = sdc_new(kernel, int32, rows);
	for (i = 0; i < rows; i++)
	{
		int32 at = sequence != NULL ? sequence[i] : (int32) i;

		row[result.start[partition[at] + 1]++] = at;
	}
	result.row = row;
	sdcpg_host_end(host);
	return result;
}

/* ----------------------------------------------------------------------
 * What belongs to numbers, on tapes by the range of the number.
 * ----------------------------------------------------------------------
 */

typedef struct Spread
{
	SdcPgHost *host;
	Size width; /* of what belongs to a number, at most MOST_WIDTH */
	int64 numbers;
	int32 range;
	int ranges;
	SdcTapes *tapes; /* one for each range */
	int64 *items;
} Spread;

static void
spread_begin(Spread *spread, SdcPgHost *host, int64 numbers, Size width)
{
	int64 range = (numbers + MOST_RANGES - 1) / MOST_RANGES;
	int i;

	spread->host = host;
	spread->width = width;
	spread->numbers = numbers;
	spread->range = (int32) Max(range, LEAST_RANGE);
	spread->ranges = (int) ((numbers + spread->range - 1) / spread->range);
	spread->tapes = sdcpg_tapes_begin(host, spread->ranges);
	spread->items = sdc_new(&host->kernel, int64, spread->ranges);
	for (i = 0; i < spread->ranges; i++)
		spread->items[i] = 0;
}

static void
spread_put(Spread *spread, int32 number, const void *item)
{
	int file = number / spread->range;
	char both[sizeof(number) + MOST_WIDTH];

	/* one call for both, as a call costs more than the bytes */
	memcpy(both, &number, sizeof(number));
	memcpy(both + sizeof(number), item, spread->width);
	sdcpg_tapes_write(spread->tapes, file, both,
					  sizeof(number) + spread->width);
	spread->items[file]++;
}

/* How many numbers a range has. */
static int32
spread_range(const Spread *spread, int file)
{
	return (int32) Min(spread->range,
					   spread->numbers - (int64) file * spread->range);
}

/*
 * Reads what belongs to the numbers of a range into an array, and notes in
 * another, which may be NULL, where there was something.
 */
static void
spread_take(Spread *spread, int file, char *items, bool *found)
{
	SdcHost *host = &spread->host->kernel;
	Size bytes = sizeof(int32) + spread->width;
	char block[BLOCK_ITEMS * (sizeof(int32) + MOST_WIDTH)];
	int64 left;
	int64 i;

	sdcpg_tapes_rewind(spread->tapes, file);
	for (left = spread->items[file]; left > 0; left -= BLOCK_ITEMS)
	{
		int64 held = Min(left, BLOCK_ITEMS);

		host->poll(host, 0, 0);
		sdcpg_tapes_read(spread->tapes, file, block, held * bytes);
		for (i = 0; i < held; i++)
		{
			const char *item = block + i * bytes;
			int32 number;

			memcpy(&number, item, sizeof(number));
			number -= file * spread->range;
			memcpy(items + (Size) number * spread->width,
				   item + sizeof(number), spread->width);
			if (found != NULL)
				found[number] = true;
		}
	}
}

static void
spread_end(Spread *spread)
{
	SdcHost *host = &spread->host->kernel;

	sdcpg_tapes_end(spread->tapes);
	host->release(host, spread->items);
}

/* ----------------------------------------------------------------------
 * Rows in the order of their keys.
 * ----------------------------------------------------------------------
 */

/* Keys of a row: of its stratum, its value, its place in the window. */
#define MOST_KEYS (SDC_RANKS_ORDERS + 2)

/* Keys are unsigned, and the integers of SQL are not. */
#define SIGN (UINT64CONST(1) << 63)

typedef struct Entry
{
	uint64 key[MOST_KEYS];
	int32 row;
} Entry;

/* The server's sort, by keys and then by row: equal ones stay as they came. */
typedef struct Sorter
{
	SdcPgHost *host;
	int keys;
	int64 rows;
	Tuplesortstate *sort;
	TupleTableSlot *entry;
} Sorter;

/* Kilobytes that may be taken to sort. */
static int
sort_kilobytes(const SdcPgHost *host)
{
	Size limit = (Size) sdcpg_memory_limit * 1024;
	Size left = host->used < limit ? limit - host->used : 0;

	return (int) (Min(Max(left / SORT_PART, LEAST_SORT), MOST_SORT) / 1024);
}

static void
sorter_begin(Sorter *sorter, SdcPgHost *host, int keys)
{
	MemoryContext caller = MemoryContextSwitchTo(host->work);
	TupleDesc columns = CreateTemplateTupleDesc(keys + 1);
	AttrNumber number[MOST_KEYS + 1];
	Oid less[MOST_KEYS + 1];
	Oid collation[MOST_KEYS + 1] = {InvalidOid};
	bool nulls_first[MOST_KEYS + 1] = {false};
	int i;

	for (i = 0; i <= keys; i++)
	{
		number[i] = (AttrNumber) (i + 1);
		less[i] = i < keys ? Int8LessOperator : Int4LessOperator;
		TupleDescInitEntry(columns, number[i], "key",
						   i < keys ? INT8OID : INT4OID, -1, 0);
	}
	sorter->host = host;
	sorter->keys = keys;
	sorter->rows = 0;
	sorter->entry = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	sorter->sort =
		tuplesort_begin_heap(columns, keys + 1, number, less, collation,
							 nulls_first, sort_kilobytes(host), NULL, 0);
	MemoryContextSwitchTo(caller);
}

/* Adds a row. */
static void
sorter_add(Sorter *sorter, const Entry *entry)
{
	TupleTableSlot *slot = sorter->entry;
	int k;

	ExecClearTuple(slot);
	for (k = 0; k < sorter->keys; k++)
		slot->tts_values[k] = Int64GetDatum((int64) (entry->key[k] ^ SIGN));
	slot->tts_values[k] = Int32GetDatum(entry->row);
	memset(slot->tts_isnull, 0, sizeof(bool) * (sorter->keys + 1));
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(sorter->sort, slot);
	sorter->rows++;
}

/*
 * Writes a key and the row of all entries, in order, to two files that are
 * then read from their beginnings; the sorter is at its end.
 */
static void
sorter_write(Sorter *sorter, int key, BufFile *keys, BufFile *rows)
{
	SdcHost *host = &sorter->host->kernel;
	TupleTableSlot *entry = MakeSingleTupleTableSlot(
		sorter->entry->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	int64 done = 0;

	tuplesort_performsort(sorter->sort);
	while (tuplesort_gettupleslot(sorter->sort, true, false, entry, NULL))
	{
		uint64 value;
		int32 row;

		if (done++ % POLL_ROWS == 0)
			host->poll(host, done, sorter->rows);
		slot_getallattrs(entry);
		value = (uint64) DatumGetInt64(entry->tts_values[key]) ^ SIGN;
		row = DatumGetInt32(entry->tts_values[sorter->keys]);
		BufFileWrite(keys, &value, sizeof(value));
		BufFileWrite(rows, &row, sizeof(row));
	}
	ExecDropSingleTupleTableSlot(entry);
	ExecDropSingleTupleTableSlot(sorter->entry);
	tuplesort_end(sorter->sort);
	sdcpg_tape_seek(keys, 0, SEEK_SET);
	sdcpg_tape_seek(rows, 0, SEEK_SET);
}

/* ----------------------------------------------------------------------
 * A mask of ranks.
 * ----------------------------------------------------------------------
 */

/* What is known of a stratum: ranks, and the digest of their values. */
typedef struct Stratum
{
	int32 count;
	uint64 digest;
} Stratum;

typedef struct Ranks
{
	const SdcRanksCall *call;
	SdcPgHost *host;
	int64 ranks; /* in all strata */
	int32 strata;
	Stratum *stratum;
	/* in the order of ranks */
	BufFile *keys;
	BufFile *rows;
	Spread moves;      /* a rank that takes the value of this rank */
	int32 first;       /* rank of the stratum that is drawn */
	SdcPoolOrder pool; /* of values that are coded */
} Ranks;

/* Are the keys of a column's values ranks in its pool? */
static bool
is_coded(const SdcColumnStore *store)
{
	return store->column.type.kind == SDC_COLUMN_COMPARED;
}

bool
sdcpg_ranks_can(const SdcRanksCall *call)
{
	int i;

	if ((is_coded(call->value) && !call->value->coded) ||
		call->orders > SDC_RANKS_ORDERS)
		return false;
	/* NULL has no key, and a float two that are equal: 0 and -0 */
	for (i = 0; i < call->orders; i++)
		if (call->order[i]->column.type.kind != SDC_COLUMN_INTEGER ||
			call->order[i]->any_null || call->order[i]->column.isnull != NULL)
			return false;
	return true;
}

static uint64
key_of(SdcColumnStore *store, int64 row, bool *isnull)
{
	Datum value;

	sdcpg_column_store_get(store, row, &value, isnull);
	return *isnull ? 0 : sdcpg_column_key(&store->column.type, value);
}

/* The key of the value of a row, which counts for its stratum. */
static uint64
count_value(Ranks *ranks, Stratum *stratum, int64 row)
{
	const SdcColumnStore *store = ranks->call->value;
	uint64 key;
	int32 code;

	stratum->count++;
	if (is_coded(store))
	{
		code = store->column.code[row - store->first];
		stratum->digest += ranks->pool.digest[code];
		return (uint64) ranks->pool.rank[code];
	}
	key = sdcpg_column_key(&store->column.type,
						   store->column.value[row - store->first]);
	stratum->digest += sdcpg_column_digest_key(key);
	return key;
}

/* The stratum of a row, with room for its counts. */
static int32
find_stratum(Ranks *ranks, Strata *strata, int64 row)
{
	int32 code = strata == NULL ? 0 : strata_code(strata, row);

	if (code < ranks->strata)
		return code;
	if ((ranks->strata & (ranks->strata - 1)) == 0)
		ranks->stratum =
			sdcpg_host_grow(ranks->host, ranks->stratum,
							Max((Size) ranks->strata * 2, 1), sizeof(Stratum));
	memset(&ranks->stratum[ranks->strata++], 0, sizeof(Stratum));
	return code;
}

/* Hands a row over to be sorted, and counts its value. */
static void
add_row(Ranks *ranks, Strata *strata, Sorter *sorter, int64 row)
{
	const SdcRanksCall *call = ranks->call;
	int32 code = find_stratum(ranks, strata, row);
	Entry entry = {.row = (int32) row};
	Datum value;
	bool isnull;
	int keys = 0;
	int i;

	sdcpg_column_store_get(call->value, row, &value, &isnull);
	if (isnull)
		return;
	if (strata != NULL)
		entry.key[keys++] = (uint64) code;
	entry.key[keys++] = count_value(ranks, &ranks->stratum[code], row);
	for (i = 0; i < call->orders; i++)
		entry.key[keys++] = key_of(call->order[i], row, &isnull);
	sorter_add(sorter, &entry);
	ranks->ranks++;
}

static void
sort_rows(Ranks *ranks)
{
	const SdcRanksCall *call = ranks->call;
	SdcHost *host = &ranks->host->kernel;
	bool parted = call->partitions > 0;
	Strata *strata = NULL;
	Sorter sorter;
	int64 row;

	host->stage(host, "sorting");
	if (is_coded(call->value))
		ranks->pool = sdcpg_pool_order(ranks->host, call->value->column.pool);
	if (parted)
		strata = strata_new(ranks->host, call->partitions, call->partition);
	sorter_begin(&sorter, ranks->host, call->orders + 1 + parted);
	for (row = 0; row < call->rows; row++)
	{
		if (row % POLL_ROWS == 0)
			host->poll(host, row, call->rows);
		add_row(ranks, strata, &sorter, row);
	}
	ranks->keys = BufFileCreateTemp(false);
	ranks->rows = BufFileCreateTemp(false);
	sorter_write(&sorter, parted, ranks->keys, ranks->rows);
}

/* Notes a move within the stratum that is drawn. */
static void
note_move(void *arg, int32_t rank, int32_t from)
{
	Ranks *ranks = arg;

	rank += ranks->first;
	spread_put(&ranks->moves, ranks->first + from, &rank);
}

/* Has the mask say where ranks take their values from. */
static void
draw_moves(Ranks *ranks)
{
	const SdcRanksCall *call = ranks->call;
	SdcWindowRanks window = {0, note_move, ranks};
	int32 i;

	spread_begin(&ranks->moves, ranks->host, ranks->ranks, sizeof(int32));
	for (i = 0; i < ranks->strata; i++)
	{
		const Stratum *stratum = &ranks->stratum[i];

		window.digest =
			sdcpg_column_digest_count(stratum->count) + stratum->digest;
		call->draw(call->arg, ranks->host, stratum->count, &window);
		ranks->first += stratum->count;
	}
}

/*
 * Brings keys to numbers, which become those of another spread.  In the order
 * of the numbers that they belong to, one of the two is in a spread, by its
 * width, and the other on a tape; both are closed.
 */
static void
bring_keys(Ranks *ranks, Spread *from, BufFile *tape, Spread *to)
{
	SdcHost *host = &ranks->host->kernel;
	int32 *number = sdc_new(host, int32, from->range);
	uint64 *key = sdc_new(host, uint64, from->range);
	bool has_keys = from->width == sizeof(*key);
	int file;
	int32 i;

	host->stage(host, "moving");
	for (file = 0; file < from->ranges; file++)
	{
		int32 count = spread_range(from, file);

		spread_take(from, file, has_keys ? (char *) key : (char *) number,
					NULL);
		if (has_keys)
			sdcpg_tape_read(tape, number, sizeof(*number) * count);
		else
			sdcpg_tape_read(tape, key, sizeof(*key) * count);
		for (i = 0; i < count; i++)
		{
			if (i % POLL_ROWS == 0)
				host->poll(host, file, from->ranges);
			spread_put(to, number[i], &key[i]);
		}
	}
	spread_end(from);
	BufFileClose(tape);
	host->release(host, key);
	host->release(host, number);
}

static Datum
value_of(const Ranks *ranks, uint64 key)
{
	if (is_coded(ranks->call->value))
		return ranks->pool.value[key];
	return sdcpg_column_of_key(&ranks->call->value->column.type, key);
}

/* Adds the values of all rows to the result, NULL where there was none. */
static void
add_results(Ranks *ranks, Spread *masked, SdcColumnStore *result)
{
	SdcHost *host = &ranks->host->kernel;
	uint64 *key = sdc_new(host, uint64, masked->range);
	bool *found = sdc_new(host, bool, masked->range);
	int file;
	int32 i;

	for (file = 0; file < masked->ranges; file++)
	{
		memset(found, false, masked->range);
		spread_take(masked, file, (char *) key, found);
		for (i = 0; i < spread_range(masked, file); i++)
		{
			if (i % POLL_ROWS == 0)
				host->poll(host, file, masked->ranges);
			sdcpg_column_store_add(
				result, found[i] ? value_of(ranks, key[i]) : 0, !found[i]);
		}
	}
	spread_end(masked);
	host->release(host, key);
	host->release(host, found);
}

void
sdcpg_ranks_run(SdcPgHost *of, const SdcRanksCall *call,
				SdcColumnStore *result)
{
	Ranks ranks = {call, sdcpg_host_begin("mask", of->keep)};
	MemoryContext caller = MemoryContextSwitchTo(ranks.host->work);
	Spread carried;
	Spread masked;

	ereport(DEBUG1, (errmsg_internal("ranks change values in files")));
	sdcpg_host_count(ranks.host, of->used);
	sort_rows(&ranks);
	draw_moves(&ranks);
	/* to the rank that takes the value, and from there to its row */
	spread_begin(&carried, ranks.host, ranks.ranks, sizeof(uint64));
	bring_keys(&ranks, &ranks.moves, ranks.keys, &carried);
	spread_begin(&masked, ranks.host, call->rows, sizeof(uint64));
	bring_keys(&ranks, &carried, ranks.rows, &masked);
	MemoryContextSwitchTo(caller);
	result->rows = 0;
	sdcpg_column_store_spill(result);
	add_results(&ranks, &masked, result);
	sdcpg_column_store_spill(result);
	sdcpg_host_end(ranks.host);
}
