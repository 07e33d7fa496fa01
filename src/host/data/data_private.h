/*
 * data_private.h
 *		What column_select.c needs of its folder: stores of rows and of
 *		columns, and which statements it can run.
 */
#ifndef SDC_HOST_DATA_PRIVATE_H
#define SDC_HOST_DATA_PRIVATE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "nodes/parsenodes.h"
#include "storage/buffile.h"

#include "host/data/window.h"
#include "host/server/host.h"

/* Rows that are put aside; private to row_store.c. */
typedef struct SdcRowStore SdcRowStore;

/*
 * A store that holds at most bytes in memory, counted by the host, and the
 * rest in temporary files; its rows have the columns of the descriptor.
 * shuffled: rows come back in an order drawn from strong random bits, each
 * order as likely as any other.  Before each row there is room for reserved
 * bytes, a multiple of 8, which the taker fills.
 */
extern SdcRowStore *sdcpg_row_store_new(SdcPgHost *host, bool shuffled,
										Size reserved, Size bytes,
										TupleDesc descriptor);

/*
 * Puts a row aside; its number, 0, 1, ..., is what is given back with it.  A
 * value in many pieces is replaced by a copy in one.
 */
extern void sdcpg_row_store_put_values(SdcRowStore *store, Datum *values,
									   const bool *isnull);

/* The values of such a row, which lie in it; returns which are NULL. */
extern const bool *sdcpg_row_store_values(const SdcRowStore *store,
										  const char *row, Datum *values);

/*
 * Fills what is reserved before each row: fill is called once for each, in
 * the order of their coming.  What belongs to rows by number is read much
 * faster in this order than in a random one.
 */
typedef void (*SdcRowFiller)(void *arg, int64 number, void *reserved);

extern void sdcpg_row_store_fill(SdcRowStore *store, SdcRowFiller fill,
								 void *arg);

/* Takes a row, behind what is reserved, aligned; not to outlive the call. */
typedef void (*SdcRowTaker)(void *arg, const void *row);

/* Hands over each row once, or to NULL forgets them; empty afterwards. */
extern void sdcpg_row_store_take(SdcRowStore *store, SdcRowTaker take,
								 void *arg);

/*
 * A column that is put aside: in arrays of all rows, or, once it has been
 * spilled, in a temporary file, with arrays of a few rows or of none.  Values
 * of by-reference types stay where their pool has them.
 */
typedef struct SdcColumnStore
{
	SdcPgHost *host;
	SdcWindowColumn column; /* rows from first on */
	int64 first;
	int64 room; /* of the arrays */
	int64 held; /* rows in them that came from the file */
	int64 rows; /* that were added */
	BufFile *file;
	bool any_null; /* in the file */
	bool coded;    /* has it all codes? */
} SdcColumnStore;

/* Starts an empty one, which takes values by sdcpg_column_store_add. */
extern void sdcpg_column_store_begin(SdcColumnStore *store, SdcPgHost *host,
									 const SdcColumnType *type);

/* Bytes that room for so many rows in the arrays takes. */
static inline Size
sdcpg_column_store_bytes(const SdcColumnStore *store, int64 room)
{
	return room * (sizeof(Datum) + sizeof(bool) +
				   (store->column.pool != NULL ? sizeof(int32) : 0));
}

/* Makes that room. */
extern void sdcpg_column_store_grow(SdcColumnStore *store, int64 room);

/* Adds the value of the next row; what is not spilled has room for it. */
extern void sdcpg_column_store_add(SdcColumnStore *store, Datum value,
								   bool isnull);

/* Goes over to a file, or writes there what is left in the arrays. */
extern void sdcpg_column_store_spill(SdcColumnStore *store);

/* Has all rows in the arrays; of what was not spilled they are there. */
extern void sdcpg_column_store_load(SdcColumnStore *store);

/* Of one in a file: has a row in the arrays, and some of those behind it. */
extern void sdcpg_column_store_seek(SdcColumnStore *store, int64 row);

