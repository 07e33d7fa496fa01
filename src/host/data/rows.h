/*
 * rows.h
 *		Rows of a query, one by one, as the executor makes them.
 */
#ifndef SDC_HOST_ROWS_H
#define SDC_HOST_ROWS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "host/call/catalog.h"
#include "host/data/dictionary.h"
#include "host/server/host.h"
#include "kernel/table/frequency.h"

/*
 * Replaces text by a JSON object of the first columns of a cell: name[j] with
 * the value of column j as a string, or null.
 */
extern void sdcpg_subject_write(StringInfo text, int columns,
								const char *const *name,
								SdcDictionary *const *dictionary,
								const SdcFrequency *frequency, int32 cell);

/* Two columns of a row, by their places, that are compared. */
typedef struct SdcRowPair
{
	int first;
	int second;
	bool late; /* not before the row is given: in the order of the rows */
} SdcRowPair;

/* Who takes the rows; arg is passed to all functions. */
typedef struct SdcRows
{
	/* called once, before the first row: to check the columns */
	void (*start)(void *arg, TupleDesc descriptor);
	/*
	 * Called for each row.  The current memory context is cleared every
	 * thousand rows; values do not outlive the call.
	 */
	void (*row)(void *arg, TupleDesc descriptor, const Datum *values,
				const bool *isnull);
	void *arg;
	/*
	 * For sdcpg_column_select only.  Called once for each row and pair, in any
	 * order, as early as both values are there, which for most pairs is before
	 * rows are put into another order.  second is then NULL in what is given
	 * to row(), so that it need not be kept so long; it must not be needed
	 * for anything else.
	 */
	int pairs;
	const SdcRowPair *pair;
	void (*compare)(void *arg, int pair, Datum first, bool first_isnull,
					Datum second, bool second_isnull);
} SdcRows;

/*
 * Runs a query as the caller, with the snapshot of the calling statement and
 * without writing, and hands over its rows.  Polls the host.
 */
extern void sdcpg_rows_receive(SdcPgHost *host, const char *sql,
							   const SdcRows *rows);

/* The same for a query with parameters $1, $2, ... */
extern void sdcpg_rows_receive_bound(SdcPgHost *host, const char *sql,
									 const SdcCatalogParameters *parameters,
									 const SdcRows *rows);

#endif
