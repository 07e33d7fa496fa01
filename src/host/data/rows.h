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

/* Who takes the rows; arg is passed to both functions. */
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