/* The value of a row, which is then in the arrays with its code. */
static inline void
sdcpg_column_store_get(SdcColumnStore *store, int64 row, Datum *value,
					   bool *isnull)
{
	if (store->file != NULL)
		sdcpg_column_store_seek(store, row);
	row -= store->first;
	*isnull = store->column.isnull != NULL && store->column.isnull[row];
	*value = store->column.value[row];
}

/* Gives the arrays back that can be loaded again. */
extern void sdcpg_column_store_unload(SdcColumnStore *store);

/* Closes the file and gives the arrays back. */
extern void sdcpg_column_store_end(SdcColumnStore *store);

/* Reads from a temporary file, or goes to a place in it, or stops. */
extern void sdcpg_tape_read(BufFile *file, void *memory, Size bytes);
extern void sdcpg_tape_seek(BufFile *file, off_t offset, int whence);

/* Tapes side by side in one temporary file; private to tapes.c. */
typedef struct SdcTapes SdcTapes;

/*
 * So many empty tapes, numbered from 0.  From its first byte until the last is
 * read a tape has a buffer of BLCKSZ bytes, which the host does not count, and
 * it has 4 bytes for each 64 kB, which the host does.
 */
extern SdcTapes *sdcpg_tapes_begin(SdcPgHost *host, int tapes);

/* Writes onto a tape; an error where the disk or its quota is full. */
extern void sdcpg_tapes_write(SdcTapes *set, int number, const void *bytes,
							  Size size);

/* Goes back to the beginning of a tape, which is only read from then on. */
extern void sdcpg_tapes_rewind(SdcTapes *set, int number);

/* Reads on; more than was written is an error. */
extern void sdcpg_tapes_read(SdcTapes *set, int number, void *memory,
							 Size size);

/* Closes the file and gives all memory back; NULL is ignored. */
extern void sdcpg_tapes_end(SdcTapes *set);

/* The rows of all partitions, one after the other; start has where each is. */
typedef struct SdcPartitions
{
	int32 count;
	int32 *start; /* count + 1 of them */
	const int32 *row;
} SdcPartitions;

/*
 * The partitions of rows by the values of some columns, in memory of the host;
 * the rows of each in the order of sequence, which may be NULL (as they come)
 * and is row itself where there are no columns.
 */
extern SdcPartitions sdcpg_partitions_find(SdcPgHost *of, int64 rows,
										   int columns,
										   SdcColumnStore **column,
										   const int32 *sequence);

/* Columns of the order of a window, at the most, for what follows. */
#define SDC_RANKS_ORDERS 8

/* A call of a mask of ranks (SdcWindowRanks) for columns in files. */
typedef struct SdcRanksCall
{
	int64 rows;
	SdcColumnStore *value;
	int partitions;
	SdcColumnStore **partition;
	int orders;
	SdcColumnStore **order;
	/* calls the mask for a stratum of so many ranks */
	void (*draw)(void *arg, SdcPgHost *host, int32 count,
				 const SdcWindowRanks *ranks);
	void *arg;
} SdcRanksCall;

/* Do the columns have keys to sort them by? */
extern bool sdcpg_ranks_can(const SdcRanksCall *call);

/* Bytes for so many rows, about, beside those that the mask says. */
extern Size sdcpg_ranks_bytes(int64 rows);

/*
 * Runs it; the result goes to a file.  The values are those that the mask
 * would make of arrays, to the bit, but that all NaN become the usual one.
 * O(n log n) time; memory for the mask, and as much more as there is to sort.
 */
extern void sdcpg_ranks_run(SdcPgHost *of, const SdcRanksCall *call,
							SdcColumnStore *result);

/*
 * Is it a function that goes through sdcpg_window_call_ranks?  And the bytes
 * that it takes for each rank.
 */
extern bool sdcpg_window_by_ranks(Oid function, int *bytes);

/*
 * The mean of a partition in the order of its rows, as avg(float8) computes
 * it, with its error when a sum of squares overflows; into each of its rows.
 */
extern void sdcpg_window_mean(const SdcWindowColumn *column, const int32 *row,
							  int64 rows, SdcWindowColumn *result);

/*
 * Is a query FROM, WHERE and columns, with window functions that can be called
 * on columns, and nothing else?
 */
extern bool sdcpg_window_is_plain(Query *query);

#endif
