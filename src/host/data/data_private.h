/*
 * data_private.h
 *		What column_select.c needs of its folder: a store of rows, and which
 *		statements it can run.
 */
#ifndef SDC_HOST_DATA_PRIVATE_H
#define SDC_HOST_DATA_PRIVATE_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "nodes/parsenodes.h"

#include "host/server/host.h"

/* Rows that are put aside; private to row_store.c. */
typedef struct SdcRowStore SdcRowStore;

/*
 * A store that holds at most bytes in memory, counted by the host, and the
 * rest in temporary files.  shuffled: rows come back in an order drawn from
 * strong random bits, each order as likely as any other.  Before each row
 * there is room for reserved bytes, a multiple of 8, which the taker fills.
 */
extern SdcRowStore *sdcpg_row_store_new(SdcPgHost *host, bool shuffled,
										Size reserved, Size bytes);

/*
 * Puts a row aside, formed where it lies; its number, 0, 1, ..., is what is
 * given back with it.  Without columns only the number is kept.
 */
extern void sdcpg_row_store_put_tuple(SdcRowStore *store, TupleDesc descriptor,
									  Datum *values, bool *isnull);

/* Takes such a row apart; there must be a column. */
static inline void
sdcpg_row_store_deform(const char *row, TupleDesc descriptor, Datum *values,
					   bool *isnull)
{
	HeapTupleData tuple;

	tuple.t_len = ((MinimalTuple) row)->t_len + MINIMAL_TUPLE_OFFSET;
	tuple.t_data = (HeapTupleHeader) (row - MINIMAL_TUPLE_OFFSET);
	heap_deform_tuple(&tuple, descriptor, values, isnull);
}

/* Who takes the rows; arg is passed to both functions. */
typedef struct SdcRowTaker
{
	/*
	 * Called for each row in the order of their coming, some time before it is
	 * taken, to fill what is reserved; NULL: nothing is.  What belongs to rows
	 * by number is read much faster in this order than in a random one.
	 */
	void (*prepare)(void *arg, int64 number, void *row);
	/* the row, behind what is reserved, aligned; not to outlive the call */
	void (*take)(void *arg, const void *row);
	void *arg;
} SdcRowTaker;

/* Hands over each row once, or with NULL forgets them; empty afterwards. */
extern void sdcpg_row_store_take(SdcRowStore *store, const SdcRowTaker *taker);

/*
 * Is a query FROM, WHERE and columns, with window functions that can be called
 * on columns, and nothing else?
 */
extern bool sdcpg_window_is_plain(Query *query);

#endif
